// SPDX-License-Identifier: Apache-2.0
// What the mutation check says of a block, and the page about all of them.
//
//   report block FOLDER BLOCK REASONS
//                               reads what judge and prove.sh left in FOLDER, writes
//                               FOLDER/mutants.json and fails if too many mutants live
//   report page DOCUMENT SURVIVORS REASONS FOLDER BLOCK...
//                               writes the table between the markers of DOCUMENT, and the rows of
//                               SURVIVORS, from FOLDER/*/mutants.json; of the BLOCKs, rows of those
//                               that are not there stay. REASONS says of survivors why they cannot
//                               matter; each of its rows must be that of a survivor
//
// The score of a block is killed / (mutants - those proved equivalent): 98 % at least, or each
// survivor is one of REASONS.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr double kGoal = 98.0;
constexpr const char* kBegin = "<!-- mutation table: begin -->";
constexpr const char* kEnd = "<!-- mutation table: end -->";

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}

// "mutate -ctrl mutsel 16 5 -mode inv ... -port Y -portbit 0 -wire push -src FILE:44.24-44.48" as
// its words; of several -src the last one is that of the operator itself. A mutant of several such
// commands is in several bits: the others are "also".
json mutant_of(const std::string& line) {
  std::istringstream words(line);
  json mutant;
  std::string key;
  while (words >> key) {
    std::string value;
    if (key == "-mode") words >> value, mutant["kind"] = value;
    if (key == "-port") words >> value, mutant["port"] = value;
    if (key == "mutate" && mutant.contains("bit"))
      mutant["also"] = fmt::format(
          "{}{}[{}]", mutant.contains("also") ? mutant["also"].get<std::string>() + ", " : "",
          std::string(mutant["port"]), int(mutant["bit"]));
    if (key == "-portbit") words >> value, mutant["bit"] = std::stoi(value);
    if (key == "-wire") words >> value, mutant["wire"] = value;
    if (key == "-src")
      words >> value, mutant["source"] = value.substr(0, value.find('.', value.find(':')));
  }
  return mutant;
}

// MODEL NUMBER WHAT [MORE]: the files of verdicts and proofs.
using Answers = std::map<std::pair<std::string, int>, std::pair<std::string, std::string>>;
Answers answers_of(const fs::path& path) {
  Answers answers;
  for (const std::string& line : lines_of(path)) {
    std::istringstream words(line);
    std::string model, what, more;
    int number = 0;
    words >> model >> number >> what >> more;
    answers[{model, number}] = {what, more};
  }
  return answers;
}

std::string source_text(const std::string& place) {
  const auto colon = place.find(':');
  std::ifstream file(place.substr(0, colon));
  std::string line;
  for (int n = std::stoi(place.substr(colon + 1)); n > 0; --n) std::getline(file, line);
  const auto begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? "" : line.substr(begin);
}

// All mutants with what became of them: killed (by a test), equal (proved), differs (a run that
// shows it exists, but no test has it) or unknown.
json judged(const fs::path& folder) {
  const Answers verdicts = answers_of(folder / "verdicts");
  const Answers proofs = answers_of(folder / "proofs");
  json mutants = json::array();
  std::map<std::string, std::vector<std::string>> lists;
  for (const auto& [which, verdict] : verdicts) {
    auto& list = lists[which.first];
    if (list.empty()) list = lines_of(folder / (which.first + ".list"));
    json mutant = mutant_of(list.at(static_cast<std::size_t>(which.second) - 1));
    mutant["model"] = which.first;
    mutant["number"] = which.second;
    const auto proof = proofs.find(which);
    if (verdict.first != "survived") {
      mutant["fate"] = "killed";
      mutant["by"] = verdict.second;
    } else if (proof == proofs.end()) {
      throw std::runtime_error(fmt::format("{} {}: no proof was tried", which.first, which.second));
    } else {
      mutant["fate"] = proof->second.first;
      if (proof->second.first == "differs") mutant["cycle"] = std::stoi(proof->second.second);
    }
    mutants.push_back(mutant);
  }
  return mutants;
}

// Killed mutants that were tried as if they had survived must not all be equivalent.
void require_sharp_proofs(const fs::path& folder) {
  const Answers verdicts = answers_of(folder / "verdicts");
  int tried = 0, equal = 0;
  for (const auto& [which, proof] : answers_of(folder / "proofs")) {
    const auto verdict = verdicts.find(which);
    if (verdict == verdicts.end() || verdict->second.first == "survived") continue;
    ++tried;
    equal += proof.first == "equal" ? 1 : 0;
  }
  if (tried > 0 && tried == equal)
    throw std::runtime_error("the proofs take killed mutants for equivalent");
}

// Neither killed nor proved equivalent, in words: which mutant, what it does, where, what is known.
struct Survivor {
  std::string block, mutant, fault, place, line, known;
};

