#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Synthesis, module by module: constraints/synth.sh WORK_FOLDER JOBS TOP "FAMILY..." FILE...
#
# The design is elaborated once; then each module (each set of parameters is a module of its own) is checked
# for latches, combinational loops, undriven and multiply driven nets, and mapped to each family with its
# children as black boxes. Prints a table; what a module costs leaves its children out, the total counts
# every instance. Fails on any of the above, on a warning of Yosys that constraints/yosys_allowed.txt does not
# name, and (where TOP is the node) on an entry there that no longer occurs.
set -eu -o pipefail
work=$1 jobs=$2 top=$3 families=$4
shift 4
here=$(dirname "$0")
mkdir -p "$work/modules"
export work here top families

yosys -q -l "$work/elaborate.log" -p "read_verilog -sv $*; hierarchy -check -top $top; proc; \
  chformal -remove; opt_clean; write_rtlil $work/elaborate.il" || { tail -n 5 "$work/elaborate.log"; exit 1; }

# Sets of parameters get plain names, mu_fifo__1 and so on. Then one block a module: its text decides whether
# it must run again.
awk 'NR == FNR { if ($1 == "module" && $2 ~ /^\$/) {
         match($2, /mu_[a-z0-9_]+/)
         base = substr($2, RSTART, RLENGTH)
         plain[$2] = "\\" base "__" ++variant[base]
       }
       next }
     $1 == "module" && $2 in plain { print "module " plain[$2]; next }
     $1 == "cell" && $2 in plain { print "  cell " plain[$2] " " $3; next }
     { print }' "$work/elaborate.il" "$work/elaborate.il" > "$work/elaborated.il"
awk -v folder="$work/modules" '
  /^module / {
    name = substr($2, 2)
    text = folder "/" name ".il"
    print name
    printf "" > text
  }
  text != "" && !/attribute \\src/ { print > text }
  /^end$/ { close(text); text = "" }' "$work/elaborated.il" > "$work/modules.list"

synthesise() {
  name=$1
  folder=$work/modules/$name
  hash=$(cat "$folder.il" "$here"/synth.sh | sha256sum | cut -d' ' -f1)" $families"
  if [ -f "$folder/hash" ] && [ "$(cat "$folder/hash")" = "$hash" ]; then return; fi
  rm -rf "$folder" && mkdir -p "$folder"
  only="read_rtlil $work/elaborated.il; blackbox * $name %d; hierarchy -check -top $name"
  timeout 600 yosys -q -l "$folder/check.log" -p "$only; opt_clean; check -assert; \
    select -assert-none t:\$dlatch t:\$adlatch t:\$dlatchsr" > /dev/null 2>&1 || echo "$name: check failed" > "$folder/failed"
  for family in $families; do
    case $family in
      xc7) map="synth_xilinx -family xc7 -noiopad -noclkbuf -top $name" ;;
      ecp5) map="synth_ecp5 -top $name" ;;
      ice40) map="synth_ice40 -dsp -device u -top $name" ;;
      *) echo "$family: no such family" > "$folder/failed"; return ;;
    esac
    timeout 600 yosys -q -l "$folder/$family.log" -p "$only; $map; tee -o $folder/$family.stat stat" > /dev/null 2>&1 ||
      echo "$name: $family failed or took more than 600 s" >> "$folder/failed"
  done
  [ -f "$folder/failed" ] || echo "$hash" > "$folder/hash"
  printf '  synthesised %s\n' "$name" >&2
}
export -f synthesise
xargs -P "$jobs" -L 1 bash -c 'synthesise "$@"' _ < "$work/modules.list"

for family in $families; do
  awk -v family="$family" -v top="$top" -v work="$work" -f "$here/synth_table.awk" \
    "$work/modules.list" "$work/elaborated.il" | tee "$work/$family.txt"
done

# Warnings, without what changes from run to run: paths, line numbers, names that Yosys makes up.
logs=("$work/elaborate.log")
while read -r name; do logs+=("$work/modules/$name"/*.log); done < "$work/modules.list"
cat "${logs[@]}" | grep -h 'Warning: ' | sed 's/.*Warning: /Warning: /; s/ See .*//; s/\$[^ ]*:[0-9][^ ]*/$id/g; s/[^ ]*\.sv:[0-9.-]*/FILE/g' |
  sort -u > "$work/warnings.txt" || true
grep -v '^ *\(#\|$\)' "$here/yosys_allowed.txt" | sort -u > "$work/allowed.txt" || true
comm -23 "$work/warnings.txt" "$work/allowed.txt" | sed 's/^/not allowed: /' > "$work/problems.txt"
if [ "$top" = mu_node ]; then comm -13 "$work/warnings.txt" "$work/allowed.txt" | sed 's/^/no longer occurs: /' >> "$work/problems.txt"; fi
while read -r name; do
  if [ -f "$work/modules/$name/failed" ]; then
    cat "$work/modules/$name/failed"
    grep -h 'ERROR\|Warning: .*loop\|no driver\|multiple' "$work/modules/$name/"*.log | sort -u | head -n 5
  fi
done < "$work/modules.list" >> "$work/problems.txt"
cat "$work/problems.txt"
echo "synth: $(wc -l < "$work/modules.list") modules, $(wc -l < "$work/problems.txt") problems"
[ ! -s "$work/problems.txt" ]
