// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "tests/support/boot_buffers_bench.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kDrain = 24;  // a drain of three packets takes more cycles

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

TEST_F(BootBuffers, TakeBeatsOnlyOfAPacketThatIsComing) {
  open(1, 2);
  for (unsigned round = 0; round < 3; ++round) {
    block->beat_valid_i = 1;
    for (unsigned i = 0; i < 3; ++i) {
      block.settle();
      EXPECT_FALSE(block->beat_ready_o || block->packet_done_o);
      step();
    }
    block->beat_valid_i = 0;
    EXPECT_TRUE(store(1, 100));
    judge();
  }
}

TEST_F(BootBuffers, TellFifosApartByEachBitOfTheirNumbers) {
  constexpr unsigned kFifo = 0x5a;
  for (unsigned client = 0; client < kClients; ++client) {
    const unsigned neighbour = (client + 1) % kClients;
    for (unsigned bit = 0; bit < 8; ++bit) {
      SCOPED_TRACE(::testing::Message() << "client " << client << ", bit " << bit);
      const unsigned other = kFifo ^ 1U << bit;
      open(client, kFifo);
      open(neighbour, other);
      EXPECT_TRUE(elsewhere(client, other));
      EXPECT_FALSE(elsewhere(neighbour, other));
      close(other);
      judge();
      EXPECT_FALSE(elsewhere(client, kFifo));
      close(kFifo);
      judge();
    }
  }
}

