// SPDX-License-Identifier: Apache-2.0
// mu_boot_buffers alone: packets that its FIFOs give it and that it shows again, against a queue of
// packets for each client.
#ifndef TORUSMU_TESTS_SUPPORT_BOOT_BUFFERS_BENCH_H_
#define TORUSMU_TESTS_SUPPORT_BOOT_BUFFERS_BENCH_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "Vmu_boot_buffers.h"
#include "sim/machine/profile.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"
#include "torusmu/registers.h"

namespace torusmu::testing {

namespace b = registers::boot_buffer;

namespace op = layout::boot_operation;
using Operation = Record<op::Layout>;

inline constexpr unsigned kClients = kProfile.clients;
inline constexpr unsigned kSlots = 128;
inline constexpr std::size_t kSlotBytes = 32;
inline constexpr std::uint64_t kOpen = 1ULL << 32;

using Packet = std::vector<Bytes>;  // its slots

// What a buffer has been given since it was opened; the whole reference.
struct Buffer {
  bool open = false;
  bool draining = false;
  unsigned fifo = 0;
  bool refusing = false;
  std::uint32_t refused = 0;
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  std::deque<Packet> packets;
};

class BootBuffers : public ::testing::Test {
 protected:
  BootBuffers() : block(random.seed()), bus(block) {}

  void ask(const Operation& operation) { drive(block->operation_i, operation); }
  // A config write of `fifo`: opens the buffer of `client`, or closes what is open for the FIFO.
  // `cycle` is what else happens in its cycle, to the end of it.
  template <typename Cycle>
  void turn(bool opens, bool drains, unsigned client, unsigned fifo, const Cycle& cycle) {
    ask(Operation()
            .set<op::switches>(1)
            .set<op::opens>(opens)
            .set<op::drains>(drains)
            .set<op::client>(client)
            .set<op::fifo>(fifo));
    cycle();
    ask({});
    for (unsigned c = 0; c < kClients; ++c) {
      Buffer& buffer = model[c];
      if (opens && c == client) {
        buffer = {};
        buffer.open = true;
        buffer.fifo = fifo;
        if (coming_ && client_ == c) coming_ = false;
      } else if (buffer.fifo == fifo) {
        buffer.draining = (buffer.open || buffer.draining) && drains && c == client;
        buffer.open = false;
        if (!buffer.draining) buffer.packets.clear();
      }
    }
  }
  void turn(bool opens, bool drains, unsigned client, unsigned fifo) {
    turn(opens, drains, client, fifo, [&] { step(); });
  }
  void open(unsigned client, unsigned fifo) { turn(true, false, client, fifo); }
  void close(unsigned fifo) { turn(false, false, 0, fifo); }
  void start(unsigned client, unsigned fifo) { turn(false, true, client, fifo); }

  // Whether the buffer of the client is open for another FIFO.
  bool elsewhere(unsigned client, unsigned fifo) {
    ask(Operation().set<op::client>(client).set<op::fifo>(fifo));
    block.settle();
    return block->elsewhere_o != 0;
  }

