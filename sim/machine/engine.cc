// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/engine.h"

#include <fmt/format.h>

namespace torusmu {

std::string name_of(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::kNone:
      return "none";
    case Fault::Kind::kFlipPayloadBit:
      return "flip-payload-bit";
    case Fault::Kind::kDropPacket:
      return "drop-packet";
  }
  return "";
}

std::string text_of(const Fault& fault, const FaultPlace& place, const Shape& shape) {
  const bool flip = fault.kind == Fault::Kind::kFlipPayloadBit;
  return fmt::format("packet {}{}, {} of {} bytes from {} to {}, {} on link {} of {}, cycle {}",
                     fault.number, flip ? " with a payload" : "", name_of(place.kind), place.bytes,
                     node_name(shape, place.from), node_name(shape, place.to),
                     flip ? "one bit flipped" : "lost", kDirectionNames.at(place.direction),
                     node_name(shape, place.node), place.cycle);
}

}  // namespace torusmu
