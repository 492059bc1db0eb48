// SPDX-License-Identifier: Apache-2.0
// model: Vmu_send_engine mu_send_engine
// bgp:
//
// All queues at once, each with a program of SENDs, FENCEs, RECEIVEs, WAITs, CALCs and what stands
// between them. The test plays peers, targets and receive queues, and knows what every packet,
// buffer, completion entry, counter and register must be.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/held_programs.h"
#include "tests/support/injection_fixture.h"

namespace torusmu::testing::held {
namespace {

namespace b = layout::receive_buffer;
namespace e = layout::completion_entry;
namespace m = layout::received_message;
namespace t = layout::packet_trailer;
namespace c = registers::injection_queue;
using Message = Record<m::Layout>;

class HeldDescriptors : public InjectionFixture {
 protected:
  struct Answer {
    std::uint64_t cycle;
    unsigned queue;
    std::uint32_t number;
    Status status;
    std::uint32_t node;
    bool fence;
    Step* ended;  // by it, if any
  };
  struct End {
    std::uint64_t cycle;
    unsigned queue;
  };

  void begin(bool pipes) {
    for (auto& event : bench_.around.events) event = {true, kClient};
    for (unsigned event = 0; event < kEvents; ++event) {
      counts_[event] = static_cast<std::uint32_t>(random_.bits64());
      bench_.event_values[event] = counts_[event];
    }
    programs_ = ProgramMaker(random_, counts_, pipes).programs;
    bench_.limit<layout::node_limits::send_retry_cycles>(400);
    bench_.limit<layout::node_limits::send_retries>(255);
    bench_.fetch.latency = 1 + below(30);
    bench_.payload.latency = 1 + below(30);
    for (Reader* reader : {&bench_.fetch, &bench_.payload}) {
      reader->command_chance = 40 + below(61);
      reader->beat_chance = 40 + below(61);
    }
    bench_.request_chance = 50 + below(51);
    bench_.operation_chance = 30 + below(71);
    bench_.calc_latency = below(60);
    for (unsigned queue = 0; queue < kCompletionQueues; ++queue) {
      bench_.make_completion_queue(queue, 1024, kClient);
    }
    for (unsigned queue = 0; queue < kQueues; ++queue) make(queue);
  }
  void make(unsigned queue) {
    const Program& program = programs_[queue];
    ASSERT_EQ(bench_.write(RegisterUnit::kQueue, c::peer(queue), program.peer), Status::kOk);
    const Address slots = 0x40000 + queue * 0x800;
    if (program.piped) {
      bench_.make_queue(queue, slots, kRingSlots, QueueMode::kPiped, kClient);
      return;
    }
    bench_.make_old_queue(queue, slots, kRingSlots, program.first,
                          program.receives ? QueueMode::kReceive : QueueMode::kDoorbell, kClient);
    for (const Step& step : program.steps) bench_.put(queue, step.descriptor);
  }
  void play() {
    for (unsigned queue = 0; queue < kQueues; ++queue) {
      if (programs_[queue].piped) continue;
      ASSERT_EQ(bench_.doorbell(queue), Status::kOk);
    }
    for (unsigned i = 0; !done(); ++i) {
      ASSERT_LT(i, 60U) << "not all is done";
      for (unsigned k = 0; k < 300 && !HasFatalFailure(); ++k) play_cycle();
      if (HasFatalFailure()) return;
    }
    while (!messages_.empty() && !HasFatalFailure()) play_cycle();
    bench_.drain();
    take_packets();
  }
  bool done() {
    for (unsigned queue = 0; queue < kQueues; ++queue) {
      const Program& program = programs_[queue];
      if (program.piped) continue;
      const auto end = static_cast<std::uint32_t>(program.first + program.steps.size());
      if (bench_.read(RegisterUnit::kQueue, c::head(queue)) != end) return false;
    }
    return true;
  }

