// SPDX-License-Identifier: Apache-2.0
// Every malformed packet, put raw onto a link: a bad one is dropped and counted, a sound one that
// asks for what may not be is refused with a notice. The machine goes on.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <ostream>

#include "tests/support/node_setup.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
using model::Packet;

constexpr Coordinates kSender{0, 1, 1};  // the neighbour in x-

struct Case {
  const char* name;
  Status status;  // of the notice; kOk: dropped and counted
  std::function<void(Packet&)> spoil;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

void resize(Packet& packet, std::size_t bytes) {
  packet.payload.resize(bytes);
  packet.header.set<h::bytes>(bytes);
}
void make(Packet& packet, Kind kind, std::uint32_t target) {
  packet.header.set<h::kind>(kind).set<h::target>(target).set<h::offset>(0);
}
void make_get(Packet& packet, std::uint32_t queue, std::size_t bytes) {
  make(packet, Kind::kGet, queue);
  resize(packet, bytes);
  // NOPs are the least that a queue may hold.
  std::fill(packet.payload.begin(), packet.payload.end(), std::uint8_t{0});
}
void count(Packet& packet, std::uint32_t counter) {
  packet.trailer.set<t::counter_valid>(1).set<t::counter>(counter);
}
void announce(Packet& packet, std::uint32_t event) {
  packet.trailer.set<t::event_valid>(1).set<t::event_counter>(event);
}
void flip_bit(std::vector<std::uint8_t>& bytes, std::size_t bit) {
  bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1U << bit % 8);
}

