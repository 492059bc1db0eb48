// SPDX-License-Identifier: Apache-2.0
// bgp:
// mu_boot_drain between a FIFO table that holds rings of packets, a memory that takes its time, and
// a reception that stores packets, leaves them where they are, or refuses them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "Vmu_boot_drain.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using BootStep = Record<layout::boot_step::Layout>;
using BootHeld = Record<layout::boot_held::Layout>;
using ReadRequest = Record<layout::read_request::Layout>;
using ReadCommand = Record<layout::read_command::Layout>;
using ReadBeat = Record<layout::read_beat::Layout>;
using Shown = Record<layout::shown_request::Layout>;
namespace b = layout::read_beat;
namespace c = layout::read_command;
namespace h = layout::packet_header;
namespace he = layout::boot_held;
namespace q = layout::read_request;
namespace sh = layout::shown_request;
namespace st = layout::boot_step;

constexpr std::uint32_t kFifos = kProfile.reception_fifos;
constexpr std::uint32_t kSlots = 32, kSlotBytes = 32, kLargest = 17;
constexpr std::uint32_t kRingBytes = kSlots * kSlotBytes;
using Slots = std::vector<std::uint8_t>;

struct Ring {
  std::uint32_t head = 0, tail = 0, reserved = 0;
  std::deque<Slots> packets;  // from head on, as they lie in memory
  std::deque<bool> good;
  bool closed = false;  // for the last one claims more than what lies there
  std::uint64_t base = 0;
  unsigned owner = 0;
  Slots memory = Slots(kRingBytes);
};

class BootDrain : public ::testing::Test {
 protected:
  BootDrain() {
    for (Ring& ring : rings_) {
      ring.base = random_.below((std::uint64_t{1} << 40) - kRingBytes);
      ring.owner = static_cast<unsigned>(random_.below(1U << he::owner.width));
    }
  }
  // Any FIFO; a few of them for some time.
  std::uint32_t any_fifo(unsigned few = 4) {
    if (random_.chance(1)) offset_ = static_cast<std::uint32_t>(random_.below(kFifos));
    return (offset_ + 11 * static_cast<std::uint32_t>(random_.below(few))) % kFifos;
  }

  // A packet into a ring, if there is room: something that is no packet, or longer than what lies
  // there, if it is not good.
  bool keep(std::uint32_t fifo, std::uint64_t bytes, bool good = true) {
    Ring& ring = rings_[fifo];
    const auto slots = static_cast<std::uint32_t>(1 + (bytes + kSlotBytes - 1) / kSlotBytes);
    if (ring.reserved - ring.head + slots > kSlots || ring.closed) return false;
    Slots packet = random_bytes(random_, std::size_t{slots} * kSlotBytes);
    PacketHeader header = PacketHeader::from_bytes(packet);
    header.set<h::kind>(Kind::kFifo).set<h::reply>(0).set<h::bytes>(bytes);
    if (!good) {
      const auto how = random_.below(4);
      if (how == 0) header.set<h::kind>(Kind::kPut);
      if (how == 1) header.set<h::reply>(1);
      if (how == 2) header.set<h::bytes>(513 + random_.below(500));
      if (how == 3) header.set<h::bytes>(slots < kLargest ? slots * kSlotBytes : 1023U);
      ring.closed = how == 3;
    }
    std::copy_n(header.bytes().begin(), PacketHeader::kBytes, packet.begin());
    for (std::size_t i = 0; i < packet.size(); ++i) {
      ring.memory[(ring.tail * std::size_t{kSlotBytes} + i) % kRingBytes] = packet[i];
    }
    ring.tail = ring.reserved = ring.tail + slots;
    ring.packets.push_back(std::move(packet));
    ring.good.push_back(good);
    draining_.set(fifo);
    return true;
  }
  // The driver begins a boot buffer anew.
  void configure(std::uint32_t fifo) {
    Ring anew;
    anew.base = rings_[fifo].base;
    anew.owner = rings_[fifo].owner;
    rings_[fifo] = std::move(anew);
    draining_.reset(fifo);
    configured_ = fifo;
  }

