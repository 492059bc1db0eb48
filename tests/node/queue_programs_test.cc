// SPDX-License-Identifier: Apache-2.0
// Random programs of queues that wait for counters, for one another and for completion queues,
// enable one another, loop, calculate, put, fence, send to receive queues and forward by PIPEs, and
// are configured anew whatever they wait for, while a boot buffer is drained into a FIFO: node and
// reference model, which runs one descriptor after the other, come to rest in the same state after
// every step.
#include <gtest/gtest.h>

#include "tb/reference_model/reduction.h"
#include "tests/support/boot_buffer_fixture.h"
#include "tests/support/fence_fixture.h"
#include "tests/support/node_setup.h"
#include "tests/support/node_under_test.h"
#include "tests/support/seed.h"
#include "torusmu/waits.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace w = layout::wait_operation;
namespace c = layout::calc_operation;
namespace f = registers::injection_queue::config_field;

constexpr std::uint32_t kPrograms = 6;  // queues 13 to 18
constexpr std::uint32_t kFirst = 13;
// Each but the last sends to a receive queue of its own, 19 to 23. What the one of kSender receives
// goes on by PIPEs of the program kPiper, or is stored by one; others send there what they have.
constexpr std::uint32_t kFirstReceive = kFirst + kPrograms;
constexpr std::uint32_t kSender = 3, kPiper = 4, kLast = 5;
constexpr std::array kReceivers{0U, 1U, 2U, kPiper};
constexpr std::uint32_t kDynamic = 3;  // the first three may be dynamically connected
constexpr std::uint32_t kSlots = 8;
// Every queue has a completion queue of its own, so that its entries have an order.
constexpr std::uint32_t kEntries = 6;
constexpr std::uint32_t kCompletionTarget = 128;
constexpr Cycles kRetryCycles = 8192;  // 255 times that is longer than a program
constexpr std::uint32_t kEvents = 4;   // event counters 8 to 11
constexpr std::uint32_t kFirstEvent = 8;
constexpr std::uint32_t kTargets = 3;
constexpr Bytes kTargetList = 0xF00;  // in what a queue has of the source region
constexpr Bytes kOwnBytes = 0x1000;   // of each region, for one queue: no two queues touch the same
constexpr Bytes kLists = 0x8000;      // in the source region: lists of buffers of PIPEs
constexpr std::uint32_t kListedBytes = 0x500;
constexpr unsigned kRounds = 80;
constexpr FifoId kBootFifo{5};
constexpr Address kBootRing = 0x50010;

Address ring_of(std::uint32_t queue) { return 0x40000 + queue * 0x400; }
Address entries_of(std::uint32_t completion_queue) { return 0x60000 + completion_queue * 0x201; }

struct Program {
  bool cyclic = false;
  bool managed = false;
  bool dynamic = false;  // its send queue and its receive queue, of which it is the only sender
  std::uint32_t slots = 0;
  std::uint64_t config = 0;
  std::uint32_t tail = 0;
};

class QueuePrograms {
 public:
  QueuePrograms(Random& random, NodeUnderTest& node) : random_(random), judge_(node) {
    Device& device = judge_.device();
    open_everything(device, false);
    device.write64(registers::node::credit_timeout_cycles(), 0);
    device.store(kSource, pattern(random.bits64(), kRegionBytes));
    for (std::uint32_t q = 0; q < kPrograms; ++q) store_targets(q);
    for (std::uint32_t e = 0; e < kEvents; ++e) judge_.raw().open_event({kFirstEvent + e});
    device.write64(registers::node::send_retry_cycles(), kRetryCycles);
    for (std::uint32_t c = 0; c < 2 * kPrograms; ++c) {
      judge_.raw().open_completion_queue(
          {c}, entries_of(c), kEntries,
          {.interrupt = random.chance(50), .overwrite = random.chance(50)});
    }
    for (Program& program : programs_) program.cyclic = random.chance(25);
    for (std::uint32_t r = 0; r < kDynamic; ++r) programs_[r].dynamic = random.chance(40);
    programs_[kPiper].cyclic = false;
    for (const std::uint32_t r : kReceivers) open_receives(r);
    open_piped();
    for (std::uint32_t q = 0; q < kPrograms; ++q) {
      programs_[q].managed = random.chance(30);
      open_program(q);
    }
    device.write64(registers::reception_fifo::base(kBootFifo.value), kBootRing);
    device.write64(registers::reception_fifo::size(kBootFifo.value), kBootSlots);
    open_boot_buffer(device, kOwner);
    write_config(device, kBootFifo, kBoots);
    judge_.let_retries_run(kRetryCycles);
    judge_.settle("set-up");
  }