// Each is a good put of 100 bytes, spoilt and then sealed with a good CRC.
std::vector<Case> cases() {
  return {
      {"KindNone", Status::kOk, [](Packet& p) { make(p, Kind::kNone, 2); }},
      {"KindUnknown", Status::kOk, [](Packet& p) { make(p, static_cast<Kind>(15), 2); }},
      {"NoticeAsRequest", Status::kOk, [](Packet& p) { make(p, Kind::kNotice, 2); }},
      {"CreditAsRequest", Status::kOk, [](Packet& p) { make(p, Kind::kCredit, 1); }},
      {"ReservedInHeader", Status::kOk,
       [](Packet& p) {
         auto bytes = p.header.bytes();
         bytes[15] |= 0x80;
         p.header = PacketHeader::from_bytes(bytes);
       }},
      {"ReservedInTrailer", Status::kOk,
       [](Packet& p) {
         auto bytes = p.trailer.bytes();
         bytes[11] |= 0x80;
         p.trailer = PacketTrailer::from_bytes(bytes);
       }},
      {"PutOfNothing", Status::kPacketKind, [](Packet& p) { resize(p, 0); }},
      {"PutIntoClosedRegion", Status::kRegionInvalid,
       [](Packet& p) { make(p, Kind::kPut, kClosedRegion.value); }},
      {"PutIntoRegionThatDoesNotExist", Status::kRegionInvalid,
       [](Packet& p) { make(p, Kind::kPut, 64); }},
      {"PutIntoRegion255", Status::kRegionInvalid, [](Packet& p) { make(p, Kind::kPut, 255); }},
      {"PutIntoReadOnlyRegion", Status::kPermission,
       [](Packet& p) { make(p, Kind::kPut, kSourceRegion.value); }},
      {"PutOneByteTooFar", Status::kRegionBounds,
       [](Packet& p) { p.header.set<h::offset>(kRegionBytes - 99); }},
      {"PutOffsetWraps", Status::kRegionBounds,
       [](Packet& p) { p.header.set<h::offset>((Bytes{1} << 37) - 50); }},
      {"PutAtTheTopOffset", Status::kRegionBounds,
       [](Packet& p) { p.header.set<h::offset>((Bytes{1} << 37) - 1); }},
      {"PutPastTheAddressSpace", Status::kRegionBounds,
       [](Packet& p) {
         make(p, Kind::kPut, kEndRegion.value);
         p.header.set<h::offset>(4096 - 99);
       }},
      {"PutWithForeignCounter", Status::kCounterInvalid,
       [](Packet& p) { count(p, kForeignCounter.value); }},
      {"PutWithClosedCounter", Status::kCounterInvalid,
       [](Packet& p) { count(p, kClosedCounter.value); }},
      {"PutWithCounterThatDoesNotExist", Status::kCounterInvalid, [](Packet& p) { count(p, 64); }},
      {"PutWithForeignEvent", Status::kCounterInvalid,
       [](Packet& p) { announce(p, kForeignEvent.value); }},
      {"PutWithEvent255", Status::kCounterInvalid, [](Packet& p) { announce(p, 255); }},
      {"PutOnBehalfOfAnotherClient", Status::kPermission,
       [](Packet& p) { p.header.set<h::on_behalf>(1).set<h::client>(1); }},
      {"PutOnBehalfOfNobody", Status::kPermission,
       [](Packet& p) { p.header.set<h::on_behalf>(1).set<h::client>(15); }},
      {"FifoClosed", Status::kFifoInvalid,
       [](Packet& p) { make(p, Kind::kFifo, kClosedFifo.value); }},
      {"FifoThatDoesNotExist", Status::kFifoInvalid, [](Packet& p) { make(p, Kind::kFifo, 8); }},
      {"FifoForRepliesOnly", Status::kFifoInvalid,
       [](Packet& p) { make(p, Kind::kFifo, kReplyFifo.value); }},
      {"FifoOnBehalfOfAnotherClient", Status::kPermission,
       [](Packet& p) {
         make(p, Kind::kFifo, kForeignFifo.value);
         p.header.set<h::on_behalf>(1).set<h::client>(0);
       }},
      {"FifoWithForeignCounter", Status::kCounterInvalid,
       [](Packet& p) {
         make(p, Kind::kFifo, kFifo.value);
         count(p, kForeignCounter.value);
       }},
      {"GetOfHalfADescriptor", Status::kPacketKind,
       [](Packet& p) { make_get(p, kGetQueue.value, 32); }},
      {"GetOfNothing", Status::kPacketKind, [](Packet& p) { make_get(p, kGetQueue.value, 0); }},
      {"GetOf65Bytes", Status::kPacketKind, [](Packet& p) { make_get(p, kGetQueue.value, 65); }},
      {"GetIntoDoorbellQueue", Status::kQueueInvalid,
       [](Packet& p) { make_get(p, kDoorbellQueue.value, 64); }},
      {"GetIntoPushQueue", Status::kQueueInvalid,
       [](Packet& p) { make_get(p, kPushQueue.value, 64); }},
      {"GetIntoClosedQueue", Status::kQueueInvalid,
       [](Packet& p) { make_get(p, kOffQueue.value, 64); }},
      {"GetIntoQueueThatDoesNotExist", Status::kQueueInvalid,
       [](Packet& p) { make_get(p, 32, 64); }},
      {"GetIntoQueue255", Status::kQueueInvalid, [](Packet& p) { make_get(p, 255, 64); }},
      {"GetIntoReflectionQueue", Status::kQueueInvalid,
       [](Packet& p) { make_get(p, kReflectionQueue.value, 64); }},
      {"ReflectedGetIntoRemoteGetQueue", Status::kQueueInvalid,
       [](Packet& p) {
         make_get(p, kGetQueue.value, 64);
         p.trailer.set<t::reflected>(1);
       }},
      {"GetOfMoreThanTheQueueHolds", Status::kQueueFull,
       [](Packet& p) { make_get(p, kGetQueue.value, 5 * 64); }},
      {"GetOnBehalf", Status::kOpcodeForbidden,
       [](Packet& p) {
         make_get(p, kGetQueue.value, 64);
         p.header.set<h::on_behalf>(1);
       }},
  };
}

