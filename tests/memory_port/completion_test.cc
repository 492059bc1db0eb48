// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "Vmu_completion.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using WriteAction = Record<layout::write_action::Layout>;
using Operation = Record<layout::counter_operation::Layout>;
namespace action = layout::write_action;
namespace operation = layout::counter_operation;

// What an action leads to, as text: easy to list and to compare.
using Effects = std::vector<std::string>;

std::string text(const char* what, std::uint64_t a, std::uint64_t b = 0) {
  return std::string(what) + " " + std::to_string(a) + " " + std::to_string(b);
}

std::string text(const char* what, const PortBits& causes) {
  return what + (" " + causes.to_string());
}

class Completion : public ::testing::Test {
 protected:
  // The contract, in the order in which the effects must be seen, but that a publish and the
  // counters may change places: publishes are compared by themselves.
  struct Expected {
    Effects publishes;
    Effects counters;
    Effects pulses;
  };

  static Expected expected(const WriteAction& done, bool error) {
    Expected effects;
    const auto target = done.get<action::target>();
    const auto amount = done.get<action::amount>();
    const auto client = done.get<action::client>();
    const Action kind = done.get<action::action>();
    if (kind == Action::kFifo) effects.publishes.push_back(text("fifo", target, amount));
    if (kind == Action::kGet || kind == Action::kPush) {
      effects.publishes.push_back(text("queue", target, amount));
    }
    if (kind == Action::kNotice) effects.publishes.push_back(text("notice", target % 16));
    if (!error && done.get<action::counter_valid>() != 0) {
      Operation change;
      change.set<operation::value>(done.get<action::bytes>())
          .set<operation::counter>(done.get<action::counter>())
          .set<operation::client>(client);
      effects.counters.push_back(describe(change));
    }
    if (!error && done.get<action::event_valid>() != 0) {
      Operation change;
      change.set<operation::value>(1)
          .set<operation::counter>(done.get<action::event_counter>())
          .set<operation::is_event>(1)
          .set<operation::add>(1)
          .set<operation::client>(client);
      effects.counters.push_back(describe(change));
    }
    PortBits causes;
    if (client < kProfile.clients) {
      const auto raise = [&](Cause cause, bool wanted) {
        if (wanted) causes.set(client * 8 + static_cast<unsigned>(cause));
      };
      raise(Cause::kArrived, !error && done.get<action::interrupt>() != 0);
      raise(Cause::kNotice, kind == Action::kNotice);
      raise(Cause::kError, error);
    }
    if (causes.any()) effects.pulses.push_back(text("causes", causes));
    if (kind == Action::kPush) effects.pulses.push_back(text("pushed", client, error));
    if (kind == Action::kCalc) effects.pulses.push_back(text("calculated", error));
    return effects;
  }
  static std::string describe(const Operation& change) {
    return text("counter", change.words()[0]);
  }

  // One cycle with random readiness; records what was handed over.
  void cycle(unsigned ready_percent) {
    completion_->fifo_publish_ready_i = random_.chance(ready_percent);
    completion_->queue_publish_ready_i = random_.chance(ready_percent);
    completion_->notice_publish_ready_i = random_.chance(ready_percent);
    completion_->counter_ready_i = random_.chance(ready_percent);
    completion_.settle();
    if (completion_->fifo_publish_valid_o && completion_->fifo_publish_ready_i) {
      seen_.publishes.push_back(
          text("fifo", completion_->fifo_publish_target_o, completion_->fifo_publish_slots_o));
    }
    if (completion_->queue_publish_valid_o && completion_->queue_publish_ready_i) {
      seen_.publishes.push_back(
          text("queue", completion_->queue_publish_target_o, completion_->queue_publish_count_o));
    }
    if (completion_->notice_publish_valid_o && completion_->notice_publish_ready_i) {
      seen_.publishes.push_back(text("notice", completion_->notice_publish_client_o));
    }
    if (completion_->counter_valid_o && completion_->counter_ready_i) {
      seen_.counters.push_back(
          describe(sample_record<Operation>(completion_->counter_operation_o)));
    }
    if (const PortBits causes = bits_of(completion_->causes_o); causes.any()) {
      seen_.pulses.push_back(text("causes", causes));
      // Causes are the last thing of their action: everything else of it was handed over before.
      EXPECT_EQ(seen_.counters.size(), counters_due_);
      EXPECT_EQ(seen_.publishes.size(), publishes_due_);
    }
    if (completion_->push_done_valid_o) {
      seen_.pulses.push_back(
          text("pushed", completion_->push_done_client_o, completion_->push_done_error_o));
    }
    if (completion_->calc_stored_valid_o) {
      seen_.pulses.push_back(text("calculated", completion_->calc_stored_error_o));
    }
    completion_.tick();
  }

