// SPDX-License-Identifier: Apache-2.0
// How far a figure may move from what it was in the last good run.
#ifndef TORUSMU_TB_LAB_LIMITS_H_
#define TORUSMU_TB_LAB_LIMITS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace torusmu::lab {

// The name of a figure that every run has beside those it reports: the cycles it simulated.
inline constexpr const char* kCycles = "cycles";

struct Limit {
  std::string figure;
  double percent = 0;
  bool warns = false;       // else it fails
  nlohmann::json last;      // a number or a list of numbers; null: no earlier good run has it
  std::int64_t last_run{};  // that has it
};

// "5 %", "0.5 % warns". Nothing for another text.
std::optional<Limit> parse_limit(const std::string& figure, const std::string& text);

// How far `now` lies from `before`, as a factor of it, with its sign; of lists the item that moved
// furthest. Nothing if they cannot be compared.
std::optional<double> moved(const nlohmann::json& before, const nlohmann::json& now);

// A limit that a figure has gone beyond.
struct Beyond {
  Limit limit;
  std::string now;
  std::string text;  // "0.771 is 5.6 % below 0.817 of run 12, more than 5 %"
};

// `figures` of a run, by name. Limits without an earlier run hold.
std::vector<Beyond> beyond(const std::vector<Limit>& limits, const nlohmann::json& figures);

nlohmann::json limit_to_json(const Limit& limit);
Limit limit_from_json(const nlohmann::json& json);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_LIMITS_H_
