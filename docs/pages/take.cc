// SPDX-License-Identifier: Apache-2.0
// What was measured on this computer becomes what the tree has.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "docs/pages/figure_record.h"
#include "docs/pages/pages.h"
#include "docs/pages/reasons.h"

namespace torusmu::pages {
namespace {

namespace fs = std::filesystem;

// The modules of the design in their order.
std::vector<std::string> modules_of_design() {
  std::vector<std::string> modules;
  std::istringstream lines(read_text("rtl/rtl.f"));
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(".sv")) modules.push_back(fs::path(line).stem());
  }
  return modules;
}

// The families of FPGAs in their order.
std::vector<std::string> families() {
  std::vector<std::string> names;
  std::istringstream lines(read_text("constraints/families.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#")) names.push_back(line.substr(0, line.find(' ')));
  }
  return names;
}

std::optional<Json> json_if_there(const fs::path& path) {
  if (!fs::exists(path)) return std::nullopt;
  return use_json(path, std::identity{});
}

// The figures are those of the program; those that `torusmu bench all` did not measure stay.
Json figures_taken(const Json& old, const std::optional<Json>& bench) {
  Json measured = Json::object(), records = Json::array(), failed = Json::array();
  if (bench) {
    measured = bench->at("figures");
    for (const Json& check : bench->at("checks")) {
      if (!check.at("passed"))
        failed.push_back({{"check", check.at("name")}, {"detail", check.at("detail")}});
    }
  } else {
    for (const Json& record : old.at("figures")) {
      measured[key_of(info_of(record))] = record.at("measured");
    }
    failed = old.at("failed");
  }
  for (const FigureInfo& figure : figures()) {
    if (*figure.id.bench != 0) records.push_back(record_of(figure, measured));
  }
  return {{"failed", failed}, {"figures", records}};
}

// Of each figure the fastest round, for other work on the computer makes any slower.
Json against_taken(const Json& measured) {
  Json speeds = Json::array();
  const Json& rounds = measured.at("rounds");
  for (const FigureInfo& figure : figures()) {
    if (std::string(figure.id.bench) != "engine" || std::string(figure.id.subject) != "fast")
      continue;
    const auto fastest = [&](const char* which) {
      double best = 0;
      for (const Json& round : rounds) {
        for (const double value :
             values_of(round.at(which).at("figures").value(key_of(figure), Json()))) {
          best = std::max(best, value);
        }
      }
      return best;
    };
    const double before = fastest("before"), now = fastest("now");
    if (before == 0 || now == 0) continue;
    speeds.push_back({{"figure", key_of(figure)}, {"before", before}, {"now", now}});
  }
  return {{"before", measured.at("before")},
          {"commit", measured.at("commit")},
          {"rounds", rounds.size()},
          {"figures", speeds}};
}

Json coverage_taken(const Json& measured) {
  Json kinds;
  for (const auto& [kind, of] : measured.at("kinds").items()) {
    kinds[kind] = {{"reached", of.at("reached")},
                   {"missing", of.at("points").get<int>() - of.at("reached").get<int>()},
                   {"percent", of.at("percent")},
                   {"goal", of.at("goal")}};
  }
  return {{"kinds", kinds}};
}

// The rows of a file of comma-separated values, each with the members that its header names.
Json rows_of(const fs::path& file) {
  Json rows = Json::array();
  std::vector<std::string> header;
  std::istringstream lines(fs::exists(file) ? read_text(file) : "");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (header.empty()) {
      header = cells;
      continue;
    }
    if (cells.size() != header.size())
      throw std::runtime_error(file.string() + ": not as its header: " + line);
    Json& row = rows.emplace_back();
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = cells[i];
  }
  return rows;
}

// The records of `list`, with those in the files `measured` in place of older ones of the same
// name; in the order of `order`, whose names begin with `prefix`. What is not among these is gone.
Json merged(const Json& list, const char* name, const std::vector<fs::path>& measured,
            const std::vector<std::string>& order, const std::string& prefix = "") {
  std::map<std::string, Json> records;
  for (const Json& record : list) records[record.at(name)] = record;
  for (const fs::path& path : measured) {
    use_json(path, [&](const Json& record) { return records[record.at(name)] = record; });
  }
  Json all = Json::array();
  for (const std::string& item : order) {
    if (!item.starts_with(prefix)) continue;
    const auto record = records.find(item.substr(prefix.size()));
    if (record != records.end()) all.push_back(record->second);
  }
  return all;
}

