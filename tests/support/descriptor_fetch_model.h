// SPDX-License-Identifier: Apache-2.0
// The descriptors of mu_descriptor_fetch on their way, from the choice of their queue to the
// engines: one command to the memory, what it has to answer, and a buffer of each class.

#ifndef TESTS_SUPPORT_DESCRIPTOR_FETCH_MODEL_H_
#define TESTS_SUPPORT_DESCRIPTOR_FETCH_MODEL_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {

class DescriptorFetchModel {
 public:
  using Fetched = Record<layout::fetched_descriptor::Layout>;
  using ReadCommand = Record<layout::read_command::Layout>;
  static constexpr std::size_t kDepth = 4;

  struct Beat {
    Bytes data;
    bool error;  // means something with the second
  };
  struct Fetch {
    Fetched fetched;  // all but what comes from the memory
    bool serial;
    bool reply;
    std::uint64_t address;
  };
  // Pairs are of requests and of replies.
  struct Cycle {
    bool command_ready = false;
    std::optional<Beat> beat;
    std::array<bool, 2> ready{};
    std::array<std::uint32_t, 2> heads{};  // of the queue of front()
    std::optional<unsigned> kill{};        // queue
    std::optional<Fetch> fetch{};
  };

  const std::optional<ReadCommand>& command() const { return command_; }
  bool awaits_beat() const { return !in_memory_.empty(); }
  bool awaits_second_beat() const { return second_beat_; }
  bool free(const Cycle& in) const { return !command_ || in.command_ready; }
  bool has_room(bool reply) const { return buffers_[reply].size() < kDepth; }
  bool empty() const { return !command_ && buffers_[0].empty() && buffers_[1].empty(); }
  bool holds(unsigned queue) const {
    return std::any_of(buffers_.begin(), buffers_.end(), [queue](const Buffer& buffer) {
      return std::any_of(buffer.begin(), buffer.end(),
                         [queue](const Entry& entry) { return entry.queue() == queue; });
    });
  }
  // The one that leaves next.
  const Fetched* front(bool reply) const {
    return buffers_[reply].empty() ? nullptr : &buffers_[reply].front().fetched;
  }
  std::optional<unsigned> front_queue(bool reply) const {
    if (buffers_[reply].empty()) return std::nullopt;
    return buffers_[reply].front().queue();
  }
  std::optional<unsigned> back_queue(bool reply) const {
    if (buffers_[reply].empty()) return std::nullopt;
    return buffers_[reply].back().queue();
  }
  // The head has come to the one that leaves next.
  bool due(bool reply) const { return due_[reply]; }
  // Offered to the engine.
  const Fetched* shown(bool reply) const {
    if (buffers_[reply].empty()) return nullptr;
    const Entry& entry = buffers_[reply].front();
    if (!entry.filled() || entry.killed) return nullptr;
    return entry.serial && !due_[reply] ? nullptr : &entry.fetched;
  }
  // Something goes on though nothing comes in.
  bool active(const Cycle& in) const {
    const auto moves = [&](bool reply) {
      return leaves(reply, in) || is_due(reply, in) != due_[reply];
    };
    return (command_ && in.command_ready) || moves(false) || moves(true);
  }

  void clock(const Cycle& in) {
    const std::array<bool, 2> leaving = {leaves(false, in), leaves(true, in)};
    for (const bool reply : {false, true}) due_[reply] = is_due(reply, in) && !leaving[reply];
    if (in.beat) come(*in.beat);
    for (const bool reply : {false, true})
      if (leaving[reply]) buffers_[reply].pop_front();
    if (in.kill) {
      for (Buffer& buffer : buffers_)
        for (Entry& entry : buffer)
          if (entry.queue() == *in.kill) entry.killed = true;
    }
    if (command_ && in.command_ready) {
      in_memory_.push_back(command_is_reply_);
      command_.reset();
    }
    if (in.fetch) fetch(*in.fetch);
  }

 private:
  struct Entry {
    Fetched fetched;
    Bytes bytes;  // as they come
    bool serial = false, killed = false;

    bool filled() const { return bytes.size() == 64; }
    unsigned queue() const {
      return static_cast<unsigned>(fetched.get<layout::fetched_descriptor::queue>());
    }
  };
  using Buffer = std::deque<Entry>;

  // The head has come to an entry that waits for it: it is shown in the next cycle.
  bool is_due(bool reply, const Cycle& in) const {
    if (buffers_[reply].empty()) return false;
    const Entry& entry = buffers_[reply].front();
    return entry.filled() && entry.serial &&
           in.heads[reply] == entry.fetched.get<layout::fetched_descriptor::index>();
  }
  bool leaves(bool reply, const Cycle& in) const {
    if (buffers_[reply].empty() || !buffers_[reply].front().filled()) return false;
    return buffers_[reply].front().killed || (in.ready[reply] && shown(reply) != nullptr);
  }
  void come(const Beat& beat) {
    namespace f = layout::fetched_descriptor;
    Buffer& buffer = buffers_[in_memory_.front()];
    Entry& entry =
        *std::find_if(buffer.begin(), buffer.end(), [](const Entry& e) { return !e.filled(); });
    entry.bytes.insert(entry.bytes.end(), beat.data.begin(), beat.data.end());
    if (second_beat_) {
      entry.fetched.set<f::error>(beat.error)
          .set<f::descriptor>(Record<layout::descriptor::Layout>::from_bytes(entry.bytes));
      in_memory_.pop_front();
    }
    second_beat_ = !second_beat_;
  }
  void fetch(const Fetch& fetch) {
    namespace r = layout::read_command;
    command_ = ReadCommand().set<r::address>(fetch.address & ((1ULL << 40) - 1)).set<r::bytes>(64);
    command_is_reply_ = fetch.reply;
    buffers_[fetch.reply].push_back({fetch.fetched, {}, fetch.serial, false});
  }

  std::array<Buffer, 2> buffers_;
  std::array<bool, 2> due_{};
  std::optional<ReadCommand> command_;
  std::deque<bool> in_memory_;  // classes of the fetches whose beats are to come
  bool second_beat_ = false, command_is_reply_ = false;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_DESCRIPTOR_FETCH_MODEL_H_
