// SPDX-License-Identifier: Apache-2.0
#include "host/src/translation.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace w = layout::wait_operation;
namespace c = layout::calc_operation;

constexpr Bytes kLine = 64;
constexpr Bytes kWord = 4;  // CALC copies whole words
constexpr Bytes kSignalBytes = 8;

Bytes whole_lines(Bytes bytes) { return (bytes + kLine - 1) / kLine * kLine; }

// Members that need not hear of all others before they are through.
bool leaves_early(Collective what) {
  return what == Collective::kBroadcast || what == Collective::kReduce ||
         what == Collective::kScatter || what == Collective::kGather;
}

std::optional<Element> element_of(DataType type) {
  switch (type) {
    case DataType::kF64:
      return Element::kF64;
    case DataType::kF32:
      return Element::kF32;
    case DataType::kI64:
      return Element::kI64;
    case DataType::kI32:
      return Element::kI32;
    case DataType::kU64:
      return Element::kU64;
    case DataType::kU32:
      return Element::kU32;
    case DataType::kU8:
      return std::nullopt;
  }
  return std::nullopt;
}

Reduction reduction_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
      return Reduction::kSum;
    case ReduceOp::kProd:
      return Reduction::kProd;
    case ReduceOp::kMin:
      return Reduction::kMin;
    case ReduceOp::kMax:
      return Reduction::kMax;
    case ReduceOp::kLand:
      return Reduction::kLand;
    case ReduceOp::kBand:
      return Reduction::kBand;
    case ReduceOp::kLor:
      return Reduction::kLor;
    case ReduceOp::kBor:
      return Reduction::kBor;
    case ReduceOp::kLxor:
      return Reduction::kLxor;
    case ReduceOp::kBxor:
      return Reduction::kBxor;
    case ReduceOp::kMaxloc:
      return Reduction::kMaxloc;
    case ReduceOp::kMinloc:
      return Reduction::kMinloc;
  }
  return Reduction::kSum;
}

