// SPDX-License-Identifier: Apache-2.0
// An engine runs all nodes of a machine cycle by cycle. Two of them, one result: the same link
// flits in the same cycles, and so the same flit_hash.
#ifndef TORUSMU_SIM_MACHINE_ENGINE_H_
#define TORUSMU_SIM_MACHINE_ENGINE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/cycle_file.h"
#include "sim/machine/events.h"
#include "sim/machine/node_shell.h"
#include "sim/machine/shape.h"
#include "torusmu/layout.h"

class VerilatedContext;

namespace torusmu {

class WaveWriter;

// A fault to put on the links (fast engine only).
struct Fault {
  enum class Kind {
    kNone,
    kFlipPayloadBit,  // flips bit (number mod 128) of the first payload flit
    kDropPacket,  // takes all flits from the link; the credit that the sender spent does not come
                  // back
  };
  Kind kind = Kind::kNone;
  // Which packet, from 1: packets are counted as their headers go onto any link, in the order of
  // cycle, then node, then direction; for kFlipPayloadBit only those that have a payload.
  std::uint64_t number = 0;
};

// The packet that a fault hit, and where.
struct FaultPlace {
  Cycles cycle = 0;  // in which its header, or the flit that was flipped, went onto the link
  NodeId node{};     // whose output it was
  unsigned direction = 0;
  NodeId from{}, to{};  // of the packet, as its header says
  Kind kind = Kind::kNone;
  bool reply = false;  // class
  Bytes bytes = 0;     // of payload
};

// "drop-packet", as --inject has it.
std::string name_of(Fault::Kind kind);
// "packet 9, PUT of 512 bytes from node 0 (0,0,0) to ..., lost on link x+ of node 0 (0,0,0), cycle
// 812".
std::string text_of(const Fault& fault, const FaultPlace& place, const Shape& shape);

struct WaveConfig {
  std::string file;           // empty: no waves
  std::vector<NodeId> nodes;  // empty: all
  Cycles from = 0, to = kNever;
  // Makes what writes them, before any model is made; nullptr: this build has no traces.
  std::unique_ptr<WaveWriter> (*open)(VerilatedContext& context) = nullptr;
};

struct EngineConfig {
  Shape shape;
  unsigned latency = 8;          // of every link, in cycles: 1 to 32
  unsigned threads = 1;          // fast engine
  bool sleeping = true;          // quiescent nodes are not evaluated
  bool gating = true;            // blocks of a node without work are not clocked
  bool assertions = true;        // of the RTL, checked in every cycle
  bool record = false;           // keep events
  bool two_evaluations = false;  // a falling edge in each cycle too; for tests and waves
  Fault fault;
  WaveConfig wave;
  std::shared_ptr<CycleFile> reached;  // if set: told of every window that has passed
};

struct EngineCounts {
  std::uint64_t evaluated = 0;  // node-cycles that were evaluated
  std::uint64_t flit_hash = 0;
  std::uint64_t flits = 0;                                         // put on all links
  std::uint64_t flits_taken = 0;                                   // taken from them by routers
  std::optional<FaultPlace> fault;                                 // once it is on the links
  std::vector<std::array<std::uint64_t, kDirections>> link_flits;  // by node, then direction
};

class MachineEngine {
 public:
  // Longer than an engine takes to find out that everything is quiet: two windows of the longest
  // links.
  static constexpr Cycles kSettleCycles = 80;

  virtual ~MachineEngine() = default;
  // Runs from now() to `limit`. With `stop_when_done` it stops kSettleCycles after the last cycle
  // in which anything happened, once all cores have returned: the same cycle whatever the engine,
  // threads and sleep. Returns true if it came to that. A failed core ends the run at the end of a
  // window; a broken AXI rule or a failed assertion in the RTL does so as std::runtime_error that
  // names node and cycle.
  virtual bool run(Cycles limit, bool stop_when_done) = 0;
  [[nodiscard]] virtual Cycles now() const = 0;
  [[nodiscard]] virtual EngineCounts counts() const = 0;
  // Events since the last call, by cycle, node and kind. EngineConfig::record must be set.
  virtual std::vector<Event> take_events() = 0;
  // No more waves; the file is complete.
  virtual void close_waves() {}
  // The Verilated module that runs.
  [[nodiscard]] virtual std::string top_module() const = 0;
};

// The node Verilated once, an instance for each node.
std::unique_ptr<MachineEngine> make_fast_engine(const EngineConfig& config,
                                                std::vector<std::unique_ptr<NodeShell>>& nodes);

// The whole machine as one Verilated model, from a library built for this shape:
// `library_folder`/XxYxZ.so. Throws UsageError if that shape was not built, naming those that were.
std::unique_ptr<MachineEngine> make_mesh_engine(const EngineConfig& config,
                                                std::vector<std::unique_ptr<NodeShell>>& nodes,
                                                const std::string& library_folder);

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_ENGINE_H_
