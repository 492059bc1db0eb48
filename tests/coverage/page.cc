// SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/page.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

namespace torusmu::coverage {
namespace {

using Entry = std::pair<const Place, Point>;
using Entries = std::vector<const Entry*>;

constexpr const char* kStyle =
    "body{font:14px sans-serif;margin:1em}table{border-collapse:collapse}"
    "td,th{padding:1px 8px;text-align:right}td.s,th.s{text-align:left;white-space:pre;"
    "font-family:monospace}tr.no{background:#fcc}tr.ex{background:#eee}tr.part{background:#ffd}"
    "td.t{color:#666;text-align:left;max-width:40em;overflow-wrap:anywhere}"
    "summary{cursor:pointer}h2{margin-top:1.5em}";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// Numbers of cover points by name: gen_status[7] is PERMISSION, gen_to[6] this node.
std::string explained(const std::string& name) {
  static const std::map<std::string, std::string> names{
#define ENUM(type, width, text)
#define VALUE(type, name, value, text) {"gen_" #type "[" #value "]", #name},
#include "rtl/package/enums.def"
#undef ENUM
#undef VALUE
      {"gen_mover[0]", "PUT"},
      {"gen_mover[1]", "FIFO"},
      {"gen_mover[2]", "GET"},
      {"gen_mover[3]", "SEND"}};
  static constexpr std::array kPorts{"xp", "xm", "yp", "ym", "zp", "zm", "here"};
  std::string text;
  for (std::size_t at = name.find("gen_"); at != std::string::npos;
       at = name.find("gen_", at + 1)) {
    const std::size_t end = name.find(']', at);
    if (end == std::string::npos) break;
    const std::string block = name.substr(at, end + 1 - at);
    const auto known = names.find(block);
    const bool port = block.rfind("gen_from", 0) == 0 || block.rfind("gen_to", 0) == 0 ||
                      block.rfind("gen_buffer", 0) == 0;
    const auto number = static_cast<std::size_t>(name[end - 1] - '0');
    if (known != names.end()) text += " " + known->second;
    if (port && number < kPorts.size()) text += std::string(" ") + kPorts.at(number);
  }
  return text.empty() ? name : name + " (" + text.substr(1) + ")";
}

std::string cells(const Counts& counts) {
  std::string text;
  for (const Count& count : counts) {
    text += count.reached + count.missing + count.excluded == 0
                ? "<td></td><td></td>"
                : fmt::format("<td>{:.2f}</td><td>{}</td>", count.percent(), count.missing);
  }
  return text;
}

std::string where(const Place& place) {
  return place.line == 0 ? place.file : fmt::format("{}:{}", place.file, place.line);
}

std::string row_class(const Point& point) {
  if (point.count != 0) return "";
  return point.excluded.empty() ? " class=no" : " class=ex";
}

std::string tests_of(const Point& point) {
  if (point.count == 0) return escaped(point.excluded);
  return fmt::format("{}: {}", point.tests.count(), point.tests.ranges());
}

// Signals with their bits together: the bits that never change are named.
std::string toggles(const Entries& entries) {
  struct Signal {
    std::uint32_t bits = 0;
    std::string missing, excluded, why;
    const Point* reached = nullptr;
  };
  std::map<std::string, Signal> signals;
  for (const Entry* entry : entries) {
    const std::string& name = entry->first.name;
    const std::size_t bracket = name.back() == ']' ? name.rfind('[') : name.size();
    Signal& signal = signals[name.substr(0, bracket)];
    ++signal.bits;
    const std::string bit =
        bracket == name.size() ? "it" : name.substr(bracket + 1, name.size() - bracket - 2);
    if (entry->second.count != 0) {
      signal.reached = &entry->second;
    } else {
      (entry->second.excluded.empty() ? signal.missing : signal.excluded) += " " + bit;
      if (!entry->second.excluded.empty()) signal.why = ": " + entry->second.excluded;
    }
  }
  std::string text =
      "<table><tr><th class=s>signal<th>bits<th class=s>never changes<th class=s>excluded"
      "<th class=s>tests that change its highest bit that changes</tr>";
  for (const auto& [name, signal] : signals) {
    text +=
        fmt::format("<tr{}><td class=s>{}<td>{}<td class=t>{}<td class=t>{}<td class=t>{}</tr>\n",
                    signal.missing.empty() ? "" : " class=no", escaped(name), signal.bits,
                    signal.missing, escaped(signal.excluded + signal.why),
                    signal.reached == nullptr ? "" : tests_of(*signal.reached));
  }
  return text + "</table>";
}

std::string points_table(const Entries& entries) {
  std::string text = "<table><tr><th class=s>point<th>count<th class=s>tests, or why excluded</tr>";
  for (const Entry* entry : entries) {
    text += fmt::format("<tr{}><td class=s>{}<td>{}<td class=t>{}</tr>\n", row_class(entry->second),
                        escaped(explained(entry->first.name)), entry->second.count,
                        tests_of(entry->second));
  }
  return text + "</table>";
}

// The source with the counts of its lines; below a line its branches.
std::string source_table(const std::string& file, const Entries& lines, const Entries& branches,
                         Sources& sources) {
  std::map<std::uint32_t, const Point*> count_of_line;
  for (const Entry* entry : lines) count_of_line[entry->first.line] = &entry->second;
  std::multimap<std::uint32_t, const Entry*> branches_of_line;
  for (const Entry* entry : branches) branches_of_line.emplace(entry->first.line, entry);
  std::string text = "<table>";
  std::uint32_t number = 0;
  for (const std::string& source : sources.lines(file)) {
    ++number;
    const auto found = count_of_line.find(number);
    if (found == count_of_line.end()) {
      text += fmt::format("<tr><td>{}<td><td class=s>{}</tr>\n", number, escaped(source));
    } else {
      const Point& point = *found->second;
      text += fmt::format("<tr{}><td>{}<td>{}<td class=s>{}<td class=t>{}</tr>\n", row_class(point),
                          number, point.count, escaped(source), tests_of(point));
    }
    const auto [first, last] = branches_of_line.equal_range(number);
    for (auto branch = first; branch != last; ++branch) {
      const auto& [place, point] = *branch->second;
      text += fmt::format("<tr{}><td><td>{}<td class=s>    ({})<td class=t>{}</tr>\n",
                          row_class(point), point.count, place.name, tests_of(point));
    }
  }
  return text + "</table>";
}

std::string missing_table(const Coverage& coverage, Sources& sources) {
  std::string text = "<table><tr><th class=s>kind<th class=s>where<th class=s>what</tr>";
  for (const auto& [place, point] : coverage.points) {
    if (point.count != 0 || !point.excluded.empty() || place.kind == Kind::kToggle) continue;
    const std::string source = sources.line(place.file, place.line);
    text += fmt::format("<tr class=no><td class=s>{}<td class=s>{}<td class=s>{}</tr>\n",
                        kKindNames[static_cast<std::size_t>(place.kind)], where(place),
                        escaped(explained(place.name) + (place.name.empty() ? "" : "  ") + source));
  }
  return text + "</table>";
}

}  // namespace

std::string html_page(const Coverage& coverage, const Summary& summary, Sources& sources) {
  std::string page = fmt::format(
      "<!doctype html><html lang=en><meta charset=utf-8><title>Coverage</title><style>{}</style>"
      "<h1>Coverage</h1><p>{} tests, numbered at the end.<table><tr><th class=s>file",
      kStyle, coverage.tests.size());
  for (const char* kind : kKindNames) page += fmt::format("<th>{} %<th>missing", kind);
  page += fmt::format("</tr><tr><td class=s>all{}</tr>", cells(summary.all));
  for (const auto& [file, counts] : summary.files)
    page += fmt::format("<tr><td class=s><a href=\"#{0}\">{0}</a>{1}</tr>\n", file, cells(counts));
  page += "</table><h2>What no test reaches</h2><p>Bits that never change are with their file.";
  page += missing_table(coverage, sources);
  std::map<std::string, std::array<Entries, kKindNames.size()>> entries;
  for (const Entry& entry : coverage.points)
    entries[entry.first.file][static_cast<std::size_t>(entry.first.kind)].push_back(&entry);
  for (const auto& [file, kinds] : entries) {
    page += fmt::format("<h2 id=\"{0}\">{0}</h2>", file);
    if (!kinds[0].empty() || !kinds[1].empty()) {
      page += "<details><summary>lines and branches</summary>" +
              source_table(file, kinds[0], kinds[1], sources) + "</details>";
    }
    if (!kinds[2].empty())
      page += "<details><summary>signals</summary>" + toggles(kinds[2]) + "</details>";
    if (!kinds[3].empty())
      page += "<details><summary>cover points</summary>" + points_table(kinds[3]) + "</details>";
  }
  page += "<h2>Tests</h2><ol start=0>";
  for (const std::string& test : coverage.tests) page += "<li>" + escaped(test) + "\n";
  return page + "</ol></html>\n";
}

std::string json_page(const Coverage& coverage, const Summary& summary) {
  nlohmann::ordered_json page;
  for (std::size_t kind = 0; kind < kKindNames.size(); ++kind) {
    const Count& count = summary.all[kind];
    page["summary"][kKindNames[kind]] = {{"reached", count.reached},
                                         {"missing", count.missing},
                                         {"excluded", count.excluded},
                                         {"percent", count.percent()}};
  }
  page["tests"] = coverage.tests;
  auto& points = page["points"] = nlohmann::ordered_json::array();
  for (const auto& [place, point] : coverage.points) {
    nlohmann::ordered_json entry{{"kind", kKindNames[static_cast<std::size_t>(place.kind)]},
                                 {"file", place.file}};
    if (place.line != 0) entry["line"] = place.line;
    if (place.column != 0) entry["column"] = place.column;
    if (!place.name.empty()) entry["name"] = place.name;
    entry["count"] = point.count;
    if (point.count != 0) entry["tests"] = point.tests.ranges();
    if (!point.excluded.empty()) entry["excluded"] = point.excluded;
    points.push_back(std::move(entry));
  }
  return page.dump(0, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace torusmu::coverage
