// SPDX-License-Identifier: Apache-2.0
// What is behind a Context. One class in nine files: engine.cc (requests, progress), engine_wait.cc
// (polling, rest, sleep), engine_peer.cc (numbered messages: windows, acknowledgements, sending
// again), engine_message.cc (send and receive, matching), engine_active.cc (active messages),
// engine_notice.cc (notices), engine_fetch.cc (gets, requested messages), engine_fence.cc (fences),
// engine_put.cc (puts and reflections).
//
// Numbered messages. Messages from one endpoint to another are numbered. The sender keeps each
// until the receiver's cumulative acknowledgement covers it. The receiver takes packets in order
// only: what comes early is dropped, what has come before is dropped and acknowledged again. A
// notice about a refused packet, or a probe's answer, makes the sender go back to that message and
// send from there.
#ifndef TORUSMU_HOST_SRC_ENGINE_H_
#define TORUSMU_HOST_SRC_ENGINE_H_

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "host/src/active_messages.h"
#include "host/src/agenda.h"
#include "host/src/arrivals.h"
#include "host/src/buffer_pool.h"
#include "host/src/channel.h"
#include "host/src/client_share.h"
#include "host/src/fences.h"
#include "host/src/fetches.h"
#include "host/src/inbox.h"
#include "host/src/incoming.h"
#include "host/src/liveness.h"
#include "host/src/matcher.h"
#include "host/src/notices.h"
#include "host/src/outbox.h"
#include "host/src/packet_ring.h"
#include "host/src/polled_sources.h"
#include "host/src/puts.h"
#include "host/src/regions.h"
#include "host/src/requests.h"
#include "host/src/sends.h"
#include "host/src/site.h"
#include "host/src/wire.h"
#include "torusmu/context.h"

namespace torusmu {

class Engine {
 public:
  // `share` is that of the client, and `context` has joined it.
  Engine(Device& device, const NodePlan& plan, std::shared_ptr<ClientShare> share, ClientId client,
         ContextId context, const ContextOptions& options);

  // engine.cc, engine_wait.cc
  std::error_code advance();
  Result<Completion> wait(Request request, Cycles deadline);
  std::error_code advance_until(const std::function<bool()>& done, Cycles deadline);
  std::error_code flush(Cycles deadline);
  std::error_code linger(Cycles cycles);
  std::error_code post_work(ContextId to, std::function<void()> work);
  std::uint32_t add_progress(std::function<bool()> progress);
  void remove_progress(std::uint32_t name) { progress_.erase(name); }

  // engine_message.cc
  // engine_active.cc

  // engine_put.cc, engine_fetch.cc, engine_fence.cc
  [[nodiscard]] std::error_code look(Request request) const;

  ContextCounts counts_;
  const Site site_;
  Device& device_ = site_.device;
  const NodePlan& plan_ = site_.plan;
  const ClientId client_ = site_.client;
  const ContextId context_ = site_.context;
  const ContextOptions& options_ = site_.options;
  Regions regions_;
  Agenda agenda_;
  Liveness liveness_;
  const std::shared_ptr<ClientShare> share_;
  BufferPool heap_;
  Outbox outbox_;
  Channels channels_;
  PolledSources polled_;
  Requests requests_;
  Sends sends_;
  Fetches fetches_;
  Fences fences_;
  Matcher matcher_;
  Puts puts_;
  ActiveMessages active_;
  Arrivals arrivals_;
  Inbox inbox_;
  Notices notices_;

 private:
  static constexpr Cycles kStarvedRetry = 500;

  void empty_inbox();
  PollResult poll_injected();

  // --- progress ---
  void run_timers();
  void add_components();
  PollResult clear_causes();
  PollResult poll_room();
  // Nothing has been polled: time passes until a poll may be made. Returns its worth in looks.
  std::uint32_t rest(Cycles deadline);
  [[nodiscard]] bool may_sleep(std::uint32_t looks) const;
  void fall_asleep(Cycles deadline);
  // Clears the causes and looks at everything; true if nothing holds the core awake.
  bool settle();
  // Makes sure that what comes from now on raises the line; false if that cannot be now.
  bool quiet_line();
  void wake_others();  // by an interrupt, if any sleeps

  bool has_turn_to_sleep_ = false;
  bool owes_wake_up_ = false;  // work was posted for a context that sleeps, but no NOP yet
  bool look_at_all_ = false;   // in the next advance(), whatever the histories say
  std::map<std::uint32_t, std::function<bool()>> progress_;  // what else advance() looks after
  std::uint32_t next_progress_ = 0;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_ENGINE_H_
