// SPDX-License-Identifier: Apache-2.0
// bgp: -GQUEUES=128

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "Vmu_queue_table.h"
#include "Vmu_queue_table/Vmu_queue_table___024root.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/port_bits.h"
#include "tests/support/queue_state_model.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "tests/support/written_inside.h"
#include "torusmu/layout.h"

TORUSMU_WRITTEN_INSIDE(Vmu_queue_table)

namespace torusmu::testing {
namespace {

namespace o = layout::queue_operation;
namespace r = layout::queue_row;
using Row = Record<r::Layout>;
using Operation = Record<o::Layout>;
using Change = Record<layout::queue_change::Layout>;

constexpr unsigned kQueues = kProfile.injection_queues;
constexpr std::uint32_t kErrorCause = 1U << static_cast<unsigned>(Cause::kError);

class QueueTable : public ::testing::Test {
 protected:
  QueueTable() {
    dut_.wait_for(
        "the walk after reset", [this] { return dut_->ready_o != 0; }, kQueues + 8);
  }
  Row row(unsigned queue) {
    dut_->queue_i = static_cast<std::uint8_t>(queue);
    dut_->read_i = 1;
    dut_.tick();
    dut_->read_i = 0;
    dut_.settle();
    return sample_record<Row>(dut_->row_o);
  }
  Change change() { return sample_record<Change>(dut_->change_o); }
  // Its row is read, and shown with the operation; the cycle behind that is looked at.
  void show(unsigned queue, const Operation& operation) {
    row(queue);
    drive(dut_->operation_i, operation);
    dut_.settle();
  }
  void apply(unsigned queue, const Operation& operation) {
    show(queue, operation);
    dut_.tick();
    drive(dut_->operation_i, Operation());
    dut_.settle();
  }
  static Operation step(QueueStep step) { return Operation().set<o::step>(step); }
  static Operation write(QueueStep which, std::uint64_t value) {
    return step(which).set<o::value>(value);
  }
  static Operation doorbell(std::uint32_t tail) {
    return step(QueueStep::kDoorbell).set<o::index>(tail);
  }
  static Operation retire(std::uint32_t index, Status status) {
    return step(QueueStep::kRetire).set<o::index>(index).set<o::status>(status);
  }
  void configure(unsigned queue, QueueMode mode, unsigned owner, bool halts) {
    apply(queue, write(QueueStep::kWriteSize, 8));
    apply(queue, write(QueueStep::kConfigure,
                       static_cast<unsigned>(mode) | owner << 4 | (halts ? 1U << 8 : 0U)));
  }
  void fetch(unsigned queue, int count = 1) {
    for (int i = 0; i < count; ++i) apply(queue, step(QueueStep::kFetch));
  }

