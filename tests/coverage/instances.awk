# SPDX-License-Identifier: Apache-2.0
# Reads RTL files and prints, as C++ initialisers, each module, and which module each instance is:
#   MODULE("mu_fifo")   INSTANCE("mu_router_local", "u_requests", "mu_fifo")
FNR == 1 {
  if (module != "") scan()
  module = FILENAME
  sub(/.*\//, "", module)
  sub(/\.sv$/, "", module)
  print "MODULE(\"" module "\")"
  text = ""
}
{ sub(/\/\/.*/, ""); text = text " " $0 }
# What comes after the parentheses that begin the text.
function after_parentheses(rest,  i, depth, c) {
  for (i = 1; i <= length(rest); i++) {
    c = substr(rest, i, 1)
    if (c == "(") depth++
    if (c == ")" && --depth == 0) return substr(rest, i + 1)
  }
  return ""
}
function scan(  child, rest, name) {
  while (match(text, /[^a-z0-9_.]mu_[a-z0-9_]+ +(# *\(|[a-z])/)) {
    child = substr(text, RSTART + 1, RLENGTH - 1)
    rest = substr(text, RSTART + RLENGTH - 1)
    text = substr(text, RSTART + RLENGTH - 1)
    if (child ~ /# *\($/) rest = after_parentheses(rest)
    sub(/[ #(].*/, "", child)
    if (!match(rest, /^ *[a-z][a-z0-9_]* *\(/)) continue
    name = substr(rest, RSTART, RLENGTH)
    gsub(/[ (]/, "", name)
    print "INSTANCE(\"" module "\", \"" name "\", \"" child "\")"
  }
}
END { scan() }
