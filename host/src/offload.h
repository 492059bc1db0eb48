// SPDX-License-Identifier: Apache-2.0
// Collectives of one group that the MU runs by itself: posting them, and finding them complete.
#ifndef TORUSMU_HOST_SRC_OFFLOAD_H_
#define TORUSMU_HOST_SRC_OFFLOAD_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "host/src/schedule.h"
#include "host/src/translation.h"
#include "torusmu/context.h"

namespace torusmu {

class Offload {
 public:
  // Group slot `group` of the plan. Context and members outlive this object.
  Offload(Context& context, std::span<const Task> members, std::uint32_t rank, std::uint32_t group);

  // The algorithm that the MU would run this call with, if it can.
  std::optional<Algorithm> algorithm_for(const Call& call, const Operator& op);
  // Posts the list at once, with one doorbell. Returns the number of its completion; from here on
  // the host does nothing for it.
  // kOutOfResources if the queue has no room by `deadline`.
  Result<std::uint64_t> post(const Translation& translation, Cycles deadline);
  // The list of the next call to be posted.
  Translation prepare(const Call& call, const Operator& op, Algorithm algorithm, RegionPlace in,
                      RegionPlace out) const;
  // True once the completion entry of that number, or a later one, is in memory.
  bool is_complete(std::uint64_t number);

 private:
  struct Window {
    SourceCounts counted{};  // by its counters, once all that is posted has come
  };
  bool has_room(std::uint32_t descriptors);

  Context& context_;
  std::span<const Task> members_;
  std::uint32_t rank_;
  std::uint32_t group_;
  std::uint64_t posted_ = 0;  // collectives
  std::uint64_t completed_ = 0;
  std::uint32_t tail_ = 0;  // descriptors
  std::uint32_t head_ = 0;  // the last that was read
  std::array<Window, 2> windows_{};
  using Key = std::tuple<Collective, std::uint32_t, std::uint64_t, Bytes, bool, ReduceOp, DataType>;
  std::map<Key, std::optional<Algorithm>> known_;  // what algorithm_for() has answered
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_OFFLOAD_H_
