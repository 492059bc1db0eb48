// SPDX-License-Identifier: Apache-2.0
#include "host/src/schedule_builder.h"

#include <algorithm>
#include <utility>

namespace torusmu {
namespace {

bool overlap(const Part& a, const Part& b) {
  return a.buffer == b.buffer && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

bool covers(const Part& a, const Part& b) {
  return a.buffer == b.buffer && a.offset <= b.offset && b.offset + b.bytes <= a.offset + a.bytes;
}

}  // namespace

ScheduleBuilder::ScheduleBuilder(const Call& call, std::uint32_t members, std::uint32_t rank)
    : call_(call), members_(members), rank_(rank), sent_(members), received_(members) {}

Part ScheduleBuilder::in(Bytes offset, Bytes bytes) const {
  if (!call_.in_place || call_.what == Collective::kScatter) return {Buffer::kIn, offset, bytes};
  return {Buffer::kOut, place_of_own(call_, rank_) + offset, bytes};
}

Part ScheduleBuilder::out(Bytes offset, Bytes bytes) const {
  if (!call_.in_place || call_.what != Collective::kScatter) return {Buffer::kOut, offset, bytes};
  return {Buffer::kIn, place_of_own(call_, rank_) + offset, bytes};
}

Part ScheduleBuilder::scratch(Bytes bytes) {
  constexpr Bytes kLine = 64;
  const Part part{Buffer::kScratch, schedule_.scratch_bytes, bytes};
  schedule_.scratch_bytes += (bytes + kLine - 1) / kLine * kLine;
  return part;
}

void ScheduleBuilder::send(std::uint32_t member, Part from) {
  if (from.bytes == 0) return;
  add({.kind = Step::Kind::kSend, .member = member, .number = sent_[member]++, .first = from},
      true);
}

void ScheduleBuilder::receive(std::uint32_t member, Part to, std::uint32_t batch) {
  if (to.bytes == 0) return;
  add({.kind = Step::Kind::kReceive,
       .member = member,
       .number = received_[member]++,
       .to = to,
       .batch = batch},
      false);
}

void ScheduleBuilder::combine(Part to, Part first, Part second) {
  if (to.bytes == 0) return;
  add({.kind = Step::Kind::kCombine, .to = to, .first = first, .second = second}, true);
}

void ScheduleBuilder::copy(Part to, Part from) {
  if (to.bytes == 0 || to == from) return;
  add({.kind = Step::Kind::kCopy, .to = to, .first = from}, true);
}

void ScheduleBuilder::signal(std::uint32_t member) {
  Step step{.kind = Step::Kind::kSend, .member = member, .number = sent_[member]++};
  step.after = awaited_;
  schedule_.steps.push_back(std::move(step));
}

void ScheduleBuilder::await_signal(std::uint32_t member, std::uint32_t batch) {
  awaited_.push_back(static_cast<std::uint32_t>(schedule_.steps.size()));
  schedule_.steps.push_back({.kind = Step::Kind::kReceive,
                             .member = member,
                             .number = received_[member]++,
                             .batch = batch});
}

void ScheduleBuilder::wait_for(const Part& part, bool writes,
                               std::vector<std::uint32_t>* after) const {
  if (part.bytes == 0) return;
  for (const Access& access : accesses_) {
    if ((writes || access.writes) && overlap(access.part, part)) after->push_back(access.step);
  }
}

// If the step waited for all before it, those that it covers need not be waited for any more.
void ScheduleBuilder::touch(std::uint32_t step, const Part& part, bool writes, bool forgets) {
  if (part.bytes == 0) return;
  if (writes && forgets) {
    std::erase_if(accesses_, [&](const Access& access) {
      return access.step != step && covers(part, access.part);
    });
  }
  accesses_.push_back({part, step, writes});
}

void ScheduleBuilder::add(Step step, bool waits) {
  const auto number = static_cast<std::uint32_t>(schedule_.steps.size());
  if (waits) {
    wait_for(step.first, false, &step.after);
    wait_for(step.second, false, &step.after);
    wait_for(step.to, true, &step.after);
    std::sort(step.after.begin(), step.after.end());
    step.after.erase(std::unique(step.after.begin(), step.after.end()), step.after.end());
  }
  touch(number, step.first, false, waits);
  touch(number, step.second, false, waits);
  touch(number, step.to, true, waits);
  schedule_.steps.push_back(std::move(step));
}

Schedule ScheduleBuilder::take(Algorithm algorithm) {
  schedule_.algorithm = algorithm;
  return std::move(schedule_);
}

std::vector<Blocks> blocks_of_parts(const ScheduleBuilder& builder) {
  const Bytes element = builder.call().element;
  const std::uint32_t count = allreduce_parts(builder.bytes(), builder.members());
  const Blocks parts(builder.call().count, element, count);
  std::vector<Blocks> list;
  for (std::uint32_t part = 0; part < count; ++part) {
    list.emplace_back(parts.bytes(part) / element, element, builder.members(), parts.offset(part));
  }
  return list;
}

}  // namespace torusmu
