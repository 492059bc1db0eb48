# SPDX-License-Identifier: Apache-2.0
# Reads behind ports.awk the netlist of a block, the module with a port `mutsel`, and prints a module around it whose outputs are zero while they mean nothing: of an
# output x_..., as long as x_valid_o is low (the longest such x counts) or what meaning.csv names, and of all outputs before the first edge of the
# clock (any, if there are several: all tick), where reset is assumed, and nowhere else: behind another one everything begins as in
# a run of its own, and in its cycles those that see the outputs are in reset, too. Without a clock they are zero in the first step: an output that is
# nothing but what a left-out module says needs something between it and the port, which cannot be an input of the proof, too.
$1 == "endmodule" && "mutsel" in direction { exit }
END {
  printf "module masked ("
  for (i = 1; i <= count; i++) printf "%s%s %s %s", (i > 1 ? ", " : ""), direction[port[i]], width[i], port[i]
  print ");"
  for (i = 1; i <= count; i++) if (direction[port[i]] == "output") print "  wire " width[i] " raw_" port[i] ";"
  printf "  %s u_block (", name
  for (i = 1; i <= count; i++)
    printf "%s.%s(%s%s)", (i > 1 ? ", " : ""), port[i], direction[port[i]] == "output" ? "raw_" : "", port[i]
  print ");"
  clock = ""
  for (i = 1; i <= count && clock == ""; i++) if (port[i] ~ /^clk_([a-z]+_)?i$/) clock = port[i]
  clocked = clock != "" && "rst_ni" in direction
  print (clocked ? "  reg started = 0;" : "  (* init = 1\47b0 *) wire started;")
  for (i = 1; i <= count; i++) {
    if (direction[port[i]] != "output") continue
    valid = valid_of(name, port[i])
    print "  assign " port[i] " = !started ? 0 : " (valid == "" ? "" : "!raw_" valid " ? 0 : ") "raw_" port[i] ";"
  }
  if (clocked) {
    print "  always @(posedge " clock ") started <= 1;"
    print "  always @* assume (started == rst_ni);"
  } else print "  \\$_FF_ u_started (.D(1\47b1), .Q(started));"
  print "endmodule"
}
