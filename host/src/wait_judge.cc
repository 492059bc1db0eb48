// SPDX-License-Identifier: Apache-2.0
#include "host/src/wait_judge.h"

#include <string>
#include <utility>

namespace torusmu::waits {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace w = layout::wait_operation;

constexpr std::uint32_t kCompletionTarget = 128;            // targets of a WAIT from here on
constexpr std::uint64_t kEndless = std::uint64_t{1} << 40;  // what a loop does again and again

std::string number(std::uint64_t value) { return std::to_string(value); }
std::string plural(std::uint64_t count, const std::string& what) {
  return number(count) + " " + what + (count == 1 ? "" : "s");
}

std::uint32_t ahead(std::uint32_t to, std::uint32_t from) {
  const std::uint32_t by = to - from;
  return static_cast<std::int32_t>(by) > 0 ? by : 0;
}

std::uint32_t value_of(const Descriptor& descriptor) {
  const auto operation = WaitOperation::from_bytes(descriptor.get<d::immediate>());
  return static_cast<std::uint32_t>(operation.get<w::value>());
}
std::uint64_t times(const QueueLook& queue, std::uint64_t count) {
  return queue.cyclic ? kEndless : count;
}
// One entry for each queue: its first descriptor that helps.
void help(Held& held, QueuePlace at, const QueueLook& queue, std::uint32_t index,
          const Descriptor& descriptor, std::uint64_t by) {
  if (!held.helpers.empty() && held.helpers.back().place == at) {
    held.helpers.back().count += times(queue, by);
    return;
  }
  held.helpers.push_back({at, index, name_of(descriptor.get<d::opcode>()), times(queue, by)});
}
void tell_missing(Held& held, const std::string& unit, const std::string& of) {
  std::uint64_t posted = 0;
  for (const Helper& helper : held.helpers) posted += helper.count;
  if (posted < held.needs) held.missing = plural(held.needs - posted, unit) + of;
}

// What a PIPE receives from: nothing at the origin.
std::optional<std::uint32_t> piped_queue(const Descriptor& pipe) {
  const auto operation = PipeOperation::from_bytes(pipe.get<d::immediate>());
  if (operation.get<layout::pipe_operation::origin>() != 0) return std::nullopt;
  return static_cast<std::uint32_t>(operation.get<layout::pipe_operation::receive_queue>());
}
// Not a PIPE at the target.
bool sends_to_peer(const Descriptor& descriptor) {
  const Opcode opcode = descriptor.get<d::opcode>();
  if (opcode != Opcode::kPipe) return opcode == Opcode::kSend;
  const auto operation = PipeOperation::from_bytes(descriptor.get<d::immediate>());
  return operation.get<layout::pipe_operation::target>() == 0;
}

}  // namespace

std::optional<Held> Judge::judge(QueuePlace place, const QueueLook& queue) const {
  if (queue.moves) return std::nullopt;
  if (queue.halted) {
    return Held{.descriptor = queue.head,
                .text = "halted by " + std::string(name_of(queue.status)) + " of descriptor " +
                        number(queue.failed_at),
                .missing = "the queue stays halted until its config is written"};
  }
  if (queue.posted.empty()) return std::nullopt;
  Held held{.descriptor = queue.head};
  if (queue.managed && ahead(queue.limit, queue.head) == 0) {
    not_enabled(place, queue, held);
    return held;
  }
  const Descriptor& first = queue.posted.front().descriptor;
  switch (first.get<d::opcode>()) {
    case Opcode::kWait:
      return waits(place, queue, first, held) ? std::optional(held) : std::nullopt;
    case Opcode::kSend:
      return sends(queue, first, held) ? std::optional(held) : std::nullopt;
    case Opcode::kReceive:
      return (queue.dynamic ? receives_from_any(place, held) : receives(queue, held))
                 ? std::optional(held)
                 : std::nullopt;
    case Opcode::kPipe:
      return pipes(place, queue, first, held) ? std::optional(held) : std::nullopt;
    case Opcode::kFence:
      fences(first, held);
      return held;
    default:
      return std::nullopt;  // nothing in a queue holds it
  }
}

