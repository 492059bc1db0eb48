// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <fstream>

#include "sim/errors.h"
#include "sim/wave.h"

namespace torusmu {
namespace {

// Flags of a line in a save file: how the signals after it are shown.
constexpr const char* kHex = "@22";
constexpr const char* kBinary = "@28";
constexpr const char* kOpenGroup = "@800200";
constexpr const char* kCloseGroup = "@1000200";

class SaveFile {
 public:
  void open(const std::string& group) { text_ += fmt::format("{}\n-{}\n", kOpenGroup, group); }
  void close(const std::string& group) { text_ += fmt::format("{}\n-{}\n", kCloseGroup, group); }
  void show(const char* flags, const std::string& signal) {
    text_ += fmt::format("{}\n{}\n", flags, signal);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

void write_gtkwave_save_file(const std::string& fst_file, const std::vector<NodeId>& nodes) {
  SaveFile save;
  for (const NodeId node : nodes) {
    const std::string top = "node_" + std::to_string(node.value) + ".";
    save.open("node " + std::to_string(node.value));
    save.show(kBinary, top + "irq_o[3:0]");
    save.show(kBinary, top + "quiescent_o");
    for (const char* direction : {"xp", "xm", "yp", "ym", "zp", "zm"}) {
      const std::string link = top + "link_" + direction + "_";
      save.open(std::string("link ") + direction);
      for (const char* way : {"i", "o"}) {
        for (const char* bit : {"valid_", "head_", "tail_", "reply_"}) {
          save.show(kBinary, link + bit + way);
        }
        save.show(kHex, link + "data_" + way + "[127:0]");
      }
      save.close(std::string("link ") + direction);
    }
    save.close("node " + std::to_string(node.value));
  }
  std::string path = fst_file;
  if (path.ends_with(".fst")) path.resize(path.size() - 4);
  path += ".gtkw";
  std::ofstream file(path);
  if (!(file << save.text()).flush()) throw UsageError("cannot write " + path);
}

}  // namespace torusmu
