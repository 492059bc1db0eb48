// SPDX-License-Identifier: Apache-2.0
// Checks sources against the rules of the house that no compiler knows:
//
//   source_lint FILE...            prints "file:line: [rule] what to write instead"; exit status 1
//   if any source_lint --expect FILE...   self test: every line of a fixture that says `expect:
//   rule` in a comment
//                                  must be reported with that rule, and no other line
//   source_lint --shape FILE...    of the modules among them: lines, port names, and the part of
//                                  their code that only connects, a name and a value a line
//
// For SystemVerilog: the subset that Yosys 0.23 and Verilator 5.006 read alike (several of these
// constructs are miscompiled by Yosys without a message), headers, lengths, ports and assertion
// density.
// For all: SPDX line, length, no work left over. For C++: floors, whose includes go down alone.

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Finding {
  std::string file;
  std::size_t line;
  std::string rule;
  std::string advice;
};

struct Rule {
  const char* name;
  const char* pattern;
  const char* advice;
  // By hand is what is neither generated nor the edge of the node, which is in numbers for those
  // who wire it.
  enum Scope { kEverywhere, kNotInStruct, kInFunction, kNotInProof, kByHand } scope = kEverywhere;
};

constexpr const char* kTypeName = R"((?:\w+::)?\w+_[te])";
// Types of mu_pkg that are plain vectors, no structs.
#define PLAIN "(?:address|memory_word|cycle|flit_data)_t"

