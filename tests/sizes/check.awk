# SPDX-License-Identifier: Apache-2.0
# Are modules tested and proved at the sizes at which the node runs them? Reads
#   the lists of proofs
#   carry_over.csv            why proofs of other sizes hold for those of the node
#   reasons.csv               module,parameter,value,why a test at another value is enough; value * is any
#   the files of the modules  for sizes of the package that differ between the profiles
#   sim.xml, bgp.xml          what Verilator made of wrapper.awk's module in each profile
# and prints a line for each module with parameters: those of the node, of the models of its unit tests and of its proofs.
# In MODELS go the models of the profile sim that are of a size of the node. Fails if a size of the node has neither a model nor a reason, if a
# proof does not say why it carries over, and if a reason or such a line is not needed.
function number(text, digits, i, value) {
  if (text !~ /h/) return text
  digits = tolower(text)
  sub(/.*h/, "", digits)
  value = 0
  for (i = 1; i <= length(digits); i++) value = 16 * value + index("0123456789abcdef", substr(digits, i, 1)) - 1
  return sprintf("%.0f", value)
}
function attribute(name) {
  if (!match($0, " " name "=\"[^\"]*\"")) return ""
  return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
}
function error(text) {
  print "  FAIL " text
  failed = 1
}
function of_set(module, set,    i, text) {
  for (i = 1; i <= names[module]; i++)
    if ((set, name_of[module, i]) in value) text = text " " name_of[module, i] "=" value[set, name_of[module, i]]
  return substr(text, 2)
}
# The parameters of a module as elaborated; of one that looks at sizes of the package the profile, too.
function finish_module(    i, id) {
  id = profile SUBSEP called
  module_of[id] = original
  if (original in looks_at_package) add(id, "PROFILE", profile)
}
function add(id, name, what,    module) {
  module = original
  if (!((module, name) in known)) {
    known[module, name] = 1
    name_of[module, ++names[module]] = name
  }
  value[id, name] = what
}
FILENAME ~ /carry_over\.csv$/ {
  if (/^#/ || /^module,/) next
  if (split($0, cell, ",") != 3) { error(FILENAME ":" FNR ": not module,parameters,argument: " $0); next }
  n = split(cell[2], word, " ")
  for (i = 1; i <= n; i++) argument[cell[1], word[i]] = FILENAME ":" FNR
  next
}
FILENAME ~ /\.list$/ && !/^ *(#|$)/ {
  for (i = 4; i <= NF; i++)
    if ($i ~ /^([a-z0-9_]+\.)?[A-Z][A-Z0-9_]*=/) {
      sub(/=.*/, "", $i)
      # Of a module of tb/ or one inside: known by name alone.
      if ($2 ~ /_proof$/ || $i ~ /\./) needs_argument[$2, $i] = FILENAME
    }
  next
}
FILENAME ~ /\.csv$/ {
  if (/^#/ || /^module,/) next
  split($0, cell, ",")
  reason[cell[1], cell[2], cell[3]] = FILENAME ":" FNR
  next
}
FILENAME ~ /\.sv$/ {
  if (/parameter/ || !/mu_pkg::(CLIENTS|INJECTION_QUEUES|RECEPTION_FIFOS|BYTE_COUNTERS|EVENT_COUNTERS|COMPLETION_QUEUES|REGIONS)[^A-Z_]/) next
  module = FILENAME
  sub(/.*\//, "", module)
  sub(/\.sv$/, "", module)
  looks_at_package[module] = 1
  next
}
FNR == 1 {
  profile = FILENAME
  sub(/.*\//, "", profile)
  sub(/\.xml$/, "", profile)
}
/<cell / {
  path = attribute("hier")
  if (path !~ /^mu_sizes\./) next
  sub(/^mu_sizes\./, "", path)
  id = profile SUBSEP attribute("submodname")
  if (path ~ /^u_node/) in_node[id] = 1
  else if (path ~ /^model_[^.]*$/) { models[id] = models[id] " " substr(path, 7) }
  else if (path ~ /^bgp_model_[^.]*$/) of_bgp[id] = 1
  else if (path ~ /^proof_[^.]*$/) { proofs[id] = proofs[id] " " substr(path, 7) }
  next
}
/<module / {
  called = attribute("name")
  original = attribute("origName")
  next
}
/<\/module>/ && called != "" { finish_module(); called = ""; next }
/ param="true"/ && called != "" {
  name = attribute("origName")
  getline
  add(profile SUBSEP called, name, number(attribute("name")))
}
END {
  for (id in module_of) {
    m = module_of[id]
    if (!names[m]) { if (id in models) print_models(id); continue }
    if (id in in_node) { sizes[m] = sizes[m] "\n" id; }
    if (id in models || id in of_bgp) { tested[m] = tested[m] "\n" id }
    if (id in proofs) { proved[m] = proved[m] "\n" id }
  }
  for (m in sizes) check(m)
  for (key in reason) if (!(key in used)) { split(key, part, SUBSEP); error(reason[key] ": no size of " part[1] " needs this reason for " part[2]) }
  for (key in argument) if (!(key in needed) && !(key in needs_argument)) { split(key, part, SUBSEP); error(argument[key] ": " part[1] " " part[2] " needs no argument") }
  for (key in needs_argument) if (!(key in argument)) { split(key, part, SUBSEP); error(needs_argument[key] ": " part[1] ": no line says why its proof carries over from this " part[2]) }
  exit failed
}
function print_models(id,    i, n, list) {
  n = split(models[id], list, " ")
  for (i = 1; i <= n; i++) print list[i] > MODELS
}
# Whether a test of one set of parameters is enough for another: where they differ, there is a reason.
function is_enough(m, tested_as, wanted,    j, p, what) {
  for (j = 1; j <= names[m]; j++) {
    p = name_of[m, j]
    what = value[wanted, p]
    if (value[tested_as, p] != what && !((m, p, what) in reason) && !((m, p, "*") in reason)) return 0
  }
  for (j = 1; j <= names[m]; j++) {
    p = name_of[m, j]
    what = value[wanted, p]
    if (value[tested_as, p] != what) used[m, p, (m, p, what) in reason ? what : "*"] = 1
  }
  return 1
}
function check(m,    n, i, k, j, list, tests, t, ok, p, line, by, values) {
  n = split(substr(sizes[m], 2), list, "\n")
  t = split(substr(tested[m], 2), tests, "\n")
  split("", seen)
  line = m ":"
  for (i = 1; i <= n; i++) {
    set = of_set(m, list[i])
    if (set in seen) continue
    seen[set] = 1
    line = line " node " set ";"
    if (t == 0) continue
    # A model of just this size, or those that a reason says are enough.
    ok = 0
    for (k = 1; k <= t; k++) if (of_set(m, tests[k]) == set) ok = of_node[tests[k]] = 1
    if (!ok) for (k = 1; k <= t; k++) if (is_enough(m, tests[k], list[i])) ok = of_node[tests[k]] = 1
    if (!ok) error(m ": no model of its unit tests has the node's " set)
  }
  for (k = 1; k <= t; k++) {
    set = of_set(m, tests[k])
    line = line " test " set ";"
    if (tests[k] in of_node) print_models(tests[k])
  }
  by = split(substr(proved[m], 2), list_of_proofs, "\n")
  for (k = 1; k <= by; k++) line = line " proof " of_set(m, list_of_proofs[k]) ";"
  if (by) for (j = 1; j <= names[m]; j++) {
    p = name_of[m, j]
    split("", values)
    for (k = 1; k <= by; k++) values[value[list_of_proofs[k], p]] = 1
    for (i = 1; i <= n; i++) if (!(value[list[i], p] in values)) {
      if (!((m, p) in argument) && !((m, p) in needed)) error(m ": no line says why its proofs carry over to the node's " p "=" value[list[i], p])
      needed[m, p] = 1
    }
  }
  print line
}
