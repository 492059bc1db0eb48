// SPDX-License-Identifier: Apache-2.0
// The C++ view of layouts and registers, and CRC-32C.

#include "torusmu/layout.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "torusmu/crc32c.h"

namespace torusmu {
namespace {

TEST(Record, StartsAllZero) { EXPECT_EQ(Descriptor{}.words(), (std::array<std::uint64_t, 8>{})); }

TEST(Record, PutsTheLowestBitIntoTheLowestByte) {
  Descriptor descriptor;
  descriptor.set<layout::descriptor::opcode>(Opcode::kGet);
  descriptor.set<layout::descriptor::length>(0x1122334455);
  const auto bytes = descriptor.bytes();
  EXPECT_EQ(bytes[0], 3);
  EXPECT_EQ(bytes[16], 0x55);
  EXPECT_EQ(bytes[20], 0x11);
}

TEST(Record, KeepsAFieldThatCrossesTwoWords) {
  Descriptor descriptor;
  const std::uint64_t offset = 0x1FEDCBA987;
  descriptor.set<layout::descriptor::source_offset>(offset);
  PacketHeader header;
  header.set<layout::packet_header::offset>(offset);
  EXPECT_EQ(descriptor.get<layout::descriptor::source_offset>(), offset);
  EXPECT_EQ(header.get<layout::packet_header::offset>(), offset);
  header.set<layout::packet_header::offset>(0);
  EXPECT_EQ(header, PacketHeader{});
}

TEST(Record, NestsTheHeaderInTheDescriptor) {
  PacketHeader header;
  header.set<layout::packet_header::target>(0xA5);
  Descriptor descriptor;
  descriptor.set<layout::descriptor::header>(header);
  EXPECT_EQ(descriptor.get<layout::descriptor::header>(), header);
  EXPECT_EQ(descriptor.words()[6], 0xA5ULL << 44);
}

TEST(Record, DropsBytesBeyondItsBits) {
  std::array<std::uint8_t, 12> ones;
  ones.fill(0xFF);
  using Request = Record<layout::register_request::Layout>;
  EXPECT_EQ(Request::from_bytes(ones).words()[1], (1ULL << 27) - 1);
}

TEST(Field, TellsWhatFits) {
  EXPECT_TRUE(fits(layout::descriptor::length, (1ULL << 37) - 1));
  EXPECT_FALSE(fits(layout::descriptor::length, 1ULL << 37));
  EXPECT_TRUE(fits(layout::register_request::data, ~0ULL));
}

TEST(FieldDeathTest, RefusesAValueThatDoesNotFit) {
  PacketHeader header;
  EXPECT_DEBUG_DEATH(header.set<layout::packet_header::bytes>(1024), "fits");
}

TEST(ReservedBits, AreFoundWhereverTheyAre) {
  EXPECT_TRUE(reserved_bits_are_zero(Descriptor{}));
  Descriptor full;
  full.set<layout::descriptor::length>((1ULL << 37) - 1);
  full.set<layout::descriptor::immediate_valid>(1);
  EXPECT_TRUE(reserved_bits_are_zero(full));
  for (const unsigned bit : {113U, 127U, 165U, 184U, 224U, 255U}) {
    std::array<std::uint8_t, 64> bytes{};
    bytes[bit / 8] = static_cast<std::uint8_t>(1U << bit % 8);
    EXPECT_FALSE(reserved_bits_are_zero(Descriptor::from_bytes(bytes))) << "bit " << bit;
  }
}

TEST(LayoutCheck, SeesGapsOverlapsAndMissingBits) {
  using detail::accounts_for_every_bit;
  using Lines = std::array<detail::FieldLine, 3>;
  EXPECT_TRUE(accounts_for_every_bit(
      Lines{{{"x", 0, 4, false}, {"y", 9, 9, false}, {"x", 4, 4, true}}}, "x", 8));
  EXPECT_FALSE(accounts_for_every_bit(
      Lines{{{"x", 0, 4, false}, {"x", 5, 3, false}, {"y", 0, 1, true}}}, "x", 8));
  EXPECT_FALSE(accounts_for_every_bit(
      Lines{{{"x", 0, 4, false}, {"x", 3, 5, false}, {"y", 0, 1, true}}}, "x", 8));
  EXPECT_FALSE(accounts_for_every_bit(
      Lines{{{"x", 0, 4, false}, {"x", 4, 3, false}, {"y", 0, 1, true}}}, "x", 8));
}

TEST(RegisterCheck, SeesBlocksThatOverlapOrLeaveTheSpace) {
  using registers::detail::BlockLine;
  using registers::detail::blocks_are_sound;
  EXPECT_FALSE(blocks_are_sound(std::array{BlockLine{"a", 0, 16, 4}, BlockLine{"b", 48, 16, 1}}));
  EXPECT_FALSE(blocks_are_sound(std::array{BlockLine{"a", 0xFFFF0, 16, 2}}));
}

TEST(RegisterCheck, SeesRegistersThatOverlapOrLeaveTheirBlock) {
  using registers::detail::BlockLine;
  using registers::detail::RegisterLine;
  using registers::detail::registers_are_sound;
  const std::array block{BlockLine{"a", 0, 16, 1}};
  EXPECT_TRUE(registers_are_sound(block, std::array{RegisterLine{"a", "r", 0, 8, 2}}));
  EXPECT_FALSE(registers_are_sound(block, std::array{RegisterLine{"a", "r", 0, 8, 3}}));
  EXPECT_FALSE(registers_are_sound(block, std::array{RegisterLine{"a", "r", 4, 8, 1}}));
  EXPECT_FALSE(registers_are_sound(
      block, std::array{RegisterLine{"a", "r", 0, 8, 1}, RegisterLine{"a", "s", 4, 4, 1}}));
}

TEST(RegisterCheck, SeesFieldsThatOverlapOrLeaveTheirRegister) {
  using registers::detail::fields_are_sound;
  using registers::detail::RegisterFieldLine;
  using registers::detail::RegisterLine;
  const std::array line{RegisterLine{"a", "r", 0, 4, 1}};
  EXPECT_TRUE(fields_are_sound(line, std::array{RegisterFieldLine{"a", "r", 16, 16}}));
  EXPECT_FALSE(fields_are_sound(line, std::array{RegisterFieldLine{"a", "r", 16, 17}}));
  EXPECT_FALSE(fields_are_sound(
      line, std::array{RegisterFieldLine{"a", "r", 0, 4}, RegisterFieldLine{"a", "r", 3, 4}}));
}

TEST(Registers, AddressesAreThoseOfTheFile) {
  EXPECT_EQ(registers::client_page::queue_index(0, 0), 0x00000U);
  EXPECT_EQ(registers::client_page::queue_index(3, 5), 0x03014U);
  EXPECT_EQ(registers::client_page::byte_counter(1, 2), 0x01810U);
  EXPECT_EQ(registers::client_page::byte_counter.in_block(2), 0x810U);
  EXPECT_EQ(registers::node::straps(), 0x20008U);
  EXPECT_EQ(registers::injection_queue::config(31), 0x307D0U);
  EXPECT_EQ(registers::performance::stalls(0, 13), 0x3E0B4U);
  EXPECT_EQ(registers::reflection::credit(6), 0x3F030U);
}

TEST(Registers, FieldsAreExtractedAndInserted) {
  namespace field = registers::byte_counter_config::config_field;
  const std::uint64_t value = insert(insert(0, field::owner, 3), field::interrupt, 1);
  EXPECT_EQ(value, 0x23U);
  EXPECT_EQ(extract(value, field::owner), 3U);
  EXPECT_EQ(extract(value, field::enable), 0U);
  EXPECT_EQ(insert(value, field::owner, 0), 0x20U);
}

TEST(Sizes, FitTheIndexFieldsOfEachProfile) {
  for (const Sizes& sizes : {kSim, kBgp, kBoard}) {
    EXPECT_TRUE(fits(layout::descriptor::source_region, sizes.regions - 1));
    EXPECT_TRUE(fits(layout::descriptor::counter, sizes.byte_counters - 1));
    EXPECT_TRUE(fits(layout::descriptor::event_counter, sizes.event_counters - 1));
    EXPECT_TRUE(fits(layout::packet_trailer::queue, sizes.injection_queues - 1));
    EXPECT_TRUE(fits(layout::packet_header::target, sizes.reception_fifos - 1));
    EXPECT_TRUE(fits(layout::packet_header::client, sizes.clients - 1));
    EXPECT_TRUE(fits(layout::packet_header::bytes, sizes.payload_bytes));
  }
}

TEST(Names, AreThoseOfTheFile) {
  EXPECT_EQ(name_of(Status::kRegionBounds), "REGION_BOUNDS");
  EXPECT_EQ(meaning_of(Status::kOk), "no error");
  EXPECT_EQ(name_of(static_cast<Status>(200)), "unknown");
}

TEST(Crc32c, GivesThePublishedCheckValues) {
  const std::string_view digits = "123456789";
  const std::span<const std::uint8_t> check(reinterpret_cast<const std::uint8_t*>(digits.data()),
                                            digits.size());
  EXPECT_EQ(crc32c(check), 0xE3069283U);
  // RFC 3720, B.4: 32 bytes of zeros, of ones, and counting up.
  std::array<std::uint8_t, 32> bytes{};
  EXPECT_EQ(crc32c(bytes), 0x8A9136AAU);
  bytes.fill(0xFF);
  EXPECT_EQ(crc32c(bytes), 0x62A8AB43U);
  for (std::uint8_t i = 0; i < 32; ++i) bytes[i] = i;
  EXPECT_EQ(crc32c(bytes), 0x46DD794EU);
}

TEST(Crc32c, GoesOnWhereItStopped) {
  std::array<std::uint8_t, 32> bytes{};
  for (std::uint8_t i = 0; i < 32; ++i) bytes[i] = i;
  const std::span<const std::uint8_t> all(bytes);
  EXPECT_EQ(crc32c(all.subspan(7), crc32c(all.first(7))), crc32c(all));
}

TEST(Crc32c, OfAPacketLeavesOutItsOwnFourBytes) {
  std::array<std::uint8_t, 2 * kFlitBytes> packet{};
  packet[3] = 9;
  const std::uint32_t crc = packet_crc(packet);
  packet[31] = 0xFF;
  packet[28] = 0xFF;
  EXPECT_EQ(packet_crc(packet), crc);
  packet[27] = 1;
  EXPECT_NE(packet_crc(packet), crc);
}

}  // namespace
}  // namespace torusmu
