// SPDX-License-Identifier: Apache-2.0
// The recorder, as models with coverage use it, in a process of its own: it writes when that ends.
#include "tests/coverage/recorder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "tests/coverage/coverage_data.h"
#include "tests/coverage/toggles.h"

namespace torusmu::coverage {
namespace {

namespace fs = std::filesystem;

// A model as Verilator would write it: a byte and 40 bits in a mu_fifo inside mu_write_tracker.
struct Model {
  CData narrow = 0;
  QData wide = 0;
  VerilatedVcd* vcd = nullptr;
};
void initialise(void*, VerilatedVcd* vcd, std::uint32_t base) {
  vcd->pushNamePrefix("top ");
  vcd->pushNamePrefix("mu_write_tracker ");
  vcd->pushNamePrefix("u_pending ");
  vcd->declBus(base + 1, "level_q", false, -1, 7, 0);
  vcd->declBus(base + 9, "mem", true, 3, 7, 0);
  vcd->declBus(base + 1, "reserved_64", false, -1, 7, 0);
  vcd->pushNamePrefix("gen_memory[2] ");
  vcd->declQuad(base + 2, "data_q", false, -1, 39, 0);
  vcd->popNamePrefix();
  vcd->pushNamePrefix("u_coverage ");
  vcd->declBit(base + 1, "full", false, -1);
  vcd->popNamePrefix(4);
}
void dump_all(void* model, VerilatedVcd::Buffer* buffer) {
  buffer->fullCData(buffer->oldp(1), static_cast<Model*>(model)->narrow, 8);
  buffer->fullQData(buffer->oldp(2), static_cast<Model*>(model)->wide, 40);
}
void dump_changes(void* model, VerilatedVcd::Buffer* buffer) {
  buffer->chgCData(buffer->oldp(1), static_cast<Model*>(model)->narrow, 8);
  buffer->chgQData(buffer->oldp(2), static_cast<Model*>(model)->wide, 40);
}
void forget_changes(void*, VerilatedVcd*) {}
void trace(VerilatedVcd& vcd, Model& model) {
  vcd.addInitCb(initialise, &model);
  vcd.addFullCb(dump_all, &model);
  vcd.addChgCb(dump_changes, &model);
  vcd.addCleanupCb(forget_changes, &model);
}

class Recorded : public ::testing::Test {
 protected:
  ~Recorded() override { fs::remove_all(folder_); }

