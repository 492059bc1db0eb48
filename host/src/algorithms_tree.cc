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

// Where the data of a reduce or a gather come together, and those of a broadcast or a scatter
// begin. A reduction that does not commute is combined at member 0, which hands it on to the root.
std::uint32_t top_of(const Call& call) { return call.commutative ? call.root : 0; }

// A signal from all members to the root of the tree, and one from it to all.
void up(ScheduleBuilder& builder, const Tree& tree, std::uint32_t batch) {
  for (std::uint32_t bit = 1; tree.has_child(bit); bit *= 2) {
    builder.await_signal(tree.child(bit), batch);
  }
  if (!tree.is_root()) builder.signal(tree.parent());
}
void down(ScheduleBuilder& builder, const Tree& tree, std::uint32_t batch) {
  if (!tree.is_root()) builder.await_signal(tree.parent(), batch);
  for (std::uint32_t bit = tree.lowest() / 2; bit != 0; bit /= 2) {
    if (tree.has_child(bit)) builder.signal(tree.child(bit));
  }
}

// Of allreduce: p = 2^k members stay; of the e others each gives its operand to the member above
// it, which hands it the result.
struct Folded {
  std::uint32_t p, extra;
  bool folds;         // gives, or takes
  std::uint32_t own;  // number among those that stay
  explicit Folded(const ScheduleBuilder& builder)
      : p(std::bit_floor(builder.members())),
        extra(builder.members() - p),
        folds(builder.rank() < 2 * extra),
        own(folds ? builder.rank() / 2 : builder.rank() - extra) {}
  [[nodiscard]] bool gives(std::uint32_t rank) const { return folds && rank % 2 == 0; }
  [[nodiscard]] std::uint32_t member(std::uint32_t number) const {
    return number < extra ? 2 * number + 1 : number + extra;
  }
};

// The operand of a member that stays, behind that which it is given.
Part folded_operand(ScheduleBuilder& builder, const Folded& fold) {
  const Part own = builder.in(0, builder.bytes());
  if (!fold.folds) return own;
  const Part theirs = builder.scratch(builder.bytes());
  builder.receive(builder.rank() - 1, theirs);
  builder.combine(theirs, theirs, own);
  return theirs;
}

void give_operand(ScheduleBuilder& builder, std::uint32_t batch) {
  builder.send(builder.rank() + 1, builder.in(0, builder.bytes()));
  builder.receive(builder.rank() + 1, builder.out(0, builder.bytes()), batch);
}

}  // namespace

void dissemination_barrier(ScheduleBuilder& builder) {
  for (std::uint32_t distance = 1; distance < builder.members(); distance *= 2) {
    builder.signal(builder.up(distance));
    builder.await_signal(builder.down(distance));
  }
}

// At member 0 all have come.
void tree_barrier(ScheduleBuilder& builder) {
  const Tree tree(builder.members(), 0, builder.rank());
  builder.take_in_turn();
  up(builder, tree, 0);
  down(builder, tree, 1);
}

void dissemination_behind(ScheduleBuilder& builder) {
  for (std::uint32_t distance = 1; distance < builder.members(); distance *= 2) {
    builder.signal(builder.down(distance));
    builder.await_signal(builder.up(distance));
  }
}

void tree_behind(ScheduleBuilder& builder) {
  const Call& call = builder.call();
  const std::uint32_t top = top_of(call);
  const Tree tree(builder.members(), top, builder.rank());
  const bool data_went_down =
      call.what == Collective::kBroadcast || call.what == Collective::kScatter;
  if (data_went_down) up(builder, tree, 1);
  down(builder, tree, kLastBatch);
}

void binomial_broadcast(ScheduleBuilder& builder) {
  const Tree tree(builder.members(), builder.call().root, builder.rank());
  const Part data = builder.out(0, builder.bytes());
  builder.take_in_turn();
  if (!tree.is_root()) builder.receive(tree.parent(), data);
  for (std::uint32_t bit = tree.lowest() / 2; bit != 0; bit /= 2) {
    if (tree.has_child(bit)) builder.send(tree.child(bit), data);
  }
}

void binomial_reduce(ScheduleBuilder& builder) {
  const Call& call = builder.call();
  const std::uint32_t top = top_of(call);
  const Bytes bytes = builder.bytes();
  builder.take_in_turn();
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
  if (builder.rank() == call.root) builder.receive(top, builder.out(0, bytes), kLastBatch);
}

