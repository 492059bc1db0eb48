// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "Vmu_push_window.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using namespace registers;  // NOLINT(google-build-using-namespace)
using RingSlots = Record<layout::ring_slots::Layout>;
using WriteCommand = Record<layout::write_command::Layout>;

class PushWindow : public ::testing::Test {
 protected:
  // A descriptor as it went out to the memory.
  struct Stored {
    WriteCommand command;
    Bytes bytes;
  };

  // One cycle of the queue engine, the memory port and the completion, each at its pace.
  bool tick() {
    window_->push_reserve_ready_i = random_.chance(pace_);
    window_->push_write_command_ready_i = random_.chance(pace_);
    window_->push_write_beat_ready_i = random_.chance(pace_);
    window_->push_slots_valid_i = reserved_ == 1;
    drive(window_->push_slots_i, slots_);
    window_->push_done_valid_i = done_in_ == 1;
    window_->push_done_client_i = done_client_;
    window_->push_done_error_i = memory_fails_;
    window_.settle();
    EXPECT_TRUE(window_->push_reserve_valid_o || !asks_) << "a question is withdrawn";
    asks_ = window_->push_reserve_valid_o && !window_->push_reserve_ready_i;
    if (reserved_ > 0) --reserved_;
    if (done_in_ > 0) --done_in_;
    if (window_->push_reserve_valid_o && window_->push_reserve_ready_i) {
      reserved_ = 1 + static_cast<unsigned>(random_.below(3));
      queues_.push_back(window_->push_reserve_queue_o);
      clients_.push_back(window_->push_reserve_client_o);
    }
    if (window_->push_write_command_valid_o && window_->push_write_command_ready_i) {
      stored_.push_back({sample_record<WriteCommand>(window_->push_write_command_data_o), {}});
    }
    if (window_->push_write_beat_valid_o && window_->push_write_beat_ready_i) {
      EXPECT_FALSE(stored_.empty()) << "data before its command";
      const Bytes beat = sample(window_->push_write_beat_data_o, 32);
      Bytes& bytes = stored_.back().bytes;
      bytes.insert(bytes.end(), beat.begin(), beat.end());
      if (bytes.size() == 64) {
        done_in_ = 1 + static_cast<unsigned>(random_.below(20));
        const auto action = stored_.back().command.get<layout::write_command::action>();
        done_client_ = static_cast<std::uint8_t>(action.get<layout::write_action::client>());
      }
    }
    return bus_.tick();
  }
  Status access(const RegisterRequest& request) {
    bus_.present(request);
    for (int i = 0; i < 200; ++i) {
      if (tick()) return bus_.answer().status;
    }
    throw std::runtime_error("a register access was not answered in 200 cycles");
  }
  Status push(unsigned client, const std::array<std::uint64_t, 8>& words) {
    Status status = Status::kOk;
    for (unsigned word = 0; word < 8; ++word) {
      status = access(page_write(client, client_page::push_data.in_block(word), words[word]));
      if (word < 7) {
        EXPECT_EQ(status, Status::kOk);
      }
    }
    return status;
  }
  std::array<std::uint64_t, 8> random_words() {
    std::array<std::uint64_t, 8> words;
    for (auto& word : words) word = random_.bits64();
    return words;
  }
  // What leaves the words of a window as they are.
  void disturb(unsigned client, unsigned next) {
    const std::uint64_t queue = random_.below(kProfile.injection_queues);
    EXPECT_EQ(access(page_write(client, client_page::push_queue.in_block(), queue)), Status::kOk);
    EXPECT_EQ(access(page_read(client, client_page::push_status.in_block())), Status::kOk);
    for (unsigned word = 1; word < 8; ++word) {
      if (word == next) continue;
      const std::uint32_t address = client_page::push_data.in_block(word);
      EXPECT_EQ(access(page_write(client, address, random_.bits64())), Status::kRegisterPartial);
    }
  }
  void rest() {
    for (int i = 0; window_->busy_o; ++i) {
      ASSERT_LT(i, 200) << "the push did not end";
      tick();
    }
  }
  void slots(Status status, std::uint64_t base = 0x1000, std::uint64_t position = 0) {
    slots_.set<layout::ring_slots::status>(status)
        .set<layout::ring_slots::base>(base)
        .set<layout::ring_slots::position>(position)
        .set<layout::ring_slots::size>(1U << 24);
  }
  static std::array<std::uint64_t, 8> words_of(const Bytes& bytes) {
    std::array<std::uint64_t, 8> words{};
    if (bytes.size() == 64) std::memcpy(words.data(), bytes.data(), 64);
    return words;
  }

  Random random_;
  Clocked<Vmu_push_window> window_{random_.seed()};
  RegisterBus<Vmu_push_window> bus_{window_};
  unsigned pace_ = 100;
  bool memory_fails_ = false;
  bool asks_ = false;      // for a slot, and was not heard
  unsigned reserved_ = 0;  // cycles until the slots come
  unsigned done_in_ = 0;   // cycles until the write is done
  std::uint8_t done_client_ = 0;
  RingSlots slots_;
  std::vector<unsigned> queues_;
  std::vector<unsigned> clients_;
  std::vector<Stored> stored_;
};

