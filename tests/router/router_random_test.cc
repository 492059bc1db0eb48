// SPDX-License-Identifier: Apache-2.0
// A whole router among neighbours that keep to the rules: every turn in both classes, with random
// packets, at any place of any machine and at any time.
// model: Vmu_router mu_router

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <set>
#include <vector>

#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/router_links.h"
#include "tests/support/seed.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

namespace torusmu::testing {
namespace {

namespace stream = layout::flit_stream;

constexpr unsigned kLocal = 6, kPorts = 7, kClasses = 2;
constexpr std::array<unsigned, kClasses> kPlaces{6, 12};      // packets at an input, by class
constexpr std::array<std::size_t, kClasses> kLongest{34, 4};  // flits of a packet

using Flit = FlitWords;
using Packet = std::vector<Flit>;

struct Turn {
  unsigned reply, from, to;
  friend auto operator<=>(const Turn&, const Turn&) = default;
};

// Dimension order: x before y before z before the node itself, never back.
bool is_legal(unsigned from, unsigned to) {
  return from == kLocal || to == kLocal || to / 2 > from / 2 || to == (from ^ 1U);
}

std::set<Turn> all_turns() {
  std::set<Turn> turns;
  for (unsigned reply = 0; reply < kClasses; ++reply) {
    for (unsigned from = 0; from < kPorts; ++from) {
      for (unsigned to = 0; to < kPorts; ++to) {
        if (is_legal(from, to)) turns.insert({reply, from, to});
      }
    }
  }
  return turns;
}

// Pulses on a credit pin: one cycle for a place, two for the reserved place of the ring.
struct Pulses {
  bool begun = false;
  enum What { kNothing, kPlace, kReserved };
  What see(bool level) {
    const bool second = begun;
    begun = level && !second;
    return !level ? kNothing : second ? kReserved : kPlace;
  }
};

// All that is around a router. It sends random packets and judges what comes out: whole,
// unchanged, where its header says, in order.
class Neighbours {
 public:
  explicit Neighbours(Random& random) : random_(random), router_(random.seed()) {
    links_ = links_of(*router_.operator->());
  }

  // A node anywhere in a machine of any size, and a time anywhere.
  void move_elsewhere() {
    for (Dimension& dimension : machine_) {
      dimension.torus = random_.chance(70);
      dimension.last = 3 + static_cast<unsigned>(random_.below(13));
      dimension.own =
          static_cast<unsigned>(dimension.torus ? random_.below(dimension.last + 1)
                                                : 1 + random_.below(dimension.last - 1));
    }
    const auto& [x, y, z] = machine_;
    const unsigned torus = (x.torus ? 1U : 0U) | (y.torus ? 2U : 0U) | (z.torus ? 4U : 0U);
    router_->straps_i = Straps{x.own, y.own, z.own, x.last, y.last, z.last, torus}.word();
    router_->now_i = random_.bits64() >> 16;
    router_.reset();
    for (unsigned c = 0; c < kClasses; ++c) {
      for (unsigned port = 0; port < kPorts; ++port) {
        senders_[c][port] = {};
        senders_[c][port].places = kPlaces[c];
        receivers_[c][port] = {};
        receivers_[c][port].reserved_is_elsewhere = port == kLocal || machine_[port / 2].own != 0;
        flits_[c][port] = 0;
      }
    }
  }
  // The clocks of the router are stopped whenever they may be.
  void stop_clocks() { stops_clocks_ = true; }
  // While blocked, nobody gives back a place or takes what is ejected.
  void block(bool blocked) { blocked_ = blocked; }
  // Every input always has packets to send, the longest ones or any.
  void load(unsigned cycles, bool longest) {
    for (unsigned i = 0; i < cycles && !::testing::Test::HasFatalFailure(); ++i) {
      for (unsigned c = 0; c < kClasses; ++c) {
        for (unsigned input = 0; input < kPorts; ++input) {
          if (!senders_[c][input].waiting.empty()) continue;
          add_packet(c, input, any_output(input), longest);
        }
      }
      cycle();
    }
  }
  // Every input always has a longest packet for the node itself.
  void load_the_node(unsigned cycles) {
    for (unsigned i = 0; i < cycles && !::testing::Test::HasFatalFailure(); ++i) {
      for (unsigned c = 0; c < kClasses; ++c) {
        for (unsigned input = 0; input < kPorts; ++input) {
          if (senders_[c][input].waiting.empty()) add_packet(c, input, kLocal, true);
        }
      }
      cycle();
    }
  }
  void drain() {
    for (unsigned i = 0; on_their_way_ != 0 || router_->busy_o; ++i) {
      ASSERT_LT(i, 20000U) << on_their_way_ << " packets have not arrived";
      if (::testing::Test::HasFatalFailure()) return;
      cycle();
    }
  }
  // Some packets, one at a time, with pauses: the router comes to rest again and again.
  void trickle(unsigned cycles) {
    for (unsigned i = 0; i < cycles && !::testing::Test::HasFatalFailure(); ++i) {
      if (on_their_way_ == 0 && random_.chance(10)) {
        const auto input = static_cast<unsigned>(random_.below(kPorts));
        add_packet(static_cast<unsigned>(random_.below(kClasses)), input, any_output(input), false);
      }
      cycle();
    }
  }
  // The router's own count of flits is that of those seen.
  void check_counts() {
    for (unsigned c = 0; c < kClasses; ++c) {
      for (unsigned port = 0; port < kPorts; ++port) {
        EXPECT_EQ(read(registers::performance::flits(0, 2 * port + c)), flits_[c][port]);
      }
    }
  }
  [[nodiscard]] const std::set<Turn>& turns() const { return turns_; }
  // Packets of class c that each input has sent to the node itself.
  [[nodiscard]] const std::array<unsigned, kPorts>& ejected(unsigned c) const {
    return ejected_[c];
  }
  // Cycles in which both clocks stood still.
  [[nodiscard]] std::uint64_t stopped() const { return stopped_; }

