// SPDX-License-Identifier: Apache-2.0
// A node programmed without the host library: privileged registers, rings and descriptors by hand.
// Scenarios and benchmarks use it to show the MU itself.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_RAW_NODE_H_
#define TORUSMU_SIM_PLAY_SCENARIO_RAW_NODE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "torusmu/device.h"
#include "torusmu/layout.h"

namespace torusmu {

// What a region allows.
struct RegionRights {
  bool remote_write = true;
  bool remote_read = false;
};

// How a queue of descriptors that software fills behaves.
struct QueueRules {
  bool cyclic = false;
  bool managed = false;
  bool halt_on_error = false;
};
// Who is told of what a queue has done, by number; -1 for nobody.
struct QueueTells {
  int event = -1;       // event counter here: SENDs and RECEIVEs without a done_event
  int completion = -1;  // completion queue here: descriptors with signal
};
struct CompletionRules {
  bool interrupt = false;  // every entry raises cause COMPLETION
  bool overwrite = false;
};

class RawNode {
 public:
  explicit RawNode(Device& device, ClientId client = {0}) : device_(device), client_(client) {}

  Device& device() { return device_; }

  // --- privileged set-up; everything belongs to this client ---
  void open_region(RegionId region, Address base, Bytes length, RegionRights rights = {});
  // Software fills it (kDoorbell), or the MU does (kRemoteGet, kReflection). `slots` of 64 bytes at
  // `base`.
  void open_queue(QueueId queue, Address base, std::uint32_t slots, QueueMode mode,
                  QueueRules rules = {});
  // Before open_queue(), while it is off: its other end, and who is told.
  void connect(QueueId queue, Coordinates peer, QueueId peer_queue, QueueTells tells = {});
  // The same for a queue without a peer of its own: each SEND names its target.
  void connect_dynamically(QueueId queue, QueueTells tells = {});
  // `entries` of 32 bytes.
  void open_completion_queue(CompletionQueueId queue, Address base, std::uint32_t entries,
                             CompletionRules rules = {});
  // `slots` of 32 bytes; `interrupt`: every packet raises cause ARRIVED.
  void open_fifo(FifoId fifo, Address base, std::uint32_t slots, bool interrupt);
  void open_notices(Address base, std::uint32_t entries);
  // `interrupt`: hit-zero raises cause COUNTER_ZERO.
  void open_counter(CounterId counter, bool interrupt);
  void open_event(EventId event);
  // How many reflections the neighbour in `direction` (6: this node) has room for.
  void set_reflection_credit(unsigned direction, std::uint32_t slots);
  // Queues 0 to 6 for the reflections of each neighbour and of this node: rings of `slots`, one
  // after another from `rings` on. As many credits for each neighbour that exists, which opens its
  // rings with as many slots.
  void open_reflections(Address rings, std::uint32_t slots);
  void enable_interrupts(std::span<const Cause> causes);

  // --- the client's page ---
  void preload(CounterId counter, Bytes bytes);
  std::uint64_t read_counter(CounterId counter);  // fields of registers::client_page::byte_counter
  std::uint32_t read_event(EventId event);
  void ring_doorbell(QueueId queue, std::uint32_t tail);
  std::uint32_t queue_head(QueueId queue);
  std::uint32_t completion_tail(CompletionQueueId queue);
  // The entries of a completion queue whose ring is at `ring`, once `count` of them are in memory,
  // which neither DONE nor the head of a queue promises; those that are there by `deadline`.
  std::vector<CompletionEntry> completions(CompletionQueueId queue, Address ring,
                                           std::uint32_t count, Cycles deadline);
  void set_completion_head(CompletionQueueId queue, std::uint32_t head);
  std::uint32_t fifo_tail(FifoId fifo);
  void set_fifo_head(FifoId fifo, std::uint32_t head);
  std::uint64_t causes();
  void clear_causes(std::uint64_t causes);
  // Status of the queue's first error, from its privileged register.
  Status queue_status(QueueId queue);

