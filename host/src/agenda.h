// SPDX-License-Identifier: Apache-2.0
// What the parts of a context tell advance(): when it has to look at timers, and whether anything
// has been done.
#ifndef TORUSMU_HOST_SRC_AGENDA_H_
#define TORUSMU_HOST_SRC_AGENDA_H_

#include <algorithm>

#include "host/src/site.h"

namespace torusmu {

class Agenda {
 public:
  // All timers are looked at in that cycle, or the next advance() after it.
  void arm(Cycles at) { next_timer_ = std::min(next_timer_, at); }
  void disarm() { next_timer_ = kNever; }
  [[nodiscard]] Cycles next_timer() const { return next_timer_; }

  // Between two begin(): something has been done.
  void begin() { progressed_ = false; }
  void note_progress() { progressed_ = true; }
  [[nodiscard]] bool has_progressed() const { return progressed_; }

  // While one lives a function of the program runs, which must not advance.
  class Call {
   public:
    explicit Call(Agenda& agenda) : agenda_(agenda) { agenda_.is_calling_ = true; }
    ~Call() { agenda_.is_calling_ = false; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Agenda& agenda_;
  };
  [[nodiscard]] bool is_calling() const { return is_calling_; }

 private:
  Cycles next_timer_ = kNever;
  bool progressed_ = false;
  bool is_calling_ = false;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_AGENDA_H_
