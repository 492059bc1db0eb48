// SPDX-License-Identifier: Apache-2.0
// mu_completion_queues with memory, counters and software around it, judged in every cycle against
// a model of its own whose indices never wrap:
//
//   Bench<Vmu_completion_queues> bench(random, 0xFFFFFFFF, 1U << 24);
//   bench.pace.publish = 0;              // percent of the cycles in which memory gets on
//   bench.configure(2, {.base = 0x1000, .size = 4, .owner = 1});
//   bench.put(2, 1);                     // an entry of client 1; returns once it was judged

#ifndef TESTS_SUPPORT_COMPLETION_BENCH_H_
#define TESTS_SUPPORT_COMPLETION_BENCH_H_

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

namespace torusmu::testing::completion {

using RegisterRequest = Record<layout::register_request::Layout>;
using RegisterResponse = Record<layout::register_response::Layout>;
using WriteCommand = Record<layout::write_command::Layout>;
namespace q = layout::register_request;
namespace queue_registers = registers::completion_queue;

inline constexpr unsigned kQueues = kProfile.completion_queues;
inline constexpr unsigned kClients = kProfile.clients;
inline constexpr std::uint64_t kConfigBits = 7 | (kClients - 1) << 4;
// Of any number, whether there is such a queue or not.
constexpr std::uint32_t block_of(std::uint32_t queue) {
  return queue_registers::kBase + queue * queue_registers::kStride;
}
inline constexpr std::uint64_t kAddressSpace = 1ULL << 40;

struct Setup {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::uint8_t owner = 0;
  bool overwrite = false;
  bool interrupt = false;

  std::uint64_t config() const {
    return 1U | (overwrite ? 2U : 0U) | (interrupt ? 4U : 0U) | static_cast<unsigned>(owner) << 4U;
  }
};

struct Entry {
  std::uint8_t queue = 0;
  bool queue_valid = true;
  std::uint8_t client = 0;
  Bytes data = Bytes(32);
};

// One queue; indices count for ever.
struct Queue {
  Setup setup;
  bool enable = false;
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  std::uint64_t reserved = 0;
  std::uint64_t lost = 0;
};

// What goes to memory for an entry.
struct Write {
  std::uint8_t queue = 0;
  std::uint8_t client = 0;
  std::uint64_t address = 0;
  Bytes data;
};

// Percent of the cycles in which each neighbour gets on.
struct Pace {
  unsigned command = 100;
  unsigned beat = 100;
  unsigned publish = 100;
  unsigned count = 100;
};

template <typename Model>
class Bench {
 public:
  Bench(Random* random, std::uint64_t index_mask, std::uint64_t most_entries)
      : random_(random), mask_(index_mask), most_(most_entries), top_(random->seed()) {}

  Pace pace;
  std::map<std::uint64_t, Bytes> memory;  // entries by address, as the last write left them
  std::array<Queue, kQueues> queues;
  std::array<unsigned, kClients> errors{};       // ERROR causes seen
  std::array<unsigned, kClients> completions{};  // COMPLETION causes seen
  std::uint64_t writes = 0;                      // commands seen
  std::uint64_t counts = 0;                      // counts seen
  std::uint32_t last_count = 0;

  // --- what a neighbour offers; it stands until it is taken -------------------------------------
  void offer(const Entry& entry) { entry_ = entry; }
  bool offering() const { return entry_.has_value(); }
  void begin(const RegisterRequest& request) {
    access_ = request;
    response_.reset();
  }
  bool accessing() const { return access_.has_value(); }

