# SPDX-License-Identifier: Apache-2.0
# Memories of more than most_bits bits that are written become cells that stand for macros: reads and writes RTLIL after
# `memory -nomap`. The name of such a cell says its shape: memory_64x164_1w_as has 64 words of 164 bits, one port that writes
# and two that read, the first (a) without a clock, the second (s) with one; asic_liberty.awk makes its timing of the name.
# Each port has pins of its own, cut out of the wide ones of Yosys. What Yosys has in a port, an enable, a
# clear or that a word is read as it is being written, is in the macro and costs nothing here.
function number_of(name) { return parameter[name] + 0 }
# Bit i, from the right, of a constant such as 3'101.
function bit_of(name, i) { return substr(parameter[name], length(parameter[name]) - i, 1) }
function add_ports(letter, count, width, pins,    i, p, n, pin) {
  n = split(pins, pin, " ")
  for (i = 0; i < count; i++) {
    for (p = 1; p <= n; p++) add_pin(letter i "_" pin[p], letter == "W" ? "WR_" pin[p] : "RD_" pin[p], width[pin[p]], i)
  }
}
function add_pin(name, from, width, i,    used) {
  # An address may be wider than the memory needs.
  for (used = width; from ~ /_ADDR$/ && used > 1 && 2 ^ (used - 1) >= number_of("SIZE"); used--);
  cell = cell sprintf("    connect \\%s $%s_%s [%d:%d]\n", name, instance, from, width * i + used - 1, width * i)
  pins = pins sprintf("  wire width %d %s %d \\%s\n", used, from == "RD_DATA" ? "output" : "input", ++ports, name)
}
function flush_memory(    type, i, kinds, size, port, n, names) {
  size = number_of("SIZE") * number_of("WIDTH")
  if (size <= most_bits || number_of("WR_PORTS") == 0) { printf "%s", lines; return }
  for (i = 0; i < number_of("RD_PORTS"); i++) kinds = kinds (bit_of("RD_CLK_ENABLE", i) == "1" ? "s" : "a")
  type = sprintf("memory_%dx%d_%dw_%s", number_of("SIZE"), number_of("WIDTH"), number_of("WR_PORTS"), kinds)
  width["ADDR"] = number_of("ABITS")
  width["CLK"] = 1
  width["DATA"] = number_of("WIDTH")
  cell = pins = ""
  ports = 0
  width["EN"] = number_of("WIDTH")
  add_ports("W", number_of("WR_PORTS"), width, "CLK EN ADDR DATA")
  width["EN"] = 1
  add_ports("R", number_of("RD_PORTS"), width, "CLK EN ADDR DATA")
  # The wide ones as wires of their own, for only a wire can be cut; nothing is named after them.
  n = split("WR_CLK WR_EN WR_ADDR WR_DATA RD_CLK RD_EN RD_ADDR RD_DATA", names, " ")
  for (i = 1; i <= n; i++) {
    port = substr(names[i], 4)
    width["EN"] = names[i] ~ /^W/ ? number_of("WIDTH") : 1
    wide = width[port] * number_of(substr(names[i], 1, 3) "PORTS")
    printf "  wire width %d $%s_%s\n", wide, instance, names[i]
    if (names[i] == "RD_DATA") printf "  connect %s $%s_RD_DATA\n", connection["RD_DATA"], instance
    else printf "  connect $%s_%s %s\n", instance, names[i], connection[names[i]]
  }
  printf "  cell \\%s \\%s\n%s  end\n", type, instance, cell
  macros[type] = pins
}
/^  cell \$mem_v2 / {
  lines = ""
  instance = $3
  sub(/^\\/, "", instance)
  gsub(/[^A-Za-z0-9_.\[\]]/, "_", instance)
  inside = 1
}
!inside { print; next }
{ lines = lines $0 "\n" }
$1 == "parameter" { parameter[substr($2, 2)] = $3 }
$1 == "connect" {
  connection[substr($2, 2)] = $0
  sub(/^ *connect [^ ]* /, "", connection[substr($2, 2)])
}
/^  end$/ { flush_memory(); inside = 0 }
END {
  for (type in macros) printf "attribute \\blackbox 1\nmodule \\%s\n%send\n", type, macros[type]
}
