// SPDX-License-Identifier: Apache-2.0
// Collectives of a group of tasks, in software: messages of the library's own. Which algorithm a
// call takes depends on its length and the number of members: docs/host_library.md has the table.
//
// Order of reductions. `op(a, b)` always has the result so far, or the operand of the lower member,
// as a, so the same operands give the same bits in every run and, for allreduce, at every member.
// n members, x(i) the operand of member i:
//   tree       reduce, short. Members count from the root, around: v = (member - root) mod n. In
//              round k = 1, 2, 4, ... v takes x(v) = op(x(v), x(v + k)) from v + k, for v a
//              multiple of 2 k. A user's reduction that does not commute counts from member 0.
//   doubling   allreduce, short. Let p be the largest power of two not above n, and e = n - p.
//              First members 2 i and 2 i + 1 for i < e fold into y(i) = op(x(2 i), x(2 i + 1)); the
//              others follow as y(i) = x(i + e). Then in round k = 1, 2, 4, ... below p, all i at
//              once: y(i) = op(y(i without bit k), y(i with bit k)).
//   ring       reduce, allreduce and reduce_scatter, long. The vector is cut into n blocks, of
//              which the first (elements mod n) have one element more; in block b
//              op(... op(op(x(b + 1), x(b + 2)), x(b + 3)) ..., x(b + n)), members mod n.
//              An allreduce of 1 KiB or more for each member does so with each half of the vector;
//              the first half has the odd element.
//   rising     reduce_scatter, short: op(... op(op(x(0), x(1)), x(2)) ..., x(n - 1)).
#ifndef TORUSMU_COLLECTIVES_H_
#define TORUSMU_COLLECTIVES_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include "torusmu/context.h"
#include "torusmu/reduction.h"

namespace torusmu {

class CompletionQueue;
struct Call;

// Names a collective under way. Good for one wait() that ends it, or one test() that says true.
struct CollectiveRequest {
  std::uint32_t value = 0;
};

// Who runs a group's collectives.
enum class RunBy {
  kSoftware,  // the cores, by messages
  kMu,        // the MU, which needs no instruction of the host between the posting and the end; a
              // call that it cannot run (docs/collectives.md) is run by software. The first list
              // of a group is posted once every member has made its call, and any list once there
              // is room for it; both happen in advance(). A call that its deadline has ended may
              // still be run by the MU, which then writes its output.
};

// Why the cores run a collective.
enum class ByCores : std::uint8_t {
  kGroup,      // made for them: RunBy::kSoftware
  kOneMember,  // a group of one has nothing to send
  kNothing,    // no bytes
  kOperation,  // of the program's own
  kCounters,   // fewer queues or event counters of the group than any algorithm needs
  kWindow,     // more than PlanOptions::offload_window
  kSlots,      // a list longer than PlanOptions::offload_slots
};
// "vectors of no bytes".
std::string_view text_of(ByCores why);

// A group. Every member makes it with the same list and number and calls the same collectives with
// the same arguments, but for addresses, in the same order; several may be under way. Buffers are
// node memory in the heap or a registered region. Calls have the form of MPI's: `bytes` and `count`
// are those of one member's piece in scatter, gather, allgather, alltoall and reduce_scatter, and
// pieces lie in the order of members. A buffer that only the root uses may be anything elsewhere.
// Input and output do not overlap, unless the call is in place:
//   reduce (at the root), allreduce, alltoall, reduce_scatter   in == out
//   gather (at the root), allgather                             in == out + rank() * bytes
//   scatter (at the root)                                       out == in + rank() * bytes
// Scratch is taken from the heap, in whole cache lines: at most 1 + log2 n vectors for reduce and
// allreduce, n pieces for the others (n members, log2 rounded up), n log2 n for alltoall.
//
// Errors: kBadArgument for a root that is no member, a length past 2^37 bytes, an undefined
// reduction or overlapping buffers, kNotRegistered, kOutOfResources, and those of messages, of
// which kTruncated and kBadArgument also mean that members called with different lengths. After an
// error, but for a kBadArgument at once, the group is of no more use. Nothing ends for want of a
// member but by a deadline (absolute): kDeadline.
class Group {
 public:
  // `context` outlives the group and its task is one of `members`. Groups of one context have
  // different numbers, 0 to 32766; with RunBy::kMu less than offload_groups() of the plan, and no
  // number twice in the life of a context. Throws std::invalid_argument if not.
  Group(Context& context, std::vector<Task> members, std::uint32_t number,
        RunBy run_by = RunBy::kSoftware);
  // The same with RunBy::kMu, and each collective that the MU runs ends in an entry of
  // `completions`, too, the completion queue of this context (US 9,344,490: the end is reported by
  // means of a predefined completion queue). It says the number of the group, and as its id how
  // many of the group had ended before; results are in memory by then. Its request is still to be
  // ended, by a wait() or test() that may find it under way for some cycles. A call that software
  // runs has no entry. The group has a number of which NodePlan::context_of_group says this context
  // (std::invalid_argument if not).
  Group(Context& context, std::vector<Task> members, std::uint32_t number,
        CompletionQueue& completions);
  // What is under way is given up: its scratch memory stays taken, for the MU may write there.
  ~Group();
  Group(Group&&) noexcept;
  Group& operator=(Group&&) = delete;

