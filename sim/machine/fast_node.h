// SPDX-License-Identifier: Apache-2.0
// One Verilated node of the fast engine: its pins, its links, one step for each cycle.
//
// Link latency L: a flit on the output pins after the edge of cycle t is sampled by the neighbour
// at the edge of cycle t + L. So whatever a node sends in a window of L cycles is read in the next
// window only: sender and reader use two halves in turn, and nodes need to meet only between
// windows.
#ifndef TORUSMU_SIM_MACHINE_FAST_NODE_H_
#define TORUSMU_SIM_MACHINE_FAST_NODE_H_

#include <Vmu_gated_node.h>
#include <Vmu_gated_node___024root.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/machine/engine.h"
#include "sim/machine/memory_origin.h"

// The blocks of the node that have a clock pin of their own, clk_<name>_i and active_<name>_o, and
// their bits of a ClockMask.
#define TORUSMU_CLOCKS(X) \
  X(0, router)            \
  X(1, control)           \
  X(2, memory)            \
  X(3, queue) X(4, injection) X(5, reception) X(6, decision) X(7, calc) X(8, packet) X(9, reply)

namespace torusmu {

// What one node sends in one direction: for each cycle of a window a flit and credits for the other
// way.
struct Link {
  struct Slot {
    std::array<std::uint32_t, 4> data;
    std::uint8_t head, tail, reply, credits;
  };
  struct Half {
    std::uint64_t window = ~std::uint64_t{0};  // number of the window that was written here
    std::uint32_t flits = 0;                   // bit k: cycle k of the window has a flit
    std::uint32_t credits = 0;                 // bit k: it has credits
    std::vector<Slot> slots;
  };
  // Of who reads it: the window in which anything was last sent to it, at index window mod 2.
  using Heard = std::array<std::atomic<std::uint64_t>, 2>;

  // What is sent in `window`, to be added to.
  Half& open(std::uint64_t window) {
    Half& half = halves[window & 1U];
    if (half.window != window) {
      half.window = window;
      half.flits = 0;
      half.credits = 0;
      if (reader != nullptr) (*reader)[window & 1U].store(window, std::memory_order_relaxed);
    }
    return half;
  }

  std::array<Half, 2> halves;
  Heard* reader = nullptr;
};

// The cables of a node in the tree.
enum class Cable : unsigned { kParent, kLeft, kRight };
constexpr unsigned kCables = 3;

// What one node signals on one cable: for each cycle of a window a bit a class.
struct SignalCable {
  struct Half {
    std::uint64_t window = ~std::uint64_t{0};  // number of the window that was written here
    std::uint32_t cycles = 0;                  // bit k: cycle k of the window has signals
    std::vector<std::uint16_t> signals;
  };
  Half& open(std::uint64_t window) {
    Half& half = halves[window & 1U];
    if (half.window != window) {
      half.window = window;
      half.cycles = 0;
      if (reader != nullptr) (*reader)[window & 1U].store(window, std::memory_order_relaxed);
    }
    return half;
  }

  std::array<Half, 2> halves;
  Link::Heard* reader = nullptr;
};

// Which blocks see the edge of a cycle.
using ClockMask = std::uint32_t;
// With them: assertions are on.
constexpr ClockMask kAssertions = ClockMask{1} << 31;

class FastNode {
 public:
  FastNode(VerilatedContext* context, const Shape& shape, unsigned latency, NodeShell& shell,
           const std::string& name);
  ~FastNode();
  FastNode(const FastNode&) = delete;
  FastNode& operator=(const FastNode&) = delete;

  // `links[d]` is what arrives at the inputs of direction d, or nullptr.
  void connect(const std::array<Link*, kDirections>& links);
  // `cables[c]` is what arrives from there, or nullptr.
  void connect_tree(const std::array<SignalCable*, kCables>& cables);
  [[nodiscard]] SignalCable& cable(Cable to) { return cables_out_[static_cast<unsigned>(to)]; }
  // On the pins the memory begins there; cores do not see it. Before the first cycle.
  void place_memory_at(const MemoryOrigin& origin) { origin_ = origin; }
  [[nodiscard]] Link& link(unsigned direction) { return out_[direction]; }

