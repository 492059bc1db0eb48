// SPDX-License-Identifier: Apache-2.0
#include "docs/pages/figure_record.h"

#include <algorithm>
#include <cmath>

namespace torusmu::pages {
namespace {

constexpr const char* kAtLeast = "at least";
constexpr const char* kAtMost = "at most";

const char* text_of(const Json& record, const char* member) {
  return record.contains(member) ? record.at(member).get_ref<const std::string&>().c_str() : "";
}

std::vector<double> measured_of(const Json& measured, const std::string& key) {
  return measured.contains(key) ? values_of(measured.at(key)) : std::vector<double>{};
}

// null: nothing is wanted, or what it is compared with was not measured.
Json is_met(const FigureInfo& figure, const Json& measured) {
  const Wanted& wanted = figure.wanted;
  std::vector<double> values = measured_of(measured, key_of(figure));
  if (wanted.bound == Wanted::Bound::kNone || values.empty()) return nullptr;
  double bound = wanted.value;
  if (wanted.of != nullptr) {
    const std::vector<double> others = measured_of(measured, key_of(other_of(figure)));
    if (others.empty()) return nullptr;
    bound *= others.back();
    values = {values.back()};
  }
  return std::all_of(values.begin(), values.end(), [&](double value) {
    return (wanted.bound == Wanted::Bound::kAtLeast ? value >= bound : value <= bound) &&
           (!wanted.all_equal || value == values.front());
  });
}

Json wanted_of(const Wanted& wanted) {
  Json json{{"bound", wanted.bound == Wanted::Bound::kAtLeast ? kAtLeast : kAtMost},
            {"value", wanted.value}};
  if (wanted.of != nullptr) json["of"] = wanted.of;
  if (wanted.all_equal) json["all_equal"] = true;
  return json;
}

}  // namespace

std::vector<double> values_of(const Json& measured) {
  std::vector<double> values;
  for (const Json& item : measured.is_array() ? measured : Json::array({measured})) {
    if (!item.is_number() || !std::isfinite(item.get<double>())) return {};
    values.push_back(item.get<double>());
  }
  return values;
}

FigureInfo info_of(const Json& record) {
  FigureInfo info{{text_of(record, "bench"), text_of(record, "name"), text_of(record, "variant"),
                   text_of(record, "subject")},
                  text_of(record, "unit"),
                  text_of(record, "what")};
  if (!record.contains("wanted")) return info;
  const Json& wanted = record.at("wanted");
  info.wanted.bound =
      wanted.at("bound") == kAtLeast ? Wanted::Bound::kAtLeast : Wanted::Bound::kAtMost;
  info.wanted.value = wanted.at("value");
  info.wanted.all_equal = wanted.value("all_equal", false);
  if (wanted.contains("of")) info.wanted.of = text_of(wanted, "of");
  return info;
}

Json record_of(const FigureInfo& figure, const Json& measured) {
  Json record{{"bench", figure.id.bench}, {"name", figure.id.name}};
  if (*figure.id.variant != 0) record["variant"] = figure.id.variant;
  if (*figure.id.subject != 0) record["subject"] = figure.id.subject;
  record["unit"] = figure.unit;
  record["what"] = figure.what;
  if (figure.wanted.bound != Wanted::Bound::kNone) record["wanted"] = wanted_of(figure.wanted);
  record["measured"] = measured.value(key_of(figure), Json());
  if (figure.load >= 0) {
    const std::vector<double> loads = measured_of(measured, "engine.load");
    const auto at = static_cast<std::size_t>(figure.load);
    record["load"] = at < loads.size() ? Json(loads[at]) : Json();
  }
  record["met"] = is_met(figure, measured);
  record["command"] = std::string("build/torusmu bench ") + figure.id.bench;
  return record;
}

}  // namespace torusmu::pages
