// SPDX-License-Identifier: Apache-2.0
// Algorithms in which blocks travel from each member to the next, so that every member sends and
// receives all the time and each byte crosses a link between neighbours only.
#include <algorithm>

#include "host/src/schedule_builder.h"

namespace torusmu::algorithms {
namespace {

// Block b starts as the operand of member b + 1 and travels up; each member that it reaches
// combines its own operand behind it, and at member b it is complete. That result goes to `result`,
// or to scratch if `result` has no bytes; returns where it is.
Part reduce_blocks(ScheduleBuilder& builder, const Blocks& blocks, Part result) {
  const std::uint32_t members = builder.members();
  const std::uint32_t rank = builder.rank();
  const auto own = [&](std::uint32_t block) {
    return builder.in(blocks.offset(block), blocks.bytes(block));
  };
  if (members == 1) {
    builder.copy(result, own(0));
    return result;
  }
  Part travelling = own(builder.down(1));
  for (std::uint32_t step = 1; step < members; ++step) {
    builder.send(builder.up(1), travelling);
    const std::uint32_t block = builder.down(step + 1);
    travelling = builder.scratch(blocks.bytes(block));
    builder.receive(builder.down(1), travelling, step);
    const bool complete = block == rank;
    const Part to = complete && result.bytes != 0 ? result : travelling;
    builder.combine(to, travelling, own(block));
    travelling = to;
  }
  return travelling;
}

// Every member has its block of the output, or `own` holds it; each hands on what it gets.
template <typename PartOf>
void spread_blocks(ScheduleBuilder& builder, Part own, PartOf part_of) {
  Part travelling = own;
  for (std::uint32_t step = 1; step < builder.members(); ++step) {
    builder.send(builder.up(1), travelling);
    travelling = part_of(builder.down(step));
    builder.receive(builder.down(1), travelling);
  }
}

}  // namespace

void chain_broadcast(ScheduleBuilder& builder) {
  const std::uint32_t place = builder.down(builder.call().root);  // from the root on
  for (Bytes at = 0; at < builder.bytes(); at += kChainSegment) {
    const Part segment = builder.out(at, std::min(kChainSegment, builder.bytes() - at));
    if (place != 0) builder.receive(builder.down(1), segment);
    if (place + 1 < builder.members()) builder.send(builder.up(1), segment);
  }
}

void ring_reduce(ScheduleBuilder& builder) {
  const std::uint32_t root = builder.call().root;
  const Blocks blocks(builder.call().count, builder.call().element, builder.members());
  const auto part_of = [&](std::uint32_t block) {
    return builder.out(blocks.offset(block), blocks.bytes(block));
  };
  if (builder.rank() != root) {
    builder.send(root, reduce_blocks(builder, blocks, {}));
    return;
  }
  reduce_blocks(builder, blocks, part_of(root));
  for (std::uint32_t step = 1; step < builder.members(); ++step) {
    builder.receive(builder.up(step), part_of(builder.up(step)));
  }
}

// The same, but each block goes to the root from member to member, behind the operands: then all
// that a member hears comes from the one below, one after the other.
void chain_reduce(ScheduleBuilder& builder) {
  const std::uint32_t members = builder.members();
  const std::uint32_t root = builder.call().root;
  const bool is_root = builder.rank() == root;
  const Blocks blocks(builder.call().count, builder.call().element, members);
  const auto part_of = [&](std::uint32_t block) {
    return builder.out(blocks.offset(block), blocks.bytes(block));
  };
  builder.take_in_turn();
  const Part own = reduce_blocks(builder, blocks, is_root ? part_of(root) : Part{});
  if (!is_root) builder.send(builder.up(1), own);
  const std::uint32_t below = builder.up(members - 1 - root);  // members whose blocks come by
  for (std::uint32_t step = 1; step <= below; ++step) {
    const std::uint32_t block = builder.down(step);
    const Part passing = is_root ? part_of(block) : builder.scratch(blocks.bytes(block));
    builder.receive(builder.down(1), passing, members + step);
    if (!is_root) builder.send(builder.up(1), passing);
  }
}

void ring_allreduce(ScheduleBuilder& builder) {
  for (const Blocks& blocks : blocks_of_parts(builder)) {
    const auto part_of = [&](std::uint32_t block) {
      return builder.out(blocks.offset(block), blocks.bytes(block));
    };
    const Part own = reduce_blocks(builder, blocks, part_of(builder.rank()));
    spread_blocks(builder, own, part_of);
  }
}

void ring_allgather(ScheduleBuilder& builder) {
  const Bytes piece = builder.bytes();
  const auto part_of = [&](std::uint32_t member) { return builder.out(member * piece, piece); };
  builder.copy(part_of(builder.rank()), builder.in(0, piece));
  spread_blocks(builder, builder.in(0, piece), part_of);
}

void ring_reduce_scatter(ScheduleBuilder& builder) {
  const Blocks blocks(builder.call().count * builder.members(), builder.call().element,
                      builder.members());
  reduce_blocks(builder, blocks, builder.out(0, builder.bytes()));
}

}  // namespace torusmu::algorithms
