// SPDX-License-Identifier: Apache-2.0
#include "sim/engine.h"
#include "sim/errors.h"
namespace torusmu {
std::unique_ptr<Engine> make_mesh_engine(const EngineConfig&,
                                         std::vector<std::unique_ptr<NodeShell>>&,
                                         const std::string&) {
  throw UsageError("mesh");
}
}  // namespace torusmu
