// SPDX-License-Identifier: Apache-2.0
// Cores alone, over a node that answers by itself.
#include "sim/machine/core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace torusmu {
namespace {

// Answers each register access three cycles after its start, and keeps a log.
class FakeNode final : public NodeBackend {
 public:
  struct Pending {
    Core* core;
    RegisterAccess access;
    Cycles at;
  };
  Shape shape() const override { return {2, 2, 2}; }
  NodeId node() const override { return {5}; }
  NodeMemory& memory() override { return memory_; }
  void start(Core& core, const RegisterAccess& access, Cycles now) override {
    log.push_back((access.write ? "w" : "r") + std::to_string(access.address) + "@" +
                  std::to_string(now));
    pending.push_back({&core, access, now + 3});
  }
  void accessed(Address address, Bytes bytes, bool write, Cycles now) override {
    accesses.push_back((write ? "w" : "r") + std::to_string(address) + "+" + std::to_string(bytes) +
                       "@" + std::to_string(now));
  }
  std::size_t reports() const override { return unfinished_reports; }
  bool interrupt(ClientId client) const override { return (lines >> client.value & 1U) != 0; }

  // Runs cores and answers cycle by cycle until all are done; the bound is a failure.
  void run(std::vector<std::unique_ptr<Core>>& cores, Cycles bound = 10000) {
    for (; time < bound; ++time) {
      if (time == raise_at) {
        lines = 1;
        for (auto& core : cores) core->interrupts_changed(lines, time);
      }
      while (!pending.empty() && pending.front().at <= time) {
        const Pending p = pending.front();
        pending.pop_front();
        p.core->access_done(p.access, 0x1122334455667788, time);
      }
      bool running = false;
      for (auto& core : cores) {
        if (core->next_wake() <= time) core->run_until(time);
        running |= core->state() == Core::State::kRunning;
      }
      if (!running) return;
    }
    ADD_FAILURE() << "cores still run at cycle " << bound << ", waiting for "
                  << cores[0]->waiting_for();
  }