  void run() {
    for (unsigned step = 0; step < 25 && judge_.differences() == 0; ++step) {
      if (random_.chance(40)) boot();
      const std::uint32_t q = random_below(kPrograms);
      const auto kind = random_.below(16);
      if (kind < 5 && !programs_[q].cyclic) {
        post(q, 1 + random_below(4));
      } else if (kind < 8) {
        post_receives(any_receiver(), 1 + random_below(4));
      } else if (kind < 9) {
        run_now(enable_receives({kFirstReceive + any_receiver()}, 1 + random_below(3)));
      } else if (kind < 10) {
        read_entries(random_below(2 * kPrograms));
      } else if (kind < 14) {
        add_to_event();
      } else if (kind < 15) {
        enable_some(q);
      } else {
        configure_anew(q);
      }
      judge_.let_retries_run(kRetryCycles);
      judge_.settle("step " + std::to_string(step));
    }
    count_messages();
  }
  // That were received.
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

 private:
  std::uint32_t random_below(std::uint32_t n) {
    return static_cast<std::uint32_t>(random_.below(n));
  }
  static Descriptor with(Opcode opcode, std::uint32_t value, std::uint32_t step = 0) {
    return Descriptor().set<d::opcode>(opcode).set<d::immediate>(
        WaitOperation().set<w::value>(value).set<w::step>(step).bytes());
  }

  Descriptor wait_for_event(std::uint32_t value, std::uint32_t step) {
    return with(Opcode::kWait, value, step)
        .set<d::event_valid>(1)
        .set<d::event_counter>(kFirstEvent + random_below(kEvents));
  }
  // A put to this node, into the first half of the queue's own part, that bumps an event counter.
  Descriptor put(std::uint32_t q) {
    const Bytes at = q * kOwnBytes + random_below(0x200);
    const Arrival arrival{
        .event = random_.chance(60) ? static_cast<int>(kFirstEvent + random_below(kEvents)) : -1};
    const Bytes length = 1 + random_below(random_.chance(80) ? 64 : 1500);
    return put_descriptor(judge_.here(), {kSourceRegion, at, length}, kTargetRegion, at, arrival);
  }
  // Lists of targets for the results of CALC, in this node and in others; few of them cannot be.
  void store_targets(std::uint32_t q) {
    for (std::uint32_t n = 0; n < kTargets; ++n) {
      const std::uint32_t nodes = judge_.device().shape().nodes();
      const Coordinates to = random_.chance(50)
                                 ? judge_.here()
                                 : judge_.device().shape().coordinates({random_below(nodes)});
      const PacketHeader target =
          PacketHeader()
              .set<h::dst_x>(random_.chance(97) ? to.x : 15)
              .set<h::dst_y>(to.y)
              .set<h::dst_z>(to.z)
              .set<h::target>((random_.chance(95) ? kTargetRegion : kClosedRegion).value)
              .set<h::offset>(q * kOwnBytes + 0xC00);
      const auto bytes = target.bytes();
      judge_.device().store(kSource + q * kOwnBytes + kTargetList + n * PacketHeader::kBytes,
                            std::as_bytes(std::span(bytes)));
    }
  }
  // Into the second half, and not from where puts go: their data may be on its way.
  Descriptor calculate(std::uint32_t q) {
    const Bytes at = q * kOwnBytes;
    const auto operands = CalcOperation()
                              .set<c::left_region>(kSourceRegion.value)
                              .set<c::left_offset>(at + random_below(256))
                              .set<c::right_region>(kSourceRegion.value)
                              .set<c::right_offset>(at + random_below(256));
    const auto element = static_cast<Element>(random_below(12));
    return Descriptor()
        .set<d::opcode>(Opcode::kCalc)
        .set<d::immediate_valid>(1)
        .set<d::operands>(1 + random_below(2))
        .set<d::targets>(random_.chance(50) ? random_below(kTargets + 1) : 0)
        .set<d::source_region>(kSourceRegion.value)
        .set<d::source_offset>(at + kTargetList)
        .set<d::reduction>(static_cast<Reduction>(random_below(4)))
        .set<d::element>(element)
        .set<d::length>(model::bits_of_element(element) / 8 * (1 + random_below(100)))
        .set<d::immediate>(operands.bytes())
        .set<d::header>(
            PacketHeader().set<h::target>(kTargetRegion.value).set<h::offset>(at + 0x800));
  }
  std::uint32_t any_receiver() { return kReceivers.at(random_below(kReceivers.size())); }

