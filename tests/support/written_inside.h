// SPDX-License-Identifier: Apache-2.0
// For tests that write into the registers and memories of a model, so that they begin as after
// years. Verilator follows the inputs of a model alone: what depends on such a register is as
// before until settle_inside() brings it up to date.

#ifndef TESTS_SUPPORT_WRITTEN_INSIDE_H_
#define TESTS_SUPPORT_WRITTEN_INSIDE_H_

// Once for each model, outside all namespaces, behind the header of its root; then
// settle_inside(rootp) behind what is written.
#define TORUSMU_WRITTEN_INSIDE(model)                            \
  void model##___024root___eval_settle(model##___024root* root); \
  inline void settle_inside(model##___024root* root) { model##___024root___eval_settle(root); }

#endif  // TESTS_SUPPORT_WRITTEN_INSIDE_H_
