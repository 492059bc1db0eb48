// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "Vmu_queue_reservation.h"
#include "tests/support/clocked.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using RingSlots = Record<layout::ring_slots::Layout>;
namespace s = layout::ring_slots;

TEST(QueueReservation, GrantsByModeOwnerAndRoom) {
  Clocked<Vmu_queue_reservation> dut;
  dut->base_i = 0x123456789A;
  dut->size_i = 77;
  dut->position_i = 41;
  for (unsigned mode = 0; mode <= 4; ++mode) {
    for (unsigned bits = 0; bits < 32; ++bits) {
      const bool push = bits & 1, reflected = bits & 2, known = bits & 4, accept = bits & 8;
      const bool own = bits & 16;
      dut->setup_i = static_cast<std::uint8_t>(mode | 2U << 3);
      dut->get_i = !push;
      dut->push_i = push;
      dut->reflected_i = reflected;
      dut->client_i = own ? 2 : 3;
      dut->known_i = known;
      dut->accept_i = accept;
      dut.settle();
      const unsigned wanted_mode = push ? 2 : reflected ? 4 : 3;
      Status wanted = Status::kOk;
      if (!known || mode != wanted_mode) {
        wanted = Status::kQueueInvalid;
      } else if (push && !own) {
        wanted = Status::kDoorbellOwner;
      }
      EXPECT_EQ(dut->reserve_o, wanted == Status::kOk) << "mode " << mode << " bits " << bits;
      if (wanted == Status::kOk && !accept) wanted = Status::kQueueFull;
      dut.tick();
      dut->get_i = dut->push_i = 0;
      dut.settle();
      EXPECT_EQ(dut->get_slots_valid_o, !push);
      EXPECT_EQ(dut->push_slots_valid_o, push);
      EXPECT_TRUE(dut->busy_o);
      EXPECT_EQ(sample_record<RingSlots>(push ? dut->push_slots_o : dut->get_slots_o),
                RingSlots()
                    .set<s::status>(wanted)
                    .set<s::base>(0x123456789A)
                    .set<s::size>(77)
                    .set<s::position>(41));
      dut.tick();
      EXPECT_FALSE(dut->busy_o);
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
