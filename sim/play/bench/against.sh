#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Is the engine as fast as it was? sim/play/bench/against.sh PROGRAM BEFORE FOLDER RESULT builds commit BEFORE under FOLDER and has
# its program and PROGRAM run `bench engine` in turn, so that both see the same computer at the same time. RESULT is a JSON file:
# the two commits and what each program measured in each round. Exit status 2: BEFORE is no commit, or does not build.
set -euf -o pipefail
export LC_ALL=C
rounds=7
program=$1 before=$2 folder=$3 result=$4
commit=$(git rev-parse --verify --quiet "$before^{commit}") || {
  echo "bench: BEFORE is a commit of this repository, not '$before'" >&2
  exit 2
}
tree=$folder/$commit
mkdir -p "$tree"
[ -f "$tree/Makefile" ] || git archive "$commit" | tar -x -C "$tree"
echo "building $commit in $tree"
env -u MAKEFLAGS -u MAKELEVEL make -s -C "$tree" build/torusmu > "$folder/build.log" 2>&1 || {
  echo "bench: $commit does not build, see $folder/build.log" >&2
  exit 2
}
# The mesh engine is not compared, and need not be there: the check for it may fail.
measure() {
  (cd "$1" && "$2" bench engine --quiet --json "$3" > /dev/null 2>&1) || true
}
mkdir -p "$(dirname "$result")"
{
  printf '{"before": "%s", "commit": "%s", "rounds": [' "$commit" "$(git rev-parse HEAD)"
  here=$PWD
  for ((round = 1; round <= rounds; round++)); do
    echo "round $round of $rounds" >&2
    # Each comes first in turn.
    ((round % 2)) || measure "$here" "$program" "$here/$folder/now.json"
    measure "$tree" build/torusmu "$here/$folder/before.json"
    ((round % 2 == 0)) || measure "$here" "$program" "$here/$folder/now.json"
    [ "$round" = 1 ] || printf ', '
    printf '{"before": %s, "now": %s}' "$(cat "$folder/before.json")" "$(cat "$folder/now.json")"
  done
  printf ']}\n'
} > "$result.part"
mv "$result.part" "$result"
