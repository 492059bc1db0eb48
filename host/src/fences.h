// SPDX-License-Identifier: Apache-2.0
// Fences: FENCE descriptors in the send queue, behind what they fence (US 9,052,974).
//
// A FENCE is of a node, and holds the queue until that has answered. So the FENCEs of all fences
// that are under way are posted together, a round, one for each node that was sent to since it was
// fenced last; fences that are asked for meanwhile belong to the next round. When the queue's head
// has passed the last FENCE of a round, its event counter says whether all of them were done: one
// that failed bumps nothing, and then the round is repeated.
//
// What the targets have refused before they answered lies in the notice ring then, and is read
// before any fence of the round ends. A put that was refused is told of. A message that was refused
// goes out again, and the fence waits until it has been acknowledged.
//
// What goes through the segment of the node needs no FENCE: it is in memory once it is stored. A
// fence begins when nothing before it waits for room there. That of an endpoint of this node stores
// its word then, and if nothing that was posted to the node has still to be fenced it is complete.
#ifndef TORUSMU_HOST_SRC_FENCES_H_
#define TORUSMU_HOST_SRC_FENCES_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "host/src/agenda.h"
#include "host/src/channel.h"
#include "host/src/fetches.h"
#include "host/src/outbox.h"
#include "host/src/polled_sources.h"
#include "host/src/requests.h"
#include "host/src/sends.h"
#include "host/src/served.h"
#include "host/src/site.h"

namespace torusmu {

class Fences final : public Served {
 public:
  // `read_notices` reads all notices that have come: those of refusals are told of below.
  Fences(const Site& site, Agenda& agenda, Outbox& outbox, Requests& requests,
         PolledSources& polled, const Channels& channels, const Sends& sends,
         const Fetches& fetches, Segment& segment, std::function<void()> read_notices);

  // Of a task, or of all.
  Result<Request> fence(std::optional<Task> task) { return fence(task, std::nullopt); }
  Result<Request> fence(Endpoint endpoint);
  // Begins those that waited for room in the segment and have no longer to.
  void use_segment_room();
  // Completes the request of a put once the target has taken it.
  void add_of_put(std::uint32_t request, Task task) { add(request, task, true); }
  // True if the fence waits for messages that go out again.
  [[nodiscard]] bool is_resending(std::uint32_t request) const;

  // --- what others have found ---
  void put_refused(Task task, std::uint32_t index, std::error_code error);
  // Messages to the peer from that one on go out again.
  void sent_again(const Channel& to, std::uint64_t first);
  void notices_lost();
  // Messages have been acknowledged.
  void settle();

  // --- progress ---
  [[nodiscard]] bool is_round_open() const { return round_.open; }
  // True if a round has been answered.
  bool poll_round();
  void use_room() override { post_round(); }
  void run_timers() override;

 private:
  struct Fence {
    std::uint32_t request = 0;
    std::optional<Task> task{};  // nothing: all
    bool of_put_alone = false;   // what else is refused is not its business
    bool in_round = false;
    bool answered = false;
    bool waits = false;       // for messages that were not on their way, or have been refused
    std::uint32_t index = 0;  // what stands before this descriptor is fenced
    // How many messages must have ended then.
    std::vector<std::pair<const Channel*, std::uint64_t>> messages{};
  };
  // The FENCEs that are in the queue, for all fences that there were when the round began.
  struct Round {
    bool open = false;
    std::vector<Outbox::Destination> nodes{};
    std::size_t posted = 0;
    std::uint32_t index = 0;   // of the last
    Cycles retry_at = kNever;  // of a round that failed
    std::uint32_t tries = 0;
  };
  struct RefusedPuts {
    std::uint32_t first = 0, last = 0;  // descriptors
    std::error_code error;              // of the first
  };

  // One that has not begun, or begins now.
  struct Asked {
    std::uint32_t request = 0;
    std::optional<Task> task{};
    std::optional<Endpoint> word_for{};  // endpoint that it stores a word for
    std::uint64_t begun_to_wait = 0;     // for the segment, before it
  };

  Result<Request> fence(std::optional<Task> task, std::optional<Endpoint> word_for);
  void begin(const Asked& asked);
  // Nothing that was posted for the task has to be fenced by the MU.
  [[nodiscard]] bool is_fenced(Task task) const;
  void add(std::uint32_t request, std::optional<Task> task, bool of_put_alone);
  void start_round();
  void open_round();
  void post_round();
  void close_round();
  void end_round();
  void answer_round();
  void fail_round();
  [[nodiscard]] EventId event() const;
  [[nodiscard]] std::uint32_t read_event() const;
  [[nodiscard]] Descriptor descriptor_for(NodeId node) const;
  [[nodiscard]] bool concerns(const Fence& fence, NodeId node) const;
  [[nodiscard]] std::error_code outcome(const Fence& fence) const;
  void forget_refusals(const Fence& fence);

  const Site& site_;
  Agenda& agenda_;
  Outbox& outbox_;
  Requests& requests_;
  PolledSources& polled_;
  const Channels& channels_;
  const Sends& sends_;
  const Fetches& fetches_;
  Segment& segment_;
  const std::function<void()> read_notices_;
  std::deque<Asked> asked_;   // not begun, by age
  std::deque<Fence> fences_;  // by age
  Round round_;
  std::optional<std::uint32_t> done_;                  // the event counter when no round is open
  std::map<std::uint32_t, RefusedPuts> refused_puts_;  // by task: of which no fence has told
  std::set<std::uint32_t> unknown_;  // nodes of whose puts notices may have been lost
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_FENCES_H_
