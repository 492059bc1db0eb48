// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>

#include "Vmu_notice_sender.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

struct Sent {
  PacketHeader header;
  PacketTrailer trailer;
};

Sent expected(const PacketHeader& header, const PacketTrailer& trailer, bool answer,
              Status status) {
  Sent sent;
  const bool home = !answer && header.get<h::on_behalf>() != 0;
  sent.header.set<h::src_x>(1).set<h::src_y>(2).set<h::src_z>(3).set<h::reply>(1);
  sent.header.set<h::dst_x>(home ? 1 : header.get<h::src_x>())
      .set<h::dst_y>(home ? 2 : header.get<h::src_y>())
      .set<h::dst_z>(home ? 3 : header.get<h::src_z>())
      .set<h::client>(header.get<h::client>())
      .set<h::target>(header.get<h::target>());
  if (answer) {
    sent.header.set<h::kind>(Kind::kCredit).set<h::word>(header.get<h::word>());
    return sent;
  }
  sent.header.set<h::kind>(Kind::kNotice)
      .set<h::offset>(header.get<h::offset>())
      .set<h::word>(static_cast<std::uint64_t>(status) |
                    static_cast<std::uint64_t>(header.get<h::kind>()) << 8U);
  sent.trailer.set<t::queue>(trailer.get<t::queue>())
      .set<t::index>(trailer.get<t::index>())
      .set<t::sequence_number>(trailer.get<t::sequence_number>());
  return sent;
}

TEST(NoticeSender, SendsEachNoticeAndCreditOnceInOrder) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_notice_sender> sender(random.seed());
  sender->straps_i = Straps{.x = 1, .y = 2, .z = 3}.word();
  std::deque<Sent> inside;
  unsigned passed = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    const auto header = PacketHeader::from_bytes(random_bytes(random, 16));
    const auto trailer = PacketTrailer::from_bytes(random_bytes(random, 16));
    const auto status = static_cast<Status>(random.below(25));
    drive(sender->packet_header_i, header);
    drive(sender->packet_trailer_i, trailer);
    sender->refuse_status_i = static_cast<std::uint8_t>(status);
    sender.settle();
    sender->turn_i = random.chance(80);
    const bool act = sender->turn_i && sender->ready_o && random.chance(80);
    const bool answer = random.chance(40);
    sender->refuse_i = act && !answer;
    sender->answer_i = act && answer;
    sender->notice_packet_ready_i = random.chance(40);
    sender.settle();
    ASSERT_EQ(sender->notice_packet_valid_o, !inside.empty());
    ASSERT_EQ(sender->busy_o, !inside.empty());
    ASSERT_EQ(sender->ready_o, inside.size() < 2);
    if (!inside.empty()) {
      ASSERT_EQ(sample_record<PacketHeader>(sender->notice_packet_header_o), inside.front().header);
      ASSERT_EQ(sample_record<PacketTrailer>(sender->notice_packet_trailer_o),
                inside.front().trailer);
      if (sender->notice_packet_ready_i) {
        inside.pop_front();
        ++passed;
      }
    }
    if (act) inside.push_back(expected(header, trailer, answer, status));
    sender.tick();
  }
  EXPECT_GT(passed, 1000U);
}

using Answer = Record<layout::send_answer::Layout>;
using Peer = Record<layout::queue_peer::Layout>;

Sent acknowledged(const PacketHeader& header, const PacketTrailer& trailer) {
  Sent sent;
  sent.header.set<h::dst_x>(header.get<h::src_x>()).set<h::dst_y>(header.get<h::src_y>());
  sent.header.set<h::dst_z>(header.get<h::src_z>()).set<h::reply>(1).set<h::kind>(Kind::kAck);
  sent.header.set<h::target>(trailer.get<t::queue>());
  sent.header.set<h::word>(trailer.get<t::sequence_number>());
  return sent;
}

Sent stored(const Answer& answer, const Peer& peer) {
  namespace a = layout::send_answer;
  namespace p = layout::queue_peer;
  Sent sent;
  sent.header.set<h::dst_x>(peer.get<p::x>()).set<h::dst_y>(peer.get<p::y>());
  sent.header.set<h::dst_z>(peer.get<p::z>()).set<h::reply>(1);
  if (answer.get<a::status>() == Status::kOk) {
    sent.header.set<h::kind>(answer.get<a::fence>() != 0 ? Kind::kFence : Kind::kAck);
    sent.header.set<h::target>(peer.get<p::queue>()).set<h::word>(answer.get<a::number>());
    return sent;
  }
  sent.header.set<h::kind>(Kind::kNotice).set<h::target>(answer.get<a::queue>());
  sent.header.set<h::word>(static_cast<std::uint64_t>(answer.get<a::status>()) |
                           static_cast<std::uint64_t>(Kind::kSend) << 8U);
  sent.trailer.set<t::queue>(peer.get<p::queue>());
  sent.trailer.set<t::sequence_number>(answer.get<a::number>());
  return sent;
}

