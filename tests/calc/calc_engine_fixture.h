// SPDX-License-Identifier: Apache-2.0
// A mu_calc_engine with regions, and descriptors of any shape for it.

#ifndef TESTS_CALC_CALC_ENGINE_FIXTURE_H_
#define TESTS_CALC_CALC_ENGINE_FIXTURE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tb/reference_model/reduction.h"
#include "tests/support/calc_bench.h"
#include "tests/support/reduction_stimulus.h"

namespace torusmu::testing::calc_engine {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace c = layout::calc_operation;
namespace s = layout::calc_shape;
namespace o = layout::operand;
namespace r = layout::reduction_step;

inline constexpr unsigned kResult = 1, kFirst = 2, kSecond = 3, kList = 4, kForeign = 5, kOff = 6,
                          kBeyond = 7;

constexpr Sizes with_lanes(unsigned lanes) {
  Sizes sizes = kBgp;
  sizes.calc_lanes = lanes;
  return sizes;
}

// Of a node with so many lanes; without any, one operand is copied or gathered.
template <typename Engine, unsigned kLanes>
class CalcEngineOf : public ::testing::Test {
 protected:
  static constexpr bool kReduces = kLanes != 0;
  void SetUp() override {
    bench_.set_region(kResult, region_entry(0x1'0000 + 5, 0x4000, kCalcOwner));
    bench_.set_region(kFirst, region_entry(0x2'0000 + 3, 0x8000, kCalcOwner));
    bench_.set_region(kSecond, region_entry(0x3'0000 - 8, 0x8000, kCalcOwner));
    bench_.set_region(kList, region_entry(0x100 + 1, 0x1000, kCalcOwner));
    bench_.set_region(kForeign, region_entry(0x8000, 0x1000, kCalcOwner + 1, true, true));
    bench_.set_region(kOff, region_entry(0x8000, 0x1000, kCalcOwner, true, true, false));
    bench_.set_region(kBeyond, region_entry(kCalcMemory - 0x100, 0x2000, kCalcOwner));
  }
  // Elements of all kinds, the interesting ones too, at every address.
  void fill(Reduction operation, Element element) {
    Bytes data;
    while (data.size() < kCalcMemory) {
      const auto [left, right] = beats(random_, operation, element);
      for (const model::Beat& beat : {left, right}) {
        for (unsigned i = 0; i < 32; ++i) {
          data.push_back(static_cast<std::uint8_t>(beat[i / 8] >> (i % 8 * 8)));
        }
      }
    }
    bench_.write(0, data);
  }
  static std::uint64_t bytes_of(Reduction operation, Element element) {
    return model::bits_of_element(element) / 8 * (model::has_pairs(operation) ? 2 : 1);
  }

  static Descriptor calc(Reduction operation, Element element, std::uint64_t length,
                         unsigned operands) {
    return Descriptor()
        .set<d::opcode>(Opcode::kCalc)
        .set<d::operands>(operands)
        .set<d::reduction>(operation)
        .set<d::element>(element)
        .set<d::length>(length)
        .set<d::source_region>(kList)
        .set<d::header>(PacketHeader().set<h::target>(kResult));
  }
  // One or two adjacent vectors.
  static Descriptor direct(Reduction operation, Element element, std::uint64_t length,
                           unsigned operands = 2) {
    Descriptor descriptor = calc(operation, element, length, operands);
    descriptor.set<d::immediate_valid>(1);
    set_immediate(descriptor, CalcOperation()
                                  .set<c::left_region>(kFirst)
                                  .set<c::left_offset>(64)
                                  .set<c::right_region>(kSecond)
                                  .set<c::right_offset>(8));
    return descriptor;
  }
  static Operand adjacent(unsigned region, std::uint64_t offset, std::uint64_t element_bytes) {
    return Operand().set<o::region>(region).set<o::offset>(offset).set<o::stride>(element_bytes);
  }
  void write_list(const std::vector<Operand>& list, std::uint64_t offset = 0,
                  const std::vector<ReductionStep>& steps = {},
                  const std::vector<PacketHeader>& targets = {}) {
    Bytes bytes;
    const auto append = [&](const auto& entry) {
      const auto image = entry.bytes();
      bytes.insert(bytes.end(), image.begin(), image.end());
    };
    for (const Operand& operand : list) append(operand);
    for (const ReductionStep& step : steps) append(step);
    for (const PacketHeader& target : targets) append(target);
    bench_.write(0x101 + offset, bytes);
  }
  // One or more, of at most so many bits.
  std::uint64_t any_of_bits(unsigned bits) {
    return random_.chance(20) ? 1ULL << bits : 1 + random_.below(1ULL << bits);
  }
  std::int64_t any_stride(unsigned bits) {
    const auto stride = static_cast<std::int64_t>(any_of_bits(bits) >> random_.below(bits + 1));
    return random_.chance(50) ? stride : -stride;
  }
  Status status(const Descriptor& descriptor) { return bench_.run(descriptor).status; }

  // A random place for a vector of this shape, inside a region of so many bytes or, rarely, just
  // beside it.
  std::uint64_t any_offset(const Shape2d& shape, std::uint64_t element_bytes,
                           std::int64_t region_bytes) {
    const auto columns = static_cast<std::int64_t>(shape.columns - 1) * shape.stride;
    const auto rows = static_cast<std::int64_t>(shape.rows - 1) * shape.row_stride;
    const std::int64_t lowest =
        std::min<std::int64_t>(columns, 0) + std::min<std::int64_t>(rows, 0);
    const std::int64_t highest = std::max<std::int64_t>(columns, 0) +
                                 std::max<std::int64_t>(rows, 0) +
                                 static_cast<std::int64_t>(element_bytes);
    const std::int64_t room = region_bytes - highest + lowest;
    std::int64_t offset = -lowest;
    if (room > 0 && random_.chance(80)) {
      offset += static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(room) + 1));
    } else if (random_.chance(50)) {
      offset += room;
    }
    if (random_.chance(2)) offset += random_.chance(50) ? 1 : -1;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(offset, 0));
  }
  Operand place(const Shape2d& shape, std::uint64_t element_bytes) {
    const unsigned region = random_.chance(50) ? kFirst : kSecond;
    const std::uint64_t offset = any_offset(shape, element_bytes, 0x8000);
    return Operand()
        .set<o::region>(region)
        .set<o::offset>(offset)
        .set<o::stride>(stride_bits(shape.stride))
        .set<o::row_stride>(stride_bits(shape.row_stride));
  }
  std::int64_t random_stride(std::uint64_t element_bytes, std::int64_t most) {
    switch (random_.below(6)) {
      case 0:
        return 0;
      case 1:
        return -static_cast<std::int64_t>(element_bytes);
      case 2:
        return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(2 * most + 1))) -
               most;
      default:
        return static_cast<std::int64_t>(element_bytes);
    }
  }
  Shape2d random_shape(std::uint64_t columns, std::uint64_t rows, std::uint64_t size,
                       std::int64_t most) {
    Shape2d shape{columns, std::max<std::uint64_t>(rows, 1), 0, 0};
    shape.stride = random_stride(size, most / static_cast<std::int64_t>(columns));
    shape.row_stride =
        random_.chance(30)
            ? shape.stride * static_cast<std::int64_t>(columns)
            : random_stride(size, rows == 0 ? 1 : most / static_cast<std::int64_t>(rows));
    return shape;
  }
  std::vector<PacketHeader> random_targets(std::uint64_t most) {
    std::vector<PacketHeader> targets;
    for (std::uint64_t n = random_.below(most + 1); n > 0; --n) {
      targets.push_back(PacketHeader::from_bytes(random_bytes(random_, PacketHeader::kBytes)));
      if (random_.chance(20))
        targets.back().set<h::offset>(kLargestRegion - 1 - random_.below(1200));
    }
    return targets;
  }
  // Any descriptor that is likely to pass. MAXLOC and its like have pairs or elements with an
  // index.
  Descriptor random_calc(Reduction operation, Element element) {
    const std::uint64_t size = bytes_of(operation, element);
    const bool attaches = model::has_pairs(operation) && random_.chance(kReduces ? 50 : 5);
    const std::uint64_t operand_size = attaches ? size / 2 : size;
    const bool one = !kReduces && random_.chance(90);
    const auto operands = static_cast<unsigned>(1 + random_.below(one                  ? 1
                                                                  : random_.chance(30) ? 16
                                                                                       : 4));
    const std::uint64_t most = (operands > 4 ? 768 : 2048) / size;
    const std::uint64_t rows = random_.chance(40) ? 1 + random_.below(12) : 0;
    std::uint64_t columns = rows == 0 ? 1 + random_.below(most)
                                      : 1 + random_.below(std::max<std::uint64_t>(most / rows, 1));
    if (operation == Reduction::kMinmaxloc) columns += columns % 2;
    const std::uint64_t length = columns * std::max<std::uint64_t>(rows, 1) * size;
    Descriptor descriptor = calc(operation, element, length, operands);
    std::uint64_t result_offset = random_.below(0x4000 - length + 1);
    const auto goes_to = [&](std::uint64_t offset) {
      result_offset = offset;
      descriptor.set<d::header>(PacketHeader().set<h::target>(kResult).set<h::offset>(offset));
    };
    goes_to(result_offset);
    std::vector<PacketHeader> targets;
    if (random_.chance(30)) targets = random_targets(8);
    if (operands <= 2 && rows == 0 && random_.chance(50)) {
      descriptor.set<d::immediate_valid>(1);
      set_immediate(descriptor,
                    CalcOperation()
                        .set<c::left_region>(kFirst)
                        .set<c::left_offset>(random_.below(0x8000 - length + 1))
                        .set<c::attach_index>(attaches)
                        .set<c::right_region>(random_.chance(20) && !attaches ? kResult : kSecond)
                        .set<c::right_offset>(result_offset));
      descriptor.set<d::targets>(targets.size());
      write_list({}, 0, {}, targets);
      return descriptor;
    }
    CalcShape immediate =
        CalcShape().set<s::attach_index>(attaches).set<s::row_elements>(rows == 0 ? 0 : columns);
    std::vector<ReductionStep> steps;
    if (random_.chance(kReduces ? 40 : 5))
      steps = any_steps(random_, model::unit_bytes(operation, element));
    immediate.set<s::steps>(steps.size());
    const bool apart = targets.empty() && random_.chance(40);
    if (apart) {
      Shape2d shape = random_shape(columns, rows, size, 0x1800);
      immediate.set<s::result_stride>(stride_bits(shape.stride))
          .set<s::result_row_stride>(stride_bits(shape.row_stride));
      if (shape.stride == 0) shape.stride = static_cast<std::int64_t>(size);
      goes_to(any_offset(shape, size, 0x4000));
    }
    set_immediate(descriptor, immediate);
    std::vector<Operand> list;
    // The result may lie exactly on an operand.
    const bool may_lie = !apart && !attaches;
    const auto in_place = may_lie && random_.chance(20) ? random_.below(operands) : operands;
    for (unsigned n = 0; n < operands; ++n) {
      if (n == in_place) {
        list.push_back(adjacent(kResult, result_offset, operand_size)
                           .set<o::row_stride>(rows == 0 ? 0 : columns * operand_size));
      } else {
        list.push_back(place(random_shape(columns, rows, operand_size, 0x3000), operand_size));
      }
    }
    const std::uint64_t list_offset =
        random_.below(0x1000 - (operands + steps.size() + targets.size()) * 16 + 1);
    descriptor.set<d::source_offset>(list_offset);
    write_list(list, list_offset, steps, targets);
    descriptor.set<d::targets>(targets.size());
    return descriptor;
  }

  Random random_;
  CalcBenchOf<Engine> bench_{random_, random_.below(Address{7} << 25) << 12, kCalcMemory,
                             with_lanes(kLanes)};
};
using CalcEngine = CalcEngineOf<Vmu_calc_engine, kBgp.calc_lanes>;

}  // namespace torusmu::testing::calc_engine

#endif  // TESTS_CALC_CALC_ENGINE_FIXTURE_H_
