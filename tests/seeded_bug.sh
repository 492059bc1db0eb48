#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The bugs of tests/seeded_bugs.list:
#   tests/seeded_bug.sh names              their names
#   tests/seeded_bug.sh check              do all of them apply to the tree?
#   tests/seeded_bug.sh apply NAME FOLDER  puts one into a copy of the tree
#   tests/seeded_bug.sh run NAME FOLDER    makes that copy, with what is built, applies the bug and runs its check there
# Exit status 0 of `run` if the check fails and its output has the text that the list expects, so that only the right
# failure counts; if that names a test, no other runs.
set -eu -o pipefail
export LC_ALL=C
act=$1 name=${2:-} copy=${3:-}
read_list() { awk -v act="$1" -v name="$name" -v to="$copy" -f tests/seeded_bugs.awk tests/seeded_bugs.list; }
[ "$act" = run ] || { read_list "$act"; exit; }
{ read -r check; read -r expect; } < <(read_list show)
tests/copy_tree.sh "$copy"
tests=""
case $expect in "FAILED  ] "*) tests="TESTS=${expect#FAILED  ] }*" ;; esac
read_list apply
# shellcheck disable=SC2086
if timeout 1200 make -C "$copy" BUILD=build ${check#make } $tests > "$copy/output.txt" 2>&1; then
  echo "$check passes with the bug"
  exit 1
fi
if ! grep -q -F -- "$expect" "$copy/output.txt"; then
  tail -n 20 "$copy/output.txt"
  echo "$check fails, but not with '$expect'"
  exit 1
fi
rm -rf "$copy"
echo "seen: $expect"
