// SPDX-License-Identifier: Apache-2.0
// The reader and writer of FST that comes with Verilator. In torusmu-wave Verilator's own writer
// brings it along.
#ifndef TORUSMU_WAVE
#define HAVE_LIBPTHREAD
#define FST_CONFIG_INCLUDE "fst_config.h"
#include <gtkwave/fastlz.c>
#include <gtkwave/fstapi.c>
#include <gtkwave/lz4.c>
#endif
