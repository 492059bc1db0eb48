#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A bit stream for the ULX3S: constraints/board.sh WORK_FOLDER REPORTER FILE...
#
# Yosys maps ulx3s_85 with the profile board, nextpnr-ecp5 places and routes it once for each of SEEDS, and the bit stream
# is that of the fastest of them, WORK_FOLDER/ulx3s_85.bit. Prints a line a seed as constraints/board.csv has them, and the
# median of their clocks; with UPDATE=yes they become that file. What is as it was is not done over, so a run that was stopped
# goes on where it was. Fails if there is no route, if the median is below what the file says by more than a seventh, or if
# the design has grown by more than a twentieth. From the environment: SEEDS, NEXTPNR, ECPPACK, BOARD_CSV (the file), and ALONE:
# a module that is placed and routed alone on that device, behind registers on all pins (place_wrapper.awk), instead of the
# board; there is no bit stream then, and its file is constraints/ALONE.csv.
set -eu -o pipefail
export LC_ALL=C
work=$1 reporter=$2
shift 2
here=$(dirname "$0")
alone=${ALONE:-}
figures=${BOARD_CSV:-$here/${alone:-board}.csv}
name=${alone:+place_}${alone:-ulx3s_85} pins=$here/boards/ulx3s_85.lpf
if [ "$alone" ]; then pins=/dev/null; fi
device="--85k --package CABGA381 --speed 6"
header='seed,TRELLIS_COMB,percent,TRELLIS_FF,DP16KD,MULT18X18D,MHz,levels,from,to'
read -r -a seeds <<< "${SEEDS:-1 2 3}"
say() { echo "${alone:-board}: $*"; }
# What nextpnr says on the way; of the lines of the routing, which come with every 1,000 wires of cells, one in 20.
progress() {
  local line steps=0
  while IFS= read -r line; do
    case $line in
      *"iteration #"*"type ALL:"* | "Info: Routing"* | "Info: Max frequency"* | ERROR*) ;;
      "Info: "*[0-9]" | "*"|") if [ $((steps++ % 20)) != 0 ]; then continue; fi ;;
      *) continue ;;
    esac
    say "seed $1: ${line#Info: }"
  done
}
fail() { say "$*" >&2; exit 1; }

if [ "$alone" ]; then ECPPACK=true; fi
for tool in yosys "${NEXTPNR:=nextpnr-ecp5}" "${ECPPACK:=ecppack}" "$reporter"; do
  command -v "$tool" > /dev/null || fail "there is no $tool; make board fetches nextpnr-ecp5 and ecppack from PyPI where the system has none"
done
mkdir -p "$work"
exec 9> "$work/lock"
flock -n 9 || fail "another run is at work in $work"

