# SPDX-License-Identifier: Apache-2.0
# Prints make rules for the proofs of the .list files and for the seeded bugs (patches) that belong to them.
FILENAME ~ /\.list$/ && !/^ *(#|$)/ {
  if ($1 in top) { print "$(error " FILENAME ": proof " $1 " is listed twice)"; next }
  name = $1
  names[++count] = name
  top[name] = $2
  engine[name] = $3
  options = ""
  for (i = 4; i <= NF; i++) {
    if ($i == "nightly") nightly[name] = "NIGHTLY_"
    else options = options (options == "" ? "" : " ") $i
  }
  option[name] = options
}
FILENAME ~ /\.patch$/ && /^Check: formal / {
  twin = FILENAME
  sub(/.*\//, "", twin)
  sub(/\.patch$/, "", twin)
  twins[++twin_count] = twin
  patch[twin] = FILENAME
  proof[twin] = $3
  rule[twin] = $4
  has_twin[top[$3]] = 1
  if (!($3 in top)) print "$(error " FILENAME ": no proof " $3 ")"
}
END {
  for (i = 1; i <= count; i++) {
    n = names[i]
    printf "$(eval $(call proof_rule,%s,%s,%s,%s,%s))\n", n, top[n], engine[n], option[n], nightly[n]
    if (!(top[n] in has_twin)) print "PROOFS_WITHOUT_TWIN += " n
  }
  for (i = 1; i <= twin_count; i++) {
    t = twins[i]
    n = proof[t]
    options = option[n]
    # Of the rules of the proof, this one alone must see it.
    if (rule[t] != "" && !sub(/only=[^ ]*\//, "&" rule[t] "\n", options)) print "$(error " patch[t] ": proof " n " has no rules)"
    sub(/\n[^ ]*/, "", options)
    printf "$(eval $(call twin_rule,%s,%s,%s,%s,%s,%s))\n", t, patch[t], top[n], engine[n], options, nightly[n]
  }
}
