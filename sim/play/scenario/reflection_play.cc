// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/reflection_play.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "sim/machine/mix.h"
#include "sim/machine/profile.h"
#include "sim/machine/shape.h"
#include "sim/play/scenario/pins.h"

namespace torusmu {
namespace {

constexpr Address kRing = 0x10000;
constexpr std::uint32_t kRingSlots = 16;
constexpr Address kReflectionRings = 0x20000;
constexpr std::uint32_t kReflectionSlots = 4;
constexpr Address kGetRing = 0x28000;
constexpr std::uint32_t kGetSlots = 8;
constexpr Address kRequests = 0x40000;
constexpr Address kTokens = 0x50000;
constexpr Address kFifoRing = 0x60000;
constexpr std::uint32_t kFifoSlots = 64;
constexpr FifoId kFifo{3};
constexpr Bytes kSlotBytes = kProfile.fifo_slot_bytes;
constexpr Address kStored = 0x70000;
constexpr TouchId kTouchRange{0}, kCoreRange{1};
constexpr Address kShared = 0x80000;  // by two cores
constexpr Bytes kSharedBytes = 64;
constexpr Address kSource = 0x100000;
constexpr Address kTarget = 0x400000;
constexpr RegionId kSourceRegion{1}, kTargetRegion{2}, kRequestRegion{3}, kTokenRegion{4},
    kFifoRegion{5}, kStoredRegion{6};
constexpr QueueId kQueue{8}, kGetQueue{9};
constexpr EventId kDone{5}, kIsStored{6};
constexpr unsigned kAnyDirection = 7;
constexpr unsigned kThisNode = 6;
constexpr Cycles kBound = 500'000;

namespace touch = registers::touch_range::config_field;

template <typename Field>
void mark(Device& device, TouchId range, Address base, Bytes bytes, Field on) {
  namespace r = registers::touch_range;
  device.write64(r::base(range.value), base);
  device.write64(r::length(range.value), bytes);
  device.write64(r::config(range.value), insert(insert(0, touch::enable, 1), on, 1));
}

Descriptor completion(Coordinates home, std::uint64_t token, ReflectionPlay::Told told) {
  namespace d = layout::descriptor;
  namespace h = layout::packet_header;
  std::array<std::byte, 8> bytes{};
  std::memcpy(bytes.data(), &token, bytes.size());
  Descriptor back = immediate_put(
      home, bytes, kTokenRegion, 0,
      {.event = static_cast<int>(kDone.value), .interrupt = told == ReflectionPlay::Told::kFlag});
  if (told == ReflectionPlay::Told::kFifo) {
    PacketHeader header = back.get<d::header>();
    back.set<d::opcode>(Opcode::kFifo).set<d::header>(header.set<h::target>(kFifo.value));
  }
  return back;
}

void open_node(Device& device) {
  RawNode node(device);
  node.open_region(kSourceRegion, kSource, ReflectionPlay::kMessageBytes, {.remote_write = false});
  node.open_region(kTargetRegion, kTarget, ReflectionPlay::kMessageBytes);
  node.open_region(kRequestRegion, kRequests, Bytes{64} * kRingSlots, {.remote_write = false});
  node.open_region(kTokenRegion, kTokens, 8);
  // The ring of the FIFO, whose data the MU may read as any other of the client.
  node.open_region(kFifoRegion, kFifoRing, kFifoSlots * kSlotBytes, {.remote_write = false});
  node.open_region(kStoredRegion, kStored, 8);
  node.open_queue(kQueue, kRing, kRingSlots, QueueMode::kDoorbell);
  node.open_queue(kGetQueue, kGetRing, kGetSlots, QueueMode::kRemoteGet);
  node.open_reflections(kReflectionRings, kReflectionSlots);
  node.open_event(kDone);
  node.open_event(kIsStored);
  const std::array causes{Cause::kArrived};
  node.enable_interrupts(causes);
  (void)node.causes();
}

std::uint32_t distance(std::uint32_t from, std::uint32_t to, std::uint32_t size, bool torus) {
  const std::uint32_t straight = from > to ? from - to : to - from;
  return torus ? std::min(straight, size - straight) : straight;
}

}  // namespace

std::uint32_t hops(const Shape& shape, NodeId from, NodeId to) {
  const Coordinates a = shape.coordinates(from);
  const Coordinates b = shape.coordinates(to);
  return distance(a.x, b.x, shape.x, shape.torus_x) + distance(a.y, b.y, shape.y, shape.torus_y) +
         distance(a.z, b.z, shape.z, shape.torus_z);
}

namespace {

// The direction that software prefers: to a neighbour that the message does not pass, so that its
// GET waits behind nobody's data; 7, any, if there is none.
unsigned preferred_direction(const Shape& shape, NodeId from, NodeId target) {
  const std::uint32_t straight = hops(shape, from, target);
  for (unsigned d = kThisNode; d-- != 0;) {
    const NodeId next = neighbour(shape, from, d);
    if (next.value < shape.nodes() && next != from && hops(shape, next, target) >= straight &&
        next != target) {
      return d;
    }
  }
  return kAnyDirection;
}

}  // namespace

ReflectionPlay::ReflectionPlay(Stage& stage) : stage_(stage), token_at_(kTokens) {}

bool ReflectionPlay::set_up() {
  for (std::uint32_t n = 0; n < stage_.shape().nodes(); ++n) {
    const Core& core = stage_.add_core({n}, open_node);
    if (NodeId{n} != kOrigin) other_cores_.push_back(&core);
  }
  stage_.memory(kOrigin).write(kSource, pattern(stage_.seed(), kMessageBytes));
  if (!stage_.run(kBound)) return false;
  for (const Core* core : other_cores_) accesses_before_.push_back(core->counts().accesses());
  (void)stage_.take_events();
  return true;
}

bool ReflectionPlay::send(NodeId target, Reflector reflector, Told told) {
  const Shape shape = stage_.shape();
  stage_.memory(target).write(kTarget, std::vector<std::byte>(kMessageBytes));
  const std::uint64_t token = mix(stage_.seed() + sent_);
  ++sent_;
  // Behind the slot of header and trailer: the FIFO is opened anew each time.
  token_at_ = told == Told::kFifo ? kFifoRing + kSlotBytes : kTokens;
  bool interrupt_seen = false;
  stage_.add_core(kOrigin, [&, token](Device& device) {
    RawNode node(device);
    const Coordinates home = shape.coordinates(kOrigin);
    const Coordinates to = shape.coordinates(target);
    if (told == Told::kFifo) node.open_fifo(kFifo, kFifoRing, kFifoSlots, true);
    if (told == Told::kTouch) mark(device, kTouchRange, kTokens, 8, touch::on_write);
    const std::array causes{told == Told::kTouch ? Cause::kTouch : Cause::kArrived};
    if (told != Told::kFlag) node.enable_interrupts(causes);
    node.write_descriptor(kRequests, kRingSlots, 0, completion(home, token, told));
    node.write_descriptor(
        kRing, kRingSlots, tail_,
        put_descriptor(to, {kSourceRegion, 0, kMessageBytes}, kTargetRegion, 0, {}));
    node.write_descriptor(
        kRing, kRingSlots, tail_ + 1,
        reflector == Reflector::kNeighbour
            ? reflect_descriptor(kRequestRegion, 0, preferred_direction(shape, kOrigin, target))
            : get_descriptor(to, kRequestRegion, 0, 1, kGetQueue));
    tail_ += 2;
    node.ring_doorbell(kQueue, tail_);
    interrupt_seen = device.wait_interrupt({0}, device.now() + kBound / 2);
    causes_ = node.causes();
    node.clear_causes(~std::uint64_t{0});
    completions_ = node.read_event(kDone);
    credits_ = {};
    for (unsigned d = 0; d <= kThisNode; ++d) {
      const std::uint64_t credit = device.read64(registers::reflection::credit(d));
      credits_.first += extract(credit, registers::reflection::credit_field::sent);
      credits_.second += extract(credit, registers::reflection::credit_field::returned);
    }
  });
  if (!stage_.run(kBound)) return false;
  read_journey();
  return interrupt_seen;
}

bool ReflectionPlay::store_from_fifo() {
  bool is_stored = false;
  stage_.add_core(kOrigin, [&](Device& device) {
    RawNode node(device);
    const Coordinates home = stage_.shape().coordinates(kOrigin);
    const Arrival arrival{.event = static_cast<int>(kIsStored.value)};
    const std::uint32_t before = node.read_event(kIsStored);
    node.write_descriptor(
        kRing, kRingSlots, tail_++,
        put_descriptor(home, {kFifoRegion, kSlotBytes, 8}, kStoredRegion, 0, arrival));
    node.ring_doorbell(kQueue, tail_);
    const Cycles deadline = device.now() + kBound / 2;
    while (!is_stored && device.now() < deadline) {
      is_stored = node.read_event(kIsStored) == before + 1;
    }
    // Before this the MU takes no packet into the slots: the data cannot change under the put.
    constexpr std::uint32_t kSlotsOfThePacket = 2;
    node.set_fifo_head(kFifo, kSlotsOfThePacket);
    slots_left_ = node.fifo_tail(kFifo) - kSlotsOfThePacket;
  });
  return stage_.run(kBound) && is_stored;
}

std::optional<Cycles> ReflectionPlay::wake_by_core() {
  constexpr Cycles kLater = 5'000;
  Cycles written = 0, woken = 0;
  std::uint64_t hits = 0;
  stage_.add_core(kOrigin, [&](Device& device) {
    RawNode node(device);
    mark(device, kCoreRange, kShared, kSharedBytes, touch::on_core_write);
    const std::array causes{Cause::kTouch};
    const auto touched = registers::client_page::touch_hits(0);
    // What the acts before have left.
    device.write64(touched, device.read64(touched));
    node.clear_causes(~std::uint64_t{0});
    node.enable_interrupts(causes);
    if (device.wait_interrupt({0}, device.now() + kBound / 2)) woken = device.now();
    hits = device.read64(touched);
    device.write64(touched, hits);
    node.clear_causes(~std::uint64_t{0});
  });
  stage_.add_core(kOrigin, [&](Device& device) {
    std::array<std::byte, 8> data{};
    device.compute(kLater);
    device.store(kShared + kSharedBytes, data);
    device.load(kShared, data);
    device.compute(kLater);
    device.store(kShared + kSharedBytes - data.size(), data);
    written = device.now();
  });
  const bool ended = stage_.run(kBound);
  (void)stage_.take_events();
  if (!ended || woken < written || hits != std::uint64_t{1} << kCoreRange.value) {
    return std::nullopt;
  }
  return woken - written;
}

std::uint64_t ReflectionPlay::stored_token() const {
  std::uint64_t value = 0;
  stage_.memory(kOrigin).read(kStored, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

void ReflectionPlay::read_journey() {
  journey_ = {};
  const Coordinates home = stage_.shape().coordinates(kOrigin);
  // The packet that is crossing a link, by node, direction and class.
  std::map<std::tuple<std::uint32_t, unsigned, bool>, PacketHeader> crossing;
  for (const Event& event : stage_.take_events()) {
    if (event.kind == Event::Kind::kRegister) {
      const bool doorbell =
          event.access.write && event.node == kOrigin &&
          event.access.address == registers::client_page::queue_index(0, kQueue.value);
      if (doorbell) journey_.doorbell = event.cycle;
      continue;
    }
    if (event.kind == Event::Kind::kInterrupt) {
      if (event.node == kOrigin && event.lines != 0) journey_.interrupt = event.cycle;
      continue;
    }
    PacketHeader& header = crossing[{event.node.value, event.direction, event.flit.reply}];
    if (event.flit.head) header = header_of(event.flit);
    const Kind kind = header.get<layout::packet_header::kind>();
    const bool from_origin = source_of(header) == home && event.node == kOrigin;
    if (from_origin && kind == Kind::kPut && !event.flit.reply) {
      if (!journey_.first_data_out) journey_.first_data_out = event.cycle;
      journey_.data_direction = event.direction;
      journey_.last_data_out = event.cycle;
      ++journey_.data_flits;
    } else if (from_origin && kind == Kind::kGet) {
      if (!journey_.get_out) journey_.get_out = event.cycle;
      journey_.get_direction = event.direction;
    } else if (kind == Kind::kPut && event.node != kOrigin && !(source_of(header) == home)) {
      // The completion, as it leaves the node that made it.
      const NodeId maker = stage_.shape().node(source_of(header));
      if (maker == event.node) {
        journey_.reflector = maker;
        if (!journey_.completion_out) journey_.completion_out = event.cycle;
        journey_.completion_last = event.cycle;
        journey_.completion_direction = event.direction;
      }
    }
  }
}

bool ReflectionPlay::target_has_bytes(NodeId target) const {
  std::vector<std::byte> found(kMessageBytes);
  stage_.memory(target).read(kTarget, found);
  return found == pattern(stage_.seed(), kMessageBytes);
}

std::uint64_t ReflectionPlay::token() const {
  std::uint64_t value = 0;
  stage_.memory(kOrigin).read(token_at_, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

std::uint64_t ReflectionPlay::other_core_accesses() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < other_cores_.size(); ++i) {
    sum += other_cores_[i]->counts().accesses() - accesses_before_[i];
  }
  return sum;
}

}  // namespace torusmu
