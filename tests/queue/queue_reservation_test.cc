// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "Vmu_queue_reservation.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using RingSlots = Record<layout::ring_slots::Layout>;
namespace s = layout::ring_slots;

TEST(QueueReservation, GrantsByModeOwnerAndRoom) {
  Clocked<Vmu_queue_reservation> dut;
  dut->base_i = 0x123456789A;
  dut->size_i = 64;
  dut->index_i = 5 * 64 + 41;
  for (unsigned mode = 0; mode < 8; ++mode) {
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
      dut->accept_i = !accept;
      dut.tick();
      dut->get_i = dut->push_i = 0;
      dut->accept_i = accept;
      dut.settle();
      EXPECT_FALSE(dut->get_slots_valid_o || dut->push_slots_valid_o);
      EXPECT_TRUE(dut->busy_o);
      dut.tick();
      EXPECT_EQ(dut->get_slots_valid_o, !push);
      EXPECT_EQ(dut->push_slots_valid_o, push);
      EXPECT_TRUE(dut->busy_o);
      EXPECT_EQ(sample_record<RingSlots>(dut->slots_o), RingSlots()
                                                            .set<s::status>(wanted)
                                                            .set<s::base>(0x123456789A)
                                                            .set<s::size>(64)
                                                            .set<s::position>(41));
      dut.tick();
      EXPECT_FALSE(dut->busy_o);
    }
  }
}

TEST(QueueReservation, SaysWhereTheSlotsLieAndKeepsIt) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_queue_reservation> dut(random.seed());
  dut->known_i = 1;
  dut->accept_i = 1;
  for (int i = 0; i < 2000; ++i) {
    const bool push = random.chance(50);
    const std::uint32_t size = 1U << random.below(25);
    const auto index = static_cast<std::uint32_t>(random.below(1U << 24));
    const RingSlots slots = RingSlots()
                                .set<s::status>(Status::kOk)
                                .set<s::base>(random.bits64() >> 24)
                                .set<s::size>(size)
                                .set<s::position>(index % size);
    dut->setup_i = push ? 2 : 3;
    dut->get_i = !push;
    dut->push_i = push;
    dut->base_i = slots.get<s::base>();
    dut->size_i = size;
    dut->index_i = index;
    dut.tick();
    dut->get_i = dut->push_i = 0;
    dut->base_i = ~dut->base_i & 0xFFFFFFFFFF;
    dut->index_i = ~dut->index_i & 0xFFFFFF;
    dut.tick();
    ASSERT_EQ(sample_record<RingSlots>(dut->slots_o), slots);
    dut.tick();
  }
}

TEST(QueueReservation, ComparesAllBitsOfTheOwner) {
  Clocked<Vmu_queue_reservation> dut;
  dut->known_i = 1;
  dut->push_i = 1;
  dut->accept_i = 1;
  for (unsigned owner = 0; owner < 16; ++owner) {
    for (unsigned client = 0; client < 16; ++client) {
      dut->setup_i = static_cast<std::uint8_t>(2 | owner << 3);
      dut->client_i = static_cast<std::uint8_t>(client);
      dut.settle();
      EXPECT_EQ(dut->reserve_o, owner == client) << "owner " << owner << " client " << client;
    }
  }
}

TEST(QueueReservation, ForgetsInResetWhatWasAsked) {
  for (const bool push : {false, true}) {
    Clocked<Vmu_queue_reservation> dut;
    dut->get_i = !push;
    dut->push_i = push;
    dut->rst_ni = 0;
    dut.tick();
    EXPECT_FALSE(dut->get_slots_valid_o || dut->push_slots_valid_o || dut->busy_o);
    dut->rst_ni = 1;
    dut.tick();  // asked, and the reset begins in the cycle behind it
    dut->get_i = dut->push_i = 0;
    dut->rst_ni = 0;
    dut.tick();
    EXPECT_FALSE(dut->get_slots_valid_o || dut->push_slots_valid_o || dut->busy_o);
  }
}

}  // namespace
}  // namespace torusmu::testing
