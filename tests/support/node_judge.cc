// SPDX-License-Identifier: Apache-2.0
#include "tests/support/node_judge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

#include "tb/reference_model/decode.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace page = registers::client_page;

constexpr std::uint32_t kPageBytes = page::kStride;

// Registers of the map in the order of their addresses.
struct Line {
  const char* name;
  registers::Register where;
};
const Line kLines[] = {
#define BLOCK(name, base, stride, copies, meaning)
#define REGISTER(block, name, offset, bytes, copies, access, meaning) \
  {#block "." #name, registers::block::name},
#define REGISTER_FIELD(block, name, field, lsb, width, meaning)
#include "rtl/package/registers.def"
#undef BLOCK
#undef REGISTER
#undef REGISTER_FIELD
};

std::string text_of(const model::Packet& packet) {
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  return fmt::format(
      "{} {} of {} bytes to ({},{},{}) target {} offset {} word 0x{:x} queue {} index {} number {} "
      "client {}",
      packet.reply() ? "reply" : "request", name_of(packet.header.get<h::kind>()),
      packet.payload.size(), number(packet.header.get<h::dst_x>()),
      number(packet.header.get<h::dst_y>()), number(packet.header.get<h::dst_z>()),
      number(packet.header.get<h::target>()), number(packet.header.get<h::offset>()),
      packet.header.get<h::word>(), number(packet.trailer.get<t::queue>()),
      number(packet.trailer.get<t::index>()), number(packet.trailer.get<t::sequence_number>()),
      number(packet.header.get<h::client>()));
}

// Packets of one class and queue leave in order; of others in any.
using Stream = std::pair<bool, std::uint64_t>;
std::map<Stream, std::vector<model::Packet>> streams_of(const std::vector<model::Packet>& packets) {
  std::map<Stream, std::vector<model::Packet>> streams;
  for (const model::Packet& packet : packets) {
    streams[{packet.reply(), packet.trailer.get<t::queue>()}].push_back(packet);
  }
  return streams;
}

}  // namespace

std::string register_name(std::uint32_t address) {
  if (!model::decode(address, kSim)) return fmt::format("0x{:05x}", address);
  for (const Line& line : kLines) {
    const registers::Register& where = line.where;
    if (address < where.block_base) continue;
    const std::uint32_t block = (address - where.block_base) / where.block_stride;
    const std::uint32_t inside = (address - where.block_base) % where.block_stride;
    if (block >= where.block_copies || inside < where.offset) continue;
    const std::uint32_t copy = (inside - where.offset) / where.bytes;
    if (copy < where.copies) return fmt::format("{}[{}][{}]", line.name, block, copy);
  }
  return fmt::format("0x{:05x}", address);
}

const std::vector<std::uint32_t>& readable_registers() {
  static const std::vector<std::uint32_t> kAll = [] {
    std::vector<std::uint32_t> addresses;
    constexpr std::uint32_t kEnd = registers::boot::kBase + registers::boot::kStride;
    for (std::uint32_t address = 0; address < kEnd; address += 4) {
      const bool performance =
          address >= registers::performance::kBase &&
          address < registers::performance::kBase + registers::performance::kStride;
      const auto where = model::decode(address, kSim);
      if (!where || performance || where->access == registers::Access::WO) continue;
      if (address % where->bytes == 0) addresses.push_back(address);
    }
    return addresses;
  }();
  return kAll;
}

NodeJudge::NodeJudge(const NodeBenchOptions& options)
    : bench_(options),
      model_(options.shape, options.node, options.memory_size),
      here_(options.shape.coordinates(options.node)) {}

void NodeJudge::write32(std::uint32_t address, std::uint32_t value) {
  pending_.push_back({.address = address, .data = value, .bytes = {}});
}
void NodeJudge::write64(std::uint32_t address, std::uint64_t value) {
  pending_.push_back({.address = address, .data = value, .wide = true, .bytes = {}});
}
void NodeJudge::store(Address address, std::span<const std::byte> data) {
  pending_.push_back({.is_store = true, .at = address, .bytes = {data.begin(), data.end()}});
}
void NodeJudge::load(Address address, std::span<std::byte> data) {
  flush();
  bench_.memory().read(address, data);
}

