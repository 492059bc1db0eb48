// SPDX-License-Identifier: Apache-2.0
// fifo: all nodes send messages to one reception FIFO of node 0, twice: first it has room for all
// and they come in order; then it is small, packets are refused, and each sender sends again what a
// notice names. Nothing is lost, nothing comes twice.
#include <fmt/format.h>

#include <bit>
#include <map>

#include "sim/machine/mix.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

constexpr std::uint32_t kMessages = 20;  // of each node, each one packet
constexpr std::array<Bytes, 7> kSizes{1, 32, 33, 512, 500, 64, 100};
constexpr Address kRing = 0x10000;
constexpr std::uint32_t kRingSlots = 8;
constexpr Address kNotices = 0x30000;
constexpr std::uint32_t kNoticeSlots = 64;
constexpr Address kSource = 0x100000;
constexpr Bytes kSlotBytes = 0x400;
constexpr Address kFifoRing = 0x400000;
constexpr Bytes kFifoSlotBytes = 32;
constexpr RegionId kSourceRegion{1}, kAckRegion{2};
constexpr Address kAck = 0x200000;
constexpr QueueId kQueue{8};
constexpr EventId kAllThere{1};
constexpr Cycles kBound = 5'000'000;
constexpr Cycles kPause = 400;

Bytes size_of(std::uint32_t from, std::uint32_t i) { return kSizes[(from + i) % kSizes.size()]; }
std::uint64_t stream(std::uint64_t seed, std::uint32_t from, std::uint32_t i) {
  return mix(seed * 77 + from) + i;
}
std::uint32_t slots_of(Bytes bytes) {
  return static_cast<std::uint32_t>(1 + (bytes + kFifoSlotBytes - 1) / kFifoSlotBytes);
}

// One of the two halves of the scenario.
struct Round {
  const char* name;
  FifoId fifo;
  std::uint32_t slots;
  bool room_for_all;
};

struct Sent {
  std::uint32_t again = 0;    // messages sent again after a notice
  std::uint32_t strange = 0;  // notices of anything else
};

void set_up(Device& device) {
  RawNode node(device);
  node.open_region(kSourceRegion, kSource, kMessages * kSlotBytes, {.remote_write = false});
  node.open_region(kAckRegion, kAck, 64);
  node.open_queue(kQueue, kRing, kRingSlots, QueueMode::kDoorbell);
  node.open_notices(kNotices, kNoticeSlots);
  node.open_event(kAllThere);
  const std::array causes{Cause::kArrived};
  node.enable_interrupts(causes);
  (void)node.causes();
}

class Sender {
 public:
  Sender(Device& device, const Round& round, std::uint32_t& tail, std::uint32_t& notices)
      : device_(device), node_(device), round_(round), tail_(tail), notices_(notices) {}

  Sent run(std::uint32_t acks_before) {
    for (std::uint32_t i = 0; i < kMessages; ++i) post(i);
    const Cycles deadline = device_.now() + kBound / 2;
    while (node_.read_event(kAllThere) == acks_before && device_.now() < deadline) {
      send_refused_again();
      device_.compute(kPause);
    }
    return sent_;
  }

 private:
  void post(std::uint32_t i) {
    const std::uint32_t self = device_.node().value;
    Descriptor fifo = fifo_descriptor({0, 0, 0}, {kSourceRegion, i * kSlotBytes, size_of(self, i)},
                                      round_.fifo, i, {});
    fifo.set<layout::descriptor::sequence_number>(i);
    while (tail_ - head_ >= kRingSlots) head_ = node_.queue_head(kQueue);
    node_.write_descriptor(kRing, kRingSlots, tail_, fifo);
    node_.ring_doorbell(kQueue, ++tail_);
  }

  void send_refused_again() {
    const auto there =
        static_cast<std::uint32_t>(extract(device_.read64(registers::client_page::notice_tail(0)),
                                           registers::client_page::notice_tail_field::tail));
    if (there == notices_) return;
    for (; notices_ != there; ++notices_) {
      std::array<std::uint8_t, 32> entry{};
      device_.load(kNotices + notices_ % kNoticeSlots * entry.size(),
                   std::as_writable_bytes(std::span(entry)));
      const auto header = PacketHeader::from_bytes(std::span(entry).first(16));
      const auto trailer = PacketTrailer::from_bytes(std::span(entry).last(16));
      const auto status = static_cast<Status>(header.get<layout::packet_header::word>() & 0xff);
      const auto number =
          static_cast<std::uint32_t>(trailer.get<layout::packet_trailer::sequence_number>());
      if (status == Status::kFifoFull && number < kMessages) {
        ++sent_.again;
        post(number);
      } else {
        ++sent_.strange;
      }
    }
    device_.write64(registers::client_page::notice_head(0), notices_);
  }