void Judge::not_enabled(QueuePlace place, const QueueLook& queue, Held& held) const {
  const Opcode wanted = queue.mode == QueueMode::kReceive ? Opcode::kRecvEn : Opcode::kSendEn;
  const std::string name(name_of(wanted));
  held.text = std::string(name_of(queue.posted.front().descriptor.get<d::opcode>())) +
              ", not enabled: the limit is " + number(queue.limit);
  queues_.for_each_posted([&](QueuePlace at, const QueueLook& other, std::uint32_t index,
                              const Descriptor& descriptor) {
    if (at.first != place.first || descriptor.get<d::opcode>() != wanted ||
        descriptor.get<d::header>().get<h::target>() != place.second) {
      return;
    }
    const std::uint32_t value = value_of(descriptor);
    const std::uint32_t by = descriptor.get<d::relative>() != 0 ? value : ahead(value, queue.limit);
    if (by != 0) held.helpers.push_back({at, index, name_of(wanted), times(other, by)});
  });
  if (held.helpers.empty()) held.missing = "a " + name + " for " + queues_.name_of(place);
}

bool Judge::waits(QueuePlace place, const QueueLook& queue, const Descriptor& wait,
                  Held& held) const {
  const bool on_queue = wait.get<d::on_queue>() != 0;
  const auto target = static_cast<std::uint32_t>(on_queue ? wait.get<d::header>().get<h::target>()
                                                          : wait.get<d::event_counter>());
  const bool on_entries = on_queue && target >= kCompletionTarget;
  const std::string what =
      !on_queue    ? "event counter " + number(target) + " to be "
      : on_entries ? "completion queue " + number(target - kCompletionTarget) + " to have "
                   : "queue " + number(target) + " to have done ";
  const std::string is = on_queue ? "has " : "is ";
  const std::string unit = on_entries ? " entries" : "";
  if (!queue.threshold) {
    held.text = "WAIT for " + what + "more than another WAIT (" + is + number(queue.count) + ")";
  } else {
    held.needs = ahead(*queue.threshold, queue.count);
    if (held.needs == 0) return false;
    held.text = "WAIT for " + what + number(*queue.threshold) + unit + " (" + is +
                number(queue.count) + ")";
  }
  if (on_queue && !on_entries) {
    done_by({place.first, target}, held);
  } else if (on_entries) {
    entered_by(place.first, target - kCompletionTarget, held);
  } else {
    bumped_by(place.first, target, held);
  }
  return true;
}

void Judge::done_by(QueuePlace target, Held& held) const {
  held.is_of_queue = true;
  const QueueLook* queue = queues_.find(target);
  const std::uint64_t posted = queue == nullptr || queue->posted.empty() ? 0
                               : queue->cyclic                           ? kEndless
                                                                         : queue->posted.size();
  if (posted != 0 || (queue != nullptr && queue->halted)) {
    const auto last = static_cast<std::uint32_t>(queue->head + held.needs - 1);
    held.helpers.push_back({target, last, "", posted});
  }
  if (posted < held.needs) {
    held.missing =
        plural(held.needs - posted, "more descriptor") + " in " + queues_.name_of(target);
  }
}

void Judge::entered_by(std::uint32_t node, std::uint32_t completion_queue, Held& held) const {
  queues_.for_each_posted([&](QueuePlace at, const QueueLook& queue, std::uint32_t index,
                              const Descriptor& descriptor) {
    const bool enters = at.first == node && descriptor.get<d::signal>() != 0 &&
                        queue.completions == CompletionQueueId{completion_queue};
    if (enters) help(held, at, queue, index, descriptor, 1);
  });
  tell_missing(
      held, "signalled descriptor",
      " for completion queue " + number(completion_queue) + " of " + queues_.name_of_node(node));
}