std::uint32_t NodeJudge::read32(std::uint32_t address) {
  flush();
  std::uint32_t found = 0;
  bench_.run([&](Device& device) { found = device.read32(address); });
  const auto wanted = static_cast<std::uint32_t>(model_.read(address).data);
  if (found != wanted) {
    differs(
        fmt::format("{} reads 0x{:x}, should be 0x{:x}", register_name(address), found, wanted));
  }
  return found;
}
std::uint64_t NodeJudge::read64(std::uint32_t address) {
  flush();
  std::uint64_t found = 0;
  bench_.run([&](Device& device) { found = device.read64(address); });
  const std::uint64_t wanted = wanted_value(address);
  if (!agree(address, found, wanted)) {
    differs(
        fmt::format("{} reads 0x{:x}, should be 0x{:x}", register_name(address), found, wanted));
  }
  return found;
}

std::uint64_t NodeJudge::wanted_value(std::uint32_t address) {
  const std::uint64_t value = model_.read(address).data;
  return address == registers::node::bad_packets() ? value + broken_ : value;
}

// Whether, and how often, a SEND is discarded before it is taken is a matter of time.
bool NodeJudge::agree(std::uint32_t address, std::uint64_t found, std::uint64_t wanted) {
  namespace page = registers::client_page;
  if (address >= kPageBytes * kSim.clients || address % kPageBytes != page::notice_tail.offset) {
    return found == wanted;
  }
  constexpr auto kDiscards = page::notice_tail_field::discards;
  return insert(found, kDiscards, 0) == insert(wanted, kDiscards, 0);
}

void NodeJudge::differs(const std::string& text) {
  if (++differences_ <= 20) ADD_FAILURE() << text;
}

void NodeJudge::flush() {
  if (pending_.empty()) return;
  const std::vector<Action> actions = std::exchange(pending_, {});
  bench_.run([&](Device& device) {
    for (const Action& action : actions) {
      if (action.is_store) {
        device.store(action.at, action.bytes);
      } else if (action.wide) {
        device.write64(action.address, action.data);
      } else {
        device.write32(action.address, static_cast<std::uint32_t>(action.data));
      }
    }
  });
  for (const Action& action : actions) {
    if (action.is_store) {
      model_.memory().write(action.at, action.bytes);
    } else {
      model_.write(action.address, action.data, action.wide);
    }
  }
  settle_model(bench_.now());
}

