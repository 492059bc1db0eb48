// SPDX-License-Identifier: Apache-2.0
// bgp: -GQUEUES=128
//
// Choice, buffers and their rules have tests of their own; here both classes run side by side.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>

#include "Vmu_descriptor_fetch.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/descriptor_fetch_model.h"
#include "tests/support/queue_scheduler_model.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

namespace f = layout::fetched_descriptor;
constexpr unsigned kQueues = kProfile.injection_queues;
using Fetched = Record<f::Layout>;
using ReadCommand = Record<layout::read_command::Layout>;

namespace c = layout::queue_change;
namespace r = layout::queue_row;
using Row = Record<r::Layout>;
using Change = QueueSchedulerModel::Change;

// Queue 1 is a reflection queue, queue 2 is not; both always have work. A choice that is offered
// has its turn: the row of its queue is read, then its descriptor fetched.
class DescriptorFetch : public ::testing::Test {
 protected:
  // The table in this cycle, and whether the next turn may begin.
  void turn(bool may_begin = true) {
    auto& m = *dut_.operator->();
    drive(m.change_i, m.fetch_i ? change(queue_) : Change());
    m.fetch_i = m.table_busy_i && !m.fetch_i;
    m.table_busy_i = m.fetch_i || begins_;
    m.queue_i = queue_;
    const std::uint32_t next = next_.at(queue_);
    if (m.fetch_i) ++next_.at(queue_);
    drive(m.row_i, Row()
                       .set<r::fetch_index>(next)
                       .set<r::size>(1U << 24)
                       .set<r::base>(0x10000 * queue_)
                       .set<r::mode>(queue_ == 1 ? 4 : 1));
    dut_.settle();
    begins_ = may_begin && m.choice_valid_o;
    if (begins_) queue_ = m.choice_queue_o;
  }
  void begin() {
    for (const unsigned queue : {1U, 2U}) {
      drive(dut_->change_i, change(queue));
      dut_.tick();
    }
  }
  // What leaves, if it does: the descriptor of its index, with this in its last byte.
  void check(bool leaves, const auto& data, unsigned queue, std::uint8_t byte) {
    if (!leaves) return;
    const Fetched fetched = sample_record<Fetched>(data);
    ASSERT_EQ(fetched.get<f::queue>(), queue);
    ASSERT_EQ(fetched.get<f::index>(), seen_.at(queue)++);
    ASSERT_EQ(fetched.get<f::descriptor>().bytes()[63], byte) << "the beats of another";
  }
  static Change change(unsigned queue) {
    return Change().set<c::valid>(1).set<c::queue>(queue).set<c::work>(1).set<c::reflection>(
        queue == 1);
  }

  Clocked<Vmu_descriptor_fetch> dut_;
  std::array<std::uint32_t, 3> next_{}, seen_{};
  std::uint8_t queue_ = 0;  // that has its turn
  bool begins_ = false;
};

class DescriptorFetchBlocked : public DescriptorFetch,
                               public ::testing::WithParamInterface<bool> {};

