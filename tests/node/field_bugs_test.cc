// SPDX-License-Identifier: Apache-2.0
// Bugs that real machines of this kind had in the field. Each test is named after the bug.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/node_setup.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace page = registers::client_page;
using model::Packet;

constexpr Coordinates kSender{0, 1, 1};  // the neighbour in x-
constexpr unsigned kFromSender = 1;
constexpr Cycles kPatience = 100'000;

// A node whose memory answers late and in any order.
NodeBenchOptions slow_memory(std::uint64_t seed) {
  NodeBenchOptions options;
  options.timing.write_latency = 30;
  options.timing.random_extra = 200;
  options.timing.stall_permille = 300;
  options.timing.reorder = true;
  options.seed = seed;
  return options;
}

Packet packet_of(std::uint64_t seed, std::size_t length, Bytes offset) {
  Packet packet =
      put_packet(kSender, {1, 1, 1}, bytes_of(seed, length), kTargetRegion.value, offset);
  packet.trailer.set<t::event_valid>(1).set<t::event_counter>(kEvent.value);
  return packet;
}

bool memory_holds(Device& device, Address at, const std::vector<std::uint8_t>& wanted) {
  std::vector<std::byte> found(wanted.size());
  device.load(at, found);
  return std::equal(found.begin(), found.end(), std::as_bytes(std::span(wanted)).begin());
}

TEST(CompletionVisibleBeforeItsData, NeverByAnEventCounter) {
  const Random random(5);
  SCOPED_TRACE(random.replay());
  NodeBench bench(slow_memory(random.seed()));
  bench.run([](Device& device) { open_everything(device, false); });
  for (std::uint32_t i = 0; i < 40; ++i) {
    const std::size_t length = 1 + i * 13 % 512;
    Packet packet = packet_of(i, length, 600 * i);
    packet.seal();
    bench.send(kFromSender, packet);
    bench.run([&](Device& device) {
      RawNode node(device);
      while (node.read_event(kEvent) == i) device.compute(1);
      EXPECT_TRUE(memory_holds(device, kTarget + 600 * i, packet.payload)) << "packet " << i;
    });
  }
}

TEST(CompletionVisibleBeforeItsData, NeverByAByteCounterOrItsInterrupt) {
  const Random random(6);
  SCOPED_TRACE(random.replay());
  NodeBench bench(slow_memory(random.seed()));
  bench.run([](Device& device) {
    open_everything(device, false);
    const std::array causes{Cause::kCounterZero};
    RawNode(device).enable_interrupts(causes);
  });
  for (std::uint32_t i = 0; i < 30; ++i) {
    bench.run([](Device& device) {
      RawNode(device).preload(kLoudCounter, 1000);
      (void)RawNode(device).causes();
    });
    const std::array packets{packet_of(i, 488, 2000 * i), packet_of(i + 100, 512, 2000 * i + 488)};
    for (Packet packet : packets) {
      packet.trailer.set<t::counter_valid>(1).set<t::counter>(kLoudCounter.value);
      packet.seal();
      bench.send(kFromSender, packet);
    }
    bench.run([&](Device& device) {
      RawNode node(device);
      if (i % 2 == 0) {
        EXPECT_TRUE(device.wait_interrupt(kOwner, device.now() + kPatience));
      } else {
        while (extract(node.read_counter(kLoudCounter), page::byte_counter_field::hit_zero) == 0) {
          device.compute(1);
        }
      }
      EXPECT_TRUE(memory_holds(device, kTarget + 2000 * i, packets[0].payload)) << i;
      EXPECT_TRUE(memory_holds(device, kTarget + 2000 * i + 488, packets[1].payload)) << i;
      node.clear_causes(~std::uint64_t{0});
    });
  }
}

