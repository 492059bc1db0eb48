// SPDX-License-Identifier: Apache-2.0
// The reads of mu_memory_port as its three requesters and the memory have to see them, cycle by
// cycle.

#ifndef TESTS_SUPPORT_MEMORY_READ_MODEL_H_
#define TESTS_SUPPORT_MEMORY_READ_MODEL_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "tests/support/wide.h"

namespace torusmu::testing {

// One on the address channel of either direction.
struct MemoryBurst {
  unsigned id;
  std::uint64_t address;
  unsigned beats;
};

inline constexpr std::uint64_t kMemoryPage = 4096;
inline constexpr unsigned kMemoryWord = 32;

// Words of the memory that the bytes lie in, and of these those before the next page.
inline unsigned words_of(std::uint64_t address, unsigned bytes) {
  return static_cast<unsigned>((address % kMemoryWord + bytes + kMemoryWord - 1) / kMemoryWord);
}
inline unsigned words_in_page(std::uint64_t address, unsigned bytes) {
  const auto left =
      static_cast<unsigned>((kMemoryPage - address % kMemoryPage + kMemoryWord - 1) / kMemoryWord);
  return std::min(words_of(address, bytes), left);
}
// What is left of it for the next page.
inline std::optional<MemoryBurst> second_burst(unsigned id, std::uint64_t address, unsigned bytes) {
  const unsigned left = words_of(address, bytes) - words_in_page(address, bytes);
  if (left == 0) return std::nullopt;
  return MemoryBurst{id, (address / kMemoryPage + 1) * kMemoryPage, left};
}
inline MemoryBurst first_burst(unsigned id, std::uint64_t address, unsigned bytes) {
  return {id, address / kMemoryWord * kMemoryWord, words_in_page(address, bytes)};
}

class MemoryReadModel {
 public:
  static constexpr unsigned kReaders = 3;  // fetch, payload, calc
  static constexpr unsigned kOutstanding = 4;
  struct Command {
    std::uint64_t address;
    unsigned bytes;
  };
  struct Data {
    unsigned id;
    Bytes word;
    bool error;
  };
  struct Beat {
    Bytes data;
    bool last;
    bool error;  // means something with the last
  };
  struct Cycle {
    std::array<std::optional<Command>, kReaders> commands;
    std::array<bool, kReaders> pass{};  // need not be compared with the ranges, or has been
    std::uint32_t touch = 0;            // the ranges that it fires
    bool address_ready = false;
    std::optional<Data> data;
  };

  const std::optional<MemoryBurst>& address() const { return address_; }
  // The command that is compared with the ranges next.
  std::optional<unsigned> to_compare(const Cycle& in) const {
    if (in.commands[0]) return 0;
    const unsigned turn = payload_was_last_ ? 2 : 1;
    if (in.commands[turn]) return turn;
    return in.commands[3 - turn] ? std::optional(3 - turn) : std::nullopt;
  }
  bool takes(unsigned reader, const Cycle& in) const {
    return in.commands[reader] && !readers_[reader].second && next(in) == reader;
  }
  std::optional<Beat> beat(unsigned reader) const {
    const Reader& r = readers_[reader];
    return r.due.empty() ? std::nullopt : std::optional(r.due.front());
  }
  unsigned failed() const {
    unsigned count = 0;
    for (const Reader& r : readers_)
      if (!r.due.empty() && r.due.front().last && r.due.front().error) ++count;
    return count;
  }
  // The ranges of the transfer whose last data comes in.
  std::uint32_t touched(const Cycle& in) const {
    if (!in.data) return 0;
    const Transfer& transfer = readers_[in.data->id].transfers.front();
    return transfer.words_come + 1 == transfer.words() ? transfer.touch : 0;
  }
  // Something goes on though no data comes in.
  bool active() const {
    return address_ || std::any_of(readers_.begin(), readers_.end(), [](const Reader& r) {
             return r.second || !r.due.empty() || r.waits();
           });
  }
  bool busy() const {
    return active() || std::any_of(readers_.begin(), readers_.end(),
                                   [](const Reader& r) { return !r.transfers.empty(); });
  }

