// SPDX-License-Identifier: Apache-2.0
// Verilator writes bits alone into a trace: so it is written once more, with the strings.
#include <fmt/format.h>
#include <gtkwave/fstapi.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <unordered_map>

#include "sim/observe/message_track.h"
#include "sim/observe/wave_view.h"
#include "sim/observe/wave_writing.h"

namespace torusmu {
namespace {

struct Change {
  std::uint64_t time;
  fstHandle handle;
  std::string text;
};

// Copies a trace and puts the tracks into the scopes of their nodes.
class Copy {
 public:
  Copy(void* reader, void* writer, const std::vector<MessageTrack>& tracks)
      : reader_(reader),
        writer_(writer),
        tracks_(tracks),
        start_(fstReaderGetStartTime(reader)),
        end_(fstReaderGetEndTime(reader)) {
    fstWriterSetTimescale(writer, fstReaderGetTimescale(reader));
    fstWriterSetVersion(writer, fstReaderGetVersionString(reader));
    fstWriterSetPackType(writer, FST_WR_PT_LZ4);
  }

  void run() {
    copy_hierarchy();
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const Change& a, const Change& b) { return a.time < b.time; });
    fstReaderSetFacProcessMaskAll(reader_);
    fstReaderIterBlocks2(
        reader_,
        [](void* copy, std::uint64_t time, fstHandle handle, const unsigned char* value) {
          static_cast<Copy*>(copy)->copy_change(time, handle, value);
        },
        nullptr, this, nullptr);
    emit_tracks(end_);
    go_to(end_);
  }

 private:
  void copy_hierarchy() {
    std::vector<std::string> scopes;
    fstReaderIterateHierRewind(reader_);
    while (fstHier* item = fstReaderIterateHier(reader_)) {
      switch (item->htyp) {
        case FST_HT_SCOPE:
          scopes.emplace_back(item->u.scope.name);
          fstWriterSetScope(writer_, static_cast<fstScopeType>(item->u.scope.typ),
                            item->u.scope.name, item->u.scope.component);
          break;
        case FST_HT_UPSCOPE:
          if (scopes.size() == 1) add_tracks(scopes.front());
          if (!scopes.empty()) scopes.pop_back();
          fstWriterSetUpscope(writer_);
          break;
        case FST_HT_VAR:
          copy_variable(item->u.var);
          break;
        case FST_HT_ATTRBEGIN:
          copy_attribute(item->u.attr);
          break;
        case FST_HT_ATTREND:
          fstWriterSetAttrEnd(writer_);
          break;
        default:
          break;
      }
    }
  }

  template <typename Variable>
  void copy_variable(const Variable& var) {
    const auto known = handles_.find(var.handle);
    const fstHandle handle = fstWriterCreateVar(
        writer_, static_cast<fstVarType>(var.typ), static_cast<fstVarDir>(var.direction),
        var.length, var.name, known == handles_.end() ? 0 : known->second);
    handles_.emplace(var.handle, handle);
  }

  template <typename Attribute>
  void copy_attribute(const Attribute& attribute) {
    const bool is_enum = attribute.typ == FST_AT_MISC && attribute.subtype == FST_MT_ENUMTABLE;
    if (!is_enum) {
      fstWriterSetAttrBegin(writer_, static_cast<fstAttrType>(attribute.typ), attribute.subtype,
                            attribute.name, attribute.arg);
    } else if (attribute.name_length == 0) {
      fstWriterEmitEnumTableRef(writer_, enums_[attribute.arg]);
    } else if (fstETab* table = fstUtilityExtractEnumTableFromString(attribute.name)) {
      enums_[attribute.arg] = fstWriterCreateEnumTable(writer_, table->name, table->elem_count, 0,
                                                       const_cast<const char**>(table->literal_arr),
                                                       const_cast<const char**>(table->val_arr));
      fstUtilityFreeEnumTable(table);
    }
  }

  void add_tracks(const std::string& scope) {
    for (const MessageTrack& track : tracks_) {
      if (scope != fmt::format("node_{}", track.node.value)) continue;
      add_lanes(kSentLanes, track.sent);
      add_lanes(kReceivedLanes, track.received);
    }
  }

  void add_lanes(const char* name, const std::vector<MessageTrack::Lane>& lanes) {
    if (lanes.empty()) return;
    fstWriterSetScope(writer_, FST_ST_VCD_MODULE, name, nullptr);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const fstHandle handle = fstWriterCreateVar(writer_, FST_VT_GEN_STRING, FST_VD_IMPLICIT, 0,
                                                  fmt::format("lane_{}", i).c_str(), 0);
      changes_.push_back({start_, handle, ""});
      for (const MessageTrack::Bar& bar : lanes[i]) {
        const std::uint64_t from = std::max(start_, bar.from * kWaveUnitsPerCycle);
        const std::uint64_t to = bar.to * kWaveUnitsPerCycle;
        if (to <= start_ || from > end_) continue;
        changes_.push_back({from, handle, bar.text});
        if (to <= end_) changes_.push_back({to, handle, ""});
      }
    }
    fstWriterSetUpscope(writer_);
  }

  void copy_change(std::uint64_t time, fstHandle handle, const unsigned char* value) {
    emit_tracks(time);
    go_to(time);
    fstWriterEmitValueChange(writer_, handles_[handle], value);
  }

  // All changes of the tracks up to `time`.
  void emit_tracks(std::uint64_t time) {
    for (; next_ < changes_.size() && changes_[next_].time <= time; ++next_) {
      // Of several changes at a time the last counts: an end gives way to the begin behind it.
      const Change& change = changes_[next_];
      go_to(change.time);
      fstWriterEmitVariableLengthValueChange(writer_, change.handle, change.text.data(),
                                             static_cast<std::uint32_t>(change.text.size()));
    }
  }

  void go_to(std::uint64_t time) {
    if (has_time_ && time == time_) return;
    has_time_ = true;
    time_ = time;
    fstWriterEmitTimeChange(writer_, time);
  }

  void* reader_;
  void* writer_;
  const std::vector<MessageTrack>& tracks_;
  std::uint64_t start_, end_;
  std::unordered_map<fstHandle, fstHandle> handles_;  // of the copy, by those of the trace
  std::map<std::uint64_t, fstEnumHandle> enums_;
  std::vector<Change> changes_;
  std::size_t next_ = 0;
  bool has_time_ = false;
  std::uint64_t time_ = 0;
};

}  // namespace

void add_message_tracks(const std::string& fst_file, const std::vector<MessageTrack>& tracks) {
  void* const reader = fstReaderOpen(fst_file.c_str());
  if (reader == nullptr) return;  // no cycle of the run lay in the window
  const std::string copy = fst_file + ".new";
  WaveWriting writing(copy, fst_file + " has the signals, without messages");
  constexpr int kCompressed = 1;
  void* const writer = fstWriterCreate(copy.c_str(), kCompressed);
  if (writer != nullptr) {
    Copy(reader, writer, tracks).run();
    fstWriterClose(writer);
  }
  fstReaderClose(reader);
  if (writer == nullptr) writing.fail();
  writing.check();
  std::filesystem::rename(copy, fst_file);
}

}  // namespace torusmu
