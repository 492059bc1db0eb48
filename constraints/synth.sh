#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Synthesis: constraints/synth.sh WORK_FOLDER JOBS TOP "FAMILY..." FILE...
#
# The design is elaborated and checked for latches, combinational loops, undriven and multiply driven nets,
# module by module and once more flattened, where what crosses modules shows. Then each family maps each
# module (each set of parameters is one of its own) by itself, unless that has been done: synth_module.sh.
# Prints a row a module as the baseline has it, and leaves what docs/results/synthesis.json has of a family in
# WORK_FOLDER/FAMILY.json. Fails on any of the above, on a module that cannot be mapped or has grown over its
# line in constraints/baseline.csv (BASELINE, from the environment, names another file), on a block of ECP5 that takes more than
# constraints/budget.csv says (BUDGET), in standard cells on a way from pin to pin without a register, on a warning of Yosys
# that constraints/yosys_allowed.txt does not name and, once the node is mapped to all families (in this run
# or in earlier ones), on an entry there that no longer occurs. With UPDATE=yes the baseline becomes what was measured.
set -eu -o pipefail
export LC_ALL=C
work=$1 jobs=$2 top=$3 families=$4
shift 4
here=$(dirname "$0")
baseline=${BASELINE:-$here/baseline.csv}
mkdir -p "$work"
: > "$work/problems.txt"
TOOLS=$(yosys -V; sha256sum < "$(command -v berkeley-abc || command -v yosys-abc)")
# Where paths begin and end: flip-flops, and memories whole, though some LUTRAM is read without a clock.
SEQUENTIAL="t:FD* t:TRELLIS_FF t:SB_DFF* t:RAM* t:DP16KD t:PDPW16KD t:TRELLIS_DPR* t:SB_RAM* t:DFF* t:LATCH t:memory_*"
# Of standard cells, their library, and the program that times them.
sta=${STA:-sta}
LIBERTY=${LIBERTY:-/usr/share/qflow/tech/osu018/osu018_stdcells.lib}
export TOOLS SEQUENTIAL LIBERTY
if [[ " $families " = *" asic "* ]]; then
  [ -s "$LIBERTY" ] || { echo "asic: there is no $LIBERTY: it is in the Debian package qflow-tech-osu018 (.ci/setup night)"; exit 2; }
  command -v "$sta" > /dev/null || { echo "asic: there is no command $sta: it is in the Debian package opensta (.ci/setup night)"; exit 2; }
fi
# Families whose cells have delays in Yosys; a flip-flop of ECP5 is said to pass its reset on at once, which makes loops.
# LUTRAM of xc7 has none: what comes out of it begins a way.
timed="xc7 ice40"
untimed="t:RAM32* t:RAM64* t:RAM128* t:RAM256*"
if [ "${UPDATE:-}" = yes ]; then
  [ "$top" = mu_node ] || { echo "UPDATE=yes is for the whole node, not for $top"; exit 2; }
  [ -s "$baseline" ] || printf '# %s\n' 'SPDX-License-Identifier: Apache-2.0' \
    'asic,module,parameters,GE,FF,memories,bits,ps,path' 'family,module,parameters,LUT,FF,LUTRAM,RAM,DSP,path' > "$baseline"
fi
[ "${UPDATE:-}" = yes ] || [ "$top" != mu_node ] || grep -q "^[^#]" "$baseline" 2>/dev/null ||
  { echo "there is no $baseline: make check JOBS='synth/*' UPDATE=yes writes it"; exit 2; }
