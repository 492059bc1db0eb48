// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "sim/machine/errors.h"

namespace torusmu {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kReadable = 0666;  // less what the user's umask takes away

[[noreturn]] void cannot_write(const std::string& option, const std::string& path, int reason) {
  throw UsageError(fmt::format("{}: cannot write {}: {}", option, path, std::strerror(reason)));
}

// /dev/stdout and its like: what they lead to is in use, and stays even if it is a file.
bool is_link_of_system(const fs::path& path) {
  std::error_code error;
  const std::string whole = fs::absolute(path, error).string();
  return (whole.starts_with("/dev/") || whole.starts_with("/proc/")) && fs::is_symlink(path, error);
}

// Where the links lead that `path` names: what is renamed would replace a link itself.
fs::path behind_links(fs::path path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error); ++i) {
    if (is_link_of_system(path)) break;
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

// A device or a pipe has no earlier contents, and a new file must not take its place.
bool is_replaced(const fs::path& place) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(place, error);
  return fs::is_regular_file(status) || !fs::exists(status);
}

int open_to_write(const fs::path& path, int flags) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, kReadable);
}

// 0, or the system's reason.
int write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) return errno;
    done += static_cast<std::size_t>(std::max<ssize_t>(written, 0));
  }
  return 0;
}

// A file system of another computer may only now tell that something was not written.
int close_after(int reason, int file) { return close(file) != 0 && reason == 0 ? errno : reason; }

int write_device(const fs::path& path, const std::string& text) {
  const int file = open_to_write(path, O_TRUNC);
  return file < 0 ? errno : close_after(write_all(file, text), file);
}

// Empty for what has none: a link to a pipe, a folder that nobody may look into.
fs::path canonical_name(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(behind_links(path), error);
  fs::path name = fs::weakly_canonical(whole, error);
  return error ? fs::path() : name;
}

bool are_same(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  // Names that differ may be links of one file, which need not be there yet.
  const fs::path name = canonical_name(a);
  return !name.empty() && name == canonical_name(b);
}

}  // namespace

void require_apart(const std::vector<NamedFile>& files) {
  for (auto a = files.begin(); a != files.end(); ++a) {
    if (a->path.empty() || !is_replaced(behind_links(a->path))) continue;
    for (auto b = files.begin(); b != a; ++b) {
      if (b->path.empty() || !(a->is_output || b->is_output) || !are_same(a->path, b->path)) {
        continue;
      }
      throw UsageError(
          fmt::format("{} and {} are the same file: {}", b->option, a->option, a->path));
    }
  }
}

void require_writable(const std::string& option, const std::string& path) {
  const fs::path place = behind_links(path);
  std::error_code error;
  const bool existed = fs::exists(path, error);
  const int file = open_to_write(path, 0);
  if (file < 0) cannot_write(option, path, errno);
  close(file);
  if (!existed) {
    fs::remove(place, error);
  } else if (is_replaced(place)) {
    const fs::path folder = fs::absolute(place, error).parent_path();
    if (access(folder.c_str(), W_OK | X_OK) != 0) cannot_write(option, path, errno);
  }
}

void require_second_reading(const std::string& option, const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error) || !fs::exists(path, error)) return;
  throw UsageError(
      fmt::format("{}: waves come from a second run, and {} can be read only once: give the trace "
                  "as a file",
                  option, path));
}

void remove_old_output(const std::string& path) {
  const fs::path place = behind_links(path);
  std::error_code error;
  if (is_replaced(place)) fs::remove(place, error);
}

int replace_file(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  const int file = open_to_write(fresh, O_TRUNC);
  if (file < 0) return errno;
  int reason = write_all(file, text);
  if (reason == 0 && fsync(file) != 0) reason = errno;
  reason = close_after(reason, file);
  if (reason == 0 && rename(fresh.c_str(), path.c_str()) != 0) reason = errno;
  if (reason != 0) unlink(fresh.c_str());
  return reason;
}

void write_output_file(const std::string& option, const std::string& path,
                       const std::string& text) {
  const fs::path place = behind_links(path);
  const int reason = is_replaced(place) ? replace_file(place, text) : write_device(place, text);
  if (reason == 0) return;
  remove_old_output(path);
  cannot_write(option, path, reason);
}

}  // namespace torusmu
