// SPDX-License-Identifier: Apache-2.0
// Messages that a context sends: what becomes a numbered message of a channel, and when.
//
// A short message goes along with its send; a long one is announced, and the receiver fetches it
// (fetches.h) and says so with a confirmation, or says that it is clear to send: then puts.h has it
// put there, and a reflection ends it. Both need buffers of the outbox; a send that finds none
// waits, and with it all later ones to the same endpoint.
//
// Short active messages to endpoints of this node go into the segment instead (segment.h), and a
// longer one has its turn there. Those that find no room in their ring wait.
#ifndef TORUSMU_HOST_SRC_SENDS_H_
#define TORUSMU_HOST_SRC_SENDS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "host/src/agenda.h"
#include "host/src/channel.h"
#include "host/src/outbox.h"
#include "host/src/regions.h"
#include "host/src/requests.h"
#include "host/src/segment.h"
#include "host/src/site.h"
#include "host/src/wire.h"

namespace torusmu {

class Sends {
 public:
  Sends(const Site& site, Agenda& agenda, Outbox& outbox, Requests& requests,
        const Regions& regions, Channels& channels, Segment& segment);

  Result<Request> send(Endpoint to, std::uint32_t tag, Address data, Bytes bytes);
  Result<Request> send_active(Endpoint to, DispatchId id, std::span<const std::byte> header,
                              Address data, Bytes bytes);
  // Buffers have been given back: sends that wait for one go on.
  void admit_waiting();

  // --- active messages that wait for room in the segment ---
  // Those that now find it are stored. True if there was one.
  bool use_segment_room();
  [[nodiscard]] bool waits_for_segment() const { return !for_segment_.empty(); }
  // Whether none to the task, or any, waits that was sent before so many had begun to wait.
  [[nodiscard]] bool has_segment_passed(std::optional<Task> task, std::uint64_t begun) const;
  [[nodiscard]] std::uint64_t begun_to_wait() const { return begun_to_wait_; }

  // Tells a sender what became of its message: of `request` there, or of the active message with
  // that id, if its data came along.
  void confirm(Endpoint to, std::uint32_t request, wire::Said said, DispatchId dispatch = {});
  void take_confirmation(Endpoint from, std::uint32_t request, const wire::Immediate& data);

  // --- long messages that their sender puts ---
  // Tells a sender where to put its message.
  void clear_to_send(Endpoint to, std::uint32_t request, const wire::ClearToSend& clear);
  // The receiver of a long message has told us: what it is to be given, and the number of the
  // request. Nothing if it has been told before, or there is no such message to it. From here on
  // the request is complete once end_put() says so.
  struct Cleared {
    std::uint32_t request = 0;
    InRegion data{};
    Bytes bytes = 0;  // of the message
  };
  std::optional<Cleared> take_clear_to_send(Endpoint from, std::uint32_t request);
  // Tells the receiver that the data stands before this in our queue.
  void tell_sent(Endpoint to, std::uint16_t fetch);
  void end_put(std::uint32_t number);
  std::optional<Undispatched> take_undispatched();

  // Messages to the peer that have not been acknowledged, those that wait included.
  [[nodiscard]] std::size_t under_way(const Channel& channel) const;
  // True if the task, or any, has still to fetch a message.
  [[nodiscard]] bool is_fetched_by(std::optional<Task> task) const;
  // Asks all peers for acknowledgements, and sends those that are owed.
  void hurry();
  // True if no acknowledgement is due or owed.
  [[nodiscard]] bool is_settled();

 private:
  struct Send {
    std::uint32_t request = 0;
    std::uint32_t tag = 0;
    Address data = 0;
    Bytes bytes = 0;
    std::vector<std::byte> header{};  // of an active message
    bool by_request = false;
  };
  struct ForSegment {
    Send send;
    std::uint64_t number = 0;  // of those that had to wait
  };
  Result<Request> start(Endpoint to, Send send);
  // Its request; or what is wrong with it.
  Result<Request> begin(Endpoint to, Send& send);
  void post(Endpoint to, Send send);
  // Stores it, or its turn; false if there is no room.
  bool admit_to_segment(Endpoint to, const Send& send);
  // Makes a numbered message of a send; false if there is no buffer for it now.
  bool admit(Channel& to, const Send& send);
  bool admit_request(Channel& to, const Send& send);

  const Site& site_;
  Agenda& agenda_;
  Outbox& outbox_;
  Requests& requests_;
  const Regions& regions_;
  Channels& channels_;
  Segment& segment_;
  const bool puts_long_ones_;
  std::map<Endpoint, std::deque<ForSegment>> for_segment_;  // none is empty
  std::uint64_t begun_to_wait_ = 0;                         // of those, ever
  std::map<Endpoint, std::deque<Send>> waiting_;            // none is empty
  std::deque<Endpoint> order_;                              // in which those that wait are admitted
  // A long message whose request is not complete.
  struct Unfetched {
    Endpoint to{};
    Address data = 0;
    Bytes bytes = 0;
    bool is_cleared = false;  // we put it
  };
  void keep_done(Endpoint to, std::uint32_t word, const wire::Immediate& data, Bytes length);
  std::map<std::uint32_t, Unfetched> unfetched_;  // by number of the request
  std::deque<Undispatched> undispatched_;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_SENDS_H_
