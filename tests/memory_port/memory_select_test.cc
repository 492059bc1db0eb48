// SPDX-License-Identifier: Apache-2.0
// bgp:
// mu_memory_select between a manager that names both memories at random and two memories that take
// their time: whose each burst is, and in which order its data and responses come back.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "Vmu_memory_select.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

namespace q = layout::axi_request;
namespace r = layout::axi_response;

constexpr unsigned kReaders = 3, kWrites = 16, kMostReads = 8;
constexpr std::uint64_t kUnitBytes = std::uint64_t{8} * kProfile.unit_memory_words;
constexpr std::uint64_t kUnitBase = (std::uint64_t{1} << 40) - kUnitBytes;
enum Memory : unsigned { kNode, kUnit };

struct Burst {
  std::uint64_t address = 0;
  unsigned beats = 1;  // still to come
  Memory memory = kNode;
  unsigned id = 0;  // of a read
};
std::uint64_t place(const Burst& burst) {
  return burst.memory == kUnit ? burst.address - kUnitBase : burst.address;
}
// What a port carries besides is what another carries.
template <auto F>
void expect_same_field(const auto& got, const auto& sent) {
  EXPECT_EQ(get<F>(got), get<F>(sent));
}
template <auto... Fields>
void expect_same(const auto& got, const auto& sent) {
  (expect_same_field<Fields>(got, sent), ...);
}

class MemorySelect : public ::testing::Test {
 protected:
  // A burst of one memory or the other, the addresses around the border among them.
  Burst draw() {
    Burst burst;
    burst.beats = 1 + static_cast<unsigned>(random_.below(4));
    const std::uint64_t border = random_.below(16) * 32;
    switch (random_.below(4)) {
      case 0:
        burst.address = kUnitBase + random_.below(kUnitBytes / 32) * 32;
        break;
      case 1:
        burst.address = kUnitBase + border;
        break;
      case 2:
        burst.address = kUnitBase - 512 + border;
        break;
      default:
        // One bit short of it, or anywhere.
        burst.address = random_.chance(50) ? kUnitBase ^ (kUnitBytes << random_.below(4))
                                           : random_.below(std::uint64_t{1} << 34) * 32;
    }
    burst.memory = burst.address >= kUnitBase ? kUnit : kNode;
    return burst;
  }
  auto& request(Memory memory) {
    return memory == kUnit ? select_->unit_request_o : select_->node_request_o;
  }
  auto& response(Memory memory) {
    return memory == kUnit ? select_->unit_response_i : select_->node_response_i;
  }

  // Everything on the ports; what a test looks at comes on top of it.
  void drive_anything() {
    using Request = Record<layout::axi_request::Layout>;
    using Response = Record<layout::axi_response::Layout>;
    drive(select_->request_i, Request::from_bytes(random_bytes(random_, Request::kBytes)));
    for (const Memory memory : {kNode, kUnit})
      drive(response(memory), Response::from_bytes(random_bytes(random_, Response::kBytes)));
  }
  void drive_reads() {
    if (!read_ && random_.chance(60)) {
      read_ = draw();
      read_->id = crowded_ ? *crowded_ : static_cast<unsigned>(random_.below(kReaders));
      auto& before = reads_[read_->id];
      if (before.size() == kMostReads ||
          (crowded_ && !before.empty() && before.back().memory != read_->memory))
        read_.reset();
    }
    put<q::arvalid>(select_->request_i, read_.has_value());
    if (read_) {
      put<q::araddr>(select_->request_i, read_->address);
      put<q::arid>(select_->request_i, read_->id);
      put<q::arlen>(select_->request_i, read_->beats - 1);
    }
    put<q::rready>(select_->request_i, 1);
    for (const Memory memory : {kNode, kUnit}) {
      put<r::arready>(response(memory), random_.chance(60));
      auto& waiting = memory_reads_[memory];
      // What the unit's memory offers stands until it is taken; it answers in order.
      if (memory == kNode || !shown_[memory]) {
        shown_[memory] = !waiting.empty() && random_.chance(crowded_ ? 5 : 50);
        if (shown_[memory] && memory == kNode) bring_forward(waiting);
      }
      put<r::rvalid>(response(memory), shown_[memory]);
      if (!shown_[memory]) continue;
      put<r::rid>(response(memory), waiting.front().id);
      put<r::rlast>(response(memory), waiting.front().beats == 1);
      auto data = get_bytes<r::rdata>(response(memory));
      data[0] = static_cast<std::uint8_t>(waiting.front().address >> 5);
      data[31] = static_cast<std::uint8_t>(memory);
      put_bytes<r::rdata>(response(memory), data);
    }
  }
  // Node memory interleaves IDs: the first burst of any of them may be served next.
  void bring_forward(std::deque<Burst>& waiting) {
    const unsigned id = waiting.at(random_.below(waiting.size())).id;
    const auto first =
        std::ranges::find_if(waiting, [id](const Burst& burst) { return burst.id == id; });
    std::rotate(waiting.begin(), first, first + 1);
  }
  void drive_writes() {
    if (!write_ && random_.chance(60)) write_ = draw();
    put<q::awvalid>(select_->request_i, write_.has_value());
    if (write_) {
      put<q::awaddr>(select_->request_i, write_->address);
      put<q::awlen>(select_->request_i, write_->beats - 1);
    }
    if (!beat_shown_) beat_shown_ = !beats_.empty() && random_.chance(70);
    put<q::wvalid>(select_->request_i, beat_shown_);
    if (beat_shown_) {
      put<q::wlast>(select_->request_i, beats_.front().beats == 1);
      auto data = get_bytes<q::wdata>(select_->request_i);
      data[0] = static_cast<std::uint8_t>(beats_.front().address >> 5);
      put_bytes<q::wdata>(select_->request_i, data);
    }
    put<q::bready>(select_->request_i, random_.chance(60));
    for (const Memory memory : {kNode, kUnit}) {
      put<r::awready>(response(memory), random_.chance(60));
      // A memory may take data before its address.
      put<r::wready>(response(memory), random_.chance(60));
      if (!answer_shown_[memory])
        answer_shown_[memory] = owed_[memory] != 0 && random_.chance(slow_ ? 3 : 40);
      put<r::bvalid>(response(memory), answer_shown_[memory]);
    }
  }

