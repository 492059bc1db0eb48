// SPDX-License-Identifier: Apache-2.0
// What constraints/paths.sh finds in a netlist: here of a few cells, whose paths are known.
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

class SlowPaths : public InOwnFolder {
 protected:
  SlowPaths() : InOwnFolder("slow_paths") {}
  // Three gates from begin_q to end_q, and one from end_q to begin_q; nobody hears what four make.
  void map() const {
    std::ofstream(folder_ / "node.v") << R"(module mu_node(input clk_i, output end_q);
      wire begin_q, middle, far, last, back;
      wire [3:0] unheard;
      FDRE f1(.C(clk_i), .CE(1'b1), .D(back), .R(1'b0), .Q(begin_q));
      LUT1 #(.INIT(2'h1)) l1(.I0(begin_q), .O(middle));
      LUT1 #(.INIT(2'h1)) l2(.I0(middle), .O(far));
      LUT1 #(.INIT(2'h1)) l3(.I0(far), .O(last));
      FDRE f2(.C(clk_i), .CE(1'b1), .D(last), .R(1'b0), .Q(end_q));
      LUT1 #(.INIT(2'h1)) l4(.I0(end_q), .O(back));
      LUT1 #(.INIT(2'h1)) l5(.I0(begin_q), .O(unheard[0]));
      LUT1 #(.INIT(2'h1)) l6(.I0(unheard[0]), .O(unheard[1]));
      LUT1 #(.INIT(2'h1)) l7(.I0(unheard[1]), .O(unheard[2]));
      LUT1 #(.INIT(2'h1)) l8(.I0(unheard[2]), .O(unheard[3]));
    endmodule
    )";
    std::filesystem::create_directory(folder_ / "xc7");
    const Output output = shell("yosys -q -p 'read_verilog " + (folder_ / "node.v").string() +
                                "; write_rtlil " + (folder_ / "xc7/mu_node.il").string() + "'");
    ASSERT_EQ(output.status, 0) << output.text;
    std::ofstream(folder_ / "modules.txt") << "mu_node\n";
    std::ofstream(folder_ / "xc7.joined") << "joined\n";
  }
  [[nodiscard]] Output paths(const std::string& arguments) const {
    return shell("SYNTH_WORK=" + folder_.string() + " constraints/paths.sh " + arguments);
  }
};

TEST_F(SlowPaths, TellsTheSlowestFirstAndTakesItApartForTheNext) {
  map();
  const Output output = paths("xc7 2");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("  1: 0.7 ns, 4 cells: begin_q -> middle -> far -> last\n"));
  EXPECT_THAT(output.text, HasSubstr("  2: 0.4 ns, 2 cells: end_q -> back"));
  EXPECT_THAT(output.text, Not(HasSubstr("  3: ")));
}

TEST_F(SlowPaths, EndsWhereThereIsNoPathLeft) {
  map();
  const Output output = paths("xc7 100");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, Not(HasSubstr(" 10: ")));
}

TEST_F(SlowPaths, SaysWhatIsMissingOrWrong) {
  const Output unmapped = paths("xc7");
  EXPECT_EQ(unmapped.status, 2);
  EXPECT_THAT(unmapped.text, HasSubstr("is not mapped: make check JOBS=synth/xc7"));
  for (const std::string arguments : {"", "ecp5", "xc7 0", "xc7 101", "xc7 some"}) {
    const Output output = paths(arguments);
    EXPECT_EQ(output.status, 2) << arguments;
    EXPECT_THAT(output.text, HasSubstr("usage: constraints/paths.sh xc7|ice40 [1 to 100]"));
  }
}

}  // namespace
}  // namespace torusmu::testing
