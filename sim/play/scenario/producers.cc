// SPDX-License-Identifier: Apache-2.0
// producers: several cores push descriptors into one queue of mode PUSH. On every node four clients
// have such a queue each, and three cores a client push through its page, whose eight words they
// write by turns; words of different pages mix on the register bus as they come. A WAIT holds each
// queue until it is full and a core has been refused with QUEUE_FULL, which writes its last word
// again until there is room. Every descriptor must be run once, in the order of the slots that the
// MU gave them, those of one core in its order; nobody pushes into another client's queue. Then the
// contexts of one client on each node do so by the host library (push_play.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "sim/machine/mix.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/push_play.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

namespace page = registers::client_page;

constexpr std::uint32_t kClients = 4;
constexpr std::uint32_t kCores = 3;    // of a client
constexpr std::uint32_t kPushes = 10;  // of a core
constexpr std::uint32_t kOfClient = kCores * kPushes;
constexpr std::uint32_t kSlots = 8;
constexpr std::uint32_t kMostEntries = 64;
constexpr Address kRings = 0x10000;
constexpr Address kEntries = 0x20000;
constexpr Address kTarget = 0x100000;  // a region for each client
constexpr Bytes kClientBytes = 0x1000;
constexpr Bytes kPlaceBytes = 32;  // of which 8 are written
constexpr std::byte kGuard{0x3c};
constexpr QueueId kOff{7 + 2 * kClients};
constexpr Cycles kBound = 2'000'000;

QueueId pushed(std::uint32_t client) { return {7 + client}; }
QueueId rung(std::uint32_t client) { return {7 + kClients + client}; }
EventId go(std::uint32_t client) { return {client}; }
EventId arrivals(std::uint32_t client) { return {kClients + client}; }
RegionId region(std::uint32_t client) { return {1 + client}; }
Address ring_of(QueueId queue) { return kRings + queue.value * Bytes{64} * kSlots; }
Address entries_of(std::uint32_t client) {
  return kEntries + Address{client} * kMostEntries * CompletionEntry::kBytes;
}
Bytes place(std::uint32_t number) { return kPlaceBytes * number + 8; }
std::vector<std::byte> data(std::uint64_t seed, std::uint32_t node, std::uint32_t client,
                            std::uint32_t number) {
  return pattern(mix(seed * 900 + node) + client * 100ULL + number, 8);
}

struct OfClient {
  bool taken = false;  // a core of the client writes the eight words
  bool begun = false;  // somebody has been refused, and has let the queue run
  std::uint32_t full = 0;
  std::uint32_t other = 0;  // pushes that ended neither so nor well
  Status foreign = Status::kOk, off = Status::kOk;
  std::vector<CompletionEntry> entries;
  std::uint32_t arrived = 0, accepted = 0;
  Status status = Status::kOk;
};
using OfNode = std::array<OfClient, kClients>;

// --- set-up -------------------------------------------------------------------------------------

void set_up(Device& device) {
  for (std::uint32_t c = 0; c < kClients; ++c) {
    RawNode node(device, {c});
    node.open_region(region(c), kTarget + c * kClientBytes, kClientBytes);
    node.open_event(go(c));
    node.open_event(arrivals(c));
    node.open_completion_queue({c}, entries_of(c), kMostEntries);
    node.connect(pushed(c), {}, pushed(c), {.completion = static_cast<int>(c)});
    node.open_queue(pushed(c), ring_of(pushed(c)), kSlots, QueueMode::kPush);
    node.open_queue(rung(c), ring_of(rung(c)), kSlots, QueueMode::kDoorbell);
    (void)node.causes();
  }
}

// --- the producers ------------------------------------------------------------------------------

class Window {
 public:
  Window(Device& device, std::uint32_t client) : device_(device), client_(client) {}

  void name(QueueId queue) { device_.write64(page::push_queue(client_), queue.value); }
  Status push(const Descriptor& descriptor) {
    const auto bytes = descriptor.bytes();
    for (std::uint32_t word = 0; word < kWords; ++word) {
      std::uint64_t value = 0;
      for (std::uint32_t i = 0; i < 8; ++i) value |= std::uint64_t{bytes[8 * word + i]} << 8 * i;
      device_.write64(page::push_data(client_, word), value);
      last_ = value;
    }
    return status();
  }
  // The window keeps what was refused: its last word asks for a slot once more.
  Status push_again() {
    device_.write64(page::push_data(client_, kWords - 1), last_);
    return status();
  }
  std::uint32_t accepted() {
    return static_cast<std::uint32_t>(
        extract(device_.read64(page::push_status(client_)), page::push_status_field::accepted));
  }

