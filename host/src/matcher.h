// SPDX-License-Identifier: Apache-2.0
// Messages and receives that have to find each other: receives that are posted, and messages that
// have begun to arrive unexpected. Both are looked through oldest first.
#ifndef TORUSMU_HOST_SRC_MATCHER_H_
#define TORUSMU_HOST_SRC_MATCHER_H_

#include <cstdint>
#include <list>
#include <memory>
#include <optional>

#include "host/src/fetches.h"
#include "host/src/incoming.h"
#include "host/src/outbox.h"
#include "host/src/packet_ring.h"
#include "host/src/regions.h"
#include "host/src/requests.h"
#include "host/src/ring_copies.h"
#include "host/src/site.h"

namespace torusmu {

class Matcher {
 public:
  using MessagePointer = std::shared_ptr<Incoming>;

  Matcher(const Site& site, Outbox& outbox, Requests& requests, RingCopies& copies,
          const Regions& regions, Fetches& fetches)
      : site_(site),
        outbox_(outbox),
        requests_(requests),
        copies_(copies),
        regions_(regions),
        fetches_(fetches) {}

  // No tag stands for any tag of the program's own.
  Result<Request> receive(Endpoint source, std::optional<std::uint32_t> tag, Address buffer,
                          Bytes capacity);
  Result<Request> receive(const Message& message, Address buffer, Bytes capacity);
  std::optional<Message> probe(Endpoint source, std::optional<std::uint32_t> tag);
  // Takes back a receive that is posted; false if the request is of anything else.
  bool cancel(Request request);

  // A message begins to arrive.
  void match(const MessagePointer& message);
  // It belongs to that request, and its data into that buffer.
  void bind(const MessagePointer& message, std::uint32_t request, Range buffer);
  // The next bytes of one whose data comes along: the payload of the ring's oldest packet.
  void take_data(const MessagePointer& message, Bytes offset, Bytes bytes, PacketRing& ring);
  // All of them have come: it is complete once all are in the buffer.
  void finish(Incoming& message);
  // Copies that the MU makes into buffers.
  PollResult poll_copies();

 private:
  struct Posted {
    std::uint32_t request = 0;
    Endpoint source{};
    std::optional<std::uint32_t> tag;
    Range buffer{};
  };
  static bool is_match(Endpoint source, std::optional<std::uint32_t> tag, const Incoming& message);
  MessagePointer take_unexpected(Endpoint source, std::optional<std::uint32_t> tag);
  void charge(std::size_t looked_at);
  void complete(const Incoming& message);

  const Site& site_;
  Outbox& outbox_;
  Requests& requests_;
  RingCopies& copies_;
  const Regions& regions_;
  Fetches& fetches_;
  std::list<Posted> posted_;
  std::list<MessagePointer> unexpected_;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_MATCHER_H_
