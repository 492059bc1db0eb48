#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Synthesis: constraints/synth.sh WORK_FOLDER JOBS TOP "FAMILY..." FILE...
#
# The design is elaborated and checked for latches, combinational loops, undriven and multiply driven nets,
# module by module and once more flattened, where what crosses modules shows. Then each family maps all
# modules with the hierarchy kept, so that every module (each set of parameters is one of its own) has its
# costs; a family whose sources are what they were is not mapped again. Prints a table a family. Fails on any
# of the above, on a family that fails, on a module that has grown over its line in constraints/baseline.csv
# (BASELINE, from the environment, names another file), on a warning of Yosys that
# constraints/yosys_allowed.txt does not name and, once the node is mapped to all families (in this run or in
# earlier ones), on an entry there that no longer occurs. Then also writes PAGE (from the environment), the
# tables for the documents. With UPDATE=yes the baseline becomes what was measured.
set -eu -o pipefail
work=$1 jobs=$2 top=$3 families=$4
shift 4
here=$(dirname "$0")
limit_seconds=3600  # of processor time, so that a busy computer changes nothing
baseline=${BASELINE:-$here/baseline.csv}
# Where paths begin and end: flip-flops, and memories whole, though some LUTRAM is read without a clock.
sequential="t:FD* t:TRELLIS_FF t:SB_DFF* t:RAM* t:DP16KD t:PDPW16KD t:TRELLIS_DPR* t:SB_RAM*"
mkdir -p "$work"
: > "$work/problems.txt"
if [ "${UPDATE:-}" = yes ]; then
  [ "$top" = mu_node ] || { echo "UPDATE=yes is for the whole node, not for $top"; exit 2; }
  [ -s "$baseline" ] || printf '# %s\n' 'SPDX-License-Identifier: Apache-2.0' \
    'family,module,parameters,LUT,FF,LUTRAM,RAM,DSP,path' > "$baseline"
fi
[ "${UPDATE:-}" = yes ] || [ "$top" != mu_node ] || grep -q "^[^#]" "$baseline" 2>/dev/null ||
  { echo "there is no $baseline: make synth UPDATE=yes writes it"; exit 2; }
sources=$(cat "$@" "$here/synth.sh" "$here/families.txt" | sha256sum | cut -d' ' -f1)
export work here top limit_seconds sources sequential

elaborate() {
  yosys -q -l "$work/elaborate.log" -p "read_verilog -sv $*; hierarchy -check -top $top; proc; chformal -remove; \
    opt_clean; check -assert; select -assert-none t:\$dlatch t:\$adlatch t:\$dlatchsr; \
    write_rtlil $work/elaborate.il" > /dev/null 2>&1 || { echo "$top: elaboration or its check failed"; return 1; }
  # Sets of parameters get plain names, mu_fifo__1 and so on. Names that Yosys makes up end with numbers that
  # it counts through all modules, and what ABC finds hangs on the order of names as text: by up to a third
  # for a module that has not changed. So each module counts for itself here, in numbers of one length.
  awk 'NR == FNR { if ($1 == "module" && $2 ~ /^\$/) {
           match($2, /mu_[a-z0-9_]+/)
           base = substr($2, RSTART, RLENGTH)
           plain[$2] = "\\" base "__" ++variant[base]
         }
         next }
       $1 == "autoidx" { print "autoidx 1000000000"; next }
       $1 == "module" { split("", counted); numbers = 0 }
       $1 == "module" && $2 in plain { print "module " plain[$2]; next }
       $1 == "cell" && $2 in plain { $2 = plain[$2]; $0 = "  " $0 }
       { line = ""
         while (match($0, /\$[0-9]+([^0-9\\]|$)/)) {
           number = substr($0, RSTART + 1) + 0
           if (!(number in counted)) counted[number] = 100000000 + ++numbers
           line = line substr($0, 1, RSTART) counted[number]
           $0 = substr($0, RSTART + 1)
           sub(/^[0-9]+/, "")
         }
         print line $0 }' "$work/elaborate.il" "$work/elaborate.il" > "$work/elaborated.il"
  yosys -q -l "$work/flat.log" -p "read_rtlil $work/elaborated.il; hierarchy -check -top $top; flatten; opt_clean; \
    check -assert" > /dev/null 2>&1 || { echo "$top: the check of the flattened design failed"; return 1; }
}

is_done() { [ -f "$work/$1.done" ] && [ "$(cat "$work/$1.done")" = "$sources" ]; }

