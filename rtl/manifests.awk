# SPDX-License-Identifier: Apache-2.0
# Reads rtl/rtl.f and prints what other build tools read instead, with the same files in the same order:
#   awk -v form=core -v version="$(cat VERSION)" -f rtl/manifests.awk rtl/rtl.f   rtl/torusmu.core, FuseSoC (CAPI 2)
#   awk -v form=bender -f rtl/manifests.awk rtl/rtl.f                             rtl/Bender.yml
# Paths are relative to the manifest. The comments of rtl.f, one a stage, go along; so do the headers that are beside it.
BEGIN {
  while (("find rtl -name '*.svh' | LC_ALL=C sort" | getline path) > 0) headers[++count] = substr(path, 5)
  what = "TorusMU: a messaging unit, the network interface of a parallel computer"
  if (form == "core") print "CAPI=2:"
  print "# SPDX-License-Identifier: Apache-2.0"
  print "# Made from rtl/rtl.f by `make manifests`."
  if (form == "core") {
    indent = "      "
    print "name: torusmu:torusmu:node:" version
    print "description: \"" what "\""
    print "filesets:\n  headers:\n    file_type: systemVerilogSource\n    files:"
    for (i = 1; i <= count; i++) print "      - " headers[i] ": {is_include_file: true}"
    print "  rtl:\n    file_type: systemVerilogSource\n    files:"
  } else {
    indent = "  "
    print "package:\n  name: torusmu\n  description: \"" what "\""
    # Folders of headers, for whoever wraps the node.
    print "export_include_dirs:"
    for (i = 1; i <= count; i++) {
      folder = sub(/\/[^\/]*$/, "", headers[i]) ? headers[i] : "."
      if (!(folder in exported)) print indent "- " folder
      exported[folder]
    }
    print "sources:"
  }
}
/^\/\// && ++comments > 2 { print indent "# " substr($0, 4) }
/^rtl\// { print indent "- " substr($0, 5) }
END {
  if (form != "core") exit
  print "  waivers:\n    file_type: vlt\n    files:\n      - waivers.vlt"
  print "parameters:\n  TORUSMU_PROFILE_BGP:\n    datatype: bool\n    paramtype: vlogdefine"
  print "    description: the sizes of the large profile"
  print "targets:"
  print "  default: &default\n    filesets:\n      - headers\n      - rtl\n    toplevel: mu_node\n    parameters:"
  print "      - TORUSMU_PROFILE_BGP"
  print "  lint:\n    <<: *default\n    filesets:\n      - waivers\n      - headers\n      - rtl"
  print "    flow: lint\n    flow_options:\n      tool: verilator\n      verilator_options: [-Wall, --assert]"
  print "  model:\n    <<: *default\n    filesets:\n      - waivers\n      - headers\n      - rtl"
  print "    description: a model of the node in C++, a library to link with\n    flow: sim"
  print "    flow_options:\n      tool: verilator\n      mode: cc\n      exe: \"false\""
}
