// SPDX-License-Identifier: Apache-2.0
// verilator: -GDEPTH=6
// model: Vmu_router_ports_twelve mu_router_ports -GDEPTH=12

#include <gtest/gtest.h>

#include <deque>

#include "Vmu_router_ports.h"
#include "Vmu_router_ports_twelve.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

template <typename Model>
void compare_with_a_queue(unsigned depth) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Model> ports(random.seed());
  std::deque<unsigned> inside;
  unsigned times_full = 0;
  for (int cycle = 0; cycle < 4000; ++cycle) {
    const unsigned percent = cycle / 100 % 2 == 0 ? 70 : 30;
    const bool pop = !inside.empty() && random.chance(100 - percent);
    const bool push = (inside.size() < depth || pop) && random.chance(percent);
    const auto port = static_cast<unsigned>(random.below(128));
    ports->push_i = push;
    ports->pop_i = pop;
    ports->port_i = static_cast<CData>(port);
    ports.tick();
    if (pop) inside.pop_front();
    if (push) inside.push_back(port);
    ASSERT_EQ(ports->some_o, !inside.empty());
    if (!inside.empty()) {
      ASSERT_EQ(ports->port_o, inside.front()) << "cycle " << cycle;
    }
    times_full += inside.size() == depth;
  }
  EXPECT_GT(times_full, 10U);
}

TEST(RouterPorts, OfRequestsAreAFifo) { compare_with_a_queue<Vmu_router_ports>(6); }
TEST(RouterPorts, OfRepliesAreAFifo) { compare_with_a_queue<Vmu_router_ports_twelve>(12); }

template <typename Model>
void fill_and_drain(unsigned depth) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Model> ports(random.seed());
  std::deque<unsigned> inside;
  unsigned goal = depth;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    if (inside.size() == goal) goal = static_cast<unsigned>(random.below(depth + 1));
    const bool both = !inside.empty() && random.chance(30);
    const bool push = both || inside.size() < goal;
    const bool pop = both || inside.size() > goal;
    const auto port = static_cast<unsigned>(random.below(128));
    ports->push_i = push;
    ports->pop_i = pop;
    ports->port_i = static_cast<CData>(port);
    ports.tick();
    if (pop) inside.pop_front();
    if (push) inside.push_back(port);
    ASSERT_EQ(ports->some_o, !inside.empty()) << "cycle " << cycle;
    if (!inside.empty()) {
      ASSERT_EQ(ports->port_o, inside.front()) << "cycle " << cycle;
    }
  }
}

TEST(RouterPorts, OfRequestsKeepTheirOrderAtEveryLevel) { fill_and_drain<Vmu_router_ports>(6); }
TEST(RouterPorts, OfRepliesKeepTheirOrderAtEveryLevel) {
  fill_and_drain<Vmu_router_ports_twelve>(12);
}

TEST(RouterPorts, AreEmptyAfterAReset) {
  Clocked<Vmu_router_ports_twelve> ports;
  for (unsigned level = 1; level <= 12; ++level) {
    ports->push_i = 1;
    for (unsigned i = 0; i < level; ++i) ports.tick();
    ports->push_i = 0;
    ports.reset(1);
    ASSERT_FALSE(ports->some_o) << level;
  }
}

template <typename Model>
void fill_twice(unsigned depth) {
  for (unsigned port = 0; port < 128; ++port) {
    Clocked<Model> ports;
    for (const unsigned filling : {127 - port, port}) {
      ports.reset(1);
      ports->push_i = 1;
      ports->port_i = static_cast<CData>(filling);
      for (unsigned i = 0; i < depth; ++i) ports.tick();
      ports->push_i = 0;
    }
    ports->pop_i = 1;
    for (unsigned i = 0; i < depth; ++i) {
      ASSERT_EQ(ports->port_o, port) << "place " << i;
      ports.tick();
    }
  }
}

TEST(RouterPorts, OfRequestsKeepNothingFromBeforeAReset) { fill_twice<Vmu_router_ports>(6); }
TEST(RouterPorts, OfRepliesKeepNothingFromBeforeAReset) { fill_twice<Vmu_router_ports_twelve>(12); }

}  // namespace
}  // namespace torusmu::testing
