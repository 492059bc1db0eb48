// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "Vmu_queue_registers.h"
#include "sim/machine/profile.h"
#include "tests/support/queue_access_model.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace q = registers::injection_queue;
constexpr unsigned kQueues = kProfile.injection_queues;

class QueueRegisters : public ::testing::Test {
 protected:
  // A queue of client 1, as config shows it: mode, owner, halt_on_error.
  void queue(QueueMode mode, std::uint32_t size) {
    queue_ = {.base = 0xAB12345678,
              .errors = std::uint64_t{0x77} << 24 | 3U << 8 | 9,
              .size = size,
              .setup = static_cast<unsigned>(mode) | 1U << 3,
              .head = 0x11,
              .published = 0x22,
              .halted = true};
    model_.last_node_i = 0x732;  // 3x4x8 nodes
  }
  RegisterResponse ask(const RegisterRequest& request) {
    model_.valid_i = 1;
    drive(model_.request_i, request);
    drive(model_.row_i, queue_.row());
    model_.eval();
    return sample_record<RegisterResponse>(model_.response_o);
  }
  Status status(const RegisterRequest& request) {
    return ask(request).get<layout::register_response::status>();
  }
  unsigned operations() const {
    return model_.doorbell_o | model_.write_base_o << 1 | model_.write_size_o << 2 |
           model_.write_config_o << 3 | model_.write_peer_o << 7;
  }

  Vmu_queue_registers model_;
  QueueStateModel queue_;
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

TEST_F(QueueRegisters, KnowNothingOfTheBlockInThePageOfAClient) {
  queue(QueueMode::kOff, 4);
  for (std::uint32_t address = q::base(0); address < q::kBase + kQueues * q::kStride;
       address += 8) {
    EXPECT_EQ(status(page_read(1, address)), Status::kRegisterUnknown) << std::hex << address;
    EXPECT_EQ(status(page_write(1, address, 1)), Status::kRegisterUnknown) << std::hex << address;
    EXPECT_EQ(operations(), 0U);
  }
}

TEST_F(QueueRegisters, TakeAPowerOfTwoUpToTheLargestRingWhileTheQueueIsOff) {
  queue(QueueMode::kOff, 4);
  constexpr std::uint64_t kLargest = 1ULL << 24;
  EXPECT_EQ(status(register_write(q::size(3), 0)), Status::kRegisterValue);
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t size = 1ULL << bit;
    EXPECT_EQ(status(register_write(q::size(3), size)),
              size <= kLargest ? Status::kOk : Status::kRegisterValue)
        << "bit " << bit;
    EXPECT_EQ(status(register_write(q::size(3), kLargest ^ size)), Status::kRegisterValue)
        << "nothing, or more than the largest by bit " << bit;
  }
  queue(QueueMode::kDoorbell, 4);
  EXPECT_EQ(status(register_write(q::size(3), 1)), Status::kRegisterValue);
}

TEST_F(QueueRegisters, RefuseEverySizeThatIsNoPowerOfTwo) {
  Random random;
  SCOPED_TRACE(random.replay());
  queue(QueueMode::kOff, 4);
  const auto expect_refused = [this](std::uint64_t size) {
    EXPECT_EQ(status(register_write(q::size(3), size)), Status::kRegisterValue) << size;
    EXPECT_EQ(operations(), 0U) << size;
  };
  for (std::uint64_t size = 3; size < 5000; ++size)
    if (!std::has_single_bit(size)) expect_refused(size);
  for (unsigned power = 2; power <= 24; ++power) {
    const std::uint64_t size = 1ULL << power;
    expect_refused(size - 1);
    expect_refused(size + 1);
    for (unsigned bit = 0; bit < power; ++bit) expect_refused(size | 1ULL << bit);
    for (int i = 0; i < 100; ++i) expect_refused(size + 1 + random.below(size - 1));
  }
}

