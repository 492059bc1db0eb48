#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Which mutants does nobody see from outside? tests/mutation/prove.sh WORK_FOLDER MODEL JOBS SECONDS NUMBER...
# SECONDS are the limit of bounded model checking, three times as many, of processor time, that of a proof.
# For each NUMBER a line "MODEL NUMBER equal", "MODEL NUMBER differs FRAMES" or "MODEL NUMBER unknown" in MODEL.proofs.
#
# The block with and without the mutant get the same inputs and begin with the same state, whatever it is, in reset. They
# are equal if outputs never differ while they mean something (masked.awk) as long as the assertions of the block
# without the mutant hold, which say what its neighbours may do, too. Proofs end sooner of less: first all modules inside that
# have no mutants are left out, then those with state (left_out.awk), then only memories of 128 bits and more (proof_map.v),
# then those of 1,024.
set -euf -o pipefail
export LC_ALL=C
work=$1 model=$2 jobs=$3 seconds=$4 here=$(dirname "$0")
shift 4
proofs=$work/$model.proofs folder=$work/$model.proof
# What was asked of the same netlist before is not asked again.
hash=$(echo "$seconds" | cat - "$work/$model.list" "$work/$model.flat.v" "$here"/prove.sh "$here"/proof_map.v "$here"/ports.awk "$here"/masked.awk "$here"/left_out.awk "$here"/used_bits.awk "$here"/meaning.csv | sha256sum | cut -d' ' -f1)
if [ ! -f "$proofs.hash" ] || [ "$(cat "$proofs.hash")" != "$hash" ]; then
  : > "$proofs"
  echo "$hash" > "$proofs.hash"