 private:
  static constexpr std::uint32_t kWords = 8;
  Status status() {
    const std::uint64_t value = device_.read64(page::push_status(client_));
    return static_cast<Status>(extract(value, page::push_status_field::status));
  }

  Device& device_;
  std::uint32_t client_;
  std::uint64_t last_ = 0;
};

Descriptor message(Device& device, std::uint64_t seed, std::uint32_t client, std::uint32_t number) {
  const Shape shape = device.shape();
  const std::uint32_t self = device.node().value;
  const Coordinates next = shape.coordinates({(self + 1) % shape.nodes()});
  const Arrival arrival{.event = static_cast<int>(arrivals(client).value)};
  return immediate_put(next, data(seed, self, client, number), region(client), place(number),
                       arrival)
      .set<layout::descriptor::signal>(1)
      .set<layout::descriptor::sequence_number>(number);
}

// Whoever is refused first lets the queue run.
void let_run(Device& device, std::uint32_t client, OfClient& seen) {
  if (seen.begun) return;
  seen.begun = true;
  RawNode node(device, {client});
  node.write_descriptor(ring_of(rung(client)), kSlots, 0, add_to_event(go(client), 1));
  node.ring_doorbell(rung(client), 1);
}

void produce(Device& device, std::uint64_t seed, std::uint32_t client, std::uint32_t core,
             OfClient& seen) {
  Window window(device, client);
  const Cycles deadline = device.now() + kBound / 2;
  for (std::uint32_t i = 0; i < kPushes; ++i) {
    while (seen.taken) device.compute(20);
    seen.taken = true;
    Status status = window.push(message(device, seed, client, core * kPushes + i));
    while (status == Status::kQueueFull && device.now() < deadline) {
      ++seen.full;
      let_run(device, client, seen);
      device.compute(50);
      status = window.push_again();
    }
    if (status != Status::kOk) ++seen.other;
    seen.taken = false;
    device.compute(1 + mix(seed + core * 100ULL + i) % 150);
  }
}

// What holds the queue; before it, two pushes that are refused for good.
void hold(Device& device, std::uint32_t client, OfClient& seen) {
  Window window(device, client);
  window.name(pushed((client + 1) % kClients));
  seen.foreign = window.push(wait_for_event(go(client), 1));
  window.name(kOff);
  seen.off = window.push_again();
  window.name(pushed(client));
  if (window.push_again() != Status::kOk) ++seen.other;
}

void look(Device& device, std::uint32_t client, OfClient& seen) {
  RawNode node(device, {client});
  const Cycles deadline = device.now() + kBound / 2;
  seen.entries = node.completions({client}, entries_of(client), kOfClient, deadline);
  seen.arrived = node.read_event(arrivals(client));
  seen.accepted = Window(device, client).accepted();
  seen.status = node.queue_status(pushed(client));
}

// --- checks -------------------------------------------------------------------------------------

std::string owner(std::uint32_t node, std::uint32_t client) {
  return fmt::format("node {} client {}", node, client);
}

// Entries come in the order in which descriptors are done: that of the slots, if each names the
// next.
void check_order(std::uint32_t node, std::uint32_t client, const OfClient& seen, Tally& once,
                 Tally& order) {
  namespace e = layout::completion_entry;
  std::multiset<std::uint64_t> numbers;
  std::array<std::uint64_t, kCores> next{};
  bool rises = true;
  for (std::size_t i = 0; i < seen.entries.size(); ++i) {
    const CompletionEntry& entry = seen.entries[i];
    const std::uint64_t number = entry.get<e::sequence_number>();
    numbers.insert(number);
    // Slot 0 held the WAIT.
    rises = rises && entry.get<e::index>() == i + 1 && entry.get<e::status>() == Status::kOk;
    const std::uint64_t core = number / kPushes;
    rises = rises && core < kCores && number % kPushes == next.at(core)++;
  }
  std::uint32_t missing = 0;
  for (std::uint64_t n = 0; n < kOfClient; ++n) missing += numbers.count(n) == 1 ? 0 : 1;
  once.expect(missing == 0 && seen.entries.size() == kOfClient && seen.arrived == kOfClient &&
                  seen.accepted == 1 + kOfClient && seen.other == 0 && seen.status == Status::kOk,
              [&] {
                return fmt::format("{}: {} accepted, {} done, {} arrived, {} not once",
                                   owner(node, client), seen.accepted, seen.entries.size(),
                                   seen.arrived, missing);
              });
  order.expect(rises, [&] { return owner(node, client); });
}

