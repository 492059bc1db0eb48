// SPDX-License-Identifier: Apache-2.0
// What surrounds the send engine in its tests: node memory behind the two readers of the memory
// port, region table, counter owners, counters, the router's two inputs, reception (reservations,
// publishes, credit returns, notices) and the register bus.
// Everything that the engines do is written down and left to the test to judge.

#ifndef TESTS_SUPPORT_INJECTION_BENCH_H_
#define TESTS_SUPPORT_INJECTION_BENCH_H_

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vmu_send_engine.h"
#include "Vmu_send_engine/Vmu_send_engine___024root.h"
#include "sim/machine/memory_origin.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked_once.h"
#include "tests/support/injection_entries.h"
#include "tests/support/injection_oracle.h"
#include "tests/support/injection_traffic.h"
#include "tests/support/port_bits.h"
#include "tests/support/port_fields.h"
#include "tests/support/register_units.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "tests/support/written_inside.h"
#include "torusmu/layout.h"
#include "torusmu/types.h"

TORUSMU_WRITTEN_INSIDE(Vmu_send_engine)

namespace torusmu::testing {

using RingSlots = Record<layout::ring_slots::Layout>;
using RegisterRequest = Record<layout::register_request::Layout>;
using RegisterResponse = Record<layout::register_response::Layout>;
using ReceiveBuffer = Record<layout::receive_buffer::Layout>;
using SendAnswer = Record<layout::send_answer::Layout>;
using FetchedDescriptor = Record<layout::fetched_descriptor::Layout>;
using ReceiveResult = Record<layout::receive_result::Layout>;
using PushReserve = Record<layout::push_reserve::Layout>;
using GetReserve = Record<layout::get_reserve::Layout>;
using Publish = Record<layout::publish::Layout>;

class InjectionBench {
 public:
  static constexpr std::size_t kMemoryBytes = 1U << 20;
  static constexpr Address kLastAddress = (Address{1} << 40) - 1;

  explicit InjectionBench(Random& random) : random_(random), dut_(random.seed()) {
    around.memory = any_bytes(random, kMemoryBytes);
    around.origin = origin_;
    for (ReceiveResult& result : results)
      result = ReceiveResult::from_bytes(any_bytes(random, ReceiveResult::kBytes));
    place(1, 2, 3, 3, 3, 3, 7);
    testing::put<layout::send_ready::counter>(dut_->ready_i, 0);
    dut_.settle();
  }

  // --- what the surroundings hold -------------------------------------------------------------
  Surroundings around;  // change place and last with place()
  Reader fetch;
  Reader payload;
  unsigned request_chance = 100;  // the router takes a flit, each cycle
  unsigned reply_chance = 100;
  unsigned operation_chance = 100;
  bool gated = true;                      // an engine that has no work gets no clock
  std::optional<std::uint32_t> bad_page;  // a page of 4 KiB that answers reads with an error
  unsigned calc_latency = 20;             // cycles from a CALC's start to its end
  Status calc_status = Status::kOk;       // how it ends

  std::array<ReceiveResult, kProfile.injection_queues>
      results;  // of a queue's RECEIVE that has run
  EntryMemory completions;
  PairSignals told;

  // --- what the engines did -------------------------------------------------------------------
  std::vector<SentPacket> requests;
  std::vector<SentPacket> replies;
  std::vector<CounterOperation> operations;
  std::array<unsigned, 8 * kProfile.clients> causes{};
  std::array<std::uint32_t, 256> event_values{};     // event counters, with what was added or set
  std::vector<FetchedDescriptor> calcs;              // each, as it began
  std::map<unsigned, std::uint64_t> doorbell_cycle;  // by queue: when the write was presented
  std::vector<ReceiveBuffer> buffers;                // offered for messages

  Vmu_send_engine* operator->() { return dut_.operator->(); }
  std::uint64_t cycle() const { return dut_.cycle(); }
  // In cycles as cycle() counts them: the time of the pins began elsewhere.
  std::uint64_t wake_at() { return activity<layout::send_activity::wake_at>() - start_; }
  void set_time(std::uint64_t now) { start_ = now - cycle(); }  // at the pins, from now on
  bool busy() {
    return activity<layout::send_activity::busy>() || !changes_.empty() || calc_end_ ||
           completions.busy();
  }

