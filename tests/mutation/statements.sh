#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Mutants of statements, of the RTL, the library and the simulator alike: tests/mutation/statements.sh FOLDER PART COUNT SEED.
# COUNT of them are drawn by SEED from PART (rtl, host or sim): a condition is turned round, or a statement of a clocked process or
# of C++ is left out. They are built at once into the test programs of a copy of the tree; there TORUSMU_MUTANT=NUMBER says
# which is alive, and the programs that have to see it run until one fails.
# Prints a line for each, and leaves them in FOLDER/mutants.txt: NUMBER, FILE:LINE and what is broken, and which test saw it, or
# "survives". Exit status 1 if less than 75 % are seen, or a program fails without a mutant.
set -eu -o pipefail
export LC_ALL=C
folder=$1 part=$2 count=$3 seed=$4
least=75
programs="host scenario fuzz node"
case $part in
  rtl) sources='rtl/*.sv' programs="node host scenario" ;;
  host) sources='host/src/*.cc' ;;
  sim) sources='sim/*.cc' programs="scenario host fuzz layout regress docs cli machine" ;;
  *) echo "PART is rtl, host or sim, not '$part'"; exit 2 ;;
esac
mapfile -t files < <(git ls-files "$sources" | grep -vE '^rtl/package/|_main.cc$|/main.cc$|wave_diff/fstapi|play/bench/')
mkdir -p "$folder"
listed=$(awk -v act=list -f tests/mutation/statements.awk "${files[@]}")
awk -v seed="$seed" 'BEGIN { srand(seed) } { printf "%.9f\t%s\n", rand(), $0 }' <<< "$listed" | sort -n |
  awk -F '\t' -v OFS='\t' -v count="$count" 'NR <= count { $1 = NR; print }' > "$folder/list"
copy=$folder/tree
tests/copy_tree.sh "$copy"
list=$(realpath "$folder/list")
while read -r file; do
  awk -v act=plant -v mutants="$list" -f tests/mutation/statements.awk "$file" > "$copy/$file"
done < <(cut -f2 "$list" | sort -u)
cat > "$copy/mutant.h" <<'TEXT'
#pragma once
#include <cstdlib>
namespace torusmu_mutant {
inline bool is_alive(int number) {
  static const char* const text = std::getenv("TORUSMU_MUTANT");
  static const int alive = text == nullptr ? 0 : std::atoi(text);
  return number == alive;
}
}
TEXT
printf '#include "mutant.h"\nbool torusmu_mutant_is_alive(int number) { return torusmu_mutant::is_alive(number); }\n' >> "$copy/tb/verilated_stop.cc"
make -C "$copy" BUILD=build tests-build all > "$folder/build.log" 2>&1 || { tail -n 20 "$folder/build.log"; exit 1; }
cd "$copy"
# judged NUMBER PROGRAM...: the first of the programs that fails, and in which test.
judged() {
  local number=$1 program log name
  log=$(mktemp -p build)
  for program in "${@:2}"; do
    [ -x "build/tests/${program}_tests" ] || continue
    if ! TORUSMU_MUTANT=$number GTEST_FAIL_FAST=1 timeout 900 "build/tests/${program}_tests" --gtest_brief=1 > "$log" 2>&1; then
      name=$(grep -m 1 -oE 'FAILED  \] [A-Za-z0-9_/.]+' "$log" | cut -c 11- || true)
      echo "seen by $program: ${name:-it ends within a test}"
      return
    fi
  done
  echo survives
}
# shellcheck disable=SC2086
[ "$(judged 0 $programs)" = survives ] || { echo "fails without a mutant: $(judged 0 $programs)"; exit 1; }
while IFS=$'\t' read -r number file line _ size; do
  own=""
  [ "$part" != rtl ] || own=$(basename "$(dirname "$file")")
  kind=$([ "$size" = 0 ] && echo "statement left out" || echo "condition turned round")
  # shellcheck disable=SC2086
  echo "$number $file:$line, $kind: $(judged "$number" $own $programs)"
done < "$list" | tee "../mutants.txt"
cd - > /dev/null
seen=$(grep -c ': seen by' "$folder/mutants.txt" || true)
echo "$seen of $count mutants are seen"
[ $((100 * seen)) -ge $((least * count)) ] || { echo "at least $least % should be"; exit 1; }
rm -rf "$copy"
