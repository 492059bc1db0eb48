// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_touch_table.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using Request = Record<layout::register_request::Layout>;
using Response = Record<layout::register_response::Layout>;
namespace request = layout::register_request;
namespace response = layout::register_response;
namespace block = registers::touch_range;

constexpr std::uint64_t kTop = 1ULL << 40;
constexpr unsigned kClientNumbers = 16;
constexpr std::uint64_t kConfigBits = 0x307 | (kProfile.clients - 1) << 4;

class TouchTable : public ::testing::Test {
 protected:
  struct Answer {
    Status status;
    std::uint64_t data;
  };

  Answer access(const Request& wanted) {
    drive(table_->register_request_i, wanted);
    table_->register_valid_i = 1;
    table_.settle();
    note_row();
    table_.wait_for(
        "register_done_o", [&] { return table_->register_done_o != 0; }, 4);
    const auto answer = sample_record<Response>(table_->register_response_o);
    table_->register_valid_i = 0;
    table_.tick();
    EXPECT_FALSE(table_->register_done_o);
    EXPECT_EQ(sample_record<Response>(table_->register_response_o), Response{});
    return {answer.get<response::status>(), answer.get<response::data>()};
  }
  static Request make(std::uint32_t address, bool write, std::uint64_t data, bool wide = true) {
    Request wanted;
    return wanted.set<request::address>(address)
        .set<request::write>(write)
        .set<request::wide>(wide)
        .set<request::data>(data);
  }
  Status write(std::uint32_t address, std::uint64_t data, bool wide = true) {
    return access(make(address, true, data, wide)).status;
  }
  Answer read(std::uint32_t address) { return access(make(address, false, 0)); }
  static Request page(unsigned client, bool write, std::uint64_t data) {
    return make(registers::client_page::touch_hits.in_block(), write, data)
        .set<request::page>(1)
        .set<request::client>(client);
  }
  std::uint64_t hits(unsigned client) { return access(page(client, false, 0)).data; }
  void clear(unsigned client, std::uint64_t bits) { access(page(client, true, bits)); }

  // Range r of the client, in use, fires on reads and writes.
  void configure(unsigned r, unsigned client) {
    ASSERT_EQ(write(block::config(r), config(client)), Status::kOk);
  }
  static std::uint64_t config(unsigned client) {
    namespace field = block::config_field;
    std::uint64_t value = insert(0, field::enable, 1);
    value = insert(insert(value, field::on_read, 1), field::on_write, 1);
    return insert(value, field::owner, client);
  }
  PortBits hit(unsigned bits) {
    table_->hit_i = static_cast<std::uint8_t>(bits);
    table_.tick();
    table_->hit_i = 0;
    return bits_of(table_->causes_o);
  }
  static PortBits cause(unsigned client) {
    return causes_of_client(client, 1U << static_cast<unsigned>(Cause::kTouch));
  }

  // What one who compares knows of the ranges.
  struct Row {
    std::uint64_t base = 0, end = 0;
  };
  void note_row() {
    namespace row = layout::touch_row;
    const auto told = sample_record<Record<row::Layout>>(table_->row_o);
    if (told.get<row::valid>() == 0) return;
    rows_.at(told.get<row::index>()) = {told.get<row::base>(), told.get<row::range_end>()};
  }

  Clocked<Vmu_touch_table> table_;
  std::array<Row, kProfile.touch_ranges> rows_{};
};

TEST_F(TouchTable, KeepsTheRegistersOfEveryRange) {
  const auto config_of = [](unsigned r) {
    return r % 8 + r % kProfile.clients * 16 + (3 - r % 4) * 256;
  };
  for (unsigned r = 0; r < kProfile.touch_ranges; ++r) {
    ASSERT_EQ(write(block::base(r), kTop - 1 - r), Status::kOk);
    ASSERT_EQ(write(block::length(r), kTop - r), Status::kOk);
    ASSERT_EQ(write(block::config(r), config_of(r)), Status::kOk);
  }
  for (unsigned r = 0; r < kProfile.touch_ranges; ++r) {
    EXPECT_EQ(read(block::base(r)).data, kTop - 1 - r);
    EXPECT_EQ(read(block::length(r)).data, kTop - r);
    EXPECT_EQ(read(block::config(r)).data, config_of(r));
  }
}

