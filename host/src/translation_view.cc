// SPDX-License-Identifier: Apache-2.0
// What members know of one another's schedules, and whether the MU can run these.
#include <algorithm>
#include <cassert>

#include "host/src/translation.h"

namespace torusmu {
namespace {

constexpr Bytes kLine = 64;
constexpr Bytes kWord = 4;  // CALC copies whole words

Bytes whole_lines(Bytes bytes) { return (bytes + kLine - 1) / kLine * kLine; }

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

bool is_in_words(const Schedule& schedule) {
  return std::all_of(schedule.steps.begin(), schedule.steps.end(), [](const Step& step) {
    const bool copies = step.kind == Step::Kind::kCopy || step.kind == Step::Kind::kCombine;
    return !copies || step.to.bytes % kWord == 0;
  });
}

// At most so many descriptors in a queue: a WAIT for each receive, one for each other step, and the
// end.
std::size_t most_descriptors(const MemberView& view, std::uint32_t members) {
  std::size_t rounds = 0;
  for (std::uint32_t distance = 1; distance < members; distance *= 2) ++rounds;
  return view.schedule.steps.size() + 2 + (view.barrier_follows ? 2 * rounds : 0);
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
  const auto found = std::find(sources.begin(), sources.end(), source);
  assert(found != sources.end());
  return static_cast<std::uint32_t>(found - sources.begin()) % kSourceCounters;
}

std::uint32_t MemberView::counter_of(const Step& receive) const {
  return schedule.batches != 0 ? receive.batch : counter_of(receive.member);
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
                   std::uint32_t rank) {
  Call call = asked;
  call.in_place = false;  // the output is written last
  MemberView view;
  view.schedule = compile(call, algorithm, members, rank);
  view.barrier_follows = leaves_early(call.what);
  const auto add = [&](std::uint32_t source) {
    if (std::find(view.sources.begin(), view.sources.end(), source) == view.sources.end()) {
      view.sources.push_back(source);
    }
  };
  for (const Step& step : view.schedule.steps) {
    if (step.kind != Step::Kind::kReceive) continue;
    add(step.member);
    view.staged = view.staged || (step.to.buffer == Buffer::kOut && step.to.bytes != 0);
  }
  // What a call in place would overwrite while it is still read is staged too.
  view.staged = view.staged || asked.in_place;
  if (view.barrier_follows) {
    for (std::uint32_t k = 1; k < members; k *= 2) add((rank + k) % members);
  }
  for (const Step& step : view.schedule.steps) {
    if (step.kind == Step::Kind::kReceive) ++view.arrivals[view.counter_of(step)];
  }
  if (view.barrier_follows) {
    for (std::uint32_t k = 1; k < members; k *= 2) {
      ++view.arrivals[view.counter_of((rank + k) % members)];
    }
  }
  view.output_at = whole_lines(view.schedule.scratch_bytes);
  view.operands_at = view.output_at + whole_lines(output_bytes(call, members, rank));
  view.window_bytes = view.operands_at + 2 * Operand::kBytes * combines(view.schedule);
  return view;
}

bool is_translatable(const Call& call, const Operator& op, Algorithm algorithm,
                     std::uint32_t members, const NodePlan& plan) {
  const bool barrier = call.what == Collective::kBarrier;
  if (members < 2 || (!barrier && (call.count == 0 || call.count * call.element % kWord != 0))) {
    return false;
  }
  for (std::uint32_t rank = 0; rank < members; ++rank) {
    const MemberView view = view_of(call, algorithm, members, rank);
    if (combines(view.schedule) != 0 && (op.is_user() || op.type() == DataType::kU8)) return false;
    const bool told_apart = view.schedule.batches != 0
                                ? view.schedule.batches <= kSourceCounters
                                : view.sources.size() <= kSourceCounters ||
                                      (!view.barrier_follows && !forwards(view.schedule));
    const std::size_t descriptors =
        view.schedule.sums_beside ? most_descriptors_beside(view) : most_descriptors(view, members);
    if (!told_apart || !is_in_words(view.schedule) ||
        view.window_bytes > plan.options().offload_window ||
        descriptors > plan.options().offload_slots) {
      return false;
    }
  }
  return true;
}

}  // namespace torusmu
