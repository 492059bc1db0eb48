// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "Vmu_packet_buffer.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
namespace n = layout::injection_record;
using InjectionRecord = Record<n::Layout>;

// A SEND of which not all is in memory: its first slot may not leave before it is, or never.
enum class Hold { kNone, kReleased, kSpoiled, kSpoiledBefore };

// One slot as it is opened, and what must become of it.
struct Slot {
  Bytes header, trailer, payload;  // payload in whole flits
  std::uint64_t bytes = 0;
  bool memory = false;
  bool send = true;
  bool error = false;
  std::uint64_t tag = 0;
  Hold hold = Hold::kNone;
  std::uint64_t index = 0;
  std::size_t before = 0;  // flits
};

TEST(PacketBuffer, SendsCompleteSlotsInOrderAndDropsTheRestOfAFailedTag) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_packet_buffer> dut(random.seed());
  std::deque<Slot> fresh, filling;
  std::vector<Bytes> wanted;  // flits
  std::vector<std::uint64_t> wanted_walks;
  std::uint64_t tag = 0, index = 0;
  bool dropping = false;
  for (int descriptor = 0; descriptor < 200; ++descriptor) {
    tag = (tag + 1) % 8;
    dropping = false;
    const std::uint64_t packets = 1 + random.below(4);
    for (std::uint64_t packet = 0; packet != packets; ++packet) {
      Slot slot;
      if (packet == 0 && random.chance(40)) slot.hold = static_cast<Hold>(random.below(4));
      slot.memory = random.chance(60);
      slot.bytes = slot.memory ? 1 + random.below(512) : random.below(17);
      slot.send = random.chance(90);
      slot.error = slot.memory && random.chance(10);
      slot.tag = tag;
      slot.payload = random_bytes(random, (slot.bytes + 15) / 16 * 16);
      const auto header =
          PacketHeader::from_bytes(random_bytes(random, 16)).set<h::bytes>(slot.bytes);
      const auto bytes = header.bytes();
      slot.header.assign(bytes.begin(), bytes.end());
      slot.trailer = random_bytes(random, 16);
      slot.index = index;
      slot.before = wanted.size();
      dropping = dropping || slot.error || slot.hold >= Hold::kSpoiled;
      if (slot.send && !dropping) {
        wanted.push_back(slot.header);
        for (std::size_t at = 0; at < slot.payload.size(); at += 16) {
          wanted.emplace_back(slot.payload.begin() + static_cast<std::ptrdiff_t>(at),
                              slot.payload.begin() + static_cast<std::ptrdiff_t>(at + 16));
        }
        wanted.push_back(slot.trailer);
      }
      wanted_walks.push_back(index++);
      fresh.push_back(slot);
    }
  }
  std::uint64_t opened = 0;
  std::size_t beat = 0;
  std::vector<Bytes> got;
  std::vector<std::uint64_t> walks;
  bool tail_seen = true;
  Slot held;  // the last one that was
  held.index = wanted_walks.size();
  for (int cycle = 0; cycle < 200000 && (walks.size() < wanted_walks.size() || dut->busy_o);
       ++cycle) {
    dut->open_valid_i = !fresh.empty() && random.chance(60);
    if (!fresh.empty()) {
      const Slot& slot = fresh.front();
      drive(dut->open_header_i, slot.header);
      drive(dut->open_trailer_i, slot.trailer);
      drive(
          dut->open_payload_i, slot.memory ? Bytes(16) : [&] {
            Bytes flit = slot.payload;
            flit.resize(16);
            return flit;
          }());
      drive(dut->open_record_i,
            InjectionRecord().set<n::send>(slot.send).set<n::tag>(slot.tag).set<n::index>(
                static_cast<std::uint32_t>(opened)));
      dut->open_memory_i = slot.memory;
      dut->open_hold_i = slot.hold != Hold::kNone;
      if (dut->open_hold_i && held.index != slot.index) {
        if (dut->hold_i || dut->spoil_i) {
          dut->open_valid_i = 0;  // one at a time
        } else {
          held = slot;
          (slot.hold == Hold::kSpoiledBefore ? dut->spoil_i : dut->hold_i) = 1;
        }
      }
    }
    if (walks.size() > held.index && random.chance(20)) dut->spoil_i = 0;
    if (dut->hold_i && opened > held.index && random.chance(5)) {
      dut->hold_i = 0;
      dut->spoil_i = held.hold == Hold::kSpoiled;
    }
    dut->beat_valid_i = !filling.empty() && random.chance(50);
    if (dut->beat_valid_i) {
      const Slot& slot = filling.front();
      Bytes data(slot.payload.begin() + static_cast<std::ptrdiff_t>(beat * 32),
                 slot.payload.begin() +
                     static_cast<std::ptrdiff_t>(std::min(slot.payload.size(), beat * 32 + 32)));
      data.resize(32);
      drive(dut->beat_data_i, data);
      dut->beat_last_i = beat * 32 + 32 >= slot.payload.size();
      dut->beat_error_i = dut->beat_last_i && slot.error;
    }
    dut->flit_ready_i = random.chance(80);
    dut->walk_take_i = 0;
    dut.settle();
    dut->walk_take_i = dut->walk_valid_o && random.chance(60);
    dut.settle();
    if (dut->walk_take_i) {
      walks.push_back(sample_record<InjectionRecord>(dut->walk_record_o).get<n::index>());
    }
    if (dut->flit_valid_o && dut->flit_ready_i) {
      ASSERT_EQ(dut->flit_head_o != 0, tail_seen);
      tail_seen = dut->flit_tail_o;
      got.push_back(sample(dut->flit_data_o, 16));
    }
    if (dut->beat_valid_i) {
      ++beat;
      if (dut->beat_last_i) {
        filling.pop_front();
        beat = 0;
      }
    }
    if (dut->hold_i) {
      ASSERT_LE(got.size(), held.before);
      ASSERT_LE(walks.size(), held.index);
    }
    const bool open = dut->open_valid_i && dut->open_ready_o;
    dut.tick();
    if (!open) continue;
    if (fresh.front().memory) filling.push_back(fresh.front());
    fresh.pop_front();
    ++opened;
  }
  EXPECT_EQ(walks, wanted_walks);
  EXPECT_EQ(got.size(), wanted.size());
  EXPECT_EQ(got, wanted);
}