 private:
  struct Sender {
    std::deque<Packet> waiting;
    std::size_t position = 0;  // in the first of them
    unsigned places = 0;       // free in the router's buffer
    Pulses pulses;
  };
  struct Receiver {
    std::array<std::deque<Packet>, kPorts> expected;  // by input
    unsigned from = kPorts;                           // the packet that comes now
    std::size_t position = 0;
    unsigned taken = 0;  // packets whose places were not given back
    bool gives_back = false, gives_reserved = false;
    bool reserved_is_elsewhere = false;  // of the ring: not among this link's places
  };
  struct Dimension {
    unsigned own = 0, last = 0;
    bool torus = false;
  };

  // A coordinate that is reached the + way (or the - way) along the dimension.
  unsigned further(const Dimension& dimension, bool minus) {
    const unsigned size = dimension.last + 1;
    if (dimension.torus) {
      const auto hops = 1 + static_cast<unsigned>(random_.below((size - 1) / 2));
      return (dimension.own + (minus ? size - hops : hops)) % size;
    }
    return static_cast<unsigned>(minus ? random_.below(dimension.own)
                                       : dimension.own + 1 +
                                             random_.below(dimension.last - dimension.own));
  }
  Flit any_flit() {
    Flit flit;
    for (std::uint32_t& word : flit) word = static_cast<std::uint32_t>(random_.bits64());
    return flit;
  }
  // The destination is in the lowest bits, x first; all others are random.
  Flit header_to(unsigned output) {
    std::array<unsigned, 3> to{};
    for (unsigned d = 0; d < 3; ++d) {
      const Dimension& dimension = machine_[d];
      to[d] = d < output / 2    ? dimension.own
              : d == output / 2 ? further(dimension, output % 2 != 0)
                                : static_cast<unsigned>(random_.below(dimension.last + 1));
    }
    Flit header = any_flit();
    header[0] = (header[0] & ~0xfffU) | to[0] | to[1] << 4 | to[2] << 8;
    return header;
  }
  unsigned any_output(unsigned input) {
    unsigned output = 0;
    do {
      output = static_cast<unsigned>(random_.below(kPorts));
    } while (!is_legal(input, output));
    return output;
  }
  void add_packet(unsigned c, unsigned input, unsigned output, bool longest) {
    const std::size_t flits = longest ? kLongest[c] : 2 + random_.below(kLongest[c] - 1);
    Packet packet{header_to(output)};
    while (packet.size() < flits) packet.push_back(any_flit());
    senders_[c][input].waiting.push_back(packet);
    receivers_[c][output].expected[input].push_back(packet);
    ++on_their_way_;
  }

