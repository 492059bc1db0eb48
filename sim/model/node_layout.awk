# SPDX-License-Identifier: Apache-2.0
# Reads the C++ that Verilator made of mu_gated_node, and the header of its state; writes that
# header with the members in another order. Verilator sorts members by size and name, so that a cycle touches a
# few bytes in each of hundreds of cache lines. Here members lie together that one function of the evaluation
# uses; those of functions that only seldom clocks call for, and memories, come last. A header that looks
# otherwise than expected is written as it was.

BEGIN { split("control queue decision calc", list, " "); for (i in list) is_seldom[list[i]] = 1 }

function uses(text,  name) {
  while (match(text, /vlSelf->[A-Za-z0-9_]+/)) {
    name = substr(text, RSTART + 8, RLENGTH - 8)
    text = substr(text, RSTART + RLENGTH)
    if (!((at, name) in seen)) {
      seen[at, name] = 1
      used[at] = used[at] " " name
    }
  }
}

FILENAME ~ /\.cpp$/ {
  if ($0 ~ /^(VL_INLINE_OPT )?void .*___(nba_[a-z]+__TOP__[0-9]+|eval_nba|eval_triggers__act)\(.*\{$/) {
    at = $0
    sub(/\(.*/, "", at)
    sub(/^.* /, "", at)
    what = at ~ /___nba_/ ? "function" : at ~ /eval_nba$/ ? "edge" : "triggers"
  }
  if ($0 ~ /^}/) what = ""
  # Registers that only assertions look at are not for every cycle.
  if (assertion != "") {
    if ($0 == assertion "}") assertion = ""
    next
  }
  if (what == "function" && $0 ~ /^ *if \(vlSymsp->_vm_contextp__->assertOn\(\)\) \{$/) {
    assertion = $0
    sub(/if .*/, "", assertion)
    next
  }
  if (what == "function") uses($0)
  if (what == "triggers") triggers = triggers $0
  if (what == "edge") edge = edge $0
  next
}

# The header.
{ line[++lines] = $0 }
/^    struct \{$/ && !first { first = lines }
first && /^    };$/ { last = lines }

# Bytes to which a member is aligned; 0 if it is large.
function alignment(text) {
  if (text ~ /^VL_(IN|OUT)8\(|^CData/) return 1
  if (text ~ /^VL_(IN|OUT)16\(|^SData/) return 2
  if (text ~ /^VL_(IN|OUT)W?\(|^IData/) return 4
  if (text ~ /^VL_(IN|OUT)64\(|^QData/) return 8
  if (text ~ /^VlWide<[0-9]>/ || text ~ /^VlWide<1[0-9]>/) return 4
  return 0
}
# The members of the list among those that are still to come, in the order in which they were declared.
function put(list,  n, i, width, names, chosen) {
  n = split(list, names, " ")
  for (i = 1; i <= n; i++) if (names[i] in place) chosen[place[names[i]]] = names[i]
  for (width = 8; width > 0; width = int(width / 2)) {
    for (i = 1; i <= members; i++) {
      if ((i in chosen) && alignment(text_of[chosen[i]]) == width) {
        order[++ordered] = chosen[i]
        delete place[chosen[i]]
      }
    }
  }
}
function put_rest(  i) {
  for (i = 1; i <= members; i++) if (declared[i] in place) order[++ordered] = declared[i]
}

END {
  for (i = first; i <= last; i++) {
    text = line[i]
    sub(/^ +/, "", text)
    if (text == "struct {" || text == "};" || text == "") continue
    name = text
    if (text ~ /^VL_/) {
      sub(/^VL_[A-Z0-9]+\(&?/, "", name)
      sub(/,.*/, "", name)
      pins = pins " " name
    } else {
      sub(/;$/, "", name)
      sub(/^.* /, "", name)
    }
    declared[++members] = name
    text_of[name] = text
    place[name] = members
  }
  put(pins)
  # Clocks by the numbers of their triggers.
  while (match(triggers, /VactTriggered\.at\([0-9a-fx]+U\)/)) {
    trigger = substr(triggers, RSTART + 17, RLENGTH - 19)
    triggers = substr(triggers, RSTART + RLENGTH)
    if (match(triggers, /vlSelf->clk_[a-z]+_i/)) {
      clock = substr(triggers, RSTART + 12, RLENGTH - 14)
      seldom[trigger] = clock in is_seldom
    }
  }
  n = split(edge, statement, "}")
  for (seldom_ones = 0; seldom_ones <= 1; seldom_ones++) {
    for (i = 1; i <= n; i++) {
      rest = statement[i]
      all_seldom = 1
      while (match(rest, /VnbaTriggered\.at\([0-9a-fx]+U\)/)) {
        if (!seldom[substr(rest, RSTART + 17, RLENGTH - 19)]) all_seldom = 0
        rest = substr(rest, RSTART + RLENGTH)
      }
      if (all_seldom != seldom_ones) continue
      while (match(rest, /[A-Za-z0-9_]+\(vlSelf\)/)) {
        put(used[substr(rest, RSTART, RLENGTH - 8)])
        rest = substr(rest, RSTART + RLENGTH)
      }
    }
  }
  put_rest()
  if (!first || members == 0 || ordered != members) {
    for (i = 1; i <= lines; i++) print line[i]
    exit
  }
  for (i = 1; i < first; i++) print line[i]
  for (i = 1; i <= ordered; i++) print "    " text_of[order[i]]
  for (i = last + 1; i <= lines; i++) print line[i]
}
