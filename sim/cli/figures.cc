// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/figures.h"

#include <array>

namespace torusmu {
namespace {

constexpr std::array kFigures{
    FigureInfo{"put.payload_share", "of link cycles",
               "payload flits, 1 MB put to a neighbour, L = 8"},
    FigureInfo{"put.payload_share_both_ways", "of link cycles",
               "the same with traffic both ways, the slower direction"},
    FigureInfo{"put.payload_share_l32", "of link cycles", "the same, one way, L = 32"},
    FigureInfo{"put.latency_cycles", "cycles",
               "8 B put to a neighbour, L = 1: doorbell write accepted to counter zero"},
    FigureInfo{"router.hop_cycles", "cycles", "one more hop of an idle machine, without the link"},
    FigureInfo{"reflection.cycles", "cycles",
               "last data flit out to interrupt at the origin; bench: a list, targets 1, 2, ... "
               "links away"},
    FigureInfo{"reflection.far_ack_cycles", "cycles",
               "the same two descriptors with the target as reflector, a list"},
    FigureInfo{"reflection.reflector_core_accesses", "accesses",
               "register and memory accesses of cores that are not the origin's"},
    FigureInfo{"uniform.accepted_4x4x4", "flits a node and cycle",
               "uniform random puts, offered 1.0, L = 8, 20,000 cycles after 5,000"},
    FigureInfo{"uniform.accepted_8x8x8", "flits a node and cycle", "the same on 8x8x8"},
    FigureInfo{"engine.fast.idle", "million node-cycles a CPU second",
               "fast engine, one thread, 4x4x4, sleeping off, no traffic"},
    FigureInfo{"engine.fast.load10", "million node-cycles a CPU second", "the same, 10 % load"},
    FigureInfo{"engine.fast.saturated", "million node-cycles a CPU second",
               "the same, offered 1.0"},
    FigureInfo{"engine.fast.load1_sleep", "million node-cycles a CPU second",
               "the same, 1 % load, nodes sleeping"},
    FigureInfo{"engine.fast.load", "flits a node and cycle",
               "accepted in the runs for idle, load10, saturated, load1_sleep; a list"},
    FigureInfo{"engine.ratio_fast_mesh", "times", "fast against mesh engine, 2x2x2, 10 % load"},
    FigureInfo{"engine.threads2_gain", "times", "2 threads against 1, 8x8x8, 10 % load, wall time"},
    FigureInfo{"build.node_seconds", "seconds", "the node model from nothing, 2 cores"},
    FigureInfo{"big.memory_mb", "MB", "peak memory of a 16x16x16 machine that runs a broadcast"},
    FigureInfo{"get_storm.unfinished", "gets",
               "two nodes, 1-slot remote-get FIFOs, 1,000 gets each way: neither done nor noticed"},
    FigureInfo{"stuck.extra_cycles", "cycles",
               "a process that stops draining: cycles that any other flow loses"},
};

}  // namespace

std::span<const FigureInfo> figures() { return kFigures; }

const FigureInfo* find_figure(const std::string& name) {
  for (const FigureInfo& figure : kFigures) {
    if (name == figure.name) return &figure;
  }
  return nullptr;
}

}  // namespace torusmu
