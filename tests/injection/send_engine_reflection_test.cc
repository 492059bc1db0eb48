// SPDX-License-Identifier: Apache-2.0
// model: Vmu_send_engine mu_send_engine
// bgp:
//
// Reflecting GETs: which neighbour, credits, parking, queries; and queues that the MU fills.

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/injection_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

constexpr unsigned kLocal = 6;
constexpr unsigned kAny = 7;

class InjectionReflection : public InjectionFixture {
 protected:
  void give(unsigned direction, unsigned slots) {
    ASSERT_EQ(bench_.write(RegisterUnit::kReflection,
                           registers::reflection::credit(0, 0) + direction * 8, slots),
              Status::kOk);
  }
  std::uint64_t credit(unsigned direction) {
    return bench_.read(RegisterUnit::kReflection,
                       registers::reflection::credit(0, 0) + direction * 8);
  }
  Descriptor reflecting(unsigned preferred) {
    return put(128, 64)
        .set<d::opcode>(Opcode::kGet)
        .set<d::reflect>(1)
        .set<d::header>(PacketHeader().set<h::target>(preferred));
  }
  void post(unsigned preferred) {
    bench_.put(kQueue, reflecting(preferred));
    ASSERT_EQ(bench_.doorbell(kQueue), Status::kOk);
    bench_.drain();
  }
  // Target queue of the last packet sent.
  unsigned last_target() {
    return static_cast<unsigned>(bench_.requests.back().packet.header.get<h::target>());
  }
  void open_queue(std::uint32_t size = 16) {
    bench_.make_queue(kQueue, kRing, size, QueueMode::kDoorbell, kOwner);
  }
};

TEST_F(InjectionReflection, NamesTheNeighbourAndItsQueueForUs) {
  // Direction and the coordinates of the neighbour of (1, 2, 3) on a 4x4x4 torus.
  const std::array<Coordinates, 7> neighbours = {
      {{2, 2, 3}, {0, 2, 3}, {1, 3, 3}, {1, 1, 3}, {1, 2, 0}, {1, 2, 2}, {1, 2, 3}}};
  open_queue();
  for (unsigned n = 0; n < 7; ++n) give(n, 4);
  for (unsigned n = 0; n < 7; ++n) {
    post(n);
    ASSERT_EQ(bench_.requests.size(), n + 1);
    const Packet& packet = bench_.requests.back().packet;
    EXPECT_EQ(packet.header.get<h::dst_x>(), neighbours[n].x);
    EXPECT_EQ(packet.header.get<h::dst_y>(), neighbours[n].y);
    EXPECT_EQ(packet.header.get<h::dst_z>(), neighbours[n].z);
    EXPECT_EQ(last_target(), n == kLocal ? kLocal : n ^ 1U);
    EXPECT_EQ(packet.header.get<h::kind>(), Kind::kGet);
    EXPECT_EQ(packet.header.get<h::client>(), kOwner);
    EXPECT_EQ(packet.trailer.get<t::reflected>(), 1U);
    EXPECT_EQ(packet.trailer.get<t::sequence_number>(), 0U) << "the first number";
    EXPECT_EQ(packet.trailer.get<t::index>(), n);
    EXPECT_EQ(packet.payload.size(), 64U);
    EXPECT_EQ(credit(n), 4U | 1U << 16);
  }
}

TEST_F(InjectionReflection, TakesTheNextNeighbourThatHasACredit) {
  open_queue();
  give(0, 1);
  give(3, 2);
  give(5, 1);
  post(1);
  EXPECT_EQ(last_target(), 3U ^ 1U);
  post(4);
  EXPECT_EQ(last_target(), 5U ^ 1U);
  post(4);
  EXPECT_EQ(last_target(), 0U ^ 1U);
  post(4);
  EXPECT_EQ(last_target(), 3U ^ 1U);
  EXPECT_EQ(bench_.requests.back().packet.trailer.get<t::sequence_number>(), 1U);
}

TEST_F(InjectionReflection, SpreadsOverAllNeighboursIfAnyWillDo) {
  open_queue();
  for (unsigned n = 0; n < 6; ++n) give(n, 8);
  unsigned seen = 0;
  for (int i = 0; i < 6; ++i) {
    post(kAny);
    seen |= 1U << last_target();
  }
  EXPECT_EQ(seen, 0x3FU);
}

