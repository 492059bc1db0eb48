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

// The scripts beside results of the test's own, and a module with more flip-flops than are placed.
class Place : public InOwnFolder {
 protected:
  Place() : InOwnFolder("place") {
    fs::create_directories(folder_ / "docs/results");
    fs::copy("constraints", folder_ / "constraints", fs::copy_options::recursive);
    std::ofstream(folder_ / "wide.sv")
        << "module wide (input logic clk_i, input logic data_i, output logic data_o);\n"
           "  logic [4600:0] shift_q;\n"
           "  always_ff @(posedge clk_i) shift_q <= {shift_q[4599:0], data_i};\n"
           "  assign data_o = shift_q[4600];\n"
           "endmodule\n";
  }
  // With results that have `record` of the module. The reporter is for what was placed.
  [[nodiscard]] Output place(const std::string& record) const {
    std::ofstream(folder_ / "docs/results/place.json") << record << "\n";
    return shell("cd " + folder_.string() + " && constraints/place.sh work false wide wide.sv");
  }
};

TEST_F(Place, AModuleMustKeepTheClockThatTheResultsHave) {
  const Output output = place(R"({"module":"wide","LC":1,"MHz":100.0})");
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_THAT(output.text,
              HasSubstr("wide: not placed, and docs/results/place.json has its clock"));
  EXPECT_FALSE(fs::exists(folder_ / "work/wide.json"));
}

TEST_F(Place, TheRecordSaysWhyAModuleHasNoClock) {
  const Output output = place(R"({"module":"wide","without_clock":"no place found"})");
  EXPECT_EQ(output.status, 0) << output.text;
  std::string record;
  std::getline(std::ifstream(folder_ / "work/wide.json"), record);
  EXPECT_THAT(record, HasSubstr(R"("without_clock":"not placed","LUT":)"));
}

}  // namespace
}  // namespace torusmu::testing
