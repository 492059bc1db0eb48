// SPDX-License-Identifier: Apache-2.0
// endpoints: two clients of two contexts on every node, each context with a core of its own. First
// every endpoint sends to every endpoint, all at once, itself among them. Then those of a node send
// and fence through the segment that they share (segment_play.h). Then each client names
// what the other owns, in registers of its page and in descriptors: every access is refused with
// its status, and changes nothing. Then those of a node send and fence by channels
// (channel_play.h). Last, the MU stores what has come for receives (store_play.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "sim/machine/mix.h"
#include "sim/machine/profile.h"
#include "sim/play/must.h"
#include "sim/play/scenario/channel_play.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"
#include "sim/play/scenario/segment_play.h"
#include "sim/play/scenario/store_play.h"
#include "torusmu/client.h"
#include "torusmu/setup.h"

namespace torusmu {
namespace {

namespace page = registers::client_page;
namespace field = layout::descriptor;

constexpr std::uint32_t kClients = 2, kContexts = 2;
constexpr Bytes kMost = 1'500;  // of a message; those of more than 512 are fetched
constexpr std::uint32_t kSlots = 16;
constexpr std::uint32_t kMostEntries = 16;
constexpr Cycles kLinger = 50'000;
constexpr Cycles kBound = 20'000'000;

// --- all to all ---------------------------------------------------------------------------------

// A client of a node, once its first context begins.
using Clients = std::array<std::optional<Client>, kClients>;

struct Received {
  std::uint32_t messages = 0;
  std::string wrong;  // the first
};

class AllToAll {
 public:
  AllToAll(Stage& stage, const NodePlan& plan)
      : stage_(stage),
        plan_(plan),
        clients_(stage.shape().nodes()),
        received_(std::size_t{plan.tasks()} * kContexts) {}

  bool play() {
    for (std::uint32_t e = 0; e < received_.size(); ++e) {
      const Endpoint self = endpoint(e);
      stage_.add_core(plan_.place(self.task).node,
                      [this, self, e](Device& device) { run(device, self, received_[e]); });
    }
    if (!stage_.run(kBound)) return false;
    Tally tally("endpoints");
    for (std::uint32_t e = 0; e < received_.size(); ++e) {
      const Received& own = received_[e];
      tally.expect(own.messages == received_.size() && own.wrong.empty(), [&] {
        return fmt::format("{}: {} messages; {}", name_of(endpoint(e)), own.messages, own.wrong);
      });
    }
    tally.report(stage_, "endpoints.all_have_what_all_sent");
    return true;
  }

 private:
  static Endpoint endpoint(std::uint32_t number) {
    return {Task{number / kContexts}, ContextId{number % kContexts}};
  }
  static std::string name_of(Endpoint endpoint) {
    return fmt::format("task {} context {}", endpoint.task.value, endpoint.context.value);
  }
  [[nodiscard]] std::vector<std::byte> message(Endpoint from, Endpoint to) const {
    const auto number = [](Endpoint e) { return e.task.value * kContexts + e.context.value; };
    const std::uint64_t seed = mix(stage_.seed() * 9'000 + number(from)) + number(to);
    return pattern(seed, 1 + mix(seed) % kMost);
  }

  void run(Device& device, Endpoint self, Received& received) {
    const Place here = plan_.place(self.task);
    std::optional<Client>& client = clients_[here.node.value].at(here.client.value);
    if (!client) client.emplace(device, plan_, here.client);
    const auto context = must(client->create_context(self.context, device), "context");
    const auto count = static_cast<std::uint32_t>(received_.size());
    const Address in = must(context->take_heap(count * kMost), "heap");
    const Address out = must(context->take_heap(count * kMost), "heap");
    std::vector<Request> receives, sends;
    for (std::uint32_t e = 0; e < count; ++e) {
      receives.push_back(must(context->receive(endpoint(e), 3, in + e * kMost, kMost), "receive"));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      // Not all to the same at once.
      const std::uint32_t e = (self.task.value * kContexts + self.context.value + i) % count;
      const auto bytes = message(self, endpoint(e));
      stage_.memory(here.node).write(out + e * kMost, bytes);
      sends.push_back(must(context->send(endpoint(e), 3, out + e * kMost, bytes.size()), "send"));
    }
    for (std::uint32_t e = 0; e < count; ++e) {
      const auto done = must(context->wait(receives[e], device.now() + kBound), "receive");
      look(here.node, in + e * kMost, endpoint(e), self, done, received);
    }
    for (const Request send : sends) {
      must(must(context->wait(send, device.now() + kBound), "send").error, "send");
    }
    must(context->flush(device.now() + kBound), "flush");
    must(context->linger(kLinger), "linger");
  }

  void look(NodeId node, Address at, Endpoint from, Endpoint to, const Completion& done,
            Received& received) {
    const auto wanted = message(from, to);
    std::vector<std::byte> found(wanted.size());
    stage_.memory(node).read(at, found);
    ++received.messages;
    const bool right = !done.error && done.source == from.task &&
                       done.source_context == from.context && done.length == wanted.size() &&
                       found == wanted;
    if (!right && received.wrong.empty()) received.wrong = "message of " + name_of(from);
  }

  Stage& stage_;
  const NodePlan& plan_;
  std::vector<Clients> clients_;
  std::vector<Received> received_;
};

// --- what another owns --------------------------------------------------------------------------

struct Attempt {
  const char* name;
  Status wanted;
  Status found = Status::kOk;
};

class Trespass {
 public:
  Trespass(Device& device, const NodePlan& plan, ClientId self)
      : device_(device), plan_(plan), self_(self), other_{1 - self.value} {}

