// SPDX-License-Identifier: Apache-2.0
// What is counted in a process that runs models with coverage, test by test.
//
// Verilator's counters belong to an instance of a model and are gone with it; here they belong to
// the model (tests/coverage/model.awk), so that a test may make as many machines as it likes, and
// counting costs an addition without a lock. Models that run on two threads at a time may lose
// counts.
#ifndef TORUSMU_TESTS_COVERAGE_RECORDER_H_
#define TORUSMU_TESTS_COVERAGE_RECORDER_H_

#include <cstdint>
#include <string>
#include <vector>

namespace torusmu::coverage {

// The bits of the signals of one model.
struct ToggleTable {
  struct Signal {
    std::uint32_t point;  // of its lowest bit
    std::uint32_t code;   // of its lowest word in `toggled`
    std::uint32_t bits;
  };
  // Called for each signal while `known` is false. The scopes are the model's name, its top, the
  // instances, blocks and structs down to the signal.
  void declare(const std::vector<std::string>& scopes, const std::string& name, std::uint32_t code,
               int lsb, std::uint32_t bits, bool bit);

  bool known = false;
  std::vector<std::uint32_t> toggled;
  std::vector<Signal> signals;
};
// The table of the model that has this function.
ToggleTable& toggle_table(const void* model);

// A counter of a model; the texts are those of Verilator's coverage file. Again for each instance.
void add_counter(std::uint32_t* count, const char* file, int line, int column,
                 const std::string& hierarchy, const char* page, const char* comment,
                 const char* lines);

// Ends a test: whatever was counted since the last one ended belongs to it.
void end_test(const std::string& name);

}  // namespace torusmu::coverage

#endif  // TORUSMU_TESTS_COVERAGE_RECORDER_H_
