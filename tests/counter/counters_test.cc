// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_counters.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/counter_operation.h"
#include "tests/support/port_bits.h"
#include "tests/support/port_fields.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using namespace registers;  // NOLINT(google-build-using-namespace)

constexpr unsigned kCounters = kProfile.byte_counters, kMostCounters = kBgp.byte_counters;
static_assert(kCounters == kProfile.event_counters);
constexpr std::uint64_t kHitZero = 1ULL << 63;
constexpr std::uint64_t kUnderflow = 1ULL << 62;
constexpr unsigned kEnabled = 0x10;
constexpr unsigned kInterrupt = 0x20;

std::uint32_t bytes_of(unsigned index) { return client_page::byte_counter.in_block(index); }
std::uint32_t events_of(unsigned index) { return client_page::event_counter.in_block(index); }

// On the pins of a lookup.
SData lookup(unsigned index, bool is_event) {
  SData pins = 0;
  put<layout::counter_lookup::index>(pins, index);
  put<layout::counter_lookup::is_event>(pins, is_event);
  return pins;
}

class Counters : public ::testing::Test {
 protected:
  void own_byte_counter(unsigned index, unsigned owner, unsigned flags = kEnabled) {
    ASSERT_EQ(bus_.status(register_write(byte_counter_config::config(index), flags | owner)),
              Status::kOk);
  }
  void own_event_counter(unsigned index, unsigned owner, unsigned flags = kEnabled) {
    ASSERT_EQ(bus_.status(register_write(event_counter_config::config(index), flags | owner)),
              Status::kOk);
  }

  // One cycle in which each stream may offer its operation again, or with a chance of 0 does not;
  // true if an access ended.
  bool race(std::uint64_t* taken, unsigned percent = 50) {
    counters_->completion_valid_i = counters_->completion_valid_i || random_.chance(percent);
    counters_->injection_valid_i = counters_->injection_valid_i || random_.chance(percent);
    counters_->signal_valid_i = counters_->signal_valid_i || random_.chance(percent);
    counters_.settle();
    const bool completion = counters_->completion_valid_i && counters_->completion_ready_o;
    const bool injection = counters_->injection_valid_i && counters_->injection_ready_o;
    const bool signal = counters_->signal_valid_i && counters_->signal_ready_o;
    *taken += (completion ? 1U : 0U) + (injection ? 1U : 0U) + (signal ? 1U : 0U);
    const bool done = bus_.tick();
    if (completion) counters_->completion_valid_i = 0;
    if (injection) counters_->injection_valid_i = 0;
    if (signal) counters_->signal_valid_i = 0;
    return done;
  }

  Random random_;
  Clocked<Vmu_counters> counters_{random_.seed()};
  RegisterBus<Vmu_counters> bus_{counters_};
};

TEST_F(Counters, ReachEachClientsOwnCountersThroughItsPage) {
  for (unsigned client = 0; client < kProfile.clients; ++client) {
    const unsigned index = client * (kCounters - 1) / (kProfile.clients - 1);
    own_byte_counter(index, client);
    own_event_counter(index, client);
    ASSERT_EQ(bus_.status(page_write(client, bytes_of(index), 1000 + client)), Status::kOk);
    ASSERT_EQ(bus_.status(page_write(client, events_of(index), 2000 + client, 4)), Status::kOk);
  }
  for (unsigned client = 0; client < kProfile.clients; ++client) {
    const unsigned index = client * (kCounters - 1) / (kProfile.clients - 1);
    EXPECT_EQ(bus_.read(page_read(client, bytes_of(index))), 1000U + client);
    const std::uint64_t value = 2000 + client;
    EXPECT_EQ(bus_.read(page_read(client, events_of(index))), value | value << 32)
        << "a 4-byte register stands in both halves";
  }
}

