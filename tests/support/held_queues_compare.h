// SPDX-License-Identifier: Apache-2.0
// What mu_held_queues shows, alone or inside cross-channel control, against its model.

#ifndef TESTS_SUPPORT_HELD_QUEUES_COMPARE_H_
#define TESTS_SUPPORT_HELD_QUEUES_COMPARE_H_

#include <gtest/gtest.h>

#include <optional>

#include "tests/support/held_queues_model.h"
#include "tests/support/port_bits.h"
#include "tests/support/wide.h"

namespace torusmu::testing {

template <typename Dut>
void compare_held_queues(Dut& dut, const HeldQueuesModel::Outputs& out,
                         const std::optional<HeldQueuesModel::Place>& resume,
                         const std::optional<unsigned>& release) {
  ASSERT_EQ(bits_of(dut.held_o), out.held);
  ASSERT_EQ(dut.in_ready_o, out.in_ready);
  ASSERT_EQ(resume, out.resume);
  ASSERT_EQ(release, out.release);
  ASSERT_EQ(dut.out_valid_o, out.out.has_value());
  if (out.out) {
    ASSERT_EQ(sample_record<HeldQueuesModel::Fetched>(dut.out_data_o), *out.out);
  }
}

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_HELD_QUEUES_COMPARE_H_
