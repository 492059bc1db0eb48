#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lints the sources of the checkout: tb/checks/source_lint.sh BUILD [--expect]
# With --expect the fixtures of tests/lint/, each of which must be found.
set -euf -o pipefail
export LC_ALL=C
if [ "${2:-}" = --expect ]; then
  find tests/lint -type f -print0 | sort -z | xargs -0 "$1/source_lint" --expect
else
  find rtl tb host sim tests constraints docs/docs.mk docs/status.sh docs/draw docs/pages .ci Makefile -type f \
    -not -path 'tests/lint/*' -not -name '*.tar.gz' -print0 | sort -z | xargs -0 "$1/source_lint"
fi
