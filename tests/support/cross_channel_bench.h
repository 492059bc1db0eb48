// SPDX-License-Identifier: Apache-2.0
// mu_cross_channel with neighbours that do what they may, compared in each cycle with its model.

#ifndef TESTS_SUPPORT_CROSS_CHANNEL_BENCH_H_
#define TESTS_SUPPORT_CROSS_CHANNEL_BENCH_H_

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>

#include "Vmu_cross_channel.h"
#include "tests/support/clocked_once.h"
#include "tests/support/cross_channel_model.h"
#include "tests/support/cross_channel_neighbours.h"
#include "tests/support/few_numbers.h"
#include "tests/support/held_queues_compare.h"
#include "tests/support/nearly.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"

namespace torusmu::testing::cross_channel {

using Phase = Model::Phase;

// How often things happen for some hundred cycles, in percent.
struct Mood {
  unsigned queues = 3;  // so many at a time
  unsigned comes = 70, goes = 5, same = 50, ready = 70, resumes = 40, stops = 60, shows = 60;
  unsigned counts = 40, reached = 50, flushes = 5, silent = 50, paired = 50;
  std::array<Opcode, 2> pair = {Opcode::kWait, Opcode::kCalc};  // of these opcodes
  Neighbours::Mood neighbours;
  unsigned cycles = 400;
};

class CrossChannelBench : public ::testing::Test {
 protected:
  bool chance(unsigned percent) { return random_.chance(percent); }
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }
  std::uint32_t bits32() { return static_cast<std::uint32_t>(random_.bits64()); }
  unsigned pick() { return numbers_.any(random_); }

  // --- descriptors ---
  Opcode draw_opcode() {
    constexpr std::array kCommon = {Opcode::kWait, Opcode::kSend, Opcode::kReceive, Opcode::kFence,
                                    Opcode::kCalc, Opcode::kPipe, Opcode::kCtrAdd,  Opcode::kPut};
    if (chance(mood_.paired)) return mood_.pair.at(below(2));
    return kCommon.at(below(kCommon.size()));
  }
  // Queues, completion queues, and what is neither.
  unsigned draw_source() {
    if (chance(60)) return pick();
    return chance(60) ? kEntries + below(4) : below(256);
  }
  void draw_wait(Descriptor& descriptor) {
    namespace w = layout::wait_operation;
    const std::uint32_t step = chance(50) ? bits32() : below(4);
    const auto operand = Record<w::Layout>{}.set<w::value>(bits32()).set<w::step>(step);
    descriptor.set<d::immediate>(operand.bytes());
    auto header = descriptor.get<d::header>();
    descriptor.set<d::header>(header.set<layout::packet_header::target>(draw_source()));
    descriptor.set<d::event_counter>(chance(60) ? below(4) : below(256));
    descriptor.set<d::on_queue>(chance(60)).set<d::relative>(chance(50));
  }
  // Of what holds a queue only what passes mu_descriptor_check.
  Fetched draw_descriptor() {
    Fetched fetched = Fetched::from_bytes(random_bytes(random_, Fetched::kBytes));
    auto descriptor = fetched.get<f::descriptor>();
    const Opcode opcode = draw_opcode();
    descriptor.set<d::opcode>(opcode);
    if (HeldQueuesModel::may_hold(opcode)) descriptor.set<d::on_queue>(0).set<d::relative>(0);
    if (opcode == Opcode::kWait) draw_wait(descriptor);
    if (chance(mood_.silent))
      descriptor.set<d::done_event_valid>(0).set<d::interrupt_done>(0).set<d::signal>(0);
    if (!chance(mood_.same)) in_queue_ = pick();
    // Names of queues that a larger node would have, and some that none has.
    const unsigned name =
        in_queue_ + below((opcode == Opcode::kCalc ? 128 : 256) / kQueues) * kQueues;
    fetched.set<f::ahead>(0).set<f::again>(0).set<f::run>(0);
    return fetched.set<f::descriptor>(descriptor).set<f::queue>(name);
  }
  // One that was not taken stays, but for one that is taken back.
  void draw_in() {
    if (in_.in && !chance(mood_.goes)) return;
    in_.in.reset();
    if (chance(mood_.comes)) in_.in = draw_descriptor();
  }

