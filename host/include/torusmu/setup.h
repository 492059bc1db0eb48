// SPDX-License-Identifier: Apache-2.0
// The privileged part: what a driver does before processes may use a node.
#ifndef TORUSMU_SETUP_H_
#define TORUSMU_SETUP_H_

#include <system_error>

#include "torusmu/device.h"
#include "torusmu/plan.h"

namespace torusmu {

// What packets of other nodes may do with a region.
struct Permissions {
  bool remote_write = false;
  bool remote_read = false;
};

class NodeSetup {
 public:
  // `device` and `plan` outlive this object.
  NodeSetup(Device& device, const NodePlan& plan) : device_(device), plan_(plan) {}

  // Programs queues, FIFOs, counters, regions, notice rings and reflection credits of this node for
  // every client of the plan, and clears the rings. Clients start after it has returned; packets
  // from nodes that are earlier are refused, and their senders try again.
  // kDeviceGone if the node does not answer; kDeviceError if it refused a register write (the
  // plan's sizes are not those of the node).
  std::error_code run();

  // Makes [address, address + bytes) known as user region `number` of the client.
  // kBadArgument if there is no such region or the memory is not there.
  Result<RegionId> register_memory(ClientId client, std::uint32_t number, Range memory,
                                   Permissions permissions);

  // Longest wait of the first packet that finds a FIFO full, cycles, at most 65535.
  std::error_code set_fifo_hold(Cycles cycles);
  // Age of a missing reflection credit that starts a query; 0 never. At most 2^32 - 1.
  std::error_code set_credit_timeout(Cycles cycles);

 private:
  void set_up_reflection();
  void set_up_client(ClientId client);
  void set_up_offload(ClientId client, std::uint32_t group);
  void set_up_queue(QueueId queue, Range ring, std::uint32_t slots, QueueMode mode, ClientId owner);
  void set_up_fifo(FifoId fifo, Range ring, std::uint32_t slots, bool reply_only, ClientId owner);
  void set_up_region(RegionId region, Range memory, Permissions permissions, ClientId owner);
  void clear(Range range);

  Device& device_;
  const NodePlan& plan_;
};

}  // namespace torusmu

#endif  // TORUSMU_SETUP_H_
