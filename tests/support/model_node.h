// SPDX-License-Identifier: Apache-2.0
// The reference model of one node alone, driven as NodeJudge drives node and model: what a test of
// the node expects, the model must do too.
#ifndef TORUSMU_TESTS_SUPPORT_MODEL_NODE_H_
#define TORUSMU_TESTS_SUPPORT_MODEL_NODE_H_

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/play/scenario/raw_node.h"
#include "tb/reference_model/node_model.h"

namespace torusmu::testing {

class ModelNode final : private Device {
 public:
  ModelNode() : model_({3, 3, 3}, {13}, Bytes{1} << 22), here_(model_.shape().coordinates({13})) {}

  Device& device() { return *this; }
  [[nodiscard]] RawNode raw(ClientId client = {0}) { return RawNode(*this, client); }
  model::ReferenceNode& reference() { return model_; }
  [[nodiscard]] Coordinates here() const { return here_; }

  void deliver_sealed(model::Packet packet) {
    packet.seal();
    model_.receive(packet, now_);
    run();
  }
  std::vector<model::Packet> settle(const std::string& /*where*/) {
    run();
    return std::exchange(sent_, {});
  }
  void pass(Cycles cycles) {
    const Cycles end = now_ + cycles;
    for (Cycles at = model_.next_timer(); at <= end; at = model_.next_timer()) {
      now_ = at;
      model_.run_timers(now_);
      run();
    }
    now_ = end;
  }
  void let_retries_run(Cycles retry_cycles) {
    const auto done = [this] {
      std::uint64_t sum = 0;
      for (std::uint32_t n = 0; n < kSim.injection_queues; ++n) sum += model_.queue(n).head;
      return sum;
    };
    for (std::uint64_t before = ~std::uint64_t{0}; before != done();) {
      before = done();
      pass(retry_cycles + 1);
    }
  }
  [[nodiscard]] unsigned differences() const { return 0; }

  // --- Device ---
  [[nodiscard]] Shape shape() const override { return model_.shape(); }
  [[nodiscard]] NodeId node() const override { return model_.id(); }
  [[nodiscard]] Bytes memory_size() const override { return model_.memory().size(); }
  void write32(std::uint32_t address, std::uint32_t value) override {
    model_.write(address, value, false);
    run();
  }
  void write64(std::uint32_t address, std::uint64_t value) override {
    model_.write(address, value, true);
    run();
  }
  std::uint32_t read32(std::uint32_t address) override {
    return static_cast<std::uint32_t>(model_.read(address).data);
  }
  std::uint64_t read64(std::uint32_t address) override { return model_.read(address).data; }
  void store(Address address, std::span<const std::byte> data) override {
    model_.memory().write(address, data);
  }
  void load(Address address, std::span<std::byte> data) override {
    model_.memory().read(address, data);
  }

 private:
  void work(Work, std::uint64_t) override {}
  void compute(Cycles) override {}
  [[nodiscard]] Cycles now() const override { return now_; }
  bool wait_interrupt(ClientId, Cycles) override { return false; }

  void run() {
    namespace h = layout::packet_header;
    for (unsigned steps = 0; model_.has_work(); ++steps) {
      if (steps > 100'000) throw std::runtime_error("the reference model does not come to rest");
      model::ReferenceNode::Step step = model_.inject(now_);
      if (!step.packet) continue;
      const PacketHeader& header = step.packet->header;
      const Coordinates to{static_cast<std::uint32_t>(header.get<h::dst_x>()),
                           static_cast<std::uint32_t>(header.get<h::dst_y>()),
                           static_cast<std::uint32_t>(header.get<h::dst_z>())};
      if (to == here_) {
        model_.receive(*step.packet, now_);
      } else {
        sent_.push_back(std::move(*step.packet));
      }
    }
  }

  model::ReferenceNode model_;
  Coordinates here_;
  std::vector<model::Packet> sent_;
  Cycles now_ = 0;
};

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_MODEL_NODE_H_
