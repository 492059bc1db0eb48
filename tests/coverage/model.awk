# SPDX-License-Identifier: Apache-2.0
# Reads a C++ file that Verilator made of a module with coverage and writes it anew: its counters belong to the model, not to
# an instance of it, which is gone before the process writes its coverage, and count without a lock.
{ gsub(/std::atomic<uint32_t>/, "uint32_t"); gsub(/\.fetch_add\(1, std::memory_order_relaxed\)/, " += 1") }
/^ *uint32_t __Vcoverage\[[0-9]+\];$/ { sub(/uint32_t/, "inline static uint32_t") }
/^#include "verilated.h"$/ && FILENAME ~ /__Syms\.h$/ { $0 = $0 "\n#include \"tests/coverage/recorder.h\"" }
/^ *\*count32p = 0;$/ { next }
/^ *VL_COVER_INSERT\(/ {
  print "    if (enable) torusmu::coverage::add_counter(count32p, filenamep, lineno, column, name() + std::string{hierp}, pagep, commentp, linescovp);"
  inserting = 1
}
inserting { if (/\);$/) inserting = 0; next }
{ print }
