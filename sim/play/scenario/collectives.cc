// SPDX-License-Identifier: Apache-2.0
// barrier, allreduce: collectives that the MU runs by itself. After the posting no core does
// anything until the end is there.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "sim/machine/profile.h"
#include "sim/machine/shape.h"
#include "sim/play/scenario/collective_play.h"
#include "sim/play/scenario/pins.h"
#include "sim/play/scenario/scenarios.h"
#include "torusmu/plan.h"
#include "torusmu/registers.h"

namespace torusmu {
namespace {

constexpr Cycles kSkew = 3'000;

void check_times(Stage& stage, const char* name, const CollectiveTimes& times) {
  stage.check(fmt::format("{}.right", name), times.right,
              fmt::format("{} cycles from the last member's start to the last member's end",
                          times.cycles()));
  stage.check(fmt::format("{}.no_host", name), times.accesses == 0,
              fmt::format("{} accesses of all cores between posting and the end", times.accesses));
}

// What the pins show of the last member to begin, for which all others wait: its first packet, and
// how its partner, whose queue a WAIT holds, goes on by itself.
struct Journey {
  NodeId last{}, partner{};
  std::optional<Cycles> doorbell;    // accepted by the last node
  std::optional<Cycles> sent;        // first flit out there
  std::optional<Cycles> arrived;     // on the partner's input pins
  std::optional<Cycles> sent_on;     // first flit of the partner's next packet, if it has one
  std::optional<Cycles> known;       // the partner's interrupt line rises
  Cycles end = 0;                    // the last interrupt line of all rises
  unsigned out = 0, in = 0, on = 0;  // directions of the links: in is the partner's
  [[nodiscard]] bool whole() const { return doorbell && sent && arrived && known; }
};

class JourneyReader {
 public:
  explicit JourneyReader(Stage& stage) : stage_(stage), shape_(stage.shape()) {}

  Journey read(const std::vector<Event>& events) {
    const NodePlan plan = NodePlan::make(shape_, kProfile, stage_.memory({0}).size()).value();
    const std::uint32_t doorbell =
        registers::client_page::queue_index(0, plan.offload_queue({0}, 0).value);
    for (const Event& event : events) {
      const bool rings = event.kind == Event::Kind::kRegister && event.access.write &&
                         event.access.address == doorbell;
      if (!rings || (journey_.doorbell && event.cycle < *journey_.doorbell)) continue;
      journey_.doorbell = event.cycle;
      journey_.last = event.node;
    }
    for (const Event& event : events) {
      if (!journey_.doorbell || event.cycle < *journey_.doorbell) continue;
      if (event.kind == Event::Kind::kInterrupt) take_interrupt(event);
      if (event.kind == Event::Kind::kFlitOut && event.flit.head) take_packet(event);
    }
    return journey_;
  }

 private:
  void take_interrupt(const Event& event) {
    if (event.lines == 0) return;
    journey_.end = std::max(journey_.end, event.cycle);
    if (journey_.arrived && event.node == journey_.partner) journey_.known = event.cycle;
  }

  void take_packet(const Event& event) {
    const PacketHeader header = header_of(event.flit);
    const NodeId from = shape_.node(source_of(header));
    const NodeId to = shape_.node(target_of(header));
    if (!journey_.sent && from == journey_.last && event.node == from) {
      journey_.sent = event.cycle;
      journey_.out = event.direction;
      journey_.partner = to;
    }
    if (!journey_.sent) return;
    if (!journey_.arrived && from == journey_.last && to == journey_.partner &&
        neighbour(shape_, event.node, event.direction) == to) {
      journey_.arrived = event.cycle + stage_.link_latency();
      journey_.in = event.direction ^ 1U;
    } else if (journey_.arrived && !journey_.sent_on && from == journey_.partner &&
               event.node == from && event.cycle > *journey_.arrived) {
      journey_.sent_on = event.cycle;
      journey_.on = event.direction;
    }
  }

