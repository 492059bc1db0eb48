// SPDX-License-Identifier: Apache-2.0
// model: Vmu_queue_engine mu_queue_engine
// bgp:
// The queue engine alone, in sequences of its own and under everything at once, compared in each
// cycle with what the contract says.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "Vmu_queue_engine/Vmu_queue_engine___024root.h"
#include "sim/machine/profile.h"
#include "tests/support/few_numbers.h"
#include "tests/support/mood.h"
#include "tests/support/queue_engine_bench.h"
#include "tests/support/written_inside.h"

TORUSMU_WRITTEN_INSIDE(Vmu_queue_engine)

namespace torusmu::testing {
namespace {

namespace q = registers::injection_queue;
namespace p = layout::queue_place;

class QueueEngineInside : public QueueEngineBench {
 protected:
  // As if all had happened that leads to this.
  void become(unsigned at, const QueueStateModel& queue) {
    model_.set_queue(at, queue);
#define TORUSMU_TABLE(memory) \
  dut_->rootp->mu_queue_engine__DOT__u_queue_table__DOT__##memory##_mem[at]
    TORUSMU_TABLE(head) = queue.head;
    TORUSMU_TABLE(fetch_index) = queue.fetch;
    TORUSMU_TABLE(published) = queue.published;
    TORUSMU_TABLE(reserved) = queue.reserved;
    TORUSMU_TABLE(fetch_lap) = queue.fetch_lap;
    TORUSMU_TABLE(limit) = queue.limit;
    TORUSMU_TABLE(errors) = queue.errors;
#undef TORUSMU_TABLE
    settle_inside(dut_->rootp);
  }
};

class QueueEngineAtRandom : public QueueEngineInside {
 protected:
  // How often things happen for some hundred cycles, in percent.
  struct Mood {
    unsigned queues = 3;  // so many at a time
    unsigned access = 60, config = 20, get = 30, push = 30, publish = 70, retire = 60, fail = 20;
    unsigned rewind = 10, resume = 10, hold = 10, release = 20, enable = 20, credit = 10;
    unsigned command = 80, beat = 80, request = 80, reply = 80, any = 1;
    unsigned cycles = 300;
  };

  std::uint32_t word() { return static_cast<std::uint32_t>(random_.bits64()); }
  unsigned below(std::uint64_t bound) { return static_cast<unsigned>(random_.below(bound)); }
  unsigned pick() { return few_.any(random_); }
  // Now and then one that does not exist.
  unsigned pick_any() {
    return random_.chance(85) ? pick() : pick() + kQueues * below(256 / kQueues);
  }

  // What was delivered of a queue and not given back, and is not done: this many from head on.
  std::uint32_t delivered(unsigned at) const { return delivered_[at] - model_.queue(at).head; }
  // How far behind head the first one lies that somebody is about to take back or hold.
  std::uint32_t asked(unsigned at, const std::optional<Place>& place) const {
    if (!place || queue_of(*place) != at) return delivered(at);
    return index_of(*place) - model_.queue(at).head;
  }
  // What may be retired: nothing that is about to come again.
  std::uint32_t retirable(unsigned at) const {
    return std::min({asked(at, in_.rewind), asked(at, in_.resume), asked(at, in_.hold)});
  }
  std::uint32_t behind_retire(unsigned at) const {
    if (!in_.retire || in_.retire->queue != at) return 0;
    return in_.retire->index + 1 - model_.queue(at).head;
  }

  // A queue that rests has worked for long: its indices are anything, its next slot often the last.
  void draw_any() {
    const unsigned at = pick();
    if (!model_.ready() || !model_.rests(at) || is_asked(at) || model_.queue(at).size == 0) return;
    QueueStateModel queue = model_.queue(at);
    if (queue.published != queue.fetch) return;
    queue.head = random_.chance(70) ? word() : 0U - below(3);
    if (random_.chance(40)) queue.head |= queue.size - 1;
    queue.fetch = queue.published = queue.reserved = queue.head;
    queue.fetch_lap = word();
    queue.limit = random_.chance(50) ? queue.head + below(3) : word();
    queue.errors = random_.chance(50) ? 0 : random_.bits64() >> 8U;
    delivered_[at] = queue.head;
    become(at, queue);
  }
  // Somebody names a descriptor or slot of it.
  bool is_asked(unsigned at) const {
    const auto names = [at](const std::optional<Place>& place) {
      return place && queue_of(*place) == at;
    };
    const QueueStateModel& queue = model_.queue(at);
    return delivered(at) != 0 || queue.fetch != queue.head || queue.reserved != queue.published ||
           (in_.retire && in_.retire->queue == at) || names(in_.rewind) || names(in_.resume) ||
           names(in_.hold);
  }

