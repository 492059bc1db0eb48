// SPDX-License-Identifier: Apache-2.0
// The cycle that a run has reached, in a file of 8 bytes that outlives the run however it ends.
#ifndef TORUSMU_SIM_MACHINE_CYCLE_FILE_H_
#define TORUSMU_SIM_MACHINE_CYCLE_FILE_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace torusmu {

class CycleFile {
 public:
  // Makes the file. Throws UsageError with the system's reason if it cannot.
  explicit CycleFile(const std::string& path);
  ~CycleFile();
  CycleFile(const CycleFile&) = delete;
  CycleFile& operator=(const CycleFile&) = delete;

  // All cycles before `cycle` have been simulated.
  void store(std::uint64_t cycle) { word_->store(cycle, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t>* word_;
};

// What was stored last; nothing if there is no such file.
std::optional<std::uint64_t> read_cycle_file(const std::string& path);

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_CYCLE_FILE_H_