  Stage& stage_;
  Shape shape_;
  Journey journey_;
};

std::string place(const Shape& shape, NodeId node) {
  const Coordinates at = shape.coordinates(node);
  return fmt::format("({},{},{})", at.x, at.y, at.z);
}

void tell(Stage& stage, const Journey& journey) {
  const std::string last = place(stage.shape(), journey.last);
  const std::string partner = place(stage.shape(), journey.partner);
  stage.say(fmt::format("The last of {} members to begin is {}, and {} waits for its first packet:",
                        stage.shape().nodes(), last, partner));
  const auto line = [&](Cycles at, const std::string& text) {
    stage.say(fmt::format("  cycle {:>8}  +{:<5} {}", at, at - *journey.doorbell, text));
  };
  line(*journey.doorbell, last + " accepts the doorbell: its whole list is in its ring");
  line(*journey.sent, fmt::format("first flit out on {}", kDirectionNames[journey.out]));
  line(*journey.arrived, fmt::format("it is at {}, in on {}; in memory it bumps a counter there",
                                     partner, kDirectionNames[journey.in]));
  if (journey.sent_on) {
    line(*journey.sent_on, fmt::format("released by the count, {} sends on, out on {}; no core of "
                                       "it took part",
                                       partner, kDirectionNames[journey.on]));
  }
  line(*journey.known, fmt::format("the interrupt line of {} rises: its list is done", partner));
  line(journey.end, "the last of all interrupt lines rises");
}

// The waves open where the last member begins.
void show(Stage& stage, const Journey& journey, const char* packet, bool calculates) {
  const auto link = [](unsigned direction, bool out) {
    return fmt::format("link {} {}", kDirectionNames[direction], out ? "out" : "in");
  };
  Act act;
  constexpr Cycles kBefore = 20, kBehind = 30;
  act.from = *journey.doorbell - std::min(*journey.doorbell, kBefore);
  act.to = *journey.known + kBehind;
  std::vector<std::string> of_partner{link(journey.in, false), "requests received",
                                      "event counters", "queues that wait"};
  if (calculates) of_partner.emplace_back("calculations");
  of_partner.emplace_back("descriptors let go");
  if (journey.sent_on) of_partner.push_back(link(journey.on, true));
  of_partner.emplace_back("interrupt");
  act.actors = {
      {journey.last,
       place(stage.shape(), journey.last) + " the last to begin",
       {"register writes", "descriptors let go", link(journey.out, true)}},
      {journey.partner, place(stage.shape(), journey.partner) + " waits for it", of_partner}};
  act.marks = {{*journey.doorbell, "last doorbell"},
               {*journey.sent, fmt::format("{} out", packet)},
               {*journey.arrived, fmt::format("{} in", packet)}};
  if (journey.sent_on) act.marks.push_back({*journey.sent_on, "sends on"});
  act.marks.push_back({*journey.known, "its interrupt"});
  stage.show(act);
}

// `packet`: what the members send each other.
void tell_and_show(Stage& stage, const char* packet, bool calculates) {
  if (!stage.has_pins()) return;
  const Journey journey = JourneyReader(stage).read(stage.take_events());
  if (!journey.whole()) return;
  tell(stage, journey);
  show(stage, journey, packet, calculates);
}

}  // namespace

void play_barrier(Stage& stage) {
  const CollectiveTimes times = play_collective(stage, RunBy::kMu, 0, kSkew);
  if (!times.ended) return;
  tell_and_show(stage, "signal", false);
  check_times(stage, "barrier", times);
  stage.figure("barrier.offload_cycles", static_cast<double>(times.cycles()));
}

void play_allreduce(Stage& stage) {
  constexpr std::uint64_t kDoubles = 16;
  const CollectiveTimes times = play_collective(stage, RunBy::kMu, kDoubles, kSkew);
  if (!times.ended) return;
  tell_and_show(stage, "operand", true);
  check_times(stage, "allreduce", times);
}

}  // namespace torusmu
