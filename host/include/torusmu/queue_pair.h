// SPDX-License-Identifier: Apache-2.0
// Queue pairs: messages straight into buffers that the receiver has posted, one after the other,
// with no core of either side in between; and the completion queue that tells what is done.
//
//   auto pair = QueuePair::open(context, 0, Task{1}, 0);
//   CompletionQueue completions(context);
//   pair->post_receive(buffer, 4096, {.id = 1});
//   pair->meet(context.now() + 1'000'000);
//   pair->post_send(data, 100, {.id = 2});
//   auto done = completions.wait(context.now() + 1'000'000);
//
// The privileged part of connecting is NodeSetup::connect(). docs/queue_pairs.md has the rules.
#ifndef TORUSMU_QUEUE_PAIR_H_
#define TORUSMU_QUEUE_PAIR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "torusmu/context.h"
#include "torusmu/layout.h"

namespace torusmu {

// A queue pair of a task.
struct PairName {
  Task task{};
  std::uint32_t pair = 0;
  friend constexpr bool operator==(const PairName&, const PairName&) = default;
};

// How a descriptor of a queue pair ended.
struct WorkCompletion {
  // Zero; kTruncated: longer than the peer's buffer; kRefused, kDataLost, kNotAcknowledged,
  // kFlushed, kDeliveryUnknown, kDeviceError: see `status`. After any but zero the queue has
  // stopped, unless it was set up to pass failures, as dynamic ones are.
  std::error_code error;
  Status status = Status::kOk;  // what the MU says
  bool dynamic = false;         // `pair` is a dynamic one
  std::uint32_t pair = 0;       // of this task
  NodePlan::End end{};          // which of its two queues
  // Of a descriptor that the MU could not read (kMemoryError, and NOP as opcode) all that follows
  // is zero, of any other that failed without a message word and bytes are.
  Opcode opcode = Opcode::kNop;
  std::uint32_t id = 0;              // what it was posted with
  std::uint32_t word = 0;            // RECEIVE: the word of the SEND
  Bytes bytes = 0;                   // RECEIVE: of the message
  std::optional<PairName> sender{};  // RECEIVE that has got a message: of whom
  // One of a dynamic pair that none of the task's own RECEIVEs has got but the unit's own memory
  // keeps, from before the task started (PlanOptions::boot_sends): its place there.
  std::optional<std::uint32_t> kept{};
  // Of no queue pair but of this group: a collective that the MU has run (collectives.h).
  std::optional<std::uint32_t> group{};
};

struct WorkOptions {
  std::uint32_t id = 0;            // comes back in the completion
  std::uint32_t word = 0;          // SEND: comes out at the receiver
  bool signal = true;              // a completion is told, if it succeeds or fails
  std::optional<EventId> event{};  // counter here to bump, instead of that of the queue
  bool interrupt = false;          // cause DONE
  // SEND, and each message of a PIPE: counter of the receiver to bump when it is in memory there.
  std::optional<EventId> target_event{};
};

// The completion queue of a context: one for all its queue pairs. Entries are found in memory by
// their phase bit, without a register access, in every advance() of the context, so that the MU has
// room for more: it loses what finds the ring full (NodeSetup::completions_lost()).
class CompletionQueue {
 public:
  // The plan has queue pairs, of either sort (std::invalid_argument if not). One in the life of a
  // context, which outlives it.
  explicit CompletionQueue(Context& context);
  ~CompletionQueue();
  CompletionQueue(const CompletionQueue&) = delete;
  CompletionQueue& operator=(const CompletionQueue&) = delete;

  // The oldest completion that has not been taken, if there is one.
  std::optional<WorkCompletion> poll();
  // The same, and advances the context until there is one: kDeadline, kDeviceGone.
  Result<WorkCompletion> wait(Cycles deadline);
  // Completions of dynamic pair `pair` go to `take`, in whichever call finds them; with nullptr
  // they come out of poll() again.
  void route(std::uint32_t pair, std::function<void(const WorkCompletion&)> take);
  // Looks for new ones now.
  bool look();
  // Entries that named no queue of this context: dropped.
  [[nodiscard]] std::uint64_t odd() const;
  // A WAIT, for a list of a queue pair, until the MU has written so many entries since the set-up.
  [[nodiscard]] Descriptor wait_for(std::uint32_t entries) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What a PIPE sends on, and through which buffers.
struct PipeBuffers {
  Address address = 0;      // of the first; the others lie behind it
  Bytes bytes = 0;          // of each: the longest message
  std::uint32_t count = 0;  // 1 to 16
};

// One buffer of a PIPE whose buffers lie anywhere, each of its own size.
struct BufferPlace {
  Address address = 0;
  Bytes bytes = 0;  // the longest message that fits
};

class QueuePair {
 public:
  // Pair `number` of this task, whose other end is pair `peer_number` of `peer`: NodeSetup::connect
  // has said so at both ends. Tells the other end that this one may be sent to, and returns at
  // once. kBadArgument: no such pair or task, or a pair of another context
  // (NodePlan::context_of_pair); both ends are of contexts of the same number.
  static Result<QueuePair> open(Context& context, std::uint32_t number, Task peer,
                                std::uint32_t peer_number);
  // Advances the context until the other end has been opened: kDeadline. Whoever sends to a queue
  // that is not connected is refused for good, so nothing is sent earlier.
  std::error_code meet(Cycles deadline);
  QueuePair(QueuePair&&) noexcept;
  QueuePair& operator=(QueuePair&&) noexcept;
  ~QueuePair();

