// SPDX-License-Identifier: Apache-2.0
// A run of a plan as one HTML page: what failed, when each test ran, how long and why so long, and
// the machines of those that failed or took longest. Other tests have pages of their own.
#ifndef TORUSMU_TB_LAB_PAGE_H_
#define TORUSMU_TB_LAB_PAGE_H_

#include <map>
#include <string>
#include <vector>

#include "tb/lab/history.h"
#include "tb/lab/summary.h"

namespace torusmu::lab {

// What the history says of the tests of a run.
struct Past {
  std::map<std::string, double> usual_seconds;  // of tests that are known well enough
  Trends trends;
};

// The page that is to be the file `file`: links to other pages are relative to it.
std::string html_page(const Summary& summary, const Past& past, const std::string& file);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_PAGE_H_
