// SPDX-License-Identifier: Apache-2.0
// A node that has been at work for long: counts that no test can wait for, put into the RTL node
// and the model alike.
#ifndef TORUSMU_TESTS_SUPPORT_OLD_NODE_H_
#define TORUSMU_TESTS_SUPPORT_OLD_NODE_H_

#include <cstdint>

#include "tests/support/node_judge.h"
#include "tests/support/seed.h"

namespace torusmu::testing {

// Of the memory as the pins of a bench move it.
inline constexpr Bytes kLargestMemory = MemoryOrigin::kSpan;

// In the largest torus, wherever in it, with the largest memory.
inline NodeBenchOptions anywhere(Random& random) {
  const Shape shape{16, 16, 16};
  return {.shape = shape,
          .node = {static_cast<std::uint32_t>(random.below(shape.nodes()))},
          .memory_size = kLargestMemory,
          .seed = random.bits64()};
}

// Of what is open, at rest and has nothing in it. Indices are those of the model, 64 bits wide:
// where a ring goes on is the index modulo its size.
class OldNode {
 public:
  explicit OldNode(NodeJudge& judge) : judge_(judge) {}

  // `index` descriptors are done. `number` is that of its next SEND, or of the message it expects.
  void age(QueueId queue, std::uint64_t index, std::uint32_t number);
  // The next message of a queue that has a RECEIVE posted goes on behind its first `bytes` bytes.
  void age_message(QueueId queue, std::uint32_t bytes);
  // `index` slots have been written and read, and so many packets refused.
  void age(FifoId fifo, std::uint64_t index, std::uint32_t refused);
  // `index` entries have been written and read.
  void age(CompletionQueueId queue, std::uint64_t index, std::uint32_t lost);
  void age_notices(ClientId client, std::uint64_t index);
  // The neighbour's next reflection has that number.
  void age_credits(unsigned direction, std::uint16_t number);

 private:
  Vmu_gated_node___024root& root() { return judge_.bench().node().root(); }

  NodeJudge& judge_;
};

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_OLD_NODE_H_
