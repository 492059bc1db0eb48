// SPDX-License-Identifier: Apache-2.0
// Random traces, played on the reference model and judged by what is known of them without it.
#include "tests/host/random_trace.h"

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <set>
#include <sstream>

#include "sim/play/replay/matching.h"
#include "sim/play/replay/play.h"
#include "tb/reference_model/stage.h"

namespace torusmu::replay {
namespace {

using ::torusmu::testing::Random;
using ::torusmu::testing::RandomTrace;

Trace read(const std::string& text) {
  std::istringstream input(text);
  return read_trace(input, "random");
}

PlayOptions random_options(Random& random) {
  const Bytes limits[] = {0, 16, 512, 4096, 65536};
  PlayOptions options;
  options.eager_limit = limits[random.below(std::size(limits))];
  options.tasks_per_node = static_cast<std::uint32_t>(1 + random.below(4));
  options.run_by = options.tasks_per_node < 4 && random.chance(30) ? RunBy::kMu : RunBy::kSoftware;
  if (random.chance(30)) options.start_skew = random.below(50'000);
  const char* policies[] = {"always", "every-3", "adaptive", "heuristic", "interrupt"};
  options.polling = polling_of(policies[random.below(std::size(policies))]).value();
  return options;
}

// Where each message went, and that it came after it had been sent.
void expect_messages(const RandomTrace& expected, const std::vector<ProgramMessage>& found) {
  std::map<RandomTrace::Route, std::multiset<std::uint64_t>> wanted;
  std::map<RandomTrace::Route, std::multiset<std::uint64_t>> arrived;
  for (const auto& [route, lengths] : expected.messages()) {
    wanted[route].insert(lengths.begin(), lengths.end());
  }
  for (const ProgramMessage& message : found) {
    arrived[{message.from_rank, message.to_rank, message.tag}].insert(message.bytes);
    EXPECT_GT(message.complete, message.sent);
  }
  EXPECT_EQ(arrived, wanted);
}

class RandomTraces : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomTraces, ArePlayedToTheLastByte) {
  Random random(GetParam());
  SCOPED_TRACE(random.replay());
  const auto ranks = static_cast<std::uint32_t>(1 + random.below(9));
  const RandomTrace expected(random, ranks, static_cast<int>(10 + random.below(60)));
  const Trace trace = read(expected.text());
  ASSERT_EQ(Matching(trace).deadlock(0), std::nullopt);
  const PlayOptions options = random_options(random);
  model::MachineOptions machine;
  machine.shape = shape_for(trace, options.tasks_per_node);
  machine.seed = random.seed();
  machine.memory_size = Bytes{256} << 20;
  model::ReferenceStage stage(machine);
  play(stage, trace, options);
  EXPECT_EQ(stage.failures(), "") << expected.text();
  EXPECT_EQ(stage.figure("replay.bytes_compared"), static_cast<double>(expected.bytes_received()));
  expect_messages(expected, stage.messages());
}

INSTANTIATE_TEST_SUITE_P(Of, RandomTraces, ::testing::Range<std::uint64_t>(1, 151));

// --- traces that may deadlock ------------------------------------------------------------------

struct Step {
  enum class Kind { kSend, kReceive, kIsend, kIreceive, kWait, kBarrier } kind = Kind::kBarrier;
  std::uint32_t peer = 0;
  std::uint32_t tag = 0;
  Bytes bytes = 0;
  std::uint64_t request = 0;
};
using Programs = std::vector<std::deque<Step>>;

// Messages in whatever order; each send and receive blocks or is waited for somewhere behind.
Programs random_programs(Random& random) {
  Programs programs(2 + random.below(3));
  std::vector<std::uint64_t> requests(programs.size());
  for (auto& program : programs) program.push_back({});  // a barrier, so that there is a call
  const auto put = [&](std::uint32_t rank, Step step, bool blocks) {
    auto& program = programs[rank];
    // Behind all others of its route, so that lengths match in order.
    const auto at = [&](std::size_t from) {
      return from + random.below(program.size() - from + 1);
    };
    if (!blocks) {
      step.kind = step.kind == Step::Kind::kSend ? Step::Kind::kIsend : Step::Kind::kIreceive;
      step.request = requests[rank]++;
    }
    const std::size_t place = at(0);
    program.insert(program.begin() + static_cast<std::ptrdiff_t>(place), step);
    if (blocks || random.chance(20)) return;
    const Step wait{.kind = Step::Kind::kWait, .request = step.request};
    program.insert(program.begin() + static_cast<std::ptrdiff_t>(at(place + 1)), wait);
  };
  for (std::uint64_t n = 1 + random.below(8); n > 0; --n) {
    const auto from = static_cast<std::uint32_t>(random.below(programs.size()));
    const auto to = static_cast<std::uint32_t>(random.below(programs.size()));
    const auto tag = static_cast<std::uint32_t>(random.below(2));
    const Bytes bytes = random.chance(50) ? 100 : 900;
    put(from, {.kind = Step::Kind::kSend, .peer = to, .tag = tag, .bytes = bytes},
        random.chance(60));
    put(to, {.kind = Step::Kind::kReceive, .peer = from, .tag = tag, .bytes = 900},
        random.chance(60));
  }
  return programs;
}

std::string text_of(const Programs& programs) {
  std::string text = fmt::format("# mpitrace 1\n# ranks {}\n", programs.size());
  for (std::size_t rank = 0; rank < programs.size(); ++rank) {
    for (const Step& step : programs[rank]) {
      const std::string message = fmt::format(" {} {} {}", step.peer, step.bytes, step.tag);
      const std::string request = fmt::format(" {}", step.request);
      const std::pair<const char*, std::string> words[] = {{"send", message},
                                                           {"recv", message},
                                                           {"isend", message + request},
                                                           {"irecv", message + request},
                                                           {"wait", request},
                                                           {"barrier", ""}};
      const auto& [name, operands] = words[static_cast<std::size_t>(step.kind)];
      text += fmt::format("{} {}{}\n", rank, name, operands);
    }
  }
  return text;
}

// MPI with queues: what is posted waits in the queue of its route until the other side comes.
class Queues {
 public:
  Queues(Programs programs, Bytes eager_limit)
      : programs_(std::move(programs)), eager_limit_(eager_limit), posted_(programs_.size()) {}

