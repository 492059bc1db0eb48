// SPDX-License-Identifier: Apache-2.0
// Algorithms in which every block goes straight from its first member to its last. Members begin
// with different partners, so that not all send to one.
#include "host/src/schedule_builder.h"

namespace torusmu::algorithms {

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

}  // namespace torusmu::algorithms
