# SPDX-License-Identifier: Apache-2.0
# Reads sim/fast_node.h and the C++ that Verilator made of mu_gated_node, and writes the model as two sources,
# one to standard output and one to the file `sequent`: that C++, with assertions that follow each other behind
# one test of whether they are on, and the functions of sim/node_evaluation.h. Verilator's own evaluation of one
# node is a list of functions with the clocks that call for each; here each of them runs for all nodes of a batch
# before the next. If Verilator wrote something else than is expected, nodes are not evaluated in batches.

function fail(what) {
  if (failed == "") failed = what
}

# Every other function of those that a clock edge calls goes into the second source, so that a compiler for
# each has about the same to do. Declarations go into both.
function to_second(  number, declaration) {
  if (match($0, /^(VL_INLINE_OPT )?void .*___nba_sequent__TOP__[0-9]+\(.*\{$/)) {
    number = $0
    sub(/^.*___nba_sequent__TOP__/, "", number)
    if (number % 2 == 1) {
      second = 1
      declaration = $0
      sub(/ *\{$/, ";", declaration)
      print declaration
    }
  }
  return second
}
function emit(text) {
  if (second) {
    printf "%s", text > sequent
  } else {
    printf "%s", text
    if (text ~ /^(extern|void|VL_INLINE_OPT void) [^={]*;\n$/ || text ~ /^#include "V/)
      printf "%s", text > sequent
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
    to_second()
    emit($0 "\n")
    if ($0 ~ /^}/) second = 0
    opened[indent] = $0
    if (test) {
      test_indent = indent
      in_test = 1
    }
  }
}

# The nodes that have any of the clocks of a mask, as an expression.
function nodes_with(mask,  bit, expression) {
  for (bit = 0; mask > 0; bit++) {
    if (mask % 2 == 1) expression = expression (expression == "" ? "" : " | ") "of_clock" bit
    mask = int(mask / 2)
  }
  return expression
}

FNR == 1 && FILENAME ~ /\.cpp$/ { part = "" }
FILENAME ~ /\.cpp$/ { copy() }

# The bits of a ClockMask.
FILENAME ~ /fast_node\.h$/ {
  while (match($0, /X\([0-9]+, [a-z]+\)/)) {
    split(substr($0, RSTART + 2, RLENGTH - 3), pair, ", ")
    bit_of[pair[2]] = pair[1]
    $0 = substr($0, RSTART + RLENGTH)
  }
  next
}

# The body of the function that is being read, without its first lines.
/^(VL_INLINE_OPT )?void .*___eval_triggers__act\(.*\{$/ { part = "triggers"; text = ""; inside = 0; next }
/^(VL_INLINE_OPT )?void .*___eval_nba\(.*\{$/ { part = "edge"; text = ""; inside = 0; next }
/^(VL_INLINE_OPT )?void .*___eval_ico\(.*\{$/ { part = "inputs"; text = ""; inside = 0; next }
/^(VL_INLINE_OPT )?void .*___eval_act\(.*\{$/ { part = "act"; text = ""; inside = 0; next }
/^(VL_INLINE_OPT )?void .*___eval\(.*\{$/ { part = "samples"; text = ""; inside = 0; next }
/^(VL_INLINE_OPT )?void .*___ico_.*\{$/ { combinational = 1 }
combinational && /->link_[a-z]+_[a-z]+_i/ { sees_links = 1 }
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
  n = split(found["triggers"], statement, ";")
  for (i = 1; i < n; i++) {
    if (match(statement[i], /VactTriggered\.at\([0-9a-fx]+U\)/)) {
      trigger = substr(statement[i], RSTART + 17, RLENGTH - 19)
      if (!match(statement[i], /vlSelf->clk_[a-z]+_i\)/)) fail("triggers")
      name = substr(statement[i], RSTART + 12, RLENGTH - 15)
      if (!(name in bit_of)) fail("clock " name)
      clock_of[trigger] = 2 ^ bit_of[name]
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
      body = body "    for (left = " nodes_with(mask) "; left != 0; left &= left - 1) " \
        substr(statement[i], RSTART, RLENGTH - 8) "(nodes[__builtin_ctz(left)]);\n"
      statement[i] = substr(statement[i], RSTART + RLENGTH)
    }
  }

  print "// Written by sim/node_evaluation.awk from what Verilator wrote; do not edit."
  print "#include \"sim/node_evaluation.h\"\n"
  print "namespace torusmu {"
  if (failed != "") {
    print "node_evaluation.awk: this Verilator writes its evaluation (" failed ") otherwise than 5.006;" \
      " the fast engine will be slower" > "/dev/stderr"
    inputs = samples = body = ""
  }
  print "extern const bool kNodesInBatches = " (failed == "" ? "true" : "false") ";\n"
  print "void evaluate_inputs(Vmu_gated_node___024root* vlSelf, bool links, bool buses) {"
  print "  // Values of before the edge, which only assertions look at."
  print "  if (vlSelf->vlSymsp->_vm_contextp__->assertOn()) {\n   " samples "}"
  print "  // now_i changes in every cycle. The least that it is compared with is wake_at_o."
  print "  if (" (sees_time ? "true" : "buses" (sees_links ? " || links" : "") (compares_time ? " || vlSelf->now_i >= vlSelf->wake_at_o" : "")) ") " \
    inputs "(vlSelf);\n}\n"
  print "void evaluate_edge(Vmu_gated_node___024root* const* nodes, const ClockMask* clocks, std::size_t count,"
  print "                   std::size_t& at) {"
  print "  // Bit i: node i."
  for (name in bit_of) {
    print "  std::uint32_t of_clock" bit_of[name] " = 0;"
    gathered = gathered "    of_clock" bit_of[name] " |= (clocks[i] >> " bit_of[name] "U & 1U) << i;\n"
  }
  print "  for (std::size_t i = 0; i < count; ++i) {"
  printf "%s", gathered
  print "  }"
  print "  std::uint32_t left = 0;"
  print "  try {"
  printf "%s", body
  print "  } catch (...) {\n    at = static_cast<std::size_t>(__builtin_ctz(left));\n    throw;\n  }\n}\n}  // namespace torusmu"
}
