# SPDX-License-Identifier: Apache-2.0
# The header that tests include as "Vmu_x.h": Verilator's own and zero_inputs(), because Verilator gives
# inputs random values too where unreset state is to be random.
BEGIN {
  print "#include <cstring>"
  print "#include \"" model "/" model ".h\""
  print "inline void zero_inputs(" model "& model) {"
}
match($0, /VL_IN[0-9W]*\(&[A-Za-z0-9_]+/) {
  name = substr($0, RSTART, RLENGTH)
  sub(/.*&/, "", name)
  print "  std::memset(&model." name ", 0, sizeof(model." name "));"
}
END { print "}" }
