// SPDX-License-Identifier: Apache-2.0
// A program for every node of a torus: sends a message to the next node, then adds up what all have
// received. `sum XxYxZ` runs it on a machine of that size.
#include <torusmu/collectives.h>
#include <torusmu/context.h>
#include <torusmu/setup.h>
#include <torusmu/sim/machine/machine.h>
#include <torusmu/sim/machine/profile.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace {
using namespace torusmu;

constexpr Cycles kLimit = 1'000'000;  // cycles that any wait may take
constexpr Bytes kBytes = 1000;        // of a message: 125 doubles

// Runs on a core of each node. Returns the first element of the sum over all messages.
double program(Device& device, const NodePlan& plan) {
  if (const auto error = NodeSetup(device, plan).run()) throw std::system_error(error);
  Context context(device, plan, ClientId{0});
  const std::uint32_t self = context.task().value;
  const std::uint32_t tasks = context.tasks();

  // Buffers lie in node memory. Both requests are posted before either is waited for.
  const Address out = context.take_heap(kBytes).value();
  const Address in = context.take_heap(kBytes).value();
  const std::vector<double> numbers(kBytes / sizeof(double), self);
  device.store(out, std::as_bytes(std::span(numbers)));
  const auto receive = context.receive(Task{(self + tasks - 1) % tasks}, 7, in, kBytes);
  const auto send = context.send(Task{(self + 1) % tasks}, 7, out, kBytes);
  const auto received = context.wait(receive.value(), context.now() + kLimit);
  if (!received) throw std::system_error(received.error());  // kDeadline, kDeviceGone
  if (received.value().error) throw std::system_error(received.value().error);  // kTruncated, ...
  if (const auto sent = context.wait(send.value(), context.now() + kLimit); !sent) {
    throw std::system_error(sent.error());
  }

  // A sum over all tasks, at every task.
  std::vector<Task> all(tasks);
  for (std::uint32_t t = 0; t < tasks; ++t) all[t] = Task{t};
  Group everyone(context, all, 0);
  const auto error = everyone.allreduce(ReduceOp::kSum, DataType::kF64, numbers.size(), in, out,
                                        context.now() + kLimit);
  if (error) throw std::system_error(error);
  double sum = 0;
  device.load(out, std::as_writable_bytes(std::span(&sum, 1)));

  // Whatever is still unacknowledged is sent again until it is; then others may still ask.
  if (const auto open = context.flush(context.now() + kLimit)) throw std::system_error(open);
  context.linger(100'000);
  return sum;
}
}  // namespace

int main(int argc, char** argv) try {
  MachineConfig config;
  config.engine.shape = parse_shape(argc > 1 ? argv[1] : "2x2x2");
  const std::uint32_t nodes = config.engine.shape.nodes();
  const auto plan = NodePlan::make(config.engine.shape, kProfile, config.memory_size);
  if (!plan) throw std::system_error(plan.error());

  // What programs refer to lives longer than the machine that runs them.
  std::vector<double> sums(nodes);
  Machine machine(config);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    machine.add_core({n}, [&, n](Device& device) { sums[n] = program(device, plan.value()); });
  }
  const RunResult result = machine.run(100 * kLimit);
  if (!result.failure.empty()) throw std::runtime_error(result.failure);

  const double wanted = nodes * (nodes - 1) / 2.0;
  for (const double sum : sums) {
    if (sum != wanted) throw std::runtime_error("a sum is wrong");
  }
  std::printf("PASS: %u nodes have the sum %.0f after %llu cycles\n", nodes, wanted,
              static_cast<unsigned long long>(result.cycles));
  return 0;
} catch (const std::exception& error) {
  std::printf("FAIL: %s\n", error.what());
  return 1;
}
