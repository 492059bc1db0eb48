// SPDX-License-Identifier: Apache-2.0
#include "sim/wave.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "sim/errors.h"

#ifdef TORUSMU_WAVE
#include <verilated_fst_c.h>
#endif

namespace torusmu {

#ifdef TORUSMU_WAVE
namespace {

// A cycle has a rising edge at its start and a falling edge in its middle.
constexpr Cycles kUnitsPerCycle = 1000;  // picoseconds

class FstWave final : public Wave {
 public:
  explicit FstWave(VerilatedContext& context) {
    context.traceEverOn(true);
    context.timeunit(-12);
    context.timeprecision(-12);
  }
  ~FstWave() override { file_.close(); }

  void attach(std::vector<std::unique_ptr<FastNode>>& nodes, const WaveConfig& config) override {
    from_ = config.from;
    to_ = config.to;
    std::vector<NodeId> chosen = config.nodes;
    if (chosen.empty()) {
      for (const auto& node : nodes) chosen.push_back(node->shell().node());
    }
    constexpr int kAllLevels = 99;
    for (const NodeId id : chosen) {
      models_.push_back(&nodes.at(id.value)->model());
      models_.back()->trace(&file_, kAllLevels);
    }
    file_.open(config.file.c_str());
    if (!file_.isOpen()) throw UsageError("cannot write the wave file " + config.file);
    write_gtkwave_save_file(config.file, chosen);
  }

  [[nodiscard]] bool covers(Cycles from, Cycles to) const override {
    return from < to_ && to > from_;
  }

  void dump(Cycles t) override {
    if (t < from_ || t >= to_) return;
    file_.dump(t * kUnitsPerCycle);
    for (Vmu_gated_node* model : models_) {
#define FALL(name) model->clk_##name##_i = 0;
      TORUSMU_CLOCKS(FALL)
#undef FALL
      model->eval();
    }
    file_.dump(t * kUnitsPerCycle + kUnitsPerCycle / 2);
  }

 private:
  VerilatedFstC file_;
  std::vector<Vmu_gated_node*> models_;
  Cycles from_ = 0, to_ = kNever;
};

}  // namespace

std::unique_ptr<Wave> Wave::open(const WaveConfig& config, VerilatedContext& context) {
  if (config.file.empty()) return nullptr;
  return std::make_unique<FstWave>(context);
}
#else
std::unique_ptr<Wave> Wave::open(const WaveConfig& config, VerilatedContext& /*context*/) {
  if (config.file.empty()) return nullptr;
  throw UsageError("this build writes no waves: use build/torusmu-wave (make wave)");
}
#endif

}  // namespace torusmu