  // --- whole operations -------------------------------------------------------------------------
  void put(std::uint8_t queue, std::uint8_t client, bool queue_valid = true) {
    offer({queue, queue_valid, client, entry_data()});
    for (unsigned i = 0; offering() || judging_ || coming_causes_.any(); ++i) {
      if (i == 1000) throw std::runtime_error("waited 1000 cycles for an entry to be taken");
      step();
    }
  }
  RegisterResponse access(const RegisterRequest& request) {
    begin(request);
    for (unsigned i = 0; accessing(); ++i) {
      if (i == 10000) throw std::runtime_error("waited 10000 cycles for a register answer");
      step();
    }
    return response_.value();
  }
  Status write(std::uint32_t address, std::uint64_t data, bool wide = true) {
    return access(write_request(address, data, wide))
        .template get<layout::register_response::status>();
  }
  std::uint64_t read(std::uint32_t address) {
    return access(RegisterRequest{}.set<q::address>(address))
        .template get<layout::register_response::data>();
  }
  Status write_head(std::uint8_t client, std::uint8_t queue, std::uint64_t head,
                    bool wide = false) {
    return access(
               page_request(client, queue).set<q::data>(head).set<q::write>(1).set<q::wide>(wide))
        .template get<layout::register_response::status>();
  }
  RegisterResponse read_tail(std::uint8_t client, std::uint8_t queue) {
    return access(page_request(client, queue));
  }
  void configure(std::uint8_t queue, const Setup& setup) {
    ASSERT_EQ(write(queue_registers::config(queue), 0), Status::kOk);
    ASSERT_EQ(write(queue_registers::base(queue), setup.base), Status::kOk);
    ASSERT_EQ(write(queue_registers::size(queue), setup.size), Status::kOk);
    ASSERT_EQ(write(queue_registers::config(queue), setup.config()), Status::kOk);
  }
  // Until everything that was placed is published and counted.
  void drain() {
    pace = Pace{};
    for (unsigned i = 0; busy() || offering() || accessing(); ++i) {
      if (i == 10000) throw std::runtime_error("waited 10000 cycles for the queues to drain");
      step();
    }
    step();  // an entry that is lost for nobody, too
    step();
    EXPECT_FALSE(top_->busy_o);
  }
  static RegisterRequest write_request(std::uint32_t address, std::uint64_t data,
                                       bool wide = true) {
    return RegisterRequest{}
        .set<q::address>(address)
        .set<q::data>(data)
        .set<q::write>(1)
        .set<q::wide>(wide);
  }
  static RegisterRequest page_request(std::uint8_t client, std::uint8_t queue) {
    return RegisterRequest{}
        .set<q::address>(registers::client_page::completion_index.offset + queue * 4U)
        .set<q::page>(1)
        .set<q::client>(client);
  }
  Bytes entry_data() {
    Bytes data = random_bytes(*random_, 32);
    data[0] &= 0xFE;
    return data;
  }

  // --- one cycle --------------------------------------------------------------------------------
  void step() {
    drive();
    top_.settle();
    check_causes();
    const bool done = top_->register_done_o != 0;
    if (done) finish_access();
    if (judging_) judge(*judging_);
    judging_.reset();
    check_probe();
    watch_memory();
    watch_counts();
    if (top_->publish_valid_i && top_->publish_ready_o) publish();
    if (entry_ && top_->entry_ready_o) {
      judging_ = entry_;
      judging_during_access_ = accessing() && !done;
      entry_.reset();
    }
    // Where the block is idle and nothing is offered its clock may stop.
    const bool may_stop =
        !top_->busy_o && !top_->entry_valid_i && !top_->register_valid_i && !top_->publish_valid_i;
    if (!may_stop || random_->chance(50)) top_.tick();
    if (done) access_.reset();
    if (::testing::Test::HasFailure())
      throw std::runtime_error("cycle " + std::to_string(top_.cycle()));
  }
  // As if `entries` had gone through a queue that is at rest, `held` of them not read, and `lost`
  // had been lost, and `coming` more were on their way to memory. Its ring has another size, too.
  void make_old(std::uint8_t number, std::uint64_t size, std::uint64_t entries, std::uint64_t held,
                std::uint64_t lost, std::uint64_t coming = 0) {
    step();
    Queue& queue = queues[number];
    queue.setup.size = size;
    queue.tail = entries;
    queue.reserved = entries + coming;
    queue.head = entries - held;
    queue.lost = lost;
    Bytes row(24);
    put_bits(row, 0, 40, queue.setup.base);
    put_bits(row, 40, 25, queue.setup.size);
    put_bits(row, 65, 32, queue.head);
    put_bits(row, 97, 32, queue.reserved);
    put_bits(row, 129, 32, lost);
    put_bits(row, 161, 1, queue.setup.overwrite);
    auto& root = *top_->rootp;
    testing::drive(root.mu_completion_queues__DOT__u_rows__DOT__mem[number], row);
    auto& tail = root.mu_completion_queues__DOT__u_tails__DOT__mem[number];
    tail = (tail >> 32U << 32U) | (entries & 0xffffffffU);
    drive();
    top_.tick();
  }
  std::uint64_t cycle() const { return top_.cycle(); }
  bool command_offered() { return top_->write_command_valid_o != 0; }
  std::size_t under_way() const {
    return expected_.size() + in_memory_.size() + (writing_ ? 1 : 0);
  }
  bool busy() const {
    return under_way() != 0 || !expected_counts_.empty() || judging_.has_value() ||
           coming_causes_.any();
  }

