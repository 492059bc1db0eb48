# SPDX-License-Identifier: Apache-2.0
# A path that OpenSTA has found, in the words of the RTL and as JSON: reads the elaborated design (who instantiates whom) and
# the report. Its time if the unit is ns, its gates, the registers or memories at its ends, and each module that it goes through,
# with the gates there.
function plain(name) { gsub(/\\/, "", name); return name }
# The module in which the last step of a way of instances stands.
function module_around(steps, count,    i, module) {
  module = top
  for (i = 1; i < count; i++) module = child[module, steps[i]]
  sub(/__[0-9]+$/, "", module)
  return module
}
function in_rtl(steps, count,    i, name) {
  for (i = 1; i < count; i++) name = name steps[i] "."
  name = name steps[count]
  sub(/_reg$/, "", name)
  return name
}
FILENAME ~ /[.]il$/ {
  if ($1 == "module") current = substr($2, 2)
  if ($1 == "cell" && $2 ~ /^\\/) child[current, substr($3, 2)] = substr($2, 2)
  next
}
/data arrival time/ { arrived = 1 }
/ slack / { ns = period - $1 }
!arrived && $3 ~ /^[v^]$/ && /\(.*\)$/ {
  cell = $NF
  gsub(/[()]/, "", cell)
  count = split(plain($4), steps, "/") - 1
  pins++
  if (pins == 1) { from = in_rtl(steps, count); next }
  to = in_rtl(steps, count)
  if (pins == 2 || cell == "wire_alias") next
  last = module_around(steps, count)
  if (last != module[modules]) module[++modules] = last
  gates[modules]++
}
END {
  if (ns == "") { print "null"; exit }
  # The last pin is that of the register at its end.
  gates[modules]--
  for (i = 1; i <= modules; i++) {
    if (gates[i] == 0) continue
    all += gates[i]
    through = through (through == "" ? "" : ",") sprintf("{\"module\":\"%s\",\"gates\":%d}", module[i], gates[i])
  }
  printf "{%s\"gates\":%d,\"from\":\"%s\",\"to\":\"%s\",\"through\":[%s]}\n", \
    unit == "ns" ? sprintf("\"ns\":%.2f,", ns) : "", all, from, to, through
}
