// SPDX-License-Identifier: Apache-2.0
#include "host/src/fetches.h"

#include <algorithm>
#include <string>

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace page = registers::client_page;

constexpr Bytes kPutAt = 0;
constexpr Bytes kWordAt = 64;
constexpr Bytes kAnswerAt = 128;
constexpr Bytes kDescriptorBytes = 192;
constexpr std::size_t kMostFetches = 4096;  // names have 12 bits for them
constexpr unsigned kMostRepeats = 16;       // of a get

}  // namespace

Fetches::Fetches(const Site& site, Agenda& agenda, Outbox& outbox, Requests& requests,
                 Poller& poller, const Regions& regions, Sends& sends)
    : site_(site),
      agenda_(agenda),
      outbox_(outbox),
      requests_(requests),
      poller_(poller),
      regions_(regions),
      sends_(sends) {
  for (std::uint32_t n = site.plan.byte_counters(); n-- > 0;) {
    free_counters_.push_back(site.plan.byte_counter(site.client, n, site.context).value);
  }
}

Result<Request> Fetches::get(Address to, const RemoteMemory& from, Bytes bytes) {
  const NodePlan& plan = site_.plan;
  if (from.task.value >= plan.tasks() || bytes == 0 || !fits(d::length, bytes) ||
      !fits(d::source_offset, from.offset) || from.region.value >= plan.sizes().regions) {
    return Errc::kBadArgument;
  }
  const auto where = regions_.locate(to, bytes);
  if (!where) return where.error();
  if (requests_.is_full()) return Requests::full();
  const std::uint32_t number = requests_.add(Use::kFetch);
  requests_.completion(number).source = from.task;
  requests_.completion(number).length = bytes;
  start({.request = number,
         .from = {from.task, site_.context},
         .source = {from.region, from.offset},
         .target = where.value(),
         .bytes = bytes});
  outbox_.ring();
  return requests_.name(number);
}

void Fetches::fetch(const Incoming& message, std::uint32_t request, Range buffer) {
  Order order{.of_message = true,
              .request = request,
              .from = message.source,
              .sender_request = message.remote.request,
              .source = {{message.remote.region}, message.remote.offset},
              .bytes = std::min(message.length, buffer.bytes)};
  if (order.bytes == 0) {
    confirm(order, {});
    requests_.complete(request);
    return;
  }
  order.target = regions_.locate(buffer.address, order.bytes).value();
  order.by_sender = message.remote.will_put && regions_.takes_puts(order.target.region);
  start(order);
}

void Fetches::start(const Order& order) {
  if (!waiting_.empty() || !try_start(order)) waiting_.push_back(order);
}

bool Fetches::try_start(const Order& order) {
  if (free_counters_.empty()) return false;
  auto free =
      std::find_if(fetches_.begin(), fetches_.end(), [](const Fetch& f) { return !f.in_use; });
  if (free == fetches_.end() && fetches_.size() == kMostFetches) return false;
  std::optional<Address> descriptors = 0;
  if (!order.by_sender) descriptors = outbox_.take_buffer(kDescriptorBytes);
  if (!descriptors) return false;
  if (free == fetches_.end()) free = fetches_.insert(fetches_.end(), Fetch{});
  *free = {.in_use = true,
           .generation = free->generation,
           .order = order,
           .counter = free_counters_.back(),
           .descriptors = *descriptors,
           .backoff = site_.options.retry_least,
           .ask_wait = site_.options.probe_after};
  free_counters_.pop_back();
  expect_bytes(*free);
  if (order.by_sender) {
    clear_to_send(*free);
  } else {
    write_descriptors(*free);
    post_get(*free);
  }
  return true;
}

std::uint16_t Fetches::number_of(const Fetch& fetch) const {
  return static_cast<std::uint16_t>(&fetch - fetches_.data());
}

std::uint32_t Fetches::name_of(const Fetch& fetch) const {
  return std::uint32_t{number_of(fetch)} | site_.context.value << 12 |
         std::uint32_t{fetch.generation} << 16;
}

Fetches::Fetch* Fetches::find(std::uint32_t name) {
  const std::uint32_t number = name & (kMostFetches - 1);
  if (number >= fetches_.size() || context_of(name) != site_.context) return nullptr;
  Fetch& fetch = fetches_[number];
  return fetch.in_use && fetch.generation == name >> 16 ? &fetch : nullptr;
}

bool Fetches::has_get_from(std::optional<Task> task) const {
  const auto is_get = [&](const Order& order) {
    return !order.of_message && (!task || order.from.task == *task);
  };
  return std::any_of(fetches_.begin(), fetches_.end(),
                     [&](const Fetch& fetch) { return fetch.in_use && is_get(fetch.order); }) ||
         std::any_of(waiting_.begin(), waiting_.end(), is_get);
}

// --- what is posted ---

