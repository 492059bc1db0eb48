// SPDX-License-Identifier: Apache-2.0
// The two queues of a queue pair, whoever is at their other end, and descriptors for them.
#ifndef TORUSMU_HOST_SRC_PAIR_QUEUES_H_
#define TORUSMU_HOST_SRC_PAIR_QUEUES_H_

#include <span>

#include "host/src/regions.h"
#include "host/src/send_queue.h"
#include "torusmu/queue_pair.h"

namespace torusmu {

class PairQueues {
 public:
  // Pair `n` of the context's client, as the plan counts them.
  PairQueues(Context& context, std::uint32_t n);

  [[nodiscard]] Context& context() const { return context_; }
  // The whole list or nothing, with one doorbell: kBadArgument if it is longer than the queue,
  // kAgain if there is no room for it now, kDeviceGone.
  std::error_code post(std::span<const Descriptor> list) { return post(sends_, list); }
  std::error_code post_receives(std::span<const Descriptor> list) { return post(receives_, list); }

  // A descriptor with a buffer. kBadArgument: no bytes, 2^32 and more of a SEND, or a counter that
  // there is not. kNotRegistered:
  // memory of no region of this task.
  [[nodiscard]] Result<Descriptor> work(Opcode opcode, Address at, Bytes bytes,
                                        const WorkOptions& options) const;
  // A copy by the MU into memory of this task. Errors as of work().
  [[nodiscard]] Result<Descriptor> copy(InRegion from, Address to, Bytes bytes,
                                        const WorkOptions& options) const;
  [[nodiscard]] Result<Descriptor> fence(Task task, const WorkOptions& options) const;
  // WAIT until the receive queue has done so many descriptors.
  [[nodiscard]] Descriptor wait_for_receives(std::uint32_t count) const;
  // RECV_EN of so many more.
  [[nodiscard]] Descriptor enable(std::uint32_t count) const;
  // Now. Not through the send queue of the pair: there it might stand behind a SEND that waits for
  // the same of its peer.
  std::error_code enable_receives(std::uint32_t count) {
    return context_.run_internal(enable(count));
  }
  // The queue or event counter of that end.
  [[nodiscard]] QueueId queue(NodePlan::End end) const;
  [[nodiscard]] EventId event(NodePlan::End end) const;

 private:
  [[nodiscard]] bool has_events(const WorkOptions& options) const;
  [[nodiscard]] SendQueue queue_of(NodePlan::End end) const;
  static std::error_code post(SendQueue& queue, std::span<const Descriptor> list);
  [[nodiscard]] Descriptor on_receives(Opcode opcode, std::uint32_t value) const;

  Context& context_;
  ClientId client_;
  std::uint32_t n_;
  SendQueue sends_;
  SendQueue receives_;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_PAIR_QUEUES_H_
