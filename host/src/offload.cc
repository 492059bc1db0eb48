// SPDX-License-Identifier: Apache-2.0
#include "host/src/offload.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "torusmu/registers.h"

namespace torusmu {
namespace {

constexpr std::size_t kMostPrepared = 32;  // lists

}  // namespace

Offload::Offload(Context& context, std::span<const Task> members, std::uint32_t rank,
                 std::uint32_t group)
    : context_(context), members_(members), rank_(rank), group_(group) {
  const NodePlan& plan = context.plan();
  const ClientId client = plan.endpoint(context.task()).client;
  const auto queue = [&](QueueId id, const Range& ring) {
    return Queue{.index_register = registers::client_page::queue_index(client.value, id.value),
                 .ring = ring.address};
  };
  queue_ = queue(plan.offload_queue(client, group), plan.offload_ring(client, group));
  sum_queue_ = queue(plan.offload_sum_queue(client, group), plan.offload_sum_ring(client, group));
}

Offload::Key Offload::key_of(const Call& call, const Operator& op) {
  return {call.what, call.root, call.count, call.element, call.commutative, op.op(), op.type()};
}

std::optional<Algorithm> Offload::algorithm_for(const Call& call, const Operator& op) {
  if (op.is_user()) return std::nullopt;
  const Key key = key_of(call, op);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const auto members = static_cast<std::uint32_t>(members_.size());
  std::optional<Algorithm> found;
  for (const Algorithm algorithm : mu_algorithms(call, members)) {
    if (found) break;
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
    if (next_ == nullptr) next_ = &prepare(waiting_.front());
    any = true;  // room raises no interrupt, so it is looked for again and again
    if (!may_post(next_->translation)) break;
    post(*next_);
    next_ = nullptr;
    waiting_.pop_front();
  }
  return any;
}

Offload::Prepared& Offload::prepare(const Waiting& call) {
  const auto window = static_cast<std::uint32_t>(posted_ % 2);
  const TranslationTarget target{.plan = context_.plan(),
                                 .members = members_,
                                 .group = group_,
                                 .window = window,
                                 .before = windows_.at(window).counted,
                                 .posted_before = queue_.tail,
                                 .sums_before = sum_queue_.tail,
                                 .in = call.in,
                                 .out = call.out,
                                 .completion = posted_ + 1};
  const ListKey key{key_of(call.call, call.op), window, call.in, call.out};
  if (const auto found = prepared_.find(key); found != prepared_.end()) {
    renew(&found->second.translation, target);
    return found->second;
  }
  if (prepared_.size() == kMostPrepared) prepared_.clear();
  return prepared_[key] = {.translation =
                               translate(call.call, call.op, call.algorithm, rank_, target)};
}

bool Offload::may_post(const Translation& translation) {
  // Lists of operands lie in the window, where the collective before it may still read its own.
  if (!translation.operands.empty() && posted_ > 1 && !is_complete(posted_ - 1)) return false;
  return has_room(queue_, translation.descriptors.size()) &&
         has_room(sum_queue_, translation.sums.size());
}

bool Offload::has_room(Queue& queue, std::size_t descriptors) {
  const std::uint32_t slots = context_.plan().options().offload_slots;
  const auto fits = [&] { return queue.tail - queue.head + descriptors <= slots; };
  if (fits()) return true;
  const std::uint32_t head = context_.device().read32(queue.index_register);
  // All ones: nobody answers.
  if (head - queue.head <= queue.tail - queue.head) queue.head = head;
  return fits();
}

void Offload::store(Queue& queue, std::span<const Descriptor> descriptors) {
  const std::uint32_t slots = context_.plan().options().offload_slots;
  Device& device = context_.device();
  for (const Descriptor& descriptor : descriptors) {
    const auto bytes = descriptor.bytes();
    device.store(queue.ring + Address{queue.tail % slots} * Descriptor::kBytes,
                 std::as_bytes(std::span(bytes)));
    ++queue.tail;
  }
}

void Offload::store_operands(const Translation& translation) {
  if (translation.operands.empty()) return;
  std::vector<std::byte> list(translation.operands.size() * Operand::kBytes);
  for (std::size_t i = 0; i < translation.operands.size(); ++i) {
    const auto bytes = translation.operands[i].bytes();
    std::memcpy(&list[i * Operand::kBytes], bytes.data(), bytes.size());
  }
  const ClientId client = context_.plan().endpoint(context_.task()).client;
  Device& device = context_.device();
  device.store(context_.plan().offload_area(client).address + translation.operands_at, list);
}

void Offload::pay_for(const Prepared& prepared) {
  const Translation& list = prepared.translation;
  constexpr std::size_t kOperandsOfLine = Descriptor::kBytes / Operand::kBytes;
  const std::size_t lines = list.descriptors.size() + list.sums.size() +
                            (list.operands.size() + kOperandsOfLine - 1) / kOperandsOfLine;
  const std::size_t built = prepared.is_new ? lines : list.patches.size();
  context_.device().work(Work::kBuildDescriptor, built);
  context_.device().work(Work::kCopyLine, lines - built);
}

void Offload::post(Prepared& prepared) {
  pay_for(prepared);
  prepared.is_new = false;
  const Translation& translation = prepared.translation;
  store_operands(translation);
  store(sum_queue_, translation.sums);
  store(queue_, translation.descriptors);
  SourceCounts& counted = windows_.at(posted_ % 2).counted;
  for (std::size_t i = 0; i < counted.size(); ++i) counted.at(i) += translation.arrivals.at(i);
  ++posted_;
  Device& device = context_.device();
  if (!translation.sums.empty()) device.write32(sum_queue_.index_register, sum_queue_.tail);
  device.write32(queue_.index_register, queue_.tail);
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
