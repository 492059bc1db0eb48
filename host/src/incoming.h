// SPDX-License-Identifier: Apache-2.0
// A message that has begun to arrive.
#ifndef TORUSMU_HOST_SRC_INCOMING_H_
#define TORUSMU_HOST_SRC_INCOMING_H_

#include <cstdint>
#include <optional>
#include <system_error>
#include <vector>

#include "host/src/wire.h"
#include "torusmu/context.h"

namespace torusmu {

struct Incoming {
  Endpoint source{};
  std::uint32_t tag = 0;
  Bytes length = 0;
  bool by_request = false;
  wire::RequestPayload remote;           // if by_request
  std::vector<std::byte> data;           // eager, not yet matched; header of an active message
  Bytes arrived = 0;                     // eager
  std::optional<std::uint32_t> receive;  // number of the request that has matched it
  Range buffer{};                        // then
  std::uint32_t copies = 0;              // of its data into the buffer by the MU, under way
  bool is_whole = false;                 // all of it has come
  std::error_code error{};               // of a copy
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_INCOMING_H_
