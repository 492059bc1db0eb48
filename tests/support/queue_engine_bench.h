// SPDX-License-Identifier: Apache-2.0
// mu_queue_engine beside its model: in each cycle what it shows is what the model says.

#ifndef TESTS_SUPPORT_QUEUE_ENGINE_BENCH_H_
#define TESTS_SUPPORT_QUEUE_ENGINE_BENCH_H_

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "Vmu_queue_engine.h"
#include "tests/support/clocked_once.h"
#include "tests/support/port_bits.h"
#include "tests/support/queue_engine_model.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"

namespace torusmu::testing {

// A test says in in_ what comes in, and steps; whoever has had the table then asks for it no more.
class QueueEngineBench : public ::testing::Test {
 protected:
  using Model = QueueEngineModel;
  using Turn = Model::Turn;
  using Place = Model::Place;
  using Slots = Model::Slots;
  static constexpr unsigned kQueues = Model::kQueues;

  static unsigned queue_of(const Place& place) {
    return static_cast<unsigned>(place.get<layout::queue_place::queue>());
  }
  static std::uint32_t index_of(const Place& place) {
    return static_cast<std::uint32_t>(place.get<layout::queue_place::index>());
  }
  void step() {
    drive_inputs();
    dut_.settle();
    out_ = model_.look(in_);
    ASSERT_NO_FATAL_FAILURE(compare_turns());
    ASSERT_NO_FATAL_FAILURE(compare_answers());
    ASSERT_NO_FATAL_FAILURE(compare_queues());
    ASSERT_NO_FATAL_FAILURE(compare(out_));
    if (model_.register_done()) response_ = model_.response();
    const Model::Cycle in = in_;
    note(out_);
    model_.clock(in);
    dut_.tick_settled();
  }
  // A reset: whatever the inputs say in it is of no account.
  void reset() {
    drive_inputs();
    dut_->rst_ni = 0;
    dut_.settle();
    dut_.tick_settled();
    dut_->rst_ni = 1;
    model_.reset();
    in_ = {};
    delivered_ = {};
  }

  Random random_;
  ClockedOnce<Vmu_queue_engine> dut_{random_.seed()};
  Model model_;
  Model::Cycle in_;
  Model::Outputs out_;                              // of the last cycle
  RegisterResponse response_;                       // the last one
  std::array<std::uint32_t, kQueues> delivered_{};  // of each queue the index behind the last

