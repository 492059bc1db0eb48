// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "Vmu_immediate_payload.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

TEST(ImmediatePayload, KeepsAsManyBytesAsTheLengthSays) {
  Random random;
  SCOPED_TRACE(random.replay());
  Vmu_immediate_payload model;
  for (unsigned length = 0; length < 32; ++length) {
    Bytes wanted = random_bytes(random, 16);
    drive(model.immediate_i, wanted);
    model.enable_i = 1;
    model.length_i = static_cast<std::uint8_t>(length);
    model.eval();
    for (unsigned i = length; i < 16; ++i) wanted[i] = 0;
    EXPECT_EQ(sample(model.payload_o, 16), wanted) << "length " << length;
    model.enable_i = 0;
    model.eval();
    EXPECT_EQ(sample(model.payload_o, 16), Bytes(16));
  }
}

}  // namespace
}  // namespace torusmu::testing
