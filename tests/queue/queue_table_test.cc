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
#include "tests/support/written_inside.h"
#include "torusmu/layout.h"

TORUSMU_WRITTEN_INSIDE(Vmu_queue_table)

namespace torusmu::testing {
namespace {

constexpr unsigned kQueues = kProfile.injection_queues;
constexpr std::uint32_t kErrorCause = 1U << static_cast<unsigned>(Cause::kError);

class QueueTable : public ::testing::Test {
 protected:
  QueueTable() {
    dut_->look_i = 1;
    dut_.wait_for(
        "the walk after reset", [this] { return dut_->ready_o != 0; }, kQueues + 8);
  }
  void apply(CData& operation) {
    operation = 1;
    dut_.tick();
    operation = 0;
    dut_.settle();
  }
  void configure(unsigned queue, QueueMode mode, unsigned owner, bool halts) {
    dut_->queue_i = static_cast<std::uint8_t>(queue);
    dut_->value_i = 8;
    apply(dut_->write_size_i);
    dut_->value_i = static_cast<unsigned>(mode) | owner << 4 | (halts ? 1U << 8 : 0U);
    apply(dut_->write_config_i);
  }
  void doorbell(std::uint32_t tail) {
    dut_->index_i = tail;
    apply(dut_->doorbell_i);
  }
  void retire(std::uint32_t index, Status status) {
    dut_->index_i = index;
    dut_->status_i = static_cast<std::uint8_t>(status);
    apply(dut_->retire_i);
  }

