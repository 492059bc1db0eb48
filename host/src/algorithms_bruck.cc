// SPDX-License-Identifier: Apache-2.0
// Bruck's algorithms: log2(members) messages a member, of many blocks each, for any group size.
#include <algorithm>
#include <vector>

#include "host/src/schedule_builder.h"

namespace torusmu::algorithms {
namespace {

// Copies piece i from from[i] to to[i]; neighbours on both sides go together.
void copy_pieces(ScheduleBuilder& builder, const std::vector<Part>& to,
                 const std::vector<Part>& from) {
  const auto follows = [](const Part& a, const Part& b) {
    return a.buffer == b.buffer && a.offset + a.bytes == b.offset;
  };
  std::size_t next = 0;
  while (next < to.size()) {
    Part target = to[next];
    Part source = from[next];
    for (++next; next < to.size(); ++next) {
      if (!follows(target, to[next]) || !follows(source, from[next])) break;
      target.bytes += to[next].bytes;
      source.bytes += from[next].bytes;
    }
    builder.copy(target, source);
  }
}

}  // namespace

// After round k a member has the pieces of 2^(k+1) members, its own and those above, in this order.
void bruck_allgather(ScheduleBuilder& builder) {
  const std::uint32_t members = builder.members();
  const Bytes piece = builder.bytes();
  if (members == 1) {
    builder.copy(builder.out(0, piece), builder.in(0, piece));
    return;
  }
  const Part held = builder.scratch(members * piece);
  builder.copy(held.slice(0, piece), builder.in(0, piece));
  for (std::uint32_t k = 1; k < members; k *= 2) {
    const Bytes bytes = std::min(k, members - k) * piece;
    builder.receive(builder.up(k), held.slice(k * piece, bytes));
    builder.send(builder.down(k), held.slice(0, bytes));
  }
  const Bytes to_the_end = (members - builder.rank()) * piece;
  const Bytes rest = builder.rank() * piece;
  builder.copy(builder.out(rest, to_the_end), held.slice(0, to_the_end));
  builder.copy(builder.out(0, rest), held.slice(to_the_end, rest));
}

// Block j is on its way to the member j further: round k moves those whose j has bit k.
void bruck_alltoall(ScheduleBuilder& builder) {
  const std::uint32_t members = builder.members();
  const Bytes piece = builder.bytes();
  std::vector<Part> blocks;
  for (std::uint32_t j = 0; j < members; ++j) {
    blocks.push_back(builder.in(builder.up(j) * piece, piece));
  }
  for (std::uint32_t k = 1; k < members; k *= 2) {
    std::vector<std::uint32_t> moved;
    for (std::uint32_t j = k; j < members; ++j) {
      if ((j & k) != 0) moved.push_back(j);
    }
    const Part leaving = builder.scratch(moved.size() * piece);
    const Part coming = builder.scratch(moved.size() * piece);
    std::vector<Part> from;
    std::vector<Part> to;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      from.push_back(blocks[moved[i]]);
      to.push_back(leaving.slice(i * piece, piece));
      blocks[moved[i]] = coming.slice(i * piece, piece);
    }
    builder.receive(builder.down(k), coming);
    copy_pieces(builder, to, from);
    builder.send(builder.up(k), leaving);
  }
  // Block j has come from the member j before; by rising place in the output.
  std::vector<Part> from;
  std::vector<Part> to;
  for (std::uint32_t member = 0; member < members; ++member) {
    from.push_back(blocks[builder.down(member)]);
    to.push_back(builder.out(member * piece, piece));
  }
  copy_pieces(builder, to, from);
}

}  // namespace torusmu::algorithms
