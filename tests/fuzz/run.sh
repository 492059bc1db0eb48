#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes one target: tests/fuzz/run.sh BUILD TARGET SECONDS SEED
# New inputs go to BUILD/fuzz/found/TARGET; one that fails is kept there as crash-*.
set -eu -o pipefail
export LC_ALL=C
build=$1 target=$2 seconds=$3 seed=$4
found=$build/fuzz/found/$target
mkdir -p "$found"
words=()
for file in tests/fuzz/"$target".dict; do [ ! -e "$file" ] || words+=("-dict=$file"); done
for corpus in "$build/fuzz/corpus/$target"; do [ ! -e "$corpus" ] || words+=("$corpus"); done
echo "SEED $seed"
exec "$build/fuzz/${target}_fuzz" -max_total_time="$seconds" -seed="$seed" -max_len=2048 -len_control=0 -timeout=60 \
  -rss_limit_mb=4096 -artifact_prefix="$found/" "$found" "${words[@]}"
