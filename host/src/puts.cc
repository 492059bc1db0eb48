// SPDX-License-Identifier: Apache-2.0
#include "host/src/puts.h"

#include <algorithm>
#include <array>

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;

constexpr Bytes kMailboxBytes = 32;
constexpr std::uint32_t kReplySlots = 2;  // header and trailer, one slot of payload
constexpr std::uint32_t kMostReflector = 7;

bool is_in_mailbox(Notify notify) {
  return notify == Notify::kReflectedPut || notify == Notify::kReflectedTouch;
}
bool is_reflected(Notify notify) {
  return is_in_mailbox(notify) || notify == Notify::kReflectedFifo;
}

bool is_possible(const NodePlan& plan, const RemoteMemory& to, Bytes bytes,
                 const PutOptions& options) {
  const Sizes& sizes = plan.sizes();
  return to.task.value < plan.tasks() && bytes != 0 && fits(d::length, bytes) &&
         fits(h::offset, to.offset) && to.region.value < sizes.regions &&
         options.reflector <= kMostReflector &&
         (!options.counter || options.counter->value < sizes.byte_counters) &&
         (!options.event || options.event->value < sizes.event_counters);
}

}  // namespace

Puts::Puts(const Site& site, Agenda& agenda, Liveness& liveness, Outbox& outbox, Requests& requests,
           PolledSources& polled, const Regions& regions, Channels& channels, Sends& sends,
           Fences& fences)
    : site_(site),
      agenda_(agenda),
      liveness_(liveness),
      outbox_(outbox),
      requests_(requests),
      polled_(polled),
      regions_(regions),
      channels_(channels),
      sends_(sends),
      fences_(fences),
      replies_(site.device, site.plan.reply_ring(site.client, site.context),
               fifo_registers(site.client, site.plan.reply_fifo(site.client, site.context))),
      mailbox_in_use_(site.plan.options().mailboxes) {}

Result<Descriptor> Puts::describe(const RemoteMemory& to, Address from, Bytes bytes,
                                  PutOptions options) const {
  options.notify = PutOptions().notify;
  options.reflector = PutOptions().reflector;
  if (!is_possible(site_.plan, to, bytes, options)) return Errc::kBadArgument;
  const auto where = regions_.locate(from, bytes);
  if (!where) return where.error();
  return descriptor(to, where.value(), bytes, options);
}

Result<Request> Puts::put(const RemoteMemory& to, Address from, Bytes bytes,
                          const PutOptions& options) {
  if (!is_possible(site_.plan, to, bytes, options) ||
      (options.notify == Notify::kReflectedTouch && !site_.plan.options().marked_mailboxes)) {
    return Errc::kBadArgument;
  }
  const auto where = regions_.locate(from, bytes);
  if (!where) return where.error();
  if (requests_.is_full()) return Requests::full();
  if (!outbox_.has_room(2)) return Errc::kAgain;
  const std::uint32_t number =
      requests_.add(options.notify == Notify::kDelivered ? Use::kFence : Use::kPut);
  requests_.completion(number).length = bytes;
  if (is_reflected(options.notify) && !reserve(number, options)) {
    requests_.retire(number);
    return Errc::kAgain;
  }
  const Place place = site_.plan.place(to.task);
  const std::uint32_t index =
      outbox_.post_to(place.node, true,
                      descriptor(to, where.value(), bytes, options)
                          .set<d::sequence_number>(requests_.name(number).value));
  if (options.notify == Notify::kDelivered) {
    fences_.add_of_put(number, to.task);
  } else if (options.notify == Notify::kInjected) {
    injected_waiters_.push_back({number, index, bytes});
    polled_.await(Source::kInjected);
    polled_.expect(Source::kInjected);
  } else {
    write(reflections_.back());
    post(reflections_.back());
    polled_.expect(source_of(options.notify));
  }
  outbox_.ring();
  return requests_.name(number);
}

Descriptor Puts::descriptor(const RemoteMemory& to, InRegion from, Bytes bytes,
                            const PutOptions& options) const {
  PacketHeader header = header_to(site_.plan, site_.plan.place(to.task));
  header.set<h::target>(to.region.value).set<h::offset>(to.offset);
  Descriptor put;
  put.set<d::opcode>(Opcode::kPut)
      .set<d::source_region>(from.region.value)
      .set<d::source_offset>(from.offset)
      .set<d::length>(bytes)
      .set<d::interrupt_target>(options.interrupt)
      .set<d::interrupt_done>(options.notify == Notify::kInjected)
      .set<d::header>(header);
  if (options.counter) put.set<d::counter_valid>(1).set<d::counter>(options.counter->value);
  if (options.event) put.set<d::event_valid>(1).set<d::event_counter>(options.event->value);
  return put;
}

// It names the region of the target's heap, which is open to puts: whose region it is says whose
// counter may be meant (docs/queue_pairs.md, Counters).
Result<Descriptor> Puts::increment(Task task, EventId event) const {
  if (task.value >= site_.plan.tasks() || event.value >= site_.plan.sizes().event_counters) {
    return Errc::kBadArgument;
  }
  const Place place = site_.plan.place(task);
  const RegionId heap = site_.plan.heap_region(place.client);
  return Descriptor()
      .set<d::opcode>(Opcode::kPut)
      .set<d::immediate_valid>(1)
      .set<d::event_valid>(1)
      .set<d::event_counter>(event.value)
      .set<d::header>(header_to(site_.plan, place).set<h::target>(heap.value));
}

