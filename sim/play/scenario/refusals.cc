// SPDX-License-Identifier: Apache-2.0
// refusals: what is wrong ends in a status, and in nothing else. On every node a core makes wrong
// accesses to its page, posts descriptors that may not run, fetches one that names another node
// than its own, sends to a queue that never receives, configures a queue that a WAIT holds, counts
// down further than to zero, and fills a completion queue past its room. Checks each status where a
// program finds it, that nothing is written, and that the queue goes on behind what it refused.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "sim/machine/mix.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

namespace page = registers::client_page;
namespace field = layout::descriptor;

constexpr QueueId kQueue{7}, kSend{8}, kReceive{9}, kHeld{10}, kGets{11}, kLost{12};
constexpr CompletionQueueId kCompletions{0}, kSmall{1};
constexpr CounterId kCounter{0};
constexpr EventId kNever{0};
constexpr Address kRings = 0x10000;
constexpr Bytes kRingBytes = 0x800;
constexpr std::uint32_t kSlots = 16;
constexpr Address kEntries = 0x20000, kSmallEntries = 0x21000;
constexpr std::uint32_t kMostEntries = 32;
constexpr Address kNotices = 0x30000;
constexpr std::uint32_t kMostNotices = 16;
constexpr Address kSource = 0x100000;  // first the descriptor that is fetched
constexpr Address kTarget = 0x200000;
constexpr Address kAllowed = 0x300000;
constexpr Bytes kRegionBytes = 0x1000;
constexpr RegionId kSourceRegion{1}, kTargetRegion{2}, kAllowedRegion{3}, kNoRegion{9};
constexpr std::byte kGuard{0x69};
constexpr Cycles kRetry = 200;
constexpr Cycles kBound = 1'000'000;

Address ring_of(QueueId queue) { return kRings + queue.value * kRingBytes; }

struct Attempt {
  std::string name;
  Status wanted;
  std::optional<Status> found{};
};
using Attempts = std::vector<Attempt>;

struct Seen {
  Attempts attempts;
  std::uint64_t counter = 0;  // of which more was taken than was left
  std::uint64_t lost = 0;     // completion entries
  std::uint64_t causes = 0;
};

void set_up(Device& device) {
  RawNode node(device);
  const Shape shape = device.shape();
  const std::uint32_t self = device.node().value;
  const Coordinates next = shape.coordinates({(self + 1) % shape.nodes()});
  const Coordinates before = shape.coordinates({(self + shape.nodes() - 1) % shape.nodes()});
  device.write64(registers::node::send_retry_cycles(), kRetry);
  device.write64(registers::node::send_retries(), 1);
  node.open_region(kSourceRegion, kSource, kRegionBytes,
                   {.remote_write = false, .remote_read = true});
  node.open_region(kTargetRegion, kTarget, kRegionBytes);
  node.open_region(kAllowedRegion, kAllowed, kRegionBytes);
  node.open_notices(kNotices, kMostNotices);
  node.open_counter(kCounter, false);
  node.open_event(kNever);
  node.open_completion_queue(kCompletions, kEntries, kMostEntries);
  node.open_completion_queue(kSmall, kSmallEntries, 1);
  const QueueTells tells{.completion = static_cast<int>(kCompletions.value)};
  node.connect(kQueue, {}, kQueue, tells);
  node.connect(kHeld, {}, kHeld, tells);
  node.connect(kLost, {}, kLost, {.completion = static_cast<int>(kSmall.value)});
  node.connect(kSend, next, kReceive, tells);
  node.connect(kReceive, before, kSend, tells);
  for (const QueueId queue : {kQueue, kHeld, kLost, kSend}) {
    node.open_queue(queue, ring_of(queue), kSlots, QueueMode::kDoorbell);
  }
  node.open_queue(kReceive, ring_of(kReceive), kSlots, QueueMode::kReceive);
  node.open_queue(kGets, ring_of(kGets), kSlots, QueueMode::kRemoteGet);
  (void)node.causes();
}

// --- registers ----------------------------------------------------------------------------------

