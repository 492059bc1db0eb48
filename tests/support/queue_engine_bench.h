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
#include "tests/support/port_fields.h"
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
    m.get_reserve_i = static_cast<SData>(any & 0x1FFF);
    if (in_.get_reserve) {
      namespace g = layout::get_reserve;
      drive(m.get_reserve_i, Record<g::Layout>()
                                 .set<g::queue>(in_.get_reserve->queue)
                                 .set<g::count>(in_.get_reserve->count)
                                 .set<g::reflected>(in_.get_reserve->reflected)
                                 .set<g::valid>(1));
    }
    m.push_reserve_i = static_cast<SData>(any >> 13 & 0xFFF);
    if (in_.push_reserve) {
      namespace p = layout::push_reserve;
      drive(m.push_reserve_i, Record<p::Layout>()
                                  .set<p::queue>(in_.push_reserve->queue)
                                  .set<p::client>(in_.push_reserve->client)
                                  .set<p::valid>(1));
    }
    m.publish_i = static_cast<IData>(any >> 25 & 0xFFFF);
    if (in_.publish) {
      namespace p = layout::publish;
      drive(m.publish_i, Record<p::Layout>()
                             .set<p::target>(in_.publish->queue)
                             .set<p::amount>(in_.publish->count)
                             .set<p::valid>(1));
    }
    namespace b = layout::read_beat;
    m.fetch_command_ready_i = in_.command_ready;
    testing::put<b::valid>(m.fetch_beat_i, in_.beat.has_value());
    testing::put<b::last>(m.fetch_beat_i,
                          in_.beat ? model_.descriptors().awaits_second_beat() : some(41) & 1);
    testing::put<b::error>(m.fetch_beat_i, in_.beat ? in_.beat->error : some(42) & 1);
    if (in_.beat) put_bytes<b::data>(m.fetch_beat_i, in_.beat->data);
    m.request_descriptor_ready_i = in_.descriptor_ready[0];
    m.reply_descriptor_ready_i = in_.descriptor_ready[1];
    m.retire_i = any >> 7 & 0xFFFFFFFFFFFF;
    if (in_.retire) {
      namespace t = layout::retired_descriptor;
      drive(m.retire_i, Record<layout::descriptor_retire::Layout>()
                            .set<layout::descriptor_retire::descriptor>(
                                Record<t::Layout>()
                                    .set<t::queue>(in_.retire->queue)
                                    .set<t::index>(in_.retire->index)
                                    .set<t::status>(static_cast<Status>(in_.retire->status)))
                            .set<layout::descriptor_retire::valid>(1));
    }
    drive(m.rewind_i, request(in_.rewind));
    m.credit_returned_i = in_.credit_returned;
    m.enable_i = any & ~(1ULL << layout::enable_request::valid.lsb) & ((1ULL << 57) - 1);
    if (in_.enable) {
      drive(m.enable_i, Record<layout::enable_request::Layout>()
                            .set<layout::enable_request::operation>(*in_.enable)
                            .set<layout::enable_request::valid>(1));
    }
    namespace q = layout::queue_requests;
    namespace e = layout::queue_select;
    drive(m.requests_i, Record<q::Layout>()
                            .set<q::hold>(request(in_.hold))
                            .set<q::resume>(request(in_.resume))
                            .set<q::releases>(Record<e::Layout>()
                                                  .set<e::queue>(in_.release.value_or(some(3)))
                                                  .set<e::valid>(in_.release.has_value())));
    m.last_node_i = static_cast<SData>(in_.last_node);
    drive_questions();
    m.peer_i = model_.peer(model_.table_queue());
  }
  Record<layout::place_request::Layout> request(const std::optional<Place>& place) const {
    namespace p = layout::place_request;
    return Record<p::Layout>()
        .set<p::place>(place.value_or(unasked_))
        .set<p::valid>(place.has_value());
  }
  // Queues that exist and others.
  void drive_questions() {
    auto& m = *dut_.operator->();
    for (CData* queue : {&m.empty_queue_i, &m.probe_queue_i})
      *queue = static_cast<CData>(random_.below(random_.chance(85) ? kQueues : 256));
  }
  void compare_turns() {
    auto& m = *dut_.operator->();
    ASSERT_EQ(static_cast<Turn>(get<layout::queue_events::taken>(m.events_o)), out_.turn);
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
    compare_slots(m.get_slots_valid_o, sample_record<Slots>(m.slots_o), model_.get_slots());
    compare_slots(m.push_slots_valid_o, sample_record<Slots>(m.slots_o), model_.push_slots());
    const auto& command = model_.descriptors().command();
    ASSERT_EQ(get<layout::read_request::valid>(m.fetch_read_o), command.has_value());
    if (command) {
      ASSERT_EQ(get<layout::read_request::command>(m.fetch_read_o), *command);
    }
  }
  void compare_queues() {
    auto& m = *dut_.operator->();
    namespace w = layout::queue_select;
    const auto peer = model_.peer_written();
    ASSERT_EQ(get<w::valid>(m.peer_write_o), peer.has_value());
    if (peer) {
      ASSERT_EQ(get<w::queue>(m.peer_write_o), *peer);
    }
    if (!model_.ready()) return;
    namespace p = layout::queue_probe;
    ASSERT_EQ(m.empty_o, model_.empty(m.empty_queue_i));
    ASSERT_EQ(get<p::setup>(m.probe_o), model_.setup(m.probe_queue_i));
    if (m.probe_queue_i < kQueues) {
      ASSERT_EQ(get<p::head>(m.probe_o), model_.head(m.probe_queue_i));
    }
  }
  void compare(const Model::Outputs& out) {
    auto& m = *dut_.operator->();
    ASSERT_EQ(m.busy_o, out.busy);
    ASSERT_EQ(m.active_o, out.active);
    namespace c = layout::queue_configure;
    namespace d = layout::queue_count;
    const auto configure = get<layout::queue_events::configure>(m.events_o);
    ASSERT_EQ(configure.get<c::pending>(), out.configure.has_value());
    if (out.configure) {
      ASSERT_EQ(configure.get<c::queue>(), *out.configure);
    }
    ASSERT_EQ(configure.get<c::written>(), out.configured);
    if (out.configured) {
      ASSERT_EQ((configure.get<c::setup>() & 7) >= 5, out.configured_receive);
    }
    const auto done = get<layout::queue_events::done>(m.events_o);
    ASSERT_EQ(done.get<d::valid>(), out.done.has_value());
    if (out.done) {
      ASSERT_EQ((Model::Done{static_cast<unsigned>(done.get<d::queue>()),
                             static_cast<std::uint32_t>(done.get<d::count>())}),
                *out.done);
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
