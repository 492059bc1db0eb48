// SPDX-License-Identifier: Apache-2.0
// The door between the mesh engine and a library that holds one Verilated machine. The library is
// built for one shape from sim/machine/mesh_plugin.cc and opened by name, so that any number of
// shapes can stand beside the program.
#ifndef TORUSMU_SIM_MACHINE_MESH_MODEL_H_
#define TORUSMU_SIM_MACHINE_MESH_MODEL_H_

#include <cstddef>
#include <cstdint>

namespace torusmu {

// A port of the machine, as the bytes of a little-endian number.
struct MeshPort {
  unsigned char* bytes;
  std::size_t size;
};

class MeshModel {
 public:
  virtual ~MeshModel() = default;
  // nullptr bytes if there is no port of that name.
  virtual MeshPort port(const char* name) = 0;
  // One rising edge of the clock. Throws std::runtime_error if an assertion fails.
  virtual void rise() = 0;
  // The same with an evaluation of the falling edge, as reset needs it.
  virtual void rise_twice() = 0;
  // A node in which nothing can happen is not evaluated. On unless switched off.
  virtual void set_sleeping(bool on) = 0;
  // Of the RTL, checked in every evaluation. On unless switched off.
  virtual void set_assertions(bool on) = 0;
  // Node-cycles that were evaluated, but for those of a reset.
  [[nodiscard]] virtual std::uint64_t evaluated() const = 0;
  [[nodiscard]] virtual const char* shape() const = 0;
};

// What every library exports under the name torusmu_open_mesh.
using OpenMesh = MeshModel* (*)();
// And under the name torusmu_mesh_build: kModelHash of what it was built from
// (sim/identity/facts.h). To be asked before anything else of the library is called.
using MeshBuild = const char* (*)();

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_MESH_MODEL_H_