  void apply(const WriteAction& wanted, bool error, unsigned ready_percent) {
    drive(completion_->action_data_i, wanted);
    completion_->action_error_i = error;
    completion_->action_valid_i = 1;
    completion_.settle();
    for (int i = 0; !completion_->action_ready_o; ++i) {
      ASSERT_LT(i, 1000) << "action_ready_o";
      cycle(ready_percent);
      completion_.settle();
    }
    cycle(ready_percent);
    completion_->action_valid_i = 0;
    const Expected more = expected(wanted, error);
    append(want_.publishes, more.publishes);
    append(want_.counters, more.counters);
    append(want_.pulses, more.pulses);
    counters_due_ = want_.counters.size();
    publishes_due_ = want_.publishes.size();
  }
  static void append(Effects& all, const Effects& more) {
    all.insert(all.end(), more.begin(), more.end());
  }
  void drain() {
    for (int i = 0; completion_->busy_o; ++i) {
      ASSERT_LT(i, 1000) << "busy_o";
      cycle(50);
    }
    EXPECT_EQ(seen_.publishes, want_.publishes);
    EXPECT_EQ(seen_.counters, want_.counters);
    EXPECT_EQ(seen_.pulses, want_.pulses);
  }

  // Applies a packet of a SEND alone.
  Record<layout::message_stored::Layout> stored_of(const WriteAction& send, bool error) {
    drive(completion_->action_data_i, send);
    completion_->action_error_i = error;
    completion_->action_valid_i = 1;
    if (error) counters_due_ = seen_.counters.size();
    completion_.settle();
    EXPECT_TRUE(completion_->action_ready_o);
    cycle(100);
    completion_->action_valid_i = 0;
    for (int i = 0; i < 20; ++i) {
      completion_.settle();
      if (completion_->stored_valid_o) {
        const auto told =
            sample_record<Record<layout::message_stored::Layout>>(completion_->stored_o);
        while (completion_->busy_o) cycle(100);
        return told;
      }
      cycle(100);
    }
    ADD_FAILURE() << "nothing is told of what is stored";
    return {};
  }

  WriteAction random_action() {
    WriteAction wanted;
    return wanted.set<action::action>(static_cast<Action>(random_.below(7)))
        .set<action::client>(random_.below(6))
        .set<action::target>(random_.below(256))
        .set<action::amount>(1 + random_.below(17))
        .set<action::bytes>(random_.below(513))
        .set<action::counter>(random_.below(256))
        .set<action::counter_valid>(random_.below(2))
        .set<action::event_counter>(random_.below(256))
        .set<action::event_valid>(random_.below(2))
        .set<action::interrupt>(random_.below(2));
  }

  Random random_;
  Clocked<Vmu_completion> completion_{random_.seed()};
  Expected seen_;
  Expected want_;
  std::size_t counters_due_ = 0;
  std::size_t publishes_due_ = 0;
};

TEST_F(Completion, AppliesEveryActionOnceInOrder) {
  SCOPED_TRACE(random_.replay());
  for (const unsigned percent : {20U, 60U, 100U}) {
    for (int i = 0; i < 2000; ++i) apply(random_action(), random_.chance(15), percent);
  }
  drain();
}

TEST_F(Completion, ChangesTheByteCounterBeforeTheEventCounter) {
  WriteAction put;
  put.set<action::action>(Action::kPut)
      .set<action::bytes>(512)
      .set<action::counter>(7)
      .set<action::counter_valid>(1)
      .set<action::event_counter>(9)
      .set<action::event_valid>(1);
  apply(put, false, 100);
  drain();
  ASSERT_EQ(seen_.counters.size(), 2U);
}

TEST_F(Completion, PublishesReservedSlotsThoughTheWriteFailed) {
  WriteAction fifo;
  fifo.set<action::action>(Action::kFifo)
      .set<action::target>(5)
      .set<action::amount>(3)
      .set<action::counter_valid>(1)
      .set<action::event_valid>(1)
      .set<action::interrupt>(1)
      .set<action::client>(2);
  apply(fifo, true, 100);
  drain();
  EXPECT_EQ(seen_.publishes, Effects{text("fifo", 5, 3)});
  EXPECT_TRUE(seen_.counters.empty());
  EXPECT_EQ(seen_.pulses,
            Effects{text("causes", bit(2 * 8 + static_cast<unsigned>(Cause::kError)))});
}

