// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "tests/support/random_places.h"
#include "tests/support/spoil.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace reg = registers;
using namespace random_places;  // NOLINT(google-build-using-namespace)

constexpr Cycles kBound = 4'000'000;

bool chance(Rng& random, unsigned percent) { return random.below(100) < percent; }

PacketHeader image_of(const Descriptor& descriptor) { return descriptor.get<d::header>(); }

std::uint32_t slots_of(Bytes length) {
  std::uint32_t slots = 0;
  for (Bytes sent = 0; sent < length; sent += kSim.payload_bytes) {
    const Bytes bytes = std::min<Bytes>(length - sent, kSim.payload_bytes);
    slots += static_cast<std::uint32_t>(1 + (bytes + kSlotBytes - 1) / kSlotBytes);
  }
  return slots;
}

}  // namespace

RandomProgram::RandomProgram(std::uint64_t seed, const Shape& shape,
                             const RandomProgramOptions& options)
    : seed_(seed),
      random_(mix(seed) + 1),
      numbers_(mix(seed) + 2),
      shape_(shape),
      options_(options),
      bytes_left_(options.bytes),
      processes_(shape.nodes() * kClients) {
  for (Process& process : processes_) {
    constexpr std::array<std::uint32_t, 6> kRings{1, 1, 2, 4, 8, 16};
    process.ring_slots = kRings[random_.below(kRings.size())];
    process.push_slots = kRings[random_.below(kRings.size())];
    process.shift = random_.below(64);
    process.unit_rings = chance(random_, 40);
    process.threshold = static_cast<std::uint32_t>(random_.below(30));
    process.small_fifo_slots = chance(random_, 20) ? 0 : 32U << random_.below(2);
    for (std::uint32_t& event : process.events) {
      event = chance(random_, 50) ? 0xffffffffU - static_cast<std::uint32_t>(random_.below(4)) : 0;
    }
  }
  const std::uint64_t count = 2 + random_.below(options.messages);
  for (std::uint64_t i = 0; i < count; ++i) make_message(anybody());
}

Bytes RandomProgram::length(Bytes most) {
  constexpr std::array<Bytes, 14> kEdges{1,  8,  15,  16,  17,  31,   32,
                                         33, 64, 511, 512, 513, 1024, 4096};
  Bytes bytes = kEdges[random_.below(kEdges.size())];
  const std::uint64_t sort = random_.below(10);
  if (sort < 3) bytes = 1 + random_.below(2000);
  if (sort == 3) bytes = 1 + random_.below(options_.longest);
  bytes = std::min({bytes, most, std::max<Bytes>(bytes_left_, 1)});
  bytes_left_ -= std::min(bytes, bytes_left_);
  return bytes;
}

// Everything that a descriptor of software's own may have beside the transfer.
void RandomProgram::decorate(Place from, Descriptor& descriptor, Bytes bytes) {
  descriptor.set<d::sequence_number>(++number_);
  if (chance(random_, 40)) {
    descriptor.set<d::done_event_valid>(1).set<d::done_event>(
        numbers_.event_of(from.client, kDoneEvent));
  }
  if (bytes != 0 && chance(random_, 30)) {
    descriptor.set<d::injection_counter_valid>(1).set<d::injection_counter>(
        numbers_.counter_of(from.client, kInjectionCounter));
    at(from).counters[kInjectionCounter] += bytes;
  }
  descriptor.set<d::interrupt_done>(chance(random_, 15) ? 1 : 0);
}

