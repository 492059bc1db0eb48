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

#include "docs/draw/block_diagram.h"
#include "docs/draw/collective.h"
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
  EXPECT_GE(names.size(), 24U);
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
  const std::string complaint =
      complaint_about("u_memory_side.u_counters", "u_memory_side.u_abacus");
  EXPECT_THAT(complaint, HasSubstr("no instance u_messaging_unit.u_memory_side.u_abacus"));
  EXPECT_THAT(complaint, HasSubstr("u_memory_side.u_counters of mu_counters has no place"));
}

TEST(BlockDiagram, AnArrowThatEndsBesideItsBlockIsSeen) {
  ASSERT_TRUE(fs::exists(drawn()));
  EXPECT_THAT(complaint_about("800,430 930,430", "800,430 925,430"),
              HasSubstr("begins or ends beside its block"));
}

// What draw_queues() says of lists, or of there being none.
std::string complaint_about(const QueueLists& queues) {
  try {
    (void)draw_queues(queues);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(QueuePicture, ThereIsOneOfEachAlgorithm) {
  const auto is_shown = [](Collective what, Algorithm algorithm) {
    const std::string name =
        "collective_" + std::string(name_of(what)) + "_by_" + std::string(name_of(algorithm));
    EXPECT_TRUE(fs::exists(kShown / (name + ".svg"))) << name;
  };
  for (const AlgorithmRule& rule : algorithm_rules()) {
    is_shown(rule.what, rule.shorter);
    is_shown(rule.what, rule.longer);
  }
  for (const MuRule& rule : mu_rules()) is_shown(rule.what, rule.instead);
}

// Every descriptor that is posted has its box, and every PUT that bumps a counter its arrow.
TEST(QueuePicture, HasEveryDescriptorAndEveryBump) {
  const QueueLists queues = lists_of("allreduce", "ring", 4);
  const std::string drawing = draw_queues(queues);
  const auto count = [&](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = drawing.find(text, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  namespace d = layout::descriptor;
  std::size_t waits = 0, puts = 0, calcs = 0, bumps = 0;
  for (const auto& list : queues.lists) {
    for (const Descriptor& descriptor : list.descriptors) {
      waits += descriptor.get<d::opcode>() == Opcode::kWait ? 1 : 0;
      puts += descriptor.get<d::opcode>() == Opcode::kPut ? 1 : 0;
      calcs += descriptor.get<d::opcode>() == Opcode::kCalc ? 1 : 0;
      bumps += descriptor.get<d::opcode>() == Opcode::kPut && descriptor.get<d::event_valid>() != 0;
    }
  }
  EXPECT_EQ(waits, 24U);
  EXPECT_EQ(count(">WAIT counter"), waits);
  EXPECT_EQ(count(">PUT to"), puts);
  EXPECT_EQ(count(">CALC "), calcs);
  EXPECT_EQ(count("<polyline"), bumps);
}

TEST(QueuePicture, AWaitThatNobodyReleasesIsSeen) {
  QueueLists queues = lists_of("barrier", "dissemination", 4);
  auto& list = queues.lists[2].descriptors;
  list.erase(list.begin());  // its signal to member 3
  EXPECT_THAT(complaint_about(queues), HasSubstr("waits for ever"));
}

TEST(QueuePicture, ABumpThatNobodyWaitsForIsSeen) {
  QueueLists queues = lists_of("barrier", "dissemination", 4);
  auto& list = queues.lists[2].descriptors;
  list.push_back(Descriptor(list.front()));
  EXPECT_THAT(complaint_about(queues), HasSubstr("member 3: nobody waits for bump 2 of counter"));
}

TEST(QueuePicture, APlaceWithoutANameIsSeen) {
  QueueLists queues = lists_of("allreduce", "doubling", 4);
  queues.places[1].pop_back();
  queues.places[1].pop_back();
  EXPECT_THAT(complaint_about(queues), HasSubstr("member 1: no name for region"));
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
