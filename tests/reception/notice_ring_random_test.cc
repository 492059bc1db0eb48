// SPDX-License-Identifier: Apache-2.0
// model: Vmu_notice_ring mu_notice_ring
// bgp:
// mu_notice_ring against its contract in C++, cycle by cycle, with rings that are new and old.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>

#include "Vmu_notice_ring/Vmu_notice_ring___024root.h"
#include "tests/reception/notice_ring_fixture.h"
#include "tests/support/seed.h"
#include "tests/support/written_inside.h"

TORUSMU_WRITTEN_INSIDE(Vmu_notice_ring)

namespace torusmu::testing::notice_ring {
namespace {

// The contract of the ring, in C++: what each cycle must show, and what its edge does.
struct Ring {
  std::uint64_t base = 0;
  std::uint32_t size = 0, head = 0, tail = 0, reserved = 0;
  bool overflow = false, shown = false, written = false;
  std::uint32_t discards = 0;
  bool tells_discards = false;
  bool room() const { return reserved - head < size; }
  bool is_half_free() const { return reserved - head < size / 2; }
  std::uint32_t slot() const { return reserved % size; }
};

class NoticeRingAtRandom : public NoticeRing {
 protected:
  enum class Doing { kNothing, kLookup, kPublish, kRegister };
  static constexpr std::uint64_t kSpace = 1ULL << 40;

  std::uint64_t near(std::uint64_t value) {
    return random_.chance(70) ? value + random_.below(3) - 1 : value + (1ULL << random_.below(24));
  }
  // A register, or an address that differs from one in a bit, with data at the edge of what it
  // takes.
  RegisterRequest draw() {
    const auto client = static_cast<std::uint8_t>(random_.below(kClients));
    const Ring& of = rings_[client];
    const auto which = random_.below(5);
    std::uint64_t data = random_.bits64() >> random_.below(64);
    std::uint32_t address = ring_registers::base(client);
    if (which == 0 && random_.chance(70)) {
      data = near(kSpace - ((random_.chance(60) ? of.size : random_.below(0x10000)) << 5U));
    }
    if (which == 1) {
      address = ring_registers::size(client);
      if (random_.chance(50)) data = near((kSpace - of.base) >> 5U);
      if (random_.chance(50)) data = random_.chance(50) ? near(0x10000) : random_.below(6);
      if (random_.chance(60)) data = 1ULL << random_.below(18);
    }
    if (which == 2) {
      address = ring_registers::config(client);
      data = random_.below(random_.chance(80) ? 2 : 4);
    }
    if (which == 3) address = page::notice_tail.offset;
    if (which == 4) {
      address = page::notice_head.offset;
      const std::uint32_t unread = of.tail - of.head;
      if (random_.chance(80))
        data = static_cast<std::uint32_t>(near(random_.chance(50) ? of.tail : of.head));
      if (random_.chance(30))
        data = of.head + static_cast<std::uint32_t>(random_.below(unread + 1ULL));
    }
    if (random_.chance(10)) data ^= 1ULL << random_.below(64);
    if (random_.chance(15)) address ^= 1U << random_.below(20);
    return RegisterRequest{}
        .set<q::address>(address)
        .set<q::data>(data)
        .set<q::write>(random_.chance(50))
        .set<q::wide>(random_.chance(90))
        .set<q::page>(random_.chance(95) ? which / 3 : 1 - which / 3)
        .set<q::client>(random_.chance(95) ? client : random_.below(16));
  }
  std::uint8_t named(const RegisterRequest& request) {
    if (request.get<q::page>() != 0) return static_cast<std::uint8_t>(request.get<q::client>());
    const std::uint64_t offset = offset_of(request);
    return offset >> 13U == 0 ? static_cast<std::uint8_t>(offset >> 5U) : 255;
  }
  static std::uint64_t offset_of(const RegisterRequest& request) {
    return (request.get<q::address>() - ring_registers::base(0)) & 0xfffffU;
  }

