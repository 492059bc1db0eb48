// SPDX-License-Identifier: Apache-2.0
// Traces: what is read, and how bad ones are refused.
#include "sim/play/replay/trace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/seed.h"

namespace torusmu::replay {
namespace {

using ::torusmu::testing::Random;

Trace read(const std::string& text) {
  std::istringstream input(text);
  return read_trace(input, "t");
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "no error";
}

const std::string kHead = "# mpitrace 1\n# ranks 2\n";

TEST(Trace, HoldsEveryEventOfEveryRank) {
  const Trace trace = read(kHead +
                           "# app some\n# a comment\n\n"
                           "0 compute 17\n"
                           "0 isend 1 8 99 0\r\n"
                           "0 irecv 1 16 3 1\n"
                           "0 wait 1\n"
                           "0 allreduce sum i32 2 0100000002000000 0300000006000000\n"
                           "0 reduce 1 max u8 1 0a -\n"
                           "0 bcast 0 2 beef\n"
                           "0 barrier\n"
                           "1\trecv 0 8 99\n"
                           "1 send 0 16 3\n"
                           "1 allreduce sum i32 2 0200000004000000 0300000006000000\n"
                           "1 reduce 1 max u8 1 0b 0b\n"
                           "1 bcast 0 2 -\n"
                           "1 barrier");
  EXPECT_EQ(trace.app, "some");
  ASSERT_EQ(trace.ranks.size(), 2U);
  ASSERT_EQ(trace.ranks[0].size(), 8U);
  ASSERT_EQ(trace.ranks[1].size(), 6U);
  EXPECT_EQ(trace.messages, 2U);
  EXPECT_EQ(trace.bytes, 24U);
  const auto& events = trace.ranks[0];
  EXPECT_EQ(events[0].cycles, 17U);
  EXPECT_EQ(events[1].call, Call::kIsend);
  EXPECT_EQ(events[1].peer, 1U);
  EXPECT_EQ(events[1].bytes, 8U);
  EXPECT_EQ(events[1].tag, 99);
  EXPECT_EQ(events[4].out.size(), 8U);
  EXPECT_EQ(events[4].in[4], std::byte{2});
  EXPECT_EQ(events[5].peer, 1U);
  EXPECT_TRUE(events[5].out.empty());
  EXPECT_EQ(events[6].in[1], std::byte{0xEF});
  EXPECT_EQ(events[7].line, 13U);
}

TEST(Trace, NumbersMessagesOfOneRouteAndTag) {
  const Trace trace = read(kHead +
                           "0 send 1 8 1\n0 send 1 8 2\n0 send 1 8 1\n"
                           "1 recv 0 8 2\n1 recv 0 8 1\n1 recv 0 8 1\n");
  EXPECT_EQ(trace.ranks[0][2].number, 1U);
  EXPECT_EQ(trace.ranks[1][0].number, 0U);
  EXPECT_EQ(trace.ranks[1][2].number, 1U);
}

TEST(Trace, ErrorsNameLineAndColumn) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "t:1:1: header \"# mpitrace 1\" is missing"},
      {"# mpitrace 1\n0 barrier\n", "t:2:1: header \"# ranks N\" is missing"},
      {"# mpitrace 2\n", "t:1:12: version \"2\" is unknown"},
      {"# mpitrace\n", "t:1:3: header \"mpitrace\" has no value"},
      {"# mpitrace 1\n# ranks 0\n", "t:2:9: number of ranks \"0\" is no number from 1 to 4096"},
      {"# mpitrace 1\n# ranks 4097\n", "t:2:9: number of ranks \"4097\" is no number"},
      {kHead + "# ranks 2\n", "t:3:3: a second header"},
      {kHead + "2 barrier\n", "t:3:1: rank \"2\" is no number from 0 to 1"},
      {kHead + "-1 barrier\n", "t:3:1: rank \"-1\" is no number"},
      {kHead, "t:3:1: no rank has a message or a collective"},
      {kHead + "0 compute 5\n1 compute 5\n", "t:5:1: no rank has a message or a collective"},
      {kHead + "0\n", "t:3:2: the call is missing"},
      {kHead + "0 dance\n", "t:3:3: unknown call \"dance\": there are compute"},
      {kHead + "0 compute\n", "t:3:10: compute takes 1 operands, not 0: NS"},
      {kHead + "0 compute 1 2\n", "t:3:13: compute takes 1 operands, not 2"},
      {kHead + "0 compute 1x\n", "t:3:11: time \"1x\" is no number"},
      {kHead + "0 compute 99999999999999999999\n", "t:3:11: time"},
      {kHead + "1 barrier\n0 barrier\n", "t:4:1: rank 0 again"},
      {kHead + "0 send 2 1 1\n", "t:3:8: rank \"2\""},
      {kHead + "0 send 1 4294967297 1\n", "t:3:10: length"},
      {kHead + "0 send 1 1 2147483648\n", "t:3:12: tag"},
      {kHead + "0 isend 1 1 1 5\n0 isend 1 1 1 5\n", "t:4:15: request 5 is used twice"},
      {kHead + "0 wait 3\n", "t:3:8: rank 0 has no request 3"},
      {kHead + "0 isend 1 1 1 5\n0 wait 5\n0 wait 5\n", "t:5:8: request 5 has been waited for"},
      {kHead + "0 allreduce add f64 1 00 00\n", "t:3:13: unknown operation \"add\": there are sum"},
      {kHead + "0 allreduce sum f16 1 00 00\n", "t:3:17: unknown type \"f16\""},
      {kHead + "0 allreduce sum u8 0 - -\n", "t:3:20: a reduction of no elements"},
      {kHead + "0 allreduce sum u8 2 000 0000\n", "t:3:22: IN has 3 hex digits, not 4"},
      {kHead + "0 allreduce sum u8 1 0g 00\n", "t:3:22: IN has something that is no hex"},
      {kHead + "0 allreduce sum u8 1 00 -\n", "t:3:25: OUT has 1 hex digits, not 2"},
      {kHead + "0 reduce 1 sum u8 1 00 00\n", "t:3:24: OUT is \"-\""},
      {kHead + "0 bcast 0 65 00\n", "t:3:14: DATA longer than 64"},
      {kHead + "0 send 1 8 1\n", "t:3:1: rank 1 never receives this message"},
      {kHead + "1 recv 0 8 1\n", "t:3:1: rank 0 sends only 0 messages with tag 1 to rank 1"},
      {kHead + "0 send 1 9 1\n1 recv 0 8 1\n", "t:4:1: the message has 9 bytes (line 3), the"},
      {kHead + "0 barrier\n", "t:3:1: rank 1 takes no part"},
      {kHead + "1 barrier\n", "t:3:1: rank 0 takes no part"},
      {kHead + "0 bcast 0 1 00\n1 bcast 1 1 00\n", "t:4:1: rank 1's collective number 0"},
      {kHead + "0 bcast 0 1 7f\n1 bcast 0 1 7e\n", "t:4:1: DATA is not that of line 3"},
      {kHead + "0 waitall\n", "t:3:10: waitall takes one operand or more"},
      {kHead + "0 isend 1 1 1 5\n0 waitall 5 5\n", "t:4:13: request 5 has been waited for"},
      {kHead + "0 sendrecv 1 8 1 1 8\n", "t:3:21: sendrecv takes 6 operands, not 5"},
      {kHead + "0 sendrecv * 8 1 1 8 1\n", "t:3:12: rank \"*\" is no number"},
      {kHead + "0 send * 8 1\n", "t:3:8: rank \"*\" is no number"},
      {kHead + "0 recv * 8 1\n1 recv * 8 1\n1 send 0 8 1\n", "t:4:1: only 0 messages with tag 1"},
      {kHead + "0 recv * 8 1\n1 send 0 8 1\n1 send 0 8 1\n", "t:5:1: rank 0 never receives"},
      {kHead + "0 recv 1 8 1\n0 recv * 9 1\n1 send 0 8 1\n1 send 0 9 1\n",
       "t:3:1: the message has 9 bytes (line 6), the buffer 8"},
      {kHead + "0 recv 1 8 1\n0 recv * 8 1\n0 send 0 8 1\n0 send 0 8 1\n",
       "t:3:1: rank 1 sends only 0 messages with tag 1 to rank 0"},
      {kHead + "0 recv 1 8 1\n0 probe 1 1\n1 send 0 8 1\n", "t:4:1: no message is left"},
      {kHead + "0 probe * 1\n0 barrier\n1 barrier\n", "t:3:1: no message is left"},
      {kHead + "0 probe * 1\n0 probe 1 1\n", "t:3:1: no message is left"},
      {kHead + "0 gather 2 8\n", "t:3:10: root \"2\""},
      {kHead + "0 scatter 1 8\n1 scatter 1 9\n", "t:4:1: rank 1's collective number 0"},
      {kHead + "0 " + std::string(2'000'000, 'x') + "\n", "t:3:1048576: the line is longer"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string error = error_of(text);
    EXPECT_EQ(error.substr(0, expected.size()), expected) << text.substr(0, 200);
  }
}

