// SPDX-License-Identifier: Apache-2.0
// The examples of docs/host_library.md, docs/queue_pairs.md and docs/tree.md, word for word.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <system_error>
#include <vector>

#include "tb/reference_model/machine.h"
#include "torusmu/client.h"
#include "torusmu/collectives.h"
#include "torusmu/context.h"
#include "torusmu/dynamic_queue_pair.h"
#include "torusmu/queue_pair.h"
#include "torusmu/setup.h"
#include "torusmu/tree.h"

// The tests compare the lines between these marks with the pages.
// clang-format off
// example of queue pairs begins
// Runs on every node of two, on one core; the plan has queue_pairs = 1.
void exchange(torusmu::Device& device, const torusmu::NodePlan& plan) {
  using namespace torusmu;
  const ClientId client{0};
  NodeSetup setup(device, plan);
  if (const auto error = setup.run()) throw std::system_error(error);
  Context context(device, plan, client);
  const Task other{1 - context.task().value};

  // The privileged part, at both ends: pair 0 here and pair 0 there are each other's peer.
  if (const auto error = setup.connect(client, 0, other, 0)) throw std::system_error(error);
  auto pair = QueuePair::open(context, 0, other, 0);
  if (!pair) throw std::system_error(pair.error());
  CompletionQueue completions(context);

  // Two buffers for two messages. Receives may be posted before the other end is there.
  const Address in = context.take_heap(2 * 4096).value();
  const Address out = context.take_heap(100).value();
  for (const std::uint32_t i : {0U, 1U}) {
    if (const auto error = pair->post_receive(in + i * 4096, 4096, {.id = i})) {
      throw std::system_error(error);  // kAgain: the queue is full
    }
  }
  if (const auto error = pair->meet(context.now() + 1'000'000)) throw std::system_error(error);

  // The first message now; the second when the first of the other end is in memory here. The MU
  // sees to that: the list is posted as a whole, with one doorbell.
  if (const auto error = pair->post_send(out, 100, {.id = 10, .word = 1})) {
    throw std::system_error(error);
  }
  const std::array list{pair->wait_for_receives(1), pair->send(out, 50, {.id = 11}).value()};
  if (const auto error = pair->post(list)) throw std::system_error(error);

  // Four completions: two sends, which are in the other's memory, and two receives.
  for (int i = 0; i < 4; ++i) {
    const auto done = completions.wait(context.now() + 1'000'000);
    if (!done) throw std::system_error(done.error());                    // kDeadline, kDeviceGone
    if (done.value().error) throw std::system_error(done.value().error);  // kTruncated, ...
  }
  if (const auto open = context.flush(context.now() + 1'000'000)) throw std::system_error(open);
  context.linger(100'000);
}
// example of queue pairs ends

// example of dynamic pairs begins
// Runs on every node of four, on one core; the plan has dynamic_pairs = 1.
void tell_all(torusmu::Device& device, const torusmu::NodePlan& plan) {
  using namespace torusmu;
  const ClientId client{0};
  if (const auto error = NodeSetup(device, plan).run()) throw std::system_error(error);
  Context context(device, plan, client);
  auto pair = DynamicQueuePair::open(context, 0);
  if (!pair) throw std::system_error(pair.error());
  CompletionQueue completions(context);

  // Buffers for a message of each other task, whichever comes first.
  const std::uint32_t others = context.tasks() - 1;
  const Address in = context.take_heap(others * 4096).value();
  const Address out = context.take_heap(100).value();
  for (std::uint32_t i = 0; i < others; ++i) {
    if (const auto error = pair->post_receive(in + i * 4096, 4096, {.id = i})) {
      throw std::system_error(error);  // kAgain: the queue is full
    }
  }
  // Whoever sends to a node that is not set up is refused for good.
  Group everyone(context, {Task{0}, Task{1}, Task{2}, Task{3}}, 0);
  if (const auto error = everyone.barrier(context.now() + 1'000'000)) {
    throw std::system_error(error);
  }

  // To all others by one list. The counter that the SENDs name stands for one channel of many.
  const EventId channel = plan.event_counter(client, 0);
  const EventId complete = plan.event_counter(client, 1);
  std::vector<Descriptor> list;
  for (std::uint32_t i = 1; i <= others; ++i) {
    const Task to{(context.task().value + i) % context.tasks()};
    list.push_back(pair->send({to, 0}, out, 100, {.target_event = channel}).value());
  }
  // Once all messages for this task are in memory, task 0 is told so.
  list.push_back(context.wait_for_event(channel, others));
  list.push_back(context.increment(Task{0}, complete).value());
  if (const auto error = pair->post(list)) throw std::system_error(error);

  for (std::uint32_t i = 0; i < 2 * others; ++i) {
    const auto done = completions.wait(context.now() + 1'000'000);
    if (!done) throw std::system_error(done.error());                    // kDeadline, kDeviceGone
    if (done.value().error) throw std::system_error(done.value().error);  // kTruncated, ...
    if (!done.value().sender) continue;                                   // one of the SENDs
    // Buffer `id` holds what `sender` has sent; `*sender` is where an answer goes.
  }
  if (const auto open = context.flush(context.now() + 1'000'000)) throw std::system_error(open);
  context.linger(100'000);
}
// example of dynamic pairs ends

// example of contexts begins
// Runs on two cores of each of two nodes, which are set up; the plan has contexts = 2. Both cores
// of a node share the client.
void ask_the_other(torusmu::Device& device, torusmu::Client& client, torusmu::ContextId own) {
  using namespace torusmu;
  const auto created = client.create_context(own, device);
  if (!created) throw std::system_error(created.error());  // kBadArgument: no such context
  Context& context = *created.value();

  // What others may run here. The first function answers with the next number.
  constexpr DispatchId kQuestion{0};
  constexpr DispatchId kAnswer{1};
  std::optional<std::byte> answer;
  context.register_dispatch(kQuestion, [&](const ActiveMessage& message) -> ActiveReceive {
    const std::array next{std::byte(std::to_integer<int>(message.header[0]) + 1)};
    (void)context.send_active(message.source, kAnswer, next, 0, 0);
    return {};  // no data to store
  });
  context.register_dispatch(kAnswer, [&](const ActiveMessage& message) -> ActiveReceive {
    answer = message.header[0];
    return {};
  });
  // Contexts of one number are a group of their own. Nobody asks before all can answer.
  Group mates(context, {Task{0}, Task{1}}, 0);
  if (const auto error = mates.barrier(context.now() + 1'000'000)) throw std::system_error(error);

  const Endpoint other{Task{1 - client.task().value}, own};
  const std::array question{std::byte{41}};
  const auto sent = context.send_active(other, kQuestion, question, 0, 0);
  if (!sent) throw std::system_error(sent.error());
  const auto error =
      context.advance_until([&] { return answer.has_value(); }, context.now() + 1'000'000);
  if (error) throw std::system_error(error);  // kDeadline, kDeviceGone
  if (*answer != std::byte{42}) throw std::runtime_error("another answer");
  if (const auto open = context.flush(context.now() + 1'000'000)) throw std::system_error(open);
  context.linger(100'000);
}
// example of contexts ends
// example of the tree begins
// Runs on every node, on one core: all nodes meet, ten times.
void meet(torusmu::Device& device, const torusmu::NodePlan& plan) {
  using namespace torusmu;
  const ClientId client{0};
  if (const auto error = NodeSetup(device, plan).run()) throw std::system_error(error);

  // The privileged part, on each node: class 0 over all nodes, with two event counters of the plan.
  std::vector<NodeId> nodes(plan.shape().nodes());
  for (std::uint32_t n = 0; n < nodes.size(); ++n) nodes[n] = {n};
  const auto group = TreeGroup::make(plan.shape(), nodes);
  if (!group) throw std::runtime_error(group.message());  // no subtree: which node breaks it
  TreeSetup setup(device, plan.sizes());
  const auto signal = setup.set_up(group.value(), {.number = {0},
                                                   .owner = client,
                                                   .arrivals = plan.event_counter(client, 0),
                                                   .releases = plan.event_counter(client, 1)});
  if (!signal) throw std::runtime_error(signal.message());

  TreeBarrier barrier(device, signal.value());
  for (int i = 0; i < 10; ++i) {
    device.compute(100 * device.node().value);  // whatever there is to do
    if (const auto error = barrier.arrive()) throw std::system_error(error);
    if (const auto error = barrier.wait(device.now() + 100'000)) throw std::system_error(error);
  }
}
// example of the tree ends
// clang-format on

namespace torusmu {
namespace {

// The text between two lines of a file, behind the line `after` if that is not empty.
std::string between(const std::string& file, const std::string& begin, const std::string& end,
                    const std::string& after = "") {
  std::ifstream input(file);
  std::string text;
  bool behind = after.empty();
  bool inside = false;
  for (std::string line; std::getline(input, line);) {
    if (inside && line == end) return text;
    if (inside) text += line + "\n";
    if (behind && line == begin) inside = true;
    if (line == after) behind = true;
  }
  return file + ": no text between \"" + begin + "\" and \"" + end + "\"";
}

void expect_to_run(std::uint32_t nodes, void (*example)(Device&, const NodePlan&),
                   const PlanOptions& plan_options) {
  model::MachineOptions options;
  options.shape = {nodes, 1, 1};
  const auto plan = NodePlan::make(options.shape, kSim, options.memory_size, plan_options);
  ASSERT_TRUE(plan);
  model::ReferenceMachine machine(options);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    machine.add_core({n}, [&](Device& device) { example(device, plan.value()); });
  }
  EXPECT_TRUE(machine.run(100'000'000));
  EXPECT_EQ(machine.problems(), "");
}

TEST(Example, OfQueuePairsRunsOnTwoNodes) {
  PlanOptions options;
  options.queue_pairs = 1;
  expect_to_run(2, exchange, options);
}

TEST(Example, OfDynamicPairsRunsOnFourNodes) {
  PlanOptions options;
  options.dynamic_pairs = 1;
  expect_to_run(4, tell_all, options);
}

TEST(Example, OfContextsRunsOnTwoNodes) {
  PlanOptions wanted;
  wanted.contexts = 2;
  model::MachineOptions options;
  options.shape = {2, 1, 1};
  const auto plan = NodePlan::make(options.shape, kSim, options.memory_size, wanted);
  ASSERT_TRUE(plan);
  model::ReferenceMachine machine(options);
  std::array<std::unique_ptr<Client>, 2> clients;
  for (std::uint32_t n = 0; n < 4; ++n) {
    machine.add_core({n / 2}, [&, n](Device& device) {
      std::unique_ptr<Client>& client = clients.at(n / 2);
      if (n % 2 == 0) {
        if (const auto error = NodeSetup(device, plan.value()).run()) {
          throw std::system_error(error);
        }
        client = std::make_unique<Client>(device, plan.value(), ClientId{0});
      }
      while (!client) device.compute(100);
      ask_the_other(device, *client, {n % 2});
    });
  }
  EXPECT_TRUE(machine.run(100'000'000));
  EXPECT_EQ(machine.problems(), "");
}

TEST(Example, OfContextsIsThatOfThePage) {
  EXPECT_EQ(between("docs/host_library.md", "```cpp", "```", "### An example of contexts"),
            between("tests/host/example_test.cc", "// example of contexts begins",
                    "// example of contexts ends"));
}

TEST(Example, OfDynamicPairsIsThatOfThePage) {
  EXPECT_EQ(between("docs/queue_pairs.md", "```cpp", "```", "### Dynamic pairs"),
            between("tests/host/example_test.cc", "// example of dynamic pairs begins",
                    "// example of dynamic pairs ends"));
}

TEST(Example, OfTheTreeRunsOnSevenNodes) { expect_to_run(7, meet, {}); }

TEST(Example, OfTheTreeIsThatOfThePage) {
  EXPECT_EQ(between("docs/tree.md", "```cpp", "```"),
            between("tests/host/example_test.cc", "// example of the tree begins",
                    "// example of the tree ends"));
}

TEST(Example, OfQueuePairsIsThatOfThePage) {
  EXPECT_EQ(between("docs/queue_pairs.md", "```cpp", "```"),
            between("tests/host/example_test.cc", "// example of queue pairs begins",
                    "// example of queue pairs ends"));
}

// What the jobs integration/x and the commands of the page build and run.
TEST(Example, OfTheMachineIsThatOfThePage) {
  std::ifstream file("tb/example/sum.cc");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(between("docs/host_library.md", "```cpp", "```"), text);
}

}  // namespace
}  // namespace torusmu
