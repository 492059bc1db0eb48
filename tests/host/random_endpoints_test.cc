// SPDX-License-Identifier: Apache-2.0
// Random programs over 2 to 16 tasks, of one or several contexts, on the reference model.
#include "tests/host/random_endpoints.h"

#include <gtest/gtest.h>

#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

struct Layout {
  Shape shape;
  std::uint32_t clients;
  std::uint32_t contexts;
  SendEnd long_send_end = SendEnd::kReceived;
  StoreBy store_by = StoreBy::kCore;
};

class RandomEndpoints : public ::testing::TestWithParam<Layout> {};

TEST_P(RandomEndpoints, DoWhatTheReferenceDoes) {
  const auto& [shape, clients, contexts, long_send_end, store_by] = GetParam();
  Random random(shape.nodes() * 100 + clients * 10 + contexts);
  SCOPED_TRACE(random.replay());
  for (const Bytes limit : {Bytes{0}, Bytes{512}, Bytes{65536}}) {
    JobOptions options;
    options.machine.shape = shape;
    options.machine.seed = random.bits64();
    options.machine.most_delay = 40 + random.below(2000);
    options.machine.memory_size = Bytes{128} << 20;
    if (clients * contexts > 4) options.machine.sizes = kBgp;
    options.plan.clients = clients;
    options.plan.contexts = contexts;
    options.plan.fifo_slots = static_cast<std::uint32_t>(64 + random.below(500));
    options.context.eager_limit = limit;
    options.context.long_send_end = long_send_end;
    options.context.store_by = store_by;
    if (store_by == StoreBy::kMu) {
      options.plan.store_entries = static_cast<std::uint32_t>(1 + random.below(32));
      options.context.store_from = 1 + random.below(200);
    }
    options.context.spin_polls = static_cast<std::uint32_t>(1 + random.below(64));
    Job job(options);
    EXPECT_EQ(job.run(random_endpoints_program(random.bits64(), job.plan(), 24)), "");
    if (store_by == StoreBy::kCore || limit == 0) {
      EXPECT_EQ(job.sum(&ContextCounts::stored_by_mu), 0U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Over, RandomEndpoints,
    ::testing::Values(Layout{{2, 1, 1}, 1, 1}, Layout{{1, 1, 1}, 2, 2}, Layout{{2, 1, 1}, 1, 4},
                      Layout{{3, 1, 1}, 1, 1}, Layout{{2, 2, 1}, 2, 1}, Layout{{2, 2, 1}, 2, 2},
                      Layout{{2, 2, 2}, 1, 1}, Layout{{2, 2, 1}, 4, 1}, Layout{{1, 1, 1}, 16, 1},
                      Layout{{2, 1, 1}, 4, 4}, Layout{{1, 1, 1}, 2, 2, SendEnd::kReflected},
                      Layout{{2, 2, 1}, 2, 2, SendEnd::kReflected},
                      Layout{{2, 2, 2}, 1, 1, SendEnd::kReflected},
                      Layout{{2, 1, 1}, 1, 1, {}, StoreBy::kMu},
                      Layout{{1, 1, 1}, 2, 2, {}, StoreBy::kMu},
                      Layout{{2, 1, 1}, 4, 4, {}, StoreBy::kMu},
                      Layout{{2, 2, 1}, 2, 2, SendEnd::kReflected, StoreBy::kMu}),
    [](const auto& its) {
      const Layout& layout = its.param;
      return std::to_string(layout.shape.nodes() * layout.clients) + "TasksOf" +
             std::to_string(layout.contexts) + "On" + std::to_string(layout.shape.nodes()) +
             (layout.long_send_end == SendEnd::kReflected ? "Reflected" : "") +
             (layout.store_by == StoreBy::kMu ? "StoredByMu" : "");
    });

}  // namespace
}  // namespace torusmu::testing
