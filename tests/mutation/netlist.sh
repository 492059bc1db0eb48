#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A module as a netlist that holds all of its mutants:
#   tests/mutation/netlist.sh WORK_FOLDER MODEL MODULE INDEX COUNT SEED "FLAGS" "OWN" FILE...
# COUNT mutants are drawn by SEED; if COUNT is `narrow`, they are all those of narrow.awk.
# FLAGS are those that Verilator gets for the model; of them -GNAME=VALUE and -DMACRO count here. Writes to WORK_FOLDER
#   MODEL.list  the mutants, one a line, numbered from 1 by their value of mutsel
#   MODEL.v     the netlist, with the ports of the module; it asks torusmu_mutant(INDEX) which mutant it is
#   MODEL.bits.v  the same with each bit a net of its own, for netlists where words depend on themselves through their bits
#   MODEL.il    the same for proofs, where mutsel is a port
# What is not mutated stays a module of its own in all of them.
# Mutants are in the modules OWN, or everywhere if there is nothing in these but other modules.
# The assertions of the RTL stay in the netlist and judge with the tests; what only they look at is not mutated, nor are
# memories themselves: what leads to them is.
set -euf -o pipefail
export LC_ALL=C
work=$1 model=$2 module=$3 index=$4 count=$5 seed=$6 flags=$7 own=$8 here=$PWD
shift 8
choose="" macros=""
for word in $flags; do
  case $word in
    -D*) macros="$macros $word" ;;
    -G*=*) word=${word#-G} choose="$choose -set ${word/=/ }" ;;
  esac
done
[ -z "$choose" ] || choose="chparam$choose $module;"
# no_rw_check lets Yosys choose what a read sees while its word is written; here it must do as the RTL does.
# Paths stay as they are, for they name the places of the mutants.
mkdir -p "$work/sources"
for file in "$@"; do
  mkdir -p "$work/sources/$(dirname "$file")"
  sed 's/(\* *no_rw_check *\*)//' "$file" > "$work/sources/$file"
done
work=$(cd "$work" && pwd)
cd "$work/sources"
# Modules inside that are not mutated are not flattened: they are simulated as fast as in the RTL, and proofs may leave them out.
mark="setattr -mod -set keep_hierarchy 1 *;"
for name in $own; do
  mark="$mark setattr -set own 1 $name/c:* A:hdlname=*$name/c:*; setattr -mod -unset keep_hierarchy $name A:hdlname=*$name;"
done
if [ "$count" = narrow ]; then
  # Memories and modules inside have addresses, too.
  choose_mutants="select -set chosen o:* %ci* o:* %d; cd ..; dump -o $work/$model.cells */i:* @chosen; \
    exec -- awk -v module=$module -f $here/tests/mutation/narrow.awk $work/$model.cells > $work/$model.list; cd $module;"
else
  choose_mutants="select -set logic o:* %ci* o:* %d t:\$mem* %d t:mu_* %d t:\$paramod* %d; select -set chosen @logic OWN_ALONE; \
    mutate -list $count -seed $seed -ctrl mutsel 16 1 -o $work/$model.list @chosen;"
fi
# What an operator is told of its place is its own line, not those of the instances around it.
make_netlist() {
  yosys -q -l "$work/$model.log" -p "read_verilog -sv$macros $files; $choose hierarchy -check -top $module; proc; \
    setattr -unset src t:mu_* t:\$paramod*; $1 flatten; rename -top netlist; \
    delete $module; rename netlist $module; chformal -assume -remove; chformal -cover -remove; \
    opt_expr; opt_clean; opt -nodffe -nosdff; memory -nordff -nomap; opt_clean; \
    cd $module; ${choose_mutants/OWN_ALONE/$2} script $work/$model.list; \
    cd ..; opt_clean; write_rtlil $work/$model.il; \
    iopadmap -outpad netlist_buffer A:Y -widthparam WIDTH $module; splitnets -driver; \
    opt_clean; write_verilog -noattr $work/$model.flat.v; \
    iopadmap -outpad netlist_buffer A:Y -widthparam WIDTH * $module %d; splitnets -driver; \
    simplemap $module; splitnets $module; opt_clean; \
    write_verilog -noattr $work/$model.bits.v" > "$work/$model.out" 2>&1 || { tail -n 5 "$work/$model.out"; exit 1; }
}
files=$*
make_netlist "$mark" "a:own=1 %i"
[ -s "$work/$model.list" ] || make_netlist "" ""
cd "$here"
# The number of the mutant comes from the program, not from a port. Of a write enable that is the same for all bits of a
# memory, Yosys keeps one bit and writes the others, which nothing reads, as copies of it: left out, see
# tb/checks/netlist.sh. A register of which a mutant takes a bit keeps its name, so that a test may start it from anywhere.
for form in flat bits; do
  awk -v index_of_model="$index" '
    NR == FNR {
      if (match($0, /^  (reg|wire) .*[^ ;]/)) declared[$NF]
      if (/^  reg /) is_register[$NF]
      if (/^  assign \{.*\} = _[0-9]+_;$/ && ($NF in is_register) && match($0, /\\[A-Za-z0-9_.]+\[/)) {
        name = substr($0, RSTART + 1, RLENGTH - 2)
        if (!((name ";") in declared)) name_of[substr($NF, 1, length($NF) - 1)] = "\\" name " "
      }
      next
    }
    {
      line = ""
      while (match($0, /_[0-9]+_/)) {
        word = substr($0, RSTART, RLENGTH)
        line = line substr($0, 1, RSTART - 1) (word in name_of ? name_of[word] : word)
        $0 = substr($0, RSTART + RLENGTH)
      }
      $0 = line $0
    }
    !done && (sub(/, mutsel\);$/, ");") || sub(/, mutsel$/, "")) { done = 1 }  # Yosys breaks long lines
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
    { print }' "$work/$model.$form.v" "$work/$model.$form.v" > "$work/$model.$form.part"
  cat >> "$work/$model.$form.part" <<'TEXT'
module netlist_buffer #(parameter WIDTH = 1) (input [WIDTH-1:0] A, output [WIDTH-1:0] Y);
  assign Y = A;
endmodule
TEXT
done
mv "$work/$model.bits.part" "$work/$model.bits.v"
mv "$work/$model.flat.part" "$work/$model.v"
