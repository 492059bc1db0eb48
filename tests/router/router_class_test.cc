// SPDX-License-Identifier: Apache-2.0
// model: Vmu_router_class_reply mu_router_class -GPACKETS=12 -GDEPTH=48

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>

#include "Vmu_router_class.h"
#include "Vmu_router_class_reply.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/router_switch_model.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

template <typename M, unsigned packets, unsigned depth>
struct Size {
  using Model = M;
  static constexpr unsigned kPackets = packets;
  static constexpr unsigned kDepth = depth;
};
// Requests and replies.
using Sizes =
    ::testing::Types<Size<Vmu_router_class, 6, 204>, Size<Vmu_router_class_reply, 12, 48>>;
template <typename S>
class RouterClass : public ::testing::Test {};
TYPED_TEST_SUITE(RouterClass, Sizes);

TYPED_TEST(RouterClass, MovesAPacketFromItsInputToTheOutputItWants) {
  Clocked<typename TypeParam::Model> control;
  control->open_i = 0x7f;
  control->wrote_i = control->arrived_i = 1 << 1;
  set_port_bits(control->ports_i, 7 * 1, 7, 1);
  control.settle();
  EXPECT_EQ(control->load_o, 1U << 1);
  control.tick();  // head in the read register, its wish known
  control->arrived_i = 0;
  control.settle();
  EXPECT_EQ(control->load_o, 0U) << "nothing leaves before the grant";
  control.tick();  // granted; the tail, written meanwhile, waits
  control->wrote_i = 0;
  control.settle();
  EXPECT_EQ(control->send_o, 1U << 0);
  EXPECT_EQ(control->first_o & 1U, 1U);
  EXPECT_EQ(control->owner_o & 0x7f, 1U << 1);
  EXPECT_EQ(control->last_o, 0U);
  EXPECT_EQ(control->load_o, 1U << 1);
  control.tick();
  control->tail_i = 1 << 1;
  control.settle();
  EXPECT_EQ(control->send_o, 1U << 0);
  EXPECT_EQ(control->last_o, 1U << 0);
  EXPECT_EQ(control->freed_o, 0U);
  control.tick();
  EXPECT_EQ(control->freed_o, 1U << 1);
  EXPECT_TRUE(control->busy_o);
  control.tick();
  EXPECT_EQ(control->freed_o, 0U);
  EXPECT_FALSE(control->busy_o);
}

TYPED_TEST(RouterClass, SendsNothingWhileItsOutputIsClosed) {
  Clocked<typename TypeParam::Model> control;
  control->open_i = 0x7e;
  control->wrote_i = control->arrived_i = 1 << 1;
  set_port_bits(control->ports_i, 7 * 1, 7, 1);
  control.tick();
  control->wrote_i = control->arrived_i = 0;
  for (int i = 0; i < 5; ++i) {
    control.tick();
    EXPECT_EQ(control->send_o, 0U);
  }
  control->open_i = 0x7f;
  control.settle();
  EXPECT_EQ(control->send_o, 1U);
}

TYPED_TEST(RouterClass, ReturnsTheReservedPlaceOfARingWithAPulseOfTwoCycles) {
  for (const bool home : {false, true}) {
    Clocked<typename TypeParam::Model> control;
    control->home_i = home ? 7 : 0;
    control.reset();
    control->open_i = 0x7f;
    control->wrote_i = control->arrived_i = 1 << 1;  // from x- on to x+
    set_port_bits(control->ports_i, 7 * 1, 7, 1);
    control.tick();
    control->arrived_i = 0;
    control.tick();
    control->wrote_i = 0;
    control.tick();
    control->tail_i = 1 << 1;
    unsigned pulse = 0;
    for (int i = 0; i < 6; ++i) {
      control.tick();
      pulse += control->freed_o == 1 << 1;
    }
    EXPECT_EQ(pulse, home ? 2U : 1U);
    EXPECT_FALSE(control->busy_o);
  }
}

