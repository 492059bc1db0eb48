// SPDX-License-Identifier: Apache-2.0
// What nextpnr-ecp5 has made of a board, a line of constraints/board.csv: board_report SEED
// REPORT.json The slowest path is named by the registers of the RTL at its ends: by the net that
// leaves the first, and by the name of the last, which Yosys has from the net that it drives
// (rename -wire).
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace {

using json = nlohmann::json;

json read(const char* path) {
  std::ifstream input(path);
  if (!input) throw std::runtime_error(fmt::format("cannot read {}", path));
  return json::parse(input);
}

std::string without(std::string name, const char* suffix) {
  const auto at = name.find(suffix);
  if (at != std::string::npos) name.resize(at);
  return name;
}

struct Path {
  std::string from, to;
  double mhz = 0;
  long levels = 0;
};

// The node's clock is the one with the slowest path from register to register; the oscillator's
// clocks nothing.
Path worst_path(const json& report) {
  Path worst;
  for (const json& path : report.at("critical_paths")) {
    const std::string from = path.at("from"), to = path.at("to");
    const json& hops = path.at("path");
    if (from != to || !from.starts_with("posedge ") || hops.size() < 2) continue;
    const double mhz = report.at("fmax").at(from.substr(8)).at("achieved");
    if (worst.mhz != 0 && mhz >= worst.mhz) continue;
    const auto net =
        std::find_if(hops.begin(), hops.end(), [](const json& hop) { return hop.contains("net"); });
    if (net == hops.end()) continue;
    // What leaves a memory has a name that Yosys made up.
    std::string begin = net->at("net");
    if (begin.find('$') != begin.npos)
      begin = without(hops.front().at("from").at("cell"), "$DPRAM");
    // A flip-flop has that of its register in front, and _ or a backslash between.
    std::string end = without(hops.back().at("to").at("cell"), "$DPRAM");
    for (const char* flip_flop : {"_TRELLIS_FF", "\\TRELLIS_FF"}) end = without(end, flip_flop);
    worst = {begin, end, mhz, std::count_if(hops.begin(), hops.end(), [](const json& hop) {
               return hop.at("type") == "logic";
             })};
  }
  if (worst.mhz == 0) throw std::runtime_error("no path from clock to clock");
  return worst;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    fmt::print(stderr, "usage: board_report SEED REPORT.json\n");
    return 2;
  }
  const json report = read(argv[2]);
  const json& used = report.at("utilization");
  const json& sites = used.at("TRELLIS_COMB");
  const auto count = [&](const char* kind) { return used.at(kind).at("used").get<int>(); };
  const Path path = worst_path(report);
  fmt::print("{},{},{:.1f},{},{},{},{:.1f},{},{},{}\n", argv[1], count("TRELLIS_COMB"),
             100.0 * sites.at("used").get<int>() / sites.at("available").get<int>(),
             count("TRELLIS_FF"), count("DP16KD"), count("MULT18X18D"), path.mhz, path.levels,
             path.from, path.to);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "board_report: {}\n", error.what());
  return 1;
}