  // --- counts ---
  // About what a queue waits for, if there is one.
  Count draw_count(bool on_queue, bool entries) {
    const unsigned first = below(kQueues);
    for (unsigned i = 0; i < kQueues; ++i) {
      const auto& entry = model_.table().entry((first + i) % kQueues);
      if (!entry.waiting || entry.on_queue != on_queue) continue;
      if (on_queue && (entry.index >= kEntries) != entries) continue;
      const auto index = static_cast<unsigned>(nearly(random_, entry.index, entries ? 7 : 8));
      return {index, near(entry.threshold)};
    }
    return {below(entries ? 128 : 256), bits32()};
  }
  std::uint32_t near(std::uint32_t threshold) {
    const auto reached = static_cast<std::uint32_t>(nearly(random_, threshold, 32));
    return chance(mood_.reached) ? reached + below(3) : threshold - 1 - below(3);
  }
  void draw_counts() {
    in_.done.reset();
    in_.event.reset();
    if (chance(mood_.counts)) in_.done = draw_count(true, false);
    if (chance(mood_.counts)) in_.event = draw_count(false, false);
    if (in_.entries) return;
    if (!chance(mood_.counts)) return;
    in_.entries = draw_count(true, true);
    in_.entries->index %= kEntries;
  }
  // Of the queue that is asked for; the own one of a CALC is there.
  Answer draw_answer() {
    const Attached& asks = model_.attached();
    const auto mode = asks.is_pipe() ? static_cast<unsigned>(QueueMode::kPiped) : 1 + below(7);
    Answer answer;
    answer.head = near(model_.threshold());
    answer.tail = near(model_.threshold());
    answer.setup = asks.owner << 3 | mode;
    if (!asks.is_calc() || model_.phase() != Phase::kSet) {
      answer.setup = static_cast<unsigned>(nearly(random_, answer.setup, 7));
      if (chance(10)) answer.setup &= ~7U;  // OFF
      if (asks.source >= kQueues) answer.setup = 0;
    }
    answer.enable = asks.source % kEntries < kQueues && chance(85);
    answer.owner = static_cast<unsigned>(nearly(random_, asks.owner, 4));
    return answer;
  }

  // A queue is configured until nothing of it is left, and then no other in the next cycle.
  void draw_configure() {
    if (in_.configured)
      in_.configure.reset();
    else if (!in_.configure && chance(mood_.flushes))
      in_.configure = pick();
    in_.configured = false;
    if (!in_.configure || !model_.is_free(*in_.configure) || neighbours_.has(*in_.configure))
      return;
    const bool comes = in_.in && number_of(name_of(*in_.in)) == *in_.configure;
    in_.configured = !comes && chance(30);
  }
  void draw() {
    neighbours_.draw(mood_.neighbours, model_, in_);
    draw_in();
    draw_counts();
    draw_configure();
    in_.answer = draw_answer();
    in_.out_ready = !neighbours_.is_judging() && chance(mood_.ready);
    in_.resume_ready = chance(mood_.resumes);
    in_.hold_ready = model_.phase() == Model::Phase::kStop && chance(mood_.stops);
    in_.operation_ready = chance(mood_.shows);
    pipe_queue_ = below(256);
    pipe_read_ = chance(60);
    for (unsigned& index : waited_) index = draw_count(false, false).index;
  }