// Matched against each line after comments and strings are blanked; $T stands for a type's name.
const Rule kRules[] = {
    {"import", R"(\bimport\b)", "write mu_pkg::name at each use"},
    {"array-of-type", R"(\b$T\s*\[)", "flat vector sliced with +:, or a struct with named members"},
    {"array-of-type", R"(\b$T\s+\w+\s*\[)",
     "memory of flat words, a struct laid over the word that was read"},
    {"packed-2d", R"(\b(?:logic|reg|wire|bit)\s*(?:(?:un)?signed\s*)?\[[^\]]*\]\s*\[)",
     "flat vector sliced with +:", Rule::kNotInStruct},
    {"array-port",
     R"(\b(?:input|output)\s+(?:wire\s+)?(?:logic|reg|wire|$T)\s*(?:(?:un)?signed\s*)?)"
     R"((?:\[[^\]]*\]\s*)*\w+\s*\[)",
     "flat vector port"},
    {"return", R"(\breturn\b)", "assign to the function's name"},
    {"break", R"(\b(?:break|continue)\b)", "a found-flag"},
    {"inside", R"(\binside\b)", "casez, or a list of case items"},
    {"assignment-pattern", R"('\{)", "concatenation, '0, or assignments to members"},
    {"streaming", R"(\{\s*(?:<<|>>))", "explicit concatenation"},
    {"type-cast", R"(\b$T\s*'\s*\()",
     "assign the vector to a struct; compare vectors with enum constants"},
    {"bits-of-type", R"(\$bits\s*\(\s*$T\s*\))", "a width constant beside the struct"},
    {"bits-of-member", R"(\$bits\s*\([^)]*\.)", "a width constant beside the struct"},
    {"type-parameter", R"(\b(?:parameter|localparam)\s+(?:type|string)\b)",
     "width parameter and vector"},
    {"type-operator", R"(\btype\s*\()", "name the type"},
    {"interface", R"(\b(?:interface|modport)\b)", "plain ports"},
    {"unique-if", R"(\b(?:unique|unique0|priority)\s+if\b|\bunique0\b)", "unique case (1'b1)"},
    {"concurrent-assertion", R"(\b(?:assert|assume|cover)\s+property\b|\b(?:property|sequence)\b)",
     "immediate assertion in always_ff"},
    {"else-error", R"(\belse\s+\$(?:error|fatal|warning)\b)", "a named assertion says enough"},
    {"loop", R"(\b(?:foreach|do|while|forever|repeat)\b)", "for loop with constant bounds"},
    {"void-function", R"(\bfunction\s+(?:automatic\s+)?void\b)", "task automatic"},
    {"type-alias", R"(\btypedef\s+(?:\w+::)?\w+_[te]\s+\w+\s*;)", "use the type's own name"},
    {"empty-pin", R"(\.\w+\s*\(\s*\))", "connect a signal whose name begins with unused_"},
    {"array-copy", R"(\bparameter\b[^;=]*\w\s*\[[^\]]*\]\s*=)", "flat parameter"},
    {"wildcard-equality", R"([=!]=\?)", "casez"},
    {"casex", R"(\bcasex\b)", "casez"},
    {"cast-under-unary", R"((?:[~!]|[=(?:,]\s*[-|&^])\s*\w+'\()",
     "Yosys applies the operator to the width: give the cast's result a name first"},
    {"ones-parameter", R"(\b(?:parameter|localparam)\b[^;=]*=\s*'1)",
     "Yosys takes it for one bit: {WIDTH{1'b1}}"},
    {"always", R"(\balways\b|\balways_latch\b)", "always_ff or always_comb"},
    {"state-number", R"(\blocalparam\b[^;=]*\bSTATE_\w+\s*=)",
     "typedef enum logic: waves show a state by its name"},
    {"width-with-a-name",
     R"(\blogic\s*\[\s*(?:39:0\]\s*\w*(?:address|base)|255:0\]\s*\w*(?:beat|word))"
     R"(|47:0\]\s*(?:now|wake_at)|127:0\]\s*\w*flit))",
     "mu_pkg::address_t, memory_word_t, cycle_t, flit_data_t; a memory has their BITS",
     Rule::kByHand},
    {"delay", R"((?:^|\s)#\s*\d)", "no delays in RTL"},
    {"defparam", R"(\bdefparam\b)", "#(.P())"},
    {"automatic-local", R"(^\s*automatic\b|\bstatic\b)", "declare, then assign"},
    {"struct-local", R"(^ {3,}(?:\w+::)?(?!)" PLAIN R"()\w+_t\s+\w+\s*[;=])",
     "declare the struct at module level", Rule::kNotInStruct},
    {"struct-in-function", R"(\b(?:\w+::)?\w+_t\b)", "flat vectors in functions",
     Rule::kInFunction},
    {"initial", R"(\binitial\b)", "reset in always_ff", Rule::kNotInProof},
    {"initial-value", R"(^\s*(?:logic|reg|bit)\b[^;=()]*=[^=])", "reset in always_ff",
     Rule::kNotInProof},
    {"dynamic-slice-write",
     R"(^(?:[^<=(]*\bbegin\b)?[^<=(?]*\[[^\]]*\b\w+_[qdi]\b[^\]]*\+:[^\]]*\]\s*<?=[^=])",
     "a for loop with a compare, or a memory"},
};

// The floors of the tree, from the ground up: a source includes what lies on its own floor or
// below.
struct Floor {
  const char* folder;
  int height;
};
constexpr Floor kFloors[] = {{"rtl/", 0},          {"host/", 1},        {"sim/parsed_once", 1},
                             {"sim/identity/", 1}, {"sim/machine/", 2}, {"sim/model/", 3},
                             {"sim/observe/", 4},  {"tb/lab/", 5},      {"sim/play/", 6},
                             {"sim/app/", 7},      {"tb/", 8},          {"docs/", 9},
                             {"constraints/", 9},  {"tests/", 10}};
// All that the reference model and what else stands in tb/, but for tb/lab/, may know of the
// simulator.
constexpr const char* kSeenByTestbench[] = {"sim/parsed_once.h",    "sim/machine/assertion.h",
                                            "sim/machine/core.h",   "sim/machine/core_watch.h",
                                            "sim/machine/memory.h", "sim/machine/mix.h",
                                            "sim/play/stage.h"};

