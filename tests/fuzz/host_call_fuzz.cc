// SPDX-License-Identifier: Apache-2.0
// Calls of the host library with any arguments, on two nodes of the reference model: each ends with
// a status of the library by its deadline.
#include "tb/reference_model/machine.h"
#include "tests/fuzz/fuzz.h"
#include "torusmu/context.h"
#include "torusmu/setup.h"

namespace {

using namespace torusmu;

constexpr Cycles kDeadline = 20'000;  // of a wait
constexpr std::uint32_t kCalls = 24;  // of each node

void check(const std::error_code& error) {
  fuzz::require(!error || error.category() == make_error_code(Errc::kDeadline).category(),
                "a status that is not the library's: " + error.message());
  fuzz::require(!error.message().empty() || !error, "a status without a text");
}

Address any_address(fuzz::Input& input, const Range& heap) {
  const auto place = input.take<std::uint32_t>();
  if (input.below(4) == 0) return Address{place} << input.below(16);
  return heap.address + place % heap.bytes;
}

void one_call(fuzz::Input& input, Context& context, const Range& heap,
              std::vector<Request>& requests) {
  const Task task{input.below(4)};
  const Bytes bytes = input.take<std::uint16_t>();
  const Tag tag = static_cast<std::int8_t>(input.below(256)) % 4;
  const auto keep = [&](Result<Request> request) {
    check(request.error());
    if (request) requests.push_back(*request);
  };
  const RemoteMemory there{task, {input.below(24)}, input.take<std::uint32_t>() % 0x400000};
  const Address here = any_address(input, heap);
  switch (input.below(9)) {
    case 0:
      return keep(context.send(task, tag, here, bytes));
    case 1:
      return keep(context.receive(input.below(3) == 0 ? kAnyTask : task, tag, here, bytes));
    case 2: {
      PutOptions options;
      options.notify = static_cast<Notify>(input.below(5));
      options.reflector = input.below(9);
      return keep(context.put(there, here, bytes, options));
    }
    case 3:
      return keep(context.get(here, there, bytes));
    case 4:
      return keep(context.fence(task));
    case 5:
      return check(context.advance());
    case 6:
      return check(context.wait({input.take<std::uint32_t>()}, context.now() + kDeadline).error());
    case 7: {
      const auto address = context.take_heap(bytes);
      return check(address.error());
    }
    default:
      if (requests.empty()) return;
      check(context.wait(requests[input.below(256) % requests.size()], context.now() + kDeadline)
                .error());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  model::MachineOptions options;
  options.shape = {2, 1, 1};
  const NodePlan plan = *NodePlan::make(options.shape, kSim, options.memory_size);
  model::ReferenceMachine machine(options);
  for (std::uint32_t n = 0; n < 2; ++n) {
    const std::size_t half = size / 2;
    machine.add_core({n}, [&, n, half](Device& device) {
      fuzz::Input input(data + n * half, n == 0 ? half : size - half);
      check(NodeSetup(device, plan).run());
      Context context(device, plan, ClientId{0});
      std::vector<Request> requests;
      for (std::uint32_t k = 0; k < kCalls && !input.empty(); ++k)
        one_call(input, context, plan.heap({0}), requests);
      for (const Request request : requests)
        check(context.wait(request, context.now() + kDeadline).error());
      check(context.flush(context.now() + kDeadline));
    });
  }
  const bool ended = machine.run(100'000'000);
  // A core that fails has ended, too.
  fuzz::require(ended && machine.problems().empty(),
                ended ? machine.problems() : "the calls do not end: " + machine.problems());
  return 0;
}
