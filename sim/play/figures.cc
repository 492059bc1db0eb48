// SPDX-License-Identifier: Apache-2.0
#include "sim/play/figures.h"

#include <fmt/format.h>

#include <array>

#include "sim/machine/profile.h"
#include "sim/play/bench/benches.h"

namespace torusmu {
namespace {

constexpr Wanted at_least(double value) { return {Wanted::Bound::kAtLeast, value}; }
constexpr Wanted at_most(double value) { return {Wanted::Bound::kAtMost, value}; }
// What other flows may lose beyond the time that a reception FIFO is waited for.
constexpr double kStuckMargin = 40;

constexpr FigureName named(const char* bench, const char* name, const char* variant = "",
                           const char* subject = "") {
  return {bench, name, variant, subject};
}
// Of the command replay.
constexpr FigureName replayed(const char* name) { return named("", name, "", "replay"); }

constexpr std::array kFigures{
    FigureInfo{named("put", "payload_share"), "of link cycles",
               "payload flits, 1 MB put to a neighbour, L = 8", at_least(0.93)},
    FigureInfo{named("put", "payload_share_both_ways"), "of link cycles",
               "the same with traffic both ways, the slower direction", at_least(0.92)},
    FigureInfo{named("put", "payload_share_l32"), "of link cycles", "the same, one way, L = 32",
               at_least(0.92)},
    FigureInfo{named("put", "latency_cycles"), "cycles",
               "8 B put to a neighbour, L = 1: doorbell write accepted to counter zero",
               at_most(66)},
    FigureInfo{named("router", "hop_cycles"), "cycles",
               "one more hop of an idle machine, without the link", at_most(4)},
    FigureInfo{named("reflection", "cycles"),
               "cycles",
               "last data flit out to interrupt at the origin; bench: a list, targets 1, 2, ... "
               "links away",
               {Wanted::Bound::kAtMost, 115, true}},
    FigureInfo{
        named("reflection", "far_ack_cycles"),
        "cycles",
        "the same two descriptors with the target as reflector, a list, of which the last counts",
        {Wanted::Bound::kAtLeast, 1.66, false, "cycles"}},
    FigureInfo{named("reflection", "reflector_core_accesses"), "accesses",
               "register and memory accesses of cores that are not the origin's", at_most(0)},
    FigureInfo{
        named("send", "completion_cycles"),
        "cycles",
        "64 KiB by send(), a list, receivers 1 to 6 links away, their receives posted: first "
        "data flit out to the end of the send, told by reflection",
        {Wanted::Bound::kAtMost, 0.95, false, "answer_cycles"}},
    FigureInfo{named("send", "answer_cycles"), "cycles",
               "the same, told by the receiver's core when it has all of it"},
    FigureInfo{named("send", "completion_spread"), "of the least",
               "completion_cycles, the most less the least", at_most(0.05)},
    FigureInfo{named("send", "after_data_cycles"),
               "cycles",
               "last data flit out to the end of the send, told by reflection",
               {Wanted::Bound::kAtMost, 0.5, false, "answer_after_data_cycles"}},
    FigureInfo{named("send", "answer_after_data_cycles"), "cycles",
               "the same, told by the receiver's core"},
    FigureInfo{named("send", "call_cycles"), "cycles",
               "call of send() to its end, told by reflection"},
    FigureInfo{named("send", "answer_call_cycles"), "cycles",
               "the same, told by the receiver's core"},
    FigureInfo{named("send", "delivery_cycles"), "cycles",
               "call of send() to the end of the receive, put by the sender"},
    FigureInfo{named("send", "answer_delivery_cycles"), "cycles",
               "the same, fetched by the receiver"},
    FigureInfo{named("fence", "state_bits"),
               "bits",
               "held by the MU for an open FENCE behind 1, 8, 1,000, 1,000,000 sends, a list",
               {Wanted::Bound::kAtMost, 119, true}},
    FigureInfo{named("fence", "cycles_after_last_byte"), "cycles",
               "one node: memory answers the write of the last SEND's last byte to FENCE done",
               at_most(40)},
    FigureInfo{named("fence", "send_acknowledged_cycles"), "cycles",
               "of these, to the end of the last SEND, behind which the FENCE ends"},
    FigureInfo{named("fence", "cycles_after_last_put"), "cycles", "the same behind PUTs",
               at_most(40)},
    FigureInfo{named("fence", "network_packets"), "packets",
               "on all links, caused by these sends and fences within a node", at_most(0)},
    FigureInfo{named("fence", "network_cycles"), "cycles",
               "512 B put, targets 1 to 6 links away, a list: last flit out to FENCE done"},
    FigureInfo{named("fence", "channel_cycles"), "cycles a message",
               "one node: 16 messages of 8 B and a fence by a LocalChannel, first send to fence"},
    FigureInfo{named("fence", "channel_taken_cycles"), "cycles a message",
               "the same, first send to the receiver's last function"},
    FigureInfo{named("fence", "shared_store_cycles"),
               "cycles a message",
               "the same messages stored into the shared segment, first send to fence",
               {Wanted::Bound::kAtMost, 0.25, false, "channel_cycles"}},
    FigureInfo{named("fence", "shared_taken_cycles"), "cycles a message",
               "of these, first send to the receiver's last function"},
    FigureInfo{named("uniform", "accepted_4x4x4"), "flits a node and cycle",
               "uniform random puts, offered 1.0, L = 8, 20,000 cycles after 5,000",
               at_least(0.81)},
    FigureInfo{named("uniform", "accepted_8x8x8"), "flits a node and cycle", "the same on 8x8x8",
               at_least(0.545)},
    FigureInfo{
        named("engine", "idle", "", "fast"), "million node-cycles a CPU second",
        "fast engine, one thread, 4x4x4, sleeping off, no traffic; the fastest of ten parts of "
        "the run, here and below",
        at_least(5), 0},
    FigureInfo{named("engine", "load10", "", "fast"), "million node-cycles a CPU second",
               "the same, 10 % load", at_least(2.5), 1},
    FigureInfo{named("engine", "saturated", "", "fast"), "million node-cycles a CPU second",
               "the same, offered 1.0", at_least(1), 2},
    FigureInfo{named("engine", "load1_sleep", "", "fast"), "million node-cycles a CPU second",
               "the same, 1 % load, nodes sleeping", at_least(25), 3},
    FigureInfo{named("engine", "load"), "flits a node and cycle",
               "accepted in the runs for idle, load10, saturated, load1_sleep, ratio_fast_mesh, "
               "threads2_gain; a list"},
    FigureInfo{named("engine", "ratio_fast_mesh"), "times",
               "fast against mesh engine, 2x2x2, 10 % load", at_least(1.25), 4},
    FigureInfo{named("engine", "threads2_gain"), "times",
               "2 threads against 1, 8x8x8, 10 % load, wall time", at_least(1.5), 5},
    FigureInfo{named("build", "run_seconds"), "seconds",
               "make run in a fresh clone, 2 cores, packages there, compiler cache off",
               at_most(240)},
    FigureInfo{named("build", "quick_seconds"), "seconds",
               "a line of the RTL changed to the scenario that sees it: make quick and scenario "
               "put, 2 cores, compiler cache off",
               at_most(60)},
    FigureInfo{named("build", "node_seconds"), "seconds", "the node model from nothing, 2 cores",
               at_most(120)},
    FigureInfo{named("source", "lines"), "lines", "of rtl/, package and proofs apart",
               at_most(19000)},
    FigureInfo{named("source", "ports_most"), "names",
               "in the port list of a module, the node's edge apart: the most", at_most(40)},
    FigureInfo{named("source", "ports_median"), "names", "the same, the median", at_most(12)},
    FigureInfo{named("source", "plumbing_share"), "of lines of code",
               "ports and connections, proofs apart", at_most(0.15)},
    FigureInfo{named("waves", "fst_bytes"), "bytes",
               "FST of the whole LULESH-27 replay, every signal of all 27 nodes, messages as bars"},
    FigureInfo{named("waves", "slowdown"), "times", "the same, processor time against none"},
    FigureInfo{named("big", "memory_mb"), "MB",
               "peak memory of a 16x16x16 machine that runs a broadcast", at_most(2000)},
    FigureInfo{named("get_storm", "unfinished"), "gets",
               "two nodes, 1-slot remote-get FIFOs, 1,000 gets each way: neither done nor noticed",
               at_most(0)},
    FigureInfo{named("stuck", "extra_cycles"), "cycles",
               "a process that stops draining: cycles that any other flow loses",
               at_most(kStuckHold + kStuckMargin)},
    FigureInfo{
        named("wait", "release_cycles"), "cycles",
        "event counter reaches what a WAIT waits for to the first flit of the PUT behind it, "
        "8 immediate bytes, at the router",
        at_most(11)},
    FigureInfo{
        named("offload", "host_accesses"), "accesses",
        "registers and memory, of all cores, from posting to the end of barrier and allreduce, "
        "run by the MU",
        at_most(0)},
    FigureInfo{named("offload", "tasks_per_node"), "tasks",
               "2x1x1, every task in four groups: those all of whose calls the MU ran",
               at_least(kProfile.clients)},
    FigureInfo{named("offload", "groups_per_node"), "groups", "the same"},
    FigureInfo{named("bgp", "tasks_per_node"), "tasks",
               "the same tasks on nodes of the profile bgp, which have 16 pages",
               at_least(kBgp.clients)},
    FigureInfo{named("offload", "barrier_one_counter_cycles"), "cycles",
               "barrier as below, by a group that has one queue, and one counter of each window"},
    FigureInfo{named("offload", "sum_one_counter_cycles"), "cycles",
               "sum of one double as below, by the same group"},
    FigureInfo{
        named("barrier", "offload_cycles"), "cycles",
        "barrier of 64 nodes, 4x4x4, L = 8, run by the MU: last doorbell to last completion"},
    FigureInfo{named("barrier", "offload_cycles", "mmio_half"), "cycles",
               "the same, register accesses at half their cost"},
    FigureInfo{named("barrier", "offload_cycles", "mmio_double"), "cycles",
               "the same, at twice their cost"},
    FigureInfo{named("barrier", "link_cycles"), "cycles", "of these on links, longest way"},
    FigureInfo{named("barrier", "offload_beyond_links_cycles"), "cycles",
               "offload_cycles - link_cycles", at_most(330)},
    FigureInfo{named("barrier", "software_cycles"),
               "cycles",
               "the same barrier run by the cores, by messages",
               {Wanted::Bound::kAtLeast, 2, false, "offload_cycles"}},
    FigureInfo{named("barrier", "software_cycles", "mmio_half"),
               "cycles",
               "the same, register accesses at half their cost",
               {Wanted::Bound::kAtLeast, 2, false, "offload_cycles"}},
    FigureInfo{named("barrier", "software_cycles", "mmio_double"),
               "cycles",
               "the same, at twice their cost",
               {Wanted::Bound::kAtLeast, 2, false, "offload_cycles"}},
    FigureInfo{named("tree", "barrier_signal_cycles"), "cycles",
               "barrier over the combining tree, 4x4x4, L = 8, of cores: last register write taken "
               "to last interrupt by its release",
               at_most(130)},
    FigureInfo{named("tree", "barrier_signal_cycles", "8_nodes"), "cycles", "the same, 2x2x2"},
    FigureInfo{named("tree", "link_cycles"), "cycles",
               "of these on cables, up from the deepest node and down to it"},
    FigureInfo{named("tree", "link_cycles", "8_nodes"), "cycles", "the same, 2x2x2"},
    FigureInfo{named("tree", "barrier_offload_cycles"), "cycles",
               "the same barrier of queues, each by a CTR_ADD and a WAIT: last doorbell taken to "
               "last interrupt by the end of a WAIT"},
    FigureInfo{named("tree", "barrier_offload_cycles", "8_nodes"), "cycles", "the same, 2x2x2"},
    FigureInfo{named("allreduce8", "offload_cycles"), "cycles",
               "sum of one double over 64 nodes, run by the MU"},
    FigureInfo{named("allreduce8", "offload_cycles", "mmio_half"), "cycles",
               "the same, register accesses at half their cost"},
    FigureInfo{named("allreduce8", "offload_cycles", "mmio_double"), "cycles",
               "the same, at twice their cost"},
    FigureInfo{named("allreduce8", "software_cycles"),
               "cycles",
               "the same sum by the cores, by messages",
               {Wanted::Bound::kAtLeast, 2, false, "offload_cycles"}},
    FigureInfo{named("allreduce8", "software_cycles", "mmio_half"),
               "cycles",
               "the same, register accesses at half their cost",
               {Wanted::Bound::kAtLeast, 2, false, "offload_cycles"}},
    FigureInfo{named("allreduce8", "software_cycles", "mmio_double"),
               "cycles",
               "the same, at twice their cost",
               {Wanted::Bound::kAtLeast, 2, false, "offload_cycles"}},
    FigureInfo{named("allreduce64k", "bound_share"), "of the bound",
               "8,570 cycles, two passes of 63/64 of the data over one link, by what a sum of 64 "
               "KiB of doubles over 64 nodes takes",
               at_least(0.70)},
    FigureInfo{
        named("overlap", "core_free_share"), "of the core's cycles",
        "computed in slices of 500 cycles, from the call of a non-blocking sum of 64 KiB over 64 "
        "nodes, made before until its list stands in the ring, to its completion seen",
        at_least(0.95)},
    FigureInfo{
        named("overlap", "core_free_share_8b"), "of the core's cycles",
        "the same, a sum of 8 B, which is over in 695 cycles; doorbell and first look at a line "
        "that the MU wrote alone take 60"},
    FigureInfo{named("overlap", "core_free_share", "mmio_half"), "of the core's cycles",
               "64 KiB, register accesses at half their cost", at_least(0.95)},
    FigureInfo{named("overlap", "core_free_share_8b", "mmio_half"), "of the core's cycles",
               "8 B, the same"},
    FigureInfo{named("overlap", "core_free_share", "mmio_double"), "of the core's cycles",
               "64 KiB, at twice their cost", at_least(0.95)},
    FigureInfo{named("overlap", "core_free_share_8b", "mmio_double"), "of the core's cycles",
               "8 B, the same"},
    FigureInfo{named("pipe", "wqes"), "descriptors",
               "1 MB from a node to the next but one, in pieces of 8 KiB, by a PIPE in the node "
               "between: posted there",
               at_most(1)},
    FigureInfo{named("pipe", "origin_wqes"), "descriptors",
               "the same with a PIPE in each of the three nodes: posted at the origin", at_most(1)},
    FigureInfo{named("pipe", "target_wqes"), "descriptors",
               "the same with a PIPE in each of the three nodes: posted at the target", at_most(1)},
    FigureInfo{named("pipe", "link_share"), "of link cycles",
               "the same: payload flits, from its first flit on the second link to the last",
               at_least(0.90)},
    FigureInfo{named("pipe", "link_share_of_four"), "of link cycles",
               "1 MB by four PIPEs at once in each of the three nodes, 256 KB each",
               at_least(0.93)},
    FigureInfo{named("pipe", "piece_cycles"), "cycles", "one piece on a link"},
    FigureInfo{named("pipe", "added_cycles"), "cycles",
               "first flit of the origin to last flit on the second link, beyond direct SENDs"},
    FigureInfo{named("pipe", "added_beyond_piece_cycles"), "cycles", "added_cycles - piece_cycles",
               at_most(48)},
    FigureInfo{
        named("calc", "targets4_cycles", "8b"),
        "cycles",
        "CALC of two doubles whose list has four neighbours as targets: doorbell to last flit",
        {Wanted::Bound::kAtMost, 0.6, false, "puts4_cycles"}},
    FigureInfo{named("calc", "puts4_cycles", "8b"), "cycles", "the same CALC and a PUT to each"},
    FigureInfo{named("calc", "targets4_cycles", "64k_2_operands"),
               "cycles",
               "the same, two vectors of 64 KiB, by the list",
               {Wanted::Bound::kAtMost, 0.6, false, "puts4_cycles"}},
    FigureInfo{named("calc", "puts4_cycles", "64k_2_operands"), "cycles", "and by PUTs"},
    FigureInfo{named("calc", "targets4_cycles", "64k_4_operands"),
               "cycles",
               "the same, four vectors of 64 KiB, by the list",
               {Wanted::Bound::kAtMost, 0.6, false, "puts4_cycles"}},
    FigureInfo{named("calc", "puts4_cycles", "64k_4_operands"), "cycles", "and by PUTs"},
    FigureInfo{named("replay", "software_cycles", "", "lulesh27"), "cycles",
               "LULESH, 27 ranks: collectives by the cores"},
    FigureInfo{named("replay", "offload_cycles", "", "lulesh27"),
               "cycles",
               "the same, collectives by the MU",
               {Wanted::Bound::kAtMost, 1, false, "software_cycles"}},
    FigureInfo{named("replay", "reflected_cycles", "", "lulesh27"), "cycles",
               "the same, collectives by the cores, sends above eager_limit end by reflection"},
    FigureInfo{named("replay", "software_cycles", "", "hpcg8"), "cycles",
               "HPCG, 8 ranks: collectives by the cores"},
    FigureInfo{named("replay", "offload_cycles", "", "hpcg8"),
               "cycles",
               "the same, collectives by the MU",
               {Wanted::Bound::kAtMost, 1, false, "software_cycles"}},
    FigureInfo{named("replay", "reflected_cycles", "", "hpcg8"), "cycles",
               "the same, collectives by the cores, sends above eager_limit end by reflection"},
    FigureInfo{named("seeds", "hashes_random"), "hashes",
               "flit hashes of a replay of LULESH-8 with seeds 1 to 20 and --timing random",
               at_least(20)},
    FigureInfo{named("seeds", "hashes_fixed"), "hashes", "the same with --timing fixed",
               at_most(1)},
    FigureInfo{
        named("polling", "empty_share_saved"), "of empty polls",
        "LULESH-27, HPCG-8 (a list): polls that found nothing, by the default policy of replays "
        "(heuristic) against at every request",
        at_least(0.85)},
    FigureInfo{named("polling", "latency_median_added"), "of the latency",
               "the same: later of the two calls to completion, half of the messages",
               at_most(0.05)},
    FigureInfo{named("polling", "latency_p99_added"), "of the latency",
               "the same, 99 of 100 messages", at_most(0.20)},
    FigureInfo{named("polling", "core_cycles_saved"), "of core cycles",
               "the same: in empty polls and in requests that do not poll"},
    FigureInfo{named("polling", "empty_share_saved", "mmio_half"), "of empty polls",
               "the same, register accesses at half their cost", at_least(0.80)},
    FigureInfo{named("polling", "latency_median_added", "mmio_half"), "of the latency",
               "the same, register accesses at half their cost", at_most(0.05)},
    FigureInfo{named("polling", "latency_p99_added", "mmio_half"), "of the latency",
               "the same, register accesses at half their cost", at_most(0.20)},
    FigureInfo{named("polling", "core_cycles_saved", "mmio_half"), "of core cycles",
               "the same, register accesses at half their cost"},
    FigureInfo{named("polling", "empty_share_saved", "mmio_double"), "of empty polls",
               "the same, at twice their cost", at_least(0.80)},
    FigureInfo{named("polling", "latency_median_added", "mmio_double"), "of the latency",
               "the same, at twice their cost", at_most(0.05)},
    FigureInfo{named("polling", "latency_p99_added", "mmio_double"), "of the latency",
               "the same, at twice their cost", at_most(0.20)},
    FigureInfo{named("polling", "core_cycles_saved", "mmio_double"), "of core cycles",
               "the same, at twice their cost"},
    FigureInfo{
        named("boot", "lost"), "messages",
        "jobs of 16 tasks that start at random times, up to 100,000 cycles apart, and send to "
        "all others at once, 1,000 starts in all",
        at_most(0)},
    FigureInfo{named("boot", "repeated"), "messages", "the same", at_most(0)},
    FigureInfo{named("boot", "reordered"), "messages", "the same", at_most(0)},
    FigureInfo{named("boot", "first_message_cycles"), "cycles",
               "first message of a process that starts late, 8 B from a neighbour: initialised to "
               "delivered; the MU moves it",
               at_most(224)},
    FigureInfo{named("boot", "first_message_by_process_cycles"), "cycles",
               "the same, the process copies it out of the unit's own memory", at_most(400)},
    FigureInfo{named("boot", "other_client_wait_cycles"), "cycles",
               "8 B put to another process of the node while a full boot buffer, 4 KiB, is moved: "
               "the most that one takes longer than with nothing to move",
               at_most(40)},
    FigureInfo{named("boot", "first_message_gain"), "times",
               "the same without a boot buffer, the sender refused and back after 256 to 8,192 "
               "cycles, the best of these, by what it takes with one",
               at_least(2)},
    FigureInfo{named("boot", "sent_without"), "times",
               "the same: how often the message goes out then"},
    FigureInfo{replayed("cycles"), "cycles", "first rank to begin until last rank to end"},
    FigureInfo{replayed("messages"), "messages", "received, collectives not counted"},
    FigureInfo{replayed("bytes"), "bytes", "of all messages"},
    FigureInfo{replayed("bytes_compared"), "bytes",
               "compared with what was sent, buffers' ends too"},
    FigureInfo{replayed("latency_p50_cycles"), "cycles",
               "from the later of the two calls to the message's completion, half of all"},
    FigureInfo{replayed("latency_p90_cycles"), "cycles", "the same, 90 of 100"},
    FigureInfo{replayed("latency_p99_cycles"), "cycles", "the same, 99 of 100"},
    FigureInfo{replayed("latency_max_cycles"), "cycles", "the same, the longest"},
    FigureInfo{replayed("register_reads"), "accesses", "of all cores, set-up included"},
    FigureInfo{replayed("register_writes"), "accesses", "of all cores, set-up included"},
    FigureInfo{replayed("memory_accesses"), "accesses", "loads and stores of all cores"},
    FigureInfo{replayed("polls"), "accesses", "looks into memory for something new"},
    FigureInfo{replayed("status_requests"), "requests",
               "of components, from the start of each rank to its last message, here and below"},
    FigureInfo{replayed("status_polls"), "polls", "made for them"},
    FigureInfo{replayed("status_polls_empty"), "polls", "of these, polls that found nothing"},
    FigureInfo{replayed("status_polls_skipped"), "requests", "that did not poll"},
    FigureInfo{replayed("status_polls_overruled"), "polls", "that the bound made against the rule"},
    FigureInfo{replayed("polling_cycles"), "cycles",
               "of all cores, in empty polls and in requests that did not poll"},
    FigureInfo{replayed("eager_messages"), "messages", "sent without asking, collectives too"},
    FigureInfo{replayed("requested_messages"), "messages",
               "longer ones, which ask first, collectives too"},
    FigureInfo{replayed("unexpected_messages"), "messages", "that came before their receive"},
    FigureInfo{replayed("refusals"), "notices", "packets and gets that were refused"},
    FigureInfo{replayed("resent_messages"), "messages", "sent again after a refusal or silence"},
    FigureInfo{replayed("stored_by_mu"), "packets",
               "whose data the MU stored where it is received"},
    FigureInfo{replayed("collectives_by_mu"), "calls", "of all ranks, that the MU ran"},
    FigureInfo{replayed("collectives_by_cores"), "calls", "of all ranks, that the cores ran"},
};

}  // namespace

std::span<const FigureInfo> figures() { return kFigures; }

std::string key_of(const FigureName& name) {
  std::string key;
  for (const char* part : {name.bench, name.subject, name.name, name.variant}) {
    if (*part != 0) key += (key.empty() ? "" : ".") + std::string(part);
  }
  return key;
}

std::string key_of(const FigureInfo& figure) { return key_of(figure.id); }

FigureName other_of(const FigureInfo& figure) {
  FigureName other = figure.id;
  other.name = figure.wanted.of;
  return other;
}

const FigureInfo* find_figure(const std::string& key) {
  for (const FigureInfo& figure : kFigures) {
    if (key == key_of(figure)) return &figure;
  }
  return nullptr;
}

std::string wanted_text(const FigureInfo& figure) {
  const Wanted& wanted = figure.wanted;
  if (wanted.bound == Wanted::Bound::kNone) return "";
  std::string text =
      fmt::format("{} {}", wanted.bound == Wanted::Bound::kAtLeast ? ">=" : "<=", wanted.value);
  if (wanted.of != nullptr) text += fmt::format(" x {}", key_of(other_of(figure)));
  if (wanted.all_equal) text += ", all equal";
  return text;
}

}  // namespace torusmu