bool combines(const Schedule& schedule) {
  return std::any_of(schedule.steps.begin(), schedule.steps.end(),
                     [](const Step& step) { return step.kind == Step::Kind::kCombine; });
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

// Writes the descriptors of one member.
class Translator {
 public:
  Translator(const Call& call, const Operator& op, Algorithm algorithm, std::uint32_t rank,
             const TranslationTarget& target)
      : call_(call),
        op_(op),
        algorithm_(algorithm),
        members_(static_cast<std::uint32_t>(target.members.size())),
        rank_(rank),
        target_(target),
        view_(view_of(call, algorithm, members_, rank)) {}

  Translation run() {
    for (const Step& step : view_.schedule.steps) {
      if (step.kind == Step::Kind::kReceive) continue;
      for (const std::uint32_t earlier : step.after) await(view_.schedule.steps[earlier]);
      write(step);
    }
    for (const Step& step : view_.schedule.steps) await(step);
    if (view_.staged) {
      const Bytes bytes = output_bytes(call_, members_, rank_);
      if (bytes != 0) copy(target_.out, place_of({Buffer::kOut, 0, bytes}), bytes);
    }
    complete();
    if (view_.barrier_follows) barrier();
    return {std::move(descriptors_), view_.arrivals};
  }

 private:
  void write(const Step& step) {
    switch (step.kind) {
      case Step::Kind::kSend:
        send(step);
        break;
      case Step::Kind::kCombine:
        calculate(place_of(step.to), place_of(step.first), place_of(step.second), step.to.bytes);
        break;
      case Step::Kind::kCopy:
        copy(place_of(step.to), place_of(step.first), step.to.bytes);
        break;
      case Step::Kind::kReceive:
        break;
    }
  }

  [[nodiscard]] RegionId own_region() const {
    return target_.plan.offload_region(endpoint(rank_).client);
  }
  [[nodiscard]] Endpoint endpoint(std::uint32_t member) const {
    return target_.plan.endpoint(target_.members[member]);
  }
  [[nodiscard]] Bytes window_offset() const {
    return target_.plan.offload_window(target_.group, target_.window);
  }
  [[nodiscard]] RegionPlace place_of(const Part& part) const {
    switch (part.buffer) {
      case Buffer::kIn:
        return {target_.in.region, target_.in.offset + part.offset};
      case Buffer::kOut:
        if (!view_.staged) return {target_.out.region, target_.out.offset + part.offset};
        return {own_region(),
                window_offset() + whole_lines(view_.schedule.scratch_bytes) + part.offset};
      case Buffer::kScratch:
        break;
    }
    return {own_region(), window_offset() + part.offset};
  }

  // A packet to a member's window or bell, counted there by the counter of this member.
  Descriptor packet_to(std::uint32_t member, Bytes offset, Bytes bytes) {
    const Endpoint to = endpoint(member);
    const Coordinates at = target_.plan.shape().coordinates(to.node);
    const std::uint32_t counter = peer(member).counter_of(rank_);
    return Descriptor()
        .set<d::opcode>(Opcode::kPut)
        .set<d::length>(bytes)
        .set<d::event_valid>(1)
        .set<d::event_counter>(
            target_.plan.offload_event(to.client, target_.group, target_.window, counter).value)
        .set<d::header>(PacketHeader()
                            .set<h::dst_x>(at.x)
                            .set<h::dst_y>(at.y)
                            .set<h::dst_z>(at.z)
                            .set<h::target>(target_.plan.offload_region(to.client).value)
                            .set<h::offset>(offset));
  }
  void send(const Step& step) {
    const Bytes bytes = step.first.bytes;
    if (bytes == 0) {
      signal(step.member);
      return;
    }
    const RegionPlace from = place_of(step.first);
    const Bytes to = window_offset() + peer(step.member).place_of(rank_, step.number);
    descriptors_.push_back(packet_to(step.member, to, bytes)
                               .set<d::source_region>(from.region.value)
                               .set<d::source_offset>(from.offset));
  }
  void signal(std::uint32_t member) {
    descriptors_.push_back(packet_to(member, target_.plan.offload_bell(target_.group), kSignalBytes)
                               .set<d::immediate_valid>(1));
  }

  // Nothing behind it runs before this receive's data is here.
  void await(const Step& step) {
    if (step.kind != Step::Kind::kReceive) return;
    const std::uint32_t counter = view_.counter_of(step.member);
    const bool shared = view_.sources.size() > kSourceCounters;
    await(counter, shared ? view_.arrivals[counter] : step.number + 1);
  }
  void await(std::uint32_t counter, std::uint32_t arrivals) {
    if (awaited_[counter] >= arrivals) return;
    awaited_[counter] = arrivals;
    const ClientId own = endpoint(rank_).client;
    descriptors_.push_back(
        Descriptor()
            .set<d::opcode>(Opcode::kWait)
            .set<d::event_valid>(1)
            .set<d::event_counter>(
                target_.plan.offload_event(own, target_.group, target_.window, counter).value)
            .set<d::immediate>(
                WaitOperation().set<w::value>(target_.before[counter] + arrivals).bytes()));
  }

  Descriptor calculation(RegionPlace to, Bytes bytes, const CalcOperation& operands,
                         std::uint32_t count) {
    return Descriptor()
        .set<d::opcode>(Opcode::kCalc)
        .set<d::immediate_valid>(1)
        .set<d::operands>(count)
        .set<d::length>(bytes)
        .set<d::immediate>(operands.bytes())
        .set<d::header>(PacketHeader().set<h::target>(to.region.value).set<h::offset>(to.offset));
  }
  void calculate(RegionPlace to, RegionPlace first, RegionPlace second, Bytes bytes) {
    const auto operands = CalcOperation()
                              .set<c::left_region>(first.region.value)
                              .set<c::left_offset>(first.offset)
                              .set<c::right_region>(second.region.value)
                              .set<c::right_offset>(second.offset);
    descriptors_.push_back(calculation(to, bytes, operands, 2)
                               .set<d::reduction>(reduction_of(op_.op()))
                               .set<d::element>(*element_of(op_.type())));
  }
  void copy(RegionPlace to, RegionPlace from, Bytes bytes) {
    const auto operand =
        CalcOperation().set<c::left_region>(from.region.value).set<c::left_offset>(from.offset);
    descriptors_.push_back(calculation(to, bytes, operand, 1)
                               .set<d::reduction>(Reduction::kBor)
                               .set<d::element>(Element::kU32));
  }

  // The completion entry: a word of this node's memory, and an interrupt.
  void complete() {
    const Endpoint own = endpoint(rank_);
    const Coordinates at = target_.plan.shape().coordinates(own.node);
    std::array<std::uint8_t, 16> word{};
    std::memcpy(word.data(), &target_.completion, sizeof target_.completion);
    descriptors_.push_back(
        Descriptor()
            .set<d::opcode>(Opcode::kPut)
            .set<d::immediate_valid>(1)
            .set<d::length>(sizeof target_.completion)
            .set<d::immediate>(word)
            .set<d::interrupt_target>(1)
            .set<d::header>(PacketHeader()
                                .set<h::dst_x>(at.x)
                                .set<h::dst_y>(at.y)
                                .set<h::dst_z>(at.z)
                                .set<h::target>(own_region().value)
                                .set<h::offset>(target_.plan.offload_completion(target_.group))));
  }

  // Dissemination toward lower members: then those that a member hears from are its children in the
  // trees of gather and reduce, and need no counters of their own.
  void barrier() {
    std::map<std::uint32_t, std::uint32_t> taken;  // messages of each source so far
    for (const Step& step : view_.schedule.steps) {
      if (step.kind == Step::Kind::kReceive) ++taken[step.member];
    }
    for (std::uint32_t distance = 1; distance < members_; distance *= 2) {
      signal((rank_ + members_ - distance) % members_);
      const std::uint32_t source = (rank_ + distance) % members_;
      await(view_.counter_of(source), ++taken[source]);
    }
  }

  const MemberView& peer(std::uint32_t member) {
    const auto found = peers_.find(member);
    if (found != peers_.end()) return found->second;
    return peers_.emplace(member, view_of(call_, algorithm_, members_, member)).first->second;
  }

  Call call_;
  const Operator& op_;
  Algorithm algorithm_;
  std::uint32_t members_;
  std::uint32_t rank_;
  const TranslationTarget& target_;
  MemberView view_;
  std::map<std::uint32_t, MemberView> peers_;
  SourceCounts awaited_{};
  std::vector<Descriptor> descriptors_;
};

// At most so many descriptors: a WAIT for each receive, one for each other step, and the end.
std::size_t most_descriptors(const MemberView& view, std::uint32_t members) {
  std::size_t rounds = 0;
  for (std::uint32_t distance = 1; distance < members; distance *= 2) ++rounds;
  return view.schedule.steps.size() + 2 + (view.barrier_follows ? 2 * rounds : 0);
}

}  // namespace

