// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "Vmu_router/Vmu_router___024root.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/router_links.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace stream = layout::flit_stream;

// Node (1, 1, 1) of a 4x4x4 torus.
class RouterTest : public ::testing::Test {
 protected:
  static constexpr unsigned kXPlus = 0, kXMinus = 1, kZPlus = 4;

  void SetUp() override {
    router_->straps_i = Straps{1, 1, 1, 3, 3, 3, 7}.word();
    router_->eject_request_ready_i = router_->eject_reply_ready_i = 1;
    router_.reset();
    links_ = links_of(*router_.operator->());
  }

  // Puts one flit on the pins of link `d`; the next tick takes it.
  void drive(unsigned d, bool head, bool tail, bool reply, std::uint32_t word) {
    links_[d].put(head, tail, reply, {word});
  }
  void release() {
    for (const RouterLink& link : links_) link.release();
  }
  // The same flit for both classes, which are told apart by what is valid.
  void inject(bool request, bool reply, bool head, bool tail, std::uint32_t word) {
    put<stream::valid>(router_->inject_request_i, request);
    put<stream::valid>(router_->inject_reply_i, reply);
    for (auto* inputs : {&router_->inject_request_i, &router_->inject_reply_i}) {
      put<stream::head>(*inputs, head);
      put<stream::tail>(*inputs, tail);
      put_flit(*inputs, 0, {word});
    }
  }
  void inject_nothing() {
    put<stream::valid>(router_->inject_request_i, 0);
    put<stream::valid>(router_->inject_reply_i, 0);
  }
  static std::uint32_t header(unsigned x, unsigned y, unsigned z) { return x | y << 4 | z << 8; }
  // A packet of two flits comes in over link `d`.
  void receive(unsigned d, bool reply, std::uint32_t to) {
    drive(d, true, false, reply, to);
    router_.tick();
    drive(d, false, true, reply, 77);
    router_.tick();
    release();
  }
  bool inputs_are_idle() {
    for (const RouterLink& link : links_) {
      if (link.valid_in() || link.credits_in() != 0) return false;
    }
    return get<stream::valid>(router_->inject_request_i) == 0 &&
           get<stream::valid>(router_->inject_reply_i) == 0;
  }
  std::vector<char> state() {
    std::vector<char> bytes(sizeof(Vmu_router___024root));
    std::memcpy(bytes.data(), router_->rootp, bytes.size());
    return bytes;
  }

  Clocked<Vmu_router> router_;
  std::vector<RouterLink> links_;
  bool in_packet_ = false;
  unsigned input_ = 0;
};

TEST_F(RouterTest, ForwardsAHeaderThreeCyclesAfterItArrived) {
  drive(kXMinus, true, false, false, header(3, 1, 1));
  router_.tick();
  release();
  EXPECT_FALSE(links_[kXPlus].valid());
  router_.tick();
  router_.tick();
  EXPECT_FALSE(links_[kXPlus].valid());
  router_.tick();
  EXPECT_TRUE(links_[kXPlus].valid());
  EXPECT_TRUE(links_[kXPlus].head());
  EXPECT_FALSE(links_[kXPlus].tail());
  EXPECT_EQ(links_[kXPlus].data()[0], header(3, 1, 1));
}

TEST_F(RouterTest, ReturnsOneCreditOfTheClassWhenAPacketHasLeft) {
  for (const bool reply : {false, true}) {
    receive(kXMinus, reply, header(1, 2, 1));
    unsigned credits = 0;
    for (int i = 0; i < 10; ++i) {
      credits += links_[kXMinus].credits() == (reply ? 2U : 1U);
      router_.tick();
    }
    EXPECT_EQ(credits, 1U);
  }
}

TEST_F(RouterTest, SendsNoMorePacketsThanThereArePlacesBeyondTheLink) {
  unsigned heads = 0;
  for (int i = 0; i < 100; ++i) {
    // Credits are given back at once to the senders of link x-, never by the receiver of link x+.
    if (i % 2 == 0 && i < 2 * 9) {
      drive(kXMinus, true, false, false, header(3, 1, 1));
    } else if (i < 2 * 9) {
      drive(kXMinus, false, true, false, 0);
    } else {
      release();
    }
    router_.tick();
    heads += links_[kXPlus].valid() && links_[kXPlus].head();
  }
  EXPECT_EQ(heads, 6U);
  for (unsigned more = 1; more <= 3; ++more) {
    links_[kXPlus].put_credits(1);
    router_.tick();
    links_[kXPlus].put_credits(0);
    for (int i = 0; i < 10; ++i) {
      heads += links_[kXPlus].valid() && links_[kXPlus].head();
      router_.tick();
    }
    EXPECT_EQ(heads, 6 + more);
  }
}

