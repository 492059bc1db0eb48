// SPDX-License-Identifier: Apache-2.0
// Components that exist nowhere, and a device that is no more than time and registers.
#ifndef TESTS_HOST_POLLING_FIXTURE_H_
#define TESTS_HOST_POLLING_FIXTURE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "torusmu/polling.h"

namespace torusmu::testing {

inline constexpr Cycles kPollCost = 2;
inline constexpr Cycles kNever = std::numeric_limits<Cycles>::max();

// Time, and registers that are all ones but for those that a test sets.
class FakeDevice final : public Device {
 public:
  Shape shape() const override { return {}; }
  NodeId node() const override { return {}; }
  Bytes memory_size() const override { return 0; }
  void write32(std::uint32_t address, std::uint32_t value) override { registers[address] = value; }
  void write64(std::uint32_t address, std::uint64_t value) override { registers[address] = value; }
  std::uint32_t read32(std::uint32_t address) override {
    return static_cast<std::uint32_t>(read64(address));
  }
  std::uint64_t read64(std::uint32_t address) override {
    time += 80;
    const auto found = registers.find(address);
    return found == registers.end() ? ~std::uint64_t{0} : found->second;
  }
  void store(Address /*address*/, std::span<const std::byte> /*data*/) override {}
  void load(Address /*address*/, std::span<std::byte> data) override {
    time += 2;
    std::fill(data.begin(), data.end(), word);
  }
  void work(Work /*kind*/, std::uint64_t units) override { time += units; }
  void compute(Cycles cycles) override { time += cycles; }
  Cycles now() const override { return time; }
  bool wait_interrupt(ClientId /*client*/, Cycles /*deadline*/) override {
    time += 1;
    return line;
  }

  Cycles time = 0;
  std::map<std::uint32_t, std::uint64_t> registers;
  std::byte word{};
  bool line = false;
};

class Polling : public ::testing::Test {
 protected:
  // A component that is active from `from` on until `until`.
  ComponentId add(Poller& poller, Cycles from = kNever, Cycles until = kNever,
                  std::unique_ptr<PollRule> rule = nullptr) {
    return poller.add({.name = "fake",
                       .poll =
                           [this, from, until] {
                             device_.time += kPollCost;
                             return device_.time >= from && device_.time < until
                                        ? PollResult::kActivity
                                        : PollResult::kNothing;
                           }},
                      std::move(rule));
  }
  // Asks every `gap` cycles for so long; the time at which it was first active, or kNever.
  Cycles ask(Poller& poller, ComponentId id, Cycles cycles, Cycles gap) {
    const Cycles end = device_.time + cycles;
    while (device_.time < end) {
      const auto status = poller.request(id);
      EXPECT_TRUE(status) << status.error().message();
      if (status && status.value() == PollStatus::kActive) return device_.time;
      device_.compute(gap);
    }
    return kNever;
  }
  // What so many requests did: p, a poll, or -, none.
  static std::string pattern(Poller& poller, ComponentId id, int requests) {
    std::string seen;
    for (int i = 0; i < requests; ++i) {
      seen += poller.request(id).value() == PollStatus::kNotPolled ? '-' : 'p';
    }
    return seen;
  }
  const ActivityHistory& history(const Poller& poller, ComponentId id) {
    return *poller.history(id).value();
  }
  static PollingOptions options(const char* name) { return polling_of(name).value(); }

  FakeDevice device_;
};

// A rule of a program: no poll of its own accord.
class Never final : public PollRule {
 public:
  bool is_satisfied(const ActivityHistory& /*history*/, Cycles /*now*/) override { return false; }
};

}  // namespace torusmu::testing

#endif  // TESTS_HOST_POLLING_FIXTURE_H_
