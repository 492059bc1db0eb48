// SPDX-License-Identifier: Apache-2.0
// Which cycles, nodes and signals show why a run failed.
#ifndef TORUSMU_SIM_OBSERVE_FAILURE_VIEW_H_
#define TORUSMU_SIM_OBSERVE_FAILURE_VIEW_H_

#include <optional>
#include <string>

#include "sim/machine/assertion.h"
#include "sim/machine/machine.h"
#include "sim/observe/wave_view.h"

namespace torusmu {

// The first check that failed.
struct CheckFailure {
  Cycles cycle = 0;
  std::string check;
  std::optional<FailedAssertion> assertion;  // of the RTL, if that is what failed
};

struct CycleWindow {
  Cycles from = 0, to = 0;
  bool has_failure = true;  // else what it goes back to lies too far before it
};

// Of a watched machine that failed: about `cycles` before the failure, or before packets and
// memories last moved if that is longer ago; from before the injected fault, or the first transfer
// that did not arrive. If these lie too far apart for one window, it shows the cause.
CycleWindow failure_window(const Machine& machine, const CheckFailure& failure, Cycles cycles);

// Unfolds the nodes of a view that has few of them, and no act.
void unfold_few(WaveView& view);

// Opens a view at the failure and adds what it is about: the nodes of the assertion, the fault and
// the transfers that did not arrive, unfolded, and marks. Signals of the instance that asserts come
// from the trace `fst_file`. Only nodes and cycles of the view count.
void show_failure(WaveView& view, const Machine& machine, const CheckFailure& failure,
                  const std::string& fst_file);

// The signals of the instance that asserts, without those of the instances in it, by what the trace
// has. Nothing if it has none of them.
std::optional<WaveView::Block> instance_block(const FailedAssertion& assertion,
                                              const std::string& fst_file);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_FAILURE_VIEW_H_
