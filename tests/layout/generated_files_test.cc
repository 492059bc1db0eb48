// SPDX-License-Identifier: Apache-2.0
// What is committed is what layout_gen prints, and layout_gen refuses unsound layouts.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "rtl/package/layout_tables.h"

namespace torusmu::layout_gen {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Prints `what` into a folder of this process and compares each file in it with the committed one.
void expect_committed(const std::string& what, const fs::path& committed, unsigned files) {
  const fs::path fresh =
      fs::temp_directory_path() / ("torusmu-layout-" + what + "-" + std::to_string(getpid()));
  fs::remove_all(fresh);
  fs::create_directories(fresh);
  const std::string command = TORUSMU_BUILD "/layout_gen " + what + " " + fresh.string();
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  unsigned seen = 0;
  for (const auto& entry : fs::directory_iterator(fresh)) {
    ++seen;
    const fs::path name = entry.path().filename();
    EXPECT_EQ(read(entry.path()), read(committed / name))
        << (committed / name) << " is not what the .def files say: run `make layouts`";
  }
  EXPECT_EQ(seen, files);
  fs::remove_all(fresh);
}

TEST(GeneratedFiles, PackageAndDecodersAreUpToDate) {
  const auto is_printed = [](const fs::directory_entry& entry) {
    return entry.path().extension() == ".sv";
  };
  const fs::directory_iterator folder("rtl/package"), end;
  const auto printed = static_cast<unsigned>(std::count_if(folder, end, is_printed));
  EXPECT_GT(printed, 5U);
  expect_committed("pkg", "rtl/package", printed);
}
TEST(GeneratedFiles, CppNamesAreUpToDate) { expect_committed("names", "host/include/torusmu", 1); }
TEST(GeneratedFiles, ProbeIsUpToDate) { expect_committed("probe", "tb", 1); }
TEST(GeneratedFiles, BsdlIsUpToDate) { expect_committed("bsdl", "rtl/debug", 3); }
TEST(GeneratedFiles, ReferencePagesAreUpToDate) { expect_committed("docs", "docs/reference", 6); }

TEST(LayoutGen, RefusesBadUsage) {
  const int status = std::system(TORUSMU_BUILD "/layout_gen nonsense . 2>/dev/null");
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

TEST(LayoutGen, ReportsAFolderItCannotWrite) {
  const int status = std::system(TORUSMU_BUILD "/layout_gen pkg /nonexistent 2>/dev/null");
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST(LayoutTables, AreSoundAsCommitted) { EXPECT_NO_THROW(check_tables(load_tables())); }

TEST(LayoutTables, RefuseAGapBetweenFields) {
  Tables tables = load_tables();
  tables.packet[0].fields[3].lsb += 1;
  EXPECT_THROW(check_tables(tables), std::runtime_error);
}

TEST(LayoutTables, RefuseOverlappingFields) {
  Tables tables = load_tables();
  tables.packet[0].fields[3].width += 1;
  EXPECT_THROW(check_tables(tables), std::runtime_error);
}

TEST(LayoutTables, RefuseBitsThatNobodyAccountsFor) {
  Tables tables = load_tables();
  tables.descriptor[0].width += 1;
  EXPECT_THROW(check_tables(tables), std::runtime_error);
}

TEST(LayoutTables, RefuseAFieldWithoutBits) {
  Tables tables = load_tables();
  tables.packet[1].fields.push_back({"nothing", 128, 0, Field::Type::kPlain, "", ""});
  EXPECT_THROW(check_tables(tables), std::runtime_error);
}

TEST(LayoutTables, RefuseAFieldListedTwice) {
  Tables tables = load_tables();
  tables.packet[0].fields[1].name = tables.packet[0].fields[0].name;
  EXPECT_THROW(check_tables(tables), std::runtime_error);
}

TEST(LayoutTables, RefuseAnUnknownFieldType) {
  Tables tables = load_tables();
  for (Field& field : tables.packet[0].fields) {
    if (field.type == Field::Type::kEnum) field.type_name = "nonsense";
  }
  EXPECT_THROW(check_tables(tables), std::runtime_error);
}

// The first field of a register that has to be less than a size.
Field& first_field(Tables& tables, bool (*is_wanted)(const Field&)) {
  for (Block& block : tables.blocks) {
    for (Register& reg : block.registers) {
      for (Field& field : reg.fields)
        if (is_wanted(field)) return field;
    }
  }
  throw std::runtime_error("no field is like that");
}
bool is_number(const Field& field) { return !field.below.empty(); }
bool has_bits_of(const Field& field) { return !field.bits_of.empty(); }
bool has_range(const Field& field) { return field.most != kAny; }

TEST(LayoutTables, RefuseANumberBelowNoSize) {
  Tables tables = load_tables();
  first_field(tables, is_number).below = "NONSENSE";
  EXPECT_THROW(check_tables(tables), std::runtime_error);
}

TEST(LayoutTables, RefuseANumberThatDoesNotFit) {
  Tables tables = load_tables();
  first_field(tables, is_number).width = 1;
  EXPECT_THROW(check_tables(tables), std::runtime_error);
}

TEST(LayoutTables, RefuseBitsOfNoSizeAndTooFewOfThem) {
  Tables tables = load_tables();
  first_field(tables, has_bits_of).width = 3;
  EXPECT_THROW(check_tables(tables), std::runtime_error);
  tables = load_tables();
  first_field(tables, has_bits_of).bits_of = "NONSENSE";
  EXPECT_THROW(check_tables(tables), std::runtime_error);
}

TEST(LayoutTables, RefuseLimitsThatNoValueKeepsOrNoneBreaks) {
  Tables tables = load_tables();
  Field& range = first_field(tables, has_range);
  const std::uint64_t most = range.most;
  range.most = (std::uint64_t{1} << range.width) - 1;
  EXPECT_THROW(check_tables(tables), std::runtime_error);
  range.most = most;
  EXPECT_NO_THROW(check_tables(tables));
  range.least = most + 1;
  EXPECT_THROW(check_tables(tables), std::runtime_error);
}

TEST(LayoutTables, RefuseARegisterThatNoUnitAnswersFor) {
  Tables tables = load_tables();
  tables.blocks[0].registers[0].unit = "nobody";
  EXPECT_THROW(check_tables(tables), std::runtime_error);
}

TEST(LayoutTables, RefuseAnEnumValueUsedTwice) {
  Tables tables = load_tables();
  tables.enums[0].values[1].value = tables.enums[0].values[0].value;
  EXPECT_THROW(check_tables(tables), std::runtime_error);
}

TEST(LayoutTables, RefuseAnEnumValueThatDoesNotFit) {
  Tables tables = load_tables();
  tables.enums[1].values[0].value = 1U << tables.enums[1].width;
  EXPECT_THROW(check_tables(tables), std::runtime_error);
}

}  // namespace
}  // namespace torusmu::layout_gen
