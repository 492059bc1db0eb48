// SPDX-License-Identifier: Apache-2.0
// Active messages of the endpoints of this node come through the segment or, if they are long, by
// the MU. This part gives them on in the order in which each endpoint has sent them: a long one
// when its turn stands at the front of the ring, and what stands behind that no sooner.
#ifndef TORUSMU_HOST_SRC_ACTIVE_ORDER_H_
#define TORUSMU_HOST_SRC_ACTIVE_ORDER_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "host/src/active_messages.h"
#include "host/src/incoming.h"
#include "host/src/segment.h"

namespace torusmu {

class ActiveOrder {
 public:
  using MessagePointer = std::shared_ptr<Incoming>;

  ActiveOrder(const Site& site, Segment& segment, ActiveMessages& active)
      : site_(site), segment_(segment), active_(active) {}

  // One has arrived by the MU.
  void add(MessagePointer message);
  // Takes what has come through the segment, unless functions have still to be run for what was
  // taken before. True if there was anything.
  bool poll();

 private:
  bool take_all(std::uint32_t from);
  // False if the entry has to wait.
  bool take(Endpoint from, Segment::Entry entry);

  const Site& site_;
  Segment& segment_;
  ActiveMessages& active_;
  std::map<Endpoint, std::deque<MessagePointer>> by_mu_;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_ACTIVE_ORDER_H_
