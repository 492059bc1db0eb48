// SPDX-License-Identifier: Apache-2.0
// What stands between the cores of a node and its memory and sees which accesses the node wants to
// know of: those to interrupt-on-touch memory whose range watches cores. It knows the ranges by the
// register writes that go to the node, and tells of an access by writes of core_access.report.
#ifndef TORUSMU_SIM_MACHINE_CORE_WATCH_H_
#define TORUSMU_SIM_MACHINE_CORE_WATCH_H_

#include <algorithm>
#include <vector>

#include "sim/machine/core.h"
#include "torusmu/names.h"
#include "torusmu/registers.h"

namespace torusmu {

class CoreWatch {
 public:
  static constexpr Bytes kMostBytes = 512;  // of a report

  explicit CoreWatch(const Sizes& sizes) : clients_(sizes.clients), ranges_(sizes.touch_ranges) {}

  // That access goes to the node, before what is seen from now on. What the node refuses changes
  // nothing here either.
  void note(const RegisterAccess& access) {
    namespace r = registers::touch_range;
    const std::uint32_t offset = access.address - r::kBase;
    const std::uint32_t number = offset / r::kStride;
    if (!access.write || !access.wide || access.address < r::kBase || number >= ranges_.size()) {
      return;
    }
    Range& range = ranges_[number];
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
    if (access.address == r::base(number) && access.data < kMost) range.base = access.data;
    if (access.address == r::length(number) && access.data <= kMost) range.length = access.data;
    if (access.address == r::config(number)) configure(range, access.data);
    watches_ = std::any_of(ranges_.begin(), ranges_.end(), [](const Range& each) {
      return (each.on_read || each.on_write) && each.length != 0;
    });
  }

  // A core has made that access: calls `start` with the register accesses that tell of it, one for
  // each piece that shares a byte with a range.
  template <typename Start>
  void see(Address address, Bytes bytes, bool write, const Start& start) const {
    if (!watches_) return;
    for (Bytes done = 0; done < bytes; done += kMostBytes) {
      const Address at = address + done;
      const Bytes piece = std::min(kMostBytes, bytes - done);
      if (is_watched(at, piece, write)) start(report_of(at, piece, write));
    }
  }

 private:
  struct Range {
    Address base = 0;
    Bytes length = 0;
    bool on_read = false, on_write = false;
  };

  void configure(Range& range, std::uint64_t config) const {
    namespace field = registers::touch_range::config_field;
    const std::uint64_t owner = extract(config, field::owner);
    const auto bit = [&](const auto& which) { return insert(0, which, extract(config, which)); };
    const std::uint64_t known = bit(field::enable) | bit(field::on_read) | bit(field::on_write) |
                                bit(field::owner) | bit(field::on_core_read) |
                                bit(field::on_core_write);
    if (known != config || owner >= clients_) return;
    const bool enable = extract(config, field::enable) != 0;
    range.on_read = enable && extract(config, field::on_core_read) != 0;
    range.on_write = enable && extract(config, field::on_core_write) != 0;
  }
  [[nodiscard]] bool is_watched(Address address, Bytes bytes, bool write) const {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
      return (write ? range.on_write : range.on_read) && address < range.base + range.length &&
             range.base < address + bytes;
    });
  }
  static RegisterAccess report_of(Address address, Bytes bytes, bool write) {
    namespace r = registers::core_access;
    namespace field = r::report_field;
    const std::uint64_t data = insert(
        insert(insert(0, field::address, address), field::bytes, bytes), field::write, write);
    return {.address = r::report(), .data = data, .write = true, .wide = true};
  }

  std::uint32_t clients_;
  std::vector<Range> ranges_;
  bool watches_ = false;  // any range
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_CORE_WATCH_H_
