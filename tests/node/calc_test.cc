// SPDX-License-Identifier: Apache-2.0
// CALC in the node: through its queue, over the memory port that it shares, judged by the reference
// model.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tb/reference_model/reduction.h"
#include "tests/support/node_setup.h"
#include "tests/support/reduction_stimulus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace s = layout::calc_shape;
namespace o = layout::operand;

constexpr Bytes kList = 0xF000;  // where lists lie in region kSourceRegion

Descriptor calc(Reduction operation, Element element, Bytes length, std::uint64_t operands,
                Bytes result) {
  return Descriptor()
      .set<d::opcode>(Opcode::kCalc)
      .set<d::operands>(operands)
      .set<d::reduction>(operation)
      .set<d::element>(element)
      .set<d::length>(length)
      .set<d::source_region>(kSourceRegion.value)
      .set<d::source_offset>(kList)
      .set<d::done_event_valid>(1)
      .set<d::done_event>(kDoneEvent.value)
      .set<d::header>(PacketHeader().set<h::target>(kTargetRegion.value).set<h::offset>(result));
}

Operand operand(Bytes offset, std::int64_t stride) {
  constexpr std::uint64_t kStrideMask = (1ULL << o::stride.width) - 1;
  return Operand()
      .set<o::region>(kSourceRegion.value)
      .set<o::offset>(offset)
      .set<o::stride>(static_cast<std::uint64_t>(stride) & kStrideMask);
}

void write_list(Device& device, const std::vector<Operand>& list,
                const std::vector<ReductionStep>& steps = {},
                const std::vector<PacketHeader>& targets = {}) {
  Address at = kSource + kList;
  const auto append = [&](const auto& entry) {
    const auto bytes = entry.bytes();
    device.store(at, std::as_bytes(std::span(bytes)));
    at += bytes.size();
  };
  for (const Operand& operand : list) append(operand);
  for (const ReductionStep& step : steps) append(step);
  for (const PacketHeader& target : targets) append(target);
}

PacketHeader target(Coordinates node, Bytes offset) {
  return PacketHeader()
      .set<h::dst_x>(node.x)
      .set<h::dst_y>(node.y)
      .set<h::dst_z>(node.z)
      .set<h::target>(kTargetRegion.value)
      .set<h::offset>(offset);
}

class NodeCalc : public ::testing::Test {
 protected:
  void set_up(NodeJudge& judge) {
    open_everything(judge.device(), false);
    judge.device().store(kSource, pattern(random_.seed(), kRegionBytes));
    judge.settle("set-up");
  }
  void run(NodeJudge& judge, const std::vector<Descriptor>& descriptors) {
    RawNode node = judge.raw();
    for (const Descriptor& descriptor : descriptors) {
      node.write_descriptor(kDoorbellRing, kRingSlots, index_ % kRingSlots, descriptor);
      ++index_;
    }
    node.ring_doorbell(kDoorbellQueue, index_);
  }

  Random random_;
  std::uint32_t index_ = 0;
};

TEST_F(NodeCalc, SendsItsResultWithThePutsBehindIt) {
  NodeJudge judge;
  set_up(judge);
  write_list(judge.device(), {operand(0, 8), operand(5000, 8), operand(0x8000, -24)});
  const auto put = [&](Coordinates to) {
    return put_descriptor(to, {kTargetRegion, 100, 4096}, kTargetRegion, 0, {});
  };
  // Twice, so that a result that is sent too early shows.
  for (const Reduction operation : {Reduction::kSum, Reduction::kMax}) {
    run(judge, {calc(operation, Element::kF64, 4096, 3, 100), put({0, 1, 1}), put({1, 2, 1})});
    const auto sent = judge.settle("CALC and two PUTs");
    EXPECT_EQ(sent.size(), 16U);
  }
  EXPECT_EQ(queue_state(judge.device(), kDoorbellQueue).status, Status::kOk);
  EXPECT_EQ(judge.differences(), 0U);
}

TEST_F(NodeCalc, PutsItsResultToEveryTargetOfItsList) {
  NodeJudge judge;
  set_up(judge);
  const std::vector<Operand> list = {operand(0, 8), operand(5000, 8)};
  for (std::uint32_t count = 1; count <= 8; ++count) {
    std::vector<PacketHeader> targets;
    for (std::uint32_t n = 0; n < count; ++n) {
      targets.push_back(target({n % 2, 1, n / 2 % 3}, 0x4000 + Bytes{0x900} * n));
    }
    write_list(judge.device(), list, {}, targets);
    Descriptor reduce = calc(Reduction::kSum, Element::kF64, 2048 + 8, 2, 100);
    reduce.set<d::targets>(count)
        .set<d::event_valid>(1)
        .set<d::event_counter>(kDoneEvent.value)
        .set<d::sequence_number>(count);
    run(judge, {reduce, good_put(judge.here(), 1)});
    const auto sent = judge.settle("CALC to " + std::to_string(count));
    const auto elsewhere = std::ranges::count_if(targets, [&](const PacketHeader& one) {
      return one.get<h::dst_x>() != judge.here().x || one.get<h::dst_y>() != judge.here().y ||
             one.get<h::dst_z>() != judge.here().z;
    });
    EXPECT_EQ(sent.size(), 5 * static_cast<std::size_t>(elsewhere)) << "five chunks for each";
  }
  EXPECT_EQ(queue_state(judge.device(), kDoorbellQueue).status, Status::kOk);
  EXPECT_EQ(judge.differences(), 0U);
}

