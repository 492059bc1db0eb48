// SPDX-License-Identifier: Apache-2.0
// What surrounds a mu_reception_engine in its tests: two streams of flits, the memory port with its
// completions, region table, counter owners, queue engine, receive queues with their peers, the
// sink of packets back, the register bus.
//
// Everything that the engine does is written down (stores, packets_back, credits...), in order, and
// left to the test to judge.

#ifndef TESTS_SUPPORT_RECEPTION_BENCH_H_
#define TESTS_SUPPORT_RECEPTION_BENCH_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vmu_reception_engine.h"
#include "Vmu_reception_engine/Vmu_reception_engine___024root.h"
#include "sim/machine/memory_origin.h"
#include "sim/machine/profile.h"
#include "tb/reference_model/packet.h"
#include "tests/support/clocked.h"
#include "tests/support/port_bits.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "tests/support/written_inside.h"
#include "torusmu/layout.h"
#include "torusmu/types.h"

TORUSMU_WRITTEN_INSIDE(Vmu_reception_engine)

namespace torusmu::testing {

using model::Packet;
using WriteCommand = Record<layout::write_command::Layout>;
using WriteAction = Record<layout::write_action::Layout>;
using RegionEntry = Record<layout::region_entry::Layout>;
using RingSlots = Record<layout::ring_slots::Layout>;
using QueuePeer = Record<layout::queue_peer::Layout>;
using ReceiveBuffer = Record<layout::receive_buffer::Layout>;
using MessageStored = Record<layout::message_stored::Layout>;
using Publish = Record<layout::publish::Layout>;
using RegisterRequest = Record<layout::register_request::Layout>;
using RegisterResponse = Record<layout::register_response::Layout>;

struct Flit {
  bool head = false;
  bool tail = false;
  Bytes data = Bytes(16);
};

// The flits of a packet, sealed or not.
inline std::vector<Flit> flits_of(const Packet& packet) {
  const Bytes bytes = packet.bytes();
  std::vector<Flit> flits(packet.flits());
  for (std::size_t i = 0; i < flits.size(); ++i) {
    flits[i].head = i == 0;
    flits[i].tail = i + 1 == flits.size();
    flits[i].data.assign(bytes.begin() + static_cast<std::ptrdiff_t>(i * 16),
                         bytes.begin() + static_cast<std::ptrdiff_t>(i * 16 + 16));
  }
  return flits;
}

enum class Port { kReply, kRequest, kNotice };

// One write command with its beats.
struct Part {
  Port port = Port::kReply;
  Address address = 0;
  std::uint64_t bytes = 0;
  bool final_part = false;
  WriteAction action;
  Bytes data;               // whole beats
  std::uint64_t cycle = 0;  // in which the command was taken

  friend bool operator==(const Part& a, const Part& b) {
    return a.port == b.port && a.address == b.address && a.bytes == b.bytes &&
           a.final_part == b.final_part && a.action == b.action && a.data == b.data;
  }
};

struct CreditReturn {
  std::uint64_t queue = 0;
  std::uint64_t number = 0;
  friend bool operator==(const CreditReturn&, const CreditReturn&) = default;
};

// A queue that the MU owns, as far as reception sees it.
struct QueueModel {
  QueueMode mode = QueueMode::kOff;
  Address base = 0;
  std::uint32_t size = 0;
  std::uint32_t position = 0;
  std::uint32_t used = 0;
  Status refuses = Status::kOk;  // if another, with this

  RingSlots reserve(std::uint32_t count, bool reflected) {
    RingSlots slots;
    if (refuses != Status::kOk) return slots.set<layout::ring_slots::status>(refuses);
    if (mode != (reflected ? QueueMode::kReflection : QueueMode::kRemoteGet)) {
      return slots.set<layout::ring_slots::status>(Status::kQueueInvalid);
    }
    if (used + count > size) return slots.set<layout::ring_slots::status>(Status::kQueueFull);
    slots.set<layout::ring_slots::base>(base)
        .set<layout::ring_slots::size>(size)
        .set<layout::ring_slots::position>(position);
    used += count;
    position = (position + count) % size;
    return slots;
  }
};

struct Owner {
  bool enable = false;
  std::uint8_t client = 0;
};

class ReceptionBench {
 public:
  explicit ReceptionBench(Random& random) : random_(random), dut_(random.seed()) {
    dut_->straps_i = Straps{.x = node[0], .y = node[1], .z = node[2]}.word();
    dut_.settle();
  }

