// SPDX-License-Identifier: Apache-2.0
// Puts, and the reflections that tell that their source has been read.
//
// A reflecting get follows the put in the send queue. A reflection node sends the descriptor that
// it carries back to us: a put into a mailbox (a word of library memory that is zero until then),
// or a packet for the reply FIFO. Room for either is reserved before anything is posted.
#include <algorithm>
#include <array>

#include "host/src/engine.h"

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;

constexpr Bytes kMailboxBytes = 32;
constexpr std::uint32_t kReplySlots = 2;  // header and trailer, one slot of payload
constexpr std::uint32_t kMostReflector = 7;

bool is_reflected(Notify notify) {
  return notify == Notify::kReflectedPut || notify == Notify::kReflectedFifo;
}

}  // namespace

Result<Request> Engine::put(const RemoteMemory& to, Address from, Bytes bytes,
                            const PutOptions& options) {
  if (to.task.value >= plan_.tasks() || bytes == 0 || !fits(d::length, bytes) ||
      !fits(h::offset, to.offset) || to.region.value >= plan_.sizes().regions ||
      options.reflector > kMostReflector ||
      (options.counter && options.counter->value >= plan_.sizes().byte_counters) ||
      (options.event && options.event->value >= plan_.sizes().event_counters)) {
    return Errc::kBadArgument;
  }
  const auto where = regions_.locate(from, bytes);
  if (!where) return where.error();
  if (out_of_requests()) return too_many_requests();
  if (!outbox_.has_room(2)) return Errc::kAgain;
  const std::uint32_t number =
      new_request(is_reflected(options.notify)           ? Use::kPutReflected
                  : options.notify == Notify::kDelivered ? Use::kFence
                                                         : Use::kPutInjected);
  requests_[number].completion.length = bytes;
  requests_[number].reflector = options.reflector;
  if (is_reflected(options.notify) && !reserve_reflection(number, options.notify)) {
    retire(number);
    return Errc::kAgain;
  }
  PacketHeader header = header_to(plan_, plan_.place(to.task));
  header.set<h::target>(to.region.value).set<h::offset>(to.offset);
  Descriptor put;
  put.set<d::opcode>(Opcode::kPut)
      .set<d::source_region>(where.value().region.value)
      .set<d::source_offset>(where.value().offset)
      .set<d::length>(bytes)
      .set<d::interrupt_target>(options.interrupt)
      .set<d::interrupt_done>(options.notify == Notify::kInjected)
      .set<d::sequence_number>(name(number).value)
      .set<d::header>(header);
  if (options.counter) put.set<d::counter_valid>(1).set<d::counter>(options.counter->value);
  if (options.event) put.set<d::event_valid>(1).set<d::event_counter>(options.event->value);
  requests_[number].index = outbox_.post_to(plan_.place(to.task).node, true, put);
  if (options.notify == Notify::kDelivered) {
    add_fence(number, to.task, true);
    return name(number);
  }
  if (is_reflected(options.notify)) {
    write_reflection(number, options.notify);
    post_reflection(number);
    polled_.expect(options.notify == Notify::kReflectedPut ? Source::kMailboxes : Source::kReplies);
  } else {
    injected_waiters_.push_back(number);
    polled_.await(Source::kInjected);
    polled_.expect(Source::kInjected);
  }
  outbox_.ring();
  return name(number);
}

// It names the region of the target's heap, which is open to puts: whose region it is says whose
// counter may be meant (docs/queue_pairs.md, Counters).
Result<Descriptor> Engine::increment(Task task, EventId event) const {
  if (task.value >= plan_.tasks() || event.value >= plan_.sizes().event_counters) {
    return Errc::kBadArgument;
  }
  const Place place = plan_.place(task);
  return Descriptor()
      .set<d::opcode>(Opcode::kPut)
      .set<d::immediate_valid>(1)
      .set<d::event_valid>(1)
      .set<d::event_counter>(event.value)
      .set<d::header>(
          header_to(plan_, place).set<h::target>(plan_.heap_region(place.client).value));
}

bool Engine::reserve_reflection(std::uint32_t number, Notify notify) {
  RequestState& state = requests_[number];
  const bool by_put = notify == Notify::kReflectedPut;
  const auto mailbox = std::find(mailbox_in_use_.begin(), mailbox_in_use_.end(), false);
  if (by_put ? mailbox == mailbox_in_use_.end()
             : reply_slots_reserved_ + kReplySlots > plan_.options().reply_slots) {
    return false;
  }
  const auto reflection = outbox_.take_buffer(Descriptor::kBytes);
  if (!reflection) return false;
  state.notify = notify;
  state.reflection = *reflection;
  if (by_put) {
    *mailbox = true;
    state.mailbox = static_cast<std::uint32_t>(mailbox - mailbox_in_use_.begin());
    mailbox_waiters_.push_back(number);
    polled_.await(Source::kMailboxes);
  } else {
    reply_slots_reserved_ += kReplySlots;
    polled_.await(Source::kReplies);
  }
  return true;
}

Address Engine::mailbox(std::uint32_t number) const {
  return plan_.mailboxes(client_, context_).address + number * kMailboxBytes;
}

