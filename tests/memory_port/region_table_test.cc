// SPDX-License-Identifier: Apache-2.0
// model: Vmu_region_table_bgp mu_region_table -DTORUSMU_PROFILE_BGP

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_region_table.h"
#include "Vmu_region_table_bgp.h"
#include "tests/support/clocked.h"
#include "tests/support/region.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using namespace registers;  // NOLINT(google-build-using-namespace)

constexpr std::uint64_t kMaxLength = 1ULL << 37;
constexpr std::uint64_t kMemoryEnd = 1ULL << 40;

template <typename M, unsigned regions, unsigned clients>
struct Size {
  using Model = M;
  static constexpr unsigned kRegions = regions;
  static constexpr unsigned kClients = clients;
};
using Sizes = ::testing::Types<Size<Vmu_region_table, 64, 4>, Size<Vmu_region_table_bgp, 256, 16>>;

template <typename S>
class RegionTable : public ::testing::Test {
 protected:
  RegionTable() { wait_until_cleared(); }
  void wait_until_cleared() {
    table_.wait_for(
        "the walk after reset", [&] { return table_->busy_o == 0; }, S::kRegions + 3);
  }
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
  Clocked<typename S::Model> table_{random_.seed()};
  RegisterBus<typename S::Model> bus_{table_};
};

TYPED_TEST_SUITE(RegionTable, Sizes);

TYPED_TEST(RegionTable, HasNoRegionAfterReset) {
  for (unsigned number = 0; number < 256; ++number) {
    EXPECT_EQ(this->look_up_source(number), RegionEntry());
    EXPECT_EQ(this->look_up_target(number), RegionEntry());
    EXPECT_EQ(this->look_up_calc(number), RegionEntry());
  }
  for (unsigned number = 0; number < TypeParam::kRegions; ++number) {
    EXPECT_EQ(this->bus_.read(register_read(region::base(number))), 0U);
    EXPECT_EQ(this->bus_.read(register_read(region::length(number))), 0U);
    EXPECT_EQ(this->bus_.read(register_read(region::config(number))), 0U);
  }
}

TYPED_TEST(RegionTable, ForgetsItsEntriesInAReset) {
  const auto entry = region_entry(0x12'3456'789A, 0x1F'FFFF'FFFF, 3, true, true);
  for (unsigned number = 0; number < TypeParam::kRegions; ++number) this->set(number, entry);
  this->table_.reset(1);
  // A lookup finds nothing from the first cycle on, an access waits for the walk.
  this->bus_.present(register_read(region::base(0)));
  unsigned cycles = 0;
  while (!this->table_->register_done_o) {
    ASSERT_LE(++cycles, TypeParam::kRegions + 3);
    ASSERT_TRUE(this->table_->busy_o);
    const auto number = static_cast<unsigned>(this->random_.below(256));
    this->table_->target_region_i = static_cast<std::uint8_t>(number);
    ASSERT_EQ(this->look_up_source(number), RegionEntry()) << number;
    ASSERT_EQ(sample_record<RegionEntry>(this->table_->target_entry_o), RegionEntry()) << number;
  }
  EXPECT_GE(cycles, TypeParam::kRegions);
  this->table_.tick();
  this->table_->register_valid_i = 0;
  for (unsigned number = 0; number < TypeParam::kRegions; ++number) {
    ASSERT_EQ(this->look_up_source(number), RegionEntry()) << number;
    ASSERT_EQ(this->look_up_calc(number), RegionEntry()) << number;
    ASSERT_EQ(this->bus_.read(register_read(region::base(number))), 0U) << number;
  }
}

TYPED_TEST(RegionTable, GivesTheEntryOneCycleAfterItsNumber) {
  const auto first = region_entry(0x12'3456'789A, 0x1F'FFFF'FFFF, 3, true, false);
  const auto second = region_entry(0xDE'DCBA'9876, kMaxLength, 0, false, true);
  this->set(0, first);
  this->set(TypeParam::kRegions - 1, second);
  this->table_.tick();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(this->look_up_source(0), first);
    EXPECT_EQ(this->look_up_source(TypeParam::kRegions - 1), second);
    EXPECT_EQ(this->look_up_target(TypeParam::kRegions - 1), second);
    EXPECT_EQ(this->look_up_target(0), first);
    EXPECT_EQ(this->look_up_calc(TypeParam::kRegions - 1), second);
    EXPECT_EQ(this->look_up_calc(0), first);
  }
}