TEST_F(InjectionReflection, UsesOnlyNeighboursThatExist) {
  bench_.place(0, 2, 0, 2, 2, 0, 1);  // x a torus of 3, y a mesh of 3 at its upper edge, z of 1
  open_queue();
  for (unsigned n = 0; n < 6; ++n) give(n, 8);
  for (const unsigned preferred : {0U, 1U, 2U, 3U, 4U, 5U}) {
    post(preferred);
    EXPECT_TRUE(last_target() == (0U ^ 1U) || last_target() == (1U ^ 1U) ||
                last_target() == (3U ^ 1U))
        << preferred;
  }
  EXPECT_EQ(credit(2) >> 16, 0U);
  EXPECT_EQ(credit(4) >> 16, 0U);
  EXPECT_EQ(credit(5) >> 16, 0U);
}

TEST_F(InjectionReflection, NamesTheNeighbourWhereverTheNodeStands) {
  open_queue();
  for (unsigned n = 0; n < 6; ++n) give(n, 255);
  for (unsigned round = 0; round < 40; ++round) {
    std::array<unsigned, 3> own{}, last{};
    for (unsigned axis = 0; axis < 3; ++axis) {
      last[axis] = 1 + static_cast<unsigned>(random_.below(15));
      own[axis] =
          random_.chance(30) ? last[axis] : static_cast<unsigned>(random_.below(last[axis] + 1));
    }
    bench_.place(own[0], own[1], own[2], last[0], last[1], last[2], 7);
    for (unsigned n = 0; n < 6; ++n) {
      std::array<unsigned, 3> at = own;
      const unsigned sides = last[n / 2] + 1;
      at[n / 2] = (own[n / 2] + (n % 2 == 0 ? 1 : sides - 1)) % sides;
      post(n);
      const PacketHeader& header = bench_.requests.back().packet.header;
      EXPECT_EQ(header.get<h::dst_x>(), at[0]) << "direction " << n;
      EXPECT_EQ(header.get<h::dst_y>(), at[1]) << "direction " << n;
      EXPECT_EQ(header.get<h::dst_z>(), at[2]) << "direction " << n;
    }
  }
}

TEST_F(InjectionReflection, GoesRoundTheOneAxisThatIsATorus) {
  open_queue();
  for (unsigned axis = 0; axis < 3; ++axis) {
    for (const unsigned last : {1U, 2U, 4U, 8U}) {
      const std::array<unsigned, 3> ends = {axis == 0 ? last : 0, axis == 1 ? last : 0,
                                            axis == 2 ? last : 0};
      bench_.place(ends[0], ends[1], ends[2], ends[0], ends[1], ends[2], 1U << axis);
      for (unsigned n = 0; n < 6; ++n) give(n, 255);
      for (const unsigned n : {2 * axis, 2 * axis + 1}) {
        post(n);
        EXPECT_EQ(last_target(), n ^ 1U) << "last node " << last;
      }
    }
  }
}

TEST_F(InjectionReflection, IgnoresACreditOfWhichOneBitIsAnother) {
  open_queue();
  give(2, 1);
  for (int i = 0; i < 2; ++i) bench_.put(kQueue, reflecting(2));
  bench_.doorbell(kQueue);
  bench_.drain();
  const auto comes_back = [this](unsigned queue, unsigned number) {
    bench_.return_credit(queue, static_cast<std::uint16_t>(number));
    bench_.drain();
    return bench_.requests.size() == 2;
  };
  for (unsigned bit = 0; bit < 16; ++bit) EXPECT_FALSE(comes_back(3, 1U << bit)) << bit;
  for (unsigned bit = 0; bit < 8; ++bit) EXPECT_FALSE(comes_back(3 ^ 1U << bit, 0)) << bit;
  EXPECT_TRUE(comes_back(3, 0));
}

TEST_F(InjectionReflection, WaitsAsLongAsItIsToldWheneverItBegins) {
  open_queue();
  give(2, 255);
  bench_.set_time(0x7fffffff0000);
  for (unsigned bit = 8; bit < 32; ++bit) {
    const std::uint64_t timeout = 1ULL << bit;
    bench_.limit<layout::node_limits::credit_timeout_cycles>(static_cast<IData>(timeout));
    const std::uint64_t before = bench_.cycle();
    post(2);
    EXPECT_GE(bench_.wake_at(), before + timeout);
    EXPECT_LE(bench_.wake_at(), bench_.cycle() + timeout);
    bench_.return_credit(3, static_cast<std::uint16_t>(bit - 8));
    bench_.drain();
  }
}

TEST_F(InjectionReflection, ReflectsToItselfOnASingleNode) {
  bench_.place(0, 0, 0, 0, 0, 0, 7);
  open_queue();
  for (unsigned n = 0; n < 7; ++n) give(n, 2);
  post(0);
  EXPECT_EQ(last_target(), kLocal);
  EXPECT_EQ(bench_.requests.back().packet.header.get<h::dst_x>(), 0U);
}

