// SPDX-License-Identifier: Apache-2.0
// Random programs for all injection queues at once, of descriptors that hold their queues and some
// that do not; every field that a descriptor leaves free is random.

#ifndef TESTS_SUPPORT_HELD_PROGRAMS_H_
#define TESTS_SUPPORT_HELD_PROGRAMS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "tests/support/injection_bench.h"

namespace torusmu::testing::held {

namespace d = layout::descriptor;
namespace h = layout::packet_header;

inline constexpr unsigned kQueues = 32;
inline constexpr unsigned kEvents = 5;        // that are waited for: the first
inline constexpr unsigned kDoneEvents = 100;  // and more: bumped by what is done
inline constexpr unsigned kCompletionQueues = 8;
inline constexpr std::uint64_t kClient = 2;
inline constexpr unsigned kRegion = 5;

// Counts that have been reached, and how many descriptors of each queue have ended.
struct Waited {
  std::array<std::uint32_t, kEvents> counts;
  std::array<std::size_t, kQueues> ended;
};

// A descriptor, and what becomes of it.
struct Step {
  Descriptor descriptor;
  Waited waited{};        // for before it leaves
  bool decided = false;   // a SEND or FENCE: its answer, which is the status
  bool answered = false;  // that has been given
  Status status = Status::kOk;
  std::optional<ReceiveResult> result;  // of a RECEIVE that has run
  std::set<std::uint64_t> sent;         // of a put: offsets of the packets that have left
  // Of a PIPE: bytes of the messages received, how many SENDs of them have ended, and which message
  // fails, received or sent.
  std::vector<std::uint32_t> received;
  unsigned ended = 0;
  std::optional<unsigned> fails_received, fails_sent;
};

struct Program {
  bool receives = false;
  bool piped = false;  // holds nothing: a PIPE gives its buffers
  bool dynamic = false;
  std::uint64_t peer = 0;     // register
  std::uint32_t first = 0;    // index of the first descriptor
  std::uint32_t number = 0;   // that the receiver of its SENDs expects
  std::uint32_t reached = 0;  // threshold of its last WAIT
  unsigned signals = 0;       // entries that it writes
  std::vector<Step> steps;
  std::size_t offered = 0;                // buffers
  std::vector<CompletionEntry> messages;  // entries of messages for RECEIVEs that have left
};
inline constexpr std::uint32_t kRingSlots = 1U << 24;  // a program lies anywhere in its ring

class ProgramMaker {
 public:
  // With PIPEs or without.
  ProgramMaker(Random& random, std::array<std::uint32_t, kEvents> counts, bool pipes)
      : random_(random), counts_(counts) {
    for (unsigned i = 0; pipes && i < 4; ++i) piped_.push_back(8 * i + below(8));
    for (unsigned queue = 0; queue < kQueues; ++queue) programs.push_back(draw_program(queue));
  }
  std::vector<Program> programs;
  static unsigned completion_queue(unsigned queue) { return queue % kCompletionQueues; }

