// SPDX-License-Identifier: Apache-2.0
// The rules of docs/unit_memory.md, one by one, on the reference model and on the node.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/support/node_setup.h"
#include "tests/support/node_under_test.h"
#include "torusmu/setup.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace e = layout::completion_entry;
namespace h = layout::packet_header;

enum class On { kModel, kNode };

constexpr Bytes kUnitBytes = unit_memory_bytes(kSim);
constexpr Address kUnit = unit_memory_base(kSim);
constexpr RegionId kUnitRegion{10}, kLastRegion{11}, kForeignUnitRegion{12};
constexpr Bytes kLength = 0x1800;  // of region kUnitRegion, which crosses a page
constexpr Address kStart = kUnit + 0x403;

class UnitMemory : public ::testing::TestWithParam<On> {
 protected:
  UnitMemory() {
    if (GetParam() == On::kModel) {
      node_ = std::make_unique<NodeUnderTestOf<ModelNode>>();
    } else {
      node_ = std::make_unique<NodeUnderTestOf<NodeJudge>>();
    }
    open_everything(device(), false);
    device().store(kSource, pattern(5, kRegionBytes));
    node_->raw(kOwner).open_region(kUnitRegion, kStart, kLength, {.remote_read = true});
    node_->raw(kForeigner).open_region(kForeignUnitRegion, kStart, kLength, {});
    settle("set-up");
  }
  Device& device() { return node_->device(); }
  std::vector<model::Packet> settle(const std::string& where) { return node_->settle(where); }
  void run(const std::vector<Descriptor>& descriptors) {
    RawNode own = node_->raw(kOwner);
    for (const Descriptor& descriptor : descriptors)
      own.write_descriptor(kDoorbellRing, kRingSlots, posted_++ % kRingSlots, descriptor);
    own.ring_doorbell(kDoorbellQueue, posted_);
  }
  Descriptor put_in(Bytes offset, Bytes length, RegionId region = kUnitRegion) {
    return put_descriptor(node_->here(), {kSourceRegion, 3, length}, region, offset, {});
  }
  Descriptor put_out(Bytes offset, Bytes length, Bytes to = 0) {
    return put_descriptor(node_->here(), {kUnitRegion, offset, length}, kTargetRegion, to, {});
  }
  std::vector<std::byte> memory(Address at, Bytes length) {
    std::vector<std::byte> bytes(length);
    device().load(at, bytes);
    return bytes;
  }
  std::vector<std::byte> source(Bytes length) { return memory(kSource + 3, length); }
  // What lies in the unit's memory, as its registers show it.
  std::vector<std::byte> shown(Address at, Bytes length) {
    std::vector<std::uint64_t> words((at - kUnit + length + 7) / 8 - (at - kUnit) / 8);
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = device().read64(
          registers::unit_memory::word(static_cast<std::uint32_t>((at - kUnit) / 8 + i)));
    const auto bytes = std::as_bytes(std::span(words)).subspan(at % 8, length);
    return {bytes.begin(), bytes.end()};
  }
  Status last_status(QueueId queue = kDoorbellQueue) { return queue_state(device(), queue).status; }

  std::unique_ptr<NodeUnderTest> node_;
  std::uint32_t posted_ = 0;
};

TEST_P(UnitMemory, IsARegionLikeOthersToPutIntoAndFrom) {
  run({put_in(0x300, 1500)});
  settle("in, across a page");
  EXPECT_EQ(shown(kStart + 0x300, 1500), source(1500));
  run({put_out(0x300, 1500, 7)});
  settle("out");
  EXPECT_EQ(memory(kTarget + 7, 1500), source(1500));
  EXPECT_EQ(last_status(), Status::kOk);
}

TEST_P(UnitMemory, IsReadBehindThePutsOfTheSameQueue) {
  const Descriptor changes = put_in(0, 512).set<d::done_event_valid>(0);
  run({Descriptor(changes).set<d::event_valid>(1).set<d::event_counter>(kEvent.value),
       wait_for_event(kEvent, 1), put_out(0, 512)});
  settle("in, wait, out");
  EXPECT_EQ(memory(kTarget, 512), source(512));
}

