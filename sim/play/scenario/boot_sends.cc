// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/boot_sends.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/machine/mix.h"
#include "sim/machine/profile.h"
#include "sim/play/must.h"
#include "torusmu/dynamic_queue_pair.h"
#include "torusmu/setup.h"

namespace torusmu {
namespace {

constexpr Cycles kBound = 50'000'000;  // of the job
constexpr Cycles kSpread = 100'000;    // the last task starts at most so much later than the first
constexpr Cycles kRetry = 1'000;
constexpr std::uint32_t kRetries = 255;  // longer than the last task is waited for
constexpr std::uint32_t kKept = 4;       // of each task
constexpr std::uint32_t kEach = 3;       // messages from each task to each that it sends to
constexpr Bytes kLongest = 256;

NodePlan plan_of(Stage& stage, std::uint32_t tasks_per_node) {
  PlanOptions options;
  options.clients = tasks_per_node;
  options.boot_buffers = tasks_per_node;
  options.dynamic_pairs = 1;
  options.boot_pairs = 1;
  options.boot_sends = kKept;
  options.boot_send_bytes = kLongest;
  options.queue_pair_slots = 16;
  options.buffer_bytes = Bytes{16} << 10;
  options.heap_bytes = Bytes{64} << 10;
  options.offload_groups = 0;
  return must(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size(), options), "plan");
}

class Play {
 public:
  Play(Stage& stage, std::uint32_t tasks_per_node)
      : stage_(stage), plan_(plan_of(stage, tasks_per_node)), tasks_(plan_.tasks()) {}

  bool run();
  void judge() const;

 private:
  // What one task found; only its own core writes it.
  struct Task {
    Cycles start = 0;  // after the nodes had booted
    Cycles begin = 0;  // its set-up begins
    bool over = false;
    std::vector<Cycles> acknowledged{};  // its SENDs, in their order
    std::uint64_t received = 0, kept = 0, spoiled = 0;
  };
  struct Own;  // what a task works with

