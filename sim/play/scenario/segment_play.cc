// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/segment_play.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "sim/machine/mix.h"
#include "sim/play/must.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/endpoint_cores.h"
#include "sim/play/scenario/raw_node.h"
#include "torusmu/client.h"

namespace torusmu {
namespace {

constexpr DispatchId kTake{9};
constexpr std::uint32_t kRounds = 4, kMessagesOfARound = 6;  // short, then a fence
constexpr std::uint32_t kFenced = kRounds * kMessagesOfARound;
constexpr std::uint32_t kMixed = 6;  // short and long
constexpr std::uint32_t kMessages = kFenced + kMixed;
constexpr Bytes kShort = 200, kLong = 1'500;
constexpr Cycles kLinger = 50'000;
constexpr Cycles kBound = 20'000'000;

class SegmentPlay {
 public:
  SegmentPlay(Stage& stage, const NodePlan& plan)
      : stage_(stage),
        plan_(plan),
        endpoints_(plan.endpoints_of_a_node()),
        clients_(plan.tasks()),
        bytes_("messages"),
        fences_("fences") {}

  bool play() {
    const auto program = [this](Device& device, Endpoint self) { run(device, self); };
    if (!run_as_endpoints(stage_, plan_, kBound, program)) return false;
    const std::uint64_t pairs = std::uint64_t{stage_.shape().nodes()} * endpoints_ * endpoints_;
    bytes_.report(stage_, "endpoints.segment_brings_every_byte_in_order");
    fences_.report(stage_, "endpoints.what_stood_before_a_fence_is_there");
    stage_.check("endpoints.short_messages_and_fences_are_stores",
                 stored_ >= pairs * kFenced && fenced_ == pairs * kRounds,
                 fmt::format("{} messages and {} fences of {} pairs", stored_, fenced_, pairs));
    return true;
  }

 private:
  // What one endpoint has got, by the number of the sender on the node.
  struct Got {
    std::vector<std::uint32_t> begun, done;
  };

  [[nodiscard]] Endpoint on_node(NodeId node, std::uint32_t number) const {
    const std::uint32_t contexts = plan_.options().contexts;
    return {plan_.task({node, {number / contexts}}), {number % contexts}};
  }
  [[nodiscard]] std::vector<std::byte> message(Endpoint from, Endpoint to, std::uint32_t n) const {
    const auto name = [](Endpoint e) { return e.task.value * 16ULL + e.context.value; };
    const std::uint64_t seed = mix(mix(stage_.seed() * 77 + name(from)) + name(to)) + n;
    const Bytes most = n > kFenced && n % 2 == 1 ? kLong : kShort;
    return pattern(seed, 1 + mix(seed) % most);
  }

  void run(Device& device, Endpoint self) {
    std::unique_ptr<Client>& client = clients_[self.task.value];
    const Place here = plan_.place(self.task);
    if (!client) client = std::make_unique<Client>(device, plan_, here.client);
    const auto context = must(client->create_context(self.context, device), "context");
    Got got{std::vector<std::uint32_t>(endpoints_), std::vector<std::uint32_t>(endpoints_)};
    must(context->register_dispatch(
             kTake,
             [this, &context, &got](const ActiveMessage& m) { return take(*context, got, m); }),
         "register");
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      send(*context, here.node, round * kMessagesOfARound, kMessagesOfARound);
      fence_all(*context, here.node);
      look(*context, here.node, got);
    }
    // The first tells that its sender has fenced all; no long one is sent before all have said so.
    send(*context, here.node, kFenced, 1);
    wait_for(*context, got, kFenced + 1);
    send(*context, here.node, kFenced + 1, kMixed - 1);
    wait_for(*context, got, kMessages);
    must(context->flush(device.now() + kBound), "flush");
    must(context->linger(kLinger), "linger");
    stored_ += context->counts().sent_by_segment;
    fenced_ += context->counts().fences_stored;
  }

  void wait_for(Context& context, const Got& got, std::uint32_t messages) {
    const auto are_here = [&] {
      return std::all_of(got.done.begin(), got.done.end(),
                         [messages](std::uint32_t done) { return done >= messages; });
    };
    must(context.advance_until(are_here, context.now() + kBound), "messages");
  }

  // Their memory is not used again: a long one is fetched when the receiver takes it.
  void send(Context& context, NodeId node, std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t n = first; n < first + count; ++n) {
      for (std::uint32_t peer = 0; peer < endpoints_; ++peer) {
        const Endpoint to = on_node(node, peer);
        const auto data = message(context.endpoint(), to, n);
        const Address from = must(context.take_heap(data.size()), "heap");
        context.device().store(from, data);
        must(context.send_active(to, kTake, std::as_bytes(std::span(&n, 1)), from, data.size())
                 .error(),
             "send");
      }
    }
  }
  void fence_all(Context& context, NodeId node) {
    for (std::uint32_t peer = 0; peer < endpoints_; ++peer) {
      const Request fence = must(context.fence(on_node(node, peer)), "fence");
      must(must(context.wait(fence, context.now() + kBound), "fence").error, "fence");
    }
  }
  // The fences of others, first; then what is there.
  void look(Context& context, NodeId node, Got& got) {
    std::vector<std::uint32_t> fences;
    for (std::uint32_t peer = 0; peer < endpoints_; ++peer) {
      fences.push_back(must(context.fences_of(on_node(node, peer)), "fences"));
    }
    must(context.advance(), "advance");
    for (std::uint32_t peer = 0; peer < endpoints_; ++peer) {
      fences_.expect(got.begun[peer] >= fences[peer] * kMessagesOfARound, [&] {
        return fmt::format("{} fences, {} messages", fences[peer], got.begun[peer]);
      });
    }
  }

  ActiveReceive take(Context& context, Got& got, const ActiveMessage& shown) {
    const std::uint32_t from = plan_.number_on_node(shown.source);
    std::uint32_t n = 0;
    std::memcpy(&n, shown.header.data(), std::min(sizeof n, shown.header.size()));
    const bool in_order = n == got.begun[from]++;
    const auto wanted = message(shown.source, context.endpoint(), n);
    const auto what = [n] { return fmt::format("message {}", n); };
    if (!shown.at_sender) {
      const bool is_right =
          std::equal(shown.data.begin(), shown.data.end(), wanted.begin(), wanted.end());
      bytes_.expect(in_order && is_right, what);
      ++got.done[from];
      return {};
    }
    const Address at = must(context.take_heap(shown.length), "heap");
    return {at, shown.length,
            [this, &context, &got, at, from, in_order, wanted, what](const Completion& done) {
              std::vector<std::byte> found(wanted.size());
              context.device().load(at, found);
              bytes_.expect(in_order && !done.error && found == wanted, what);
              ++got.done[from];
            }};
  }

  Stage& stage_;
  const NodePlan& plan_;
  std::uint32_t endpoints_;
  std::vector<std::unique_ptr<Client>> clients_;  // by task
  Tally bytes_, fences_;
  std::uint64_t stored_ = 0, fenced_ = 0;
};

}  // namespace

bool play_segment(Stage& stage, const NodePlan& plan) { return SegmentPlay(stage, plan).play(); }

}  // namespace torusmu