  Clocked<Vmu_queue_table> dut_;
};

TEST_F(QueueTable, IsAllZeroAfterTheWalk) {
  for (unsigned queue = 0; queue < kQueues; ++queue) EXPECT_EQ(row(queue), Row());
}

TEST_F(QueueTable, KeepsTheFirstErrorAndCountsTheRest) {
  configure(5, QueueMode::kDoorbell, 3, false);
  apply(5, doorbell(4));
  fetch(5, 4);
  apply(5, retire(0, Status::kOk));
  EXPECT_EQ(bits_of(dut_->causes_o), 0U);
  EXPECT_EQ(row(5).get<r::error_count>(), 0U);
  apply(5, retire(1, Status::kPermission));
  EXPECT_EQ(bits_of(dut_->causes_o), causes_of_client(3, kErrorCause));
  apply(5, retire(2, Status::kLengthZero));
  apply(5, retire(3, Status::kOk));
  const Row is = row(5);
  EXPECT_EQ(is.get<r::error_status>(), static_cast<unsigned>(Status::kPermission));
  EXPECT_EQ(is.get<r::error_index>(), 1U);
  EXPECT_EQ(is.get<r::error_count>(), 2U);
  EXPECT_EQ(is.get<r::head>(), 4U);
  EXPECT_FALSE(is.get<r::halted>());
}

TEST_F(QueueTable, CountsNoMoreErrorsThanItsCountHolds) {
  constexpr std::uint32_t kBefore = 0xfff0;
  configure(5, QueueMode::kDoorbell, 3, false);
  dut_->rootp->mu_queue_table__DOT__errors_mem[5] =
      kBefore << 8 | static_cast<unsigned>(Status::kLengthZero);
  for (std::uint32_t i = 0; i < 18; ++i) {
    apply(5, doorbell(i + 1));
    fetch(5);
    apply(5, retire(i, Status::kLengthZero));
    ASSERT_EQ(row(5).get<r::error_count>(), std::min(kBefore + i + 1, 0xffffU));
    ASSERT_EQ(row(5).get<r::error_index>(), 0U) << "that of the first one";
  }
}

TEST_F(QueueTable, GoesOnFromAnyIndexAndLap) {
  constexpr std::uint32_t kSlots = 1U << 24;
  Random random;
  SCOPED_TRACE(random.replay());
  const std::uint64_t any = random.bits64();
  for (const std::uint64_t bits : {any, ~any, any | (kSlots - 1)}) {
    const auto index = static_cast<std::uint32_t>(bits);
    const auto lap = static_cast<std::uint32_t>(bits >> 32);
    configure(5, QueueMode::kDoorbell, 3, false);
    apply(5, write(QueueStep::kWriteBase, bits >> 24));
    EXPECT_EQ(row(5).get<r::base>(), bits >> 24);
    apply(5, write(QueueStep::kWriteSize, kSlots));
    auto& state = *dut_->rootp;
    state.mu_queue_table__DOT__head_mem[5] = state.mu_queue_table__DOT__fetch_index_mem[5] = index;
    state.mu_queue_table__DOT__published_mem[5] = index;
    state.mu_queue_table__DOT__reserved_mem[5] = index;
    state.mu_queue_table__DOT__fetch_lap_mem[5] = lap;
    apply(5, doorbell(index + 3));
    EXPECT_EQ(row(5).get<r::published>(), index + 3);
    const auto at = [this](std::uint32_t fetch_index, std::uint32_t fetch_lap) {
      const Row is = row(5);
      EXPECT_EQ(is.get<r::fetch_index>(), fetch_index);
      EXPECT_EQ(is.get<r::fetch_lap>(), fetch_lap);
    };
    fetch(5);
    at(index + 1, (index + 1) % kSlots == 0 ? lap + 1 : lap);
    apply(5, step(QueueStep::kRewind).set<o::index>(index).set<o::lap>(lap));
    at(index, lap);
    fetch(5);
    apply(5, retire(index, Status::kPermission));
    EXPECT_EQ(row(5).get<r::head>(), index + 1);
    EXPECT_EQ(row(5).get<r::error_index>(), index);
  }
}

TEST_F(QueueTable, MovesTheLimitOfAManagedQueueAnyWayAheadButNotBack) {
  constexpr std::uint64_t kManaged = 1U << 10, kHalf = 1U << 31;
  apply(7, write(QueueStep::kConfigure,
                 static_cast<unsigned>(QueueMode::kDoorbell) | 3U << 4 | kManaged));
  std::uint32_t limit = 0;
  for (const std::uint64_t beyond : {kHalf - 1, kHalf - 1, std::uint64_t{0x2aaaaaab}}) {
    limit += static_cast<std::uint32_t>(beyond);
    for (const std::uint32_t index : {limit, limit - 1}) {
      apply(7, step(QueueStep::kEnable).set<o::index>(index).set<o::client>(3));
      EXPECT_EQ(row(7).get<r::limit>(), limit);
    }
  }
}

TEST_F(QueueTable, HaltsAtAnErrorAndStartsAfreshWithAConfig) {
  configure(5, QueueMode::kDoorbell, 0, true);
  apply(5, doorbell(4));
  fetch(5, 3);
  show(5, retire(0, Status::kPermission));
  EXPECT_TRUE(dut_->halts_o);
  dut_.tick();
  EXPECT_FALSE(change().get<layout::queue_change::work>()) << "nothing more to fetch";
  drive(dut_->operation_i, Operation());
  EXPECT_TRUE(row(5).get<r::halted>());
  EXPECT_EQ(row(5).get<r::fetch_index>(), 1U) << "what was fetched behind it is forgotten";
  configure(5, QueueMode::kDoorbell, 0, true);
  QueueStateModel again{.size = 8};
  again.configure(static_cast<unsigned>(QueueMode::kDoorbell) | 1U << 8);
  EXPECT_EQ(row(5), again.row());
}

TEST_F(QueueTable, KnowsAnEmptyReflectionQueue) {
  configure(2, QueueMode::kReflection, 0, false);
  configure(9, QueueMode::kRemoteGet, 0, false);
  dut_->empty_queue_i = 2;
  dut_.settle();
  EXPECT_TRUE(dut_->empty_o);
  dut_->empty_queue_i = 9;
  dut_.settle();
  EXPECT_FALSE(dut_->empty_o);
  dut_->empty_queue_i = 2;
  apply(2, step(QueueStep::kReserve).set<o::count>(1));
  EXPECT_FALSE(dut_->empty_o);
}

// Indices are compared in all their bits, though no ring is so long that the upper ones matter.
TEST_F(QueueTable, TellsIndicesApartThatDifferInOneBit) {
  constexpr unsigned kManaged = 1U << 10;
  Random random;
  SCOPED_TRACE(random.replay());
  auto& state = *dut_->rootp;
  configure(2, QueueMode::kReflection, 0, false);
  configure(5, QueueMode::kDoorbell, 3, false);
  apply(5, write(QueueStep::kConfigure, static_cast<unsigned>(QueueMode::kDoorbell) | kManaged));
  dut_->empty_queue_i = 2;
  for (unsigned bit = 0; bit < 32; ++bit) {
    const auto index = static_cast<std::uint32_t>(random.bits64());
    const std::uint32_t other = index ^ 1U << bit;
    for (const bool empty : {false, true}) {
      state.mu_queue_table__DOT__head_mem[2] = index;
      state.mu_queue_table__DOT__reserved_mem[2] = empty ? index : other;
      settle_inside(&state);
      EXPECT_EQ(dut_->empty_o, empty) << bit;
    }
    for (const bool posted : {false, true}) {
      for (const bool enabled : {false, true}) {
        state.mu_queue_table__DOT__fetch_index_mem[5] = index;
        state.mu_queue_table__DOT__published_mem[5] = posted ? other : index;
        state.mu_queue_table__DOT__limit_mem[5] = enabled ? other : index;
        apply(5, step(QueueStep::kPublish));  // of nothing
        EXPECT_EQ(change().get<layout::queue_change::work>(), posted && enabled) << bit;
      }
    }
  }
}

class QueueTableAtRandom : public QueueTable {
 protected:
  std::uint32_t up_to(std::uint32_t most) {
    return static_cast<std::uint32_t>(random_.below(most + 1ULL));
  }
  std::uint32_t any() { return static_cast<std::uint32_t>(random_.bits64()); }
  // A queue that has worked for long: its indices anywhere, the order of them kept. Often what it
  // fetches next is in the last slot of its ring.
  void make_any(unsigned at) {
    QueueStateModel& queue = queues_[at];
    queue.size = 1U << random_.below(random_.chance(70) ? 5 : 25);
    queue.head = random_.chance(50) ? any() : (1U << random_.below(32)) - up_to(10);
    const std::uint32_t held = random_.chance(50) ? queue.size : up_to(queue.size);
    const std::uint32_t posted = random_.chance(60) ? held : up_to(held);
    const std::uint32_t fetched = random_.chance(30) ? posted : up_to(posted);
    if (random_.chance(30)) queue.head += queue.size - 1 - queue.slot(queue.head + fetched);
    queue.reserved = queue.head + held;
    queue.published = queue.head + posted;
    queue.fetch = queue.head + fetched;
    queue.fetch_lap = random_.chance(50) ? any() : (1U << random_.below(32)) - 1;
    queue.limit = random_.chance(50) ? queue.fetch + up_to(2) - 1 : any();
    queue.errors = random_.bits64() >> 8U;
    if (random_.chance(50)) queue.errors &= ~0xffULL;
    if (random_.chance(50))
      queue.errors |= 0xffff00ULL ^ (random_.chance(30) ? 0 : 0x100ULL << random_.below(16));
    auto& state = *dut_->rootp;
    state.mu_queue_table__DOT__size_mem[at] = queue.size;
    state.mu_queue_table__DOT__head_mem[at] = queue.head;
    state.mu_queue_table__DOT__fetch_index_mem[at] = queue.fetch;
    state.mu_queue_table__DOT__published_mem[at] = queue.published;
    state.mu_queue_table__DOT__reserved_mem[at] = queue.reserved;
    state.mu_queue_table__DOT__fetch_lap_mem[at] = queue.fetch_lap;
    state.mu_queue_table__DOT__limit_mem[at] = queue.limit;
    state.mu_queue_table__DOT__errors_mem[at] = queue.errors;
    settle_inside(&state);
  }
  // One that the queue as it is allows.
  QueueStep draw_step(const QueueStateModel& queue) {
    const auto step = static_cast<QueueStep>(random_.below(12));
    if (step == QueueStep::kFetch && queue.fetch == queue.published) return QueueStep::kNone;
    if ((step == QueueStep::kRetire || step == QueueStep::kHold) && queue.fetch == queue.head)
      return QueueStep::kNone;
    if (queue.size == 0 && step != QueueStep::kWriteSize && step != QueueStep::kConfigure)
      return QueueStep::kNone;
    return step;
  }
  std::uint32_t draw_index(QueueStep step, const QueueStateModel& queue) {
    if (step == QueueStep::kDoorbell && random_.chance(80)) {
      const std::uint32_t places[] = {queue.head, queue.published, queue.head + queue.size};
      return places[random_.below(3)] + up_to(2) - 1;
    }
    if (step == QueueStep::kRetire || step == QueueStep::kHold) {
      const std::uint32_t under_way = queue.fetch - queue.head;
      const std::uint32_t index = queue.head + up_to(under_way - 1);
      const std::uint32_t last = index | (queue.size - 1);  // slot of its lap
      return random_.chance(50) && last - queue.head < under_way ? last : index;
    }
    if (step == QueueStep::kRewind) return queue.head + up_to(queue.fetch - queue.head);
    if (step == QueueStep::kEnable && random_.chance(50))
      return queue.limit + (random_.chance(50) ? up_to(2) - 1 : 1U << random_.below(32));
    if (step == QueueStep::kNone && random_.chance(50))
      return (queue.fetch - 1) ^ (random_.chance(50) ? 0 : 1U << random_.below(32));
    return any();
  }
  std::uint64_t draw_value(QueueStep step, const QueueStateModel& queue) {
    const std::uint64_t value = random_.bits64() >> 24U;
    if (step != QueueStep::kWriteSize) return value;
    std::uint32_t size = 1U << random_.below(25);
    while (size < queue.reserved - queue.head) size *= 2;
    return (value & ~0x1ffffffULL) | size;
  }
  Operation draw_operation(const QueueStateModel& queue) {
    const QueueStep step = draw_step(queue);
    const std::uint32_t count = step == QueueStep::kPublish
                                    ? up_to(std::min(8U, queue.reserved - queue.published))
                                    : up_to(8);
    const std::uint64_t status = random_.chance(40)   ? 0
                                 : random_.chance(50) ? 1U << random_.below(8)
                                                      : random_.below(256);
    return Operation()
        .set<o::step>(step)
        .set<o::value>(draw_value(step, queue))
        .set<o::index>(draw_index(step, queue))
        .set<o::lap>(random_.chance(50) ? any() : (1U << random_.below(32)) - 1)
        .set<o::count>(count)
        .set<o::status>(static_cast<Status>(status))
        .set<o::relative>(random_.chance(50))
        .set<o::client>(random_.chance(70) ? queue.owner() : random_.below(16))
        .set<o::receive>(random_.chance(30) != (queue.mode() == QueueMode::kReceive));
  }
  // A row is read, then something done to it; now and then nothing goes on.
  void draw_all() {
    auto& m = *dut_.operator->();
    operation_ = m.read_i ? draw_operation(queues_[at_])
                          : Operation().set<o::index>(draw_index(QueueStep::kNone, queues_[at_]));
    drive(m.operation_i, operation_);
    m.queue_i = static_cast<CData>(random_.below(random_.chance(50) ? kQueues : 3));
    m.read_i = !m.read_i && random_.chance(85);
    if (m.read_i && random_.chance(40)) make_any(m.queue_i);
    m.request_head_queue_i = static_cast<CData>(random_.below(kQueues));
    m.reply_head_queue_i = static_cast<CData>(random_.below(kQueues));
    m.empty_queue_i = static_cast<CData>(random_.below(kQueues));
    m.probe_queue_i = static_cast<CData>(random_.below(kQueues));
  }
  template <auto F>
  std::uint32_t number() const {
    return static_cast<std::uint32_t>(operation_.get<F>());
  }
  // What the step leaves; what it says is in accepted_, refused_, halts_.
  QueueStateModel after(QueueStateModel queue) {
    accepted_ = true;
    halts_ = false;
    refused_ = Status::kOk;
    const std::uint32_t index = number<o::index>(), lap = number<o::lap>(),
                        count = number<o::count>();
    switch (operation_.get<o::step>()) {
      case QueueStep::kWriteBase:
        queue.base = operation_.get<o::value>();
        break;
      case QueueStep::kWriteSize:
        queue.size = number<o::value>() & 0x1ffffffU;
        break;
      case QueueStep::kConfigure:
        queue.configure(operation_.get<o::value>());
        break;
      case QueueStep::kDoorbell:
        accepted_ = queue.accepts_doorbell(index);
        queue.doorbell(index);
        break;
      case QueueStep::kReserve:
        accepted_ = queue.has_room(count);
        queue.reserve(count);
        break;
      case QueueStep::kPublish:
        queue.publish(count);
        break;
      case QueueStep::kFetch:
        queue.fetch_one();
        break;
      case QueueStep::kRetire:
        halts_ = queue.retire(index, number<o::status>());
        break;
      case QueueStep::kRewind:
        queue.rewind(index, lap);
        break;
      case QueueStep::kHold:
        queue.hold(index, lap);
        break;
      case QueueStep::kEnable:
        refused_ = queue.enable(index, number<o::relative>() != 0, number<o::client>(),
                                number<o::receive>() != 0);
        break;
      default:
        break;
    }
    return queue;
  }
  void compare(const QueueStateModel& shown) {
    auto& m = *dut_.operator->();
    ASSERT_TRUE(m.ready_o);
    ASSERT_EQ(sample_record<Row>(m.row_o), shown.row());
    ASSERT_EQ(m.nothing_behind_o, shown.fetch == number<o::index>() + 1U);
    ASSERT_EQ(m.accept_o, accepted_);
    ASSERT_EQ(static_cast<Status>(m.refused_o), refused_);
    ASSERT_EQ(m.halts_o, halts_);
    ASSERT_EQ(change(), change_);
    ASSERT_EQ(bits_of(m.causes_o), causes_);
    ASSERT_EQ(m.request_head_o, queues_[m.request_head_queue_i].head);
    ASSERT_EQ(m.reply_head_o, queues_[m.reply_head_queue_i].head);
    ASSERT_EQ(m.empty_o, queues_[m.empty_queue_i].empty_reflection());
    ASSERT_EQ(m.probe_head_o, queues_[m.probe_queue_i].head);
    ASSERT_EQ(m.probe_setup_o, queues_[m.probe_queue_i].setup & 0x7fU);
  }
  // What shows one cycle later.
  void note(const QueueStateModel& before, const QueueStateModel& after) {
    namespace c = layout::queue_change;
    const QueueStep step = operation_.get<o::step>();
    causes_.reset();
    change_ = Change();
    if (step == QueueStep::kRetire && number<o::status>() != 0 && before.owner() < kProfile.clients)
      causes_ = causes_of_client(before.owner(), kErrorCause);
    if (step == QueueStep::kNone || step == QueueStep::kWriteBase || step == QueueStep::kWriteSize)
      return;
    change_.set<c::valid>(1)
        .set<c::queue>(at_)
        .set<c::done>(step == QueueStep::kRetire)
        .set<c::head>(after.head)
        .set<c::work>(after.work())
        .set<c::reflection>(after.mode() == QueueMode::kReflection);
  }
  void forget() {
    auto& m = *dut_.operator->();
    m.read_i = 0;
    drive(m.operation_i, Operation());
    dut_.reset(1);
    for (unsigned i = 0; i < kQueues; ++i) {
      ASSERT_FALSE(m.ready_o);
      dut_.tick();
    }
    queues_ = {};
    causes_.reset();
    change_ = Change();
  }

  Random random_;
  std::array<QueueStateModel, kQueues> queues_{};
  unsigned at_ = 0;  // whose row shows
  Operation operation_;
  bool accepted_ = true, halts_ = false;
  Status refused_ = Status::kOk;
  PortBits causes_;
  Change change_;
};

TEST_F(QueueTableAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  row(at_);
  QueueStateModel shown;
  for (int cycle = 0; cycle < 80000; ++cycle) {
    if (random_.below(6000) == 0) {
      ASSERT_NO_FATAL_FAILURE(forget());
    }
    draw_all();
    dut_.settle();
    const QueueStateModel left = after(shown);
    ASSERT_NO_FATAL_FAILURE(compare(shown)) << "cycle " << cycle;
    note(shown, left);
    if (operation_.get<o::step>() != QueueStep::kNone) queues_[at_] = left;
    if (dut_->read_i) {
      at_ = dut_->queue_i;
      shown = queues_[at_];
    }
    dut_.tick();
  }
}

}  // namespace
}  // namespace torusmu::testing
