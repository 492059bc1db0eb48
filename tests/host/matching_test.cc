// SPDX-License-Identifier: Apache-2.0
// Which calls of a trace wait for one another.
#include "sim/play/replay/matching.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

namespace torusmu::replay {
namespace {

std::string deadlock_of(const std::string& text, std::uint32_t ranks, Bytes eager_limit = 512) {
  std::istringstream input(fmt::format("# mpitrace 1\n# ranks {}\n{}", ranks, text));
  const Trace trace = read_trace(input, "t");
  return Matching(trace).deadlock(eager_limit).value_or("none");
}

TEST(Matching, FindsTheCycleAmongRanksAndNamesTheirLines) {
  EXPECT_EQ(deadlock_of("0 recv 1 8 1\n1 recv 2 8 1\n1 send 0 8 1\n1 send 2 8 1\n"
                        "2 irecv 1 8 1 9\n2 wait 9\n2 send 1 8 1\n",
                        3),
            "rank 1 (line 4: recv from rank 2, tag 1) waits for rank 2 (line 8: wait for line 7: "
            "irecv from rank 1, tag 1), which waits for rank 1; 1 rank more waits");
}

TEST(Matching, FindsARankThatWaitsForItself) {
  EXPECT_EQ(deadlock_of("0 send 0 600 1\n0 recv 0 600 1\n", 1),
            "rank 0 (line 3: send of 600 bytes to rank 0, tag 1) waits for itself; sends of more "
            "than 512 bytes wait for their receives: with an eager limit of 600 or more the trace "
            "comes to its end");
}

TEST(Matching, LetsShortSendsReturnAndLongOnesWait) {
  const std::string text = "0 send 1 100 1\n0 recv 1 100 1\n1 send 0 100 1\n1 recv 0 100 1\n";
  EXPECT_EQ(deadlock_of(text, 2, 100), "none");
  EXPECT_NE(deadlock_of(text, 2, 99), "none");
}

TEST(Matching, WaitsInCollectivesForWhoseDataIsNeededOnly) {
  EXPECT_EQ(deadlock_of("0 bcast 0 8 -\n0 send 1 8 1\n1 recv 0 8 1\n1 bcast 0 8 -\n", 2), "none");
  EXPECT_EQ(deadlock_of("0 recv 1 8 1\n0 gather 0 8\n1 gather 0 8\n1 send 0 8 1\n", 2), "none");
  EXPECT_EQ(deadlock_of("0 barrier\n0 send 1 8 1\n1 recv 0 8 1\n1 barrier\n", 2),
            "rank 0 (line 3: barrier) waits for rank 1 (line 5: recv from rank 0, tag 1), which "
            "waits for rank 0");
}

TEST(Matching, LetsAReceiveFromAnyRankTakeWhatHasBeenSent) {
  EXPECT_EQ(deadlock_of("0 recv * 8 1\n0 send 2 8 2\n0 recv * 8 1\n1 send 0 8 1\n"
                        "2 recv 0 8 2\n2 send 0 8 1\n",
                        3),
            "none");
  EXPECT_EQ(deadlock_of("0 probe * 1\n0 send 1 8 2\n0 recv * 8 1\n1 recv 0 8 2\n1 send 0 8 1\n", 2),
            "rank 0 (line 3: probe from any rank, tag 1) waits for rank 1 (line 6: recv from rank "
            "0, tag 2), which waits for rank 0");
}

TEST(Matching, WaitsAtTheEndForRequestsWithoutAWait) {
  EXPECT_EQ(deadlock_of("0 isend 1 600 1 0\n1 recv 0 600 1\n", 2), "none");
}

TEST(Matching, ShortensALongCycle) {
  std::string text;
  for (int rank = 0; rank < 20; ++rank) {
    text += fmt::format("{0} recv {1} 8 1\n{0} send {2} 8 1\n", rank, (rank + 19) % 20,
                        (rank + 1) % 20);
  }
  const std::string found = deadlock_of(text, 20);
  EXPECT_NE(found.find("which waits for 12 ranks more, the last of them, which waits for rank 1 "),
            std::string::npos)
      << found;
}

}  // namespace
}  // namespace torusmu::replay
