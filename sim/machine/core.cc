// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/core.h"

#include <cxxabi.h>

#include <algorithm>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace torusmu {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kStackBytes = 1 << 20;  // red zones make frames several times larger
#else
constexpr std::size_t kStackBytes = 256 << 10;  // only the pages in use take memory
#endif
// Posted writes that a core may have on their way; one more waits.
constexpr unsigned kWriteBuffer = 8;
// A program that looks at the clock this often without spending time would never end.
constexpr std::uint64_t kMostIdleLooks = 1'000'000;

// Thrown into a suspended program that is abandoned.
struct Cancelled {};

// Swaps the calling thread's list of caught exceptions with `saved`, so that a program may suspend
// inside a catch block while others throw, and go on in another thread.
void swap_exceptions(std::array<std::byte, 16>& saved) {
  void* globals = static_cast<void*>(abi::__cxa_get_globals());
  std::array<std::byte, 16> current{};
  std::memcpy(current.data(), globals, current.size());
  std::memcpy(globals, saved.data(), saved.size());
  saved = current;
}

std::uint64_t lines_of(Address address, Bytes bytes) {
  if (bytes == 0) return 0;
  return (address % NodeMemory::kLineBytes + bytes - 1) / NodeMemory::kLineBytes + 1;
}

}  // namespace

CoreCosts CoreCosts::with_mmio_halves(Cycles numerator) const {
  CoreCosts result = *this;
  result.mmio_write = std::max<Cycles>(1, mmio_write * numerator / 2);
  result.mmio_read = std::max<Cycles>(1, mmio_read * numerator / 2);
  return result;
}

Core::Core(NodeBackend& backend, const CoreCosts& costs, Program program, Cycles start,
           std::uint64_t seed)
    : backend_(backend),
      costs_(costs),
      random_(seed),
      program_(std::move(program)),
      next_wake_(start),
      now_(start) {
  boost::context::protected_fixedsize_stack allocator(kStackBytes);
  const boost::context::stack_context stack = allocator.allocate();
  stack_size_ = stack.size;
  stack_bottom_ = static_cast<const std::byte*>(stack.sp) - stack.size;
  fiber_ = boost::context::fiber(std::allocator_arg,
                                 boost::context::preallocated(stack.sp, stack.size, stack),
                                 allocator, [this](boost::context::fiber&& caller) {
                                   caller_ = std::move(caller);
                                   finish_switch(nullptr, true);
                                   run_program();
                                   start_switch(nullptr, caller_bottom_, caller_size_);
                                   return std::move(caller_);
                                 });
}

Core::~Core() { abandon(); }

void Core::abandon() {
  if (!fiber_) return;
  cancelled_ = true;
  // A program that swallows the exception is asked again at its next call.
  while (fiber_) resume();
  state_ = State::kAbandoned;
  next_wake_ = kNever;
}

void Core::run_program() {
  try {
    if (!cancelled_) program_(*this);
    state_ = State::kDone;
  } catch (const Cancelled&) {
    state_ = State::kDone;
  } catch (const std::exception& error) {
    state_ = State::kFailed;
    failure_ = error.what();
  } catch (...) {
    state_ = State::kFailed;
    failure_ = "the program threw something that is no std::exception";
  }
  finished_at_ = now_;
  next_wake_ = kNever;
}

void Core::run_until(Cycles now) {
  while (next_wake_ <= now) {
    now_ = next_wake_;
    next_wake_ = kNever;
    idle_looks_ = 0;
    resume();
  }
}

void Core::resume() {
  swap_exceptions(exceptions_);
  void* fake_stack = nullptr;
  start_switch(&fake_stack, stack_bottom_, stack_size_);
  fiber_ = std::move(fiber_).resume();
  finish_switch(fake_stack, false);
  swap_exceptions(exceptions_);
}

void Core::suspend(Wait wait, Cycles wake) {
  if (gone()) return;
  wait_ = wait;
  next_wake_ = wake;
  start_switch(&fake_stack_, caller_bottom_, caller_size_);
  caller_ = std::move(caller_).resume();
  finish_switch(fake_stack_, true);
  wait_ = Wait::kTime;
  (void)gone();
}

bool Core::gone() const {
  // Destructors that run while Cancelled unwinds the program find a device that takes everything
  // and answers nothing: to throw again would end the process.
  if (cancelled_ && std::uncaught_exceptions() == 0) throw Cancelled{};
  return cancelled_;
}

void Core::start_switch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* bottom,
                        [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(fake_stack, bottom, size);
#endif
}

void Core::finish_switch([[maybe_unused]] void* fake_stack, [[maybe_unused]] bool remember_caller) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, remember_caller ? &caller_bottom_ : nullptr,
                                  remember_caller ? &caller_size_ : nullptr);
#endif
}

void Core::pass(Cycles cycles) {
  if (costs_.random_extra != 0) cycles += random_extra();
  if (cycles != 0) suspend(Wait::kTime, now_ + cycles);
}

// Uniform in a range that is halved 0 to 7 times: a few long delays among many short ones bring
// about more orders of events than delays of one size.
Cycles Core::random_extra() {
  constexpr std::uint64_t kHalvings = 8;
  return random_.below((costs_.random_extra >> random_.below(kHalvings)) + 1);
}

// --- registers ----------------------------------------------------------------------------------