void NodeJudge::settle_model(Cycles now) {
  for (unsigned steps = 0; model_.has_work(); ++steps) {
    if (steps > 100'000) throw std::runtime_error("the reference model does not come to rest");
    model::ReferenceNode::Step step = model_.inject(now);
    if (!step.packet) continue;
    const PacketHeader& header = step.packet->header;
    const Coordinates to{static_cast<std::uint32_t>(header.get<h::dst_x>()),
                         static_cast<std::uint32_t>(header.get<h::dst_y>()),
                         static_cast<std::uint32_t>(header.get<h::dst_z>())};
    if (to == here_) {
      model_.receive(*step.packet, now);
    } else {
      model_sent_.push_back(std::move(*step.packet));
    }
  }
}

void NodeJudge::pass(Cycles cycles) {
  flush();
  bench_.pass(cycles);
  bench_.settle();
  for (Cycles at = model_.next_timer(); at <= bench_.now(); at = model_.next_timer()) {
    model_.run_timers(at);
    settle_model(at);
  }
}

// Descriptors done, of all queues.
std::uint64_t NodeJudge::done() const {
  std::uint64_t sum = 0;
  for (std::uint32_t n = 0; n < kSim.injection_queues; ++n) sum += model_.queue(n).head;
  return sum;
}

std::uint64_t NodeJudge::done_by_node() {
  std::uint64_t sum = 0;
  bench_.run([&](Device& device) {
    for (std::uint32_t n = 0; n < kSim.injection_queues; ++n) {
      sum += device.read64(registers::injection_queue::head(n));
    }
  });
  return sum;
}

void NodeJudge::let_retries_run(Cycles retry_cycles) {
  constexpr Cycles kRoom = 1000;  // for what a retry sets going
  flush();
  for (std::uint64_t before = ~std::uint64_t{0}; before != done();) {
    before = done();
    if (model_.next_timer() == std::numeric_limits<Cycles>::max()) break;
    pass(retry_cycles + kRoom);
  }
  // What goes ahead may find in the node no RECEIVE yet that is posted again in the model at once.
  for (std::uint64_t before = ~std::uint64_t{0}; before != done_by_node();) {
    before = done_by_node();
    if (before != done()) pass(retry_cycles + kRoom);
  }
}

void NodeJudge::deliver(const model::Packet& packet, unsigned direction) {
  flush();
  bench_.send(direction, packet);
  bench_.settle();
  model_.receive(packet, bench_.now());
  settle_model(bench_.now());
}

void NodeJudge::deliver_broken(const std::vector<Flit>& flits, unsigned bad, unsigned direction) {
  flush();
  bench_.send(direction, flits);
  bench_.settle();
  broken_ += bad;
}

std::vector<model::Packet> NodeJudge::settle(const std::string& where) {
  flush();
  bench_.settle();
  std::vector<model::Packet> sent = bench_.take_packets();
  (void)bench_.take_directions();
  compare(where, sent);
  return sent;
}

void NodeJudge::compare(const std::string& where, const std::vector<model::Packet>& sent) {
  const std::string complaints = bench_.complaints();
  if (!complaints.empty()) differs(where + ": " + complaints);
  const auto found = streams_of(sent);
  const auto wanted = streams_of(std::exchange(model_sent_, {}));
  for (const auto& [stream, packets] : wanted) {
    const auto other = found.find(stream);
    const std::size_t count = other == found.end() ? 0 : other->second.size();
    if (count != packets.size()) {
      differs(fmt::format("{}: {} packets of queue {} left, should be {}, first {}", where, count,
                          stream.second, packets.size(), text_of(packets.front())));
      continue;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (other->second[i].bytes() != packets[i].bytes()) {
        differs(where + ": sent " + text_of(other->second[i]) + "\n  should be " +
                text_of(packets[i]));
      }
    }
  }
  for (const auto& [stream, packets] : found) {
    if (!wanted.contains(stream)) {
      differs(fmt::format("{}: {} unexpected packets, first {}", where, packets.size(),
                          text_of(packets.front())));
    }
  }
  compare_memory(where);
  compare_registers(where);
  compare_unit_memory(where);
}

void NodeJudge::compare_memory(const std::string& where) {
  NodeMemory& found = bench_.memory();
  NodeMemory& wanted = model_.memory();
  if (found.hash() == wanted.hash()) return;
  std::vector<std::byte> a(NodeMemory::kPageBytes);
  std::vector<std::byte> b(NodeMemory::kPageBytes);
  unsigned shown = 0;
  for (Address at = 0; at < found.size() && shown < 3; at += a.size()) {
    found.read(at, a);
    wanted.read(at, b);
    for (std::size_t i = 0; i < a.size() && shown < 3; ++i) {
      if (a[i] == b[i]) continue;
      ++shown;
      differs(fmt::format("{}: memory at 0x{:x} is 0x{:02x}, should be 0x{:02x}", where, at + i,
                          std::to_integer<unsigned>(a[i]), std::to_integer<unsigned>(b[i])));
    }
  }
}

// A read of what is another client's would itself be an error.
bool NodeJudge::may_read(std::uint32_t client, std::uint32_t address) const {
  const std::uint32_t offset = address % kPageBytes;
  if (offset < page::fifo_index.offset) {
    const model::Queue& queue = model_.queue(offset / 4);
    return queue.mode() != QueueMode::kOff && queue.owner() == client;
  }
  if (offset >= page::completion_index.offset && offset < page::event_counter.offset) {
    const auto& queue = model_.completion_queue((offset - page::completion_index.offset) / 4);
    return queue.enabled() && queue.owner() == client;
  }
  if (offset < page::push_data.offset) {
    const model::Fifo& fifo = model_.fifo((offset - page::fifo_index.offset) / 4);
    return fifo.enabled() && fifo.owner() == client;
  }
  if (offset >= page::byte_counter.offset) {
    const auto& counter = model_.byte_counter((offset - page::byte_counter.offset) / 8);
    return counter.enabled() && counter.owner() == client;
  }
  if (offset >= page::event_counter.offset) {
    const auto& counter = model_.event_counter((offset - page::event_counter.offset) / 4);
    return counter.enabled() && counter.owner() == client;
  }
  return true;
}

void NodeJudge::compare_registers(const std::string& where) {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> found;
  bench_.run([&](Device& device) {
    for (const std::uint32_t address : readable_registers()) {
      if (address < kPageBytes * kSim.clients && !may_read(address / kPageBytes, address)) continue;
      const auto decoded = model::decode(address, kSim);
      found.emplace_back(address,
                         decoded->bytes == 8 ? device.read64(address) : device.read32(address));
    }
  });
  for (const auto& [address, value] : found) {
    const std::uint64_t wanted = wanted_value(address);
    // How far the node reads ahead of an error is its own affair.
    if (address == registers::node::memory_errors() && value >= wanted && wanted != 0) continue;
    if (!agree(address, value, wanted)) {
      differs(fmt::format("{}: {} is 0x{:x}, should be 0x{:x}", where, register_name(address),
                          value, wanted));
    }
  }
  for (std::uint32_t client = 0; client < kSim.clients; ++client) {
    if (bench_.interrupt({client}) != model_.interrupt({client})) {
      differs(fmt::format("{}: interrupt line of client {} is {}", where, client,
                          bench_.interrupt({client}) ? "high" : "low"));
    }
  }
}

// Of the pages that the model has used: what lies in others nobody has written.
void NodeJudge::compare_unit_memory(const std::string& where) {
  if (model_.unit_memory().pages() == 0) return;
  std::vector<std::uint64_t> wanted(kSim.unit_memory_words), found(wanted.size());
  model_.unit_memory().read(0, std::as_writable_bytes(std::span(wanted)));
  bench_.run([&](Device& device) {
    for (std::uint32_t word = 0; word < found.size(); ++word)
      found[word] = device.read64(registers::unit_memory::word(word));
  });
  unsigned shown = 0;
  for (std::uint32_t word = 0; word < found.size() && shown < 3; ++word) {
    if (found[word] == wanted[word]) continue;
    ++shown;
    differs(fmt::format("{}: word {} of the unit's memory is 0x{:x}, should be 0x{:x}", where, word,
                        found[word], wanted[word]));
  }
}

// --- packets
// --------------------------------------------------------------------------------------

std::vector<std::uint8_t> bytes_of(std::uint64_t seed, std::size_t length) {
  std::vector<std::uint8_t> bytes(length);
  for (std::size_t i = 0; i < length; ++i) {
    bytes[i] = std::to_integer<std::uint8_t>(pattern_byte(seed, i));
  }
  return bytes;
}

model::Packet put_packet(Coordinates from, Coordinates to, std::vector<std::uint8_t> payload,
                         std::uint32_t region, Bytes offset) {
  model::Packet packet;
  packet.header.set<h::dst_x>(to.x)
      .set<h::dst_y>(to.y)
      .set<h::dst_z>(to.z)
      .set<h::src_x>(from.x)
      .set<h::src_y>(from.y)
      .set<h::src_z>(from.z)
      .set<h::client>(1)
      .set<h::kind>(Kind::kPut)
      .set<h::bytes>(payload.size())
      .set<h::target>(region)
      .set<h::offset>(offset);
  packet.trailer.set<t::last>(1).set<t::queue>(9).set<t::index>(77).set<t::sequence_number>(1234);
  packet.payload = std::move(payload);
  packet.seal();
  return packet;
}

}  // namespace torusmu::testing