  static bool has_flit(const Sender& sender, unsigned input) {
    return !sender.waiting.empty() &&
           (sender.position != 0 || sender.places != 0 || input == kLocal);
  }
  static void advance(Sender& sender, unsigned input) {
    if (sender.position == 0 && input != kLocal) --sender.places;
    if (++sender.position < sender.waiting.front().size()) return;
    sender.position = 0;
    sender.waiting.pop_front();
  }
  void drive_link(unsigned d) {
    const RouterLink& link = links_[d];
    link.release();
    const bool request = has_flit(senders_[0][d], d), reply = has_flit(senders_[1][d], d);
    if (!request && !reply) return;
    const unsigned c = reply && (!request || random_.chance(30)) ? 1 : 0;
    Sender& sender = senders_[c][d];
    const Packet& packet = sender.waiting.front();
    const std::size_t position = sender.position;
    link.put(position == 0, position + 1 == packet.size(), c == 1, packet[position]);
    advance(sender, d);
  }
  template <typename Port>
  void drive_injection(unsigned c, Port& port) {
    const Sender& sender = senders_[c][kLocal];
    put<stream::valid>(port, has_flit(sender, kLocal));
    if (!has_flit(sender, kLocal)) return;
    const Packet& packet = sender.waiting.front();
    put<stream::head>(port, sender.position == 0);
    put<stream::tail>(port, sender.position + 1 == packet.size());
    put_flit(port, 0, packet[sender.position]);
  }
  // Gives places beyond link d back, the reserved one now and then if it is there.
  void drive_credits(unsigned d) {
    unsigned pulse = 0;
    for (unsigned c = 0; c < kClasses; ++c) {
      Receiver& receiver = receivers_[c][d];
      const bool begins =
          !receiver.gives_back && receiver.taken != 0 && !blocked_ && random_.chance(20);
      const bool goes_on = receiver.gives_back && receiver.gives_reserved;
      if (begins) {
        --receiver.taken;
        receiver.gives_reserved = receiver.reserved_is_elsewhere && random_.chance(50);
        if (receiver.gives_reserved) receiver.reserved_is_elsewhere = false;
      }
      if (begins || goes_on) pulse |= 1U << c;
      receiver.gives_back = begins;
    }
    links_[d].put_credits(pulse);
  }
  void see_credits(unsigned d) {
    for (unsigned c = 0; c < kClasses; ++c) {
      Sender& sender = senders_[c][d];
      const Pulses::What what = sender.pulses.see((links_[d].credits() >> c & 1) != 0);
      if (what == Pulses::kPlace) ++sender.places;
      // A packet that goes on along its ring leaves the reserved place behind.
      if (what == Pulses::kReserved) receivers_[c][d ^ 1U].reserved_is_elsewhere = true;
    }
  }
  std::uint64_t read(std::uint32_t address) {
    const auto request = Record<layout::register_request::Layout>()
                             .set<layout::register_request::address>(address)
                             .words();
    for (unsigned i = 0; i < 3; ++i) {
      router_->register_request_i[i] = static_cast<std::uint32_t>(request[i / 2] >> (i % 2 * 32));
    }
    router_->register_valid_i = 1;
    router_.wait_for(
        "the register", [&] { return router_->register_done_o != 0; }, 2);
    const std::uint64_t value = router_->register_response_o[0];
    router_.tick();
    router_->register_valid_i = 0;
    return value;
  }
  void see_flit(unsigned c, unsigned output, bool head, bool tail, const Flit& flit) {
    Receiver& receiver = receivers_[c][output];
    ++flits_[c][output];
    if (head) {
      ASSERT_EQ(receiver.from, kPorts) << "a packet within a packet";
      for (unsigned input = 0; input < kPorts; ++input) {
        const auto& queue = receiver.expected[input];
        if (!queue.empty() && queue.front().front() == flit) receiver.from = input;
      }
      ++receiver.taken;
    }
    ASSERT_LT(receiver.from, kPorts) << "nobody sent this to output " << output;
    std::deque<Packet>& queue = receiver.expected[receiver.from];
    ASSERT_EQ(flit, queue.front()[receiver.position]);
    ASSERT_EQ(tail, ++receiver.position == queue.front().size());
    if (!tail) return;
    turns_.insert({c, receiver.from, output});
    if (output == kLocal) ++ejected_[c][receiver.from];
    queue.pop_front();
    receiver.from = kPorts;
    receiver.position = 0;
    --on_their_way_;
  }
  void see_everything() {
    for (unsigned d = 0; d < kLocal; ++d) {
      const RouterLink& link = links_[d];
      if (link.valid()) see_flit(link.reply() ? 1 : 0, d, link.head(), link.tail(), link.data());
      see_credits(d);
    }
    if (is_valid(router_->inject_request_i) && router_->inject_request_ready_o) {
      advance(senders_[0][kLocal], kLocal);
    }
    if (is_valid(router_->inject_reply_i) && router_->inject_reply_ready_o) {
      advance(senders_[1][kLocal], kLocal);
    }
    if (router_->eject_request_ready_i) see_ejected(0, router_->eject_request_o);
    if (router_->eject_reply_ready_i) see_ejected(1, router_->eject_reply_o);
  }
  template <typename Port>
  void see_ejected(unsigned c, const Port& port) {
    if (!is_valid(port)) return;
    see_flit(c, kLocal, get<stream::head>(port) != 0, get<stream::tail>(port) != 0, get_flit(port));
  }
  template <typename Port>
  static bool is_valid(const Port& port) {
    return get<stream::valid>(port) != 0;
  }
  // The clock is needed while busy_o is high or anything comes in, that of replies while
  // reply_busy_o is high, too, or something of a reply comes in.
  unsigned clocks_at_rest() {
    bool replies = router_->reply_busy_o || is_valid(router_->inject_reply_i);
    bool all =
        router_->busy_o || is_valid(router_->inject_request_i) || is_valid(router_->inject_reply_i);
    for (const RouterLink& link : links_) {
      replies |= (link.valid_in() && link.reply_in()) || link.credits_in() >= 2;
      all |= link.valid_in() || link.credits_in() != 0;
    }
    stopped_ += !all;
    return (all ? 0U : router_.kMain) | (all && replies ? 0U : router_.kReply);
  }
  void cycle() {
    for (unsigned d = 0; d < kLocal; ++d) {
      drive_link(d);
      drive_credits(d);
    }
    drive_injection(0, router_->inject_request_i);
    drive_injection(1, router_->inject_reply_i);
    router_->eject_request_ready_i = !blocked_ && random_.chance(60);
    router_->eject_reply_ready_i = !blocked_ && random_.chance(60);
    router_.settle();
    see_everything();
    router_.stop(stops_clocks_ ? clocks_at_rest() : 0U);
    router_.tick();
    router_->now_i = (router_->now_i + 1) & 0xffff'ffff'ffff;
  }

