// SPDX-License-Identifier: Apache-2.0
// reflection: node 0 puts 4 KiB to targets at every distance, each followed by a reflecting GET;
// tells the journey in words and checks that the origin learns of its last byte in the same time
// whatever the distance. Then it is told in both ways of the patent: by a packet that is stored in
// a FIFO with an interrupt, and by a put into interrupt-on-touch memory. What lies in the FIFO is
// stored elsewhere by the MU, by a put to its own node whose source is the ring of the FIFO. Last,
// a core sleeps until another core of its node has written into memory that it has marked.
#include <fmt/format.h>

#include <algorithm>

#include "sim/machine/mix.h"
#include "sim/play/scenario/reflection_play.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

// The first node at each distance from the origin that exists, the origin itself only if it is
// alone.
std::vector<NodeId> targets_by_distance(const Shape& shape) {
  std::vector<NodeId> targets;
  for (std::uint32_t wanted = shape.nodes() == 1 ? 0 : 1;; ++wanted) {
    bool found = false;
    for (std::uint32_t n = 0; n < shape.nodes() && !found; ++n) {
      found = hops(shape, ReflectionPlay::kOrigin, {n}) == wanted;
      if (found) targets.push_back({n});
    }
    if (!found) return targets;
  }
}

std::string place(const Shape& shape, NodeId node) {
  const Coordinates at = shape.coordinates(node);
  return fmt::format("({},{},{})", at.x, at.y, at.z);
}

void tell(Stage& stage, NodeId target, const ReflectionPlay::Journey& journey) {
  const Shape shape = stage.shape();
  const std::string origin = place(shape, ReflectionPlay::kOrigin);
  if (!journey.doorbell || !journey.interrupt) return;
  const Cycles start = *journey.doorbell;
  const auto line = [&](std::optional<Cycles> at, const std::string& text) {
    if (at) stage.say(fmt::format("  cycle {:>8}  +{:<5} {}", *at, *at - start, text));
  };
  const auto later = [&](std::optional<Cycles> at) {
    if (at) *at += stage.link_latency();
    return at;
  };
  stage.say(fmt::format(
      "A message of {} bytes from {} to {}, {} links away, with a reflection behind it:",
      ReflectionPlay::kMessageBytes, origin, place(shape, target),
      hops(shape, ReflectionPlay::kOrigin, target)));
  line(journey.doorbell, origin + " accepts the doorbell: two descriptors are in its ring");
  line(journey.first_data_out, "the first flit of the message is on its link");
  line(journey.last_data_out,
       fmt::format("its last flit, number {}: the message has left", journey.data_flits));
  line(journey.get_out, fmt::format("first flit of the reflecting GET, out on {}",
                                    kDirectionNames[journey.get_direction]));
  if (journey.reflector) {
    const std::string reflector = place(shape, *journey.reflector);
    line(later(journey.get_out), "it reaches the reflection node " + reflector);
    line(journey.completion_out,
         reflector + fmt::format(" sends the completion, out on {}; no core of it took part",
                                 kDirectionNames[journey.completion_direction]));
    line(journey.completion_last, "last flit of the completion");
    line(later(journey.completion_last), "it is back at " + origin);
  }
  line(journey.interrupt, "the interrupt line of the origin's client rises");
  if (journey.last_data_out) {
    stage.say(
        fmt::format("  last data flit out to interrupt: {} cycles", journey.completion_cycles()));
  }
}

// The waves open at the first message.
void show(Stage& stage, NodeId target, const ReflectionPlay::Journey& journey) {
  if (!journey.doorbell || !journey.first_data_out || !journey.last_data_out || !journey.get_out ||
      !journey.reflector || !journey.completion_out || !journey.interrupt) {
    return;
  }
  const Shape shape = stage.shape();
  const auto link = [](unsigned direction, bool out) {
    return fmt::format("link {} {}", kDirectionNames[direction], out ? "out" : "in");
  };
  const auto part = [&](NodeId node, const char* what) { return place(shape, node) + " " + what; };
  Act act;
  act.from = *journey.doorbell - std::min<Cycles>(*journey.doorbell, 20);
  act.to = *journey.interrupt + 30;
  act.actors = {
      {ReflectionPlay::kOrigin,
       part(ReflectionPlay::kOrigin, "origin"),
       {"register writes", "descriptors of requests", link(journey.data_direction, true),
        link(journey.get_direction, true), link(journey.get_direction, false), "replies received",
        "interrupt"}},
      {target, part(target, "target"), {"requests received", "stores", "done in memory"}},
      {*journey.reflector,
       part(*journey.reflector, "reflection node"),
       {"requests received", "descriptors of replies", link(journey.completion_direction, true)}},
  };
  act.marks = {{*journey.doorbell, "doorbell"},
               {*journey.first_data_out, "first data flit"},
               {*journey.last_data_out, "last data flit"},
               {*journey.completion_out, "completion"},
               {*journey.interrupt, "interrupt"}};
  stage.show(act);
}

