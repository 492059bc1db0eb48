// SPDX-License-Identifier: Apache-2.0
// What one node shows at its pins of the messages that pass, kept small enough for a whole run: for
// the report page and the message track of the waves. It looks and changes nothing.
//
// A transfer is what one descriptor sends. Its packets name it by source, queue and index; it is
// put together from what three nodes have seen: the source its doorbell and first flits, the node
// before the target its last flit, and the target the write into memory.
#ifndef TORUSMU_SIM_OBSERVE_PIN_WATCH_H_
#define TORUSMU_SIM_OBSERVE_PIN_WATCH_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/machine/node_observer.h"
#include "sim/machine/shape.h"
#include "sim/observe/packet_watch.h"
#include "torusmu/layout.h"

namespace torusmu {

// What a descriptor has sent over the links; cycles are kNever while they are not known.
struct Transfer {
  NodeId from{}, to{};
  Kind kind = Kind::kNone;
  bool reply = false;        // class
  bool on_behalf = false;    // of a descriptor that came over the network
  std::uint8_t queue = 0;    // at the source
  std::uint8_t target = 0;   // as in the packet header
  std::uint32_t index = 0;   // of the descriptor; of a SEND: bytes of the message
  std::uint32_t number = 0;  // sequence number, as in the packet trailer
  std::uint32_t word = 0;    // software's own word
  std::uint64_t end = 0;     // of a PUT: offset in the region behind its last byte
  std::uint64_t entry = 0;   // of a FIFO: key of the entry that its last packet makes
  Bytes bytes = 0;           // of payload
  std::uint32_t packets = 0;
  std::uint32_t serial = 0;   // in the order in which those of its source begin
  Cycles posted = kNever;     // the source took the doorbell
  Cycles first_out = kNever;  // first flit on a link of the source
  Cycles last_out = kNever;   // last flit on a link of the source
  // The target samples the last flit. kNever, too, if a packet of it was lost on a link, and of a
  // PUT if its last byte never came to memory.
  Cycles arrived = kNever;
  Cycles in_memory = kNever;  // the target's memory has accepted the last byte
  // An injected fault has taken a packet of it from that link of that node.
  Cycles lost = kNever;
  NodeId lost_at{};
  unsigned lost_direction = 0;
};

// How many flits of each class a link has carried in each part of a run. All parts are of equal
// length, a power of two of cycles, and as short as leaves kMostParts of them up to the last flit.
class LinkTimes {
 public:
  static constexpr std::size_t kMostParts = 512;
  struct Flits {
    std::uint32_t requests = 0, replies = 0;
  };

  void add(Cycles t, bool reply);
  // Parts of 2 to the power of that many cycles.
  [[nodiscard]] unsigned shift() const { return shift_; }
  [[nodiscard]] const std::vector<Flits>& parts() const { return parts_; }

 private:
  static constexpr unsigned kLeastShift = 4;
  unsigned shift_ = kLeastShift;
  std::vector<Flits> parts_;
};

class NodeWatch final : public NodeObserver {
 public:
  // At most `room` records of each sort are kept; those of PacketWatch only if `with_packets`.
  NodeWatch(const Shape& shape, NodeId node, unsigned latency, std::size_t room, bool with_packets)
      : shape_(shape),
        node_(node),
        latency_(latency),
        room_(room),
        packets_(with_packets ? std::make_unique<PacketWatch>() : nullptr) {}

  void register_taken(Cycles t, const RegisterAccess& access) override;
  void flit_out(Cycles t, unsigned direction, bool head, bool tail, bool reply,
                const std::uint32_t* data) override;
  void lost(Cycles t, unsigned direction, const std::uint32_t* header,
            const std::uint32_t* trailer) override;
  void written(Cycles t, Address begin, Bytes bytes, const std::uint32_t* start) override;
  void interrupts(Cycles t, std::uint32_t lines) override;

  struct Tail {
    Cycles cycle;
    std::uint32_t tail;  // free-running index; of a reset 0
    bool is_reset;
  };
  using Name = TransferName;
  struct Arrival {
    Cycles cycle;
    Name transfer;
  };
  // A packet was taken from a link of this node.
  struct Loss {
    Cycles cycle;
    Name transfer;
    bool last;  // of its transfer
    unsigned direction;
  };
  // An acknowledgement of a SEND, or an answer to a FENCE, leaves this node.
  struct Answer {
    Cycles cycle;
    NodeId to;
    std::uint8_t queue;
    std::uint32_t number;
    Kind kind;
  };
  struct Burst {
    Cycles cycle;
    Address begin;
    Bytes bytes;
    std::uint64_t key;  // of the entry of a reception FIFO that begins here; else 0
    std::uint8_t fifo;  // kNoFifo: no reception FIFO
  };
  static constexpr std::uint8_t kNoFifo = 255;

