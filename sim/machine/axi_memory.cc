// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/axi_memory.h"

#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

namespace torusmu {
namespace {

constexpr Bytes kBeatBytes = 32;
constexpr std::uint32_t kFullSize = 5;  // AxSIZE of 32 bytes
constexpr std::uint32_t kIncrementing = 1;

// Byte address of beat `i`, aligned to the width of the bus.
Address beat_address(Address first, std::uint32_t i) {
  return first / kBeatBytes * kBeatBytes + i * kBeatBytes;
}

}  // namespace

AxiMemory::AxiMemory(NodeMemory& memory, const AxiTiming& timing, std::uint64_t seed)
    : memory_(memory), timing_(timing), seed_(mix(seed)) {
  if (timing.read_latency == 0 || timing.write_latency == 0) {
    throw std::invalid_argument("AXI memory latencies are at least 1 cycle");
  }
}

void AxiMemory::fail(Cycles t, const char* channel, const char* rule) const {
  throw std::runtime_error("m_axi " + std::string(channel) + " in cycle " + std::to_string(t) +
                           ": " + rule);
}

void AxiMemory::check_command(const Command& command, Cycles t, const char* channel) const {
  if (command.burst != kIncrementing) fail(t, channel, "burst type is not INCR");
  if (command.size != kFullSize) fail(t, channel, "beats are not 32 bytes");
  const Address last = beat_address(command.address, command.length);
  if (command.address / 4096 != last / 4096) fail(t, channel, "burst crosses a 4 KiB boundary");
}

Cycles AxiMemory::delay(Cycles latency, Cycles t, unsigned salt) const {
  if (timing_.random_extra == 0) return latency;
  return latency + mix(seed_ + t * 4 + salt) % (timing_.random_extra + 1);
}

void AxiMemory::take_read(const Command& command, Cycles t) {
  check_command(command, t, "AR");
  reads_[command.id % kIds].push(
      {.command = command, .due = t + delay(timing_.read_latency, t, 0)});
  read_order_.push(static_cast<std::uint8_t>(command.id % kIds));
  ++outstanding_;
}

void AxiMemory::take_write(const Command& command, Cycles t) {
  check_command(command, t, "AW");
  writes_.push({.command = command});
  ++outstanding_;
  complete_writes(t);
}

void AxiMemory::take_beat(const Beat& beat, Cycles t) {
  beats_.push(beat);
  complete_writes(t);
}

void AxiMemory::complete_writes(Cycles t) {
  // Only the newest writes can be incomplete: W beats come in the order of the AWs.
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    Burst& burst = writes_[i];
    if (burst.complete) continue;
    const std::size_t wanted = std::size_t{burst.command.length} + 1;
    const std::size_t there = beats_.size() - beats_claimed_;
    for (std::size_t b = burst.beats_done; b < wanted && b < there; ++b) {
      if (beats_[beats_claimed_ + b].last != (b + 1 == wanted)) {
        fail(t, "W", "WLAST is not on the last beat of the burst");
      }
      burst.beats_done = static_cast<std::uint32_t>(b + 1);
    }
    if (burst.beats_done != wanted) return;
    burst.complete = true;
    burst.due = t + delay(timing_.write_latency, t, 1);
    beats_claimed_ += wanted;
  }
}

unsigned AxiMemory::choose_read(Cycles t) {
  if (!timing_.reorder) {
    const unsigned id = read_order_.front();
    return reads_[id].front().due <= t ? id : kIds;
  }
  const auto first = static_cast<unsigned>(mix(seed_ + t * 4 + 2) % kIds);
  for (unsigned i = 0; i < kIds; ++i) {
    const unsigned id = (first + i) % kIds;
    if (!reads_[id].empty() && reads_[id].front().due <= t) return id;
  }
  return kIds;
}

void AxiMemory::load_beat(Burst& burst) {
  const Address address = beat_address(burst.command.address, burst.beats_done);
  r_last_ = burst.beats_done == burst.command.length;
  ++burst.beats_done;
  if (memory_.holds(address, kBeatBytes)) {
    memory_.read(address, std::as_writable_bytes(std::span(r_data_)));
    r_response_ = 0;
  } else {
    for (std::size_t i = 0; i < r_data_.size(); ++i) {
      r_data_[i] = static_cast<std::uint32_t>(mix(address + i));
    }
    r_response_ = kDecodeError;
  }
}

void AxiMemory::tell_write(const Command& command, Cycles t) {
  Bytes bytes = 0;
  for (std::uint32_t i = 0; i <= command.length; ++i) {
    bytes += static_cast<Bytes>(std::popcount(beats_[i].strobe));
  }
  const Beat& first = beats_.front();
  const auto skipped = static_cast<Address>(std::countr_zero(first.strobe));
  if (bytes == 0) return;
  observer_->written(t, beat_address(command.address, 0) + skipped, bytes, first.data.data());
}

void AxiMemory::apply_write(Cycles t) {
  const Burst& burst = writes_.front();
  if (observer_ != nullptr) tell_write(burst.command, t);
  b_response_ = 0;
  for (std::uint32_t i = 0; i <= burst.command.length; ++i) {
    const Beat& beat = beats_.front();
    const Address address = beat_address(burst.command.address, i);
    if (memory_.holds(address, kBeatBytes)) {
      memory_.write_beat(address, reinterpret_cast<const std::byte*>(beat.data.data()),
                         beat.strobe);
    } else {
      b_response_ = kDecodeError;
    }
    beats_.pop();
  }
  beats_claimed_ -= std::size_t{burst.command.length} + 1;
}

}  // namespace torusmu
