// SPDX-License-Identifier: Apache-2.0
// mu_queue_pairs beside its model: what is said in a cycle is driven, and all that it shows
// compared.

#ifndef TESTS_SUPPORT_QUEUE_PAIRS_BENCH_H_
#define TESTS_SUPPORT_QUEUE_PAIRS_BENCH_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "Vmu_queue_pairs.h"
#include "tests/support/clocked_once.h"
#include "tests/support/port_bits.h"
#include "tests/support/queue_pairs_model.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {

class QueuePairsBench : public ::testing::Test {
 protected:
  using Model = QueuePairsModel;
  using Answer = Model::Answer;
  using Buffer = Model::Buffer;
  using End = Model::End;
  using Fetched = Model::Fetched;
  using Message = Model::Message;
  static constexpr unsigned kQueues = Model::kQueues;

  std::uint32_t word() { return static_cast<std::uint32_t>(random_.bits64()); }
  template <typename RecordType>
  RecordType draw() {
    return RecordType::from_bytes(random_bytes(random_, RecordType::kBytes));
  }
  // What in_ says, and what is shown then; the edge comes with the next one.
  void look() {
    drive_all();
    out_ = model_.settle(in_);
    ASSERT_NO_FATAL_FAILURE(compare());
  }
  void clock() {
    model_.clock(in_);
    dut_.tick_settled();
  }
  // Instead of a cycle: what is said in it counts for nothing.
  void reset() {
    ASSERT_NO_FATAL_FAILURE(look());
    dut_->rst_ni = 0;
    dut_.settle();
    dut_.tick_settled();
    dut_->rst_ni = 1;
    model_.reset(in_);
  }

  Random random_;
  Model model_{random_.seed()};
  ClockedOnce<Vmu_queue_pairs> dut_{random_.seed()};
  Model::Cycle in_;
  Model::Outputs out_;
  Answer idle_answer_, idle_failure_;  // said without being valid

 private:
  // --- ports: what is said without being valid is anything ---
  template <typename Port, typename RecordType>
  void drive_any(Port& port, const std::optional<RecordType>& record) {
    if (record) {
      drive(port, *record);
    } else if (random_.chance(30)) {
      drive(port, draw<RecordType>());
    }
  }
  void drive_descriptors() {
    dut_->in_valid_i = in_.in.has_value();
    drive_any(dut_->in_data_i, in_.in);
    dut_->out_ready_i = in_.out_ready;
    dut_->message_valid_i = in_.message.has_value();
    drive_any(dut_->message_i, in_.message);
    dut_->pipe_due_i = in_.due.has_value();
    dut_->pipe_due_queue_i = static_cast<CData>(in_.due ? in_.due->queue : word() % kQueues);
    dut_->pipe_address_i = in_.due ? in_.due->address : random_.bits64() >> 24U;
    drive_bits(dut_->held_i, in_.held);
    drive(dut_->pipe_data_i, in_.pipe_data);
    dut_->pipe_end_ready_i = in_.pipe_end_ready;
  }
  void drive_sends() {
    dut_->begin_i = in_.begin;
    dut_->begin_fence_i = in_.fence;
    dut_->begin_sent_i = in_.sent;
    dut_->begin_queue_i = static_cast<CData>(in_.begin_queue);
    dut_->begin_node_i = static_cast<SData>(in_.begin_node);
    dut_->begin_index_i = in_.begin_index;
    dut_->send_end_ready_i = in_.end_ready;
    dut_->again_ready_i = in_.again_ready;
    dut_->number_queue_i = static_cast<CData>(in_.number_queue);
    dut_->number_ahead_i = in_.number_ahead;
    dut_->ahead_i = in_.ahead;
    dut_->left_i = in_.left;
    dut_->answer_valid_i = in_.answer.has_value();
    drive(dut_->answer_i, in_.answer.value_or(idle_answer_));
    dut_->failure_valid_i = in_.failure.has_value();
    drive(dut_->failure_i, in_.failure.value_or(idle_failure_));
    drive(dut_->answer_peer_i, draw<Record<layout::queue_peer::Layout>>()
                                   .set<layout::queue_peer::x>(in_.peer & 15U)
                                   .set<layout::queue_peer::y>(in_.peer >> 4U & 15U)
                                   .set<layout::queue_peer::z>(in_.peer >> 8U));
  }
  void drive_receives() {
    namespace r = layout::receive_result;
    dut_->buffer_valid_i = in_.buffer.has_value();
    drive_any(dut_->buffer_i, in_.buffer);
    dut_->receive_end_ready_i = in_.receive_end_ready;
    dut_->receive_end_valid_i = in_.receive_end.has_value();
    const End idle = End{}.set<layout::queue_end::queue>(Model::receive_queue_of(in_.pipe_data));
    drive(dut_->receive_end_i, in_.receive_end ? in_.receive_end->end : idle);
    drive(dut_->receive_result_i, draw<Record<layout::receive_result::Layout>>().set<r::bytes>(
                                      in_.receive_end ? in_.receive_end->bytes : word()));
    dut_->arriving_valid_i = in_.arriving.has_value();
    dut_->arriving_bytes_i = in_.arriving.value_or(word());
  }
  void drive_all() {
    dut_->now_i = in_.now;
    dut_->send_retry_cycles_i = in_.retry_cycles;
    dut_->send_retries_i = static_cast<CData>(in_.retries);
    drive_bits(dut_->dynamic_i, in_.dynamic);
    dut_->flush_i = in_.flush;
    dut_->configure_valid_i = in_.configuring;
    dut_->configured_i = in_.configured;
    dut_->configure_queue_i = static_cast<CData>(in_.configure_queue);
    dut_->configured_setup_i = static_cast<CData>(in_.setup);
    drive_descriptors();
    drive_sends();
    drive_receives();
    dut_.settle();
  }

