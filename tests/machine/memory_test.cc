// SPDX-License-Identifier: Apache-2.0
// Node memory, and the AXI4 slave in front of it, without a node.
#include "sim/machine/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <stdexcept>
#include <vector>

#include "sim/machine/axi_memory.h"
#include "tests/support/seed.h"

namespace torusmu {
namespace {

using ::testing::HasSubstr;

std::vector<std::byte> bytes_of(std::size_t count, unsigned seed) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 + seed);
  return bytes;
}

TEST(NodeMemory, HoldsWhatWasWrittenAcrossPagesAndZeroElsewhere) {
  NodeMemory memory(1 << 20);
  const std::vector<std::byte> data = bytes_of(10000, 3);
  memory.write(4090, data);
  std::vector<std::byte> found(10002, std::byte{9});
  memory.read(4089, found);
  EXPECT_EQ(found.front(), std::byte{0});
  EXPECT_EQ(found.back(), std::byte{0});
  EXPECT_TRUE(std::equal(data.begin(), data.end(), found.begin() + 1));
  EXPECT_EQ(memory.pages(), 4U);
}

TEST(NodeMemory, RefusesRangesThatEndPastItsSize) {
  NodeMemory memory(8192);
  std::byte byte{};
  EXPECT_NO_THROW(memory.read(8191, {&byte, 1}));
  EXPECT_THROW(memory.read(8192, {&byte, 1}), std::out_of_range);
  EXPECT_THROW(memory.write(~Address{0}, {&byte, 1}), std::out_of_range);
  EXPECT_FALSE(memory.holds(~Address{0}, 2));
  EXPECT_THROW(NodeMemory(100), std::invalid_argument);
}

TEST(NodeMemory, HashIsThatOfTheContentsAlone) {
  NodeMemory a(1 << 20), b(1 << 20);
  const std::vector<std::byte> data = bytes_of(100, 1), zeros(5000);
  a.write(0, data);
  a.write(50000, data);
  b.write(50000, data);
  b.write(20000, zeros);
  b.write(0, data);
  EXPECT_EQ(a.hash(), b.hash());
  b.write(99, std::span(data).first(1));
  EXPECT_NE(a.hash(), b.hash());
  NodeMemory moved(1 << 20);
  moved.write(8, data);
  moved.write(50000, data);
  EXPECT_NE(a.hash(), moved.hash());
}

TEST(NodeMemory, LinesThatTheMuWroteCountOnce) {
  NodeMemory memory(1 << 20);
  const std::vector<std::byte> beat = bytes_of(32, 0);
  memory.write_beat(4032, beat.data(), 0xffffffffU);
  memory.write_beat(4096, beat.data(), 1);
  memory.write_beat(8192, beat.data(), 0);
  EXPECT_EQ(memory.take_mu_lines(0, 4032), 0U);
  EXPECT_EQ(memory.take_mu_lines(4000, 200), 2U);
  EXPECT_EQ(memory.take_mu_lines(0, 20000), 0U);
}

