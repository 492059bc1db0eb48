// SPDX-License-Identifier: Apache-2.0
// Boot buffers of several clients under random packets, openings and switches: node and reference
// model are in the same state after every few steps.
#include <gtest/gtest.h>

#include <array>

#include "tests/support/boot_buffer_fixture.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

constexpr unsigned kRounds = 150;
constexpr unsigned kSteps = 24;
constexpr unsigned kStepsBetweenLooks = 6;
constexpr std::uint32_t kFirstFifo = 5, kFifos = 3;
constexpr std::uint32_t kOwners = 3;
constexpr std::uint32_t kRingSlotsOfFifo = 64;
constexpr Coordinates kSender{0, 1, 1};

class BootTraffic {
 public:
  BootTraffic(Random& random, NodeUnderTest& node) : random_(random), node_(node) {
    open_everything(node_.device(), false);
    for (std::uint32_t f = kFirstFifo; f < kFirstFifo + kFifos; ++f) {
      node_.device().write64(registers::reception_fifo::base(f), 0x50000 + f * 0x1000 + f);
      node_.device().write64(registers::reception_fifo::size(f), kRingSlotsOfFifo);
      node_.device().write64(registers::reception_fifo::threshold(f), random_.below(40));
    }
    for (std::uint32_t client = 0; client < kOwners; ++client) {
      open_boot_buffer(node_.device(), {client}, random_.chance(50) ? kBootSlots : 32);
    }
    node_.settle("set-up");
  }

  void run() {
    for (unsigned step = 0; step < kSteps && node_.differences() == 0; ++step) {
      const auto kind = random_.below(100);
      if (kind < 55) {
        send(1 + random_.below(4));
      } else if (kind < 70) {
        start();
      } else if (kind < 78) {
        configure();
      } else {
        move_head();
      }
      if (step % kStepsBetweenLooks == 0) node_.settle("step " + std::to_string(step));
    }
    node_.settle("the end");
    for (std::uint32_t client = 0; client < kOwners; ++client) {
      const auto& buffer = node_.reference().fifo(boot_buffer_of({client}).value);
      moved_ += buffer.head;
      stored_ += buffer.tail;
      refused_ += buffer.refused;
    }
  }
  // In the last openings: slots, and packets.
  [[nodiscard]] std::uint64_t stored() const { return stored_; }
  [[nodiscard]] std::uint64_t moved() const { return moved_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_.below(n)); }

  void send(std::uint64_t count) {
    const FifoId fifo{kFirstFifo + below(kFifos)};
    for (std::uint64_t i = 0; i < count; ++i) {
      const bool reply = random_.chance(4);
      const Bytes bytes = reply                ? random_.below(33)
                          : random_.chance(60) ? kSim.payload_bytes
                                               : random_.below(kSim.payload_bytes + 1);
      model::Packet packet = fifo_packet(number_++, bytes, fifo, kSender, node_.here());
      packet.header.set<h::reply>(reply)
          .set<h::on_behalf>(random_.chance(10))
          .set<h::client>(below(kOwners));
      packet.trailer.set<t::counter_valid>(random_.chance(4))
          .set<t::event_valid>(random_.chance(4))
          .set<t::interrupt>(random_.chance(20));
      node_.deliver_sealed(packet);
    }
  }
  // The process of a client is there: the MU moves what was kept, or the process reads it itself.
  void start() {
    const FifoId fifo{kFirstFifo + below(kFifos)};
    const auto& state = node_.reference().fifo(fifo.value);
    if (!state.boots()) return;
    const ClientId owner{state.owner()};
    const bool moves = random_.chance(70);
    node_.settle("before the start");
    configure(fifo, {.enable = true,
                     .interrupt = random_.chance(20),
                     .boot = moves,
                     .owner = owner,
                     .keeper = {state.keeper()}});
    node_.settle("started");
    if (!moves) read(boot_buffer_of(owner));
  }
  void configure() {
    if (random_.chance(15)) {
      open_boot_buffer(node_.device(), {below(kOwners)}, random_.chance(50) ? kBootSlots : 32);
    }
    const ClientId owner{below(kOwners)};
    const FifoId keeper = boot_buffer_of(random_.chance(90) ? owner : ClientId{below(kOwners)});
    configure({kFirstFifo + below(kFifos)}, {.enable = random_.chance(35),
                                             .reply_only = random_.chance(5),
                                             .interrupt = random_.chance(20),
                                             .boot = random_.chance(75),
                                             .owner = owner,
                                             .keeper = keeper});
    node_.settle("configured");
  }
  void configure(FifoId fifo, const FifoConfig& config) {
    write_config(node_.device(), fifo, config);
  }
  // Software reads a FIFO.
  void move_head() { read({kFirstFifo + below(kFifos)}); }
  void read(FifoId fifo) {
    const auto& ring = node_.reference().fifo(fifo.value);
    if (!ring.enabled()) return;
    const auto unread = static_cast<std::uint32_t>(ring.tail - ring.head);
    const std::uint32_t read = random_.chance(60) ? unread : below(unread + 1);
    RawNode(node_.device(), {ring.owner()})
        .set_fifo_head(fifo, static_cast<std::uint32_t>(ring.head) + read);
    node_.settle("read");  // for what was kept may find room
  }

  Random& random_;
  NodeUnderTest& node_;
  std::uint32_t number_ = 0;
  std::uint64_t stored_ = 0, moved_ = 0, refused_ = 0;
};

template <typename Node, typename... Options>
void play(std::uint64_t default_seed) {
  Random random(default_seed);
  SCOPED_TRACE(random.replay());
  std::uint64_t stored = 0, moved = 0, refused = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    NodeUnderTestOf<Node> node(Options{.seed = random.bits64()}...);
    BootTraffic traffic(random, node);
    traffic.run();
    ASSERT_EQ(node.differences(), 0U);
    stored += traffic.stored();
    moved += traffic.moved();
    refused += traffic.refused();
  }
  EXPECT_GT(stored, 10 * kRounds) << "hardly a packet is stored: this tests little";
  EXPECT_GT(moved, 2 * kRounds) << "hardly a packet is moved: this tests little";
  EXPECT_GT(refused, kRounds / 40) << "hardly a buffer is full: this tests little";
}

TEST(RandomBootBuffers, AreAsInTheModel) { play<NodeJudge, NodeBenchOptions>(8529); }
TEST(RandomBootBuffers, TakePacketsInTheModel) { play<ModelNode>(8528); }

}  // namespace
}  // namespace torusmu::testing
