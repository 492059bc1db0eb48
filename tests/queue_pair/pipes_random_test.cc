// SPDX-License-Identifier: Apache-2.0
// model: Vmu_pipes mu_pipes
// bgp: -GQUEUES=128
// PIPEs of all kinds at once, with everything around them taking its time: each message goes on
// from its buffer, as the SEND of its own PIPE.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "sim/machine/profile.h"
#include "tests/queue_pair/pipes_fixture.h"

namespace torusmu::testing::pipes {
namespace {

class PipesTogether : public Pipes {
 protected:
  // A PIPE that is due, or runs.
  struct Run {
    unsigned from = 0;
    bool origin = false, target = false;
    std::uint64_t bytes = 0, length = 0;  // of a buffer or piece, of all
    std::uint64_t messages = 0;
    std::uint64_t given = 0, received = 0, acknowledged = 0;
    std::deque<std::uint64_t> lengths;  // of messages received and not acknowledged
    bool begun = false;                 // it has shown itself
    bool open = false;
    bool first_left = false, second_left = false;  // all packets of the copy
    bool may_ahead = false;                        // the next might since the first went out

    // When all is done its end may wait, and others need not.
    bool runs() const { return begun && acknowledged != messages; }
    std::uint64_t place(std::uint64_t message) const {
      if (origin || target) return message * bytes;
      return message % std::min<std::uint64_t>(length / bytes, 16) * bytes;
    }
    std::uint64_t piece(std::uint64_t message) const {
      return origin || target ? std::min(bytes, length - message * bytes) : bytes;
    }
  };
  static constexpr unsigned kQueues = kProfile.injection_queues;
  static constexpr unsigned kStrangers = 24;  // queues from here on have no PIPE

  void post_any() {
    const auto queue = static_cast<unsigned>(random_.below(kStrangers));
    if (runs_.count(queue) != 0) return;
    Run run;
    const std::uint64_t kind = random_.below(4);
    run.origin = kind == 0;
    run.target = kind == 1;
    run.from = run.origin ? 0 : froms_.at(random_.below(froms_.size()));
    run.bytes = 1 + random_.below(200);
    run.length = run.bytes * (1 + random_.below(20)) + random_.below(run.bytes);
    run.messages =
        run.origin || run.target ? (run.length + run.bytes - 1) / run.bytes : 1 + random_.below(25);
    const auto operation = PipeOperation()
                               .set<o::messages>(run.origin || run.target ? 0 : run.messages)
                               .set<o::buffer_bytes>(run.bytes)
                               .set<o::receive_queue>(run.from)
                               .set<o::origin>(run.origin)
                               .set<o::target>(run.target);
    Fetched fetched = Fetched::from_bytes(random_bytes(random_, Fetched::kBytes));
    fetched.set<f::queue>(queue).set<f::descriptor>(fetched.get<f::descriptor>()
                                                        .set<d::length>(run.length)
                                                        .set<d::immediate>(operation.bytes()));
    descriptors_[queue] = fetched;
    runs_[queue] = run;
    drive(dut_->command_i,
          Record<layout::pair_command::Layout>()
              .set<layout::pair_command::pipe_due>(1)
              .set<layout::pair_command::buffer>(
                  Buffer().set<b::queue>(queue).set<b::address>(address_of(queue))));
  }
  // One of those for which `holds`, with a chance.
  template <typename Holds>
  std::optional<unsigned> any_run(unsigned percent, Holds holds) {
    std::vector<unsigned> queues;
    for (const auto& [queue, run] : runs_) {
      if (holds(queue, run)) queues.push_back(queue);
    }
    if (queues.empty() || !random_.chance(percent)) return std::nullopt;
    return queues[random_.below(queues.size())];
  }
  Run* that_receives(unsigned from) {
    for (auto& [queue, run] : runs_) {
      if (run.runs() && !run.origin && run.from == from) return &run;
    }
    return nullptr;
  }
  // Some have numbers beyond those of the send queues.
  void draw_froms() {
    for (unsigned i = 0; i < froms_.size(); ++i) {
      const std::uint64_t first =
          random_.chance(50) ? 6 * random_.below(4) : kQueues + 6 * random_.below(20);
      froms_.at(i) = static_cast<unsigned>(first) + i;
    }
  }
  unsigned stranger() {
    return kStrangers + static_cast<unsigned>(random_.below(kQueues - kStrangers));
  }

