// SPDX-License-Identifier: Apache-2.0
// Channels between the endpoints of one node: ordered messages through a segment of the receiver's
// memory, moved by the MU's local path, and fences behind them (US 9,052,974). No packet of theirs
// is on any link.
//
//   CompletionQueue completions(context);
//   auto local = LocalChannels::open(context, completions);
//   auto channel = local->connect(Task{1}, [&](const LocalMessage& message) { ... });
//   channel->send(7, data, 100);
//   auto fence = channel->fence();
//   local->wait(*fence, context.now() + 1'000'000);  // the 100 bytes are in the segment of task 1
//
// All channels of a context share one dynamic queue pair: one queue of work for what it sends, one
// segment of buffers for what it receives. So every endpoint of a node can have a channel to every
// other, however many there are. docs/fences.md has the rules. Short messages between endpoints are
// faster by stores of cores: Context::send_active(), fence(Endpoint).
#ifndef TORUSMU_LOCAL_CHANNEL_H_
#define TORUSMU_LOCAL_CHANNEL_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "torusmu/queue_pair.h"

namespace torusmu {

// A message, as long as the function that is given it runs: then its buffer is used again.
struct LocalMessage {
  Endpoint from{};
  std::uint16_t word = 0;  // of the send
  Address data = 0;        // in the segment
  Bytes bytes = 0;
};

struct LocalOptions {
  // Which of the context's dynamic pairs, that nothing else uses; the same in all endpoints.
  std::uint32_t pair = 0;
  std::uint32_t buffers = 16;  // of the segment, at most queue_pair_slots of the plan
  Bytes buffer_bytes = 4096;   // longest message
};

// What the channels of a context have done.
struct LocalCounts {
  std::uint64_t sent = 0;      // sends that are done
  std::uint64_t received = 0;  // messages that were handed on
  std::uint64_t repeated = 0;  // sends and fences posted again, behind one that was not taken
  std::uint64_t dropped = 0;   // of those: messages that had come before, or before their turn
  std::uint64_t foreign = 0;   // messages of other nodes or of no channel: dropped
  std::uint64_t lost = 0;      // buffers whose RECEIVE the MU could not read: not used again
  std::uint64_t odd = 0;       // completions of what was not posted: dropped
};

// A send or a fence. Names are given in the order in which the work is done.
struct LocalWork {
  std::uint64_t value = 0;
};

class LocalChannel;

class LocalChannels {
 public:
  using Receiver = std::function<void(const LocalMessage&)>;

  // Both outlive it, and the channels it has made. kBadArgument: no such pair, no buffers, more
  // than the queue has slots, or of no bytes or more than 2^32 - 1, or the pair is one whose first
  // messages are kept (PlanOptions::boot_pairs). kOutOfResources: no heap for
  // the segment.
  static Result<LocalChannels> open(Context& context, CompletionQueue& completions,
                                    const LocalOptions& options = {});
  LocalChannels(LocalChannels&&) noexcept;
  LocalChannels& operator=(LocalChannels&&) noexcept;
  ~LocalChannels();

  // The channel to and from an endpoint of this node, which may be this one. Its messages are
  // handed to `receiver` in advance(), in the order in which they were sent; those that came before
  // wait in the segment. kBadArgument: no such endpoint, or one without such a pair
  // for channels.
  // kNotLocal: it is on another node. kChannelOpen: there is one already.
  Result<LocalChannel> connect(Endpoint peer, Receiver receiver);
  // With the task's context of the same number.
  Result<LocalChannel> connect(Task peer, Receiver receiver);

  // Hands on what has come and posts what there is room for, then returns. Every advance() of the
  // context does it too. True if there was anything to do. Not to be called by a receiver.
  bool advance();
  // Whether the work is done, and how it ended: kTruncated (longer than the peer's buffers),
  // kRefused, kDataLost, as of a WorkCompletion. A failure concerns that work alone. kAgain: it is
  // not done. kBadArgument: there is no such work.
  [[nodiscard]] std::error_code test(LocalWork work) const;
  // Advances the context until it is done, and says how it ended; or kDeadline, kDeviceGone.
  std::error_code wait(LocalWork work, Cycles deadline);
  [[nodiscard]] const LocalCounts& counts() const;

 private:
  friend class LocalChannel;
  struct State;
  explicit LocalChannels(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

// May be closed at any time: what was sent goes on, what comes waits for the next of its kind.
class LocalChannel {
 public:
  LocalChannel(LocalChannel&&) noexcept;
  LocalChannel& operator=(LocalChannel&&) noexcept;
  ~LocalChannel();

  [[nodiscard]] Endpoint peer() const;
  // In order behind all other work of the context's channels. The data must stay as they are until
  // it is done. A receiver without a free buffer parks the queue, and what stands behind it, until
  // one is free; nobody waits for that. kBadArgument: no bytes. kNotRegistered: memory of no
  // region.
  Result<LocalWork> send(std::uint16_t word, Address data, Bytes bytes);
  // Done when everything that the context has sent on any of its channels before is in memory, or
  // has failed. No count of that is kept: the FENCE stands behind it in the queue.
  Result<LocalWork> fence();

 private:
  friend class LocalChannels;
  LocalChannel(std::shared_ptr<LocalChannels::State> state, Endpoint peer);
  void close();
  std::shared_ptr<LocalChannels::State> state_;
  Endpoint peer_{};
};

}  // namespace torusmu

#endif  // TORUSMU_LOCAL_CHANNEL_H_
