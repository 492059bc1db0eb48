// SPDX-License-Identifier: Apache-2.0
// Algorithms in which every block goes straight from its first member to its last. Members begin
// with different partners, so that not all send to one.
#include <array>
#include <span>
#include <vector>

#include "host/src/schedule_builder.h"

namespace torusmu::algorithms {
namespace {

// How many of 64 messages are still to come when a batch is complete. A sum of 16 operands begins
// as soon as these are there, but each further CALC costs time too; and what is done with the last
// batch of all is waited for. Measured with 64 members.
using Batches = std::span<const std::uint32_t>;
constexpr std::uint32_t kAllMessages = 64;
constexpr std::array<std::uint32_t, 3> kFirstOperands{47, 17, 0};
constexpr std::array<std::uint32_t, 2> kLaterOperands{32, 0};
constexpr std::array<std::uint32_t, 1> kEarlierResults{0};
constexpr std::array<std::uint32_t, 2> kLastResults{20, 0};

// Of message `step` of 1 .. members - 1.
std::uint32_t batch_of(Batches batches, std::uint32_t step, std::uint32_t members) {
  std::uint32_t batch = 0;
  while ((members - step - 1) * kAllMessages < batches[batch] * members) ++batch;
  return batch;
}

void sum_own_block(ScheduleBuilder& builder, const Blocks& blocks, Batches batches,
                   std::uint32_t first_batch) {
  const std::uint32_t members = builder.members();
  const std::uint32_t rank = builder.rank();
  const auto in = [&](std::uint32_t block) {
    return builder.in(blocks.offset(block), blocks.bytes(block));
  };
  const Part result = builder.out(blocks.offset(rank), blocks.bytes(rank));
  if (members == 1) {
    builder.copy(result, in(0));
    return;
  }
  std::vector<Part> operands;
  for (std::uint32_t step = 1; step < members; ++step) {
    builder.send(builder.down(step), in(builder.down(step)));
    operands.push_back(builder.scratch(blocks.bytes(rank)));
    builder.receive(builder.up(step), operands.back(),
                    first_batch + batch_of(batches, step, members));
  }
  // The last operand may lie where the result goes.
  for (std::uint32_t i = 1; i + 1 < members; ++i) {
    builder.combine(operands[0], operands[0], operands[i]);
  }
  builder.combine(result, operands[0], in(rank));
}

void spread_own_block(ScheduleBuilder& builder, const Blocks& blocks, Batches batches,
                      std::uint32_t first_batch) {
  const auto out = [&](std::uint32_t block) {
    return builder.out(blocks.offset(block), blocks.bytes(block));
  };
  for (std::uint32_t step = 1; step < builder.members(); ++step) {
    builder.send(builder.down(step), out(builder.rank()));
    builder.receive(builder.up(step), out(builder.up(step)),
                    first_batch + batch_of(batches, step, builder.members()));
  }
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
// With two parts, what is sent first of the second is sent while the first is summed.
void direct_allreduce(ScheduleBuilder& builder) {
  const std::vector<Blocks> parts = blocks_of_parts(builder);
  builder.run_sums_beside();
  std::uint32_t batch = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Batches batches = i == 0 ? Batches(kFirstOperands) : Batches(kLaterOperands);
    sum_own_block(builder, parts[i], batches, batch);
    batch += static_cast<std::uint32_t>(batches.size());
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    const Batches batches = last ? Batches(kLastResults) : Batches(kEarlierResults);
    spread_own_block(builder, parts[i], batches, batch);
    batch += static_cast<std::uint32_t>(batches.size());
  }
  builder.use_batches(batch);
}

}  // namespace torusmu::algorithms
