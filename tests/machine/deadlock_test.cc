// SPDX-License-Identifier: Apache-2.0
// model: Vmu_route mu_route
//
// Freedom from deadlock, from the routing function that the hardware has: every route of a machine
// is walked with the Verilated mu_route, every buffer that a packet holds while it waits for
// another gives an edge, and the graph must have no cycle. The ring of a torus dimension is one
// vertex: the bubble rule, proved in tb/formal, keeps a free place in it, so a ring alone never
// stops. Requests that have arrived wait for a reply to be injected; replies wait for nothing.

#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "Vmu_route.h"

namespace torusmu::testing {
namespace {

using Place = std::array<unsigned, 3>;
constexpr unsigned kDirections = 6;
constexpr unsigned kLocal = 6;

struct Machine {
  Place size;
  unsigned torus;

  unsigned nodes() const { return size[0] * size[1] * size[2]; }
  unsigned index(const Place& at) const { return at[0] + size[0] * (at[1] + size[1] * at[2]); }
  Place place(unsigned n) const {
    return {n % size[0], n / size[0] % size[1], n / size[0] / size[1]};
  }
  bool wraps(unsigned dimension) const { return (torus >> dimension & 1) != 0; }
  // False at the edge of a mesh.
  bool step(Place* at, unsigned direction) const {
    const unsigned d = direction / 2;
    const bool edge = (*at)[d] == (direction % 2 == 0 ? size[d] - 1 : 0);
    if (edge && !wraps(d)) return false;
    (*at)[d] = ((*at)[d] + (direction % 2 == 0 ? 1 : size[d] - 1)) % size[d];
    return true;
  }
  unsigned distance(const Place& from, const Place& to) const {
    unsigned hops = 0;
    for (unsigned d = 0; d < 3; ++d) {
      const unsigned apart = from[d] < to[d] ? to[d] - from[d] : from[d] - to[d];
      hops += wraps(d) && size[d] - apart < apart ? size[d] - apart : apart;
    }
    return hops;
  }
  std::string name() const {
    return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]) +
           " torus bits " + std::to_string(torus);
  }
};

// The output (0 x+ .. 5 z-, 6 local) that a packet from `source` to `to` takes at `at`.
using Route =
    std::function<unsigned(const Machine&, const Place& source, const Place& at, const Place& to)>;

class VerilatedRoute {
 public:
  unsigned operator()(const Machine& machine, const Place& source, const Place& at,
                      const Place& to) {
    route_.last_x_i = static_cast<CData>(machine.size[0] - 1);
    route_.last_y_i = static_cast<CData>(machine.size[1] - 1);
    route_.last_z_i = static_cast<CData>(machine.size[2] - 1);
    route_.torus_i = static_cast<CData>(machine.torus);
    route_.own_x_i = static_cast<CData>(at[0]);
    route_.own_y_i = static_cast<CData>(at[1]);
    route_.own_z_i = static_cast<CData>(at[2]);
    route_.dst_x_i = static_cast<CData>(to[0]);
    route_.dst_y_i = static_cast<CData>(to[1]);
    route_.dst_z_i = static_cast<CData>(to[2]);
    route_.src_odd_i = (source[0] + source[1] + source[2]) % 2 != 0;
    route_.valid_i = 1;
    route_.eval();
    unsigned output = 0;
    while (output < 7 && (route_.port_o >> output & 1) == 0) ++output;
    return route_.port_o == 1U << output ? output : 7;
  }

 private:
  VerilatedContext context_;
  Vmu_route route_{&context_};
};

// What packets wait for. Vertices: for each class the buffers behind links (a whole ring is one),
// the injection and the reception of each node.
class WaitingGraph {
 public:
  // `classes` 2, or 1 to have requests and replies share everything.
  WaitingGraph(const Machine& machine, unsigned classes)
      : machine_(machine), classes_(classes), edges_(vertex_count()) {
    for (unsigned n = 0; n < machine.nodes(); ++n) {
      add(local(0, n, kReception), local(1, n, kInjection));
    }
  }

  // Empty if the route reaches its end on a shortest way, else what is wrong with it.
  std::string add_route(const Route& route, unsigned from, unsigned to) {
    const Place source = machine_.place(from);
    const Place target = machine_.place(to);
    Place at = source;
    std::array<unsigned, 2> held{local(0, from, kInjection), local(1, from, kInjection)};
    for (unsigned hops = machine_.distance(source, target); hops > 0; --hops) {
      const unsigned output = route(machine_, source, at, target);
      Place next = at;
      if (output >= kDirections || !machine_.step(&next, output)) return "leaves the machine";
      for (unsigned c = 0; c < 2; ++c) {
        const unsigned wanted = link(c, at, output);
        if (held[c] != wanted) add(held[c], wanted);
        held[c] = wanted;
      }
      at = next;
    }
    if (at != target || route(machine_, source, at, target) != kLocal) return "is not shortest";
    for (unsigned c = 0; c < 2; ++c) add(held[c], local(c, to, kReception));
    return "";
  }