std::vector<Survivor> survivors_of(const std::string& block, const json& mutants) {
  std::vector<Survivor> survivors;
  for (const json& mutant : mutants) {
    const std::string fate = mutant.at("fate");
    if (fate == "killed" || fate == "equal") continue;
    const bool has_source = mutant.contains("source");
    survivors.push_back(
        {"mu_" + block,
         fmt::format("{}:{}", std::string(mutant.at("model")), int(mutant.at("number"))),
         fmt::format("{} {}{}[{}]{}", std::string(mutant.at("kind")),
                     mutant.contains("also") ? std::string(mutant["also"]) + ", " : "",
                     std::string(mutant.at("port")), int(mutant.at("bit")),
                     mutant.contains("wire") ? " of " + std::string(mutant["wire"]) : ""),
         mutant.value("source", "?"), has_source ? source_text(mutant["source"]) : "",
         fate == "differs" ? fmt::format("can be seen after {} cycles", int(mutant["cycle"]))
                           : "neither proved equivalent nor told apart"});
  }
  return survivors;
}

void print_survivors(const std::string& block, const json& mutants) {
  for (const Survivor& s : survivors_of(block, mutants)) {
    std::cout << fmt::format("survives: {} {} at {}: {}; {}\n", s.mutant, s.fault, s.place, s.line,
                             s.known);
  }
}

std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

constexpr const char* kSurvivorsHead =
    "# SPDX-License-Identifier: Apache-2.0\n"
    "block,mutant,fault,place,line,what is known,why it cannot matter\n";

// The cells of a row; a quoted one holds commas, and a quote as two.
std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells(1);
  bool inside = false;
  char before = ',';
  for (const char c : row) {
    if (c == '"') {
      if (!inside && before == c) cells.back() += c;  // the second of two
      inside = !inside;
    } else if (c == ',' && !inside) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
    before = c;
  }
  return cells;
}

// What a person has found out about a survivor, by mutant, fault and place: other RTL has other
// mutants by the same number.
using Reasons = std::map<std::vector<std::string>, std::string>;
Reasons reasons_of(const fs::path& path) {
  Reasons reasons;
  int number = 0;
  for (const std::string& line : lines_of(path)) {
    ++number;
    if (line.rfind('#', 0) == 0 || line.rfind("mutant,", 0) == 0) continue;
    auto cells = cells_of(line);
    if (cells.size() != 4 || cells[3].empty())
      throw std::runtime_error(
          fmt::format("{}:{}: expected mutant, fault, place and reason, not '{}'", path.string(),
                      number, line));
    const std::string reason = cells[3];
    cells.resize(3);
    if (!reasons.emplace(cells, reason).second)
      throw std::runtime_error(fmt::format("{}:{}: {} twice", path.string(), number, cells[0]));
  }
  return reasons;
}

int report_block(const fs::path& folder, const std::string& block, const fs::path& reasons_path) {
  const Reasons reasons = reasons_of(reasons_path);
  const json mutants = judged(folder);
  require_sharp_proofs(folder);
  const auto count = [&](const std::string& fate) {
    return std::count_if(mutants.begin(), mutants.end(),
                         [&](const json& m) { return m.at("fate") == fate; });
  };
  const auto killed = count("killed");
  const auto equal = count("equal");
  const auto all = static_cast<long>(mutants.size());
  const double exact =
      all == equal ? 100.0 : 100.0 * static_cast<double>(killed) / static_cast<double>(all - equal);
  const double score = std::floor(exact * 10) / 10;
  write_file(folder / "mutants.json", json{{"block", block},
                                           {"mutants", all},
                                           {"killed", killed},
                                           {"equal", equal},
                                           {"differs", count("differs")},
                                           {"unknown", count("unknown")},
                                           {"score", score},
                                           {"list", mutants}}
                                          .dump(1));
  print_survivors(block, mutants);
  std::cout << fmt::format(
      "{}: {} mutants, {} killed, {} equivalent, {} differ, {} unknown: {:.1f} %\n", block, all,
      killed, equal, count("differs"), count("unknown"), score);
  const auto survivors = survivors_of(block, mutants);
  const auto unexplained = std::ranges::count_if(survivors, [&](const Survivor& s) {
    return !reasons.contains({s.mutant, s.fault, s.place});
  });
  if (score >= kGoal || unexplained == 0) return 0;
  std::cout << fmt::format(
      "{}: {:.1f} % of the mutants are killed, {:.1f} % should be; {} survive without a reason in "
      "{}\n",
      block, score, kGoal, unexplained, reasons_path.string());
  return 1;
}

