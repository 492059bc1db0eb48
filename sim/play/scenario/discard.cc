// SPDX-License-Identifier: Apache-2.0
// discard: every node sends to the next one, whose RECEIVEs are posted but not enabled. The
// messages are discarded whole and their senders told, who send them again, until a RECV_EN lets
// each into its buffer. A message longer than its buffer is refused for good, and the next one
// takes its place. Checks every byte, that nothing is written too early or outside, when what was
// refused is done, what the completion queues tell, and that the host of each sender sees every
// discard: counted, and as a notice that names queue, peer and message.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "sim/machine/mix.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

constexpr std::array<Bytes, 5> kSizes{513, 1, 3000, 512, 77};
constexpr auto kMessages = static_cast<std::uint32_t>(kSizes.size());
constexpr Bytes kLong = 1300;  // to a buffer of
constexpr Bytes kShort = 1299;
constexpr std::uint32_t kLongOne = kMessages;  // numbers of the two by the second pair of queues
constexpr std::uint32_t kShortOne = kMessages + 1;

constexpr QueueId kSend{7}, kReceive{8}, kSendOther{9}, kReceiveOther{10}, kControl{11};
constexpr CompletionQueueId kCompletions{0};
constexpr Address kRings = 0x10000;
constexpr Bytes kRingBytes = 0x400;
constexpr std::uint32_t kSlots = 8;
constexpr Address kEntries = 0x20000;
constexpr std::uint32_t kMostEntries = 32;
constexpr Address kNotices = 0x30000;
constexpr std::uint32_t kMostNotices = 256;
constexpr Address kSource = 0x100000;
constexpr Address kTarget = 0x200000;
constexpr Bytes kPlaceBytes = 0x2000;
constexpr Bytes kShift = 0x40 + 5;  // of a buffer in its place; what is around it guards it
constexpr RegionId kSourceRegion{1}, kTargetRegion{2};
constexpr std::byte kGuard{0x5a};
constexpr Cycles kRetry = 3'000;
constexpr Cycles kClosed = 8'000;  // receives stay disabled so long
constexpr Cycles kBound = 1'000'000;

Bytes size_of(std::uint32_t i) {
  return i == kLongOne ? kLong : i == kShortOne ? kShort : kSizes.at(i);
}
Bytes place(std::uint32_t i) { return i * kPlaceBytes + kShift; }
std::uint64_t stream(std::uint64_t seed, std::uint32_t from, std::uint32_t i) {
  return mix(seed * 3000 + from) + i;
}
Address ring_of(QueueId queue) { return kRings + queue.value * kRingBytes; }

struct Seen {
  bool untouched = false;         // while the receives were disabled
  std::uint32_t early_heads = 0;  // descriptors done meanwhile
  Cycles late = 0;                // from enabling to the last message sent and received
  bool done = false;
  Status status = Status::kOk;  // of the queue whose RECEIVEs were disabled
  Status status_other = Status::kOk;
  std::uint32_t limit = 0;
  std::vector<CompletionEntry> entries;
  std::uint64_t discards = 0;
  std::uint64_t notices = 0;       // in the ring
  std::uint64_t good_notices = 0;  // of which so many tell of a discard by the next node
};

void set_up(Device& device) {
  RawNode node(device);
  const Shape shape = device.shape();
  const std::uint32_t self = device.node().value;
  const Coordinates next = shape.coordinates({(self + 1) % shape.nodes()});
  const Coordinates before = shape.coordinates({(self + shape.nodes() - 1) % shape.nodes()});
  node.open_region(kSourceRegion, kSource, (kMessages + 2) * kPlaceBytes, {.remote_write = false});
  node.open_region(kTargetRegion, kTarget, (kMessages + 2) * kPlaceBytes, {.remote_write = false});
  device.write64(registers::node::send_retry_cycles(), kRetry);
  node.open_completion_queue(kCompletions, kEntries, kMostEntries);
  node.open_notices(kNotices, kMostNotices);
  device.write64(registers::notice_ring::config(0),
                 insert(0, registers::notice_ring::config_field::discards, 1));
  const QueueTells tells{.completion = static_cast<int>(kCompletions.value)};
  node.connect(kSend, next, kReceive, tells);
  node.connect(kReceive, before, kSend, tells);
  node.connect(kSendOther, next, kReceiveOther, tells);
  node.connect(kReceiveOther, before, kSendOther, tells);
  for (const QueueId queue : {kSend, kSendOther, kControl}) {
    node.open_queue(queue, ring_of(queue), kSlots, QueueMode::kDoorbell);
  }
  node.open_queue(kReceive, ring_of(kReceive), kSlots, QueueMode::kReceive, {.managed = true});
  node.open_queue(kReceiveOther, ring_of(kReceiveOther), kSlots, QueueMode::kReceive);
  (void)node.causes();
}

