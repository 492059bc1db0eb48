// SPDX-License-Identifier: Apache-2.0
#include "host/src/engine.h"

#include <utility>

#include "host/src/boot_copy.h"

namespace torusmu {
namespace {

PollResult poll_injected(Engine& engine) {
  const bool is_put = engine.puts.poll_injected();
  const bool is_round = engine.fences.poll_round();
  return is_put || is_round ? PollResult::kActivity : PollResult::kNothing;
}

// Nobody knows when the FENCEs of a round are answered.
std::optional<Bytes> bytes_to_inject(const Engine& engine) {
  return engine.fences.is_round_open() ? std::nullopt : engine.puts.bytes_to_inject();
}

PollResult poll_room(Engine& engine) {
  return engine.outbox.has_room(1) ? PollResult::kActivity : PollResult::kNothing;
}

// Who polls what, in the order of Source.
void add_sources(Engine& engine) {
  PolledSources& polled = engine.polled;
  polled.add(Source::kMessages, {.name = "messages",
                                 .kind = ComponentKind::kReceptionFifo,
                                 .poll = [&engine] { return engine.inbox.poll(); }});
  polled.add(Source::kNotices, {.name = "notices",
                                .kind = ComponentKind::kNoticeRing,
                                .poll = [&engine] { return engine.notices.poll(); }});
  polled.add(Source::kReplies, {.name = "replies",
                                .kind = ComponentKind::kReceptionFifo,
                                .poll = [&engine] { return engine.puts.poll_replies(); }});
  polled.add(Source::kMailboxes, {.name = "mailboxes",
                                  .kind = ComponentKind::kMemory,
                                  .poll = [&engine] { return engine.puts.poll_mailboxes(); }});
  polled.add(Source::kInjected, {.name = "injected",
                                 .kind = ComponentKind::kInjectionFifo,
                                 .poll = [&engine] { return poll_injected(engine); },
                                 .remaining = [&engine] { return bytes_to_inject(engine); }});
  polled.add(Source::kRoom, {.name = "room",
                             .kind = ComponentKind::kInjectionFifo,
                             .poll = [&engine] { return poll_room(engine); },
                             .longest_gap = Progress::kStarvedRetry});
  polled.add(Source::kTail, {.name = "tail",
                             .kind = ComponentKind::kReceptionFifo,
                             .poll = [&engine] { return engine.inbox.poll_tail(); }});
  polled.add(Source::kDmaEngine, {.name = "DMA engine",
                                  .kind = ComponentKind::kDmaEngine,
                                  .poll = [&engine] { return engine.line.clear(); },
                                  .line = [&engine] { return engine.line.is_high(); }});
  if (engine.copies.is_on()) {
    polled.add(Source::kStores, {.name = "stores",
                                 .kind = ComponentKind::kCompletionQueue,
                                 .poll = [&engine] { return engine.matcher.poll_copies(); },
                                 .interrupts = true});
  }
  polled.poller().watch_line([&engine] { return engine.line.sample(); });
}

// One load, of a line that only stores of other cores change: in every advance(), for a history
// would cost half as much to ask.
bool use_segment(Engine& engine) {
  const bool has_taken = engine.active_order.poll();
  if (has_taken) engine.active.dispatch();
  if (!engine.sends.waits_for_segment()) return has_taken;
  const bool has_stored = engine.sends.use_segment_room();
  engine.fences.use_segment_room();
  return has_taken || has_stored;
}

}  // namespace

Engine::Engine(Device& device, const NodePlan& plan, std::shared_ptr<ClientShare> client_share,
               ClientId client, ContextId context, const ContextOptions& options)
    : site{.device = device,
           .plan = plan,
           .client = client,
           .context = context,
           .task = plan.task({device.node(), client}),
           .options = within_range(options),
           .counts = counts},
      share(std::move(client_share)),
      heap(plan.heap(client, context)),
      regions(plan, client),
      liveness(device, client),
      outbox(site, liveness),
      pushes(site, liveness, *share),
      polled(device, site.options.polling),
      requests(site, agenda, polled),
      copies(site, agenda, outbox, polled, regions),
      channels(site, outbox, agenda),
      segment(site, outbox, channels),
      sends(site, agenda, outbox, requests, regions, channels, segment),
      fetches(site, agenda, outbox, requests, polled.poller(), regions, sends),
      fences(site, agenda, outbox, requests, polled, channels, sends, fetches, segment,
             [this] { notices.read_all(); }),
      puts(site, agenda, liveness, outbox, requests, polled, regions, channels, sends, fences),
      matcher(site, outbox, requests, copies, regions, fetches),
      active(site, agenda, requests, regions, sends, matcher),
      active_order(site, segment, active),
      arrivals(sends, fetches, puts, matcher, active_order),
      inbox(site, agenda, liveness, channels, sends, fetches, fences, arrivals),
      notices(site, agenda, liveness, *share, channels, fetches, fences, puts),
      neighbours(site, agenda, outbox, *share, notices),
      line(site, liveness, polled, *share),
      progress(site, agenda, liveness, outbox, polled, neighbours, active,
               {&channels, &fetches, &puts, &neighbours, &fences, &copies}),
      waiting(site, agenda, outbox, polled, *share, inbox, notices, line, progress, sends,
              segment) {
  // What came before the process was there lies in the FIFO by now, or is copied now.
  if (plan.process_copies(client)) {
    if (const auto kept = copy_boot_buffer(site, outbox)) inbox.take_kept(*kept);
  } else if (plan.has_boot_buffer(client)) {
    (void)inbox.poll_tail();
  }
  add_sources(*this);
  if (segment.exists()) progress.add([this] { return use_segment(*this); });
}

}  // namespace torusmu
