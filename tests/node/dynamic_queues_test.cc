// SPDX-License-Identifier: Apache-2.0
// The rules of docs/queue_pairs.md for SENDs of dynamically connected queues, one by one, on the
// reference model and on the node. Either both ends are queues of the node, or the test makes the
// answers.
#include <gtest/gtest.h>

#include "tests/support/dynamic_queue_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace e = layout::completion_entry;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

class DynamicSend : public DynamicQueueTest {
 protected:
  static constexpr Cycles kRetry = 1 << 16;
  static constexpr Cycles kRoom = 5000;

  void open_dynamic_send(QueueTells tells = {}) {
    open_dynamic(kSend, QueueMode::kDoorbell, tells);
  }
  // SEND i has word i.
  static Descriptor numbered(std::uint32_t i, Bytes length = 100) {
    return dynamic_send_descriptor(kPeer, kPeerQueue, source(i, length), i);
  }
  Descriptor to_this_node(QueueId queue, std::uint32_t i, Bytes length) {
    return dynamic_send_descriptor(here_, queue, source(i, length), i);
  }
  static Packet from(Coordinates node, Packet answer) {
    answer.header.set<h::src_x>(node.x).set<h::src_y>(node.y).set<h::src_z>(node.z);
    return answer;
  }
  std::vector<Packet> send(const Descriptor& descriptor) {
    post(kSend, descriptor);
    return settle("sent");
  }
  std::vector<Packet> answer(const Packet& packet) {
    deliver(packet);
    return settle("answered");
  }
  std::vector<Packet> after(Cycles cycles) {
    pass(cycles + kRoom);
    return settle("later");
  }
  // The trailer bits doubtful, packet by packet.
  static std::vector<bool> doubts(const std::vector<Packet>& packets) {
    std::vector<bool> found;
    for (const Packet& packet : packets) {
      EXPECT_EQ(packet.trailer.get<t::dynamic>(), 1U);
      found.push_back(packet.trailer.get<t::doubtful>() != 0);
    }
    return found;
  }
};

// --- where it goes ------------------------------------------------------------------------------

TEST_P(DynamicSend, GoesToTheQueueThatItNames) {
  open_dynamic_send();
  const auto first = send(dynamic_send_descriptor(kPeer, {20}, source(0, 100), 0));
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].header.get<h::dst_x>(), kPeer.x);
  EXPECT_EQ(first[0].header.get<h::target>(), 20U);
  EXPECT_TRUE(answer(acknowledgement(0)).empty());
  const auto second = send(dynamic_send_descriptor(kStranger, {31}, source(1, 100), 1));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].header.get<h::dst_x>(), kStranger.x);
  EXPECT_EQ(second[0].header.get<h::target>(), 31U);
  EXPECT_EQ(second[0].trailer.get<t::sequence_number>(), 1U);
}

TEST_P(DynamicSend, DeliversFromOneQueueToTwo) {
  open_dynamic_send();
  open_dynamic_receive();
  open_dynamic(kOtherReceive, QueueMode::kReceive);
  for (std::uint32_t i = 0; i < 2; ++i) {
    post(kReceive, receive_descriptor(buffer(2 * i, kBytes)));
    post(kOtherReceive, receive_descriptor(buffer(2 * i + 1, kBytes)));
  }
  for (std::uint32_t i = 0; i < 4; ++i) {
    write(kSend, to_this_node(i % 2 == 0 ? kReceive : kOtherReceive, i, kBytes));
  }
  ring(kSend);
  EXPECT_TRUE(settle("all four").empty());
  EXPECT_EQ(head(kSend), 4U);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(received(i, kBytes), sent(i, kBytes)) << i;
}

TEST_P(DynamicSend, OfTwoQueuesGoesToOne) {
  open_dynamic_send();
  open_dynamic(kOther, QueueMode::kDoorbell);
  open_dynamic_receive();
  post_receives(2);
  post(kSend, to_this_node(kReceive, 0, kBytes));
  settle("the one");
  post(kOther, to_this_node(kReceive, 1, kBytes));
  settle("the other");
  EXPECT_EQ(received(0, kBytes), sent(0, kBytes));
  EXPECT_EQ(received(1, kBytes), sent(1, kBytes));
}

