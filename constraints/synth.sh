#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Synthesis: constraints/synth.sh WORK_FOLDER JOBS TOP "FAMILY..." FILE...
#
# The design is elaborated and checked for latches, combinational loops, undriven and multiply driven nets,
# module by module and once more flattened, where what crosses modules shows. Then each family maps each
# module (each set of parameters is one of its own) by itself, unless that has been done: synth_module.sh.
# Prints a table a family. Fails on any of the above, on a module that cannot be mapped or has grown over its
# line in constraints/baseline.csv (BASELINE, from the environment, names another file), on a warning of Yosys
# that constraints/yosys_allowed.txt does not name and, once the node is mapped to all families (in this run
# or in earlier ones), on an entry there that no longer occurs. Then also writes PAGE (from the environment),
# the tables for the documents. With UPDATE=yes the baseline becomes what was measured.
set -eu -o pipefail
work=$1 jobs=$2 top=$3 families=$4
shift 4
here=$(dirname "$0")
baseline=${BASELINE:-$here/baseline.csv}
mkdir -p "$work"
: > "$work/problems.txt"
if [ "${UPDATE:-}" = yes ]; then
  [ "$top" = mu_node ] || { echo "UPDATE=yes is for the whole node, not for $top"; exit 2; }
  [ -s "$baseline" ] || printf '# %s\n' 'SPDX-License-Identifier: Apache-2.0' \
    'family,module,parameters,LUT,FF,LUTRAM,RAM,DSP,path' > "$baseline"
fi
[ "${UPDATE:-}" = yes ] || [ "$top" != mu_node ] || grep -q "^[^#]" "$baseline" 2>/dev/null ||
  { echo "there is no $baseline: make synth UPDATE=yes writes it"; exit 2; }
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

# What each family still has to map, the largest modules first.
map_modules() {
  local todo=$work/todo.txt
  for module in $modules; do
    for family in $families; do
      "$here/synth_module.sh" "$work" "$family" "$module" is-done || echo "$work $family $module"
    done
  done > "$todo"
  xargs -r -P "$jobs" -L 1 "$here/synth_module.sh" < "$todo" 2>> "$work/problems.txt" |
    awk -v all="$(wc -l < "$todo")" 'NR % 50 == 0 || NR == all { print "synth: " NR " of " all " modules mapped"; fflush() }' || true  # what is not mapped has said why
}
family_is_done() {
  for module in $modules; do "$here/synth_module.sh" "$work" "$1" "$module" is-done || return; done
}
# What is known of each module of a family in one file, and the longest path through all of them.
join_modules() {
  local out=$work/$1 module read=
  for module in $modules; do
    read="$read read_rtlil $out/$module.il;"
    cat "$out/$module.stat" >&3
    cat "$out/$module.path" >&4
  done 3> "$out.stat" 4> "$out.path"
  yosys -q -l "$out.log" -p "$read $(script_of "$1") -top $top -run begin:begin; flatten; tee -o $out.whole ltp" \
    > /dev/null 2>&1 || { echo "$top: the modules on $1 do not fit together"; return 1; }
  for module in $modules; do cat "$out/$module.seconds"; done | awk '{ sum += $1 } END { printf "%d\n", sum }' > "$out.seconds"
}
script_of() { sed -n "s/^$1  *\(.*[^ ]\) *#.*/\1/p" "$here/families.txt"; }
table_of() {
  awk -v family="$1" -v top="$top" -v rows="$work/$1.csv" -v totals="$work/$1.total" -f "$here/synth_table.awk" \
    rtl/rtl.f "$work/elaborated.il" "$work/$1."{path,whole,stat} > "$work/$1.md"
  cat "$work/$1.md"
  if [ "${UPDATE:-}" = yes ]; then
    { grep -v "^$1," "$baseline" || true; cat "$work/$1.csv"; } | LC_ALL=C sort > "$work/baseline.csv"
    mv "$work/baseline.csv" "$baseline"
  fi
  if [ "$top" = mu_node ] || [ "${BASELINE:-}" ]; then
    awk -F, -v family="$1" -f "$here/synth_growth.awk" "$baseline" "$work/$1.csv" >> "$work/problems.txt"
  fi
}

logs=("$work/elaborate.log" "$work/flat.log")
modules=
rm -f "${logs[@]}"
for family in $families; do
  [ "$(script_of "$family")" ] || echo "$family: not in constraints/families.txt" >> "$work/problems.txt"
done
if [ ! -s "$work/problems.txt" ] && elaborate "$@" >> "$work/problems.txt"; then
  rm -rf "$work/modules" && mkdir -p "$work/modules"
  modules=$(awk -v folder="$work/modules" -f "$here/synth_split.awk" "$work/elaborated.il" | sort -nr | cut -d' ' -f2)
  map_modules
  for family in $families; do
    if family_is_done "$family" && join_modules "$family" >> "$work/problems.txt"; then table_of "$family"; fi
  done
else
  { grep -h '^ERROR' "${logs[@]}" 2> /dev/null || true; } | sort -u | head -n 5 >> "$work/problems.txt"
fi

# Warnings of all families that are mapped as the sources are now, without what changes from run to
# run: paths, line numbers, names that Yosys makes up.
whole=
if [ "$top" = mu_node ] && [ "$modules" ]; then whole=yes; fi
all_families=$(sed -n 's/^\([a-z0-9]*\) .*/\1/p' "$here/families.txt")
for family in $all_families; do
  if family_is_done "$family"; then
    for module in $modules; do logs+=("$work/$family/$module.log"); done
  else
    whole=
  fi
done
{ cat "${logs[@]}" 2>/dev/null || true; } | { grep -h 'Warning: ' || true; } |
  sed 's/.*Warning: /Warning: /; s/ See .*//; s/\$[^ ]*:[0-9][^ ]*/$id/g; s/\$[a-z_]*\$[0-9][^ ]*/$id/g
    s/[^ ]*\.sv:[0-9.-]*/FILE/g; s/__[0-9][0-9]*//g; s|/tmp/[^ ]*/|/tmp/|g
    s/ [0-9]* complex flops and [0-9]* carries/ N complex flops and N carries/' |
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
