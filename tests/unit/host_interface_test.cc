// SPDX-License-Identifier: Apache-2.0
// verilator: tb/formal/mu_axi4_lite_subordinate_properties.sv tb/formal/mu_axi4_lite_bind.svh

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "Vmu_host_interface.h"
#include "tests/support/axil_driver.h"
#include "tests/support/clocked.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using namespace registers;  // NOLINT(google-build-using-namespace)
using RingSlots = Record<layout::ring_slots::Layout>;

constexpr unsigned kQueueBlock = 0;
constexpr unsigned kCounterBlock = 2;

class HostInterface : public ::testing::Test {
 protected:
  struct Asked {
    unsigned block;
    RegisterRequest request;
    std::uint64_t cycle;  // in which its valid was first high
  };

  // What every block outside answers: its status, and data made from the address.
  static std::uint64_t data_at(std::uint64_t address) { return address * 0x9E3779B97F4A7C15ULL; }

  // One cycle with the blocks outside: each answers `answer_cycles_` after it was asked.
  void tick() {
    host_.settle();
    const unsigned valid = host_->register_valid_o;
    const auto request = sample_record<RegisterRequest>(host_->register_request_o);
    RegisterResponse response;
    host_->register_done_i = 0;
    if (valid != 0) {
      ASSERT_EQ(valid & (valid - 1), 0U) << "two blocks asked at once";
      if (waited_ == 0) {
        const auto block = static_cast<unsigned>(__builtin_ctz(valid));
        asked_.push_back({block, request, host_.cycle()});
      } else {
        ASSERT_EQ(valid, 1U << asked_.back().block) << "valid must hold until done";
        ASSERT_EQ(request, asked_.back().request) << "the request must hold until done";
      }
      if (++waited_ > answer_cycles_) {
        host_->register_done_i = static_cast<std::uint16_t>(valid);
        response.set<layout::register_response::status>(block_status_);
        if (block_status_ == Status::kOk && request.get<layout::register_request::write>() == 0) {
          response.set<layout::register_response::data>(
              data_at(request.get<layout::register_request::address>()));
        }
        waited_ = 0;
      }
    } else {
      waited_ = 0;
    }
    drive(host_->register_response_i, response);
    // The queue engine and the memory, for pushes.
    host_->push_reserve_ready_i = 1;
    host_->push_write_command_ready_i = 1;
    host_->push_write_beat_ready_i = 1;
    host_->push_slots_valid_i = slots_next_;
    drive(host_->push_slots_i, RingSlots().set<layout::ring_slots::status>(slots_status_));
    host_->push_done_valid_i = done_next_;
    host_->push_done_client_i = done_client_;
    host_.settle();
    slots_next_ = host_->push_reserve_valid_o;
    if (slots_next_) done_client_ = host_->push_reserve_client_o;
    beats_ += host_->push_write_beat_valid_o;
    done_next_ = host_->push_write_beat_valid_o && beats_ % 2 == 0;
    causes_ |= host_->causes_o;
    bus_.tick();
  }
  void finish() {
    for (int i = 0; bus_.busy(); ++i) {
      ASSERT_LT(i, 10000) << "the bus did not come to rest";
      tick();
    }
  }
  AxilAnswer write(std::uint32_t address, std::uint64_t data, unsigned strobe = 0xff) {
    bus_.post_write(address, data, strobe);
    finish();
    return bus_.write_answers().back();
  }
  AxilAnswer read(std::uint32_t address) {
    bus_.post_read(address);
    finish();
    return bus_.read_answers().back();
  }

  Random random_;
  Clocked<Vmu_host_interface> host_{random_.seed()};
  AxilDriver<Vmu_host_interface> bus_{host_, random_};
  std::deque<Asked> asked_;
  unsigned answer_cycles_ = 1;
  unsigned waited_ = 0;
  Status block_status_ = Status::kOk;
  Status slots_status_ = Status::kOk;
  bool slots_next_ = false;
  bool done_next_ = false;
  std::uint8_t done_client_ = 0;
  unsigned beats_ = 0;
  std::uint32_t causes_ = 0;
};