// The pins of a node's memory port, driven by the test.
struct Pins {
#define PIN_IN(name)              \
  std::uint64_t name##_value = 0; \
  void set_##name(std::uint64_t value) { name##_value = value; }
#define PIN_OUT(name)           \
  std::uint64_t name##_pin = 0; \
  [[nodiscard]] std::uint64_t name() const { return name##_pin; }
#define WIDE_IN(name, words)                       \
  std::array<std::uint32_t, words> name##_value{}; \
  void set_##name(const std::uint32_t* value) { std::copy_n(value, words, name##_value.begin()); }
#define WIDE_OUT(name, words)                    \
  std::array<std::uint32_t, words> name##_pin{}; \
  void get_##name(std::uint32_t* value) const { std::copy_n(name##_pin.begin(), words, value); }
#include "sim/machine/node_pins.def"
#undef PIN_IN
#undef PIN_OUT
#undef WIDE_IN
#undef WIDE_OUT
};

class AxiMemoryTest : public ::testing::Test {
 protected:
  explicit AxiMemoryTest(const AxiTiming& timing = {}) : axi_(memory_, timing, 1) {
    AxiMemory::reset(pins_);
    pins_.m_axi_rready_pin = 1;
    pins_.m_axi_bready_pin = 1;
  }
  void read_command(Address address, unsigned beats, unsigned id = 0) {
    pins_.m_axi_arvalid_pin = 1;
    pins_.m_axi_araddr_pin = address;
    pins_.m_axi_arlen_pin = beats - 1;
    pins_.m_axi_arsize_pin = 5;
    pins_.m_axi_arburst_pin = 1;
    pins_.m_axi_arid_pin = id;
  }
  void write_command(Address address, unsigned beats) {
    pins_.m_axi_awvalid_pin = 1;
    pins_.m_axi_awaddr_pin = address;
    pins_.m_axi_awlen_pin = beats - 1;
    pins_.m_axi_awsize_pin = 5;
    pins_.m_axi_awburst_pin = 1;
  }
  void write_beat(std::uint32_t value, bool last, std::uint32_t strobe = 0xffffffffU) {
    pins_.m_axi_wvalid_pin = 1;
    pins_.m_axi_wdata_pin.fill(value);
    pins_.m_axi_wstrb_pin = strobe;
    pins_.m_axi_wlast_pin = last ? 1 : 0;
  }
  // The edge of the next cycle; what was valid and ready has been taken and falls.
  void edge() {
    axi_.step(pins_, now_);
    ++now_;
    if (pins_.m_axi_arready_value != 0) pins_.m_axi_arvalid_pin = 0;
    if (pins_.m_axi_awready_value != 0) pins_.m_axi_awvalid_pin = 0;
    if (pins_.m_axi_wready_value != 0) pins_.m_axi_wvalid_pin = 0;
  }
  // Edges until `seen` is true at one of them; the cycle of that edge.
  Cycles edge_with(const std::function<bool()>& seen, unsigned bound = 500) {
    for (unsigned i = 0; i < bound; ++i) {
      edge();
      if (seen()) return now_ - 1;
    }
    throw std::runtime_error("nothing came in " + std::to_string(bound) + " cycles");
  }
  [[nodiscard]] bool beat() const { return pins_.m_axi_rvalid_value != 0; }
  [[nodiscard]] bool response() const { return pins_.m_axi_bvalid_value != 0; }
  std::uint32_t word(Address address) {
    std::uint32_t value = 0;
    memory_.read(address, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  std::string error_of(const std::function<void()>& act) {
    try {
      act();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  }

  NodeMemory memory_{1 << 16};
  AxiMemory axi_;
  Pins pins_;
  Cycles now_ = 100;
};

TEST_F(AxiMemoryTest, FirstReadBeatComesEightCyclesAfterItsAddress) {
  read_command(0, 3);
  const Cycles taken = now_;
  EXPECT_EQ(edge_with([&] { return beat(); }), taken + 8);
  edge();
  EXPECT_TRUE(beat());
  EXPECT_EQ(pins_.m_axi_rlast_value, 0U);
  edge();
  EXPECT_EQ(pins_.m_axi_rlast_value, 1U);
  edge();
  EXPECT_FALSE(beat());
  EXPECT_TRUE(axi_.idle());
}

TEST_F(AxiMemoryTest, WriteIsInMemoryWithItsResponseEightCyclesAfterItsLastBeatAndNotBefore) {
  write_command(32, 2);
  write_beat(0x11111111, false);
  edge();
  edge();
  write_beat(0x22222222, true, 0x0000000fU);
  const Cycles last = now_;
  edge();
  while (now_ < last + 8) {
    EXPECT_EQ(word(32), 0U);
    edge();
    EXPECT_FALSE(response());
  }
  edge();
  EXPECT_TRUE(response());
  EXPECT_EQ(pins_.m_axi_bresp_value, 0U);
  EXPECT_EQ(word(32), 0x11111111U);
  EXPECT_EQ(word(64), 0x22222222U);
  EXPECT_EQ(word(68), 0U);
  EXPECT_EQ(memory_.take_mu_lines(0, 128), 2U);
}

TEST_F(AxiMemoryTest, HeldBeatsStayUntilTheyAreTaken) {
  memory_.write(0, bytes_of(64, 1));
  read_command(0, 2);
  pins_.m_axi_rready_pin = 0;
  edge_with([&] { return beat(); });
  const auto first = pins_.m_axi_rdata_value;
  edge();
  EXPECT_TRUE(beat());
  EXPECT_EQ(pins_.m_axi_rdata_value, first);
  pins_.m_axi_rready_pin = 1;
  edge();
  edge();
  EXPECT_NE(pins_.m_axi_rdata_value, first);
}

TEST_F(AxiMemoryTest, BeyondTheMemoryIsADecodeError) {
  read_command(1 << 16, 1);
  edge_with([&] { return beat(); });
  EXPECT_EQ(pins_.m_axi_rresp_value, 3U);
  write_command((1 << 16) - 32, 1);
  write_beat(5, true);
  edge_with([&] { return response(); });
  EXPECT_EQ(pins_.m_axi_bresp_value, 0U);
  write_command(1 << 16, 1);
  write_beat(5, true);
  edge();
  edge_with([&] { return response(); });
  EXPECT_EQ(pins_.m_axi_bresp_value, 3U);
}

TEST_F(AxiMemoryTest, BrokenRulesAreNamed) {
  EXPECT_THAT(error_of([&] {
                read_command(4064, 2);
                edge();
              }),
              HasSubstr("crosses a 4 KiB boundary"));
  EXPECT_THAT(error_of([&] {
                read_command(0, 1);
                pins_.m_axi_arburst_pin = 0;
                edge();
              }),
              HasSubstr("not INCR"));
  EXPECT_THAT(error_of([&] {
                read_command(0, 1);
                pins_.m_axi_arsize_pin = 4;
                edge();
              }),
              HasSubstr("not 32 bytes"));
  pins_.m_axi_arvalid_pin = 0;
  EXPECT_THAT(error_of([&] {
                write_command(0, 2);
                write_beat(0, true);
                edge();
              }),
              HasSubstr("WLAST"));
}

class StallingAxiMemory : public AxiMemoryTest {
 protected:
  StallingAxiMemory()
      : AxiMemoryTest({.random_extra = 20, .stall_permille = 700, .reorder = true}) {}
};

TEST_F(StallingAxiMemory, CommandThatChangesBeforeItIsTakenIsNamed) {
  const std::string error = error_of([&] {
    for (unsigned i = 0; i < 100; ++i) {
      read_command(32 * i, 1);
      edge();
    }
  });
  EXPECT_THAT(error, HasSubstr("AR"));
  EXPECT_THAT(error, HasSubstr("changed before it was taken"));
}

TEST_F(StallingAxiMemory, CommandThatFallsBeforeItIsTakenIsNamed) {
  const std::string error = error_of([&] {
    for (unsigned i = 0; i < 100; ++i) {
      read_command(0, 1);
      edge();
      pins_.m_axi_arvalid_pin = 0;
      edge();
    }
  });
  EXPECT_THAT(error, HasSubstr("fell before it was taken"));
}

TEST_F(StallingAxiMemory, BeatsOfEachIdComeInOrderAndThoseOfTwoIdsOvertakeEachOther) {
  for (std::uint32_t i = 0; i < 2048; ++i) {
    memory_.write(i * 4, std::as_bytes(std::span(&i, 1)));
  }
  std::array<std::uint32_t, 2> next{};
  unsigned sent = 0, beats = 0, overtaken = 0;
  for (unsigned t = 0; t < 5000 && beats < 120; ++t) {
    // Bursts of three beats; ID 0 reads from address 0 on, ID 1 from 4096.
    if (pins_.m_axi_arvalid_pin == 0 && sent < 40) {
      read_command((sent % 2) * 4096 + sent / 2 * 96, 3, sent % 2);
      // No burst may cross 4 KiB, and these do not.
      ++sent;
    }
    edge();
    if (!beat()) continue;
    const auto id = static_cast<unsigned>(pins_.m_axi_rid_value);
    EXPECT_EQ(pins_.m_axi_rdata_value[0], id * 1024 + next[id] * 8);
    EXPECT_EQ(pins_.m_axi_rlast_value, next[id] % 3 == 2 ? 1U : 0U);
    ++next[id];
    ++beats;
    if (next[1] > next[0]) ++overtaken;
  }
  EXPECT_EQ(beats, 120U);
  EXPECT_GT(overtaken, 0U);
}

}  // namespace
}  // namespace torusmu
