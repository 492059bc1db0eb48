// SPDX-License-Identifier: Apache-2.0
// Messages as named bars in the waves: for each node lanes of what it sends and of what it
// receives, strings that stand in the trace beside the signals of the RTL.
#ifndef TORUSMU_SIM_OBSERVE_MESSAGE_TRACK_H_
#define TORUSMU_SIM_OBSERVE_MESSAGE_TRACK_H_

#include <string>
#include <vector>

#include "sim/machine/shape.h"
#include "sim/observe/pin_watch.h"

namespace torusmu {

struct MessageTrack {
  struct Bar {
    Cycles from, to;  // to > from
    std::string text;
  };
  // Bars of a lane follow one another.
  using Lane = std::vector<Bar>;
  // More messages at a time than there are lanes: the last lane counts those that it cannot show.
  static constexpr std::size_t kMostLanes = 6;

  NodeId node{};
  // From the doorbell, or the first flit, to the write into the target's memory.
  std::vector<Lane> sent;
  // From the first flit at the source to the same.
  std::vector<Lane> received;
};

// Of `nodes`, in their order. Bars of messages that have not arrived go on to `end`.
std::vector<MessageTrack> message_tracks(const std::vector<Transfer>& transfers, const Shape& shape,
                                         const std::vector<NodeId>& nodes, Cycles end);

// The lanes, by number, that have a bar in [from, to].
std::vector<std::size_t> lanes_in(const std::vector<MessageTrack::Lane>& lanes, Cycles from,
                                  Cycles to);

// The names of lanes in the trace and in views.
inline constexpr const char* kSentLanes = "messages_sent";
inline constexpr const char* kReceivedLanes = "messages_received";

// Adds the tracks to a trace that is complete: strings node_N.messages_sent.lane_0, ... Throws
// UsageError if the trace cannot be written.
void add_message_tracks(const std::string& fst_file, const std::vector<MessageTrack>& tracks);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_MESSAGE_TRACK_H_
