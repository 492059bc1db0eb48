// SPDX-License-Identifier: Apache-2.0
#include "host/src/offload.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "torusmu/registers.h"

namespace torusmu {

Offload::Offload(Context& context, std::span<const Task> members, std::uint32_t rank,
                 std::uint32_t group)
    : context_(context), members_(members), rank_(rank), group_(group) {}

std::optional<Algorithm> Offload::algorithm_for(const Call& call, const Operator& op) {
  if (op.is_user()) return std::nullopt;
  const Key key{call.what,        call.root, call.count, call.element,
                call.commutative, op.op(),   op.type()};
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const auto members = static_cast<std::uint32_t>(members_.size());
  std::optional<Algorithm> found;
  // The one that software would take; or, where the order of a reduction does not hang on it, the
  // other.
  const Algorithm chosen = choose(call, members);
  const auto rules = algorithm_rules();
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [&](const AlgorithmRule& r) { return r.what == call.what; });
  const bool reduces = call.what == Collective::kReduce || call.what == Collective::kAllreduce ||
                       call.what == Collective::kReduceScatter;
  for (const Algorithm algorithm : {chosen, rule->shorter, rule->longer}) {
    if (found || (reduces && algorithm != chosen)) continue;
    if (is_translatable(call, op, algorithm, members, context_.plan())) found = algorithm;
  }
  known_[key] = found;
  return found;
}

std::uint64_t Offload::start(const Call& call, const Operator& op, Algorithm algorithm,
                             RegionPlace in, RegionPlace out) {
  waiting_.push_back({call, op, algorithm, in, out});
  return ++started_;
}

bool Offload::advance() {
  bool any = false;
  while (!waiting_.empty()) {
    if (!next_) {
      const Waiting& first = waiting_.front();
      const auto window = static_cast<std::uint32_t>(posted_ % 2);
      next_ = translate(first.call, first.op, first.algorithm, rank_,
                        {.plan = context_.plan(),
                         .members = members_,
                         .group = group_,
                         .window = window,
                         .before = windows_.at(window).counted,
                         .in = first.in,
                         .out = first.out,
                         .completion = posted_ + 1});
    }
    any = true;  // room raises no interrupt, so it is looked for again and again
    if (!has_room(static_cast<std::uint32_t>(next_->descriptors.size()))) break;
    post(*next_);
    next_.reset();
    waiting_.pop_front();
  }
  return any;
}

bool Offload::has_room(std::uint32_t descriptors) {
  const std::uint32_t slots = context_.plan().options().offload_slots;
  if (tail_ - head_ + descriptors <= slots) return true;
  const ClientId client = context_.plan().endpoint(context_.task()).client;
  const std::uint32_t head = context_.device().read32(registers::client_page::queue_index(
      client.value, context_.plan().offload_queue(client, group_).value));
  // All ones: nobody answers.
  if (head - head_ <= tail_ - head_) head_ = head;
  return tail_ - head_ + descriptors <= slots;
}

void Offload::post(const Translation& translation) {
  const auto count = static_cast<std::uint32_t>(translation.descriptors.size());
  const NodePlan& plan = context_.plan();
  const ClientId client = plan.endpoint(context_.task()).client;
  const std::uint32_t slots = plan.options().offload_slots;
  const Address ring = plan.offload_ring(client, group_).address;
  Device& device = context_.device();
  device.work(Work::kBuildDescriptor, count);
  for (const Descriptor& descriptor : translation.descriptors) {
    const auto bytes = descriptor.bytes();
    device.store(ring + Address{tail_ % slots} * Descriptor::kBytes,
                 std::as_bytes(std::span(bytes)));
    ++tail_;
  }
  SourceCounts& counted = windows_.at(posted_ % 2).counted;
  for (std::size_t i = 0; i < counted.size(); ++i) counted.at(i) += translation.arrivals.at(i);
  ++posted_;
  device.write32(
      registers::client_page::queue_index(client.value, plan.offload_queue(client, group_).value),
      tail_);
}

bool Offload::is_complete(std::uint64_t number) {
  if (completed_ < number) {
    const NodePlan& plan = context_.plan();
    const ClientId client = plan.endpoint(context_.task()).client;
    std::array<std::byte, sizeof completed_> word{};
    context_.device().load(plan.offload_area(client).address + plan.offload_completion(group_),
                           word);
    std::memcpy(&completed_, word.data(), sizeof completed_);
  }
  return completed_ >= number;
}

}  // namespace torusmu
