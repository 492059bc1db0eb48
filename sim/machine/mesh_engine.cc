// SPDX-License-Identifier: Apache-2.0
// The mesh engine: the whole machine, nodes and links, as rtl/mu_torus.sv has it, all clocks tied.
// Slow, and what the fast engine is compared with.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <tuple>

#include "sim/identity/facts.h"
#include "sim/machine/assertion.h"
#include "sim/machine/engine.h"
#include "sim/machine/errors.h"
#include "sim/machine/flit_hash.h"
#include "sim/machine/mesh_model.h"
#include "sim/machine/profile.h"
#include "torusmu/names.h"

namespace torusmu {
namespace {

constexpr unsigned kResetCycles = 4;

// One node's slice of a port: bits [node * width, (node + 1) * width) of a little-endian number.
class Slice {
 public:
  Slice() = default;
  Slice(MeshPort port, std::uint32_t node, unsigned width)
      : bytes_(port.bytes), bit_(std::size_t{node} * width), width_(width) {}

  [[nodiscard]] std::uint64_t get() const {
    if (width_ == 1) return bytes_[bit_ / 8] >> bit_ % 8 & 1U;
    std::uint64_t value = 0;
    for (unsigned i = 0; i < width_; ++i) {
      value |= static_cast<std::uint64_t>(bytes_[(bit_ + i) / 8] >> (bit_ + i) % 8 & 1U) << i;
    }
    return value;
  }
  void set(std::uint64_t value) {
    for (unsigned i = 0; i < width_; ++i) {
      const std::size_t at = bit_ + i;
      const auto mask = static_cast<unsigned char>(1U << at % 8);
      bytes_[at / 8] = static_cast<unsigned char>((value >> i & 1U) != 0 ? bytes_[at / 8] | mask
                                                                         : bytes_[at / 8] & ~mask);
    }
  }
  // Ports of whole 32-bit words.
  void get_words(std::uint32_t* words) const { std::memcpy(words, bytes_ + bit_ / 8, width_ / 8); }
  void set_words(const std::uint32_t* words) { std::memcpy(bytes_ + bit_ / 8, words, width_ / 8); }

 private:
  unsigned char* bytes_ = nullptr;
  std::size_t bit_ = 0;
  unsigned width_ = 0;
};

// Width of a node's slice: ports of the machine are `nodes` times as wide as those of the node,
// rounded up by Verilator to what a C++ type holds, so the width cannot be read from the model.
unsigned width_of(const std::string& pin) {
  struct Width {
    const char* ending;
    unsigned bits;
  };
  static constexpr Width kWidths[] = {{"now_i", 48},     {"irq_o", kProfile.clients},
                                      {"wake_at_o", 48}, {"l_awaddr", 20},
                                      {"l_araddr", 20},  {"l_wdata", 64},
                                      {"l_rdata", 64},   {"l_wstrb", 8},
                                      {"prot", 3},       {"resp", 2},
                                      {"i_awaddr", 40},  {"i_araddr", 40},
                                      {"len", 8},        {"size", 3},
                                      {"burst", 2},      {"id", 2},
                                      {"i_wstrb", 32},   {"i_wdata", 256},
                                      {"i_rdata", 256},  {"data_o", 128}};
  if (pin.ends_with("valid")) return 1;
  for (const Width& width : kWidths) {
    if (pin.ends_with(width.ending)) return width.bits;
  }
  return 1;
}

// Of the name of its model, "mesh.mu_torus.gen_node[3].u_node".
std::optional<NodeId> node_of_model(const std::string& model) {
  const std::string before = "gen_node[";
  const std::size_t at = model.find(before);
  if (at == std::string::npos) return std::nullopt;
  return NodeId{static_cast<std::uint32_t>(std::strtoul(&model[at + before.size()], nullptr, 10))};
}

// One node's pins of sim/machine/node_pins.def.
class MeshPins {
 public:
  MeshPins(MeshModel& model, std::uint32_t node) {
#define BIND(name) \
  name##_ = Slice(model.port(#name), std::string(#name) == "now_i" ? 0 : node, width_of(#name));
#define PIN_IN(name) BIND(name)
#define PIN_OUT(name) BIND(name)
#define WIDE_IN(name, words) BIND(name)
#define WIDE_OUT(name, words) BIND(name)
#include "sim/machine/node_pins.def"
#undef BIND
#undef PIN_IN
#undef PIN_OUT
#undef WIDE_IN
#undef WIDE_OUT
  }
#define PIN_IN(name) \
  void set_##name(std::uint64_t value) { name##_.set(value); }
#define PIN_OUT(name) \
  [[nodiscard]] std::uint64_t name() const { return name##_.get(); }
#define WIDE_IN(name, words) \
  void set_##name(const std::uint32_t* value) { name##_.set_words(value); }
#define WIDE_OUT(name, words) \
  void get_##name(std::uint32_t* value) const { name##_.get_words(value); }
#include "sim/machine/node_pins.def"
#undef PIN_IN
#undef PIN_OUT
#undef WIDE_IN
#undef WIDE_OUT

 private:
#define PIN_IN(name) Slice name##_;
#define PIN_OUT(name) Slice name##_;
#define WIDE_IN(name, words) Slice name##_;
#define WIDE_OUT(name, words) Slice name##_;
#include "sim/machine/node_pins.def"
#undef PIN_IN
#undef PIN_OUT
#undef WIDE_IN
#undef WIDE_OUT
};

// Throws UsageError if the library is of other RTL than this program: results would be of neither.
void require_same_model(void* library, const std::string& path, const std::string& verb) {
  const auto build = reinterpret_cast<MeshBuild>(dlsym(library, "torusmu_mesh_build"));
  const std::string theirs = build == nullptr ? "unknown" : build();
  if (theirs == kModelHash) return;
  throw UsageError(path + " is of model " + theirs + ", this program of model " + kModelHash +
                   ": " + verb + " builds it anew");
}

class MeshEngine final : public MachineEngine {
 public:
  MeshEngine(const EngineConfig& config, std::vector<std::unique_ptr<NodeShell>>& shells,
             const std::string& folder);
  ~MeshEngine() override;
  MeshEngine(const MeshEngine&) = delete;
  MeshEngine& operator=(const MeshEngine&) = delete;

