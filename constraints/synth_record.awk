# SPDX-License-Identifier: Apache-2.0
# What is known of one family, its record of docs/results/synthesis.json: reads rtl.f (the order of the modules), the elaborated
# design (parameters, who instantiates whom), the longest paths that `ltp` found in each module and in the whole, and what `stat`
# counted. `family`, `seconds` and the environment's PART, SCRIPT, YOSYS, NS, FROM and TO are in the record as they are. Of asic
# the library of cells comes first, for a gate equivalent is the area of NAND2X1 there; STA_VERSION, SLOWEST and DEEPEST, two
# paths, are in the record, and the path of all has as many gates as the second. Leaves all rows for the baseline in the file `rows`.
function quoted(text) {
  gsub(/["\\]/, "\\\\&", text)
  return "\"" text "\""
}
function class_of(cell) {
  if (cell ~ /^(LUT[1-6]|SB_LUT4)$/) return "LUT"
  if (cell ~ /^(FD[A-Z]+|TRELLIS_FF|SB_DFF[A-Z]*)$/) return "FF"
  if (cell ~ /^(RAMB[0-9]+E1|DP16KD|PDPW16KD|SB_RAM40_4K[A-Z]*)$/) return "RAM"
  if (cell ~ /^(RAM[0-9].*|TRELLIS_DPR16X4)$/) return "LUTRAM"
  if (cell ~ /^(DSP48E1|MULT18X18D|SB_MAC16)$/) return "DSP"
  if (cell == "CCU2C") return "CARRY"
  return ""
}
function count_cells(cell, number,    class, shape) {
  if (family == "asic") {
    if (cell in area) own[current, "GE"] += number * area[cell] / area["NAND2X1"]
    if (cell ~ /^DFF/) own[current, "FF"] += number
    if (split(cell, shape, /[_x]/) > 3 && shape[1] == "memory") {
      own[current, "memories"] += number
      own[current, "bits"] += number * shape[2] * shape[3]
    }
    return
  }
  class = class_of(cell)
  if (class != "") own[current, class] += number
}
function count_instances(name, number,    child) {
  uses[name] += number
  for (child in place) if ((name, child) in children) count_instances(child, number * children[name, child])
}
# LUTs, or gate equivalents, of a module with all that it contains.
function size_below(name,    child, sum) {
  sum = own[name, class_names[1]]
  for (child in place) if ((name, child) in children) sum += children[name, child] * size_below(child)
  return sum
}
# A number among the members of a path.
function member(json, name) { return match(json, "\"" name "\":[0-9.]+") ? substr(json, RSTART + length(name) + 3) + 0 : 0 }
# Places of LUTs that a module takes as a device counts: a carry of ECP5 has two LUTs of its own, a 16-word memory four, and blocks
# two more; one of xc7 has four.
function sites_of(name) {
  if (family == "ecp5") return own[name, "LUT"] + 2 * own[name, "CARRY"] + 6 * own[name, "LUTRAM"]
  return own[name, "LUT"] + 4 * own[name, "LUTRAM"]
}
# The same of a module with all that it contains.
function sites_below(name,    child, sum) {
  sum = sites_of(name)
  for (child in place) if ((name, child) in children) sum += children[name, child] * sites_below(child)
  return sum
}
BEGIN {
  classes = split(family == "asic" ? "GE FF memories bits" : "LUT FF LUTRAM RAM DSP", class_names, " ")
}
FILENAME == ENVIRON["LIBERTY"] {
  if (/^ *cell *\(/) { cell = $0; gsub(/^ *cell *\(|\).*/, "", cell) }
  if (/^ *area *:/) area[cell] = $3 + 0
  next
}
FILENAME == "rtl/rtl.f" {
  if (match($0, /mu_[a-z0-9_]+\.sv/)) row_of[substr($0, RSTART, RLENGTH - 3)] = FNR
  next
}
/^module / {
  current = substr($2, 2)
  base = current
  sub(/__[0-9]+$/, "", base)
  place[current] = row_of[base]
  shown[current] = base
  next
}
/^  parameter / && NF == 3 {
  value = $3 ~ /^[0-9]+$/ && $3 > 99999 ? sprintf("0x%X", $3) : $3
  sub(/.*'/, "0b", value)
  parameters[current] = parameters[current] (parameters[current] == "" ? "" : " ") substr($2, 2) "=" value
  next
}
/^  cell \\/ { instance[++cells] = current SUBSEP substr($2, 2); next }
/^Longest topological path in / {
  split($0, length_of, /[=)]/)
  if (FILENAME ~ /[.]whole$/) path_of_all = length_of[2]
  else path[$5] = length_of[2]
  next
}
/^===/ { current = $2; counting = current in place; next }
counting && NF == 2 { count_cells($1, $2) }
END {
  for (i = 1; i <= cells; i++) {
    split(instance[i], pair, SUBSEP)
    if (pair[2] in place) children[pair[1], pair[2]]++
  }
  count_instances(top, 1)
  for (name in place) order[++count] = sprintf("%06d %s %s", place[name], name, "")
  # A plain sort: there are about a hundred rows.
  for (i = 2; i <= count; i++) {
    for (j = i; j > 1 && order[j - 1] > order[j]; j--) {
      swap = order[j]; order[j] = order[j - 1]; order[j - 1] = swap
    }
  }
  for (i = 1; i <= count; i++) {
    split(order[i], field, " ")
    name = field[2]
    record = sprintf("    {\"module\":%s,\"parameters\":%s,\"instances\":%d", quoted(shown[name]), quoted(parameters[name]), uses[name])
    baseline = family "," shown[name] "," parameters[name]
    for (c = 1; c <= classes; c++) {
      size = int(own[name, class_names[c]] + 0.5)
      record = record sprintf(",\"%s\":%d", class_names[c], size)
      baseline = baseline "," size
      total[class_names[c]] += own[name, class_names[c]] * uses[name]
    }
    sites += sites_of(name) * uses[name]
    record = record sprintf(",\"path\":%d,\"%s_with_contents\":%d", path[name], class_names[1], size_below(name) + 0.5)
    if (family == "ecp5") record = record sprintf(",\"sites_with_contents\":%d", sites_below(name))
    modules = modules (modules == "" ? "" : ",\n") record "}"
    print baseline (family == "asic" ? ",0," : ",") path[name] + 0 > rows
  }
  printf "{\"family\":%s,\"part\":%s,\"script\":%s,\"yosys\":%s", quoted(family), quoted(ENVIRON["PART"]), quoted(ENVIRON["SCRIPT"]), quoted(ENVIRON["YOSYS"])
  baseline = family ",all,"
  for (c = 1; c <= classes; c++) {
    size = int(total[class_names[c]] + 0.5)
    printf ",\"%s\":%d", class_names[c], size
    baseline = baseline "," size
  }
  if (family == "asic") {
    path_of_all = member(ENVIRON["DEEPEST"], "gates")
    baseline = baseline "," 1000 * member(ENVIRON["SLOWEST"], "ns")
    printf ",\"sta\":%s,\"path\":%d,\"slowest\":%s,\"deepest\":%s", quoted(ENVIRON["STA_VERSION"]), path_of_all, ENVIRON["SLOWEST"], ENVIRON["DEEPEST"]
  } else {
    printf ",\"sites\":%d,\"path\":%d,\"ns\":%s,\"from\":%s,\"to\":%s", sites, path_of_all, ENVIRON["NS"], quoted(ENVIRON["FROM"]),
      quoted(ENVIRON["TO"])
  }
  printf ",\"seconds\":%d,\"modules\":[\n%s\n]}\n", seconds, modules
  print baseline "," path_of_all + 0 > rows
}
