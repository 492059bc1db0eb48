// SPDX-License-Identifier: Apache-2.0
// Descriptors and packets that mean something, so that inputs get behind the first check: good ones
// of what the node has open, some of which the input spoils.
#ifndef TORUSMU_TESTS_FUZZ_MEANT_H_
#define TORUSMU_TESTS_FUZZ_MEANT_H_

#include <array>

#include "tests/fuzz/node_fuzz.h"

namespace torusmu::fuzz {

using CalcOperation = Record<layout::calc_operation::Layout>;

// One record in three has one or two bits that are wrong.
template <typename Record>
Record spoiled(Input& input, const Record& good) {
  auto bytes = good.bytes();
  const std::uint32_t draw = input.below(6);
  for (std::uint32_t k = 0; draw < 2 && k <= draw; ++k) {
    const std::size_t bit = input.take<std::uint16_t>() % (8 * bytes.size());
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1U << bit % 8);
  }
  return Record::from_bytes(bytes);
}

// Half of the time the node itself.
inline Coordinates any_place(Input& input) {
  const std::uint32_t place = input.below(54);
  if (place >= 27) return {1, 1, 1};
  return {place % 3, place / 3 % 3, place / 9};
}
// Those of the owner more often than one of another client and one that is closed.
inline RegionId any_region(Input& input) {
  constexpr std::array kRegions{kTargetRegion, kTargetRegion,  kSourceRegion, kReadableRegion,
                                kSourceRegion, kForeignRegion, kClosedRegion, kEndRegion};
  return kRegions[input.below(kRegions.size())];
}
// Nearly always within the region.
inline Bytes any_offset(Input& input) { return input.take<std::uint16_t>(); }
inline Source any_source(Input& input, Bytes longest) {
  constexpr std::array kOwn{kSourceRegion, kReadableRegion, kTargetRegion, kForeignRegion};
  const RegionId region = kOwn[input.below(kOwn.size())];
  return {region, any_offset(input), input.take<std::uint16_t>() % longest + 1};
}
inline Arrival any_arrival(Input& input) {
  const std::uint32_t bits = input.below(8);
  return {(bits & 1) != 0 ? static_cast<int>(kCounter.value) : -1,
          (bits & 2) != 0 ? static_cast<int>(kEvent.value) : -1, (bits & 4) != 0};
}

// One or two contiguous operands of the owner's regions.
inline Descriptor any_calc(Input& input) {
  namespace d = layout::descriptor;
  namespace c = layout::calc_operation;
  namespace h = layout::packet_header;
  const Source left = any_source(input, 512), right = any_source(input, 512);
  const auto operands = CalcOperation()
                            .set<c::left_region>(left.region.value)
                            .set<c::left_offset>(left.offset)
                            .set<c::right_region>(right.region.value)
                            .set<c::right_offset>(right.offset);
  std::array<std::uint8_t, 16> immediate{};
  std::copy_n(operands.bytes().begin(), immediate.size(), immediate.begin());
  Descriptor calc;
  calc.set<d::opcode>(Opcode::kCalc)
      .set<d::immediate_valid>(1)
      .set<d::immediate>(immediate)
      .set<d::operands>(1 + input.below(2))
      .set<d::reduction>(static_cast<Reduction>(input.below(14)))
      .set<d::element>(static_cast<Element>(input.below(16)))
      .set<d::length>(1 + input.below(512));
  auto header = calc.get<d::header>();
  header.set<h::target>(any_region(input).value).set<h::offset>(any_offset(input));
  return calc.set<d::header>(header);
}

// `queues`, `events`: the first of four that programs of queues use.
inline Descriptor good_descriptor(Input& input, std::uint32_t queues, std::uint32_t events) {
  const Coordinates to = any_place(input);
  const QueueId queue{queues + input.below(4)};
  const EventId event{events + input.below(4)};
  const std::uint32_t count = input.below(6);
  switch (input.below(16)) {
    case 0:
    case 1:
      return put_descriptor(to, any_source(input, 2048), any_region(input), any_offset(input),
                            any_arrival(input));
    case 2: {
      const auto data = pattern(1, 1 + input.below(16));
      return immediate_put(to, data, any_region(input), any_offset(input), any_arrival(input));
    }
    case 3:
      return fifo_descriptor(to, any_source(input, 1024), {input.below(5)}, count,
                             any_arrival(input));
    case 4:
      return get_descriptor(to, any_region(input), 64 * input.below(8), 1 + count,
                            {input.below(8)});
    case 5:
      return reflect_descriptor(any_region(input), 64 * input.below(8), input.below(8));
    case 6:
      return increment_descriptor(to, any_region(input), event);
    case 7:
      return wait_for_queue(queue, count, input.below(3));
    case 8:
      return wait_for_event(event, count);
    case 9:
      return add_to_event(event, count);
    case 10:
      return enable_receives(queue, count, input.below(2) != 0);
    case 11:
      return send_descriptor(any_source(input, 2048), count, any_arrival(input));
    case 12:
      return receive_descriptor(any_source(input, 2048));
    case 13: {
      const std::uint32_t bytes = 64 * (1 + input.below(8));
      const Source source = any_source(input, 2048);
      const std::uint32_t kind = input.below(5);
      if (kind == 0) return pipe_from(source, bytes, 7);
      if (kind == 4) {
        return pipe_through({source.region, source.offset, Bytes{16} * (1 + bytes / 32)},
                            {count, queue}, 7);
      }
      if (kind == 1) return pipe_into(source, queue, bytes);
      return pipe_descriptor(source, {count, queue, bytes}, 7);
    }
    case 14: {
      constexpr std::array kBare{Opcode::kFence, Opcode::kNop, Opcode::kCtrSet};
      return Descriptor().set<layout::descriptor::opcode>(kBare[input.below(kBare.size())]);
    }
    default:
      return any_calc(input);
  }
}

inline Descriptor any_descriptor(Input& input, std::uint32_t queues, std::uint32_t events) {
  if (input.below(8) == 0) {
    return Descriptor::from_bytes(input.take<std::array<std::uint8_t, Descriptor::kBytes>>());
  }
  return spoiled(input, good_descriptor(input, queues, events));
}

}  // namespace torusmu::fuzz

#endif  // TORUSMU_TESTS_FUZZ_MEANT_H_