  // One thing that neighbours do a cycle, if there is any.
  void play_cycle() {
    take_packets();
    for (; buffers_ < bench_.buffers.size(); ++buffers_) take(bench_.buffers[buffers_]);
    if (!answers_.empty() && bench_.cycle() >= answers_.front().cycle) {
      const Answer due = answers_.front();
      answers_.pop_front();
      if (due.ended != nullptr) due.ended->answered = true;
      bench_.answer(due.queue, due.number, due.status, due.node, due.fence);
      bench_.tick();  // a packet is received in two cycles
    } else if (!ends_.empty() && bench_.cycle() >= ends_.front().cycle) {
      const End due = ends_.front();
      ends_.pop_front();
      end_receive(due.queue);
    } else if (!messages_.empty() && random_.chance(5)) {
      bench_.end_message(messages_.front());
      messages_.pop_front();
    } else {
      if (random_.chance(1)) bench_.bump(below(kEvents), 1);
      bench_.tick();
    }
  }

  void take_packets() {
    for (; taken_ < bench_.requests.size() && bench_.requests[taken_].last != 0; ++taken_) {
      take(bench_.requests[taken_].packet);
    }
  }

  // --- packets ----------------------------------------------------------------------------------
  void take(const Packet& packet) {
    const PacketTrailer trailer = packet.trailer;
    const auto queue = static_cast<unsigned>(trailer.get<t::queue>());
    ASSERT_LT(queue, kQueues);
    Program& program = programs_[queue];
    if (packet.header.get<h::kind>() == Kind::kSend) {
      take_send(queue, program, packet);
      return;
    }
    const auto i = static_cast<std::uint32_t>(trailer.get<t::index>() - program.first);
    ASSERT_LT(i, program.steps.size());
    expect_waited(program.steps[i].waited);
    const auto wanted = packets_of(queue, i);
    const auto offset = packet.header.get<h::offset>() - wanted.at(0).header.get<h::offset>();
    ASSERT_EQ(packet.bytes(), wanted.at(offset / 512).bytes());
    if (packet.header.get<h::kind>() == Kind::kFence) {
      answer_fence(queue, program.steps[i], packet);
      return;
    }
    ASSERT_TRUE(program.steps[i].sent.insert(offset).second) << "it has left before";
  }
  void expect_waited(const Waited& waited) const {
    for (unsigned event = 0; event < kEvents; ++event) {
      const std::uint32_t ahead = bench_.event_values[event] - waited.counts[event];
      ASSERT_LT(ahead, 1U << 31) << "it waits for event counter " << event;
    }
    for (unsigned queue = 0; queue < kQueues; ++queue) {
      for (std::size_t i = 0; i < waited.ended[queue]; ++i) {
        const Program& other = programs_[queue];
        const Step& step = other.steps[i];
        const Opcode opcode = step.descriptor.get<d::opcode>();
        const bool ends_by_an_answer =
            opcode == Opcode::kFence ||
            (opcode == Opcode::kSend && step.descriptor.get<d::length>() != 0);
        ASSERT_TRUE(step.answered || !ends_by_an_answer) << "it waits for queue " << queue;
        if (opcode == Opcode::kReceive) {
          ASSERT_TRUE(ended_.contains(queue) && ended_.at(queue) > i) << "it waits for " << queue;
        }
      }
    }
  }
  // Those of step `i`; of a SEND with its number.
  std::vector<Packet> packets_of(unsigned queue, std::size_t i, std::uint32_t number = 0) {
    const Program& program = programs_[queue];
    const Descriptor& descriptor = program.steps[i].descriptor;
    bench_.around.peer = {true, program.dynamic, false, {}};
    auto packets = expected_outcome(bench_.around, descriptor,
                                    {QueueMode::kDoorbell, kClient, queue, program.first + i})
                       .packets;
    if (descriptor.get<d::opcode>() != Opcode::kSend) return packets;
    as_sends(program, packets, number);
    return packets;
  }
  static void as_sends(const Program& program, std::vector<Packet>& packets, std::uint32_t number) {
    namespace p = c::peer_field;
    std::uint64_t bytes = 0;  // of the message
    for (const Packet& packet : packets) bytes += packet.payload.size();
    for (Packet& packet : packets) {
      if (!program.dynamic) {
        packet.header.set<h::dst_x>(extract(program.peer, p::x))
            .set<h::dst_y>(extract(program.peer, p::y))
            .set<h::dst_z>(extract(program.peer, p::z))
            .set<h::target>(extract(program.peer, p::queue));
      }
      packet.trailer.set<t::dynamic>(program.dynamic)
          .set<t::sequence_number>(number)
          .set<t::index>(bytes);
      packet.seal();
    }
  }
  // A message that goes on from the buffer that it has come to.
  std::vector<Packet> packets_of_pipe(unsigned queue, std::size_t i, std::uint32_t number) {
    const Program& program = programs_[queue];
    const Step& step = program.steps[i];
    const std::uint32_t message = step.ended + number - program.number;
    if (message >= step.received.size()) throw std::runtime_error("not received yet");
    const Descriptor sends = Descriptor(step.descriptor)
                                 .set<d::opcode>(Opcode::kSend)
                                 .set<d::immediate>({})
                                 .set<d::source_offset>(buffer_offset(step, message))
                                 .set<d::length>(step.received[message]);
    bench_.around.peer = {true, false, false, {}};
    auto packets = expected_outcome(bench_.around, sends,
                                    {QueueMode::kDoorbell, kClient, queue, program.first + i})
                       .packets;
    as_sends(program, packets, number);
    return packets;
  }
  static PipeOperation operation_of(const Step& step) {
    return PipeOperation::from_bytes(step.descriptor.get<d::immediate>());
  }
  // Its buffers are used in a circle.
  static std::uint64_t buffer_offset(const Step& step, std::size_t message) {
    const std::uint64_t bytes = operation_of(step).get<layout::pipe_operation::buffer_bytes>();
    const std::uint64_t buffers = step.descriptor.get<d::length>() / bytes;
    return step.descriptor.get<d::source_offset>() + message % buffers * bytes;
  }
  // Each SEND has a word of its own.
  static std::size_t step_of(const Program& program, std::uint64_t word) {
    std::size_t i = 0;
    while (i < program.steps.size()) {
      const PacketHeader image = program.steps[i].descriptor.get<d::header>();
      if (image.get<h::word>() == word) break;
      ++i;
    }
    return i;
  }
  // A receiver that takes what comes next.
  void take_send(unsigned queue, Program& program, const Packet& packet) {
    const std::size_t i = step_of(program, packet.header.get<h::word>());
    ASSERT_LT(i, program.steps.size());
    Step& step = program.steps[i];
    expect_waited(step.waited);
    const auto number = static_cast<std::uint32_t>(packet.trailer.get<t::sequence_number>());
    const bool pipes = step.descriptor.get<d::opcode>() == Opcode::kPipe;
    const auto wanted = pipes ? packets_of_pipe(queue, i, number) : packets_of(queue, i, number);
    ASSERT_EQ(packet.bytes(), wanted.at(packet.header.get<h::offset>() / 512).bytes());
    if (packet.trailer.get<t::last>() == 0 || number != program.number || step.decided) {
      return;
    }
    const bool later = random_.chance(20);
    if (pipes) {
      answer_pipe(queue, program, step, packet, later);
      return;
    }
    if (!later && random_.chance(25)) step.status = refusal();
    step.decided = !later;
    const Status status = later ? Status::kReceiveDisabled : step.status;
    // Its number is used up if it was taken; in a dynamically connected queue by any end.
    const bool taken = status == Status::kOk || status == Status::kMemoryError;
    if (taken || (program.dynamic && !later)) ++program.number;
    answer(queue, number, status, packet, false, later ? nullptr : &step);
  }
  // Its SEND fails with MEMORY_ERROR, which uses its number up: what has gone ahead keeps its own.
  void answer_pipe(unsigned queue, Program& program, Step& step, const Packet& packet, bool later) {
    const bool fails = !later && step.fails_sent == step.ended;
    if (fails) step.status = Status::kMemoryError;
    answer(queue, program.number,
           later   ? Status::kReceiveDisabled
           : fails ? Status::kMemoryError
                   : Status::kOk,
           packet, false, nullptr);
    if (later) return;
    ++program.number;
    ++step.ended;
  }
  void answer_fence(unsigned queue, Step& step, const Packet& packet) {
    // It may go out once more with the SEND before it.
    if (!step.decided && random_.chance(25)) step.status = refusal();
    step.decided = true;
    answer(queue, static_cast<std::uint32_t>(packet.trailer.get<t::index>()), step.status, packet,
           true, &step);
  }
  Status refusal() {
    const Status any[] = {Status::kLengthTooLong, Status::kPermission,  Status::kRegionBounds,
                          Status::kMemoryError,   Status::kUnreachable, Status::kRegionInvalid};
    return any[below(6)];
  }
  void answer(unsigned queue, std::uint32_t number, Status status, const Packet& to, bool fence,
              Step* ended) {
    const auto node =
        static_cast<std::uint32_t>(to.header.get<h::dst_x>() | to.header.get<h::dst_y>() << 4 |
                                   to.header.get<h::dst_z>() << 8);
    const std::uint64_t after = answers_.empty() ? 0 : answers_.back().cycle;
    const std::uint64_t cycle = std::max(after, bench_.cycle() + below(40)) + below(3);
    answers_.push_back({cycle, queue, number, status, node, fence, ended});
  }

