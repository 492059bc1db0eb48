// SPDX-License-Identifier: Apache-2.0
#include "host/src/reduction_order.h"

#include <algorithm>
#include <bit>
#include <span>

#include "host/src/schedule.h"

namespace torusmu {
namespace {

Algorithm algorithm_for(Collective what, const Operator& op, const Operands& operands) {
  const std::size_t pieces = what == Collective::kReduceScatter ? operands.size() : 1;
  const Call call{.what = what,
                  .count = operands[0].size() / op.element() / pieces,
                  .element = op.element(),
                  .commutative = op.commutative()};
  return choose(call, static_cast<std::uint32_t>(operands.size()));
}

}  // namespace

std::vector<std::byte> tree_order(const Operator& op, std::uint32_t root, Operands operands) {
  const std::size_t n = operands.size();
  const std::size_t first = op.commutative() ? root : 0;
  const auto member = [&](std::size_t v) -> std::vector<std::byte>& {
    return operands[(v + first) % n];
  };
  for (std::size_t k = 1; k < n; k *= 2) {
    for (std::size_t v = 0; v + k < n; v += 2 * k) op.combine(member(v), member(v + k));
  }
  return member(0);
}

std::vector<std::byte> doubling_order(const Operator& op, const Operands& operands) {
  const std::size_t p = std::bit_floor(operands.size());
  const std::size_t e = operands.size() - p;
  Operands y(p);
  for (std::size_t i = 0; i < p; ++i) {
    if (i < e) {
      y[i] = operands[2 * i];
      op.combine(y[i], operands[2 * i + 1]);
    } else {
      y[i] = operands[i + e];
    }
  }
  for (std::size_t k = 1; k < p; k *= 2) {
    const Operands before = y;
    for (std::size_t i = 0; i < p; ++i) {
      y[i] = before[i & ~k];
      op.combine(y[i], before[i | k]);
    }
  }
  return y[0];
}

std::vector<std::byte> ring_order(const Operator& op, const Operands& operands) {
  const std::size_t n = operands.size();
  const std::size_t count = operands[0].size() / op.element();
  std::vector<std::byte> result;
  std::size_t at = 0;
  for (std::size_t block = 0; block < n; ++block) {
    const std::size_t bytes = (count / n + (block < count % n ? 1 : 0)) * op.element();
    const auto part_of = [&](std::size_t member) {
      return std::span(operands[member % n]).subspan(at, bytes);
    };
    const auto first = part_of(block + 1);
    std::vector<std::byte> sum(first.begin(), first.end());
    for (std::size_t i = 2; i <= n; ++i) op.combine(sum, part_of(block + i));
    result.insert(result.end(), sum.begin(), sum.end());
    at += bytes;
  }
  return result;
}

std::vector<std::byte> ring_parts_order(const Operator& op, const Operands& operands) {
  const std::size_t bytes = operands[0].size();
  const std::size_t parts = allreduce_parts(bytes, static_cast<std::uint32_t>(operands.size()));
  const std::size_t elements = bytes / op.element();
  std::vector<std::byte> result;
  for (std::size_t part = 0; part < parts; ++part) {
    // The first half has the odd element.
    const std::size_t first = part == 0 ? 0 : (elements + parts - 1) / parts * op.element();
    const std::size_t last =
        part + 1 < parts ? (elements + parts - 1) / parts * op.element() : bytes;
    Operands cut;
    for (const auto& operand : operands) {
      cut.emplace_back(operand.begin() + static_cast<std::ptrdiff_t>(first),
                       operand.begin() + static_cast<std::ptrdiff_t>(last));
    }
    const auto sum = ring_order(op, cut);
    result.insert(result.end(), sum.begin(), sum.end());
  }
  return result;
}

std::vector<std::byte> rising_order(const Operator& op, const Operands& operands) {
  std::vector<std::byte> sum = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) op.combine(sum, operands[i]);
  return sum;
}

std::vector<std::byte> reduce_in_order(const Operator& op, std::uint32_t root,
                                       std::vector<std::vector<std::byte>> operands) {
  if (algorithm_for(Collective::kReduce, op, operands) == Algorithm::kRing) {
    return ring_order(op, operands);
  }
  return tree_order(op, root, std::move(operands));
}

std::vector<std::byte> allreduce_in_order(const Operator& op,
                                          const std::vector<std::vector<std::byte>>& operands) {
  const bool ring = algorithm_for(Collective::kAllreduce, op, operands) == Algorithm::kRing;
  return ring ? ring_parts_order(op, operands) : doubling_order(op, operands);
}

std::vector<std::byte> reduce_scatter_in_order(
    const Operator& op, const std::vector<std::vector<std::byte>>& operands) {
  const bool ring = algorithm_for(Collective::kReduceScatter, op, operands) == Algorithm::kRing;
  return ring ? ring_order(op, operands) : rising_order(op, operands);
}

}  // namespace torusmu