  void clock(const Cycle& in) {
    const auto chosen = next(in);
    const bool leaves = address_ && in.address_ready;
    for (unsigned i = 0; i < kReaders; ++i) {
      if (!readers_[i].due.empty()) readers_[i].due.pop_front();
      if (in.data && in.data->id == i) come(readers_[i], *in.data);
    }
    if (leaves) address_.reset();
    if (chosen) offer(*chosen, in);
  }
  void reset() { *this = {}; }

 private:
  struct Transfer {
    std::uint64_t address;
    unsigned bytes;
    std::uint32_t touch;
    unsigned words_come = 0;
    Bytes data;
    bool error = false;

    unsigned offset() const { return static_cast<unsigned>(address % kMemoryWord); }
    unsigned words() const { return words_of(address, bytes); }
    unsigned beats() const { return (bytes + kMemoryWord - 1) / kMemoryWord; }
    // Of which all bytes have come.
    unsigned beats_come() const {
      if (words_come == words()) return beats();
      return offset() == 0 || words_come == 0 ? words_come : words_come - 1;
    }
    void come(const Data& in) {
      data.insert(data.end(), in.word.begin(), in.word.end());
      error = error || in.error;
      ++words_come;
    }
    Beat beat(unsigned number) const {
      Bytes out(kMemoryWord);
      for (unsigned i = 0; i < kMemoryWord; ++i) {
        const unsigned byte = number * kMemoryWord + i;
        if (byte < bytes) out[i] = data[offset() + byte];
      }
      return {out, number + 1 == beats(), error};
    }
  };
  struct Reader {
    std::deque<Transfer> transfers;  // whose data is still to come
    std::optional<MemoryBurst> second;
    std::deque<Beat> due;  // that have come; one leaves in each cycle

    // Bytes have come that can leave only together with the next.
    bool waits() const {
      return !transfers.empty() && transfers.front().offset() != 0 &&
             transfers.front().words_come != 0;
    }
  };

  bool offers(unsigned reader, const Cycle& in) const {
    const Reader& r = readers_[reader];
    return r.second ||
           (in.commands[reader] && in.pass[reader] && r.transfers.size() < kOutstanding);
  }
  // Fetch goes first, payload and calc in turn.
  std::optional<unsigned> next(const Cycle& in) const {
    if (address_) return std::nullopt;
    if (offers(0, in)) return 0;
    const unsigned turn = payload_was_last_ ? 2 : 1, other = 3 - turn;
    if (offers(turn, in)) return turn;
    if (offers(other, in)) return other;
    return std::nullopt;
  }
  void offer(unsigned chosen, const Cycle& in) {
    Reader& reader = readers_[chosen];
    if (chosen != 0) payload_was_last_ = chosen == 1;
    if (reader.second) {
      address_ = reader.second;
      reader.second.reset();
      return;
    }
    const Command& command = *in.commands[chosen];
    address_ = first_burst(chosen, command.address, command.bytes);
    reader.second = second_burst(chosen, command.address, command.bytes);
    reader.transfers.push_back({command.address, command.bytes, in.touch, 0, {}, false});
  }
  static void come(Reader& reader, const Data& data) {
    Transfer& transfer = reader.transfers.front();
    const unsigned before = transfer.beats_come();
    transfer.come(data);
    for (unsigned i = before; i < transfer.beats_come(); ++i)
      reader.due.push_back(transfer.beat(i));
    if (transfer.words_come == transfer.words()) reader.transfers.pop_front();
  }

  std::array<Reader, kReaders> readers_;
  std::optional<MemoryBurst> address_;  // offered to the memory
  bool payload_was_last_ = false;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_MEMORY_READ_MODEL_H_
