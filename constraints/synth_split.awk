# SPDX-License-Identifier: Apache-2.0
# Each module of a design by itself: awk -v folder=F -f synth_split.awk numbers.txt split.il
# Writes F/MODULE.il, which has the module and the ports of those inside, and prints how long each is and its name. Of
# the names that Yosys makes up it leaves out where their source stands, and their numbers become their place among those
# of the module, sorted in numbers.txt: what a module costs hangs on nothing but the module.
FILENAME ~ /numbers[.]txt$/ {
  if ($1 != counting) place = 0
  counting = $1
  number[$1, $2] = 100000000 + ++place
  next
}
function plain(line, out) {
  gsub(/\$[^ $\\]*\.sv:[0-9]+\$/, "$", line)
  while (match(line, /\$[0-9]+/)) {
    out = out substr(line, 1, RSTART) number[module, substr(line, RSTART + 1, RLENGTH - 1)]
    line = substr(line, RSTART + RLENGTH)
  }
  return out line
}
function flush_lines(    i, j, line) {
  for (i = 2; i <= run; i++) {
    line = lines[i]
    for (j = i; j > 1 && lines[j - 1] > line; j--) lines[j] = lines[j - 1]
    lines[j] = line
  }
  for (i = 1; i <= run; i++) text[current] = text[current] lines[i] "\n"
  run = 0
}
/^attribute / { header = header (/^attribute \\(src|hdlname|dynports|top) / ? "" : $0 "\n"); next }
/^module / { module = $2; current = substr($2, 2); names[++modules] = current; text[current] = header $0 "\n"; kept[current] = header; next }
/^end$/ { header = ""; current = ""; next }
current == "" || /^ *attribute \\src / { next }
# First values and updates of a process, each of another signal, come in the order in which Yosys has met their names.
/^(    assign|      update) / { lines[++run] = plain($0); next }
run { flush_lines() }
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
      printf "%sattribute \\blackbox 1\nmodule \\%s\n%send\n", kept[cells[i]], cells[i], ports[cells[i]] > file
    }
    close(file)
    print length(text[names[m]]), names[m]
  }
}