TEST_P(DynamicSend, IsDeliveredOnceTheReceiveIsThere) {
  open_dynamic_send();
  open_dynamic_receive();
  retry_after(4096);
  send(to_this_node(kReceive, 0, kBytes));
  EXPECT_EQ(head(kSend), 0U);
  post_receives(1);
  after(10'000);
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(received(0, kBytes), sent(0, kBytes));
}

TEST_P(DynamicSend, CarriesAnImmediate) {
  open_dynamic_send();
  const std::array<std::uint8_t, 16> data{7, 8, 9};
  const auto packets = send(numbered(0, 3).set<d::immediate_valid>(1).set<d::immediate>(data));
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(packets[0].payload, (std::vector<std::uint8_t>{7, 8, 9}));
}

TEST_P(DynamicSend, PacketsSayNumberLengthPlaceAndThatTheyAreOfADynamicQueue) {
  open_dynamic_send();
  const auto packets = send(numbered(5, 700));
  ASSERT_EQ(packets.size(), 2U);
  for (const Packet& packet : packets) {
    EXPECT_EQ(kind_of(packet), Kind::kSend);
    EXPECT_EQ(word_of(packet), 5U);
    EXPECT_EQ(packet.trailer.get<t::queue>(), kSend.value);
    EXPECT_EQ(packet.trailer.get<t::index>(), 700U);
    EXPECT_EQ(packet.trailer.get<t::sequence_number>(), 0U);
  }
  EXPECT_EQ(doubts(packets), (std::vector{false, false}));
  EXPECT_EQ(packets[1].header.get<h::offset>(), 512U);
  EXPECT_EQ(packets[1].trailer.get<t::last>(), 1U);
}

TEST_P(DynamicSend, OfAQueuePairIsNeitherDynamicNorDoubtful) {
  open_send();
  retry_after(kRetry);
  const auto first = send(send_descriptor(source(0, 100), 0));
  const auto again = after(9 * kRetry);
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(again.size(), 1U);
  for (const Packet& packet : {first[0], again[0]}) {
    EXPECT_EQ(packet.trailer.get<t::dynamic>(), 0U);
    EXPECT_EQ(packet.trailer.get<t::doubtful>(), 0U);
  }
}

TEST_P(DynamicSend, WhatThePeerRegisterSaysOfAPeerIsOfNoAccount) {
  open_with(kSend, QueueMode::kDoorbell, peer_of_no_account(1));
  const auto packets = send(dynamic_send_descriptor(kStranger, {31}, source(0, 100), 0));
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(packets[0].header.get<h::dst_x>(), kStranger.x);
  EXPECT_EQ(packets[0].header.get<h::target>(), 31U);
  answer(from(kStranger, acknowledgement(0)));
  EXPECT_EQ(head(kSend), 1U);
}

// --- one under way ------------------------------------------------------------------------------

TEST_P(DynamicSend, DoesNotGoAhead) {
  open_dynamic_send();
  write(kSend, numbered(0));
  write(kSend, numbered(1));
  ring(kSend);
  EXPECT_EQ(sends(settle("the first")), (Sends{{0, 0}}));
  EXPECT_EQ(sends(answer(acknowledgement(0))), (Sends{{1, 1}}));
  EXPECT_EQ(head(kSend), 1U);
}

TEST_P(DynamicSend, TakesAnAnswerOnlyOfTheNodeThatItWentTo) {
  open_dynamic_send();
  send(dynamic_send_descriptor(kStranger, kPeerQueue, source(0, 100), 0));
  answer(acknowledgement(0));
  answer(refusal(0, Status::kPermission));
  EXPECT_EQ(head(kSend), 0U);
  answer(from(kStranger, acknowledgement(0)));
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(status(kSend), Status::kOk);
}

TEST_P(DynamicSend, TakesNoAnswerToAnotherNumber) {
  open_dynamic_send();
  send(numbered(0));
  answer(acknowledgement(1));
  answer(refusal(1, Status::kPermission));
  answer(acknowledgement(~std::uint32_t{0}));
  EXPECT_EQ(head(kSend), 0U);
}

// --- again, and doubtful ------------------------------------------------------------------------

TEST_P(DynamicSend, RefusedGoesOutAgainAndIsNotDoubtful) {
  open_dynamic_send();
  retry_after(kRetry);
  const auto first = send(numbered(0, 1000));
  EXPECT_TRUE(answer(refusal(0, Status::kReceiveDisabled)).empty());
  const auto second = after(kRetry);
  ASSERT_EQ(first.size(), 2U);
  ASSERT_EQ(second.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(second[i].bytes(), first[i].bytes());
}

TEST_P(DynamicSend, UnansweredGoesOutAgainDoubtfulInEveryPacket) {
  open_dynamic_send();
  retry_after(kRetry);
  EXPECT_EQ(doubts(send(numbered(0, 1000))), (std::vector{false, false}));
  const auto again = after(9 * kRetry);
  EXPECT_EQ(doubts(again), (std::vector{true, true}));
  EXPECT_EQ(sends(again), (Sends{{0, 0}, {0, 0}}));
}

TEST_P(DynamicSend, StaysDoubtfulUntilAllItsCopiesAreRefused) {
  open_dynamic_send();
  retry_after(kRetry);
  write(kSend, numbered(0));
  write(kSend, numbered(1));
  ring(kSend);
  settle("sent");
  EXPECT_EQ(doubts(after(9 * kRetry)), std::vector{true});
  answer(refusal(0, Status::kReceiveDisabled));
  EXPECT_EQ(doubts(after(kRetry)), std::vector{true}) << "an earlier copy may have been taken";
  answer(refusal(0, Status::kReceiveDisabled));
  answer(refusal(0, Status::kReceiveDisabled));
  EXPECT_EQ(doubts(after(kRetry)), std::vector{false}) << "none of the three was";
  const auto next = answer(acknowledgement(0));
  EXPECT_EQ(sends(next), (Sends{{1, 1}}));
  EXPECT_EQ(doubts(next), std::vector{false});
}

TEST_P(DynamicSend, BecomesDoubtfulAfterARefusal) {
  open_dynamic_send();
  retry_after(kRetry);
  send(numbered(0));
  answer(refusal(0, Status::kReceiveDisabled));
  EXPECT_EQ(doubts(after(kRetry)), std::vector{false});
  EXPECT_EQ(doubts(after(9 * kRetry)), std::vector{true});
}

// --- its end ------------------------------------------------------------------------------------

TEST_P(DynamicSend, EveryRefusalUsesItsNumberUp) {
  open_dynamic_send();
  std::uint32_t number = 0;
  for (const Status refused : {Status::kLengthTooLong, Status::kPermission, Status::kQueueInvalid,
                               Status::kCounterInvalid, Status::kMemoryError}) {
    EXPECT_EQ(sends(send(numbered(7))), (Sends{{number, 7}}));
    EXPECT_TRUE(answer(refusal(number, refused)).empty());
    EXPECT_EQ(head(kSend), ++number) << name_of(refused);
  }
  EXPECT_EQ(queue_state(device(), kSend).count, number);
  EXPECT_EQ(sends(send(numbered(8))), (Sends{{number, 8}}));
}

TEST_P(DynamicSend, EndsWithTheStatusOfItsRefusal) {
  open_dynamic_send(kTold);
  send(numbered(0).set<d::signal>(1));
  answer(refusal(0, Status::kPermission));
  EXPECT_EQ(status(kSend), Status::kPermission);
  EXPECT_EQ(entry(0).get<e::status>(), Status::kPermission);
  EXPECT_EQ(notices(), 0U);
}

TEST_P(DynamicSend, OfUnknownDeliveryGoesOutAgainAsNewOnceAllItsCopiesAreRefused) {
  open_dynamic_send();
  retry_after(kRetry);
  send(numbered(0));
  EXPECT_EQ(doubts(after(9 * kRetry)), std::vector{true});
  answer(refusal(0, Status::kReceiveDisabled));
  answer(refusal(0, Status::kDeliveryUnknown));
  EXPECT_EQ(head(kSend), 0U);
  EXPECT_EQ(doubts(after(kRetry)), std::vector{false});
}

TEST_P(DynamicSend, OfUnknownDeliveryWithACopyUnansweredEndsSoAfterItsRetries) {
  open_dynamic_send();
  retry_after(kRetry, 2);
  send(numbered(0));
  EXPECT_EQ(doubts(after(9 * kRetry)), std::vector{true});
  answer(refusal(0, Status::kDeliveryUnknown));
  EXPECT_EQ(doubts(after(kRetry)), std::vector{true});
  answer(refusal(0, Status::kDeliveryUnknown));
  EXPECT_TRUE(after(kRetry).empty());
  EXPECT_EQ(status(kSend), Status::kDeliveryUnknown);
  EXPECT_EQ(sends(send(numbered(1))), (Sends{{1, 1}}));
}

TEST_P(DynamicSend, ThatExceedsItsRetriesSpoilsNoLaterOne) {
  open_dynamic_send();
  retry_after(4096, 2);
  write(kSend, numbered(0));
  write(kSend, numbered(1));
  ring(kSend);
  const auto packets = after(28 * Cycles{4096});
  EXPECT_EQ(status(kSend), Status::kRetryExceeded);
  EXPECT_EQ(sends(packets), (Sends{{0, 0}, {0, 0}, {0, 0}, {1, 1}}));
  EXPECT_EQ(doubts(packets), (std::vector{false, true, true, false}));
  answer(acknowledgement(1));
  EXPECT_EQ(head(kSend), 2U);
  EXPECT_EQ(queue_state(device(), kSend).count, 1U);
}

TEST_P(DynamicSend, RefusedAfterItWentOutUnansweredSpoilsNoLaterOne) {
  open_dynamic_send();
  retry_after(kRetry);
  send(numbered(0));
  EXPECT_EQ(after(9 * kRetry).size(), 1U);
  answer(refusal(0, Status::kPermission));
  EXPECT_EQ(sends(send(numbered(1))), (Sends{{1, 1}}));
}

TEST_P(DynamicSend, FailedHalfWaySpoilsNoLaterOne) {
  open_dynamic_send();
  const Address in_memory = device().memory_size() - kSim.payload_bytes;
  const Source half{kHugeRegion, in_memory, 2 * kSim.payload_bytes};
  EXPECT_EQ(sends(send(dynamic_send_descriptor(kPeer, kPeerQueue, half, 0))), (Sends{{0, 0}}));
  EXPECT_EQ(status(kSend), Status::kMemoryError);
  EXPECT_EQ(sends(send(numbered(1))), (Sends{{1, 1}}));
}

TEST_P(DynamicSend, FailedBeforeAnyOfItHasLeftUsesItsNumberUp) {
  open_dynamic_send();
  const Source nowhere{kHugeRegion, Bytes{1} << 30, 1000};
  EXPECT_TRUE(send(dynamic_send_descriptor(kPeer, kPeerQueue, nowhere, 0)).empty());
  EXPECT_EQ(status(kSend), Status::kMemoryError);
  EXPECT_EQ(sends(send(numbered(1))), (Sends{{1, 1}}));
}

TEST_P(DynamicSend, ThatMayNotBeginHasNoNumber) {
  open_dynamic_send();
  EXPECT_TRUE(send(dynamic_send_descriptor(kPeer, kPeerQueue, {kClosedRegion, 0, 8}, 0)).empty());
  EXPECT_EQ(status(kSend), Status::kRegionInvalid);
  EXPECT_EQ(sends(send(numbered(1))), (Sends{{0, 1}}));
}

TEST_P(DynamicSend, BumpsTheCounterOfThePeerRegister) {
  open_dynamic_send({.event = static_cast<int>(kEvent.value)});
  send(numbered(0));
  EXPECT_EQ(own().read_event(kEvent), 0U);
  answer(acknowledgement(0));
  EXPECT_EQ(own().read_event(kEvent), 1U);
}

TEST_P(DynamicSend, EntryNamesTheTargetAsPeer) {
  open_dynamic_send(kTold);
  send(dynamic_send_descriptor(kStranger, {31}, source(0, 100), 3).set<d::signal>(1));
  answer(from(kStranger, acknowledgement(0)));
  send(dynamic_send_descriptor(kPeer, {30}, {kClosedRegion, 0, 8}, 4).set<d::signal>(1));
  send(dynamic_send_descriptor(kPeer, {29}, source(0, 100), 5).set<d::signal>(1));
  device().write64(registers::injection_queue::config(kSend.value), 0);
  settle("one is done, one has failed, one is flushed");
  ASSERT_EQ(own().completion_tail(kCompletions), 3U);
  constexpr std::array kStatus{Status::kOk, Status::kRegionInvalid, Status::kFlushed};
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(entry(i).get<e::status>(), kStatus.at(i));
    EXPECT_EQ(entry(i).get<e::queue>(), kSend.value);
    EXPECT_EQ(entry(i).get<e::index>(), i);
    EXPECT_EQ(entry(i).get<e::peer_x>(), i == 0 ? kStranger.x : kPeer.x);
    EXPECT_EQ(entry(i).get<e::peer_y>(), 1U);
    EXPECT_EQ(entry(i).get<e::peer_z>(), 1U);
    EXPECT_EQ(entry(i).get<e::peer_queue>(), 31 - i);
  }
}

TEST_P(DynamicSend, ThatIsNotAcknowledgedIsFlushedAndNumbersGoOn) {
  open_dynamic_send();
  send(numbered(0));
  answer(acknowledgement(0));
  send(numbered(1));
  open_dynamic_send();
  EXPECT_TRUE(has_cause(Cause::kError));
  EXPECT_EQ(sends(send(numbered(2))), (Sends{{2, 2}}));
}

// --- what is refused ----------------------------------------------------------------------------

TEST_P(DynamicSend, HeaderHoldsNothingButTargetAndWord) {
  const auto spoilt = [](auto set) {
    Descriptor descriptor = numbered(0);
    PacketHeader header = descriptor.get<d::header>();
    set(header);
    return descriptor.set<d::header>(header);
  };
  open_dynamic_send();
  post(kSend, spoilt([](PacketHeader& x) { x.set<h::offset>(4); }));
  post(kSend, spoilt([](PacketHeader& x) { x.set<h::src_y>(1); }));
  post(kSend, spoilt([](PacketHeader& x) { x.set<h::client>(1); }));
  EXPECT_TRUE(settle("none is sent").empty());
  const QueueState state = queue_state(device(), kSend);
  EXPECT_EQ(state.status, Status::kReservedBits);
  EXPECT_EQ(state.count, 3U);
}

TEST_P(DynamicSend, ToNoNodeOfTheMachineIsUnreachable) {
  for (const Coordinates nowhere : {Coordinates{3, 1, 1}, {0, 3, 1}, {0, 1, 15}}) {
    open_dynamic_send();
    EXPECT_TRUE(send(dynamic_send_descriptor(nowhere, {20}, source(0, 100), 0)).empty());
    EXPECT_EQ(status(kSend), Status::kUnreachable);
  }
}

TEST_P(DynamicSend, WithoutAPeerIsInvalid) {
  open_with(kSend, QueueMode::kDoorbell, peer_of_no_account(0));
  EXPECT_TRUE(send(numbered(0)).empty());
  EXPECT_EQ(status(kSend), Status::kQueueInvalid);
}

TEST_P(DynamicSend, QueueHoldsNoPipe) {
  open(kReceive, QueueMode::kPiped, kPeer, kPeerQueue);
  open_dynamic_send();
  send(pipe_descriptor({kTargetRegion, 0, 4000}, {1, kReceive, 1000}, kWord));
  EXPECT_EQ(status(kSend), Status::kQueueInvalid);
  EXPECT_EQ(head(kSend), 1U);
}

TEST_P(DynamicSend, NoPipeTakesFromADynamicQueue) {
  open_dynamic(kReceive, QueueMode::kPiped);
  open_send();
  send(pipe_descriptor({kTargetRegion, 0, 4000}, {1, kReceive, 1000}, kWord));
  EXPECT_EQ(status(kSend), Status::kQueueInvalid);
  EXPECT_EQ(head(kSend), 1U);
}

INSTANTIATE_TEST_SUITE_P(On, DynamicSend, ::testing::Values(On::kModel, On::kNode), name_of_case);

}  // namespace
}  // namespace torusmu::testing
