// SPDX-License-Identifier: Apache-2.0
#include "docs/pages/pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace torusmu::pages {
namespace {

namespace fs = std::filesystem;

std::string text_of(const Json& json) {
  return json.is_string() ? json.get<std::string>() : json.dump();
}

std::string code(const Json& json) { return "`" + json.get<std::string>() + "`"; }

// The values of a member of all records, each once.
std::string each_once(const Json& records, const char* member) {
  std::set<std::string> values;
  for (const Json& record : records) values.insert(record.at(member));
  return fmt::format("{}", fmt::join(values, "; "));
}

std::string family_row(const Json& family) {
  std::vector<std::string> cells = sizes_of(family);
  cells.insert(cells.begin(), text_of(family.at("part")) + ", " + code(family.at("script")));
  cells.push_back(ns_text(family));
  cells.insert(cells.begin() + 1, family.at("sites").dump());
  cells.push_back(family.at("seconds").dump() + " s");
  cells.push_back("`make check JOBS=synth/" + text_of(family.at("family")) + "`");
  return row(cells);
}

std::string family_section(const Json& family) {
  std::string text =
      "\n## " + text_of(family.at("part")) +
      "\n\n| module | instances | LUT | FF | LUTRAM | RAM | DSP | path | LUT with "
      "contents |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (const Json& module : family.at("modules")) {
    const std::string parameters = module.at("parameters");
    std::vector<std::string> cells{
        text_of(module.at("module")) + (parameters.empty() ? "" : " " + parameters),
        module.at("instances").dump()};
    for (const std::string& size : sizes_of(module)) cells.push_back(size);
    cells.push_back(module.at("LUT_with_contents").dump());
    text += row(cells);
  }
  std::vector<std::string> cells{"**all instances on " + text_of(family.at("family")) + "**", ""};
  for (const std::string& size : sizes_of(family)) cells.push_back("**" + size + "**");
  cells.emplace_back();
  return text + row(cells);
}

// A path of standard cells: its ends, and each module that it goes through with the gates there.
std::string path_line(const char* which, const Json& path) {
  std::vector<std::string> modules;
  for (const Json& part : path.at("through")) {
    modules.push_back(text_of(part.at("module")) + " " + part.at("gates").dump());
  }
  return fmt::format("- {}: {} gates from {} to {}, by module {}\n", which, path.at("gates").dump(),
                     code(path.at("from")), code(path.at("to")), fmt::join(modules, ", "));
}

std::string cells_section(const Json& family) {
  std::string text = fmt::format(
      "\n## {}\n\n{}, by {} and {} in {} s of processor time: `make check JOBS=synth/{}`\n\n{}{}",
      text_of(family.at("part")), cells_text(family), text_of(family.at("yosys")),
      text_of(family.at("sta")), family.at("seconds").dump(), text_of(family.at("family")),
      path_line("slowest path", family.at("slowest")),
      path_line("path with most gates", family.at("deepest")));
  text +=
      "\n| module | instances | GE | FF | macros | bits of macros | path | GE with contents |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  const auto add_row = [&](const std::string& name, const std::string& instances,
                           const Json& record, const std::string& with_contents) {
    std::vector<std::string> cells{name, instances};
    for (const char* size : {"GE", "FF", "memories", "bits", "path"}) {
      cells.push_back(record.at(size).dump());
    }
    cells.push_back(with_contents);
    text += row(cells);
  };
  for (const Json& module : family.at("modules")) {
    const std::string parameters = module.at("parameters");
    add_row(text_of(module.at("module")) + (parameters.empty() ? "" : " " + parameters),
            module.at("instances").dump(), module, module.at("GE_with_contents").dump());
  }
  add_row("**all instances**", "", family, "");
  return text;
}

