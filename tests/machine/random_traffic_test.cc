// SPDX-License-Identifier: Apache-2.0
// The same random program on the RTL machine and on the reference model: same counters, statuses,
// FIFO contents in order of each source, notices, causes, touched ranges, memory. Good and bad
// descriptors, FIFOs too small for what comes, queues that halt; shapes with dimensions of 1 and 2,
// meshes, slow and unfair memories; a seed replays exactly.
//
// TORUSMU_RANDOM_MACHINES=N plays N seeds instead of the 200 of every commit; TORUSMU_SEED=S that
// one alone.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "sim/machine/mix.h"
#include "sim/machine/shape.h"
#include "tb/reference_model/stage.h"
#include "tests/support/machine_player.h"
#include "tests/support/random_program.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr std::uint64_t kFirstSeed = 1000;

Shape shape_of(Rng& random) {
  constexpr std::array<std::array<std::uint32_t, 3>, 14> kShapes{{{1, 1, 1},
                                                                  {2, 1, 1},
                                                                  {1, 2, 1},
                                                                  {1, 1, 2},
                                                                  {2, 2, 1},
                                                                  {1, 2, 2},
                                                                  {3, 1, 1},
                                                                  {1, 4, 1},
                                                                  {2, 2, 2},
                                                                  {3, 2, 1},
                                                                  {1, 1, 5},
                                                                  {2, 1, 3},
                                                                  {3, 3, 1},
                                                                  {2, 3, 2}}};
  const auto& [x, y, z] = kShapes[random.below(kShapes.size())];
  return {x, y, z, !random.chance(300), !random.chance(300), !random.chance(300)};
}

MachineConfig config_of(std::uint64_t seed) {
  Rng random(seed);
  MachineConfig config;
  config.seed = seed;
  config.memory_size = RandomProgram::kMemory;
  config.engine.shape = shape_of(random);
  config.engine.latency = static_cast<unsigned>(1 + random.below(random.chance(800) ? 8 : 32));
  config.engine.sleeping = !random.chance(100);
  config.engine.gating = !random.chance(200);
  config.memory_timing.read_latency = 1 + random.below(20);
  config.memory_timing.write_latency = 1 + random.below(20);
  if (random.chance(500)) {
    config.memory_timing.random_extra = random.below(60);
    config.memory_timing.stall_permille = static_cast<unsigned>(random.below(600));
    config.memory_timing.reorder = random.chance(500);
  }
  config.costs.mmio_write = 1 + random.below(20);
  config.costs.mmio_read = 1 + random.below(40);
  return config;
}

std::string describe(const MachineConfig& config) {
  const Shape& s = config.engine.shape;
  return shape_name(s) + (s.torus_x && s.torus_y && s.torus_z ? "" : " mesh") +
         ", L = " + std::to_string(config.engine.latency);
}

// Everything that is wrong, a line each; at most a few.
std::string judge(std::uint64_t seed, const RandomProgramOptions& options) {
  const MachineConfig config = config_of(seed);
  const Shape& shape = config.engine.shape;
  RandomProgram program(seed, shape, options);

  MachinePlayer rtl(config);
  std::string problem = program.play(rtl);
  if (!problem.empty()) return "RTL: " + problem + "\n" + rtl.failures;
  model::ReferenceStage reference(
      {.shape = shape, .memory_size = RandomProgram::kMemory, .seed = seed});
  problem = program.play(reference);
  if (!problem.empty()) return "model: " + problem + "\n" + reference.failures();

  const auto found = program.facts(rtl);
  const auto wanted = program.facts(reference);
  std::string text = rtl.failures;
  unsigned differences = 0;
  const auto tell = [&](const std::string& line) {
    if (++differences <= 6) text += line + "\n";
  };
  for (const auto& [name, value] : wanted) {
    const auto other = found.find(name);
    if (other == found.end()) {
      tell(name + " is missing, should be " + value);
    } else if (other->second != value) {
      tell(name + " is " + other->second + ", should be " + value);
    }
  }
  for (const auto& [name, value] : found) {
    if (!wanted.contains(name)) tell(name + " is " + value + ", should not be there");
    const bool nothing = name.find("bad packets") != std::string::npos ||
                         name.find("credits missing") != std::string::npos ||
                         name.find("reflections undone") != std::string::npos ||
                         name.find("register errors") != std::string::npos;
    if (nothing && value != "0x0") tell(name + " is " + value + ", should be zero at rest");
  }
  for (std::uint32_t n = 0; n < shape.nodes(); ++n) {
    const std::string difference = compare_memories(rtl.memory({n}), reference.memory({n}));
    if (!difference.empty()) tell("node " + std::to_string(n) + ": " + difference);
  }
  return text;
}

