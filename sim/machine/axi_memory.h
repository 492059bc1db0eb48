// SPDX-License-Identifier: Apache-2.0
// The AXI4 slave behind a node's m_axi pins: the node's memory with a latency.
//
//  - A burst whose AR is taken at the edge of cycle t has its first R beat at the edge of t +
//  read_latency,
//    later if beats of earlier bursts are still to come; a write whose last W is taken at t has its
//    B at t + write_latency. Written bytes are in memory when the B is offered and not before; a
//    beat read holds what memory held when it was offered.
//  - Random delay, back-pressure and the order between IDs depend on seed, node and cycle alone.
//  - Addresses beyond the memory get DECERR, read as junk and are not written.
//  - A broken rule of the protocol throws std::runtime_error that names it.
#ifndef TORUSMU_SIM_MACHINE_AXI_MEMORY_H_
#define TORUSMU_SIM_MACHINE_AXI_MEMORY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/machine/memory.h"
#include "sim/machine/mix.h"
#include "sim/machine/node_observer.h"

namespace torusmu {

struct AxiTiming {
  Cycles read_latency = 8;      // AR to first R; at least 1
  Cycles write_latency = 8;     // last W to B; at least 1
  Cycles random_extra = 0;      // each burst waits 0 to this many cycles more
  unsigned stall_permille = 0;  // how often a ready is low
  bool reorder = false;         // beats of different IDs come in any order and mixed
};

// A queue in one array that grows when it must and then never again.
template <typename T>
class Ring {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  T& front() { return items_[head_]; }
  T& operator[](std::size_t i) { return items_[(head_ + i) & (items_.size() - 1)]; }
  T& back() { return (*this)[size_ - 1]; }
  void push(const T& item) {
    if (size_ == items_.size()) grow();
    items_[(head_ + size_++) & (items_.size() - 1)] = item;
  }
  void pop() {
    head_ = (head_ + 1) & (items_.size() - 1);
    --size_;
  }

