// SPDX-License-Identifier: Apache-2.0
// The RTL's step of the CRC, and that of the fast engine's node.
#ifdef __x86_64__
#pragma GCC target("sse4.2")  // the node model is compiled for a processor that has its instruction
#endif

#include "torusmu/crc32c.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "Vmu_crc32c.h"
#include "sim/model/crc32c_step.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using Flit = std::array<std::uint8_t, 16>;

// The state after `flit`, or with `trailer` after its first 12 bytes.
std::uint32_t step(Vmu_crc32c& model, std::uint32_t state, const Flit& flit, bool trailer) {
  model.enable_i = 1;
  model.trailer_i = trailer;
  model.crc_i = state;
  std::memcpy(model.data_i.data(), flit.data(), flit.size());
  model.eval();
  return model.crc_o;
}

Flit random_flit(Random& random) {
  const std::array<std::uint64_t, 2> words = {random.bits64(), random.bits64()};
  Flit flit;
  std::memcpy(flit.data(), words.data(), flit.size());
  return flit;
}

// The state that `crc32c` continues from is the inverse of a finished value.
std::uint32_t expected(std::uint32_t state, std::span<const std::uint8_t> bytes) {
  return ~crc32c(bytes, ~state);
}

TEST(Crc32c, MovesEveryBitOfFlitAndStateAsTheShiftRegisterDoes) {
  Vmu_crc32c model;
  for (unsigned bit = 0; bit < 128; ++bit) {
    Flit flit = {};
    flit[bit / 8] = static_cast<std::uint8_t>(1U << bit % 8);
    EXPECT_EQ(step(model, 0, flit, false), expected(0, flit)) << "bit " << bit;
    EXPECT_EQ(step(model, 0, flit, true), expected(0, std::span(flit).first(12))) << "bit " << bit;
  }
  for (unsigned bit = 0; bit < 32; ++bit) {
    const Flit zeros = {};
    const std::uint32_t state = 1U << bit;
    EXPECT_EQ(step(model, state, zeros, false), expected(state, zeros)) << "bit " << bit;
    EXPECT_EQ(step(model, state, zeros, true), expected(state, std::span(zeros).first(12)));
  }
}

TEST(Crc32c, FollowsTheReferenceOverWholePackets) {
  Random random;
  SCOPED_TRACE(random.replay());
  Vmu_crc32c model;
  for (int packet = 0; packet < 500; ++packet) {
    std::uint32_t state = 0xffffffffU;
    std::uint32_t reference = 0;
    for (std::uint64_t flits = random.below(34); flits != 0; --flits) {
      const Flit flit = random_flit(random);
      state = step(model, state, flit, false);
      reference = crc32c(flit, reference);
      ASSERT_EQ(~state, reference);
    }
    const Flit trailer = random_flit(random);
    ASSERT_EQ(~step(model, state, trailer, true), crc32c(std::span(trailer).first(12), reference));
  }
}

// All three are linear, so equal for all flits and states if equal for each bit alone.
TEST(Crc32c, StepOfTheFastEngineMovesEveryBitAsTheRtlDoes) {
  Vmu_crc32c model;
  for (unsigned bit = 0; bit < 160; ++bit) {
    const std::uint32_t state = bit < 128 ? 0 : 1U << bit % 32;
    Flit flit = {};
    if (bit < 128) flit[bit / 8] = static_cast<std::uint8_t>(1U << bit % 8);
    std::array<std::uint64_t, 2> words;
    std::memcpy(words.data(), flit.data(), flit.size());
    const auto end = static_cast<std::uint32_t>(words[1]);
    const std::uint32_t whole = step(model, state, flit, false);
    const std::uint32_t trailer = step(model, state, flit, true);
    EXPECT_EQ(crc32c_step(false, state, words[0], words[1]), whole) << "bit " << bit;
    EXPECT_EQ(crc32c_step(true, state, words[0], words[1]), trailer) << "bit " << bit;
    const std::uint32_t half = crc32c_by_bits(state, words[0]);
    EXPECT_EQ(crc32c_by_bits(half, words[1]), whole) << "bit " << bit;
    EXPECT_EQ(crc32c_by_bits(half, end), trailer) << "bit " << bit;
  }
}

TEST(Crc32c, GivesZeroWhileDisabled) {
  Vmu_crc32c model;
  model.enable_i = 0;
  model.crc_i = 0x12345678;
  model.data_i[1] = 77;
  model.eval();
  EXPECT_EQ(model.crc_o, 0U);
}

}  // namespace
}  // namespace torusmu::testing
