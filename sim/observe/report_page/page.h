// SPDX-License-Identifier: Apache-2.0
// A run as one HTML page that needs nothing else: no network, pictures, style and script inside.
#ifndef TORUSMU_SIM_OBSERVE_REPORT_PAGE_PAGE_H_
#define TORUSMU_SIM_OBSERVE_REPORT_PAGE_PAGE_H_

#include <string>
#include <vector>

#include "sim/observe/report_page/run_record.h"

namespace torusmu::report_page {

// One line of a list of results.
struct TestResult {
  std::string name;
  bool passed = false;
  std::string detail;
  std::string link = {};  // address of a page of its own; empty: none
};

struct Figure {
  std::string name, value, unit, meaning;
};

struct Fact {
  std::string name, value;
};

struct Page {
  std::string title;
  std::string command;
  bool passed = false;
  std::vector<Fact> facts;    // what ran
  std::vector<Fact> options;  // all of them, with the values that they had
  std::vector<TestResult> checks;
  std::vector<Figure> figures;
  std::string waits;         // who waits for whom; empty if nothing does
  std::string told;          // what the run has printed for the reader
  std::string wave_command;  // to which --wave can be added; empty: there are no waves of it
  std::vector<RunRecord> machines;
  std::size_t machines_left_out = 0;
};

// A table of results, those that failed first; for any page. `id` names it in the page.
std::string result_table(const std::string& id, const std::vector<TestResult>& results);

// A whole page around `body`; `passed` colours its head.
std::string html_page(const std::string& title, bool passed, const std::string& verdict,
                      const std::string& body);

// The page of a run.
std::string html(const Page& page);

// The pictures of the machines in a page that html() has made, for another page: `prefix` goes
// before the names of all elements. Empty: there are none.
std::string machines_in(const std::string& page, const std::string& prefix);

}  // namespace torusmu::report_page

#endif  // TORUSMU_SIM_OBSERVE_REPORT_PAGE_PAGE_H_
