// SPDX-License-Identifier: Apache-2.0
// model: Vmu_board mu_board -DTORUSMU_PROFILE_BOARD -GBIT_CYCLES=4 -GBLINK_BITS=12
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

#include "Vmu_board.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

namespace reg = registers;

constexpr unsigned kBit = 4;
constexpr unsigned kLink = 2, kInterrupt = 4, kQuiescent = 8;  // lights
// The only queue that is for no neighbour, a region of all memory, and where things lie in it.
constexpr std::uint32_t kQueue = kBoard.injection_queues - 1, kRegion = 3, kCounter = 5, kSlots = 4;
constexpr std::uint32_t kRing = 0x0040, kSource = 0x1003, kTarget = 0x8011;
static_assert(kQueue >= kBoard.reflection_queues);

// A host at the serial line of a board, which has nothing else to reach it by.
class Board : public ::testing::Test {
 protected:
  Board() : board_(random_.seed()) {
    board_->uart_rx_i = 1;
    board_.reset(8);
    write64(reg::region::length(kRegion), 0x10000);
    namespace f = reg::region::config_field;
    write64(reg::region::config(kRegion), insert(insert(0, f::enable, 1), f::remote_write, 1));
    namespace c = reg::byte_counter_config::config_field;
    write64(reg::byte_counter_config::config(kCounter), insert(0, c::enable, 1));
    namespace q = reg::injection_queue::config_field;
    write64(reg::injection_queue::base(kQueue), kRing);
    write64(reg::injection_queue::size(kQueue), kSlots);
    write64(reg::injection_queue::config(kQueue),
            insert(0, q::mode, static_cast<std::uint64_t>(QueueMode::kDoorbell)));
    write64(reg::client_page::interrupt_enable(0),
            std::uint64_t{1} << static_cast<unsigned>(Cause::kArrived));
  }

  void tick() {
    board_.tick();
    lights_ |= board_->led_o;
    listen();
  }
  // A receiver of the test's own.
  void listen() {
    if (heard_bits_ == 0) {
      if (!board_->uart_tx_o) heard_bits_ = 9, heard_in_ = kBit + kBit / 2;
    } else if (--heard_in_ == 0) {
      heard_in_ = kBit;
      if (--heard_bits_ == 0) {
        EXPECT_TRUE(board_->uart_tx_o) << "no stop bit";
        heard_.push_back(heard_byte_);
      } else {
        heard_byte_ = static_cast<std::uint8_t>(heard_byte_ >> 1 | board_->uart_tx_o << 7);
      }
    }
  }
  void send(std::uint8_t byte) {
    const unsigned frame = 0x200U | static_cast<unsigned>(byte) << 1;
    for (unsigned bit = 0; bit < 10; ++bit) {
      board_->uart_rx_i = frame >> bit & 1;
      for (unsigned i = 0; i < kBit; ++i) tick();
    }
  }
  std::uint64_t exchange(unsigned command, unsigned strobe, std::uint32_t address,
                         std::uint64_t data) {
    send(static_cast<std::uint8_t>(command));
    send(static_cast<std::uint8_t>(strobe));
    for (unsigned i = 0; i < 3; ++i) send(static_cast<std::uint8_t>(address >> 8 * i));
    for (unsigned i = 0; i < 8; ++i) send(static_cast<std::uint8_t>(data >> 8 * i));
    for (unsigned i = 0; heard_.size() < 9; ++i) {
      if (i == 5000) throw std::runtime_error("no answer within 5000 cycles");
      tick();
    }
    status_ = heard_.front();
    heard_.pop_front();
    std::uint64_t answer = 0;
    for (unsigned i = 0; i < 8; ++i, heard_.pop_front()) {
      answer |= std::uint64_t{heard_.front()} << 8 * i;
    }
    return answer;
  }
  void write64(std::uint32_t address, std::uint64_t value) {
    exchange(1, 0xff, address, value);
    ASSERT_EQ(status_, 0) << "register " << std::hex << address;
  }
  void write32(std::uint32_t address, std::uint64_t value) {
    const bool high = (address & 4U) != 0;
    exchange(1, high ? 0xf0 : 0x0f, address, value << (high ? 32 : 0));
    ASSERT_EQ(status_, 0) << "register " << std::hex << address;
  }
  std::uint64_t read64(std::uint32_t address) {
    const std::uint64_t value = exchange(0, 0, address, 0);
    EXPECT_EQ(status_, 0) << "register " << std::hex << address;
    return value;
  }
  std::uint64_t read32(std::uint32_t address) {
    return read64(address) >> (address & 4U ? 32 : 0) & 0xffffffff;
  }
  void store(std::uint32_t address, const std::vector<std::uint8_t>& bytes) {
    for (std::uint32_t at = address & ~7U; at < address + bytes.size(); at += 8) {
      std::uint64_t word = 0;
      unsigned strobe = 0;
      for (std::uint32_t i = 0; i < 8; ++i) {
        if (at + i < address || at + i >= address + bytes.size()) continue;
        word |= std::uint64_t{bytes[at + i - address]} << 8 * i;
        strobe |= 1U << i;
      }
      exchange(3, strobe, at, word);
    }
  }
  std::vector<std::uint8_t> load(std::uint32_t address, std::size_t bytes) {
    std::vector<std::uint8_t> found;
    for (std::uint32_t at = address & ~7U; at < address + bytes; at += 8) {
      const std::uint64_t word = exchange(2, 0, at, 0);
      for (std::uint32_t i = 0; i < 8; ++i) {
        if (at + i >= address && at + i < address + bytes) {
          found.push_back(static_cast<std::uint8_t>(word >> 8 * i));
        }
      }
    }
    return found;
  }

