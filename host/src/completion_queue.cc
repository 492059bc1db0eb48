// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <deque>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "torusmu/queue_pair.h"
#include "torusmu/registers.h"

namespace torusmu {
namespace {

namespace e = layout::completion_entry;

constexpr std::uint32_t kCompletionTarget = 128;  // targets of a WAIT from here on
// RECEIVEs are told at most so far from their order: more than any queue has slots.
constexpr std::int32_t kMostSteps = 1 << 20;

std::error_code error_of(Status status) {
  switch (status) {
    case Status::kOk:
      return {};
    case Status::kLengthTooLong:
      return Errc::kTruncated;
    case Status::kQueueInvalid:
    case Status::kPermission:
    case Status::kCounterInvalid:
      return Errc::kRefused;
    case Status::kMemoryError:
      return Errc::kDataLost;
    case Status::kRetryExceeded:
      return Errc::kNotAcknowledged;
    case Status::kFlushed:
      return Errc::kFlushed;
    case Status::kDeliveryUnknown:
      return Errc::kDeliveryUnknown;
    default:
      return Errc::kDeviceError;
  }
}

}  // namespace

struct CompletionQueue::State {
  explicit State(Context& owner)
      : context(owner),
        client(owner.plan().place(owner.task()).client),
        queue(owner.plan().completion_queue(client, owner.id())),
        ring(owner.plan().completion_ring(client, owner.id()).address),
        entries(owner.plan().options().completion_entries) {}

  // Asks the poller, which takes what is new where it thinks it worth a look.
  void ask() { (void)context.poller().request(component); }

  // An entry is one beat of memory, so that its phase is proof that all of it is there.
  PollResult take() {
    bool any = false;
    while (const auto entry = next()) {
      any = true;
      if (const auto completion = completion_of(*entry)) {
        fresh.push_back(*completion);
      } else {
        ++odd;
      }
      ++head;
      if (++position == entries) {
        position = 0;
        phase ^= 1;
      }
    }
    if (any) {
      context.device().write32(registers::client_page::completion_index(client.value, queue.value),
                               head);
    }
    hand_out();
    return any ? PollResult::kActivity : PollResult::kNothing;
  }

  // The ring is free by then: whoever is handed one may post more.
  void hand_out() {
    for (const WorkCompletion& completion : std::exchange(fresh, {})) {
      const auto route = completion.dynamic ? routes.find(completion.pair) : routes.end();
      if (route == routes.end()) {
        arrived.push_back(completion);
      } else {
        route->second(completion);
      }
    }
  }

  std::optional<CompletionEntry> next() {
    std::array<std::uint8_t, CompletionEntry::kBytes> bytes{};
    context.device().load(ring + Address{position} * bytes.size(),
                          std::as_writable_bytes(std::span(bytes)));
    const CompletionEntry entry = CompletionEntry::from_bytes(bytes);
    if (entry.get<e::phase>() != phase) return std::nullopt;
    return entry;
  }

