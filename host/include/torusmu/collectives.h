// SPDX-License-Identifier: Apache-2.0
// Collectives of a group of tasks, in software: messages of the library's own.
//
// Order of reductions. `op(a, b)` always has the operand of the lower member first, so the same
// operands give the same bits in every run and, for allreduce, at every member:
//   reduce     binomial tree. Members count from the root, around: v = (member - root) mod n. In
//              round k = 1, 2, 4, ... v takes x(v) = op(x(v), x(v + k)) from v + k, for v a
//              multiple of 2 k.
//   allreduce  recursive doubling. Let p be the largest power of two not above n, and e = n - p.
//              First members 2 i and 2 i + 1 for i < e fold into y(i) = op(x(2 i), x(2 i + 1)); the
//              others follow as y(i) = x(i + e). Then in round k = 1, 2, 4, ... below p, all i at
//              once: y(i) = op(y(i without bit k), y(i with bit k)).
#ifndef TORUSMU_COLLECTIVES_H_
#define TORUSMU_COLLECTIVES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "torusmu/context.h"

namespace torusmu {

enum class ReduceOp { kSum, kProd, kMin, kMax };
enum class DataType { kF64, kF32, kI64, kI32, kU8 };

// Bytes of one element.
Bytes size_of(DataType type);

// a[i] = op(a[i], b[i]). Elements in memory order; integers wrap around; min and max take the
// second operand only if it is less or greater. a.size() == b.size(), a multiple of the element.
void combine(ReduceOp op, DataType type, std::span<std::byte> a, std::span<const std::byte> b);

// What reduce and allreduce give for these operands, one for each member, in the order above.
std::vector<std::byte> reduce_in_order(ReduceOp op, DataType type, std::uint32_t root,
                                       std::vector<std::vector<std::byte>> operands);
std::vector<std::byte> allreduce_in_order(ReduceOp op, DataType type,
                                          std::vector<std::vector<std::byte>> operands);

// A group. Every member makes it with the same list and number and calls the same collectives in
// the same order. Buffers are node memory in the heap or a registered region. Every call ends by
// `deadline` (absolute) with kDeadline at the latest; the group is then of no more use.
class Group {
 public:
  // `context` outlives the group and its task is one of `members`. Groups of one context have
  // different numbers, 0 to 32767.
  Group(Context& context, std::vector<Task> members, std::uint32_t number);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
  // Place of this task in the list of members.
  [[nodiscard]] std::uint32_t rank() const { return rank_; }

  // Returns after every member has called it (dissemination).
  std::error_code barrier(Cycles deadline);
  // Copies the root's bytes to everybody (binomial tree).
  std::error_code broadcast(std::uint32_t root, Address data, Bytes bytes, Cycles deadline);
  // `count` elements at `in` of each member, combined, at the root's `out`. in and out may be
  // equal.
  std::error_code reduce(std::uint32_t root, ReduceOp op, DataType type, std::uint64_t count,
                         Address in, Address out, Cycles deadline);
  // The same at every member's `out`.
  std::error_code allreduce(ReduceOp op, DataType type, std::uint64_t count, Address in,
                            Address out, Cycles deadline);

 private:
  struct Scratch;

  std::error_code send(std::uint32_t member, Address data, Bytes bytes, Cycles deadline);
  std::error_code receive(std::uint32_t member, Address buffer, Bytes bytes, Cycles deadline);
  std::error_code exchange(std::uint32_t to, Address data, std::uint32_t from, Address buffer,
                           Bytes bytes, Cycles deadline);
  void copy(Address to, Address from, Bytes bytes);
  // memory[into] = op(memory[into], memory[other]), or the operands the other way round.
  void combine_at(ReduceOp op, DataType type, Address into, Address other, Bytes bytes,
                  bool other_first);
  [[nodiscard]] std::uint32_t tag() const;

  Context& context_;
  std::vector<Task> members_;
  std::uint32_t number_;
  std::uint32_t rank_ = 0;
  std::uint32_t calls_ = 0;
};

}  // namespace torusmu

#endif  // TORUSMU_COLLECTIVES_H_