  // Privileged: a queue and completions of its own.
  void set_up() {
    RawNode node(device_, self_);
    node.open_completion_queue(completions(), entries(), kMostEntries);
    node.connect(queue(), {}, queue(), {.completion = static_cast<int>(completions().value)});
    node.open_queue(queue(), ring(), kSlots, QueueMode::kDoorbell);
    (void)node.causes();
  }

  std::vector<Attempt> run() {
    std::vector<Attempt> attempts;
    by_registers(attempts);
    by_descriptors(attempts);
    return attempts;
  }

  // Of this client, for the other to find unchanged.
  std::vector<std::uint64_t> values() {
    std::vector<std::uint64_t> values;
    for (std::uint32_t k = 0; k < kContexts; ++k) {
      const ContextId context{k};
      const std::uint32_t send = plan_.send_queue(self_, context).value;
      const std::uint32_t fifo = plan_.message_fifo(self_, context).value;
      values.push_back(device_.read64(registers::injection_queue::tail(send)));
      values.push_back(device_.read64(registers::injection_queue::limit(send)));
      values.push_back(device_.read64(registers::reception_fifo::head(fifo)));
      values.push_back(device_.read64(
          page::byte_counter(self_.value, plan_.byte_counter(self_, 0, context).value)));
      values.push_back(device_.read32(
          page::event_counter(self_.value, plan_.event_counter(self_, 0, context).value)));
    }
    return values;
  }

 private:
  [[nodiscard]] QueueId queue() const { return {plan_.sizes().injection_queues - 1 - self_.value}; }
  [[nodiscard]] CompletionQueueId completions() const { return {self_.value}; }
  [[nodiscard]] Address ring() const { return plan_.end() + self_.value * Bytes{0x1000}; }
  [[nodiscard]] Address entries() const { return ring() + 0x800; }

  // Each begins with a page that knows of no error.
  template <typename Access>
  void by_register(std::vector<Attempt>& attempts, const char* name, Status wanted,
                   const Access& access) {
    access();
    const std::uint64_t status = device_.read64(page::page_status(self_.value));
    attempts.push_back(
        {name, wanted, static_cast<Status>(extract(status, page::page_status_field::status))});
    device_.write64(registers::node::error_clear(), std::uint64_t{1} << self_.value);
    (void)device_.read64(page::page_status(self_.value));
  }

  void by_registers(std::vector<Attempt>& attempts) {
    const std::uint32_t own = self_.value;
    by_register(attempts, "doorbell", Status::kDoorbellOwner, [&] {
      device_.write32(page::queue_index(own, plan_.send_queue(other_).value), 1);
    });
    by_register(attempts, "head of a queue", Status::kDoorbellOwner, [&] {
      (void)device_.read32(page::queue_index(own, plan_.get_queue(other_).value));
    });
    by_register(attempts, "FIFO", Status::kFifoInvalid, [&] {
      device_.write32(page::fifo_index(own, plan_.message_fifo(other_).value), 1);
    });
    by_register(attempts, "byte counter", Status::kCounterInvalid, [&] {
      device_.write64(page::byte_counter(own, plan_.byte_counter(other_, 0).value), 77);
    });
    by_register(attempts, "event counter", Status::kCounterInvalid, [&] {
      device_.write32(page::event_counter(own, plan_.event_counter(other_, 0).value), 77);
    });
  }

  [[nodiscard]] std::vector<std::pair<Attempt, Descriptor>> descriptors() const {
    const Coordinates here = device_.shape().coordinates(device_.node());
    const Source own{plan_.heap_region(self_), 0, 64};
    const Source foreign{plan_.heap_region(other_), 0, 64};
    const EventId event = plan_.event_counter(other_, 0);
    const auto put = put_descriptor(here, own, plan_.heap_region(self_), 4096, {});
    return {
        {{"source of a PUT", Status::kPermission},
         put_descriptor(here, foreign, plan_.heap_region(self_), 4096, {})},
        {{"counter of what is read", Status::kCounterInvalid},
         Descriptor(put).set<field::injection_counter_valid>(1).set<field::injection_counter>(
             plan_.byte_counter(other_, 0).value)},
        {{"counter of what is done", Status::kCounterInvalid},
         Descriptor(put).set<field::done_event_valid>(1).set<field::done_event>(event.value)},
        {{"CTR_ADD", Status::kCounterInvalid}, add_to_event(event, 1)},
        {{"CTR_SET", Status::kCounterInvalid},
         add_to_event(event, 1).set<field::opcode>(Opcode::kCtrSet)},
        {{"WAIT for a counter", Status::kCounterInvalid}, wait_for_event(event, 0)},
        {{"WAIT for a queue", Status::kQueueInvalid}, wait_for_queue(plan_.send_queue(other_), 0)},
        {{"SEND_EN", Status::kQueueInvalid},
         enable_receives(plan_.send_queue(other_), 1).set<field::opcode>(Opcode::kSendEn)},
        // What is its own goes on.
        {{"PUT of its own", Status::kOk}, put}};
  }

