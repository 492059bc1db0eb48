// SPDX-License-Identifier: Apache-2.0
// Points of coverage, merged over all processes that ran tests, with the tests that reach each.
#ifndef TORUSMU_TESTS_COVERAGE_COVERAGE_DATA_H_
#define TORUSMU_TESTS_COVERAGE_COVERAGE_DATA_H_

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace torusmu::coverage {

enum class Kind { kLine, kBranch, kToggle, kFunctional };
constexpr std::array<const char*, 4> kKindNames{"line", "branch", "toggle", "functional"};

// What is wrong with a file that was given; the text begins with its name and the line.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Which tests, by their numbers.
class TestSet {
 public:
  void add(std::uint32_t test);
  [[nodiscard]] bool has(std::uint32_t test) const;
  [[nodiscard]] std::uint32_t count() const;
  // "0-3 7"
  [[nodiscard]] std::string ranges() const;

 private:
  std::vector<std::uint64_t> words_;
};

struct Point {
  std::uint64_t count = 0;
  TestSet tests;
  bool in_the_node = false;  // a process with the whole node has reached it
  std::string excluded;      // why it need not be reached; empty: it must
};

// Identity of a point: the same place of the source is the same point in whatever model, with
// whatever parameters, it was counted.
struct Place {
  Kind kind;
  std::string file;
  std::uint32_t line;    // 0 for toggle and functional
  std::uint32_t column;  // of a branch
  std::string name;      // of a branch if, else, elsif, case; of a toggle signal and bit
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Coverage {
  std::map<Place, Point> points;
  std::vector<std::string> tests;
  std::map<std::string, std::uint32_t> numbers_of_tests;
  std::uint32_t number_of(const std::string& test);
};

// Adds what a process wrote: NAME.dat, which is Verilator's format, and NAME.tests, which says for
// each test which of its points were reached. Throws InputError.
void add_process(Coverage& coverage, const std::string& data_file, const std::string& tests_file);

// One point of Verilator's file.
struct Record {
  std::map<std::string, std::string> fields;
  std::uint64_t count;
};
Record parse_record(std::string_view line, const std::string& where);
// "3-5,9"; also of NAME.tests. Throws InputError with `where`.
std::vector<std::pair<std::uint32_t, std::uint32_t>> parse_ranges(std::string_view text,
                                                                  const std::string& where);

// The lines of source files, for pages and exclusions.
class Sources {
 public:
  // Without blanks around it; empty if there is none.
  std::string line(const std::string& file, std::uint32_t number);
  const std::vector<std::string>& lines(const std::string& file);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace torusmu::coverage

#endif  // TORUSMU_TESTS_COVERAGE_COVERAGE_DATA_H_