Fetches::Counter& Fetches::counter_of(const Fetch& fetch) {
  const auto [at, is_new] = counters_.try_emplace(fetch.counter);
  Counter& counter = at->second;
  if (is_new) {
    counter.component =
        poller_.add({.name = "byte counter " + std::to_string(fetch.counter),
                     .kind = ComponentKind::kByteCounter,
                     .poll = [this, number = fetch.counter] { return poll_counter(number); },
                     .remaining = [&counter] { return std::optional<Bytes>(counter.remaining); }});
  }
  return counter;
}

void Fetches::expect_bytes(const Fetch& fetch) {
  site_.device.write64(page::byte_counter(site_.client.value, fetch.counter), fetch.order.bytes);
  Counter& counter = counter_of(fetch);
  counter.remaining = fetch.order.bytes;
  poller_.expect(counter.component);
}

PollResult Fetches::poll_counter(std::uint32_t counter) {
  namespace field = page::byte_counter_field;
  const std::uint64_t value = site_.device.read64(page::byte_counter(site_.client.value, counter));
  if (value == ~std::uint64_t{0}) return PollResult::kGone;
  counters_.at(counter).remaining = extract(value, field::remaining);
  const bool is_done =
      extract(value, field::hit_zero) != 0 && extract(value, field::underflow) == 0;
  return is_done ? PollResult::kActivity : PollResult::kNothing;
}

// The word is proof that the counter is worth a poll.
bool Fetches::all_bytes_are_here(const Fetch& fetch) {
  const auto status = poller_.poll_now(counter_of(fetch).component);
  return status && status.value() == PollStatus::kActive;
}

// True if some bytes came since the counter was polled last, or cannot all have come by now.
bool Fetches::is_flowing(const Fetch& fetch) {
  const Counter& counter = counter_of(fetch);
  const Bytes before = counter.remaining;
  const auto status = poller_.request(counter.component);
  if (!status) return false;
  if (status.value() == PollStatus::kNotPolled) return true;
  return status.value() == PollStatus::kIdle && counter.remaining < before;
}

// The counter expects the bytes before their sender can know of it.
void Fetches::clear_to_send(const Fetch& fetch) {
  const Order& order = fetch.order;
  sends_.clear_to_send(order.from, order.sender_request,
                       {.region = static_cast<std::uint8_t>(order.target.region.value),
                        .counter = static_cast<std::uint8_t>(fetch.counter),
                        .fetch = number_of(fetch),
                        .offset = order.target.offset,
                        .length = order.bytes});
}

// What the other node's MU shall run on our behalf.
void Fetches::write_descriptors(const Fetch& fetch) {
  const Order& order = fetch.order;
  PacketHeader back = header_to(site_.plan, {site_.device.node(), site_.client});
  back.set<h::target>(order.target.region.value).set<h::offset>(order.target.offset);
  Descriptor put;
  put.set<d::opcode>(Opcode::kPut)
      .set<d::source_region>(order.source.region.value)
      .set<d::source_offset>(order.source.offset)
      .set<d::length>(order.bytes)
      .set<d::counter_valid>(1)
      .set<d::counter>(fetch.counter)
      .set<d::sequence_number>(name_of(fetch))
      .set<d::header>(back);
  outbox_.write(fetch.descriptors + kPutAt, put);
  outbox_.write(fetch.descriptors + kWordAt, word_that_it_is_over(fetch, false));
  outbox_.write(fetch.descriptors + kAnswerAt, word_that_it_is_over(fetch, true));
}

Descriptor Fetches::word_that_it_is_over(const Fetch& fetch, bool is_answer) const {
  const wire::OffsetField field{.length = is_answer ? 1U : 0U, .type = wire::Type::kFetched};
  PacketHeader header = header_to(site_.plan, {site_.device.node(), site_.client});
  header.set<h::target>(site_.plan.message_fifo(site_.client, site_.context).value)
      .set<h::word>(name_of(fetch))
      .set<h::offset>(field.pack());
  Descriptor word;
  word.set<d::opcode>(Opcode::kFifo)
      .set<d::immediate_valid>(1)
      .set<d::length>(1)
      .set<d::sequence_number>(name_of(fetch))
      .set<d::header>(header);
  return word;
}

void Fetches::post_get(Fetch& fetch) {
  fetch.posted = false;
  if (!outbox_.claim_room()) return;
  const Endpoint from = fetch.order.from;
  const Place place = site_.plan.place(from.task);
  PacketHeader header = header_to(site_.plan, place);
  header.set<h::target>(site_.plan.get_queue(place.client, from.context).value);
  Descriptor get;
  get.set<d::opcode>(Opcode::kGet)
      .set<d::length>((fetch.asking ? 1 : 2) * Bytes{Descriptor::kBytes})
      .set<d::sequence_number>(name_of(fetch))
      .set<d::header>(header);
  outbox_.set_source(get, fetch.descriptors + (fetch.asking ? kAnswerAt : kPutAt));
  fetch.index = outbox_.post(get);
  fetch.posted = true;
  fetch.ask_at = site_.device.now() + fetch.ask_wait;
  agenda_.arm(fetch.ask_at);
  agenda_.note_progress();
}