TEST_F(TouchTable, OffersOnlyRangesInUse) {
  for (unsigned r = 0; r < 3; ++r) ASSERT_EQ(write(block::length(r), 1), Status::kOk);
  ASSERT_EQ(write(block::config(0), 0x203), Status::kOk);
  ASSERT_EQ(write(block::config(1), 0x105), Status::kOk);
  ASSERT_EQ(write(block::config(2), 0x306), Status::kOk);
  ASSERT_EQ(write(block::config(3), 0x307), Status::kOk);
  EXPECT_EQ(table_->on_read_o, 0b001);
  EXPECT_EQ(table_->on_write_o, 0b010);
  EXPECT_EQ(table_->on_core_read_o, 0b010);
  EXPECT_EQ(table_->on_core_write_o, 0b001);
}

TEST_F(TouchTable, RefusesWhatItCannotTake) {
  EXPECT_EQ(write(block::base(0), kTop), Status::kRegisterValue);
  EXPECT_EQ(write(block::length(0), kTop + 1), Status::kRegisterValue);
  EXPECT_EQ(write(block::config(0), 8), Status::kRegisterValue);
  EXPECT_EQ(write(block::config(0), 0x400), Status::kRegisterValue);
  EXPECT_EQ(write(block::config(0), std::uint64_t{kProfile.clients} * 16), Status::kRegisterValue);
  EXPECT_EQ(write(block::base(0), 1, false), Status::kRegisterPartial);
  EXPECT_EQ(write(block::kBase + 0x18, 1), Status::kRegisterUnknown);
  EXPECT_EQ(read(block::kBase + block::kStride * kProfile.touch_ranges).status,
            Status::kRegisterUnknown);
  EXPECT_EQ(access(make(0x380, false, 0).set<request::page>(1)).status, Status::kRegisterUnknown);
  EXPECT_EQ(access(make(block::base(0), false, 0).set<request::page>(1)).status,
            Status::kRegisterUnknown);
  for (const auto address : {block::base(0), block::length(0), block::config(0)}) {
    EXPECT_EQ(read(address).data, 0U);
  }
}

TEST_F(TouchTable, RefusesEveryBitThatMeansNothing) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t value = 1ULL << bit;
    const auto status = [](bool is_good) { return is_good ? Status::kOk : Status::kRegisterValue; };
    EXPECT_EQ(write(block::base(0), value), status(bit < 40)) << bit;
    EXPECT_EQ(write(block::length(0), value), status(bit <= 40)) << bit;
    EXPECT_EQ(write(block::config(0), value), status((value & ~kConfigBits) == 0)) << bit;
  }
}

TEST_F(TouchTable, PulsesTheOwnersCauseAndKeepsTheHit) {
  configure(2, 1);
  configure(3, 3);
  EXPECT_EQ(hit(0b0100), cause(1));
  table_.tick();
  EXPECT_EQ(bits_of(table_->causes_o), 0U);
  EXPECT_EQ(hit(0b1100), cause(1) | cause(3));
  EXPECT_EQ(hits(1), 0b0100U);
  EXPECT_EQ(hits(3), 0b1000U);
  EXPECT_EQ(hits(0), 0U);
}

TEST_F(TouchTable, LetsAClientClearItsOwnHitsOnly) {
  configure(2, 1);
  configure(3, 3);
  hit(0b1100);
  clear(1, 0xFF);
  EXPECT_EQ(hits(1), 0U);
  EXPECT_EQ(hits(3), 0b1000U);
  clear(3, 0b0111);
  EXPECT_EQ(hits(3), 0b1000U);
}

TEST_F(TouchTable, KeepsAHitThatComesWithItsClear) {
  configure(2, 1);
  hit(0b0100);
  drive(table_->register_request_i, page(1, true, 0b0100));
  table_->register_valid_i = 1;
  EXPECT_EQ(hit(0b0100), cause(1));
  table_->register_valid_i = 0;
  table_.tick();
  EXPECT_EQ(hits(1), 0b0100U);
}

TEST_F(TouchTable, IgnoresAHitOfARangeThatWasSwitchedOff) {
  configure(2, 1);
  ASSERT_EQ(write(block::config(2), 1 * 16), Status::kOk);
  EXPECT_EQ(hit(0b0100), 0U);
  EXPECT_EQ(hits(1), 0U);
}

TEST_F(TouchTable, ForgetsTheHitWhenTheRangeChanges) {
  configure(2, 1);
  hit(0b0100);
  ASSERT_EQ(write(block::base(2), 77), Status::kOk);
  EXPECT_EQ(hits(1), 0U);
}

TEST_F(TouchTable, IsBusyUntilItsPulsesAreGone) {
  EXPECT_FALSE(table_->busy_o);
  configure(0, 0);
  hit(1);
  EXPECT_TRUE(table_->busy_o);
  table_.tick();
  EXPECT_FALSE(table_->busy_o);
}