class PacketTest : public ::testing::Test {
 protected:
  PacketTest() {
    open_everything(judge_.device(), false);
    judge_.device().store(kTarget - 64,
                          std::vector<std::byte>(kRegionBytes + 128, std::byte{0xa5}));
    judge_.settle("set-up");
  }
  [[nodiscard]] Packet good() const {
    Packet packet = put_packet(kSender, judge_.here(), bytes_of(7, 100), kTargetRegion.value, 77);
    packet.header.set<h::client>(0);
    packet.seal();
    return packet;
  }
  std::uint64_t bad_packets() { return judge_.device().read64(registers::node::bad_packets()); }
  // A good put is stored, whatever came before.
  void goes_on(const std::string& after) {
    const std::uint32_t before = judge_.raw().read_event(kEvent);
    Packet packet = good();
    packet.header.set<h::offset>(5000 + 100 * puts_++);
    announce(packet, kEvent.value);
    judge_.deliver_sealed(packet);
    EXPECT_TRUE(judge_.settle("a good put after " + after).empty());
    EXPECT_EQ(judge_.raw().read_event(kEvent), before + 1) << after;
  }
  NodeJudge judge_;
  std::uint32_t puts_ = 0;
};

TEST_F(PacketTest, MalformedButSealedOnesAreRefusedOrDroppedAndTheMachineGoesOn) {
  for (const Case& spoilt : cases()) {
    const std::uint64_t before = bad_packets();
    Packet packet = good();
    spoilt.spoil(packet);
    packet.seal();
    judge_.deliver(packet);
    const auto sent = judge_.settle(spoilt.name);
    const bool on_behalf = packet.header.get<h::on_behalf>() != 0;
    if (spoilt.status == Status::kOk) {
      EXPECT_EQ(bad_packets(), before + 1) << spoilt.name;
      EXPECT_TRUE(sent.empty()) << spoilt.name;
    } else {
      EXPECT_EQ(bad_packets(), before) << spoilt.name;
      // On behalf: told to the getter, who is a client of this node.
      ASSERT_EQ(sent.size(), on_behalf ? 0U : 1U) << spoilt.name;
      if (!on_behalf) {
        EXPECT_EQ(sent[0].header.get<h::kind>(), Kind::kNotice);
        EXPECT_EQ(name_of(static_cast<Status>(sent[0].header.get<h::word>() & 0xff)),
                  name_of(spoilt.status))
            << spoilt.name;
        EXPECT_EQ(sent[0].trailer.get<t::sequence_number>(), 1234U);
        EXPECT_EQ(sent[0].trailer.get<t::index>(), 77U);
      }
    }
    goes_on(spoilt.name);
  }
}

TEST_F(PacketTest, EveryFlippedBitOfAPacketIsCaughtByTheCrc) {
  const Packet packet = good();
  const std::vector<Flit> flits = flits_of_packet(packet);
  std::uint64_t bad = 0;
  // Bits 0 to 11 of the header say where the packet goes: it would arrive elsewhere.
  for (std::size_t bit = 12; bit < flits.size() * 128; bit += bit < 128 ? 1 : 37) {
    std::vector<Flit> spoilt = flits;
    spoilt[bit / 128].data[bit % 128 / 32] ^= std::uint32_t{1} << bit % 32;
    judge_.deliver_broken(spoilt, 1);
    ++bad;
  }
  EXPECT_TRUE(judge_.settle("flipped bits").empty());
  EXPECT_EQ(bad_packets(), bad);
  goes_on("flipped bits");
}

TEST_F(PacketTest, ReplyKindsOutOfPlaceAreDroppedAndCounted) {
  std::uint64_t bad = 0;
  const auto drop = [&](Packet packet, const std::string& name) {
    packet.header.set<h::reply>(1);
    judge_.deliver_sealed(packet);
    EXPECT_TRUE(judge_.settle(name).empty());
    EXPECT_EQ(bad_packets(), ++bad) << name;
    goes_on(name);
  };
  Packet packet = good();
  resize(packet, 33);
  drop(packet, "a reply of 33 bytes");
  packet = good();
  resize(packet, 32);
  make_get(packet, kGetQueue.value, 0);
  drop(packet, "a get as reply");
  packet = good();
  resize(packet, 0);
  make(packet, Kind::kCreditQuery, 1);
  drop(packet, "a query as reply");
}