// Names in the port list of a module of rtl/. The node's edge has the pins of the world.
constexpr std::size_t kMostPorts = 40;
constexpr const char* kEdge[] = {"mu_node", "mu_gated_node", "mu_torus"};

// -1: on no floor.
int height_of(const std::string& path) {
  for (const Floor& floor : kFloors) {
    if (path.rfind(floor.folder, 0) == 0) return floor.height;
  }
  return -1;
}

bool may_include(const std::string& file, const std::string& included) {
  const bool is_testbench = file.rfind("tb/", 0) == 0 && file.rfind("tb/lab/", 0) != 0;
  if (is_testbench && included.rfind("sim/", 0) == 0) {
    return std::find(std::begin(kSeenByTestbench), std::end(kSeenByTestbench), included) !=
           std::end(kSeenByTestbench);
  }
  return height_of(included) <= height_of(file);
}

// Text without comments and strings, line structure kept; what the comments say goes to `comments`.
std::vector<std::string> strip(const std::vector<std::string>& lines,
                               std::vector<std::string>* comments) {
  std::vector<std::string> code;
  bool in_block = false;
  for (const std::string& line : lines) {
    std::string kept;
    std::string comment;
    bool in_string = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string two = line.substr(i, 2);
      if (in_block) {
        if (two == "*/") {
          in_block = false;
          ++i;
        } else {
          comment += line[i];
        }
      } else if (in_string) {
        if (line[i] == '\\')
          ++i;
        else if (line[i] == '"')
          in_string = false;
        if (!in_string) kept += '"';
      } else if (two == "//") {
        comment += line.substr(i + 2);
        break;
      } else if (two == "/*") {
        in_block = true;
        ++i;
      } else {
        if (line[i] == '"') in_string = true;
        kept += line[i];
      }
    }
    code.push_back(kept);
    comments->push_back(comment);
  }
  return code;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string module_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  return file.substr(slash + 1, file.size() - slash - 4);
}
bool on_edge(const std::string& file) {
  return std::find(std::begin(kEdge), std::end(kEdge), module_of(file)) != std::end(kEdge);
}

// How many names the port list has; where the module begins.
std::size_t port_names(const std::vector<std::string>& code, std::size_t* module) {
  static const std::regex kName(R"(\b[a-z][a-z0-9_]*_(?:i|o|ni)\b)");
  std::set<std::string> ports;
  for (std::size_t i = 0; i < code.size() && code[i].rfind(");", 0) != 0; ++i) {
    if (code[i].rfind("module ", 0) == 0) *module = i;
    for (std::sregex_iterator port(code[i].begin(), code[i].end(), kName), end; port != end; ++port)
      ports.insert(port->str());
  }
  return ports.size();
}

// Whether a line, of those that are shown one after another, belongs to a proof: it stands between
// `ifdef PROVE_X and its `endif.
class ProofLines {
 public:
  bool holds(const std::string& line) {
    const bool was_inside = depth_ > 0;
    if (line.rfind(was_inside ? "`if" : "`ifdef PROVE_", 0) == 0) ++depth_;
    if (was_inside && line.rfind("`endif", 0) == 0) --depth_;
    return was_inside || depth_ > 0;
  }

 private:
  int depth_ = 0;
};

// Lines of code without proofs, and those of them that are ports or connections.
struct CodeLines {
  std::size_t all = 0;
  std::size_t plumbing = 0;
};
CodeLines count_code(const std::vector<std::string>& code) {
  static const std::regex kBlank(R"(^\s*$)");
  static const std::regex kConnection(R"(^\s*\.)");
  static const std::regex kEnd(R"(\);\s*$)");
  CodeLines lines;
  bool in_ports = false;
  bool in_connections = false;
  ProofLines proof;
  for (const std::string& line : code) {
    if (std::regex_search(line, kBlank)) continue;
    if (line.rfind("module ", 0) == 0) in_ports = true;
    if (std::regex_search(line, kConnection)) in_connections = true;
    if (!proof.holds(line)) {
      ++lines.all;
      if (in_ports || in_connections) ++lines.plumbing;
    }
    if (std::regex_search(line, kEnd)) in_ports = in_connections = false;
  }
  return lines;
}