TEST_F(HostInterface, BringsADoorbellToTheQueueBlockTwoCyclesAfterItWasSampled) {
  bus_.post_write(client_page::queue_index(1, 3) & ~7U, 0x77ULL << 32, 0xf0);
  finish();
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].block, kQueueBlock);
  EXPECT_EQ(asked_[0].cycle - bus_.last_write_cycle(), 2U);
  const RegisterRequest& request = asked_[0].request;
  EXPECT_EQ(request.get<layout::register_request::address>(), 0xcU);
  EXPECT_EQ(request.get<layout::register_request::data>(), 0x77U);
  EXPECT_EQ(request.get<layout::register_request::client>(), 1U);
  EXPECT_EQ(request.get<layout::register_request::page>(), 1U);
  EXPECT_EQ(request.get<layout::register_request::wide>(), 0U);
  EXPECT_EQ(request.get<layout::register_request::write>(), 1U);
}

TEST_F(HostInterface, GivesBackWhatTheBlockReads) {
  EXPECT_EQ(read(region::base(5)).data, data_at(region::base(5)));
  EXPECT_FALSE(bus_.read_answers().back().error);
  EXPECT_EQ(read(client_page::byte_counter(2, 9)).data,
            data_at(client_page::byte_counter.in_block(9)));
}

TEST_F(HostInterface, WaitsForASlowBlockAndHoldsItsRequest) {
  answer_cycles_ = 300;
  bus_.post_write(injection_queue::config(4), 1);
  bus_.post_read(region::base(0));
  finish();
  EXPECT_EQ(asked_.size(), 2U);
  EXPECT_FALSE(bus_.write_answers().back().error);
}

TEST_F(HostInterface, RecordsTheFirstRefusalOfAPageAndRaisesItsClientsError) {
  block_status_ = Status::kDoorbellOwner;
  EXPECT_TRUE(write(client_page::queue_index(2, 0), 1, 0x0f).error);
  block_status_ = Status::kCounterInvalid;
  const AxilAnswer answer = read(client_page::byte_counter(2, 0));
  EXPECT_TRUE(answer.error);
  EXPECT_EQ(answer.data, 0U);
  EXPECT_EQ(causes_, 1U << (2 * 8 + 5));
  const std::uint64_t status = read(client_page::page_status(2)).data;
  EXPECT_EQ(extract(status, client_page::page_status_field::signature), kSignature);
  EXPECT_EQ(static_cast<Status>(extract(status, client_page::page_status_field::status)),
            Status::kDoorbellOwner);
  EXPECT_EQ(extract(status, client_page::page_status_field::errors), 2U);
  EXPECT_EQ(read(node::register_errors()).data, 0U);
  EXPECT_FALSE(write(node::error_clear(), 1U << 2).error);
  EXPECT_EQ(read(client_page::page_status(2)).data, kSignature);
}

TEST_F(HostInterface, RecordsABadPrivilegedAccessWithItsAddress) {
  EXPECT_TRUE(read(0x2fff8).error);
  EXPECT_TRUE(read(client_page::page_status(4)).error) << "no such client";
  const std::uint64_t errors = read(node::register_errors()).data;
  EXPECT_EQ(static_cast<Status>(extract(errors, node::register_errors_field::status)),
            Status::kRegisterUnknown);
  EXPECT_EQ(extract(errors, node::register_errors_field::count), 2U);
  EXPECT_EQ(extract(errors, node::register_errors_field::address), 0x2fff8U);
  EXPECT_EQ(causes_, 0U);
  EXPECT_FALSE(write(node::error_clear(), 1ULL << 63).error);
  EXPECT_EQ(read(node::register_errors()).data, 0U);
}

TEST_F(HostInterface, RefusesPartialWritesBeforeTheyReachABlock) {
  for (const unsigned strobe : {0x00U, 0x01U, 0x3cU, 0xf7U, 0xfeU}) {
    EXPECT_TRUE(write(region::base(0), 1, strobe).error) << strobe;
  }
  EXPECT_TRUE(asked_.empty());
  const std::uint64_t errors = read(node::register_errors()).data;
  EXPECT_EQ(static_cast<Status>(extract(errors, node::register_errors_field::status)),
            Status::kRegisterPartial);
  EXPECT_EQ(extract(errors, node::register_errors_field::count), 5U);
}

