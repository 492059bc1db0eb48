// SPDX-License-Identifier: Apache-2.0
// One RTL node and the reference model of one, given the same accesses, descriptors and packets one
// after another, and compared after each: every register, the whole memory, every packet sent.
#ifndef TORUSMU_TESTS_SUPPORT_NODE_JUDGE_H_
#define TORUSMU_TESTS_SUPPORT_NODE_JUDGE_H_

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "sim/play/scenario/raw_node.h"
#include "tb/reference_model/node_model.h"
#include "tests/support/node_bench.h"

namespace torusmu::testing {

class NodeJudge final : private Device {
 public:
  explicit NodeJudge(const NodeBenchOptions& options = {});

  // What is written through this device goes to both nodes at the next settle() or read; what is
  // read is read from both, and must be the same.
  Device& device() { return *this; }
  [[nodiscard]] RawNode raw(ClientId client = {0}) { return RawNode(*this, client); }
  NodeBench& bench() { return bench_; }
  model::ReferenceNode& reference() { return model_; }
  [[nodiscard]] Coordinates here() const { return here_; }

  // A packet that arrives on the link of `direction`, as it is: sealed or not.
  void deliver(const model::Packet& packet, unsigned direction = 1);
  // The same with a good CRC.
  void deliver_sealed(model::Packet packet, unsigned direction = 1) {
    packet.seal();
    deliver(packet, direction);
  }
  // Flits that are no packet: the model only counts them, as `bad` packets.
  void deliver_broken(const std::vector<Flit>& flits, unsigned bad, unsigned direction = 1);

  // Does all that was written, and waits until nothing moves.
  void flush();
  // Does all that was written, waits until nothing moves, compares. Differences are non-fatal
  // failures of the test, with `where` in their text. What left on the links is handed out.
  std::vector<model::Packet> settle(const std::string& where);
  // Lets so much time pass in both: what is due is done. The model knows no exact times, so a test
  // leaves the node room to be early or late.
  void pass(Cycles cycles);
  // Until no SEND that was refused gets any further by going out again after `retry_cycles`.
  void let_retries_run(Cycles retry_cycles);
  // Differences found so far.
  [[nodiscard]] unsigned differences() const { return differences_; }

  // --- Device ---
  [[nodiscard]] Shape shape() const override { return model_.shape(); }
  [[nodiscard]] NodeId node() const override { return model_.id(); }
  [[nodiscard]] Bytes memory_size() const override { return model_.memory().size(); }
  void write32(std::uint32_t address, std::uint32_t value) override;
  void write64(std::uint32_t address, std::uint64_t value) override;
  std::uint32_t read32(std::uint32_t address) override;
  std::uint64_t read64(std::uint32_t address) override;
  void store(Address address, std::span<const std::byte> data) override;
  void load(Address address, std::span<std::byte> data) override;

 private:
  struct Action {
    std::uint32_t address = 0;
    std::uint64_t data = 0;
    bool wide = false;
    bool is_store = false;
    Address at = 0;
    std::vector<std::byte> bytes;
  };
  void work(Work, std::uint64_t) override {}
  void compute(Cycles) override {}
  [[nodiscard]] Cycles now() const override { return bench_.now(); }
  bool wait_interrupt(ClientId, Cycles) override { return false; }

  void settle_model(Cycles now);
  [[nodiscard]] std::uint64_t done() const;
  std::uint64_t done_by_node();
  void compare(const std::string& where, const std::vector<model::Packet>& sent);
  void compare_registers(const std::string& where);
  void compare_unit_memory(const std::string& where);
  void compare_memory(const std::string& where);
  [[nodiscard]] std::uint64_t wanted_value(std::uint32_t address);
  static bool agree(std::uint32_t address, std::uint64_t found, std::uint64_t wanted);
  void differs(const std::string& text);
  [[nodiscard]] bool may_read(std::uint32_t client, std::uint32_t address) const;

  NodeBench bench_;
  model::ReferenceNode model_;
  Coordinates here_;
  std::vector<Action> pending_;
  std::vector<model::Packet> model_sent_;
  std::uint64_t broken_ = 0;  // packets that the model never saw
  unsigned differences_ = 0;
};

// A register as text: its block, name and copies.
std::string register_name(std::uint32_t address);
// Addresses of all readable registers of the sim profile but the performance counters.
const std::vector<std::uint32_t>& readable_registers();

// --- packets by hand ---

// A PUT of `payload` from `from`, client `client`, to `region` + `offset` of `to`; sealed.
model::Packet put_packet(Coordinates from, Coordinates to, std::vector<std::uint8_t> payload,
                         std::uint32_t region, Bytes offset);
std::vector<std::uint8_t> bytes_of(std::uint64_t seed, std::size_t length);

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_NODE_JUDGE_H_
