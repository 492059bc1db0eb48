#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The proofs of tb/formal/*.list for SymbiYosys: tb/checks/sby.sh FOLDER CLOSURES
# Writes FOLDER/NAME.sby for each; CLOSURES is build/closures.mk, which says what files a module needs. From the root of the
# tree, `sby -f FOLDER/NAME.sby` proves the same of the same files by the same engine as tb/checks/prove.sh.
set -euf -o pipefail
export LC_ALL=C
folder=$1 closures=$2
mkdir -p "$folder"
rm -rf "$folder/design"
# write NAME TOP ENGINE OPTIONS
write() {
  local name=$1 engine=$3 file options
  options=$(sed 's/\<nightly\>//' <<< "$4")
  # shellcheck disable=SC2046
  . "$(dirname "$0")/proof_design.sh" "$folder/design" "$2" "$options" $(sed -n "s/^CLOSURE_$2 := //p" "$closures")
  echo "# Proof $name of tb/formal/, written by tb/checks/sby.sh."
  printf '[options]\nmode prove\ndepth %s\ntimeout %s\n\n[engines]\n' "$depth" "$timeout"
  case $engine in
    pdr) echo "abc pdr" ;;
    induction) echo "smtbmc --unroll z3" ;;
    *) echo "$name: unknown engine '$engine'" >&2; exit 2 ;;
  esac
  printf '\n[script]\n%s\n' "$(sed 's/; */\n/g' <<< "$read; proc; $keep" | sed '/^ *$/d; s/  */ /g; s/ $//')"
  printf '\n[files]\n'
  for file in $files $(sed -n 's/^ *`include "\(.*\)".*/\1/p' $files | sort -u); do
    echo "$file $file"
  done
}
cat $(set +f; echo tb/formal/*.list) | while read -r name top engine options; do
  case $name in ""|"#"*) continue ;; esac
  (write "$name" "$top" "$engine" "$options") > "$folder/$name.sby"
done
rm -rf "$folder/design"
