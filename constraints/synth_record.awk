# SPDX-License-Identifier: Apache-2.0
# What is known of one family, its record of docs/results/synthesis.json: reads rtl.f (the order of the modules), the elaborated
# design (parameters, who instantiates whom), the longest paths that `ltp` found in each module and in the whole, and what `stat`
# counted. `family`, `seconds` and the environment's PART, SCRIPT, YOSYS, NS, FROM and TO are in the record as they are. Leaves
# all rows for the baseline in the file `rows`.
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
function count_instances(name, number,    child) {
  uses[name] += number
  for (child in place) if ((name, child) in children) count_instances(child, number * children[name, child])
}
# LUTs of a module with all that it contains.
function luts_below(name,    child, sum) {
  sum = own[name, "LUT"]
  for (child in place) if ((name, child) in children) sum += children[name, child] * luts_below(child)
  return sum
}
# Places of LUTs that a module takes as a device counts: a carry of ECP5 has two LUTs of its own, a 16-word memory four, and blocks
# two more; one of xc7 has four.
function sites_of(name) {
  if (family == "ecp5") return own[name, "LUT"] + 2 * own[name, "CARRY"] + 6 * own[name, "LUTRAM"]
  return own[name, "LUT"] + 4 * own[name, "LUTRAM"]
}
BEGIN {
  classes = split("LUT FF LUTRAM RAM DSP", class_names, " ")
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
counting && NF == 2 {
  class = class_of($1)
  if (class != "") own[current, class] += $2
}
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
      record = record sprintf(",\"%s\":%d", class_names[c], own[name, class_names[c]])
      baseline = baseline "," own[name, class_names[c]] + 0
      total[class_names[c]] += own[name, class_names[c]] * uses[name]
    }
    sites += sites_of(name) * uses[name]
    modules = modules (modules == "" ? "" : ",\n") record sprintf(",\"path\":%d,\"LUT_with_contents\":%d}", path[name], luts_below(name))
    print baseline "," path[name] + 0 > rows
  }
  printf "{\"family\":%s,\"part\":%s,\"script\":%s,\"yosys\":%s", quoted(family), quoted(ENVIRON["PART"]), quoted(ENVIRON["SCRIPT"]), quoted(ENVIRON["YOSYS"])
  baseline = family ",all,"
  for (c = 1; c <= classes; c++) {
    printf ",\"%s\":%d", class_names[c], total[class_names[c]]
    baseline = baseline "," total[class_names[c]] + 0
  }
  printf ",\"sites\":%d,\"path\":%d,\"ns\":%s,\"from\":%s,\"to\":%s,\"seconds\":%d,\"modules\":[\n%s\n]}\n", sites, path_of_all, ENVIRON["NS"],
    quoted(ENVIRON["FROM"]), quoted(ENVIRON["TO"]), seconds, modules
  print baseline "," path_of_all + 0 > rows
}
