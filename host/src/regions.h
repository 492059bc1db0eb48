// SPDX-License-Identifier: Apache-2.0
// Node memory that a context may name to an MU.
#ifndef TORUSMU_HOST_SRC_REGIONS_H_
#define TORUSMU_HOST_SRC_REGIONS_H_

#include <utility>
#include <vector>

#include "torusmu/error.h"
#include "torusmu/plan.h"

namespace torusmu {

// A region, and where in it something lies.
struct InRegion {
  RegionId region{};
  Bytes offset = 0;
};

class Regions {
 public:
  Regions(const NodePlan& plan, ClientId client)
      : heap_(plan.heap_region(client)),
        known_{{plan.library_region(client), plan.library(client)},
               {plan.heap_region(client), plan.heap(client)}} {}

  void add(RegionId region, Range memory) { known_.emplace_back(region, memory); }

  // kNotRegistered if no region covers all of it.
  [[nodiscard]] Result<InRegion> locate(Address address, Bytes bytes) const {
    for (const auto& [region, memory] : known_) {
      if (memory.holds(address, bytes)) return InRegion{region, address - memory.address};
    }
    return Errc::kNotRegistered;
  }
  // The same, but nothing needs no region.
  [[nodiscard]] std::error_code check(Address address, Bytes bytes) const {
    if (bytes == 0) return {};
    const auto where = locate(address, bytes);
    return where ? std::error_code() : where.error();
  }

  // Whether puts of others into it are known to be taken: of the heap, which set-up opens to them.
  [[nodiscard]] bool takes_puts(RegionId region) const { return region == heap_; }

 private:
  RegionId heap_;
  std::vector<std::pair<RegionId, Range>> known_;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_REGIONS_H_
