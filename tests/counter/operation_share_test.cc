// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_operation_share.h"
#include "tests/support/clocked.h"
#include "tests/support/counter_operation.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

TEST(OperationShare, PassesEachOperationOnceAndInTurn) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_operation_share> share(random.seed());
  std::array<std::uint64_t, 2> sent{}, taken{};
  std::array<unsigned, 2> waited{};
  for (unsigned cycle = 0; cycle < 5000; ++cycle) {
    share->first_valid_i = share->first_valid_i || random.chance(50);
    share->second_valid_i = share->second_valid_i || random.chance(50);
    share->ready_i = random.chance(60);
    drive(share->first_operation_i, event(add(1, sent[0])));
    drive(share->second_operation_i, event(add(2, sent[1])));
    share.settle();
    ASSERT_EQ(share->valid_o, share->first_valid_i || share->second_valid_i);
    const std::array<bool, 2> went{share->first_valid_i && share->first_ready_o,
                                   share->second_valid_i && share->second_ready_o};
    ASSERT_EQ(went[0] + went[1], share->valid_o && share->ready_i);
    for (unsigned k = 0; k < 2; ++k) {
      const bool other = went.at(1 - k);
      const bool waits = k == 0 ? share->first_valid_i : share->second_valid_i;
      if (went.at(k)) {
        const auto operation = sample_record<CounterOperation>(share->operation_o);
        ASSERT_EQ(operation, event(add(k + 1, taken.at(k))));
        ++taken.at(k);
        ++sent.at(k);
      }
      waited.at(k) = waits && !went.at(k) ? waited.at(k) + other : 0;
      ASSERT_LE(waited.at(k), 1U) << "longer than one operation of the other";
    }
    share.tick();
    if (went[0]) share->first_valid_i = 0;
    if (went[1]) share->second_valid_i = 0;
  }
  EXPECT_GT(taken[0], 1000U);
  EXPECT_GT(taken[1], 1000U);
}

TEST(OperationShare, KeepsToAnOperationThatIsNotTaken) {
  for (const bool second : {false, true}) {
    Clocked<Vmu_operation_share> share;
    drive(share->first_operation_i, event(add(1, 11)));
    drive(share->second_operation_i, event(add(2, 22)));
    (second ? share->second_valid_i : share->first_valid_i) = 1;
    share.tick();
    share->first_valid_i = share->second_valid_i = 1;
    for (unsigned cycle = 0; cycle < 4; ++cycle) {
      share.settle();
      EXPECT_EQ(sample_record<CounterOperation>(share->operation_o),
                second ? event(add(2, 22)) : event(add(1, 11)));
      share.tick();
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
