// SPDX-License-Identifier: Apache-2.0
// Small, as the byte and event counters of the node, and as those of the larger profile.
// verilator: -GCOUNT=8 -GWIDTH=32
// model: Vmu_counter_file_byte mu_counter_file -GCOUNT=64 -GWIDTH=40
// model: Vmu_counter_file_event mu_counter_file -GCOUNT=64 -GWIDTH=32
// model: Vmu_counter_file_byte_bgp mu_counter_file -GCOUNT=256 -GWIDTH=40
// model: Vmu_counter_file_event_bgp mu_counter_file -GCOUNT=256 -GWIDTH=32

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <type_traits>
#include <vector>

#include "Vmu_counter_file.h"
#include "Vmu_counter_file_byte.h"
#include "Vmu_counter_file_byte_bgp.h"
#include "Vmu_counter_file_event.h"
#include "Vmu_counter_file_event_bgp.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using Operation = Record<layout::counter_operation::Layout>;

unsigned counter_of(const Operation& operation) {
  return static_cast<unsigned>(operation.get<layout::counter_operation::counter>());
}
std::uint64_t value_of(const Operation& operation) {
  return operation.get<layout::counter_operation::value>();
}
Operation operation_on(unsigned counter, std::uint64_t value) {
  return Operation()
      .set<layout::counter_operation::counter>(counter)
      .set<layout::counter_operation::value>(value);
}
Operation with_counter(Operation operation, unsigned counter) {
  return operation.set<layout::counter_operation::counter>(counter);
}

template <typename M, unsigned counters, unsigned bits>
struct Size {
  using Model = M;
  static constexpr unsigned kCounters = counters;
  static constexpr unsigned kBits = bits;
};
using Sizes =
    ::testing::Types<Size<Vmu_counter_file, 8, 32>, Size<Vmu_counter_file_event, 64, 32>,
                     Size<Vmu_counter_file_byte, 64, 40>, Size<Vmu_counter_file_event_bgp, 256, 32>,
                     Size<Vmu_counter_file_byte_bgp, 256, 40>>;

template <typename S>
class CounterFile : public ::testing::Test {
 protected:
  using Value = std::remove_reference_t<decltype(S::Model::access_data_i)>;
  static constexpr unsigned kCounters = S::kCounters;
  static constexpr std::uint64_t kMask = (std::uint64_t{1} << S::kBits) - 1;

  // The arithmetic is the test's own, and such that neither order nor loss goes unseen.
  static Value applied(std::uint64_t value, std::uint64_t operand) {
    return static_cast<Value>((value * 3 + operand) & kMask);
  }
  Value any_value() { return static_cast<Value>(random_.bits64() & kMask); }
  // Either all counters take part, or two whose numbers differ in one bit.
  void choose_counters() {
    chosen_.clear();
    if (random_.chance(30)) {
      for (unsigned i = 0; i < kCounters; ++i) chosen_.push_back(i);
      return;
    }
    unsigned bit = 1;
    while (2 * bit < kCounters && random_.chance(70)) bit *= 2;
    const auto one = static_cast<unsigned>(random_.below(kCounters));
    chosen_ = {one, one ^ bit};
  }
  unsigned any_counter() { return chosen_[random_.below(chosen_.size())]; }
  Operation random_operation() { return operation_on(any_counter(), random_.bits64() & 0xffff); }
  void access(bool write, unsigned index, Value data) {
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
      file_->next_value_i = applied(file_->update_value_o, value_of(operation));
    }
    file_.tick();
  }
  Value finish_access() {
    unsigned waited = 0;
    for (file_.settle(); !file_->access_done_o; tick()) {
      if (++waited == 100) throw std::runtime_error("access not answered in 100 cycles");
    }
    const Value data = file_->access_data_o;
    tick();
    file_->access_valid_i = 0;
    file_.settle();
    return data;
  }

  Random random_;
  Clocked<typename S::Model> file_{random_.seed()};
  std::vector<unsigned> chosen_;
};
TYPED_TEST_SUITE(CounterFile, Sizes);

TYPED_TEST(CounterFile, IsZeroAfterReset) {
  for (unsigned i = 0; i < TestFixture::kCounters; ++i) {
    this->access(false, i, 0);
    EXPECT_EQ(this->finish_access(), 0U);
  }
}

TYPED_TEST(CounterFile, AppliesOperationsOnOneCounterInEveryCycle) {
  typename TestFixture::Value expected = 0;
  for (unsigned i = 1; i <= 20; ++i) {
    this->file_->completion_valid_i = 1;
    drive(this->file_->completion_operation_i, operation_on(5, i));
    this->file_.settle();
    ASSERT_TRUE(this->file_->completion_ready_o);
    expected = this->applied(expected, i);
    this->tick();
  }
  this->file_->completion_valid_i = 0;
  this->access(false, 5, 0);
  EXPECT_EQ(this->finish_access(), expected);
}

TYPED_TEST(CounterFile, ShowsAnOperationToAReadThreeCyclesLater) {
  this->file_->completion_valid_i = 1;
  drive(this->file_->completion_operation_i, operation_on(0, 77));
  this->tick();
  this->file_->completion_valid_i = 0;
  this->access(false, 0, 0);
  this->tick();
  this->tick();
  EXPECT_TRUE(this->file_->access_done_o);
  EXPECT_EQ(this->file_->access_data_o, 77U);
  this->finish_access();
}

