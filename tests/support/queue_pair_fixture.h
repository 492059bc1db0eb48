// SPDX-License-Identifier: Apache-2.0
// A node with a send queue and a receive queue, on the reference model alone and on RTL and model
// together, and the packets that the other end of a queue pair would send.
#ifndef TORUSMU_TESTS_SUPPORT_QUEUE_PAIR_FIXTURE_H_
#define TORUSMU_TESTS_SUPPORT_QUEUE_PAIR_FIXTURE_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/node_setup.h"
#include "tests/support/node_under_test.h"

namespace torusmu::testing {

enum class On { kModel, kNode };

class QueuePairTest : public ::testing::TestWithParam<On> {
 protected:
  using Packet = model::Packet;
  static constexpr QueueId kSend{13}, kReceive{14}, kOther{15}, kPeerQueue{20};
  static constexpr CompletionQueueId kCompletions{3}, kForeignCompletions{4}, kClosed{5};
  static constexpr Coordinates kPeer{0, 1, 1};      // the neighbour in x-
  static constexpr Coordinates kStranger{2, 1, 1};  // that in x+
  static constexpr std::uint32_t kSlots = 8;
  static constexpr std::uint32_t kEntries = 4;
  static constexpr Address kCompletionRing = 0x70008;
  static constexpr Cycles kNever = 1 << 24;  // longer than any test

  QueuePairTest() {
    if (GetParam() == On::kModel) {
      node_ = std::make_unique<NodeUnderTestOf<ModelNode>>();
    } else {
      node_ = std::make_unique<NodeUnderTestOf<NodeJudge>>();
    }
    here_ = device().shape().coordinates(device().node());
    open_everything(device(), false);
    device().write64(registers::node::credit_timeout_cycles(), 0);
    retry_after(kNever);
    device().store(kSource, pattern(7, kRegionBytes));
    own().open_completion_queue(kCompletions, kCompletionRing, kEntries);
  }

  Device& device() { return node_->device(); }
  RawNode own() { return RawNode(device(), kOwner); }
  std::vector<Packet> settle(const std::string& where) { return node_->settle(where); }
  void pass(Cycles cycles) { node_->pass(cycles); }
  void retry_after(Cycles cycles, std::uint32_t times = 255) {
    device().write64(registers::node::send_retry_cycles(), cycles);
    device().write64(registers::node::send_retries(), times);
  }

  // --- queues ---
  static Address ring_of(QueueId queue) { return 0x40000 + queue.value * Address{0x400}; }
  // Connected to a queue of this node, or of the peer.
  void open(QueueId queue, QueueMode mode, Coordinates peer, QueueId peer_queue,
            QueueTells tells = {}, QueueRules rules = {}, std::uint32_t slots = kSlots) {
    device().write64(registers::injection_queue::config(queue.value), 0);
    own().connect(queue, peer, peer_queue, tells);
    open_ring(queue, mode, rules, slots);
  }
  void open_dynamic(QueueId queue, QueueMode mode, QueueTells tells = {}, QueueRules rules = {},
                    std::uint32_t slots = kSlots) {
    device().write64(registers::injection_queue::config(queue.value), 0);
    own().connect_dynamically(queue, tells);
    open_ring(queue, mode, rules, slots);
  }
  // With its peer register as it stands.
  void open_ring(QueueId queue, QueueMode mode, QueueRules rules = {},
                 std::uint32_t slots = kSlots) {
    own().open_queue(queue, ring_of(queue), slots, mode, rules);
    slots_[queue.value] = slots;
    tails_[queue.value] = 0;
  }
  void open_pair(QueueTells send = {}, QueueTells receive = {}, QueueRules rules = {}) {
    open(kSend, QueueMode::kDoorbell, here_, kReceive, send);
    open(kReceive, QueueMode::kReceive, here_, kSend, receive, rules);
  }
  void open_send(QueueTells tells = {}) {
    open(kSend, QueueMode::kDoorbell, kPeer, kPeerQueue, tells);
  }
  void open_receive(QueueTells tells = {}, QueueRules rules = {}, std::uint32_t slots = kSlots) {
    open(kReceive, QueueMode::kReceive, kPeer, kPeerQueue, tells, rules, slots);
  }
  void write(QueueId queue, const Descriptor& descriptor) {
    own().write_descriptor(ring_of(queue), slots_[queue.value], tails_[queue.value]++, descriptor);
  }
  void ring(QueueId queue) { own().ring_doorbell(queue, tails_[queue.value]); }
  void post(QueueId queue, const Descriptor& descriptor) {
    write(queue, descriptor);
    ring(queue);
  }
  // In a queue that nothing holds.
  void run_now(const Descriptor& descriptor) {
    own().write_descriptor(kDoorbellRing, kRingSlots, now_tail_, descriptor);
    own().ring_doorbell(kDoorbellQueue, ++now_tail_);
  }
  std::uint32_t head(QueueId queue) {
    return static_cast<std::uint32_t>(
        device().read64(registers::injection_queue::head(queue.value)));
  }
  Status status(QueueId queue) { return queue_state(device(), queue).status; }
  bool has_cause(Cause cause) { return (own().causes() >> static_cast<unsigned>(cause) & 1) != 0; }
  void clear_causes() { own().clear_causes(~std::uint64_t{0}); }
  std::uint64_t notices() {
    return extract(device().read64(registers::client_page::notice_tail(kOwner.value)),
                   registers::client_page::notice_tail_field::tail);
  }

