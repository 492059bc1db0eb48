// SPDX-License-Identifier: Apache-2.0
// bgp:
// What the parts of the module do is tested with them; here, that they are joined, and that its
// clocks may rest whenever it says so.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>

#include "Vmu_injection_slots.h"
#include "sim/machine/profile.h"
#include "tb/reference_model/packet.h"
#include "tests/support/clocked.h"
#include "tests/support/port_bits.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace n = layout::injection_record;
namespace o = layout::counter_operation;
using Injection = Record<n::Layout>;
using Operation = Record<o::Layout>;

constexpr unsigned kClients = kProfile.clients;

// Its clocks tick only while it needs them, or always.
class RestingSlots : public Clocked<Vmu_injection_slots> {
 public:
  using Clocked<Vmu_injection_slots>::Clocked;
  void tick_if_needed(bool always) {
    Vmu_injection_slots& slots = *operator->();
    settle();
    const bool open = always || slots.active_o || slots.open_valid_i;
    stop((open ? 0U : kMain) | (always || slots.active_packet_o ? 0U : kPacket));
    tick();
  }
};

struct Slot {
  Injection record;
  PacketHeader header;
  PacketTrailer trailer;
  Bytes payload;  // in whole flits
  bool memory = false, error = false;
  // May not leave before hold_i falls; spoiled: never, for that is what is said then.
  bool hold = false, spoiled = false;
  bool fails() const { return error || spoiled; }
};

struct Flit {
  Bytes data;
  bool head = false, tail = false;
  friend bool operator==(const Flit&, const Flit&) = default;
};

// What a descriptor is told of, by queue, index and status, and by its own field of each place.
struct Told {
  std::uint64_t queue = 0, number = 0;
  Status status = Status::kOk;
  friend bool operator==(const Told&, const Told&) = default;
};

// Everything that must come out, each in its order.
struct Wanted {
  std::deque<Flit> flits;
  std::deque<Operation> operations, enables;
  std::deque<Told> notices, failures, entries, retires;
  std::deque<std::uint64_t> causes, aborts;
  bool empty() const {
    return flits.empty() && operations.empty() && enables.empty() && notices.empty() &&
           failures.empty() && entries.empty() && retires.empty() && causes.empty() &&
           aborts.empty();
  }
};

void add_flits(Wanted& wanted, const Slot& slot) {
  model::Packet packet{slot.header, slot.trailer, slot.payload};
  packet.seal();
  const Bytes all = packet.bytes();
  for (std::size_t at = 0; at < all.size(); at += 16) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at);
    wanted.flits.push_back({Bytes(begin, begin + 16), at == 0, at + 16 == all.size()});
  }
}

void add_effects(Wanted& wanted, const Slot& slot) {
  const Injection& record = slot.record;
  const auto has = [](std::uint64_t field) { return field != 0; };
  const Status status = slot.fails() ? Status::kMemoryError : record.get<n::status>();
  const bool failed = status != Status::kOk, held = has(record.get<n::held>());
  const bool ends = (failed || has(record.get<n::last>())) && !held;
  Told told{record.get<n::queue>(), record.get<n::index>(), status};
  if (slot.fails()) wanted.aborts.push_back(record.get<n::tag>());
  if (!failed && has(record.get<n::operation_valid>())) {
    (has(record.get<n::enable>()) ? wanted.enables : wanted.operations)
        .push_back(record.get<n::operation>());
  }
  if (!failed && has(record.get<n::last>()) && has(record.get<n::done_event_valid>())) {
    wanted.operations.push_back(Operation{}
                                    .set<o::value>(1)
                                    .set<o::counter>(record.get<n::done_event>())
                                    .set<o::is_event>(1)
                                    .set<o::add>(1)
                                    .set<o::client>(record.get<n::owner>()));
  }
  if (failed && has(record.get<n::notice>())) wanted.notices.push_back(told);
  if (ends && has(record.get<n::signal>())) wanted.entries.push_back(told);
  if (ends) wanted.retires.push_back(told);
  if (ends && !failed && has(record.get<n::interrupt_done>())) {
    wanted.causes.push_back(record.get<n::owner>());
  }
  told.number = slot.trailer.get<t::sequence_number>();
  if (failed && held) wanted.failures.push_back(told);
}

