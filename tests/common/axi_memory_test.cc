// SPDX-License-Identifier: Apache-2.0
// verilator: -GROWS=128
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "Vmu_axi_memory.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

namespace q = layout::axi_request;
namespace r = layout::axi_response;

constexpr unsigned kRows = 128, kRowBytes = 32;
constexpr unsigned kOkay = 0, kDecodeError = 3;
using Row = std::array<std::uint8_t, kRowBytes>;

// The memory beside an array that has had the same writes.
class AxiMemory : public ::testing::Test {
 protected:
  AxiMemory() : memory_(random_.seed()) {
    put<q::arsize>(pins(), 5);
    put<q::awsize>(pins(), 5);
    put<q::arburst>(pins(), 1);
    put<q::awburst>(pins(), 1);
    for (unsigned row = 0; row < kRows; ++row) {
      for (unsigned lane = 0; lane < 4; ++lane) {
        host_write(row * kRowBytes + 8 * lane, 0xff, random_.bits64());
      }
    }
  }
  decltype(Vmu_axi_memory::axi_request_i) pins() { return memory_->axi_request_i; }
  decltype(Vmu_axi_memory::axi_response_o) answers() { return memory_->axi_response_o; }

  void host_access(bool write, std::uint32_t address, std::uint8_t strobe, std::uint64_t data) {
    memory_->host_valid_i = 1;
    memory_->host_write_i = write;
    memory_->host_address_i = address;
    memory_->host_strobe_i = strobe;
    memory_->host_data_i = data;
    memory_.wait_for(
        "the host's access", [&] { return memory_->host_done_o != 0; }, 50);
  }
  void host_write(std::uint32_t address, std::uint8_t strobe, std::uint64_t data) {
    host_access(true, address, strobe, data);
    memory_.tick();
    memory_->host_valid_i = 0;
    for (unsigned i = 0; i < 8; ++i) {
      if (strobe >> i & 1) {
        bytes_[(address & ~7U) % (kRows * kRowBytes) + i] =
            static_cast<std::uint8_t>(data >> 8 * i);
      }
    }
  }
  void expect_host_reads(std::uint32_t address) {
    host_access(false, address, 0, 0);
    std::uint64_t expected = 0;
    for (unsigned i = 0; i < 8; ++i) {
      expected |= std::uint64_t{bytes_[(address & ~7U) % (kRows * kRowBytes) + i]} << 8 * i;
    }
    EXPECT_EQ(memory_->host_data_o, expected) << "address " << address;
    memory_.tick();
    memory_->host_valid_i = 0;
  }

