// SPDX-License-Identifier: Apache-2.0
// A job: one program a context of each task, every node set up by its first core. On the reference
// model, or on any other stage.
#ifndef TESTS_HOST_JOB_H_
#define TESTS_HOST_JOB_H_

#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tb/reference_model/stage.h"
#include "torusmu/client.h"
#include "torusmu/collectives.h"
#include "torusmu/context.h"
#include "torusmu/setup.h"

namespace torusmu::testing {

struct JobOptions {
  model::MachineOptions machine{};
  PlanOptions plan{};
  ContextOptions context{};
  Cycles limit = 400'000'000;
  Cycles linger = 300'000;
};

// Throws std::runtime_error with the error's text.
inline void require(std::error_code error, const std::string& what) {
  if (error) throw std::runtime_error(what + ": " + error.message());
}
template <typename T>
T require(Result<T> result, const std::string& what) {
  require(result.error(), what);
  return std::move(result.value());
}

class Job {
 public:
  using Program = std::function<void(Context&)>;

  // On the reference model.
  explicit Job(const JobOptions& options)
      : Job(options, std::make_unique<model::ReferenceStage>(options.machine)) {}
  // On a stage of the shape and memory size of options.machine.
  Job(const JobOptions& options, Stage& stage)
      : options_(options),
        plan_(require(NodePlan::make(options.machine.shape, options.machine.sizes,
                                     options.machine.memory_size, options.plan),
                      "plan")),
        stage_(stage),
        clients_(plan_.tasks()),
        counts_(plan_.tasks() * plan_.options().contexts),
        boot_slots_(plan_.tasks()) {}

  [[nodiscard]] const NodePlan& plan() const { return plan_; }
  // Of a job on the reference model.
  model::ReferenceMachine& machine() { return reference_->machine(); }
  // Of each context, task by task, after run().
  [[nodiscard]] const ContextCounts& counts(std::uint32_t number) const {
    return counts_.at(number);
  }
  [[nodiscard]] std::uint64_t sum(std::uint64_t ContextCounts::*count) const {
    std::uint64_t total = 0;
    for (const ContextCounts& counts : counts_) total += counts.*count;
    return total;
  }

  // That packets have taken in the boot buffer of a task since its node booted, and of all.
  [[nodiscard]] std::uint64_t boot_slots(std::uint32_t task) const { return boot_slots_.at(task); }
  [[nodiscard]] std::uint64_t boot_slots() const {
    return std::accumulate(boot_slots_.begin(), boot_slots_.end(), std::uint64_t{0});
  }

  // Runs `program` as every context of every task. Returns what went wrong, empty if nothing did.
  std::string run(const Program& program) {
    return run(std::vector<Program>(counts_.size(), program));
  }
  // The programs of the contexts of task 0, of task 1 and so on.
  std::string run(const std::vector<Program>& programs) {
    // Cores of one node meet at a flag of the test: the first sets the node up.
    std::vector<bool> ready(plan_.shape().nodes());
    const std::uint32_t contexts = plan_.options().contexts;
    for (std::uint32_t n = 0; n < counts_.size(); ++n) {
      const Endpoint own{{n / contexts}, {n % contexts}};
      const Place place = plan_.place(own.task);
      stage_.add_core(place.node, [this, n, own, place, &ready, &programs](Device& device) {
        if (place.client.value == 0 && own.context.value == 0) {
          require(NodeSetup(device, plan_).run(), "setup");
          ready[place.node.value] = true;
        }
        while (!ready[place.node.value]) device.compute(100);
        live(n, own, device, programs[n]);
      });
    }
    return play();
  }
  // The nodes boot; then task t starts `starts[t]` cycles later, and runs programs[t] as each of
  // its contexts.
  std::string run_staggered(const std::vector<Cycles>& starts,
                            const std::vector<Program>& programs) {
    if (const std::string problems = boot(); !problems.empty()) return problems;
    for (std::uint32_t t = 0; t < plan_.tasks(); ++t) start(t, starts[t], programs[t]);
    return play();
  }
  // The nodes boot; then one task alone starts, and leaves whatever nobody has taken.
  std::string run_one_alone(std::uint32_t task, const Program& program) {
    if (const std::string problems = boot(); !problems.empty()) return problems;
    const Place place = plan_.place({task});
    stage_.add_core(place.node, [this, place, program](Device& device) {
      require(NodeSetup(device, plan_).start(place.client), "start");
      Context context(device, plan_, place.client, options_.context);
      program(context);
    });
    return play();
  }

