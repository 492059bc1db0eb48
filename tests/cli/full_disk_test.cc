// SPDX-License-Identifier: Apache-2.0
// What torusmu writes on a full disk, which a limit on the size of files is to a process: it is
// told with exit status 2, and nothing half written stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/observe/wave_diff/fst_file.h"
#include "tests/support/shell.h"

namespace torusmu {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Output;
using testing::shell;
namespace fs = std::filesystem;

constexpr const char* kRun = "scenario put --mesh 2x1x1 ";

class FullDisk : public ::testing::Test {
 protected:
  FullDisk() { fs::create_directories(folder_); }
  ~FullDisk() override {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  // No file of it grows beyond `kib` KiB.
  static Output torusmu(unsigned kib, const std::string& arguments) {
    return shell("ulimit -f " + std::to_string(2 * kib) + "; " TORUSMU_BUILD "/torusmu " +
                 arguments);
  }
  [[nodiscard]] fs::path folder() const { return folder_; }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("torusmu-full-" + std::to_string(getpid()));
};

// The writer's maps, its files beside and the trace itself meet the limit one after another.
TEST_F(FullDisk, LeavesNoPartOfAWaveFileWhateverItIsThatDoesNotFit) {
  const std::string fst = path("x.fst");
  unsigned kib = 1;
  for (;; kib += kib / 2 + 1) {
    ASSERT_LT(kib, 1U << 20U);
    const Output output = torusmu(kib, kRun + ("--wave-nodes 0 --wave-window 0:400 --wave " + fst));
    if (output.status == 0) break;
    EXPECT_EQ(output.status, 2) << kib << " KiB: " << output.text;
    EXPECT_THAT(output.text, HasSubstr("torusmu: cannot write the wave file " + fst));
    EXPECT_THAT(output.text, HasSubstr("in /tmp: File too large")) << kib << " KiB";
    EXPECT_THAT(output.text, Not(HasSubstr("checks passed")));
    if (fs::exists(fst)) {
      EXPECT_THAT(output.text, HasSubstr("; " + fst + " has the signals, without messages\n"));
      EXPECT_GT(FstFile(fst).end(), 0U);
      fs::remove(fst);
    }
    EXPECT_TRUE(fs::is_empty(folder())) << kib << " KiB: " << shell("ls " + path("")).text;
  }
  EXPECT_GT(kib, 40U);
  EXPECT_GT(FstFile(fst).end(), 0U);
}

TEST_F(FullDisk, IsWhatIsSaidIfAFailureCannotBeWaved) {
  const std::string fst = path("failed.fst");
  const Output output =
      torusmu(20, kRun + ("--inject flip-payload-bit:3 --wave-nodes 0 --wave-on-fail " + fst));
  EXPECT_EQ(output.status, 1) << output.text;
  EXPECT_THAT(output.text, HasSubstr("waves of the failure: cannot write the wave file " + fst));
  EXPECT_THAT(output.text, Not(HasSubstr("in the same way")));
  EXPECT_TRUE(fs::is_empty(folder())) << shell("ls " + path("")).text;
}

TEST_F(FullDisk, LeavesNoPartOfAViewAPageOrAResult) {
  const Output json = torusmu(1, kRun + ("--json " + path("x.json")));
  EXPECT_EQ(json.status, 2) << json.text;
  EXPECT_THAT(json.text, HasSubstr("--json: cannot write " + path("x.json: File too large")));
  const Output page = torusmu(8, kRun + ("--report " + path("x.html")));
  EXPECT_EQ(page.status, 2) << page.text;
  EXPECT_THAT(page.text, HasSubstr("--report: cannot write " + path("x.html: File too large")));
  const Output list = torusmu(1, "list --json " + path("list.json"));
  EXPECT_EQ(list.status, 2) << list.text;
  EXPECT_THAT(list.text, HasSubstr("--json: cannot write " + path("list.json: File too large")));
  EXPECT_TRUE(fs::is_empty(folder())) << shell("ls " + path("")).text;
}

TEST_F(FullDisk, OfStdoutIsNoSuccess) {
  const Output output = shell(std::string("(" TORUSMU_BUILD "/torusmu ") + kRun + "> /dev/full)");
  EXPECT_NE(output.status, 0);
  EXPECT_THAT(output.text, HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace torusmu
