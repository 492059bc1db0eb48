// SPDX-License-Identifier: Apache-2.0
// The writes of mu_memory_port as its six writers, the memory and those who wait for the actions
// have to see them.

#ifndef TESTS_SUPPORT_MEMORY_WRITE_MODEL_H_
#define TESTS_SUPPORT_MEMORY_WRITE_MODEL_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "tests/support/memory_read_model.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {

class MemoryWriteModel {
 public:
  static constexpr unsigned kWriters = 6;  // reply, request, push, notice, entry, calc
  static constexpr unsigned kCalc = 5;
  static constexpr unsigned kPending = 8;
  static constexpr unsigned kPatience = 15;  // commands of others before one of calc
  using Command = Record<layout::write_command::Layout>;
  using Action = Record<layout::write_action::Layout>;
  using Commands = std::array<std::optional<Command>, kWriters>;

  struct Word {
    Bytes data;
    std::uint32_t strobe;
    bool last;
  };
  struct Leaving {
    Action action;
    bool error;
    std::uint32_t touch;
  };
  // What happened in a cycle.
  struct Cycle {
    Commands commands;
    std::optional<unsigned> taken;       // whose
    std::optional<std::uint32_t> touch;  // ranges that the one before fires, once they are known
    std::optional<Bytes> beat;
    bool address_ready = false, word_taken = false, action_ready = false;
    std::optional<bool> response;  // with an error
  };

  std::optional<unsigned> chosen(const Commands& commands) const {
    if (between_) return commands[served_] ? std::optional(served_) : std::nullopt;
    if (commands[kCalc] && passed_ == kPatience) return kCalc;
    for (unsigned i = 0; i < kWriters; ++i)
      if (commands[i]) return i;
    return std::nullopt;
  }
  // A command is taken only if the first holds, and surely if both do.
  bool may_take() const { return !address_ && !second_ && !compared_ && !wants_beats(); }
  bool must_take() const { return may_take() && flights_.empty(); }
  unsigned served() const { return served_; }
  // An action has another part to come.
  bool between() const { return between_; }
  bool wants_beats() const { return !flights_.empty() && flights_.back().wants_beats(); }
  const std::optional<MemoryBurst>& address() const { return address_; }
  // The next one for the memory, if its bytes are known.
  std::optional<Word> word() const {
    for (const Flight& flight : flights_)
      if (flight.words_gone != flight.words) return flight.word();
    return std::nullopt;
  }
  bool response_ready() const { return !pending_.empty() && !done_ && !none(); }
  // What is known of the ranges that a command fires is taken.
  bool has_room() const { return pending_.size() < kPending; }
  std::optional<Leaving> leaving() const {
    if (!done_) return std::nullopt;
    return Leaving{pending_.front().action, error_, touch_ | pending_.front().touch};
  }
  // Something goes on though no response comes in.
  bool active() const {
    return between_ || address_ || second_ || compared_ || !flights_.empty() || done_ || none();
  }
  bool busy() const { return active() || !pending_.empty(); }

  void clock(const Cycle& in) {
    const bool room = has_room();
    settle(in);
    if (compared_ && in.touch && room) {
      compared_->touch = *in.touch;
      pending_.push_back(*compared_);
      compared_.reset();
    }
    if (in.beat) flights_.back().come(*in.beat);
    if (in.word_taken) word_goes();
    move_addresses(in);
    if (in.taken) take(in);
    while (!flights_.empty() && flights_.front().over()) flights_.pop_front();
  }
  void reset() { *this = {}; }

 private:
  // A command whose beats and words are under way.
  struct Flight {
    unsigned offset, bytes;
    unsigned words, words_of_first_burst;
    unsigned words_gone = 0;
    Bytes data;

    // Of no bytes one beat is taken, too.
    bool wants_beats() const { return data.size() < (bytes == 0 ? 1 : bytes); }
    bool over() const { return words_gone == words && !wants_beats(); }
    void come(const Bytes& beat) { data.insert(data.end(), beat.begin(), beat.end()); }
    std::optional<Word> word() const {
      Word out{Bytes(kMemoryWord), 0, false};
      for (unsigned i = 0; i < kMemoryWord; ++i) {
        const unsigned lane = words_gone * kMemoryWord + i;
        if (lane < offset || lane - offset >= bytes) continue;
        if (lane - offset >= data.size()) return std::nullopt;
        out.strobe |= 1U << i;
        out.data[i] = data[lane - offset];
      }
      out.last = words_gone + 1 == words || words_gone + 1 == words_of_first_burst;
      return out;
    }
  };
  // A command whose responses are still to come.
  struct Pending {
    unsigned responses;
    bool final_part;
    std::uint32_t touch;
    Action action;
  };

  // The oldest is complete without a response.
  bool none() const { return !pending_.empty() && pending_.front().responses == 0 && !done_; }
  void settle(const Cycle& in) {
    if (done_) {
      if (!in.action_ready) return;
      pending_.pop_front();
      done_ = error_ = false;
      touch_ = 0;
      return;
    }
    if (!in.response && !none()) return;
    Pending& oldest = pending_.front();
    if (!none()) --oldest.responses;
    error_ = error_ || in.response.value_or(false);
    if (oldest.responses != 0) return;
    if (oldest.final_part) {
      done_ = true;
      return;
    }
    touch_ |= oldest.touch;
    pending_.pop_front();
  }
  void move_addresses(const Cycle& in) {
    if (!address_) {
      address_ = second_;
      second_.reset();
    } else if (in.address_ready) {
      address_.reset();
    }
  }
  void take(const Cycle& in) {
    namespace w = layout::write_command;
    const Command& command = *in.commands[*in.taken];
    const std::uint64_t address = command.get<w::address>();
    const auto bytes = static_cast<unsigned>(command.get<w::bytes>());
    count_patience(in);
    served_ = *in.taken;
    between_ = command.get<w::final_part>() == 0;
    Flight flight{static_cast<unsigned>(address % kMemoryWord), bytes, 0, 0, 0, {}};
    if (bytes != 0) {
      address_ = first_burst(0, address, bytes);
      second_ = second_burst(0, address, bytes);
      flight.words = words_of(address, bytes);
      flight.words_of_first_burst = address_->beats;
    }
    flights_.push_back(flight);
    const unsigned responses = bytes == 0 ? 0 : second_ ? 2 : 1;
    compared_ = Pending{responses, !between_, 0, command.get<w::action>()};
  }
  void count_patience(const Cycle& in) {
    if (*in.taken == kCalc) {
      passed_ = 0;
    } else if (in.commands[kCalc] && !between_ && passed_ < kPatience) {
      ++passed_;
    }
  }
  void word_goes() {
    for (Flight& flight : flights_) {
      if (flight.words_gone == flight.words) continue;
      ++flight.words_gone;
      return;
    }
  }

  unsigned served_ = 0;   // the writer of the command taken last
  bool between_ = false;  // it has another part to come
  unsigned passed_ = 0;   // commands of others since calc offers its own
  std::deque<Flight> flights_;
  std::optional<MemoryBurst> address_, second_;
  std::optional<Pending> compared_;  // with the marked ranges
  std::deque<Pending> pending_;
  bool done_ = false;  // the action of the oldest may leave
  bool error_ = false;
  std::uint32_t touch_ = 0;  // by the earlier parts of the action
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_MEMORY_WRITE_MODEL_H_
