#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One proof: tb/checks/prove.sh WORK_FOLDER TOP ENGINE "OPTIONS" FILE...
#
#   ENGINE pdr        unbounded, Yosys -> AIGER -> ABC's property-directed reachability
#          induction  unbounded, Yosys -> SMT-LIB2 -> z3 by k-induction (better for adders and bounds)
#   OPTIONS words: PARAMETER=VALUE of the top, or mu_x.PARAMETER=VALUE of all mu_x inside it; only=mu_x (proves
#           the assertions in mu_x alone, only=mu_x*/pre_* those so named); depth=N (induction: k,
#           default 10); timeout=SECONDS (default 300); -DMACRO
#
# FORMAL and PROVE_<TOP IN CAPITALS> are defined. Reset must be assumed in the first cycle by the RTL.
# The last line is PROVED, FAILED (a counterexample exists) or UNKNOWN (none found, no proof either). FAILED comes with the
# assertion and with the counterexample as waves, WORK_FOLDER/counterexample.vcd.
# Exit status 0: proved; 1: failed; 3: unknown; 2: the tools refused.
set -euf -o pipefail
export LC_ALL=C
engine=$3
. "$(dirname "$0")/proof_design.sh" "$1" "$2" "$4" "${@:5}"
(set +f; rm -f "$work"/counterexample.*)

write_smt2="$read; proc; $keep flatten; opt; memory -nordff -nomap; opt_clean; async2sync; dffunmap; \
  select -assert-min 1 t:\$assert; write_smt2 -wires $work/proof.smt2"
smt() { timeout "$timeout" yosys-smtbmc -s z3 --unroll "$@" "$work/proof.smt2" > "$work/smt.log" 2>&1 || true; }
# What the solver said in $work/smt.log of an assertion that fails.
explain() {
  grep -m 3 'Assert failed' "$work/smt.log" | sed 's/^[^A]*//' || echo "the solver did not find in $timeout s which assertion fails"
  [ ! -s "$work/counterexample.vcd" ] || echo "counterexample: gtkwave $work/counterexample.vcd"
}

case $engine in
  pdr)
    yosys -q -p "$read; proc; $keep flatten; opt -full -nodffe -nosdff; memory_map; opt -full -nodffe -nosdff; \
      async2sync; chformal -cover -remove; delete -output; techmap; dffunmap; simplemap; \
      setundef -undriven -anyseq; select -assert-min 1 t:\$assert; abc -g AND -fast; \
      write_aiger -I -B -zinit -no-startoffset $work/proof.aig" || exit 2
    timeout "$timeout" berkeley-abc -c "read_aiger $work/proof.aig; fold; strash; scorr; dc2; print_stats; pdr" \
      > "$work/abc.log" 2>&1 || true
    tail -n 4 "$work/abc.log"
    if grep -q 'Property proved' "$work/abc.log"; then echo PROVED; exit 0; fi
    if grep -q 'was asserted in frame\|is satisfiable' "$work/abc.log"; then
      # ABC counts frames from 0 and knows no names: the solver looks for the same, in as many cycles.
      frame=$(sed -n 's/.*asserted in frame \([0-9]*\).*/\1/p' "$work/abc.log" | tail -n 1)
      yosys -q -p "$write_smt2" && smt -t "$((${frame:-$depth} + 2))" --dump-vcd "$work/counterexample.vcd"
      explain
      echo FAILED
      exit 1
    fi
    ;;
  induction)
    yosys -q -p "$write_smt2" || exit 2
    smt -t "$depth" --dump-vcd "$work/counterexample.vcd"
    tail -n 3 "$work/smt.log"
    if grep -q 'Status: FAILED' "$work/smt.log"; then
      explain
      echo FAILED
      exit 1
    fi
    grep -q 'Status: PASSED' "$work/smt.log" || { echo UNKNOWN; exit 3; }
    smt -t "$depth" -i
    tail -n 3 "$work/smt.log"
    if grep -q 'Status: PASSED' "$work/smt.log"; then echo PROVED; exit 0; fi
    ;;
  *) echo "unknown engine '$engine'"; exit 2 ;;
esac
echo UNKNOWN
exit 3
