// SPDX-License-Identifier: Apache-2.0
// What mu_queue_pairs has to show in a cycle, made of models of the blocks inside: SENDs and
// FENCEs as their contract says, and mu_pipes that run beside it, which have tests of their own.

#ifndef TESTS_SUPPORT_QUEUE_PAIRS_MODEL_H_
#define TESTS_SUPPORT_QUEUE_PAIRS_MODEL_H_

#include <array>
#include <cstdint>
#include <optional>

#include "Vmu_pipes.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked_once.h"
#include "tests/support/outstanding_requests_model.h"
#include "tests/support/port_bits.h"
#include "tests/support/port_fields.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"
#include "torusmu/types.h"

namespace torusmu::testing {

class QueuePairsModel {
 public:
  static constexpr unsigned kQueues = kProfile.injection_queues;
  static constexpr std::uint64_t kNever = (1ULL << 48) - 1;
  using Answer = Record<layout::send_answer::Layout>;
  using Buffer = Record<layout::receive_buffer::Layout>;
  using End = Record<layout::queue_end::Layout>;
  using Fetched = Record<layout::fetched_descriptor::Layout>;
  using Message = Record<layout::received_message::Layout>;
  using Operation = Record<layout::pipe_operation::Layout>;

  struct Received {
    End end;
    std::uint32_t bytes;
  };
  struct Due {
    unsigned queue;
    std::uint64_t address;
  };
  // Who says what in one cycle, in the order of the ports.
  struct Cycle {
    std::uint64_t now = 0;
    std::uint32_t retry_cycles = 1, retries = 0;
    PortBits dynamic;
    std::optional<Fetched> in;
    bool out_ready = false;
    bool begin = false, fence = false, sent = false;
    unsigned begin_queue = 0;
    std::uint32_t begin_node = 0, begin_index = 0;
    bool end_ready = false, again_ready = false;
    std::optional<Buffer> buffer;
    bool receive_end_ready = false;
    bool flush = false, configuring = false, configured = false;
    unsigned configure_queue = 0, setup = 0;
    std::optional<Due> due;
    PortBits held;
    Fetched pipe_data;
    Record<layout::list_answers::Layout> list;  // of a PIPE
    bool pipe_end_ready = false;
    std::optional<Received> receive_end;
    std::optional<std::uint32_t> arriving;  // bytes
    std::optional<Message> message;
    unsigned number_queue = 0;
    bool number_ahead = false, ahead = false, left = false;
    std::optional<Answer> answer, failure;
    std::uint32_t peer = 0;
  };
  struct Outputs {
    bool busy = false;
    std::uint64_t wake_at = kNever;
    bool in_ready = false, message_ready = false;
    bool receive_end = false, receive_end_ready = false;
    std::optional<Fetched> out;
    PortBits may_ahead, fence_ahead, under_way;
    std::optional<End> send_end, pipe_end;
    std::optional<unsigned> again;
    std::optional<Buffer> buffer;
    std::optional<unsigned> watch;  // the receive queue of a PIPE
    std::optional<unsigned> pipe_read;
    std::optional<Record<layout::read_command::Layout>> list_command;
    std::optional<unsigned> list_region;  // looked up
    bool stop = false;
    unsigned reset_queue = 0;  // what is to be stopped, else what registers name
    bool ahead_good = false, broken = false, doubtful = false, hold = false, spoil = false;
    std::optional<std::uint32_t> number;  // if the queue ever had one
  };

