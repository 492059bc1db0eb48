// SPDX-License-Identifier: Apache-2.0
// A torus or mesh of nothing but routers, with a source and a checking sink for each class at every
// node.
//
//   RouterMachine machine({.size = {4, 4, 4}, .latency = 8});
//   machine.send(source, destination, Class::kRequest, flits);  // queued at the source
//   machine.run(1000);
//   machine.in_flight();  // packets queued or in the network
//
// The sinks check every flit: right node, framing, content, and order for each source, destination
// and class; they throw std::runtime_error, with node and cycle, at the first that is wrong. Links
// are delay lines: what a router shows after the edge of cycle t is sampled by the edge of cycle
// t + latency.

#ifndef TESTS_MACHINE_ROUTER_MACHINE_H_
#define TESTS_MACHINE_ROUTER_MACHINE_H_

#include <verilated.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vmu_router.h"
#include "Vmu_router/Vmu_router___024root.h"
#include "tests/support/port_fields.h"

namespace torusmu::testing {

enum class Class : unsigned { kRequest = 0, kReply = 1 };

struct RouterMachineOptions {
  std::array<unsigned, 3> size{2, 2, 2};
  // Dimensions that wrap around: bit 0 x, 1 y, 2 z.
  unsigned torus = 7;
  // Cycles from router to router, 1 to 32.
  unsigned latency = 8;
  std::uint64_t seed = 1;
  // The model registers eject_*_ready_i before the router sees it.
  bool ready_is_registered = false;
};

class RouterMachine {
 public:
  static constexpr unsigned kDirections = 6;
  static constexpr unsigned kClasses = 2;

  explicit RouterMachine(const RouterMachineOptions& options)
      : options_(options), nodes_(options.size[0] * options.size[1] * options.size[2]) {
    context_.randReset(2);
    context_.randSeed(static_cast<int>(options.seed % 0x7fffffffU) + 1);
    for (unsigned n = 0; n < nodes_.size(); ++n) make_node(n);
    expected_.assign(nodes_.size() * nodes_.size() * kClasses, 0);
    sent_ = expected_;
  }

  unsigned node_count() const { return static_cast<unsigned>(nodes_.size()); }
  std::uint64_t cycle() const { return cycle_; }
  std::uint64_t in_flight() const { return in_flight_; }
  std::uint64_t flits_delivered(Class c) const { return flits_[static_cast<unsigned>(c)]; }
  std::uint64_t packets_delivered() const { return packets_; }
  std::size_t backlog(unsigned node, Class c) const {
    return nodes_[node].source[static_cast<unsigned>(c)].queue.size();
  }
  // Any router says that it is busy.
  bool busy() const {
    for (const Node& node : nodes_) {
      if (node.model->busy_o) return true;
    }
    return false;
  }
  Vmu_router& router(unsigned node) { return *nodes_[node].model; }

  // Cycles from send() to the header's arrival, of the packet that arrived last.
  std::uint64_t last_latency() const { return last_latency_; }

  // Percentage of cycles in which the sink of a node and class takes a flit; 100 at first.
  void set_sink_percent(unsigned node, Class c, unsigned percent) {
    nodes_[node].sink[static_cast<unsigned>(c)].percent = percent;
  }

  void send(unsigned source, unsigned destination, Class c, unsigned flits) {
    const auto k = static_cast<unsigned>(c);
    nodes_[source].source[k].queue.push_back(
        {destination, flits, sent_[pair(source, destination, k)]++, cycle_});
    ++in_flight_;
  }

  // Called for each node at the start of each window of `latency` cycles: the place to make
  // traffic.
  std::function<void(unsigned node)> refill;

  // Runs at least `cycles` cycles, in whole windows of `latency` cycles.
  void run(std::uint64_t cycles) {
    const std::uint64_t end = cycle_ + cycles;
    while (cycle_ < end) {
      for (unsigned n = 0; n < nodes_.size(); ++n) {
        if (refill) refill(n);
        for (unsigned i = 0; i < options_.latency; ++i) step(n, cycle_ + i);
      }
      cycle_ += options_.latency;
    }
  }

