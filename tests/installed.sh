#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One check of an installation: tests/installed.sh CHECK PREFIX FOLDER
# CHECK is the name of a function below; what it builds goes to FOLDER/CHECK. CXX compiles C++.
set -euo pipefail
export LC_ALL=C
check=$1 prefix=$2 folder=$3/$1
example=$prefix/share/torusmu/example
strict="-std=c++20 -Wall -Wextra -Wconversion -Wshadow -Werror"

# Two nodes in a shell of their own, verilated there.
example() { make -C "$example" O="$folder" | tee /dev/stderr | grep ^PASS:; }

program() {
  "$prefix/bin/torusmu" scenario put --mesh 2x1x1 --wave "$folder/put.fst"
  cd "$prefix/share/torusmu"
  verilator --lint-only --assert rtl/waivers.vlt -f rtl/rtl.f --top-module mu_node tb/formal/mu_axi4_*
  echo 'it waves, and the rules of AXI are there'
}

# Everybody may read all of it, and nothing of an older version is among it.
modes() {
  local wrong
  wrong=$(find "$prefix" ! -perm 755 \( -type d -o -path '*/bin/*' \) -o -type f ! -path '*/bin/*' ! -perm 644 \
    -o -name 'of_an_older_version*')
  [ -z "$wrong" ] || { echo "$wrong: another mode, or of an older version"; exit 1; }
  find "$prefix" -type f | wc -l | sed 's/$/ files have the right mode/'
}

# Each header compiles alone, with the warnings of this project.
headers() {
  cd "$prefix/include"
  find torusmu -name '*.h' | sort > "$folder/headers"
  xargs -P "$(nproc)" -I{} -a "$folder/headers" sh -c \
    "echo '#include <{}>' | $CXX $strict -fsyntax-only -I. -x c++ - || { echo '{} does not compile alone'; exit 255; }"
  wc -l < "$folder/headers" | sed 's/$/ headers compile alone/'
}

# A program for every node, as docs/host_library.md says.
pkg_config() {
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
  $CXX $strict "$example/sum.cc" $(pkg-config --cflags --libs torusmu-sim) -o "$folder/sum"
  "$folder/sum" 3x1x2
  echo '#include <torusmu/context.h>
    int main() { return torusmu::make_error_code(torusmu::Errc::kAgain).message().empty(); }' > "$folder/host.cc"
  $CXX $strict "$folder/host.cc" $(pkg-config --cflags --libs torusmu) -o "$folder/host"
  "$folder/host"
  echo "pkg-config finds version $(pkg-config --modversion torusmu)"
}

cmake() {
  command cmake -S "$example" -B "$folder/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$CXX"
  command cmake --build "$folder/build"
  "$prefix/bin/torusmu" scenario "$folder/build/shift.so" --mesh 2x1x1 --wave "$folder/shift.fst"
  "$folder/build/sum" 2x2x1
}

rm -rf "$folder"
mkdir -p "$folder"
"$check"
