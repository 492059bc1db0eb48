// SPDX-License-Identifier: Apache-2.0
// model: Vmu_router mu_router

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/machine/router_machine.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kRequestFlits = 34;
constexpr unsigned kReplyFlits = 4;

struct Shape {
  std::array<unsigned, 3> size;
  unsigned torus;
  unsigned latency;
};

std::string name_of(const ::testing::TestParamInfo<Shape>& info) {
  const Shape& shape = info.param;
  return std::to_string(shape.size[0]) + "x" + std::to_string(shape.size[1]) + "x" +
         std::to_string(shape.size[2]) + "_torus" + std::to_string(shape.torus) + "_latency" +
         std::to_string(shape.latency);
}

class RouterTorus : public ::testing::TestWithParam<Shape> {
 protected:
  RouterMachineOptions options(std::uint64_t seed) const {
    return {.size = GetParam().size,
            .torus = GetParam().torus,
            .latency = GetParam().latency,
            .seed = seed};
  }
};

// Keeps some packets of random length waiting at every source.
void offer_random_traffic(RouterMachine& machine, Random& random, unsigned node) {
  while (machine.backlog(node, Class::kRequest) < 3) {
    machine.send(node, static_cast<unsigned>(random.below(machine.node_count())), Class::kRequest,
                 2 + static_cast<unsigned>(random.below(kRequestFlits - 1)));
  }
  while (machine.backlog(node, Class::kReply) < 3) {
    machine.send(node, static_cast<unsigned>(random.below(machine.node_count())), Class::kReply,
                 2 + static_cast<unsigned>(random.below(kReplyFlits - 1)));
  }
}

// Bit d: the reserved place of the ring in direction d is beyond this router's output.
unsigned reserved_places(Vmu_router& router, Class c) {
  return c == Class::kRequest
             ? router.rootp->mu_router__DOT__u_request_class__DOT__u_credits__DOT__reserved_q
             : router.rootp->mu_router__DOT__u_reply_class__DOT__u_credits__DOT__reserved_q;
}

// Rings with any other number of reserved places than one.
unsigned rings_without_one_reserved_place(RouterMachine& machine,
                                          const std::array<unsigned, 3>& size) {
  unsigned wrong = 0;
  for (const Class c : {Class::kRequest, Class::kReply}) {
    for (unsigned direction = 0; direction < 6; ++direction) {
      std::vector<unsigned> places(machine.node_count());  // of each ring, by its node 0
      for (unsigned n = 0; n < machine.node_count(); ++n) {
        std::array<unsigned, 3> at{n % size[0], n / size[0] % size[1], n / size[0] / size[1]};
        at[direction / 2] = 0;
        places[at[0] + size[0] * (at[1] + size[1] * at[2])] +=
            reserved_places(machine.router(n), c) >> direction & 1;
      }
      for (unsigned n = 0; n < machine.node_count(); ++n) {
        const std::array<unsigned, 3> at{n % size[0], n / size[0] % size[1], n / size[0] / size[1]};
        if (at[direction / 2] == 0) wrong += places[n] != 1;
      }
    }
  }
  return wrong;
}

TEST_P(RouterTorus, DeliversEveryFlitOnceAndInOrderAndDrains) {
  Random random;
  SCOPED_TRACE(random.replay());
  RouterMachine machine(options(random.seed()));
  for (unsigned n = 0; n < machine.node_count(); ++n) {
    machine.set_sink_percent(n, Class::kRequest, 30 + static_cast<unsigned>(random.below(71)));
    machine.set_sink_percent(n, Class::kReply, 30 + static_cast<unsigned>(random.below(71)));
  }
  machine.refill = [&](unsigned node) { offer_random_traffic(machine, random, node); };
  machine.run(4000);
  EXPECT_GT(machine.packets_delivered(), machine.node_count() * 50);
  machine.refill = nullptr;
  machine.drain(20000);
  machine.run(100);
  EXPECT_FALSE(machine.busy()) << "a drained machine of routers is not quiescent";
  EXPECT_EQ(rings_without_one_reserved_place(machine, GetParam().size), 0U);
}

TEST_P(RouterTorus, DrainsWhenEveryNodeSendsToOne) {
  Random random;
  SCOPED_TRACE(random.replay());
  RouterMachine machine(options(random.seed()));
  const auto hot = static_cast<unsigned>(random.below(machine.node_count()));
  for (unsigned n = 0; n < machine.node_count(); ++n) {
    for (int i = 0; i < 6; ++i) {
      machine.send(n, hot, Class::kRequest, kRequestFlits);
      machine.send(hot, n, Class::kReply, kReplyFlits);
    }
  }
  machine.drain(machine.node_count() * 6 * kRequestFlits * 2 + 2000);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RouterTorus,
                         ::testing::Values(Shape{{1, 1, 1}, 7, 8}, Shape{{2, 2, 2}, 7, 8},
                                           Shape{{2, 2, 2}, 7, 1}, Shape{{3, 1, 2}, 7, 3},
                                           Shape{{4, 4, 4}, 7, 8}, Shape{{4, 4, 4}, 7, 32},
                                           Shape{{3, 3, 2}, 0, 8}, Shape{{5, 1, 3}, 5, 2},
                                           Shape{{16, 1, 1}, 7, 4}),
                         name_of);

