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

// A CALC of one operand, inside regions of its own client: nobody else may write there.
Result<Descriptor> DynamicQueuePair::copy(const WorkCompletion& message, Address to,
                                          const WorkOptions& options) const {
  namespace c = layout::calc_operation;
  const Context& context = state_->queues.context();
  const NodePlan& plan = context.plan();
  const ClientId client = plan.place(context.task()).client;
  if (!message.kept || message.error || !message.dynamic || message.pair != state_->number ||
      *message.kept >= plan.boot_sends(client, state_->number)) {
    return Errc::kBadArgument;
  }
  auto descriptor = state_->queues.work(Opcode::kCalc, to, message.bytes, options);
  if (!descriptor) return descriptor;
  PacketHeader header;
  header.set<h::target>(descriptor.value().get<d::source_region>())
      .set<h::offset>(descriptor.value().get<d::source_offset>());
  return descriptor.value()
      .set<d::source_region>(0)
      .set<d::source_offset>(0)
      .set<d::element>(Element::kU8)
      .set<d::operands>(1)
      .set<d::immediate_valid>(1)
      .set<d::immediate>(
          CalcOperation()
              .set<c::left_region>(plan.boot_sends_region(client).value)
              .set<c::left_offset>(plan.boot_send_offset(state_->number, *message.kept))
              .bytes())
      .set<d::header>(header);
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
