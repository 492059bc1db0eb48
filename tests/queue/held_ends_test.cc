// SPDX-License-Identifier: Apache-2.0
// bgp: -GQUEUES=128
// model: Vmu_held_ends_four mu_held_ends -GQUEUES=4

#include <gtest/gtest.h>

#include <array>
#include <bit>

#include "Vmu_held_ends.h"
#include "Vmu_held_ends_four.h"
#include "sim/machine/profile.h"
#include "tests/support/nearly.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

using End = Record<layout::queue_end::Layout>;

// What can end a descriptor, as bits, the first first.
enum Cause : unsigned { kRefuse, kFlush, kSend, kReceive, kPipe, kCalc, kCauses };
// The first that an engine tells, and has to wait with.
constexpr unsigned kEngines = kSend;

struct HeldEndsInputs {
  PortBits held;
  bool attaching = false;
  std::array<unsigned, kCauses> queue{};
  std::array<Status, kCauses> status{};
  unsigned wishes = 0;
};

template <typename Model>
class HeldEndsBench {
 public:
  void put(const HeldEndsInputs& in) {
    const auto wants = [&in](unsigned cause) { return (in.wishes >> cause & 1) != 0; };
    const auto end = [&in](unsigned cause) {
      return End{}
          .set<layout::queue_end::queue>(in.queue.at(cause))
          .set<layout::queue_end::status>(in.status.at(cause));
    };
    drive_bits(model_.held_i, in.held);
    model_.attaching_i = in.attaching;
    model_.attach_queue_i = static_cast<CData>(in.queue[kRefuse]);
    model_.refuse_i = wants(kRefuse);
    model_.flush_i = wants(kFlush);
    model_.flush_queue_i = static_cast<CData>(in.queue[kFlush]);
    model_.send_valid_i = wants(kSend);
    model_.receive_valid_i = wants(kReceive);
    model_.pipe_valid_i = wants(kPipe);
    model_.calc_valid_i = wants(kCalc);
    drive(model_.send_i, end(kSend));
    drive(model_.receive_i, end(kReceive));
    drive(model_.pipe_i, end(kPipe));
    drive(model_.calc_i, end(kCalc));
    model_.eval();
  }
  // The engines whose end is taken, as bits of Cause.
  unsigned taken() const {
    return static_cast<unsigned>(model_.send_ready_o) << kSend |
           model_.receive_ready_o << kReceive | model_.pipe_ready_o << kPipe |
           model_.calc_ready_o << kCalc;
  }
  bool finishes() const { return model_.finish_o != 0; }
  End ending() const { return sample_record<End>(model_.ending_o); }

 private:
  Model model_;
};

// Every cause has a queue and a status of its own: SEND ends queue 2, RECEIVE 3, PIPE 4, CALC 5.
HeldEndsInputs of_each(unsigned wishes) {
  HeldEndsInputs in;
  in.held.set();
  in.queue = {6, 1, 2, 3, 4, 5};
  in.status = {Status::kQueueInvalid, Status::kFlushed,     Status::kRetryExceeded,
               Status::kRegionBounds, Status::kMemoryError, Status::kOk};
  in.wishes = wishes;
  return in;
}

template <typename Bench>
void expect_end(const Bench& bench, const HeldEndsInputs& in, unsigned cause) {
  EXPECT_TRUE(bench.finishes());
  EXPECT_EQ(bench.taken(), cause < kEngines ? 0U : 1U << cause);
  EXPECT_EQ(bench.ending().template get<layout::queue_end::queue>(), in.queue.at(cause));
  EXPECT_EQ(bench.ending().template get<layout::queue_end::status>(), in.status.at(cause));
}

class HeldEnds : public ::testing::Test {
 protected:
  HeldEndsBench<Vmu_held_ends> ends_;
};

TEST_F(HeldEnds, EndTheFirstOfAllThatCouldAndLetTheOthersWait) {
  for (unsigned wishes = 1; wishes < 1U << kCauses; ++wishes) {
    SCOPED_TRACE(wishes);
    const HeldEndsInputs in = of_each(wishes);
    ends_.put(in);
    expect_end(ends_, in, static_cast<unsigned>(std::countr_zero(wishes)));
  }
}

