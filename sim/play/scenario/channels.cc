// SPDX-License-Identifier: Apache-2.0
// channels: every node has one dynamically connected queue pair, and by it three channels to the
// others, all under way at once: two to all nodes, one along its row. Nothing but the event counter
// that each SEND names tells them apart. Behind its SENDs a node waits for the counter of each
// channel, and tells node 0 by a message that is an increment alone. Checks every byte, that each
// message has come once and its entry names its sender, each counter, and that nothing but counters
// was needed for the channels: two queues and one completion queue in all.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <stdexcept>

#include "sim/machine/mix.h"
#include "sim/machine/profile.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"
#include "torusmu/waits.h"

namespace torusmu {
namespace {

constexpr std::uint32_t kChannels = 3;
constexpr std::uint32_t kRowChannel = 2;
constexpr std::array<std::uint32_t, kChannels> kEach{1, 2, 1};  // messages to each other node
constexpr std::uint32_t kFewest = 16;  // messages of channel 0 of a node, about: in a small machine
                                       // each node gets several
constexpr std::array<Bytes, 7> kSizes{513, 1, 3000, 60, 512, 1300, 16};
constexpr Bytes kMostBytes = 3000;

constexpr QueueId kSend{7}, kReceive{8};
constexpr CompletionQueueId kCompletions{0};
constexpr EventId kReceived{1}, kSent{2};
constexpr std::uint32_t kChannelEvents = 3;   // from here on one for each channel
constexpr std::uint32_t kCompleteEvents = 6;  // at node 0: nodes that have all of a channel
constexpr Address kSendRing = 0x100000;
constexpr Address kReceiveRing = 0x200000;
constexpr Address kEntries = 0x300000;
constexpr Address kBell = 0x3f0000;  // increments name its region; nothing is written
constexpr Bytes kBellBytes = 64;
constexpr Address kSource = 0x400000;
constexpr Bytes kSourceBytes = 0x10000;
constexpr Bytes kStep = 641;  // from one message of the source to the next, not aligned
constexpr Address kTarget = 0x500000;
constexpr Bytes kPlaceBytes = 0x1000;
constexpr Bytes kShift = 0x40 + 5;  // of a buffer in its place; what is around it guards it
constexpr RegionId kSourceRegion{1}, kTargetRegion{2}, kBellRegion{3};
constexpr std::byte kGuard{0x5a};
constexpr Cycles kRetry = 700;
constexpr Cycles kSkew = 3'000;
constexpr Cycles kBound = 5'000'000;

EventId channel_event(std::uint32_t channel) { return {kChannelEvents + channel}; }
EventId complete_event(std::uint32_t channel) { return {kCompleteEvents + channel}; }

struct Message {
  std::uint32_t to = 0;
  std::uint32_t channel = 0;
};

bool are_in_a_row(const Shape& shape, std::uint32_t a, std::uint32_t b) {
  const Coordinates left = shape.coordinates({a});
  const Coordinates right = shape.coordinates({b});
  return left.y == right.y && left.z == right.z;
}

// All that a node sends, in this order; it gets as many, of each channel too. A node alone sends to
// itself.
std::vector<Message> messages_of(const Shape& shape, std::uint32_t node) {
  const std::uint32_t nodes = shape.nodes();
  const std::uint32_t others = std::max(1U, nodes - 1);
  const std::uint32_t rounds = std::max(1U, kFewest / others);
  std::vector<Message> list;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t step = 0; step < others; ++step) {
      const std::uint32_t to = (node + 1 + step) % nodes;
      for (std::uint32_t turn = 0; turn < kChannels; ++turn) {
        const std::uint32_t channel = (turn + step + round) % kChannels;
        if (channel == kRowChannel && !are_in_a_row(shape, node, to)) continue;
        list.insert(list.end(), kEach.at(channel), {to, channel});
      }
    }
  }
  return list;
}
std::uint32_t count_of(const std::vector<Message>& list) {
  return static_cast<std::uint32_t>(list.size());
}
std::uint32_t count_of(const std::vector<Message>& list, std::uint32_t channel) {
  return static_cast<std::uint32_t>(std::count_if(
      list.begin(), list.end(), [channel](const Message& m) { return m.channel == channel; }));
}

