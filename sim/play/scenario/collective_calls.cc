// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/collective_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>

#include "sim/machine/mix.h"
#include "sim/play/scenario/raw_node.h"

namespace torusmu {
namespace {

using Bits = std::vector<std::byte>;

constexpr Bytes kLong = Bytes{64} << 10;  // from here on one operation of a length is enough

// What is reduced: each operation with the types that the library takes.
struct Kind {
  ReduceOp op;
  std::array<DataType, 3> types;
};
constexpr std::array kKinds{
    Kind{ReduceOp::kSum, {DataType::kF64, DataType::kU32, DataType::kF32}},
    Kind{ReduceOp::kMaxloc, {DataType::kU32, DataType::kF32, DataType::kF64}},
    Kind{ReduceOp::kBand, {DataType::kU32, DataType::kU32, DataType::kU32}},
    Kind{ReduceOp::kProd, {DataType::kF32, DataType::kF64, DataType::kU32}},
    Kind{ReduceOp::kSum, {DataType::kBf16, DataType::kU8, DataType::kF16}}};

const char* text_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
      return "SUM";
    case ReduceOp::kMaxloc:
      return "MAXLOC";
    case ReduceOp::kBand:
      return "BAND";
    default:
      return "PROD";
  }
}

const char* text_of(DataType type) {
  switch (type) {
    case DataType::kF64:
      return "f64";
    case DataType::kF32:
      return "f32";
    case DataType::kU8:
      return "u8";
    case DataType::kF16:
      return "f16";
    case DataType::kBf16:
      return "bf16";
    default:
      return "u32";
  }
}

// --- lengths ------------------------------------------------------------------------------------

// Bytes from which on another algorithm is taken, in software or by the MU.
std::set<Bytes> thresholds(Collective what, std::uint32_t members) {
  std::set<Bytes> all;
  for (const AlgorithmRule& rule : algorithm_rules()) {
    if (rule.what != what || rule.shorter == rule.longer) continue;
    all.insert(std::max(rule.least_bytes, rule.least_share * members));
  }
  for (const MuRule& rule : mu_rules()) {
    if (rule.what == what && rule.most_bytes < kMostCallBytes) all.insert(rule.most_bytes);
  }
  // Where its vector begins to go round in two parts.
  if (what == Collective::kAllreduce) all.insert(Bytes{1024} * members);
  return all;
}

// --- operands -----------------------------------------------------------------------------------

template <typename T>
void put(Bits& to, Bytes at, T value) {
  std::memcpy(to.data() + at, &value, sizeof value);
}

// Values for which the order of operands counts, but no sum or product is lost in infinity.
template <typename T>
T number(ReduceOp op, std::uint64_t random) {
  if constexpr (std::is_integral_v<T>) {
    if (op == ReduceOp::kMaxloc) return static_cast<T>(random % 5);
    if (op == ReduceOp::kBand) return static_cast<T>(random | random >> 32);
    return static_cast<T>(random);
  } else {
    const auto part = static_cast<T>(random % 65'536) / T{65'536};
    const int exponent = static_cast<int>(random >> 16U & 0x1FU) - 16;
    if (op == ReduceOp::kMaxloc) return static_cast<T>(random % 5) - T{2};
    if (op == ReduceOp::kProd) return T{0.5} + part;
    return std::ldexp((random >> 40U & 1U) != 0 ? -part : part, exponent);
  }
}

template <typename T, typename Index>
void fill(Bits& bytes, ReduceOp op, Rng& random) {
  const bool pairs = op == ReduceOp::kMaxloc;
  for (Bytes at = 0; at < bytes.size(); at += pairs ? 2 * sizeof(T) : sizeof(T)) {
    put(bytes, at, number<T>(op, random.next()));
    if (pairs) put(bytes, at + sizeof(T), static_cast<Index>(random.below(100)));
  }
}

Bits operand(const CollectiveCall& call, Bytes bytes, std::uint64_t seed) {
  if (!reduces(call.call.what) || call.type == DataType::kU8) return pattern(seed, bytes);
  Bits filled(bytes);
  Rng random(seed);
  if (call.type == DataType::kF64) fill<double, std::uint64_t>(filled, call.op, random);
  if (call.type == DataType::kF32) fill<float, std::uint32_t>(filled, call.op, random);
  if (call.type == DataType::kU32) fill<std::uint32_t, std::uint32_t>(filled, call.op, random);
  if (size_of(call.type) == 2) {
    // Around one in both formats, of both signs.
    for (Bytes at = 0; at < bytes; at += 2) {
      put(filled, at, static_cast<std::uint16_t>((random.next() & 0x83FFU) | 0x3C00U));
    }
  }
  return filled;
}

