// SPDX-License-Identifier: Apache-2.0
// verilator: -GCOUNT=8 -GWIDTH=32

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>

#include "Vmu_counter_file.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using Operation = Record<layout::counter_operation::Layout>;

// The arithmetic is the test's own, and such that neither order nor loss goes unseen.
std::uint32_t applied(std::uint32_t value, std::uint64_t operand) {
  return value * 3 + static_cast<std::uint32_t>(operand);
}

class CounterFile : public ::testing::Test {
 protected:
  Operation random_operation(unsigned counters) {
    return Operation()
        .set<layout::counter_operation::counter>(random_.below(counters))
        .set<layout::counter_operation::value>(random_.bits64() & 0xffff);
  }
  void access(bool write, unsigned index, std::uint32_t data) {
    file_->access_valid_i = 1;
    file_->access_write_i = write;
    file_->access_index_i = static_cast<std::uint8_t>(index);
    file_->access_data_i = data;
  }
  // The user's arithmetic, then the edge.
  void tick() {
    file_.settle();
    if (file_->update_valid_o) {
      const auto operation = sample_record<Operation>(file_->update_operation_o);
      file_->next_value_i =
          applied(file_->update_value_o, operation.get<layout::counter_operation::value>());
    }
    file_.tick();
  }
  std::uint32_t finish_access() {
    unsigned waited = 0;
    for (file_.settle(); !file_->access_done_o; tick()) {
      if (++waited == 100) throw std::runtime_error("access not answered in 100 cycles");
    }
    const std::uint32_t data = file_->access_data_o;
    tick();
    file_->access_valid_i = 0;
    file_.settle();
    return data;
  }

  Random random_;
  Clocked<Vmu_counter_file> file_{random_.seed()};
};

TEST_F(CounterFile, IsZeroAfterReset) {
  for (unsigned i = 0; i < 8; ++i) {
    access(false, i, 0);
    EXPECT_EQ(finish_access(), 0U);
  }
}

TEST_F(CounterFile, AppliesOperationsOnOneCounterInEveryCycle) {
  std::uint32_t expected = 0;
  for (unsigned i = 1; i <= 20; ++i) {
    file_->completion_valid_i = 1;
    drive(file_->completion_operation_i, Operation()
                                             .set<layout::counter_operation::counter>(5)
                                             .set<layout::counter_operation::value>(i));
    file_.settle();
    ASSERT_TRUE(file_->completion_ready_o);
    expected = applied(expected, i);
    tick();
  }
  file_->completion_valid_i = 0;
  access(false, 5, 0);
  EXPECT_EQ(finish_access(), expected);
}

TEST_F(CounterFile, ShowsAnOperationToAReadThreeCyclesLater) {
  file_->completion_valid_i = 1;
  drive(file_->completion_operation_i, Operation().set<layout::counter_operation::value>(77));
  tick();
  file_->completion_valid_i = 0;
  access(false, 0, 0);
  tick();
  tick();
  EXPECT_TRUE(file_->access_done_o);
  EXPECT_EQ(file_->access_data_o, 77U);
  finish_access();
}

TEST_F(CounterFile, LosesNothingWhenAllThreeWriteTheSameCounters) {
  SCOPED_TRACE(random_.replay());
  struct Taken {
    std::uint64_t cycle;
    Operation operation;
  };
  std::deque<Taken> taken;
  std::array<std::uint32_t, 8> values{};
  Operation completion;
  Operation injection;
  unsigned accesses = 0;
  const auto catch_up = [&](std::uint64_t before) {
    for (; !taken.empty() && taken.front().cycle < before; taken.pop_front()) {
      auto& value = values[taken.front().operation.get<layout::counter_operation::counter>()];
      value = applied(value, taken.front().operation.get<layout::counter_operation::value>());
    }
  };
  for (int i = 0; i < 20000; ++i) {
    const unsigned load = i % 2000 < 1000 ? 90 : 30;
    if (!file_->completion_valid_i && random_.chance(load)) {
      completion = random_operation(3);
      file_->completion_valid_i = 1;
      drive(file_->completion_operation_i, completion);
    }
    if (!file_->injection_valid_i && random_.chance(load)) {
      injection = random_operation(3);
      file_->injection_valid_i = 1;
      drive(file_->injection_operation_i, injection);
    }
    if (!file_->access_valid_i && random_.chance(20)) {
      access(random_.chance(50), static_cast<unsigned>(random_.below(3)),
             static_cast<std::uint32_t>(random_.bits64()));
    }
    file_.settle();
    const bool completion_taken = file_->completion_valid_i && file_->completion_ready_o;
    const bool injection_taken = file_->injection_valid_i && file_->injection_ready_o;
    const bool done = file_->access_done_o;
    if (completion_taken) taken.push_back({file_.cycle(), completion});
    if (injection_taken) taken.push_back({file_.cycle(), injection});
    if (done) {
      catch_up(file_.cycle() - 2);  // an access is taken two cycles before its answer
      auto& value = values[file_->access_index_i];
      if (file_->access_write_i) {
        value = file_->access_data_i;
      } else {
        ASSERT_EQ(file_->access_data_o, value) << "cycle " << file_.cycle();
      }
      ++accesses;
    }
    tick();
    if (completion_taken) file_->completion_valid_i = 0;
    if (injection_taken) file_->injection_valid_i = 0;
    if (done) file_->access_valid_i = 0;
  }
  EXPECT_GT(accesses, 1000U);
}

