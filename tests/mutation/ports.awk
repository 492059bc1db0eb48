# SPDX-License-Identifier: Apache-2.0
# What masked.awk and left_out.awk read alike: meaning.csv, and the ports of the module that a netlist is at.
FILENAME ~ /meaning\.csv$/ {
  if (split($0, word, ",") == 3) meaning[word[1], word[2]] = word[3]
  next
}
$1 == "module" {
  name = $2
  sub(/\(.*/, "", name)
  count = 0
  delete direction
}
/^  (input|output) / {
  width[++count] = NF > 2 ? $2 : ""
  port[count] = $NF
  sub(/;/, "", port[count])
  direction[port[count]] = $1
}
# The port while which another one means something: what meaning.csv names for it as a port of `module`, else of a port
# x_... the one x_valid_i or x_valid_o, with the longest such x, that goes the same way; or "".
function valid_of(module, of,  stem, end, valid) {
  if ((module, of) in meaning) return meaning[module, of]
  end = direction[of] == "input" ? "_valid_i" : "_valid_o"
  stem = of
  while (valid == "" && sub(/_[^_]*$/, "", stem))
    if (direction[stem end] == direction[of] && of != stem end) valid = stem end
  return valid
}