TEST_F(QueueRegisters, TakesAPeerThatExistsWhileTheQueueIsOff) {
  namespace p = q::peer_field;
  const auto peer = [](unsigned x, unsigned y, unsigned z, unsigned queue) {
    return insert(0, p::x, x) | insert(0, p::y, y) | insert(0, p::z, z) |
           insert(0, p::queue, queue) | insert(0, p::connected, 1);
  };
  queue(QueueMode::kOff, 4);
  EXPECT_EQ(status(register_write(q::peer(3), peer(2, 3, 7, kQueues - 1))), Status::kOk);
  const std::uint64_t one = 1;
  for (const std::uint64_t bad : {peer(3, 3, 7, 31), peer(2, 4, 7, 31), peer(2, 3, 8, 31),
                                  peer(2, 3, 7, kQueues), one << 40}) {
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
  queue(QueueMode::kDoorbell, 64);
  const auto data = [this](std::uint32_t address) {
    return ask(register_read(address)).get<layout::register_response::data>();
  };
  EXPECT_EQ(data(q::base(7)), 0xAB12345678U);
  EXPECT_EQ(data(q::size(7)), 64U);
  EXPECT_EQ(data(q::config(7)), 1U | 1U << 4);
  EXPECT_EQ(data(q::head(7)), 0x11U);
  EXPECT_EQ(data(q::tail(7)), 0x22U);
  EXPECT_EQ(data(q::status(7)), std::uint64_t{0x77} << 32 | 3U << 16 | 1U << 8 | 9U);
}

TEST_F(QueueRegisters, RefuseToOpenARingThatRunsPastTheAddressSpace) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 40;
  queue(QueueMode::kOff, 4);
  const auto opened_at = [this](std::uint64_t base) {
    queue_.base = base;
    return status(register_write(q::config(9), 1));
  };
  EXPECT_EQ(opened_at(kEnd - 256), Status::kOk);
  EXPECT_EQ(opened_at(kEnd - 255), Status::kRegisterValue);
  EXPECT_EQ(operations(), 0U);
  EXPECT_EQ(opened_at(kEnd - 1), Status::kRegisterValue);
  EXPECT_EQ(status(register_write(q::config(9), 0)), Status::kOk);
  constexpr std::uint32_t kMost = 1U << 24;
  queue(QueueMode::kOff, kMost);
  EXPECT_EQ(opened_at(kEnd - 64ULL * kMost), Status::kOk);
  for (unsigned bit = 0; bit < 30; ++bit)
    EXPECT_EQ(opened_at(kEnd - 64ULL * kMost + (1ULL << bit)), Status::kRegisterValue) << bit;
}

TEST_F(QueueRegisters, JudgesDoorbellsByModeOwnerAndRing) {
  const std::uint32_t offset = registers::client_page::queue_index.in_block(5);
  for (unsigned mode = 0; mode <= 6; ++mode) {
    queue(static_cast<QueueMode>(mode), 4);
    for (unsigned client = 0; client < kProfile.clients; ++client) {
      const bool own = client == 1 && (mode == 1 || mode == 5);
      EXPECT_EQ(status(page_write(client, offset, 3, 4)),
                own ? Status::kOk : Status::kDoorbellOwner);
      EXPECT_EQ(operations(), own ? 1U : 0U);
      EXPECT_EQ(status(page_read(client, offset)),
                client == 1 && mode != 0 ? Status::kOk : Status::kDoorbellOwner);
    }
  }
  queue(QueueMode::kDoorbell, 4);
  EXPECT_EQ(status(page_write(1, offset, 3, 8)), Status::kRegisterPartial);
  EXPECT_EQ(operations(), 0U);
  EXPECT_EQ(status(page_write(1, registers::client_page::queue_index.in_block(kQueues), 0, 4)),
            Status::kRegisterUnknown);
  if (kQueues < kBgp.injection_queues) {
    EXPECT_EQ(model_.queue_o, kQueues) << "which does not exist";
  }
}

