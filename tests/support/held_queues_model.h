// SPDX-License-Identifier: Apache-2.0
// What mu_held_queues of so many queues has to show in a cycle, and what it knows after it.

#ifndef TESTS_SUPPORT_HELD_QUEUES_MODEL_H_
#define TESTS_SUPPORT_HELD_QUEUES_MODEL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/port_bits.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {

class HeldQueuesModel {
 public:
  using Fetched = Record<layout::fetched_descriptor::Layout>;
  using Place = Record<layout::queue_place::Layout>;

  struct End {
    unsigned queue;
    Status status;
  };
  struct Cycle {
    std::optional<Fetched> in, take;
    bool out_ready = false, resume_ready = false, flush = false;
    unsigned flush_queue = 0;
    PortBits may_ahead, fence_ahead, under_way, finish;
    std::optional<End> finish_one;
    std::optional<unsigned> again;
  };
  struct Outputs {
    bool busy = false, in_ready = false;
    bool out_judged = false;  // what leaves is judged, and may hold its queue then
    PortBits held;
    std::optional<Fetched> out;
    std::optional<Place> resume;
    std::optional<unsigned> release;
  };
  struct Queue {
    bool held = false, finished = false, silent = false, again = false;
    bool taken = false;  // ever: what it held last is known
    Status status = Status::kOk;
    Fetched data;  // held
    bool kept = false, ahead = false, dropped = false;
    Fetched next;  // kept
    Place resume;

    bool waits() const { return held && !finished; }
  };

  explicit HeldQueuesModel(unsigned queues) : queues_(queues), last_(queues - 1) {}
  const Queue& queue(unsigned at) const { return queues_[at]; }
  unsigned count() const { return static_cast<unsigned>(queues_.size()); }

  static Opcode opcode_of(const Fetched& fetched) {
    return fetched.get<layout::fetched_descriptor::descriptor>().get<layout::descriptor::opcode>();
  }
  static bool may_hold(Opcode opcode) {
    return opcode == Opcode::kWait || opcode == Opcode::kSend || opcode == Opcode::kReceive ||
           opcode == Opcode::kFence || opcode == Opcode::kCalc || opcode == Opcode::kPipe;
  }

  Outputs outputs(const Cycle& in) const {
    const bool offers = is_offered(), passes = does_pass(in);
    const bool leaves = offers && in.out_ready;
    Outputs out;
    out.in_ready = keeps(in) || drops(in) || (passes && in.out_ready);
    out.busy = choice_ || flushing_;
    for (unsigned i = 0; i < count(); ++i) {
      const Queue& q = queues_[i];
      if (q.waits()) out.held.set(i);
      out.busy = out.busy || q.finished || q.again || (q.kept && !q.held) || q.dropped ||
                 may_go_ahead(i, in);
    }
    if (resume_) out.resume = queues_[*resume_].resume;
    if (offers) {
      out.out = let_go(in);
      out.out_judged = sends_next() && !flushes_choice(in);
    } else if (passes) {
      out.out = flushes_behind(in) ? flushed(*in.in) : *in.in;
      out.out_judged = !flushes_behind(in);
    }
    const bool for_good = leaves && choice_->what != What::kAgain && choice_->what != What::kAhead;
    if (for_good) {
      const unsigned at = choice_->queue;
      if (sends_next() || !queues_[at].kept || in.under_way[at]) out.release = at;
    }
    return out;
  }

  // The coming edge.
  void clock(const Cycle& in) {
    const bool offers = is_offered(), passes = does_pass(in), keep = keeps(in), drop = drops(in);
    const bool flush_leaves = offers && in.out_ready && flushes_choice(in);
    const auto chosen = choice_ ? std::nullopt : choose(in);
    passer_waits_ = (choice_ || chosen) && in.in && !owned(*in.in) && !keep && !drop &&
                    !(passes && in.out_ready);
    if (in.again) queues_[*in.again].again = true;
    finish(in);
    if (offers && in.out_ready) leave();
    if (keep) {
      Queue& q = queues_[queue_of(*in.in)];
      q.kept = true;
      q.next = *in.in;
    }
    // A second dropped one lies behind the first, even if that is taken back in this cycle.
    if (drop && !queues_[queue_of(*in.in)].dropped)
      queues_[queue_of(*in.in)].resume = place_of(*in.in);
    resume(in.resume_ready);
    if (drop) queues_[queue_of(*in.in)].dropped = true;
    if (in.take) take(*in.take);
    if (in.out_ready && (offers || passes)) last_was_offer_ = offers;
    flushing_ = in.flush && (flushing_ || flush_leaves);
    if (chosen) {
      choice_ = chosen;
      last_ = chosen->queue;
    }
  }
  // What views show of a queue stays what it held last, unless one was to be taken just then.
  void reset(const Cycle& in) {
    if (in.take) queues_[queue_of(*in.take)].taken = false;
    for (Queue& q : queues_) {
      const Queue was = q;
      q = {};
      q.taken = was.taken;
      q.data = was.data;
    }
    choice_.reset();
    resume_.reset();
    last_ = count() - 1;
    last_was_offer_ = passer_waits_ = flushing_ = false;
  }

 private:
  // kBoth: the kept one, which retires the silent one before it as well.
  enum class What { kEnd, kNext, kBoth, kAgain, kAhead };
  struct Choice {
    unsigned queue;
    What what;
  };

