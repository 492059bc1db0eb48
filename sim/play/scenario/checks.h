// SPDX-License-Identifier: Apache-2.0
// What scenarios compare again and again.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_CHECKS_H_
#define TORUSMU_SIM_PLAY_SCENARIO_CHECKS_H_

#include <span>
#include <string>

#include "sim/machine/memory.h"
#include "sim/play/stage.h"

namespace torusmu {

// Counts agreements and keeps the first disagreement, so that one check stands for many
// comparisons.
class Tally {
 public:
  explicit Tally(std::string what) : what_(std::move(what)) {}
  // `where` is called only for the first failure.
  template <typename Where>
  void expect(bool good, const Where& where) {
    ++compared_;
    if (!good && bad_++ == 0) first_ = where();
  }
  void report(Stage& stage, const std::string& name) const;
  [[nodiscard]] std::uint64_t bad() const { return bad_; }

 private:
  std::string what_;
  std::uint64_t compared_ = 0;
  std::uint64_t bad_ = 0;
  std::string first_;
};

// Compares bytes from `address` on with `wanted`.
void expect_bytes(Tally& tally, const NodeMemory& memory, NodeId node, Address address,
                  std::span<const std::byte> wanted);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_CHECKS_H_