  Random& random_;
  Clocked<Vmu_router> router_;
  std::vector<RouterLink> links_;
  std::array<Dimension, 3> machine_;
  std::array<std::array<Sender, kPorts>, kClasses> senders_;
  std::array<std::array<Receiver, kPorts>, kClasses> receivers_;
  std::array<std::array<std::uint64_t, kPorts>, kClasses> flits_{};  // that came out
  std::set<Turn> turns_;
  std::array<std::array<unsigned, kPorts>, kClasses> ejected_{};
  std::uint64_t on_their_way_ = 0;
  bool blocked_ = false;
  bool stops_clocks_ = false;
  std::uint64_t stopped_ = 0;
};

TEST(RouterTraffic, TakesEveryTurnInBothClasses) {
  Random random;
  SCOPED_TRACE(random.replay());
  Neighbours neighbours(random);
  for (unsigned place = 0; place < 12; ++place) {
    neighbours.move_elsewhere();
    ASSERT_NO_FATAL_FAILURE(neighbours.load(500, false));
    ASSERT_NO_FATAL_FAILURE(neighbours.drain());
  }
  EXPECT_EQ(neighbours.turns(), all_turns());
}

// Round robin: whoever waits is passed over by each other once at most.
TEST(RouterTraffic, SharesAnOutputEvenlyAmongAllThatAlwaysWantIt) {
  Random random;
  SCOPED_TRACE(random.replay());
  Neighbours neighbours(random);
  neighbours.move_elsewhere();
  ASSERT_NO_FATAL_FAILURE(neighbours.load_the_node(20000));
  for (unsigned c = 0; c < kClasses; ++c) {
    const auto [least, most] = std::ranges::minmax(neighbours.ejected(c));
    EXPECT_GT(least, 40U) << "class " << c;
    EXPECT_LE(most, least + 1) << "class " << c;
  }
}

TEST(RouterTraffic, LosesNothingIfItsClocksStandStillWhileThereIsNoWork) {
  Random random;
  SCOPED_TRACE(random.replay());
  Neighbours neighbours(random);
  neighbours.stop_clocks();
  for (unsigned place = 0; place < 12; ++place) {
    neighbours.move_elsewhere();
    ASSERT_NO_FATAL_FAILURE(neighbours.trickle(3000));
    ASSERT_NO_FATAL_FAILURE(neighbours.load(200, false));
    ASSERT_NO_FATAL_FAILURE(neighbours.drain());
    neighbours.check_counts();
  }
  EXPECT_GT(neighbours.stopped(), 1000U);
}

TEST(RouterTraffic, LosesNothingWhenAllBuffersWereFullAndAllPatienceLost) {
  constexpr unsigned kUntilAllHaveLostPatience = 1200;
  Random random;
  SCOPED_TRACE(random.replay());
  Neighbours neighbours(random);
  for (unsigned place = 0; place < 24; ++place) {
    neighbours.move_elsewhere();
    neighbours.block(true);
    ASSERT_NO_FATAL_FAILURE(neighbours.load(kUntilAllHaveLostPatience, true));
    neighbours.block(false);
    ASSERT_NO_FATAL_FAILURE(neighbours.drain());
  }
}

}  // namespace
}  // namespace torusmu::testing