  [[nodiscard]] NodeId node() const { return node_; }
  // In the order in which their last packets left.
  [[nodiscard]] const std::vector<Transfer>& transfers() const { return transfers_; }
  [[nodiscard]] const std::vector<Arrival>& arrivals() const { return arrivals_; }
  [[nodiscard]] const std::vector<Loss>& losses() const { return losses_; }
  [[nodiscard]] const std::vector<Answer>& answers() const { return answers_; }
  [[nodiscard]] const std::vector<Burst>& bursts() const { return bursts_; }
  [[nodiscard]] const std::map<std::uint32_t, std::vector<Tail>>& doorbells() const {
    return doorbells_;
  }
  // Heads that software writes, by reception FIFO.
  [[nodiscard]] const std::map<std::uint32_t, std::vector<Tail>>& fifo_heads() const {
    return fifo_heads_;
  }
  // nullptr if they were not wanted.
  [[nodiscard]] const PacketWatch* packets() const { return packets_.get(); }
  // 0 where no region of that number was ever set up.
  [[nodiscard]] Address region_base(std::uint32_t region) const;
  [[nodiscard]] const std::array<std::uint64_t, kDirections>& reply_flits() const {
    return reply_flits_;
  }
  // By direction.
  [[nodiscard]] const std::array<LinkTimes, kDirections>& link_times() const { return link_times_; }
  // The cycle from which on something was left out for want of room; kNever: nothing was.
  [[nodiscard]] Cycles full_at() const { return full_at_; }

 private:
  struct Fifo {
    Address base = 0;
    Bytes bytes = 0;
  };
  void packet_out(Cycles first, Cycles last, unsigned direction, const PacketHeader& header,
                  const PacketTrailer& trailer);
  void answer_out(Cycles last, const Name& name, const PacketHeader& header);
  void keep_packet(Cycles first, Cycles last, std::uint32_t transfer, const PacketHeader& header,
                   const PacketTrailer& trailer);
  void keep_entry(Cycles t, Address begin, const std::uint32_t* start);
  template <typename T>
  void keep(std::vector<T>& list, const T& item, Cycles t);
  [[nodiscard]] std::uint8_t fifo_at(Address address) const;

  Shape shape_;
  NodeId node_;
  unsigned latency_;
  std::size_t room_;
  Cycles full_at_ = kNever;

  // The packet that is crossing each link, by direction and class.
  struct Crossing {
    Cycles first = 0;
    PacketHeader header;
  };
  std::array<std::array<Crossing, 2>, kDirections> crossing_{};
  std::array<std::uint64_t, kDirections> reply_flits_{};
  std::array<LinkTimes, kDirections> link_times_;
  std::map<std::pair<std::uint8_t, bool>, Transfer> open_;  // by queue and class
  std::vector<Transfer> transfers_;
  std::vector<Arrival> arrivals_;
  std::vector<Loss> losses_;
  std::vector<Answer> answers_;
  std::vector<Burst> bursts_;
  std::map<std::uint32_t, std::vector<Tail>> doorbells_;
  std::map<std::uint32_t, std::vector<Tail>> fifo_heads_;
  std::map<std::uint32_t, Address> regions_;
  std::map<std::uint32_t, Fifo> fifos_;
  std::uint32_t begun_ = 0;  // transfers
  std::unique_ptr<PacketWatch> packets_;
};

// What names an entry of a reception FIFO: its header and trailer, as in memory.
std::uint64_t entry_key(const std::uint32_t* words);

// For MachineConfig::observer: a watch of each node.
std::unique_ptr<NodeObserver> make_watch(const EngineConfig& engine, NodeId node);
// The same with packets.
std::unique_ptr<NodeObserver> make_packet_watch(const EngineConfig& engine, NodeId node);
// Those of a machine, by node; empty if it is not watched.
std::vector<const NodeWatch*> watches_of(const Machine& machine);

// All transfers of a machine that is watched, by their first flit, with all cycles that can be
// known.
std::vector<Transfer> transfers_of(const Machine& machine);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_PIN_WATCH_H_
