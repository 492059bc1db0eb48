// SPDX-License-Identifier: Apache-2.0
// Every malformed descriptor ends in its status, and the machine goes on; node and reference model
// must agree in every register, byte and packet.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>

#include "tests/support/node_setup.h"
#include "tests/support/opcodes.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;

struct Case {
  const char* name;
  Status status;
  std::function<void(Descriptor&)> spoil;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

template <auto F>
void set_in_header(Descriptor& descriptor, std::uint64_t value) {
  PacketHeader header = descriptor.get<d::header>();
  header.set<F>(static_cast<typename decltype(F)::ValueType>(value));
  descriptor.set<d::header>(header);
}

// Sets one bit of a descriptor, whatever field it is in.
void set_bit(Descriptor& descriptor, unsigned bit) {
  auto bytes = descriptor.bytes();
  bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | 1U << bit % 8);
  descriptor = Descriptor::from_bytes(bytes);
}

void make_fifo(Descriptor& descriptor) {
  descriptor.set<d::opcode>(Opcode::kFifo);
  set_in_header<h::target>(descriptor, kFifo.value);
  set_in_header<h::offset>(descriptor, 0);
}
void make_get(Descriptor& descriptor) {
  descriptor.set<d::opcode>(Opcode::kGet)
      .set<d::length>(64)
      .set<d::counter_valid>(0)
      .set<d::event_valid>(0);
  set_in_header<h::target>(descriptor, kGetQueue.value);
  set_in_header<h::offset>(descriptor, 0);
}
void make_counter_operation(Descriptor& descriptor) {
  descriptor = {};
  descriptor.set<d::opcode>(Opcode::kCtrAdd);
}

