// SPDX-License-Identifier: Apache-2.0
// A JTAG adapter for tests: moves TCK, TMS and TDI of a model or of a chain of them.
//
//   JtagProbe probe([&](bool tck, bool tms, bool tdi) { ... }, [&] { chain.tick(); }, [&] { return
//   ...; }); probe.reset(); probe.scan_instruction(bits), probe.scan_data(bits)   // what comes out
//   at TDO, first bit first

#ifndef TESTS_DEBUG_JTAG_PROBE_H_
#define TESTS_DEBUG_JTAG_PROBE_H_

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "torusmu/layout.h"

namespace torusmu::testing {

using Bits = std::vector<bool>;

// The lowest `width` bits of `value`, bit 0 first.
inline Bits bits_of_value(std::uint64_t value, unsigned width) {
  Bits bits(width);
  for (unsigned i = 0; i < width; ++i) bits[i] = (value >> i & 1U) != 0;
  return bits;
}
inline std::uint64_t value_of(const Bits& bits, std::size_t first = 0, std::size_t width = 64) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width && first + i < bits.size(); ++i) {
    if (bits[first + i]) value |= std::uint64_t{1} << i;
  }
  return value;
}

using TapAccess = Record<layout::tap_access::Layout>;
using TapResult = Record<layout::tap_result::Layout>;

inline Bits bits_of_access(TapOperation operation, std::uint32_t address, std::uint64_t data) {
  const TapAccess access = TapAccess()
                               .set<layout::tap_access::operation>(operation)
                               .set<layout::tap_access::address>(address)
                               .set<layout::tap_access::data>(data);
  Bits bits = bits_of_value(access.words()[0], 64);
  const Bits rest = bits_of_value(access.words()[1], TapAccess::kBits - 64);
  bits.insert(bits.end(), rest.begin(), rest.end());
  return bits;
}
struct AccessResult {
  TapAnswer answer;
  std::uint32_t address;
  std::uint64_t data;
  bool operator==(const AccessResult&) const = default;
};
inline AccessResult result_of(const Bits& bits, std::size_t first = 0) {
  const auto at = [&](unsigned lsb, unsigned width) { return value_of(bits, first + lsb, width); };
  namespace result = layout::tap_result;
  return {static_cast<TapAnswer>(at(result::answer.lsb, result::answer.width)),
          static_cast<std::uint32_t>(at(result::address.lsb, result::address.width)),
          at(result::data.lsb, result::data.width)};
}

class JtagProbe {
 public:
  using Pins = std::function<void(bool tck, bool tms, bool tdi)>;

  JtagProbe(Pins pins, std::function<void()> tick, std::function<bool()> tdo)
      : pins_(std::move(pins)), tick_(std::move(tick)), tdo_(std::move(tdo)) {}

  // Cycles of the model for which TCK is low, and high.
  void set_pace(unsigned low, unsigned high) {
    low_ = low;
    high_ = high;
  }
  // A falling and a rising edge of TCK; what TDO is at the rising one. Throws if it changes before
  // the next falling one.
  bool clock(bool tms, bool tdi) {
    pins_(false, tms, tdi);
    for (unsigned i = 0; i < low_; ++i) tick_();
    const bool tdo = tdo_();
    pins_(true, tms, tdi);
    for (unsigned i = 0; i < high_; ++i) {
      tick_();
      if (tdo_() != tdo) throw std::runtime_error("TDO changes while TCK is high");
    }
    ++clocks_;
    return tdo;
  }
  std::uint64_t clocks() const { return clocks_; }
  void walk(const Bits& tms) {
    for (const bool level : tms) clock(level, false);
  }
  // To RUN_TEST_IDLE, by way of TEST_LOGIC_RESET.
  void reset() { walk({true, true, true, true, true, false}); }
  // From RUN_TEST_IDLE and back to it.
  Bits scan_instruction(const Bits& in) {
    walk({true, true, false, false});
    return shift(in);
  }
  Bits scan_data(const Bits& in) {
    walk({true, false, false});
    return shift(in);
  }

 private:
  Bits shift(const Bits& in) {
    Bits out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = clock(i + 1 == in.size(), in[i]);
    walk({true, false});
    return out;
  }

  Pins pins_;
  std::function<void()> tick_;
  std::function<bool()> tdo_;
  unsigned low_ = 3;
  unsigned high_ = 3;
  std::uint64_t clocks_ = 0;
};

}  // namespace torusmu::testing

#endif  // TESTS_DEBUG_JTAG_PROBE_H_
