// SPDX-License-Identifier: Apache-2.0
//
// Descriptors of reflection queues are tested with the queue engine, in send_engine_test.cc and
// send_engine_errors_test.cc; here they compete with notices.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "Vmu_reply_injector.h"
#include "tb/reference_model/packet.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace f = layout::fetched_descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
using Fetched = Record<f::Layout>;

// Bits that must be zero: where they begin, and how many there are.
constexpr std::array<std::array<unsigned, 2>, 8> kReserved{
    {{19, 5}, {40, 8}, {109, 19}, {165, 3}, {184, 8}, {224, 32}, {412, 16}, {505, 7}}};

Descriptor with_bit(const Descriptor& descriptor, unsigned bit) {
  const auto whole = descriptor.bytes();
  Bytes bytes(whole.begin(), whole.end());
  bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | 1U << bit % 8);
  return Descriptor::from_bytes(bytes);
}

class ReplyInjector : public ::testing::Test {
 protected:
  ReplyInjector() : dut_(random_.seed()) {
    dut_->straps_i = Straps{.last_x = 3, .last_y = 3, .last_z = 3}.word();
  }
  static bool is_nop(std::uint64_t index) { return index % 4 == 3; }
  static Fetched completion(std::uint32_t index) {
    const auto image = PacketHeader().set<h::dst_x>(1).set<h::src_x>(1).set<h::client>(2);
    return Fetched()
        .set<f::descriptor>(Descriptor()
                                .set<d::opcode>(is_nop(index) ? Opcode::kNop : Opcode::kPut)
                                .set<d::immediate_valid>(1)
                                .set<d::length>(8)
                                .set<d::reflection_number>(index & 0xFFFF)
                                .set<d::header>(image))
        .set<f::queue>(3)
        .set<f::index>(index)
        .set<f::mode>(QueueMode::kReflection);
  }
  static PacketHeader notice(unsigned word) {
    return PacketHeader().set<h::kind>(Kind::kNotice).set<h::reply>(1).set<h::word>(word);
  }
  struct Outcome {
    Status status = Status::kOk;
    Bytes flits;
  };
  // What becomes of a descriptor that nothing competes with.
  Outcome outcome_of(const Fetched& fetched) {
    dut_->flit_ready_i = dut_->retire_ready_i = dut_->descriptor_valid_i = 1;
    drive(dut_->descriptor_data_i, fetched);
    dut_.tick();
    dut_->descriptor_valid_i = 0;
    Outcome outcome;
    dut_.wait_for("its end", [&] {
      if (dut_->retire_valid_o) outcome.status = static_cast<Status>(dut_->retire_status_o);
      if (dut_->flit_valid_o) {
        const Bytes flit = sample(dut_->flit_data_o, 16);
        outcome.flits.insert(outcome.flits.end(), flit.begin(), flit.end());
      }
      return !dut_->busy_o;
    });
    return outcome;
  }

  Random random_;
  Clocked<Vmu_reply_injector> dut_;
};