Bytes size_of(std::uint32_t from, std::uint32_t message) {
  return kSizes.at((from + message) % kSizes.size());
}
Bytes source_of(std::uint32_t message) { return message * kStep % (kSourceBytes - kMostBytes); }
Bytes place(std::uint32_t receive) { return receive * kPlaceBytes + kShift; }
std::vector<std::byte> source_bytes(std::uint64_t seed, std::uint32_t node) {
  return pattern(mix(seed * 5000 + node), kSourceBytes);
}

void set_up(Device& device) {
  RawNode node(device);
  const auto list = messages_of(device.shape(), device.node().value);
  const std::uint32_t messages = count_of(list);
  node.open_region(kSourceRegion, kSource, kSourceBytes, {.remote_write = false});
  node.open_region(kTargetRegion, kTarget, messages * kPlaceBytes, {.remote_write = false});
  node.open_region(kBellRegion, kBell, kBellBytes);
  for (const EventId event : {kReceived, kSent}) node.open_event(event);
  for (std::uint32_t channel = 0; channel < kChannels; ++channel) {
    node.open_event(channel_event(channel));
    node.open_event(complete_event(channel));
  }
  device.write64(registers::node::send_retry_cycles(), kRetry);
  node.open_completion_queue(kCompletions, kEntries, std::bit_ceil(2 * messages));
  const auto tells = [](EventId event) {
    return QueueTells{.event = static_cast<int>(event.value),
                      .completion = static_cast<int>(kCompletions.value)};
  };
  node.connect_dynamically(kSend, tells(kSent));
  node.connect_dynamically(kReceive, tells(kReceived));
  // The SENDs, and the waits behind them.
  node.open_queue(kSend, kSendRing, std::bit_ceil(messages + 3 * kChannels + 1),
                  QueueMode::kDoorbell);
  node.open_queue(kReceive, kReceiveRing, std::bit_ceil(messages), QueueMode::kReceive);
  const std::array causes{Cause::kDone, Cause::kError};
  node.enable_interrupts(causes);
  (void)node.causes();
}

Descriptor told(Descriptor descriptor, std::uint32_t number) {
  return descriptor.set<layout::descriptor::signal>(1).set<layout::descriptor::sequence_number>(
      number);
}

// All that the node's MU does once it is posted.
std::vector<Descriptor> list_of(const Shape& shape, std::uint32_t self,
                                const std::vector<Message>& messages) {
  std::vector<Descriptor> list;
  for (std::uint32_t i = 0; i < messages.size(); ++i) {
    const EventId event = channel_event(messages[i].channel);
    list.push_back(told(dynamic_send_descriptor(shape.coordinates({messages[i].to}), kReceive,
                                                {kSourceRegion, source_of(i), size_of(self, i)}, i,
                                                {.event = static_cast<int>(event.value)}),
                        i));
  }
  for (std::uint32_t channel = 0; channel < kChannels; ++channel) {
    list.push_back(wait_for_event(channel_event(channel), count_of(messages, channel)));
    list.push_back(
        increment_descriptor(shape.coordinates({0}), kBellRegion, complete_event(channel)));
  }
  for (std::uint32_t channel = 0; self == 0 && channel < kChannels; ++channel) {
    list.push_back(wait_for_event(complete_event(channel), shape.nodes()));
  }
  list.push_back(wait_for_completions(kCompletions, 2 * count_of(messages))
                     .set<layout::descriptor::interrupt_done>(1));
  return list;
}

struct Seen {
  std::uint64_t accesses = 0;
  Cycles posted = 0;
  Cycles complete = 0;
  std::uint64_t causes = 0;
  std::uint32_t received = 0, sent = 0;
  std::array<std::uint32_t, kChannels> channels{}, complete_nodes{};
  NodeQueues queues;
  std::uint32_t completion_queues = 0;
  std::uint64_t lost = 0;  // entries
  std::vector<CompletionEntry> entries;
};

// `entries`: that the completion queue is to have.
void look(Device& device, std::uint32_t entries, Seen& seen) {
  namespace c = registers::completion_queue;
  RawNode node(device);
  seen.causes = node.causes();
  seen.received = node.read_event(kReceived);
  seen.sent = node.read_event(kSent);
  for (std::uint32_t channel = 0; channel < kChannels; ++channel) {
    seen.channels.at(channel) = node.read_event(channel_event(channel));
    seen.complete_nodes.at(channel) = node.read_event(complete_event(channel));
  }
  seen.queues = look_at_queues(device, kProfile);
  for (std::uint32_t n = 0; n < kProfile.completion_queues; ++n) {
    if (extract(device.read64(c::config(n)), c::config_field::enable) != 0) {
      ++seen.completion_queues;
    }
  }
  seen.lost = device.read64(c::status(kCompletions.value));
  seen.entries = node.completions(kCompletions, kEntries, entries, device.now() + kBound);
}

