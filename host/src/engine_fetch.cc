// SPDX-License-Identifier: Apache-2.0
// Gets, and messages that were requested to be sent: what is fetched by a get that makes the other
// node's MU put.
//
// A get carries two descriptors: a put of the data that counts down a byte counter here, and a
// memory-FIFO packet that says that the put is through. Both run in one queue and take one route,
// so the word comes after the data; the counter then shows whether all of it came. If nothing is
// heard for long, a query (the word alone, marked as an answer) goes the same way: once it is
// answered, whatever has not come will never come, and the get is repeated, 16 times at most.
#include <algorithm>
#include <array>

#include "host/src/engine.h"

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

Result<Request> Engine::get(Address to, const RemoteMemory& from, Bytes bytes) {
  if (from.task.value >= plan_.tasks() || bytes == 0 || !fits(d::length, bytes) ||
      !fits(d::source_offset, from.offset) || from.region.value >= plan_.sizes().regions) {
    return Errc::kBadArgument;
  }
  const auto where = regions_.locate(to, bytes);
  if (!where) return where.error();
  if (requests_.is_full()) return Requests::full();
  const std::uint32_t number = requests_.add(Use::kFetch);
  requests_.completion(number).source = from.task;
  requests_.completion(number).length = bytes;
  Fetch fetch;
  fetch.purpose = Purpose::kGet;
  fetch.request = number;
  fetch.from = mate(from.task);
  fetch.remote_region = from.region;
  fetch.remote_offset = from.offset;
  fetch.region = where.value().region;
  fetch.offset = where.value().offset;
  fetch.bytes = bytes;
  start_fetch(fetch);
  outbox_.ring();
  return requests_.name(number);
}

void Engine::start_fetch(const Fetch& fetch) {
  if (fetch.purpose == Purpose::kMessage && fetch.bytes == 0) {
    // Nothing of the message is wanted.
    confirm_message(fetch, {});
    requests_.complete(fetch.request);
    return;
  }
  if (!waiting_fetches_.empty() || !try_start(fetch)) waiting_fetches_.push_back(fetch);
}

void Engine::start_waiting_fetches() {
  while (!waiting_fetches_.empty() && try_start(waiting_fetches_.front())) {
    waiting_fetches_.pop_front();
  }
}

bool Engine::try_start(const Fetch& wanted) {
  if (free_counters_.empty()) return false;
  auto free =
      std::find_if(fetches_.begin(), fetches_.end(), [](const Fetch& f) { return !f.in_use; });
  if (free == fetches_.end() && fetches_.size() == kMostFetches) return false;
  const auto descriptors = outbox_.take_buffer(kDescriptorBytes);
  if (!descriptors) return false;
  if (free == fetches_.end()) free = fetches_.insert(fetches_.end(), Fetch{});
  const std::uint16_t generation = free->generation;
  *free = wanted;
  free->generation = generation;
  free->in_use = true;
  free->descriptors = *descriptors;
  free->backoff = options_.retry_least;
  free->ask_wait = options_.probe_after;
  free->counter = free_counters_.back();
  free_counters_.pop_back();
  expect_bytes(*free);
  write_descriptors(*free);
  post_get(*free);
  return true;
}

std::uint32_t Engine::name_of(const Fetch& fetch) const {
  const auto number = static_cast<std::uint32_t>(&fetch - fetches_.data());
  return number | context_.value << 12 | std::uint32_t{fetch.generation} << 16;
}

Engine::Fetch* Engine::find_fetch(std::uint32_t name) {
  const std::uint32_t number = name & (kMostFetches - 1);
  if (number >= fetches_.size() || context_of_fetch(name) != context_) return nullptr;
  Fetch& fetch = fetches_[number];
  return fetch.in_use && fetch.generation == name >> 16 ? &fetch : nullptr;
}

void Engine::expect_bytes(const Fetch& fetch) {
  device_.write64(page::byte_counter(client_.value, fetch.counter), fetch.bytes);
}

bool Engine::all_bytes_are_here(const Fetch& fetch) {
  namespace field = page::byte_counter_field;
  const std::uint64_t value = device_.read64(page::byte_counter(client_.value, fetch.counter));
  return extract(value, field::hit_zero) != 0 && extract(value, field::underflow) == 0;
}

// What the other node's MU shall run on our behalf.
void Engine::write_descriptors(const Fetch& fetch) {
  const PacketHeader back = header_to(plan_, {device_.node(), client_});
  const std::uint32_t name = name_of(fetch);
  PacketHeader to = back;
  to.set<h::target>(fetch.region.value).set<h::offset>(fetch.offset);
  Descriptor put;
  put.set<d::opcode>(Opcode::kPut)
      .set<d::source_region>(fetch.remote_region.value)
      .set<d::source_offset>(fetch.remote_offset)
      .set<d::length>(fetch.bytes)
      .set<d::counter_valid>(1)
      .set<d::counter>(fetch.counter)
      .set<d::sequence_number>(name)
      .set<d::header>(to);
  outbox_.write(fetch.descriptors + kPutAt, put);
  for (const bool answer : {false, true}) {
    PacketHeader header = back;
    header.set<h::target>(plan_.message_fifo(client_, context_).value)
        .set<h::word>(name)
        .set<h::offset>(
            wire::OffsetField{.length = answer ? 1U : 0U, .type = wire::Type::kFetched}.pack());
    Descriptor word;
    word.set<d::opcode>(Opcode::kFifo)
        .set<d::immediate_valid>(1)
        .set<d::length>(1)
        .set<d::sequence_number>(name)
        .set<d::header>(header);
    outbox_.write(fetch.descriptors + (answer ? kAnswerAt : kWordAt), word);
  }
}