  std::uint64_t draw_config(unsigned at) {
    const bool off = random_.chance(model_.queue(at).mode() == QueueMode::kOff ? 10 : 50);
    const unsigned modes = at < kProfile.reflection_queues ? 7 : 4;
    constexpr std::array kModes = {QueueMode::kDoorbell,  QueueMode::kPush,  QueueMode::kRemoteGet,
                                   QueueMode::kReceive,   QueueMode::kPiped, QueueMode::kReflection,
                                   QueueMode::kReflection};
    const QueueMode mode = off ? QueueMode::kOff : kModes.at(below(modes));
    std::uint64_t config = static_cast<unsigned>(mode) | std::uint64_t{below(kProfile.clients)}
                                                             << 4;
    if (random_.chance(40)) config |= 1U << 8;
    if (mode == QueueMode::kDoorbell || mode == QueueMode::kReceive) config |= below(4) << 9;
    if (random_.chance(5)) config ^= 1ULL << below(64);
    return config;
  }
  std::uint64_t draw_size() {
    if (random_.chance(70)) return 1ULL << random_.below(4);
    return random_.chance(60) ? 1ULL << random_.below(26) : random_.below((1U << 24) + 2);
  }
  // Now and then the ring ends at the end of the address space, or just behind.
  std::uint64_t draw_base(const QueueStateModel& queue) {
    constexpr std::uint64_t kEnd = 1ULL << 40;
    if (random_.chance(30)) return (kEnd - 64ULL * queue.size + random_.below(3) - 1) % kEnd;
    return random_.bits64() >> (random_.chance(90) ? 25U : 23U);
  }
  std::uint64_t draw_peer() {
    std::uint64_t peer = random_.bits64() >> 24U;
    if (random_.chance(80)) peer = (peer & ~0xFFFFFULL) | below(kQueues) << 12 | in_.last_node;
    return random_.chance(90) ? peer : peer ^ 1ULL << random_.below(64);
  }
  RegisterRequest draw_doorbell(unsigned at) {
    const QueueStateModel& queue = model_.queue(at);
    std::uint32_t tail = queue.head + (random_.chance(60) ? queue.size : below(queue.size + 1ULL));
    if (random_.chance(30)) tail = queue.published + 1;
    if (random_.chance(5)) tail = word();
    const unsigned client = random_.chance(95) ? queue.owner() : below(16);
    const auto offset = registers::client_page::queue_index.in_block(at);
    if (random_.chance(10)) return page_read(client, offset);
    return page_write(client, offset, tail | std::uint64_t{word()} << 32,
                      random_.chance(97) ? 4 : 8);
  }
  RegisterRequest draw_access() {
    const unsigned at = pick();
    const QueueStateModel& queue = model_.queue(at);
    const bool off = queue.mode() == QueueMode::kOff;
    const unsigned bytes = random_.chance(97) ? 8 : 4;
    if (random_.chance(5)) {
      const std::uint32_t address = below(0x800) + (random_.chance(80) ? q::base(0) : 0);
      return random_.chance(50) ? register_read(address)
                                : page_read(below(16), address ^ 1U << below(20));
    }
    if (off && queue.size == 0 && random_.chance(70))
      return register_write(q::size(at), draw_size(), bytes);
    if (random_.chance(off ? 50 : mood_.config))
      return register_write(q::config(at), draw_config(at), bytes);
    if (random_.chance(off ? 20 : 70)) return draw_doorbell(at);
    switch (below(off ? 5 : 20)) {
      case 0:
        return register_write(q::size(at), draw_size(), bytes);
      case 1:
        return register_write(q::base(at), draw_base(queue), bytes);
      case 2:
        return register_write(q::peer(at), draw_peer(), bytes);
      default:
        return register_read(q::base(at) + 8 * below(8));
    }
  }
  void draw_next_access() {
    if (random_.chance(2)) in_.last_node = below(1U << 12);
    if (random_.chance(mood_.access)) in_.access = draw_access();
  }

