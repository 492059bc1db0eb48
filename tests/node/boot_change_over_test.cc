// SPDX-License-Identifier: Apache-2.0
// The moments at which a boot buffer changes hands, cycle by cycle on the node: a packet that comes
// in just then goes whole to one side or the other, in order, and none is lost or there twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/support/boot_buffer_fixture.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
using model::Packet;
using Entries = std::vector<std::uint8_t>;

constexpr Coordinates kHere{1, 1, 1}, kSender{0, 1, 1};
constexpr unsigned kFromSender = 1;
constexpr FifoId kBootFifo{5}, kForeignBootFifo{7};
constexpr Address kRing = 0x50010, kForeignRing = 0x60030;
constexpr std::uint32_t kRingSlotsOfFifo = 4096;
constexpr int kAround = 40;  // cycles
constexpr std::size_t kPackets = 2;
constexpr std::array<Bytes, 6> kSizes{0, 1, 33, 100, 300, 512};

void write_config(Device& device, FifoId fifo, const FifoConfig& config) {
  device.write64(registers::reception_fifo::config(fifo.value), config.bits());
}

Entries bytes_at(NodeMemory& memory, Address at, std::size_t slots) {
  Entries entries(slots * kSim.fifo_slot_bytes);
  memory.read(at, std::as_writable_bytes(std::span(entries)));
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

  // The packets arrive one behind the other, the first `after` cycles before the write of config
  // comes, or as many behind it if that is negative.
  void meet(const std::vector<Packet>& packets, const FifoConfig& config, int after) {
    bench_.run([](Device& device) {
      write_config(device, kBootFifo, kOff);
      write_config(device, kBootFifo, kBoots);
    });
    const auto switches = [config](Device& device) { write_config(device, kBootFifo, config); };
    if (after < 0) {
      bench_.start(switches);
      bench_.pass(static_cast<Cycles>(-after));
    }
    for (const Packet& packet : packets) bench_.send(kFromSender, packet);
    if (after >= 0) {
      bench_.pass(static_cast<Cycles>(after));
      bench_.start(switches);
    }
    bench_.settle();
    look();
  }
  void look() {
    bench_.run([this](Device& device) {
      const BootBufferOf buffer(device);
      tail_ = buffer.tail();
      is_open_ = buffer.is_open();
      unread_ = buffer.unread();
      fifo_tail_ = device.read64(registers::reception_fifo::tail(kBootFifo.value));
    });
  }
  static std::vector<Packet> packets(Bytes bytes) {
    std::vector<Packet> made;
    for (std::uint32_t i = 0; i < kPackets; ++i) {
      made.push_back(fifo_packet(i + 1, bytes, kBootFifo, kSender, kHere));
    }
    return made;
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
  std::uint32_t tail_ = 0;  // of the boot buffer
  bool is_open_ = false;
  Entries unread_;
  std::uint64_t fifo_tail_ = 0;
};

TEST_F(ChangeOver, ToTheFifoLosesRepeatsAndReordersNothing) {
  for (const Bytes bytes : kSizes) {
    const std::vector<Packet> all = packets(bytes);
    const std::uint32_t slots = slots_of_packet(bytes);
    std::size_t kept_before = 0;
    for (int after = -kAround; after <= last_offset(bytes); ++after) {
      meet(all, kTakes, after);
      SCOPED_TRACE(::testing::Message() << bytes << " bytes, " << after << " cycles");
      const std::size_t kept = tail_ / slots;
      ASSERT_LE(kept, kPackets);
      ASSERT_EQ(tail_, kept * slots);
      ASSERT_EQ(unread_, as_entries(first_of(all, kept)));
      ASSERT_EQ(fifo_tail_, (kPackets - kept) * slots);
      ASSERT_EQ(bytes_at(bench_.memory(), kRing, fifo_tail_),
                as_entries(last_of(all, kPackets - kept)));
      ASSERT_FALSE(is_open_);
      ASSERT_GE(kept, kept_before) << "a later switch leaves no fewer packets in the buffer";
      kept_before = kept;
      if (after == -kAround) {
        EXPECT_EQ(kept, 0U);
      }
    }
    EXPECT_EQ(kept_before, kPackets);
    ASSERT_TRUE(bench_.take_packets().empty()) << "a packet was refused";
  }
}

TEST_F(ChangeOver, ToNothingRefusesWhatIsNotKept) {
  for (const Bytes bytes : {Bytes{0}, Bytes{512}}) {
    const std::vector<Packet> all = packets(bytes);
    const std::uint32_t slots = slots_of_packet(bytes);
    for (int after = -kAround; after <= last_offset(bytes); ++after) {
      meet(all, kOff, after);
      SCOPED_TRACE(::testing::Message() << bytes << " bytes, " << after << " cycles");
      const std::size_t kept = tail_ / slots;
      ASSERT_EQ(unread_, as_entries(first_of(all, kept)));
      ASSERT_EQ(bench_.take_packets().size(), kPackets - kept);
      ASSERT_FALSE(is_open_);
    }
  }
}

TEST_F(ChangeOver, FromTheFifoLosesRepeatsAndReordersNothing) {
  for (const Bytes bytes : {Bytes{1}, Bytes{300}}) {
    const std::vector<Packet> all = packets(bytes);
    const std::uint32_t slots = slots_of_packet(bytes);
    for (int after = -kAround; after <= last_offset(bytes); ++after) {
      SCOPED_TRACE(::testing::Message() << bytes << " bytes, " << after << " cycles");
      bench_.run([](Device& device) { device.store(kRing, pattern(1, 40 * 32)); });
      bench_.run([](Device& device) { write_config(device, kBootFifo, kTakes); });
      const auto switches = [](Device& device) { write_config(device, kBootFifo, kBoots); };
      if (after < 0) {
        bench_.start(switches);
        bench_.pass(static_cast<Cycles>(-after));
      }
      for (const Packet& packet : all) bench_.send(kFromSender, packet);
      if (after >= 0) {
        bench_.pass(static_cast<Cycles>(after));
        bench_.start(switches);
      }
      bench_.settle();
      look();
      const std::size_t kept = tail_ / slots;
      ASSERT_EQ(tail_, kept * slots);
      ASSERT_EQ(unread_, as_entries(last_of(all, kept)));
      ASSERT_EQ(bytes_at(bench_.memory(), kRing, (kPackets - kept) * slots),
                as_entries(first_of(all, kPackets - kept)));
      ASSERT_TRUE(is_open_);
    }
  }
}

// Who reads that it is closed has seen the tail of all that it will ever hold.
TEST_F(ChangeOver, ReadsAsClosedOnlyWhenNothingMoreComes) {
  namespace r = registers::boot_buffer;
  for (const Bytes bytes : {Bytes{33}, Bytes{512}}) {
    const std::vector<Packet> all = packets(bytes);
    bool was_coming = false;
    for (int after = 0; after <= last_offset(bytes); ++after) {
      SCOPED_TRACE(::testing::Message() << bytes << " bytes, " << after << " cycles");
      bench_.run([](Device& device) {
        write_config(device, kBootFifo, kOff);
        write_config(device, kBootFifo, kBoots);
      });
      for (const Packet& packet : all) bench_.send(kFromSender, packet);
      bench_.pass(static_cast<Cycles>(after));
      std::array<std::uint64_t, 12> seen{};
      bench_.start([&seen](Device& device) {
        write_config(device, kBootFifo, kTakes);
        for (std::uint64_t& tail : seen) tail = device.read64(r::tail(kOwner.value));
      });
      bench_.settle();
      look();
      for (const std::uint64_t tail : seen) {
        const bool is_open = extract(tail, r::tail_field::open) != 0;
        was_coming = was_coming || is_open;
        if (is_open) continue;
        ASSERT_EQ(extract(tail, r::tail_field::tail), tail_);
      }
    }
    EXPECT_TRUE(was_coming || bytes < kSim.payload_bytes) << "never read in time";
  }
}

// What comes for the process before is not seen by the next, in whole or in part.
TEST_F(ChangeOver, OpeningAnewDropsThePacketThatIsOnItsWay) {
  for (const Bytes bytes : {Bytes{0}, Bytes{33}, Bytes{512}}) {
    const std::vector<Packet> all = packets(bytes);
    const std::uint32_t slots = slots_of_packet(bytes);
    std::size_t kept_before = kPackets;
    for (int after = -kAround; after <= last_offset(bytes); ++after) {
      meet(all, kBoots, after);
      SCOPED_TRACE(::testing::Message() << bytes << " bytes, " << after << " cycles");
      const std::size_t kept = tail_ / slots;
      ASSERT_EQ(tail_, kept * slots);
      ASSERT_EQ(unread_, as_entries(last_of(all, kept)));
      ASSERT_LE(kept, kept_before);
      kept_before = kept;
      ASSERT_TRUE(is_open_);
      ASSERT_EQ(fifo_tail_, 0U);
      if (after % 16 != 0) continue;
      bench_.run([&](Device& device) {
        Entries wanted = as_entries(last_of(all, kept));
        wanted.resize(Bytes{kBootSlots} * kSim.fifo_slot_bytes);
        EXPECT_EQ(BootBufferOf(device).all_slots(), wanted);
      });
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
      meet(all, kBootsForForeigner, after);
      SCOPED_TRACE(::testing::Message() << bytes << " bytes, " << after << " cycles");
      const std::size_t kept = tail_ / slots;
      ASSERT_EQ(unread_, as_entries(first_of(all, kept)));
      ASSERT_FALSE(is_open_);
      bench_.run([&](Device& device) {
        EXPECT_EQ(BootBufferOf(device, kForeigner).unread(),
                  as_entries(last_of(all, kPackets - kept)));
      });
    }
  }
}

// --- the process itself -------------------------------------------------------------------------

// As the page says: buffer and FIFO after the switch; all that it has received, in its order.
class Starting {
 public:
  Starting(FifoId fifo, Address ring, ClientId client, std::uint32_t slots, Cycles pause)
      : fifo_(fifo), ring_(ring), client_(client), slots_(slots), pause_(pause) {}

  void operator()(Device& device) {
    BootBufferOf buffer(device, client_);
    while (buffer.tail() == 0) device.compute(5);
    for (unsigned i = 0; i < 3; ++i) {
      append(buffer.take());
      device.compute(pause_);
    }
    write_config(device, fifo_, {.enable = true, .owner = client_});
    for (bool more = true; more;) {
      more = buffer.is_open();
      const Entries taken = buffer.take();
      append(taken);
      more = more || !taken.empty();
    }
    const auto from_buffer = static_cast<std::uint32_t>(received_.size() / kSim.fifo_slot_bytes);
    switched_ = from_buffer < slots_;
    RawNode node(device, client_);
    std::uint32_t head = 0;
    while (from_buffer + head < slots_) {
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
  [[nodiscard]] bool switched() const { return switched_; }  // before the last packet came

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
  bool switched_ = false;
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
      write_config(device, kBootFifo, kBoots);
      write_config(device, kForeignBootFifo, kBootsForForeigner);
    });
    Starting one(kBootFifo, kRing, kOwner, own_slots, random.below(600));
    Starting other(kForeignBootFifo, kForeignRing, kForeigner, foreign_slots, random.below(600));
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
