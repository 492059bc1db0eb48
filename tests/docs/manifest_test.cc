// SPDX-License-Identifier: Apache-2.0
// What other build tools read instead of rtl/rtl.f lists the same files in the same order, and they
// are the node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/support/file_content.h"

namespace torusmu {
namespace {

using testing::content;
using ::testing::StartsWith;

constexpr const char* kCore = "rtl/torusmu.core";
constexpr const char* kBender = "rtl/Bender.yml";

std::vector<std::string> files_of_rtl_f() {
  std::vector<std::string> files;
  std::ifstream input("rtl/rtl.f");
  for (std::string line; std::getline(input, line);) {
    if (line.starts_with("rtl/")) files.push_back(line);
  }
  return files;
}

// The files of a list, relative to the top folder.
std::vector<std::string> files_of(const YAML::Node& list) {
  std::vector<std::string> files;
  for (const YAML::Node& file : list) files.push_back("rtl/" + file.as<std::string>());
  return files;
}

std::string printed(const std::string& form) {
  std::string text;
  const std::string command =
      "awk -v form=" + form + " -v version=$(cat VERSION) -f rtl/manifests.awk rtl/rtl.f";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text.push_back(static_cast<char>(c));
  pclose(pipe);
  return text;
}

TEST(Manifests, AreThoseThatMakeManifestsPrints) {
  EXPECT_EQ(content(kCore), printed("core"));
  EXPECT_EQ(content(kBender), printed("bender"));
}

TEST(Manifests, ListTheFilesOfRtlFInItsOrder) {
  const auto wanted = files_of_rtl_f();
  ASSERT_FALSE(wanted.empty());
  EXPECT_EQ(files_of(YAML::LoadFile(kCore)["filesets"]["rtl"]["files"]), wanted);
  EXPECT_EQ(files_of(YAML::LoadFile(kBender)["sources"]), wanted);
}

// A header is in no list of sources, and whoever wraps the node includes it.
TEST(Manifests, ListTheHeadersBesideTheRtl) {
  std::set<std::string> headers, folders;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("rtl")) {
    if (entry.path().extension() != ".svh") continue;
    const std::filesystem::path path = entry.path().lexically_relative("rtl");
    headers.insert(path);
    folders.insert(path.has_parent_path() ? path.parent_path() : ".");
  }
  std::set<std::string> of_core, of_bender;
  for (const YAML::Node& entry : YAML::LoadFile(kCore)["filesets"]["headers"]["files"]) {
    for (const auto& file : entry) {
      EXPECT_TRUE(file.second["is_include_file"].as<bool>());
      of_core.insert(file.first.as<std::string>());
    }
  }
  for (const YAML::Node& folder : YAML::LoadFile(kBender)["export_include_dirs"]) {
    of_bender.insert(folder.as<std::string>());
  }
  EXPECT_FALSE(headers.empty());
  EXPECT_EQ(of_core, headers);
  EXPECT_EQ(of_bender, folders);
}

TEST(Manifests, OfFuseSocHasWhatItsFormatWants) {
  EXPECT_THAT(content(kCore), StartsWith("CAPI=2:\n"));
  const YAML::Node core = YAML::LoadFile(kCore);
  std::string version;
  std::ifstream("VERSION") >> version;
  // vendor:library:name
  EXPECT_EQ(core["name"].as<std::string>(), "torusmu:torusmu:node:" + version);
  EXPECT_EQ(core["filesets"]["rtl"]["file_type"].as<std::string>(), "systemVerilogSource");
  for (const auto& target : core["targets"]) {
    EXPECT_EQ(target.second["toplevel"] ? target.second["toplevel"].as<std::string>()
                                        : target.second["<<"]["toplevel"].as<std::string>(),
              "mu_node");
    for (const YAML::Node& set : target.second["filesets"]) {
      EXPECT_TRUE(core["filesets"][set.as<std::string>()]) << set;
    }
  }
  EXPECT_EQ(core["parameters"]["TORUSMU_PROFILE_BGP"]["paramtype"].as<std::string>(), "vlogdefine");
}

TEST(Example, OfTwoNodesIsReadInOneSitting) {
  std::ptrdiff_t lines = 0;
  for (const char* file : {"tb/example/mu_axi_node.sv", "tb/example/two_nodes.cc"}) {
    lines += std::ranges::count(content(file), '\n');
  }
  EXPECT_GT(lines, 100);
  EXPECT_LT(lines, 200);
}

TEST(Manifests, AreReadByVerilatorAsTheyStand) {
  const YAML::Node filesets = YAML::LoadFile(kCore)["filesets"];
  std::string command = "cd rtl && verilator --lint-only --top-module mu_node";
  for (const char* set : {"waivers", "rtl"}) {
    for (const YAML::Node& file : filesets[set]["files"]) command += " " + file.as<std::string>();
  }
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace
}  // namespace torusmu
