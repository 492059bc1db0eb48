// SPDX-License-Identifier: Apache-2.0
// Puts, and the reflections that tell that their source has been read; and long messages that their
// receiver lets us put (sends.h).
//
// A reflecting get follows the put in the send queue. A reflection node sends the descriptor that
// it carries back to us: a put into a mailbox (a word of library memory that is zero until then),
// or a packet for the reply FIFO. Room for either is reserved before anything is posted.
//
// Behind the data of a long message, and before the reflecting get, stands the word to the receiver
// that it has been sent. Once that has been acknowledged the data has been read too: so the request
// ends if the reflection is lost, and a look at the acknowledgement after a long wait is enough.
#ifndef TORUSMU_HOST_SRC_PUTS_H_
#define TORUSMU_HOST_SRC_PUTS_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "host/src/agenda.h"
#include "host/src/channel.h"
#include "host/src/fences.h"
#include "host/src/outbox.h"
#include "host/src/packet_ring.h"
#include "host/src/polled_sources.h"
#include "host/src/regions.h"
#include "host/src/requests.h"
#include "host/src/sends.h"
#include "host/src/served.h"

namespace torusmu {

class Puts final : public Served {
 public:
  Puts(const Site& site, Agenda& agenda, Liveness& liveness, Outbox& outbox, Requests& requests,
       PolledSources& polled, const Regions& regions, Channels& channels, Sends& sends,
       Fences& fences);

  Result<Request> put(const RemoteMemory& to, Address from, Bytes bytes, const PutOptions& options);
  // As Context::describe_put().
  [[nodiscard]] Result<Descriptor> describe(const RemoteMemory& to, Address from, Bytes bytes,
                                            PutOptions options) const;
  [[nodiscard]] Result<Descriptor> increment(Task task, EventId event) const;
  // The receiver of that long message of ours says where to put it.
  void take_clear_to_send(Endpoint from, std::uint32_t request, const wire::ClearToSend& clear);

  // The target refused packets of a put: its request ends as usual, but with an error; a fence
  // tells of it too, for the request may be over.
  void take_notice(std::uint32_t name, Task from, std::uint32_t index, Status status);
  // A reflection node was not ready. The put before it has long left: the reflection alone is
  // repeated.
  void take_reflection_notice(std::uint32_t index);
  void use_room() override;
  void run_timers() override;

  PollResult poll_mailboxes();
  PollResult poll_replies();
  // True if requests were waiting for descriptors that have been injected now.
  bool poll_injected();
  // Of the oldest of them; nothing if none waits.
  [[nodiscard]] std::optional<Bytes> bytes_to_inject() const;

 private:
  // That of a put, or of a long message, whose request is not complete.
  struct Reflection {
    std::uint32_t request = 0;
    Notify notify = Notify::kReflectedPut;
    std::uint32_t direction = 0;  // preferred
    std::uint32_t mailbox = 0;    // kReflectedPut
    Address descriptor = 0;       // that is reflected
    std::uint32_t index = 0;      // of the reflecting get
    // Of a message: the word that it has been sent is acknowledged once so many of the channel are.
    const Channel* channel = nullptr;
    std::uint64_t acknowledged_at = 0;
    Cycles look_at = kNever;
  };
  // A message that may be put, and has not been posted.
  struct Cleared {
    Endpoint to{};
    Sends::Cleared message{};
    wire::ClearToSend clear{};
  };
  [[nodiscard]] Descriptor descriptor(const RemoteMemory& to, InRegion from, Bytes bytes,
                                      const PutOptions& options) const;
  // Where a reflection is seen.
  [[nodiscard]] static Source source_of(Notify notify);
  // False if there is no room for what is reflected.
  bool reserve(std::uint32_t request, const PutOptions& options);
  [[nodiscard]] Address mailbox(std::uint32_t number) const;
  void write(const Reflection& reflection);
  void post(Reflection& reflection);
  void end(const Reflection& reflection);
  void repeat_reflections();
  void post_cleared();
  void post_message(const Cleared& cleared);
  void end_acknowledged();
  std::vector<Reflection>::iterator find(std::uint32_t index);
  bool take_token(const Reflection& reflection);
  void take_reply(const PacketRing::Entry& entry);

  const Site& site_;
  Agenda& agenda_;
  Liveness& liveness_;
  Outbox& outbox_;
  Requests& requests_;
  PolledSources& polled_;
  const Regions& regions_;
  Channels& channels_;
  Sends& sends_;
  Fences& fences_;
  PacketRing replies_;
  std::vector<Reflection> reflections_;  // by age
  std::vector<std::uint32_t> refused_;   // reflecting gets to be repeated, by index
  std::deque<Cleared> cleared_;
  std::vector<bool> mailbox_in_use_;
  std::uint32_t reply_slots_reserved_ = 0;
  // A request that is complete once a descriptor has been injected.
  struct InjectedWaiter {
    std::uint32_t request = 0;
    std::uint32_t index = 0;  // of the descriptor
    Bytes bytes = 0;
  };
  std::vector<InjectedWaiter> injected_waiters_;  // by age
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_PUTS_H_