void Engine::write_reflection(std::uint32_t number, Notify notify) {
  const RequestState& state = requests_[number];
  PacketHeader header = header_to(plan_, {device_.node(), client_});
  Descriptor back;
  back.set<d::immediate_valid>(1).set<d::interrupt_target>(1);
  if (notify == Notify::kReflectedPut) {
    wire::Immediate token{};
    const std::uint32_t value = name(number).value;
    for (unsigned i = 0; i < 4; ++i) token[i] = static_cast<std::uint8_t>(value >> (8 * i));
    header.set<h::target>(plan_.library_region(client_).value)
        .set<h::offset>(mailbox(state.mailbox) - plan_.library(client_).address);
    back.set<d::opcode>(Opcode::kPut).set<d::length>(token.size()).set<d::immediate>(token);
  } else {
    header.set<h::target>(plan_.reply_fifo(client_, context_).value)
        .set<h::word>(name(number).value)
        .set<h::offset>(wire::OffsetField{.type = wire::Type::kReflected}.pack());
    back.set<d::opcode>(Opcode::kFifo).set<d::length>(1);
  }
  back.set<d::header>(header);
  outbox_.write(state.reflection, back);
}

void Engine::post_reflection(std::uint32_t number) {
  RequestState& state = requests_[number];
  PacketHeader header;
  header.set<h::target>(state.reflector);
  Descriptor get;
  get.set<d::opcode>(Opcode::kGet)
      .set<d::reflect>(1)
      .set<d::length>(Descriptor::kBytes)
      .set<d::header>(header);
  outbox_.set_source(get, state.reflection);
  state.index = outbox_.post(get);
  agenda_.note_progress();
}

void Engine::end_reflection(std::uint32_t number) {
  outbox_.give_buffer(requests_[number].reflection, Descriptor::kBytes);
  complete(number);
  admit_waiting();
}

// The target refused packets of a put: its request ends as usual, but with an error; a fence tells
// of it too, for the request may be over.
void Engine::take_put_notice(std::uint32_t name, Task from, std::uint32_t index, Status status) {
  refused_puts_.try_emplace(from.value, RefusedPuts{.first = index, .error = error_of(status)})
      .first->second.last = index;
  const auto number = number_of(name);
  if (!number) {
    ++counts_.stale_notices;
    return;
  }
  requests_[*number].completion.error = error_of(status);
}

// A reflection node was not ready. The put before it has long left: the reflection alone is
// repeated.
void Engine::take_reflection_notice(std::uint32_t index) {
  for (std::uint32_t number = 0; number < requests_.size(); ++number) {
    const RequestState& state = requests_[number];
    if (state.use != Use::kPutReflected || state.complete || state.index != index) continue;
    ++counts_.refusals;
    repeat_reflections_.push_back(number);
    agenda_.arm(device_.now() + options_.retry_least);
    return;
  }
  ++counts_.stale_notices;
}

void Engine::repeat_reflections() {
  while (!repeat_reflections_.empty()) {
    if (!outbox_.claim_room()) return;
    post_reflection(repeat_reflections_.back());
    repeat_reflections_.pop_back();
  }
}

PollResult Engine::poll_mailboxes() {
  const std::size_t ended = std::erase_if(mailbox_waiters_, [&](std::uint32_t number) {
    const RequestState& state = requests_[number];
    const Address at = mailbox(state.mailbox);
    std::array<std::uint8_t, 4> word{};
    ++counts_.polls;
    device_.load(at, std::as_writable_bytes(std::span(word)));
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{word[i]} << (8 * i);
    if (value != name(number).value) return false;
    const std::array<std::byte, 16> zeros{};
    device_.store(at, zeros);
    mailbox_in_use_[state.mailbox] = false;
    polled_.end_await(Source::kMailboxes);
    end_reflection(number);
    return true;
  });
  return ended != 0 ? PollResult::kActivity : PollResult::kNothing;
}

PollResult Engine::poll_replies() {
  if (replies_.empty()) {
    ++counts_.polls;
    if (!replies_.hint()) return PollResult::kNothing;
    ++counts_.tail_reads;
    if (!replies_.read_tail()) return liveness_.doubt();
  }
  while (!replies_.empty()) {
    const PacketRing::Entry entry = replies_.front();
    const auto field = wire::OffsetField::unpack(entry.header.get<h::offset>());
    const auto number = number_of(static_cast<std::uint32_t>(entry.header.get<h::word>()));
    device_.work(Work::kHandlePacket, 1);
    if (number && field.type == wire::Type::kReflected &&
        requests_[*number].use == Use::kPutReflected && !requests_[*number].complete) {
      end_reflection(*number);
      reply_slots_reserved_ -= kReplySlots;
      polled_.end_await(Source::kReplies);
    } else {
      ++counts_.odd_packets;
    }
    replies_.pop(entry);
  }
  // Slots count as reserved until the MU knows that they are free.
  replies_.release();
  return PollResult::kActivity;
}

PollResult Engine::poll_injected() {
  const std::size_t ended = std::erase_if(injected_waiters_, [&](std::uint32_t number) {
    if (!outbox_.injected(requests_[number].index)) return false;
    polled_.end_await(Source::kInjected);
    complete(number);
    return true;
  });
  if (round_.open && round_.posted == round_.nodes.size() && outbox_.injected(round_.index)) {
    end_round();
    return PollResult::kActivity;
  }
  return ended != 0 ? PollResult::kActivity : PollResult::kNothing;
}

}  // namespace torusmu
