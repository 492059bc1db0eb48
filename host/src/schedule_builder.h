// SPDX-License-Identifier: Apache-2.0
// Writes a schedule: an algorithm says what happens to which bytes, the builder finds out which
// steps therefore have to wait for which.
#ifndef TORUSMU_HOST_SRC_SCHEDULE_BUILDER_H_
#define TORUSMU_HOST_SRC_SCHEDULE_BUILDER_H_

#include <cstdint>
#include <vector>

#include "host/src/schedule.h"

namespace torusmu {

class ScheduleBuilder {
 public:
  ScheduleBuilder(const Call& call, std::uint32_t members, std::uint32_t rank);

  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] std::uint32_t members() const { return members_; }
  [[nodiscard]] std::uint32_t rank() const { return rank_; }
  // Bytes of Call::count.
  [[nodiscard]] Bytes bytes() const { return call_.count * call_.element; }
  // Member at a distance from this one, around.
  [[nodiscard]] std::uint32_t up(std::uint32_t distance) const {
    return static_cast<std::uint32_t>((std::uint64_t{rank_} + distance) % members_);
  }
  [[nodiscard]] std::uint32_t down(std::uint32_t distance) const {
    return up(members_ - distance % members_);
  }

  // Bytes of the input and the output, wherever they lie if the call is in place.
  [[nodiscard]] Part in(Bytes offset, Bytes bytes) const;
  [[nodiscard]] Part out(Bytes offset, Bytes bytes) const;
  // A fresh piece of the scratch buffer.
  Part scratch(Bytes bytes);

  // Each adds a step that waits for the earlier ones it has to, or none if there are no bytes.
  void send(std::uint32_t member, Part from);
  void receive(std::uint32_t member, Part to, std::uint32_t batch = 0);
  void combine(Part to, Part first, Part second);
  void copy(Part to, Part from);
  // A message of no bytes, after all signals that were awaited before.
  void signal(std::uint32_t member);
  void await_signal(std::uint32_t member, std::uint32_t batch = 0);
  // How the MU is to run the schedule, see there.
  void use_batches(std::uint32_t batches) { schedule_.batches = batches; }
  void take_in_turn() { schedule_.in_turn = true; }
  void run_sums_beside() { schedule_.sums_beside = true; }

  Schedule take(Algorithm algorithm);

 private:
  struct Access {
    Part part;
    std::uint32_t step = 0;
    bool writes = false;
  };

  void add(Step step, bool waits);
  void touch(std::uint32_t step, const Part& part, bool writes, bool forgets);
  void wait_for(const Part& part, bool writes, std::vector<std::uint32_t>* after) const;

  const Call call_;
  const std::uint32_t members_;
  const std::uint32_t rank_;
  Schedule schedule_;
  std::vector<Access> accesses_;         // those that a later step may have to wait for
  std::vector<std::uint32_t> awaited_;   // steps that await a signal
  std::vector<std::uint32_t> sent_;      // messages to each member so far
  std::vector<std::uint32_t> received_;  // and from it
};

// A vector of `count` elements cut into a block for each member: the first count % members blocks
// have an element more. It begins at `base`.
class Blocks {
 public:
  Blocks(std::uint64_t count, Bytes element, std::uint32_t members, Bytes base = 0)
      : each_(count / members), longer_(count % members), element_(element), base_(base) {}
  [[nodiscard]] Bytes offset(std::uint32_t block) const {
    return base_ + (block * each_ + (block < longer_ ? block : longer_)) * element_;
  }
  [[nodiscard]] Bytes bytes(std::uint32_t block) const {
    return (each_ + (block < longer_ ? 1 : 0)) * element_;
  }

 private:
  std::uint64_t each_;
  std::uint64_t longer_;
  Bytes element_;
  Bytes base_;
};
// The parts of an allreduce, see allreduce_parts(), each in blocks.
std::vector<Blocks> blocks_of_parts(const ScheduleBuilder& builder);

// The batch of what comes last of all, with the release behind a collective.
inline constexpr std::uint32_t kLastBatch = ~std::uint32_t{0};

// The algorithms, in algorithms_*.cc; in which order operands are combined is in collectives.h.
namespace algorithms {

void dissemination_barrier(ScheduleBuilder& builder);
void tree_barrier(ScheduleBuilder& builder);
void binomial_broadcast(ScheduleBuilder& builder);
void binomial_reduce(ScheduleBuilder& builder);
void binomial_scatter(ScheduleBuilder& builder);
void binomial_gather(ScheduleBuilder& builder);
void chain_broadcast(ScheduleBuilder& builder);
void doubling_allreduce(ScheduleBuilder& builder);
void fours_allreduce(ScheduleBuilder& builder);
void tree_allreduce(ScheduleBuilder& builder);
void ring_reduce(ScheduleBuilder& builder);
void chain_reduce(ScheduleBuilder& builder);
void ring_allreduce(ScheduleBuilder& builder);
void ring_allgather(ScheduleBuilder& builder);
void ring_reduce_scatter(ScheduleBuilder& builder);
void bruck_allgather(ScheduleBuilder& builder);
void bruck_alltoall(ScheduleBuilder& builder);
void direct_scatter(ScheduleBuilder& builder);
void direct_gather(ScheduleBuilder& builder);
void direct_allreduce(ScheduleBuilder& builder);
void direct_alltoall(ScheduleBuilder& builder);
void direct_reduce_scatter(ScheduleBuilder& builder);

// Behind a collective: toward lower members, from whom then none hears but its children in the
// trees of gather and reduce; and in the tree of the collective, up it if data have gone down, then
// down.
void dissemination_behind(ScheduleBuilder& builder);
void tree_behind(ScheduleBuilder& builder);

}  // namespace algorithms
}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_SCHEDULE_BUILDER_H_
