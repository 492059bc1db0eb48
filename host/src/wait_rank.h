// SPDX-License-Identifier: Apache-2.0
// Which of the held queues may go on, and which wait for one another.
#ifndef TORUSMU_HOST_SRC_WAIT_RANK_H_
#define TORUSMU_HOST_SRC_WAIT_RANK_H_

#include "host/src/wait_queues.h"

namespace torusmu::waits {

// From the bottom: a queue may go on if what it needs can still come from outside, or comes from
// queues that may go on. Those that are left without a rank wait for one another.
void rank(HeldQueues& held_queues);

// Whom to look at next: of those that never go on another such; of the others one of lower rank.
const Helper* next_of(const HeldQueues& held_queues, const Held& held);

}  // namespace torusmu::waits

#endif  // TORUSMU_HOST_SRC_WAIT_RANK_H_
