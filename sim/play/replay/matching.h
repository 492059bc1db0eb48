// SPDX-License-Identifier: Apache-2.0
// Which calls of a trace wait for which others, whatever the machine.
//
//   const Matching matching(trace);
//   if (const auto stuck = matching.deadlock(eager_limit)) std::puts(stuck->c_str());
//
// All that counts is the call in which each rank is. A call that somebody waits for has been made
// as soon as its rank is in it. Of what MPI leaves open the mildest is assumed, so that a call that
// waits here waits on every machine: sends of up to the eager limit return at once, collectives
// wait for no more ranks than their data needs, and a receive from any rank waits for no certain
// message.
#ifndef TORUSMU_SIM_PLAY_REPLAY_MATCHING_H_
#define TORUSMU_SIM_PLAY_REPLAY_MATCHING_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/play/replay/trace.h"

namespace torusmu::replay {

class Matching {
 public:
  // For each rank the place of the call in which it is, or how many it has: it waits for its
  // requests.
  using Positions = std::vector<std::size_t>;

  // The trace outlives it.
  explicit Matching(const Trace& trace);

  // Send `number` from one rank to another with that tag, and its place among the calls there.
  [[nodiscard]] std::size_t place_of_send(std::uint32_t from, std::uint32_t to, Tag tag,
                                          std::uint64_t number) const {
    return sends_.at({from, to, tag}).at(number);
  }
  [[nodiscard]] const TraceEvent& send(std::uint32_t from, std::uint32_t to, Tag tag,
                                       std::uint64_t number) const {
    return trace_.ranks[from][place_of_send(from, to, tag, number)];
  }
  // Of each rank: the places of its collectives.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& collectives() const {
    return collectives_;
  }

  // Whom a rank's call waits for, at least one; nothing if it can return. A receive from any rank
  // waits for one of them, all others for each.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> waits_for(std::uint32_t rank,
                                                                    const Positions& positions,
                                                                    Bytes eager_limit) const;
  // Plays all calls as far as they go. Nothing if every rank comes to its end; else which ranks
  // wait for one another in which lines.
  [[nodiscard]] std::optional<std::string> deadlock(Bytes eager_limit) const;
  // Who waits for whom where ranks have stopped: a cycle, if there is one. Ranks whose calls could
  // return wait for the machine.
  [[nodiscard]] std::string explain(const Positions& positions, Bytes eager_limit) const;

 private:
  using Route = std::tuple<std::uint32_t, std::uint32_t, Tag>;  // from, to, tag
  using Port = std::pair<std::uint32_t, Tag>;                   // to, tag
  using Places = std::vector<std::size_t>;                      // of calls of one rank, rising

  [[nodiscard]] const TraceEvent& event(std::uint32_t rank, std::size_t place) const {
    return trace_.ranks[rank][place];
  }
  [[nodiscard]] static std::size_t made(const Places& places, std::size_t position);
  // The call that holds the rank up: a wait is held up by what it waits for.
  [[nodiscard]] std::optional<std::size_t> holder(std::uint32_t rank, const Positions& positions,
                                                  Bytes eager_limit) const;
  [[nodiscard]] std::vector<std::uint32_t> wanted(std::uint32_t rank, std::size_t place,
                                                  const Positions& positions,
                                                  Bytes eager_limit) const;
  [[nodiscard]] std::vector<std::uint32_t> wanted_by_send(std::uint32_t rank,
                                                          const TraceEvent& send,
                                                          const Positions& positions) const;
  [[nodiscard]] std::vector<std::uint32_t> wanted_by_receive(std::uint32_t rank,
                                                             const TraceEvent& receive,
                                                             const Positions& positions) const;
  [[nodiscard]] std::vector<std::uint32_t> wanted_by_any(std::uint32_t rank,
                                                         const TraceEvent& receive,
                                                         const Positions& positions) const;
  [[nodiscard]] std::vector<std::uint32_t> wanted_by_collective(std::uint32_t rank,
                                                                const TraceEvent& call,
                                                                const Positions& positions) const;
  [[nodiscard]] Positions play(Bytes eager_limit) const;
  [[nodiscard]] bool is_at_end(const Positions& positions) const;
  [[nodiscard]] std::string describe(std::uint32_t rank, const Positions& positions,
                                     Bytes eager_limit) const;
  [[nodiscard]] std::string under_way(std::uint32_t rank, const Positions& positions) const;
  [[nodiscard]] std::string describe_call(const TraceEvent& call) const;
  [[nodiscard]] std::string cycle(const std::vector<std::uint32_t>& ranks,
                                  const Positions& positions, Bytes eager_limit) const;

  const Trace& trace_;
  std::map<Route, Places> sends_, receives_;
  std::map<Port, Places> any_;                          // receives from any rank
  std::map<Port, std::vector<std::uint32_t>> senders_;  // of ports in any_, or of a probe
  std::vector<Places> posted_;                          // of each rank: its requests
  std::vector<Places> never_waited_for_;                // of each rank
  std::vector<Places> collectives_;
};

}  // namespace torusmu::replay

#endif  // TORUSMU_SIM_PLAY_REPLAY_MATCHING_H_
