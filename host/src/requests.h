// SPDX-License-Identifier: Apache-2.0
// The operations of a context that are under way, or complete and not yet asked for.
//
// A request has a number, under which the parts of the library know it, and a name, under which the
// program does: bits 15..0 its number, 31..16 how often the number has been used. No name is 0.
#ifndef TORUSMU_HOST_SRC_REQUESTS_H_
#define TORUSMU_HOST_SRC_REQUESTS_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "host/src/agenda.h"
#include "host/src/polled_sources.h"
#include "host/src/site.h"

namespace torusmu {

// What a request is of.
enum class Use { kFree, kSend, kReceive, kActive, kPut, kFetch, kFence };

class Requests {
 public:
  Requests(const Site& site, Agenda& agenda, PolledSources& polled)
      : site_(site), agenda_(agenda), polled_(polled) {}

  // True if there are no more names.
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] static Result<Request> full();
  // A new one; not full. Returns its number.
  std::uint32_t add(Use use);
  [[nodiscard]] Request name(std::uint32_t number) const;
  // The number of a request; nothing if it is over or never was.
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t name) const;
  [[nodiscard]] Use use(std::uint32_t number) const { return states_[number].use; }
  [[nodiscard]] bool is_complete(std::uint32_t number) const { return states_[number].complete; }
  [[nodiscard]] const Completion& completion(std::uint32_t number) const {
    return states_[number].completion;
  }
  [[nodiscard]] Completion& completion(std::uint32_t number) { return states_[number].completion; }

  // It keeps the error that it has unless it is given one.
  void complete(std::uint32_t number, std::error_code error = {});
  // The number is free for another.
  void retire(std::uint32_t number);
  // True once the request is complete or over; of one that is complete it is over then.
  bool test(Request request, Completion* completion);
  // Of active messages: the program has no name for them. The oldest that is complete, each once.
  std::optional<std::uint32_t> take_ended_active();

 private:
  struct State {
    Use use = Use::kFree;
    std::uint16_t generation = 1;
    bool complete = false;
    Completion completion;
  };

  const Site& site_;
  Agenda& agenda_;
  PolledSources& polled_;
  std::vector<State> states_;
  std::vector<std::uint32_t> free_;
  std::deque<std::uint32_t> ended_active_;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_REQUESTS_H_