void take_part(Device& device, const Core& core, Seen& seen) {
  RawNode node(device);
  const std::uint32_t self = device.node().value;
  const auto messages = messages_of(device.shape(), self);
  device.compute(mix(self + 11) % kSkew);
  for (std::uint32_t i = 0; i < messages.size(); ++i) {
    node.write_descriptor(kReceiveRing, count_of(messages), i,
                          told(receive_descriptor({kTargetRegion, place(i), kMostBytes}), i));
  }
  node.ring_doorbell(kReceive, count_of(messages));
  const auto list = list_of(device.shape(), self, messages);
  const auto slots = static_cast<std::uint32_t>(list.size());
  for (std::uint32_t i = 0; i < slots; ++i) node.write_descriptor(kSendRing, slots, i, list[i]);
  node.ring_doorbell(kSend, slots);
  seen.posted = device.now();
  const std::uint64_t before = core.counts().accesses();
  if (!device.wait_interrupt({0}, device.now() + kBound)) throw std::runtime_error("no end");
  seen.complete = device.now();
  seen.accesses = core.counts().accesses() - before;
  look(device, 2 * count_of(messages), seen);
}

// What the entries of a node say, against what all have sent.
class Entries {
 public:
  Entries(const Shape& shape, std::uint64_t seed) : shape_(shape) {
    for (std::uint32_t n = 0; n < shape.nodes(); ++n) {
      messages_.push_back(messages_of(shape, n));
      sources_.push_back(source_bytes(seed, n));
    }
  }

  [[nodiscard]] const std::vector<Message>& messages(std::uint32_t node) const {
    return messages_[node];
  }
  // Each message once, from whom the entry says. Returns what must be in memory then.
  std::vector<std::byte> check(std::uint32_t node, const Seen& seen, Tally& tally) const {
    namespace e = layout::completion_entry;
    std::vector<std::byte> wanted(messages_[node].size() * kPlaceBytes, kGuard);
    std::set<std::pair<std::uint32_t, std::uint32_t>> known;  // sender, number
    std::set<std::uint64_t> receives;
    std::uint32_t sent = 0;
    for (const CompletionEntry& entry : seen.entries) {
      bool good = entry.get<e::status>() == Status::kOk &&
                  entry.get<e::index>() == entry.get<e::sequence_number>();
      if (entry.get<e::opcode>() == Opcode::kSend) {
        good = good && entry.get<e::queue>() == kSend.value && entry.get<e::index>() == sent++;
      } else {
        const Coordinates place_of_sender{static_cast<std::uint32_t>(entry.get<e::peer_x>()),
                                          static_cast<std::uint32_t>(entry.get<e::peer_y>()),
                                          static_cast<std::uint32_t>(entry.get<e::peer_z>())};
        const std::uint32_t from = shape_.node(place_of_sender).value;
        const auto number = static_cast<std::uint32_t>(entry.get<e::word>());
        const auto receive = static_cast<std::uint32_t>(entry.get<e::index>());
        good = good && entry.get<e::queue>() == kReceive.value &&
               entry.get<e::peer_queue>() == kSend.value && is_for(node, from, number) &&
               entry.get<e::bytes>() == size_of(from, number) && receive < messages_[node].size() &&
               receives.insert(receive).second && known.emplace(from, number).second;
        if (good) put(wanted, receive, from, number);
      }
      tally.expect(good, [&] {
        return fmt::format(
            "node {}: {} {}, status {}, {} bytes, word {}, peer queue {}", node,
            name_of(entry.get<e::opcode>()), static_cast<std::uint64_t>(entry.get<e::index>()),
            name_of(entry.get<e::status>()), static_cast<std::uint64_t>(entry.get<e::bytes>()),
            static_cast<std::uint64_t>(entry.get<e::word>()),
            static_cast<std::uint64_t>(entry.get<e::peer_queue>()));
      });
    }
    tally.expect(known.size() == messages_[node].size() && sent == messages_[node].size(), [&] {
      return fmt::format("node {} was told of {} messages received and {} sent, not {}", node,
                         known.size(), sent, messages_[node].size());
    });
    return wanted;
  }

