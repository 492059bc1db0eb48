// SPDX-License-Identifier: Apache-2.0
#include "tb/reference_model/machine.h"

#include <algorithm>
#include <stdexcept>

#include "sim/machine/core_watch.h"

namespace torusmu::model {
namespace {

constexpr std::uint32_t kMostNodesInARow = 16;
constexpr Cycles kBusCycles = 3;  // a register access, from the bus to its answer

}  // namespace

struct ReferenceMachine::Node final : NodeBackend {
  Node(ReferenceMachine& owner, NodeId id)
      : machine(owner),
        model(owner.options_.shape, id, owner.options_.memory_size, owner.options_.sizes),
        watch(owner.options_.sizes) {}

  Shape shape() const override { return model.shape(); }
  NodeId node() const override { return model.id(); }
  NodeMemory& memory() override { return model.memory(); }
  void start(Core& core, const RegisterAccess& access, Cycles now) override {
    machine.start_access(*this, &core, access, now);
  }
  void accessed(Address address, Bytes bytes, bool write, Cycles now) override {
    watch.see(address, bytes, write, [&](const RegisterAccess& report) {
      machine.start_access(*this, nullptr, report, now);
      ++unfinished_reports;
    });
  }
  std::size_t reports() const override { return unfinished_reports; }
  bool interrupt(ClientId client) const override { return model.interrupt(client); }

