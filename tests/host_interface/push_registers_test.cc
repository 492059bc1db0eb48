// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_push_registers.h"
#include "Vmu_push_registers/Vmu_push_registers___024root.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/old_count.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"
#include "tests/support/written_inside.h"

TORUSMU_WRITTEN_INSIDE(Vmu_push_registers)

namespace torusmu::testing {
namespace {

using namespace registers;  // NOLINT(google-build-using-namespace)

constexpr unsigned kClients = kProfile.clients, kQueues = kProfile.injection_queues;

std::uint32_t data(unsigned word) { return client_page::push_data.in_block(word); }
constexpr std::uint32_t kQueue = client_page::push_queue.in_block();
constexpr std::uint32_t kStatus = client_page::push_status.in_block();

class PushRegisters : public ::testing::Test {
 protected:
  void write_words(unsigned client, unsigned first = 0, unsigned count = 7) {
    for (unsigned word = first; word < first + count; ++word) {
      ASSERT_EQ(bus_.status(page_write(client, data(word), word)), Status::kOk) << "word " << word;
    }
  }
  // Writes the last word; the insertion ends with `outcome` after a few cycles.
  RegisterAnswer insert(unsigned client, Status outcome) {
    bus_.present(page_write(client, data(7), 7));
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(block_->insert_valid_o || i == 0);
      EXPECT_FALSE(bus_.tick());
    }
    block_->insert_done_i = 1;
    block_->insert_status_i = static_cast<std::uint8_t>(outcome);
    bus_.tick();
    block_->insert_done_i = 0;
    block_->open_i = outcome == Status::kOk ? 1 : block_->open_i;
    EXPECT_TRUE(bus_.tick());
    return bus_.answer();
  }
  void stored(unsigned client, bool error) {
    block_->stored_valid_i = 1;
    block_->stored_client_i = static_cast<std::uint8_t>(client);
    block_->stored_error_i = error;
    block_.tick();
    block_->stored_valid_i = 0;
    block_->open_i = 0;
    block_.settle();
  }
  std::uint64_t push_status(unsigned client) { return bus_.read(page_read(client, kStatus)); }