 private:
  [[nodiscard]] bool is_for(std::uint32_t node, std::uint32_t from, std::uint32_t number) const {
    return from < messages_.size() && number < messages_[from].size() &&
           messages_[from][number].to == node;
  }
  void put(std::vector<std::byte>& wanted, std::uint32_t receive, std::uint32_t from,
           std::uint32_t number) const {
    const auto begin = sources_[from].begin() + static_cast<std::ptrdiff_t>(source_of(number));
    std::copy_n(begin, size_of(from, number),
                wanted.begin() + static_cast<std::ptrdiff_t>(place(receive)));
  }

  Shape shape_;
  std::vector<std::vector<Message>> messages_;
  std::vector<std::vector<std::byte>> sources_;
};

void check_counters(std::uint32_t node, std::uint32_t nodes, const std::vector<Message>& messages,
                    const Seen& seen, Tally& tally) {
  const auto expect = [&](const char* what, std::uint32_t is, std::uint32_t wanted) {
    tally.expect(is == wanted, [&] {
      return fmt::format("node {}: the counter of {} is {}, not {}", node, what, is, wanted);
    });
  };
  expect("messages received", seen.received, count_of(messages));
  expect("messages sent", seen.sent, count_of(messages));
  for (std::uint32_t channel = 0; channel < kChannels; ++channel) {
    expect("a channel", seen.channels.at(channel), count_of(messages, channel));
    expect("nodes that have a channel", seen.complete_nodes.at(channel), node == 0 ? nodes : 0);
  }
}

void check_queues(std::uint32_t node, const Seen& seen, Tally& tally) {
  const auto& queues = seen.queues.queues;
  const bool two = queues.size() == 2 && seen.completion_queues == 1;
  const bool good = std::all_of(queues.begin(), queues.end(), [](const QueueLook& queue) {
    return queue.dynamic && queue.status == Status::kOk && queue.posted.empty();
  });
  const std::uint64_t done = std::uint64_t{1} << static_cast<unsigned>(Cause::kDone);
  tally.expect(two && good && seen.lost == 0 && seen.causes == done, [&] {
    return fmt::format(
        "node {}: {} queues and {} completion queues, {}, {} entries lost, causes 0x{:x}", node,
        queues.size(), seen.completion_queues, good ? "all done" : "not all done", seen.lost,
        seen.causes);
  });
}

}  // namespace

void play_channels(Stage& stage) {
  const Shape shape = stage.shape();
  const std::uint32_t nodes = shape.nodes();
  const Entries told_of(shape, stage.seed());
  for (std::uint32_t n = 0; n < nodes; ++n) {
    stage.memory({n}).write(kSource, source_bytes(stage.seed(), n));
    stage.memory({n}).write(
        kTarget, std::vector<std::byte>(told_of.messages(n).size() * kPlaceBytes, kGuard));
  }
  stage.on_all_nodes(set_up);
  if (!stage.run(kBound)) return;
  const Cycles start = stage.now();
  const std::vector<std::string> groups{"descriptors of requests", link_to_node_1(shape),
                                        "requests received", "stores", "event counters"};
  show_opening(stage, start, {"one of many", groups}, {"another", groups});
  std::vector<Seen> seen(nodes);
  std::vector<const Core*> cores(nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    cores[n] = &stage.add_core(
        {n}, [&seen, &cores, n](Device& device) { take_part(device, *cores[n], seen[n]); });
  }
  if (!stage.run(kBound)) return;

  Tally bytes("bytes"), entries("entries"), counters("counters"), queues("nodes");
  std::uint64_t accesses = 0;
  Cycles posted = 0;
  Cycles complete = 0;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const auto wanted = told_of.check(n, seen[n], entries);
    expect_bytes(bytes, stage.memory({n}), {n}, kTarget, wanted);
    check_counters(n, nodes, told_of.messages(n), seen[n], counters);
    check_queues(n, seen[n], queues);
    accesses += seen[n].accesses;
    posted = std::max(posted, seen[n].posted);
    complete = std::max(complete, seen[n].complete);
  }
  bytes.report(stage, "channels.bytes");
  entries.report(stage, "channels.completion_entries");
  counters.report(stage, "channels.counters");
  queues.report(stage, "channels.two_queues_and_one_completion_queue");
  stage.check("channels.no_host", accesses == 0,
              fmt::format("{} accesses of all cores between posting and the end", accesses));
  stage.say(
      fmt::format("{} channels between {} nodes by one queue pair each, {} messages of node 0, {} "
                  "cycles from the last posting to the end",
                  kChannels, nodes, told_of.messages(0).size(), complete - posted));
}

}  // namespace torusmu