  bool run(Cycles limit, bool stop_when_done) override;
  [[nodiscard]] Cycles now() const override { return now_; }
  [[nodiscard]] EngineCounts counts() const override {
    EngineCounts counts = counts_;
    counts.evaluated = model_->evaluated();
    return counts;
  }
  std::vector<Event> take_events() override;
  [[nodiscard]] std::string top_module() const override { return "mu_torus"; }

 private:
  struct Outputs {  // of all nodes in one direction
    MeshPort valid, head, tail, reply, data;
  };

  void step();
  void collect(unsigned direction);
  void collect_signals();
  [[nodiscard]] bool any_failed() const;
  [[nodiscard]] bool any_running() const;
  [[nodiscard]] MeshPort port(const std::string& name);

  EngineConfig config_;
  std::vector<std::unique_ptr<NodeShell>>& shells_;
  void* library_ = nullptr;
  std::unique_ptr<MeshModel> model_;
  std::vector<MeshPins> pins_;
  std::array<Outputs, kDirections> outputs_;
  std::array<MeshPort, 3> signals_;  // of all nodes to parents, left and right children
  MeshPort time_{};
  std::vector<Event> events_;
  EngineCounts counts_;
  Cycles now_ = 0;
  Cycles last_busy_ = 0;
};

MeshEngine::MeshEngine(const EngineConfig& config, std::vector<std::unique_ptr<NodeShell>>& shells,
                       const std::string& folder)
    : config_(config), shells_(shells) {
  const std::string shape = shape_name(config.shape);
  const std::string path = folder + "/" + shape + ".so";
  if (!std::filesystem::exists(path)) {
    std::string built;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".so") built += " " + entry.path().stem().string();
    }
    throw UsageError("--mesh " + shape + " is not built for --engine mesh; built:" +
                     (built.empty() ? " none" : built) + "; another: make mesh SHAPE=" + shape);
  }
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw UsageError("cannot open " + path + ": " + dlerror());
  require_same_model(library_, path, "make mesh SHAPE=" + shape);
  const auto open = reinterpret_cast<OpenMesh>(dlsym(library_, "torusmu_open_mesh"));
  if (open == nullptr) throw UsageError(path + " is no machine for the mesh engine");
  model_.reset(open());
  model_->set_sleeping(config.sleeping);
  model_->set_assertions(config.assertions);

