// SPDX-License-Identifier: Apache-2.0
// layout_gen pkg|names|probe|docs DIR: prints what is made from the .def files into DIR.
//   pkg    mu_pkg.sv, the package of the RTL
//   names  names.h, enums and sizes under the names that C++ uses
//   probe  layout_probe.sv, which the layout tests compare C++ with
//   docs   the reference pages
// Exit status 0: written; 1: a layout is unsound or a file cannot be written; 2: bad usage.
#include "rtl/package/layout_gen.h"

#include <cctype>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace torusmu::layout_gen {

std::string upper(const std::string& name) {
  std::string result = name;
  for (char& letter : result) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return result;
}

}  // namespace torusmu::layout_gen

int main(int argc, char** argv) {
  using namespace torusmu::layout_gen;
  const std::string what = argc == 3 ? argv[1] : "";
  if (what != "pkg" && what != "names" && what != "probe" && what != "docs") {
    std::cerr << "usage: layout_gen pkg|names|probe|docs DIR\n";
    return 2;
  }
  try {
    const Tables tables = load_tables();
    check_tables(tables);
    const Files files = what == "pkg"     ? print_package(tables)
                        : what == "names" ? print_names(tables)
                        : what == "probe" ? print_probe(tables)
                                          : print_docs(tables);
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
