// SPDX-License-Identifier: Apache-2.0
// The segment of memory that the endpoints of a node share, as one of them uses it: short active
// messages that cores store themselves, and fences that are one store behind them (US 9,052,974,
// claim 1).
//
// A sender stores the lines of a message into its ring at the receiver, and then one word, the tail
// of the ring. The receiver finds by one load of all tails what has come from anybody. It stores
// the head when it has taken messages, and until then nothing overwrites them: a ring without room
// takes nothing. Stores of a core are seen in their order (promise 5 of Device), so whoever sees a
// tail, or the word of a fence, finds in memory whatever was stored before it.
//
// A message that is too long goes by the MU. In its turn a line without data stands in the ring,
// and the receiver takes nothing behind that line before the message has arrived (active_order.h).
//
// A receiver that goes to sleep says so in a word, and then looks at the tails once more; a sender
// stores the tail, and then looks at that word. So one of them sees the other.
#ifndef TORUSMU_HOST_SRC_SEGMENT_H_
#define TORUSMU_HOST_SRC_SEGMENT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "host/src/channel.h"
#include "host/src/segment_layout.h"
#include "host/src/site.h"

namespace torusmu {

class Segment {
 public:
  // What stands at the front of a ring. Without a tag: the turn of a message that comes by the MU.
  struct Entry {
    std::uint32_t tag = 0;
    std::vector<std::byte> message{};
    [[nodiscard]] bool is_turn() const { return tag == 0; }
  };

  // Goes on where the words in memory say that the endpoint has stopped.
  Segment(const Site& site, Outbox& outbox, Channels& channels);

  [[nodiscard]] bool exists() const { return !rings_.empty(); }
  // Whether messages to and from that endpoint go through it: all those of this node.
  [[nodiscard]] bool reaches(Endpoint peer) const;

  // --- sending: to endpoints that it reaches ---
  [[nodiscard]] Bytes longest() const;  // message
  // May look at the head that the receiver has stored.
  bool has_room(Endpoint to, Bytes bytes);
  // There is room. The sender of `to` is woken if it sleeps.
  void store(Endpoint to, std::uint32_t tag, std::span<const std::byte> message);
  void store_turn(Endpoint to) { store(to, 0, {}); }
  void store_fence(Endpoint to);

  // --- receiving ---
  // Looks at all tails. True if one has changed.
  bool look();
  // The oldest entry of that endpoint, by number on the node, that look() has seen. What cannot be
  // a message is dropped, and all that is seen behind it.
  std::optional<Entry> front(std::uint32_t from);
  void pop(std::uint32_t from);
  // What pop() has freed may be stored into again.
  void give_room();
  [[nodiscard]] Endpoint endpoint(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t endpoints() const {
    return static_cast<std::uint32_t>(rings_.size());
  }
  std::uint32_t fences_of(Endpoint from);

  // --- sleep ---
  // False if something has come meanwhile: then others need not wake it.
  bool fall_asleep();
  void wake_up();

 private:
  // With one endpoint.
  struct Ring {
    std::uint32_t stored = 0;    // lines that this one has stored
    std::uint32_t taken = 0;     // of these by the peer, as far as it is known
    std::uint32_t fences = 0;    // stored behind them
    std::uint32_t tail = 0;      // lines that the peer has stored, as far as they were seen
    std::uint32_t seen = 0;      // of these taken here
    std::uint32_t given = 0;     // of these that the peer knows of
    std::uint32_t of_front = 0;  // lines of the entry at the front
  };
  struct Head {
    std::uint32_t tag = 0;
    std::uint32_t bytes = 0;
  };

  [[nodiscard]] std::uint32_t number(Endpoint peer) const {
    return site_.plan.number_on_node(peer);
  }
  std::uint32_t load_word(Address address);
  void store_word(Address address, std::uint32_t value);
  void copy_in(Range ring, std::uint32_t line, std::span<const std::byte> bytes);
  std::vector<std::byte> copy_from(Range ring, std::uint32_t line, Bytes bytes);
  [[nodiscard]] bool is_possible(const Head& head, std::uint32_t lines_there) const;
  void wake(Endpoint peer);

  const Site& site_;
  Outbox& outbox_;
  Channels& channels_;
  SegmentLayout layout_;
  std::uint32_t own_ = 0;    // number on the node
  std::vector<Ring> rings_;  // by number on the node; none: there is no segment
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_SEGMENT_H_
