// SPDX-License-Identifier: Apache-2.0
// Operations on counters as tests write them, and how they reach a counter block.

#ifndef TESTS_SUPPORT_COUNTER_OPERATION_H_
#define TESTS_SUPPORT_COUNTER_OPERATION_H_

#include <cstdint>
#include <type_traits>

#include "tests/support/clocked.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {

using CounterOperation = Record<layout::counter_operation::Layout>;

inline CounterOperation counter_operation(unsigned counter, std::uint64_t value,
                                          unsigned client = 0) {
  return CounterOperation()
      .set<layout::counter_operation::counter>(counter)
      .set<layout::counter_operation::value>(value)
      .set<layout::counter_operation::client>(client);
}
inline CounterOperation subtract(unsigned counter, std::uint64_t value, unsigned client = 0) {
  return counter_operation(counter, value, client);
}
inline CounterOperation add(unsigned counter, std::uint64_t value, unsigned client = 0) {
  return counter_operation(counter, value, client).set<layout::counter_operation::add>(1);
}
inline CounterOperation preset(unsigned counter, std::uint64_t value, unsigned client = 0) {
  return counter_operation(counter, value, client).set<layout::counter_operation::set>(1);
}
inline CounterOperation event(CounterOperation operation) {
  return operation.set<layout::counter_operation::is_event>(1);
}

// Completion stream if `completion`, else injection. Ticks until it is taken.
template <typename Model>
void apply(Clocked<Model>& block, const CounterOperation& operation, bool completion = true) {
  if (completion) {
    drive(block->completion_operation_i, operation);
    block->completion_valid_i = 1;
    block.wait_for(
        "an operation to be taken", [&] { return block->completion_ready_o != 0; }, 20);
  } else {
    drive(block->injection_operation_i, operation);
    block->injection_valid_i = 1;
    block.wait_for(
        "an operation to be taken", [&] { return block->injection_ready_o != 0; }, 20);
  }
  block.tick();
  block->completion_valid_i = 0;
  block->injection_valid_i = 0;
  block.settle();
}

// Software access of a counter block, without the register bus in front.
template <typename Model>
std::uint64_t software_access(Clocked<Model>& block, bool write, unsigned index,
                              std::uint64_t data = 0) {
  block->access_valid_i = 1;
  block->access_write_i = write;
  block->access_index_i = static_cast<std::uint8_t>(index);
  block->access_data_i = static_cast<std::decay_t<decltype(block->access_data_i)>>(data);
  block.wait_for(
      "an answer to software", [&] { return block->access_done_o != 0; }, 20);
  const std::uint64_t answer = block->access_data_o;
  block.tick();
  block->access_valid_i = 0;
  block.settle();
  return answer;
}

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_COUNTER_OPERATION_H_