  unsigned queue_of(const Fetched& fetched) const {
    return static_cast<unsigned>(fetched.get<layout::fetched_descriptor::queue>()) % count();
  }
  static Place place_of(const Fetched& fetched) {
    namespace f = layout::fetched_descriptor;
    return Place{}
        .set<layout::queue_place::queue>(fetched.get<f::queue>())
        .set<layout::queue_place::index>(fetched.get<f::index>())
        .set<layout::queue_place::lap>(fetched.get<f::lap>());
  }
  // The lowest first. In the cycle of a drop what is dropped then is none yet.
  void resume(bool taken) {
    if (resume_) {
      if (!taken) return;
      queues_[*resume_].dropped = false;
      resume_.reset();
      return;
    }
    for (unsigned i = 0; i < count() && !resume_; ++i)
      if (queues_[i].dropped) resume_ = i;
  }
  bool owned(const Fetched& fetched) const {
    const Queue& q = queues_[queue_of(fetched)];
    return q.held || q.kept;
  }
  // Goes first, so that nothing of its queue overtakes it.
  bool leaving(const Fetched& fetched) const {
    return choice_ && choice_->queue == queue_of(fetched);
  }
  bool keeps(const Cycle& in) const {
    return in.in && owned(*in.in) && !leaving(*in.in) && !queues_[queue_of(*in.in)].kept;
  }
  bool drops(const Cycle& in) const {
    return in.in && !leaving(*in.in) && queues_[queue_of(*in.in)].kept;
  }
  bool is_offered() const {
    return choice_ && !queues_[choice_->queue].dropped && !(last_was_offer_ && passer_waits_);
  }
  bool does_pass(const Cycle& in) const { return in.in && !owned(*in.in) && !is_offered(); }

  bool may_go_ahead(unsigned at, const Cycle& in) const {
    const Queue& q = queues_[at];
    if (!q.kept || !q.waits() || q.ahead) return false;
    const Opcode held = opcode_of(q.data), kept = opcode_of(q.next);
    if (kept == Opcode::kFence) return held == Opcode::kSend && in.fence_ahead[at];
    return (kept == Opcode::kSend || kept == Opcode::kReceive) && held == kept && in.may_ahead[at];
  }
  std::optional<Choice> choose(const Cycle& in) const {
    for (unsigned i = 1; i <= count(); ++i) {
      const unsigned at = (last_ + i) % count();
      const Queue& q = queues_[at];
      if (q.dropped) continue;
      const bool ends_now = in.finish_one && in.finish_one->queue == at;
      if (q.finished) {
        const bool both = q.silent && q.kept && !may_hold(opcode_of(q.next));
        return Choice{at, both ? What::kBoth : What::kEnd};
      }
      if (q.again) return Choice{at, ends_now ? What::kEnd : What::kAgain};
      if (may_go_ahead(at, in)) return Choice{at, What::kAhead};
      if (q.kept && !q.held) return Choice{at, What::kNext};
    }
    return std::nullopt;
  }
  bool sends_next() const { return choice_->what == What::kNext || choice_->what == What::kBoth; }
  bool flushes_choice(const Cycle& in) const {
    return in.flush && in.flush_queue == choice_->queue;
  }
  bool flushes_behind(const Cycle& in) const {
    return flushing_ && in.flush && in.flush_queue == queue_of(*in.in);
  }
  // It has not begun: no entry tells of it.
  static Fetched flushed(Fetched fetched) {
    namespace f = layout::fetched_descriptor;
    auto descriptor = fetched.get<f::descriptor>();
    descriptor.set<layout::descriptor::signal>(0);
    return fetched.set<f::descriptor>(descriptor)
        .set<f::run>(1)
        .set<f::run_status>(Status::kFlushed);
  }
  Fetched let_go(const Cycle& in) const {
    namespace f = layout::fetched_descriptor;
    const Queue& q = queues_[choice_->queue];
    const What what = choice_->what;
    const bool ahead = what == What::kAhead || (sends_next() && in.under_way[choice_->queue]);
    Fetched out = sends_next() || what == What::kAhead ? q.next : q.data;
    out.set<f::ahead>(ahead).set<f::again>(what == What::kAhead || what == What::kAgain);
    if (sends_next()) return flushes_choice(in) ? flushed(out) : out;
    return out.set<f::run>(what == What::kEnd)
        .set<f::run_status>(what == What::kEnd ? q.status : Status::kOk);
  }
  void finish(const Cycle& in) {
    for (unsigned i = 0; i < count(); ++i)
      if (in.finish[i]) queues_[i].finished = true;
    if (!in.finish_one) return;
    Queue& q = queues_[in.finish_one->queue];
    q.finished = true;
    q.again = false;
    q.status = in.finish_one->status;
    if (q.status != Status::kOk) q.silent = false;
  }
  void leave() {
    Queue& q = queues_[choice_->queue];
    switch (choice_->what) {
      case What::kAgain:
        q.again = q.ahead = false;
        break;
      case What::kAhead:
        q.ahead = true;
        break;
      case What::kEnd:
        q.held = q.finished = false;
        break;
      case What::kBoth:
        q.held = q.finished = false;
        [[fallthrough]];
      case What::kNext:
        q.kept = q.ahead = false;
        break;
    }
    choice_.reset();
  }
  void take(const Fetched& fetched) {
    namespace d = layout::descriptor;
    Queue& q = queues_[queue_of(fetched)];
    const auto descriptor = fetched.get<layout::fetched_descriptor::descriptor>();
    q.held = q.taken = true;
    q.status = Status::kOk;
    q.data = fetched;
    q.silent = opcode_of(fetched) == Opcode::kWait && !descriptor.get<d::done_event_valid>() &&
               !descriptor.get<d::interrupt_done>() && !descriptor.get<d::signal>();
  }

  std::vector<Queue> queues_;
  std::optional<Choice> choice_;    // offered from the next cycle on
  std::optional<unsigned> resume_;  // queue
  unsigned last_;                   // of the choices; those behind it go first
  bool last_was_offer_ = false, flushing_ = false;
  bool passer_waits_ = false;  // did in the last cycle
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_HELD_QUEUES_MODEL_H_
