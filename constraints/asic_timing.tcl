# SPDX-License-Identifier: Apache-2.0
# The slowest path from register to register, for OpenSTA. From the environment: LIBERTIES, NETLIST and TOP. All clocks are
# clk_i, without delay; what comes from or goes to a pin of the design is not constrained.
set link_make_black_boxes 0
if {[catch {
  foreach liberty $::env(LIBERTIES) { read_liberty $liberty }
  read_verilog $::env(NETLIST)
  link_design $::env(TOP)
  create_clock -name clk_i -period 1000 [get_ports clk_i]
  report_checks -path_delay max -format full -digits 4
} message]} {
  puts stderr "OpenSTA: $message"
  exit 1
}
exit
