// SPDX-License-Identifier: Apache-2.0
// model: Vmu_queue_pairs mu_queue_pairs
// model: Vmu_pipes mu_pipes
// bgp: -GQUEUES=128
// SENDs, FENCEs and PIPEs of all queues under everything at once, compared in each cycle.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

#include "tests/support/few_numbers.h"
#include "tests/support/mood.h"
#include "tests/support/nearly.h"
#include "tests/support/old_count.h"
#include "tests/support/port_bits.h"
#include "tests/support/queue_pairs_bench.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

namespace a = layout::send_answer;
namespace f = layout::fetched_descriptor;
namespace o = layout::pipe_operation;

class QueuePairsAtRandom : public QueuePairsBench {
 protected:
  // How often things happen for some hundred cycles, in percent.
  struct Mood {
    unsigned queues = 3;  // so many at a time
    unsigned comes = 30, ready = 70, messages = 20, buffers = 20, ends_ready = 70;
    unsigned begins = 30, fences = 30, dues = 20, receives = 30, arrives = 20, left = 70;
    unsigned answers = 20, refusals = 30, oks = 80, configures = 3, jumps = 20;
    std::uint32_t retries = 3, retry_cycles = 10;
    unsigned cycles = 300;
  };
  // A copy of a PIPE's SEND, in the cycle in which the packetiser judges it.
  struct Copy {
    unsigned queue;
    bool ahead;
  };

  using QueuePairsBench::draw;

  QueuePairsAtRandom() {
    in_.now = random_.bits64() % Model::kNever;
    for (Fetched& held : held_) held = draw<Fetched>();
  }

  unsigned pick() { return few_.any(random_); }
  template <typename RecordType>
  std::optional<RecordType> draw(unsigned percent) {
    return random_.chance(percent) ? std::optional(draw<RecordType>()) : std::nullopt;
  }
  unsigned pipe_queue() const { return model_.viewed(); }
  unsigned receive_queue() const { return Model::receive_queue_of(held_.at(pipe_queue())); }
  bool is_held_by_pipe(unsigned queue) const { return pipes_[queue]; }
  bool has_pipe(unsigned queue) const {
    const bool comes = in_.due && in_.due->queue == queue;
    return comes || is_held_by_pipe(queue) || flushed_.at(queue) != 0;
  }
  bool has_send(unsigned queue) const {
    const auto& held = model_.requests().queue(queue);
    return (held.first && !held.first->fence) || held.second_send() ||
           model_.requests().begins_send(queue);
  }
  bool has_fence(unsigned queue) const {
    const auto& held = model_.requests().queue(queue);
    const bool begins = model_.requests().begins(queue) && !model_.requests().begins_send(queue);
    return begins || (held.first && held.first->fence) || has_fence_ahead(queue);
  }
  bool has_fence_ahead(unsigned queue) const {
    const auto& held = model_.requests().queue(queue);
    return held.second && held.second->fence;
  }
  // What holds it has ended, and that is to be reported.
  bool is_ending(unsigned queue) const {
    const auto& end = model_.requests().end();
    return end && end->queue == queue;
  }
  bool is_reset(unsigned queue) const {
    return (in_.flush || in_.configured) && in_.configure_queue == queue;
  }

