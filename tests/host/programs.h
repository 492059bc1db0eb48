// SPDX-License-Identifier: Apache-2.0
// Programs of jobs that more than one test runs. They throw when a byte is wrong.
#ifndef TESTS_HOST_PROGRAMS_H_
#define TESTS_HOST_PROGRAMS_H_

#include "tests/host/job.h"

namespace torusmu::testing {

// Tasks 1.. send `count` messages each to task 0, which looks at nothing for `stall` cycles.
inline Job::Program many_to_one_program(std::uint64_t count, Bytes bytes, Cycles stall) {
  return [=](Context& context) {
    if (context.task().value != 0) {
      std::vector<Request> sends;
      for (std::uint64_t k = 0; k < count; ++k) {
        const Address data =
            put_into_heap(context, pattern(context.task().value * 1000 + k, bytes));
        sends.push_back(require(context.send({0}, 1, data, bytes), "send"));
      }
      for (const Request request : sends) finish(context, Result<Request>(request));
      return;
    }
    context.device().compute(stall);
    const Address buffer = require(context.take_heap(bytes), "heap");
    for (std::uint64_t k = 0; k < count; ++k) {
      for (std::uint32_t t = 1; t < context.tasks(); ++t) {
        finish(context, context.receive({t}, 1, buffer, bytes));
        check(get_from(context, buffer, bytes) == pattern(t * 1000 + k, bytes),
              "message " + std::to_string(k) + " of task " + std::to_string(t));
      }
    }
  };
}

// Task 0 sends `count` messages to each of the others, which receive them all at once.
inline Job::Program one_to_many_program(std::uint64_t count, Bytes bytes) {
  return [=](Context& context) {
    if (context.task().value == 0) {
      std::vector<Request> sends;
      for (std::uint32_t t = 1; t < context.tasks(); ++t) {
        for (std::uint64_t k = 0; k < count; ++k) {
          const Address data = put_into_heap(context, pattern(100 * t + k, bytes));
          sends.push_back(require(context.send({t}, 1, data, bytes), "send"));
        }
      }
      for (const Request request : sends) finish(context, Result<Request>(request));
      return;
    }
    std::vector<Request> receives;
    std::vector<Address> buffers;
    for (std::uint64_t k = 0; k < count; ++k) {
      buffers.push_back(require(context.take_heap(bytes), "heap"));
      receives.push_back(require(context.receive({0}, 1, buffers.back(), bytes), "receive"));
    }
    for (std::uint64_t k = 0; k < count; ++k) {
      finish(context, Result<Request>(receives[k]));
      check(get_from(context, buffers[k], bytes) == pattern(100 * context.task().value + k, bytes),
            "bytes");
    }
  };
}

// Random messages between all pairs of tasks, both ways at once, posted early and late.
inline Job::Program all_to_all_program(std::uint64_t seed, std::uint64_t count, Bytes most) {
  return [=](Context& context) {
    const std::uint32_t own = context.task().value;
    // Message k from a to b has a length and bytes that both sides can work out.
    const auto seed_of = [seed](std::uint64_t a, std::uint64_t b, std::uint64_t k) {
      return mix(seed + a * 1000003 + b * 10007 + k);
    };
    struct Receive {
      Request request;
      Address buffer;
      std::uint64_t seed;
    };
    Rng order(seed_of(own, own, 999'999));
    std::vector<Request> sends;
    std::vector<Receive> receives;
    for (std::uint64_t k = 0; k < count; ++k) {
      for (std::uint32_t t = 0; t < context.tasks(); ++t) {
        const auto data = pattern(seed_of(own, t, k), seed_of(own, t, k) % (most + 1));
        const Address from = put_into_heap(context, data);
        const Address to = require(context.take_heap(most), "heap");
        const auto tag = static_cast<Tag>(k / 4);
        sends.push_back(require(context.send({t}, tag, from, data.size()), "send"));
        if (order.chance(300)) context.device().compute(order.below(5000));
        if (order.chance(500)) require(context.advance(), "advance");
        receives.push_back(
            {require(context.receive({t}, tag, to, most), "receive"), to, seed_of(t, own, k)});
      }
    }
    for (const Receive& receive : receives) {
      const Completion done = finish(context, Result<Request>(receive.request));
      check(done.length == receive.seed % (most + 1), "length");
      check(get_from(context, receive.buffer, done.length) == pattern(receive.seed, done.length),
            "bytes");
    }
    for (const Request request : sends) finish(context, Result<Request>(request));
  };
}

// Everybody puts into everybody's memory, each with another way to be told; then all is compared.
inline Job::Program put_to_all_program(Bytes bytes) {
  return [=](Context& context) {
    const std::uint32_t own = context.task().value;
    const std::uint32_t tasks = context.tasks();
    std::vector<Task> members;
    for (std::uint32_t t = 0; t < tasks; ++t) members.push_back({t});
    Group world(context, members, 5);
    // The first piece of heap that each task takes lies at the same place.
    const Address window = require(context.take_heap(tasks * bytes), "heap");
    const RemoteMemory here = require(context.name_memory(window, tasks * bytes), "name");
    require(world.barrier(context.now() + 100'000'000), "barrier");
    constexpr Notify kNotify[] = {Notify::kReflectedPut, Notify::kReflectedFifo, Notify::kInjected,
                                  Notify::kDelivered};
    std::vector<Request> puts;
    for (std::uint32_t t = 0; t < tasks; ++t) {
      const Address data = put_into_heap(context, pattern(own * 1000 + t, bytes));
      PutOptions options;
      options.notify = kNotify[(own + t) % std::size(kNotify)];
      options.reflector = t % 8;
      Result<Request> put = Errc::kAgain;
      while (!put && put.error() == Errc::kAgain) {
        put = context.put({{t}, here.region, here.offset + own * bytes}, data, bytes, options);
        require(context.advance(), "advance");
      }
      puts.push_back(require(put, "put"));
    }
    for (const Request put : puts) finish(context, Result<Request>(put));
    for (std::uint32_t t = 0; t < tasks; ++t) finish(context, context.fence({t}));
    require(world.barrier(context.now() + 100'000'000), "barrier");
    for (std::uint32_t t = 0; t < tasks; ++t) {
      check(get_from(context, window + t * bytes, bytes) == pattern(t * 1000 + own, bytes),
            "put of task " + std::to_string(t));
    }
    // And back: everybody gets everybody's window.
    const Address copy = require(context.take_heap(tasks * bytes), "heap");
    for (std::uint32_t t = 0; t < tasks; ++t) {
      finish(context, context.get(copy, {{t}, here.region, here.offset}, tasks * bytes));
      for (std::uint32_t s = 0; s < tasks; ++s) {
        check(get_from(context, copy + s * bytes, bytes) == pattern(s * 1000 + t, bytes), "get");
      }
    }
    require(world.barrier(context.now() + 100'000'000), "barrier");
  };
}

// All collectives, with every root and results compared with the documented order.
inline void collectives_program(Context& context) {
  const std::uint32_t own = context.task().value;
  const std::uint32_t tasks = context.tasks();
  std::vector<Task> members;
  std::vector<std::vector<std::byte>> operands;
  for (std::uint32_t t = 0; t < tasks; ++t) {
    members.push_back({t});
    operands.push_back(pattern(t, 200));
    // Exponents of moderate size only, so that the values are numbers.
    for (std::size_t i = 7; i < 200; i += 8) operands.back()[i] = std::byte{0x40};
  }
  Group world(context, members, 6);
  const auto deadline = [&] { return context.now() + 100'000'000; };
  const Address in = require(context.take_heap(200), "heap");
  const Address out = require(context.take_heap(200), "heap");
  for (std::uint32_t root = 0; root < tasks; ++root) {
    require(world.barrier(deadline()), "barrier");
    context.device().store(in, operands[own]);
    require(world.reduce(root, ReduceOp::kSum, DataType::kF64, 25, in, out, deadline()), "reduce");
    if (own == root) {
      check(get_from(context, out, 200) ==
                reduce_in_order(ReduceOp::kSum, DataType::kF64, root, operands),
            "reduce");
    }
    require(world.allreduce(ReduceOp::kMin, DataType::kF64, 25, in, out, deadline()), "allreduce");
    check(
        get_from(context, out, 200) == allreduce_in_order(ReduceOp::kMin, DataType::kF64, operands),
        "allreduce");
    require(world.broadcast(root, in, 200, deadline()), "broadcast");
    check(get_from(context, in, 200) == operands[root], "broadcast");
  }
}

}  // namespace torusmu::testing

#endif  // TESTS_HOST_PROGRAMS_H_
