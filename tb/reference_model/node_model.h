// SPDX-License-Identifier: Apache-2.0
// Transaction-level model of one node's messaging unit: what a register access, an injected
// descriptor and a packet that arrives do, each as one step, without clock cycles inside.
//
// It is the judge of the RTL: after the same register writes, descriptors and packets (in an order
// that the node could have chosen) memory, counters, rings, causes and statuses must be the same.
// Not modelled: the router and its performance counts (they read as zero), and which of several
// ready queues goes first.
#ifndef TORUSMU_TB_REFERENCE_MODEL_NODE_MODEL_H_
#define TORUSMU_TB_REFERENCE_MODEL_NODE_MODEL_H_

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "sim/machine/memory.h"
#include "tb/reference_model/decode.h"
#include "tb/reference_model/node_state.h"
#include "tb/reference_model/packet.h"
#include "torusmu/layout.h"
#include "torusmu/types.h"

namespace torusmu::model {

// A descriptor of `queue`, with the event counter of the peer register as its done_event unless it
// names one.
Descriptor with_event_of_peer(const Queue& queue, Descriptor descriptor);

// Where the SEND goes: to the peer of its queue, unless that is dynamically connected.
QueueOfNode target_of_send(const Queue& queue, const Descriptor& descriptor);

bool is_first(const Packet& packet);  // of its message
QueueOfNode sender_of(const Packet& packet);

// Bits 63..32 of the register node.identity.
inline constexpr std::uint32_t kLayoutVersion = 1;

class ReferenceNode {
 public:
  struct Answer {
    Status status = Status::kOk;
    std::uint64_t data = 0;  // of a read; a 4-byte register in the low half
  };
  // What one step of the injection side did.
  struct Step {
    bool worked = false;           // false: nothing to do
    std::optional<Packet> packet;  // sealed; none for NOP, CTR_ADD and refused descriptors
  };

  ReferenceNode(const Shape& shape, NodeId node, Bytes memory_size, const Sizes& sizes = kSim);