// --- SENDs ------------------------------------------------------------------------------------

namespace stored = layout::message_stored;

TEST_F(Completion, TellsWhichMessageAPacketOfASendBelongsTo) {
  for (unsigned context = 0; context < 8; ++context) {
    for (const bool error : {false, true}) {
      WriteAction send;
      send.set<action::action>(Action::kSend)
          .set<action::target>(20 + context)
          .set<action::epoch>(context & 3)
          .set<action::slot>(context >> 1 & 1)
          .set<action::message_end>(context >> 2 & 1)
          .set<action::dynamic>(context & 1)
          .set<action::reassembly>(context);
      EXPECT_EQ(stored_of(send, error), Record<stored::Layout>()
                                            .set<stored::queue>(20 + context)
                                            .set<stored::epoch>(context & 3)
                                            .set<stored::slot>(context >> 1 & 1)
                                            .set<stored::message_end>(context >> 2 & 1)
                                            .set<stored::dynamic>(context & 1)
                                            .set<stored::reassembly>(context)
                                            .set<stored::failed>(error));
    }
  }
}

TEST_F(Completion, CountsNoMessageOfWhichAPacketFailedThoughOthersAreBetween) {
  const auto packet = [](bool dynamic, unsigned number, unsigned epoch, bool last) {
    WriteAction send;
    return send.set<action::action>(Action::kSend)
        .set<action::target>(dynamic ? kProfile.injection_queues - 1 : number)
        .set<action::epoch>(epoch)
        .set<action::message_end>(last)
        .set<action::dynamic>(dynamic)
        .set<action::reassembly>(dynamic ? number : 0)
        .set<action::event_counter>(number)
        .set<action::event_valid>(last);
  };
  stored_of(packet(true, 3, 1, false), true);
  for (unsigned number = 0; number < 8; ++number) {
    stored_of(packet(true, number, 1, true), false);
    stored_of(packet(false, number, 1, true), false);
  }
  EXPECT_EQ(seen_.counters.size(), 15U) << "of the context that failed none";
  Operation change;
  change.set<operation::value>(1)
      .set<operation::counter>(3)
      .set<operation::is_event>(1)
      .set<operation::add>(1);
  EXPECT_EQ(std::count(seen_.counters.begin(), seen_.counters.end(), describe(change)), 1)
      << "but of the queue with its number";
  stored_of(packet(true, 3, 1, true), false);
  EXPECT_EQ(seen_.counters.size(), 16U) << "that is another message";
  stored_of(packet(true, 3, 2, false), true);
  stored_of(packet(true, 3, 3, true), false);
  EXPECT_EQ(seen_.counters.size(), 17U) << "begun anew";
}

TEST_F(Completion, CountsNoneOfTheMessagesThatFailedAtTheSameTime) {
  SCOPED_TRACE(random_.replay());
  constexpr unsigned kMessages = kProfile.injection_queues + kProfile.reassembly_contexts;
  const auto packet = [](unsigned message, bool last) {
    const bool dynamic = message >= kProfile.injection_queues;
    WriteAction send;
    return send.set<action::action>(Action::kSend)
        .set<action::target>(dynamic ? 0 : message)
        .set<action::epoch>(1)
        .set<action::message_end>(last)
        .set<action::dynamic>(dynamic)
        .set<action::reassembly>(dynamic ? message - kProfile.injection_queues : 0)
        .set<action::event_valid>(last);
  };
  for (int round = 0; round < 20; ++round) {
    std::array<bool, kMessages> failed{};
    for (int i = 0; i < 60; ++i) {
      const auto message = static_cast<unsigned>(random_.below(kMessages));
      const bool fails = random_.chance(70);
      stored_of(packet(message, false), fails);
      failed[message] = failed[message] || fails;
    }
    for (unsigned message = 0; message < kMessages; ++message) {
      const std::size_t before = seen_.counters.size();
      stored_of(packet(message, true), false);
      EXPECT_EQ(seen_.counters.size() - before, failed[message] ? 0U : 1U) << message;
    }
  }
}

TEST_F(Completion, TakesAnActionEveryThreeCyclesWhenNothingWaits) {
  WriteAction put;
  put.set<action::action>(Action::kPut).set<action::counter_valid>(1);
  apply(put, false, 100);
  const std::uint64_t start = completion_.cycle();
  for (int i = 0; i < 20; ++i) apply(put, false, 100);
  EXPECT_EQ(completion_.cycle() - start, 60U);
  drain();
}

