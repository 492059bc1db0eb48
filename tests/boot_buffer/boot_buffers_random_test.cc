// SPDX-License-Identifier: Apache-2.0
// model: Vmu_boot_buffers mu_boot_buffers
// bgp:
// Boot buffers whose sides all come at once, and from any count.

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_boot_buffers/Vmu_boot_buffers___024root.h"
#include "tests/support/boot_buffers_bench.h"
#include "tests/support/old_count.h"
#include "tests/support/written_inside.h"

TORUSMU_WRITTEN_INSIDE(Vmu_boot_buffers)

namespace torusmu::testing {
namespace {

TEST_F(BootBuffers, FollowAModelWhenAllSidesComeAtOnce) {
  SCOPED_TRACE(random.replay());
  unsigned stored = 0, refused = 0, moved = 0, cut = 0;
  for (unsigned round = 0; round < 1000 * kClients; ++round) {
    const auto client = static_cast<unsigned>(random.below(kClients));
    const auto fifo = static_cast<unsigned>(random.below(kClients + 2));
    const auto kind = random.below(100);
    if (kind < 55) {
      if (drains()) {
        ASSERT_TRUE(shows());
        end_shown(random.chance(80) ? 1 : 0.5, 70);
        if (HasFatalFailure()) return;
        ++moved;
      } else if (model[client].open) {
        while (block->hides_o) step();
        if (!begin(client, random.chance(50) ? 512 : random.below(513))) {
          ++refused;
          continue;
        }
        ++stored;
        while (!feed(random.chance(80))) {
        }
      }
    } else if (kind < 75) {
      if (!model[client].open || model[client].fifo == fifo) {
        cut += model[client].draining ? 1 : 0;
        open(client, fifo);
      }
    } else if (kind < 90) {
      start(client, random.chance(70) ? model[client].fifo : fifo);
    } else if (kind < 95) {
      for (auto i = random.below(8); i > 0; --i) step();
    } else {
      judge();
    }
    // A buffer with nothing in it drains no more after some cycles.
    for (Buffer& buffer : model) buffer.draining = buffer.draining && !buffer.packets.empty();
    if (!drains()) {
      for (unsigned i = 0; i < kClients; ++i) step();
    }
  }
  take_all();
  judge();
  EXPECT_GT(stored, 500U);
  EXPECT_GT(refused, 0U);
  EXPECT_GT(moved, 200U);
  EXPECT_GT(cut, 5U);
}

// As if packets had gone through them for long: counts are any, or about to carry far.
TEST_F(BootBuffers, GoOnFromAnyCount) {
  SCOPED_TRACE(random.replay());
  for (unsigned round = 0; round < 40; ++round) {
    for (unsigned client = 0; client < kClients; ++client) {
      open(client, client);
      Buffer& buffer = model[client];
      buffer.head = old_count(random);
      buffer.tail = buffer.head;
      // To the top, or each bit short of it.
      buffer.refused =
          round <= 32 ? static_cast<std::uint32_t>(~(1ULL << round)) : old_count(random);
      Bytes row(16);
      put_bits(row, 0, 32, buffer.head);
      put_bits(row, 32, 32, buffer.tail);
      put_bits(row, 64, 32, buffer.refused);
      drive(block->rootp->mu_boot_buffers__DOT__u_pointers__DOT__rows[client], row);
    }
    settle_inside(block->rootp);
    step();
    const auto full = static_cast<unsigned>(random.below(kClients));
    const std::size_t most = random.chance(50) ? 512 : random.below(513);
    while (store(full, random.below(most + 1))) {
    }
    ASSERT_TRUE(store((full + 1) % kClients, random.below(513)));
    ASSERT_FALSE(store(full, 512));
    ASSERT_NO_FATAL_FAILURE(judge());
    for (unsigned i = 0; i < 80; ++i) {  // registers, and what differs from them in a bit
      const std::uint32_t bit = random.chance(50) ? 0 : 8U << random.below(17);
      const auto from = static_cast<unsigned>(random.below(kClients));
      const std::uint32_t offset = (b::head(from) + 8 * (i % 3) - b::kBase) ^ bit;
      const std::uint32_t address = (b::kBase + offset) & 0xfffffU;
      const auto values = registers_of(offset / b::kStride % kClients);
      const RegisterAnswer answer = bus.access(register_read(address));
      const bool known = offset / b::kStride < kClients && offset % b::kStride / 8 < 3;
      ASSERT_EQ(answer.status, known ? Status::kOk : Status::kRegisterUnknown);
      ASSERT_EQ(answer.data, known ? values[offset % b::kStride / 8] : 0);
    }
    for (unsigned client = 0; client < kClients; ++client) start(client, client);
    ASSERT_NO_FATAL_FAILURE(take_all());
    ASSERT_NO_FATAL_FAILURE(judge());
  }
}

}  // namespace
}  // namespace torusmu::testing
