// SPDX-License-Identifier: Apache-2.0
#include "tb/lab/draw.h"

#include <fmt/format.h>

#include "sim/machine/mix.h"

namespace torusmu::lab {
namespace {

constexpr std::uint64_t kMostOfADimension = 16;
constexpr std::uint64_t kPercent = 100;

std::uint64_t in(const Range& range, Rng& random) {
  return range.least + random.below(range.most - range.least + 1);
}

bool share(std::uint64_t percent, Rng& random) { return random.below(kPercent) < percent; }

// Small ones more often than large ones, which take longer and show little that is new.
std::uint64_t small_in(const Range& range, Rng& random) {
  return in({range.least, in(range, random)}, random);
}

std::string shape(const Range& nodes, Rng& random) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t n = nodes.least; n <= nodes.most; ++n) {
    if (!shapes_with(n).empty()) numbers.push_back(n);
  }
  const std::vector<std::string> shapes =
      shapes_with(numbers[small_in({0, numbers.size() - 1}, random)]);
  return shapes[random.below(shapes.size())];
}

}  // namespace

std::vector<std::string> shapes_with(std::uint64_t nodes) {
  std::vector<std::string> shapes;
  for (std::uint64_t x = 1; x <= kMostOfADimension; ++x) {
    for (std::uint64_t y = 1; y <= kMostOfADimension; ++y) {
      const std::uint64_t z = nodes / (x * y);
      if (z >= 1 && z <= kMostOfADimension && x * y * z == nodes) {
        shapes.push_back(fmt::format("{}x{}x{}", x, y, z));
      }
    }
  }
  return shapes;
}

Drawn drawn(const Draw& draw, std::uint64_t seed) {
  Rng random(seed);
  Drawn result;
  // Every one is drawn whether it is used or not, so that another share leaves the rest as it was.
  const std::string mesh = shape(draw.nodes, random);
  const std::uint64_t latency = in(draw.latency, random);
  const std::uint64_t threads = small_in(draw.threads, random);
  const bool no_sleep = share(draw.no_sleep, random);
  result.has_fault = share(draw.inject, random);
  const char* const fault = share(kPercent / 2, random) ? "drop-packet" : "flip-payload-bit";
  const std::uint64_t packet = in(draw.packet, random);
  result.has_page = share(draw.page, random);
  const std::uint64_t timing = random.next();
  result.words = {
      "--mesh", mesh, "--latency", std::to_string(latency), "--threads", std::to_string(threads)};
  if (!draw.timings.empty()) {
    result.words.insert(result.words.end(),
                        {"--timing", draw.timings[timing % draw.timings.size()]});
  }
  if (no_sleep) result.words.emplace_back("--no-sleep");
  if (result.has_fault) {
    result.words.insert(result.words.end(), {"--inject", fmt::format("{}:{}", fault, packet)});
  }
  return result;
}

}  // namespace torusmu::lab
