# SPDX-License-Identifier: Apache-2.0
# Times the flat netlist again and again for paths.sh, and prints the slowest path of each time.
yosys -import
set scratch $::env(SCRATCH)
script $scratch/read.ys
for {set number 1} {$number <= $::env(COUNT)} {incr number} {
  tee -q -o $scratch/sta sta
  set file [open $scratch/sta]
  set names {}
  set cells {}
  set ps 0
  # From its end to its begin: cells as `<ps> <name> (<type>.<port>->...)`, and the wires between them.
  while {[gets $file line] >= 0} {
    if {[regexp {^Latest arrival time in .* is ([0-9]+):$} $line match ps]} continue
    if {[string match {Arrival histogram*} $line]} break
    if {[regexp {^ *[0-9]+ ([^ ]+) \([A-Z0-9a-z_]+\.[^ ]*->} $line match cell]} {
      set cells [linsert $cells 0 $cell]
    } elseif {[regexp {^ *\\([^ ]+)} $line match name]} {
      regsub {_SB_.*} $name {} name
      regsub {_[0-9]+_$} $name {} name
      if {$name ne [lindex $names 0]} { set names [linsert $names 0 $name] }
    }
  }
  close $file
  if {![llength $cells]} break
  puts [format "%3d: %.1f ns, %d cells: %s" $number [expr {$ps / 1000.0}] [llength $cells] [join $names { -> }]]
  flush stdout
  delete c:[lindex $cells [expr {[llength $cells] / 2}]]
  # What it drove becomes an input: sta follows nothing that has no driver.
  setundef -undriven -expose
  setattr -unset sta_arrival w:*
}
