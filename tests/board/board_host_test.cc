// SPDX-License-Identifier: Apache-2.0
// verilator: -GGAP_CYCLES=64
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "Vmu_board_host.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kGap = 64;

struct Access {
  bool write;
  bool memory;
  std::uint8_t strobe;
  std::uint32_t address;
  std::uint64_t data;
  bool operator==(const Access&) const = default;
};

struct Answer {
  std::uint8_t status;
  std::uint64_t data;
  bool operator==(const Answer&) const = default;
};

// The bridge between the bytes of a host and the two that it reaches, which answer when they like.
class BoardHost : public ::testing::Test {
 protected:
  BoardHost() : host_(random_.seed()) {}

  static std::vector<std::uint8_t> request(const Access& access) {
    std::vector<std::uint8_t> bytes{
        static_cast<std::uint8_t>((access.write ? 1 : 0) | (access.memory ? 2 : 0)), access.strobe};
    for (unsigned i = 0; i < 3; ++i) {
      bytes.push_back(static_cast<std::uint8_t>(access.address >> 8 * i));
    }
    for (unsigned i = 0; i < 8; ++i) {
      bytes.push_back(static_cast<std::uint8_t>(access.data >> 8 * i));
    }
    return bytes;
  }
  Access random_access() {
    Access access{random_.chance(50), random_.chance(50),
                  static_cast<std::uint8_t>(random_.bits64()), 0, random_.bits64()};
    access.address = static_cast<std::uint32_t>(random_.below(access.memory ? 1 << 24 : 1 << 20));
    return access;
  }
  void send(std::uint8_t byte) {
    host_->in_valid_i = 1;
    host_->in_data_i = byte;
    host_.tick();
    host_->in_valid_i = 0;
    for (auto gap = random_.below(20); gap > 0; --gap) tick_idle();
  }
  void tick_idle() {
    ASSERT_FALSE(host_->out_valid_o);
    host_.tick();
  }
  // The access that the bridge makes of a request; answers it with `reply`.
  Access serve(const Answer& reply) {
    namespace q = layout::axil_request;
    namespace r = layout::axil_response;
    auto& pins = host_->axil_request_o;
    auto& response = host_->axil_response_i;
    Access seen{};
    bool aw = false, w = false, ar = false, answered = false;
    for (unsigned cycle = 0; !answered; ++cycle) {
      if (cycle == 1000) throw std::runtime_error("no access within 1000 cycles");
      const bool ready = random_.chance(30);
      no_response();
      if (get<q::awvalid>(pins) != 0 && ready) {
        EXPECT_FALSE(aw) << "a second address";
        aw = seen.write = true;
        seen.address = static_cast<std::uint32_t>(get<q::awaddr>(pins));
        put<r::awready>(response, 1);
      } else if (get<q::wvalid>(pins) != 0 && random_.chance(30)) {
        EXPECT_FALSE(w) << "a second word";
        w = true;
        seen.data = get<q::wdata>(pins);
        seen.strobe = static_cast<std::uint8_t>(get<q::wstrb>(pins));
        put<r::wready>(response, 1);
      } else if (get<q::arvalid>(pins) != 0 && ready) {
        EXPECT_FALSE(ar) << "a second address";
        ar = true;
        seen.address = static_cast<std::uint32_t>(get<q::araddr>(pins));
        put<r::arready>(response, 1);
      } else if (((aw && w) || ar) && random_.chance(30)) {
        EXPECT_EQ(ar, !aw);
        if (ar) {
          put<r::rvalid>(response, 1);
          put<r::rdata>(response, reply.data);
          put<r::rresp>(response, reply.status);
        } else {
          put<r::bvalid>(response, 1);
          put<r::bresp>(response, reply.status);
        }
        answered = (ar ? get<q::rready>(pins) : get<q::bready>(pins)) != 0;
      } else if (host_->memory_valid_o && ready) {
        seen = {host_->memory_write_o != 0, true, static_cast<std::uint8_t>(host_->memory_strobe_o),
                host_->memory_address_o, host_->memory_data_o};
        host_->memory_done_i = 1;
        host_->memory_data_i = reply.data;
        answered = true;
      }
      host_.tick();
    }
    no_response();
    return seen;
  }
  void no_response() {
    namespace r = layout::axil_response;
    auto& response = host_->axil_response_i;
    put<r::awready>(response, 0);
    put<r::wready>(response, 0);
    put<r::arready>(response, 0);
    put<r::bvalid>(response, 0);
    put<r::rvalid>(response, 0);
    host_->memory_done_i = 0;
  }
  Answer take_answer() {
    std::array<std::uint8_t, 9> bytes{};
    for (std::uint8_t& byte : bytes) {
      host_->out_ready_i = 0;
      host_.wait_for("a byte of the answer", [&] { return host_->out_valid_o != 0; });
      for (auto wait = random_.below(4); wait > 0; --wait) host_.tick();
      byte = host_->out_data_o;
      host_->out_ready_i = 1;
      host_.tick();
    }
    host_->out_ready_i = 0;
    Answer answer{bytes[0], 0};
    for (unsigned i = 0; i < 8; ++i) answer.data |= std::uint64_t{bytes[i + 1]} << 8 * i;
    return answer;
  }
  void expect_done(Access access) {
    for (const std::uint8_t byte : request(access)) send(byte);
    const Answer reply{static_cast<std::uint8_t>(access.memory ? 0 : random_.below(4)),
                       random_.bits64()};
    const Access seen = serve(reply);
    EXPECT_EQ(seen.memory, access.memory);
    EXPECT_EQ(seen.write, access.write);
    EXPECT_EQ(seen.address, access.address);
    if (access.write) {
      EXPECT_EQ(seen.strobe, access.strobe);
      EXPECT_EQ(seen.data, access.data);
    }
    EXPECT_EQ(take_answer(), (Answer{reply.status, access.write ? access.data : reply.data}));
  }

  Random random_;
  Clocked<Vmu_board_host> host_;
};

TEST_F(BoardHost, MakesOneAccessOfEachRequestAndOneAnswerOfEachAccess) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 300; ++i) expect_done(random_access());
}

TEST_F(BoardHost, DropsARequestThatStopsWithin) {
  SCOPED_TRACE(random_.replay());
  for (unsigned bytes = 1; bytes < 13; ++bytes) {
    for (unsigned i = 0; i < bytes; ++i) send(static_cast<std::uint8_t>(random_.bits64()));
    for (unsigned i = 0; i < kGap; ++i) tick_idle();
    expect_done(random_access());
  }
}

}  // namespace
}  // namespace torusmu::testing
