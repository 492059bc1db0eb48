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
#include "tests/support/port_fields.h"
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
    in_.hold_ready = model_.phase() == Model::Phase::kStop && chance(mood_.stops);
    in_.resume_ready = !in_.hold_ready && chance(mood_.resumes);
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
  Record<layout::queue_count::Layout> counted(const std::optional<Count>& count, unsigned indices) {
    namespace c = layout::queue_count;
    const Count shown = count.value_or(Count{below(indices), bits32()});
    return Record<c::Layout>()
        .set<c::queue>(shown.index)
        .set<c::count>(shown.value)
        .set<c::valid>(count.has_value());
  }
  Record<layout::queue_end::Layout> ended(const std::optional<End>& end) {
    const End shown = end.value_or(End{pick(), static_cast<Status>(below(256))});
    return Record<layout::queue_end::Layout>{}
        .set<layout::queue_end::queue>(shown.queue)
        .set<layout::queue_end::status>(shown.status);
  }
  void put_queue_engine() {
    dut_->in_valid_i = in_.in.has_value();
    if (in_.in) drive(dut_->in_data_i, *in_.in);
    namespace c = layout::queue_configure;
    namespace e = layout::queue_events;
    namespace p = layout::queue_probe;
    const QueueTurn taken = in_.hold_ready     ? QueueTurn::kHold
                            : in_.resume_ready ? QueueTurn::kResume
                                               : QueueTurn::kRetire;
    drive(dut_->events_i,
          Record<e::Layout>()
              .set<e::configure>(Record<c::Layout>()
                                     .set<c::queue>(in_.configure.value_or(below(256)))
                                     .set<c::setup>(below(256))
                                     .set<c::pending>(in_.configure.has_value())
                                     .set<c::written>(in_.configured))
              .set<e::done>(counted(in_.done, 256))
              .set<e::taken>(taken));
    drive(dut_->probe_i,
          Record<p::Layout>().set<p::head>(in_.answer.head).set<p::setup>(in_.answer.setup));
  }
  void put_packetiser() {
    namespace h = layout::held_request;
    dut_->out_ready_i = in_.out_ready;
    if (in_.held) drive(dut_->held_data_i, *in_.held);
    drive(dut_->held_i,
          Record<h::Layout>()
              .set<h::address>(in_.held ? in_.held_address : random_.below(1ULL << 40))
              .set<h::valid>(in_.held.has_value()));
  }
  void put_counters() {
    namespace c = layout::event_change;
    namespace e = layout::entry_counts;
    namespace p = layout::completion_probe;
    const Count event = in_.event.value_or(Count{below(256), bits32()});
    drive(dut_->event_change_i, Record<c::Layout>()
                                    .set<c::index>(event.index)
                                    .set<c::value>(event.value)
                                    .set<c::valid>(in_.event.has_value()));
    drive(dut_->entries_i, Record<e::Layout>()
                               .set<e::written>(counted(in_.entries, 128))
                               .set<e::probe>(Record<p::Layout>()
                                                  .set<p::tail>(in_.answer.tail)
                                                  .set<p::owner>(in_.answer.owner)
                                                  .set<p::enable>(in_.answer.enable)));
    dut_->operation_ready_i = in_.operation_ready;
    put(dut_->waited_index_0_i, waited_[0]);
    put(dut_->waited_index_1_i, waited_[1]);
  }
  void put_pairs() {
    drive_bits(dut_->may_ahead_i, in_.may_ahead);
    drive_bits(dut_->fence_ahead_i, in_.fence_ahead);
    drive_bits(dut_->under_way_i, in_.under_way);
    namespace e = layout::pair_ends;
    namespace q = layout::queue_select;
    drive(dut_->ends_i, Record<e::Layout>()
                            .set<e::send>(ended(in_.send_end))
                            .set<e::receive>(ended(in_.receive_end))
                            .set<e::pipe>(ended(in_.pipe_end))
                            .set<e::again_queue>(in_.again.value_or(pick()))
                            .set<e::send_valid>(in_.send_end.has_value())
                            .set<e::receive_valid>(in_.receive_end.has_value())
                            .set<e::pipe_valid>(in_.pipe_end.has_value())
                            .set<e::again_valid>(in_.again.has_value()));
    drive(dut_->pipe_read_i,
          Record<q::Layout>().set<q::queue>(pipe_queue_).set<q::valid>(pipe_read_));
  }
  void drive_inputs() {
    put_queue_engine();
    put_packetiser();
    put_counters();
    put_pairs();
    dut_->calc_ready_i = in_.calc_ready;
    namespace c = layout::calc_done;
    drive(dut_->calc_done_i,
          Record<c::Layout>()
              .set<c::status>(in_.calc_done.value_or(static_cast<Status>(below(256))))
              .set<c::valid>(in_.calc_done.has_value()));
  }

  // --- what has to be seen ---
  void compare_queues(const HeldQueuesModel::Outputs& out) {
    namespace q = layout::queue_requests;
    namespace p = layout::place_request;
    namespace e = layout::queue_select;
    const auto resume = get<q::resume>(dut_->requests_o);
    const auto release = get<q::releases>(dut_->requests_o);
    ASSERT_TRUE(get<layout::pair_ends_ready::again>(dut_->ends_ready_o));
    ASSERT_NO_FATAL_FAILURE(compare_held_queues(
        *dut_.operator->(), out,
        resume.get<p::valid>() ? std::optional(resume.get<p::place>()) : std::nullopt,
        release.get<e::valid>() ? std::optional(static_cast<unsigned>(release.get<e::queue>()))
                                : std::nullopt));
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
    namespace p = layout::place_request;
    const auto hold = get<layout::queue_requests::hold>(dut_->requests_o);
    ASSERT_EQ(hold.get<p::valid>(), out.hold.has_value());
    if (out.hold) {
      ASSERT_EQ(hold.get<p::place>(), *out.hold);
    }
    ASSERT_EQ(dut_->operation_valid_o, out.operation.has_value());
    if (out.operation) {
      namespace o = layout::counter_operation;
      ASSERT_EQ(Operation().set<o::counter>(dut_->probe_queue_o).set<o::is_event>(1).set<o::add>(1),
                *out.operation);
    }
    const bool asks = model_.phase() == Phase::kSet || model_.phase() == Phase::kProbe;
    if (asks && model_.attached().asks()) {
      ASSERT_EQ(dut_->probe_queue_o, model_.attached().source);
    }
    namespace c = layout::pair_command;
    namespace b = layout::receive_buffer;
    const auto command = sample_record<Record<c::Layout>>(dut_->command_o);
    const auto buffer = command.get<c::buffer>();
    ASSERT_EQ(command.get<c::buffer_valid>(), out.buffer.has_value());
    if (out.buffer) {
      ASSERT_EQ(buffer, *out.buffer);
    }
    ASSERT_EQ(command.get<c::pipe_due>(), out.pipe_due.has_value());
    if (out.pipe_due) {
      ASSERT_EQ(buffer.get<b::queue>(), out.pipe_due->queue);
      ASSERT_EQ(buffer.get<b::address>(), out.pipe_due->address);
    }
    ASSERT_EQ(command.get<c::send_begin>(), out.send_begin.has_value());
    ASSERT_EQ(command.get<c::flush>(), out.flush_pair);
  }
  void compare_ends(const Outputs& out) {
    ASSERT_EQ(dut_->entries_ready_o, out.entries_ready);
    ASSERT_EQ(get<layout::pair_ends_ready::send>(dut_->ends_ready_o), out.send_end_ready);
    ASSERT_EQ(get<layout::pair_ends_ready::receive>(dut_->ends_ready_o), out.receive_end_ready);
    ASSERT_EQ(get<layout::pair_ends_ready::pipe>(dut_->ends_ready_o), out.pipe_end_ready);
    ASSERT_EQ(dut_->calc_done_ready_o, out.calc_done_ready);
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
