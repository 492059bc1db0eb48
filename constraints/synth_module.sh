#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One module on one family: constraints/synth_module.sh WORK_FOLDER FAMILY MODULE [is-done]
#
# In a Yosys of its own, for what ABC finds hangs on all that the same Yosys has read before: a module that had not
# changed needed up to half as many LUTs, or four times as many. Reads WORK_FOLDER/modules/MODULE.il, see synth_split.awk.
# Leaves in WORK_FOLDER/FAMILY the .stat of the module, its longest .path, MODULE.il as it is mapped, the
# .log and the .seconds of processor time; and .done, with a sum of all that the result hangs on, TOOLS, SEQUENTIAL and, of
# asic, LIBERTY from the environment (synth.sh) among it: while that stays, nothing is mapped again. With is-done only says
# whether it is so. Prints the module once it is mapped; if it is not, why, as an error.
set -eu -o pipefail
export LC_ALL=C
work=$1 family=$2 module=$3
here=$(dirname "$0")
limit_seconds=3600  # so that a busy computer changes nothing
from=$work/modules/$module.il out=$work/$family/$module
map=$(sed -n "s/^$family  *\(.*[^ ]\) *#.*/\1/p" "$here/families.txt")
of_family=()
if [ "$family" = asic ]; then of_family=("$LIBERTY" "$here"/asic{.tcl,_memories.awk}); fi
stamp=$({ cat "$from" "$0" "${of_family[@]}" 2> /dev/null || true; echo "$map $TOOLS $SEQUENTIAL"; } | sha256sum | cut -d' ' -f1)
is_done() {
  local part
  for part in stat path il seconds; do [ -s "$out.$part" ] || return 1; done
  [ -e "$out.log" ] && [ -f "$out.done" ] && [ "$(cat "$out.done")" = "$stamp" ]
}
if is_done; then exit 0; fi
[ "${4:-}" != is-done ] || exit 1
mkdir -p "$work/$family"
rm -f "$out".*
export OUT=$out
inside=$(sed -n 's/^module \\/t:/p' "$from" | grep -v -x "t:$module" | tr '\n' ' ' || true)
TIMEFORMAT=%U
if { time (ulimit -t "$limit_seconds"; yosys -q -l "$out.log" -p "read_rtlil $from; hierarchy -check -top $module; \
    proc; chformal -remove; opt_clean; $map -top $module; check -assert; tee -o $out.stat stat; \
    select $module; write_rtlil -selected $out.il; select -clear; delete $SEQUENTIAL ${inside}; tee -o $out.path ltp" \
    > /dev/null 2>&1); } 2> "$out.seconds"; then
  echo "$stamp" > "$out.done"
  echo "$family $module"
else
  { echo "$module: $family failed or took more than $limit_seconds s of processor time"
    grep -h '^ERROR' "$out.log" | head -n 5; } >&2
  exit 1
fi