# --- synthesis: all of it at once, for half of what a module needs on its own is known around it --------------------------
# The memories of unused ports are left out; -nowidelut and -abc9: see families.txt. Flip-flops get the names of what they drive, so
# that a path can be told in words of the RTL: autoname, which synth_ecp5 does for that, takes longer than all the rest.
stamp=$({ cat "$@" "$0" "$here/place_wrapper.awk"; yosys -V; } | sha256sum)
read="read_verilog -defer -DTORUSMU_PROFILE_BOARD -sv $*"
synthesis_failed() { fail "synthesis failed: $(grep -m 1 '^ERROR' "$work/synth.log" || echo "see $work/synth.log")"; }
if [ "$(cat "$work/netlist.done" 2> /dev/null)" != "$stamp" ]; then
  rm -f "$work"/*.done
  say "synthesis, which takes 5 to 15 minutes: $work/synth.log"
  if [ "$alone" ]; then
    yosys -q -l "$work/synth.log" -p "read_verilog -sv $*; hierarchy -check -top $alone; proc; chformal -remove; \
      flatten; opt_clean; write_rtlil $work/elaborated.il" > /dev/null 2>&1 || synthesis_failed
    awk -v top="$alone" -f "$here/place_wrapper.awk" "$work/elaborated.il" > "$work/wrapper.v"
    read="read_rtlil $work/elaborated.il; read_verilog $work/wrapper.v"
  fi
  # -defer, for a module may not be legal with its own parameters: mu_reduction_alu without lanes. Of the script of ABC that
  # Yosys has, &mfs is left out, which ends in an assertion of ABC for a design as large as this, so that what it gains is
  # lost; &b -d is new, and a wire counts 1 ns, as nextpnr finds, not 0.3, with which chains of the fastest pins look short.
  yosys -q -l "$work/synth.log" -p "$read; \
    scratchpad -set abc9.script \"+&scorr; &sweep; &dc2; &b,-d; &dch,-f; &ps; &if,-W,1000,-v\"; \
    synth_ecp5 -nowidelut -abc9 -top $name -run begin:coarse; proc; chformal -remove; \
    synth_ecp5 -nowidelut -abc9 -top $name -run coarse:check; check -assert; rename -wire t:TRELLIS_FF; \
    tee -o $work/stat stat; blackbox =A:whitebox; write_json $work/$name.json" > /dev/null 2>&1 ||
    synthesis_failed
  echo "$stamp" > "$work/netlist.done"
fi
awk -v who="${alone:-board}" '$1 ~ /^(LUT4|CCU2C|TRELLIS_DPR16X4|TRELLIS_FF|DP16KD|MULT18X18D)$/ { printf "%s%s %s", n++ ? ", " : who ": ", $2, $1 } END { print "" }' \
  "$work/stat"

# --- place and route ----------------------------------------------------------------------------------------------------
of_device="--lpf $pins"
if [ "$alone" ]; then of_device="--lpf-allow-unconstrained --timing-allow-fail --freq 125"; fi
rows=$work/rows.csv
: > "$rows"
for seed in "${seeds[@]}"; do
  stem=$work/seed$seed
  seed_stamp=$({ cat "$work/netlist.done" "$pins"; "$NEXTPNR" --version 2>&1 | tail -n 1; echo "$device"; } | sha256sum)
  if [ "$(cat "$stem.done" 2> /dev/null)" != "$seed_stamp" ]; then
    rm -f "$stem".*
    say "seed $seed: place and route, which takes one to two hours: $stem.log"
    status=0
    # router1, for router2 does not end: it comes down to 979 wires that are used twice, and then has ever more.
    # What is late counts three times what nextpnr thinks in placing, which gives 34 MHz for the board before routing, not 26.
    # shellcheck disable=SC2086
    "$NEXTPNR" $device $of_device --placer-heap-timingweight 30 --placer-heap-critexp 4 --router router1 \
      --json "$work/$name.json" --seed "$seed" \
      --report "$stem.json" --textcfg "$stem.config" 2>&1 | tee "$stem.log" |
      progress "$seed" || status=$?
    [ $status = 0 ] && [ -s "$stem.config" ] ||
      fail "seed $seed: place and route failed: $(grep -m 1 '^ERROR' "$stem.log" || echo "see $stem.log")"
    echo "$seed_stamp" > "$stem.done"
  fi
  "$reporter" "$seed" "$stem.json" >> "$rows"
done

# --- the bit stream and the figures -----------------------------------------------------------------------------------------
{ echo "$header"; cat "$rows"; }
best=$(sort -t, -k7,7nr "$rows" | head -n 1 | cut -d, -f1)
"$ECPPACK" --compress --input "$work/seed$best.config" --bit "$work/$name.bit" || fail "ecppack failed"
median() { cut -d, -f7 "$1" | sort -n | awk '{ m[NR] = $1 } END { print NR % 2 ? m[(NR + 1) / 2] : (m[NR / 2] + m[NR / 2 + 1]) / 2 }'; }
mhz=$(median "$rows")
IFS=, read -r _ sites percent _ _ _ _ levels from to < <(grep "^$best," "$rows")
say "$sites TRELLIS_COMB, $percent % of 83640; median of ${#seeds[@]} seeds $mhz MHz"
say "the slowest path of seed $best, $levels levels: from $from to $to"
if [ ! "$alone" ]; then say "bit stream of seed $best: $work/$name.bit"; fi
if [ "${UPDATE:-}" = yes ]; then
  { echo '# SPDX-License-Identifier: Apache-2.0'; echo "$header"; cat "$rows"; } > "$figures"
  say "$figures is written; make generate brings it to docs/"
elif [ -s "$figures" ]; then
  grep -v '^#\|^seed,' "$figures" > "$work/known.csv" || true
  awk -v mhz="$mhz" -v known="$(median "$work/known.csv")" 'BEGIN { exit !(mhz < 6 * known / 7) }' &&
    fail "$mhz MHz, and $figures has $(median "$work/known.csv")"
  awk -F, -v sites="$sites" '{ most = $2 > most ? $2 : most } END { exit !(sites > 1.05 * most) }' "$work/known.csv" &&
    fail "$sites TRELLIS_COMB, a twentieth more than in $figures"
fi
exit 0
