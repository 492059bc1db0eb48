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

// Which accesses a marked range tells of: by the MU, and by the node's cores, where something on
// their bus tells the MU of those (core_access.report).
struct TouchOn {
  bool read = false;
  bool write = false;
  bool core_read = false;
  bool core_write = false;
};

// Of one client, since the node has booted.
struct BootBufferUse {
  std::uint64_t slots = 0;    // of 32 bytes, that packets have taken; wraps at 2^32
  std::uint64_t left = 0;     // of those, that nobody has taken out yet
  std::uint64_t refused = 0;  // packets for which there was no room; at most 2^32 - 1
};

struct QueuePairOptions {
  // The receive queue takes a message only once QueuePair::enable_receives(), or a RECV_EN of the
  // MU, has allowed it; else whatever RECEIVE is posted takes one.
  bool managed_receives = false;
  // What is received goes on by the PIPE of another pair of this task: QueuePair::pipe(). No
  // receive can be posted.
  bool piped_receives = false;
  // A failure does not stop the queues: the next SEND goes out, and two are under way at a time.
  bool passes_failures = false;
};

struct DynamicPairOptions {
  // As of QueuePairOptions, with DynamicQueuePair::enable_receives().
  bool managed_receives = false;
  // A SEND that fails stops the send queue, so that what stands behind it in a list is not done;
  // else the next goes out, to whomever that is.
  bool stops_at_failures = false;
};

class NodeSetup {
 public:
  // `device` and `plan` outlive this object.
  NodeSetup(Device& device, const NodePlan& plan) : device_(device), plan_(plan) {}

  // Programs queues, FIFOs, counters, regions, notice rings and reflection credits of this node for
  // every client of the plan, and clears the rings and the words of the segment; dynamic queue
  // pairs are ready then. Clients start after it has returned; packets from nodes that are earlier
  // are refused, and their senders try again (but not a SEND: see DynamicQueuePair::open()). The
  // same as boot(), then start() of every client, but without boot buffers it closes nothing of an
  // earlier plan. kDeviceGone if the node does not answer; kDeviceError if it refused a register
  // write (the plan's sizes are not those of the node).
  std::error_code run();

  // When the node boots, before any process starts there: reflection, which belongs to nobody, and
  // the boot buffers of the plan, and its boot_pairs. Whatever an earlier plan
  // had opened for its clients is closed: from then on puts, gets and other SENDs to them are
  // refused until they start, and so are messages to a client without a boot buffer. No process of
  // the node is running. Errors as of run().
  std::error_code boot();
  // When the process of a client starts, once after each boot(): what run() does for it. The last
  // write switches its message FIFO from the boot buffer to memory: the MU moves what has come into
  // the FIFO, before anything that comes later. Clients may start at the same time, by different
  // cores. kBadArgument if the plan has no such client; else as of run(), where a write that the
  // node refused anybody meanwhile counts too: then its message FIFOs stay as they were. What
  // switches them on is written after that has been checked.
  std::error_code start(ClientId client);
  // What has come for the client's boot buffer since boot(). kBadArgument if the client has none;
  // kDeviceGone.
  Result<BootBufferUse> boot_buffer_use(ClientId client);

  // Makes [address, address + bytes) known as user region `number` of the client.
  // kBadArgument if there is no such region or the memory is not there.
  Result<RegionId> register_memory(ClientId client, std::uint32_t number, Range memory,
                                   Permissions permissions);

  // Marks [address, address + bytes) as interrupt-on-touch memory (US 7,890,597), as range `number`
  // of the client: each access that `on` names raises cause TOUCH of the client, and shows in
  // Context::take_touches(). No bytes: as before it was marked. kBadArgument if there is no such
  // range, the memory is not there, or `on` names no access.
  Result<TouchId> mark(ClientId client, std::uint32_t number, Range memory, TouchOn on);

