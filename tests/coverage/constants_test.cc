// SPDX-License-Identifier: Apache-2.0
// coverage_constants on a small netlist: it may call a bit constant only if nothing can move it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "tests/support/shell.h"

namespace torusmu::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDesign = R"(
module design (input clk, input a, input [3:0] b);
  wire never = a & 1'b0, always_one = a | 1'b1, moves = a ^ b[0];
  wire [3:0] sum = {b[3:1], 1'b0} + 4'd2, less = {b[3:1], 1'b1} - 4'd1, shifted = b << 2;
  wire [3:0] right = b >> 1, wide = {a, 2'b01}, by_any = 4'd1 << b[0];
  wire [7:0] fours = 8'd1 << ({2'b0, b[1:0]} * 4'd4);
  reg [1:0] outer;
  always @* begin
    outer = 2'b00;
    if (a) begin
      case (b[0])
        1'b1: outer = 2'b01;
        default: outer = 2'b00;
      endcase
      if (b[1]) outer = 2'b00;
    end
  end
  wire same = a ? 1'b1 : 1'b1, chosen = a ? 1'b0 : b[1];
  wire nothing, behind_nothing = nothing & a;
  wire equal = b == 4'd3, signed_sum = $signed(b) < $signed(4'd0);
  reg still, goes, sticks;
  always @(posedge clk) begin
    still <= still & a;
    goes <= a;
    sticks <= sticks | a;
  end
  reg [1:0] memory [0:3];
  always @(posedge clk) memory[b[1:0]] <= {1'b0, a};
  wire [1:0] word = memory[b[3:2]];
endmodule
)";

// Bits of each net, lowest first: 0, 1, or a dot for one that may move.
std::map<std::string, std::string> nets_of(const std::string& design) {
  const fs::path folder = ::testing::TempDir() + "constants_" + std::to_string(getpid());
  fs::create_directories(folder);
  std::ofstream(folder / "design.v") << design;
  const std::string json = (folder / "design.json").string();
  const Output yosys = shell("yosys -q -p 'read_verilog " + (folder / "design.v").string() +
                             "; proc; write_json " + json + "'");
  EXPECT_EQ(yosys.status, 0) << yosys.text;
  const Output constants = shell(TORUSMU_BUILD "/coverage_constants " + json);
  EXPECT_EQ(constants.status, 0) << constants.text;
  fs::remove_all(folder);
  std::map<std::string, std::string> nets;
  std::istringstream lines(constants.text);
  for (std::string name, bits; lines >> name >> bits;) nets[name] = bits;
  return nets;
}

TEST(CoverageConstants, AreBitsThatNothingCanMove) {
  auto nets = nets_of(kDesign);
  EXPECT_EQ(nets["never"], "0");
  EXPECT_EQ(nets["always_one"], "1");
  EXPECT_EQ(nets["sum"], "0...");
  EXPECT_EQ(nets["less"], "0...");
  EXPECT_EQ(nets["shifted"], "00..");
  EXPECT_EQ(nets["right"], "...0");
  EXPECT_EQ(nets["wide"], "10.0");
  EXPECT_EQ(nets["fours"], ".000.000");
  EXPECT_EQ(nets["outer"], ".0");
  EXPECT_EQ(nets["same"], "1");
  EXPECT_EQ(nets["still"], "0");
  EXPECT_EQ(nets["word"], ".0");
}

TEST(CoverageConstants, AreNoBitsThatAnInputMayMove) {
  auto nets = nets_of(kDesign);
  for (const char* name : {"a", "moves", "chosen", "equal", "signed_sum", "goes", "sticks"}) {
    EXPECT_EQ(nets[name], ".") << name;
  }
  EXPECT_EQ(nets["by_any"].substr(0, 2), "..");
}

TEST(CoverageConstants, AreNoBitsThatNothingDrives) {
  auto nets = nets_of(kDesign);
  EXPECT_EQ(nets["nothing"], ".");
  EXPECT_EQ(nets["behind_nothing"], ".");
}

}  // namespace
}  // namespace torusmu::testing
