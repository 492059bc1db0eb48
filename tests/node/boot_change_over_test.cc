// SPDX-License-Identifier: Apache-2.0
// The moments at which a boot buffer changes hands, cycle by cycle on the node: what comes in just
// then is behind what came before, and none is lost or there twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/support/boot_buffer_fixture.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
using model::Packet;
using Entries = std::vector<std::uint8_t>;

constexpr Coordinates kHere{1, 1, 1}, kSender{0, 1, 1};
constexpr unsigned kFromSender = 1;
constexpr FifoId kBootFifo{5}, kForeignBootFifo{7};
constexpr Address kRing = 0x50010, kForeignRing = 0x60030;
constexpr std::uint32_t kRingSlotsOfFifo = 4096;
constexpr int kAround = 40;          // cycles
constexpr int kMoved = 200;          // cycles, in which what is in the buffer is moved
constexpr std::size_t kBefore = 2;   // packets that are in the buffer already
constexpr std::size_t kPackets = 2;  // packets that come
constexpr Bytes kRingBytes = 120 * Bytes{32};
constexpr std::array<Bytes, 6> kSizes{0, 1, 33, 100, 300, 512};

Entries bytes_at(NodeMemory& memory, Address at, std::size_t slots) {
  Entries entries(slots * kSim.fifo_slot_bytes);
  memory.read(at, std::as_writable_bytes(std::span(entries)));
  return entries;
}

