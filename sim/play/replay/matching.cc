// SPDX-License-Identifier: Apache-2.0
#include "sim/play/replay/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace torusmu::replay {
namespace {

constexpr Bytes kMostEager = 65'536;  // of the library

std::string ranks_text(std::size_t count) {
  return fmt::format("{} rank{}", count, count == 1 ? "" : "s");
}

}  // namespace

Matching::Matching(const Trace& trace)
    : trace_(trace),
      posted_(trace.ranks.size()),
      never_waited_for_(trace.ranks.size()),
      collectives_(trace.ranks.size()) {
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const auto& events = trace.ranks[rank];
    std::vector<bool> waited_for;
    for (std::size_t place = 0; place < events.size(); ++place) {
      const TraceEvent& call = events[place];
      if (is_send(call.call)) sends_[{rank, call.peer, call.tag}].push_back(place);
      if (is_receive(call.call) && call.peer == kAnyRank) any_[{rank, call.tag}].push_back(place);
      if (is_receive(call.call) && call.peer != kAnyRank) {
        receives_[{call.peer, rank, call.tag}].push_back(place);
      }
      if (call.call == Call::kProbe && call.peer == kAnyRank) senders_[{rank, call.tag}];
      if (is_collective(call.call)) collectives_[rank].push_back(place);
      if (call.call == Call::kIsend || call.call == Call::kIrecv) {
        posted_[rank].push_back(place);
        waited_for.push_back(false);
      }
      if (call.call == Call::kWait) waited_for[call.request] = true;
    }
    for (std::size_t i = 0; i < waited_for.size(); ++i) {
      if (!waited_for[i]) never_waited_for_[rank].push_back(posted_[rank][i]);
    }
  }
  for (const auto& [port, places] : any_) senders_[port];
  for (const auto& [route, places] : sends_) {
    const auto found = senders_.find({std::get<1>(route), std::get<2>(route)});
    if (found != senders_.end()) found->second.push_back(std::get<0>(route));
  }
}

// How many of the calls a rank in that position has made.
std::size_t Matching::made(const Places& places, std::size_t position) {
  return static_cast<std::size_t>(std::upper_bound(places.begin(), places.end(), position) -
                                  places.begin());
}

std::vector<std::uint32_t> Matching::wanted(std::uint32_t rank, std::size_t place,
                                            const Positions& positions, Bytes eager_limit) const {
  const TraceEvent& call = event(rank, place);
  if (is_collective(call.call)) return wanted_by_collective(rank, call, positions);
  if (is_send(call.call)) {
    if (call.bytes <= eager_limit) return {};
    return wanted_by_send(rank, call, positions);
  }
  return call.peer == kAnyRank ? wanted_by_any(rank, call, positions)
                               : wanted_by_receive(rank, call, positions);
}

std::vector<std::uint32_t> Matching::wanted_by_send(std::uint32_t rank, const TraceEvent& send,
                                                    const Positions& positions) const {
  const std::size_t position = positions[send.peer];
  std::size_t receives = 0;
  const auto found = receives_.find({rank, send.peer, send.tag});
  if (found != receives_.end()) receives += made(found->second, position);
  const auto any = any_.find({send.peer, send.tag});
  if (any != any_.end()) receives += made(any->second, position);
  if (receives > send.number) return {};
  return {send.peer};
}

std::vector<std::uint32_t> Matching::wanted_by_receive(std::uint32_t rank,
                                                       const TraceEvent& receive,
                                                       const Positions& positions) const {
  const Places& sends = sends_.at({receive.peer, rank, receive.tag});
  if (made(sends, positions[receive.peer]) > receive.number) return {};
  return {receive.peer};
}

std::vector<std::uint32_t> Matching::wanted_by_any(std::uint32_t rank, const TraceEvent& receive,
                                                   const Positions& positions) const {
  std::vector<std::uint32_t> left;
  std::size_t sent = 0;
  for (const std::uint32_t from : senders_.at({rank, receive.tag})) {
    const Places& sends = sends_.at({from, rank, receive.tag});
    const std::size_t made_here = made(sends, positions[from]);
    sent += made_here;
    if (made_here < sends.size()) left.push_back(from);
  }
  if (sent > receive.number) return {};
  return left;
}

std::vector<std::uint32_t> Matching::wanted_by_collective(std::uint32_t rank,
                                                          const TraceEvent& call,
                                                          const Positions& positions) const {
  const auto has_come = [&](std::uint32_t other) {
    return positions[other] >= collectives_[other][call.number];
  };
  const bool from_root = call.call == Call::kBroadcast || call.call == Call::kScatter;
  const bool to_root = call.call == Call::kReduce || call.call == Call::kGather;
  if (from_root && !has_come(call.peer)) return {call.peer};
  if (from_root || (to_root && rank != call.peer)) return {};
  for (std::uint32_t other = 0; other < positions.size(); ++other) {
    if (!has_come(other)) return {other};
  }
  return {};
}