// --- long messages ---

void Puts::take_clear_to_send(Endpoint from, std::uint32_t request,
                              const wire::ClearToSend& clear) {
  const auto message = sends_.take_clear_to_send(from, request);
  if (!message || clear.length > message->bytes) {
    ++site_.counts.odd_packets;
    return;
  }
  cleared_.push_back({from, *message, clear});
  post_cleared();
}

// In the order in which they were cleared.
void Puts::post_cleared() {
  while (!cleared_.empty()) {
    // Data, word and reflecting get.
    if (!outbox_.claim_room(3)) return;
    if (!reserve(cleared_.front().message.request, {})) {
      agenda_.arm(site_.device.now() + site_.options.retry_least);
      return;
    }
    post_message(cleared_.front());
    cleared_.pop_front();
  }
}

void Puts::post_message(const Cleared& cleared) {
  const auto& [to, message, clear] = cleared;
  PutOptions options;
  options.counter = CounterId{clear.counter};
  const RemoteMemory memory{to.task, {clear.region}, clear.offset};
  outbox_.post_to(site_.plan.place(to.task).node, true,
                  descriptor(memory, message.data, clear.length, options)
                      .set<d::sequence_number>(requests_.name(message.request).value));
  sends_.tell_sent(to, clear.fetch);
  Reflection& reflection = reflections_.back();
  reflection.channel = &channels_.to(to);
  reflection.acknowledged_at = reflection.channel->ended() + reflection.channel->kept();
  reflection.look_at = site_.device.now() + site_.options.probe_after;
  agenda_.arm(reflection.look_at);
  write(reflection);
  post(reflection);
  polled_.expect(source_of(reflection.notify));
}

void Puts::end_acknowledged() {
  const Cycles now = site_.device.now();
  std::erase_if(reflections_, [&](Reflection& reflection) {
    if (reflection.channel == nullptr) return false;
    const bool is_due = reflection.look_at <= now;
    if (is_due && reflection.channel->ended() >= reflection.acknowledged_at) {
      end(reflection);
      return true;
    }
    if (is_due) reflection.look_at = now + site_.options.probe_after;
    agenda_.arm(reflection.look_at);
    return false;
  });
}

// --- served ---

void Puts::use_room() {
  repeat_reflections();
  post_cleared();
}

void Puts::run_timers() {
  end_acknowledged();
  repeat_reflections();
  post_cleared();
}

// --- reflections ---

Source Puts::source_of(Notify notify) {
  return is_in_mailbox(notify) ? Source::kMailboxes : Source::kReplies;
}

bool Puts::reserve(std::uint32_t request, const PutOptions& options) {
  const bool by_put = is_in_mailbox(options.notify);
  const auto mailbox = std::find(mailbox_in_use_.begin(), mailbox_in_use_.end(), false);
  if (by_put ? mailbox == mailbox_in_use_.end()
             : reply_slots_reserved_ + kReplySlots > site_.plan.options().reply_slots) {
    return false;
  }
  const auto buffer = outbox_.take_buffer(Descriptor::kBytes);
  if (!buffer) return false;
  Reflection reflection{.request = request,
                        .notify = options.notify,
                        .direction = options.reflector,
                        .descriptor = *buffer};
  if (by_put) {
    *mailbox = true;
    reflection.mailbox = static_cast<std::uint32_t>(mailbox - mailbox_in_use_.begin());
  } else {
    reply_slots_reserved_ += kReplySlots;
  }
  polled_.await(source_of(options.notify));
  reflections_.push_back(reflection);
  return true;
}

Address Puts::mailbox(std::uint32_t number) const {
  return site_.plan.mailboxes(site_.client, site_.context).address + number * kMailboxBytes;
}

// The descriptor that a reflection node sends back.
void Puts::write(const Reflection& reflection) {
  const NodePlan& plan = site_.plan;
  const std::uint32_t name = requests_.name(reflection.request).value;
  PacketHeader header = header_to(plan, {site_.device.node(), site_.client});
  Descriptor back;
  back.set<d::immediate_valid>(1);
  // What the touch of its mailbox tells need not be told by the put.
  back.set<d::interrupt_target>(reflection.notify == Notify::kReflectedTouch ? 0 : 1);
  if (is_in_mailbox(reflection.notify)) {
    wire::Immediate token{};
    for (unsigned i = 0; i < 4; ++i) token[i] = static_cast<std::uint8_t>(name >> (8 * i));
    header.set<h::target>(plan.library_region(site_.client).value)
        .set<h::offset>(mailbox(reflection.mailbox) - plan.library(site_.client).address);
    back.set<d::opcode>(Opcode::kPut).set<d::length>(token.size()).set<d::immediate>(token);
  } else {
    header.set<h::target>(plan.reply_fifo(site_.client, site_.context).value)
        .set<h::word>(name)
        .set<h::offset>(wire::OffsetField{.type = wire::Type::kReflected}.pack());
    back.set<d::opcode>(Opcode::kFifo).set<d::length>(1);
  }
  back.set<d::header>(header);
  outbox_.write(reflection.descriptor, back);
}

