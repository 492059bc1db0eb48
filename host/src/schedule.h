// SPDX-License-Identifier: Apache-2.0
// A collective as a schedule: what one member does, as a list of plain steps over named buffers.
//
//   const Call call{.what = Collective::kAllreduce, .count = 100, .element = 8};
//   const Schedule mine = compile(call, choose(call, members), members, rank);
//
// Execution (execution.h) runs a schedule by messages; the steps hold nothing that only software
// could do, so that they can also be translated into descriptors of the MU.
//
// What every schedule of a collective keeps to:
//  1. A step needs the steps of its list `after`, all of them earlier in the list, and nothing
//     else. Steps whose needs are met may run in any order and at once.
//  2. A receive needs nothing: its data may be stored from the moment on at which its member has
//     begun the collective. Whatever touches its place before is known to be over from the data's
//     having been sent.
//  3. Message `number` k from a to b is the k-th send to b in the list of a and the k-th receive
//     from a in the list of b, counted from 0, and has the same length in both.
//  4. No step writes Buffer::kIn. Pieces of the scratch buffer hold nothing at the beginning.
//  5. A collective is over at a member when all steps of its list are.
//  6. Which messages there are does not depend on in_place, which may differ between members.
#ifndef TORUSMU_HOST_SRC_SCHEDULE_H_
#define TORUSMU_HOST_SRC_SCHEDULE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "torusmu/types.h"

namespace torusmu {

enum class Collective {
  kBarrier,
  kBroadcast,
  kReduce,
  kAllreduce,
  kScatter,
  kGather,
  kAllgather,
  kAlltoall,
  kReduceScatter,
};

enum class Algorithm {
  kDissemination,  // round k: a signal to the member 2^k further
  kBinomial,       // a tree in which every member has as many children as rounds are left
  kChain,          // from member to member in segments, all links busy at once
  kDoubling,       // round k: exchange with the partner at distance 2^k
  kRing,           // blocks travel round the ring of members
  kBruck,          // round k: half or all of the blocks to the member 2^k further
  kDirect,         // every block goes straight to its member
  kFours,          // two rounds of doubling at once: exchange with three partners
  kTree,           // up a binomial tree to one member, and down again
};

std::string_view name_of(Collective what);
std::string_view name_of(Algorithm algorithm);

// A collective call as all members know it, but for in_place.
struct Call {
  Collective what = Collective::kBarrier;
  std::uint32_t root = 0;   // broadcast, reduce, scatter, gather
  std::uint64_t count = 0;  // elements of the whole vector (broadcast, reduce, allreduce) or of
                            // the piece of each member (all others)
  Bytes element = 1;        // bytes of an element; none is ever cut
  bool commutative = true;  // reductions
  std::uint32_t steps = 0;  // of a LoadedReduction
  bool in_place = false;    // the input lies in the output buffer, see input_in_output()
};

enum class Buffer : std::uint8_t { kIn, kOut, kScratch };

// Bytes of a buffer.
struct Part {
  Buffer buffer = Buffer::kIn;
  Bytes offset = 0;
  Bytes bytes = 0;
  // The part of this part that begins `skip` bytes in.
  [[nodiscard]] Part slice(Bytes skip, Bytes length) const {
    return {buffer, offset + skip, length};
  }
  friend bool operator==(const Part&, const Part&) = default;
};

struct Step {
  enum class Kind : std::uint8_t {
    kSend,     // `first` to `member`; no bytes: a signal
    kReceive,  // from `member` into `to`
    kCombine,  // to = op(first, second), element by element; `to` may be one of them
    kCopy,     // to = first
  };
  Kind kind = Kind::kCopy;
  std::uint32_t member = 0;  // send, receive: the other's place in the group
  std::uint32_t number = 0;  // send, receive: place among the messages of this pair and direction
  Part to{};
  Part first{};
  Part second{};
  std::vector<std::uint32_t> after{};  // steps that are over before this one starts, rising
  std::uint32_t batch = 0;             // receive: see Schedule::batches, in_turn
};

struct Schedule {
  Algorithm algorithm = Algorithm::kDissemination;
  Bytes scratch_bytes = 0;
  std::vector<Step> steps;
  // How the MU is to run it. With batches, a step that needs a receive waits for all of its batch,
  // which are counted by one counter; without, for that one.
  std::uint32_t batches = 0;
  // No message of a batch is sent before all of the batches below it have come, but for those that
  // its own sender has sent before it. So one counter can count them all: a step that needs a
  // receive waits for its batch and those below.
  bool in_turn = false;
  bool sums_beside = false;  // combines and copies run beside the sends, each in their own order
};

// Which algorithm a call takes. Bytes are those of Call::count.
struct AlgorithmRule {
  Collective what;
  Algorithm shorter;
  Algorithm longer;      // taken by calls with
  Bytes least_bytes;     //   at least so many bytes,
  Bytes least_share;     //   and at least so many for each member,
  std::uint32_t few;     //   or of at most so many members at any length;
  bool longer_commutes;  //   but not by a reduction that does not commute, if so
};
std::span<const AlgorithmRule> algorithm_rules();

// What the MU runs in the place of an algorithm. Operands are combined in the same order; more
// messages cost it less than they would cost a core.
struct MuRule {
  Collective what;
  Algorithm algorithm;
  Algorithm instead;
  Bytes most_bytes;   // taken by calls of at most so many bytes,
  bool if_it_cannot;  //   and only if it cannot run `algorithm`, if so
};
std::span<const MuRule> mu_rules();

// Parts of the vector that an allreduce by blocks (kRing, kDirect) goes through one after the
// other, each cut into a block for each member: two where blocks are long enough, so that one
// part's results travel while the other is still being summed.
std::uint32_t allreduce_parts(Bytes bytes, std::uint32_t members);

// Segments of Algorithm::kChain; the last may be shorter.
inline constexpr Bytes kChainSegment = 4096;
// Most bytes that a member gives or gets in one call.
inline constexpr Bytes kMostCallBytes = (Bytes{1} << 37) - 1;

// False if the root is no member, or the bytes of all members together are too many.
bool is_sound(const Call& call, std::uint32_t members);
// Of a sound call, as are all calls below.
Algorithm choose(const Call& call, std::uint32_t members);
// What the MU may run it with, the best first: all give the same bits.
std::vector<Algorithm> mu_algorithms(const Call& call, std::uint32_t members);
// `algorithm` is one of the collective's rules; a non-commutative reduction takes `shorter`, or
// what the MU runs in its place.
Schedule compile(const Call& call, Algorithm algorithm, std::uint32_t members, std::uint32_t rank);

// What follows a collective in which members need not hear of all others, so that none begins the
// one after the next while another is still in this one: signals alone. With `in_turn` they come in
// turn behind the messages of the collective, whose schedule has that, too.
Schedule behind(const Call& call, Algorithm algorithm, std::uint32_t members, std::uint32_t rank,
                bool in_turn);

// Bytes of the member's buffers, 0 for one that the call does not use there. Of broadcast the one
// buffer is kOut.
Bytes input_bytes(const Call& call, std::uint32_t members, std::uint32_t rank);
Bytes output_bytes(const Call& call, std::uint32_t members, std::uint32_t rank);
// Where a call in place has its input, in bytes from the start of the output; for scatter it is the
// other way round: where the output lies in the input. Reduce, scatter and gather are in place
// only at their root, barrier and broadcast never.
Bytes place_of_own(const Call& call, std::uint32_t rank);
bool may_be_in_place(const Call& call, std::uint32_t rank);

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_SCHEDULE_H_
