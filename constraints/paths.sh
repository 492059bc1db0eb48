#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The slowest paths of the node by the delays of its cells, one after the other: constraints/paths.sh FAMILY [COUNT]
#
# After `make check JOBS=synth/FAMILY`, which maps the modules (FAMILY is xc7 or ice40, whose cells have delays in Yosys).
# Each path is printed from its begin to its end by the names that the RTL has for what it passes, and then taken apart by
# deleting the cell in its middle, so that the next is another one. COUNT is from 1 to 100, and 12 unless it is given.
set -eu -o pipefail
export LC_ALL=C
family=${1:-} count=${2:-12} work=${SYNTH_WORK:-build/synth/mu_node}
usage() { echo "paths: $1; usage: constraints/paths.sh xc7|ice40 [1 to 100]" >&2; exit 2; }
case $family in xc7 | ice40) ;; *) usage "FAMILY is xc7 or ice40, not '$family'" ;; esac
[[ $count =~ ^[1-9][0-9]?$|^100$ ]] || usage "COUNT is a number from 1 to 100, not '$count'"
[ -f "$work/$family.joined" ] || { echo "paths: $work/$family is not mapped: make check JOBS=synth/$family" >&2; exit 2; }
here=$(dirname "$0")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
{
  while read -r module; do echo "read_rtlil $work/$family/$module.il"; done < "$work/modules.txt"
  sed -n "s/^$family  *\(.*[^ ]\) *#.*/\1 -top mu_node -run begin:begin/p" "$here/families.txt"
  # LUTRAM has no delays: what comes out of it begins a path, as in synth.sh.
  echo 'flatten; opt_clean; delete t:RAM32* t:RAM64* t:RAM128* t:RAM256*; setundef -undriven -expose'
} > "$scratch/read.ys"
SCRATCH=$scratch COUNT=$count yosys -q -c "$here/paths.tcl" 2> "$scratch/log" ||
  { tail -n 3 "$scratch/log" >&2; exit 1; }
