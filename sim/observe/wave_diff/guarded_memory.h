// SPDX-License-Identifier: Apache-2.0
// The memory of the reader of FST, which trusts the places that a trace names. Once guarded, each
// block ends where memory ends: whoever writes past it does not come back.
#ifndef TORUSMU_SIM_OBSERVE_WAVE_DIFF_GUARDED_MEMORY_H_
#define TORUSMU_SIM_OBSERVE_WAVE_DIFF_GUARDED_MEMORY_H_

#include <cstddef>

namespace torusmu {

/// What the functions below give out from now on is guarded, in this process.
void guard_memory();

/// Each block has so much behind it that cannot be touched, bytes.
inline constexpr std::size_t kGuardBytes = std::size_t{1} << 24;

/// As the functions of C of those names.
void* reader_malloc(std::size_t bytes);
void* reader_calloc(std::size_t count, std::size_t bytes);
void* reader_realloc(void* block, std::size_t bytes);
void reader_free(void* block);
char* reader_strdup(const char* text);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_WAVE_DIFF_GUARDED_MEMORY_H_
