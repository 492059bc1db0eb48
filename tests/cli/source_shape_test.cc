// SPDX-License-Identifier: Apache-2.0
// What source_lint --shape counts of a module: lines, port names, and what of its code only
// connects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/own_folder.h"
#include "tests/support/shell.h"

namespace torusmu {
namespace {

using ::testing::HasSubstr;
using testing::Output;
using testing::shell;

class SourceShape : public testing::InOwnFolder {
 protected:
  SourceShape() : InOwnFolder("shape") {}
  [[nodiscard]] Output shape_of(const std::string& module, const std::string& text) const {
    std::ofstream(folder_ / (module + ".sv")) << text;
    return shell(TORUSMU_BUILD "/source_lint --shape " + (folder_ / (module + ".sv")).string());
  }
};

constexpr const char* kModule = R"(// A comment is no code.
module mu_small (
    input  logic clk_i, rst_ni,
    output logic [7:0] sum_o
);
  assign sum_o = 8'd1;
  mu_other u_other (
    .clk_i, .rst_ni,
    .sum_o(sum_o)
  );
`ifdef PROVE_MU_SMALL
`ifdef ONE_DIRECTION
  always_comb assert (sum_o != 8'd2);
`endif
  always_comb assert (sum_o != 0);
`endif
endmodule
)";

TEST_F(SourceShape, CountsPortNamesAndWhatOnlyConnects) {
  const Output output = shape_of("mu_small", kModule);
  EXPECT_EQ(output.status, 0);
  // Of ten lines of code four are ports and three connections; no line of the proof counts.
  EXPECT_EQ(output.text, "lines 11\nports_most 3\nports_median 3\nplumbing_share 0.7\n");
}

TEST_F(SourceShape, LeavesOutThePortsOfTheNodesEdge) {
  const Output output = shape_of("mu_node", kModule);
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr("modules inside the node"));
}

}  // namespace
}  // namespace torusmu
