// SPDX-License-Identifier: Apache-2.0
#include "host/src/interrupt_line.h"

#include "torusmu/registers.h"

namespace torusmu {
namespace {

namespace page = registers::client_page;

constexpr std::uint64_t kEveryCause = 0xFF;
constexpr std::uint64_t kErrorCause = std::uint64_t{1} << static_cast<int>(Cause::kError);
constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};

}  // namespace

// Interrupt causes are sticky. The read makes sure that the clearing write has been done: what
// comes after it raises its cause again.
PollResult InterruptLine::clear() {
  const std::uint32_t cause = page::interrupt_cause(site_.client.value);
  const ClientShare::Hold turn = has_turn_ ? ClientShare::Hold() : share_.turn_to_sleep();
  const bool may_clear = (has_turn_ || turn.owns_lock()) && !share_.others_sleep(site_.context);
  if (may_clear) site_.device.write64(cause, kEveryCause);
  const std::uint64_t left = site_.device.read64(cause);
  if (may_clear) share_.tell_of_cleared_line(site_.context);
  if (left == kAllOnes) return liveness_.doubt();
  if ((left & kErrorCause) != 0) ++site_.counts.device_errors;
  return (left & kEveryCause) != 0 ? PollResult::kActivity : PollResult::kNothing;
}

bool InterruptLine::sample() {
  if (share_.take_cleared_line(site_.context)) return true;
  if (!is_high()) return false;
  polled_.poll_now(Source::kDmaEngine);
  return true;
}

// A line that is low need not be cleared; one that is high and has others to wake must not be yet.
bool InterruptLine::settle() {
  share_.take_cleared_line(site_.context);
  if (share_.contexts() > 1) {
    if (!is_high()) return true;
    if (share_.others_sleep(site_.context)) return false;
  }
  return polled_.answers(Source::kDmaEngine);
}

}  // namespace torusmu
