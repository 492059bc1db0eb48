// SPDX-License-Identifier: Apache-2.0
#include "tests/support/play_watch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "torusmu/registers.h"

namespace torusmu::testing {
namespace {

namespace reg = registers;

// Number of the block and of the copy in it, if that register is meant.
struct Which {
  std::uint32_t block = 0;
  std::uint32_t copy = 0;
};
std::optional<Which> find(const reg::Register& wanted, std::uint32_t address) {
  if (address < wanted.block_base) return std::nullopt;
  const std::uint32_t block = (address - wanted.block_base) / wanted.block_stride;
  const std::uint32_t within = (address - wanted.block_base) % wanted.block_stride;
  if (block >= wanted.block_copies || within < wanted.offset) return std::nullopt;
  const std::uint32_t copy = (within - wanted.offset) / wanted.bytes;
  if (copy >= wanted.copies || (within - wanted.offset) % wanted.bytes != 0) return std::nullopt;
  return Which{block, copy};
}

// What a core does, told to the watch of its node.
class WatchedDevice final : public Device {
 public:
  WatchedDevice(Device& device, NodePlayWatch& watch) : device_(device), watch_(watch) {}

  [[nodiscard]] Shape shape() const override { return device_.shape(); }
  [[nodiscard]] NodeId node() const override { return device_.node(); }
  [[nodiscard]] Bytes memory_size() const override { return device_.memory_size(); }
  void write32(std::uint32_t address, std::uint32_t value) override {
    watch_.written(address, value);
    device_.write32(address, value);
  }
  void write64(std::uint32_t address, std::uint64_t value) override {
    watch_.written(address, value);
    device_.write64(address, value);
  }
  std::uint32_t read32(std::uint32_t address) override { return device_.read32(address); }
  std::uint64_t read64(std::uint32_t address) override {
    const std::uint64_t value = device_.read64(address);
    watch_.read(address, value);
    return value;
  }
  void store(Address address, std::span<const std::byte> data) override {
    device_.store(address, data);
  }
  void load(Address address, std::span<std::byte> data) override {
    device_.load(address, data);
    watch_.loaded(address, data.size());
  }
  void work(Work kind, std::uint64_t units) override { device_.work(kind, units); }
  void compute(Cycles cycles) override { device_.compute(cycles); }
  [[nodiscard]] Cycles now() const override { return device_.now(); }
  bool wait_interrupt(ClientId client, Cycles deadline) override {
    return device_.wait_interrupt(client, deadline);
  }