  // --- what the surroundings hold -------------------------------------------------------------
  static constexpr std::array<std::uint8_t, 3> node = {13, 14, 12};  // x, y, z: all bits matter
  std::array<RegionEntry, kProfile.regions> regions;
  std::array<Owner, kProfile.byte_counters> counters;
  std::array<Owner, kProfile.event_counters> events;
  std::array<QueueModel, 256> queues;  // more than there are: reception names any
  std::array<QueuePeer, kProfile.injection_queues> peers;
  Address broken_from = Address{1} << 40;  // the memory from here on answers with errors
  // Chances in a hundred, each cycle.
  unsigned flit_chance = 100;     // a waiting flit is offered
  unsigned memory_chance = 100;   // the memory takes a command or beat
  unsigned publish_chance = 100;  // the oldest completion is published
  unsigned sink_chance = 100;     // a packet back, or the end of a RECEIVE, is taken
  bool memory_stopped = false;
  bool publish_stopped = false;
  bool stops_clocks = false;  // each clock stands still while its block is at rest

  // --- what the engine did --------------------------------------------------------------------
  std::vector<Part> parts;
  std::vector<Packet> packets_back;
  std::vector<CreditReturn> credits;
  unsigned bad_packets = 0;
  unsigned dropped_replies = 0;
  unsigned receives_ended = 0;  // ends of RECEIVEs, and of messages that have a context
  unsigned stopped = 0;         // cycles in which a clock stood still
  std::array<unsigned, 8 * kProfile.clients> causes{};  // pulses of each cause bit
  std::uint64_t last_tail_cycle = 0;                    // in which the last tail flit was taken
  std::uint64_t first_command_cycle = 0;

  void send(bool reply, const std::vector<Flit>& flits) {
    auto& stream = streams_[reply ? 1 : 0];
    stream.waiting.insert(stream.waiting.end(), flits.begin(), flits.end());
  }
  void send(const Packet& packet) { send(packet.reply(), flits_of(packet)); }
  bool all_sent() const { return streams_[0].waiting.empty() && streams_[1].waiting.empty(); }
  bool busy() { return (dut_->requests_busy_o | dut_->decision_busy_o) != 0; }
  std::uint64_t cycle() const { return dut_.cycle(); }
  Vmu_reception_engine* operator->() { return dut_.operator->(); }

  void tick() {
    drive_inputs();
    dut_.settle();
    drive_answers();
    dut_.settle();
    sample_and_advance();
    dut_.stop(stops_clocks ? clocks_at_rest() : 0U);
    dut_.tick();
    dut_->buffer_valid_i = dut_->configured_i = 0;
  }
  // True while the engine says that it has nothing to do and no input asks it for anything.
  bool at_rest() { return requests_at_rest() && decision_at_rest(); }
  // One more clock cycle that nothing else sees; true if it changed no bit of state.
  bool another_cycle_changes_nothing() {
    const std::vector<char> before = state();
    dut_.tick();
    dut_.settle();
    return state() == before;
  }
  void ticks(unsigned count) {
    for (unsigned i = 0; i < count; ++i) tick();
  }
  // Until everything that was sent has been dealt with and the surroundings have caught up.
  void drain(unsigned bound = 20000) {
    for (unsigned i = 0; !(all_sent() && !busy() && unpublished_.empty() && !slots_due_); ++i) {
      if (i == bound) throw std::runtime_error("the engine did not come to rest");
      tick();
    }
    tick();
  }

