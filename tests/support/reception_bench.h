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
#include "tests/support/reception_types.h"
#include "tests/support/register_units.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "tests/support/written_inside.h"
#include "torusmu/layout.h"
#include "torusmu/types.h"

TORUSMU_WRITTEN_INSIDE(Vmu_reception_engine)

namespace torusmu::testing {

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
  std::uint64_t receives_ended = 0;  // ends of RECEIVEs, and of messages that have a context
  unsigned stopped = 0;              // cycles in which a clock stood still
  std::array<unsigned, 8 * kProfile.clients> causes{};  // pulses of each cause bit
  std::uint64_t last_tail_cycle = 0;                    // in which the last tail flit was taken
  std::uint64_t first_command_cycle = 0;

  void send(bool reply, const std::vector<Flit>& flits) {
    auto& stream = streams_[reply ? 1 : 0];
    stream.waiting.insert(stream.waiting.end(), flits.begin(), flits.end());
  }
  void send(const Packet& packet) { send(packet.reply(), flits_of(packet)); }
  bool notice_is_published() {
    return published().get<layout::reception_published::notice_valid>() != 0;
  }
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
    namespace o = layout::receive_orders;
    put<o::buffer>(dut_->receive_orders_i, BufferOffer{});
    put<o::reset>(dut_->receive_orders_i, PairReset{});
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
    namespace r = layout::pair_reset;
    put<layout::receive_orders::reset>(
        dut_->receive_orders_i,
        PairReset{}.set<r::configured>(1).set<r::receives>(1).set<r::queue>(queue));
    tick();
  }
  // A RECEIVE stands at the head of its queue.
  void offer(ReceiveBuffer buffer) {
    namespace b = layout::receive_buffer;
    buffer.set<b::address>(origin_.to_pins(buffer.get<b::address>()));
    put<layout::receive_orders::buffer>(
        dut_->receive_orders_i,
        BufferOffer{}.set<layout::buffer_offer::buffer>(buffer).set<layout::buffer_offer::valid>(
            1));
    tick();
  }
  // As if so many bytes of the message in this slot of the queue had come.
  void have_received(unsigned queue, unsigned slot, std::uint32_t bytes) {
#define TORUSMU_RECEIVE_QUEUES(name) \
  mu_reception_engine__DOT__u_message_reception__DOT__u_receive_queues__DOT__##name
    dut_->rootp->TORUSMU_RECEIVE_QUEUES(received_mem)[2 * queue + slot] = bytes;
#undef TORUSMU_RECEIVE_QUEUES
    settle_inside(dut_->rootp);
  }

  RegisterResponse access(bool fifo_block, const RegisterRequest& request, unsigned bound = 2000) {
    return ask(fifo_block ? kFifoTable : kNoticeRing, request, bound);
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
  // Bits of the ports register_valid_i and register_done_o.
  static constexpr unsigned kFifoTable = unit_bit(RegisterUnit::kReceptionFifo),
                            kNoticeRing = unit_bit(RegisterUnit::kNotice);
  RegisterResponse ask(unsigned block, const RegisterRequest& request, unsigned bound) {
    drive(dut_->register_request_i, request);
    set_port_bit(dut_->register_valid_i, block, true);
    for (unsigned i = 0; i < bound; ++i) {
      tick();
      if (!port_bit(dut_->register_done_o, block)) continue;
      const auto answer = sample_record<RegisterResponse>(dut_->register_response_o);
      tick();
      set_port_bit(dut_->register_valid_i, block, false);
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

  bool requests_at_rest() { return !dut_->requests_busy_o && !offers_flit(dut_->eject_request_i); }
  template <typename Port>
  static bool offers_flit(const Port& port) {
    return testing::get<layout::flit_stream::valid>(port) != 0;
  }
  Published published() { return sample_record<Published>(dut_->published_i); }
  bool fifo_publishes() {
    const auto fifo = published().get<layout::reception_published::fifo>();
    return fifo.get<layout::publish::valid>() != 0;
  }
  auto reserve() {
    return testing::get<layout::reception_requests::get>(dut_->reception_requests_o);
  }
  // A queue pair asks for something that is not a ready.
  bool has_orders() {
    namespace o = layout::receive_orders;
    const auto buffer = testing::get<o::buffer>(dut_->receive_orders_i);
    const auto reset = testing::get<o::reset>(dut_->receive_orders_i);
    return buffer.get<layout::buffer_offer::valid>() | reset.get<layout::pair_reset::configured>();
  }
  bool decision_at_rest() {
    return !dut_->decision_busy_o && !offers_flit(dut_->eject_reply_i) &&
           !testing::get<layout::queue_answer::get_slots_valid>(dut_->queue_answer_i) &&
           !fifo_publishes() && !notice_is_published() &&
           !published().get<layout::reception_published::stored_valid>() && !has_orders() &&
           !port_bit(dut_->register_valid_i, kFifoTable) &&
           !port_bit(dut_->register_valid_i, kNoticeRing);
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
    put<layout::target_answer::region>(dut_->target_answer_i, looked_up_);
    namespace a = layout::queue_answer;
    put<a::taken>(dut_->queue_answer_i,
                  random_.chance(80) ? QueueTurn::kGetReserve : QueueTurn::kNone);
    put<a::get_slots_valid>(dut_->queue_answer_i, slots_due_ && slots_delay_ == 0);
    // What nobody offers may be anything.
    put<a::slots>(dut_->queue_answer_i, slots_due_ ? *slots_due_ : any<RingSlots>());
    dut_->notice_packet_ready_i = random_.chance(sink_chance);
    namespace o = layout::receive_orders;
    put<o::end_ready>(dut_->receive_orders_i, random_.chance(sink_chance));
    put<o::message_ready>(dut_->receive_orders_i, random_.chance(sink_chance));
    drive_completion();
    memory_willing_ = !memory_stopped && random_.chance(memory_chance);
  }

  // The oldest write that is complete is told to those that wait for it.
  void drive_completion() {
    if (!publishing_ && !unpublished_.empty() && !publish_stopped) {
      publishing_ = random_.chance(publish_chance);
    }
    namespace p = layout::publish;
    namespace d = layout::reception_published;
    const auto offered = published().get<d::notice_client>();  // it stands until it is taken
    auto next = Published{}
                    .set<d::fifo>(any<Publish>().set<p::valid>(0))
                    .set<d::notice_client>(offered)
                    .set<d::stored>(any<MessageStored>());
    if (publishing_) publish(next);
    drive(dut_->published_i, next);
  }
  void publish(Published& next) {
    namespace p = layout::publish;
    namespace d = layout::reception_published;
    namespace a = layout::write_action;
    const WriteAction& action = unpublished_.front().action;
    switch (action.get<a::action>()) {
      case Action::kFifo:
        next.set<d::fifo>(Publish()
                              .set<p::valid>(1)
                              .set<p::target>(action.get<a::target>())
                              .set<p::amount>(action.get<a::amount>()));
        break;
      case Action::kNotice:
        next.set<d::notice_valid>(1).set<d::notice_client>(action.get<a::target>() & 0xFU);
        break;
      default:
        next.set<d::stored_valid>(1).set<d::stored>(stored_of(unpublished_.front()));
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
    namespace l = layout::target_lookup;
    namespace t = layout::target_answer;
    put<t::counter>(dut_->target_answer_i,
                    owner_of(counters, testing::get<l::counter>(dut_->target_lookup_o)));
    put<t::event_counter>(dut_->target_answer_i,
                          owner_of(events, testing::get<l::event_counter>(dut_->target_lookup_o)));
    const auto queue = reserve().get<layout::get_reserve::queue>();
    put<layout::queue_answer::empty>(
        dut_->queue_answer_i,
        queues[queue].mode == QueueMode::kReflection && queues[queue].used == 0);
    namespace p = layout::peer_lookup;
    const auto lookup = testing::get<layout::reception_requests::peers>(dut_->reception_requests_o);
    const auto receive = lookup.get<p::receive_queue>();
    const auto answer = lookup.get<p::answer_queue>();
    put<layout::peer_answer::receive>(dut_->peer_answer_i, peers[receive % peers.size()]);
    put<layout::peer_answer::answer>(dut_->peer_answer_i, peers[answer % peers.size()]);
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
  template <typename Owners>
  static Record<layout::counter_owner::Layout> owner_of(const Owners& owners, std::uint64_t index) {
    namespace o = layout::counter_owner;
    const Owner& owner = owners[index % owners.size()];
    Record<o::Layout> answer;
    answer.set<o::enable>(owner.enable && index < owners.size());
    answer.set<o::owner>(owner.client);
    return answer;
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
    const auto region = testing::get<layout::target_lookup::region>(dut_->target_lookup_o);
    looked_up_ = region < regions.size() ? regions[region] : RegionEntry{};
    namespace r = layout::region_entry;
    looked_up_.set<r::base>(origin_.to_pins(looked_up_.get<r::base>()));
    // memory port
    for (const Port port : kPorts) take_command(port);
    for (const Port port : kPorts) take_beat(port);
    // completion
    namespace d = layout::reception_published;
    namespace y = layout::reception_published_ready;
    if ((fifo_publishes() && testing::get<y::fifo>(dut_->published_ready_o)) ||
        (published().get<d::notice_valid>() && testing::get<y::notice>(dut_->published_ready_o)) ||
        published().get<d::stored_valid>()) {
      unpublished_.pop_front();
      publishing_ = false;
    }
    // queue engine
    namespace a = layout::queue_answer;
    namespace v = layout::get_reserve;
    if (testing::get<a::get_slots_valid>(dut_->queue_answer_i)) slots_due_.reset();
    if (slots_due_ && slots_delay_ > 0) --slots_delay_;
    if (reserve().get<v::valid>() &&
        testing::get<a::taken>(dut_->queue_answer_i) == QueueTurn::kGetReserve) {
      slots_due_ = queues[reserve().get<v::queue>()].reserve(
          static_cast<std::uint32_t>(reserve().get<v::count>()),
          reserve().get<v::reflected>() != 0);
      namespace s = layout::ring_slots;
      slots_due_->set<s::base>(origin_.to_pins(slots_due_->get<s::base>()));
      slots_delay_ = random_.below(3);
    }
    // injection engine
    namespace n = layout::notice_packet;
    if (testing::get<n::valid>(dut_->notice_packet_o) && dut_->notice_packet_ready_i) {
      Packet packet;
      packet.header = testing::get<n::header>(dut_->notice_packet_o);
      packet.trailer = testing::get<n::trailer>(dut_->notice_packet_o);
      packets_back.push_back(packet);
    }
    namespace c = layout::credit_return;
    const auto credit =
        testing::get<layout::reception_requests::credit>(dut_->reception_requests_o);
    if (credit.get<c::valid>())
      credits.push_back({credit.get<c::queue>(), credit.get<c::number>()});
    // counts
    namespace o = layout::receive_orders;
    namespace e = layout::receive_reports;
    receives_ended +=
        testing::get<e::ending>(dut_->receive_reports_o).get<layout::received_end::valid>() &
        testing::get<o::end_ready>(dut_->receive_orders_i);
    receives_ended += testing::get<e::message_valid>(dut_->receive_reports_o) &
                      testing::get<o::message_ready>(dut_->receive_orders_i);
    bad_packets += dut_->bad_packet_o;
    dropped_replies += dut_->dropped_reply_o;
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