  void cycle() {
    drive_bits(drain_->draining_i, draining_);
    const PortBits wanted = draining_ & ~blocked_;
    // The table is not at rest in the cycle of a config write, nor while it answers.
    const BootStep step = this->step();
    const bool ready =
        step.get<st::valid>() != 0 && answer_in_ == 0 && !configured_ && random_.chance(60);
    ready_ = ready;
    BootHeld held;
    if (answer_in_ == 1) held = answer_;
    held.set<he::ready>(ready);
    if (configured_) held.set<he::configured>(1).set<he::fifo>(*configured_);
    held.set<he::room>(configured_.has_value() || room_);
    drive(drain_->held_i, held);
    drive_memory();
    drive_reception();
    drain_.settle();
    ASSERT_NO_FATAL_FAILURE(judge_shown());
    ASSERT_NO_FATAL_FAILURE(judge_turn(step));
    ASSERT_TRUE(drain_->busy_o || (wanted.none() && is_at_rest(step)));
    if (!drain_->busy_o) looked_at_ = 0;
    wanted_before_ = wanted;
    if (answer_in_ != 0) --answer_in_;
    if (ready) take(step);
    if (room_ || configured_) blocked_.reset();
    configured_.reset();
    room_ = false;
    take_command();
    finish_reception();
    drain_.tick();
  }
  // The FIFO that is looked at is the next one behind the last, of those that have something and
  // may have room; the first of all after a rest.
  void judge_turn(const BootStep& step) {
    const bool looks =
        step.get<st::valid>() != 0 && step.get<st::slots>() == 0 && step.get<st::discard>() == 0;
    if (looks && !looking_) {
      stale_ = false;
      std::uint32_t next = looked_at_ + 1;
      while (next < kFifos && !wanted_before_.test(next)) ++next;
      if (next == kFifos) next = 0;
      while (next < looked_at_ && !wanted_before_.test(next)) ++next;
      ASSERT_TRUE(wanted_before_.test(next));
      ASSERT_EQ(step.get<st::fifo>(), next) << "after " << looked_at_;
    }
    looking_ = looks && !ready_;
    // What has been configured anew since the look is not read.
    stale_ = stale_ || (looks && configured_ == step.get<st::fifo>());
    ASSERT_TRUE(!stale_ || sample_record<ReadRequest>(drain_->read_o).get<q::valid>() == 0);
  }
  bool is_at_rest(const BootStep& step) {
    return step.get<st::valid>() == 0 &&
           sample_record<ReadRequest>(drain_->read_o).get<q::valid>() == 0 &&
           sample_record<Shown>(drain_->shown_o).get<sh::valid>() == 0 && answer_in_ == 0 &&
           beats_.empty();
  }
  BootStep step() {
    drain_.settle();
    return sample_record<BootStep>(drain_->step_o);
  }
  // What the table does with a step; the answer comes two cycles later.
  void take(const BootStep& step) {
    const auto fifo = static_cast<std::uint32_t>(step.get<st::fifo>());
    ASSERT_LT(fifo, kFifos);
    Ring& ring = rings_[fifo];
    const auto slots = static_cast<std::uint32_t>(step.get<st::slots>());
    ASSERT_LE(slots, ring.tail - ring.head);
    if (slots != 0) {
      ASSERT_EQ(slots * kSlotBytes, ring.packets.front().size()) << "of the oldest packet";
      ASSERT_FALSE(failed_) << "it could not be read";
      ring.head += slots;
      ring.packets.pop_front();
      ring.good.pop_front();
    } else if (step.get<st::discard>() != 0) {
      ASSERT_TRUE(!ring.good.front() || failed_) << "a good packet is dropped";
      ring.head = ring.reserved = ring.tail;
      ring.packets.clear();
      ring.good.clear();
      ring.closed = false;
      ++discarded_;
    } else if (ring.head == ring.reserved) {
      draining_.reset(fifo);
    }
    const std::uint32_t place = ring.head % kSlots;
    answer_ = BootHeld()
                  .set<he::address>(ring.base + std::uint64_t{place} * kSlotBytes)
                  .set<he::bytes>(std::min(kLargest, kSlots - place) * kSlotBytes)
                  .set<he::base>(ring.base)
                  .set<he::slots>(std::min(ring.tail - ring.head, 31U))
                  .set<he::owner>(ring.owner)
                  .set<he::empty>(ring.head == ring.reserved)
                  .set<he::valid>(1);
    answer_in_ = 2;
    looked_at_ = fifo;
    failed_ = false;
  }
  // Each command is answered in order, beat by beat.
  void drive_memory() {
    // A command is taken only while there is one.
    read_ready_ =
        sample_record<ReadRequest>(drain_->read_o).get<q::valid>() != 0 && random_.chance(50);
    drain_->read_ready_i = read_ready_;
    ReadBeat beat;
    if (!beats_.empty() && random_.chance(60)) {
      beat = beats_.front();
      beats_.pop_front();
      failed_ = failed_ || beat.get<b::error>() != 0;
    }
    drive(drain_->beat_i, beat);
  }
  void take_command() {
    const auto request = sample_record<ReadRequest>(drain_->read_o);
    if (!read_ready_ || request.get<q::valid>() == 0) return;
    const auto command = request.get<q::command>();
    const std::uint64_t bytes = command.get<c::bytes>();
    const std::uint64_t offset = command.get<c::address>() - rings_[looked_at_].base;
    ASSERT_TRUE(bytes >= kSlotBytes && bytes % kSlotBytes == 0 && offset % kSlotBytes == 0);
    ASSERT_LE(offset + bytes, kRingBytes) << "beyond the ring";
    for (std::uint64_t at = 0; at < bytes; at += kSlotBytes) {
      std::array<std::uint8_t, kSlotBytes> data{};
      std::copy_n(rings_[looked_at_].memory.begin() + static_cast<std::ptrdiff_t>(offset + at),
                  kSlotBytes, data.begin());
      beats_.push_back(ReadBeat()
                           .set<b::data>(data)
                           .set<b::valid>(1)
                           .set<b::last>(at + kSlotBytes == bytes)
                           .set<b::error>(at + kSlotBytes == bytes && random_.chance(errors_)));
    }
  }
  // A packet is decided some time after it is shown; if it is stored, its beats are taken first.
  void drive_reception() {
    const bool shown = sample_record<Shown>(drain_->shown_o).get<sh::valid>() != 0;
    stays_ = refuses_ = false;
    if (shown && !storing_ && random_.chance(20) && !configured_) {
      const auto fate = random_.below(10);
      stays_ = fate < 3;
      refuses_ = fate == 3;
      if (fate > 3) storing_ = true;
    }
    drain_->taken_i = storing_;
    drain_->stays_i = stays_;
    drain_->beat_ready_i = storing_ && random_.chance(70);
    const std::size_t wanted = shown_packet_ ? shown_packet_->size() / kSlotBytes - 1 : 0;
    const bool done = storing_ && shown_packet_ && stored_ == wanted;
    drain_->packet_done_i = done || refuses_;
    done_ = done || refuses_;
  }
  void judge_shown() {
    const auto shown = sample_record<Shown>(drain_->shown_o);
    ASSERT_TRUE(shown.get<sh::valid>() != 0 || !drain_->beat_valid_o);
    if (shown.get<sh::valid>() == 0) {
      ASSERT_FALSE(storing_) << "it is gone while it is stored";
      shown_packet_.reset();
      stored_ = 0;
      return;
    }
    if (configured_ && !storing_) return;  // nothing is looked up in this cycle
    if (!shown_packet_) {
      ASSERT_FALSE(rings_[looked_at_].packets.empty());
      ASSERT_TRUE(rings_[looked_at_].good.front());
      ASSERT_FALSE(failed_) << "it could not be read";
      shown_packet_ = rings_[looked_at_].packets.front();
    }
    ASSERT_EQ(shown.get<sh::moved>(), 1U);
    ASSERT_EQ(shown.get<sh::keeper_owner>(), rings_[looked_at_].owner);
    ASSERT_EQ(shown.get<sh::header>(), PacketHeader::from_bytes(*shown_packet_));
    ASSERT_EQ(shown.get<sh::trailer>(),
              PacketTrailer::from_bytes(std::span(*shown_packet_).subspan(16)));
    ASSERT_EQ(drain_->beat_valid_o, stored_ + 1 < shown_packet_->size() / kSlotBytes);
    if (drain_->beat_valid_o && drain_->beat_ready_i) {
      ++stored_;
      const auto beat = sample(drain_->beat_data_o, kSlotBytes);
      ASSERT_TRUE(
          std::equal(beat.begin(), beat.end(),
                     shown_packet_->begin() + static_cast<std::ptrdiff_t>(stored_ * kSlotBytes)));
    }
    bad_packets_ += drain_->bad_packet_o;
  }
  void finish_reception() {
    bad_packets_ +=
        sample_record<Shown>(drain_->shown_o).get<sh::valid>() == 0 ? drain_->bad_packet_o : 0U;
    if (done_) {
      moved_ += storing_ ? 1U : 0U;
      storing_ = false;
      shown_packet_.reset();
      stored_ = 0;
    }
    if (stays_) {
      ++stayed_;
      blocked_.set(looked_at_);
    }
  }