  // --- ports ---
  template <typename Port>
  static void put(Port& port, std::uint64_t value) {
    port = static_cast<Port>(value);
  }
  // What is named without being valid is anything.
  template <typename Valid, typename Index, typename Value>
  void put_count(Valid& valid, Index& index, Value& value, const std::optional<Count>& count,
                 unsigned indices) {
    const Count shown = count.value_or(Count{below(indices), bits32()});
    put(valid, count.has_value());
    put(index, shown.index);
    put(value, shown.value);
  }
  template <typename Valid, typename Port>
  void put_end(Valid& valid, Port& port, const std::optional<End>& end) {
    const End shown = end.value_or(End{pick(), static_cast<Status>(below(256))});
    put(valid, end.has_value());
    drive(port, Record<layout::queue_end::Layout>{}
                    .set<layout::queue_end::queue>(shown.queue)
                    .set<layout::queue_end::status>(shown.status));
  }
  void put_queue_engine() {
    dut_->in_valid_i = in_.in.has_value();
    if (in_.in) drive(dut_->in_data_i, *in_.in);
    dut_->hold_ready_i = in_.hold_ready;
    dut_->resume_ready_i = in_.resume_ready;
    dut_->configure_valid_i = in_.configure.has_value();
    dut_->configured_i = in_.configured;
    put(dut_->configure_queue_i, in_.configure.value_or(below(256)));
    put_count(dut_->done_valid_i, dut_->done_queue_i, dut_->done_head_i, in_.done, 256);
    dut_->probe_head_i = in_.answer.head;
    put(dut_->probe_setup_i, in_.answer.setup);
  }
  void put_packetiser() {
    dut_->out_ready_i = in_.out_ready;
    dut_->held_valid_i = in_.held.has_value();
    if (in_.held) drive(dut_->held_data_i, *in_.held);
    dut_->held_address_i = in_.held ? in_.held_address : random_.below(1ULL << 40);
  }
  void put_counters() {
    put_count(dut_->event_valid_i, dut_->event_index_i, dut_->event_value_i, in_.event, 256);
    put_count(dut_->entries_valid_i, dut_->entries_queue_i, dut_->entries_tail_i, in_.entries, 128);
    dut_->operation_ready_i = in_.operation_ready;
    dut_->probe_enable_i = in_.answer.enable;
    dut_->probe_tail_i = in_.answer.tail;
    put(dut_->probe_owner_i, in_.answer.owner);
    put(dut_->waited_index_0_i, waited_[0]);
    put(dut_->waited_index_1_i, waited_[1]);
  }
  void put_pairs() {
    drive_bits(dut_->may_ahead_i, in_.may_ahead);
    drive_bits(dut_->fence_ahead_i, in_.fence_ahead);
    drive_bits(dut_->under_way_i, in_.under_way);
    put_end(dut_->send_end_valid_i, dut_->send_end_i, in_.send_end);
    put_end(dut_->receive_end_valid_i, dut_->receive_end_i, in_.receive_end);
    put_end(dut_->pipe_end_valid_i, dut_->pipe_end_i, in_.pipe_end);
    dut_->again_valid_i = in_.again.has_value();
    put(dut_->again_queue_i, in_.again.value_or(pick()));
    put(dut_->pipe_queue_i, pipe_queue_);
    dut_->pipe_read_i = pipe_read_;
  }
  void drive_inputs() {
    put_queue_engine();
    put_packetiser();
    put_counters();
    put_pairs();
    dut_->calc_ready_i = in_.calc_ready;
    dut_->calc_done_valid_i = in_.calc_done.has_value();
    const auto status = in_.calc_done.value_or(static_cast<Status>(below(256)));
    put(dut_->calc_done_status_i, static_cast<unsigned>(status));
  }