  // The status first: it says what else of the entry means anything.
  [[nodiscard]] std::optional<WorkCompletion> completion_of(const CompletionEntry& entry) {
    const NodePlan& plan = context.plan();
    const QueueId of{static_cast<std::uint32_t>(entry.get<e::queue>())};
    WorkCompletion completion;
    completion.status = entry.get<e::status>();
    completion.error = error_of(completion.status);
    completion.group = plan.offload_group_of(client, of);
    if (completion.group) {
      completion.opcode = entry.get<e::opcode>();
      completion.id = collectives[*completion.group]++;
      return completion;
    }
    const auto own = plan.pair_of(of);
    if (!own || own->client != client || plan.context_of_pair(own->n) != context.id()) {
      return std::nullopt;
    }
    completion.dynamic = own->n >= plan.dynamic_pair(0);
    completion.pair = number_of(own->n);
    completion.end = own->end;
    completion.opcode = entry.get<e::opcode>();
    completion.id = static_cast<std::uint32_t>(entry.get<e::sequence_number>());
    if (completion.status == Status::kOk || has_message(completion)) {
      completion.word = static_cast<std::uint32_t>(entry.get<e::word>());
      completion.bytes = entry.get<e::bytes>();
    }
    if (has_message(completion)) completion.sender = sender_of(entry);
    if (completion.dynamic && completion.end == NodePlan::End::kReceive) {
      note_kept(static_cast<std::uint32_t>(entry.get<e::index>()), completion);
    }
    return completion;
  }
  // The first RECEIVEs since the set-up are those of the plan. Indices have 32 bits and wrap. They
  // are told in another order than that of the queue, but not far from it: one that is far off is
  // of a pair that was set up anew.
  void note_kept(std::uint32_t index, WorkCompletion& completion) {
    std::int64_t& last = last_index[completion.pair];
    const auto step = static_cast<std::int32_t>(index - static_cast<std::uint32_t>(last));
    const bool is_near = step < kMostSteps && step > -kMostSteps && last + step >= 0;
    last = is_near ? last + step : std::int64_t{index};
    if (has_message(completion) && last < context.plan().boot_sends(client, completion.pair)) {
      completion.kept = index;
    }
  }
  static bool has_message(const WorkCompletion& completion) {
    return completion.opcode == Opcode::kReceive &&
           (completion.status == Status::kOk || completion.status == Status::kMemoryError);
  }
  // Among those of its sort.
  [[nodiscard]] std::uint32_t number_of(std::uint32_t n) const {
    const std::uint32_t first_dynamic = context.plan().dynamic_pair(0);
    return n >= first_dynamic ? n - first_dynamic : n;
  }
  [[nodiscard]] std::optional<PairName> sender_of(const CompletionEntry& entry) const {
    const NodePlan& plan = context.plan();
    const auto from = plan.pair_of({static_cast<std::uint32_t>(entry.get<e::peer_queue>())});
    if (!from) return std::nullopt;  // of a program without this library
    const Coordinates node{static_cast<std::uint32_t>(entry.get<e::peer_x>()),
                           static_cast<std::uint32_t>(entry.get<e::peer_y>()),
                           static_cast<std::uint32_t>(entry.get<e::peer_z>())};
    if (!plan.shape().has(node)) return std::nullopt;
    return PairName{plan.task({plan.shape().node(node), from->client}), number_of(from->n)};
  }

  Context& context;
  ClientId client;
  CompletionQueueId queue;
  Address ring;
  std::uint32_t entries;
  std::uint32_t head = 0;
  std::uint32_t position = 0;
  std::uint64_t phase = 1;  // of entries of this lap
  std::uint64_t odd = 0;
  std::vector<WorkCompletion> fresh;
  std::deque<WorkCompletion> arrived;
  std::map<std::uint32_t, std::function<void(const WorkCompletion&)>> routes;  // by dynamic pair
  std::map<std::uint32_t, std::uint32_t> collectives;  // that have ended, by group
  std::map<std::uint32_t, std::int64_t> last_index;    // of RECEIVEs told, by dynamic pair
  ComponentId component;
};

CompletionQueue::CompletionQueue(Context& context) {
  if (context.plan().pairs() == 0) {
    throw std::invalid_argument("the plan has no queue pairs, and so no completion queue");
  }
  state_ = std::make_unique<State>(context);
  state_->component =
      context.poller().add({.name = "completions",
                            .kind = ComponentKind::kCompletionQueue,
                            .poll = [state = state_.get()] { return state->take(); },
                            .watched = true,
                            .interrupts = true});
}

CompletionQueue::~CompletionQueue() { state_->context.poller().remove(state_->component); }

std::optional<WorkCompletion> CompletionQueue::poll() {
  if (state_->arrived.empty()) state_->ask();
  if (state_->arrived.empty()) return std::nullopt;
  WorkCompletion oldest = state_->arrived.front();
  state_->arrived.pop_front();
  return oldest;
}

Result<WorkCompletion> CompletionQueue::wait(Cycles deadline) {
  state_->context.poller().expect(state_->component);
  const std::error_code error =
      state_->context.advance_until([this] { return !state_->arrived.empty(); }, deadline);
  if (error) return error;
  return *poll();
}

void CompletionQueue::route(std::uint32_t pair, std::function<void(const WorkCompletion&)> take) {
  if (take) {
    state_->routes[pair] = std::move(take);
  } else {
    state_->routes.erase(pair);
  }
}

std::uint64_t CompletionQueue::odd() const { return state_->odd; }
bool CompletionQueue::look() { return state_->take() == PollResult::kActivity; }

Descriptor CompletionQueue::wait_for(std::uint32_t entries) const {
  namespace d = layout::descriptor;
  return Descriptor()
      .set<d::opcode>(Opcode::kWait)
      .set<d::on_queue>(1)
      .set<d::immediate>(WaitOperation().set<layout::wait_operation::value>(entries).bytes())
      .set<d::header>(PacketHeader().set<layout::packet_header::target>(kCompletionTarget +
                                                                        state_->queue.value));
}

}  // namespace torusmu
