// SPDX-License-Identifier: Apache-2.0
// What is written for tools of YosysHQ: proofs for SymbiYosys, mutants for mcy. Neither tool is
// asked; their scripts are read by Yosys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/own_folder.h"
#include "tests/support/shell.h"

namespace torusmu::testing {
namespace {

using ::testing::Contains;
using ::testing::Key;
namespace fs = std::filesystem;

using Sections = std::map<std::string, std::string>;

// Lines by the line "[name]" that they stand below.
Sections sections_of(const fs::path& path) {
  std::ifstream file(path);
  Sections sections;
  std::string section;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("[") && line.ends_with("]")) {
      section = line.substr(1, line.size() - 2);
      sections[section];
    } else if (!section.empty()) {
      sections[section] += line + "\n";
    }
  }
  return sections;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// The names of the proofs in all lists.
std::vector<std::string> proofs() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator("tb/formal")) {
    if (entry.path().extension() != ".list") continue;
    std::ifstream list(entry.path());
    for (std::string line; std::getline(list, line);) {
      const std::vector<std::string> words = words_of(line);
      if (!words.empty() && !words[0].starts_with("#")) names.push_back(words[0]);
    }
  }
  return names;
}

// What the script reads is in [files], each of which exists.
void expect_files(const std::string& proof, const Sections& sections) {
  std::set<std::string> there;
  const std::vector<std::string> files = words_of(sections.at("files"));
  for (std::size_t i = 0; i < files.size(); i += 2) {
    there.insert(files[i]);
    EXPECT_TRUE(fs::exists(files.at(i + 1))) << proof << ": " << files[i + 1];
  }
  for (const std::string& word : words_of(sections.at("script"))) {
    if (!word.ends_with(".sv")) continue;
    EXPECT_TRUE(there.contains(word)) << proof << ": " << word;
  }
}

class FormalFormats : public InOwnFolder {
 protected:
  FormalFormats() : InOwnFolder("formal-formats") {}
  const std::string path_ = folder_.string();
};

TEST_F(FormalFormats, HaveEveryProofForSymbiYosys) {
  const Output output = shell("tb/checks/sby.sh " + path_ + " " TORUSMU_BUILD "/closures.mk");
  ASSERT_EQ(output.status, 0) << output.text;
  const std::vector<std::string> names = proofs();
  EXPECT_GT(names.size(), 100);
  for (const std::string& name : names) {
    const Sections sections = sections_of(path_ + "/" + name + ".sby");
    for (const char* section : {"options", "engines", "script", "files"}) {
      ASSERT_THAT(sections, Contains(Key(section))) << name;
    }
    EXPECT_THAT(words_of(sections.at("options")), Contains("prove")) << name;
    expect_files(name, sections);
  }
  const Sections one = sections_of(path_ + "/mu_ring_span.entries.sby");
  std::ofstream(path_ + "/script.ys") << one.at("script") << "select -assert-min 1 t:$assert\n";
  const Output read = shell("yosys -q -s " + path_ + "/script.ys");
  EXPECT_EQ(read.status, 0) << read.text;
}

TEST_F(FormalFormats, HaveTheMutantsOfAUnitTestForMcy) {
  const Output output = shell("tests/mutation/mcy.sh " + path_ + " " TORUSMU_BUILD " skid_buffer");
  ASSERT_EQ(output.status, 0) << output.text;
  const Sections sections = sections_of(path_ + "/Vmu_skid_buffer/config.mcy");
  for (const char* section : {"options", "script", "files", "logic", "report", "test unit"}) {
    ASSERT_THAT(sections, Contains(Key(section)));
  }
  const std::vector<std::string> files = words_of(sections.at("files"));
  for (const std::string& file : files) EXPECT_TRUE(fs::exists(file)) << file;
  std::ofstream(path_ + "/script.ys")
      << sections.at("script") << "mutate -list 300 -seed 1 -o mutants.txt\n";
  const Output read = shell("cd " + path_ + " && cp " + files.at(0) +
                            " . && yosys -q -s script.ys && test $(wc -l < mutants.txt) = 300");
  EXPECT_EQ(read.status, 0) << read.text;
}

}  // namespace
}  // namespace torusmu::testing