  // Runs until nothing is in flight; throws after `bound` cycles.
  void drain(std::uint64_t bound) {
    const std::uint64_t end = cycle_ + bound;
    while (in_flight_ != 0) {
      if (cycle_ >= end) {
        throw std::runtime_error("not drained after " + std::to_string(bound) +
                                 " cycles: " + std::to_string(in_flight_) + " packets left");
      }
      run(1);
    }
  }

 private:
  static constexpr unsigned kLineSlots = 32;

  struct Flit {
    bool valid, head, tail, reply;
    std::uint8_t credit;  // bit 0 of requests, bit 1 of replies
    FlitWords data;
  };
  struct Line {
    Flit slot[kLineSlots];
  };
  struct Packet {
    unsigned destination;
    unsigned flits;
    std::uint32_t number;
    std::uint64_t made;
  };
  struct Source {
    std::deque<Packet> queue;
    unsigned sent = 0;  // flits of the first packet that have been taken
    bool offered = false;
  };
  struct Sink {
    unsigned source = 0;
    unsigned flits = 0;  // of the packet being received
    unsigned length = 0;
    std::uint32_t number = 0;
    unsigned percent = 100;
    bool taking = false;  // takes a flit in this cycle
    bool was_taking = false;
  };
  struct Node {
    std::unique_ptr<Vmu_router> model;
    std::array<const Line*, kDirections> in;  // null: nothing there
    std::array<Line, kDirections> out;
    std::array<Source, kClasses> source;
    std::array<Sink, kClasses> sink;
    std::uint64_t random = 1;
  };

  static std::uint32_t mix(std::uint32_t a, std::uint32_t b) {
    std::uint32_t x = a * 0x9e3779b1U ^ b * 0x85ebca77U;
    return x ^ x >> 15;
  }
  std::array<unsigned, 3> place(unsigned n) const {
    return {n % options_.size[0], n / options_.size[0] % options_.size[1],
            n / options_.size[0] / options_.size[1]};
  }
  std::size_t pair(unsigned source, unsigned destination, unsigned k) const {
    return (std::size_t{source} * nodes_.size() + destination) * kClasses + k;
  }

  void make_node(unsigned n) {
    Node& node = nodes_[n];
    node.model = std::make_unique<Vmu_router>(&context_, "router");
    node.out = {};
    node.random = options_.seed * 77 + n + 1;
    const std::array<unsigned, 3> at = place(n);
    const std::array<unsigned, 3> stride{1, options_.size[0], options_.size[0] * options_.size[1]};
    for (unsigned d = 0; d < kDirections; ++d) {
      const unsigned dimension = d / 2;
      const unsigned size = options_.size[dimension];
      const bool plus = d % 2 == 0;
      const bool edge = at[dimension] == (plus ? size - 1 : 0);
      node.in[d] = nullptr;
      if (edge && (options_.torus >> dimension & 1) == 0) continue;
      const unsigned there = plus ? (at[dimension] + 1) % size : (at[dimension] + size - 1) % size;
      const unsigned neighbour = n + (there - at[dimension]) * stride[dimension];
      node.in[d] = &nodes_[neighbour].out[d ^ 1];
    }
    Vmu_router& m = *node.model;
    clear_inputs(m);
    const std::array<unsigned, 3>& size = options_.size;
    m.straps_i =
        Straps{at[0], at[1], at[2], size[0] - 1, size[1] - 1, size[2] - 1, options_.torus}.word();
    for (int i = 0; i < 2; ++i) {
      m.clk_i = m.clk_reply_i = 0;
      m.eval();
      m.clk_i = m.clk_reply_i = 1;
      m.eval();
    }
    m.rst_ni = 1;
  }

  static void clear_inputs(Vmu_router& m) {
    m.rst_ni = 0;
    m.link_valid_i = 0;
    m.link_credit_request_i = m.link_credit_reply_i = 0;
    put<layout::flit_stream::valid>(m.inject_request_i, 0);
    put<layout::flit_stream::valid>(m.inject_reply_i, 0);
    m.eject_request_ready_i = m.eject_reply_ready_i = 0;
    m.register_valid_i = 0;
  }