class Linter {
 public:
  Linter() {
    for (const Rule& rule : kRules) {
      std::string pattern = rule.pattern;
      for (std::size_t at; (at = pattern.find("$T")) != std::string::npos;)
        pattern.replace(at, 2, kTypeName);
      patterns_.emplace_back(pattern, std::regex::optimize);
    }
  }

  void check(const std::string& file, const std::vector<std::string>& lines, bool fixture) {
    file_ = file;
    generated_ = false;
    for (std::size_t i = 0; i < lines.size() && i < 5; ++i) {
      generated_ = generated_ || lines[i].find("Generated by") != std::string::npos;
    }
    std::vector<std::string> comments;
    const std::vector<std::string> code = strip(lines, &comments);
    if (!fixture) check_any(lines);
    if (ends_with(file, ".cc") || ends_with(file, ".h")) check_floors(lines);
    const bool seeded_bug = file.rfind("tests/seeded_bugs/", 0) == 0;
    if (ends_with(file, ".sv") && !seeded_bug) {
      check_subset(code);
      check_positions(code);
      check_comments(comments);
      check_ports(code);
      if (!fixture) check_module(lines, code);
    }
  }

  // At least 10 assertions in 1,000 lines over all of rtl/.
  void check_density() {
    if (rtl_lines_ > 0 && assertions_ * 100 < rtl_lines_) {
      findings_.push_back({"rtl", 0, "assertion-density",
                           std::to_string(assertions_) + " assertions in " +
                               std::to_string(rtl_lines_) + " lines; 10 in 1,000 are asked for"});
    }
  }

  const std::vector<Finding>& findings() const { return findings_; }

 private:
  void report(std::size_t index, const std::string& rule, const std::string& advice) {
    findings_.push_back({file_, index + 1, rule, advice});
  }

