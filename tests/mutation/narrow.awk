# SPDX-License-Identifier: Apache-2.0
# Reads a dump of cells (RTLIL; the ports of the modules inside come first) and prints mutants, one a line, each as Yosys' commands:
# what a width that is one bit short would do. MODULE is the module that the cells are in. A bit is ignored, or stays 0:
#   of a comparison   on both sides, one of the upper bits; of an order with a power of two none below that
#   of an address     of a memory, of a part-select, of a shift, one of the two upper bits
#   of a sum          the upper bit of the operands, or what is carried into the next
#   of a register     the upper bit
#   of an input       of a module inside that is not mutated itself, one of the two upper bits
# Bits count from the top of what is not always 0: an operand is often wider than what it is made of. A comparison of up to 8 bits loses each of them but the lowest, for an index
# is often kept in more bits than its table has rows.
BEGIN { most_of_wide = 4; most_of_place = 12 }
function width(name) { return name in parameter ? parameter[name] + 0 : 0 }
# One more bit of the mutant that is being written: of PORT, its bit BIT.
function stuck(port, bit) {
  command = command (command == "" ? "" : " ; ") "mutate -ctrl mutsel 16 @ -mode const0 -module " module " -cell " cell \
    " -port " port " -portbit " bit
}
function name(text) { return substr(text, 1, 1) == "\\" ? substr(text, 2) : text }
function finish() {
  if (command == "") return
  at[++count] = source == "" ? wire : source
  ++of_place[at[count]]
  mutant[count] = command (wire == "" ? "" : " -wire " wire) (source == "" ? "" : " -src " source)
  command = ""
}
function upper(port, bits, most,    k) {
  for (k = bits - 1; k >= 1 && k >= bits - most; k--) {
    stuck(port, k)
    finish()
  }
}
# Bits of an operand below the zeros that it begins with. Constants of 32 bits are written as numbers.
function used(port,    text, zeros, bits) {
  text = connection[port]
  if (text ~ /^[0-9]+$/) {
    for (bits = 0; 2 ^ bits <= text + 0; bits++) continue
    return bits
  }
  if (match(text, /^[0-9]+'[01xz]*$/)) {
    sub(/^[0-9]+'0*/, "", text)
    return length(text)
  }
  if (!match(text, /^\{ [0-9]+'0+ /)) return width(port "_WIDTH")
  zeros = substr(text, 3)
  return width(port "_WIDTH") - (zeros + 0)
}
function most(a, b) { return a > b ? a : b }
# Which is larger of one and a power of two does not depend on the bits below that.
function power_of_two(text) {
  return text ~ /^[0-9]+'0*10*$/ || (text ~ /^[0-9]+$/ && text > 0 && log(text) / log(2) == int(log(text) / log(2) + 0.5))
}
function lowest_of_order() {
  if (power_of_two(connection["A"])) return most(used("A") - 1, 1)
  if (power_of_two(connection["B"])) return most(used("B") - 1, 1)
  return 1
}
function comparison(least,    bits, lost, k) {
  bits = most(used("A"), used("B"))
  lost = bits <= 8 ? bits : most_of_wide
  for (k = bits - 1; k >= least && k >= bits - lost; k--) {
    if (k < width("A_WIDTH")) stuck("A", k)
    if (k < width("B_WIDTH")) stuck("B", k)
    finish()
  }
}
# The upper bit of the operands, and what is carried into the next.
function sum(    bits) {
  bits = most(used("A"), used("B"))
  if (bits < width("Y_WIDTH")) {
    stuck("Y", bits)
    finish()
  } else bits = width("Y_WIDTH")
  if (bits < 2) return
  stuck("Y", bits - 1)
  finish()
}
function memory(side, ports,    p, k, bits) {
  bits = width("ABITS")
  for (p = 0; p < ports; p++)
    for (k = bits - 1; k >= 1 && k >= bits - 2; k--) {
      stuck(side "_ADDR", p * bits + k)
      finish()
    }
}
function instance(    i) {
  wire = name(cell)

  for (i = 1; i <= inputs[type]; i++) {
    if (input_width[type, i] <= 64) upper(name(input_of[type, i]), input_width[type, i], 2)
  }
}
function finish_cell() {
  if (type ~ /^\$(eq|ne|eqx|nex)$/) comparison(1)
  else if (type ~ /^\$(lt|le|gt|ge)$/) comparison(lowest_of_order())
  else if (type ~ /^\$(logic_not|reduce_bool)$/) upper("A", used("A"), used("A") <= 8 ? 8 : most_of_wide)
  else if (type ~ /^\$(reduce_or|reduce_and)$/) upper("A", used("A"), 1)
  else if (type ~ /^\$(add|sub|neg|mul)$/) sum()
  else if (type ~ /^\$(shiftx|shift|shl|shr|sshl|sshr)$/) upper("B", used("B"), 2)
  else if (type ~ /^\$(bmux|demux)$/) upper("S", width("S_WIDTH"), 2)
  else if (type == "$dff") upper("Q", width("WIDTH"), 1)
  else if (type ~ /^\$mem/) {
    memory("RD", width("RD_PORTS"))
    memory("WR", width("WR_PORTS"))
  } else if (type in inputs) instance()
}
$1 == "module" { here = $2 }
$1 == "wire" {
  w = 1
  for (i = 2; i < NF; i++) if ($i == "width") w = $(i + 1)
  input_of[here, ++inputs[here]] = $NF
  input_width[here, inputs[here]] = w
}
# Of several places the last is that of the operator itself.
$1 == "attribute" && $2 == "\\src" {
  place = $3
  gsub(/"/, "", place)
  sub(/.*\|/, "", place)
}
$1 == "attribute" && $2 != "\\src" { next }
$1 == "cell" {
  type = $2
  cell = $3
  source = place
  wire = ""
  split("", parameter)
  split("", connection)
}
$1 == "connect" {
  text = $0
  sub(/^ *connect [^ ]+ /, "", text)
  connection[substr($2, 2)] = text
}
# A register is told by its name, too.
$1 == "connect" && $2 == "\\Q" && NF == 3 { wire = name($3) }
$1 == "parameter" { parameter[substr($(NF - 1), 2)] = $NF }
$1 == "end" && type != "" {
  finish_cell()
  type = place = ""
}
END {
  for (i = 1; i <= count; i++) {
    all = of_place[at[i]]
    n = ++seen[at[i]]
    if (all > most_of_place && int(n * most_of_place / all) == int((n - 1) * most_of_place / all)) continue
    ++number
    gsub(/ mutsel 16 @ /, " mutsel 16 " number " ", mutant[i])
    print mutant[i]
  }
}