void Core::write32(std::uint32_t address, std::uint32_t value) {
  write_register({.address = address, .data = value, .write = true, .wide = false});
}

void Core::write64(std::uint32_t address, std::uint64_t value) {
  write_register({.address = address, .data = value, .write = true, .wide = true});
}

std::uint32_t Core::read32(std::uint32_t address) {
  return static_cast<std::uint32_t>(
      read_register({.address = address, .data = 0, .write = false, .wide = false}));
}

std::uint64_t Core::read64(std::uint32_t address) {
  return read_register({.address = address, .data = 0, .write = false, .wide = true});
}

void Core::write_register(const RegisterAccess& access) {
  ++counts_.register_writes;
  last_read_key_ = 0;
  waited_address_ = access.address;
  pass(std::max<Cycles>(1, costs_.mmio_write));
  while (writes_in_flight_ == kWriteBuffer && !cancelled_) suspend(Wait::kWriteSlot, kNever);
  if (cancelled_) return;
  ++writes_in_flight_;
  backend_.start(*this, access, now_);
}

std::uint64_t Core::read_register(const RegisterAccess& access) {
  ++counts_.register_reads;
  count_poll(std::uint64_t{1} << 63 | access.address);
  waited_address_ = access.address;
  pass(std::max<Cycles>(1, costs_.mmio_read));
  if (cancelled_) return ~std::uint64_t{0};
  read_is_done_ = false;
  backend_.start(*this, access, now_);
  while (!read_is_done_ && !cancelled_) suspend(Wait::kRead, kNever);
  return cancelled_ ? ~std::uint64_t{0} : read_data_;
}

void Core::access_done(const RegisterAccess& access, std::uint64_t data, Cycles at) {
  if (cancelled_) return;  // the program that waited for it is gone
  if (access.write) {
    --writes_in_flight_;
    if (wait_ == Wait::kWriteSlot) next_wake_ = at;
  } else {
    read_is_done_ = true;
    read_data_ = access.wide ? data : data & 0xffffffffU;
    next_wake_ = at;
  }
}

// --- memory, time, interrupts
// ---------------------------------------------------------------------

void Core::store(Address address, std::span<const std::byte> data) {
  ++counts_.stores;
  last_read_key_ = 0;
  pass(lines_of(address, data.size()) * costs_.cached_line);
  if (cancelled_) return;
  backend_.memory().write(address, data);
  tell(address, data.size(), true);
}

void Core::load(Address address, std::span<std::byte> data) {
  ++counts_.loads;
  count_poll(address);
  const std::uint64_t lines = lines_of(address, data.size());
  if (cancelled_) return;
  const std::uint64_t stale = backend_.memory().take_mu_lines(address, data.size());
  pass((lines - stale) * costs_.cached_line + stale * costs_.mu_line);
  if (cancelled_) return;
  // What the MU wrote while this load waited is part of what it sees: those lines have been paid
  // for.
  backend_.memory().take_mu_lines(address, data.size());
  backend_.memory().read(address, data);
  tell(address, data.size(), false);
}

// Reports are posted, as writes of registers are: a core waits while too many are on their way.
void Core::tell(Address address, Bytes bytes, bool write) {
  backend_.accessed(address, bytes, write, now_);
  while (backend_.reports() > kWriteBuffer && !cancelled_) suspend(Wait::kTime, now_ + 1);
}

void Core::count_poll(std::uint64_t key) {
  // Address 0 of the memory is told from "no read yet" by the bit that no address has.
  const std::uint64_t tagged = key | std::uint64_t{1} << 62;
  if (tagged == last_read_key_) ++counts_.polls;
  last_read_key_ = tagged;
}

void Core::work(Work kind, std::uint64_t units) {
  pass(costs_.work.at(static_cast<std::size_t>(kind)) * units);
}

void Core::compute(Cycles cycles) { pass(cycles); }

Cycles Core::now() const {
  if (++idle_looks_ > kMostIdleLooks) {
    throw std::logic_error("the program looks at the clock for ever without spending time");
  }
  return now_;
}

bool Core::wait_interrupt(ClientId client, Cycles deadline) {
  waited_client_ = client;
  // One cycle at least, so that no loop around this call can stop time.
  pass(1);
  while (cancelled_ || !backend_.interrupt(client)) {
    if (now_ >= deadline || cancelled_) return false;
    suspend(Wait::kInterrupt, deadline);
  }
  ++counts_.interrupts;
  return true;
}

void Core::interrupts_changed(std::uint32_t lines, Cycles at) {
  if (wait_ == Wait::kInterrupt && (lines >> waited_client_.value & 1U) != 0) {
    next_wake_ = std::min(next_wake_, at);
  }
}

std::string Core::waiting_for() const {
  char hex[16];
  std::snprintf(hex, sizeof hex, "0x%05x", waited_address_);
  switch (wait_) {
    case Wait::kTime:
      return "cycle " + std::to_string(next_wake_);
    case Wait::kWriteSlot:
      return std::string("an earlier register write to be taken, before that to ") + hex;
    case Wait::kRead:
      return std::string("the answer to a read of register ") + hex;
    case Wait::kInterrupt:
      return "the interrupt line of client " + std::to_string(waited_client_.value);
  }
  return "nothing";
}

}  // namespace torusmu
