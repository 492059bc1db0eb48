// SPDX-License-Identifier: Apache-2.0
// The AXI4-Lite master in front of a node's register bus: one access at a time, in the order of
// start().
#ifndef TORUSMU_SIM_MACHINE_AXIL_MASTER_H_
#define TORUSMU_SIM_MACHINE_AXIL_MASTER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/machine/core.h"

namespace torusmu {

class AxilMaster {
 public:
  // Without a core nobody is told when it is over.
  void start(Core* core, const RegisterAccess& access) {
    queue_.push_back({core, access});
    if (core == nullptr) ++without_core_;
  }
  [[nodiscard]] bool busy() const { return head_ != queue_.size(); }
  // Accesses of no core that are not over.
  [[nodiscard]] std::size_t without_core() const { return without_core_; }

  // Drives the pins for the edge of cycle `t` and looks at the node's registered outputs, which
  // tell what that edge transfers. Call in each cycle in which busy(). Returns the access whose
  // address and data the node takes at this edge, or nullptr.
  template <typename Pins>
  const RegisterAccess* step(Pins& pins, Cycles t);

  // Pin values that hold for ever.
  template <typename Pins>
  static void reset(Pins& pins) {
    pins.set_s_axil_bready(1);
    pins.set_s_axil_rready(1);
  }

 private:
  struct Item {
    Core* core;
    RegisterAccess access;
  };
  enum class State { kIdle, kOffer, kAnswer };

  template <typename Pins>
  void offer(Pins& pins, const RegisterAccess& access);
  void finish(std::uint64_t data, Cycles at);

  std::vector<Item> queue_;  // from head_ on; emptied whenever the last one is over
  std::size_t head_ = 0;
  std::size_t without_core_ = 0;
  State state_ = State::kIdle;
  bool address_offered_ = false;  // AW or AR
  bool data_offered_ = false;     // W
  bool address_taken_ = false;    // at the edge before: the valid pin must fall
  bool data_taken_ = false;
};

template <typename Pins>
void AxilMaster::offer(Pins& pins, const RegisterAccess& access) {
  if (access.write) {
    const bool high = !access.wide && (access.address & 4U) != 0;
    pins.set_s_axil_awaddr(access.address);
    pins.set_s_axil_awvalid(1);
    pins.set_s_axil_wdata(access.wide ? access.data
                                      : (access.data & 0xffffffffU) << (high ? 32 : 0));
    pins.set_s_axil_wstrb(access.wide ? 0xff : high ? 0xf0 : 0x0f);
    pins.set_s_axil_wvalid(1);
    data_offered_ = true;
  } else {
    pins.set_s_axil_araddr(access.address);
    pins.set_s_axil_arvalid(1);
  }
  address_offered_ = true;
  state_ = State::kOffer;
}

template <typename Pins>
const RegisterAccess* AxilMaster::step(Pins& pins, Cycles t) {
  const Item item = queue_[head_];
  const bool write = item.access.write;
  if (state_ == State::kIdle) offer(pins, item.access);
  if (address_taken_) {
    if (write) {
      pins.set_s_axil_awvalid(0);
    } else {
      pins.set_s_axil_arvalid(0);
    }
    address_taken_ = false;
  }
  if (data_taken_) {
    pins.set_s_axil_wvalid(0);
    data_taken_ = false;
  }
  if (state_ == State::kOffer) {
    if (address_offered_ && (write ? pins.s_axil_awready() : pins.s_axil_arready()) != 0) {
      address_offered_ = false;
      address_taken_ = true;
    }
    if (data_offered_ && pins.s_axil_wready() != 0) {
      data_offered_ = false;
      data_taken_ = true;
    }
    if (!address_offered_ && !data_offered_) {
      state_ = State::kAnswer;
      return &queue_[head_].access;
    }
    return nullptr;
  }
  if (write && pins.s_axil_bvalid() != 0) {
    finish(0, t + 1);
  } else if (!write && pins.s_axil_rvalid() != 0) {
    const bool high = !item.access.wide && (item.access.address & 4U) != 0;
    finish(pins.s_axil_rdata() >> (high ? 32 : 0), t + 1);
  }
  return nullptr;
}

inline void AxilMaster::finish(std::uint64_t data, Cycles at) {
  state_ = State::kIdle;
  const Item item = queue_[head_];
  if (++head_ == queue_.size()) {
    queue_.clear();
    head_ = 0;
  }
  if (item.core == nullptr) {
    --without_core_;
  } else {
    item.core->access_done(item.access, data, at);
  }
}

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_AXIL_MASTER_H_
