// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "Vmu_injection_completion.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/opcodes.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"
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
  static constexpr std::uint32_t kNumber = 0x88;  // of the descriptor

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
    // Of a reflection or a message: not the descriptor's.
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
                  kNumber);
      }
      if (dut_->entry_valid_o && dut_->entry_ready_i) {
        effects.entries.push_back(sample_record<Entry>(dut_->entry_o));
        EXPECT_EQ(dut_->entry_client_o, 2);
      }
      tick();
    }
    dut_->walk_valid_i = 0;
    dut_.settle();
    effects.aborted = dut_->abort_o;
    effects.done_causes = bits_of(dut_->causes_o)[2 * 8 + 6];
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
        .set<n::tag>(tag)
        .set<n::sequence_number>(kNumber);
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
  EXPECT_EQ(first.cycles, 2U);
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

TEST_F(InjectionCompletion, DropsTheRestOfAnyTagAndOfNoneThatDiffersInABit) {
  for (unsigned tag = 0; tag < 8; ++tag) {
    for (unsigned bit = 0; bit < 3; ++bit) {
      EXPECT_TRUE(walk(counted(record(9, false, tag)), true).aborted);
      for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(walk(counted(record(9, false, tag))).operations.empty()) << "tag " << tag;
      }
      EXPECT_EQ(walk(counted(record(10, true, tag ^ 1U << bit))).operations.size(), 2U);
    }
  }
}

