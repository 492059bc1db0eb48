// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all, the lock of a folder, programs on the path, and what a
// result comes from.
#ifndef TORUSMU_TB_LAB_FILES_H_
#define TORUSMU_TB_LAB_FILES_H_

#include <string>

namespace torusmu::lab {

// Throws UsageError if it cannot be read.
std::string read_file(const std::string& path);

// replace_file() that throws UsageError with the system's reason.
void write_whole(const std::string& path, const std::string& text);

// A new folder, with those above it. Throws UsageError.
void make_folder(const std::string& path);

// Held until the object or the process ends, however it ends; the file stays.
class FolderLock {
 public:
  // Throws UsageError that names the holder if another process has it, and `instead`, what to do
  // but wait.
  FolderLock(const std::string& folder, const std::string& instead);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

// Throws UsageError that names Debian's package if the program is not on the path.
void require_program(const std::string& program, const std::string& package);

// What a command prints, without the newline at its end; empty if it fails.
std::string output_of(const std::string& command);

// What a result comes from: the time, UTC, as in ISO 8601; the computer.
std::string time_now();
std::string host_name();

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_FILES_H_
