// SPDX-License-Identifier: Apache-2.0
// Queues, pairs of queues and completion queues whose counts are large, wrap, and have any bits:
// what they do next is what the model does.
#include <gtest/gtest.h>

#include "tests/support/every_client.h"
#include "tests/support/fence_fixture.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace w = layout::wait_operation;
namespace c = layout::calc_operation;
namespace s = layout::calc_shape;

constexpr unsigned kRounds = 12;
constexpr unsigned kSteps = 16;
constexpr EventId kWaited{8}, kBumped{9};
constexpr std::uint32_t kEntries = 4;

// Queues by what they do: each sender stands before its receiver.
enum Role : std::uint32_t {
  kSender,
  kReceiver,
  kDynamicSender,
  kDynamicReceiver,  // managed
  kFeeder,
  kPiped,
  kPiper,
  kPipeEnd,
  kWaiter,
  kManaged,
  kRoles
};

class OldQueues {
 public:
  OldQueues(Random& random, NodeJudge& judge)
      : random_(random), judge_(judge), old_(judge), clients_(random) {
    open_everything(judge.device(), false);
    open_for_every_client(judge, clients_, random);
    judge.device().store(kSource, pattern(random.bits64(), kRegionBytes));
    for (const EventId event : {kWaited, kBumped}) judge.raw().open_event(event);
    judge.flush();
    choose_queues();
    open_pair(kSender, kReceiver, QueueMode::kReceive);
    open_dynamic_pair();
    open_pair(kFeeder, kPiped, QueueMode::kPiped);
    open_pair(kPiper, kPipeEnd, QueueMode::kReceive);
    open(kWaiter, QueueMode::kDoorbell);
    open(kManaged, QueueMode::kDoorbell, {.managed = true});
    for (std::uint32_t q = 0; q < kRoles; ++q) {
      // Both ends of a pair have the same number of messages behind them.
      const std::uint32_t pair = q / 2;
      if (q % 2 == 0) numbers_.at(pair) = any32();
      rings_.at(q).tail = any_index(random);
      old_.age(id_of(q), rings_.at(q).tail, numbers_.at(pair));
    }
    enabled_ = {static_cast<std::uint32_t>(rings_.at(kDynamicReceiver).tail),
                static_cast<std::uint32_t>(rings_.at(kManaged).tail)};
    for (std::uint32_t c = 0; c < kCompletionQueues; ++c) {
      old_.age(CompletionQueueId{c}, any_index(random), any32());
    }
  }

  void run() {
    for (unsigned step = 0; step < kSteps && judge_.differences() == 0; ++step) {
      const std::uint64_t kind = step < 9 ? step : random_.below(9);
      switch (kind) {
        case 0:
          send_to_receiver();
          break;
        case 1:
          send_dynamically();
          break;
        case 2:
          send_through_pipe();
          break;
        case 3:
          wait_for_event();
          break;
        case 4:
          wait_for_queue();
          break;
        case 5:
          wait_for_entries();
          break;
        case 6:
          enable();
          break;
        case 7:
          post(kWaiter, calculation());
          break;
        default:
          post(kWaiter, fence_of(judge_.here(), kTargetRegion, random_.below(0x100)));
          break;
      }
      settle("step " + std::to_string(step) + " of kind " + std::to_string(kind));
      if (random_.chance(60)) read_entries();
    }
    begin_and_stop_a_pipe();
  }

 private:
  static constexpr std::uint32_t kCompletionQueues = kWaiter;

  std::uint32_t any32() { return static_cast<std::uint32_t>(random_.bits64()); }
  void settle(const std::string& where) { judge_.settle(where); }

