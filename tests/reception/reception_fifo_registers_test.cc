// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>

#include "Vmu_reception_fifo_registers.h"
#include "sim/machine/profile.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

namespace torusmu::testing {
namespace {

using RegisterRequest = Record<layout::register_request::Layout>;
namespace q = layout::register_request;

constexpr std::uint64_t kMostSlots = 1U << 24;
constexpr std::uint64_t kConfigBits = 0xff010f | (kProfile.clients - 1) << 4;

struct Row {
  std::uint64_t base = 0;
  std::uint32_t size = 0;
  bool enabled = false;
  bool reply_only = false;
  bool interrupt = false;
  bool boot = false;
  std::uint8_t owner = 0;
  std::uint32_t threshold = 0;
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  std::uint32_t refused = 0;
  bool drained = false;
  bool head_legal = false;
  bool keeps = false;
  std::uint8_t keeper = 0;
  bool draining = false;  // a boot buffer that the MU moves
  bool pending = false;   // something is on its way into one
};

void eval(Vmu_reception_fifo_registers& dut) {
  dut.ring_ends_i = dut.base_i + 32ULL * dut.size_i <= 1ULL << 40;
  dut.eval();
}

struct Answer {
  Status status = Status::kOk;
  std::uint64_t data = 0;
  bool wait = false;
  int written = -1;  // register offset in the block, or 256 for the head
};

Answer privileged(const RegisterRequest& request, const Row& row) {
  namespace f = registers::reception_fifo;
  const std::uint64_t data = request.get<q::data>();
  const bool write = request.get<q::write>() != 0;
  const auto offset = static_cast<std::uint32_t>(request.get<q::address>() & 0x38U);
  Answer answer;
  bool good = true;
  bool writable = true;
  if (offset == f::base.offset) {
    answer.data = row.base;
    good = !row.enabled && data >> 40U == 0;
  } else if (offset == f::size.offset) {
    answer.data = row.size;
    good = !row.enabled && data >= 32 && data <= kMostSlots && std::has_single_bit(data);
  } else if (offset == f::config.offset) {
    answer.data = (row.enabled ? 1U : 0U) | (row.reply_only ? 2U : 0U) | (row.interrupt ? 4U : 0U) |
                  (row.boot ? 8U : 0U) | static_cast<unsigned>(row.owner) << 4U |
                  (row.keeps ? 256U : 0U) | static_cast<unsigned>(row.keeper) << 16U;
    const bool ring = row.size >= 32 && row.base + row.size * 32ULL <= 1ULL << 40;
    const std::uint64_t roles = data & 0x10a;  // reply_only, boot, keeps
    good = (data & ~kConfigBits) == 0 && ((data & 1) == 0 || ring) && (roles & (roles - 1)) == 0 &&
           ((data & 0x100) == 0 || (data & 1) != 0) &&
           (data >> 16U & 0xff) < kProfile.reception_fifos;
  } else if (offset == f::threshold.offset) {
    answer.data = row.threshold;
    good = data <= kMostSlots;
  } else if (offset <= f::refused.offset) {
    answer.data = offset == f::head.offset   ? row.head
                  : offset == f::tail.offset ? row.tail
                                             : row.refused;
    writable = false;
  } else {
    return {Status::kRegisterUnknown};
  }
  if (!write) return answer;
  if (!writable) return {Status::kRegisterUnknown};
  if (request.get<q::wide>() == 0) return {Status::kRegisterPartial};
  if (!good) return {Status::kRegisterValue};
  answer.data = 0;
  answer.wait = offset == f::config.offset && (!row.drained || (row.boot && row.pending));
  if (!answer.wait) answer.written = static_cast<int>(offset);
  return answer;
}

Answer expected(const RegisterRequest& request, const Row& row, bool exists) {
  if (!exists) return {Status::kRegisterUnknown};
  if (request.get<q::page>() == 0) return privileged(request, row);
  const bool write = request.get<q::write>() != 0;
  if (write && request.get<q::wide>() != 0) return {Status::kRegisterPartial};
  if (!row.enabled || row.owner != request.get<q::client>()) return {Status::kFifoInvalid};
  if (!write) return {Status::kOk, static_cast<std::uint64_t>(row.tail) << 32U | row.tail};
  if (!row.head_legal || row.draining) return {Status::kDoorbellRange};
  return {Status::kOk, 0, false, 256};
}

// Of the larger profile: fields of owners are wide enough for it.
constexpr unsigned kClients = 16;

// Whoever says that the FIFO exists has looked at the whole address.
constexpr unsigned kBlockBytes = registers::reception_fifo::kStride * kProfile.reception_fifos;

TEST(ReceptionFifoRegisters, AnswerEveryAccessAndWriteOnlyWhatIsAllowed) {
  Random random;
  SCOPED_TRACE(random.replay());
  VerilatedContext context;
  Vmu_reception_fifo_registers dut(&context);
  std::array<unsigned, 32> seen{};
  for (int i = 0; i < 300000; ++i) {
    Row row;
    row.base =
        random.chance(80) ? random.bits64() >> 24U : (1ULL << 40) - 32 * (1 + random.below(60));
    row.size = random.chance(10) ? 0 : 1U << (5 + random.below(20));
    row.enabled = random.chance(50);
    row.reply_only = random.chance(50);
    row.interrupt = random.chance(50);
    row.boot = random.chance(50);
    row.keeps = random.chance(50);
    row.keeper = static_cast<std::uint8_t>(random.bits64());
    row.draining = random.chance(20);
    row.pending = random.chance(40);
    row.owner = static_cast<std::uint8_t>(random.below(kClients));
    row.threshold = static_cast<std::uint32_t>(random.below(kMostSlots + 1));
    row.head = static_cast<std::uint32_t>(random.bits64());
    row.tail = static_cast<std::uint32_t>(random.bits64());
    row.refused = static_cast<std::uint32_t>(random.bits64());
    row.drained = random.chance(60);
    row.head_legal = random.chance(70);
    const bool exists = random.chance(95);
    const std::uint64_t config = random.below(512) | random.below(kProfile.reception_fifos + 3)
                                                         << 16U;
    const std::uint64_t values[] = {config, random.below(256), random.bits64(),
                                    (1ULL << random.below(27)) - random.below(2),
                                    random.bits64() >> 23U};
    const bool page = random.chance(30);
    RegisterRequest request;
    request.set<q::data>(values[random.below(5)])
        .set<q::address>(exists && !page
                             ? registers::reception_fifo::kBase + random.below(kBlockBytes)
                             : random.below(1U << 20))
        .set<q::client>(random.chance(50) ? row.owner ^ 1ULL << random.below(4) : row.owner)
        .set<q::page>(page ? 1 : 0)
        .set<q::wide>(random.chance(70) ? 1 : 0)
        .set<q::write>(random.chance(70) ? 1 : 0);
    dut.enable_i = 1;
    dut.exists_i = exists;
    drive(dut.register_request_i, request);
    dut.base_i = row.base;
    dut.size_i = row.size;
    dut.enabled_i = row.enabled;
    dut.reply_only_i = row.reply_only;
    dut.interrupt_i = row.interrupt;
    dut.boot_i = row.boot;
    dut.keeps_i = row.keeps;
    dut.keeper_i = row.keeper;
    dut.draining_i = row.draining;
    dut.pending_i = row.pending;
    dut.owner_i = row.owner;
    dut.threshold_i = row.threshold;
    dut.head_i = row.head;
    dut.tail_i = row.tail;
    dut.refused_i = row.refused;
    dut.drained_i = row.drained;
    dut.head_legal_i = row.head_legal;
    eval(dut);
    const Answer answer = expected(request, row, exists);
    ASSERT_EQ(dut.status_o, static_cast<unsigned>(answer.status));
    ASSERT_EQ(dut.data_o, answer.data);
    ASSERT_EQ(dut.wait_o, answer.wait);
    namespace f = registers::reception_fifo;
    ASSERT_EQ(dut.write_base_o, answer.written == static_cast<int>(f::base.offset));
    ASSERT_EQ(dut.write_size_o, answer.written == static_cast<int>(f::size.offset));
    ASSERT_EQ(dut.write_config_o, answer.written == static_cast<int>(f::config.offset));
    ASSERT_EQ(dut.write_threshold_o, answer.written == static_cast<int>(f::threshold.offset));
    ASSERT_EQ(dut.write_head_o, answer.written == 256);
    ++seen[static_cast<std::size_t>(answer.status)];
    dut.enable_i = 0;
    eval(dut);
    ASSERT_FALSE(dut.write_base_o || dut.write_size_o || dut.write_config_o ||
                 dut.write_threshold_o || dut.write_head_o || dut.wait_o);
  }
  for (const Status status :
       {Status::kOk, Status::kRegisterUnknown, Status::kRegisterPartial, Status::kRegisterValue,
        Status::kFifoInvalid, Status::kDoorbellRange}) {
    EXPECT_GT(seen[static_cast<std::size_t>(status)], 300U) << name_of(status);
  }
}

TEST(ReceptionFifoRegisters, LookAtEveryBitOfWhatIsWritten) {
  namespace f = registers::reception_fifo;
  Vmu_reception_fifo_registers dut;
  dut.enable_i = dut.exists_i = dut.drained_i = dut.head_legal_i = 1;
  for (const bool enabled : {false, true}) {
    for (const std::uint32_t reg :
         {f::base.offset, f::size.offset, f::config.offset, f::threshold.offset}) {
      for (const std::uint64_t least : {std::uint64_t{0}, std::uint64_t{32}, kMostSlots}) {
        for (unsigned bit = 0; bit < 64; ++bit) {
          Row row;
          row.size = 32;
          row.enabled = enabled;
          dut.enabled_i = enabled;
          row.drained = true;
          dut.size_i = 32;
          RegisterRequest request;
          request.set<q::data>(least ^ 1ULL << bit).set<q::address>(f::kBase + reg);
          request.set<q::wide>(1).set<q::write>(1);
          drive(dut.register_request_i, request);
          eval(dut);
          ASSERT_EQ(dut.status_o, static_cast<unsigned>(expected(request, row, true).status))
              << "register " << reg << " bit " << bit;
        }
      }
    }
  }
}

TEST(ReceptionFifoRegisters, LetARingEndAtTheEndOfMemoryAndNotBehindIt) {
  namespace f = registers::reception_fifo;
  Vmu_reception_fifo_registers dut;
  dut.enable_i = dut.exists_i = dut.drained_i = 1;
  RegisterRequest request;
  request.set<q::data>(1).set<q::address>(f::config(0)).set<q::wide>(1).set<q::write>(1);
  drive(dut.register_request_i, request);
  for (unsigned bit = 5; bit < 24; ++bit) {
    const std::uint32_t size = 1U << bit;
    for (const int beyond : {-1, 0, 1, 1 << bit}) {
      const std::uint64_t base = (1ULL << 40) - size * 32ULL + static_cast<std::uint64_t>(beyond);
      dut.size_i = size;
      dut.base_i = base;
      eval(dut);
      ASSERT_EQ(dut.status_o,
                static_cast<unsigned>(beyond > 0 ? Status::kRegisterValue : Status::kOk))
          << size << " slots, " << beyond << " beyond";
    }
  }
  // None that was never given a size.
  dut.base_i = 0;
  dut.size_i = 0;
  eval(dut);
  ASSERT_EQ(dut.status_o, static_cast<unsigned>(Status::kRegisterValue));
}

TEST(ReceptionFifoRegisters, TakePowersOfTwoAloneAsSizes) {
  namespace f = registers::reception_fifo;
  Vmu_reception_fifo_registers dut;
  dut.enable_i = dut.exists_i = dut.drained_i = 1;
  const auto status_of_size = [&dut](std::uint64_t size) {
    RegisterRequest request;
    request.set<q::data>(size).set<q::address>(f::size(0)).set<q::wide>(1).set<q::write>(1);
    drive(dut.register_request_i, request);
    eval(dut);
    return static_cast<Status>(dut.status_o);
  };
  for (unsigned high = 0; high <= 24; ++high) {
    // The largest packet takes 17 slots.
    const bool large = high >= 5;
    EXPECT_EQ(status_of_size(1ULL << high), large ? Status::kOk : Status::kRegisterValue) << high;
    for (unsigned low = 0; low < high; ++low) {
      EXPECT_EQ(status_of_size(1ULL << high | 1ULL << low), Status::kRegisterValue) << high;
    }
    EXPECT_EQ(status_of_size((4ULL << high) - 1), Status::kRegisterValue) << high;
  }
}

TEST(ReceptionFifoRegisters, SayNothingWithoutAnAccess) {
  Random random;
  SCOPED_TRACE(random.replay());
  Vmu_reception_fifo_registers dut;
  for (int i = 0; i < 2000; ++i) {
    drive(dut.register_request_i,
          RegisterRequest::from_bytes(random_bytes(random, RegisterRequest::kBytes)));
    dut.enabled_i = random.chance(50);
    dut.exists_i = dut.head_legal_i = dut.drained_i = 1;
    dut.tail_i = static_cast<std::uint32_t>(random.bits64());
    dut.enable_i = 0;
    eval(dut);
    ASSERT_EQ(dut.status_o, 0);
    ASSERT_EQ(dut.data_o, 0U);
    ASSERT_FALSE(dut.wait_o || dut.write_base_o || dut.write_size_o || dut.write_config_o ||
                 dut.write_threshold_o || dut.write_head_o);
  }
}

}  // namespace
}  // namespace torusmu::testing
