// SPDX-License-Identifier: Apache-2.0
// Findings of lint for other programs, as SARIF 2.1.0 (OASIS):
//
//   lint_sarif FILE.sarif LOG...   FILE has a run for Verilator and one for source_lint, with each
//                                  finding that the logs tell, once. Exit status 2 if a log cannot
//                                  be read or FILE not be written
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

using nlohmann::json;

struct Finding {
  std::string file;               // empty: none is named
  unsigned line = 0, column = 0;  // 0: not told
  std::string rule, level, text;
  auto key() const { return std::tie(file, line, column, rule, level, text); }
  bool operator<(const Finding& other) const { return key() < other.key(); }
};

struct Findings {
  std::set<Finding> verilator, source_lint;
};

unsigned number(const std::string& text) {
  return text.empty() ? 0 : static_cast<unsigned>(std::stoul(text));
}

void add_line(const std::string& line, Findings& findings) {
  // "%Warning-WIDTH: rtl/a.sv:12:5: text"; an error may have no name and no place.
  static const std::regex kVerilator(
      R"(%(Warning|Error)(?:-(\w+))?: (?:([^:\s]+):(\d+):(?:(\d+):)? )?(.+))");
  static const std::regex kSourceLint(R"(([^:\s]+):(\d+): \[([\w-]+)\] (.+))");
  static const std::regex kSum(R"(%(?:Warning|Error): (?:Exiting due to|Command Failed).*)");
  std::smatch m;
  if (std::regex_match(line, kSum)) return;
  if (std::regex_match(line, m, kVerilator)) {
    const bool is_error = m[1] == "Error";
    findings.verilator.insert({m[3], number(m[4]), number(m[5]),
                               m[2].matched ? m[2].str()
                               : is_error   ? "ERROR"
                                            : "WARNING",
                               is_error ? "error" : "warning", m[6]});
  } else if (std::regex_match(line, m, kSourceLint)) {
    findings.source_lint.insert({m[1], number(m[2]), 0, m[3], "error", m[4]});
  }
}

void add_log(const std::string& path, Findings& findings) {
  std::ifstream log(path);
  if (!log) throw std::runtime_error("cannot read " + path);
  for (std::string line; std::getline(log, line);) add_line(line, findings);
}

// A path as a relative reference of a URI.
std::string uri_of(const std::string& path) {
  const std::string unreserved = "/-._~";
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x80 && std::isalnum(byte) != 0) || unreserved.find(c) != std::string::npos) {
      uri += c;
    } else {
      char escaped[4];
      std::snprintf(escaped, sizeof escaped, "%%%02X", byte);
      uri += escaped;
    }
  }
  return uri;
}

json location_of(const Finding& finding) {
  json place = {{"artifactLocation", {{"uri", uri_of(finding.file)}, {"uriBaseId", "%SRCROOT%"}}}};
  if (finding.line != 0) place["region"]["startLine"] = finding.line;
  if (finding.line != 0 && finding.column != 0) place["region"]["startColumn"] = finding.column;
  return {{"physicalLocation", place}};
}

json run_of(const std::string& tool, const std::string& address,
            const std::set<Finding>& findings) {
  std::vector<std::string> names;
  for (const Finding& finding : findings) names.push_back(finding.rule);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  json rules = json::array(), results = json::array();
  for (const std::string& name : names) rules.push_back({{"id", name}});
  for (const Finding& finding : findings) {
    const auto rule = std::lower_bound(names.begin(), names.end(), finding.rule) - names.begin();
    json result = {{"ruleId", finding.rule},
                   {"ruleIndex", rule},
                   {"level", finding.level},
                   {"message", {{"text", finding.text}}}};
    if (!finding.file.empty()) result["locations"] = {location_of(finding)};
    results.push_back(result);
  }
  json driver = {{"name", tool}, {"rules", rules}};
  if (!address.empty()) driver["informationUri"] = address;
  return {{"tool", {{"driver", driver}}}, {"results", results}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: lint_sarif FILE.sarif LOG...\n";
    return 2;
  }
  try {
    Findings findings;
    for (int i = 2; i < argc; ++i) add_log(argv[i], findings);
    const json sarif = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                        {"version", "2.1.0"},
                        {"runs",
                         {run_of("Verilator", "https://verilator.org", findings.verilator),
                          run_of("source_lint", "", findings.source_lint)}}};
    std::ofstream file(argv[1]);
    file << sarif.dump(2, ' ', false, json::error_handler_t::replace) << "\n" << std::flush;
    if (!file) throw std::runtime_error(std::string("cannot write ") + argv[1]);
    std::cout << findings.verilator.size() + findings.source_lint.size() << " findings in "
              << argv[1] << "\n";
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "lint_sarif: " << error.what() << "\n";
    return 2;
  }
}
