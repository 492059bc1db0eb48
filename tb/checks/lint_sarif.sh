#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What lint says of the checkout, as SARIF for editors and code hosts: tb/checks/lint_sarif.sh BUILD FILE.sarif TOP...
# Verilator reads the files of rtl/rtl.f once for each TOP. Exit status 0: written, whatever was found, which is the
# business of the jobs lint/...
set -eu -o pipefail
export LC_ALL=C
build=$1 file=$2
shift 2
logs=("$build/lint_sources.log")
tb/checks/source_lint.sh "$build" > "${logs[0]}" 2>&1 || true
for top; do
  logs+=("$build/lint_$top.log")
  verilator --lint-only -Wall --assert -Wno-fatal --top-module "$top" rtl/waivers.vlt -f rtl/rtl.f > "${logs[-1]}" 2>&1 || true
  if grep -q 'Cannot find file' "${logs[-1]}"; then cat "${logs[-1]}" && exit 1; fi
done
"$build/lint_sarif" "$file" "${logs[@]}"