  // --- configuration: what holds the queue is flushed first ---
  unsigned draw_setup() {
    constexpr auto kPiped = static_cast<unsigned>(QueueMode::kPiped);
    const auto mode = random_.chance(80) ? kPiped : static_cast<unsigned>(random_.below(kPiped));
    return Model::make_setup(static_cast<unsigned>(random_.below(16)),
                             static_cast<QueueMode>(mode));
  }
  void draw_configure() {
    const bool over = in_.configured || random_.chance(5);
    if (in_.configuring && !is_held_by_pipe(in_.configure_queue) && over) in_.configuring = false;
    in_.flush = in_.configured = false;
    in_.setup = draw_setup();
    if (!in_.configuring) {
      in_.configuring = random_.chance(mood_.configures);
      in_.configure_queue = random_.chance(20) ? receive_queue() % kQueues : pick();
      if (!in_.configuring && random_.chance(50)) in_.configure_queue = word() % 256;
    }
    if (!in_.configuring) return;
    const unsigned at = in_.configure_queue;
    if (!model_.requests().may_configure(at)) return;
    if (is_held_by_pipe(at)) {
      in_.flush = random_.chance(50);
      return;
    }
    in_.flush = !has_pipe(at) && random_.chance(20);
    in_.configured = !in_.flush && random_.chance(30);
    if (!in_.configured || has_send(at)) return;
    in_.dynamic[at] = random_.chance(20);
  }
  // --- a PIPE: its operands have been checked, its receive queue may be used, or just not ---
  bool has_piped(unsigned queue) const {
    const auto setup = model_.setup(queue);
    return setup == Model::make_setup(setup.value_or(0) >> 4U, QueueMode::kPiped);
  }
  Fetched draw_pipe(unsigned queue) {
    unsigned from = pick();
    const int tries = random_.chance(80) ? 10 : 0;
    for (int i = 0; i < tries && (from == queue || !has_piped(from)); ++i)
      from = static_cast<unsigned>(random_.below(kQueues));
    if (from == queue) from = (from + 1) % kQueues;
    const std::uint64_t bytes = 1 + old_count(random_, 31);
    const auto messages = 1 + (random_.chance(80) ? random_.below(6) : old_count(random_, 31));
    const auto kind = random_.below(100);
    const bool listed = kind >= 20 && kind < 80 && random_.chance(30);
    const std::uint64_t length = bytes * (1 + random_.below(5)) + random_.below(bytes);
    auto fetched = draw<Fetched>();
    auto descriptor = fetched.get<f::descriptor>();
    descriptor.set<layout::descriptor::length>(listed ? 16 * (1 + random_.below(16)) : length)
        .set<layout::descriptor::immediate>(draw<Model::Operation>()
                                                .set<o::messages>(messages)
                                                .set<o::buffer_bytes>(listed ? 0 : bytes)
                                                .set<o::listed>(listed)
                                                .set<o::receive_queue>(from)
                                                .set<o::origin>(kind < 20)
                                                .set<o::target>(kind >= 80)
                                                .bytes());
    const unsigned setup = model_.setup(from).value_or(draw_setup());
    return fetched.set<f::descriptor>(descriptor)
        .set<f::queue>(queue)
        .set<f::owner>(nearly(random_, setup >> 4U, 4));
  }
  void draw_due() {
    const unsigned at = pick();
    in_.due.reset();
    if (has_pipe(at) || has_send(at) || has_fence(at) || is_reset(at)) return;
    if (!random_.chance(mood_.dues)) return;
    in_.due = {at, random_.bits64() >> 24U};
    held_.at(at) = draw_pipe(at);
    owner_ = held_.at(at).get<f::owner>();
  }
  // --- what is told of SENDs and FENCEs ---
  Status draw_status() {
    if (random_.chance(mood_.refusals))
      return random_.chance(80) ? Status::kReceiveDisabled : Status::kDeliveryUnknown;
    if (random_.chance(mood_.oks)) return Status::kOk;
    return static_cast<Status>(random_.below(256));
  }
  Answer draw_told(bool answer) {
    const unsigned at = random_.chance(20) ? pipe_queue() : pick();
    const auto& held = model_.requests().queue(at);
    const bool of_fence = has_fence(at) && random_.chance(80);
    const bool second = !held.first || (held.second_send() && random_.chance(40));
    const std::uint32_t peer = in_.dynamic[at] ? held.node : in_.peer;
    const std::uint32_t node = of_fence ? held.fence_node : peer;
    const std::uint32_t number = of_fence ? held.fence_index : held.sent + (second ? 1 : 0);
    return Answer{}
        .set<a::queue>(random_.chance(97) ? at : random_.below(256))
        .set<a::number>(nearly(random_, number, 32))
        .set<a::status>(draw_status())
        .set<a::node>(answer ? nearly(random_, node, 12) : random_.below(3) * 0x555)
        .set<a::fence>(of_fence != random_.chance(5));
  }
  void draw_answers() {
    if (random_.chance(5)) in_.peer = word() % 0x1000;
    in_.answer.reset();
    in_.failure.reset();
    if (random_.chance(mood_.answers) && !model_.requests().answer_waits())
      in_.answer = draw_told(true);
    if (random_.chance(mood_.answers / 3)) in_.failure = draw_told(false);
  }
  // --- what begins, and what the packetiser cuts ---
  void draw_begin() {
    const unsigned at = pick();
    const auto& held = model_.requests().queue(at);
    const bool went_ahead = has_fence_ahead(at);
    in_.fence = !judged_ && random_.chance(went_ahead ? 90 : mood_.fences);
    in_.begin_queue = at;
    in_.begin_node = in_.fence && went_ahead ? held.fence_node : word() % 0x1000;
    in_.begin_index = in_.fence && went_ahead ? held.fence_index : word();
    in_.sent = !in_.fence && held.second_send();
    const bool may = !held.first && !model_.requests().begins(at) && !is_ending(at) &&
                     !model_.requests().configures(at) &&
                     (in_.fence ? !held.second_send() : !went_ahead && !held.broken);
    in_.begin = may && !has_pipe(at) && !is_reset(at) && random_.chance(mood_.begins);
    if (!in_.begin) in_.sent = random_.chance(50);
  }
  // The second goes out behind the first, and again if that did; a FENCE behind the first alone.
  bool may_go_ahead(unsigned queue) const {
    const auto& second = model_.requests().queue(queue).second;
    if (judged_) return judged_->ahead;
    if (has_pipe(queue)) return false;
    return !second || (in_.fence ? second->fence : !second->fence && second->due);
  }
  void draw_copy() {
    in_.left = random_.chance(mood_.left);
    in_.number_queue = judged_              ? judged_->queue
                       : random_.chance(95) ? pick()
                                            : static_cast<unsigned>(random_.below(256));
    in_.number_ahead = judged_ ? judged_->ahead : random_.chance(50);
    if (in_.fence && !in_.begin) in_.number_queue = in_.begin_queue;
    const unsigned at = in_.number_queue % kQueues;
    if (in_.begin) in_.left = in_.ahead = false;
    if (in_.begin) return;
    in_.ahead = in_.number_queue < kQueues && in_.number_ahead && model_.ahead_good(in_) &&
                !is_reset(at) && may_go_ahead(at) && random_.chance(90);
    if (in_.ahead || in_.number_queue >= kQueues) in_.left = false;
  }
  // Nothing is taken in the cycle in which a copy is judged, nor while one is held.
  void draw_ready() {
    const bool cutting = judged_ || (model_.pipes_hold() && !gave_up_);
    in_.out_ready = !cutting && random_.chance(mood_.ready);
  }
  // --- receive queues: messages into the buffers that PIPEs gave ---
  bool has_buffer(unsigned queue) {
    return given_.contains(queue) && given_[queue] > 0 && model_.receives_from(queue);
  }
  void draw_receives() {
    const auto watched = model_.watched();
    const bool waits = watched && has_buffer(*watched);
    if (!waits) in_.arriving.reset();
    if (waits && !in_.arriving && random_.chance(mood_.arrives))
      in_.arriving = word() >> random_.below(32);
    in_.receive_end.reset();
    if (!random_.chance(mood_.receives)) return;
    auto bytes = word();
    const Status status = random_.chance(90) ? Status::kOk : draw_status();
    auto queue = static_cast<unsigned>(random_.below(256));
    if (!given_.empty() && random_.chance(80)) {
      const auto skipped = static_cast<std::ptrdiff_t>(random_.below(given_.size()));
      queue = std::next(given_.begin(), skipped)->first;
      if (random_.chance(10)) queue ^= 1U << random_.below(8);
    }
    if (model_.receives_from(queue) && !has_buffer(queue)) return;
    if (queue == watched && in_.arriving) {
      bytes = *in_.arriving;
      in_.arriving.reset();
    }
    const End end =
        End{}.set<layout::queue_end::queue>(queue).set<layout::queue_end::status>(status);
    in_.receive_end = {end, bytes};
  }
  void draw_time() {
    const auto wake_at = model_.requests().wake_at();
    in_.now = wake_at && random_.chance(mood_.jumps) ? *wake_at : in_.now + random_.below(2);
    in_.retries = mood_.retries;
    in_.retry_cycles = mood_.retry_cycles;
  }
  void draw_all() {
    draw_time();
    draw_configure();
    draw_due();
    draw_answers();
    draw_begin();
    draw_copy();
    draw_ready();
    draw_receives();
    in_.in = draw<Fetched>(mood_.comes);
    in_.message = draw<Message>(mood_.messages);
    in_.buffer = draw<Buffer>(mood_.buffers);
    in_.end_ready = random_.chance(mood_.ends_ready);
    in_.again_ready = random_.chance(mood_.ends_ready);
    in_.pipe_end_ready = !in_.flush && random_.chance(mood_.ends_ready);
    in_.receive_end_ready = random_.chance(mood_.ends_ready);
    in_.held = (any_bits(random_) & ~bit(pipe_queue())) | pipes_;
    in_.pipe_data = held_.at(pipe_queue());
    idle_answer_ = draw_told(true);
    idle_failure_ = draw_told(false);
    draw_list();
  }

