// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/fast_node.h"

#include <bit>
#include <cstring>

#include "sim/machine/flit_hash.h"

namespace torusmu {
namespace {

// Directions in the order of their numbers, by the names of the pins.
#define TORUSMU_DIRECTIONS(X) X(0, xp) X(1, xm) X(2, yp) X(3, ym) X(4, zp) X(5, zm)

constexpr Cycles kWakeAtNever = (Cycles{1} << 48) - 1;
constexpr unsigned kResetCycles = 4;
// Of reads on the AXI4 master: descriptors, payload.
constexpr unsigned kFetchId = 0;
constexpr unsigned kPayloadId = 1;

// The pins of sim/machine/node_pins.def, as members of the model.
class RawPins {
 public:
  explicit RawPins(Vmu_gated_node___024root& root) : root_(root) {}
#define PIN_IN(name) \
  void set_##name(std::uint64_t value) { root_.name = static_cast<decltype(root_.name)>(value); }
#define PIN_OUT(name) \
  [[nodiscard]] std::uint64_t name() const { return root_.name; }
#define WIDE_IN(name, words)                                             \
  void set_##name(const std::uint32_t* value) {                          \
    std::memcpy(&root_.name[0], value, (words) * sizeof(std::uint32_t)); \
  }
#define WIDE_OUT(name, words)                                            \
  void get_##name(std::uint32_t* value) const {                          \
    std::memcpy(value, &root_.name[0], (words) * sizeof(std::uint32_t)); \
  }
#include "sim/machine/node_pins.def"
#undef PIN_IN
#undef PIN_OUT
#undef WIDE_IN
#undef WIDE_OUT

 protected:
  Vmu_gated_node___024root& root_;
};

// The same with the memory elsewhere: its addresses, and those that registers hold, are moved.
class Pins : public RawPins {
 public:
  Pins(Vmu_gated_node___024root& root, const MemoryOrigin& origin)
      : RawPins(root), origin_(origin) {}
  [[nodiscard]] Address m_axi_araddr() const { return origin_.from_pins(root_.m_axi_araddr); }
  [[nodiscard]] Address m_axi_awaddr() const { return origin_.from_pins(root_.m_axi_awaddr); }
  // The address of the register stands on its pins before the data, and until the answer.
  void set_s_axil_wdata(std::uint64_t value) {
    RawPins::set_s_axil_wdata(origin_.to_register(root_.s_axil_awaddr, value));
  }
  [[nodiscard]] std::uint64_t s_axil_rdata() const {
    return origin_.from_register(root_.s_axil_araddr, root_.s_axil_rdata);
  }

 private:
  const MemoryOrigin& origin_;
};

#define BIT(bit, name) constexpr ClockMask kClock_##name = ClockMask{1} << (bit);
TORUSMU_CLOCKS(BIT)
#undef BIT
#define OR(bit, name) kClock_##name |
constexpr ClockMask kAllClocks = TORUSMU_CLOCKS(OR) 0;
#undef OR

}  // namespace

FastNode::FastNode(VerilatedContext* context, const Shape& shape, unsigned latency,
                   NodeShell& shell, const std::string& name)
    : model_(std::make_unique<Vmu_gated_node>(context, name.c_str())),
      root_(*model_->rootp),
      shell_(shell),
      latency_(latency) {
  for (Link& link : out_) {
    for (Link::Half& half : link.halves) half.slots.resize(latency);
  }
  for (SignalCable& cable : cables_out_) {
    for (SignalCable::Half& half : cable.halves) half.signals.resize(latency);
  }
  const Coordinates at = shape.coordinates(shell.node());
  root_.strap_x_i = static_cast<CData>(at.x);
  root_.strap_y_i = static_cast<CData>(at.y);
  root_.strap_z_i = static_cast<CData>(at.z);
  root_.strap_last_x_i = static_cast<CData>(shape.x - 1);
  root_.strap_last_y_i = static_cast<CData>(shape.y - 1);
  root_.strap_last_z_i = static_cast<CData>(shape.z - 1);
  root_.strap_torus_i = static_cast<CData>((shape.torus_x ? 1U : 0U) | (shape.torus_y ? 2U : 0U) |
                                           (shape.torus_z ? 4U : 0U));
  Pins pins(root_, origin_);
  NodeShell::reset(pins);
  root_.rst_ni = 0;
  for (unsigned i = 0; i < kResetCycles; ++i) rise(kAllClocks);
  root_.rst_ni = 1;
}

FastNode::~FastNode() {
  model_->final();
  // Verilator 5.006 unregisters a model's scopes at the thread's current context, which may be that
  // of a machine that is gone by now.
  Verilated::threadContextp(model_->contextp());
  model_.reset();
  Verilated::threadContextp(Verilated::defaultContextp());
}

void FastNode::record_to(std::vector<Event>* events) {
  events_ = events;
  shell_.record_to(events);
}

void FastNode::connect(const std::array<Link*, kDirections>& links) {
  arriving_ = links;
  for (Link* link : links) {
    if (link != nullptr) link->reader = &heard_;
  }
}

