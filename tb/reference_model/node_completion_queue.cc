// SPDX-License-Identifier: Apache-2.0
// Completion queues of the reference node: the entries of descriptors that ask for one.
#include <algorithm>

#include "tb/reference_model/node_model.h"

namespace torusmu::model {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace e = layout::completion_entry;
namespace peer = registers::injection_queue::peer_field;

constexpr std::uint64_t kMostLost = 0xFFFFFFFF;

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

}  // namespace

bool ReferenceNode::is_own_completion_queue(std::uint32_t queue, std::uint32_t client) const {
  return queue < completions_.size() && completions_[queue].enabled() &&
         completions_[queue].owner() == client;
}

void ReferenceNode::signal(std::uint32_t number, const Descriptor& descriptor, Status status,
                           std::optional<Received> received) {
  const Queue& queue = queues_[number];
  const bool sends = descriptor.get<d::opcode>() == Opcode::kSend;
  const Received of_descriptor{descriptor.get<d::length>(),
                               descriptor.get<d::header>().get<h::word>()};
  append_entry(number, descriptor, status,
               {.index = low(queue.head),
                .received = received.value_or(of_descriptor),
                .peer = sends ? target_of_send(queue, descriptor) : queue.peer_queue()});
}

void ReferenceNode::append_entry(std::uint32_t number, const Descriptor& descriptor, Status status,
                                 const Told& told) {
  if (descriptor.get<d::signal>() == 0) return;
  const Queue& queue = queues_[number];
  const bool named = extract(queue.peer, peer::completion_valid) != 0;
  const auto n = low(extract(queue.peer, peer::completion_queue));
  CompletionQueue* to = named && n < completions_.size() ? &completions_[n] : nullptr;
  const bool is_open = to != nullptr && is_own_completion_queue(n, queue.owner());
  const bool full = is_open && to->tail - to->head == to->size;
  if (!is_open || full) {
    if (to != nullptr) to->lost = std::min(to->lost + 1, kMostLost);
    raise(queue.owner(), Cause::kError);
    if (!is_open || !to->overwrites()) return;
    ++to->head;
  }
  const CompletionEntry entry = CompletionEntry()
                                    .set<e::phase>(~(to->tail / to->size) & 1)
                                    .set<e::status>(status)
                                    .set<e::opcode>(descriptor.get<d::opcode>())
                                    .set<e::queue>(number)
                                    .set<e::index>(told.index)
                                    .set<e::bytes>(low(told.received.bytes))
                                    .set<e::word>(told.received.word)
                                    .set<e::sequence_number>(descriptor.get<d::sequence_number>())
                                    .set<e::peer_x>(told.peer.node.x)
                                    .set<e::peer_y>(told.peer.node.y)
                                    .set<e::peer_z>(told.peer.node.z)
                                    .set<e::peer_queue>(told.peer.queue);
  if (!write_ring(to->base, to->size, to->tail, sizes_.completion_bytes, entry.bytes())) {
    raise(to->owner(), Cause::kError);
  }
  ++to->tail;
  if (to->interrupts()) {
    raise_by_part(to->owner(), Cause::kCompletion,
                  registers::client_page::interrupt_cause_field::completion_queues.lsb,
                  static_cast<std::size_t>(to - completions_.data()));
  }
}

Status ReferenceNode::move_completion_head(std::uint32_t client, std::uint32_t queue,
                                           std::uint32_t head) {
  if (!is_own_completion_queue(queue, client)) return Status::kDoorbellOwner;
  CompletionQueue& entry = completions_[queue];
  const std::uint32_t ahead = head - low(entry.head);
  if (ahead > entry.tail - entry.head) return Status::kDoorbellRange;
  entry.head += ahead;
  return Status::kOk;
}

}  // namespace torusmu::model