// The whole class by its contract: buffers, wishes, patience, places and the switch.
template <typename S>
class RouterClassAtRandom : public ::testing::Test {
 protected:
  struct Input {
    std::deque<bool> flits;  // tails or not, in the buffer
    bool in_register = false, register_tail = false;
    std::deque<unsigned> ports;  // of packets whose wish is not shown yet
    unsigned packets = 0;        // inside
    unsigned to_write = 0;       // flits of the packet that is being written
    unsigned marks = 0;          // multiples of 256 that its head has seen
    bool leaves_reserved = false;
    // this cycle
    bool writes = false, arrives = false, writes_tail = false;
    unsigned port = 0;
  };
  struct Output {
    unsigned places = S::kPackets;
    bool reserved = false;
    bool returned = false, returns_reserved = false;  // this cycle
  };

  void forget(unsigned home) {
    control_->wrote_i = control_->arrived_i = control_->credit_i = control_->reserve_i = 0;
    control_->home_i = static_cast<CData>(home);
    control_.reset();
    inputs_ = {};
    outputs_ = {};
    switch_ = {};
    freed_ = again_ = 0;
    for (unsigned d = 0; d < kLocal; ++d) outputs_[d].reserved = bit(home, d / 2);
  }
  void draw(unsigned i) {
    Input& input = inputs_[i];
    const bool room = i == kLocal ? input.flits.size() < 7 : input.flits.size() < S::kDepth - 4;
    input.writes = input.arrives = input.writes_tail = false;
    input.port = static_cast<unsigned>(random_.below(kPorts));
    if (!room || !random_.chance(load_)) return;
    if (input.to_write == 0) {
      if (input.packets >= S::kPackets) return;
      input.to_write =
          static_cast<unsigned>(2 + random_.below(S::kDepth < 100 || random_.chance(90) ? 4 : 32));
      input.arrives = true;
      ++input.packets;
      if (random_.chance(70))
        input.port = i == kLocal ? static_cast<unsigned>(random_.below(2)) : i ^ 1;
    }
    input.writes = true;
    input.writes_tail = --input.to_write == 0;
  }
  void draw_all() {
    now_ += random_.chance(3) ? (now_ | 255) - now_ + random_.below(3) : 1;
    control_->now_i = now_;
    unsigned wrote = 0, arrived = 0, tails = 0, credit = 0, reserve = 0;
    for (unsigned i = 0; i < kPorts; ++i) {
      draw(i);
      wrote |= (inputs_[i].writes ? 1U : 0U) << i;
      arrived |= (inputs_[i].arrives ? 1U : 0U) << i;
      const bool tail = inputs_[i].in_register ? inputs_[i].register_tail : random_.chance(50);
      tails |= (tail ? 1U : 0U) << i;
    }
    for (unsigned d = 0; d < kLocal; ++d) {
      Output& output = outputs_[d];
      output.returned = output.places < S::kPackets && random_.chance(credit_percent_);
      output.returns_reserved = output.returned && !output.reserved && random_.chance(30);
      credit |= (output.returned ? 1U : 0U) << d;
      reserve |= (output.returns_reserved ? 1U : 0U) << d;
    }
    switch_.tail = tails;
    switch_.open = static_cast<unsigned>(random_.below(128) | random_.below(128));
    control_->wrote_i = static_cast<CData>(wrote);
    control_->arrived_i = static_cast<CData>(arrived);
    control_->credit_i = static_cast<CData>(credit);
    control_->reserve_i = static_cast<CData>(reserve);
    control_->open_i = static_cast<CData>(switch_.open);
    control_->tail_i = static_cast<CData>(tails);
    for (unsigned i = 0; i < kPorts; ++i)
      set_port_bits(control_->ports_i, 7 * i, 7, 1U << inputs_[i].port);
  }
  bool loads(unsigned i) const {
    const Input& input = inputs_[i];
    return (!input.flits.empty() || input.writes) && (!input.in_register || bit(switch_.pop, i));
  }
  void compare() {
    switch_.valid = switch_.any = switch_.spare = switch_.two = switch_.starved = 0;
    for (unsigned i = 0; i < kPorts; ++i) {
      switch_.valid |= (inputs_[i].in_register ? 1U : 0U) << i;
      switch_.starved |= (inputs_[i].marks >= 2 ? 1U : 0U) << i;
    }
    for (unsigned d = 0; d < kLocal; ++d) {
      const Output& output = outputs_[d];
      switch_.any |= (output.places >= 1 ? 1U : 0U) << d;
      switch_.spare |= (output.places > (output.reserved ? 1U : 0U) ? 1U : 0U) << d;
      switch_.two |= (output.places >= 2 ? 1U : 0U) << d;
    }
    switch_.settle();
    std::uint64_t owner = 0;
    unsigned load = 0;
    bool busy = freed_ != 0;
    for (unsigned i = 0; i < kPorts; ++i) {
      const Input& input = inputs_[i];
      if (switch_.owner[i]) owner |= std::uint64_t{1} << (7 * i + *switch_.owner[i]);
      load |= (loads(i) ? 1U : 0U) << i;
      busy = busy || !input.flits.empty() || input.writes || input.in_register;
    }
    ASSERT_EQ(control_->send_o, switch_.send);
    ASSERT_EQ(control_->first_o, switch_.first);
    ASSERT_EQ(control_->last_o, switch_.last);
    ASSERT_EQ(control_->owner_o, owner);
    ASSERT_EQ(control_->stall_o, switch_.stall);
    ASSERT_EQ(control_->load_o, load);
    ASSERT_EQ(control_->freed_o, freed_);
    ASSERT_EQ(control_->local_room_o, inputs_[kLocal].flits.size() < 7);
    ASSERT_EQ(control_->busy_o, busy);
  }
  // What the coming edge does.
  void step() {
    const unsigned done = switch_.pop & switch_.tail & 63;
    unsigned again = 0;
    for (unsigned i = 0; i < kLocal; ++i)
      if (bit(done, i) && inputs_[i].leaves_reserved) again |= 1U << i;
    freed_ = done | again_;
    again_ = again;
    for (unsigned i = 0; i < kPorts; ++i) step(i);
    for (unsigned d = 0; d < kLocal; ++d) {
      Output& output = outputs_[d];
      const bool granted = switch_.granted[d].has_value();
      const bool moved = granted && *switch_.granted[d] == (d ^ 1) && output.reserved;
      if (moved) inputs_[d ^ 1].leaves_reserved = true;
      output.places = output.places + output.returned - granted;
      output.reserved = (output.reserved && !moved) || output.returns_reserved;
    }
    switch_.tick();
  }
  void step(unsigned i) {
    Input& input = inputs_[i];
    const bool load = loads(i), pop = bit(switch_.pop, i);
    const bool granted = switch_.wish[i] && switch_.granted[*switch_.wish[i]] == i;
    if (pop && bit(switch_.tail, i)) {
      input.leaves_reserved = false;
      --input.packets;
    }
    if (granted) {
      switch_.wish[i].reset();
      input.marks = 0;
    } else if (switch_.wish[i] && now_ % 256 == 0) {
      ++input.marks;
    }
    if (input.arrives) input.ports.push_back(input.port);
    if (!switch_.wish[i] && !input.ports.empty()) {
      switch_.wish[i] = input.ports.front();
      input.ports.pop_front();
    }
    if (input.writes) input.flits.push_back(input.writes_tail);
    if (pop) input.in_register = false;
    if (!load) return;
    input.in_register = true;
    input.register_tail = input.flits.front();
    input.flits.pop_front();
  }

  Random random_;
  Clocked<typename S::Model> control_{random_.seed()};
  std::array<Input, kPorts> inputs_;
  std::array<Output, kLocal> outputs_;
  RouterSwitchModel switch_;
  unsigned freed_ = 0, again_ = 0;  // link inputs in the first and in the second cycle of the pulse
  std::uint64_t now_ = 0;
  unsigned load_ = 50, credit_percent_ = 50;
};

TYPED_TEST_SUITE(RouterClassAtRandom, Sizes);

TYPED_TEST(RouterClassAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(this->random_.replay());
  for (int cycle = 0; cycle < 24000; ++cycle) {
    if (cycle % 600 == 0) {
      this->forget(static_cast<unsigned>(this->random_.below(8)));
      constexpr unsigned kLoads[] = {90, 30, 4, 4};
      this->load_ = kLoads[this->random_.below(4)];
      this->credit_percent_ = static_cast<unsigned>(this->random_.chance(50) ? 40 : 8);
    }
    this->draw_all();
    this->control_.settle();
    ASSERT_NO_FATAL_FAILURE(this->compare()) << "cycle " << cycle;
    this->step();
    this->control_.tick();
  }
}

}  // namespace
}  // namespace torusmu::testing
