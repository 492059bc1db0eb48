// SPDX-License-Identifier: Apache-2.0
// Gets, and messages that were announced: what is fetched by a get that makes the other node's MU
// put. A message whose sender wants to put it itself is not fetched: the sender is told where to,
// and says behind its data that it has been sent; the counter shows whether all of it came.
//
// A get carries two descriptors: a put of the data that counts down a byte counter here, and a
// memory-FIFO packet that says that the put is through. Both run in one queue and take one route,
// so the word comes after the data; the counter then shows whether all of it came. If no word comes
// for long and the counter stands still, a query (the word alone, marked as an answer) goes the
// same way: once it is answered, whatever has not come will never come, and the get is repeated, 16
// times at most. The counters are components of the poller, and all of their reads are its polls.
#ifndef TORUSMU_HOST_SRC_FETCHES_H_
#define TORUSMU_HOST_SRC_FETCHES_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "host/src/agenda.h"
#include "host/src/incoming.h"
#include "host/src/outbox.h"
#include "host/src/regions.h"
#include "host/src/requests.h"
#include "host/src/sends.h"
#include "host/src/served.h"
#include "host/src/site.h"
#include "torusmu/polling.h"

namespace torusmu {

class Fetches final : public Served {
 public:
  Fetches(const Site& site, Agenda& agenda, Outbox& outbox, Requests& requests, Poller& poller,
          const Regions& regions, Sends& sends);

  Result<Request> get(Address to, const RemoteMemory& from, Bytes bytes);
  // Fetches what an announced message has, as far as the buffer reaches, or tells its sender to put
  // it. Then the request is complete, and the sender of what was fetched is told.
  void fetch(const Incoming& message, std::uint32_t request, Range buffer);

  // The word that the put of a get is through, or the answer to a query.
  void take_fetched(std::uint32_t name, bool is_answer);
  // The sender has put the message of that fetch, by number.
  void take_sent(Endpoint from, std::uint32_t fetch);
  // The MU there could not do what a get carries.
  void take_failure(std::uint32_t name, Status status);
  // The get itself was refused.
  void take_notice(std::uint32_t name, std::uint32_t index, Status status);
  void use_room() override { run_timers(); }
  void run_timers() override;
  // Asks what has become of all of them, with the next timers.
  void ask_now();

  // True if a get from the task, or from any, is under way.
  [[nodiscard]] bool has_get_from(std::optional<Task> task) const;
  // Of a fetch: bits 11..0 of its name are its number, 15..12 the context, 31..16 its generation.
  [[nodiscard]] static ContextId context_of(std::uint32_t name) { return {name >> 12 & 0xF}; }

 private:
  struct Order {
    bool of_message = false;
    bool by_sender = false;  // of_message: it puts the data
    std::uint32_t request = 0;
    Endpoint from{};
    std::uint32_t sender_request = 0;  // of_message
    InRegion source{};
    InRegion target{};
    Bytes bytes = 0;
  };
  struct Fetch {
    bool in_use = false;
    std::uint16_t generation = 1;
    Order order{};
    std::uint32_t counter = 0;
    Address descriptors = 0;  // put, word that it is over, the same as answer to a query
    std::uint32_t index = 0;  // descriptor of the last get
    bool posted = false;
    bool asking = false;  // the last get was a query that carries no data
    Cycles retry_at = 0;
    Cycles backoff = 0;
    Cycles ask_at = kNever;
    Cycles ask_wait = 0;
    unsigned repeats = 0;  // of the get, since not all of its data came
  };
  void start(const Order& order);
  bool try_start(const Order& order);
  [[nodiscard]] std::uint16_t number_of(const Fetch& fetch) const;
  void clear_to_send(const Fetch& fetch);
  void write_descriptors(const Fetch& fetch);
  [[nodiscard]] Descriptor word_that_it_is_over(const Fetch& fetch, bool is_answer) const;
  // A byte counter of ours, as the last poll has found it.
  struct Counter {
    ComponentId component{};
    Bytes remaining = 0;
  };
  Counter& counter_of(const Fetch& fetch);
  void expect_bytes(const Fetch& fetch);
  PollResult poll_counter(std::uint32_t counter);
  [[nodiscard]] bool all_bytes_are_here(const Fetch& fetch);
  [[nodiscard]] bool is_flowing(const Fetch& fetch);
  void post_get(Fetch& fetch);
  void end(Fetch& fetch, std::error_code error);
  void confirm(const Order& order, std::error_code error);
  [[nodiscard]] std::uint32_t name_of(const Fetch& fetch) const;
  Fetch* find(std::uint32_t name);

  const Site& site_;
  Agenda& agenda_;
  Outbox& outbox_;
  Requests& requests_;
  Poller& poller_;
  const Regions& regions_;
  Sends& sends_;
  std::map<std::uint32_t, Counter> counters_;  // that have been used
  std::vector<Fetch> fetches_;
  std::deque<Order> waiting_;
  std::vector<std::uint32_t> free_counters_;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_FETCHES_H_
