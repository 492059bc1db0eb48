#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Coverage of the plan tests/coverage/plan.json: tests/coverage/run.sh BUILD
# BUILD/coverage has the programs that count. The data have a folder of their own until the run has ended: regress turns a second
# runner away, and the data of the first are still there. The lines go to lcov, BUILD/coverage/coverage.info. Exit status 1:
# a test failed, or less was reached than tests/coverage/goals.json asks for.
set -eu -o pipefail
export LC_ALL=C
build=$1 covered=$1/coverage
new=$(mktemp -d "$covered/data.XXXXXX")
trap 'rm -rf "$new"' EXIT
TORUSMU_COVERAGE=$new "$covered/torusmu" regress tests/coverage/plan.json --output "$covered/regress" --json "$build/results/coverage.json"
rm -rf "$covered/data"
mv "$new" "$covered/data"
verilator_coverage --write "$covered/merged.dat" "$covered"/data/*.dat
grep -a -e '^#' -e 'f.rtl/.*v_line/' -e 'f.rtl/.*v_branch/' "$covered/merged.dat" > "$covered/lines.dat"
verilator_coverage --write-info "$covered/coverage.info" "$covered/lines.dat"
genhtml --quiet --output-directory "$covered/html" "$covered/coverage.info"
"$build/coverage_report" "$covered/merged.dat" tests/coverage/goals.json "$build/results/coverage_figures.json"