  // --- a cycle: what the neighbours do ---
  void drive_neighbours() {
    dut_->out_ready_i = cutting_ == 0;
    dut_->buffer_ready_i = random_.chance(percent_);
    dut_->begin_ready_i = random_.chance(percent_);
    dut_->end_ready_i = random_.chance(percent_);
    drive(dut_->command_i, Record<layout::pair_command::Layout>());
    if (posts_ > 0 && random_.chance(20)) {
      const std::size_t before = runs_.size();
      post_any();
      posts_ -= runs_.size() != before;
    }
    // A queue that has no PIPE is configured now and then.
    if (random_.chance(5)) {
      configure(stranger(), true, random_.chance(50));
    } else {
      configure(0, false, false);
    }
    drive_messages();
    sends_end_ = any_run(percent_ / 2, [&](unsigned queue, const Run& run) {
      return run.open && run.first_left && queue != again_;
    });
    const bool other = !sends_end_ && random_.chance(10);
    dut_->send_end_valid_i = sends_end_ || other;
    drive(dut_->send_end_i,
          End()
              .set<layout::queue_end::queue>(sends_end_ ? *sends_end_ : stranger())
              .set<layout::queue_end::status>(other ? Status::kRetryExceeded : Status::kOk));
    if (!again_) {
      again_ = any_run(5, [&](unsigned queue, const Run& run) {
        return run.open && run.first_left && queue != sends_end_;
      });
    }
    const bool stray = !again_ && random_.chance(5);
    dut_->again_valid_i = again_ || stray;
    dut_->again_queue_i = static_cast<CData>(again_ ? *again_ : stranger());
    may_ahead.reset();
    for (auto& [queue, run] : runs_) {
      may_ahead[queue] = run.open && run.first_left && queue != again_ && cutting_ == 0;
      run.may_ahead |= may_ahead[queue];
    }
  }
  void drive_messages() {
    const std::optional<unsigned> seen = watched();
    const Run* next = seen ? that_receives(*seen) : nullptr;
    if (next != nullptr && next->given > next->received && arriving_ == 0 &&
        random_.chance(percent_)) {
      arriving_ = 1 + random_.below(next->bytes);
    }
    receives_ = any_run(percent_ / 2, [&](unsigned, const Run& run) {
      return run.begun && !run.origin && run.given > run.received;
    });
    const bool announced = receives_ && runs_[*receives_].from == seen;
    stray_ = !receives_ && random_.chance(10);
    bytes_ = !receives_                   ? 0
             : announced && arriving_ > 0 ? arriving_
                                          : 1 + random_.below(runs_[*receives_].bytes);
    drive(
        dut_->receive_end_i,
        Record<layout::received_end::Layout>()
            .set<layout::received_end::valid>(receives_ || stray_)
            .set<layout::received_end::ending>(
                End()
                    .set<layout::queue_end::queue>(receives_ ? runs_[*receives_].from : stranger())
                    .set<layout::queue_end::status>(stray_ ? Status::kMemoryError : Status::kOk))
            .set<layout::received_end::result>(
                Record<layout::receive_result::Layout>().set<layout::receive_result::bytes>(
                    bytes_)));
    drive(dut_->arriving_i, Record<layout::arriving_message::Layout>()
                                .set<layout::arriving_message::valid>(arriving_ != 0 && !announced)
                                .set<layout::arriving_message::bytes>(arriving_));
    if (announced) arriving_ = 0;
  }