 private:
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_.bits64()); }

  Program draw_program(unsigned queue) {
    namespace p = registers::injection_queue::peer_field;
    Program program;
    program.piped = std::ranges::find(piped_, queue) != piped_.end();
    program.receives = random_.chance(25);
    program.dynamic = !program.piped && random_.chance(30);
    program.first = program.piped ? 0 : word();
    program.peer =
        insert(0, p::connected, 1) | insert(0, p::dynamic, program.dynamic) |
        insert(0, p::x, below(4)) | insert(0, p::y, below(4)) | insert(0, p::z, below(4)) |
        insert(0, p::queue, below(kQueues)) | insert(0, p::event_valid, below(2)) |
        insert(0, p::event_counter, kDoneEvents + below(100)) | insert(0, p::completion_valid, 1) |
        insert(0, p::completion_queue, completion_queue(queue));
    Waited waited{counts_, {}};
    const unsigned length = program.piped ? 0 : 4 + below(6);
    for (unsigned i = 0; i < length; ++i) {
      Step step;
      step.descriptor = program.receives ? receive() : draw(queue, program, waited);
      step.waited = waited;
      if (step.descriptor.get<d::opcode>() == Opcode::kPipe) draw_failure(step);
      program.signals += step.descriptor.get<d::signal>() != 0;
      program.steps.push_back(step);
    }
    return program;
  }
  Descriptor draw(unsigned queue, Program& program, Waited& waited) {
    const unsigned kind = below(100);
    if (kind < 10 && !program.dynamic && given_ < piped_.size()) return pipe(piped_[given_++]);
    if (kind < 35) return send(program.dynamic);
    if (kind < 50) return put();
    if (kind < 62) return fence();
    if (kind < 66) return any(Opcode::kCalc);
    if (kind < 70) return any(Opcode::kNop);
    if (kind < 74) return send(program.dynamic).set<d::length>(0);
    if (kind < 84 && queue > 0) return wait_for_queue(below(queue), program, waited);
    if (kind < 90) {
      const unsigned entries = 128 + completion_queue(queue);
      return on_queue(entries, below(program.signals + 1), program);
    }
    const unsigned event = below(kEvents);
    waited.counts[event] += below(3);
    return wait(waited.counts[event], program).set<d::event_valid>(1).set<d::event_counter>(event);
  }

  // What every descriptor may have.
  Descriptor any(Opcode opcode) {
    std::array<std::uint8_t, 16> immediate;
    for (auto& byte : immediate) byte = static_cast<std::uint8_t>(random_.bits64());
    return Descriptor()
        .set<d::opcode>(opcode)
        .set<d::source_region>(kRegion)
        .set<d::source_offset>(below(0x4000))
        .set<d::length>(random_.bits64() >> 27)
        .set<d::sequence_number>(word())
        .set<d::counter>(below(256))
        .set<d::event_counter>(below(256))
        .set<d::immediate>(immediate)
        .set<d::done_event_valid>(random_.chance(40))
        .set<d::done_event>(kDoneEvents + below(100))
        .set<d::interrupt_done>(random_.chance(40))
        .set<d::signal>(random_.chance(60))
        .set<d::header>(target());
  }
  PacketHeader target() {
    return PacketHeader()
        .set<h::dst_x>(below(4))
        .set<h::dst_y>(below(4))
        .set<h::dst_z>(below(4))
        .set<h::target>(below(256))
        .set<h::offset>(random_.below(1ULL << 36))
        .set<h::word>(word());
  }
  Descriptor moving(Opcode opcode) {
    const bool immediate = random_.chance(30);
    return any(opcode)
        .set<d::length>(1 + below(immediate            ? 16
                                  : random_.chance(20) ? 1300
                                                       : 100))
        .set<d::immediate_valid>(immediate)
        .set<d::counter_valid>(below(2))
        .set<d::event_valid>(below(2))
        .set<d::interrupt_target>(below(2));
  }
  Descriptor put() { return moving(random_.chance(50) ? Opcode::kPut : Opcode::kFifo); }
  Descriptor send(bool dynamic) {
    Descriptor descriptor = moving(Opcode::kSend);
    PacketHeader image = descriptor.get<d::header>();
    const auto word = image.get<h::word>();
    image.set<h::offset>(0);
    return descriptor.set<d::header>(dynamic ? image : PacketHeader().set<h::word>(word));
  }
  Descriptor pipe(unsigned in) {
    namespace o = layout::pipe_operation;
    const unsigned bytes = 1 + below(1000);
    const auto word = target().get<h::word>();
    return moving(Opcode::kPipe)
        .set<d::immediate_valid>(0)
        .set<d::length>(bytes * (1 + below(4)) + below(bytes))
        .set<d::header>(PacketHeader().set<h::word>(word))
        .set<d::immediate>(PipeOperation()
                               .set<o::messages>(1 + below(6))
                               .set<o::buffer_bytes>(bytes)
                               .set<o::receive_queue>(in)
                               .bytes());
  }
  // A few PIPEs fail, with one of their messages.
  void draw_failure(Step& step) {
    const auto operation = PipeOperation::from_bytes(step.descriptor.get<d::immediate>());
    const unsigned kind = below(4);
    const unsigned message =
        below(static_cast<unsigned>(operation.get<layout::pipe_operation::messages>()));
    if (kind == 0) step.fails_received = message;
    if (kind == 1) step.fails_sent = message;
  }
  Descriptor fence() { return any(Opcode::kFence).set<d::length>(0); }
  Descriptor receive() { return any(Opcode::kReceive).set<d::length>(1 + below(5000)); }
  // Its value follows from the threshold: value + step * lap, and the last one if relative.
  Descriptor wait(std::uint32_t threshold, Program& program) {
    namespace w = layout::wait_operation;
    const auto passed =
        static_cast<std::uint32_t>(program.first % kRingSlots + program.steps.size());
    const std::uint32_t lap = ~program.first + passed / kRingSlots;
    const std::uint32_t step = random_.chance(50) ? word() : 0;
    const bool relative = random_.chance(30);
    const std::uint32_t value = threshold - step * lap - (relative ? program.reached : 0);
    program.reached = threshold;
    return any(Opcode::kWait)
        .set<d::relative>(relative)
        .set<d::immediate>(WaitOperation().set<w::value>(value).set<w::step>(step).bytes());
  }
  Descriptor on_queue(unsigned queue, std::uint32_t threshold, Program& program) {
    Descriptor descriptor = wait(threshold, program);
    PacketHeader image = descriptor.get<d::header>();
    image.set<h::target>(queue);
    return descriptor.set<d::on_queue>(1).set<d::header>(image);
  }
  Descriptor wait_for_queue(unsigned queue, Program& program, Waited& waited) {
    const Program& other = programs[queue];
    const auto done = below(static_cast<unsigned>(other.steps.size()) + 1);
    waited.ended[queue] = std::max<std::size_t>(waited.ended[queue], done);
    return on_queue(queue, other.first + done, program);
  }

  Random& random_;
  std::vector<unsigned> piped_;  // queues
  std::size_t given_ = 0;        // of them, to PIPEs
  std::array<std::uint32_t, kEvents> counts_;
};

}  // namespace torusmu::testing::held

#endif  // TESTS_SUPPORT_HELD_PROGRAMS_H_