TEST_F(PushWindow, StoresTheEightWordsInTheReservedSlot) {
  slots(Status::kOk, 0x12'3456'7890, 0xABCDEF);
  ASSERT_EQ(access(page_write(3, client_page::push_queue.in_block(), 17)), Status::kOk);
  const auto words = random_words();
  ASSERT_EQ(push(3, words), Status::kOk);
  rest();
  ASSERT_EQ(queues_, std::vector<unsigned>{17});
  ASSERT_EQ(clients_, std::vector<unsigned>{3});
  ASSERT_EQ(stored_.size(), 1U);
  const WriteCommand& command = stored_[0].command;
  EXPECT_EQ(command.get<layout::write_command::address>(), 0x12'3456'7890U + 0xABCDEFULL * 64);
  EXPECT_EQ(command.get<layout::write_command::bytes>(), 64U);
  EXPECT_EQ(command.get<layout::write_command::final_part>(), 1U);
  const auto action = command.get<layout::write_command::action>();
  EXPECT_EQ(action.get<layout::write_action::action>(), Action::kPush);
  EXPECT_EQ(action.get<layout::write_action::client>(), 3U);
  EXPECT_EQ(action.get<layout::write_action::target>(), 17U);
  EXPECT_EQ(action.get<layout::write_action::amount>(), 1U);
  EXPECT_EQ(action.get<layout::write_action::counter_valid>(), 0U);
  EXPECT_EQ(action.get<layout::write_action::event_valid>(), 0U);
  EXPECT_EQ(action.get<layout::write_action::interrupt>(), 0U);
  EXPECT_EQ(words_of(stored_[0].bytes), words);
}

TEST_F(PushWindow, WritesNothingWhenTheQueueRefuses) {
  for (const Status status : {Status::kQueueFull, Status::kQueueInvalid}) {
    slots(status);
    EXPECT_EQ(push(1, random_words()), status);
    rest();
    EXPECT_TRUE(stored_.empty());
  }
  slots(Status::kOk);
  EXPECT_EQ(access(page_write(1, client_page::push_data.in_block(7), 1)), Status::kOk);
  rest();
  EXPECT_EQ(stored_.size(), 1U);
}

TEST_F(PushWindow, NeverMixesDescriptorsOfBusyClients) {
  SCOPED_TRACE(random_.replay());
  slots(Status::kOk);
  std::vector<std::array<std::uint64_t, 8>> pushed;
  std::array<std::array<std::uint64_t, 8>, kProfile.clients> windows{};
  std::array<unsigned, kProfile.clients> next{};
  for (int i = 0; i < 6000; ++i) {
    pace_ = 20 + static_cast<unsigned>(random_.below(81));
    memory_fails_ = random_.chance(10);
    const auto client = static_cast<unsigned>(random_.below(kProfile.clients));
    if (random_.chance(20)) disturb(client, next[client]);
    if (random_.chance(3)) next[client] = 0;  // a thread died; the next one starts anew
    const unsigned word = next[client];
    windows[client][word] = random_.bits64();
    const bool full = random_.chance(20);
    slots(full ? Status::kQueueFull : Status::kOk, 0x40, random_.below(1U << 24));
    const Status status =
        access(page_write(client, client_page::push_data.in_block(word), windows[client][word]));
    if (word < 7) {
      ASSERT_EQ(status, Status::kOk);
      ++next[client];
    } else {
      ASSERT_EQ(status, full ? Status::kQueueFull : Status::kOk);
      if (!full) {
        pushed.push_back(windows[client]);
        next[client] = 0;
      }
    }
  }
  rest();
  ASSERT_EQ(stored_.size(), pushed.size());
  EXPECT_GT(stored_.size(), 300U);
  for (std::size_t i = 0; i < pushed.size(); ++i) {
    ASSERT_EQ(words_of(stored_[i].bytes), pushed[i]) << "push " << i;
  }
}

TEST_F(PushWindow, IsBusyUntilItsWriteIsDone) {
  slots(Status::kOk);
  EXPECT_FALSE(window_->busy_o);
  ASSERT_EQ(push(0, random_words()), Status::kOk);
  for (int i = 0; done_in_ == 0; ++i) {
    ASSERT_LT(i, 100) << "the beats were not handed over";
    ASSERT_TRUE(window_->busy_o);
    tick();
  }
  EXPECT_TRUE(window_->busy_o) << "the write is on its way";
  rest();
  EXPECT_EQ(access(page_write(0, client_page::push_data.in_block(0), 1)), Status::kOk);
  tick();
  EXPECT_FALSE(window_->busy_o) << "a window half written waits for software";
}