std::optional<std::size_t> Matching::holder(std::uint32_t rank, const Positions& positions,
                                            Bytes eager_limit) const {
  const std::size_t position = positions[rank];
  const auto holds = [&](std::size_t place) {
    return !wanted(rank, place, positions, eager_limit).empty();
  };
  if (position == trace_.ranks[rank].size()) {
    const Places& open = never_waited_for_[rank];
    const auto found = std::find_if(open.begin(), open.end(), holds);
    return found == open.end() ? std::nullopt : std::optional(*found);
  }
  const TraceEvent& call = event(rank, position);
  if (call.call == Call::kCompute || call.call == Call::kIsend || call.call == Call::kIrecv) {
    return std::nullopt;
  }
  const std::size_t place = call.call == Call::kWait ? posted_[rank][call.request] : position;
  return holds(place) ? std::optional(place) : std::nullopt;
}

std::optional<std::vector<std::uint32_t>> Matching::waits_for(std::uint32_t rank,
                                                              const Positions& positions,
                                                              Bytes eager_limit) const {
  const auto place = holder(rank, positions, eager_limit);
  if (!place) return std::nullopt;
  return wanted(rank, *place, positions, eager_limit);
}

// --- a play without a machine -------------------------------------------------------------------

Matching::Positions Matching::play(Bytes eager_limit) const {
  const auto ranks = static_cast<std::uint32_t>(trace_.ranks.size());
  Positions positions(ranks, 0);
  std::vector<std::vector<std::uint32_t>> waiters(ranks);
  std::deque<std::uint32_t> ready;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) ready.push_back(rank);
  while (!ready.empty()) {
    const std::uint32_t rank = ready.front();
    ready.pop_front();
    const std::size_t before = positions[rank];
    std::optional<std::vector<std::uint32_t>> others;
    while (!(others = waits_for(rank, positions, eager_limit)) &&
           positions[rank] < trace_.ranks[rank].size()) {
      ++positions[rank];
    }
    for (const std::uint32_t other : others.value_or(std::vector<std::uint32_t>())) {
      waiters[other].push_back(rank);
    }
    if (positions[rank] == before) continue;
    ready.insert(ready.end(), waiters[rank].begin(), waiters[rank].end());
    waiters[rank].clear();
  }
  return positions;
}

bool Matching::is_at_end(const Positions& positions) const {
  for (std::size_t rank = 0; rank < positions.size(); ++rank) {
    if (positions[rank] != trace_.ranks[rank].size()) return false;
  }
  return true;
}

std::optional<std::string> Matching::deadlock(Bytes eager_limit) const {
  const auto ends = [this](Bytes limit) {
    const Positions positions = play(limit);
    if (!is_at_end(positions)) return false;
    for (std::uint32_t rank = 0; rank < positions.size(); ++rank) {
      if (waits_for(rank, positions, limit)) return false;
    }
    return true;
  };
  if (ends(eager_limit)) return std::nullopt;
  std::string text = explain(play(eager_limit), eager_limit);
  if (eager_limit >= kMostEager || !ends(kMostEager)) return text;
  Bytes fails = eager_limit;
  Bytes passes = kMostEager;
  while (passes - fails > 1) {
    const Bytes middle = fails + (passes - fails) / 2;
    (ends(middle) ? passes : fails) = middle;
  }
  return text + fmt::format(
                    "; sends of more than {} bytes wait for their receives: with an eager "
                    "limit of {} or more the trace comes to its end",
                    eager_limit, passes);
}

// --- in words ----------------------------------------------------------------------------------

std::string Matching::describe_call(const TraceEvent& call) const {
  const std::string name(name_of(call.call));
  if (is_collective(call.call)) {
    const bool has_root = call.call == Call::kBroadcast || call.call == Call::kReduce ||
                          call.call == Call::kScatter || call.call == Call::kGather;
    return has_root ? fmt::format("{}, root {}", name, call.peer) : name;
  }
  if (is_send(call.call)) {
    return fmt::format("{} of {} bytes to rank {}, tag {}", name, call.bytes, call.peer, call.tag);
  }
  const std::string from = call.peer == kAnyRank ? "any rank" : fmt::format("rank {}", call.peer);
  return fmt::format("{} from {}, tag {}", name, from, call.tag);
}

