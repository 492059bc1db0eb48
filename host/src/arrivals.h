// SPDX-License-Identifier: Apache-2.0
// Numbered messages whose packets come: each goes to who asked for it, packet by packet and in
// order, until the last one is here.
#ifndef TORUSMU_HOST_SRC_ARRIVALS_H_
#define TORUSMU_HOST_SRC_ARRIVALS_H_

#include <map>
#include <memory>

#include "host/src/active_order.h"
#include "host/src/channel.h"
#include "host/src/fetches.h"
#include "host/src/incoming.h"
#include "host/src/matcher.h"
#include "host/src/packet_ring.h"
#include "host/src/puts.h"
#include "host/src/sends.h"
#include "host/src/wire.h"

namespace torusmu {

class Arrivals {
 public:
  Arrivals(Sends& sends, Fetches& fetches, Puts& puts, Matcher& matcher, ActiveOrder& active)
      : sends_(sends), fetches_(fetches), puts_(puts), matcher_(matcher), active_(active) {}

  // The oldest packet of the ring, which is of a numbered message of that peer.
  void take(Channel& from, const PacketRing::Entry& entry, wire::OffsetField field,
            PacketRing& ring);

 private:
  using MessagePointer = std::shared_ptr<Incoming>;
  // Both return the message if its data follows.
  MessagePointer begin(Endpoint from, std::uint32_t word, wire::OffsetField field,
                       PacketRing& ring);
  MessagePointer begin_active(const MessagePointer& message, Bytes length, PacketRing& ring);
  void take_done(Endpoint from, std::uint32_t word, const wire::Immediate& data);

  Sends& sends_;
  Fetches& fetches_;
  Puts& puts_;
  Matcher& matcher_;
  ActiveOrder& active_;
  std::map<Endpoint, MessagePointer> arriving_;  // none: what comes from there is handled already
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_ARRIVALS_H_