 private:
  // What is named without being valid is anything.
  void drive_inputs() {
    auto& m = *dut_.operator->();
    const std::uint64_t any = random_.bits64();
    const auto some = [&any](unsigned shift) { return static_cast<CData>(any >> shift); };
    m.register_valid_i = in_.access.has_value();
    if (in_.access) drive(m.register_request_i, *in_.access);
    m.get_reserve_valid_i = in_.get_reserve.has_value();
    m.get_reserve_queue_i = in_.get_reserve ? static_cast<CData>(in_.get_reserve->queue) : some(0);
    m.get_reserve_count_i =
        in_.get_reserve ? static_cast<CData>(in_.get_reserve->count) : some(8) & 15;
    m.get_reserve_reflected_i = in_.get_reserve ? in_.get_reserve->reflected : some(12) & 1;
    m.push_reserve_valid_i = in_.push_reserve.has_value();
    m.push_reserve_queue_i =
        in_.push_reserve ? static_cast<CData>(in_.push_reserve->queue) : some(13);
    m.push_reserve_client_i =
        in_.push_reserve ? static_cast<CData>(in_.push_reserve->client) : some(21) & 15;
    m.publish_valid_i = in_.publish.has_value();
    m.publish_target_i = in_.publish ? static_cast<CData>(in_.publish->queue) : some(25);
    m.publish_count_i = in_.publish ? static_cast<CData>(in_.publish->count) : some(33);
    m.fetch_command_ready_i = in_.command_ready;
    m.fetch_beat_valid_i = in_.beat.has_value();
    m.fetch_beat_last_i = in_.beat ? model_.descriptors().awaits_second_beat() : some(41) & 1;
    m.fetch_beat_error_i = in_.beat ? in_.beat->error : some(42) & 1;
    if (in_.beat) drive(m.fetch_beat_data_i, in_.beat->data);
    m.request_descriptor_ready_i = in_.descriptor_ready[0];
    m.reply_descriptor_ready_i = in_.descriptor_ready[1];
    m.retire_valid_i = in_.retire.has_value();
    m.retire_queue_i = in_.retire ? static_cast<CData>(in_.retire->queue) : some(43);
    m.retire_index_i = in_.retire ? in_.retire->index : static_cast<IData>(any >> 7);
    m.retire_status_i = in_.retire ? static_cast<CData>(in_.retire->status) : some(51);
    m.rewind_valid_i = in_.rewind.has_value();
    m.resume_valid_i = in_.resume.has_value();
    m.hold_valid_i = in_.hold.has_value();
    drive(m.rewind_place_i, in_.rewind.value_or(unasked_));
    drive(m.resume_place_i, in_.resume.value_or(unasked_));
    drive(m.hold_place_i, in_.hold.value_or(unasked_));
    m.credit_returned_i = in_.credit_returned;
    m.enable_valid_i = in_.enable.has_value();
    m.enable_operation_i = any;
    if (in_.enable) drive(m.enable_operation_i, *in_.enable);
    m.release_valid_i = in_.release.has_value();
    m.release_queue_i = static_cast<CData>(in_.release.value_or(some(3)));
    m.last_node_i = static_cast<SData>(in_.last_node);
    drive_questions();
  }
  // Queues that exist and others.
  void drive_questions() {
    auto& m = *dut_.operator->();
    for (CData* queue : {&m.empty_queue_i, &m.probe_queue_i, &m.send_queue_i, &m.entry_queue_i,
                         &m.told_queue_i, &m.receive_queue_i, &m.answer_queue_i})
      *queue = static_cast<CData>(random_.below(random_.chance(85) ? kQueues : 256));
  }
  void compare_turns() {
    auto& m = *dut_.operator->();
    ASSERT_EQ(m.retire_ready_o, out_.turn == Turn::kRetire);
    ASSERT_EQ(m.rewind_ready_o, out_.turn == Turn::kRewind);
    ASSERT_EQ(m.resume_ready_o, out_.turn == Turn::kResume);
    ASSERT_EQ(m.hold_ready_o, out_.turn == Turn::kHold);
    ASSERT_EQ(m.enable_ready_o, out_.turn == Turn::kEnable);
    ASSERT_EQ(m.publish_ready_o, out_.turn == Turn::kPublish);
    ASSERT_EQ(m.get_reserve_ready_o, out_.turn == Turn::kGetReserve);
    ASSERT_EQ(m.push_reserve_ready_o, out_.turn == Turn::kPushReserve);
  }
  void compare_slots(bool valid, const Slots& slots, const std::optional<Slots>& wanted) {
    namespace s = layout::ring_slots;
    ASSERT_EQ(valid, wanted.has_value());
    if (!wanted) return;
    ASSERT_EQ(slots.get<s::status>(), wanted->get<s::status>());
    if (wanted->get<s::status>() == Status::kOk) {
      ASSERT_EQ(slots, *wanted);
    }
  }
  // What came of the last cycle.
  void compare_answers() {
    auto& m = *dut_.operator->();
    ASSERT_EQ(m.register_done_o, model_.register_done());
    ASSERT_EQ(sample_record<RegisterResponse>(m.register_response_o), model_.response());
    ASSERT_EQ(bits_of(m.causes_o), model_.causes());
    compare_slots(m.get_slots_valid_o, sample_record<Slots>(m.get_slots_o), model_.get_slots());
    compare_slots(m.push_slots_valid_o, sample_record<Slots>(m.push_slots_o), model_.push_slots());
    const auto& command = model_.descriptors().command();
    ASSERT_EQ(m.fetch_command_valid_o, command.has_value());
    if (command) {
      ASSERT_EQ(sample_record<Model::ReadCommand>(m.fetch_command_data_o), *command);
    }
  }
  void compare_queues() {
    auto& m = *dut_.operator->();
    ASSERT_EQ(m.send_peer_o, model_.peer(m.send_queue_i));
    ASSERT_EQ(m.entry_peer_o, model_.peer(m.entry_queue_i));
    ASSERT_EQ(m.told_peer_o, model_.peer(m.told_queue_i));
    ASSERT_EQ(m.receive_peer_o, model_.peer(m.receive_queue_i));
    ASSERT_EQ(m.answer_peer_o, model_.peer(m.answer_queue_i));
    ASSERT_EQ(bits_of(m.dynamic_o), model_.dynamic());
    if (!model_.ready()) return;
    ASSERT_EQ(m.empty_o, model_.empty(m.empty_queue_i));
    ASSERT_EQ(m.probe_setup_o, model_.setup(m.probe_queue_i));
    if (m.probe_queue_i < kQueues) {
      ASSERT_EQ(m.probe_head_o, model_.head(m.probe_queue_i));
    }
  }
  void compare(const Model::Outputs& out) {
    auto& m = *dut_.operator->();
    ASSERT_EQ(m.busy_o, out.busy);
    ASSERT_EQ(m.active_o, out.active);
    ASSERT_EQ(m.configure_valid_o, out.configure.has_value());
    if (out.configure) {
      ASSERT_EQ(m.configure_queue_o, *out.configure);
    }
    ASSERT_EQ(m.configured_o, out.configured);
    if (out.configured) {
      ASSERT_EQ(m.configured_receive_o, out.configured_receive);
    }
    ASSERT_EQ(m.done_valid_o, out.done.has_value());
    if (out.done) {
      ASSERT_EQ((Model::Done{m.done_queue_o, m.done_head_o}), *out.done);
    }
    if (out.enable_status) {
      ASSERT_EQ(static_cast<Status>(m.enable_status_o), *out.enable_status);
    }
    ASSERT_EQ(m.request_descriptor_valid_o, out.descriptors[0].has_value());
    if (out.descriptors[0]) {
      ASSERT_EQ(sample_record<Model::Fetched>(m.request_descriptor_data_o), *out.descriptors[0]);
    }
    ASSERT_EQ(m.reply_descriptor_valid_o, out.descriptors[1].has_value());
    if (out.descriptors[1]) {
      ASSERT_EQ(sample_record<Model::Fetched>(m.reply_descriptor_data_o), *out.descriptors[1]);
    }
  }
  // What the neighbours know then: whoever had the table asks for it no more.
  void note(const Model::Outputs& out) {
    for (const bool reply : {false, true}) {
      if (!out.descriptors[reply] || !in_.descriptor_ready[reply]) continue;
      const Model::Fetched& fetched = *out.descriptors[reply];
      delivered_[fetched.get<layout::fetched_descriptor::queue>()] =
          static_cast<std::uint32_t>(fetched.get<layout::fetched_descriptor::index>()) + 1;
    }
    for (const auto& [turn, place] :
         {std::pair{Turn::kRewind, &in_.rewind}, {Turn::kResume, &in_.resume}}) {
      if (out.turn == turn) delivered_[queue_of(**place)] = index_of(**place);
    }
    if (out.configured) delivered_[*out.configure] = 0;
    if (model_.register_done()) in_.access.reset();
    if (out.turn == Turn::kRetire) in_.retire.reset();
    if (out.turn == Turn::kRewind) in_.rewind.reset();
    if (out.turn == Turn::kResume) in_.resume.reset();
    if (out.turn == Turn::kHold) in_.hold.reset();
    if (out.turn == Turn::kEnable) in_.enable.reset();
    if (out.turn == Turn::kPublish) in_.publish.reset();
    if (out.turn == Turn::kGetReserve) in_.get_reserve.reset();
    if (out.turn == Turn::kPushReserve) in_.push_reserve.reset();
  }

  Place unasked_ = Place::from_bytes(random_bytes(random_, Place::kBytes));
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_QUEUE_ENGINE_BENCH_H_
