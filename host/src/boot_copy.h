// SPDX-License-Identifier: Apache-2.0
// What a boot buffer has kept for a process, copied by the process itself (US 8,528,004, claim 1).
#ifndef TORUSMU_HOST_SRC_BOOT_COPY_H_
#define TORUSMU_HOST_SRC_BOOT_COPY_H_

#include <optional>

#include "host/src/outbox.h"
#include "host/src/packet_ring.h"
#include "host/src/site.h"

namespace torusmu {

// Copies what the unit's own memory keeps for the client into the memory of this context; what is
// read of the copy is freed in the boot buffer. Waits until it is there; nothing if nothing was
// kept, or if it does not come within 2^16 cycles, for then the device is gone.
std::optional<PacketRing> copy_boot_buffer(const Site& site, Outbox& outbox);

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_BOOT_COPY_H_