  Clocked<Vmu_queue_table> dut_;
};

TEST_F(QueueTable, IsAllZeroAfterTheWalk) {
  for (unsigned queue = 0; queue < kQueues; ++queue) {
    dut_->queue_i = static_cast<std::uint8_t>(queue);
    dut_.settle();
    EXPECT_EQ(dut_->head_o | dut_->fetch_index_o | dut_->published_o | dut_->reserved_o, 0U);
    EXPECT_EQ(dut_->base_o, 0U);
    EXPECT_EQ(dut_->size_o | dut_->fetch_position_o | dut_->reserve_position_o, 0U);
    EXPECT_EQ(dut_->setup_o, 0);
    EXPECT_EQ(dut_->errors_o, 0U);
    EXPECT_FALSE(dut_->halted_o);
  }
}

TEST_F(QueueTable, KeepsTheFirstErrorAndCountsTheRest) {
  configure(5, QueueMode::kDoorbell, 3, false);
  doorbell(4);
  for (int i = 0; i < 4; ++i) apply(dut_->fetch_i);
  retire(0, Status::kOk);
  EXPECT_EQ(dut_->errors_o, 0U);
  EXPECT_EQ(bits_of(dut_->causes_o), 0U);
  retire(1, Status::kPermission);
  EXPECT_EQ(bits_of(dut_->causes_o), causes_of_client(3, kErrorCause));
  retire(2, Status::kLengthZero);
  retire(3, Status::kOk);
  EXPECT_EQ(dut_->errors_o,
            std::uint64_t{1} << 24 | 2U << 8 | static_cast<unsigned>(Status::kPermission));
  EXPECT_EQ(dut_->head_o, 4U);
  EXPECT_FALSE(dut_->halted_o);
}

TEST_F(QueueTable, CountsNoMoreErrorsThanItsCountHolds) {
  constexpr std::uint32_t kBefore = 0xfff0;
  configure(5, QueueMode::kDoorbell, 3, false);
  dut_->rootp->mu_queue_table__DOT__errors_mem[5] =
      kBefore << 8 | static_cast<unsigned>(Status::kLengthZero);
  settle_inside(dut_->rootp);
  for (std::uint32_t i = 0; i < 18; ++i) {
    doorbell(i + 1);
    apply(dut_->fetch_i);
    retire(i, Status::kLengthZero);
    if (i < 15) {
      ASSERT_EQ(dut_->errors_o >> 8, kBefore + i + 1) << "and the first one has index 0";
    }
  }
  EXPECT_EQ(dut_->errors_o >> 8, 0xffffU);
}

TEST_F(QueueTable, GoesOnFromAnyIndexPlaceAndLap) {
  Random random;
  SCOPED_TRACE(random.replay());
  const std::uint64_t any = random.bits64();
  for (const std::uint64_t bits : {any, ~any}) {
    const auto index = static_cast<std::uint32_t>(bits);
    const auto lap = static_cast<std::uint32_t>(bits >> 32);
    const std::uint32_t place = lap & 0xfffffe;
    configure(5, QueueMode::kDoorbell, 3, false);
    dut_->value_i = bits >> 24;
    apply(dut_->write_base_i);
    EXPECT_EQ(dut_->base_o, bits >> 24);
    dut_->value_i = 1U << 24;
    apply(dut_->write_size_i);
    auto& state = *dut_->rootp;
    state.mu_queue_table__DOT__head_mem[5] = state.mu_queue_table__DOT__fetch_index_mem[5] = index;
    state.mu_queue_table__DOT__published_mem[5] = index;
    state.mu_queue_table__DOT__reserved_mem[5] = index;
    state.mu_queue_table__DOT__fetch_position_mem[5] = place;
    state.mu_queue_table__DOT__reserve_position_mem[5] = place;
    state.mu_queue_table__DOT__fetch_lap_mem[5] = lap;
    settle_inside(&state);
    doorbell(index + 3);
    EXPECT_EQ(dut_->published_o, index + 3);
    apply(dut_->fetch_i);
    EXPECT_EQ(dut_->fetch_index_o, index + 1);
    EXPECT_EQ(dut_->fetch_position_o, place + 1);
    EXPECT_EQ(dut_->fetch_lap_o, lap);
    dut_->index_i = index;
    dut_->position_i = place;
    dut_->lap_i = lap;
    apply(dut_->rewind_i);
    EXPECT_EQ(dut_->fetch_index_o, index);
    EXPECT_EQ(dut_->fetch_position_o, place);
    EXPECT_EQ(dut_->fetch_lap_o, lap);
    apply(dut_->fetch_i);
    retire(index, Status::kPermission);
    EXPECT_EQ(dut_->head_o, index + 1);
    EXPECT_EQ(dut_->errors_o >> 24, index);
  }
}

TEST_F(QueueTable, MovesTheLimitOfAManagedQueueAnyWayAheadButNotBack) {
  constexpr std::uint64_t kManaged = 1U << 10, kHalf = 1U << 31;
  dut_->queue_i = 7;
  dut_->client_i = 3;
  dut_->value_i = static_cast<unsigned>(QueueMode::kDoorbell) | 3U << 4 | kManaged;
  apply(dut_->write_config_i);
  std::uint32_t limit = 0;
  for (const std::uint64_t step : {kHalf - 1, kHalf - 1, std::uint64_t{0x2aaaaaab}}) {
    limit += static_cast<std::uint32_t>(step);
    dut_->index_i = limit;
    apply(dut_->enable_i);
    EXPECT_EQ(dut_->limit_o, limit);
    dut_->index_i = limit - 1;
    apply(dut_->enable_i);
    EXPECT_EQ(dut_->limit_o, limit);
  }
}

TEST_F(QueueTable, HaltsAtAnErrorAndStartsAfreshWithAConfig) {
  configure(5, QueueMode::kDoorbell, 0, true);
  doorbell(4);
  for (int i = 0; i < 3; ++i) apply(dut_->fetch_i);
  dut_->index_i = 0;
  dut_->status_i = static_cast<std::uint8_t>(Status::kPermission);
  dut_->retire_i = 1;
  dut_.settle();
  EXPECT_TRUE(dut_->halts_o);
  EXPECT_FALSE(dut_->work_o) << "nothing more to fetch";
  dut_.tick();
  dut_->retire_i = 0;
  dut_.settle();
  EXPECT_TRUE(dut_->halted_o);
  EXPECT_EQ(dut_->fetch_index_o, 1U) << "what was fetched behind it is forgotten";
  configure(5, QueueMode::kDoorbell, 0, true);
  EXPECT_FALSE(dut_->halted_o);
  EXPECT_EQ(dut_->head_o | dut_->published_o, 0U);
  EXPECT_EQ(dut_->errors_o, 0U);
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
  dut_->queue_i = dut_->empty_queue_i = 2;
  dut_->count_i = 1;
  apply(dut_->reserve_i);
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
  dut_->value_i = static_cast<unsigned>(QueueMode::kDoorbell) | kManaged;
  apply(dut_->write_config_i);
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
        settle_inside(&state);
        EXPECT_EQ(dut_->work_o, posted && enabled) << bit;
      }
    }
  }
}