TEST_P(UnitMemory, TakesPutsOfOtherNodes) {
  constexpr Coordinates kPeer{0, 1, 1};
  for (unsigned i = 0; i < 4; ++i) {
    node_->deliver_sealed(put_packet(kPeer, node_->here(), bytes_of(i, 200 + i),
                                     i % 2 == 0 ? kUnitRegion.value : kTargetRegion.value,
                                     500 * i));
  }
  settle("four packets for both memories in turn");
  for (unsigned i = 0; i < 4; ++i) {
    const auto bytes = bytes_of(i, 200 + i);
    const auto view = std::as_bytes(std::span(bytes));
    const std::vector<std::byte> wanted(view.begin(), view.end());
    EXPECT_EQ(i % 2 == 0 ? shown(kStart + 500 * i, 200 + i) : memory(kTarget + 500 * i, 200 + i),
              wanted);
  }
}

TEST_P(UnitMemory, IsWrittenByItsRegisters) {
  for (std::uint32_t word = 0; word < 8; ++word)
    device().write64(registers::unit_memory::word(0x90 + word), 0x0101010101010101 * word);
  run({put_out(0x90 * 8 - 0x403, 64)});
  settle("out");
  for (std::uint32_t byte = 0; byte < 64; ++byte)
    EXPECT_EQ(memory(kTarget, 64)[byte], static_cast<std::byte>(byte / 8));
}

TEST_P(UnitMemory, HoldsTheRingOfPushedDescriptors) {
  set_queue(device(), kPushQueue, kUnit + 64, kRingSlots, QueueMode::kPush, kOwner, false);
  device().write64(registers::client_page::push_queue(0), kPushQueue.value);
  for (std::uint32_t i = 0; i < 6; ++i) {
    const Descriptor descriptor = good_put(node_->here(), i);
    for (std::uint32_t w = 0; w < 8; ++w)
      device().write64(registers::client_page::push_data(0, w), descriptor.words()[w]);
    settle("pushed");
    EXPECT_EQ(memory(kTarget + 1000 * i, 700), memory(kSource + i, 700)) << i;
  }
  EXPECT_EQ(last_status(kPushQueue), Status::kOk);
}

TEST_P(UnitMemory, HoldsTheRingOfAGetQueue) {
  set_queue(device(), kGetQueue, kUnit + 0x2000, kRingSlots, QueueMode::kRemoteGet, kOwner, false);
  const auto back = put_descriptor(node_->here(), {kReadableRegion, 9, 300}, kTargetRegion, 40, {});
  device().store(kReadable, pattern(6, 0x1000));
  const auto bytes = back.bytes();
  device().store(kSource, std::as_bytes(std::span(bytes)));
  settle("a descriptor to be fetched");
  run({get_descriptor(node_->here(), kSourceRegion, 0, 1, kGetQueue)});
  settle("fetched and run");
  EXPECT_EQ(memory(kTarget + 40, 300), memory(kReadable + 9, 300));
}

TEST_P(UnitMemory, HoldsAReceptionFifo) {
  constexpr FifoId kHere{6};
  node_->raw(kOwner).open_fifo(kHere, kUnit + 0x1800, 64, false);
  auto packet = put_packet({0, 1, 1}, node_->here(), bytes_of(8, 100), kHere.value, 0);
  packet.header.set<h::kind>(Kind::kFifo);
  node_->deliver_sealed(packet);
  settle("a packet");
  EXPECT_EQ(node_->raw(kOwner).fifo_tail(kHere), 5U) << "a slot and four of 32 bytes";
  const auto bytes = bytes_of(8, 100);
  const auto view = std::as_bytes(std::span(bytes));
  EXPECT_EQ(shown(kUnit + 0x1820, 100), std::vector<std::byte>(view.begin(), view.end()));
}

