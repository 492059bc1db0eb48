// SPDX-License-Identifier: Apache-2.0
// Collective calls with their inputs and expected outputs, and programs that make them.
#ifndef TESTS_HOST_COLLECTIVE_CASES_H_
#define TESTS_HOST_COLLECTIVE_CASES_H_

#include <algorithm>
#include <string>
#include <vector>

#include "tests/host/collective_reference.h"
#include "tests/host/job.h"

namespace torusmu::testing {

inline constexpr Cycles kPatience = 1'000'000'000;

struct Case {
  Call call;
  Operator op;
  std::vector<Data> inputs;
  std::vector<Data> outputs;
};

inline Case make_case(Collective what, std::uint32_t root, Bytes bytes, bool in_place,
                      bool commutes, std::uint32_t members) {
  const Bytes element = reduces(what) ? 8 : 1;
  Case made{{.what = what,
             .root = root,
             .count = bytes / element,
             .element = element,
             .commutative = commutes,
             .in_place = in_place},
            commutes ? Operator(ReduceOp::kSum, DataType::kF64) : composition(),
            {},
            {}};
  for (std::uint32_t rank = 0; rank < members; ++rank) {
    made.inputs.push_back(input_of(made.call, members, rank, 7 * root + bytes));
  }
  made.outputs = outputs_of(made.call, made.op, choose(made.call, members), made.inputs);
  return made;
}

inline Result<CollectiveRequest> start(Group& group, const Case& made, Address in, Address out) {
  const Call& call = made.call;
  const Bytes bytes = call.count;
  switch (call.what) {
    case Collective::kBarrier:
      return group.ibarrier();
    case Collective::kBroadcast:
      return group.ibroadcast(call.root, out, bytes);
    case Collective::kReduce:
      return group.ireduce(call.root, made.op, call.count, in, out);
    case Collective::kAllreduce:
      return group.iallreduce(made.op, call.count, in, out);
    case Collective::kScatter:
      return group.iscatter(call.root, bytes, in, out);
    case Collective::kGather:
      return group.igather(call.root, bytes, in, out);
    case Collective::kAllgather:
      return group.iallgather(bytes, in, out);
    case Collective::kAlltoall:
      return group.ialltoall(bytes, in, out);
    case Collective::kReduceScatter:
      return group.ireduce_scatter(made.op, call.count, in, out);
  }
  return Errc::kBadArgument;
}

inline std::error_code call_and_wait(Group& group, const Case& made, Address in, Address out,
                                     Cycles deadline) {
  const Call& call = made.call;
  const Bytes bytes = call.count;
  switch (call.what) {
    case Collective::kBarrier:
      return group.barrier(deadline);
    case Collective::kBroadcast:
      return group.broadcast(call.root, out, bytes, deadline);
    case Collective::kReduce:
      return group.reduce(call.root, made.op, call.count, in, out, deadline);
    case Collective::kAllreduce:
      return group.allreduce(made.op, call.count, in, out, deadline);
    case Collective::kScatter:
      return group.scatter(call.root, bytes, in, out, deadline);
    case Collective::kGather:
      return group.gather(call.root, bytes, in, out, deadline);
    case Collective::kAllgather:
      return group.allgather(bytes, in, out, deadline);
    case Collective::kAlltoall:
      return group.alltoall(bytes, in, out, deadline);
    case Collective::kReduceScatter:
      return group.reduce_scatter(made.op, call.count, in, out, deadline);
  }
  return Errc::kBadArgument;
}

// Buffers of one call at one member, with its input in place.
class Buffers {
 public:
  Buffers(Context& context, const Group& group, const Case& made)
      : context_(context), made_(made), rank_(group.rank()) {
    const Call& call = made.call;
    const Data& input = made.inputs[rank_];
    in_bytes_ = input_bytes(call, group.size(), rank_);
    out_bytes_ = output_bytes(call, group.size(), rank_);
    const bool in_place = call.in_place && may_be_in_place(call, rank_);
    const Bytes own = place_of_own(call, rank_);
    bytes_ = in_bytes_ + out_bytes_ + 2 * kGuard;
    base_ = require(context.take_heap(bytes_), "heap");
    context.device().store(base_, noise(5, bytes_));
    in_ = base_ + kGuard;
    out_ = in_ + in_bytes_;
    if (in_place) {
      out_ = call.what == Collective::kScatter ? in_ + own : in_;
      if (call.what != Collective::kScatter) in_ += own;
    }
    if (!input.empty()) {
      context.device().store(call.what == Collective::kBroadcast ? out_ : in_, input);
    }
  }
  ~Buffers() { context_.give_heap(base_, bytes_); }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  [[nodiscard]] Address in() const { return in_; }
  [[nodiscard]] Address out() const { return out_; }
  void check_result(const std::string& what) {
    if (out_bytes_ != 0) {
      check(get_from(context_, out_, out_bytes_) == made_.outputs[rank_], what + ": output");
    }
    if (in_bytes_ != 0 && !made_.call.in_place) {
      check(get_from(context_, in_, in_bytes_) == made_.inputs[rank_], what + ": input");
    }
    const Data whole = noise(5, bytes_);
    check(std::equal(whole.begin(), whole.begin() + kGuard,
                     get_from(context_, base_, kGuard).begin()) &&
              std::equal(whole.end() - kGuard, whole.end(),
                         get_from(context_, base_ + bytes_ - kGuard, kGuard).begin()),
          what + ": bytes beside the buffers");
  }