  // A fixture lies at its place below tests/lint/.
  void check_floors(const std::vector<std::string>& lines) {
    static const std::regex kInclude(R"re(^\s*#\s*include "([a-z]+/[^"]+)")re");
    static const std::string kFixtures = "tests/lint/";
    const std::string place =
        file_.rfind(kFixtures, 0) == 0 ? file_.substr(kFixtures.size()) : file_;
    if (height_of(place) < 0) report(0, "floor", "a source lies on one of the floors");
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::smatch match;
      if (std::regex_search(lines[i], match, kInclude) && !may_include(place, match[1].str())) {
        report(i, "floor", "an interface or a type on this floor: includes go down alone");
      }
    }
  }

  void check_subset(const std::vector<std::string>& code) {
    static const std::regex kProofBegin(R"(^\s*`ifdef\s+(?:FORMAL|PROVE_\w+))");
    static const std::regex kAnyBegin(R"(^\s*`if(?:def|ndef)\b)");
    static const std::regex kAnyEnd(R"(^\s*`endif\b)");
    static const std::regex kAnyElse(R"(^\s*`else\b)");
    static const std::regex kStructBegin(R"(\b(?:struct|union)\s+packed\b)");
    static const std::regex kEdgeOrGenerated(
        R"(^rtl/(?:package/.*|board/.*|mu_node\.sv|mu_gated_node\.sv)$|^tb/)");
    const bool by_hand = !std::regex_search(file_, kEdgeOrGenerated);
    std::vector<bool> conditions;
    bool in_struct = false;
    bool in_function = false;
    for (std::size_t i = 0; i < code.size(); ++i) {
      const std::string& line = code[i];
      if (std::regex_search(line, kAnyBegin))
        conditions.push_back(std::regex_search(line, kProofBegin));
      if (std::regex_search(line, kAnyElse) && !conditions.empty()) conditions.back() = false;
      if (std::regex_search(line, kAnyEnd) && !conditions.empty()) conditions.pop_back();
      const bool in_proof = std::set<bool>(conditions.begin(), conditions.end()).count(true) > 0;
      if (std::regex_search(line, kStructBegin)) in_struct = true;
      if (line.find("function") != std::string::npos) in_function = true;
      for (std::size_t r = 0; r < patterns_.size(); ++r) {
        const Rule::Scope scope = kRules[r].scope;
        if (scope == Rule::kNotInStruct && in_struct) continue;
        if (scope == Rule::kInFunction && !in_function) continue;
        if (scope == Rule::kNotInProof && in_proof) continue;
        if (scope == Rule::kByHand && !by_hand) continue;
        if (std::regex_search(line, patterns_[r])) report(i, kRules[r].name, kRules[r].advice);
      }
      if (in_struct && line.find('}') != std::string::npos) in_struct = false;
      if (line.find("endfunction") != std::string::npos) in_function = false;
    }
  }

  void check_comments(const std::vector<std::string>& comments) {
    static const std::regex kWaiver(R"(\blint_off\b)");
    for (std::size_t i = 0; i < comments.size(); ++i) {
      if (std::regex_search(comments[i], kWaiver))
        report(i, "lint-off", "a line with its reason in rtl/waivers.vlt");
    }
  }

  // A struct that is filled from a concatenation: nobody can see which part goes into which member.
  void check_positions(const std::vector<std::string>& code) {
    static const std::regex kStruct(R"(\bmu_pkg::(?!)" PLAIN R"()\w+_t\s+(\w+(?:\s*,\s*\w+)*))");
    static const std::regex kName(R"(\w+)");
    static const std::regex kAssignment(R"((?:^|\s)(\w+)\s*<?=(?!=))");
    std::set<std::string> structs;
    for (const std::string& line : code) {
      std::smatch found;
      if (!std::regex_search(line, found, kStruct)) continue;
      const std::string names = found[1];
      for (std::sregex_iterator name(names.begin(), names.end(), kName), end; name != end; ++name)
        structs.insert(name->str());
    }
    for (std::size_t i = 0; i < code.size(); ++i) {
      std::smatch found;
      if (!std::regex_search(code[i], found, kAssignment) || structs.count(found[1]) == 0) continue;
      std::string value = found.suffix();
      for (std::size_t j = i + 1; value.find(';') == std::string::npos && j < code.size(); ++j)
        value += code[j];
      if (value.substr(0, value.find(';')).find('{') != std::string::npos)
        report(i, "struct-by-position", "assign to its members");
    }
  }

  // A wall of ports hides who says what to whom.
  void check_ports(const std::vector<std::string>& code) {
    static const std::string kFolder = "rtl/";
    if (file_.find(kFolder) == std::string::npos || on_edge(file_)) return;
    std::size_t module = 0;
    const std::size_t ports = port_names(code, &module);
    if (ports > kMostPorts)
      report(module, "ports",
             std::to_string(ports) + " port names: a struct a neighbour and direction");
  }

  // Zero, or the line behind the 300th that is neither a port, nor a connection, nor part of a
  // proof: what has to be held in the head at once.
  static std::size_t end_of_300(const std::vector<std::string>& code) {
    static const std::regex kConnection(R"(^\s*\.)");
    std::size_t counted = 0;
    bool in_ports = false;
    ProofLines proof;
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code[i].rfind("module ", 0) == 0) in_ports = true;
      const bool proved = proof.holds(code[i]);
      if (!in_ports && !proved && !std::regex_search(code[i], kConnection)) ++counted;
      if (code[i].rfind(");", 0) == 0) in_ports = false;
      if (counted > 300) return i;
    }
    return 0;
  }

  void check_module(const std::vector<std::string>& lines, const std::vector<std::string>& code) {
    const bool package = ends_with(file_, "_pkg.sv");
    std::string all_code;
    std::string header;
    for (const std::string& line : code) all_code += line + "\n";
    for (const std::string& line : lines) {
      if (line.rfind("//", 0) != 0) break;
      header += line + "\n";
    }
    if (all_code.find("`default_nettype none") == std::string::npos) {
      report(0, "default-nettype", "`default_nettype none before the module");
    }
    if (package || generated_) return;
    const std::string name = module_of(file_);
    if (!std::regex_search(all_code, std::regex("\\bmodule\\s+" + name + "\\b"))) {
      report(0, "file-is-module", "the file " + name + ".sv holds module " + name);
    }
    if (const std::size_t line = end_of_300(code); line != 0)
      report(line, "file-length", "at most 300 lines apart from ports, connections and proofs");
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].size() > 110) report(i, "line-length", "at most 110 columns");
    }
    if (file_.rfind("rtl/", 0) != 0) return;
    if (header.find(name) == std::string::npos) report(0, "header", "the title names the module");
    for (const char* label : {"Behaviour:", "Latency:", "Limits:"}) {
      if (header.find(label) == std::string::npos)
        report(0, "header", std::string("a paragraph ") + label);
    }
    if (!std::regex_search(header, std::regex(R"(-+>|<-+|\|)"))) {
      report(0, "header", "an ASCII picture of the streams in and out");
    }
    static const std::regex kAssertion(R"(\bassert\s*\()");
    const auto count =
        std::distance(std::sregex_iterator(all_code.begin(), all_code.end(), kAssertion), {});
    assertions_ += static_cast<std::size_t>(count);
    rtl_lines_ += lines.size();
    if (count == 0 && std::regex_search(all_code, std::regex(R"(\boutput\b[^;]*\w_valid_o\b)")) &&
        all_code.find("always_ff") != std::string::npos) {
      report(0, "no-assertion", "a module with a stream output asserts something about it");
    }
  }

  void check_any(const std::vector<std::string>& lines) {
    const bool cpp = ends_with(file_, ".cc") || ends_with(file_, ".h");
    bool spdx = false;
    for (std::size_t i = 0; i < lines.size() && i < 3; ++i) {
      spdx = spdx || lines[i].find("SPDX-License-Identifier: Apache-2.0") != std::string::npos;
    }
    const bool binary_or_data =
        ends_with(file_, ".trace") || ends_with(file_, ".gtkw") || ends_with(file_, ".md");
    if (!spdx && !binary_or_data) report(0, "spdx", "an SPDX line at the top");
    const bool script = !lines.empty() && lines[0].rfind("#!", 0) == 0;
    if (script && std::find(lines.begin(), lines.end(), "export LC_ALL=C") == lines.end())
      report(0, "locale", "export LC_ALL=C: numbers and orders depend on it");
    if (cpp && !generated_ && lines.size() > 600) report(600, "file-length", "at most 600 lines");
    static const std::regex kLeftOver(R"(\b(?:TO)(?:DO)\b|\bFIX(?:ME)\b|\bX(?:XX)\b|\bHA(?:CK)\b)");
    static const std::regex kRawNew(R"(\bnew\s+[A-Za-z_:]+\s*[({\[;])");
    std::vector<std::string> comments;
    const std::vector<std::string> code = cpp ? strip(lines, &comments) : lines;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (std::regex_search(lines[i], kLeftOver))
        report(i, "left-over", "do it now, or describe the limit");
      if (cpp && !generated_ && lines[i].size() > 100)
        report(i, "line-length", "at most 100 columns");
      if (cpp && std::regex_search(code[i], kRawNew)) report(i, "raw-new", "std::make_unique");
    }
  }

  std::vector<std::regex> patterns_;
  std::vector<Finding> findings_;
  std::string file_;
  bool generated_ = false;
  std::size_t assertions_ = 0;
  std::size_t rtl_lines_ = 0;
};

