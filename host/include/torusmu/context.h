// SPDX-License-Identifier: Apache-2.0
// A context: one thread's way to send, receive, put and get, to run functions elsewhere, and to
// make progress.
//
//   Context context(device, plan, ClientId{0});
//   auto request = context.send(Task{1}, 7, address, 64);
//   if (request) auto done = context.wait(*request, context.now() + 1'000'000);
//
// All buffers are in node memory, in the client's heap (take_heap) or in a registered region.
// Nothing happens behind the caller's back: packets are handled in advance(), which every wait
// calls, so a task that computes for long answers nobody meanwhile (its MU still serves gets).
//
// A task with several contexts (PlanOptions::contexts) makes them by its Client: client.h. Messages
// go from endpoint to endpoint, that is from a context of a task to a context of a task. A call
// that takes a Task alone means its context of the same number.
#ifndef TORUSMU_CONTEXT_H_
#define TORUSMU_CONTEXT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "torusmu/device.h"
#include "torusmu/error.h"
#include "torusmu/layout.h"
#include "torusmu/plan.h"
#include "torusmu/polling.h"

namespace torusmu {

using Tag = std::int32_t;  // of the program's own messages: 0 or more

inline constexpr Task kAnyTask{~std::uint32_t{0}};
inline constexpr Tag kAnyTag = -1;

// When the request of a message that is longer than eager_limit is complete.
enum class SendEnd {
  // The receiver has all of it, and its core has said so. The receiver's MU fetches the data, no
  // core of the sender takes part, and what links lose is fetched again from the buffer.
  kReceived,
  // All of it has been read and has left the node, which a reflection node has told (US 7,890,597):
  // at any distance equally soon, and without a core of another node. The receiver answers where
  // the data shall go, and this core has it put there in an advance(). For networks that lose no
  // packet: the buffer may be gone when a loss is found, and the receive ends with kDataLost then.
  // Where it cannot be, the end is as with kReceived: the plan has no reflection_slots, or the
  // receiver's buffer lies outside of its heap, in a region that may be closed to puts.
  kReflected,
};

// Who stores data that has come along with a message, from the reception FIFO into the buffer of
// the receive that has matched it.
enum class StoreBy {
  kCore,  // the core loads it and stores it, in an advance()
  // The MU, by a descriptor that the core posts into the send queue: "instructing the DMA to store
  // the data directly" (US 7,890,597). It is run behind what stands there. The receive ends when
  // the data is in the buffer; with kDataLost if memory answers with an error, with kRefused if the
  // region of the buffer is closed. The core does it all the same where the plan has no
  // store_entries, the data of a packet is below store_from, there is no room for the descriptor or
  // its entry, or no receive has matched when the packet is handled.
  kMu,
};

struct ContextOptions {
  Bytes eager_limit = 512;  // longest message that is sent without asking; at most 65536
  SendEnd long_send_end = SendEnd::kReceived;  // of longer ones
  StoreBy store_by = StoreBy::kCore;           // data of messages up to eager_limit
  Bytes store_from = 256;        // least bytes of a packet's data that the MU stores; 0 is as 1
  std::uint32_t window = 64;     // messages to one task that are sent but not acknowledged
  std::uint32_t ack_every = 16;  // messages after which an acknowledgement is sent at once
  Cycles ack_delay = 20'000;     // longest wait for a message that could carry it along
  Cycles retry_least = 2'000;    // wait after a refusal; doubled after each, up to retry_most
  Cycles retry_most = 128'000;
  Cycles probe_after = 400'000;  // silence after which a peer is asked what it expects; doubled
  Cycles probe_most = 6'400'000;
  // Looks in vain before the core sleeps until an interrupt. A look is what two cached lines cost;
  // a core that rests between polls counts on.
  std::uint32_t spin_polls = 64;
  Cycles patience = 1'000'000'000;  // deadline of calls that are given none
  PollingOptions polling{};         // when advance() looks at what: docs/polling.md
};

// Names an operation under way. Good for one wait() or cancel(), or one test() that says true.
struct Request {
  std::uint32_t value = 0;
};

// How an operation ended.
struct Completion {
  std::error_code error;       // zero, kTruncated, kRefused, kDataLost, kNoticesLost
  Task source{};               // of a receive: who sent it,
  ContextId source_context{};  // and by which context
  Tag tag = 0;                 // of a receive: its tag
  Bytes length = 0;            // bytes of the message, also where it was cut off
  Cycles at = 0;               // when the library found it complete
};

// A SEND of a queue pair that its peer has discarded, for it had no RECEIVE enabled (US 9,344,490:
// "the peer would be notified about this discard"). The MU sends it again by itself; whoever sees
// many enables more, or sends less.
struct Discard {
  NodeId peer{};                      // the node that has discarded it
  QueueId queue{};                    // of this node, which sends
  std::uint32_t sequence_number = 0;  // of the message, as the MU counts those of a queue
};

// Memory of another task that it has told us of.
struct RemoteMemory {
  Task task;
  RegionId region;
  Bytes offset = 0;
};

// When a put's request is complete.
enum class Notify {
  kInjected,  // the source has been read and may be used again; found by reading the queue's head
  kReflectedPut,   // the same, told by a reflection node through memory: no register is read
  kReflectedFifo,  // the same, told through a reserved slot of the reply FIFO
  // As kReflectedPut, but what wakes the core is the touch of marked memory, not a flag of the put
  // (US 7,890,597: an interrupt each time that the memory is accessed). Needs
  // PlanOptions::marked_mailboxes: kBadArgument without.
  kReflectedTouch,
  kDelivered,  // the data is in the target's memory (a FENCE follows the put)
};

struct PutOptions {
  Notify notify = Notify::kReflectedPut;
  std::optional<CounterId> counter;  // byte counter at the target that counts the bytes down
  std::optional<EventId> event;      // event counter at the target, bumped after the last byte
  bool interrupt = false;            // cause ARRIVED at the target after the last byte
  std::uint32_t reflector = 7;       // preferred direction 0..5, 6 this node, 7 any
};

// A message that has been matched by probe() and waits to be received.
class Message {
 public:
  [[nodiscard]] Task source() const { return source_.task; }
  [[nodiscard]] ContextId source_context() const { return source_.context; }
  [[nodiscard]] Tag tag() const { return tag_; }
  [[nodiscard]] Bytes length() const { return length_; }
  // True if the data is still at its sender and the MU will store it where receive() says.
  [[nodiscard]] bool at_sender() const { return at_sender_; }

