// SPDX-License-Identifier: Apache-2.0
// What goes in and out of the send engine: packets as they leave, a reader of memory, and
// what receive queues are told.

#ifndef TESTS_SUPPORT_INJECTION_TRAFFIC_H_
#define TESTS_SUPPORT_INJECTION_TRAFFIC_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "tb/reference_model/packet.h"
#include "torusmu/types.h"

namespace torusmu::testing {

using model::Packet;

// A packet with the cycles in which its first and last flit were taken.
struct SentPacket {
  Packet packet;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

// One reader of the memory port: commands in order, one beat a cycle, each `latency` cycles after
// its command at the earliest.
struct Reader {
  struct Command {
    Address address;
    std::uint64_t bytes;
    std::uint64_t due;
  };
  unsigned latency = 10;
  unsigned command_chance = 100;  // the command is taken, each cycle
  unsigned beat_chance = 100;     // the next beat comes, each cycle
  std::uint64_t commands = 0;
  std::uint64_t last_command = 0;  // cycle
  std::uint64_t last_beat = 0;     // cycle of the last beat of a transfer
  std::deque<Command> waiting;
  std::uint64_t done = 0;  // bytes of the front command
  bool beat = false;
};

// What receive queues are told of a queue.
struct PairSignals {
  std::vector<unsigned> resets;  // what it holds is flushed
  std::vector<unsigned> configured;
  std::vector<unsigned> receives;  // configured to receive

  template <typename Model>
  void sample(const Model& dut) {
    if (dut.reset_pair_o) resets.push_back(dut.reset_queue_o);
    if (dut.configured_o) configured.push_back(dut.reset_queue_o);
    if (dut.configured_o && dut.configured_receive_o) receives.push_back(dut.reset_queue_o);
  }
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_INJECTION_TRAFFIC_H_