std::string requests(std::uint32_t rank, const char* call, std::uint32_t count) {
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) {
    text += fmt::format("{} {} {} 0 1 {}\n", rank, call, 1 - rank, i);
  }
  return text;
}

TEST(Trace, HasNoMoreRequestsUnderWayThanTheLibraryHasNames) {
  const std::string most =
      kHead + requests(0, "isend", kMostRequests) + requests(1, "irecv", kMostRequests);
  EXPECT_EQ(error_of(most), "no error");
  EXPECT_EQ(error_of(kHead + requests(0, "isend", kMostRequests + 1)),
            "t:65538:9: rank 0 has 65536 requests under way here: at most 65535, so wait for some "
            "before");
  EXPECT_EQ(error_of(kHead + requests(0, "isend", kMostRequests) + "0 send 1 0 1\n"),
            "t:65538:8: rank 0 has 65536 requests under way here: at most 65535, so wait for some "
            "before");
  EXPECT_EQ(error_of(kHead + requests(0, "isend", kMostRequests) + "0 wait 7\n0 send 1 0 1\n")
                .substr(0, 41),
            "t:3:1: rank 1 never receives this message");
}

TEST(Trace, WarnsOfAHeaderThatItDoesNotKnow) {
  const Trace trace = read(kHead +
                           "# seed 5\n## seed 5\n# a longer comment\n#\n#seed 5\n"
                           "0 barrier\n# seed 5\n1 barrier\n");
  ASSERT_EQ(trace.warnings.size(), 1U);
  EXPECT_EQ(trace.warnings[0],
            "t:3:3: header \"seed\" is unknown and has no effect: there are mpitrace, ranks, app; "
            "a comment starts with ##");
}