void binomial_scatter(ScheduleBuilder& builder) {
  const Tree tree(builder.members(), builder.call().root, builder.rank());
  const Bytes piece = builder.bytes();
  const std::uint32_t rank = builder.rank();
  const Part own = builder.out(0, piece);
  builder.take_in_turn();
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
  builder.take_in_turn();
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

// Partners are found among those that stay. Sums are put where the other operand came, not where
// they are being sent from.
void doubling_allreduce(ScheduleBuilder& builder) {
  const std::uint32_t rank = builder.rank();
  const Bytes bytes = builder.bytes();
  const Folded fold(builder);
  const Part result = builder.out(0, bytes);
  if (builder.members() == 1) return builder.copy(result, builder.in(0, bytes));
  if (fold.gives(rank)) return give_operand(builder, 0);
  Part sum = folded_operand(builder, fold);
  for (std::uint32_t k = 1; k < fold.p; k *= 2) {
    const std::uint32_t partner = fold.member(fold.own ^ k);
    const Part theirs = builder.scratch(bytes);
    builder.receive(partner, theirs);
    builder.send(partner, sum);
    const bool theirs_first = (fold.own & k) != 0;
    const Part to = 2 * k < fold.p ? theirs : result;
    builder.combine(to, theirs_first ? theirs : sum, theirs_first ? sum : theirs);
    sum = to;
  }
  if (fold.folds) builder.send(rank - 1, result);
}

// The sums of doubling, but each made once, up a tree over those that stay; the result goes down
// it.
void tree_allreduce(ScheduleBuilder& builder) {
  const std::uint32_t rank = builder.rank();
  const Bytes bytes = builder.bytes();
  const Folded fold(builder);
  const Tree tree(fold.p, 0, fold.own);
  const Part result = builder.out(0, bytes);
  builder.take_in_turn();
  if (builder.members() == 1) return builder.copy(result, builder.in(0, bytes));
  if (fold.gives(rank)) return give_operand(builder, 1);
  Part sum = folded_operand(builder, fold);
  for (std::uint32_t bit = 1; tree.has_child(bit); bit *= 2) {
    const Part theirs = builder.scratch(bytes);
    builder.receive(fold.member(tree.child(bit)), theirs);
    const Part to = tree.is_root() && !tree.has_child(2 * bit) ? result : theirs;
    builder.combine(to, sum, theirs);
    sum = to;
  }
  if (!tree.is_root()) {
    builder.send(fold.member(tree.parent()), sum);
    builder.receive(fold.member(tree.parent()), result, 1);
  }
  for (std::uint32_t bit = tree.lowest() / 2; bit != 0; bit /= 2) {
    if (tree.has_child(bit)) builder.send(fold.member(tree.child(bit)), result);
  }
  if (fold.folds) builder.send(rank - 1, result);
}

// Doubling with two rounds, k and 2 k, at once: y(0) .. y(3) of the four members that differ in
// these bits lie as y(0) y(2) y(1) y(3), so that one combine of the halves makes y(0) + y(1) and
// y(2) + y(3), and another the sum of these. If the rounds are odd in number, the last is alone.
void fours_allreduce(ScheduleBuilder& builder) {
  const std::uint32_t rank = builder.rank();
  const Bytes bytes = builder.bytes();
  const Folded fold(builder);
  const Part result = builder.out(0, bytes);
  // The operands of the others above, one batch for each exchange, and the result.
  const std::uint32_t rounds = static_cast<std::uint32_t>(std::bit_width(fold.p)) / 2;
  builder.use_batches(rounds + 2);
  if (builder.members() == 1) return builder.copy(result, builder.in(0, bytes));
  if (fold.gives(rank)) return give_operand(builder, rounds + 1);
  Part sum = folded_operand(builder, fold);
  std::vector<Four> fours;
  for (std::uint32_t k = 1; k < fold.p; k *= 4) {
    const std::uint32_t count = 2 * k < fold.p ? 4 : 2;
    fours.push_back({k, count, fold.own / k % count, builder.scratch(count * bytes)});
  }
  const Part first = sum;
  for (std::uint32_t round = 0; round < fours.size(); ++round) {
    const Four& four = fours[round];
    for (const std::uint32_t turn : {2U, 3U, 1U}) {  // the one further away first
      if (turn >= four.count) continue;
      const std::uint32_t partner = fold.member(fold.own ^ (turn * four.distance));
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
  if (fold.folds) builder.send(rank - 1, result);
}

}  // namespace torusmu::algorithms
