// SPDX-License-Identifier: Apache-2.0
// Pictures made of pixels.
#ifndef TORUSMU_DOCS_DRAW_PICTURE_H_
#define TORUSMU_DOCS_DRAW_PICTURE_H_

#include <cstdint>
#include <filesystem>
#include <vector>

namespace torusmu::draw {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Colour&) const = default;
};

struct Picture {
  unsigned width = 0, height = 0;
  std::vector<Colour> pixels;  // row by row from the top
  [[nodiscard]] Colour at(unsigned x, unsigned y) const { return pixels[y * width + x]; }
  bool operator==(const Picture&) const = default;
};

// Reads the window dump that Xvfb -fbdir keeps, 24 bits deep. Throws std::runtime_error if it is
// none.
Picture read_xwd(const std::filesystem::path& file);

// With a palette if 256 colours are enough. Throws std::runtime_error if it cannot be written.
void write_png(const Picture& picture, const std::filesystem::path& file);

}  // namespace torusmu::draw

#endif  // TORUSMU_DOCS_DRAW_PICTURE_H_
