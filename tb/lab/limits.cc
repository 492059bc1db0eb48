// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/limits.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <regex>

namespace torusmu::lab {
namespace {

constexpr double kPercent = 100;
// Figures come from a file as decimal numbers: what is equal there must not be beyond a limit of 0.
constexpr double kRounding = 1e-12;

std::optional<double> moved_number(const nlohmann::json& before, const nlohmann::json& now) {
  if (!before.is_number() || !now.is_number()) return std::nullopt;
  const auto from = before.get<double>(), to = now.get<double>();
  if (from == to) return 0;
  if (from == 0) return std::copysign(std::numeric_limits<double>::infinity(), to);
  return (to - from) / std::abs(from);
}

std::string text_of(const Limit& limit, const nlohmann::json& now, double by) {
  return fmt::format("{} is {:.2f} % {} {} of run {}, more than {} %", now.dump(),
                     kPercent * std::abs(by), by < 0 ? "below" : "above", limit.last.dump(),
                     limit.last_run, limit.percent);
}

}  // namespace

std::optional<Limit> parse_limit(const std::string& figure, const std::string& text) {
  static const std::regex kForm(R"(([0-9]{1,4}(?:\.[0-9]{1,4})?) %( warns)?)");
  std::smatch parts;
  if (!std::regex_match(text, parts, kForm)) return std::nullopt;
  Limit limit;
  limit.figure = figure;
  limit.percent = std::stod(parts[1].str());
  limit.warns = parts[2].matched;
  return limit;
}

std::optional<double> moved(const nlohmann::json& before, const nlohmann::json& now) {
  if (!before.is_array()) return moved_number(before, now);
  if (!now.is_array() || now.size() != before.size()) return std::nullopt;
  double furthest = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto by = moved_number(before[i], now[i]);
    if (!by) return std::nullopt;
    if (std::abs(*by) > std::abs(furthest)) furthest = *by;
  }
  return furthest;
}

std::vector<Beyond> beyond(const std::vector<Limit>& limits, const nlohmann::json& figures) {
  std::vector<Beyond> found;
  for (const Limit& limit : limits) {
    const auto now = figures.find(limit.figure);
    if (now == figures.end()) {
      found.push_back({limit, "", "this run reports no such figure"});
      continue;
    }
    if (limit.last.is_null()) continue;
    const auto by = moved(limit.last, *now);
    if (!by) {
      found.push_back({limit, now->dump(),
                       fmt::format("{} cannot be compared with {} of run {}", now->dump(),
                                   limit.last.dump(), limit.last_run)});
    } else if (std::abs(*by) > limit.percent / kPercent + kRounding) {
      found.push_back({limit, now->dump(), text_of(limit, *now, *by)});
    }
  }
  return found;
}

nlohmann::json limit_to_json(const Limit& limit) {
  return {{"figure", limit.figure},
          {"percent", limit.percent},
          {"warns", limit.warns},
          {"last", limit.last},
          {"last_run", limit.last_run}};
}

Limit limit_from_json(const nlohmann::json& json) {
  Limit limit;
  json.at("figure").get_to(limit.figure);
  json.at("percent").get_to(limit.percent);
  json.at("warns").get_to(limit.warns);
  limit.last = json.at("last");
  json.at("last_run").get_to(limit.last_run);
  return limit;
}

}  // namespace torusmu::lab
