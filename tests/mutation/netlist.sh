#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A module as a netlist that holds all of its mutants:
#   tests/mutation/netlist.sh WORK_FOLDER MODEL MODULE INDEX COUNT SEED "FLAGS" FILE...
# FLAGS are those that Verilator gets for the model; of them -GNAME=VALUE counts here. Writes to WORK_FOLDER
#   MODEL.list  the mutants, one a line, numbered from 1 by their value of mutsel
#   MODEL.v     the netlist, with the ports of the module; it asks torusmu_mutant(INDEX) which mutant it is
#   MODEL.il    the same for proofs, where mutsel is a port
# The assertions of the RTL stay in the netlist and judge with the tests; what only they look at is not mutated, nor are
# memories themselves: what leads to them is.
set -euf -o pipefail
work=$1 model=$2 module=$3 index=$4 count=$5 seed=$6 flags=$7 here=$PWD
shift 7
choose=""
for word in $flags; do
  case $word in
    -G*=*) word=${word#-G} choose="$choose -chparam ${word/=/ }" ;;
  esac
done
# no_rw_check lets Yosys choose what a read sees while its word is written; here it must do as the RTL does.
# Paths stay as they are, for they name the places of the mutants.
mkdir -p "$work/sources"
for file in "$@"; do
  mkdir -p "$work/sources/$(dirname "$file")"
  sed 's/(\* *no_rw_check *\*)//' "$file" > "$work/sources/$file"
done
work=$(cd "$work" && pwd)
cd "$work/sources"
yosys -q -l "$work/$model.log" -p "read_verilog -sv $*; hierarchy -check -top $module $choose; rename -top $module; \
  proc; flatten; chformal -assume -remove; chformal -cover -remove; opt_expr; opt_clean; opt -nodffe -nosdff; \
  memory -nordff -nomap; opt_clean; select -set logic o:* %ci* o:* %d t:\$mem* %d; \
  mutate -list $count -seed $seed -ctrl mutsel 16 1 -o $work/$model.list @logic; script $work/$model.list; \
  opt_clean; write_rtlil $work/$model.il; iopadmap -outpad netlist_buffer A:Y -widthparam WIDTH; splitnets -driver; \
  opt_clean; write_verilog -noattr $work/$model.flat.v" > "$work/$model.out" 2>&1 ||
  { tail -n 5 "$work/$model.out"; exit 1; }
cd "$here"
# The number of the mutant comes from the program, not from a port. Of a write enable that is the same for all bits of a
# memory, Yosys keeps one bit and writes the others, which nothing reads, as copies of it: left out, see
# tb/checks/netlist.sh.
awk -v index_of_model="$index" '
  /^module / { sub(/, mutsel\)/, ")") }
  /^  input \[15:0\] mutsel;/ {
    print "  import \"DPI-C\" function int torusmu_mutant(input int model);"
    print "  reg [15:0] mutsel;"
    print "  initial mutsel = 16\47(torusmu_mutant(" index_of_model "));"
    next
  }
  /^  wire \[15:0\] mutsel;/ { next }
  $1 == "assign" && match($2, /^_[0-9]+_/) {
    wire = substr($2, RSTART, RLENGTH)
    rest = $0
    sub(/^[^=]*=/, "", rest)
    if (gsub(wire "\\[[0-9]+\\]", "", rest) > 1 && rest ~ /^[ {},;]*$/) next
  }
  { print }' "$work/$model.flat.v" > "$work/$model.v"
cat >> "$work/$model.v" <<'TEXT'
module netlist_buffer #(parameter WIDTH = 1) (input [WIDTH-1:0] A, output [WIDTH-1:0] Y);
  assign Y = A;
endmodule
TEXT