TEST_F(Counters, RefuseCountersOfOthersAndDisabledOnes) {
  own_byte_counter(1, 2);
  own_event_counter(1, 2);
  ASSERT_EQ(bus_.status(page_write(2, bytes_of(1), 77)), Status::kOk);
  ASSERT_EQ(bus_.status(page_write(2, events_of(1), 78, 4)), Status::kOk);
  EXPECT_EQ(bus_.status(page_write(1, bytes_of(1), 5)), Status::kCounterInvalid);
  EXPECT_EQ(bus_.status(page_read(1, bytes_of(1))), Status::kCounterInvalid);
  EXPECT_EQ(bus_.status(page_write(1, events_of(1), 5, 4)), Status::kCounterInvalid);
  EXPECT_EQ(bus_.status(page_read(1, events_of(1))), Status::kCounterInvalid);
  EXPECT_EQ(bus_.status(page_read(0, bytes_of(0))), Status::kCounterInvalid) << "never enabled";
  own_byte_counter(1, 2, 0);
  EXPECT_EQ(bus_.status(page_read(2, bytes_of(1))), Status::kCounterInvalid);
  own_byte_counter(1, 2);
  EXPECT_EQ(bus_.read(page_read(2, bytes_of(1))), 77U) << "nothing was changed";
  EXPECT_EQ(bus_.read(page_read(2, events_of(1))) & 0xffffffffU, 78U);
}

TEST_F(Counters, RefuseToWriteAnEventCounterThatIsWaitedFor) {
  own_byte_counter(9, 1);
  own_event_counter(9, 1);
  counters_->waited_i = 1;
  bus_.present(page_write(1, events_of(9), 5, 4));
  counters_.settle();
  EXPECT_EQ(counters_->waited_index_o, 9U);
  while (!bus_.tick()) {
  }
  EXPECT_EQ(bus_.answer().status, Status::kCounterWaited);
  EXPECT_EQ(bus_.status(page_write(1, bytes_of(9), 5)), Status::kOk) << "nobody waits for bytes";
  EXPECT_EQ(bus_.read(page_read(1, events_of(9))), 0U);
  own_event_counter(9, 2);
  EXPECT_EQ(bus_.status(page_write(1, events_of(9), 5, 4)), Status::kCounterInvalid)
      << "whether a counter of another client is waited for is not told";
  counters_->waited_i = 0;
  EXPECT_EQ(bus_.status(page_write(2, events_of(9), 5, 4)), Status::kOk);
}