TEST_F(HostInterface, AnswersItsOwnRegisters) {
  host_->strap_x_i = 3;
  EXPECT_EQ(read(node::identity()).data & 0xffffffffU, kSignature);
  EXPECT_EQ(read(node::straps()).data, 3U);
  EXPECT_FALSE(write(node::fifo_hold_cycles(), 99).error);
  EXPECT_EQ(host_->fifo_hold_cycles_o, 99U);
  EXPECT_EQ(host_->credit_timeout_cycles_o, 65536U);
  host_->memory_error_i = 1;
  tick();
  host_->memory_error_i = 0;
  EXPECT_EQ(read(node::memory_errors()).data, 1U);
  EXPECT_TRUE(asked_.empty());
}

TEST_F(HostInterface, InsertsAPushAndAnswersItsLastWordWithTheOutcome) {
  for (unsigned word = 0; word < 8; ++word) {
    EXPECT_FALSE(write(client_page::push_data(1, word), word).error) << word;
  }
  for (int i = 0; i < 20; ++i) tick();
  EXPECT_EQ(beats_, 2U);
  EXPECT_EQ(read(client_page::push_status(1)).data, 1U);
  EXPECT_FALSE(host_->busy_o);
}

TEST_F(HostInterface, DoesNotCountAFullQueueAsAMistake) {
  slots_status_ = Status::kQueueFull;
  for (unsigned word = 0; word < 7; ++word) write(client_page::push_data(1, word), word);
  EXPECT_TRUE(write(client_page::push_data(1, 7), 7).error);
  EXPECT_EQ(read(client_page::page_status(1)).data, kSignature);
  EXPECT_EQ(causes_, 0U);
  EXPECT_EQ(extract(read(client_page::push_status(1)).data, client_page::push_status_field::status),
            static_cast<std::uint64_t>(Status::kQueueFull));
  slots_status_ = Status::kQueueInvalid;
  EXPECT_TRUE(write(client_page::push_data(1, 7), 7).error);
  EXPECT_EQ(extract(read(client_page::page_status(1)).data, client_page::page_status_field::errors),
            1U);
  EXPECT_EQ(causes_, 1U << (1 * 8 + 5));
}

TEST_F(HostInterface, AnswersEverythingUnderRandomTraffic) {
  SCOPED_TRACE(random_.replay());
  std::size_t writes = 0;
  std::size_t reads = 0;
  for (int round = 0; round < 60; ++round) {
    const auto pace = [&] { return 10 + static_cast<unsigned>(random_.below(91)); };
    bus_.set_pace({pace(), pace(), pace()});
    answer_cycles_ = 1 + static_cast<unsigned>(random_.below(8));
    std::vector<std::uint32_t> counters;
    for (int i = 0; i < 50; ++i) {
      const auto address = static_cast<std::uint32_t>(random_.below(1U << 18));
      if (random_.chance(40)) {
        ++writes;
        bus_.post_write(address, random_.bits64(), random_.chance(70) ? 0xffU : 0x0fU);
      } else if (random_.chance(30)) {
        ++reads;
        bus_.post_read(address);
      } else {
        ++reads;
        const auto index = static_cast<unsigned>(random_.below(64));
        bus_.post_read(client_page::byte_counter(3, index));
        counters.push_back(index);
      }
    }
    asked_.clear();
    finish();
    ASSERT_EQ(bus_.write_answers().size(), writes);
    ASSERT_EQ(bus_.read_answers().size(), reads);
    std::size_t found = 0;
    for (const Asked& asked : asked_) {
      const auto address = asked.request.get<layout::register_request::address>();
      if (asked.block == kCounterBlock && found < counters.size() &&
          asked.request.get<layout::register_request::write>() == 0 &&
          address == client_page::byte_counter.in_block(counters[found])) {
        ++found;
      }
    }
    ASSERT_EQ(found, counters.size()) << "reads reach their block in order";
  }
  for (int i = 0; i < 5; ++i) tick();
  EXPECT_FALSE(host_->busy_o);
}

}  // namespace
}  // namespace torusmu::testing