  void by_descriptors(std::vector<Attempt>& attempts) {
    namespace e = layout::completion_entry;
    RawNode node(device_, self_);
    auto list = descriptors();
    const auto count = static_cast<std::uint32_t>(list.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      node.write_descriptor(ring(), kSlots, i,
                            list[i].second.set<field::signal>(1).set<field::sequence_number>(i));
    }
    node.ring_doorbell(queue(), count);
    const auto told =
        node.completions(completions(), entries(), count, device_.now() + kBound / 10);
    for (std::uint32_t i = 0; i < count; ++i) {
      Attempt attempt = list[i].first;
      // One without an entry of its own has ended with none of its statuses.
      const bool there = i < told.size() && told[i].get<e::sequence_number>() == i;
      attempt.found = there ? told[i].get<e::status>() : Status::kUnknownOpcode;
      attempts.push_back(attempt);
    }
  }

  Device& device_;
  const NodePlan& plan_;
  ClientId self_, other_;
};

bool play_trespass(Stage& stage, const NodePlan& plan) {
  const std::uint32_t tasks = plan.tasks();
  std::vector<std::vector<std::uint64_t>> before(tasks), behind(tasks);
  std::vector<std::vector<Attempt>> attempts(tasks);
  const auto for_all = [&](const auto& program) {
    for (std::uint32_t t = 0; t < tasks; ++t) {
      const Place place = plan.place({t});
      stage.add_core(place.node, [&plan, program, place, t](Device& device) {
        Trespass trespass(device, plan, place.client);
        program(trespass, t);
      });
    }
    return stage.run(kBound);
  };
  const bool played = for_all([&](Trespass& own, std::uint32_t t) {
                        own.set_up();
                        before[t] = own.values();
                      }) &&
                      for_all([&](Trespass& own, std::uint32_t t) { attempts[t] = own.run(); }) &&
                      for_all([&](Trespass& own, std::uint32_t t) { behind[t] = own.values(); });
  if (!played) return false;
  Tally refused("attempts"), unchanged("clients");
  for (std::uint32_t t = 0; t < tasks; ++t) {
    for (const Attempt& attempt : attempts[t]) {
      refused.expect(attempt.found == attempt.wanted, [&] {
        return fmt::format("task {}, {}: {}, not {}", t, attempt.name, name_of(attempt.found),
                           name_of(attempt.wanted));
      });
    }
    unchanged.expect(before[t] == behind[t], [&] { return fmt::format("task {}", t); });
  }
  refused.report(stage, "endpoints.what_another_owns_is_refused");
  unchanged.report(stage, "endpoints.and_stays_as_it_was");
  return true;
}

// Of a plan that has a dynamic pair for each context.
bool play_channels(Stage& stage, PlanOptions options) {
  options.dynamic_pairs = kContexts;
  const NodePlan plan =
      must(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size(), options), "plan");
  return play_channels_of_endpoints(stage, plan);
}

// Of a plan whose MU may store all messages of a play; its rings wrap.
bool play_stores(Stage& stage, PlanOptions options) {
  options.store_entries = 64;
  options.fifo_slots = 256;
  const NodePlan plan =
      must(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size(), options), "plan");
  return play_stores_of_endpoints(stage, plan);
}

}  // namespace

void play_endpoints(Stage& stage) {
  PlanOptions options;
  options.clients = kClients;
  options.contexts = kContexts;
  const NodePlan plan =
      must(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size(), options), "plan");
  stage.on_all_nodes([&plan](Device& device) { must(NodeSetup(device, plan).run(), "set-up"); });
  if (!stage.run(kBound)) return;
  const Cycles start = stage.now();
  const std::vector<std::string> groups{"register writes", "descriptors of requests",
                                        "requests received", "stores"};
  show_opening(stage, start, {"four endpoints", groups}, {"four endpoints", groups});
  if (!AllToAll(stage, plan).play()) return;
  const Cycles sent = stage.now() - start;
  if (!play_segment(stage, plan)) return;
  if (!play_trespass(stage, plan)) return;
  if (!play_channels(stage, options)) return;
  if (!play_stores(stage, options)) return;
  const std::uint32_t endpoints = plan.tasks() * kContexts;
  stage.say(fmt::format("{} endpoints, {} messages in {} cycles", endpoints, endpoints * endpoints,
                        sent));
}

}  // namespace torusmu
