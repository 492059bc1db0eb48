// SPDX-License-Identifier: Apache-2.0
#include "torusmu/collectives.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "host/src/execution.h"
#include "host/src/offload.h"
#include "host/src/schedule.h"

namespace torusmu {
namespace {

constexpr std::uint32_t kMostNumber =
    32765;  // 32766: active messages, 32767: queue pairs that meet

// For calls that combine nothing.
Operator no_operator() { return {ReduceOp::kBor, DataType::kU8}; }

Call call_of(Collective what, Bytes bytes, std::uint32_t root = 0) {
  return {.what = what, .root = root, .count = bytes};
}

// An undefined reduction has elements of no bytes, which no sound call has.
Call reduction_of(Collective what, const Operator& op, std::uint64_t count,
                  std::uint32_t root = 0) {
  return {.what = what,
          .root = root,
          .count = count,
          .element = op.is_defined() ? op.element() : 0,
          .commutative = op.commutative(),
          .steps = static_cast<std::uint32_t>(op.steps().size())};
}

}  // namespace

struct Group::State {
  struct UnderWay {
    std::optional<Execution> execution;
    std::uint64_t completion = 0;   // of one that the MU runs
    bool complete = false;          // and it has been seen
    ByCores why = ByCores::kGroup;  // if it has an execution
    Address scratch = 0;
    Bytes scratch_bytes = 0;
  };

  State(Context& owner, std::vector<Task> list, std::uint32_t own_number, RunBy run_by,
        bool is_told)
      : context(owner), members(std::move(list)), number(own_number) {
    const auto own = std::find(members.begin(), members.end(), context.task());
    if (own == members.end() || number > kMostNumber) {
      throw std::invalid_argument(
          "a group needs its own task among its members, and a number below 32766");
    }
    rank = static_cast<std::uint32_t>(own - members.begin());
    if (run_by == RunBy::kMu) {
      if (number >= context.plan().offload_groups()) {
        throw std::invalid_argument("the plan has no queue for a group of this number");
      }
      if (is_told && context.plan().context_of_group(number) != context.id()) {
        throw std::invalid_argument("a group of this number ends in the queue of another context");
      }
      offload.emplace(context, members, rank, number, is_told);
    }
    progress = context.add_progress([this] { return advance(); });
  }
  ~State() { context.remove_progress(progress); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(members.size()); }

  bool advance() {
    bool any = offload && advance_offload();
    for (auto& [name, collective] : under_way) {
      if (collective.execution) {
        any |= collective.execution->advance();
      } else if (!collective.complete) {
        collective.complete = meeting_error || offload->is_complete(collective.completion);
        any |= collective.complete;
      }
    }
    return any;
  }

  // What reaches a member before its node is set up is lost, so before the first list is posted all
  // meet once, in a barrier by messages.
  bool advance_offload() {
    if (!meeting) return false;
    bool any = false;
    if (!meeting->is_over()) any = meeting->advance();
    if (!meeting->is_over()) return any;
    meeting_error = meeting->error();
    return (!meeting_error && offload->advance()) || any;
  }
  void meet() {
    const Call call = call_of(Collective::kBarrier, 0);
    meeting.emplace(context, members, number << 16,
                    compile(call, choose(call, size()), size(), rank), Execution::Buffers{},
                    no_operator());
  }

  // How the collective ended, if it is over: then its request is too.
  std::optional<std::error_code> take(CollectiveRequest request) {
    const auto found = under_way.find(request.value);
    if (found == under_way.end()) return make_error_code(Errc::kBadArgument);
    const UnderWay& collective = found->second;
    if (!collective.execution) {
      if (!collective.complete) return std::nullopt;
      under_way.erase(found);
      return meeting_error;
    }
    if (!collective.execution->is_over()) return std::nullopt;
    const std::error_code error = collective.execution->error();
    // After an error the MU may still be told to write to scratch memory.
    if (!error && collective.scratch_bytes != 0) {
      context.give_heap(collective.scratch, collective.scratch_bytes);
    }
    under_way.erase(found);
    return error;
  }