TEST_F(PacketTest, RefusedRepliesAreDroppedAndCountedWithoutANotice) {
  std::uint64_t dropped = 0;
  const auto refuse = [&](const std::function<void(Packet&)>& spoil, const std::string& name) {
    Packet packet = good();
    resize(packet, 8);
    packet.header.set<h::reply>(1).set<h::on_behalf>(1);
    spoil(packet);
    judge_.deliver_sealed(packet);
    EXPECT_TRUE(judge_.settle(name).empty()) << name;
    EXPECT_EQ(judge_.device().read64(registers::node::dropped_replies()), ++dropped) << name;
    goes_on(name);
  };
  refuse([](Packet& p) { make(p, Kind::kPut, kClosedRegion.value); }, "closed region");
  refuse([](Packet& p) { p.header.set<h::client>(1); }, "another client");
  refuse([](Packet& p) { make(p, Kind::kFifo, kClosedFifo.value); }, "closed FIFO");
  refuse([](Packet& p) { count(p, kForeignCounter.value); }, "foreign counter");
  refuse(
      [](Packet& p) {
        make(p, Kind::kNotice, 0);
        resize(p, 0);
        p.header.set<h::client>(2);
      },
      "notice for a client without a ring");
}

TEST_F(PacketTest, BrokenFramingIsDroppedAndCounted) {
  const std::vector<Flit> flits = flits_of_packet(good());
  std::uint64_t bad = 0;
  const auto drop = [&](const std::vector<Flit>& broken, const std::string& name) {
    judge_.deliver_broken(broken, 1);
    EXPECT_TRUE(judge_.settle(name).empty()) << name;
    EXPECT_EQ(bad_packets(), ++bad) << name;
    goes_on(name);
  };
  std::vector<Flit> broken = flits;
  broken.erase(broken.begin() + 3);
  drop(broken, "one flit too few");
  broken = flits;
  broken.insert(broken.begin() + 3, flits[3]);
  drop(broken, "one flit too many");
  drop({flits.front(), flits.back()}, "no payload at all");
  // A size that would overrun the buffer, with as many flits as a packet may have.
  Packet large = good();
  large.payload = bytes_of(1, 512);
  large.header.set<h::bytes>(1023);
  broken = {flits_of_packet(large).front()};
  for (unsigned i = 0; i < 32; ++i) broken.push_back(flits[1]);
  broken.push_back(flits.back());
  drop(broken, "1023 bytes");
  broken = flits;
  broken.back() = flits[1];
  broken.back().tail = true;
  drop(broken, "payload instead of a trailer");
}

TEST_F(PacketTest, PadBytesThatAreNotZeroAreDroppedEvenWithAGoodCrc) {
  Packet packet = good();
  std::vector<std::uint8_t> bytes = packet.bytes();
  flip_bit(bytes, (kFlitBytes + packet.payload.size() + 2) * 8);
  const std::uint32_t crc = packet_crc(bytes);
  packet.trailer.set<t::crc>(crc);
  std::vector<Flit> flits = flits_of_packet(packet);
  std::memcpy(flits[flits.size() - 2].data.data(), bytes.data() + (flits.size() - 2) * kFlitBytes,
              kFlitBytes);
  judge_.deliver_broken(flits, 1);
  judge_.settle("pad bytes");
  EXPECT_EQ(bad_packets(), 1U);
  goes_on("pad bytes");
}

