// SPDX-License-Identifier: Apache-2.0
// Components of a node, each with the read that tells its state.
#include <array>
#include <cstring>
#include <utility>

#include "torusmu/names.h"
#include "torusmu/polling.h"
#include "torusmu/registers.h"

namespace torusmu::polled {
namespace {

namespace page = registers::client_page;

constexpr std::uint64_t bit_of(Cause cause) {
  return std::uint64_t{1} << static_cast<unsigned>(cause);
}
constexpr std::uint64_t kCausesOfParts =
    bit_of(Cause::kArrived) | bit_of(Cause::kCounterZero) | bit_of(Cause::kCompletion);
constexpr unsigned kFirstPart = page::interrupt_cause_field::fifos.lsb;
constexpr std::uint32_t kNobody = ~std::uint32_t{0};

// A register of 4 bytes that counts.
Component counting(Device& device, std::string name, ComponentKind kind, std::uint32_t address) {
  return {.name = std::move(name),
          .kind = kind,
          .poll = [&device, address, before = std::uint32_t{0}]() mutable {
            const std::uint32_t now = device.read32(address);
            if (now == kNobody) return PollResult::kGone;
            return std::exchange(before, now) != now ? PollResult::kActivity : PollResult::kNothing;
          }};
}

// The bit of interrupt_cause that tells of a part.
constexpr auto part_bit(auto parts, std::uint32_t number) {
  return std::uint64_t{1} << (parts.lsb + number % parts.width);
}

std::string named(const char* what, std::uint32_t number) {
  return std::string(what) + " " + std::to_string(number);
}

}  // namespace

Component injection_fifo(Device& device, ClientId client, QueueId queue) {
  return counting(device, named("injection FIFO", queue.value), ComponentKind::kInjectionFifo,
                  page::queue_index(client.value, queue.value));
}

Component reception_fifo(Device& device, ClientId client, FifoId fifo) {
  Component component =
      counting(device, named("reception FIFO", fifo.value), ComponentKind::kReceptionFifo,
               page::fifo_index(client.value, fifo.value));
  component.moves = part_bit(page::interrupt_cause_field::fifos, fifo.value);
  return component;
}

Component event_counter(Device& device, ClientId client, EventId event) {
  return counting(device, named("event counter", event.value), ComponentKind::kEventCounter,
                  page::event_counter(client.value, event.value));
}

Component completion_queue(Device& device, ClientId client, CompletionQueueId queue) {
  Component component =
      counting(device, named("completion queue", queue.value), ComponentKind::kCompletionQueue,
               page::completion_index(client.value, queue.value));
  component.moves = part_bit(page::interrupt_cause_field::completion_queues, queue.value);
  return component;
}

Component byte_counter(Device& device, ClientId client, CounterId counter) {
  const std::uint32_t address = page::byte_counter(client.value, counter.value);
  const auto left = std::make_shared<std::optional<Bytes>>();
  return {.name = named("byte counter", counter.value),
          .kind = ComponentKind::kByteCounter,
          .poll =
              [&device, address, left] {
                namespace field = page::byte_counter_field;
                const std::uint64_t value = device.read64(address);
                if (value == ~std::uint64_t{0}) return PollResult::kGone;
                *left = extract(value, field::remaining);
                return extract(value, field::hit_zero) != 0 ? PollResult::kActivity
                                                            : PollResult::kNothing;
              },
          .moves = part_bit(page::interrupt_cause_field::byte_counters, counter.value),
          .remaining = [left] { return *left; }};
}

Component memory_word(Device& device, Address address, std::uint64_t idle) {
  return {.name = "memory word " + std::to_string(address),
          .kind = ComponentKind::kMemory,
          .poll = [&device, address, idle] {
            std::array<std::byte, sizeof idle> bytes{};
            device.load(address, bytes);
            std::uint64_t value = 0;
            std::memcpy(&value, bytes.data(), sizeof value);
            return value == idle ? PollResult::kNothing : PollResult::kActivity;
          }};
}

Component dma_engine(Device& device, ClientId client) {
  const std::uint32_t address = page::interrupt_cause(client.value);
  return {.name = "DMA engine",
          .kind = ComponentKind::kDmaEngine,
          .poll =
              [&device, address] {
                const std::uint64_t causes = device.read64(address);
                if (causes == ~std::uint64_t{0}) return PollResult::kGone;
                return extract(causes, page::interrupt_cause_field::causes) != 0
                           ? PollResult::kActivity
                           : PollResult::kNothing;
              },
          .line = [&device, client] { return device.wait_interrupt(client, device.now()); }};
}

Component activity(Device& device, ClientId client) {
  const std::uint32_t address = page::interrupt_cause(client.value);
  const auto seen = std::make_shared<std::uint64_t>();
  Component component = dma_engine(device, client);
  component.poll = [&device, address, seen] {
    *seen = device.read64(address);
    if (*seen == ~std::uint64_t{0}) return PollResult::kGone;
    if (*seen == 0) return PollResult::kNothing;
    device.write64(address, *seen);
    return PollResult::kActivity;
  };
  // Other causes, or one that no part has raised, may be of any.
  component.moved = [seen] {
    const std::uint64_t parts = *seen >> kFirstPart << kFirstPart;
    const std::uint64_t others =
        extract(*seen, page::interrupt_cause_field::causes) & ~kCausesOfParts;
    return parts != 0 && others == 0 ? parts : ~std::uint64_t{0};
  };
  return component;
}

}  // namespace torusmu::polled