void FastNode::connect_tree(const std::array<SignalCable*, kCables>& cables) {
  cables_in_ = cables;
  for (SignalCable* cable : cables) {
    if (cable != nullptr) cable->reader = &heard_;
  }
}

void FastNode::begin_window(std::uint64_t window, Cycles start) {
  if (window != window_ || start != window_start_) sent_ = false;
  window_ = window;
  window_start_ = start;
  // Nothing was sent to this node, and nothing stands in what follows.
  const bool heard = heard_[(window + 1) & 1U].load(std::memory_order_relaxed) + 1 == window;
  if (!heard && any_arrival_ == 0) return;
  any_arrival_ = 0;
  for (unsigned d = 0; d < kDirections; ++d) {
    flit_arrivals_[d] = 0;
    credit_arrivals_[d] = 0;
    if (arriving_[d] == nullptr) continue;
    const Link::Half& half = arriving_[d]->halves[(window + 1) & 1U];
    if (half.window + 1 != window) continue;
    flit_arrivals_[d] = half.flits;
    credit_arrivals_[d] = half.credits;
    arrivals_[d] = half.slots.data();
    any_arrival_ |= half.flits | half.credits;
  }
  for (unsigned c = 0; c < kCables; ++c) {
    signal_arrivals_[c] = 0;
    if (cables_in_[c] == nullptr) continue;
    const SignalCable::Half& half = cables_in_[c]->halves[(window + 1) & 1U];
    if (half.window + 1 == window) signal_arrivals_[c] = half.cycles;
    any_arrival_ |= signal_arrivals_[c];
  }
}

Cycles FastNode::next_step(Cycles t, bool sleeping) const {
  if (!asleep_ || !sleeping) return t;
  const Cycles k = t - window_start_;
  const std::uint32_t rest = k < 32 ? any_arrival_ >> k : 0;
  const Cycles arrival = rest == 0 ? kNever : t + static_cast<Cycles>(std::countr_zero(rest));
  return std::max(t, std::min(arrival, next_event()));
}

void FastNode::step(Cycles t) {
  rise(prepare(t));
  finish();
}

ClockMask FastNode::prepare(Cycles t) {
  cycle_ = t;
  ++evaluated_;
  Pins pins(root_, origin_);
  const auto k = static_cast<unsigned>(t - window_start_);
  links_changed_ = links_driven_ || (any_arrival_ >> k & 1U) != 0;
  active_ = links_changed_ && drive_links(k);
  const bool arrival = active_;
  const NodeShell::Inputs inputs = shell_.before_edge(pins, t);
  active_ |= inputs.registers || inputs.memory;
  buses_changed_ = inputs.registers || inputs.memory_changed;
  root_.now_i = t & kWakeAtNever;
  control_clocked_ = true;
  if (!gating_) return kAllClocks;
  // A block is clocked if it has work, or if something comes in that it takes.
  ClockMask clocks = 0;
#define WORKS(bit, name) clocks |= ClockMask{root_.active_##name##_o} << (bit);
  TORUSMU_CLOCKS(WORKS)
#undef WORKS
  if (arrival) clocks |= replies_come_ ? kClock_router | kClock_reply : kClock_router;
  if (inputs.registers || signals_driven_) clocks |= kClock_control;
  if (t >= root_.wake_at_o) clocks |= kClock_control | kClock_injection;
  // Signals leave by its edge alone.
  control_clocked_ = (clocks & kClock_control) != 0;
  if (inputs.memory_valid) {
    clocks |= kClock_memory;
    if (root_.m_axi_rvalid != 0) {
      if (root_.m_axi_rid == kFetchId) clocks |= kClock_queue;
      if (root_.m_axi_rid == kPayloadId && root_.m_axi_rlast != 0) clocks |= kClock_injection;
    }
  }
  return clocks;
}

void FastNode::rise(ClockMask clocks) {
#define FALL(bit, name) root_.clk_##name##_i = 0;
  TORUSMU_CLOCKS(FALL)
#undef FALL
  model_->eval();
#define RISE(bit, name) root_.clk_##name##_i = clocks >> (bit)&1U;
  TORUSMU_CLOCKS(RISE)
#undef RISE
  model_->eval();
}

void FastNode::finish() {
  Pins pins(root_, origin_);
  collect();
  shell_.after_edge(pins, cycle_);
  // A quiescent_o that is itself registered would not yet know of what came in at this edge.
  asleep_ = !active_ && root_.quiescent_o != 0 && shell_.idle();
  if (!asleep_) {
    last_busy_ = cycle_;
  } else {
    const Cycles wake = root_.wake_at_o;
    wake_at_ = wake == kWakeAtNever ? kNever : wake;
  }
}

