// SPDX-License-Identifier: Apache-2.0
// model: Vmu_packet_receiver_reply mu_packet_receiver -GPACKETS=4 -GFLITS=4 -GREPLY=1
// The buffers and their pace, and every way to break a packet.

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "Vmu_packet_receiver.h"
#include "Vmu_packet_receiver_reply.h"
#include "tb/reference_model/packet.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using model::Packet;
namespace h = layout::packet_header;

Packet put_of(bool reply, const Bytes& payload) {
  Packet packet;
  packet.header.set<h::kind>(Kind::kPut).set<h::reply>(reply ? 1 : 0).set<h::bytes>(payload.size());
  packet.payload = payload;
  packet.seal();
  return packet;
}

template <typename Model>
class Receiver {
 public:
  explicit Receiver(std::uint64_t seed) : dut(seed) {}

  // Offers flit `i` of the packet; true if it is taken at the next edge.
  bool offer(const Packet& packet, std::size_t i) {
    const Bytes bytes = packet.bytes();
    dut->flit_valid_i = 1;
    dut->flit_head_i = i == 0;
    dut->flit_tail_i = (i + 1) * 16 == bytes.size();
    drive(dut->flit_data_i, std::span(bytes).subspan(i * 16, 16));
    dut.settle();
    return dut->flit_ready_o != 0;
  }
  void push(const Packet& packet) {
    for (std::size_t i = 0; i < packet.flits(); ++i) {
      ASSERT_TRUE(offer(packet, i));
      dut.tick();
    }
    dut->flit_valid_i = 0;
    dut.settle();
  }
  // Until its CRC has been compared.
  void send(const Packet& packet) {
    push(packet);
    dut.tick();
  }
  void finish() {
    dut->packet_done_i = 1;
    dut.tick();
    dut->packet_done_i = 0;
    dut.settle();
  }

  Clocked<Model> dut;
};

// Random packets in, random readers of beats; what comes out must be what went in.
template <typename Model>
void pass_packets_in_order(bool reply, std::size_t most_bytes) {
  Random random;
  SCOPED_TRACE(random.replay());
  Receiver<Model> receiver(random.seed());
  auto& dut = receiver.dut;
  std::deque<Packet> inside;
  Packet coming = put_of(reply, random_bytes(random, random.below(most_bytes + 1)));
  Packet last;
  std::size_t next_flit = 0;
  bool offered = false;
  Bytes beats;
  unsigned passed = 0;
  bool ended = false;  // a packet, in the cycle before
  for (int cycle = 0; cycle < 30000; ++cycle) {
    offered = offered || random.chance(80);
    bool taken = false;
    dut->flit_valid_i = 0;
    if (offered) taken = receiver.offer(coming, next_flit);
    dut->beat_ready_i = random.chance(60);
    dut.settle();
    ASSERT_EQ(dut->packet_valid_o, !inside.empty());
    ASSERT_EQ(dut->bad_packet_o, 0);
    dut->packet_done_i = 0;
    if (!inside.empty()) {
      const Packet& oldest = inside.front();
      ASSERT_EQ(sample_record<PacketHeader>(dut->packet_header_o), oldest.header);
      ASSERT_EQ(sample_record<PacketTrailer>(dut->packet_trailer_o), oldest.trailer);
      if (dut->beat_valid_o && dut->beat_ready_i) {
        const Bytes beat = sample(dut->beat_data_o, 32);
        beats.insert(beats.end(), beat.begin(), beat.end());
      }
      if (beats.size() >= oldest.payload.size() && random.chance(50)) {
        Bytes padded = oldest.payload;
        padded.resize((padded.size() + 31) / 32 * 32);
        ASSERT_EQ(beats, padded);
        dut->packet_done_i = 1;
        beats.clear();
        inside.pop_front();
        ++passed;
      }
    }
    dut.tick();
    if (ended) inside.push_back(last);
    ended = false;
    if (taken) {
      offered = false;
      if (++next_flit == coming.flits()) {
        ended = true;
        last = coming;
        coming = put_of(reply, random_bytes(random, random.below(most_bytes + 1)));
        next_flit = 0;
      }
    }
  }
  EXPECT_GT(passed, 500U);
}

TEST(PacketReceiver, PassesRequestsInOrder) {
  pass_packets_in_order<Vmu_packet_receiver>(false, 512);
}

TEST(PacketReceiver, PassesRepliesInOrder) {
  pass_packets_in_order<Vmu_packet_receiver_reply>(true, 32);
}