  // One of those that were delivered, from `least` behind head on, before `most`.
  std::optional<Place> draw_place(unsigned at, std::uint32_t least, std::uint32_t most) {
    if (most > delivered(at)) most = delivered(at);
    if (least >= most) return std::nullopt;
    const std::uint32_t behind = least + below(most - least);
    return Place()
        .set<p::queue>(at)
        .set<p::index>(model_.queue(at).head + behind)
        .set<p::lap>(word());
  }
  void draw_retire() {
    const unsigned at = pick();
    if (in_.retire || retirable(at) == 0 || !random_.chance(mood_.retire)) return;
    const std::uint32_t behind = random_.chance(80) ? 0 : below(retirable(at));
    const unsigned status = random_.chance(50) ? 1U << below(8) : below(256);
    in_.retire = {at, model_.queue(at).head + behind, random_.chance(mood_.fail) ? status : 0};
  }
  // Nobody takes back what another takes back already, or holds what will be taken back.
  void draw_places() {
    const unsigned at = pick();
    const bool taken_back =
        asked(at, in_.rewind) != delivered(at) || asked(at, in_.resume) != delivered(at);
    const std::uint32_t held = asked(at, in_.hold);
    const std::uint32_t least = std::max(behind_retire(at), held == delivered(at) ? 0 : held + 1);
    if (!in_.rewind && !taken_back && random_.chance(mood_.rewind))
      in_.rewind = draw_place(at, least, delivered(at));
    else if (!in_.resume && !taken_back && random_.chance(mood_.resume))
      in_.resume = draw_place(at, least, delivered(at));
    else if (!in_.hold && random_.chance(mood_.hold))
      in_.hold = draw_place(at, behind_retire(at), retirable(at));
  }
  void draw_enable() {
    namespace o = layout::counter_operation;
    if (in_.enable || !random_.chance(mood_.enable)) return;
    const unsigned at = pick_any();
    const QueueStateModel& queue = model_.queue(at % kQueues);
    const bool add = random_.chance(50);
    std::uint32_t value = add ? below(4) : queue.limit + below(4);
    if (random_.chance(20)) value = random_.chance(50) ? word() : value + (1U << below(32));
    in_.enable = Model::Operation()
                     .set<o::value>(value | std::uint64_t{below(64)} << 32)
                     .set<o::counter>(at)
                     .set<o::is_event>((queue.mode() == QueueMode::kReceive) != random_.chance(20))
                     .set<o::set>(below(2))
                     .set<o::add>(add)
                     .set<o::client>(random_.chance(80) ? queue.owner() : below(16));
  }
  void draw_slots() {
    if (!in_.get_reserve && random_.chance(mood_.get)) {
      const unsigned at = pick_any();
      const bool reflects = model_.queue(at % kQueues).mode() == QueueMode::kReflection;
      in_.get_reserve = {at, 1 + below(random_.chance(70) ? 3 : 8), reflects != random_.chance(5)};
    }
    if (!in_.push_reserve && random_.chance(mood_.push)) {
      const unsigned at = pick_any();
      const unsigned owner = model_.queue(at % kQueues).owner();
      in_.push_reserve = {at, random_.chance(90) ? owner : below(16)};
    }
    const unsigned at = pick();
    const std::uint32_t most = model_.queue(at).reserved - model_.queue(at).published;
    if (!in_.publish && most != 0 && random_.chance(mood_.publish))
      in_.publish = {at, 1 + below(std::min(most, 8U))};
  }
  void draw_memory() {
    in_.command_ready = random_.chance(mood_.command);
    in_.descriptor_ready = {random_.chance(mood_.request), random_.chance(mood_.reply)};
    in_.beat.reset();
    if (model_.descriptors().awaits_beat() && random_.chance(mood_.beat))
      in_.beat = {random_bytes(random_, 32), random_.chance(20)};
  }
  void draw() {
    if (random_.chance(mood_.any)) draw_any();
    if (!in_.access) draw_next_access();
    draw_retire();
    draw_places();
    draw_enable();
    draw_slots();
    in_.credit_returned = random_.chance(mood_.credit);
    in_.release.reset();
    if (random_.chance(mood_.release)) in_.release = pick();
    draw_memory();
  }

