// SPDX-License-Identifier: Apache-2.0
// What the reference node keeps for each resource. Indices are free-running and 64 bits wide here,
// so that a ring slot is index % size; registers and packets show the lowest 32 bits.
#ifndef TORUSMU_TB_REFERENCE_MODEL_NODE_STATE_H_
#define TORUSMU_TB_REFERENCE_MODEL_NODE_STATE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "tb/reference_model/packet.h"
#include "torusmu/layout.h"
#include "torusmu/types.h"

namespace torusmu::model {

// A queue of any node: where a SEND goes, or who has sent.
struct QueueOfNode {
  Coordinates node;
  std::uint32_t queue = 0;
  friend bool operator==(const QueueOfNode&, const QueueOfNode&) = default;
};

// A SEND that is under way: that which holds its queue until it is acknowledged, or the one ahead.
struct Sending {
  enum class Phase {
    kNone,
    kLeaving,   // packets are still to leave
    kAwaiting,  // an answer, until `due`
    kRefused,   // goes out again at `due`
    kDue,       // goes out again now; the one ahead behind the first
  };
  Phase phase = Phase::kNone;
  bool refused = false;   // by what has left already
  bool doubtful = false;  // went out again without an answer: more than one copy may arrive
  bool unknown = false;   // dynamic: the receiver said last that it does not know any more
  bool ended = false;     // the one ahead: with `status`, which counts when it stands first
  bool of_peer = false;   // that status
  Status status = Status::kOk;
  Descriptor descriptor;
  Cycles due = 0;
  std::uint64_t retries = 0;
  std::uint64_t copies = 0;  // dynamic: that went out, and have not been refused
};

// A FENCE that holds its queue until its target has answered.
struct Fencing {
  enum class Phase {
    kNone,
    kAhead,     // out, behind the SEND that stands first
    kAwaiting,  // an answer, until `due`
    kDue,       // goes out again now
  };
  Phase phase = Phase::kNone;
  bool follows = false;        // kAhead: goes out behind the next copy of that SEND
  std::optional<Status> said;  // kAhead: its answer
  Descriptor descriptor;
  Cycles due = 0;
  std::uint64_t retries = 0;

  [[nodiscard]] bool holds() const { return phase == Phase::kAwaiting || phase == Phase::kDue; }
};

// The RECEIVE at the head of a receive queue, once it has been judged, and the message expected.
struct Receiving {
  bool waiting = false;
  Descriptor descriptor;
  Bytes arrived = 0;  // bytes of the message so far; 0: none has begun
};

// A reassembly context: a message of a dynamically connected queue and the RECEIVE that it has
// taken. It is known here until another message needs the context.
struct Reassembly {
  bool known = false;  // there is a message
  QueueOfNode sender;
  std::uint32_t queue = 0;  // receive queue
  std::uint32_t number = 0;
  Descriptor descriptor;    // of the RECEIVE
  std::uint32_t index = 0;  // of the RECEIVE in its queue
  Bytes arrived = 0;        // bytes of the message so far
  bool failed = false;      // the memory refused a part of it
  bool whole = false;       // all of it has arrived, and it is answered
};

struct Queue {
  Address base = 0;
  std::uint64_t size = 0;
  std::uint64_t config = 0;
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  Status status = Status::kOk;
  bool halted = false;
  bool parked = false;  // waits for a reflection credit
  std::uint64_t errors = 0;
  std::uint32_t error_index = 0;
  std::uint32_t limit = 0;  // descriptors that SEND_EN has enabled
  bool waiting = false;     // the WAIT at its head has begun
  Descriptor waiting_descriptor;
  bool waits_on_queue = false;  // for descriptors done, else for an event counter
  std::uint32_t waits_for = 0;  // that queue or counter
  std::uint32_t threshold = 0;  // of the last WAIT
  std::uint64_t peer = 0;
  std::uint32_t number = 0;   // of the SEND under way or next; of the message expected
  bool broken = false;        // nobody knows which number the peer expects
  Sending sending;            // stands first
  Sending ahead;              // the SEND directly behind it, with the next number
  bool stays_behind = false;  // what stands behind the first has been judged: it does not go ahead
  Fencing fencing;
  Receiving receiving;
  // Whether the memory refused a part of the message expected, or of the last of the two before it,
  // by the lowest bit of its number.
  std::array<bool, 2> failed{};
  bool piping = false;          // a PIPE holds it
  bool waits_for_pipe = false;  // its PIPE waits until one of others has ended

