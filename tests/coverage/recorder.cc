// SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/recorder.h"

#include <unistd.h>
#include <verilated.h>
#include <verilated_cov.h>

#include <cstdlib>
#include <mutex>
#include <string_view>
#include <unordered_set>

namespace torusmu::coverage {
namespace {

class Recorder {
 public:
  static Recorder& instance() {
    static Recorder recorder;
    return recorder;
  }
  ~Recorder() {
    const char* folder = std::getenv("TORUSMU_COVERAGE");
    if (folder == nullptr) return;
    coverage_.write((std::string(folder) + "/" + std::to_string(::getpid()) + ".dat").c_str());
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void add(std::uint32_t* count, const char* file, int line, int column,
           const std::string& hierarchy, const char* page, const char* comment, const char* lines) {
    const std::lock_guard lock(mutex_);
    if (!seen_.insert(count).second) return;
    const bool functional = std::string_view(page).starts_with("v_user");
    coverage_._inserti(count);
    coverage_._insertf(file, line);
    coverage_._insertp("lineno", std::to_string(line).c_str(), "column",
                       std::to_string(column).c_str(), "hier", hierarchy.c_str(), "page", page,
                       "comment", comment, *lines != 0 ? "linescov" : "", lines,
                       functional ? "per_instance" : "", "1");
  }

 private:
  // Of the default context: those of tests do not last.
  Recorder() : coverage_(*Verilated::defaultContextp()->coveragep()) {}

  VerilatedCovContext& coverage_;
  std::mutex mutex_;
  std::unordered_set<std::uint32_t*> seen_;
};

}  // namespace

void add_counter(std::uint32_t* count, const char* file, int line, int column,
                 const std::string& hierarchy, const char* page, const char* comment,
                 const char* lines) {
  Recorder::instance().add(count, file, line, column, hierarchy, page, comment, lines);
}

}  // namespace torusmu::coverage