TEST(PacketReceiver, ShowsAPacketTwoCyclesAfterItsTailAndABeatACycleLater) {
  Receiver<Vmu_packet_receiver> receiver(1);
  receiver.push(put_of(false, Bytes(64, 7)));
  EXPECT_FALSE(receiver.dut->packet_valid_o);
  EXPECT_TRUE(receiver.dut->busy_o);
  receiver.dut.tick();
  EXPECT_TRUE(receiver.dut->packet_valid_o);
  receiver.dut->beat_ready_i = 1;
  for (int beat = 0; beat < 2; ++beat) {
    receiver.dut.tick();
    EXPECT_TRUE(receiver.dut->beat_valid_o);
  }
  receiver.dut.tick();
  EXPECT_FALSE(receiver.dut->beat_valid_o);
}

TEST(PacketReceiver, TakesTheNextPacketWhileOneIsStoredButNotAThird) {
  Receiver<Vmu_packet_receiver> receiver(1);
  receiver.send(put_of(false, Bytes(512, 1)));
  receiver.push(put_of(false, Bytes(512, 2)));
  EXPECT_FALSE(receiver.offer(put_of(false, Bytes(16)), 0));
  receiver.finish();
  EXPECT_TRUE(receiver.offer(put_of(false, Bytes(16)), 0));
}

TEST(PacketReceiver, KeepsFourReplies) {
  Receiver<Vmu_packet_receiver_reply> receiver(1);
  for (std::uint8_t i = 0; i < 4; ++i) receiver.push(put_of(true, Bytes(32, i)));
  EXPECT_FALSE(receiver.offer(put_of(true, Bytes(16)), 0));
}

TEST(PacketReceiver, PulsesOnceForABadPacketAndForgetsIt) {
  Receiver<Vmu_packet_receiver> receiver(1);
  Packet bad = put_of(false, Bytes(100, 3));
  bad.payload[50] ^= 4;  // the CRC no longer fits
  receiver.send(bad);
  EXPECT_TRUE(receiver.dut->bad_packet_o);
  EXPECT_FALSE(receiver.dut->packet_valid_o);
  receiver.dut.tick();
  EXPECT_FALSE(receiver.dut->bad_packet_o);
  EXPECT_FALSE(receiver.dut->busy_o);
  receiver.send(put_of(false, Bytes(100, 3)));
  EXPECT_TRUE(receiver.dut->packet_valid_o);
}

TEST(PacketReceiver, PassesWhatADynamicSendSaysAndDropsAReservedBit) {
  namespace t = layout::packet_trailer;
  Receiver<Vmu_packet_receiver> receiver(1);
  Packet packet = put_of(false, Bytes(32, 9));
  packet.header.set<h::kind>(Kind::kSend);
  packet.trailer.set<t::dynamic>(1).set<t::doubtful>(1);
  packet.seal();
  receiver.send(packet);
  EXPECT_TRUE(receiver.dut->packet_valid_o);
  EXPECT_EQ(sample_record<PacketTrailer>(receiver.dut->packet_trailer_o), packet.trailer);
  receiver.finish();
  auto bytes = packet.trailer.bytes();
  bytes[11] |= 0x80;
  packet.trailer = PacketTrailer::from_bytes(bytes);
  packet.seal();
  receiver.send(packet);
  EXPECT_TRUE(receiver.dut->bad_packet_o);
}

template <typename Model>
void drop_packets_whose_pad_is_not_zero(bool reply) {
  Receiver<Model> receiver(1);
  for (std::size_t bytes = 1; bytes < 32; ++bytes) {
    for (std::size_t at = bytes; at % 16 != 0; ++at) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        Packet packet = put_of(reply, Bytes(bytes, 9));
        packet.payload.resize((bytes + 15) / 16 * 16);
        packet.payload[at] = static_cast<std::uint8_t>(1U << bit);
        packet.seal();
        receiver.send(packet);
        EXPECT_TRUE(receiver.dut->bad_packet_o) << "byte " << at << " behind " << bytes;
        receiver.dut.tick();
      }
    }
  }
}

TEST(PacketReceiver, DropsARequestWithAnyByteOfItsPadNotZero) {
  drop_packets_whose_pad_is_not_zero<Vmu_packet_receiver>(false);
}
TEST(PacketReceiver, DropsAReplyWithAnyByteOfItsPadNotZero) {
  drop_packets_whose_pad_is_not_zero<Vmu_packet_receiver_reply>(true);
}