void try_registers(Device& device, Attempts& attempts) {
  constexpr std::uint32_t kHole = 0x3c0;
  const auto attempt = [&](const char* name, Status wanted, const std::function<void()>& access) {
    access();
    const std::uint64_t status = device.read64(page::page_status(0));
    attempts.push_back(
        {name, wanted, static_cast<Status>(extract(status, page::page_status_field::status))});
    // The next one finds a page that knows of no error.
    device.write64(registers::node::error_clear(), 1);
    (void)device.read64(page::page_status(0));
  };
  attempt("a doorbell past the ring", Status::kDoorbellRange,
          [&] { device.write32(page::queue_index(0, kQueue.value), kSlots + 1); });
  attempt("no register", Status::kRegisterUnknown, [&] { device.write64(kHole, 1); });
  attempt("a doorbell of eight bytes", Status::kRegisterPartial,
          [&] { device.write64(page::queue_index(0, kQueue.value), 1); });
  attempt("a preload of too many bytes", Status::kRegisterValue,
          [&] { device.write64(page::byte_counter(0, kCounter.value), std::uint64_t{1} << 38); });
}

// --- descriptors --------------------------------------------------------------------------------

// With bit 127, which is reserved.
Descriptor with_reserved_bit(const Descriptor& descriptor) {
  auto bytes = descriptor.bytes();
  bytes.at(15) |= 0x80U;
  return Descriptor::from_bytes(bytes);
}

struct Posting {
  const char* name;
  Status wanted;
  QueueId queue;
  Descriptor descriptor;
};

std::vector<Posting> postings(const Device& device) {
  const Coordinates here = device.shape().coordinates(device.node());
  const Source some{kSourceRegion, 64, 64};
  const auto put = put_descriptor(here, some, kTargetRegion, 0, {});
  return {
      {"no opcode", Status::kUnknownOpcode, kQueue,
       Descriptor(put).set<field::opcode>(static_cast<Opcode>(0x77))},
      {"a reserved bit", Status::kReservedBits, kQueue, with_reserved_bit(put)},
      {"no region", Status::kRegionInvalid, kQueue,
       put_descriptor(here, {kNoRegion, 0, 64}, kTargetRegion, 0, {})},
      {"past a region", Status::kRegionBounds, kQueue,
       put_descriptor(here, {kSourceRegion, kRegionBytes - 63, 64}, kTargetRegion, 0, {})},
      {"a node outside the machine", Status::kUnreachable, kQueue,
       put_descriptor({15, 15, 15}, some, kTargetRegion, 0, {})},
      {"no byte", Status::kLengthZero, kQueue,
       put_descriptor(here, {kSourceRegion, 0, 0}, kTargetRegion, 0, {})},
      {"17 bytes in a descriptor", Status::kLengthTooLong, kQueue,
       Descriptor(put).set<field::immediate_valid>(1).set<field::length>(17)},
      {"a RECEIVE in a send queue", Status::kOpcodeForbidden, kQueue,
       receive_descriptor({kTargetRegion, 0, 64})},
      {"nobody to reflect", Status::kNoReflector, kQueue, reflect_descriptor(kSourceRegion, 0, 7)},
      {"behind all of these", Status::kOk, kQueue,
       put_descriptor(here, some, kAllowedRegion, 128, {})},
      {"a SEND that nobody receives", Status::kRetryExceeded, kSend, send_descriptor(some, 0)},
      {"a WAIT that is flushed", Status::kFlushed, kHeld, wait_for_event(kNever, 1)},
  };
}

void try_descriptors(Device& device, Attempts& attempts) {
  namespace e = layout::completion_entry;
  RawNode node(device);
  const auto list = postings(device);
  const std::size_t first = attempts.size();
  std::map<std::uint32_t, std::uint32_t> tails;
  for (std::uint32_t number = 0; number < list.size(); ++number) {
    const Posting& posting = list[number];
    attempts.push_back({posting.name, posting.wanted});
    node.write_descriptor(
        ring_of(posting.queue), kSlots, tails[posting.queue.value]++,
        Descriptor(posting.descriptor).set<field::signal>(1).set<field::sequence_number>(number));
  }
  for (const auto& [queue, tail] : tails) node.ring_doorbell({queue}, tail);
  // All but the WAIT, which ends when its queue is closed.
  const auto count = static_cast<std::uint32_t>(list.size());
  const Cycles deadline = device.now() + kBound / 4;
  (void)node.completions(kCompletions, kEntries, count - 1, deadline);
  device.write64(registers::injection_queue::config(kHeld.value), 0);
  for (const CompletionEntry& entry : node.completions(kCompletions, kEntries, count, deadline)) {
    const std::size_t number = entry.get<e::sequence_number>();
    if (number < count) attempts[first + number].found = entry.get<e::status>();
  }
}

// --- what is told elsewhere ---------------------------------------------------------------------

