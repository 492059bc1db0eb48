// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "Vmu_boot_buffers.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"
#include "torusmu/registers.h"

namespace torusmu::testing {
namespace {

namespace b = registers::boot_buffer;

constexpr unsigned kClients = 4;
constexpr unsigned kSlots = 128;
constexpr std::size_t kSlotBytes = 32;
constexpr std::uint64_t kOpen = 1ULL << 32;

// What a buffer has been given since it was opened, slot by slot; the whole reference.
struct Buffer {
  bool open = false;
  unsigned fifo = 0;
  bool refusing = false;
  std::uint32_t refused = 0;
  std::uint32_t head = 0;
  std::vector<Bytes> slots;  // all of them, read or not

  std::uint32_t tail() const { return static_cast<std::uint32_t>(slots.size()); }
  std::uint64_t word(unsigned index) const {
    for (std::uint32_t i = head; i < tail(); ++i) {
      if (i % kSlots != index / 4) continue;
      std::uint64_t value = 0;
      for (unsigned byte = 8; byte-- > 0;) value = value << 8U | slots[i][index % 4 * 8 + byte];
      return value;
    }
    return 0;
  }
};

class BootBuffers : public ::testing::Test {
 protected:
  BootBuffers() : block(random.seed()), bus(block) {}

  // A config write of `fifo`: opens the buffer of `client`, or closes what is open for the FIFO.
  void turn(bool opens, unsigned client, unsigned fifo) {
    block->switch_i = 1;
    block->opens_i = opens;
    block->table_client_i = static_cast<std::uint8_t>(client);
    block->table_fifo_i = static_cast<std::uint8_t>(fifo);
    tick();
    block->switch_i = 0;
    for (unsigned c = 0; c < kClients; ++c) {
      if (opens && c == client) {
        model[c] = {};
        model[c].open = true;
        model[c].fifo = fifo;
        if (coming_ && client_ == c) coming_ = false;
      } else if (model[c].fifo == fifo) {
        model[c].open = false;
      }
    }
  }
  void open(unsigned client, unsigned fifo) { turn(true, client, fifo); }
  void close(unsigned fifo) { turn(false, 0, fifo); }

  // A packet is looked up; true if it starts. Its beats follow with feed().
  bool begin(unsigned client, std::size_t payload) {
    packet_.clear();
    for (std::size_t i = 0; i < 1 + (payload + 31) / 32; ++i) {
      packet_.push_back(random_bytes(random, kSlotBytes));
    }
    block->lookup_i = 1;
    block->table_client_i = static_cast<std::uint8_t>(client);
    block->table_fifo_i = static_cast<std::uint8_t>(model[client].fifo);
    block->lookup_slots_i = static_cast<std::uint8_t>(packet_.size());
    block.settle();
    Buffer& buffer = model[client];
    const bool fits = !buffer.refusing && buffer.tail() - buffer.head + packet_.size() <= kSlots;
    EXPECT_EQ(block->room_o != 0, fits);
    block->start_i = fits;
    block->refuse_i = !fits;
    tick();
    block->lookup_i = block->start_i = block->refuse_i = 0;
    if (!fits) {
      buffer.refusing = true;
      ++buffer.refused;
      return false;
    }
    coming_ = true;
    client_ = client;
    given_ = 1;
    drive(block->entry_i, packet_[0]);
    return true;
  }
  // One cycle of the receiver; true if the packet ended in it.
  bool feed(bool beat) {
    block->beat_valid_i = beat && given_ < packet_.size();
    if (block->beat_valid_i) drive(block->beat_data_i, packet_[given_]);
    block.settle();
    const bool done = block->packet_done_o != 0;
    if (block->beat_valid_i && block->beat_ready_o) ++given_;
    if (done && coming_) {
      auto& slots = model[client_].slots;
      slots.insert(slots.end(), packet_.begin(), packet_.end());
      coming_ = false;
    }
    tick();
    block->beat_valid_i = 0;
    return done;
  }
  bool store(unsigned client, std::size_t payload) {
    if (!begin(client, payload)) return false;
    for (unsigned i = 0; !feed(true); ++i) {
      if (i > 40) throw std::runtime_error("the packet does not end");
    }
    return true;
  }
  // Cycles are counted by the bus, so that an access may be under way.
  bool tick() { return answered_ = bus.tick(); }

  std::uint64_t tail_of(unsigned client) const {
    const bool comes = coming_ && client_ == client;
    return model[client].tail() | (model[client].open || comes ? kOpen : 0);
  }
  void judge() {
    for (unsigned c = 0; c < kClients; ++c) {
      ASSERT_EQ(bus.read(register_read(b::head(c))), model[c].head) << c;
      ASSERT_EQ(bus.read(register_read(b::tail(c))), tail_of(c)) << c;
      ASSERT_EQ(bus.read(register_read(b::refused(c))), model[c].refused) << c;
      for (unsigned word = 0; word < kSlots * 4; ++word) {
        ASSERT_EQ(bus.read(register_read(b::data(c, word))), model[c].word(word))
            << "client " << c << " word " << word;
      }
    }
  }
  Status move_head(unsigned client, std::uint64_t to) {
    const Status status = bus.status(register_write(b::head(client), to));
    if (status == Status::kOk) model[client].head = static_cast<std::uint32_t>(to);
    return status;
  }

