#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Does a node with the profile board fit an Arty A7-100T? constraints/board_fits.sh WORK_FOLDER FILE...
#
# Yosys maps constraints/boards/arty_a7_100.sv with synth_xilinx, flat, in 10 to 20 minutes, and what that takes is compared with
# what the XC7A100T has. A RAM32M, RAM64M and the like takes the places of four look-up tables. Fails if something does not fit. What
# is as it was is not mapped again.
set -eu -o pipefail
export LC_ALL=C
work=$1
shift
mkdir -p "$work"
stamp=$({ cat "$@" "$0"; yosys -V; } | sha256sum)
if [ "$(cat "$work/done" 2> /dev/null)" != "$stamp" ]; then
  rm -f "$work/done"
  echo "arty_a7_100: synthesis, which takes 10 to 20 minutes: $work/synth.log"
  # -defer, for a module may not be legal with its own parameters: mu_reduction_alu without lanes.
  yosys -q -l "$work/synth.log" -p "read_verilog -defer -DTORUSMU_PROFILE_BOARD -sv $*; \
    synth_xilinx -family xc7 -flatten -top arty_a7_100 -run begin:coarse; proc; chformal -remove; \
    synth_xilinx -family xc7 -flatten -top arty_a7_100 -run coarse:check; check -assert; tee -o $work/stat stat" > /dev/null 2>&1 ||
    { echo "arty_a7_100: synthesis failed: $(grep -m 1 '^ERROR' "$work/synth.log" || echo "see $work/synth.log")" >&2; exit 1; }
  echo "$stamp" > "$work/done"
fi
awk '
  function compare(what, takes, has) {
    printf "arty_a7_100: %s %d of %d (%.1f %%)\n", what, takes, has, 100 * takes / has
    if (takes > has) full = full " " what
  }
  NF != 2 { next }
  $1 ~ /^LUT[1-6]$/ { lut += $2 }
  $1 ~ /^SRL(16E|C32E)$/ { lut += $2 }
  $1 ~ /^RAM[0-9]/ { lut += 4 * $2 }
  $1 ~ /^FD[A-Z]+$/ { ff += $2 }
  $1 == "RAMB36E1" { ram += 2 * $2 }
  $1 == "RAMB18E1" { ram += $2 }
  $1 == "DSP48E1" { dsp += $2 }
  END {
    compare("LUT", lut, 63400); compare("FF", ff, 126800); compare("RAMB18", ram, 270); compare("DSP48", dsp, 240)
    if (full != "") { print "arty_a7_100: does not fit:" full; exit 1 }
  }' "$work/stat"
