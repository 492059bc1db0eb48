// SPDX-License-Identifier: Apache-2.0
// Files are there whole or not at all; results that are not whole are none.
#include "tb/lab/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/machine/errors.h"
#include "tb/lab/result.h"

namespace torusmu::lab {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

// While it lives, no file of this process grows beyond `bytes`: what a full disk does to it.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  sighandler_t handler_;
};

class Files : public ::testing::Test {
 protected:
  Files() {
    folder_ = fs::temp_directory_path() / ("torusmu-files-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  ~Files() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }

 private:
  fs::path folder_;
};

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST_F(Files, AreWrittenWholeOrLeftAsTheyWere) {
  const std::string file = path("result.json");
  write_whole(file, "first");
  {
    const FullDisk full(100);
    EXPECT_THAT(message_of([&] { write_whole(file, std::string(1000, 'x')); }),
                HasSubstr("cannot write " + file + ": File too large"));
  }
  EXPECT_EQ(read_file(file), "first");
  EXPECT_FALSE(fs::exists(file + ".new"));
  write_whole(file, "second");
  EXPECT_EQ(read_file(file), "second");
}

TEST_F(Files, OnAFullDeviceAreNotWritten) {
  fs::create_symlink("/dev/full", path("result.json.new"));
  EXPECT_THAT(message_of([&] { write_whole(path("result.json"), "x"); }),
              HasSubstr("No space left on device"));
  EXPECT_FALSE(fs::exists(path("result.json")));
}

TEST_F(Files, InAFolderThatIsNotThereAreRefusedByName) {
  EXPECT_THAT(message_of([&] { write_whole(path("none/x"), "x"); }), HasSubstr("none/x"));
  EXPECT_THAT(message_of([&] { make_folder("/dev/null/x"); }), HasSubstr("/dev/null/x"));
}

TEST_F(Files, AFolderHasOneHolderAtATime) {
  {
    const FolderLock lock(path("out"), "a hand");
    EXPECT_THAT(message_of([&] { const FolderLock second(path("out"), "a hand"); }),
                ::testing::AllOf(HasSubstr("is in use by another runner"),
                                 HasSubstr("process " + std::to_string(getpid()))));
  }
  EXPECT_EQ(message_of([&] { const FolderLock again(path("out"), "a hand"); }), "none");
}

TEST(Programs, ThatAreNotThereAreNamedWithTheirPackage) {
  EXPECT_EQ(message_of([] { require_program("sbatch-of-nobody", "slurm-client"); }),
            "sbatch-of-nobody is not there: Debian's package slurm-client has it");
  EXPECT_EQ(message_of([] { require_program("sh", "dash"); }), "none");
}

class ResultFile : public Files {
 protected:
  ResultFile() {
    result_.job.number = 3;
    result_.job.name = "put/1";
    result_.job.seed = 7;
    result_.job.words = {"build/torusmu", "scenario", "put"};
    result_.status = Status::kFailed;
    result_.reason = "put.bytes: wrong";
    result_.seconds = 1.5;
    result_.cycles = 99;
    result_.failures = {{.check = "put.bytes",
                         .detail = "d",
                         .node = "2",
                         .cycle = "44",
                         .got = "1",
                         .expected = "2"}};
    result_.view = "x.gtkw";
  }
  Result result_;
};

TEST_F(ResultFile, ComesBackAsItWas) {
  write_whole(path("r"), result_to_json(result_).dump());
  const auto back = read_result(path("r"), result_.job);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(result_to_json(*back), result_to_json(result_));
}

TEST_F(ResultFile, ThatIsCutOffAnywhereIsNoResult) {
  const std::string text = result_to_json(result_).dump();
  for (std::size_t length = 0; length < text.size(); ++length) {
    std::ofstream(path("r")) << text.substr(0, length);
    ASSERT_FALSE(read_result(path("r"), result_.job).has_value()) << length;
  }
  EXPECT_FALSE(read_result(path("none"), result_.job).has_value());
}

TEST_F(ResultFile, OfAnotherTestOrSeedIsNoResult) {
  write_whole(path("r"), result_to_json(result_).dump());
  Job other = result_.job;
  other.seed = 8;
  EXPECT_FALSE(read_result(path("r"), other).has_value());
  other = result_.job;
  other.name = "put/2";
  EXPECT_FALSE(read_result(path("r"), other).has_value());
}

}  // namespace
}  // namespace torusmu::lab
