// SPDX-License-Identifier: Apache-2.0
// Pieces of the library's own node memory: first fit, in whole cache lines.
#ifndef TORUSMU_HOST_SRC_BUFFER_POOL_H_
#define TORUSMU_HOST_SRC_BUFFER_POOL_H_

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "torusmu/plan.h"
#include "torusmu/types.h"

namespace torusmu {

class BufferPool {
 public:
  explicit BufferPool(Range memory) { free_[memory.address] = memory.bytes; }

  // Nothing if no free piece is long enough. bytes > 0.
  std::optional<Address> take(Bytes bytes) {
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      // Pieces are whole lines: what is not longer than one can be rounded up.
      if (it->second < bytes) continue;
      const Bytes need = whole_lines(bytes);
      const Address address = it->first;
      const Bytes rest = it->second - need;
      free_.erase(it);
      if (rest != 0) free_[address + need] = rest;
      return address;
    }
    return std::nullopt;
  }

  [[nodiscard]] Bytes longest() const {
    Bytes longest = 0;
    for (const auto& [address, bytes] : free_) longest = std::max(longest, bytes);
    return longest;
  }

  // Gives back what take(bytes) returned.
  void give(Address address, Bytes bytes) {
    auto [it, fresh] = free_.emplace(address, whole_lines(bytes));
    const auto next = std::next(it);
    if (next != free_.end() && it->first + it->second == next->first) {
      it->second += next->second;
      free_.erase(next);
    }
    if (it != free_.begin()) {
      const auto before = std::prev(it);
      if (before->first + before->second == it->first) {
        before->second += it->second;
        free_.erase(it);
      }
    }
  }

 private:
  static constexpr Bytes kLine = 64;
  static constexpr Bytes whole_lines(Bytes bytes) { return (bytes + kLine - 1) / kLine * kLine; }

  std::map<Address, Bytes> free_;  // address: length; neighbours are always joined
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_BUFFER_POOL_H_
