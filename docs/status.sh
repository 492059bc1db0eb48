#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/status.md, the state of each module: docs/status.sh BUILD/closures.mk. What it says is looked up in the
# tree; that the checks pass is the business of make test.
set -eu
export LC_ALL=C
closures=$1
cat <<'TEXT'
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by make generate; do not edit. -->

# State of the modules

Every module has its contract in its header (`make check JOBS=lint/sources` asks for the paragraphs), is clean in `verilator -Wall`, and runs in
every scenario and replay with its assertions on (the last two with `--engine mesh`). What differs is here, in the order of
`rtl/rtl.f`:

- **unit test**: the smallest module around it that has a test of its own, in the folder of `tests/` that is named like that of `rtl/`; it
  judges faults drawn in the module, too ([mutation.md](mutation.md)); *node* if only the tests of the whole node and machine reach it
- **proved**: by the jobs `formal/x`, the longest proofs at night; with these parameters where they are not those of its file (the
  lists of `tb/formal/` have them); *by parts* if modules inside it are. Each assertion fails under a fault drawn in the netlist,
  or the lists say why none can fail it
- **two readers**: netlist of Yosys equal to the RTL in Verilator, the jobs `two-readers/x`; *at night* those of more than three files or with a large netlist
TEXT
# Closures first, then proofs, then rtl.f.
awk -v unit="$(for f in rtl/*/; do (cd tests/"$(basename "$f")" 2> /dev/null && echo *_test.cc); done | tr '\n' ' ')" -v large="$(grep -rl '^// two-readers:.* nightly' rtl | tr '\n' ' ')" '
  function module_of(path) { sub(/.*\//, "", path); sub(/\.sv$/, "", path); return path }
  BEGIN { n = split(unit, list, " "); for (i = 1; i <= n; i++) { sub(/_test\.cc/, "", list[i]); tested["mu_" list[i]] = 1 } }
  # Of the words behind the engine those in capitals are parameters, of the module or of one in it.
  function add_proof(name,    i, set) {
    for (i = 4; i <= NF; i++) if ($i ~ /^(mu_[a-z0-9_]+\.)?[A-Z_]+=/) set = set (set == "" ? "" : " ") $i
    if (set == "") set = "as in its file"
    if ((name, set) in told) return
    told[name, set] = 1
    proofs[name] = proofs[name] (proofs[name] == "" ? "" : "; ") set
  }
  FILENAME ~ /closures\.mk$/ {
    m = substr($1, 9); size[m] = NF - 2
    for (i = 3; i <= NF; i++) { part = module_of($i); if (part != "mu_pkg") inside[m, part] = 1; else size[m]-- }
    all[m] = 1; next
  }
  FILENAME ~ /\.list$/ {
    if ($0 ~ /^#/ || NF < 3) next
    name = $1; sub(/\..*/, "", name)
    if (!(name in all)) name = $2
    if (name in all) add_proof(name)
    next
  }
  /^\/\/ [A-Z]/ && !/SPDX|The files of the design/ {
    title = substr($0, 4)
    print "\n## " title "\n\n| module | unit test | proved | two readers |\n| --- | --- | --- | --- |"
    next
  }
  /^rtl\// {
    m = module_of($1)
    if (m == "mu_pkg") { print "| [`mu_pkg`](../" $1 ") | `tests/layout/` | - | through all |"; next }
    best = ""
    for (t in tested) if ((t in all) && ((t, m) in inside) && (best == "" || size[t] < size[best] || (size[t] == size[best] && t < best))) best = t
    test = best == "" ? "node" : best == m ? "yes" : "in `" best "`"
    proof = !(m in proofs) ? "-" : proofs[m] == "as in its file" ? "yes" : "yes: " proofs[m]
    if (proof == "-") for (p in proofs) if ((m, p) in inside) proof = "by parts"
    printf "| [`%s`](../%s) | %s | %s | %s |\n", m, $1, test, proof, size[m] < 4 && index(large, $1 " ") == 0 ? "yes" : size[m] < 9 ? "at night" : "by parts"
  }
' "$closures" tb/formal/*.list rtl/rtl.f

cat <<'TEXT'

## Proofs at other sizes

What is proved with other parameters than those of the node, and why it holds for these: `tb/formal/carry_over.csv`, which says
what the kinds of arguments are. The job `lint/sizes` asks for a row for each.

| module or proof | parameters | argument |
| --- | --- | --- |
TEXT
awk -F, '!/^#/ && !/^module,/ { printf "| `%s` | %s | %s |\n", $1, $2, $3 }' tb/formal/carry_over.csv

cat <<'TEXT'

## Rules of the AXI ports

What IHI 0022 asks of the node at its two ports, and what the node promises besides, a line for each assertion in
`tb/formal/mu_axi4_lite_subordinate_properties.sv` and `tb/formal/mu_axi4_manager_properties.sv`, whose headers name the
sections. They are proved for all inputs and for ever; `tb/formal/axi.list` says for what sizes. Models of the unit tests of
these ports have the same files bound to them, with what the other side owes asserted too.

| port | rule | proved by |
| --- | --- | --- |
TEXT
# A proof with only=MODULE*/GLOB proves the rules that match; a line "# rule NAME: PROOF..." names what proves one by parts.
awk '
  FILENAME ~ /\.list$/ {
    if ($1 == "#" && $2 == "rule") { rule = $3; sub(/:$/, "", rule); for (i = 4; i <= NF; i++) parts[rule, ++part_count[rule]] = $i; next }
    if (/^#/ || $2 !~ /^mu_axi4_/) next
    glob = ".*"
    for (i = 4; i <= NF; i++) if ($i ~ /^only=/) { glob = $i; sub(/.*\//, "", glob); gsub(/\*/, ".*", glob) }
    proof[++proofs] = $1; top[proofs] = $2; pattern[proofs] = "^" glob "$"
    next
  }
  FNR == 1 { lite = FILENAME ~ /lite/ }
  /^ *(if .* )?[a-z0-9_]+ :( assert|$)/ && !/_DUTY/ {
    label = $0; sub(/ :.*/, "", label); sub(/.* /, "", label)
    by = ""
    for (i = 1; i <= proofs; i++)
      if (label ~ pattern[i] && (lite == (top[i] ~ /lite/))) by = by " `" proof[i] "`"
    for (i = 1; i <= part_count[label]; i++) by = by " `" parts[label, i] "`"
    words = label; gsub(/_/, " ", words)
    print "| " (lite ? "AXI4-Lite" : "AXI4") " | " words " |" (by == "" ? " -" : by) " |"
  }
' tb/formal/*.list tb/formal/mu_axi4_lite_subordinate_properties.sv tb/formal/mu_axi4_manager_properties.sv tb/formal/mu_axi4_read_proof.sv