  // --- and what the PIPEs made of it ---
  void expect_answers() {
    namespace h = layout::send_hold;
    if (receives_ || stray_) {
      ASSERT_EQ(dut_->receive_mine_o, receives_.has_value());
    }
    if (dut_->send_end_valid_i) {
      ASSERT_EQ(dut_->send_mine_o, sends_end_.has_value());
    }
    if (dut_->again_valid_i) {
      ASSERT_EQ(dut_->again_mine_o, again_.has_value());
    }
    holds_ = get<h::hold>(dut_->hold_o) != 0;
    ASSERT_FALSE(get<h::spoil>(dut_->hold_o)) << "nothing fails";
    ASSERT_EQ(holds_, cutting_ > 0 && cuts_early_) << "until it is received";
    if (const std::optional<unsigned> seen = watched()) {
      ASSERT_TRUE(std::ranges::any_of(runs_, [&](const auto& of_queue) {
        return !of_queue.second.origin && of_queue.second.from == *seen;
      }));
    }
    const bool shows = dut_->buffer_valid_o || dut_->begin_valid_o || dut_->out_valid_o ||
                       dut_->stop_valid_o || dut_->end_valid_o;
    ASSERT_TRUE(dut_->busy_o || !shows);
  }
  void take_messages() {
    if (!receives_) return;
    Run& run = runs_[*receives_];
    ++run.received;
    if (run.target) {
      ++run.acknowledged;
    } else {
      run.lengths.push_back(bytes_);
      if (cutting_ > 0 && outs.back().get<f::queue>() == *receives_) cuts_early_ = false;
    }
  }
  void take_cut() {
    if (cutting_ == 0 || holds_ || --cutting_ > 0) return;
    const auto queue = static_cast<unsigned>(outs.back().get<f::queue>());
    Run& run = runs_[queue];
    (outs.back().get<f::ahead>() != 0 ? run.second_left : run.first_left) = true;
  }
  void take_outs(std::size_t before) {
    if (outs.size() == before) return;
    const auto queue = static_cast<unsigned>(outs.back().get<f::queue>());
    ASSERT_TRUE(runs_.count(queue) != 0 && runs_[queue].open);
    Run& run = runs_[queue];
    const bool ahead = outs.back().get<f::ahead>() != 0;
    ASSERT_TRUE(run.may_ahead || !ahead);
    run.may_ahead = false;
    const std::uint64_t message = run.acknowledged + ahead;
    cuts_early_ = !run.origin && run.lengths.size() == ahead;
    const std::uint64_t length = run.origin    ? run.piece(message)
                                 : cuts_early_ ? arriving_
                                               : run.lengths.at(ahead);
    const Descriptor own = descriptors_[queue].get<f::descriptor>();
    const std::uint64_t at = (own.get<d::source_offset>() + run.place(message)) % (1ULL << 37);
    ASSERT_EQ(outs.back(), Fetched(descriptors_[queue])
                               .set<f::again>(1)
                               .set<f::ahead>(ahead)
                               .set<f::run>(0)
                               .set<f::descriptor>(Descriptor(own)
                                                       .set<d::opcode>(Opcode::kSend)
                                                       .set<d::immediate>({})
                                                       .set<d::source_offset>(at)
                                                       .set<d::length>(length)));
    if (ahead) {
      under_way[queue] = true;
      run.second_left = false;
    }
    early_ += cuts_early_;
    ahead_ += ahead;
    cutting_ = 1 + static_cast<unsigned>(random_.below(10));
  }
  void take_given(std::size_t before) {
    if (given.size() == before) return;
    const Buffer& buffer = given.back();
    const auto queue = static_cast<unsigned>(buffer.get<b::address>() / kAddress - 1);
    ASSERT_TRUE(runs_.count(queue) != 0);
    Run& run = runs_[queue];
    const Run* other = that_receives(run.from);
    ASSERT_TRUE(other == nullptr || other == &run) << "another receives from the queue";
    run.begun = true;
    ASSERT_EQ(buffer, Buffer()
                          .set<b::queue>(run.from)
                          .set<b::owner>(descriptors_[queue].get<f::owner>())
                          .set<b::address>(address_of(queue) + run.place(run.given))
                          .set<b::length>(run.piece(run.given)));
    ++run.given;
    ASSERT_LE(run.given, run.messages);
    ASSERT_LE(run.given, run.received + 2) << "buffers that wait";
  }
  void take_begins(std::size_t before, bool sent) {
    if (begins.size() == before) return;
    const unsigned queue = begins.back();
    ASSERT_TRUE(runs_.count(queue) != 0 && !runs_[queue].open && !runs_[queue].target);
    Run& run = runs_[queue];
    ASSERT_EQ(sent, under_way[queue]);
    run.begun = run.open = true;
    run.may_ahead = false;
    under_way[queue] = false;
    run.first_left = sent && run.second_left;
    run.second_left = false;
  }
  void take_ends(std::size_t before) {
    if (ends.size() == before) return;
    const auto queue = static_cast<unsigned>(ends.back().get<layout::queue_end::queue>());
    ASSERT_TRUE(runs_.count(queue) != 0);
    ASSERT_EQ(ends.back(), End().set<layout::queue_end::queue>(queue));
    ASSERT_EQ(runs_[queue].acknowledged, runs_[queue].messages);
    runs_.erase(queue);
  }
  void cycle() {
    drive_neighbours();
    drive_bits(dut_->may_ahead_i, may_ahead);
    drive_bits(dut_->under_way_i, under_way);
    dut_.settle();
    ASSERT_NO_FATAL_FAILURE(expect_answers());
    const bool goes_again = again_ && dut_->again_ready_o, sent = dut_->begin_sent_o != 0;
    const std::size_t of_outs = outs.size(), of_begins = begins.size();
    const std::size_t of_given = given.size(), of_ends = ends.size();
    tick();
    if (goes_again) {
      runs_[*again_].first_left = false;
      again_.reset();
    }
    take_cut();
    take_messages();
    ASSERT_NO_FATAL_FAILURE(take_outs(of_outs));
    ASSERT_NO_FATAL_FAILURE(take_begins(of_begins, sent));
    if (sends_end_) {
      Run& run = runs_[*sends_end_];
      if (!run.origin) run.lengths.pop_front();
      ++run.acknowledged;
      run.open = run.first_left = false;
    }
    ASSERT_NO_FATAL_FAILURE(take_given(of_given));
    ASSERT_NO_FATAL_FAILURE(take_ends(of_ends));
    std::size_t running = 0;
    for (const auto& [queue, run] : runs_) running += run.runs();
    ASSERT_LE(running, kProfile.pipes);
  }

