// SPDX-License-Identifier: Apache-2.0
// What the program around the runner knows: torusmu of its machines, build/lab/lab of the checkout.
#ifndef TORUSMU_TB_LAB_SURROUNDINGS_H_
#define TORUSMU_TB_LAB_SURROUNDINGS_H_

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tb/lab/plan.h"

namespace torusmu::lab {

// What torusmu knows of scenarios, replays and benches. A runner without it plays none of them.
class MachineTests {
 public:
  virtual ~MachineTests() = default;

  // What a plan may name instead of `what`, "a scenario: put, ..."; nothing: it may name that.
  [[nodiscard]] virtual std::optional<std::string> expected_instead(
      PlanTest::Kind kind, const std::string& what) const = 0;
  [[nodiscard]] virtual bool is_shape(const std::string& text) const = 0;
  [[nodiscard]] virtual bool is_timing(const std::string& text) const = 0;
  // "fixed, random or ...": all timings.
  [[nodiscard]] virtual std::string timings() const = 0;
  [[nodiscard]] virtual bool is_figure(const std::string& name) const = 0;
  // Why torusmu would refuse the test with `options` in the place of its own, on one of its shapes
  // and engines; nothing if it would not. `mesh_folder` has the libraries of the mesh engine.
  [[nodiscard]] virtual std::optional<std::string> refusal(
      const PlanTest& test, const std::vector<std::string>& options,
      const std::string& mesh_folder) const = 0;
  [[nodiscard]] virtual std::uint64_t most_nodes() const = 0;  // of any machine
  // How many nodes the machine of a scenario or replay may have. Throws UsageError for a trace that
  // cannot be read.
  [[nodiscard]] virtual Range legal_nodes(const PlanTest& test) const = 0;
  // Of a program that may write waves: why it writes none; empty if it does.
  [[nodiscard]] virtual std::string why_no_waves(const std::string& program) const = 0;
  // Throws UsageError, which ends with `remedy`, if that program is of another build.
  virtual void require_same_build(const std::string& program, const std::string& remedy) const = 0;
};

struct Surroundings {
  const MachineTests* machines = nullptr;
  std::string commit;                             // that the program was built from
  nlohmann::json ran = nlohmann::json::object();  // members of every file of results
  // Values of {name} in the words of a plan: of most names one word, of lists many.
  std::map<std::string, std::vector<std::string>> variables;
};

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_SURROUNDINGS_H_
