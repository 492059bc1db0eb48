// SPDX-License-Identifier: Apache-2.0
// What a record of transactions has beside the transfers of a NodeWatch (sim/observe/pin_watch.h):
// single packets, what tells of a transfer's end, and the interrupt lines.
#ifndef TORUSMU_SIM_OBSERVE_PACKET_WATCH_H_
#define TORUSMU_SIM_OBSERVE_PACKET_WATCH_H_

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/machine/core.h"
#include "torusmu/layout.h"

namespace torusmu {

// What a packet says of the transfer that it belongs to.
struct TransferName {
  NodeId from, to;
  Kind kind;
  bool reply;
  std::uint8_t queue;
  std::uint32_t index, number;
  auto operator<=>(const TransferName&) const = default;
};

// One of a node, kept by its NodeWatch, which tells it what it sees.
struct PacketWatch {
  // This node has sent it.
  struct Packet {
    std::uint32_t transfer;                      // Transfer::serial
    Cycles first, last;                          // its flits on the link
    Bytes offset, bytes;                         // as in its header
    std::uint64_t entry;                         // of a FIFO: key of the entry that it makes
    std::optional<std::uint8_t> counter, event;  // of the target, if they are meant
    bool interrupt;                              // raises one at the target
  };
  // The target, which is the node behind one of this node's links, has its last flit.
  struct Landing {
    Cycles cycle;
    TransferName transfer;
    Bytes offset;
  };
  // This node has refused a packet: a NOTICE leaves.
  struct Refusal {
    Cycles cycle;
    NodeId to;
    std::uint8_t queue;
    std::uint32_t index, number;
    Status status;
  };
  // An entry of a completion queue of this node is in memory.
  struct Entry {
    Cycles cycle;
    CompletionEntry entry;
  };
  // The interrupt lines have changed: bit c is client c's.
  struct Lines {
    Cycles cycle;
    std::uint32_t lines;
  };
  // Of a completion queue, as its registers say.
  struct Ring {
    Address base = 0;
    Bytes bytes = 0;
  };

  std::vector<Packet> packets;
  std::vector<Landing> landings;
  std::vector<Refusal> refusals;
  std::vector<Entry> entries;
  std::vector<Lines> lines;
  std::map<std::uint32_t, Ring> rings;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_PACKET_WATCH_H_
