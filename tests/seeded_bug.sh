#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A seeded bug must turn its check red: tests/seeded_bug.sh PATCH COPY_FOLDER
# Applies the patch to a copy of the tree, with what is built, and runs what its line "Check: make VERB..." says.
# Exit status 0 if that fails and its output has the text of the line "Expect: text", so that only the right failure counts;
# if that names a test, no other runs.
set -eu -o pipefail
export LC_ALL=C
patch=$(realpath "$1") copy=$2
check=$(sed -n 's/^Check: make //p' "$patch")
expect=$(sed -n 's/^Expect: //p' "$patch")
[ -n "$check" ] && [ -n "$expect" ] || { echo "$1: a line 'Check: make VERB' and a line 'Expect: text'"; exit 2; }
rm -rf "$copy"
mkdir -p "$copy"
# With what is built of it, so that only what the patch touches is built again.
git ls-files -z | xargs -0 cp -p --parents -t "$copy"
mkdir -p "$copy/build"
for built in build/{flags,identity,models,node,node_train,node_wave,mesh,obj,obj_wave,tests,*.a,*.mk,torusmu*,run_tests,write_identity}; do
  [ ! -e "$built" ] || cp -a "$built" "$copy/build"
done
case $expect in "FAILED  ] "*) export GTEST_FILTER="${expect#FAILED  ] }*" ;; esac
patch -s -p1 -d "$copy" < "$patch" || { echo "the patch does not apply any more"; exit 1; }
# shellcheck disable=SC2086
if timeout 1200 make -C "$copy" BUILD=build $check > "$copy/output.txt" 2>&1; then
  echo "make $check passes with the bug"
  exit 1
fi
if ! grep -q -F -- "$expect" "$copy/output.txt"; then
  tail -n 20 "$copy/output.txt"
  echo "make $check fails, but not with '$expect'"
  exit 1
fi
rm -rf "$copy"
echo "seen: $expect"
