// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/store_play.h"

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/machine/mix.h"
#include "sim/play/must.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/endpoint_cores.h"
#include "sim/play/scenario/raw_node.h"
#include "torusmu/client.h"

namespace torusmu {
namespace {

// The first round has messages of kMost bytes, and is measured; in the others they are shorter.
constexpr std::uint32_t kRounds = 4, kMessagesOfARound = 8;
constexpr std::uint32_t kMessages = kRounds * kMessagesOfARound;
constexpr Bytes kMost = 512, kPitch = kMost + 5;  // so that most buffers are not aligned
constexpr Cycles kArrival = 20'000;               // until a round is there
constexpr Cycles kMostHops = 24;
constexpr Cycles kLinger = 50'000;
constexpr Cycles kBound = 20'000'000;

class StorePlay {
 public:
  StorePlay(Stage& stage, const NodePlan& plan, StoreBy by)
      : stage_(stage), plan_(plan), by_(by), clients_(plan.tasks()), bytes_("messages") {}

  bool play() {
    const auto program = [this](Device& device, Endpoint self) { run(device, self); };
    if (!run_as_endpoints(stage_, plan_, kBound, program)) return false;
    bytes_.report(stage_, by_ == StoreBy::kMu ? "endpoints.mu_stores_every_byte"
                                              : "endpoints.cores_store_every_byte");
    return true;
  }
  [[nodiscard]] std::uint64_t messages() const {
    return std::uint64_t{plan_.tasks()} * plan_.options().contexts * kMessages;
  }
  [[nodiscard]] std::uint64_t stored_by_mu() const { return stored_by_mu_; }
  // Whether the first round was complete behind what was measured of it.
  [[nodiscard]] bool is_measured() const { return in_time_ == messages() / kRounds; }
  // Of a core, for a message of kMost bytes.
  [[nodiscard]] Cycles cycles() const { return taken_ / (messages() / kRounds); }

 private:
  [[nodiscard]] std::vector<std::byte> message(Endpoint from, std::uint32_t n) const {
    const std::uint64_t name = from.task.value * 16ULL + from.context.value;
    const std::uint64_t seed = mix(mix(stage_.seed() * 79 + name) + n);
    return pattern(seed, n < kMessagesOfARound ? kMost : 1 + mix(seed) % kMost);
  }

  void run(Device& device, Endpoint self) {
    std::unique_ptr<Client>& client = clients_[self.task.value];
    if (!client) {
      client = std::make_unique<Client>(device, plan_, plan_.place(self.task).client);
    }
    const ContextOptions options{.store_by = by_, .store_from = 1};
    const auto context = must(client->create_context(self.context, device, options), "context");
    const std::uint32_t tasks = plan_.tasks(), own = self.task.value;
    const Endpoint to{Task{(own + 1) % tasks}, self.context};
    const Endpoint from{Task{(own + tasks - 1) % tasks}, self.context};
    const Address in = must(context->take_heap(kMessages * kPitch), "heap");
    std::vector<Request> receives;
    for (std::uint32_t n = 0; n < kMessages; ++n) {
      receives.push_back(must(context->receive(from, 4, in + n * kPitch, kPitch), "receive"));
    }
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const std::uint32_t first = round * kMessagesOfARound, last = first + kMessagesOfARound;
      for (std::uint32_t n = first; n < last; ++n) send(*context, to, message(self, n));
      if (round == 0) {
        // In the second the copies of the MU are found complete.
        for (int i = 0; i < 2; ++i) taken_ += cycles_of_advance(*context);
        in_time_ += context->counts().received;
      }
      for (std::uint32_t n = first; n < last; ++n) {
        const Completion done = must(context->wait(receives[n], device.now() + kBound), "receive");
        const auto wanted = message(from, n);
        std::vector<std::byte> found(wanted.size());
        device.load(in + n * kPitch, found);
        const std::scoped_lock lock(mutex_);
        bytes_.expect(!done.error && done.length == wanted.size() && found == wanted, [&] {
          return fmt::format("message {} to task {} context {}", n, own, self.context.value);
        });
      }
    }
    must(context->flush(device.now() + kBound), "flush");
    must(context->linger(kLinger), "linger");
    stored_by_mu_ += context->counts().stored_by_mu;
  }

  // Its memory is not used again.
  static void send(Context& context, Endpoint to, const std::vector<std::byte>& data) {
    const Address from = must(context.take_heap(data.size()), "heap");
    context.device().store(from, data);
    must(context.send(to, 4, from, data.size()).error(), "send");
  }

  // Of one, behind a time in which the program computes.
  Cycles cycles_of_advance(Context& context) {
    context.device().compute(kArrival + kMostHops * stage_.link_latency());
    const Cycles begin = context.now();
    must(context.advance(), "advance");
    return context.now() - begin;
  }

  Stage& stage_;
  const NodePlan& plan_;
  const StoreBy by_;
  std::vector<std::unique_ptr<Client>> clients_;  // by task
  // Of all cores, which may run in several threads.
  std::mutex mutex_;
  Tally bytes_;
  std::atomic<std::uint64_t> stored_by_mu_ = 0;
  std::atomic<std::uint64_t> in_time_ = 0;
  std::atomic<Cycles> taken_ = 0;
};

}  // namespace

bool play_stores_of_endpoints(Stage& stage, const NodePlan& plan) {
  StorePlay by_core(stage, plan, StoreBy::kCore), by_mu(stage, plan, StoreBy::kMu);
  if (!by_core.play() || !by_mu.play()) return false;
  stage.check("endpoints.who_stores_is_who_was_asked_to",
              by_core.stored_by_mu() == 0 && by_mu.stored_by_mu() == by_mu.messages(),
              fmt::format("the MU stores {} of {} messages, and {} without being asked to",
                          by_mu.stored_by_mu(), by_mu.messages(), by_core.stored_by_mu()));
  const std::string cycles = fmt::format(
      "a message of {} bytes that has come takes {} cycles of a core, and {} if the MU stores it",
      kMost, by_core.cycles(), by_mu.cycles());
  if (stage.has_fixed_timing()) {
    const bool is_measured = by_core.is_measured() && by_mu.is_measured();
    stage.check("endpoints.what_the_mu_stores_takes_less_of_a_core",
                is_measured && 2 * by_mu.cycles() < by_core.cycles(), cycles);
  } else {
    stage.say(cycles);
  }
  return true;
}

}  // namespace torusmu
