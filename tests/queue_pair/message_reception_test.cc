// SPDX-License-Identifier: Apache-2.0
// bgp:
// Senders of dynamically connected queues, the network, the memory and who posts RECEIVEs are
// played by the test.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "Vmu_message_reception.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

using Header = Record<layout::packet_header::Layout>;
using Trailer = Record<layout::packet_trailer::Layout>;
using Peer = Record<layout::queue_peer::Layout>;
using Buffer = Record<layout::receive_buffer::Layout>;
using Offer = Record<layout::buffer_offer::Layout>;
using Reset = Record<layout::pair_reset::Layout>;
using Stored = Record<layout::message_stored::Layout>;
using Answer = Record<layout::send_answer::Layout>;
using Message = Record<layout::received_message::Layout>;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace p = layout::queue_peer;
namespace b = layout::receive_buffer;
namespace o = layout::buffer_offer;
namespace r = layout::pair_reset;
namespace m = layout::received_message;
namespace s = layout::message_stored;

constexpr unsigned kIn = 20;     // dynamically connected
constexpr unsigned kPaired = 3;  // with a peer of its own: node 7, queue 9
constexpr unsigned kBytes = 16;  // of a packet
constexpr std::uint32_t kBuffer = 4 * kBytes;

struct Packet {
  unsigned node = 0;
  std::uint32_t number = 0;
  std::uint32_t offset = 0;
  std::uint32_t length = kBytes;  // of the message
  bool doubtful = false;
  bool dynamic = true;
  unsigned to = kIn;
  bool last() const { return offset + kBytes == length; }
};
struct Verdict {
  bool take = false;
  bool acknowledge = false;
  Status status = Status::kOk;
  std::uint64_t address = 0;
  unsigned context = 0;
  unsigned epoch = 0;
};

class MessageReception : public ::testing::Test {
 protected:
  MessageReception() {
    configure(kIn);
    configure(kPaired);
    drive(dut_->answer_peer_i, paired());
  }
  static Peer paired() { return Peer().set<p::connected>(1).set<p::x>(7).set<p::queue>(9); }
  void configure(unsigned queue) {
    const auto reset = Reset().set<r::queue>(queue).set<r::receives>(1);
    drive(dut_->reset_i, Reset(reset).set<r::configured>(1));
    dut_.tick();
    drive(dut_->reset_i, reset);
    dut_.settle();
  }
  void offer(unsigned queue, std::uint32_t index) {
    const auto offered = Offer().set<o::buffer>(Buffer()
                                                    .set<b::queue>(queue)
                                                    .set<b::owner>(2)
                                                    .set<b::address>(0x10000 * (1 + index))
                                                    .set<b::length>(kBuffer)
                                                    .set<b::index>(index));
    drive(dut_->buffer_i, Offer(offered).set<o::valid>(1));
    dut_.tick();
    drive(dut_->buffer_i, offered);
    dut_.settle();
  }
  Verdict judge(const Packet& packet) {
    drive(dut_->header_i, Header()
                              .set<h::src_x>(packet.node)
                              .set<h::target>(packet.to)
                              .set<h::offset>(packet.offset)
                              .set<h::bytes>(kBytes)
                              .set<h::word>(packet.number));
    drive(dut_->trailer_i, Trailer()
                               .set<t::queue>(9)
                               .set<t::sequence_number>(packet.number)
                               .set<t::index>(packet.length)
                               .set<t::last>(packet.last())
                               .set<t::dynamic>(packet.dynamic)
                               .set<t::doubtful>(packet.doubtful));
    drive(dut_->peer_i,
          packet.to == kIn ? Peer().set<p::connected>(1).set<p::dynamic>(1) : paired());
    dut_->counters_good_i = 1;
    dut_->end_i = packet.offset + kBytes;
    dut_->look_i = 1;
    dut_.settle();
    const unsigned owner = dut_->owner_o;
    dut_.tick();
    dut_->look_i = 0;
    dut_->job_i = 1;
    dut_.settle();
    const Verdict verdict = {
        dut_->take_o != 0, dut_->acknowledge_o != 0, static_cast<Status>(dut_->status_o),
        dut_->address_o,   dut_->context_o / 4U,     dut_->context_o % 4U};
    if (verdict.take) {
      EXPECT_EQ(owner, 2U);
      EXPECT_EQ(dut_->bytes_o, packet.offset + kBytes);
    }
    dut_.tick();
    dut_->job_i = 0;
    dut_.settle();
    return verdict;
  }
  void store(const Packet& packet, const Verdict& taken, bool failed = false) {
    drive(dut_->stored_i, Stored()
                              .set<s::queue>(packet.to)
                              .set<s::epoch>(taken.epoch)
                              .set<s::failed>(failed)
                              .set<s::message_end>(packet.last())
                              .set<s::slot>(packet.number & 1)
                              .set<s::dynamic>(packet.dynamic)
                              .set<s::reassembly>(packet.dynamic ? taken.context : 0));
    dut_->stored_valid_i = 1;
    dut_.tick();
    dut_->stored_valid_i = 0;
    dut_.settle();
  }
  bool end() {
    if (!dut_->end_valid_o) return false;
    dut_->end_ready_i = 1;
    dut_.tick();
    dut_->end_ready_i = 0;
    dut_.settle();
    return true;
  }
  std::optional<Message> message() {
    if (!dut_->message_valid_o) return std::nullopt;
    const auto message = sample_record<Message>(dut_->message_o);
    dut_->message_ready_i = 1;
    dut_.tick();
    dut_->message_ready_i = 0;
    dut_.settle();
    return message;
  }
  struct Told {
    unsigned node;
    unsigned queue;
    std::uint32_t number;
    Status status;
  };
  std::optional<Told> answer() {
    if (!dut_->answer_valid_o) return std::nullopt;
    const auto answer = sample_record<Answer>(dut_->answer_o);
    const auto to = sample_record<Peer>(dut_->answer_to_o);
    dut_->answer_ready_i = 1;
    dut_.tick();
    dut_->answer_ready_i = 0;
    dut_.settle();
    return Told{static_cast<unsigned>(to.get<p::x>()), static_cast<unsigned>(to.get<p::queue>()),
                static_cast<std::uint32_t>(answer.get<layout::send_answer::number>()),
                answer.get<layout::send_answer::status>()};
  }