  NodeMemory memory_{1 << 20};
  std::deque<Pending> pending;
  std::vector<std::string> log;
  std::vector<std::string> accesses;
  std::size_t unfinished_reports = 0;
  std::uint32_t lines = 0;
  Cycles raise_at = kNever;
  Cycles time = 0;
};

class CoreTest : public ::testing::Test {
 protected:
  void add(Core::Program program, const CoreCosts& costs = {}, std::uint64_t seed = 0) {
    cores_.push_back(std::make_unique<Core>(node_, costs, std::move(program), 0, seed));
  }
  void run() { node_.run(cores_); }
  FakeNode node_;
  std::vector<std::unique_ptr<Core>> cores_;
};

std::byte byte_at(FakeNode& node, Address address) {
  std::byte value{};
  node.memory().read(address, {&value, 1});
  return value;
}

TEST_F(CoreTest, PostedWriteReachesTheBusWhenItsCostEndsAndTheCoreGoesOn) {
  std::vector<Cycles> times;
  add([&](Device& device) {
    device.write32(0x100, 7);
    times.push_back(device.now());
    device.write64(0x108, 8);
    times.push_back(device.now());
  });
  run();
  EXPECT_EQ(node_.log, (std::vector<std::string>{"w256@20", "w264@40"}));
  EXPECT_EQ(times, (std::vector<Cycles>{20, 40}));
}

TEST_F(CoreTest, ReadCostsItsPriceAndTheDevicesOwnCycles) {
  Cycles after = 0;
  std::uint64_t wide = 0;
  std::uint32_t narrow = 0;
  add([&](Device& device) {
    wide = device.read64(0x8);
    after = device.now();
    narrow = device.read32(0x4);
  });
  run();
  EXPECT_EQ(after, 83U);
  EXPECT_EQ(wide, 0x1122334455667788U);
  EXPECT_EQ(narrow, 0x55667788U);
}

TEST_F(CoreTest, StoreIsVisibleOnlyWhenItsCostEnds) {
  add([&](Device& device) {
    const std::vector<std::byte> data(128, std::byte{9});
    device.store(0, data);
  });
  cores_[0]->run_until(0);
  EXPECT_EQ(cores_[0]->next_wake(), 4U);
  EXPECT_EQ(byte_at(node_, 127), std::byte{0});
  EXPECT_EQ(node_.accesses, std::vector<std::string>{});
  cores_[0]->run_until(4);
  EXPECT_EQ(byte_at(node_, 127), std::byte{9});
  EXPECT_EQ(node_.accesses, std::vector<std::string>{"w0+128@4"}) << "the node is told";
}

TEST_F(CoreTest, LoadSamplesWhenItsCostEnds) {
  std::byte seen{};
  add([&](Device& device) { device.load(64, {&seen, 1}); });
  cores_[0]->run_until(0);
  const std::byte later{3};
  node_.memory().write(64, {&later, 1});
  cores_[0]->run_until(2);
  EXPECT_EQ(seen, later);
  EXPECT_EQ(node_.accesses, std::vector<std::string>{"r64+1@2"}) << "the node is told";
}

TEST_F(CoreTest, AccessWaitsWhileEightReportsOfOthersAreOnTheirWay) {
  Cycles over = 0;
  add([&](Device& device) {
    std::byte byte{};
    device.load(0, {&byte, 1});
    over = device.now();
  });
  node_.unfinished_reports = 9;
  for (Cycles t = 0; t < 50; ++t) cores_[0]->run_until(t);
  EXPECT_EQ(over, 0U);
  node_.unfinished_reports = 8;
  cores_[0]->run_until(50);
  EXPECT_EQ(over, 50U);
}

TEST_F(CoreTest, FirstLoadOfALineThatTheMuWroteIsDearAndTheSecondCheap) {
  std::vector<Cycles> times;
  std::array<std::byte, 32> beat{};
  node_.memory().write_beat(64, beat.data(), 0xffffffffU);
  add([&](Device& device) {
    std::array<std::byte, 128> data{};
    device.load(0, data);
    times.push_back(device.now());
    device.load(0, data);
    times.push_back(device.now());
  });
  run();
  EXPECT_EQ(times, (std::vector<Cycles>{42, 46}));
}

// What a hundred cycles of computing take, a hundred times.
std::vector<Cycles> stretches_of(FakeNode& node, Cycles random_extra, std::uint64_t seed) {
  std::vector<Cycles> stretches;
  std::vector<std::unique_ptr<Core>> cores;
  const auto program = [&](Device& device) {
    for (unsigned i = 0; i < 100; ++i) {
      const Cycles before = device.now();
      device.compute(100);
      stretches.push_back(device.now() - before);
    }
  };
  cores.push_back(std::make_unique<Core>(node, CoreCosts{.random_extra = random_extra}, program,
                                         node.time, seed));
  node.run(cores, node.time + 100'000);
  return stretches;
}

TEST_F(CoreTest, RandomDelaysLieBetweenNoneAndTheMostAndDependOnTheSeedAlone) {
  constexpr Cycles kMost = 60;
  const std::vector<Cycles> once = stretches_of(node_, kMost, 1);
  EXPECT_EQ(stretches_of(node_, kMost, 1), once);
  EXPECT_NE(stretches_of(node_, kMost, 2), once);
  EXPECT_GE(*std::min_element(once.begin(), once.end()), 100U);
  EXPECT_LE(*std::max_element(once.begin(), once.end()), 100U + kMost);
  EXPECT_GT(*std::max_element(once.begin(), once.end()), 100U + kMost / 2);
  EXPECT_EQ(stretches_of(node_, 0, 1), std::vector<Cycles>(100, 100));
}

TEST_F(CoreTest, StoreReachesMemoryBeforeALaterRegisterWriteReachesTheMu) {  // promise 1 of Device
  add([&](Device& device) {
    const std::byte value{1};
    device.store(0, {&value, 1});
    device.write32(0x10, 0);
  });
  while (node_.log.empty()) cores_[0]->run_until(cores_[0]->next_wake());
  EXPECT_EQ(byte_at(node_, 0), std::byte{1});
}

TEST_F(CoreTest, RegisterWritesStartInProgramOrder) {  // promise 2 of Device
  add([&](Device& device) {
    for (std::uint32_t i = 0; i < 20; ++i) device.write32(4 * i, i);
  });
  run();
  ASSERT_EQ(node_.log.size(), 20U);
  for (std::uint32_t i = 0; i < 20; ++i) {
    EXPECT_EQ(node_.log[i], "w" + std::to_string(4 * i) + "@" + std::to_string(20 * (i + 1)));
  }
}

TEST_F(CoreTest, ALoadSeesEveryStoreOfAnotherCoreUpToTheNewestThatItSees) {  // promise 5 of Device
  constexpr int kStores = 200;
  CoreCosts uneven;
  uneven.random_extra = 20;
  add(
      [&](Device& device) {
        for (int i = 1; i <= kStores; ++i) {
          const std::byte value{static_cast<std::uint8_t>(i)};
          device.store(0, {&value, 1});
          device.store(64, {&value, 1});
        }
      },
      uneven, 1);
  std::set<std::byte> seen;
  add(
      [&](Device& device) {
        std::byte first{}, last{};
        while (last != std::byte{kStores} && device.now() < 9000) {
          device.load(64, {&last, 1});
          device.load(0, {&first, 1});
          EXPECT_LE(last, first);
          seen.insert(last);
        }
      },
      uneven, 2);
  run();
  EXPECT_GT(seen.size(), std::size_t{kStores} / 4) << "it looks in between";
}

TEST_F(CoreTest, NinthPostedWriteWaitsForTheFirstToBeTaken) {
  node_.pending.clear();
  add([&](Device& device) {
    for (std::uint32_t i = 0; i < 9; ++i) device.write32(4 * i, i);
  });
  for (Cycles t = 0; t < 400; ++t) {
    if (cores_[0]->next_wake() <= t) cores_[0]->run_until(t);
  }
  EXPECT_EQ(node_.log.size(), 8U);
  EXPECT_EQ(cores_[0]->waiting_for(),
            "an earlier register write to be taken, before that to 0x00020");
  cores_[0]->access_done(node_.pending.front().access, 0, 400);
  cores_[0]->run_until(400);
  EXPECT_EQ(node_.log.back(), "w32@400");
}

TEST_F(CoreTest, WaitForInterruptEndsWhenTheLineRises) {
  node_.raise_at = 500;
  bool high = false;
  Cycles at = 0;
  add([&](Device& device) {
    high = device.wait_interrupt({0}, 1000);
    at = device.now();
  });
  run();
  EXPECT_TRUE(high);
  EXPECT_EQ(at, 500U);
}

TEST_F(CoreTest, WaitForInterruptEndsAtItsDeadline) {
  bool high = true;
  Cycles at = 0;
  add([&](Device& device) {
    high = device.wait_interrupt({0}, 1000);
    at = device.now();
  });
  run();
  EXPECT_FALSE(high);
  EXPECT_EQ(at, 1000U);
}

TEST_F(CoreTest, ProgramThatThrowsFailsWithItsText) {
  add([](Device& device) {
    device.compute(10);
    throw std::runtime_error("counter 3 is wrong");
  });
  run();
  EXPECT_EQ(cores_[0]->state(), Core::State::kFailed);
  EXPECT_EQ(cores_[0]->failure(), "counter 3 is wrong");
  EXPECT_EQ(cores_[0]->finished_at(), 10U);
}

TEST_F(CoreTest, AccessPastTheMemoryThrowsIntoTheProgram) {
  add([](Device& device) {
    std::byte value{};
    device.load(device.memory_size(), {&value, 1});
  });
  run();
  EXPECT_EQ(cores_[0]->state(), Core::State::kFailed);
  EXPECT_NE(cores_[0]->failure().find("ends past the node's"), std::string::npos);
}

TEST_F(CoreTest, ProgramThatSpinsOnTheClockFails) {
  add([](Device& device) {
    while (device.now() < 100) {
    }
  });
  run();
  EXPECT_EQ(cores_[0]->state(), Core::State::kFailed);
}

TEST_F(CoreTest, PollsAreReadsOfTheSameAddressAgain) {
  add([](Device& device) {
    std::byte value{};
    for (int i = 0; i < 4; ++i) (void)device.read64(0x800);
    (void)device.read64(0x808);
    for (int i = 0; i < 3; ++i) device.load(0x800, {&value, 1});
  });
  run();
  EXPECT_EQ(cores_[0]->counts().polls, 3U + 2U);
  EXPECT_EQ(cores_[0]->counts().register_reads, 5U);
  EXPECT_EQ(cores_[0]->counts().loads, 3U);
}

TEST_F(CoreTest, DestroyedCoreUnwindsItsProgram) {
  struct Closes {
    Device& device;
    bool& closed;
    ~Closes() {
      device.write32(0, 0);
      closed = device.read64(0) == ~std::uint64_t{0};
    }
  };
  bool closed = false;
  add([&](Device& device) {
    const Closes closes{device, closed};
    device.compute(1'000'000);
  });
  cores_[0]->run_until(0);
  cores_.clear();
  EXPECT_TRUE(closed);
  EXPECT_TRUE(node_.log.empty());
}

TEST_F(CoreTest, ProgramsMaySuspendInsideCatchBlocksAndChangeThreads) {
  std::vector<std::string> texts(2);
  for (std::size_t i = 0; i < 2; ++i) {
    add([&texts, i](Device& device) {
      try {
        throw std::runtime_error("core " + std::to_string(i));
      } catch (const std::exception& error) {
        device.compute(10 + i);
        try {
          throw std::logic_error("inner");
        } catch (const std::exception&) {
          device.compute(10 - i);
        }
        device.compute(5);
        texts[i] = error.what();
      }
    });
  }
  for (Cycles t = 0; t < 40; ++t) {
    std::thread([&] {
      for (auto& core : cores_) {
        if (core->next_wake() <= t) core->run_until(t);
      }
    }).join();
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"core 0", "core 1"}));
}

}  // namespace
}  // namespace torusmu
