// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <vector>

#include "Vmu_boot_buffers.h"
#include "Vmu_boot_buffers/Vmu_boot_buffers___024root.h"
#include "tests/support/old_count.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"
#include "torusmu/registers.h"

namespace torusmu::testing {
namespace {

namespace b = registers::boot_buffer;

namespace op = layout::boot_operation;
using Operation = Record<op::Layout>;

constexpr unsigned kClients = 4;
constexpr unsigned kSlots = 128;
constexpr std::size_t kSlotBytes = 32;
constexpr std::uint64_t kOpen = 1ULL << 32;

using Packet = std::vector<Bytes>;  // its slots

// What a buffer has been given since it was opened; the whole reference.
struct Buffer {
  bool open = false;
  bool draining = false;
  unsigned fifo = 0;
  bool refusing = false;
  std::uint32_t refused = 0;
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  std::deque<Packet> packets;
};

class BootBuffers : public ::testing::Test {
 protected:
  BootBuffers() : block(random.seed()), bus(block) {}

  void ask(const Operation& operation) { drive(block->operation_i, operation); }
  // A config write of `fifo`: opens the buffer of `client`, or closes what is open for the FIFO.
  void turn(bool opens, bool drains, unsigned client, unsigned fifo) {
    ask(Operation()
            .set<op::switches>(1)
            .set<op::opens>(opens)
            .set<op::drains>(drains)
            .set<op::client>(client)
            .set<op::fifo>(fifo));
    step();
    ask({});
    for (unsigned c = 0; c < kClients; ++c) {
      Buffer& buffer = model[c];
      if (opens && c == client) {
        buffer = {};
        buffer.open = true;
        buffer.fifo = fifo;
        if (coming_ && client_ == c) coming_ = false;
      } else if (buffer.fifo == fifo) {
        buffer.draining = (buffer.open || buffer.draining) && drains && c == client;
        buffer.open = false;
        if (!buffer.draining) buffer.packets.clear();
      }
    }
  }
  void open(unsigned client, unsigned fifo) { turn(true, false, client, fifo); }
  void close(unsigned fifo) { turn(false, false, 0, fifo); }
  void start(unsigned client, unsigned fifo) { turn(false, true, client, fifo); }

  // A packet is looked up; true if it goes into the buffer. Its beats follow with feed().
  bool begin(unsigned client, std::size_t payload) {
    packet_.clear();
    for (std::size_t i = 0; i < 1 + (payload + 31) / 32; ++i) {
      packet_.push_back(random_bytes(random, kSlotBytes));
    }
    ask(Operation()
            .set<op::lookup>(1)
            .set<op::client>(client)
            .set<op::fifo>(model[client].fifo)
            .set<op::slots>(packet_.size()));
    block.settle();
    Buffer& buffer = model[client];
    const bool fits = !buffer.refusing && buffer.tail - buffer.head + packet_.size() <= kSlots;
    EXPECT_EQ(block->room_o != 0, fits);
    EXPECT_FALSE(block->out_shows_o);
    block->start_i = fits;
    block->refuse_i = !fits;
    step();
    ask({});
    block->start_i = block->refuse_i = 0;
    if (!fits) {
      buffer.refusing = true;
      if (buffer.refused != 0xFFFFFFFF) ++buffer.refused;  // the count stops at the top
      return false;
    }
    block->engaged_i = 1;
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
      Buffer& buffer = model[client_];
      buffer.tail += static_cast<std::uint32_t>(packet_.size());
      if (buffer.open || buffer.draining) buffer.packets.push_back(packet_);
      coming_ = false;
    }
    step();
    block->beat_valid_i = 0;
    block->engaged_i = !done;
    return done;
  }
  bool store(unsigned client, std::size_t payload) {
    if (!begin(client, payload)) return false;
    for (unsigned i = 0; !feed(true); ++i) {
      if (i > 40) throw std::runtime_error("the packet does not end");
    }
    return true;
  }
  // Until a packet is shown; false if none is in `cycles`.
  bool shows(unsigned cycles = 8) {
    for (unsigned i = 0;; ++i) {
      block.settle();
      if (block->out_packet_valid_o || i == cycles) return block->out_packet_valid_o != 0;
      step();
    }
  }
  bool drains() const {
    return std::any_of(model.begin(), model.end(), [](const Buffer& buffer) {
      return buffer.draining && !buffer.packets.empty();
    });
  }
  // The buffer whose oldest packet is shown; null if it is that of none.
  Buffer* shown() {
    const Bytes entry = sample(block->out_entry_o, kSlotBytes);
    for (Buffer& buffer : model) {
      const bool has_one = buffer.draining && !buffer.packets.empty();
      if (has_one && buffer.packets.front()[0] == entry) return &buffer;
    }
    return nullptr;
  }
  // Takes a part of the beats of the packet that is shown, as a store does, and then ends it.
  void end_shown(double part = 1, unsigned chance = 100) {
    Buffer* buffer = shown();
    ASSERT_NE(buffer, nullptr);
    const Packet packet = buffer->packets.front();
    const auto beats = static_cast<std::size_t>(part * static_cast<double>(packet.size() - 1));
    step();  // it is decided
    block->out_taken_i = 1;
    for (std::size_t taken = 0; taken < beats;) {
      block->out_beat_ready_i = random.chance(chance);
      block.settle();
      ASSERT_TRUE(block->out_packet_valid_o);
      if (block->out_beat_ready_i && block->out_beat_valid_o) {
        ASSERT_EQ(sample(block->out_beat_data_o, kSlotBytes), packet.at(1 + taken));
        ++taken;
      }
      step();
      block->out_beat_ready_i = 0;
    }
    block.settle();
    ASSERT_TRUE(beats + 1 != packet.size() || !block->out_beat_valid_o) << "a beat too many";
    block->out_packet_done_i = 1;
    block->out_beat_ready_i = random.chance(50);  // the next beat is of no account
    step();
    block->out_packet_done_i = block->out_taken_i = block->out_beat_ready_i = 0;
    step();  // the head moves
    buffer->head += static_cast<std::uint32_t>(packet.size());
    buffer->packets.pop_front();
    if (buffer->packets.empty()) buffer->draining = false;
  }
  void take_all(unsigned chance = 100) {
    while (drains()) {
      ASSERT_TRUE(shows());
      end_shown(1, chance);
      if (HasFatalFailure()) return;
    }
    for (unsigned i = 0; i < 12; ++i) step();
    EXPECT_FALSE(block->busy_o || block->hides_o || block->out_shows_o);
  }
  // Cycles are counted by the bus, so that an access may be under way.
  void step() { bus.tick(); }

