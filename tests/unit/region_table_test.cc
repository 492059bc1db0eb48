// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_region_table.h"
#include "tests/support/clocked.h"
#include "tests/support/region.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using namespace registers;  // NOLINT(google-build-using-namespace)

constexpr unsigned kRegions = 64;
constexpr std::uint64_t kMaxLength = 1ULL << 37;

class RegionTable : public ::testing::Test {
 protected:
  RegionEntry look_up_source(unsigned number) {
    table_->source_region_i = static_cast<std::uint8_t>(number);
    table_.tick();
    return sample_record<RegionEntry>(table_->source_entry_o);
  }
  RegionEntry look_up_target(unsigned number) {
    table_->target_region_i = static_cast<std::uint8_t>(number);
    table_.tick();
    return sample_record<RegionEntry>(table_->target_entry_o);
  }
  RegionEntry look_up_calc(unsigned number) {
    table_->calc_region_i = static_cast<std::uint8_t>(number);
    table_.tick();
    return sample_record<RegionEntry>(table_->calc_entry_o);
  }
  std::uint64_t config_word(const RegionEntry& entry) {
    return entry.get<layout::region_entry::enable>() |
           entry.get<layout::region_entry::remote_write>() << 1 |
           entry.get<layout::region_entry::remote_read>() << 2 |
           entry.get<layout::region_entry::owner>() << 4;
  }
  void set(unsigned number, const RegionEntry& entry) {
    ASSERT_EQ(
        bus_.status(register_write(region::base(number), entry.get<layout::region_entry::base>())),
        Status::kOk);
    ASSERT_EQ(bus_.status(register_write(region::length(number),
                                         entry.get<layout::region_entry::length>())),
              Status::kOk);
    ASSERT_EQ(bus_.status(register_write(region::config(number), config_word(entry))), Status::kOk);
  }

  Random random_;
  Clocked<Vmu_region_table> table_{random_.seed()};
  RegisterBus<Vmu_region_table> bus_{table_};
};

TEST_F(RegionTable, HasNoRegionAfterReset) {
  for (unsigned number = 0; number < 256; ++number) {
    EXPECT_EQ(look_up_source(number), RegionEntry());
    EXPECT_EQ(look_up_target(number), RegionEntry());
    EXPECT_EQ(look_up_calc(number), RegionEntry());
  }
  for (unsigned number = 0; number < kRegions; ++number) {
    EXPECT_EQ(bus_.read(register_read(region::base(number))), 0U);
    EXPECT_EQ(bus_.read(register_read(region::length(number))), 0U);
    EXPECT_EQ(bus_.read(register_read(region::config(number))), 0U);
  }
}

TEST_F(RegionTable, GivesTheEntryOneCycleAfterItsNumber) {
  const auto first = region_entry(0x12'3456'789A, 0x1F'FFFF'FFFF, 3, true, false);
  const auto second = region_entry(0xFE'DCBA'9876, kMaxLength, 0, false, true);
  set(0, first);
  set(63, second);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(look_up_source(0), first);
    EXPECT_EQ(look_up_source(63), second);
    EXPECT_EQ(look_up_target(63), second);
    EXPECT_EQ(look_up_target(0), first);
    EXPECT_EQ(look_up_calc(63), second);
    EXPECT_EQ(look_up_calc(0), first);
  }
}

TEST_F(RegionTable, GivesNothingForANumberOutsideTheTable) {
  set(0, region_entry(1, 2, 0));
  EXPECT_EQ(look_up_source(kRegions), RegionEntry());
  EXPECT_EQ(look_up_target(255), RegionEntry());
  EXPECT_EQ(look_up_calc(kRegions), RegionEntry());
}

TEST_F(RegionTable, ReadsBackEachFieldAndTouchesNoOther) {
  SCOPED_TRACE(random_.replay());
  std::array<RegionEntry, kRegions> entries{};
  for (int i = 0; i < 2000; ++i) {
    const auto number = static_cast<unsigned>(random_.below(kRegions));
    RegionEntry& entry = entries[number];
    switch (random_.below(3)) {
      case 0:
        entry.set<layout::region_entry::base>(random_.bits64() >> 24);
        ASSERT_EQ(bus_.status(register_write(region::base(number),
                                             entry.get<layout::region_entry::base>())),
                  Status::kOk);
        break;
      case 1:
        entry.set<layout::region_entry::length>(random_.below(kMaxLength + 1));
        ASSERT_EQ(bus_.status(register_write(region::length(number),
                                             entry.get<layout::region_entry::length>())),
                  Status::kOk);
        break;
      default:
        entry.set<layout::region_entry::enable>(random_.below(2))
            .set<layout::region_entry::remote_write>(random_.below(2))
            .set<layout::region_entry::remote_read>(random_.below(2))
            .set<layout::region_entry::owner>(random_.below(4));
        ASSERT_EQ(bus_.status(register_write(region::config(number), config_word(entry))),
                  Status::kOk);
    }
    const auto other = static_cast<unsigned>(random_.below(kRegions));
    ASSERT_EQ(bus_.read(register_read(region::base(other))),
              entries[other].get<layout::region_entry::base>());
    ASSERT_EQ(bus_.read(register_read(region::length(other) + 4)),
              entries[other].get<layout::region_entry::length>());
    ASSERT_EQ(bus_.read(register_read(region::config(other))), config_word(entries[other]));
    ASSERT_EQ(look_up_source(other), entries[other]);
    ASSERT_EQ(look_up_target(number), entries[number]);
    ASSERT_EQ(look_up_calc(number), entries[number]);
  }
}