  [[nodiscard]] QueueMode mode() const {
    return static_cast<QueueMode>(extract(config, registers::injection_queue::config_field::mode));
  }
  [[nodiscard]] std::uint32_t owner() const {
    return static_cast<std::uint32_t>(
        extract(config, registers::injection_queue::config_field::owner));
  }
  [[nodiscard]] bool halts_on_error() const {
    return extract(config, registers::injection_queue::config_field::halt_on_error) != 0;
  }
  [[nodiscard]] bool cyclic() const {
    return extract(config, registers::injection_queue::config_field::cyclic) != 0;
  }
  [[nodiscard]] bool managed() const {
    return extract(config, registers::injection_queue::config_field::managed) != 0;
  }
  [[nodiscard]] QueueOfNode peer_queue() const {
    namespace field = registers::injection_queue::peer_field;
    return {{static_cast<std::uint32_t>(extract(peer, field::x)),
             static_cast<std::uint32_t>(extract(peer, field::y)),
             static_cast<std::uint32_t>(extract(peer, field::z))},
            static_cast<std::uint32_t>(extract(peer, field::queue))};
  }
  [[nodiscard]] bool receives() const {
    return mode() == QueueMode::kReceive || mode() == QueueMode::kPiped;
  }
  [[nodiscard]] bool connected() const {
    return extract(peer, registers::injection_queue::peer_field::connected) != 0;
  }
  // It has no peer of its own.
  [[nodiscard]] bool dynamic() const {
    return extract(peer, registers::injection_queue::peer_field::dynamic) != 0;
  }
  // Its head is held by what must come from elsewhere.
  [[nodiscard]] bool held_by_peer() const {
    return receiving.waiting || piping || fencing.phase == Fencing::Phase::kAwaiting ||
           (sending.phase != Sending::Phase::kNone && sending.phase != Sending::Phase::kDue);
  }
  [[nodiscard]] bool runnable() const {
    return mode() != QueueMode::kOff && !halted && !parked && !held_by_peer() && head != tail &&
           !(managed() && limit == static_cast<std::uint32_t>(head));
  }
  // All of the first SEND has left, and it was not refused: one behind it may go ahead, or again.
  [[nodiscard]] bool has_room_ahead() const {
    return sending.phase == Sending::Phase::kAwaiting && !ahead.ended &&
           (ahead.phase == Sending::Phase::kNone || ahead.phase == Sending::Phase::kDue);
  }
  [[nodiscard]] bool may_go_ahead() const {
    return has_room_ahead() && !halts_on_error() && !piping && !stays_behind && tail - head > 1 &&
           (fencing.phase != Fencing::Phase::kAhead || fencing.follows) &&
           !(managed() && limit == static_cast<std::uint32_t>(head + 1));
  }
};

// A PIPE of the node: what it has received, and has sent on.
struct Pipe {
  static constexpr std::uint64_t kMostBuffers = 16;
  bool runs = false;
  std::uint32_t queue = 0;                     // that it holds
  std::optional<std::uint32_t> receive_queue;  // none: pieces of its buffer go out
  bool sends = true;                           // else what is received stays
  Descriptor descriptor;
  std::uint64_t messages = 0;
  Bytes buffer_bytes = 0;
  std::uint64_t buffers = 0;
  Status failed = Status::kOk;              // ends with it, once no SEND is under way
  std::uint64_t received = 0;               // messages in memory
  std::uint64_t acknowledged = 0;           // of those
  std::array<Bytes, kMostBuffers> bytes{};  // of the message in each buffer
  struct Place {
    std::uint32_t region = 0;
    Bytes offset = 0;
    Bytes bytes = 0;
    Address address = 0;
  };
  std::vector<Place> places;  // of the buffers, if they are in a list

  [[nodiscard]] bool has_buffer() const {
    return runs && receive_queue && failed == Status::kOk && received < messages &&
           received - acknowledged < buffers;
  }
  // There is a message to send, `behind` that which is to be acknowledged next.
  [[nodiscard]] bool has_message(std::uint64_t behind) const {
    return failed == Status::kOk && acknowledged + behind < (receive_queue ? received : messages);
  }
  // Of the buffer that such a message goes into, or of such a piece.
  [[nodiscard]] Bytes most_bytes(std::uint64_t message) const {
    if (!places.empty()) return places.at(message % buffers).bytes;
    const Bytes length = descriptor.get<layout::descriptor::length>();
    return std::min(buffer_bytes, length - message % buffers * buffer_bytes);
  }
};

struct CompletionQueue {
  Address base = 0;
  std::uint64_t size = 0;
  std::uint64_t config = 0;
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  std::uint64_t lost = 0;  // or overwritten

  [[nodiscard]] bool enabled() const {
    return extract(config, registers::completion_queue::config_field::enable) != 0;
  }
  [[nodiscard]] bool overwrites() const {
    return extract(config, registers::completion_queue::config_field::overwrite) != 0;
  }
  [[nodiscard]] bool interrupts() const {
    return extract(config, registers::completion_queue::config_field::interrupt) != 0;
  }
  [[nodiscard]] std::uint32_t owner() const {
    return static_cast<std::uint32_t>(
        extract(config, registers::completion_queue::config_field::owner));
  }
};

constexpr std::uint64_t kFewestFifoSlots = 32;  // the largest packet has 17

struct Fifo {
  Address base = 0;
  std::uint64_t size = 0;
  std::uint64_t config = 0;
  std::uint64_t threshold = 0;
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  std::uint64_t refused = 0;
  bool refusing = false;  // until software has freed a quarter
  std::uint64_t head_at_refusal = 0;
  bool holding = false;
  Cycles held_since = 0;

  bool draining = false;  // a boot buffer whose packets go to their own FIFOs
  bool stuck = false;     // the oldest has found no room there