TEST(CompletionVisibleBeforeItsData, NeverByTheTailOfAFifo) {
  const Random random(7);
  SCOPED_TRACE(random.replay());
  NodeBench bench(slow_memory(random.seed()));
  bench.run([](Device& device) { open_everything(device, false); });
  std::uint32_t head = 0;
  for (std::uint32_t i = 0; i < 40; ++i) {
    Packet packet = packet_of(i, 1 + i * 29 % 512, 0);
    packet.header.set<h::kind>(Kind::kFifo).set<h::target>(kFifo.value);
    packet.seal();
    bench.send(kFromSender, packet);
    bench.run([&](Device& device) {
      RawNode node(device);
      std::uint32_t tail = node.fifo_tail(kFifo);
      for (; tail == head; tail = node.fifo_tail(kFifo)) device.compute(1);
      const auto slots = static_cast<std::uint32_t>(1 + (packet.payload.size() + 31) / 32);
      EXPECT_EQ(tail - head, slots);
      // The whole entry is there, wherever the ring wraps.
      std::vector<std::uint8_t> wanted(std::size_t{slots} * 32);
      const auto header = packet.header.bytes();
      const auto trailer = packet.trailer.bytes();
      std::copy(header.begin(), header.end(), wanted.begin());
      std::copy(trailer.begin(), trailer.end(), wanted.begin() + 16);
      std::copy(packet.payload.begin(), packet.payload.end(), wanted.begin() + 32);
      for (std::uint32_t slot = 0; slot < slots; ++slot) {
        const std::vector<std::uint8_t> part(wanted.begin() + slot * 32,
                                             wanted.begin() + slot * 32 + 32);
        EXPECT_TRUE(memory_holds(device, kFifoRing + (head + slot) % kFifoSlots * 32, part))
            << "packet " << i << " slot " << slot;
      }
      node.set_fifo_head(kFifo, head = tail);
    });
  }
}

TEST(CompletionVisibleBeforeItsData, NeverByTheTailOfANoticeRing) {
  const Random random(8);
  SCOPED_TRACE(random.replay());
  NodeBench bench(slow_memory(random.seed()));
  bench.run([](Device& device) { open_everything(device, false); });
  for (std::uint32_t i = 0; i < 40; ++i) {
    Packet notice = put_packet(kSender, {1, 1, 1}, {}, 3, 9);
    notice.header.set<h::kind>(Kind::kNotice)
        .set<h::reply>(1)
        .set<h::client>(0)
        .set<h::word>(i + 1);
    notice.seal();
    bench.send(kFromSender, notice);
    bench.run([&](Device& device) {
      while ((device.read64(page::notice_tail(0)) & 0xffffffff) == i) device.compute(1);
      const auto header = notice.header.bytes();
      EXPECT_TRUE(memory_holds(device, kNoticeRing + i % kNoticeSlots * 32,
                               {header.begin(), header.end()}));
      device.write64(page::notice_head(0), i + 1);
    });
  }
}

TEST(DescriptorReadBeforeItsTailWasPublished, WhatLayInTheSlotBeforeIsNeverRun) {
  NodeJudge judge;
  open_everything(judge.device(), false);
  RawNode node = judge.raw();
  // What must not run bumps another counter.
  Descriptor stale = good_put(judge.here(), 9);
  stale.set<d::event_counter>(kDoneEvent.value).set<d::done_event_valid>(0);
  for (std::uint32_t i = 0; i < kRingSlots; ++i) {
    node.write_descriptor(kDoorbellRing, kRingSlots, i, stale);
  }
  for (std::uint32_t i = 0; i < 3 * kRingSlots; ++i) {
    Descriptor fresh = good_put(judge.here(), 1 + i % 8);
    fresh.set<d::done_event_valid>(0);
    node.write_descriptor(kDoorbellRing, kRingSlots, i, fresh);
    node.ring_doorbell(kDoorbellQueue, i + 1);
    judge.settle("one descriptor");
    node.write_descriptor(kDoorbellRing, kRingSlots, i, stale);
  }
  EXPECT_EQ(node.read_event(kEvent), 3 * kRingSlots);
  EXPECT_EQ(node.read_event(kDoneEvent), 0U);
}