// Of messages: of queues, then of contexts.
constexpr std::size_t kNumbers =
    std::bit_ceil(kProfile.injection_queues + kProfile.reassembly_contexts);

// One action at a time, cycle by cycle.
struct Applied {
  bool valid = false, error = false, interrupt = false;
  bool fifo = false, queue = false, notice = false, entry = false, counter = false, event = false;
  WriteAction action;
  PortBits causes;
  bool pushed = false, calculated = false, stored = false;
  bool finished() const { return valid && !(fifo || queue || notice || entry || counter || event); }
};

class CompletionAtRandom : public Completion {
 protected:
  WriteAction draw() {
    WriteAction wanted;
    auto bytes = random_bytes(random_, WriteAction::kBytes);
    bytes[10] &= 7;  // reserved
    wanted = WriteAction::from_bytes(bytes);
    const auto kind = static_cast<Action>(random_.below(random_.chance(90) ? 11 : 16));
    wanted.set<action::action>(random_.chance(30) ? Action::kSend : kind);
    if (wanted.get<action::action>() == Action::kSend && wanted.get<action::dynamic>() == 0) {
      wanted.set<action::target>(random_.below(kProfile.injection_queues));
    }
    // Often one of two neighbours, so that messages of both are under way.
    if (random_.chance(70)) {
      wanted.set<action::target>((neighbours_ + random_.below(2)) % kProfile.injection_queues)
          .set<action::epoch>(1);
      wanted.set<action::reassembly>((neighbours_ + random_.below(2)) % 8);
      if (random_.chance(70)) wanted.set<action::message_end>(0);
    }
    if (random_.chance(50)) wanted.set<action::client>(random_.below(kProfile.clients));
    return wanted;
  }
  static std::size_t message_of(const WriteAction& wanted) {
    return wanted.get<action::dynamic>() != 0
               ? kProfile.injection_queues + wanted.get<action::reassembly>()
               : wanted.get<action::target>() % kNumbers;
  }
  void compare() {
    auto& m = *completion_.operator->();
    const WriteAction& now = now_.action;
    ASSERT_EQ(m.action_ready_o, !now_.valid);
    ASSERT_EQ(m.fifo_publish_valid_o, now_.fifo);
    ASSERT_EQ(m.queue_publish_valid_o, now_.queue);
    ASSERT_EQ(m.notice_publish_valid_o, now_.notice);
    ASSERT_EQ(m.entry_publish_valid_o, now_.entry);
    ASSERT_EQ(m.counter_valid_o, now_.counter || now_.event);
    if (now_.valid) {
      ASSERT_EQ(m.fifo_publish_target_o, now.get<action::target>());
      ASSERT_EQ(m.fifo_publish_slots_o, now.get<action::amount>());
      ASSERT_EQ(m.queue_publish_target_o, now.get<action::target>());
      ASSERT_EQ(m.queue_publish_count_o, now.get<action::amount>());
      ASSERT_EQ(m.notice_publish_client_o, now.get<action::target>() & 15);
      ASSERT_EQ(m.entry_publish_queue_o, now.get<action::target>());
    }
    if (m.counter_valid_o) {
      const bool event = !now_.counter;
      ASSERT_EQ(sample_record<Operation>(m.counter_operation_o),
                Operation()
                    .set<operation::value>(event ? 1 : now.get<action::bytes>())
                    .set<operation::counter>(event ? now.get<action::event_counter>()
                                                   : now.get<action::counter>())
                    .set<operation::is_event>(event)
                    .set<operation::add>(event)
                    .set<operation::client>(now.get<action::client>()));
    }
    ASSERT_EQ(bits_of(m.causes_o), now_.causes);
    ASSERT_EQ(m.push_done_valid_o, now_.pushed);
    ASSERT_EQ(m.calc_stored_valid_o, now_.calculated);
    ASSERT_EQ(m.stored_valid_o, now_.stored);
    if (now_.pushed) {
      ASSERT_EQ(m.push_done_client_o, now.get<action::client>());
      ASSERT_EQ(m.push_done_error_o, now_.error);
    }
    if (now_.calculated) {
      ASSERT_EQ(m.calc_stored_error_o, now_.error);
    }
    if (now_.stored) {
      namespace s = layout::message_stored;
      ASSERT_EQ(sample_record<Record<s::Layout>>(m.stored_o),
                Record<s::Layout>()
                    .set<s::queue>(now.get<action::target>())
                    .set<s::epoch>(now.get<action::epoch>())
                    .set<s::failed>(now_.error)
                    .set<s::message_end>(now.get<action::message_end>())
                    .set<s::slot>(now.get<action::slot>())
                    .set<s::dynamic>(now.get<action::dynamic>())
                    .set<s::reassembly>(now.get<action::reassembly>())
                    .set<s::fence>(now.get<action::action>() == Action::kFence));
    }
    ASSERT_EQ(m.busy_o,
              now_.valid || now_.causes.any() || now_.pushed || now_.calculated || now_.stored);
  }
  void take(const WriteAction& wanted, bool error) {
    const Action kind = wanted.get<action::action>();
    const bool send = kind == Action::kSend;
    const std::size_t message = send ? message_of(wanted) : 0;
    const auto epoch = static_cast<unsigned>(wanted.get<action::epoch>());
    const bool of_failed = send && failed_[message] && epochs_[message] == epoch;
    if (send && error) epochs_[message] = epoch;
    if (send && wanted.get<action::message_end>() != 0) {
      failed_[message] = false;
    } else if (send && error) {
      failed_[message] = true;
    }
    now_.valid = true;
    now_.error = error;
    now_.interrupt = wanted.get<action::interrupt>() != 0 && !of_failed;
    now_.action = wanted;
    now_.fifo = kind == Action::kFifo;
    now_.queue = kind == Action::kGet || kind == Action::kPush;
    now_.notice = kind == Action::kNotice;
    now_.entry = kind == Action::kCompletion;
    now_.counter = wanted.get<action::counter_valid>() != 0 && !error && !of_failed;
    now_.event = wanted.get<action::event_valid>() != 0 && !error && !of_failed;
  }
  void step(bool taken, const WriteAction& wanted, bool error) {
    auto& m = *completion_.operator->();
    const bool finished = now_.finished();
    const Action kind = now_.action.get<action::action>();
    const std::uint64_t client = now_.action.get<action::client>();
    now_.causes.reset();
    if (finished && client < kProfile.clients) {
      const auto raise = [&](Cause cause) {
        now_.causes.set(8 * client + static_cast<unsigned>(cause));
      };
      if (now_.interrupt && !now_.error) raise(Cause::kArrived);
      if (kind == Action::kNotice) raise(Cause::kNotice);
      if (now_.error) raise(Cause::kError);
    }
    now_.pushed = finished && kind == Action::kPush;
    now_.calculated = finished && kind == Action::kCalc;
    now_.stored = finished && (kind == Action::kSend || kind == Action::kFence);
    if (taken) {
      take(wanted, error);
      return;
    }
    if (!now_.valid) return;
    if (m.fifo_publish_ready_i) now_.fifo = false;
    if (m.queue_publish_ready_i) now_.queue = false;
    if (m.notice_publish_ready_i) now_.notice = false;
    if (m.entry_publish_ready_i) now_.entry = false;
    if (m.counter_ready_i && !now_.counter) now_.event = false;
    if (m.counter_ready_i) now_.counter = false;
    if (finished) now_.valid = false;
  }
  Applied now_;
  std::uint64_t neighbours_ = 0;
  std::array<bool, kNumbers> failed_{};
  std::array<unsigned, kNumbers> epochs_{};
};