 private:
  void grow() {
    std::vector<T> larger(items_.empty() ? 4 : items_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    items_.swap(larger);
    head_ = 0;
  }
  std::vector<T> items_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

class AxiMemory {
 public:
  // `seed` belongs to this node alone.
  AxiMemory(NodeMemory& memory, const AxiTiming& timing, std::uint64_t seed);

  // Tells of every write that is accepted, if not null.
  void show_to(NodeObserver* observer) { observer_ = observer; }

  // Nothing taken and not yet answered.
  [[nodiscard]] bool idle() const { return outstanding_ == 0 && !driving_; }

  // Drives the pins for the edge of cycle `t` and takes what that edge transfers. Call in each
  // cycle in which a valid of the node is high or !idle().
  template <typename Pins>
  void step(Pins& pins, Cycles t);

  // Of the last step(): R or B valid is high; input pins of the node may have changed.
  [[nodiscard]] bool shown() const { return shown_; }
  [[nodiscard]] bool changed() const { return changed_; }

  // Pin values while idle.
  template <typename Pins>
  static void reset(Pins& pins) {
    pins.set_m_axi_arready(1);
    pins.set_m_axi_awready(1);
    pins.set_m_axi_wready(1);
  }

 private:
  static constexpr unsigned kIds = 4;
  static constexpr std::size_t kMostOutstanding = 64;
  static constexpr unsigned kDecodeError = 3;

  struct Command {  // as on the AR or AW pins
    Address address = 0;
    std::uint32_t id = 0, length = 0, size = 0, burst = 0;
    friend bool operator==(const Command&, const Command&) = default;
  };
  struct Burst {
    Command command;
    Cycles due = 0;  // a write: once its last beat is there
    std::uint32_t beats_done = 0;
    bool complete = false;  // a write: all beats are there
  };
  struct Beat {
    std::array<std::uint32_t, 8> data{};
    std::uint32_t strobe = 0;
    bool last = false;
    friend bool operator==(const Beat&, const Beat&) = default;
  };

  [[noreturn]] void fail(Cycles t, const char* channel, const char* rule) const;
  void check_command(const Command& command, Cycles t, const char* channel) const;
  // A channel that was valid and not taken at the edge before must show the same again.
  template <typename Item>
  void check_held(bool& waiting, Item& held, bool valid, const Item& shown, bool taken, Cycles t,
                  const char* channel) const;
  void take_read(const Command& command, Cycles t);
  void take_write(const Command& command, Cycles t);
  void take_beat(const Beat& beat, Cycles t);
  void complete_writes(Cycles t);
  // The ID whose next beat may be offered at `t`, or kIds.
  unsigned choose_read(Cycles t);
  void load_beat(Burst& burst);
  void apply_write(Cycles t);
  [[nodiscard]] Cycles delay(Cycles latency, Cycles t, unsigned salt) const;
  [[nodiscard]] bool stalls(Cycles t, unsigned salt) const {
    return timing_.stall_permille != 0 &&
           mix(seed_ ^ (t * 4 + salt)) % 1000 < timing_.stall_permille;
  }

  // Tells of the write whose beats lie in front.
  void tell_write(const Command& command, Cycles t);

  NodeMemory& memory_;
  NodeObserver* observer_ = nullptr;
  AxiTiming timing_;
  std::uint64_t seed_;
  std::size_t outstanding_ = 0;  // reads, writes and beats taken, not yet answered
  bool driving_ = false;         // rvalid or bvalid is high, or a ready low
  bool shown_ = false;
  bool changed_ = false;

  std::array<Ring<Burst>, kIds> reads_;  // by ID
  Ring<std::uint8_t> read_order_;        // IDs in the order of their bursts
  Ring<Burst> writes_;
  Ring<Beat> beats_;
  std::size_t beats_claimed_ = 0;  // beats at the front that belong to complete writes

  bool r_offered_ = false;
  unsigned r_id_ = 0;
  std::array<std::uint32_t, 8> r_data_{};
  unsigned r_response_ = 0;
  bool r_last_ = false;
  bool b_offered_ = false;
  unsigned b_response_ = 0;

  bool ar_waiting_ = false, aw_waiting_ = false, w_waiting_ = false;
  Command ar_held_, aw_held_;
  Beat w_held_;
  bool arready_ = true, awready_ = true, wready_ = true;
};

template <typename Item>
void AxiMemory::check_held(bool& waiting, Item& held, bool valid, const Item& shown, bool taken,
                           Cycles t, const char* channel) const {
  if (waiting && !valid) fail(t, channel, "valid fell before it was taken");
  if (waiting && !(shown == held)) fail(t, channel, "changed before it was taken");
  waiting = valid && !taken;
  if (waiting) held = shown;
}

// Apart from its caller, which most cycles go through without.
template <typename Pins>
[[gnu::noinline]] void AxiMemory::step(Pins& pins, Cycles t) {
  // Address and write data. The ready pins change only where stalls are asked for or room ends.
  const bool room = outstanding_ < kMostOutstanding;
  const bool arready = room && !stalls(t, 0);
  const bool awready = room && !stalls(t, 1);
  const bool wready = beats_.size() < 16 * kMostOutstanding && !stalls(t, 2);
  changed_ = arready != arready_ || awready != awready_ || wready != wready_;
  if (arready != arready_) pins.set_m_axi_arready(arready_ = arready);
  if (awready != awready_) pins.set_m_axi_awready(awready_ = awready);
  if (wready != wready_) pins.set_m_axi_wready(wready_ = wready);

  const bool arvalid = pins.m_axi_arvalid() != 0;
  if (arvalid || ar_waiting_) {
    const Command command{.address = pins.m_axi_araddr(),
                          .id = static_cast<std::uint32_t>(pins.m_axi_arid()),
                          .length = static_cast<std::uint32_t>(pins.m_axi_arlen()),
                          .size = static_cast<std::uint32_t>(pins.m_axi_arsize()),
                          .burst = static_cast<std::uint32_t>(pins.m_axi_arburst())};
    check_held(ar_waiting_, ar_held_, arvalid, command, arready, t, "AR");
    if (arvalid && arready) take_read(command, t);
  }
  const bool awvalid = pins.m_axi_awvalid() != 0;
  if (awvalid || aw_waiting_) {
    const Command command{.address = pins.m_axi_awaddr(),
                          .id = static_cast<std::uint32_t>(pins.m_axi_awid()),
                          .length = static_cast<std::uint32_t>(pins.m_axi_awlen()),
                          .size = static_cast<std::uint32_t>(pins.m_axi_awsize()),
                          .burst = static_cast<std::uint32_t>(pins.m_axi_awburst())};
    check_held(aw_waiting_, aw_held_, awvalid, command, awready, t, "AW");
    if (awvalid && awready) take_write(command, t);
  }
  const bool wvalid = pins.m_axi_wvalid() != 0;
  if (wvalid || w_waiting_) {
    Beat beat;
    pins.get_m_axi_wdata(beat.data.data());
    beat.strobe = static_cast<std::uint32_t>(pins.m_axi_wstrb());
    beat.last = pins.m_axi_wlast() != 0;
    check_held(w_waiting_, w_held_, wvalid, beat, wready, t, "W");
    if (wvalid && wready) take_beat(beat, t);
  }

  // Read data.
  if (!r_offered_ && !read_order_.empty()) {
    const unsigned id = choose_read(t);
    if (id != kIds) {
      r_offered_ = true;
      r_id_ = id;
      load_beat(reads_[id].front());
      pins.set_m_axi_rid(id);
      pins.set_m_axi_rdata(r_data_.data());
      pins.set_m_axi_rresp(r_response_);
      pins.set_m_axi_rlast(r_last_);
    }
  }
  pins.set_m_axi_rvalid(r_offered_);
  const bool r_shown = r_offered_;
  if (r_offered_ && pins.m_axi_rready() != 0) {
    r_offered_ = false;
    if (r_last_) {
      reads_[r_id_].pop();
      for (std::size_t i = 0; i < read_order_.size(); ++i) {
        if (read_order_[i] == r_id_) {
          for (; i != 0; --i) read_order_[i] = read_order_[i - 1];
          read_order_.pop();
          break;
        }
      }
      --outstanding_;
    }
  }

  // Write responses.
  if (!b_offered_ && !writes_.empty() && writes_.front().complete && writes_.front().due <= t) {
    b_offered_ = true;
    apply_write(t);
    pins.set_m_axi_bid(writes_.front().command.id);
    pins.set_m_axi_bresp(b_response_);
  }
  pins.set_m_axi_bvalid(b_offered_);
  const bool b_shown = b_offered_;
  if (b_offered_ && pins.m_axi_bready() != 0) {
    b_offered_ = false;
    writes_.pop();
    --outstanding_;
  }
  changed_ = changed_ || shown_ || r_shown || b_shown;
  shown_ = r_shown || b_shown;
  driving_ = shown_ || !arready_ || !awready_ || !wready_ || !beats_.empty();
}

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_AXI_MEMORY_H_