TEST(AddressPlusLengthWraps, EachBoundIsKeptFromBothSides) {
  NodeJudge judge;
  open_everything(judge.device(), false);
  judge.settle("set-up");
  std::uint64_t refused = 0;
  for (const std::size_t length : {1U, 2U, 31U, 32U, 33U, 511U, 512U}) {
    const Bytes top = Bytes{1} << 37;
    for (const Bytes offset : {kRegionBytes - length, kRegionBytes - length + 1, kRegionBytes - 1,
                               kRegionBytes, top - length, top - 1}) {
      judge.deliver(
          put_packet(kSender, judge.here(), bytes_of(length, length), kTargetRegion.value, offset));
      const auto sent = judge.settle("put at a bound");
      const bool fits_in = offset + length <= kRegionBytes;
      EXPECT_EQ(sent.empty(), fits_in) << length << " bytes at " << offset;
      refused += fits_in ? 0 : 1;
    }
    // The region that runs past the end of the 40-bit space ends with the space.
    judge.deliver(put_packet(kSender, judge.here(), bytes_of(length, length), kEndRegion.value,
                             4096 - length + 1));
    EXPECT_EQ(judge.settle("past the address space").size(), 1U);
  }
  EXPECT_GT(refused, 0U);
}

TEST(RingCrossesAPageOrItsEnd, EverySizeAndAlignmentRunsInOrder) {
  NodeJudge judge;
  open_everything(judge.device(), false);
  judge.device().store(kSource, pattern(1, 8192));
  RawNode node = judge.raw();
  std::uint32_t posted = 0;
  for (const std::uint32_t slots : {1U, 2U, 4U, 8U, 16U}) {
    for (const Address shift : {0U, 1U, 33U, 4096U - 64U, 4096U - 63U, 4096U - 16U, 4096U - 1U}) {
      const Address ring = 0x40000 + shift;
      set_queue(judge.device(), kDoorbellQueue, ring, slots, QueueMode::kDoorbell, kOwner, false);
      std::uint32_t tail = 0;
      for (std::uint32_t round = 0; round < 3; ++round) {
        for (std::uint32_t i = 0; i < slots; ++i) {
          node.write_descriptor(ring, slots, tail++, good_put(judge.here(), 1 + posted++ % 8));
        }
        node.ring_doorbell(kDoorbellQueue, tail);
        EXPECT_LT(node.queue_head(kDoorbellQueue), tail + 1);  // and waits for the model
      }
    }
    judge.settle("rings of " + std::to_string(slots));
  }
  EXPECT_EQ(node.read_event(kEvent), posted);
}

TEST(RingCrossesAPageOrItsEnd, AFifoOfAnySizeAndAlignmentHoldsWhatCame) {
  NodeJudge judge;
  open_everything(judge.device(), false);
  RawNode node = judge.raw();
  for (const std::uint32_t slots : {32U, 64U, 128U}) {
    for (const Address shift : {0U, 1U, 31U, 4096U - 32U, 4096U - 5U}) {
      judge.device().write64(registers::reception_fifo::config(kFifo.value), 0);
      node.open_fifo(kFifo, 0x50000 + shift, slots, true);
      for (std::uint32_t i = 0; i < 6; ++i) {
        Packet packet =
            put_packet(kSender, judge.here(), bytes_of(i, (i * 131 + slots) % 513), kFifo.value, 0);
        packet.header.set<h::kind>(Kind::kFifo);
        judge.deliver_sealed(packet);
        node.set_fifo_head(kFifo, node.fifo_tail(kFifo));
      }
    }
    judge.settle("FIFOs of " + std::to_string(slots));
  }
}

TEST(LengthInAPacketTrustedOverTheBuffersSize, NothingIsWrittenPastEither) {
  NodeJudge judge;
  open_everything(judge.device(), false);
  judge.device().store(kTarget, std::vector<std::byte>(kRegionBytes + 1024, std::byte{0x5a}));
  judge.settle("set-up");
  unsigned bad = 0;
  for (const std::size_t claimed : {0U, 1U, 15U, 33U, 500U, 512U, 513U, 1023U}) {
    Packet packet = put_packet(kSender, judge.here(), bytes_of(1, 32), kTargetRegion.value, 0);
    packet.header.set<h::bytes>(claimed);
    packet.seal();
    judge.deliver_broken(flits_of_packet(packet), 1);
    ++bad;
  }
  // A FIFO without room for the packet, whatever the size that the packet has.
  judge.device().write64(registers::reception_fifo::config(kFifo.value), 0);
  judge.raw().open_fifo(kFifo, kFifoRing, 32, false);
  for (unsigned i = 0; i < 2; ++i) {
    Packet packet = put_packet(kSender, judge.here(), bytes_of(i, 512), kFifo.value, 0);
    packet.header.set<h::kind>(Kind::kFifo);
    judge.deliver_sealed(packet);
  }
  const auto sent = judge.settle("a full FIFO");
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].header.get<h::word>() & 0xff, static_cast<std::uint64_t>(Status::kFifoFull));
  EXPECT_EQ(judge.device().read64(registers::node::bad_packets()), bad);
}

