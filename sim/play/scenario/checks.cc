// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/checks.h"

#include <fmt/format.h>

#include <vector>

namespace torusmu {

void Tally::report(Stage& stage, const std::string& name) const {
  if (compared_ == 0) {
    stage.check(name, false, "nothing was compared");
  } else if (bad_ == 0) {
    stage.check(name, true, fmt::format("{} {} right", compared_, what_));
  } else {
    stage.check(name, false,
                fmt::format("{} of {} {} wrong; first: {}", bad_, compared_, what_, first_));
  }
}

void expect_bytes(Tally& tally, const NodeMemory& memory, NodeId node, Address address,
                  std::span<const std::byte> wanted) {
  std::vector<std::byte> found(wanted.size());
  memory.read(address, found);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    tally.expect(found[i] == wanted[i], [&] {
      return fmt::format("node {} address 0x{:x} holds 0x{:02x}, not 0x{:02x}", node.value,
                         address + i, std::to_integer<int>(found[i]),
                         std::to_integer<int>(wanted[i]));
    });
  }
}

}  // namespace torusmu