  // Where there is room for a MiB; as many of its bits as can be are random.
  Address any_address() {
    constexpr Address kMiB = Address{1} << 20;
    const Address lowest = MemoryOrigin::kSpan;
    return origin_.from_pins(lowest + random_.below((Address{1} << 40) - lowest - kMiB));
  }
  // A queue becomes one that receives, of the peer that `peers` says.
  void configure_receive(unsigned queue) {
    dut_->configured_i = dut_->configured_receive_i = 1;
    dut_->reset_queue_i = static_cast<CData>(queue);
    tick();
  }
  // A RECEIVE stands at the head of its queue.
  void offer(ReceiveBuffer buffer) {
    namespace b = layout::receive_buffer;
    drive(dut_->buffer_i, buffer.set<b::address>(origin_.to_pins(buffer.get<b::address>())));
    dut_->buffer_valid_i = 1;
    tick();
  }
  // As if so many bytes of the message in this slot of the queue had come.
  void have_received(unsigned queue, unsigned slot, std::uint32_t bytes) {
#define TORUSMU_RECEIVE_QUEUES(name) \
  mu_reception_engine__DOT__u_decision__DOT__u_message_reception__DOT__u_receive_queues__DOT__##name
    dut_->rootp->TORUSMU_RECEIVE_QUEUES(received_mem)[2 * queue + slot] = bytes;
#undef TORUSMU_RECEIVE_QUEUES
    settle_inside(dut_->rootp);
  }

  RegisterResponse access(bool fifo_block, const RegisterRequest& request, unsigned bound = 2000) {
    return fifo_block ? ask(dut_->fifo_register_valid_i, dut_->fifo_register_done_o,
                            dut_->fifo_register_response_o, request, bound)
                      : ask(dut_->notice_register_valid_i, dut_->notice_register_done_o,
                            dut_->notice_register_response_o, request, bound);
  }
  RegisterResponse boot_access(const RegisterRequest& request, unsigned bound = 2000) {
    return ask(dut_->boot_register_valid_i, dut_->boot_register_done_o,
               dut_->boot_register_response_o, request, bound);
  }
  // Privileged 64-bit access; status OK is expected of it.
  void set(bool fifo_block, std::uint32_t address, std::uint64_t value) {
    RegisterRequest request;
    request.set<layout::register_request::address>(address)
        .set<layout::register_request::data>(origin_.to_register(address, value))
        .set<layout::register_request::wide>(1)
        .set<layout::register_request::write>(1);
    const auto response = access(fifo_block, request);
    if (response.get<layout::register_response::status>() != Status::kOk) {
      throw std::runtime_error("register write refused");
    }
  }
  std::uint64_t get(bool fifo_block, std::uint32_t address) {
    RegisterRequest request;
    request.set<layout::register_request::address>(address);
    return origin_.from_register(
        address, access(fifo_block, request).get<layout::register_response::data>());
  }
  Status page_write(std::uint8_t client, std::uint32_t offset, std::uint64_t value, bool wide,
                    bool fifo_block = true) {
    RegisterRequest request;
    request.set<layout::register_request::address>(offset)
        .set<layout::register_request::data>(value)
        .set<layout::register_request::wide>(wide ? 1 : 0)
        .set<layout::register_request::write>(1)
        .set<layout::register_request::page>(1)
        .set<layout::register_request::client>(client);
    return access(fifo_block, request).get<layout::register_response::status>();
  }
  void make_fifo(std::uint32_t fifo, Address base, std::uint32_t slots, std::uint64_t config) {
    set(true, registers::reception_fifo::config(fifo), 0);
    set(true, registers::reception_fifo::base(fifo), base);
    set(true, registers::reception_fifo::size(fifo), slots);
    set(true, registers::reception_fifo::config(fifo), config);
  }
  Status move_head(std::uint8_t client, std::uint32_t fifo, std::uint32_t head) {
    return page_write(client, registers::client_page::fifo_index.in_block(fifo), head, false);
  }

 private:
  template <typename Data>
  RegisterResponse ask(CData& valid, const CData& done, const Data& response,
                       const RegisterRequest& request, unsigned bound) {
    drive(dut_->register_request_i, request);
    valid = 1;
    for (unsigned i = 0; i < bound; ++i) {
      tick();
      if (!done) continue;
      const auto answer = sample_record<RegisterResponse>(response);
      tick();
      valid = 0;
      return answer;
    }
    throw std::runtime_error("no answer to a register access");
  }

