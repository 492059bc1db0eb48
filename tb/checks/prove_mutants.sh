#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A proof proves something only if a bug can fail it: tb/checks/prove_mutants.sh WORK_FOLDER TOP "OPTIONS" SEED FILE...
# Mutants are drawn by SEED in the netlist that prove.sh would prove, for each of its assertions some in the logic that
# this looks at. They are in what the outputs of design modules depend on; state of the proof alone stays as it is. All
# mutants go into one netlist, where a number that never changes says which is alive, and a solver looks for each assertion
# for a mutant and inputs that fail it. For assertions that nothing has failed more are drawn, from farther away.
#
# Some assertions nothing can fail: the proof assumes what they say of the module's neighbours, or they are true at its sizes.
# These, and no others, the option cannot_fail= names; with whatever logic in place of the design's they do not fail.
# by_hand= names those that can fail, but by so few mutants that none is drawn, or by none, because what they look at is a
# constant before mutants are put in: tests/seeded_bugs.list has a bug for each.
# Without a mutant this netlist must fail nothing in as many cycles, or what was found would mean nothing.
# The last line is NON-VACUOUS if each other assertion can fail, VACUOUS if not: lines before it say which.
# With EACH=N only N mutants are drawn, in all logic that assertions look at, and each is tried alone: lines
# "mutant NUMBER: killed by ASSERTIONS" or "mutant NUMBER: survives", within 12 cycles.
# Exit status 0: each assertion can fail; 1: not so, or one fails without a mutant; 2: the tools refused.
set -euf -o pipefail
export LC_ALL=C
seed=$4
. "$(dirname "$0")/proof_design.sh" "$1" "$2" "$3" "${@:5}"
# An assertion as an output that is 1 where it fails, and a free constant is 1: the solver wants some state in every netlist.
cat > "$work/failing.v" <<'TEXT'
module \$assert (A, EN);
  input A, EN;
  wire free;
  \$anyconst #(.WIDTH(1)) u_free (.Y(free));
  (* keep *) wire failing = EN & !A & free;
endmodule
TEXT
# Buffers at outputs give mutants a place where a constant is all that drives one.
# Design is what outputs and memories depend on. The proof may read a memory as an assertion of the design does: by the same port,
# or what the one assumes would not be what the other asks.
yosys -q -l "$work/design.log" -p "$read; proc; insbuf A:src=tb?formal?* %n a:src=tb?formal?* %d; opt_merge t:\$memrd*; \
  select -set design A:src=tb?formal?* %n o:* t:\$memwr* %u %i a:src=tb?formal?* %d %ci* c:* %i; setattr -set design 1 @design; \
  memory_collect; $keep flatten; delete -output; \
  select -assert-min 1 t:\$assert; tee -q -o $work/assertions.txt select -list t:\$assert; write_rtlil $work/design.il" || exit 2
mapfile -t assertions < <(sed 's/^[^/]*.//' "$work/assertions.txt")

# mutants COUNT FIRST CELLS: commands that draw COUNT of CELLS, the first with the number FIRST, into drawn.FIRST.
mutants() {
  echo "select -set near $3 a:design=1 %i t:\$mem* %d; mutate -list $1 -seed $seed -ctrl mutsel 16 $2 -o $work/drawn.$2 @near;"
}
# draw COMMANDS: what they draw, in mutants.txt.
draw() {
  (set +f; rm -f "$work"/drawn.*)
  yosys -q -l "$work/draw.log" -p "read_rtlil $work/design.il; cd $top; $1" > "$work/draw.out" 2>&1 || { tail -n 3 "$work/draw.out"; exit 2; }
  (set +f; cat "$work"/drawn.*) > "$work/mutants.txt"
}
# As a part of the pattern of a name in Yosys.
pattern() { echo "${1//[\[\]]/?}"; }
# draw_for COUNT CELLS ASSERTION...: COUNT mutants for each, in what is at most CELLS cells in front of it.
draw_for() {
  local count=$1 steps=$((2 * $2)) first=1 name commands=""
  for name in "${@:3}"; do
    commands="$commands $(mutants "$count" $first "c:$(pattern "$name") %ci$steps")"
    first=$((first + count))
  done
  draw "$commands"
}
# To outputs that are 1 where an assertion fails, and to single bits.
to_bits="cd ..; techmap -map $work/failing.v t:\$assert; expose w:*.failing; opt_clean; opt_expr; opt_merge; opt_clean; memory_map; \
  opt -full -nodffe -nosdff; async2sync; chformal -cover -remove; techmap; dffunmap; simplemap; setundef -undriven -anyseq; abc -g AND -fast"