void Judge::bumped_by(std::uint32_t node, std::uint32_t event, Held& held) const {
  queues_.for_each_posted([&](QueuePlace at, const QueueLook& queue, std::uint32_t index,
                              const Descriptor& descriptor) {
    const std::uint64_t by = bumps(at, queue, descriptor, node, event);
    if (by != 0) help(held, at, queue, index, descriptor, by);
  });
  tell_missing(held, "increment",
               " of event counter " + number(event) + " of " + queues_.name_of_node(node));
}
// How much a descriptor adds to an event counter.
std::uint64_t Judge::bumps(QueuePlace at, const QueueLook& queue, const Descriptor& descriptor,
                           std::uint32_t node, std::uint32_t event) const {
  const Opcode opcode = descriptor.get<d::opcode>();
  const bool names =
      descriptor.get<d::event_valid>() != 0 && descriptor.get<d::event_counter>() == event;
  const bool is_of_pair =
      opcode == Opcode::kSend || opcode == Opcode::kReceive || opcode == Opcode::kPipe;
  const bool names_done = descriptor.get<d::done_event_valid>() != 0;
  std::uint64_t by = 0;
  if (at.first == node && names_done && descriptor.get<d::done_event>() == event) ++by;
  if (at.first == node && is_of_pair && !names_done && queue.event == EventId{event}) ++by;
  if (opcode == Opcode::kPut || opcode == Opcode::kFifo) {
    if (names && node_named_by(descriptor) == node) ++by;
  } else if (opcode == Opcode::kSend || opcode == Opcode::kPipe) {
    const auto to = target_of(queue, descriptor);
    if (names && to && to->first == node) ++by;
  } else if (opcode == Opcode::kCtrAdd) {
    if (names && at.first == node) by += value_of(descriptor);
  } else if (opcode == Opcode::kCtrSet) {
    if (names && at.first == node) by = kEndless;
  }
  return by;
}

std::uint32_t Judge::node_named_by(const Descriptor& descriptor) const {
  const auto header = descriptor.get<d::header>();
  return queues_.shape()
      .node({static_cast<std::uint32_t>(header.get<h::dst_x>()),
             static_cast<std::uint32_t>(header.get<h::dst_y>()),
             static_cast<std::uint32_t>(header.get<h::dst_z>())})
      .value;
}
// The receive queue that a SEND or PIPE goes to; nothing if it ends with an error.
std::optional<QueuePlace> Judge::target_of(const QueueLook& queue,
                                           const Descriptor& descriptor) const {
  if (queue.peer)
    return QueuePlace{queues_.shape().node(*queue.peer).value, queue.peer_queue.value};
  if (!queue.dynamic || descriptor.get<d::opcode>() != Opcode::kSend) return std::nullopt;
  return QueuePlace{node_named_by(descriptor),
                    static_cast<std::uint32_t>(descriptor.get<d::header>().get<h::target>())};
}

bool Judge::sends(const QueueLook& queue, const Descriptor& send, Held& held) const {
  const auto target = target_of(queue, send);
  if (!target) return false;  // it ends with an error
  const QueuePlace peer = *target;
  held.is_of_queue = true;
  held.text = "SEND to " + queues_.name_of(peer) + ", not acknowledged";
  const QueueLook* receives = queues_.find(peer);
  if (receives == nullptr) {
    held.missing = queues_.has_seen(peer.first) ? queues_.name_of(peer) + " is off"
                                                : queues_.name_of(peer) + " has not been looked at";
    return true;
  }
  if (receives->dynamic != queue.dynamic) return false;  // it ends with an error
  if (receives->mode == QueueMode::kPiped) return is_piped(peer, held);
  if (receives->posted.empty() && !receives->halted) {
    held.missing = "no RECEIVE is posted in " + queues_.name_of(peer);
    return true;
  }
  const bool is_open = !receives->managed || ahead(receives->limit, receives->head) != 0;
  if (is_open && !receives->halted) return false;  // its message is taken, or under way
  held.helpers.push_back({peer, receives->head, name_of(Opcode::kReceive), 1});
  return true;
}