// As begin_anew() leaves it.
Entries pattern_of_ring(std::size_t slots) {
  const std::vector<std::byte> bytes = pattern(1, slots * kSim.fifo_slot_bytes);
  Entries entries(bytes.size());
  std::transform(bytes.begin(), bytes.end(), entries.begin(),
                 [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  return entries;
}

class ChangeOver : public ::testing::Test {
 protected:
  ChangeOver() : bench_({}) {
    bench_.run([](Device& device) {
      open_everything(device, false);
      for (const auto& [fifo, ring] :
           {std::pair(kBootFifo, kRing), std::pair(kForeignBootFifo, kForeignRing)}) {
        device.write64(registers::reception_fifo::base(fifo.value), ring);
        device.write64(registers::reception_fifo::size(fifo.value), kRingSlotsOfFifo);
      }
    });
  }

  // The boot buffer is open and empty, and nothing of before lies in the ring.
  void begin_anew() {
    bench_.run([](Device& device) {
      device.store(kRing, pattern(1, kRingBytes));
      device.store(kForeignRing, pattern(1, kRingBytes));
      write_config(device, kForeignBootFifo, kOff);
      write_config(device, kBootFifo, kOff);
      open_boot_buffer(device, kOwner);
      open_boot_buffer(device, kForeigner);
      write_config(device, kBootFifo, kBoots);
    });
  }
  void send_and_settle(const std::vector<Packet>& packets) {
    for (const Packet& packet : packets) bench_.send(kFromSender, packet);
    bench_.settle();
  }
  // The packets arrive one behind the other, the first `after` cycles before `program` begins, or
  // as many behind it if that is negative.
  void meet(const std::vector<Packet>& packets, const Core::Program& program, int after) {
    if (after < 0) {
      bench_.start(program);
      bench_.pass(static_cast<Cycles>(-after));
    }
    for (const Packet& packet : packets) bench_.send(kFromSender, packet);
    if (after >= 0) {
      bench_.pass(static_cast<Cycles>(after));
      bench_.start(program);
    }
    bench_.settle();
    look();
  }
  static Core::Program writes(const FifoConfig& config) {
    return [config](Device& device) { write_config(device, kBootFifo, config); };
  }
  void look() {
    bench_.run([this](Device& device) {
      const BootBufferOf buffer(device);
      head_ = buffer.head();
      tail_ = buffer.tail();
      fifo_tail_ = device.read64(registers::reception_fifo::tail(kBootFifo.value));
    });
  }
  Entries in_ring(std::size_t slots, Address ring = kRing) {
    return bytes_at(bench_.memory(), ring, slots);
  }
  // What is in the buffer goes into a ring that holds nothing.
  Entries start_and_look(const FifoConfig& config = kMoves) {
    bench_.run([](Device& device) { device.store(kRing, pattern(1, kRingBytes)); });
    bench_.run(writes(config));
    look();
    return in_ring(fifo_tail_);
  }
  static std::vector<Packet> packets(Bytes bytes, std::size_t count = kPackets,
                                     std::uint32_t first = 1) {
    std::vector<Packet> made;
    for (std::uint32_t i = 0; i < count; ++i) {
      made.push_back(fifo_packet(first + i, bytes, kBootFifo, kSender, kHere));
    }
    return made;
  }
  static std::vector<Packet> joined(std::vector<Packet> one, const std::vector<Packet>& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
  }
  // From before the first packet comes to behind the last.
  static int last_offset(Bytes bytes) {
    const Bytes flits = 2 + (bytes + kFlitBytes - 1) / kFlitBytes;
    return kAround + static_cast<int>(kPackets * flits);
  }
  static std::vector<Packet> first_of(const std::vector<Packet>& all, std::size_t count) {
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  static std::vector<Packet> last_of(const std::vector<Packet>& all, std::size_t count) {
    return {all.end() - static_cast<std::ptrdiff_t>(count), all.end()};
  }

  NodeBench bench_;
  std::uint32_t head_ = 0, tail_ = 0;  // of the boot buffer
  std::uint64_t fifo_tail_ = 0;
};

TEST_F(ChangeOver, ToTheFifoLosesRepeatsAndReordersNothing) {
  for (const Bytes bytes : kSizes) {
    const std::vector<Packet> before = packets(bytes, kBefore, 11), come = packets(bytes);
    const std::uint32_t slots = slots_of_packet(bytes);
    std::size_t kept_before = 0;
    for (int after = -kMoved; after <= last_offset(bytes); ++after) {
      SCOPED_TRACE(::testing::Message() << bytes << " bytes, " << after << " cycles");
      begin_anew();
      send_and_settle(before);
      meet(come, writes(kMoves), after);
      ASSERT_EQ(fifo_tail_, (kBefore + kPackets) * slots);
      ASSERT_EQ(in_ring(fifo_tail_), as_entries(joined(before, come)));
      ASSERT_EQ(in_ring(fifo_tail_ + 1).back(), pattern_of_ring(fifo_tail_ + 1).back());
      ASSERT_EQ(head_, tail_);
      const std::size_t kept = tail_ / slots;
      ASSERT_EQ(tail_, kept * slots);
      ASSERT_GE(kept, kept_before) << "a later switch leaves no fewer packets to the buffer";
      kept_before = kept;
      if (after == -kMoved) {
        EXPECT_EQ(kept, kBefore);
      }
    }
    EXPECT_EQ(kept_before, kBefore + kPackets);
    ASSERT_TRUE(bench_.take_packets().empty()) << "a packet was refused";
  }
}

TEST_F(ChangeOver, ToTheProcessLeavesAllOfBeforeInTheBuffer) {
  for (const Bytes bytes : kSizes) {
    const std::vector<Packet> all = packets(bytes);
    const std::uint32_t slots = slots_of_packet(bytes);
    std::size_t kept_before = 0;
    for (int after = -kAround; after <= last_offset(bytes); ++after) {
      SCOPED_TRACE(::testing::Message() << bytes << " bytes, " << after << " cycles");
      begin_anew();
      // The tail that is read behind the switch tells of all that will ever be kept.
      std::uint32_t read = 0;
      meet(
          all,
          [&read](Device& device) {
            write_config(device, kBootFifo, kTakes);
            read = BootBufferOf(device).tail();
          },
          after);
      const std::size_t kept = tail_ / slots;
      ASSERT_EQ(read, tail_);
      ASSERT_EQ(tail_, kept * slots);
      ASSERT_EQ(head_, 0U);
      ASSERT_GE(kept, kept_before);
      kept_before = kept;
      ASSERT_EQ(fifo_tail_, (kPackets - kept) * slots);
      ASSERT_EQ(in_ring(fifo_tail_), as_entries(last_of(all, kPackets - kept)));
    }
    EXPECT_EQ(kept_before, kPackets);
    ASSERT_TRUE(bench_.take_packets().empty());
  }
}

TEST_F(ChangeOver, ToNothingRefusesWhatIsNotKept) {
  for (const Bytes bytes : {Bytes{0}, Bytes{512}}) {
    const std::vector<Packet> all = packets(bytes);
    const std::uint32_t slots = slots_of_packet(bytes);
    for (int after = -kAround; after <= last_offset(bytes); ++after) {
      SCOPED_TRACE(::testing::Message() << bytes << " bytes, " << after << " cycles");
      begin_anew();
      meet(all, writes(kOff), after);
      const std::size_t kept = tail_ / slots;
      ASSERT_EQ(tail_, kept * slots);
      ASSERT_EQ(bench_.take_packets().size(), kPackets - kept);
      ASSERT_EQ(start_and_look(), as_entries(first_of(all, kept)));
    }
  }
}

TEST_F(ChangeOver, FromTheFifoLosesRepeatsAndReordersNothing) {
  for (const Bytes bytes : {Bytes{1}, Bytes{300}}) {
    const std::vector<Packet> all = packets(bytes);
    const std::uint32_t slots = slots_of_packet(bytes);
    for (int after = -kAround; after <= last_offset(bytes); ++after) {
      SCOPED_TRACE(::testing::Message() << bytes << " bytes, " << after << " cycles");
      begin_anew();
      bench_.run(writes(kTakes));
      meet(all, writes(kBoots), after);
      const std::size_t kept = tail_ / slots;
      ASSERT_EQ(tail_, kept * slots);
      ASSERT_EQ(in_ring((kPackets - kept) * slots), as_entries(first_of(all, kPackets - kept)));
      ASSERT_EQ(start_and_look(), as_entries(last_of(all, kept)));
    }
  }
}

// What comes for the process before is not seen by the next, in whole or in part.
TEST_F(ChangeOver, ConfiguringTheBufferDropsWhatCameBefore) {
  for (const Bytes bytes : {Bytes{0}, Bytes{33}, Bytes{512}}) {
    const std::vector<Packet> all = packets(bytes);
    const std::uint32_t slots = slots_of_packet(bytes);
    std::size_t kept_before = kPackets;
    for (int after = -kAround; after <= last_offset(bytes); ++after) {
      SCOPED_TRACE(::testing::Message() << bytes << " bytes, " << after << " cycles");
      begin_anew();
      meet(
          all, [](Device& device) { write_config(device, kKeeper, kKeeps); }, after);
      const std::size_t kept = tail_ / slots;
      ASSERT_EQ(tail_, kept * slots);
      ASSERT_LE(kept, kept_before);
      kept_before = kept;
      ASSERT_EQ(fifo_tail_, 0U);
      ASSERT_EQ(start_and_look(), as_entries(last_of(all, kept)));
    }
    EXPECT_EQ(kept_before, 0U);
    ASSERT_TRUE(bench_.take_packets().empty());
  }
}

TEST_F(ChangeOver, ToAnotherOwnerLeavesEachItsOwn) {
  for (const Bytes bytes : {Bytes{33}, Bytes{512}}) {
    const std::vector<Packet> all = packets(bytes);
    const std::uint32_t slots = slots_of_packet(bytes);
    for (int after = -kAround; after <= last_offset(bytes); ++after) {
      SCOPED_TRACE(::testing::Message() << bytes << " bytes, " << after << " cycles");
      begin_anew();
      meet(all, writes(kBootsForForeigner), after);
      const std::size_t kept = tail_ / slots;
      ASSERT_EQ(start_and_look(kMovesForForeigner), as_entries(last_of(all, kPackets - kept)));
      ASSERT_EQ(start_and_look(), as_entries(first_of(all, kept)));
    }
  }
}

// --- while it is moved --------------------------------------------------------------------------

// What has been moved is whole, the rest is gone, and the next owner gets its own alone.
TEST_F(ChangeOver, ConfiguringItWhileItIsMovedDropsTheRest) {
  for (const FifoConfig& next : {kMoves, kBoots}) {
    for (const Bytes bytes : {Bytes{8}, Bytes{300}}) {
      const std::vector<Packet> all = packets(bytes, 4);
      const std::uint32_t slots = slots_of_packet(bytes);
      const std::vector<Packet> later = packets(50, 1, 77);
      std::size_t moved_before = 0;
      for (Cycles pause = 0; pause < 140; ++pause) {
        SCOPED_TRACE(::testing::Message() << bytes << " bytes, " << pause << " cycles");
        begin_anew();
        send_and_settle(all);
        bench_.run([&](Device& device) {
          write_config(device, kBootFifo, kMoves);
          device.compute(pause);
          write_config(device, kKeeper, kKeeps);
          write_config(device, kBootFifo, next);
        });
        std::size_t moved = 0;
        while (moved < 4 && in_ring((moved + 1) * slots) == as_entries(first_of(all, moved + 1))) {
          ++moved;
        }
        Entries wanted = pattern_of_ring(4 * slots);
        const Entries whole = as_entries(first_of(all, moved));
        std::copy(whole.begin(), whole.end(), wanted.begin());
        ASSERT_EQ(in_ring(4 * slots), wanted) << "a packet is torn";
        ASSERT_GE(moved, moved_before);
        moved_before = moved;
        send_and_settle(later);
        if (next.enable) {
          look();
          ASSERT_EQ(in_ring(fifo_tail_), as_entries(later));
        } else {
          ASSERT_EQ(start_and_look(), as_entries(later));
        }
      }
      EXPECT_GT(moved_before, 1U);
      ASSERT_TRUE(bench_.take_packets().empty());
    }
  }
}

// Whatever else comes behind the switch waits for no more than the packet that is being moved.
TEST_F(ChangeOver, RequestsBehindItWaitForOnePacketAtMost) {
  constexpr Cycles kOfOnePacket = 40;
  const std::vector<Packet> all = packets(512, 7);
  for (const Kind kind : {Kind::kPut, Kind::kGet, Kind::kSend, Kind::kFence}) {
    SCOPED_TRACE(name_of(kind));
    const bool moves_bytes = kind == Kind::kPut || kind == Kind::kGet;
    // A place that may be written; a get queue or receive queue that is off.
    Packet packet =
        put_packet(kSender, kHere, bytes_of(9, moves_bytes ? 64 : 0),
                   kind == Kind::kPut || kind == Kind::kFence ? kTargetRegion.value : 30, 0);
    packet.header.set<h::kind>(kind);
    packet.trailer.set<t::last>(1);
    packet.seal();
    const auto cycles_to_its_effect = [&](bool switches) {
      begin_anew();
      send_and_settle(all);
      bench_.memory().write(kTarget, pattern(1, 64));
      if (switches) bench_.start(writes(kMoves));
      bench_.pass(60);
      bench_.send(kFromSender, packet);
      const auto has_effect = [&] {
        if (kind != Kind::kPut) return !bench_.take_packets().empty();
        std::vector<std::byte> found(64);
        bench_.memory().read(kTarget, found);
        return found != pattern(1, 64);
      };
      Cycles waited = 0;
      for (; !has_effect() && waited < 2000; ++waited) bench_.pass(1);
      const bool is_moving = in_ring(7 * 17) != as_entries(all);
      bench_.settle();
      (void)bench_.take_packets();
      EXPECT_TRUE(is_moving) << "it came too late to see it";
      return waited;
    };
    const Cycles alone = cycles_to_its_effect(false);
    EXPECT_LE(cycles_to_its_effect(true), alone + kOfOnePacket);
    EXPECT_EQ(in_ring(7 * 17), as_entries(all));
  }
}

TEST_F(ChangeOver, RepliesBehindItPass) {
  const std::vector<Packet> all = packets(512, 7);
  begin_anew();
  send_and_settle(all);
  Packet reply = put_packet(kSender, kHere, bytes_of(9, 32), kTargetRegion.value, 0);
  reply.header.set<h::reply>(1);
  reply.seal();
  bench_.memory().write(kTarget, pattern(1, 32));
  bench_.start(writes(kMoves));
  bench_.pass(12);
  bench_.send(kFromSender, reply);
  std::vector<std::byte> found = pattern(1, 32);
  for (Cycles waited = 0; found == pattern(1, 32); ++waited) {
    ASSERT_LT(waited, 2000U);
    bench_.pass(1);
    bench_.memory().read(kTarget, found);
  }
  EXPECT_NE(in_ring(7 * 17), as_entries(all)) << "it came too late to see it";
  bench_.settle();
  EXPECT_EQ(in_ring(7 * 17), as_entries(all));
}

// --- the process itself -------------------------------------------------------------------------

// It switches at some time, and reads its FIFO; all that it has received, in its order.
class Starting {
 public:
  Starting(FifoId fifo, Address ring, ClientId client, std::uint32_t slots, Cycles pause)
      : fifo_(fifo), ring_(ring), client_(client), slots_(slots), pause_(pause) {}

  void operator()(Device& device) {
    const BootBufferOf buffer(device, client_);
    while (buffer.tail() == 0) device.compute(5);
    device.compute(pause_);
    write_config(
        device, fifo_,
        {.enable = true, .boot = true, .owner = client_, .keeper = boot_buffer_of(client_)});
    kept_ = buffer.tail();
    RawNode node(device, client_);
    std::uint32_t head = 0;
    while (head < slots_) {
      const std::uint32_t tail = node.fifo_tail(fifo_);
      if (tail == head) device.compute(20);
      for (; head != tail; ++head) {
        Entries slot(kSim.fifo_slot_bytes);
        device.load(ring_ + Bytes{head} * slot.size(), std::as_writable_bytes(std::span(slot)));
        append(slot);
      }
    }
  }
  [[nodiscard]] const Entries& received() const { return received_; }
  [[nodiscard]] bool switched() const { return kept_ < slots_; }  // before the last packet came

 private:
  void append(const Entries& entries) {
    received_.insert(received_.end(), entries.begin(), entries.end());
  }
  FifoId fifo_;
  Address ring_;
  ClientId client_;
  std::uint32_t slots_;  // of all packets
  Cycles pause_;
  Entries received_;
  std::uint32_t kept_ = 0;
};

TEST(StartOfAProcess, OfTwoClientsReceivesEverythingInOrder) {
  Random random(528);
  SCOPED_TRACE(random.replay());
  unsigned switched = 0;
  for (unsigned round = 0; round < 12; ++round) {
    SCOPED_TRACE(round);
    NodeBench bench({.seed = random.bits64()});
    constexpr std::uint32_t kMessages = 30;
    std::vector<Packet> all, own, foreign;
    std::uint32_t own_slots = 0, foreign_slots = 0;
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      const bool of_owner = random.chance(50) || i == 0;
      const Bytes bytes = random.below(kSim.payload_bytes + 1);
      all.push_back(
          fifo_packet(i + 1, bytes, of_owner ? kBootFifo : kForeignBootFifo, kSender, kHere));
      (of_owner ? own : foreign).push_back(all.back());
      (of_owner ? own_slots : foreign_slots) += slots_of_packet(bytes);
    }
    bench.run([](Device& device) {
      for (const auto& [fifo, ring] :
           {std::pair(kBootFifo, kRing), std::pair(kForeignBootFifo, kForeignRing)}) {
        device.write64(registers::reception_fifo::base(fifo.value), ring);
        device.write64(registers::reception_fifo::size(fifo.value), kRingSlotsOfFifo);
      }
      open_boot_buffer(device, kOwner);
      open_boot_buffer(device, kForeigner);
      write_config(device, kBootFifo, kBoots);
      write_config(device, kForeignBootFifo, kBootsForForeigner);
    });
    Starting one(kBootFifo, kRing, kOwner, own_slots, random.below(3000));
    Starting other(kForeignBootFifo, kForeignRing, kForeigner, foreign_slots, random.below(3000));
    bench.start([&one](Device& device) { one(device); });
    bench.start([&other](Device& device) { other(device); });
    for (const Packet& packet : all) {
      bench.send(kFromSender, packet);
      bench.pass(random.below(800));
    }
    bench.settle();
    EXPECT_TRUE(bench.take_packets().empty()) << "none was refused";
    EXPECT_EQ(one.received(), as_entries(own));
    EXPECT_EQ(other.received(), as_entries(foreign));
    switched += (one.switched() ? 1U : 0U) + (other.switched() ? 1U : 0U);
  }
  EXPECT_GT(switched, 6U) << "hardly a switch falls among the packets";
}

}  // namespace
}  // namespace torusmu::testing
