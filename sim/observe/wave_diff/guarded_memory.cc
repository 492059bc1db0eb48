// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/wave_diff/guarded_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>

namespace torusmu {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kAlignment = alignof(std::max_align_t);

// Where a guarded block lies.
struct Place {
  void* mapped;
  std::size_t mapped_bytes, bytes;
};

bool is_guarded = false;
std::map<void*, Place>& places() {
  static std::map<void*, Place> all;
  return all;
}

// Zero all over, but for what the alignment leaves behind it.
void* take_guarded(std::size_t bytes) {
  const std::size_t aligned = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const std::size_t used = (aligned + kPageBytes - 1) / kPageBytes * kPageBytes;
  if (used < bytes) return nullptr;
  const std::size_t all = used + kGuardBytes;
  void* const mapped = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  if (used != 0 && mprotect(mapped, used, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapped, all);
    return nullptr;
  }
  void* const block = static_cast<char*>(mapped) + (used - aligned);
  places()[block] = {mapped, all, bytes};
  return block;
}

}  // namespace

// The blocks are those of a library of C.
// NOLINTBEGIN(cppcoreguidelines-owning-memory,cppcoreguidelines-no-malloc)
void guard_memory() { is_guarded = true; }

void* reader_malloc(std::size_t bytes) {
  if (!is_guarded) return std::malloc(bytes);
  void* const block = take_guarded(bytes);
  // What is read before it was written is nothing by chance.
  constexpr int kJunk = 0xa5;
  if (block != nullptr) std::memset(block, kJunk, bytes);
  return block;
}

void* reader_calloc(std::size_t count, std::size_t bytes) {
  if (!is_guarded) return std::calloc(count, bytes);
  return bytes != 0 && count > SIZE_MAX / 2 / bytes ? nullptr : take_guarded(count * bytes);
}

void* reader_realloc(void* block, std::size_t bytes) {
  const auto found = places().find(block);
  if (found == places().end() && (block != nullptr || !is_guarded)) {
    return std::realloc(block, bytes);
  }
  void* const moved = reader_malloc(bytes);
  if (moved != nullptr && block != nullptr) {
    std::memcpy(moved, block, std::min(bytes, found->second.bytes));
    reader_free(block);
  }
  return moved;
}

void reader_free(void* block) {
  const auto found = places().find(block);
  if (found == places().end()) return std::free(block);
  munmap(found->second.mapped, found->second.mapped_bytes);
  places().erase(found);
}

char* reader_strdup(const char* text) {
  const std::size_t bytes = std::strlen(text) + 1;
  void* const copy = reader_malloc(bytes);
  return copy == nullptr ? nullptr : static_cast<char*>(std::memcpy(copy, text, bytes));
}
// NOLINTEND(cppcoreguidelines-owning-memory,cppcoreguidelines-no-malloc)

}  // namespace torusmu
