# SPDX-License-Identifier: Apache-2.0
# What has grown: reads the baseline and what was measured, rows "family,module,parameters,LUT,FF,LUTRAM,RAM,DSP,path",
# of asic "asic,module,parameters,GE,FF,memories,bits,ps,path". More than a twentieth over the baseline is said, of LUTs and
# flip-flops if it is more than 4 in number, of gate equivalents more than 20, of paths more than 1 cell or 2 gates; so is a module
# that is new or gone. The row "all" is the sum over the design.
BEGIN {
  split(family == "asic" ? "GE FF memories bits ps path" : "LUT FF LUTRAM RAM DSP path", kinds, " ")
  slack["LUT"] = slack["FF"] = 4
  slack["GE"] = 20
  slack["path"] = family == "asic" ? 2 : 1
}
$1 != family { next }
{ name = $2 ($3 == "" ? "" : " " $3) }
FNR == NR { for (k in kinds) baseline[name, k] = $(k + 3); known[name] = 1; next }
!(name in known) { print family ": " name " is not in the baseline"; next }
{
  found[name] = 1
  for (k in kinds) {
    was = baseline[name, k]
    if ($(k + 3) > was * 1.05 && $(k + 3) > was + slack[kinds[k]]) print family ": " name ": " kinds[k] " " $(k + 3) ", was " was
  }
}
END { for (name in known) if (!(name in found)) print family ": " name " is in the baseline and no longer there" }
