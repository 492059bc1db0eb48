#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A test of mcy, run by it in a folder of the mutant's own: tests/mutation/mcy_test.sh ROOT BLOCK MODEL
# input.txt has the mutant; in output.txt is then PASS if the unit tests of BLOCK pass with it in MODEL, FAIL if not.
set -eu -o pipefail
export LC_ALL=C
root=$1 block=$2 model=$3
mkdir -p "$block"
while read -r number mutation; do
  # Both forms of the netlist: see tests/mutation/netlist.sh.
  yosys -q -p "read_rtlil ../../database/design.il; mutate ${mutation#mutate }; write_verilog -noattr $block/$model.v; \
    splitnets; write_verilog -noattr $block/$model.bits.v"
  make -s -C "$root" MUTATION="$PWD" "$PWD/$block/judge" > make.log 2>&1 || { tail -n 5 make.log; exit 1; }
  if "$block/judge" --jobs 1 "$model=0" > judge.log 2>&1; then verdict=PASS
  elif grep -q 'fails without a mutant' judge.log; then verdict=FAIL
  else exit 1; fi
  echo "$number $verdict"
done < input.txt > output.txt