  Random random_;
  Clocked<Vmu_boot_drain> drain_;
  std::array<Ring, kFifos> rings_;
  PortBits draining_;
  PortBits blocked_;        // those whose oldest packet has stayed
  PortBits wanted_before_;  // in the last cycle, what has something and is not blocked
  bool looking_ = false, ready_ = false, stale_ = false;
  std::uint32_t offset_ = 0;
  BootHeld answer_;
  int answer_in_ = 0;
  std::uint32_t looked_at_ = 0;  // by the last step
  std::optional<std::uint32_t> configured_;
  bool room_ = false, read_ready_ = false, failed_ = false;
  unsigned errors_ = 0;  // of a hundred reads
  std::deque<ReadBeat> beats_;
  std::optional<Slots> shown_packet_;
  std::size_t stored_ = 0;  // beats
  bool storing_ = false, stays_ = false, refuses_ = false, done_ = false;
  unsigned moved_ = 0, stayed_ = 0, discarded_ = 0, bad_packets_ = 0;
};

TEST_F(BootDrain, IsIdleWhileNothingIsToBeMoved) {
  for (int i = 0; i < 20; ++i) {
    ASSERT_FALSE(drain_->busy_o);
    ASSERT_EQ(step().get<st::valid>(), 0U);
    drain_.tick();
  }
}

