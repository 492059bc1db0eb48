// SPDX-License-Identifier: Apache-2.0
// How tasks tell each other of memory that they put into, or get from.
#ifndef TESTS_HOST_ONE_SIDED_H_
#define TESTS_HOST_ONE_SIDED_H_

#include <cstring>
#include <vector>

#include "tests/host/job.h"
#include "tests/host/programs.h"

namespace torusmu::testing {

inline JobOptions shape(Shape machine) {
  JobOptions options;
  options.machine.shape = machine;
  return options;
}

// Tells task 1 where the memory is, by message; returns what task 0 told.
inline RemoteMemory advertise(Context& context, std::uint32_t to, Address address, Bytes bytes) {
  const RemoteMemory memory = require(context.name_memory(address, bytes), "name");
  std::vector<std::byte> data(sizeof memory);
  std::memcpy(data.data(), &memory, sizeof memory);
  finish(context, context.send({to}, 100, put_into_heap(context, data), data.size()));
  return memory;
}

inline RemoteMemory learn(Context& context, std::uint32_t from) {
  RemoteMemory memory{};
  const Address buffer = require(context.take_heap(sizeof memory), "heap");
  finish(context, context.receive({from}, 100, buffer, sizeof memory));
  const auto data = get_from(context, buffer, sizeof memory);
  std::memcpy(&memory, data.data(), sizeof memory);
  return memory;
}

}  // namespace torusmu::testing

#endif  // TESTS_HOST_ONE_SIDED_H_
