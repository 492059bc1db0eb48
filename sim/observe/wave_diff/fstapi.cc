// SPDX-License-Identifier: Apache-2.0
// The reader and writer of FST that comes with Verilator; in torusmu-wave with Verilator's own part
// of the writer. It calls the system through the functions here, which see what it ignores.
#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sim/observe/wave_diff/guarded_memory.h"
#include "sim/observe/wave_writing.h"

#ifdef TORUSMU_WAVE
// All that the writer includes, before names of the C library are taken from it.
#include <verilated.h>
#include <verilated_fst_c.h>
#endif

namespace {

template <typename Answer>
Answer noted(Answer answer, bool good) {
  if (!good) torusmu::note_wave_error(errno);
  return answer;
}

std::size_t noted_fwrite(const void* data, std::size_t size, std::size_t count, std::FILE* file) {
  const std::size_t done = std::fwrite(data, size, count, file);
  return noted(done, done == count || size == 0);
}
int noted_fputc(int byte, std::FILE* file) {
  const int answer = std::fputc(byte, file);
  return noted(answer, answer != EOF);
}
int noted_fflush(std::FILE* file) {
  const int answer = std::fflush(file);
  return noted(answer, answer == 0);
}
// Writes what is kept back before it moves.
int noted_fseeko(std::FILE* file, off_t offset, int whence) {
  const int answer = fseeko(file, offset, whence);
  return noted(answer, answer == 0);
}
int noted_ftruncate(int file, off_t length) {
  const int answer = ftruncate(file, length);
  return noted(answer, answer == 0);
}
// The files are those of C.
// NOLINTBEGIN(cppcoreguidelines-owning-memory)
int noted_fclose(std::FILE* file) {
  const int answer = std::fclose(file);
  return noted(answer, answer == 0);
}
std::FILE* noted_tmpfile() {
  std::FILE* const file = std::tmpfile();
  return noted(file, file != nullptr);
}
// NOLINTEND(cppcoreguidelines-owning-memory)

}  // namespace

#define fwrite(data, size, count, file) noted_fwrite(data, size, count, file)
#define fputc(byte, file) noted_fputc(byte, file)
#define fflush(file) noted_fflush(file)
#define fclose(file) noted_fclose(file)
#define fseeko(file, offset, whence) noted_fseeko(file, offset, whence)
#define ftruncate(file, length) noted_ftruncate(file, length)
#define tmpfile() noted_tmpfile()
#define malloc(bytes) torusmu::reader_malloc(bytes)
#define calloc(count, bytes) torusmu::reader_calloc(count, bytes)
#define realloc(block, bytes) torusmu::reader_realloc(block, bytes)
#define free(block) torusmu::reader_free(block)
#define strdup(text) torusmu::reader_strdup(text)

// NOLINTBEGIN(bugprone-suspicious-include)
#ifdef TORUSMU_WAVE
#include <verilated_fst_c.cpp>
#else
#define HAVE_LIBPTHREAD
#define FST_CONFIG_INCLUDE "fst_config.h"
#include <gtkwave/fastlz.c>
#include <gtkwave/fstapi.c>
#include <gtkwave/lz4.c>
#endif
// NOLINTEND(bugprone-suspicious-include)
