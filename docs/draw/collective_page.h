// SPDX-License-Identifier: Apache-2.0
// docs/collective_schedules.md: every algorithm of host/src/schedule.cc as a table, a column for
// each member, a row for each round of messages.
#ifndef TORUSMU_DOCS_DRAW_COLLECTIVE_PAGE_H_
#define TORUSMU_DOCS_DRAW_COLLECTIVE_PAGE_H_

#include <string>
#include <vector>

#include "host/src/schedule.h"

namespace torusmu::draw {

// The table of the schedules of all members, whose buffers are counted in elements. A send stands
// one row below what it needs, a receive in the row of its send. Throws std::runtime_error if a
// member waits for ever.
std::string schedule_table(const std::vector<Schedule>& members, Bytes element);

// The page: each algorithm that a rule of schedule.h names, of four members, member 0 the root.
std::string collective_page();

}  // namespace torusmu::draw

#endif  // TORUSMU_DOCS_DRAW_COLLECTIVE_PAGE_H_
