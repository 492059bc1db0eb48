# SPDX-License-Identifier: Apache-2.0
# Reads a dump of modules (RTLIL) and prints, for each of their inputs, which of its bits anything looks at: MODULE PORT BITS,
# where BITS are 1 and 0 from the top.
function end_of_module(    port, k, bits) {
  for (port in width) {
    bits = ""
    for (k = width[port] - 1; k >= 0; k--) bits = bits ((port, k) in used ? 1 : 0)
    print module, substr(port, 2), bits
  }
  split("", width)
  split("", used)
}
$1 == "module" {
  end_of_module()
  module = $2
  sub(/^\\/, "", module)
}
$1 == "wire" {
  w = 1
  is_input = 0
  for (i = 2; i < NF; i++) {
    if ($i == "width") w = $(i + 1)
    if ($i == "input") is_input = 1
  }
  if (is_input) width[$NF] = w
}
# Whole, or [HIGH:LOW], or [BIT].
$1 == "connect" {
  for (i = 2; i <= NF; i++) {
    if (!($i in width)) continue
    low = 0
    high = width[$i] - 1
    if (i < NF && $(i + 1) ~ /^\[/) {
      n = split(substr($(i + 1), 2, length($(i + 1)) - 2), range, ":")
      high = range[1]
      low = range[n]
    }
    for (k = low + 0; k <= high + 0; k++) used[$i, k]
  }
}
END { end_of_module() }
