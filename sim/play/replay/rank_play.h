// SPDX-License-Identifier: Apache-2.0
// One rank of a trace on its core: calls the host library as the trace says, and judges what comes.
#ifndef TORUSMU_SIM_PLAY_REPLAY_RANK_PLAY_H_
#define TORUSMU_SIM_PLAY_REPLAY_RANK_PLAY_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/play/replay/made_up.h"
#include "sim/play/replay/matching.h"
#include "sim/play/replay/play.h"
#include "torusmu/context.h"
#include "torusmu/plan.h"

namespace torusmu::replay {

inline constexpr Cycles kLinger = 300'000;  // a rank that is through still answers for so long

// A message that has been received.
struct Received {
  std::uint32_t from = 0;
  Tag tag = 0;
  std::uint64_t number = 0;
  Cycles start = 0;  // the call that receives
  Cycles complete = 0;
};

// What one rank has found out; only its own core writes it.
struct RankResult {
  Cycles begun = 0;
  Cycles ended = 0;
  Bytes compared = 0;
  Bytes wrong = 0;
  std::string first_wrong;
  std::uint64_t reductions = 0;
  std::uint64_t reductions_out_of_order = 0;
  std::uint64_t results_wrong = 0;
  std::string first_result_wrong;
  std::uint64_t results_rounded = 0;  // not the trace's, but MPI allows both
  std::vector<Cycles> started;        // of each call that sends: when
  std::vector<Received> receives;
  ContextCounts counts;
  PollCounts polling;
  std::uint64_t collectives_by_mu = 0;
  std::map<ByCores, std::uint64_t> collectives_by_cores;
};

// What all ranks of a play know.
struct Common {
  Common(Stage& its_stage, const Trace& its_trace, const PlayOptions& its_options,
         const NodePlan& its_plan);

  [[nodiscard]] NodeId node_of(std::uint32_t rank) const { return plan.place({rank}).node; }
  // A call has ended, or a rank computes until then.
  void progress(Cycles at);
  // Throws if no rank's call has ended for `stall_after` before `now`, with who waits for whom.
  void require_progress(Cycles now) const;
  [[nodiscard]] std::string explain() const;

  Stage& stage;
  const Trace& trace;
  const PlayOptions& options;
  const NodePlan& plan;
  const Matching matching;
  // Of each collective the result in the library's order; empty for those that reduce nothing.
  std::vector<std::vector<std::byte>> reductions;
  Cycles deadline = 0;
  Cycles stall_after = 0;
  struct Node {
    bool has_begun = false;  // a core sets it up; only the node's own cores look
    bool is_ready = false;
  };
  std::vector<Node> nodes;
  // Other ranks' cores may run in other threads.
  std::vector<std::atomic<std::size_t>> positions;  // the call in which each rank is
  std::atomic<std::size_t> playing{0};              // ranks that have begun
  std::atomic<Cycles> last_progress{0};
};

class RankPlay {
 public:
  RankPlay(Common& common, std::uint32_t rank, RankResult& result, Device& device)
      : common_(common), rank_(rank), own_(result), device_(device) {}
  void run();

 private:
  struct Operation {
    Request request;
    const TraceEvent* event = nullptr;
    Address buffer = 0;
    Cycles start = 0;
    std::uint64_t turn = 0;  // open receives: place among those of the same tag
  };
  // A receive whose message depends on the run. Which number it has is known once those before it
  // are over.
  struct Open {
    const TraceEvent* event = nullptr;
    bool complete = false;
    Received received;
    Bytes length = 0;
    std::vector<std::byte> data;  // the whole buffer
  };
  struct OpenReceives {
    std::uint64_t first = 0;  // place of the front
    std::deque<Open> list;
    std::map<std::uint32_t, std::uint64_t> taken;  // by source
  };

  [[nodiscard]] const Trace& trace() const { return common_.trace; }
  [[nodiscard]] NodeMemory& memory() { return common_.stage.memory(common_.node_of(rank_)); }
  [[nodiscard]] std::size_t ranks() const { return common_.trace.ranks.size(); }

  void start_node();
  void play_calls(Context& context, Group& world);
  void play_call(Context& context, Group& world, const TraceEvent& event);
  void leave(Context& context, Group& world);
  std::error_code wait_for(const std::function<std::error_code(Cycles)>& wait);

  Address take(Context& context, const TraceEvent& event, Bytes bytes);
  Operation start(Context& context, const TraceEvent& event);
  Result<Request> receive(Context& context, const TraceEvent& event, Address buffer);
  void probe(Context& context, const TraceEvent& event);
  [[nodiscard]] static bool fits(const Message& message, const TraceEvent& event);
  void finish(Context& context, const Operation& operation);
  void judge_receive(const Operation& operation, const Completion& done);
  void judge_open(Tag tag);
  void compare_message(const TraceEvent& event, const Received& received, Bytes length,
                       std::span<const std::byte> data);
  void compare(const TraceEvent& event, std::span<const std::byte> got,
               std::span<const std::byte> expected);
  std::vector<std::byte> read(Address address, Bytes bytes);

  std::error_code finish(Group& world, const Result<CollectiveRequest>& request);
  std::error_code barrier(Group& world);
  // Whoever runs it.
  void count(const Group& world, const Result<CollectiveRequest>& request);
  void collective(Context& context, Group& world, const TraceEvent& event);
  Result<CollectiveRequest> start_collective(Group& world, const TraceEvent& event, Address in,
                                             Address out);
  [[nodiscard]] std::vector<std::byte> input(const TraceEvent& event) const;
  [[nodiscard]] std::vector<std::byte> output(const TraceEvent& event) const;
  [[nodiscard]] std::vector<std::byte> piece(std::uint32_t from, std::uint32_t to,
                                             const TraceEvent& event) const;
  void compare_result(const TraceEvent& event, std::span<const std::byte> got);
  [[nodiscard]] bool allows(const TraceEvent& event, std::span<const std::byte> result) const;

  Common& common_;
  const std::uint32_t rank_;
  RankResult& own_;
  Device& device_;
  std::map<std::uint64_t, Operation> under_way_;
  std::deque<Message> probed_;  // in the order in which they were found
  std::map<Tag, OpenReceives> open_;
};

}  // namespace torusmu::replay

#endif  // TORUSMU_SIM_PLAY_REPLAY_RANK_PLAY_H_