TEST_F(InjectionReflection, ParksWithoutCreditAndGoesOnWithTheFirstThatComesBack) {
  open_queue();
  give(2, 2);
  for (int i = 0; i < 5; ++i) bench_.put(kQueue, reflecting(2));
  bench_.doorbell(kQueue);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 2U);
  EXPECT_EQ(bench_.state(kQueue).head, 2U);
  EXPECT_FALSE(bench_.busy()) << "a parked queue rests";
  bench_.return_credit(2, 0);  // wrong queue: the reflector's queue for us is 3
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 2U);
  bench_.return_credit(3, 0);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 3U);
  bench_.return_credit(3, 0);  // a second time: out of the window
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 3U);
  bench_.return_credit(3, 2);  // both that are out
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(bench_.requests[i].packet.trailer.get<t::index>(), i);
    EXPECT_EQ(bench_.requests[i].packet.trailer.get<t::sequence_number>(), i);
  }
  EXPECT_EQ(bench_.state(kQueue).head, 5U);
}

TEST_F(InjectionReflection, AConfigWakesAParkedQueue) {
  open_queue();
  give(0, 1);
  for (int i = 0; i < 2; ++i) bench_.put(kQueue, reflecting(0));
  bench_.doorbell(kQueue);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 1U);
  open_queue();
  bench_.put(kQueue, immediate(4));
  bench_.doorbell(kQueue);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 2U);
}

TEST_F(InjectionReflection, ParksOnlyTheQueueThatLacksTheCredit) {
  open_queue();
  give(0, 1);
  bench_.make_queue(9, 0x4000, 16, QueueMode::kDoorbell, kOwner);
  for (int i = 0; i < 4; ++i) bench_.put(kQueue, reflecting(0));
  for (int i = 0; i < 10; ++i) bench_.put(9, immediate(4));
  bench_.doorbell(kQueue);
  bench_.doorbell(9);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 1U + 10U);
  EXPECT_EQ(bench_.state(9).head, 10U);
}

TEST_F(InjectionReflection, MissesNoCreditThatComesBackWhileItParks) {
  // The only credit comes back in every cycle around the decision to park, also while register
  // accesses keep the queue engine busy.
  for (const bool busy_registers : {false, true}) {
    for (unsigned wait = 0; wait < 60; ++wait) {
      SCOPED_TRACE(wait);
      InjectionBench fresh(random_);
      fresh.around = bench_.around;
      ASSERT_EQ(fresh.write(RegisterUnit::kReflection, registers::reflection::credit(), 1),
                Status::kOk);
      fresh.make_queue(kQueue, kRing, 4, QueueMode::kDoorbell, kOwner);
      fresh.put(kQueue, reflecting(0));
      fresh.doorbell(kQueue);
      fresh.drain();
      fresh.put(kQueue, reflecting(0));
      fresh.doorbell(kQueue);
      if (busy_registers) {
        drive(fresh->register_request_i,
              InjectionBench::request(registers::injection_queue::head(kQueue), false));
        fresh->register_valid_i = 1;
      }
      fresh.ticks(wait);
      fresh.return_credit(1, 0);
      for (int i = 0; i < 10; ++i) {
        fresh.tick();
        if (fresh->register_done_o != 0) break;
      }
      fresh.tick();
      fresh->register_valid_i = 0;
      fresh.drain();
      ASSERT_EQ(fresh.requests.size(), 2U);
    }
  }
}

TEST_F(InjectionReflection, GivesEveryDescriptorOnceHoweverCreditsCome) {
  for (unsigned round = 0; round < 30; ++round) {
    SCOPED_TRACE(round);
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    fresh.fetch.latency = static_cast<unsigned>(1 + random_.below(30));
    fresh.request_chance = static_cast<unsigned>(40 + random_.below(61));
    for (unsigned queue = 8; queue < 10; ++queue) {
      fresh.make_queue(queue, 0x1000 * queue, 32, QueueMode::kDoorbell, kOwner);
    }
    ASSERT_EQ(fresh.write(RegisterUnit::kReflection, registers::reflection::credit(), 2),
              Status::kOk);
    for (int i = 0; i < 20; ++i) {
      for (unsigned queue = 8; queue < 10; ++queue) {
        fresh.put(queue, random_.chance(50) ? reflecting(0) : immediate(4));
      }
    }
    for (unsigned queue = 8; queue < 10; ++queue) fresh.doorbell(queue);
    std::uint16_t returned = 0;
    std::uint16_t sent = 0;
    std::size_t looked = 0;
    for (int i = 0; i < 20000 && fresh.requests.size() < 40; ++i) {
      fresh.tick();
      for (; looked < fresh.requests.size() && fresh.requests[looked].last != 0; ++looked) {
        sent = static_cast<std::uint16_t>(
            sent + fresh.requests[looked].packet.trailer.get<t::reflected>());
      }
      if (returned != sent && random_.chance(10)) {
        fresh.return_credit(1, returned++);
      }
    }
    fresh.drain();
    ASSERT_EQ(fresh.requests.size(), 40U);
    for (unsigned queue = 8; queue < 10; ++queue) {
      std::uint64_t next = 0;
      for (const SentPacket& sent_packet : fresh.requests) {
        if (sent_packet.packet.trailer.get<t::queue>() != queue) continue;
        EXPECT_EQ(sent_packet.packet.trailer.get<t::index>(), next++);
      }
      EXPECT_EQ(fresh.state(queue).head, 20U);
    }
  }
}

