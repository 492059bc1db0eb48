// SPDX-License-Identifier: Apache-2.0
// One RTL node alone: cores and memory as in a machine, and hands on its six links, so that a test
// can send it any flits and sees every packet that it sends.
#ifndef TORUSMU_TESTS_SUPPORT_NODE_BENCH_H_
#define TORUSMU_TESTS_SUPPORT_NODE_BENCH_H_

#include <verilated.h>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/fast_node.h"
#include "sim/machine/node_batch.h"
#include "sim/machine/node_shell.h"
#include "sim/machine/simulated.h"
#include "tb/reference_model/packet.h"

namespace torusmu::testing {

// A number that belongs to the test that runs, so that a filter does not change it.
std::uint64_t number_of_this_test();
// Far from the end of the 40-bit addresses: the longest regions of the tests end before it.
inline Address origin_of_this_test() {
  return number_of_this_test() % (Address{7} << 37) / 4096 * 4096;
}
// Far from the end of the 48-bit time.
inline Cycles start_of_this_test() {
  return (number_of_this_test() >> 16) % ((Cycles{1} << 48) - (Cycles{1} << 32));
}

struct NodeBenchOptions {
  Shape shape{3, 3, 3};
  NodeId node{13};  // the one in the middle
  static constexpr Bytes kMemorySize = Bytes{1} << 22;
  Bytes memory_size = kMemorySize;
  AxiTiming timing{};
  std::uint64_t seed = 1;
  // Where the memory begins on the pins, and at which time the node wakes: for each test elsewhere.
  Address memory_origin = origin_of_this_test();
  Cycles start = start_of_this_test();
};

// The flits of a packet as they are; nothing is sealed or put right.
std::vector<Flit> flits_of_packet(const model::Packet& packet);

class NodeBench {
 public:
  explicit NodeBench(const NodeBenchOptions& options);
  ~NodeBench() { simulated_cycles += now_ - start_; }
  NodeBench(const NodeBench&) = delete;
  NodeBench& operator=(const NodeBench&) = delete;

  // Register accesses and memory accesses cost a cycle each.
  static CoreCosts cheap_costs();

  [[nodiscard]] Cycles now() const { return now_; }
  NodeMemory& memory() { return shell_.memory(); }
  // Runs the program on a core until it has returned and the node is at rest. Throws
  // std::runtime_error with what went wrong if that takes too long or the program throws.
  void run(Core::Program program);
  // Starts the program and comes back at once.
  Core& start(Core::Program program);
  // A flit a cycle onto the inputs of `direction`, as the neighbour's credits allow.
  void send(unsigned direction, const std::vector<Flit>& flits);
  void send(unsigned direction, const model::Packet& packet) {
    send(direction, flits_of_packet(packet));
  }
  // Lets time pass until nothing moves, for at most `bound` cycles. Throws std::runtime_error.
  void settle(Cycles bound = 200'000);
  void pass(Cycles cycles);

  // Whole packets that left on the links since the last call, in the order of their tails.
  std::vector<model::Packet> take_packets();
  // While true the neighbours take replies into their buffers and give no room back for them.
  void keep_reply_credits(bool keeps) { keeps_reply_credits_ = keeps; }
  // Directions in which they left, in the same order.
  std::vector<unsigned> take_directions();
  // What must hold whenever the node is at rest; empty if it does.
  [[nodiscard]] std::string complaints() const;
  [[nodiscard]] FastNode& node() { return *node_; }
  // Level of irq_o.
  [[nodiscard]] bool interrupt(ClientId client) const { return shell_.interrupt(client); }

 private:
  struct Direction {
    Link in;
    std::array<std::deque<Flit>, 2> waiting;      // by class
    std::array<std::vector<Flit>, 2> leaving;     // packet that is coming out, by class
    std::array<std::uint32_t, 2> packets_in{};    // by class
    std::array<std::uint32_t, 2> credits_back{};  // by class
    std::uint8_t credit_to_give = 0;              // bit class
    std::uint32_t reply_credits_kept = 0;
    Cycles reply_credit_at = 0;  // when the last was given
  };
  void cycle();
  bool drive(Direction& direction);
  void collect(unsigned d);
  [[nodiscard]] bool at_rest() const;

  Shape shape_;
  VerilatedContext context_;
  NodeShell shell_;
  std::unique_ptr<FastNode> node_;
  NodeBatch batch_;
  std::array<Direction, kDirections> directions_;
  std::vector<model::Packet> packets_;
  std::vector<unsigned> packet_directions_;
  Cycles start_;
  Cycles now_;
  bool keeps_reply_credits_ = false;
};

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_NODE_BENCH_H_
