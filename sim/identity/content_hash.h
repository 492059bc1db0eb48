// SPDX-License-Identifier: Apache-2.0
// A number for texts and the contents of files.
#ifndef TORUSMU_SIM_IDENTITY_CONTENT_HASH_H_
#define TORUSMU_SIM_IDENTITY_CONTENT_HASH_H_

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace torusmu {

// 64 bits, FNV-1a. Each text is preceded by its length, so that no two lists of texts read alike.
class ContentHash {
 public:
  void add(std::string_view text) {
    for (std::uint64_t length = text.size(), i = 0; i < 8; ++i) {
      add_byte(static_cast<unsigned char>(length >> 8 * i));
    }
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }
  // A file that is not there differs from an empty one.
  void add_file(const std::filesystem::path& root, const std::string& file) {
    add(file);
    const std::ifstream input(root / file, std::ios::binary);
    std::ostringstream text;
    if (input) text << input.rdbuf();
    add(input ? "there" : "missing");
    add(text.str());
  }
  [[nodiscard]] std::string hex() const {
    std::ostringstream text;
    text << std::hex;
    text.width(16);
    text.fill('0');
    text << value_;
    return text.str();
  }

 private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3U; }

  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_IDENTITY_CONTENT_HASH_H_
