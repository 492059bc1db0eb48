#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The mutation check of a block: tests/mutation/block.sh WORK_FOLDER BLOCK REPORT REASONS JOBS SEED
# WORK_FOLDER/judge runs the unit tests on all mutants; for those that survive a proof of equivalence is tried, for the seconds
# that WORK_FOLDER/block gives before the models. Beside them some that were killed are tried: if those all came out as equivalent, proofs would mean nothing.
# SEED, which the mutants were drawn from, is said. REASONS is what a person says of survivors.
set -euf -o pipefail
export LC_ALL=C
work=$1 block=$2 report=$3 reasons=$4 jobs=$5 here=$(dirname "$0")
echo "SEED $6"
read -r seconds models < "$work/block"
set -- $models
mutants=()
for model in "$@"; do mutants+=("$model=$(wc -l < "$work/$model.list")"); done
"$work/judge" --verdicts "$work/verdicts" --jobs "$jobs" "${mutants[@]}"
: > "$work/proofs"
for model in "$@"; do
  mapfile -t chosen < <(awk -v model="$model" '$1 != model { next } $3 == "survived" || ++killed <= 3 { print $2 }' "$work/verdicts")
  "$here/prove.sh" "$work" "$model" "$jobs" "$seconds" "${chosen[@]}"
  cat "$work/$model.proofs" >> "$work/proofs"
done
"$report" "$work" "$block" "$reasons"