  // Most lists are good. A command is answered by as many beats as it asks for.
  void draw_list() {
    namespace a = layout::list_answers;
    namespace b = layout::read_beat;
    namespace e = layout::region_entry;
    in_.list.set<a::ready>(random_.chance(40))
        .set<a::looks>(random_.chance(60))
        .set<a::beat>(draw<Record<b::Layout>>().set<b::valid>(0))
        .set<a::entry>(draw<Record<e::Layout>>());
    if (random_.chance(95)) {
      in_.list.set<a::entry>(
          in_.list.get<a::entry>().set<e::owner>(owner_).set<e::enable>(1).set<e::length>(1ULL
                                                                                          << 37U));
    }
    if (beats_ == 0 || !random_.chance(60)) return;
    const auto entry = random_.chance(3)
                           ? draw<PipeBuffer>()
                           : PipeBuffer()
                                 .set<layout::pipe_buffer::region>(random_.below(256))
                                 .set<layout::pipe_buffer::offset>(random_.below(1 << 20))
                                 .set<layout::pipe_buffer::bytes>(1 + old_count(random_, 31));
    auto data = draw<Record<b::Layout>>().get<b::data>();
    const auto bytes = entry.bytes();
    for (unsigned half = 0; half < 2; ++half)
      std::copy(bytes.begin(), bytes.end(), data.begin() + half * bytes.size());
    in_.list.set<a::beat>(Record<b::Layout>()
                              .set<b::data>(data)
                              .set<b::valid>(1)
                              .set<b::last>(--beats_ == 0)
                              .set<b::error>(random_.chance(3)));
  }