// A PUT or a FIFO that arrives at `to`; `remote`: a descriptor that `from` will run for `to`.
Descriptor RandomProgram::transfer(Place from, Place to, bool remote, bool immediate_only) {
  Process& target = at(to);
  const bool immediate = immediate_only || chance(random_, 20);
  const Coordinates there = shape_.coordinates({to.node});
  const bool fifo = chance(random_, 40) && target.fifo_slots < kMostFifoSlots / 2;
  Bytes most = immediate ? 16 : options_.longest;
  if (fifo) most = std::min<Bytes>(most, 8000);
  if (target.target_used + most + 200 > kTargetBytes) most = 16;
  const Bytes bytes = length(most);
  Arrival arrival;
  const auto counter = static_cast<std::uint32_t>(random_.below(kArrivalCounters));
  const auto event = static_cast<std::uint32_t>(random_.below(kArrivalCounters));
  if (chance(random_, 60)) {
    arrival.counter = static_cast<int>(numbers_.counter_of(to.client, counter));
    target.counters[counter] += bytes;
  }
  if (chance(random_, 60)) arrival.event = static_cast<int>(numbers_.event_of(to.client, event));
  arrival.interrupt = chance(random_, 20);
  Descriptor result;
  const Bytes shift = random_.below(kSourceBytes - bytes + 1);
  const RegionId source = numbers_.region_of(from.client, remote ? kReadable : kSource);
  if (fifo) {
    target.fifo_slots += slots_of(bytes);
    result = fifo_descriptor(there, {source, shift, bytes}, numbers_.fifo_of(to.client),
                             static_cast<std::uint32_t>(random_.next()), arrival);
  } else {
    const Bytes offset = target.target_used + random_.below(70);
    target.target_used = offset + bytes;
    result = put_descriptor(there, {source, shift, bytes}, numbers_.region_of(to.client, kTarget),
                            offset, arrival);
  }
  if (immediate) {
    std::array<std::uint8_t, 16> data{};
    for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random_.next());
    result.set<d::immediate_valid>(1)
        .set<d::immediate>(data)
        .set<d::source_region>(0)
        .set<d::source_offset>(0);
  }
  return result;
}

// A put that is refused, here or there.
Descriptor RandomProgram::bad_one(Place from, Place to) {
  const Coordinates there = shape_.coordinates({to.node});
  const Source source{numbers_.region_of(from.client, kSource), random_.below(100),
                      1 + random_.below(512)};
  Descriptor bad = put_descriptor(there, source, numbers_.region_of(to.client, kTarget), 0, {});
  PacketHeader image = image_of(bad);
  switch (random_.below(8)) {
    case 0:
      bad.set<d::length>(0);
      break;
    case 1:
      image.set<h::target>(numbers_.no_region());
      break;
    case 2:
      image.set<h::offset>(kTargetBytes - source.length + 1);
      break;
    case 3:
      image.set<h::target>(numbers_.region_of(to.client, kSource).value);
      break;
    case 4:
      bad.set<d::counter_valid>(1).set<d::counter>(
          numbers_.counter_of((to.client + 1) % kClients, 0));
      break;
    case 5:
      bad.set<d::opcode>(Opcode::kFifo);
      image.set<h::target>(numbers_.no_fifo());
      break;
    case 6:
      image.set<h::dst_y>(shape_.y == 16 ? 0 : shape_.y);
      break;
    default:
      bad.set<d::opcode>(Opcode::kGet).set<d::length>(64);
      image.set<h::target>(numbers_.no_queue());
      break;
  }
  bad.set<d::header>(image);
  return bad;
}

Descriptor RandomProgram::counter_operation(Place from) {
  Descriptor operation;
  if (chance(random_, 20)) return operation;  // NOP
  const bool set = chance(random_, 30);
  std::array<std::uint8_t, 16> value{};
  value[0] = static_cast<std::uint8_t>(random_.next());
  operation.set<d::opcode>(set ? Opcode::kCtrSet : Opcode::kCtrAdd).set<d::immediate>(value);
  if (chance(random_, 50)) {
    operation.set<d::event_valid>(1).set<d::event_counter>(
        numbers_.event_of(from.client, kOwnCounter));
  } else {
    operation.set<d::counter_valid>(1).set<d::counter>(
        numbers_.counter_of(from.client, kOwnCounter));
  }
  return operation;
}

Descriptor RandomProgram::get(Place from) {
  const Place peer = anybody();
  Process& own = at(from);
  const std::uint64_t count = 1 + random_.below(8);
  if (own.requests.size() + count > kMostRequests || at(peer).get_slots + count > kMostGetSlots) {
    return counter_operation(from);
  }
  const Bytes offset = own.requests.size() * 64;
  for (std::uint64_t i = 0; i < count; ++i) {
    Descriptor request;
    if (!chance(random_, 5)) request = transfer(peer, from, true, false);
    request.set<d::sequence_number>(++number_);
    if (chance(random_, 8)) spoil(request, peer.client, numbers_, random_);
    own.requests.push_back(request);
  }
  at(peer).get_slots += static_cast<std::uint32_t>(count);
  return get_descriptor(shape_.coordinates({peer.node}), numbers_.region_of(from.client, kRequests),
                        offset, static_cast<std::uint32_t>(count),
                        numbers_.get_queue_of(peer.client));
}