  Random random_;
  Clocked<Vmu_push_registers> block_{random_.seed()};
  RegisterBus<Vmu_push_registers> bus_{block_};
};

TEST_F(PushRegisters, CountsAnAcceptedPushAndShowsItBusyUntilItIsStored) {
  write_words(1);
  EXPECT_EQ(insert(1, Status::kOk), Status::kOk);
  EXPECT_EQ(extract(push_status(1), client_page::push_status_field::accepted), 1U);
  EXPECT_EQ(extract(push_status(1), client_page::push_status_field::busy), 1U);
  EXPECT_EQ(extract(push_status(0), client_page::push_status_field::busy), 0U);
  stored(1, false);
  EXPECT_EQ(push_status(1), 1U);
}

TEST_F(PushRegisters, TellsARefusalAndLetsTheLastWordTryAgain) {
  write_words(2);
  EXPECT_EQ(insert(2, Status::kQueueFull), Status::kQueueFull);
  EXPECT_EQ(push_status(2), static_cast<std::uint64_t>(Status::kQueueFull) << 32);
  EXPECT_EQ(insert(2, Status::kOk), Status::kOk);
  stored(2, false);
  EXPECT_EQ(push_status(2), 1U) << "the status is that of the last push";
}

TEST_F(PushRegisters, TellsThatTheWriteOfAPushFailed) {
  write_words(3);
  insert(3, Status::kOk);
  stored(3, true);
  EXPECT_EQ(push_status(3), static_cast<std::uint64_t>(Status::kMemoryError) << 32 | 1U);
}

TEST_F(PushRegisters, TakesWordsInOrderOnlyAndStartsAnewAtTheFirst) {
  EXPECT_EQ(bus_.status(page_write(0, data(7), 0)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(page_write(0, data(1), 0)), Status::kRegisterPartial);
  write_words(0, 0, 3);
  EXPECT_EQ(bus_.status(page_write(0, data(2), 0)), Status::kRegisterPartial) << "again";
  EXPECT_EQ(bus_.status(page_write(0, data(4), 0)), Status::kRegisterPartial) << "one left out";
  write_words(0, 3, 1);
  write_words(0, 0, 1);
  EXPECT_EQ(bus_.status(page_write(0, data(4), 0)), Status::kRegisterPartial);
  write_words(0, 1, 6);
  EXPECT_EQ(insert(0, Status::kOk), Status::kOk);
  stored(0, false);
  EXPECT_EQ(bus_.status(page_write(0, data(7), 0)), Status::kRegisterPartial) << "a new window";
}

TEST_F(PushRegisters, KeepWindowsOfClientsApart) {
  write_words(0);
  write_words(1, 0, 4);
  EXPECT_EQ(insert(0, Status::kOk), Status::kOk);
  stored(0, false);
  write_words(1, 4, 3);
  EXPECT_EQ(insert(1, Status::kOk), Status::kOk);
}

TEST_F(PushRegisters, NamesTheQueueOfTheClient) {
  ASSERT_EQ(bus_.status(page_write(1, kQueue, kQueues - 1)), Status::kOk);
  ASSERT_EQ(bus_.status(page_write(2, kQueue, 5)), Status::kOk);
  EXPECT_EQ(bus_.read(page_read(1, kQueue)), kQueues - 1);
  EXPECT_EQ(bus_.read(page_read(0, kQueue)), 0U);
  write_words(2);
  bus_.present(page_write(2, data(7), 7));
  block_.settle();
  EXPECT_TRUE(block_->insert_valid_o);
  EXPECT_EQ(block_->insert_queue_o, 5U);
}

TEST_F(PushRegisters, TakeTheNameOfAQueueWithoutTheWindow) {
  block_->stall_words_i = 1;
  bus_.present(page_write(1, kQueue, kQueues - 1));
  block_.settle();
  EXPECT_FALSE(block_->word_write_o);
  EXPECT_FALSE(bus_.tick());
  EXPECT_TRUE(block_->busy_o) << "it answers";
  EXPECT_TRUE(bus_.tick()) << "whether words must wait or not";
  EXPECT_FALSE(block_->busy_o);
}

TEST_F(PushRegisters, AreReadWithoutTheWindow) {
  for (const bool words_wait : {false, true}) {
    for (const std::uint32_t address : {kQueue, kStatus}) {
      block_->stall_words_i = words_wait;
      bus_.present(page_read(1, address));
      block_.settle();
      EXPECT_FALSE(block_->word_write_o || block_->insert_valid_o);
      EXPECT_FALSE(bus_.tick());
      EXPECT_TRUE(bus_.tick()) << "whether words must wait or not";
    }
  }
}

TEST_F(PushRegisters, BeginWithTheFirstWordAfterAReset) {
  for (unsigned client = 0; client < kClients; ++client) {
    for (unsigned words = 1; words < 8; ++words) {
      write_words(client, 0, words);
      block_.reset(1);
      for (unsigned word = 1; word < 8; ++word) {
        EXPECT_EQ(bus_.status(page_write(client, data(word), 0)), Status::kRegisterPartial) << word;
      }
    }
  }
}

TEST_F(PushRegisters, HoldBackTheLastWordWhileAnotherPushIsInFlight) {
  write_words(0);
  write_words(1);
  insert(0, Status::kOk);
  bus_.present(page_write(1, data(7), 7));
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(bus_.tick());
    EXPECT_FALSE(block_->insert_valid_o);
    EXPECT_FALSE(block_->word_write_o) << "the window is still read";
  }
  block_->stored_valid_i = 1;
  bus_.tick();
  block_->stored_valid_i = 0;
  block_->open_i = 0;
  block_.settle();
  EXPECT_TRUE(block_->insert_valid_o);
}

TEST_F(PushRegisters, HoldBackEveryWordWhileAWindowIsHandedOver) {
  block_->stall_words_i = 1;
  bus_.present(page_write(1, data(0), 7));
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(bus_.tick());
    EXPECT_FALSE(block_->word_write_o);
  }
  block_->stall_words_i = 0;
  block_.settle();
  EXPECT_TRUE(block_->word_write_o);
  bus_.tick();
  EXPECT_TRUE(bus_.tick());
}