  // What a process writes that does this.
  const Coverage& record(const std::function<void()>& action) {
    fs::create_directories(folder_);
    const pid_t child = fork();
    if (child == 0) {
      setenv("TORUSMU_COVERAGE", folder_.c_str(), 1);
      action();
      std::exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    const std::string name = (folder_ / std::to_string(child)).string();
    add_process(coverage_, name + ".dat", name + ".tests");
    return coverage_;
  }
  const Point& point(Kind kind, const std::string& name) const {
    for (const auto& [place, point] : coverage_.points) {
      if (place.kind == kind && place.name == name) return point;
    }
    throw std::runtime_error("no point " + name);
  }
  bool has(Kind kind, const std::string& name) const {
    for (const auto& [place, point] : coverage_.points) {
      if (place.kind == kind && place.name == name) return true;
    }
    return false;
  }

  fs::path folder_ = fs::temp_directory_path() / ("torusmu-recorder-" + std::to_string(getpid()));
  Coverage coverage_;
};

TEST_F(Recorded, BitsToggleThatHaveHadBothValues) {
  record([] {
    Model model{.narrow = 0x81, .wide = 0};
    VerilatedVcd vcd;
    trace(vcd, model);
    vcd.sample();
    model.narrow = 0x83;
    model.wide = QData{1} << 39;
    vcd.sample();
    vcd.sample();
    end_test("A.one");
  });
  EXPECT_EQ(point(Kind::kToggle, "level_q[1]").count, 1U);
  EXPECT_EQ(point(Kind::kToggle, "level_q[0]").count, 0U);
  EXPECT_EQ(point(Kind::kToggle, "level_q[7]").count, 0U);
  EXPECT_EQ(point(Kind::kToggle, "gen_memory.data_q[39]").count, 1U);
  EXPECT_EQ(point(Kind::kToggle, "gen_memory.data_q[7]").count, 0U);
}

TEST_F(Recorded, SignalsBelongToTheModuleOfTheirInstance) {
  record([] {
    Model model;
    VerilatedVcd vcd;
    trace(vcd, model);
    vcd.sample();
    end_test("A.one");
  });
  for (const auto& [place, point] : coverage_.points)
    EXPECT_EQ(place.file, "rtl/common/mu_fifo.sv") << place.name;
  EXPECT_EQ(coverage_.points.size(), 48U)
      << "8 and 40 bits; memories and reserved fields are no signals";
}

TEST_F(Recorded, EachTestHasWhatWasCountedInIt) {
  record([] {
    static std::uint32_t counts[2];
    for (std::uint32_t& count : counts) {
      const int line = &count == counts ? 1 : 2;
      add_counter(&count, "rtl/common/mu_fifo.sv", line, 3, ".mu_fifo", "v_line/mu_fifo", "block",
                  line == 1 ? "1" : "2");
    }
    counts[0] = 3;
    end_test("A.one");
    counts[0] = 2;
    counts[1] = 1;
    end_test("A.two");
    end_test("A.three");
  });
  const Point& first = coverage_.points.at({Kind::kLine, "rtl/common/mu_fifo.sv", 1, 0, ""});
  const Point& second = coverage_.points.at({Kind::kLine, "rtl/common/mu_fifo.sv", 2, 0, ""});
  EXPECT_EQ(first.count, 5U);
  EXPECT_EQ(first.tests.ranges(), "0-1");
  EXPECT_EQ(second.count, 1U);
  EXPECT_EQ(second.tests.ranges(), "1");
}

TEST_F(Recorded, ACounterIsOnePointHoweverManyInstancesThereAre) {
  record([] {
    static std::uint32_t count;
    for (int i = 0; i < 3; ++i) {
      add_counter(&count, "rtl/common/mu_fifo.sv", 1, 3, ".mu_fifo", "v_line/mu_fifo", "block",
                  "1");
    }
    count = 1;
    end_test("A.one");
  });
  EXPECT_EQ(coverage_.points.size(), 1U);
  EXPECT_EQ(coverage_.points.begin()->second.count, 1U);
}

void add_cover(std::uint32_t* count, const std::string& hierarchy) {
  add_counter(count, "tb/coverage/x.sv", 1, 3, hierarchy, "v_user/x", "full", "");
}

TEST_F(Recorded, CoverPointsBelongToAnInstanceOfTheSource) {
  record([] {
    static std::uint32_t counts[4];
    add_cover(&counts[0], ".mu_write_tracker.u_pending.u_coverage.full");
    add_cover(&counts[1], ".mu_write_port.u_write_tracker.u_pending.u_coverage.full");
    add_cover(&counts[2],
              ".mu_router.u_reply_class.u_coverage.gen_to__BRA__5__KET__.gen_legal.turned");
    add_cover(&counts[3], ".mu_queue_engine.u_any_retired.gen_status__BRA__7__KET__.told");
    end_test("A.one");
  });
  EXPECT_EQ(coverage_.points.size(), 3U);
  EXPECT_TRUE(has(Kind::kFunctional, "mu_write_tracker.u_pending:full"));
  EXPECT_TRUE(has(Kind::kFunctional, "mu_router.u_reply_class:gen_to[5].turned"));
  EXPECT_TRUE(has(Kind::kFunctional, "anywhere:gen_status[7].told"));
}

TEST_F(Recorded, CoverPointsOfAModuleTestedAloneNeedAnInstanceThatIsMeant) {
  record([] {
    static std::uint32_t counts[2];
    add_cover(&counts[0], ".mu_fifo.u_coverage.full");
    add_cover(&counts[1], ".mu_packetiser.u_coverage.full");
    end_test("A.one");
  });
  EXPECT_EQ(coverage_.points.size(), 1U);
  EXPECT_TRUE(has(Kind::kFunctional, "mu_injection_engine.u_packetiser:full"));
}

}  // namespace
}  // namespace torusmu::coverage