// Into a queue that halts at the first error, so that what comes behind it never runs.
Descriptor RandomProgram::get_that_may_halt(Place from) {
  const Place peer = buddy(from);
  Process& own = at(from);
  const std::uint64_t count = 1 + random_.below(8);
  if (own.requests.size() + count > kMostRequests) return counter_operation(from);
  const Bytes offset = own.requests.size() * 64;
  for (std::uint64_t i = 0; i < count; ++i) {
    Descriptor request = transfer(peer, from, true, false);
    request.set<d::sequence_number>(++number_);
    if (chance(random_, 15)) spoil(request, peer.client, numbers_, random_);
    own.requests.push_back(request);
  }
  return get_descriptor(shape_.coordinates({peer.node}), numbers_.region_of(from.client, kRequests),
                        offset, static_cast<std::uint32_t>(count),
                        numbers_.halting_queue_of(peer.client));
}

// More than the FIFO holds, in the end.
Descriptor RandomProgram::small_fifo_message(Place from) {
  const Bytes bytes = length(1500);
  Descriptor message = fifo_descriptor(
      shape_.coordinates({buddy(from).node}),
      {numbers_.region_of(from.client, kSource), random_.below(kSourceBytes - bytes + 1), bytes},
      numbers_.small_fifo_of(from.client), static_cast<std::uint32_t>(random_.next()), {});
  decorate(from, message, bytes);
  return message;
}

Descriptor RandomProgram::reflection(Place from) {
  Process& own = at(from);
  if (own.requests.size() == kMostRequests) return counter_operation(from);
  Descriptor completion = transfer(from, from, true, true);
  completion.set<d::sequence_number>(++number_);
  own.requests.push_back(completion);
  return reflect_descriptor(numbers_.region_of(from.client, kRequests),
                            (own.requests.size() - 1) * 64,
                            static_cast<unsigned>(random_.below(8)));
}

void RandomProgram::make_message(Place from) {
  const std::uint64_t sort = random_.below(100);
  if (sort < 10) {
    add_message(from, bad_one(from, anybody()));
  } else if (sort < 18) {
    add_message(from, counter_operation(from));
  } else if (sort < 40) {
    add_message(from, get(from));
  } else if (sort < 52) {
    add_message(from, reflection(from));
  } else if (sort < 57) {
    add_message(from, get_that_may_halt(from), true);
  } else if (sort < 65) {
    add_message(from, small_fifo_message(from), true);
  } else {
    Descriptor put = transfer(from, anybody(), false, false);
    decorate(from, put, put.get<d::length>());
    if (put.get<d::length>() <= 2048 && chance(random_, 12))
      spoil(put, from.client, numbers_, random_);
    add_message(from, put);
  }
}

void RandomProgram::add_message(Place from, Descriptor descriptor, bool in_order) {
  if (descriptor.get<d::sequence_number>() == 0) descriptor.set<d::sequence_number>(++number_);
  // Sets and additions of one counter must not race in two queues.
  const bool moves =
      descriptor.get<d::opcode>() != Opcode::kNop && descriptor.get<d::opcode>() <= Opcode::kGet;
  const bool push = moves && !in_order && chance(random_, 25);
  at(from).messages.push_back({descriptor, push, chance(random_, 60)});
  ++messages_;
}

// --- playing it ---------------------------------------------------------------------------------

