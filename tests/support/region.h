// SPDX-License-Identifier: Apache-2.0
// A line of the region table, as tests write it.

#ifndef TESTS_SUPPORT_REGION_H_
#define TESTS_SUPPORT_REGION_H_

#include <algorithm>
#include <cstdint>

#include "torusmu/layout.h"

namespace torusmu::testing {

using RegionEntry = Record<layout::region_entry::Layout>;

inline RegionEntry region_entry(std::uint64_t base, std::uint64_t length, unsigned owner,
                                bool remote_write = false, bool remote_read = false,
                                bool enable = true) {
  return RegionEntry()
      .set<layout::region_entry::base>(base)
      .set<layout::region_entry::length>(length)
      .set<layout::region_entry::owner>(owner)
      .set<layout::region_entry::remote_write>(remote_write)
      .set<layout::region_entry::remote_read>(remote_read)
      .set<layout::region_entry::enable>(enable);
}

// As a lookup shows it: of a region that leads behind memory the part that lies in it.
inline RegionEntry in_memory(RegionEntry entry) {
  namespace e = layout::region_entry;
  return entry.set<e::length>(
      std::min<std::uint64_t>(entry.get<e::length>(), (1ULL << 40) - entry.get<e::base>()));
}

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_REGION_H_
