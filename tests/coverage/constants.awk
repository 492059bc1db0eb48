# SPDX-License-Identifier: Apache-2.0
# Reads the instances of the design (coverage_instances.inc), the layouts (rtl/package/*.def), the RTL, and which bits
# of the flat node are constant (tests/coverage/constants_main.cc); prints which bits of signals are the same constant in every instance of
# their module: FILE, a tab, the name as a point of coverage has it.

FILENAME ~ /\.inc$/ {
  split($0, part, "\"")
  if ($0 ~ /^FILE_OF/) file_of[part[2]] = part[4]
  else module_of[part[2] "." part[4]] = part[6]
  next
}
FILENAME ~ /\.def$/ {
  if (!match($0, /^(ENUM_|STRUCT_)?FIELD\(/)) next
  split(substr($0, RLENGTH + 1), part, /, */)
  n = ++fields[part[1]]
  field_name[part[1], n] = part[2]
  field_lsb[part[1], n] = part[3] + 0
  field_width[part[1], n] = part[4] + 0
  if ($0 ~ /^STRUCT/) field_layout[part[1], n] = part[5]
  next
}
# Signals of the type of a layout: mu_pkg::x_t a, b;
FILENAME ~ /\.sv$/ {
  if (FNR == 1) {
    module = FILENAME
    sub(/.*\//, "", module)
    sub(/\.sv$/, "", module)
    list = ""
  }
  text = $0
  sub(/\/\/.*/, "", text)
  if (match(text, /mu_pkg::[a-z_0-9]+_t /)) {
    list = substr(text, RSTART + 8, RLENGTH - 11)
    text = substr(text, RSTART + RLENGTH)
  }
  if (list == "") next
  count = split(text, name, ",")
  for (i = 1; i <= count; i++) {
    ends = name[i] ~ /[;)]/
    gsub(/[ ;)]/, "", name[i])
    if (name[i] ~ /^[a-z][a-z_0-9]*$/) layout_of[module, name[i]] = list
    else if (name[i] != "") ends = 1
    if (ends) { list = ""; break }
  }
  next
}

# What coverage_constants says of the nets: a name, a tab, the bits, lowest first.
{ take($1, $2) }

# Ends the walk down the instances at the signal.
function take(path, bits,  part, n, i, at, rest, bit, width, key) {
  n = split(path, part, ".")
  at = "mu_gated_node"
  rest = ""
  for (i = 1; i <= n; i++) {
    if ((at "." part[i]) in module_of) { at = module_of[at "." part[i]]; rest = ""; continue }
    if (part[i] ~ /^gen_/) sub(/\[.*/, "", part[i])
    rest = rest (rest == "" ? "" : ".") part[i]
  }
  if (rest !~ /^[A-Za-z_0-9.]+$/) return
  width = length(bits)
  for (bit = 0; bit < width; bit++) {
    value_of_bit = substr(bits, bit + 1, 1)
    if (value_of_bit == ".") { moves[at, rest, bit] = 1; continue }
    key = at SUBSEP rest SUBSEP bit
    if (key in value && value[key] != value_of_bit) moves[at, rest, bit] = 1
    value[key] = value_of_bit
    only_bit[at, rest] = width == 1
  }
}

# "a.b[3]" of bit 3 of field b in field a; empty for a reserved bit.
function path_of(layout, bit,  i) {
  for (i = 1; i <= fields[layout]; i++) {
    if (bit < field_lsb[layout, i] || bit >= field_lsb[layout, i] + field_width[layout, i]) continue
    bit -= field_lsb[layout, i]
    if ((layout, i) in field_layout) return "." field_name[layout, i] path_of(field_layout[layout, i], bit)
    return "." field_name[layout, i] (field_width[layout, i] == 1 ? "" : "[" bit "]")
  }
  return ""
}

END {
  for (key in value) {
    if (key in moves) continue
    split(key, part, SUBSEP)
    file = file_of[part[1]]
    if ((part[1], part[2]) in layout_of) {
      print file "\t" part[2] path_of(layout_of[part[1], part[2]], part[3])
    } else {
      print file "\t" part[2] "[" part[3] "]"
      if (only_bit[part[1], part[2]]) print file "\t" part[2]
    }
  }
}
