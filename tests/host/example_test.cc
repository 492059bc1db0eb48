// SPDX-License-Identifier: Apache-2.0
// The example of docs/host_library.md, word for word.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <system_error>

#include "tb/reference_model/machine.h"
#include "torusmu/collectives.h"
#include "torusmu/context.h"
#include "torusmu/setup.h"

// The test compares the lines between these marks with the page.
// clang-format off
// example begins
// Runs on every node, on one core: sets the node up, then exchanges a message and a sum.
void program(torusmu::Device& device, const torusmu::NodePlan& plan) {
  using namespace torusmu;
  if (const auto error = NodeSetup(device, plan).run()) throw std::system_error(error);
  Context context(device, plan, ClientId{0});
  const Task other{1 - context.task().value};

  // Buffers lie in node memory. Both requests are posted before either is waited for.
  const Address out = context.take_heap(1000).value();
  const Address in = context.take_heap(1000).value();
  const auto receive = context.receive(other, 7, in, 1000);
  const auto send = context.send(other, 7, out, 1000);
  const auto received = context.wait(receive.value(), context.now() + 1'000'000);
  if (!received) throw std::system_error(received.error());  // kDeadline, kDeviceGone
  if (received.value().error) throw std::system_error(received.value().error);  // kTruncated, ...
  if (const auto sent = context.wait(send.value()); !sent) throw std::system_error(sent.error());

  // A sum over all tasks, at every task.
  Group everyone(context, {Task{0}, Task{1}}, 0);
  const auto error = everyone.allreduce(ReduceOp::kSum, DataType::kF64, 8, out, in,
                                        context.now() + 1'000'000);
  if (error) throw std::system_error(error);

  // Whatever is still unacknowledged is sent again until it is; then others may still ask.
  if (const auto open = context.flush(context.now() + 1'000'000)) throw std::system_error(open);
  context.linger(100'000);
}
// example ends
// clang-format on

namespace torusmu {
namespace {

// The text between two lines of a file.
std::string between(const std::string& file, const std::string& begin, const std::string& end) {
  std::ifstream input(file);
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(input, line);) {
    if (inside && line == end) return text;
    if (inside) text += line + "\n";
    if (line == begin) inside = true;
  }
  return file + ": no text between \"" + begin + "\" and \"" + end + "\"";
}

TEST(Example, RunsOnTwoNodes) {
  model::MachineOptions options;
  options.shape = {2, 1, 1};
  const auto plan = NodePlan::make(options.shape, kSim, options.memory_size);
  ASSERT_TRUE(plan);
  model::ReferenceMachine machine(options);
  for (std::uint32_t n = 0; n < 2; ++n) {
    machine.add_core({n}, [&](Device& device) { program(device, plan.value()); });
  }
  EXPECT_TRUE(machine.run(100'000'000));
  EXPECT_EQ(machine.problems(), "");
}

TEST(Example, IsThatOfThePage) {
  EXPECT_EQ(between("docs/host_library.md", "```cpp", "```"),
            between("tests/host/example_test.cc", "// example begins", "// example ends"));
}

}  // namespace
}  // namespace torusmu
