// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/channel_play.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "sim/machine/mix.h"
#include "sim/play/must.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/endpoint_cores.h"
#include "sim/play/scenario/raw_node.h"
#include "torusmu/client.h"
#include "torusmu/local_channel.h"

namespace torusmu {
namespace {

constexpr LocalOptions kSegment{.buffers = 8, .buffer_bytes = 1'024};
constexpr std::uint32_t kMessages = 6;  // of a channel, a fence in the middle and one behind
constexpr Cycles kLinger = 50'000;
constexpr Cycles kBound = 20'000'000;

class ChannelPlay {
 public:
  ChannelPlay(Stage& stage, const NodePlan& plan)
      : stage_(stage), plan_(plan), clients_(plan.tasks()), bytes_("messages") {}

  bool play() {
    const auto program = [this](Device& device, Endpoint self) { run(device, self); };
    if (!run_as_endpoints(stage_, plan_, kBound, program)) return false;
    const std::uint64_t endpoints = plan_.endpoints_of_a_node();
    const std::uint64_t channels = stage_.shape().nodes() * endpoints * endpoints;
    bytes_.report(stage_, "endpoints.channels_bring_every_byte_in_order");
    stage_.check(
        "endpoints.channels_and_their_fences_end",
        received_ == channels * kMessages && fenced_ == 2 * channels,
        fmt::format("{} messages and {} fences of {} channels", received_, fenced_, channels));
    return true;
  }

 private:
  [[nodiscard]] std::vector<std::byte> message(Endpoint from, Endpoint to, std::uint32_t n) const {
    const auto name = [](Endpoint e) { return e.task.value * 16ULL + e.context.value; };
    const std::uint64_t seed = mix(mix(stage_.seed() * 55 + name(from)) + name(to)) + n;
    return pattern(seed, 1 + mix(seed) % kSegment.buffer_bytes);
  }

  void run(Device& device, Endpoint self) {
    const Place here = plan_.place(self.task);
    std::unique_ptr<Client>& client = clients_[self.task.value];
    if (!client) client = std::make_unique<Client>(device, plan_, here.client);
    const auto context = must(client->create_context(self.context, device), "context");
    CompletionQueue completions(*context);
    LocalChannels local = must(LocalChannels::open(*context, completions, kSegment), "open");
    std::vector<LocalChannel> channels;
    std::vector<std::uint32_t> got(plan_.endpoints_of_a_node());
    for (std::uint32_t c = 0; c < plan_.options().clients; ++c) {
      for (std::uint32_t k = 0; k < plan_.options().contexts; ++k) {
        const Endpoint peer{plan_.task({here.node, {c}}), {k}};
        const auto take = [&, self](const LocalMessage& m) { look(here.node, self, got, m); };
        channels.push_back(must(local.connect(peer, take), "connect"));
      }
    }
    for (std::uint32_t n = 0; n < kMessages; ++n) {
      for (LocalChannel& channel : channels) send(*context, channel, n);
      if (2 * n + 2 == kMessages || n + 1 == kMessages) fence(*context, local, channels);
    }
    const auto all = [&] {
      return local.counts().received == std::uint64_t{kMessages} * channels.size();
    };
    must(context->advance_until(all, device.now() + kBound), "messages");
    received_ += local.counts().received;
    must(context->flush(device.now() + kBound), "flush");
    must(context->linger(kLinger), "linger");
  }

  // Its memory is not used again.
  void send(Context& context, LocalChannel& channel, std::uint32_t n) {
    const auto data = message(context.endpoint(), channel.peer(), n);
    const Address from = must(context.take_heap(data.size()), "heap");
    context.device().store(from, data);
    must(channel.send(static_cast<std::uint16_t>(n), from, data.size()).error(), "send");
  }

  void fence(Context& context, LocalChannels& local, std::vector<LocalChannel>& channels) {
    std::vector<LocalWork> fences;
    for (LocalChannel& channel : channels) fences.push_back(must(channel.fence(), "fence"));
    for (const LocalWork work : fences) {
      must(local.wait(work, context.now() + kBound), "fence");
      ++fenced_;
    }
  }

  void look(NodeId node, Endpoint self, std::vector<std::uint32_t>& got,
            const LocalMessage& message_of_peer) {
    std::uint32_t& count = got[plan_.number_on_node(message_of_peer.from)];
    const auto wanted = message(message_of_peer.from, self, count);
    std::vector<std::byte> found(message_of_peer.bytes);
    stage_.memory(node).read(message_of_peer.data, found);
    bytes_.expect(found == wanted && message_of_peer.word == count, [&] {
      return fmt::format("message {} of task {} context {} to task {} context {}", count,
                         message_of_peer.from.task.value, message_of_peer.from.context.value,
                         self.task.value, self.context.value);
    });
    ++count;
  }

  Stage& stage_;
  const NodePlan& plan_;
  std::vector<std::unique_ptr<Client>> clients_;
  Tally bytes_;
  std::uint64_t received_ = 0, fenced_ = 0;
};

}  // namespace

bool play_channels_of_endpoints(Stage& stage, const NodePlan& plan) {
  return ChannelPlay(stage, plan).play();
}

}  // namespace torusmu
