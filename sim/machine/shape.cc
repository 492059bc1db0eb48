// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/shape.h"

#include <array>
#include <charconv>

#include "sim/machine/errors.h"

namespace torusmu {
namespace {

constexpr std::uint32_t kLargestSize = 16;  // coordinates have four bits

}  // namespace

NodeId neighbour(const Shape& shape, NodeId node, unsigned direction) {
  const Coordinates at = shape.coordinates(node);
  const std::array<std::uint32_t, 3> sizes{shape.x, shape.y, shape.z};
  const std::array<bool, 3> torus{shape.torus_x, shape.torus_y, shape.torus_z};
  std::array<std::uint32_t, 3> to{at.x, at.y, at.z};
  const unsigned dimension = direction / 2;
  const bool plus = direction % 2 == 0;
  const std::uint32_t last = sizes[dimension] - 1;
  if (!torus[dimension] && to[dimension] == (plus ? last : 0)) return {shape.nodes()};
  if (plus) {
    to[dimension] = to[dimension] == last ? 0 : to[dimension] + 1;
  } else {
    to[dimension] = to[dimension] == 0 ? last : to[dimension] - 1;
  }
  return shape.node({to[0], to[1], to[2]});
}

Shape parse_shape(const std::string& text) {
  Shape shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  bool legal = true;
  for (std::uint32_t* size : {&shape.x, &shape.y, &shape.z}) {
    if (size != &shape.x) legal = legal && at != end && *at++ == 'x';
    const auto [stop, error] = std::from_chars(at, end, *size);
    legal = legal && error == std::errc{} && *size >= 1 && *size <= kLargestSize;
    at = stop;
  }
  if (!legal || at != end) {
    throw UsageError("\"" + text + "\" is no machine size: XxYxZ, each from 1 to 16");
  }
  return shape;
}

std::string shape_name(const Shape& shape) {
  return std::to_string(shape.x) + "x" + std::to_string(shape.y) + "x" + std::to_string(shape.z);
}

std::string node_name(const Shape& shape, NodeId node) {
  const Coordinates at = shape.coordinates(node);
  return "node " + std::to_string(node.value) + " (" + std::to_string(at.x) + "," +
         std::to_string(at.y) + "," + std::to_string(at.z) + ")";
}

}  // namespace torusmu
