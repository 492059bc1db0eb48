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
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

namespace f = layout::fetched_descriptor;
constexpr unsigned kQueues = kProfile.injection_queues;
using Fetched = Record<f::Layout>;
using ReadCommand = Record<layout::read_command::Layout>;

TEST(DescriptorFetch, NeverLetsOneClassWaitForTheOther) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (const bool requests_blocked : {false, true}) {
    Clocked<Vmu_descriptor_fetch> dut(random.seed());
    // Queue 1 is a reflection queue, queue 2 is not; both always have work.
    for (std::uint8_t queue = 1; queue <= 2; ++queue) {
      dut->update_i = 1;
      dut->queue_i = queue;
      dut->work_i = 1;
      dut->reflection_i = queue == 1;
      dut.tick();
    }
    dut->update_i = 0;
    std::uint32_t next[3] = {0, 0, 0}, seen[3] = {0, 0, 0};
    std::deque<std::uint64_t> addresses;
    bool half = false;
    for (int cycle = 0; cycle < 3000; ++cycle) {
      dut->fetch_command_ready_i = random.chance(60);
      dut->request_descriptor_ready_i = requests_blocked ? 0 : random.chance(50);
      dut->reply_descriptor_ready_i = requests_blocked ? random.chance(50) : 0;
      dut->fetch_beat_valid_i = !addresses.empty() && random.chance(70);
      dut->fetch_beat_last_i = half;
      drive(dut->fetch_beat_data_i,
            Bytes(32, static_cast<std::uint8_t>(addresses.empty() ? 0 : addresses.front() / 64)));
      dut.settle();
      const bool fetch = dut->choice_valid_o && random.chance(80);
      dut->fetch_i = fetch;
      dut->queue_i = dut->choice_queue_o;
      dut->index_i = dut->position_i = next[dut->choice_queue_o % 3];
      dut->base_i = 0x10000 * dut->choice_queue_o;
      dut->setup_i = static_cast<std::uint8_t>(dut->choice_queue_o == 1 ? 4 : 1);
      dut.settle();
      if (fetch) ++next[dut->choice_queue_o % 3];
      if (dut->fetch_beat_valid_i) {
        if (half) addresses.pop_front();
        half = !half;
      }
      if (dut->fetch_command_valid_o && dut->fetch_command_ready_i) {
        const ReadCommand command = sample_record<ReadCommand>(dut->fetch_command_data_o);
        ASSERT_EQ(command.get<layout::read_command::bytes>(), 64U);
        addresses.push_back(command.get<layout::read_command::address>());
      }
      const auto check = [&](bool taken, const auto& data, unsigned queue) {
        if (!taken) return;
        const Fetched fetched = sample_record<Fetched>(data);
        ASSERT_EQ(fetched.get<f::queue>(), queue);
        ASSERT_EQ(fetched.get<f::index>(), seen[queue]);
        ASSERT_EQ(fetched.get<f::descriptor>().bytes()[63], seen[queue] & 0xFF);
        ++seen[queue];
      };
      check(dut->request_descriptor_valid_o && dut->request_descriptor_ready_i,
            dut->request_descriptor_data_o, 2);
      check(dut->reply_descriptor_valid_o && dut->reply_descriptor_ready_i,
            dut->reply_descriptor_data_o, 1);
      dut.tick();
    }
    EXPECT_GT(seen[requests_blocked ? 1 : 2], 300U);
    EXPECT_LE(next[requests_blocked ? 2 : 1], 4U) << "no more than its buffer holds";
  }
}