TEST(PacketBuffer, WalksEveryBitOfEachSlotAndRestsWhenAllIsGone) {
  Random random;
  SCOPED_TRACE(random.replay());
  struct Walked {
    InjectionRecord record;
    PacketHeader header;
    PacketTrailer trailer;
    bool memory = false, error = false;
    unsigned beats = 0;  // still to come
  };
  Clocked<Vmu_packet_buffer> dut(random.seed());
  std::deque<Walked> inside;
  unsigned rests = 0;
  for (int cycle = 0; cycle < 40000; ++cycle) {
    if (random.chance(1) && random.chance(20)) {
      dut->open_valid_i = dut->beat_valid_i = dut->walk_take_i = 0;
      dut.reset(1);
      inside.clear();
    }
    Walked next;
    const std::uint64_t bytes = random.below(17);
    next.memory = random.chance(50);
    next.beats = next.memory ? 1 : 0;
    next.record = InjectionRecord::from_bytes(random_bytes(random, InjectionRecord::kBytes));
    next.header = PacketHeader::from_bytes(random_bytes(random, 16)).set<h::bytes>(1 + bytes);
    next.trailer = PacketTrailer::from_bytes(random_bytes(random, 16));
    dut->open_valid_i = random.chance(cycle / 200 % 2 == 0 ? 50 : 5);
    dut->open_memory_i = next.memory;
    drive(dut->open_record_i, next.record);
    drive(dut->open_header_i, next.header);
    drive(dut->open_trailer_i, next.trailer);
    const auto filling = std::find_if(inside.begin(), inside.end(),
                                      [](const Walked& slot) { return slot.beats != 0; });
    const bool waits = filling != inside.end();
    dut->beat_valid_i = waits && random.chance(40);
    dut->beat_last_i = 1;
    dut->beat_error_i = random.chance(20);
    dut->flit_ready_i = random.chance(80);
    dut->walk_take_i = 0;
    dut.settle();
    const bool shown = !inside.empty() && inside.front().beats == 0;
    ASSERT_EQ(dut->walk_valid_o, shown) << "cycle " << cycle;
    if (shown) {
      const Walked& slot = inside.front();
      ASSERT_EQ(sample_record<InjectionRecord>(dut->walk_record_o).words(), slot.record.words());
      ASSERT_EQ(sample_record<PacketHeader>(dut->walk_header_o), slot.header);
      ASSERT_EQ(sample_record<PacketTrailer>(dut->walk_trailer_o), slot.trailer);
      ASSERT_EQ(dut->walk_error_o, slot.error) << "cycle " << cycle;
    }
    ASSERT_EQ(dut->active_o, dut->beat_valid_i) << "with the last beat, without a hold";
    if (!inside.empty() || dut->flit_valid_o) {
      ASSERT_TRUE(dut->busy_o) << "cycle " << cycle;
    }
    if (waits || dut->flit_valid_o) {
      ASSERT_TRUE(dut->active_packet_o) << "cycle " << cycle;
    }
    ASSERT_TRUE(!dut->active_packet_o || dut->busy_o);
    rests += !dut->busy_o && !dut->active_packet_o;
    dut->walk_take_i = shown && random.chance(50);
    const bool take = dut->walk_take_i;
    const bool open = dut->open_valid_i && dut->open_ready_o;
    if (dut->beat_valid_i) filling->beats = 0, filling->error = dut->beat_error_i;
    dut.tick();
    if (take) inside.pop_front();
    if (open) inside.push_back(next);
  }
  EXPECT_GT(rests, 1000U);
}

TEST(PacketBuffer, IsActiveWhileItHoldsASlot) {
  Clocked<Vmu_packet_buffer> dut;
  dut.settle();
  EXPECT_FALSE(dut->busy_o || dut->active_o || dut->active_packet_o);
  dut->open_valid_i = dut->open_hold_i = dut->hold_i = 1;
  dut.tick();
  dut->open_valid_i = 0;
  for (int cycle = 0; cycle < 5; ++cycle) {
    dut.settle();
    EXPECT_TRUE(dut->busy_o && dut->active_o && dut->active_packet_o);
    EXPECT_FALSE(dut->walk_valid_o || dut->flit_valid_o);
    dut.tick();
  }
  dut->hold_i = 0;
  dut.tick();
  dut.settle();
  EXPECT_FALSE(dut->active_o);
  EXPECT_TRUE(dut->walk_valid_o);
  dut->walk_take_i = 1;
  dut.tick();
  dut->walk_take_i = 0;
  for (int cycle = 0; cycle < 8; ++cycle) {
    dut->flit_ready_i = 1;
    dut.tick();
  }
  dut.settle();
  EXPECT_FALSE(dut->busy_o || dut->active_o || dut->active_packet_o);
}

}  // namespace
}  // namespace torusmu::testing
