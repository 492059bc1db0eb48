// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/cycle_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "sim/machine/errors.h"

namespace torusmu {

// A page shared with the file: the kernel keeps what was stored though the process is killed.
CycleFile::CycleFile(const std::string& path) {
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free && sizeof(Word) == sizeof(std::uint64_t));
  constexpr unsigned kReadable = 0644;
  void* page = MAP_FAILED;
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, kReadable);
  // Space is taken now: a full disk would else end the run in the middle.
  int reason = file < 0 ? errno : posix_fallocate(file, 0, sizeof(Word));
  if (reason == 0) {
    page = mmap(nullptr, sizeof(Word), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) reason = errno;
  }
  if (file >= 0) close(file);
  if (reason != 0) {
    throw UsageError("--cycle-file: cannot write " + path + ": " + std::strerror(reason));
  }
  word_ = std::construct_at(static_cast<Word*>(page), 0);
}

CycleFile::~CycleFile() { munmap(word_, sizeof *word_); }

std::optional<std::uint64_t> read_cycle_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t cycle = 0;
  if (!file.read(reinterpret_cast<char*>(&cycle), sizeof cycle)) return std::nullopt;
  return cycle;
}

}  // namespace torusmu
