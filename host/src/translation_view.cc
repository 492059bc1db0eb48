// SPDX-License-Identifier: Apache-2.0
// What members know of one another's schedules, and whether the MU can run these.
#include <algorithm>
#include <bit>
#include <cassert>

#include "host/src/translation.h"

namespace torusmu {
namespace {

constexpr Bytes kLine = 64;

Bytes whole_lines(Bytes bytes) { return (bytes + kLine - 1) / kLine * kLine; }

std::uint32_t rounds_of(std::uint32_t members) {
  return static_cast<std::uint32_t>(std::bit_width(members - 1));
}

// Members that need not hear of all others before they are through.
bool leaves_early(Collective what) {
  return what == Collective::kBroadcast || what == Collective::kReduce ||
         what == Collective::kScatter || what == Collective::kGather;
}

std::size_t combines(const Schedule& schedule) {
  return static_cast<std::size_t>(
      std::count_if(schedule.steps.begin(), schedule.steps.end(),
                    [](const Step& step) { return step.kind == Step::Kind::kCombine; }));
}

// A send that needs what somebody else has sent.
bool forwards(const Schedule& schedule) {
  std::vector<bool> needs(schedule.steps.size());
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const Step& step = schedule.steps[i];
    needs[i] = step.kind == Step::Kind::kReceive;
    for (const std::uint32_t earlier : step.after) needs[i] = needs[i] || needs[earlier];
    if (needs[i] && step.kind == Step::Kind::kSend) return true;
  }
  return false;
}

// So that a WAIT knows what has come.
bool are_told_apart(const MemberView& view) {
  if (view.schedule.batches != 0) return view.schedule.batches <= view.counters;
  if (view.in_turn || view.sources.size() <= view.counters) return true;
  return view.behind.steps.empty() && !forwards(view.schedule);
}

// At most so many descriptors in a queue: a WAIT for each receive, one for each other step, and the
// end.
std::size_t most_descriptors(const MemberView& view) {
  return view.schedule.steps.size() + 2 + view.behind.steps.size();
}

// The same of two queues: what is sent, with a WAIT wherever it waits for something else than what
// was sent before; and a WAIT for each batch, the sums, and the copies of what was received.
std::size_t most_descriptors_beside(const MemberView& view) {
  std::size_t sends = 2;
  std::size_t sums = view.schedule.batches + 2;
  const std::vector<std::uint32_t>* awaited = nullptr;
  for (const Step& step : view.schedule.steps) {
    if (step.kind != Step::Kind::kSend) {
      ++sums;
      continue;
    }
    sends += !step.after.empty() && (awaited == nullptr || *awaited != step.after) ? 2 : 1;
    awaited = &step.after;
  }
  return std::max(sends, sums);
}

}  // namespace

std::uint32_t MemberView::counter_of(std::uint32_t source) const {
  if (in_turn) return 0;
  const auto found = std::find(sources.begin(), sources.end(), source);
  assert(found != sources.end());
  return static_cast<std::uint32_t>(found - sources.begin()) % counters;
}

std::uint32_t MemberView::counter_of(const Step& receive) const {
  return schedule.batches != 0 ? receive.batch : counter_of(receive.member);
}

std::uint32_t MemberView::arrivals_of(const Step& receive) const {
  if (in_turn) return up_to_batch.at(receive.batch);
  const bool shared = schedule.batches != 0 || sources.size() > counters;
  return shared ? arrivals[counter_of(receive)] : receive.number + 1;
}

void MemberView::hears(const Step& receive) {
  if (std::find(sources.begin(), sources.end(), receive.member) == sources.end()) {
    sources.push_back(receive.member);
  }
  ++taken[receive.member];
  ++up_to_batch[receive.batch];
  const std::uint32_t counter = counter_of(receive);  // of a batch: see are_told_apart()
  if (counter < arrivals.size()) ++arrivals[counter];
}

const Step& MemberView::receive_of(std::uint32_t source, std::uint32_t number) const {
  const auto found =
      std::find_if(schedule.steps.begin(), schedule.steps.end(), [&](const Step& step) {
        return step.kind == Step::Kind::kReceive && step.member == source && step.number == number;
      });
  assert(found != schedule.steps.end());
  return *found;
}

Bytes MemberView::place_of(const Step& receive) const {
  const Part& part = receive.to;
  return (part.buffer == Buffer::kOut ? output_at : 0) + part.offset;
}

MemberView view_of(const Call& asked, Algorithm algorithm, std::uint32_t members,
                   std::uint32_t rank, std::uint32_t counters) {
  Call call = asked;
  call.in_place = false;  // the output is written last
  MemberView view;
  view.schedule = compile(call, algorithm, members, rank);
  view.counters = counters;
  // As many members may a member hear from: one of each round, and its parent. All decide alike.
  view.in_turn = view.schedule.in_turn && rounds_of(members) + 1 > counters;
  if (leaves_early(call.what)) view.behind = behind(call, algorithm, members, rank, view.in_turn);
  for (const Step& step : view.schedule.steps) {
    if (step.kind != Step::Kind::kReceive) continue;
    view.staged = view.staged || (step.to.buffer == Buffer::kOut && step.to.bytes != 0);
    view.hears(step);
  }
  // What a call in place would overwrite while it is still read is staged too.
  view.staged = view.staged || asked.in_place;
  for (Step& step : view.behind.steps) {
    if (step.kind != Step::Kind::kReceive) continue;
    step.number = view.taken[step.member];
    view.hears(step);
  }
  std::uint32_t sum = 0;
  for (auto& [batch, count] : view.up_to_batch) count = sum += count;
  view.output_at = whole_lines(view.schedule.scratch_bytes);
  view.lists_at = view.output_at + whole_lines(output_bytes(call, members, rank));
  view.window_bytes =
      view.lists_at + (2 + call.steps) * sizeof(ListEntry) * combines(view.schedule);
  return view;
}

std::optional<ByCores> obstacle(const Call& call, const Operator& op, Algorithm algorithm,
                                std::uint32_t members, const NodePlan& plan) {
  if (members < 2) return ByCores::kOneMember;
  if (call.what != Collective::kBarrier && call.count == 0) return ByCores::kNothing;
  const std::uint32_t counters = plan.offload_counters();
  for (std::uint32_t rank = 0; rank < members; ++rank) {
    const MemberView view = view_of(call, algorithm, members, rank, counters);
    const Schedule& schedule = view.schedule;
    if (combines(schedule) != 0 && op.is_user()) {
      return ByCores::kOperation;
    }
    if (!are_told_apart(view) || (schedule.sums_beside && !plan.offload_sums_beside())) {
      return ByCores::kCounters;
    }
    if (view.window_bytes > plan.options().offload_window) return ByCores::kWindow;
    const std::size_t descriptors =
        schedule.sums_beside ? most_descriptors_beside(view) : most_descriptors(view);
    if (descriptors > plan.options().offload_slots) return ByCores::kSlots;
  }
  return std::nullopt;
}

}  // namespace torusmu
