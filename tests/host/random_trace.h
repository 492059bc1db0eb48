// SPDX-License-Identifier: Apache-2.0
// Legal traces at random, and what a machine must make of them, worked out without the replay.
#ifndef TESTS_HOST_RANDOM_TRACE_H_
#define TESTS_HOST_RANDOM_TRACE_H_

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/support/seed.h"

namespace torusmu::testing {

// Calls are drawn in one order for the whole machine, in which each could be made with sends that
// wait for their receives, so no trace deadlocks. Receives from any rank have tags of their own,
// and whatever message each takes, the others find theirs.
class RandomTrace {
 public:
  using Route = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from, to, tag

  RandomTrace(Random& random, std::uint32_t ranks, int steps) : random_(random), lines_(ranks) {
    requests_.resize(ranks);
    open_.resize(ranks);
    message();
    for (int step = 0; step < steps; ++step) draw();
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      while (!open_[rank].empty() && random_.chance(80)) wait_for_one(rank);
    }
  }

  [[nodiscard]] std::string text() const {
    std::string all = fmt::format("# mpitrace 1\n# app random\n# ranks {}\n", lines_.size());
    for (std::uint32_t rank = 0; rank < lines_.size(); ++rank) {
      for (const std::string& line : lines_[rank]) all += fmt::format("{} {}\n", rank, line);
    }
    return all;
  }
  // Of each route the lengths of its messages, in order.
  [[nodiscard]] const std::map<Route, std::vector<std::uint64_t>>& messages() const {
    return messages_;
  }
  // What all receives and collectives have room for together.
  [[nodiscard]] std::uint64_t bytes_received() const { return bytes_received_; }

 private:
  [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(lines_.size()); }
  std::uint32_t any_rank() { return static_cast<std::uint32_t>(random_.below(ranks())); }
  template <typename... Values>
  void add(std::uint32_t rank, fmt::format_string<Values...> format, Values&&... values) {
    lines_[rank].push_back(fmt::format(format, std::forward<Values>(values)...));
  }

  void draw() {
    switch (random_.below(12)) {
      case 0:
        add(any_rank(), "compute {}", random_.below(3000));
        break;
      case 1:
      case 2:
      case 3:
      case 4:
        message();
        break;
      case 5:
      case 6: {
        const std::uint32_t rank = any_rank();
        if (!open_[rank].empty()) wait_for_one(rank);
        break;
      }
      case 7:
        exchange();
        break;
      case 8:
        wild();
        break;
      case 9:
        move();
        break;
      default:
        reduce();
    }
  }

