// SPDX-License-Identifier: Apache-2.0
// get: every node asks every node (itself too) for pieces of its memory, all at once, and makes two
// gets that must be refused. Checks every byte, the counters, and that each refusal is told by a
// notice.
#include <fmt/format.h>

#include "sim/machine/mix.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

constexpr std::array<Bytes, 8> kSizes{5, 64, 700, 4096, 513, 32, 1, 8191};
constexpr std::uint32_t kMostPieces = 8;
constexpr std::uint32_t kMostPeers = kMostPeersOfGet;

constexpr Address kRing = 0x10000;
constexpr std::uint32_t kRingSlots = 16;
constexpr Address kGetRing = 0x20000;
constexpr std::uint32_t kGetSlots = kMostPeers * kMostPieces;
constexpr Address kNotices = 0x30000;
constexpr std::uint32_t kNoticeSlots = 16;
constexpr Address kRequests = 0x40000;  // the descriptors that gets carry
constexpr Address kOffered = 0x100000;
constexpr Bytes kOfferedBytes = 0x10000;
constexpr Address kTarget = 0x400000;
constexpr Bytes kPeerBytes = 0x10000;
constexpr RegionId kRequestRegion{0}, kOfferedRegion{1}, kTargetRegion{2}, kSecretRegion{3};
constexpr QueueId kQueue{8}, kGetQueue{9}, kNoQueue{10};
constexpr EventId kPieces{1};
constexpr CounterId kNeverZero{40};
constexpr Cycles kBound = 2'000'000;

std::uint32_t pieces_of(std::uint32_t getter, std::uint32_t peer) {
  return 1 + (getter + 3 * peer) % kMostPieces;
}
Bytes size_of(std::uint32_t getter, std::uint32_t piece) {
  return kSizes[(getter + piece) % kSizes.size()];
}
// Pieces lie close together at both ends, so that most are not aligned.
Bytes offset_of(std::uint32_t getter, std::uint32_t piece) {
  Bytes offset = Bytes{getter} * 7;
  for (std::uint32_t i = 0; i < piece; ++i) offset += size_of(getter, i) + 3;
  return offset;
}

struct Seen {
  std::array<std::uint64_t, kMostPeers> counters{};
  std::uint32_t pieces = 0;
  std::vector<PacketHeader> notice_headers;
  std::vector<PacketTrailer> notice_trailers;
  std::uint64_t causes = 0;
};

void set_up(Device& device) {
  RawNode node(device);
  const std::uint32_t nodes = device.shape().nodes();
  const std::uint32_t self = device.node().value;
  node.open_region(kRequestRegion, kRequests, Bytes{64} * (kMostPeers + 2) * kMostPieces,
                   {.remote_write = false});
  node.open_region(kOfferedRegion, kOffered, kOfferedBytes,
                   {.remote_write = false, .remote_read = true});
  node.open_region(kTargetRegion, kTarget, kMostPeers * kPeerBytes);
  node.open_region(kSecretRegion, kOffered, kOfferedBytes, {.remote_write = false});
  node.open_queue(kQueue, kRing, kRingSlots, QueueMode::kDoorbell);
  node.open_queue(kGetQueue, kGetRing, kGetSlots, QueueMode::kRemoteGet);
  node.open_notices(kNotices, kNoticeSlots);
  node.open_event(kPieces);
  node.open_counter(kNeverZero, false);
  node.preload(kNeverZero, 1);
  for (std::uint32_t peer = 0; peer < nodes; ++peer) {
    Bytes total = 0;
    for (std::uint32_t i = 0; i < pieces_of(self, peer); ++i) total += size_of(self, i);
    node.open_counter({peer}, false);
    node.preload({peer}, total);
  }
  const std::array causes{Cause::kNotice};
  node.enable_interrupts(causes);
  (void)node.causes();
}

void get_and_wait(Device& device, Seen& seen) {
  RawNode node(device);
  const Shape shape = device.shape();
  const std::uint32_t self = device.node().value;
  const Coordinates home = shape.coordinates(device.node());
  std::uint32_t wanted = 0, tail = 0, head = 0;
  const auto post = [&](const Descriptor& get) {
    while (tail - head == kRingSlots) head = node.queue_head(kQueue);
    node.write_descriptor(kRing, kRingSlots, tail, get);
    node.ring_doorbell(kQueue, ++tail);
  };
  for (std::uint32_t i = 0; i < shape.nodes(); ++i) {
    const std::uint32_t peer = (self + i) % shape.nodes();
    const std::uint32_t pieces = pieces_of(self, peer);
    const Bytes requests = Bytes{64} * kMostPieces * peer;
    for (std::uint32_t p = 0; p < pieces; ++p) {
      const Bytes offset = offset_of(self, p);
      const Descriptor put = put_descriptor(
          home, {kOfferedRegion, offset, size_of(self, p)}, kTargetRegion,
          peer * kPeerBytes + offset,
          {.counter = static_cast<int>(peer), .event = static_cast<int>(kPieces.value)});
      node.write_descriptor(kRequests + requests, kMostPieces, p, put);
    }
    post(get_descriptor(shape.coordinates({peer}), kRequestRegion, requests, pieces, kGetQueue));
    wanted += pieces;
  }
  // Two that must be refused: a queue that takes no gets, and a region that may not be read from
  // afar.
  const Coordinates next = shape.coordinates({self + 1 < shape.nodes() ? self + 1 : 0});
  const Bytes requests = Bytes{64} * kMostPieces * kMostPeers;
  node.write_descriptor(kRequests + requests, kMostPieces, 0,
                        put_descriptor(home, {kSecretRegion, 0, 100}, kTargetRegion, 0,
                                       {.counter = static_cast<int>(kNeverZero.value)}));
  post(get_descriptor(next, kRequestRegion, requests, 1, kNoQueue)
           .set<layout::descriptor::sequence_number>(77));
  post(get_descriptor(next, kRequestRegion, requests, 1, kGetQueue)
           .set<layout::descriptor::sequence_number>(78));

  const Cycles deadline = device.now() + kBound / 2;
  std::uint32_t notices = 0;
  while (notices < 2 && device.wait_interrupt({0}, deadline)) {
    seen.causes |= node.causes();
    node.clear_causes(~std::uint64_t{0});
    const auto now_there =
        static_cast<std::uint32_t>(extract(device.read64(registers::client_page::notice_tail(0)),
                                           registers::client_page::notice_tail_field::tail));
    for (; notices != now_there; ++notices) {
      std::array<std::uint8_t, 32> entry{};
      device.load(kNotices + notices % kNoticeSlots * entry.size(),
                  std::as_writable_bytes(std::span(entry)));
      seen.notice_headers.push_back(PacketHeader::from_bytes(std::span(entry).first(16)));
      seen.notice_trailers.push_back(PacketTrailer::from_bytes(std::span(entry).last(16)));
    }
    device.write64(registers::client_page::notice_head(0), notices);
  }
  while (node.read_event(kPieces) != wanted && device.now() < deadline) device.compute(300);
  for (std::uint32_t peer = 0; peer < shape.nodes(); ++peer) {
    seen.counters[peer] = node.read_counter({peer});
  }
  seen.pieces = node.read_event(kPieces);
}

