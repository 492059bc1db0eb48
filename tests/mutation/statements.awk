# SPDX-License-Identifier: Apache-2.0
# Mutants of statements in SystemVerilog and C++, for statements.sh. -v act=
#   list   prints what may be broken in the files: file, line, column and length of a condition or 0 0 for a statement to leave out
#   plant  writes the file with those of the list -v mutants= in it that are its own, which begin with their numbers
# Conditions and statements stand whole in a line, in processes of the RTL or in functions; those that only an assertion or a
# proof reads, that reset something or declare a name are left alone.
function closes_at(text, from,    at, depth) {
  for (at = from; at <= length(text); at++) {
    depth += (substr(text, at, 1) == "(") - (substr(text, at, 1) == ")")
    if (depth == 0) return at
  }
  return 0
}
function balanced(text,    opened) { opened = text; return gsub(/\(/, "", opened) == gsub(/\)/, "", text) }
function list_line(    text, at, end, condition) {
  text = $0
  sub(/ *\/\/.*/, "", text)
  if (in_function && match(text, /^ *(\} else |else )?if \(/) && text !~ /rst_ni| begin :|assert|[^=!<>] = / && (end = closes_at(text, RLENGTH))) {
    condition = substr(text, RLENGTH + 1, end - RLENGTH - 1)
    if (condition !~ /;|\[\[/ && condition ~ /[a-z]/) print FILENAME "\t" FNR "\t" RLENGTH + 1 "\t" length(condition)
  } else if (in_function && balanced(text) && before ~ statement_before && text ~ statement && text !~ no_statement) print FILENAME "\t" FNR "\t0\t0"
  if (text ~ /[^ ]/) before = text
}
FNR == 1 {
  rtl = FILENAME ~ /\.sv$/
  in_function = !rtl
  before = ""
  statement_before = rtl ? "(;|begin|begin : [a-z_]+|end)$" : "[;{}]$"
  statement = rtl ? "^ +[a-z][a-z_0-9.\\[\\]]* <= [^;]*;$" : "^ +[a-z_][A-Za-z0-9_.:>\\[\\]-]*( [-+|&]?= |\\()[^;{}]*;$"
  no_statement = rtl ? "past_q" : "^ +(return|throw|case|using|const|auto|static|delete|co_[a-z]+|explicit|for|while|switch|static_assert)[^A-Za-z_]"
}
rtl && /^ *(always_ff|always_comb)/ && !proves { in_function = 1 }
rtl && /^`if/ { proves++; in_function = 0 }
rtl && /^`endif/ { proves-- }
rtl && /^  end/ { in_function = 0 }
act == "list" { list_line() }
act == "plant" && FNR == 1 {
  while ((getline line < mutants) > 0) {
    split(line, field, "\t")
    if (field[2] == FILENAME) { number[field[3]] = field[1]; column[field[3]] = field[4]; size[field[3]] = field[5] }
  }
  if (!rtl) print "#include \"mutant.h\""
}
act == "plant" && !(FNR in number) { print }
act == "plant" && (FNR in number) {
  # Verilator writes what stands in $c as it is.
  alive = rtl ? "$c1(\"([]{extern bool torusmu_mutant_is_alive(int); return torusmu_mutant_is_alive(" number[FNR] ");}())\")" \
              : "torusmu_mutant::is_alive(" number[FNR] ")"
  if (size[FNR] == 0) { match($0, /^ +/); print substr($0, 1, RLENGTH) "if (!" alive ") " substr($0, RLENGTH + 1) }
  else {
    condition = substr($0, column[FNR], size[FNR])
    print substr($0, 1, column[FNR] - 1) alive " != " (rtl ? "(|(" condition "))" : "!!(" condition ")") substr($0, column[FNR] + size[FNR])
  }
}