TEST(DescriptorFetch, HasRoomForTheAnswersOfAsManyFetchesAsItSends) {
  constexpr unsigned kDepth = DescriptorFetchModel::kDepth;
  Clocked<Vmu_descriptor_fetch> dut;
  for (std::uint8_t queue = 1; queue <= 2; ++queue) {
    dut->update_i = dut->work_i = 1;
    dut->queue_i = queue;
    dut->reflection_i = queue == 1;
    dut.tick();
  }
  dut->update_i = 0;
  dut->fetch_command_ready_i = 1;
  std::array<std::uint32_t, 3> next{}, seen{};
  std::deque<std::uint8_t> fetched;  // queue of each, in the order of the commands
  for (int cycle = 0; cycle < 60; ++cycle) {
    dut.settle();
    dut->fetch_i = dut->choice_valid_o;
    const std::uint8_t queue = dut->queue_i = dut->choice_queue_o;
    dut->index_i = dut->position_i = next[queue % 3];
    dut->base_i = 0x10000 * queue;
    dut->setup_i = static_cast<std::uint8_t>(queue == 1 ? 4 : 1);
    dut.settle();
    if (dut->fetch_i) ++next[queue % 3];
    if (dut->fetch_command_valid_o) {
      const auto command = sample_record<ReadCommand>(dut->fetch_command_data_o);
      fetched.push_back(
          static_cast<std::uint8_t>(command.get<layout::read_command::address>() >> 16));
    }
    dut.tick();
  }
  ASSERT_EQ(fetched.size(), 2 * kDepth) << "no beat has come";
  ASSERT_EQ(next, (std::array<std::uint32_t, 3>{0, kDepth, kDepth}));
  dut->fetch_i = 0;
  dut->request_descriptor_ready_i = dut->reply_descriptor_ready_i = 1;
  const auto check = [&](bool taken, const auto& data, unsigned queue) {
    if (!taken) return;
    const Fetched is = sample_record<Fetched>(data);
    ASSERT_EQ(is.get<f::queue>(), queue);
    ASSERT_EQ(is.get<f::index>(), seen[queue]++);
    ASSERT_EQ(is.get<f::descriptor>().bytes()[63], queue) << "the beats of another";
  };
  for (unsigned beat = 0; beat < 4 * kDepth + 4; ++beat) {
    dut->fetch_beat_valid_i = beat < 4 * kDepth;
    dut->fetch_beat_last_i = beat & 1;
    drive(dut->fetch_beat_data_i, Bytes(32, fetched.empty() ? 0 : fetched.front()));
    if ((beat & 1) != 0 && !fetched.empty()) fetched.pop_front();
    dut.settle();
    check(dut->request_descriptor_valid_o, dut->request_descriptor_data_o, 2);
    check(dut->reply_descriptor_valid_o, dut->reply_descriptor_data_o, 1);
    dut.tick();
  }
  EXPECT_EQ(seen, next) << "all have left";
}

