// SPDX-License-Identifier: Apache-2.0
// model: Vmu_pipe mu_pipe
// bgp: -GQUEUES=128
// What mu_pipe does with a message that is in memory but for its last packet.

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/pipe_bench.h"

namespace torusmu::testing {
namespace {

class PipeArriving : public PipeBench {
 protected:
  // One message received and sent; the next has arrived, and its SEND, gone ahead, is being cut.
  void hold_the_second() {
    let_ahead = true;
    start(10, 1000);
    run();
    receive(10);
    run();
    arrive(20);
    while (copies.size() < 2) tick();
    dut_->out_ready_i = 0;
    run();
  }
};

TEST_F(PipeArriving, HoldsTheSendOfAMessageThatArrives) {
  start(10, 1000);
  run();
  arrive(70);
  while (copies.empty()) tick();
  dut_->out_ready_i = 0;  // the packetiser cuts it
  expect_copy(0, false, 0, 70);
  run();
  EXPECT_TRUE(holds());
  EXPECT_FALSE(spoils());
  EXPECT_EQ(given.size(), 2U) << "its buffer is not received into yet";
  receive_arrived();
  EXPECT_FALSE(holds());
  EXPECT_FALSE(spoils());
  dut_->out_ready_i = 1;
  run();
  EXPECT_EQ(copies.size(), 1U) << "once is enough";
  EXPECT_EQ(given.size(), 3U);
  end_send();
  run();
  EXPECT_FALSE(ended);
}

TEST_F(PipeArriving, HoldsOneThatArrivesAndGoesAhead) {
  hold_the_second();
  expect_copy(1, true, 100, 20);
  EXPECT_TRUE(holds());
  end_send();
  run();
  EXPECT_EQ(begins.size(), 1U) << "it is being cut";
  receive_arrived();
  EXPECT_FALSE(holds());
  dut_->out_ready_i = 1;
  run();
  EXPECT_EQ(begins, (std::vector<bool>{false, true}));
  end_send();
  run();
  EXPECT_EQ(copies.size(), 2U);
}

TEST_F(PipeArriving, HoldsNothingThatIsReceivedBeforeThePacketiserTakesIt) {
  start(10, 1000);
  run();
  dut_->out_ready_i = 0;
  arrive(70);
  run();
  receive_arrived();
  dut_->out_ready_i = 1;
  while (copies.empty()) tick();
  dut_->out_ready_i = 0;
  run();
  expect_copy(0, false, 0, 70);
  EXPECT_FALSE(holds());
}

// Whenever that turns out: before the packetiser takes the SEND, or while it cuts it.
TEST_F(PipeArriving, SpoilsTheSendOfAMessageThatCouldNotBeStored) {
  for (unsigned delay = 0; delay < 10; ++delay) {
    for (const unsigned takes : {0U, 4U}) {
      SCOPED_TRACE(delay * 10 + takes);
      forget();
      start(10, 1000);
      run();
      dut_->out_ready_i = 0;
      arrive(70);
      for (unsigned i = 0; i < 10; ++i) {
        dut_->out_ready_i = i == takes;
        if (i == delay) {
          receive_arrived(Status::kMemoryError);
        } else {
          tick();
        }
      }
      dut_->arriving_valid_i = 0;
      run();
      ASSERT_EQ(copies.size(), 1U);
      EXPECT_TRUE(spoils());
      EXPECT_FALSE(holds());
      dut_->out_ready_i = 1;
      run();
      EXPECT_FALSE(spoils());
      EXPECT_FALSE(ended) << "the packetiser ends its SEND";
      end_send(Status::kMemoryError);
      run();
      EXPECT_EQ(ended, Status::kMemoryError);
      expect_idle();
    }
  }
}

TEST_F(PipeArriving, SpoilsTheSendThatItHoldsWhenItIsFlushed) {
  start(10, 1000);
  run();
  arrive(70);
  while (copies.empty()) tick();
  dut_->out_ready_i = 0;
  run();
  EXPECT_TRUE(holds());
  flush();
  dut_->arriving_valid_i = 0;
  run();
  EXPECT_FALSE(dut_->running_o);
  EXPECT_TRUE(spoils()) << "until it is cut";
  EXPECT_FALSE(holds());
  dut_->out_ready_i = 1;
  run();
  EXPECT_FALSE(spoils());
  expect_idle();
}

// Of what goes out all has come: it is sent whole, whatever becomes of the PIPE meanwhile.
TEST_F(PipeArriving, SpoilsNothingThatWasReceivedBefore) {
  for (unsigned reason = 0; reason < 3; ++reason) {
    for (const bool early : {false, true}) {
      SCOPED_TRACE(2 * reason + early);
      forget();
      start(10, 1000);
      run();
      if (early) {
        arrive(70);
      } else {
        receive(70);
      }
      while (copies.empty()) tick();
      dut_->out_ready_i = 0;  // the packetiser cuts it
      run();
      if (early) receive_arrived();
      if (reason == 0) {
        flush();
      } else if (reason == 1) {
        configure_receive_queue();
      } else {
        receive(0, Status::kMemoryError);
      }
      for (int i = 0; i < 10; ++i) {
        EXPECT_FALSE(holds() || spoils());
        tick();
      }
      dut_->out_ready_i = 1;
      run();
      if (reason != 0) end_send();
      run();
      EXPECT_FALSE(spoils());
      expect_idle();
    }
  }
}

TEST_F(PipeArriving, SpoilsTheSecondThatItHoldsWhenTheFirstFails) {
  hold_the_second();
  end_send(Status::kLengthTooLong);
  dut_->arriving_valid_i = 0;
  run();
  EXPECT_TRUE(spoils());
  dut_->out_ready_i = 1;
  run();
  EXPECT_EQ(ended, Status::kLengthTooLong);
  expect_idle();
}

TEST_F(PipeArriving, SpoilsASendAgainOfWhichTheFailureWasLost) {
  start(10, 1000);
  run();
  arrive(70);
  run();
  receive_arrived(Status::kMemoryError);
  run();
  EXPECT_FALSE(ended);
  again();
  while (copies.size() < 2) tick();
  dut_->out_ready_i = 0;
  run();
  EXPECT_TRUE(spoils());
  dut_->out_ready_i = 1;
  end_send(Status::kMemoryError);
  run();
  EXPECT_EQ(ended, Status::kMemoryError);
}

TEST_F(PipeArriving, SendsNothingAgainWhileItHoldsTheSecond) {
  hold_the_second();
  dut_->again_i = 1;
  run();
  EXPECT_FALSE(dut_->again_ready_o);
  EXPECT_TRUE(holds());
  receive_arrived();
  dut_.settle();
  EXPECT_TRUE(dut_->again_ready_o);
  dut_->again_i = 0;
  dut_->out_ready_i = 1;
}

}  // namespace
}  // namespace torusmu::testing
