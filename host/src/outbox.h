// SPDX-License-Identifier: Apache-2.0
// What a context sends by: its send queue, and node memory for what descriptors name.
//
// A part that finds no room in the queue keeps what it has to post and is served later: the failed
// claim_room() is remembered, and advance() calls all parts once the queue has room again.
#ifndef TORUSMU_HOST_SRC_OUTBOX_H_
#define TORUSMU_HOST_SRC_OUTBOX_H_

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "host/src/buffer_pool.h"
#include "host/src/liveness.h"
#include "host/src/send_queue.h"
#include "host/src/site.h"

namespace torusmu {

class Outbox {
 public:
  // A node, and whether a put to it has been posted.
  using Destination = std::pair<std::uint32_t, bool>;

  Outbox(const Site& site, Liveness& liveness);

  // --- the queue ---
  // True if so many descriptors can be posted; false makes the outbox starved.
  bool claim_room(std::uint32_t count = 1);
  [[nodiscard]] bool has_room(std::uint32_t count) { return queue_.has_room(count); }
  // Returns the index of the descriptor. There is room.
  std::uint32_t post(const Descriptor& descriptor) { return queue_.post(descriptor); }
  // The same for a packet to that node, which a later fence has to ask.
  std::uint32_t post_to(NodeId node, bool is_put, const Descriptor& descriptor);
  // Posts what the program has made, and rings. kAgain: no room.
  std::error_code run(const Descriptor& descriptor);
  void ring() { queue_.ring(); }
  [[nodiscard]] std::uint32_t next() const { return queue_.next(); }
  [[nodiscard]] bool injected(std::uint32_t index) { return queue_.injected(index); }
  [[nodiscard]] bool is_device_gone() const { return queue_.device_gone(); }
  [[nodiscard]] bool is_starved() const { return is_starved_; }
  void end_starvation() { is_starved_ = false; }

  // --- nodes that were sent to since a fence has asked them ---
  [[nodiscard]] const std::map<std::uint32_t, bool>& unfenced() const { return unfenced_; }
  std::vector<Destination> take_unfenced(const std::function<bool(NodeId)>& is_meant);
  void note_unfenced(NodeId node, bool is_put) { unfenced_[node.value] |= is_put; }

  // --- node memory ---
  [[nodiscard]] std::optional<Address> take_buffer(Bytes bytes) { return buffers_.take(bytes); }
  void give_buffer(Address buffer, Bytes bytes) { buffers_.give(buffer, bytes); }
  // Makes a place in a buffer the source of a descriptor.
  void set_source(Descriptor& descriptor, Address buffer) const;
  // Stores a descriptor that a GET will carry.
  void write(Address buffer, const Descriptor& descriptor);

 private:
  const Site& site_;
  Liveness& liveness_;
  SendQueue queue_;
  BufferPool buffers_;
  bool is_starved_ = false;
  std::map<std::uint32_t, bool> unfenced_;  // node: a put to it?
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_OUTBOX_H_
