# SPDX-License-Identifier: Apache-2.0
# Each module of an elaborated design by itself: awk -v folder=F -f synth_split.awk elaborated.il
# Writes F/MODULE.il, which has the module and the ports of those inside, and prints how long each is and its name. Where
# something stands in its source is left out, also of the names that Yosys makes up: what a module costs hangs on
# nothing but the module.
function plain(line) {
  gsub(/\$[^ $\\]*\.sv:[0-9]+\$/, "$", line)
  return line
}
/^attribute / { header = header (/^attribute \\(src|hdlname|dynports) / ? "" : $0 "\n"); next }
/^module / { current = substr($2, 2); names[++modules] = current; text[current] = header $0 "\n"; next }
/^end$/ { header = ""; current = ""; next }
current == "" || /^ *attribute \\src / { next }
{ text[current] = text[current] plain($0) "\n" }
/^  wire .*(input|output|inout) [0-9]+ / { ports[current] = ports[current] $0 "\n" }
/^  cell \\/ { inside[current] = inside[current] " " substr($2, 2) }
END {
  for (m = 1; m <= modules; m++) {
    file = folder "/" names[m] ".il"
    printf "autoidx 1000000000\n%send\n", text[names[m]] > file
    split("", told)
    count = split(inside[names[m]], cells, " ")
    for (i = 1; i <= count; i++) {
      if (cells[i] in told) continue
      told[cells[i]]
      printf "attribute \\blackbox 1\nmodule \\%s\n%send\n", cells[i], ports[cells[i]] > file
    }
    close(file)
    print length(text[names[m]]), names[m]
  }
}
