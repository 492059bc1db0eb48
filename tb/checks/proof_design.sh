# SPDX-License-Identifier: Apache-2.0
# The design of a proof as its tools read it, for the scripts beside this one: . tb/checks/proof_design.sh WORK_FOLDER TOP
# "OPTIONS" FILE... The words of OPTIONS are explained in prove.sh. Sets
#   work, top, files  of the arguments; the folder is there
#   depth, timeout, cannot_fail, by_hand  of the options
#   read            Yosys commands that read the files, with the properties of the top module
#   keep            those that leave only the assertions of `only=`, after `proc` and before `flatten`
work=$1 top=$2
depth=10 timeout=300 cannot_fail="" by_hand="" parameters="" narrow="" keep="" macros="-DPROVE_$(echo "$top" | tr '[:lower:]' '[:upper:]')"
for word in $3; do
  case $word in
    nightly) ;;  # when it is proved, not how
    depth=*) depth=${word#*=} ;;
    timeout=*) timeout=${word#*=} ;;
    by_hand=*) by_hand=${word#*=} ;;
    cannot_fail=*) cannot_fail=${word#*=} ;;
    -D*) macros="$macros $word" ;;
    only=*/*) keep="select -set kept *${word#*=} t:\$assert %i;" ;;&
    only=*) keep="${keep:-select -set kept *${word#*=}*/t:\$assert;} chformal -assert -remove t:\$assert @kept %d;" ;;
    *.*=*) narrow="$narrow $(sed 's/\(.*\)\.\(.*\)=\(.*\)/chparam -set \2 \3 \1;/' <<< "$word")" ;;
    *=*) parameters="$parameters -chparam ${word/=/ }" ;;
    *) echo "unknown option '$word'"; exit 2 ;;
  esac
done
shift 3
mkdir -p "$work"
files=$*
read="read_verilog -sv -formal -DSYNTHESIS $macros $files; $narrow hierarchy -check -top $top $parameters; rename -top $top"
