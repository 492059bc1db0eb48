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

constexpr unsigned kSlots = 4;

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

Slot random_slot(Random& random, std::uint64_t tag, std::uint64_t index, bool first) {
  Slot slot;
  if (first && random.chance(40)) slot.hold = static_cast<Hold>(random.below(4));
  slot.memory = random.chance(60);
  slot.bytes = slot.memory ? 1 + random.below(512) : random.below(17);
  slot.send = random.chance(90);
  slot.error = slot.memory && random.chance(10);
  slot.tag = tag;
  slot.index = index;
  slot.payload = random_bytes(random, (slot.bytes + 15) / 16 * 16);
  const auto header = PacketHeader::from_bytes(random_bytes(random, 16)).set<h::bytes>(slot.bytes);
  const auto bytes = header.bytes();
  slot.header.assign(bytes.begin(), bytes.end());
  slot.trailer = random_bytes(random, 16);
  return slot;
}

Bytes part_of(const Bytes& payload, std::size_t at, std::size_t bytes) {
  Bytes part(payload.begin() + static_cast<std::ptrdiff_t>(at),
             payload.begin() + static_cast<std::ptrdiff_t>(std::min(payload.size(), at + bytes)));
  part.resize(bytes);
  return part;
}

// Packets of many descriptors go through the buffer; what must leave it is known before.
class PacketBufferTraffic : public ::testing::Test {
 protected:
  PacketBufferTraffic() {
    constexpr std::uint64_t kDescriptors = 200;
    std::uint64_t tag = 0;
    for (std::uint64_t descriptor = 1; descriptor <= kDescriptors; ++descriptor) {
      tag = (tag + 1 + random_.below(7)) % 8;  // any but that of the one before
      bool dropping = false;
      const std::uint64_t packets = 1 + random_.below(4);
      for (std::uint64_t packet = 0; packet != packets; ++packet) {
        Slot slot = random_slot(random_, tag, fresh_.size(), packet == 0);
        slot.before = wanted_.size();
        dropping = dropping || slot.error || slot.hold >= Hold::kSpoiled;
        if (slot.send && !dropping) want(slot);
        fresh_.push_back(slot);
      }
    }
    slots_ = held_.index = fresh_.size();
  }
  bool ends() { return walked_ == slots_ && !dut_->busy_o; }
  void offer() {
    dut_->open_valid_i = !fresh_.empty() && random_.chance(60);
    if (!fresh_.empty()) offer_slot(fresh_.front());
    let_go();
    dut_->beat_valid_i = !filling_.empty() && random_.chance(50);
    if (dut_->beat_valid_i) offer_beat(filling_.front());
    dut_->flit_ready_i = random_.chance(80);
    dut_->walk_take_i = 0;
    dut_.settle();
    dut_->walk_take_i = dut_->walk_valid_o && random_.chance(60);
    dut_.settle();
  }
  void compare() {
    if (dut_->walk_take_i) {
      const auto record = sample_record<InjectionRecord>(dut_->walk_record_o);
      ASSERT_EQ(record.get<n::index>(), walked_++);
    }
    if (dut_->flit_valid_o && dut_->flit_ready_i) {
      ASSERT_EQ(dut_->flit_head_o != 0, tail_seen_);
      tail_seen_ = dut_->flit_tail_o;
      ASSERT_LT(sent_, wanted_.size());
      ASSERT_EQ(sample(dut_->flit_data_o, 16), wanted_[sent_++]);
    }
    if (sent_ < (fresh_.empty() ? wanted_.size() : fresh_.front().before)) {
      ASSERT_TRUE(dut_->busy_o && dut_->active_packet_o);
    }
    if (!dut_->hold_i) return;
    ASSERT_LE(sent_, held_.before);
    ASSERT_LE(walked_, held_.index);
  }
  void tick() {
    if (dut_->beat_valid_i) {
      ++beat_;
      if (dut_->beat_last_i) filling_.pop_front(), beat_ = 0;
    }
    const bool open = dut_->open_valid_i && dut_->open_ready_o;
    dut_.tick();
    if (!open) return;
    if (fresh_.front().memory) filling_.push_back(fresh_.front());
    fresh_.pop_front();
  }

  Random random_;
  std::vector<Bytes> wanted_;  // flits
  std::size_t sent_ = 0;       // of these
  std::uint64_t slots_ = 0, walked_ = 0;

