// SPDX-License-Identifier: Apache-2.0
// What goes in and out of the send engine: packets as they leave, a reader of memory, and
// what receive queues are told.

#ifndef TESTS_SUPPORT_INJECTION_TRAFFIC_H_
#define TESTS_SUPPORT_INJECTION_TRAFFIC_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <stdexcept>
#include <vector>

#include "sim/machine/memory_origin.h"
#include "tb/reference_model/packet.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/types.h"

namespace torusmu::testing {

using model::Packet;

// A packet with the cycles in which its first and last flit were taken.
struct SentPacket {
  Packet packet;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

// A flit that the router takes joins the packet that is open.
template <typename Port>
void take_flit(std::vector<SentPacket>& packets, Bytes& open, const Port& port, bool ready,
               std::uint64_t cycle) {
  namespace f = layout::flit_stream;
  if (!get<f::valid>(port) || !ready) return;
  const bool head = get<f::head>(port) != 0, tail = get<f::tail>(port) != 0;
  if (head != open.empty()) throw std::runtime_error("a head flit out of place");
  if (head) packets.push_back({{}, cycle, 0});
  const Bytes flit = get_bytes<f::data>(port);
  open.insert(open.end(), flit.begin(), flit.end());
  if (!tail) return;
  SentPacket& sent = packets.back();
  sent.last = cycle;
  sent.packet.header = PacketHeader::from_bytes(open);
  sent.packet.trailer = PacketTrailer::from_bytes(std::span(open).last(16));
  const auto bytes = sent.packet.header.get<layout::packet_header::bytes>();
  if (open.size() != 32 + (bytes + 15) / 16 * 16) {
    throw std::runtime_error("as many flits as bytes");
  }
  sent.packet.payload.assign(open.begin() + 16,
                             open.begin() + 16 + static_cast<std::ptrdiff_t>(bytes));
  // Rebuilt with zero pad bytes, the CRC must still fit: so they were zero.
  if (sent.packet.bytes() != open || !sent.packet.crc_is_good()) {
    throw std::runtime_error("a bad CRC, or pad bytes that are not zero");
  }
  open.clear();
}

// One reader of the memory port: commands in order, one beat a cycle, each `latency` cycles after
// its command at the earliest.
struct Reader {
  struct Command {
    Address address;
    std::uint64_t bytes;
    std::uint64_t due;
  };
  unsigned latency = 10;
  unsigned command_chance = 100;  // the command is taken, each cycle
  unsigned beat_chance = 100;     // the next beat comes, each cycle
  std::uint64_t commands = 0;
  std::uint64_t last_command = 0;  // cycle
  std::uint64_t last_beat = 0;     // cycle of the last beat of a transfer
  std::deque<Command> waiting;
  std::uint64_t done = 0;  // bytes of the front command
  bool beat = false;

  void take(const Record<layout::read_request::Layout>& request, const MemoryOrigin& origin,
            std::uint64_t cycle) {
    namespace c = layout::read_command;
    if (!request.get<layout::read_request::valid>()) return;
    const auto command = request.get<layout::read_request::command>();
    ++commands;
    last_command = cycle;
    waiting.push_back(
        {origin.from_pins(command.get<c::address>()), command.get<c::bytes>(), cycle + latency});
  }
  void finish_beat(std::uint64_t cycle) {
    if (!beat) return;
    done += 32;
    if (done < waiting.front().bytes) return;
    waiting.pop_front();
    done = 0;
    last_beat = cycle;
  }
};

// Eight a draw: some tests make a bench, with its memory, for every delay that they try.
inline Bytes any_bytes(Random& random, std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; i += 8) {
    const std::uint64_t word = random.bits64();
    std::memcpy(&bytes[i], &word, std::min(sizeof word, count - i));
  }
  return bytes;
}

// What receive queues are told of a queue.
struct PairSignals {
  std::vector<unsigned> resets;  // what it holds is flushed
  std::vector<unsigned> configured;
  std::vector<unsigned> receives;  // configured to receive

  template <typename Model>
  void sample(const Model& dut) {
    namespace p = layout::pair_reset;
    const auto now = get<layout::receive_orders::reset>(dut.receive_orders_o);
    const auto queue = static_cast<unsigned>(now.template get<p::queue>());
    if (now.template get<p::reset>()) resets.push_back(queue);
    if (now.template get<p::configured>()) configured.push_back(queue);
    if (now.template get<p::configured>() && now.template get<p::receives>())
      receives.push_back(queue);
  }
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_INJECTION_TRAFFIC_H_