  ReferenceMachine& machine;
  ReferenceNode model;
  CoreWatch watch;
  std::size_t unfinished_reports = 0;
  std::vector<Core*> cores;
  std::deque<PendingAccess> accesses;
  Cycles bus_free_at = 0;
  bool injecting = false;
  // Packets on their way here by arrival, and requests behind one that waits at a full FIFO.
  std::map<std::pair<Cycles, std::uint64_t>, Packet> arriving;
  std::deque<Packet> held;
  // Signals of the tree on their way here, by arrival.
  std::map<std::pair<Cycles, std::uint64_t>, TreeSignal> signals;
  Cycles timer_at = kNever;
};

ReferenceMachine::ReferenceMachine(const MachineOptions& options)
    : options_(options), random_(options.seed) {
  const Shape& shape = options_.shape;
  if (std::max({shape.x, shape.y, shape.z}) > kMostNodesInARow || shape.nodes() == 0) {
    throw std::invalid_argument("a machine has 1 to 16 nodes in each dimension");
  }
  for (std::uint32_t n = 0; n < options_.shape.nodes(); ++n) {
    nodes_.push_back(std::make_unique<Node>(*this, NodeId{n}));
  }
}

ReferenceMachine::~ReferenceMachine() = default;

ReferenceNode& ReferenceMachine::node(NodeId id) { return nodes_.at(id.value)->model; }

Core& ReferenceMachine::add_core(NodeId id, Core::Program program, Cycles start) {
  Node& node = *nodes_.at(id.value);
  cores_.push_back(std::make_unique<Core>(node, options_.costs, std::move(program), start));
  node.cores.push_back(cores_.back().get());
  return *cores_.back();
}

void ReferenceMachine::schedule(Cycles at, EventKind kind, std::uint32_t node) {
  events_.push({at, order_++, kind, node});
}

bool ReferenceMachine::run(Cycles limit) {
  for (;;) {
    Cycles next = events_.empty() ? kNever : events_.top().at;
    bool running = false;
    for (const auto& core : cores_) {
      running = running || core->state() == Core::State::kRunning;
      next = std::min(next, core->next_wake());
    }
    if (!running && events_.empty()) return true;
    if (next > limit) return !running;
    now_ = std::max(now_, next);
    while (!events_.empty() && events_.top().at <= now_) {
      const Event event = events_.top();
      events_.pop();
      handle(event);
    }
    for (const auto& core : cores_) {
      if (core->next_wake() <= now_) core->run_until(now_);
    }
  }
}

std::string ReferenceMachine::problems() const {
  std::string text;
  for (const auto& node : nodes_) {
    for (const Core* core : node->cores) {
      const std::string name = "core of node " + std::to_string(node->node().value);
      if (core->state() == Core::State::kFailed) text += name + ": " + core->failure() + "\n";
      if (core->state() == Core::State::kRunning) {
        text += name + " waits for " + core->waiting_for() + "\n";
      }
    }
  }
  return text;
}

void ReferenceMachine::handle(const Event& event) {
  Node& node = *nodes_[event.node];
  switch (event.kind) {
    case EventKind::kAccess:
      do_access(node);
      break;
    case EventKind::kInject:
      inject(node);
      break;
    case EventKind::kArrive:
      arrive(node);
      break;
    case EventKind::kHold:
      drain_held(node);
      break;
    case EventKind::kSignal: {
      const auto first = node.signals.begin();
      node.model.take_signal(first->second);
      node.signals.erase(first);
      break;
    }
    case EventKind::kTimer:
      if (node.timer_at <= now_) {
        node.timer_at = kNever;
        node.model.run_timers(now_);
      }
      break;
  }
  settle(node);
}

void ReferenceMachine::start_access(Node& node, Core* core, const RegisterAccess& access,
                                    Cycles now) {
  node.watch.note(access);
  node.bus_free_at = std::max(node.bus_free_at, now) + kBusCycles;
  node.accesses.push_back({core, access});
  schedule(node.bus_free_at, EventKind::kAccess, node.node().value);
}

void ReferenceMachine::do_access(Node& node) {
  const PendingAccess pending = node.accesses.front();
  node.accesses.pop_front();
  const RegisterAccess& access = pending.access;
  std::uint64_t data = 0;
  if (access.write) {
    node.model.write(access.address, access.data, access.wide);
  } else {
    data = node.model.read(access.address).data;
  }
  if (pending.core == nullptr) {
    --node.unfinished_reports;
  } else {
    pending.core->access_done(access, data, now_);
  }
  drain_held(node);
}

// What may have to happen after anything else has happened in the node.
void ReferenceMachine::settle(Node& node) {
  const std::uint32_t id = node.node().value;
  if (!node.injecting && node.model.has_work()) {
    node.injecting = true;
    schedule(now_ + 1, EventKind::kInject, id);
  }
  for (const TreeSignal& sent : node.model.signals()) signal(id, sent);
  const Cycles timer = node.model.next_timer();
  if (timer < node.timer_at) {
    node.timer_at = std::max(timer, now_ + 1);
    schedule(node.timer_at, EventKind::kTimer, id);
  }
  std::uint32_t lines = 0;
  for (std::uint32_t c = 0; c < options_.sizes.clients; ++c) {
    if (node.model.interrupt({c})) lines |= 1U << c;
  }
  if (lines == 0) return;
  for (Core* core : node.cores) core->interrupts_changed(lines, now_ + 1);
}

void ReferenceMachine::inject(Node& node) {
  node.injecting = false;
  ReferenceNode::Step step = node.model.inject(now_);
  if (!step.worked) return;
  Cycles busy = 1;
  if (step.packet) {
    busy = step.packet->flits();
    send(node.node().value, std::move(*step.packet));
  }
  node.injecting = true;
  schedule(now_ + busy, EventKind::kInject, node.node().value);
}

void ReferenceMachine::send(std::uint32_t from, Packet packet) {
  namespace h = layout::packet_header;
  const Coordinates to{static_cast<std::uint32_t>(packet.header.get<h::dst_x>()),
                       static_cast<std::uint32_t>(packet.header.get<h::dst_y>()),
                       static_cast<std::uint32_t>(packet.header.get<h::dst_z>())};
  const std::uint32_t target = options_.shape.node(to).value;
  const Cycles range = options_.most_delay - options_.least_delay + 1;
  const Cycles delay = options_.least_delay + random_.below(range);
  const Fate fate = watch_ ? watch_(packet) : Fate::kArrives;
  if (fate == Fate::kLost) {
    ++packets_lost_;
    return;
  }
  Cycles& last = last_arrival_[{from, target, packet.reply() ? 1U : 0U}];
  last = std::max(last + 1, now_ + packet.flits() + delay);
  for (int copy = fate == Fate::kArrivesTwice ? 0 : 1; copy < 2; ++copy) {
    nodes_[target]->arriving.emplace(std::pair(last, order_), packet);
    schedule(last, EventKind::kArrive, target);
  }
}

// Ranks in the tree are node numbers: the children of rank r are 2r + 1 and 2r + 2.
void ReferenceMachine::signal(std::uint32_t from, TreeSignal sent) {
  const std::uint32_t rank = from, parent = (rank - 1) / 2;
  std::uint32_t to = sent.cable == TreeCable::kLeft ? 2 * rank + 1 : 2 * rank + 2;
  TreeCable comes_by = TreeCable::kParent;
  if (sent.cable == TreeCable::kParent) {
    if (rank == 0) return;
    to = parent;
    comes_by = rank % 2 == 1 ? TreeCable::kLeft : TreeCable::kRight;
  }
  if (to >= nodes_.size()) return;
  const Cycles delay = random_.below(options_.most_delay - options_.least_delay + 1);
  Cycles& last = last_signal_[{from, to}];
  last = std::max(last + 1, now_ + options_.least_delay + delay);
  nodes_[to]->signals.emplace(std::pair(last, order_), TreeSignal{comes_by, sent.number});
  schedule(last, EventKind::kSignal, to);
}

void ReferenceMachine::arrive(Node& node) {
  const auto first = node.arriving.begin();
  Packet packet = std::move(first->second);
  node.arriving.erase(first);
  const bool must_queue = !packet.reply() && !node.held.empty();
  if (!must_queue && node.model.receive(packet, now_)) return;
  node.held.push_back(std::move(packet));
  if (node.held.size() == 1) {
    schedule(node.model.hold_deadline(), EventKind::kHold, node.node().value);
  }
}

void ReferenceMachine::drain_held(Node& node) {
  while (!node.held.empty()) {
    if (!node.model.receive(node.held.front(), now_)) {
      schedule(std::max(node.model.hold_deadline(), now_ + 1), EventKind::kHold, node.node().value);
      return;
    }
    node.held.pop_front();
  }
}

}  // namespace torusmu::model