  void judge() {
    for (unsigned c = 0; c < kClients; ++c) {
      const Buffer& buffer = model[c];
      const bool open = buffer.open || (coming_ && client_ == c);
      ASSERT_EQ(bus.read(register_read(b::head(c))), buffer.head) << c;
      ASSERT_EQ(bus.read(register_read(b::tail(c))), buffer.tail | (open ? kOpen : 0)) << c;
      ASSERT_EQ(bus.read(register_read(b::refused(c))), buffer.refused) << c;
    }
  }

  Random random;
  Clocked<Vmu_boot_buffers> block;
  RegisterBus<Vmu_boot_buffers> bus;
  std::array<Buffer, kClients> model;
  bool coming_ = false;  // a packet that will be kept
  unsigned client_ = 0;
  std::size_t given_ = 0;  // slots of it that were handed over
  Packet packet_;
};

// --- what goes in -------------------------------------------------------------------------------

TEST_F(BootBuffers, AreEmptyAfterReset) {
  judge();
  EXPECT_FALSE(block->busy_o || block->hides_o || block->out_shows_o);
}

TEST_F(BootBuffers, CountAPacketOnlyOnceItIsWhole) {
  open(1, 3);
  ASSERT_TRUE(begin(1, 64));
  ASSERT_FALSE(feed(true));
  ASSERT_FALSE(feed(true));
  judge();
  EXPECT_EQ(bus.read(register_read(b::tail(1))), kOpen);
  ASSERT_TRUE(feed(true));
  EXPECT_EQ(bus.read(register_read(b::tail(1))), kOpen | 3);
}

TEST_F(BootBuffers, RefuseForGoodOnceOnePacketDidNotFit) {
  open(0, 0);
  for (unsigned i = 0; i < 7; ++i) EXPECT_TRUE(store(0, 512));
  EXPECT_FALSE(store(0, 288));  // 10 slots, and 9 are free
  EXPECT_FALSE(store(0, 0));
  EXPECT_EQ(bus.read(register_read(b::refused(0))), 2U);
  open(0, 0);
  EXPECT_TRUE(store(0, 288));
  judge();
}

TEST_F(BootBuffers, FillUpToTheLastSlot) {
  for (unsigned last = 1; last <= 9; ++last) {  // slots of the packet that fills it
    open(3, 7);
    for (unsigned i = 0; i < 7; ++i) EXPECT_TRUE(store(3, 512));
    for (unsigned i = last; i < kSlots - 7 * 17; ++i) EXPECT_TRUE(store(3, 0));
    EXPECT_TRUE(store(3, 32 * (last - 1)));
    judge();
    EXPECT_FALSE(store(3, 0));
    start(3, 7);
    take_all();
  }
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
  step();
  EXPECT_TRUE(block->idle_o);
  judge();
}

TEST_F(BootBuffers, SayThatTheyAreOpenForAnotherFifo) {
  const auto elsewhere = [&](unsigned client, unsigned fifo) {
    ask(Operation().set<op::client>(client).set<op::fifo>(fifo));
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

TEST_F(BootBuffers, HaveThreeRegistersToRead) {
  open(0, 0);
  for (const std::uint32_t address : {b::head(0), b::tail(0), b::refused(3)}) {
    EXPECT_EQ(bus.status(register_write(address, 0)), Status::kRegisterUnknown) << address;
  }
  EXPECT_EQ(bus.status(register_read(b::refused(0) + 8)), Status::kRegisterUnknown);
  EXPECT_EQ(bus.status(register_read(b::head(kClients))), Status::kRegisterUnknown);
  EXPECT_EQ(bus.status(register_read(b::kBase + 16 * b::kStride)), Status::kRegisterUnknown);
  EXPECT_FALSE(block->busy_o);
}

// --- what comes out -----------------------------------------------------------------------------

TEST_F(BootBuffers, ShowWhatTheyHoldInOrderOnceTheFifoIsThere) {
  open(2, 5);
  for (const std::size_t payload : {0U, 1U, 32U, 33U, 100U, 512U}) EXPECT_TRUE(store(2, payload));
  EXPECT_FALSE(shows());
  start(2, 5);
  block.settle();
  EXPECT_TRUE(block->hides_o);
  take_all();
  EXPECT_EQ(model[2].head, 1U + 2 + 2 + 3 + 5 + 17);
  judge();
}

TEST_F(BootBuffers, ShowABeatACycle) {
  open(2, 5);
  EXPECT_TRUE(store(2, 512));
  start(2, 5);
  ASSERT_TRUE(shows());
  step();
  block->out_taken_i = block->out_beat_ready_i = 1;
  for (unsigned i = 0; i < 16; ++i) {
    block.settle();
    EXPECT_TRUE(block->out_beat_valid_o) << i;
    step();
  }
  block.settle();
  EXPECT_FALSE(block->out_beat_valid_o);
}

TEST_F(BootBuffers, GoRoundManyTimes) {
  for (unsigned round = 0; round < 40; ++round) {
    if (round % 8 == 0) open(1, 2);
    for (unsigned i = 0; i < 5 && model[1].open; ++i) EXPECT_TRUE(store(1, random.below(513)));
    start(1, 2);
    take_all(60);
    judge();
  }
}

TEST_F(BootBuffers, PassOverThePartOfAPacketThatNobodyTakes) {
  open(1, 3);
  for (unsigned i = 0; i < 4; ++i) EXPECT_TRUE(store(1, 200));
  start(1, 3);
  ASSERT_TRUE(shows());
  end_shown(0);  // refused
  ASSERT_TRUE(shows());
  end_shown(0.3);
  take_all();
}

TEST_F(BootBuffers, WaitForAPacketThatWasLookedUpBeforeTheSwitch) {
  open(1, 3);
  EXPECT_TRUE(store(1, 10));
  ASSERT_TRUE(begin(1, 64));
  ASSERT_FALSE(feed(true));
  start(1, 3);
  EXPECT_EQ(bus.read(register_read(b::tail(1))), kOpen | 2);  // more is to come
  EXPECT_FALSE(shows());
  ASSERT_FALSE(feed(true));
  ASSERT_TRUE(feed(true));
  EXPECT_EQ(model[1].packets.size(), 2U);
  take_all();
  judge();
}

TEST_F(BootBuffers, WaitForAPacketOfTheNetworkThatIsUnderWay) {
  open(1, 3);
  EXPECT_TRUE(store(1, 10));
  start(1, 3);
  block->engaged_i = 1;
  for (unsigned i = 0; i < 20; ++i) {
    block.settle();
    ASSERT_FALSE(block->hides_o || block->out_shows_o);
    EXPECT_TRUE(block->busy_o);
    step();
  }
  block->engaged_i = 0;
  take_all();
}

TEST_F(BootBuffers, OfSeveralClientsAreShownOneAfterTheOther) {
  for (const unsigned c : {3U, 0U, 2U}) {
    open(c, c);
    for (unsigned i = 0; i < 3; ++i) EXPECT_TRUE(store(c, 40 * c + i));
  }
  start(2, 2);
  ASSERT_TRUE(shows());
  start(3, 3);
  start(0, 0);
  // That of client 2 is finished first.
  for (unsigned i = 0; i < 3; ++i) {
    ASSERT_TRUE(shows());
    EXPECT_EQ(shown(), &model[2]);
    end_shown();
  }
  ASSERT_TRUE(shows());
  EXPECT_EQ(shown(), &model[0]);
  take_all();
}

// --- nothing for the next owner -----------------------------------------------------------------

TEST_F(BootBuffers, ClosedByOtherMeansShowNothing) {
  const auto fill = [&] {
    open(1, 2);
    for (unsigned i = 0; i < 3; ++i) EXPECT_TRUE(store(1, 100));
  };
  fill();
  close(2);  // the process never starts
  EXPECT_FALSE(shows(20));
  start(1, 2);
  EXPECT_FALSE(shows(20));
  fill();
  start(3, 2);  // the FIFO is another's now
  EXPECT_FALSE(shows(20));
  fill();
  open(3, 2);
  EXPECT_FALSE(shows(20));
  start(1, 2);
  EXPECT_FALSE(shows(20));
  judge();
}

// Until it is taken, in every cycle.
TEST_F(BootBuffers, OpenedAnewShowNoMoreOfWhatTheyHeld) {
  for (unsigned after = 0; after < 12; ++after) {
    SCOPED_TRACE(after);
    open(1, 2);
    for (unsigned i = 0; i < 3; ++i) EXPECT_TRUE(store(1, 100));
    start(1, 2);
    for (unsigned i = 0; i < after; ++i) step();
    const bool other_fifo = after % 2 != 0;
    open(1, other_fifo ? 4 : 2);
    for (unsigned i = 0; i < 20; ++i) {
      block.settle();
      ASSERT_FALSE(block->out_packet_valid_o);
      step();
    }
    EXPECT_FALSE(block->busy_o || block->hides_o);
    EXPECT_TRUE(store(1, 50));
    start(1, other_fifo ? 4 : 2);
    take_all();
    judge();
  }
}

// A packet of the network may be picked in the cycle behind.
TEST_F(BootBuffers, HideTheNetworkNoLongerThanTheyShow) {
  for (const bool taken : {false, true}) {
    SCOPED_TRACE(taken);
    open(1, 2);
    for (unsigned i = 0; i < 3; ++i) EXPECT_TRUE(store(1, 100));
    start(1, 2);
    ASSERT_TRUE(shows());
    step();
    block->out_taken_i = taken;
    step();
    open(1, 2);
    block.settle();
    EXPECT_EQ(block->out_packet_valid_o, taken);
    EXPECT_TRUE(block->hides_o);
    block->out_packet_done_i = taken;
    step();
    block->out_packet_done_i = block->out_taken_i = 0;
    block.settle();
    EXPECT_FALSE(block->out_shows_o || block->hides_o || block->busy_o);
  }
}

TEST_F(BootBuffers, ShowToItsEndWhatIsTaken) {
  for (const bool again : {false, true}) {
    open(1, 2);
    for (unsigned i = 0; i < 3; ++i) EXPECT_TRUE(store(1, 512));
    start(1, 2);
    ASSERT_TRUE(shows());
    const Packet packet = model[1].packets.front();
    EXPECT_EQ(sample(block->out_entry_o, kSlotBytes), packet[0]);
    step();
    block->out_taken_i = 1;
    step();
    open(1, 4);
    if (again) start(1, 4);
    for (std::size_t taken = 0; taken < 16;) {
      block->out_beat_ready_i = random.chance(50);
      block.settle();
      ASSERT_TRUE(block->out_packet_valid_o);
      if (block->out_beat_ready_i && block->out_beat_valid_o) {
        ASSERT_EQ(sample(block->out_beat_data_o, kSlotBytes), packet.at(1 + taken));
        ++taken;
      }
      step();
      block->out_beat_ready_i = 0;
    }
    block->out_packet_done_i = 1;
    step();
    block->out_packet_done_i = block->out_taken_i = 0;
    model[1].draining = false;
    EXPECT_FALSE(shows(20));
    EXPECT_FALSE(block->busy_o);
    judge();  // its head has not moved
    if (again) open(1, 4);
    EXPECT_TRUE(store(1, 70));
    start(1, 4);
    take_all();
  }
}

TEST_F(BootBuffers, FollowAModelWhenAllSidesComeAtOnce) {
  SCOPED_TRACE(random.replay());
  unsigned stored = 0, refused = 0, moved = 0, cut = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    const auto client = static_cast<unsigned>(random.below(kClients));
    const auto fifo = static_cast<unsigned>(random.below(6));
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
      for (unsigned i = 0; i < 4; ++i) step();
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
      buffer.refused = round == 0 ? 0xFFFFFFFF : old_count(random);
      Bytes row(16);
      put_bits(row, 0, 32, buffer.head);
      put_bits(row, 32, 32, buffer.tail);
      put_bits(row, 64, 32, buffer.refused);
      drive(block->rootp->mu_boot_buffers__DOT__u_pointers__DOT__rows[client], row);
    }
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
      const std::uint32_t address = (b::head(from) + 8 * (i % 3)) ^ bit;
      const std::uint32_t offset = (address - b::kBase) & 0xfffffU;
      const Buffer& buffer = model[offset / b::kStride % kClients];
      const std::uint64_t values[] = {buffer.head, buffer.tail | kOpen, buffer.refused};
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
