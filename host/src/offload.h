// SPDX-License-Identifier: Apache-2.0
// Collectives of one group that the MU runs by itself: posting them, and finding them complete.
#ifndef TORUSMU_HOST_SRC_OFFLOAD_H_
#define TORUSMU_HOST_SRC_OFFLOAD_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "host/src/schedule.h"
#include "host/src/translation.h"
#include "torusmu/collectives.h"
#include "torusmu/context.h"

namespace torusmu {

class Offload {
 public:
  // Group slot `group` of the plan. Context and members outlive this object. With `is_told` each
  // collective also has an entry in the completion queue of the client.
  Offload(Context& context, std::span<const Task> members, std::uint32_t rank, std::uint32_t group,
          bool is_told);
  ~Offload();
  Offload(const Offload&) = delete;
  Offload& operator=(const Offload&) = delete;

  // The algorithm that the MU would run this call with, or why it cannot.
  struct Choice {
    std::optional<Algorithm> algorithm{};
    ByCores why = ByCores::kGroup;
  };
  Choice choose_for(const Call& call, const Operator& op);
  // Takes a call; advance() posts its list, after those of the calls before it. Returns the number
  // of its completion.
  std::uint64_t start(const Call& call, const Operator& op, Algorithm algorithm, RegionPlace in,
                      RegionPlace out);
  // Posts lists, each at once and with one doorbell, as long as the queue has room; true if there
  // was one. After the posting the host does nothing for a collective.
  bool advance();
  // True once the completion entry of that number, or a later one, is in memory.
  bool is_complete(std::uint64_t number);

 private:
  struct Window {
    SourceCounts counted{};      // by its counters, once all that is posted has come
    std::uint32_t operands = 0;  // the list whose operands may lie there: the last that was posted
  };
  // A list that was posted before costs the core a copy, and little more where it differs. One that
  // was posted exactly a lap of the ring before still stands in its slots: there only what differs
  // is written.
  struct Prepared {
    std::uint32_t sends = 0, sums = 0;  // numbers of the lists of both queues: of no others, from 1
    Translation translation;
    bool is_new = true;
    bool is_padded = false;  // from the second posting on
  };
  struct Waiting {
    Call call;
    Operator op;
    Algorithm algorithm;
    RegionPlace in;
    RegionPlace out;
  };
  struct Queue {
    std::uint32_t index_register = 0;
    Address ring = 0;
    std::uint32_t tail = 0;   // descriptors
    std::uint32_t head = 0;   // the last that was read
    ComponentId component{};  // reads the head
    struct Posted {
      std::uint32_t index;
      std::uint32_t list;
      std::uint64_t collective;
    };
    std::deque<Posted> lap{};  // what was posted in the last lap, the oldest first
  };
  Prepared& prepare(const Waiting& call);
  bool may_post(const Translation& translation);
  bool has_room(Queue& queue, std::size_t descriptors) const;
  PollResult read_head(Queue& queue) const;
  PollResult read_completion();
  void pad(Prepared* prepared);
  bool stands_in_ring(Queue& queue, std::uint32_t list) const;
  void store(Queue& queue, const Prepared& prepared, bool in_sums);
  void store_whole(Queue& queue, const Prepared& prepared, std::span<const Descriptor> list,
                   std::size_t patches);
  void store_patch(const Queue& queue, std::uint32_t index, const Descriptor& descriptor);
  void store_operands(const Prepared& prepared);
  void post(Prepared& prepared);

  Context& context_;
  std::span<const Task> members_;
  std::uint32_t rank_;
  std::uint32_t group_;
  bool is_told_;
  std::uint64_t started_ = 0;  // collectives
  std::uint64_t posted_ = 0;
  std::deque<Waiting> waiting_;
  Prepared* next_ = nullptr;  // of the first that waits
  std::uint64_t completed_ = 0;
  ComponentId completion_;
  Queue queue_;
  std::optional<Queue> sum_queue_;  // if the plan has one
  std::array<Window, 2> windows_{};
  using Key = std::tuple<Collective, std::uint32_t, std::uint64_t, Bytes, bool, ReduceOp, DataType,
                         std::vector<ReduceStep>>;
  static Key key_of(const Call& call, const Operator& op);
  // Call, window, in, out.
  using ListKey = std::tuple<Key, std::uint32_t, RegionPlace, RegionPlace>;
  std::map<ListKey, Prepared> prepared_;
  std::uint32_t lists_ = 0;      // prepared so far
  std::map<Key, Choice> known_;  // what choose_for() has answered
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_OFFLOAD_H_
