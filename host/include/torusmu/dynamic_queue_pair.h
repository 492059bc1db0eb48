// SPDX-License-Identifier: Apache-2.0
// Dynamically connected queue pairs: one pair, and one set of buffers, for messages to and from all
// tasks. Each SEND names the pair that it goes to, each completion the one that it came from.
//
//   auto pair = DynamicQueuePair::open(context, 0);
//   CompletionQueue completions(context);
//   pair->post_receive(buffer, 4096);
//   everyone.barrier(context.now() + 1'000'000);  // now all tasks are set up
//   pair->post_send({Task{5}, 0}, data, 100);
//   auto done = completions.wait(context.now() + 1'000'000);  // done.value().sender
//
// The privileged part is in NodeSetup::run(). docs/queue_pairs.md has the rules.
#ifndef TORUSMU_DYNAMIC_QUEUE_PAIR_H_
#define TORUSMU_DYNAMIC_QUEUE_PAIR_H_

#include "torusmu/queue_pair.h"

namespace torusmu {

class DynamicQueuePair {
 public:
  // Dynamic pair `number` of this task, of which the task has posted nothing since
  // NodeSetup::run(), start() or set_up_dynamic(). There is nobody to be met, but a SEND to a node
  // that has not been set up is refused for good (kRefused, QUEUE_INVALID): what has come from a
  // task, or a barrier of the group, tells that it is. kBadArgument: no such pair, or one of
  // another context (NodePlan::context_of_pair).
  static Result<DynamicQueuePair> open(Context& context, std::uint32_t number);
  DynamicQueuePair(DynamicQueuePair&&) noexcept;
  DynamicQueuePair& operator=(DynamicQueuePair&&) noexcept;
  ~DynamicQueuePair();

  [[nodiscard]] std::uint32_t number() const;

  // A buffer for one message of anybody: messages take buffers in the order in which they begin to
  // arrive, and are done in that in which they end. Its place in the queue is free when a message
  // has begun, its buffer when it is done. kAgain: the queue is full of what no message has taken.
  // kBadArgument: no bytes. kNotRegistered: memory of no region of this task.
  std::error_code post_receive(Address buffer, Bytes capacity, const WorkOptions& options = {});
  // To a dynamic pair of any task, this one among them. One at a time is under way; done when it is
  // in the target's buffer, and until then the data must stay as they are. It fails alone, with
  // kDeliveryUnknown among other errors, unless the pair stops at failures. kAgain: the queue is
  // full of what is not done. kBadArgument: no such task or pair, no bytes, or 2^32 and more.
  std::error_code post_send(const PairName& to, Address data, Bytes bytes,
                            const WorkOptions& options = {});
  // Has the MU copy a message that was kept (WorkCompletion::kept) into memory of this task; done
  // when it is there, in its turn of the send queue. kAgain as of post_send(). kBadArgument: it is
  // no such message of this pair. kNotRegistered as of post_receive().
  std::error_code post_copy(const WorkCompletion& message, Address to,
                            const WorkOptions& options = {});
  // So many more messages may be received, if the pair has managed receives.
  std::error_code enable_receives(std::uint32_t count);

  // Lists, all or nothing, with one doorbell, as of a QueuePair.
  std::error_code post(std::span<const Descriptor> list);
  std::error_code post_receives(std::span<const Descriptor> list);
  [[nodiscard]] Result<Descriptor> receive(Address buffer, Bytes capacity,
                                           const WorkOptions& options = {}) const;
  [[nodiscard]] Result<Descriptor> send(const PairName& to, Address data, Bytes bytes,
                                        const WorkOptions& options = {}) const;
  [[nodiscard]] Result<Descriptor> copy(const WorkCompletion& message, Address to,
                                        const WorkOptions& options = {}) const;
  // FENCE: done when what stands before it in the queue and went to the task's node is in memory
  // there, or was refused (docs/fences.md). kBadArgument: no such task.
  [[nodiscard]] Result<Descriptor> fence(Task task, const WorkOptions& options = {}) const;
  // WAIT until so many messages are in memory since the pair was set up, whoever has sent them. A
  // RECEIVE posted with an `event` of its own is not counted.
  [[nodiscard]] Descriptor wait_for_messages(std::uint32_t count) const;
  // RECV_EN, as enable_receives(), but in its turn.
  [[nodiscard]] Descriptor enable(std::uint32_t count) const;

 private:
  struct State;
  explicit DynamicQueuePair(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace torusmu

#endif  // TORUSMU_DYNAMIC_QUEUE_PAIR_H_