// With as many flits as the size says, and as many as it would say with a bit less.
template <typename Model>
void drop_packets_longer_than_legal(bool reply, std::size_t most_bytes) {
  Receiver<Model> receiver(1);
  for (std::size_t bytes = most_bytes + 1; bytes < 1024; ++bytes) {
    for (std::size_t bit = 1; bit <= 1024; bit *= 2) {
      Packet packet = put_of(reply, Bytes(bytes & ~bit, 0));
      packet.header.set<h::bytes>(bytes);
      packet.seal();
      receiver.send(packet);
      ASSERT_TRUE(receiver.dut->bad_packet_o) << bytes << " in " << packet.flits() << " flits";
      receiver.dut.tick();
    }
  }
}

TEST(PacketReceiver, DropsARequestThatSaysMoreThan512Bytes) {
  drop_packets_longer_than_legal<Vmu_packet_receiver>(false, 512);
}
TEST(PacketReceiver, DropsAReplyThatSaysMoreThan32Bytes) {
  drop_packets_longer_than_legal<Vmu_packet_receiver_reply>(true, 32);
}

template <typename Model>
void drop_a_head_that_is_a_trailer(bool reply) {
  Receiver<Model> receiver(1);
  auto& dut = receiver.dut;
  receiver.offer(put_of(reply, {}), 0);
  dut.tick();
  // A trailer of its own, as if the payload and the header were none.
  Bytes flit(16, 0);
  const std::uint32_t crc = packet_crc(flit);
  for (unsigned i = 0; i < kCrcBytes; ++i) {
    flit[16 - kCrcBytes + i] = static_cast<std::uint8_t>(crc >> (8 * i));
  }
  drive(dut->flit_data_i, flit);
  dut->flit_head_i = dut->flit_tail_i = 1;
  dut.tick();
  dut->flit_valid_i = 0;
  dut.tick();
  EXPECT_TRUE(dut->bad_packet_o);
  EXPECT_FALSE(dut->packet_valid_o);
}

TEST(PacketReceiver, DropsAHeadThatIsTheTrailerOfTheRequestBeforeIt) {
  drop_a_head_that_is_a_trailer<Vmu_packet_receiver>(false);
}
TEST(PacketReceiver, DropsAHeadThatIsTheTrailerOfTheReplyBeforeIt) {
  drop_a_head_that_is_a_trailer<Vmu_packet_receiver_reply>(true);
}

template <typename Model>
void drop_what_has_no_head_but_a_tail(bool reply) {
  Receiver<Model> receiver(1);
  auto& dut = receiver.dut;
  Packet packet = put_of(reply, Bytes(32, 7));
  // The first flit is a tail, too: of one, the last four bytes are no part of the CRC.
  Bytes counted = packet.bytes();
  counted.erase(counted.begin() + 12, counted.begin() + 16);
  packet.trailer.set<layout::packet_trailer::crc>(packet_crc(counted));
  for (std::size_t i = 0; i < packet.flits(); ++i) {
    ASSERT_TRUE(receiver.offer(packet, i));
    dut->flit_tail_i = dut->flit_tail_i || i == 0;
    dut.tick();
    dut->flit_valid_i = 0;
    dut.tick();
    EXPECT_EQ(dut->bad_packet_o, i == 0 || i + 1 == packet.flits()) << "flit " << i;
    dut.tick();
  }
  EXPECT_FALSE(dut->packet_valid_o);
}

TEST(PacketReceiver, DropsARequestWhoseHeadIsATailThoughItsCrcFits) {
  drop_what_has_no_head_but_a_tail<Vmu_packet_receiver>(false);
}
TEST(PacketReceiver, DropsAReplyWhoseHeadIsATailThoughItsCrcFits) {
  drop_what_has_no_head_but_a_tail<Vmu_packet_receiver_reply>(true);
}

TEST(PacketReceiver, DropsAPacketWithAnyNumberOfFlitsMoreThanItSays) {
  for (std::size_t more = 1; more < 140; ++more) {
    Receiver<Vmu_packet_receiver> receiver(more);
    Packet packet = put_of(false, Bytes(16 * (more % 33), 5));
    packet.payload.resize(packet.payload.size() + 16 * more);
    packet.seal();
    receiver.send(packet);
    EXPECT_TRUE(receiver.dut->bad_packet_o) << more;
  }
}

