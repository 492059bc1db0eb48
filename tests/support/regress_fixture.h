// SPDX-License-Identifier: Apache-2.0
// torusmu in a folder of its own, beside programs of tests that behave as a test of the runner
// wants.
#ifndef TESTS_SUPPORT_REGRESS_FIXTURE_H_
#define TESTS_SUPPORT_REGRESS_FIXTURE_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>

#include "tests/support/shell.h"

namespace torusmu::testing {

class RegressFixture : public ::testing::Test {
 protected:
  RegressFixture() {
    namespace fs = std::filesystem;
    folder_ = fs::temp_directory_path() / ("torusmu-regress-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "tests");
    fs::copy_file(TORUSMU_BUILD "/torusmu", folder_ / "torusmu");
  }
  ~RegressFixture() override {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  // A program among the GoogleTests that does what `script` says.
  void add_program(const std::string& name, const std::string& script) const {
    const std::string file = path("tests/" + name);
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  // A plan of these programs, each once.
  void write_plan(std::initializer_list<std::string> programs,
                  const std::string& time_limit = "60") const {
    std::string tests;
    for (const std::string& name : programs) {
      tests += (tests.empty() ? "" : ",\n") +
               (R"({"name": ")" + name + R"(", "gtest": ")" + name + R"(", "filter": "*"})");
    }
    std::ofstream(path("plan.json")) << "{\"time_limit\": " << time_limit << ", \"tests\": [\n"
                                     << tests << "]}\n";
  }
  [[nodiscard]] std::string command(const std::string& options = "") const {
    return path("torusmu") + " regress " + path("plan.json") + " --output " + path("out") + " " +
           options;
  }
  [[nodiscard]] Output regress(const std::string& options = "") const {
    return shell(command(options));
  }
  [[nodiscard]] std::string text_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
  // Of a test of a run, by its name without the number of its seed.
  [[nodiscard]] nlohmann::json result_of(const std::string& name, int run = 1) const {
    const auto report = nlohmann::json::parse(
        text_of("out/runs/" + std::to_string(run) + "/report.json"), nullptr, false);
    if (!report.is_object()) return {{"status", "there is no report"}};
    for (const auto& test : report["tests"]) {
      if (test["job"]["name"] == name + "/1") return test;
    }
    return {{"status", "not in the report"}};
  }
  [[nodiscard]] std::string status_of(const std::string& name, int run = 1) const {
    return result_of(name, run)["status"];
  }
  // Waits until a file is there; false: it did not come.
  [[nodiscard]] bool comes(const std::string& name) const {
    for (int i = 0; i < 600; ++i) {
      if (std::filesystem::exists(path(name))) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
  // Waits until the process whose number is in a file is gone; false: it did not go.
  [[nodiscard]] bool goes(const std::string& name) const {
    const int number = std::atoi(text_of(name).c_str());
    if (number <= 0) return false;
    for (int i = 0; i < 200; ++i) {
      // "number (name) state ...": nothing if there is no such process, Z if it has ended.
      std::ifstream file("/proc/" + std::to_string(number) + "/stat");
      std::string state;
      if (!std::getline(file, state)) return true;
      if (state.substr(state.rfind(')') + 1).starts_with(" Z")) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

 private:
  std::filesystem::path folder_;
};

// What a program of GoogleTests prints when all is well.
inline constexpr const char* kGood = "echo '[  PASSED  ] 1 test.'";

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_REGRESS_FIXTURE_H_