  struct Stream {
    std::deque<Flit> waiting;
    bool offered = false;
  };
  struct Unpublished {
    WriteAction action;
    bool failed = false;
  };

  bool requests_at_rest() {
    return !dut_->requests_busy_o && !offers_flit(dut_->eject_request_i) &&
           !dut_->boot_register_valid_i;
  }
  template <typename Port>
  static bool offers_flit(const Port& port) {
    return testing::get<layout::flit_stream::valid>(port) != 0;
  }
  bool fifo_publishes() { return testing::get<layout::publish::valid>(dut_->fifo_publish_i) != 0; }
  bool decision_at_rest() {
    return !dut_->decision_busy_o && !offers_flit(dut_->eject_reply_i) &&
           !dut_->get_slots_valid_i && !fifo_publishes() && !dut_->notice_publish_valid_i &&
           !dut_->stored_valid_i && !dut_->buffer_valid_i && !dut_->configured_i &&
           !dut_->fifo_register_valid_i && !dut_->notice_register_valid_i;
  }
  // Clocks of what has no work.
  unsigned clocks_at_rest() {
    const unsigned clocks =
        (requests_at_rest() ? dut_.kMain : 0U) | (decision_at_rest() ? dut_.kDecision : 0U);
    stopped += clocks != 0 ? 1 : 0;
    return clocks;
  }

  std::vector<char> state() {
    std::vector<char> bytes(sizeof(Vmu_reception_engine___024root));
    std::memcpy(bytes.data(), dut_->rootp, bytes.size());
    return bytes;
  }

  template <typename RecordType>
  RecordType any() {
    return RecordType::from_bytes(random_bytes(random_, RecordType::kBytes));
  }
  void drive_inputs() {
    for (auto& stream : streams_) {
      if (!stream.waiting.empty() && !stream.offered) stream.offered = random_.chance(flit_chance);
    }
    offer(streams_[0], dut_->eject_request_i);
    offer(streams_[1], dut_->eject_reply_i);
    drive(dut_->target_entry_i, looked_up_);
    dut_->get_reserve_ready_i = random_.chance(80);
    dut_->get_slots_valid_i = slots_due_ && slots_delay_ == 0;
    // What nobody offers may be anything.
    drive(dut_->get_slots_i, slots_due_ ? *slots_due_ : any<RingSlots>());
    dut_->notice_packet_ready_i = random_.chance(sink_chance);
    dut_->receive_end_ready_i = random_.chance(sink_chance);
    dut_->message_ready_i = random_.chance(sink_chance);
    drive_completion();
    memory_willing_ = !memory_stopped && random_.chance(memory_chance);
  }

  // The oldest write that is complete is told to those that wait for it.
  void drive_completion() {
    if (!publishing_ && !unpublished_.empty() && !publish_stopped) {
      publishing_ = random_.chance(publish_chance);
    }
    namespace p = layout::publish;
    drive(dut_->fifo_publish_i, any<Publish>().set<p::valid>(0));
    dut_->notice_publish_valid_i = 0;
    dut_->stored_valid_i = 0;
    drive(dut_->stored_i, any<MessageStored>());
    if (!publishing_) return;
    namespace a = layout::write_action;
    const WriteAction& action = unpublished_.front().action;
    switch (action.get<a::action>()) {
      case Action::kFifo:
        drive(dut_->fifo_publish_i, Publish()
                                        .set<p::valid>(1)
                                        .set<p::target>(action.get<a::target>())
                                        .set<p::amount>(action.get<a::amount>()));
        break;
      case Action::kNotice:
        dut_->notice_publish_valid_i = 1;
        dut_->notice_publish_client_i = static_cast<std::uint8_t>(action.get<a::target>());
        break;
      default:
        dut_->stored_valid_i = 1;
        drive(dut_->stored_i, stored_of(unpublished_.front()));
        break;
    }
  }
  // Of a FENCE nothing else means anything.
  MessageStored stored_of(const Unpublished& write) {
    namespace a = layout::write_action;
    namespace s = layout::message_stored;
    const WriteAction& action = write.action;
    if (action.get<a::action>() == Action::kFence) return any<MessageStored>().set<s::fence>(1);
    return MessageStored{}
        .set<s::queue>(action.get<a::target>())
        .set<s::epoch>(action.get<a::epoch>())
        .set<s::failed>(write.failed ? 1 : 0)
        .set<s::message_end>(action.get<a::message_end>())
        .set<s::slot>(action.get<a::slot>())
        .set<s::dynamic>(action.get<a::dynamic>())
        .set<s::reassembly>(action.get<a::reassembly>());
  }