  explicit QueuePairsModel(std::uint64_t seed) : pipes_(seed) {}
  const OutstandingRequestsModel& requests() const { return requests_; }
  std::optional<unsigned> setup(unsigned queue) const { return setups_.at(queue); }
  // What holds before anything is said in this cycle.
  unsigned viewed() const { return viewed_; }  // whose held descriptor is looked at
  std::optional<unsigned> watched() { return selected(pipes_->watch_o); }
  bool pipes_offer() { return pipes_->out_valid_o != 0; }
  bool pipes_hold() { return get<layout::send_hold::hold>(pipes_->hold_o) != 0; }
  static Record<layout::pipe_answers::Layout> answers_of(const Cycle& in) {
    return Record<layout::pipe_answers::Layout>()
        .set<layout::pipe_answers::held>(in.pipe_data)
        .set<layout::pipe_answers::list>(in.list);
  }
  static void tell_list(const Record<layout::list_reads::Layout>& reads, Outputs& out) {
    namespace l = layout::list_reads;
    const auto request = reads.get<l::list>();
    if (request.get<layout::read_request::valid>() != 0)
      out.list_command = request.get<layout::read_request::command>();
    if (reads.get<l::look>() != 0) out.list_region = static_cast<unsigned>(reads.get<l::region>());
  }
  bool receives_from(unsigned queue) {
    drive(pipes_->receive_end_i,
          Record<layout::received_end::Layout>().set<layout::received_end::ending>(
              make_end(queue, Status::kOk)));
    pipes_.settle();
    return pipes_->receive_mine_o != 0;
  }
  // As the register config has it.
  static unsigned make_setup(unsigned owner, QueueMode mode) {
    return owner << 4U | static_cast<unsigned>(mode);
  }
  static unsigned receive_queue_of(const Fetched& pipe) {
    return static_cast<unsigned>(operation_of(pipe).get<layout::pipe_operation::receive_queue>());
  }

  // Whether the copy that the packetiser cuts may go ahead, as far as SENDs are concerned.
  bool ahead_good(const Cycle& in) {
    ask_blocks(in);
    return requests_.ahead_good(to_requests_);
  }

  // All that stands in this cycle, in which so much is said.
  Outputs settle(const Cycle& in) {
    ask_blocks(in);
    settle_pipes(in);
    begin_send(in);
    Outputs out;
    out.busy = requests_.busy() || pipes_->busy_o;
    out.wake_at = requests_.wake_at().value_or(kNever);
    pass_descriptors(in, out);
    tell_ends(out);
    pass_receives(in, out);
    show_copy(in, out);
    return out;
  }
  // The coming edge, after settle() with the same.
  void clock(const Cycle& in) {
    if (in.configured) setups_.at(in.configure_queue) = in.setup;
    viewed_ = selected_of(get<layout::pipe_reads::held>(pipes_->reads_o)).value_or(viewed_);
    requests_.clock(to_requests_);
    pipes_.tick_settled();
  }
  // The coming edge if it resets. What only a reset could write is not known any more.
  void reset(const Cycle& in) {
    pipes_->rst_ni = 0;
    clock(in);
    pipes_->rst_ni = 1;
    requests_.reset();
    setups_ = {};
  }

  static End make_end(unsigned queue, Status status) {
    return End{}.set<layout::queue_end::queue>(queue).set<layout::queue_end::status>(status);
  }

 private:
  static Operation operation_of(const Fetched& fetched) {
    const auto descriptor = fetched.get<layout::fetched_descriptor::descriptor>();
    return Operation::from_bytes(descriptor.get<layout::descriptor::immediate>());
  }
  bool is_dynamic(const Cycle& in, unsigned queue) const { return in.dynamic[queue]; }

  template <typename Port>
  static std::optional<unsigned> selected(const Port& port) {
    if (get<layout::queue_select::valid>(port) == 0) return std::nullopt;
    return static_cast<unsigned>(get<layout::queue_select::queue>(port));
  }

  static std::optional<unsigned> selected_of(const Record<layout::queue_select::Layout>& select) {
    if (select.get<layout::queue_select::valid>() == 0) return std::nullopt;
    return static_cast<unsigned>(select.get<layout::queue_select::queue>());
  }

  // --- whose is what ---
  bool again_is_of_pipe() { return requests_.again() && pipes_->again_mine_o; }
  bool end_is_of_pipe() { return requests_.end() && pipes_->send_mine_o; }
  bool receives(const Cycle& in) { return in.receive_end && pipes_->receive_mine_o; }
  void ask_blocks(const Cycle& in) {
    to_requests_ = {.now = in.now,
                    .retry_cycles = in.retry_cycles,
                    .retries = in.retries,
                    .dynamic = in.dynamic,
                    .peer = in.peer,
                    .cancel = in.flush,
                    .configured = in.configured,
                    .configure_queue = in.configure_queue,
                    .number_queue = in.number_queue,
                    .number_ahead = in.number_ahead,
                    .ahead_fence = in.fence,
                    .ahead = in.ahead,
                    .left = in.left,
                    .node = in.begin_node,
                    .index = in.begin_index,
                    .answer = in.answer,
                    .failure = in.failure};
  }
  // What the packetiser reports goes before the beginning of a PIPE's SEND.
  void begin_send(const Cycle& in) {
    if (in.begin) {
      to_requests_.begin = {in.begin_queue, in.sent, in.fence, in.begin_node, in.begin_index};
    } else if (pipes_->begin_valid_o && pipes_->begin_ready_i) {
      to_requests_.begin = {pipes_->begin_queue_o, pipes_->begin_sent_o != 0, false, in.begin_node,
                            in.begin_index};
    }
    to_requests_.end_ready = end_is_of_pipe() || in.end_ready;
    to_requests_.again_ready = again_is_of_pipe() ? pipes_->again_ready_o != 0 : in.again_ready;
  }

