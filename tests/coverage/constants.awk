# SPDX-License-Identifier: Apache-2.0
# Reads the instances of the design (coverage_instances.inc), the layouts (rtl/package/*.def), the RTL, and the flat node as
# Yosys writes it (constants.json); prints which bits of signals are the same constant in every instance of their
# module: FILE, a tab, the name as a point of coverage has it.

function field_of(text,  parts) { split(text, parts, /[(,)] */) ; return parts[2] }

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

# The netlist: a name, and its bits.
/^ *"netnames": \{/ { netnames = 1; next }
!netnames { next }
/^        "/ {
  name_of_net = $1
  gsub(/^"|":$/, "", name_of_net)
  offset = 0
  next
}
/"hide_name": 1/ { name_of_net = "" }
/"offset":/ { offset = $2 + 0 }
/"bits": \[/ && name_of_net != "" { take(name_of_net, $0) }

# Ends the walk down the instances at the signal.
function take(path, line,  part, n, i, at, rest, bits, bit, width) {
  n = split(path, part, ".")
  at = "mu_gated_node"
  rest = ""
  for (i = 1; i <= n; i++) {
    if ((at "." part[i]) in module_of) { at = module_of[at "." part[i]]; rest = ""; continue }
    if (part[i] ~ /^gen_/) sub(/\[.*/, "", part[i])
    rest = rest (rest == "" ? "" : ".") part[i]
  }
  if (rest !~ /^[A-Za-z_0-9.]+$/) return
  sub(/^.*\[ */, "", line)
  sub(/ *\].*$/, "", line)
  width = split(line, bits, /, */)
  for (i = 1; i <= width; i++) {
    bit = i - 1 + offset
    if (bits[i] !~ /^"[01]"$/) { moves[at, rest, bit] = 1; continue }
    key = at SUBSEP rest SUBSEP bit
    if (key in value && value[key] != bits[i]) moves[at, rest, bit] = 1
    value[key] = bits[i]
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