  // To the receive queue of its pair; it may be longer than the buffer there.
  Descriptor send(std::uint32_t q) {
    const Bytes length = 1 + random_below(random_.chance(70) ? 64 : 1500);
    const int event = random_.chance(30)  ? static_cast<int>(kFirstEvent + random_below(kEvents))
                      : random_.chance(5) ? static_cast<int>(kForeignEvent.value)
                                          : -1;
    const Source from{kSourceRegion, q * kOwnBytes, length};
    const std::uint32_t word = random_below(1U << 20);
    const Arrival arrival{.event = event, .interrupt = random_.chance(10)};
    return programs_[q].dynamic
               ? dynamic_send_descriptor(judge_.here(), {kFirstReceive + q}, from, word, arrival)
               : send_descriptor(from, word, arrival);
  }
  Descriptor receive(std::uint32_t r) {
    const Bytes length = r == kPiper || random_.chance(60) ? 1500 : 1 + random_below(1500);
    // A loop of bad ones would run for ever. A bad one behind one that has left its dynamic queue
    // is told before the message of that, or behind it.
    // What goes on by a PIPE is taken: how much of what comes behind a failure it still takes is
    // not said.
    const bool good =
        r == kPiper || receives_[r].cyclic || programs_[r].dynamic || random_.chance(95);
    const RegionId region = good ? kTargetRegion : kForeignRegion;
    return receive_descriptor({region, (kPrograms + r) * kOwnBytes + random_below(0x400), length});
  }
  Descriptor enable(std::uint32_t q, std::uint32_t count) {
    return with(Opcode::kSendEn, count)
        .set<d::relative>(1)
        .set<d::header>(PacketHeader().set<h::target>(kFirst + q));
  }
  // Where it asks may be no place of this node.
  Descriptor fence() {
    constexpr std::array kRegions{kClosedRegion, kSourceRegion, kHugeRegion};
    if (random_.chance(80)) return fence_of(judge_.here(), kTargetRegion, random_below(0x100));
    return fence_of(judge_.here(), kRegions.at(random_below(kRegions.size())), Bytes{1} << 30);
  }
  // Up to three buffers, none on another, in any order; some lists are bad.
  Descriptor listed_pipe(Source place, Arrival arrival) {
    std::vector<Source> buffers;
    const std::uint32_t count = 1 + random_below(3), first = random_below(3);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Bytes at = (first + i) % 3 * kListedBytes + random_below(64);
      buffers.push_back({place.region, place.offset + at, 1 + random_below(kListedBytes - 64)});
    }
    if (random_.chance(10)) buffers.back().length = 0;
    if (random_.chance(10)) {
      buffers.front().region = random_.chance(50) ? kClosedRegion : kForeignRegion;
    }
    const auto list = list_of(buffers);
    const Source at{kSourceRegion, kLists + lists_++ % 64 * Bytes{64}, list.size()};
    judge_.device().store(kSource + at.offset, list);
    return pipe_through(at, {1 + random_below(4), {kFirstReceive + kSender}},
                        random_below(1U << 20), arrival);
  }
  // One buffer or some; what it receives may be longer.
  Descriptor pipe() {
    const std::uint32_t bytes = 1 + random_below(1500);
    const Source buffers{kTargetRegion, (kPrograms + kSender) * kOwnBytes,
                         bytes * (1 + random_below(2)) + random_below(bytes)};
    const Arrival arrival{
        .event = random_.chance(30) ? static_cast<int>(kFirstEvent + random_below(kEvents)) : -1};
    if (random_.chance(20)) return pipe_from(buffers, bytes, random_below(1U << 20), arrival);
    if (random_.chance(25)) return pipe_into(buffers, {kFirstReceive + kSender}, bytes);
    if (random_.chance(40)) return listed_pipe(buffers, arrival);
    return pipe_descriptor(buffers, {1 + random_below(4), {kFirstReceive + kSender}, bytes},
                           random_below(1U << 20), arrival);
  }
  Descriptor any(std::uint32_t q) {
    const auto kind = random_.below(100);
    Descriptor result;
    const bool sends = (kind >= 70 && kind < 80) || (q < kLast && random_.chance(40));
    if (q == kPiper && random_.chance(40)) {
      result = pipe();
    } else if (sends) {
      result = send(q);
    } else if (kind < 25) {
      result = wait_for_event(random_below(6), random_below(2));
    } else if (kind < 35) {
      result = wait_for_event(random_below(2), 0).set<d::relative>(1);
    } else if (kind < 45) {
      result = with(Opcode::kWait, random_below(6))
                   .set<d::on_queue>(1)
                   .set<d::header>(PacketHeader().set<h::target>(queue_to_wait_for()));
    } else if (kind < 55) {
      result = enable(random_.chance(90) ? random_below(kPrograms) : random_below(200),
                      1 + random_below(3));
    } else if (kind < 65) {
      result = calculate(q);
    } else if (kind < 84) {
      result = enable_receives({kFirstReceive + any_receiver()}, 1 + random_below(3));
    } else if (kind < 87) {
      result = Descriptor().set<d::opcode>(static_cast<Opcode>(random_below(12)));
      if (result.get<d::opcode>() == Opcode::kCtrSet) result.set<d::opcode>(Opcode::kNop);
    } else if (kind < 93) {
      result = fence();
    } else {
      result = put(q);
    }
    if (random_.chance(20)) {
      result.set<d::done_event_valid>(1).set<d::done_event>(kFirstEvent + random_below(kEvents));
    }
    if (random_.chance(10)) result.set<d::interrupt_done>(1);
    if (random_.chance(25)) result.set<d::signal>(1);
    return result;
  }
  std::uint32_t queue_to_wait_for() {
    const auto kind = random_.below(100);
    if (kind < 50) return kFirst + random_below(2 * kPrograms - 1);
    if (kind < 90) return kCompletionTarget + random_below(2 * kPrograms + 1);
    return random_below(256);
  }

  // Whom a queue talks to, and where what it has done is told: a loop may not feed itself.
  void tell(std::uint32_t queue, std::uint32_t peer, std::uint32_t completion_queue,
            bool may_bump) {
    const bool bumps = may_bump && random_.chance(40);
    judge_.device().write64(registers::injection_queue::config(queue), 0);
    const QueueTells tells{
        .event = bumps ? static_cast<int>(kFirstEvent + random_below(kEvents)) : -1,
        .completion = random_.chance(90) ? static_cast<int>(completion_queue) : -1};
    if (programs_[(queue - kFirst) % kPrograms].dynamic) {
      judge_.raw().connect_dynamically({queue}, tells);
    } else {
      judge_.raw().connect({queue}, judge_.here(), {peer}, tells);
    }
  }
  // The last sends where it is no peer.
  void open_program(std::uint32_t q) {
    Device& device = judge_.device();
    Program& program = programs_[q];
    program.slots = program.cyclic ? 2U << random_below(2) : kSlots;
    tell(kFirst + q, kFirstReceive + q % kLast, q, !program.cyclic);
    device.write64(registers::injection_queue::base(kFirst + q), ring_of(kFirst + q));
    device.write64(registers::injection_queue::size(kFirst + q), program.slots);
    program.config = queue_config(QueueMode::kDoorbell, kOwner, random_.chance(25));
    program.config =
        insert(insert(program.config, f::cyclic, program.cyclic), f::managed, program.managed);
    program.tail = 0;
    device.write64(registers::injection_queue::config(kFirst + q), program.config);
    if (program.cyclic) post_loop(q, program.slots);
  }
  void open_piped() {
    tell(kFirstReceive + kSender, kFirst + kSender, kPrograms + kSender, true);
    judge_.raw().open_queue({kFirstReceive + kSender}, ring_of(kFirstReceive + kSender), kSlots,
                            QueueMode::kPiped, {});
  }
  // With what it waits for outstanding, or its PIPE; both ends of a pair, or numbers would differ.
  // What sends goes first, and begins last; who waits for a PIPE's turn has it in between.
  void configure_anew(std::uint32_t q) {
    count_messages();
    judge_.device().write64(registers::injection_queue::config(kFirst + q), 0);
    if (q != kLast) {
      judge_.device().write64(registers::injection_queue::config(kFirstReceive + q), 0);
    }
    judge_.let_retries_run(kRetryCycles);
    judge_.settle("off");
    if (q == kSender) {
      open_piped();
    } else if (q != kLast) {
      receives_[q].tail = 0;
      open_receives(q);
    }
    open_program(q);
  }
  void count_messages() {
    for (const std::uint32_t r : kReceivers) {
      const model::Queue& queue = judge_.reference().queue(kFirstReceive + r);
      messages_ += queue.dynamic() ? queue.head : queue.number;
    }
  }
  void open_receives(std::uint32_t r) {
    Program& program = receives_[r];
    program.cyclic = random_.chance(25);
    program.managed = random_.chance(40);
    const std::uint32_t slots = program.cyclic ? 1U << random_below(3) : kSlots;
    tell(kFirstReceive + r, kFirst + r, kPrograms + r, !programs_[r].cyclic);
    judge_.raw().open_queue({kFirstReceive + r}, ring_of(kFirstReceive + r), slots,
                            QueueMode::kReceive,
                            {.cyclic = program.cyclic, .managed = program.managed});
    if (program.cyclic) post_receives(r, slots);
  }
  void post_receives(std::uint32_t r, std::uint32_t count) {
    RawNode node = judge_.raw();
    Program& program = receives_[r];
    const std::uint32_t queue = kFirstReceive + r;
    if (program.cyclic && program.tail != 0) return;
    const std::uint32_t slots = program.cyclic ? count : kSlots;
    const auto head = static_cast<std::uint32_t>(judge_.reference().queue(queue).head);
    for (std::uint32_t i = 0; i < count && program.tail - head < slots; ++i) {
      Descriptor descriptor = receive(r);
      if (random_.chance(50)) descriptor.set<d::signal>(1);
      node.write_descriptor(ring_of(queue), slots, program.tail++, descriptor);
    }
    node.ring_doorbell({queue}, program.tail);
  }
  void read_entries(std::uint32_t completion_queue) {
    const auto tail = judge_.reference().completion_queue(completion_queue).tail;
    judge_.raw().set_completion_head({completion_queue}, static_cast<std::uint32_t>(tail));
  }

  // Every lap waits for one more of a counter, so that the loop does not run for ever; it may not
  // feed that counter.
  void post_loop(std::uint32_t q, std::uint32_t slots) {
    RawNode node = judge_.raw();
    const std::uint32_t fed = kFirstEvent + random_below(kEvents);
    for (std::uint32_t i = 0; i < slots; ++i) {
      Descriptor descriptor;
      if (i == 0) {
        descriptor = with(Opcode::kWait, 1, 1 + random_below(2))
                         .set<d::event_valid>(1)
                         .set<d::event_counter>(fed);
      } else if (random_.chance(30)) {
        descriptor = send(q).set<d::event_valid>(0);
      } else if (random_.chance(30)) {
        descriptor = fence();
      } else {
        descriptor = put_descriptor(judge_.here(), {kSourceRegion, q * kOwnBytes, 40},
                                    kTargetRegion, q * kOwnBytes + 64, {});
      }
      node.write_descriptor(ring_of(kFirst + q), slots, i, descriptor);
    }
    programs_[q].tail = slots;
    node.ring_doorbell({kFirst + q}, slots);
  }
  void post(std::uint32_t q, std::uint32_t count) {
    RawNode node = judge_.raw();
    Program& program = programs_[q];
    const auto head = static_cast<std::uint32_t>(judge_.reference().queue(kFirst + q).head);
    for (std::uint32_t i = 0; i < count && program.tail - head < kSlots; ++i) {
      node.write_descriptor(ring_of(kFirst + q), kSlots, program.tail++, any(q));
    }
    node.ring_doorbell({kFirst + q}, program.tail);
  }
  // By the doorbell queue of the set-up, which never waits.
  void run_now(const Descriptor& descriptor) {
    RawNode node = judge_.raw();
    node.write_descriptor(kDoorbellRing, kRingSlots, tail_, descriptor);
    node.ring_doorbell(kDoorbellQueue, ++tail_);
  }
  void add_to_event() {
    run_now(with(Opcode::kCtrAdd, 1 + random_below(2))
                .set<d::event_valid>(1)
                .set<d::event_counter>(kFirstEvent + random_below(kEvents)));
  }
  void enable_some(std::uint32_t q) { run_now(enable(q, 1 + random_below(4))); }

  // The process of a FIFO starts, and the MU drains what was kept for it while programs go on; or
  // it has read all of that, and another is expected.
  void boot() {
    const auto& fifo = judge_.reference().fifo(kBootFifo.value);
    if (!fifo.enabled()) {
      for (std::uint64_t n = 1 + random_.below(6); n > 0; --n) {
        judge_.deliver_sealed(fifo_packet(packets_++, random_.below(kSim.payload_bytes + 1),
                                          kBootFifo, Coordinates{0, 1, 1}, judge_.here()));
      }
      judge_.settle("kept");
      write_config(judge_.device(), kBootFifo, kMoves);
    } else {
      judge_.raw().set_fifo_head(kBootFifo, static_cast<std::uint32_t>(fifo.tail));
      judge_.settle("read");
      write_config(judge_.device(), kBootFifo, kBoots);
      judge_.settle("expected");
    }
  }

  std::uint32_t lists_ = 0, packets_ = 0;
  Random& random_;
  NodeUnderTest& judge_;
  std::array<Program, kPrograms> programs_{};
  std::array<Program, kPrograms> receives_{};
  std::uint64_t messages_ = 0;
  std::uint32_t tail_ = 0;
};

// For a program that did not end as it should: what is held, and by whom.
std::string waits_of(NodeUnderTest& node) {
  const NodeQueues queues = look_at_queues(node.device(), kSim);
  return who_waits(node.device().shape(), {&queues, 1}).text();
}

TEST(RandomQueuePrograms, EndAsInTheModel) {
  Random random(1729);
  SCOPED_TRACE(random.replay());
  std::uint64_t messages = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    NodeUnderTestOf<NodeJudge> judge(NodeBenchOptions{.seed = random.bits64()});
    QueuePrograms programs(random, judge);
    programs.run();
    ASSERT_EQ(judge.differences(), 0U) << waits_of(judge);
    messages += programs.messages();
  }
  EXPECT_GT(messages, kRounds) << "hardly a message is received: the programs test little";
}

TEST(RandomQueuePrograms, ComeToRestInTheModel) {
  Random random(1730);
  SCOPED_TRACE(random.replay());
  std::uint64_t messages = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    NodeUnderTestOf<ModelNode> node;
    QueuePrograms programs(random, node);
    programs.run();
    messages += programs.messages();
  }
  EXPECT_GT(messages, kRounds) << "hardly a message is received: the programs test little";
}

}  // namespace
}  // namespace torusmu::testing