fi
wanted=("$@")
set --
for number in "${wanted[@]}"; do grep -q "^$model $number " "$proofs" || set -- "$@" "$number"; done
[ $# -gt 0 ] || exit 0
rm -rf "$folder" && mkdir -p "$folder"
awk -f "$here/ports.awk" -f "$here/masked.awk" "$here/meaning.csv" "$work/$model.flat.v" > "$folder/masked.v"
yosys -q -p "read_rtlil $work/$model.il; delete A:top; setattr -mod -unset keep_hierarchy *; proc; flatten; opt_expr; opt_clean -purge; simplemap; \
  opt_expr; opt_clean -purge; dump -o $folder/parts.cells *" > "$folder/yosys.out" 2>&1
awk -f "$here/used_bits.awk" "$folder/parts.cells" > "$folder/parts.used"
for state in 0 1; do
  awk -v state=$state -f "$here/ports.awk" -f "$here/left_out.awk" "$here/meaning.csv" "$folder/parts.used" "$work/$model.flat.v" > "$folder/left_out_$state.v"
done
cat > "$folder/parts.v" <<'TEXT'
module proof_delay (input A, output Y);
  (* init = 1'b0 *) wire later;
  \$_FF_ u_delay (.D(A), .Q(later));
  assign Y = later;
endmodule
TEXT
# The number of the mutant is what 16 flip-flops begin with and keep, so that one file does for all mutants. What differs is
# told a cycle later, when the assertions have spoken of the cycle, too. Fails for a block so large that no proof would end.
make_proof() {
  (ulimit -S -t $((10 * seconds)) && exec yosys -q -l "$folder/yosys.log" -p "read_rtlil $work/$model.il; read_verilog -formal -icells $folder/masked.v; $2 \
  setattr -mod -unset keep_hierarchy *; hierarchy -check -top masked; proc; flatten; opt_clean; techmap -D CUT_BITS=$1 -map $here/proof_map.v t:\$mem_v2; memory_map; async2sync; \
  dffunmap; opt_clean; expose w:*.told_* a:keep %i; simplemap; techmap -map $here/proof_map.v t:\$_DFF_P_; techmap; simplemap; \
  setundef -zero; setundef -undriven -expose; opt_clean; copy masked gold; rename masked gate; \
  cd gold; rename mutsel none; delete -input none; connect -set none 16'd0; add -input mutsel 16; cd ..; \
  chformal -assert2assume gold; chformal -remove gate; miter -equiv -flatten gold gate both; hierarchy -top both; \
  read_verilog -icells $folder/parts.v; iopadmap -outpad proof_delay A:Y both; flatten; simplemap; \
  delete -input both/in_mutsel; setattr -set init 16'd0 both/w:in_mutsel; setundef -undriven -anyconst both; \
  opt_expr; opt_clean; aigmap; write_aiger -zinit -no-startoffset -map $folder/both.map $folder/both.aig" > "$folder/yosys.out" 2>&1) || {
    local status=$?
    [ $status != 152 ] || return 1  # out of time: SIGXCPU
    tail -n 5 "$folder/yosys.out"
    exit 1
  }
}
# Limits are of processor time, so that what is proved does not depend on what else the machine does; those that abc keeps itself
# are of the clock: one leaves a part for pdr, the other ends what hangs. Out of time it dies at once: what it has printed must be
# in the file by then. What is the same in both as long as the assertions hold is found first (scorr -c). Nothing goes through a file between its commands, for it would lose what flip-flops begin with.
decide() {
  { (ulimit -S -t "$4" && exec stdbuf -oL berkeley-abc -c "read_aiger $1.aig; strash; scleanup; scorr -c; fold; strash; scorr; dc2; \
    print_stats; bmc3 -F $2 -T $3; pdr -T $((20 * $4))") || true; } > "$1.log" 2>&1
  grep -q "$proved\|was asserted in frame" "$1.log"
}
prove() {
  local number=$1 frames latches
  latches=$(head -n 1 "$folder/both.aig" | cut -d' ' -f4)
  {
    head -n $((latches + 1)) "$folder/both.aig" | awk -v number="$number" '
      FILENAME != "-" { if ($1 == "latch" && $4 == "in_mutsel") bit_of[$2] = $3; next }
      FNR > 1 && (FNR - 2) in bit_of && int(number / 2 ^ bit_of[FNR - 2]) % 2 { $2 = 1 }
      { print }' "$folder/both.map" -
    tail -n +$((latches + 2)) "$folder/both.aig"
  } > "$folder/$number.aig"
  # Most are decided within a second; only the others get the whole time.
  decide "$folder/$number" 10 1 3 || decide "$folder/$number" 40 "$seconds" $((3 * seconds)) || true
  rm "$folder/$number.aig"
  if frames=$(grep -o 'was asserted in frame [0-9]*' "$folder/$number.log"); then
    echo "$model $number differs ${frames##* }"
  elif grep -q "$proved" "$folder/$number.log"; then
    echo "$model $number equal"
  else
    echo "$model $number unknown"
  fi
}
export -f decide prove
# Where next to nothing is left, bmc3 is through before pdr begins.
proved='Property proved\|Explored all reachable states'
export folder model seconds proved
for cut in left_out_0 left_out_1 128 1024; do
  memories=$cut leave_out=""
  if [[ $cut = left_out_* ]]; then
    [ -s "$folder/$cut.v" ] || continue
    memories=128 leave_out="read_verilog -overwrite -icells $folder/$cut.v;"
  fi
  if ! make_proof "$memories" "$leave_out"; then
    printf "$model %s unknown\n" "$@" >> "$folder/answers"
    break
  fi
  if [ -f "$folder/before.aig" ] && cmp -s "$folder/both.aig" "$folder/before.aig"; then continue; fi
  cp "$folder/both.aig" "$folder/before.aig"
  # No mutant at all: what differs then is a flaw of the proof.
  answer=$(prove 0)
  case $answer in
    *equal | *unknown) ;;
    *)
      echo "the proofs of $model see a difference without a mutant, with $cut left out: $answer"
      exit 1
      ;;
  esac
  printf '%s\n' "$@" | xargs -P "$jobs" -I NUMBER bash -c 'prove NUMBER' > "$folder/answers.$cut"
  # These stay so; they are kept even if what comes next is not waited for.
  grep ' equal$' "$folder/answers.$cut" >> "$proofs" || true
  cat "$folder/answers.$cut" >> "$folder/answers"
  mapfile -t wanted < <(awk '$3 != "equal" { print $2 }' "$folder/answers.$cut")
  set -- "${wanted[@]}"
  [ $# -gt 0 ] || break
done
# Of the others the last answer.
awk '{ answer[$2] = $0 } END { for (n in answer) if (answer[n] !~ / equal$/) print answer[n] }' "$folder/answers" >> "$proofs"
