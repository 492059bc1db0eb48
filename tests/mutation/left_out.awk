# SPDX-License-Identifier: Apache-2.0
# Reads the netlist of a block and prints, for each module inside it that has no mutants, one of the same name and ports of which
# nothing is known: what it says is an input of the proof, and what it is told after the first edge of the clock is compared.
# With -v state=1 only of modules that have flip-flops or memories themselves.
$1 == "module" {
  name = $2
  sub(/\(.*/, "", name)
  count = clocked = 0
  delete direction
}
/^  (input|output) / {
  width[++count] = NF > 2 ? $2 : ""
  port[count] = $NF
  sub(/;/, "", port[count])
  direction[port[count]] = $1
}
/posedge/ { clocked = 1 }
$1 == "endmodule" && !("mutsel" in direction) && (clocked || !state) {
  printf "module %s (", name
  for (i = 1; i <= count; i++) printf "%s%s %s %s", (i > 1 ? ", " : ""), direction[port[i]], width[i], port[i]
  print ");"
  print "  (* init = 1'b0 *) wire started;"
  print "  \\$_FF_ u_started (.D(1'b1), .Q(started));"
  for (i = 1; i <= count; i++)
    if (direction[port[i]] == "input") print "  (* keep *) wire " width[i] " told_" port[i] " = started ? " port[i] " : 0;"
  print "endmodule"
}
