// SPDX-License-Identifier: Apache-2.0
// Arithmetic of reductions. Its rules are those of the MU's reduction ALU (docs/calc.md), so that
// software and hardware give the same bits: floats round to the nearest, a NaN wins every minimum
// and maximum, every NaN that comes out is the same quiet one, -0 is below +0, integers wrap
// around.
#ifndef TORUSMU_REDUCTION_H_
#define TORUSMU_REDUCTION_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "torusmu/types.h"

namespace torusmu {

enum class ReduceOp {
  kSum,
  kProd,
  kMin,
  kMax,
  kLand,  // logical: an element that is not zero is true; the result is 1 or 0
  kBand,
  kLor,
  kBor,
  kLxor,
  kBxor,
  kMaxloc,  // elements are pairs: a value, and behind it an unsigned index as wide; the lower index
  kMinloc,  // wins a tie
  kMinmaxloc,  // elements are two such pairs: the first as kMinloc, the second as kMaxloc
};
// The last two are IEEE 754 binary16 and bfloat16, the upper half of a binary32.
enum class DataType { kF64, kF32, kI64, kI32, kU8, kU64, kU32, kI8, kI16, kU16, kF16, kBf16 };

// Bytes of one value.
Bytes size_of(DataType type);
// Bytes of one element: of a pair for kMaxloc and kMinloc, of two for kMinmaxloc.
Bytes size_of(ReduceOp op, DataType type);
// False for logical and bit-wise operations on floats.
bool is_defined(ReduceOp op, DataType type);

// a[i] = op(a[i], b[i]). Elements in memory order. a.size() == b.size(), a multiple of the element;
// throws std::invalid_argument if not, or if the operation is not defined for the type.
void combine(ReduceOp op, DataType type, std::span<std::byte> a, std::span<const std::byte> b);

// A reduction that a program brings along.
struct UserReduction {
  // a[i] = f(a[i], b[i]) for all elements of both, which are as many. It must be associative and
  // must not call the library.
  std::function<void(std::span<std::byte> a, std::span<const std::byte> b)> function;
  Bytes element = 1;  // bytes of one element; vectors are never cut inside of one
  // f(a, b) has the bits of f(b, a). If not, operands are combined by rising member, from 0.
  bool commutative = true;
};

// One step of a LoadedReduction: v[i] = op(v[i], constant), or op(v[i], v[i]) without a constant.
struct ReduceStep {
  ReduceOp op = ReduceOp::kSum;
  DataType type = DataType::kF64;
  // The second operand of every 8 bytes, the first element of them in its lowest bits. The same for
  // each element of the reduction, for a vector may be cut behind any.
  std::optional<std::uint64_t> constant;
  friend auto operator<=>(const ReduceStep&, const ReduceStep&) = default;
};

// A reduction of the program that cores and MU both run: f(a, b) is op(a, b), changed by up to 8
// steps, one after the other (docs/calc.md, "Loaded reductions"). f must be associative. A step is
// of elements that are no larger than those of `op`.
struct LoadedReduction {
  ReduceOp op = ReduceOp::kSum;
  DataType type = DataType::kF64;
  std::vector<ReduceStep> steps;
};

// What combines two vectors: an operation of the library, or the program's own.
class Operator {
 public:
  Operator(ReduceOp op, DataType type) : op_(op), type_(type) {}            // NOLINT
  Operator(UserReduction user) : is_user_(true), user_(std::move(user)) {}  // NOLINT

  Operator(LoadedReduction loaded)  // NOLINT
      : op_(loaded.op), type_(loaded.type), steps_(std::move(loaded.steps)) {}

  // False if it, or a step, is not defined for the type, if there are more than 8 steps or one is
  // of larger elements, or if the user's function or element is missing.
  [[nodiscard]] bool is_defined() const;
  [[nodiscard]] Bytes element() const;
  [[nodiscard]] bool commutative() const { return !is_user_ || user_.commutative; }
  // Only is_user() tells whether op() and type() mean something.
  [[nodiscard]] bool is_user() const { return is_user_; }
  [[nodiscard]] ReduceOp op() const { return op_; }
  [[nodiscard]] DataType type() const { return type_; }
  [[nodiscard]] const std::vector<ReduceStep>& steps() const { return steps_; }
  // a[i] = op(a[i], b[i]).
  void combine(std::span<std::byte> a, std::span<const std::byte> b) const;

 private:
  bool is_user_ = false;
  ReduceOp op_ = ReduceOp::kSum;
  DataType type_ = DataType::kU8;
  std::vector<ReduceStep> steps_;
  UserReduction user_;
};

// What Group's reduce, allreduce and reduce_scatter give for these operands, one for each member
// and all of one length, in the order that collectives.h documents for that length and so many
// members; worked out without any message. Of reduce_scatter the pieces of all members, joined.
std::vector<std::byte> reduce_in_order(const Operator& op, std::uint32_t root,
                                       std::vector<std::vector<std::byte>> operands);
std::vector<std::byte> allreduce_in_order(const Operator& op,
                                          const std::vector<std::vector<std::byte>>& operands);
std::vector<std::byte> reduce_scatter_in_order(const Operator& op,
                                               const std::vector<std::vector<std::byte>>& operands);

inline std::vector<std::byte> reduce_in_order(ReduceOp op, DataType type, std::uint32_t root,
                                              std::vector<std::vector<std::byte>> operands) {
  return reduce_in_order(Operator(op, type), root, std::move(operands));
}
inline std::vector<std::byte> allreduce_in_order(
    ReduceOp op, DataType type, const std::vector<std::vector<std::byte>>& operands) {
  return allreduce_in_order(Operator(op, type), operands);
}

}  // namespace torusmu

#endif  // TORUSMU_REDUCTION_H_