  // --- comparison ---
  template <typename RecordType, typename Port>
  static std::optional<RecordType> shown(bool valid, const Port& port) {
    return valid ? std::optional(sample_record<RecordType>(port)) : std::nullopt;
  }
  void compare_descriptors() {
    ASSERT_EQ(shown<Fetched>(dut_->out_valid_o, dut_->out_data_o), out_.out);
    ASSERT_EQ(dut_->message_ready_o, out_.message_ready);
    ASSERT_EQ(dut_->in_ready_o, out_.in_ready);
    ASSERT_EQ(shown<End>(dut_->pipe_end_valid_o, dut_->pipe_end_o), out_.pipe_end);
    const auto choice = model_.turns().choice();
    ASSERT_EQ(dut_->pipe_read_o, choice.has_value());
    if (choice) {
      ASSERT_EQ(dut_->pipe_queue_o, *choice);
    }
  }
  void compare_sends() {
    ASSERT_EQ(bits_of(dut_->may_ahead_o), out_.may_ahead);
    ASSERT_EQ(bits_of(dut_->fence_ahead_o), out_.fence_ahead);
    ASSERT_EQ(bits_of(dut_->under_way_o), out_.under_way);
    ASSERT_EQ(shown<End>(dut_->send_end_valid_o, dut_->send_end_o), out_.send_end);
    ASSERT_EQ(dut_->again_valid_o, out_.again.has_value());
    if (out_.again) {
      ASSERT_EQ(dut_->again_queue_o, *out_.again);
    }
    ASSERT_EQ(dut_->ahead_good_o, out_.ahead_good);
    ASSERT_EQ(dut_->doubtful_o, out_.doubtful);
    ASSERT_EQ(dut_->broken_o, out_.broken);
    if (out_.number) {
      ASSERT_EQ(dut_->number_o, *out_.number);
    }
    ASSERT_EQ(dut_->hold_o, out_.hold);
    ASSERT_EQ(dut_->spoil_o, out_.spoil);
    if (in_.answer) {
      ASSERT_EQ(dut_->answer_queue_o, in_.answer->get<layout::send_answer::queue>());
    }
  }
  void compare_receives() {
    ASSERT_EQ(shown<Buffer>(dut_->buffer_valid_o, dut_->buffer_o), out_.buffer);
    ASSERT_EQ(dut_->receive_end_valid_o, out_.receive_end);
    if (in_.receive_end) {
      ASSERT_EQ(dut_->receive_end_ready_o, out_.receive_end_ready);
    }
    ASSERT_EQ(dut_->watch_o, out_.watch.has_value());
    if (out_.watch) {
      ASSERT_EQ(dut_->watch_queue_o, *out_.watch);
    }
    ASSERT_EQ(dut_->reset_o, in_.flush);
    ASSERT_EQ(dut_->stop_o, out_.stop);
    ASSERT_EQ(dut_->reset_queue_o, out_.reset_queue);
  }
  void compare() {
    ASSERT_NO_FATAL_FAILURE(compare_descriptors());
    ASSERT_NO_FATAL_FAILURE(compare_sends());
    ASSERT_NO_FATAL_FAILURE(compare_receives());
    ASSERT_EQ(dut_->busy_o, out_.busy);
    ASSERT_EQ(dut_->wake_at_o, out_.wake_at);
  }
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_QUEUE_PAIRS_BENCH_H_