map_family() {
  local family=$1 map
  map=$(sed -n "s/^$family  *\(.*[^ ]\) *#.*/\1/p" "$here/families.txt")
  [ "$map" ] || { echo "$family: not in constraints/families.txt" > "$work/$family.failed"; return; }
  if is_done "$family"; then return; fi
  rm -f "$work/$family".{done,failed,stat}
  TIMEFORMAT=%0U
  if { time (ulimit -t "$limit_seconds"; yosys -q -l "$work/$family.log" -p "read_rtlil $work/elaborated.il; \
      hierarchy -check -top $top; $map -top $top; check -assert; tee -o $work/$family.stat stat; \
      delete $sequential; design -push-copy; delete t:mu_*; tee -o $work/$family.path ltp; design -pop; flatten; \
      tee -o $work/$family.whole ltp" > /dev/null 2>&1); } \
      2> "$work/$family.seconds"; then
    echo "$sources" > "$work/$family.done"
  else
    echo "$top: $family failed or took more than $limit_seconds s of processor time" > "$work/$family.failed"
  fi
}
export -f map_family is_done

say_errors() { grep -h '^ERROR' "$@" 2>/dev/null | sort -u | head -n 5; }

logs=("$work/elaborate.log" "$work/flat.log")
rm -f "${logs[@]}"
if elaborate "$@" >> "$work/problems.txt"; then
  # shellcheck disable=SC2086
  printf '%s\n' $families | xargs -P "$jobs" -I FAMILY bash -c 'map_family FAMILY'
  for family in $families; do
    if [ -f "$work/$family.failed" ]; then
      { cat "$work/$family.failed"; say_errors "$work/$family.log"; } >> "$work/problems.txt" || true
      continue
    fi
    awk -v family="$family" -v top="$top" -v rows="$work/$family.csv" -v totals="$work/$family.total" \
      -f "$here/synth_table.awk" \
      rtl/rtl.f "$work/elaborated.il" "$work/$family."{path,whole,stat} > "$work/$family.md"
    cat "$work/$family.md"
    if [ "${UPDATE:-}" = yes ]; then
      { grep -v "^$family," "$baseline" || true; cat "$work/$family.csv"; } | LC_ALL=C sort > "$work/baseline.csv"
      mv "$work/baseline.csv" "$baseline"
    fi
    if [ "$top" = mu_node ] || [ "${BASELINE:-}" ]; then
      awk -F, -v family="$family" -f "$here/synth_growth.awk" "$baseline" "$work/$family.csv" >> "$work/problems.txt"
    fi
  done
else
  say_errors "${logs[@]}" >> "$work/problems.txt" || true
fi

# Warnings of all families that are mapped as the sources are now, without what changes from run to
# run: paths, line numbers, names that Yosys makes up.
whole=
if [ "$top" = mu_node ]; then whole=yes; fi
all_families=$(sed -n 's/^\([a-z0-9]*\) .*/\1/p' "$here/families.txt")
for family in $all_families; do
  if is_done "$family" || [[ " $families " = *" $family "* ]]; then logs+=("$work/$family.log"); else whole=; fi
done
{ cat "${logs[@]}" 2>/dev/null || true; } | { grep -h 'Warning: ' || true; } |
  sed 's/.*Warning: /Warning: /; s/ See .*//; s/\$[^ ]*:[0-9][^ ]*/$id/g; s/[^ ]*\.sv:[0-9.-]*/FILE/g; s/__[0-9][0-9]*//g;
    s|/tmp/[^ ]*/|/tmp/|g; s/ [0-9]* complex flops and [0-9]* carries/ N complex flops and N carries/' |
  sort -u > "$work/warnings.txt"
{ grep -v '^ *\(#\|$\)' "$here/yosys_allowed.txt" || true; } | sort -u > "$work/allowed.txt"
comm -23 "$work/warnings.txt" "$work/allowed.txt" | sed 's/^/not allowed: /' >> "$work/problems.txt"
if [ "$whole" ]; then comm -13 "$work/warnings.txt" "$work/allowed.txt" | sed 's/^/no longer occurs: /' >> "$work/problems.txt"; fi

if [ "$whole" ] && [ "${PAGE:-}" ] && [ ! -s "$work/problems.txt" ]; then
  # shellcheck disable=SC2086
  "$here/synth_page.sh" "$work" $all_families > "$PAGE"
  echo "synth: wrote $PAGE"
fi
cat "$work/problems.txt"
echo "synth: $(grep -c '^module' "$work/elaborated.il" 2>/dev/null || true) modules, $(wc -l < "$work/problems.txt") problems"
[ ! -s "$work/problems.txt" ]