TEST_F(Counters, RefuseWhatIsNotARegisterOrNotWhole) {
  own_byte_counter(0, 1);
  own_event_counter(0, 1);
  EXPECT_EQ(bus_.status(page_write(1, bytes_of(0), 5, 4)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(page_write(1, bytes_of(0) + 4, 5, 4)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(page_write(1, events_of(0), 5)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(page_write(1, bytes_of(0), 1ULL << 38)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(page_write(1, bytes_of(0), kHitZero)), Status::kRegisterValue);
  for (unsigned none = kCounters; none < kMostCounters; ++none) {
    EXPECT_EQ(bus_.status(page_read(1, bytes_of(none))), Status::kRegisterUnknown);
    EXPECT_EQ(bus_.status(page_write(1, events_of(none), 1, 4)), Status::kRegisterUnknown);
    EXPECT_EQ(bus_.status(page_write(1, events_of(none), 1)), Status::kRegisterUnknown);
  }
  EXPECT_EQ(bus_.read(page_read(1, bytes_of(0))), 0U);
  EXPECT_EQ(bus_.read(page_read(1, events_of(0))), 0U);
}

TEST_F(Counters, RefuseBadConfigurations) {
  const std::uint32_t byte_config = byte_counter_config::config(3);
  const std::uint32_t event_config = event_counter_config::config(3);
  own_byte_counter(3, 1, kEnabled | kInterrupt);
  own_event_counter(3, 1);
  if (kProfile.clients < 16) {
    EXPECT_EQ(bus_.status(register_write(byte_config, kEnabled | kProfile.clients)),
              Status::kRegisterValue);
  }
  EXPECT_EQ(bus_.status(register_write(byte_config, 0x40)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(register_write(byte_config, 1ULL << 63)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(register_write(event_config, kInterrupt)), Status::kRegisterValue)
      << "event counters have no interrupt bit";
  EXPECT_EQ(bus_.status(register_write(byte_config, 0, 4)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(register_write(event_config, 0, 4)), Status::kRegisterPartial);
  for (unsigned none = kCounters; none < kMostCounters; ++none) {
    EXPECT_EQ(bus_.status(register_write(byte_counter_config::config(none), 0)),
              Status::kRegisterUnknown);
    EXPECT_EQ(bus_.status(register_read(event_counter_config::config(none))),
              Status::kRegisterUnknown);
  }
  EXPECT_EQ(bus_.status(register_read(byte_counter_config::config(255) + 8)),
            Status::kRegisterUnknown)
      << "past the larger profile, before the event counters";
  EXPECT_EQ(bus_.read(register_read(byte_config)), kEnabled | kInterrupt | 1U);
  EXPECT_EQ(bus_.read(register_read(event_config + 4)), kEnabled | 1U);
}

TEST_F(Counters, CountDownToTheStickyBitsOfTheRegister) {
  own_byte_counter(9, 2, kEnabled | kInterrupt);
  ASSERT_EQ(bus_.status(page_write(2, bytes_of(9), 100)), Status::kOk);
  apply(counters_, subtract(9, 100, 2));
  counters_.tick();
  EXPECT_EQ(bits_of(counters_->causes_o), causes_of_client(2, 1U << 1));
  EXPECT_EQ(counters_->part_o, 1U << 8 | 2U << 4 | 9U);
  EXPECT_EQ(bus_.read(page_read(2, bytes_of(9))), kHitZero);
  apply(counters_, subtract(9, 1, 2), false);
  EXPECT_EQ(bus_.read(page_read(2, bytes_of(9))), kHitZero | kUnderflow);
  ASSERT_EQ(bus_.status(page_write(2, bytes_of(9), 3)), Status::kOk);
  EXPECT_EQ(bus_.read(page_read(2, bytes_of(9))), 3U);
}

TEST_F(Counters, InterruptOnlyForTheCounterConfiguredSo) {
  own_byte_counter(9, 2);
  own_byte_counter(10, 2, kEnabled | kInterrupt);
  ASSERT_EQ(bus_.status(page_write(2, bytes_of(9), 100)), Status::kOk);
  apply(counters_, subtract(9, 100, 2));
  counters_.tick();
  EXPECT_EQ(bits_of(counters_->causes_o), 0U);
}

TEST_F(Counters, TakeAByteAndAnEventOperationInOneCycle) {
  own_byte_counter(0, 0);
  own_event_counter(0, 0);
  ASSERT_EQ(bus_.status(page_write(0, bytes_of(0), 100)), Status::kOk);
  drive(counters_->completion_operation_i, subtract(0, 10));
  drive(counters_->injection_operation_i, event(add(0, 1)));
  counters_->completion_valid_i = 1;
  counters_->injection_valid_i = 1;
  counters_.settle();
  EXPECT_TRUE(counters_->completion_ready_o);
  EXPECT_TRUE(counters_->injection_ready_o);
  counters_.tick();
  counters_->completion_valid_i = 0;
  counters_->injection_valid_i = 0;
  EXPECT_EQ(bus_.read(page_read(0, bytes_of(0))), 90U);
  EXPECT_EQ(bus_.read(page_read(0, events_of(0))) & 0xffffffffU, 1U);
}

TEST_F(Counters, LookUpOwnersForBothEngines) {
  own_byte_counter(5, 1);
  own_event_counter(5, 3);
  own_event_counter(6, 2, 0);
  counters_->lookup_0_i = lookup(5, false);
  counters_->lookup_1_i = lookup(5, true);
  counters_->lookup_2_i = lookup(6, true);
  counters_->lookup_3_i = lookup(200, false);
  counters_.settle();
  EXPECT_TRUE(get<layout::counter_owner::enable>(counters_->lookup_0_answer_o));
  EXPECT_EQ(get<layout::counter_owner::owner>(counters_->lookup_0_answer_o), 1U);
  EXPECT_TRUE(get<layout::counter_owner::enable>(counters_->lookup_1_answer_o));
  EXPECT_EQ(get<layout::counter_owner::owner>(counters_->lookup_1_answer_o), 3U);
  EXPECT_FALSE(get<layout::counter_owner::enable>(counters_->lookup_2_answer_o));
  EXPECT_EQ(get<layout::counter_owner::owner>(counters_->lookup_2_answer_o), 2U);
  EXPECT_FALSE(get<layout::counter_owner::enable>(counters_->lookup_3_answer_o));
  counters_->lookup_2_i = lookup(5, true);
  counters_->lookup_3_i = lookup(5, false);
  counters_.settle();
  EXPECT_EQ(get<layout::counter_owner::owner>(counters_->lookup_2_answer_o), 3U);
  EXPECT_EQ(get<layout::counter_owner::owner>(counters_->lookup_3_answer_o), 1U);
}

TEST_F(Counters, AnswerRegistersInABoundUnderFullLoad) {
  own_event_counter(0, 0);
  drive(counters_->completion_operation_i, event(add(0, 1)));
  drive(counters_->injection_operation_i, event(add(0, 1)));
  counters_->completion_valid_i = 1;
  counters_->injection_valid_i = 1;
  for (int i = 0; i < 50; ++i) {
    const RegisterAnswer answer = bus_.access(page_read(0, events_of(0)));
    ASSERT_EQ(answer.status, Status::kOk);
    EXPECT_LE(answer.cycles, 8U);
  }
}

TEST_F(Counters, LoseNoOperationAndNoWriteWhenTheyRace) {
  // Bumps of 1 go on all the time; software writes multiples of a million. Of the bumps during a
  // write it is not known on which side of it they fall; all others must be in the value.
  SCOPED_TRACE(random_.replay());
  own_event_counter(7, 3);
  drive(counters_->completion_operation_i, event(add(7, 1)));
  drive(counters_->injection_operation_i, event(add(7, 1)));
  drive(counters_->signal_operation_i, event(add(7, 1)));
  std::uint64_t bumps = 0;
  const auto tick = [&] { return race(&bumps); };
  for (std::uint64_t round = 1; round < 2000; ++round) {
    const std::uint64_t written = round * 1'000'000;
    const std::uint64_t before = bumps;
    bus_.present(page_write(3, events_of(7), written, 4));
    while (!tick()) {
    }
    ASSERT_EQ(bus_.answer().status, Status::kOk);
    const std::uint64_t after = bumps;
    for (std::uint64_t i = random_.below(20); i > 0; --i) tick();
    const std::uint64_t read_begins = bumps;
    bus_.present(page_read(3, events_of(7)));
    while (!tick()) {
    }
    const std::uint64_t value = bus_.answer().data & 0xffffffffU;
    ASSERT_GE(value, written + (read_begins - after)) << "round " << round;
    ASSERT_LE(value, written + (bumps - before)) << "round " << round;
  }
}

TEST_F(Counters, TakeAnOperationOnlyWhenTheyApplyItThoughAllStreamsWantTheSameKind) {
  SCOPED_TRACE(random_.replay());
  constexpr std::uint64_t kBefore = 1'000'000;
  own_byte_counter(7, 3);
  own_event_counter(7, 3);
  for (const bool is_event : {false, true}) {
    ASSERT_EQ(bus_.status(is_event ? page_write(3, events_of(7), kBefore, 4)
                                   : page_write(3, bytes_of(7), kBefore)),
              Status::kOk);
    const CounterOperation one = is_event ? event(add(7, 1)) : subtract(7, 1);
    drive(counters_->completion_operation_i, one);
    drive(counters_->injection_operation_i, one);
    drive(counters_->signal_operation_i, one);
    std::uint64_t taken = 0;
    for (int cycle = 0; cycle < 200; ++cycle) race(&taken);
    for (int cycle = 0; cycle < 4; ++cycle) race(&taken, 0);  // what is offered is taken
    const std::uint64_t value =
        bus_.read(page_read(3, is_event ? events_of(7) : bytes_of(7))) & 0xffffffffU;
    EXPECT_EQ(value, is_event ? kBefore + taken : kBefore - taken);
  }
}

TEST_F(Counters, RefuseEveryReservedBitOfAConfiguration) {
  for (unsigned bit = 6; bit < 64; ++bit) {
    const std::uint64_t config = kEnabled | 1U | 1ULL << bit;
    EXPECT_EQ(bus_.status(register_write(byte_counter_config::config(3), config)),
              Status::kRegisterValue)
        << bit;
    EXPECT_EQ(bus_.status(register_write(event_counter_config::config(3), config)),
              Status::kRegisterValue)
        << bit;
  }
}

TEST_F(Counters, RefuseEveryBitOfAPreloadAboveTheValue) {
  own_byte_counter(3, 1);
  for (unsigned bit = 38; bit < 64; ++bit) {
    EXPECT_EQ(bus_.status(page_write(1, bytes_of(3), 5 | 1ULL << bit)), Status::kRegisterValue)
        << bit;
  }
  EXPECT_EQ(bus_.read(page_read(1, bytes_of(3))), 0U);
}

TEST_F(Counters, AreIdleWithoutInput) {
  EXPECT_FALSE(counters_->busy_o);
  apply(counters_, event(add(0, 1)));
  EXPECT_TRUE(counters_->busy_o);
  counters_.tick();
  EXPECT_FALSE(counters_->busy_o);
}

// Registers of all addresses with any data, one access or operation at a time.
class CountersAtRandom : public Counters {
 protected:
  struct Counter {
    std::uint64_t value = 0;
    unsigned config = 0;
    unsigned owner() const { return config & 15U; }
    bool enable() const { return (config & kEnabled) != 0; }
  };
  struct Access {
    bool event = false, page = false, waited = false;
    unsigned index = 0;
    RegisterRequest request;
  };
  using Counted = std::array<std::array<Counter, kCounters>, 2>;  // bytes, events

  Access draw() {
    namespace q = layout::register_request;
    Access access;
    access.event = random_.chance(50);
    access.page = random_.chance(60);
    access.waited = random_.chance(30);
    access.index =
        static_cast<unsigned>(random_.chance(75)   ? random_.below(kCounters)
                              : random_.chance(50) ? 64U << random_.below(access.page ? 2 : 3)
                                                   : random_.below(access.page ? 256 : 512));
    const unsigned config =
        access.index < kCounters ? counted_[access.event][access.index].config : 0;
    std::uint64_t data = random_.bits64() >> random_.below(64);
    if (!access.page && random_.chance(70)) data = random_.below(random_.chance(80) ? 64 : 128);
    if (random_.chance(20)) data = (data & 63U) ^ 1ULL << random_.below(64);
    std::uint32_t address = access.event ? event_counter_config::config(0) + 8 * access.index
                                         : byte_counter_config::config(0) + 8 * access.index;
    if (access.page)
      address = access.event ? events_of(0) + 4 * access.index : bytes_of(0) + 8 * access.index;
    access.request.set<q::address>(address)
        .set<q::data>(data)
        .set<q::write>(random_.chance(60))
        .set<q::wide>(random_.chance(90) != (access.page && access.event))
        .set<q::page>(access.page)
        .set<q::client>(random_.chance(85) ? config & 15U : random_.below(16));
    return access;
  }
  bool takes(const Access& access, std::uint64_t data) const {
    if (access.page) return access.event || data >> 38U == 0;
    return data < 64 && (data & 15U) < kProfile.clients &&
           !(access.event && (data & kInterrupt) != 0);
  }
  Status status_of(const Access& access) const {
    namespace q = layout::register_request;
    if (access.index >= kCounters) return Status::kRegisterUnknown;
    const Counter& counter = counted_[access.event][access.index];
    const bool write = access.request.get<q::write>() != 0;
    const bool wide = access.request.get<q::wide>() != 0;
    if (write && wide == (access.page && access.event)) return Status::kRegisterPartial;
    const bool reached = counter.enable() && counter.owner() == access.request.get<q::client>();
    if (access.page && !reached) return Status::kCounterInvalid;
    if (write && !takes(access, access.request.get<q::data>())) return Status::kRegisterValue;
    if (write && access.page && access.event && access.waited) return Status::kCounterWaited;
    return Status::kOk;
  }
  void access() {
    namespace q = layout::register_request;
    const Access access = draw();
    bus_.present(access.request);
    counters_->waited_i = access.waited;
    counters_.settle();
    EXPECT_EQ(counters_->waited_index_o, access.index & 255U);
    do {
      counters_.settle();
      EXPECT_LE(counters_->register_done_o, counters_->busy_o);
    } while (!bus_.tick());
    const Status status = status_of(access);
    ASSERT_EQ(bus_.answer().status, status);
    EXPECT_EQ(bus_.answer().cycles, status == Status::kCounterWaited       ? 2U
                                    : status == Status::kOk && access.page ? 4U
                                                                           : 1U);
    EXPECT_FALSE(counters_->busy_o);
    if (status != Status::kOk) return;
    Counter& counter = counted_[access.event][access.index];
    const std::uint64_t data = access.request.get<q::data>();
    if (access.request.get<q::write>() == 0) {
      const std::uint64_t value =
          access.event ? counter.value << 32U | counter.value : counter.value;
      ASSERT_EQ(bus_.answer().data, access.page ? value : counter.config);
    } else if (access.page) {
      counter.value = access.event ? data & 0xffffffffU : data;
    } else {
      counter.config = static_cast<unsigned>(data);
    }
  }
  void operate() {
    const bool is_event = random_.chance(50);
    const auto index = static_cast<unsigned>(random_.below(kCounters));
    Counter& counter = counted_[is_event][index];
    const std::uint64_t value = random_.bits64() >> 32U;
    const bool completion = random_.chance(50);
    const unsigned client = static_cast<unsigned>(random_.below(kProfile.clients));
    if (is_event) {
      apply(counters_, event(add(index, value, client)), completion);
      counter.value = (counter.value + value) & 0xffffffffU;
    } else {
      apply(counters_, preset(index, value, client), completion);
      counter.value = value;
    }
    EXPECT_TRUE(counters_->busy_o);
    counters_.tick();
    EXPECT_FALSE(counters_->busy_o);
  }
  void look_up() {
    auto& m = *counters_.operator->();
    SData* asked[] = {&m.lookup_0_i, &m.lookup_1_i, &m.lookup_2_i, &m.lookup_3_i};
    const CData* answers[] = {&m.lookup_0_answer_o, &m.lookup_1_answer_o, &m.lookup_2_answer_o,
                              &m.lookup_3_answer_o};
    for (SData* one : asked)
      *one = lookup(static_cast<unsigned>(random_.below(kCounters)), random_.chance(50));
    counters_.settle();
    for (unsigned i = 0; i < 4; ++i) {
      const Counter& counter = counted_[get<layout::counter_lookup::is_event>(*asked[i])]
                                       [get<layout::counter_lookup::index>(*asked[i])];
      ASSERT_EQ(get<layout::counter_owner::enable>(*answers[i]), counter.enable());
      ASSERT_EQ(get<layout::counter_owner::owner>(*answers[i]), counter.owner());
    }
  }

  Counted counted_;
};

TEST_F(CountersAtRandom, AnswerEveryAccessAsTheContractSays) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 8000; ++i) {
    if (random_.chance(25)) {
      operate();
    } else {
      ASSERT_NO_FATAL_FAILURE(access()) << "access " << i;
    }
    ASSERT_NO_FATAL_FAILURE(look_up()) << "access " << i;
  }
}

TEST_F(Counters, ForgetAnAccessAndItsAnswerInReset) {
  for (unsigned cycles = 1; cycles < 4; ++cycles) {
    bus_.present(register_read(event_counter_config::config(0)));
    for (unsigned i = 0; i < cycles; ++i) counters_.tick();
    counters_->register_valid_i = 0;
    counters_.reset(1);
    EXPECT_FALSE(counters_->busy_o) << cycles;
    EXPECT_FALSE(counters_->register_done_o) << cycles;
    EXPECT_EQ(sample_record<RegisterResponse>(counters_->register_response_o), RegisterResponse{});
  }
}

}  // namespace
}  // namespace torusmu::testing