// Puts what arrives in cycle k of the window onto the input pins, and takes off what lay there.
// True if anything arrives.
bool FastNode::drive_links(unsigned k) {
  std::uint64_t flits = 0;
  unsigned credits = 0;  // bit 1: of replies
  unsigned replies = 0;
#define DRIVE(d, name)                                                                 \
  {                                                                                    \
    const bool flit = (flit_arrivals_[d] >> k & 1U) != 0;                              \
    const bool credit = (credit_arrivals_[d] >> k & 1U) != 0;                          \
    root_.link_##name##_valid_i = flit;                                                \
    root_.link_##name##_credit_i = credit ? arrivals_[d][k].credits : 0;               \
    credits |= root_.link_##name##_credit_i;                                           \
    if (flit) {                                                                        \
      const Link::Slot& slot = arrivals_[d][k];                                        \
      ++flits;                                                                         \
      root_.link_##name##_head_i = slot.head;                                          \
      root_.link_##name##_tail_i = slot.tail;                                          \
      root_.link_##name##_reply_i = slot.reply;                                        \
      replies |= slot.reply;                                                           \
      std::memcpy(&root_.link_##name##_data_i[0], slot.data.data(), sizeof slot.data); \
    }                                                                                  \
  }
  TORUSMU_DIRECTIONS(DRIVE)
#undef DRIVE
  if (signals_driven_ || (signal_arrivals_[0] | signal_arrivals_[1] | signal_arrivals_[2]) != 0) {
    drive_signals(k);
  }
  flits_taken_ += flits;
  replies_come_ = (credits >> 1U | replies) != 0;
  links_driven_ = (any_arrival_ >> k & 1U) != 0;
  return links_driven_;
}

void FastNode::drive_signals(unsigned k) {
  const auto arriving = [&](Cable from) -> SData {
    const auto c = static_cast<unsigned>(from);
    if ((signal_arrivals_[c] >> k & 1U) == 0) return 0;
    return cables_in_[c]->halves[(window_ + 1) & 1U].signals[k];
  };
  root_.signal_parent_i = arriving(Cable::kParent);
  root_.signal_left_i = arriving(Cable::kLeft);
  root_.signal_right_i = arriving(Cable::kRight);
  signals_driven_ = (root_.signal_parent_i | root_.signal_left_i | root_.signal_right_i) != 0;
}

void FastNode::collect_signals() {
  const std::array<SData, kCables> signals{root_.signal_parent_o, root_.signal_left_o,
                                           root_.signal_right_o};
  if ((signals[0] | signals[1] | signals[2]) == 0) return;
  sent_ = true;
  const auto k = static_cast<unsigned>(cycle_ - window_start_);
  for (unsigned c = 0; c < kCables; ++c) {
    if (signals[c] == 0) continue;
    SignalCable::Half& to = cables_out_[c].open(window_);
    to.cycles |= std::uint32_t{1} << k;
    to.signals[k] = signals[c];
    hash_ += signal_hash(cycle_, shell_.node(), c, signals[c]);
  }
}

void FastNode::collect() {
  if (control_clocked_) collect_signals();
#define ANY(d, name) root_.link_##name##_valid_o | root_.link_##name##_credit_o |
  if ((TORUSMU_DIRECTIONS(ANY) 0) == 0) return;
#undef ANY
  sent_ = true;
  const auto k = static_cast<unsigned>(cycle_ - window_start_);
#define COLLECT(d, name)                                                                           \
  if ((root_.link_##name##_valid_o | root_.link_##name##_credit_o) != 0) {                         \
    Link::Half& to = out_[d].open(window_);                                                        \
    Link::Slot& slot = to.slots[k];                                                                \
    const std::uint32_t now = std::uint32_t{1} << k;                                               \
    if (root_.link_##name##_credit_o != 0) {                                                       \
      to.credits |= now;                                                                           \
      slot.credits = root_.link_##name##_credit_o;                                                 \
    }                                                                                              \
    if (root_.link_##name##_valid_o != 0) {                                                        \
      to.flits |= now;                                                                             \
      slot.head = root_.link_##name##_head_o;                                                      \
      slot.tail = root_.link_##name##_tail_o;                                                      \
      slot.reply = root_.link_##name##_reply_o;                                                    \
      std::memcpy(slot.data.data(), &root_.link_##name##_data_o[0], sizeof slot.data);             \
      ++flits_[d];                                                                                 \
      hash_ += flit_hash(cycle_, shell_.node(), d, slot.head | slot.tail << 1U | slot.reply << 2U, \
                         slot.data.data());                                                        \
      if (events_ != nullptr || shell_.observer() != nullptr) record_flit(d, slot);                \
    }                                                                                              \
  }
  TORUSMU_DIRECTIONS(COLLECT)
#undef COLLECT
}

void FastNode::record_flit(unsigned direction, const Link::Slot& slot) {
  const bool head = slot.head != 0, tail = slot.tail != 0, reply = slot.reply != 0;
  if (NodeObserver* const observer = shell_.observer()) {
    observer->flit_out(cycle_, direction, head, tail, reply, slot.data.data());
  }
  if (events_ != nullptr) {
    events_->push_back({.cycle = cycle_,
                        .node = shell_.node(),
                        .kind = Event::Kind::kFlitOut,
                        .direction = direction,
                        .flit = {.data = slot.data, .head = head, .tail = tail, .reply = reply}});
  }
}

}  // namespace torusmu