// The table and what it must hold side by side.
class TouchTableModel : public TouchTable {
 protected:
  static constexpr unsigned kRanges = kProfile.touch_ranges;
  struct Range {
    std::uint64_t base = 0, length = 0;
    unsigned config = 0;  // owner above bit 4, cores above bit 8
    bool hit = false;
    [[nodiscard]] unsigned owner() const { return config >> 4 & 15; }
    [[nodiscard]] bool enabled() const { return (config & 1) != 0; }
  };

  void step() {
    if (random_.chance(1)) {
      table_.reset(1);
      ranges_ = {};
      rows_ = {};
    }
    const auto r = static_cast<unsigned>(random_.below(kRanges));
    switch (random_.below(8)) {
      case 0:
        return write_base(r);
      case 1:
        return write_length(r);
      case 2:
        return write_config(r);
      case 3:
        return clear_some();
      case 4:
        return write_beside(r);
      default:
        return hit_some();
    }
  }
  // In two cycles: what toggles would look right in every other one.
  void compare_outputs() {
    for (unsigned n = 0; n < 2 * kRanges; ++n) {
      if (n == kRanges) table_.tick();
      const unsigned i = n % kRanges;
      const Range& range = ranges_.at(i);
      const bool on = range.enabled() && range.length != 0;
      ASSERT_EQ(table_->on_read_o >> i & 1, on && (range.config & 2) != 0);
      ASSERT_EQ(table_->on_write_o >> i & 1, on && (range.config & 4) != 0);
      ASSERT_EQ(table_->on_core_read_o >> i & 1, on && (range.config & 0x100) != 0);
      ASSERT_EQ(table_->on_core_write_o >> i & 1, on && (range.config & 0x200) != 0);
      ASSERT_EQ(rows_.at(i).base, range.base) << i;
      ASSERT_EQ(rows_.at(i).end, range.base + range.length) << i;
    }
  }
  void compare_registers() {
    for (unsigned client = 0; client < kClientNumbers; ++client) {
      std::uint64_t expected = 0;  // for one that does not exist, too
      for (unsigned i = 0; i < kRanges; ++i) {
        expected |= std::uint64_t{ranges_.at(i).hit && ranges_.at(i).owner() == client} << i;
      }
      ASSERT_EQ(hits(client), expected) << "client " << client;
    }
    const auto r = static_cast<unsigned>(random_.below(kRanges));
    ASSERT_EQ(read(block::base(r)).data, ranges_.at(r).base);
    ASSERT_EQ(read(block::length(r)).data, ranges_.at(r).length);
    ASSERT_EQ(read(block::config(r)).data, ranges_.at(r).config);
  }

  Random random_;

 private:
  std::uint64_t any_value() {
    return random_.chance(50)   ? random_.bits64() >> 24
           : random_.chance(50) ? 1ULL << random_.below(64)
                                : random_.below(64);
  }
  // Is it taken? A write of half a register is not, whatever it says.
  bool takes(std::uint32_t address, std::uint64_t value, bool is_good) {
    const bool wide = random_.chance(90);
    EXPECT_EQ(write(address, value, wide), !wide     ? Status::kRegisterPartial
                                           : is_good ? Status::kOk
                                                     : Status::kRegisterValue)
        << value;
    return wide && is_good;
  }
  void write_base(unsigned r) {
    const std::uint64_t base = any_value();
    if (!takes(block::base(r), base, base < kTop)) return;
    ranges_.at(r).base = base;
    ranges_.at(r).hit = false;
  }
  void write_length(unsigned r) {
    const std::uint64_t length = random_.chance(20) ? kTop + random_.below(2) : any_value();
    if (!takes(block::length(r), length, length <= kTop)) return;
    ranges_.at(r).length = length;
    ranges_.at(r).hit = false;
  }
  void write_config(unsigned r) {
    const std::uint64_t config =
        random_.chance(80)
            ? random_.below(8) | random_.below(kProfile.clients) << 4 | random_.below(4) << 8
            : any_value();
    if (!takes(block::config(r), config, (config & ~kConfigBits) == 0)) return;
    ranges_.at(r).config = static_cast<unsigned>(config);
    ranges_.at(r).hit = false;
  }
  void clear_some() {
    const auto client = static_cast<unsigned>(
        random_.below(random_.chance(90) ? kProfile.clients : kClientNumbers));
    const auto bits = random_.bits64();
    clear(client, bits);
    for (unsigned i = 0; i < kRanges; ++i) {
      if (ranges_.at(i).owner() == client && (bits >> i & 1) != 0) ranges_.at(i).hit = false;
    }
  }
  // An address of one bit more or less.
  void write_beside(unsigned r) {
    const std::uint32_t registers[] = {block::base(r), block::length(r), block::config(r)};
    const std::uint32_t one = registers[random_.below(3)], bit = 1U << random_.below(20);
    const std::uint32_t address = (random_.chance(50) ? one ^ bit : one + bit) & 0xFFFFF;
    const bool known = address - block::kBase < kRanges * 32 && (address & 0x18) != 0x18;
    if (known) return;
    ASSERT_EQ(write(address, 0), Status::kRegisterUnknown) << address;
  }
  void hit_some() {
    const auto bits = static_cast<unsigned>(random_.below(1U << kRanges));
    PortBits causes;
    for (unsigned i = 0; i < kRanges; ++i) {
      if ((bits >> i & 1) == 0 || !ranges_.at(i).enabled()) continue;
      ranges_.at(i).hit = true;
      causes |= cause(ranges_.at(i).owner());
    }
    ASSERT_EQ(hit(bits), causes);
    ASSERT_EQ(table_->busy_o, causes.any());
    table_.tick();
    ASSERT_EQ(bits_of(table_->causes_o), 0U);
    ASSERT_FALSE(table_->busy_o);
  }

