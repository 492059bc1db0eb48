// SPDX-License-Identifier: Apache-2.0
// A node for fuzz targets: set up with one of everything, and a map of what the MU may write.
#ifndef TORUSMU_TESTS_FUZZ_NODE_FUZZ_H_
#define TORUSMU_TESTS_FUZZ_NODE_FUZZ_H_

#include <algorithm>
#include <vector>

#include "tests/fuzz/fuzz.h"
#include "tests/support/node_setup.h"

namespace torusmu::fuzz {

using namespace testing;

class FuzzedNode {
 public:
  static constexpr Cycles kBound = 200'000;  // for whatever an input asks for

  FuzzedNode() : bench_({.seed = 1}), image_(bench_.memory().size()) {
    bench_.run([](Device& device) {
      open_everything(device, false);
      // This region is all of memory, for reading and writing.
      device.write64(registers::region::config(kHugeRegion.value), 0);
      device.write64(registers::node::credit_timeout_cycles(), 0);
      device.write64(registers::node::send_retry_cycles(), 1 << 24);
    });
    allow(kGetRing, kRingSlots * Descriptor::kBytes);
    allow(kReflectionRing, kRingSlots * Descriptor::kBytes);
    allow(kPushRing, kRingSlots * Descriptor::kBytes);
    for (const Address ring : {kFifoRing, kForeignFifoRing, kReplyFifoRing})
      allow(ring, kFifoSlots * 32);
    for (const Address ring : {kNoticeRing, kForeignNoticeRing}) allow(ring, kNoticeSlots * 32);
    allow(kTarget, kRegionBytes);
  }
  NodeBench& bench() { return bench_; }
  Coordinates here() const { return {1, 1, 1}; }

  // The MU may write there too.
  void allow(Address address, Bytes bytes) { allowed_.push_back({address, bytes}); }
  // What the test itself writes.
  void store(Address address, std::span<const std::byte> data) {
    bench_.memory().write(address, data);
    std::memcpy(image_.data() + address, data.data(), data.size());
  }
  void store(Address address, const Descriptor& descriptor) {
    const auto bytes = descriptor.bytes();
    store(address, std::as_bytes(std::span(bytes)));
  }
  // Whatever has been asked for comes to an end, nothing else has been written, and the node takes
  // a good packet as ever.
  void finish() {
    settle();
    const std::string complaints = bench_.complaints();
    require(complaints.empty(), complaints);
    check_memory();
    const auto payload = bytes_of(1, 64);
    bench_.send(1, put_packet({0, 1, 1}, here(), payload, kTargetRegion.value, 256));
    settle();
    std::vector<std::byte> found(payload.size());
    bench_.memory().read(kTarget + 256, found);
    require(std::memcmp(found.data(), payload.data(), found.size()) == 0,
            "a good PUT is not taken afterwards");
  }
  void settle() {
    try {
      bench_.settle(kBound);
    } catch (const std::exception& error) {
      require(false, error.what());
    }
  }

 private:
  struct Range {
    Address address;
    Bytes bytes;
  };
  void check_memory() {
    std::vector<std::byte> found(image_.size());
    bench_.memory().read(0, found);
    for (const Range& range : allowed_) {
      std::memcpy(image_.data() + range.address, found.data() + range.address, range.bytes);
    }
    if (std::memcmp(found.data(), image_.data(), found.size()) == 0) return;
    const auto wrong = std::mismatch(found.begin(), found.end(), image_.begin()).first;
    require(false, "memory was written that nobody allowed: address " +
                       std::to_string(wrong - found.begin()));
  }

  NodeBench bench_;
  std::vector<std::byte> image_;
  std::vector<Range> allowed_;
};

}  // namespace torusmu::fuzz

#endif  // TORUSMU_TESTS_FUZZ_NODE_FUZZ_H_