 private:
  Device& device_;
  NodePlayWatch& watch_;
};

}  // namespace

std::vector<Flag> descriptor_flags() {
  struct Field {
    std::string layout, name;
    unsigned lsb, width;
  };
  const std::vector<Field> fields{
#define LAYOUT(name, width, meaning)
#define FIELD(layout, name, lsb, width, meaning) {#layout, #name, lsb, width},
#define ENUM_FIELD(layout, name, lsb, width, type, meaning)
#define STRUCT_FIELD(layout, name, lsb, width, type, meaning)
#define RESERVED(layout, lsb, width)
#include "rtl/package/descriptor.def"
#undef LAYOUT
#undef FIELD
#undef ENUM_FIELD
#undef STRUCT_FIELD
#undef RESERVED
  };
  std::vector<Flag> flags;
  for (const Field& field : fields) {
    if (field.layout == "descriptor" && field.width == 1) flags.push_back({field.name, field.lsb});
  }
  return flags;
}

// --- one node -----------------------------------------------------------------------------------

void NodePlayWatch::written(std::uint32_t address, std::uint64_t value) {
  if (const auto which = find(reg::client_page::queue_index, address)) {
    ring_doorbell(which->block, which->copy, static_cast<std::uint32_t>(value));
  } else if (const auto word = find(reg::client_page::push_data, address)) {
    push(word->block, word->copy, value);
  } else {
    set_queue(address, value);
    set_entries(address, value);
  }
}

void NodePlayWatch::set_queue(std::uint32_t address, std::uint64_t value) {
  namespace f = reg::injection_queue::config_field;
  if (const auto base = find(reg::injection_queue::base, address)) {
    queues_[base->block].base = value;
  } else if (const auto size = find(reg::injection_queue::size, address)) {
    queues_[size->block].size = value;
  } else if (const auto config = find(reg::injection_queue::config, address)) {
    seen_.modes.insert(extract(value, f::mode));
    Ring& ring = queues_[config->block];
    ring.owner = static_cast<std::uint32_t>(extract(value, f::owner));
    ring.tail = 0;
    ring.posted.clear();
  }
}

void NodePlayWatch::set_entries(std::uint32_t address, std::uint64_t value) {
  if (const auto base = find(reg::completion_queue::base, address)) {
    completions_[base->block].base = value;
  } else if (const auto size = find(reg::completion_queue::size, address)) {
    completions_[size->block].size = value;
  } else if (const auto ring = find(reg::notice_ring::base, address)) {
    notices_[ring->block].base = value;
  } else if (const auto entries = find(reg::notice_ring::size, address)) {
    notices_[entries->block].size = value;
  }
}

// What lies in the ring then is what is posted: a store is in memory before the doorbell.
void NodePlayWatch::ring_doorbell(std::uint32_t client, std::uint32_t queue, std::uint32_t tail) {
  Ring& ring = queues_[queue];
  if (ring.owner != client || ring.size == 0 || tail - ring.tail > ring.size) return;
  for (; ring.tail != tail; ++ring.tail) {
    std::array<std::uint8_t, Descriptor::kBytes> bytes{};
    memory_.read(ring.base + ring.tail % ring.size * bytes.size(),
                 std::as_writable_bytes(std::span(bytes)));
    const auto descriptor = Descriptor::from_bytes(bytes);
    ring.posted[ring.tail] = descriptor;
    count(descriptor, 1);
  }
}

void NodePlayWatch::push(std::uint32_t client, std::uint32_t word, std::uint64_t value) {
  auto& bytes = pushed_[client];
  for (std::uint32_t i = 0; i < 8; ++i) {
    bytes.at(8 * word + i) = static_cast<std::uint8_t>(value >> 8 * i);
  }
  if (word == 7) count(Descriptor::from_bytes(bytes), 1);
}

void NodePlayWatch::count(const Descriptor& descriptor, int by) {
  seen_.opcodes[static_cast<std::uint64_t>(descriptor.get<layout::descriptor::opcode>())] += by;
  for (const Flag& flag : descriptor_flags()) {
    if ((descriptor.bytes().at(flag.bit / 8) >> flag.bit % 8 & 1U) != 0) {
      seen_.flags[flag.name] += by;
    }
  }
}

// What has failed does not count.
void NodePlayWatch::see_entry(const CompletionEntry& entry) {
  namespace e = layout::completion_entry;
  seen_.statuses.insert(static_cast<std::uint64_t>(entry.get<e::status>()));
  if (entry.get<e::status>() == Status::kOk) return;
  auto& posted = queues_[static_cast<std::uint32_t>(entry.get<e::queue>())].posted;
  const auto failed = posted.find(static_cast<std::uint32_t>(entry.get<e::index>()));
  if (failed == posted.end()) return;
  count(failed->second, -1);
  posted.erase(failed);
}

void NodePlayWatch::read(std::uint32_t address, std::uint64_t value) {
  const auto see_status = [&](std::uint64_t status) { seen_.statuses.insert(status); };
  if (find(reg::injection_queue::status, address)) {
    see_status(extract(value, reg::injection_queue::status_field::status));
  } else if (find(reg::client_page::page_status, address)) {
    see_status(extract(value, reg::client_page::page_status_field::status));
  } else if (find(reg::client_page::push_status, address)) {
    see_status(extract(value, reg::client_page::push_status_field::status));
  } else if (find(reg::node::register_errors, address)) {
    see_status(extract(value, reg::node::register_errors_field::status));
  } else if (find(reg::completion_queue::status, address)) {
    // These two have a place of their own instead of a code.
    if (value != 0) see_status(static_cast<std::uint64_t>(Status::kCompletionOverrun));
  } else if (find(reg::client_page::byte_counter, address)) {
    const auto under = extract(value, reg::client_page::byte_counter_field::underflow);
    if (under != 0) see_status(static_cast<std::uint64_t>(Status::kCounterUnderflow));
  }
}

void see_packet(const PacketHeader& header, PlaySeen& seen) {
  if (header.get<layout::packet_header::kind>() != Kind::kNotice) return;
  seen.statuses.insert(header.get<layout::packet_header::word>() & 0xFFU);
}

template <typename Entry>
Entry NodePlayWatch::entry(Address at) const {
  std::array<std::uint8_t, Entry::kBytes> bytes{};
  memory_.read(at, std::as_writable_bytes(std::span(bytes)));
  return Entry::from_bytes(bytes);
}

void NodePlayWatch::loaded(Address address, Bytes bytes) {
  constexpr Bytes kEntry = 32;
  const auto each = [&](const std::map<std::uint32_t, Ring>& rings, const auto& look) {
    for (const auto& [number, ring] : rings) {
      const Address first = std::max(address, ring.base);
      const Address end = std::min(address + bytes, ring.base + ring.size * kEntry);
      for (Address at = first - (first - ring.base) % kEntry; at < end; at += kEntry) look(at);
    }
  };
  each(completions_, [&](Address at) { see_entry(entry<CompletionEntry>(at)); });
  each(notices_, [&](Address at) { see_packet(entry<PacketHeader>(at), seen_); });
}

// --- the stage ----------------------------------------------------------------------------------

WatchedStage::WatchedStage(Stage& stage, PlaySeen& seen) : stage_(stage) {
  for (std::uint32_t n = 0; n < stage.shape().nodes(); ++n) {
    nodes_.emplace(n, NodePlayWatch(stage.memory({n}), seen));
  }
}

const Core& WatchedStage::add_core(NodeId node, Core::Program program) {
  NodePlayWatch& watch = nodes_.at(node.value);
  return stage_.add_core(node, [&watch, program = std::move(program)](Device& device) {
    WatchedDevice watched(device, watch);
    program(watched);
  });
}

}  // namespace torusmu::testing
