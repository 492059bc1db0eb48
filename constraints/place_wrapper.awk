# SPDX-License-Identifier: Apache-2.0
# A wrapper with three pins, clk_i, d and q, around a module of any width, for place and route: reads the elaborated module (RTLIL).
# All clocks are clk_i. The inputs are a shift register; outputs are captured in registers and shifted out, each named like
# its port. So every path through the module begins and ends at a flip-flop with a name of the RTL.
$1 == "module" { inside = $2 == "\\" top }
/^end/ { inside = 0 }
inside && $1 == "wire" && / (input|output) / {
  width = match($0, /width [0-9]+/) ? substr($0, RSTART + 6, RLENGTH - 6) : 1
  name = substr($NF, 2)
  if (name ~ /^clk_([a-z_]*_)?i$/) { pins = pins ", ." name "(clk_i)"; next }
  registers = registers sprintf("  reg [%d:0] %s;\n", width - 1, name)
  if (/ input /) {
    pins = pins ", ." name "(" name ")"
    in_chain = in_chain ", " name
  } else {
    registers = registers sprintf("  wire [%d:0] from_%s;\n", width - 1, name)
    pins = pins ", ." name "(from_" name ")"
    out_chain = out_chain ", " name
    captured = captured ", from_" name
  }
}
END {
  in_chain = substr(in_chain, 3)
  printf "module place_%s(input clk_i, input d, output reg q);\n%s  reg capture;\n", top, registers
  printf "  always @(posedge clk_i) {capture, %s} <= {%s, d};\n", in_chain, in_chain
  printf "  always @(posedge clk_i) if (capture) {%s} <= {%s}; else {q%s} <= {%s, 1'b0};\n", \
    substr(out_chain, 3), substr(captured, 3), out_chain, substr(out_chain, 3)
  printf "  %s dut(%s);\nendmodule\n", top, substr(pins, 3)
}
