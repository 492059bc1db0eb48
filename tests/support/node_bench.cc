// SPDX-License-Identifier: Apache-2.0
#include "tests/support/node_bench.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;

constexpr std::uint8_t kRequestCredit = 1, kReplyCredit = 2;  // bit class
constexpr std::array<std::uint32_t, 2> kSlots{kSim.request_packets, kSim.reply_packets};

}  // namespace

std::uint64_t number_of_this_test() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  if (test == nullptr) return 0;
  return mix(std::hash<std::string>{}(std::string(test->test_suite_name()) + "." + test->name()));
}

std::vector<Flit> flits_of_packet(const model::Packet& packet) {
  const std::vector<std::uint8_t> bytes = packet.bytes();
  std::vector<Flit> flits(packet.flits());
  for (std::size_t i = 0; i < flits.size(); ++i) {
    std::memcpy(flits[i].data.data(), bytes.data() + i * kFlitBytes, kFlitBytes);
    flits[i].head = i == 0;
    flits[i].tail = i + 1 == flits.size();
    flits[i].reply = packet.reply();
  }
  return flits;
}

CoreCosts NodeBench::cheap_costs() {
  CoreCosts costs;
  costs.mmio_write = 1;
  costs.mmio_read = 1;
  costs.cached_line = 1;
  costs.mu_line = 1;
  return costs;
}

NodeBench::NodeBench(const NodeBenchOptions& options)
    : shape_(options.shape),
      shell_(options.shape, options.node, options.memory_size, options.timing, options.seed),
      node_(std::make_unique<FastNode>(&context_, options.shape, 1, shell_, "node")),
      batch_(std::span(&node_, 1), true, false),
      start_(options.start),
      now_(options.start) {
  node_->place_memory_at(MemoryOrigin(options.memory_origin));
  std::array<Link*, kDirections> arriving{};
  for (unsigned d = 0; d < kDirections; ++d) {
    for (Link::Half& half : directions_[d].in.halves) half.slots.resize(1);
    arriving[d] = &directions_[d].in;
  }
  node_->connect(arriving);
}

Core& NodeBench::start(Core::Program program) {
  return shell_.add_core(cheap_costs(), std::move(program), now_);
}

void NodeBench::run(Core::Program program) {
  const Core& core = start(std::move(program));
  settle();
  if (core.state() == Core::State::kFailed) throw std::runtime_error(core.failure());
}

void NodeBench::send(unsigned direction, const std::vector<Flit>& flits) {
  for (const Flit& flit : flits) {
    directions_.at(direction).waiting[flit.reply ? 1 : 0].push_back(flit);
  }
}

bool NodeBench::at_rest() const {
  for (const Direction& direction : directions_) {
    if (!direction.waiting[0].empty() || !direction.waiting[1].empty()) return false;
    if (direction.credit_to_give != 0 || direction.reply_credits_kept != 0) return false;
  }
  for (const auto& core : shell_.cores()) {
    if (core->state() == Core::State::kRunning) return false;
  }
  return node_->asleep();
}

void NodeBench::settle(Cycles bound) {
  const Cycles limit = now_ + bound;
  // A sleeping node has said so in its last cycle; one more in which nothing comes in proves it.
  for (unsigned quiet = 0; quiet < 4;) {
    if (now_ >= limit) {
      std::string text = "the node does not come to rest";
      for (const auto& core : shell_.cores()) {
        if (core->state() == Core::State::kRunning)
          text += "; a core waits for " + core->waiting_for();
      }
      throw std::runtime_error(text);
    }
    cycle();
    quiet = at_rest() ? quiet + 1 : 0;
  }
}

void NodeBench::pass(Cycles cycles) {
  for (const Cycles limit = now_ + cycles; now_ < limit;) cycle();
}

