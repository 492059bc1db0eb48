// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <vector>

#include "Vmu_injection_completion.h"
#include "tests/support/clocked.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace n = layout::injection_record;
namespace o = layout::counter_operation;
using InjectionRecord = Record<n::Layout>;
using CounterOperation = Record<o::Layout>;
using Entry = Record<layout::completion_entry::Layout>;

class InjectionCompletion : public ::testing::Test {
 protected:
  // Everything that one slot leads to, with partners that are ready `chance` of a hundred cycles.
  struct Effects {
    std::vector<CounterOperation> operations;
    std::vector<PacketHeader> notices;
    bool aborted = false;
    std::vector<Entry> entries;
    unsigned done_causes = 0;
    unsigned cycles = 0;
  };
  Effects walk(const InjectionRecord& record, bool error = false, unsigned chance = 100) {
    Effects effects;
    dut_->walk_valid_i = 1;
    dut_->walk_error_i = error;
    drive(dut_->walk_record_i, record);
    drive(dut_->walk_header_i, PacketHeader()
                                   .set<h::dst_x>(5)
                                   .set<h::src_y>(6)
                                   .set<h::client>(3)
                                   .set<h::kind>(Kind::kFifo)
                                   .set<h::bytes>(99)
                                   .set<h::on_behalf>(1));
    drive(dut_->walk_trailer_i, PacketTrailer().set<t::sequence_number>(0x777));
    for (bool taken = false; !taken && effects.cycles < 1000; ++effects.cycles) {
      dut_->operation_ready_i = random_.chance(chance);
      dut_->notice_ready_i = random_.chance(chance);
      dut_->retire_ready_i = random_.chance(chance);
      dut_->entry_ready_i = random_.chance(chance);
      dut_.settle();
      taken = dut_->walk_take_o;
      if (dut_->operation_valid_o && dut_->operation_ready_i) {
        effects.operations.push_back(sample_record<CounterOperation>(dut_->operation_o));
      }
      if (dut_->notice_valid_o && dut_->notice_ready_i) {
        effects.notices.push_back(sample_record<PacketHeader>(dut_->notice_header_o));
        EXPECT_EQ(sample_record<PacketTrailer>(dut_->notice_trailer_o).get<t::sequence_number>(),
                  0x777U);
      }
      if (dut_->entry_valid_o && dut_->entry_ready_i) {
        effects.entries.push_back(sample_record<Entry>(dut_->entry_o));
        EXPECT_EQ(dut_->entry_client_o, 2);
      }
      effects.aborted = effects.aborted || dut_->abort_o;
      tick();
    }
    dut_->walk_valid_i = 0;
    dut_.settle();
    effects.done_causes = dut_->causes_o >> (2 * 8 + 6) & 1;
    return effects;
  }
  void tick() {
    dut_.settle();
    if (dut_->retire_valid_o && dut_->retire_ready_i) {
      retired_.emplace_back(dut_->retire_index_o, static_cast<Status>(dut_->retire_status_o));
      EXPECT_EQ(dut_->retire_queue_o, 12);
    }
    dut_.tick();
  }
  void rest() {
    dut_->retire_ready_i = 1;
    dut_.settle();
    for (int i = 0; i < 10 && dut_->busy_o; ++i) tick();
    EXPECT_FALSE(dut_->busy_o);
  }
  static InjectionRecord record(std::uint32_t index, bool last, unsigned tag = 0) {
    return InjectionRecord()
        .set<n::queue>(12)
        .set<n::index>(index)
        .set<n::owner>(2)
        .set<n::last>(last)
        .set<n::tag>(tag);
  }
  static InjectionRecord counted(InjectionRecord record) {
    return record.set<n::operation_valid>(1)
        .set<n::operation>(CounterOperation().set<o::counter>(44).set<o::value>(512))
        .set<n::done_event_valid>(1)
        .set<n::done_event>(33)
        .set<n::interrupt_done>(1);
  }

  static InjectionRecord detached() {
    return counted(record(7, true))
        .set<n::operation_valid>(0)
        .set<n::opcode>(Opcode::kReceive)
        .set<n::bytes>(600)
        .set<n::signal>(1)
        .set<n::detached>(1);
  }

  Random random_;
  Clocked<Vmu_injection_completion> dut_;
  std::vector<std::pair<std::uint32_t, Status>> retired_;
};

TEST_F(InjectionCompletion, CountsEachPacketAndEndsWithTheLast) {
  const Effects first = walk(counted(record(7, false)));
  EXPECT_EQ(first.operations.size(), 1U);
  EXPECT_EQ(first.cycles, 1U);
  EXPECT_EQ(first.done_causes, 0U);
  rest();
  EXPECT_TRUE(retired_.empty());
  const Effects last = walk(counted(record(7, true)));
  ASSERT_EQ(last.operations.size(), 2U);
  EXPECT_EQ(last.operations[0].get<o::counter>(), 44U);
  EXPECT_EQ(last.operations[1], CounterOperation()
                                    .set<o::counter>(33)
                                    .set<o::is_event>(1)
                                    .set<o::add>(1)
                                    .set<o::value>(1)
                                    .set<o::client>(2));
  EXPECT_EQ(last.done_causes, 1U);
  rest();
  ASSERT_EQ(retired_.size(), 1U);
  EXPECT_EQ(retired_[0], std::make_pair(7U, Status::kOk));
}