void Puts::post(Reflection& reflection) {
  PacketHeader header;
  header.set<h::target>(reflection.direction);
  Descriptor get;
  get.set<d::opcode>(Opcode::kGet)
      .set<d::reflect>(1)
      .set<d::length>(Descriptor::kBytes)
      .set<d::header>(header);
  outbox_.set_source(get, reflection.descriptor);
  reflection.index = outbox_.post(get);
  agenda_.note_progress();
}

void Puts::end(const Reflection& reflection) {
  polled_.end_await(source_of(reflection.notify));
  outbox_.give_buffer(reflection.descriptor, Descriptor::kBytes);
  if (is_in_mailbox(reflection.notify)) mailbox_in_use_[reflection.mailbox] = false;
  if (reflection.channel != nullptr) sends_.end_put(reflection.request);
  requests_.complete(reflection.request);
  sends_.admit_waiting();
}

// --- notices ---

void Puts::take_notice(std::uint32_t name, Task from, std::uint32_t index, Status status) {
  const std::error_code error = wire::error_of(status);
  fences_.put_refused(from, index, error);
  const auto number = requests_.find(name);
  if (!number) {
    ++site_.counts.stale_notices;
    return;
  }
  requests_.completion(*number).error = error;
}

std::vector<Puts::Reflection>::iterator Puts::find(std::uint32_t index) {
  return std::find_if(reflections_.begin(), reflections_.end(),
                      [&](const Reflection& reflection) { return reflection.index == index; });
}

void Puts::take_reflection_notice(std::uint32_t index) {
  if (find(index) == reflections_.end()) {
    ++site_.counts.stale_notices;
    return;
  }
  ++site_.counts.refusals;
  refused_.push_back(index);
  agenda_.arm(site_.device.now() + site_.options.retry_least);
}

void Puts::repeat_reflections() {
  while (!refused_.empty()) {
    if (!outbox_.claim_room()) return;
    const auto found = find(refused_.back());
    refused_.pop_back();
    if (found != reflections_.end()) post(*found);
  }
}

// --- polling ---

PollResult Puts::poll_mailboxes() {
  const std::size_t ended = std::erase_if(reflections_, [&](const Reflection& reflection) {
    if (!is_in_mailbox(reflection.notify) || !take_token(reflection)) return false;
    if (reflection.channel != nullptr) ++site_.counts.ended_by_reflection;
    end(reflection);
    return true;
  });
  if (ended == 0) return PollResult::kNothing;
  post_cleared();
  return PollResult::kActivity;
}

// True if the put of the reflection node has come.
bool Puts::take_token(const Reflection& reflection) {
  const Address at = mailbox(reflection.mailbox);
  std::array<std::uint8_t, 4> word{};
  ++site_.counts.polls;
  site_.device.load(at, std::as_writable_bytes(std::span(word)));
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{word[i]} << (8 * i);
  if (value != requests_.name(reflection.request).value) return false;
  const std::array<std::byte, 16> zeros{};
  site_.device.store(at, zeros);
  return true;
}

PollResult Puts::poll_replies() {
  if (replies_.empty()) {
    ++site_.counts.polls;
    if (!replies_.hint()) return PollResult::kNothing;
    ++site_.counts.tail_reads;
    if (!replies_.read_tail()) return liveness_.doubt();
  }
  while (!replies_.empty()) {
    const PacketRing::Entry entry = replies_.front();
    site_.device.work(Work::kHandlePacket, 1);
    take_reply(entry);
    replies_.pop(entry);
  }
  // Slots count as reserved until the MU knows that they are free.
  replies_.release();
  return PollResult::kActivity;
}

void Puts::take_reply(const PacketRing::Entry& entry) {
  const auto field = wire::OffsetField::unpack(entry.header.get<h::offset>());
  const auto number = requests_.find(static_cast<std::uint32_t>(entry.header.get<h::word>()));
  const auto found =
      std::find_if(reflections_.begin(), reflections_.end(), [&](const Reflection& reflection) {
        return reflection.notify == Notify::kReflectedFifo && reflection.request == number;
      });
  if (field.type != wire::Type::kReflected || found == reflections_.end()) {
    ++site_.counts.odd_packets;
    return;
  }
  end(*found);
  reflections_.erase(found);
  reply_slots_reserved_ -= kReplySlots;
}

bool Puts::poll_injected() {
  const std::size_t ended = std::erase_if(injected_waiters_, [&](const auto& waiter) {
    if (!outbox_.injected(waiter.index)) return false;
    polled_.end_await(Source::kInjected);
    requests_.complete(waiter.request);
    return true;
  });
  return ended != 0;
}

std::optional<Bytes> Puts::bytes_to_inject() const {
  if (injected_waiters_.empty()) return std::nullopt;
  return injected_waiters_.front().bytes;
}

}  // namespace torusmu
