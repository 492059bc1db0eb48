// SPDX-License-Identifier: Apache-2.0
// What a Markdown file claims that can be checked: links, paths, verbs of make, commands.
#ifndef TESTS_SUPPORT_MARKDOWN_H_
#define TESTS_SUPPORT_MARKDOWN_H_

#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace torusmu::testing {

// Something in a file, with the number of its line.
struct Found {
  std::string file;
  int line = 0;
  std::string text;
  [[nodiscard]] std::string where() const {
    return file + ":" + std::to_string(line) + ": " + text;
  }
};

class Markdown {
 public:
  // Reads a file; throws std::runtime_error if it cannot, or if a fence is left open.
  explicit Markdown(const std::filesystem::path& file);

  // Targets of links to files, without their #anchor.
  [[nodiscard]] std::vector<Found> links() const;
  // Words in backticks that begin with a folder of the tree. Placeholders (NAME, <layer>) are left
  // out; `*` and `{a,b}` are as in a shell.
  [[nodiscard]] std::vector<Found> paths() const;
  // Words in backticks that are the name of a source file without its folder.
  [[nodiscard]] std::vector<Found> file_names() const;
  // Verbs of `make VERB` in backticks, in fences without a language or with sh, and in indented
  // blocks.
  [[nodiscard]] std::vector<Found> make_verbs() const;
  // Names of jobs, with * and ?, of `make check JOBS='...'` in the same places.
  [[nodiscard]] std::vector<Found> jobs() const;
  // Lines of fences with the language sh; a line that ends with \ goes on in the next.
  [[nodiscard]] std::vector<Found> commands() const;

 private:
  struct Line {
    int number = 0;
    bool fenced = false;
    std::string language;  // of the fence
    std::string text;
  };
  [[nodiscard]] std::vector<Found> code_spans() const;
  // What a reader is told to type.
  [[nodiscard]] std::vector<Found> typed() const;

  std::string file_;
  std::vector<Line> lines_;
};

// Every Markdown file of the tree but build folders, hidden ones and the fixtures of these checks.
std::vector<std::filesystem::path> markdown_files();

// Complaints, "file:line: what is wrong". Paths are looked up from the working directory, the root
// of the repository.
std::vector<std::string> broken_links(const Markdown& document);
std::vector<std::string> missing_paths(const Markdown& document);
std::vector<std::string> unknown_verbs(const Markdown& document, const std::set<std::string>& help);
// Names that no job has; `formal/x` stands for any module's.
std::vector<std::string> unknown_jobs(const Markdown& document, const std::set<std::string>& jobs);

// Runs the document's commands in shells, with build/ mapped to `build`, for at most `limit` each.
// `make run` and `make test` are not run. Adds the number of those that ran to `*ran`.
std::vector<std::string> failing_commands(const Markdown& document, const std::string& build,
                                          std::chrono::seconds limit, int* ran);

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_MARKDOWN_H_