  void check_reads() {
    for (const Memory memory : {kNode, kUnit}) {
      if (!get<q::arvalid>(request(memory))) continue;
      ASSERT_TRUE(read_ && read_->memory == memory) << "a burst for the other memory";
      ASSERT_EQ(get<q::araddr>(request(memory)), place(*read_));
      expect_same<q::arid, q::arburst, q::arlen, q::arsize>(request(memory), select_->request_i);
      const auto& before = reads_[read_->id];
      for (const Burst& burst : before)
        ASSERT_EQ(burst.memory, memory) << "would come out of order";
    }
    if (read_) {
      const auto& before = reads_[read_->id];
      const bool may = before.empty() || before.back().memory == read_->memory;
      ASSERT_EQ(get<q::arvalid>(request(read_->memory)) != 0, may) << "waits for nothing";
      ASSERT_EQ(get<r::arready>(select_->response_o) != 0,
                may && get<r::arready>(response(read_->memory)) != 0);
    }
    const bool from_node = get<r::rvalid>(response(kNode)) != 0;
    ASSERT_TRUE(get<q::rready>(request(kNode))) << "node memory never waits";
    ASSERT_EQ(get<q::rready>(request(kUnit)) != 0, !from_node);
    const Memory source = from_node ? kNode : kUnit;
    ASSERT_EQ(get<r::rvalid>(select_->response_o), get<r::rvalid>(response(source)));
    if (!get<r::rvalid>(select_->response_o)) return;
    const unsigned id = static_cast<unsigned>(get<r::rid>(select_->response_o));
    ASSERT_FALSE(reads_.at(id).empty());
    const Burst& due = reads_[id].front();
    ASSERT_EQ(due.memory, source);
    const auto data = get_bytes<r::rdata>(select_->response_o);
    ASSERT_EQ(data[0], static_cast<std::uint8_t>(due.address >> 5)) << "in order for its ID";
    ASSERT_EQ(data[31], source);
    ASSERT_EQ(get<r::rlast>(select_->response_o) != 0, due.beats == 1);
    expect_same<r::rid, r::rresp, r::rdata>(select_->response_o, response(source));
  }
  void check_writes() {
    for (const Memory memory : {kNode, kUnit}) {
      if (get<q::awvalid>(request(memory))) {
        ASSERT_TRUE(write_ && write_->memory == memory) << "a burst for the other memory";
        ASSERT_EQ(get<q::awaddr>(request(memory)), place(*write_));
        expect_same<q::awid, q::awburst, q::awlen, q::awsize>(request(memory), select_->request_i);
      }
      if (get<q::wvalid>(request(memory))) {
        ASSERT_TRUE(beat_shown_ && beats_.front().memory == memory) << "data of the other memory";
        ASSERT_EQ(get_bytes<q::wdata>(request(memory))[0],
                  static_cast<std::uint8_t>(beats_.front().address >> 5));
        expect_same<q::wdata, q::wstrb, q::wlast>(request(memory), select_->request_i);
      }
      ASSERT_EQ(get<q::bready>(request(memory)) != 0, !answers_.empty() &&
                                                          answers_.front() == memory &&
                                                          get<q::bready>(select_->request_i) != 0)
          << "responses out of order";
    }
    if (write_) {
      const bool may = offered_ || answers_.size() < kWrites;
      ASSERT_EQ(get<q::awvalid>(request(write_->memory)) != 0, may) << "waits for nothing";
      ASSERT_EQ(get<r::awready>(select_->response_o) != 0,
                may && get<r::awready>(response(write_->memory)) != 0);
    }
    if (beat_shown_) {
      ASSERT_TRUE(get<q::wvalid>(request(beats_.front().memory)));
    }
    ASSERT_EQ(get<r::wready>(select_->response_o) != 0,
              !beats_.empty() && get<r::wready>(response(beats_.front().memory)) != 0)
        << "data before its address";
    const bool due = !answers_.empty() && answer_shown_[answers_.front()];
    ASSERT_EQ(get<r::bvalid>(select_->response_o) != 0, due);
    if (due) expect_same<r::bid, r::bresp>(select_->response_o, response(answers_.front()));
  }

