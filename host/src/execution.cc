// SPDX-License-Identifier: Apache-2.0
#include "host/src/execution.h"

#include <utility>

namespace torusmu {

Execution::Execution(Context& context, std::span<const Task> members, std::uint32_t tag,
                     Schedule schedule, const Buffers& buffers, Operator op)
    : context_(context),
      members_(members),
      tag_(tag),
      schedule_(std::move(schedule)),
      buffers_(buffers),
      op_(std::move(op)),
      open_(schedule_.steps.size()),
      waits_for_(open_),
      dependents_(open_),
      sent_(members.size()) {
  for (std::uint32_t step = 0; step < open_; ++step) {
    waits_for_[step] = schedule_.steps[step].after.size();
    for (const std::uint32_t earlier : schedule_.steps[step].after) {
      dependents_[earlier].push_back(step);
    }
    if (waits_for_[step] == 0) ready_.insert(step);
  }
}

bool Execution::advance() {
  bool moved = false;
  while (!is_over()) {
    const bool completed = take_completions();
    const bool started = start_ready();
    if (!completed && !started) break;
    moved = true;
  }
  return moved;
}

bool Execution::take_completions() {
  bool any = false;
  for (std::size_t i = 0; i < under_way_.size() && !error_;) {
    const Message message = under_way_[i];
    Completion completion;
    if (!context_.test(message.request, &completion)) {
      ++i;
      continue;
    }
    any = true;
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(i));
    const Step& step = schedule_.steps[message.step];
    // A shorter message: the members have called with different lengths.
    const bool is_short = step.kind == Step::Kind::kReceive && completion.length < step.to.bytes;
    error_ = completion.error;
    if (!error_ && is_short) error_ = Errc::kBadArgument;
    if (!error_) finish(message.step);
  }
  return any;
}

bool Execution::start_ready() {
  bool any = false;
  auto next = ready_.begin();
  while (next != ready_.end() && !error_) {
    const std::uint32_t step = *next;
    if (!may_start(schedule_.steps[step])) {
      ++next;
      continue;
    }
    ready_.erase(next);
    any = true;
    start(step);
    // What has become ready meanwhile comes later in the list.
    next = ready_.upper_bound(step);
  }
  return any;
}

// Messages between two members are matched in the order in which they are sent.
bool Execution::may_start(const Step& step) const {
  return step.kind != Step::Kind::kSend || sent_[step.member] == step.number;
}

void Execution::start(std::uint32_t number) {
  const Step& step = schedule_.steps[number];
  switch (step.kind) {
    case Step::Kind::kSend:
    case Step::Kind::kReceive: {
      const bool sends = step.kind == Step::Kind::kSend;
      const Task other = members_[step.member];
      const auto request =
          sends ? context_.send_internal(other, tag_, address_of(step.first), step.first.bytes)
                : context_.receive_internal(other, tag_, address_of(step.to), step.to.bytes);
      if (!request) {
        error_ = request.error();
        return;
      }
      if (sends) ++sent_[step.member];
      under_way_.push_back({number, request.value()});
      return;
    }
    case Step::Kind::kCombine:
      combine(step);
      break;
    case Step::Kind::kCopy:
      copy(step);
      break;
  }
  finish(number);
}

void Execution::finish(std::uint32_t step) {
  --open_;
  for (const std::uint32_t later : dependents_[step]) {
    if (--waits_for_[later] == 0) ready_.insert(later);
  }
}

void Execution::copy(const Step& step) {
  constexpr Bytes kLine = 64;
  const auto data = load(step.first);
  context_.device().work(Work::kCopyLine, (data.size() + kLine - 1) / kLine);
  context_.device().store(address_of(step.to), data);
}

void Execution::combine(const Step& step) {
  auto first = load(step.first);
  const auto second = load(step.second);
  op_.combine(first, second);
  context_.device().compute(first.size() / op_.element());
  context_.device().store(address_of(step.to), first);
}

Address Execution::address_of(const Part& part) const {
  switch (part.buffer) {
    case Buffer::kIn:
      return buffers_.in + part.offset;
    case Buffer::kOut:
      return buffers_.out + part.offset;
    case Buffer::kScratch:
      return buffers_.scratch + part.offset;
  }
  return 0;
}

std::vector<std::byte> Execution::load(const Part& part) {
  std::vector<std::byte> data(part.bytes);
  context_.device().load(address_of(part), data);
  return data;
}

}  // namespace torusmu
