# SPDX-License-Identifier: Apache-2.0
# Reads a C++ file that Verilator made of a module with --coverage-line --coverage-user --trace and writes it anew:
# the counters belong to the model, not to its instance, and are plain numbers; they are told to
# tests/coverage/recorder.h; each evaluation ends with a look at all signals
# (tests/coverage/toggles.h).

{ gsub(/std::atomic<uint32_t>/, "uint32_t"); gsub(/\.fetch_add\(1, std::memory_order_relaxed\)/, " += 1") }
/^ *uint32_t __Vcoverage\[[0-9]+\];$/ { sub(/uint32_t/, "inline static uint32_t") }
/^#include "verilated_vcd_c.h"$/ { print "#include \"tests/coverage/toggles.h\""; next }
/^#include "verilated.h"$/ && FILENAME ~ /__Syms\.h$/ {
  print
  print "#include \"tests/coverage/toggles.h\""
  next
}
/^ *bool __Vm_activity = false;/ { print "    VerilatedVcdC toggles;" }
/^ *\*count32p = 0;$/ { next }
/^ *VL_COVER_INSERT\(/ {
  print "    torusmu::coverage::add_counter(count32p, filenamep, lineno, column, hierp, pagep, commentp, linescovp);"
  inserting = 1
}
inserting { if (/\);$/) inserting = 0; next }
/::eval_step\(\) \{$/ { evaluating = 1 }
evaluating && /^}$/ {
  print "    vlSymsp->toggles.sample(*this);"
  evaluating = 0
}
{ print }
