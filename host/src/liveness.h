// SPDX-License-Identifier: Apache-2.0
// Whether the node still answers.
#ifndef TORUSMU_HOST_SRC_LIVENESS_H_
#define TORUSMU_HOST_SRC_LIVENESS_H_

#include "torusmu/device.h"
#include "torusmu/error.h"
#include "torusmu/polling.h"
#include "torusmu/registers.h"

namespace torusmu {

class Liveness {
 public:
  Liveness(Device& device, ClientId client) : device_(device), client_(client) {}

  // Asks: kDeviceGone if it does not answer. It is gone for good then.
  std::error_code check() {
    const std::uint64_t status = device_.read64(registers::client_page::page_status(client_.value));
    if (static_cast<std::uint32_t>(status) == registers::kSignature) return {};
    gone_ = true;
    return Errc::kDeviceGone;
  }
  // The same for a poll that was given an answer that cannot be.
  PollResult doubt() { return check() ? PollResult::kGone : PollResult::kNothing; }
  [[nodiscard]] bool is_gone() const { return gone_; }

 private:
  Device& device_;
  ClientId client_;
  bool gone_ = false;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_LIVENESS_H_