  void run(const Mood& mood) {
    mood_ = mood;
    few_.choose(random_, mood_.queues);
    for (unsigned i = 0; i < mood.cycles; ++i) {
      draw();
      ASSERT_NO_FATAL_FAILURE(step()) << "cycle " << i;
    }
  }
  unsigned mostly() {
    return random_.chance(70) ? 50 + below(51) : 5 + draw_percent(random_) * 9 / 10;
  }
  unsigned seldom() { return random_.chance(70) ? below(20) : draw_percent(random_); }
  Mood draw_mood() {
    return {
        .queues = random_.chance(20) ? kQueues : 1 + below(4),
        .access = mostly(),
        .config = 1 + seldom() / 2,
        .get = seldom(),
        .push = seldom(),
        .publish = mostly(),
        .retire = mostly(),
        .fail = seldom(),
        .rewind = seldom() / 2,
        .resume = seldom() / 2,
        .hold = seldom() / 2,
        .release = seldom(),
        .enable = seldom(),
        .credit = random_.chance(50) ? 2 : draw_percent(random_),
        .command = mostly(),
        .beat = mostly(),
        .request = mostly(),
        .reply = mostly(),
        .any = random_.chance(70) ? 1U : 20U,
        .cycles = random_.chance(80) ? 200U : 600U,
    };
  }
  Mood mood_;
  FewNumbers few_{kQueues};
};

class QueueEngineAlone : public QueueEngineInside {
 protected:
  static constexpr unsigned kQueue = 3, kOwner = 2, kSlots = 8;
  static constexpr std::uint64_t kBase = 0x12'3456'7840;

