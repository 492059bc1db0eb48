// SPDX-License-Identifier: Apache-2.0
// A schedule as descriptors: what a member's queue runs without the host (US 9,344,490).
//
// The steps of a schedule become one list for one injection queue, in the order of the schedule:
//   send      PUT into the window of the other member, with its arrival counted there
//   receive   nothing; the first step that needs it has a WAIT before it
//   combine   CALC of two operands; copy: CALC of one
// The queue holds at a WAIT until the count is reached and at a CALC until the result is in memory,
// so the order of the list is all the order that is needed. If the schedule says so (sums_beside),
// combines and copies have a list of their own, for a second queue; a step that needs one of the
// other list has a WAIT for the descriptors that the other queue has done. Combines of which each
// goes on with the result of the one before are one CALC of up to 16 operands, whose list of
// operands lies in the window.
//
// Where things lie. Each member has two windows, used in turn by the collectives of a group, and
// behind their scratch memory, if anything is received into the output, a copy of the output
// (staged): other members know where windows are, but not where a program has its buffers.
// Which event counter counts what a source sends: the sources of a member, in the order of its
// receives, have the counters 0, 1, 2, ... of the window's set; more sources than counters share.
// In a schedule with batches each batch has one. Where a group has few counters, a schedule whose
// messages come in turn (Schedule::in_turn) takes counter 0 for all of them.
//
// Why nobody writes into a window that is still read: a member that sends in collective k + 2 has
// finished k + 1, in which it depends on every other member's having sent; those had finished k,
// since a queue runs in order. Where members do not all depend on one another (broadcast, reduce,
// scatter, gather), a barrier of the same queues follows behind the completion (behind()).
#ifndef TORUSMU_HOST_SRC_TRANSLATION_H_
#define TORUSMU_HOST_SRC_TRANSLATION_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "host/src/schedule.h"
#include "torusmu/collectives.h"
#include "torusmu/layout.h"
#include "torusmu/plan.h"
#include "torusmu/reduction.h"

namespace torusmu {

// By the event counters of one window.
using SourceCounts = std::array<std::uint32_t, NodePlan::kMostOffloadCounters>;

// An entry of a CALC's list: an Operand or a ReductionStep.
using ListEntry = std::array<std::uint8_t, Operand::kBytes>;
static_assert(ReductionStep::kBytes == Operand::kBytes);

// A schedule, and what other members must know of it.
struct MemberView {
  Schedule schedule;
  Schedule behind;                     // the barrier that follows, or nothing
  std::uint32_t counters = 0;          // of the window
  bool in_turn = false;                // one of them is enough
  std::vector<std::uint32_t> sources;  // in the order of their first receive, the barrier's last
  std::map<std::uint32_t, std::uint32_t> taken;        // messages of each
  std::map<std::uint32_t, std::uint32_t> up_to_batch;  // messages of each batch and those below it
  bool staged = false;
  Bytes window_bytes = 0;
  Bytes output_at = 0;      // in the window: the output, if staged
  Bytes lists_at = 0;       // in the window: lists of this member's CALCs
  SourceCounts arrivals{};  // messages that each counter will have counted
  // Of a message without data, and of a receive.
  [[nodiscard]] std::uint32_t counter_of(std::uint32_t source) const;
  [[nodiscard]] std::uint32_t counter_of(const Step& receive) const;
  // What its counter has to have counted before it is known to be over.
  [[nodiscard]] std::uint32_t arrivals_of(const Step& receive) const;
  // Counts it in all of these.
  void hears(const Step& receive);
  // The receive of message `number` from `source`.
  [[nodiscard]] const Step& receive_of(std::uint32_t source, std::uint32_t number) const;
  // Where its data goes, in bytes from the start of the window.
  [[nodiscard]] Bytes place_of(const Step& receive) const;
};
MemberView view_of(const Call& call, Algorithm algorithm, std::uint32_t members, std::uint32_t rank,
                   std::uint32_t counters);

// A place in a region of this client.
struct RegionPlace {
  RegionId region;
  Bytes offset = 0;
  friend constexpr auto operator<=>(const RegionPlace&, const RegionPlace&) = default;
};

// What a translation is made for.
struct TranslationTarget {
  const NodePlan& plan;
  std::span<const Task> members;
  std::uint32_t group = 0;          // slot of the group in the plan
  std::uint32_t window = 0;         // 0 or 1
  SourceCounts before{};            // what the window's counters have counted before
  std::uint32_t posted_before = 0;  // descriptors of each queue
  std::uint32_t sums_before = 0;
  RegionPlace in{}, out{};
  std::uint64_t completion = 0;  // stored into the completion word when all is done
  bool is_told = false;          // which has an entry in the completion queue, too
};

// A descriptor of a list that another posting of the same call has with another value.
struct Patch {
  enum class What : std::uint8_t { kArrivals, kPosted, kSums, kCompletion };
  What what = What::kArrivals;
  bool in_sums = false;
  std::uint32_t index = 0;    // in its list
  std::uint32_t counter = 0;  // kArrivals
  std::uint32_t value = 0;    // beyond what was counted, or posted, before
};

struct Translation {
  std::vector<Descriptor> descriptors;
  std::vector<Descriptor> sums;  // for the queue that sums beside the other
  std::vector<ListEntry> lists;  // of the CALCs of more than two operands, or with steps
  Bytes lists_at = 0;            // where they are to be stored, in the region of collectives
  SourceCounts arrivals{};
  std::vector<Patch> patches;
};

// Why the MU cannot run this call; nothing if it can, for every member: an operation of the
// library, a byte at least, windows and rings that are large enough, sources that can be told
// apart. The same for all members. Calls in place are no other calls.
std::optional<ByCores> obstacle(const Call& call, const Operator& op, Algorithm algorithm,
                                std::uint32_t members, const NodePlan& plan);
// Of a call that it can run.
Translation translate(const Call& call, const Operator& op, Algorithm algorithm, std::uint32_t rank,
                      const TranslationTarget& target);
// Makes a translation one for a target that differs in `before`, `posted_before`, `sums_before` and
// `completion` alone.
void renew(Translation* translation, const TranslationTarget& target);

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_TRANSLATION_H_