  // A packet is looked up; true if it goes into the buffer. Its beats follow with feed().
  bool begin(unsigned client, std::size_t payload) {
    packet_.clear();
    for (std::size_t i = 0; i < 1 + (payload + 31) / 32; ++i) {
      packet_.push_back(random_bytes(random, kSlotBytes));
    }
    ask(Operation()
            .set<op::lookup>(1)
            .set<op::client>(client)
            .set<op::fifo>(model[client].fifo)
            .set<op::slots>(packet_.size()));
    block.settle();
    Buffer& buffer = model[client];
    const bool fits = !buffer.refusing && buffer.tail - buffer.head + packet_.size() <= kSlots;
    EXPECT_EQ(block->room_o != 0, fits);
    EXPECT_FALSE(block->out_shows_o);
    block->start_i = fits;
    block->refuse_i = !fits;
    step();
    ask({});
    block->start_i = block->refuse_i = 0;
    if (!fits) {
      buffer.refusing = true;
      if (buffer.refused != 0xFFFFFFFF) ++buffer.refused;  // the count stops at the top
      return false;
    }
    block->engaged_i = 1;
    coming_ = true;
    client_ = client;
    given_ = 1;
    drive(block->entry_i, packet_[0]);
    return true;
  }
  // One cycle of the receiver; true if the packet ended in it.
  bool feed(bool beat) {
    block->beat_valid_i = beat && given_ < packet_.size();
    if (block->beat_valid_i) drive(block->beat_data_i, packet_[given_]);
    block.settle();
    const bool done = block->packet_done_o != 0;
    if (block->beat_valid_i && block->beat_ready_o) ++given_;
    if (done && coming_) {
      Buffer& buffer = model[client_];
      buffer.tail += static_cast<std::uint32_t>(packet_.size());
      if (buffer.open || buffer.draining) buffer.packets.push_back(packet_);
      coming_ = false;
    }
    step();
    block->beat_valid_i = 0;
    block->engaged_i = !done;
    return done;
  }
  bool store(unsigned client, std::size_t payload) {
    if (!begin(client, payload)) return false;
    for (unsigned i = 0; !feed(true); ++i) {
      if (i > 40) throw std::runtime_error("the packet does not end");
    }
    return true;
  }
  // Until a packet is shown; false if none is in `cycles`.
  bool shows(unsigned cycles = 2 * kClients) {
    for (unsigned i = 0;; ++i) {
      block.settle();
      if (block->out_packet_valid_o || i == cycles) return block->out_packet_valid_o != 0;
      step();
    }
  }
  bool drains() const {
    return std::any_of(model.begin(), model.end(), [](const Buffer& buffer) {
      return buffer.draining && !buffer.packets.empty();
    });
  }
  // The buffer whose oldest packet is shown; null if it is that of none.
  Buffer* shown() {
    const Bytes entry = sample(block->out_entry_o, kSlotBytes);
    for (Buffer& buffer : model) {
      const bool has_one = buffer.draining && !buffer.packets.empty();
      if (has_one && buffer.packets.front()[0] == entry) return &buffer;
    }
    return nullptr;
  }
  // Takes so many beats of the packet, which is shown, in `chance` of 100 cycles.
  void take_beats(const Packet& packet, std::size_t beats, unsigned chance) {
    for (std::size_t taken = 0; taken < beats;) {
      block->out_beat_ready_i = random.chance(chance);
      block.settle();
      ASSERT_TRUE(block->out_packet_valid_o);
      if (block->out_beat_ready_i && block->out_beat_valid_o) {
        ASSERT_EQ(sample(block->out_beat_data_o, kSlotBytes), packet.at(1 + taken));
        ++taken;
      }
      step();
      block->out_beat_ready_i = 0;
    }
  }
  // Takes a part of the beats of the packet that is shown, as a store does, and then ends it.
  void end_shown(double part = 1, unsigned chance = 100) {
    Buffer* buffer = shown();
    ASSERT_NE(buffer, nullptr);
    const Packet packet = buffer->packets.front();
    const auto beats = static_cast<std::size_t>(part * static_cast<double>(packet.size() - 1));
    step();  // it is decided
    block->out_taken_i = 1;
    ASSERT_NO_FATAL_FAILURE(take_beats(packet, beats, chance));
    block.settle();
    ASSERT_TRUE(beats + 1 != packet.size() || !block->out_beat_valid_o) << "a beat too many";
    block->out_packet_done_i = 1;
    block->out_beat_ready_i = random.chance(50);  // the next beat is of no account
    step();
    block->out_packet_done_i = block->out_taken_i = block->out_beat_ready_i = 0;
    step();  // the head moves
    buffer->head += static_cast<std::uint32_t>(packet.size());
    buffer->packets.pop_front();
    if (buffer->packets.empty()) buffer->draining = false;
  }
  void take_all(unsigned chance = 100) {
    while (drains()) {
      ASSERT_TRUE(shows());
      end_shown(1, chance);
      if (HasFatalFailure()) return;
    }
    for (unsigned i = 0; i < 3 * kClients; ++i) step();
    EXPECT_FALSE(block->busy_o || block->hides_o || block->out_shows_o);
  }
  // Cycles are counted by the bus, so that an access may be under way.
  void step() {
    if (meanwhile_ && cycles_until_-- == 0) {
      std::exchange(meanwhile_, nullptr)();
    } else {
      bus.tick();
    }
  }
  // `meanwhile`, which takes one step, is what happens in the cycle behind the next `cycles`.
  void after(unsigned cycles, std::function<void()> meanwhile) {
    cycles_until_ = cycles;
    meanwhile_ = std::move(meanwhile);
  }

  // What the registers of a client say, by their order.
  std::array<std::uint64_t, 3> registers_of(unsigned c) const {
    const Buffer& buffer = model[c];
    const bool open = buffer.open || (coming_ && client_ == c);
    return {buffer.head, buffer.tail | (open ? kOpen : 0), buffer.refused};
  }
  void judge() {
    for (unsigned c = 0; c < kClients; ++c) {
      for (unsigned which = 0; which < 3; ++which) {
        ASSERT_EQ(bus.read(register_read(b::head(c) + 8 * which)), registers_of(c)[which])
            << c << ", register " << which;
      }
    }
  }

  Random random;
  Clocked<Vmu_boot_buffers> block;
  RegisterBus<Vmu_boot_buffers> bus;
  std::array<Buffer, kClients> model;
  bool coming_ = false;  // a packet that will be kept
  unsigned client_ = 0;
  std::size_t given_ = 0;  // slots of it that were handed over
  Packet packet_;
  std::function<void()> meanwhile_;
  unsigned cycles_until_ = 0;
};

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_BOOT_BUFFERS_BENCH_H_
