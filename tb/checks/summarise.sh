#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The end of a verb made of checks: tb/checks/summarise.sh VERB SUMMARY RESULT...
# Collects the results in SUMMARY, with the cycles and the seeds that the checks said in lines "CYCLES N" and "SEED N",
# shows what the failed checks said and forgets those results, so that they run again. Exit status 1 if any failed, is
# not there or says neither, or if SUMMARY cannot be written.
set -u
export LC_ALL=C
verb=$1 summary=$2
shift 2
mkdir -p "$(dirname "$summary")"
rm -f "$summary"
{
  for result in "$@"; do
    if ! grep -s -m 1 -E '^(PASS|FAIL) ' "$result"; then
      echo "FAIL $result: no verdict in it" | tee /dev/stderr
      rm -f "$result"
    fi
  done
  logs=("${@/%/.log}")
  cat /dev/null "${logs[@]}" 2> /dev/null | grep -a '^CYCLES [0-9]*$'
  cat /dev/null "${logs[@]}" 2> /dev/null | grep -a '^SEED ' | sort -u
} > "$summary"
for result in "$@"; do
  if grep -s -q '^FAIL' "$result"; then
    echo "--- $(cut -d' ' -f2 "$result")"
    tail -n 40 "$result.log"
    rm "$result"
  fi
done
passed=$(grep -c '^PASS ' "$summary")
failed=$(grep -c '^FAIL ' "$summary")
if [ $((passed + failed)) != $# ]; then
  rm -f "$summary"
  echo "$verb: $summary cannot be written"
  exit 1
fi
echo "$verb: $passed passed, $failed failed"
[ "$failed" = 0 ]
