// SPDX-License-Identifier: Apache-2.0
// Channels between endpoints of a node.
//
// Work stands in a queue here until there is room in the ring of the pair, and then in the ring,
// where the MU does it in order. A SEND that finds no buffer for very long ends with RETRY_EXCEEDED
// and those behind it go out: then all of it is posted again, from the one that failed, and the
// receiver drops what is not next. For that each message has a number of its channel, which travels
// in its word.
#include "torusmu/local_channel.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "torusmu/dynamic_queue_pair.h"

namespace torusmu {
namespace {

constexpr Bytes kMostBufferBytes = 0xFFFFFFFF;  // no message is longer

}  // namespace

struct LocalChannels::State {
  State(Context& its_context, CompletionQueue& its_completions, DynamicQueuePair its_pair,
        Address its_segment, const LocalOptions& its_options)
      : context(its_context),
        completions(its_completions),
        pair(std::move(its_pair)),
        segment(its_segment),
        options(its_options) {}

  struct Message {
    std::uint32_t buffer = 0;
    std::uint32_t word = 0;
    Bytes bytes = 0;
  };
  // To and from one endpoint; it lasts, so that numbers go on when a channel is opened again.
  struct Channel {
    bool open = false;
    Receiver receiver{};
    std::uint16_t next = 0;      // number of the next message that is sent
    std::uint16_t expected = 0;  // and that is received
    std::deque<Message> come{};  // nobody has been handed them
  };
  struct Work {
    Descriptor descriptor;
    bool is_send = false;
  };

  void take(const WorkCompletion& completion);
  void take_message(const WorkCompletion& completion);
  void end_work(const WorkCompletion& completion);
  bool hand_on(Endpoint from, Channel& channel);
  bool post();
  bool advance();
  void give_buffer(std::uint32_t buffer);
  [[nodiscard]] bool is_local(Endpoint endpoint) const {
    const NodePlan& plan = context.plan();
    return plan.has(endpoint) && plan.place(endpoint.task).node == plan.place(context.task()).node;
  }
  // The dynamic pair of its task that an endpoint's channels use, and whose that is.
  [[nodiscard]] std::uint32_t pair_of(ContextId endpoint) const {
    return options.pair * context.plan().options().contexts + endpoint.value;
  }
  [[nodiscard]] bool has_pair(Endpoint endpoint) const {
    const NodePlan& plan = context.plan();
    const std::uint32_t number = pair_of(endpoint.context);
    return plan.has(endpoint) && number < plan.options().dynamic_pairs &&
           plan.boot_sends(plan.place(endpoint.task).client, number) == 0;
  }
  [[nodiscard]] std::optional<Endpoint> endpoint_of(const std::optional<PairName>& name) const {
    if (!name) return std::nullopt;
    const Endpoint endpoint{name->task, {name->pair % context.plan().options().contexts}};
    const bool is_one = is_local(endpoint) && pair_of(endpoint.context) == name->pair;
    return is_one ? std::optional(endpoint) : std::nullopt;
  }
  LocalWork add(Descriptor descriptor, bool is_send) {
    work.push_back({descriptor.set<layout::descriptor::sequence_number>(
                        static_cast<std::uint32_t>(done + work.size())),
                    is_send});
    return {done + work.size() - 1};
  }

