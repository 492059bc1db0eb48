# SPDX-License-Identifier: Apache-2.0
# Which blocks take more than they may: reads the budget, rows "block,planned,most", and the record of a family, a module a line.
# The largest of several instances counts.
FILENAME == ARGV[1] { if ($1 !~ /^(#.*|block)$/) most[$1] = $3; next }
{
  name = $0
  if (!sub(/.*"module":"/, "", name)) next
  sub(/".*/, "", name)
  sites = $0
  if (!(name in most) || !sub(/.*"sites_with_contents":/, "", sites)) next
  if (sites + 0 > taken[name]) taken[name] = sites + 0
}
END {
  for (name in most) {
    if (!(name in taken)) print "ecp5: " name " is in the budget and not in the design"
    else if (taken[name] > most[name]) print "ecp5: " name " takes " taken[name] " sites, its budget is " most[name]
  }
}