  // In the last cycle the queue engine had no clock.
  bool queue_stood() const { return (stopped_ & decltype(dut_)::kQueue) != 0; }
  // Engines of which an edge would change nothing in the state as it is.
  unsigned clocks_at_rest() {
    namespace a = layout::send_activity;
    const bool wakes = dut_->now_i >= activity<a::wake_at>();
    return (activity<a::active_queue>() ? 0U : dut_.kQueue) |
           (activity<a::active_cross>() || wakes ? 0U : dut_.kCross) |
           (activity<a::active_injection>() ? 0U : dut_.kInjection) |
           (activity<a::active_reply>() || wakes ? 0U : dut_.kReply) |
           (activity<a::active_packet>() ? 0U : dut_.kPacket);
  }
  template <auto F>
  std::uint64_t activity() {
    return testing::get<F>(dut_->activity_o);
  }

  template <auto F>
  void limit(std::uint64_t value) {
    testing::put<F>(dut_->limits_i, value);
  }
  // Own coordinates, largest coordinates, torus bits.
  void place(unsigned x, unsigned y, unsigned z, unsigned last_x, unsigned last_y, unsigned last_z,
             unsigned torus) {
    around.place = {x, y, z};
    around.last = {last_x, last_y, last_z};
    dut_->straps_i = Straps{x, y, z, last_x, last_y, last_z, torus}.word();
  }

  void tick() {
    drive_inputs();
    answer_lookups();
    dut_.settle();
    stopped_ = gated ? clocks_at_rest() : 0U;
    dut_.stop(stopped_);
    sample_outputs();
    dut_.tick_settled();
  }
  void ticks(unsigned count) {
    for (unsigned i = 0; i < count; ++i) tick();
  }
  void drain(unsigned bound = 100000) {
    for (unsigned i = 0; i < 3; ++i) tick();
    for (unsigned i = 0; busy(); ++i) {
      if (i == bound) throw std::runtime_error("the engines did not come to rest");
      tick();
    }
    tick();
  }

  // --- registers ------------------------------------------------------------------------------
  RegisterResponse access(RegisterUnit unit, const RegisterRequest& request,
                          unsigned bound = 20000) {
    Vmu_send_engine& dut = *dut_.operator->();
    drive(dut.register_request_i, request);
    set_port_bit(dut.register_valid_i, unit_bit(unit), true);
    for (unsigned i = 0; i < bound; ++i) {
      tick();
      if (!port_bit(dut.register_done_o, unit_bit(unit))) continue;
      const auto response = sample_record<RegisterResponse>(dut.register_response_o);
      tick();
      set_port_bit(dut.register_valid_i, unit_bit(unit), false);
      return response;
    }
    throw std::runtime_error("no answer to a register access");
  }
  static RegisterRequest request(std::uint32_t address, bool write, std::uint64_t data = 0,
                                 bool wide = true) {
    return RegisterRequest()
        .set<layout::register_request::address>(address)
        .set<layout::register_request::write>(write)
        .set<layout::register_request::wide>(wide)
        .set<layout::register_request::data>(data);
  }
  static RegisterRequest page_request(std::uint64_t client, std::uint32_t offset, bool write,
                                      std::uint64_t data = 0, bool wide = false) {
    return request(offset, write, data, wide)
        .set<layout::register_request::page>(1)
        .set<layout::register_request::client>(client);
  }
  Status write(RegisterUnit unit, std::uint32_t address, std::uint64_t data) {
    return access(unit, request(address, true, data)).get<layout::register_response::status>();
  }
  std::uint64_t read(RegisterUnit unit, std::uint32_t address) {
    const auto response = access(unit, request(address, false));
    if (response.get<layout::register_response::status>() != Status::kOk) {
      throw std::runtime_error("register read refused");
    }
    return response.get<layout::register_response::data>();
  }