  // Few tags, some of them the ranks themselves, so that names that mix them up are met.
  std::uint32_t any_tag() {
    const std::uint32_t tags[] = {0, 1, 2, any_rank(), 0x7FFFFFFF};
    return tags[random_.below(std::size(tags))];
  }
  std::uint64_t any_length() {
    const std::uint64_t ends[] = {0, 1, 16, 17, 64, 512, 513, 2048, 5000, 20'000};
    return random_.chance(50) ? ends[random_.below(std::size(ends))] : random_.below(1500);
  }
  std::uint64_t room_for(std::uint64_t bytes) {
    const std::uint64_t room = bytes + (random_.chance(30) ? random_.below(200) : 0);
    bytes_received_ += room;
    return room;
  }
  void know(std::uint32_t from, std::uint32_t to, std::uint32_t tag, std::uint64_t bytes) {
    messages_[{from, to, tag}].push_back(bytes);
  }
  std::uint64_t new_request(std::uint32_t rank) {
    open_[rank].push_back(requests_[rank]);
    return requests_[rank]++;
  }

  // The earlier of the two sides does not block, or both do and are of two ranks.
  void message() {
    const std::uint32_t from = any_rank();
    const std::uint32_t to = any_rank();
    const std::uint32_t tag = any_tag();
    const std::uint64_t bytes = any_length();
    know(from, to, tag, bytes);
    const std::uint64_t room = room_for(bytes);
    const bool receive_first = from == to && random_.chance(50);
    const bool send_blocks = random_.chance(40) && (from != to || receive_first);
    const bool receive_blocks = random_.chance(40) && (from != to || !receive_first);
    const auto send = [&] {
      if (send_blocks) {
        add(from, "send {} {} {}", to, bytes, tag);
      } else {
        add(from, "isend {} {} {} {}", to, bytes, tag, new_request(from));
      }
    };
    if (!receive_first) send();
    if (receive_blocks) {
      // Nothing lies behind the message in its route, so that a probe finds this one.
      if (random_.chance(30)) add(to, "probe {} {}", from, tag);
      add(to, "recv {} {} {}", from, room, tag);
    } else {
      add(to, "irecv {} {} {} {}", from, room, tag, new_request(to));
    }
    if (receive_first) send();
  }

  void wait_for_one(std::uint32_t rank) {
    std::vector<std::uint64_t>& open = open_[rank];
    const auto take = [&] {
      const auto at = open.begin() + static_cast<std::ptrdiff_t>(random_.below(open.size()));
      const std::uint64_t request = *at;
      open.erase(at);
      return request;
    };
    if (random_.chance(50)) {
      add(rank, "wait {}", take());
      return;
    }
    std::string list;
    for (std::uint64_t n = 1 + random_.below(open.size()); n > 0; --n) {
      list += fmt::format(" {}", take());
    }
    add(rank, "waitall{}", list);
  }

  // Every rank to the next.
  void exchange() {
    const std::uint32_t shift = any_rank();
    const std::uint32_t tag = any_tag();
    std::vector<std::uint64_t> bytes(ranks());
    for (auto& length : bytes) length = any_length();
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      const std::uint32_t to = (rank + shift) % ranks();
      const std::uint32_t from = (rank + ranks() - shift) % ranks();
      know(rank, to, tag, bytes[rank]);
      add(rank, "sendrecv {} {} {} {} {} {}", to, bytes[rank], tag, from, room_for(bytes[from]),
          tag);
    }
  }

  // Messages with a tag of their own, whose receivers take some of them from whoever comes first.
  // All are on their way before anybody waits; receives that name their source come first.
  void wild() {
    const std::uint32_t tag = next_wild_tag_++;
    std::vector<std::vector<std::uint32_t>> from(ranks());
    std::vector<std::uint64_t> longest(ranks());
    std::vector<std::vector<std::uint64_t>> own(ranks());
    for (std::uint64_t n = 1 + random_.below(3 * ranks()); n > 0; --n) {
      const std::uint32_t sender = any_rank();
      const std::uint32_t to = any_rank();
      const std::uint64_t bytes = any_length();
      know(sender, to, tag, bytes);
      own[sender].push_back(requests_[sender]++);
      add(sender, "isend {} {} {} {}", to, bytes, tag, own[sender].back());
      from[to].push_back(sender);
      longest[to] = std::max(longest[to], bytes);
    }
    for (std::uint32_t to = 0; to < ranks(); ++to)
      receive_wild(to, tag, from[to], longest[to], own[to]);
  }

  void receive_wild(std::uint32_t to, std::uint32_t tag, std::vector<std::uint32_t> from,
                    std::uint64_t longest, std::vector<std::uint64_t>& own) {
    const bool probes = random_.chance(30);
    while (!probes && !from.empty() && random_.chance(40)) {
      own.push_back(requests_[to]++);
      add(to, "irecv {} {} {} {}", from.back(), room_for(longest), tag, own.back());
      from.pop_back();
    }
    for (; !from.empty(); from.pop_back()) {
      if (probes) {
        if (random_.chance(70)) add(to, "probe * {}", tag);
        add(to, "recv * {} {}", room_for(longest), tag);
      } else {
        own.push_back(requests_[to]++);
        add(to, "irecv * {} {} {}", room_for(longest), tag, own.back());
      }
    }
    for (std::size_t i = own.size(); i > 1; --i) std::swap(own[i - 1], own[random_.below(i)]);
    for (const std::uint64_t request : own) add(to, "wait {}", request);
  }

