#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Is the tuned model of the node what Verilator writes, and how much faster is it? sim/model/against_plain.sh TUNED PLAIN has
# both programs (build/torusmu and that of `make MODEL=plain`) play the same runs, and prints one JSON object: the runs with what
# came of them, the speeds in the replay of LULESH-27, million node-cycles a second of CPU time, the best of some rounds in which
# each comes first in turn, and their ratio. Exit status 1: hashes of flits or memories, or cycles, are not the same.
set -euf -o pipefail
export LC_ALL=C
rounds=5
tuned=$1 plain=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# result PROGRAM ARGUMENT...: what the run says of itself; it has to pass.
result() {
  rm -f "$folder/result.json"
  "$@" --quiet --json "$folder/result.json" > /dev/null
  sed -nE 's/^  ("(flit_hash|memory_hash|cycles)": [^,]*),?$/\1/p' "$folder/result.json" | paste -sd ',' | sed 's/,/, /g'
}
speed() {
  "$1" replay tests/traces/lulesh-27.trace --quiet --json "$folder/result.json" > /dev/null
  sed -n 's/.*"node_cycles_per_second": *\([0-9.e+]*\).*/\1/p' "$folder/result.json"
}
same=true runs=''
while read -r run; do
  # shellcheck disable=SC2086
  a=$(result "$tuned" $run)
  # shellcheck disable=SC2086
  b=$(result "$plain" $run)
  [ "$a" = "$b" ] || same=false
  [ "$a" = "$b" ] || echo "$run: $a; with the plain model $b" >&2
  runs+="${runs:+, }{\"run\": \"$run\", $a}"
done << 'RUNS'
scenario put
scenario allreduce
scenario channels --timing random
scenario fence --timing random --seed 7
replay tests/traces/lulesh-8.trace
replay tests/traces/lulesh-8.trace --collectives offload --timing random
RUNS
for ((round = 1; round <= rounds; round++)); do
  if ((round % 2)); then order="tuned plain"; else order="plain tuned"; fi
  for model in $order; do speed "${!model}" >> "$folder/$model"; done
done
best() { sort -g "$folder/$1" | tail -n 1; }
awk -v runs="$runs" -v same=$same -v tuned="$(best tuned)" -v plain="$(best plain)" 'BEGIN {
  printf "{\"same\": %s, \"runs\": [%s],\n \"tuned\": %.1f, \"plain\": %.1f, \"ratio\": %.2f}\n",
    same, runs, tuned / 1e6, plain / 1e6, tuned / plain
}'
$same