// --- results ------------------------------------------------------------------------------------

// Of unsigned integers and of pairs no order counts, so plain loops say what comes out.
template <typename T, typename Index>
void larger(Bits& sum, const Bits& other) {
  const auto at = [](const Bits& bytes, Bytes offset, auto& value) {
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  };
  for (Bytes i = 0; i < sum.size(); i += 2 * sizeof(T)) {
    T left{}, right{};
    Index left_index{}, right_index{};
    at(sum, i, left);
    at(other, i, right);
    at(sum, i + sizeof left, left_index);
    at(other, i + sizeof left, right_index);
    if (right > left || (right == left && right_index < left_index)) {
      put(sum, i, right);
      put(sum, i + sizeof left, right_index);
    }
  }
}

void add_bytes(Bits& sum, const Bits& other) {
  for (Bytes i = 0; i < sum.size(); ++i) {
    sum[i] = static_cast<std::byte>(std::to_integer<unsigned>(sum[i]) +
                                    std::to_integer<unsigned>(other[i]));
  }
}

void combine_words(ReduceOp op, Bits& sum, const Bits& other) {
  for (Bytes i = 0; i < sum.size(); i += 4) {
    std::uint32_t left = 0, right = 0;
    std::memcpy(&left, sum.data() + i, 4);
    std::memcpy(&right, other.data() + i, 4);
    put(sum, i,
        op == ReduceOp::kSum    ? left + right
        : op == ReduceOp::kBand ? left & right
                                : left * right);
  }
}

Bits reduced_in_any_order(const CollectiveCall& call) {
  Bits sum = call.in[0];
  for (std::size_t m = 1; m < call.in.size(); ++m) {
    const Bits& other = call.in[m];
    if (call.type == DataType::kU8) {
      add_bytes(sum, other);
    } else if (call.op != ReduceOp::kMaxloc) {
      combine_words(call.op, sum, other);
    } else if (call.type == DataType::kF64) {
      larger<double, std::uint64_t>(sum, other);
    } else if (call.type == DataType::kF32) {
      larger<float, std::uint32_t>(sum, other);
    } else {
      larger<std::uint32_t, std::uint32_t>(sum, other);
    }
  }
  return sum;
}

// Of sums and products of floats the documented order is part of the result.
Bits reduced(const CollectiveCall& call) {
  if (call.op == ReduceOp::kMaxloc || call.type == DataType::kU32 || call.type == DataType::kU8) {
    return reduced_in_any_order(call);
  }
  const Operator op(call.op, call.type);
  if (call.call.what == Collective::kReduce) return reduce_in_order(op, call.call.root, call.in);
  if (call.call.what == Collective::kAllreduce) return allreduce_in_order(op, call.in);
  return reduce_scatter_in_order(op, call.in);
}

Bits piece(const Bits& of, Bytes bytes, std::uint32_t number) {
  const auto begin = of.begin() + static_cast<std::ptrdiff_t>(bytes * number);
  return {begin, begin + static_cast<std::ptrdiff_t>(bytes)};
}

Bits joined(const std::vector<Bits>& pieces) {
  Bits all;
  for (const Bits& one : pieces) all.insert(all.end(), one.begin(), one.end());
  return all;
}

Bits output(const CollectiveCall& call, const Bits& reduced_all, std::uint32_t member) {
  const Bytes bytes = call.call.count * call.call.element;
  const Bits& of_root = call.in[call.call.root];
  switch (call.call.what) {
    case Collective::kBroadcast:
      return of_root;
    case Collective::kScatter:
      return piece(of_root, bytes, member);
    case Collective::kReduce:
      return member == call.call.root ? reduced_all : Bits{};
    case Collective::kGather:
      return member == call.call.root ? joined(call.in) : Bits{};
    case Collective::kAllgather:
      return joined(call.in);
    case Collective::kAllreduce:
      return reduced_all;
    case Collective::kReduceScatter:
      return piece(reduced_all, bytes, member);
    case Collective::kAlltoall: {
      Bits all;
      for (const Bits& in : call.in) {
        const Bits one = piece(in, bytes, member);
        all.insert(all.end(), one.begin(), one.end());
      }
      return all;
    }
    default:
      return {};
  }
}