std::vector<std::string> read_lines(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The findings that the comments of a fixture announce.
std::set<std::string> expected_findings(const std::string& file,
                                        const std::vector<std::string>& lines) {
  static const std::regex kExpectation(R"(expect: ([a-z0-9 -]+))");
  std::set<std::string> expected;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (!std::regex_search(lines[i], match, kExpectation)) continue;
    std::istringstream rules(match[1].str());
    for (std::string rule; rules >> rule;)
      expected.insert(file + ":" + std::to_string(i + 1) + " " + rule);
  }
  return expected;
}

int self_test(const std::vector<std::string>& files) {
  Linter linter;
  std::set<std::string> expected;
  for (const std::string& file : files) {
    const std::vector<std::string> lines = read_lines(file);
    expected.merge(expected_findings(file, lines));
    linter.check(file, lines, true);
  }
  std::set<std::string> found;
  std::set<std::string> rules_seen;
  for (const Finding& finding : linter.findings()) {
    found.insert(finding.file + ":" + std::to_string(finding.line) + " " + finding.rule);
    rules_seen.insert(finding.rule);
  }
  int wrong = 0;
  for (const std::string& e : expected) {
    if (found.count(e) == 0) std::cout << "not caught: " << e << "\n", ++wrong;
  }
  for (const std::string& f : found) {
    if (expected.count(f) == 0) std::cout << "false alarm: " << f << "\n", ++wrong;
  }
  for (const Rule& rule : kRules) {
    if (rules_seen.count(rule.name) == 0)
      std::cout << "no fixture for rule " << rule.name << "\n", ++wrong;
  }
  for (const char* rule : {"floor", "ports"}) {
    if (rules_seen.count(rule) == 0) std::cout << "no fixture for rule " << rule << "\n", ++wrong;
  }
  std::cout << expected.size() << " expected findings, " << wrong << " wrong\n";
  return wrong == 0 ? 0 : 1;
}

