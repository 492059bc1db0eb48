// SPDX-License-Identifier: Apache-2.0
// A trace as a list of signals and their changes.
#ifndef TORUSMU_SIM_OBSERVE_WAVE_DIFF_FST_FILE_H_
#define TORUSMU_SIM_OBSERVE_WAVE_DIFF_FST_FILE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace torusmu {

class FstFile {
 public:
  // A signal by its name; several may share a handle, and then always have the same value.
  // What is no hardware is left out: strings, and variables of blocks without a name, as of loops.
  struct Signal {
    std::string name;  // "node_3.mu_gated_node.u_x.state_q[1:0]"
    std::uint32_t handle = 0;
    std::size_t names = 0;  // its enum in the file, from 1; 0: none
  };

  // Of all its blocks, as they say themselves; nothing if the file is no whole trace.
  static std::optional<std::uint64_t> unpacked_bytes(const std::string& path);

  // Throws UsageError if the file cannot be read, is no trace or has other names than it counts. Of
  // one that is damaged elsewhere the reader of FST may end the process: see fst_guard.h.
  explicit FstFile(const std::string& path);
  ~FstFile();
  FstFile(const FstFile&) = delete;
  FstFile& operator=(const FstFile&) = delete;

  [[nodiscard]] const std::vector<Signal>& signals() const { return signals_; }
  [[nodiscard]] std::uint32_t most_handle() const { return most_handle_; }
  // Picoseconds, of the first and the last change.
  [[nodiscard]] std::uint64_t start() const { return start_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }
  // Calls visit(time, handle, value) for every change of `handles`, by time; the first of each
  // tells its value at the start. A value is its bits, highest first, or text.
  using Visit = std::function<void(std::uint64_t, std::uint32_t, std::string_view)>;
  void changes(const std::vector<std::uint32_t>& handles, const Visit& visit);
  // "STATE_IDLE" for a value of an enum; else in hexadecimal with its width, one bit as it is.
  [[nodiscard]] std::string shown(const Signal& signal, const std::string& value) const;

 private:
  void read_hierarchy();
  // Throws UsageError with the name of the file before `reason`; only while it is constructed.
  [[noreturn]] void fail(const std::string& reason);
  void add_enum(const char* text, std::uint64_t number);

  std::string path_;
  void* reader_;
  std::vector<Signal> signals_;
  std::vector<std::unordered_map<std::string, std::string>> enums_;  // names by bits
  std::unordered_map<std::uint64_t, std::size_t> enum_numbers_;      // of the file, into enums_
  std::uint32_t most_handle_ = 0;
  std::uint64_t start_ = 0, end_ = 0;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_WAVE_DIFF_FST_FILE_H_
