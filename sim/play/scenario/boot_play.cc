// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/boot_play.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "sim/machine/mix.h"
#include "sim/machine/profile.h"
#include "sim/play/must.h"

namespace torusmu {
namespace {

constexpr Tag kTag = 1;
constexpr Cycles kBound = 50'000'000;  // of a job
constexpr Cycles kWait = 20'000'000;   // for a message: then it is lost
// While others may ask for an acknowledgement that they miss: longer than
// ContextOptions::retry_most.
constexpr Cycles kLinger = 300'000;
constexpr Bytes kAlignment = 64;  // of what is taken of the heap
constexpr Bytes kNameBytes = 8;   // at the front of each message: whose it is, and its number
constexpr std::uint64_t kNumbers = 256;  // of messages from one task to another
constexpr std::array<Bytes, 4> kShort{8, 64, 24, 400};
constexpr std::uint32_t kOneInIsLong = 6;

NodePlan plan_of(Stage& stage, const BootJob& job) {
  PlanOptions options;
  options.clients = job.tasks_per_node;
  options.boot_buffers = job.tasks_per_node;
  options.boot_copy = job.copy;
  options.fifo_slots = 512;
  options.buffer_bytes = Bytes{64} << 10;
  // What a task sends and receives, and what the library takes of it.
  const Bytes messages = Bytes{stage.shape().nodes()} * job.tasks_per_node * job.messages * 2 + 1;
  options.heap_bytes = (Bytes{128} << 10) + messages * (job.longest + kAlignment);
  options.offload_groups = 0;
  return must(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size(), options), "plan");
}

std::uint64_t name_of(std::uint32_t from, std::uint32_t k) {
  return (std::uint64_t{from} + 1) * kNumbers + k;
}

}  // namespace

// What has come from one task.
struct BootPlay::Inbox {
  std::vector<bool> seen = std::vector<bool>(kNumbers);
  std::uint32_t next = 0;
};

BootPlay::BootPlay(Stage& stage, const BootJob& job)
    : stage_(stage), job_(job), plan_(plan_of(stage, job)) {}

std::uint64_t BootPlay::wanted() const {
  return std::uint64_t{plan_.tasks()} * peers() * job_.messages;
}

std::uint32_t BootPlay::peers() const { return std::min(job_.peers, plan_.tasks() - 1); }

Bytes BootPlay::length_of(std::uint32_t from, std::uint32_t to, std::uint32_t k) const {
  const std::uint64_t drawn = mix(seed_ * 1'000'003 + mix(name_of(from, k) * 4099 + to));
  return drawn % kOneInIsLong == 0 ? job_.longest : kShort[drawn / kOneInIsLong % kShort.size()];
}

std::vector<std::byte> BootPlay::message(std::uint32_t from, std::uint32_t to,
                                         std::uint32_t k) const {
  std::vector<std::byte> data(length_of(from, to, k));
  const std::uint64_t name = name_of(from, k);
  std::memcpy(data.data(), &name, kNameBytes);
  for (std::size_t i = kNameBytes; i < data.size(); ++i) {
    data[i] = static_cast<std::byte>(mix(seed_ + name * 8191 + std::uint64_t{to} * 131 + i));
  }
  return data;
}

bool BootPlay::run(std::uint64_t seed) {
  seed_ = seed;
  tasks_.assign(plan_.tasks(), {});
  Rng random(seed);
  for (BootTask& task : tasks_) task.start = random.below(job_.spread + 1);
  stage_.on_all_nodes([this](Device& device) { must(NodeSetup(device, plan_).boot(), "boot"); });
  if (!stage_.run(kBound)) return false;
  for (std::uint32_t t = 0; t < plan_.tasks(); ++t) {
    stage_.add_core(plan_.place({t}).node, [this, t](Device& device) { live(t, device); });
  }
  return stage_.run(kBound);
}

