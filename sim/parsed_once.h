// SPDX-License-Identifier: Apache-2.0
// Public headers that most sources of sim/, host/, docs/ and constraints/ include. The build parses
// them once and begins each source with the result (Makefile), which halves the time that a source
// takes to compile. A source still includes what it uses: clang-tidy reads it without this file.

#ifndef TORUSMU_SIM_PARSED_ONCE_H_
#define TORUSMU_SIM_PARSED_ONCE_H_

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#endif  // TORUSMU_SIM_PARSED_ONCE_H_