# Sets of parameters get plain names, mu_fifo__123456789 and so on, each by its own parameters.
plain_names() {
  awk 'BEGIN { for (i = 1; i < 128; i++) code[sprintf("%c", i)] = i }
       function sum_of(name,    i, sum) {
         for (i = 1; i <= length(name); i++) sum = (sum * 31 + code[substr(name, i, 1)]) % 999999937
         return sprintf("%09d", sum)
       }
       NR == FNR { if ($1 == "module" && $2 ~ /^\$/) {
           match($2, /mu_[a-z0-9_]+/)
           plain[$2] = "\\" substr($2, RSTART, RLENGTH) "__" sum_of($2)
         }
         next }
       $1 == "module" && $2 in plain { print "module " plain[$2]; next }
       $1 == "cell" && $2 in plain { $2 = plain[$2]; $0 = "  " $0 }
       { print }' "$work/elaborate.il" "$work/$1.il"
}
elaborate() {
  # Numbers in names that Yosys makes up have one length from the start, for it sorts names as text.
  echo 'autoidx 100000000' > "$work/start.il"
  yosys -q -l "$work/elaborate.log" -p "read_rtlil $work/start.il; read_verilog -sv $*; hierarchy -check -top $top; \
    write_rtlil $work/read.il; proc; chformal -remove; opt_clean; check -assert; \
    select -assert-none t:\$dlatch t:\$adlatch t:\$dlatchsr; write_rtlil $work/elaborate.il" > /dev/null 2>&1 ||
    { echo "$top: elaboration or its check failed"; return 1; }
  { plain_names read > "$work/split.il" && plain_names elaborate > "$work/elaborated.il"; } || return 1
  yosys -q -l "$work/flat.log" -p "read_rtlil $work/elaborated.il; hierarchy -check -top $top; flatten; opt_clean; \
    check -assert" > /dev/null 2>&1 || { echo "$top: the check of the flattened design failed"; return 1; }
}

