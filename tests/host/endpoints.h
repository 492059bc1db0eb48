// SPDX-License-Identifier: Apache-2.0
// Programs of jobs with several contexts a task.
#ifndef TESTS_HOST_ENDPOINTS_H_
#define TESTS_HOST_ENDPOINTS_H_

#include <cstdint>
#include <vector>

#include "tests/host/job.h"
#include "torusmu/registers.h"

namespace torusmu::testing {

inline std::uint32_t endpoints_of(const NodePlan& plan) {
  return plan.tasks() * plan.options().contexts;
}
// Endpoint n of a job counts the contexts of task 0, then those of task 1 and so on.
inline Endpoint endpoint_of(const NodePlan& plan, std::uint32_t n) {
  return {{n / plan.options().contexts}, {n % plan.options().contexts}};
}
inline std::uint32_t number_of(const Context& context) {
  return context.task().value * context.plan().options().contexts + context.id().value;
}

// Every endpoint of the clients from 0 to `last_client` sends `rounds` messages of up to `most`
// bytes to every such endpoint, itself too, and computes now and then; each receives them in turn
// and compares them.
inline Job::Program all_endpoints_program(std::uint64_t seed, std::uint64_t rounds, Bytes most,
                                          std::uint32_t last_client = ~0U) {
  return [=](Context& context) {
    const NodePlan& plan = context.plan();
    const std::uint32_t own = number_of(context);
    std::vector<std::uint32_t> all;
    for (std::uint32_t n = 0; n < endpoints_of(plan); ++n) {
      if (plan.place(endpoint_of(plan, n).task).client.value <= last_client) all.push_back(n);
    }
    const auto seed_of = [=](std::uint64_t from, std::uint64_t to, std::uint64_t round) {
      return mix(seed + from * 1000003 + to * 10007 + round);
    };
    Rng random(seed_of(own, own, 777));
    const Address in = require(context.take_heap(most), "heap");
    for (std::uint64_t round = 0; round < rounds; ++round) {
      std::vector<Request> sends;
      std::vector<std::pair<Address, Bytes>> sent;
      for (const std::uint32_t n : all) {
        const std::uint64_t key = seed_of(own, n, round);
        const auto data = pattern(key, key % (most + 1));
        sent.emplace_back(put_into_heap(context, data), data.size());
        sends.push_back(
            require(context.send(endpoint_of(plan, n), 3, sent.back().first, data.size()), "send"));
      }
      if (random.chance(300)) context.device().compute(random.below(4000));
      for (const std::uint32_t n : all) {
        const Endpoint from = endpoint_of(plan, n);
        const std::uint64_t key = seed_of(n, own, round);
        const Completion done = finish(context, context.receive(from, 3, in, most));
        check(done.source == from.task && done.source_context == from.context, "source");
        check(get_from(context, in, done.length) == pattern(key, key % (most + 1)),
              "message of endpoint " + std::to_string(n));
      }
      for (const Request request : sends) finish(context, Result<Request>(request));
      for (const auto& [address, bytes] : sent) context.give_heap(address, bytes);
    }
  };
}

// In each round every context of task 1 sends one message to that of the same number in task 0, at
// about the same time, and those of task 0 meet when each has its own. Whoever is not woken by its
// message is woken by nothing else: all others wait for it.
inline Job::Program rendezvous_program(std::uint64_t seed, std::uint64_t rounds) {
  return [=](Context& context) {
    const std::uint32_t contexts = context.plan().options().contexts;
    const Task other{1 - context.task().value};
    Rng random(mix(seed) + number_of(context));
    const Address buffer = require(context.take_heap(64), "heap");
    // Looking takes a while, so that much may happen between a look and the sleep behind it.
    const std::uint32_t slow = context.add_progress([&] {
      context.device().compute(random.below(400));
      return false;
    });
    for (std::uint64_t round = 0; round < rounds; ++round) {
      if (context.task().value == 1) {
        context.device().compute(random.below(1500));
        finish(context, context.send(other, 1, buffer, 8));
        finish(context, context.receive(other, 2, buffer, 8));
        continue;
      }
      finish(context, context.receive(other, 1, buffer, 8));
      for (std::uint32_t k = 0; k < contexts; ++k) {
        finish(context, context.send(Endpoint(context.task(), {k}), 3, buffer, 8));
      }
      for (std::uint32_t k = 0; k < contexts; ++k) {
        finish(context, context.receive(Endpoint(context.task(), {k}), 3, buffer, 8));
      }
      finish(context, context.send(other, 2, buffer, 8));
    }
    context.remove_progress(slow);
  };
}

// Of client 1: names, in its own page and descriptors, what belongs to client 0 of its node. Each
// attempt must end in a status, and change nothing.
inline void spiteful_program(Context& context) {
  namespace page = registers::client_page;
  namespace d = layout::descriptor;
  const NodePlan& plan = context.plan();
  Device& device = context.device();
  const ClientId victim{0};
  constexpr std::uint32_t kOwn = 1;
  for (std::uint32_t round = 0; round < 40; ++round) {
    const ContextId k{round % plan.options().contexts};
    const std::uint32_t fifo = page::fifo_index(kOwn, plan.message_fifo(victim, k).value);
    const std::uint32_t queue = page::queue_index(kOwn, plan.send_queue(victim, k).value);
    const std::uint32_t bytes = page::byte_counter(kOwn, plan.byte_counter(victim, 0, k).value);
    const std::uint32_t event = page::event_counter(kOwn, plan.event_counter(victim, 0, k).value);
    device.write32(queue, round);
    device.write32(fifo, round);
    device.write64(bytes, 1);
    device.write32(event, round);
    check(device.read32(queue) == 0 && device.read32(fifo) == 0, "indices of another client");
    check(device.read64(bytes) == 0 && device.read32(event) == 0, "counters of another client");
    // What the victim keeps in its library's memory, sent to oneself.
    const Coordinates here = plan.shape().coordinates(device.node());
    require(context.run_internal(Descriptor()
                                     .set<d::opcode>(Opcode::kFifo)
                                     .set<d::source_region>(plan.library_region(victim).value)
                                     .set<d::length>(64)
                                     .set<d::header>(PacketHeader()
                                                         .set<layout::packet_header::dst_x>(here.x)
                                                         .set<layout::packet_header::target>(
                                                             plan.message_fifo({kOwn}).value))),
            "run");
    device.compute(500);
    require(context.advance(), "advance");
  }
  const std::uint64_t status = device.read64(page::page_status(kOwn));
  check(extract(status, page::page_status_field::errors) >= 320, "accesses that were refused");
  check(static_cast<Status>(extract(status, page::page_status_field::status)) ==
            Status::kDoorbellOwner,
        "status of the first");
  check(context.counts().odd_packets == 0, "nothing came");
  const Address own = require(context.take_heap(8), "heap");
  check(context.send(Endpoint(context.task(), {0}), 1, plan.heap(victim).address, 600).error() ==
            Errc::kNotRegistered,
        "heap of another client");
  check(context.get(plan.heap(victim).address, {context.task(), plan.heap_region({kOwn}), 0}, 8)
                .error() == Errc::kNotRegistered,
        "heap of another client as target");
  // All that remains its own still works.
  finish(context, context.send(context.task(), 2, own, 8));
  finish(context, context.receive(context.task(), 2, own, 8));
}

// The clients 0 exchange messages, whatever the clients 1 try.
inline Job::Program spite_beside_messages_program(std::uint64_t seed) {
  const auto messages = all_endpoints_program(seed, 10, 1500, 0);
  return [=](Context& context) {
    if (context.plan().place(context.task()).client.value == 0) {
      messages(context);
    } else {
      spiteful_program(context);
    }
  };
}

}  // namespace torusmu::testing

#endif  // TESTS_HOST_ENDPOINTS_H_