TEST_F(CounterFile, AnswersSoftwareInABoundUnderFullLoad) {
  file_->completion_valid_i = 1;
  file_->injection_valid_i = 1;
  for (int i = 0; i < 10; ++i) tick();
  access(false, 1, 0);
  unsigned cycles = 0;
  for (file_.settle(); !file_->access_done_o; tick()) ASSERT_LT(++cycles, 7U);
  finish_access();
}

TEST_F(CounterFile, IsBusyExactlyWhileSomethingIsInside) {
  EXPECT_FALSE(file_->busy_o);
  file_->injection_valid_i = 1;
  tick();
  file_->injection_valid_i = 0;
  file_.settle();
  EXPECT_TRUE(file_->busy_o);
  tick();
  EXPECT_FALSE(file_->busy_o);
}

// What is in the two stages, and the values, by the contract.
class CounterFileAtRandom : public CounterFile {
 protected:
  Operation any_operation() {
    Operation operation = Operation::from_bytes(random_bytes(random_, Operation::kBytes));
    return operation.set<layout::counter_operation::counter>(random_.below(few_));
  }
  static unsigned counter_of(const Operation& operation) {
    return static_cast<unsigned>(operation.get<layout::counter_operation::counter>());
  }
  void drive_all() {
    const unsigned load = file_.cycle() / 500 % 2 == 0 ? 90 : 30;
    if (!file_->completion_valid_i || completion_taken_) completion_ = any_operation();
    if (!file_->injection_valid_i || injection_taken_) injection_ = any_operation();
    file_->completion_valid_i = random_.chance(load);
    file_->injection_valid_i = random_.chance(load);
    drive(file_->completion_operation_i, completion_);
    drive(file_->injection_operation_i, injection_);
    file_->next_value_i = static_cast<std::uint32_t>(random_.bits64());
    if (accessing_ || done_) return;
    access(random_.chance(50), static_cast<unsigned>(random_.below(few_)),
           static_cast<std::uint32_t>(random_.bits64()));
    file_->access_valid_i = random_.chance(50);
  }
  void compare() {
    ASSERT_EQ(file_->busy_o, operating_ || accessing_ || done_);
    ASSERT_EQ(file_->update_valid_o, operating_);
    const bool writes = operating_ || (accessing_ && file_->access_write_i);
    ASSERT_EQ(file_->change_valid_o, writes);
    if (operating_) {
      ASSERT_EQ(sample_record<Operation>(file_->update_operation_o), inside_);
      ASSERT_EQ(file_->update_value_o, values_[counter_of(inside_)]);
    }
    if (writes) {
      ASSERT_EQ(file_->change_index_o, operating_ ? counter_of(inside_) : file_->access_index_i);
      ASSERT_EQ(file_->change_value_o, operating_ ? file_->next_value_i : file_->access_data_i);
    }
    ASSERT_EQ(file_->access_done_o, done_);
    if (done_) {
      ASSERT_EQ(file_->access_data_o, data_);
    }
    completion_taken_ = file_->completion_valid_i && file_->completion_ready_o;
    injection_taken_ = file_->injection_valid_i && file_->injection_ready_o;
    ASSERT_FALSE(completion_taken_ && injection_taken_);
  }
  // What the coming edge does.
  void step() {
    const bool takes_access =
        file_->access_valid_i && !accessing_ && !done_ && !completion_taken_ && !injection_taken_;
    if (operating_) values_[counter_of(inside_)] = file_->next_value_i;
    done_ = accessing_;
    if (accessing_) data_ = values_[file_->access_index_i];
    if (accessing_ && file_->access_write_i) values_[file_->access_index_i] = file_->access_data_i;
    operating_ = completion_taken_ || injection_taken_;
    inside_ = completion_taken_ ? completion_ : injection_;
    accessing_ = takes_access;
  }
  void forget() {
    file_->completion_valid_i = file_->injection_valid_i = file_->access_valid_i = 0;
    file_.reset(1);
    values_ = {};
    operating_ = accessing_ = done_ = completion_taken_ = injection_taken_ = false;
  }

  unsigned few_ = 8;
  std::array<std::uint32_t, 8> values_{};
  Operation completion_, injection_, inside_;
  bool operating_ = false, accessing_ = false, done_ = false;
  bool completion_taken_ = false, injection_taken_ = false;
  std::uint32_t data_ = 0;
};

TEST_F(CounterFileAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  for (int cycle = 0; cycle < 30000; ++cycle) {
    if (random_.below(300) == 0) forget();
    if (cycle % 400 == 0) few_ = random_.chance(50) ? 8 : 2;
    drive_all();
    file_.settle();
    ASSERT_NO_FATAL_FAILURE(compare()) << "cycle " << cycle;
    step();
    file_.tick();
  }
}

}  // namespace
}  // namespace torusmu::testing
