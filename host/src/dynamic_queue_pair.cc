// SPDX-License-Identifier: Apache-2.0
#include "torusmu/dynamic_queue_pair.h"

#include "host/src/pair_queues.h"

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;

}  // namespace

struct DynamicQueuePair::State {
  State(Context& context, std::uint32_t own_number)
      : number(own_number), queues(context, context.plan().dynamic_pair(own_number)) {}

  std::uint32_t number;
  PairQueues queues;
};

DynamicQueuePair::DynamicQueuePair(std::unique_ptr<State> state) : state_(std::move(state)) {}
DynamicQueuePair::DynamicQueuePair(DynamicQueuePair&&) noexcept = default;
DynamicQueuePair& DynamicQueuePair::operator=(DynamicQueuePair&&) noexcept = default;
DynamicQueuePair::~DynamicQueuePair() = default;

Result<DynamicQueuePair> DynamicQueuePair::open(Context& context, std::uint32_t number) {
  const NodePlan& plan = context.plan();
  if (number >= plan.options().dynamic_pairs ||
      plan.context_of_pair(plan.dynamic_pair(number)) != context.id()) {
    return Errc::kBadArgument;
  }
  return DynamicQueuePair(std::make_unique<State>(context, number));
}

std::uint32_t DynamicQueuePair::number() const { return state_->number; }

std::error_code DynamicQueuePair::post_receive(Address buffer, Bytes capacity,
                                               const WorkOptions& options) {
  const auto descriptor = receive(buffer, capacity, options);
  return descriptor ? post_receives({&descriptor.value(), 1}) : descriptor.error();
}
std::error_code DynamicQueuePair::post_send(const PairName& to, Address data, Bytes bytes,
                                            const WorkOptions& options) {
  const auto descriptor = send(to, data, bytes, options);
  return descriptor ? post({&descriptor.value(), 1}) : descriptor.error();
}
std::error_code DynamicQueuePair::post_copy(const WorkCompletion& message, Address to,
                                            const WorkOptions& options) {
  const auto descriptor = copy(message, to, options);
  return descriptor ? post({&descriptor.value(), 1}) : descriptor.error();
}
std::error_code DynamicQueuePair::enable_receives(std::uint32_t count) {
  return state_->queues.enable_receives(count);
}

std::error_code DynamicQueuePair::post(std::span<const Descriptor> list) {
  return state_->queues.post(list);
}
std::error_code DynamicQueuePair::post_receives(std::span<const Descriptor> list) {
  return state_->queues.post_receives(list);
}

Result<Descriptor> DynamicQueuePair::receive(Address buffer, Bytes capacity,
                                             const WorkOptions& options) const {
  return state_->queues.work(Opcode::kReceive, buffer, capacity, options);
}

Result<Descriptor> DynamicQueuePair::send(const PairName& to, Address data, Bytes bytes,
                                          const WorkOptions& options) const {
  const NodePlan& plan = state_->queues.context().plan();
  if (to.task.value >= plan.tasks() || to.pair >= plan.options().dynamic_pairs) {
    return Errc::kBadArgument;
  }
  auto descriptor = state_->queues.work(Opcode::kSend, data, bytes, options);
  if (!descriptor) return descriptor;
  const Place place = plan.place(to.task);
  const Coordinates node = plan.shape().coordinates(place.node);
  const QueueId queue =
      plan.pair_queue(place.client, plan.dynamic_pair(to.pair), NodePlan::End::kReceive);
  return descriptor.value().set<d::header>(descriptor.value()
                                               .get<d::header>()
                                               .set<h::dst_x>(node.x)
                                               .set<h::dst_y>(node.y)
                                               .set<h::dst_z>(node.z)
                                               .set<h::target>(queue.value));
}

Result<Descriptor> DynamicQueuePair::copy(const WorkCompletion& message, Address to,
                                          const WorkOptions& options) const {
  const NodePlan& plan = state_->queues.context().plan();
  const ClientId client = plan.place(state_->queues.context().task()).client;
  const std::uint32_t number = state_->number;
  if (!message.kept || message.error || !message.dynamic || message.pair != number ||
      *message.kept >= plan.boot_sends(client, number)) {
    return Errc::kBadArgument;
  }
  return state_->queues.copy(
      {plan.boot_sends_region(client), plan.boot_send_offset(number, *message.kept)}, to,
      message.bytes, options);
}

Result<Descriptor> DynamicQueuePair::fence(Task task, const WorkOptions& options) const {
  return state_->queues.fence(task, options);
}

// The queue itself counts messages that have begun; its event counter those that are in memory.
Descriptor DynamicQueuePair::wait_for_messages(std::uint32_t count) const {
  return state_->queues.context().wait_for_event(state_->queues.event(NodePlan::End::kReceive),
                                                 count);
}
Descriptor DynamicQueuePair::enable(std::uint32_t count) const {
  return state_->queues.enable(count);
}

}  // namespace torusmu