  // --- buffers ----------------------------------------------------------------------------------
  void take(const ReceiveBuffer& buffer) {
    const auto queue = static_cast<unsigned>(buffer.get<b::queue>());
    ASSERT_LT(queue, kQueues);
    Program& program = programs_[queue];
    if (program.piped) {
      take_of_pipe(queue, program, buffer);
      return;
    }
    ASSERT_LT(program.offered, program.steps.size());
    const Descriptor& descriptor = program.steps[program.offered].descriptor;
    EXPECT_EQ(buffer, ReceiveBuffer()
                          .set<b::queue>(queue)
                          .set<b::owner>(kClient)
                          .set<b::address>(kBuffer + descriptor.get<d::source_offset>())
                          .set<b::length>(descriptor.get<d::length>())
                          .set<b::index>((program.first + program.offered) & 0xFFFFFFFF)
                          .set<b::sequence_number>(descriptor.get<d::sequence_number>())
                          .set<b::done_event>(descriptor.get<d::done_event>())
                          .set<b::done_event_valid>(descriptor.get<d::done_event_valid>())
                          .set<b::interrupt_done>(descriptor.get<d::interrupt_done>())
                          .set<b::signal>(descriptor.get<d::signal>()));
    ++program.offered;
    end_soon(queue);
  }
  void take_of_pipe(unsigned queue, Program& program, const ReceiveBuffer& buffer) {
    const Step& step = pipe_of(queue);
    EXPECT_EQ(buffer,
              ReceiveBuffer()
                  .set<b::queue>(queue)
                  .set<b::owner>(kClient)
                  .set<b::address>(kBuffer + buffer_offset(step, program.offered))
                  .set<b::length>(operation_of(step).get<layout::pipe_operation::buffer_bytes>()));
    ++program.offered;
    end_soon(queue);
  }
  // The PIPE that has the queue.
  Step& pipe_of(unsigned queue) {
    for (Program& program : programs_) {
      for (Step& step : program.steps) {
        if (step.descriptor.get<d::opcode>() == Opcode::kPipe &&
            operation_of(step).get<layout::pipe_operation::receive_queue>() == queue) {
          return step;
        }
      }
    }
    throw std::runtime_error("no PIPE has this queue");
  }
  void end_soon(unsigned queue) {
    const std::uint64_t after = ends_.empty() ? 0 : ends_.back().cycle;
    ends_.push_back({std::max(after, bench_.cycle() + below(100)), queue});
  }
  void end_receive(unsigned queue) {
    Program& program = programs_[queue];
    if (program.piped) {
      end_receive_of_pipe(queue);
      return;
    }
    const std::size_t i = ended_[queue]++;
    Step& step = program.steps[i];
    if (program.dynamic) {
      bench_.end_receive(queue, 0);
      messages_.push_back(draw_message(queue, program.first + static_cast<std::uint32_t>(i)));
      expect_message(program, messages_.back());
      return;
    }
    if (random_.chance(20)) step.status = Status::kMemoryError;
    const auto bytes = static_cast<std::uint32_t>(random_.bits64());
    bench_.end_receive(queue, bytes, step.status);
    step.result =
        ReceiveResult().set<layout::receive_result::bytes>(bytes).set<layout::receive_result::word>(
            random_.bits64() >> 32);
    bench_.results[queue] = *step.result;
  }
  void end_receive_of_pipe(unsigned queue) {
    Step& step = pipe_of(queue);
    // A PIPE that has failed has taken its buffers back.
    if (step.status != Status::kOk) return;
    const bool fails = step.fails_received == step.received.size();
    if (fails) step.status = Status::kMemoryError;
    const auto bytes = 1 + below(static_cast<unsigned>(
                               operation_of(step).get<layout::pipe_operation::buffer_bytes>()));
    step.received.push_back(bytes);
    bench_.end_receive(queue, bytes, step.status);
  }
  Message draw_message(unsigned queue, std::uint32_t index) {
    return Message::from_bytes(random_bytes(random_, Message::kBytes))
        .set<m::status>(random_.chance(80) ? Status::kOk : Status::kMemoryError)
        .set<m::queue>(queue)
        .set<m::owner>(kClient)
        .set<m::index>(index)
        .set<m::done_event>(kDoneEvents + below(100));
  }
  void expect_message(Program& program, const Message& message) {
    const bool good = message.get<m::status>() == Status::kOk;
    if (good) {
      namespace p = c::peer_field;
      const bool named = message.get<m::done_event_valid>() != 0;
      if (named) ++bumps_[message.get<m::done_event>()];
      done_ += static_cast<unsigned>(message.get<m::interrupt_done>());
      if (!named && extract(program.peer, p::event_valid) != 0) {
        ++bumps_[extract(program.peer, p::event_counter)];
      }
    }
    errors_ += !good;
    if (message.get<m::signal>() == 0) return;
    const auto node = message.get<m::node>();
    program.messages.push_back(CompletionEntry()
                                   .set<e::status>(message.get<m::status>())
                                   .set<e::opcode>(Opcode::kReceive)
                                   .set<e::queue>(message.get<m::queue>())
                                   .set<e::index>(message.get<m::index>())
                                   .set<e::bytes>(message.get<m::bytes>())
                                   .set<e::word>(message.get<m::word>())
                                   .set<e::sequence_number>(message.get<m::sequence_number>())
                                   .set<e::peer_x>(node & 15)
                                   .set<e::peer_y>(node >> 4 & 15)
                                   .set<e::peer_z>(node >> 8)
                                   .set<e::peer_queue>(message.get<m::peer_queue>()));
  }