  // Requests for it go to its keeper.
  [[nodiscard]] bool boots() const {
    return extract(config, registers::reception_fifo::config_field::boot) != 0;
  }
  [[nodiscard]] bool keeps() const {
    return extract(config, registers::reception_fifo::config_field::keeps) != 0;
  }
  [[nodiscard]] std::uint32_t keeper() const {
    return static_cast<std::uint32_t>(
        extract(config, registers::reception_fifo::config_field::keeper));
  }
  [[nodiscard]] bool enabled() const {
    return extract(config, registers::reception_fifo::config_field::enable) != 0;
  }
  [[nodiscard]] bool reply_only() const {
    return extract(config, registers::reception_fifo::config_field::reply_only) != 0;
  }
  [[nodiscard]] bool interrupts() const {
    return extract(config, registers::reception_fifo::config_field::interrupt) != 0;
  }
  [[nodiscard]] std::uint32_t owner() const {
    return static_cast<std::uint32_t>(
        extract(config, registers::reception_fifo::config_field::owner));
  }
};

struct ByteCounter {
  std::uint64_t config = 0;
  std::uint64_t remaining = 0;
  bool hit_zero = false;
  bool underflow = false;

  [[nodiscard]] bool enabled() const {
    return extract(config, registers::byte_counter_config::config_field::enable) != 0;
  }
  [[nodiscard]] bool interrupts() const {
    return extract(config, registers::byte_counter_config::config_field::interrupt) != 0;
  }
  [[nodiscard]] std::uint32_t owner() const {
    return static_cast<std::uint32_t>(
        extract(config, registers::byte_counter_config::config_field::owner));
  }
};

enum class TreeCable { kParent, kLeft, kRight };

// That goes over a cable of the tree, or comes.
struct TreeSignal {
  TreeCable cable{};
  std::uint32_t number = 0;  // of its class
};

// A barrier or a global interrupt over the tree, and who has arrived.
struct TreeClass {
  std::uint64_t config = 0;
  bool left = false, right = false, node = false;
  bool told = false;  // the parent is, and has not released
  bool twice = false;
  std::uint32_t members = 0;  // of this node, that have arrived since it did

  template <typename Owner>
  [[nodiscard]] bool has(Field<Owner> field) const {
    return extract(config, field) != 0;
  }
};

struct EventCounter {
  std::uint64_t config = 0;
  std::uint32_t value = 0;

  [[nodiscard]] bool enabled() const {
    return extract(config, registers::event_counter_config::config_field::enable) != 0;
  }
  [[nodiscard]] std::uint32_t owner() const {
    return static_cast<std::uint32_t>(
        extract(config, registers::event_counter_config::config_field::owner));
  }
};

struct Region {
  Address base = 0;
  Bytes length = 0;
  std::uint64_t config = 0;

  [[nodiscard]] bool enabled() const {
    return extract(config, registers::region::config_field::enable) != 0;
  }
  [[nodiscard]] bool remote_write() const {
    return extract(config, registers::region::config_field::remote_write) != 0;
  }
  [[nodiscard]] bool remote_read() const {
    return extract(config, registers::region::config_field::remote_read) != 0;
  }
  [[nodiscard]] std::uint32_t owner() const {
    return static_cast<std::uint32_t>(extract(config, registers::region::config_field::owner));
  }
};

struct TouchRange {
  Address base = 0;
  Bytes length = 0;
  std::uint64_t config = 0;

  // By the MU or by a core.
  [[nodiscard]] bool fires(bool write, bool by_core) const {
    namespace field = registers::touch_range::config_field;
    const auto of_core = write ? field::on_core_write : field::on_core_read;
    const auto of_unit = write ? field::on_write : field::on_read;
    return extract(config, field::enable) != 0 && extract(config, by_core ? of_core : of_unit) != 0;
  }
  [[nodiscard]] std::uint32_t owner() const {
    return static_cast<std::uint32_t>(extract(config, registers::touch_range::config_field::owner));
  }
};

struct NoticeRing {
  Address base = 0;
  std::uint64_t size = 0;
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  bool overflow = false;
  bool shown = false;  // the overflow, by a read of the tail
  std::uint64_t discards = 0;
  bool tells_discards = false;
};

// What a doorbell page keeps besides views of the resources.
struct Page {
  std::array<std::uint64_t, 8> push_words{};
  std::uint32_t push_next = 0;  // word that may come next
  std::uint64_t push_queue = 0;
  std::uint32_t pushes = 0;
  Status push_status = Status::kOk;
  std::uint64_t causes = 0;
  std::uint64_t enables = 0;
  Status status = Status::kOk;
  std::uint64_t errors = 0;
};

// Credits toward the reflection queue of one neighbour.
struct Credit {
  std::uint64_t slots = 0;
  std::uint16_t sent = 0;
  std::uint16_t returned = 0;
  Cycles asked_at = 0;  // when the oldest missing one was sent, or last asked for
};

}  // namespace torusmu::model

#endif  // TORUSMU_TB_REFERENCE_MODEL_NODE_STATE_H_