class QueueTableAtRandom : public QueueTable {
 protected:
  enum Kind {
    kBase,
    kSize,
    kConfig,
    kDoorbell,
    kReserve,
    kPublish,
    kFetch,
    kRetire,
    kRewind,
    kHold,
    kEnable,
    kNone,
    kKinds
  };

  std::uint32_t up_to(std::uint32_t most) {
    return static_cast<std::uint32_t>(random_.below(most + 1ULL));
  }
  // A queue that has worked for long: its indices anywhere, the order of them kept.
  void make_any(unsigned at) {
    QueueStateModel& queue = queues_[at];
    queue.size = 1 + up_to(random_.chance(70) ? 12 : (1U << 24) - 1);
    queue.head = random_.chance(50) ? static_cast<std::uint32_t>(random_.bits64())
                                    : (1U << random_.below(32)) - up_to(10);
    const std::uint32_t held = random_.chance(50) ? queue.size : up_to(queue.size);
    queue.reserved = queue.head + held;
    const std::uint32_t posted = random_.chance(60) ? held : up_to(held);
    queue.published = queue.head + posted;
    queue.fetch = queue.head + (random_.chance(30) ? posted : up_to(posted));
    queue.fetch_position = random_.chance(30) ? queue.size - 1 : up_to(queue.size - 1);
    queue.reserve_position = random_.chance(50) ? queue.size - 1 : up_to(queue.size - 1);
    queue.fetch_lap = random_.chance(50) ? static_cast<std::uint32_t>(random_.bits64())
                                         : (1U << random_.below(32)) - 1;
    queue.limit = random_.chance(50) ? queue.fetch + up_to(2) - 1
                                     : static_cast<std::uint32_t>(random_.bits64());
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
    state.mu_queue_table__DOT__fetch_position_mem[at] = queue.fetch_position;
    state.mu_queue_table__DOT__reserve_position_mem[at] = queue.reserve_position;
    state.mu_queue_table__DOT__fetch_lap_mem[at] = queue.fetch_lap;
    state.mu_queue_table__DOT__limit_mem[at] = queue.limit;
    state.mu_queue_table__DOT__errors_mem[at] = queue.errors;
    settle_inside(&state);
  }
  // One that the queue as it is allows.
  Kind draw_kind(const QueueStateModel& queue) {
    const auto kind = static_cast<Kind>(random_.below(kKinds));
    if (kind == kFetch && queue.fetch == queue.published) return kNone;
    if ((kind == kRetire || kind == kHold) && queue.fetch == queue.head) return kNone;
    if (queue.size == 0 && kind != kSize && kind != kConfig) return kNone;
    return kind;
  }
  void draw_all() {
    at_ = static_cast<unsigned>(random_.below(random_.chance(50) ? kQueues : 3));
    if (random_.chance(40)) make_any(at_);
    const QueueStateModel& queue = queues_[at_];
    kind_ = draw_kind(queue);
    auto& m = *dut_.operator->();
    m.queue_i = static_cast<CData>(at_);
    m.look_i = kind_ != kNone || random_.chance(70);
    m.value_i = random_.bits64() >> 24U;
    if (kind_ == kSize) {
      const std::uint32_t least = std::max(
          {1U, queue.reserved - queue.head, queue.fetch_position + 1, queue.reserve_position + 1});
      m.value_i = (m.value_i & ~0x1ffffffULL) | (least + up_to((1U << 24) - least));
    }
    m.index_i = static_cast<std::uint32_t>(random_.bits64());
    if (kind_ == kDoorbell && random_.chance(80)) {
      const std::uint32_t places[] = {queue.head, queue.published, queue.head + queue.size};
      m.index_i = places[random_.below(3)] + up_to(2) - 1;
    }
    if (kind_ == kRetire || kind_ == kHold)
      m.index_i = queue.head + up_to(queue.fetch - queue.head - 1);
    if (kind_ == kRewind) m.index_i = queue.head + up_to(queue.fetch - queue.head);
    if (kind_ == kEnable && random_.chance(50))
      m.index_i = queue.limit + (random_.chance(50) ? up_to(2) - 1 : 1U << random_.below(32));
    if (kind_ == kNone && random_.chance(50))
      m.index_i = (queue.fetch - 1) ^ (random_.chance(50) ? 0 : 1U << random_.below(32));
    m.position_i = queue.size == 0      ? 0
                   : random_.chance(50) ? queue.size - 1
                                        : up_to(queue.size - 1);
    m.lap_i = random_.chance(50) ? static_cast<std::uint32_t>(random_.bits64())
                                 : (1U << random_.below(32)) - 1;
    m.count_i = static_cast<CData>(random_.below(9));
    if (kind_ == kPublish)
      m.count_i = static_cast<CData>(up_to(std::min(8U, queue.reserved - queue.published)));
    m.status_i = random_.chance(40) ? 0
                                    : static_cast<CData>(random_.chance(50) ? 1U << random_.below(8)
                                                                            : random_.below(256));
    m.relative_i = random_.chance(50);
    m.client_i = static_cast<CData>(random_.chance(70) ? queue.owner() : random_.below(16));
    m.receive_i = random_.chance(30) != (queue.mode() == QueueMode::kReceive);
    CData* operations[] = {&m.write_base_i, &m.write_size_i, &m.write_config_i, &m.doorbell_i,
                           &m.reserve_i,    &m.publish_i,    &m.fetch_i,        &m.retire_i,
                           &m.rewind_i,     &m.hold_i,       &m.enable_i};
    for (unsigned k = 0; k < kNone; ++k) *operations[k] = k == kind_;
    m.request_head_queue_i = static_cast<CData>(random_.below(kQueues));
    m.reply_head_queue_i = static_cast<CData>(random_.below(kQueues));
    m.empty_queue_i = static_cast<CData>(random_.below(kQueues));
    m.probe_queue_i = static_cast<CData>(random_.below(kQueues));
  }
  // What the operation leaves; what it says is in accepted_, refused_, halts_.
  QueueStateModel after(QueueStateModel queue) {
    auto& m = *dut_.operator->();
    accepted_ = true;
    halts_ = false;
    failed_ = kind_ == kRetire && m.status_i != 0;
    refused_ = Status::kOk;
    const std::uint32_t index = m.index_i;
    switch (kind_) {
      case kBase:
        queue.base = m.value_i;
        break;
      case kSize:
        queue.size = static_cast<std::uint32_t>(m.value_i & 0x1ffffffU);
        break;
      case kConfig:
        queue.configure(m.value_i);
        break;
      case kDoorbell:
        accepted_ = queue.accepts_doorbell(index);
        queue.doorbell(index);
        break;
      case kReserve:
        accepted_ = queue.has_room(m.count_i);
        queue.reserve(m.count_i);
        break;
      case kPublish:
        queue.publish(m.count_i);
        break;
      case kFetch:
        queue.fetch_one();
        break;
      case kRetire:
        halts_ = queue.retire(index, m.status_i);
        break;
      case kRewind:
        queue.rewind(index, m.position_i, m.lap_i);
        break;
      case kHold:
        queue.hold(index, m.position_i, m.lap_i);
        break;
      case kEnable:
        refused_ = queue.enable(index, m.relative_i != 0, m.client_i, m.receive_i != 0);
        break;
      default:
        break;
    }
    return queue;
  }
  void compare_before(const QueueStateModel& queue) {
    auto& m = *dut_.operator->();
    ASSERT_EQ(m.setup_o, queue.setup);
    ASSERT_EQ(m.base_o, queue.base);
    ASSERT_EQ(m.size_o, queue.size);
    ASSERT_EQ(m.head_o, queue.head);
    ASSERT_EQ(m.fetch_index_o, queue.fetch);
    ASSERT_EQ(m.fetch_position_o, queue.fetch_position);
    ASSERT_EQ(m.fetch_lap_o, queue.fetch_lap);
    ASSERT_EQ(m.published_o, queue.published);
    ASSERT_EQ(m.reserved_o, queue.reserved);
    ASSERT_EQ(m.reserve_position_o, queue.reserve_position);
    ASSERT_EQ(m.errors_o, queue.errors);
    ASSERT_EQ(m.halted_o, queue.halted);
    ASSERT_EQ(m.limit_o, queue.limit);
    ASSERT_EQ(m.nothing_behind_o, queue.fetch == m.index_i + 1U);
  }
  void compare_after(const QueueStateModel& queue) {
    auto& m = *dut_.operator->();
    ASSERT_EQ(m.accept_o, accepted_);
    ASSERT_EQ(static_cast<Status>(m.refused_o), refused_);
    ASSERT_EQ(m.halts_o, halts_);
    ASSERT_EQ(m.update_o, kind_ != kNone && kind_ != kBase && kind_ != kSize);
    ASSERT_EQ(m.done_o, queue.head);
    ASSERT_EQ(m.work_o, queue.work());
    ASSERT_EQ(m.reflection_o, queue.mode() == QueueMode::kReflection);
  }
  void compare_views() {
    auto& m = *dut_.operator->();
    ASSERT_EQ(m.request_head_o, queues_[m.request_head_queue_i].head);
    ASSERT_EQ(m.reply_head_o, queues_[m.reply_head_queue_i].head);
    ASSERT_EQ(m.empty_o, queues_[m.empty_queue_i].empty_reflection());
    ASSERT_EQ(m.probe_head_o, queues_[m.probe_queue_i].head);
    ASSERT_EQ(m.probe_setup_o, queues_[m.probe_queue_i].setup & 0x7fU);
  }
  void forget() {
    auto& m = *dut_.operator->();
    for (CData* operation :
         {&m.write_base_i, &m.write_size_i, &m.write_config_i, &m.doorbell_i, &m.reserve_i,
          &m.publish_i, &m.fetch_i, &m.retire_i, &m.rewind_i, &m.hold_i, &m.enable_i}) {
      *operation = 0;
    }
    dut_.reset(1);
    for (unsigned i = 0; i < kQueues; ++i) {
      ASSERT_FALSE(m.ready_o);
      dut_.tick();
    }
    queues_ = {};
    causes_ = 0;
  }

