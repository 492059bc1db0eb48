// SPDX-License-Identifier: Apache-2.0
// Public headers that most tests include. The build parses them once and begins each test with the
// result (Makefile), which halves the time that a test takes to compile. A test still includes what
// it uses: clang-tidy and the fuzz targets read it without this file.

#ifndef TESTS_SUPPORT_PARSED_ONCE_H_
#define TESTS_SUPPORT_PARSED_ONCE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#endif  // TESTS_SUPPORT_PARSED_ONCE_H_
