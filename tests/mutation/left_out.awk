# SPDX-License-Identifier: Apache-2.0
# Reads behind ports.awk meaning.csv and the netlist of a block and prints, for each module inside it that has no mutants, one of the same name and ports of
# which nothing is known: what it says is an input of the proof, and what it is told after the first edge of the clock is compared: the bits
# that it looks at, as used_bits.awk prints them; of an input x_..., only while x_valid_i is high (the longest such x counts) or what
# meaning.csv names.
# With -v state=1 only of modules that have flip-flops or memories themselves.
FILENAME ~ /\.used$/ {
  looked_at[$1, $2] = $3
  next
}
$1 == "module" {
  # Of a module with parameters \$paramod...\mu_name\PARAMETERS.
  own_name = name
  if (match(name, /\\mu_[a-z0-9_]+/)) own_name = substr(name, RSTART + 1, RLENGTH - 1)
  bare_name = name
  sub(/^\\/, "", bare_name)
  clocked = 0
}
/posedge/ { clocked = 1 }
$1 == "endmodule" && !("mutsel" in direction) && (clocked || !state) {
  printf "module %s (", name
  for (i = 1; i <= count; i++) printf "%s%s %s %s", (i > 1 ? ", " : ""), direction[port[i]], width[i], port[i]
  print ");"
  print "  (* init = 1'b0 *) wire started;"
  print "  \\$_FF_ u_started (.D(1'b1), .Q(started));"
  for (i = 1; i <= count; i++) {
    if (direction[port[i]] != "input") continue
    valid = valid_of(own_name, port[i])
    bits = looked_at[bare_name, port[i]]
    print "  (* keep *) wire " width[i] " told_" port[i] " = started" (valid == "" ? "" : " && " valid) " ? " port[i] \
      (bits ~ /0/ ? " & " length(bits) "'b" bits : "") " : 0;"
  }
  print "endmodule"
}
