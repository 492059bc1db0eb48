// SPDX-License-Identifier: Apache-2.0
// The library of one shape for the mesh engine: a Verilated mu_torus behind MeshModel. MESH_SHAPE
// is "XxYxZ".
#include <Vmu_torus.h>
#include <Vmu_torus___024root.h>
#include <verilated.h>

#include <cstring>
#include <memory>

#include "sim/mesh_model.h"

namespace {

class Mesh final : public torusmu::MeshModel {
 public:
  torusmu::MeshPort port(const char* name) override {
    Vmu_torus___024root& root = *model_.rootp;
#define PORT(pin)                                                          \
  if (std::strcmp(name, #pin) == 0) {                                      \
    return {reinterpret_cast<unsigned char*>(&root.pin), sizeof root.pin}; \
  }
#define PIN_IN(pin) PORT(pin)
#define PIN_OUT(pin) PORT(pin)
#define WIDE_IN(pin, words) PORT(pin)
#define WIDE_OUT(pin, words) PORT(pin)
#include "sim/mesh_ports.def"
#include "sim/node_pins.def"
#undef PORT
#undef PIN_IN
#undef PIN_OUT
#undef WIDE_IN
#undef WIDE_OUT
    return {nullptr, 0};
  }

  // One evaluation an edge, as sim/fast_node.cc does it and for the same reason.
  void rise() override { rise_once(*model_.rootp); }

  void rise_twice() override {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
  }

  [[nodiscard]] const char* shape() const override { return MESH_SHAPE; }

 private:
  template <typename Root>
  void rise_once(Root& root) {
    if constexpr (requires { root.__Vtrigrprev__TOP__clk_i; }) {
      root.__Vtrigrprev__TOP__clk_i = 0;
      model_.eval();
    } else {
      rise_twice();
    }
  }

  VerilatedContext context_;
  Vmu_torus model_{&context_, "mesh"};
};

}  // namespace

extern "C" torusmu::MeshModel* torusmu_open_mesh();
// The caller owns the model; it lives behind an interface, so that either side may be compiled
// alone.
torusmu::MeshModel* torusmu_open_mesh() { return std::make_unique<Mesh>().release(); }