void RandomProgram::fill(Stage& stage) {
  for (std::uint32_t n = 0; n < shape_.nodes(); ++n) {
    NodeMemory& memory = stage.memory({n});
    for (std::uint32_t c = 0; c < kClients; ++c) {
      const Process& process = at({n, c});
      memory.write(base_of(kSource, c) + process.shift,
                   pattern(mix(seed_) + n * kClients + c, kSourceBytes));
      // Guard bytes: whatever is not written to stays as it is.
      const std::vector<std::byte> guard(process.target_used + 256, std::byte{0xa5});
      memory.write(base_of(kTarget, c) + process.shift - 64, guard);
      for (std::size_t i = 0; i < process.requests.size(); ++i) {
        const auto bytes = process.requests[i].bytes();
        memory.write(base_of(kRequests, c) + process.shift + i * 64,
                     std::as_bytes(std::span(bytes)));
      }
    }
  }
}

void RandomProgram::set_up(Device& device, std::uint32_t node) {
  for (std::uint32_t c = 0; c < kClients; ++c) {
    const Process& process = at({node, c});
    RawNode raw(device, {c});
    const auto open = [&](Area area, RegionId region, Bytes length, RegionRights rights) {
      raw.open_region(region, base_of(area, c) + process.shift, length, rights);
    };
    open(kSource, numbers_.region_of(c, kSource), kSourceBytes, {.remote_write = false});
    open(kSource, numbers_.region_of(c, kReadable), kSourceBytes,
         {.remote_write = false, .remote_read = true});
    open(kTarget, numbers_.region_of(c, kTarget), kTargetBytes, {});
    open(kRequests, numbers_.region_of(c, kRequests), kMostRequests * 64, {.remote_write = false});
    raw.open_region(numbers_.nowhere_of(c), kMemory, kNowhereBytes, {.remote_read = true});
    raw.open_queue(numbers_.queue_of(c), ring_of(c) + process.shift, process.ring_slots,
                   QueueMode::kDoorbell);
    const std::uint32_t get_slots = std::bit_ceil(process.get_slots);
    const bool gets_fit = get_slots <= kMostUnitGetSlots;
    raw.open_queue(numbers_.push_queue_of(c),
                   (process.unit_rings ? unit_push_ring_of(c) : push_ring_of(c)) + process.shift,
                   process.push_slots, QueueMode::kPush);
    raw.open_queue(
        numbers_.get_queue_of(c),
        (process.unit_rings && gets_fit ? unit_get_ring_of(c) : get_ring_of(c)) + process.shift,
        get_slots, QueueMode::kRemoteGet);
    device.write64(reg::reception_fifo::threshold(numbers_.fifo_of(c).value), process.threshold);
    raw.open_fifo(numbers_.fifo_of(c), fifo_ring_of(c) + process.shift, process.fifo_ring(),
                  process.threshold % 2 == 0);
    if (process.small_fifo_slots != 0) {
      raw.open_fifo(numbers_.small_fifo_of(c), small_fifo_ring_of(c) + process.shift,
                    process.small_fifo_slots, false);
    }
    raw.open_queue(numbers_.halting_queue_of(c), halting_ring_of(c) + process.shift, kHaltingSlots,
                   QueueMode::kRemoteGet);
    device.write64(reg::injection_queue::config(numbers_.halting_queue_of(c).value),
                   device.read64(reg::injection_queue::config(numbers_.halting_queue_of(c).value)) |
                       insert(0, reg::injection_queue::config_field::halt_on_error, 1));
    raw.open_notices(notice_ring_of(c) + process.shift, kMostNotices);
    for (std::uint32_t i = 0; i < process.counters.size(); ++i) {
      raw.open_counter({numbers_.counter_of(c, i)}, i % 2 == 0);
      raw.open_event({numbers_.event_of(c, i)});
      raw.preload({numbers_.counter_of(c, i)}, process.counters[i]);
      device.write32(reg::client_page::event_counter(c, numbers_.event_of(c, i)),
                     process.events[i]);
    }
  }
  RawNode raw(device);
  set_up_touches(device, node);
  raw.open_reflections(kReflectionRings, kReflectionSlots);
  device.write64(reg::client_page::push_queue(0), numbers_.push_queue_of(0).value);
  for (std::uint32_t c = 1; c < kClients; ++c) {
    device.write64(reg::client_page::push_queue(c), numbers_.push_queue_of(c).value);
  }
  (void)raw.causes();
}