  Device& device_;
  RawNode node_;
  const Round& round_;
  std::uint32_t& tail_;
  std::uint32_t& notices_;
  std::uint32_t head_ = 0;
  Sent sent_;
};

// Empties the FIFO of node 0 and checks what it finds.
class Receiver {
 public:
  Receiver(Device& device, const Round& round, std::uint64_t seed, Tally& packets, Tally& order)
      : device_(device),
        node_(device),
        round_(round),
        seed_(seed),
        packets_(packets),
        order_(order) {}

  void run() {
    const std::uint32_t nodes = device_.shape().nodes();
    const Cycles deadline = device_.now() + kBound / 2;
    std::uint32_t missing = nodes * kMessages;
    while (missing != 0 && device_.wait_interrupt({0}, deadline)) {
      // Cleared first: what comes after this is announced again.
      node_.clear_causes(~std::uint64_t{0});
      const std::uint32_t tail = node_.fifo_tail(round_.fifo);
      while (head_ != tail) {
        take();
        --missing;
        node_.set_fifo_head(round_.fifo, head_);
      }
    }
    if (missing == 0) return;
    packets_.expect(false, [&] { return fmt::format("{} messages missing", missing); });
  }
  [[nodiscard]] std::uint32_t head() const { return head_; }

 private:
  std::array<std::byte, kFifoSlotBytes> load_slot() {
    std::array<std::byte, kFifoSlotBytes> slot{};
    device_.load(kFifoRing + Bytes{head_ % round_.slots} * kFifoSlotBytes, slot);
    ++head_;
    return slot;
  }

  void take() {
    const auto first = load_slot();
    std::array<std::uint8_t, 32> raw{};
    for (std::size_t i = 0; i < raw.size(); ++i) raw[i] = std::to_integer<std::uint8_t>(first[i]);
    const auto header = PacketHeader::from_bytes(std::span(raw).first(16));
    const std::uint32_t from =
        device_.shape()
            .node({static_cast<std::uint32_t>(header.get<layout::packet_header::src_x>()),
                   static_cast<std::uint32_t>(header.get<layout::packet_header::src_y>()),
                   static_cast<std::uint32_t>(header.get<layout::packet_header::src_z>())})
            .value;
    const auto i = static_cast<std::uint32_t>(header.get<layout::packet_header::word>());
    const Bytes bytes = header.get<layout::packet_header::bytes>();
    bool good = from < device_.shape().nodes() && i < kMessages && bytes == size_of(from, i) &&
                header.get<layout::packet_header::kind>() == Kind::kFifo &&
                header.get<layout::packet_header::target>() == round_.fifo.value;
    // Pad bytes after the payload are zero.
    for (Bytes at = 0; at < bytes; at += kFifoSlotBytes) {
      const auto slot = load_slot();
      for (Bytes b = 0; b < kFifoSlotBytes; ++b) {
        const std::byte wanted =
            at + b < bytes ? pattern_byte(stream(seed_, from, i), at + b) : std::byte{0};
        good = good && slot[b] == wanted;
      }
    }
    good = good && ++times_[{from, i}] == 1;
    packets_.expect(good, [&] {
      return fmt::format("message {} of node {}, {} bytes, number {} of its kind", i, from, bytes,
                         times_[{from, i}]);
    });
    if (!good) return;
    order_.expect(i == next_[from], [&] {
      return fmt::format("message {} of node {} came when {} was next", i, from, next_[from]);
    });
    next_[from] = i + 1;
  }

  Device& device_;
  RawNode node_;
  const Round& round_;
  std::uint64_t seed_;
  Tally& packets_;
  Tally& order_;
  std::uint32_t head_ = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> times_;
  std::map<std::uint32_t, std::uint32_t> next_;
};