// Both classes under everything at once, but that nothing is parked.
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
  bool ready(unsigned queue) {
    return work_[queue] && !stopped_[queue] && !(dut_->hold_i && dut_->hold_queue_i == queue);
  }
  bool works(bool reply) {
    for (unsigned i = 0; i < kQueues; ++i)
      if (ready(i) && reflection_[i] == reply) return true;
    return false;
  }
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
      if (front != nullptr && random_.chance(50))
        pins(reply).head = static_cast<IData>(front->get<f::index>());
    }
    m.hold_queue_i = static_cast<CData>(random_.below(kQueues));
    if (const auto last = model_.back_queue(false); last && random_.chance(70))
      m.hold_queue_i = static_cast<CData>(*last);
    if (const auto first = model_.front_queue(true); first && random_.chance(30))
      m.hold_queue_i = static_cast<CData>(*first);
    m.hold_i = random_.chance(20);
    m.release_i = random_.chance(often_[4] ? 30 : 5);
    m.release_queue_i = static_cast<CData>(random_.below(kQueues));
    m.index_i = static_cast<IData>(random_.bits64());
    m.position_i = static_cast<IData>(random_.below(1U << 24));
    m.lap_i = static_cast<IData>(random_.bits64());
    m.base_i = random_.bits64() >> 24U;
    m.setup_i = static_cast<CData>(random_.below(random_.chance(80) ? 128 : 256));
    m.queue_i = static_cast<CData>(random_.below(kQueues));
    m.work_i = random_.chance(often_[4] ? 60 : 5);
    m.reflection_i = random_.chance(50);
    m.fetch_i = m.update_i = m.stop_i = m.kill_i = 0;
    dut_.settle();
    m.fetch_i = m.choice_valid_o && random_.chance(70);
    if (m.fetch_i) m.queue_i = m.choice_queue_o;
    m.update_i = !m.fetch_i && random_.chance(40);
    m.stop_i = m.update_i && random_.chance(20);
    m.kill_i = !m.fetch_i && random_.chance(5);
    if (m.kill_i && random_.chance(60)) m.queue_i = m.hold_queue_i;
    dut_.settle();
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
    return in;
  }
  void compare(const DescriptorFetchModel::Cycle& in) {
    auto& m = *dut_.operator->();
    bool choice = false;
    for (const bool reply : {false, true}) {
      const bool may = model_.free(in) && works(reply) && model_.has_room(reply);
      choice = choice || may;
      if (may) choice_is_reply_ = reply;
      const Fetched* wanted = model_.shown(reply, in);
      ASSERT_EQ(pins(reply).valid, wanted != nullptr);
      if (wanted != nullptr) {
        ASSERT_EQ(shown(reply), *wanted);
      }
      if (const auto queue = model_.front_queue(reply)) {
        ASSERT_EQ(pins(reply).head_queue, *queue);
      }
    }
    ASSERT_EQ(m.choice_valid_o, choice);
    if (choice) {
      ASSERT_TRUE(ready(m.choice_queue_o));
      ASSERT_EQ(reflection_[m.choice_queue_o], choice_is_reply_);
    }
    const auto& command = model_.command();
    ASSERT_EQ(m.fetch_command_valid_o, command.has_value());
    if (command) {
      ASSERT_EQ(sample_record<ReadCommand>(m.fetch_command_data_o), *command);
    }
    ASSERT_EQ(m.busy_o, !model_.empty() || choice);
    ASSERT_EQ(m.active_o, model_.active(in) || choice);
    ASSERT_EQ(m.holds_o, model_.holds(m.hold_queue_i));
  }
  // What the coming edge does.
  void step(DescriptorFetchModel::Cycle in) {
    auto& m = *dut_.operator->();
    if (m.release_i) stopped_[m.release_queue_i] = false;
    if (m.update_i) {
      if (m.stop_i) stopped_[m.queue_i] = true;
      work_[m.queue_i] = m.work_i;
      reflection_[m.queue_i] = m.reflection_i;
    }
    if (m.fetch_i) {
      in.fetch = {.fetched = Fetched()
                                 .set<f::queue>(m.queue_i)
                                 .set<f::index>(m.index_i)
                                 .set<f::position>(m.position_i)
                                 .set<f::lap>(m.lap_i)
                                 .set<f::owner>(m.setup_i >> 3U & 15U)
                                 .set<f::mode>(static_cast<QueueMode>(m.setup_i & 7U)),
                  .serial = m.setup_i >> 7U != 0,
                  .reply = choice_is_reply_,
                  .address = m.base_i + std::uint64_t{m.position_i} * 64};
    }
    model_.clock(in);
  }
  void forget() {
    dut_->fetch_i = dut_->update_i = dut_->kill_i = dut_->fetch_beat_valid_i = 0;
    dut_->stop_i = dut_->release_i = 0;
    dut_.reset(1);
    model_ = {};
    work_ = reflection_ = stopped_ = {};
  }

  Random random_;
  Clocked<Vmu_descriptor_fetch> dut_{random_.seed()};
  DescriptorFetchModel model_;
  std::array<bool, kQueues> work_{}, reflection_{}, stopped_{};
  Bytes beat_;
  bool choice_is_reply_ = false;
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
