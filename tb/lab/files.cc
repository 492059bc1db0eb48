// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/files.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "sim/machine/errors.h"
#include "sim/observe/output_file.h"

namespace torusmu::lab {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kReadable = 0644;

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || fs::is_directory(path) || (file.peek() != EOF && !(text << file.rdbuf()))) {
    throw UsageError(path + ": cannot be read");
  }
  return text.str();
}

void write_whole(const std::string& path, const std::string& text) {
  const int reason = replace_file(path, text);
  if (reason != 0)
    throw UsageError(fmt::format("cannot write {}: {}", path, std::strerror(reason)));
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw UsageError(fmt::format("cannot make the folder {}: {}", path, error.message()));
}

FolderLock::FolderLock(const std::string& folder, const std::string& instead) {
  make_folder(folder);
  const std::string path = folder + "/lock";
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kReadable);
  if (file_ < 0) throw UsageError(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const std::string holder = read_file(path);
    close(file_);
    throw UsageError(fmt::format("{} is in use by another runner ({}): wait for its end or give {}",
                                 folder, holder.empty() ? "it has just begun" : holder, instead));
  }
  // Who holds it is a help for the reader alone: the lock itself is the kernel's.
  const std::string holder = fmt::format("process {} on {}", getpid(), host_name());
  if (ftruncate(file_, 0) != 0 || write(file_, holder.data(), holder.size()) < 0) {
    const int reason = errno;
    close(file_);
    throw UsageError(fmt::format("cannot write {}: {}", path, std::strerror(reason)));
  }
}

FolderLock::~FolderLock() { close(file_); }

void require_program(const std::string& program, const std::string& package) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return;
  }
  throw UsageError(fmt::format("{} is not there: Debian's package {} has it", program, package));
}

std::string output_of(const std::string& command) {
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), got);
  }
  if (pclose(pipe) != 0) return "";
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string time_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace torusmu::lab
