// SPDX-License-Identifier: Apache-2.0
// Waiting: when a core rests between two advances, and when it sleeps.
#ifndef TORUSMU_HOST_SRC_WAITING_H_
#define TORUSMU_HOST_SRC_WAITING_H_

#include <cstdint>
#include <functional>

#include "host/src/agenda.h"
#include "host/src/client_share.h"
#include "host/src/inbox.h"
#include "host/src/interrupt_line.h"
#include "host/src/notices.h"
#include "host/src/outbox.h"
#include "host/src/polled_sources.h"
#include "host/src/progress.h"
#include "host/src/segment.h"
#include "host/src/sends.h"
#include "host/src/site.h"

namespace torusmu {

class Waiting {
 public:
  Waiting(const Site& site, Agenda& agenda, Outbox& outbox, PolledSources& polled,
          ClientShare& share, Inbox& inbox, Notices& notices, InterruptLine& line,
          Progress& progress, const Sends& sends, Segment& segment);

  // Advances until `done` says true; kDeadline if that comes first.
  std::error_code until(const std::function<bool()>& done, Cycles deadline);
  // Advances for so many cycles.
  std::error_code linger(Cycles cycles);

 private:
  // Nothing has been polled: time passes until a poll may be made. Returns its worth in looks.
  std::uint32_t rest(Cycles deadline);
  [[nodiscard]] bool may_sleep(std::uint32_t looks) const;
  void fall_asleep(Cycles deadline);
  // Clears the causes and looks at everything; true if nothing holds the core awake.
  bool settle();

  const Site& site_;
  Agenda& agenda_;
  Outbox& outbox_;
  PolledSources& polled_;
  ClientShare& share_;
  Inbox& inbox_;
  Notices& notices_;
  InterruptLine& line_;
  Progress& progress_;
  const Sends& sends_;
  Segment& segment_;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_WAITING_H_