  std::map<unsigned, Run> runs_;
  std::array<unsigned, 6> froms_{};  // receive queues
  unsigned posts_ = 0;               // still to come
  unsigned percent_ = 100;
  std::uint64_t arriving_ = 0;                 // bytes of the message that arrives
  std::optional<unsigned> receives_;           // whose message is received in this cycle
  bool stray_ = false;                         // or one of a queue that has no PIPE
  std::uint64_t bytes_ = 0;                    // of that
  std::optional<unsigned> sends_end_, again_;  // whose SEND ends, and goes out again
  unsigned cutting_ = 0;     // cycles for which the packetiser is busy with the last copy
  bool cuts_early_ = false;  // and its message has not been received
  bool holds_ = false;
  unsigned early_ = 0, ahead_ = 0;  // copies of messages that arrived, and that went ahead
};

TEST_F(PipesTogether, SendEveryMessageInOrderWhateverTheDelays) {
  for (unsigned round = 0; round < 30; ++round) {
    SCOPED_TRACE(round);
    const unsigned chances[] = {20, 50, 100};
    percent_ = chances[random_.below(3)];
    posts_ = 20;
    draw_froms();
    for (unsigned cycles = 0; posts_ > 0 || !runs_.empty(); ++cycles) {
      ASSERT_LT(cycles, 100'000U) << "no end";
      ASSERT_NO_FATAL_FAILURE(cycle());
    }
    EXPECT_EQ(ends.size(), 20U);
    EXPECT_TRUE(stops.empty());
    dut_->again_valid_i = dut_->send_end_valid_i = 0;
    drive(dut_->receive_end_i, Record<layout::received_end::Layout>());
    run();
    EXPECT_FALSE(dut_->busy_o);
    ends.clear();
    outs.clear();
    given.clear();
    begins.clear();
  }
  EXPECT_GT(early_, 10U);
  EXPECT_GT(ahead_, 100U);
}

}  // namespace
}  // namespace torusmu::testing::pipes