  bool come_to_their_end() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t rank = 0; rank < programs_.size(); ++rank) {
        while (!programs_[rank].empty() && step(rank)) moved = true;
      }
    }
    return std::all_of(programs_.begin(), programs_.end(),
                       [](const auto& program) { return program.empty(); }) &&
           std::all_of(pieces_.begin(), pieces_.end(), [](const Piece& p) { return p.complete; });
  }

 private:
  struct Piece {
    bool complete = false;
  };
  using Route = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

  std::size_t post(std::uint32_t rank, const Step& step, bool sends) {
    const Route route = sends ? Route{rank, step.peer, step.tag} : Route{step.peer, rank, step.tag};
    const std::size_t own = pieces_.size();
    pieces_.push_back({sends && step.bytes <= eager_limit_});
    auto& others = sends ? receives_[route] : sends_[route];
    if (others.empty()) {
      (sends ? sends_[route] : receives_[route]).push_back(own);
    } else {
      pieces_[own].complete = pieces_[others.front()].complete = true;
      others.pop_front();
    }
    return own;
  }

  // True if the rank's first call has ended.
  bool step(std::uint32_t rank) {
    const Step& step = programs_[rank].front();
    switch (step.kind) {
      case Step::Kind::kSend:
      case Step::Kind::kReceive:
        if (!blocked_.contains(rank)) {
          blocked_[rank] = post(rank, step, step.kind == Step::Kind::kSend);
        }
        if (!pieces_[blocked_[rank]].complete) return false;
        blocked_.erase(rank);
        break;
      case Step::Kind::kIsend:
      case Step::Kind::kIreceive:
        posted_[rank][step.request] = post(rank, step, step.kind == Step::Kind::kIsend);
        break;
      case Step::Kind::kWait:
        if (!pieces_[posted_[rank][step.request]].complete) return false;
        break;
      case Step::Kind::kBarrier:
        at_barrier_.insert(rank);
        if (at_barrier_.size() < programs_.size()) return false;
        break;
    }
    programs_[rank].pop_front();
    return true;
  }

  Programs programs_;
  Bytes eager_limit_;
  std::deque<Piece> pieces_;
  std::map<Route, std::deque<std::size_t>> sends_, receives_;  // that wait for the other side
  std::vector<std::map<std::uint64_t, std::size_t>> posted_;   // of each rank, by request
  std::map<std::uint32_t, std::size_t> blocked_;
  std::set<std::uint32_t> at_barrier_;
};

TEST(RandomPrograms, DeadlockWhereQueuesSaySo) {
  Random random(11);
  SCOPED_TRACE(random.replay());
  int stuck = 0;
  constexpr int kRounds = 3000;
  for (int round = 0; round < kRounds; ++round) {
    const Programs programs = random_programs(random);
    const Trace trace = read(text_of(programs));
    for (const Bytes limit : {Bytes{0}, Bytes{512}, Bytes{65536}}) {
      const bool ends = Queues(programs, limit).come_to_their_end();
      EXPECT_EQ(Matching(trace).deadlock(limit).has_value(), !ends) << "limit " << limit << "\n"
                                                                    << text_of(programs);
      if (!ends) ++stuck;
    }
  }
  EXPECT_GT(stuck, kRounds / 3);
  EXPECT_LT(stuck, 3 * kRounds * 9 / 10);
}

}  // namespace
}  // namespace torusmu::replay