// "rank 3 (line 17: recv from rank 2, tag 5)"
std::string Matching::describe(std::uint32_t rank, const Positions& positions,
                               Bytes eager_limit) const {
  const std::size_t position = positions[rank];
  const auto& calls = trace_.ranks[rank];
  if (position == calls.size()) {
    const auto place = holder(rank, positions, eager_limit);
    if (!place) return fmt::format("rank {} (behind its last call)", rank);
    const TraceEvent& call = calls[*place];
    return fmt::format("rank {} (behind its last call: line {}: {}, never waited for)", rank,
                       call.line, describe_call(call));
  }
  const TraceEvent& call = calls[position];
  if (call.call == Call::kCompute) {
    return fmt::format("rank {} (line {}: compute)", rank, call.line);
  }
  if (call.call != Call::kWait) {
    return fmt::format("rank {} (line {}: {})", rank, call.line, describe_call(call));
  }
  const TraceEvent& posted = calls[posted_[rank][call.request]];
  return fmt::format("rank {} (line {}: wait for line {}: {})", rank, call.line, posted.line,
                     describe_call(posted));
}

std::string Matching::cycle(const std::vector<std::uint32_t>& ranks, const Positions& positions,
                            Bytes eager_limit) const {
  constexpr std::size_t kMostShown = 8;
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::size_t left_out = ranks.size() > kMostShown ? ranks.size() - kMostShown : 0;
    if (left_out != 0 && i == kMostShown - 1) {
      pieces.push_back(fmt::format("{} more, the last of them", ranks_text(left_out)));
      i += left_out;
    }
    pieces.push_back(describe(ranks[i], positions, eager_limit));
  }
  pieces.push_back(ranks.size() == 1 ? "itself" : fmt::format("rank {}", ranks.front()));
  std::string text = pieces.front();
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    text += (i == 1 ? " waits for " : ", which waits for ") + pieces[i];
  }
  return text;
}

// Of a rank whose call could return: what it waits for in the machine.
std::string Matching::under_way(std::uint32_t rank, const Positions& positions) const {
  const TraceEvent* call = &event(rank, positions[rank]);
  if (call->call == Call::kCompute) return "";
  if (call->call == Call::kWait) call = &event(rank, posted_[rank][call->request]);
  if (!is_receive(call->call)) return " goes on as soon as what is under way has come through";
  if (call->open) {
    return " waits for a message that is under way, or that a receive from any source took before";
  }
  return fmt::format(" goes on as soon as the message of line {} has come through",
                     send(call->peer, rank, call->tag, call->number).line);
}

std::string Matching::explain(const Positions& positions, Bytes eager_limit) const {
  const auto ranks = static_cast<std::uint32_t>(positions.size());
  std::vector<std::optional<std::uint32_t>> next(ranks);
  std::vector<std::uint32_t> held_by_machine;
  std::size_t waiting = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto others = waits_for(rank, positions, eager_limit);
    if (others) {
      ++waiting;
      next[rank] = others->front();
    } else if (positions[rank] < trace_.ranks[rank].size()) {
      held_by_machine.push_back(rank);
    }
  }
  // Following whom each waits for ends in a cycle, or at a rank that could go on.
  std::vector<std::uint32_t> seen_from(ranks, ranks);
  for (std::uint32_t first = 0; first < ranks; ++first) {
    std::vector<std::uint32_t> path;
    std::uint32_t at = first;
    while (next[at] && seen_from[at] == ranks) {
      seen_from[at] = first;
      path.push_back(at);
      at = *next[at];
    }
    if (!next[at] || seen_from[at] != first) continue;
    path.erase(path.begin(), std::find(path.begin(), path.end(), at));
    if (path.empty()) continue;
    std::string text = cycle(path, positions, eager_limit);
    const std::size_t others = waiting - path.size();
    return others == 0 ? text
                       : text + fmt::format("; {} more {}", ranks_text(others),
                                            others == 1 ? "waits" : "wait");
  }
  std::string text;
  constexpr std::size_t kMostShown = 4;
  for (std::size_t i = 0; i < std::min(kMostShown, held_by_machine.size()); ++i) {
    const std::uint32_t rank = held_by_machine[i];
    text +=
        (i == 0 ? "" : "; ") + describe(rank, positions, eager_limit) + under_way(rank, positions);
  }
  if (held_by_machine.size() > kMostShown) {
    text += fmt::format("; {} more", ranks_text(held_by_machine.size() - kMostShown));
  }
  if (held_by_machine.empty()) text = "all ranks are behind their last calls";
  if (waiting == 0) return text;
  return text +
         fmt::format("; {} {} for these", ranks_text(waiting), waiting == 1 ? "waits" : "wait");
}

}  // namespace torusmu::replay
