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
namespace s = layout::calc_shape;
namespace o = layout::operand;
namespace r = layout::reduction_step;

constexpr Bytes kSignalBytes = 8;
constexpr std::size_t kMostOperands = 16;  // of a CALC

bool overlap(const Part& a, const Part& b) {
  return a.buffer == b.buffer && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

Element element_of(DataType type) {
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
      return Element::kU8;
    case DataType::kI8:
      return Element::kI8;
    case DataType::kI16:
      return Element::kI16;
    case DataType::kU16:
      return Element::kU16;
    case DataType::kF16:
      return Element::kF16;
    case DataType::kBf16:
      return Element::kBf16;
  }
  return Element::kU8;
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
    case ReduceOp::kMinmaxloc:
      return Reduction::kMinmaxloc;
  }
  return Reduction::kSum;
}

std::array<std::uint8_t, 16> immediate_of(const Patch& patch, const TranslationTarget& target) {
  if (patch.what == Patch::What::kCompletion) {
    std::array<std::uint8_t, 16> word{};
    std::memcpy(word.data(), &target.completion, sizeof target.completion);
    return word;
  }
  const std::uint32_t before = patch.what == Patch::What::kPosted ? target.posted_before
                               : patch.what == Patch::What::kSums ? target.sums_before
                                                                  : target.before[patch.counter];
  return WaitOperation().set<w::value>(before + patch.value).bytes();
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
        view_(view_of(call, algorithm, members_, rank, target.plan.offload_counters())) {}

  Translation run() {
    written_.resize(view_.schedule.steps.size());
    for (std::uint32_t i = 0; i < written_.size(); ++i) {
      const Step& step = view_.schedule.steps[i];
      if (step.kind == Step::Kind::kReceive) continue;
      List& list = list_of(step);
      for (const std::uint32_t earlier : step.after) await(list, earlier);
      write(list, step);
      written_[i] = {&list, static_cast<std::uint32_t>(list.descriptors.size() + (open_ ? 1 : 0))};
    }
    if (view_.schedule.sums_beside) {
      end_beside();
    } else {
      end();
    }
    complete();
    barrier();
    return {std::move(sends_.descriptors),
            std::move(sums_.descriptors),
            std::move(lists_),
            window_offset() + view_.lists_at,
            view_.arrivals,
            std::move(patches_)};
  }

 private:
  // What one queue gets.
  struct List {
    std::vector<Descriptor> descriptors{};
    SourceCounts awaited{};           // arrivals that it has waited for
    std::uint32_t other_awaited = 0;  // descriptors of the other queue that it has waited for
  };
  struct Written {
    const List* list = nullptr;
    std::uint32_t count = 0;  // descriptors of the list once the step is in it
  };
  // Combines of which each goes on with the result of the one before: one CALC.
  struct OpenSum {
    List* list;
    Part to;
    std::vector<Part> operands;
  };

  List& list_of(const Step& step) {
    return view_.schedule.sums_beside && step.kind != Step::Kind::kSend ? sums_ : sends_;
  }
  void add(List& list, const Descriptor& descriptor) {
    close_sum();
    list.descriptors.push_back(descriptor);
  }
  // The last descriptor of the list has a value that changes from posting to posting.
  void remember(const List& list, Patch patch) {
    patch.in_sums = &list == &sums_;
    patch.index = static_cast<std::uint32_t>(list.descriptors.size() - 1);
    patches_.push_back(patch);
  }
  void write(List& list, const Step& step) {
    switch (step.kind) {
      case Step::Kind::kSend:
        send(list, step);
        break;
      case Step::Kind::kCombine:
        combine(list, step);
        break;
      case Step::Kind::kCopy:
        copy(list, place_of(step.to), place_of(step.first), step.to.bytes);
        break;
      case Step::Kind::kReceive:
        break;
    }
  }

  // Everything has come and the output is where the program wants it.
  void end() {
    for (const Step& step : view_.schedule.steps) await(sends_, step);
    const Bytes bytes = output_bytes(call_, members_, rank_);
    if (view_.staged && bytes != 0) {
      copy(sends_, target_.out, place_of({Buffer::kOut, 0, bytes}), bytes);
    }
  }
  // The same with batches: each is copied while the next is on its way.
  void end_beside() {
    std::vector<Part> here;
    if (call_.in_place) here = own_output();
    for (const Step& step : view_.schedule.steps) {
      if (step.kind != Step::Kind::kReceive) continue;
      if (!is_awaited(sums_, step)) copy_output(&here);
      await(sums_, step);
      if (step.to.buffer == Buffer::kOut) here.push_back(step.to);
    }
    copy_output(&here);
    close_sum();
    await_other(sends_, static_cast<std::uint32_t>(sums_.descriptors.size()));
  }
  // What of the output is not received.
  [[nodiscard]] std::vector<Part> own_output() const {
    std::map<Bytes, Bytes> received;
    for (const Step& step : view_.schedule.steps) {
      if (step.kind == Step::Kind::kReceive && step.to.buffer == Buffer::kOut) {
        received[step.to.offset] = step.to.bytes;
      }
    }
    const Bytes end = output_bytes(call_, members_, rank_);
    received[end] = 0;
    std::vector<Part> own;
    Bytes at = 0;
    for (const auto& [offset, bytes] : received) {
      if (offset > at) own.push_back({Buffer::kOut, at, offset - at});
      at = offset + bytes;
    }
    return own;
  }
  // Copies parts of the staged output, adjacent ones at once.
  void copy_output(std::vector<Part>* parts) {
    if (!view_.staged) parts->clear();
    std::sort(parts->begin(), parts->end(),
              [](const Part& a, const Part& b) { return a.offset < b.offset; });
    for (std::size_t i = 0; i < parts->size();) {
      Part part = (*parts)[i++];
      while (i < parts->size() && (*parts)[i].offset == part.offset + part.bytes) {
        part.bytes += (*parts)[i++].bytes;
      }
      copy(sums_, {target_.out.region, target_.out.offset + part.offset}, staged_place_of(part),
           part.bytes);
    }
    parts->clear();
  }

  [[nodiscard]] RegionId own_region() const {
    return target_.plan.offload_region(home_of(rank_).client);
  }
  [[nodiscard]] Place home_of(std::uint32_t member) const {
    return target_.plan.place(target_.members[member]);
  }
  [[nodiscard]] Bytes window_offset() const {
    return target_.plan.offload_window(target_.group, target_.window);
  }
  [[nodiscard]] RegionPlace staged_place_of(const Part& output) const {
    return {own_region(), window_offset() + view_.output_at + output.offset};
  }
  [[nodiscard]] RegionPlace place_of(const Part& part) const {
    switch (part.buffer) {
      case Buffer::kIn:
        return {target_.in.region, target_.in.offset + part.offset};
      case Buffer::kOut:
        if (!is_staged(part)) return {target_.out.region, target_.out.offset + part.offset};
        return staged_place_of(part);
      case Buffer::kScratch:
        break;
    }
    return {own_region(), window_offset() + part.offset};
  }

  // Beside sends, sums are put where the program wants them, unless its input lies there.
  [[nodiscard]] bool is_staged(const Part& part) const {
    if (!view_.staged || !view_.schedule.sums_beside || call_.in_place) return view_.staged;
    return std::any_of(
        view_.schedule.steps.begin(), view_.schedule.steps.end(),
        [&](const Step& step) { return step.kind == Step::Kind::kReceive && step.to == part; });
  }

  // A packet to a member's window or bell, counted there.
  Descriptor packet_to(std::uint32_t member, std::uint32_t counter, Bytes offset, Bytes bytes) {
    const Place to = home_of(member);
    const Coordinates at = target_.plan.shape().coordinates(to.node);
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
  void send(List& list, const Step& step) {
    const Bytes bytes = step.first.bytes;
    if (bytes == 0) {
      signal(step.member);
      return;
    }
    const RegionPlace from = place_of(step.first);
    const MemberView& there = peer(step.member);
    const Step& receive = there.receive_of(rank_, step.number);
    add(list, packet_to(step.member, there.counter_of(receive),
                        window_offset() + there.place_of(receive), bytes)
                  .set<d::source_region>(from.region.value)
                  .set<d::source_offset>(from.offset));
  }
  void signal(std::uint32_t member) {
    add(sends_, packet_to(member, peer(member).counter_of(rank_),
                          target_.plan.offload_bell(target_.group), kSignalBytes)
                    .set<d::immediate_valid>(1));
  }

  // Nothing behind it in the list runs before that step is over.
  void await(List& list, std::uint32_t earlier) {
    const Step& step = view_.schedule.steps[earlier];
    if (step.kind == Step::Kind::kReceive) {
      await(list, step);
    } else if (written_[earlier].list != &list) {
      await_other(list, written_[earlier].count);
    }
  }
  [[nodiscard]] bool is_awaited(const List& list, const Step& receive) const {
    return list.awaited[view_.counter_of(receive)] >= view_.arrivals_of(receive);
  }
  void await(List& list, const Step& step) {
    if (step.kind != Step::Kind::kReceive) return;
    await(list, view_.counter_of(step), view_.arrivals_of(step));
  }
  void await(List& list, std::uint32_t counter, std::uint32_t arrivals) {
    if (list.awaited[counter] >= arrivals) return;
    list.awaited[counter] = arrivals;
    const Patch patch{.counter = counter, .value = arrivals};
    const ClientId own = home_of(rank_).client;
    add(list, Descriptor()
                  .set<d::opcode>(Opcode::kWait)
                  .set<d::event_valid>(1)
                  .set<d::event_counter>(
                      target_.plan.offload_event(own, target_.group, target_.window, counter).value)
                  .set<d::immediate>(immediate_of(patch, target_)));
    remember(list, patch);
  }
  // Until the other queue has done so many descriptors of its list.
  void await_other(List& list, std::uint32_t count) {
    if (list.other_awaited >= count) return;
    list.other_awaited = count;
    const ClientId own = home_of(rank_).client;
    const bool for_sums = &list == &sends_;
    const QueueId queue = for_sums ? target_.plan.offload_sum_queue(own, target_.group)
                                   : target_.plan.offload_queue(own, target_.group);
    const Patch patch{.what = for_sums ? Patch::What::kSums : Patch::What::kPosted, .value = count};
    add(list, Descriptor()
                  .set<d::opcode>(Opcode::kWait)
                  .set<d::on_queue>(1)
                  .set<d::immediate>(immediate_of(patch, target_))
                  .set<d::header>(PacketHeader().set<h::target>(queue.value)));
    remember(list, patch);
  }

  static Descriptor calculation(RegionPlace to, Bytes bytes, std::size_t operands) {
    return Descriptor()
        .set<d::opcode>(Opcode::kCalc)
        .set<d::operands>(operands)
        .set<d::length>(bytes)
        .set<d::header>(PacketHeader().set<h::target>(to.region.value).set<h::offset>(to.offset));
  }
  // With the result so far, which is then not stored if it would lie elsewhere: nobody else needs
  // it.
  [[nodiscard]] bool goes_on(const OpenSum& sum, const List& list, const Step& step) const {
    if (sum.list != &list || step.first != sum.to || sum.operands.size() == kMostOperands) {
      return false;
    }
    if (step.to == sum.to) return true;
    const auto& steps = view_.schedule.steps;
    return std::none_of(steps.begin() + (&step - steps.data()) + 1, steps.end(),
                        [&](const Step& later) {
                          return overlap(later.first, sum.to) || overlap(later.second, sum.to);
                        });
  }
  void combine(List& list, const Step& step) {
    if (open_ && goes_on(*open_, list, step)) {
      open_->to = step.to;
      open_->operands.push_back(step.second);
      return;
    }
    close_sum();
    open_ = {&list, step.to, {step.first, step.second}};
  }
  void close_sum() {
    if (!open_) return;
    const OpenSum sum = *std::exchange(open_, std::nullopt);
    Descriptor descriptor = calculation(place_of(sum.to), sum.to.bytes, sum.operands.size())
                                .set<d::reduction>(reduction_of(op_.op()))
                                .set<d::element>(element_of(op_.type()));
    if (sum.operands.size() == 2 && op_.steps().empty()) {
      const RegionPlace left = place_of(sum.operands[0]);
      const RegionPlace right = place_of(sum.operands[1]);
      descriptor.set<d::immediate_valid>(1).set<d::immediate>(
          CalcOperation()
              .set<c::left_region>(left.region.value)
              .set<c::left_offset>(left.offset)
              .set<c::right_region>(right.region.value)
              .set<c::right_offset>(right.offset)
              .bytes());
    } else {
      descriptor.set<d::source_region>(own_region().value)
          .set<d::source_offset>(window_offset() + view_.lists_at +
                                 lists_.size() * sizeof(ListEntry))
          .set<d::immediate>(CalcShape().set<s::steps>(op_.steps().size()).bytes());
      for (const Part& operand : sum.operands) list_operand(place_of(operand));
      for (const ReduceStep& step : op_.steps()) list_step(step);
    }
    sum.list->descriptors.push_back(descriptor);
  }
  void list_operand(RegionPlace place) {
    const Bytes stride = op_.op() == ReduceOp::kMinmaxloc ? call_.element / 2 : call_.element;
    lists_.push_back(Operand()
                         .set<o::region>(place.region.value)
                         .set<o::offset>(place.offset)
                         .set<o::stride>(stride)
                         .bytes());
  }
  void list_step(const ReduceStep& step) {
    lists_.push_back(ReductionStep()
                         .set<r::reduction>(reduction_of(step.op))
                         .set<r::element>(element_of(step.type))
                         .set<r::changes>(StepOf::kCombined)
                         .set<r::constant_valid>(step.constant.has_value())
                         .set<r::constant>(step.constant.value_or(0))
                         .bytes());
  }
  void copy(List& list, RegionPlace to, RegionPlace from, Bytes bytes) {
    const auto operand =
        CalcOperation().set<c::left_region>(from.region.value).set<c::left_offset>(from.offset);
    add(list, calculation(to, bytes, 1)
                  .set<d::immediate_valid>(1)
                  .set<d::immediate>(operand.bytes())
                  .set<d::reduction>(Reduction::kBor)
                  .set<d::element>(bytes % 4 == 0 ? Element::kU32 : Element::kU8));
  }

  // The completion entry: a word of this node's memory, and an interrupt.
  void complete() {
    const Place own = home_of(rank_);
    const Coordinates at = target_.plan.shape().coordinates(own.node);
    const Patch patch{.what = Patch::What::kCompletion};
    add(sends_,
        Descriptor()
            .set<d::opcode>(Opcode::kPut)
            .set<d::immediate_valid>(1)
            .set<d::length>(sizeof target_.completion)
            .set<d::immediate>(immediate_of(patch, target_))
            .set<d::interrupt_target>(1)
            .set<d::signal>(target_.is_told ? 1 : 0)
            .set<d::header>(PacketHeader()
                                .set<h::dst_x>(at.x)
                                .set<h::dst_y>(at.y)
                                .set<h::dst_z>(at.z)
                                .set<h::target>(own_region().value)
                                .set<h::offset>(target_.plan.offload_completion(target_.group))));
    remember(sends_, patch);
  }

  void barrier() {
    for (const Step& step : view_.behind.steps) {
      if (step.kind == Step::Kind::kSend) {
        signal(step.member);
      } else {
        await(sends_, step);
      }
    }
  }

  const MemberView& peer(std::uint32_t member) {
    const auto found = peers_.find(member);
    if (found != peers_.end()) return found->second;
    return peers_.emplace(member, view_of(call_, algorithm_, members_, member, view_.counters))
        .first->second;
  }

  Call call_;
  const Operator& op_;
  Algorithm algorithm_;
  std::uint32_t members_;
  std::uint32_t rank_;
  const TranslationTarget& target_;
  MemberView view_;
  std::map<std::uint32_t, MemberView> peers_;
  List sends_;
  List sums_;
  std::vector<Written> written_;  // by step
  std::optional<OpenSum> open_;   // the last of its list
  std::vector<ListEntry> lists_;
  std::vector<Patch> patches_;
};

}  // namespace

Translation translate(const Call& call, const Operator& op, Algorithm algorithm, std::uint32_t rank,
                      const TranslationTarget& target) {
  return Translator(call, op, algorithm, rank, target).run();
}

void renew(Translation* translation, const TranslationTarget& target) {
  for (const Patch& patch : translation->patches) {
    auto& list = patch.in_sums ? translation->sums : translation->descriptors;
    list[patch.index].set<d::immediate>(immediate_of(patch, target));
  }
}

}  // namespace torusmu
