// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/wave_diff/fst_guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>

#include "sim/machine/errors.h"
#include "sim/observe/wave_diff/fst_file.h"
#include "sim/observe/wave_diff/guarded_memory.h"

namespace torusmu {
namespace {

constexpr int kGood = 0, kDamaged = 1, kRefused = 2;

void limit(__rlimit_resource what, rlim_t most) {
  const rlimit both{.rlim_cur = most, .rlim_max = most};
  // A limit that the user has set lower stays.
  (void)setrlimit(what, &both);
}

// A good trace needs a tenth of this at most.
void limit_to_need(std::uint64_t unpacked_bytes) {
  constexpr rlim_t kLeastSeconds = 4, kBytesPerSecond = 4'000'000;
  constexpr rlim_t kMostBlocks = 256;  // at a time, with what guards each
  constexpr rlim_t kLeastMemory = (rlim_t{1} << 30) + kMostBlocks * kGuardBytes;
  constexpr rlim_t kMemoryPerByte = 32;
  // What a damaged length asks for is more than any file here has.
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
  const rlim_t bytes = std::min(unpacked_bytes, kMostBytes);
  limit(RLIMIT_CPU, kLeastSeconds + bytes / kBytesPerSecond);
  limit(RLIMIT_AS, kLeastMemory + bytes * kMemoryPerByte);
  limit(RLIMIT_CORE, 0);
}

// Hardware without X and Z, and time that only rises within what the header says.
bool has_plausible_changes(FstFile& file) {
  std::vector<std::uint32_t> handles;
  handles.reserve(file.signals().size());
  for (const FstFile::Signal& signal : file.signals()) handles.push_back(signal.handle);
  bool is_plausible = true;
  std::uint64_t before = file.start();
  file.changes(handles, [&](std::uint64_t time, std::uint32_t, std::string_view value) {
    unsigned other_bits = 0;
    for (const char bit : value) other_bits |= static_cast<unsigned char>(bit ^ '0') & ~1U;
    is_plausible = is_plausible && other_bits == 0 && time >= before && time <= file.end();
    before = time;
  });
  return is_plausible;
}

// What FstFile says against the file goes to `reason`: here it has come to it, and need not in
// another process.
int verdict_on(const std::string& path, int reason) {
  try {
    FstFile file(path);
    return has_plausible_changes(file) ? kGood : kDamaged;
  } catch (const UsageError& error) {
    const std::string_view text = error.what();
    const ssize_t written = write(reason, text.data(), text.size());
    return written == static_cast<ssize_t>(text.size()) ? kRefused : kDamaged;
  } catch (const std::exception&) {
    return kDamaged;
  }
}

// In the new process.
[[noreturn]] void read_alone(const std::string& path, std::uint64_t unpacked_bytes, int reason) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing >= 0) {
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
  }
  // What is read before it was written differs from what this process would find by chance.
  constexpr int kJunk = 0x5a;
  mallopt(M_PERTURB, kJunk);
  limit_to_need(unpacked_bytes);
  guard_memory();
  _exit(verdict_on(path, reason));
}

// A process that reads one file.
class Reader {
 public:
  Reader(const std::string& file, std::uint64_t unpacked_bytes) : file_(file) {
    std::array<int, 2> pipe{};
    const bool has_pipe = pipe2(pipe.data(), O_CLOEXEC) == 0;
    process_ = has_pipe ? fork() : -1;
    if (process_ < 0) {
      throw UsageError(fmt::format("no process to read {}: {}", file, std::strerror(errno)));
    }
    if (process_ == 0) read_alone(file, unpacked_bytes, pipe[1]);
    close(pipe[1]);
    reason_ = pipe[0];
  }

  // Waits for its end. Throws UsageError if that was no good one.
  void require_good_end() const {
    std::string reason;
    std::array<char, 256> part{};
    for (ssize_t bytes = 0; (bytes = read(reason_, part.data(), part.size())) > 0;) {
      reason.append(part.data(), static_cast<std::size_t>(bytes));
    }
    close(reason_);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
    const int verdict = WIFEXITED(status) ? WEXITSTATUS(status) : kDamaged;
    if (verdict == kRefused) throw UsageError(reason);
    if (verdict != kGood) throw UsageError(file_ + " is damaged: it cannot be read as FST");
  }

 private:
  std::string file_;
  pid_t process_ = -1;
  int reason_ = -1;
};

}  // namespace

void require_undamaged(const std::vector<std::string>& files) {
  // Nobody is told of the end of a child if that is ignored, as a parent may have left it.
  std::signal(SIGCHLD, SIG_DFL);
  std::vector<Reader> readers;
  for (const std::string& file : files) {
    if (const auto unpacked_bytes = FstFile::unpacked_bytes(file)) {
      readers.emplace_back(file, *unpacked_bytes);
    }
  }
  for (const Reader& reader : readers) reader.require_good_end();
}

}  // namespace torusmu
