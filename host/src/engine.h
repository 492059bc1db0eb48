// SPDX-License-Identifier: Apache-2.0
// What is behind a Context: its parts, in the order in which each may call those before it. A part
// calls a later one only by an interface or a function that it was given here; docs/host_library.md
// (Inside a context) says which do. Context has the parts do what the program asks for: an Engine
// has no behaviour of its own.
#ifndef TORUSMU_HOST_SRC_ENGINE_H_
#define TORUSMU_HOST_SRC_ENGINE_H_

#include <memory>

#include "host/src/active_messages.h"
#include "host/src/active_order.h"
#include "host/src/agenda.h"
#include "host/src/arrivals.h"
#include "host/src/buffer_pool.h"
#include "host/src/channel.h"
#include "host/src/client_share.h"
#include "host/src/fences.h"
#include "host/src/fetches.h"
#include "host/src/inbox.h"
#include "host/src/interrupt_line.h"
#include "host/src/liveness.h"
#include "host/src/matcher.h"
#include "host/src/neighbours.h"
#include "host/src/notices.h"
#include "host/src/outbox.h"
#include "host/src/polled_sources.h"
#include "host/src/progress.h"
#include "host/src/push_window.h"
#include "host/src/puts.h"
#include "host/src/regions.h"
#include "host/src/requests.h"
#include "host/src/ring_copies.h"
#include "host/src/segment.h"
#include "host/src/sends.h"
#include "host/src/site.h"
#include "host/src/waiting.h"

namespace torusmu {

class Engine {
 public:
  // `client_share` is that of the client, and `context` has joined it.
  Engine(Device& device, const NodePlan& plan, std::shared_ptr<ClientShare> client_share,
         ClientId client, ContextId context, const ContextOptions& options);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // What all others use.
  ContextCounts counts;
  const Site site;
  const std::shared_ptr<ClientShare> share;
  BufferPool heap;
  Regions regions;
  Agenda agenda;
  Liveness liveness;
  Outbox outbox;
  PushWindow pushes;
  PolledSources polled;
  Requests requests;
  RingCopies copies;

  // What the program asks for.
  Channels channels;
  Segment segment;
  Sends sends;
  Fetches fetches;
  Fences fences;
  Puts puts;
  Matcher matcher;
  ActiveMessages active;

  // What comes.
  ActiveOrder active_order;
  Arrivals arrivals;
  Inbox inbox;
  Notices notices;

  // When.
  Neighbours neighbours;
  InterruptLine line;
  Progress progress;
  Waiting waiting;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_ENGINE_H_