  constexpr std::array<const char*, kDirections> kNames{"xp", "xm", "yp", "ym", "zp", "zm"};
  for (unsigned d = 0; d < kDirections; ++d) {
    const std::string link = std::string("link_") + kNames[d];
    outputs_[d] = {port(link + "_valid_o"), port(link + "_head_o"), port(link + "_tail_o"),
                   port(link + "_reply_o"), port(link + "_data_o")};
  }
  signals_ = {port("signal_parent_o"), port("signal_left_o"), port("signal_right_o")};
  time_ = port("now_i");
  const bool torus[] = {config.shape.torus_x, config.shape.torus_y, config.shape.torus_z};
  Slice(port("strap_torus_i"), 0, 3)
      .set((torus[0] ? 1U : 0U) | (torus[1] ? 2U : 0U) | (torus[2] ? 4U : 0U));
  Slice(port("latency_i"), 0, 6).set(config.latency);
  for (std::uint32_t n = 0; n < shells_.size(); ++n) {
    pins_.emplace_back(*model_, n);
    NodeShell::reset(pins_.back());
    if (config.record) shells_[n]->record_to(&events_);
  }
  Slice reset(port("rst_ni"), 0, 1);
  reset.set(0);
  for (unsigned i = 0; i < kResetCycles; ++i) model_->rise_twice();
  reset.set(1);
  counts_.link_flits.resize(shells_.size());
}

MeshEngine::~MeshEngine() {
  model_.reset();
  if (library_ != nullptr) dlclose(library_);
}

MeshPort MeshEngine::port(const std::string& name) {
  const MeshPort found = model_->port(name.c_str());
  if (found.bytes == nullptr) throw std::logic_error("mu_torus has no port " + name);
  return found;
}

void MeshEngine::step() {
  std::memcpy(time_.bytes, &now_, std::min(time_.size, sizeof now_));
  for (std::size_t n = 0; n < shells_.size(); ++n) {
    const NodeShell::Inputs inputs = shells_[n]->before_edge(pins_[n], now_);
    if (inputs.registers || inputs.memory) last_busy_ = now_;
  }
  model_->rise();
  for (unsigned d = 0; d < kDirections; ++d) collect(d);
  collect_signals();
  for (std::size_t n = 0; n < shells_.size(); ++n) {
    shells_[n]->after_edge(pins_[n], now_);
    if (pins_[n].quiescent_o() == 0 || !shells_[n]->idle()) last_busy_ = now_;
    last_busy_ = std::max(last_busy_, shells_[n]->last_core_run());
  }
  ++now_;
  if (config_.reached) config_.reached->store(now_);
}

void MeshEngine::collect(unsigned direction) {
  const Outputs& out = outputs_[direction];
  for (std::uint32_t n = 0; n < shells_.size(); ++n) {
    const auto bit = [n](const MeshPort& p) { return (p.bytes[n / 8] >> n % 8 & 1U) != 0; };
    if (!bit(out.valid)) continue;
    Flit flit{.head = bit(out.head), .tail = bit(out.tail), .reply = bit(out.reply)};
    std::memcpy(flit.data.data(), out.data.bytes + std::size_t{n} * sizeof flit.data,
                sizeof flit.data);
    counts_.flit_hash += flit_hash(now_, {n}, direction, flit);
    ++counts_.flits;
    ++counts_.flits_taken;  // links are registers of the model here: what leaves arrives
    ++counts_.link_flits[n][direction];
    if (NodeObserver* const observer = shells_[n]->observer()) {
      observer->flit_out(now_, direction, flit.head, flit.tail, flit.reply, flit.data.data());
    }
    if (config_.record) {
      events_.push_back({.cycle = now_,
                         .node = {n},
                         .kind = Event::Kind::kFlitOut,
                         .direction = direction,
                         .flit = flit});
    }
  }
}

void MeshEngine::collect_signals() {
  for (unsigned cable = 0; cable < signals_.size(); ++cable) {
    for (std::uint32_t n = 0; n < shells_.size(); ++n) {
      const std::uint64_t signals = Slice(signals_[cable], n, 16).get();
      if (signals != 0) counts_.flit_hash += signal_hash(now_, {n}, cable, signals);
    }
  }
}

bool MeshEngine::any_failed() const {
  return std::any_of(shells_.begin(), shells_.end(), [](const auto& s) { return s->failed(); });
}

bool MeshEngine::any_running() const {
  return std::any_of(shells_.begin(), shells_.end(),
                     [](const auto& s) { return s->running_cores() != 0; });
}

bool MeshEngine::run(Cycles limit, bool stop_when_done) {
  while (now_ < limit) {
    try {
      step();
    } catch (const AssertionFailure& failure) {
      FailedAssertion assertion = failure.assertion();
      assertion.node = node_of_model(assertion.model);
      assertion.cycle = now_;
      throw AssertionFailure(
          assertion, (assertion.node ? node_name(config_.shape, *assertion.node) + ", " : "") +
                         "cycle " + std::to_string(now_) + ": " + failure.what());
    } catch (const std::exception& error) {
      throw std::runtime_error("cycle " + std::to_string(now_) + ": " + error.what());
    }
    if (any_failed()) return false;
    // The first cycle of silence after the last that anything happened, as MachineEngine::run says.
    if (stop_when_done && now_ >= last_busy_ + kSettleCycles && !any_running()) return true;
  }
  return false;
}

std::vector<Event> MeshEngine::take_events() {
  std::vector<Event> all;
  all.swap(events_);
  std::stable_sort(all.begin(), all.end(), [](const Event& a, const Event& b) {
    return std::tie(a.cycle, a.node.value, a.kind) < std::tie(b.cycle, b.node.value, b.kind);
  });
  return all;
}

}  // namespace

std::unique_ptr<MachineEngine> make_mesh_engine(const EngineConfig& config,
                                                std::vector<std::unique_ptr<NodeShell>>& nodes,
                                                const std::string& library_folder) {
  if (config.latency < 1 || config.latency > 32) {
    throw UsageError("link latency " + std::to_string(config.latency) + " is not in 1..32");
  }
  return std::make_unique<MeshEngine>(config, nodes, library_folder);
}

}  // namespace torusmu
