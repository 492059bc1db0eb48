// SPDX-License-Identifier: Apache-2.0
// What constraints/board.sh makes of its tools: here of ones that do at once what the real ones
// take an hour for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/own_folder.h"
#include "tests/support/shell.h"

namespace torusmu::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class BoardFlow : public InOwnFolder {
 protected:
  BoardFlow() : InOwnFolder("board_flow") {
    add("yosys",
        "case $* in -V) echo Yosys 9; exit ;; esac; echo synth >> $T/done; "
        "echo ' LUT4 1000' > $T/out/stat; echo {} > $T/out/ulx3s_85.json");
    add("nextpnr", R"(case $* in --version) echo 9; exit ;; esac
while [ $# != 0 ]; do
  case $1 in --seed) seed=$2 ;; --report|--textcfg) echo $seed > $2 ;; esac; shift
done
echo place $seed >> $T/done; echo 'Info: Routing..')");
    add("ecppack", "echo \"$@\" >> $T/done");
    // Clocks of 60, 90 and 70 MHz.
    add("reporter", "mhz=(0 60 90 70); echo $1,50000,59.8,20000,100,3,${mhz[$1]}.0,9,a_q,b_q");
    std::ofstream(folder_ / "top.sv") << "module ulx3s_85; endmodule\n";
  }
  [[nodiscard]] Output flow(const std::string& more = "") const {
    const std::string here = folder_.string();
    return shell("T=" + here + " PATH=" + here +
                 ":$PATH NEXTPNR=nextpnr ECPPACK=ecppack BOARD_CSV=" + here + "/board.csv " + more +
                 " constraints/board.sh " + here + "/out " + here + "/reporter " + here +
                 "/top.sv");
  }
  [[nodiscard]] std::string done() const {
    std::ifstream file(folder_ / "done");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void known(const std::string& rows) const { std::ofstream(folder_ / "board.csv") << rows; }
};

TEST_F(BoardFlow, EndsWithTheMedianAndTheBitStreamOfTheFastestSeed) {
  const Output output = flow();
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text,
              HasSubstr("board: 50000 TRELLIS_COMB, 59.8 % of 83640; median of 3 seeds 70.0 MHz"));
  EXPECT_THAT(output.text, HasSubstr("board: seed 3: Routing..\n"));
  EXPECT_THAT(output.text, HasSubstr("the slowest path of seed 2, 9 levels: from a_q to b_q"));
  EXPECT_THAT(done(), HasSubstr("--input " + folder_.string() + "/out/seed2.config"));
}

TEST_F(BoardFlow, DoesNotRepeatWhatIsDone) {
  EXPECT_EQ(flow("SEEDS=1").status, 0);
  EXPECT_EQ(flow("SEEDS='1 2'").status, 0);
  const std::string all = done();
  EXPECT_EQ(all.find("synth"), all.rfind("synth")) << all;
  EXPECT_EQ(all.find("place 1"), all.rfind("place 1")) << all;
  EXPECT_THAT(all, HasSubstr("place 2"));
}

TEST_F(BoardFlow, PlacesAModuleAloneWithoutABitStream) {
  fs::create_directories(folder_ / "out");
  std::ofstream(folder_ / "out/elaborated.il") << "module \\mu_few\n  wire input 1 \\few_i\nend\n";
  const Output output = flow("ALONE=mu_few SEEDS=2 ECPPACK=no-such-ecppack");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text,
              HasSubstr("mu_few: 50000 TRELLIS_COMB, 59.8 % of 83640; median of 1 seeds 90.0"));
  EXPECT_THAT(output.text, Not(HasSubstr("bit stream")));
  std::ifstream wrapper(folder_ / "out/wrapper.v");
  const std::string text{std::istreambuf_iterator<char>(wrapper), {}};
  EXPECT_THAT(text, HasSubstr("module place_mu_few(input clk_i, input d, output reg q);"));
  EXPECT_THAT(done(), Not(HasSubstr("--input")));
}

TEST_F(BoardFlow, NamesTheToolThatIsMissing) {
  const Output output = flow("ECPPACK=no-such-ecppack");
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("board: there is no no-such-ecppack; make board fetches"));
  EXPECT_THAT(done(), Not(HasSubstr("synth")));
}

TEST_F(BoardFlow, SaysWhyThereIsNoBitStream) {
  add("nextpnr", "case $* in --version) echo 9; exit ;; esac; echo 'ERROR: no room'; exit 1");
  const Output output = flow();
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("board: seed 1: place and route failed: ERROR: no room"));
  add("yosys",
      "case $* in -V) echo Yosys 8; exit ;; esac; echo 'ERROR: no module' > $T/out/synth.log; "
      "exit 1");
  EXPECT_THAT(flow().text, HasSubstr("board: synthesis failed: ERROR: no module"));
}

TEST_F(BoardFlow, FailsWhereTheClockOrTheSizeIsNoLongerWhatItWas) {
  known("seed,TRELLIS_COMB\n1,49000,58,20000,100,3,70.0,9,a_q,b_q\n");
  EXPECT_EQ(flow().status, 0);
  known("seed,TRELLIS_COMB\n1,49000,58,20000,100,3,95.0,9,a_q,b_q\n");
  Output output = flow();
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("MHz, and " + folder_.string() + "/board.csv has 95"));
  known("seed,TRELLIS_COMB\n1,47000,56,20000,100,3,70.0,9,a_q,b_q\n");
  output = flow();
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("50000 TRELLIS_COMB, a twentieth more than in"));
}

TEST_F(BoardFlow, CountsWhetherTheNodeFitsAnArty) {
  const auto counted = [this](const std::string& cells) {
    add("yosys", "case $* in -V) echo Yosys 9; exit ;; esac; printf '" + cells + "' > $T/out/stat");
    const std::string here = folder_.string();
    fs::remove_all(folder_ / "out");
    return shell("T=" + here + " PATH=" + here + ":$PATH constraints/board_fits.sh " + here +
                 "/out " + here + "/top.sv");
  };
  Output output = counted(" LUT6 60000\\n RAM32M 850\\n FDRE 5\\n RAMB36E1 1\\n RAMB18E1 1\\n");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("arty_a7_100: LUT 63400 of 63400 (100.0 %)\n"));
  EXPECT_THAT(output.text, HasSubstr("arty_a7_100: RAMB18 3 of 270 (1.1 %)\n"));
  output = counted(" LUT6 60001\\n RAM32M 850\\n");
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("arty_a7_100: does not fit: LUT"));
}

}  // namespace
}  // namespace torusmu::testing