  template <typename Port>
  static void offer(const Stream& stream, Port& port) {
    namespace f = layout::flit_stream;
    put<f::valid>(port, stream.offered ? 1 : 0);
    if (!stream.offered) return;
    put<f::head>(port, stream.waiting.front().head ? 1 : 0);
    put<f::tail>(port, stream.waiting.front().tail ? 1 : 0);
    put_bytes<f::data>(port, stream.waiting.front().data);
  }

  // Combinational answers: owners of counters, peers, an empty queue, the memory port's arbiter.
  void drive_answers() {
    answer_lookup(counters, dut_->lookup_0_o, dut_->lookup_0_answer_i);
    answer_lookup(events, dut_->lookup_1_o, dut_->lookup_1_answer_i);
    const std::uint8_t queue = dut_->empty_queue_o;
    dut_->empty_i = queue < queues.size() && queues[queue].mode == QueueMode::kReflection &&
                    queues[queue].used == 0;
    drive(dut_->receive_peer_i, peers[dut_->receive_queue_o % peers.size()]);
    drive(dut_->answer_peer_i, peers[dut_->answer_queue_o % peers.size()]);
    for (const Port port : kPorts) response(port) = 0;
    if (!memory_willing_) return;
    if (beats_left_ > 0) {
      put<layout::write_response::beat_ready>(response(served_), 1);
      return;
    }
    for (const Port port : kPorts) {
      // A notice has one part only.
      if (between_parts_ && (served_ != port || port == Port::kNotice)) continue;
      if (!testing::get<layout::write_request::command_valid>(request(port))) continue;
      put<layout::write_response::command_ready>(response(port), 1);
      return;
    }
  }
  template <typename Owners, typename Lookup>
  static void answer_lookup(const Owners& owners, const Lookup& lookup, CData& answer) {
    const auto index = testing::get<layout::counter_lookup::index>(lookup);
    const Owner& owner = owners[index % owners.size()];
    put<layout::counter_owner::enable>(answer, owner.enable && index < owners.size());
    put<layout::counter_owner::owner>(answer, owner.client);
  }
  // What the engine says to the memory port, and hears of it.
  static constexpr Port kPorts[] = {Port::kReply, Port::kRequest, Port::kNotice};
  const VlWide<13>& request(Port port) {
    return port == Port::kReply     ? dut_->reply_write_o
           : port == Port::kRequest ? dut_->request_write_o
                                    : dut_->notice_write_o;
  }
  CData& response(Port port) {
    return port == Port::kReply     ? dut_->reply_write_response_i
           : port == Port::kRequest ? dut_->request_write_response_i
                                    : dut_->notice_write_response_i;
  }

