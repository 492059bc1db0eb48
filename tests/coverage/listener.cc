// SPDX-License-Identifier: Apache-2.0
// Linked to a GoogleTest program, ends a test of the recorder with each test case.
#include <gtest/gtest.h>

#include "tests/coverage/recorder.h"

namespace torusmu::coverage {
namespace {

class Listener final : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo& test) override {
    end_test(std::string(test.test_suite_name()) + "." + test.name());
  }
};

const bool kListening = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new Listener);
  return true;
}();

}  // namespace
}  // namespace torusmu::coverage