// The ring holds what came last, in the slots of its indices.
void check_slots(Stage& stage, std::uint32_t node, std::uint32_t client, const OfClient& seen,
                 Tally& tally) {
  namespace e = layout::completion_entry;
  for (std::size_t i = seen.entries.size() - std::min<std::size_t>(seen.entries.size(), kSlots);
       i < seen.entries.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(seen.entries[i].get<e::index>());
    std::array<std::uint8_t, Descriptor::kBytes> bytes{};
    stage.memory({node}).read(ring_of(pushed(client)) + index % kSlots * bytes.size(),
                              std::as_writable_bytes(std::span(bytes)));
    const auto found = Descriptor::from_bytes(bytes).get<layout::descriptor::sequence_number>();
    const auto wanted = seen.entries[i].get<e::sequence_number>();
    tally.expect(found == wanted, [&] {
      return fmt::format("{}: slot of index {} holds number {}, not {}", owner(node, client), index,
                         static_cast<std::uint64_t>(found), static_cast<std::uint64_t>(wanted));
    });
  }
}

void check_bytes(Stage& stage, std::uint32_t node, Tally& tally) {
  const std::uint32_t nodes = stage.shape().nodes();
  const std::uint32_t before = (node + nodes - 1) % nodes;
  for (std::uint32_t c = 0; c < kClients; ++c) {
    std::vector<std::byte> wanted(kClientBytes, kGuard);
    for (std::uint32_t i = 0; i < kOfClient; ++i) {
      const auto bytes = data(stage.seed(), before, c, i);
      std::copy(bytes.begin(), bytes.end(), wanted.begin() + static_cast<std::ptrdiff_t>(place(i)));
    }
    expect_bytes(tally, stage.memory({node}), {node}, kTarget + c * kClientBytes, wanted);
  }
}

void check(Stage& stage, const std::vector<OfNode>& seen) {
  Tally bytes("bytes"), once("queues"), order("queues"), slots("slots"), full("queues"),
      refused("clients");
  std::uint64_t refusals = 0;
  for (std::uint32_t n = 0; n < seen.size(); ++n) {
    check_bytes(stage, n, bytes);
    for (std::uint32_t c = 0; c < kClients; ++c) {
      const OfClient& own = seen[n].at(c);
      check_order(n, c, own, once, order);
      check_slots(stage, n, c, own, slots);
      full.expect(own.full != 0, [&] { return owner(n, c) + " was never refused"; });
      refused.expect(own.foreign == Status::kDoorbellOwner && own.off == Status::kQueueInvalid,
                     [&] {
                       return fmt::format("{}: {} and {}", owner(n, c), name_of(own.foreign),
                                          name_of(own.off));
                     });
      refusals += own.full;
    }
  }
  bytes.report(stage, "producers.bytes");
  once.report(stage, "producers.each_is_run_once");
  order.report(stage, "producers.in_the_order_of_slots");
  slots.report(stage, "producers.slots_hold_what_was_pushed");
  full.report(stage, "producers.full_queue_says_so");
  refused.report(stage, "producers.other_queues_are_refused");
  stage.say(
      fmt::format("{} nodes, {} clients of {} cores each: {} descriptors pushed, {} pushes "
                  "found a full queue, {} cycles",
                  seen.size(), kClients, kCores, seen.size() * kClients * (kOfClient + 1), refusals,
                  stage.now()));
}

}  // namespace

void play_producers(Stage& stage) {
  const std::uint32_t nodes = stage.shape().nodes();
  std::vector<OfNode> seen(nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    stage.memory({n}).write(kTarget, std::vector<std::byte>(kClients * kClientBytes, kGuard));
  }
  stage.on_all_nodes(set_up);
  if (!stage.run(kBound)) return;
  const auto of_clients = [&](const auto& program) {
    for (std::uint32_t n = 0; n < nodes; ++n) {
      for (std::uint32_t c = 0; c < kClients; ++c) {
        stage.add_core(
            {n}, [&seen, program, n, c](Device& device) { program(device, c, seen[n].at(c)); });
      }
    }
    return stage.run(kBound);
  };
  if (!of_clients(hold)) return;
  const std::vector<std::string> groups{"register writes", "memory writes",
                                        "descriptors of requests", "requests received"};
  show_opening(stage, stage.now(), {"pushes", groups}, {"pushes", groups});
  for (std::uint32_t n = 0; n < nodes; ++n) {
    for (std::uint32_t i = 0; i < kClients * kCores; ++i) {
      OfClient& own = seen[n].at(i % kClients);
      stage.add_core({n}, [&own, i, seed = stage.seed()](Device& device) {
        produce(device, seed, i % kClients, i / kClients, own);
      });
    }
  }
  if (!stage.run(kBound) || !of_clients(look)) return;
  check(stage, seen);
  play_pushes(stage);
}

}  // namespace torusmu
