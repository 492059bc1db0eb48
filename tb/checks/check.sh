#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One check: tb/checks/check.sh NAME RESULT COMMAND...
# Runs the command, prints one line, and leaves "PASS NAME seconds" or "FAIL NAME seconds" in RESULT and what
# the command said in RESULT.log. Exit status 0 either way: `summarise.sh` says what failed. 1, and no RESULT, if those
# cannot be written, as on a full disk.
set -u
export LC_ALL=C
name=$1 result=$2
shift 2
mkdir -p "$(dirname "$result")"
rm -f "$result" "$result.new"
start=$(date +%s.%N)
# Appended, so that what a command writes by other ways to its error output stays in order.
: > "$result.log" || { echo "$name: $result.log cannot be written"; exit 1; }
if "$@" >> "$result.log" 2>&1; then verdict=PASS; else verdict=FAIL; fi
seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
if ! echo "$verdict $name $seconds" > "$result.new" || ! mv "$result.new" "$result"; then
  rm -f "$result.new"
  echo "$name: $result cannot be written"
  exit 1
fi
detail=$(tail -n 1 "$result.log" | cut -c 1-100)
[ "$verdict" = PASS ] || detail=""
printf '  %s %-44s %6s s  %s\n' "$verdict" "$name" "$seconds" "$detail"
if [ "${CHECK_ALONE:-}" = yes ] && [ "$verdict" = FAIL ]; then
  tail -n 40 "$result.log"
  rm -f "$result"
  exit 1
fi