  [[nodiscard]] std::uint32_t size() const;
  // Place of this task in the list of members.
  [[nodiscard]] std::uint32_t rank() const;

  // Returns after every member has called it.
  std::error_code barrier(Cycles deadline);
  // Copies the root's bytes to everybody.
  std::error_code broadcast(std::uint32_t root, Address data, Bytes bytes, Cycles deadline);
  // `count` elements at `in` of each member, combined, at the root's `out`.
  std::error_code reduce(std::uint32_t root, const Operator& op, std::uint64_t count, Address in,
                         Address out, Cycles deadline);
  // The same at every member's `out`.
  std::error_code allreduce(const Operator& op, std::uint64_t count, Address in, Address out,
                            Cycles deadline);
  // Piece i of the root's `in` goes to `out` of member i.
  std::error_code scatter(std::uint32_t root, Bytes bytes, Address in, Address out,
                          Cycles deadline);
  // `in` of member i goes to piece i of the root's `out`.
  std::error_code gather(std::uint32_t root, Bytes bytes, Address in, Address out, Cycles deadline);
  // The same at every member's `out`.
  std::error_code allgather(Bytes bytes, Address in, Address out, Cycles deadline);
  // Piece j of `in` of member i goes to piece i of `out` of member j.
  std::error_code alltoall(Bytes bytes, Address in, Address out, Cycles deadline);
  // Pieces i of all members' `in`, combined, at `out` of member i.
  std::error_code reduce_scatter(const Operator& op, std::uint64_t count, Address in, Address out,
                                 Cycles deadline);

  std::error_code reduce(std::uint32_t root, ReduceOp op, DataType type, std::uint64_t count,
                         Address in, Address out, Cycles deadline) {
    return reduce(root, Operator(op, type), count, in, out, deadline);
  }
  std::error_code allreduce(ReduceOp op, DataType type, std::uint64_t count, Address in,
                            Address out, Cycles deadline) {
    return allreduce(Operator(op, type), count, in, out, deadline);
  }

  // The same calls, which return at once. They go on in every advance() of the context, so in every
  // wait; their buffers belong to the library until they are over.
  Result<CollectiveRequest> ibarrier();
  Result<CollectiveRequest> ibroadcast(std::uint32_t root, Address data, Bytes bytes);
  Result<CollectiveRequest> ireduce(std::uint32_t root, const Operator& op, std::uint64_t count,
                                    Address in, Address out);
  Result<CollectiveRequest> iallreduce(const Operator& op, std::uint64_t count, Address in,
                                       Address out);
  Result<CollectiveRequest> iscatter(std::uint32_t root, Bytes bytes, Address in, Address out);
  Result<CollectiveRequest> igather(std::uint32_t root, Bytes bytes, Address in, Address out);
  Result<CollectiveRequest> iallgather(Bytes bytes, Address in, Address out);
  Result<CollectiveRequest> ialltoall(Bytes bytes, Address in, Address out);
  Result<CollectiveRequest> ireduce_scatter(const Operator& op, std::uint64_t count, Address in,
                                            Address out);

  // True of a collective under way that the MU runs. Of another, why it does not.
  [[nodiscard]] bool is_run_by_mu(CollectiveRequest request) const;
  [[nodiscard]] ByCores why_by_cores(CollectiveRequest request) const;
  // Advances the context once. True once the collective is over; `error` (if given) says how it
  // ended, and the request is over. A request that is over already: true, kBadArgument.
  bool test(CollectiveRequest request, std::error_code* error = nullptr);
  // Advances until the collective is over, and says how it ended; or kDeadline, and it goes on.
  std::error_code wait(CollectiveRequest request, Cycles deadline);

 private:
  struct State;
  Result<CollectiveRequest> start(const Call& call, const Operator& op, Address in, Address out);
  std::error_code finish(Result<CollectiveRequest> request, Cycles deadline);

  std::unique_ptr<State> state_;
};

}  // namespace torusmu

#endif  // TORUSMU_COLLECTIVES_H_