TEST_F(BootDrain, MovesEveryPacketOnceInTheOrderOfItsBuffer) {
  SCOPED_TRACE(random_.replay());
  unsigned kept = 0;
  for (int i = 0; i < 60000; ++i) {
    if (random_.chance(3) &&
        keep(any_fifo(), random_.chance(50) ? random_.below(513) : random_.below(70)))
      ++kept;
    room_ = random_.chance(5);
    ASSERT_NO_FATAL_FAILURE(cycle()) << i;
  }
  EXPECT_GT(moved_, 500U);
  EXPECT_GT(stayed_, 200U);
  EXPECT_EQ(discarded_, 0U);
  EXPECT_EQ(bad_packets_, 0U);
  for (int i = 0; i < 40000 && draining_.any(); ++i) {
    room_ = true;
    ASSERT_NO_FATAL_FAILURE(cycle());
  }
  for (const Ring& ring : rings_) EXPECT_TRUE(ring.packets.empty());
  EXPECT_TRUE(draining_.none());
}

TEST_F(BootDrain, WaitsUntilThereMayBeRoomAndServesTheOthersMeanwhile) {
  SCOPED_TRACE(random_.replay());
  for (int round = 0; round < 40; ++round) {
    for (int k = 0; k < 2; ++k) {
      const auto fifo = static_cast<std::uint32_t>(random_.below(kFifos));
      while (keep(fifo, 40)) {
      }
    }
    for (int i = 0; i < 4000; ++i) ASSERT_NO_FATAL_FAILURE(cycle());
    // Each has been served until a packet has stayed, or it was empty.
    ASSERT_FALSE(drain_->busy_o) << "nothing is asked again and again";
    ASSERT_TRUE(draining_.any() || stayed_ != 0);
    const unsigned seen = moved_ + stayed_;
    room_ = draining_.any();
    for (int i = 0; i < 4000 && room_; ++i) {
      room_ = i == 0;
      ASSERT_NO_FATAL_FAILURE(cycle());
      room_ = moved_ + stayed_ == seen;
    }
    ASSERT_FALSE(room_) << "what stayed is not looked at again";
  }
  EXPECT_GT(stayed_, 20U);
  EXPECT_GT(moved_, 100U);
}

TEST_F(BootDrain, DropsWhatCannotBeAPacketOrBeReadWithAllBehindIt) {
  SCOPED_TRACE(random_.replay());
  errors_ = 4;
  for (int i = 0; i < 60000; ++i) {
    if (random_.chance(3)) keep(any_fifo(), random_.below(513), random_.chance(80));
    room_ = random_.chance(10);
    ASSERT_NO_FATAL_FAILURE(cycle()) << i;
  }
  EXPECT_GT(moved_, 200U);
  EXPECT_GT(discarded_, 50U);
  EXPECT_EQ(bad_packets_, discarded_);
}

TEST_F(BootDrain, ShowsNothingOfABufferThatIsConfiguredAnew) {
  SCOPED_TRACE(random_.replay());
  unsigned configured = 0;
  for (int i = 0; i < 60000; ++i) {
    const std::uint32_t fifo = any_fifo(3);
    // The table does not configure in the cycle of its answer, nor while a packet is looked up.
    if (random_.chance(3) && answer_in_ == 0) {
      configure(fifo);
      ++configured;
    } else if (random_.chance(4)) {
      keep(fifo, random_.below(513));
    }
    room_ = random_.chance(10);
    ASSERT_NO_FATAL_FAILURE(cycle()) << i;
  }
  EXPECT_GT(moved_, 200U);
  EXPECT_GT(configured, 500U);
}

}  // namespace
}  // namespace torusmu::testing
