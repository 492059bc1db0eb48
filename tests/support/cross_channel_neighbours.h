// SPDX-License-Identifier: Apache-2.0
// What stands around mu_cross_channel and answers to it at random, but never says what cannot be:
// the packetiser, which judges one descriptor after the other, SENDs, receive buffers, PIPEs, and
// the engine of CALC.

#ifndef TESTS_SUPPORT_CROSS_CHANNEL_NEIGHBOURS_H_
#define TESTS_SUPPORT_CROSS_CHANNEL_NEIGHBOURS_H_

#include <array>
#include <cstdint>
#include <optional>

#include "tests/support/cross_channel_model.h"
#include "tests/support/seed.h"

namespace torusmu::testing::cross_channel {

class Neighbours {
 public:
  // How often, in percent.
  struct Mood {
    unsigned holds = 80;  // a descriptor that may hold its queue passes the check
    unsigned judged = 60, ends = 20, again = 10, ahead = 50, ok = 50;
  };

  explicit Neighbours(Random& random) : random_(random) {}

  void draw(const Mood& mood, const Model& model, Cycle& in) {
    mood_ = mood;
    draw_may_ahead(in);
    draw_held(in);
    draw_sends(in);
    draw_receives(in);
    draw_pipe(in);
    in.calc_ready = chance(50);
    if (model.turns().is_running() && !calc_done_ && chance(mood_.ends)) calc_done_ = status();
    in.calc_done = calc_done_;
  }
  void clock(const Cycle& in, const Outputs& out) {
    if (judged_) ++judged_->age;
    if (in.held && out.held_ready) judged_.reset();
    if (out.queues.out && in.out_ready) judge(*out.queues.out);
    if (out.send_begin) begin(*out.send_begin);
    if (out.send_end_ready) end_send(*in.send_end);
    if (out.buffer) ++receive_of(*out.buffer).buffers;
    if (out.receive_end_ready) take_receive_end(in.receive_end->queue);
    if (out.pipe_due) pipe(out.pipe_due->queue) = {true, out.pipe_due->queue};
    if (out.pipe_end_ready) forget_pipe(in.pipe_end->queue);
    if (out.calc_done_ready) calc_done_.reset();
    if (out.flush_pair || in.configured) forget(*in.configure);
  }
  // The packetiser has one in hand.
  bool is_judging() const { return judged_.has_value(); }
  bool has(unsigned queue) const {
    return judged_ && number_of(name_of(judged_->fetched)) == queue;
  }
  void reset() {
    judged_.reset();
    calc_done_.reset();
    running_pipe_.reset();
    pipe_end_.reset();
    sends_ = {};
    receives_ = {};
    pipes_ = {};
  }

 private:
  struct Judged {
    Fetched fetched;
    bool holds;
    std::uint64_t address;
    unsigned age = 0;
    bool shown = false;
  };
  struct Send {
    bool open = false, ended = false, second = false, may_ahead = false, fence_ahead = false;
    unsigned name = 0;
    Status status = Status::kOk;
  };
  struct Receive {
    unsigned name = 0, buffers = 0;  // offered, and not taken back
    unsigned ended = 0;              // so many of them
  };
  struct Pipe {
    bool due = false;
    unsigned name = 0;
  };

  bool chance(unsigned percent) { return random_.chance(percent); }
  Status status() {
    return chance(mood_.ok) ? Status::kOk : static_cast<Status>(random_.below(256));
  }
  // Any of those that say so.
  template <typename Set, typename Is>
  std::optional<unsigned> one_of(const Set& set, Is is, bool lowest = false) {
    const auto first = lowest ? 0 : static_cast<unsigned>(random_.below(kQueues));
    for (unsigned i = 0; i < kQueues; ++i) {
      if (is(set.at((first + i) % kQueues))) return (first + i) % kQueues;
    }
    return std::nullopt;
  }

  // --- packetiser ---
  // One that is to go ahead begins to, and then it is under way, or is given up.
  void judge(const Fetched& fetched) {
    const Opcode opcode = opcode_of(fetched);
    const bool again = fetched.get<f::again>() != 0, ahead = fetched.get<f::ahead>() != 0;
    judged_ = {fetched, false, random_.below(1ULL << 40)};
    if (fetched.get<f::run>() != 0 || !HeldQueuesModel::may_hold(opcode)) return;
    if (again && sends(opcode)) {
      Send& send = sends_.at(number_of(name_of(fetched)));
      if (ahead && send.open && !send.ended && chance(mood_.holds)) send.second = true;
      return;
    }
    judged_->holds = (ahead && !again) || chance(mood_.holds);
  }
  // Shown until it is taken.
  void draw_held(Cycle& in) {
    in.held.reset();
    if (!judged_ || judged_->age == 0) return;
    if (!judged_->shown && !chance(mood_.judged)) return;
    if (!judged_->holds) return judged_.reset();
    judged_->shown = true;
    in.held = judged_->fetched;
    in.held_address = judged_->address;
  }