// Accepted request flits for each node and cycle under uniform random traffic of full packets.
double saturation(std::array<unsigned, 3> size, std::uint64_t warm_up, std::uint64_t cycles) {
  Random random;
  RouterMachine machine({.size = size, .latency = 8, .seed = random.seed()});
  machine.refill = [&](unsigned node) {
    while (machine.backlog(node, Class::kRequest) < 3) {
      const auto other = static_cast<unsigned>(random.below(machine.node_count() - 1));
      machine.send(node, other < node ? other : other + 1, Class::kRequest, kRequestFlits);
    }
  };
  machine.run(warm_up);
  const std::uint64_t flits = machine.flits_delivered(Class::kRequest);
  machine.run(cycles);
  return static_cast<double>(machine.flits_delivered(Class::kRequest) - flits) /
         static_cast<double>(cycles) / machine.node_count();
}

TEST(RouterThroughput, AcceptsFourFifthsOfUniformTrafficOn4x4x4) {
  const double accepted = saturation({4, 4, 4}, 6000, 16000);
  RecordProperty("flits_per_node_and_cycle", std::to_string(accepted));
  EXPECT_GE(accepted, 0.78);
}

TEST(RouterThroughput, AcceptsHalfOfUniformTrafficOn8x8x8) {
  const double accepted = saturation({8, 8, 8}, 4000, 4000);
  RecordProperty("flits_per_node_and_cycle", std::to_string(accepted));
  EXPECT_GE(accepted, 0.52);
}

// Flits a cycle of a stream of full packets from node 0 to its neighbour.
double stream_rate(unsigned latency) {
  RouterMachine machine({.size = {4, 1, 1}, .latency = latency});
  machine.refill = [&](unsigned node) {
    while (node == 0 && machine.backlog(0, Class::kRequest) < 3) {
      machine.send(0, 1, Class::kRequest, kRequestFlits);
    }
  };
  machine.run(1024);
  const std::uint64_t flits = machine.flits_delivered(Class::kRequest);
  const std::uint64_t start = machine.cycle();
  machine.run(8192);
  return static_cast<double>(machine.flits_delivered(Class::kRequest) - flits) /
         static_cast<double>(machine.cycle() - start);
}

TEST(RouterThroughput, CarriesOneStreamAtFullRateOverLinksOfAnyLatency) {
  for (const unsigned latency : {1U, 2U, 4U, 8U, 16U, 32U}) {
    EXPECT_EQ(stream_rate(latency), 1.0) << "latency " << latency;
  }
}

TEST(RouterLatency, AddsThreeCyclesForEachIdleHop) {
  for (const unsigned latency : {1U, 8U}) {
    RouterMachine machine({.size = {8, 8, 8}, .latency = latency});
    std::uint64_t before = 0;
    unsigned node = 0;
    for (const unsigned stride : {1U, 1U, 1U, 8U, 8U, 64U, 64U}) {
      node += stride;
      machine.send(0, node, Class::kRequest, kRequestFlits);
      machine.drain(500);
      const std::uint64_t now = machine.last_latency();
      if (before != 0) {
        EXPECT_EQ(now - before, 3 + latency) << "node " << node;
      }
      before = now;
    }
  }
}

TEST(RouterClasses, RepliesPassWhileNoRequestIsTaken) {
  Random random;
  SCOPED_TRACE(random.replay());
  RouterMachine machine({.size = {4, 4, 2}, .latency = 4, .seed = random.seed()});
  for (unsigned n = 0; n < machine.node_count(); ++n) {
    machine.set_sink_percent(n, Class::kRequest, 0);
    for (int i = 0; i < 40; ++i) {
      machine.send(n, static_cast<unsigned>(random.below(machine.node_count())), Class::kRequest,
                   kRequestFlits);
    }
  }
  machine.run(4000);  // requests fill every buffer
  const std::uint64_t stuck = machine.in_flight();
  for (unsigned n = 0; n < machine.node_count(); ++n) {
    for (unsigned to = 0; to < machine.node_count(); ++to) {
      machine.send(n, to, Class::kReply, kReplyFlits);
    }
  }
  machine.run(4000);
  EXPECT_EQ(machine.in_flight(), stuck);
  for (unsigned n = 0; n < machine.node_count(); ++n) {
    machine.set_sink_percent(n, Class::kRequest, 100);
  }
  machine.drain(20000);
}

// Packets that every source delivers in turn while all send to node 0 all the time.
std::vector<std::uint64_t> packets_to_a_hot_spot(std::array<unsigned, 3> size,
                                                 std::uint64_t cycles) {
  RouterMachine machine({.size = size, .latency = 8});
  std::vector<std::uint64_t> sent(machine.node_count());
  machine.refill = [&](unsigned node) {
    if (node == 0) return;
    while (machine.backlog(node, Class::kRequest) < 2) {
      machine.send(node, 0, Class::kRequest, kRequestFlits);
      ++sent[node];
    }
  };
  machine.run(cycles);
  return sent;
}

TEST(RouterStarvation, EveryNodeOfARingReachesAHotSpotForEver) {
  const std::vector<std::uint64_t> sent = packets_to_a_hot_spot({16, 1, 1}, 60000);
  for (std::size_t n = 1; n < sent.size(); ++n) EXPECT_GT(sent[n], 60U) << "node " << n;
}

TEST(RouterStarvation, EveryNodeOfATorusReachesAHotSpotForEver) {
  const std::vector<std::uint64_t> sent = packets_to_a_hot_spot({4, 4, 2}, 200000);
  // What fits between source and hot spot without a single delivery is less than 20 packets.
  for (std::size_t n = 1; n < sent.size(); ++n) EXPECT_GT(sent[n], 25U) << "node " << n;
}

}  // namespace
}  // namespace torusmu::testing
