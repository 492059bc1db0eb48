// SPDX-License-Identifier: Apache-2.0
#include "sim/output_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "sim/errors.h"

namespace torusmu {
namespace {

[[noreturn]] void cannot_write(const std::string& option, const std::string& path, int reason) {
  throw UsageError(fmt::format("{}: cannot write {}: {}", option, path, std::strerror(reason)));
}

}  // namespace

void require_writable(const std::string& option, const std::string& path) {
  const bool existed = std::filesystem::exists(path);
  std::FILE* const file = std::fopen(path.c_str(), "ab");
  if (file == nullptr) cannot_write(option, path, errno);
  (void)std::fclose(file);
  if (!existed) std::filesystem::remove(path);
}

void write_output_file(const std::string& option, const std::string& path,
                       const std::string& text) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) cannot_write(option, path, errno);
  int reason = 0;
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) reason = errno;
  // What was kept back until now may not fit either.
  if (std::fclose(file) != 0 && reason == 0) reason = errno;
  if (reason == 0) return;
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) std::filesystem::remove(path, error);
  cannot_write(option, path, reason);
}

}  // namespace torusmu
