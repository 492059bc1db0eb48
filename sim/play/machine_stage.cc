// SPDX-License-Identifier: Apache-2.0
#include "sim/play/machine_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "sim/machine/errors.h"
#include "sim/observe/message_track.h"
#include "sim/observe/note.h"
#include "sim/observe/surfer.h"
#include "sim/play/machine_waits.h"
#include "torusmu/registers.h"

namespace torusmu {

bool MachineStage::run(Cycles cycles) {
  if (has_failed_) return false;  // its programs have been abandoned
  const RunResult result = machine_.run(machine_.now() + cycles);
  if (result.failure.empty()) return result.done;
  has_failed_ = true;
  conclude(result.assertion ? "assertion." + result.assertion->name : "run", false, result.failure,
           result.assertion);
  if (const auto waits = waits_in(machine_)) sink_.waits(*waits);
  return false;
}

void MachineStage::figure(const std::string& name, double value) { sink_.figure(name, value); }

void MachineStage::perform(const std::function<void()>& play) {
  try {
    play();
    check_network();
  } catch (const Stopped& stopped) {
    check("stopped", false, stopped.what());
    say_where_packets_stand();
  } catch (const UsageError&) {
    throw;
  } catch (const std::system_error&) {
    throw;  // stdout takes no more
  } catch (const std::exception& error) {
    check("run", false, error.what());
  }
}

// A machine that was stopped runs no further, so that its registers cannot be read.
void MachineStage::say_where_packets_stand() {
  const EngineCounts counts = machine_.counts();
  say(fmt::format("{} flits put on links, {} taken from them, {} in routers or on their way",
                  counts.flits, counts.flits_taken, counts.flits - counts.flits_taken));
}

void MachineStage::check_network() {
  std::vector<std::array<std::uint64_t, 3>> dropped(shape().nodes());
  const bool has_read = look([&dropped](Device& device) {
    dropped.at(device.node().value) = {device.read64(registers::node::bad_packets()),
                                       device.read64(registers::node::dropped_replies()),
                                       device.read64(registers::node::memory_errors())};
  });
  if (!machine_.is_broken()) {
    const EngineCounts counts = machine_.counts();
    check(
        "network.flits_arrived", counts.flits == counts.flits_taken,
        fmt::format("{} flits put on links, {} taken from them", counts.flits, counts.flits_taken));
  }
  check_fault();
  if (!has_read) return;
  std::array<std::uint64_t, 3> sum{};
  for (const auto& node : dropped) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += node[i];
  }
  check("network.no_bad_packets", sum[0] == 0, fmt::format("{} packets dropped", sum[0]));
  check("network.no_lost_replies", sum[1] == 0, fmt::format("{} replies dropped", sum[1]));
  check("network.no_memory_errors", sum[2] == 0, fmt::format("{} errors", sum[2]));
}

// A machine whose run failed is only looked at, so that nothing else fails in it.
bool MachineStage::look(const Core::Program& program) {
  constexpr Cycles kBound = 10'000;
  if (has_failed_) return machine_.inspect(program, kBound);
  on_all_nodes(program);
  return run(kBound);
}

void MachineStage::check_fault() {
  const Fault& fault = machine_.config().engine.fault;
  if (fault.kind == Fault::Kind::kNone) return;
  const std::optional<FaultPlace> place = machine_.counts().fault;
  const std::string text =
      place ? "the fault was put on the links: " + text_of(fault, *place, shape())
            : "the run had fewer packets than --inject counts to";
  sink_.fault(fault, place, text);
  check("inject", place.has_value(), text);
}

void MachineStage::conclude(const std::string& name, bool passed, const std::string& detail,
                            const std::optional<FailedAssertion>& assertion) {
  // The nodes that were evaluated before the one that asserts are a few cycles ahead of it.
  const Cycles cycle = assertion && assertion->cycle ? *assertion->cycle : now();
  sink_.check(name, passed, detail, cycle, assertion);
  if (!passed && !failure_) failure_ = CheckFailure{cycle, name, assertion};
}

std::optional<CycleWindow> MachineStage::waves_of_failure(Cycles cycles) const {
  if (!failure_) return std::nullopt;
  return failure_window(machine_, *failure_, cycles);
}

void MachineStage::show_act(WaveView& view) const {
  const bool is_whole = act_ && act_->from >= view.from && act_->from < view.to;
  if (is_whole) {
    view.from = act_->from;
    view.to = std::min(view.to, act_->to);
    view.actors = act_->actors;
    view.marks = act_->marks;
  } else {
    unfold_few(view);
  }
}

void MachineStage::finish_waves() {
  const WaveConfig& wave = machine_.config().engine.wave;
  if (wave.file.empty()) return;
  if (wave.from >= now()) {
    note(fmt::format(
        "torusmu: --wave-window begins in cycle {}, but the run ended in cycle {}: {} shows "
        "nothing of it\n",
        wave.from, now(), wave.file));
  }
  WaveView view;
  view.nodes = wave.nodes;
  if (view.nodes.empty()) {
    for (std::uint32_t n = 0; n < shape().nodes(); ++n) view.nodes.push_back({n});
  }
  view.from = wave.from;
  view.to = std::min(wave.to, now());
  machine_.close_waves();
  if (failure_) {
    show_failure(view, machine_, *failure_, wave.file);
  } else {
    show_act(view);
  }
  const std::vector<MessageTrack> tracks =
      message_tracks(transfers_of(machine_), shape(), view.nodes, now());
  add_message_tracks(wave.file, tracks);
  for (const MessageTrack& track : tracks) {
    view.lanes.push_back(
        {lanes_in(track.sent, view.from, view.to), lanes_in(track.received, view.from, view.to)});
  }
  write_gtkwave_save_file(wave.file, view);
  write_surfer_files(wave.file, view);
  sink_.say(fmt::format("waves: {}, view: {}", wave.file, view_file_of(wave.file)));
}

}  // namespace torusmu