TEST_F(CompletionAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  auto& m = *completion_.operator->();
  WriteAction wanted = draw();
  bool error = false;
  for (int cycle = 0; cycle < 80000; ++cycle) {
    if (random_.chance(1) && random_.chance(20)) {
      m.action_valid_i = 0;
      completion_.reset(1);
      now_ = {};
      failed_ = {};
    }
    const unsigned percent = cycle / 300 % 2 == 0 ? 90 : 40;
    if (cycle % 300 == 0) neighbours_ = random_.below(kProfile.injection_queues);
    m.action_valid_i = random_.chance(80);
    drive(m.action_data_i, wanted);
    m.action_error_i = error;
    m.fifo_publish_ready_i = random_.chance(percent);
    m.queue_publish_ready_i = random_.chance(percent);
    m.notice_publish_ready_i = random_.chance(percent);
    m.entry_publish_ready_i = random_.chance(percent);
    m.counter_ready_i = random_.chance(percent);
    completion_.settle();
    ASSERT_NO_FATAL_FAILURE(compare()) << "cycle " << cycle;
    const bool taken = m.action_valid_i && !now_.valid;
    step(taken, wanted, error);
    completion_.tick();
    if (!taken) continue;
    wanted = draw();
    error = random_.chance(25);
  }
}

}  // namespace
}  // namespace torusmu::testing