std::uint64_t seeds_to_play() {
  const char* text = std::getenv("TORUSMU_RANDOM_MACHINES");
  return text == nullptr ? 200 : std::stoull(text);
}

void play_seeds(std::uint64_t from, std::uint64_t to, const RandomProgramOptions& options) {
  const std::uint64_t one = seed_or(0);
  if (one != 0) {
    from = one;
    to = one + 1;
  }
  unsigned failed = 0;
  for (std::uint64_t seed = from; seed < to && failed < 5; ++seed) {
    const std::string problems = judge(seed, options);
    if (problems.empty()) continue;
    ++failed;
    ADD_FAILURE() << describe(config_of(seed)) << ", repeat with TORUSMU_SEED=" << seed << "\n"
                  << problems;
  }
}

TEST(RandomTraffic, EndsAsOnTheReferenceModel) {
  play_seeds(kFirstSeed, kFirstSeed + seeds_to_play(), {});
}

TEST(RandomLongTraffic, EndsAsOnTheReferenceModel) {
  play_seeds(1, 5, {.bytes = 600 << 10, .longest = 64 << 10, .messages = 150});
}

// The programs lead where things go wrong: into FIFOs that are full or closed, halted queues,
// touched ranges, memory that is not there, and a refusal of nearly every kind.
TEST(RandomPrograms, MeetWhatTheyAreMeantToMeet) {
  std::map<std::string, unsigned> met;
  std::set<std::uint64_t> statuses;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + 200; ++seed) {
    const Shape shape = config_of(seed).engine.shape;
    RandomProgram program(seed, shape);
    model::ReferenceStage reference(
        {.shape = shape, .memory_size = RandomProgram::kMemory, .seed = seed});
    ASSERT_EQ(program.play(reference), "");
    for (const auto& fact : program.facts(reference)) {
      const auto& [name, value] = fact;
      const auto ends_with = [&fact](const char* what) { return fact.first.ends_with(what); };
      if (value == "0x0") continue;
      if (ends_with("small fifo refused")) ++met["a full FIFO"];
      if (ends_with("touch hits")) ++met["a touched range"];
      if (ends_with("memory errors at all")) ++met["memory that is not there"];
      if (ends_with("halting queue status")) ++met["an error in a queue that halts"];
      const std::size_t notice = name.find(" notice 0x");
      if (notice != std::string::npos) {
        statuses.insert(std::stoull(name.substr(notice + 8), nullptr, 16) & 0xFF);
      } else if (ends_with("status") && name.find("queue") != std::string::npos) {
        statuses.insert(std::stoull(value, nullptr, 16) & 0xFF);
      }
    }
  }
  for (const char* what : {"a full FIFO", "a touched range", "memory that is not there",
                           "an error in a queue that halts"}) {
    EXPECT_GT(met[what], 5U) << what;
  }
  for (const Status status :
       {Status::kUnknownOpcode, Status::kReservedBits, Status::kLengthZero, Status::kLengthTooLong,
        Status::kRegionInvalid, Status::kRegionBounds, Status::kPermission, Status::kCounterInvalid,
        Status::kFifoInvalid, Status::kFifoFull, Status::kQueueInvalid, Status::kUnreachable,
        Status::kMemoryError}) {
    EXPECT_TRUE(statuses.contains(static_cast<std::uint64_t>(status))) << name_of(status);
  }
}

TEST(RandomTrafficReplay, ASeedGivesTheSameFlitsAndTheSameMemory) {
  const std::uint64_t seed = seed_or(77);
  std::array<std::pair<std::uint64_t, std::uint64_t>, 2> results;
  for (auto& result : results) {
    const MachineConfig config = config_of(seed);
    RandomProgram program(seed, config.engine.shape);
    MachinePlayer rtl(config);
    EXPECT_EQ(program.play(rtl), "") << rtl.failures;
    result = {rtl.machine().counts().flit_hash, rtl.machine().memory_hash()};
  }
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace torusmu::testing
