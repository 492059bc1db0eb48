#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A seeded bug must make its proof fail: tb/checks/prove_twin.sh PATCH WORK_FOLDER TOP ENGINE "OPTIONS" FILE...
# The patch is applied to a copy of the files. Only a counterexample counts, not a tool that gives up.
set -eu
export LC_ALL=C
patch=$1 work=$2 top=$3 engine=$4 options=$5
shift 5
rm -rf "$work" && mkdir -p "$work"
copies=()
for file in "$@"; do
  mkdir -p "$work/$(dirname "$file")"
  cp "$file" "$work/$file"
  copies+=("$work/$file")
done
patch -s -p1 -d "$work" < "$patch" || { echo "the patch does not apply any more"; exit 1; }
status=0
EXPLAIN=no "$(dirname "$0")/prove.sh" "$work" "$top" "$engine" "$options" "${copies[@]}" || status=$?
[ "$status" = 1 ] || { echo "the proof did not see the bug (status $status)"; exit 1; }
echo "seen"