// Each is a good put to this node itself, spoilt.
const std::vector<Case>& own_cases() {
  static const std::vector<Case> kCases{
      {"FirstUnknownOpcode", Status::kUnknownOpcode,
       [](Descriptor& x) { x.set<d::opcode>(kFirstUnknownOpcode); }},
      {"UnknownOpcode255", Status::kUnknownOpcode,
       [](Descriptor& x) { x.set<d::opcode>(static_cast<Opcode>(255)); }},
      {"OnQueueOfAPut", Status::kReservedBits, [](Descriptor& x) { x.set<d::on_queue>(1); }},
      {"ReservedBesideDoneEvent", Status::kReservedBits, [](Descriptor& x) { set_bit(x, 47); }},
      {"ReservedBesideSource", Status::kReservedBits, [](Descriptor& x) { set_bit(x, 113); }},
      {"ReservedAboveSource", Status::kReservedBits, [](Descriptor& x) { set_bit(x, 127); }},
      {"ReservedBesideLength", Status::kReservedBits, [](Descriptor& x) { set_bit(x, 165); }},
      {"ReservedBesideEvent", Status::kReservedBits, [](Descriptor& x) { set_bit(x, 184); }},
      {"ReservedBesideNumber", Status::kReservedBits, [](Descriptor& x) { set_bit(x, 224); }},
      {"ReservedAboveNumber", Status::kReservedBits, [](Descriptor& x) { set_bit(x, 255); }},
      {"ReservedInHeader", Status::kReservedBits, [](Descriptor& x) { set_bit(x, 511); }},
      {"ReflectionNumber", Status::kReservedBits,
       [](Descriptor& x) { x.set<d::reflection_number>(1); }},
      {"ForgedSource", Status::kReservedBits, [](Descriptor& x) { set_in_header<h::src_x>(x, 2); }},
      {"ForgedSourceZ", Status::kReservedBits,
       [](Descriptor& x) { set_in_header<h::src_z>(x, 1); }},
      {"ForgedClient", Status::kReservedBits,
       [](Descriptor& x) { set_in_header<h::client>(x, 1); }},
      {"ForgedKind", Status::kReservedBits,
       [](Descriptor& x) { set_in_header<h::kind>(x, static_cast<std::uint64_t>(Kind::kPut)); }},
      {"ForgedReply", Status::kReservedBits, [](Descriptor& x) { set_in_header<h::reply>(x, 1); }},
      {"ForgedOnBehalf", Status::kReservedBits,
       [](Descriptor& x) { set_in_header<h::on_behalf>(x, 1); }},
      {"ForgedBytes", Status::kReservedBits,
       [](Descriptor& x) { set_in_header<h::bytes>(x, 512); }},
      {"ReflectWithoutGet", Status::kReservedBits, [](Descriptor& x) { x.set<d::reflect>(1); }},
      {"LengthZero", Status::kLengthZero, [](Descriptor& x) { x.set<d::length>(0); }},
      {"LengthZeroFifo", Status::kLengthZero,
       [](Descriptor& x) {
         make_fifo(x);
         x.set<d::length>(0);
       }},
      {"LengthZeroImmediate", Status::kLengthZero,
       [](Descriptor& x) {
         x.set<d::immediate_valid>(1).set<d::length>(0).set<d::event_valid>(0);
       }},
      {"LengthZeroGet", Status::kLengthZero,
       [](Descriptor& x) {
         make_get(x);
         x.set<d::length>(0);
       }},
      {"ImmediateOf17", Status::kLengthTooLong,
       [](Descriptor& x) { x.set<d::immediate_valid>(1).set<d::length>(17); }},
      {"GetOf63", Status::kLengthTooLong,
       [](Descriptor& x) {
         make_get(x);
         x.set<d::length>(63);
       }},
      {"GetOf576", Status::kLengthTooLong,
       [](Descriptor& x) {
         make_get(x);
         x.set<d::length>(576);
       }},
      {"ReflectOf128", Status::kLengthTooLong,
       [](Descriptor& x) {
         make_get(x);
         x.set<d::length>(128).set<d::reflect>(1);
       }},
      {"SourceRegionClosed", Status::kRegionInvalid,
       [](Descriptor& x) { x.set<d::source_region>(kClosedRegion.value); }},
      {"SourceRegionThatDoesNotExist", Status::kRegionInvalid,
       [](Descriptor& x) { x.set<d::source_region>(64); }},
      {"SourceRegion255", Status::kRegionInvalid,
       [](Descriptor& x) { x.set<d::source_region>(255); }},
      {"SourceOneByteTooFar", Status::kRegionBounds,
       [](Descriptor& x) { x.set<d::source_offset>(kRegionBytes - 700 + 1); }},
      {"SourceOffsetAtTheTop", Status::kRegionBounds,
       [](Descriptor& x) { x.set<d::source_offset>((Bytes{1} << 37) - 1); }},
      {"SourceOffsetPlusLengthWraps", Status::kRegionBounds,
       [](Descriptor& x) {
         x.set<d::source_offset>((Bytes{1} << 37) - 1).set<d::length>((Bytes{1} << 37) - 1);
       }},
      {"SourcePastTheAddressSpace", Status::kRegionBounds,
       [](Descriptor& x) {
         x.set<d::source_region>(kEndRegion.value).set<d::source_offset>(4096 - 699);
       }},
      {"TargetOffsetPlusLengthWraps", Status::kRegionBounds,
       [](Descriptor& x) { set_in_header<h::offset>(x, (Bytes{1} << 37) - 699); }},
      {"SourceOfAnotherClient", Status::kPermission,
       [](Descriptor& x) { x.set<d::source_region>(kForeignRegion.value); }},
      {"InjectionCounterForeign", Status::kCounterInvalid,
       [](Descriptor& x) {
         x.set<d::injection_counter_valid>(1).set<d::injection_counter>(kForeignCounter.value);
       }},
      {"InjectionCounterClosed", Status::kCounterInvalid,
       [](Descriptor& x) {
         x.set<d::injection_counter_valid>(1).set<d::injection_counter>(kClosedCounter.value);
       }},
      {"InjectionCounterThatDoesNotExist", Status::kCounterInvalid,
       [](Descriptor& x) { x.set<d::injection_counter_valid>(1).set<d::injection_counter>(64); }},
      {"DoneEventForeign", Status::kCounterInvalid,
       [](Descriptor& x) { x.set<d::done_event>(kForeignEvent.value); }},
      {"DoneEventThatDoesNotExist", Status::kCounterInvalid,
       [](Descriptor& x) { x.set<d::done_event>(200); }},
      {"CounterOperationOnNothing", Status::kCounterInvalid, make_counter_operation},
      {"CounterOperationOnBoth", Status::kCounterInvalid,
       [](Descriptor& x) {
         make_counter_operation(x);
         x.set<d::counter_valid>(1).set<d::event_valid>(1);
       }},
      {"CounterOperationForeign", Status::kCounterInvalid,
       [](Descriptor& x) {
         make_counter_operation(x);
         x.set<d::counter_valid>(1).set<d::counter>(kForeignCounter.value);
       }},
      {"CounterOperationEventClosed", Status::kCounterInvalid,
       [](Descriptor& x) {
         make_counter_operation(x);
         x.set<d::opcode>(Opcode::kCtrSet)
             .set<d::event_valid>(1)
             .set<d::event_counter>(kClosedEvent.value);
       }},
      {"DestinationOutsideX", Status::kUnreachable,
       [](Descriptor& x) { set_in_header<h::dst_x>(x, 3); }},
      {"DestinationOutsideY", Status::kUnreachable,
       [](Descriptor& x) { set_in_header<h::dst_y>(x, 15); }},
      {"DestinationOutsideZ", Status::kUnreachable,
       [](Descriptor& x) { set_in_header<h::dst_z>(x, 3); }},
      {"SourceWithoutMemory", Status::kMemoryError,
       [](Descriptor& x) {
         x.set<d::source_region>(kHugeRegion.value).set<d::source_offset>(Bytes{1} << 30);
       }},
      {"SourceThatLeavesMemory", Status::kMemoryError,
       [](Descriptor& x) {
         x.set<d::source_region>(kHugeRegion.value).set<d::source_offset>((Bytes{1} << 22) - 600);
       }},
      {"NobodyReflects", Status::kNoReflector,
       [](Descriptor& x) {
         make_get(x);
         x.set<d::reflect>(1);
         set_in_header<h::target>(x, 7);
       }},
      {"DirectionThatDoesNotExist", Status::kNoReflector,
       [](Descriptor& x) {
         make_get(x);
         x.set<d::reflect>(1);
         set_in_header<h::target>(x, 8);
       }},
  };
  return kCases;
}

