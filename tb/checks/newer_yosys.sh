#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Does a newer Yosys read a design as quietly as that of the system? tb/checks/newer_yosys.sh YOSYS WORK_FOLDER TOP FILE...
# Both elaborate it and must find no latch, loop, undriven or doubly driven net. A warning of the newer one fails the check if
# the other does not give it, too, and tb/checks/newer_yosys.txt (EXEMPT, from the environment, names another list) does not
# name it.
set -eu -o pipefail
export LC_ALL=C
newer=$1 work=$2 top=$3
shift 3
here=$(dirname "$0")
mkdir -p "$work"
# $1: the program, $2: its name in the work folder
read_with() {
  "$1" -q -p "read_verilog -sv $files; hierarchy -check -top $top; proc; chformal -remove; opt_clean; check -assert; \
    select -assert-none t:\$dlatch t:\$adlatch t:\$dlatchsr" > "$work/$2.log" 2>&1 ||
    { tail -n 20 "$work/$2.log"; echo "$("$1" -V): $top was not elaborated"; exit 1; }
  sed -f "$here/../../constraints/yosys_warnings.sed" "$work/$2.log" | sort -u > "$work/$2.txt"
}
files=$*
read_with yosys system
read_with "$newer" newer
sed '/^#/d' "${EXEMPT:-$here/newer_yosys.txt}" | sort > "$work/exempt.txt"
{ comm -13 "$work/system.txt" "$work/newer.txt" | comm -23 - "$work/exempt.txt" | sed 's/^/new: /'
  comm -13 "$work/newer.txt" "$work/exempt.txt" | sed 's/^/no longer occurs: /'; } > "$work/problems.txt"
cat "$work/problems.txt"
echo "$(yosys -V | cut -d' ' -f1,2): $(wc -l < "$work/system.txt") kinds of warnings, $("$newer" -V | cut -d' ' -f1,2):" \
  "$(wc -l < "$work/newer.txt"), $(wc -l < "$work/problems.txt") problems"
[ ! -s "$work/problems.txt" ]
