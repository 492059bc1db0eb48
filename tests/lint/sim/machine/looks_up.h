// SPDX-License-Identifier: Apache-2.0
// Fixture of source_lint: a source of the lowest floor of sim/.

#include "rtl/package/packet.def"
#include "sim/identity/facts.h"
#include "sim/machine/core.h"
#include "sim/model/crc32c_step.h"      // expect: floor
#include "sim/observe/pin_watch.h"      // expect: floor
#include "sim/play/stage.h"             // expect: floor
#include "tb/reference_model/packet.h"  // expect: floor
#include "torusmu/types.h"
