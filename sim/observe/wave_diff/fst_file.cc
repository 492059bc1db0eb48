// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/wave_diff/fst_file.h"

#include <fmt/format.h>
#include <gtkwave/fstapi.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "sim/machine/errors.h"
#include "sim/observe/wave_writing.h"

namespace torusmu {
namespace {

constexpr signed char kPicoseconds = -12;

// Verilator's name of a block that the RTL does not name: of a loop, or of a begin with variables.
constexpr std::string_view kUnnamedBlock = "unnamedblk";

bool is_hierarchy(std::uint64_t kind) {
  return kind == FST_BL_HIER || kind == FST_BL_HIER_LZ4 || kind == FST_BL_HIER_LZ4DUO;
}

bool is_unnamed_block(std::string_view scope) {
  return scope.starts_with(kUnnamedBlock) &&
         scope.find_first_not_of("0123456789", kUnnamedBlock.size()) == std::string_view::npos;
}

// Where a block of this kind says how long its content is when it is unpacked, from its begin.
std::optional<unsigned> place_of_unpacked_length(std::uint64_t kind) {
  constexpr unsigned kOfNames = 9, kOfChanges = 25;
  if (is_hierarchy(kind) || kind == FST_BL_GEOM) return kOfNames;
  if (kind == FST_BL_VCDATA || kind == FST_BL_VCDATA_DYN_ALIAS ||
      kind == FST_BL_VCDATA_DYN_ALIAS2) {
    return kOfChanges;
  }
  return std::nullopt;
}

// What the hierarchy holds; the header says the same.
struct HierarchyCount {
  std::uint64_t scopes = 0, variables = 0, handles = 0;
  bool is_consistent = true;
};

}  // namespace

// fstapi reads past the end of what is no trace: this looks at the blocks first. Each is a byte
// that says what it is and eight of its length, which counts itself; the first is the header, of
// 329.
std::optional<std::uint64_t> FstFile::unpacked_bytes(const std::string& path) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) return std::nullopt;
  constexpr std::uint64_t kHeaderBytes = 329;
  const auto read = [&](std::uint64_t at, unsigned bytes) {
    std::uint64_t value = 0;
    file.seekg(static_cast<std::streamoff>(at));
    for (unsigned i = 0; i < bytes; ++i) value = value << 8 | static_cast<std::uint8_t>(file.get());
    return value;
  };
  constexpr unsigned kVariables = 49;  // in the header
  constexpr std::uint64_t kMostOfNames = 1 << 20, kMostOfAName = 256;
  bool has_hierarchy = false;
  std::uint64_t unpacked = 0;
  std::uint64_t variables = 0;
  for (std::uint64_t at = 0; at < size;) {
    if (size - at < 9) return std::nullopt;
    const std::uint64_t kind = read(at, 1);
    const std::uint64_t length = read(at + 1, 8);
    if (at == 0 && (kind != FST_BL_HDR || length != kHeaderBytes)) return std::nullopt;
    if (length < 8 || length > size - at - 1) return std::nullopt;
    if (at == 0) variables = read(kVariables, 8);
    const auto place = place_of_unpacked_length(kind);
    const std::uint64_t bytes = place ? read(at + *place, 8) : 0;
    unpacked += bytes;
    if (is_hierarchy(kind)) {
      has_hierarchy = true;
      // So many would be written beside the file before anything shows that they are wrong.
      if (bytes > kMostOfNames + kMostOfAName * variables) return std::nullopt;
    }
    at += 1 + length;
  }
  if (!has_hierarchy || !file.good()) return std::nullopt;
  return unpacked;
}

FstFile::FstFile(const std::string& path) : path_(path) {
  if (!std::ifstream(path)) throw UsageError("cannot read " + path);
  if (!unpacked_bytes(path)) {
    throw UsageError(path + " is no FST trace, or the run that wrote it did not come to its end");
  }
  reader_ = fstReaderOpen(path.c_str());
  if (reader_ == nullptr) throw UsageError(path + " is no FST trace");
  if (fstReaderGetTimescale(reader_) != kPicoseconds) {
    fail(" is no trace of torusmu: its unit of time is not a picosecond");
  }
  start_ = fstReaderGetStartTime(reader_);
  end_ = fstReaderGetEndTime(reader_);
  most_handle_ = fstReaderGetMaxHandle(reader_);
  read_hierarchy();
}

FstFile::~FstFile() { fstReaderClose(reader_); }

void FstFile::add_enum(const char* text, std::uint64_t number) {
  fstETab* table = fstUtilityExtractEnumTableFromString(text);
  if (table == nullptr) return;
  enum_numbers_[number] = enums_.size();
  auto& names = enums_.emplace_back();
  for (std::uint32_t i = 0; i < table->elem_count; ++i) {
    names[table->val_arr[i]] = table->literal_arr[i];
  }
  fstUtilityFreeEnumTable(table);
}