// Packets of two flits that enter a ring in the + direction: from the node into that of x, from
// link x- into the others.
struct Entering {
  unsigned dimension;
  bool reply;
  unsigned node;  // its coordinate in the ring
};

class RouterRing : public RouterTest, public ::testing::WithParamInterface<Entering> {
 protected:
  static unsigned places() { return GetParam().reply ? 12 : 6; }  // beyond the link
  void SetUp() override {
    RouterTest::SetUp();
    std::array<unsigned, 3> own{1, 1, 1};
    own[GetParam().dimension] = GetParam().node;
    router_->straps_i = Straps{own[0], own[1], own[2], 15, 15, 15, 7}.word();
    router_.reset();
  }
  void drive_next() {
    const auto [dimension, reply, node] = GetParam();
    unsigned to[] = {1, 1, 1};
    to[dimension] = (node + 1) % 16;
    const bool head = flits_ % 2 == 0;
    const std::uint32_t word = head ? header(to[0], to[1], to[2]) : 0;
    if (dimension != 0) {
      drive(kXMinus, head, !head, reply, word);
      ++flits_;
      return;
    }
    inject(!reply, reply, head, !head, word);
    router_.settle();
    flits_ += reply ? router_->inject_reply_ready_o : router_->inject_request_ready_o;
  }
  // Packets that have left when `cycles` have passed, of as many as are wanted: at first those for
  // which there are places beyond the link.
  unsigned left_after(unsigned cycles) {
    for (; cycle_ < cycles; ++cycle_) {
      router_->now_i = cycle_;
      release();
      inject_nothing();
      if (flits_ < 2 * wanted_) drive_next();
      router_.tick();
      const RouterLink& link = links_[2 * GetParam().dimension];
      heads_ += link.valid() && link.head();
    }
    return heads_;
  }
  void want_one_more() { ++wanted_; }
  // A place beyond the link is free again, perhaps the one that is reserved.
  void give_back(bool reserved) {
    const RouterLink& link = links_[2 * GetParam().dimension];
    for (unsigned i = 0; i < (reserved ? 2 : 1); ++i) {
      link.put_credits(GetParam().reply ? 2 : 1);
      left_after(cycle_ + 1);
    }
    link.put_credits(0);
  }

 private:
  unsigned wanted_ = places();
  unsigned flits_ = 0, heads_ = 0, cycle_ = 0;
};

TEST_P(RouterRing, LeavesOnePlaceFreeUntilAPacketThatWantsToEnterIsStarved) {
  // The reserved place of a ring is beyond node 0 at first. Node 0 never fills its last place.
  EXPECT_EQ(left_after(256), places() - 1);
  EXPECT_EQ(left_after(1000), GetParam().node == 0 ? places() - 1 : places());
}

TEST_P(RouterRing, LeavesTheReservedPlaceFreeWhenItComesBack) {
  if (GetParam().node == 0) return;  // has it already
  ASSERT_EQ(left_after(600), places());
  want_one_more();
  give_back(true);
  EXPECT_EQ(left_after(1200), places());
  give_back(false);
  EXPECT_EQ(left_after(1800), places() + 1);
}

std::vector<Entering> all_entering() {
  std::vector<Entering> all;
  for (unsigned dimension = 0; dimension < 3; ++dimension) {
    for (const bool reply : {false, true}) {
      for (unsigned node = 0; node < 16; ++node) all.push_back({dimension, reply, node});
    }
  }
  return all;
}

std::string name_of_entering(const ::testing::TestParamInfo<Entering>& info) {
  return std::string(1, "xyz"[info.param.dimension]) +
         (info.param.reply ? "_reply_" : "_request_") + std::to_string(info.param.node);
}

INSTANTIATE_TEST_SUITE_P(Every, RouterRing, ::testing::ValuesIn(all_entering()), name_of_entering);