// The two that the patent describes, to a neighbour.
void play_notifications(Stage& stage, ReflectionPlay& play) {
  using Told = ReflectionPlay::Told;
  const NodeId target = targets_by_distance(stage.shape()).front();
  const auto flag = [](Cause cause) { return std::uint64_t{1} << static_cast<unsigned>(cause); };
  for (const Told told : {Told::kFifo, Told::kTouch}) {
    const std::uint64_t token = mix(stage.seed() + play.sent());
    const bool ended = play.send(target, ReflectionPlay::Reflector::kNeighbour, told);
    const std::uint64_t causes = play.causes() & (flag(Cause::kArrived) | flag(Cause::kTouch));
    const bool right = causes == flag(told == Told::kFifo ? Cause::kArrived : Cause::kTouch);
    stage.check(told == Told::kFifo ? "reflection.told_by_fifo" : "reflection.told_by_touch",
                ended && right && play.token() == token && play.target_has_bytes(target),
                fmt::format("causes 0x{:x}, {} completions of {}", play.causes(),
                            play.completions(), play.sent()));
    if (told != Told::kFifo) continue;
    const bool is_stored = play.store_from_fifo();
    stage.check("reflection.mu_stores_from_fifo",
                is_stored && play.stored_token() == token && play.slots_left() == 0,
                fmt::format("0x{:x} of 0x{:x}, {} slots left", play.stored_token(), token,
                            play.slots_left()));
  }
  const std::optional<Cycles> woken = play.wake_by_core();
  stage.check("reflection.told_by_touch_of_a_core", woken.has_value(),
              woken ? fmt::format("it sleeps until {} cycles after another has written", *woken)
                    : "the sleeper was not woken, or by something else");
}

}  // namespace

void play_reflection(Stage& stage) {
  ReflectionPlay play(stage);
  if (!play.set_up()) return;
  std::vector<Cycles> times;
  for (const NodeId target : targets_by_distance(stage.shape())) {
    const std::string name =
        fmt::format("reflection.{}_hops", hops(stage.shape(), ReflectionPlay::kOrigin, target));
    const std::uint64_t token = mix(stage.seed() + play.sent());
    const bool ended = play.send(target, ReflectionPlay::Reflector::kNeighbour);
    tell(stage, target, play.journey());
    show(stage, target, play.journey());
    const auto [sent, returned] = play.credits();
    stage.check(name + ".interrupt", ended, ended ? "the line rose" : "the line did not rise");
    stage.check(name + ".bytes", play.target_has_bytes(target),
                fmt::format("{} bytes at the target", ReflectionPlay::kMessageBytes));
    stage.check(name + ".completion", play.token() == token && play.completions() == play.sent(),
                fmt::format("{} completions of {}", play.completions(), play.sent()));
    stage.check(name + ".credit_returned", sent == play.sent() && returned == sent,
                fmt::format("{} sent, {} returned", sent, returned));
    if (!ended) return;
    if (play.journey().last_data_out) times.push_back(play.journey().completion_cycles());
  }
  play_notifications(stage, play);
  stage.check("reflection.no_core_of_others", play.other_core_accesses() == 0,
              fmt::format("{} accesses by cores of other nodes", play.other_core_accesses()));
  if (stage.has_pins() && !times.empty()) {
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    const auto text =
        fmt::format("{} to {} cycles from the last data flit to the interrupt", *least, *most);
    if (stage.has_fixed_timing()) {
      stage.check("reflection.same_at_every_distance", *least == *most, text);
    } else {
      stage.say(text);
    }
    stage.figure("reflection.cycles", static_cast<double>(*most));
  }
}

}  // namespace torusmu