// What stands between the marks is written anew; nothing of the page is read.
std::string with_table(const std::string& page, const std::string& name, const std::string& table) {
  const std::string begin = "<!-- " + name + ": begin -->\n", end = "<!-- " + name + ": end -->";
  const std::size_t first = page.find(begin), last = page.find(end);
  if (first == page.npos || last == page.npos || last < first) {
    throw std::runtime_error("no lines " + begin.substr(0, begin.size() - 1) + " and " + end);
  }
  return page.substr(0, first + begin.size()) + table + page.substr(last);
}

}  // namespace

std::string row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::vector<std::string> sizes_of(const Json& record) {
  std::vector<std::string> cells;
  for (const char* kind : {"LUT", "FF", "LUTRAM", "RAM", "DSP", "path"}) {
    cells.push_back(record.at(kind).dump());
  }
  return cells;
}

std::string ns_text(const Json& family) {
  const Json& ns = family.at("ns");
  return ns.is_null() ? "-" : fmt::format("{:.1f}", ns.get<double>());
}

bool is_of_cells(const Json& family) { return family.contains("GE"); }

std::string cells_text(const Json& family) {
  constexpr double kNanosecondsOfAMegahertz = 1000, kThousand = 1000;
  const double ns = family.at("slowest").at("ns").get<double>();
  return fmt::format(
      "{:.0f} kGE with {} flip-flops, and {:.0f} kbit of memories in {} macros; {:.2f} ns, "
      "{:.0f} MHz without wires",
      family.at("GE").get<double>() / kThousand, family.at("FF").dump(),
      family.at("bits").get<double>() / kThousand, family.at("memories").dump(), ns,
      kNanosecondsOfAMegahertz / ns);
}

std::string synthesis_tables(const Json& synthesis) {
  Json families = Json::array(), of_cells = Json::array();
  for (const Json& family : synthesis.at("families")) {
    (is_of_cells(family) ? of_cells : families).push_back(family);
  }
  std::string text =
      "By " + each_once(families, "yosys") +
      ":\n\n| family | sites | LUT | FF | LUTRAM | RAM | DSP | path | ns | processor time | "
      "command |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
  for (const Json& family : families) text += family_row(family);
  text += "\n";
  for (const Json& family : families) {
    if (family.at("ns").is_null()) continue;
    text += "- " + text_of(family.at("family")) + ": from " + code(family.at("from")) + " to " +
            code(family.at("to")) + "\n";
  }
  for (const Json& family : families) text += family_section(family);
  for (const Json& family : of_cells) text += cells_section(family);
  return text;
}

std::string budget_table(const Json& budget, const Json& synthesis) {
  std::map<std::string, long> taken;
  for (const Json& family : synthesis.at("families")) {
    if (family.at("family") != "ecp5") continue;
    for (const Json& module : family.at("modules")) {
      long& sites = taken[module.at("module")];
      sites = std::max(sites, module.at("sites_with_contents").get<long>());
    }
  }
  std::string table = "| block | planned | may take | takes |\n| --- | ---: | ---: | ---: |\n";
  for (const Json& block : budget.at("blocks")) {
    const std::string name = block.at("block");
    table += row({name, text_of(block.at("planned")), text_of(block.at("most")),
                  taken.contains(name) ? std::to_string(taken.at(name)) : "not measured"});
  }
  return table;
}

std::string place_table(const Json& place) {
  const Json& modules = place.at("modules");
  std::string table = "By " + each_once(modules, "tools") +
                      ":\n\n| module | LC | RAM | MHz | levels | slowest path from | to |\n"
                      "| --- | ---: | ---: | ---: | ---: | --- | --- |\n";
  for (const Json& module : modules) {
    const std::string name = module.at("module"), rams = module.at("RAM").dump();
    if (module.contains("MHz")) {
      table += row({name, module.at("LC").dump(), rams,
                    fmt::format("{:.1f}", module.at("MHz").get<double>()),
                    module.at("levels").dump(), code(module.at("from")), code(module.at("to"))});
    } else {
      table += row({name,
                    fmt::format("{}: {} LUT, {} FF", text_of(module.at("without_clock")),
                                module.at("LUT").dump(), module.at("FF").dump()),
                    rams, "", "", "", ""});
    }
  }
  return table;
}