 private:
  friend class Matcher;
  Endpoint source_{};
  Tag tag_ = 0;
  Bytes length_ = 0;
  bool at_sender_ = false;
  std::shared_ptr<struct Incoming> incoming_;
};

// Names the function that an active message runs at its target.
using DispatchId = Identity<struct DispatchTag>;
inline constexpr std::uint32_t kDispatches = 256;      // ids of a context: 0 to 255
inline constexpr std::size_t kMostActiveHeader = 128;  // bytes

// An active message, as its function sees it. Both spans are good until the function returns.
struct ActiveMessage {
  Endpoint source{};
  std::span<const std::byte> header;
  std::span<const std::byte> data;  // empty if the data is still at its sender
  Bytes length = 0;                 // of the data
  bool at_sender = false;           // the MU will store it where the function says
};

// Where the function wants the data to be stored, if at all: `capacity` bytes of it, in a region of
// the client. `done` is called in an advance() once they are there, with kTruncated if there were
// more, kNotRegistered if the buffer is none, kRefused if the sender's memory could not be read.
struct ActiveReceive {
  Address buffer = 0;
  Bytes capacity = 0;
  std::function<void(const Completion&)> done{};
};

using DispatchFunction = std::function<ActiveReceive(const ActiveMessage&)>;

// A short active message of ours that found no function at its target.
struct Undispatched {
  Endpoint target{};
  DispatchId dispatch{};
  std::error_code error;  // kNoDispatch
};

// What a context has done, for figures and tests.
struct ContextCounts {
  std::uint64_t sent_eager = 0;
  std::uint64_t sent_by_request = 0;
  std::uint64_t ended_by_reflection = 0;  // of these, whose end a reflection node has told
  std::uint64_t received = 0;
  std::uint64_t received_unexpected = 0;
  std::uint64_t resent = 0;         // messages sent again
  std::uint64_t duplicates = 0;     // packets dropped because they had come before
  std::uint64_t gaps = 0;           // packets dropped because one before them is missing
  std::uint64_t refusals = 0;       // notices about refused messages and gets
  std::uint64_t stale_notices = 0;  // notices about what is no longer of interest
  std::uint64_t notice_overflows = 0;
  std::uint64_t acks_sent = 0;
  std::uint64_t probes_sent = 0;
  std::uint64_t gets_repeated = 0;
  std::uint64_t dispatched = 0;       // active messages whose function was run here
  std::uint64_t undispatched = 0;     // for which there was none: dropped, and the sender told
  std::uint64_t refused_active = 0;   // short ones of ours of which we have been told so
  std::uint64_t sent_by_segment = 0;  // active messages stored into the segment of the node
  std::uint64_t fences_stored = 0;    // fences that were done with one store
  std::uint64_t stored_by_mu = 0;     // packets whose data the MU has stored
  std::uint64_t stores_no_room = 0;   // that the core has, because no place was free for it
  std::uint64_t odd_packets = 0;      // packets that make no sense, dropped
  std::uint64_t device_errors = 0;    // times that the MU reported an error against this client
  std::uint64_t polls = 0;            // looks into memory for something new
  std::uint64_t tail_reads = 0;       // reads of a tail register
  std::uint64_t sleeps = 0;
};

class ClientShare;
class Engine;

class Context {
 public:
  // The only context of a client; Client::create_context() makes others. Programs nothing
  // privileged: NodeSetup::run() of this node has returned, or start() of this client. `device` and
  // `plan` outlive the context. Options outside their range are brought to the nearest that is
  // inside. Throws std::invalid_argument if the plan has several contexts a client.
  Context(Device& device, const NodePlan& plan, ClientId client,
          const ContextOptions& options = {});
  // What Client::create_context() makes: `context` has joined the share of its client.
  Context(Device& device, const NodePlan& plan, std::shared_ptr<ClientShare> share, ClientId client,
          ContextId context, const ContextOptions& options);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] Task task() const;
  [[nodiscard]] ContextId id() const;
  [[nodiscard]] Endpoint endpoint() const { return {task(), id()}; }
  [[nodiscard]] std::uint32_t tasks() const;
  [[nodiscard]] Cycles now() const;
  [[nodiscard]] const ContextOptions& options() const;
  [[nodiscard]] const ContextCounts& counts() const;

