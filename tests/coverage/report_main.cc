// SPDX-License-Identifier: Apache-2.0
// Merges what processes counted, and says what no test reaches:
//
//   coverage_report DATA_FOLDER [--constants F] [--exclusions F] [--goals F] [--html F] [--json F]
//                  [--document F]
//
// DATA_FOLDER has NAME.dat and NAME.tests of each process (tests/coverage/recorder.h). Exit status:
// 0 the goals are met, 1 they are not or an exclusion is wrong, 2 an input cannot be read.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "tests/coverage/constants.h"
#include "tests/coverage/exclusions.h"
#include "tests/coverage/page.h"

namespace torusmu::coverage {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string data, constants, exclusions, goals, html, json, document;
};

Coverage read_folder(const std::string& folder) {
  if (!fs::is_directory(folder)) throw InputError(folder + ": expected a folder with .dat files");
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".dat") files.push_back(entry.path());
  }
  if (files.empty()) throw InputError(folder + ": no .dat file");
  std::sort(files.begin(), files.end());
  Coverage coverage;
  for (const fs::path& file : files)
    add_process(coverage, file, fs::path(file).replace_extension(".tests"));
  return coverage;
}

// Never leaves half a file.
void write_file(const std::string& name, const std::string& text) {
  const std::string part = name + ".part";
  std::ofstream file(part);
  file << text;
  file.close();
  if (!file) throw InputError(name + ": cannot be written");
  fs::rename(part, name);
}

// Replaces what stands between the two marks of the document.
void write_document(const std::string& name, const std::string& text) {
  std::ifstream file(name);
  std::stringstream whole;
  whole << file.rdbuf();
  const std::string before = whole.str();
  const std::string begin = "<!-- coverage: begin -->\n", end = "<!-- coverage: end -->";
  const std::size_t first = before.find(begin), last = before.find(end);
  if (first == std::string::npos || last == std::string::npos || last < first)
    throw InputError(name + ": expected the lines '<!-- coverage: begin -->' and 'end'");
  write_file(name, before.substr(0, first + begin.size()) + text + before.substr(last));
}

int report(const Options& options) {
  Coverage coverage = read_folder(options.data);
  Sources sources;
  std::vector<std::string> wrong;
  std::size_t constants = 0;
  if (!options.constants.empty()) constants = drop_constants(coverage, options.constants, wrong);
  if (!options.exclusions.empty()) {
    const auto of_rows = exclude(coverage, options.exclusions, sources);
    wrong.insert(wrong.end(), of_rows.begin(), of_rows.end());
  }
  const Goals goals = options.goals.empty() ? Goals{} : read_goals(options.goals);
  const Summary summary = summarise(coverage);
  const auto short_of = shortfalls(summary, goals);
  wrong.insert(wrong.end(), short_of.begin(), short_of.end());
  if (!options.html.empty()) write_file(options.html, html_page(coverage, summary, sources));
  if (!options.json.empty()) write_file(options.json, json_page(coverage, summary));
  if (!options.document.empty())
    write_document(options.document, markdown(summary, goals, coverage.tests.size(), constants));
  std::cout << table(summary, goals, coverage.tests.size());
  if (!options.constants.empty()) {
    std::cout << fmt::format("no points: {} bits that are constant in the node\n", constants);
  }
  if (!options.html.empty()) std::cout << "page: " << options.html << "\n";
  for (const std::string& text : wrong) std::cout << "FAIL " << text << "\n";
  return wrong.empty() ? 0 : 1;
}

}  // namespace
}  // namespace torusmu::coverage

int main(int argc, char** argv) {
  torusmu::coverage::Options options;
  CLI::App app("Merges coverage and says what no test reaches");
  app.add_option("data", options.data, "folder with the .dat and .tests files")->required();
  app.add_option("--constants", options.constants, "bits of signals that never change");
  app.add_option("--exclusions", options.exclusions, "points that need not be reached");
  app.add_option("--goals", options.goals, "percent of each kind that must be reached");
  app.add_option("--html", options.html, "writes a page");
  app.add_option("--json", options.json, "writes all points");
  app.add_option("--document", options.document, "writes the table into this Markdown file");
  try {
    app.parse(argc, argv);
    return torusmu::coverage::report(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::cerr << "coverage_report: " << error.what() << "\n";
    return 2;
  }
}