TEST_F(RegionTable, ShowsAChangeToALookupThatStands) {
  set(7, region_entry(0x100, 16, 1));
  ASSERT_EQ(look_up_source(7), region_entry(0x100, 16, 1));
  ASSERT_EQ(look_up_target(7), region_entry(0x100, 16, 1));
  ASSERT_EQ(look_up_calc(7), region_entry(0x100, 16, 1));
  ASSERT_EQ(bus_.status(register_write(region::config(7), 0)), Status::kOk);
  table_.tick();
  const auto disabled = region_entry(0x100, 16, 0, false, false, false);
  EXPECT_EQ(sample_record<RegionEntry>(table_->source_entry_o), disabled);
  EXPECT_EQ(sample_record<RegionEntry>(table_->target_entry_o), disabled);
  EXPECT_EQ(sample_record<RegionEntry>(table_->calc_entry_o), disabled);
}

TEST_F(RegionTable, GivesTheOldOrTheNewEntryWhileItIsWritten) {
  const auto old_entry = region_entry(0x100, 16, 1);
  const auto new_entry = region_entry(0x999, 16, 1);
  for (int late = 0; late < 5; ++late) {
    set(9, old_entry);
    look_up_source(1);
    bus_.present(register_write(region::base(9), 0x999));
    for (int cycle = 0; cycle < 6; ++cycle) {
      if (cycle == late) table_->source_region_i = 9;
      bus_.tick();
      if (cycle < late) continue;
      const auto entry = sample_record<RegionEntry>(table_->source_entry_o);
      EXPECT_TRUE(entry == old_entry || entry == new_entry) << late << " " << cycle;
    }
    EXPECT_EQ(sample_record<RegionEntry>(table_->source_entry_o), new_entry);
  }
}