  // --- memory ---
  // Which ranges of this client, marked by NodeSetup::mark(), the MU has touched since the last
  // call: bit n is range number n. Two register accesses if there is one, else one. kDeviceGone.
  Result<std::uint64_t> take_touches();
  // SENDs of this client that peers have discarded since the MU's reset; wraps at 2^31.
  // Reads the register of the notice ring, and handles what lies in that. kDeviceGone.
  Result<std::uint32_t> discards();
  // Those of this context's queue pairs that notices have told of since the last call, oldest
  // first, at most the last 1024. kBadArgument without PlanOptions::tell_discards. The MU tells of
  // none while half of the notice ring is in use, which is for other notices; discards() counts
  // them all the same.
  Result<std::vector<Discard>> take_discards();
  // Node memory from the heap, aligned to 64 bytes; kOutOfResources if there is no such piece.
  Result<Address> take_heap(Bytes bytes);
  // Gives back what take_heap(bytes) returned; nothing may be under way to or from it.
  void give_heap(Address address, Bytes bytes);
  // Makes a region known that NodeSetup::register_memory() has made.
  void know_region(RegionId region, Range memory);
  // How other tasks name this memory; kNotRegistered if no region covers it.
  Result<RemoteMemory> name_memory(Address address, Bytes bytes) const;