// Each is a good put back to the getter, spoilt; it comes in a GET packet.
const std::vector<Case>& network_cases() {
  static const std::vector<Case> kCases{
      {"UnknownOpcode", Status::kUnknownOpcode,
       [](Descriptor& x) { x.set<d::opcode>(static_cast<Opcode>(77)); }},
      {"OperandsOfAPut", Status::kReservedBits, [](Descriptor& x) { x.set<d::operands>(16); }},
      {"InjectionCounter", Status::kReservedBits,
       [](Descriptor& x) { x.set<d::injection_counter_valid>(1); }},
      {"DoneEvent", Status::kReservedBits, [](Descriptor& x) { x.set<d::done_event_valid>(1); }},
      {"InterruptDone", Status::kReservedBits, [](Descriptor& x) { x.set<d::interrupt_done>(1); }},
      {"ForgedReply", Status::kReservedBits, [](Descriptor& x) { set_in_header<h::reply>(x, 1); }},
      {"LengthZero", Status::kLengthZero, [](Descriptor& x) { x.set<d::length>(0); }},
      {"ChainOfGets", Status::kOpcodeForbidden, make_get},
      {"CounterOperation", Status::kOpcodeForbidden,
       [](Descriptor& x) { x.set<d::opcode>(Opcode::kCtrAdd).set<d::event_valid>(0); }},
      {"PutToAnybodyElse", Status::kTargetForbidden,
       [](Descriptor& x) { set_in_header<h::dst_x>(x, 2); }},
      {"FifoToAnybodyElse", Status::kTargetForbidden,
       [](Descriptor& x) {
         make_fifo(x);
         set_in_header<h::dst_y>(x, 0);
       }},
      {"RegionThatMayNotBeRead", Status::kPermission,
       [](Descriptor& x) { x.set<d::source_region>(kSourceRegion.value); }},
      {"RegionOfTheGettersClient", Status::kPermission,
       [](Descriptor& x) { x.set<d::source_region>(kForeignRegion.value); }},
      {"RegionClosed", Status::kRegionInvalid,
       [](Descriptor& x) { x.set<d::source_region>(kClosedRegion.value); }},
      {"RegionBounds", Status::kRegionBounds,
       [](Descriptor& x) { x.set<d::source_offset>(kRegionBytes - 1); }},
  };
  return kCases;
}