  struct Outcome {
    Status status = Status::kOk;
    std::uint64_t data = 0;
    bool waits = false;
  };
  // A write of a register that takes the values for which `good` holds.
  static Status written(const RegisterRequest& request, bool good, Status bad) {
    if (request.get<q::wide>() == 0) return Status::kRegisterPartial;
    return good ? Status::kOk : bad;
  }
  Outcome access_page(Ring& of, const RegisterRequest& request) {
    const bool write = request.get<q::write>() != 0;
    const std::uint64_t data = request.get<q::data>();
    const std::uint64_t address = request.get<q::address>() & ~7ULL;
    if (address == page::notice_tail.offset && !write) {
      of.shown = of.overflow;
      return {Status::kOk, std::uint64_t{of.discards & 0x7FFF'FFFFU} << 33U |
                               std::uint64_t{of.overflow} << 32U | of.tail};
    }
    if (address != page::notice_head.offset) return {Status::kRegisterUnknown};
    if (!write) return {Status::kOk, of.head};
    const bool within = static_cast<std::uint32_t>(data) - of.head <= of.tail - of.head;
    const Status status =
        written(request, data >> 32U == 0 && within,
                data >> 32U != 0 ? Status::kRegisterValue : Status::kDoorbellRange);
    if (status == Status::kOk) {
      of.head = static_cast<std::uint32_t>(data);
      of.overflow = of.overflow && !of.shown;
      of.shown = false;
    }
    return {status};
  }
  static bool is_size(std::uint64_t entries) {
    return entries == 0 || (std::has_single_bit(entries) && entries <= 0x10000);
  }
  static Outcome access_block(Ring& of, const RegisterRequest& request) {
    const bool write = request.get<q::write>() != 0;
    const std::uint64_t data = request.get<q::data>();
    const std::uint64_t offset = offset_of(request) & 0x18U;
    if (offset > 0x10) return {Status::kRegisterUnknown};
    if (!write) {
      return {Status::kOk, offset == 0   ? of.base
                           : offset == 8 ? of.size
                                         : std::uint64_t{of.tells_discards}};
    }
    const bool good = offset == 0 ? data < kSpace && data + (std::uint64_t{of.size} << 5U) <= kSpace
                      : offset == 8 ? is_size(data) && of.base + (data << 5U) <= kSpace
                                    : data < 2;
    const Status status = written(request, good, Status::kRegisterValue);
    if (status != Status::kOk) return {status};
    if (offset == 0) {
      of.base = data;
    } else if (offset == 0x10) {
      of.tells_discards = data != 0;
    } else if (of.reserved != of.tail) {
      return {Status::kOk, 0, true};
    } else {
      of.size = static_cast<std::uint32_t>(data);
      of.head = of.tail = of.reserved = 0;
      of.overflow = of.shown = false;
    }
    of.written = true;
    return {status};
  }

  // A ring that was in use for long: any place in it, indices anywhere and about to wrap.
  void make_old(unsigned client) {
    Ring& of = rings_[client];
    if (!of.written || of.size == 0) return;
    const std::uint32_t held =
        random_.chance(50) ? of.size : static_cast<std::uint32_t>(random_.below(of.size + 1U));
    of.head = static_cast<std::uint32_t>(random_.bits64());
    if (random_.chance(50))
      of.head = (1U << random_.below(32)) - static_cast<std::uint32_t>(random_.below(held + 2U));
    of.reserved = of.head + held;
    of.tail = of.head + static_cast<std::uint32_t>(random_.below(held + 1U));
    of.discards = (1U << random_.below(32)) - static_cast<std::uint32_t>(random_.below(3));
    auto& word = ring->rootp->mu_notice_ring__DOT__u_rows__DOT__mem[client];
    Bytes bytes(24);
    put_bits(bytes, 0, 40, of.base);
    put_bits(bytes, 40, 17, of.size);
    put_bits(bytes, 57, 32, of.head);
    put_bits(bytes, 89, 32, of.tail);
    put_bits(bytes, 121, 32, of.reserved);
    put_bits(bytes, 153, 1, of.overflow);
    put_bits(bytes, 154, 1, of.shown);
    put_bits(bytes, 155, 31, of.discards & 0x7FFF'FFFFU);
    put_bits(bytes, 186, 1, of.tells_discards);
    drive(word, bytes);
    settle_inside(ring->rootp);
  }

  bool starts_register() {
    return doing_ == Doing::kNothing && !ring->publish_valid_i && ring->register_valid_i && !done_;
  }
  void compare() {
    const bool idle = doing_ == Doing::kNothing;
    ASSERT_EQ(ring->busy_o, !idle || done_);
    ASSERT_EQ(ring->publish_ready_o, idle);
    ASSERT_EQ(ring->lookup_ready_o, idle && !ring->publish_valid_i && !starts_register());
    const bool room =
        acts_ && doing_ == Doing::kLookup && client_ < kClients && rings_[client_].room();
    ASSERT_EQ(ring->answer_room_o, room);
    ASSERT_EQ(ring->answer_discards_o, acts_ && doing_ == Doing::kLookup && client_ < kClients &&
                                           rings_[client_].tells_discards &&
                                           rings_[client_].is_half_free());
    if (room) {
      ASSERT_EQ(ring->answer_address_o,
                (rings_[client_].base + rings_[client_].slot() * 32ULL) % kSpace);
    }
    ASSERT_EQ(ring->register_done_o, done_);
    const auto response = sample_record<RegisterResponse>(ring->register_response_o);
    ASSERT_EQ(status_of(response), done_ ? outcome_.status : Status::kOk);
    ASSERT_EQ(response.get<layout::register_response::data>(), done_ ? outcome_.data : 0);
  }
  // What the coming edge does.
  void step() {
    const bool was_done = done_;
    done_ = false;
    const bool idle = doing_ == Doing::kNothing;
    acts_ = !idle && !acts_;
    if (acts_) return;
    if (doing_ == Doing::kLookup && client_ < kClients) {
      Ring& of = rings_[client_];
      of.written = of.written || ring->reserve_i || ring->refuse_i || ring->discard_i;
      if (ring->reserve_i) ++of.reserved;
      if (ring->refuse_i) of.overflow = true, of.shown = false;
      if (ring->discard_i) ++of.discards;
    }
    if (doing_ == Doing::kPublish) ++rings_[client_].tail;
    if (doing_ == Doing::kRegister) {
      outcome_ = {Status::kRegisterUnknown};
      if (client_ < kClients) {
        outcome_ = request_.get<q::page>() != 0 ? access_page(rings_[client_], request_)
                                                : access_block(rings_[client_], request_);
      }
      done_ = !outcome_.waits;
    }
    doing_ = Doing::kNothing;
    if (!idle) return;
    if (ring->publish_valid_i) {
      doing_ = Doing::kPublish;
      client_ = ring->publish_client_i;
    } else if (ring->register_valid_i && !was_done) {
      doing_ = Doing::kRegister;
      client_ = named(request_);
    } else if (ring->lookup_valid_i) {
      doing_ = Doing::kLookup;
      client_ = ring->lookup_client_i;
    }
  }
  void drive_all() {
    const bool answering = acts_ && doing_ == Doing::kLookup;
    const bool room = answering && client_ < kClients && rings_[client_].room();
    ring->reserve_i = room && random_.chance(85);
    ring->refuse_i = answering && !ring->reserve_i && random_.chance(30);
    ring->discard_i = answering && random_.chance(30);
    ring->lookup_valid_i = random_.chance(50);
    ring->lookup_client_i =
        static_cast<std::uint8_t>(random_.chance(90) ? random_.below(kClients) : random_.below(16));
    ring->publish_client_i = static_cast<std::uint8_t>(random_.below(16));
    ring->publish_valid_i = 0;
    const auto publishes = static_cast<std::uint8_t>(random_.below(kClients));
    if (doing_ == Doing::kNothing && rings_[publishes].reserved != rings_[publishes].tail &&
        random_.chance(40)) {
      ring->publish_valid_i = 1;
      ring->publish_client_i = publishes;
    }
    if (done_ || !ring->register_valid_i) {
      ring->register_valid_i = done_ ? 1 : random_.chance(60);
      if (!done_) {
        request_ = draw();
        drive(ring->register_request_i, request_);
      }
    }
  }

  Random random_;
  std::array<Ring, kClients> rings_;
  Doing doing_ = Doing::kNothing;
  bool acts_ = false;  // in its second cycle
  std::uint8_t client_ = 0;
  RegisterRequest request_;
  Outcome outcome_;
  bool done_ = false;
};

TEST_F(NoticeRingAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  for (int cycle = 0; cycle < 60000; ++cycle) {
    if (random_.below(3000) == 0) {
      ring->reserve_i = ring->refuse_i = ring->discard_i = ring->publish_valid_i = 0;
      ring->register_valid_i = random_.chance(50);
      ring.reset(1);
      rings_ = {};
      doing_ = Doing::kNothing;
      acts_ = false;
      done_ = false;
      ring->register_valid_i = 0;
    }
    if (doing_ == Doing::kNothing && random_.below(50) == 0)
      make_old(static_cast<unsigned>(random_.below(kClients)));
    drive_all();
    ring.settle();
    ASSERT_NO_FATAL_FAILURE(compare()) << "cycle " << cycle;
    step();
    const bool answered = ring->register_done_o;
    ring.tick();
    if (answered) ring->register_valid_i = 0;
  }
}

TEST_F(NoticeRingAtRandom, ForgetsAnAccessAndItsAnswerInReset) {
  for (unsigned cycles = 1; cycles < 4; ++cycles) {
    drive(ring->register_request_i, RegisterRequest{}
                                        .set<q::address>(page::notice_tail.offset)
                                        .set<q::page>(1)
                                        .set<q::write>(1));
    ring->register_valid_i = 1;
    for (unsigned i = 0; i < cycles; ++i) ring.tick();
    ring->register_valid_i = 0;
    ring.reset(1);
    EXPECT_FALSE(ring->busy_o) << cycles;
    EXPECT_FALSE(ring->register_done_o) << cycles;
    EXPECT_EQ(sample_record<RegisterResponse>(ring->register_response_o), RegisterResponse{});
  }
}

}  // namespace
}  // namespace torusmu::testing::notice_ring