  // --- two-sided ---
  // The data may be used again once the request is complete; up to eager_limit that is at once,
  // unless the library is out of buffers, and of longer ones as ContextOptions::long_send_end says:
  // a request that has ended by reflection says nothing of delivery. Messages from one endpoint to
  // another are matched in the order in which they were sent. Errors: kBadArgument (no such
  // endpoint, a negative tag), kNotRegistered.
  Result<Request> send(Task to, Tag tag, Address data, Bytes bytes);
  Result<Request> send(Endpoint to, Tag tag, Address data, Bytes bytes);
  // Takes the oldest message that matches; source may be kAnyTask, any context of it, and tag
  // kAnyTag.
  Result<Request> receive(Task source, Tag tag, Address buffer, Bytes capacity);
  Result<Request> receive(Endpoint source, Tag tag, Address buffer, Bytes capacity);
  // The oldest message that matches and has not been received, taken out of matching; nothing if
  // there is none now, or no such tag. Its receiver may choose the buffer when it knows the length.
  std::optional<Message> probe(Task source, Tag tag);
  std::optional<Message> probe(Endpoint source, Tag tag);
  Result<Request> receive(const Message& message, Address buffer, Bytes capacity);

  // --- active messages ---
  // What active messages with that id run here: in advance(), in the order in which they were sent
  // by one endpoint. The function may send, put and get, but not advance or wait: that says kAgain.
  // One without a target unregisters. Register before others send. kBadArgument: no such id.
  std::error_code register_dispatch(DispatchId id, DispatchFunction function);
  // Runs the function there with the header, which is free at once, and the data. To an endpoint of
  // this node a short message is stored into the segment that both share (US 9,052,974, claim 1),
  // and a longer one keeps its turn there: PlanOptions::segment_lines. Up to eager_limit
  // bytes the data goes along, and the request is complete as that of send(). Longer data stays
  // until the MU there has stored it; if the function is not registered the request ends with
  // kNoDispatch. Errors: kBadArgument (endpoint, id, length of the header), kNotRegistered.
  Result<Request> send_active(Endpoint to, DispatchId id, std::span<const std::byte> header,
                              Address data, Bytes bytes);
  // The oldest of those short ones that found no function, of the last 1024; nothing if none did.
  std::optional<Undispatched> take_undispatched();

  // --- one-sided ---
  // kAgain: no place in the send queue, or no slot for the reflection: advance() and try again.
  Result<Request> put(const RemoteMemory& to, Address from, Bytes bytes,
                      const PutOptions& options = {});
  // Complete when the bytes are in memory here. The target's MU serves it; no core there takes
  // part. kDataLost: its memory could not be read, or memory here not written, or its data was lost
  // 17 times.
  Result<Request> get(Address to, const RemoteMemory& from, Bytes bytes);
  // Complete when every put and message that this context has posted to the task before is in its
  // memory (docs/fences.md). What the task's FIFO has refused is sent again, and the fence waits
  // for that: look() says kResending. It ends with kRefused if the target has refused a put for
  // good, with kNoticesLost if that cannot be known. A memory that answers with an error under a
  // put is told of at its own node alone, by the register memory_errors.
  // kNotOrdered: a get from the task is under way, or a message to it that is longer than
  // eager_limit.
  Result<Request> fence(Task task);
  // The same of all tasks at once.
  Result<Request> fence_all();
  // Complete when every active message to the endpoint, and whatever else fence(task) tells of, is
  // in memory there. Of an endpoint of this node it is one store behind the messages, and complete
  // when this returns, unless one of them waits for room or has gone by the MU, whose FENCE is
  // waited for then (US 9,052,974, claim 1). No message is counted. Of another node: fence(task).
  // kBadArgument: no such endpoint. kNotOrdered: as of fence(task).
  Result<Request> fence(Endpoint endpoint);
  // How many fences that endpoint of this node has stored behind its messages to this one, modulo
  // 2^32: one load. Whatever stood before them is in the segment. kBadArgument: no such endpoint.
  // kNotLocal: it is on another node, or the plan has no segment.
  [[nodiscard]] Result<std::uint32_t> fences_of(Endpoint source);