  QueueEngineAlone() {
    in_.command_ready = true;
    steps(Model::kQueues);
  }
  void steps(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      in_.beat.reset();
      if (model_.descriptors().awaits_beat()) in_.beat = {random_bytes(random_, 32), false};
      step();
    }
  }
  Status access(const RegisterRequest& request) {
    in_.access = request;
    for (int i = 0; in_.access && i < 20; ++i) steps(1);
    EXPECT_FALSE(in_.access) << "not answered";
    return response_.get<layout::register_response::status>();
  }
  void configure(unsigned queue, QueueMode mode, std::uint64_t base = kBase,
                 std::uint32_t size = kSlots) {
    EXPECT_EQ(access(register_write(q::base(queue), base)), Status::kOk);
    EXPECT_EQ(access(register_write(q::size(queue), size)), Status::kOk);
    EXPECT_EQ(access(config(queue, mode)), Status::kOk);
  }
  static RegisterRequest config(unsigned queue, QueueMode mode) {
    return register_write(q::config(queue), static_cast<unsigned>(mode) | kOwner << 4);
  }
  static RegisterRequest doorbell(unsigned queue, std::uint32_t tail) {
    return page_write(kOwner, registers::client_page::queue_index.in_block(queue), tail, 4);
  }
  void until(const std::function<bool()>& done) {
    for (int i = 0; !done() && i < 100; ++i) steps(1);
    EXPECT_TRUE(done());
  }
  void until(Turn turn) {
    steps(1);  // the last turn may have been such a one
    until([this, turn] { return out_.turn == turn; });
  }
  // So many descriptors of the queue are posted, fetched and delivered.
  void deliver(unsigned queue, std::uint32_t count) {
    EXPECT_EQ(access(doorbell(queue, count)), Status::kOk);
    in_.descriptor_ready = {true, true};
    until([this, queue, count] { return delivered_.at(queue) == count; });
    in_.descriptor_ready = {};
  }
  // The same of a queue that the network fills.
  void deliver_reflected(unsigned queue, std::uint32_t count) {
    in_.get_reserve = {queue, count, true};
    until(Turn::kGetReserve);
    in_.publish = {queue, count};
    in_.descriptor_ready = {true, true};
    until([this, queue, count] { return delivered_.at(queue) == count; });
    in_.descriptor_ready = {};
  }
  static Place place(unsigned queue, std::uint32_t index) {
    return Place().set<p::queue>(queue).set<p::index>(index);
  }
  unsigned commands_in(unsigned cycles) {
    unsigned count = 0;
    for (unsigned i = 0; i < cycles; ++i) {
      steps(1);
      count += model_.descriptors().command().has_value();
    }
    return count;
  }
};

TEST_F(QueueEngineAlone, FetchesNineCyclesAfterTheDoorbell) {
  configure(kQueue, QueueMode::kDoorbell);
  in_.access = doorbell(kQueue, 1);
  steps(8);
  EXPECT_FALSE(get<layout::read_request::valid>(dut_->fetch_read_o));
  steps(1);
  EXPECT_TRUE(get<layout::read_request::valid>(dut_->fetch_read_o));
}

TEST_F(QueueEngineAlone, AnswersNobodyBeforeAllQueuesAreCleared) {
  configure(kQueue, QueueMode::kPush);
  reset();
  in_.access = register_read(q::config(kQueue));
  in_.push_reserve = {kQueue, kOwner};
  for (unsigned i = 0; i < kQueues; ++i) {
    steps(1);
    EXPECT_FALSE(dut_->register_done_o || dut_->push_slots_valid_o) << "cycle " << i;
    EXPECT_TRUE(out_.active);
  }
  steps(4);
  EXPECT_TRUE(dut_->register_done_o);
  steps(3);
  EXPECT_EQ(response_, RegisterResponse()) << "the queue is off";
  EXPECT_TRUE(dut_->push_slots_valid_o);
}

TEST_F(QueueEngineAlone, GivesTheTableToOneEveryTwoOrThreeCyclesInTheOrderOfTheirTurns) {
  configure(kQueue, QueueMode::kDoorbell);
  configure(0, QueueMode::kReflection);
  configure(9, QueueMode::kPush);
  configure(10, QueueMode::kRemoteGet);
  deliver(kQueue, 4);
  deliver_reflected(0, 2);
  in_.push_reserve = {9, kOwner};
  until(Turn::kPushReserve);
  in_.access = doorbell(kQueue, 6);
  in_.retire = {kQueue, 0, 0};
  in_.rewind = place(0, 1);
  in_.resume = place(kQueue, 3);
  in_.hold = place(kQueue, 2);
  in_.enable = Model::Operation().set<layout::counter_operation::counter>(kQueue);
  in_.publish = {9, 1};
  in_.get_reserve = {10, 8, false};
  in_.push_reserve = {9, kOwner};
  steps(1);
  for (const Turn turn :
       {Turn::kAccess, Turn::kRetire, Turn::kRewind, Turn::kResume, Turn::kHold, Turn::kEnable,
        Turn::kPublish, Turn::kGetReserve, Turn::kPushReserve, Turn::kFetch}) {
    const bool may_be_refused =
        turn == Turn::kAccess || turn == Turn::kGetReserve || turn == Turn::kPushReserve;
    steps(may_be_refused ? 3 : 2);
    EXPECT_EQ(out_.turn, turn);
  }
}

TEST_F(QueueEngineAlone, ParksARewoundQueueUntilACreditReturns) {
  configure(0, QueueMode::kReflection);
  deliver_reflected(0, 1);
  in_.rewind = place(0, 0);
  EXPECT_EQ(commands_in(20), 0U);
  in_.credit_returned = true;
  steps(1);
  in_.credit_returned = false;
  EXPECT_EQ(commands_in(20), 1U);
}

TEST_F(QueueEngineAlone, MissesNoCreditThatReturnsWhileTheRewindWaitsForItsTurn) {
  for (const unsigned early : {0U, 1U, 2U, 3U, 4U}) {  // cycles before the rewind has its turn
    SCOPED_TRACE(early);
    reset();
    steps(kQueues);
    in_.command_ready = true;
    configure(0, QueueMode::kReflection);
    configure(kQueue, QueueMode::kDoorbell);
    deliver_reflected(0, 1);
    deliver(kQueue, 2);
    in_.rewind = place(0, 0);
    in_.retire = {kQueue, 0, 0};
    for (unsigned left = 5; left-- > 0;) {
      EXPECT_TRUE(in_.rewind);
      in_.credit_returned = left == early;
      steps(1);
    }
    in_.credit_returned = false;
    EXPECT_FALSE(in_.rewind) << "it had its turn";
    EXPECT_EQ(commands_in(20), 1U);
  }
}

TEST_F(QueueEngineAlone, CountsNothingThatEndsOfAQueueThatIsBeingConfigured) {
  configure(kQueue, QueueMode::kDoorbell);
  deliver(kQueue, 2);
  in_.retire = {kQueue, 0, 0};
  until(Turn::kRetire);
  steps(1);
  EXPECT_EQ(out_.done, (Model::Done{kQueue, 1}));
  in_.access = config(kQueue, QueueMode::kOff);
  steps(2);
  EXPECT_EQ(out_.configure, kQueue);
  in_.retire = {kQueue, 1, 0};
  until(Turn::kRetire);
  EXPECT_FALSE(get<layout::queue_events::done>(dut_->events_o).get<layout::queue_count::valid>());
  until([this] { return out_.configured; });
}

TEST_F(QueueEngineAlone, ConfiguresAQueueOnceItRestsWhateverBitOfItsIndicesTells) {
  for (unsigned bit = 0; bit <= 24; ++bit) {
    for (const bool under_way : {true, false}) {
      configure(kQueue, QueueMode::kDoorbell, kBase, 1U << 24);
      const QueueStateModel rest = model_.queue(kQueue);
      QueueStateModel queue = rest;
      queue.reserved += 1U << bit;
      if (under_way) queue.fetch = queue.published = queue.reserved;
      become(kQueue, queue);
      in_.access = config(kQueue, QueueMode::kOff);
      steps(8);
      EXPECT_TRUE(in_.access) << bit << (under_way ? ", under way" : ", reserved");
      until([this] { return !model_.has_row_of(kQueue); });
      become(kQueue, rest);
      until([this] { return !in_.access; });
    }
  }
}

TEST_F(QueueEngineAlone, ReservesNothingInAQueueThatIsBeingConfigured) {
  namespace s = layout::ring_slots;
  const auto reserved = [this](unsigned queue) {
    in_.get_reserve = {queue, 1, false};
    until(Turn::kGetReserve);
    return model_.get_slots()->get<s::status>();
  };
  configure(9, QueueMode::kRemoteGet);
  configure(10, QueueMode::kRemoteGet);
  EXPECT_EQ(reserved(9), Status::kOk);
  in_.access = config(9, QueueMode::kRemoteGet);
  EXPECT_EQ(reserved(9), Status::kQueueInvalid);
  EXPECT_EQ(reserved(10), Status::kOk) << "another";
  EXPECT_TRUE(in_.access) << "it waits for what is reserved";
  in_.publish = {9, 1};
  until([this] { return !in_.access; });
  EXPECT_EQ(reserved(9), Status::kOk);
  steps(1);  // in which the slots show
}

TEST_F(QueueEngineAlone, RefusesQueuesThatDoNotExist) {
  namespace o = layout::counter_operation;
  configure(kQueue, QueueMode::kRemoteGet);
  for (const unsigned queue : {kQueues, kQueues + kQueue, 64 + kQueue, 128 + kQueue, 255U}) {
    if (queue < kQueues) continue;
    in_.get_reserve = {queue, 1, false};
    until(Turn::kGetReserve);
    EXPECT_EQ(model_.get_slots()->get<layout::ring_slots::status>(), Status::kQueueInvalid);
    in_.enable = Model::Operation().set<o::counter>(queue).set<o::client>(kOwner);
    until(Turn::kEnable);
    EXPECT_EQ(out_.enable_status, Status::kQueueInvalid);
  }
}

TEST_F(QueueEngineAlone, FetchesTheLastAndThenTheFirstSlotOfARingAtTheEndOfTheAddressSpace) {
  constexpr std::uint64_t kEnd = 1ULL << 40;
  const auto fetched_from = [this] {
    until([this] { return model_.descriptors().command().has_value(); });
    const auto command = get<layout::read_request::command>(dut_->fetch_read_o);
    return command.get<layout::read_command::address>();
  };
  const auto finish = [this](std::uint32_t index) {
    until([this, index] { return delivered_[kQueue] == index + 1; });
    in_.retire = {kQueue, index, 0};
    until(Turn::kRetire);
  };
  for (unsigned power = 0; power <= 24; ++power) {
    const std::uint32_t size = 1U << power;
    const std::uint64_t base = kEnd - 64ULL * size;
    reset();
    in_.command_ready = true;
    in_.descriptor_ready = {true, true};
    steps(kQueues);
    configure(kQueue, QueueMode::kDoorbell, base, size);
    QueueStateModel queue = model_.queue(kQueue);
    queue.head = static_cast<std::uint32_t>(random_.bits64()) | (size - 1);
    queue.fetch = queue.published = queue.reserved = delivered_[kQueue] = queue.head;
    become(kQueue, queue);
    for (const std::uint64_t address : {kEnd - 64, base}) {
      const std::uint32_t index = queue.published++;
      EXPECT_EQ(access(doorbell(kQueue, queue.published)), Status::kOk);
      EXPECT_EQ(fetched_from(), address) << "size 2^" << power;
      finish(index);
    }
  }
}

TEST_F(QueueEngineAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 600; ++i) {
    if (random_.chance(10)) {
      draw();
      reset();
    }
    ASSERT_NO_FATAL_FAILURE(run(draw_mood())) << "mood " << i;
  }
}

}  // namespace
}  // namespace torusmu::testing