// No queue there has to do anything: the target's MU answers.
void Judge::fences(const Descriptor& fence, Held& held) const {
  const std::uint32_t node = node_named_by(fence);
  held.text = "FENCE to " + queues_.name_of_node(node) + ", not answered";
  held.missing = queues_.has_seen(node) ? "the answer of " + queues_.name_of_node(node)
                                        : queues_.name_of_node(node) + " has not been looked at";
}

// What is sent to a queue in mode PIPED waits for the PIPE that gives it its buffers.
bool Judge::is_piped(QueuePlace receives, Held& held) const {
  queues_.for_each_posted([&](QueuePlace at, const QueueLook&, std::uint32_t index,
                              const Descriptor& descriptor) {
    const bool gives = at.first == receives.first && descriptor.get<d::opcode>() == Opcode::kPipe &&
                       piped_queue(descriptor) == receives.second;
    if (gives && held.helpers.empty()) {
      held.helpers.push_back({at, index, name_of(Opcode::kPipe), 1});
    }
  });
  if (held.helpers.empty()) held.missing = "no PIPE is posted for " + queues_.name_of(receives);
  return true;
}

// Held by what it sends, if that has no RECEIVE, else by what it does not receive.
bool Judge::pipes(QueuePlace place, const QueueLook& queue, const Descriptor& pipe,
                  Held& held) const {
  if (sends_to_peer(pipe)) {
    if (!queue.peer) return false;  // it ends with an error
    if (sends(queue, pipe, held)) {
      held.text.replace(0, std::string("SEND").size(), name_of(Opcode::kPipe));
      return true;
    }
  }
  const auto piped = piped_queue(pipe);
  const QueueLook* from = piped ? queues_.find({place.first, *piped}) : nullptr;
  if (from == nullptr || !receives(*from, held)) return false;
  held.text.replace(0, std::string("RECEIVE").size(), name_of(Opcode::kPipe));
  // A SEND that stands first there is under way.
  if (held.helpers.empty()) return true;
  const QueueLook* origin = queues_.find(held.helpers.front().place);
  return origin->halted || held.helpers.front().descriptor != origin->head;
}

bool Judge::receives(const QueueLook& queue, Held& held) const {
  held.text = "RECEIVE without a message";
  held.is_of_queue = true;
  if (!queue.peer) {
    held.missing = "the queue is not connected";
    return true;
  }
  const QueuePlace peer{queues_.shape().node(*queue.peer).value, queue.peer_queue.value};
  held.text += " from " + queues_.name_of(peer);
  const QueueLook* sends = queues_.find(peer);
  if (sends != nullptr) {
    if (sends->halted) held.helpers.push_back({peer, sends->head, name_of(Opcode::kSend), 1});
    for (std::size_t i = 0; i < sends->posted.size() && held.helpers.empty(); ++i) {
      const Descriptor& descriptor = sends->posted[i].descriptor;
      if (!sends_to_peer(descriptor)) continue;
      held.helpers.push_back({peer, static_cast<std::uint32_t>(sends->head + i),
                              name_of(descriptor.get<d::opcode>()), 1});
    }
  }
  if (held.helpers.empty()) {
    held.missing = queues_.has_seen(peer.first) ? "no SEND is posted in " + queues_.name_of(peer)
                                                : queues_.name_of(peer) + " has not been looked at";
  }
  return true;
}

// Of a dynamic queue: every SEND that names it would do.
bool Judge::receives_from_any(QueuePlace place, Held& held) const {
  held.text = "RECEIVE without a message from any";
  queues_.for_each_posted([&](QueuePlace at, const QueueLook& queue, std::uint32_t index,
                              const Descriptor& descriptor) {
    const bool comes = queue.dynamic && descriptor.get<d::opcode>() == Opcode::kSend &&
                       target_of(queue, descriptor) == place;
    if (comes) help(held, at, queue, index, descriptor, 1);
  });
  if (held.helpers.empty()) held.missing = "a SEND to " + queues_.name_of(place);
  return true;
}

}  // namespace torusmu::waits
