# SPDX-License-Identifier: Apache-2.0
# A library of the macros that asic_memories.awk has put in place of memories: reads their names, one a line. The times, in ns, are
# assumed, and the same for each size: setup before a clock, read after a clock, through after an address that is read
# without a clock. With unit=gates they are gates instead: one behind such an address. An input takes as much as that of
# a gate; the enables of all bits of a word take that together.
# A wire_alias is no gate: another name of a wire, which OpenSTA does not read from a netlist in all forms that Yosys writes.
function bits_of(words,    bits) { for (bits = 1; 2 ^ bits < words; bits++); return bits }
function table(name, value) { return sprintf(" %s(scalar) { values(\"%s\"); }", name, value) }
function arc(related, type, delay) {
  return sprintf("    timing() { %s : \"%s\"; timing_type : %s;%s%s%s%s }\n", related ~ /ADDR$/ ? "related_bus_pins" : "related_pin",
    related, type, table("cell_rise", delay), table("cell_fall", delay), table("rise_transition", slew), table("fall_transition", slew))
}
function check_of(clock) {
  return sprintf("    timing() { related_pin : \"%s\"; timing_type : setup_rising;%s%s }\n", clock, table("rise_constraint", setup),
    table("fall_constraint", setup))
}
function pin(name, direction, width, load, text) {
  if (width > 1 || name ~ /_(ADDR|DATA)$/ || name ~ /^W[0-9]+_EN$/) {
    types[width]
    # OpenSTA makes the pins of a bus when it reads the type, and drops what stands before that.
    return sprintf("  bus(%s) {\n    bus_type : bus_%d;\n    direction : %s;\n    capacitance : %.6f;\n%s  }\n", name, width, direction,
      load, text)
  }
  return sprintf("  pin(%s) {\n    direction : %s;\n    capacitance : %.6f;\n%s%s  }\n", name, direction, load,
    name ~ /CLK$/ ? "    clock : true;\n" : "", text)
}
BEGIN {
  setup = unit == "gates" ? 0 : 0.3
  read = unit == "gates" ? 0 : 1.5
  through = unit == "gates" ? 1 : 1.2
  input = 0.01
  slew = 0.1
}
/^memory_/ {
  split($1, part, /[_x]/)
  words = part[2]; width = part[3]; writes = part[4] + 0; reads = part[5]
  address = bits_of(words)
  text = from_write = ""
  for (i = 0; i < writes; i++) {
    clock = "W" i "_CLK"
    text = text pin(clock, "input", 1, input, "") pin("W" i "_EN", "input", width, input / width, check_of(clock)) \
      pin("W" i "_ADDR", "input", address, input, check_of(clock)) pin("W" i "_DATA", "input", width, input, check_of(clock))
    from_write = from_write arc(clock, "rising_edge", read)
  }
  for (i = 0; i < length(reads); i++) {
    clock = "R" i "_CLK"
    text = text pin(clock, "input", 1, input, "")
    if (substr(reads, i + 1, 1) == "s") {
      text = text pin("R" i "_EN", "input", 1, input, check_of(clock)) pin("R" i "_ADDR", "input", address, input, check_of(clock)) \
        pin("R" i "_DATA", "output", width, 0, arc(clock, "rising_edge", read))
    } else {
      text = text pin("R" i "_EN", "input", 1, input, "") pin("R" i "_ADDR", "input", address, input, "") \
        pin("R" i "_DATA", "output", width, 0, arc("R" i "_ADDR", "combinational", through) from_write)
    }
  }
  cells = cells "cell(" $1 ") {\n  area : 0;\n" text "}\n"
}
END {
  print "library(memories) {\n  delay_model : table_lookup;\n  time_unit : \"1ns\";\n  capacitive_load_unit(1, pf);"
  print "  voltage_unit : \"1V\";\n  current_unit : \"1uA\";\n  pulling_resistance_unit : \"1kohm\";"
  for (i = 1; i <= split("rise fall", edges, " "); i++) {
    printf "  input_threshold_pct_%s : 50;\n  output_threshold_pct_%s : 50;\n", edges[i], edges[i]
    printf "  slew_lower_threshold_pct_%s : 20;\n  slew_upper_threshold_pct_%s : 80;\n", edges[i], edges[i]
  }
  for (width in types) {
    printf "  type(bus_%d) { base_type : array; data_type : bit; bit_width : %d; bit_from : %d; bit_to : 0; }\n", \
      width, width, width - 1
  }
  print cells "cell(wire_alias) {\n  area : 0;\n" pin("A", "input", 1, 0, "") \
    "  pin(Y) {\n    direction : output;\n    function : \"A\";\n" arc("A", "combinational", 0) "  }\n}\n}"
}