  void sample_and_advance() {
    // router
    take_flit(streams_[0], dut_->eject_request_ready_o != 0);
    take_flit(streams_[1], dut_->eject_reply_ready_o != 0);
    // region table
    looked_up_ =
        dut_->target_region_o < regions.size() ? regions[dut_->target_region_o] : RegionEntry{};
    namespace r = layout::region_entry;
    looked_up_.set<r::base>(origin_.to_pins(looked_up_.get<r::base>()));
    // memory port
    for (const Port port : kPorts) take_command(port);
    for (const Port port : kPorts) take_beat(port);
    // completion
    if ((fifo_publishes() && dut_->fifo_publish_ready_o) ||
        (dut_->notice_publish_valid_i && dut_->notice_publish_ready_o) || dut_->stored_valid_i) {
      unpublished_.pop_front();
      publishing_ = false;
    }
    // queue engine
    if (dut_->get_slots_valid_i) slots_due_.reset();
    if (slots_due_ && slots_delay_ > 0) --slots_delay_;
    if (dut_->get_reserve_valid_o && dut_->get_reserve_ready_i) {
      const std::uint8_t queue = dut_->get_reserve_queue_o;
      slots_due_ =
          queues[queue].reserve(dut_->get_reserve_count_o, dut_->get_reserve_reflected_o != 0);
      namespace s = layout::ring_slots;
      slots_due_->set<s::base>(origin_.to_pins(slots_due_->get<s::base>()));
      slots_delay_ = random_.below(3);
    }
    // injection engine
    if (dut_->notice_packet_valid_o && dut_->notice_packet_ready_i) {
      Packet packet;
      packet.header = sample_record<PacketHeader>(dut_->notice_packet_header_o);
      packet.trailer = sample_record<PacketTrailer>(dut_->notice_packet_trailer_o);
      packets_back.push_back(packet);
    }
    if (dut_->credit_return_valid_o) {
      credits.push_back({dut_->credit_return_queue_o, dut_->credit_return_number_o});
    }
    // counts
    receives_ended += dut_->receive_end_valid_o & dut_->receive_end_ready_i;
    receives_ended += dut_->message_valid_o & dut_->message_ready_i;
    bad_packets += dut_->bad_packet_o;
    dropped_replies += (dut_->dropped_reply_o & 1U) + (dut_->dropped_reply_o >> 1U & 1U);
    const PortBits pulses = bits_of(dut_->causes_o);
    for (unsigned i = 0; i < causes.size(); ++i) causes[i] += pulses[i];
  }

  void take_flit(Stream& stream, bool ready) {
    if (!stream.offered || !ready) return;
    if (stream.waiting.front().tail) last_tail_cycle = cycle();
    stream.waiting.pop_front();
    stream.offered = false;
  }

  void take_command(Port port) {
    namespace q = layout::write_request;
    if (!testing::get<q::command_valid>(request(port))) return;
    if (first_command_cycle == 0) first_command_cycle = cycle();
    if (!testing::get<layout::write_response::command_ready>(response(port))) return;
    const WriteCommand command = testing::get<q::command>(request(port));
    Part part;
    part.port = port;
    part.address = origin_.from_pins(command.get<layout::write_command::address>());
    part.bytes = command.get<layout::write_command::bytes>();
    part.final_part = command.get<layout::write_command::final_part>() != 0;
    part.action = command.get<layout::write_command::action>();
    part.cycle = cycle();
    served_ = port;
    between_parts_ = !part.final_part;
    beats_left_ = std::max<std::uint64_t>(1, (part.bytes + 31) / 32);
    parts.push_back(part);
  }
  void take_beat(Port port) {
    namespace q = layout::write_request;
    if (!testing::get<q::beat_valid>(request(port)) ||
        !testing::get<layout::write_response::beat_ready>(response(port)))
      return;
    const Bytes beat = get_bytes<q::beat>(request(port));
    Part& part = parts.back();
    // Of no bytes nothing is meant of the beat.
    if (part.bytes != 0) part.data.insert(part.data.end(), beat.begin(), beat.end());
    if (--beats_left_ == 0 && part.final_part && is_told(part.action)) {
      unpublished_.push_back({part.action, part.address >= broken_from});
    }
  }
  static bool is_told(const WriteAction& action) {
    switch (action.get<layout::write_action::action>()) {
      case Action::kFifo:
      case Action::kNotice:
      case Action::kSend:
      case Action::kFence:
        return true;
      default:
        return false;
    }
  }

  Random& random_;
  MemoryOrigin origin_{random_.below(Address{7} << 25) << 12};  // as the pins see the memory
  Clocked<Vmu_reception_engine> dut_;
  std::array<Stream, 2> streams_;  // request, reply
  RegionEntry looked_up_;
  bool memory_willing_ = false;
  Port served_ = Port::kReply;
  std::uint64_t beats_left_ = 0;
  bool between_parts_ = false;
  std::deque<Unpublished> unpublished_;
  bool publishing_ = false;
  std::optional<RingSlots> slots_due_;
  std::uint64_t slots_delay_ = 0;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_RECEPTION_BENCH_H_
