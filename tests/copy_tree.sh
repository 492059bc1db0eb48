#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A copy of the tree in which something may be broken: tests/copy_tree.sh FOLDER. With what is built of it, so that only what is
# changed there is built again.
set -eu -o pipefail
export LC_ALL=C
copy=$1
rm -rf "$copy"
mkdir -p "$copy/build"
git ls-files -z | xargs -0 cp -p --parents -t "$copy"
for built in build/{flags,identity,lab,models,node,node_train,node_wave,mesh,obj,obj_wave,tests,*.a,*.mk,torusmu*,write_identity}; do
  [ ! -e "$built" ] || cp -a "$built" "$copy/build"
done