bool is_untouched(Device& device) {
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    std::vector<std::byte> bytes(size_of(i));
    device.load(kTarget + place(i), bytes);
    if (bytes != std::vector<std::byte>(bytes.size(), kGuard)) return false;
  }
  return true;
}

Descriptor told(Descriptor descriptor, std::uint32_t number) {
  return descriptor.set<layout::descriptor::signal>(1).set<layout::descriptor::sequence_number>(
      number);
}

// A notice of a SEND of this node that the next one has discarded.
bool tells_of_discard(Device& device, std::uint64_t slot) {
  namespace h = layout::packet_header;
  namespace t = layout::packet_trailer;
  std::array<std::uint8_t, 2 * PacketHeader::kBytes> entry{};
  device.load(kNotices + slot * entry.size(), std::as_writable_bytes(std::span(entry)));
  const auto header = PacketHeader::from_bytes(std::span(entry).first<PacketHeader::kBytes>());
  const auto trailer = PacketTrailer::from_bytes(std::span(entry).last<PacketTrailer::kBytes>());
  const Shape shape = device.shape();
  const Coordinates next = shape.coordinates({(device.node().value + 1) % shape.nodes()});
  const auto queue = trailer.get<t::queue>();
  return header.get<h::kind>() == Kind::kNotice &&
         header.get<h::word>() == (static_cast<std::uint64_t>(Kind::kSend) << 8U |
                                   static_cast<std::uint64_t>(Status::kReceiveDisabled)) &&
         Coordinates{static_cast<std::uint32_t>(header.get<h::src_x>()),
                     static_cast<std::uint32_t>(header.get<h::src_y>()),
                     static_cast<std::uint32_t>(header.get<h::src_z>())} == next &&
         (queue == kSend.value || queue == kSendOther.value);
}

void look_at_discards(Device& device, Seen& seen) {
  namespace page = registers::client_page;
  const std::uint64_t tail = device.read64(page::notice_tail(0));
  seen.discards = extract(tail, page::notice_tail_field::discards);
  seen.notices = extract(tail, page::notice_tail_field::tail);
  for (std::uint64_t slot = 0; slot < std::min<std::uint64_t>(seen.notices, kMostNotices); ++slot) {
    seen.good_notices += tells_of_discard(device, slot) ? 1 : 0;
  }
}

void exchange(Device& device, Seen& seen) {
  RawNode node(device);
  const auto post = [&](QueueId queue, std::uint32_t index, const Descriptor& descriptor) {
    node.write_descriptor(ring_of(queue), kSlots, index, descriptor);
  };
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    post(kReceive, i, told(receive_descriptor({kTargetRegion, place(i), size_of(i)}), i));
    post(kSend, i, told(send_descriptor({kSourceRegion, place(i), size_of(i)}, i), i));
  }
  post(kReceiveOther, 0,
       told(receive_descriptor({kTargetRegion, place(kShortOne), kShort}), kShortOne));
  for (const std::uint32_t i : {kLongOne, kShortOne}) {
    post(kSendOther, i - kLongOne,
         told(send_descriptor({kSourceRegion, place(i), size_of(i)}, i), i));
  }
  node.ring_doorbell(kReceive, kMessages);
  node.ring_doorbell(kReceiveOther, 1);
  node.ring_doorbell(kSend, kMessages);
  node.ring_doorbell(kSendOther, 2);

  device.compute(kClosed);
  seen.untouched = is_untouched(device);
  seen.early_heads = node.queue_head(kSend) + node.queue_head(kReceive);
  const Cycles enabled = device.now();
  node.write_descriptor(ring_of(kControl), kSlots, 0, enable_receives(kReceive, kMessages, true));
  node.ring_doorbell(kControl, 1);
  const Cycles deadline = device.now() + kBound / 2;
  const auto wait_for = [&](QueueId queue, std::uint32_t head) {
    while (node.queue_head(queue) != head && device.now() < deadline) device.compute(100);
  };
  wait_for(kSend, kMessages);
  wait_for(kReceive, kMessages);
  seen.late = device.now() - enabled;
  wait_for(kSendOther, 2);
  wait_for(kReceiveOther, 1);
  seen.done = device.now() < deadline;
  seen.status = node.queue_status(kReceive);
  seen.status_other = node.queue_status(kSendOther);
  seen.limit =
      static_cast<std::uint32_t>(device.read64(registers::injection_queue::limit(kReceive.value)));
  // Of kSend and kReceive all, of the other two queues two and one.
  seen.entries = node.completions(kCompletions, kEntries, 2 * kMessages + 3, deadline);
  look_at_discards(device, seen);
}

