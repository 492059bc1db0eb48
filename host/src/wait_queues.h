// SPDX-License-Identifier: Apache-2.0
// The queues that have been looked at, of all nodes, and what is known of those that are held.
#ifndef TORUSMU_HOST_SRC_WAIT_QUEUES_H_
#define TORUSMU_HOST_SRC_WAIT_QUEUES_H_

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "torusmu/waits.h"

namespace torusmu::waits {

using QueuePlace = std::pair<std::uint32_t, std::uint32_t>;  // node, queue

// Who would do something for a held queue.
struct Helper {
  QueuePlace place;
  std::uint32_t descriptor = 0;  // that does it; or that must be done
  std::string_view what;         // its opcode
  std::uint64_t count = 0;       // how often
};

// A queue that does not go on.
struct Held {
  std::uint32_t descriptor = 0;
  std::string text{};
  std::uint64_t needs = 1;
  std::vector<Helper> helpers{};
  // It waits for what one queue does in its turn: while that is held, posting more does not help.
  bool is_of_queue = false;
  std::string missing{};   // what nobody has posted; empty if enough is posted
  std::uint32_t rank = 0;  // of those that may go on, helped by lower ranks alone
  [[nodiscard]] bool is_stuck() const { return rank == 0; }
};
using HeldQueues = std::map<QueuePlace, Held>;

class Queues {
 public:
  Queues(const Shape& shape, std::span<const NodeQueues> nodes);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] auto begin() const { return queues_.begin(); }
  [[nodiscard]] auto end() const { return queues_.end(); }
  // Null if that queue is off, or its node has not been looked at.
  [[nodiscard]] const QueueLook* find(QueuePlace place) const;
  [[nodiscard]] bool has_seen(std::uint32_t node) const { return seen_.contains(node); }
  [[nodiscard]] std::string name_of_node(std::uint32_t node) const;
  [[nodiscard]] std::string name_of(QueuePlace place) const;

  // Calls use(place, queue, index, descriptor) for what is posted in all queues, and for what their
  // GETs carry.
  template <typename Use>
  void for_each_posted(Use use) const {
    for (const auto& [place, queue] : queues_) {
      for (std::size_t i = 0; i < queue->posted.size(); ++i) {
        const auto index = static_cast<std::uint32_t>(queue->head + i);
        use(place, *queue, index, queue->posted[i].descriptor);
        for (const Descriptor& carried : queue->posted[i].carried) {
          use(place, *queue, index, carried);
        }
      }
    }
  }

 private:
  Shape shape_;
  std::set<std::uint32_t> seen_;  // nodes
  std::map<QueuePlace, const QueueLook*> queues_;
};

}  // namespace torusmu::waits

#endif  // TORUSMU_HOST_SRC_WAIT_QUEUES_H_
