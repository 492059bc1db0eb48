#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How large is what stands around the design? tb/checks/laboratory.sh [COMMIT]
# A line of JSON: files of the repository, lines of RTL, lines of the tools around it (runner, checks, coverage, mutation, pages,
# drawings, synthesis, wave tools, makefiles) and lines of tests, their models and fixtures.
set -eu -o pipefail
export LC_ALL=C
commit=${1:-HEAD}
files() { git ls-tree -r --name-only "$commit" -- "$@"; }
lines() { files "$@" | grep -E "$sources" | sed "s|^|$commit:|" | xargs -r git show | wc -l; }
sources='\.(cc|h|sh|awk|mk|py|sed|csv)$|/?Makefile$'
# The folders of today, and those that they were before.
tools=$(lines Makefile '*.mk' host/host.mk rtl/rtl.mk tb/tb.mk tb/lab sim/sim.mk sim/install.mk sim/identity sim/app/identity sim/regress \
  tb/checks tests/coverage/*.cc tests/coverage tests/mutation tests/sizes tests/tests.mk tests/netlist.mk tests/test_models.awk \
  tests/seeded_bug.sh tests/seeded_bugs.awk tests/copy_tree.sh tests/support/run_tests.cc docs/draw docs/docs.mk docs/status.sh docs/pages constraints \
  sim/report_page sim/observe/report_page sim/wave_diff sim/observe/wave_diff sim/gtkwave.cc sim/wave.cc sim/wave.h sim/observe/gtkwave.cc \
  sim/observe/wave.cc sim/observe/wave.h sim/bench/results_page.cc sim/bench/results_page.h sim/bench/results_page_main.cc)
tests=$(sources='\.(cc|h|sh|sv|svh|awk|patch|list)$' && lines tests tb/reference_model)
rtl=$(sources='\.sv$' && lines rtl)
echo "{\"commit\": \"$(git rev-parse --short "$commit")\", \"files\": $(files | wc -l), \"rtl\": $rtl, \"tools\": $tools, \"tests\": $tests}"