  // Writes the descriptor into its ring; the doorbell is the caller's.
  void write_descriptor(Address ring, std::uint32_t slots, std::uint32_t index,
                        const Descriptor& descriptor);

 private:
  Device& device_;
  ClientId client_;
};

// --- descriptors ---

// Bytes of a region that are sent as packets of at most 512 bytes.
struct Source {
  RegionId region;
  Bytes offset;
  Bytes length;
};
// What a packet does when it has arrived.
struct Arrival {
  int counter = -1;  // byte counter at the target, or -1
  int event = -1;    // event counter at the target, or -1
  bool interrupt = false;
};

Descriptor put_descriptor(Coordinates to, Source from, RegionId region, Bytes offset,
                          Arrival arrival);
// Nothing but an increment of an event counter at the target, of the client that owns the region.
Descriptor increment_descriptor(Coordinates to, RegionId region, EventId event);
// At most 16 bytes that travel in the descriptor.
Descriptor immediate_put(Coordinates to, std::span<const std::byte> data, RegionId region,
                         Bytes offset, Arrival arrival);
Descriptor fifo_descriptor(Coordinates to, Source from, FifoId fifo, std::uint32_t word,
                           Arrival arrival);
// Sends `count` descriptors that lie at `from` into a queue of another node.
Descriptor get_descriptor(Coordinates to, RegionId region, Bytes offset, std::uint32_t count,
                          QueueId queue);
// Sends the one descriptor at `from` to the neighbour in `direction`; 6 this node, 7 any.
Descriptor reflect_descriptor(RegionId region, Bytes offset, unsigned direction);

// To the receive queue that is the peer of the queue that the descriptor stands in.
Descriptor send_descriptor(Source from, std::uint32_t word, Arrival arrival = {});
// To any receive queue that is dynamically connected, from such a queue.
Descriptor dynamic_send_descriptor(Coordinates to, QueueId queue, Source from, std::uint32_t word,
                                   Arrival arrival = {});
Descriptor receive_descriptor(Source into);
// Sends on so many messages of a receive queue in mode PIPED through buffers of one size.
struct PipeOf {
  std::uint32_t messages = 0;
  QueueId receive_queue;
  std::uint32_t buffer_bytes = 0;
};
Descriptor pipe_descriptor(Source buffers, PipeOf what, std::uint32_t word, Arrival arrival = {});
// The same through 1 to 16 buffers anywhere, and the list of them as it lies in memory.
Descriptor pipe_through(Source list, PipeOf what, std::uint32_t word, Arrival arrival = {});
std::vector<std::byte> list_of(std::span<const Source> buffers);
// Sends a buffer in pieces of so many bytes, and stores such messages one behind the other.
Descriptor pipe_from(Source source, std::uint32_t piece_bytes, std::uint32_t word,
                     Arrival arrival = {});
Descriptor pipe_into(Source into, QueueId receive_queue, std::uint32_t piece_bytes);
// WAIT for `count` descriptors done of a queue of this node, or for an event counter to be that, or
// for so many entries of a completion queue.
Descriptor wait_for_queue(QueueId queue, std::uint32_t count, std::uint32_t step = 0);
Descriptor wait_for_event(EventId event, std::uint32_t count);
Descriptor wait_for_completions(CompletionQueueId queue, std::uint32_t count);
// CTR_ADD to an event counter of this node.
Descriptor add_to_event(EventId event, std::uint32_t count);
// RECV_EN: `count` more RECEIVEs of a managed receive queue, or with `absolute` so many in all.
Descriptor enable_receives(QueueId queue, std::uint32_t count, bool absolute = false);

// --- bytes that tell where they come from ---

// Byte `i` of a stream; streams with different seeds differ.
std::byte pattern_byte(std::uint64_t seed, std::uint64_t i);
std::vector<std::byte> pattern(std::uint64_t seed, Bytes length);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_RAW_NODE_H_