 private:
  void drive() {
    top_->entry_valid_i = entry_.has_value();
    if (entry_) {
      top_->entry_queue_i = entry_->queue;
      top_->entry_queue_valid_i = entry_->queue_valid;
      top_->entry_client_i = entry_->client;
      testing::drive(top_->entry_data_i, entry_->data);
    }
    top_->register_valid_i = access_.has_value();
    if (access_) testing::drive(top_->register_request_i, *access_);
    top_->write_command_ready_i = !writing_ && random_->chance(pace.command);
    top_->write_beat_ready_i = writing_ && random_->chance(pace.beat);
    top_->count_ready_i = random_->chance(pace.count);
    publishing_ = publishing_ || (!in_memory_.empty() && random_->chance(pace.publish));
    top_->publish_valid_i = publishing_;
    if (publishing_) top_->publish_queue_i = in_memory_.front();
    top_->probe_queue_i =
        static_cast<std::uint8_t>(random_->below(random_->chance(80) ? kQueues : 256));
  }

  void check_causes() {
    const PortBits causes = bits_of(top_->causes_o);
    EXPECT_EQ(causes, causes_);
    EXPECT_EQ(top_->part_o >> 8, part_ == 0 ? 0U : 1U);
    if (part_ != 0) {
      EXPECT_EQ(top_->part_o, part_);
    }
    part_ = 0;
    causes_ = coming_causes_;
    coming_causes_.reset();
    for (unsigned client = 0; client < kClients; ++client) {
      errors[client] += causes[client * 8 + static_cast<unsigned>(Cause::kError)];
      completions[client] += causes[client * 8 + static_cast<unsigned>(Cause::kCompletion)];
    }
  }
  void raise(std::uint8_t client, Cause cause) {
    if (client < kClients) causes_.set(client * 8 + static_cast<unsigned>(cause));
  }

  // The row changes in the cycle behind that in which it was judged.
  void raise_error(std::uint8_t client) {
    if (client < kClients) coming_causes_.set(client * 8 + static_cast<unsigned>(Cause::kError));
  }

  void check_probe() {
    const std::uint8_t number = top_->probe_queue_i;
    const Queue queue = number < kQueues ? queues[number] : Queue{};
    EXPECT_EQ(top_->probe_tail_o, queue.tail & mask_);
    EXPECT_EQ(top_->probe_enable_o, queue.enable);
    EXPECT_EQ(top_->probe_owner_o, queue.setup.owner);
  }