TEST(ConsumerIndexPassesTheProducer, IsRefusedForEveryRing) {
  NodeJudge judge;
  open_everything(judge.device(), false);
  RawNode node = judge.raw();
  for (std::uint32_t round = 0; round < 5; ++round) {
    Packet packet = put_packet(kSender, judge.here(), bytes_of(round, 100), kFifo.value, 0);
    packet.header.set<h::kind>(Kind::kFifo);
    judge.deliver_sealed(packet);
    Packet notice = put_packet(kSender, judge.here(), {}, 3, 9);
    notice.header.set<h::kind>(Kind::kNotice).set<h::reply>(1).set<h::client>(0);
    judge.deliver_sealed(notice);
    const std::uint32_t tail = node.fifo_tail(kFifo);
    node.set_fifo_head(kFifo, tail + 1);
    node.set_fifo_head(kFifo, tail + 0x80000000U);
    judge.device().write64(page::notice_head(0), round + 2);
    judge.settle("too far");
    EXPECT_EQ(judge.device().read64(registers::reception_fifo::head(kFifo.value)), round * 5);
    node.set_fifo_head(kFifo, tail);
    judge.device().write64(page::notice_head(0), round + 1);
    node.set_fifo_head(kFifo, tail - 1);  // and never back
    judge.settle("to the tail");
    EXPECT_EQ(judge.device().read64(registers::reception_fifo::head(kFifo.value)), tail);
  }
}

