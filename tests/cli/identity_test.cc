// SPDX-License-Identifier: Apache-2.0
// Programs say what they were made from, and do not work with a part of another build.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "tests/support/file_content.h"
#include "tests/support/own_folder.h"
#include "tests/support/shell.h"

namespace torusmu::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
namespace fs = std::filesystem;

// The text behind `name` in what a program says of itself.
std::string word(const std::string& text, const std::string& name) {
  std::smatch found;
  return std::regex_search(text, found, std::regex(name + " +(\\S+)")) ? found[1].str() : "";
}

class Identity : public InOwnFolder {
 protected:
  Identity() : InOwnFolder("identity") {}
  // Copies a file of the build to the same place below `to`.
  static void copy(const std::string& name, const fs::path& to) {
    fs::create_directories((to / name).parent_path());
    fs::copy_file(fs::path(TORUSMU_BUILD) / name, to / name);
  }
  // Gives a copy another hash in place of `hash`, as if it were of another build.
  static void change_hash(const fs::path& file, const std::string& hash) {
    std::string bytes = content(file);
    const std::size_t at = bytes.find(hash);
    ASSERT_NE(at, std::string::npos) << file << " does not know " << hash;
    bytes[at] = bytes[at] == '0' ? '1' : '0';
    std::ofstream(file, std::ios::binary) << bytes;
  }
  void copy_with_waves_of_another_build() {
    copy("torusmu", folder_);
    copy("torusmu-wave", folder_);
    change_hash(folder_ / "torusmu-wave",
                word(shell(TORUSMU_BUILD "/torusmu --version").text, "build"));
  }
  [[nodiscard]] Output run(const std::string& words) const {
    return shell("cd " + folder_.string() + " && ./torusmu " + words);
  }
};

TEST_F(Identity, IsVersionCommitBuildProfileAndVerilator) {
  const Output output = shell(TORUSMU_BUILD "/torusmu --version");
  EXPECT_EQ(output.status, 0);
  std::string version;
  std::ifstream("VERSION") >> version;
  EXPECT_EQ(word(output.text, "torusmu"), version);
  EXPECT_THAT(word(output.text, "commit"), MatchesRegex("[0-9a-f]{40}(-dirty)?|none:"));
  EXPECT_THAT(word(output.text, "build"), MatchesRegex("[0-9a-f]{16}"));
  EXPECT_THAT(word(output.text, "profile"), MatchesRegex("sim|bgp"));
  EXPECT_THAT(word(output.text, "verilator"), MatchesRegex("[0-9]+\\.[0-9]+"));
}

TEST_F(Identity, OfTorusmuAndTorusmuWaveIsTheSame) {
  EXPECT_EQ(shell(TORUSMU_BUILD "/torusmu --version").text,
            shell(TORUSMU_BUILD "/torusmu-wave --version").text);
}

TEST_F(Identity, OfAnotherBuildIsRefusedForWaves) {
  copy_with_waves_of_another_build();
  for (const char* words : {"scenario put --mesh 2x1x1 --wave put.fst",
                            "scenario put --mesh 2x1x1 --wave-on-fail put.fst"}) {
    const Output output = run(words);
    EXPECT_EQ(output.status, 2) << words;
    EXPECT_THAT(output.text, AllOf(HasSubstr("torusmu-wave is of build "),
                                   HasSubstr("this program of build "), HasSubstr("make wave")));
    EXPECT_FALSE(fs::exists(folder_ / "put.fst")) << words;
  }
}

TEST_F(Identity, OfAnotherBuildIsRefusedBeforeARegressionBegins) {
  copy_with_waves_of_another_build();
  std::ofstream(folder_ / "plan.json")
      << R"({"tests": [{"scenario": "put", "shapes": ["2x1x1"]}]})";
  const Output output = run("regress plan.json --output out");
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, AllOf(HasSubstr("is of build "), HasSubstr("make wave")));
  EXPECT_EQ(run("regress plan.json --output out --wave-cycles 0").status, 0);
}

// Programs from before they said what they are.
TEST_F(Identity, ThatIsUnknownIsRefused) {
  copy("torusmu", folder_);
  std::ofstream(folder_ / "torusmu-wave") << "#!/bin/sh\nexit 0\n";
  fs::permissions(folder_ / "torusmu-wave", fs::perms::owner_all);
  const Output output = run("scenario put --mesh 2x1x1 --wave put.fst");
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr("torusmu-wave is of build unknown, this program"));
}

TEST_F(Identity, OfOtherRtlIsRefusedByTheMeshEngine) {
  copy("torusmu", folder_);
  copy("mesh/2x2x2.so", folder_);
  const std::string words = "scenario put --mesh 2x2x2 --engine mesh --quiet";
  EXPECT_EQ(run(words).status, 0);
  const std::string facts = content(TORUSMU_BUILD "/identity/model.cc");
  std::smatch hash;
  ASSERT_TRUE(std::regex_search(facts, hash, std::regex("\"([0-9a-f]{16})\"")));
  change_hash(folder_ / "mesh/2x2x2.so", hash[1]);
  const Output output = run(words);
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, AllOf(HasSubstr("mesh/2x2x2.so is of model "),
                                 HasSubstr("make mesh SHAPE=2x2x2 builds it anew")));
}

// A checkout with the program in its folder of builds.
class StaleProgram : public Identity {
 protected:
  StaleProgram() {
    fs::create_directories(folder_ / "sim/model");
    fs::copy("rtl", folder_ / "rtl", fs::copy_options::recursive);
    for (const char* file : {"sim/sim.mk", "sim/model/mu_crc32c.sv"}) {
      fs::copy_file(file, folder_ / file);
    }
    copy("torusmu", folder_ / build_);
  }
  [[nodiscard]] Output run_put() const {
    return shell((folder_ / build_ / "torusmu").string() + " scenario put --mesh 2x1x1 --quiet");
  }
  const fs::path build_ = fs::relative(TORUSMU_BUILD);
};

TEST_F(StaleProgram, SaysThatTheRtlHasChangedSince) {
  EXPECT_EQ(run_put().text, "");
  std::ofstream(folder_ / "rtl/router/mu_router_credits.sv", std::ios::app) << "// changed\n";
  const Output output = run_put();
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.text,
            "torusmu: the RTL of " + folder_.string() +
                " has changed since this program was built: make brings it up to date\n");
}

TEST_F(StaleProgram, SeesARemovedFile) {
  fs::remove(folder_ / "rtl/package/sizes.def");
  EXPECT_THAT(run_put().text, HasSubstr("has changed since"));
}

TEST_F(StaleProgram, SaysNothingOfWhatIsNotRtl) {
  std::ofstream(folder_ / "sim/sim.mk", std::ios::app) << "# changed\n";
  EXPECT_THAT(run_put().text, Not(HasSubstr("has changed since")));
}

}  // namespace
}  // namespace torusmu::testing
