// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "torusmu/registers.h"
#include "torusmu/waits.h"

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace w = layout::wait_operation;
namespace reg = registers;

constexpr std::uint32_t kCompletionTarget = 128;  // targets of a WAIT from here on

Descriptor load(Device& device, Address address) {
  std::array<std::uint8_t, Descriptor::kBytes> bytes{};
  device.load(address, std::as_writable_bytes(std::span(bytes)));
  return Descriptor::from_bytes(bytes);
}

// A ring of descriptors in memory.
struct Ring {
  Device& device;
  Address base;
  std::uint32_t size;
  [[nodiscard]] Descriptor at(std::uint32_t index) const {
    return load(device, base + Address{index % size} * Descriptor::kBytes);
  }
};

bool is_wait(const Descriptor& descriptor) { return descriptor.get<d::opcode>() == Opcode::kWait; }
// What a WAIT adds to its threshold in this lap of the ring.
std::uint32_t value_of(const Descriptor& descriptor, std::uint32_t lap) {
  const auto operation = WaitOperation::from_bytes(descriptor.get<d::immediate>());
  return static_cast<std::uint32_t>(operation.get<w::value>() + operation.get<w::step>() * lap);
}

// The threshold of the WAIT at `head`. One that is relative counts from the last WAIT before, which
// is still in the ring if its slot has not been posted again; a cyclic ring has them all, so that
// laps that are over are counted from the same descriptors.
std::optional<std::uint32_t> threshold_of(const Ring& ring, const QueueLook& queue,
                                          std::uint32_t tail) {
  std::uint32_t sum = 0;
  for (std::uint32_t index = queue.head;; --index) {
    const Descriptor descriptor = ring.at(index);
    if (is_wait(descriptor)) {
      sum += value_of(descriptor, index / ring.size);
      if (descriptor.get<d::relative>() == 0) return sum;
    }
    if (index == 0) return sum;
    const bool has_all_laps = queue.cyclic && queue.head - index + 1 == ring.size;
    if (has_all_laps) break;
    if (!queue.cyclic && tail - index >= ring.size) return std::nullopt;
  }
  // Every WAIT of the loop is relative. The laps before this one add up whole.
  const std::uint64_t laps = queue.head / ring.size;
  sum = 0;
  for (std::uint32_t slot = 0; slot < ring.size; ++slot) {
    const Descriptor descriptor = ring.at(slot);
    if (!is_wait(descriptor)) continue;
    const std::uint64_t times = laps + (slot <= queue.head % ring.size ? 1 : 0);
    const auto operation = WaitOperation::from_bytes(descriptor.get<d::immediate>());
    sum += static_cast<std::uint32_t>(operation.get<w::value>() * times +
                                      operation.get<w::step>() * (times * (times - 1) / 2));
  }
  return sum;
}

std::uint32_t count_of(Device& device, const Descriptor& wait, ClientId owner) {
  if (wait.get<d::on_queue>() == 0) {
    const auto event = static_cast<std::uint32_t>(wait.get<d::event_counter>());
    return device.read32(reg::client_page::event_counter(owner.value, event));
  }
  const auto target = static_cast<std::uint32_t>(wait.get<d::header>().get<h::target>());
  return static_cast<std::uint32_t>(
      target >= kCompletionTarget
          ? device.read64(reg::completion_queue::tail(target - kCompletionTarget))
          : device.read64(reg::injection_queue::head(target)));
}

// What a GET of this node carries lies in memory of this node.
std::vector<Descriptor> carried_by(Device& device, const Descriptor& get) {
  const auto region = static_cast<std::uint32_t>(get.get<d::source_region>());
  const Address at = device.read64(reg::region::base(region)) + get.get<d::source_offset>();
  std::vector<Descriptor> list;
  for (Bytes offset = 0; offset < get.get<d::length>(); offset += Descriptor::kBytes) {
    if (at + offset + Descriptor::kBytes > device.memory_size()) break;
    list.push_back(load(device, at + offset));
  }
  return list;
}

