# SPDX-License-Identifier: Apache-2.0
# One module in standard cells: `tcl constraints/asic.tcl -top MODULE` in a Yosys that has read it. From the environment:
# LIBERTY, the library of cells, and OUT, how the names of files begin that it writes and removes. Memories of more than 256 bits
# become cells that stand for macros (asic_memories.awk). ABC makes gates larger and puts buffers in for the inputs of cells
# that they drive; a wire has no load, and what an output of the module drives is assumed: 0.05 pF, about four inputs. Yosys'
# own script for ABC makes a chain of what was a tree of carries, twice as slow. Registers have their names of the RTL, with _reg.
yosys -import
lassign $argv flag top
set here [file dirname [info script]]
set out $::env(OUT)
set liberty $::env(LIBERTY)
synth -noabc -run begin:fine -top $top
write_rtlil $out.coarse
design -reset
exec awk -v most_bits=256 -f $here/asic_memories.awk $out.coarse > $out.macros
read_rtlil $out.macros
read_liberty -lib -ignore_miss_func $liberty
synth -noabc -run fine:check -top $top
dfflibmap -liberty $liberty
set loads [open $out.loads w]
puts $loads "set_driving_cell BUFX2\nset_load 0.05 \[all_outputs\]"
close $loads
abc -liberty $liberty -constr $out.loads \
  -script "+strash; ifraig; &get -n; &dch -f; &nf; &put; buffer; upsize; dnsize"
setundef -zero
opt_clean -purge
yosys rename -wire -suffix _reg t:DFF* t:LATCH*
yosys rename -enumerate
file delete $out.coarse $out.macros $out.loads
