#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs test programs with many seeds: tests/seeds.sh BUILD COUNT PROGRAM...
# Seeds start at FIRST_SEED (default: today's date, so that every night sees new ones). A failure is
# printed with the command that repeats it.
set -u
build=$1 count=$2
shift 2
first=${FIRST_SEED:-$(date +%Y%m%d)000}
results=$build/results/seeds.txt
mkdir -p "$build/results"
: > "$results"
for program in "$@"; do
  failed=0
  for ((seed = first; seed < first + count; seed++)); do
    if ! TORUSMU_SEED=$seed timeout 600 "$program" --gtest_brief=1 > "$build/results/seed.log" 2>&1; then
      echo "TORUSMU_SEED=$seed $program"
      grep 'FAILED\|Failure' "$build/results/seed.log" | head -n 5
      failed=$((failed + 1))
    fi
  done
  if [ "$failed" = 0 ]; then echo "PASS seeds.$(basename "$program")"; else echo "FAIL seeds.$(basename "$program")"; fi >> "$results"
done
[ "$(grep -c '^FAIL' "$results")" = 0 ]
