// SPDX-License-Identifier: Apache-2.0
// Collectives by the MU of elements of every size, and of any number of bytes.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/host/collective_cases.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr std::uint32_t kMembers = 5;
constexpr Collective kCalls[] = {Collective::kBroadcast, Collective::kReduce,
                                 Collective::kAllreduce, Collective::kScatter,
                                 Collective::kGather,    Collective::kAllgather,
                                 Collective::kAlltoall,  Collective::kReduceScatter};

// Bytes of floats of 16 bits are mostly those of numbers around one, so that their order counts.
Data operand(Random& random, Bytes bytes, bool small) {
  Data data(bytes);
  for (Bytes at = 0; at < bytes; ++at) {
    const auto byte = static_cast<std::uint8_t>(random.bits64());
    data[at] = static_cast<std::byte>(small && at % 2 == 1 ? (byte & 0x83) | 0x3C : byte);
  }
  return data;
}

Case case_of(Random& random, Collective what, const Operator& op, std::uint64_t count) {
  Case made{{.what = what,
             .root = has_root(what) ? static_cast<std::uint32_t>(random.below(kMembers)) : 0,
             .count = count,
             .element = reduces(what) ? op.element() : 1,
             .commutative = true,
             .steps = static_cast<std::uint32_t>(op.steps().size()),
             .in_place = what != Collective::kBroadcast && random.chance(30)},
            op,
            {},
            {}};
  const bool small = op.type() == DataType::kF16 || op.type() == DataType::kBf16;
  for (std::uint32_t rank = 0; rank < kMembers; ++rank) {
    made.inputs.push_back(operand(random, given_bytes(made.call, kMembers, rank), small));
  }
  made.outputs = outputs_of(made.call, op, choose(made.call, kMembers), made.inputs);
  return made;
}

// All calls with this operation, of one element up to more than a packet and a chunk.
void run_by_the_mu(const Operator& op) {
  Random random;
  SCOPED_TRACE(random.replay());
  std::vector<Case> cases;
  for (const Collective what : kCalls) {
    for (const std::uint64_t count : {1, 3, 7, 33, 257, 511, 1029}) {
      cases.push_back(case_of(random, what, op, count));
    }
  }
  Job job(options_for(kMembers));
  EXPECT_EQ(job.run([&](Context& context) {
    Group group(context, first_tasks(kMembers), 0, RunBy::kMu);
    for (const Case& made : cases) {
      Buffers buffers(context, group, made);
      const auto request = require(start(group, made, buffers.in(), buffers.out()), "start");
      check(group.is_run_by_mu(request), text_of(made, kMembers));
      require(group.wait(request, context.now() + kPatience), text_of(made, kMembers));
      buffers.check_result(text_of(made, kMembers));
    }
  }),
            "");
}

TEST(Offload, RunsSumsOfBytes) { run_by_the_mu({ReduceOp::kSum, DataType::kU8}); }

TEST(Offload, RunsProductsOfIntegersOf16Bits) { run_by_the_mu({ReduceOp::kProd, DataType::kI16}); }

TEST(Offload, RunsSumsOfFloatsOf16Bits) {
  run_by_the_mu({ReduceOp::kSum, DataType::kBf16});
  run_by_the_mu({ReduceOp::kSum, DataType::kF16});
}

TEST(Offload, RunsPairsOfBytesAndOfFloatsOf16Bits) {
  run_by_the_mu({ReduceOp::kMaxloc, DataType::kI8});
  run_by_the_mu({ReduceOp::kMinloc, DataType::kBf16});
}

TEST(Offload, RunsSearchesForBothExtremes) {
  run_by_the_mu({ReduceOp::kMinmaxloc, DataType::kU16});
  run_by_the_mu({ReduceOp::kMinmaxloc, DataType::kF64});
}

TEST(Offload, RunsReductionsThatAProgramLoads) {
  // A sum that stays below a bound, and the remainder of a product.
  run_by_the_mu(LoadedReduction{
      ReduceOp::kSum, DataType::kU32, {{ReduceOp::kMin, DataType::kU32, 0x7fff'ffff'7fff'ffff}}});
  run_by_the_mu(LoadedReduction{ReduceOp::kProd,
                                DataType::kI8,
                                {{ReduceOp::kBand, DataType::kI8, 0x3f3f'3f3f'3f3f'3f3f},
                                 {ReduceOp::kBor, DataType::kU8, 0x0101'0101'0101'0101},
                                 {ReduceOp::kProd, DataType::kI8, {}}}});
}

}  // namespace
}  // namespace torusmu::testing
