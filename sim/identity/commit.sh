#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The commit of this checkout, 40 hex digits, "-dirty" behind them if what programs are made from differs from it; nothing
# without git. What a hook has in its environment is of another repository, and so is a checkout that this tree lies in.
set -eu
export LC_ALL=C
command -v git >/dev/null || exit 0
unset $(git rev-parse --local-env-vars)
export GIT_OPTIONAL_LOCKS=0
ask() { git -c safe.directory='*' "$@" 2>/dev/null; }
[ "$(ask rev-parse --show-toplevel)" = "$(pwd -P)" ] || exit 0
commit=$(ask rev-parse --verify HEAD) || exit 0
[ -z "$(ask status --porcelain -- VERSION Makefile rtl sim host tb)" ] || commit=$commit-dirty
echo "$commit"