TYPED_TEST(RegionTable, ShowsOfARegionWhatLiesInMemory) {
  for (const std::uint64_t length : {0ULL, 1ULL, 63ULL, 64ULL, 65ULL, 1ULL << 36, 1ULL << 37}) {
    for (const std::uint64_t room : {1ULL, 64ULL, 1ULL << 36, 1ULL << 37, (1ULL << 38) + 5}) {
      const auto entry = region_entry(kMemoryEnd - room, length, 1);
      this->set(3, entry);
      this->table_.tick();
      EXPECT_EQ(this->look_up_source(3).template get<layout::region_entry::length>(),
                length < room ? length : room);
      EXPECT_EQ(this->look_up_target(3), in_memory(entry));
      EXPECT_EQ(this->look_up_calc(3), in_memory(entry));
      EXPECT_EQ(this->bus_.read(register_read(region::length(3))), length);
    }
  }
}

TYPED_TEST(RegionTable, GivesNothingForANumberOutsideTheTable) {
  this->set(0, region_entry(1, 2, 0));
  for (unsigned number = TypeParam::kRegions; number < 256; ++number) {
    EXPECT_EQ(this->look_up_source(number), RegionEntry());
    EXPECT_EQ(this->look_up_target(number), RegionEntry());
    EXPECT_EQ(this->look_up_calc(number), RegionEntry());
  }
}

TYPED_TEST(RegionTable, ReadsBackEachFieldAndTouchesNoOther) {
  SCOPED_TRACE(this->random_.replay());
  std::array<RegionEntry, 256> entries{};
  for (int i = 0; i < 2000; ++i) {
    const auto number = static_cast<unsigned>(this->random_.below(TypeParam::kRegions));
    RegionEntry& entry = entries[number];
    switch (this->random_.below(3)) {
      case 0:
        entry.set<layout::region_entry::base>(this->random_.bits64() >> 24);
        ASSERT_EQ(this->bus_.status(register_write(region::base(number),
                                                   entry.get<layout::region_entry::base>())),
                  Status::kOk);
        break;
      case 1:
        entry.set<layout::region_entry::length>(this->random_.below(kMaxLength + 1));
        ASSERT_EQ(this->bus_.status(register_write(region::length(number),
                                                   entry.get<layout::region_entry::length>())),
                  Status::kOk);
        break;
      default:
        entry.set<layout::region_entry::enable>(this->random_.below(2));
        entry.set<layout::region_entry::remote_write>(this->random_.below(2));
        entry.set<layout::region_entry::remote_read>(this->random_.below(2));
        entry.set<layout::region_entry::owner>(this->random_.below(TypeParam::kClients));
        ASSERT_EQ(
            this->bus_.status(register_write(region::config(number), this->config_word(entry))),
            Status::kOk);
    }
    const auto other = static_cast<unsigned>(this->random_.below(TypeParam::kRegions));
    ASSERT_EQ(this->bus_.read(register_read(region::base(other))),
              entries[other].get<layout::region_entry::base>());
    ASSERT_EQ(this->bus_.read(register_read(region::length(other) + 4)),
              entries[other].get<layout::region_entry::length>());
    ASSERT_EQ(this->bus_.read(register_read(region::config(other))),
              this->config_word(entries[other]));
    ASSERT_EQ(this->look_up_source(other), in_memory(entries[other]));
    ASSERT_EQ(this->look_up_target(number), in_memory(entries[number]));
    ASSERT_EQ(this->look_up_calc(number), in_memory(entries[number]));
  }
}

TYPED_TEST(RegionTable, ShowsAChangeToALookupThatStands) {
  this->set(7, region_entry(0x100, 16, 1));
  ASSERT_EQ(this->look_up_source(7), region_entry(0x100, 16, 1));
  ASSERT_EQ(this->look_up_target(7), region_entry(0x100, 16, 1));
  ASSERT_EQ(this->look_up_calc(7), region_entry(0x100, 16, 1));
  ASSERT_EQ(this->bus_.status(register_write(region::config(7), 0)), Status::kOk);
  this->table_.tick();
  this->table_.tick();
  const auto disabled = region_entry(0x100, 16, 0, false, false, false);
  EXPECT_EQ(sample_record<RegionEntry>(this->table_->source_entry_o), disabled);
  EXPECT_EQ(sample_record<RegionEntry>(this->table_->target_entry_o), disabled);
  EXPECT_EQ(sample_record<RegionEntry>(this->table_->calc_entry_o), disabled);
}

