// SPDX-License-Identifier: Apache-2.0
// Where everything is in the segment that the endpoints of a node share.
//
// Each endpoint has an area. In it are words that others store, one for each of them, and a ring
// from each of them. Nobody but one endpoint ever stores into a word or a ring:
//
//   tails   by a sender: lines that it has stored into its ring here
//   fences  by a sender: fences that it has posted behind them
//   heads   by a receiver: lines that it has taken of the ring that this endpoint has with it
//   asleep  by the endpoint itself: 1 if it has to be woken
//   rings   by a sender: messages, each from the start of a line
//
// All words count modulo 2^32.
#ifndef TORUSMU_HOST_SRC_SEGMENT_LAYOUT_H_
#define TORUSMU_HOST_SRC_SEGMENT_LAYOUT_H_

#include <algorithm>

#include "torusmu/plan.h"

namespace torusmu {

class SegmentLayout {
 public:
  static constexpr Bytes kLine = 64;
  static constexpr Bytes kWord = 4;

  explicit SegmentLayout(const NodePlan& plan)
      : plan_(plan), endpoints_(plan.endpoints_of_a_node()), lines_(plan.options().segment_lines) {}

  [[nodiscard]] std::uint32_t lines() const { return lines_; }
  // Of the longest message, with its head: longer ones would keep others out.
  [[nodiscard]] std::uint32_t lines_of_longest() const { return std::max(lines_ / 4, 1U); }
  [[nodiscard]] Bytes bytes() const { return endpoints_ * area_bytes(); }

  // Of the area of an endpoint, by number on the node.
  [[nodiscard]] Range tails(std::uint32_t area) const { return {start(area), words_bytes()}; }
  [[nodiscard]] Address tail(std::uint32_t area, std::uint32_t of) const {
    return start(area) + of * kWord;
  }
  [[nodiscard]] Address fences(std::uint32_t area, std::uint32_t of) const {
    return start(area) + words_bytes() + of * kWord;
  }
  [[nodiscard]] Address head(std::uint32_t area, std::uint32_t of) const {
    return start(area) + 2 * words_bytes() + of * kWord;
  }
  [[nodiscard]] Address asleep(std::uint32_t area) const { return start(area) + 3 * words_bytes(); }
  // All of these.
  [[nodiscard]] Range words(std::uint32_t area) const {
    return {start(area), 3 * words_bytes() + kLine};
  }
  [[nodiscard]] Range ring(std::uint32_t area, std::uint32_t of) const {
    return {start(area) + words(area).bytes + of * ring_bytes(), ring_bytes()};
  }

 private:
  [[nodiscard]] Bytes ring_bytes() const { return Bytes{lines_} * kLine; }
  [[nodiscard]] Bytes words_bytes() const {
    return (endpoints_ * kWord + kLine - 1) / kLine * kLine;
  }
  [[nodiscard]] Bytes area_bytes() const {
    return 3 * words_bytes() + kLine + endpoints_ * ring_bytes();
  }
  // The plan asks for bytes() before it can say where the segment is.
  [[nodiscard]] Address start(std::uint32_t area) const {
    return plan_.segment().address + area * area_bytes();
  }

  const NodePlan& plan_;
  std::uint32_t endpoints_;
  std::uint32_t lines_;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_SEGMENT_LAYOUT_H_