constexpr Coordinates kGetter{0, 1, 1};  // the neighbour in x-

void fill_sources(Device& device) {
  device.store(kSource, pattern(3, kRegionBytes));
  device.store(kReadable, pattern(4, kRegionBytes));
}

class OwnDescriptor : public ::testing::TestWithParam<std::tuple<Case, bool>> {};

TEST_P(OwnDescriptor, EndsInItsStatusAndTheQueueGoesOnOrHalts) {
  const auto& [spoilt, halt] = GetParam();
  NodeJudge judge;
  open_everything(judge.device(), halt);
  fill_sources(judge.device());
  RawNode node = judge.raw();
  judge.settle("set-up");

  Descriptor bad = good_put(judge.here(), 2);
  spoilt.spoil(bad);
  node.write_descriptor(kDoorbellRing, kRingSlots, 0, good_put(judge.here(), 1));
  node.write_descriptor(kDoorbellRing, kRingSlots, 1, bad);
  node.write_descriptor(kDoorbellRing, kRingSlots, 2, good_put(judge.here(), 3));
  node.ring_doorbell(kDoorbellQueue, 3);
  judge.settle("good, bad, good");

  const QueueState state = queue_state(judge.device(), kDoorbellQueue);
  EXPECT_EQ(name_of(state.status), name_of(spoilt.status));
  EXPECT_EQ(state.index, 1U);
  EXPECT_EQ(state.count, 1U);
  EXPECT_EQ(state.halted, halt);
  EXPECT_EQ(node.read_event(kEvent), halt ? 1U : 2U);
  EXPECT_NE(node.causes() >> static_cast<unsigned>(Cause::kError) & 1U, 0U);
  EXPECT_TRUE(judge.bench().interrupt(kOwner));

  if (halt) {  // written again, the configuration starts the queue afresh
    judge.device().write64(registers::injection_queue::config(kDoorbellQueue.value),
                           queue_config(QueueMode::kDoorbell, kOwner, halt));
    node.write_descriptor(kDoorbellRing, kRingSlots, 0, good_put(judge.here(), 3));
    node.ring_doorbell(kDoorbellQueue, 1);
    judge.settle("after the halt");
    EXPECT_EQ(node.read_event(kEvent), 2U);
  }
  // What was sent before the memory failed has arrived.
  const Bytes sent_early = std::string(spoilt.name) == "SourceThatLeavesMemory" ? 512 : 0;
  EXPECT_EQ(
      extract(node.read_counter(kCounter), registers::client_page::byte_counter_field::remaining),
      kPreload - 1400 - sent_early);
}

INSTANTIATE_TEST_SUITE_P(Each, OwnDescriptor,
                         ::testing::Combine(::testing::ValuesIn(own_cases()), ::testing::Bool()),
                         [](const auto& each) {
                           return std::string(std::get<0>(each.param).name) +
                                  (std::get<1>(each.param) ? "Halts" : "GoesOn");
                         });

