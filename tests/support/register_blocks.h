// SPDX-License-Identifier: Apache-2.0
// Which block has each register, for tests of the way to it.

#ifndef TESTS_SUPPORT_REGISTER_BLOCKS_H_
#define TESTS_SUPPORT_REGISTER_BLOCKS_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace torusmu::testing::register_blocks {

// Bits of select_o of mu_register_decode; the first eleven are blocks outside mu_host_interface.
enum Block : unsigned {
  kQueue,
  kFifo,
  kCounters,
  kRegions,
  kTouch,
  kNotice,
  kPerformance,
  kReflection,
  kInterrupt,
  kEntries,
  kBoot,
  kPush,
  kNode,
  kErrors
};

// Who has each register: the one place beside the RTL that says so.
inline Block block_of(std::string_view block, std::string_view name) {
  static const std::map<std::string, Block, std::less<>> page = {{"queue_index", kQueue},
                                                                 {"fifo_index", kFifo},
                                                                 {"push_data", kPush},
                                                                 {"push_queue", kPush},
                                                                 {"push_status", kPush},
                                                                 {"interrupt_cause", kInterrupt},
                                                                 {"interrupt_enable", kInterrupt},
                                                                 {"notice_tail", kNotice},
                                                                 {"notice_head", kNotice},
                                                                 {"page_status", kErrors},
                                                                 {"touch_hits", kTouch},
                                                                 {"completion_index", kEntries},
                                                                 {"event_counter", kCounters},
                                                                 {"byte_counter", kCounters}};
  static const std::map<std::string, Block, std::less<>> privileged = {
      {"injection_queue", kQueue},
      {"reception_fifo", kFifo},
      {"completion_queue", kEntries},
      {"byte_counter_config", kCounters},
      {"event_counter_config", kCounters},
      {"region", kRegions},
      {"touch_range", kTouch},
      {"notice_ring", kNotice},
      {"performance", kPerformance},
      {"reflection", kReflection},
      {"boot_buffer", kBoot}};
  if (block == "client_page") return page.find(name)->second;
  if (block == "node") {
    return name == "register_errors" || name == "error_clear" ? kErrors : kNode;
  }
  return privileged.find(block)->second;
}

}  // namespace torusmu::testing::register_blocks

#endif  // TESTS_SUPPORT_REGISTER_BLOCKS_H_
