#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The page of make synth, from what it left in its folder: constraints/synth_page.sh WORK_FOLDER FAMILY...
set -eu
export LC_ALL=C
work=$1
shift
families=$(dirname "$0")/families.txt
part() { sed -n "s/^$1 .*# //p" "$families"; }
script() { sed -n "s/^$1  *\(.*[^ ]\) *#.*/\1/p" "$families"; }
picoseconds() { [ ! -e "$work/$1.delay" ] || sed -n 's/^Latest arrival time in .* is \([0-9]*\):$/\1/p' "$work/$1.delay"; }
# The RTL's names along the slowest way, from its end; without what Yosys appends to them.
names() { sed -n 's/^ *\\\([^ ]*\)\( .*\)*$/\1/p' "$work/$1.delay" | sed -E 's/_SB_.*//' | grep -v '_[0-9]*_$'; }
total() { awk -v what="$2" '$1 == what { print $2 }' "$work/$1.total"; }
cat <<TEXT
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by make synth; do not edit. -->

# Synthesis

\`make synth\` maps the whole node, \`mu_node\`, with $(yosys -V | cut -d' ' -f1,2) for three FPGA families, each
module by itself: nothing is optimised across the edge of a module, so a flat run needs less, and a module that has not
changed keeps its result. It stops on a latch, a combinational loop, an undriven or multiply driven net, a module that has
grown by more than a twentieth over its line in constraints/baseline.csv (and by more than 4 LUTs or flip-flops, or 1 cell of
its path), or a warning that constraints/yosys_allowed.txt does not name; \`make synth-refuses\`
shows that it does. A change that needs more is committed with its baseline: \`make synth UPDATE=yes\`.

| family | LUT | FF | LUTRAM | RAM | DSP | path | ns | processor time | command |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |
TEXT
for family in "$@"; do
  printf '| %s, %s' "$(part "$family")" "\`$(script "$family")\`"
  for what in LUT FF LUTRAM RAM DSP path; do printf ' | %s' "$(total "$family" $what)"; done
  printf ' | %s' "$(picoseconds "$family" | awk '{ printf "%.1f", $1 / 1000 } END { if (!NR) printf "-" }')"
  printf ' | %s s | %s |\n' "$(awk '{ sum += $1 } END { printf "%d", sum }' "$work/$family.seconds")" "\`make synth SYNTH_FAMILIES=$family\`"
done
cat <<TEXT

LUT: look-up tables of 1 to 6 inputs (xc7) or 4 (ecp5, ice40). LUTRAM: cells RAM32M, RAM64M and the like (xc7, four
LUTs each) or TRELLIS_DPR16X4 (ecp5); iCE40 has none, such memories are flip-flops there. RAM: block RAMs, RAMB18E1
and RAMB36E1, DP16KD, or SB_RAM40_4K. Path: cells on the longest way without a flip-flop or a memory, carries and wide
multiplexers counted one each; that of a module ends where another begins, that of the family goes through all of them.
ns: the slowest way of the node from register to register by the delays of its cells alone, as Yosys has them (\`sta\`);
wires are not in it, so that no clock is as fast. Ways out of LUTRAM count from there, those out of a multiplier of iCE40 not at all, and ECP5
has no figure: Yosys has no delays of these, and wrong ones of the flip-flops of ECP5. Processor times, the sum over all modules,
depend on the computer; to follow ways through a whole node takes 9 GB of memory.

$(for family in "$@"; do
  [ "$(picoseconds "$family")" ] || continue
  echo "- $family: from \`$(names "$family" | tail -n 1)\` to \`$(names "$family" | head -n 1)\`"
done)

In the tables below the columns are one instance without what it contains, but for the last; parameters stand behind
the name. Rows are in the order of rtl/rtl.f, in which a packet meets the modules.
TEXT
for family in "$@"; do
  printf '\n## %s\n\n' "$(part "$family")"
  cat "$work/$family.md"
done