  void step(unsigned n, std::uint64_t now) {
    Node& node = nodes_[n];
    Vmu_router& m = *node.model;
    m.now_i = now & 0xffffffffffffULL;
    take_from_links(node, (now - options_.latency) % kLineSlots);
    for (Sink& sink : node.sink) {
      sink.was_taking = sink.taking;
      sink.taking = sink.percent == 100 || random_percent(node) < sink.percent;
    }
    m.eject_request_ready_i = node.sink[0].taking;
    m.eject_reply_ready_i = node.sink[1].taking;
    if (is_valid(m.eject_request_o) && takes(node.sink[0])) receive(n, 0, now, m.eject_request_o);
    if (is_valid(m.eject_reply_o) && takes(node.sink[1])) receive(n, 1, now, m.eject_reply_o);
    const bool request_ready = m.inject_request_ready_o;
    const bool reply_ready = m.inject_reply_ready_o;
    if (!node.source[0].queue.empty() || is_valid(m.inject_request_i))
      offer(n, 0, m.inject_request_i);
    if (!node.source[1].queue.empty() || is_valid(m.inject_reply_i)) offer(n, 1, m.inject_reply_i);
    if (is_valid(m.inject_request_i) && request_ready) accepted(n, 0);
    if (is_valid(m.inject_reply_i) && reply_ready) accepted(n, 1);
    // One evaluation a cycle: the clock is seen to rise each time.
    m.rootp->__Vtrigrprev__TOP__clk_i = m.rootp->__Vtrigrprev__TOP__clk_reply_i = 0;
    m.clk_i = m.clk_reply_i = 1;
    m.eval();
    give_to_links(n, now % kLineSlots);
  }

  static void take_from_links(Node& node, std::size_t slot) {
    Vmu_router& m = *node.model;
    unsigned valid = 0, head = 0, tail = 0, reply = 0, requests = 0, replies = 0;
    for (unsigned d = 0; d < kDirections; ++d) {
      if (node.in[d] == nullptr) continue;
      const Flit& flit = node.in[d]->slot[slot];
      requests |= (flit.credit & 1U) << d;
      replies |= (flit.credit >> 1U) << d;
      if (!flit.valid) continue;
      valid |= 1U << d;
      head |= (flit.head ? 1U : 0U) << d;
      tail |= (flit.tail ? 1U : 0U) << d;
      reply |= (flit.reply ? 1U : 0U) << d;
      put_flit(m.link_data_i, d, flit.data);
    }
    m.link_valid_i = static_cast<CData>(valid);
    m.link_head_i = static_cast<CData>(head);
    m.link_tail_i = static_cast<CData>(tail);
    m.link_reply_i = static_cast<CData>(reply);
    m.link_credit_request_i = static_cast<CData>(requests);
    m.link_credit_reply_i = static_cast<CData>(replies);
  }

  void give_to_links(unsigned n, std::size_t slot) {
    Node& node = nodes_[n];
    const Vmu_router& m = *node.model;
    for (unsigned d = 0; d < kDirections; ++d) {
      Flit& flit = node.out[d].slot[slot];
      flit.valid = port_bit(m.link_valid_o, d);
      flit.credit = static_cast<std::uint8_t>((port_bit(m.link_credit_request_o, d) ? 1U : 0U) |
                                              (port_bit(m.link_credit_reply_o, d) ? 2U : 0U));
      if (!flit.valid) continue;
      if (node.in[d] == nullptr) fail(n, "a flit leaves over the edge of the machine");
      flit.head = port_bit(m.link_head_o, d);
      flit.tail = port_bit(m.link_tail_o, d);
      flit.reply = port_bit(m.link_reply_o, d);
      flit.data = get_flit(m.link_data_o, d);
    }
  }

  template <typename Port>
  static bool is_valid(const Port& port) {
    return get<layout::flit_stream::valid>(port) != 0;
  }