// A counter that is counted down past zero, a descriptor for another's queue, and two entries where
// there is room for one.
void try_counts(Device& device) {
  RawNode node(device);
  const Shape shape = device.shape();
  const std::uint32_t self = device.node().value;
  const Coordinates here = shape.coordinates({self});
  const Coordinates next = shape.coordinates({(self + 1) % shape.nodes()});
  node.preload(kCounter, 4);
  node.write_descriptor(ring_of(kLost), kSlots, 0,
                        immediate_put(here, pattern(self, 8), kAllowedRegion, 0,
                                      {.counter = static_cast<int>(kCounter.value)})
                            .set<field::signal>(1));
  node.write_descriptor(ring_of(kLost), kSlots, 1, Descriptor().set<field::signal>(1));
  // It names the node that runs it, not the one that has fetched it.
  const auto wrong = put_descriptor(next, {kSourceRegion, 64, 64}, kTargetRegion, 0, {}).bytes();
  device.store(kSource, std::as_bytes(std::span(wrong)));
  node.write_descriptor(ring_of(kLost), kSlots, 2,
                        get_descriptor(next, kSourceRegion, 0, 1, kGets));
  node.ring_doorbell(kLost, 3);
}

void look(Device& device, Seen& seen) {
  RawNode node(device);
  seen.attempts.push_back({"a descriptor fetched for another node", Status::kTargetForbidden,
                           node.queue_status(kGets)});
  std::array<std::uint8_t, PacketHeader::kBytes> notice{};
  device.load(kNotices, std::as_writable_bytes(std::span(notice)));
  const auto word = PacketHeader::from_bytes(notice).get<layout::packet_header::word>();
  seen.attempts.push_back(
      {"the notice of it", Status::kTargetForbidden, static_cast<Status>(word & 0xFFU)});
  seen.counter = node.read_counter(kCounter);
  seen.lost = device.read64(registers::completion_queue::status(kSmall.value));
  seen.causes = node.causes();
}

void check(Stage& stage, const std::vector<Seen>& seen) {
  Tally statuses("attempts"), counters("nodes"), nothing("bytes"), behind("bytes");
  for (std::uint32_t n = 0; n < seen.size(); ++n) {
    for (const Attempt& attempt : seen[n].attempts) {
      statuses.expect(attempt.found == attempt.wanted, [&] {
        return fmt::format("node {}, {}: {}, not {}", n, attempt.name,
                           attempt.found ? name_of(*attempt.found) : "no status",
                           name_of(attempt.wanted));
      });
    }
    const bool underflow = extract(seen[n].counter, page::byte_counter_field::underflow) != 0;
    const bool told = (seen[n].causes >> static_cast<unsigned>(Cause::kError) & 1U) != 0;
    counters.expect(underflow && seen[n].lost == 1 && told, [&] {
      return fmt::format("node {}: underflow {}, {} entries lost, causes 0x{:x}", n, underflow,
                         seen[n].lost, seen[n].causes);
    });
    expect_bytes(nothing, stage.memory({n}), {n}, kTarget,
                 std::vector<std::byte>(kRegionBytes, kGuard));
    expect_bytes(behind, stage.memory({n}), {n}, kAllowed + 128, pattern(stage.seed() + n, 64));
  }
  statuses.report(stage, "refusals.status");
  counters.report(stage, "refusals.underflow_and_overrun");
  nothing.report(stage, "refusals.nothing_written");
  behind.report(stage, "refusals.queue_goes_on");
  stage.say(fmt::format("{} nodes: {} attempts each", seen.size(), seen[0].attempts.size()));
}

}  // namespace

void play_refusals(Stage& stage) {
  const std::uint32_t nodes = stage.shape().nodes();
  for (std::uint32_t n = 0; n < nodes; ++n) {
    stage.memory({n}).write(kTarget, std::vector<std::byte>(kRegionBytes, kGuard));
    stage.memory({n}).write(kSource + 64, pattern(stage.seed() + n, 64));
  }
  stage.on_all_nodes(set_up);
  if (!stage.run(kBound)) return;
  const std::vector<std::string> groups{"register writes", "descriptors of requests",
                                        "requests received", "memory writes"};
  show_opening(stage, stage.now(), {"is refused", groups}, {"is refused", groups});
  std::vector<Seen> seen(nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    stage.add_core({n}, [&seen, n](Device& device) {
      try_registers(device, seen[n].attempts);
      try_descriptors(device, seen[n].attempts);
      try_counts(device);
    });
  }
  if (!stage.run(kBound)) return;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    stage.add_core({n}, [&seen, n](Device& device) { look(device, seen[n]); });
  }
  if (!stage.run(kBound)) return;
  check(stage, seen);
}

}  // namespace torusmu