  void live(std::uint32_t task, Device& device);
  void take(Own& own, const WorkCompletion& done);
  void check_data(Own& own, const WorkCompletion& message, Address at);
  // Whom its SEND number `n` is for: it takes its peers in turn.
  [[nodiscard]] std::uint32_t target(std::uint32_t task, std::uint32_t n) const {
    return (task + 1 + n % peers()) % plan_.tasks();
  }
  [[nodiscard]] std::uint32_t peers() const { return std::min(2U, plan_.tasks() - 1); }
  [[nodiscard]] std::uint32_t messages() const { return kEach * peers(); }  // of each task
  [[nodiscard]] std::uint32_t kept_of_each() const { return std::min(kKept, messages()); }
  [[nodiscard]] Bytes length_of(std::uint32_t from, std::uint32_t n) const {
    return 1 + mix(stage_.seed() + from * 1'009 + n) % kLongest;
  }
  [[nodiscard]] std::vector<std::byte> data_of(std::uint32_t from, std::uint32_t n) const {
    std::vector<std::byte> data(length_of(from, n));
    for (std::size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<std::byte>(mix((from * 4'099 + n) * 8'191 + i));
    }
    return data;
  }

  Stage& stage_;
  NodePlan plan_;
  std::vector<Task> tasks_;
};

struct Play::Own {
  Context& context;
  Task& task;
  DynamicQueuePair pair;
  CompletionQueue completions;
  Address received = 0;                // buffers of its RECEIVEs, then of its copies
  std::vector<WorkCompletion> kept{};  // by place
};

bool Play::run() {
  Rng random(stage_.seed());
  for (Task& task : tasks_) task.start = random.below(kSpread + 1);
  stage_.on_all_nodes([this](Device& device) {
    NodeSetup setup(device, plan_);
    must(setup.boot(), "boot");
    must(setup.set_send_retry(kRetry, kRetries), "retry");
  });
  if (!stage_.run(kBound)) return false;
  for (std::uint32_t t = 0; t < plan_.tasks(); ++t) {
    stage_.add_core(plan_.place({t}).node, [this, t](Device& device) { live(t, device); });
  }
  return stage_.run(kBound);
}

void Play::live(std::uint32_t number, Device& device) {
  Task& task = tasks_[number];
  const ClientId client = plan_.place({number}).client;
  device.compute(task.start);
  task.begin = device.now();
  must(NodeSetup(device, plan_).start(client), "start");
  Context context(device, plan_, client);
  Own own{context, task, must(DynamicQueuePair::open(context, 0), "open"),
          CompletionQueue(context)};
  own.received = must(context.take_heap(messages() * kLongest), "heap");
  own.kept.resize(kKept);
  for (std::uint32_t n = kKept; n < messages(); ++n) {
    must(own.pair.post_receive(own.received + n * kLongest, kLongest, {.id = n}), "receive");
  }
  for (std::uint32_t n = 0; n < messages(); ++n) {
    const auto data = data_of(number, n);
    const Address from = must(context.take_heap(data.size()), "heap");
    device.store(from, data);
    must(own.pair.post_send({{target(number, n)}, 0}, from, data.size(), {.word = n}), "send");
  }
  const Cycles deadline = context.now() + kBound;
  while (task.received < messages() || task.acknowledged.size() < messages()) {
    take(own, must(own.completions.wait(deadline), "completion"));
  }
  task.over = true;
}

void Play::take(Own& own, const WorkCompletion& done) {
  must(done.error, "completion");
  if (done.opcode == Opcode::kSend) {
    own.task.acknowledged.push_back(own.context.now());
  } else if (done.opcode == Opcode::kCalc) {
    check_data(own, own.kept[done.id], own.received + done.id * kLongest);
  } else if (done.kept) {
    // It is copied behind the task's own SENDs.
    ++own.task.kept;
    own.kept.at(*done.kept) = done;
    must(own.pair.post_copy(done, own.received + *done.kept * kLongest, {.id = *done.kept}),
         "copy");
  } else {
    check_data(own, done, own.received + done.id * kLongest);
  }
}

void Play::check_data(Own& own, const WorkCompletion& message, Address at) {
  ++own.task.received;
  std::vector<std::byte> data(message.bytes);
  own.context.device().load(at, data);
  const bool good = message.sender && data == data_of(message.sender->task.value, message.word) &&
                    target(message.sender->task.value, message.word) == own.context.task().value;
  if (!good) ++own.task.spoiled;
}

void Play::judge() const {
  std::uint64_t received = 0, kept = 0, spoiled = 0, early = 0, over = 0;
  for (std::uint32_t t = 0; t < plan_.tasks(); ++t) {
    const Task& task = tasks_[t];
    received += task.received;
    kept += task.kept;
    spoiled += task.spoiled;
    over += task.over ? 1 : 0;
    for (std::uint32_t n = 0; n < task.acknowledged.size(); ++n) {
      if (task.acknowledged[n] < tasks_[target(t, n)].begin) ++early;
    }
  }
  const std::uint64_t wanted = std::uint64_t{plan_.tasks()} * messages();
  stage_.say(fmt::format(
      "{} tasks start within {} cycles and SEND {} messages each to their dynamic pairs: {} lay in "
      "the unit's own memory, {} SENDs were done before their task was there",
      plan_.tasks(), kSpread, messages(), kept, early));
  stage_.check("boot.sends.all_received", received == wanted && over == plan_.tasks(),
               fmt::format("{} of {} messages", received, wanted));
  stage_.check("boot.sends.bytes", spoiled == 0, fmt::format("{} with wrong bytes", spoiled));
  stage_.check(
      "boot.sends.kept_are_the_first", kept == std::uint64_t{plan_.tasks()} * kept_of_each(),
      fmt::format("{} of each of {} tasks, {} in all", kept_of_each(), plan_.tasks(), kept));
  stage_.check("boot.sends.acknowledged_before_the_start", early != 0,
               fmt::format("{} SENDs", early));
}

}  // namespace

void play_boot_sends(Stage& stage, std::uint32_t tasks_per_node) {
  Play play(stage, tasks_per_node);
  if (play.run()) play.judge();
}

}  // namespace torusmu
