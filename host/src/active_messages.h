// SPDX-License-Identifier: Apache-2.0
// Active messages: a message that runs a function at its target. They are numbered messages whose
// tag names the function; once one has arrived whole it waits for advance() to run it, so that the
// function may send, put and get, but finds no packet half read.
#ifndef TORUSMU_HOST_SRC_ACTIVE_MESSAGES_H_
#define TORUSMU_HOST_SRC_ACTIVE_MESSAGES_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "host/src/agenda.h"
#include "host/src/incoming.h"
#include "host/src/matcher.h"
#include "host/src/regions.h"
#include "host/src/requests.h"
#include "host/src/sends.h"
#include "host/src/site.h"

namespace torusmu {

class ActiveMessages {
 public:
  using MessagePointer = std::shared_ptr<Incoming>;

  ActiveMessages(const Site& site, Agenda& agenda, Requests& requests, const Regions& regions,
                 Sends& sends, Matcher& matcher)
      : site_(site),
        agenda_(agenda),
        requests_(requests),
        regions_(regions),
        sends_(sends),
        matcher_(matcher) {}

  std::error_code register_dispatch(DispatchId id, DispatchFunction function);
  // One has arrived whole.
  void add(MessagePointer message) { arrived_.push_back(std::move(message)); }
  // Functions have still to be run.
  [[nodiscard]] bool has_arrived() const { return !arrived_.empty(); }
  // Runs the functions of those that have arrived.
  void dispatch();
  // Runs what functions have asked for, of messages whose data has been stored since.
  void finish();

 private:
  void dispatch(const MessagePointer& message);
  // Puts the data where the function wants it.
  void store(const MessagePointer& message, ActiveReceive wanted);

  const Site& site_;
  Agenda& agenda_;
  Requests& requests_;
  const Regions& regions_;
  Sends& sends_;
  Matcher& matcher_;
  std::map<std::uint32_t, std::shared_ptr<DispatchFunction>> functions_;  // by id
  std::deque<MessagePointer> arrived_;
  std::map<std::uint32_t, std::function<void(const Completion&)>> done_;  // by request
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_ACTIVE_MESSAGES_H_
