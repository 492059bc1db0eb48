# SPDX-License-Identifier: Apache-2.0
# Prints a module of which Verilator says with what parameters every module runs: the node, each model of the unit tests, and each
# module of the design that is proved, as an instance. Reads $(BUILD)/test_models.mk, the same of the tests that also run in profile bgp, with all modules
# as MODULES, and the lists of proofs. What is left out here is a proof around modules, whose parameters are those of its list.
function parameters(text, i, n, word, set, value) {
  n = split(text, word, " ")
  set = ""
  for (i = 1; i <= n; i++) {
    if (word[i] !~ /^(-G)?[A-Z][A-Z0-9_]*=/) continue
    sub(/^-G/, "", word[i])
    split(word[i], value, "=")
    set = set (set == "" ? "" : ", ") "." value[1] "(" value[2] ")"
  }
  return set == "" ? "" : " #(" set ")"
}
BEGIN {
  n = split(modules, list, " ")
  for (i = 1; i <= n; i++) known[list[i]] = 1
  print "module mu_sizes;\n  mu_gated_node u_node ();"
}
# Models and proofs are elaborated in the profile whose package they read.
/verilated_model,/ {
  of_bgp = FILENAME ~ /bgp_models\.mk$/
  gsub(/^\$\(eval \$\(call |\)\)$/, "")
  split($0, part, ",")
  sub(/.*\//, "", part[3])
  sub(/\.sv$/, "", part[3])
  if ((part[3] in known) && (of_bgp || part[4] ~ /-DTORUSMU_PROFILE_BGP/) == (profile == "bgp"))
    print "  " part[3] parameters(part[4]) (of_bgp ? " bgp_model_" : " model_") part[2] " ();"
}
FILENAME ~ /\.list$/ && !/^ *(#|$)/ && ($2 in known) {
  options = ""
  for (i = 4; i <= NF; i++) options = options " " $i
  if ((options ~ /-DTORUSMU_PROFILE_BGP/) != (profile == "bgp")) next
  name = $1
  gsub(/\./, "__", name)
  print "  " $2 parameters(options) " proof_" name " ();"
}
END { print "endmodule" }