  // Any that nothing else uses.
  void choose_queues() {
    std::vector<std::uint32_t> free;
    for (std::uint32_t q = 0; q < kSim.injection_queues; ++q) {
      if (judge_.reference().queue(q).mode() == QueueMode::kOff) free.push_back(q);
    }
    for (std::uint32_t& queue : queues_) {
      const auto chosen = free.begin() + static_cast<std::ptrdiff_t>(random_.below(free.size()));
      queue = *chosen;
      free.erase(chosen);
    }
  }
  QueueId id_of(std::uint32_t role) const { return {queues_.at(role)}; }
  void open(std::uint32_t role, QueueMode mode, QueueRules rules = {}) {
    PostedRing ring{.queue = id_of(role), .owner = kOwner, .base = 0x40000 + role * Address{0x400}};
    ring.slots = 4U << random_.below(2);
    if (random_.chance(50)) {
      const AnyRing any(random_, Descriptor::kBytes, kMostSlots);
      ring.base = any.base;
      ring.slots = any.slots;
    }
    judge_.raw().open_queue(ring.queue, ring.base, ring.slots, mode, rules);
    rings_.at(role) = ring;
  }
  QueueTells tells(std::uint32_t role) {
    const AnyRing any(random_, kSim.completion_bytes, kMostSlots);
    const bool small = random_.chance(50);
    judge_.raw().open_completion_queue({role}, any.base, small ? kEntries : any.slots,
                                       {.interrupt = random_.chance(50), .overwrite = true});
    const int event = random_.chance(30) ? static_cast<int>(random_.below(64)) : -1;
    return {.event = event, .completion = static_cast<int>(role)};
  }
  void open_pair(std::uint32_t sender, std::uint32_t receiver, QueueMode mode) {
    judge_.raw().connect(id_of(sender), judge_.here(), id_of(receiver), tells(sender));
    judge_.raw().connect(id_of(receiver), judge_.here(), id_of(sender), tells(receiver));
    open(sender, QueueMode::kDoorbell);
    open(receiver, mode);
  }
  void open_dynamic_pair() {
    judge_.raw().connect_dynamically(id_of(kDynamicSender), tells(kDynamicSender));
    judge_.raw().connect_dynamically(id_of(kDynamicReceiver), tells(kDynamicReceiver));
    open(kDynamicSender, QueueMode::kDoorbell);
    open(kDynamicReceiver, QueueMode::kReceive, {.managed = true});
  }
  void post(std::uint32_t role, Descriptor descriptor) {
    descriptor.set<d::signal>(role < kWaiter ? 1 : 0).set<d::sequence_number>(any32());
    rings_.at(role).post(judge_, descriptor);
  }
  // In a queue that nothing holds.
  void run_now(const Descriptor& descriptor) {
    judge_.raw().write_descriptor(kDoorbellRing, kRingSlots, now_tail_, descriptor);
    judge_.raw().ring_doorbell(kDoorbellQueue, ++now_tail_);
  }

