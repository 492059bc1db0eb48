// SPDX-License-Identifier: Apache-2.0
// The report on queues that are held: judged one by one (wait_judge.h), ranked (wait_rank.h), and
// told of as chains and cycles.
#include "torusmu/waits.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "host/src/wait_judge.h"
#include "host/src/wait_queues.h"
#include "host/src/wait_rank.h"

namespace torusmu {
namespace {

using waits::Held;
using waits::HeldQueues;
using waits::Helper;
using waits::next_of;
using waits::QueuePlace;

HeldQueues held_of(const waits::Queues& queues) {
  HeldQueues held_queues;
  const waits::Judge judge(queues);
  for (const auto& [place, queue] : queues) {
    if (auto held = judge.judge(place, *queue)) held_queues[place] = std::move(*held);
  }
  waits::rank(held_queues);
  return held_queues;
}

class Report {
 public:
  Report(const waits::Queues& queues, const HeldQueues& held) : queues_(queues), held_(held) {}

  WaitReport make() {
    for (const auto& [place, held] : held_) {
      if (held.is_stuck()) add_cycle(place);
    }
    std::set<QueuePlace> waited_for;  // chains begin where nobody waits
    for (const auto& [place, held] : held_) {
      if (const Helper* next = next_of(held_, held)) waited_for.insert(next->place);
    }
    for (const auto& [place, held] : held_) {
      if (!told_.contains(place) && !waited_for.contains(place)) add_chain(place);
    }
    return std::move(report_);
  }

 private:
  [[nodiscard]] WaitStep step_of(QueuePlace place, const Helper* as) const {
    const Held& held = held_.at(place);
    WaitStep step{{place.first}, {place.second}, held.descriptor, {}};
    step.text = queues_.name_of(place) + ", descriptor " + std::to_string(held.descriptor) + ": " +
                held.text;
    if (as != nullptr && as->descriptor != held.descriptor) {
      step.text += "; behind it descriptor " + std::to_string(as->descriptor) +
                   (as->what.empty() ? "" : ", " + std::string(as->what));
    }
    return step;
  }
  void add_cycle(QueuePlace start) {
    std::vector<QueuePlace> way;
    QueuePlace at = start;
    while (!told_.contains(at) && std::find(way.begin(), way.end(), at) == way.end()) {
      way.push_back(at);
      at = next_of(held_, held_.at(at))->place;
    }
    const auto first = std::find(way.begin(), way.end(), at);
    if (first == way.end()) return;  // it leads into one that has been told
    WaitChain chain{.cycle = true, .steps = {}, .end = {}};
    // What the last one waits for stands in the first.
    const Helper* as = next_of(held_, held_.at(way.back()));
    for (auto step = first; step != way.end(); ++step) {
      chain.steps.push_back(step_of(*step, as));
      told_.insert(*step);
      as = next_of(held_, held_.at(*step));
    }
    chain.end = queues_.name_of(at) + ": none of these can go on before another does";
    report_.chains.push_back(std::move(chain));
  }
  void add_chain(QueuePlace start) {
    WaitChain chain;
    const Helper* as = nullptr;
    for (QueuePlace at = start;; at = as->place) {
      const auto found = held_.find(at);
      if (found == held_.end()) {
        chain.end = queues_.name_of(at) + ", which goes on";
        break;
      }
      if (!told_.insert(at).second) {
        chain.end = queues_.name_of(at) + ", told above";
        break;
      }
      chain.steps.push_back(step_of(at, as));
      as = next_of(held_, found->second);
      if (as == nullptr) {
        chain.end = "nobody here posted what it waits for: " + found->second.missing;
        break;
      }
    }
    report_.chains.push_back(std::move(chain));
  }

  const waits::Queues& queues_;
  const HeldQueues& held_;
  std::set<QueuePlace> told_;
  WaitReport report_;
};

}  // namespace

WaitReport who_waits(const Shape& shape, std::span<const NodeQueues> nodes) {
  const waits::Queues queues(shape, nodes);
  const HeldQueues held = held_of(queues);
  return Report(queues, held).make();
}

WaitReport who_waits(Context& context) {
  const NodePlan& plan = context.plan();
  const ClientId client = plan.place(context.task()).client;
  const NodeQueues own = look_at_queues(context.device(), plan.sizes(), client);
  return who_waits(plan.shape(), {&own, 1});
}

std::string WaitReport::text(std::size_t most_chains) const {
  std::string text;
  for (std::size_t i = 0; i < std::min(most_chains, chains.size()); ++i) {
    const WaitChain& chain = chains[i];
    text += chain.cycle ? "waits for itself, for ever:\n" : "waits:\n";
    const char* arrow = "  ";
    for (const WaitStep& step : chain.steps) {
      text += arrow + step.text + "\n";
      arrow = "  <- ";
    }
    text += "  <- " + chain.end + "\n";
  }
  if (chains.size() > most_chains) {
    text += "and " + std::to_string(chains.size() - most_chains) + " more chains\n";
  }
  return text;
}

}  // namespace torusmu