  // --- one queue for all contexts of the client ---
  // Has the MU insert the descriptor into the first free slot of the client's pushed queue
  // (PlanOptions::push_slots): no context keeps its indices, and all that they push is run in the
  // order in which it was inserted. 8 register writes and a read. The sequence number is zero.
  // What it puts is fenced by no fence of a context; of a put that is refused its target alone
  // tells, and of the end what the descriptor names: a counter or an event. Errors: kAgain (the
  // queue is full, or another context is inserting: advance() and try again), kBadArgument (no
  // pushed queue, or a sequence number), kDeviceGone, kDeviceError (the node was not set up so).
  std::error_code push(const Descriptor& descriptor);
  // A put as such a descriptor; notify and reflector of the options mean nothing. Errors as those
  // of put().
  [[nodiscard]] Result<Descriptor> describe_put(const RemoteMemory& to, Address from, Bytes bytes,
                                                const PutOptions& options = {}) const;

  // --- counters, for lists of queue pairs ---
  // A message that carries nothing but an increment of an event counter of another task, or of this
  // one. It arrives behind what its queue has sent to that node before; fence() tells when, of one
  // that the context itself has posted. kBadArgument: no such task or counter.
  [[nodiscard]] Result<Descriptor> increment(Task task, EventId event) const;
  // kAgain: no place in the send queue.
  std::error_code post_increment(Task task, EventId event);
  // A WAIT until an event counter of this task has been incremented so often: by SENDs, puts and
  // messages that name it, and by what is done here.
  [[nodiscard]] Descriptor wait_for_event(EventId event, std::uint32_t count) const;

  // --- progress ---
  // Handles what has arrived and sends what is due. kDeviceGone if the node no longer answers.
  std::error_code advance();
  // True once the request is complete; it is then over, and `completion` (if given) filled in.
  bool test(Request request, Completion* completion = nullptr);
  // How it stands with a request, without a wait: zero, or of one that is complete its error, or
  // kResending of a fence. kBadArgument: the request is over.
  [[nodiscard]] std::error_code look(Request request) const;
  // Advances until the request is complete or `deadline` (absolute) has come: kDeadline, and the
  // request goes on.
  Result<Completion> wait(Request request, Cycles deadline);
  Result<Completion> wait(Request request) { return wait(request, now() + options().patience); }
  // Takes back a receive that has not matched. False if it has: then wait for it.
  bool cancel(Request request);
  // Advances until `done` says true, or kDeadline.
  std::error_code advance_until(const std::function<bool()>& done, Cycles deadline);
  // Advances until everything sent has been acknowledged and every acknowledgement owed is sent.
  std::error_code flush(Cycles deadline);
  // Has another context of the client, or this one, call `work` in an advance(), in the order of
  // posting; wakes it if it sleeps. It must not advance or wait. kBadArgument: no such context.
  std::error_code post(ContextId to, std::function<void()> work);
  // Serves others for so many cycles: the last call of a task, in case an acknowledgement of its
  // was refused and is asked for again.
  std::error_code linger(Cycles cycles);

  // For the library's own messages (collectives): tags of a space of their own.
  Result<Request> send_internal(Task to, std::uint32_t tag, Address data, Bytes bytes);
  Result<Request> receive_internal(Task source, std::uint32_t tag, Address buffer, Bytes capacity);
  // Runs a descriptor in the context's own queue, which never waits. kAgain: no place in it.
  std::error_code run_internal(const Descriptor& descriptor);
  // `progress` is called in every advance(); it says whether it has done something, and must not
  // advance itself. Returns its name for remove_progress().
  std::uint32_t add_progress(std::function<bool()> progress);
  void remove_progress(std::uint32_t name);
  // What advance() polls, each by its history; components of the program may be added.
  Poller& poller();
  Device& device();
  [[nodiscard]] const NodePlan& plan() const;

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace torusmu

#endif  // TORUSMU_CONTEXT_H_