  bool takes(const Sink& sink) const {
    return options_.ready_is_registered ? sink.was_taking : sink.taking;
  }

  static unsigned random_percent(Node& node) {
    node.random ^= node.random << 13;
    node.random ^= node.random >> 7;
    node.random ^= node.random << 17;
    return static_cast<unsigned>(node.random % 100);
  }

  // Word 0 of a flit that is not a header: which packet, and which of its flits.
  static std::uint32_t content(unsigned source, std::uint32_t number, unsigned flit) {
    return mix(mix(source, number), flit);
  }

  template <typename Port>
  void offer(unsigned n, unsigned k, Port& port) {
    Source& source = nodes_[n].source[k];
    put<layout::flit_stream::valid>(port, !source.queue.empty());
    if (source.queue.empty()) return;
    const Packet& packet = source.queue.front();
    const bool head = source.sent == 0;
    put<layout::flit_stream::head>(port, head);
    put<layout::flit_stream::tail>(port, source.sent + 1 == packet.flits);
    if (head) {
      const std::array<unsigned, 3> to = place(packet.destination);
      const std::array<unsigned, 3> from = place(n);
      put_flit(port, 0,
               {to[0] | to[1] << 4 | to[2] << 8 | from[0] << 12 | from[1] << 16 | from[2] << 20,
                packet.number, packet.flits, static_cast<std::uint32_t>(packet.made)});
    } else {
      put_flit(port, 0, flit_from(content(n, packet.number, source.sent)));
    }
  }

  void accepted(unsigned n, unsigned k) {
    Source& source = nodes_[n].source[k];
    if (++source.sent == source.queue.front().flits) {
      source.queue.pop_front();
      source.sent = 0;
    }
  }

  template <typename Port>
  void receive(unsigned n, unsigned k, std::uint64_t now, const Port& port) {
    const bool head = get<layout::flit_stream::head>(port) != 0;
    const bool tail = get<layout::flit_stream::tail>(port) != 0;
    const FlitWords data = get_flit(port);
    Sink& sink = nodes_[n].sink[k];
    if (head != (sink.flits == 0)) fail(n, "a packet without its head, or two heads");
    ++flits_[k];
    if (head) {
      const std::array<unsigned, 3> at = place(n);
      if ((data[0] & 0xfff) != (at[0] | at[1] << 4 | at[2] << 8))
        fail(n, "a packet for another node");
      sink.source =
          (data[0] >> 12 & 15) +
          options_.size[0] * ((data[0] >> 16 & 15) + options_.size[1] * (data[0] >> 20 & 15));
      sink.number = data[1];
      sink.length = data[2];
      std::uint32_t& expected = expected_[pair(sink.source, n, k)];
      if (sink.number != expected) fail(n, "a packet out of order");
      ++expected;
      last_latency_ = static_cast<std::uint32_t>(now) - data[3];
    } else {
      if (data != flit_from(content(sink.source, sink.number, sink.flits)))
        fail(n, "a flit that was not sent, or in the wrong place");
    }
    ++sink.flits;
    if (tail != (sink.flits == sink.length)) fail(n, "a packet too short or too long");
    if (tail) {
      sink.flits = 0;
      ++packets_;
      --in_flight_;
    }
  }

  [[noreturn]] void fail(unsigned n, const std::string& what) const {
    throw std::runtime_error(what + ": node " + std::to_string(n) + ", window of cycle " +
                             std::to_string(cycle_) + ", seed " + std::to_string(options_.seed));
  }

  RouterMachineOptions options_;
  VerilatedContext context_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> sent_;
  std::vector<std::uint32_t> expected_;
  std::array<std::uint64_t, kClasses> flits_{};
  std::uint64_t packets_ = 0;
  std::uint64_t in_flight_ = 0;
  std::uint64_t last_latency_ = 0;
  std::uint64_t cycle_ = kLineSlots;
};

}  // namespace torusmu::testing

#endif  // TESTS_MACHINE_ROUTER_MACHINE_H_