write="write_aiger -zinit -no-startoffset"
# netlist COMMANDS [NUMBER...]: all mutants that were drawn, after COMMANDS, in any.aig, with these alone alive in NUMBER.aig.
netlist() {
  local number alone=""
  for number in "${@:2}"; do
    alone="$alone design -push-copy; setattr -set init 16'd$number w:mutsel; setundef -undriven -anyconst; \
      $write -map $work/$number.map $work/$number.aig; design -pop;"
  done
  # In one line, for Yosys checks the whole design after each line of a script.
  sed 's/$/ ;/' "$work/mutants.txt" | tr '\n' ' ' > "$work/mutants.ys"
  yosys -q -l "$work/netlist.log" -p "read_rtlil $work/design.il; cd $top; script $work/mutants.ys; $1 $to_bits; \
    delete -input w:mutsel; $alone setundef -undriven -anyconst; $write -map $work/any.map $work/any.aig" || exit 2
}
# solve NAME COMMANDS SECONDS: what they say of NAME.aig in as much processor time, as lines "cycle assertion".
solve() {
  { (ulimit -S -t "$3" && exec stdbuf -oL berkeley-abc -c "read_aiger $work/$1.aig; fold; strash; $2") || true; } > "$work/$1.log" 2>&1
  awk '
    NR == FNR { if ($1 == "output") { sub(/\.failing$/, "", $4); name[$2] = $4 } next }
    match($0, /Output +[0-9]+ was asserted in frame +[0-9]+/) { split(substr($0, RSTART, RLENGTH), word, / +/); print word[7], name[word[2]] }
  ' "$work/$1.map" "$work/$1.log" | sort -n
}

if [ -n "${EACH:-}" ]; then
  draw "$(mutants "$EACH" 1 "t:\$assert %ci*")"
  mapfile -t numbers < <(seq 0 "$(wc -l < "$work/mutants.txt")")
  netlist "" "${numbers[@]}"
  for number in "${numbers[@]}"; do
    killers=$(solve "$number" "bmc3 -a -x -F 13" 2 | cut -d' ' -f2 | paste -s -d ' ')
    echo "mutant $number: ${killers:+killed by }${killers:-survives}"
  done
  exit 0
fi

# The state of the proof begins as it does; all that the design has may be anything.
yosys -q -l "$work/free.log" -p "read_rtlil $work/design.il; cd $top; delete a:design=1 t:\$mem*; setundef -undriven -anyseq; $to_bits; $write -map $work/free.map $work/free.aig" || exit 2
solve free "bmc3 -a -x -F 30" 60 | cut -d' ' -f2 | sort > "$work/free.txt"
cannot=$(printf '%s\n' "${assertions[@]}" | sort | comm -23 - "$work/free.txt" | grep -vxF "${by_hand//+/$'\n'}" || true)
named=$(echo "${cannot_fail//+/$'\n'}" | sort)
if [ "$cannot" != "$named" ]; then
  comm -23 <(echo "$cannot") <(echo "$named") | sed '/./s/^/nothing fails /'
  comm -13 <(echo "$cannot") <(echo "$named") | sed '/./s/^/cannot_fail= names what can fail: /'
  echo VACUOUS
  exit 1
fi
mapfile -t left < <(grep -vxF "${by_hand//+/$'\n'}" "$work/free.txt")
judged="" drawn=0
only_left() {
  judged="select -set kept $(for name in "${left[@]}"; do echo "c:$(pattern "$name")"; done | paste -s -d ' '); \
    chformal -assert -remove t:\$assert @kept %d;"
}
# How many for each assertion, how many cells away at most, and seconds.
for round in "8 12 5" "40 40 20" "400 1000 60"; do
  only_left
  # shellcheck disable=SC2086
  draw_for ${round% *} "${left[@]}"
  drawn=$((drawn + $(wc -l < "$work/mutants.txt")))
  netlist "$judged" 0
  solve any "bmc3 -a -x -F 30" "${round##* }" | tee "$work/failing.txt" | sed 's/^/fails in cycle /'
  deepest=$(tail -n 1 "$work/failing.txt" | cut -d' ' -f1)
  if [ -n "$deepest" ]; then
    solve 0 "bmc3 -a -x -F $((deepest + 1))" 20 > "$work/sound.txt"
    [ ! -s "$work/sound.txt" ] || { sed 's/^/fails without a mutant in cycle /' "$work/sound.txt"; exit 1; }
  fi
  mapfile -t left < <(printf '%s\n' "${left[@]}" | grep -vxFf <(cut -d' ' -f2 "$work/failing.txt"))
  if [ ${#left[@]} = 0 ]; then
    echo "$drawn mutants, ${#assertions[@]} assertions"
    echo NON-VACUOUS
    exit 0
  fi
done
printf 'no mutant fails %s\n' "${left[@]}"
echo VACUOUS
exit 1