 private:
  static constexpr std::ptrdiff_t kGuard = 64;
  Context& context_;
  const Case& made_;
  std::uint32_t rank_;
  Bytes in_bytes_ = 0;
  Bytes out_bytes_ = 0;
  Bytes bytes_ = 0;
  Address base_ = 0;
  Address in_ = 0;
  Address out_ = 0;
};

inline std::string text_of(const Case& made, std::uint32_t members) {
  return describe(made.call, choose(made.call, members), members);
}

inline void make_all(Context& context, Group& group, const std::vector<Case>& cases) {
  for (const Case& made : cases) {
    const std::string what = text_of(made, group.size());
    Buffers buffers(context, group, made);
    require(call_and_wait(group, made, buffers.in(), buffers.out(), context.now() + kPatience),
            what);
    buffers.check_result(what);
  }
}

// Every collective, root and size, short.
inline std::vector<Case> short_cases(std::uint32_t members) {
  std::vector<Case> cases;
  for (const Collective what : kCollectives) {
    for (const std::uint32_t root : roots_of(what, members)) {
      for (const Bytes bytes : {0, 8, 40}) {
        for (const bool in_place : {false, true}) {
          for (const bool commutes : {true, false}) {
            if (!commutes && !reduces(what)) continue;
            cases.push_back(make_case(what, root, bytes, in_place, commutes, members));
          }
        }
      }
    }
  }
  return cases;
}

// Around every threshold of the table, as far as the vectors are not too long for a quick test.
inline std::vector<Case> threshold_cases(std::uint32_t members, Bytes most) {
  std::vector<Case> cases;
  for (const AlgorithmRule& rule : algorithm_rules()) {
    const Bytes element = reduces(rule.what) ? 8 : 1;
    const Bytes least = std::max(rule.least_bytes, rule.least_share * members);
    const bool whole = rule.what < Collective::kScatter;
    if (least == 0 || least * members * (whole ? 1 : members) > most) continue;
    for (const Bytes bytes : {least - element, least, least + element}) {
      const std::uint32_t root =
          has_root(rule.what) ? static_cast<std::uint32_t>(bytes / element) % members : 0;
      for (const bool in_place : {false, true}) {
        cases.push_back(make_case(rule.what, root, bytes, in_place, true, members));
        if (reduces(rule.what)) {
          cases.push_back(make_case(rule.what, root, bytes, in_place, false, members));
        }
      }
    }
  }
  return cases;
}

inline JobOptions options_for(std::uint32_t tasks) {
  JobOptions options;
  options.machine.shape = shape_of(tasks);
  options.machine.memory_size = Bytes{16} << 20;
  options.machine.seed = tasks;
  options.plan.heap_bytes = Bytes{8} << 20;
  options.limit = 4'000'000'000;
  return options;
}

inline std::vector<Task> first_tasks(std::uint32_t members) {
  std::vector<Task> tasks;
  for (std::uint32_t t = 0; t < members; ++t) tasks.push_back({t});
  return tasks;
}

}  // namespace torusmu::testing

#endif  // TESTS_HOST_COLLECTIVE_CASES_H_