  // --- PIPEs ---
  // Its receive queue is the client's, in mode PIPED, and not dynamically connected, or it has
  // none.
  bool is_piped(const Cycle& in) const {
    if (operation_of(in.pipe_data).get<layout::pipe_operation::origin>() != 0) return true;
    const unsigned queue = receive_queue_of(in.pipe_data) % kQueues;
    const auto owner = static_cast<unsigned>(in.pipe_data.get<layout::fetched_descriptor::owner>());
    return setups_.at(queue) == make_setup(owner, QueueMode::kPiped) && !is_dynamic(in, queue);
  }
  void settle_pipes(const Cycle& in) {
    namespace e = layout::received_end;
    const auto end = requests_.end();
    drive(pipes_->command_i,
          Record<layout::pair_command::Layout>()
              .set<layout::pair_command::pipe_due>(in.due.has_value())
              .set<layout::pair_command::flush>(in.flush)
              .set<layout::pair_command::buffer>(
                  Buffer{}
                      .set<layout::receive_buffer::queue>(in.due ? in.due->queue : 0)
                      .set<layout::receive_buffer::address>(in.due ? in.due->address : 0)));
    drive(pipes_->configure_i, Record<layout::queue_configure::Layout>()
                                   .set<layout::queue_configure::queue>(in.configure_queue)
                                   .set<layout::queue_configure::pending>(in.configuring)
                                   .set<layout::queue_configure::written>(in.configured));
    drive_bits(pipes_->held_i, in.held);
    drive(pipes_->answers_i, answers_of(in));
    pipes_->piped_i = is_piped(in);
    pipes_->end_ready_i = in.pipe_end_ready;
    pipes_->buffer_ready_i = !in.buffer;
    pipes_->stop_ready_i = !in.flush && !in.configured;
    auto received = Record<e::Layout>().set<e::valid>(in.receive_end.has_value());
    if (in.receive_end) {
      received.set<e::ending>(in.receive_end->end)
          .set<e::result>(
              Record<layout::receive_result::Layout>().set<layout::receive_result::bytes>(
                  in.receive_end->bytes));
    }
    drive(pipes_->receive_end_i, received);
    drive(pipes_->arriving_i, Record<layout::arriving_message::Layout>()
                                  .set<layout::arriving_message::valid>(in.arriving.has_value())
                                  .set<layout::arriving_message::bytes>(in.arriving.value_or(0)));
    pipes_->begin_ready_i = !in.begin && !in.ahead && !in.left && requests_.begin_ready();
    PortBits may_ahead, under_way;
    for (unsigned i = 0; i < kQueues; ++i) {
      may_ahead[i] = requests_.queue(i).fence_ahead() && !is_dynamic(in, i);
      under_way[i] = requests_.queue(i).second.has_value();
    }
    drive_bits(pipes_->may_ahead_i, may_ahead);
    drive_bits(pipes_->under_way_i, under_way);
    pipes_->again_valid_i = requests_.again().has_value();
    pipes_->again_queue_i = static_cast<CData>(requests_.again().value_or(0));
    pipes_->send_end_valid_i = end.has_value();
    if (end) drive(pipes_->send_end_i, make_end(end->queue, end->status));
    pipes_->out_ready_i = in.out_ready;
    pipes_.settle();
  }