  // What the neighbours know when the cycle is over.
  void learn() {
    if (out_.list_command && in_.list.get<layout::list_answers::ready>() != 0) {
      beats_ =
          (static_cast<unsigned>(out_.list_command->get<layout::read_command::bytes>()) + 31) / 32;
      ++lists_;
    }
    const bool offered = model_.pipes_offer();
    for (unsigned& cycles : flushed_) cycles -= cycles > 0 ? 1 : 0;
    if (in_.due) pipes_.set(in_.due->queue);
    if (in_.flush) {
      pipes_.reset(in_.configure_queue);
      flushed_.at(in_.configure_queue) = 60;
    }
    if (out_.pipe_end && in_.pipe_end_ready)
      pipes_.reset(out_.pipe_end->get<layout::queue_end::queue>());
    if (out_.buffer && !in_.buffer)
      ++given_[static_cast<unsigned>(out_.buffer->get<layout::receive_buffer::queue>())];
    if (in_.receive_end && !out_.receive_end)
      --given_[static_cast<unsigned>(in_.receive_end->end.get<layout::queue_end::queue>())];
    if (out_.stop) given_.erase(out_.reset_queue);
    gave_up_ = judged_ ? judged_->ahead && !in_.ahead : gave_up_ && !in_.out_ready;
    judged_.reset();
    if (in_.out_ready && offered) {
      judged_ = {static_cast<unsigned>(out_.out->get<f::queue>()), out_.out->get<f::ahead>() != 0};
    }
  }
  void cycle() {
    draw_all();
    ASSERT_NO_FATAL_FAILURE(look());
    learn();
    clock();
  }
  // In the middle of everything.
  void forget() {
    draw_all();
    ASSERT_NO_FATAL_FAILURE(reset());
    in_.configuring = in_.configured = false;
    in_.arriving.reset();
    pipes_.reset();
    given_.clear();
    flushed_ = {};
    judged_.reset();
    gave_up_ = false;
    beats_ = 0;
  }
  void run(const Mood& mood) {
    mood_ = mood;
    few_.choose(random_, mood_.queues);
    for (unsigned i = 0; i < mood.cycles; ++i) ASSERT_NO_FATAL_FAILURE(cycle()) << "cycle " << i;
  }
  Mood draw_mood() {
    return {
        .queues = random_.chance(30) ? kQueues : 1 + static_cast<unsigned>(random_.below(4)),
        .comes = draw_percent(random_),
        .ready = 20 + draw_percent(random_) * 4 / 5,
        .messages = draw_percent(random_) * 4 / 5,
        .buffers = draw_percent(random_) * 4 / 5,
        .ends_ready = 20 + draw_percent(random_) * 4 / 5,
        .begins = draw_percent(random_),
        .fences = draw_percent(random_),
        .dues = draw_percent(random_),
        .receives = 10 + draw_percent(random_) * 4 / 5,
        .arrives = draw_percent(random_) / 2,
        .left = 20 + draw_percent(random_) * 4 / 5,
        .answers = 3 + draw_percent(random_) / 2,
        .refusals = draw_percent(random_) / 2,
        .oks = 20 + draw_percent(random_) * 4 / 5,
        .configures = draw_percent(random_) / 5,
        .jumps = draw_percent(random_) / 2,
        .retries = static_cast<std::uint32_t>(random_.chance(70) ? random_.below(5)
                                                                 : 1ULL << random_.below(8)),
        .retry_cycles = 1 + old_count(random_, 24),
        .cycles = random_.chance(80) ? 200U : 1000U,
    };
  }

