# SPDX-License-Identifier: Apache-2.0
# Reads the header of Verilator's model of mu_node and writes what lets a machine be made of that one model:
#   -v part=sv   a module mu_node for rtl/mu_torus.sv: the outputs of a node, which are registers, get what the
#                model says at each edge. A node in which nothing can happen (docs/architecture.md, quiescence)
#                is not asked.
#   -v part=def  its ports for sim/machine/mesh_plugin.cc: BIT_IN, WORDS_IN, BIT_OUT, WORDS_OUT, with a name each.

match($0, /VL_(IN|OUT)[0-9W]*\(&[a-z0-9_]+,[0-9]+,0/) {
  split(substr($0, RSTART, RLENGTH), field, /[(&,]+/)
  out = field[1] ~ /OUT/
  name = field[2]
  range = field[3] == 0 ? "" : "[" field[3] ":0] "
  ports = ports (ports == "" ? "" : ",") "\n  " (out ? "output" : "input") " logic " range name
  if (name == "clk_i") next
  if (part == "def") print (range == "" ? "BIT" : "WORDS") (out ? "_OUT(" : "_IN(") name ")"
  imports = imports ",\n    " (out ? "output" : "input") " bit " range name
  arguments = arguments ", " name (out ? "_now" : "")
  if (out) {
    nows = nows "  bit " range name "_now;\n"
    registers = registers "      " name " <= " name "_now;\n"
  } else if (name ~ /valid(_i)?$/ || name ~ /credit_i$/ || name ~ /^signal_.*_i$/) {
    arrivals = arrivals " || " name " != 0"
  }
}

END {
  if (part == "sv") {
    print "// Written by sim/model/mesh_node.awk; do not edit.\nmodule mu_node (" ports "\n);"
    print "  import \"DPI-C\" function chandle torusmu_mesh_node(input string name);"
    print "  import \"DPI-C\" function bit torusmu_mesh_rise(input chandle node" imports ");"
    print "  chandle node;\n  initial node = torusmu_mesh_node($sformatf(\"%m\"));\n" nows
    print "  logic rests = 0;"
    print "  always @(posedge clk_i)\n    if (!rests || !rst_ni || now_i >= wake_at_o" arrivals ") begin"
    print "      rests <= torusmu_mesh_rise(node" arguments ");\n" registers "    end\nendmodule"
  }
}
