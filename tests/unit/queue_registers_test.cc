// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "Vmu_queue_registers.h"
#include "tests/support/register_bus.h"

namespace torusmu::testing {
namespace {

namespace q = registers::injection_queue;
constexpr unsigned kQueues = 32;

class QueueRegisters : public ::testing::Test {
 protected:
  // A queue of client 1, as config shows it: mode, owner, halt_on_error.
  void queue(QueueMode mode, std::uint32_t size) {
    model_.setup_i = static_cast<std::uint8_t>(static_cast<unsigned>(mode) | 1U << 3);
    model_.size_i = size;
    model_.base_i = 0xAB12345678;
    model_.head_i = 0x11;
    model_.published_i = 0x22;
    model_.errors_i = std::uint64_t{0x77} << 24 | 3U << 8 | 9;
    model_.halted_i = 1;
    model_.last_node_i = 0x732;  // 3x4x8 nodes
  }
  RegisterResponse ask(const RegisterRequest& request, bool accept = true) {
    model_.valid_i = 1;
    model_.accept_i = accept;
    drive(model_.request_i, request);
    model_.eval();
    return sample_record<RegisterResponse>(model_.response_o);
  }
  Status status(const RegisterRequest& request, bool accept = true) {
    return ask(request, accept).get<layout::register_response::status>();
  }
  unsigned operations() const {
    return model_.doorbell_o | model_.write_base_o << 1 | model_.write_size_o << 2 |
           model_.write_config_o << 3 | model_.write_peer_o << 7;
  }

  Vmu_queue_registers model_;
};

TEST_F(QueueRegisters, AnswersEveryAddressOfTheBlock) {
  queue(QueueMode::kOff, 4);
  for (std::uint32_t address = q::base(0); address < q::base(0) + 0x2000; address += 8) {
    const std::uint32_t number = (address - q::base(0)) / q::kStride;
    const std::uint32_t offset = address % q::kStride;
    const bool exists = number < kQueues && offset <= 0x38;
    EXPECT_EQ(status(register_read(address)), exists ? Status::kOk : Status::kRegisterUnknown)
        << std::hex << address;
    EXPECT_EQ(operations(), 0U);
    const bool writable = number < kQueues && (offset <= 0x10 || offset == 0x38);
    EXPECT_EQ(status(register_write(address, 1)), writable ? Status::kOk : Status::kRegisterUnknown)
        << std::hex << address;
    EXPECT_EQ(operations(), !writable ? 0U : offset == 0x38 ? 1U << 7 : 2U << offset / 8);
    if (writable) {
      EXPECT_EQ(model_.queue_o, number);
    }
    EXPECT_EQ(status(register_write(address, 1, 4)),
              writable ? Status::kRegisterPartial : Status::kRegisterUnknown);
  }
}

TEST_F(QueueRegisters, TakesAPeerThatExistsWhileTheQueueIsOff) {
  namespace p = q::peer_field;
  const auto peer = [](unsigned x, unsigned y, unsigned z, unsigned queue) {
    return insert(0, p::x, x) | insert(0, p::y, y) | insert(0, p::z, z) |
           insert(0, p::queue, queue) | insert(0, p::connected, 1);
  };
  queue(QueueMode::kOff, 4);
  EXPECT_EQ(status(register_write(q::peer(3), peer(2, 3, 7, 31))), Status::kOk);
  const std::uint64_t one = 1;
  for (const std::uint64_t bad :
       {peer(3, 3, 7, 31), peer(2, 4, 7, 31), peer(2, 3, 8, 31), peer(2, 3, 7, 32), one << 40}) {
    EXPECT_EQ(status(register_write(q::peer(3), bad)), Status::kRegisterValue) << std::hex << bad;
    EXPECT_EQ(operations(), 0U);
  }
  const std::uint64_t any = insert(peer(0, 0, 0, 0), p::dynamic, 1);
  EXPECT_EQ(status(register_write(q::peer(3), any)), Status::kOk) << "no peer of its own";
  queue(QueueMode::kReceive, 4);
  EXPECT_EQ(status(register_write(q::peer(3), peer(0, 0, 0, 0))), Status::kRegisterValue);
  EXPECT_EQ(status(register_write(q::peer(3), any)), Status::kRegisterValue);
}

TEST_F(QueueRegisters, ShowsTheStateOfTheQueue) {
  queue(QueueMode::kDoorbell, 99);
  const auto data = [this](std::uint32_t address) {
    return ask(register_read(address)).get<layout::register_response::data>();
  };
  EXPECT_EQ(data(q::base(7)), 0xAB12345678U);
  EXPECT_EQ(data(q::size(7)), 99U);
  EXPECT_EQ(data(q::config(7)), 1U | 1U << 4);
  EXPECT_EQ(data(q::head(7)), 0x11U);
  EXPECT_EQ(data(q::tail(7)), 0x22U);
  EXPECT_EQ(data(q::status(7)), std::uint64_t{0x77} << 32 | 3U << 16 | 1U << 8 | 9U);
}

TEST_F(QueueRegisters, RefuseToOpenARingThatRunsPastTheAddressSpace) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 40;
  queue(QueueMode::kOff, 4);
  const auto opened_at = [this](std::uint64_t base) {
    model_.base_i = base;
    return status(register_write(q::config(9), 1));
  };
  EXPECT_EQ(opened_at(kEnd - 256), Status::kOk);
  EXPECT_EQ(opened_at(kEnd - 255), Status::kRegisterValue);
  EXPECT_EQ(operations(), 0U);
  EXPECT_EQ(opened_at(kEnd - 1), Status::kRegisterValue);
  EXPECT_EQ(status(register_write(q::config(9), 0)), Status::kOk);
}

TEST_F(QueueRegisters, JudgesDoorbellsByModeOwnerAndRing) {
  const std::uint32_t offset = registers::client_page::queue_index.in_block(5);
  for (unsigned mode = 0; mode <= 6; ++mode) {
    queue(static_cast<QueueMode>(mode), 4);
    for (unsigned client = 0; client < 4; ++client) {
      const bool own = client == 1 && (mode == 1 || mode == 5);
      EXPECT_EQ(status(page_write(client, offset, 3, 4)),
                own ? Status::kOk : Status::kDoorbellOwner);
      EXPECT_EQ(operations(), own ? 1U : 0U);
      EXPECT_EQ(status(page_read(client, offset)),
                client == 1 && mode != 0 ? Status::kOk : Status::kDoorbellOwner);
    }
  }
  queue(QueueMode::kDoorbell, 4);
  EXPECT_EQ(status(page_write(1, offset, 3, 4), false), Status::kDoorbellRange);
  EXPECT_EQ(status(page_write(1, offset, 3, 8)), Status::kRegisterPartial);
  EXPECT_EQ(operations(), 0U);
  EXPECT_EQ(status(page_write(1, registers::client_page::queue_index.in_block(kQueues), 0, 4)),
            Status::kRegisterUnknown);
}

}  // namespace
}  // namespace torusmu::testing
