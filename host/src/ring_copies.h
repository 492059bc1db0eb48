// SPDX-License-Identifier: Apache-2.0
// Copies that the MU makes of payload in the reception ring, into the buffers of receives: this
// core posts a descriptor each and neither loads nor stores the data (US 7,890,597: "instructing
// the DMA to store the data directly").
//
// A copy is a CALC of one operand from a region over the rings into the region of the buffer: the
// MU makes it without a packet, and the buffer's region need not be open to anybody. It stands in
// the send queue, whose other descriptors it neither overtakes nor is overtaken by. Its end is an
// entry of a completion queue in memory, with a status. Until then the slots of the ring are held.
#ifndef TORUSMU_HOST_SRC_RING_COPIES_H_
#define TORUSMU_HOST_SRC_RING_COPIES_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "host/src/agenda.h"
#include "host/src/incoming.h"
#include "host/src/outbox.h"
#include "host/src/packet_ring.h"
#include "host/src/polled_sources.h"
#include "host/src/regions.h"
#include "host/src/served.h"
#include "host/src/site.h"

namespace torusmu {

class RingCopies final : public Served {
 public:
  using MessagePointer = std::shared_ptr<Incoming>;

  RingCopies(const Site& site, Agenda& agenda, Outbox& outbox, PolledSources& polled,
             const Regions& regions);

  // Whether the context asks for copies and its plan provides for them.
  [[nodiscard]] bool is_on() const { return is_on_; }
  // Has the MU copy the first bytes of the payload of the oldest packet of the ring, which is that
  // of the reception FIFO; what a boot buffer has kept finds no receive. It is held until then.
  // Returns how many copies that takes: 2 where the ring ends between them. 0: the core has to
  // copy, because they are too few, or there is no room for the descriptors or their entries.
  std::uint32_t start(const MessagePointer& message, PacketRing& ring, Bytes bytes, Address to);

  struct Ended {
    MessagePointer message;
    std::error_code error;  // kDataLost: memory has not answered, or not taken it; kRefused
  };
  // Reads what has become of them.
  void look();
  // The oldest copy if it is known to be over, each once.
  std::optional<Ended> take_ended();

  void use_room() override {}
  // Looks for copies whose entry is lost.
  void run_timers() override;

 private:
  struct Copy {
    std::uint32_t index = 0;  // of its descriptor
    MessagePointer message;
    PacketRing* ring = nullptr;
    bool is_last = true;  // of its packet
    bool is_over = false;
    bool was_injected = false;  // when it was looked at last
    Cycles look_at = 0;
    std::error_code error{};
  };
  [[nodiscard]] bool has_room(std::uint32_t count);
  [[nodiscard]] Descriptor copy_of(Range from, InRegion to) const;
  void take(const CompletionEntry& entry);

  const Site& site_;
  Agenda& agenda_;
  Outbox& outbox_;
  PolledSources& polled_;
  const Regions& regions_;
  const bool is_on_;
  std::deque<Copy> copies_;  // in the order of the queue

  // The completion queue: a ring of entries, of which those up to freed_ are the MU's again.
  const std::uint32_t entries_;
  const Address ring_;
  std::uint32_t head_ = 0;
  std::uint32_t freed_ = 0;
  std::uint64_t phase_ = 1;  // of entries of this lap
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_RING_COPIES_H_
