#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Is the netlist of a module the module? Not for random inputs as in two_readers.sh but for all, by SAT:
# tb/checks/equivalence.sh MODULE WORK_FOLDER "PARAMETER=VALUE..." SECONDS FILE...
# With CHANGED_GATE=1 in the environment an input of one gate of the netlist is inverted.
#
# Yosys reads the module once, breaks memories into registers and goes two ways: as it is, and synthesised to gates
# by `synth` and ABC. Registers of both with one name are paired; what stands before each pair and each output is shown
# to be equal, for one cycle and then by induction. SECONDS of processor time are the limit of each way.
# Exit status 0: equal; 1: not shown equal; 3: the time was not enough; 2: the tools refused.
set -euf -o pipefail
export LC_ALL=C
module=$1 work=$2 parameters=$3 seconds=$4
shift 4
mkdir -p "$work"
choose="" change=""
if [ "${CHANGED_GATE:-}" ]; then change="mutate -list 1 -seed 1 -mode inv -o $work/change.ys; script $work/change.ys;"; fi
for word in $parameters; do choose="$choose -chparam ${word/=/ }"; done
late() { echo "more than $seconds s of processor time"; exit 3; }
ulimit -t "$seconds"
status=0
yosys -q -p "read_verilog -sv $*; hierarchy -check -top $module $choose; rename -top $module; proc; flatten; \
  chformal -remove; opt_clean; memory -nordff -nomap; memory_map; opt_clean; write_rtlil $work/gold.il; \
  synth -top $module -nofsm; opt_clean; $change rename $module gate; write_rtlil $work/gate.il" \
  > "$work/synth.log" 2>&1 || status=$?
[ "$status" -lt 128 ] || late
[ "$status" = 0 ] || { tail -n 5 "$work/synth.log"; exit 2; }
yosys -l "$work/equiv.log" -p "read_rtlil $work/gold.il; rename $module gold; read_rtlil $work/gate.il; \
  equiv_make gold gate both; hierarchy -top both; opt -share_all; equiv_struct; equiv_simple; equiv_induct -seq 5; \
  equiv_status -assert" > "$work/equiv.out" 2>&1 || status=$?
[ "$status" -lt 128 ] || late
if [ "$status" = 0 ]; then
  echo "equal: $(awk '/equiv cells in both/ { n = $2 } END { print n }' "$work/equiv.log") pairs"
  exit 0
fi
tail -n 3 "$work/equiv.out"
grep -q '^ERROR: Found [0-9]* unproven' "$work/equiv.out" || exit 2
exit 1