TEST_F(RegionTable, RefusesWhatIsNotARegisterAndChangesNothing) {
  const auto entry = region_entry(0x1234, 0x5678, 2, true, true);
  set(5, entry);
  const std::uint32_t base = region::base(5);
  const std::uint32_t length = region::length(5);
  const std::uint32_t config = region::config(5);
  EXPECT_EQ(bus_.status(register_write(base, 1ULL << 40)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(register_write(length, kMaxLength + 1)), Status::kRegisterValue);
  for (unsigned bit = 37; bit < 64; ++bit) {
    EXPECT_EQ(bus_.status(register_write(length, 1ULL << bit | 1)), Status::kRegisterValue) << bit;
    if (bit >= 40) {
      EXPECT_EQ(bus_.status(register_write(base, 1ULL << bit)), Status::kRegisterValue) << bit;
    }
    EXPECT_EQ(bus_.status(register_write(config, 1ULL << bit)), Status::kRegisterValue) << bit;
  }
  EXPECT_EQ(bus_.status(register_write(config, 0x08)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(register_write(config, 0x100)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(register_write(config, 0x41)), Status::kRegisterValue) << "owner 4 of 4";
  for (const std::uint32_t address : {base, length, config}) {
    EXPECT_EQ(bus_.status(register_write(address, 1, 4)), Status::kRegisterPartial);
    EXPECT_EQ(bus_.status(register_write(address + 4, 1, 4)), Status::kRegisterPartial);
  }
  EXPECT_EQ(bus_.status(register_read(config + 8)), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(register_write(config + 8, 0)), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(register_write(config + 8, 0, 4)), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(register_read(region::base(kRegions))), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(register_write(region::base(255), 1)), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(page_read(2, base & 0xfff)), Status::kRegisterUnknown);
  EXPECT_EQ(look_up_source(5), entry);
  EXPECT_EQ(look_up_source(0), RegionEntry()) << "numbers past the end do not come round";
  EXPECT_EQ(look_up_source(63), RegionEntry());
}

TEST_F(RegionTable, IsIdleWhenNumbersAndTableStand) {
  table_.tick();
  table_.tick();
  EXPECT_FALSE(table_->busy_o);
  for (CData* number :
       {&table_->source_region_i, &table_->target_region_i, &table_->calc_region_i}) {
    *number = 3;
    table_.settle();
    EXPECT_TRUE(table_->busy_o);
    table_.tick();
    EXPECT_FALSE(table_->busy_o);
  }
}

TEST_F(RegionTable, TakesAndRefusesByEveryBit) {
  SCOPED_TRACE(random_.replay());
  namespace e = layout::region_entry;
  std::array<RegionEntry, 256> entries{};
  for (int step = 0; step < 12000; ++step) {
    if (random_.chance(1) && random_.chance(20)) {
      table_->source_region_i = table_->target_region_i = table_->calc_region_i = 0;
      table_.reset(1);
      for (int i = 0; i < 100; ++i) table_.tick();
      entries = {};
    }
    auto address = static_cast<std::uint32_t>(region::base(0) + random_.below(0x200) * 8);
    // A bit more or less in the address, or in what is left of it within the block.
    if (random_.chance(20)) address ^= 8U << random_.below(17);
    if (random_.chance(20)) {
      const std::uint32_t changed = (address - region::base(0)) ^ 8U << random_.below(17);
      address = (region::base(0) + changed) & 0xFFFFFU;
    }
    const std::uint32_t offset = address - region::base(0);
    const unsigned number = offset >> 5 & 255, field = offset >> 3 & 3;
    const bool page = random_.chance(3);
    const bool known = !page && (offset & 0xFE000) == 0 && number < kRegions && field != 3;
    const std::uint64_t data = random_.chance(30)   ? random_.bits64() >> 26
                               : random_.chance(30) ? random_.below(64)
                               : random_.chance(30) ? kMaxLength + random_.below(3) - 1
                                                    : 1ULL << random_.below(64);
    const bool wide = random_.chance(90);
    const bool good = field == 0   ? data >> 40 == 0
                      : field == 1 ? data <= kMaxLength
                                   : (data & ~0x37ULL) == 0;
    RegisterRequest request = register_write(address, data, wide ? 8 : 4);
    const bool write = random_.chance(70);
    if (!write) request.set<layout::register_request::write>(0);
    if (page) request.set<layout::register_request::page>(1);
    const RegisterAnswer answer = bus_.access(request);
    RegionEntry& entry = entries[number];
    const std::uint64_t shown = field == 0   ? entry.get<e::base>()
                                : field == 1 ? entry.get<e::length>()
                                             : config_word(entry);
    ASSERT_EQ(answer.status, !known   ? Status::kRegisterUnknown
                             : !write ? Status::kOk
                             : !wide  ? Status::kRegisterPartial
                             : !good  ? Status::kRegisterValue
                                      : Status::kOk)
        << std::hex << address << " " << data;
    ASSERT_EQ(answer.data, known && !write ? shown : 0) << std::hex << address;
    if (known && write && wide && good) {
      if (field == 0) entry.set<e::base>(data);
      if (field == 1) entry.set<e::length>(data);
      if (field == 2) {
        entry.set<e::enable>(data & 1).set<e::remote_write>(data >> 1 & 1);
        entry.set<e::remote_read>(data >> 2 & 1).set<e::owner>(data >> 4);
      }
    }
    const auto any = [&] {
      return static_cast<unsigned>(random_.chance(60) ? number : random_.below(256));
    };
    const unsigned source = any(), target = any(), calc = any();
    table_->source_region_i = static_cast<CData>(source);
    table_->target_region_i = static_cast<CData>(target);
    table_->calc_region_i = static_cast<CData>(calc);
    for (int cycle = 0; cycle < 3; ++cycle) {
      table_.tick();
      ASSERT_EQ(sample_record<RegionEntry>(table_->source_entry_o), entries[source]) << source;
      ASSERT_EQ(sample_record<RegionEntry>(table_->target_entry_o), entries[target]) << target;
      ASSERT_EQ(sample_record<RegionEntry>(table_->calc_entry_o), entries[calc]) << calc;
    }
    ASSERT_FALSE(table_->busy_o);
    table_->calc_region_i = static_cast<CData>(calc ^ 1U << random_.below(8));
    table_.settle();
    ASSERT_TRUE(table_->busy_o);
    table_.tick();
    ASSERT_EQ(sample_record<RegionEntry>(table_->calc_entry_o), entries[table_->calc_region_i]);
  }
}

}  // namespace
}  // namespace torusmu::testing