  Context& context;
  const std::vector<Task> members;
  const std::uint32_t number;
  std::uint32_t rank = 0;
  std::uint32_t calls = 0;
  std::uint32_t progress = 0;
  std::optional<Offload> offload;    // with RunBy::kMu
  std::optional<Execution> meeting;  // begun by the first call that the MU runs
  std::error_code meeting_error;
  std::map<std::uint32_t, UnderWay> under_way;  // by request
};

Group::Group(Context& context, std::vector<Task> members, std::uint32_t number, RunBy run_by)
    : state_(std::make_unique<State>(context, std::move(members), number, run_by, false)) {}
Group::Group(Context& context, std::vector<Task> members, std::uint32_t number,
             CompletionQueue& /*completions*/)
    : state_(std::make_unique<State>(context, std::move(members), number, RunBy::kMu, true)) {}
Group::~Group() = default;
Group::Group(Group&&) noexcept = default;

std::uint32_t Group::size() const { return state_->size(); }
std::uint32_t Group::rank() const { return state_->rank; }

Result<CollectiveRequest> Group::start(const Call& asked, const Operator& op, Address in,
                                       Address out) {
  State& state = *state_;
  if (!is_sound(asked, size())) return Errc::kBadArgument;
  Call call = asked;
  const Bytes in_bytes = input_bytes(call, size(), rank());
  const Bytes out_bytes = output_bytes(call, size(), rank());
  if (in_bytes != 0 && out_bytes != 0) {
    const Bytes own = place_of_own(call, rank());
    const bool scatters = call.what == Collective::kScatter;
    call.in_place = may_be_in_place(call, rank()) && (scatters ? out == in + own : in == out + own);
    const bool apart = in >= out ? in - out >= out_bytes : out - in >= in_bytes;
    if (!apart && !call.in_place) return Errc::kBadArgument;
  }

  // From here on the call counts, so that its members stay in step with those where it goes well.
  const std::uint32_t request = ++state.calls;
  std::array<RegionPlace, 2> places{};
  for (const auto& [address, bytes, place] :
       {std::tuple(in, in_bytes, &places[0]), std::tuple(out, out_bytes, &places[1])}) {
    if (bytes == 0) continue;
    const auto known = state.context.name_memory(address, bytes);
    if (!known) return known.error();
    *place = {known.value().region, known.value().offset};
  }
  ByCores why = ByCores::kGroup;
  if (state.offload) {
    const Offload::Choice choice = state.offload->choose_for(call, op);
    if (choice.algorithm) {
      if (!state.meeting) state.meet();
      state.under_way[request].completion =
          state.offload->start(call, op, *choice.algorithm, places[0], places[1]);
      state.advance();
      return CollectiveRequest{request};
    }
    why = choice.why;
  }
  Schedule schedule = compile(call, choose(call, size()), size(), rank());
  const Bytes scratch_bytes = schedule.scratch_bytes;
  Execution::Buffers buffers{.in = in, .out = out};
  if (scratch_bytes != 0) {
    const auto scratch = state.context.take_heap(scratch_bytes);
    if (!scratch) return scratch.error();
    buffers.scratch = scratch.value();
  }
  const std::uint32_t tag = state.number << 16 | (request & 0xFFFF);
  const auto [entry, fresh] = state.under_way.try_emplace(
      request, State::UnderWay{.execution = Execution(state.context, state.members, tag,
                                                      std::move(schedule), buffers, op),
                               .scratch = buffers.scratch,
                               .scratch_bytes = scratch_bytes});
  entry->second.why = why;
  entry->second.execution->advance();
  return CollectiveRequest{request};
}

bool Group::is_run_by_mu(CollectiveRequest request) const {
  const auto found = state_->under_way.find(request.value);
  return found != state_->under_way.end() && !found->second.execution;
}

ByCores Group::why_by_cores(CollectiveRequest request) const {
  const auto found = state_->under_way.find(request.value);
  return found != state_->under_way.end() ? found->second.why : ByCores::kGroup;
}

std::string_view text_of(ByCores why) {
  constexpr std::array<std::string_view, 7> kTexts{
      "groups of the cores",        "groups of one",
      "vectors of no bytes",        "operations of the program",
      "groups of too few counters", "vectors beyond the windows",
      "lists longer than the queue"};
  return kTexts.at(static_cast<std::size_t>(why));
}

bool Group::test(CollectiveRequest request, std::error_code* error) {
  const std::error_code gone = state_->context.advance();
  const auto result = state_->take(request);
  if (!result && !gone) return false;
  if (error != nullptr) *error = result ? *result : gone;
  return true;
}

std::error_code Group::wait(CollectiveRequest request, Cycles deadline) {
  std::optional<std::error_code> result = state_->take(request);
  if (result) return *result;
  const std::error_code error = state_->context.advance_until(
      [&] {
        if (!result) result = state_->take(request);
        return result.has_value();
      },
      deadline);
  return result ? *result : error;
}

// The end of a blocking call. What is not over at its deadline is given up.
std::error_code Group::finish(Result<CollectiveRequest> request, Cycles deadline) {
  if (!request) return request.error();
  const std::error_code error = wait(request.value(), deadline);
  state_->under_way.erase(request.value().value);
  return error;
}

Result<CollectiveRequest> Group::ibarrier() {
  return start(call_of(Collective::kBarrier, 0), no_operator(), 0, 0);
}

Result<CollectiveRequest> Group::ibroadcast(std::uint32_t root, Address data, Bytes bytes) {
  return start(call_of(Collective::kBroadcast, bytes, root), no_operator(), 0, data);
}

Result<CollectiveRequest> Group::ireduce(std::uint32_t root, const Operator& op,
                                         std::uint64_t count, Address in, Address out) {
  return start(reduction_of(Collective::kReduce, op, count, root), op, in, out);
}

Result<CollectiveRequest> Group::iallreduce(const Operator& op, std::uint64_t count, Address in,
                                            Address out) {
  return start(reduction_of(Collective::kAllreduce, op, count), op, in, out);
}

Result<CollectiveRequest> Group::iscatter(std::uint32_t root, Bytes bytes, Address in,
                                          Address out) {
  return start(call_of(Collective::kScatter, bytes, root), no_operator(), in, out);
}

Result<CollectiveRequest> Group::igather(std::uint32_t root, Bytes bytes, Address in, Address out) {
  return start(call_of(Collective::kGather, bytes, root), no_operator(), in, out);
}

Result<CollectiveRequest> Group::iallgather(Bytes bytes, Address in, Address out) {
  return start(call_of(Collective::kAllgather, bytes), no_operator(), in, out);
}

Result<CollectiveRequest> Group::ialltoall(Bytes bytes, Address in, Address out) {
  return start(call_of(Collective::kAlltoall, bytes), no_operator(), in, out);
}

Result<CollectiveRequest> Group::ireduce_scatter(const Operator& op, std::uint64_t count,
                                                 Address in, Address out) {
  return start(reduction_of(Collective::kReduceScatter, op, count), op, in, out);
}

std::error_code Group::barrier(Cycles deadline) { return finish(ibarrier(), deadline); }

std::error_code Group::broadcast(std::uint32_t root, Address data, Bytes bytes, Cycles deadline) {
  return finish(ibroadcast(root, data, bytes), deadline);
}

std::error_code Group::reduce(std::uint32_t root, const Operator& op, std::uint64_t count,
                              Address in, Address out, Cycles deadline) {
  return finish(ireduce(root, op, count, in, out), deadline);
}

std::error_code Group::allreduce(const Operator& op, std::uint64_t count, Address in, Address out,
                                 Cycles deadline) {
  return finish(iallreduce(op, count, in, out), deadline);
}

std::error_code Group::scatter(std::uint32_t root, Bytes bytes, Address in, Address out,
                               Cycles deadline) {
  return finish(iscatter(root, bytes, in, out), deadline);
}

std::error_code Group::gather(std::uint32_t root, Bytes bytes, Address in, Address out,
                              Cycles deadline) {
  return finish(igather(root, bytes, in, out), deadline);
}

std::error_code Group::allgather(Bytes bytes, Address in, Address out, Cycles deadline) {
  return finish(iallgather(bytes, in, out), deadline);
}

std::error_code Group::alltoall(Bytes bytes, Address in, Address out, Cycles deadline) {
  return finish(ialltoall(bytes, in, out), deadline);
}

std::error_code Group::reduce_scatter(const Operator& op, std::uint64_t count, Address in,
                                      Address out, Cycles deadline) {
  return finish(ireduce_scatter(op, count, in, out), deadline);
}

}  // namespace torusmu