  // --- what is left when all is done ------------------------------------------------------------
  CompletionEntry entry_of(unsigned queue, std::size_t i) const {
    namespace p = c::peer_field;
    const Program& program = programs_[queue];
    const Step& step = program.steps[i];
    const Descriptor& descriptor = step.descriptor;
    const PacketHeader image = descriptor.get<d::header>();
    auto entry = CompletionEntry()
                     .set<e::status>(step.status)
                     .set<e::opcode>(descriptor.get<d::opcode>())
                     .set<e::queue>(queue)
                     .set<e::index>((program.first + i) & 0xFFFFFFFF)
                     .set<e::bytes>(descriptor.get<d::length>() & 0xFFFFFFFF)
                     .set<e::word>(image.get<h::word>())
                     .set<e::sequence_number>(descriptor.get<d::sequence_number>())
                     .set<e::peer_x>(extract(program.peer, p::x))
                     .set<e::peer_y>(extract(program.peer, p::y))
                     .set<e::peer_z>(extract(program.peer, p::z))
                     .set<e::peer_queue>(extract(program.peer, p::queue));
    if (step.result) {
      entry.set<e::bytes>(step.result->get<layout::receive_result::bytes>())
          .set<e::word>(step.result->get<layout::receive_result::word>());
    }
    if (program.dynamic && descriptor.get<d::opcode>() == Opcode::kSend) {
      entry.set<e::peer_x>(image.get<h::dst_x>())
          .set<e::peer_y>(image.get<h::dst_y>())
          .set<e::peer_z>(image.get<h::dst_z>())
          .set<e::peer_queue>(image.get<h::target>());
    }
    return entry;
  }
  void expect_end(unsigned queue) {
    Program& program = programs_[queue];
    std::vector<CompletionEntry> wanted = program.messages;
    std::uint64_t errors = 0;
    const Step* first_error = nullptr;
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
      Step& step = program.steps[i];
      const Opcode opcode = step.descriptor.get<d::opcode>();
      if (opcode == Opcode::kSend && step.descriptor.get<d::length>() == 0) {
        step.status = Status::kLengthZero;
      }
      if (opcode == Opcode::kPut) {
        EXPECT_EQ(step.sent.size(), packets_of(queue, i).size());
      }
      if (step.status != Status::kOk && errors++ == 0) first_error = &step;
      if (program.receives && program.dynamic) continue;  // its message tells
      if (step.status == Status::kOk) count_done(program, step.descriptor);
      if (step.descriptor.get<d::signal>() != 0) wanted.push_back(entry_of(queue, i));
    }
    std::vector<CompletionEntry> got;
    for (const CompletionEntry& entry : bench_.completions.entries) {
      if (entry.get<e::queue>() != queue) continue;
      got.push_back(entry);
      got.back().set<e::phase>(0);
    }
    EXPECT_EQ(got, wanted);
    const auto state = bench_.state(queue);
    EXPECT_EQ(state.count, errors);
    EXPECT_EQ(state.status, first_error == nullptr ? Status::kOk : first_error->status);
    errors_ += errors;
  }
  void count_done(const Program& program, const Descriptor& descriptor) {
    namespace p = c::peer_field;
    done_ += static_cast<unsigned>(descriptor.get<d::interrupt_done>());
    const Opcode opcode = descriptor.get<d::opcode>();
    const bool of_pair =
        opcode == Opcode::kSend || opcode == Opcode::kReceive || opcode == Opcode::kPipe;
    if (descriptor.get<d::done_event_valid>() != 0) {
      ++bumps_[descriptor.get<d::done_event>()];
    } else if (of_pair && extract(program.peer, p::event_valid) != 0) {
      ++bumps_[extract(program.peer, p::event_counter)];
    }
  }
  void expect_all() {
    for (unsigned queue = 0; queue < kQueues; ++queue) {
      if (programs_[queue].piped) continue;
      SCOPED_TRACE("queue " + std::to_string(queue));
      expect_end(queue);
    }
    for (unsigned event = kDoneEvents; event < 256; ++event) {
      EXPECT_EQ(bench_.event_values[event], bumps_[event]) << "event counter " << event;
    }
    EXPECT_EQ(bench_.causes[kClient * 8 + static_cast<unsigned>(Cause::kDone)], done_);
    expect_calcs();
  }
  // Each has run once.
  void expect_calcs() {
    namespace f = layout::fetched_descriptor;
    std::set<std::pair<std::uint64_t, std::uint64_t>> ran;
    for (const FetchedDescriptor& calc : bench_.calcs) {
      const Program& program = programs_.at(calc.get<f::queue>());
      const auto i = static_cast<std::uint32_t>(calc.get<f::index>() - program.first);
      EXPECT_EQ(calc.get<f::descriptor>(), program.steps.at(i).descriptor);
      EXPECT_EQ(calc.get<f::owner>(), kClient);
      EXPECT_TRUE(ran.emplace(calc.get<f::queue>(), i).second) << "it has run before";
    }
    std::size_t calcs = 0;
    for (const Program& program : programs_) {
      calcs += static_cast<std::size_t>(std::ranges::count_if(program.steps, [](const Step& step) {
        return step.descriptor.get<d::opcode>() == Opcode::kCalc;
      }));
    }
    EXPECT_EQ(ran.size(), calcs);
  }
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }

  std::array<std::uint32_t, kEvents> counts_{};
  std::vector<Program> programs_;
  std::size_t taken_ = 0;                  // packets
  std::size_t buffers_ = 0;                // of them taken
  std::map<unsigned, std::size_t> ended_;  // RECEIVEs, by queue
  std::deque<Answer> answers_;
  std::deque<End> ends_;
  std::deque<Message> messages_;
  std::array<std::uint32_t, 256> bumps_{};
  std::uint64_t errors_ = 0;
  unsigned done_ = 0;
};

class InAllQueues : public HeldDescriptors, public ::testing::WithParamInterface<int> {};
TEST_P(InAllQueues, EndAsTheirNeighboursSay) {
  // Other programs: further along the same numbers than any of these goes.
  for (int i = 0; i < GetParam() * 100000; ++i) random_.bits64();
  bench_.gated = GetParam() % 2 == 1;
  begin(GetParam() % 4 >= 2);
  play();
  if (!HasFatalFailure()) expect_all();
}
INSTANTIATE_TEST_SUITE_P(HeldDescriptors, InAllQueues, ::testing::Range(0, 16));

}  // namespace
}  // namespace torusmu::testing::held
