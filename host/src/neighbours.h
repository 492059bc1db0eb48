// SPDX-License-Identifier: Apache-2.0
// The other contexts of the client: what they have found and posted for this one, and what it posts
// for them.
#ifndef TORUSMU_HOST_SRC_NEIGHBOURS_H_
#define TORUSMU_HOST_SRC_NEIGHBOURS_H_

#include <functional>

#include "host/src/agenda.h"
#include "host/src/client_share.h"
#include "host/src/notices.h"
#include "host/src/outbox.h"
#include "host/src/served.h"
#include "host/src/site.h"

namespace torusmu {

class Neighbours final : public Served {
 public:
  Neighbours(const Site& site, Agenda& agenda, Outbox& outbox, ClientShare& share, Notices& notices)
      : site_(site), agenda_(agenda), outbox_(outbox), share_(share), notices_(notices) {}

  std::error_code post(ContextId to, std::function<void()> work);
  // Handles notices that others have found, and runs what they have posted.
  void take_what_is_given();

  void use_room() override;
  void run_timers() override {}

 private:
  void wake();

  const Site& site_;
  Agenda& agenda_;
  Outbox& outbox_;
  ClientShare& share_;
  Notices& notices_;
  bool owes_wake_up_ = false;  // work was posted for a context that sleeps, but no NOP yet
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_NEIGHBOURS_H_