  Mood mood_;
  std::array<Fetched, kQueues> held_;        // what holds each queue, or did last
  PortBits pipes_;                           // queues that a PIPE holds
  std::map<unsigned, unsigned> given_;       // to each receive queue, and not used
  std::array<unsigned, kQueues> flushed_{};  // for so many cycles it gets no PIPE
  unsigned beats_ = 0;                       // that the memory owes of a list
  std::uint64_t owner_ = 0;                  // of the PIPE that came last
  unsigned lists_ = 0;                       // that were read
  std::optional<Copy> judged_;
  bool gave_up_ = false;  // the copy that was judged last does not go ahead
  FewNumbers few_{kQueues};
};

TEST_F(QueuePairsAtRandom, KeepTheirContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 250; ++i) {
    const Mood mood = draw_mood();
    if (random_.chance(20)) {
      ASSERT_NO_FATAL_FAILURE(forget());
    }
    ASSERT_NO_FATAL_FAILURE(run(mood)) << "mood " << i;
  }
  EXPECT_GT(lists_, 50U) << "lists of buffers";
}

// Of a SEND and a FENCE that wait to be made again, either is the first.
TEST_F(QueuePairsAtRandom, KeepTheirContractAcrossEachCarryOfTheTime) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 240; ++i) {
    Mood mood = draw_mood();
    mood.cycles = 200;
    mood.begins = mood.fences = 50 + draw_percent(random_) / 2;
    ASSERT_NO_FATAL_FAILURE(forget());
    in_.now = near_a_carry(random_, 44 + static_cast<unsigned>(i) % 4, mood.retry_cycles,
                           random_.chance(50) ? 20 : 150);
    ASSERT_NO_FATAL_FAILURE(run(mood)) << "mood " << i;
  }
}

}  // namespace
}  // namespace torusmu::testing
