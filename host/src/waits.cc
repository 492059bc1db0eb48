// SPDX-License-Identifier: Apache-2.0
// Queues that are held, as a graph: each has what would let it go on, and who has that posted.
#include "torusmu/waits.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace w = layout::wait_operation;

constexpr std::uint32_t kCompletionTarget = 128;            // targets of a WAIT from here on
constexpr std::uint64_t kEndless = std::uint64_t{1} << 40;  // what a loop does again and again

using Place = std::pair<std::uint32_t, std::uint32_t>;  // node, queue

// Who would do something for a held queue.
struct Helper {
  Place place;
  std::uint32_t descriptor = 0;  // that does it; or that must be done
  std::string_view what;         // its opcode
  std::uint64_t count = 0;       // how often
};

struct Held {
  std::uint32_t descriptor = 0;
  std::string text{};
  std::uint64_t needs = 1;
  std::vector<Helper> helpers{};
  // It waits for what one queue does in its turn: while that is held, posting more does not help.
  bool is_of_queue = false;
  std::string missing{};   // what nobody has posted; empty if enough is posted
  std::uint32_t rank = 0;  // of those that may go on, helped by lower ranks alone
  [[nodiscard]] bool is_stuck() const { return rank == 0; }
};

std::string number(std::uint64_t value) { return std::to_string(value); }
std::string plural(std::uint64_t count, const std::string& what) {
  return number(count) + " " + what + (count == 1 ? "" : "s");
}

std::uint32_t ahead(std::uint32_t to, std::uint32_t from) {
  const std::uint32_t by = to - from;
  return static_cast<std::int32_t>(by) > 0 ? by : 0;
}

class Graph {
 public:
  Graph(const Shape& shape, std::span<const NodeQueues> nodes) : shape_(shape) {
    for (const NodeQueues& node : nodes) {
      seen_.insert(node.node.value);
      for (const QueueLook& queue : node.queues) {
        queues_[{node.node.value, queue.queue.value}] = &queue;
      }
    }
    for (const auto& [place, queue] : queues_) {
      if (auto held = judge(place, *queue)) held_[place] = std::move(*held);
    }
    rank();
  }

  [[nodiscard]] WaitReport report() const {
    WaitReport result;
    std::set<Place> told;
    for (const auto& [place, held] : held_) {
      if (held.is_stuck()) add_cycle(place, told, result);
    }
    std::set<Place> waited_for;  // chains begin where nobody waits
    for (const auto& [place, held] : held_) {
      if (const Helper* next = next_of(held)) waited_for.insert(next->place);
    }
    for (const auto& [place, held] : held_) {
      if (!told.contains(place) && !waited_for.contains(place)) add_chain(place, told, result);
    }
    return result;
  }

 private:
  [[nodiscard]] std::string name_of_node(std::uint32_t node) const {
    const Coordinates at = shape_.coordinates({node});
    return "node (" + number(at.x) + "," + number(at.y) + "," + number(at.z) + ")";
  }
  [[nodiscard]] std::string name_of_place(Place place) const {
    return name_of_node(place.first) + " queue " + number(place.second);
  }
  [[nodiscard]] const QueueLook* find(Place place) const {
    const auto found = queues_.find(place);
    return found == queues_.end() ? nullptr : found->second;
  }