TEST_P(DescriptorFetchBlocked, NeverLetsOneClassWaitForTheOther) {
  Random random;
  SCOPED_TRACE(random.replay());
  const bool requests_blocked = GetParam();
  begin();
  std::deque<std::uint64_t> addresses;
  bool half = false;
  for (int cycle = 0; cycle < 3000; ++cycle) {
    dut_->fetch_command_ready_i = random.chance(60);
    dut_->request_descriptor_ready_i = requests_blocked ? 0 : random.chance(50);
    dut_->reply_descriptor_ready_i = requests_blocked ? random.chance(50) : 0;
    dut_->fetch_beat_valid_i = !addresses.empty() && random.chance(70);
    dut_->fetch_beat_last_i = half;
    drive(dut_->fetch_beat_data_i,
          Bytes(32, static_cast<std::uint8_t>(addresses.empty() ? 0 : addresses.front() / 64)));
    turn(random.chance(80));
    if (dut_->fetch_beat_valid_i) {
      if (half) addresses.pop_front();
      half = !half;
    }
    if (dut_->fetch_command_valid_o && dut_->fetch_command_ready_i) {
      const ReadCommand command = sample_record<ReadCommand>(dut_->fetch_command_data_o);
      ASSERT_EQ(command.get<layout::read_command::bytes>(), 64U);
      addresses.push_back(command.get<layout::read_command::address>());
    }
    check(dut_->request_descriptor_valid_o && dut_->request_descriptor_ready_i,
          dut_->request_descriptor_data_o, 2, static_cast<std::uint8_t>(seen_[2]));
    check(dut_->reply_descriptor_valid_o && dut_->reply_descriptor_ready_i,
          dut_->reply_descriptor_data_o, 1, static_cast<std::uint8_t>(seen_[1]));
    dut_.tick();
  }
  EXPECT_GT(seen_[requests_blocked ? 1 : 2], 300U);
  EXPECT_LE(next_[requests_blocked ? 2 : 1], 4U) << "no more than its buffer holds";
}
INSTANTIATE_TEST_SUITE_P(Requests, DescriptorFetchBlocked, ::testing::Bool());

TEST_F(DescriptorFetch, HasRoomForTheAnswersOfAsManyFetchesAsItSends) {
  constexpr unsigned kDepth = DescriptorFetchModel::kDepth;
  begin();
  dut_->fetch_command_ready_i = 1;
  std::deque<std::uint8_t> fetched;  // queue of each, in the order of the commands
  for (int cycle = 0; cycle < 60; ++cycle) {
    turn();
    if (dut_->fetch_command_valid_o) {
      const auto command = sample_record<ReadCommand>(dut_->fetch_command_data_o);
      fetched.push_back(
          static_cast<std::uint8_t>(command.get<layout::read_command::address>() >> 16));
    }
    dut_.tick();
  }
  ASSERT_EQ(fetched.size(), 2 * kDepth) << "no beat has come";
  ASSERT_EQ(next_, (std::array<std::uint32_t, 3>{0, kDepth, kDepth}));
  dut_->request_descriptor_ready_i = dut_->reply_descriptor_ready_i = 1;
  for (unsigned beat = 0; beat < 4 * kDepth + 4; ++beat) {
    dut_->fetch_beat_valid_i = beat < 4 * kDepth;
    dut_->fetch_beat_last_i = beat & 1;
    drive(dut_->fetch_beat_data_i, Bytes(32, fetched.empty() ? 0 : fetched.front()));
    if ((beat & 1) != 0 && !fetched.empty()) fetched.pop_front();
    turn(false);
    check(dut_->request_descriptor_valid_o, dut_->request_descriptor_data_o, 2, 2);
    check(dut_->reply_descriptor_valid_o, dut_->reply_descriptor_data_o, 1, 1);
    dut_.tick();
  }
  EXPECT_EQ(seen_, next_) << "all have left";
}

// Both classes under everything at once.
class DescriptorFetchAtRandom : public ::testing::Test {
 protected:
  struct Pins {
    CData& valid;
    CData& ready;
    IData& head;
    CData& head_queue;
  };