  // --- SENDs and FENCEs ---
  void begin(const Begin& begun) {
    sends_.at(number_of(begun.queue)) = {.open = true, .name = begun.queue};
  }
  void draw_may_ahead(Cycle& in) {
    in.may_ahead = in.fence_ahead = in.under_way = PortBits();
    for (unsigned i = 0; i < kQueues; ++i) {
      Send& send = sends_.at(i);
      if (chance(20)) send.may_ahead = chance(mood_.ahead);
      if (chance(20)) send.fence_ahead = chance(mood_.ahead);
      const bool open = send.open && !send.ended;
      if (open && send.may_ahead) in.may_ahead |= bit(i);
      if (open && send.fence_ahead) in.fence_ahead |= bit(i);
      if (send.second) in.under_way |= bit(i);
    }
  }
  void draw_sends(Cycle& in) {
    const auto is_open = [](const Send& send) { return send.open && !send.ended; };
    if (const auto at = one_of(sends_, is_open); at && chance(mood_.ends)) {
      sends_.at(*at).ended = true;
      sends_.at(*at).status = status();
    }
    in.again.reset();
    if (chance(mood_.again)) in.again = one_of(sends_, is_open);
    in.send_end.reset();
    const auto is_ended = [](const Send& send) { return send.ended; };
    if (const auto at = one_of(sends_, is_ended, chance(80)))
      in.send_end = {sends_.at(*at).name, sends_.at(*at).status};
  }
  // What went ahead is under way if its number is good.
  void end_send(const End& end) {
    Send& send = sends_.at(number_of(end.queue));
    send.open = send.ended = false;
    if (end.status != Status::kOk) send.second = false;
  }

  // --- RECEIVEs ---
  Receive& receive_of(const Buffer& buffer) {
    const auto name = static_cast<unsigned>(buffer.get<layout::receive_buffer::queue>());
    Receive& receive = receives_.at(number_of(name));
    receive.name = name;
    return receive;
  }
  void draw_receives(Cycle& in) {
    const auto may_end = [](const Receive& receive) { return receive.ended < receive.buffers; };
    if (const auto at = one_of(receives_, may_end); at && chance(mood_.ends))
      ++receives_.at(*at).ended;
    in.receive_end.reset();
    const auto is_ended = [](const Receive& receive) { return receive.ended != 0; };
    if (const auto at = one_of(receives_, is_ended, chance(80)))
      in.receive_end = {receives_.at(*at).name, status()};
  }
  void take_receive_end(unsigned name) {
    Receive& receive = receives_.at(number_of(name));
    --receive.ended;
    --receive.buffers;
  }

  // --- PIPEs, one at a time ---
  Pipe& pipe(unsigned name) { return pipes_.at(number_of(name)); }
  void draw_pipe(Cycle& in) {
    const auto is_due = [](const Pipe& pipe) { return pipe.due; };
    if (!running_pipe_) running_pipe_ = one_of(pipes_, is_due);
    if (running_pipe_ && !pipe_end_ && chance(mood_.ends))
      pipe_end_ = End{pipes_.at(*running_pipe_).name, status()};
    in.pipe_end = pipe_end_;
  }
  void forget_pipe(unsigned name) {
    pipe(name) = {};
    if (running_pipe_ != number_of(name)) return;
    running_pipe_.reset();
    pipe_end_.reset();
  }

  // Everything of the queue is over.
  void forget(unsigned queue) {
    sends_.at(queue) = {};
    receives_.at(queue) = {};
    forget_pipe(queue);
  }

  Random& random_;
  Mood mood_;
  std::optional<Judged> judged_;
  std::array<Send, kQueues> sends_{};
  std::array<Receive, kQueues> receives_{};
  std::array<Pipe, kQueues> pipes_{};
  std::optional<unsigned> running_pipe_;
  std::optional<End> pipe_end_;
  std::optional<Status> calc_done_;
};

}  // namespace torusmu::testing::cross_channel

#endif  // TESTS_SUPPORT_CROSS_CHANNEL_NEIGHBOURS_H_
