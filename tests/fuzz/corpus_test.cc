// SPDX-License-Identifier: Apache-2.0
// The inputs that fuzzing has found worth keeping, tests/fuzz/corpus/TARGET.tar.gz as make
// unpacks it, judged as when they were found, with the sources of the targets themselves.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

extern "C" {
int descriptor_input(const std::uint8_t* data, std::size_t size);
int completion_input(const std::uint8_t* data, std::size_t size);
int host_call_input(const std::uint8_t* data, std::size_t size);
int packet_input(const std::uint8_t* data, std::size_t size);
int queue_program_input(const std::uint8_t* data, std::size_t size);
int register_input(const std::uint8_t* data, std::size_t size);
int trace_input(const std::uint8_t* data, std::size_t size);
}

namespace torusmu::fuzz {
namespace {

namespace fs = std::filesystem;

using Target = std::function<int(const std::uint8_t*, std::size_t)>;
const std::map<std::string, Target> kTargets = {{"completion", completion_input},
                                                {"descriptor", descriptor_input},
                                                {"host_call", host_call_input},
                                                {"packet", packet_input},
                                                {"queue_program", queue_program_input},
                                                {"register", register_input},
                                                {"trace", trace_input}};
const fs::path kCorpus = TORUSMU_BUILD "/fuzz/corpus";
constexpr std::uintmax_t kMostBytes = 512 * 1024;  // of all inputs together

std::vector<fs::path> inputs() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(kCorpus)) {
    if (entry.is_regular_file()) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

class Corpus : public ::testing::TestWithParam<fs::path> {};

TEST_P(Corpus, HoldsWhatEveryInputMust) {
  std::ifstream file(GetParam(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const Target& target = kTargets.at(GetParam().parent_path().filename());
  target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

INSTANTIATE_TEST_SUITE_P(Kept, Corpus, ::testing::ValuesIn(inputs()), [](const auto& input) {
  return input.param.parent_path().filename().string() + "_" + input.param.stem().string();
});

TEST(CorpusFolder, HasInputsOfEveryTarget) {
  std::set<std::string> targets, folders;
  for (const auto& [name, target] : kTargets) targets.insert(name);
  for (const fs::path& input : inputs()) folders.insert(input.parent_path().filename());
  EXPECT_EQ(folders, targets);
}

TEST(CorpusFolder, StaysSmall) {
  std::uintmax_t bytes = 0;
  for (const fs::path& input : inputs()) bytes += fs::file_size(input);
  EXPECT_LE(bytes, kMostBytes);
}

}  // namespace
}  // namespace torusmu::fuzz