TEST_P(UnitMemory, HoldsANoticeRing) {
  node_->raw(kOwner).open_notices(kUnit + 0x2800, 32);
  node_->deliver_sealed(
      put_packet({0, 1, 1}, node_->here(), bytes_of(1, 8), kClosedRegion.value, 0));
  // The refusal of a put of ours comes back so.
  auto notice = put_packet({0, 1, 1}, node_->here(), {}, 0, 0);
  notice.header.set<h::kind>(Kind::kNotice).set<h::reply>(1).set<h::client>(kOwner.value);
  notice.header.set<h::word>(static_cast<std::uint64_t>(Status::kPermission) |
                             static_cast<std::uint64_t>(Kind::kPut) << 8);
  notice.trailer = {};
  node_->deliver_sealed(notice);
  settle("a notice");
  const auto entry = shown(kUnit + 0x2800, PacketHeader::kBytes);
  std::array<std::uint8_t, PacketHeader::kBytes> header{};
  std::ranges::copy(entry, std::as_writable_bytes(std::span(header)).begin());
  EXPECT_EQ(PacketHeader::from_bytes(header).get<h::kind>(), Kind::kNotice);
}

TEST_P(UnitMemory, IsWatchedByTouchRanges) {
  namespace f = registers::touch_range::config_field;
  device().write64(registers::touch_range::base(0), kStart + 100);
  device().write64(registers::touch_range::length(0), 50);
  device().write64(registers::touch_range::config(0),
                   insert(insert(0, f::enable, 1), f::on_write, 1));
  run({put_in(0, 100)});
  settle("beside it");
  EXPECT_EQ(device().read64(registers::client_page::touch_hits(kOwner.value)), 0U);
  run({put_in(149, 8)});
  settle("its last byte");
  EXPECT_EQ(device().read64(registers::client_page::touch_hits(kOwner.value)), 1U);
}

TEST_P(UnitMemory, HoldsBuffersOfReceives) {
  constexpr QueueId kReceive{14};
  RawNode own = node_->raw(kOwner);
  own.connect(kReceive, {0, 1, 1}, {20});
  own.open_queue(kReceive, 0x50000, kRingSlots, QueueMode::kReceive);
  own.write_descriptor(0x50000, kRingSlots, 0, receive_descriptor({kUnitRegion, 0x10, 512}));
  own.ring_doorbell(kReceive, 1);
  settle("posted");
  auto packet = put_packet({0, 1, 1}, node_->here(), bytes_of(2, 300), kReceive.value, 0);
  namespace t = layout::packet_trailer;
  packet.header.set<h::kind>(Kind::kSend);
  packet.trailer.set<t::last>(1).set<t::queue>(20).set<t::index>(300).set<t::sequence_number>(0);
  node_->deliver_sealed(packet);
  settle("a message");
  const auto bytes = bytes_of(2, 300);
  const auto view = std::as_bytes(std::span(bytes));
  EXPECT_EQ(shown(kStart + 0x10, 300), std::vector<std::byte>(view.begin(), view.end()));
  EXPECT_EQ(own.queue_head(kReceive), 1U);
}

TEST_P(UnitMemory, HoldsACompletionQueue) {
  constexpr CompletionQueueId kCompletions{2};
  RawNode own = node_->raw(kOwner);
  own.open_completion_queue(kCompletions, kUnit + 0x3000, 4);
  set_queue(device(), QueueId{13}, 0x40000, kRingSlots, QueueMode::kOff, kOwner, false);
  own.connect({13}, {}, {13}, {.completion = static_cast<int>(kCompletions.value)});
  own.open_queue({13}, 0x40000, kRingSlots, QueueMode::kDoorbell);
  own.write_descriptor(0x40000, kRingSlots, 0,
                       Descriptor().set<d::signal>(1).set<d::sequence_number>(0x5A));
  own.ring_doorbell({13}, 1);
  settle("an entry");
  const auto bytes = shown(kUnit + 0x3000, CompletionEntry::kBytes);
  std::array<std::uint8_t, CompletionEntry::kBytes> entry{};
  std::ranges::copy(bytes, std::as_writable_bytes(std::span(entry)).begin());
  EXPECT_EQ(CompletionEntry::from_bytes(entry).get<e::sequence_number>(), 0x5AU);
}

