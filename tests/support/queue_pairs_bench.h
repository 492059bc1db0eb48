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
#include "tests/support/port_fields.h"
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
    drive_bits(dut_->held_i, in_.held);
    drive(dut_->pipe_answers_i, Model::answers_of(in_));
  }
  static Record<layout::send_outcome::Layout> outcome(const std::optional<Answer>& answer,
                                                      const Answer& idle) {
    namespace o = layout::send_outcome;
    return Record<o::Layout>()
        .set<o::answer>(answer.value_or(idle))
        .set<o::valid>(answer.has_value());
  }
  void drive_sends() {
    namespace b = layout::send_begin;
    namespace r = layout::pair_ends_ready;
    namespace n = layout::number_request;
    namespace p = layout::send_progress;
    drive(dut_->begin_i, Record<b::Layout>()
                             .set<b::fence>(in_.fence)
                             .set<b::sent>(in_.sent)
                             .set<b::queue>(in_.begin_queue)
                             .set<b::node>(in_.begin_node)
                             .set<b::index>(in_.begin_index));
    drive(dut_->ends_ready_i, Record<r::Layout>()
                                  .set<r::send>(in_.end_ready)
                                  .set<r::receive>(in_.receive_end_ready)
                                  .set<r::pipe>(in_.pipe_end_ready)
                                  .set<r::again>(in_.again_ready));
    drive(dut_->number_i,
          Record<n::Layout>().set<n::queue>(in_.number_queue).set<n::ahead>(in_.number_ahead));
    drive(dut_->progress_i,
          Record<p::Layout>().set<p::goes_ahead>(in_.ahead).set<p::left>(in_.left));
    drive(dut_->answer_i, outcome(in_.answer, idle_answer_));
    drive(dut_->failure_i, outcome(in_.failure, idle_failure_));
    drive(dut_->answer_peer_i, draw<Record<layout::queue_peer::Layout>>()
                                   .set<layout::queue_peer::x>(in_.peer & 15U)
                                   .set<layout::queue_peer::y>(in_.peer >> 4U & 15U)
                                   .set<layout::queue_peer::z>(in_.peer >> 8U));
  }
  void drive_receives() {
    namespace r = layout::receive_result;
    namespace e = layout::received_end;
    namespace m = layout::arriving_message;
    const End idle = End{}.set<layout::queue_end::queue>(Model::receive_queue_of(in_.pipe_data));
    drive(dut_->receive_end_i, Record<e::Layout>()
                                   .set<e::ending>(in_.receive_end ? in_.receive_end->end : idle)
                                   .set<e::result>(draw<Record<r::Layout>>().set<r::bytes>(
                                       in_.receive_end ? in_.receive_end->bytes : word()))
                                   .set<e::valid>(in_.receive_end.has_value()));
    drive(dut_->arriving_i, Record<m::Layout>()
                                .set<m::bytes>(in_.arriving.value_or(word()))
                                .set<m::valid>(in_.arriving.has_value()));
  }
  // One buffer is shown: a RECEIVE offers it, or the PIPE that is due begins with it.
  void drive_command() {
    namespace c = layout::pair_command;
    namespace b = layout::receive_buffer;
    Buffer buffer = in_.buffer ? *in_.buffer : draw<Buffer>();
    if (in_.due) buffer.set<b::queue>(in_.due->queue).set<b::address>(in_.due->address);
    if (in_.buffer) in_.buffer = buffer;
    drive(dut_->command_i, Record<c::Layout>()
                               .set<c::buffer>(buffer)
                               .set<c::buffer_valid>(in_.buffer.has_value())
                               .set<c::pipe_due>(in_.due.has_value())
                               .set<c::send_begin>(in_.begin)
                               .set<c::flush>(in_.flush));
  }
  void drive_all() {
    dut_->now_i = in_.now;
    namespace l = layout::node_limits;
    namespace c = layout::queue_configure;
    drive(dut_->limits_i, draw<Record<l::Layout>>()
                              .set<l::send_retry_cycles>(in_.retry_cycles)
                              .set<l::send_retries>(in_.retries));
    drive_bits(dut_->dynamic_i, in_.dynamic);
    drive(dut_->configure_i, Record<c::Layout>()
                                 .set<c::queue>(in_.configure_queue)
                                 .set<c::setup>(in_.setup)
                                 .set<c::pending>(in_.configuring)
                                 .set<c::written>(in_.configured));
    drive_command();
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
  template <auto Valid, auto Field>
  std::optional<End> shown_end() {
    return get<Valid>(dut_->ends_o) ? std::optional(get<Field>(dut_->ends_o)) : std::nullopt;
  }
  void compare_descriptors() {
    ASSERT_EQ(shown<Fetched>(dut_->out_valid_o, dut_->out_data_o), out_.out);
    ASSERT_EQ(dut_->message_ready_o, out_.message_ready);
    ASSERT_EQ(dut_->in_ready_o, out_.in_ready);
    namespace e = layout::pair_ends;
    namespace q = layout::queue_select;
    ASSERT_EQ((shown_end<e::pipe_valid, e::pipe>()), out_.pipe_end);
    const auto reads = get<layout::pipe_reads::held>(dut_->pipe_reads_o);
    ASSERT_EQ(reads.get<q::valid>(), out_.pipe_read.has_value());
    Model::Outputs list;
    Model::tell_list(get<layout::pipe_reads::list>(dut_->pipe_reads_o), list);
    ASSERT_EQ(list.list_command, out_.list_command);
    ASSERT_EQ(list.list_region, out_.list_region);
    if (out_.pipe_read) {
      ASSERT_EQ(reads.get<q::queue>(), *out_.pipe_read);
    }
  }
  void compare_sends() {
    ASSERT_EQ(bits_of(dut_->may_ahead_o), out_.may_ahead);
    ASSERT_EQ(bits_of(dut_->fence_ahead_o), out_.fence_ahead);
    ASSERT_EQ(bits_of(dut_->under_way_o), out_.under_way);
    namespace e = layout::pair_ends;
    namespace n = layout::send_number;
    ASSERT_EQ((shown_end<e::send_valid, e::send>()), out_.send_end);
    ASSERT_EQ(get<e::again_valid>(dut_->ends_o), out_.again.has_value());
    if (out_.again) {
      ASSERT_EQ(get<e::again_queue>(dut_->ends_o), *out_.again);
    }
    ASSERT_EQ(get<n::ahead_good>(dut_->number_o), out_.ahead_good);
    ASSERT_EQ(get<n::doubtful>(dut_->number_o), out_.doubtful);
    ASSERT_EQ(get<n::broken>(dut_->number_o), out_.broken);
    if (out_.number) {
      ASSERT_EQ(get<n::number>(dut_->number_o), *out_.number);
    }
    ASSERT_EQ(get<layout::send_hold::hold>(dut_->hold_o), out_.hold);
    ASSERT_EQ(get<layout::send_hold::spoil>(dut_->hold_o), out_.spoil);
  }
  void compare_receives() {
    namespace b = layout::buffer_offer;
    namespace e = layout::pair_ends;
    namespace q = layout::queue_select;
    namespace x = layout::pair_reset;
    const auto offer = sample_record<Record<b::Layout>>(dut_->buffer_o);
    ASSERT_EQ(offer.get<b::valid>() ? std::optional(offer.get<b::buffer>()) : std::nullopt,
              out_.buffer);
    ASSERT_EQ(get<e::receive_valid>(dut_->ends_o), out_.receive_end);
    if (in_.receive_end) {
      ASSERT_EQ(get<e::receive>(dut_->ends_o), in_.receive_end->end);
      ASSERT_EQ(dut_->receive_end_ready_o, out_.receive_end_ready);
    }
    ASSERT_EQ(get<q::valid>(dut_->watch_o), out_.watch.has_value());
    if (out_.watch) {
      ASSERT_EQ(get<q::queue>(dut_->watch_o), *out_.watch);
    }
    ASSERT_EQ(get<x::reset>(dut_->reset_o), in_.flush);
    ASSERT_EQ(get<x::stop>(dut_->reset_o), out_.stop);
    ASSERT_EQ(get<x::queue>(dut_->reset_o), out_.reset_queue);
    ASSERT_EQ(get<x::configured>(dut_->reset_o), in_.configured);
    ASSERT_EQ(get<x::receives>(dut_->reset_o), (in_.setup & 7U) >= 5);
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