TYPED_TEST(RegionTable, GivesTheOldOrTheNewEntryWhileItIsWritten) {
  const auto old_entry = region_entry(0x100, 16, 1);
  const auto new_entry = region_entry(0x999, 16, 1);
  for (int late = 0; late < 5; ++late) {
    this->set(9, old_entry);
    this->look_up_source(1);
    this->bus_.present(register_write(region::base(9), 0x999));
    for (int cycle = 0; cycle < 6; ++cycle) {
      if (cycle == late) this->table_->source_region_i = 9;
      this->bus_.tick();
      if (cycle < late) continue;
      const auto entry = sample_record<RegionEntry>(this->table_->source_entry_o);
      EXPECT_TRUE(entry == old_entry || entry == new_entry) << late << " " << cycle;
    }
    EXPECT_EQ(sample_record<RegionEntry>(this->table_->source_entry_o), new_entry);
  }
}

TYPED_TEST(RegionTable, RefusesWhatIsNotARegisterAndChangesNothing) {
  const auto entry = region_entry(0x1234, 0x5678, 2, true, true);
  this->set(5, entry);
  const std::uint32_t base = region::base(5);
  const std::uint32_t length = region::length(5);
  const std::uint32_t config = region::config(5);
  EXPECT_EQ(this->bus_.status(register_write(base, 1ULL << 40)), Status::kRegisterValue);
  EXPECT_EQ(this->bus_.status(register_write(length, kMaxLength + 1)), Status::kRegisterValue);
  for (unsigned bit = 37; bit < 64; ++bit) {
    EXPECT_EQ(this->bus_.status(register_write(length, 1ULL << bit | 1)), Status::kRegisterValue)
        << bit;
    if (bit >= 40) {
      EXPECT_EQ(this->bus_.status(register_write(base, 1ULL << bit)), Status::kRegisterValue)
          << bit;
    }
    EXPECT_EQ(this->bus_.status(register_write(config, 1ULL << bit)), Status::kRegisterValue)
        << bit;
  }
  EXPECT_EQ(this->bus_.status(register_write(config, 0x08)), Status::kRegisterValue);
  EXPECT_EQ(this->bus_.status(register_write(config, 0x100)), Status::kRegisterValue);
  for (unsigned owner = TypeParam::kClients; owner < 16; ++owner) {
    EXPECT_EQ(this->bus_.status(register_write(config, owner << 4 | 1)), Status::kRegisterValue)
        << owner;
  }
  for (const std::uint32_t address : {base, length, config}) {
    EXPECT_EQ(this->bus_.status(register_write(address, 1, 4)), Status::kRegisterPartial);
    EXPECT_EQ(this->bus_.status(register_write(address + 4, 1, 4)), Status::kRegisterPartial);
  }
  EXPECT_EQ(this->bus_.status(register_read(config + 8)), Status::kRegisterUnknown);
  EXPECT_EQ(this->bus_.status(register_write(config + 8, 0)), Status::kRegisterUnknown);
  EXPECT_EQ(this->bus_.status(register_write(config + 8, 0, 4)), Status::kRegisterUnknown);
  if (TypeParam::kRegions < 256) {
    EXPECT_EQ(this->bus_.status(register_read(region::base(TypeParam::kRegions))),
              Status::kRegisterUnknown);
  }
  EXPECT_EQ(this->bus_.status(register_write(region::base(255), 0)),
            TypeParam::kRegions < 256 ? Status::kRegisterUnknown : Status::kOk);
  EXPECT_EQ(this->bus_.status(page_read(2, base & 0xfff)), Status::kRegisterUnknown);
  EXPECT_EQ(this->look_up_source(5), entry);
  EXPECT_EQ(this->look_up_source(0), RegionEntry()) << "numbers past the end do not come round";
  EXPECT_EQ(this->look_up_source(TypeParam::kRegions - 1), RegionEntry());
}

