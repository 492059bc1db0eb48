// SPDX-License-Identifier: Apache-2.0
// Descriptors with random fields, from software and from the network: whatever they are, node and
// reference model end with the same registers, memory and packets.
#include <gtest/gtest.h>

#include "tests/support/every_client.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

constexpr Coordinates kGetter{0, 1, 1};  // the neighbour in x-

constexpr Bytes kMostBytes = 3000;  // that are sent of a transfer, about

Bytes random_length(Random& random) {
  constexpr std::array<Bytes, 10> kLengths{0, 1, 15, 16, 17, 63, 64, 512, 513, 576};
  const std::uint64_t sort = random.below(20);
  if (sort == 0) return random.bits64() >> 27;  // up to 2^37 - 1
  if (sort < 6) return random.below(kMostBytes);
  return kLengths[random.below(kLengths.size())];
}

// A long transfer from the region that is larger than memory begins shortly before the end of
// memory, or behind it: sending all of memory would take longer than settle() waits.
Descriptor that_ends_soon(const Descriptor& any, Random& random) {
  constexpr Bytes kMemoryBytes = kLargestMemory;
  const bool is_short = any.get<d::length>() <= kMostBytes;
  const bool begins_behind = any.get<d::source_offset>() >= kMemoryBytes;
  if (any.get<d::source_region>() != kHugeRegion.value || is_short || begins_behind) return any;
  return Descriptor(any).set<d::source_offset>(kMemoryBytes - random.below(kMostBytes));
}

Opcode random_opcode(Random& random) {
  if (random.chance(10)) return Opcode::kFence;
  return static_cast<Opcode>(random.chance(95) ? random.below(6) : random.below(256));
}

// A FENCE that says nothing of what it may not, so that it is asked.
Descriptor as_fence(const Descriptor& any) {
  return Descriptor()
      .set<d::opcode>(Opcode::kFence)
      .set<d::header>(any.get<d::header>())
      .set<d::done_event_valid>(any.get<d::done_event_valid>())
      .set<d::done_event>(any.get<d::done_event>())
      .set<d::interrupt_done>(any.get<d::interrupt_done>())
      .set<d::sequence_number>(any.get<d::sequence_number>());
}

// The other end of FENCEs: what the nodes say that are asked, and twice now and then.
bool answer_fences(NodeJudge& judge, const std::vector<model::Packet>& sent, Random& random) {
  bool any = false;
  for (const model::Packet& packet : sent) {
    if (packet.header.get<h::kind>() != Kind::kFence || packet.reply()) continue;
    any = true;
    model::Packet answer;
    answer.header.set<h::src_x>(packet.header.get<h::dst_x>())
        .set<h::src_y>(packet.header.get<h::dst_y>())
        .set<h::src_z>(packet.header.get<h::dst_z>())
        .set<h::dst_x>(packet.header.get<h::src_x>())
        .set<h::dst_y>(packet.header.get<h::src_y>())
        .set<h::dst_z>(packet.header.get<h::src_z>())
        .set<h::reply>(1);
    if (random.chance(70)) {
      answer.header.set<h::kind>(Kind::kFence)
          .set<h::target>(packet.trailer.get<t::queue>())
          .set<h::word>(packet.trailer.get<t::index>());
    } else {
      answer.header.set<h::kind>(Kind::kNotice)
          .set<h::word>(static_cast<std::uint64_t>(Status::kPermission) |
                        static_cast<std::uint64_t>(Kind::kFence) << 8);
      answer.trailer.set<t::queue>(packet.trailer.get<t::queue>())
          .set<t::index>(packet.trailer.get<t::index>());
    }
    judge.deliver_sealed(answer);
    if (random.chance(20)) judge.deliver_sealed(answer);
  }
  return any;
}

Descriptor random_descriptor(Random& random, const ClientNumbers& clients, Coordinates here,
                             bool network, bool reflection) {
  const auto often = [&](unsigned percent) { return random.chance(percent) ? 1U : 0U; };
  // One of those that are open or nearly so, or any.
  const auto number = [&]() -> std::uint64_t {
    return random.chance(90) ? clients.in_use(random) : random.below(256);
  };
  const Coordinates to = network && random.chance(85) ? kGetter
                         : random.chance(50)          ? here
                                                      : Coordinates{2, 1, 0};
  PacketHeader image;
  image.set<h::dst_x>(random.chance(95) ? to.x : random.below(16))
      .set<h::dst_y>(to.y)
      .set<h::dst_z>(to.z)
      .set<h::target>(number())
      .set<h::offset>(random.chance(90) ? random.below(kRegionBytes) : random.bits64() >> 27)
      .set<h::word>(random.bits64() & 0xffffffff);
  Descriptor result;
  result.set<d::opcode>(random_opcode(random))
      .set<d::immediate_valid>(often(reflection ? 85 : 25))
      .set<d::counter_valid>(often(40))
      .set<d::event_valid>(often(40))
      .set<d::injection_counter_valid>(often(network ? 3 : 20))
      .set<d::done_event_valid>(often(network ? 3 : 25))
      .set<d::interrupt_target>(often(25))
      .set<d::interrupt_done>(often(network ? 3 : 25))
      .set<d::injection_counter>(number())
      .set<d::done_event>(number())
      .set<d::source_region>(number())
      .set<d::source_offset>(random.chance(90) ? random.below(kRegionBytes) : random.bits64() >> 27)
      .set<d::length>(random_length(random))
      .set<d::counter>(number())
      .set<d::event_counter>(number())
      .set<d::sequence_number>(random.bits64() & 0xffffffff)
      .set<d::header>(image);
  std::array<std::uint8_t, 16> immediate{};
  for (std::uint8_t& byte : immediate) byte = static_cast<std::uint8_t>(random.bits64());
  result.set<d::immediate>(immediate);
  if (result.get<d::opcode>() == Opcode::kGet) result.set<d::reflect>(often(30));
  if (result.get<d::opcode>() == Opcode::kFence && random.chance(80)) result = as_fence(result);
  // Fields that mean nothing to an opcode, and reserved bits.
  if (random.chance(8)) {
    auto bytes = result.bytes();
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.bits64());
    result = Descriptor::from_bytes(bytes);
  }
  if (random.chance(4)) {
    auto bytes = result.bytes();
    const std::uint64_t bit = random.below(512);
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1U << bit % 8);
    result = Descriptor::from_bytes(bytes);
  }
  return that_ends_soon(result, random);
}