void look_at_peer(Device& device, QueueLook& queue) {
  namespace f = reg::injection_queue::peer_field;
  const std::uint64_t peer = device.read64(reg::injection_queue::peer(queue.queue.value));
  const auto field = [peer](auto which) {
    return static_cast<std::uint32_t>(extract(peer, which));
  };
  queue.dynamic = field(f::dynamic) != 0;
  if (field(f::connected) != 0 && !queue.dynamic) {
    queue.peer = Coordinates{field(f::x), field(f::y), field(f::z)};
    queue.peer_queue = {field(f::queue)};
  }
  if (field(f::event_valid) != 0) queue.event = EventId{field(f::event_counter)};
  if (field(f::completion_valid) != 0) {
    queue.completions = CompletionQueueId{field(f::completion_queue)};
  }
}

void look_at_status(Device& device, QueueLook& queue) {
  namespace f = reg::injection_queue::status_field;
  const std::uint64_t status = device.read64(reg::injection_queue::status(queue.queue.value));
  queue.halted = extract(status, f::halted) != 0;
  queue.status = static_cast<Status>(extract(status, f::status));
  queue.failed_at = static_cast<std::uint32_t>(extract(status, f::index));
}

void look_at_ring(Device& device, QueueLook& queue) {
  const std::uint32_t n = queue.queue.value;
  const auto tail = static_cast<std::uint32_t>(device.read64(reg::injection_queue::tail(n)));
  if (tail == queue.head || queue.size == 0) return;
  const Ring ring{device, device.read64(reg::injection_queue::base(n)), queue.size};
  const std::uint32_t posted = queue.cyclic ? queue.size : std::min(tail - queue.head, queue.size);
  for (std::uint32_t i = 0; i < posted; ++i) {
    QueueLook::Posted one{.descriptor = ring.at(queue.head + i)};
    if (one.descriptor.get<d::opcode>() == Opcode::kGet) {
      one.carried = carried_by(device, one.descriptor);
    }
    queue.posted.push_back(std::move(one));
  }
  const Descriptor& first = queue.posted.front().descriptor;
  if (!is_wait(first)) return;
  queue.threshold = threshold_of(ring, queue, tail);
  queue.count = count_of(device, first, queue.owner);
}

}  // namespace

NodeQueues look_at_queues(Device& device, const Sizes& sizes, std::optional<ClientId> only) {
  namespace f = reg::injection_queue::config_field;
  NodeQueues result{.node = device.node(), .queues = {}};
  const auto head_of = [&device](std::uint32_t queue) {
    return static_cast<std::uint32_t>(device.read64(reg::injection_queue::head(queue)));
  };
  for (std::uint32_t n = 0; n < sizes.injection_queues; ++n) {
    const std::uint64_t config = device.read64(reg::injection_queue::config(n));
    if (config == ~std::uint64_t{0}) break;  // nobody answers
    QueueLook queue;
    queue.queue = {n};
    queue.mode = static_cast<QueueMode>(extract(config, f::mode));
    queue.owner = {static_cast<std::uint32_t>(extract(config, f::owner))};
    if (queue.mode == QueueMode::kOff || (only && queue.owner != *only)) continue;
    queue.cyclic = extract(config, f::cyclic) != 0;
    queue.managed = extract(config, f::managed) != 0;
    queue.size = static_cast<std::uint32_t>(device.read64(reg::injection_queue::size(n)));
    queue.head = head_of(n);
    queue.limit = static_cast<std::uint32_t>(device.read64(reg::injection_queue::limit(n)));
    look_at_peer(device, queue);
    look_at_status(device, queue);
    look_at_ring(device, queue);
    result.queues.push_back(std::move(queue));
  }
  for (QueueLook& queue : result.queues) queue.moves = head_of(queue.queue.value) != queue.head;
  return result;
}

}  // namespace torusmu
