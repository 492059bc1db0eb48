// SPDX-License-Identifier: Apache-2.0
// verilator: tb/formal/mu_axi4_lite_subordinate_properties.sv tb/formal/mu_axi4_lite_bind.svh

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <string>

#include "Vmu_axil_slave.h"
#include "tests/support/axil_driver.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

class AxilSlave : public ::testing::Test {
 protected:
  struct Access {
    bool write;
    std::uint32_t address;
    std::uint64_t data;
    unsigned strobe;
  };

  // The block behind the slave: answers each access within `answer_cycles_`, refuses those with
  // address bit 3 set and reads the inverse of the address.
  void tick() {
    slave_->response_valid_i = waiting_ == 1;
    slave_->response_error_i = (current_.address & 8U) != 0;
    slave_->response_data_i = ~static_cast<std::uint64_t>(current_.address);
    slave_.settle();
    if (waiting_ > 0) --waiting_;
    if (slave_->access_valid_o) {
      EXPECT_EQ(waiting_, 0U) << "one at a time";
      current_ = {slave_->access_write_o != 0, slave_->access_address_o, slave_->access_data_o,
                  slave_->access_strobe_o};
      accesses_.push_back(current_);
      waiting_ = 1 + static_cast<unsigned>(random_.below(answer_cycles_));
    }
    bus_.tick();
  }
  void finish() {
    for (int i = 0; bus_.busy() || waiting_ > 0; ++i) {
      ASSERT_LT(i, 100000) << "the bus did not come to rest";
      tick();
    }
  }

  Random random_;
  Clocked<Vmu_axil_slave> slave_{random_.seed()};
  AxilDriver<Vmu_axil_slave> bus_{slave_, random_};
  std::deque<Access> accesses_;
  Access current_{};
  unsigned waiting_ = 0;
  std::uint64_t answer_cycles_ = 1;
};

TEST_F(AxilSlave, OffersAWriteOneCycleAfterAddressAndDataCame) {
  slave_->s_axil_awvalid = 1;
  slave_->s_axil_awaddr = 0x12340;
  slave_->s_axil_wvalid = 1;
  slave_->s_axil_wdata = 0x1122334455667788;
  slave_->s_axil_wstrb = 0xf0;
  slave_.settle();
  ASSERT_TRUE(slave_->s_axil_awready);
  ASSERT_TRUE(slave_->s_axil_wready);
  EXPECT_FALSE(slave_->access_valid_o);
  slave_.tick();
  slave_->s_axil_awvalid = 0;
  slave_->s_axil_wvalid = 0;
  slave_.settle();
  EXPECT_TRUE(slave_->access_valid_o);
  EXPECT_TRUE(slave_->access_write_o);
  EXPECT_EQ(slave_->access_address_o, 0x12340U);
  EXPECT_EQ(slave_->access_data_o, 0x1122334455667788U);
  EXPECT_EQ(slave_->access_strobe_o, 0xf0U);
}

TEST_F(AxilSlave, TakesAddressAndDataInEitherOrder) {
  for (const bool address_first : {true, false}) {
    bus_.set_pace({address_first ? 100U : 0U, address_first ? 0U : 100U, 100});
    bus_.post_write(0x40, 5);
    for (int i = 0; i < 10; ++i) tick();
    EXPECT_EQ(accesses_.size(), address_first ? 0U : 1U) << "half a write is no access";
    bus_.set_pace({});
    finish();
    EXPECT_EQ(accesses_.size(), address_first ? 1U : 2U);
  }
}

TEST_F(AxilSlave, AnswersWithSlverrWhatWasRefused) {
  bus_.post_write(0x8, 0);
  bus_.post_read(0x8);
  finish();
  bus_.post_write(0x10, 0);
  bus_.post_read(0x10);
  finish();
  EXPECT_TRUE(bus_.write_answers()[0].error);
  EXPECT_TRUE(bus_.read_answers()[0].error);
  EXPECT_FALSE(bus_.write_answers()[1].error);
  EXPECT_FALSE(bus_.read_answers()[1].error);
  EXPECT_EQ(bus_.read_answers()[1].data, ~0x10ULL);
}

TEST_F(AxilSlave, LetsReadsPassWhileAMasterHoldsBackBAndTheOtherWayRound) {
  for (int i = 0; i < 3; ++i) bus_.post_write(0x100, 1);
  bus_.set_pace({100, 100, 0});
  for (int i = 0; i < 20; ++i) tick();
  EXPECT_EQ(accesses_.size(), 1U) << "the second write waits for the first one's B";
  bus_.post_read(0x200);
  for (int i = 0; i < 20; ++i) tick();
  EXPECT_EQ(bus_.read_answers().size(), 1U);
  bus_.set_pace({});
  finish();
  EXPECT_EQ(bus_.write_answers().size(), 3U);
}

TEST_F(AxilSlave, LetsReadsAndWritesTakeTurns) {
  for (int i = 0; i < 20; ++i) {
    bus_.post_write(0x100, 1);
    bus_.post_read(0x200);
  }
  finish();
  int turn_changes = 0;
  for (std::size_t i = 1; i < accesses_.size(); ++i) {
    turn_changes += accesses_[i].write != accesses_[i - 1].write ? 1 : 0;
  }
  EXPECT_GE(turn_changes, 36);
}