void FstFile::read_hierarchy() {
  reset_wave_error();
  fstReaderIterateHierRewind(reader_);
  std::vector<std::string> scopes{""};
  std::size_t names = 0;    // of the variable that follows
  std::size_t unnamed = 0;  // unnamed blocks that the next variable lies in
  HierarchyCount count;
  while (const fstHier* item = fstReaderIterateHier(reader_)) {
    switch (item->htyp) {
      case FST_HT_SCOPE:
        ++count.scopes;
        scopes.push_back(scopes.back() + item->u.scope.name + ".");
        unnamed += unnamed != 0 || is_unnamed_block(item->u.scope.name) ? 1 : 0;
        break;
      case FST_HT_UPSCOPE:
        if (scopes.size() > 1) {
          scopes.pop_back();
          unnamed -= std::min<std::size_t>(unnamed, 1);
        } else {
          count.is_consistent = false;
        }
        break;
      case FST_HT_ATTRBEGIN:
        if (item->u.attr.typ != FST_AT_MISC || item->u.attr.subtype != FST_MT_ENUMTABLE) break;
        if (item->u.attr.name_length != 0) {
          add_enum(item->u.attr.name, item->u.attr.arg);
        } else if (const auto found = enum_numbers_.find(item->u.attr.arg);
                   found != enum_numbers_.end()) {
          names = found->second + 1;
        }
        break;
      case FST_HT_VAR: {
        ++count.variables;
        if (item->u.var.is_alias == 0) ++count.handles;
        if (item->u.var.handle > most_handle_) count.is_consistent = false;
        // Bars of messages: what they say of a message is known only at its end.
        if (item->u.var.typ == FST_VT_GEN_STRING) break;
        // Its enum, if it has one, is that of no other variable.
        if (unnamed != 0) {
          names = 0;
          break;
        }
        // Verilator puts a blank before the range.
        std::string name = scopes.back() + item->u.var.name;
        std::erase(name, ' ');
        signals_.push_back({std::move(name), item->u.var.handle, names});
        names = 0;
        break;
      }
      default:
        break;
    }
  }
  if (wave_error() != 0) {
    fail(fmt::format(": its names cannot be unpacked beside it or in /tmp: {}",
                     std::strerror(wave_error())));
  }
  if (!count.is_consistent || scopes.size() != 1 ||
      count.scopes != fstReaderGetScopeCount(reader_) ||
      count.variables != fstReaderGetVarCount(reader_) || count.handles != most_handle_) {
    fail(" is damaged: its names are not those that its header counts");
  }
}

void FstFile::fail(const std::string& reason) {
  fstReaderClose(reader_);
  throw UsageError(path_ + reason);
}

void FstFile::changes(const std::vector<std::uint32_t>& handles, const Visit& visit) {
  fstReaderClrFacProcessMaskAll(reader_);
  for (const std::uint32_t handle : handles) fstReaderSetFacProcessMask(reader_, handle);
  struct Context {
    const Visit& visit;
  } context{visit};
  const auto fixed = [](void* data, std::uint64_t time, fstHandle handle,
                        const unsigned char* value) {
    static_cast<Context*>(data)->visit(time, handle, reinterpret_cast<const char*>(value));
  };
  const auto text = [](void* data, std::uint64_t time, fstHandle handle, const unsigned char* value,
                       std::uint32_t length) {
    static_cast<Context*>(data)->visit(time, handle,
                                       {reinterpret_cast<const char*>(value), length});
  };
  if (fstReaderIterBlocks2(reader_, fixed, text, &context, nullptr) == 0) {
    throw UsageError(path_ + ": the changes of its signals cannot be read");
  }
}

std::string FstFile::shown(const Signal& signal, const std::string& value) const {
  if (signal.names != 0) {
    const auto& names = enums_[signal.names - 1];
    const auto found = names.find(value);
    if (found != names.end()) return found->second;
  }
  const bool is_bits = !value.empty() && value.find_first_not_of("01") == std::string::npos;
  if (!is_bits || value.size() == 1) return value;
  std::string digits;
  for (std::size_t end = value.size(); end > 0;) {
    const std::size_t begin = end < 4 ? 0 : end - 4;
    unsigned digit = 0;
    for (std::size_t i = begin; i < end; ++i) digit = digit << 1 | (value[i] == '1' ? 1U : 0U);
    digits += "0123456789abcdef"[digit];
    end = begin;
  }
  std::reverse(digits.begin(), digits.end());
  return fmt::format("{}'h{}", value.size(), digits);
}

}  // namespace torusmu
