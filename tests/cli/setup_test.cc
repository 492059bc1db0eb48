// SPDX-License-Identifier: Apache-2.0
// What a verb does before it does anything: it finds its tools, or says which are missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/own_folder.h"
#include "tests/support/shell.h"

namespace torusmu::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class Setup : public InOwnFolder {
 protected:
  Setup() : InOwnFolder("setup") { add("id", "echo 1000"); }
  [[nodiscard]] Output setup(const std::string& verb) const {
    return shell("PATH=" + folder_.string() + ":$PATH .ci/setup " + verb);
  }
};

TEST_F(Setup, NamesThePackagesThatAreMissingWhereItCannotInstallThem) {
  add("dpkg-query", "case $* in *yosys) exit 1 ;; esac; echo install ok installed");
  const Output output = setup("test");
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(output.text, "setup: these Debian packages are missing; please install them: yosys\n");
}

TEST_F(Setup, SaysNothingWhereAllIsThere) {
  add("dpkg-query", "echo install ok installed");
  const Output output = setup("night");
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.text, "");
}

TEST_F(Setup, InstallsOnceWhereTwoVerbsAskAtOnce) {
  add("id", "echo 0");
  add("dpkg-query", "case $* in *yosys) [ -e " + folder_.string() +
                        "/yosys ] || exit 1 ;; esac; echo install ok installed");
  add("apt-get",
      "cd " + folder_.string() + " && mkdir busy && sleep 1 && touch yosys && rmdir busy");
  const std::string path = "export PATH=" + folder_.string() + ":$PATH; ";
  const Output output =
      shell(path + ".ci/setup test & .ci/setup night; first=$?; wait $! && exit $first");
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.text, "setup: installing yosys\n");
}

TEST_F(Setup, RefusesAVerbThatItDoesNotKnow) {
  const Output output = setup("nights");
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr("usage: .ci/setup run|wave|test|night"));
}

TEST_F(Setup, LooksForThePackagesAnewWhenOneHasGone) {
  add("dpkg-query", "case $* in *verilator) exit 1 ;; esac; echo install ok installed");
  const std::string make = "PATH=" + folder_.string() +
                           ":$PATH env -u MAKEFLAGS -u MAKELEVEL make -n help-of-nothing "
                           "BUILD=" TORUSMU_BUILD;
  EXPECT_THAT(shell(make).text, Not(HasSubstr("missing")));
  EXPECT_THAT(
      shell(make + " -W /var/lib/dpkg/status").text,
      HasSubstr("setup: these Debian packages are missing; please install them: verilator"));
}

// A dry run may install what is missing and lay out the folders of the build, but makes nothing.
TEST_F(Setup, DryRunOfALongVerbMakesNothing) {
  for (const std::string verb : {"all", "test", "nightly", "bench", "install"}) {
    const Output output =
        shell("env -u MAKEFLAGS -u MAKELEVEL make -n " + verb + " BUILD=" + folder_.string());
    EXPECT_EQ(output.status, 0) << output.text;
    for (const char* made : {"results", "checks", "obj", "node"}) {
      EXPECT_FALSE(fs::exists(folder_ / made)) << verb << " makes " << made;
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