// Tells every sender that node 0 has all of its messages.
void acknowledge(Device& device, std::uint32_t& tail) {
  RawNode node(device);
  std::uint32_t head = tail;
  const std::array<std::byte, 8> word{std::byte{1}};
  for (std::uint32_t n = 0; n < device.shape().nodes(); ++n) {
    while (tail - head >= kRingSlots) head = node.queue_head(kQueue);
    const Coordinates to = device.shape().coordinates({n});
    node.write_descriptor(
        kRing, kRingSlots, tail,
        immediate_put(to, word, kAckRegion, 0, {.event = static_cast<int>(kAllThere.value)}));
    node.ring_doorbell(kQueue, ++tail);
  }
}

bool play_round(Stage& stage, const Round& round, std::uint32_t number,
                std::vector<std::uint32_t>& tails, std::vector<std::uint32_t>& notices) {
  const std::uint32_t nodes = stage.shape().nodes();
  Tally packets("messages"), order("messages in order");
  std::vector<Sent> sent(nodes);
  std::uint32_t taken = 0;
  std::uint64_t refused = 0;
  stage.add_core({0}, [&](Device& device) {
    RawNode(device).open_fifo(round.fifo, kFifoRing, round.slots, true);
    (void)RawNode(device).causes();
  });
  if (!stage.run(kBound)) return false;
  const Cycles start = stage.now();
  // In the other round nothing is refused.
  if (!round.room_for_all) {
    show_opening(
        stage, start,
        {"has the FIFO",
         {"requests received", "stores", "done in memory", "register writes", "interrupt"}},
        {"sends to it", {"register writes", "descriptors of requests", "replies received"}});
  }
  for (std::uint32_t n = 1; n < nodes; ++n) {
    stage.add_core({n}, [&, n](Device& device) {
      sent[n] = Sender(device, round, tails[n], notices[n]).run(number);
    });
  }
  // Node 0 has a core that sends and one that receives; they share the queue only after all is
  // there.
  stage.add_core({0}, [&](Device& device) {
    sent[0] = Sender(device, round, tails[0], notices[0]).run(number);
  });
  stage.add_core({0}, [&](Device& device) {
    Receiver receiver(device, round, stage.seed(), packets, order);
    receiver.run();
    taken = receiver.head();
    acknowledge(device, tails[0]);
    refused = device.read64(registers::reception_fifo::refused(round.fifo.value));
  });
  if (!stage.run(kBound)) return false;

  const std::string name = std::string("fifo.") + round.name;
  std::uint32_t wanted_slots = 0;
  std::uint32_t again = 0, strange = 0;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    for (std::uint32_t i = 0; i < kMessages; ++i) wanted_slots += slots_of(size_of(n, i));
    again += sent[n].again;
    strange += sent[n].strange;
  }
  packets.report(stage, name + ".each_message_once");
  if (round.room_for_all) order.report(stage, name + ".in_order");
  stage.check(name + ".slots", taken == wanted_slots,
              fmt::format("{} slots taken, {} sent", taken, wanted_slots));
  stage.check(
      name + ".refusals_noticed",
      again == refused && strange == 0 && (refused != 0) != round.room_for_all,
      fmt::format("{} packets refused, {} sent again, {} other notices", refused, again, strange));
  stage.say(fmt::format("{}: {} messages into {} slots in {} cycles, {} refused and sent again",
                        round.name, nodes * kMessages, round.slots, stage.now() - start, refused));
  return true;
}

}  // namespace

void play_fifo(Stage& stage) {
  const std::uint32_t nodes = stage.shape().nodes();
  for (std::uint32_t n = 0; n < nodes; ++n) {
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      stage.memory({n}).write(kSource + i * kSlotBytes,
                              pattern(stream(stage.seed(), n, i), size_of(n, i)));
    }
  }
  stage.on_all_nodes(set_up);
  if (!stage.run(kBound)) return;
  std::vector<std::uint32_t> tails(nodes), notices(nodes);
  const Round wide{"room_for_all", {2}, std::bit_ceil(nodes * kMessages * slots_of(512) / 2), true};
  const Round narrow{"small", {3}, 32, false};
  if (!play_round(stage, wide, 0, tails, notices)) return;
  play_round(stage, narrow, 1, tails, notices);
}

}  // namespace torusmu
