// SPDX-License-Identifier: Apache-2.0
// Lists of buffers of PIPEs: how they are read and judged, and where their buffers lie then. The
// test is the PIPEs, the memory port and the region table.

#include <gtest/gtest.h>

#include <array>
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

constexpr std::uint64_t kOwner = 5;
constexpr unsigned kRegions = 6;  // the last is off, the one before another client's

class PipeLists : public ::testing::Test {
 protected:
  using List = std::vector<PipeBuffer>;
  struct End {
    unsigned pipe = 0;
    Status status = Status::kOk;
  };

  PipeLists() {
    namespace e = layout::region_entry;
    for (unsigned i = 0; i < kRegions; ++i) {
      regions_.push_back(RegionEntry()
                             .set<e::base>(random_.bits64() >> 26U)
                             .set<e::length>(1 + (random_.bits64() >> 30U))
                             .set<e::owner>(i + 2 == kRegions ? kOwner + 1 : kOwner)
                             .set<e::enable>(i + 1 != kRegions)
                             .set<e::remote_write>(random_.below(2))
                             .set<e::remote_read>(random_.below(2)));
    }
  }
  // One that is good: up to the last byte of its region.
  PipeBuffer any_buffer() {
    const std::uint64_t region = random_.below(kRegions - 2);
    const std::uint64_t length = regions_[region].get<layout::region_entry::length>();
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
  Address address_of(const PipeBuffer& buffer) const {
    return regions_[buffer.get<b::region>()].get<layout::region_entry::base>() +
           buffer.get<b::offset>();
  }
  // What the list ends with.
  Status wanted(const List& list) const {
    namespace e = layout::region_entry;
    for (const PipeBuffer& entry : list) {
      if (!reserved_bits_are_zero(entry)) return Status::kReservedBits;
      if (entry.get<b::bytes>() == 0) return Status::kLengthZero;
      const RegionEntry region = regions_[entry.get<b::region>()];
      if (region.get<e::enable>() == 0) return Status::kRegionInvalid;
      if (region.get<e::owner>() != kOwner) return Status::kPermission;
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
  void withdraw(unsigned pipe) { dut_->read_i = static_cast<CData>(dut_->read_i & ~(1U << pipe)); }
  void tick() {
    namespace q = layout::receive_buffer;
    const auto answer = next_answer();
    drive(dut_->answers_i, answer);
    dut_.settle();
    if (dut_->grant_o != 0) {
      const unsigned pipe = lowest(dut_->grant_o);
      EXPECT_EQ(dut_->grant_o, 1U << pipe);
      EXPECT_EQ(pipe, lowest(dut_->read_i)) << "the lowest that asks";
      drive(dut_->request_i,
            Record<q::Layout>::from_bytes(random_bytes(random_, Record<q::Layout>::kBytes))
                .set<q::owner>(kOwner)
                .set<q::address>(addresses_[pipe])
                .set<q::length>(lists_[pipe].size() * PipeBuffer::kBytes));
      reading_ = {lists_[pipe], addresses_[pipe]};
      dut_.settle();
    }
    take_reads(answer);
    if (dut_->end_o != 0) {
      const unsigned pipe = lowest(dut_->end_o);
      EXPECT_EQ(dut_->end_o, 1U << pipe);
      ends.push_back({pipe, static_cast<Status>(dut_->status_o)});
    }
    const CData ended = dut_->end_o;
    dut_.tick();
    dut_->read_i = static_cast<CData>(dut_->read_i & ~ended);
    dut_.settle();
  }
  void run_until_end(std::size_t count = 1) {
    for (unsigned i = 0; ends.size() < count; ++i) {
      ASSERT_LT(i, 2000U) << "the list has not ended";
      EXPECT_TRUE(dut_->busy_o || dut_->read_i);
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
  std::vector<RegionEntry> regions_;
  bool fails_ = false;   // the memory does
  unsigned often_ = 60;  // of a hundred cycles memory and table answer in
  unsigned commands = 0, looks = 0;
  std::vector<End> ends;

 private:
  static unsigned lowest(std::uint64_t bits) {
    return static_cast<unsigned>(__builtin_ctzll(bits));
  }
  Record<a::Layout> next_answer() {
    Record<a::Layout> answer;
    answer.set<a::ready>(random_.chance(often_)).set<a::looks>(random_.chance(often_));
    if (looked_up_)
      answer.set<a::entry>(regions_[*looked_up_]);
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
      ASSERT_LT(*looked_up_, kRegions);
    }
  }
  std::map<unsigned, List> lists_;
  std::map<unsigned, Address> addresses_;
  struct {
    List list;
    Address address = 0;
  } reading_;  // that was granted last; its PIPE may ask for another by now
  std::vector<std::uint8_t> owed_;
  std::optional<unsigned> looked_up_;
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
      [](PipeBuffer& entry) { entry.set<b::region>(kRegions - 1); },
      [](PipeBuffer& entry) { entry.set<b::region>(kRegions - 2); },
      [&](PipeBuffer& entry) {
        const auto length = regions_[entry.get<b::region>()].get<layout::region_entry::length>();
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
  for (unsigned entries = 1; entries <= 16; ++entries) {
    fails_ = true;
    looks = 0;
    EXPECT_EQ(end_of(any_list(entries)), Status::kMemoryError);
    EXPECT_EQ(looks, 0U);
    fails_ = false;
    EXPECT_EQ(end_of(any_list(entries)), Status::kOk);
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

TEST_F(PipeLists, LeaveThoseAloneThatHaveNone) {
  for (unsigned given = 0; given < 1U << kProfile.pipes; ++given) {
    dut_->gives_i = static_cast<CData>(given);
    tick();
    EXPECT_EQ(dut_->may_give_o, (1U << kProfile.pipes) - 1);
    EXPECT_FALSE(dut_->busy_o);
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
