// SPDX-License-Identifier: Apache-2.0
// What the report page keeps of a machine that has run.
#ifndef TORUSMU_SIM_OBSERVE_REPORT_PAGE_RUN_RECORD_H_
#define TORUSMU_SIM_OBSERVE_REPORT_PAGE_RUN_RECORD_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/observe/pin_watch.h"
#include "sim/observe/program_message.h"

namespace torusmu::report_page {

// Flits that a link has carried, by class.
struct LinkLoad {
  std::uint64_t requests = 0, replies = 0;
  [[nodiscard]] std::uint64_t all() const { return requests + replies; }
};

// Where a message's time went: the moments in their order, kNever where one is not known.
struct Message {
  NodeId from{}, to{};
  std::string what;  // "FIFO, 512 bytes, queue 3"
  std::string kind;  // "FIFO", "PUT", ...: what its data came by
  Bytes bytes = 0;
  Cycles called = kNever;     // the program asked for it; programs that a trace describes only
  Cycles posted = kNever;     // doorbell
  Cycles first_out = kNever;  // first flit on a link
  Cycles arrived = kNever;    // last flit at the target
  Cycles in_memory = kNever;  // last byte in the target's memory
  Cycles complete = kNever;   // the receiving program has it
  Cycles awaited = kNever;    // the receiving program asked for it
  Cycles lost = kNever;       // an injected fault took a packet of it ...
  std::string lost_at;        // ... from this link: "(1,0,0) x+"
  bool is_of_program = false;
  std::optional<std::size_t> carrier;  // of one of a program: its transfer, by its number
  std::uint32_t from_rank = 0, to_rank = 0, tag = 0;  // of a message of a program

  // First and last moment that is known of its way.
  [[nodiscard]] Cycles begin() const;
  [[nodiscard]] Cycles end() const;
  // To its end, from its begin or from the call that receives it if that is later: the one
  // definition of latency, also of the figures of a replay.
  [[nodiscard]] Cycles latency() const;
  [[nodiscard]] bool has_arrived() const { return arrived != kNever || complete != kNever; }
};

// A number that changes with time.
struct Series {
  struct Step {
    Cycles cycle;
    std::int64_t change;
  };
  std::vector<Step> steps;
};

// What the links have carried in a part of the program's time.
struct LinkSlice {
  Cycles from = 0, to = 0;
  std::vector<std::array<LinkLoad, kDirections>> links;  // by node, then direction
};

struct Span {
  Cycles from = 0, to = 0;
  [[nodiscard]] Cycles cycles() const { return to - from; }
};

struct RunRecord {
  std::string name;  // "3x3x3, links of 8 cycles"
  Shape shape;
  unsigned latency = 0;
  Cycles cycles = 0;
  // Set-up is before, and waiting for stragglers behind it. Loads of links are shares of it.
  Span program;
  bool program_is_told = false;  // else it goes from the first message's begin to the last's end
  std::vector<std::array<LinkLoad, kDirections>>
      links;                       // by node, then direction: of the whole run
  std::vector<LinkSlice> slices;   // of the program's time, in their order
  std::vector<Message> messages;   // by their begin
  bool are_of_program = false;     // messages of a program, not descriptors
  std::vector<Message> transfers;  // what descriptors have sent, if messages are a program's
  std::vector<Series> posted;      // by node: descriptors posted and not yet wholly sent
  std::vector<Series> on_the_way;  // by source: first flit out and last one not yet at the target
  std::vector<Series> fifo_bytes;  // by node: bytes in its reception FIFOs
  Cycles full_at = kNever;         // nothing of messages was kept from then on
};

// A dimension of one node has no links.
bool link_exists(const Shape& shape, NodeId node, unsigned direction);

// Of a watched machine; `program` is what a program has said of its own messages, `time` when it
// ran, if it said so.
RunRecord record_of(const Machine& machine, const std::vector<ProgramMessage>& program,
                    const std::optional<Span>& time);

}  // namespace torusmu::report_page

#endif  // TORUSMU_SIM_OBSERVE_REPORT_PAGE_RUN_RECORD_H_
