// SPDX-License-Identifier: Apache-2.0
#include "host/src/wait_queues.h"

namespace torusmu::waits {

Queues::Queues(const Shape& shape, std::span<const NodeQueues> nodes) : shape_(shape) {
  for (const NodeQueues& node : nodes) {
    seen_.insert(node.node.value);
    for (const QueueLook& queue : node.queues) {
      queues_[{node.node.value, queue.queue.value}] = &queue;
    }
  }
}

const QueueLook* Queues::find(QueuePlace place) const {
  const auto found = queues_.find(place);
  return found == queues_.end() ? nullptr : found->second;
}

std::string Queues::name_of_node(std::uint32_t node) const {
  const Coordinates at = shape_.coordinates({node});
  return "node (" + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) +
         ")";
}

std::string Queues::name_of(QueuePlace place) const {
  return name_of_node(place.first) + " queue " + std::to_string(place.second);
}

}  // namespace torusmu::waits