 private:
  void want(const Slot& slot) {
    wanted_.push_back(slot.header);
    for (std::size_t at = 0; at < slot.payload.size(); at += 16) {
      wanted_.push_back(part_of(slot.payload, at, 16));
    }
    wanted_.push_back(slot.trailer);
  }
  void offer_slot(const Slot& slot) {
    drive(dut_->open_header_i, slot.header);
    drive(dut_->open_trailer_i, slot.trailer);
    drive(dut_->open_payload_i, slot.memory ? Bytes(16) : part_of(slot.payload, 0, 16));
    drive(dut_->open_record_i,
          InjectionRecord().set<n::send>(slot.send).set<n::tag>(slot.tag).set<n::index>(
              static_cast<std::uint32_t>(slot.index)));
    dut_->open_memory_i = slot.memory;
    dut_->open_hold_i = slot.hold != Hold::kNone;
    if (!dut_->open_hold_i || held_.index == slot.index) return;
    if (dut_->hold_i || dut_->spoil_i) {
      dut_->open_valid_i = 0;  // one at a time
    } else {
      held_ = slot;
      (slot.hold == Hold::kSpoiledBefore ? dut_->spoil_i : dut_->hold_i) = 1;
    }
  }
  // The slot that is held, and what was said of one that is spoiled.
  void let_go() {
    if (walked_ > held_.index && random_.chance(20)) dut_->spoil_i = 0;
    const bool opened = fresh_.empty() || fresh_.front().index > held_.index;
    if (dut_->hold_i && opened && random_.chance(5)) {
      dut_->hold_i = 0;
      dut_->spoil_i = held_.hold == Hold::kSpoiled;
    }
  }
  void offer_beat(const Slot& slot) {
    drive(dut_->beat_data_i, part_of(slot.payload, beat_ * 32, 32));
    dut_->beat_last_i = beat_ * 32 + 32 >= slot.payload.size();
    dut_->beat_error_i = dut_->beat_last_i && slot.error;
  }

  Clocked<Vmu_packet_buffer> dut_{random_.seed()};
  std::deque<Slot> fresh_, filling_;
  Slot held_;  // the last one that was
  std::size_t beat_ = 0;
  bool tail_seen_ = true;
};

TEST_F(PacketBufferTraffic, LeavesInOrderWithoutTheRestOfAFailedTag) {
  SCOPED_TRACE(random_.replay());
  for (int cycle = 0; cycle < 200000 && !ends() && !HasFatalFailure(); ++cycle) {
    SCOPED_TRACE(cycle);
    offer();
    compare();
    tick();
  }
  EXPECT_EQ(walked_, slots_);
  EXPECT_EQ(sent_, wanted_.size());
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
  unsigned silent = 0;  // cycles since a slot was inside or a flit was there
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
    silent = inside.empty() && !dut->flit_valid_o ? silent + 1 : 0;
    ASSERT_TRUE(silent <= kSlots || !dut->busy_o) << "each slot is passed over in a cycle";
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

// Packets without payload, which the test opens one by one.
class PacketBufferByHand : public ::testing::Test {
 protected:
  void tick() {
    dut_->flit_ready_i = sends_;
    dut_.settle();
    dut_->walk_take_i = dut_->walk_valid_o && walks_;
    walked_ += dut_->walk_take_i;
    sent_ += sends_ && dut_->flit_valid_o && dut_->flit_tail_o;
    dut_.tick();
    dut_->open_valid_i = dut_->open_hold_i = dut_->walk_take_i = dut_->spoil_i = 0;
  }
  void open(std::uint64_t tag) {
    drive(dut_->open_record_i, InjectionRecord().set<n::send>(1).set<n::tag>(tag));
    dut_->open_valid_i = 1;
    tick();
  }
  void tick_often() {
    for (int cycle = 0; cycle < 20; ++cycle) tick();
  }

  Clocked<Vmu_packet_buffer> dut_;
  bool walks_ = true, sends_ = true;
  unsigned walked_ = 0, sent_ = 0;
};

TEST_F(PacketBufferByHand, WalksAndSendsWhatIsAheadOfASlotThatIsHeld) {
  for (unsigned round = 0; round < 12; ++round) {
    const unsigned ahead = 1 + round % 3;
    SCOPED_TRACE(ahead);
    walked_ = sent_ = 0;
    walks_ = false;
    for (unsigned slot = 0; slot < ahead; ++slot) open(0);
    dut_->open_hold_i = dut_->hold_i = 1;
    open(1);
    walks_ = true;
    tick_often();
    EXPECT_EQ(walked_, ahead);
    EXPECT_EQ(sent_, ahead);
    dut_->hold_i = 0;
    tick_often();
    EXPECT_EQ(walked_, ahead + 1);
    EXPECT_EQ(sent_, ahead + 1);
    EXPECT_FALSE(dut_->busy_o);
  }
}

TEST_F(PacketBufferByHand, TakesAsManyAsItHasSlotsWhicheverIsTheFirst) {
  for (unsigned round = 0; round < 4 * kSlots; ++round) {
    SCOPED_TRACE(round);
    open(0);
    tick_often();
    (round % 4 < 2 ? walks_ : sends_) = false;
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      dut_.settle();
      EXPECT_TRUE(dut_->open_ready_o) << slot;
      open(0);
    }
    dut_.settle();
    EXPECT_FALSE(dut_->open_ready_o);
    walks_ = sends_ = true;
    tick_often();
    tick_often();
    EXPECT_FALSE(dut_->busy_o);
  }
}

TEST_F(PacketBufferByHand, SendsTheTagOfAFailedSlotAgainBehindThatOfAnyOther) {
  for (std::uint64_t failed = 0; failed < 8; ++failed) {
    for (std::uint64_t other = 0; other < 8; ++other) {
      sent_ = 0;
      dut_->open_hold_i = dut_->hold_i = 1;
      open(failed);
      dut_->hold_i = 0;
      dut_->spoil_i = 1;
      tick_often();
      open(other);
      open(failed);
      tick_often();
      EXPECT_EQ(sent_, failed == other ? 0 : 2) << failed << " failed, then came " << other;
    }
  }
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
  dut.settle();
  EXPECT_TRUE(dut->walk_valid_o) << "in the cycle in which it is let go";
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
