// SPDX-License-Identifier: Apache-2.0
// What mu_reflection_credits owes its neighbours, and they it: directions, credits, deadlines.

#ifndef TESTS_SUPPORT_CREDITS_MODEL_H_
#define TESTS_SUPPORT_CREDITS_MODEL_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

namespace torusmu::testing {

// The contract of the block, cycle by cycle.
class CreditsModel {
 public:
  static constexpr std::uint64_t kNever = (1ULL << 48) - 1;
  struct Direction {
    unsigned slots = 0;
    std::uint16_t sent = 0, returned = 0;
    std::uint64_t deadline = 0;
    bool outstanding = false, query = false;  // a query that was shown
    unsigned overdue = 0;                     // edges since the deadline
    bool free() const { return static_cast<std::uint16_t>(sent - returned) < slots; }
    bool owes(std::uint16_t number) const {
      return static_cast<std::uint16_t>(number - returned) <
             static_cast<std::uint16_t>(sent - returned);
    }
  };
  // What an edge does to which direction, -1 for none.
  struct Edge {
    int taken = -1, queried = -1, returned = -1, written = -1;
    std::uint16_t number = 0;  // that came back
    unsigned slots = 0;        // that are written
    std::uint64_t now = 0;
    std::uint32_t timeout = 0;
  };
  std::array<Direction, 7> all;
  std::set<std::uint64_t> deadlines;  // all that were set
  unsigned rotate = 0;
  std::array<unsigned, 3> own{}, last{};
  unsigned torus = 0;

  bool usable(unsigned d) const {
    if (all[d].slots == 0) return false;
    if (d == 6) return true;
    const unsigned axis = d / 2;
    const bool edge = own[axis] == (d % 2 == 0 ? last[axis] : 0);
    return last[axis] != 0 && ((torus >> axis & 1) != 0 || !edge);
  }
  bool neighbours() const {
    for (unsigned d = 0; d < 6; ++d) {
      if (usable(d)) return true;
    }
    return false;
  }
  int choice(unsigned preferred) const {
    if (usable(6) && all[6].free() && (preferred == 6 || !neighbours())) return 6;
    for (unsigned k = 0; k < 6; ++k) {
      const unsigned d = (k + (preferred < 6 ? preferred : rotate)) % 6;
      if (usable(d) && all[d].free()) return static_cast<int>(d);
    }
    return -1;
  }
  int query() const {
    for (unsigned d = 0; d < 7; ++d) {
      if (all[d].query) return static_cast<int>(d);
    }
    return -1;
  }
  bool any_outstanding() const { return std::ranges::any_of(all, &Direction::outstanding); }
  // The earliest deadline.
  std::uint64_t wake_at() const {
    std::uint64_t first = kNever;
    for (const Direction& d : all) {
      if (d.outstanding) first = std::min(first, d.deadline);
    }
    return first;
  }
  unsigned neighbour(unsigned d) const {
    std::array<unsigned, 3> at = own;
    if (d < 6) {
      unsigned& axis = at[d / 2];
      const unsigned end = last[d / 2];
      axis = d % 2 == 0 ? (axis == end ? 0 : axis + 1) : (axis == 0 ? end : axis - 1);
    }
    return at[0] | at[1] << 4 | at[2] << 8;
  }
  // The block shows a query of that direction, or of none (-1): it must be overdue, and none that
  // was shown goes away.
  bool shows(int d) {
    const int known = query();
    if (d < 0) return known < 0;
    Direction& direction = all[static_cast<unsigned>(d)];
    const bool may = direction.query || direction.overdue > 0;
    direction.query = true;
    return may && (known < 0 || known >= d);
  }
  // Looked at long ago, unless another is shown.
  bool forgotten() const {
    return query() < 0 &&
           std::ranges::any_of(all, [](const Direction& d) { return d.overdue > 100; });
  }
  void pass(const Edge& edge) {
    deadlines.insert(after(edge));
    for (unsigned d = 0; d < 7; ++d) pass(edge, all[d], static_cast<int>(d));
    if (edge.taken >= 0 && edge.taken < 6) rotate = static_cast<unsigned>(edge.taken + 1) % 6;
  }

 private:
  static void pass(const Edge& edge, Direction& direction, int d) {
    const Direction old = direction;
    const bool returned = edge.returned == d, written = edge.written == d;
    const bool taken = edge.taken == d, queried = edge.queried == d;
    if (taken) ++direction.sent, direction.outstanding = true;
    if (returned) {
      direction.returned = static_cast<std::uint16_t>(edge.number + 1);
      if (direction.returned == direction.sent) direction.outstanding = false;
    }
    const bool due = old.overdue > 0 || (old.outstanding && edge.now >= old.deadline);
    direction.query = old.query && !queried && !returned && !written;
    direction.overdue = due && !queried && !returned && !written ? old.overdue + 1 : 0;
    if ((taken && !old.outstanding) || queried || returned || (written && !old.outstanding))
      direction.deadline = after(edge);
    if (written) {
      direction.slots = edge.slots;
      direction.sent = direction.returned = 0;
      direction.outstanding = false;
    }
  }
  static std::uint64_t after(const Edge& edge) {
    return edge.timeout == 0 ? kNever : (edge.now + edge.timeout) & kNever;
  }
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_CREDITS_MODEL_H_