TEST_F(PacketTest, StoresThatTheMemoryRefusesCountNothingAndRaiseAnError) {
  // Memory ends long before the region does.
  const auto fail = [&](Bytes offset, const std::string& name) {
    Packet packet = good();
    make(packet, Kind::kPut, kHugeRegion.value);
    packet.header.set<h::offset>(offset);
    packet.trailer.set<t::interrupt>(1);
    count(packet, kCounter.value);
    announce(packet, kEvent.value);
    const std::uint32_t before = judge_.raw().read_event(kEvent);
    judge_.raw().clear_causes(~std::uint64_t{0});
    judge_.deliver_sealed(packet);
    EXPECT_TRUE(judge_.settle(name).empty()) << name;
    EXPECT_EQ(judge_.raw().read_event(kEvent), before) << name;
    EXPECT_EQ(judge_.raw().read_counter(kCounter), kPreload) << name;
    EXPECT_EQ(judge_.raw().causes(), 1U << static_cast<unsigned>(Cause::kError)) << name;
    goes_on(name);
  };
  fail(Bytes{1} << 30, "no memory at all");
  fail(Bytes{1} << 36, "no memory far away");
  // A FIFO outside of memory: its slots are used up, its tail moves on, nothing is counted.
  judge_.device().write64(registers::reception_fifo::config(kFifo.value), 0);
  judge_.raw().open_fifo(kFifo, Address{1} << 30, 17, true);
  for (unsigned i = 0; i < 3; ++i) {
    Packet packet = good();
    make(packet, Kind::kFifo, kFifo.value);
    announce(packet, kEvent.value);
    const std::uint32_t before = judge_.raw().read_event(kEvent);
    judge_.deliver_sealed(packet);
    EXPECT_TRUE(judge_.settle("a FIFO without memory").empty());
    EXPECT_EQ(judge_.raw().read_event(kEvent), before);
    EXPECT_EQ(judge_.raw().fifo_tail(kFifo), 5 * (i + 1));
  }
  goes_on("a FIFO without memory");
}

// Random fields of a sound packet: node and model agree on every consequence.
TEST(AnyPacket, DoesWhatTheModelDoes) {
  Random random(31);
  SCOPED_TRACE(random.replay());
  for (unsigned round = 0; round < 5; ++round) {
    NodeJudge judge({.seed = random.bits64()});
    open_everything(judge.device(), false);
    for (unsigned i = 0; i < 60 && judge.differences() == 0; ++i) {
      constexpr std::array<std::size_t, 10> kSizes{0, 1, 8, 31, 32, 33, 64, 128, 511, 512};
      const bool reply = random.chance(25);
      const std::size_t bytes = kSizes[random.below(reply && random.chance(80) ? 5 : 10)];
      Packet packet = put_packet(kSender, judge.here(), bytes_of(random.bits64(), bytes), 0, 0);
      const auto kind = static_cast<Kind>(random.below(random.chance(90) ? 10 : 16));
      packet.header.set<h::kind>(kind)
          .set<h::reply>(reply)
          .set<h::on_behalf>(random.chance(25))
          .set<h::client>(random.below(random.chance(90) ? 4 : 16))
          .set<h::target>(random.chance(90) ? random.below(13) : random.below(256))
          .set<h::offset>(random.chance(80) ? random.below(kRegionBytes)
                                            : random.bits64() >> (27 + random.below(30)))
          .set<h::word>(random.bits64() & (random.chance(50) ? 0xfff : 0xffffffff));
      packet.trailer.set<t::counter_valid>(random.chance(30))
          .set<t::counter>(random.below(random.chance(90) ? 9 : 256))
          .set<t::event_valid>(random.chance(30))
          .set<t::event_counter>(random.below(random.chance(90) ? 8 : 256))
          .set<t::interrupt>(random.chance(30))
          .set<t::last>(random.chance(70))
          .set<t::reflected>(random.chance(20))
          .set<t::queue>(random.below(random.chance(70) ? 10 : 256))
          .set<t::index>(random.bits64() & 0xffffffff)
          .set<t::sequence_number>(random.bits64() & 0xffffffff);
      judge.deliver_sealed(packet, static_cast<unsigned>(random.below(6)));
      if (i % 6 == 5) judge.settle("random packets");
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
