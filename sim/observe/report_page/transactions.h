// SPDX-License-Identifier: Apache-2.0
// A run as transactions for a viewer (FTR): each descriptor with its packets, what they wrote at
// the target, how it ended, the completion entry and the interrupt, linked to one another. All of
// it is put together from what the pins have shown.
#ifndef TORUSMU_SIM_OBSERVE_REPORT_PAGE_TRANSACTIONS_H_
#define TORUSMU_SIM_OBSERVE_REPORT_PAGE_TRANSACTIONS_H_

#include <string>

#include "sim/machine/machine.h"
#include "sim/observe/report_page/run_record.h"

namespace torusmu {

// The contents of the file, of a machine that was watched with its packets; `record` is of it.
std::string transactions_of(const Machine& machine, const report_page::RunRecord& record);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_REPORT_PAGE_TRANSACTIONS_H_