 private:
  std::unique_ptr<Context> create(Endpoint own, Device& device) {
    const ClientId client = plan_.place(own.task).client;
    if (plan_.options().contexts == 1) {
      return std::make_unique<Context>(device, plan_, client, options_.context);
    }
    std::unique_ptr<Client>& owner = clients_[own.task.value];
    if (!owner) owner = std::make_unique<Client>(device, plan_, client);
    return require(owner->create_context(own.context, device, options_.context), "context");
  }
  std::string boot() {
    for (std::uint32_t n = 0; n < plan_.shape().nodes(); ++n) {
      stage_.add_core({n},
                      [this](Device& device) { require(NodeSetup(device, plan_).boot(), "boot"); });
    }
    return play();
  }
  void start(std::uint32_t t, Cycles after, const Program& program) {
    const Place place = plan_.place({t});
    const std::uint32_t contexts = plan_.options().contexts;
    started_.assign(plan_.tasks(), false);
    for (std::uint32_t k = 0; k < contexts; ++k) {
      stage_.add_core(place.node, [this, t, k, contexts, place, after, program](Device& device) {
        device.compute(after);
        if (k == 0) require(NodeSetup(device, plan_).start(place.client), "start");
        if (k == 0) started_[t] = true;
        while (!started_[t]) device.compute(10);
        live(t * contexts + k, {{t}, {k}}, device, program);
      });
    }
  }
  std::string play() {
    if (stage_.run(options_.limit)) return "";
    return reference_ ? reference_->failures() : "the run failed";
  }
  // The life of a context, number `n` of all.
  void live(std::uint32_t n, Endpoint own, Device& device, const Program& program) {
    const std::unique_ptr<Context> context = create(own, device);
    program(*context);
    require(context->flush(context->now() + options_.limit), "flush");
    require(context->linger(options_.linger), "linger");
    counts_[n] = context->counts();
    const ClientId client = plan_.place(own.task).client;
    if (own.context.value == 0 && plan_.has_boot_buffer(client)) {
      const auto use = require(NodeSetup(device, plan_).boot_buffer_use(client), "boot buffer");
      boot_slots_[own.task.value] = use.slots;
      if (use.left != 0) throw std::runtime_error("something is left in the boot buffer");
    }
  }

  Job(const JobOptions& options, std::unique_ptr<model::ReferenceStage> reference)
      : Job(options, *reference) {
    reference_ = std::move(reference);
  }

  JobOptions options_;
  NodePlan plan_;
  std::unique_ptr<model::ReferenceStage> reference_;
  Stage& stage_;
  std::vector<std::unique_ptr<Client>> clients_;  // by task, of plans with several contexts
  std::vector<ContextCounts> counts_;
  std::vector<std::uint64_t> boot_slots_;  // by task
  std::vector<bool> started_;              // of a staggered run, by task
};

// The most cubic shape with exactly n nodes.
inline Shape shape_of(std::uint32_t n) {
  Shape best{n, 1, 1};
  for (std::uint32_t z = 1; z * z * z <= n; ++z) {
    for (std::uint32_t y = z; n % z == 0 && y * y <= n / z; ++y) {
      if (n / z % y == 0) best = {n / z / y, y, z};
    }
  }
  return best;
}

// --- data ---------------------------------------------------------------------------------------

// Bytes that depend on the seed and the place of each.
inline std::vector<std::byte> pattern(std::uint64_t seed, std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(mix(seed * 8191 + i));
  return data;
}

inline Address put_into_heap(Context& context, const std::vector<std::byte>& data) {
  const Address address = require(context.take_heap(data.size()), "heap");
  if (!data.empty()) context.device().store(address, data);
  return address;
}

inline std::vector<std::byte> get_from(Context& context, Address address, std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  if (bytes != 0) context.device().load(address, data);
  return data;
}

// Waits, and throws unless the operation ended well.
inline Completion finish(Context& context, Result<Request> request) {
  const Completion completion =
      require(context.wait(require(request, "start"), context.now() + 100'000'000), "wait");
  require(completion.error, "operation");
  return completion;
}

inline void check(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

}  // namespace torusmu::testing

#endif  // TESTS_HOST_JOB_H_