TEST_P(UnitMemory, HoldsOperandsAndResultOfACalc) {
  namespace o = layout::operand;
  std::vector<std::uint64_t> values(32, 3);
  for (std::uint32_t i = 0; i < 32; ++i)
    device().write64(registers::unit_memory::word(0x100 + i), values[i] + i);
  std::vector<std::byte> list;
  for (const Bytes offset : {Bytes{0x800 - 0x403}, Bytes{0x800 - 0x403 + 128}}) {
    const auto operand = Record<o::Layout>()
                             .set<o::region>(kUnitRegion.value)
                             .set<o::offset>(offset)
                             .set<o::stride>(8)
                             .bytes();
    const auto view = std::as_bytes(std::span(operand));
    list.insert(list.end(), view.begin(), view.end());
  }
  device().store(kSource + 0xF000, list);
  run({Descriptor()
           .set<d::opcode>(Opcode::kCalc)
           .set<d::operands>(2)
           .set<d::reduction>(Reduction::kSum)
           .set<d::element>(Element::kU64)
           .set<d::length>(128)
           .set<d::source_region>(kSourceRegion.value)
           .set<d::source_offset>(0xF000)
           .set<d::header>(PacketHeader().set<h::target>(kUnitRegion.value).set<h::offset>(0))});
  settle("sum");
  EXPECT_EQ(last_status(), Status::kOk);
  const auto sums = shown(kStart, 128);
  for (std::size_t i = 0; i < 16; ++i) {
    std::uint64_t sum = 0;
    std::ranges::copy_n(sums.begin() + static_cast<std::ptrdiff_t>(8 * i), 8,
                        std::as_writable_bytes(std::span(&sum, 1)).begin());
    EXPECT_EQ(sum, 6 + i + i + 16) << i;
  }
}

TEST_P(UnitMemory, EndsWhereTheAddressSpaceEndsWhateverARegionClaims) {
  node_->raw(kOwner).open_region(kLastRegion, kUnit + kUnitBytes - 64, 4096);
  run({put_in(0, 64, kLastRegion), put_in(1, 64, kLastRegion), put_in(64, 1, kLastRegion)});
  settle("to the last byte, and beyond");
  EXPECT_EQ(shown(kUnit + kUnitBytes - 64, 64), source(64));
  namespace f = registers::client_page::notice_tail_field;
  EXPECT_EQ(extract(device().read64(registers::client_page::notice_tail(0)), f::tail), 2U);
  const auto out = [&](Bytes offset, Bytes length) {
    return put_descriptor(node_->here(), {kLastRegion, offset, length}, kTargetRegion, 0, {});
  };
  run({out(0, 64), out(1, 64), out(64, 1)});
  settle("from the last byte, and from beyond");
  EXPECT_EQ(memory(kTarget, 64), source(64));
  EXPECT_EQ(last_status(), Status::kRegionBounds);
  EXPECT_EQ(queue_state(device(), kDoorbellQueue).count, 2U);
}

TEST_P(UnitMemory, IsNotReadThroughARegionOfAnotherClient) {
  run({put_descriptor(node_->here(), {kForeignUnitRegion, 0, 64}, kTargetRegion, 0, {})});
  settle("refused");
  EXPECT_EQ(last_status(), Status::kPermission);
}

TEST_P(UnitMemory, HasNoRegisterBehindItsLastWord) {
  device().write64(registers::unit_memory::word(kSim.unit_memory_words), 1);
  settle("refused");
  namespace f = registers::node::register_errors_field;
  const std::uint64_t errors = device().read64(registers::node::register_errors());
  EXPECT_EQ(static_cast<Status>(extract(errors, f::status)), Status::kRegisterUnknown);
}

INSTANTIATE_TEST_SUITE_P(On, UnitMemory, ::testing::Values(On::kModel, On::kNode),
                         [](const auto& instance) {
                           return instance.param == On::kModel ? "Model" : "Node";
                         });

}  // namespace
}  // namespace torusmu::testing
