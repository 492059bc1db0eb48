# SPDX-License-Identifier: Apache-2.0
# Reads tests/seeded_bugs.list, whose head says what it looks like. For tests/seeded_bug.sh: -v act=
#   names   prints the name of each bug
#   check   says what is wrong with the list, and which bugs do not apply to the tree
#   apply   writes the files of the bug -v name= with the bug in them, below the folder -v to=
#   show    prints its check and the text that this must print, a line each
function wrong(text) { print "tests/seeded_bugs.list: " text; failed = 1 }
function content(file,    line, text, status) {
  while ((status = (getline line < file)) > 0) text = text line "\n"
  close(file)
  if (status < 0) wrong("bug " bug ": there is no file " file)
  return text
}
# What was read of a change comes to its end.
function change() {
  if (old new == "") return
  changes++
  if (wanted) replace()
  old = new = ""
}
# Lines are compared whole.
function replace(    text, at, rest) {
  if (!(file in changed)) changed[file] = content(file)
  text = "\n" changed[file]
  at = index(text, "\n" old)
  rest = substr(text, at + 1)
  if (old == "") wrong("bug " bug ": a change of " file " has no old line")
  else if (at == 0) wrong("bug " bug ": its old lines are not in " file)
  else if (index(rest, "\n" old) > 0) wrong("bug " bug ": its old lines are more than once in " file)
  else changed[file] = substr(text, 2, at - 1) new substr(text, at + 1 + length(old))
}
function end_bug(    f) {
  change()
  if (bug == "") return
  if (act == "check" && (changes == 0 || check == "" || expect == "")) wrong("bug " bug ": it needs file, -, check and expect")
  if (act == "apply" && wanted && !failed) for (f in changed) printf "%s", changed[f] > (to "/" f)
  if (act == "show" && wanted) print check "\n" expect
  if (act == "names") print bug
  bug = ""
}
$1 == "bug" {
  end_bug()
  bug = $2; file = check = expect = old = new = ""; changes = 0
  wanted = act == "check" || $2 == name
  found += wanted
  split("", changed)
  if ($2 in seen) wrong("bug " $2 " is there twice")
  seen[$2]
  next
}
$1 == "file" { change(); file = $2; next }
/^-/ { if (new != "") change(); old = old substr($0, 3) "\n"; next }
/^\+/ { new = new substr($0, 3) "\n"; next }
$1 == "check" { change(); check = substr($0, 7); next }
$1 == "expect" { change(); expect = substr($0, 8); next }
/^(#.*)?$/ { next }
{ wrong("line " FNR ": " $0) }
END {
  end_bug()
  if (act != "names" && !found) wrong("there is no bug " name)
  exit failed
}
