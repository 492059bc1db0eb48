# SPDX-License-Identifier: Apache-2.0
# Reads the test sources and prints the make rules of the models they ask for; tests/tests.mk explains how.
function path_of(module, i, n, paths) {
  if (module ~ /\.sv$/) return module
  n = split(modules, paths, " ")
  for (i = 1; i <= n; i++)
    if (paths[i] ~ "/" module "\\.sv$") return paths[i]
  return ""
}
function ask(prefix, module, flags, path) {
  path = path_of(module)
  if (path == "") {
    print "$(error " file ": no file of module " module ")"
    return
  }
  # One that only the profile bgp would give two sets of flags is refused in every profile.
  if (index(used[file] " ", " " prefix " "))
    print "$(error " file ": asks for model " prefix " by a line and by its own name; the line can go)"
  used[file] = used[file] " " prefix
  if (prefix in wanted && wanted[prefix] != path " " flags)
    print "$(error " file ": model " prefix " is asked for twice with different flags)"
  if (prefix in wanted) return
  wanted[prefix] = path " " flags
  printf "$(eval $(call verilated_model,%s,%s,%s))\n", prefix, path, flags
}
function finish_file(i, n, object, prefixes) {
  # A test that asks for models and does not name that of its own module runs the module in one of those.
  if (name != "" && (path_of("mu_" name) != "" || flags_of_file != "") && (names_own || used[file] == ""))
    ask("Vmu_" name, "mu_" name, flags_of_file)
  else if (flags_of_file != "") print "$(error " file ": flags, but no model that takes them)"
  printf "MODELS_%s :=%s\n", file, used[file]
  # The test is compiled against the header that comes with the model.
  n = split(used[file], prefixes, " ")
  object = file
  sub(/\.cc$/, ".o", object)
  for (i = 1; i <= n; i++) printf "%s/obj/%s: %s/models/%s.h\n", build, object, build, prefixes[i]
}
function finish_model() {
  if (prefix != "") ask(prefix, module, flags)
  prefix = ""
}
FILENAME == "/dev/null" { next }
/^\/\/ flags: / {
  flags = flags substr($0, 10)
  next
}
/^\/\/ bgp:/ {
  if (!bgp) next
  if (prefix != "") flags = flags substr($0, 8)
  else flags_of_file = flags_of_file substr($0, 8)
  next
}
{ finish_model() }
FNR == 1 {
  if (file != "") finish_file()
  file = FILENAME
  name = ""
  names_own = 0
  flags_of_file = ""
  split(file, folder, "/")
  if (folder[1] == "tests" && index(" " subjects " ", " " folder[2] " ")) { name = file; sub(/.*\//, "", name); sub(/_test\.cc$/, "", name) }
}
name != "" && $0 ~ "Vmu_" name "([^A-Za-z0-9_]|$)" { names_own = 1 }
/^\/\/ verilator: / { flags_of_file = flags_of_file substr($0, 14) }
/^\/\/ model: / {
  prefix = $3
  module = $4
  flags = ""
  for (i = 5; i <= NF; i++) flags = flags " " $i
}
END { if (file != "") finish_file() }