// The .json files of `folder`, or, if `name` is given, those that its folders have by this name.
std::vector<fs::path> files_in(const fs::path& folder, const std::string& name = "") {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path file = name.empty() ? entry.path() : entry.path() / name;
    if (fs::is_regular_file(file) && file.extension() == ".json") files.push_back(file);
  }
  return files;
}

// Says of each survivor why it cannot matter, where a person has found that out. Throws if one of
// the reasons is for none.
void explain_survivors(Json& blocks, const fs::path& reasons_file) {
  Reasons reasons = reasons_of(reasons_file);
  for (Json& block : blocks) {
    for (Json& survivor : block.at("survivors")) {
      survivor.erase("why");
      const auto reason =
          reasons.find({survivor.at("mutant"), survivor.at("fault"), survivor.at("place")});
      if (reason == reasons.end()) continue;
      survivor["why"] = reason->second;
      reasons.erase(reason);
    }
  }
  if (reasons.empty()) return;
  const std::vector<std::string>& first = reasons.begin()->first;
  throw std::runtime_error(reasons_file.string() + ": no such survivor: " + first[0] + ", " +
                           first[1] + " at " + first[2]);
}

// A run that was broken off has done a part of its plan only: its runner says so as a job that it
// calls "all".
bool was_broken_off(const Json& run) {
  const Json& groups = run.at("groups");
  return std::any_of(groups.begin(), groups.end(),
                     [](const Json& group) { return group.at("name") == "all"; });
}

}  // namespace

void take_results(const fs::path& build, const fs::path& results) {
  const auto update = [&](const std::string& name, const auto& change) {
    const fs::path file = results / (name + ".json");
    write_text(file, json_lines(use_json(file, change)));
  };
  const std::vector<std::string> modules = modules_of_design();
  update("figures",
         [&](const Json& old) { return figures_taken(old, json_if_there(build / "bench.json")); });
  update("against", [&](const Json& old) {
    const auto measured = json_if_there(build / "against.json");
    return measured ? against_taken(*measured) : old;
  });
  update("models",
         [&](const Json& old) { return json_if_there(build / "models.json").value_or(old); });
  for (const char* plan : {"test", "nightly"}) {
    update(plan, [&](const Json& old) {
      Json run = json_if_there(build / "results" / (std::string(plan) + ".json")).value_or(old);
      if (was_broken_off(run)) return old;
      run.erase("host");
      return run;
    });
  }
  update("coverage", [&](const Json& old) {
    const auto measured = json_if_there(build / "results/coverage_figures.json");
    return measured ? coverage_taken(*measured) : old;
  });
  update("synthesis", [&](const Json& old) {
    return Json{{"families", merged(old.at("families"), "family", files_in(build / "synth/mu_node"),
                                    families())}};
  });
  update("place", [&](const Json& old) {
    return Json{
        {"modules", merged(old.at("modules"), "module", files_in(build / "place"), modules)}};
  });
  update("board", [](const Json& /*old*/) {
    return Json{{"seeds", rows_of("constraints/board.csv")}};
  });
  update("router", [](const Json& /*old*/) {
    return Json{{"seeds", rows_of("constraints/mu_router.csv")}};
  });
  update("budget", [](const Json& /*old*/) {
    return Json{{"blocks", rows_of("constraints/budget.csv")}};
  });
  std::vector<std::string> sorted = modules;
  std::ranges::sort(sorted);
  const auto update_mutants = [&](const char* name, const char* set, const char* reasons) {
    update(name, [&](const Json& old) {
      Json blocks = merged(old.at("blocks"), "block",
                           files_in(build / "mutation" / set, "mutants.json"), sorted, "mu_");
      for (Json& block : blocks) block.erase("list");
      explain_survivors(blocks, fs::path("tests/mutation") / reasons);
      return Json{{"blocks", blocks}};
    });
  };
  update_mutants("mutation", "300-1", "reasons.csv");
  update_mutants("narrow_mutants", "narrow", "narrow_reasons.csv");
}

}  // namespace torusmu::pages
