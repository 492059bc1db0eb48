// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/push_play.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "sim/machine/mix.h"
#include "sim/machine/profile.h"
#include "sim/play/must.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/raw_node.h"
#include "torusmu/client.h"
#include "torusmu/setup.h"

namespace torusmu {
namespace {

constexpr std::uint32_t kContexts = 4;
constexpr std::uint32_t kPushes = 10;  // of a context
constexpr std::uint32_t kOfNode = kContexts * kPushes;
constexpr std::uint32_t kSlots = 8;
constexpr Bytes kBytes = 24;
constexpr Cycles kTryAgain = 50;
constexpr Cycles kBound = 2'000'000;

class PushPlay {
 public:
  explicit PushPlay(Stage& stage)
      : stage_(stage),
        plan_(plan_of(stage)),
        clients_(stage.shape().nodes()),
        arrived_(stage.shape().nodes()) {}

  void play() {
    stage_.on_all_nodes([this](Device& device) { must(NodeSetup(device, plan_).run(), "set-up"); });
    if (!stage_.run(kBound)) return;
    stage_.on_all_nodes([this](Device& device) { arrived_[device.node().value] = read(device); });
    for (std::uint32_t n = 0; n < clients_.size(); ++n) {
      stage_.memory({n}).write(window(), std::vector<std::byte>(kOfNode * kBytes));
    }
    if (!stage_.run(kBound)) return;
    for (std::uint32_t n = 0; n < clients_.size(); ++n) {
      for (std::uint32_t k = 0; k < kContexts; ++k) {
        stage_.add_core({n}, [this, k](Device& device) { produce(device, {k}); });
      }
    }
    if (!stage_.run(kBound)) return;
    stage_.on_all_nodes([this](Device& device) {
      std::uint32_t& before = arrived_[device.node().value];
      before = read(device) - before;
    });
    if (stage_.run(kBound)) report();
  }

 private:
  static NodePlan plan_of(Stage& stage) {
    const PlanOptions options{
        .contexts = kContexts, .heap_bytes = Bytes{64} << 10, .push_slots = kSlots};
    return must(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size(), options), "plan");
  }
  // Where the node before puts to: the end of the heap, of which no context has taken anything.
  [[nodiscard]] Address window() const {
    const Range heap = plan_.heap({0});
    return heap.address + heap.bytes - kOfNode * kBytes;
  }
  [[nodiscard]] EventId event() const { return plan_.event_counter({0}, 0); }
  [[nodiscard]] std::uint32_t read(Device& device) const {
    return device.read32(registers::client_page::event_counter(0, event().value));
  }
  [[nodiscard]] std::vector<std::byte> data(std::uint32_t node, std::uint32_t number) const {
    return pattern(mix(stage_.seed() * 31 + node) + number, kBytes);
  }

  void produce(Device& device, ContextId self) {
    const std::uint32_t node = device.node().value;
    std::unique_ptr<Client>& client = clients_[node];
    if (!client) client = std::make_unique<Client>(device, plan_, ClientId{0});
    const auto context = must(client->create_context(self, device), "context");
    const Task next{(node + 1) % plan_.tasks()};
    const Range heap = plan_.heap({0});
    const Cycles deadline = device.now() + kBound / 2;
    PutOptions put_options;
    put_options.event = event();
    for (std::uint32_t i = 0; i < kPushes; ++i) {
      const std::uint32_t number = self.value * kPushes + i;
      const Address from = must(context->take_heap(kBytes), "heap");
      device.store(from, data(node, number));
      const RemoteMemory to{next, plan_.heap_region({0}),
                            window() - heap.address + number * kBytes};
      const Descriptor put = must(context->describe_put(to, from, kBytes, put_options), "put");
      std::error_code error = context->push(put);
      for (; error == Errc::kAgain && device.now() < deadline; error = context->push(put)) {
        ++again_;
        device.compute(kTryAgain);
      }
      must(error, "push");
      device.compute(1 + mix(stage_.seed() + number) % 100);
    }
  }

  void report() {
    Tally bytes("bytes"), once("nodes");
    const std::uint32_t nodes = stage_.shape().nodes();
    for (std::uint32_t n = 0; n < nodes; ++n) {
      std::vector<std::byte> wanted;
      for (std::uint32_t number = 0; number < kOfNode; ++number) {
        const auto part = data((n + nodes - 1) % nodes, number);
        wanted.insert(wanted.end(), part.begin(), part.end());
      }
      expect_bytes(bytes, stage_.memory({n}), {n}, window(), wanted);
      once.expect(arrived_[n] == kOfNode, [&] {
        return fmt::format("node {}: {} arrived of {} pushed", n, arrived_[n], kOfNode);
      });
    }
    bytes.report(stage_, "producers.library_brings_every_byte");
    once.report(stage_, "producers.library_pushes_each_once");
    stage_.check("producers.library_is_refused_and_tries_again", again_ != 0,
                 fmt::format("{} pushes were tried again", again_));
  }

  Stage& stage_;
  NodePlan plan_;
  std::vector<std::unique_ptr<Client>> clients_;  // by node
  std::vector<std::uint32_t> arrived_;            // puts that each node has got
  std::uint64_t again_ = 0;
};

}  // namespace

void play_pushes(Stage& stage) { PushPlay(stage).play(); }

}  // namespace torusmu