  // The entry that was taken in the cycle before.
  void judge(const Entry& entry) {
    Queue* queue = entry.queue_valid && entry.queue < kQueues ? &queues[entry.queue] : nullptr;
    const bool closing = access_ && judging_during_access_ && !access_->template get<q::page>() &&
                         access_->template get<q::write>() != 0 &&
                         (access_->template get<q::address>() & ~7ULL) ==
                             block_of(entry.queue) + queue_registers::config.offset;
    bool taken =
        queue != nullptr && queue->enable && queue->setup.owner == entry.client && !closing;
    if (taken && queue->reserved - queue->head == queue->setup.size) {
      taken = queue->setup.overwrite && queue->head != queue->tail;
      if (taken) {
        ++queue->head;
        lose(queue);
        raise_error(entry.client);
      }
    }
    if (!taken) {
      raise_error(entry.client);
      if (queue != nullptr) lose(queue);
      return;
    }
    Bytes data = entry.data;
    data[0] |= queue->reserved / queue->setup.size % 2 == 0 ? 1 : 0;
    expected_.push_back({entry.queue, entry.client,
                         queue->setup.base + queue->reserved % queue->setup.size * 32, data});
    ++queue->reserved;
  }
  void lose(Queue* queue) {
    if (queue->lost != mask_) ++queue->lost;
  }

  void watch_memory() {
    EXPECT_TRUE(!command_stands_ || top_->write_command_valid_o) << "a command was withdrawn";
    EXPECT_TRUE(!beat_stands_ || top_->write_beat_valid_o) << "a beat was withdrawn";
    command_stands_ = top_->write_command_valid_o && !top_->write_command_ready_i;
    beat_stands_ = top_->write_beat_valid_o && !top_->write_beat_ready_i;
    if (top_->write_command_valid_o && top_->write_command_ready_i) {
      const auto command = sample_record<WriteCommand>(top_->write_command_data_o);
      const auto action = command.template get<layout::write_command::action>();
      ASSERT_FALSE(expected_.empty()) << "a write that nobody asked for";
      EXPECT_EQ(command.template get<layout::write_command::address>(), expected_.front().address);
      EXPECT_EQ(command.template get<layout::write_command::bytes>(), 32U);
      EXPECT_EQ(command.template get<layout::write_command::final_part>(), 1U);
      EXPECT_EQ(action.template get<layout::write_action::action>(), Action::kCompletion);
      EXPECT_EQ(action.template get<layout::write_action::client>(), expected_.front().client);
      EXPECT_EQ(action.template get<layout::write_action::target>(), expected_.front().queue);
      EXPECT_EQ(action.template get<layout::write_action::amount>(), 1U);
      EXPECT_EQ(action.template get<layout::write_action::counter_valid>(), 0U);
      writing_ = expected_.front();
      expected_.pop_front();
      ++writes;
    } else if (top_->write_beat_valid_o && top_->write_beat_ready_i) {
      EXPECT_EQ(sample(top_->write_beat_data_o, 32), writing_->data);
      memory[writing_->address] = writing_->data;
      in_memory_.push_back(writing_->queue);
      writing_.reset();
    }
  }

  void watch_counts() {
    EXPECT_EQ(top_->count_valid_o != 0, !expected_counts_.empty());
    if (!top_->count_valid_o || !top_->count_ready_i) return;
    EXPECT_EQ(top_->count_queue_o, expected_counts_.front().first);
    EXPECT_EQ(top_->count_value_o, expected_counts_.front().second);
    last_count = top_->count_value_o;
    expected_counts_.pop_front();
    ++counts;
  }

  void publish() {
    Queue& queue = queues[in_memory_.front()];
    ++queue.tail;
    EXPECT_LE(queue.tail, queue.reserved);
    expected_counts_.emplace_back(in_memory_.front(),
                                  static_cast<std::uint32_t>(queue.tail & mask_));
    if (queue.setup.interrupt) {
      raise(queue.setup.owner, Cause::kCompletion);
      part_ = 1U << 8 | queue.setup.owner << 4U | in_memory_.front() % 16U;
    }
    in_memory_.pop_front();
    publishing_ = false;
  }

