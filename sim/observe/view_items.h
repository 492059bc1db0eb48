// SPDX-License-Identifier: Apache-2.0
// What a view of waves shows, in its order: one list for all viewers.
#ifndef TORUSMU_SIM_OBSERVE_VIEW_ITEMS_H_
#define TORUSMU_SIM_OBSERVE_VIEW_ITEMS_H_

#include <string>

#include "sim/observe/wave_view.h"

namespace torusmu {

// How a signal is shown.
struct ViewFormat {
  const char* gtkwave;  // the flags of a save file
  const char* surfer;  // a format, or the mapping of an enum; nullptr: as Surfer shows it by itself
};

// A file for one viewer, written from its first line to its last.
class ViewWriter {
 public:
  virtual ~ViewWriter() = default;
  // A group, folded up or not; groups may hold groups.
  virtual void open(const std::string& title, bool folded) = 0;
  virtual void close(const std::string& title, bool folded) = 0;
  // `name` as in the trace: "node_3.mu_gated_node.u_x.state_q[1:0]".
  virtual void signal(const ViewFormat& format, const std::string& label,
                      const std::string& name) = 0;
  virtual void comment(const std::string& text) = 0;
};

// Longer lines would widen the part with the names, at the cost of that with the waves.
inline constexpr std::size_t kMostCharacters = 54;

// All but window and marks. Throws UsageError for a group of signals that is not there.
void write_view_items(const WaveView& view, ViewWriter& writer);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_VIEW_ITEMS_H_
