// SPDX-License-Identifier: Apache-2.0
// N reference nodes, a network that delivers in order between each pair of nodes and class, and
// cores that run programs on them. Packets take a random time, made from the seed: two runs with
// the same seed are the same, and every seed is another legal machine.
#ifndef TORUSMU_TB_REFERENCE_MODEL_MACHINE_H_
#define TORUSMU_TB_REFERENCE_MODEL_MACHINE_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "sim/machine/core.h"
#include "sim/machine/mix.h"
#include "tb/reference_model/node_model.h"

namespace torusmu::model {

struct MachineOptions {
  Shape shape{};
  Bytes memory_size = Bytes{16} << 20;
  Sizes sizes = kSim;
  std::uint64_t seed = 1;
  Cycles least_delay = 20;  // cycles from the last flit out to the packet's arrival
  Cycles most_delay = 80;
  CoreCosts costs{};
};

// What becomes of a packet: one that is lost is like one with a bad CRC; no real network makes two
// of one, but software must not be upset by it.
enum class Fate { kArrives, kLost, kArrivesTwice };

class ReferenceMachine {
 public:
  explicit ReferenceMachine(const MachineOptions& options);
  ~ReferenceMachine();
  ReferenceMachine(const ReferenceMachine&) = delete;
  ReferenceMachine& operator=(const ReferenceMachine&) = delete;

  [[nodiscard]] Cycles now() const { return now_; }
  ReferenceNode& node(NodeId id);
  Core& add_core(NodeId id, Core::Program program, Cycles start = 0);
  // Sees every packet on its way, may change it, and decides what becomes of it.
  void watch_packets(std::function<Fate(Packet&)> watch) { watch_ = std::move(watch); }
  [[nodiscard]] std::uint64_t packets_lost() const { return packets_lost_; }

  // Runs until every core's program has ended, and after that until nothing is in flight. False:
  // cycle `limit` came first.
  bool run(Cycles limit);
  // What the cores that have not ended wait for, and texts of those that failed; empty if none.
  [[nodiscard]] std::string problems() const;

 private:
  struct Node;
  enum class EventKind { kAccess, kInject, kArrive, kHold, kTimer, kSignal };
  struct Event {
    Cycles at;
    std::uint64_t order;  // events of one cycle happen in the order in which they were made
    EventKind kind;
    std::uint32_t node;
    friend bool operator>(const Event& a, const Event& b) {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  struct PendingAccess {
    Core* core;  // that is told when it is over; or none
    RegisterAccess access;
  };

  void schedule(Cycles at, EventKind kind, std::uint32_t node);
  void handle(const Event& event);
  void start_access(Node& node, Core* core, const RegisterAccess& access, Cycles now);
  void do_access(Node& node);
  void inject(Node& node);
  void arrive(Node& node);
  void drain_held(Node& node);
  void settle(Node& node);
  void signal(std::uint32_t from, TreeSignal sent);
  void send(std::uint32_t from, Packet packet);

  MachineOptions options_;
  Rng random_;
  Cycles now_ = 0;
  std::uint64_t order_ = 0;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  // For each (source, destination, class) the cycle of the last arrival.
  std::map<std::array<std::uint32_t, 3>, Cycles> last_arrival_;
  std::map<std::array<std::uint32_t, 2>, Cycles> last_signal_;  // for each (node, neighbour)
  std::function<Fate(Packet&)> watch_;
  std::uint64_t packets_lost_ = 0;
};

}  // namespace torusmu::model

#endif  // TORUSMU_TB_REFERENCE_MODEL_MACHINE_H_