class InjectionSlots : public ::testing::Test {
 protected:
  // One part of a descriptor; what fails ends it. `plain`: of all that may go wrong nothing does.
  Slot draw_slot(std::uint64_t descriptor, bool last, bool plain) {
    Slot slot;
    const bool held = !plain && random_.chance(20);
    slot.memory = random_.chance(60);
    slot.payload =
        random_bytes(random_, 16 * (slot.memory ? 1 + random_.below(32) : random_.below(2)));
    slot.header = PacketHeader::from_bytes(random_bytes(random_, 16));
    slot.header.set<h::bytes>(slot.payload.size());
    slot.trailer = PacketTrailer::from_bytes(random_bytes(random_, 16));
    slot.record.set<n::operation>(Operation::from_bytes(random_bytes(random_, Operation::kBytes)))
        .set<n::operation_valid>(random_.chance(50))
        .set<n::enable>(random_.chance(20))
        .set<n::done_event>(random_.below(256))
        .set<n::done_event_valid>(random_.chance(50))
        .set<n::interrupt_done>(random_.chance(50))
        .set<n::owner>(random_.below(kClients))
        .set<n::queue>(random_.below(256))
        .set<n::index>(descriptor)
        .set<n::last>(last && !held)
        .set<n::held>(held)
        .set<n::send>(plain || random_.chance(90))
        .set<n::notice>(random_.chance(50))
        .set<n::tag>(descriptor % 8)
        .set<n::signal>(random_.chance(50))
        .set<n::opcode>(held ? Opcode::kSend : Opcode::kPut);
    if (plain) return slot;
    if ((last || held) && random_.chance(10)) slot.record.set<n::status>(Status::kPermission);
    slot.error = slot.memory && random_.chance(10);
    slot.hold = random_.chance(15);
    slot.spoiled = slot.hold && random_.chance(50);
    return slot;
  }
  // A descriptor without memory, of one packet, which asks for nothing else.
  static Slot simple_slot() {
    Slot slot;
    slot.record.set<n::send>(1).set<n::last>(1).set<n::queue>(12).set<n::index>(7);
    return slot;
  }
  void draw_all(std::uint64_t descriptors, bool plain) {
    for (std::uint64_t descriptor = 0; descriptor < descriptors; ++descriptor) {
      bool dropping = false;  // the rest of a descriptor whose data cannot be read
      const std::uint64_t slots = plain ? 1 : 1 + random_.below(4);
      for (std::uint64_t i = 1; i <= slots; ++i) {
        Slot slot = draw_slot(descriptor, i == slots, plain);
        if (!dropping) add_effects(wanted_, slot);
        dropping = dropping || slot.fails();
        if (slot.record.get<n::send>() != 0 && !dropping) add_flits(wanted_, slot);
        fresh_.push_back(std::move(slot));
      }
    }
  }
  void offer(unsigned open_percent) {
    dut_->open_valid_i = !fresh_.empty() && random_.chance(open_percent);
    if (dut_->open_valid_i) offer_slot(fresh_.front());
    testing::put<layout::read_beat::valid>(dut_->beat_i, !filling_.empty() && random_.chance(50));
    if (get<layout::read_beat::valid>(dut_->beat_i)) offer_beat(filling_.front());
    dut_->operation_ready_i = random_.chance(60);
    dut_->enable_ready_i = random_.chance(60);
    dut_->notice_ready_i = random_.chance(60);
    dut_->entry_ready_i = random_.chance(60);
    dut_->retire_ready_i = random_.chance(60);
    dut_->flit_ready_i = random_.chance(80);
    dut_.settle();
  }
  void offer_slot(const Slot& slot) {
    testing::put<layout::packet_open::header>(dut_->open_i, slot.header);
    testing::put<layout::packet_open::trailer>(dut_->open_i, slot.trailer);
    put_bytes<layout::packet_open::payload>(
        dut_->open_i, slot.memory || slot.payload.empty() ? Bytes(16) : slot.payload);
    testing::put<layout::packet_open::record>(dut_->open_i, slot.record);
    testing::put<layout::packet_open::memory>(dut_->open_i, slot.memory);
    testing::put<layout::packet_open::hold>(dut_->open_i, slot.hold);
    if (!slot.hold) return;
    // One at a time.
    if (holding_)
      dut_->open_valid_i = 0;
    else
      testing::put<layout::send_hold::hold>(dut_->hold_i, 1);
  }
  void offer_beat(const Slot& slot) {
    Bytes beat(32);
    const auto at = static_cast<std::ptrdiff_t>(beat_ * 32);
    const auto left = static_cast<std::ptrdiff_t>(slot.payload.size()) - at;
    std::copy_n(slot.payload.begin() + at, std::min<std::ptrdiff_t>(left, 32), beat.begin());
    put_bytes<layout::read_beat::data>(dut_->beat_i, beat);
    testing::put<layout::read_beat::last>(dut_->beat_i, left <= 32);
    testing::put<layout::read_beat::error>(dut_->beat_i, left <= 32 && slot.error);
  }
  template <typename Value>
  static void expect_next(std::deque<Value>& wanted, const Value& got, const char* what) {
    ASSERT_FALSE(wanted.empty()) << what;
    ASSERT_TRUE(wanted.front() == got) << what;
    wanted.pop_front();
  }
  void compare() {
    if (get<layout::flit_stream::valid>(dut_->flit_o) && dut_->flit_ready_i) {
      const Flit flit{get_bytes<layout::flit_stream::data>(dut_->flit_o),
                      get<layout::flit_stream::head>(dut_->flit_o) != 0,
                      get<layout::flit_stream::tail>(dut_->flit_o) != 0};
      expect_next(wanted_.flits, flit, "flit");
    }
    const auto operation = sample_record<Operation>(dut_->operation_o);
    if (dut_->operation_valid_o && dut_->operation_ready_i) {
      expect_next(wanted_.operations, operation, "operation");
    }
    if (dut_->enable_valid_o && dut_->enable_ready_i) {
      expect_next(wanted_.enables, operation, "enable");
    }
    if (get<layout::slot_abort::valid>(dut_->abort_o))
      expect_next(wanted_.aborts, get<layout::slot_abort::tag>(dut_->abort_o), "abort");
    compare_told();
    for (unsigned client = 0; client < kClients; ++client) {
      const PortBits causes = bits_of(dut_->causes_o) & causes_of_client(client, 0xFF);
      if (causes.none()) continue;
      ASSERT_EQ(causes, causes_of_client(client, 1U << static_cast<unsigned>(Cause::kDone)));
      expect_next(wanted_.causes, std::uint64_t{client}, "cause");
    }
  }
  void compare_told() {
    if (get<layout::notice_packet::valid>(dut_->notice_o) && dut_->notice_ready_i) {
      const auto header = get<layout::notice_packet::header>(dut_->notice_o);
      const auto trailer = get<layout::notice_packet::trailer>(dut_->notice_o);
      const Told told{header.get<h::target>(), trailer.get<t::index>(),
                      static_cast<Status>(header.get<h::word>() & 0xFF)};
      expect_next(wanted_.notices, told, "notice");
    }
    if (get<layout::send_outcome::valid>(dut_->failure_o)) {
      namespace a = layout::send_answer;
      const auto answer = get<layout::send_outcome::answer>(dut_->failure_o);
      const Told told{answer.get<a::queue>(), answer.get<a::number>(), answer.get<a::status>()};
      expect_next(wanted_.failures, told, "failure");
    }
    if (get<layout::completion_request::valid>(dut_->entry_o) && dut_->entry_ready_i) {
      namespace e = layout::completion_entry;
      const auto entry = get<layout::completion_request::entry>(dut_->entry_o);
      const Told told{entry.get<e::queue>(), entry.get<e::index>(), entry.get<e::status>()};
      expect_next(wanted_.entries, told, "entry");
      ASSERT_EQ(dut_->entry_queue_o, told.queue);
    }
    if (get<layout::descriptor_retire::valid>(dut_->retire_o) && dut_->retire_ready_i) {
      namespace d = layout::retired_descriptor;
      const auto retired = get<layout::descriptor_retire::descriptor>(dut_->retire_o);
      const Told told{retired.get<d::queue>(), retired.get<d::index>(), retired.get<d::status>()};
      expect_next(wanted_.retires, told, "retire");
    }
  }
  // What the coming edge takes.
  void tick(bool always) {
    if (get<layout::read_beat::valid>(dut_->beat_i) && get<layout::read_beat::last>(dut_->beat_i)) {
      filling_.pop_front();
      beat_ = 0;
    } else if (get<layout::read_beat::valid>(dut_->beat_i)) {
      ++beat_;
    }
    const bool open = dut_->open_valid_i && dut_->open_ready_o;
    dut_.tick_if_needed(always);
    testing::put<layout::send_hold::spoil>(dut_->hold_i, 0);
    if (!get<layout::send_hold::hold>(dut_->hold_i)) holding_ = false;
    if (open) {
      if (fresh_.front().memory) filling_.push_back(fresh_.front());
      if (fresh_.front().hold) holding_ = true, spoils_ = fresh_.front().spoiled;
      fresh_.pop_front();
    } else if (holding_ && get<layout::send_hold::hold>(dut_->hold_i) && random_.chance(5)) {
      testing::put<layout::send_hold::hold>(dut_->hold_i, 0);
      testing::put<layout::send_hold::spoil>(dut_->hold_i, spoils_);
    }
  }
  bool ends() { return fresh_.empty() && wanted_.empty() && !dut_->busy_o; }