// Those of blocks that were not judged again stay, those of blocks that are gone do not.
std::vector<Survivor> all_survivors(const fs::path& path, const fs::path& folder,
                                    const std::vector<std::string>& blocks) {
  std::map<std::string, std::vector<Survivor>> before;
  if (fs::exists(path)) {
    for (const std::string& line : lines_of(path)) {
      const auto c = cells_of(line);
      if (c.size() >= 6) before[c[0]].push_back({c[0], c[1], c[2], c[3], c[4], c[5]});
    }
  }
  std::vector<Survivor> survivors;
  for (const std::string& block : blocks) {
    std::ifstream file(folder / block / "mutants.json");
    const auto of_block =
        file ? survivors_of(block, json::parse(file).at("list")) : before["mu_" + block];
    survivors.insert(survivors.end(), of_block.begin(), of_block.end());
  }
  return survivors;
}

// Returns a sentence about them.
std::string write_survivors(const fs::path& path, const fs::path& reasons_path,
                            const std::vector<Survivor>& survivors) {
  Reasons reasons = reasons_of(reasons_path);
  std::string text = kSurvivorsHead;
  std::size_t explained = 0;
  for (const Survivor& s : survivors) {
    const auto reason = reasons.find({s.mutant, s.fault, s.place});
    const std::string why = reason == reasons.end() ? "" : reason->second;
    text += fmt::format("{},{},{},{},{},{},{}\n", s.block, s.mutant, quoted(s.fault), s.place,
                        quoted(s.line), s.known, why.empty() ? "" : quoted(why));
    if (reason == reasons.end()) continue;
    ++explained;
    reasons.erase(reason);
  }
  if (!reasons.empty())
    throw std::runtime_error(fmt::format("{}: no such survivor: {}, {} at {}",
                                         reasons_path.string(), reasons.begin()->first[0],
                                         reasons.begin()->first[1], reasons.begin()->first[2]));
  write_file(path, text);
  return fmt::format("{} survive; of {} a person has said why they cannot matter.\n",
                     survivors.size(), explained);
}

// A row a block, by the first cell of the row.
using Rows = std::map<std::string, std::string>;

void add_results(Rows& rows, const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream file(entry.path() / "mutants.json");
    if (!file) continue;
    const json b = json::parse(file);
    const std::string name = fmt::format("| `mu_{}` |", std::string(b["block"]));
    rows[name] = fmt::format("{} {} | {} | {} | {} | {} | {:.1f} % |", name, int(b["mutants"]),
                             int(b["killed"]), int(b["equal"]), int(b["differs"]),
                             int(b["unknown"]), double(b["score"]));
  }
}

int write_page(const fs::path& document, const fs::path& folder,
               const std::vector<std::string>& blocks, const std::string& about_survivors) {
  const std::vector<std::string> lines = lines_of(document);
  const auto begin = std::find(lines.begin(), lines.end(), kBegin);
  const auto end = std::find(begin, lines.end(), kEnd);
  if (end == lines.end()) throw std::runtime_error(document.string() + ": no markers of the table");
  Rows rows;
  for (auto line = begin; line != end; ++line) {
    if (line->rfind("| `mu_", 0) == 0) rows[line->substr(0, line->find('|', 1) + 1)] = *line;
  }
  add_results(rows, folder);
  std::string text;
  for (auto line = lines.begin(); line <= begin; ++line) text += *line + "\n";
  text +=
      "\n| block | mutants | killed | proved equivalent | differ, no test | unknown | score |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n";
  // A block that is gone has no row.
  Rows kept;
  for (const std::string& block : blocks) {
    const auto row = rows.find(fmt::format("| `mu_{}` |", block));
    if (row != rows.end()) kept.insert(*row);
  }
  for (const auto& [name, row] : kept) text += row + "\n";
  text += "\n" + about_survivors + "\n";
  for (auto line = end; line != lines.end(); ++line) text += *line + "\n";
  write_file(document, text);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What became of the mutants");
  app.require_subcommand(1);
  std::string folder, block, document, survivors, reasons;
  std::vector<std::string> blocks;
  auto* one = app.add_subcommand("block", "judges a block");
  one->add_option("folder", folder)->required();
  one->add_option("block", block)->required();
  one->add_option("reasons", reasons)->required();
  auto* page = app.add_subcommand("page", "writes the table of a page");
  page->add_option("document", document)->required();
  page->add_option("survivors", survivors)->required();
  page->add_option("reasons", reasons)->required();
  page->add_option("folder", folder)->required();
  page->add_option("blocks", blocks)->required();
  CLI11_PARSE(app, argc, argv);
  try {
    if (*one) return report_block(folder, block, reasons);
    if (!fs::exists(folder))
      throw std::runtime_error(folder + ": no block was judged yet: make mutation");
    const std::string about =
        write_survivors(survivors, reasons, all_survivors(survivors, folder, blocks));
    return write_page(document, folder, blocks, about);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
