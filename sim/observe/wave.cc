// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/wave.h"

#include <fmt/format.h>

#include <utility>

#include "sim/machine/errors.h"
#include "sim/machine/fast_node.h"
#include "sim/observe/note.h"
#include "sim/observe/output_file.h"
#include "sim/observe/wave_view.h"
#include "sim/observe/wave_writing.h"

#ifdef TORUSMU_WAVE
#include <verilated_fst_c.h>
#endif

namespace torusmu {

#ifdef TORUSMU_WAVE
namespace {

class FstWave final : public WaveWriter {
 public:
  explicit FstWave(VerilatedContext& context) { context.traceEverOn(true); }
  ~FstWave() override {
    try {
      close();
    } catch (const UsageError& error) {
      note(fmt::format("torusmu: {}\n", error.what()));
    }
  }

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
    // What the context says comes too late: the file was made before it.
    file_.set_time_unit("1ps");
    file_.set_time_resolution("1ps");
    require_writable("--wave", config.file);
    writing_ = std::make_unique<WaveWriting>(config.file);
    file_.open(config.file.c_str());
    if (!file_.isOpen()) writing_->fail();
    writing_->check();
  }

  [[nodiscard]] bool covers(Cycles from, Cycles to) const override {
    return from < to_ && to > from_;
  }

  // A cycle has a rising edge at its start and a falling edge in its middle.
  void dump(Cycles t) override {
    if (t < from_ || t >= to_) return;
    file_.dump(t * kWaveUnitsPerCycle);
    for (Vmu_gated_node* model : models_) {
#define FALL(bit, name) model->clk_##name##_i = 0;
      TORUSMU_CLOCKS(FALL)
#undef FALL
      model->eval();
    }
    file_.dump(t * kWaveUnitsPerCycle + kWaveUnitsPerCycle / 2);
    writing_->check();
  }

  void close() override {
    if (!writing_) return;
    file_.close();
    std::exchange(writing_, nullptr)->check();
  }

 private:
  std::unique_ptr<WaveWriting> writing_;
  VerilatedFstC file_;
  std::vector<Vmu_gated_node*> models_;
  Cycles from_ = 0, to_ = kNever;
};

}  // namespace

std::unique_ptr<WaveWriter> open_fst_wave(VerilatedContext& context) {
  return std::make_unique<FstWave>(context);
}
#else
std::unique_ptr<WaveWriter> open_fst_wave(VerilatedContext& /*context*/) { return nullptr; }
#endif

}  // namespace torusmu