  // Makes queue pair `pair` of the client one end, and `peer_pair` of task `peer` the other; there,
  // the same is done the other way round. A pair that was connected before begins anew: what is
  // under way ends with kFlushed, and both ends must be connected again before either sends.
  // kBadArgument if there is no such client, task or pair, or receives are both managed and piped.
  std::error_code connect(ClientId client, std::uint32_t pair, Task peer, std::uint32_t peer_pair,
                          const QueuePairOptions& options = {});
  // Sets dynamic pair `pair` of the client up anew, with options. The SEND under way and the first
  // RECEIVE without a message end with kFlushed; what stands behind them is gone, and so are the
  // messages that it was taking, of which no completion tells. Its event counters, for which no
  // WAIT of another queue may stand, are zero. Nobody else has to be told, but nobody may be
  // sending to it. Of a boot pair, messages that have not been copied are lost, and its first
  // boot_sends messages are kept in the unit's own memory again; with managed_receives they, too,
  // are taken only once enable_receives() has allowed them.
  // kBadArgument if there is no such client or pair.
  std::error_code set_up_dynamic(ClientId client, std::uint32_t pair,
                                 const DynamicPairOptions& options = {});
  // A message that finds no RECEIVE is sent again after `cycles` (1 to 2^24), one without an answer
  // after 8 times that; `times` (at most 255) often before it ends with kNotAcknowledged.
  std::error_code set_send_retry(Cycles cycles, std::uint32_t times);
  // Entries that found the completion queue of the client full.
  Result<std::uint64_t> completions_lost(ClientId client);

  // Longest wait of the first packet that finds a FIFO full, cycles, at most 65535.
  std::error_code set_fifo_hold(Cycles cycles);
  // Age of a missing reflection credit that starts a query; 0 never. At most 2^32 - 1.
  std::error_code set_credit_timeout(Cycles cycles);

 private:
  void set_up_reflection();
  void set_up_segment();
  // Bad accesses to privileged registers so far; kDeviceGone if the node does not answer.
  Result<std::uint64_t> register_errors();
  std::error_code begin();
  std::error_code end();
  void open_boot_buffers();
  void post_kept_receives(ClientId client, std::uint32_t number);
  void set_up_range(TouchId range, Range memory, TouchOn on, ClientId client);
  void close(ClientId client);
  void close_pair(ClientId client, std::uint32_t n);
  void set_up_client(ClientId client);
  void clear_context(ClientId client, ContextId context);
  void set_up_counters(ClientId client, ContextId context);
  void set_up_context(ClientId client, ContextId context);
  void set_up_offload(ClientId client, std::uint32_t group);
  void tell_nobody(QueueId queue);
  void set_up_signals(QueueId of, CompletionQueueId to);
  void set_up_completion_queue(CompletionQueueId queue, const Range& ring, std::uint32_t entries,
                               ClientId owner);
  void set_up_completions(ClientId client);
  void set_up_dynamic_pairs(ClientId client, std::uint32_t first, std::uint32_t end);
  struct EndRules {
    QueueMode mode{};
    bool halts = false;  // at an error
    bool managed = false;
  };
  void set_up_end(ClientId client, std::uint32_t n, NodePlan::End end, std::uint64_t peer,
                  const EndRules& rules);
  void set_up_event(EventId event, ClientId owner);
  void set_up_queue(QueueId queue, Range ring, std::uint32_t slots, QueueMode mode, ClientId owner);
  void set_up_fifo(FifoId fifo, Range ring, std::uint32_t slots);
  void open_client(ClientId client);
  // With `moves` the MU fills it from the boot buffer of its owner first.
  void open_fifo(FifoId fifo, bool reply_only, ClientId owner, bool moves = false);
  void show_boot_buffer(ClientId client);
  void set_up_region(RegionId region, Range memory, Permissions permissions, ClientId owner);
  void clear(Range range);

  Device& device_;
  const NodePlan& plan_;
};

}  // namespace torusmu

#endif  // TORUSMU_SETUP_H_
