// SPDX-License-Identifier: Apache-2.0
// A core on the bus and the blocks behind mu_host_interface, played for its tests.

#ifndef TESTS_SUPPORT_HOST_INTERFACE_BENCH_H_
#define TESTS_SUPPORT_HOST_INTERFACE_BENCH_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <stdexcept>

#include "Vmu_host_interface.h"
#include "tests/support/axil_driver.h"
#include "tests/support/clocked.h"
#include "tests/support/port_bits.h"
#include "tests/support/port_fields.h"
#include "tests/support/register_bus.h"
#include "tests/support/register_units.h"
#include "tests/support/seed.h"

namespace torusmu::testing {

using RingSlots = Record<layout::ring_slots::Layout>;

class HostInterfaceBench : public ::testing::Test {
 protected:
  struct Asked {
    RegisterUnit unit;
    RegisterRequest request;
    std::uint64_t cycle;  // in which its valid was first high
  };

  // What every block outside answers to a read: data made from the address.
  std::uint64_t data_at(std::uint64_t address) const {
    return (address + data_salt_) * 0x9E3779B97F4A7C15ULL;
  }

  // One cycle with the blocks outside: each answers `answer_cycles_` after it was asked.
  void tick() {
    host_.settle();
    answer_registers();
    drive_push_side();
    host_.settle();
    look_at_push_side();
    causes_ |= bits_of(host_->causes_o);
    bus_.tick();
  }
  void answer_registers() {
    const unsigned valid = host_->register_valid_o;
    const auto request = sample_record<RegisterRequest>(host_->register_request_o);
    RegisterResponse response;
    host_->register_done_i = 0;
    if (valid == 0) {
      waited_ = 0;
    } else {
      ASSERT_NO_FATAL_FAILURE(note(valid, request));
      if (++waited_ > answer_cycles_) {
        host_->register_done_i = static_cast<std::uint16_t>(valid);
        response = response_to(request);
        waited_ = 0;
      }
    }
    drive(host_->register_response_i, response);
  }
  void note(unsigned valid, const RegisterRequest& request) {
    ASSERT_EQ(valid & (valid - 1), 0U) << "two blocks asked at once";
    if (waited_ == 0) {
      const auto unit = static_cast<RegisterUnit>(__builtin_ctz(valid));
      asked_.push_back({unit, request, host_.cycle()});
    } else {
      ASSERT_EQ(valid, 1U << unit_bit(asked_.back().unit)) << "valid must hold until done";
      ASSERT_EQ(request, asked_.back().request) << "the request must hold until done";
    }
  }
  RegisterResponse response_to(const RegisterRequest& request) const {
    namespace r = layout::register_request;
    auto response = RegisterResponse().set<layout::register_response::status>(block_status_);
    if (block_status_ == Status::kOk && request.get<r::write>() == 0)
      response.set<layout::register_response::data>(data_at(request.get<r::address>()));
    return response;
  }
  // The queue engine and the memory.
  void drive_push_side() {
    host_->push_reserve_ready_i = 1;
    put<layout::write_response::command_ready>(host_->push_write_response_i, 1);
    put<layout::write_response::beat_ready>(host_->push_write_response_i, 1);
    host_->push_slots_valid_i = slots_next_;
    drive(host_->push_slots_i, RingSlots().set<layout::ring_slots::status>(slots_status_));
    put<layout::push_done::valid>(host_->push_done_i, done_next_ && !written_late_);
    put<layout::push_done::client>(host_->push_done_i, done_client_);
  }
  void look_at_push_side() {
    slots_next_ = get<layout::push_reserve::valid>(host_->push_reserve_o) != 0;
    if (slots_next_) done_client_ = get<layout::push_reserve::client>(host_->push_reserve_o);
    const bool beat = get<layout::write_request::beat_valid>(host_->push_write_o) != 0;
    beats_ += beat;
    done_next_ = (written_late_ && done_next_) || (beat && beats_ % 2 == 0);
  }
  void finish() {
    for (int i = 0; bus_.busy(); ++i) {
      if (i == 10000) throw std::runtime_error("the bus did not come to rest");
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
  std::uint64_t data_salt_ = 0;
  Status block_status_ = Status::kOk;
  Status slots_status_ = Status::kOk;
  bool slots_next_ = false;
  bool done_next_ = false;
  bool written_late_ = false;  // what is pushed is not told as written before this is false
  std::uint64_t done_client_ = 0;
  unsigned beats_ = 0;
  PortBits causes_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_HOST_INTERFACE_BENCH_H_