class QueueRegistersAtRandom : public QueueRegisters {
 protected:
  std::uint64_t some(unsigned bits) {
    const std::uint64_t value = random_.chance(30)   ? 1ULL << random_.below(bits)
                                : random_.chance(20) ? 0
                                                     : random_.bits64();
    return bits == 64 ? value : value & ((1ULL << bits) - 1);
  }
  void draw_state() {
    const auto word = [this] { return static_cast<std::uint32_t>(some(32)); };
    queue_ = {.errors = some(56),
              .size = random_.chance(20) ? 0 : 1U << random_.below(random_.chance(30) ? 3 : 25),
              .setup = static_cast<std::uint32_t>(random_.chance(40) ? some(10) & ~7U : some(10)),
              .limit = word(),
              .head = word(),
              .fetch = word(),
              .published = word(),
              .reserved = word(),
              .fetch_lap = word(),
              .halted = random_.chance(50)};
    const std::uint64_t end = (1ULL << 40) - 64ULL * queue_.size;
    queue_.base = random_.chance(50) ? some(40) : (end + random_.below(3) - 1) % (1ULL << 40);
    model_.last_node_i = static_cast<SData>(random_.below(1U << 12));
    model_.peer_i = some(40);
    model_.valid_i = random_.chance(95);
  }
  RegisterRequest draw_request() {
    const bool off = queue_.mode() == QueueMode::kOff;
    const bool page = random_.chance(30);
    std::uint32_t address =
        static_cast<std::uint32_t>(random_.below(kQueues * (page ? 4 : q::kStride)));
    if (!page) address += q::base(0);
    if (random_.chance(15)) address ^= 1U << random_.below(20);
    std::uint64_t data = some(64);
    if (random_.chance(50)) {
      data = random_.below(7) | (off ? random_.below(kProfile.clients) << 4 : some(4) << 4);
      if (random_.chance(30)) data |= some(3) << 8;
    } else if (random_.chance(40)) {
      data = random_.below(kQueues) << 12 | (random_.chance(60) ? model_.last_node_i : some(12));
      if (random_.chance(50)) data |= some(20) << 20;
    } else if (random_.chance(30)) {
      data = (1U << (random_.chance(30) ? 24 : random_.below(26))) + random_.below(3) - 1;
    }
    if (random_.chance(10)) data ^= 1ULL << random_.below(64);
    return RegisterRequest()
        .set<layout::register_request::address>(address)
        .set<layout::register_request::data>(data)
        .set<layout::register_request::write>(random_.chance(60))
        .set<layout::register_request::wide>(random_.chance(page ? 10 : 85))
        .set<layout::register_request::page>(page)
        .set<layout::register_request::client>(random_.chance(70) ? queue_.owner()
                                                                  : random_.below(16));
  }
  QueueAccessModel contract() const { return {queue_, model_.peer_i, model_.last_node_i, true}; }
  Random random_;
};

TEST_F(QueueRegistersAtRandom, AnswerAsTheRegisterMapSays) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 200000; ++i) {
    draw_state();
    const RegisterRequest request = draw_request();
    drive(model_.request_i, request);
    drive(model_.row_i, queue_.row());
    model_.eval();
    const bool valid = model_.valid_i != 0;
    const auto expected = valid ? contract().meaning(request) : QueueAccessModel::Meaning();
    const auto response = sample_record<RegisterResponse>(model_.response_o);
    const auto address = request.get<layout::register_request::address>();
    ASSERT_EQ(response.get<layout::register_response::status>(), expected.status)
        << std::hex << address << " data " << request.get<layout::register_request::data>();
    ASSERT_EQ(response.get<layout::register_response::data>(), expected.data)
        << std::hex << address;
    ASSERT_EQ(operations(), expected.operations) << std::hex << address;
    ASSERT_EQ(model_.config_o, valid && QueueAccessModel::writes_config(request))
        << std::hex << address;
    ASSERT_EQ(model_.queue_o, valid ? QueueAccessModel::queue_of(request) : 0);
  }
}

}  // namespace
}  // namespace torusmu::testing