TYPED_TEST(RegionTable, IsIdleWhenNumbersAndTableStand) {
  this->table_.tick();
  this->table_.tick();
  EXPECT_FALSE(this->table_->busy_o);
  for (CData* number : {&this->table_->source_region_i, &this->table_->target_region_i,
                        &this->table_->calc_region_i}) {
    *number = 3;
    this->table_.settle();
    EXPECT_TRUE(this->table_->busy_o);
    this->table_.tick();
    EXPECT_FALSE(this->table_->busy_o);
  }
}

TYPED_TEST(RegionTable, TakesAndRefusesByEveryBit) {
  SCOPED_TRACE(this->random_.replay());
  namespace e = layout::region_entry;
  std::array<RegionEntry, 256> entries{};
  for (int step = 0; step < 12000; ++step) {
    if (this->random_.chance(1) && this->random_.chance(20)) {
      this->table_->source_region_i = this->table_->target_region_i = this->table_->calc_region_i =
          0;
      this->table_.reset(1);
      this->wait_until_cleared();
      for (int i = 0; i < 100; ++i) this->table_.tick();
      entries = {};
    }
    auto address = static_cast<std::uint32_t>(region::base(0) + this->random_.below(0x200) * 8);
    // A bit more or less in the address, or in what is left of it within the block.
    if (this->random_.chance(20)) address ^= 8U << this->random_.below(17);
    if (this->random_.chance(20)) {
      const std::uint32_t changed = (address - region::base(0)) ^ 8U << this->random_.below(17);
      address = (region::base(0) + changed) & 0xFFFFFU;
    }
    const std::uint32_t offset = address - region::base(0);
    const unsigned number = offset >> 5 & 255, field = offset >> 3 & 3;
    const bool page = this->random_.chance(3);
    const bool known =
        !page && (offset & 0xFE000) == 0 && number < TypeParam::kRegions && field != 3;
    const std::uint64_t data = this->random_.chance(30)   ? this->random_.bits64() >> 26
                               : this->random_.chance(30) ? this->random_.below(64)
                               : this->random_.chance(30) ? kMaxLength + this->random_.below(3) - 1
                                                          : 1ULL << this->random_.below(64);
    const bool wide = this->random_.chance(90);
    const bool good = field == 0   ? data >> 40 == 0
                      : field == 1 ? data <= kMaxLength
                                   : (data & ~(7 | (16ULL * TypeParam::kClients - 16))) == 0;
    RegisterRequest request = register_write(address, data, wide ? 8 : 4);
    const bool write = this->random_.chance(70);
    if (!write) request.set<layout::register_request::write>(0);
    if (page) request.set<layout::register_request::page>(1);
    const RegisterAnswer answer = this->bus_.access(request);
    RegionEntry& entry = entries[number];
    const std::uint64_t shown = field == 0   ? entry.get<e::base>()
                                : field == 1 ? entry.get<e::length>()
                                             : this->config_word(entry);
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
      return static_cast<unsigned>(this->random_.chance(60) ? number : this->random_.below(256));
    };
    const unsigned source = any(), target = any(), calc = any();
    this->table_->source_region_i = static_cast<CData>(source);
    this->table_->target_region_i = static_cast<CData>(target);
    this->table_->calc_region_i = static_cast<CData>(calc);
    for (int cycle = 0; cycle < 3; ++cycle) {
      this->table_.tick();
      ASSERT_EQ(sample_record<RegionEntry>(this->table_->source_entry_o),
                in_memory(entries[source]))
          << source;
      ASSERT_EQ(sample_record<RegionEntry>(this->table_->target_entry_o),
                in_memory(entries[target]))
          << target;
      ASSERT_EQ(sample_record<RegionEntry>(this->table_->calc_entry_o), in_memory(entries[calc]))
          << calc;
    }
    ASSERT_FALSE(this->table_->busy_o);
    this->table_->calc_region_i = static_cast<CData>(calc ^ 1U << this->random_.below(8));
    this->table_.settle();
    ASSERT_TRUE(this->table_->busy_o);
    this->table_.tick();
    ASSERT_EQ(sample_record<RegionEntry>(this->table_->calc_entry_o),
              entries[this->table_->calc_region_i]);
  }
}

}  // namespace
}  // namespace torusmu::testing