// The notices of one node: one of each refusal, in whatever order they came.
void check_notices(NodeId id, const Seen& seen, Tally& notices) {
  notices.expect(seen.notice_headers.size() == 2, [&] {
    return fmt::format("node {} has {} notices, not 2", id.value, seen.notice_headers.size());
  });
  // The queue that serves a peer's forbidden get is this node's own, so it may see that error too.
  const std::uint64_t error = 1U << static_cast<unsigned>(Cause::kError);
  notices.expect((seen.causes & ~error) == 1U << static_cast<unsigned>(Cause::kNotice),
                 [&] { return fmt::format("node {} saw causes 0x{:x}", id.value, seen.causes); });
  for (std::size_t i = 0; i < seen.notice_headers.size(); ++i) {
    const std::uint64_t word = seen.notice_headers[i].get<layout::packet_header::word>();
    const auto status = static_cast<Status>(word & 0xff);
    const auto kind = static_cast<Kind>(word >> 8 & 0xf);
    const auto number = seen.notice_trailers[i].get<layout::packet_trailer::sequence_number>();
    // The refused GET carries the getter's number; the PUT that it asked for carries its own, zero.
    const bool good = number == 77 ? status == Status::kQueueInvalid && kind == Kind::kGet
                                   : status == Status::kPermission && kind == Kind::kPut;
    notices.expect(good, [&] {
      return fmt::format("node {}: notice of {} {} with number {}", id.value, name_of(kind),
                         name_of(status), number);
    });
  }
}

}  // namespace

void play_get(Stage& stage) {
  const std::uint32_t nodes = stage.shape().nodes();
  const auto offered = [&](std::uint32_t n) {
    return pattern(mix(stage.seed()) + n, kOfferedBytes);
  };
  for (std::uint32_t n = 0; n < nodes; ++n) stage.memory({n}).write(kOffered, offered(n));
  stage.on_all_nodes(set_up);
  if (!stage.run(kBound)) return;
  const Cycles start = stage.now();
  show_opening(stage, start,
               {"asks and is asked",
                {"register writes", "descriptors of requests", link_to_node_1(stage.shape()),
                 "requests received", "replies received", "stores", "interrupt"}},
               {"asks and is asked",
                {"requests received", "descriptors of requests", "stores", "done in memory"}});
  std::vector<Seen> seen(nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    stage.add_core({n}, [&seen, n](Device& device) { get_and_wait(device, seen[n]); });
  }
  if (!stage.run(kBound)) return;

  Tally bytes("bytes"), counters("byte counters"), events("event counters"), notices("notices");
  std::uint32_t gets = 0;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    std::uint32_t pieces = 0;
    for (std::uint32_t peer = 0; peer < nodes; ++peer, ++gets) {
      // Everything that was not asked for stays zero.
      const std::vector<std::byte> source = offered(peer);
      std::vector<std::byte> wanted(kPeerBytes);
      for (std::uint32_t p = 0; p < pieces_of(n, peer); ++p, ++pieces) {
        const auto from = static_cast<std::ptrdiff_t>(offset_of(n, p));
        std::copy_n(source.begin() + from, size_of(n, p), wanted.begin() + from);
      }
      expect_bytes(bytes, stage.memory({n}), {n}, kTarget + peer * kPeerBytes, wanted);
      const std::uint64_t zero = insert(0, registers::client_page::byte_counter_field::hit_zero, 1);
      counters.expect(seen[n].counters[peer] == zero, [&] {
        return fmt::format("byte counter {} of node {} reads 0x{:x}", peer, n,
                           seen[n].counters[peer]);
      });
    }
    events.expect(seen[n].pieces == pieces, [&] {
      return fmt::format("node {} counts {} pieces, not {}", n, seen[n].pieces, pieces);
    });
    check_notices({n}, seen[n], notices);
  }
  bytes.report(stage, "get.bytes");
  counters.report(stage, "get.byte_counters_hit_zero");
  events.report(stage, "get.event_counters");
  notices.report(stage, "get.refusals_noticed");
  stage.say(fmt::format("{} nodes made {} gets, 2 refused each, in {} cycles", nodes,
                        gets + 2 * nodes, stage.now() - start));
}

}  // namespace torusmu
