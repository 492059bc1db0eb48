// SPDX-License-Identifier: Apache-2.0
#include "host/src/engine.h"

#include <utility>

namespace torusmu {
namespace {

// Who polls what, in the order of Source.
void add_sources(Engine& engine) {
  PolledSources& polled = engine.polled;
  polled.add(Source::kMessages, "messages", ComponentKind::kReceptionFifo,
             [&engine] { return engine.inbox.poll(); });
  polled.add(Source::kNotices, "notices", ComponentKind::kNoticeRing,
             [&engine] { return engine.notices.poll(); });
  polled.add(Source::kReplies, "replies", ComponentKind::kReceptionFifo,
             [&engine] { return engine.puts.poll_replies(); });
  polled.add(Source::kMailboxes, "mailboxes", ComponentKind::kMemory,
             [&engine] { return engine.puts.poll_mailboxes(); });
  polled.add(Source::kInjected, "injected", ComponentKind::kInjectionFifo, [&engine] {
    const bool is_put = engine.puts.poll_injected();
    const bool is_round = engine.fences.poll_round();
    return is_put || is_round ? PollResult::kActivity : PollResult::kNothing;
  });
  polled.add(
      Source::kRoom, "room", ComponentKind::kInjectionFifo,
      [&engine] {
        return engine.outbox.has_room(1) ? PollResult::kActivity : PollResult::kNothing;
      },
      Progress::kStarvedRetry);
  polled.add(Source::kTail, "tail", ComponentKind::kReceptionFifo,
             [&engine] { return engine.inbox.poll_tail(); });
  polled.add(Source::kDmaEngine, "DMA engine", ComponentKind::kDmaEngine,
             [&engine] { return engine.line.clear(); });
  polled.poller().watch_line([&engine] { return engine.line.sample(); });
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
      polled(device, site.options.polling),
      requests(site, agenda, polled),
      channels(site, outbox, agenda),
      sends(site, agenda, outbox, requests, regions, channels),
      fetches(site, agenda, outbox, requests, regions, sends),
      fences(site, agenda, outbox, requests, polled, channels, sends, fetches,
             [this] { notices.read_all(); }),
      puts(site, agenda, liveness, outbox, requests, polled, regions, sends, fences),
      matcher(site, outbox, requests, regions, fetches),
      active(site, agenda, requests, regions, sends, matcher),
      arrivals(sends, matcher, active),
      inbox(site, agenda, liveness, channels, sends, fetches, fences, arrivals),
      notices(site, agenda, liveness, *share, channels, fetches, fences, puts),
      neighbours(site, agenda, outbox, *share, notices),
      line(site, liveness, polled, *share),
      progress(site, agenda, liveness, outbox, polled, neighbours, active,
               {&channels, &fetches, &puts, &neighbours, &fences}),
      waiting(site, agenda, outbox, polled, *share, inbox, notices, line, progress) {
  line.enable();
  // What came before the process was there lies in the FIFO by now: known from here on.
  if (context.value == 0 && plan.has_boot_buffer(client)) (void)inbox.poll_tail();
  add_sources(*this);
}

}  // namespace torusmu