TEST(TeardownWhileWorkIsOutstanding, EndsInABoundedTimeAndTheQueueWorksAgain) {
  for (const Cycles delay : {0U, 3U, 9U, 14U, 20U, 27U, 40U, 55U, 80U, 120U, 333U, 1200U}) {
    NodeBench bench(slow_memory(delay + 1));
    bench.run([&](Device& device) {
      open_everything(device, false);
      RawNode node(device);
      for (std::uint32_t i = 0; i < kRingSlots; ++i) {
        Descriptor put = good_put({2, 1, 1}, i);
        put.set<d::length>(20'000).set<d::done_event_valid>(0);
        node.write_descriptor(kDoorbellRing, kRingSlots, i, put);
      }
      node.ring_doorbell(kDoorbellQueue, kRingSlots);
      device.compute(delay);
      const Cycles before = device.now();
      device.write64(registers::injection_queue::config(kDoorbellQueue.value), 0);
      (void)device.read64(registers::injection_queue::config(kDoorbellQueue.value));
      EXPECT_LT(device.now() - before, 60'000U) << "delay " << delay;
      EXPECT_EQ(device.read64(registers::injection_queue::tail(kDoorbellQueue.value)), 0U);
      set_queue(device, kDoorbellQueue, kDoorbellRing, kRingSlots, QueueMode::kDoorbell, kOwner,
                false);
      node.write_descriptor(kDoorbellRing, kRingSlots, 0, good_put({1, 1, 1}, 3));
      node.ring_doorbell(kDoorbellQueue, 1);
      const Cycles deadline = device.now() + kPatience;
      while (node.read_event(kEvent) == 0 && device.now() < deadline) device.compute(20);
      EXPECT_EQ(node.read_event(kEvent), 1U) << "delay " << delay;
      EXPECT_EQ(node.queue_head(kDoorbellQueue), 1U);
    });
    EXPECT_EQ(bench.complaints(), "") << "delay " << delay;
    for (const Packet& packet : bench.take_packets()) EXPECT_TRUE(packet.crc_is_good());
  }
}

TEST(TeardownWhileWorkIsOutstanding, AFifoClosedUnderTrafficRefusesAndOpensEmpty) {
  for (const Cycles delay : {5U, 40U, 70U, 110U, 150U, 400U}) {
    NodeBench bench(slow_memory(delay));
    bench.run([](Device& device) { open_everything(device, false); });
    for (std::uint32_t i = 0; i < 12; ++i) {
      Packet packet = put_packet(kSender, {1, 1, 1}, bytes_of(i, 64), kFifo.value, 0);
      packet.header.set<h::kind>(Kind::kFifo);
      packet.seal();
      bench.send(kFromSender, packet);
    }
    bench.run([&](Device& device) {
      device.compute(delay);
      device.write64(registers::reception_fifo::config(kFifo.value), 0);
      (void)device.read64(registers::reception_fifo::config(kFifo.value));
      device.compute(20'000);
      EXPECT_EQ(device.read64(registers::reception_fifo::tail(kFifo.value)), 0U);
      RawNode(device).open_fifo(kFifo, kFifoRing, kFifoSlots, false);
      EXPECT_EQ(RawNode(device).fifo_tail(kFifo), 0U);
    });
    EXPECT_EQ(bench.complaints(), "");
    for (const Packet& notice : bench.take_packets()) {
      EXPECT_EQ(notice.header.get<h::word>() & 0xff,
                static_cast<std::uint64_t>(Status::kFifoInvalid));
    }
  }
}

TEST(CreditsLeak, EveryCreditOfEveryLinkComesHomeWhateverThePacketsWere) {
  Random random(17);
  SCOPED_TRACE(random.replay());
  NodeBench bench(slow_memory(random.seed()));
  bench.run([](Device& device) { open_everything(device, false); });
  for (unsigned round = 0; round < 15; ++round) {
    for (unsigned i = 0; i < 30; ++i) {
      const bool reply = random.chance(40);
      Packet packet = put_packet(kSender, {1, 1, 1}, bytes_of(i, random.below(reply ? 33 : 513)),
                                 random.chance(70) ? kTargetRegion.value : kClosedRegion.value,
                                 random.below(kRegionBytes));
      packet.header.set<h::reply>(reply);
      if (random.chance(20)) packet.header.set<h::kind>(static_cast<Kind>(random.below(16)));
      if (!random.chance(15)) packet.seal();
      bench.send(static_cast<unsigned>(random.below(6)), packet);
    }
    bench.settle();
    ASSERT_EQ(bench.complaints(), "") << "round " << round;
  }
}

TEST(AllOnesReadFromADeadDevice, CannotBeTakenForALiveOne) {
  NodeJudge judge;
  for (std::uint32_t client = 0; client < kSim.clients; ++client) {
    const std::uint64_t status = judge.device().read64(page::page_status(client));
    EXPECT_EQ(extract(status, page::page_status_field::signature), registers::kSignature);
    EXPECT_NE(status, ~std::uint64_t{0});
  }
  static_assert(registers::kSignature != 0xffffffff && registers::kSignature != 0);
  // What is not there reads as zero, not as all ones.
  EXPECT_EQ(judge.device().read64(0xf0000), 0U);
  judge.settle("reads");
}

// Our wait is a core's: it clears what it has seen and sleeps until the line rises again.
TEST(WaitAndEventRace, ACauseThatComesWhileItIsClearedIsSeenBeforeOrAfter) {
  NodeBench bench({});
  bench.run([](Device& device) {
    open_everything(device, false);
    const std::array causes{Cause::kArrived};
    RawNode(device).enable_interrupts(causes);
  });
  for (std::uint32_t delay = 0; delay < 90; ++delay) {
    Packet packet = packet_of(delay, 16, 0);
    packet.trailer.set<t::interrupt>(1);
    packet.seal();
    bench.send(kFromSender, packet);
    bench.run([&](Device& device) {
      RawNode node(device);
      device.compute(delay);
      const std::uint64_t seen = node.causes();
      node.clear_causes(seen);
      if ((seen >> static_cast<unsigned>(Cause::kArrived) & 1U) == 0) {
        EXPECT_TRUE(device.wait_interrupt(kOwner, device.now() + kPatience)) << "delay " << delay;
        node.clear_causes(~std::uint64_t{0});
      }
      EXPECT_EQ(node.read_event(kEvent), delay + 1);
      (void)node.causes();
    });
    EXPECT_FALSE(bench.interrupt(kOwner)) << "delay " << delay;
  }
}

// The same cycle by cycle: whatever the distance between a cause and its clear, the line is low at
// the end only if the clear came later.
TEST(WaitAndEventRace, ACauseInTheVeryCycleOfItsClearStays) {
  constexpr Cycles kWatch = 300;
  NodeBench bench({});
  bench.run([](Device& device) {
    open_everything(device, false);
    const std::array causes{Cause::kArrived};
    RawNode(device).enable_interrupts(causes);
    (void)RawNode(device).causes();
  });
  Packet packet = packet_of(1, 16, 0);
  packet.trailer.set<t::interrupt>(1).set<t::event_valid>(0);
  packet.seal();
  const auto arrive = [&] {
    bench.send(kFromSender, packet);
    bench.settle();
  };
  const auto clear_after = [](Cycles delay) {
    return [delay](Device& device) {
      device.compute(delay + 1);
      RawNode(device).clear_causes(~std::uint64_t{0});
    };
  };
  // Cycles until the line has changed.
  const auto cycles_until = [&](bool high) {
    Cycles count = 0;
    for (; bench.interrupt(kOwner) != high && count < kWatch; ++count) bench.pass(1);
    bench.settle();
    return count;
  };
  // What each takes alone.
  bench.send(kFromSender, packet);
  const Cycles rises_after = cycles_until(true);
  bench.start(clear_after(0));
  const Cycles falls_after = cycles_until(false);
  arrive();
  bench.start(clear_after(7));
  EXPECT_EQ(cycles_until(false), falls_after + 7);
  ASSERT_GT(rises_after, falls_after);

  unsigned same_cycle = 0;
  for (Cycles delay = 0; falls_after + delay <= rises_after + 5; ++delay) {
    arrive();
    ASSERT_TRUE(bench.interrupt(kOwner));
    bench.send(kFromSender, packet);
    bench.start(clear_after(delay));
    bench.settle();
    const bool cleared_later = falls_after + delay > rises_after;
    if (falls_after + delay == rises_after) ++same_cycle;
    EXPECT_EQ(bench.interrupt(kOwner), !cleared_later)
        << "cause after " << rises_after << " cycles, clear after " << falls_after + delay;
    bench.run(clear_after(0));
  }
  EXPECT_EQ(same_cycle, 1U);
}

TEST(FullRemoteGetQueueStallsTheReceiver, EveryGetRunsOrIsNoticedAndAPutBehindThemArrives) {
  NodeBench bench({});
  bench.run([](Device& device) {
    open_everything(device, false);
    set_queue(device, kGetQueue, kGetRing, 1, QueueMode::kRemoteGet, kOwner, false);
  });
  constexpr unsigned kGets = 40;
  Descriptor put = put_descriptor(kSender, {kReadableRegion, 0, 512}, {2}, 0, {});
  const auto bytes = put.bytes();
  for (unsigned i = 0; i < kGets; ++i) {
    Packet packet =
        put_packet(kSender, {1, 1, 1}, {bytes.begin(), bytes.end()}, kGetQueue.value, 0);
    packet.header.set<h::kind>(Kind::kGet);
    packet.trailer.set<t::sequence_number>(i);
    packet.seal();
    bench.send(kFromSender, packet);
  }
  Packet last = packet_of(1, 100, 0);
  last.seal();
  bench.send(kFromSender, last);
  bench.run([](Device& device) {
    const Cycles deadline = device.now() + kPatience;
    while (RawNode(device).read_event(kEvent) == 0 && device.now() < deadline) device.compute(1);
    EXPECT_EQ(RawNode(device).read_event(kEvent), 1U);
  });
  unsigned done = 0;
  unsigned noticed = 0;
  for (const Packet& packet : bench.take_packets()) {
    if (packet.header.get<h::kind>() == Kind::kPut) ++done;
    if (packet.header.get<h::kind>() != Kind::kNotice) continue;
    EXPECT_EQ(packet.header.get<h::word>() & 0xff, static_cast<std::uint64_t>(Status::kQueueFull));
    ++noticed;
  }
  EXPECT_EQ(done + noticed, kGets);
  EXPECT_GT(done, 0U);
  EXPECT_GT(noticed, 0U);
  EXPECT_EQ(bench.complaints(), "");
}

}  // namespace
}  // namespace torusmu::testing