// Ranges of interrupt-on-touch memory in what is sent and in what is stored to.
void RandomProgram::set_up_touches(Device& device, std::uint32_t node) const {
  namespace field = reg::touch_range::config_field;
  Rng random(mix(seed_ + 1) + node);
  for (std::uint32_t t = 0; t < kSim.touch_ranges; ++t) {
    const auto client = static_cast<std::uint32_t>(random.below(kClients));
    const bool source = chance(random, 50);
    device.write64(reg::touch_range::base(t), base_of(source ? kSource : kTarget, client) +
                                                  random.below(source ? kSourceBytes : 0x4000));
    device.write64(reg::touch_range::length(t), random.below(64));
    const std::uint64_t config = insert(insert(0, field::enable, 1), field::owner, t % kClients);
    device.write64(reg::touch_range::config(t),
                   insert(insert(config, field::on_read, t & 1), field::on_write, t >> 1 & 1));
  }
}

// Posts what the process has, as fast as its rings allow, and waits until all is done.
void RandomProgram::post_all(Device& device, Place place) {
  const Process& process = at(place);
  RawNode raw(device, {place.client});
  std::uint32_t tail = 0, rung = 0, pushed = 0;
  const auto wait_for = [&](QueueId queue, std::uint32_t head) {
    while (static_cast<std::int32_t>(raw.queue_head(queue) - head) < 0) device.compute(50);
  };
  const auto ring = [&] {
    if (rung != tail) raw.ring_doorbell(numbers_.queue_of(place.client), rung = tail);
  };
  for (const Message& message : process.messages) {
    if (message.push) {
      wait_for(numbers_.push_queue_of(place.client),
               pushed + 1 - std::min(pushed + 1, process.push_slots));
      for (std::uint32_t w = 0; w < 8; ++w) {
        device.write64(reg::client_page::push_data(place.client, w), message.descriptor.words()[w]);
      }
      ++pushed;
    } else {
      if (tail - rung == process.ring_slots) ring();
      wait_for(numbers_.queue_of(place.client), tail + 1 - std::min(tail + 1, process.ring_slots));
      raw.write_descriptor(ring_of(place.client) + process.shift, process.ring_slots, tail,
                           message.descriptor);
      ++tail;
      if (message.doorbell || tail - rung == process.ring_slots) ring();
    }
  }
  ring();
  wait_for(numbers_.queue_of(place.client), tail);
  wait_for(numbers_.push_queue_of(place.client), pushed);
}

std::string RandomProgram::play(Stage& stage) {
  fill(stage);
  for (std::uint32_t n = 0; n < shape_.nodes(); ++n) {
    stage.add_core({n}, [this, n](Device& device) { set_up(device, n); });
  }
  if (!stage.run(kBound)) return "the set-up did not end";
  for (std::uint32_t n = 0; n < shape_.nodes(); ++n) {
    for (std::uint32_t c = 0; c < kClients; ++c) {
      if (at({n, c}).messages.empty()) continue;
      stage.add_core({n}, [this, n, c](Device& device) { post_all(device, {n, c}); });
    }
  }
  if (!stage.run(kBound)) return "the program did not end";
  return {};
}

// --- what came of it ----------------------------------------------------------------------------