  // Every window begins with this: number `window`, from cycle `start` on.
  void begin_window(std::uint64_t window, Cycles start);
  // The cycle, `t` or later, in which the node must be evaluated next. Beyond the window, what may
  // arrive is not known yet.
  [[nodiscard]] Cycles next_step(Cycles t, bool sleeping) const;

  // A cycle: inputs onto the pins, an edge of the clocks, outputs off the pins.
  void step(Cycles t);
  // Its parts. NodeBatch evaluates root() for several nodes at a time instead of rise(), which does
  // it by Verilator's evaluation, with the falling edges of the clocks.
  ClockMask prepare(Cycles t);
  void rise(ClockMask clocks);
  void finish();
  // Did prepare() change an input of a link? An input of a bus?
  [[nodiscard]] bool links_changed() const { return links_changed_; }
  [[nodiscard]] bool buses_changed() const { return buses_changed_; }
  [[nodiscard]] Vmu_gated_node___024root& root() { return root_; }

  // Off: every block is clocked in every cycle.
  void set_gating(bool on) { gating_ = on; }

  [[nodiscard]] bool asleep() const { return asleep_; }
  // Last cycle in which anything happened here, as far as it can be told from the pins.
  [[nodiscard]] Cycles last_busy() const { return std::max(last_busy_, shell_.last_core_run()); }
  // Next cycle in which something happens here if nothing arrives: core, or wake_at_o.
  [[nodiscard]] Cycles next_event() const { return std::min(shell_.next_wake(), wake_at_); }
  // Did anything go onto its links in the window that began last?
  [[nodiscard]] bool sent() const { return sent_; }
  [[nodiscard]] std::uint64_t evaluated() const { return evaluated_; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  [[nodiscard]] const std::array<std::uint64_t, kDirections>& flits() const { return flits_; }
  // Flits that the node took from its links.
  [[nodiscard]] std::uint64_t flits_taken() const { return flits_taken_; }
  [[nodiscard]] NodeShell& shell() { return shell_; }
  [[nodiscard]] const NodeShell& shell() const { return shell_; }
  [[nodiscard]] Vmu_gated_node& model() { return *model_; }
  void record_to(std::vector<Event>* events);
  // The cycle that is or was last evaluated, for messages.
  [[nodiscard]] Cycles cycle() const { return cycle_; }

 private:
  bool drive_links(unsigned k);
  void drive_signals(unsigned k);
  void collect();
  void collect_signals();
  void record_flit(unsigned direction, const Link::Slot& slot);

  std::unique_ptr<Vmu_gated_node> model_;
  Vmu_gated_node___024root& root_;
  NodeShell& shell_;
  MemoryOrigin origin_;
  unsigned latency_;
  bool gating_ = true;

  std::array<Link*, kDirections> arriving_{};
  Link::Heard heard_{};
  std::array<Link, kDirections> out_;
  std::uint64_t window_ = 0;
  Cycles window_start_ = 0;
  // Of the current window: which cycles have arrivals, in all and from each direction.
  std::uint32_t any_arrival_ = 0;
  std::array<std::uint32_t, kDirections> flit_arrivals_{};
  std::array<std::uint32_t, kDirections> credit_arrivals_{};
  std::array<const Link::Slot*, kDirections> arrivals_{};  // what comes in each of its cycles
  std::array<SignalCable*, kCables> cables_in_{};
  std::array<SignalCable, kCables> cables_out_;
  std::array<std::uint32_t, kCables> signal_arrivals_{};
  bool signals_driven_ = false;  // an input of a cable is high
  bool control_clocked_ = false;
  bool links_driven_ = false;   // a valid or credit input is high
  bool replies_come_ = false;   // what drive_links() drove has a reply or a credit of one
  bool links_changed_ = false;  // an input of a link may have changed in this cycle
  bool buses_changed_ = false;  // of the register bus or the memory
  bool active_ = false;         // something came in in this cycle

  bool asleep_ = false;
  bool sent_ = false;
  Cycles wake_at_ = kNever;
  Cycles cycle_ = 0;
  Cycles last_busy_ = 0;
  std::uint64_t evaluated_ = 0;
  std::uint64_t hash_ = 0;
  std::array<std::uint64_t, kDirections> flits_{};
  std::uint64_t flits_taken_ = 0;
  std::vector<Event>* events_ = nullptr;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_FAST_NODE_H_
