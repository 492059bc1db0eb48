// SPDX-License-Identifier: Apache-2.0
// JSON that knows where in its file each value stands.
#ifndef TORUSMU_TB_LAB_PLAN_JSON_H_
#define TORUSMU_TB_LAB_PLAN_JSON_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace torusmu::lab {

// Both from 1; a column counts bytes.
struct Place {
  std::size_t line = 1, column = 1;
};

struct PlanMember;

struct PlanValue {
  enum class Kind { kWord, kNumber, kString, kArray, kObject };
  Kind kind = Kind::kWord;
  Place place;
  std::string text;          // of a string what it says, else as it stands in the file
  std::uint64_t number = 0;  // of kNumber, a whole number; other numbers are kWord
  std::vector<PlanValue> items;
  std::vector<PlanMember> members;

  // How a message names what was found: "putt", 12, a list.
  [[nodiscard]] std::string found() const;
};

struct PlanMember {
  std::string name;
  Place place;
  PlanValue value;
};

// What stands in `text`, JSON with // and /* comments. Throws UsageError, "FILE:LINE:COLUMN: what
// was found and what is expected", for what is no JSON and for an object with a name twice.
PlanValue parse_plan_json(const std::string& file, const std::string& text);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_PLAN_JSON_H_
