#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The mutants of the unit tests for mcy of YosysHQ: tests/mutation/mcy.sh FOLDER BUILD BLOCK
# Writes FOLDER/MODEL/config.mcy for each model of the block, as BUILD/mutation.mk and BUILD/closures.mk have them, with the
# block's own modules, seed 1 and 300 mutants in all, as tests/mutation/netlist.sh draws them. `mcy init && mcy run` there
# judges each by the same tests: tests/mutation/mcy_test.sh.
set -euf -o pipefail
export LC_ALL=C
folder=$1 build=$2 block=$3 root=$PWD
mapfile -t models < <(sed -n "s/^\$(eval \$(call mutated_model,$block,\(.*\)))\$/\1/p" "$build/mutation.mk")
[ ${#models[@]} -gt 0 ] || { echo "$build/mutation.mk: there is no block '$block'"; exit 2; }
for line in "${models[@]}"; do
  IFS=, read -r model source _ count flags <<< "$line"
  module=$(basename "$source" .sv) macros="" parameters="" files=""
  for word in $flags; do
    case $word in
      -D*) macros="$macros $word" ;;
      -G*=*) word=${word#-G} parameters="$parameters -chparam ${word/=/ }" ;;
    esac
  done
  files=$(sed -n "s/^CLOSURE_$module := //p" "$build/closures.mk")
  mkdir -p "$folder/$model"
  cat > "$folder/$model/config.mcy" <<TEXT
# Mutants of $model for the unit tests of $block, written by tests/mutation/mcy.sh.
[options]
size $(((300 + count - 1) / count))
seed 1
tags COVERED UNCOVERED

[script]
read_verilog -sv$macros $(basename -a $files | paste -s -d ' ')
hierarchy -check -top $module$parameters
rename -top $module
proc
flatten
chformal -assume -remove
chformal -cover -remove
opt_clean

[files]
$(sed "s| |\n$root/|g; s|^|$root/|" <<< "$files")

[logic]
tag("UNCOVERED" if result("unit") == "PASS" else "COVERED")

[report]
if tags("COVERED") + tags("UNCOVERED"):
    print("Coverage: %.2f%%" % (100.0 * tags("COVERED") / (tags("COVERED") + tags("UNCOVERED"))))

[test unit]
expect PASS FAIL
run bash $root/tests/mutation/mcy_test.sh $root $block $model
TEXT
done
