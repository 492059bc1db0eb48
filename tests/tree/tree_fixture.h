// SPDX-License-Identifier: Apache-2.0
// A node's part in the tree, Vmu_tree_signals, with its registers, cables and counters at hand.
#ifndef TESTS_TREE_TREE_FIXTURE_H_
#define TESTS_TREE_TREE_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "Vmu_tree_signals.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

namespace torusmu::testing {

// What a class is set to; the words of registers.def.
struct ClassConfig {
  bool parent = false, left = false, right = false, arrives = false, released = false;
  bool any = false, interrupt = false, forget = false;
  unsigned owner = 0, members = 0, arrive_counter = 0, release_counter = 0;

  [[nodiscard]] std::uint64_t word() const {
    namespace f = registers::tree_class::config_field;
    std::uint64_t word =
        insert(insert(insert(0, f::parent, parent), f::left, left), f::right, right);
    word = insert(insert(insert(word, f::arrives, arrives), f::released, released), f::any, any);
    word = insert(insert(word, f::interrupt, interrupt), f::forget, forget);
    word = insert(insert(word, f::owner, owner), f::members, members);
    return insert(insert(word, f::arrive_counter, arrive_counter), f::release_counter,
                  release_counter);
  }
};

// Signals of a cycle, a bit a class.
struct Signals {
  unsigned parent = 0, left = 0, right = 0;
  friend bool operator==(const Signals&, const Signals&) = default;
};

class TreeNode {
 public:
  struct Counted {
    unsigned counter = 0, client = 0;
    std::uint64_t cycle = 0;
    friend bool operator==(const Counted& a, const Counted& b) {
      return a.counter == b.counter && a.client == b.client;
    }
  };
  struct Answer {
    Status status = Status::kOk;
    std::uint64_t data = 0;
  };

  explicit TreeNode(std::uint64_t seed = 1) : model_(seed) { model_->operation_ready_i = 1; }

  // A cycle in which this comes: signals, and a change of an event counter if `changes` >= 0, by an
  // addition of zero unless it `moves`.
  // Gives what the node signals after its edge.
  Signals tick(Signals come = {}, int changes = -1, bool moves = true) {
    namespace s = layout::tree_signals;
    namespace e = layout::event_change;
    drive(model_->signals_i, Record<s::Layout>()
                                 .set<s::parent>(come.parent)
                                 .set<s::left>(come.left)
                                 .set<s::right>(come.right));
    Record<e::Layout> change;
    if (changes >= 0) {
      change.set<e::valid>(1).set<e::moves>(moves).set<e::index>(static_cast<unsigned>(changes));
    }
    drive(model_->change_i, change);
    model_.settle();
    take_operation();
    model_.tick();
    const auto out = sample_record<Record<s::Layout>>(model_->signals_o);
    return {static_cast<unsigned>(out.get<s::parent>()), static_cast<unsigned>(out.get<s::left>()),
            static_cast<unsigned>(out.get<s::right>())};
  }
  // Whatever it signals in so many cycles, each class once a cable.
  Signals run(unsigned cycles) {
    Signals all;
    for (unsigned i = 0; i < cycles; ++i) {
      const Signals out = tick();
      all.parent |= out.parent;
      all.left |= out.left;
      all.right |= out.right;
    }
    return all;
  }
  Answer access(std::uint32_t address, bool write, std::uint64_t data = 0) {
    namespace r = layout::register_request;
    drive(model_->register_request_i, Record<r::Layout>()
                                          .set<r::address>(address)
                                          .set<r::write>(write)
                                          .set<r::wide>(1)
                                          .set<r::data>(data));
    model_->register_valid_i = 1;
    tick();
    EXPECT_TRUE(model_->register_done_o);
    const auto response =
        sample_record<Record<layout::register_response::Layout>>(model_->register_response_o);
    tick();  // the access is held until its answer is taken
    model_->register_valid_i = 0;
    EXPECT_FALSE(model_->register_done_o);
    return {response.get<layout::register_response::status>(),
            response.get<layout::register_response::data>()};
  }
  Status configure(unsigned number, const ClassConfig& config) {
    return access(registers::tree_class::config(number), true, config.word()).status;
  }
  // Once what came before is seen in it.
  std::uint64_t state(unsigned number) {
    run(2);
    const Answer answer = access(registers::tree_class::state(number), false);
    EXPECT_EQ(answer.status, Status::kOk);
    return answer.data;
  }

  [[nodiscard]] const std::vector<Counted>& counted() const { return counted_; }
  // Clients that ARRIVED was raised for, in order.
  [[nodiscard]] const std::vector<unsigned>& arrived() const { return arrived_; }
  void let_count(bool ready) { model_->operation_ready_i = ready; }
  bool busy() { return model_->busy_o; }
  // Without an edge in the cycles that come.
  void rest(bool rests) { model_.stop(rests ? Clocked<Vmu_tree_signals>::kMain : 0U); }
  [[nodiscard]] std::uint64_t cycle() const { return model_.cycle(); }

 private:
  void take_operation() {
    namespace o = layout::counter_operation;
    std::uint64_t causes = 0;
    for (unsigned client = 0; client < kProfile.clients; ++client) {
      const std::uint64_t byte = bits_of(model_->causes_o, client * 8, 8);
      causes |= byte;
      if (byte != 0) arrived_.push_back(client);
    }
    EXPECT_EQ(causes & ~(std::uint64_t{1} << static_cast<unsigned>(Cause::kArrived)), 0U);
    if (!model_->operation_valid_o || !model_->operation_ready_i) {
      EXPECT_EQ(causes, 0U) << "raised before it was counted";
      return;
    }
    const auto operation = sample_record<Record<o::Layout>>(model_->operation_o);
    EXPECT_EQ(operation.get<o::is_event>(), 1U);
    EXPECT_EQ(operation.get<o::add>(), 1U);
    EXPECT_EQ(operation.get<o::set>(), 0U);
    EXPECT_EQ(operation.get<o::value>(), 1U);
    counted_.push_back({static_cast<unsigned>(operation.get<o::counter>()),
                        static_cast<unsigned>(operation.get<o::client>()), model_.cycle()});
  }
  template <typename Port>
  static std::uint64_t bits_of(const Port& port, unsigned at, unsigned bits) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bits; ++i) {
      std::uint64_t bit = 0;
      if constexpr (requires { port[0]; }) {
        bit = port[(at + i) / 32] >> (at + i) % 32 & 1U;
      } else {
        bit = port >> (at + i) & 1U;
      }
      value |= bit << i;
    }
    return value;
  }

  Clocked<Vmu_tree_signals> model_;
  std::vector<Counted> counted_;
  std::vector<unsigned> arrived_;
};

}  // namespace torusmu::testing

#endif  // TESTS_TREE_TREE_FIXTURE_H_
