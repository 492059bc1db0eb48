// SPDX-License-Identifier: Apache-2.0
// Looks on while a scenario is played: which descriptors its cores post, in queues of which modes,
// and which statuses are told: those that they read, in registers, completion entries and notices,
// and those of notices that one messaging unit sends another.
#ifndef TORUSMU_TESTS_SUPPORT_PLAY_WATCH_H_
#define TORUSMU_TESTS_SUPPORT_PLAY_WATCH_H_

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/play/stage.h"
#include "torusmu/device.h"
#include "torusmu/layout.h"

namespace torusmu::testing {

struct PlaySeen {
  // How many descriptors with each were posted, and were not told to have failed.
  std::map<std::uint64_t, int> opcodes;
  std::map<std::string, int> flags;
  std::set<std::uint64_t> modes, statuses;
};

// A bit of descriptor.def that stands for itself.
struct Flag {
  std::string name;
  unsigned bit = 0;
};
std::vector<Flag> descriptor_flags();

// Of a notice, which tells another node what became of its packet.
void see_packet(const PacketHeader& header, PlaySeen& seen);

// One node, as its cores set it up.
class NodePlayWatch {
 public:
  NodePlayWatch(NodeMemory& memory, PlaySeen& seen) : memory_(memory), seen_(seen) {}

  void written(std::uint32_t address, std::uint64_t value);
  void read(std::uint32_t address, std::uint64_t value);
  void loaded(Address address, Bytes bytes);

 private:
  struct Ring {
    Address base = 0;
    std::uint64_t size = 0;
    std::uint32_t owner = 0;
    std::uint32_t tail = 0;                        // of queues: descriptors posted
    std::map<std::uint32_t, Descriptor> posted{};  // those, by index
  };
  void set_queue(std::uint32_t address, std::uint64_t value);
  void set_entries(std::uint32_t address, std::uint64_t value);
  void ring_doorbell(std::uint32_t client, std::uint32_t queue, std::uint32_t tail);
  void push(std::uint32_t client, std::uint32_t word, std::uint64_t value);
  void count(const Descriptor& descriptor, int by);
  void see_entry(const CompletionEntry& entry);
  // Reads the entry of 32 bytes that lies at `at`.
  template <typename Entry>
  Entry entry(Address at) const;

  NodeMemory& memory_;
  PlaySeen& seen_;
  std::map<std::uint32_t, Ring> queues_, completions_, notices_;
  std::map<std::uint32_t, std::array<std::uint8_t, 64>> pushed_;  // by client
};

// The stage that a scenario is given instead of `stage`.
class WatchedStage final : public Stage {
 public:
  WatchedStage(Stage& stage, PlaySeen& seen);

  [[nodiscard]] Shape shape() const override { return stage_.shape(); }
  [[nodiscard]] std::uint64_t seed() const override { return stage_.seed(); }
  [[nodiscard]] Cycles now() const override { return stage_.now(); }
  [[nodiscard]] unsigned link_latency() const override { return stage_.link_latency(); }
  NodeMemory& memory(NodeId node) override { return stage_.memory(node); }
  const Core& add_core(NodeId node, Core::Program program) override;
  bool run(Cycles cycles) override { return stage_.run(cycles); }
  std::vector<Event> take_events() override { return stage_.take_events(); }
  [[nodiscard]] bool has_pins() const override { return stage_.has_pins(); }
  [[nodiscard]] bool has_fixed_timing() const override { return stage_.has_fixed_timing(); }
  [[nodiscard]] bool is_brief() const override { return true; }
  void check(const std::string& name, bool passed, const std::string& detail) override {
    stage_.check(name, passed, detail);
  }
  void figure(const std::string& name, double value) override { stage_.figure(name, value); }
  void say(const std::string& text) override { stage_.say(text); }

 private:
  Stage& stage_;
  std::map<std::uint32_t, NodePlayWatch> nodes_;
};

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_PLAY_WATCH_H_
