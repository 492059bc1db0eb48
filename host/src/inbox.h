// SPDX-License-Identifier: Apache-2.0
// The reception FIFO of a context: packets of numbered messages, acknowledgements, probes, and the
// word of other MUs that they have fetched.
#ifndef TORUSMU_HOST_SRC_INBOX_H_
#define TORUSMU_HOST_SRC_INBOX_H_

#include <optional>

#include "host/src/agenda.h"
#include "host/src/arrivals.h"
#include "host/src/channel.h"
#include "host/src/fences.h"
#include "host/src/fetches.h"
#include "host/src/liveness.h"
#include "host/src/packet_ring.h"
#include "host/src/sends.h"
#include "host/src/site.h"

namespace torusmu {

class Inbox {
 public:
  Inbox(const Site& site, Agenda& agenda, Liveness& liveness, Channels& channels, Sends& sends,
        Fetches& fetches, Fences& fences, Arrivals& arrivals);

  // Handles all packets that are there; looks into memory alone if nothing seems to be.
  PollResult poll();
  // Memory alone does not show slots that a failed memory write has left zero.
  PollResult poll_tail();
  [[nodiscard]] bool is_empty() const { return packets_.empty(); }
  // Handles what a boot buffer has kept for this context; it came before all that is in the FIFO.
  void take_kept(const PacketRing& copy);
  // Tells the MU what has been read.
  void release() {
    packets_.release();
    if (kept_) kept_->release();
  }

 private:
  void handle(const PacketRing::Entry& entry, PacketRing& ring);
  void handle_from(Channel& from, const PacketRing::Entry& entry, wire::OffsetField field,
                   PacketRing& ring);
  void take_ack(Channel& from, std::uint16_t expected);

  const Site& site_;
  Agenda& agenda_;
  Liveness& liveness_;
  Channels& channels_;
  Sends& sends_;
  Fetches& fetches_;
  Fences& fences_;
  Arrivals& arrivals_;
  PacketRing packets_;
  std::optional<PacketRing> kept_;  // all read, and perhaps not released
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_INBOX_H_
