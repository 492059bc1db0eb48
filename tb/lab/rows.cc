// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>

#include "sim/machine/errors.h"
#include "tb/lab/files.h"

namespace torusmu::lab {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

const Words& value_of(const std::string& name, const Values& row,
                      const Surroundings& surroundings) {
  for (const Values* values : {&row, &surroundings.variables}) {
    const auto found = values->find(name);
    if (found != values->end()) return found->second;
  }
  throw UsageError(fmt::format("{{{}}}: there is no such value", name));
}

// What {inside} stands for.
Words named(const std::string& inside, const Values& row, const Surroundings& surroundings) {
  const std::size_t colon = inside.find(':');
  if (colon == std::string::npos) return value_of(inside, row, surroundings);
  const std::string how = inside.substr(0, colon);
  Words words = value_of(inside.substr(colon + 1), row, surroundings);
  for (std::string& word : words) {
    if (how == "short") {
      if (word.starts_with("mu_")) word.erase(0, 3);
    } else if (how == "stem") {
      word = std::filesystem::path(word).stem().string();
    } else if (how == "root") {
      word = std::filesystem::path(word).replace_extension().string();
    } else if (how == "closure") {
      return value_of("CLOSURE_" + word, row, surroundings);
    } else {
      throw UsageError(
          fmt::format("{{{}}}: found {}, expected short, stem, root or closure", inside, how));
    }
  }
  return words;
}

// What follows `in`, without its filters.
std::vector<Words> lines_of(const Words& source, const Surroundings& surroundings) {
  std::vector<Words> lines;
  if (source.empty()) return lines;
  const bool reads = source.front() == "lines";
  if (!reads && source.front() != "files") {
    for (const std::string& word : source) {
      for (const std::string& value : expanded(word, {}, surroundings)) lines.push_back({value});
    }
    return lines;
  }
  for (auto pattern = source.begin() + 1; pattern != source.end(); ++pattern) {
    for (const std::string& file : files_matching(*pattern)) {
      if (!reads) {
        lines.push_back({file});
        continue;
      }
      std::istringstream text(read_file(file));
      for (std::string line; std::getline(text, line);) {
        const Words words = words_of(line);
        if (!words.empty() && !words.front().starts_with("#")) lines.push_back(words);
      }
    }
  }
  return lines;
}

// Takes `key VALUE` out of the words; empty: it is not there.
std::string taken(const std::string& key, Words* words) {
  const auto found = std::find(words->begin(), words->end(), key);
  if (found == words->end()) return "";
  if (found + 1 == words->end()) throw UsageError(fmt::format("\"{}\" without a word", key));
  std::string value = *(found + 1);
  words->erase(found, found + 2);
  return value;
}

std::uint64_t night_of(const Surroundings& surroundings) {
  return std::strtoull(value_of("night", {}, surroundings).front().c_str(), nullptr, 10);
}

Values row_of(const Words& names, const Words& line, const std::string& loop) {
  Values row;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool rest = i + 1 == names.size() && names[i].ends_with("...");
    if (!rest && i >= line.size()) {
      throw UsageError(
          fmt::format("\"{}\": \"{}\" has no {}", loop, fmt::join(line, " "), names[i]));
    }
    const auto first = line.begin() + static_cast<std::ptrdiff_t>(std::min(i, line.size()));
    if (rest) {
      row[names[i].substr(0, names[i].size() - 3)] = {first, line.end()};
    } else {
      row[names[i]] = {line[i]};
    }
  }
  return row;
}

}  // namespace

std::vector<std::string> files_matching(const std::string& pattern) {
  if (pattern.find_first_of("*?[") == std::string::npos) return {pattern};
  glob_t found{};
  const int status = glob(pattern.c_str(), 0, nullptr, &found);
  Words files;
  if (status == 0) files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return files;
}

std::vector<std::string> expanded(const std::string& word, const Values& row,
                                  const Surroundings& surroundings) {
  // Braces of a shell have a space behind them.
  static const std::regex kNamed("\\{([a-z0-9_:]+)\\}");
  std::string text;
  auto rest = word.cbegin();
  for (std::smatch found; std::regex_search(rest, word.cend(), found, kNamed);) {
    const Words words = named(found[1].str(), row, surroundings);
    if (found[0].length() == static_cast<std::ptrdiff_t>(word.size())) return words;
    text += found.prefix().str() + fmt::format("{}", fmt::join(words, " "));
    rest = found.suffix().first;
  }
  return {text.append(rest, word.cend())};
}

std::vector<Values> rows_of(const std::string& loop, const Surroundings& surroundings) {
  const Words words = words_of(loop);
  const auto in = std::find(words.begin(), words.end(), "in");
  const Words names(words.begin(), in);
  if (names.empty() || in == words.end()) {
    throw UsageError(fmt::format("\"{}\", expected \"NAMES in WORDS\"", loop));
  }
  Words source(in + 1, words.end());
  const std::string with = taken("with", &source), without = taken("without", &source);
  const std::string part = taken("part", &source);
  const std::uint64_t parts = part.empty() ? 1 : std::strtoull(part.c_str(), nullptr, 10);
  if (parts == 0) throw UsageError(fmt::format("part {}, expected a number from 1", part));
  std::vector<Values> rows;
  std::uint64_t number = 0;
  for (const Words& line : lines_of(source, surroundings)) {
    const auto has = [&](const std::string& word) {
      return std::find(line.begin(), line.end(), word) != line.end();
    };
    if ((!with.empty() && !has(with)) || (!without.empty() && has(without))) continue;
    if (parts > 1 && number++ % parts != night_of(surroundings) % parts) continue;
    rows.push_back(row_of(names, line, loop));
  }
  return rows;
}

}  // namespace torusmu::lab