TEST_F(ReplyInjector, LetsCompletionsAndBothKindsOfNoticesTakeTurnsWhole) {
  SCOPED_TRACE(random_.replay());
  std::uint32_t completions = 0, received = 0, own = 0, retired = 0;
  std::map<std::uint64_t, std::uint64_t> seen;  // packets by kind of sender
  Bytes open;
  unsigned since_received = 0;
  for (int cycle = 0; cycle < 6000; ++cycle) {
    dut_->descriptor_valid_i = 1;
    drive(dut_->descriptor_data_i, completion(completions));
    dut_->notice_packet_valid_i = 1;
    drive(dut_->notice_packet_header_i, notice(received));
    dut_->own_notice_valid_i = 1;
    drive(dut_->own_notice_header_i, notice(1U << 31 | own));
    dut_->flit_ready_i = random_.chance(80);
    dut_->retire_ready_i = random_.chance(15);
    dut_.settle();
    if (dut_->flit_valid_o && dut_->flit_ready_i) {
      ASSERT_EQ(dut_->flit_head_o != 0, open.empty());
      const Bytes flit = sample(dut_->flit_data_o, 16);
      open.insert(open.end(), flit.begin(), flit.end());
      if (dut_->flit_tail_o) {
        model::Packet packet;
        packet.header = PacketHeader::from_bytes(open);
        packet.trailer = PacketTrailer::from_bytes(std::span(open).last(16));
        packet.payload.assign(open.begin() + 16, open.end() - 16);
        ASSERT_TRUE(packet.crc_is_good());
        const bool is_notice = packet.header.get<h::kind>() == Kind::kNotice;
        const std::uint64_t sender = is_notice ? 1 + (packet.header.get<h::word>() >> 31) : 0;
        const std::uint64_t number =
            is_notice ? packet.header.get<h::word>() & 0x7FFFFFFF : packet.trailer.get<t::index>();
        if (sender == 0 && is_nop(seen[0])) ++seen[0];
        ASSERT_EQ(number, seen[sender]++) << "in order, each once";
        since_received = sender == 1 ? 0 : since_received + 1;
        ASSERT_LE(since_received, 2U) << "nobody waits for more than one packet of each other";
        open.clear();
      }
    }
    if (dut_->retire_valid_o && dut_->retire_ready_i) {
      ASSERT_EQ(dut_->retire_index_o, retired++);
      ASSERT_EQ(dut_->retire_status_o, 0);
    }
    completions += dut_->descriptor_ready_o;
    received += dut_->notice_packet_ready_o;
    own += dut_->own_notice_ready_o;
    dut_.tick();
  }
  EXPECT_GT(seen[0], 400U);
  EXPECT_GT(seen[1], 400U);
  EXPECT_GT(seen[2], 400U);
  EXPECT_GE(retired + 1, seen[0]) << "the last one may still wait for the queue engine";
}

TEST_F(ReplyInjector, SendsANoticeEveryTwoCyclesThoughARetirementWaits) {
  dut_->flit_ready_i = 1;
  dut_->descriptor_valid_i = 1;
  drive(dut_->descriptor_data_i, completion(3));
  dut_.tick();
  dut_->descriptor_valid_i = 0;
  dut_.tick();
  dut_.tick();
  ASSERT_TRUE(dut_->retire_valid_o);
  dut_->own_notice_valid_i = 1;
  drive(dut_->own_notice_header_i, notice(0));
  unsigned sent = 0;
  for (int cycle = 0; cycle < 100; ++cycle) {
    dut_.settle();
    sent += dut_->own_notice_ready_o;
    dut_.tick();
  }
  EXPECT_EQ(sent, 50U);
}

TEST_F(ReplyInjector, SendsACompletionEveryFiveCycles) {
  dut_->flit_ready_i = dut_->retire_ready_i = 1;
  dut_->descriptor_valid_i = 1;
  drive(dut_->descriptor_data_i, completion(0));
  unsigned tails = 0;
  for (int cycle = 0; cycle < 100; ++cycle) {
    dut_.settle();
    tails += dut_->flit_valid_o && dut_->flit_tail_o;
    dut_.tick();
  }
  EXPECT_GE(tails, 19U);
}

TEST_F(ReplyInjector, RefusesEachReservedBit) {
  for (const auto& [first, bits] : kReserved) {
    for (unsigned bit = first; bit < first + bits; ++bit) {
      Fetched fetched = completion(0);
      fetched.set<f::descriptor>(with_bit(fetched.get<f::descriptor>(), bit));
      ASSERT_EQ(outcome_of(fetched).status, Status::kReservedBits) << "bit " << bit;
    }
  }
}

TEST_F(ReplyInjector, SeesEachBitOfALengthThatIsTooLong) {
  for (unsigned bit = 5; bit < 37; ++bit) {
    Fetched fetched = completion(0);
    fetched.set<f::descriptor>(fetched.get<f::descriptor>().set<d::length>(1ULL << bit));
    ASSERT_EQ(outcome_of(fetched).status, Status::kLengthTooLong) << "bit " << bit;
  }
}

TEST_F(ReplyInjector, SendsTheSameWhateverItsQueueNotesForOthers) {
  const Bytes flits = outcome_of(completion(0)).flits;
  ASSERT_EQ(flits.size(), 48U);
  EXPECT_EQ(outcome_of(completion(0).set<f::run>(1)).flits, flits);
  EXPECT_EQ(outcome_of(completion(0).set<f::run_status>(Status::kReservedBits)).flits, flits);
  EXPECT_EQ(outcome_of(completion(0).set<f::detached>(1)).flits, flits);
  EXPECT_EQ(outcome_of(completion(0).set<f::again>(1)).flits, flits);
  EXPECT_EQ(outcome_of(completion(0).set<f::ahead>(1)).flits, flits);
  EXPECT_EQ(outcome_of(completion(0).set<f::lap>(~0U)).flits, flits);
}