TEST(NoticeSender, AcknowledgesAndTellsWhatIsStoredWhileNothingElseIsToBeSent) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_notice_sender> sender(random.seed());
  std::deque<Sent> inside;
  std::array<unsigned, 4> sent{};
  for (int cycle = 0; cycle < 20000; ++cycle) {
    if (random.chance(1)) {
      sender->refuse_i = sender->answer_i = sender->acknowledge_i = sender->stored_valid_i = 0;
      sender.reset(1);
      inside.clear();
    }
    const auto straps = static_cast<unsigned>(random.below(1U << 12));
    // Where the machine ends, and how, is of no account.
    sender->straps_i = static_cast<IData>(straps | random.below(1U << 15) << 12);
    const auto header = PacketHeader::from_bytes(random_bytes(random, 16));
    const auto trailer = PacketTrailer::from_bytes(random_bytes(random, 16));
    const auto peer = Peer::from_bytes(random_bytes(random, Peer::kBytes));
    auto answer = Answer::from_bytes(random_bytes(random, Answer::kBytes));
    const unsigned code = random.chance(50)   ? 0
                          : random.chance(50) ? 1U << random.below(8)
                                              : static_cast<unsigned>(random.below(256));
    answer.set<layout::send_answer::status>(static_cast<Status>(code));
    drive(sender->packet_header_i, header);
    drive(sender->packet_trailer_i, trailer);
    drive(sender->stored_i, answer);
    drive(sender->stored_peer_i, peer);
    const auto status = static_cast<Status>(random.below(256));
    sender->refuse_status_i = static_cast<CData>(status);
    const bool turn = random.chance(cycle / 100 % 2 == 0 ? 80 : 20);
    const bool act = turn && inside.size() < 2 && random.chance(80);
    sender->turn_i = turn;
    const auto which = static_cast<unsigned>(random.below(3));
    sender->refuse_i = act && which == 0;
    sender->answer_i = act && which == 1;
    sender->acknowledge_i = act && which == 2;
    sender->stored_valid_i = random.chance(50);
    sender->notice_packet_ready_i = random.chance(cycle / 300 % 2 == 0 ? 30 : 90);
    sender.settle();
    ASSERT_EQ(sender->ready_o, inside.size() < 2);
    ASSERT_EQ(sender->stored_ready_o, !turn && inside.empty()) << "cycle " << cycle;
    ASSERT_EQ(sender->notice_packet_valid_o, !inside.empty());
    ASSERT_EQ(sender->busy_o, !inside.empty());
    if (!inside.empty()) {
      ASSERT_EQ(sample_record<PacketHeader>(sender->notice_packet_header_o), inside.front().header)
          << "cycle " << cycle;
      ASSERT_EQ(sample_record<PacketTrailer>(sender->notice_packet_trailer_o),
                inside.front().trailer);
    }
    const bool leaves = !inside.empty() && sender->notice_packet_ready_i;
    const bool takes_stored = !turn && inside.empty() && sender->stored_valid_i;
    sender.tick();
    if (leaves) inside.pop_front();
    if (!act && !takes_stored) continue;
    Sent next = takes_stored ? stored(answer, peer)
                : which == 2 ? acknowledged(header, trailer)
                             : expected(header, trailer, which == 1, status);
    const bool home = act && which == 0 && header.get<h::on_behalf>() != 0;
    next.header.set<h::src_x>(straps & 15).set<h::src_y>(straps >> 4 & 15);
    next.header.set<h::src_z>(straps >> 8);
    if (home) {
      next.header.set<h::dst_x>(straps & 15).set<h::dst_y>(straps >> 4 & 15);
      next.header.set<h::dst_z>(straps >> 8);
    }
    inside.push_back(next);
    ++sent[takes_stored ? 3 : which];
  }
  for (const unsigned count : sent) EXPECT_GT(count, 300U);
}

}  // namespace
}  // namespace torusmu::testing