  void on_all(const std::string& line) {
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) lines_[rank].push_back(line);
  }

  void move() {
    const std::uint32_t root = any_rank();
    const std::uint64_t bytes = random_.below(400);
    const std::uint64_t n = ranks();
    switch (random_.below(6)) {
      case 0:
        on_all("barrier");
        break;
      case 1:
        broadcast(root);
        break;
      case 2:
        on_all(fmt::format("scatter {} {}", root, bytes));
        bytes_received_ += n * bytes;
        break;
      case 3:
        on_all(fmt::format("gather {} {}", root, bytes));
        bytes_received_ += n * bytes;
        break;
      case 4:
        on_all(fmt::format("allgather {}", bytes));
        bytes_received_ += n * n * bytes;
        break;
      default:
        on_all(fmt::format("alltoall {}", bytes));
        bytes_received_ += n * n * bytes;
    }
  }

  void broadcast(std::uint32_t root) {
    const std::uint64_t bytes = random_.chance(50) ? 1 + random_.below(64) : random_.below(9000);
    bytes_received_ += ranks() * bytes;
    const std::string data = bytes == 0 || bytes > 64 ? "-" : hex_of(bytes);
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      add(rank, "bcast {} {} {}", root, bytes, random_.chance(60) ? data : "-");
    }
  }

  std::string hex_of(std::uint64_t bytes) {
    std::string text;
    for (std::uint64_t i = 0; i < bytes; ++i) text += fmt::format("{:02x}", random_.below(256));
    return text;
  }

  template <typename T>
  static std::string hex(const std::vector<T>& values) {
    std::string text;
    for (const T value : values) {
      std::uint8_t bytes[sizeof value];
      std::memcpy(bytes, &value, sizeof value);
      for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
    }
    return text;
  }

  void reduce() {
    switch (random_.below(4)) {
      case 0:
        reduce_of<std::int64_t>("i64", 1'000'000);
        break;
      case 1:
        reduce_of<std::int32_t>("i32", 1000);
        break;
      case 2:
        reduce_of<double>("f64", 0);
        break;
      default:
        reduce_of<float>("f32", 0);
    }
  }

  // The result is that of rising ranks, which is an order of its own; only products of few small
  // numbers are drawn.
  template <typename T>
  void reduce_of(const char* type, std::int64_t most) {
    static constexpr const char* kOps[] = {"sum", "min", "max", "prod"};
    const std::uint64_t op = random_.below(std::size(kOps));
    const std::uint64_t count = 1 + random_.below(random_.chance(20) ? 700 : 5);
    std::vector<std::vector<T>> in(ranks(), std::vector<T>(count));
    for (auto& operand : in) {
      for (T& value : operand) value = element<T>(op == 3, most);
    }
    std::vector<T> out = in[0];
    for (std::uint32_t rank = 1; rank < ranks(); ++rank) {
      for (std::uint64_t i = 0; i < count; ++i) out[i] = combined(op, out[i], in[rank][i]);
    }
    const bool to_all = random_.chance(60);
    const std::uint32_t root = any_rank();
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      const std::string operands = fmt::format("{} {} {} {}", kOps[op], type, count, hex(in[rank]));
      if (to_all) {
        add(rank, "allreduce {} {}", operands, hex(out));
      } else {
        add(rank, "reduce {} {} {}", root, operands, rank == root ? hex(out) : "-");
      }
    }
  }

  template <typename T>
  T element(bool is_factor, std::int64_t most) {
    if constexpr (std::is_integral_v<T>) {
      if (is_factor) return static_cast<T>(1 + random_.below(2));
      return static_cast<T>(
          static_cast<std::int64_t>(random_.below(2 * static_cast<std::uint64_t>(most))) - most);
    } else {
      const double value = static_cast<double>(random_.bits64() >> 40) / 1e6 - 8;
      return static_cast<T>(is_factor ? 1 + value / 100 : value);
    }
  }

  template <typename T>
  static T combined(std::uint64_t op, T a, T b) {
    if (op == 0) return static_cast<T>(a + b);
    if (op == 1) return std::min(a, b);
    if (op == 2) return std::max(a, b);
    return static_cast<T>(a * b);
  }

  Random& random_;
  std::vector<std::vector<std::string>> lines_;  // of each rank
  std::vector<std::uint64_t> requests_;          // of each rank: how many there have been
  std::vector<std::vector<std::uint64_t>> open_;
  std::uint32_t next_wild_tag_ = 1000;
  std::map<Route, std::vector<std::uint64_t>> messages_;
  std::uint64_t bytes_received_ = 0;
};

}  // namespace torusmu::testing

#endif  // TESTS_HOST_RANDOM_TRACE_H_