  Random random_;
  std::array<QueueStateModel, kQueues> queues_{};
  unsigned at_ = 0;
  Kind kind_ = kNone;
  bool accepted_ = true, halts_ = false, failed_ = false;
  Status refused_ = Status::kOk;
  PortBits causes_;
};

TEST_F(QueueTableAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  for (int cycle = 0; cycle < 40000; ++cycle) {
    if (random_.below(3000) == 0) {
      ASSERT_NO_FATAL_FAILURE(forget());
    }
    draw_all();
    dut_.settle();
    ASSERT_TRUE(dut_->ready_o);
    ASSERT_EQ(bits_of(dut_->causes_o), causes_) << "cycle " << cycle;
    const QueueStateModel before = dut_->look_i ? queues_[at_] : QueueStateModel{};
    ASSERT_NO_FATAL_FAILURE(compare_before(before)) << "cycle " << cycle;
    const QueueStateModel result = after(before);
    ASSERT_NO_FATAL_FAILURE(compare_after(result)) << "cycle " << cycle << " operation " << kind_;
    ASSERT_NO_FATAL_FAILURE(compare_views()) << "cycle " << cycle;
    causes_.reset();
    if (failed_ && before.owner() < kProfile.clients)
      causes_ = causes_of_client(before.owner(), kErrorCause);
    if (kind_ != kNone) queues_[at_] = result;
    dut_.tick();
  }
}

}  // namespace
}  // namespace torusmu::testing