  // --- descriptors and memory ---
  // SEND i takes its bytes from a place of its own, RECEIVE i has a buffer of its own.
  static Source source(std::uint32_t i, Bytes length) {
    return {kSourceRegion, i * Bytes{0x1001}, length};
  }
  static Source buffer(std::uint32_t i, Bytes length) {
    return {kTargetRegion, i * Bytes{0x1003}, length};
  }
  std::vector<std::byte> memory(Address at, Bytes length) {
    std::vector<std::byte> bytes(length);
    device().load(at, bytes);
    return bytes;
  }
  std::vector<std::byte> sent(std::uint32_t i, Bytes length) {
    return memory(kSource + source(i, length).offset, length);
  }
  std::vector<std::byte> received(std::uint32_t i, Bytes length) {
    return memory(kTarget + buffer(i, length).offset, length);
  }
  static std::vector<std::byte> nothing(Bytes length) { return std::vector<std::byte>(length); }

  // --- what the other end sends ---
  static std::vector<std::uint8_t> message(std::uint64_t seed, Bytes length) {
    return bytes_of(seed, length);
  }
  static std::vector<std::byte> as_stored(const std::vector<std::uint8_t>& bytes) {
    const auto view = std::as_bytes(std::span(bytes));
    return {view.begin(), view.end()};
  }
  // The packet of `whole` that begins at byte `offset`.
  Packet packet_of(const std::vector<std::uint8_t>& whole, Bytes offset, std::uint32_t number) {
    namespace h = layout::packet_header;
    namespace t = layout::packet_trailer;
    const Bytes bytes = std::min<Bytes>(whole.size() - offset, kSim.payload_bytes);
    const auto first = whole.begin() + static_cast<std::ptrdiff_t>(offset);
    Packet packet = put_packet(kPeer, here_, {first, first + static_cast<std::ptrdiff_t>(bytes)},
                               kReceive.value, offset);
    packet.header.set<h::kind>(Kind::kSend).set<h::word>(kWord);
    packet.trailer.set<t::last>(offset + bytes == whole.size())
        .set<t::queue>(kPeerQueue.value)
        .set<t::index>(whole.size())
        .set<t::sequence_number>(number);
    return packet;
  }
  void deliver(const Packet& packet) { node_->deliver_sealed(packet); }
  void deliver_all(const std::vector<std::uint8_t>& whole, std::uint32_t number) {
    for (Bytes offset = 0; offset < whole.size(); offset += kSim.payload_bytes) {
      deliver(packet_of(whole, offset, number));
    }
  }
  // About SEND `number` of the send queue.
  Packet answer(Kind kind, std::uint32_t number) {
    namespace h = layout::packet_header;
    Packet packet = put_packet(kPeer, here_, {}, kSend.value, 0);
    packet.header.set<h::kind>(kind)
        .set<h::reply>(1)
        .set<h::client>(kOwner.value)
        .set<h::word>(number);
    packet.trailer = {};
    return packet;
  }
  Packet acknowledgement(std::uint32_t number) { return answer(Kind::kAck, number); }
  Packet refusal(std::uint32_t number, Status status) {
    namespace h = layout::packet_header;
    namespace t = layout::packet_trailer;
    Packet packet = answer(Kind::kNotice, 0);
    packet.header.set<h::target>(kPeerQueue.value)
        .set<h::word>(static_cast<std::uint64_t>(status) | static_cast<std::uint64_t>(Kind::kSend)
                                                               << 8);
    packet.trailer.set<t::queue>(kSend.value).set<t::sequence_number>(number);
    return packet;
  }

  // --- what is seen ---
  // Number and word of each packet of a SEND.
  using Sends = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  static Sends sends(const std::vector<Packet>& packets) {
    namespace t = layout::packet_trailer;
    Sends found;
    for (const Packet& packet : packets) {
      if (kind_of(packet) != Kind::kSend) continue;
      found.emplace_back(static_cast<std::uint32_t>(packet.trailer.get<t::sequence_number>()),
                         static_cast<std::uint32_t>(word_of(packet)));
    }
    return found;
  }
  static Kind kind_of(const Packet& packet) {
    return packet.header.get<layout::packet_header::kind>();
  }
  static std::uint64_t word_of(const Packet& packet) {
    return packet.header.get<layout::packet_header::word>();
  }
  // True if it says that SEND `number` of the peer is in memory.
  static bool acknowledges(const Packet& packet, std::uint32_t number) {
    return kind_of(packet) == Kind::kAck && word_of(packet) == number;
  }
  static bool refuses(const Packet& packet, Status status) {
    return kind_of(packet) == Kind::kNotice &&
           word_of(packet) ==
               (static_cast<std::uint64_t>(status) | static_cast<std::uint64_t>(Kind::kSend) << 8);
  }
  CompletionEntry entry(std::uint32_t slot) {
    std::array<std::uint8_t, CompletionEntry::kBytes> bytes{};
    device().load(kCompletionRing + slot * CompletionEntry::kBytes,
                  std::as_writable_bytes(std::span(bytes)));
    return CompletionEntry::from_bytes(bytes);
  }
  std::uint64_t lost(CompletionQueueId queue) {
    return device().read64(registers::completion_queue::status(queue.value));
  }

  static constexpr std::uint32_t kWord = 0xCAFE;
  Coordinates here_;

 private:
  std::unique_ptr<NodeUnderTest> node_;
  std::map<std::uint32_t, std::uint32_t> tails_;  // by queue
  std::map<std::uint32_t, std::uint32_t> slots_;
  std::uint32_t now_tail_ = 0;
};

inline std::string name_of_case(const ::testing::TestParamInfo<On>& info) {
  return info.param == On::kModel ? "TheModel" : "TheNode";
}

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_QUEUE_PAIR_FIXTURE_H_