// What the contract says of the flits as they come, one at a time.
class PacketJudge {
 public:
  PacketJudge(bool reply, std::size_t most_bytes) : reply_(reply), most_bytes_(most_bytes) {}
  enum class Verdict { kNothing, kGood, kBadCrc, kBad };
  Verdict take(const Bytes& flit, bool head, bool tail) {
    const bool cut = head && open_;
    if (head) flits_.clear();
    const bool whole = head || open_;
    flits_.push_back(flit);
    open_ = !tail;
    if (!whole) stray_ = true;
    if (head) stray_ = false;
    if (cut) return Verdict::kBad;
    if (!tail) return Verdict::kNothing;
    return stray_ ? Verdict::kBad : verdict();
  }
  Packet packet() const {
    Packet packet;
    packet.header = PacketHeader::from_bytes(flits_.front());
    for (std::size_t i = 1; i + 1 < flits_.size(); ++i) {
      packet.payload.insert(packet.payload.end(), flits_[i].begin(), flits_[i].end());
    }
    packet.trailer = PacketTrailer::from_bytes(flits_.back());
    return packet;
  }

 private:
  Verdict verdict() const {
    if (flits_.size() < 2) return Verdict::kBad;
    const Packet came = packet();
    const auto bytes = came.header.get<h::bytes>();
    const auto kind = came.header.get<h::kind>();
    const bool either = kind == Kind::kPut || kind == Kind::kFifo || kind == Kind::kFence;
    const bool request = kind == Kind::kGet || kind == Kind::kCreditQuery || kind == Kind::kSend;
    const bool answer = kind == Kind::kNotice || kind == Kind::kCredit || kind == Kind::kAck;
    if (!either && !(reply_ ? answer : request)) return Verdict::kBad;
    if ((came.header.get<h::reply>() != 0) != reply_ || bytes > most_bytes_) return Verdict::kBad;
    if (flits_.front()[15] >> 1 != 0 || flits_.back()[11] >> 7 != 0) return Verdict::kBad;
    if (came.payload.size() != (bytes + 15) / 16 * 16) return Verdict::kBad;
    for (std::size_t i = bytes; i < came.payload.size(); ++i) {
      if (came.payload[i] != 0) return Verdict::kBad;
    }
    Packet sealed = came;
    sealed.seal();
    return sealed.trailer == came.trailer ? Verdict::kGood : Verdict::kBadCrc;
  }
  bool reply_;
  std::size_t most_bytes_;
  bool open_ = false, stray_ = false;
  std::vector<Bytes> flits_;
};

struct Flit {
  Bytes data;
  bool head, tail;
};

