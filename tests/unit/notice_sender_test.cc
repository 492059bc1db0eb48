// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>

#include "Vmu_notice_sender.h"
#include "tests/support/clocked.h"
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
  sender->strap_x_i = 1;
  sender->strap_y_i = 2;
  sender->strap_z_i = 3;
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
    const bool act = sender->ready_o && random.chance(60);
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

}  // namespace
}  // namespace torusmu::testing