  void burst_write(std::uint64_t row, unsigned beats) {
    const unsigned id = static_cast<unsigned>(random_.below(4));
    put<q::awaddr>(pins(), row * kRowBytes);
    put<q::awlen>(pins(), beats - 1);
    put<q::awid>(pins(), id);
    put<q::awvalid>(pins(), 1);
    memory_.wait_for(
        "AW", [&] { return get<r::awready>(answers()) != 0; }, 50);
    memory_.tick();
    put<q::awvalid>(pins(), 0);
    for (unsigned beat = 0; beat < beats; ++beat) {
      while (random_.chance(30)) memory_.tick();
      Row data;
      const auto strobe = static_cast<std::uint32_t>(random_.bits64());
      for (unsigned i = 0; i < kRowBytes; ++i) {
        data[i] = static_cast<std::uint8_t>(random_.bits64());
        if (strobe >> i & 1 && row < kRows) bytes_[(row + beat) * kRowBytes + i] = data[i];
      }
      put_bytes<q::wdata>(pins(), data);
      put<q::wstrb>(pins(), strobe);
      put<q::wlast>(pins(), beat + 1 == beats);
      put<q::wvalid>(pins(), 1);
      memory_.wait_for(
          "W", [&] { return get<r::wready>(answers()) != 0; }, 50);
      memory_.tick();
      put<q::wvalid>(pins(), 0);
    }
    memory_.settle();
    while (random_.chance(50)) {
      ASSERT_TRUE(get<r::bvalid>(answers()));
      memory_.tick();
    }
    put<q::bready>(pins(), 1);
    ASSERT_TRUE(get<r::bvalid>(answers()));
    EXPECT_EQ(get<r::bid>(answers()), id);
    EXPECT_EQ(get<r::bresp>(answers()), row < kRows ? kOkay : kDecodeError);
    memory_.tick();
    put<q::bready>(pins(), 0);
  }
  void expect_burst_reads(std::uint64_t row, unsigned beats) {
    const unsigned id = static_cast<unsigned>(random_.below(4));
    put<q::araddr>(pins(), row * kRowBytes);
    put<q::arlen>(pins(), beats - 1);
    put<q::arid>(pins(), id);
    put<q::arvalid>(pins(), 1);
    memory_.wait_for(
        "AR", [&] { return get<r::arready>(answers()) != 0; }, 50);
    memory_.tick();
    put<q::arvalid>(pins(), 0);
    memory_.settle();
    for (unsigned beat = 0; beat < beats; ++beat) {
      const auto wait = random_.below(3);
      for (unsigned i = 0; i <= wait; ++i) {
        put<q::rready>(pins(), i == wait);
        memory_.settle();
        ASSERT_TRUE(get<r::rvalid>(answers())) << "a beat a cycle";
        EXPECT_EQ(get<r::rid>(answers()), id);
        EXPECT_EQ(get<r::rresp>(answers()), row < kRows ? kOkay : kDecodeError);
        EXPECT_EQ(get<r::rlast>(answers()) != 0, beat + 1 == beats);
        if (row < kRows) {
          const auto found = get_bytes<r::rdata>(answers());
          ASSERT_TRUE(std::equal(found.begin(), found.end(),
                                 bytes_.begin() + static_cast<int>((row + beat) * kRowBytes)))
              << "row " << row << " beat " << beat << " cycle " << memory_.cycle();
        }
        memory_.tick();
      }
      put<q::rready>(pins(), 0);
    }
    memory_.settle();
    EXPECT_FALSE(get<r::rvalid>(answers()));
  }

  Random random_;
  Clocked<Vmu_axi_memory> memory_;
  std::array<std::uint8_t, kRows * kRowBytes> bytes_{};
};

TEST_F(AxiMemory, HoldsWhatTheNodeAndTheHostWrite) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 2000; ++i) {
    const auto row = random_.below(kRows);
    const auto beats =
        static_cast<unsigned>(1 + random_.below(std::min<std::uint64_t>(20, kRows - row)));
    switch (random_.below(4)) {
      case 0:
        burst_write(row, beats);
        break;
      case 1:
        expect_burst_reads(row, beats);
        break;
      case 2:
        host_write(static_cast<std::uint32_t>(random_.below(1 << 24)),
                   static_cast<std::uint8_t>(random_.bits64()), random_.bits64());
        break;
      default:
        expect_host_reads(static_cast<std::uint32_t>(random_.below(1 << 24)));
    }
  }
}

TEST_F(AxiMemory, AnswersWhatLiesOutsideWithAnErrorAndWritesNothing) {
  SCOPED_TRACE(random_.replay());
  for (unsigned bit = 7; bit < 35; ++bit) {
    const std::uint64_t row = std::uint64_t{1} << bit | random_.below(kRows - 20);
    burst_write(row, 1 + bit % 8);
    expect_burst_reads(row, 1 + bit % 8);
  }
  for (unsigned row = 0; row < kRows; row += 16) expect_burst_reads(row, 16);
}

TEST_F(AxiMemory, ServesBothSidesAndTheHostAtOnce) {
  SCOPED_TRACE(random_.replay());
  // The node reads rows below 64 for ever, which nobody writes; the host writes those above and
  // reads all.
  put<q::rready>(pins(), 1);
  put<q::arvalid>(pins(), 1);
  put<q::araddr>(pins(), 0);
  put<q::arlen>(pins(), 15);
  for (int i = 0; i < 500; ++i) {
    const auto upper = static_cast<std::uint32_t>(2048 + random_.below(2048));
    host_write(upper, 0xff, random_.bits64());
    expect_host_reads(upper);
    expect_host_reads(static_cast<std::uint32_t>(random_.below(4096)));
  }
}

}  // namespace
}  // namespace torusmu::testing