void BootPlay::live(std::uint32_t task, Device& device) {
  BootTask& own = tasks_[task];
  const ClientId client = plan_.place({task}).client;
  device.compute(own.start);
  own.begin = device.now();
  NodeSetup setup(device, plan_);
  must(setup.start(client), "start");
  Context context(device, plan_, client);
  own.there = device.now();
  receive_all(context, own);
  must(context.flush(device.now() + kBound), "flush");
  must(context.linger(kLinger), "linger");
  // Whatever comes now has come before.
  while (context.probe(kAnyTask, kAnyTag)) ++own.repeated;
  own.buffer = must(setup.boot_buffer_use(client), "boot buffer");
  own.counts = context.counts();
  own.over = true;
}

// The first to all that it sends to, then the second; every task begins with another.
void BootPlay::send_all(Context& context) const {
  const std::uint32_t own = context.task().value;
  for (std::uint32_t k = 0; k < job_.messages; ++k) {
    for (std::uint32_t step = 1; step <= peers(); ++step) {
      const std::uint32_t to = (own + step) % plan_.tasks();
      const auto data = message(own, to, k);
      const Address from = must(context.take_heap(data.size()), "heap");
      context.device().store(from, data);
      (void)must(context.send({to}, kTag, from, data.size()), "send");
      must(context.advance(), "advance");
    }
  }
}

// The first receive takes whatever comes first.
void BootPlay::receive_all(Context& context, BootTask& own) const {
  struct Receive {
    Request request;
    Address buffer;
  };
  std::vector<Receive> receives;
  const auto post = [&](Task from) {
    const Address buffer = must(context.take_heap(job_.longest), "heap");
    receives.push_back(
        {must(context.receive(from, kTag, buffer, job_.longest), "receive"), buffer});
  };
  post(kAnyTask);
  must(context.advance(), "advance");
  send_all(context);
  std::vector<Inbox> inboxes(plan_.tasks());
  std::uint64_t missing = std::uint64_t{peers()} * job_.messages;
  const Cycles deadline = context.now() + kWait;
  for (std::size_t n = 0; n < receives.size(); ++n) {
    const auto done = context.wait(receives[n].request, deadline);
    if (!done && done.error() == Errc::kDeadline) continue;
    must(done.error(), "wait");
    must(done.value().error, "message");
    --missing;
    judge(context, inboxes.at(done.value().source.value), own, receives[n].buffer, done.value());
    if (n != 0) continue;
    own.first = done.value().at;
    const std::uint32_t first = done.value().source.value;
    for (std::uint32_t k = 0; k < job_.messages; ++k) {
      for (std::uint32_t step = peers(); step > 0; --step) {
        const std::uint32_t from = (context.task().value + plan_.tasks() - step) % plan_.tasks();
        if (k != 0 || from != first) post({from});
      }
    }
  }
  own.lost = missing;
}

// Receives of one source match its messages in the order in which they were sent.
void BootPlay::judge(const Context& context, Inbox& inbox, BootTask& own, Address buffer,
                     const Completion& done) const {
  const auto note = [&](const std::string& what) {
    if (own.trouble.empty()) {
      own.trouble = fmt::format("task {}, message {} of task {}: {}", context.task().value,
                                inbox.next, done.source.value, what);
    }
  };
  std::vector<std::byte> data(done.length);
  stage_.memory(plan_.place(context.task()).node).read(buffer, data);
  std::uint64_t name = 0;
  if (data.size() >= kNameBytes) std::memcpy(&name, data.data(), kNameBytes);
  const auto k = static_cast<std::uint32_t>(name % kNumbers);
  ++own.received;
  if (k >= job_.messages || name != name_of(done.source.value, k) ||
      data != message(done.source.value, context.task().value, k)) {
    ++own.spoiled;
    note("its bytes are not what was sent");
    return;
  }
  if (inbox.seen[k]) {
    ++own.repeated;
    note(fmt::format("number {} came again", k));
  } else if (k != inbox.next) {
    ++own.reordered;
    note(fmt::format("number {} came", k));
  }
  inbox.seen[k] = true;
  ++inbox.next;
}

}  // namespace torusmu