  Pins pins(bool reply) {
    auto& m = *dut_.operator->();
    return reply ? Pins{m.reply_descriptor_valid_o, m.reply_descriptor_ready_i, m.reply_head_i,
                        m.reply_head_queue_o}
                 : Pins{m.request_descriptor_valid_o, m.request_descriptor_ready_i,
                        m.request_head_i, m.request_head_queue_o};
  }
  Fetched shown(bool reply) {
    return reply ? sample_record<Fetched>(dut_->reply_descriptor_data_o)
                 : sample_record<Fetched>(dut_->request_descriptor_data_o);
  }
  unsigned any_queue() { return static_cast<unsigned>(random_.below(kQueues)); }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_.bits64()); }
  void draw() {
    if (dut_.cycle() % 300 == 0) {
      for (bool& often : often_) often = random_.chance(60);
    }
    auto& m = *dut_.operator->();
    m.fetch_command_ready_i = random_.chance(often_[0] ? 90 : 30);
    m.fetch_beat_valid_i = model_.awaits_beat() && random_.chance(often_[1] ? 90 : 30);
    beat_ = random_bytes(random_, 32);
    drive(m.fetch_beat_data_i, beat_);
    m.fetch_beat_last_i = model_.awaits_second_beat();
    m.fetch_beat_error_i = random_.chance(20);
    for (const bool reply : {false, true}) {
      const Fetched* front = model_.front(reply);
      pins(reply).ready = random_.chance(often_[2 + reply] ? 90 : 20);
      pins(reply).head = static_cast<IData>(random_.bits64());
      // What has once come to an entry stays there.
      if (front != nullptr && (model_.due(reply) || random_.chance(50)))
        pins(reply).head = static_cast<IData>(front->get<f::index>());
    }
    m.hold_queue_i = static_cast<CData>(random_.below(kQueues));
    if (const auto last = model_.back_queue(false); last && random_.chance(70))
      m.hold_queue_i = static_cast<CData>(*last);
    if (const auto first = model_.front_queue(true); first && random_.chance(30))
      m.hold_queue_i = static_cast<CData>(*first);
    m.hold_i = random_.chance(20);
    m.release_i = random_.chance(often_[4] ? 30 : 5);
    m.release_queue_i = static_cast<CData>(any_queue());
    m.unpark_i = random_.chance(often_[4] ? 30 : 5);
    draw_table();
    dut_.settle();
  }
  // The turn of a choice has two cycles, and its queue does not change in them.
  void draw_table() {
    auto& m = *dut_.operator->();
    change_ = Change();
    const unsigned changes = any_queue();
    if (random_.chance(40) && !(fetching_ != 0 && changes == scheduler_.choice()->queue)) {
      change_.set<c::valid>(1)
          .set<c::queue>(changes)
          .set<c::work>(random_.chance(often_[4] ? 60 : 5))
          .set<c::reflection>(random_.chance(50))
          .set<c::park>(random_.chance(10))
          .set<c::stop>(random_.chance(20))
          .set<c::one_more>(random_.chance(50));
    }
    drive(m.change_i, change_);
    row_ = Row()
               .set<r::base>(random_.bits64() >> 24U)
               .set<r::size>(1U << random_.below(25))
               .set<r::mode>(random_.below(7))
               .set<r::owner>(random_.below(16))
               .set<r::halt_on_error>(random_.chance(50))
               .set<r::head>(word())
               .set<r::fetch_index>(word())
               .set<r::published>(word())
               .set<r::fetch_lap>(word());
    drive(m.row_i, row_);
    m.fetch_i = fetching_ == 2;
    m.table_busy_i = fetching_ != 0 || random_.chance(40);
    m.queue_i = static_cast<CData>(fetching_ != 0 ? scheduler_.choice()->queue : any_queue());
    m.kill_i = fetching_ == 0 && random_.chance(5);
    if (m.kill_i && random_.chance(60)) m.queue_i = m.hold_queue_i;
  }
  // The cycle as the model sees it.
  DescriptorFetchModel::Cycle seen() {
    auto& m = *dut_.operator->();
    DescriptorFetchModel::Cycle in;
    in.command_ready = m.fetch_command_ready_i;
    if (m.fetch_beat_valid_i) in.beat = {beat_, m.fetch_beat_error_i != 0};
    for (const bool reply : {false, true}) {
      in.ready[reply] = pins(reply).ready;
      in.heads[reply] = pins(reply).head;
    }
    if (m.kill_i) in.kill = m.queue_i;
    scheduled_ = {.change = change_,
                  .room_request = model_.free(in) && model_.has_room(false),
                  .room_reply = model_.free(in) && model_.has_room(true),
                  .taken = m.fetch_i != 0,
                  .unpark = m.unpark_i != 0};
    if (m.hold_i) scheduled_.hold = m.hold_queue_i;
    if (m.release_i) scheduled_.release = m.release_queue_i;
    if (m.table_busy_i) scheduled_.busy = m.queue_i;
    return in;
  }
  void compare(const DescriptorFetchModel::Cycle& in) {
    auto& m = *dut_.operator->();
    for (const bool reply : {false, true}) {
      const Fetched* wanted = model_.shown(reply);
      ASSERT_EQ(pins(reply).valid, wanted != nullptr);
      if (wanted != nullptr) {
        ASSERT_EQ(shown(reply), *wanted);
      }
      if (const auto queue = model_.front_queue(reply)) {
        ASSERT_EQ(pins(reply).head_queue, *queue);
      }
    }
    const auto offered = scheduler_.offered(scheduled_);
    ASSERT_EQ(m.choice_valid_o, offered.has_value());
    if (offered) {
      ASSERT_EQ(m.choice_queue_o, offered->queue);
    }
    const auto& command = model_.command();
    ASSERT_EQ(m.fetch_command_valid_o, command.has_value());
    if (command) {
      ASSERT_EQ(sample_record<ReadCommand>(m.fetch_command_data_o), *command);
    }
    ASSERT_EQ(m.busy_o, !model_.empty() || scheduler_.active(scheduled_));
    ASSERT_EQ(m.active_o, model_.active(in) || scheduler_.active(scheduled_));
    ASSERT_EQ(m.holds_o, model_.holds(m.hold_queue_i));
  }
  // What the coming edge does.
  void step(DescriptorFetchModel::Cycle in) {
    auto& m = *dut_.operator->();
    if (m.fetch_i) {
      const std::uint64_t slot = row_.get<r::fetch_index>() % row_.get<r::size>();
      in.fetch = {.fetched = Fetched()
                                 .set<f::queue>(m.queue_i)
                                 .set<f::index>(row_.get<r::fetch_index>())
                                 .set<f::lap>(row_.get<r::fetch_lap>())
                                 .set<f::owner>(row_.get<r::owner>())
                                 .set<f::mode>(static_cast<QueueMode>(row_.get<r::mode>())),
                  .serial = row_.get<r::halt_on_error>() != 0,
                  .reply = scheduler_.choice()->reply,
                  .address = row_.get<r::base>() + slot * 64};
    }
    if (fetching_ != 0)
      fetching_ = (fetching_ + 1) % 3;
    else if (m.choice_valid_o && random_.chance(70))
      fetching_ = 1;
    scheduler_.clock(scheduled_);
    model_.clock(in);
  }
  void forget() {
    dut_->fetch_i = dut_->kill_i = dut_->fetch_beat_valid_i = dut_->release_i = 0;
    dut_->change_i = 0;
    dut_.reset(1);
    model_ = {};
    scheduler_ = QueueSchedulerModel(kQueues);
    fetching_ = 0;
  }

  Random random_;
  Clocked<Vmu_descriptor_fetch> dut_{random_.seed()};
  DescriptorFetchModel model_;
  QueueSchedulerModel scheduler_{kQueues};
  QueueSchedulerModel::Cycle scheduled_;
  unsigned fetching_ = 0;  // cycle of the turn of the choice
  Change change_;
  Row row_;
  Bytes beat_;
  std::array<bool, 5> often_{};
};

TEST_F(DescriptorFetchAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  for (int cycle = 0; cycle < 15000; ++cycle) {
    if (random_.below(1000) == 0) forget();
    draw();
    const DescriptorFetchModel::Cycle in = seen();
    ASSERT_NO_FATAL_FAILURE(compare(in)) << "cycle " << cycle;
    step(in);
    dut_.tick();
  }
}

}  // namespace
}  // namespace torusmu::testing
