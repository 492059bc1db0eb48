// SPDX-License-Identifier: Apache-2.0
// Who begins SENDs and FENCEs and who answers them, played for the tests of
// mu_outstanding_requests.

#ifndef TESTS_SUPPORT_OUTSTANDING_REQUESTS_BENCH_H_
#define TESTS_SUPPORT_OUTSTANDING_REQUESTS_BENCH_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "Vmu_outstanding_requests.h"
#include "tests/support/clocked.h"
#include "tests/support/outstanding_requests_model.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {

class OutstandingRequestsBench : public ::testing::Test {
 protected:
  using Answer = Record<layout::send_answer::Layout>;
  using End = Record<layout::queue_end::Layout>;
  static constexpr std::uint32_t kRetryCycles = 100;
  static constexpr std::uint64_t kNever = (1ULL << 48) - 1;
  static constexpr std::uint32_t kNode = 0x321;

  OutstandingRequestsBench() {
    dut_->retry_cycles_i = kRetryCycles;
    dut_->retries_i = 3;
    dut_->end_ready_i = 1;
    dut_->again_ready_i = 1;
    drive(dut_->answer_peer_i, Record<layout::queue_peer::Layout>{}
                                   .set<layout::queue_peer::x>(1)
                                   .set<layout::queue_peer::y>(2)
                                   .set<layout::queue_peer::z>(3));
    dut_.settle();
  }
  // What was chosen in the last cycle makes its step.
  void step() {
    dut_.settle();
    dut_.tick();
    dut_.settle();
  }
  // All packets of the copy that goes out are cut.
  void leave(unsigned queue) {
    dut_->left_i = 1;
    dut_->number_queue_i = static_cast<std::uint8_t>(queue);
    dut_.tick();
    dut_->left_i = 0;
    step();
  }
  void begin(unsigned queue, bool leaves = true) {
    dut_->begin_valid_i = 1;
    dut_->begin_queue_i = static_cast<std::uint8_t>(queue);
    dut_.tick();
    dut_->begin_valid_i = 0;
    step();
    if (leaves) leave(queue);
  }
  void begin_fence(unsigned queue, std::uint32_t index, std::uint32_t node = kNode) {
    dut_->begin_fence_i = 1;
    dut_->begin_index_i = index;
    const auto was = dut_->begin_node_i;
    dut_->begin_node_i = static_cast<std::uint16_t>(node);
    begin(queue, false);
    dut_->begin_fence_i = 0;
    dut_->begin_node_i = was;
    dut_.settle();
  }
  // The one behind the open SEND goes out, with the number told.
  std::uint32_t go_ahead(unsigned queue) {
    dut_->number_queue_i = static_cast<std::uint8_t>(queue);
    dut_->number_ahead_i = 1;
    dut_.settle();
    EXPECT_TRUE(dut_->ahead_good_o);
    const std::uint32_t number = dut_->number_o;
    dut_->ahead_i = 1;
    dut_.tick();
    dut_->ahead_i = 0;
    step();
    leave(queue);
    dut_->number_ahead_i = 0;
    dut_.settle();
    EXPECT_TRUE(is_second(queue));
    return number;
  }
  // Once the first has ended, the second stands first.
  void begin_second(unsigned queue) {
    EXPECT_TRUE(is_second(queue));
    dut_->begin_sent_i = 1;
    begin(queue, false);
    dut_->begin_sent_i = 0;
    dut_.settle();
    EXPECT_FALSE(is_second(queue));
  }
  bool may_ahead(unsigned queue) { return bits_of(dut_->may_ahead_o)[queue]; }
  bool is_second(unsigned queue) { return bits_of(dut_->under_way_o)[queue]; }
  // The row is written two cycles after its queue is named.
  void reset(unsigned queue) {
    dut_->configure_queue_i = static_cast<std::uint8_t>(queue);
    dut_.tick();
    dut_->cancel_i = dut_->configured_i = 0;
    dut_.tick();
    step();
  }
  void cancel(unsigned queue) {
    dut_->cancel_i = 1;
    reset(queue);
  }
  void configure(unsigned queue) {
    dut_->configured_i = 1;
    reset(queue);
  }
  void expect_end(unsigned queue, Status status) {
    const auto ended = end();
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->get<layout::queue_end::queue>(), queue);
    EXPECT_EQ(ended->get<layout::queue_end::status>(), status);
  }
  static Answer make(unsigned queue, std::uint32_t number, Status status,
                     std::uint32_t node = kNode) {
    return Answer{}
        .set<layout::send_answer::queue>(queue)
        .set<layout::send_answer::number>(number)
        .set<layout::send_answer::status>(status)
        .set<layout::send_answer::node>(node);
  }
  void answer(const Answer& answer) {
    drive(dut_->answer_i, answer);
    dut_->answer_valid_i = 1;
    dut_.tick();
    dut_->answer_valid_i = 0;
    step();
  }
  void failure(const Answer& answer) {
    drive(dut_->failure_i, outcome(answer, true));
    dut_.tick();
    drive(dut_->failure_i, outcome({}, false));
    dut_.tick();
    step();
  }
  // The next end within a few cycles.
  std::optional<End> end() {
    for (int i = 0; i < 5; ++i) {
      if (dut_->end_valid_o) {
        const End end = sample_record<End>(dut_->end_o);
        dut_.tick();
        return end;
      }
      dut_.tick();
    }
    return std::nullopt;
  }
  std::uint32_t number(unsigned queue) {
    dut_->number_queue_i = static_cast<std::uint8_t>(queue);
    dut_.settle();
    return dut_->number_o;
  }
  bool broken(unsigned queue) {
    dut_->number_queue_i = static_cast<std::uint8_t>(queue);
    dut_.settle();
    return dut_->broken_o != 0;
  }
  bool doubtful(unsigned queue) {
    dut_->number_queue_i = static_cast<std::uint8_t>(queue);
    dut_.settle();
    return dut_->doubtful_o != 0;
  }
  // Time goes on to the next tick; whether a SEND or FENCE goes out again then.
  std::optional<unsigned> tick() {
    for (int i = 0; i < 4 && dut_->wake_at_o == kNever; ++i) dut_.tick();
    dut_->now_i = dut_->wake_at_o;
    std::optional<unsigned> queue;
    for (int i = 0; i < 12; ++i) {
      dut_.settle();
      if (dut_->again_valid_o) queue = dut_->again_queue_o;
      dut_.tick();
    }
    if (queue) leave(*queue);
    return queue;
  }
  void expect_silent_ticks(int count) {
    for (int i = 0; i < count; ++i) EXPECT_FALSE(tick());
  }
  // Whether that goes out again at once, if who sends it is ready.
  bool goes_again(unsigned queue) {
    for (int i = 0; i < 4 && !dut_->again_valid_o; ++i) dut_.tick();
    return dut_->again_valid_o && dut_->again_queue_o == queue;
  }

  Random random_;
  Clocked<Vmu_outstanding_requests> dut_{random_.seed()};
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_OUTSTANDING_REQUESTS_BENCH_H_
