# SPDX-License-Identifier: Apache-2.0
# Reads the ports of a Yosys netlist, prints a module that holds the netlist and the RTL side by side, and
# writes the ports to a C++ header. All inputs but clock and reset are slices of one vector stimulus_i, all
# outputs slices of rtl_o and netlist_o. Vectors have at least 65 bits, so that all are arrays of words in C++.
function slice(vector, low, width) { return vector "[" low " +: " width "]" }
/^module / { next }
/^  (input|output) / {
  # "input [7:0] data_i;", or one bit of a port that was split: "input \data_i[3] ;"
  width = 1
  bit = ""
  name = $0
  sub(/ *;$/, "", name)
  sub(/.* /, "", name)
  if (name ~ /^\\.*\[[0-9]+\]$/) {
    bit = name
    sub(/.*\[/, "", bit)
    sub(/\]$/, "", bit)
    sub(/^\\/, "", name)
    sub(/\[.*/, "", name)
    width = bit + 1
    split_port[name] = 1
  } else if (match($0, /\[[0-9]+:[0-9]+\]/)) {
    split(substr($0, RSTART + 1, RLENGTH - 2), bounds, ":")
    width = bounds[1] - bounds[2] + 1
  }
  if (!(name in widths)) order[++count] = name
  if (width > widths[name]) widths[name] = width
  direction[name] = $1
}
# The connections of a netlist's port: one, or one for each bit.
function pins(port, vector, low,    text, b) {
  if (!(port in split_port)) return "." port "(" slice(vector, low, widths[port]) ")"
  for (b = 0; b < widths[port]; b++)
    text = text (b > 0 ? ", " : "") ".\\" port "[" b "] (" vector "[" low + b "])"
  return text
}
END {
  for (i = 1; i <= count; i++) {
    name = order[i]
    width = widths[name]
    known[name] = 1
    if (direction[name] == "output") {
      outputs[++output_count] = name
      output_low[output_count] = output_bits + 0
      output_width[output_count] = width
      output_bits += width
    } else if (name == "clk_i" || name == "rst_ni") {
      special[name] = 1
    } else {
      names[++input_count] = name
      input_low[input_count] = input_bits + 0
      input_width[input_count] = width
      input_bits += width
    }
  }
  if (output_count == 0) { print "no outputs: nothing can be compared" > "/dev/stderr"; exit 1 }
  count = split(inputs, words, " ")
  for (i = 1; i <= count; i++) {
    port = words[i]
    sub(/^[a-z]+:/, "", port)
    sub(/[\[=].*/, "", port)
    if (!(port in known)) { print "no input " port > "/dev/stderr"; exit 1 }
    value = words[i]
    sub(/^[^=]*=/, "", value)
    gsub(/0x/, "'h", value)
    if (words[i] ~ /^below:/) { below[port] = value; continue }
    if (words[i] ~ /^columns:/) { columns[port] = value; continue }
    span = ""
    if (match(words[i], /\[.*\]=/)) span = substr(words[i], RSTART + 1, RLENGTH - 3)
    hold_port[++hold_count] = port
    hold_span[hold_count] = span
    hold_value[hold_count] = value
  }
  gsub(/ *-G/, " ", parameters)
  count = split(parameters, words, " ")
  for (i = 1; i <= count; i++) {
    split(words[i], part, "=")
    overrides = overrides (i > 1 ? ", " : "") "." part[1] "(" part[2] ")"
  }
  last_input = (input_bits > 65 ? input_bits : 65) - 1
  last_output = (output_bits > 65 ? output_bits : 65) - 1
  print "module both (input logic clk_i, input logic rst_ni, input logic [" last_input ":0] stimulus_i,"
  print "  output logic [" last_output ":0] rtl_o, output logic [" last_output ":0] netlist_o);"
  # Held bits: the expressions may use constants of the package.
  print "  logic [" last_input ":0] inputs;"
  print "  always_comb begin\n    inputs = stimulus_i;"
  for (i = 1; i <= hold_count; i++) {
    for (j = 1; j <= input_count; j++) if (names[j] == hold_port[i]) break
    span = hold_span[i] == "" ? "0+:" input_width[j] : hold_span[i]
    if (span !~ /\+:/) {
      split(span, bounds, ":")
      span = "(" bounds[2] ")+:(" bounds[1] ")-(" bounds[2] ")+1"
    }
    print "    inputs[" input_low[j] "+" span "] = (" hold_value[i] ");"
  }
  for (j = 1; j <= input_count; j++) {
    if (!(names[j] in columns)) continue
    row = columns[names[j]]
    print "    for (int i = " input_low[j] + row "; i < " input_low[j] + input_width[j] "; i++)"
    print "      for (int j = i - " row "; j >= " input_low[j] "; j -= " row ") if (inputs[j]) inputs[i] = 1'b0;"
  }
  print "  end"
  for (reader = 0; reader < 2; reader++) {
    vector = reader ? "netlist_o" : "rtl_o"
    print "  " module (reader ? "_netlist" : "#(" overrides ")") " u_" vector " ("
    for (i = 1; i <= input_count; i++)
      print "    " (reader ? pins(names[i], "inputs", input_low[i]) \
        : "." names[i] "(" slice("inputs", input_low[i], input_width[i]) ")") ","
    if ("clk_i" in special) print "    .clk_i(clk_i),"
    if ("rst_ni" in special) print "    .rst_ni(rst_ni),"
    for (i = 1; i <= output_count; i++)
      print "    " (reader ? pins(outputs[i], vector, output_low[i]) \
        : "." outputs[i] "(" slice(vector, output_low[i], output_width[i]) ")") (i < output_count ? "," : ");")
    if (output_bits <= last_output) print "  assign " vector "[" last_output ":" output_bits "] = '0;"
  }
  print "endmodule"
  printf "const Port kInputs[] = {" > header
  for (i = 1; i <= input_count; i++) {
    printf "{\"%s\", %d, %d, %du},", names[i], input_low[i], input_width[i], below[names[i]] > header
  }
  print "{\"\", 0, 0, 0u}};" > header
  printf "const Port kOutputs[] = {" > header
  for (i = 1; i <= output_count; i++)
    printf "{\"%s\", %d, %d, 0u},", outputs[i], output_low[i], output_width[i] > header
  print "{\"\", 0, 0, 0u}};" > header
}