TEST_F(HeldEnds, EndNothingWithoutACause) {
  ends_.put(of_each(0));
  EXPECT_FALSE(ends_.finishes());
  EXPECT_EQ(ends_.taken(), 0U);
}

TEST_F(HeldEnds, ASendOrReceiveThatIsNotHeldYetWaitsAndLetsOthersPass) {
  for (const unsigned early : {kSend, kReceive}) {
    SCOPED_TRACE(early);
    HeldEndsInputs in = of_each(1U << early);
    in.held = ~bit(in.queue[early]);
    ends_.put(in);
    EXPECT_FALSE(ends_.finishes());
    EXPECT_EQ(ends_.taken(), 0U);
    in.wishes |= 1U << kPipe;
    ends_.put(in);
    expect_end(ends_, in, kPipe);
  }
}

TEST_F(HeldEnds, ASendOrReceiveThatIsBeingAttachedWaitsAndLetsOthersPass) {
  for (const unsigned early : {kSend, kReceive}) {
    SCOPED_TRACE(early);
    HeldEndsInputs in = of_each(1U << early);
    in.attaching = true;
    in.queue[kRefuse] = in.queue[early];
    ends_.put(in);
    EXPECT_FALSE(ends_.finishes());
    EXPECT_EQ(ends_.taken(), 0U);
    in.wishes |= 1U << kCalc;
    ends_.put(in);
    expect_end(ends_, in, kCalc);
    in.attaching = false;
    ends_.put(in);
    expect_end(ends_, in, early);
  }
}

TEST_F(HeldEnds, AnAttachedQueueDelaysNoOther) {
  for (const unsigned cause : {kSend, kReceive}) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      HeldEndsInputs in = of_each(1U << cause);
      in.attaching = true;
      in.queue[kRefuse] = in.queue[cause] ^ 1U << bit;
      ends_.put(in);
      expect_end(ends_, in, cause);
    }
  }
}

// A number names a queue by its lowest bits, but what is attached is compared as a whole.
template <typename Model>
void try_at_random(Random& random, unsigned queues) {
  HeldEndsBench<Model> bench;
  for (int i = 0; i < 20000; ++i) {
    SCOPED_TRACE(i);
    HeldEndsInputs in;
    for (unsigned queue = 0; queue < queues; ++queue) in.held[queue] = random.chance(50);
    in.attaching = random.chance(50);
    for (unsigned cause = 0; cause < kCauses; ++cause) {
      in.queue.at(cause) = static_cast<unsigned>(random.below(256));
      in.status.at(cause) = static_cast<Status>(random.below(256));
    }
    // Often the queue that is attached, or nearly.
    for (const unsigned cause : {kSend, kReceive}) {
      if (random.chance(60)) {
        in.queue.at(cause) = static_cast<unsigned>(nearly(random, in.queue[kRefuse], 8));
      }
    }
    in.status[kRefuse] = Status::kQueueInvalid;
    in.status[kFlush] = Status::kFlushed;
    // Refusals and flushes are rare, and there is not always a wish of each other.
    for (unsigned cause = 0; cause < kCauses; ++cause) {
      if (random.chance(cause < kEngines ? 10 : 40)) in.wishes |= 1U << cause;
    }
    bench.put(in);
    unsigned able = in.wishes;
    for (const unsigned cause : {kSend, kReceive}) {
      const unsigned queue = in.queue.at(cause);
      const bool attached = in.attaching && queue == in.queue[kRefuse];
      if (attached || !in.held[queue % queues]) able &= ~(1U << cause);
    }
    if (able != 0) {
      expect_end(bench, in, static_cast<unsigned>(std::countr_zero(able)));
    } else {
      EXPECT_FALSE(bench.finishes());
      EXPECT_EQ(bench.taken(), 0U);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(HeldEndsAtRandom, EndTheFirstThatMay) {
  Random random;
  SCOPED_TRACE(random.replay());
  try_at_random<Vmu_held_ends>(random, kProfile.injection_queues);
  try_at_random<Vmu_held_ends_four>(random, 4);
}

}  // namespace
}  // namespace torusmu::testing
