// SPDX-License-Identifier: Apache-2.0
// Fixture of source_lint: the runner of checks uses what looks on, and nothing above it.

#include "sim/observe/json_text.h"
#include "sim/play/figures.h"  // expect: floor