  // Kahn's algorithm: what cannot be removed lies on a cycle or behind one.
  bool has_cycle() const {
    std::vector<unsigned> incoming(edges_.size(), 0);
    for (const std::vector<unsigned>& next : edges_) {
      for (const unsigned v : next) ++incoming[v];
    }
    std::vector<unsigned> free;
    for (unsigned v = 0; v < edges_.size(); ++v) {
      if (incoming[v] == 0) free.push_back(v);
    }
    std::size_t removed = 0;
    while (!free.empty()) {
      const unsigned v = free.back();
      free.pop_back();
      ++removed;
      for (const unsigned w : edges_[v]) {
        if (--incoming[w] == 0) free.push_back(w);
      }
    }
    return removed != edges_.size();
  }

 private:
  enum Local : unsigned { kInjection = kDirections, kReception };
  static constexpr unsigned kVerticesOfNode = kDirections + 2;

  unsigned vertex_count() const { return 2 * machine_.nodes() * kVerticesOfNode; }
  unsigned vertex(unsigned c, unsigned node, unsigned which) const {
    return ((classes_ == 1 ? 0 : c) * machine_.nodes() + node) * kVerticesOfNode + which;
  }
  unsigned local(unsigned c, unsigned node, Local which) const { return vertex(c, node, which); }
  // The buffer behind output `direction` of the node: in a torus dimension that of its ring.
  unsigned link(unsigned c, Place at, unsigned direction) const {
    if (machine_.wraps(direction / 2)) at[direction / 2] = 0;
    return vertex(c, machine_.index(at), direction);
  }
  void add(unsigned from, unsigned to) {
    for (const unsigned known : edges_[from]) {
      if (known == to) return;
    }
    edges_[from].push_back(to);
  }

  Machine machine_;
  unsigned classes_;
  std::vector<std::vector<unsigned>> edges_;
};

// Empty if no packet can wait for itself on this machine.
std::string deadlock_of(const Machine& machine, const Route& route, unsigned classes = 2) {
  WaitingGraph graph(machine, classes);
  for (unsigned from = 0; from < machine.nodes(); ++from) {
    for (unsigned to = 0; to < machine.nodes(); ++to) {
      const std::string wrong = graph.add_route(route, from, to);
      if (!wrong.empty()) {
        return machine.name() + ": the route from " + std::to_string(from) + " to " +
               std::to_string(to) + " " + wrong;
      }
    }
  }
  return graph.has_cycle() ? machine.name() + ": a cycle of waiting packets" : "";
}

TEST(Deadlock, CannotHappenOnAnyShapeUpToSixInEachDimension) {
  VerilatedRoute verilated;
  const Route route = std::ref(verilated);
  for (unsigned torus = 0; torus < 8; ++torus) {
    for (unsigned x = 1; x <= 6; ++x) {
      for (unsigned y = 1; y <= 6; ++y) {
        for (unsigned z = 1; z <= 6; ++z) {
          ASSERT_EQ(deadlock_of({{x, y, z}, torus}, route), "");
        }
      }
    }
  }
}

TEST(Deadlock, CannotHappenOnSampledShapesUpToSixteen) {
  VerilatedRoute verilated;
  const Route route = std::ref(verilated);
  const Place shapes[] = {{16, 1, 1}, {1, 16, 1}, {1, 1, 16}, {7, 8, 1}, {15, 16, 1},
                          {13, 2, 9}, {16, 2, 3}, {2, 11, 7}, {8, 8, 8}};
  for (const Place& size : shapes) {
    for (const unsigned torus : {0U, 5U, 7U}) {
      ASSERT_EQ(deadlock_of({size, torus}, route), "");
    }
  }
}

TEST(Deadlock, IsSeenWhenRequestsAndRepliesShareTheirBuffers) {
  VerilatedRoute verilated;
  EXPECT_NE(deadlock_of({{3, 2, 1}, 7}, std::ref(verilated), 1), "");
}

TEST(Deadlock, IsSeenWhenOddSourcesRouteTheYDimensionFirst) {
  VerilatedRoute verilated;
  const Route y_first = [&](const Machine& machine, const Place& source, const Place& at,
                            const Place& to) {
    if ((source[0] + source[1]) % 2 == 0) return verilated(machine, source, at, to);
    return verilated(machine, source, {to[0], at[1], at[2]}, to) == kLocal
               ? verilated(machine, source, at, to)
               : verilated(machine, source, {to[0], at[1], at[2]}, to);
  };
  for (const unsigned torus : {0U, 7U}) {
    EXPECT_NE(deadlock_of({{4, 4, 1}, torus}, y_first), "");
  }
}

TEST(Deadlock, IsSeenWhenARouteIsNotShortest) {
  VerilatedRoute verilated;
  const Route always_plus = [&](const Machine& machine, const Place& source, const Place& at,
                                const Place& to) {
    return verilated(machine, source, at, to) & ~1U;
  };
  EXPECT_NE(deadlock_of({{4, 1, 1}, 7}, always_plus), "");
}

}  // namespace
}  // namespace torusmu::testing
