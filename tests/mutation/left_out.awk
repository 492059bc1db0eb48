# SPDX-License-Identifier: Apache-2.0
# Reads meaning.csv and the netlist of a block and prints, for each module inside it that has no mutants, one of the same name and ports of
# which nothing is known: what it says is an input of the proof, and what it is told after the first edge of the clock is compared: the bits
# that it looks at, as used_bits.awk prints them; of an input x_..., only while x_valid_i is high (the longest such x counts) or what
# meaning.csv names.
# With -v state=1 only of modules that have flip-flops or memories themselves.
FILENAME ~ /meaning\.csv$/ {
  if (split($0, word, ",") == 3) meaning[word[1], word[2]] = word[3]
  next
}
FILENAME ~ /\.used$/ {
  looked_at[$1, $2] = $3
  next
}
$1 == "module" {
  name = $2
  sub(/\(.*/, "", name)
  # Of a module with parameters \$paramod...\mu_name\PARAMETERS.
  own_name = name
  if (match(name, /\\mu_[a-z0-9_]+/)) own_name = substr(name, RSTART + 1, RLENGTH - 1)
  bare_name = name
  sub(/^\\/, "", bare_name)
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
  for (i = 1; i <= count; i++) {
    if (direction[port[i]] != "input") continue
    stem = port[i]
    valid = (own_name, port[i]) in meaning ? meaning[own_name, port[i]] : ""
    while (sub(/_[^_]*$/, "", stem) && valid == "")
      if (direction[stem "_valid_i"] == "input" && port[i] != stem "_valid_i") valid = stem "_valid_i"
    bits = looked_at[bare_name, port[i]]
    print "  (* keep *) wire " width[i] " told_" port[i] " = started" (valid == "" ? "" : " && " valid) " ? " port[i] \
      (bits ~ /0/ ? " & " length(bits) "'b" bits : "") " : 0;"
  }
  print "endmodule"
}
