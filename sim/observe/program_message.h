// SPDX-License-Identifier: Apache-2.0
#ifndef TORUSMU_SIM_OBSERVE_PROGRAM_MESSAGE_H_
#define TORUSMU_SIM_OBSERVE_PROGRAM_MESSAGE_H_

#include <cstdint>

#include "torusmu/types.h"

namespace torusmu {

// A message as the program knows it that sent it.
struct ProgramMessage {
  NodeId from{}, to{};
  std::uint32_t from_rank = 0, to_rank = 0;
  std::uint32_t tag = 0;
  Bytes bytes = 0;
  Cycles sent = 0, complete = 0;  // the call that sends; the receiver has it
  Cycles awaited = 0;             // the call that receives

  // From the later of the two calls: a receiver that comes late makes no message slow.
  [[nodiscard]] Cycles latency() const {
    const Cycles start = sent > awaited ? sent : awaited;
    return complete - (start < complete ? start : complete);
  }
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_PROGRAM_MESSAGE_H_