  void clock_reads() {
    for (const Memory memory : {kNode, kUnit}) {
      if (get<r::rvalid>(response(memory)) && get<q::rready>(request(memory))) {
        auto& waiting = memory_reads_[memory];
        auto& due = reads_[waiting.front().id];
        shown_[memory] = false;
        --waiting.front().beats;
        --due.front().beats;
        if (waiting.front().beats == 0) waiting.pop_front();
        if (due.front().beats == 0) due.pop_front();
      }
    }
    if (read_ && get<r::arready>(select_->response_o)) {
      ASSERT_TRUE(get<q::arvalid>(request(read_->memory)) &&
                  get<r::arready>(response(read_->memory)));
      memory_reads_[read_->memory].push_back(*read_);
      reads_[read_->id].push_back(*read_);
      ++taken_[read_->memory];
      read_.reset();
    }
  }
  void clock_writes() {
    const bool responded =
        get<r::bvalid>(select_->response_o) && get<q::bready>(select_->request_i);
    if (beat_shown_ && get<r::wready>(select_->response_o)) {
      beat_shown_ = false;
      if (--beats_.front().beats == 0) {
        ++owed_[beats_.front().memory];
        beats_.pop_front();
      }
    }
    if (responded) {
      answer_shown_[answers_.front()] = false;
      --owed_[answers_.front()];
      answers_.pop_front();
    }
    if (write_ && !offered_ && get<q::awvalid>(request(write_->memory))) {
      // From the next cycle on its data may come, taken or not.
      offered_ = true;
      beats_.push_back(*write_);
      answers_.push_back(write_->memory);
    }
    if (write_ && get<r::awready>(select_->response_o)) {
      write_.reset();
      offered_ = false;
    }
  }
  void cycle() {
    drive_anything();
    drive_reads();
    drive_writes();
    select_.settle();
    check_reads();
    check_writes();
    if (HasFatalFailure()) return;
    clock_reads();
    clock_writes();
    select_.tick();
  }

  Random random_;
  Clocked<Vmu_memory_select> select_;
  std::optional<Burst> read_, write_;  // offered
  std::array<std::deque<Burst>, kReaders> reads_;
  std::array<std::deque<Burst>, 2> memory_reads_;
  std::array<unsigned, 2> taken_{};
  std::array<bool, 2> shown_{};  // data, by a memory
  std::deque<Burst> beats_;      // whose data is still to come
  std::deque<Memory> answers_;   // whose response is still to come
  bool beat_shown_ = false;
  bool offered_ = false;
  std::array<unsigned, 2> owed_{};
  std::array<bool, 2> answer_shown_{};
  bool slow_ = false;                      // memories are, with responses of writes
  std::optional<unsigned> crowded_;        // all reads have this ID, and wait for long
  unsigned full_ = 0;                      // cycles in which no further write had a place
  std::array<unsigned, kReaders> most_{};  // in which an ID had all reads that it may have
};

TEST_F(MemorySelect, SendsEachBurstWhereItsAddressIsAndBringsBackWhatItLeadsToInOrder) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 20000 && !HasFatalFailure(); ++i) {
    slow_ = i / 500 % 2 == 1;
    crowded_.reset();
    if (i / 1000 % 4 == 3) crowded_ = static_cast<unsigned>(i / 4000 % kReaders);
    cycle();
    full_ += answers_.size() == kWrites;
    for (unsigned id = 0; id < kReaders; ++id) most_[id] += reads_[id].size() == kMostReads;
  }
  EXPECT_GT(full_, 100U);
  EXPECT_GT(*std::ranges::min_element(most_), 100U);
  EXPECT_GT(std::min(taken_[kNode], taken_[kUnit]), 500U);
}

TEST_F(MemorySelect, NamesTheUnitsMemoryFromItsFirstByteToTheLastOfTheAddressSpace) {
  const auto is_unit = [this](std::uint64_t address) {
    put<q::arvalid>(select_->request_i, 1);
    put<q::araddr>(select_->request_i, address);
    select_.settle();
    return get<q::arvalid>(select_->unit_request_o) != 0;
  };
  EXPECT_FALSE(is_unit(0));
  EXPECT_FALSE(is_unit(kUnitBase - 32));
  EXPECT_TRUE(is_unit(kUnitBase));
  EXPECT_TRUE(is_unit((std::uint64_t{1} << 40) - 32));
}

}  // namespace
}  // namespace torusmu::testing
