// SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/coverage_data.h"

#include <bit>
#include <charconv>
#include <fstream>

namespace torusmu::coverage {
namespace {

// A process whose models have it runs the whole node.
constexpr std::string_view kNode = "rtl/mu_gated_node.sv";

std::uint64_t number(std::string_view text, const std::string& where, const char* what) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InputError(where + ": expected " + what + ", not '" + std::string(text) + "'");
  }
  return value;
}

std::string field(const Record& record, const std::string& key, const std::string& where) {
  const auto found = record.fields.find(key);
  if (found == record.fields.end()) throw InputError(where + ": expected a field '" + key + "'");
  return found->second;
}

// The points that a record of Verilator's file counts for.
std::vector<Place> places_of(const Record& record, const std::string& where) {
  const std::string page = field(record, "page", where);
  const std::string file = field(record, "f", where);
  const std::string comment = field(record, "o", where);
  const std::string kind = page.substr(0, page.find('/'));
  if (kind == "v_toggle") return {{Kind::kToggle, file, 0, 0, comment}};
  if (kind == "v_user") return {{Kind::kFunctional, file, 0, 0, field(record, "h", where)}};
  if (kind != "v_line" && kind != "v_branch") {
    throw InputError(where + ": expected a page v_line, v_branch, v_toggle or v_user, not '" +
                     page + "'");
  }
  std::vector<Place> places;
  if (comment != "block") {
    const auto line =
        static_cast<std::uint32_t>(number(field(record, "l", where), where, "a line"));
    const auto column =
        static_cast<std::uint32_t>(number(field(record, "n", where), where, "a column"));
    places.push_back({Kind::kBranch, file, line, column, comment});
  }
  if (const auto lines = record.fields.find("S"); lines != record.fields.end()) {
    for (const auto& [first, last] : parse_ranges(lines->second, where)) {
      for (std::uint32_t line = first; line <= last; ++line)
        places.push_back({Kind::kLine, file, line, 0, ""});
    }
  }
  return places;
}

std::ifstream open_file(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw InputError(file + ": cannot be read");
  return stream;
}

}  // namespace

void TestSet::add(std::uint32_t test) {
  if (words_.size() <= test / 64) words_.resize(test / 64 + 1);
  words_[test / 64] |= std::uint64_t{1} << test % 64;
}

bool TestSet::has(std::uint32_t test) const {
  return test / 64 < words_.size() && (words_[test / 64] >> test % 64 & 1U) != 0;
}

std::uint32_t TestSet::count() const {
  int sum = 0;
  for (const std::uint64_t word : words_) sum += std::popcount(word);
  return static_cast<std::uint32_t>(sum);
}

std::string TestSet::ranges() const {
  std::string text;
  const auto bits = static_cast<std::uint32_t>(words_.size() * 64);
  for (std::uint32_t first = 0; first < bits; ++first) {
    if (!has(first)) continue;
    std::uint32_t last = first;
    while (has(last + 1)) ++last;
    text += (text.empty() ? "" : " ") + std::to_string(first);
    if (last > first) text += "-" + std::to_string(last);
    first = last;
  }
  return text;
}

std::uint32_t Coverage::number_of(const std::string& test) {
  const auto [known, is_new] =
      numbers_of_tests.emplace(test, static_cast<std::uint32_t>(tests.size()));
  if (is_new) tests.push_back(test);
  return known->second;
}

Record parse_record(std::string_view line, const std::string& where) {
  const std::size_t end = line.rfind("' ");
  if (line.rfind("C '", 0) != 0 || end == std::string_view::npos || end < 3)
    throw InputError(where + ": expected C 'fields' count");
  Record record;
  record.count = number(line.substr(end + 2), where, "a count");
  std::string_view rest = line.substr(3, end - 3);
  while (!rest.empty()) {
    const std::size_t value = rest.find('\002');
    if (rest.front() != '\001' || value == std::string_view::npos)
      throw InputError(where + ": expected a field: byte 1, key, byte 2, value");
    const std::size_t next = std::min(rest.find('\001', value), rest.size());
    record.fields[std::string(rest.substr(1, value - 1))] =
        rest.substr(value + 1, next - value - 1);
    rest = rest.substr(next);
  }
  return record;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> parse_ranges(std::string_view text,
                                                                  const std::string& where) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, comma);
    const std::size_t dash = std::min(range.find('-'), range.size());
    const auto first =
        static_cast<std::uint32_t>(number(range.substr(0, dash), where, "a number of a range"));
    const auto last = dash == range.size()
                          ? first
                          : static_cast<std::uint32_t>(
                                number(range.substr(dash + 1), where, "the end of a range"));
    if (last < first) throw InputError(where + ": a range that ends before it begins");
    ranges.emplace_back(first, last);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return ranges;
}

void add_process(Coverage& coverage, const std::string& data_file, const std::string& tests_file) {
  std::vector<std::vector<Point*>> points;  // of each record
  std::vector<Point*> counted;
  bool has_node = false;
  std::ifstream data = open_file(data_file);
  std::string line;
  for (unsigned number = 1; std::getline(data, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const std::string where = data_file + ":" + std::to_string(number);
    const Record record = parse_record(line, where);
    auto& reached = points.emplace_back();
    for (const Place& place : places_of(record, where)) {
      Point& point = coverage.points[place];
      point.count += record.count;
      reached.push_back(&point);
    }
    if (record.count != 0) counted.insert(counted.end(), reached.begin(), reached.end());
    has_node = has_node || record.fields.at("f") == kNode;
  }
  if (has_node) {
    for (Point* point : counted) point->in_the_node = true;
  }
  std::ifstream tests = open_file(tests_file);
  for (unsigned number = 1; std::getline(tests, line); ++number) {
    const std::string where = tests_file + ":" + std::to_string(number);
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) throw InputError(where + ": expected a test, a tab, ranges");
    const std::uint32_t test = coverage.number_of(line.substr(0, tab));
    for (const auto& [first, last] : parse_ranges(std::string_view(line).substr(tab + 1), where)) {
      if (first == 0 || last > points.size()) {
        throw InputError(where + ": a point that " + data_file +
                         " does not have: " + std::to_string(last));
      }
      for (std::uint32_t i = first; i <= last; ++i) {
        for (Point* point : points[i - 1]) point->tests.add(test);
      }
    }
  }
}

const std::vector<std::string>& Sources::lines(const std::string& file) {
  const auto [known, is_new] = files_.try_emplace(file);
  if (is_new) {
    std::ifstream stream = open_file(file);
    for (std::string line; std::getline(stream, line);) known->second.push_back(line);
  }
  return known->second;
}

std::string Sources::line(const std::string& file, std::uint32_t number) {
  const auto& all = lines(file);
  if (number == 0 || number > all.size()) return "";
  const std::string& text = all[number - 1];
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace torusmu::coverage
