// SPDX-License-Identifier: Apache-2.0
#include "tests/support/markdown.h"

#include <fnmatch.h>
#include <glob.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace torusmu::testing {
namespace {

namespace fs = std::filesystem;

const std::regex kLink(R"(\]\(([^)\s]+)\))");
const std::regex kCodeSpan("`([^`]+)`");
const std::regex kFolder(R"((rtl|sim|tests|docs|host|tb|constraints)/.*)");
const std::regex kPlaceholder(R"((^|.*[/_.])[A-Z]{2,}([/_.].*|$)|.*[<>].*)");
const std::regex kFileName(R"([a-z0-9_]+\.(sv|cc|h|def|mk|awk|sh))");
const std::regex kMake(R"((^|.*[;&|] *)make +(.*))");
const std::regex kVerb("[a-z][a-z0-9-]*");
const std::regex kVariable(R"([A-Za-z_]+=\S*)");

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(' ');
  return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(' ') - from + 1);
}

// The verbs of one command; what is no verb, variable or option ends it.
std::vector<std::string> verbs_of(const std::string& command) {
  std::vector<std::string> verbs;
  std::smatch match;
  if (!std::regex_match(command, match, kMake)) return verbs;
  for (const std::string& word : words_of(match[2].str())) {
    if (std::regex_match(word, kVariable) || word.starts_with("-")) continue;
    if (!std::regex_match(word, kVerb)) break;
    verbs.push_back(word);
  }
  return verbs;
}

// A path, or a pattern as in a shell.
bool exists(const std::string& path) {
  glob_t found{};
  const bool some = glob(path.c_str(), GLOB_BRACE, nullptr, &found) == 0;
  globfree(&found);
  return some;
}

bool is_skipped(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with("build") || (name.starts_with(".") && name != ".ci") ||
         name == "fixtures";
}

// Every file below the working directory but build folders, hidden ones and fixtures.
const std::vector<fs::path>& tree() {
  static const std::vector<fs::path> kFiles = [] {
    std::vector<fs::path> found;
    for (auto it = fs::recursive_directory_iterator("."); it != fs::end(it); ++it) {
      if (it->is_directory() && is_skipped(it->path())) {
        it.disable_recursion_pending();
      } else if (it->is_regular_file()) {
        found.push_back(it->path().lexically_normal());
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }();
  return kFiles;
}

}  // namespace

Markdown::Markdown(const fs::path& file) : file_(file.string()) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(file_ + ": cannot be read");
  int number = 0;
  bool fenced = false;
  std::string language;
  for (std::string text; std::getline(stream, text);) {
    ++number;
    if (trimmed(text).starts_with("```")) {
      fenced = !fenced;
      language = fenced ? trimmed(text).substr(3) : "";
      continue;
    }
    lines_.push_back({number, fenced, language, text});
  }
  if (fenced) throw std::runtime_error(file_ + ": a fence is left open");
}

std::vector<Found> Markdown::links() const {
  std::vector<Found> found;
  for (const Line& line : lines_) {
    if (line.fenced) continue;
    for (std::sregex_iterator it(line.text.begin(), line.text.end(), kLink), end; it != end; ++it) {
      const std::string target = (*it)[1].str();
      if (target.starts_with("http:") || target.starts_with("https:")) continue;
      const std::string path = target.substr(0, target.find('#'));
      if (!path.empty()) found.push_back({file_, line.number, path});
    }
  }
  return found;
}

std::vector<Found> Markdown::code_spans() const {
  std::vector<Found> found;
  for (const Line& line : lines_) {
    if (line.fenced) continue;
    for (std::sregex_iterator it(line.text.begin(), line.text.end(), kCodeSpan), end; it != end;
         ++it) {
      found.push_back({file_, line.number, (*it)[1].str()});
    }
  }
  return found;
}

std::vector<Found> Markdown::paths() const {
  std::vector<Found> found;
  for (const Found& span : code_spans()) {
    for (std::string word : words_of(span.text)) {
      while (!word.empty() && std::string(",;:)").find(word.back()) != std::string::npos) {
        word.pop_back();
      }
      if (!std::regex_match(word, kFolder) || std::regex_match(word, kPlaceholder)) continue;
      found.push_back({span.file, span.line, word});
    }
  }
  return found;
}

std::vector<Found> Markdown::file_names() const {
  std::vector<Found> found;
  for (const Found& span : code_spans()) {
    if (std::regex_match(span.text, kFileName)) found.push_back(span);
  }
  return found;
}

std::vector<Found> Markdown::typed() const {
  std::vector<Found> commands = code_spans();
  for (const Line& line : lines_) {
    const bool shell = line.fenced && (line.language.empty() || line.language == "sh");
    if (shell || (!line.fenced && line.text.starts_with("    "))) {
      commands.push_back({file_, line.number, trimmed(line.text)});
    }
  }
  return commands;
}

