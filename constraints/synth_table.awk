# SPDX-License-Identifier: Apache-2.0
# The table of one family: reads the list of modules and the elaborated design (who instantiates whom).
function class_of(cell) {
  if (cell ~ /^(LUT[1-6]|SB_LUT4)$/) return "lut"
  if (cell ~ /^(FD[A-Z]+|TRELLIS_FF|SB_DFF[A-Z]*)$/) return "ff"
  if (cell ~ /^(RAMB[0-9]+E1|DP16KD|PDPW16KD|SB_RAM40_4K[A-Z]*)$/) return "ram"
  if (cell ~ /^(RAM[0-9].*|TRELLIS_DPR16X4)$/) return "lutram"
  if (cell ~ /^(DSP48E1|MULT18X18D|SB_MAC16)$/) return "dsp"
  return ""
}
function instances(name, number,    child) {
  uses[name] += number
  for (child in module_named) if ((name, child) in cells) instances(child, number * cells[name, child])
}
NR == FNR { module_named[$1] = 1; order[++count] = $1; next }
/^module / { current = substr($2, 1); sub(/^\\/, "", current); next }
/^  cell / {
  child = $2
  sub(/^\\/, "", child)
  if (child in module_named) cells[current, child]++
}
END {
  instances(top, 1)
  printf "\n%-8s %9s %8s %8s %8s %6s %6s  module\n", family, "instances", "LUT", "FF", "LUTRAM", "RAM", "DSP"
  for (i = 1; i <= count; i++) {
    name = order[i]
    split("", own)
    file = work "/modules/" name "/" family ".stat"
    while ((getline line < file) > 0) {
      split(line, field, " ")
      class = class_of(field[1])
      if (class != "") own[class] += field[2]
    }
    close(file)
    printf "%-8s %9d %8d %8d %8d %6d %6d  %s\n", "", uses[name], own["lut"], own["ff"], own["lutram"], own["ram"], own["dsp"], name
    for (class in own) total[class] += own[class] * uses[name]
  }
  printf "%-8s %9s %8d %8d %8d %6d %6d  total of %s\n", family, "", total["lut"], total["ff"], total["lutram"], total["ram"], total["dsp"], top
}