  // Puts what lies at the source to the target by way of node `x`, and rings the doorbell.
  void put(unsigned x, std::uint32_t bytes) {
    PacketHeader header;
    header.set<layout::packet_header::dst_x>(x)
        .set<layout::packet_header::target>(kRegion)
        .set<layout::packet_header::offset>(kTarget);
    Descriptor descriptor;
    descriptor.set<layout::descriptor::opcode>(Opcode::kPut)
        .set<layout::descriptor::source_region>(kRegion)
        .set<layout::descriptor::source_offset>(kSource)
        .set<layout::descriptor::length>(bytes)
        .set<layout::descriptor::counter_valid>(1)
        .set<layout::descriptor::counter>(kCounter)
        .set<layout::descriptor::interrupt_target>(1)
        .set<layout::descriptor::header>(header);
    write64(reg::client_page::byte_counter(0, kCounter), bytes);
    post(descriptor);
  }
  void post(const Descriptor& descriptor) {
    const auto image = descriptor.bytes();
    store(kRing + 64 * (posted_ % kSlots), {image.begin(), image.end()});
    write32(reg::client_page::queue_index(0, kQueue), ++posted_);
  }
  std::uint64_t counter() { return read64(reg::client_page::byte_counter(0, kCounter)); }

  Random random_;
  Clocked<Vmu_board> board_;
  unsigned lights_ = 0;  // those that have been on
  unsigned status_ = 0;  // of the last answer
  std::uint32_t posted_ = 0;

 private:
  std::deque<std::uint8_t> heard_;
  std::uint8_t heard_byte_ = 0;
  unsigned heard_bits_ = 0, heard_in_ = 0;
};

TEST_F(Board, AnswersWithTheNodesIdentityAndPlace) {
  EXPECT_EQ(read64(reg::node::identity()) & 0xffffffff, reg::kSignature);
  namespace f = reg::node::straps_field;
  const std::uint64_t straps = read64(reg::node::straps());
  EXPECT_EQ(extract(straps, f::x), 1U);
  EXPECT_EQ(extract(straps, f::last_x), 2U);
  EXPECT_EQ(extract(straps, f::torus), 0U);
}

TEST_F(Board, SaysThatARegisterDoesNotExist) {
  exchange(0, 0, 0xfff00, 0);
  EXPECT_EQ(status_, 2U) << "SLVERR";
}

TEST_F(Board, LandsAPutThroughEachLinkInMemoryAndCountsItDown) {
  SCOPED_TRACE(random_.replay());
  namespace f = reg::client_page::byte_counter_field;
  for (const unsigned neighbour : {2U, 0U}) {
    const auto bytes =
        static_cast<std::uint32_t>(600 + random_.below(500));  // two or three packets
    std::vector<std::uint8_t> data;
    for (std::uint32_t i = 0; i < bytes; ++i) {
      data.push_back(static_cast<std::uint8_t>(random_.bits64()));
    }
    store(kSource, data);
    for (unsigned i = 0; i < 3 << 12; ++i) tick();
    EXPECT_EQ(board_->led_o & (kLink | kInterrupt | kQuiescent), kQuiescent) << "before";
    lights_ = 0;
    put(neighbour, bytes);
    const std::uint64_t value = counter();
    EXPECT_EQ(extract(value, f::remaining), 0U);
    EXPECT_EQ(extract(value, f::hit_zero), 1U);
    EXPECT_EQ(extract(value, f::underflow), 0U);
    EXPECT_EQ(lights_ & (kLink | kInterrupt), kLink | kInterrupt);
    EXPECT_EQ(load(kTarget, bytes), data) << "by way of node " << neighbour;
    EXPECT_EQ(read64(reg::node::bad_packets()), 0U);
    EXPECT_EQ(read64(reg::node::memory_errors()), 0U);
    // Output 0 of the router is xp, 1 is xm.
    EXPECT_GE(read32(reg::performance::flits(0, neighbour == 2 ? 0 : 2)), bytes / 16);
    write64(reg::client_page::interrupt_cause(0),
            std::uint64_t{1} << static_cast<unsigned>(Cause::kArrived));
  }
}

TEST_F(Board, EndsACalcWithAnErrorForItHasNoEngine) {
  PacketHeader header;
  header.set<layout::packet_header::target>(kRegion).set<layout::packet_header::offset>(kTarget);
  Descriptor calc;
  calc.set<layout::descriptor::opcode>(Opcode::kCalc)
      .set<layout::descriptor::operands>(1)
      .set<layout::descriptor::source_region>(kRegion)
      .set<layout::descriptor::source_offset>(kSource)
      .set<layout::descriptor::length>(8)
      .set<layout::descriptor::header>(header);
  post(calc);
  for (unsigned i = 0; i < 1000; ++i) tick();
  const std::uint64_t status = read64(reg::injection_queue::status(kQueue));
  namespace f = reg::injection_queue::status_field;
  EXPECT_EQ(static_cast<Status>(extract(status, f::status)), Status::kReductionUndefined);
  EXPECT_EQ(extract(status, f::count), 1U);
}

TEST_F(Board, LandsAPutToItselfWithoutALink) {
  store(kSource, {1, 2, 3, 4, 5});
  for (unsigned i = 0; i < 3 << 12; ++i) tick();
  lights_ = 0;
  put(1, 5);
  EXPECT_EQ(load(kTarget, 5), (std::vector<std::uint8_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(lights_ & (kLink | kInterrupt), kInterrupt);
}

}  // namespace
}  // namespace torusmu::testing