  Random random_;
  Clocked<Vmu_message_reception> dut_{random_.seed()};
};

TEST_F(MessageReception, GivesTheReceiveAtTheHeadToEachMessageThatBegins) {
  offer(kIn, 0);
  offer(kIn, 1);
  const Packet a{1, 0, 0, 2 * kBytes}, z{2, 5, 0, 2 * kBytes};
  const Verdict of_a = judge(a), of_z = judge(z);
  EXPECT_EQ(of_a.address, 0x10000U);
  EXPECT_EQ(of_z.address, 0x20000U);
  EXPECT_NE(of_a.context, of_z.context);
  EXPECT_TRUE(end());
  EXPECT_TRUE(end()) << "both have left the queue";
  EXPECT_EQ(judge({3, 0}).status, Status::kReceiveDisabled);
  Packet rest = z;
  rest.offset = kBytes;
  const Verdict last = judge(rest);
  EXPECT_TRUE(last.take);
  EXPECT_EQ(last.address, 0x20000U + kBytes);
  EXPECT_EQ(last.context, of_z.context);
  EXPECT_FALSE(message());
  store(rest, last);
  const auto done = message();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->get<m::index>(), 1U);
  EXPECT_EQ(done->get<m::node>(), 2U);
  EXPECT_EQ(done->get<m::bytes>(), 2 * kBytes);
  const auto told = answer();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->node, 2U) << "not the peer of the queue";
  EXPECT_EQ(told->number, 5U);
  EXPECT_FALSE(end());
}

TEST_F(MessageReception, KeepsQueuesWithAPeerApartFromDynamicOnes) {
  offer(kIn, 0);
  offer(kPaired, 1);
  EXPECT_EQ(judge({7, 0, 0, kBytes, false, true, kPaired}).status, Status::kPermission);
  EXPECT_EQ(judge({7, 0, 0, kBytes, false, false, kIn}).status, Status::kPermission);
  const Packet paired{7, 0, 0, kBytes, false, false, kPaired}, dynamic{7, 0};
  const Verdict of_paired = judge(paired), of_dynamic = judge(dynamic);
  EXPECT_EQ(of_paired.address, 0x20000U);
  EXPECT_EQ(of_dynamic.address, 0x10000U);
  EXPECT_TRUE(end());
  store(paired, of_paired);
  EXPECT_FALSE(message());
  EXPECT_TRUE(end());
  store(dynamic, of_dynamic, true);
  EXPECT_EQ(message()->get<m::status>(), Status::kMemoryError);
  EXPECT_EQ(answer()->status, Status::kMemoryError) << "of contexts first";
  const auto told = answer();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->node, 7U);
  EXPECT_EQ(told->status, Status::kOk);
}

// Many senders in a network that loses packets and answers: each sends one message after the other,
// again while it has no answer, and gives one up at times.
class ManySenders : public MessageReception {
 protected:
  static constexpr unsigned kSenders = 14;
  struct Sender {
    std::uint32_t number = 0;
    std::uint32_t packets = 1;
    unsigned copies = 0;  // that left, and were not refused
    bool again = true;
    std::deque<Packet> network;  // in order
    std::deque<std::pair<std::uint32_t, Status>> answers;
  };
  using Key = std::pair<unsigned, std::uint32_t>;  // sender, number

