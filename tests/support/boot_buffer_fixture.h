// SPDX-License-Identifier: Apache-2.0
// A node whose reception FIFOs may be in the state before their process is there, and the packets
// that come for it.
#ifndef TORUSMU_TESTS_SUPPORT_BOOT_BUFFER_FIXTURE_H_
#define TORUSMU_TESTS_SUPPORT_BOOT_BUFFER_FIXTURE_H_

#include <algorithm>
#include <vector>

#include "tests/support/queue_pair_fixture.h"

namespace torusmu::testing {

inline constexpr std::uint32_t kBootSlots = kSim.boot_slots;

// What reception_fifo.config holds for a FIFO in each state.
struct FifoConfig {
  bool enable = false;
  bool reply_only = false;
  bool interrupt = false;
  bool boot = false;
  ClientId owner = kOwner;
  [[nodiscard]] std::uint64_t bits() const {
    namespace f = registers::reception_fifo::config_field;
    return insert(insert(insert(insert(insert(0, f::enable, enable), f::reply_only, reply_only),
                                f::interrupt, interrupt),
                         f::boot, boot),
                  f::owner, owner.value);
  }
};
inline constexpr FifoConfig kOff{}, kBoots{.boot = true}, kTakes{.enable = true},
    kBootsForForeigner{.boot = true, .owner = kForeigner},
    kTakesForForeigner{.enable = true, .owner = kForeigner};

// What boot_buffer says of the buffer of `client`.
class BootBufferOf {
 public:
  explicit BootBufferOf(Device& device, ClientId client = kOwner)
      : device_(device), client_(client.value) {}

  [[nodiscard]] std::uint32_t head() const {
    return static_cast<std::uint32_t>(device_.read64(registers::boot_buffer::head(client_)));
  }
  [[nodiscard]] std::uint32_t tail() const {
    namespace f = registers::boot_buffer::tail_field;
    return static_cast<std::uint32_t>(extract(tail_register(), f::tail));
  }
  [[nodiscard]] bool is_open() const {
    return extract(tail_register(), registers::boot_buffer::tail_field::open) != 0;
  }
  [[nodiscard]] std::uint64_t refused() const {
    return device_.read64(registers::boot_buffer::refused(client_));
  }

 private:
  [[nodiscard]] std::uint64_t tail_register() const {
    return device_.read64(registers::boot_buffer::tail(client_));
  }
  Device& device_;
  std::uint32_t client_;
};

inline std::uint32_t slots_of_packet(Bytes bytes) {
  return static_cast<std::uint32_t>(1 + (bytes + kSim.fifo_slot_bytes - 1) / kSim.fifo_slot_bytes);
}
// Message `number` for a FIFO, with `bytes` of its own.
inline model::Packet fifo_packet(std::uint32_t number, Bytes bytes, FifoId fifo, Coordinates from,
                                 Coordinates to) {
  namespace h = layout::packet_header;
  namespace t = layout::packet_trailer;
  model::Packet packet = put_packet(from, to, bytes_of(number, bytes), fifo.value, 0);
  packet.header.set<h::kind>(Kind::kFifo).set<h::word>(number);
  packet.trailer.set<t::index>(number);
  packet.seal();
  return packet;
}
// The packets as they lie in a ring, one behind the other.
inline std::vector<std::uint8_t> as_entries(const std::vector<model::Packet>& packets) {
  std::vector<std::uint8_t> bytes;
  for (const model::Packet& packet : packets) {
    const auto entry = model::ring_entry(packet, kSim.fifo_slot_bytes);
    bytes.insert(bytes.end(), entry.begin(), entry.end());
  }
  return bytes;
}

class BootBufferTest : public QueuePairTest {
 protected:
  static constexpr FifoId kBootFifo{5}, kOtherFifo{6}, kForeignBootFifo{7};
  static constexpr Address kBootRing = 0x50010, kForeignBootRing = 0x54030;
  static constexpr std::uint32_t kBootRingSlots = 2 * kBootSlots;
  static constexpr std::uint32_t kLargest = 17;  // slots of the largest packet
  using Entries = std::vector<std::uint8_t>;

  BootBufferTest() {
    for (const auto& [fifo, ring] :
         {std::pair(kBootFifo, kBootRing), std::pair(kForeignBootFifo, kForeignBootRing)}) {
      device().write64(registers::reception_fifo::base(fifo.value), ring);
      device().write64(registers::reception_fifo::size(fifo.value), kBootRingSlots);
    }
  }
  BootBufferOf buffer(ClientId client = kOwner) { return BootBufferOf(device(), client); }
  void configure(FifoId fifo, const FifoConfig& config) {
    device().write64(registers::reception_fifo::config(fifo.value), config.bits());
  }
  std::uint64_t config(FifoId fifo) {
    return device().read64(registers::reception_fifo::config(fifo.value));
  }
  Packet message(std::uint32_t number, Bytes bytes, FifoId fifo = kBootFifo) {
    return fifo_packet(number, bytes, fifo, kPeer, here_);
  }
  // Statuses of notices, in the order in which they left.
  static std::vector<Status> statuses_of(const std::vector<Packet>& back) {
    std::vector<Status> statuses;
    for (const Packet& packet : back) {
      EXPECT_EQ(kind_of(packet), Kind::kNotice);
      statuses.push_back(static_cast<Status>(word_of(packet) & 0xFF));
    }
    return statuses;
  }
  // What the sender is told: OK, or the status of the notice.
  Status arrives(const Packet& packet) {
    namespace h = layout::packet_header;
    deliver(packet);
    const auto back = settle("a packet");
    if (back.empty()) return Status::kOk;
    EXPECT_EQ(back.size(), 1U);
    EXPECT_EQ(kind_of(back[0]), Kind::kNotice);
    EXPECT_EQ(word_of(back[0]) >> 8, static_cast<std::uint64_t>(packet.header.get<h::kind>()));
    return static_cast<Status>(word_of(back[0]) & 0xFF);
  }
  // Largest packets until no further one fits, numbered from 0; what lies in the buffer then.
  std::vector<Packet> fill(FifoId fifo = kBootFifo) {
    std::vector<Packet> packets;
    for (std::uint32_t i = 0; i < kBootSlots / kLargest; ++i) {
      packets.push_back(message(i, kSim.payload_bytes, fifo));
      deliver(packets.back());
    }
    return packets;
  }
  std::uint32_t tail_of(FifoId fifo) {
    return static_cast<std::uint32_t>(device().read64(registers::reception_fifo::tail(fifo.value)));
  }
  // The process is there; what has come is in its FIFO. Packets that leave meanwhile.
  std::vector<Packet> start(FifoId fifo = kBootFifo, const FifoConfig& config = kTakes) {
    configure(fifo, config);
    return settle("started");
  }
  // Slots of a ring in memory.
  Entries in_memory(std::uint32_t slots, Address ring = kBootRing) {
    std::vector<std::byte> bytes(slots * Bytes{kSim.fifo_slot_bytes});
    device().load(ring, bytes);
    Entries entries(bytes.size());
    std::transform(bytes.begin(), bytes.end(), entries.begin(),
                   [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
    return entries;
  }
  // Everything that lies in the FIFO.
  Entries moved() { return in_memory(tail_of(kBootFifo)); }
  static Entries zeros(std::size_t slots) { return Entries(slots * kSim.fifo_slot_bytes); }
};

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_BOOT_BUFFER_FIXTURE_H_