  // --- why a queue does not go on; nothing if it does -------------------------------------------
  [[nodiscard]] std::optional<Held> judge(Place place, const QueueLook& queue) const {
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

  void not_enabled(Place place, const QueueLook& queue, Held& held) const {
    const Opcode wanted = queue.mode == QueueMode::kReceive ? Opcode::kRecvEn : Opcode::kSendEn;
    const std::string name(name_of(wanted));
    held.text = std::string(name_of(queue.posted.front().descriptor.get<d::opcode>())) +
                ", not enabled: the limit is " + number(queue.limit);
    for_each_posted(
        [&](Place at, const QueueLook& other, std::uint32_t index, const Descriptor& descriptor) {
          if (at.first != place.first || descriptor.get<d::opcode>() != wanted ||
              descriptor.get<d::header>().get<h::target>() != place.second) {
            return;
          }
          const std::uint32_t value = value_of(descriptor);
          const std::uint32_t by =
              descriptor.get<d::relative>() != 0 ? value : ahead(value, queue.limit);
          if (by != 0) held.helpers.push_back({at, index, name_of(wanted), times(other, by)});
        });
    if (held.helpers.empty()) held.missing = "a " + name + " for " + name_of_place(place);
  }

  bool waits(Place place, const QueueLook& queue, const Descriptor& wait, Held& held) const {
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

  void done_by(Place target, Held& held) const {
    held.is_of_queue = true;
    const QueueLook* queue = find(target);
    const std::uint64_t posted = queue == nullptr || queue->posted.empty() ? 0
                                 : queue->cyclic                           ? kEndless
                                                                           : queue->posted.size();
    if (posted != 0 || (queue != nullptr && queue->halted)) {
      const auto last = static_cast<std::uint32_t>(queue->head + held.needs - 1);
      held.helpers.push_back({target, last, "", posted});
    }
    if (posted < held.needs) {
      held.missing =
          plural(held.needs - posted, "more descriptor") + " in " + name_of_place(target);
    }
  }

  void entered_by(std::uint32_t node, std::uint32_t completion_queue, Held& held) const {
    for_each_posted(
        [&](Place at, const QueueLook& queue, std::uint32_t index, const Descriptor& descriptor) {
          const bool enters = at.first == node && descriptor.get<d::signal>() != 0 &&
                              queue.completions == CompletionQueueId{completion_queue};
          if (enters) help(held, at, queue, index, descriptor, 1);
        });
    tell_missing(held, "signalled descriptor",
                 " for completion queue " + number(completion_queue) + " of " + name_of_node(node));
  }

  void bumped_by(std::uint32_t node, std::uint32_t event, Held& held) const {
    for_each_posted(
        [&](Place at, const QueueLook& queue, std::uint32_t index, const Descriptor& descriptor) {
          const std::uint64_t by = bumps(at, queue, descriptor, node, event);
          if (by != 0) help(held, at, queue, index, descriptor, by);
        });
    tell_missing(held, "increment",
                 " of event counter " + number(event) + " of " + name_of_node(node));
  }
  // How much a descriptor adds to an event counter.
  [[nodiscard]] std::uint64_t bumps(Place at, const QueueLook& queue, const Descriptor& descriptor,
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

  [[nodiscard]] std::uint32_t node_named_by(const Descriptor& descriptor) const {
    const auto header = descriptor.get<d::header>();
    return shape_
        .node({static_cast<std::uint32_t>(header.get<h::dst_x>()),
               static_cast<std::uint32_t>(header.get<h::dst_y>()),
               static_cast<std::uint32_t>(header.get<h::dst_z>())})
        .value;
  }
  // The receive queue that a SEND or PIPE goes to; nothing if it ends with an error.
  [[nodiscard]] std::optional<Place> target_of(const QueueLook& queue,
                                               const Descriptor& descriptor) const {
    if (queue.peer) return Place{shape_.node(*queue.peer).value, queue.peer_queue.value};
    if (!queue.dynamic || descriptor.get<d::opcode>() != Opcode::kSend) return std::nullopt;
    return Place{node_named_by(descriptor),
                 static_cast<std::uint32_t>(descriptor.get<d::header>().get<h::target>())};
  }

  bool sends(const QueueLook& queue, const Descriptor& send, Held& held) const {
    const auto target = target_of(queue, send);
    if (!target) return false;  // it ends with an error
    const Place peer = *target;
    held.is_of_queue = true;
    held.text = "SEND to " + name_of_place(peer) + ", not acknowledged";
    const QueueLook* receives = find(peer);
    if (receives == nullptr) {
      held.missing = seen_.contains(peer.first) ? name_of_place(peer) + " is off"
                                                : name_of_place(peer) + " has not been looked at";
      return true;
    }
    if (receives->dynamic != queue.dynamic) return false;  // it ends with an error
    if (receives->mode == QueueMode::kPiped) return is_piped(peer, held);
    if (receives->posted.empty() && !receives->halted) {
      held.missing = "no RECEIVE is posted in " + name_of_place(peer);
      return true;
    }
    const bool is_open = !receives->managed || ahead(receives->limit, receives->head) != 0;
    if (is_open && !receives->halted) return false;  // its message is taken, or under way
    held.helpers.push_back({peer, receives->head, name_of(Opcode::kReceive), 1});
    return true;
  }

  // No queue there has to do anything: the target's MU answers.
  void fences(const Descriptor& fence, Held& held) const {
    const std::uint32_t node = node_named_by(fence);
    held.text = "FENCE to " + name_of_node(node) + ", not answered";
    held.missing = seen_.contains(node) ? "the answer of " + name_of_node(node)
                                        : name_of_node(node) + " has not been looked at";
  }

  // What is sent to a queue in mode PIPED waits for the PIPE that gives it its buffers.
  bool is_piped(Place receives, Held& held) const {
    for_each_posted(
        [&](Place at, const QueueLook&, std::uint32_t index, const Descriptor& descriptor) {
          const bool gives = at.first == receives.first &&
                             descriptor.get<d::opcode>() == Opcode::kPipe &&
                             piped_queue(descriptor) == receives.second;
          if (gives && held.helpers.empty()) {
            held.helpers.push_back({at, index, name_of(Opcode::kPipe), 1});
          }
        });
    if (held.helpers.empty()) held.missing = "no PIPE is posted for " + name_of_place(receives);
    return true;
  }
  static std::uint32_t piped_queue(const Descriptor& pipe) {
    return static_cast<std::uint32_t>(PipeOperation::from_bytes(pipe.get<d::immediate>())
                                          .get<layout::pipe_operation::receive_queue>());
  }
  // Held by what it sends, if that has no RECEIVE, else by what it does not receive.
  bool pipes(Place place, const QueueLook& queue, const Descriptor& pipe, Held& held) const {
    if (!queue.peer) return false;  // it ends with an error
    if (sends(queue, pipe, held)) {
      held.text.replace(0, std::string("SEND").size(), name_of(Opcode::kPipe));
      return true;
    }
    const QueueLook* from = find({place.first, piped_queue(pipe)});
    if (from == nullptr || !receives(*from, held)) return false;
    held.text.replace(0, std::string("RECEIVE").size(), name_of(Opcode::kPipe));
    // A SEND that stands first there is under way.
    if (held.helpers.empty()) return true;
    const QueueLook* origin = find(held.helpers.front().place);
    return origin->halted || held.helpers.front().descriptor != origin->head;
  }

  bool receives(const QueueLook& queue, Held& held) const {
    held.text = "RECEIVE without a message";
    held.is_of_queue = true;
    if (!queue.peer) {
      held.missing = "the queue is not connected";
      return true;
    }
    const Place peer{shape_.node(*queue.peer).value, queue.peer_queue.value};
    held.text += " from " + name_of_place(peer);
    const QueueLook* sends = find(peer);
    if (sends != nullptr) {
      if (sends->halted) held.helpers.push_back({peer, sends->head, name_of(Opcode::kSend), 1});
      for (std::size_t i = 0; i < sends->posted.size() && held.helpers.empty(); ++i) {
        const Descriptor& descriptor = sends->posted[i].descriptor;
        const Opcode opcode = descriptor.get<d::opcode>();
        if (opcode != Opcode::kSend && opcode != Opcode::kPipe) continue;
        held.helpers.push_back(
            {peer, static_cast<std::uint32_t>(sends->head + i), name_of(opcode), 1});
      }
    }
    if (held.helpers.empty()) {
      held.missing = seen_.contains(peer.first) ? "no SEND is posted in " + name_of_place(peer)
                                                : name_of_place(peer) + " has not been looked at";
    }
    return true;
  }

  // Of a dynamic queue: every SEND that names it would do.
  bool receives_from_any(Place place, Held& held) const {
    held.text = "RECEIVE without a message from any";
    for_each_posted(
        [&](Place at, const QueueLook& queue, std::uint32_t index, const Descriptor& descriptor) {
          const bool comes = queue.dynamic && descriptor.get<d::opcode>() == Opcode::kSend &&
                             target_of(queue, descriptor) == place;
          if (comes) help(held, at, queue, index, descriptor, 1);
        });
    if (held.helpers.empty()) held.missing = "a SEND to " + name_of_place(place);
    return true;
  }

  // --- what is posted
  // ----------------------------------------------------------------------------- Of all queues,
  // and what their GETs carry.
  template <typename Use>
  void for_each_posted(Use use) const {
    for (const auto& [place, queue] : queues_) {
      for (std::size_t i = 0; i < queue->posted.size(); ++i) {
        const auto index = static_cast<std::uint32_t>(queue->head + i);
        use(place, *queue, index, queue->posted[i].descriptor);
        for (const Descriptor& carried : queue->posted[i].carried) {
          use(place, *queue, index, carried);
        }
      }
    }
  }
  static std::uint32_t value_of(const Descriptor& descriptor) {
    const auto operation = WaitOperation::from_bytes(descriptor.get<d::immediate>());
    return static_cast<std::uint32_t>(operation.get<w::value>());
  }
  static std::uint64_t times(const QueueLook& queue, std::uint64_t count) {
    return queue.cyclic ? kEndless : count;
  }
  // One entry for each queue: its first descriptor that helps.
  static void help(Held& held, Place at, const QueueLook& queue, std::uint32_t index,
                   const Descriptor& descriptor, std::uint64_t by) {
    if (!held.helpers.empty() && held.helpers.back().place == at) {
      held.helpers.back().count += times(queue, by);
      return;
    }
    held.helpers.push_back({at, index, name_of(descriptor.get<d::opcode>()), times(queue, by)});
  }
  static void tell_missing(Held& held, const std::string& unit, const std::string& of) {
    std::uint64_t posted = 0;
    for (const Helper& helper : held.helpers) posted += helper.count;
    if (posted < held.needs) held.missing = plural(held.needs - posted, unit) + of;
  }

  // --- who may go on
  // ------------------------------------------------------------------------------ From the bottom:
  // a queue may go on if what it needs can still come from outside, or comes from queues that may
  // go on. Those that are left wait for one another.
  void rank() {
    for (std::uint32_t rank = 1;; ++rank) {
      std::vector<Held*> found;
      for (auto& [place, held] : held_) {
        if (held.is_stuck() && may_go_on(held)) found.push_back(&held);
      }
      if (found.empty()) return;
      for (Held* held : found) held->rank = rank;
    }
  }
  [[nodiscard]] bool may_go_on(const Held& held) const {
    std::uint64_t count = 0;
    for (const Helper& helper : held.helpers) {
      const auto found = held_.find(helper.place);
      const bool goes_on = found == held_.end() || !found->second.is_stuck();
      if (held.is_of_queue && !goes_on) return false;
      if (goes_on) count += helper.count;
    }
    return !held.missing.empty() || count >= held.needs;
  }

  // Whom to look at next: of those that never go on another such; of the others one of lower rank.
  [[nodiscard]] const Helper* next_of(const Held& held) const {
    if (!held.is_stuck() && !held.is_of_queue && !held.missing.empty()) return nullptr;
    const Helper* running = nullptr;
    for (const Helper& helper : held.helpers) {
      const auto found = held_.find(helper.place);
      if (found == held_.end()) {
        running = &helper;
      } else if (held.is_stuck() ? found->second.is_stuck()
                                 : !found->second.is_stuck() && found->second.rank < held.rank) {
        return &helper;
      }
    }
    return held.missing.empty() ? running : nullptr;
  }

  // --- the report
  // ---------------------------------------------------------------------------------
  [[nodiscard]] WaitStep step_of(Place place, const Helper* as) const {
    const Held& held = held_.at(place);
    WaitStep step{{place.first}, {place.second}, held.descriptor, {}};
    step.text = name_of_place(place) + ", descriptor " + number(held.descriptor) + ": " + held.text;
    if (as != nullptr && as->descriptor != held.descriptor) {
      step.text += "; behind it descriptor " + number(as->descriptor) +
                   (as->what.empty() ? "" : ", " + std::string(as->what));
    }
    return step;
  }
  void add_cycle(Place start, std::set<Place>& told, WaitReport& report) const {
    std::vector<Place> way;
    Place at = start;
    while (!told.contains(at) && std::find(way.begin(), way.end(), at) == way.end()) {
      way.push_back(at);
      at = next_of(held_.at(at))->place;
    }
    const auto first = std::find(way.begin(), way.end(), at);
    if (first == way.end()) return;  // it leads into one that has been told
    WaitChain chain{.cycle = true, .steps = {}, .end = {}};
    // What the last one waits for stands in the first.
    const Helper* as = next_of(held_.at(way.back()));
    for (auto step = first; step != way.end(); ++step) {
      chain.steps.push_back(step_of(*step, as));
      told.insert(*step);
      as = next_of(held_.at(*step));
    }
    chain.end = name_of_place(at) + ": none of these can go on before another does";
    report.chains.push_back(std::move(chain));
  }
  void add_chain(Place start, std::set<Place>& told, WaitReport& report) const {
    WaitChain chain;
    const Helper* as = nullptr;
    for (Place at = start;; at = as->place) {
      const auto found = held_.find(at);
      if (found == held_.end()) {
        chain.end = name_of_place(at) + ", which goes on";
        break;
      }
      if (!told.insert(at).second) {
        chain.end = name_of_place(at) + ", told above";
        break;
      }
      chain.steps.push_back(step_of(at, as));
      as = next_of(found->second);
      if (as == nullptr) {
        chain.end = "nobody here posted what it waits for: " + found->second.missing;
        break;
      }
    }
    report.chains.push_back(std::move(chain));
  }

  Shape shape_;
  std::set<std::uint32_t> seen_;  // nodes
  std::map<Place, const QueueLook*> queues_;
  std::map<Place, Held> held_;
};

}  // namespace

WaitReport who_waits(const Shape& shape, std::span<const NodeQueues> nodes) {
  return Graph(shape, nodes).report();
}

WaitReport who_waits(Context& context) {
  const NodePlan& plan = context.plan();
  const ClientId client = plan.place(context.task()).client;
  const NodeQueues own = look_at_queues(context.device(), plan.sizes(), client);
  return who_waits(plan.shape(), {&own, 1});
}

std::string WaitReport::text(std::size_t most_chains) const {
  std::string text;
  for (std::size_t i = 0; i < std::min(most_chains, chains.size()); ++i) {
    const WaitChain& chain = chains[i];
    text += chain.cycle ? "waits for itself, for ever:\n" : "waits:\n";
    const char* arrow = "  ";
    for (const WaitStep& step : chain.steps) {
      text += arrow + step.text + "\n";
      arrow = "  <- ";
    }
    text += "  <- " + chain.end + "\n";
  }
  if (chains.size() > most_chains) {
    text += "and " + std::to_string(chains.size() - most_chains) + " more chains\n";
  }
  return text;
}

}  // namespace torusmu
