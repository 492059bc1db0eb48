// SPDX-License-Identifier: Apache-2.0
// Algorithms in which every block goes straight from its first member to its last. Members begin
// with different partners, so that not all send to one.
#include <array>
#include <vector>

#include "host/src/schedule_builder.h"

namespace torusmu::algorithms {
namespace {

// What is left of a vector's messages when a batch is full, in 1/64 of all.
constexpr std::array<std::uint32_t, 5> kOperandBatches{43, 25, 12, 5, 0};
constexpr std::array<std::uint32_t, 3> kResultBatches{26, 7, 0};

// Of message `step` of 1 .. members - 1.
template <std::size_t N>
std::uint32_t batch_of(const std::array<std::uint32_t, N>& left, std::uint32_t step,
                       std::uint32_t members) {
  constexpr std::uint32_t kAll = 64;
  std::uint32_t batch = 0;
  while ((members - step - 1) * kAll < left.at(batch) * members) ++batch;
  return batch;
}

}  // namespace

void direct_scatter(ScheduleBuilder& builder) {
  const std::uint32_t root = builder.call().root;
  const Bytes piece = builder.bytes();
  if (builder.rank() != root) {
    builder.receive(root, builder.out(0, piece));
    return;
  }
  for (std::uint32_t step = 1; step < builder.members(); ++step) {
    builder.send(builder.up(step), builder.in(builder.up(step) * piece, piece));
  }
  builder.copy(builder.out(0, piece), builder.in(root * piece, piece));
}

void direct_gather(ScheduleBuilder& builder) {
  const std::uint32_t root = builder.call().root;
  const Bytes piece = builder.bytes();
  if (builder.rank() != root) {
    builder.send(root, builder.in(0, piece));
    return;
  }
  for (std::uint32_t step = 1; step < builder.members(); ++step) {
    builder.receive(builder.up(step), builder.out(builder.up(step) * piece, piece));
  }
  builder.copy(builder.out(root * piece, piece), builder.in(0, piece));
}

// In place, what comes waits in scratch until what lies in its place has gone.
void direct_alltoall(ScheduleBuilder& builder) {
  const std::uint32_t rank = builder.rank();
  const Bytes piece = builder.bytes();
  const bool in_place = builder.call().in_place;
  for (std::uint32_t step = 1; step < builder.members(); ++step) {
    builder.send(builder.up(step), builder.in(builder.up(step) * piece, piece));
  }
  for (std::uint32_t step = 1; step < builder.members(); ++step) {
    const std::uint32_t source = builder.down(step);
    const Part place = builder.out(source * piece, piece);
    const Part coming = in_place ? builder.scratch(piece) : place;
    builder.receive(source, coming);
    builder.copy(place, coming);
  }
  builder.copy(builder.out(rank * piece, piece), builder.in(rank * piece, piece));
}

// All operands of a member's piece come to it, which combines them by rising member.
void direct_reduce_scatter(ScheduleBuilder& builder) {
  const std::uint32_t members = builder.members();
  const std::uint32_t rank = builder.rank();
  const Bytes piece = builder.bytes();
  const Part result = builder.out(0, piece);
  if (members == 1) {
    builder.copy(result, builder.in(0, piece));
    return;
  }
  const Part others = builder.scratch((members - 1) * piece);
  const auto operand = [&](std::uint32_t member) {
    if (member == rank) return builder.in(rank * piece, piece);
    return others.slice((member - (member > rank ? 1 : 0)) * piece, piece);
  };
  for (std::uint32_t step = 1; step < members; ++step) {
    builder.receive(builder.down(step), operand(builder.down(step)));
    builder.send(builder.up(step), builder.in(builder.up(step) * piece, piece));
  }
  Part sum = operand(0);
  for (std::uint32_t member = 1; member < members; ++member) {
    builder.combine(result, sum, operand(member));
    sum = result;
  }
}

// Block b is combined at member b, in the order of the ring: members send to the one below first,
// then to the next, so that operands come in the order in which they are combined. At each time all
// members send equally far, which loads the links of a torus alike. Results take the same way back.
//
// Batches get smaller toward the end, since what is done with the last one is waited for.
void direct_allreduce(ScheduleBuilder& builder) {
  const std::uint32_t members = builder.members();
  const std::uint32_t rank = builder.rank();
  const Blocks blocks(builder.call().count, builder.call().element, members);
  const auto in = [&](std::uint32_t block) {
    return builder.in(blocks.offset(block), blocks.bytes(block));
  };
  const auto out = [&](std::uint32_t block) {
    return builder.out(blocks.offset(block), blocks.bytes(block));
  };
  builder.run_sums_beside();
  builder.use_batches(kOperandBatches.size() + kResultBatches.size());
  if (members == 1) {
    builder.copy(out(0), in(0));
    return;
  }
  for (std::uint32_t step = 1; step < members; ++step) {
    builder.send(builder.down(step), in(builder.down(step)));
  }
  std::vector<Part> operands;
  for (std::uint32_t step = 1; step < members; ++step) {
    operands.push_back(builder.scratch(blocks.bytes(rank)));
    builder.receive(builder.up(step), operands.back(), batch_of(kOperandBatches, step, members));
  }
  operands.push_back(in(rank));
  Part sum = operands[0];
  for (std::uint32_t i = 1; i < members; ++i) {
    builder.combine(out(rank), sum, operands[i]);
    sum = out(rank);
  }
  for (std::uint32_t step = 1; step < members; ++step) {
    builder.send(builder.down(step), out(rank));
    builder.receive(builder.up(step), out(builder.up(step)),
                    kOperandBatches.size() + batch_of(kResultBatches, step, members));
  }
}

}  // namespace torusmu::algorithms