TEST_F(InjectionReflection, AsksAfterALongSilenceAndAgain) {
  bench_.limit<layout::node_limits::credit_timeout_cycles>(300);
  open_queue();
  give(1, 2);
  post(1);
  EXPECT_FALSE(bench_.busy());
  const std::uint64_t asks_at = bench_.wake_at();
  EXPECT_GT(asks_at, bench_.cycle());
  EXPECT_LE(asks_at, bench_.requests[0].last + 300);
  while (bench_.cycle() < asks_at + 20) bench_.tick();
  ASSERT_EQ(bench_.requests.size(), 2U);
  const Packet& query = bench_.requests[1].packet;
  EXPECT_EQ(query.header.get<h::kind>(), Kind::kCreditQuery);
  EXPECT_EQ(query.header.get<h::reply>(), 0U);
  EXPECT_EQ(query.header.get<h::target>(), 0U);
  EXPECT_EQ(query.header.get<h::word>(), 0U) << "the last number sent";
  EXPECT_EQ(query.header.get<h::dst_x>(), 0U);
  EXPECT_EQ(query.header.get<h::src_x>(), 1U);
  EXPECT_EQ(query.header.get<h::bytes>(), 0U);
  bench_.ticks(300);
  EXPECT_EQ(bench_.requests.size(), 3U);
  bench_.return_credit(0, 0);
  bench_.ticks(700);
  EXPECT_EQ(bench_.requests.size(), 3U) << "answered: no more questions";
  EXPECT_EQ(bench_.activity<layout::send_activity::wake_at>(), (1ULL << 48) - 1);
  EXPECT_EQ(bench_.state(kQueue).head, 1U) << "queries are no descriptors";
}

TEST_F(InjectionReflection, NeverAsksWithoutATimeout) {
  open_queue();
  give(1, 2);
  post(1);
  EXPECT_EQ(bench_.activity<layout::send_activity::wake_at>(), (1ULL << 48) - 1);
  bench_.ticks(2000);
  EXPECT_EQ(bench_.requests.size(), 1U);
}

TEST_F(InjectionReflection, AsksInTheMiddleOfALongPut) {
  bench_.limit<layout::node_limits::credit_timeout_cycles>(400);
  open_queue();
  give(1, 2);
  post(1);
  bench_.put(kQueue, put(0, 60 * 512));
  bench_.doorbell(kQueue);
  bench_.ticks(1500);
  EXPECT_GE(std::count_if(bench_.requests.begin(), bench_.requests.end(),
                          [](const SentPacket& sent) {
                            return sent.packet.header.get<h::kind>() == Kind::kCreditQuery;
                          }),
            2);
  bench_.return_credit(0, 0);
  bench_.drain();
}

TEST_F(InjectionReflection, ANewNumberOfSlotsStartsOver) {
  open_queue();
  give(1, 1);
  for (int i = 0; i < 2; ++i) bench_.put(kQueue, reflecting(1));
  bench_.doorbell(kQueue);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 1U);
  give(1, 3);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 2U) << "the parked queue tried again";
  EXPECT_EQ(credit(1), 3U | 1U << 16);
  const auto refuse = [this](const RegisterRequest& request) {
    return bench_.access(RegisterUnit::kReflection, request)
        .get<layout::register_response::status>();
  };
  const std::uint32_t address = registers::reflection::credit();
  EXPECT_EQ(refuse(InjectionBench::request(address, true, 256)), Status::kRegisterValue);
  EXPECT_EQ(refuse(InjectionBench::request(address, true, 1, false)), Status::kRegisterPartial);
  EXPECT_EQ(refuse(InjectionBench::request(address + 56, true, 1)), Status::kRegisterUnknown);
  EXPECT_EQ(refuse(InjectionBench::request(address + 64, false)), Status::kRegisterUnknown);
}

}  // namespace
}  // namespace torusmu::testing