void RandomProgram::read_registers(Device& device, std::uint32_t node, Facts& facts) {
  const auto note = [&](const std::string& name, std::uint64_t value) {
    facts[fmt::format("node {} {}", node, name)] = fmt::format("0x{:x}", value);
  };
  for (std::uint32_t c = 0; c < kClients; ++c) {
    RawNode raw(device, {c});
    const std::string client = fmt::format("client {} ", c);
    note(client + "causes", raw.causes());
    const std::uint64_t tail = device.read64(reg::client_page::notice_tail(c));
    note(client + "notice tail", insert(tail, reg::client_page::notice_tail_field::discards, 0));
    note(client + "touch hits", device.read64(reg::client_page::touch_hits(c)));
    note(client + "fifo tail", raw.fifo_tail(numbers_.fifo_of(c)));
    const std::uint32_t small = numbers_.small_fifo_of(c).value;
    note(client + "small fifo tail", device.read64(reg::reception_fifo::tail(small)));
    note(client + "small fifo refused", device.read64(reg::reception_fifo::refused(small)));
    for (const QueueId queue :
         {numbers_.queue_of(c), numbers_.push_queue_of(c), numbers_.get_queue_of(c)}) {
      const std::string name = fmt::format("{}queue {} ", client, queue.value);
      note(name + "head", raw.queue_head(queue));
      note(name + "tail", device.read64(reg::injection_queue::tail(queue.value)));
      // Which error of several sources was the first depends on timing.
      const std::uint64_t status = device.read64(reg::injection_queue::status(queue.value));
      note(name + "status", queue == numbers_.get_queue_of(c)
                                ? extract(status, reg::injection_queue::status_field::count)
                                : status);
    }
    const std::uint32_t halting = numbers_.halting_queue_of(c).value;
    note(client + "halting queue head", device.read64(reg::injection_queue::head(halting)));
    note(client + "halting queue tail", device.read64(reg::injection_queue::tail(halting)));
    note(client + "halting queue status", device.read64(reg::injection_queue::status(halting)));
    for (std::uint32_t i = 0; i < 6; ++i) {
      note(fmt::format("{}byte counter {}", client, i),
           raw.read_counter({numbers_.counter_of(c, i)}));
      note(fmt::format("{}event counter {}", client, i), raw.read_event({numbers_.event_of(c, i)}));
    }
    note(client + "push status", device.read64(reg::client_page::push_status(c)));
    note(client + "page status", device.read64(reg::client_page::page_status(c)));
  }
  note("bad packets", device.read64(reg::node::bad_packets()));
  note("dropped replies", device.read64(reg::node::dropped_replies()));
  // How many reads of one descriptor fail depends on how far ahead they are.
  note("memory errors at all", device.read64(reg::node::memory_errors()) != 0 ? 1 : 0);
  note("register errors", device.read64(reg::node::register_errors()));
  for (unsigned direction = 0; direction < 7; ++direction) {
    namespace f = reg::reflection::credit_field;
    const std::uint64_t credit = device.read64(reg::reflection::credit(direction));
    note(fmt::format("credits missing in direction {}", direction),
         extract(credit, f::sent) - extract(credit, f::returned));
    const std::uint64_t queue = device.read64(reg::injection_queue::head(direction));
    note(fmt::format("reflections undone of queue {}", direction),
         device.read64(reg::injection_queue::tail(direction)) - queue);
  }
}

// Packets of one source and queue in their order; sources in any order. What came on behalf of a
// get or through a reflection is known by its number alone.
void RandomProgram::read_fifo(NodeMemory& memory, Place place, FifoId fifo, Address base,
                              std::uint32_t slots, std::uint32_t tail, Facts& facts) {
  namespace t = layout::packet_trailer;
  std::map<std::string, unsigned> packets;
  for (std::uint32_t slot = 0; slot < tail;) {
    std::array<std::uint8_t, kSlotBytes> raw{};
    memory.read(base + slot * kSlotBytes, std::as_writable_bytes(std::span(raw)));
    const auto header = PacketHeader::from_bytes(std::span(raw).first(16));
    const auto trailer = PacketTrailer::from_bytes(std::span(raw).last(16));
    const Bytes bytes = header.get<h::bytes>();
    const auto padded = static_cast<std::uint32_t>((bytes + kSlotBytes - 1) / kSlotBytes);
    std::vector<std::byte> data(padded * kSlotBytes);
    memory.read(base + (slot + 1) * kSlotBytes, data);
    std::uint64_t sum = 0;
    for (const std::byte byte : data) sum = mix(sum ^ std::to_integer<std::uint64_t>(byte));
    const bool on_behalf = header.get<h::on_behalf>() != 0;
    const auto number = [](std::uint64_t value) { return value; };
    std::string stream =
        on_behalf ? fmt::format("number {}", number(trailer.get<t::sequence_number>()))
                  : fmt::format("node {},{},{} queue {}", number(header.get<h::src_x>()),
                                number(header.get<h::src_y>()), number(header.get<h::src_z>()),
                                number(trailer.get<t::queue>()));
    stream = fmt::format("node {} fifo {} from {}", place.node, fifo.value, stream);
    facts[fmt::format("{} packet {}", stream, packets[stream]++)] =
        fmt::format("{} bytes, offset {}, word 0x{:x}, number {}, client {}, last {}, sum 0x{:x}",
                    bytes, number(header.get<h::offset>()), header.get<h::word>(),
                    number(trailer.get<t::sequence_number>()), number(header.get<h::client>()),
                    number(trailer.get<t::last>()), sum);
    slot += 1 + padded;
  }
  memory.write(base, std::vector<std::byte>(Bytes{slots} * kSlotBytes));
}