  std::array<Range, kRanges> ranges_{};
};

TEST_F(TouchTableModel, AgreesInEveryBitUnderRandomUse) {
  SCOPED_TRACE(random_.replay());
  for (int n = 0; n < 6000 && !HasFailure(); ++n) {
    SCOPED_TRACE(n);
    step();
    compare_outputs();
    if (random_.chance(20)) compare_registers();
  }
}

TEST_F(TouchTable, ShowsItsRangesUnchangedWhileItIsAskedAndTakesNothingThroughPages) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (int round = 0; round < 30; ++round) {
    table_.reset(1);
    for (unsigned r = 0; r < kProfile.touch_ranges; ++r) {
      ASSERT_EQ(write(block::base(r), random.bits64() >> 24), Status::kOk);
      ASSERT_EQ(write(block::length(r), random.bits64() >> 25), Status::kOk);
      ASSERT_EQ(write(block::config(r),
                      random.below(8) | random.below(kProfile.clients) << 4 | random.below(4) << 8),
                Status::kOk);
    }
    table_.settle();
    const auto watched = [&] {
      return std::array{table_->on_read_o, table_->on_write_o, table_->on_core_read_o,
                        table_->on_core_write_o};
    };
    const auto before = watched();
    const auto ranges_of = [&] {
      std::array<std::array<std::uint64_t, 2>, kProfile.touch_ranges> all{};
      for (unsigned r = 0; r < kProfile.touch_ranges; ++r)
        all[r] = {read(block::base(r)).data, read(block::length(r)).data};
      return all;
    };
    const auto ranges = ranges_of();
    const auto expect_unchanged = [&] {
      ASSERT_EQ(watched(), before);
      ASSERT_EQ(ranges_of(), ranges);
    };
    for (int i = 0; i < 200; ++i) {
      // Whatever is asked, nothing changes before the edge.
      Request any = Request::from_bytes(random_bytes(random, Request::kBytes));
      if (random.chance(50)) {
        any.set<request::address>(block::base(static_cast<std::uint32_t>(random.below(8))) +
                                  8 * random.below(4));
        any.set<request::page>(0);
      }
      drive(table_->register_request_i, any);
      table_->register_valid_i = 1;
      table_->hit_i = static_cast<CData>(random.bits64());
      table_.settle();
      ASSERT_EQ(watched(), before);
      table_->register_valid_i = 0;
      table_->hit_i = 0;
      table_.settle();
      // Nor by a read with data, through a page, or of an address of another client page register.
      const auto r = static_cast<std::uint32_t>(random.below(kProfile.touch_ranges));
      const std::uint32_t where[] = {block::base(r), block::length(r), block::config(r)};
      const std::uint32_t address = where[random.below(3)];
      const Request read_with_data = make(address, false, random.bits64());
      ASSERT_EQ(access(read_with_data).status, Status::kOk);
      ASSERT_EQ(access(make(address, true, 1).set<request::page>(1)).status,
                Status::kRegisterUnknown);
      const std::uint32_t hits = registers::client_page::touch_hits.in_block();
      ASSERT_EQ(
          access(make(hits ^ 1U << random.below(20), true, ~0ULL).set<request::page>(1)).status,
          Status::kRegisterUnknown);
      ASSERT_NO_FATAL_FAILURE(expect_unchanged());
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
