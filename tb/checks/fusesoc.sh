#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# FuseSoC sets up and builds a target of FOLDER/torusmu.core: tb/checks/fusesoc.sh BIN_FOLDER WORK_FOLDER TARGET FOLDER
# Exit status 0 if it does so without a warning, its own or one of the tool that it starts. Its configuration is empty,
# so that nothing of the user's counts.
set -eu -o pipefail
export LC_ALL=C
bin=$1 work=$2 target=$3 root=$4
mkdir -p "$work"
: > "$work/fusesoc.conf"
log=$work/$target.log
PATH=$(realpath "$bin"):$PATH fusesoc --config "$work/fusesoc.conf" --cores-root "$root" run --build-root "$work/$target" --clean \
  --setup --build --target "$target" torusmu:torusmu:node > "$log" 2>&1 || { tail -n 30 "$log"; exit 1; }
! grep -iE '^(WARNING|ERROR)|%(Warning|Error)' "$log"