void Engine::post_get(Fetch& fetch) {
  fetch.posted = false;
  if (!outbox_.claim_room()) return;
  const Bytes first = fetch.asking ? kAnswerAt : kPutAt;
  const Bytes length = fetch.asking ? Bytes{Descriptor::kBytes} : 2 * Bytes{Descriptor::kBytes};
  const Place place = plan_.place(fetch.from.task);
  PacketHeader header = header_to(plan_, place);
  header.set<h::target>(plan_.get_queue(place.client, fetch.from.context).value);
  Descriptor get;
  get.set<d::opcode>(Opcode::kGet)
      .set<d::length>(length)
      .set<d::sequence_number>(name_of(fetch))
      .set<d::header>(header);
  outbox_.set_source(get, fetch.descriptors + first);
  fetch.index = outbox_.post(get);
  fetch.posted = true;
  fetch.ask_at = device_.now() + fetch.ask_wait;
  agenda_.arm(fetch.ask_at);
  agenda_.note_progress();
}

// The word that the put of a get is through, or the answer to a query.
void Engine::take_fetched(std::uint32_t name, bool is_answer) {
  Fetch* fetch = find_fetch(name);
  if (fetch == nullptr) {
    ++counts_.stale_notices;
    return;
  }
  if (all_bytes_are_here(*fetch)) {
    end_fetch(*fetch, {});
    return;
  }
  // While a query is out, the word of the get itself comes before the answer.
  if (fetch->asking && !is_answer) return;
  // Data that links lose now and then comes in the end; memory here that fails takes none of it.
  if (fetch->repeats == kMostRepeats) {
    end_fetch(*fetch, Errc::kDataLost);
    return;
  }
  ++fetch->repeats;
  ++counts_.gets_repeated;
  fetch->asking = false;
  expect_bytes(*fetch);
  post_get(*fetch);
}

void Engine::take_fetch_failure(std::uint32_t name, Status status) {
  if (Fetch* fetch = find_fetch(name)) end_fetch(*fetch, wire::error_of(status));
}

void Engine::take_get_notice(std::uint32_t name, std::uint32_t index, Status status) {
  Fetch* fetch = find_fetch(name);
  if (fetch == nullptr || !fetch->posted || fetch->index != index) {
    ++counts_.stale_notices;
    return;
  }
  // A queue that is full, or of a node that has not been set up yet: later.
  if (status != Status::kQueueFull && status != Status::kQueueInvalid) {
    end_fetch(*fetch, wire::error_of(status));
    return;
  }
  ++counts_.refusals;
  fetch->posted = false;
  fetch->retry_at = device_.now() + fetch->backoff;
  fetch->backoff = std::min(2 * fetch->backoff, options_.retry_most);
  agenda_.arm(fetch->retry_at);
}

void Engine::run_fetch_timers() {
  const Cycles now = device_.now();
  for (Fetch& fetch : fetches_) {
    if (!fetch.in_use) continue;
    if (!fetch.posted) {
      if (fetch.retry_at <= now) {
        post_get(fetch);
      } else {
        agenda_.arm(fetch.retry_at);
      }
    } else if (fetch.ask_at <= now) {
      fetch.asking = true;
      fetch.ask_wait = std::min(2 * fetch.ask_wait, options_.probe_most);
      ++counts_.probes_sent;
      post_get(fetch);
    } else {
      agenda_.arm(fetch.ask_at);
    }
  }
}

void Engine::end_fetch(Fetch& fetch, std::error_code error) {
  free_counters_.push_back(fetch.counter);
  outbox_.give_buffer(fetch.descriptors, kDescriptorBytes);
  fetch.in_use = false;
  fetch.generation = static_cast<std::uint16_t>(std::max(1, (fetch.generation + 1) & 0xFFFF));
  const Fetch ended = fetch;
  if (ended.purpose == Purpose::kMessage) {
    confirm_message(ended, error);
    if (!error) ++counts_.received;
  }
  requests_.complete(ended.request, error);
  start_waiting_fetches();
  sends_.admit_waiting();
}

// Tells the sender of a requested message that its buffer is its own again.
void Engine::confirm_message(const Fetch& fetch, std::error_code error) {
  const wire::Said said = !error                     ? wire::Said::kFetched
                          : error == Errc::kDataLost ? wire::Said::kDataLost
                                                     : wire::Said::kRefused;
  sends_.confirm(fetch.from, fetch.sender_request, said);
}

}  // namespace torusmu
