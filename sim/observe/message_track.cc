// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/message_track.h"

#include <fmt/format.h>

#include <algorithm>

namespace torusmu {
namespace {

std::string place(const Shape& shape, NodeId node) {
  const Coordinates at = shape.coordinates(node);
  return fmt::format("({},{},{})", at.x, at.y, at.z);
}

// "PUT 4096 bytes to (1,0,0)"
std::string text_of(const Transfer& transfer, const Shape& shape, bool sent) {
  std::string text =
      fmt::format("{} {} bytes {} {}", name_of(transfer.kind), transfer.bytes, sent ? "to" : "from",
                  place(shape, sent ? transfer.to : transfer.from));
  if (transfer.on_behalf) text += " for a get";
  if (transfer.arrived == kNever) text += ", not arrived";
  return text;
}

// Puts bars, by their begin, into lanes.
class Lanes {
 public:
  void put(MessageTrack::Bar bar) {
    for (MessageTrack::Lane& lane : lanes_) {
      if (lane.back().to <= bar.from) {
        lane.push_back(std::move(bar));
        return;
      }
    }
    if (lanes_.size() < MessageTrack::kMostLanes) {
      lanes_.push_back({std::move(bar)});
      return;
    }
    MessageTrack::Lane& last = lanes_.back();
    if (last.size() != counted_) {
      counted_ = last.size();
      text_ = last.back().text;
      hidden_ = 0;
    }
    last.back().text = fmt::format("{} (and {} more)", text_, ++hidden_);
  }
  [[nodiscard]] std::vector<MessageTrack::Lane> take() { return std::move(lanes_); }

 private:
  std::vector<MessageTrack::Lane> lanes_;
  std::size_t counted_ = 0;  // which bar of the last lane says how many it hides, from 1
  std::string text_;         // without that
  unsigned hidden_ = 0;
};

std::vector<MessageTrack::Lane> lanes_of(std::vector<MessageTrack::Bar> bars) {
  std::stable_sort(bars.begin(), bars.end(),
                   [](const auto& a, const auto& b) { return a.from < b.from; });
  Lanes lanes;
  for (MessageTrack::Bar& bar : bars) lanes.put(std::move(bar));
  return lanes.take();
}

}  // namespace

std::vector<MessageTrack> message_tracks(const std::vector<Transfer>& transfers, const Shape& shape,
                                         const std::vector<NodeId>& nodes, Cycles end) {
  std::vector<std::vector<MessageTrack::Bar>> sent(shape.nodes()), received(shape.nodes());
  for (const Transfer& t : transfers) {
    Cycles last = t.in_memory != kNever ? t.in_memory : t.arrived != kNever ? t.arrived : end;
    last = std::max(last, t.first_out + 1);
    const Cycles first = t.posted == kNever ? t.first_out : std::min(t.posted, t.first_out);
    sent[t.from.value].push_back({first, last, text_of(t, shape, true)});
    received[t.to.value].push_back({t.first_out, last, text_of(t, shape, false)});
  }
  std::vector<MessageTrack> tracks;
  for (const NodeId node : nodes) {
    tracks.push_back(
        {node, lanes_of(std::move(sent[node.value])), lanes_of(std::move(received[node.value]))});
  }
  return tracks;
}

std::vector<std::size_t> lanes_in(const std::vector<MessageTrack::Lane>& lanes, Cycles from,
                                  Cycles to) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const bool has_bar =
        std::any_of(lanes[i].begin(), lanes[i].end(),
                    [&](const MessageTrack::Bar& bar) { return bar.from <= to && bar.to >= from; });
    if (has_bar) found.push_back(i);
  }
  return found;
}

}  // namespace torusmu
