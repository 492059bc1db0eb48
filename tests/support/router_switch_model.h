// SPDX-License-Identifier: Apache-2.0
// What mu_router_switch should do in a cycle, written with loops over inputs and outputs instead of
// masks.

#ifndef TESTS_SUPPORT_ROUTER_SWITCH_MODEL_H_
#define TESTS_SUPPORT_ROUTER_SWITCH_MODEL_H_

#include <array>
#include <cstdint>
#include <optional>

namespace torusmu::testing {

inline constexpr unsigned kPorts = 7;
inline constexpr unsigned kLocal = 6;

inline bool bit(std::uint64_t word, unsigned i) { return (word >> i & 1) != 0; }

struct RouterSwitchModel {
  std::array<std::optional<unsigned>, kPorts> owner;  // of each output
  std::array<unsigned, kPorts> last_winner;
  std::array<bool, kPorts> fresh{};

  // What comes in.
  std::array<std::optional<unsigned>, kPorts> wish;  // of each input
  unsigned valid = 0, tail = 0, open = 0, any = 0, spare = 0, two = 0, starved = 0;
  // What goes out.
  unsigned send = 0, pop = 0, last = 0, first = 0;
  unsigned stall = 0;                                   // in the cycle before
  std::array<std::optional<unsigned>, kPorts> granted;  // input that each output is granted to

  RouterSwitchModel() { last_winner.fill(kPorts - 1); }

  void settle() {
    send = pop = last = first = waits = 0;
    granted = {};
    std::array<bool, kPorts> sending{};
    for (unsigned o = 0; o < kPorts; ++o) {
      first |= (fresh[o] ? 1U : 0U) << o;
      if (!owner[o]) continue;
      sending[*owner[o]] = true;
      if (!bit(open, o) || !bit(valid, *owner[o])) continue;
      send |= 1U << o;
      pop |= 1U << *owner[o];
      if (bit(tail, *owner[o])) last |= 1U << o;
    }
    const auto may_ask = [&](unsigned i) {
      return wish[i] && (!sending[i] || (bit(pop, i) && bit(tail, i)));
    };
    for (unsigned o = 0; o < kPorts; ++o) {
      if (owner[o] && !bit(last, o)) continue;
      for (unsigned k = 1; k <= kPorts && !granted[o]; ++k) {
        const unsigned i = (last_winner[o] + k) % kPorts;
        if (!may_ask(i) || wish[i] != o) continue;
        const bool allowed = o == kLocal || bit(two, o) || (bit(any, o) && i == (o ^ 1)) ||
                             (bit(spare, o) && bit(starved, i));
        if (allowed) granted[o] = i;
      }
    }
    for (unsigned i = 0; i < kPorts; ++i) {
      if (may_ask(i) && granted[*wish[i]] != i) waits |= 1U << *wish[i];
    }
  }
  void tick() {
    stall = waits;
    for (unsigned o = 0; o < kPorts; ++o) {
      if (bit(last, o)) owner[o].reset();
      if (bit(send, o)) fresh[o] = false;
      if (!granted[o]) continue;
      owner[o] = granted[o];
      last_winner[o] = *granted[o];
      fresh[o] = true;
    }
  }

 private:
  unsigned waits = 0;  // outputs for which a head waits now
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_ROUTER_SWITCH_MODEL_H_
