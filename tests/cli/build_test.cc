// SPDX-License-Identifier: Apache-2.0
// What a build is made from: the checkout and the command line of make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/own_folder.h"
#include "tests/support/shell.h"

namespace torusmu::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class Build : public InOwnFolder {
 protected:
  Build() : InOwnFolder("build") {}
  // Of make with nothing but `environment` around it. What it would do, in one order.
  [[nodiscard]] Output make(const std::string& words, const std::string& environment = "") const {
    return shell("env -i PATH=\"$PATH\" HOME=\"$HOME\" " + environment + " make " + words);
  }
  [[nodiscard]] Output in(const fs::path& checkout, const std::string& words) const {
    const fs::path here = fs::current_path();
    fs::current_path(checkout);
    Output output = make(words);
    fs::current_path(here);
    return output;
  }
  [[nodiscard]] std::string in_own_folder() const { return " BUILD=" + folder_.string(); }
  // A makefile beside that of the tree, with a verb `show` that prints a text.
  [[nodiscard]] Output show(const std::string& text, const std::string& environment) const {
    std::ofstream(folder_ / "show.mk") << "show:\n\t@echo \"shown: " << text << "\"\n";
    return make("-f Makefile -f " + (folder_ / "show.mk").string() + " show" + in_own_folder(),
                environment);
  }
};

// Every word of the makefiles, ours and that of Verilator, as a variable of the environment.
TEST_F(Build, IsNotChangedByTheEnvironment) {
  const std::string words =
      "$(cat Makefile tb/example/Makefile /usr/share/verilator/include/verilated.mk"
      " $(find constraints docs host rtl sim tb tests -name '*.mk')"
      " | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u"
      " | grep -vxE '_|PATH|HOME|DISPLAY|PWD|SHELL|MAKE.*|TORUSMU_.*|CCACHE_.*|LC_ALL' | sed "
      "s/$/=junk/)";
  const std::string verbs =
      "-j1 -n all run wave mesh bench tests-build test check" + in_own_folder();
  const Output clean = make(verbs), junk = make(verbs, words);
  EXPECT_EQ(clean.status, 0) << clean.text;
  EXPECT_GT(clean.text.size(), 100'000U);
  EXPECT_EQ(junk.status, 0);
  EXPECT_TRUE(clean.text == junk.text) << junk.text.substr(0, 2000);
}

TEST_F(Build, IsThatOfTheCommandLine) {
  EXPECT_THAT(make("-j1 -n run TRACE=my.trace" + in_own_folder()).text,
              HasSubstr("replay my.trace"));
}

TEST_F(Build, TakesTheNumberOfJobsOfTheEnvironment) {
  EXPECT_THAT(show("$(MAKEFLAGS)", "MAKEFLAGS=-j1").text, HasSubstr(" -j1 "));
  EXPECT_THAT(show("$(MAKEFLAGS)", "").text, Not(HasSubstr(" -j1 ")));
}

TEST_F(Build, DoesNotHandOnWhatItDoesNotTake) {
  EXPECT_THAT(show("$${COVERAGE-none} $${CPPFLAGS-none} $$LC_ALL",
                   "COVERAGE=1 CPPFLAGS=-DX LC_ALL=de_DE.UTF-8")
                  .text,
              HasSubstr("shown: none none C\n"));
  // What the compiler takes from there, too: other headers, a list of files in place of an object.
  EXPECT_THAT(show("$${CPATH-none} $${LIBRARY_PATH-none} $${DEPENDENCIES_OUTPUT-none}",
                   "CPATH=/tmp LIBRARY_PATH=/tmp DEPENDENCIES_OUTPUT=/tmp/x")
                  .text,
              HasSubstr("shown: none none none\n"));
}

TEST_F(Build, QuotesWhatItHandsToAProgram) {
  EXPECT_THAT(make("-n run TRACE='my traces/a b.trace'").text,
              HasSubstr(" replay 'my traces/a b.trace'\n"));
  EXPECT_THAT(make("-n run").text, HasSubstr(" replay tests/traces/lulesh-27.trace\n"));
}

// A file that comes with another and has no recipe of its own counts as old until make runs again:
// what was compiled against the header of a model then stays as it was though the model is new.
// Objects have the recipe of a pattern.
TEST_F(Build, HasARecipeForEachFileThatIsMadeFromOthers) {
  const std::string rule = "^" + folder_.string() + "/[^ ]*: [^|]";
  const Output rules =
      make("-j1 -pn tests-build" + in_own_folder() + " | awk -v RS= -v FS='\n' '{" +
           "for (i = 1; i <= NF; i++) if ($i ~ rule && $i !~ /[.]o: /) {" +
           "  ++rules; if (!/recipe to execute|Phony target/) print $i }}" +
           "END { print rules }' rule='" + rule + "' -");
  EXPECT_THAT(rules.text, ::testing::MatchesRegex("[0-9]{3,}\n")) << rules.text.substr(0, 2000);
}

// What a model is made from is compared with what is kept there: a verb that builds nothing would
// keep half of it, and the next one build all models anew.
TEST_F(Build, OfNothingKeepsNothing) {
  EXPECT_EQ(make("help" + in_own_folder()).status, 0);
  EXPECT_FALSE(fs::exists(folder_ / "flags"));
}

TEST_F(Build, RefusesMakeDashE) {
  const Output output = make("-e help");
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr("make -e lets the environment change the build"));
}

TEST_F(Build, DoesNotInstallWhereNobodyMeant) {
  const Output output = make("-n install" + in_own_folder(), "DESTDIR=/nowhere");
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr("DESTDIR of the environment does not count"));
}

struct Refused {
  const char *words, *message;
};
class BuildRefuses : public Build, public ::testing::WithParamInterface<Refused> {};

TEST_P(BuildRefuses, AValueThatMeansNothing) {
  const Output output = make(std::string(GetParam().words) + " -n help" + in_own_folder());
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr(GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(
    All, BuildRefuses,
    ::testing::Values(Refused{"PROFILE=bpg", "PROFILE is sim or bgp, not 'bpg'"},
                      Refused{"PROFILE=", "PROFILE is sim or bgp, not ''"},
                      Refused{"COVERAGE=yes", "COVERAGE is 0 or 1, not 'yes'"},
                      Refused{"V=2", "V is 0 or 1, not '2'"},
                      Refused{"PARALLEL=0", "PARALLEL is a number from 1 to 999999999, not '0'"},
                      Refused{"NIGHT=abc", "NIGHT is a number from 1 to 999999999, not 'abc'"},
                      Refused{"FUZZ_SECONDS=1m", "FUZZ_SECONDS is a number"},
                      Refused{"AGAIN=no", "AGAIN is yes, not 'no'"},
                      Refused{"SHAPE=4x4", "SHAPE is XxYxZ, as 4x2x2, not '4x4'"}));

TEST_F(Build, RefusesAFolderThatMakeCannotName) {
  const Output output = make("-n help 'BUILD=my build'");
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr("not 'my build'"));
}

TEST_F(Build, RefusesACheckoutThatMakeCannotName) {
  for (const char* name : {"my field", "a'b", "a$b", "a:b", "a;b", "a#b"}) {
    const fs::path checkout = folder_ / name;
    fs::create_directories(checkout);
    fs::copy_file("Makefile", checkout / "Makefile");
    const Output output = in(checkout, "help");
    EXPECT_EQ(output.status, 2) << name;
    EXPECT_THAT(output.text, AllOf(HasSubstr("the checkout is at '"), HasSubstr(name)));
  }
}

}  // namespace
}  // namespace torusmu::testing
