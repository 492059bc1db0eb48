// SPDX-License-Identifier: Apache-2.0
// The send queue, the receive queue and the packetiser around mu_pipe, played for its test.

#ifndef TESTS_SUPPORT_PIPE_BENCH_H_
#define TESTS_SUPPORT_PIPE_BENCH_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "Vmu_pipe.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"
#include "torusmu/types.h"

namespace torusmu::testing {

class PipeBench : public ::testing::Test {
 protected:
  using Buffer = Record<layout::receive_buffer::Layout>;
  using End = Record<layout::queue_end::Layout>;
  using Fetched = Record<layout::fetched_descriptor::Layout>;
  using Start = Record<layout::pipe_start::Layout>;
  static constexpr unsigned kQueue = 9;
  static constexpr unsigned kReceiveQueue = 6;
  static constexpr std::uint64_t kOwner = 2;
  static constexpr Address kAddress = 0x12'3456'7000;
  struct Copy {
    bool ahead;
    std::uint64_t offset;  // behind that of the PIPE
    std::uint64_t length;
    std::uint64_t number;  // of its buffer
    bool listed;
  };

  PipeBench() {
    dut_->buffer_ready_i = dut_->begin_ready_i = dut_->out_ready_i = 1;
    dut_->stop_ready_i = dut_->end_ready_i = dut_->out_turn_i = 1;
    tick();
  }
  // Buffers of 100 bytes, unless said otherwise.
  void start(std::uint32_t messages, std::uint64_t length, std::uint64_t buffer_bytes = 100,
             bool held = true) {
    const Descriptor descriptor =
        Descriptor()
            .set<layout::descriptor::opcode>(Opcode::kPipe)
            .set<layout::descriptor::immediate>(
                Record<layout::pipe_operation::Layout>()
                    .set<layout::pipe_operation::messages>(messages)
                    .set<layout::pipe_operation::buffer_bytes>(buffer_bytes)
                    .set<layout::pipe_operation::receive_queue>(origin ? 0 : kReceiveQueue)
                    .set<layout::pipe_operation::origin>(origin)
                    .set<layout::pipe_operation::target>(target)
                    .set<layout::pipe_operation::listed>(listed)
                    .bytes())
            .set<layout::descriptor::length>(length);
    fetched_ = Fetched()
                   .set<layout::fetched_descriptor::descriptor>(descriptor)
                   .set<layout::fetched_descriptor::queue>(kQueue)
                   .set<layout::fetched_descriptor::owner>(kOwner);
    drive(dut_->descriptor_i, fetched_);
    drive(dut_->start_i, turn_of(kQueue, kAddress, held));
    tick();
    dut_->start_i = 0;
  }
  // It has the turn.
  Start turn_of(unsigned queue, Address address, bool held) const {
    return Start()
        .set<layout::pipe_start::queue>(queue)
        .set<layout::pipe_start::address>(address)
        .set<layout::pipe_start::held>(held)
        .set<layout::pipe_start::piped>(piped)
        .set<layout::pipe_start::valid>(1);
  }
  // One cycle; the send queue opens what begins, and what goes ahead is under way once it is taken.
  void tick() {
    dut_->may_ahead_i = let_ahead && open;
    dut_->second_i = second;
    dut_.settle();
    if (dut_->buffer_valid_o && dut_->buffer_ready_i) {
      given.push_back(sample_record<Buffer>(dut_->buffer_o));
      given_numbers.push_back(get<layout::pipe_list_ask::number>(dut_->list_o));
    }
    if (dut_->out_valid_o && dut_->out_turn_i && dut_->out_ready_i) {
      copies.push_back({out<layout::pipe_copy::ahead>() != 0, out<layout::pipe_copy::offset>(),
                        out<layout::pipe_copy::length>(), out<layout::pipe_copy::number>(),
                        out<layout::pipe_copy::listed>() != 0});
      if (copies.back().ahead) second = true;
    }
    if (dut_->begin_valid_o && dut_->begin_ready_i) {
      EXPECT_FALSE(open);
      begins.push_back(second);
      second = false;
      open = true;
    }
    if (dut_->send_end_i) {
      open = false;
      if (dut_->send_status_i != 0) second = false;
    }
    if (dut_->stop_valid_o && dut_->stop_ready_i) ++stops;
    if (dut_->end_valid_o && dut_->end_ready_i) {
      EXPECT_FALSE(ended) << "told once";
      const End end = sample_record<End>(dut_->end_o);
      EXPECT_EQ(end.get<layout::queue_end::queue>(), kQueue);
      ended = end.get<layout::queue_end::status>();
    }
    if (dut_->flush_i) open = second = false;
    const bool ran = dut_->running_o != 0;
    dut_.tick();
    dut_.settle();
    if (ran && !dut_->running_o) ++dones;
  }
  void run(unsigned cycles = 20) {
    for (unsigned i = 0; i < cycles; ++i) tick();
  }
  // A message is received, into the buffer given first.
  void receive(std::uint32_t bytes, Status status = Status::kOk) {
    dut_->receive_end_i = 1;
    dut_->receive_bytes_i = bytes;
    dut_->receive_status_i = static_cast<std::uint8_t>(status);
    tick();
    dut_->receive_end_i = 0;
  }
  // All of a message but its last packet is in memory.
  void arrive(std::uint32_t bytes) {
    dut_->arriving_valid_i = 1;
    dut_->arriving_bytes_i = bytes;
    tick();
  }
  // And now that too, or it could not be stored.
  void receive_arrived(Status status = Status::kOk) {
    dut_->arriving_valid_i = 0;
    receive(dut_->arriving_bytes_i, status);
  }
  void end_send(Status status = Status::kOk) {
    dut_->send_end_i = 1;
    dut_->send_status_i = static_cast<std::uint8_t>(status);
    tick();
    dut_->send_end_i = 0;
  }
  void again() {
    dut_->again_i = 1;
    for (int i = 0; i < 50; ++i) {
      dut_.settle();
      const bool taken = dut_->again_ready_o != 0;
      tick();
      if (!taken) continue;
      dut_->again_i = 0;
      return;
    }
    FAIL() << "it does not go out again";
  }
  void flush() {
    dut_->flush_i = 1;
    dut_->configure_queue_i = kQueue;
    tick();
    dut_->flush_i = 0;
  }
  void configure_receive_queue() {
    dut_->configured_i = 1;
    dut_->configure_queue_i = kReceiveQueue;
    tick();
    dut_->configured_i = 0;
  }
  template <auto Field>
  std::uint64_t out() {
    return get<Field>(dut_->out_o);
  }
  bool holds() { return get<layout::send_hold::hold>(dut_->hold_o) != 0; }
  bool spoils() { return get<layout::send_hold::spoil>(dut_->hold_o) != 0; }
  void forget() {
    given.clear();
    given_numbers.clear();
    copies.clear();
    begins.clear();
    ended.reset();
    dones = stops = 0;
  }
  void expect_idle() {
    run(3);
    EXPECT_FALSE(dut_->running_o);
    EXPECT_FALSE(dut_->busy_o);
    EXPECT_EQ(dones, 1U);
  }
  void expect_copy(std::size_t number, bool ahead, std::uint64_t offset, std::uint64_t length) {
    ASSERT_GT(copies.size(), number);
    EXPECT_EQ(copies[number].ahead, ahead) << "copy " << number;
    EXPECT_EQ(copies[number].offset, offset) << "copy " << number;
    EXPECT_EQ(copies[number].length, length) << "copy " << number;
  }

  Random random_;
  ::testing::ScopedTrace trace_{__FILE__, __LINE__, random_.replay()};
  Clocked<Vmu_pipe> dut_{random_.seed()};
  Fetched fetched_;

  bool piped = true;       // the receive queue may be used
  bool origin = false;     // the PIPE has none
  bool target = false;     // it sends nothing
  bool listed = false;     // its buffers are in a list
  bool let_ahead = false;  // all of the open SEND has left
  bool open = false;
  bool second = false;
  std::vector<Buffer> given;
  std::vector<std::uint64_t> given_numbers;  // of those
  std::vector<Copy> copies;
  std::vector<bool> begins;  // whether it had gone ahead
  std::optional<Status> ended;
  unsigned dones = 0;
  unsigned stops = 0;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_PIPE_BENCH_H_
