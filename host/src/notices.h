// SPDX-License-Identifier: Apache-2.0
// Notices: what became of packets that were refused. The ring is that of the client; each notice
// goes to the context whose packet it was.
#ifndef TORUSMU_HOST_SRC_NOTICES_H_
#define TORUSMU_HOST_SRC_NOTICES_H_

#include <utility>
#include <vector>

#include "host/src/agenda.h"
#include "host/src/channel.h"
#include "host/src/client_share.h"
#include "host/src/fences.h"
#include "host/src/fetches.h"
#include "host/src/liveness.h"
#include "host/src/packet_ring.h"
#include "host/src/puts.h"
#include "host/src/site.h"
#include "torusmu/context.h"

namespace torusmu {

class Notices {
 public:
  Notices(const Site& site, Agenda& agenda, Liveness& liveness, ClientShare& share,
          Channels& channels, Fetches& fetches, Fences& fences, Puts& puts)
      : site_(site),
        agenda_(agenda),
        liveness_(liveness),
        share_(share),
        channels_(channels),
        fetches_(fetches),
        fences_(fences),
        puts_(puts) {}

  // Handles those of the ring that are ours and hands on all others, unless another context does.
  PollResult poll();
  // Handles what other contexts have found for this one.
  void take_from_others();
  // Handles all that have come so far.
  void read_all();
  // Tells the MU what has been read.
  void release();
  // How many SENDs of the client peers have discarded. kDeviceGone.
  Result<std::uint32_t> discards();
  // Those of our queue pairs that notices told of, the last 1024, which are then gone from here.
  std::vector<Discard> take_discards() { return std::exchange(discards_, {}); }

 private:
  [[nodiscard]] ContextId owner_of(const PacketRing::Entry& entry) const;
  void handle(const PacketRing::Entry& entry);
  void handle_of_message(NodeId node, const PacketRing::Entry& entry);
  PollResult take_all(PacketRing& ring);
  void ask_for_what_was_lost();

  const Site& site_;
  Agenda& agenda_;
  Liveness& liveness_;
  ClientShare& share_;
  Channels& channels_;
  Fetches& fetches_;
  Fences& fences_;
  Puts& puts_;
  std::vector<Discard> discards_;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_NOTICES_H_
