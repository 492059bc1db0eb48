// SPDX-License-Identifier: Apache-2.0
// What layout_gen can print.
#ifndef TORUSMU_RTL_PACKAGE_LAYOUT_GEN_H_
#define TORUSMU_RTL_PACKAGE_LAYOUT_GEN_H_

#include <map>
#include <string>

#include "rtl/package/layout_tables.h"

namespace torusmu::layout_gen {

/// File name -> its text.
using Files = std::map<std::string, std::string>;

Files print_package(const Tables& tables);   // mu_pkg.sv
Files print_decoders(const Tables& tables);  // mu_<block>_decode.sv
Files print_select(const Tables& tables);    // mu_register_select.sv
Files print_names(const Tables& tables);     // names.h
Files print_probe(const Tables& tables);     // layout_probe.sv
Files print_docs(const Tables& tables);      // the pages of docs/reference
Files print_bsdl(const Tables& tables);      // mu_debug_port_<profile>.bsd

/// A register that the RTL sees as a vector: it has one field, from bit 0 up, or none.
bool is_vector(const Register& reg);
/// "mu_pkg::region_config_t" or "logic [39:0]".
std::string type_of(const Block& block, const Register& reg);

}  // namespace torusmu::layout_gen

#endif  // TORUSMU_RTL_PACKAGE_LAYOUT_GEN_H_
