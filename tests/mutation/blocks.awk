# SPDX-License-Identifier: Apache-2.0
# Reads $(BUILD)/test_models.mk and prints the make rules of the mutation checks: a block is a module of which a test
# of a folder of `subjects` has a model; all models of it hold mutants, and all tests that use one of them judge. If a file of the names of
# models comes first, only those hold mutants.
function folder_of(test,    part) {
  split(test, part, "/")
  return part[2]
}
FILENAME ~ /\/models$/ {
  chosen_alone = 1
  chosen[$1] = 1
  next
}
/verilated_model/ {
  gsub(/^\$\(eval \$\(call |\)\)$/, "")
  split($0, part, ",")
  model = part[2]
  file_of[model] = part[3]
  flags_of[model] = substr($0, length(part[1] part[2] part[3]) + 4)
}
/^MODELS_tests\// && index(" " subjects " ", " " folder_of($1) " ") {
  test = substr($1, 8)
  for (i = 3; i <= NF; i++) {
    used[test] = used[test] " " $i
    if (chosen_alone && !($i in chosen)) continue
    block = file_of[$i]
    sub(/.*\/mu_/, "", block)
    sub(/\.sv$/, "", block)
    if (!(block in models)) blocks = blocks " " block
    if (!((block, $i) in known)) models[block] = models[block] " " $i
    known[block, $i] = 1
    if (!((block, test) in known)) tests[block] = tests[block] " " test
    known[block, test] = 1
  }
}
END {
  print "ALL_MUTATION_BLOCKS :=" blocks
  count = split(blocks, list, " ")
  for (b = 1; b <= count; b++) {
    block = list[b]
    number = split(models[block], of_block, " ")
    others = ""
    number_of_tests = split(tests[block], judging, " ")
    delete seen
    for (t = 1; t <= number_of_tests; t++) {
      used_here = split(used[judging[t]], m, " ")
      for (i = 1; i <= used_here; i++)
        if (!((block, m[i]) in known) && !(m[i] in seen)) { others = others " " m[i]; seen[m[i]] = 1 }
    }
    for (i = 1; i <= number; i++)
      printf "$(eval $(call mutated_model,%s,%s,%s,%d,%d,%s))\n", block, of_block[i], file_of[of_block[i]], i - 1, number, flags_of[of_block[i]]
    printf "$(eval $(call mutation_block,%s,%s,%s,%s))\n", block, models[block], tests[block], others
  }
}