// Each queue's entries come in the order of its descriptors.
void check_entries(NodeId id, const Seen& seen, Tally& tally) {
  namespace e = layout::completion_entry;
  const auto expect = [&](QueueId queue, std::span<const std::uint32_t> numbers) {
    std::size_t found = 0;
    for (const CompletionEntry& entry : seen.entries) {
      if (entry.get<e::queue>() != queue.value) continue;
      const auto wanted = found < numbers.size() ? numbers[found] : ~std::uint32_t{0};
      const Status status = wanted == kLongOne ? Status::kLengthTooLong : Status::kOk;
      tally.expect(
          entry.get<e::sequence_number>() == wanted && entry.get<e::status>() == status &&
              entry.get<e::bytes>() == size_of(wanted) && entry.get<e::word>() == wanted &&
              entry.get<e::phase>() == 1,
          [&] {
            return fmt::format(
                "node {} queue {}: entry {} tells number {}, status {}, {} bytes", id.value,
                queue.value, found, static_cast<std::uint64_t>(entry.get<e::sequence_number>()),
                name_of(entry.get<e::status>()), static_cast<std::uint64_t>(entry.get<e::bytes>()));
          });
      ++found;
    }
    tally.expect(found == numbers.size(), [&] {
      return fmt::format("node {} queue {} has {} entries, not {}", id.value, queue.value, found,
                         numbers.size());
    });
  };
  std::vector<std::uint32_t> all(kMessages);
  for (std::uint32_t i = 0; i < kMessages; ++i) all[i] = i;
  const std::array both{kLongOne, kShortOne};
  const std::array one{kShortOne};
  expect(kSend, all);
  expect(kReceive, all);
  expect(kSendOther, both);
  expect(kReceiveOther, one);
}

}  // namespace

void play_discard(Stage& stage) {
  const std::uint32_t nodes = stage.shape().nodes();
  for (std::uint32_t n = 0; n < nodes; ++n) {
    for (std::uint32_t i = 0; i < kMessages + 2; ++i) {
      stage.memory({n}).write(kSource + place(i), pattern(stream(stage.seed(), n, i), size_of(i)));
    }
    stage.memory({n}).write(kTarget, std::vector<std::byte>((kMessages + 2) * kPlaceBytes, kGuard));
  }
  stage.on_all_nodes(set_up);
  if (!stage.run(kBound)) return;
  const Cycles start = stage.now();
  show_opening(stage, start,
               {"sends",
                {"register writes", "descriptors of requests", link_to_node_1(stage.shape()),
                 "requests received"}},
               {"refuses", {"requests received", "stores", "done in memory"}});
  std::vector<Seen> seen(nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    stage.add_core({n}, [&seen, n](Device& device) { exchange(device, seen[n]); });
  }
  if (!stage.run(kBound)) return;

  Tally discarded("nodes"), told_of("nodes"), bytes("bytes"), queues("queues"), entries("entries");
  Tally seen_by_host("nodes");
  std::uint64_t discards = 0;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const Seen& own = seen[n];
    discarded.expect(own.untouched && own.early_heads == 0, [&] {
      return fmt::format("node {}: a disabled RECEIVE was {}, {} descriptors were done", n,
                         own.untouched ? "not written" : "written", own.early_heads);
    });
    // A sender that had not been told would wait eight times as long; how long a memory takes is
    // for no check to say.
    told_of.expect(!stage.has_fixed_timing() || own.late < 3 * kRetry, [&] {
      return fmt::format("node {}: the last message was done {} cycles after it was enabled", n,
                         own.late);
    });
    std::vector<std::byte> wanted((kMessages + 2) * kPlaceBytes, kGuard);
    const std::uint32_t from = (n + nodes - 1) % nodes;
    for (std::uint32_t i = 0; i < kMessages + 2; ++i) {
      if (i == kLongOne) continue;
      const auto message = pattern(stream(stage.seed(), from, i), size_of(i));
      std::copy(message.begin(), message.end(),
                wanted.begin() + static_cast<std::ptrdiff_t>(place(i)));
    }
    expect_bytes(bytes, stage.memory({n}), {n}, kTarget, wanted);
    queues.expect(own.done && own.status == Status::kOk &&
                      own.status_other == Status::kLengthTooLong && own.limit == kMessages,
                  [&] {
                    return fmt::format("node {}: status {} and {}, limit {}", n,
                                       name_of(own.status), name_of(own.status_other), own.limit);
                  });
    check_entries({n}, own, entries);
    discards += own.discards;
    seen_by_host.expect(
        own.discards != 0 && own.notices == own.discards && own.good_notices == own.notices, [&] {
          return fmt::format("node {}: {} discards, {} notices, of which {} right", n, own.discards,
                             own.notices, own.good_notices);
        });
  }
  discarded.report(stage, "discard.nothing_taken_while_disabled");
  told_of.report(stage, "discard.senders_are_told");
  bytes.report(stage, "discard.bytes");
  queues.report(stage, "discard.queues");
  entries.report(stage, "discard.completion_entries");
  seen_by_host.report(stage, "discard.seen_by_the_host");
  stage.say(fmt::format("{} nodes sent {} messages each, {} discards, in {} cycles", nodes,
                        kMessages + 2, discards, stage.now() - start));
}

}  // namespace torusmu