# Each module by itself, with numbers in names that count from the first of the module, and sorted by name; modules.txt
# has their names, the largest first.
split_modules() {
  rm -rf "$work/modules" && mkdir -p "$work/modules/split" || return 1
  awk '/^module / { module = $2 }
    { while (match($0, /\$[0-9]+/)) { print module, substr($0, RSTART + 1, RLENGTH - 1); $0 = substr($0, RSTART + RLENGTH) } }' \
    "$work/split.il" | LC_ALL=C sort -u > "$work/numbers.txt" &&
    awk -v folder="$work/modules/split" -f "$here/synth_split.awk" "$work/numbers.txt" "$work/split.il" |
    sort -nr | cut -d' ' -f2 > "$work/modules.txt" &&
    awk -v folder="$work/modules" '{ print "read_rtlil " folder "/split/" $1 ".il; write_rtlil " folder "/" $1 ".il; design -reset" }' \
      "$work/modules.txt" > "$work/split.ys" &&
    yosys -q -l "$work/split.log" -s "$work/split.ys" > /dev/null 2>&1 ||
    { echo "$top: its modules could not be taken apart"; return 1; }
}
# What each family still has to map, the largest modules first.
map_modules() {
  local todo=$work/todo.txt
  for module in $modules; do
    for family in $families; do
      "$here/synth_module.sh" "$work" "$family" "$module" is-done || echo "$work $family $module"
    done
  done > "$todo"
  xargs -r -P "$jobs" -L 1 "$here/synth_module.sh" < "$todo" 2>> "$work/problems.txt" |
    awk -v all="$(wc -l < "$todo")" 'NR % 50 == 0 || NR == all { print "synth: " NR " of " all " modules mapped"; fflush() }' ||
    true  # what is not mapped has said why
}
family_is_done() {
  [ "$1" != asic ] || command -v "$sta" > /dev/null || return
  for module in $modules; do "$here/synth_module.sh" "$work" "$1" "$module" is-done || return; done
}
# What is known of each module of a family in one file, and the longest path through all of them, in cells and by the
# delays of cells, unless it is there: of these what a module tells and nobody hears is left out. Names that Yosys has made
# of others are cut short, for they fill the memory.
join_modules() {
  local out=$work/$1 module read='' stamp remove="delete $SEQUENTIAL;" time=
  if [[ " $timed " = *" $1 "* ]]; then
    time="design -save whole; opt_clean; delete $untimed; setundef -undriven -expose; tee -o $out.delay sta; design -load whole; $remove"
    remove="rename -hide w:*_SB_* t:SB_*; rename -enumerate w:\$* t:SB_*;"
  fi
  # shellcheck disable=SC2086
  stamp=$( (cat "$here/synth.sh"; cd "$out" && cat $(printf '%s.done ' $modules)) | sha256sum) || return 1
  if [ "$1" = asic ]; then
    stamp="$stamp $(cat "$here"/asic_{gates,liberty}.awk "$here/asic_timing.tcl" | sha256sum) $("$sta" -version)" || return 1
  fi
  if [ -f "$out.joined" ] && [ "$(cat "$out.joined")" = "$stamp" ]; then return; fi
  rm -f "$out".{joined,stat,path,seconds,delay,whole}
  for module in $modules; do
    read="$read read_rtlil $out/$module.il;"
    { cat "$out/$module.stat" >> "$out.stat" && cat "$out/$module.path" >> "$out.path" &&
      cat "$out/$module.seconds" >> "$out.seconds"; } || return 1
  done
  if [ "$1" = asic ]; then
    time_cells "$out" "$read" || { echo "$top: the modules of $1 do not fit together"; return 1; }
    echo "$stamp" > "$out.joined"
    return
  fi
  yosys -q -l "$out.log" -p "$read $(script_of "$1") -top $top -run begin:begin; $remove flatten; $time tee -o $out.whole ltp" \
    > /dev/null 2>&1 || { echo "$top: the modules on $1 do not fit together"; return 1; }
  echo "$stamp" > "$out.joined"
}
# The slowest path of all standard cells, OUT.ns, and the one with most gates, OUT.gates: what OpenSTA finds if each gate takes 1 ns.
# What it warns of, above all a cell or a pin that it does not know, would make paths end early.
time_cells() {
  local out=$1 unit cells=$LIBERTY
  yosys -q -l "$out.log" -p "$2 insbuf -buf wire_alias A Y; write_verilog -noattr $out.v" > /dev/null 2>&1 || return
  { grep -o '^ *memory_[^ ]*' "$out.v" || true; } | tr -d ' ' | sort -u > "$out.macros"
  for unit in ns gates; do
    if [ $unit = gates ]; then
      cells=$out.gates.lib
      awk -f "$here/asic_gates.awk" "$LIBERTY" > "$cells" || return
    fi
    awk -v unit=$unit -f "$here/asic_liberty.awk" "$out.macros" > "$out.macros.$unit.lib" || return
    LIBERTIES="$cells $out.macros.$unit.lib" NETLIST=$out.v TOP=$top "$sta" -no_splash -exit "$here/asic_timing.tcl" \
      > "$out.$unit" 2> "$out.$unit.log" || { tail -n 3 "$out.$unit.log"; return 1; }
    if grep -h -m 3 '^Warning\|^Error' "$out.$unit" "$out.$unit.log"; then return 1; fi
  done
}
script_of() { sed -n "s/^$1  *\(.*[^ ]\) *#.*/\1/p" "$here/families.txt"; }
part_of() { sed -n "s/^$1 .*# //p" "$here/families.txt"; }
# The slowest way by the delays of cells, from its end, by the RTL's names; without what Yosys appends to them.
names_on_way() { sed -n 's/^ *\\\([^ ]*\)\( .*\)*$/\1/p' "$work/$1.delay" | sed -E 's/_SB_.*//; /_[0-9]*_$/d'; }
path_of() { awk -v top="$top" -v unit="$1" -v period=1000 -f "$here/asic_path.awk" "$work/elaborated.il" "$work/asic.$1"; }
record_of() {
  local PART SCRIPT YOSYS STA_VERSION SLOWEST DEEPEST NS=null FROM='' TO='' names before after
  PART=$(part_of "$1") SCRIPT=$(script_of "$1") YOSYS=$(yosys -V | cut -d' ' -f1,2)
  if [ -e "$work/$1.delay" ]; then
    NS=$(awk '/^Latest arrival time in .* is [0-9]*:$/ { ns = sprintf("%.1f", $NF / 1000) } END { print ns == "" ? "null" : ns }' "$work/$1.delay")
    names=$(names_on_way "$1")
    FROM=$(tail -n 1 <<< "$names") TO=$(head -n 1 <<< "$names")
  fi
  if [ "$1" = asic ]; then
    STA_VERSION="OpenSTA $("$sta" -version)"
    SLOWEST=$(path_of ns) DEEPEST=$(path_of gates)
    export STA_VERSION SLOWEST DEEPEST
    before=("$LIBERTY") after=()
  else
    before=() after=("$work/$1.whole")
  fi
  export PART SCRIPT YOSYS NS FROM TO
  awk -v family="$1" -v seconds="$(awk '{ sum += $1 } END { printf "%d", sum }' "$work/$1.seconds")" -v top="$top" \
    -v rows="$work/$1.csv" -f "$here/synth_record.awk" "${before[@]}" rtl/rtl.f "$work/elaborated.il" "$work/$1.path" "${after[@]}" \
    "$work/$1.stat" > "$work/$1.json"
}
compare_with_baseline() {
  if [ "${UPDATE:-}" = yes ]; then
    { grep -v "^$1," "$baseline" || true; cat "$work/$1.csv"; } | LC_ALL=C sort > "$work/baseline.csv"
    mv "$work/baseline.csv" "$baseline"
  fi
  if [ "$top" = mu_node ] || [ "${BASELINE:-}" ]; then
    awk -F, -v family="$1" -f "$here/synth_growth.awk" "$baseline" "$work/$1.csv" >> "$work/problems.txt"
    [ "$1" != ecp5 ] || awk -F, -f "$here/synth_budget.awk" "${BUDGET:-$here/budget.csv}" "$work/$1.json" >> "$work/problems.txt"
    [ "$1" != asic ] || sed -n 's/^through \(.*\) \(.*\)/asic: a way without a register from \1 to \2/p' "$work/asic.ns" >> "$work/problems.txt"
  fi
}