TEST_F(NodeCalc, EndsInTheStatusOfTheFirstTargetThatCannotBe) {
  const auto ends = [&](const std::vector<PacketHeader>& targets, Status want) {
    NodeJudge judge;
    index_ = 0;
    set_up(judge);
    write_list(judge.device(), {operand(0, 8)}, {}, targets);
    Descriptor copy = calc(Reduction::kSum, Element::kF64, 1024, 1, 100);
    run(judge, {copy.set<d::targets>(targets.size()), good_put(judge.here(), 1)});
    judge.settle(std::string(name_of(want)));
    const auto state = queue_state(judge.device(), kDoorbellQueue);
    EXPECT_EQ(state.status, want);
    EXPECT_EQ(state.count, want == Status::kOk ? 0U : 1U);
    EXPECT_EQ(judge.differences(), 0U);
  };
  const PacketHeader good = target({0, 1, 1}, 0x4000);
  const PacketHeader nowhere = target({15, 1, 1}, 0);
  const PacketHeader beyond = target({0, 1, 1}, (Bytes{1} << 37) - 600);
  PacketHeader reserved = good;
  reserved.set<h::bytes>(1);
  ends({good, good}, Status::kOk);
  ends({good, nowhere, good}, Status::kUnreachable);
  ends({good, reserved, nowhere}, Status::kReservedBits);
  ends({beyond, good}, Status::kRegionBounds);
  ends({beyond, reserved}, Status::kReservedBits);
}

TEST_F(NodeCalc, EndsInItsStatusAndTheQueueGoesOn) {
  NodeJudge judge;
  set_up(judge);
  std::uint64_t errors = 0;
  const auto refused = [&](Descriptor bad, Status want) {
    run(judge, {bad, good_put(judge.here(), 1)});
    judge.settle(std::string(name_of(want)));
    EXPECT_EQ(queue_state(judge.device(), kDoorbellQueue).count, ++errors);
    if (errors == 1) {
      EXPECT_EQ(queue_state(judge.device(), kDoorbellQueue).status, want);
    }
  };
  write_list(judge.device(), {operand(0, 4), operand(kRegionBytes - 63, 4)});
  refused(calc(Reduction::kSum, Element::kI32, 64, 2, 0), Status::kRegionBounds);
  refused(calc(Reduction::kBand, Element::kF32, 64, 2, 0), Status::kReductionUndefined);
  refused(calc(Reduction::kSum, Element::kI32, 64, 17, 0), Status::kOperandsInvalid);
  refused(calc(Reduction::kSum, Element::kI32, 0, 1, 0), Status::kLengthZero);
  refused(calc(Reduction::kSum, Element::kI32, 64, 1, kRegionBytes), Status::kRegionBounds);
  EXPECT_EQ(judge.differences(), 0U);
}

TEST_F(NodeCalc, TakesTurnsWithPayloadWhateverTheMemoryDoes) {
  SCOPED_TRACE(random_.replay());
  const AxiTiming slow{.read_latency = 30,
                       .write_latency = 20,
                       .random_extra = 25,
                       .stall_permille = 200,
                       .reorder = true};
  for (const AxiTiming& timing : {AxiTiming{}, slow}) {
    NodeJudge judge({.timing = timing, .seed = random_.seed()});
    index_ = 0;
    set_up(judge);
    // A queue of another client sends meanwhile.
    RawNode foreign = judge.raw(kForeigner);
    judge.device().store(kForeign, pattern(9, kRegionBytes));
    std::uint32_t sent = 0;
    for (int i = 0; i < 12; ++i) {
      const auto [operation, element] = any_operation(random_, 32);
      const auto operands = 1 + random_.below(6);
      const Bytes unit = model::unit_bytes(operation, element);
      const Bytes size = operation == Reduction::kMinmaxloc ? unit / 2 : unit;
      const auto elements = (1 + random_.below(1600 / unit)) * (unit / size);
      std::vector<Operand> list;
      for (std::uint64_t n = 0; n < operands; ++n) {
        const bool adjacent = random_.chance(70);
        const auto most = static_cast<std::int64_t>(elements);
        list.push_back(
            adjacent ? operand(random_.below(0x8000), static_cast<std::int64_t>(size))
                     : operand(0x7000 + random_.below(0x1000), 0x6000 / most * (i % 2 * 2 - 1)));
      }
      std::vector<ReductionStep> steps;
      if (random_.chance(40)) steps = any_steps(random_, unit);
      const Bytes apart = random_.chance(40) ? size * (1 + random_.below(3)) : 0;
      std::vector<PacketHeader> targets(apart == 0 ? random_.below(5) : 0);
      for (PacketHeader& one : targets) {
        const Coordinates to = judge.shape().coordinates(
            {static_cast<std::uint32_t>(random_.below(judge.shape().nodes()))});
        one = target(to, random_.below(kRegionBytes));
      }
      write_list(judge.device(), list, steps, targets);
      for (int put = 0; put < 2; ++put) {
        foreign.write_descriptor(
            kForeignRing, kRingSlots, sent++ % kRingSlots,
            put_descriptor({0, 1, 1}, {kForeignRegion, random_.below(4000), 2000}, kTargetRegion, 0,
                           {}));
      }
      foreign.ring_doorbell(kForeignQueue, sent);
      const Bytes result = random_.below(0x4000);
      Descriptor reduce = calc(operation, element, size * elements, operands, result);
      reduce.set<d::targets>(targets.size());
      reduce.set<d::immediate>(
          CalcShape().set<s::result_stride>(apart).set<s::steps>(steps.size()).bytes());
      run(judge, {reduce, put_descriptor({1, 1, 2}, {kTargetRegion, result, size * elements},
                                         kTargetRegion, 0, {})});
      judge.settle("CALC " + std::to_string(i));
      ASSERT_EQ(judge.differences(), 0U);
    }
    EXPECT_EQ(queue_state(judge.device(), kDoorbellQueue).count, 0U);
  }
}

}  // namespace
}  // namespace torusmu::testing
