// SPDX-License-Identifier: Apache-2.0
// What the mutation check says of a block:
//
//   report FOLDER BLOCK REASONS   reads what judge and prove.sh left in FOLDER, writes
//                                 FOLDER/mutants.json and fails if too many mutants live
//
// The score of a block is killed / (mutants - those proved equivalent): 98 % at least, or each
// survivor is one of REASONS.

#include <fmt/format.h>

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

#include "docs/pages/reasons.h"

namespace torusmu {
namespace {

using json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr double kGoal = 98.0;

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
json survivors_of(const json& mutants) {
  json survivors = json::array();
  for (const json& mutant : mutants) {
    const std::string fate = mutant.at("fate");
    if (fate == "killed" || fate == "equal") continue;
    const bool has_source = mutant.contains("source");
    survivors.push_back(
        {{"mutant",
          fmt::format("{}:{}", std::string(mutant.at("model")), int(mutant.at("number")))},
         {"fault",
          fmt::format("{} {}{}[{}]{}", std::string(mutant.at("kind")),
                      mutant.contains("also") ? std::string(mutant["also"]) + ", " : "",
                      std::string(mutant.at("port")), int(mutant.at("bit")),
                      mutant.contains("wire") ? " of " + std::string(mutant["wire"]) : "")},
         {"place", mutant.value("source", "?")},
         {"line", has_source ? source_text(mutant["source"]) : ""},
         {"known", fate == "differs"
                       ? fmt::format("can be seen after {} cycles", int(mutant["cycle"]))
                       : "neither proved equivalent nor told apart"}});
  }
  return survivors;
}

int report_block(const fs::path& folder, const std::string& block, const fs::path& reasons_path) {
  const pages::Reasons reasons = pages::reasons_of(reasons_path);
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
  const json survivors = survivors_of(mutants);
  write_file(folder / "mutants.json", json{{"block", block},
                                           {"mutants", all},
                                           {"killed", killed},
                                           {"equal", equal},
                                           {"differs", count("differs")},
                                           {"unknown", count("unknown")},
                                           {"score", score},
                                           {"survivors", survivors},
                                           {"list", mutants}}
                                          .dump(1));
  for (const json& s : survivors) {
    std::cout << fmt::format("survives: {} {} at {}: {}; {}\n", std::string(s["mutant"]),
                             std::string(s["fault"]), std::string(s["place"]),
                             std::string(s["line"]), std::string(s["known"]));
  }
  std::cout << fmt::format(
      "{}: {} mutants, {} killed, {} equivalent, {} differ, {} unknown: {:.1f} %\n", block, all,
      killed, equal, count("differs"), count("unknown"), score);
  const auto unexplained = std::ranges::count_if(survivors, [&](const json& s) {
    return !reasons.contains({s["mutant"], s["fault"], s["place"]});
  });
  if (score >= kGoal || unexplained == 0) return 0;
  std::cout << fmt::format(
      "{}: {:.1f} % of the mutants are killed, {:.1f} % should be; {} survive without a reason in "
      "{}\n",
      block, score, kGoal, unexplained, reasons_path.string());
  return 1;
}

}  // namespace
}  // namespace torusmu

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: report FOLDER BLOCK REASONS\n";
    return 2;
  }
  try {
    return torusmu::report_block(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
