// SPDX-License-Identifier: Apache-2.0
// Why a queue does not go on: what stands at its head, what that waits for, and who has that
// posted.
#ifndef TORUSMU_HOST_SRC_WAIT_JUDGE_H_
#define TORUSMU_HOST_SRC_WAIT_JUDGE_H_

#include <cstdint>
#include <optional>

#include "host/src/wait_queues.h"

namespace torusmu::waits {

class Judge {
 public:
  explicit Judge(const Queues& queues) : queues_(queues) {}
  // Nothing if the queue goes on.
  [[nodiscard]] std::optional<Held> judge(QueuePlace place, const QueueLook& queue) const;

 private:
  void not_enabled(QueuePlace place, const QueueLook& queue, Held& held) const;
  bool waits(QueuePlace place, const QueueLook& queue, const Descriptor& wait, Held& held) const;
  void done_by(QueuePlace target, Held& held) const;
  void entered_by(std::uint32_t node, std::uint32_t completion_queue, Held& held) const;
  void bumped_by(std::uint32_t node, std::uint32_t event, Held& held) const;
  [[nodiscard]] std::uint64_t bumps(QueuePlace at, const QueueLook& queue,
                                    const Descriptor& descriptor, std::uint32_t node,
                                    std::uint32_t event) const;
  [[nodiscard]] std::uint32_t node_named_by(const Descriptor& descriptor) const;
  [[nodiscard]] std::optional<QueuePlace> target_of(const QueueLook& queue,
                                                    const Descriptor& descriptor) const;
  bool sends(const QueueLook& queue, const Descriptor& send, Held& held) const;
  void fences(const Descriptor& fence, Held& held) const;
  bool is_piped(QueuePlace receives, Held& held) const;
  bool pipes(QueuePlace place, const QueueLook& queue, const Descriptor& pipe, Held& held) const;
  bool receives(const QueueLook& queue, Held& held) const;
  bool receives_from_any(QueuePlace place, Held& held) const;

  const Queues& queues_;
};

}  // namespace torusmu::waits

#endif  // TORUSMU_HOST_SRC_WAIT_JUDGE_H_