void RandomProgram::read_notices(NodeMemory& memory, Place place, std::uint32_t tail,
                                 Facts& facts) {
  namespace t = layout::packet_trailer;
  const Address base = notice_ring_of(place.client) + at(place).shift;
  std::map<std::string, unsigned> count;
  for (std::uint32_t i = 0; i < std::min(tail, kMostNotices); ++i) {
    std::array<std::uint8_t, kSlotBytes> raw{};
    memory.read(base + i * kSlotBytes, std::as_writable_bytes(std::span(raw)));
    const auto header = PacketHeader::from_bytes(std::span(raw).first(16));
    const auto trailer = PacketTrailer::from_bytes(std::span(raw).last(16));
    const auto number = [](std::uint64_t value) { return value; };
    ++count[fmt::format("node {} client {} notice 0x{:x} of number {} target {} offset {} queue {}",
                        place.node, place.client, header.get<h::word>(),
                        number(trailer.get<t::sequence_number>()), number(header.get<h::target>()),
                        number(header.get<h::offset>()), number(trailer.get<t::queue>()))];
  }
  for (const auto& [name, times] : count) facts[name] = std::to_string(times);
  memory.write(base, std::vector<std::byte>(kMostNotices * kSlotBytes));
}

RandomProgram::Facts RandomProgram::facts(Stage& stage) {
  std::vector<Facts> of_node(shape_.nodes());
  for (std::uint32_t n = 0; n < shape_.nodes(); ++n) {
    stage.add_core({n},
                   [this, n, &of_node](Device& device) { read_registers(device, n, of_node[n]); });
  }
  Facts facts;
  if (!stage.run(kBound)) facts["registers"] = "were not read";
  for (const Facts& some : of_node) facts.insert(some.begin(), some.end());
  const auto number = [&](const std::string& name) {
    const auto found = facts.find(name);
    return found == facts.end()
               ? 0U
               : static_cast<std::uint32_t>(std::stoull(found->second, nullptr, 16));
  };
  for (std::uint32_t n = 0; n < shape_.nodes(); ++n) {
    NodeMemory& memory = stage.memory({n});
    for (std::uint32_t c = 0; c < kClients; ++c) {
      const std::string client = fmt::format("node {} client {} ", n, c);
      const Process& process = at({n, c});
      read_fifo(memory, {n, c}, numbers_.fifo_of(c), fifo_ring_of(c) + process.shift,
                process.fifo_ring(), number(client + "fifo tail"), facts);
      read_fifo(memory, {n, c}, numbers_.small_fifo_of(c), small_fifo_ring_of(c) + process.shift,
                process.small_fifo_slots, number(client + "small fifo tail"), facts);
      read_notices(memory, {n, c}, number(client + "notice tail"), facts);
      memory.write(get_ring_of(c), std::vector<std::byte>(kMostGetSlots * 64 + 64));
    }
    memory.write(kReflectionRings, std::vector<std::byte>(kReflectionRingsBytes));
  }
  return facts;
}

std::string compare_memories(const NodeMemory& found, const NodeMemory& wanted) {
  if (found.hash() == wanted.hash()) return {};
  std::vector<std::byte> a(NodeMemory::kPageBytes);
  std::vector<std::byte> b(NodeMemory::kPageBytes);
  for (Address at = 0; at < wanted.size(); at += a.size()) {
    found.read(at, a);
    wanted.read(at, b);
    const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin());
    if (x == a.end()) continue;
    return fmt::format("memory at 0x{:x} is 0x{:02x}, should be 0x{:02x}",
                       at + static_cast<Address>(x - a.begin()), std::to_integer<unsigned>(*x),
                       std::to_integer<unsigned>(*y));
  }
  return "the hash of a memory depends on more than its contents";
}

}  // namespace torusmu::testing