TYPED_TEST(CounterFile, LosesNothingWhenAllThreeWriteTheSameCounters) {
  SCOPED_TRACE(this->random_.replay());
  struct Taken {
    std::uint64_t cycle;
    Operation operation;
  };
  std::deque<Taken> taken;
  std::vector<typename TestFixture::Value> values(TestFixture::kCounters);
  Operation completion;
  Operation injection;
  unsigned accesses = 0;
  const auto catch_up = [&](std::uint64_t before) {
    for (; !taken.empty() && taken.front().cycle < before; taken.pop_front()) {
      auto& value = values[counter_of(taken.front().operation)];
      value = this->applied(value, value_of(taken.front().operation));
    }
  };
  for (int i = 0; i < 20000; ++i) {
    if (i % 50 == 0) this->choose_counters();
    const unsigned load = i % 2000 < 1000 ? 90 : 30;
    if (!this->file_->completion_valid_i && this->random_.chance(load)) {
      completion = this->random_operation();
      this->file_->completion_valid_i = 1;
      drive(this->file_->completion_operation_i, completion);
    }
    if (!this->file_->injection_valid_i && this->random_.chance(load)) {
      injection = this->random_operation();
      this->file_->injection_valid_i = 1;
      drive(this->file_->injection_operation_i, injection);
    }
    if (!this->file_->access_valid_i && this->random_.chance(20)) {
      this->access(this->random_.chance(50), this->any_counter(), this->any_value());
    }
    this->file_.settle();
    const bool completion_taken =
        this->file_->completion_valid_i && this->file_->completion_ready_o;
    const bool injection_taken = this->file_->injection_valid_i && this->file_->injection_ready_o;
    const bool done = this->file_->access_done_o;
    if (completion_taken) taken.push_back({this->file_.cycle(), completion});
    if (injection_taken) taken.push_back({this->file_.cycle(), injection});
    if (done) {
      catch_up(this->file_.cycle() - 2);  // an access is taken two cycles before its answer
      auto& value = values[this->file_->access_index_i];
      if (this->file_->access_write_i) {
        value = this->file_->access_data_i;
      } else {
        ASSERT_EQ(this->file_->access_data_o, value) << "cycle " << this->file_.cycle();
      }
      ++accesses;
    }
    this->tick();
    if (completion_taken) this->file_->completion_valid_i = 0;
    if (injection_taken) this->file_->injection_valid_i = 0;
    if (done) this->file_->access_valid_i = 0;
  }
  EXPECT_GT(accesses, 1000U);
}

TYPED_TEST(CounterFile, AnswersSoftwareInABoundUnderFullLoad) {
  this->file_->completion_valid_i = 1;
  this->file_->injection_valid_i = 1;
  for (int i = 0; i < 10; ++i) this->tick();
  this->access(false, 1, 0);
  unsigned cycles = 0;
  for (this->file_.settle(); !this->file_->access_done_o; this->tick()) ASSERT_LT(++cycles, 7U);
  this->finish_access();
}

TYPED_TEST(CounterFile, IsBusyExactlyWhileSomethingIsInside) {
  EXPECT_FALSE(this->file_->busy_o);
  this->file_->injection_valid_i = 1;
  this->tick();
  this->file_->injection_valid_i = 0;
  this->file_.settle();
  EXPECT_TRUE(this->file_->busy_o);
  this->tick();
  EXPECT_FALSE(this->file_->busy_o);
}

// What is in the two stages, and the values, by the contract.
template <typename S>
class CounterFileAtRandom : public CounterFile<S> {
 protected:
  using Base = CounterFile<S>;
  using Base::access, Base::any_counter, Base::any_value, Base::file_, Base::random_;
  using typename Base::Value;

  Operation any_operation() {
    Operation operation = Operation::from_bytes(random_bytes(random_, Operation::kBytes));
    return with_counter(operation, any_counter());
  }
  void drive_all() {
    const unsigned load = file_.cycle() / 500 % 2 == 0 ? 90 : 30;
    if (!file_->completion_valid_i || completion_taken_) completion_ = any_operation();
    if (!file_->injection_valid_i || injection_taken_) injection_ = any_operation();
    file_->completion_valid_i = random_.chance(load);
    file_->injection_valid_i = random_.chance(load);
    drive(file_->completion_operation_i, completion_);
    drive(file_->injection_operation_i, injection_);
    file_->next_value_i = any_value();
    if (accessing_ || done_) return;
    access(random_.chance(50), any_counter(), any_value());
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
    values_.assign(Base::kCounters, 0);
    operating_ = accessing_ = done_ = completion_taken_ = injection_taken_ = false;
  }

  std::vector<Value> values_ = std::vector<Value>(Base::kCounters);
  Operation completion_, injection_, inside_;
  bool operating_ = false, accessing_ = false, done_ = false;
  bool completion_taken_ = false, injection_taken_ = false;
  Value data_ = 0;
};

TYPED_TEST_SUITE(CounterFileAtRandom, Sizes);

TYPED_TEST(CounterFileAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(this->random_.replay());
  for (int cycle = 0; cycle < 30000; ++cycle) {
    if (this->random_.below(300) == 0) this->forget();
    if (cycle % 50 == 0) this->choose_counters();
    this->drive_all();
    this->file_.settle();
    ASSERT_NO_FATAL_FAILURE(this->compare()) << "cycle " << cycle;
    this->step();
    this->file_.tick();
  }
}

}  // namespace
}  // namespace torusmu::testing
