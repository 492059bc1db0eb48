// SPDX-License-Identifier: Apache-2.0
// Every malformed register access ends in its status, changes nothing, and the machine goes on.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/support/node_setup.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace page = registers::client_page;
namespace error = registers::node::register_errors_field;
namespace status_field = registers::client_page::page_status_field;

struct Case {
  const char* name;
  Status status;
  std::uint32_t address;
  std::uint64_t data;
  bool wide;
  bool read = false;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

constexpr std::uint64_t kAnything = 0x0123456789abcdef;

std::vector<Case> page_cases() {
  const auto doorbell = [](QueueId queue) { return page::queue_index(0, queue.value); };
  return {
      {"DoorbellOnAQueueThatTheMuOwns", Status::kDoorbellOwner, doorbell(kGetQueue), 1, false},
      {"DoorbellOnAReflectionQueue", Status::kDoorbellOwner, doorbell(kReflectionQueue), 1, false},
      {"DoorbellOnAPushQueue", Status::kDoorbellOwner, doorbell(kPushQueue), 1, false},
      {"DoorbellOnAQueueThatIsOff", Status::kDoorbellOwner, doorbell(kOffQueue), 1, false},
      {"DoorbellOnAQueueOfAnotherClient", Status::kDoorbellOwner, doorbell(kForeignQueue), 1,
       false},
      {"DoorbellPastTheSize", Status::kDoorbellRange, doorbell(kDoorbellQueue), kRingSlots + 1,
       false},
      {"DoorbellBackwards", Status::kDoorbellRange, doorbell(kDoorbellQueue), 0xffffffff, false},
      {"DoorbellFarAhead", Status::kDoorbellRange, doorbell(kDoorbellQueue), 0x80000000, false},
      {"DoorbellOfEightBytes", Status::kRegisterPartial, doorbell(kDoorbellQueue), 1, true},
      {"HeadOfAQueueOfAnotherClient", Status::kDoorbellOwner, doorbell(kForeignQueue), 0, false,
       true},
      {"FifoHeadPastItsTail", Status::kDoorbellRange, page::fifo_index(0, kFifo.value), 1, false},
      {"FifoHeadBackwards", Status::kDoorbellRange, page::fifo_index(0, kFifo.value), 0xffffffff,
       false},
      {"FifoOfAnotherClient", Status::kFifoInvalid, page::fifo_index(0, kForeignFifo.value), 0,
       false},
      {"TailOfAFifoOfAnotherClient", Status::kFifoInvalid, page::fifo_index(0, kForeignFifo.value),
       0, false, true},
      {"FifoThatIsClosed", Status::kFifoInvalid, page::fifo_index(0, kClosedFifo.value), 0, false},
      {"TailOfAFifoThatIsClosed", Status::kFifoInvalid, page::fifo_index(0, kClosedFifo.value), 0,
       false, true},
      {"ByteCounterOfAnotherClient", Status::kCounterInvalid,
       page::byte_counter(0, kForeignCounter.value), 5, true},
      {"ByteCounterClosed", Status::kCounterInvalid, page::byte_counter(0, kClosedCounter.value), 5,
       true},
      {"ByteCounterOfAnotherClientRead", Status::kCounterInvalid,
       page::byte_counter(0, kForeignCounter.value), 0, true, true},
      {"ByteCounterTooLarge", Status::kRegisterValue, page::byte_counter(0, kCounter.value),
       std::uint64_t{1} << 38, true},
      {"ByteCounterInHalves", Status::kRegisterPartial, page::byte_counter(0, kCounter.value), 5,
       false},
      {"EventCounterOfAnotherClient", Status::kCounterInvalid,
       page::event_counter(0, kForeignEvent.value), 5, false},
      {"EventCounterOfAnotherClientRead", Status::kCounterInvalid,
       page::event_counter(0, kForeignEvent.value), 0, false, true},
      {"EventCounterOfEightBytes", Status::kRegisterPartial, page::event_counter(0, kEvent.value),
       5, true},
      {"PushIntoNoQueue", Status::kRegisterValue, page::push_queue(0), 32, true},
      {"PushStatusWritten", Status::kRegisterUnknown, page::push_status(0), kAnything, true},
      {"PushDataRead", Status::kRegisterUnknown, page::push_data(0, 0), 0, true, true},
      {"NoticeTailWritten", Status::kRegisterUnknown, page::notice_tail(0), 0, true},
      {"NoticeHeadPastItsTail", Status::kDoorbellRange, page::notice_head(0), 1, true},
      {"NoticeHeadWithHighBits", Status::kRegisterValue, page::notice_head(0),
       std::uint64_t{1} << 32, true},
      {"CausesInHalves", Status::kRegisterPartial, page::interrupt_cause(0), 1, false},
      {"PageStatusWritten", Status::kRegisterUnknown, page::page_status(0), 0, true},
      {"HoleInThePage", Status::kRegisterUnknown, 0x3c0, kAnything, true},
      {"HoleInThePageRead", Status::kRegisterUnknown, 0x3c0, 0, true, true},
      {"QueueBeyondTheProfile", Status::kRegisterUnknown, 4 * 32, 1, false},
      {"EndOfThePage", Status::kRegisterUnknown, 0xff8, kAnything, true},
  };
}

std::vector<Case> privileged_cases() {
  namespace reg = registers;
  const std::uint64_t high = std::uint64_t{1} << 40;
  return {
      {"IdentityWritten", Status::kRegisterUnknown, reg::node::identity(), kAnything, true},
      {"BadPacketsWritten", Status::kRegisterUnknown, reg::node::bad_packets(), 0, true},
      {"HoldInHalves", Status::kRegisterPartial, reg::node::fifo_hold_cycles(), 1, false},
      {"HoldTooLong", Status::kRegisterValue, reg::node::fifo_hold_cycles(), 0x10000, true},
      {"TimeoutTooLong", Status::kRegisterValue, reg::node::credit_timeout_cycles(),
       std::uint64_t{1} << 32, true},
      {"ErrorClearRead", Status::kRegisterUnknown, reg::node::error_clear(), 0, true, true},
      {"QueueBase", Status::kRegisterValue, reg::injection_queue::base(20), high, true},
      {"QueueSizeZero", Status::kRegisterValue, reg::injection_queue::size(20), 0, true},
      {"QueueSizeTooLarge", Status::kRegisterValue, reg::injection_queue::size(20), (1 << 24) + 1,
       true},
      {"QueueModeUnknown", Status::kRegisterValue, reg::injection_queue::config(20), 5, true},
      {"QueueOwnerUnknown", Status::kRegisterValue, reg::injection_queue::config(20), 0x41, true},
      {"QueueConfigReserved", Status::kRegisterValue, reg::injection_queue::config(20), 0x201,
       true},
      {"QueueHeadWritten", Status::kRegisterUnknown, reg::injection_queue::head(20), 1, true},
      {"QueueTailWritten", Status::kRegisterUnknown, reg::injection_queue::tail(8), 1, true},
      {"QueueStatusWritten", Status::kRegisterUnknown, reg::injection_queue::status(8), 0, true},
      {"CompletionQueueHole", Status::kRegisterUnknown, reg::completion_queue::kBase + 0x30, 0,
       true},
      {"FifoSizeTooSmall", Status::kRegisterValue, reg::reception_fifo::size(6), 16, true},
      {"FifoSizeTooLarge", Status::kRegisterValue, reg::reception_fifo::size(6), (1 << 24) + 1,
       true},
      {"FifoBase", Status::kRegisterValue, reg::reception_fifo::base(6), high, true},
      {"FifoConfigReserved", Status::kRegisterValue, reg::reception_fifo::config(6), 0x200, true},
      {"FifoBootsForReplies", Status::kRegisterValue, reg::reception_fifo::config(6), 0xa, true},
      {"FifoBootsForNobody", Status::kRegisterValue, reg::reception_fifo::config(6), 0x48, true},
      {"FifoKeepsAndBoots", Status::kRegisterValue, reg::reception_fifo::config(1), 0x109, true},
      {"FifoKeepsAndIsOff", Status::kRegisterValue, reg::reception_fifo::config(6), 0x100, true},
      {"FifoBootsWithoutAKeeper", Status::kRegisterValue, reg::reception_fifo::config(6), 0xc0008,
       true},
      {"BootBufferWithoutRoom", Status::kRegisterValue, reg::boot::expected(), 0x1, true},
      {"FifoOwnerUnknown", Status::kRegisterValue, reg::reception_fifo::config(6), 0x41, true},
      {"FifoThresholdTooLarge", Status::kRegisterValue, reg::reception_fifo::threshold(6),
       (1 << 24) + 1, true},
      {"FifoTailWritten", Status::kRegisterUnknown, reg::reception_fifo::tail(6), 1, true},
      {"ByteCounterConfigReserved", Status::kRegisterValue, reg::byte_counter_config::config(9),
       0x50, true},
      {"ByteCounterOwnerUnknown", Status::kRegisterValue, reg::byte_counter_config::config(9), 0x14,
       true},
      {"EventCounterConfigReserved", Status::kRegisterValue, reg::event_counter_config::config(9),
       0x30, true},
      {"RegionBase", Status::kRegisterValue, reg::region::base(20), high, true},
      {"RegionLength", Status::kRegisterValue, reg::region::length(20),
       (std::uint64_t{1} << 37) + 1, true},
      {"RegionConfigReserved", Status::kRegisterValue, reg::region::config(20), 0x9, true},
      {"RegionOwnerUnknown", Status::kRegisterValue, reg::region::config(20), 0x41, true},
      {"TouchLength", Status::kRegisterValue, reg::touch_range::length(2), high + 1, true},
      {"TouchOwnerUnknown", Status::kRegisterValue, reg::touch_range::config(2), 0x47, true},
      {"TouchConfigReserved", Status::kRegisterValue, reg::touch_range::config(2), 0x401, true},
      {"CoreAccessOfNoBytes", Status::kRegisterValue, reg::core_access::report(), 0x100, true},
      {"CoreAccessOf513Bytes", Status::kRegisterValue, reg::core_access::report(),
       std::uint64_t{513} << 40, true},
      {"CoreAccessRead", Status::kRegisterUnknown, reg::core_access::report(), 0, true, true},
      {"ClassReleasesWhereItArrives", Status::kRegisterValue, reg::tree_class::config(3),
       0x05050018, true},
      {"ClassOwnerUnknown", Status::kRegisterValue, reg::tree_class::config(3), 0x401, true},
      {"ClassCounterUnknown", Status::kRegisterValue, reg::tree_class::config(3), 0x400001, true},
      {"ClassConfigReserved", Status::kRegisterValue, reg::tree_class::config(3), 0x80, true},
      {"ClassStateWritten", Status::kRegisterUnknown, reg::tree_class::state(3), 0, true},
      {"NoticeSize", Status::kRegisterValue, reg::notice_ring::size(2), (1 << 16) + 1, true},
      {"PerformanceWritten", Status::kRegisterUnknown, reg::performance::packets(0, 3), 0, false},
      {"CreditTooLarge", Status::kRegisterValue, reg::reflection::credit(6), 256, true},
      {"QueueBeyondTheProfile", Status::kRegisterUnknown, reg::injection_queue::base(32), 0, true},
      {"RegionBeyondTheProfile", Status::kRegisterUnknown, reg::region::base(64), 0, true},
      {"PageBeyondTheProfile", Status::kRegisterUnknown, page::interrupt_enable(4), 1, true},
      {"HoleBetweenBlocks", Status::kRegisterUnknown, 0x25000, 0, true},
      {"HoleBetweenBlocksRead", Status::kRegisterUnknown, 0x25000, 0, true, true},
      {"LastAddress", Status::kRegisterUnknown, 0xffff8, kAnything, true},
      {"LastAddressRead", Status::kRegisterUnknown, 0xffff8, 0, true, true},
  };
}

class RegisterAccessTest : public ::testing::Test {
 protected:
  RegisterAccessTest() {
    open_everything(judge_.device(), false);
    judge_.device().store(kSource, pattern(3, 4096));
    judge_.settle("set-up");
  }
  void access(const Case& bad) {
    Device& device = judge_.device();
    if (bad.read) {
      const std::uint64_t value =
          bad.wide ? device.read64(bad.address) : device.read32(bad.address);
      EXPECT_EQ(value, 0U) << bad.name;
    } else if (bad.wide) {
      device.write64(bad.address, bad.data);
    } else {
      device.write32(bad.address, static_cast<std::uint32_t>(bad.data));
    }
    judge_.settle(bad.name);
  }
  void clear() {
    judge_.device().write64(registers::node::error_clear(), 1U | std::uint64_t{1} << 63);
  }
  void put_and_check() {
    const std::uint32_t before = judge_.raw().read_event(kEvent);
    judge_.raw().write_descriptor(kDoorbellRing, kRingSlots, puts_, good_put(judge_.here(), 1));
    judge_.raw().ring_doorbell(kDoorbellQueue, ++puts_);
    judge_.settle("a good put afterwards");
    EXPECT_EQ(judge_.raw().read_event(kEvent), before + 1);
  }
  NodeJudge judge_;
  std::uint32_t puts_ = 0;
};

TEST_F(RegisterAccessTest, BadOnesInAPageEndInItsStatusAndChangeNothing) {
  for (const Case& bad : page_cases()) {
    access(bad);
    const std::uint64_t status = judge_.device().read64(page::page_status(0));
    EXPECT_EQ(name_of(static_cast<Status>(extract(status, status_field::status))),
              name_of(bad.status))
        << bad.name;
    EXPECT_EQ(extract(status, status_field::errors), 1U) << bad.name;
    EXPECT_EQ(extract(status, status_field::signature), registers::kSignature);
    EXPECT_NE(judge_.raw().causes() >> static_cast<unsigned>(Cause::kError) & 1U, 0U) << bad.name;
    judge_.raw().clear_causes(~std::uint64_t{0});
    clear();
  }
  put_and_check();
}

TEST_F(RegisterAccessTest, BadPrivilegedOnesEndInTheErrorRegisterAndChangeNothing) {
  for (const Case& bad : privileged_cases()) {
    access(bad);
    const std::uint64_t value = judge_.device().read64(registers::node::register_errors());
    EXPECT_EQ(name_of(static_cast<Status>(extract(value, error::status))), name_of(bad.status))
        << bad.name;
    EXPECT_EQ(extract(value, error::count), 1U) << bad.name;
    EXPECT_EQ(extract(value, error::address), bad.address) << bad.name;
    clear();
  }
  put_and_check();
}

// A queue whose ring runs past the address space would store pushes and gets at address zero.
TEST_F(RegisterAccessTest, RingsThatRunPastTheAddressSpaceAreNotOpened) {
  namespace reg = registers;
  constexpr Address kEnd = Address{1} << 40;
  Device& device = judge_.device();
  device.write64(reg::injection_queue::base(20), kEnd - 64);
  device.write64(reg::injection_queue::size(20), 2);
  device.write64(reg::reception_fifo::base(6), kEnd - 544);
  device.write64(reg::reception_fifo::size(6), 32);
  device.write64(reg::notice_ring::base(2), kEnd - 64);
  judge_.settle("rings at the end");
  access({"queue", Status::kRegisterValue, reg::injection_queue::config(20), 2, true});
  access({"FIFO", Status::kRegisterValue, reg::reception_fifo::config(6), 1, true});
  access({"notices", Status::kRegisterValue, reg::notice_ring::size(2), 4, true});
  EXPECT_EQ(extract(device.read64(reg::node::register_errors()), error::count), 3U);
  EXPECT_EQ(device.read64(reg::injection_queue::config(20)), 0U);
  device.write64(reg::injection_queue::size(20), 1);
  device.write64(reg::injection_queue::config(20), 2);
  EXPECT_EQ(device.read64(reg::injection_queue::config(20)), 2U);
  clear();
  put_and_check();
}

TEST_F(RegisterAccessTest, RingsThatAreNoPowersOfTwoAreRefused) {
  namespace reg = registers;
  for (const std::uint64_t size : {3U, 33U, 48U, 255U, 65535U}) {
    for (const std::uint32_t address :
         {reg::injection_queue::size(20), reg::reception_fifo::size(6),
          reg::completion_queue::size(3), reg::notice_ring::size(2)}) {
      const std::uint64_t before = judge_.device().read64(address);
      access({"size", Status::kRegisterValue, address, size, true});
      EXPECT_EQ(judge_.device().read64(address), before) << size;
    }
  }
  EXPECT_EQ(extract(judge_.device().read64(reg::node::register_errors()), error::count), 20U);
  clear();
  put_and_check();
}

TEST_F(RegisterAccessTest, OnlyTheFirstErrorIsKeptAndAllAreCounted) {
  access({"unknown", Status::kRegisterUnknown, 0x3c0, 0, true});
  access({"partial", Status::kRegisterPartial, page::interrupt_cause(0), 0, false});
  access({"value", Status::kRegisterValue, page::push_queue(0), 99, true});
  const std::uint64_t status = judge_.device().read64(page::page_status(0));
  EXPECT_EQ(extract(status, status_field::status),
            static_cast<std::uint64_t>(Status::kRegisterUnknown));
  EXPECT_EQ(extract(status, status_field::errors), 3U);
  put_and_check();
}

TEST_F(RegisterAccessTest, PushesAreRefusedWithTheirStatusAndTheNextGoodOneRuns) {
  struct Push {
    QueueId queue;
    Status status;
  };
  const auto push = [&](QueueId queue) {
    Device& device = judge_.device();
    device.write64(page::push_queue(0), queue.value);
    const Descriptor put = good_put(judge_.here(), 1);
    for (std::uint32_t w = 0; w < 8; ++w) device.write64(page::push_data(0, w), put.words()[w]);
    judge_.settle("push");
    return static_cast<Status>(
        extract(device.read64(page::push_status(0)), page::push_status_field::status));
  };
  for (const Push bad :
       {Push{kDoorbellQueue, Status::kQueueInvalid}, Push{kGetQueue, Status::kQueueInvalid},
        Push{kOffQueue, Status::kQueueInvalid}}) {
    EXPECT_EQ(name_of(push(bad.queue)), name_of(bad.status));
  }
  set_queue(judge_.device(), kForeignQueue, kForeignRing, 4, QueueMode::kPush, kForeigner, false);
  EXPECT_EQ(name_of(push(kForeignQueue)), name_of(Status::kDoorbellOwner));
  for (unsigned i = 0; i < 9; ++i) EXPECT_EQ(name_of(push(kPushQueue)), name_of(Status::kOk));
  EXPECT_EQ(judge_.raw().read_event(kEvent), 9U);
}

// Any access at all, to any address: node and model agree on what it does.
TEST(AnyRegisterAccess, DoesWhatTheModelDoes) {
  Random random(20251120);
  SCOPED_TRACE(random.replay());
  for (unsigned round = 0; round < 6; ++round) {
    NodeJudge judge({.seed = random.bits64()});
    open_everything(judge.device(), false);
    const auto& known = readable_registers();
    for (unsigned i = 0; i < 60; ++i) {
      std::uint32_t address = known[random.below(known.size())];
      if (random.chance(20)) address = static_cast<std::uint32_t>(random.below(1U << 20)) & ~7U;
      const bool wide = address % 8 == 0 && random.chance(70);
      // Queues that run would fetch descriptors from anywhere: their doorbells stay untouched, and
      // the page's queue number and push window are left to the test above.
      if (address < 0x4000 && (address % 0x1000 < 0x80 || (address % 0x1000 & ~0x7fU) == 0x300))
        continue;
      std::uint64_t data = random.bits64() >> random.below(64);
      if (random.chance(30)) data = 0;
      if (random.chance(20)) {
        if (wide) (void)judge.device().read64(address);
        if (!wide) (void)judge.device().read32(address);
      } else if (wide) {
        judge.device().write64(address, data);
      } else {
        judge.device().write32(address, static_cast<std::uint32_t>(data));
      }
      if (i % 10 == 9) judge.settle("random accesses");
      if (judge.differences() != 0) return;
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
