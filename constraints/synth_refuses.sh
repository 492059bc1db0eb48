#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Synthesis must stop at a fault: constraints/synth_refuses.sh WORK_FOLDER FILE
# Exit status 0 if constraints/synth.sh ends with 1 on FILE and says what its line "// Expect: text" says. The
# family is xc7, or what its line "// Family: name" says; the baseline has what its lines "// Baseline: row" say,
# the budget what "// Budget: row" do.
set -u
export LC_ALL=C
work=$1 fault=$2
top=$(basename "$fault" .sv)
expect=$(sed -n 's|^// Expect: ||p' "$fault")
family=$(sed -n 's|^// Family: ||p' "$fault")
[ -n "$expect" ] || { echo "$fault: a line '// Expect: text'"; exit 1; }
mkdir -p "$work"
export BASELINE="$work/baseline.csv" BUDGET="$work/budget.csv"
sed -n 's|^// Baseline: ||p' "$fault" > "$BASELINE"
sed -n 's|^// Budget: ||p' "$fault" > "$BUDGET"
"$(dirname "$0")/synth.sh" "$work" 1 "$top" "${family:-xc7}" "$fault" > "$work/output.txt" 2>&1
status=$?
cat "$work/output.txt"
[ "$status" = 1 ] || { echo "exit status $status"; exit 1; }
grep -q -F -- "$expect" "$work/output.txt" || { echo "not refused with '$expect'"; exit 1; }
echo "refused: $expect"
