// SPDX-License-Identifier: Apache-2.0
// The interrupt line of the client, as one of its contexts sees it; client_share.h says when its
// causes may be cleared.
#ifndef TORUSMU_HOST_SRC_INTERRUPT_LINE_H_
#define TORUSMU_HOST_SRC_INTERRUPT_LINE_H_

#include "host/src/client_share.h"
#include "host/src/liveness.h"
#include "host/src/polled_sources.h"
#include "host/src/site.h"

namespace torusmu {

class InterruptLine {
 public:
  InterruptLine(const Site& site, Liveness& liveness, PolledSources& polled, ClientShare& share)
      : site_(site), liveness_(liveness), polled_(polled), share_(share) {}

  [[nodiscard]] bool is_high() {
    return site_.device.wait_interrupt(site_.client, site_.device.now());
  }
  // Clears the causes, unless they have others to wake: the poll of the DMA engine.
  PollResult clear();
  // True if the line was high since the last call; its causes are cleared then.
  bool sample();
  // Makes sure that what comes from now on raises the line; false if that cannot be now. In the
  // turn to sleep.
  bool settle();

  // While one lives this context has the turn to sleep.
  class Turn {
   public:
    explicit Turn(InterruptLine& line) : line_(line) { line_.has_turn_ = true; }
    ~Turn() { line_.has_turn_ = false; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    InterruptLine& line_;
  };

 private:
  const Site& site_;
  Liveness& liveness_;
  PolledSources& polled_;
  ClientShare& share_;
  bool has_turn_ = false;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_INTERRUPT_LINE_H_
