#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The netlist of a module, flat and in Verilog: tb/checks/netlist.sh WORK_FOLDER MODULE FILE...
# Writes WORK_FOLDER/MODULE.v, of words: operators on words, flip-flops, memories with their ports; no processes.
# It has one input more, fault_i, which inverts one bit of what the gates say that make the strobes of writes to
# memory: 0 for the netlist as it is, 1 to see that a changed gate is seen.
set -euf -o pipefail
export LC_ALL=C
work=$1 module=$2 here=$(dirname "$0")
shift 2
mkdir -p "$work/sources"
# no_rw_check lets Yosys choose what a read sees while its word is written; here it must do as the RTL does.
sources=()
for file in "$@"; do
  sed 's/(\* *no_rw_check *\*)//' "$file" > "$work/sources/$(basename "$file")"
  sources+=("$work/sources/$(basename "$file")")
done
# A buffer before each output of the module lets the word behind it be taken apart where bits have different drivers; the
# lengths of bursts, whose upper bits are copies of one, are taken apart altogether.
yosys -q -l "$work/yosys.log" -p "read_verilog -sv ${sources[*]}; hierarchy -check -top $module; proc; flatten; \
  chformal -remove; opt_expr; opt_clean; check -assert; opt -nodffe -nosdff; wreduce; peepopt; opt_clean; alumacc; opt; \
  memory -nomap; opt_clean; maccmap -unmap t:\$macc; techmap -map $here/netlist_map.v t:\$alu; opt_clean; \
  mutate -list 1 -seed 1 -mode inv -port Y -ctrl fault_i 1 1 -o $work/fault.ys w:*u_memory_writer.strobe %ci1 w:* %d; \
  script $work/fault.ys; iopadmap -outpad netlist_buffer A:Y -widthparam WIDTH; splitnets -driver; splitnets w:*m_axi_a?len; opt_clean; \
  tee -q -o $work/$module.stat stat; write_verilog -noattr $work/flat.v" > "$work/yosys.out" 2>&1 ||
  { tail -n 5 "$work/yosys.out"; exit 1; }
[ -s "$work/fault.ys" ] || { echo "no gate was found for the fault"; exit 1; }
# Of a write enable that is the same for all bits of a memory, Yosys keeps one bit and writes the others, which nothing
# reads any more, as copies of it: to Verilator a word that depends on itself.
awk '$1 == "assign" && match($2, /^_[0-9]+_/) {
    wire = substr($2, RSTART, RLENGTH)
    rest = $0
    sub(/^[^=]*=/, "", rest)
    if (gsub(wire "\\[[0-9]+\\]", "", rest) > 1 && rest ~ /^[ {},;]*$/) next
  }
  { print }' "$work/flat.v" > "$work/$module.v"
cat >> "$work/$module.v" <<'TEXT'
module netlist_buffer #(parameter WIDTH = 1) (input [WIDTH-1:0] A, output [WIDTH-1:0] Y);
  assign Y = A;
endmodule
TEXT
awk -v lines="$(wc -l < "$work/$module.v")" '/Number of cells:/ { cells = $NF } $1 ~ /^\$(s?dff|mem)/ { kept[$1 ~ /mem/ ? "memories" : "words of flip-flops"] += $2 }
  END { printf "%d cells, of these", cells; for (k in kept) printf " %d %s", kept[k], k; print "; " lines " lines" }' "$work/$module.stat"