TEST_F(PushRegisters, RefuseWhatIsNotARegisterOrNotWhole) {
  ASSERT_EQ(bus_.status(page_write(1, kQueue, 3)), Status::kOk);
  write_words(1, 0, 2);
  EXPECT_EQ(bus_.status(page_read(1, data(0))), Status::kRegisterUnknown) << "write only";
  EXPECT_EQ(bus_.status(page_write(1, kStatus, 0)), Status::kRegisterUnknown) << "read only";
  EXPECT_EQ(bus_.status(page_write(1, data(2), 0, 4)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(page_write(1, kQueue, 0, 4)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(page_write(1, kQueue, kQueues)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(page_write(1, kQueue, 1ULL << 63)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(register_read(kStatus)), Status::kRegisterUnknown) << "privileged space";
  EXPECT_EQ(bus_.read(page_read(1, kQueue)), 3U);
  write_words(1, 2, 5);
}

TEST_F(PushRegisters, AreReadAtTheirOwnAddressesAlone) {
  for (std::uint32_t address = 0; address < kSpaceBytes; address += 8) {
    ASSERT_EQ(bus_.status(page_read(1, address)),
              address == kQueue || address == kStatus ? Status::kOk : Status::kRegisterUnknown)
        << std::hex << address;
  }
}

TEST_F(PushRegisters, KeepsEveryBitOfEveryClientUnderRandomUse) {
  SCOPED_TRACE(random_.replay());
  struct Client {
    unsigned queue = 0, next = 0, status = 0;
    std::uint32_t accepted = 0;
    bool busy = false;
  };
  std::array<Client, kClients> clients{};
  int open = -1;  // whose push is not stored
  for (int step = 0; step < 60000; ++step) {
    if (random_.chance(30)) block_.tick();
    if (random_.chance(1) && random_.chance(2)) {
      block_->open_i = 0;
      block_.reset(1);
      clients = {};
      open = -1;
    }
    const auto number = static_cast<unsigned>(random_.below(kClients));
    Client& client = clients[number];
    ASSERT_EQ(block_->busy_o, open >= 0) << step;
    switch (random_.below(20)) {
      case 0: {
        const std::uint64_t value =
            random_.chance(50) ? random_.below(kQueues + 8) : 1ULL << random_.below(64);
        const bool wide = random_.chance(80);
        ASSERT_EQ(bus_.status(page_write(number, kQueue, value, wide ? 8 : 4)),
                  !wide              ? Status::kRegisterPartial
                  : value >= kQueues ? Status::kRegisterValue
                                     : Status::kOk)
            << value;
        if (wide && value < kQueues) client.queue = static_cast<unsigned>(value);
        break;
      }
      case 1:
        for (unsigned i = 0; i < kClients; ++i) {
          const Client& shown = clients[i];
          ASSERT_EQ(bus_.read(page_read(i, kQueue)), shown.queue);
          ASSERT_EQ(push_status(i), shown.accepted | std::uint64_t{shown.status} << 32 |
                                        std::uint64_t{shown.busy} << 40);
        }
        break;
      case 2: {
        const auto which = static_cast<unsigned>(random_.below(10));
        const std::uint32_t of = which == 9 ? kQueue : which == 8 ? kStatus : data(which);
        const std::uint32_t other = of ^ 8U << random_.below(17);
        if (other <= kStatus) break;
        ASSERT_EQ(bus_.status(page_write(number, other, 1)), Status::kRegisterUnknown) << other;
        ASSERT_EQ(bus_.status(page_read(number, other)), Status::kRegisterUnknown) << other;
        ASSERT_EQ(bus_.status(page_write(number, kStatus, 1)), Status::kRegisterUnknown);
        if (const unsigned none = number + kClients * (1 + number % 3); none < 16) {
          ASSERT_EQ(bus_.status(page_read(none, kQueue)), Status::kRegisterUnknown);
        }
        ASSERT_EQ(bus_.status(register_write(kQueue, 1)), Status::kRegisterUnknown);
        ASSERT_EQ(bus_.status(register_read(kQueue)), Status::kRegisterUnknown);
        break;
      }
      case 5: {
        client.accepted = old_count(random_);
        block_->rootp->mu_push_registers__DOT__u_accepted__DOT__count_q[number] = client.accepted;
        settle_inside(block_->rootp);
        break;
      }
      case 3:
      case 4:
        if (open < 0) break;
        {
          const bool error = random_.chance(40);
          stored(static_cast<unsigned>(open), error);
          Client& ended = clients[static_cast<unsigned>(open)];
          ended.busy = false;
          if (error) ended.status = static_cast<unsigned>(Status::kMemoryError);
          open = -1;
        }
        break;
      default: {
        const unsigned word =
            random_.chance(90) ? client.next : static_cast<unsigned>(random_.below(8));
        const bool wide = random_.chance(97);
        const bool legal = wide && (word == 0 || word == client.next);
        if (legal && word == 7 && open >= 0) break;  // it would wait
        block_->stall_words_i = legal && random_.chance(20);
        bus_.present(page_write(number, data(word), random_.bits64(), wide ? 8 : 4));
        block_.settle();
        if (block_->stall_words_i) {
          ASSERT_FALSE(block_->word_write_o || block_->insert_valid_o);
          ASSERT_FALSE(bus_.tick());
          block_->stall_words_i = 0;
          block_.settle();
        }
        ASSERT_EQ(block_->word_write_o, legal) << word;
        ASSERT_EQ(block_->insert_valid_o, legal && word == 7);
        if (legal) {
          ASSERT_EQ(block_->word_number_o, word);
        }
        unsigned outcome = 0;
        if (legal && word == 7) {
          ASSERT_EQ(block_->insert_queue_o, client.queue);
          ASSERT_FALSE(bus_.tick());
          outcome = random_.chance(70) ? 0 : 1U << random_.below(8);
          block_->insert_done_i = 1;
          block_->insert_status_i = static_cast<CData>(outcome);
          block_.settle();
        }
        ASSERT_FALSE(bus_.tick());
        block_->insert_done_i = 0;
        if (legal && word == 7 && outcome == 0) block_->open_i = 1;
        ASSERT_TRUE(bus_.tick());
        const unsigned answer = !legal ? static_cast<unsigned>(Status::kRegisterPartial) : outcome;
        ASSERT_EQ(static_cast<unsigned>(bus_.answer().status), answer) << word;
        if (!legal) break;
        if (word < 7) {
          client.next = word + 1;
          break;
        }
        client.status = outcome;
        if (outcome != 0) break;
        client.next = 0;
        ++client.accepted;
        client.busy = true;
        open = static_cast<int>(number);
      }
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
