// SPDX-License-Identifier: Apache-2.0
// A node whose reception FIFOs may be in the state before their process is there, and the packets
// that come for it.
#ifndef TORUSMU_TESTS_SUPPORT_BOOT_BUFFER_FIXTURE_H_
#define TORUSMU_TESTS_SUPPORT_BOOT_BUFFER_FIXTURE_H_

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/support/queue_pair_fixture.h"
#include "torusmu/plan.h"

namespace torusmu::testing {

inline constexpr std::uint32_t kBootSlots = 128;
// Boot buffers, and where they lie, as boot.expected sets them up.
inline constexpr FifoId boot_buffer_of(ClientId client) {
  return {kSim.reception_fifos - kSim.clients + client.value};
}
inline constexpr Address boot_ring_of(ClientId client, std::uint32_t slots = kBootSlots) {
  return unit_memory_base(kSim) + client.value * Address{slots} * kSim.fifo_slot_bytes;
}
inline constexpr FifoId kKeeper = boot_buffer_of(kOwner),
                        kForeignKeeper = boot_buffer_of(kForeigner);

// What reception_fifo.config holds for a FIFO in each state.
struct FifoConfig {
  bool enable = false;
  bool reply_only = false;
  bool interrupt = false;
  bool boot = false;
  ClientId owner = kOwner;
  bool keeps = false;
  FifoId keeper{0};
  [[nodiscard]] std::uint64_t bits() const {
    namespace f = registers::reception_fifo::config_field;
    std::uint64_t value = insert(insert(0, f::enable, enable), f::reply_only, reply_only);
    value = insert(insert(value, f::interrupt, interrupt), f::boot, boot);
    value = insert(insert(value, f::owner, owner.value), f::keeps, keeps);
    return insert(value, f::keeper, keeper.value);
  }
};
inline constexpr FifoConfig kOff{}, kTakes{.enable = true}, kBoots{.boot = true, .keeper = kKeeper},
    kMoves{.enable = true, .boot = true, .keeper = kKeeper}, kKeeps{.enable = true, .keeps = true},
    kBootsForForeigner{.boot = true, .owner = kForeigner, .keeper = kForeignKeeper},
    kMovesForForeigner{.enable = true, .boot = true, .owner = kForeigner, .keeper = kForeignKeeper},
    kKeepsForForeigner{.enable = true, .owner = kForeigner, .keeps = true},
    kTakesForForeigner{.enable = true, .owner = kForeigner};

inline void write_config(Device& device, FifoId fifo, const FifoConfig& config) {
  device.write64(registers::reception_fifo::config(fifo.value), config.bits());
}
// An empty boot buffer for `client`.
inline void open_boot_buffer(Device& device, ClientId client, std::uint32_t slots = kBootSlots) {
  namespace r = registers::reception_fifo;
  const FifoId keeper = boot_buffer_of(client);
  write_config(device, keeper, {.owner = client});
  device.write64(r::base(keeper.value), boot_ring_of(client, kBootSlots));
  device.write64(r::size(keeper.value), slots);
  write_config(device, keeper, {.enable = true, .owner = client, .keeps = true});
}

// What the boot buffer of `client` holds.
class BootBufferOf {
 public:
  explicit BootBufferOf(Device& device, ClientId client = kOwner)
      : device_(device), fifo_(boot_buffer_of(client).value) {}

  [[nodiscard]] std::uint32_t head() const {
    return static_cast<std::uint32_t>(device_.read64(registers::reception_fifo::head(fifo_)));
  }
  [[nodiscard]] std::uint32_t tail() const {
    return static_cast<std::uint32_t>(device_.read64(registers::reception_fifo::tail(fifo_)));
  }
  [[nodiscard]] std::uint64_t refused() const {
    return device_.read64(registers::reception_fifo::refused(fifo_));
  }

 private:
  Device& device_;
  std::uint32_t fifo_;
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
  static constexpr Address kBootRing = 0x50010, kForeignBootRing = 0x54030, kOtherRing = 0x58050;
  static constexpr std::uint32_t kBootRingSlots = 2 * kBootSlots;
  static constexpr std::uint32_t kLargest = 17;  // slots of the largest packet
  using Entries = std::vector<std::uint8_t>;

  BootBufferTest() {
    for (const auto& [fifo, ring] :
         {std::pair(kBootFifo, kBootRing), std::pair(kForeignBootFifo, kForeignBootRing),
          std::pair(kOtherFifo, kOtherRing)}) {
      device().write64(registers::reception_fifo::base(fifo.value), ring);
      device().write64(registers::reception_fifo::size(fifo.value), kBootRingSlots);
    }
    open_boot_buffer(device(), kOwner);
    open_boot_buffer(device(), kForeigner);
  }
  BootBufferOf buffer(ClientId client = kOwner) { return BootBufferOf(device(), client); }
  void configure(FifoId fifo, const FifoConfig& config) { write_config(device(), fifo, config); }
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
  // The process is there; the MU moves what has come into its FIFO. Packets that leave meanwhile.
  std::vector<Packet> start(FifoId fifo = kBootFifo, const FifoConfig& config = kMoves) {
    configure(fifo, config);
    return settle("started");
  }
  // What the boot buffer has held since it was opened, if that is not more than its slots.
  Entries kept(ClientId client = kOwner) {
    Entries entries(buffer(client).tail() * std::size_t{kSim.fifo_slot_bytes});
    const auto first =
        static_cast<std::uint32_t>(boot_ring_of(client) - unit_memory_base(kSim)) / 8;
    for (std::uint32_t i = 0; i < entries.size() / 8; ++i) {
      const std::uint64_t word = device().read64(registers::unit_memory::word(first + i));
      std::memcpy(entries.data() + std::size_t{8} * i, &word, 8);
    }
    return entries;
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
  Status register_status() {
    const std::uint64_t value = device().read64(registers::node::register_errors());
    return static_cast<Status>(extract(value, registers::node::register_errors_field::status));
  }
  // Status of an access that is refused.
  Status refused_write(std::uint32_t address, std::uint64_t data) {
    device().write64(registers::node::error_clear(), std::uint64_t{1} << 63);
    device().write64(address, data);
    return register_status();
  }
  // First bad access of the owner's page since the last call.
  Status page_status() {
    const std::uint64_t value = device().read64(registers::client_page::page_status(kOwner.value));
    device().write64(registers::node::error_clear(), 1);
    return static_cast<Status>(extract(value, registers::client_page::page_status_field::status));
  }
  // Packets of 5 slots, numbered from 0.
  std::vector<Packet> deliver_five_slots(std::uint32_t count, FifoId fifo = kBootFifo) {
    std::vector<Packet> packets;
    for (std::uint32_t i = 0; i < count; ++i) {
      packets.push_back(message(i, 4 * Bytes{kSim.fifo_slot_bytes}, fifo));
      deliver(packets.back());
    }
    settle("five slots each");
    return packets;
  }
  static std::vector<Packet> part(const std::vector<Packet>& all, std::size_t first,
                                  std::size_t count) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }
  // Everything that lies in the FIFO.
  Entries moved() { return in_memory(tail_of(kBootFifo)); }
  static Entries zeros(std::size_t slots) { return Entries(slots * kSim.fifo_slot_bytes); }
};

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_BOOT_BUFFER_FIXTURE_H_
