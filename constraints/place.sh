#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Place and route of one module alone on an iCE40 HX8K: constraints/place.sh WORK_FOLDER REPORTER MODULE FILE...
# Behind registers on all pins (place_wrapper.awk). Leaves its record for docs/results/place.json in
# WORK_FOLDER/MODULE.json; that of a module that does not fit says so.
set -eu -o pipefail
export LC_ALL=C
work=$1/$3 record=$1/$3.json reporter=$2 top=$3
shift 3
most_luts=${MOST_LUTS:-4500}  # of 7,680: what is fuller takes very long to route
most_rams=32
limit_seconds=240  # of processor time; what finds its way takes a third of that
seed=1
mkdir -p "$work"
rm -f "$record"
echo "SEED $seed"
failed() { echo "$top: $1"; tail -n 5 "$2"; exit 1; }
tools="$(yosys -V | cut -d' ' -f1,2), $(nextpnr-ice40 --version 2>&1 | sed 's/.*(Version \([^)]*\)).*/nextpnr \1/; s/"//g')"
# Without a clock its record says why. One that has a clock in the results, a line a record, must keep it.
without_clock() {
  if grep -q "\"module\":\"$top\".*\"MHz\"" "$(dirname "$0")/../docs/results/place.json"; then
    echo "$top: $1, and docs/results/place.json has its clock; without its record there this is accepted"
    exit 1
  fi
  printf '{"module":"%s","without_clock":"%s","LUT":%d,"FF":%d,"RAM":%d,"tools":"%s"}\n' "$top" "$1" "$luts" "$flops" "$rams" "$tools" |
    tee "$record"
  exit 0
}
yosys -q -l "$work/elaborate.log" -p "read_verilog -sv $*; hierarchy -check -top $top; proc; chformal -remove; \
  flatten; opt_clean; write_rtlil $work/elaborated.il" > /dev/null 2>&1 || failed elaboration "$work/elaborate.log"
awk -v top="$top" -f "$(dirname "$0")/place_wrapper.awk" "$work/elaborated.il" > "$work/wrapper.v"
yosys -q -l "$work/map.log" -p "read_rtlil $work/elaborated.il; read_verilog $work/wrapper.v; \
  synth_ice40 -top place_$top -json $work/netlist.json; tee -o $work/stat stat" > /dev/null 2>&1 || failed mapping "$work/map.log"
luts=$(awk '$1 == "SB_LUT4" { n = $2 } END { print n + 0 }' "$work/stat")
rams=$(awk '$1 ~ /^SB_RAM40_4K/ { n += $2 } END { print n + 0 }' "$work/stat")
flops=$(awk '$1 ~ /^SB_DFF/ { n += $2 } END { print n + 0 }' "$work/stat")
[ "$luts" -le "$most_luts" ] && [ "$flops" -le "$most_luts" ] && [ "$rams" -le "$most_rams" ] || without_clock "not placed"
# The pins are the board's; how fast a block may be is not asked of its oscillator.
grep -v '^set_frequency ' "$(dirname "$0")/boards/ice40_hx8k.pcf" > "$work/pins.pcf"
status=0
(ulimit -S -t "$limit_seconds"; exec nextpnr-ice40 --hx8k --package ct256 --json "$work/netlist.json" --freq 100 --seed $seed \
  --pcf "$work/pins.pcf" --pcf-allow-unconstrained --timing-allow-fail -q --report "$work/report.json") > "$work/place.log" 2>&1 ||
  status=$?
# What nearly fills the device may fit by number alone; and nextpnr 0.4 may take wires from the same nets for ever (SIGXCPU).
if grep -q '^ERROR: Unable to find legal placement' "$work/place.log"; then without_clock "no place found"; fi
[ $status != 152 ] || without_clock "no way found in $limit_seconds s"
[ $status = 0 ] || failed "place and route" "$work/place.log"
"$reporter" "$top" "$tools" "$work/netlist.json" "$work/report.json" > "$record.new"
mv "$record.new" "$record"
cat "$record"
