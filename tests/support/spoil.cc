// SPDX-License-Identifier: Apache-2.0
#include "tests/support/spoil.h"

#include <array>

#include "tests/support/opcodes.h"
#include "tests/support/random_places.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
using namespace random_places;  // NOLINT(google-build-using-namespace)

// Of numbers of counters that nobody opens.
std::uint32_t any(Rng& random) { return static_cast<std::uint32_t>(random.below(208)); }

}  // namespace

void spoil(Descriptor& descriptor, std::uint32_t client, const Numbers& numbers, Rng& random) {
  // Reserved, of a field that other opcodes have, or for the MU alone to set.
  constexpr std::array<unsigned, 16> kNotForSoftware{16,  23,  40,  47,  48,  63,  109, 127,
                                                     165, 167, 184, 191, 224, 255, 505, 511};
  const std::uint32_t other = client == 0 ? 1 : 0;
  PacketHeader image = descriptor.get<d::header>();
  switch (random.below(20)) {
    case 0: {
      const unsigned bit = kNotForSoftware[random.below(kNotForSoftware.size())];
      auto bytes = descriptor.bytes();
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | 1U << bit % 8);
      descriptor = Descriptor::from_bytes(bytes);
      return;
    }
    case 1:
      descriptor.set<d::opcode>(
          static_cast<Opcode>(kOpcodes + random.below(kOpcodeNumbers - kOpcodes)));
      return;
    case 2:
      descriptor.set<d::length>(0);
      return;
    case 3:
      descriptor.set<d::length>((Bytes{1} << 37) - 1 - random.below(100));
      return;
    case 4:
      descriptor.set<d::source_region>(random.below(2) == 0 ? numbers.no_region()
                                                            : 64 + random.below(192));
      return;
    case 5:
      descriptor.set<d::source_region>(numbers.region_of(other, kSource).value);
      return;
    case 6:
      descriptor.set<d::source_offset>(kSourceBytes - random.below(3));
      return;
    case 7:
      descriptor.set<d::source_offset>((Bytes{1} << 37) - 1 - random.below(100));
      return;
    case 8:
      descriptor.set<d::source_region>(numbers.nowhere_of(client).value)
          .set<d::source_offset>(random.below(100));
      return;
    case 9:
      image.set<h::target>(random.below(2) == 0 ? numbers.no_region() : 64 + random.below(192));
      break;
    case 10:
      image.set<h::offset>(kTargetBytes - descriptor.get<d::length>() + 1);
      break;
    case 11:
      image.set<h::offset>((Bytes{1} << 37) - 1 - random.below(600));
      break;
    case 12:
      image.set<h::dst_x>(15 - random.below(3));
      break;
    case 13:
      image.set<h::client>(1 + random.below(15)).set<h::src_y>(random.below(16));
      break;
    case 14:
      image.set<h::kind>(static_cast<Kind>(1 + random.below(6)));
      break;
    case 15:
      image.set<h::bytes>(1 + random.below(1000));
      break;
    case 16:
      image.set<h::reply>(random.below(2)).set<h::on_behalf>(1);
      break;
    case 17:
      descriptor.set<d::counter_valid>(1).set<d::counter>(numbers.no_counter(any(random)));
      return;
    case 18:
      descriptor.set<d::event_valid>(1).set<d::event_counter>(numbers.no_event(any(random)));
      return;
    default:
      descriptor.set<d::injection_counter_valid>(1).set<d::injection_counter>(
          numbers.no_counter(any(random)));
      return;
  }
  descriptor.set<d::header>(image);
}

}  // namespace torusmu::testing