TEST_F(InjectionCompletion, DoesNothingForAFailedDescriptorButTellAndRetire) {
  const auto failed =
      counted(record(8, true)).set<n::status>(Status::kPermission).set<n::notice>(1);
  const Effects effects = walk(failed, false, 40);
  EXPECT_TRUE(effects.operations.empty());
  EXPECT_EQ(effects.done_causes, 0U);
  EXPECT_FALSE(effects.aborted);
  ASSERT_EQ(effects.notices.size(), 1U);
  const PacketHeader& notice = effects.notices[0];
  EXPECT_EQ(notice, PacketHeader()
                        .set<h::dst_x>(5)
                        .set<h::src_y>(6)
                        .set<h::client>(3)
                        .set<h::kind>(Kind::kNotice)
                        .set<h::reply>(1)
                        .set<h::target>(12)
                        .set<h::word>(static_cast<std::uint64_t>(Status::kPermission) |
                                      static_cast<std::uint64_t>(Kind::kFifo) << 8));
  rest();
  ASSERT_EQ(retired_.size(), 1U);
  EXPECT_EQ(retired_[0].second, Status::kPermission);
}

TEST_F(InjectionCompletion, AbortsAtAMemoryErrorAndDropsTheRestOfItsTagOnly) {
  const Effects bad = walk(counted(record(9, false, 3)), true);
  EXPECT_TRUE(bad.aborted);
  EXPECT_TRUE(bad.operations.empty());
  for (const bool error : {false, true}) {
    const Effects rest_of_it = walk(counted(record(9, false, 3)), error);
    EXPECT_TRUE(rest_of_it.operations.empty());
    EXPECT_FALSE(rest_of_it.aborted) << "once is enough";
  }
  EXPECT_EQ(walk(counted(record(10, true, 4))).operations.size(), 2U);
  EXPECT_EQ(walk(counted(record(11, true, 3))).operations.size(), 2U) << "the tag is used again";
  rest();
  ASSERT_EQ(retired_.size(), 3U);
  EXPECT_EQ(retired_[0], std::make_pair(9U, Status::kMemoryError));
  EXPECT_EQ(retired_[1].second, Status::kOk);
}

// A RECEIVE that has left its dynamically connected queue, and whose message is done.
TEST_F(InjectionCompletion, TellsOfADetachedReceiveAndRetiresNothing) {
  namespace e = layout::completion_entry;
  drive(dut_->entry_peer_i, Record<layout::queue_peer::Layout>()
                                .set<layout::queue_peer::dynamic>(1)
                                .set<layout::queue_peer::connected>(1)
                                .set<layout::queue_peer::x>(15)
                                .set<layout::queue_peer::queue>(31));
  for (const unsigned chance : {100U, 30U}) {
    const Effects effects = walk(detached(), false, chance);
    ASSERT_EQ(effects.operations.size(), 1U);
    EXPECT_EQ(effects.operations[0].get<o::counter>(), 33U);
    EXPECT_EQ(effects.done_causes, 1U);
    ASSERT_EQ(effects.entries.size(), 1U);
    const Entry& entry = effects.entries[0];
    EXPECT_EQ(entry.get<e::status>(), Status::kOk);
    EXPECT_EQ(entry.get<e::opcode>(), Opcode::kReceive);
    EXPECT_EQ(entry.get<e::queue>(), 12U);
    EXPECT_EQ(entry.get<e::index>(), 7U);
    EXPECT_EQ(entry.get<e::bytes>(), 600U);
    EXPECT_EQ(entry.get<e::peer_x>(), 5U) << "of the message, not of the queue";
    EXPECT_EQ(entry.get<e::peer_queue>(), 0U);
    rest();
    EXPECT_TRUE(retired_.empty());
  }
  EXPECT_EQ(walk(detached().set<n::signal>(0).set<n::done_event_valid>(0)).done_causes, 1U);
  rest();
  EXPECT_TRUE(retired_.empty());
}

TEST_F(InjectionCompletion, TellsOfADetachedReceiveThatFailedByItsEntryAlone) {
  const Effects effects = walk(detached().set<n::status>(Status::kMemoryError));
  EXPECT_TRUE(effects.operations.empty());
  EXPECT_EQ(effects.done_causes, 0U);
  ASSERT_EQ(effects.entries.size(), 1U);
  EXPECT_EQ(effects.entries[0].get<layout::completion_entry::status>(), Status::kMemoryError);
  rest();
  EXPECT_TRUE(retired_.empty());
}

TEST_F(InjectionCompletion, DoesEachStepOnceHoweverSlowItsPartnersAre) {
  for (std::uint32_t i = 0; i < 200; ++i) {
    const bool last = random_.chance(50);
    const std::size_t before = retired_.size();
    const Effects effects = walk(counted(record(i, last)), false, 30);
    ASSERT_EQ(effects.operations.size(), last ? 2U : 1U);
    if (random_.chance(50)) rest();
    ASSERT_LE(retired_.size(), before + 2);
  }
}

}  // namespace
}  // namespace torusmu::testing
