// SPDX-License-Identifier: Apache-2.0
// Traces of real programs, and small ones with every call, on the reference model.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sim/play/replay/play.h"
#include "tb/reference_model/stage.h"

namespace torusmu::replay {
namespace {

using ::testing::HasSubstr;

using model::MachineOptions;
using model::ReferenceStage;

MachineOptions machine_for(const Trace& trace, std::uint64_t seed) {
  MachineOptions options;
  options.shape = shape_for(trace);
  options.seed = seed;
  options.memory_size = Bytes{64} << 20;
  return options;
}

class RealTraces : public ::testing::TestWithParam<std::tuple<const char*, Bytes>> {};

TEST_P(RealTraces, AreReplayedToTheLastByte) {
  const auto& [name, eager_limit] = GetParam();
  const Trace trace = read_trace_file(std::string("tests/traces/") + name + ".trace");
  ReferenceStage stage(machine_for(trace, eager_limit + 1));
  play(stage, trace, {.eager_limit = eager_limit});
  EXPECT_EQ(stage.failures(), "");
  EXPECT_EQ(stage.figure("replay.messages"), static_cast<double>(trace.messages));
  EXPECT_GE(stage.figure("replay.bytes_compared"), static_cast<double>(trace.bytes));
  if (eager_limit == 0) {
    EXPECT_GE(stage.figure("replay.requested_messages"), static_cast<double>(trace.messages));
  }
  if (eager_limit == 65536) {
    EXPECT_EQ(stage.figure("replay.requested_messages"), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, RealTraces,
                         ::testing::Combine(::testing::Values("lulesh-8", "lulesh-27", "hpcg-8"),
                                            ::testing::Values(0, 512, 65536)));

TEST(RealTraces, HaveTheMessagesTheyShould) {
  const std::tuple<const char*, std::uint64_t, Bytes> known[] = {
      {"lulesh-8", 596, 226'624}, {"lulesh-27", 2644, 862'688}, {"hpcg-8", 3752, 1'634'752}};
  for (const auto& [name, messages, bytes] : known) {
    const Trace trace = read_trace_file(std::string("tests/traces/") + name + ".trace");
    EXPECT_EQ(trace.messages, messages) << name;
    EXPECT_EQ(trace.bytes, bytes) << name;
  }
}

// Every call, a send that is never waited for, a message to oneself, a large broadcast.
constexpr char kEveryCall[] =
    "# mpitrace 1\n# app every\n# ranks 3\n"
    "0 isend 1 700 1 0\n0 isend 0 5 2 1\n0 recv 0 5 2\n0 compute 100\n"
    "0 bcast 2 5000 -\n0 bcast 1 3 010203\n"
    "0 allreduce sum f64 1 000000000000f03f 0000000000001840\n"
    "0 allreduce min i64 1 ffffffffffffffff feffffffffffffff\n"
    "0 reduce 1 prod f32 2 0000803f00000040 -\n0 barrier\n0 wait 1\n"
    "1 recv 0 900 1\n1 send 2 0 7\n"
    "1 bcast 2 5000 -\n1 bcast 1 3 010203\n"
    "1 allreduce sum f64 1 0000000000000040 0000000000001840\n"
    "1 allreduce min i64 1 feffffffffffffff feffffffffffffff\n"
    "1 reduce 1 prod f32 2 0000004000000040 0000c0400000c040\n1 barrier\n"
    "2 irecv 1 0 7 4\n2 wait 4\n"
    "2 bcast 2 5000 -\n2 bcast 1 3 010203\n"
    "2 allreduce sum f64 1 0000000000000840 0000000000001840\n"
    "2 allreduce min i64 1 0100000000000000 feffffffffffffff\n"
    "2 reduce 1 prod f32 2 000040400000c03f -\n2 barrier\n";

std::string failures_of(const std::string& text, Bytes eager_limit) {
  std::istringstream input(text);
  const Trace trace = read_trace(input, "every");
  ReferenceStage stage(machine_for(trace, 1));
  play(stage, trace, {.eager_limit = eager_limit});
  EXPECT_GE(stage.checks(), 3U);
  return stage.failures();
}

TEST(Replay, KnowsEveryCall) {
  for (const Bytes limit : {Bytes{0}, Bytes{512}, Bytes{65536}}) {
    EXPECT_EQ(failures_of(kEveryCall, limit), "");
  }
}

TEST(Replay, SeesAResultThatIsNotTheTraces) {
  for (const auto& [right, wrong] :
       {std::pair("0000000000001840\n2 allreduce min", "0000000000001940\n2 allreduce min"),
        std::pair("1 0100000000000000 feffffffffffffff", "1 0100000000000000 fdffffffffffffff")}) {
    std::string text = kEveryCall;
    const std::size_t at = text.find(right);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, std::string(right).size(), wrong);
    EXPECT_NE(failures_of(text, 512).find("results: 1 results differ from the trace"),
              std::string::npos);
  }
}

TEST(Replay, KeepsMessagesApartWhateverTheirRanksTagsAndNumbers) {
  // A tag that is the sender's rank, and tag 0 throughout.
  EXPECT_EQ(failures_of("# mpitrace 1\n# ranks 3\n0 recv 1 8 1\n0 recv 2 24 2\n"
                        "1 send 0 8 1\n2 send 0 24 2\n",
                        512),
            "");
  EXPECT_EQ(failures_of("# mpitrace 1\n# ranks 3\n0 send 1 8 0\n0 send 1 16 0\n0 send 2 8 0\n"
                        "0 send 2 8 0\n0 send 2 24 0\n1 recv 0 8 0\n1 recv 0 16 0\n"
                        "2 recv 0 8 0\n2 recv 0 8 0\n2 recv 0 24 0\n",
                        512),
            "");
}

TEST(Replay, GivesTheRootsDataOfABroadcastToAll) {
  EXPECT_EQ(failures_of("# mpitrace 1\n# ranks 2\n0 bcast 0 1 7f\n1 bcast 0 1 -\n", 512), "");
  EXPECT_EQ(failures_of("# mpitrace 1\n# ranks 2\n0 bcast 0 1 -\n1 bcast 0 1 7f\n", 512), "");
}

TEST(Replay, AllowsWhatMpiLeavesOpenInAResult) {
  // max(-0, +0) = -0; inf - inf = the NaN with a sign that x86 makes.
  EXPECT_EQ(failures_of("# mpitrace 1\n# ranks 2\n"
                        "0 allreduce max f64 1 0000000000000080 0000000000000080\n"
                        "0 allreduce sum f64 1 000000000000f07f 000000000000f8ff\n"
                        "1 allreduce max f64 1 0000000000000000 0000000000000080\n"
                        "1 allreduce sum f64 1 000000000000f0ff 000000000000f8ff\n",
                        512),
            "");
}

// Robson's sequence: of pieces of 64 bytes those stay that lie at multiples of 128, so that none of
// 128 fits between them; of these and those of 128 the ones at multiples of 256, and so on. First
// fit then needs four times what is in use.
TEST(Replay, HasMemoryForWhateverOrderOfSizes) {
  constexpr Bytes kTotal = Bytes{16} << 10;
  struct Piece {
    Bytes at, bytes;
    int request;
  };
  std::string receives;
  std::string sends;
  int posted = 0;
  std::vector<Piece> pieces;
  Bytes end = 0;
  for (Bytes size = 64; size <= 4096; size *= 2) {
    Bytes in_use = 0;
    std::vector<Piece> kept;
    for (const Piece& piece : pieces) {
      if (piece.at % size == 0) {
        kept.push_back(piece);
        in_use += piece.bytes;
      } else {
        receives += fmt::format("1 wait {}\n", piece.request);
      }
    }
    pieces = kept;
    for (; in_use + size <= kTotal; in_use += size, end += size) {
      receives += fmt::format("1 irecv 0 {} 1 {}\n", size, posted);
      sends += fmt::format("0 send 1 {} 1\n", size);
      pieces.push_back({end, size, posted++});
    }
  }
  EXPECT_GE(end, 4 * kTotal);
  EXPECT_EQ(failures_of("# mpitrace 1\n# ranks 2\n" + sends + receives, 65536), "");
}

// More packets than the ring of the plan's default has entries are refused at once.
TEST(Replay, LosesNoNoticeWhateverTheEagerLimit) {
  std::istringstream input(
      "# mpitrace 1\n# ranks 2\n0 isend 1 65536 7 0\n0 isend 1 65536 7 1\n"
      "0 isend 1 65536 7 2\n0 isend 1 65536 7 3\n0 wait 0\n0 wait 1\n0 wait 2\n0 wait 3\n"
      "1 compute 100000\n1 recv 0 65536 7\n1 recv 0 65536 7\n1 recv 0 65536 7\n"
      "1 recv 0 65536 7\n");
  const Trace trace = read_trace(input, "notices");
  ReferenceStage stage(machine_for(trace, 1));
  play(stage, trace, {.eager_limit = 65536});
  EXPECT_EQ(stage.failures(), "");
  for (std::uint32_t node = 0; node < 2; ++node) {
    EXPECT_EQ(stage.machine().node({node}).dropped_replies(), 0U) << "node " << node;
  }
}

// A wild receive takes whatever has come first, and a probe holds what it finds for the next
// receive that fits.
constexpr char kWild[] =
    "# mpitrace 1\n# ranks 3\n"
    "0 irecv * 900 4 0\n0 irecv 2 900 4 1\n0 irecv * 900 4 2\n0 wait 2\n0 waitall 1 0\n"
    "0 probe * 5\n0 probe 1 5\n0 recv 1 8 5\n0 recv * 8 5\n"
    "1 compute 3000\n1 send 0 7 4\n1 send 0 8 5\n"
    "2 send 0 900 4\n2 send 0 600 4\n2 send 0 8 5\n";

TEST(Replay, TakesMessagesOfAnyRank) {
  for (const Bytes limit : {Bytes{0}, Bytes{512}, Bytes{65536}}) {
    EXPECT_EQ(failures_of(kWild, limit), "");
  }
}

TEST(Replay, PlaysTheExampleOfItsPage) {
  std::ifstream page("docs/traces.md");
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(page, line) && (!inside || line != "```");) {
    if (inside) text += line + "\n";
    inside |= line == "```text";
  }
  ASSERT_NE(text.find("# mpitrace 1"), std::string::npos) << text;
  EXPECT_EQ(failures_of(text, 512), "");
}

TEST(Replay, SendsAndReceivesAtOnce) {
  for (const Bytes limit : {Bytes{0}, Bytes{65536}}) {
    EXPECT_EQ(failures_of("# mpitrace 1\n# ranks 2\n0 sendrecv 1 3000 1 1 4000 2\n"
                          "1 sendrecv 0 4000 2 0 3000 1\n",
                          limit),
              "");
  }
}

TEST(Replay, ComparesEveryPieceOfCollectivesWithoutData) {
  std::string text = "# mpitrace 1\n# ranks 3\n";
  for (int rank = 0; rank < 3; ++rank) {
    for (const char* call : {"scatter 1 100", "gather 2 0", "gather 2 70", "allgather 5000",
                             "alltoall 17", "alltoall 600", "bcast 0 0 -"}) {
      text += fmt::format("{} {}\n", rank, call);
    }
  }
  std::istringstream input(text);
  const Trace trace = read_trace(input, "pieces");
  for (const RunBy run_by : {RunBy::kSoftware, RunBy::kMu}) {
    ReferenceStage stage(machine_for(trace, 1));
    play(stage, trace, {.run_by = run_by});
    EXPECT_EQ(stage.failures(), "");
    EXPECT_EQ(stage.figure("replay.bytes_compared"), 3 * 100 + 3 * 70 + 9 * 5000 + 9 * 617);
  }
}

TEST(Replay, AllowsASumThatDiffersByRoundingOnly) {
  std::string text = kEveryCall;
  const std::string right = "0000000000001840\n2 allreduce min";
  text.replace(text.find(right), right.size(), "0100000000001840\n2 allreduce min");
  EXPECT_EQ(failures_of(text, 512), "");
}

// A wrong byte put into a message on its way (with a right CRC) must be seen.
TEST(Replay, SeesOneWrongByte) {
  std::istringstream input(kEveryCall);
  const Trace trace = read_trace(input, "every");
  ReferenceStage stage(machine_for(trace, 1));
  // The store of a message of 700 bytes is scribbled over once it has been made up.
  bool done = false;
  stage.machine().watch_packets([&](model::Packet& packet) {
    if (!done && packet.payload.size() == 512) {
      packet.payload[77] ^= 1;
      packet.seal();
      done = true;
    }
    return model::Fate::kArrives;
  });
  play(stage, trace, {.eager_limit = 65536});
  EXPECT_NE(stage.failures().find("1 wrong"), std::string::npos) << stage.failures();
}

// What fails as a trace is played.
std::string failures_of(const std::string& text, const PlayOptions& options) {
  std::istringstream input(text);
  const Trace trace = read_trace(input, "t");
  ReferenceStage stage(machine_for(trace, 1));
  play(stage, trace, options);
  return stage.failures();
}

TEST(Replay, MayLastAsLongAsItsRanksComputeAndTheDeadlineMore) {
  EXPECT_EQ(failures_of("# mpitrace 1\n# ranks 2\n0 compute 9000000\n0 send 1 8 5\n"
                        "1 recv 0 8 5\n1 compute 9000000\n",
                        {.eager_limit = 512, .deadline = 2'000'000}),
            "");
}

// The message of what play() throws; empty if it throws nothing.
std::string refusal_of(const std::string& text, const PlayOptions& options = {}) {
  try {
    EXPECT_EQ(failures_of(text, options), "");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Replay, RefusesATraceWhoseCallsWaitForOneAnother) {
  EXPECT_EQ(refusal_of("# mpitrace 1\n# ranks 2\n0 recv 1 8 5\n0 send 1 8 5\n"
                       "1 recv 0 8 5\n1 send 0 8 5\n"),
            "t: deadlock: rank 0 (line 3: recv from rank 1, tag 5) waits for rank 1 (line 5: recv "
            "from rank 0, tag 5), which waits for rank 0");
}

TEST(Replay, RefusesSendsThatOnlyALargerEagerLimitLetsReturn) {
  const std::string text =
      "# mpitrace 1\n# ranks 2\n0 send 1 600 5\n0 recv 1 600 5\n"
      "1 send 0 600 5\n1 recv 0 600 5\n";
  EXPECT_NE(refusal_of(text).find("with an eager limit of 600 or more"), std::string::npos)
      << refusal_of(text);
  EXPECT_EQ(refusal_of(text, {.eager_limit = 600}), "");
}

TEST(Replay, RefusesBuffersThatDoNotFitAndNamesTheCall) {
  const std::string text =
      "# mpitrace 1\n# ranks 2\n0 send 1 8 1\n0 isend 1 80000000 1 0\n"
      "1 recv 0 8 1\n1 recv 0 80000000 1\n";
  EXPECT_NE(refusal_of(text).find("t:4:1: with this call rank 0 has buffers of 80000000 bytes"),
            std::string::npos)
      << refusal_of(text);
}

// A message that is lost together with all that would repair it.
TEST(Replay, EndsWithWhoWaitsWhenNothingComesThroughAnyMore) {
  std::istringstream input(
      "# mpitrace 1\n# ranks 3\n0 compute 100000\n0 send 1 8 5\n1 recv 0 8 5\n1 send 2 8 6\n"
      "2 recv 1 8 6\n");
  const Trace trace = read_trace(input, "lost");
  ReferenceStage stage(machine_for(trace, 1));
  stage.machine().watch_packets([&](model::Packet&) {
    return stage.now() > 50'000 ? model::Fate::kLost : model::Fate::kArrives;
  });
  play(stage, trace, {.stall_after = 1'000'000});
  EXPECT_NE(stage.failures().find("no call of the trace has ended since cycle "), std::string::npos)
      << stage.failures();
  EXPECT_LT(stage.now(), 10'000'000U);
}

// A receive from any source takes, as it comes first, what another was meant for.
TEST(Replay, EndsWithWhoWaitsForWhatAReceiveFromAnySourceTook) {
  const std::string failures = failures_of(
      "# mpitrace 1\n# ranks 3\n0 recv * 8 1\n0 recv 1 8 1\n1 send 0 8 1\n2 compute 900000\n"
      "2 send 0 8 1\n",
      {.stall_after = 1'000'000});
  EXPECT_THAT(failures, HasSubstr("rank 0 (line 4: recv from rank 1, tag 1) waits for a message "
                                  "that is under way, or that a receive from any source took"));
  EXPECT_THAT(failures, HasSubstr("1 of 2 messages received, 8 bytes compared"));
}

TEST(Replay, NeedsANodeForEachRank) {
  const Trace trace = read_trace_file("tests/traces/lulesh-8.trace");
  MachineOptions options = machine_for(trace, 1);
  options.shape = {7, 1, 1};
  ReferenceStage stage(options);
  EXPECT_THROW(play(stage, trace, {}), UsageError);
}

struct Shared {
  const char* name;
  std::uint32_t tasks_per_node;
  Cycles skew;
};

class SharedNodes : public ::testing::TestWithParam<Shared> {};

// Several ranks a node, each in a cycle of its own.
TEST_P(SharedNodes, ReplayToTheLastByte) {
  const auto& [name, tasks, skew] = GetParam();
  const Trace trace = read_trace_file(std::string("tests/traces/") + name + ".trace");
  MachineOptions options = machine_for(trace, tasks + skew);
  options.shape = shape_for(trace, tasks);
  options.memory_size = Bytes{256} << 20;
  ReferenceStage stage(options);
  play(stage, trace, {.tasks_per_node = tasks, .start_skew = skew, .deadline = 50'000'000});
  EXPECT_EQ(stage.failures(), "");
  EXPECT_EQ(stage.figure("replay.messages"), static_cast<double>(trace.messages));
  EXPECT_GE(stage.figure("replay.bytes_compared"), static_cast<double>(trace.bytes));
}

INSTANTIATE_TEST_SUITE_P(Of, SharedNodes,
                         ::testing::Values(Shared{"lulesh-8", 1, 100'000}, Shared{"lulesh-8", 2, 0},
                                           Shared{"lulesh-8", 4, 300'000},
                                           Shared{"lulesh-27", 4, 100'000}, Shared{"hpcg-8", 4, 0},
                                           Shared{"hpcg-8", 3, 1'000'000}));

// However many tasks a node has.
TEST(Replay, OfSharedNodesRunsAllCollectivesByTheMu) {
  const Trace trace = read_trace_file("tests/traces/hpcg-8.trace");
  for (const std::uint32_t tasks : {1U, 2U, 3U, 4U}) {
    MachineOptions options = machine_for(trace, tasks);
    options.shape = shape_for(trace, tasks);
    ReferenceStage stage(options);
    play(stage, trace, {.run_by = RunBy::kMu, .tasks_per_node = tasks, .start_skew = 50'000});
    EXPECT_EQ(stage.failures(), "");
    EXPECT_GT(stage.figure("replay.collectives_by_mu"), 0) << tasks;
    EXPECT_EQ(stage.figure("replay.collectives_by_cores"), 0) << tasks;
  }
}

TEST(Replay, SaysHowManyCollectivesTheMuRanAndWhyNotTheOthers) {
  std::string text = kEveryCall;
  for (const char rank : {'0', '1', '2'}) {
    const std::string barrier = {rank, ' ', 'b', 'a', 'r'};
    text.insert(text.find(barrier), rank + std::string(" bcast 2 300000 -\n"));
  }
  std::istringstream input(text);
  const Trace trace = read_trace(input, "every");
  ReferenceStage stage(machine_for(trace, 1));
  play(stage, trace, {.run_by = RunBy::kMu});
  EXPECT_EQ(stage.figure("replay.collectives_by_mu"), 18);
  EXPECT_EQ(stage.figure("replay.collectives_by_cores"), 3);
  EXPECT_NE(stage.said().find("collectives of all ranks: 18 run by the MU, 3 by the cores: "
                              "3 vectors beyond the windows\n"),
            std::string::npos)
      << stage.said();
}

TEST(Replay, RunsOnMachinesWithMoreNodesThanRanks) {
  std::istringstream input(kEveryCall);
  const Trace trace = read_trace(input, "every");
  MachineOptions options = machine_for(trace, 1);
  options.shape = {2, 2, 2};
  ReferenceStage stage(options);
  play(stage, trace, {});
  EXPECT_EQ(stage.failures(), "");
}

TEST(ShapeFor, IsTheMostCubicThatFits) {
  Trace trace;
  const std::pair<std::size_t, Shape> cases[] = {
      {1, {1, 1, 1}},  {8, {2, 2, 2}},  {27, {3, 3, 3}},     {12, {3, 2, 2}},
      {16, {4, 2, 2}}, {14, {7, 2, 1}}, {4096, {16, 16, 16}}};
  for (const auto& [ranks, shape] : cases) {
    trace.ranks.resize(ranks);
    const Shape found = shape_for(trace);
    EXPECT_TRUE(found.x == shape.x && found.y == shape.y && found.z == shape.z)
        << ranks << ": " << found.x << "x" << found.y << "x" << found.z;
  }
  trace.ranks.resize(17);
  EXPECT_THROW(shape_for(trace), UsageError);
  EXPECT_EQ(shape_for(trace, 2).nodes(), 9U);
  EXPECT_EQ(shape_for(trace, 4).nodes(), 5U);
}

}  // namespace
}  // namespace torusmu::replay