void give_and_take(CollectiveCall& call, std::uint32_t members, std::uint64_t seed) {
  const bool broadcast = call.call.what == Collective::kBroadcast;
  for (std::uint32_t m = 0; m < members; ++m) {
    const Bytes bytes = broadcast ? (m == call.call.root ? call.call.count : 0)
                                  : input_bytes(call.call, members, m);
    call.in.push_back(operand(call, bytes, mix(seed) + m));
  }
  const Bits all = reduces(call.call.what) ? reduced(call) : Bits{};
  for (std::uint32_t m = 0; m < members; ++m) call.out.push_back(output(call, all, m));
}

// --- the list -----------------------------------------------------------------------------------

class List {
 public:
  List(std::uint32_t members, std::uint64_t seed, bool brief)
      : members_(members), seed_(seed), brief_(brief) {}

  std::vector<CollectiveCall> make() {
    for (const Collective what :
         {Collective::kBarrier, Collective::kBroadcast, Collective::kReduce, Collective::kAllreduce,
          Collective::kScatter, Collective::kGather, Collective::kAllgather, Collective::kAlltoall,
          Collective::kReduceScatter}) {
      if (what == Collective::kBarrier) add(what, 0, ReduceOp::kSum, DataType::kU8);
      std::set<Bytes> lengths = thresholds(what, members_);
      // Below its one threshold everything of reduce_scatter is the same algorithm: a short one
      // too.
      if (what == Collective::kReduceScatter) lengths.insert(1024);
      for (const Bytes length : lengths) around(what, length);
      if (what == Collective::kBroadcast && !brief_) add_unfit(what);
    }
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      give_and_take(calls_[i], members_, seed_ * 1'000 + i);
    }
    return std::move(calls_);
  }

 private:
  // One element less, as many, one more.
  void around(Collective what, Bytes length) {
    if (brief_ && length >= kLong) return;
    for (std::uint32_t step = 0; step < 3; ++step) {
      if (!reduces(what)) {
        add(what, length + step - 1, ReduceOp::kSum, DataType::kU8);
        continue;
      }
      // The next type at the next length.
      for (std::size_t k = 0; k < kKinds.size(); ++k) {
        if ((brief_ || length >= kLong) && k != (step + seed_) % kKinds.size()) continue;
        const ReduceOp op = kKinds.at(k).op;
        const DataType type = kKinds.at(k).types.at((step + seed_) % 3);
        const Bytes element = size_of(op, type);
        add(what, (length + element - 1) / element * element + step * element - element, op, type);
      }
    }
  }
  // What the MU cannot run: more than its windows hold.
  void add_unfit(Collective what) {
    add(what, collective_window(members_) + 1, ReduceOp::kSum, DataType::kU8);
  }
  void add(Collective what, Bytes bytes, ReduceOp op, DataType type) {
    CollectiveCall call{
        .call = {.what = what, .root = static_cast<std::uint32_t>(roots_.below(members_))},
        .op = op,
        .type = type};
    call.call.element = reduces(what) ? size_of(op, type) : 1;
    call.call.count = bytes / call.call.element;
    call.fits_mu = fits(call);
    calls_.push_back(call);
  }
  // docs/collectives.md, "What software still runs".
  [[nodiscard]] bool fits(const CollectiveCall& call) const {
    const Bytes bytes = call.call.count * call.call.element;
    return bytes <= collective_window(members_);
  }

  std::uint32_t members_;
  std::uint64_t seed_;
  bool brief_;
  Rng roots_{seed_};
  std::vector<CollectiveCall> calls_;
};

}  // namespace

Bytes collective_window(std::uint32_t members) {
  return std::max(PlanOptions().offload_window, (members + 1) * (kLong + 1024));
}

bool reduces(Collective what) {
  return what == Collective::kReduce || what == Collective::kAllreduce ||
         what == Collective::kReduceScatter;
}

std::string CollectiveCall::name() const {
  std::string text(name_of(call.what));
  if (call.what == Collective::kBarrier) return text;
  text += fmt::format(" of {} bytes", call.count * call.element);
  if (reduces(call.what)) text += fmt::format(", {} of {}", text_of(op), text_of(type));
  return text + fmt::format(", root {}", call.root);
}

std::vector<CollectiveCall> collective_calls(std::uint32_t members, std::uint64_t seed,
                                             bool brief) {
  return List(members, seed, brief).make();
}

}  // namespace torusmu