bool NodeBench::drive(Direction& direction) {
  Link::Half& half = direction.in.open(now_);  // the node reads it in window now_ + 1
  Link::Slot& slot = half.slots[0];
  // Credits of a class are two cycles apart at least: one of two cycles would mean a reserved
  // place.
  if (!keeps_reply_credits_ && direction.reply_credits_kept != 0 &&
      now_ >= direction.reply_credit_at + 2) {
    --direction.reply_credits_kept;
    direction.reply_credit_at = now_;
    direction.credit_to_give |= kReplyCredit;
  }
  if (direction.credit_to_give != 0) {
    half.credits = 1;
    slot.credits = std::exchange(direction.credit_to_give, std::uint8_t{0});
  }
  for (const unsigned c : {1U, 0U}) {
    if (direction.waiting[c].empty()) continue;
    const Flit flit = direction.waiting[c].front();
    const std::uint32_t held = direction.packets_in[c] - direction.credits_back[c];
    if (flit.head && held == kSlots[c]) continue;
    if (flit.head) ++direction.packets_in[c];
    direction.waiting[c].pop_front();
    half.flits = 1;
    slot.data = flit.data;
    slot.head = flit.head;
    slot.tail = flit.tail;
    slot.reply = flit.reply;
    break;
  }
  return half.flits != 0 || half.credits != 0;
}

void NodeBench::collect(unsigned d) {
  const Link::Half& half = node_->link(d).halves[(now_ + 1) & 1U];
  if (half.window != now_ + 1) return;
  Direction& direction = directions_[d];
  const Link::Slot& slot = half.slots[0];
  if (half.credits != 0) {
    for (const unsigned c : {0U, 1U}) direction.credits_back[c] += slot.credits >> c & 1U;
  }
  if (half.flits == 0) return;
  auto& flits = direction.leaving[slot.reply];
  flits.push_back({slot.data, slot.head != 0, slot.tail != 0, slot.reply != 0});
  if (slot.tail == 0) return;
  std::vector<std::uint8_t> bytes(flits.size() * kFlitBytes);
  for (std::size_t i = 0; i < flits.size(); ++i) {
    std::memcpy(bytes.data() + i * kFlitBytes, flits[i].data.data(), kFlitBytes);
  }
  model::Packet packet;
  packet.header = PacketHeader::from_bytes(std::span(bytes).first(kFlitBytes));
  packet.trailer = PacketTrailer::from_bytes(std::span(bytes).last(kFlitBytes));
  const std::size_t size = packet.header.get<h::bytes>();
  if ((size + kFlitBytes - 1) / kFlitBytes + 2 != flits.size() || !flits.front().head) {
    throw std::runtime_error("the node sent a packet whose size is not that of its header");
  }
  packet.payload.assign(bytes.begin() + kFlitBytes,
                        bytes.begin() + static_cast<std::ptrdiff_t>(kFlitBytes + size));
  packets_.push_back(std::move(packet));
  packet_directions_.push_back(d);
  if (slot.reply != 0) {
    ++direction.reply_credits_kept;
  } else {
    direction.credit_to_give |= kRequestCredit;
  }
  flits.clear();
}

void NodeBench::cycle() {
  for (Direction& direction : directions_) drive(direction);
  if (const auto failure = batch_.run(now_ + 1, now_, now_, now_ + 1)) {
    std::rethrow_exception(failure->error);
  }
  for (unsigned d = 0; d < kDirections; ++d) collect(d);
  ++now_;
}

std::vector<model::Packet> NodeBench::take_packets() { return std::exchange(packets_, {}); }
std::vector<unsigned> NodeBench::take_directions() { return std::exchange(packet_directions_, {}); }

std::string NodeBench::complaints() const {
  std::string text;
  for (unsigned d = 0; d < kDirections; ++d) {
    const Direction& direction = directions_[d];
    const std::string name = std::string("direction ") + kDirectionNames[d];
    for (const unsigned c : {0U, 1U}) {
      if (direction.packets_in[c] != direction.credits_back[c]) {
        text += name + ": " + std::to_string(direction.packets_in[c]) + " packets came in, " +
                std::to_string(direction.credits_back[c]) + " credits went back\n";
      }
      if (!direction.leaving[c].empty()) text += name + ": a packet left in part\n";
    }
  }
  if (!at_rest()) text += "the node is not quiescent\n";
  return text;
}

}  // namespace torusmu::testing