TEST_F(RouterTest, SendsTwoPacketsForOneOutputOneBehindTheOther) {
  for (unsigned i = 0; i < 40; ++i) {
    const unsigned out = i % 2;  // x+ or x-: from the link on the other side, and from here
    const unsigned arrives = 2 + i / 2 % 10;
    const bool reply = i >= 20;
    router_.reset();
    const std::uint32_t to = header(out == kXPlus ? 2 : 0, 1, 1);
    unsigned injected = 0;
    std::vector<bool> heads;
    for (unsigned cycle = 0; cycle < 40; ++cycle) {
      release();
      const bool injects = injected < 2;
      inject(injects && !reply, injects && reply, injected == 0, injected == 1, to);
      if (cycle - arrives < 2) drive(out ^ 1U, cycle == arrives, cycle != arrives, reply, to);
      router_.settle();
      if (reply ? router_->inject_reply_ready_o : router_->inject_request_ready_o) ++injected;
      if (links_[out].valid()) heads.push_back(links_[out].head());
      router_.tick();
    }
    EXPECT_EQ(heads, (std::vector<bool>{true, false, true, false})) << i;
  }
}

TEST_F(RouterTest, LetsAReplyPassBetweenTheFlitsOfARequest) {
  // A request of 34 flits from z- to z+; a reply of 2 flits from x- joins it there.
  std::vector<unsigned> classes;
  for (unsigned cycle = 0; cycle < 50; ++cycle) {
    release();
    if (cycle < 34) drive(5, cycle == 0, cycle == 33, false, header(1, 1, 2));
    if (cycle == 10) drive(kXMinus, true, false, true, header(1, 1, 2));
    if (cycle == 11) drive(kXMinus, false, true, true, 5);
    router_.tick();
    if (links_[kZPlus].valid()) classes.push_back(links_[kZPlus].reply() ? 1 : 0);
  }
  std::vector<unsigned> expected(36, 0);
  expected[10] = expected[11] = 1;
  EXPECT_EQ(classes, expected);
}

TEST_F(RouterTest, EjectsAPacketWhoseHeaderAsksForAnImpossibleTurn) {
  // From the +x neighbour, damaged so that it asks to go back there.
  receive(kXPlus, false, header(2, 1, 1));
  unsigned flits = 0;
  for (int i = 0; i < 10; ++i) {
    flits += get<stream::valid>(router_->eject_request_o) != 0;
    router_.tick();
  }
  EXPECT_EQ(flits, 2U);
  EXPECT_FALSE(router_->busy_o);
}

TEST_F(RouterTest, ChangesNothingWhileItIsNotBusyAndNothingComesIn) {
  Random random;
  SCOPED_TRACE(random.replay());
  unsigned idle_cycles = 0;
  std::array<std::deque<std::uint64_t>, 6> credits;  // when they come back
  for (std::uint64_t cycle = 0; cycle < 20000; ++cycle) {
    router_->now_i = cycle * 1001;
    const bool more = cycle % 100 < 40;
    for (unsigned d = 0; d < 6; ++d) {
      links_[d].release();
      links_[d].put_credits(0);
      if (links_[d].valid() && links_[d].head() && !links_[d].reply()) {
        credits[d].push_back(cycle + 5);
      }
      if (!credits[d].empty() && credits[d].front() <= cycle) {
        links_[d].put_credits(1);
        credits[d].pop_front();
      }
    }
    if (!in_packet_ && more && random.chance(20)) {
      in_packet_ = true;
      input_ = static_cast<unsigned>(random.below(6));
      const auto place = [&] { return static_cast<unsigned>(random.below(4)); };
      drive(input_, true, false, false, header(place(), place(), place()));
    } else if (in_packet_) {
      drive(input_, false, true, false, 0);
      in_packet_ = false;
    }
    router_.settle();
    if (router_->busy_o || !inputs_are_idle()) {
      router_.tick();
      continue;
    }
    ++idle_cycles;
    // Assertions keep what they computed in the model: not the router's state.
    router_->contextp()->assertOn(false);
    const std::vector<char> before = state();
    router_.tick();
    router_->contextp()->assertOn(true);
    ASSERT_TRUE(state() == before) << "cycle " << cycle;
  }
  EXPECT_GT(idle_cycles, 5000U);
}

TEST_F(RouterTest, IsBusyInTheCycleInWhichItAnswersARegister) {
  router_->register_valid_i = 1;
  router_.tick();
  EXPECT_TRUE(router_->busy_o);
  router_.tick();
  EXPECT_TRUE(router_->register_done_o);
  EXPECT_TRUE(router_->busy_o);
  router_.tick();
  router_->register_valid_i = 0;
  router_.settle();
  EXPECT_FALSE(router_->busy_o);
}

}  // namespace
}  // namespace torusmu::testing