// Of the queue with the doorbell, and of the next reflection from the network.
struct History {
  std::uint32_t tail = 0;
  std::uint16_t number = 0;
};

History age_everything(NodeJudge& judge, Random& random) {
  OldNode old(judge);
  const auto any = [&] { return static_cast<std::uint32_t>(random.bits64()); };
  History history{.tail = any(), .number = static_cast<std::uint16_t>(any())};
  old.age(kDoorbellQueue, history.tail, any());
  for (const auto& [queue, mode] :
       {std::pair{kGetQueue, QueueMode::kRemoteGet}, std::pair{kPushQueue, QueueMode::kPush},
        std::pair{kReflectionQueue, QueueMode::kReflection}}) {
    open_any_queue(judge.device(), queue, mode, kOwner, random);
    old.age(queue, any_index(random), 0);
  }
  for (const FifoId fifo : {kFifo, kForeignFifo, kReplyFifo}) old.age(fifo, any(), any());
  for (const unsigned direction : {0U, 3U}) {
    old.age_credits(direction, static_cast<std::uint16_t>(any()));
  }
  for (const CounterId counter : {kCounter, kLoudCounter}) {
    judge.raw().preload(counter, random.bits64() >> 27);
  }
  for (const EventId event : {kEvent, kDoneEvent}) {
    judge.device().write32(registers::client_page::event_counter(kOwner.value, event.value), any());
  }
  return history;
}

// How a descriptor comes to its queue.
enum class Way { kDoorbell, kDoorbellOfClient, kPush, kGet, kReflection };

class AnyDescriptor : public ::testing::TestWithParam<bool> {};

TEST_P(AnyDescriptor, DoesWhatTheModelDoes) {
  Random random(GetParam() ? 4711 : 815);
  SCOPED_TRACE(random.replay());
  for (unsigned round = 0; round < 4; ++round) {
    NodeJudge judge(anywhere(random));
    open_everything(judge.device(), false);
    const ClientNumbers clients(random);
    std::array<PostedRing, kSim.clients> rings = open_for_every_client(judge, clients, random);
    judge.device().store(kSource, pattern(random.bits64(), kRegionBytes));
    judge.device().store(kReadable, pattern(random.bits64(), kRegionBytes));
    RawNode node = judge.raw();
    judge.settle("set-up");
    // But for the first, the node has counted for long.
    const History history = round == 0 ? History{} : age_everything(judge, random);
    std::uint32_t tail = history.tail;
    std::uint16_t number = history.number;
    for (unsigned i = 0; i < 60 && judge.differences() == 0; ++i) {
      const Way way = GetParam() ? (random.chance(50) ? Way::kGet : Way::kReflection)
                                 : static_cast<Way>(random.below(3));
      const bool network = way >= Way::kGet;
      const Descriptor any =
          random_descriptor(random, clients, judge.here(), network, way == Way::kReflection);
      if (!network) {
        // A reflection without credits parks the queue: give new ones before the ring is full.
        for (const unsigned direction : {0U, 3U}) node.set_reflection_credit(direction, 2);
      }
      if (way == Way::kDoorbell) {
        node.write_descriptor(kDoorbellRing, kRingSlots, tail, any);
        node.ring_doorbell(kDoorbellQueue, ++tail);
      } else if (way == Way::kDoorbellOfClient) {
        rings.at(random.below(kSim.clients)).post(judge, any);
      } else if (way == Way::kPush) {
        judge.device().write64(registers::client_page::push_queue(0), kPushQueue.value);
        for (std::uint32_t w = 0; w < 8; ++w) {
          judge.device().write64(registers::client_page::push_data(0, w), any.words()[w]);
        }
      } else {
        const auto bytes = any.bytes();
        const QueueId queue = way == Way::kGet ? kGetQueue : kReflectionQueue;
        model::Packet packet =
            put_packet(kGetter, judge.here(), {bytes.begin(), bytes.end()}, queue.value, 0);
        packet.header.set<h::kind>(Kind::kGet).set<h::client>(random.below(4));
        packet.trailer.set<t::reflected>(way == Way::kReflection ? 1 : 0);
        if (way == Way::kReflection) packet.trailer.set<t::sequence_number>(number++);
        judge.deliver_sealed(packet);
      }
      const std::string where =
          "descriptor " + std::to_string(i) + " by way " + std::to_string(static_cast<int>(way));
      const bool answered = answer_fences(judge, judge.settle(where), random);
      if (answered) judge.settle(where + ", answered");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(From, AnyDescriptor, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "TheNetwork" : "Software"; });

}  // namespace
}  // namespace torusmu::testing