  // --- outputs ---
  // A RECEIVE that has left its queue, as one that has run.
  static Fetched detached(const Message& message) {
    namespace d = layout::descriptor;
    namespace f = layout::fetched_descriptor;
    namespace m = layout::received_message;
    namespace h = layout::packet_header;
    const auto node = message.get<m::node>();
    const PacketHeader header = PacketHeader()
                                    .set<h::word>(message.get<m::word>())
                                    .set<h::target>(message.get<m::peer_queue>())
                                    .set<h::dst_x>(node & 15U)
                                    .set<h::dst_y>(node >> 4U & 15U)
                                    .set<h::dst_z>(node >> 8U);
    const Descriptor descriptor = Descriptor()
                                      .set<d::opcode>(Opcode::kReceive)
                                      .set<d::length>(message.get<m::bytes>())
                                      .set<d::sequence_number>(message.get<m::sequence_number>())
                                      .set<d::done_event>(message.get<m::done_event>())
                                      .set<d::done_event_valid>(message.get<m::done_event_valid>())
                                      .set<d::interrupt_done>(message.get<m::interrupt_done>())
                                      .set<d::signal>(message.get<m::signal>())
                                      .set<d::header>(header);
    return Fetched()
        .set<f::descriptor>(descriptor)
        .set<f::queue>(message.get<m::queue>())
        .set<f::index>(message.get<m::index>())
        .set<f::owner>(message.get<m::owner>())
        .set<f::mode>(QueueMode::kReceive)
        .set<f::detached>(1)
        .set<f::run>(1)
        .set<f::run_status>(message.get<m::status>());
  }
  // A PIPE's first, then messages that are done.
  void pass_descriptors(const Cycle& in, Outputs& out) {
    if (pipes_->out_valid_o) {
      out.out = sample_record<Fetched>(pipes_->out_data_o);
      return;
    }
    out.message_ready = in.out_ready;
    if (in.message) {
      out.out = detached(*in.message);
      return;
    }
    out.in_ready = in.out_ready;
    out.out = in.in;
  }
  void tell_ends(Outputs& out) {
    if (const auto end = requests_.end(); end && !end_is_of_pipe())
      out.send_end = make_end(end->queue, end->status);
    if (!again_is_of_pipe()) out.again = requests_.again();
    if (pipes_->end_valid_o) out.pipe_end = sample_record<End>(pipes_->end_o);
    out.pipe_read = selected_of(get<layout::pipe_reads::held>(pipes_->reads_o));
    tell_list(get<layout::pipe_reads::list>(pipes_->reads_o), out);
  }
  // Cross-channel control before PIPEs.
  void pass_receives(const Cycle& in, Outputs& out) {
    const bool configures = in.flush || in.configured;
    out.receive_end_ready = receives(in) || in.receive_end_ready;
    out.receive_end = in.receive_end && !receives(in);
    out.buffer = in.buffer;
    if (!in.buffer && pipes_->buffer_valid_o) out.buffer = sample_record<Buffer>(pipes_->buffer_o);
    out.watch = watched();
    out.stop = pipes_->stop_valid_o && !configures;
    out.reset_queue = out.stop ? pipes_->stop_queue_o : in.configure_queue;
  }
  // Of the copy that the packetiser cuts.
  void show_copy(const Cycle& in, Outputs& out) {
    for (unsigned i = 0; i < kQueues; ++i) {
      const auto& queue = requests_.queue(i);
      out.fence_ahead[i] = queue.fence_ahead();
      out.under_way[i] = queue.second.has_value();
    }
    out.may_ahead = out.fence_ahead & ~in.dynamic;
    out.hold = pipes_hold();
    out.spoil = get<layout::send_hold::spoil>(pipes_->hold_o) != 0;
    const unsigned at = in.number_queue % kQueues;
    const auto& queue = requests_.queue(at);
    out.ahead_good = requests_.ahead_good(to_requests_);
    out.doubtful = queue.copy_doubtful && !requests_.begins(at);
    out.broken = in.number_queue < kQueues && queue.broken;
    if (const auto number = requests_.number(at, to_requests_))
      out.number = *number + (in.number_ahead ? 1 : 0);
  }

  OutstandingRequestsModel requests_{kQueues};
  ClockedOnce<Vmu_pipes> pipes_;
  std::array<std::optional<unsigned>, kQueues> setups_{};  // since the last reset
  // In a cycle.
  OutstandingRequestsModel::Cycle to_requests_;
  unsigned viewed_ = 0;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_QUEUE_PAIRS_MODEL_H_