// --- what becomes of it ---

void Fetches::take_fetched(std::uint32_t name, bool is_answer) {
  Fetch* fetch = find(name);
  if (fetch == nullptr) {
    ++site_.counts.stale_notices;
    return;
  }
  if (all_bytes_are_here(*fetch)) {
    end(*fetch, {});
    return;
  }
  // While a query is out, the word of the get itself comes before the answer.
  if (fetch->asking && !is_answer) return;
  // Data that links lose now and then comes in the end; memory here that fails takes none of it.
  if (fetch->repeats == kMostRepeats) {
    end(*fetch, Errc::kDataLost);
    return;
  }
  ++fetch->repeats;
  ++site_.counts.gets_repeated;
  fetch->asking = false;
  expect_bytes(*fetch);
  post_get(*fetch);
}

// It came behind the data. What has not come by now never will, and the sender's buffer may hold
// something else already.
void Fetches::take_sent(Endpoint from, std::uint32_t fetch) {
  Fetch* const found = fetch < fetches_.size() ? &fetches_[fetch] : nullptr;
  if (found == nullptr || !found->in_use || !found->order.by_sender || found->order.from != from) {
    ++site_.counts.odd_packets;
    return;
  }
  end(*found, all_bytes_are_here(*found) ? std::error_code() : Errc::kDataLost);
}

void Fetches::take_failure(std::uint32_t name, Status status) {
  if (Fetch* fetch = find(name)) end(*fetch, wire::error_of(status));
}

void Fetches::take_notice(std::uint32_t name, std::uint32_t index, Status status) {
  Fetch* fetch = find(name);
  if (fetch == nullptr || !fetch->posted || fetch->index != index) {
    ++site_.counts.stale_notices;
    return;
  }
  // A queue that is full, or of a node that has not been set up yet: later.
  if (status != Status::kQueueFull && status != Status::kQueueInvalid) {
    end(*fetch, wire::error_of(status));
    return;
  }
  ++site_.counts.refusals;
  fetch->posted = false;
  fetch->retry_at = site_.device.now() + fetch->backoff;
  fetch->backoff = std::min(2 * fetch->backoff, site_.options.retry_most);
  agenda_.arm(fetch->retry_at);
}

void Fetches::ask_now() {
  const Cycles now = site_.device.now();
  for (Fetch& fetch : fetches_) {
    if (fetch.in_use && fetch.posted) fetch.ask_at = now;
  }
  agenda_.arm(now);
}

void Fetches::run_timers() {
  const Cycles now = site_.device.now();
  for (Fetch& fetch : fetches_) {
    if (!fetch.in_use || fetch.order.by_sender) continue;
    if (!fetch.posted) {
      if (fetch.retry_at <= now) {
        post_get(fetch);
      } else {
        agenda_.arm(fetch.retry_at);
      }
    } else if (fetch.ask_at <= now && !fetch.asking && is_flowing(fetch)) {
      fetch.ask_at = now + fetch.ask_wait;
      agenda_.arm(fetch.ask_at);
    } else if (fetch.ask_at <= now) {
      fetch.asking = true;
      fetch.ask_wait = std::min(2 * fetch.ask_wait, site_.options.probe_most);
      ++site_.counts.probes_sent;
      post_get(fetch);
    } else {
      agenda_.arm(fetch.ask_at);
    }
  }
}

void Fetches::end(Fetch& fetch, std::error_code error) {
  free_counters_.push_back(fetch.counter);
  if (!fetch.order.by_sender) outbox_.give_buffer(fetch.descriptors, kDescriptorBytes);
  fetch.in_use = false;
  fetch.generation = static_cast<std::uint16_t>(std::max(1, (fetch.generation + 1) & 0xFFFF));
  const Order ended = fetch.order;
  if (ended.of_message) {
    if (error || !ended.by_sender) confirm(ended, error);
    if (!error) ++site_.counts.received;
  }
  requests_.complete(ended.request, error);
  while (!waiting_.empty() && try_start(waiting_.front())) waiting_.pop_front();
  sends_.admit_waiting();
}

// Tells the sender of a message that its buffer is its own again.
void Fetches::confirm(const Order& order, std::error_code error) {
  const wire::Said said = !error                     ? wire::Said::kFetched
                          : error == Errc::kDataLost ? wire::Said::kDataLost
                                                     : wire::Said::kRefused;
  sends_.confirm(order.from, order.sender_request, said);
}

}  // namespace torusmu
