#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The end of a verb made of checks: tb/checks/summarise.sh VERB SUMMARY RESULT...
# Collects the results in SUMMARY, shows what the failed checks said and forgets those results, so that they
# run again. Exit status 1 if any failed.
set -u
verb=$1 summary=$2
shift 2
mkdir -p "$(dirname "$summary")"
cat /dev/null "$@" > "$summary"
for result in "$@"; do
  if grep -q '^FAIL' "$result"; then
    echo "--- $(cut -d' ' -f2 "$result")"
    tail -n 40 "$result.log"
    rm "$result"
  fi
done
passed=$(grep -c '^PASS' "$summary")
failed=$(grep -c '^FAIL' "$summary")
echo "$verb: $passed passed, $failed failed"
[ "$failed" = 0 ]