std::uint32_t MemberView::counter_of(std::uint32_t source) const {
  const auto found = std::find(sources.begin(), sources.end(), source);
  assert(found != sources.end());
  return static_cast<std::uint32_t>(found - sources.begin()) % kSourceCounters;
}

Bytes MemberView::place_of(std::uint32_t source, std::uint32_t number) const {
  const auto found =
      std::find_if(schedule.steps.begin(), schedule.steps.end(), [&](const Step& step) {
        return step.kind == Step::Kind::kReceive && step.member == source && step.number == number;
      });
  assert(found != schedule.steps.end());
  const Part& part = found->to;
  return (part.buffer == Buffer::kOut ? whole_lines(schedule.scratch_bytes) : 0) + part.offset;
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
    if (step.kind == Step::Kind::kReceive) ++view.arrivals[view.counter_of(step.member)];
  }
  if (view.barrier_follows) {
    for (std::uint32_t k = 1; k < members; k *= 2) {
      ++view.arrivals[view.counter_of((rank + k) % members)];
    }
  }
  view.window_bytes = whole_lines(view.schedule.scratch_bytes) + output_bytes(call, members, rank);
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
    if (combines(view.schedule) && (op.is_user() || !element_of(op.type()))) return false;
    const bool told_apart = view.sources.size() <= kSourceCounters ||
                            (!view.barrier_follows && !forwards(view.schedule));
    if (!told_apart || !is_in_words(view.schedule) ||
        view.window_bytes > plan.options().offload_window ||
        most_descriptors(view, members) > plan.options().offload_slots) {
      return false;
    }
  }
  return true;
}

Translation translate(const Call& call, const Operator& op, Algorithm algorithm, std::uint32_t rank,
                      const TranslationTarget& target) {
  return Translator(call, op, algorithm, rank, target).run();
}

}  // namespace torusmu
