// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/report_page/tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace torusmu::report_page {
namespace {

// A field of CSV (RFC 4180).
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string cycle(Cycles at) { return at == kNever ? "" : fmt::format("{}", at); }

std::string ranks_of(const Message& m) {
  return m.is_of_program ? fmt::format("{},{},{}", m.from_rank, m.to_rank, m.tag) : ",,";
}

std::string message_row(const Message& m, unsigned machine) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", machine,
                     m.is_of_program ? "message" : "transfer", m.from.value, m.to.value,
                     ranks_of(m), field(m.kind), m.bytes, cycle(m.called), cycle(m.awaited),
                     cycle(m.posted), cycle(m.first_out), cycle(m.arrived), cycle(m.in_memory),
                     cycle(m.complete), m.has_arrived() ? fmt::format("{}", m.latency()) : "",
                     cycle(m.lost), field(m.lost_at));
}

std::string link_row(const std::string& link, std::size_t part, Cycles from, Cycles to,
                     const LinkLoad& load) {
  const double cycles = static_cast<double>(std::max<Cycles>(to - from, 1));
  return fmt::format("{},{},{},{},{},{},{:.6f}\n", link, part, from, to, load.requests,
                     load.replies, static_cast<double>(load.all()) / cycles);
}

}  // namespace

std::string message_columns() {
  return "machine,of,from,to,from_rank,to_rank,tag,kind,bytes,called,awaited,doorbell,first_out,"
         "arrived,in_memory,complete,latency,lost,lost_at\n";
}

std::string message_rows(const RunRecord& run, unsigned machine) {
  std::string rows;
  for (const auto* list : {&run.messages, &run.transfers}) {
    for (const Message& message : *list) rows += message_row(message, machine);
  }
  return rows;
}

std::string link_columns() {
  return "machine,node,x,y,z,direction,to,part,from_cycle,to_cycle,request_flits,reply_flits,"
         "busy\n";
}

std::string link_rows(const RunRecord& run, unsigned machine) {
  std::string rows;
  for (std::uint32_t n = 0; n < run.links.size(); ++n) {
    const Coordinates at = run.shape.coordinates({n});
    for (unsigned d = 0; d < kDirections; ++d) {
      if (!link_exists(run.shape, {n}, d)) continue;
      const std::string link = fmt::format("{},{},{},{},{},{},{}", machine, n, at.x, at.y, at.z,
                                           kDirectionNames[d], neighbour(run.shape, {n}, d).value);
      rows += link_row(link, 0, run.program.from, run.program.to, run.links[n][d]);
      for (std::size_t i = 0; i < run.slices.size(); ++i) {
        const LinkSlice& slice = run.slices[i];
        rows += link_row(link, i + 1, slice.from, slice.to, slice.links[n][d]);
      }
    }
  }
  return rows;
}

}  // namespace torusmu::report_page
