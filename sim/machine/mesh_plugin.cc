// SPDX-License-Identifier: Apache-2.0
// The library of one shape for the mesh engine: a Verilated mu_torus behind MeshModel. MESH_SHAPE
// is "XxYxZ". Verilator would write the logic of each node anew; here the node is a model of its
// own, which a module mu_node written by sim/model/mesh_node.awk calls at each edge. With
// NETLIST_FAULT it is not the RTL's but that of its netlist, and has an input more, see
// tb/checks/netlist.sh.
#include <Vmu_node.h>
#include <Vmu_node___024root.h>
#include <Vmu_torus.h>
#include <Vmu_torus__Dpi.h>
#include <Vmu_torus___024root.h>
#include <verilated.h>

#include <cstring>
#include <memory>
#include <vector>

#include "sim/identity/facts.h"
#include "sim/machine/mesh_model.h"

namespace {

// One evaluation an edge, as sim/machine/fast_node.cc does it and for the same reason.
template <typename Model, typename Root>
void rise_once(Model& model, Root& root) {
  if constexpr (requires { root.__Vtrigrprev__TOP__clk_i; }) {
    root.__Vtrigrprev__TOP__clk_i = 0;
    root.clk_i = 1;
    model.eval();
  } else {
    root.clk_i = 0;
    model.eval();
    root.clk_i = 1;
    model.eval();
  }
}

class Mesh final : public torusmu::MeshModel {
 public:
  struct Node {
    Node(Mesh& machine, const char* name) : mesh(machine), model(&machine.context_, name) {
#ifdef NETLIST_FAULT
      model.fault_i = NETLIST_FAULT;
#endif
    }
    Mesh& mesh;
    Vmu_node model;
  };

  Mesh() = default;
  // As in FastNode: models leave the thread's current context, which must be their own.
  ~Mesh() override {
    Verilated::threadContextp(&context_);
    nodes_.clear();
    model_.reset();
    Verilated::threadContextp(Verilated::defaultContextp());
  }
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  torusmu::MeshPort port(const char* name) override {
    Vmu_torus___024root& root = *model_->rootp;
#define PORT(pin)                                                          \
  if (std::strcmp(name, #pin) == 0) {                                      \
    return {reinterpret_cast<unsigned char*>(&root.pin), sizeof root.pin}; \
  }
#define PIN_IN(pin) PORT(pin)
#define PIN_OUT(pin) PORT(pin)
#define WIDE_IN(pin, words) PORT(pin)
#define WIDE_OUT(pin, words) PORT(pin)
#include "sim/machine/mesh_ports.def"
#include "sim/machine/node_pins.def"
#undef PORT
#undef PIN_IN
#undef PIN_OUT
#undef WIDE_IN
#undef WIDE_OUT
    return {nullptr, 0};
  }

  void rise() override { rise_once(*model_, *model_->rootp); }

  void rise_twice() override {
    resetting = this;
    model_->clk_i = 0;
    model_->eval();
    model_->clk_i = 1;
    model_->eval();
  }

  void set_sleeping(bool on) override { sleeping_ = on; }
  void set_assertions(bool on) override { context_.assertOn(on); }
  [[nodiscard]] std::uint64_t evaluated() const override { return evaluated_; }
  [[nodiscard]] const char* shape() const override { return MESH_SHAPE; }

  // The nodes of the machine that is being reset are made in its first evaluation.
  static Node* make_node(const char* name) {
    auto& nodes = resetting->nodes_;
    return nodes.emplace_back(std::make_unique<Node>(*resetting, name)).get();
  }
  // An edge of a node whose inputs are set. True if nothing can happen in it until an input comes.
  bool rise(Vmu_node& node) {
    if (node.rst_ni == 0) {
      node.clk_i = 0;
      node.eval();
      node.clk_i = 1;
      node.eval();
    } else {
      ++evaluated_;
      rise_once(node, *node.rootp);
    }
    return sleeping_ && node.quiescent_o != 0;
  }

 private:
  static inline thread_local Mesh* resetting = nullptr;
  bool sleeping_ = true;
  std::uint64_t evaluated_ = 0;
  VerilatedContext context_;
  std::unique_ptr<Vmu_torus> model_ = std::make_unique<Vmu_torus>(&context_, "mesh");
  std::vector<std::unique_ptr<Node>> nodes_;
};

// Words of SystemVerilog's interface and of Verilator hold the same bits, little end first.
template <typename Pin>
void set_words(Pin& pin, const svBitVecVal* words) {
  std::memcpy(&pin, words, sizeof pin);
}
template <typename Pin>
void get_words(const Pin& pin, svBitVecVal* words) {
  if constexpr (sizeof pin < sizeof *words) *words = 0;
  std::memcpy(words, &pin, sizeof pin);
}

}  // namespace

// What the mu_node of sim/model/mesh_node.awk imports.
void* torusmu_mesh_node(const char* name) { return Mesh::make_node(name); }

svBit torusmu_mesh_rise(void* handle
#define BIT_IN(pin) , svBit pin
#define WORDS_IN(pin) , const svBitVecVal* pin
#define BIT_OUT(pin) , svBit* pin
#define WORDS_OUT(pin) , svBitVecVal* pin
#include <mesh_node_ports.def>
#undef BIT_IN
#undef WORDS_IN
#undef BIT_OUT
#undef WORDS_OUT
) {
  auto& node = *static_cast<Mesh::Node*>(handle);
#define BIT_IN(pin) node.model.pin = pin;
#define WORDS_IN(pin) set_words(node.model.pin, pin);
#define BIT_OUT(pin)
#define WORDS_OUT(pin)
#include <mesh_node_ports.def>
#undef BIT_IN
#undef WORDS_IN
#undef BIT_OUT
#undef WORDS_OUT
  const bool rests = node.mesh.rise(node.model);
#define BIT_IN(pin)
#define WORDS_IN(pin)
#define BIT_OUT(pin) *pin = node.model.pin;
#define WORDS_OUT(pin) get_words(node.model.pin, pin);
#include <mesh_node_ports.def>
#undef BIT_IN
#undef WORDS_IN
#undef BIT_OUT
#undef WORDS_OUT
  return rests ? 1 : 0;
}

extern "C" const char* torusmu_mesh_build();
const char* torusmu_mesh_build() { return torusmu::kModelHash; }

extern "C" torusmu::MeshModel* torusmu_open_mesh();
// The caller owns the model; it lives behind an interface, so that either side may be compiled
// alone.
torusmu::MeshModel* torusmu_open_mesh() { return std::make_unique<Mesh>().release(); }
