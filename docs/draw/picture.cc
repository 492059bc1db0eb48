// SPDX-License-Identifier: Apache-2.0
#include "docs/draw/picture.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace torusmu::draw {
namespace {

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<std::uint8_t>(bytes.at(at + i));
  }
  return value;
}

void append_big_endian(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
}

class Png {
 public:
  Png(const Picture& picture, bool palette, unsigned bits) {
    std::string header;
    append_big_endian(header, picture.width);
    append_big_endian(header, picture.height);
    constexpr char kRgb = 2, kPalette = 3;
    header += static_cast<char>(bits);
    header += palette ? kPalette : kRgb;
    header += std::string(3, '\0');
    chunk("IHDR", header);
  }
  void chunk(std::string_view kind, const std::string& data) {
    append_big_endian(bytes_, static_cast<std::uint32_t>(data.size()));
    const std::size_t from = bytes_.size();
    bytes_ += kind;
    bytes_ += data;
    const auto* begin = reinterpret_cast<const Bytef*>(bytes_.data() + from);
    const auto sum = crc32(0, begin, static_cast<uInt>(bytes_.size() - from));
    append_big_endian(bytes_, static_cast<std::uint32_t>(sum));
  }
  // The last two chunks: the rows, each after a byte that says "no filter".
  void pixels(const std::string& rows) {
    uLongf size = compressBound(rows.size());
    std::string packed(size, '\0');
    const int result =
        compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                  reinterpret_cast<const Bytef*>(rows.data()), rows.size(), Z_BEST_COMPRESSION);
    if (result != Z_OK) throw std::runtime_error("zlib cannot pack the picture");
    packed.resize(size);
    chunk("IDAT", packed);
    chunk("IEND", "");
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = "\x89PNG\r\n\x1a\n";
};

}  // namespace

Picture read_xwd(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  // Words of the header, see X11/XWDFile.h.
  enum Word {
    kHeaderBytes = 0,
    kWidth = 4,
    kHeight = 5,
    kBitsPerPixel = 11,
    kRowBytes = 12,
    kColours = 19,
    kWords = 25
  };
  if (bytes.size() < std::size_t{kWords} * 4)
    throw std::runtime_error(file.string() + ": no window dump");
  const auto word = [&](Word w) { return big_endian(bytes, std::size_t{w} * 4); };
  constexpr std::size_t kColourBytes = 12;
  const std::size_t from = word(kHeaderBytes) + word(kColours) * kColourBytes;
  const std::size_t row_bytes = word(kRowBytes);
  Picture picture{word(kWidth), word(kHeight), {}};
  if (word(kBitsPerPixel) != 32 || bytes.size() < from + row_bytes * picture.height) {
    throw std::runtime_error(file.string() + ": no window dump of 32 bits a pixel");
  }
  picture.pixels.reserve(std::size_t{picture.width} * picture.height);
  for (unsigned y = 0; y < picture.height; ++y) {
    for (unsigned x = 0; x < picture.width; ++x) {
      const std::size_t at = from + y * row_bytes + std::size_t{x} * 4;
      const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[at + i]); };
      picture.pixels.push_back({byte(2), byte(1), byte(0)});
    }
  }
  return picture;
}

void write_png(const Picture& picture, const std::filesystem::path& file) {
  std::map<std::array<std::uint8_t, 3>, std::size_t> palette;
  const auto key = [](const Colour& c) { return std::array{c.red, c.green, c.blue}; };
  constexpr std::size_t kMostColours = 256;
  for (const Colour& colour : picture.pixels) {
    palette.emplace(key(colour), palette.size());
    if (palette.size() > kMostColours) break;
  }
  const bool small = palette.size() <= kMostColours;
  Png png(picture, small, 8);
  if (small) {
    std::string colours(3 * palette.size(), '\0');
    for (const auto& [colour, index] : palette) {
      std::transform(colour.begin(), colour.end(), colours.begin() + static_cast<long>(3 * index),
                     [](std::uint8_t part) { return static_cast<char>(part); });
    }
    png.chunk("PLTE", colours);
  }
  std::string rows;
  for (unsigned y = 0; y < picture.height; ++y) {
    rows += '\0';
    for (unsigned x = 0; x < picture.width; ++x) {
      const auto colour = key(picture.at(x, y));
      if (small) {
        rows += static_cast<char>(palette.at(colour));
      } else {
        rows.append(colour.begin(), colour.end());
      }
    }
  }
  png.pixels(rows);
  std::ofstream stream(file, std::ios::binary);
  if (!(stream << png.bytes()).flush()) {
    throw std::runtime_error("cannot write " + file.string());
  }
}

}  // namespace torusmu::draw
