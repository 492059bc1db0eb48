# SPDX-License-Identifier: Apache-2.0
# Reads sim/machine/fast_node.h and the C++ that Verilator made of mu_gated_node, and writes the model as three sources,
# one to standard output, one to the file `second_source` and, for the cycles in reset alone, one to the file
# `reset_source`: that C++, with assertions that follow each other behind one test of whether they are on, and the
# functions of sim/machine/node_evaluation.h. Verilator's own evaluation
# of one node is a list of functions with the clocks that call for each. Here functions that follow each other are
# joined to parts, and each part runs for all nodes of a batch before the next. If Verilator wrote something else
# than is expected, nodes are not evaluated in batches. Takes the C++ twice: `pass=1 FILES pass=2 FILES`.

function fail(what) {
  if (failed == "") failed = what
}

# A function that an edge calls goes into the source of its part, as text of that part alone, and into that of a
# node in reset; its declaration goes nowhere. Verilator's own evaluation of an edge is written anew in END. Other
# declarations go into all.
function sort_out(  name) {
  if (!planned || !/^(VL_INLINE_OPT )?void .*___(nba_[a-z]+__TOP__[0-9]+|eval_nba)\(/) return
  name = $0
  sub(/\(.*/, "", name)
  sub(/^.* /, "", name)
  if ($0 ~ /;$/ || name ~ /eval_nba$/) {
    if ($0 !~ /;$/) emit("void " name "(Vmu_gated_node___024root* vlSelf);\n")
    left_out = 1
  } else {
    second = source_of[name] == 2
    of_edge = 1
    sub(/^(VL_INLINE_OPT )?/, "FUNCTION_OF_EDGE ")
    sub(/\(Vmu_gated_node___024root\* vlSelf\)/, "(Vmu_gated_node___024root* vlSelf, torusmu::ClockMask clocks)")
  }
}
# What is the same in all cycles of a run is no question to the memory: the pin of reset, and whether assertions
# are on, which comes with the clocks.
function emit(text) {
  if (left_out) return
  if (of_edge) {
    gsub(/vlSelf->rst_ni/, "RESET_PIN", text)
    gsub(/vlSymsp->_vm_contextp__->assertOn\(\)/, "(clocks \\& torusmu::kAssertions)", text)
    printf "%s", text > reset_source
  }
  if (second) {
    printf "%s", text > second_source
  } else {
    printf "%s", text
    if (text ~ /^(extern|void|VL_INLINE_OPT void) [^={]*;\n$/ || text ~ /^#include "V/) {
      printf "%s", text > second_source
      printf "%s", text > reset_source
    }
  }
}
function hold(stage) {
  held = held $0 "\n"
  held_stage = stage
}
function let_go() {
  emit(held)
  held = ""
  held_stage = 0
}
# Copies a line of C++. Verilator tests for each assertion whether assertions are on, and for each block of
# them whether the node is in reset:
#     if (vlSelf->rst_ni) {
#         if (vlSymsp->_vm_contextp__->assertOn()) {
# What closes such tests is held back: if the same ones open again right after, neither is written.
function copy(  indent, test) {
  match($0, /^ */)
  indent = RLENGTH
  test = $0 ~ /^ *if \(vlSymsp->_vm_contextp__->assertOn\(\)\) \{$/
  if (test && indent == test_indent && (held_stage == 1 || held_stage == 3)) {
    held = ""
    held_stage = 0
    in_test = 1
  } else if (in_test && indent == test_indent && $0 ~ /^ *}$/) {
    hold(1)
    in_test = 0
  } else if (held_stage == 1 && indent == test_indent - 4 && $0 ~ /^ *}$/ &&
             opened[indent] ~ /^ *if \(vlSelf->rst_ni\) \{$/) {
    hold(2)
  } else if (held_stage == 2 && indent == test_indent - 4 && $0 == opened[indent]) {
    hold(3)
  } else {
    let_go()
    sort_out()
    # What a unique case asserts is not looked at either where assertions are off.
    sub(/if \(\(1U & \(~ VL_ONEHOT0_I\(/, "if (VL_UNLIKELY(vlSymsp->_vm_contextp__->assertOn())) &")
    emit($0 "\n")
    if ($0 ~ /^}|^[^ ].*;$/) second = left_out = of_edge = 0
    opened[indent] = $0
    if (test) {
      test_indent = indent
      in_test = 1
    }
  }
}

# The sources between them: parts of at most LINES_OF_PART lines, in the order in which they run.
function plan(  n, i, statement, condition, mask, name, lines, sum) {
  n = split(found["triggers"], statement, ";")
  for (i = 1; i < n; i++) {
    if (match(statement[i], /VactTriggered\.at\([0-9a-fx]+U\)/)) {
      trigger = substr(statement[i], RSTART + 17, RLENGTH - 19)
      if (!match(statement[i], /vlSelf->clk_[a-z]+_i\)/)) fail("triggers")
      name = substr(statement[i], RSTART + 12, RLENGTH - 15)
      if (!(name in bit_of)) fail("clock " name)
      clock_of[trigger] = 2 ^ bit_of[name]
      triggered = triggered "  if (vlSelf->__VnbaTriggered.at(" trigger "U)) clocks |= " clock_of[trigger] "U;\n"
      triggers++
    } else if (statement[i] !~ /Vtrigrprev__TOP__clk_[a-z]+_i = vlSelf->clk_/) {
      fail("triggers")
    }
  }
  if (triggers == 0) fail("triggers")
  if (found["act"] ~ /[a-z]/) fail("active region")

  n = split(found["inputs"], statement, "}")
  if (n != 2 || statement[1] !~ /VicoTriggered\.at\(0U\)/ || !match(statement[1], /[A-Za-z0-9_]+\(vlSelf\)/)) {
    fail("inputs")
  }
  inputs = substr(statement[1], RSTART, RLENGTH - 8)
  gsub(/;/, ";\n   ", samples)

  n = split(found["edge"], statement, "}")
  if (n < 2) fail("edge")
  for (i = 1; i < n; i++) {
    # A long body comes as several functions, one after the other.
    if (statement[i] !~ /^ *if \([^{]*\) \{ *([A-Za-z0-9_]+\(vlSelf\); *)+$/) fail("edge")
    mask = 0
    condition = statement[i]
    while (match(condition, /VnbaTriggered\.at\([0-9a-fx]+U\)/)) {
      mask += clock_of[substr(condition, RSTART + 17, RLENGTH - 19)]
      condition = substr(condition, RSTART + RLENGTH)
    }
    while (match(statement[i], /[A-Za-z0-9_]+\(vlSelf\)/)) {
      name = substr(statement[i], RSTART, RLENGTH - 8)
      if (!(name in lines_of)) fail("function " name)
      if (parts == 0 || lines + lines_of[name] > LINES_OF_PART) {
        parts++
        lines = 0
      }
      lines += lines_of[name]
      sum += lines_of[name]
      part_of[name] = parts
      clocks_of_part[parts] = either(clocks_of_part[parts] + 0, mask)
      body[parts] = body[parts] "  if ((clocks & " mask "U) != 0) " name "(vlSelf, clocks);\n"
      statement[i] = substr(statement[i], RSTART + RLENGTH)
    }
  }
  for (name in part_of) lines_of_part[part_of[name]] += lines_of[name]
  lines = 0
  # The first source has what follows inputs besides, which is as much as a fifth of the edges.
  for (i = 1; i <= parts; i++) {
    source_of_part[i] = lines * 5 < sum * 2 ? 1 : 2
    lines += lines_of_part[i]
  }
  for (name in part_of) source_of[name] = source_of_part[part_of[name]]
  planned = failed == ""
}
# Bits of one or the other.
function either(one, other,  bit, bits) {
  for (bit = 1; one > 0 || other > 0; bit *= 2) {
    if (one % 2 == 1 || other % 2 == 1) bits += bit
    one = int(one / 2)
    other = int(other / 2)
  }
  return bits
}

BEGIN { LINES_OF_PART = 6000 }
pass == 2 && !began {
  plan()
  began = 1
  included = "#include \"sim/machine/fast_node.h\"\n#define FUNCTION_OF_EDGE static"
  printf included " inline __attribute__((always_inline))\n#define RESET_PIN 1U\n"
  printf included " inline __attribute__((always_inline))\n#define RESET_PIN 1U\n" > second_source
  printf included "\n#define RESET_PIN vlSelf->rst_ni\n" > reset_source
}
pass == 2 { copy(); next }
FNR == 1 { part = "" }

# The bits of a ClockMask.
FILENAME ~ /fast_node\.h$/ {
  while (match($0, /X\([0-9]+, [a-z]+\)/)) {
    split(substr($0, RSTART + 2, RLENGTH - 3), pair, ", ")
    bit_of[pair[2]] = pair[1]
    $0 = substr($0, RSTART + RLENGTH)
  }
  next
}

/^(VL_INLINE_OPT )?void .*___nba_[a-z]+__TOP__[0-9]+\(.*\{$/ {
  edge_function = $0
  sub(/\(.*/, "", edge_function)
  sub(/^.* /, "", edge_function)
}
edge_function != "" { lines_of[edge_function]++ }
/^}/ { edge_function = "" }
# The body of the function that is being read, without its first lines.
/^(VL_INLINE_OPT )?void .*___eval_triggers__act\(.*\{$/ { part = "triggers"; text = ""; inside = 0; next }
/^(VL_INLINE_OPT )?void .*___eval_nba\(.*\{$/ { part = "edge"; text = ""; inside = 0; next }
/^(VL_INLINE_OPT )?void .*___eval_ico\(.*\{$/ { part = "inputs"; text = ""; inside = 0; next }
/^(VL_INLINE_OPT )?void .*___eval_act\(.*\{$/ { part = "act"; text = ""; inside = 0; next }
/^(VL_INLINE_OPT )?void .*___eval\(.*\{$/ { part = "samples"; text = ""; inside = 0; next }
/^(VL_INLINE_OPT )?void .*___ico_.*\{$/ { combinational = 1 }
combinational && /->(link_[a-z]+|signal)_[a-z]+_i/ { sees_links = 1 }
combinational && /->now_i/ { compares_time = 1 }
combinational && /->now_i/ && !/\(vlSelf->now_i >= / { sees_time = 1 }
/^}/ { combinational = 0 }
part == "" { next }
/\/\/ Body$|\/\/ Init$/ { inside = 1; text = ""; next }
/^}/ { found[part] = text; part = ""; next }
!inside { next }
/^#ifdef VL_DEBUG/ { debug = 1 }
/^#endif/ { debug = 0; next }
debug { next }
part == "samples" && /VicoContinue;/ { samples = text; part = ""; next }
{ sub(/^ +/, " "); text = text $0 }

END {
  let_go()
  print "// Written by sim/model/node_evaluation.awk from what Verilator wrote; do not edit."
  print "#include \"sim/machine/node_evaluation.h\"\n"
  print "namespace torusmu {"
  if (failed != "") {
    print "node_evaluation.awk: this Verilator writes its evaluation (" failed ") otherwise than 5.006;" \
      " the fast engine will be slower" > "/dev/stderr"
    inputs = samples = ""
  }
  print "extern const bool kNodesInBatches = " (failed == "" ? "true" : "false") ";\n"
  print "void evaluate_inputs(Vmu_gated_node___024root* vlSelf, bool links, bool buses) {"
  print "  // now_i changes in every cycle. The least that it is compared with is wake_at_o."
  print "  if (" (sees_time ? "true" : "buses" (sees_links ? " || links" : "") (compares_time ? " || vlSelf->now_i >= vlSelf->wake_at_o" : "")) ") " \
    inputs "(vlSelf);"
  print "  // Values of before the edge, behind what follows inputs; only assertions look at them."
  print "  if (vlSelf->vlSymsp->_vm_contextp__->assertOn()) {\n   " samples "}\n}\n"
  for (i = 1; i <= parts && planned; i++) {
    head = "void evaluate_part" i "(Vmu_gated_node___024root* vlSelf, ClockMask clocks)"
    text = head " {\n" body[i] "}\n"
    if (source_of_part[i] == 1) {
      printf "%s", text
    } else {
      print head ";"
      if (!opened_second++) printf "namespace torusmu {\n" > second_source
      printf "%s", text > second_source
    }
  }
  if (opened_second) print "}  // namespace torusmu" > second_source
  print "void evaluate_edge(Vmu_gated_node___024root* const* nodes, const ClockMask* clocks, std::size_t count,"
  print "                   std::size_t& at) {"
  print "  std::size_t i = 0;"
  print "  try {"
  for (i = 1; i <= parts && planned; i++) {
    print "    for (i = 0; i < count; ++i) if ((clocks[i] & " clocks_of_part[i] "U) != 0) evaluate_part" i "(nodes[i], clocks[i]);"
  }
  print "  } catch (...) {\n    at = i;\n    throw;\n  }\n}"
  if (planned) {
    head = "void evaluate_in_reset(Vmu_gated_node___024root* vlSelf, ClockMask clocks)"
    print head ";"
    print "namespace torusmu {\n" head " {" > reset_source
    for (i = 1; i <= parts; i++) printf "%s", body[i] > reset_source
    print "}\n}  // namespace torusmu" > reset_source
  }
  print "}  // namespace torusmu"
  if (planned) {
    print "void Vmu_gated_node___024root___eval_nba(Vmu_gated_node___024root* vlSelf) {"
    print "  const bool asserts = vlSelf->vlSymsp->_vm_contextp__->assertOn();"
    print "  torusmu::ClockMask clocks = asserts ? torusmu::kAssertions : 0;"
    printf "%s", triggered
    print "  if (!vlSelf->rst_ni) {\n    torusmu::evaluate_in_reset(vlSelf, clocks);\n    return;\n  }"
    for (i = 1; i <= parts; i++) print "  torusmu::evaluate_part" i "(vlSelf, clocks);"
    print "}"
  }
}
