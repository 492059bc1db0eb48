#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Are modules tested and proved at the sizes of the node? tests/sizes/sizes.sh BUILD "MODULES" "FLAGS OF PROFILE BGP"
# Prints a line a module and, with status 1, what is amiss; see check.awk. Writes BUILD/sizes/models.
set -euf -o pipefail
export LC_ALL=C
folder=$1/sizes models=$1/test_models.mk modules=$2 bgp=$3
mkdir -p "$folder"
set +f
lists=(tb/formal/*.list) files=(rtl/*.sv rtl/*/*.sv) tests=()
for modules_of in rtl/*/; do tests+=(tests/"$(basename "$modules_of")"/*_test.cc); done
subjects=$(cd rtl && echo */ | tr -d /)
set -f
# What unit tests ask for if they are built for the profile bgp, by the jobs bgp/x.
mapfile -t tests < <(grep -l '^// bgp:' "${tests[@]}")
awk -v build="$1" -v modules="${files[*]}" -v bgp=bgp -v subjects="$subjects" -f tests/test_models.awk "${tests[@]}" /dev/null > "$folder/bgp_models.mk"
for profile in sim bgp; do
  awk -v profile=$profile -v modules="$modules" -f tests/sizes/wrapper.awk "$models" "$folder/bgp_models.mk" "${lists[@]}" > "$folder/$profile.sv"
  flags=""
  [ $profile = sim ] || flags=$bgp
  verilator --xml-only -Wno-lint -Wno-fatal $flags --xml-output "$folder/$profile.xml" --top-module mu_sizes rtl/waivers.vlt \
    -f rtl/rtl.f "$folder/$profile.sv" > "$folder/$profile.log" 2>&1 || { cat "$folder/$profile.log"; exit 2; }
done
: > "$folder/models"
awk -v MODELS="$folder/models" -f tests/sizes/check.awk "${lists[@]}" tb/formal/carry_over.csv tests/sizes/reasons.csv "${files[@]}" "$folder/sim.xml" "$folder/bgp.xml"
echo "$(wc -w <<< "$modules") modules, each tested and proved at the sizes of the node, or with a reason"