// Descriptors and notices of all kinds, at any pace: what comes in must come out, and be retired.
class ReplyInjectorAtRandom : public ::testing::Test {
 protected:
  struct Retirement {
    std::uint64_t queue = 0, index = 0;
    Status status = Status::kOk;
  };

  std::uint64_t small(std::uint64_t bound) { return random_.below(bound); }

  void draw_machine() {
    const auto any = [&](unsigned bound) { return static_cast<unsigned>(small(bound)); };
    straps_ = {any(16), any(16), any(16), any(15), any(15), any(15), any(8)};
    dut_->straps_i = straps_.word();
  }
  // Right, but for one thing now and then.
  void draw_descriptor() {
    const bool put = random_.chance(50);
    status_ = Status::kOk;
    const std::uint64_t x = small(straps_.last_x + 1), y = small(straps_.last_y + 1),
                        z = small(straps_.last_z + 1);
    PacketHeader image;
    image.set<h::dst_x>(x)
        .set<h::dst_y>(y)
        .set<h::dst_z>(z)
        .set<h::src_x>(x)
        .set<h::src_y>(y)
        .set<h::src_z>(z)
        .set<h::client>(small(16))
        .set<h::target>(small(256))
        .set<h::offset>(small(1ULL << 37))
        .set<h::word>(small(1ULL << 32));
    std::array<std::uint8_t, 16> immediate{};
    for (std::uint8_t& byte : immediate) byte = static_cast<std::uint8_t>(small(256));
    Descriptor descriptor;
    descriptor.set<d::opcode>(put ? Opcode::kPut : Opcode::kFifo)
        .set<d::immediate_valid>(1)
        .set<d::length>(1 + small(16))
        .set<d::counter_valid>(small(2))
        .set<d::event_valid>(small(2))
        .set<d::interrupt_target>(small(2))
        .set<d::counter>(small(256))
        .set<d::event_counter>(small(256))
        .set<d::sequence_number>(small(1ULL << 32))
        .set<d::reflection_number>(small(1U << 16))
        // Of no meaning here.
        .set<d::source_region>(small(256))
        .set<d::source_offset>(small(1ULL << 37))
        .set<d::injection_counter>(small(256))
        .set<d::done_event>(small(256))
        .set<d::immediate>(immediate);
    unsigned reserved_bit = 0;
    bool error = false;
    if (random_.chance(30)) {
      switch (small(8)) {
        case 0:
          descriptor.set<d::opcode>(Opcode::kNop).set<d::length>(0);
          break;
        case 1:
          error = true;
          status_ = Status::kMemoryError;
          break;
        case 2:
          descriptor.set<d::length>(0);
          status_ = Status::kLengthZero;
          break;
        case 3:
          descriptor.set<d::length>(random_.chance(30) ? 17 : 1ULL << (5 + small(32)));
          status_ = Status::kLengthTooLong;
          break;
        case 4:
          descriptor.set<d::immediate_valid>(0);
          status_ = Status::kOpcodeForbidden;
          break;
        case 5: {
          const auto [first, bits] = kReserved.at(small(kReserved.size()));
          reserved_bit = first + static_cast<unsigned>(small(bits));
          status_ = Status::kReservedBits;
          break;
        }
        case 6:
          image.set<h::src_y>(15).set<h::dst_y>(15);
          status_ = Status::kUnreachable;
          break;
        default:
          image.set<h::src_z>(image.get<h::src_z>() ^ 1U);
          status_ = Status::kTargetForbidden;
      }
    }
    descriptor.set<d::header>(image);
    if (reserved_bit != 0) descriptor = with_bit(descriptor, reserved_bit);
    fetched_ = Fetched()
                   .set<f::descriptor>(descriptor)
                   .set<f::queue>(small(256))
                   .set<f::index>(small(1ULL << 32))
                   .set<f::owner>(small(16))
                   .set<f::mode>(QueueMode::kReflection)
                   .set<f::error>(error)
                   .set<f::lap>(small(1ULL << 32));
  }
  // As the reception engine, and as this node, makes them: what the latter say is of no concern
  // here.
  PacketHeader notice_header() { return own_notice_header().set<h::reply>(1).set<h::bytes>(0); }
  PacketHeader own_notice_header() { return PacketHeader::from_bytes(random_bytes(random_, 16)); }
  bool makes_packet() const {
    return status_ == Status::kOk && fetched_.get<f::descriptor>().get<d::opcode>() != Opcode::kNop;
  }
  model::Packet completion() {
    const Descriptor x = fetched_.get<f::descriptor>();
    const PacketHeader image = x.get<d::header>();
    model::Packet packet;
    const auto kind = x.get<d::opcode>() == Opcode::kPut ? Kind::kPut : Kind::kFifo;
    packet.header.set<h::dst_x>(image.get<h::dst_x>())
        .set<h::dst_y>(image.get<h::dst_y>())
        .set<h::dst_z>(image.get<h::dst_z>())
        .set<h::src_x>(straps_.x)
        .set<h::src_y>(straps_.y)
        .set<h::src_z>(straps_.z)
        .set<h::client>(image.get<h::client>())
        .set<h::kind>(kind)
        .set<h::reply>(1)
        .set<h::on_behalf>(1)
        .set<h::bytes>(x.get<d::length>())
        .set<h::target>(image.get<h::target>())
        .set<h::offset>(image.get<h::offset>())
        .set<h::word>(image.get<h::word>());
    packet.trailer.set<t::counter>(x.get<d::counter>())
        .set<t::counter_valid>(x.get<d::counter_valid>())
        .set<t::event_counter>(x.get<d::event_counter>())
        .set<t::event_valid>(x.get<d::event_valid>())
        .set<t::interrupt>(x.get<d::interrupt_target>())
        .set<t::last>(1)
        .set<t::queue>(fetched_.get<f::queue>())
        .set<t::index>(x.get<d::reflection_number>())
        .set<t::sequence_number>(x.get<d::sequence_number>())
        .set<t::reflected>(1);
    const auto immediate = x.get<d::immediate>();
    packet.payload.assign(immediate.begin(),
                          immediate.begin() + static_cast<std::ptrdiff_t>(x.get<d::length>()));
    packet.seal();
    return packet;
  }
  static Bytes notice(const PacketHeader& header, const PacketTrailer& trailer) {
    model::Packet packet;
    packet.header = header;
    packet.trailer = trailer;
    packet.seal();
    return packet.bytes();
  }
  void draw() {
    auto& m = *dut_.operator->();
    if (dut_.cycle() % 100 == 0) {
      for (unsigned& percent : often_)
        percent = random_.chance(30) ? 2 : random_.chance(50) ? 40 : 95;
    }
    if (descriptor_taken_ || !m.descriptor_valid_i) draw_descriptor();
    if (notice_taken_ || !m.notice_packet_valid_i) {
      notice_header_ = notice_header();
      notice_trailer_ = PacketTrailer::from_bytes(random_bytes(random_, 16));
    }
    if (own_taken_ || !m.own_notice_valid_i) {
      own_header_ = own_notice_header();
      own_trailer_ = PacketTrailer::from_bytes(random_bytes(random_, 16));
    }
    m.descriptor_valid_i =
        (m.descriptor_valid_i && !descriptor_taken_) || random_.chance(often_[0]);
    m.notice_packet_valid_i =
        (m.notice_packet_valid_i && !notice_taken_) || random_.chance(often_[1]);
    m.own_notice_valid_i = (m.own_notice_valid_i && !own_taken_) || random_.chance(often_[2]);
    m.flit_ready_i = random_.chance(often_[3]);
    m.retire_ready_i = random_.chance(often_[4]);
    drive(m.descriptor_data_i, fetched_);
    drive(m.notice_packet_header_i, notice_header_);
    drive(m.notice_packet_trailer_i, notice_trailer_);
    drive(m.own_notice_header_i, own_header_);
    drive(m.own_notice_trailer_i, own_trailer_);
    dut_.settle();
    descriptor_taken_ = m.descriptor_valid_i && m.descriptor_ready_o;
    notice_taken_ = m.notice_packet_valid_i && m.notice_packet_ready_o;
    own_taken_ = m.own_notice_valid_i && m.own_notice_ready_o;
  }
  void compare_retirement() {
    auto& m = *dut_.operator->();
    if (m.retire_valid_o && !retire_held_) ++retired_;
    if (must_retire_) {
      ASSERT_EQ(retired_, accepted_) << "what makes no packet is retired at once";
    }
    ASSERT_EQ(m.descriptor_ready_o, accepted_ == retired_);
    ASSERT_LE(retired_, accepted_);
    if (m.retire_valid_o) {
      ASSERT_EQ(m.retire_queue_o, retirements_.front().queue);
      ASSERT_EQ(m.retire_index_o, retirements_.front().index);
      ASSERT_EQ(static_cast<Status>(m.retire_status_o), retirements_.front().status);
    }
    ASSERT_TRUE(m.retire_valid_o || !retire_held_) << "held until taken";
  }
  void compare_flits() {
    auto& m = *dut_.operator->();
    if (!m.flit_valid_o) return;
    ASSERT_EQ(m.flit_head_o != 0, open_.empty());
    if (!m.flit_ready_i) return;
    const Bytes flit = sample(m.flit_data_o, 16);
    open_.insert(open_.end(), flit.begin(), flit.end());
    if (!m.flit_tail_o) return;
    std::deque<Bytes>& from =
        !notices_.empty() && notices_.front() == open_ ? notices_ : completions_;
    ASSERT_FALSE(from.empty());
    ASSERT_EQ(from.front(), open_);
    from.pop_front();
    open_.clear();
  }
  void cycle() {
    auto& m = *dut_.operator->();
    draw();
    ASSERT_NO_FATAL_FAILURE(compare_retirement());
    ASSERT_EQ(m.busy_o, !retirements_.empty() || !notices_.empty() || !completions_.empty());
    ASSERT_FALSE(notice_taken_ && own_taken_);
    ASSERT_NO_FATAL_FAILURE(compare_flits());
    retire_held_ = m.retire_valid_o && !m.retire_ready_i;
    if (m.retire_valid_o && m.retire_ready_i) retirements_.pop_front();
    must_retire_ = plain_ && judged_ && accepted_ != retired_ && !retire_held_;
    judged_ = accepted_ != retired_;
    if (notice_taken_) notices_.push_back(notice(notice_header_, notice_trailer_));
    if (own_taken_) notices_.push_back(notice(own_header_, own_trailer_));
    if (descriptor_taken_) {
      ++accepted_;
      plain_ = !makes_packet();
      retirements_.push_back({fetched_.get<f::queue>(), fetched_.get<f::index>(), status_});
      if (!plain_) completions_.push_back(completion().bytes());
    }
    dut_.tick();
  }
  void forget() {
    auto& m = *dut_.operator->();
    m.descriptor_valid_i = m.notice_packet_valid_i = m.own_notice_valid_i = 0;
    draw_machine();
    dut_.reset(1);
    notices_.clear();
    completions_.clear();
    retirements_.clear();
    open_.clear();
    accepted_ = retired_ = 0;
    retire_held_ = plain_ = descriptor_taken_ = notice_taken_ = own_taken_ = false;
    must_retire_ = judged_ = false;
  }

  Random random_;
  Clocked<Vmu_reply_injector> dut_{random_.seed()};
  Straps straps_;
  Fetched fetched_;
  Status status_ = Status::kOk;
  PacketHeader notice_header_, own_header_;
  PacketTrailer notice_trailer_, own_trailer_;
  std::deque<Bytes> notices_, completions_;  // inside
  std::deque<Retirement> retirements_;       // due
  Bytes open_;                               // flits of the packet that is leaving
  std::uint64_t accepted_ = 0, retired_ = 0;
  bool retire_held_ = false, plain_ = false, must_retire_ = false;
  bool judged_ = false;  // what is here was here in the last cycle, too
  bool descriptor_taken_ = false, notice_taken_ = false, own_taken_ = false;
  std::array<unsigned, 5> often_{};
};

TEST_F(ReplyInjectorAtRandom, SendsAndRetiresEachOfWhatCame) {
  SCOPED_TRACE(random_.replay());
  forget();
  for (int i = 0; i < 20000; ++i) {
    if (random_.below(1000) == 0) forget();
    ASSERT_NO_FATAL_FAILURE(cycle()) << "cycle " << i;
  }
}

}  // namespace
}  // namespace torusmu::testing
