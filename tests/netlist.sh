#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One scenario on the netlist and on the RTL: tests/netlist.sh SCENARIO SHAPE RTL_PROGRAM NETLIST_PROGRAM WORK_FOLDER
# Exit status 0: both pass, in as many cycles, with the same flits in the same cycles and the same memories at the end.
set -eu
export LC_ALL=C
scenario=$1 shape=$2 rtl=$3 netlist=$4 work=$5
mkdir -p "$work"
value() { sed -n "s/^  \"$2\": \(.*[^,]\),*$/\1/p" "$work/$scenario.$1.json"; }
rm -f "$work/$scenario".*.json
status=0
"$rtl" scenario "$scenario" --mesh "$shape" --quiet --json "$work/$scenario.rtl.json" || status=$?
start=$(date +%s%N)
"$netlist" scenario "$scenario" --mesh "$shape" --engine mesh --quiet --json "$work/$scenario.netlist.json" || status=$?
milliseconds=$((($(date +%s%N) - start) / 1000000))
differs=""
for what in passed cycles flit_hash memory_hash; do
  if [ "$(value rtl $what)" != "$(value netlist $what)" ] || [ -z "$(value rtl $what)" ]; then
    differs="$differs $what ($(value rtl $what), netlist $(value netlist $what))"
  fi
done
for side in rtl netlist; do
  [ -n "$(value $side flit_hash)" ] || { echo "NO RESULT from the $side"; exit 2; }
done
if [ "$differs" ]; then echo "DIFFERS:$differs"; exit 1; fi
[ "$status" = 0 ] || { echo "failed on both"; exit 1; }
echo "SEED $(value rtl seed)"
echo "CYCLES $((2 * $(value rtl cycles)))"
echo "equal: $(value rtl cycles) cycles, flits $(value rtl flit_hash), memory $(value rtl memory_hash); $milliseconds ms"
