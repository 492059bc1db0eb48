// SPDX-License-Identifier: Apache-2.0
// The rows over which a test of a plan is repeated, "module in {modules}", and the words of its
// command, in which {module} stands for a value of its row.
#ifndef TORUSMU_TB_LAB_ROWS_H_
#define TORUSMU_TB_LAB_ROWS_H_

#include <map>
#include <string>
#include <vector>

#include "tb/lab/surroundings.h"

namespace torusmu::lab {

using Values = std::map<std::string, std::vector<std::string>>;

// What `loop` goes over, for each pass the values of its names. It reads
//
//   NAMES in WORDS [with WORD|without WORD] [part N]
//
// WORDS are words, {variables}, `files GLOB...`, or `lines GLOB...`: the words of each line of
// these files that is no comment. A line has a value for each name, and the last name, if it ends
// with "...", the rest of the line. `with` takes the lines that have a word, `part N` each N-th
// one, another each night. Throws UsageError that says what is wrong in it.
std::vector<Values> rows_of(const std::string& loop, const Surroundings& surroundings);

// The words that `word` stands for: {name} is a value of the row, else a variable of the
// surroundings; {short:name} is without mu_, {stem:name} a file's name alone, {root:name}
// its path without the ending, {closure:name} the
// variable CLOSURE_<value>. Alone it stands for as many words as it has, within a word for all of
// them with spaces between. Throws UsageError for a name that there is not.
std::vector<std::string> expanded(const std::string& word, const Values& row,
                                  const Surroundings& surroundings);

// Files that match, sorted; what is no pattern stands for itself.
std::vector<std::string> files_matching(const std::string& pattern);

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_ROWS_H_
