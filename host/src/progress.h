// SPDX-License-Identifier: Apache-2.0
// One advance(): what is polled, run and posted in it, and in which order.
#ifndef TORUSMU_HOST_SRC_PROGRESS_H_
#define TORUSMU_HOST_SRC_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "host/src/active_messages.h"
#include "host/src/agenda.h"
#include "host/src/liveness.h"
#include "host/src/neighbours.h"
#include "host/src/outbox.h"
#include "host/src/polled_sources.h"
#include "host/src/served.h"
#include "host/src/site.h"

namespace torusmu {

class Progress {
 public:
  // `served` in the order in which they are.
  Progress(const Site& site, Agenda& agenda, Liveness& liveness, Outbox& outbox,
           PolledSources& polled, Neighbours& neighbours, ActiveMessages& active,
           std::vector<Served*> served);

  std::error_code advance();
  // The next advance() polls everything, whatever the histories say.
  void look_at_all(bool all) { look_at_all_ = all; }

  // What else an advance() calls; it says whether it has done something. Returns its name.
  std::uint32_t add(std::function<bool()> function);
  void remove(std::uint32_t name) { functions_.erase(name); }

  // How long a send queue that was found full may be left alone: the MU tells nobody that it has
  // room again.
  static constexpr Cycles kStarvedRetry = 500;

 private:
  void run_timers();

  const Site& site_;
  Agenda& agenda_;
  Liveness& liveness_;
  Outbox& outbox_;
  PolledSources& polled_;
  Neighbours& neighbours_;
  ActiveMessages& active_;
  const std::vector<Served*> served_;
  std::map<std::uint32_t, std::function<bool()>> functions_;
  std::uint32_t next_function_ = 0;
  bool look_at_all_ = false;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_PROGRESS_H_
