// SPDX-License-Identifier: Apache-2.0
#include "host/src/pair_queues.h"

#include "host/src/calc_copy.h"

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace w = layout::wait_operation;

constexpr Bytes kMostBytes = 0xFFFFFFFF;  // of a SEND

// Who is told when it is done.
Descriptor told(Descriptor descriptor, const WorkOptions& options) {
  descriptor.set<d::signal>(options.signal ? 1 : 0)
      .set<d::interrupt_done>(options.interrupt ? 1 : 0)
      .set<d::sequence_number>(options.id);
  if (options.event) {
    descriptor.set<d::done_event_valid>(1).set<d::done_event>(options.event->value);
  }
  return descriptor;
}

}  // namespace

PairQueues::PairQueues(Context& context, std::uint32_t n)
    : context_(context),
      client_(context.plan().place(context.task()).client),
      n_(n),
      sends_(queue_of(NodePlan::End::kSend)),
      receives_(queue_of(NodePlan::End::kReceive)) {}

QueueId PairQueues::queue(NodePlan::End end) const {
  return context_.plan().pair_queue(client_, n_, end);
}
EventId PairQueues::event(NodePlan::End end) const {
  return context_.plan().pair_event(client_, n_, end);
}

SendQueue PairQueues::queue_of(NodePlan::End end) const {
  const NodePlan& plan = context_.plan();
  const std::uint32_t first_dynamic = plan.dynamic_pair(0);
  const bool keeps = n_ >= first_dynamic && end == NodePlan::End::kReceive;
  return {context_.device(),
          client_,
          queue(end),
          plan.pair_ring(client_, n_, end).address,
          plan.options().queue_pair_slots,
          keeps ? plan.boot_sends(client_, n_ - first_dynamic) : 0};
}

std::error_code PairQueues::post(SendQueue& queue, std::span<const Descriptor> list) {
  if (list.size() > queue.slots()) return Errc::kBadArgument;
  if (!queue.has_room(static_cast<std::uint32_t>(list.size()))) {
    return queue.device_gone() ? Errc::kDeviceGone : Errc::kAgain;
  }
  for (const Descriptor& descriptor : list) queue.post(descriptor);
  queue.ring();
  return {};
}

bool PairQueues::has_events(const WorkOptions& options) const {
  const std::uint32_t counters = context_.plan().sizes().event_counters;
  return (!options.event || options.event->value < counters) &&
         (!options.target_event || options.target_event->value < counters);
}

Result<Descriptor> PairQueues::work(Opcode opcode, Address at, Bytes bytes,
                                    const WorkOptions& options) const {
  if (bytes == 0 || (opcode == Opcode::kSend && bytes > kMostBytes) || !has_events(options)) {
    return Errc::kBadArgument;
  }
  const auto place = context_.name_memory(at, bytes);
  if (!place) return place.error();
  Descriptor descriptor = told(Descriptor().set<d::opcode>(opcode), options)
                              .set<d::source_region>(place.value().region.value)
                              .set<d::source_offset>(place.value().offset)
                              .set<d::length>(bytes);
  if (opcode == Opcode::kReceive) return descriptor;
  if (options.target_event) {
    descriptor.set<d::event_valid>(1).set<d::event_counter>(options.target_event->value);
  }
  return descriptor.set<d::header>(PacketHeader().set<h::word>(options.word));
}

Result<Descriptor> PairQueues::copy(InRegion from, Address to, Bytes bytes,
                                    const WorkOptions& options) const {
  if (bytes == 0 || !has_events(options)) return Errc::kBadArgument;
  const auto place = context_.name_memory(to, bytes);
  if (!place) return place.error();
  return told(calc_copy(from, {place.value().region, place.value().offset}, bytes), options);
}

// It names the region of the task's heap, which is open to puts.
Result<Descriptor> PairQueues::fence(Task task, const WorkOptions& options) const {
  const NodePlan& plan = context_.plan();
  if (task.value >= plan.tasks() || !has_events(options)) return Errc::kBadArgument;
  const Place place = plan.place(task);
  const Coordinates node = plan.shape().coordinates(place.node);
  return told(Descriptor().set<d::opcode>(Opcode::kFence), options)
      .set<d::header>(PacketHeader()
                          .set<h::dst_x>(node.x)
                          .set<h::dst_y>(node.y)
                          .set<h::dst_z>(node.z)
                          .set<h::target>(plan.heap_region(place.client).value));
}

// An operation on the receive queue.
Descriptor PairQueues::on_receives(Opcode opcode, std::uint32_t value) const {
  return Descriptor()
      .set<d::opcode>(opcode)
      .set<d::immediate>(WaitOperation().set<w::value>(value).bytes())
      .set<d::header>(PacketHeader().set<h::target>(queue(NodePlan::End::kReceive).value));
}
Descriptor PairQueues::wait_for_receives(std::uint32_t count) const {
  return on_receives(Opcode::kWait, count).set<d::on_queue>(1);
}
Descriptor PairQueues::enable(std::uint32_t count) const {
  return on_receives(Opcode::kRecvEn, count).set<d::relative>(1);
}

}  // namespace torusmu
