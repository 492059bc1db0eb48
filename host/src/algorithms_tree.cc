// SPDX-License-Identifier: Apache-2.0
// Algorithms of log2(members) rounds, in which whole vectors or whole subtrees travel.
#include <algorithm>
#include <bit>
#include <vector>

#include "host/src/schedule_builder.h"

namespace torusmu::algorithms {
namespace {

// A binomial tree over the members counted from the root, around: v has the children v + bit for
// each power of two below its lowest set bit, and the subtree of v is v .. v + lowest - 1.
class Tree {
 public:
  Tree(std::uint32_t members, std::uint32_t root, std::uint32_t rank)
      : members_(members), root_(root), own_((rank + members - root) % members) {
    lowest_ = own_ == 0 ? std::bit_ceil(members) : own_ & (~own_ + 1);
  }
  [[nodiscard]] std::uint32_t own() const { return own_; }
  [[nodiscard]] bool is_root() const { return own_ == 0; }
  // One past the largest distance at which this member may have a child.
  [[nodiscard]] std::uint32_t lowest() const { return lowest_; }
  [[nodiscard]] bool has_child(std::uint32_t bit) const {
    return bit < lowest_ && own_ + bit < members_;
  }
  [[nodiscard]] std::uint32_t child(std::uint32_t bit) const { return member(own_ + bit); }
  [[nodiscard]] std::uint32_t parent() const { return member(own_ - lowest_); }
  // Members of this subtree, or of that of the child.
  [[nodiscard]] std::uint32_t size() const { return std::min(lowest_, members_ - own_); }
  [[nodiscard]] std::uint32_t size(std::uint32_t bit) const {
    return std::min(bit, members_ - own_ - bit);
  }

 private:
  [[nodiscard]] std::uint32_t member(std::uint32_t v) const { return (v + root_) % members_; }