  [[nodiscard]] std::uint32_t number() const;
  [[nodiscard]] Task peer() const;

  // A buffer for one message of the peer; messages take buffers in the order in which these are
  // posted. kAgain: the queue is full of what is not done. kBadArgument: no bytes, or 2^32 and more
  // of a SEND. kNotRegistered: memory of no region of this task.
  std::error_code post_receive(Address buffer, Bytes capacity, const WorkOptions& options = {});
  // Done when the message is in the peer's buffer; until then the data must stay as they are.
  // kAgain also: the other end has not been opened.
  std::error_code post_send(Address data, Bytes bytes, const WorkOptions& options = {});
  // So many more messages may be received, if the pair has managed receives.
  std::error_code enable_receives(std::uint32_t count);

  // Lists, all or nothing, with one doorbell: kBadArgument if longer than the queue. Into the send
  // queue goes what the MU runs one after the other: sends, waits, enables, and CALC and all else
  // that layout.h describes.
  std::error_code post(std::span<const Descriptor> list);
  std::error_code post_receives(std::span<const Descriptor> list);
  [[nodiscard]] Result<Descriptor> receive(Address buffer, Bytes capacity,
                                           const WorkOptions& options = {}) const;
  [[nodiscard]] Result<Descriptor> send(Address data, Bytes bytes,
                                        const WorkOptions& options = {}) const;
  // PIPE: the next `messages` messages that `from` receives go on to the peer of this pair, through
  // `buffers`, with no core of this node. `from` is a pair of this task with piped receives. Done
  // when the last one is in the peer's memory. US 9,344,490, the PIPE request. kBadArgument: no
  // messages or buffers, more than 16, or no bytes.
  [[nodiscard]] Result<Descriptor> pipe(const QueuePair& from, std::uint32_t messages,
                                        const PipeBuffers& buffers,
                                        const WorkOptions& options = {}) const;
  std::error_code post_pipe(const QueuePair& from, std::uint32_t messages,
                            const PipeBuffers& buffers, const WorkOptions& options = {});
  // The same through 1 to 16 buffers anywhere in registered memory, each of its own size, used in
  // turn in this order. Writes their list to `list`, 16 bytes for each, where it has to stand until
  // the PIPE is done. A message longer than the buffer whose turn it is ends at its sender with
  // kTruncated, and the PIPE takes the next. kBadArgument: no messages or buffers, more than 16, or
  // one of no bytes; kNotRegistered: the list or a buffer is no memory of the task.
  [[nodiscard]] Result<Descriptor> pipe_through(const QueuePair& from, std::uint32_t messages,
                                                Address list, std::span<const BufferPlace> buffers,
                                                const WorkOptions& options = {}) const;
  std::error_code post_pipe_through(const QueuePair& from, std::uint32_t messages, Address list,
                                    std::span<const BufferPlace> buffers,
                                    const WorkOptions& options = {});
  // The same at the two ends, one descriptor each: `bytes` from `data` go out as SENDs of
  // `piece_bytes`; and the messages that `from` receives are stored in `buffer`, each `piece_bytes`
  // behind the one before, until its `bytes` are full. kBadArgument: no bytes, or a piece of 0 or
  // more than all bytes.
  [[nodiscard]] Result<Descriptor> pipe_from(Address data, Bytes bytes, Bytes piece_bytes,
                                             const WorkOptions& options = {}) const;
  std::error_code post_pipe_from(Address data, Bytes bytes, Bytes piece_bytes,
                                 const WorkOptions& options = {});
  [[nodiscard]] Result<Descriptor> pipe_into(const QueuePair& from, Address buffer, Bytes bytes,
                                             Bytes piece_bytes,
                                             const WorkOptions& options = {}) const;
  std::error_code post_pipe_into(const QueuePair& from, Address buffer, Bytes bytes,
                                 Bytes piece_bytes, const WorkOptions& options = {});
  // FENCE: done when what stands before it in the queue and went to the task's node is in memory
  // there, or was refused (docs/fences.md). kBadArgument: no such task.
  [[nodiscard]] Result<Descriptor> fence(Task task, const WorkOptions& options = {}) const;
  // WAIT until so many messages have been received since the pair was connected.
  [[nodiscard]] Descriptor wait_for_receives(std::uint32_t messages) const;
  // RECV_EN, as enable_receives(), but in its turn.
  [[nodiscard]] Descriptor enable(std::uint32_t count) const;

 private:
  struct State;
  explicit QueuePair(std::unique_ptr<State> state);
  [[nodiscard]] Result<Descriptor> pipe_pieces(Address buffer, Bytes bytes, Bytes piece_bytes,
                                               PipeOperation operation,
                                               const WorkOptions& options) const;
  std::unique_ptr<State> state_;
};

}  // namespace torusmu

#endif  // TORUSMU_QUEUE_PAIR_H_
