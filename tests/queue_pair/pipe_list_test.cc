// SPDX-License-Identifier: Apache-2.0
// Lists of buffers of PIPEs: how they are read and judged, and where their buffers lie then. The
// test is the PIPEs, the memory port and the region table.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "Vmu_pipe_list.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"
#include "torusmu/types.h"

namespace torusmu::testing {
namespace {

namespace a = layout::list_answers;
namespace b = layout::pipe_buffer;
namespace r = layout::list_reads;
namespace t = layout::read_beat;
using RegionEntry = Record<layout::region_entry::Layout>;

constexpr unsigned kRegions = 6;  // the last is off, the one before another client's
constexpr unsigned kAllPipes = (1U << kProfile.pipes) - 1;

class PipeLists : public ::testing::Test {
 protected:
  using List = std::vector<PipeBuffer>;
  struct End {
    unsigned pipe = 0;
    Status status = Status::kOk;
  };

  PipeLists() { draw_regions(); }
  // Of another owner, with other numbers.
  void draw_regions() {
    namespace e = layout::region_entry;
    owner_ = random_.below(16);
    regions_.clear();
    numbers_.clear();
    while (regions_.size() < kRegions) {
      const auto number = static_cast<unsigned>(random_.below(256));
      if (regions_.count(number) != 0) continue;
      const std::size_t i = numbers_.size();
      const bool foreign = i + 2 == kRegions;
      numbers_.push_back(number);
      regions_[number] =
          RegionEntry()
              .set<e::base>(random_.bits64() >> 26U)
              .set<e::length>(1 + (random_.bits64() >> (random_.chance(50) ? 30U : 28U)))
              .set<e::owner>(foreign ? owner_ ^ 1U << random_.below(4) : owner_)
              .set<e::enable>(i + 1 != kRegions)
              .set<e::remote_write>(random_.below(2))
              .set<e::remote_read>(random_.below(2));
    }
  }
  // One that is good: up to the last byte of its region.
  PipeBuffer any_buffer() {
    const std::uint64_t region = numbers_[random_.below(kRegions - 2)];
    const std::uint64_t length = region_of(region).get<layout::region_entry::length>();
    const std::uint64_t bytes = 1 + random_.below(std::min<std::uint64_t>(length, 0xFFFF'FFFF));
    const std::uint64_t most = length - bytes;
    return PipeBuffer().set<b::region>(region).set<b::bytes>(bytes).set<b::offset>(
        random_.chance(30) ? most : random_.below(most + 1));
  }
  List any_list(std::size_t entries) {
    List list;
    for (std::size_t i = 0; i < entries; ++i) list.push_back(any_buffer());
    return list;
  }
  const RegionEntry& region_of(std::uint64_t number) const {
    return regions_.at(static_cast<unsigned>(number));
  }
  Address address_of(const PipeBuffer& buffer) const {
    return region_of(buffer.get<b::region>()).get<layout::region_entry::base>() +
           buffer.get<b::offset>();
  }
  // What the list ends with.
  Status wanted(const List& list) const {
    namespace e = layout::region_entry;
    for (const PipeBuffer& entry : list) {
      if (!reserved_bits_are_zero(entry)) return Status::kReservedBits;
      if (entry.get<b::bytes>() == 0) return Status::kLengthZero;
      const RegionEntry& region = region_of(entry.get<b::region>());
      if (region.get<e::enable>() == 0) return Status::kRegionInvalid;
      if (region.get<e::owner>() != owner_) return Status::kPermission;
      if (entry.get<b::offset>() + entry.get<b::bytes>() > region.get<e::length>()) {
        return Status::kRegionBounds;
      }
    }
    return Status::kOk;
  }

  // --- a cycle ---
  void ask(unsigned pipe, const List& list) {
    lists_[pipe] = list;
    addresses_[pipe] = random_.bits64() >> 24U;
    dut_->read_i = static_cast<CData>(dut_->read_i | 1U << pipe);
  }
  void withdraw(unsigned pipe) {
    dut_->read_i = static_cast<CData>(dut_->read_i & ~(1U << pipe));
    if (reads_ == pipe) reads_.reset();
  }
  void tick() {
    namespace q = layout::receive_buffer;
    const auto answer = next_answer();
    drive(dut_->answers_i, answer);
    dut_.settle();
    if (reads_) {
      EXPECT_TRUE(dut_->busy_o);
    }
    if (dut_->grant_o != 0) {
      const unsigned pipe = lowest(dut_->grant_o);
      EXPECT_EQ(dut_->grant_o, 1U << pipe);
      EXPECT_EQ(pipe, lowest(dut_->read_i)) << "the lowest that asks";
      drive(dut_->request_i,
            Record<q::Layout>::from_bytes(random_bytes(random_, Record<q::Layout>::kBytes))
                .set<q::owner>(owner_)
                .set<q::address>(addresses_[pipe])
                .set<q::length>(lists_[pipe].size() * PipeBuffer::kBytes));
      reading_ = {lists_[pipe], addresses_[pipe]};
      reads_ = pipe;
      dut_.settle();
    }
    take_reads(answer);
    if (dut_->end_o != 0) {
      const unsigned pipe = lowest(dut_->end_o);
      EXPECT_EQ(dut_->end_o, 1U << pipe);
      EXPECT_EQ(pipe, reads_.value_or(kProfile.pipes));
      ends.push_back({pipe, static_cast<Status>(dut_->status_o)});
      reads_.reset();
    }
    const CData ended = dut_->end_o;
    dut_.tick();
    dut_->read_i = static_cast<CData>(dut_->read_i & ~ended);
    dut_.settle();
  }
  void run_until_end(std::size_t count = 1) {
    for (unsigned i = 0; ends.size() < count; ++i) {
      ASSERT_LT(i, 2000U) << "the list has not ended";
      tick();
    }
  }
  Status end_of(const List& list, unsigned pipe = 0) {
    ends.clear();
    ask(pipe, list);
    run_until_end();
    if (ends.empty()) return Status::kOk;
    EXPECT_EQ(ends[0].pipe, pipe);
    return ends[0].status;
  }
  // Buffer `number` of a PIPE, where it is given and from where it is sent.
  void expect_buffer(unsigned pipe, unsigned number, const PipeBuffer& buffer) {
    dut_->listed_i = dut_->gives_i = static_cast<CData>(1U << pipe);
    dut_->numbers_i = static_cast<SData>(number << 4 * pipe);
    dut_.settle();
    EXPECT_EQ(dut_->may_give_o >> pipe & 1U, 0U) << "it is to be shown first";
    for (int i = 0; i < 2 && (dut_->may_give_o >> pipe & 1U) == 0; ++i) tick();
    ASSERT_EQ(dut_->may_give_o >> pipe & 1U, 1U);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(dut_->place_address_o, address_of(buffer)) << number;
      EXPECT_EQ(dut_->place_bytes_o, buffer.get<b::bytes>()) << number;
      EXPECT_TRUE(dut_->busy_o);
      tick();
    }
    dut_->given_i = static_cast<CData>(1U << pipe);
    tick();
    dut_->given_i = dut_->gives_i = dut_->listed_i = 0;
    dut_->copy_read_i = 1;
    dut_->copy_pipe_i = static_cast<CData>(pipe);
    dut_->copy_number_i = static_cast<CData>(number);
    tick();
    dut_->copy_read_i = 0;
    dut_->copy_number_i = static_cast<CData>(random_.below(16));
    tick();
    EXPECT_EQ(dut_->copy_region_o, buffer.get<b::region>()) << number;
    EXPECT_EQ(dut_->copy_offset_o, buffer.get<b::offset>()) << number;
  }
  void expect_buffers(unsigned pipe, const List& list) {
    for (unsigned i = 0; i < list.size(); ++i) {
      ASSERT_NO_FATAL_FAILURE(expect_buffer(pipe, i, list[i]));
    }
  }
  void expect_idle() {
    for (int i = 0; i < 3; ++i) tick();
    EXPECT_FALSE(dut_->busy_o);
    EXPECT_EQ(get<r::look>(dut_->reads_o), 0U);
    EXPECT_EQ(get<r::region>(dut_->reads_o), 0U);
  }

  Random random_;
  ::testing::ScopedTrace trace_{__FILE__, __LINE__, random_.replay()};
  Clocked<Vmu_pipe_list> dut_{random_.seed()};
  std::map<unsigned, RegionEntry> regions_;  // by number
  std::vector<unsigned> numbers_;
  std::uint64_t owner_ = 0;
  bool fails_ = false;   // the memory does
  unsigned often_ = 60;  // of a hundred cycles memory and table answer in
  unsigned commands = 0, looks = 0;
  std::optional<unsigned> looked_up_;  // a region, in this cycle
  std::vector<End> ends;

 private:
  static unsigned lowest(std::uint64_t bits) {
    return static_cast<unsigned>(__builtin_ctzll(bits));
  }
  Record<a::Layout> next_answer() {
    Record<a::Layout> answer;
    answer.set<a::ready>(random_.chance(often_)).set<a::looks>(random_.chance(often_));
    if (looked_up_)
      answer.set<a::entry>(region_of(*looked_up_));
    else
      answer.set<a::entry>(RegionEntry::from_bytes(random_bytes(random_, RegionEntry::kBytes)));
    if (owed_.empty() || !random_.chance(often_)) return answer;
    std::array<std::uint8_t, 32> data{};
    for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random_.bits64());
    const std::size_t count = std::min<std::size_t>(32, owed_.size());
    std::copy_n(owed_.begin(), count, data.begin());
    owed_.erase(owed_.begin(), owed_.begin() + static_cast<std::ptrdiff_t>(count));
    auto beat = Record<t::Layout>::from_bytes(random_bytes(random_, Record<t::Layout>::kBytes));
    beat.set<t::data>(data)
        .set<t::valid>(1)
        .set<t::last>(owed_.empty())
        .set<t::error>(fails_ && owed_.empty());
    return answer.set<a::beat>(beat);
  }
  void take_reads(const Record<a::Layout>& answer) {
    namespace q = layout::read_request;
    namespace c = layout::read_command;
    const auto reads = sample_record<Record<r::Layout>>(dut_->reads_o);
    const auto request = reads.get<r::list>();
    if (request.get<q::valid>() != 0) {
      const auto command = request.get<q::command>();
      EXPECT_EQ(command.get<c::address>(), reading_.address);
      EXPECT_EQ(command.get<c::bytes>(), reading_.list.size() * PipeBuffer::kBytes);
      EXPECT_TRUE(owed_.empty());
      if (answer.get<a::ready>() != 0) {
        ++commands;
        for (const PipeBuffer& entry : reading_.list) {
          const auto bytes = entry.bytes();
          owed_.insert(owed_.end(), bytes.begin(), bytes.end());
        }
      }
    }
    looked_up_.reset();
    if (reads.get<r::look>() != 0 && answer.get<a::looks>() != 0) {
      ++looks;
      looked_up_ = static_cast<unsigned>(reads.get<r::region>());
      ASSERT_EQ(regions_.count(*looked_up_), 1U) << *looked_up_;
    }
  }
  std::map<unsigned, List> lists_;
  std::map<unsigned, Address> addresses_;
  struct {
    List list;
    Address address = 0;
  } reading_;                      // that was granted last; its PIPE may ask for another by now
  std::optional<unsigned> reads_;  // whose list is read, while it asks for it
  std::vector<std::uint8_t> owed_;
};

TEST_F(PipeLists, OfEveryLengthAreReadByOneCommandAndKept) {
  for (unsigned entries = 1; entries <= 16; ++entries) {
    for (unsigned pipe = 0; pipe < kProfile.pipes; ++pipe) {
      const List list = any_list(entries);
      commands = looks = 0;
      ASSERT_EQ(end_of(list, pipe), Status::kOk) << entries;
      EXPECT_EQ(commands, 1U);
      EXPECT_EQ(looks, entries);
      ASSERT_NO_FATAL_FAILURE(expect_buffers(pipe, list)) << entries;
      expect_idle();
    }
  }
}

TEST_F(PipeLists, TakeTwoCyclesAnEntry) {
  often_ = 100;
  for (const unsigned entries : {1U, 2U, 9U, 16U}) {
    ends.clear();
    ask(0, any_list(entries));
    unsigned cycles = 0;
    for (; ends.empty(); ++cycles) tick();
    EXPECT_EQ(cycles, 3 + (entries + 1) / 2 + 2 * entries);
    expect_idle();
  }
}

TEST_F(PipeLists, EndWithTheFirstThatIsWrongWithAnEntry) {
  const std::vector<std::function<void(PipeBuffer&)>> spoil{
      [](PipeBuffer& entry) { entry.set<b::bytes>(0); },
      [&](PipeBuffer& entry) { entry.set<b::region>(numbers_[kRegions - 1]); },
      [&](PipeBuffer& entry) { entry.set<b::region>(numbers_[kRegions - 2]); },
      [&](PipeBuffer& entry) {
        const auto length = region_of(entry.get<b::region>()).get<layout::region_entry::length>();
        const std::uint64_t bytes = entry.get<b::bytes>();
        entry.set<b::offset>(bytes <= length ? length - bytes + 1 : length);
      },
      [&](PipeBuffer& entry) {
        auto bytes = entry.bytes();
        const std::uint64_t bit =
            random_.chance(50) ? 45 + random_.below(19) : 96 + random_.below(32);
        bytes.at(bit / 8) = static_cast<std::uint8_t>(bytes.at(bit / 8) | 1U << bit % 8);
        entry = PipeBuffer::from_bytes(bytes);
      }};
  std::map<Status, unsigned> seen;
  for (int round = 0; round < 400; ++round) {
    draw_regions();
    List list = any_list(1 + random_.below(16));
    for (unsigned bad = 0; bad < 1 + random_.below(3); ++bad) {
      spoil[random_.below(spoil.size())](list[random_.below(list.size())]);
    }
    const Status status = wanted(list);
    ++seen[status];
    ASSERT_EQ(end_of(list, static_cast<unsigned>(random_.below(kProfile.pipes))), status) << round;
    expect_idle();
  }
  EXPECT_EQ(seen.size(), 5U);
}

TEST_F(PipeLists, EveryReservedBitOfAnEntryCounts) {
  for (unsigned bit = 0; bit < 128; ++bit) {
    if (bit < 45 || (bit >= 64 && bit < 96)) continue;
    List list = any_list(2);
    auto bytes = list[bit % 2].bytes();
    bytes.at(bit / 8) = static_cast<std::uint8_t>(bytes.at(bit / 8) | 1U << bit % 8);
    list[bit % 2] = PipeBuffer::from_bytes(bytes);
    ASSERT_EQ(end_of(list), Status::kReservedBits) << bit;
  }
}

TEST_F(PipeLists, ThatCannotBeReadEndWithMemoryError) {
  for (unsigned round = 0; round < 160; ++round) {
    const unsigned entries = 1 + round % 16;
    const auto pipe = static_cast<unsigned>(random_.below(kProfile.pipes));
    draw_regions();
    fails_ = true;
    looks = 0;
    EXPECT_EQ(end_of(any_list(entries), pipe), Status::kMemoryError);
    EXPECT_EQ(looks, 0U);
    expect_idle();
    fails_ = false;
    EXPECT_EQ(end_of(any_list(entries), pipe), Status::kOk);
  }
}

TEST_F(PipeLists, OfSeveralThatAskAreReadOneAfterTheOther) {
  std::map<unsigned, List> lists;
  for (unsigned pipe = kProfile.pipes; pipe-- > 0;) {
    lists[pipe] = any_list(1 + random_.below(16));
    ask(pipe, lists[pipe]);
  }
  run_until_end(kProfile.pipes);
  for (unsigned pipe = 0; pipe < kProfile.pipes; ++pipe) {
    EXPECT_EQ(ends.at(pipe).pipe, pipe);
    EXPECT_EQ(ends[pipe].status, Status::kOk);
  }
  for (const auto& [pipe, list] : lists) ASSERT_NO_FATAL_FAILURE(expect_buffers(pipe, list));
}

// A PIPE is flushed; another takes its place at once, with a list of its own.
TEST_F(PipeLists, ThatAreNoLongerAskedForGetNoEnd) {
  for (int round = 0; round < 300; ++round) {
    const auto pipe = static_cast<unsigned>(random_.below(kProfile.pipes));
    ends.clear();
    fails_ = random_.chance(20);
    ask(pipe, any_list(1 + random_.below(16)));
    for (auto i = random_.below(40); i > 0 && ends.empty(); --i) tick();
    const bool ended = !ends.empty();
    withdraw(pipe);
    tick();
    const List list = any_list(1 + random_.below(16));
    if (random_.chance(70)) {
      ASSERT_EQ(ends.size(), ended ? 1U : 0U) << round;
      // What is still read of the first is none of it.
      while (dut_->busy_o) tick();
      ASSERT_EQ(ends.size(), ended ? 1U : 0U) << round;
    }
    // Or it asks at once for another.
    fails_ = false;
    ASSERT_EQ(end_of(list, pipe), Status::kOk) << round;
    ASSERT_EQ(ends.size(), 1U) << round;
    ASSERT_NO_FATAL_FAILURE(expect_buffers(pipe, list)) << round;
  }
}

// Flushed while its entries are checked: those that passed before are kept, and no other.
TEST_F(PipeLists, KeepNothingAnyMoreOnceTheyAreNotAskedFor) {
  for (int round = 0; round < 300; ++round) {
    const auto pipe = static_cast<unsigned>(random_.below(kProfile.pipes));
    List kept = any_list(8);
    ASSERT_EQ(end_of(kept, pipe), Status::kOk);
    const List list = any_list(8);
    ends.clear();
    looks = 0;
    ask(pipe, list);
    for (const std::uint64_t most = random_.below(9); looks < most && ends.empty();) tick();
    // The one that was looked up last would be checked in this cycle.
    const unsigned passed = looks - (looked_up_ ? 1 : 0);
    withdraw(pipe);
    tick();
    while (dut_->busy_o) tick();
    std::copy_n(list.begin(), passed, kept.begin());
    ASSERT_NO_FATAL_FAILURE(expect_buffers(pipe, kept)) << round;
  }
}

TEST_F(PipeLists, LeaveThoseAloneThatHaveNone) {
  for (unsigned given = 0; given < 1U << kProfile.pipes; ++given) {
    dut_->gives_i = static_cast<CData>(given);
    tick();
    EXPECT_EQ(dut_->may_give_o, kAllPipes);
    EXPECT_FALSE(dut_->busy_o);
  }
}

// PIPEs give buffers and send from others whenever they like, some of them without a list.
TEST_F(PipeLists, OfSeveralThatGiveTheLowestIsShownUntilItHasGiven) {
  std::map<unsigned, List> lists;
  for (unsigned pipe = 0; pipe < kProfile.pipes; ++pipe) {
    lists[pipe] = any_list(16);
    ASSERT_EQ(end_of(lists[pipe], pipe), Status::kOk);
  }
  expect_idle();
  std::array<unsigned, kProfile.pipes> numbers{};
  std::optional<unsigned> shown;
  std::optional<PipeBuffer> copied;
  for (int cycle = 0; cycle < 4000; ++cycle) {
    // What is to be given stands until it has been given, or until its PIPE fails.
    for (unsigned pipe = 0; pipe < kProfile.pipes; ++pipe) {
      const auto bit = static_cast<CData>(1U << pipe);
      if ((dut_->gives_i & bit) != 0) {
        if (random_.chance(5)) dut_->gives_i = static_cast<CData>(dut_->gives_i & ~bit);
      } else if (random_.chance(20)) {
        numbers[pipe] = static_cast<unsigned>(random_.below(16));
        dut_->gives_i = static_cast<CData>(dut_->gives_i | bit);
        dut_->listed_i =
            static_cast<CData>(random_.chance(70) ? dut_->listed_i | bit : dut_->listed_i & ~bit);
      }
    }
    dut_->numbers_i = 0;
    for (unsigned pipe = 0; pipe < kProfile.pipes; ++pipe) {
      dut_->numbers_i = static_cast<SData>(dut_->numbers_i | numbers[pipe] << 4 * pipe);
    }
    dut_.settle();
    const unsigned ready = shown ? 1U << *shown : 0U;
    ASSERT_EQ(dut_->may_give_o, (kAllPipes & ~dut_->listed_i) | ready) << cycle;
    ASSERT_EQ(dut_->busy_o, shown.has_value()) << cycle;
    if (shown) {
      const PipeBuffer& buffer = lists[*shown][numbers[*shown]];
      ASSERT_EQ(dut_->place_address_o, address_of(buffer)) << cycle;
      ASSERT_EQ(dut_->place_bytes_o, buffer.get<b::bytes>()) << cycle;
    }
    if (copied) {
      ASSERT_EQ(dut_->copy_region_o, copied->get<b::region>()) << cycle;
      ASSERT_EQ(dut_->copy_offset_o, copied->get<b::offset>()) << cycle;
    }
    const auto pipe = static_cast<unsigned>(random_.below(kProfile.pipes));
    const auto number = static_cast<unsigned>(random_.below(16));
    dut_->copy_read_i = random_.chance(30);
    dut_->copy_pipe_i = static_cast<CData>(pipe);
    dut_->copy_number_i = static_cast<CData>(number);
    if (dut_->copy_read_i != 0) copied = lists[pipe][number];
    // One of those that give and may is taken.
    const unsigned may = dut_->gives_i & dut_->may_give_o;
    dut_->given_i = static_cast<CData>(random_.chance(50) ? may & (~may + 1) : 0);
    const unsigned wants = dut_->gives_i & dut_->listed_i;
    if (!shown) {
      if (wants != 0) shown = static_cast<unsigned>(std::countr_zero(wants));
    } else if ((wants & ~dut_->given_i & ready) == 0) {
      shown.reset();
    }
    const unsigned given = dut_->given_i;
    tick();
    dut_->gives_i = static_cast<CData>(dut_->gives_i & ~given);
  }
}

// It fails before its buffer was taken.
TEST_F(PipeLists, ShowABufferOnlyWhileItIsToBeGiven) {
  const List list = any_list(3);
  ASSERT_EQ(end_of(list), Status::kOk);
  dut_->listed_i = dut_->gives_i = 1;
  tick();
  tick();
  EXPECT_EQ(dut_->may_give_o & 1U, 1U);
  dut_->gives_i = 0;
  tick();
  EXPECT_EQ(dut_->may_give_o & 1U, 0U);
  expect_idle();
}

}  // namespace
}  // namespace torusmu::testing