  void finish_access() {
    ASSERT_TRUE(access_.has_value()) << "an answer that nobody asked for";
    response_ = sample_record<RegisterResponse>(top_->register_response_o);
    std::uint64_t data = 0;
    const Status status = apply(*access_, &data);
    EXPECT_EQ(response_->template get<layout::register_response::status>(), status)
        << std::hex << access_->template get<q::address>();
    EXPECT_EQ(response_->template get<layout::register_response::data>(),
              status == Status::kOk ? data : 0);
  }
  // What the access does to the model, and its answer.
  Status apply(const RegisterRequest& request, std::uint64_t* answer) {
    const auto address = static_cast<std::uint32_t>(request.get<q::address>());
    const std::uint64_t data = request.get<q::data>();
    const bool write = request.get<q::write>() != 0;
    const bool wide = request.get<q::wide>() != 0;
    if (request.get<q::page>() != 0) {
      const std::uint32_t number = (address - registers::client_page::completion_index.offset) / 4;
      if (number >= kQueues) return Status::kRegisterUnknown;
      Queue& queue = queues[number];
      if (write && wide) return Status::kRegisterPartial;
      if (!queue.enable || queue.setup.owner != request.get<q::client>())
        return Status::kDoorbellOwner;
      *answer = write ? 0 : (queue.tail & mask_) * 0x1'0000'0001ULL;
      if (!write) return Status::kOk;
      const std::uint64_t moved = (data - queue.head) & mask_;
      if (moved > queue.tail - queue.head) return Status::kDoorbellRange;
      queue.head += moved;
      return Status::kOk;
    }
    const std::uint32_t number = (address - queue_registers::base(0)) / 64;
    const std::uint32_t offset = address % 64 / 8 * 8;
    if (number >= kQueues || offset > queue_registers::status.offset)
      return Status::kRegisterUnknown;
    Queue& queue = queues[number];
    if (!write) {
      const std::uint64_t values[] = {queue.setup.base,
                                      queue.setup.size,
                                      (queue.setup.config() & ~1ULL) | (queue.enable ? 1U : 0U),
                                      queue.head & mask_,
                                      queue.tail & mask_,
                                      queue.lost};
      *answer = values[offset / 8];
      return Status::kOk;
    }
    if (offset > queue_registers::config.offset) return Status::kRegisterUnknown;
    if (!wide) return Status::kRegisterPartial;
    if (offset == queue_registers::base.offset) {
      if (queue.enable || data >= kAddressSpace) return Status::kRegisterValue;
      queue.setup.base = data;
    } else if (offset == queue_registers::size.offset) {
      if (queue.enable || !std::has_single_bit(data) || data > most_) return Status::kRegisterValue;
      queue.setup.size = data;
    } else {
      const std::uint64_t end = queue.setup.base + queue.setup.size * 32;
      if ((data & ~kConfigBits) != 0) return Status::kRegisterValue;
      if ((data & 1) != 0 && (queue.setup.size == 0 || end > kAddressSpace))
        return Status::kRegisterValue;
      EXPECT_EQ(queue.tail, queue.reserved) << "configured while entries are on their way";
      queue = Queue{.setup = {.base = queue.setup.base,
                              .size = queue.setup.size,
                              .owner = static_cast<std::uint8_t>(data >> 4U & 15U),
                              .overwrite = (data & 2) != 0,
                              .interrupt = (data & 4) != 0},
                    .enable = (data & 1) != 0};
    }
    return Status::kOk;
  }

  Random* random_;
  std::uint64_t mask_;
  std::uint64_t most_;
  Clocked<Model> top_;
  std::optional<Entry> entry_;
  std::optional<Entry> judging_;
  bool judging_during_access_ = false;
  std::optional<RegisterRequest> access_;
  std::optional<RegisterResponse> response_;
  std::deque<Write> expected_;          // placed, the command not seen yet
  std::optional<Write> writing_;        // its beat is awaited
  std::deque<std::uint8_t> in_memory_;  // to be published
  bool publishing_ = false;
  bool command_stands_ = false;  // it was offered and not taken
  bool beat_stands_ = false;
  std::deque<std::pair<std::uint8_t, std::uint32_t>> expected_counts_;
  PortBits causes_;         // of the next cycle
  unsigned part_ = 0;       // which queue has raised COMPLETION then
  PortBits coming_causes_;  // of the one behind it
};

}  // namespace torusmu::testing::completion

#endif  // TESTS_SUPPORT_COMPLETION_BENCH_H_