  Context& context;
  CompletionQueue& completions;
  DynamicQueuePair pair;
  Address segment;
  LocalOptions options;
  std::map<Endpoint, Channel> channels;
  std::deque<Work> work;   // not done, by age
  std::uint64_t done = 0;  // work before that
  std::size_t posted = 0;  // of `work`
  std::size_t passed = 0;  // posted behind one that was not taken, and ended
  bool repeats = false;    // until all that is posted has ended
  std::map<std::uint64_t, std::error_code> failed;
  LocalCounts counts;
  std::uint32_t progress = 0;  // name
};

// --- receiving ---

void LocalChannels::State::take(const WorkCompletion& completion) {
  if (completion.end == NodePlan::End::kReceive) {
    take_message(completion);
  } else {
    end_work(completion);
  }
}

void LocalChannels::State::take_message(const WorkCompletion& completion) {
  if (completion.error == Errc::kDataLost && completion.opcode == Opcode::kNop) {
    ++counts.lost;
    return;
  }
  if (completion.id >= options.buffers || completion.bytes > options.buffer_bytes) {
    ++counts.odd;
    return;
  }
  const auto from = endpoint_of(completion.sender);
  if (completion.error || !from) {
    if (!completion.error) ++counts.foreign;
    give_buffer(completion.id);
    return;
  }
  channels[*from].come.push_back({completion.id, completion.word, completion.bytes});
}

void LocalChannels::State::give_buffer(std::uint32_t buffer) {
  // It was the place of one that has left the queue.
  (void)pair.post_receive(segment + buffer * options.buffer_bytes, options.buffer_bytes,
                          {.id = buffer});
}

bool LocalChannels::State::hand_on(Endpoint from, Channel& channel) {
  bool any = false;
  while (channel.open && !channel.come.empty()) {
    const Message message = channel.come.front();
    channel.come.pop_front();
    any = true;
    if (static_cast<std::uint16_t>(message.word) == channel.expected) {
      ++channel.expected;
      ++counts.received;
      channel.receiver({.from = from,
                        .word = static_cast<std::uint16_t>(message.word >> 16),
                        .data = segment + message.buffer * options.buffer_bytes,
                        .bytes = message.bytes});
    } else {
      ++counts.dropped;
    }
    give_buffer(message.buffer);
  }
  return any;
}

// --- sending ---

void LocalChannels::State::end_work(const WorkCompletion& completion) {
  if (posted == 0) {
    ++counts.odd;
    return;
  }
  if (repeats) {
    if (++passed < posted) return;
    counts.repeated += posted;
    posted = passed = 0;
    repeats = false;
    return;
  }
  if (completion.status == Status::kRetryExceeded) {
    passed = 1;
    repeats = posted > 1;
    if (repeats) return;
    ++counts.repeated;
    posted = 0;
    return;
  }
  if (completion.error) failed[done] = completion.error;
  if (work.front().is_send && !completion.error) ++counts.sent;
  work.pop_front();
  --posted;
  ++done;
}

bool LocalChannels::State::post() {
  if (repeats || posted == work.size()) return false;
  const std::size_t before = posted;
  const std::size_t slots = context.plan().options().queue_pair_slots;
  while (posted < work.size() && posted < slots && !pair.post({&work[posted].descriptor, 1})) {
    ++posted;
  }
  return posted != before;
}

bool LocalChannels::State::advance() {
  bool any = false;
  for (auto& [endpoint, channel] : channels) any = hand_on(endpoint, channel) || any;
  return post() || any;
}

// --- LocalChannels ---

LocalChannels::LocalChannels(std::shared_ptr<State> state) : state_(std::move(state)) {}
LocalChannels::LocalChannels(LocalChannels&&) noexcept = default;
LocalChannels& LocalChannels::operator=(LocalChannels&&) noexcept = default;
LocalChannels::~LocalChannels() {
  if (!state_) return;
  state_->context.remove_progress(state_->progress);
  state_->completions.route(state_->pair.number(), nullptr);
}

Result<LocalChannels> LocalChannels::open(Context& context, CompletionQueue& completions,
                                          const LocalOptions& options) {
  const std::uint32_t slots = context.plan().options().queue_pair_slots;
  if (options.buffers == 0 || options.buffers > slots || options.buffer_bytes == 0 ||
      options.buffer_bytes > kMostBufferBytes) {
    return Errc::kBadArgument;
  }
  const PlanOptions& planned = context.plan().options();
  if (options.pair >= planned.dynamic_pairs) return Errc::kBadArgument;
  const std::uint32_t number = options.pair * planned.contexts + context.id().value;
  const ClientId client = context.plan().place(context.task()).client;
  if (context.plan().boot_sends(client, number) != 0) return Errc::kBadArgument;
  auto pair = DynamicQueuePair::open(context, number);
  if (!pair) return pair.error();
  const auto segment = context.take_heap(options.buffers * options.buffer_bytes);
  if (!segment) return segment.error();
  auto state = std::make_shared<State>(context, completions, std::move(pair.value()),
                                       segment.value(), options);
  for (std::uint32_t n = 0; n < options.buffers; ++n) state->give_buffer(n);
  completions.route(state->pair.number(),
                    [its = state.get()](const WorkCompletion& done) { its->take(done); });
  state->progress = context.add_progress([its = state.get()] { return its->advance(); });
  return LocalChannels(std::move(state));
}

Result<LocalChannel> LocalChannels::connect(Task peer, Receiver receiver) {
  return connect(Endpoint{peer, state_->context.id()}, std::move(receiver));
}

Result<LocalChannel> LocalChannels::connect(Endpoint peer, Receiver receiver) {
  if (!state_->has_pair(peer)) return Errc::kBadArgument;
  if (!state_->is_local(peer)) return Errc::kNotLocal;
  State::Channel& channel = state_->channels[peer];
  if (channel.open) return Errc::kChannelOpen;
  channel.open = true;
  channel.receiver = std::move(receiver);
  return LocalChannel(state_, peer);
}

bool LocalChannels::advance() {
  (void)state_->completions.look();
  return state_->advance();
}

std::error_code LocalChannels::test(LocalWork work) const {
  if (work.value >= state_->done + state_->work.size()) return Errc::kBadArgument;
  if (work.value >= state_->done) return Errc::kAgain;
  const auto failed = state_->failed.find(work.value);
  return failed == state_->failed.end() ? std::error_code() : failed->second;
}

std::error_code LocalChannels::wait(LocalWork work, Cycles deadline) {
  const auto error =
      state_->context.advance_until([&] { return test(work) != Errc::kAgain; }, deadline);
  return error ? error : test(work);
}

const LocalCounts& LocalChannels::counts() const { return state_->counts; }

// --- LocalChannel ---

LocalChannel::LocalChannel(std::shared_ptr<LocalChannels::State> state, Endpoint peer)
    : state_(std::move(state)), peer_(peer) {}
LocalChannel::LocalChannel(LocalChannel&&) noexcept = default;
LocalChannel& LocalChannel::operator=(LocalChannel&& other) noexcept {
  close();
  state_ = std::move(other.state_);
  peer_ = other.peer_;
  return *this;
}
LocalChannel::~LocalChannel() { close(); }

void LocalChannel::close() {
  if (!state_) return;
  state_->channels[peer_].open = false;
  state_->channels[peer_].receiver = nullptr;
  state_.reset();
}

Endpoint LocalChannel::peer() const { return peer_; }

Result<LocalWork> LocalChannel::send(std::uint16_t word, Address data, Bytes bytes) {
  LocalChannels::State::Channel& channel = state_->channels[peer_];
  const std::uint32_t in_word = std::uint32_t{channel.next} | std::uint32_t{word} << 16;
  const auto descriptor = state_->pair.send({peer_.task, state_->pair_of(peer_.context)}, data,
                                            bytes, {.word = in_word});
  if (!descriptor) return descriptor.error();
  ++channel.next;
  const LocalWork work = state_->add(descriptor.value(), true);
  (void)state_->post();
  return work;
}

Result<LocalWork> LocalChannel::fence() {
  const auto descriptor = state_->pair.fence(peer_.task);
  if (!descriptor) return descriptor.error();
  const LocalWork work = state_->add(descriptor.value(), false);
  (void)state_->post();
  return work;
}

}  // namespace torusmu
