#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Do Yosys and Verilator read a module alike? Yosys is known to miscompile some SystemVerilog without a word,
# so its netlist runs beside the RTL in one Verilated model: same random inputs, all outputs compared twice a
# cycle (before and after the clock edge), resets in between.
#
#   tb/checks/two_readers.sh MODULE WORK_FOLDER FILE...      the module's own file last
#
# A line `// two-readers: WORD...` in the module's file adjusts it. Words:
#   DEPTH=5            a parameter's value (default: the module's own)
#   cycles=50000       how long (default 20000, fewer for a large netlist)
#   hold:port_i=3      an input that keeps one value; hold:port_i[8+:12]=mu_pkg::BLOCK_X_BASE>>8 some of its bits,
#                      where LSB+:WIDTH (or HIGH:LOW) and the value are SystemVerilog expressions without spaces
#   below:index_i=5    an input that stays below a bound, where larger values are outside the contract
#   columns:want_i=7   an input that has rows of so many bits, of which each column has one bit at most
#   level=word         compare before Yosys breaks words into gates (for wide arithmetic, which is slow as gates)
#   nightly            its netlist is so large that it is compared at night (tb/lab/lab.mk)
#   seen=10            percent of output bits that must be seen as 0 and as 1 (default 25)
# YOSYS, from the environment, names another Yosys than that of the system.
# Exit status 0: equal. The same content is compared once by each Yosys: a hash of it is kept in the work folder.
set -eu -o pipefail
export LC_ALL=C
module=$1 work=$2
shift 2
files=("$@")
own=${files[-1]}
here=$(dirname "$0")
yosys=${YOSYS:-yosys}

mkdir -p "$work"
hash=$({ cat "${files[@]}" "$here"/two_readers*; "$yosys" -V; } | sha256sum | cut -d' ' -f1)
if [ -f "$work/equal" ] && [ "$(head -n 1 "$work/equal")" = "$hash" ]; then
  echo "unchanged: $(tail -n 1 "$work/equal")"
  exit 0
fi
rm -rf "$work/equal" "$work/obj"

parameters="" yosys_parameters="" cycles= level=gate seen=25 inputs=""
for word in $(sed -n 's|^// two-readers: ||p' "$own"); do
  case $word in
    cycles=*) cycles=${word#*=} ;;
    seen=*) seen=${word#*=} ;;
    level=*) level=${word#*=} ;;
    nightly) ;;
    hold:*=* | below:*=* | columns:*=*) inputs="$inputs $word" ;;
    [A-Z]*=*) parameters="$parameters -G$word" yosys_parameters="$yosys_parameters -chparam ${word/=/ }" ;;
    *) echo "$own: unknown word '$word' in its two-readers line"; exit 2 ;;
  esac
done

# Memories stay memories; everything else becomes gates. No ABC: it is the reading that is on trial.
gates="opt -full; techmap; simplemap; opt -fast; splitnets -ports"
loops=-Werror-UNOPTFLAT
if [ "$level" = word ]; then gates="opt -full" loops=""; fi
# no_rw_check lets Yosys choose what a read sees while its word is written; here it must do as the RTL does.
sources=()
for file in "${files[@]}"; do
  sed 's/(\* *no_rw_check *\*)//' "$file" > "$work/$(basename "$file")"
  sources+=("$work/$(basename "$file")")
done
"$yosys" -q -p "read_verilog -sv ${sources[*]}; hierarchy -check -top $module $yosys_parameters; proc; flatten; chformal -remove; \
  opt_expr; opt_clean; check; opt -nodffe -nosdff; fsm; opt; wreduce; peepopt; opt_clean; alumacc; share; opt; \
  memory -nomap; opt_clean; $gates; opt_clean; rename -top ${module}_netlist; \
  write_verilog -noattr $work/netlist.v" > "$work/yosys.log" 2>&1 || { cat "$work/yosys.log"; exit 1; }
lines=$(wc -l < "$work/netlist.v")
# A large netlist costs more to compile than to run. Of a small one most would be to parse the headers of Verilator.
if [ "$lines" -lt 10000 ]; then optimise="-include $TWO_READERS_RUNTIME/parsed_once.h"; else optimise=-O0; fi
[ -n "$cycles" ] || cycles=$((lines < 4000 ? 20000 : lines < 80000 ? 80000000 / lines : 1000))
awk -v module="$module" -v parameters="$parameters" -v inputs="$inputs" -v header="$work/ports.h" \
  -f "$here/two_readers.awk" "$work/netlist.v" > "$work/both.sv"
# Verilator 5.006 can leave vectors whose bits depend on each other unsettled: such a netlist proves nothing.
verilator --cc -O3 --savable --assert --x-assign 0 --x-initial 0 -Wno-lint -Wno-style -Wno-fatal $loops --prefix Vboth --top-module both \
  --Mdir "$work/obj" rtl/waivers.vlt "${files[@]}" "$work/netlist.v" "$work/both.sv"
# One source, so that the headers are read once.
printf '#include "%s"\n' "$work"/obj/*.cpp "$here/two_readers.cc" > "$work/obj/all.cc"
$TWO_READERS_COMPILER $optimise -I"$work" -I"$work/obj" -c "$work/obj/all.cc" -o "$work/obj/all.o"
g++ "$work/obj/all.o" "$TWO_READERS_RUNTIME"/verilated.o \
  "$TWO_READERS_RUNTIME"/verilated_threads.o "$TWO_READERS_RUNTIME"/verilated_save.o -pthread -latomic -o "$work/run"
# Where few inputs are legal a run may lead nowhere: then the next seeds are tried.
first=${TORUSMU_SEED:-1}
for seed in "$first" $((first + 1)) $((first + 2)); do
  { "$work/run" "$cycles" "$seed" "$seen" || echo "exit status $?"; } | grep -v 'Assertion failed' > "$work/verdict"
  grep -q '^TOO LITTLE MOVED' "$work/verdict" || break
done
cat "$work/verdict"
if grep -q '^exit status' "$work/verdict"; then exit 1; fi
{ echo "$hash"; cat "$work/verdict"; } > "$work/equal"