  std::uint32_t members_;
  std::uint32_t root_;
  std::uint32_t own_;
  std::uint32_t lowest_;
};

// Pieces of the members first .. first + count - 1, around, in a buffer that has them in the order
// of members: one part, or two if the last member lies between.
struct Around {
  Bytes offset;
  Bytes bytes;
  Bytes rest;  // bytes that lie at the buffer's beginning
};
Around pieces(const ScheduleBuilder& builder, std::uint32_t first, std::uint32_t count) {
  const Bytes piece = builder.bytes();
  const std::uint32_t before = std::min(count, builder.members() - first);
  return {first * piece, before * piece, (count - before) * piece};
}

// Operands of four members, or of two, that differ in two bits, or in one, of their number.
struct Four {
  std::uint32_t distance;
  std::uint32_t count;
  std::uint32_t mine;
  Part all;
  // 0, 2, 1, 3: the halves are what is added to one another.
  [[nodiscard]] Part operand(std::uint32_t i) const {
    const Bytes bytes = all.bytes / count;
    return all.slice((count == 4 ? i % 2 * 2 + i / 2 : i) * bytes, bytes);
  }
};

}  // namespace

void dissemination_barrier(ScheduleBuilder& builder) {
  for (std::uint32_t distance = 1; distance < builder.members(); distance *= 2) {
    builder.signal(builder.up(distance));
    builder.await_signal(builder.down(distance));
  }
}

void binomial_broadcast(ScheduleBuilder& builder) {
  const Tree tree(builder.members(), builder.call().root, builder.rank());
  const Part data = builder.out(0, builder.bytes());
  if (!tree.is_root()) builder.receive(tree.parent(), data);
  for (std::uint32_t bit = tree.lowest() / 2; bit != 0; bit /= 2) {
    if (tree.has_child(bit)) builder.send(tree.child(bit), data);
  }
}

// A reduction that does not commute is combined at member 0, which hands it on to the root.
void binomial_reduce(ScheduleBuilder& builder) {
  const Call& call = builder.call();
  const std::uint32_t top = call.commutative ? call.root : 0;
  const Bytes bytes = builder.bytes();
  const Tree tree(builder.members(), top, builder.rank());
  const bool ends_here = tree.is_root() && top == call.root;
  const Part result = builder.out(0, bytes);
  Part sum = builder.in(0, bytes);
  for (std::uint32_t bit = 1; tree.has_child(bit); bit *= 2) {
    const Part theirs = builder.scratch(bytes);
    builder.receive(tree.child(bit), theirs);
    const Part to = ends_here && !tree.has_child(2 * bit) ? result : theirs;
    builder.combine(to, sum, theirs);
    sum = to;
  }
  if (!tree.is_root()) builder.send(tree.parent(), sum);
  if (ends_here) builder.copy(result, sum);
  if (top == call.root) return;
  if (tree.is_root()) builder.send(call.root, sum);
  if (builder.rank() == call.root) builder.receive(top, builder.out(0, bytes));
}

void binomial_scatter(ScheduleBuilder& builder) {
  const Tree tree(builder.members(), builder.call().root, builder.rank());
  const Bytes piece = builder.bytes();
  const std::uint32_t rank = builder.rank();
  const Part own = builder.out(0, piece);
  if (tree.is_root()) {
    for (std::uint32_t bit = tree.lowest() / 2; bit != 0; bit /= 2) {
      if (!tree.has_child(bit)) continue;
      const Around range = pieces(builder, tree.child(bit), tree.size(bit));
      if (range.rest == 0) {
        builder.send(tree.child(bit), builder.in(range.offset, range.bytes));
        continue;
      }
      const Part joined = builder.scratch(range.bytes + range.rest);
      builder.copy(joined.slice(0, range.bytes), builder.in(range.offset, range.bytes));
      builder.copy(joined.slice(range.bytes, range.rest), builder.in(0, range.rest));
      builder.send(tree.child(bit), joined);
    }
    builder.copy(own, builder.in(rank * piece, piece));
    return;
  }
  const bool is_leaf = tree.size() == 1;
  const Part held = is_leaf ? own : builder.scratch(tree.size() * piece);
  builder.receive(tree.parent(), held);
  for (std::uint32_t bit = tree.lowest() / 2; bit != 0; bit /= 2) {
    if (!tree.has_child(bit)) continue;
    builder.send(tree.child(bit), held.slice(bit * piece, tree.size(bit) * piece));
  }
  builder.copy(own, held.slice(0, piece));
}

void binomial_gather(ScheduleBuilder& builder) {
  const Tree tree(builder.members(), builder.call().root, builder.rank());
  const Bytes piece = builder.bytes();
  const Part own = builder.in(0, piece);
  if (tree.is_root()) {
    builder.copy(builder.out(builder.rank() * piece, piece), own);
    for (std::uint32_t bit = 1; tree.has_child(bit); bit *= 2) {
      const Around range = pieces(builder, tree.child(bit), tree.size(bit));
      if (range.rest == 0) {
        builder.receive(tree.child(bit), builder.out(range.offset, range.bytes));
        continue;
      }
      const Part joined = builder.scratch(range.bytes + range.rest);
      builder.receive(tree.child(bit), joined);
      builder.copy(builder.out(range.offset, range.bytes), joined.slice(0, range.bytes));
      builder.copy(builder.out(0, range.rest), joined.slice(range.bytes, range.rest));
    }
    return;
  }
  if (tree.size() == 1) {
    builder.send(tree.parent(), own);
    return;
  }
  const Part held = builder.scratch(tree.size() * piece);
  builder.copy(held.slice(0, piece), own);
  for (std::uint32_t bit = 1; tree.has_child(bit); bit *= 2) {
    builder.receive(tree.child(bit), held.slice(bit * piece, tree.size(bit) * piece));
  }
  builder.send(tree.parent(), held);
}

// Partners are found among p = 2^k members; of the e others each gives its operand to the member
// above it, which hands it the result. Sums are put where the other operand came, not where they
// are being sent from.
void doubling_allreduce(ScheduleBuilder& builder) {
  const std::uint32_t rank = builder.rank();
  const Bytes bytes = builder.bytes();
  const std::uint32_t p = std::bit_floor(builder.members());
  const std::uint32_t extra = builder.members() - p;
  const Part result = builder.out(0, bytes);
  Part sum = builder.in(0, bytes);
  if (builder.members() == 1) {
    builder.copy(result, sum);
    return;
  }
  const bool folds = rank < 2 * extra;
  if (folds && rank % 2 == 0) {
    builder.send(rank + 1, sum);
    builder.receive(rank + 1, result);
    return;
  }
  if (folds) {
    const Part theirs = builder.scratch(bytes);
    builder.receive(rank - 1, theirs);
    builder.combine(theirs, theirs, sum);
    sum = theirs;
  }
  const std::uint32_t own = folds ? rank / 2 : rank - extra;
  for (std::uint32_t k = 1; k < p; k *= 2) {
    const std::uint32_t other = own ^ k;
    const std::uint32_t partner = other < extra ? 2 * other + 1 : other + extra;
    const Part theirs = builder.scratch(bytes);
    builder.receive(partner, theirs);
    builder.send(partner, sum);
    const bool theirs_first = (own & k) != 0;
    const Part to = 2 * k < p ? theirs : result;
    builder.combine(to, theirs_first ? theirs : sum, theirs_first ? sum : theirs);
    sum = to;
  }
  if (folds) builder.send(rank - 1, result);
}

// Doubling with two rounds, k and 2 k, at once: y(0) .. y(3) of the four members that differ in
// these bits lie as y(0) y(2) y(1) y(3), so that one combine of the halves makes y(0) + y(1) and
// y(2) + y(3), and another the sum of these. If the rounds are odd in number, the last is alone.
void fours_allreduce(ScheduleBuilder& builder) {
  const std::uint32_t rank = builder.rank();
  const Bytes bytes = builder.bytes();
  const std::uint32_t p = std::bit_floor(builder.members());
  const std::uint32_t extra = builder.members() - p;
  const Part result = builder.out(0, bytes);
  Part sum = builder.in(0, bytes);
  // The operands of the others above, one batch for each exchange, and the result.
  const std::uint32_t rounds = static_cast<std::uint32_t>(std::bit_width(p)) / 2;
  builder.use_batches(rounds + 2);
  if (builder.members() == 1) {
    builder.copy(result, sum);
    return;
  }
  const bool folds = rank < 2 * extra;
  if (folds && rank % 2 == 0) {
    builder.send(rank + 1, sum);
    builder.receive(rank + 1, result, rounds + 1);
    return;
  }
  if (folds) {
    const Part theirs = builder.scratch(bytes);
    builder.receive(rank - 1, theirs);
    builder.combine(theirs, theirs, sum);
    sum = theirs;
  }
  const std::uint32_t own = folds ? rank / 2 : rank - extra;
  std::vector<Four> fours;
  for (std::uint32_t k = 1; k < p; k *= 4) {
    const std::uint32_t count = 2 * k < p ? 4 : 2;
    fours.push_back({k, count, own / k % count, builder.scratch(count * bytes)});
  }
  const Part first = sum;
  for (std::uint32_t round = 0; round < fours.size(); ++round) {
    const Four& four = fours[round];
    for (const std::uint32_t turn : {2U, 3U, 1U}) {  // the one further away first
      if (turn >= four.count) continue;
      const std::uint32_t other = own ^ (turn * four.distance);
      const std::uint32_t partner = other < extra ? 2 * other + 1 : other + extra;
      builder.send(partner, sum);
      builder.receive(partner, four.operand(four.mine ^ turn), 1 + round);
    }
    if (round == 0) builder.copy(four.operand(four.mine), first);
    sum = round + 1 < fours.size() ? fours[round + 1].operand(fours[round + 1].mine) : result;
    Part both = four.all;
    if (four.count == 4) {
      both = builder.scratch(2 * bytes);
      builder.combine(both, four.all.slice(0, 2 * bytes), four.all.slice(2 * bytes, 2 * bytes));
    }
    builder.combine(sum, both.slice(0, bytes), both.slice(bytes, bytes));
  }
  if (folds) builder.send(rank - 1, result);
}

}  // namespace torusmu::algorithms
