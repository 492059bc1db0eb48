// SPDX-License-Identifier: Apache-2.0
// Ports with a bit for each queue, or with 8 for each client: as many bits in either profile.

#ifndef TESTS_SUPPORT_PORT_BITS_H_
#define TESTS_SUPPORT_PORT_BITS_H_

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sim/machine/profile.h"
#include "tests/support/seed.h"

namespace torusmu::testing {

using PortBits = std::bitset<kProfile.injection_queues>;
static_assert(kProfile.injection_queues == 8 * kProfile.clients);

template <typename Port>
PortBits bits_of(const Port& port) {
  if constexpr (std::is_integral_v<Port>) {
    return PortBits(port);
  } else {
    PortBits bits;
    for (std::size_t i = sizeof(Port) / 4; i > 0; --i) bits = bits << 32 | PortBits(port[i - 1]);
    return bits;
  }
}
template <typename Port>
void drive_bits(Port& port, const PortBits& bits) {
  if constexpr (std::is_integral_v<Port>) {
    port = static_cast<Port>(bits.to_ullong());
  } else {
    const PortBits word(0xFFFFFFFFU);
    for (std::size_t i = 0; i < sizeof(Port) / 4; ++i)
      port[i] = static_cast<std::uint32_t>((bits >> 32 * i & word).to_ulong());
  }
}
inline PortBits bit(unsigned number) { return PortBits(1) << number; }
inline PortBits any_bits(Random& random) {
  return PortBits(random.bits64()) << 64 | PortBits(random.bits64());
}
// Causes, bits of a byte, as those of this client.
inline PortBits causes_of_client(unsigned client, std::uint32_t causes) {
  return PortBits(causes) << 8 * client;
}

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_PORT_BITS_H_