  Random random;
  Clocked<Vmu_boot_buffers> block;
  RegisterBus<Vmu_boot_buffers> bus;
  std::array<Buffer, kClients> model;
  bool coming_ = false;  // a packet that will be kept
  unsigned client_ = 0;
  std::size_t given_ = 0;  // slots of it that were handed over
  std::vector<Bytes> packet_;
  bool answered_ = false;
};

TEST_F(BootBuffers, ReadAsZeroAfterResetWhateverTheMemoryHolds) { judge(); }

TEST_F(BootBuffers, StoreAPacketSlotBySlot) {
  open(2, 5);
  for (const std::size_t payload : {0U, 1U, 32U, 33U, 100U, 512U}) {
    EXPECT_TRUE(store(2, payload));
    judge();
  }
  EXPECT_EQ(model[2].tail(), 1U + 2 + 2 + 3 + 5 + 17);
}

TEST_F(BootBuffers, ShowAPacketOnlyOnceItIsWhole) {
  open(1, 3);
  ASSERT_TRUE(begin(1, 64));
  ASSERT_FALSE(feed(true));
  ASSERT_FALSE(feed(true));
  judge();
  EXPECT_EQ(bus.read(register_read(b::tail(1))), kOpen);
  ASSERT_TRUE(feed(true));
  EXPECT_EQ(bus.read(register_read(b::tail(1))), kOpen | 3);
  judge();
}

TEST_F(BootBuffers, TakeAPacketThatWasLookedUpBeforeTheSwitch) {
  open(1, 3);
  ASSERT_TRUE(begin(1, 64));
  ASSERT_FALSE(feed(true));
  close(3);
  EXPECT_EQ(bus.read(register_read(b::tail(1))), kOpen);  // more is to come
  ASSERT_FALSE(feed(true));
  ASSERT_TRUE(feed(true));
  EXPECT_EQ(bus.read(register_read(b::tail(1))), 3U);
  judge();
}

TEST_F(BootBuffers, RefuseForGoodOnceOnePacketDidNotFit) {
  open(0, 0);
  for (unsigned i = 0; i < 7; ++i) EXPECT_TRUE(store(0, 512));
  EXPECT_FALSE(store(0, 288));  // 10 slots, and 9 are free
  EXPECT_FALSE(store(0, 0));
  ASSERT_EQ(move_head(0, 119), Status::kOk);
  EXPECT_FALSE(store(0, 0));
  EXPECT_EQ(bus.read(register_read(b::refused(0))), 3U);
  open(0, 0);
  EXPECT_TRUE(store(0, 288));
  judge();
}

TEST_F(BootBuffers, FillUpToTheLastSlot) {
  open(3, 7);
  for (unsigned i = 0; i < 7; ++i) EXPECT_TRUE(store(3, 512));
  EXPECT_TRUE(store(3, 256));
  judge();
  EXPECT_EQ(model[3].tail(), kSlots);
  EXPECT_FALSE(store(3, 0));
}

TEST_F(BootBuffers, AreEmptyForTheirNextOwner) {
  open(1, 2);
  for (unsigned i = 0; i < 5; ++i) EXPECT_TRUE(store(1, 512));
  close(2);
  judge();  // closed, it keeps what it holds
  open(1, 4);
  judge();
  EXPECT_TRUE(store(1, 20));
  judge();
}

TEST_F(BootBuffers, DropThePacketThatWasOnItsWayWhenTheyWereOpenedAnew) {
  open(1, 2);
  ASSERT_TRUE(begin(1, 128));
  ASSERT_FALSE(feed(true));
  open(1, 2);
  judge();
  EXPECT_TRUE(block->idle_o);
  EXPECT_TRUE(store(1, 40));
  judge();
  // Another client's packet is of no account.
  ASSERT_TRUE(begin(1, 128));
  open(0, 6);
  while (!feed(true)) {
  }
  judge();
}

TEST_F(BootBuffers, DropAPacketWhoseLastSlotComesInTheCycleOfTheOpening) {
  open(1, 2);
  ASSERT_TRUE(begin(1, 0));
  block.settle();
  EXPECT_TRUE(block->packet_done_o);  // it would be published now
  open(1, 2);
  EXPECT_FALSE(block->idle_o);
  block.settle();
  EXPECT_TRUE(block->packet_done_o);
  tick();
  EXPECT_TRUE(block->idle_o);
  judge();
}

TEST_F(BootBuffers, SayThatTheyAreOpenForAnotherFifo) {
  const auto elsewhere = [&](unsigned client, unsigned fifo) {
    block->table_client_i = static_cast<std::uint8_t>(client);
    block->table_fifo_i = static_cast<std::uint8_t>(fifo);
    block.settle();
    return block->elsewhere_o != 0;
  };
  EXPECT_FALSE(elsewhere(1, 5));
  open(1, 5);
  EXPECT_FALSE(elsewhere(1, 5));
  EXPECT_TRUE(elsewhere(1, 6));
  EXPECT_FALSE(elsewhere(2, 6));
  close(6);
  EXPECT_TRUE(elsewhere(1, 6));
  open(2, 5);  // the FIFO changes its owner
  EXPECT_FALSE(elsewhere(1, 6));
  EXPECT_TRUE(elsewhere(2, 6));
  close(5);
  EXPECT_FALSE(elsewhere(2, 6));
  judge();
}

TEST_F(BootBuffers, MoveTheHeadWithinWhatTheyHold) {
  open(2, 1);
  EXPECT_TRUE(store(2, 300));
  EXPECT_EQ(move_head(2, 12), Status::kDoorbellRange);
  EXPECT_EQ(move_head(2, 4), Status::kOk);
  judge();
  EXPECT_EQ(move_head(2, 3), Status::kDoorbellRange);
  EXPECT_EQ(move_head(2, 1ULL << 32 | 5), Status::kRegisterValue);
  EXPECT_EQ(bus.status(register_write(b::head(2), 5, 4)), Status::kRegisterPartial);
  EXPECT_EQ(move_head(2, 11), Status::kOk);
  judge();
}

TEST_F(BootBuffers, KnowNoOtherRegisters) {
  open(0, 0);
  for (const std::uint32_t address : {b::tail(0), b::refused(0), b::data(0, 0), b::data(3, 511)}) {
    EXPECT_EQ(bus.status(register_write(address, 0)), Status::kRegisterUnknown) << address;
  }
  EXPECT_EQ(bus.status(register_read(b::refused(0) + 8)), Status::kRegisterUnknown);
  EXPECT_EQ(bus.status(register_read(b::head(0) + 0xff8)), Status::kRegisterUnknown);
  EXPECT_EQ(bus.status(register_read(b::head(kClients))), Status::kRegisterUnknown);
  EXPECT_EQ(bus.status(register_read(b::data(kClients, 0))), Status::kRegisterUnknown);
  EXPECT_FALSE(block->busy_o);
}

TEST_F(BootBuffers, FollowAModelWhenAllSidesComeAtOnce) {
  SCOPED_TRACE(random.replay());
  constexpr unsigned kNone = kClients;
  unsigned asked = kNone;      // client of the access under way
  unsigned asked_word = 0;     // 0xffff: its tail
  std::uint32_t new_head = 0;  // or the head that is written, if writes
  bool writes = false;
  std::vector<std::uint64_t> says;
  unsigned stored = 0;
  unsigned refused = 0;
  unsigned read = 0;
  const auto look = [&] {
    if (asked != kNone && !writes) {
      says.push_back(asked_word == 0xffff ? tail_of(asked) : model[asked].word(asked_word));
    }
  };
  for (unsigned i = 0; i < 60000; ++i) {
    const auto client = static_cast<unsigned>(random.below(kClients));
    if (asked == kNone && random.chance(40)) {
      asked = client;
      says.clear();
      writes = random.chance(30);
      asked_word = random.chance(20) ? 0xffff : static_cast<unsigned>(random.below(kSlots * 4));
      const Buffer& buffer = model[asked];
      if (buffer.tail() != buffer.head && random.chance(70)) {
        asked_word = (buffer.head % kSlots * 4 + asked_word % 32) % (kSlots * 4);
      }
      new_head =
          buffer.head + static_cast<std::uint32_t>(random.below(buffer.tail() - buffer.head + 1));
      bus.present(writes                 ? register_write(b::head(asked), new_head)
                  : asked_word == 0xffff ? register_read(b::tail(asked))
                                         : register_read(b::data(asked, asked_word)));
    }
    look();
    const bool was_idle = block->idle_o != 0;
    const bool head_moves = asked == client && writes;  // now or in the next cycles
    const bool packet = was_idle && model[client].open && !head_moves && random.chance(60);
    if (packet) {
      if (begin(client, random.below(513))) {
        ++stored;
      } else {
        ++refused;
      }
    } else if (asked == kNone && random.chance(3)) {
      const auto fifo = static_cast<unsigned>(random.below(6));
      const bool legal = !model[client].open || model[client].fifo == fifo;
      turn(legal && random.chance(80), client, fifo);
      // Whether it was opened anew or not, nothing is left of a packet that is dropped.
      while (!coming_ && !block->idle_o) feed(true);
    } else if (!was_idle) {
      feed(random.chance(80));
    } else {
      tick();
    }
    look();
    if (!answered_ || asked == kNone) continue;
    if (writes) {
      ASSERT_EQ(bus.answer().status, Status::kOk);
      model[asked].head = new_head;
    } else {
      ASSERT_NE(std::find(says.begin(), says.end(), bus.answer().data), says.end())
          << "cycle " << i << " client " << asked << " word " << asked_word;
      ++read;
    }
    asked = kNone;
  }
  while (!block->idle_o) feed(true);
  while (!bus.idle()) tick();
  if (asked != kNone && writes) model[asked].head = new_head;
  judge();
  EXPECT_GT(stored, 1000U);
  EXPECT_GT(refused, 20U);
  EXPECT_GT(read, 3000U);
}

}  // namespace
}  // namespace torusmu::testing