  // --- queues ---------------------------------------------------------------------------------
  struct Ring {
    Address base = 0;
    std::uint32_t size = 0;
    std::uint64_t owner = 0;
    QueueMode mode = QueueMode::kOff;
    std::uint32_t tail = 0;
  };
  std::array<Ring, kProfile.injection_queues> rings;
  void make_queue(unsigned queue, Address base, std::uint32_t size, QueueMode mode,
                  std::uint64_t owner = 0, bool halts = false, std::uint64_t loops = 0) {
    namespace field = registers::injection_queue::config_field;
    must(write(RegisterUnit::kQueue, registers::injection_queue::config(queue), 0));
    must(write(RegisterUnit::kQueue, registers::injection_queue::base(queue),
               origin_.to_pins(base)));
    must(write(RegisterUnit::kQueue, registers::injection_queue::size(queue), size));
    std::uint64_t config = insert(0, field::mode, static_cast<std::uint64_t>(mode));
    config = insert(insert(config, field::owner, owner), field::halt_on_error, halts);
    config |= loops;
    must(write(RegisterUnit::kQueue, registers::injection_queue::config(queue), config));
    rings[queue] = {base, size, owner, mode, 0};
  }
  // One that takes entries of that owner.
  void make_completion_queue(unsigned queue, std::uint32_t size, std::uint64_t owner) {
    namespace c = registers::completion_queue;
    must(write(RegisterUnit::kCompletion, c::config(queue), 0));
    must(write(RegisterUnit::kCompletion, c::base(queue), origin_.to_pins(0)));
    must(write(RegisterUnit::kCompletion, c::size(queue), size));
    std::uint64_t config = insert(0, c::config_field::enable, 1);
    config = insert(insert(config, c::config_field::overwrite, 1), c::config_field::owner, owner);
    must(write(RegisterUnit::kCompletion, c::config(queue), config));
  }
  // As if so many entries had gone through a completion queue that is at rest, all of them read.
  void make_old_completion_queue(unsigned queue, std::uint32_t entries) {
#define TORUSMU_COMPLETIONS(name) \
  dut_->rootp->mu_send_engine__DOT__u_completion_queues__DOT__##name##__DOT__mem[queue]
    Bytes row = sample(TORUSMU_COMPLETIONS(u_rows), 24);
    put_bits(row, 65, 32, entries);
    put_bits(row, 97, 32, entries);
    drive(TORUSMU_COMPLETIONS(u_rows), row);
    auto& tail = TORUSMU_COMPLETIONS(u_tails);
    tail = (tail >> 32U << 32U) | entries;
#undef TORUSMU_COMPLETIONS
    settle_inside(dut_->rootp);
    tick();
  }
  // As if so many descriptors had gone through a queue that is at rest, and so many SENDs. Its next
  // descriptor has that index, its next SEND that number.
  void make_old(unsigned queue, std::uint32_t index, std::uint32_t number) {
#define TORUSMU_STATE(name) dut_->rootp->mu_send_engine__DOT__##name[queue]
#define TORUSMU_RING(name) TORUSMU_STATE(u_queue_engine__DOT__u_queue_table__DOT__##name)
#define TORUSMU_SENDS(name) TORUSMU_STATE(u_queue_pairs__DOT__u_outstanding_requests__DOT__##name)
    TORUSMU_RING(head_mem) = TORUSMU_RING(fetch_index_mem) = index;
    TORUSMU_RING(published_mem) = TORUSMU_RING(reserved_mem) = index;
    TORUSMU_RING(fetch_lap_mem) = ~index;
    TORUSMU_SENDS(row_mem) |= QData{1} << layout::request_row::used.lsb;
    TORUSMU_SENDS(number_mem) = number - 1;
    settle_inside(dut_->rootp);
    rings[queue].tail = index;
  }
  // The same for a queue with a ring larger than memory: `slots` is where the next descriptors lie.
  void make_old_queue(unsigned queue, Address slots, std::uint32_t size, std::uint32_t index,
                      QueueMode mode, std::uint64_t owner = 0) {
    make_queue(queue, slots, size, mode, owner);
    make_old(queue, index, 0);
    const Address before = Address{index % size} * 64;
    TORUSMU_RING(base_mem) = (origin_.to_pins(slots) - before) & kLastAddress;
    settle_inside(dut_->rootp);
    rings[queue].base = slots - before;
  }
#undef TORUSMU_SENDS
#undef TORUSMU_RING
#undef TORUSMU_STATE
  // Something outside adds to an event counter.
  void bump(unsigned event, std::uint32_t amount) {
    event_values[event] += amount;
    changes_.push_back(event);
  }
  // Writes the descriptor behind the last one that was put there, without telling the MU.
  void put(unsigned queue, const Descriptor& descriptor) {
    Ring& ring = rings[queue];
    store(ring.base + ring.tail % ring.size * 64, descriptor.bytes());
    ++ring.tail;
  }
  void store(Address address, std::span<const std::uint8_t> bytes) {
    std::copy(bytes.begin(), bytes.end(),
              around.memory.begin() + static_cast<std::ptrdiff_t>(address));
  }
  Status doorbell(unsigned queue) { return doorbell(queue, rings[queue].tail); }
  Status doorbell(unsigned queue, std::uint32_t tail) {
    doorbell_cycle[queue] = cycle();
    return access(RegisterUnit::kQueue,
                  page_request(rings[queue].owner,
                               registers::client_page::queue_index.in_block(queue), true, tail))
        .get<layout::register_response::status>();
  }
  // Reserves `count` slots as reception (GET) or the host interface (PUSH) does.
  RingSlots reserve(unsigned queue, unsigned count, bool reflected, bool push = false,
                    unsigned client = 0) {
    PushReserve wanted;
    wanted.set<layout::push_reserve::queue>(queue).set<layout::push_reserve::client>(client);
    GetReserve get;
    get.set<layout::get_reserve::queue>(queue)
        .set<layout::get_reserve::count>(count)
        .set<layout::get_reserve::reflected>(reflected);
    const auto offer = [&](bool valid) {
      testing::put<layout::reception_requests::get>(
          dut_->reception_requests_i, get.set<layout::get_reserve::valid>(!push && valid));
      drive(dut_->push_reserve_i, wanted.set<layout::push_reserve::valid>(push && valid));
    };
    hand_over("a reservation", offer, push ? QueueTurn::kPushReserve : QueueTurn::kGetReserve);
    dut_.settle();
    namespace q = layout::queue_answer;
    if (!(push ? testing::get<q::push_slots_valid>(dut_->queue_answer_o)
               : testing::get<q::get_slots_valid>(dut_->queue_answer_o))) {
      throw std::runtime_error("no slots the cycle after a reservation");
    }
    auto slots = testing::get<q::slots>(dut_->queue_answer_o);
    if (slots.get<layout::ring_slots::status>() == Status::kOk) {
      slots.set<layout::ring_slots::base>(origin_.from_pins(slots.get<layout::ring_slots::base>()));
    }
    return slots;
  }
  void publish(unsigned queue, unsigned count) {
    Publish tail;
    tail.set<layout::publish::target>(queue).set<layout::publish::amount>(count);
    const auto offer = [&](bool valid) {
      testing::put<layout::ring_publishes::queue>(dut_->publishes_i,
                                                  tail.set<layout::publish::valid>(valid));
    };
    hand_over("a publish", offer, QueueTurn::kPublish);
  }
  // A descriptor into a queue that the MU fills: reservation, memory write, publish.
  Status deliver(unsigned queue, const Descriptor& descriptor) {
    Ring& ring = rings[queue];
    const bool push = ring.mode == QueueMode::kPush;
    const RingSlots slots = reserve(queue, 1, ring.mode == QueueMode::kReflection, push,
                                    static_cast<unsigned>(ring.owner));
    const Status status = slots.get<layout::ring_slots::status>();
    if (status != Status::kOk) return status;
    const Address at =
        slots.get<layout::ring_slots::base>() + slots.get<layout::ring_slots::position>() * 64;
    // The base of an old ring lies before the memory, so that it was not told from there.
    store(at < kMemoryBytes ? at : origin_.from_pins(at), descriptor.bytes());
    ++ring.tail;
    publish(queue, 1);
    return status;
  }
  void return_credit(unsigned queue, std::uint16_t number) {
    namespace c = layout::credit_return;
    using layout::reception_requests::credit;
    testing::put<credit>(
        dut_->reception_requests_i,
        Record<c::Layout>().set<c::queue>(queue).set<c::number>(number).set<c::valid>(1));
    tick();
    testing::put<credit, c::valid>(dut_->reception_requests_i, 0);
  }
  // A queue pair: the peer's MU tells what became of a SEND, or a target of a FENCE.
  void answer(unsigned queue, std::uint32_t number, Status status, std::uint32_t node,
              bool fence = false) {
    namespace o = layout::send_outcome;
    namespace a = layout::send_answer;
    const SendAnswer answer = SendAnswer()
                                  .set<a::queue>(queue)
                                  .set<a::number>(number)
                                  .set<a::status>(status)
                                  .set<a::node>(node)
                                  .set<a::fence>(fence);
    testing::put<layout::receive_reports::answer>(
        dut_->receive_reports_i, Record<o::Layout>().set<o::answer>(answer).set<o::valid>(1));
    tick();
    testing::put<layout::receive_reports::answer, o::valid>(dut_->receive_reports_i, 0);
  }
  // The message for the buffer that was offered first in that queue is in memory.
  void end_receive(unsigned queue, std::uint32_t bytes, Status status = Status::kOk) {
    namespace e = layout::received_end;
    namespace r = layout::receive_result;
    auto end = Record<e::Layout>()
                   .set<e::ending>(Record<layout::queue_end::Layout>()
                                       .set<layout::queue_end::queue>(queue)
                                       .set<layout::queue_end::status>(status))
                   .set<e::result>(Record<r::Layout>().set<r::bytes>(bytes));
    const auto offer = [&](bool valid) {
      testing::put<layout::receive_reports::ending>(dut_->receive_reports_i,
                                                    end.set<e::valid>(valid));
    };
    hand_over<layout::receive_orders::end_ready>("the end of a RECEIVE", offer,
                                                 dut_->receive_orders_o);
  }
  // A message that had a context is in memory.
  void end_message(const Record<layout::received_message::Layout>& message) {
    namespace r = layout::receive_reports;
    testing::put<r::message>(dut_->receive_reports_i, message);
    const auto offer = [&](bool valid) {
      testing::put<r::message_valid>(dut_->receive_reports_i, valid);
    };
    hand_over<layout::receive_orders::message_ready>("the end of a message", offer,
                                                     dut_->receive_orders_o);
  }
  // A notice that reception sends, ready to leave.
  void notify(const model::Packet& notice) {
    namespace n = layout::notice_packet;
    const auto offer = [&](bool valid) {
      drive(dut_->notice_packet_i, Record<n::Layout>()
                                       .set<n::header>(notice.header)
                                       .set<n::trailer>(notice.trailer)
                                       .set<n::valid>(valid));
    };
    hand_over<layout::send_accepts::notice_packet>("a notice", offer, dut_->accepts_o);
  }
  struct QueueState {
    std::uint64_t head, tail, count, index;
    Status status;
    bool halted;
  };
  QueueState state(unsigned queue) {
    namespace field = registers::injection_queue::status_field;
    const std::uint64_t word =
        read(RegisterUnit::kQueue, registers::injection_queue::status(queue));
    return {read(RegisterUnit::kQueue, registers::injection_queue::head(queue)),
            read(RegisterUnit::kQueue, registers::injection_queue::tail(queue)),
            extract(word, field::count),
            extract(word, field::index),
            static_cast<Status>(extract(word, field::status)),
            extract(word, field::halted) != 0};
  }
  // For a descriptor at `index` of a ring.
  void wait_for_room(unsigned queue, std::uint32_t index, std::uint32_t slots) {
    for (int i = 0; index - static_cast<std::uint32_t>(state(queue).head) >= slots; ++i, tick())
      if (i == 1000) throw std::runtime_error("the ring stays full");
  }