TEST_F(AxilSlave, AnswersEveryAccessOnceAndInOrderUnderRandomTraffic) {
  SCOPED_TRACE(random_.replay());
  for (int round = 0; round < 40; ++round) {
    const auto pace = [&] { return 10 + static_cast<unsigned>(random_.below(91)); };
    bus_.set_pace({pace(), pace(), pace()});
    answer_cycles_ = 1 + random_.below(6);
    std::deque<Access> writes;
    std::deque<std::uint32_t> reads;
    const std::size_t answered_writes = bus_.write_answers().size();
    const std::size_t answered_reads = bus_.read_answers().size();
    for (int i = 0; i < 60; ++i) {
      const auto address = static_cast<std::uint32_t>(random_.below(1U << 20));
      if (random_.chance(50)) {
        reads.push_back(address);
        bus_.post_read(address);
      } else {
        const Access write{true, address, random_.bits64(),
                           static_cast<unsigned>(random_.below(256))};
        writes.push_back(write);
        bus_.post_write(write.address, write.data, write.strobe);
      }
    }
    finish();
    ASSERT_EQ(accesses_.size(), reads.size() + writes.size());
    std::size_t write_answers = answered_writes;
    std::size_t read_answers = answered_reads;
    for (; !accesses_.empty(); accesses_.pop_front()) {
      const Access& access = accesses_.front();
      if (access.write) {
        ASSERT_EQ(access.address, writes.front().address);
        ASSERT_EQ(access.data, writes.front().data);
        ASSERT_EQ(access.strobe, writes.front().strobe);
        ASSERT_EQ(bus_.write_answers().at(write_answers++).error, (access.address & 8U) != 0);
        writes.pop_front();
      } else {
        ASSERT_EQ(access.address, reads.front());
        ASSERT_EQ(bus_.read_answers().at(read_answers).error, (access.address & 8U) != 0);
        ASSERT_EQ(bus_.read_answers().at(read_answers++).data,
                  ~static_cast<std::uint64_t>(access.address));
        reads.pop_front();
      }
    }
  }
}

TEST_F(AxilSlave, IsBusyFromTheFirstHalfOfAnAccessToItsResponse) {
  EXPECT_FALSE(slave_->busy_o);
  bus_.set_pace({100, 0, 0});
  bus_.post_write(0x10, 1);
  tick();
  EXPECT_TRUE(slave_->busy_o);
  bus_.set_pace({100, 100, 0});
  for (int i = 0; i < 10; ++i) tick();
  EXPECT_TRUE(slave_->busy_o) << "B is not taken";
  bus_.set_pace({});
  finish();
  EXPECT_FALSE(slave_->busy_o);
}

TEST_F(AxilSlave, ReadsEveryBitOfTheAnswer) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t data = random_.bits64();
    const bool error = random_.chance(50);
    slave_->s_axil_arvalid = 1;
    slave_->s_axil_araddr = static_cast<std::uint32_t>(random_.below(1U << 20));
    slave_.tick();
    slave_->s_axil_arvalid = 0;
    slave_.settle();
    ASSERT_TRUE(slave_->access_valid_o);
    ASSERT_FALSE(slave_->access_write_o);
    slave_.tick();
    slave_->response_valid_i = 1;
    slave_->response_error_i = error;
    slave_->response_data_i = data;
    slave_.tick();
    slave_->response_valid_i = 0;
    slave_->response_error_i = !error;
    slave_->response_data_i = random_.bits64();
    for (int cycle = 0; cycle < 3; ++cycle) {
      slave_.settle();
      ASSERT_TRUE(slave_->s_axil_rvalid);
      ASSERT_EQ(slave_->s_axil_rdata, data);
      ASSERT_EQ(slave_->s_axil_rresp, error ? 2 : 0);
      slave_->s_axil_rready = cycle == 2;
      slave_.tick();
    }
    slave_->s_axil_rready = 0;
    slave_.settle();
    ASSERT_FALSE(slave_->s_axil_rvalid || slave_->busy_o);
  }
}

TEST_F(AxilSlave, ServesTheOtherKindAfterEachAccessIfBothWait) {
  const auto kinds = [this](int writes, int reads) {
    for (int i = 0; i < writes; ++i) bus_.post_write(0x100, 1);
    for (int i = 0; i < reads; ++i) bus_.post_read(0x200);
    finish();
    std::string served;
    for (; !accesses_.empty(); accesses_.pop_front()) served += accesses_.front().write ? 'W' : 'R';
    return served;
  };
  EXPECT_EQ(kinds(1, 1), "WR") << "a write goes first";
  EXPECT_EQ(kinds(1, 0), "W");
  EXPECT_EQ(kinds(1, 1), "WR") << "of those that come together, whatever came before";
  EXPECT_EQ(kinds(3, 1), "WRWW");
  EXPECT_EQ(kinds(2, 3), "WRWRR");
}

TEST_F(AxilSlave, ForgetsAllAtAReset) {
  for (const bool write : {true, false}) {
    for (const char* what : {"waits", "is open", "is answered"}) {
      SCOPED_TRACE(std::string(write ? "a write " : "a read ") + what);
      slave_->s_axil_awvalid = slave_->s_axil_wvalid = write;
      slave_->s_axil_arvalid = !write;
      slave_.tick();
      slave_->s_axil_arvalid = slave_->s_axil_awvalid = slave_->s_axil_wvalid = 0;
      if (what != std::string("waits")) slave_.tick();
      slave_->response_valid_i = what == std::string("is answered");
      if (slave_->response_valid_i) slave_.tick();
      slave_->response_valid_i = 0;
      slave_.settle();
      EXPECT_TRUE(slave_->busy_o);
      slave_.reset(1);
      EXPECT_FALSE(slave_->busy_o);
      EXPECT_FALSE(slave_->access_valid_o || slave_->s_axil_bvalid || slave_->s_axil_rvalid);
      EXPECT_TRUE(slave_->s_axil_arready && slave_->s_axil_awready && slave_->s_axil_wready);
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
