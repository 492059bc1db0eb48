// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/wave_writing.h"

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string_view>
#include <utility>

#include "sim/machine/errors.h"

namespace torusmu {
namespace {

// A page of a file that has no place is all that a bus error tells of.
constexpr const char* kNoSpace = "no space left";

// AS-safe, unlike std::strerror.
const char* text_of(int reason) {
  const char* const text = reason == 0 ? kNoSpace : strerrordesc_np(reason);
  return text == nullptr ? kNoSpace : text;
}

std::atomic<int> first_error{0};
// What a bus error is about; it has no other way to know.
std::atomic<const WaveWriting*> under_way{nullptr};
static_assert(decltype(under_way)::is_always_lock_free &&
              decltype(first_error)::is_always_lock_free);

void say(std::string_view text) {
  // Nothing is left to do about what cannot be said.
  const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  (void)written;
}

}  // namespace

void note_wave_error(int reason) {
  int none = 0;
  first_error.compare_exchange_strong(none, reason);
}
int wave_error() { return first_error; }
void reset_wave_error() { first_error = 0; }

WaveWriting::WaveWriting(std::string file, const std::string& else_there)
    : file_(std::move(file)),
      hierarchy_(file_ + ".hier"),
      begin_("cannot write the wave file " + file_ + ", or what is kept for it in /tmp: "),
      end_(else_there.empty() ? "" : "; " + else_there) {
  reset_wave_error();
  under_way = this;
  struct sigaction action {};
  action.sa_sigaction = &on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &before_);
}

WaveWriting::~WaveWriting() {
  sigaction(SIGBUS, &before_, nullptr);
  under_way = nullptr;
}

// Only what a signal handler may call. There is no way back: the access would fail again.
void WaveWriting::on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  const WaveWriting* const self = under_way;
  if (self == nullptr || info->si_code != BUS_ADRERR) {
    std::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  say("torusmu: ");
  say(self->begin_);
  say(text_of(first_error));
  say(self->end_);
  say("\n");
  self->remove_files();
  constexpr int kUsageError = 2;
  _exit(kUsageError);
}

void WaveWriting::remove_files() const {
  unlink(file_.c_str());
  unlink(hierarchy_.c_str());
}

void WaveWriting::check() {
  if (first_error != 0 && !told_) fail();
}

void WaveWriting::fail() {
  told_ = true;
  remove_files();
  throw UsageError(begin_ + text_of(first_error) + end_);
}

}  // namespace torusmu