TEST(Trace, MarksReceivesWhoseMessageOnlyTheRunShows) {
  const Trace trace = read(kHead +
                           "0 recv * 8 1\n0 recv 1 8 1\n0 recv 1 8 2\n0 probe 1 3\n0 recv 1 8 3\n"
                           "1 send 0 8 1\n1 send 0 8 1\n1 send 0 8 2\n1 send 0 8 3\n");
  const std::vector<TraceEvent>& events = trace.ranks[0];
  EXPECT_TRUE(events[0].open && events[1].open);
  EXPECT_FALSE(events[2].open || events[3].open || events[4].open);
}

TEST(Trace, ErrorsShowStrangeBytesAsText) {
  EXPECT_NE(error_of(kHead + "0 \x1b[31m\n").find("\\x1b"), std::string::npos);
}

TEST(Trace, FileThatIsNotThereIsAnError) {
  EXPECT_THROW(read_trace_file("tests/traces/none.trace"), TraceError);
}

// Every file that has been cut off or scribbled over is read or refused, and nothing worse.
TEST(Trace, DamagedFilesAreReadOrRefused) {
  Random random(3);
  SCOPED_TRACE(random.replay());
  std::ifstream file("tests/traces/lulesh-8.trace", std::ios::binary);
  std::string text(6000, '\0');
  ASSERT_TRUE(file.read(text.data(), static_cast<std::streamsize>(text.size())));
  const std::string pieces[] = {
      "-1",   "99999999999999999999999", "\n", " ", "#", "\xff", "irecv", std::string(1, '\0'),
      "0x10", "18446744073709551615"};
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bad = text.substr(0, random.below(text.size() + 1));
    for (std::uint64_t edits = random.below(4); edits > 0 && !bad.empty(); --edits) {
      const std::uint64_t at = random.below(bad.size());
      bad.replace(at, random.below(8), pieces[random.below(std::size(pieces))]);
    }
    if (error_of(bad) != "no error") ++refused;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace torusmu::replay
