// SPDX-License-Identifier: Apache-2.0
// docs/pictures/: drawn from the design as it is, shown in a document, and a picture that does not
// fit the design is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "docs/draw/block_diagram.h"
#include "docs/draw/collective_page.h"
#include "docs/draw/picture.h"
#include "docs/draw/picture_file.h"
#include "tests/support/markdown.h"

namespace torusmu::draw {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

const fs::path kShown = "docs/pictures";
constexpr std::uintmax_t kMostBytes = 200'000;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int status_of(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The folder of all drawings as make pictures makes them today. It does not exist if that failed.
// The first of the processes that run these tests draws; the others wait for it.
const fs::path& drawn() {
  static const fs::path kDrawn = [] {
    const fs::path folder = fs::absolute(TORUSMU_BUILD) / "pictures_today";
    const int status =
        status_of("flock " TORUSMU_BUILD
                  "/pictures_today.lock env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS timeout 300 "
                  "make --no-print-directory BUILD=" TORUSMU_BUILD " PICTURES=" +
                  folder.string() + " drawings >&2");
    return status == 0 ? folder : folder / "not drawn";
  }();
  return kDrawn;
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& end)
      : path_(fs::temp_directory_path() / ("torusmu-picture-" + std::to_string(getpid()) + end)) {}
  ~TemporaryFile() { fs::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST(Pictures, AreWhatTheDesignIsToday) {
  ASSERT_TRUE(fs::exists(drawn()));
  std::set<fs::path> names;
  for (const auto& folder : {drawn(), kShown}) {
    for (const auto& file : fs::directory_iterator(folder)) {
      if (file.path().extension() == ".svg") names.insert(file.path().filename());
    }
  }
  EXPECT_GE(names.size(), 6U);
  for (const fs::path& name : names) {
    EXPECT_TRUE(read_file(drawn() / name) == read_file(kShown / name))
        << name << ": make pictures draws it again";
  }
}

TEST(Pictures, AreEachShownInADocumentAndSmall) {
  std::set<fs::path> shown;
  for (const auto& file : testing::markdown_files()) {
    for (const auto& link : testing::Markdown(file).links()) {
      shown.insert((fs::path(link.file).parent_path() / link.text).lexically_normal());
    }
  }
  for (const auto& file : fs::directory_iterator(kShown)) {
    EXPECT_TRUE(shown.contains(file.path())) << file.path() << " is shown nowhere";
    EXPECT_LT(file.file_size(), kMostBytes) << file.path();
  }
}

TEST(Pictures, OfGtkWaveIsTaken) {
  const TemporaryFile fst(".fst"), view(".gtkw"), png(".png");
  ASSERT_EQ(
      status_of(TORUSMU_BUILD "/torusmu scenario reflection --quiet --wave-nodes 0,1,48 --wave " +
                fst.path().string()),
      0);
  ASSERT_EQ(status_of(TORUSMU_BUILD "/screenshot " + view.path().string() + " " +
                      fst.path().string() + " " + png.path().string()),
            0);
  for (const fs::path& file : {png.path(), kShown / "reflection.png"}) {
    EXPECT_THAT(read_file(file), StartsWith("\x89PNG\r\n"));
    EXPECT_GT(fs::file_size(file), 20'000U) << file;
    EXPECT_LT(fs::file_size(file), kMostBytes) << file;
  }
}

// What draw_blocks() says of docs/draw/node.picture if `from` reads `to` in it.
std::string complaint_about(const std::string& from, const std::string& to) {
  std::string text = read_file("docs/draw/node.picture");
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const TemporaryFile changed(".picture");
  std::ofstream(changed.path()) << text;
  try {
    (void)draw_blocks(changed.path(), drawn() / "node.json");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(BlockDiagram, FitsTheDesign) {
  ASSERT_TRUE(fs::exists(drawn()));
  EXPECT_EQ(complaint_about("# The pins.", "#"), "none");
}

TEST(BlockDiagram, WiresThatItLeavesOutAreSeen) {
  ASSERT_TRUE(fs::exists(drawn()));
  EXPECT_THAT(complaint_about("route control memory done", "# "),
              HasSubstr("memory to done has 0 routes: action"));
}

TEST(BlockDiagram, WiresThatTheDesignHasNotAreSeen) {
  ASSERT_TRUE(fs::exists(drawn()));
  EXPECT_THAT(complaint_about("route control memory done", "route control memory irq"),
              HasSubstr("the design has no wires from memory to irq"));
}

TEST(BlockDiagram, ABlockThatTheDesignHasNotIsSeenAndOneThatHasNoPlace) {
  ASSERT_TRUE(fs::exists(drawn()));
  const std::string complaint = complaint_about("u_counters", "u_abacus");
  EXPECT_THAT(complaint, HasSubstr("no instance u_messaging_unit.u_abacus"));
  EXPECT_THAT(complaint, HasSubstr("u_counters of mu_counters has no place"));
}

TEST(BlockDiagram, AnArrowThatEndsBesideItsBlockIsSeen) {
  ASSERT_TRUE(fs::exists(drawn()));
  EXPECT_THAT(complaint_about("800,430 930,430", "800,430 925,430"),
              HasSubstr("begins or ends beside its block"));
}

TEST(CollectivePage, IsWhatTheSchedulesAreToday) {
  EXPECT_TRUE(read_file("docs/collective_schedules.md") == collective_page())
      << "make pictures writes it again";
}

TEST(CollectivePage, AReceiveThatNobodySendsIsSeen) {
  const Call call{.what = Collective::kBarrier};
  std::vector<Schedule> members;
  for (std::uint32_t m = 0; m < 4; ++m) {
    members.push_back(compile(call, Algorithm::kDissemination, 4, m));
  }
  EXPECT_THAT(schedule_table(members, 1), HasSubstr("signal to 1"));
  members[2].steps.front().kind = Step::Kind::kCopy;  // no longer its signal to member 3
  EXPECT_THROW((void)schedule_table(members, 1), std::runtime_error);
}

TEST(PictureFile, AWordThatMeansNothingIsNamedWithItsLine) {
  const TemporaryFile file(".picture");
  std::ofstream(file.path()) << "size 10 10\ntop mu_node\nblob x 1 2 3 4 u_x\n";
  try {
    (void)read_picture_file(file.path());
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr(".picture:3: \"blob\" is no word"));
  }
}

}  // namespace
}  // namespace torusmu::draw