  // --- what has to be seen ---
  void compare_queues(const HeldQueuesModel::Outputs& out) {
    ASSERT_NO_FATAL_FAILURE(compare_held_queues(*dut_.operator->(), out));
    if (pipe_seen_) {
      ASSERT_EQ(sample_record<Fetched>(dut_->pipe_data_o), *pipe_seen_);
    }
  }
  // Of a queue that holds nothing anything may be seen.
  void look_at_pipe() {
    if (!pipe_read_) return;
    const auto& pipe = model_.queues().queue(number_of(pipe_queue_));
    pipe_seen_ = pipe.taken ? std::optional(pipe.data) : std::nullopt;
  }
  void compare_attach(const Outputs& out) {
    ASSERT_EQ(dut_->held_ready_o, out.held_ready);
    ASSERT_EQ(dut_->hold_valid_o, out.hold.has_value());
    if (out.hold) {
      ASSERT_EQ(sample_record<Place>(dut_->hold_place_o), *out.hold);
    }
    ASSERT_EQ(dut_->operation_valid_o, out.operation.has_value());
    if (out.operation) {
      ASSERT_EQ(sample_record<Operation>(dut_->operation_o), *out.operation);
    }
    const bool asks = model_.phase() == Phase::kSet || model_.phase() == Phase::kProbe;
    if (asks && model_.attached().asks()) {
      ASSERT_EQ(dut_->probe_queue_o, model_.attached().source);
    }
    ASSERT_EQ(dut_->buffer_valid_o, out.buffer.has_value());
    if (out.buffer) {
      ASSERT_EQ(sample_record<Buffer>(dut_->buffer_o), *out.buffer);
    }
    ASSERT_EQ(dut_->pipe_due_o, out.pipe_due.has_value());
    if (out.pipe_due) {
      ASSERT_EQ(dut_->pipe_due_queue_o, out.pipe_due->queue);
      ASSERT_EQ(dut_->pipe_address_o, out.pipe_due->address);
    }
    ASSERT_EQ(dut_->send_begin_o, out.send_begin.has_value());
    if (out.send_begin) {
      ASSERT_EQ(dut_->send_queue_o, out.send_begin->queue);
      ASSERT_EQ(dut_->send_begin_sent_o, out.send_begin->sent);
    }
  }
  void compare_ends(const Outputs& out) {
    ASSERT_EQ(dut_->entries_ready_o, out.entries_ready);
    ASSERT_EQ(dut_->send_end_ready_o, out.send_end_ready);
    ASSERT_EQ(dut_->receive_end_ready_o, out.receive_end_ready);
    ASSERT_EQ(dut_->pipe_end_ready_o, out.pipe_end_ready);
    ASSERT_EQ(dut_->calc_done_ready_o, out.calc_done_ready);
    ASSERT_EQ(dut_->flush_pair_o, out.flush_pair);
    ASSERT_EQ(dut_->calc_valid_o, model_.turns().is_offered());
    const auto calc = model_.turns().queue();
    if (calc && model_.turns().is_under_way(*calc) && model_.queues().queue(*calc).taken) {
      ASSERT_EQ(sample_record<Fetched>(dut_->calc_data_o), model_.queues().queue(*calc).data);
    }
  }
  void compare(const Outputs& out) {
    ASSERT_EQ(dut_->busy_o, out.busy);
    ASSERT_EQ(dut_->waiting_o, out.waiting);
    ASSERT_EQ(dut_->waited_0_o, model_.table().is_event_waited(waited_[0]));
    ASSERT_EQ(dut_->waited_1_o, model_.table().is_event_waited(waited_[1]));
    ASSERT_NO_FATAL_FAILURE(compare_queues(out.queues));
    ASSERT_NO_FATAL_FAILURE(compare_attach(out));
    ASSERT_NO_FATAL_FAILURE(compare_ends(out));
  }

  // --- runs ---
  void cycle() {
    cycle([] {});
  }
  // With something that is not left to chance.
  template <typename Change>
  void cycle(Change change) {
    draw();
    change();
    drive_inputs();
    dut_.settle();
    out_ = model_.outputs(in_);
    ASSERT_NO_FATAL_FAILURE(compare(out_));
    look_at_pipe();
    model_.clock(in_);
    neighbours_.clock(in_, out_);
    dut_.tick_settled();
    if (out_.queues.in_ready) in_.in.reset();
    if (out_.entries_ready) in_.entries.reset();
  }
  // In mood.queues queues, or in one.
  void run(const Mood& mood, std::optional<unsigned> queue = std::nullopt) {
    mood_ = mood;
    if (queue) {
      numbers_.choose_one(*queue);
    } else {
      numbers_.choose(random_, mood.queues);
    }
    for (unsigned i = 0; i < mood.cycles; ++i) ASSERT_NO_FATAL_FAILURE(cycle()) << "cycle " << i;
  }
  // A reset while everything goes on: whatever the inputs say in it is of no account.
  void forget() {
    draw();
    drive_inputs();
    dut_->rst_ni = 0;
    dut_.settle();
    look_at_pipe();
    dut_.tick_settled();
    dut_->rst_ni = 1;
    model_.reset(in_);
    neighbours_.reset();
    in_ = {};
  }

  Random random_;
  ClockedOnce<Vmu_cross_channel> dut_{random_.seed()};
  Model model_;
  Neighbours neighbours_{random_};
  Cycle in_;
  Outputs out_;
  Mood mood_;
  std::array<unsigned, 2> waited_{};
  FewNumbers numbers_{kQueues};
  unsigned in_queue_ = 0, pipe_queue_ = 0;
  bool pipe_read_ = false;
  std::optional<Fetched> pipe_seen_;
};

}  // namespace torusmu::testing::cross_channel

#endif  // TESTS_SUPPORT_CROSS_CHANNEL_BENCH_H_
