// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/surfer.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/machine/errors.h"
#include "sim/observe/output_file.h"
#include "sim/observe/view_items.h"

namespace torusmu {
namespace {

// A command takes one word; '#' begins a comment and ';' ends a command.
std::string one_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const bool is_part = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_part) {
      word += c;
    } else if (!word.empty() && word.back() != '_') {
      word += '_';
    }
  }
  if (!word.empty() && word.back() == '_') word.pop_back();
  return word;
}

// Surfer names a vector without its range.
std::string without_range(const std::string& name) {
  const std::size_t bracket = name.rfind('[');
  const bool has_range = bracket != std::string::npos && name.find(':', bracket) != name.npos;
  return has_range ? name.substr(0, bracket) : name;
}

// The row of an item, counted from 0, as commands name it: hexadecimal, a to p for 0 to f, before
// an underscore.
std::string row_name(std::size_t row) {
  std::string name = fmt::format("{:x}", row);
  for (char& c : name) c = static_cast<char>(c <= '9' ? c - '0' + 'a' : c - 'a' + 'k');
  return name + "_";
}

// Surfer puts a new item behind the one in focus, which then is the new one, and puts a format on
// the one in focus. Only the item in focus can become a group, whose first places the next items
// take: so the last item of a group is added first. A group cannot hold groups that way: those that
// are folded up are groups here, and what is in them has dividers.
class CommandFile final : public ViewWriter {
 public:
  void open(const std::string& title, bool folded) override {
    ++depth_;
    if (folded && !group_) {
      group_ = Group{title, depth_, {}};
    } else {
      comment(title);
    }
  }
  void close(const std::string& /*title*/, bool /*folded*/) override {
    if (group_ && group_->depth == depth_) {
      const Group group = *std::exchange(group_, std::nullopt);
      add_group(group);
    }
    --depth_;
  }
  void signal(const ViewFormat& format, const std::string& /*label*/,
              const std::string& name) override {
    put({"variable_add " + without_range(name), format.surfer == nullptr ? "" : format.surfer});
  }
  void comment(const std::string& text) override { put({"divider_add " + one_word(text), ""}); }
  void line(const std::string& text) { text_ += text + "\n"; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Item {
    std::string command, format;
  };
  struct Group {
    std::string title;
    unsigned depth;
    std::vector<Item> items;
  };

  void put(const Item& item) {
    if (group_) {
      group_->items.push_back(item);
    } else {
      add(item);
      ++rows_;
    }
  }
  void add(const Item& item) {
    line(item.command);
    // With no item in focus new ones come last, and none of them is in focus.
    if (rows_ == 0) focus(0);
    if (!item.format.empty()) line("item_set_format " + item.format);
  }
  void add_group(const Group& group) {
    if (group.items.empty()) return;
    add(group.items.back());
    line("group_marked " + one_word(group.title));
    for (std::size_t i = 0; i + 1 < group.items.size(); ++i) add(group.items[i]);
    focus(rows_);
    line("group_fold_recursive");
    focus(rows_);  // what is folded up loses it
    ++rows_;
  }
  void focus(std::size_t row) { line("item_focus " + row_name(row)); }

  std::string text_;
  unsigned depth_ = 0;
  std::size_t rows_ = 0;  // that are seen: a folded group is one
  std::optional<Group> group_;
};

void add_window(CommandFile& file, const WaveView& view) {
  for (const Act::Mark& mark : view.marks) {
    file.line(
        fmt::format("marker_set {} {}", one_word(mark.text), mark.cycle * kWaveUnitsPerCycle));
  }
  if (!view.marks.empty()) {
    file.line(fmt::format("cursor_set {}", view.marks.back().cycle * kWaveUnitsPerCycle));
  }
  file.line(fmt::format("zoom_to {} {}", view.from * kWaveUnitsPerCycle,
                        std::max(view.to, view.from + 1) * kWaveUnitsPerCycle));
}

// A table of the names of an enum.
class Mapping {
 public:
  Mapping(const char* name, unsigned bits, const char* meaning)
      : name_(name),
        text_(fmt::format("# {}: {}\nName = {}\nBits = {}\n", name, meaning, name, bits)),
        digits_((bits + 3) / 4) {}
  void add(unsigned value, const char* name) {
    text_ += fmt::format("0x{:0{}x} {}\n", value, digits_, name);
  }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string name_, text_;
  unsigned digits_;
};

std::vector<Mapping> mappings() {
  std::vector<Mapping> all;
#define ENUM(name, width, meaning) all.emplace_back(#name, width, meaning);
#define VALUE(type, name, value, meaning) all.back().add(value, #name);
#include "rtl/package/enums.def"
#define LAYOUT(name, width, meaning)
#define FIELD(layout, name, lsb, width, meaning)
#define ENUM_FIELD(layout, name, lsb, width, type, meaning)
#define STRUCT_FIELD(layout, name, lsb, width, type, meaning)
#define RESERVED(layout, lsb, width)
#include "rtl/package/internal.def"
#undef ENUM
#undef VALUE
#undef LAYOUT
#undef FIELD
#undef ENUM_FIELD
#undef STRUCT_FIELD
#undef RESERVED
  return all;
}

}  // namespace

std::string surfer_file_of(const std::string& fst_file) {
  std::string path = view_file_of(fst_file);
  path.resize(path.rfind('.'));
  return path + ".sucl";
}

void write_surfer_files(const std::string& fst_file, const WaveView& view) {
  namespace fs = std::filesystem;
  CommandFile file;
  file.line("# surfer -c FILE.sucl FILE.fst, started in their folder");
  write_view_items(view, file);
  add_window(file, view);
  constexpr const char* kWhat = "view of the waves";
  write_output_file(kWhat, surfer_file_of(fst_file), file.text());
  const fs::path folder = fs::path(fst_file).parent_path() / ".surfer" / "mappings";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw UsageError(
        fmt::format("{}: cannot make {}: {}", kWhat, folder.string(), error.message()));
  }
  for (const Mapping& mapping : mappings()) {
    write_output_file(kWhat, (folder / mapping.name()).string(), mapping.text());
  }
}

}  // namespace torusmu
