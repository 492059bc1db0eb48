// SPDX-License-Identifier: Apache-2.0
// Where the header of a packet leads in a machine of any size.

#ifndef TESTS_SUPPORT_ROUTER_WAYS_H_
#define TESTS_SUPPORT_ROUTER_WAYS_H_

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"

namespace torusmu::testing {

inline constexpr unsigned kLocalOutput = 6;

// The output in one dimension: its plus port, one more for minus, or none.
inline int way(unsigned own, unsigned dst, unsigned last, bool torus, bool odd) {
  if (own == dst) return -1;
  if (!torus) return dst > own ? 0 : 1;
  const unsigned plus = dst > own ? dst - own : dst + last + 1 - own;
  const unsigned minus = last + 1 - plus;
  return plus < minus || (plus == minus && !odd) ? 0 : 1;
}

// A node, and the machine around it.
struct RouterPlace {
  std::array<unsigned, 3> own{}, last{};
  unsigned torus = 0;  // a bit a dimension

  // The output for the packet whose header begins with `word`: 0 x+ to 5 z-, 6 local.
  [[nodiscard]] unsigned output_of(std::uint32_t word) const {
    const bool odd = ((word >> 12 ^ word >> 16 ^ word >> 20) & 1) != 0;
    for (unsigned d = 0; d < 3; ++d)
      if ((word >> 4 * d & 15) > last[d]) return kLocalOutput;
    for (unsigned d = 0; d < 3; ++d) {
      const int port = way(own[d], word >> 4 * d & 15, last[d], (torus >> d & 1) != 0, odd);
      if (port >= 0) return 2 * d + static_cast<unsigned>(port);
    }
    return kLocalOutput;
  }
  // One to any node from any; often only one coordinate is not that of this node.
  [[nodiscard]] std::uint32_t any_header(Random& random) const {
    std::uint32_t word = static_cast<std::uint32_t>(random.bits64()) & ~0xFFFU;
    const bool near = random.chance(60);
    const std::uint64_t other = random.below(3);
    for (unsigned d = 0; d < 3; ++d) {
      const bool same = near && d != other;
      word |= (same ? own[d] : static_cast<unsigned>(random.below(last[d] + 1))) << 4 * d;
    }
    return word;
  }
  template <typename Router>
  void drive(Router& router) const {
    router->straps_i = Straps{own[0], own[1], own[2], last[0], last[1], last[2], torus}.word();
  }
};

inline RouterPlace any_place(Random& random) {
  RouterPlace place;
  for (unsigned d = 0; d < 3; ++d) {
    place.last[d] = static_cast<unsigned>(random.below(16));
    place.own[d] = static_cast<unsigned>(random.below(place.last[d] + 1));
  }
  place.torus = static_cast<unsigned>(random.below(8));
  return place;
}

// An input of the router names the output that its packet wants. `drive(router, comes, word)`: the
// head of a packet whose header begins with `word` comes, or it has been stored and is loaded.
template <typename Router, typename Drive>
void expect_output_of_any_header(Drive drive) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Router> router(random.seed());
  for (int i = 0; i < 2000; ++i) {
    const RouterPlace place = any_place(random);
    const std::uint32_t word = place.any_header(random);
    place.drive(router);
    drive(*router.operator->(), true, word);
    router.tick();
    drive(*router.operator->(), false, word);
    router.settle();
    ASSERT_EQ(router->port_o, 1U << place.output_of(word)) << "header " << word;
    router.tick();
  }
}

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_ROUTER_WAYS_H_
