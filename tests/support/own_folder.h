// SPDX-License-Identifier: Apache-2.0
// A fixture with a folder of its own, empty when a test begins and removed when it ends.
#ifndef TESTS_SUPPORT_OWN_FOLDER_H_
#define TESTS_SUPPORT_OWN_FOLDER_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace torusmu::testing {

class InOwnFolder : public ::testing::Test {
 protected:
  // `name` tells whose folder it is.
  explicit InOwnFolder(const std::string& name)
      : folder_(std::filesystem::temp_directory_path() /
                ("torusmu-" + name + "-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~InOwnFolder() override {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }
  // A script of bash in the folder, under the name of a program that it stands for.
  void add(const std::string& name, const std::string& script) const {
    std::ofstream(folder_ / name) << "#!/bin/bash\n" << script << "\n";
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
  }
  const std::filesystem::path folder_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_OWN_FOLDER_H_