TEST_F(PushWindow, HoldsBackWordsUntilTheSecondBeatIsTaken) {
  slots(Status::kOk);
  const auto words = random_words();
  ASSERT_EQ(push(1, words), Status::kOk);
  for (int i = 0; stored_.empty() || stored_[0].bytes.size() < 32; ++i) {
    ASSERT_LT(i, 10) << "the first beat was not handed over";
    tick();
  }
  pace_ = 0;
  bus_.present(page_write(1, client_page::push_data.in_block(0), 1));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(tick());
  pace_ = 100;
  for (int i = 0; !tick(); ++i) ASSERT_LT(i, 5) << "the word is not taken";
  rest();
  EXPECT_EQ(words_of(stored_[0].bytes), words);
}

TEST_F(PushWindow, IsBusyWhileItAnswersARegisterAccess) {
  bus_.present(page_read(2, client_page::push_status.in_block()));
  EXPECT_FALSE(tick());
  EXPECT_TRUE(window_->busy_o);
  EXPECT_TRUE(tick());
  EXPECT_FALSE(window_->busy_o);
}

TEST_F(PushWindow, NamesAnyQueueAndSlotAndPassesAnyRefusalOn) {
  SCOPED_TRACE(random_.replay());
  std::array<unsigned, kProfile.clients> queue{};
  for (int i = 0; i < 600; ++i) {
    pace_ = 20 + static_cast<unsigned>(random_.below(81));
    memory_fails_ = random_.chance(20);
    const auto client = static_cast<unsigned>(random_.below(kProfile.clients));
    if (random_.chance(50)) {
      queue[client] = static_cast<unsigned>(random_.below(kProfile.injection_queues));
      ASSERT_EQ(access(page_write(client, client_page::push_queue.in_block(), queue[client])),
                Status::kOk);
    }
    const auto refusal = static_cast<Status>(1U << random_.below(8));
    const Status wanted = random_.chance(40) ? refusal : Status::kOk;
    const std::uint64_t base = random_.bits64() >> 24, position = random_.bits64() >> 40;
    slots(wanted, base, position);
    slots_.set<layout::ring_slots::size>(random_.bits64() >> 32);
    const auto words = random_words();
    const std::size_t before = stored_.size();
    ASSERT_EQ(push(client, words), wanted);
    ASSERT_EQ(queues_.back(), queue[client]);
    ASSERT_EQ(clients_.back(), client);
    if (wanted == Status::kOk) {
      ASSERT_TRUE(window_->busy_o);
    }
    ASSERT_NO_FATAL_FAILURE(rest());
    ASSERT_EQ(stored_.size(), before + (wanted == Status::kOk));
    if (wanted != Status::kOk) continue;
    namespace a = layout::write_action;
    WriteCommand command;
    command.set<layout::write_command::address>((base + position * 64) & ((1ULL << 40) - 1))
        .set<layout::write_command::bytes>(64)
        .set<layout::write_command::final_part>(1)
        .set<layout::write_command::action>(Record<a::Layout>()
                                                .set<a::action>(Action::kPush)
                                                .set<a::client>(client)
                                                .set<a::target>(queue[client])
                                                .set<a::amount>(1));
    ASSERT_EQ(stored_.back().command, command) << "push " << i;
    ASSERT_EQ(words_of(stored_.back().bytes), words);
    const auto status = access(page_read(client, client_page::push_status.in_block()));
    ASSERT_EQ(status, Status::kOk);
    ASSERT_EQ(extract(bus_.answer().data, client_page::push_status_field::status),
              static_cast<unsigned>(memory_fails_ ? Status::kMemoryError : Status::kOk));
    tick();
    ASSERT_FALSE(window_->busy_o);
  }
}

TEST_F(PushWindow, ShowsNothingToItsPartnersUntilAPushIsMade) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 40; ++i) {
    slots(Status::kOk);
    pace_ = 0;
    for (unsigned word = 0; word < 7; ++word) {
      ASSERT_EQ(access(page_write(1, client_page::push_data.in_block(word), ~0ULL)), Status::kOk);
      ASSERT_FALSE(window_->push_reserve_valid_o || window_->push_write_command_valid_o ||
                   window_->push_write_beat_valid_o);
      ASSERT_EQ(sample(window_->push_write_beat_data_o, 32), Bytes(32, 0));
      ASSERT_EQ(sample(window_->push_write_command_data_o, WriteCommand::kBytes),
                Bytes(WriteCommand::kBytes, 0));
    }
    bus_.present(page_write(1, client_page::push_data.in_block(7), 0));
    tick();
    pace_ = 100;
    const auto cycles = random_.below(5);
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) tick();
    ASSERT_TRUE(window_->busy_o) << "after " << cycles << " cycles";
    window_->register_valid_i = window_->push_slots_valid_i = window_->push_done_valid_i = 0;
    reserved_ = done_in_ = 0;
    window_.reset(1);
    ASSERT_FALSE(window_->busy_o || window_->push_reserve_valid_o ||
                 window_->push_write_command_valid_o || window_->push_write_beat_valid_o);
  }
}

}  // namespace
}  // namespace torusmu::testing
