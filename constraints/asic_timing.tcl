# SPDX-License-Identifier: Apache-2.0
# The slowest path from register to register, for OpenSTA, and the pins at the ends of a way that has no register, if there is one.
# From the environment: LIBERTIES, NETLIST and TOP. All clocks are clk_i, without delay; what comes from or goes to a pin of
# the design is not constrained.
set link_make_black_boxes 0
if {[catch {
  foreach liberty $::env(LIBERTIES) { read_liberty $liberty }
  read_verilog $::env(NETLIST)
  link_design $::env(TOP)
  create_clock -name clk_i -period 1000 [get_ports clk_i]
  report_checks -path_delay max -format full -digits 4
  set inputs {}
  foreach input [all_inputs] {
    if {[get_property $input full_name] ne "clk_i"} { lappend inputs $input }
  }
  foreach path [find_timing_paths -unconstrained -from $inputs -to [all_outputs]] {
    set ends {}
    foreach end {startpoint endpoint} { lappend ends [get_property [get_property $path $end] full_name] }
    puts "through $ends"
  }
} message]} {
  puts stderr "OpenSTA: $message"
  exit 1
}
exit