  Bytes any_length() { return 1 + random_.below(random_.chance(70) ? 64 : 1500); }
  Source any_bytes() { return {kSourceRegion, random_.below(0x8000), any_length()}; }
  // Far longer than what comes; the end of the region is far behind the memory.
  Source any_buffer() {
    if (random_.chance(50)) return {kTargetRegion, random_.below(0x8000), 1500};
    return {kHugeRegion, random_.below(kLargestMemory), 1500 + (random_.bits64() >> 32)};
  }
  void send_to_receiver() {
    post(kReceiver, receive_descriptor(any_buffer()));
    settle("a RECEIVE");
    post(kSender, send_descriptor(any_bytes(), any32()));
  }
  void send_dynamically() {
    post(kDynamicReceiver, receive_descriptor(any_buffer()));
    const bool absolute = random_.chance(50);
    run_now(enable_receives(id_of(kDynamicReceiver), absolute ? enabled_[0] + 1 : 1, absolute));
    ++enabled_[0];
    settle("a RECEIVE");
    post(kDynamicSender,
         dynamic_send_descriptor(judge_.here(), id_of(kDynamicReceiver), any_bytes(), any32()));
  }
  void send_through_pipe() {
    constexpr std::uint32_t kBufferBytes = 1600;
    post(kPiper, pipe_descriptor({kTargetRegion, 0xC000, 2 * kBufferBytes},
                                 {2, id_of(kPiped), kBufferBytes}, any32()));
    settle("a PIPE");
    for (unsigned message = 0; message < 2; ++message) {
      post(kPipeEnd, receive_descriptor(any_buffer()));
      settle("a RECEIVE");
      post(kFeeder, send_descriptor(any_bytes(), any32()));
      settle("a message of the PIPE");
    }
  }
  // Of any number of messages, in buffers of any size, of which only the first holds one.
  void begin_and_stop_a_pipe() {
    const std::uint32_t bytes = any32() | 0x800;
    const bool long_message = random_.chance(50);
    const Source buffers{kHugeRegion,
                         long_message ? kLargestMemory - 1 : random_.below(kLargestMemory / 2),
                         bytes * (1 + random_.below(16))};
    post(kPiper, pipe_descriptor(buffers, {2 + any32() / 2, id_of(kPiped), bytes}, any32()));
    post(kPipeEnd, receive_descriptor(any_buffer()));
    settle("a long PIPE");
    if (long_message) {
      deliver_end_of_long_message(bytes);
    } else {
      post(kFeeder, send_descriptor(any_bytes(), any32()));
    }
    settle("its first message");
    judge_.device().write64(registers::injection_queue::config(id_of(kPiper).value), 0);
    settle("it is stopped");
  }
  // To the PIPE; its beginning has found no memory either.
  void deliver_end_of_long_message(std::uint32_t buffer_bytes) {
    constexpr std::uint32_t kRest = 100;
    const auto before = static_cast<std::uint32_t>(1 + random_.below(buffer_bytes - kRest));
    model::Packet packet =
        put_packet(judge_.here(), judge_.here(), bytes_of(1, kRest), id_of(kPiped).value, before);
    packet.header.set<h::kind>(Kind::kSend).set<h::client>(kOwner.value);
    packet.trailer.set<t::queue>(id_of(kFeeder).value)
        .set<t::index>(before + kRest)
        .set<t::sequence_number>(judge_.reference().queue(id_of(kPiped).value).number);
    old_.age_message(id_of(kPiped), before);
    judge_.deliver_sealed(packet);
  }
  // What the WAIT adds for the lap of its queue is taken back beforehand.
  Descriptor reached_at(Descriptor wait, std::uint32_t count) {
    const PostedRing& ring = rings_.at(kWaiter);
    const std::uint32_t step = any32();
    const auto lap = static_cast<std::uint32_t>(ring.tail / ring.slots);
    return wait.set<d::immediate>(
        WaitOperation().set<w::value>(count - step * lap).set<w::step>(step).bytes());
  }
  void wait_for_event() {
    const std::uint32_t count = any32();
    run_now(add_to_event(kWaited, count).set<d::opcode>(Opcode::kCtrSet));
    settle("a count");
    const auto more = static_cast<std::uint32_t>(random_.below(1U << 31));
    post(kWaiter, reached_at(torusmu::wait_for_event(kWaited, 0), count + more));
    if (random_.chance(50)) {
      // What stands behind it is kept, whatever it is.
      std::array<std::uint8_t, Descriptor::kBytes> bytes{};
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random_.bits64());
      rings_.at(kWaiter).post(judge_, Descriptor::from_bytes(bytes));
    }
    settle("a WAIT for an event counter");
    run_now(add_to_event(kWaited, more));
  }
  void wait_for_queue() {
    const auto done = static_cast<std::uint32_t>(rings_.at(kManaged).tail);
    post(kWaiter, reached_at(torusmu::wait_for_queue(id_of(kManaged), 0), done + 1));
    settle("a WAIT for a queue");
    enable();
  }
  void wait_for_entries() {
    const auto entries =
        static_cast<std::uint32_t>(judge_.reference().completion_queue(kSender).tail);
    post(kWaiter, reached_at(wait_for_completions({kSender}, 0), entries + 1));
    settle("a WAIT for entries");
    send_to_receiver();
  }
  void enable() {
    post(kManaged, put_descriptor(judge_.here(), any_bytes(), kTargetRegion, random_.below(0x8000),
                                  {.event = static_cast<int>(kBumped.value)}));
    const bool absolute = random_.chance(50);
    run_now(enable_receives(id_of(kManaged), absolute ? enabled_[1] + 1 : 1, absolute)
                .set<d::opcode>(Opcode::kSendEn));
    ++enabled_[1];
  }
  // Of vectors anywhere, or of what is no vector at all.
  Descriptor calculation() {
    const bool sound = random_.chance(60);
    const auto place = [&] {
      return sound ? random_.below(kLargestMemory - 0x1000) : random_.bits64() >> 27;
    };
    const auto region = [&] { return sound ? kHugeRegion.value : clients_.in_use(random_); };
    // Of the region of its client only the first bytes are in memory.
    const auto result = random_.chance(30) ? clients_.region_of(kOwner).value : region();
    const auto operands = CalcOperation()
                              .set<c::left_region>(region())
                              .set<c::left_offset>(place())
                              .set<c::right_region>(region())
                              .set<c::right_offset>(place());
    const auto shape = CalcShape()
                           .set<s::result_stride>(random_.chance(50) ? 0 : random_.bits64() >> 24)
                           .set<s::row_elements>(any32());
    const bool direct = sound || random_.chance(50);
    return Descriptor()
        .set<d::opcode>(Opcode::kCalc)
        .set<d::immediate_valid>(direct)
        .set<d::operands>(sound ? 1 + random_.below(2) : random_.below(16))
        .set<d::reduction>(static_cast<Reduction>(random_.below(sound ? 4 : 12)))
        .set<d::element>(static_cast<Element>(sound ? 6 + random_.below(2) : random_.below(12)))
        .set<d::length>(sound ? 1 + random_.below(800) : random_.bits64() >> 27)
        .set<d::source_region>(clients_.in_use(random_))
        .set<d::source_offset>(random_.bits64() >> 27)
        .set<d::immediate>(direct ? operands.bytes() : shape.bytes())
        .set<d::header>(
            PacketHeader().set<h::target>(result).set<h::offset>(place()).set<h::word>(any32()));
  }
  void read_entries() {
    for (std::uint32_t c = 0; c < kCompletionQueues; ++c) {
      const auto& queue = judge_.reference().completion_queue(c);
      judge_.raw().set_completion_head({c}, static_cast<std::uint32_t>(queue.tail));
    }
  }

  Random& random_;
  NodeJudge& judge_;
  OldNode old_;
  ClientNumbers clients_;
  std::array<std::uint32_t, kRoles> queues_{};
  std::array<PostedRing, kRoles> rings_{};
  std::array<std::uint32_t, (kRoles) / 2> numbers_{};
  std::array<std::uint32_t, 2> enabled_{};  // of the two managed queues
  std::uint32_t now_tail_ = 0;
};

TEST(OldNode, GoesOnWithItsQueuesAsTheModelDoes) {
  Random random(20'000);
  SCOPED_TRACE(random.replay());
  for (unsigned round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    NodeJudge judge(anywhere(random));
    OldQueues queues(random, judge);
    queues.run();
    ASSERT_EQ(judge.differences(), 0U);
  }
}

}  // namespace
}  // namespace torusmu::testing