TEST_F(BootBuffers, SayThatTheyAreOpenForAnotherFifo) {
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

// The slots before the last one do not look at what the buffers hold.
TEST_F(BootBuffers, WaitForASwitchInTheirCycleWithTheLastSlotOfAPacketOnly) {
  for (const std::size_t payload : {0U, 1U, 40U, 100U}) {
    for (unsigned at = 0; at < 6; ++at) {
      SCOPED_TRACE(::testing::Message() << payload << " bytes, a switch in cycle " << at);
      open(1, 2);
      ASSERT_TRUE(begin(1, payload));
      const std::size_t slots = packet_.size();
      std::size_t came = 0;
      for (unsigned cycle = 0; came < slots; ++cycle) {
        const bool waits = cycle == at && came + 1 == slots;
        bool done = false;
        if (cycle == at) {
          turn(at % 2 == 0, at % 2 != 0, 3, 5, [&] { done = feed(true); });
        } else {
          done = feed(true);
        }
        if (!waits) ++came;
        ASSERT_EQ(given_, std::max<std::size_t>(1, came)) << cycle;
        ASSERT_EQ(done, came == slots) << cycle;
      }
      EXPECT_TRUE(block->idle_o);
      judge();
      start(1, 2);
      take_all();
    }
  }
}

TEST_F(BootBuffers, EndADroppedPacketOnce) {
  open(1, 2);
  ASSERT_TRUE(begin(1, 64));
  open(1, 2);
  EXPECT_TRUE(feed(true));
  for (unsigned i = 0; i < 4; ++i) EXPECT_FALSE(feed(true)) << i;
  EXPECT_TRUE(store(1, 64));
  judge();
}

TEST_F(BootBuffers, HaveRoomOnlyForWhatIsLookedUp) {
  open(1, 2);
  for (const unsigned client : {0U, 1U}) {
    ask(Operation().set<op::client>(client).set<op::fifo>(2).set<op::slots>(1));
    block.settle();
    EXPECT_FALSE(block->room_o) << client;
  }
}

TEST_F(BootBuffers, HaveNoRoomForWhatIsLargerThanABuffer) {
  open(1, 2);
  for (unsigned used = 0; used <= kSlots; ++used) {
    for (const unsigned slots : {kSlots + 1 - used, kSlots + 1, 200U, 255U}) {
      ask(Operation().set<op::lookup>(1).set<op::client>(1).set<op::fifo>(2).set<op::slots>(slots));
      block.settle();
      EXPECT_FALSE(block->room_o) << slots << " slots, " << used << " are in use";
    }
    ask({});
    EXPECT_EQ(store(1, 0), used < kSlots);
  }
}

TEST_F(BootBuffers, HaveThreeRegistersToRead) {
  open(0, 0);
  for (const std::uint32_t address : {b::head(0), b::tail(0), b::refused(3)}) {
    EXPECT_EQ(bus.status(register_write(address, 0)), Status::kRegisterUnknown) << address;
  }
  EXPECT_EQ(bus.status(register_read(b::refused(0) + 8)), Status::kRegisterUnknown);
  EXPECT_EQ(bus.status(page_read(0, b::head(0))), Status::kRegisterUnknown);
  EXPECT_EQ(bus.status(register_read(b::kBase + kClients * b::kStride)), Status::kRegisterUnknown);
  EXPECT_EQ(bus.status(register_read(b::kBase + 16 * b::kStride)), Status::kRegisterUnknown);
  EXPECT_FALSE(block->busy_o);
}

TEST_F(BootBuffers, AnswerForTheClientThatIsAskedInEachCycleOfAnothersPacket) {
  open(1, 2);
  open(3, 4);
  EXPECT_TRUE(store(3, 200));
  for (unsigned at = 0; at < 8; ++at) {
    SCOPED_TRACE(at);
    ASSERT_TRUE(begin(1, 100));
    bool ended = false;
    for (unsigned i = 0; i < 16; ++i) {
      if (i == at) bus.present(register_read(b::tail(3)));
      if (ended) {
        step();
      } else {
        ended = feed(true);
      }
    }
    ASSERT_TRUE(ended && bus.idle());
    EXPECT_EQ(bus.answer().status, Status::kOk);
    EXPECT_EQ(bus.answer().data, model[3].tail | kOpen);
  }
}

// Two clients whose buffers are open and two whose buffers are drained; but for the heads of the
// former no register is as another's.
class BootBuffersThatDiffer : public BootBuffers {
 protected:
  BootBuffersThatDiffer() {
    for (unsigned c = 0; c < kClients; ++c) {
      open(c, c);
      for (unsigned i = 0; i < 1 + c; ++i) EXPECT_TRUE(store(c, 32 * (c % 4)));
      while (store(c, 512)) {
      }
      for (unsigned i = 0; i < 2 * c; ++i) EXPECT_FALSE(store(c, 0));
    }
    for (unsigned c = kOpenClients; c < kClients; ++c) {
      start(c, c);
      take_all();
    }
  }
  // `cycles` is how long the access took.
  void expect_answer(unsigned client, unsigned which, unsigned cycles) {
    EXPECT_EQ(bus.answer().status, Status::kOk);
    EXPECT_EQ(bus.answer().data, registers_of(client)[which]) << client << ", register " << which;
    EXPECT_EQ(bus.answer().cycles, cycles) << client << ", register " << which;
  }
  static constexpr unsigned kOpenClients = 2;
};

TEST_F(BootBuffersThatDiffer, AnswerAnAccessBehindALookupInItsCycle) {
  for (unsigned asked = 0; asked < kClients; ++asked) {
    for (unsigned which = 0; which < 3; ++which) {
      for (unsigned other = 0; other < kOpenClients; ++other) {
        bus.present(register_read(b::head(asked) + 8 * which));
        ASSERT_FALSE(begin(other, 0));  // all have refused
        while (!bus.idle()) step();
        expect_answer(asked, which, 2);
      }
    }
  }
}

TEST_F(BootBuffersThatDiffer, AnswerAnAccessInEachCycleOfADrain) {
  for (unsigned asked = 0; asked < kClients; ++asked) {
    for (unsigned which = 0; which < 3; ++which) {
      if (asked == 0 && which == 0) continue;  // its head moves
      unsigned waited = 0;
      for (unsigned at = 0; at < kDrain; ++at) {
        SCOPED_TRACE(at);
        open(0, 0);
        for (const std::size_t payload : {0U, 40U, 0U}) EXPECT_TRUE(store(0, payload));
        start(0, 0);
        after(at, [&] {
          bus.present(register_read(b::head(asked) + 8 * which));
          step();
        });
        ASSERT_NO_FATAL_FAILURE(take_all());
        ASSERT_TRUE(!meanwhile_ && bus.idle());
        const unsigned cycles = bus.answer().cycles;
        expect_answer(asked, which, cycles == 1 ? 1 : 2);
        waited += cycles - 1;
      }
      EXPECT_EQ(waited, 4U);  // while the head is looked at, and moves behind each packet
    }
  }
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

TEST_F(BootBuffers, GoOnWithTheirPacketsThoughOtherFifosSwitchMeanwhile) {
  const auto cycles_of_a_drain = [&](const std::function<void()>& begin_with) {
    open(1, 2);
    for (const std::size_t payload : {0U, 40U, 0U}) EXPECT_TRUE(store(1, payload));
    start(1, 2);
    const std::uint64_t from = block.cycle();
    begin_with();
    take_all();
    judge();
    return block.cycle() - from;
  };
  const std::uint64_t usual = cycles_of_a_drain([] {});
  std::uint64_t waited = 0;
  for (unsigned at = 0; at < kDrain; ++at) {
    SCOPED_TRACE(at);
    const std::uint64_t cycles =
        cycles_of_a_drain([&] { after(at, [this, at] { turn(at % 2 == 0, at % 2 != 0, 3, 5); }); });
    EXPECT_FALSE(meanwhile_);
    EXPECT_LE(cycles, usual + 1);
    waited += cycles - usual;
  }
  EXPECT_EQ(waited, 3U);  // while the head is looked at for each of the packets
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

TEST_F(BootBuffers, OpenedAnewGiveWayToAnyOtherThatWaits) {
  for (unsigned client = 0; client < kClients; ++client) {
    for (unsigned other = 0; other < kClients; ++other) {
      if (other == client) continue;
      open(client, client);
      open(other, other);
      for (unsigned i = 0; i < 2; ++i) EXPECT_TRUE(store(client, 100) && store(other, 40));
      start(client, client);
      ASSERT_TRUE(shows());
      EXPECT_EQ(shown(), &model[client]);
      start(other, other);
      open(client, client);
      ASSERT_TRUE(shows());
      EXPECT_EQ(shown(), &model[other]) << client;
      take_all();
      judge();
    }
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
    ASSERT_NO_FATAL_FAILURE(take_beats(packet, 16, 50));
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

}  // namespace
}  // namespace torusmu::testing