// A RECEIVE that has left its dynamically connected queue, and whose message is done.
TEST_F(InjectionCompletion, TellsOfADetachedReceiveAndRetiresNothing) {
  namespace e = layout::completion_entry;
  drive(dut_->entry_peer_i, Record<layout::queue_peer::Layout>()
                                .set<layout::queue_peer::dynamic>(1)
                                .set<layout::queue_peer::connected>(1)
                                .set<layout::queue_peer::x>(15)
                                .set<layout::queue_peer::queue>(kProfile.injection_queues - 1));
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

TEST_F(InjectionCompletion, EndsACalcInTheFirstStatusOfItsPuts) {
  namespace e = layout::completion_entry;
  const auto put = [&](Status status) {
    const InjectionRecord part =
        record(7, true).set<n::opcode>(Opcode::kPut).set<n::detached>(1).set<n::status>(status);
    EXPECT_TRUE(walk(part).entries.empty());
  };
  const auto ends = [&](Status own) {
    retired_.clear();
    const Effects effects =
        walk(record(7, true).set<n::opcode>(Opcode::kCalc).set<n::signal>(1).set<n::status>(own));
    rest();
    EXPECT_EQ(effects.entries.at(0).get<e::status>(), retired_.back().second);
    return retired_.back().second;
  };
  put(Status::kOk);
  EXPECT_EQ(ends(Status::kOk), Status::kOk);
  put(Status::kOk);
  put(Status::kUnreachable);
  put(Status::kReservedBits);
  walk(record(9, true));  // of another queue
  EXPECT_EQ(ends(Status::kOk), Status::kUnreachable);
  EXPECT_EQ(ends(Status::kOk), Status::kOk) << "of the next CALC nothing has failed";
  // What happens in another queue meanwhile changes nothing.
  put(Status::kUnreachable);
  walk(record(3, true).set<n::opcode>(Opcode::kCalc).set<n::detached>(1).set<n::queue>(13));
  walk(record(3, true)
           .set<n::opcode>(Opcode::kPut)
           .set<n::detached>(1)
           .set<n::queue>(13)
           .set<n::status>(Status::kReservedBits));
  EXPECT_EQ(ends(Status::kOk), Status::kUnreachable);
  put(Status::kUnreachable);
  EXPECT_EQ(ends(Status::kMemoryError), Status::kMemoryError);
  EXPECT_EQ(ends(Status::kOk), Status::kOk);
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

// What the contract says of one cycle.
struct CompletionModel {
  enum Step { kOperation, kEvent, kNotice, kFailure, kEntry, kRetire, kNothing };
  std::array<bool, 6> steps{};  // what is left to do, once the slot was looked at
  bool looked = false, dropping = false, enabled = false, retiring = false, aborts = false;
  std::uint64_t dropping_tag = 0;
  Status enable_status = Status::kOk, known_status = Status::kOk;
  std::map<std::uint64_t, Status> put_status;  // by queue: that of PUTs which are part of a CALC
  std::uint64_t retired_queue = 0, retired_index = 0;
  Status retired_status = Status::kOk;
  PortBits causes;

  static std::uint64_t queue_of(const InjectionRecord& record) {
    return record.get<n::queue>() % kProfile.injection_queues;
  }
  bool dropped(const InjectionRecord& record) const {
    return dropping && dropping_tag == record.get<n::tag>();
  }
  Status status(const InjectionRecord& record, bool error) const {
    if (error) return Status::kMemoryError;
    if (enabled && enable_status != Status::kOk) return enable_status;
    const bool of_puts =
        record.get<n::opcode>() == Opcode::kCalc && record.get<n::status>() == Status::kOk;
    const auto puts = put_status.find(queue_of(record));
    return of_puts && puts != put_status.end() ? puts->second : record.get<n::status>();
  }
  std::array<bool, 6> needs(const InjectionRecord& record, bool error) const {
    if (dropped(record)) return {};
    const auto has = [&record](auto value) { return value != 0; };
    const bool failed = status(record, error) != Status::kOk;
    const bool last = has(record.get<n::last>()), held = has(record.get<n::held>());
    return {!failed && !enabled && has(record.get<n::operation_valid>()),
            !failed && last && has(record.get<n::done_event_valid>()),
            failed && has(record.get<n::notice>()),
            failed && held,
            !held && (failed || last) && has(record.get<n::signal>()),
            !held && !has(record.get<n::detached>()) && (failed || last)};
  }
};

class InjectionCompletionAtRandom : public InjectionCompletion {
 protected:
  void draw_slot() {
    record_ = InjectionRecord::from_bytes(random_bytes(random_, InjectionRecord::kBytes));
    record_.set<n::tag>(random_.below(3))
        .set<n::owner>(random_.below(random_.chance(80) ? kProfile.clients : 16));
    record_.set<n::status>(random_.chance(60) ? Status::kOk
                                              : static_cast<Status>(1U << random_.below(8)));
    if (record_.get<n::status>() != Status::kOk && record_.get<n::held>() == 0) {
      record_.set<n::last>(1);
    }
    constexpr Opcode kOpcodes[] = {Opcode::kSend, Opcode::kFence, Opcode::kReceive, Opcode::kPut,
                                   Opcode::kCalc};
    if (random_.chance(70)) {
      record_.set<n::opcode>(nearly(random_, kOpcodes[random_.below(5)]));
    }
    error_ = random_.chance(10);
    header_ = PacketHeader::from_bytes(random_bytes(random_, 16));
    if (random_.chance(40)) header_.set<h::kind>(random_.chance(50) ? Kind::kSend : Kind::kFence);
    if (random_.chance(50))
      header_.set<h::offset>(random_.chance(50) ? 0 : 1ULL << random_.below(37));
    trailer_ = PacketTrailer::from_bytes(random_bytes(random_, 16));
    peer_ = Record<layout::queue_peer::Layout>::from_bytes(random_bytes(random_, 5));
    drive(dut_->walk_record_i, record_);
    drive(dut_->walk_header_i, header_);
    drive(dut_->walk_trailer_i, trailer_);
    drive(dut_->entry_peer_i, peer_);
    dut_->walk_error_i = error_;
  }
  CounterOperation operation(CompletionModel::Step step) const {
    if (step == CompletionModel::kOperation) return record_.get<n::operation>();
    return CounterOperation()
        .set<o::value>(1)
        .set<o::counter>(record_.get<n::done_event>())
        .set<o::is_event>(1)
        .set<o::add>(1)
        .set<o::client>(record_.get<n::owner>());
  }
  PacketHeader notice(Status status) const {
    const Kind kind = header_.get<h::kind>();
    const bool own = kind == Kind::kSend || kind == Kind::kFence;
    return PacketHeader()
        .set<h::dst_x>(header_.get<h::dst_x>())
        .set<h::dst_y>(header_.get<h::dst_y>())
        .set<h::dst_z>(header_.get<h::dst_z>())
        .set<h::src_x>(header_.get<h::src_x>())
        .set<h::src_y>(header_.get<h::src_y>())
        .set<h::src_z>(header_.get<h::src_z>())
        .set<h::client>(header_.get<h::client>())
        .set<h::kind>(Kind::kNotice)
        .set<h::reply>(1)
        .set<h::target>(record_.get<n::queue>())
        .set<h::word>(static_cast<unsigned>(status) | (own ? 0U : static_cast<unsigned>(kind))
                                                          << 8);
  }
  Entry entry(Status status) const {
    namespace e = layout::completion_entry;
    namespace p = layout::queue_peer;
    const Opcode opcode = record_.get<n::opcode>();
    const bool message = peer_.get<p::dynamic>() != 0 &&
                         (record_.get<n::detached>() != 0 || opcode == Opcode::kSend);
    return Entry()
        .set<e::status>(status)
        .set<e::opcode>(opcode)
        .set<e::queue>(record_.get<n::queue>())
        .set<e::index>(record_.get<n::index>())
        .set<e::bytes>(record_.get<n::bytes>())
        .set<e::word>(header_.get<h::word>())
        .set<e::sequence_number>(record_.get<n::sequence_number>())
        .set<e::peer_x>(message ? header_.get<h::dst_x>() : peer_.get<p::x>())
        .set<e::peer_y>(message ? header_.get<h::dst_y>() : peer_.get<p::y>())
        .set<e::peer_z>(message ? header_.get<h::dst_z>() : peer_.get<p::z>())
        .set<e::peer_queue>(message ? header_.get<h::target>() : peer_.get<p::queue>());
  }
  Record<layout::send_answer::Layout> failure(Status status) const {
    namespace a = layout::send_answer;
    const bool fence = record_.get<n::opcode>() == Opcode::kFence;
    return Record<a::Layout>()
        .set<a::queue>(record_.get<n::queue>())
        .set<a::number>(fence ? record_.get<n::index>() : trailer_.get<t::sequence_number>())
        .set<a::status>(status)
        .set<a::node>(!fence && header_.get<h::offset>() != 0 ? 1 : 0)
        .set<a::fence>(fence);
  }
  // One cycle: outputs are compared, then the model follows.
  void step() {
    using Model = CompletionModel;
    const bool valid = dut_->walk_valid_i;
    const bool looks = valid && !model_.looked, dropped = model_.dropped(record_);
    const Status status = looks ? model_.status(record_, error_) : model_.known_status;
    const bool failed = status != Status::kOk;
    std::array<bool, 6> steps = looks ? model_.needs(record_, error_) : model_.steps;
    Model::Step now = Model::kNothing;
    for (unsigned i = 6; i-- > 0 && !looks;)
      if (steps[i]) now = static_cast<Model::Step>(i);
    const bool enables = now == Model::kOperation && record_.get<n::enable>() != 0;
    const bool operates = (now == Model::kOperation && !enables) || now == Model::kEvent;
    const bool accepted = (enables && dut_->enable_ready_i) ||
                          (operates && dut_->operation_ready_i) ||
                          (now == Model::kNotice && dut_->notice_ready_i) ||
                          now == Model::kFailure || (now == Model::kEntry && dut_->entry_ready_i) ||
                          (now == Model::kRetire && (!model_.retiring || dut_->retire_ready_i));
    if (accepted) steps[now] = false;
    const bool take = valid && std::ranges::count(steps, true) == 0 && !enables;
    ASSERT_EQ(dut_->walk_take_o, take);
    ASSERT_EQ(dut_->abort_o, model_.aborts);
    if (dut_->abort_o) {
      ASSERT_EQ(dut_->abort_tag_o, model_.dropping_tag);
    }
    ASSERT_EQ(dut_->enable_valid_o, enables);
    ASSERT_EQ(dut_->operation_valid_o, operates);
    if (operates || enables) {
      ASSERT_EQ(sample_record<CounterOperation>(dut_->operation_o), operation(now));
    }
    ASSERT_EQ(dut_->notice_valid_o, now == Model::kNotice);
    ASSERT_EQ(sample_record<PacketHeader>(dut_->notice_header_o),
              now == Model::kNotice ? notice(status) : PacketHeader());
    ASSERT_EQ(sample_record<PacketTrailer>(dut_->notice_trailer_o),
              now != Model::kNotice
                  ? PacketTrailer()
                  : PacketTrailer()
                        .set<t::queue>(record_.get<n::queue>())
                        .set<t::index>(record_.get<n::index>())
                        .set<t::sequence_number>(record_.get<n::sequence_number>()));
    ASSERT_EQ(dut_->failure_valid_o, now == Model::kFailure);
    if (now == Model::kFailure) {
      ASSERT_EQ(sample_record<Record<layout::send_answer::Layout>>(dut_->failure_o),
                failure(status));
    }
    ASSERT_EQ(dut_->entry_valid_o, now == Model::kEntry);
    ASSERT_EQ(sample_record<Entry>(dut_->entry_o), now == Model::kEntry ? entry(status) : Entry());
    ASSERT_EQ(dut_->entry_queue_o, record_.get<n::queue>());
    ASSERT_EQ(dut_->entry_client_o, record_.get<n::owner>());
    ASSERT_EQ(dut_->retire_valid_o, model_.retiring);
    if (model_.retiring) {
      ASSERT_EQ(dut_->retire_queue_o, model_.retired_queue);
      ASSERT_EQ(dut_->retire_index_o, model_.retired_index);
      ASSERT_EQ(static_cast<Status>(dut_->retire_status_o), model_.retired_status);
    }
    ASSERT_EQ(bits_of(dut_->causes_o), model_.causes);
    ASSERT_EQ(dut_->busy_o, valid || model_.retiring || model_.aborts || model_.causes.any());
    const bool retires = accepted && now == Model::kRetire;
    const bool ends = retires || (take && record_.get<n::detached>() != 0);
    const auto owner = static_cast<unsigned>(record_.get<n::owner>());
    const bool told = ends && !failed && record_.get<n::interrupt_done>() != 0;
    model_.causes.reset();
    if (told && owner < kProfile.clients) model_.causes = causes_of_client(owner, 0x40);
    model_.aborts = take && error_ && !dropped;
    if (looks) model_.known_status = status;
    if (valid) {
      model_.looked = !take && !(enables && accepted);
      model_.steps = model_.looked ? steps : std::array<bool, 6>{};
    }
    const bool of_calc =
        record_.get<n::opcode>() == Opcode::kPut && record_.get<n::detached>() != 0;
    if (take && record_.get<n::opcode>() == Opcode::kCalc) {
      model_.put_status.erase(CompletionModel::queue_of(record_));
    } else if (take && of_calc && !dropped && failed) {
      model_.put_status.try_emplace(CompletionModel::queue_of(record_), status);
    }
    if (take) {
      model_.dropping = (error_ && !dropped) || dropped;
      if (error_ && !dropped) model_.dropping_tag = record_.get<n::tag>();
      model_.enabled = false;
    } else if (enables && accepted) {
      model_.enable_status = static_cast<Status>(dut_->enable_status_i);
      model_.enabled = true;
    }
    if (retires) {
      model_.retiring = true;
      model_.retired_queue = record_.get<n::queue>();
      model_.retired_index = record_.get<n::index>();
      model_.retired_status = status;
    } else if (dut_->retire_ready_i) {
      model_.retiring = false;
    }
    taken_ = take;
  }
  CompletionModel model_;
  InjectionRecord record_;
  PacketHeader header_;
  PacketTrailer trailer_;
  Record<layout::queue_peer::Layout> peer_;
  bool error_ = false, taken_ = false;
};

TEST_F(InjectionCompletionAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  for (int cycle = 0; cycle < 60000; ++cycle) {
    if (!dut_->walk_valid_i) {
      draw_slot();
      dut_->walk_valid_i = random_.chance(80);
    }
    const unsigned percent = cycle / 200 % 2 == 0 ? 80 : 30;
    dut_->operation_ready_i = random_.chance(percent);
    dut_->enable_ready_i = random_.chance(percent);
    dut_->enable_status_i = static_cast<CData>(random_.chance(50) ? 0 : 1U << random_.below(8));
    dut_->notice_ready_i = random_.chance(percent);
    dut_->entry_ready_i = random_.chance(percent);
    dut_->retire_ready_i = random_.chance(percent);
    if (random_.below(500) == 0) {
      dut_.reset(1);  // whatever the slot that is shown would do
      dut_->walk_valid_i = 0;
      model_ = {};
      continue;
    }
    dut_.settle();
    ASSERT_NO_FATAL_FAILURE(step()) << "cycle " << cycle;
    dut_.tick();
    if (taken_) dut_->walk_valid_i = 0;
  }
}

}  // namespace
}  // namespace torusmu::testing