std::vector<Found> Markdown::make_verbs() const {
  std::vector<Found> found;
  for (const Found& command : typed()) {
    for (const std::string& verb : verbs_of(command.text)) {
      found.push_back({command.file, command.line, verb});
    }
  }
  return found;
}

std::vector<Found> Markdown::jobs() const {
  static const std::regex kJobs(R"re(\bJOBS=(?:'([^']*)'|"([^"]*)"|(\S+)))re");
  std::vector<Found> found;
  for (const Found& command : typed()) {
    std::smatch match;
    if (!std::regex_search(command.text, match, kJobs)) continue;
    for (const std::string& job : words_of(match[1].str() + match[2].str() + match[3].str())) {
      found.push_back({command.file, command.line, job});
    }
  }
  return found;
}

std::vector<Found> Markdown::commands() const {
  std::vector<Found> found;
  bool goes_on = false;
  for (const Line& line : lines_) {
    if (!line.fenced || line.language != "sh") continue;
    std::string text = trimmed(line.text);
    if (text.empty() || text.starts_with("#")) continue;
    const bool more = text.ends_with("\\");
    if (more) text.pop_back();
    if (goes_on) {
      found.back().text += text;
    } else {
      found.push_back({file_, line.number, text});
    }
    goes_on = more;
  }
  return found;
}

std::vector<fs::path> markdown_files() {
  std::vector<fs::path> files;
  std::copy_if(tree().begin(), tree().end(), std::back_inserter(files),
               [](const fs::path& file) { return file.extension() == ".md"; });
  return files;
}

std::vector<std::string> broken_links(const Markdown& document) {
  std::vector<std::string> complaints;
  for (const Found& link : document.links()) {
    if (!fs::exists(fs::path(link.file).parent_path() / link.text)) {
      complaints.push_back(link.where() + ": the link leads nowhere");
    }
  }
  return complaints;
}

std::vector<std::string> missing_paths(const Markdown& document) {
  std::vector<std::string> complaints;
  for (const Found& path : document.paths()) {
    if (!exists(path.text)) complaints.push_back(path.where() + ": there is no such path");
  }
  for (const Found& name : document.file_names()) {
    if (std::none_of(tree().begin(), tree().end(),
                     [&](const fs::path& file) { return file.filename() == name.text; })) {
      complaints.push_back(name.where() + ": no folder has such a file");
    }
  }
  return complaints;
}

std::vector<std::string> unknown_verbs(const Markdown& document,
                                       const std::set<std::string>& help) {
  std::vector<std::string> complaints;
  for (const Found& verb : document.make_verbs()) {
    if (!help.contains(verb.text)) {
      complaints.push_back(verb.where() + ": make help has no such verb");
    }
  }
  return complaints;
}

std::vector<std::string> unknown_jobs(const Markdown& document, const std::set<std::string>& jobs) {
  static const std::regex kAnyModule(R"(.*/x\*?)");
  std::vector<std::string> complaints;
  for (const Found& glob : document.jobs()) {
    if (std::regex_match(glob.text, kAnyModule)) continue;
    if (std::none_of(jobs.begin(), jobs.end(), [&](const std::string& job) {
          return fnmatch(glob.text.c_str(), job.c_str(), 0) == 0 ||
                 fnmatch((glob.text + "/*").c_str(), job.c_str(), 0) == 0;
        })) {
      complaints.push_back(glob.where() + ": make check lists no such job");
    }
  }
  return complaints;
}

std::vector<std::string> failing_commands(const Markdown& document, const std::string& build,
                                          std::chrono::seconds limit, int* ran) {
  static const std::regex kBuildFolder(R"((^|[\s"'=(])(\./)?build/)");
  static const std::regex kExempt(R"(make (run|test))");
  std::vector<std::string> complaints;
  for (const Found& command : document.commands()) {
    if (std::regex_match(command.text, kExempt)) continue;
    const std::string base =
        (fs::temp_directory_path() / ("torusmu-docs-" + std::to_string(getpid()))).string();
    const std::string script = base + ".sh", log = base + ".log";
    std::ofstream(script) << std::regex_replace(command.text, kBuildFolder, "$1" + build + "/")
                          << "\n";
    // Neither the make that runs the tests nor a display has a say in what the command does.
    const int status = std::system(
        ("env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u DISPLAY BUILD=" + build + " timeout -k 5 " +
         std::to_string(limit.count()) + " bash " + script + " > " + log + " 2>&1 < /dev/null")
            .c_str());
    ++*ran;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code != 0) {
      std::ifstream file(log);
      const std::string output{std::istreambuf_iterator<char>(file), {}};
      complaints.push_back(
          command.where() + ": " +
          (code == 124 ? "takes longer than " + std::to_string(limit.count()) + " seconds"
                       : "exit status " + std::to_string(code)) +
          "\n" + output.substr(output.size() - std::min<std::size_t>(output.size(), 1000)));
    }
    fs::remove(script);
    fs::remove(log);
  }
  return complaints;
}

}  // namespace torusmu::testing