// A GET packet with these descriptors, as the getter's node would send it.
model::Packet get_packet(Coordinates to, std::uint32_t queue, const std::vector<Descriptor>& gets,
                         std::optional<std::uint16_t> reflection) {
  std::vector<std::uint8_t> payload;
  for (const Descriptor& descriptor : gets) {
    const auto bytes = descriptor.bytes();
    payload.insert(payload.end(), bytes.begin(), bytes.end());
  }
  model::Packet packet = put_packet(kGetter, to, payload, queue, 0);
  packet.header.set<h::kind>(Kind::kGet);
  if (reflection) {
    packet.trailer.set<layout::packet_trailer::reflected>(1)
        .set<layout::packet_trailer::sequence_number>(*reflection);
  }
  packet.seal();
  return packet;
}

Descriptor put_for_getter(std::uint32_t number) {
  Descriptor put =
      put_descriptor(kGetter, {kReadableRegion, number, 600}, {2}, 64 * number, {.event = 4});
  put.set<d::sequence_number>(number);
  return put;
}

class NetworkDescriptor : public ::testing::TestWithParam<std::tuple<Case, bool>> {};

TEST_P(NetworkDescriptor, EndsInItsStatusAndANoticeAndTheMachineGoesOn) {
  const auto& [spoilt, halt] = GetParam();
  NodeJudge judge;
  open_everything(judge.device(), halt);
  fill_sources(judge.device());
  judge.settle("set-up");
  Descriptor bad = put_for_getter(2);
  spoilt.spoil(bad);
  judge.deliver(
      get_packet(judge.here(), kGetQueue.value, {put_for_getter(1), bad, put_for_getter(3)}, {}));
  const auto sent = judge.settle("good, bad, good");
  const QueueState state = queue_state(judge.device(), kGetQueue);
  EXPECT_EQ(name_of(state.status), name_of(spoilt.status));
  EXPECT_EQ(state.index, 1U);
  EXPECT_EQ(state.halted, halt);
  unsigned puts = 0;
  unsigned notices = 0;
  for (const model::Packet& packet : sent) {
    if (packet.header.get<h::kind>() == Kind::kPut) ++puts;
    if (packet.header.get<h::kind>() != Kind::kNotice) continue;
    ++notices;
    EXPECT_EQ(packet.header.get<h::word>() & 0xff, static_cast<std::uint64_t>(spoilt.status));
    EXPECT_EQ(packet.header.get<h::client>(), 1U);
  }
  EXPECT_EQ(notices, 1U);
  EXPECT_EQ(puts, halt ? 2U : 4U);
  if (halt) {
    judge.device().write64(registers::injection_queue::config(kGetQueue.value),
                           queue_config(QueueMode::kRemoteGet, kOwner, halt));
  }
  judge.deliver(get_packet(judge.here(), kGetQueue.value, {put_for_getter(4)}, {}));
  EXPECT_EQ(judge.settle("a good one afterwards").size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Each, NetworkDescriptor,
                         ::testing::Combine(::testing::ValuesIn(network_cases()),
                                            ::testing::Bool()),
                         [](const auto& each) {
                           return std::string(std::get<0>(each.param).name) +
                                  (std::get<1>(each.param) ? "Halts" : "GoesOn");
                         });

Descriptor completion_for_getter() {
  const std::array<std::byte, 4> data{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  return immediate_put(kGetter, data, {2}, 32, {.event = 4, .interrupt = true});
}

struct ReflectionCase {
  const char* name;
  Status status;
  std::function<void(Descriptor&)> spoil;
};

TEST(ReflectedDescriptor, EndsInItsStatusAndTheNextOneRuns) {
  const std::vector<ReflectionCase> cases{
      {"data from memory", Status::kOpcodeForbidden,
       [](Descriptor& x) { x.set<d::immediate_valid>(0).set<d::length>(8); }},
      {"get", Status::kOpcodeForbidden,
       [](Descriptor& x) {
         x.set<d::opcode>(Opcode::kGet).set<d::length>(64).set<d::immediate_valid>(0);
       }},
      {"counter operation", Status::kOpcodeForbidden,
       [](Descriptor& x) { x.set<d::opcode>(Opcode::kCtrSet); }},
      {"somebody else's node", Status::kTargetForbidden,
       [](Descriptor& x) { set_in_header<h::dst_x>(x, 2); }},
      {"too long", Status::kLengthTooLong, [](Descriptor& x) { x.set<d::length>(17); }},
      {"empty", Status::kLengthZero, [](Descriptor& x) { x.set<d::length>(0); }},
      {"unknown", Status::kUnknownOpcode,
       [](Descriptor& x) { x.set<d::opcode>(static_cast<Opcode>(99)); }},
      {"operands of a PUT", Status::kReservedBits, [](Descriptor& x) { x.set<d::operands>(2); }},
      {"targets of a PUT", Status::kReservedBits, [](Descriptor& x) { x.set<d::targets>(1); }},
  };
  NodeJudge judge;
  open_everything(judge.device(), false);
  std::uint16_t number = 0;
  for (const ReflectionCase& spoilt : cases) {
    judge.device().write64(registers::injection_queue::config(kReflectionQueue.value),
                           queue_config(QueueMode::kReflection, kOwner, false));
    Descriptor bad = completion_for_getter();
    spoilt.spoil(bad);
    judge.deliver(get_packet(judge.here(), kReflectionQueue.value, {bad}, number++));
    EXPECT_TRUE(judge.settle(spoilt.name).empty()) << spoilt.name;
    EXPECT_EQ(name_of(queue_state(judge.device(), kReflectionQueue).status), name_of(spoilt.status))
        << spoilt.name;
    judge.deliver(
        get_packet(judge.here(), kReflectionQueue.value, {completion_for_getter()}, number++));
    const auto sent = judge.settle("good completion");
    ASSERT_EQ(sent.size(), 1U) << spoilt.name;
    EXPECT_TRUE(sent[0].reply());
    EXPECT_EQ(sent[0].trailer.get<layout::packet_trailer::reflected>(), 1U);
    EXPECT_EQ(sent[0].trailer.get<layout::packet_trailer::index>(), std::uint64_t{number} - 1);
    EXPECT_EQ(sent[0].header.get<h::client>(), 1U);
    EXPECT_EQ(sent[0].header.get<h::on_behalf>(), 1U);
  }
}

TEST(OwnDescriptorFetch, FromNoMemoryEndsInMemoryErrorAndTheQueueGoesOn) {
  NodeJudge judge;
  open_everything(judge.device(), false);
  fill_sources(judge.device());
  // The third and fourth slot of the ring lie outside the memory.
  const Address edge = (Address{1} << 22) - 128;
  set_queue(judge.device(), kDoorbellQueue, edge, 4, QueueMode::kDoorbell, kOwner, false);
  RawNode node = judge.raw();
  node.write_descriptor(edge, 4, 0, good_put(judge.here(), 1));
  node.write_descriptor(edge, 4, 1, good_put(judge.here(), 2));
  node.ring_doorbell(kDoorbellQueue, 4);
  judge.settle("a ring that leaves memory");
  const QueueState state = queue_state(judge.device(), kDoorbellQueue);
  EXPECT_EQ(state.status, Status::kMemoryError);
  EXPECT_EQ(state.index, 2U);
  node.write_descriptor(edge, 4, 4, good_put(judge.here(), 3));
  node.ring_doorbell(kDoorbellQueue, 5);
  judge.settle("the next descriptor");
  EXPECT_EQ(node.read_event(kEvent), 3U);
}

}  // namespace
}  // namespace torusmu::testing
