// SPDX-License-Identifier: Apache-2.0
// The orders of reductions that collectives.h documents, written down once more without schedules.
// Operands are one for each member, all of one length.
#ifndef TORUSMU_HOST_SRC_REDUCTION_ORDER_H_
#define TORUSMU_HOST_SRC_REDUCTION_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "torusmu/reduction.h"

namespace torusmu {

using Operands = std::vector<std::vector<std::byte>>;

std::vector<std::byte> tree_order(const Operator& op, std::uint32_t root, Operands operands);
std::vector<std::byte> doubling_order(const Operator& op, const Operands& operands);
std::vector<std::byte> ring_order(const Operator& op, const Operands& operands);
// Of an allreduce: that of the ring in each of its parts.
std::vector<std::byte> ring_parts_order(const Operator& op, const Operands& operands);
std::vector<std::byte> rising_order(const Operator& op, const Operands& operands);

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_REDUCTION_ORDER_H_
