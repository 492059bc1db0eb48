# SPDX-License-Identifier: Apache-2.0
# Reads RTL files and prints for each module mu_x a make variable with all the files it is made of, in an
# order in which they can be read: CLOSURE_mu_x := rtl/package/mu_pkg.sv (if used) submodules... its own.
FNR == 1 {
  module = FILENAME
  sub(/.*\//, "", module)
  sub(/\.sv$/, "", module)
  path[module] = FILENAME
  modules[++count] = module
}
{
  sub(/\/\/.*/, "")
  line = $0
  while (match(line, /mu_[a-z0-9_]+/)) {
    word = substr(line, RSTART, RLENGTH)
    if (word != module) uses[module, word] = 1
    line = substr(line, RSTART + RLENGTH)
  }
}
function walk(m, top, i, list) {
  if ((top, m) in seen) return ""
  seen[top, m] = 1
  list = ""
  for (i = 1; i <= count; i++)
    if ((m, modules[i]) in uses) list = list walk(modules[i], top)
  return list " " path[m]
}
END {
  for (i = 1; i <= count; i++) {
    list = walk(modules[i], modules[i])
    # The package is read before everything else, wherever the walk met it.
    if (sub(/ rtl\/package\/mu_pkg\.sv/, "", list)) list = " rtl/package/mu_pkg.sv" list
    print "CLOSURE_" modules[i] " :=" list
  }
}