 private:
  template <auto Ready, typename Offer, typename Port>
  void hand_over(const std::string& what, const Offer& offer, const Port& port) {
    offer_until(what, offer, [&] { return testing::get<Ready>(port) != 0; });
  }
  template <typename Offer, typename Taken>
  void offer_until(const std::string& what, const Offer& offer, const Taken& is_taken) {
    offer(true);
    for (unsigned i = 0; i < 1000; ++i) {
      dut_.settle();
      const bool taken = is_taken();
      tick();
      if (!taken) continue;
      offer(false);
      return;
    }
    throw std::runtime_error(what + " was not taken");
  }
  // The queue engine takes it.
  template <typename Offer>
  void hand_over(const std::string& what, const Offer& offer, QueueTurn turn) {
    const auto is_taken = [&] {
      return testing::get<layout::queue_answer::taken>(dut_->queue_answer_o) == turn;
    };
    offer_until(what, offer, is_taken);
  }
  static void must(Status status) {
    if (status != Status::kOk)
      throw std::runtime_error("register write refused: " + std::string(name_of(status)));
  }

  template <auto Of>
  void offer_beat(Reader& reader) {
    namespace b = layout::read_beat;
    auto& port = dut_->beats_i;
    testing::put<Of, b::valid>(port, 0);
    reader.beat = !reader.waiting.empty() && cycle() >= reader.waiting.front().due &&
                  random_.chance(reader.beat_chance);
    if (!reader.beat) return;
    const Reader::Command& command = reader.waiting.front();
    const std::uint64_t count = std::min<std::uint64_t>(32, command.bytes - reader.done);
    const Address at = command.address + reader.done;
    for (unsigned i = 0; i < 32; ++i)  // the data are the lowest of a beat
      set_port_bits(port, Of.lsb + 8 * i, 8, i < count ? around.memory.at(at + i) : 0);
    const bool last = reader.done + count == command.bytes;
    const bool error = last && bad_page && command.address >> 12 <= *bad_page &&
                       (command.address + command.bytes - 1) >> 12 >= *bad_page;
    testing::put<Of, b::valid>(port, 1);
    testing::put<Of, b::last>(port, last);
    testing::put<Of, b::error>(port, error);
  }
  void drive_inputs() {
    dut_->now_i = start_ + cycle();
    drive_noise();
    offer_beat<layout::send_beats::fetch>(fetch);
    offer_beat<layout::send_beats::payload>(payload);
    namespace r = layout::send_ready;
    auto& ready = dut_->ready_i;
    testing::put<r::fetch>(ready, random_.chance(fetch.command_chance));
    testing::put<r::payload>(ready, random_.chance(payload.command_chance));
    testing::put<r::inject_request>(ready, random_.chance(request_chance));
    testing::put<r::inject_reply>(ready, random_.chance(reply_chance));
    testing::put<r::counter>(ready, random_.chance(operation_chance));
    testing::put<r::calc>(ready, !calc_end_);
    testing::put<layout::source_answer::region>(dut_->source_answer_i, looked_up_);
    completions.drive(*dut_.operator->(), random_);
    namespace c = layout::event_change;
    using layout::event_watch::change;
    testing::put<change, c::valid>(dut_->event_watch_i, !changes_.empty());
    if (!changes_.empty()) {
      testing::put<change, c::index>(dut_->event_watch_i, changes_.front());
      testing::put<change, c::value>(dut_->event_watch_i, event_values[changes_.front()]);
      changes_.pop_front();
    }
    Record<layout::calc_done::Layout> done;
    done.set<layout::calc_done::status>(calc_status).set<layout::calc_done::valid>(calc_ends());
    using Report = Record<layout::calc_report::Layout>;
    drive(dut_->calc_report_i, Report().set<layout::calc_report::done>(done));
  }
  // What nobody offers may be anything.
  void drive_noise() {
    namespace r = layout::receive_reports;
    any_unless_valid<r::answer, layout::send_outcome::valid>(dut_->receive_reports_i);
    any_unless_valid<r::ending, layout::received_end::valid>(dut_->receive_reports_i);
    any_unless_valid<layout::reception_requests::credit, layout::credit_return::valid>(
        dut_->reception_requests_i);
    any_unless_valid<layout::ring_publishes::queue, layout::publish::valid>(dut_->publishes_i);
    if (!testing::get<r::message_valid>(dut_->receive_reports_i)) {
      using Message = Record<layout::received_message::Layout>;
      testing::put<r::message>(dut_->receive_reports_i,
                               Message::from_bytes(any_bytes(random_, Message::kBytes)));
    }
  }
  template <auto Outer, auto Valid, typename Port>
  void any_unless_valid(Port& port) {
    if (testing::get<Outer, Valid>(port)) return;
    using Any = Record<typename decltype(Valid)::OwnerType>;
    testing::put<Outer>(port,
                        Any::from_bytes(any_bytes(random_, Any::kBytes)).template set<Valid>(0));
  }
  // What is looked up follows from the state alone.
  void answer_lookups() {
    namespace q = layout::source_lookup;
    namespace a = layout::source_answer;
    testing::put<a::counter>(dut_->source_answer_i,
                             around.owner_of(testing::get<q::counter>(dut_->source_lookup_o)));
    testing::put<a::done_event>(
        dut_->source_answer_i, around.owner_of(testing::get<q::done_event>(dut_->source_lookup_o)));
    const auto queue = testing::get<layout::receive_orders::result_queue>(dut_->receive_orders_o);
    drive(dut_->result_i, results[queue % results.size()]);
  }
  void sample_outputs() {
    namespace y = layout::send_ready;
    namespace q = layout::send_reads;
    const auto ready = sample_record<Record<y::Layout>>(dut_->ready_i);
    if (ready.get<y::fetch>()) fetch.take(testing::get<q::fetch>(dut_->reads_o), origin_, cycle());
    if (ready.get<y::payload>())
      payload.take(testing::get<q::payload>(dut_->reads_o), origin_, cycle());
    fetch.finish_beat(cycle());
    payload.finish_beat(cycle());
    take_flit(requests, open_request_, dut_->inject_request_o, ready.get<y::inject_request>(),
              cycle());
    take_flit(replies, open_reply_, dut_->inject_reply_o, ready.get<y::inject_reply>(), cycle());
    namespace c = layout::counter_request;
    if (testing::get<c::valid>(dut_->counter_request_o) && ready.get<y::counter>()) {
      operations.push_back(testing::get<c::operation>(dut_->counter_request_o));
      count(operations.back());
    }
    const auto offer = testing::get<layout::receive_orders::buffer>(dut_->receive_orders_o);
    if (offer.get<layout::buffer_offer::valid>()) {
      using layout::receive_buffer::address;
      auto& buffer = buffers.emplace_back(offer.get<layout::buffer_offer::buffer>());
      buffer.set<address>(origin_.from_pins(buffer.get<address>()));
    }
    completions.sample(*dut_.operator->());
    told.sample(*dut_.operator->());
    if (calc_ends() && testing::get<layout::send_accepts::calc_done>(dut_->accepts_o))
      calc_end_.reset();
    const auto calc = sample_record<Record<layout::descriptor_offer::Layout>>(dut_->calc_o);
    if (calc.get<layout::descriptor_offer::valid>() != 0 && ready.get<y::calc>()) {
      calcs.push_back(calc.get<layout::descriptor_offer::descriptor>());
      calc_end_ = cycle() + calc_latency;
    }
    looked_up_ = around.regions[testing::get<layout::source_lookup::region>(dut_->source_lookup_o)];
    using layout::region_entry::base;
    looked_up_.set<base>(origin_.to_pins(looked_up_.get<base>()));
    const PortBits raised = bits_of(dut_->causes_o);
    for (unsigned i = 0; i < causes.size(); ++i) causes[i] += raised[i];
  }
  void count(const CounterOperation& operation) {
    namespace o = layout::counter_operation;
    if (operation.get<o::is_event>() == 0) return;
    changes_.push_back(static_cast<unsigned>(operation.get<o::counter>()));
    auto& count = event_values[changes_.back()];
    if (operation.get<o::set>() != 0) count = 0;
    count += static_cast<std::uint32_t>(operation.get<o::value>());
  }
  bool calc_ends() const { return calc_end_ && cycle() >= *calc_end_; }
  Random& random_;
  // The memory and the time begin anywhere, as the pins see them.
  MemoryOrigin origin_{random_.below(Address{7} << 25) << 12};
  std::uint64_t start_ = random_.bits64() >> 17;
  ClockedOnce<Vmu_send_engine> dut_;
  RegionEntry looked_up_;
  unsigned stopped_ = 0;
  Bytes open_request_, open_reply_;
  std::deque<unsigned> changes_;  // event counters whose new value is still to be shown
  std::optional<std::uint64_t> calc_end_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_INJECTION_BENCH_H_