  Random random_;
  RestingSlots dut_{random_.seed()};
  std::deque<Slot> fresh_, filling_;
  Wanted wanted_;

 private:
  bool holding_ = false, spoils_ = false;
  std::size_t beat_ = 0;
};

TEST_F(InjectionSlots, SendWhatTheyAreGivenAndTellOfIt) {
  SCOPED_TRACE(random_.replay());
  for (const bool always : {true, false}) {
    draw_all(300, false);
    for (int cycle = 0; cycle < 100000 && !ends(); ++cycle) {
      // Dense, then sparse, so that clocks rest.
      offer(cycle / 500 % 2 == 0 ? 60 : 2);
      ASSERT_NO_FATAL_FAILURE(compare()) << "cycle " << cycle;
      tick(always);
    }
    ASSERT_TRUE(ends()) << (always ? "clocks tick" : "clocks rest");
    EXPECT_FALSE(dut_->active_o || dut_->active_packet_o);
  }
}

// Here a slot is walked when its retirement shows, and is gone with its last flit: all is seen.
TEST_F(InjectionSlots, RestExactlyWhenNothingIsLeftToDo) {
  SCOPED_TRACE(random_.replay());
  draw_all(600, true);
  std::size_t sent = wanted_.flits.size(), walked = 0, retired = 0, opened = 0;
  const std::deque<Slot> all = fresh_;
  unsigned rests[3] = {};
  for (int cycle = 0; cycle < 100000 && !ends(); ++cycle) {
    offer(cycle / 500 % 2 == 0 ? 60 : 2);
    walked = retired + get<layout::descriptor_retire::valid>(dut_->retire_o);
    std::size_t inside = sent;
    for (std::size_t i = opened; i < all.size(); ++i) inside -= all[i].payload.size() / 16 + 2;
    const bool caused = bits_of(dut_->causes_o).any();
    // The next one is complete: a slot that waits for data keeps those behind it waiting.
    const bool walks =
        walked != (filling_.empty() ? opened : filling_.front().record.get<n::index>());
    const bool tells = walks || get<layout::descriptor_retire::valid>(dut_->retire_o) || caused;
    const bool last_beat =
        get<layout::read_beat::valid>(dut_->beat_i) && get<layout::read_beat::last>(dut_->beat_i);
    ASSERT_EQ(dut_->busy_o, walked != opened || inside != 0 || tells) << "cycle " << cycle;
    ASSERT_EQ(dut_->active_o, tells || last_beat) << "cycle " << cycle;
    ASSERT_EQ(dut_->active_packet_o, inside != 0) << "cycle " << cycle;
    rests[0] += !dut_->busy_o;
    rests[1] += !dut_->active_o;
    rests[2] += !dut_->active_packet_o;
    ASSERT_NO_FATAL_FAILURE(compare()) << "cycle " << cycle;
    opened += dut_->open_valid_i && dut_->open_ready_o;
    sent -= get<layout::flit_stream::valid>(dut_->flit_o) && dut_->flit_ready_i;
    retired += get<layout::descriptor_retire::valid>(dut_->retire_o) && dut_->retire_ready_i;
    tick(false);
  }
  ASSERT_TRUE(ends());
  for (const unsigned cycles : rests) EXPECT_GT(cycles, 100U);
}

