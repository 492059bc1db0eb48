// SPDX-License-Identifier: Apache-2.0
// Who waits for whom: what stands at the head of each queue, what that waits for, and who would
// have to do it; followed from queue to queue and from node to node.
//
//   const WaitReport report = who_waits(context);         // the queues of this context
//   if (report.can_never_end()) std::puts(report.text().c_str());
//
//   const NodeQueues queues = look_at_queues(device, plan.sizes());   // on each node
//   const WaitReport report = who_waits(shape, all_of_them);          // the whole machine
//
// A look costs some register reads for each queue and changes nothing. It tells of queues at rest:
// one whose head moves while it is looked at goes on, and nobody is said to wait for it in vain.
#ifndef TORUSMU_WAITS_H_
#define TORUSMU_WAITS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "torusmu/context.h"
#include "torusmu/device.h"
#include "torusmu/layout.h"

namespace torusmu {

// What a queue shows.
struct QueueLook {
  struct Posted {
    Descriptor descriptor;
    std::vector<Descriptor> carried{};  // of a GET: what it has the other node run
  };
  QueueId queue{};
  ClientId owner{};
  QueueMode mode = QueueMode::kOff;
  bool cyclic = false, managed = false;
  bool halted = false;
  Status status = Status::kOk;        // of the first error
  std::uint32_t failed_at = 0;        // its descriptor
  std::uint32_t size = 0;             // slots
  std::uint32_t head = 0, limit = 0;  // descriptors done, and enabled
  std::optional<Coordinates> peer;    // if it is connected
  QueueId peer_queue{};               // then
  bool dynamic = false;               // without a peer of its own: any
  std::optional<EventId> event;       // bumped by each SEND or RECEIVE that names no other
  std::optional<CompletionQueueId> completions;
  std::vector<Posted> posted;  // from head on; of a cyclic queue one lap
  // Of a WAIT at the head: the count as it is, and the one to be reached. A threshold relative to
  // WAITs whose slots have been posted anew is not known.
  std::uint32_t count = 0;
  std::optional<std::uint32_t> threshold;
  bool moves = false;  // head was another at the end of the look
};

struct NodeQueues {
  NodeId node{};
  std::vector<QueueLook> queues;  // those that are on, by number
};

// All queues of a node, or those of one client alone, by register reads and loads of their rings.
NodeQueues look_at_queues(Device& device, const Sizes& sizes,
                          std::optional<ClientId> only = std::nullopt);

// A step of a chain: a queue that does not go on, or at the end why the chain ends.
struct WaitStep {
  NodeId node{};
  QueueId queue{};
  std::uint32_t descriptor = 0;  // at its head
  std::string text;              // all of this, and what it waits for
};

struct WaitChain {
  // True: the last step waits for the first, so that none of them can ever go on. False: the first
  // steps of what ends in `end`.
  bool cycle = false;
  std::vector<WaitStep> steps;  // each waits for the next
  // Why it ends: what nobody has posted, so that a core or an unseen queue must do it; or a step
  // that goes on, or that another chain tells of.
  std::string end;
};

struct WaitReport {
  std::vector<WaitChain> chains;  // cycles first
  // Nothing that is posted can let these queues go on.
  [[nodiscard]] bool can_never_end() const { return !chains.empty() && chains.front().cycle; }
  // For the reader, a line for each step; no more than so many chains.
  [[nodiscard]] std::string text(std::size_t most_chains = 16) const;
};

WaitReport who_waits(const Shape& shape, std::span<const NodeQueues> nodes);
// The queues of the context's own client; what other nodes have posted is not seen.
WaitReport who_waits(Context& context);

}  // namespace torusmu

#endif  // TORUSMU_WAITS_H_