std::string board_table(const Json& board) {
  if (board.at("seeds").empty()) return "";
  std::string table =
      "| seed | TRELLIS_COMB | of 83,640 | TRELLIS_FF | DP16KD | MHz | levels | slowest path "
      "from | to |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n";
  for (const Json& seed : board.at("seeds")) {
    table += row({text_of(seed.at("seed")), text_of(seed.at("TRELLIS_COMB")),
                  text_of(seed.at("percent")) + " %", text_of(seed.at("TRELLIS_FF")),
                  text_of(seed.at("DP16KD")), text_of(seed.at("MHz")), text_of(seed.at("levels")),
                  code(seed.at("from")), code(seed.at("to"))});
  }
  return table;
}

std::string coverage_table(const Json& coverage) {
  std::string table =
      "| coverage | reached | missing | percent | at least |\n"
      "| --- | ---: | ---: | ---: | ---: |\n";
  for (const auto& [kind, count] : coverage.at("kinds").items()) {
    table += fmt::format("| {} | {} | {} | {:.2f} | {:.2f} |\n", kind, count.at("reached").dump(),
                         count.at("missing").dump(), count.at("percent").get<double>(),
                         count.at("goal").get<double>());
  }
  return table;
}

std::string mutation_table(const Json& mutation) {
  std::string table =
      "\n| block | mutants | killed | proved equivalent | differ, no test | unknown | score |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n";
  std::size_t survivors = 0, explained = 0;
  for (const Json& block : mutation.at("blocks")) {
    std::vector<std::string> cells{"`mu_" + text_of(block.at("block")) + "`"};
    for (const char* member : {"mutants", "killed", "equal", "differs", "unknown"}) {
      cells.push_back(block.at(member).dump());
    }
    cells.push_back(fmt::format("{:.1f} %", block.at("score").get<double>()));
    table += row(cells);
    for (const Json& survivor : block.at("survivors")) {
      ++survivors;
      explained += survivor.contains("why") ? 1 : 0;
    }
  }
  return table + fmt::format("\n{} survive; of {} a person has said why they cannot matter.\n\n",
                             survivors, explained);
}

void write_pages(const fs::path& docs) {
  const auto of = [&](const char* name, const auto& text) {
    return use_json(docs / "results" / name, text);
  };
  Clocks clocks = of("synthesis.json", clocks_of);
  clocks.routed = of("board.json", routed_ns);
  const auto latencies = [&](const Json& figures) { return latencies_text(figures, clocks); };
  write_text(docs / "results.md",
             of("figures.json", figures_text) + of("against.json", against_text) +
                 of("models.json", models_text) + of("test.json", run_text) +
                 of("nightly.json", run_text) + of("synthesis.json", sizes_text) +
                 of("place.json", clock_text) + of("figures.json", latencies) +
                 of("coverage.json", coverage_text) + of("mutation.json", mutation_text) +
                 of("narrow_mutants.json", narrow_mutation_text));
  const auto replace = [&](const char* page, const char* mark, const std::string& table) {
    write_text(docs / page, with_table(read_text(docs / page), mark, table));
  };
  replace("synthesis.md", "synthesis", of("synthesis.json", synthesis_tables));
  replace("synthesis.md", "budget",
          use_json(docs / "results/synthesis.json", [&](const Json& synthesis) {
            return of("budget.json",
                      [&](const Json& budget) { return budget_table(budget, synthesis); });
          }));
  replace("place_and_route.md", "place", of("place.json", place_table));
  replace("place_and_route.md", "router", of("router.json", board_table));
  replace("board.md", "board", of("board.json", board_table));
  replace("coverage.md", "coverage", of("coverage.json", coverage_table));
  replace("mutation.md", "mutation table", of("mutation.json", mutation_table));
  replace("narrow_mutants.md", "mutation table", of("narrow_mutants.json", mutation_table));
}

}  // namespace torusmu::pages