TEST_F(InjectionSlots, ShowTheFirstFlitAndTheRetirementThreeCyclesAfterOpening) {
  fresh_.push_back(simple_slot());
  offer(100);
  ASSERT_TRUE(dut_->open_valid_i && dut_->open_ready_o);
  for (unsigned cycle = 1; cycle <= 3; ++cycle) {
    dut_->flit_ready_i = dut_->retire_ready_i = 0;
    tick(false);
    dut_->open_valid_i = 0;
    dut_.settle();
    EXPECT_EQ(get<layout::descriptor_retire::valid>(dut_->retire_o), cycle >= 3) << cycle;
    EXPECT_EQ(get<layout::flit_stream::valid>(dut_->flit_o), cycle >= 3) << cycle;
  }
}

TEST_F(InjectionSlots, RetireWithAnyStatusByWhichAMoveOfAnEnableLimitIsRefused) {
  for (unsigned status = 0; status < 256; ++status) {
    fresh_.push_back(simple_slot());
    fresh_.front().record.set<n::operation_valid>(1).set<n::enable>(1);
    offer(100);
    dut_->enable_status_i = static_cast<CData>(status);
    dut_->enable_ready_i = dut_->retire_ready_i = dut_->flit_ready_i = 1;
    tick(false);
    dut_->open_valid_i = 0;
    dut_.settle();
    unsigned cycles = 0;
    for (; !get<layout::descriptor_retire::valid>(dut_->retire_o) && cycles < 10; ++cycles)
      tick(false), dut_.settle();
    ASSERT_TRUE(get<layout::descriptor_retire::valid>(dut_->retire_o));
    EXPECT_EQ(get<layout::descriptor_retire::descriptor>(dut_->retire_o)
                  .get<layout::retired_descriptor::status>(),
              static_cast<Status>(status));
    for (cycles = 0; dut_->busy_o && cycles < 10; ++cycles) tick(false), dut_.settle();
    ASSERT_FALSE(dut_->busy_o) << status;
  }
}

TEST_F(InjectionSlots, AreBusyAndActiveAsLongAsASlotIsHeld) {
  fresh_.push_back(simple_slot());
  fresh_.front().hold = true;
  offer(100);
  dut_.tick_if_needed(false);
  dut_->open_valid_i = 0;
  for (int cycle = 0; cycle < 20; ++cycle) {
    dut_.settle();
    ASSERT_TRUE(dut_->busy_o && dut_->active_o && dut_->active_packet_o);
    ASSERT_FALSE(get<layout::flit_stream::valid>(dut_->flit_o) ||
                 get<layout::descriptor_retire::valid>(dut_->retire_o));
    dut_.tick_if_needed(false);
  }
}

}  // namespace
}  // namespace torusmu::testing
