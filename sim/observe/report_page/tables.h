// SPDX-License-Identifier: Apache-2.0
// Messages and links of a run as tables for scripts: CSV, a line of names first. A cycle that is
// not known is an empty field.
#ifndef TORUSMU_SIM_OBSERVE_REPORT_PAGE_TABLES_H_
#define TORUSMU_SIM_OBSERVE_REPORT_PAGE_TABLES_H_

#include <string>

#include "sim/observe/report_page/run_record.h"

namespace torusmu::report_page {

// The line of names, and the rows of one machine; `machine` numbers it.
std::string message_columns();
std::string message_rows(const RunRecord& run, unsigned machine);

// Of each link first the whole of the program's time, part 0, then each part of it from 1.
std::string link_columns();
std::string link_rows(const RunRecord& run, unsigned machine);

}  // namespace torusmu::report_page

#endif  // TORUSMU_SIM_OBSERVE_REPORT_PAGE_TABLES_H_