  void end_send(unsigned node, bool delivered, bool known = true) {
    Sender& sender = senders_.at(node);
    const bool done = done_.contains({node, sender.number});
    if (known) {
      EXPECT_EQ(done, delivered) << "message " << sender.number << " of " << node;
    }
    ++sender.number;
    sender.packets = 1 + static_cast<std::uint32_t>(random_.below(4));
    sender.copies = 0;
    sender.again = true;
  }
  void send(unsigned node) {
    Sender& sender = senders_.at(node);
    const bool times_out = !sender.again;
    if (times_out && !random_.chance(timeouts_)) return;
    const bool doubtful = sender.copies++ != 0;
    sender.again = false;
    for (std::uint32_t i = 0; i < sender.packets; ++i) {
      if (random_.chance(lost_)) continue;
      sender.network.push_back(
          {node, sender.number, i * kBytes, sender.packets * kBytes, doubtful});
    }
    if (doubtful && random_.chance(5)) end_send(node, false, false);  // gives up
  }
  void reply(unsigned node, std::uint32_t number, Status status) {
    if (!random_.chance(lost_)) senders_.at(node).answers.emplace_back(number, status);
  }
  void hear(unsigned node) {
    Sender& sender = senders_.at(node);
    if (sender.answers.empty()) return;
    const auto [number, status] = sender.answers.front();
    sender.answers.pop_front();
    if (number != sender.number) return;
    if (status == Status::kReceiveDisabled || status == Status::kDeliveryUnknown) {
      --sender.copies;
      sender.again = true;
      if (status == Status::kDeliveryUnknown) ++unknown_;
    } else {
      if (status == Status::kOk) ++delivered_;
      end_send(node, true);
    }
  }
  void arrive(unsigned node) {
    Sender& sender = senders_.at(node);
    if (sender.network.empty()) return;
    const Packet packet = sender.network.front();
    sender.network.pop_front();
    const Verdict verdict = judge(packet);
    if (verdict.acknowledge) reply(node, packet.number, Status::kOk);
    if (verdict.status != Status::kOk) reply(node, packet.number, verdict.status);
    if (!verdict.take) return;
    const Key key{node, packet.number};
    ASSERT_FALSE(done_.contains(key)) << "it is there already";
    const auto index = static_cast<std::uint32_t>(verdict.address / 0x10000 - 1);
    ASSERT_EQ(verdict.address % 0x10000, packet.offset);
    if (packet.offset == 0) {
      buffers_[index] = {key, 0};
    }
    auto& [owner, bytes] = buffers_.at(index);
    ASSERT_EQ(owner, key) << "in the buffer of another";
    ASSERT_EQ(bytes, packet.offset);
    bytes += kBytes;
    memory_.emplace_back(packet, verdict);
  }
  // Told of a last packet, or if it could not be stored.
  void write() {
    if (memory_.empty()) return;
    const auto [packet, verdict] = memory_.front();
    memory_.pop_front();
    const bool failed = random_.chance(1);
    if (packet.last() || failed) store(packet, verdict, failed);
  }
  void complete() {
    const auto done = message();
    if (!done) return;
    const auto index = static_cast<std::uint32_t>(done->get<m::index>());
    ASSERT_TRUE(buffers_.contains(index));
    const auto [key, bytes] = buffers_.at(index);
    buffers_.erase(index);
    EXPECT_EQ(done->get<m::node>(), key.first);
    EXPECT_EQ(done->get<m::word>(), key.second);
    EXPECT_EQ(done->get<m::bytes>(), bytes);
    EXPECT_TRUE(done_.insert(key).second) << "delivered twice";
  }
  void tell() {
    if (const auto told = answer()) reply(told->node, told->number, told->status);
  }
  void post() {
    if (offered_ == 2 || !random_.chance(posts_)) return;
    offer(kIn, posted_++);
    ++offered_;
  }
  void step() {
    const auto node = static_cast<unsigned>(random_.below(kSenders));
    switch (random_.below(8)) {
      case 0:
        return send(node);
      case 1:
        return hear(node);
      case 2:
      case 3:
        return arrive(node);
      case 4:
        return write();
      case 5:
        return complete();
      case 6:
        return tell();
      default:
        if (end()) --offered_;
        return post();
    }
  }

  std::array<Sender, kSenders> senders_;
  std::deque<std::pair<Packet, Verdict>> memory_;
  std::map<std::uint32_t, std::pair<Key, std::uint32_t>> buffers_;  // by index of the RECEIVE
  std::set<Key> done_;
  unsigned lost_ = 0;
  unsigned timeouts_ = 0;
  unsigned posts_ = 0;
  unsigned offered_ = 0;
  std::uint32_t posted_ = 0;
  unsigned delivered_ = 0;
  unsigned unknown_ = 0;
};

TEST_F(ManySenders, DeliverEveryMessageThatIsAcknowledgedOnceAndWhole) {
  SCOPED_TRACE(random_.replay());
  for (int round = 0; round < 20 && !HasFailure(); ++round) {
    lost_ = static_cast<unsigned>(random_.below(10));
    timeouts_ = 1 + static_cast<unsigned>(random_.below(20));
    posts_ = 20 + static_cast<unsigned>(random_.below(80));
    for (int i = 0; i < 20000 && !HasFailure(); ++i) step();
  }
  EXPECT_GT(delivered_, 1000U);
  EXPECT_GT(unknown_, 10U);
}

}  // namespace
}  // namespace torusmu::testing
