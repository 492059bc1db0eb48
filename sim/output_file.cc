// SPDX-License-Identifier: Apache-2.0
#include "sim/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "sim/errors.h"

namespace torusmu {
namespace {

constexpr unsigned kReadable = 0666;  // less what the user's umask takes away

[[noreturn]] void cannot_write(const std::string& option, const std::string& path, int reason) {
  throw UsageError(fmt::format("{}: cannot write {}: {}", option, path, std::strerror(reason)));
}

}  // namespace

void require_writable(const std::string& option, const std::string& path) {
  const bool existed = std::filesystem::exists(path);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kReadable);
  if (file < 0) cannot_write(option, path, errno);
  close(file);
  if (!existed) std::filesystem::remove(path);
}

void write_output_file(const std::string& option, const std::string& path,
                       const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kReadable);
  if (file < 0) cannot_write(option, path, errno);
  int reason = 0;
  for (std::size_t done = 0; done < text.size() && reason == 0;) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      reason = errno;
    }
  }
  // A file system of another computer may only now tell.
  if (close(file) != 0 && reason == 0) reason = errno;
  if (reason == 0) return;
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) std::filesystem::remove(path, error);
  cannot_write(option, path, reason);
}

}  // namespace torusmu
