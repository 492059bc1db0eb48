// SPDX-License-Identifier: Apache-2.0
// What place and route says of a module that gets no clock.
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
namespace fs = std::filesystem;

// The scripts beside a page of the test's own, and a module with more flip-flops than are placed.
class Place : public InOwnFolder {
 protected:
  Place() : InOwnFolder("place") {
    fs::create_directories(folder_ / "docs");
    fs::copy("constraints", folder_ / "constraints", fs::copy_options::recursive);
    std::ofstream(folder_ / "wide.sv")
        << "module wide (input logic clk_i, input logic data_i, output logic data_o);\n"
           "  logic [4600:0] shift_q;\n"
           "  always_ff @(posedge clk_i) shift_q <= {shift_q[4599:0], data_i};\n"
           "  assign data_o = shift_q[4600];\n"
           "endmodule\n";
  }
  // With a page that has `row` of the module. The reporter is for what was placed.
  [[nodiscard]] Output place(const std::string& row) const {
    std::ofstream(folder_ / "docs/place_and_route.md") << row << "\n";
    return shell("cd " + folder_.string() + " && constraints/place.sh work false wide wide.sv");
  }
};

TEST_F(Place, AModuleMustKeepTheClockThatThePageHas) {
  const Output output = place("| wide | 100.0 | 1 | `from` | `to` |");
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_THAT(output.text,
              HasSubstr("wide: not placed, and docs/place_and_route.md has its clock"));
  EXPECT_FALSE(fs::exists(folder_ / "work/wide.row"));
}

TEST_F(Place, ARowSaysWhyAModuleHasNoClock) {
  const Output output = place("| wide | not placed: 4601 LUT, 4601 FF | 0 | | | | |");
  EXPECT_EQ(output.status, 0) << output.text;
  std::string row;
  std::getline(std::ifstream(folder_ / "work/wide.row"), row);
  EXPECT_THAT(row, HasSubstr("| wide | not placed: "));
}

}  // namespace
}  // namespace torusmu::testing