// A line a figure, for the bench of that name. The node's edge counts for lines alone.
int shape(const std::vector<std::string>& files) {
  std::size_t lines = 0;
  CodeLines code;
  std::vector<std::size_t> ports;
  for (const std::string& file : files) {
    const std::vector<std::string> text = read_lines(file);
    std::vector<std::string> comments;
    const std::vector<std::string> stripped = strip(text, &comments);
    const CodeLines counted = count_code(stripped);
    ProofLines proof;
    lines += std::count_if(text.begin(), text.end(),
                           [&](const std::string& line) { return !proof.holds(line); });
    code.all += counted.all;
    code.plumbing += counted.plumbing;
    std::size_t module = 0;
    if (!on_edge(file)) ports.push_back(port_names(stripped, &module));
  }
  if (ports.empty()) throw std::runtime_error("--shape needs modules inside the node");
  std::sort(ports.begin(), ports.end());
  std::cout << "lines " << lines << "\nports_most " << ports.back() << "\nports_median "
            << ports[ports.size() / 2] << "\nplumbing_share "
            << static_cast<double>(code.plumbing) / static_cast<double>(code.all) << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files(argv + 1, argv + argc);
  try {
    if (!files.empty() && files[0] == "--expect")
      return self_test({files.begin() + 1, files.end()});
    if (!files.empty() && files[0] == "--shape") return shape({files.begin() + 1, files.end()});
    Linter linter;
    for (const std::string& file : files) linter.check(file, read_lines(file), false);
    linter.check_density();
    for (const Finding& f : linter.findings()) {
      std::cout << f.file << ":" << f.line << ": [" << f.rule << "] " << f.advice << "\n";
    }
    std::cout << files.size() << " files, " << linter.findings().size() << " findings\n";
    return linter.findings().empty() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "source_lint: " << error.what() << "\n";
    return 2;
  }
}
