// SPDX-License-Identifier: Apache-2.0
// Completion entries that say anything, as the library finds them in memory: nothing outside the
// buffers is handed on, and every call ends with a status of the library. The device is a memory
// with registers that read as zero.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "tests/fuzz/fuzz.h"
#include "torusmu/context.h"
#include "torusmu/local_channel.h"

namespace {

using namespace torusmu;

constexpr Bytes kMemory = Bytes{1} << 20;
constexpr std::uint32_t kEntries = 8;

class Memory final : public Device {
 public:
  Shape shape() const override { return {2, 1, 1}; }
  NodeId node() const override { return {0}; }
  Bytes memory_size() const override { return kMemory; }
  void write32(std::uint32_t /*address*/, std::uint32_t /*value*/) override {}
  void write64(std::uint32_t /*address*/, std::uint64_t /*value*/) override {}
  std::uint32_t read32(std::uint32_t /*address*/) override { return 0; }
  std::uint64_t read64(std::uint32_t /*address*/) override { return 0; }
  void store(Address address, std::span<const std::byte> data) override {
    std::copy(data.begin(), data.end(), at(address, data.size()));
  }
  void load(Address address, std::span<std::byte> data) override {
    const auto from = at(address, data.size());
    std::copy(from, from + static_cast<std::ptrdiff_t>(data.size()), data.begin());
  }
  void work(Work /*kind*/, std::uint64_t units) override { now_ += units; }
  void compute(Cycles cycles) override { now_ += cycles; }
  Cycles now() const override { return now_; }
  bool wait_interrupt(ClientId /*client*/, Cycles deadline) override {
    now_ = std::max(now_ + 1, deadline);
    return false;
  }

 private:
  std::vector<std::byte>::iterator at(Address address, Bytes bytes) {
    fuzz::require((Range{0, kMemory}.holds(address, bytes)), "an access outside the memory");
    now_ += 2;
    return bytes_.begin() + static_cast<std::ptrdiff_t>(address);
  }
  std::vector<std::byte> bytes_ = std::vector<std::byte>(kMemory);
  Cycles now_ = 0;
};

// Nearly right: queues and names that there are, for the most part.
CompletionEntry any_entry(fuzz::Input& input, const NodePlan& plan, std::uint64_t phase) {
  namespace e = layout::completion_entry;
  CompletionEntry entry;
  const auto end = input.below(2) == 0 ? NodePlan::End::kSend : NodePlan::End::kReceive;
  const std::uint32_t n = input.below(4);
  entry.set<e::phase>(phase)
      .set<e::status>(static_cast<Status>(input.below(4) == 0 ? input.below(64) : 0))
      .set<e::opcode>(input.below(4) == 0           ? static_cast<Opcode>(input.below(256))
                      : end == NodePlan::End::kSend ? Opcode::kSend
                                                    : Opcode::kReceive)
      .set<e::queue>(n < plan.pairs() ? plan.pair_queue({0}, n, end).value : input.below(256))
      .set<e::sequence_number>(input.below(8) == 0 ? input.take<std::uint32_t>() : input.below(8))
      .set<e::word>(input.below(4))
      .set<e::bytes>(input.below(8) == 0 ? input.take<std::uint32_t>() : input.below(65))
      .set<e::peer_x>(input.below(8) == 0 ? input.below(16) : 0)
      .set<e::peer_queue>(plan.pair_queue({0}, 0, NodePlan::End::kSend).value);
  return entry;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  Memory memory;
  PlanOptions options;
  options.dynamic_pairs = 2;
  options.completion_entries = kEntries;
  options.heap_bytes = options.buffer_bytes = 16384;
  options.offload_window = 4096;
  const NodePlan plan = *NodePlan::make(memory.shape(), kSim, kMemory, options);
  Context context(memory, plan, {0});
  CompletionQueue completions(context);
  const LocalOptions local_options{.pair = 0, .buffers = 4, .buffer_bytes = 64};
  auto opened = LocalChannels::open(context, completions, local_options);
  LocalChannels local = std::move(opened.value());
  const Range segment = plan.heap({0});
  auto connected = local.connect({0}, [&](const LocalMessage& message) {
    fuzz::require(message.from.task == Task{0}, "a message of another task");
    fuzz::require(message.bytes <= local_options.buffer_bytes, "a message longer than a buffer");
    fuzz::require(segment.holds(message.data, message.bytes), "a message outside the segment");
  });
  LocalChannel channel = std::move(connected.value());
  const Address source = *context.take_heap(64);
  for (std::uint32_t written = 0; !input.empty();) {
    switch (input.below(4)) {
      case 0:
        (void)channel.send(static_cast<std::uint16_t>(input.below(4)), source, 1 + input.below(64));
        break;
      case 1:
        (void)local.advance();
        while (completions.poll()) {
        }
        break;
      default: {
        const auto entry = any_entry(input, plan, ~(written / kEntries) & 1U).bytes();
        memory.store(plan.completion_ring({0}).address + written % kEntries * entry.size(),
                     std::as_bytes(std::span(entry)));
        ++written;
      }
    }
  }
  (void)local.advance();
  return 0;
}