// Mostly good packets; the others are wrong in one of many ways.
std::deque<Flit> some_packet(Random& random, bool reply, std::size_t most_bytes) {
  constexpr Kind kRequests[] = {Kind::kPut, Kind::kFifo,        Kind::kFence,
                                Kind::kGet, Kind::kCreditQuery, Kind::kSend};
  constexpr Kind kReplies[] = {Kind::kPut,    Kind::kFifo,   Kind::kFence,
                               Kind::kNotice, Kind::kCredit, Kind::kAck};
  const auto wrong = static_cast<unsigned>(random.below(20));
  Bytes header = random_bytes(random, 16);
  header[15] = static_cast<std::uint8_t>(wrong == 1 ? 2U << random.below(7) : header[15] & 1U);
  Packet packet;
  packet.header = PacketHeader::from_bytes(header);
  const auto kind = random.below(6);
  packet.header.set<h::kind>(reply ? kReplies[kind] : kRequests[kind]);
  if (wrong == 2) packet.header.set<h::kind>(static_cast<Kind>(random.below(16)));
  packet.header.set<h::reply>(wrong == 3 ? !reply : reply);
  std::size_t bytes = random.below(most_bytes + 1);
  if (random.chance(20)) bytes = most_bytes;
  if (random.chance(10)) bytes = 0;
  packet.header.set<h::bytes>(bytes);
  packet.payload = random_bytes(random, bytes);
  packet.payload.resize((bytes + 15) / 16 * 16);
  if (wrong == 4 && bytes % 16 != 0) {
    packet.payload[bytes + random.below(16 - bytes % 16)] =
        static_cast<std::uint8_t>(1U << random.below(8));
  }
  if (wrong == 5) packet.payload.resize(packet.payload.size() + 16);
  if (wrong == 6 && !packet.payload.empty()) packet.payload.resize(packet.payload.size() - 16);
  if (wrong == 7) packet.header.set<h::bytes>(most_bytes + 1 + random.below(16));
  if (wrong == 8) packet.payload.resize(16 * random.below(70));
  if (wrong == 14) packet.payload.resize(16 * (packet.payload.size() / 16 ^ 1U << random.below(7)));
  Bytes trailer = random_bytes(random, 16);
  trailer[11] = static_cast<std::uint8_t>(wrong == 9 ? trailer[11] | 0x80 : trailer[11] & 0x7F);
  packet.trailer = PacketTrailer::from_bytes(trailer);
  packet.seal();
  const Bytes all = packet.bytes();
  std::deque<Flit> flits;
  for (std::size_t i = 0; i < packet.flits(); ++i) {
    const auto* at = all.data() + i * 16;
    flits.push_back({Bytes(at, at + 16), i == 0, i + 1 == packet.flits()});
  }
  if (wrong == 10) {
    flits[random.below(flits.size())].data[random.below(16)] ^=
        static_cast<std::uint8_t>(1U << random.below(8));
  }
  if (wrong == 15) {
    const std::uint64_t bit = random.below(8 * kCrcBytes);
    flits.back().data[16 - kCrcBytes + bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
  }
  if (wrong == 11) flits.pop_back();
  if (wrong == 12) flits.pop_front();
  if (wrong == 13) flits.front().tail = true;
  return flits;
}

template <typename Model>
void pass_only_good_packets(bool reply, std::size_t most_bytes, std::size_t places) {
  Random random;
  SCOPED_TRACE(random.replay());
  Receiver<Model> receiver(random.seed());
  auto& dut = receiver.dut;
  PacketJudge judge(reply, most_bytes);
  std::deque<Packet> inside;
  Packet ended;
  std::deque<Flit> coming;
  Bytes beats;
  using Verdict = PacketJudge::Verdict;
  bool bad = false, inside_packet = false;
  Verdict verdict = Verdict::kNothing;  // of what ended in the cycle before
  unsigned passed = 0, dropped = 0;
  for (int cycle = 0; cycle < 60000; ++cycle) {
    if (coming.empty()) coming = some_packet(random, reply, most_bytes);
    const Flit& flit = coming.front();
    dut->flit_valid_i = random.chance(90);
    dut->flit_head_i = flit.head;
    dut->flit_tail_i = flit.tail;
    drive(dut->flit_data_i, flit.data);
    dut->beat_ready_i = random.chance(70);
    dut->packet_done_i = 0;
    dut.settle();
    ASSERT_EQ(dut->bad_packet_o, bad) << "cycle " << cycle;
    ASSERT_EQ(dut->packet_valid_o, !inside.empty()) << "cycle " << cycle;
    ASSERT_EQ(dut->busy_o, bad || !inside.empty() || verdict != Verdict::kNothing);
    const bool sound = verdict == Verdict::kGood || verdict == Verdict::kBadCrc;
    ASSERT_EQ(dut->flit_ready_o, !bad && (inside_packet || inside.size() + sound < places));
    bool done = false;
    if (!inside.empty()) {
      const Packet& oldest = inside.front();
      ASSERT_EQ(sample_record<PacketHeader>(dut->packet_header_o), oldest.header);
      ASSERT_EQ(sample_record<PacketTrailer>(dut->packet_trailer_o), oldest.trailer);
      if (dut->beat_valid_o && dut->beat_ready_i) {
        const Bytes beat = sample(dut->beat_data_o, 32);
        beats.insert(beats.end(), beat.begin(), beat.end());
      }
      if (beats.size() >= oldest.payload.size() && random.chance(60)) {
        Bytes padded = oldest.payload;
        padded.resize((padded.size() + 31) / 32 * 32);
        ASSERT_EQ(beats, padded) << "cycle " << cycle;
        done = true;
      } else if (random.chance(1)) {
        done = true;  // refused before all of it was read
      }
    }
    dut->packet_done_i = done;
    dut.settle();
    const bool take = dut->flit_valid_i && dut->flit_ready_o;
    dut.tick();
    if (done) {
      inside.pop_front();
      beats.clear();
      ++passed;
    }
    if (verdict == Verdict::kGood) inside.push_back(ended);
    bad = verdict == Verdict::kBad || verdict == Verdict::kBadCrc;
    dropped += bad;
    verdict = Verdict::kNothing;
    if (!take) continue;
    inside_packet = !flit.tail;
    verdict = judge.take(flit.data, flit.head, flit.tail);
    if (verdict == Verdict::kGood) ended = judge.packet();
    coming.pop_front();
  }
  EXPECT_GT(passed, 300U);
  EXPECT_GT(dropped, 300U);
}

TEST(PacketReceiver, PassesGoodRequestsAndDropsAllOthers) {
  pass_only_good_packets<Vmu_packet_receiver>(false, 512, 2);
}
TEST(PacketReceiver, PassesGoodRepliesAndDropsAllOthers) {
  pass_only_good_packets<Vmu_packet_receiver_reply>(true, 32, 4);
}

}  // namespace
}  // namespace torusmu::testing
