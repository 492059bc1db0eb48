// SPDX-License-Identifier: Apache-2.0
// layout_gen pkg|names|probe|docs|bsdl DIR: prints what is made from the .def files into DIR.
//   pkg    mu_pkg.sv, the package of the RTL, and the decoders of its blocks of registers
//   names  names.h, enums and sizes under the names that C++ uses
//   probe  layout_probe.sv, which the layout tests compare C++ with
//   docs   the reference pages
//   bsdl   mu_debug_port_<profile>.bsd, the TAP as tools of boundary scan read it
// Exit status 0: written; 1: a layout is unsound or a file cannot be written; 2: bad usage.
#include "rtl/package/layout_gen.h"

#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace torusmu::layout_gen {

bool is_vector(const Register& reg) {
  return reg.fields.empty() || (reg.fields.size() == 1 && reg.fields.front().lsb == 0);
}

std::string type_of(const Block& block, const Register& reg) {
  if (!is_vector(reg)) return "mu_pkg::" + block.name + "_" + reg.name + "_t";
  const unsigned width = reg.fields.empty() ? reg.bytes * 8 : reg.fields.front().width;
  return "logic [" + std::to_string(width - 1) + ":0]";
}

}  // namespace torusmu::layout_gen

int main(int argc, char** argv) {
  using namespace torusmu::layout_gen;
  const std::string what = argc == 3 ? argv[1] : "";
  if (what != "pkg" && what != "names" && what != "probe" && what != "docs" && what != "bsdl") {
    std::cerr << "usage: layout_gen pkg|names|probe|docs|bsdl DIR\n";
    return 2;
  }
  try {
    const Tables tables = load_tables();
    check_tables(tables);
    Files files = what == "pkg"     ? print_package(tables)
                  : what == "names" ? print_names(tables)
                  : what == "probe" ? print_probe(tables)
                  : what == "bsdl"  ? print_bsdl(tables)
                                    : print_docs(tables);
    if (what == "pkg") {
      files.merge(print_decoders(tables));
      files.merge(print_select(tables));
    }
    for (const auto& [name, text] : files) {
      const std::string path = std::string(argv[2]) + "/" + name;
      std::ofstream file(path);
      if (!(file << text).flush()) throw std::runtime_error("cannot write " + path);
    }
  } catch (const std::exception& error) {
    std::cerr << "layout_gen: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
