// SPDX-License-Identifier: Apache-2.0
// The push window of a client: eight registers that take a descriptor, which the MU then inserts
// into the first free slot of a queue. The MU alone knows the indices of that queue, so contexts
// need to agree on nothing but whose words are in the window.
#ifndef TORUSMU_HOST_SRC_PUSH_WINDOW_H_
#define TORUSMU_HOST_SRC_PUSH_WINDOW_H_

#include <system_error>

#include "host/src/client_share.h"
#include "host/src/liveness.h"
#include "host/src/site.h"
#include "torusmu/layout.h"

namespace torusmu {

class PushWindow {
 public:
  PushWindow(const Site& site, Liveness& liveness, ClientShare& share)
      : site_(site), liveness_(liveness), share_(share) {}

  // As Context::push().
  std::error_code push(const Descriptor& descriptor);

 private:
  const Site& site_;
  Liveness& liveness_;
  ClientShare& share_;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_PUSH_WINDOW_H_
