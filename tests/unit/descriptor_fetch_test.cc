// SPDX-License-Identifier: Apache-2.0
//
// Choice, buffers and their rules have tests of their own; here both classes run side by side.

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "Vmu_descriptor_fetch.h"
#include "tests/support/clocked.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

namespace f = layout::fetched_descriptor;
using Fetched = Record<f::Layout>;
using ReadCommand = Record<layout::read_command::Layout>;

TEST(DescriptorFetch, NeverLetsOneClassWaitForTheOther) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (const bool requests_blocked : {false, true}) {
    Clocked<Vmu_descriptor_fetch> dut(random.seed());
    // Queue 1 is a reflection queue, queue 2 is not; both always have work.
    for (std::uint8_t queue = 1; queue <= 2; ++queue) {
      dut->update_i = 1;
      dut->queue_i = queue;
      dut->work_i = 1;
      dut->reflection_i = queue == 1;
      dut.tick();
    }
    dut->update_i = 0;
    std::uint32_t next[3] = {0, 0, 0}, seen[3] = {0, 0, 0};
    std::deque<std::uint64_t> addresses;
    bool half = false;
    for (int cycle = 0; cycle < 3000; ++cycle) {
      dut->fetch_command_ready_i = random.chance(60);
      dut->request_descriptor_ready_i = requests_blocked ? 0 : random.chance(50);
      dut->reply_descriptor_ready_i = requests_blocked ? random.chance(50) : 0;
      dut->fetch_beat_valid_i = !addresses.empty() && random.chance(70);
      dut->fetch_beat_last_i = half;
      drive(dut->fetch_beat_data_i,
            Bytes(32, static_cast<std::uint8_t>(addresses.empty() ? 0 : addresses.front() / 64)));
      dut.settle();
      const bool fetch = dut->choice_valid_o && random.chance(80);
      dut->fetch_i = fetch;
      dut->queue_i = dut->choice_queue_o;
      dut->index_i = dut->position_i = next[dut->choice_queue_o % 3];
      dut->base_i = 0x10000 * dut->choice_queue_o;
      dut->setup_i = static_cast<std::uint8_t>(dut->choice_queue_o == 1 ? 4 : 1);
      dut.settle();
      if (fetch) ++next[dut->choice_queue_o % 3];
      if (dut->fetch_beat_valid_i) {
        if (half) addresses.pop_front();
        half = !half;
      }
      if (dut->fetch_command_valid_o && dut->fetch_command_ready_i) {
        const ReadCommand command = sample_record<ReadCommand>(dut->fetch_command_data_o);
        ASSERT_EQ(command.get<layout::read_command::bytes>(), 64U);
        addresses.push_back(command.get<layout::read_command::address>());
      }
      const auto check = [&](bool taken, const auto& data, unsigned queue) {
        if (!taken) return;
        const Fetched fetched = sample_record<Fetched>(data);
        ASSERT_EQ(fetched.get<f::queue>(), queue);
        ASSERT_EQ(fetched.get<f::index>(), seen[queue]);
        ASSERT_EQ(fetched.get<f::descriptor>().bytes()[63], seen[queue] & 0xFF);
        ++seen[queue];
      };
      check(dut->request_descriptor_valid_o && dut->request_descriptor_ready_i,
            dut->request_descriptor_data_o, 2);
      check(dut->reply_descriptor_valid_o && dut->reply_descriptor_ready_i,
            dut->reply_descriptor_data_o, 1);
      dut.tick();
    }
    EXPECT_GT(seen[requests_blocked ? 1 : 2], 300U);
    EXPECT_LE(next[requests_blocked ? 2 : 1], 4U) << "no more than its buffer holds";
  }
}

}  // namespace
}  // namespace torusmu::testing
