// SPDX-License-Identifier: Apache-2.0
// A node set up with one of everything, for tests of what it accepts and refuses.
#ifndef TORUSMU_TESTS_SUPPORT_NODE_SETUP_H_
#define TORUSMU_TESTS_SUPPORT_NODE_SETUP_H_

#include "tests/support/node_judge.h"

namespace torusmu::testing {

// Client 0 owns everything but what is named Foreign, which is client 1's.
inline constexpr ClientId kOwner{0}, kForeigner{1};
inline constexpr QueueId kDoorbellQueue{8}, kGetQueue{9}, kPushQueue{10}, kForeignQueue{11},
    kOffQueue{12}, kReflectionQueue{1};
inline constexpr RegionId kSourceRegion{1}, kTargetRegion{2}, kForeignRegion{3}, kReadableRegion{4},
    kClosedRegion{5}, kEndRegion{6}, kHugeRegion{7};
inline constexpr CounterId kCounter{0}, kForeignCounter{5}, kClosedCounter{6}, kLoudCounter{7};
inline constexpr EventId kEvent{0}, kDoneEvent{1}, kForeignEvent{5}, kClosedEvent{6};
inline constexpr FifoId kFifo{1}, kForeignFifo{2}, kReplyFifo{3}, kClosedFifo{4};

inline constexpr std::uint32_t kRingSlots = 4;
inline constexpr std::uint32_t kFifoSlots = 64;
inline constexpr std::uint32_t kNoticeSlots = 64;
inline constexpr Address kDoorbellRing = 0x10040, kGetRing = 0x12020, kPushRing = 0x14001,
                         kForeignRing = 0x16000, kReflectionRing = 0x18003;
inline constexpr Address kFifoRing = 0x20010, kForeignFifoRing = 0x22000, kReplyFifoRing = 0x24000;
inline constexpr Address kNoticeRing = 0x30008, kForeignNoticeRing = 0x34000;
inline constexpr Address kSource = 0x100003, kTarget = 0x200005, kForeign = 0x280000,
                         kReadable = 0x300000;
inline constexpr Bytes kRegionBytes = 0x10000;
inline constexpr std::uint64_t kPreload = 100'000;

inline std::uint64_t queue_config(QueueMode mode, ClientId owner, bool halt) {
  namespace f = registers::injection_queue::config_field;
  return insert(insert(insert(0, f::mode, static_cast<std::uint64_t>(mode)), f::owner, owner.value),
                f::halt_on_error, halt ? 1 : 0);
}

inline void set_queue(Device& device, QueueId queue, Address base, std::uint32_t slots,
                      QueueMode mode, ClientId owner, bool halt) {
  device.write64(registers::injection_queue::config(queue.value), 0);
  device.write64(registers::injection_queue::base(queue.value), base);
  device.write64(registers::injection_queue::size(queue.value), slots);
  device.write64(registers::injection_queue::config(queue.value), queue_config(mode, owner, halt));
}

// Opens everything; queues halt on errors or go on.
inline void open_everything(Device& device, bool halt) {
  RawNode own(device, kOwner);
  RawNode foreign(device, kForeigner);
  set_queue(device, kDoorbellQueue, kDoorbellRing, kRingSlots, QueueMode::kDoorbell, kOwner, halt);
  set_queue(device, kGetQueue, kGetRing, kRingSlots, QueueMode::kRemoteGet, kOwner, halt);
  set_queue(device, kPushQueue, kPushRing, kRingSlots, QueueMode::kPush, kOwner, halt);
  set_queue(device, kReflectionQueue, kReflectionRing, kRingSlots, QueueMode::kReflection, kOwner,
            halt);
  set_queue(device, kForeignQueue, kForeignRing, kRingSlots, QueueMode::kDoorbell, kForeigner,
            halt);
  own.open_region(kSourceRegion, kSource, kRegionBytes, {.remote_write = false});
  own.open_region(kTargetRegion, kTarget, kRegionBytes);
  foreign.open_region(kForeignRegion, kForeign, kRegionBytes, {.remote_write = false});
  own.open_region(kReadableRegion, kReadable, kRegionBytes,
                  {.remote_write = false, .remote_read = true});
  // The last page of the 40-bit space, and all of it.
  own.open_region(kEndRegion, (Address{1} << 40) - 4096, 8192);
  own.open_region(kHugeRegion, 0, Bytes{1} << 37);
  for (const CounterId counter : {kCounter, kLoudCounter}) {
    own.open_counter(counter, counter == kLoudCounter);
    own.preload(counter, kPreload);
  }
  foreign.open_counter(kForeignCounter, false);
  own.open_event(kEvent);
  own.open_event(kDoneEvent);
  foreign.open_event(kForeignEvent);
  own.open_fifo(kFifo, kFifoRing, kFifoSlots, false);
  foreign.open_fifo(kForeignFifo, kForeignFifoRing, kFifoSlots, false);
  own.open_fifo(kReplyFifo, kReplyFifoRing, kFifoSlots, true);
  namespace f = registers::reception_fifo::config_field;
  device.write64(registers::reception_fifo::config(kReplyFifo.value),
                 insert(insert(0, f::enable, 1), f::reply_only, 1));
  own.open_notices(kNoticeRing, kNoticeSlots);
  foreign.open_notices(kForeignNoticeRing, kNoticeSlots);
  const std::array causes{Cause::kError, Cause::kNotice, Cause::kArrived, Cause::kDone};
  own.enable_interrupts(causes);
  foreign.enable_interrupts(causes);
}

// What a queue's status register says.
struct QueueState {
  Status status = Status::kOk;
  bool halted = false;
  std::uint64_t count = 0;
  std::uint64_t index = 0;
};
inline QueueState queue_state(Device& device, QueueId queue) {
  namespace f = registers::injection_queue::status_field;
  const std::uint64_t value = device.read64(registers::injection_queue::status(queue.value));
  return {static_cast<Status>(extract(value, f::status)), extract(value, f::halted) != 0,
          extract(value, f::count), extract(value, f::index)};
}

// A put to this node itself that every queue of client 0 may run, and what it leaves behind.
inline Descriptor good_put(Coordinates here, std::uint32_t number) {
  Descriptor put = put_descriptor(
      here, {kSourceRegion, number, 700}, kTargetRegion, 1000 * number,
      {.counter = static_cast<int>(kCounter.value), .event = static_cast<int>(kEvent.value)});
  put.set<layout::descriptor::sequence_number>(number)
      .set<layout::descriptor::done_event_valid>(1)
      .set<layout::descriptor::done_event>(kDoneEvent.value);
  return put;
}

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_NODE_SETUP_H_