  [[nodiscard]] NodeId id() const { return id_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  NodeMemory& memory() { return memory_; }
  [[nodiscard]] const NodeMemory& memory() const { return memory_; }
  [[nodiscard]] const NodeMemory& unit_memory() const { return unit_memory_; }

  // One register access, in whole; a refused one changes nothing but the recorded error.
  Answer write(std::uint32_t address, std::uint64_t data, bool wide);
  Answer read(std::uint32_t address);
  [[nodiscard]] bool interrupt(ClientId client) const;

  // A signal comes over a cable of the tree; those that go out since they were last taken.
  void take_signal(TreeSignal signal);
  std::vector<TreeSignal> signals() { return std::exchange(signals_, {}); }

  // Injects one packet, or runs one descriptor that needs none.
  Step inject(Cycles now);
  [[nodiscard]] bool has_work() const;
  // Takes one packet. False: it is a request that waits at a full reception FIFO; offer it again,
  // before any other request, once software has freed room or hold_deadline() has come.
  bool receive(const Packet& packet, Cycles now);
  [[nodiscard]] Cycles hold_deadline() const { return hold_deadline_; }
  // Asks for reflection credits that have been missing for long, and sends again what is due.
  void run_timers(Cycles now);
  [[nodiscard]] Cycles next_timer() const;

  // Runs one CALC of `queue` in whole and gives its status; counters and the queue are left alone.
  // What is written of the result if the memory fails is not defined.
  // `targets`: those in its list, if it was read.
  Status run_calc(const Descriptor& descriptor, const Queue& queue,
                  std::vector<PacketHeader>* targets = nullptr);

  // Views for judges.
  [[nodiscard]] const Queue& queue(std::uint32_t n) const { return queues_.at(n); }
  [[nodiscard]] const CompletionQueue& completion_queue(std::uint32_t n) const {
    return completions_.at(n);
  }
  [[nodiscard]] const Fifo& fifo(std::uint32_t n) const { return fifos_.at(n); }
  [[nodiscard]] const ByteCounter& byte_counter(std::uint32_t n) const { return bytes_.at(n); }
  [[nodiscard]] const EventCounter& event_counter(std::uint32_t n) const { return events_.at(n); }
  [[nodiscard]] const NoticeRing& notices(std::uint32_t n) const { return notices_.at(n); }
  [[nodiscard]] const Page& page(std::uint32_t n) const { return pages_.at(n); }
  [[nodiscard]] const Credit& credit(std::uint32_t n) const { return credits_.at(n); }
  // The same, for a judge who begins with a node that has counted for long.
  Queue& queue(std::uint32_t n) { return queues_.at(n); }
  CompletionQueue& completion_queue(std::uint32_t n) { return completions_.at(n); }
  Fifo& fifo(std::uint32_t n) { return fifos_.at(n); }
  NoticeRing& notices(std::uint32_t n) { return notices_.at(n); }
  Credit& credit(std::uint32_t n) { return credits_.at(n); }
  [[nodiscard]] std::uint64_t bad_packets() const { return bad_packets_; }
  [[nodiscard]] std::uint64_t dropped_replies() const { return dropped_replies_; }

 private:
  // A descriptor of which some packets have left.
  struct Running {
    std::uint32_t queue = 0;
    Descriptor descriptor;
    bool ahead = false;  // of a SEND that still holds the queue
    Bytes sent = 0;
  };
  // How a SEND ended: as the peer says, or here.
  struct SendEnd {
    Status status = Status::kOk;
    bool of_peer = false;
    [[nodiscard]] bool uses_number() const {
      return of_peer && (status == Status::kOk || status == Status::kMemoryError);
    }
  };
  // Where the message that a receive queue expects goes.
  struct Buffer {
    Address address = 0;
    Bytes bytes = 0;
  };
  struct Target {  // a counter pair that a packet names
    bool counter_valid = false;
    std::uint32_t counter = 0;
    bool event_valid = false;
    std::uint32_t event = 0;
  };
  enum class Access { kLocalRead, kRemoteWrite, kRemoteRead, kOnBehalf };

  // node_registers.cc
  Answer write_page(const Decoded& where, std::uint64_t data);
  Answer write_privileged(const Decoded& where, std::uint64_t data);
  Answer read_page(const Decoded& where);
  Answer read_privileged(const Decoded& where);
  Status ring_doorbell(std::uint32_t client, std::uint32_t queue, std::uint32_t tail);
  Status move_completion_head(std::uint32_t client, std::uint32_t queue, std::uint32_t head);
  Status move_fifo_head(std::uint32_t client, std::uint32_t fifo, std::uint32_t head);
  Status push(std::uint32_t client);
  std::uint64_t touch_hits_of(std::uint32_t client) const;
  void record_page_error(std::uint32_t client, Status status);

  // node_tables.cc
  Answer write_table(const Decoded& where, std::uint64_t data);
  Answer write_ranges(const Decoded& where, std::uint64_t data);
  Answer read_table(const Decoded& where);
  Answer write_completion_queue(const Decoded& where, std::uint64_t data);
  Status configure_peer(std::uint32_t queue, std::uint64_t data);
  Status configure_queue(std::uint32_t queue, std::uint64_t data);
  Status configure_fifo(std::uint32_t fifo, std::uint64_t data);
  Status configure_class(std::uint32_t number, std::uint64_t data);

  // node_injection.cc
  std::optional<std::uint32_t> pick_queue(bool replies);
  bool has_turn(std::uint32_t queue) const;
  Step take_turn(std::uint32_t queue, Cycles now);
  Step start(std::uint32_t queue, Cycles now);
  std::optional<Descriptor> read_descriptor(const Queue& queue, std::uint64_t index);
  Step run(std::uint32_t queue, const Descriptor& descriptor, Cycles now);
  Step start_reflection(std::uint32_t queue, Descriptor descriptor, Cycles now);
  Step run_counter_operation(std::uint32_t queue, const Descriptor& descriptor);
  Step send_first(Running running, bool reply, Cycles now);
  Step send_next(Running& running, bool reply, Cycles now);
  // The result of a CALC to each of its targets; the first status that is not OK.
  Status put_result(std::uint32_t queue, const Descriptor& calc,
                    const std::vector<PacketHeader>& targets);
  Packet build_packet(const Running& running, Bytes bytes, bool reply) const;
  void retire(std::uint32_t queue, Status status);
  // The same, and the entry that the descriptor asks for.
  void fail(std::uint32_t queue, const Descriptor& descriptor, Status status);
  void notify_getter(std::uint32_t queue, const Descriptor& descriptor, Status status);
  std::optional<NodeId> neighbour(std::uint32_t direction) const;
  void return_credit(std::uint32_t queue, std::uint16_t number);

  // node_descriptor_check.cc
  Status check(const Descriptor& descriptor, const Queue& queue) const;
  Status check_header(const Descriptor& descriptor, const Queue& queue) const;
  Status check_source(const Descriptor& descriptor, const Queue& queue) const;
  Status check_own_counters(const Descriptor& descriptor, const Queue& queue) const;

  // node_cross_channel.cc
  bool wait_is_over(const Queue& queue) const;
  bool may_run(const Queue& queue) const;
  bool is_waited_for(std::uint32_t event_counter) const;
  std::uint32_t count_of(const Queue& queue) const;
  bool is_own_queue(std::uint32_t queue, std::uint32_t client) const;
  void run_wait(std::uint32_t queue, const Descriptor& descriptor);
  void run_enable(std::uint32_t queue, const Descriptor& descriptor);
  void finish(std::uint32_t queue, const Descriptor& descriptor);

  // node_queue_pair.cc
  Status check_pair(const Descriptor& descriptor, const Queue& queue) const;
  void address_send(Packet& packet, const Running& running) const;
  void begin_send(std::uint32_t queue, const Descriptor& descriptor);
  Step start_ahead(std::uint32_t queue, Cycles now);
  Step send_ahead(std::uint32_t queue, const Descriptor& descriptor, Cycles now);
  void last_has_left(const Running& running, Cycles now);
  void fail_send(const Running& running, Cycles now);
  void end_send(std::uint32_t queue, SendEnd end, Cycles now);
  void advance_to_ahead(std::uint32_t queue, Cycles now);
  void forget_sends(std::uint32_t queue);
  void take_answer(const Packet& packet, std::uint32_t queue, std::uint32_t number, Status status,
                   Cycles now);
  void take_answer_ahead(std::uint32_t queue, Status status);
  void run_send_timers(Cycles now);
  Cycles next_send_timer() const;
  void begin_receive(std::uint32_t queue, const Descriptor& descriptor);
  std::optional<Buffer> buffer_of(std::uint32_t queue) const;
  Buffer buffer_of(const Descriptor& receive) const;
  Status receive_send(const Packet& packet, Cycles now);
  Status check_message(const Packet& packet, const Buffer& buffer, std::uint32_t owner) const;
  Status store_send(const Packet& packet, const Buffer& buffer, Cycles now);
  void end_receive(std::uint32_t queue, const Packet& packet);
  void tell_received(const Queue& queue, const Packet& packet, const Descriptor& descriptor);
  void bump_target(const Packet& packet, std::uint32_t owner);
  void acknowledge(const Packet& packet);
  void refuse_unstored(const Packet& packet);
  void flush(std::uint32_t queue);

  // node_fence.cc
  Step fence_ahead(std::uint32_t queue, const Descriptor& descriptor);
  Step begin_fence(std::uint32_t queue, const Descriptor& descriptor, Cycles now);
  void end_fence(std::uint32_t queue, Status status);
  void take_fence_answer(const Packet& packet, std::uint32_t queue, std::uint32_t index,
                         Status status);
  void run_fence_timers(Cycles now);
  Cycles next_fence_timer() const;
  Status receive_fence(const Packet& packet);
  void answer_fence(const Packet& packet);

  // node_boot_buffer.cc
  void configure_boot_buffers(std::uint32_t fifo);
  Status open_boot_buffers(std::uint64_t expected);
  [[nodiscard]] bool is_kept(const Packet& packet, const Fifo& fifo) const;
  Status keep_packet(const Packet& packet, const Fifo& fifo);
  [[nodiscard]] bool has_drain() const;
  void drain_boot_buffers();
  void drain_boot_buffer(Fifo& keeper);
  std::optional<Packet> oldest_of(const Fifo& keeper);
  void free_slots(Fifo& fifo, std::uint64_t slots);
  std::optional<Status> move_packet(const Packet& packet, const Fifo& keeper);

  // node_dynamic.cc
  Status check_dynamic_target(const Descriptor& descriptor) const;
  void end_dynamic_send(std::uint32_t queue, Status status);
  Status receive_dynamic(const Packet& packet, Cycles now);
  Reassembly* message_of_sender(const Packet& packet);
  Reassembly* free_context();
  Status begin_message(const Packet& packet, Reassembly* last, Cycles now);
  void take_receive(Reassembly& message, const Packet& packet);
  void store_message(Reassembly& message, const Packet& packet);
  void end_message(Reassembly& message, const Packet& packet);
  void answer(const Reassembly& message, const Packet& packet);
  void forget_messages(std::uint32_t queue);

  // node_pipe.cc
  void begin_pipe(std::uint32_t queue, const Descriptor& descriptor);
  bool may_begin_pipe(const Descriptor& descriptor) const;
  Status read_places(std::uint32_t queue, const Descriptor& descriptor,
                     std::vector<Pipe::Place>& places);
  const Pipe& pipe_in(std::uint32_t queue) const;
  Pipe& pipe_in(std::uint32_t queue);
  const Pipe* pipe_from(std::uint32_t receive_queue) const;
  bool may_send_on(std::uint32_t queue) const;
  Step send_on(std::uint32_t queue, Cycles now);
  void end_piped_send(std::uint32_t queue, SendEnd end, Cycles now);
  void end_piped_receive(std::uint32_t queue, const Packet& packet);
  void stop_pipe(Pipe& pipe, Status status);
  void forget_piped(const Pipe& pipe);
  void fail_pipe(Pipe& pipe, Status status);
  void end_pipe_if_done(std::uint32_t queue);
  void end_pipe(Pipe& pipe);
  Address buffer_address(const Pipe& pipe, std::uint64_t message) const;

  // node_tree.cc
  // An event counter changes; each change may be an arrival of a member of a class.
  void set_event(std::uint32_t counter, std::uint32_t value);
  void count_event(std::uint32_t counter) { set_event(counter, events_[counter].value + 1); }
  [[nodiscard]] std::uint64_t state_of_class(std::uint32_t number) const;
  void combine_arrivals(std::uint32_t number);
  void release(std::uint32_t number);

  // node_completion_queue.cc
  struct Received {
    Bytes bytes = 0;
    std::uint64_t word = 0;
  };
  struct Told {
    std::uint32_t index = 0;
    Received received;
    QueueOfNode peer;
  };
  // The entry of the descriptor at the head of the queue; of a RECEIVE with what it has received.
  void signal(std::uint32_t queue, const Descriptor& descriptor, Status status,
              std::optional<Received> received = std::nullopt);
  // The entry of a descriptor of the queue that has asked for one, wherever it stands.
  void append_entry(std::uint32_t queue, const Descriptor& descriptor, Status status,
                    const Told& told);
  bool is_own_completion_queue(std::uint32_t queue, std::uint32_t client) const;

  // node_reception.cc
  Status receive_put(const Packet& packet);
  // Nothing: the packet must wait.
  std::optional<Status> receive_fifo(const Packet& packet, Cycles now);
  bool store_entry(Fifo& fifo, const std::vector<std::uint8_t>& entry);
  Status receive_get(const Packet& packet);
  void receive_notice(const Packet& packet, Cycles now);
  void count_discard(const Packet& notice);
  void store_notice(const Packet& packet, std::uint32_t client);
  void answer_credit_query(const Packet& packet);
  void refuse(const Packet& packet, Status status);
  bool is_sound(const Packet& packet) const;
  Target target_of(const Packet& packet) const;
  Status check_target_counters(const Target& target, std::uint32_t owner) const;
  void complete(const Packet& packet, std::uint32_t owner);

  // node_model.cc
  bool read_memory(Address address, std::span<std::uint8_t> data);
  bool write_memory(Address address, std::span<const std::uint8_t> data);
  // One ring access of `slots` slots of `slot_bytes`, split where the ring wraps.
  bool write_ring(Address base, std::uint64_t size, std::uint64_t index, std::uint32_t slot_bytes,
                  std::span<const std::uint8_t> data);
  // The memory that has this address, which counts from its beginning then.
  NodeMemory& memory_at(Address& address);
  void touch(Address address, Bytes bytes, bool write, bool by_core = false);
  void raise(std::uint32_t client, Cause cause);
  // With the number of the counter, FIFO or completion queue that has raised it, whose bits begin
  // at `parts` of the register.
  void raise_by_part(std::uint32_t client, Cause cause, unsigned parts, std::size_t number);
  Status check_region(std::uint32_t region, Address offset, Bytes bytes, Access access,
                      std::uint32_t client) const;
  void subtract(std::uint32_t counter, std::uint64_t value);

  Shape shape_;
  NodeId id_;
  Coordinates place_;
  Sizes sizes_;
  NodeMemory memory_;
  NodeMemory unit_memory_;  // at the end of the address space

  std::vector<Queue> queues_;
  std::vector<CompletionQueue> completions_;
  std::vector<Fifo> fifos_;
  std::uint64_t expected_ = 0;  // clients, by the register
  std::vector<ByteCounter> bytes_;
  std::vector<EventCounter> events_;
  std::vector<TreeClass> classes_;
  std::vector<TreeSignal> signals_;  // on their way out
  std::vector<Region> regions_;
  std::vector<TouchRange> touches_;
  std::vector<NoticeRing> notices_;
  std::vector<Page> pages_;
  std::vector<Credit> credits_;
  std::vector<Reassembly> contexts_;
  std::size_t last_context_;  // that a message was given
  bool given_up_ = false;     // of a message that was in a context nothing is known any more
  std::uint64_t touch_hits_ = 0;

  std::deque<Packet> replies_;  // notices and credits on their way out
  std::deque<Packet> queries_;  // credit queries on their way out
  std::optional<Running> running_;
  std::deque<Packet> results_;  // of CALCs, on their way to their targets
  std::vector<Pipe> pipes_;
  std::uint32_t last_queue_ = 0;
  std::uint32_t any_direction_ = 0;
  Cycles hold_deadline_ = std::numeric_limits<Cycles>::max();

  std::uint64_t fifo_hold_cycles_ = 0;
  std::uint64_t credit_timeout_cycles_ = 65536;
  std::uint64_t send_retry_cycles_ = 1024;
  std::uint64_t send_retries_ = 255;
  std::uint64_t bad_packets_ = 0;
  std::uint64_t dropped_replies_ = 0;
  std::uint64_t memory_errors_ = 0;
  Status register_status_ = Status::kOk;
  std::uint64_t register_errors_ = 0;
  std::uint32_t register_address_ = 0;
};

}  // namespace torusmu::model

#endif  // TORUSMU_TB_REFERENCE_MODEL_NODE_MODEL_H_