logs=("$work/elaborate.log" "$work/flat.log")
modules=
rm -f "${logs[@]}"
for family in $families; do
  [ "$(script_of "$family")" ] || echo "$family: not in constraints/families.txt" >> "$work/problems.txt"
done
if [ ! -s "$work/problems.txt" ] && elaborate "$@" >> "$work/problems.txt" && split_modules >> "$work/problems.txt"; then
  modules=$(cat "$work/modules.txt")
  map_modules
else
  { grep -h '^ERROR' "${logs[@]}" "$work/split.log" 2> /dev/null || true; } | sort -u | head -n 5 >> "$work/problems.txt"
fi

# Warnings of all families that are mapped as the sources are now.
whole=
if [ "$top" = mu_node ] && [ "$modules" ]; then whole=yes; fi
all_families=$(sed -n 's/^\([a-z0-9]*\) .*/\1/p' "$here/families.txt")
for family in $all_families; do
  asked=
  if [[ " $families " = *" $family "* ]]; then asked=yes; fi
  if [ "$modules" ] && family_is_done "$family" && join_modules "$family" >> "$work/problems.txt"; then
    for module in $modules; do logs+=("$work/$family/$module.log"); done
    record_of "$family"
    if [ "$asked" ]; then
      cat "$work/$family.csv"
      compare_with_baseline "$family"
    fi
  else
    whole=
    if [ "$asked" ] && [ "$modules" ]; then echo "$family: not all modules are mapped" >> "$work/problems.txt"; fi
  fi
done
{ cat "${logs[@]}" 2>/dev/null || true; } | sed -f "$here/yosys_warnings.sed" | sort -u > "$work/warnings.txt"
{ grep -v '^ *\(#\|$\)' "$here/yosys_allowed.txt" || true; } | sort -u > "$work/allowed.txt"
comm -23 "$work/warnings.txt" "$work/allowed.txt" | sed 's/^/not allowed: /' >> "$work/problems.txt"
if [ "$whole" ]; then comm -13 "$work/warnings.txt" "$work/allowed.txt" | sed 's/^/no longer occurs: /' >> "$work/problems.txt"; fi

cat "$work/problems.txt"
echo "synth: $(grep -c '^module' "$work/elaborated.il" 2>/dev/null || true) modules, $(wc -l < "$work/problems.txt") problems"
if [ -s "$work/problems.txt" ]; then
  for family in $families; do rm -f "$work/$family.json"; done
  exit 1
fi
