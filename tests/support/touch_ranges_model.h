// SPDX-License-Identifier: Apache-2.0
// The marked ranges of memory as mu_memory_port has to keep them: registers, hits, causes.

#ifndef TESTS_SUPPORT_TOUCH_RANGES_MODEL_H_
#define TESTS_SUPPORT_TOUCH_RANGES_MODEL_H_

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "sim/machine/profile.h"
#include "tests/support/port_bits.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"
#include "torusmu/registers.h"

namespace torusmu::testing {

class TouchRangesModel {
 public:
  static constexpr unsigned kRanges = kProfile.touch_ranges;
  using Request = Record<layout::register_request::Layout>;
  using Response = Record<layout::register_response::Layout>;
  using Set = std::uint32_t;  // a bit a range
  struct Range {
    std::uint64_t base = 0, length = 0;
    bool enable = false, on_read = false, on_write = false;
    bool on_core_read = false, on_core_write = false;
    unsigned owner = 0;

    bool overlaps(std::uint64_t address, std::uint64_t bytes) const {
      return address < base + length && base < address + bytes;
    }
  };

  const Range& range(unsigned at) const { return ranges_[at]; }
  // The ranges that a transfer which begins now is compared with.
  Set on_read() const {
    return all([&](const Range& r) { return r.on_read && r.length != 0; });
  }
  Set on_write() const {
    return all([&](const Range& r) { return r.on_write && r.length != 0; });
  }
  // The same of an access by a core.
  Set on_core(bool write) const {
    return all([&](const Range& r) {
      return (write ? r.on_core_write : r.on_core_read) && r.length != 0;
    });
  }
  const std::optional<Response>& answer() const { return answer_; }
  const PortBits& causes() const { return causes_; }
  bool busy() const { return answer_ || causes_.any(); }

  void clock(const std::optional<Request>& request, Set hit) {
    hit &= all([](const Range&) { return true; });
    causes_.reset();
    for (unsigned i = 0; i < kRanges; ++i) {
      if ((hit >> i & 1U) != 0)
        causes_ |= causes_of_client(ranges_[i].owner, 1U << static_cast<unsigned>(Cause::kTouch));
    }
    std::optional<Response> answer;
    if (request && !answer_) answer = access(*request);
    answer_ = answer;
    hits_ |= hit;
  }
  void reset() { *this = {}; }

 private:
  template <typename Which>
  Set all(const Which& which) const {
    Set set = 0;
    for (unsigned i = 0; i < kRanges; ++i)
      if (ranges_[i].enable && which(ranges_[i])) set |= 1U << i;
    return set;
  }
  Set own(std::uint64_t client) const {
    Set set = 0;
    for (unsigned i = 0; i < kRanges; ++i)
      if (ranges_[i].owner == client) set |= 1U << i;
    return set;
  }
  Response access(const Request& request) {
    namespace r = layout::register_request;
    namespace block = registers::touch_range;
    Response answer;
    const auto refuse = [&](Status why) {
      return answer.set<layout::register_response::status>(why);
    };
    const auto address = static_cast<std::uint32_t>(request.get<r::address>());
    const bool page = request.get<r::page>() != 0, write = request.get<r::write>() != 0;
    const bool is_hits = page && address == registers::client_page::touch_hits.in_block();
    const std::uint32_t at = (address - block::kBase) / block::kStride;
    // The upper half of a register is part of it.
    const std::uint32_t named = address & ~7U;
    const bool is_range =
        !page && address >= block::kBase && at < kRanges &&
        (named == block::base(at) || named == block::length(at) || named == block::config(at));
    if (!is_hits && !is_range) return refuse(Status::kRegisterUnknown);
    if (write && request.get<r::wide>() == 0) return refuse(Status::kRegisterPartial);
    if (is_hits) return access_hits(request, answer);
    const std::uint64_t data = request.get<r::data>();
    if (!write) return answer.set<layout::register_response::data>(read(ranges_[at], named, at));
    if (!configure(ranges_[at], named, at, data)) return refuse(Status::kRegisterValue);
    hits_ &= ~(1U << at);
    return answer;
  }
  Response access_hits(const Request& request, Response answer) {
    namespace r = layout::register_request;
    const Set mine = own(request.get<r::client>());
    if (request.get<r::write>() == 0)
      return answer.set<layout::register_response::data>(hits_ & mine);
    hits_ &= ~(mine & static_cast<Set>(request.get<r::data>()));
    return answer;
  }
  static std::uint64_t read(const Range& range, std::uint32_t address, std::uint32_t at) {
    namespace block = registers::touch_range;
    namespace field = block::config_field;
    if (address == block::base(at)) return range.base;
    if (address == block::length(at)) return range.length;
    std::uint64_t value = insert(0, field::enable, range.enable);
    value = insert(insert(value, field::on_read, range.on_read), field::on_write, range.on_write);
    value = insert(value, field::on_core_read, range.on_core_read);
    value = insert(value, field::on_core_write, range.on_core_write);
    return insert(value, field::owner, range.owner);
  }
  static bool configure(Range& range, std::uint32_t address, std::uint32_t at, std::uint64_t data) {
    namespace block = registers::touch_range;
    namespace field = block::config_field;
    if (address == block::base(at)) {
      if (data >> 40U != 0) return false;
      range.base = data;
      return true;
    }
    if (address == block::length(at)) {
      if (data > 1ULL << 40U) return false;
      range.length = data;
      return true;
    }
    Range wanted = range;
    wanted.enable = extract(data, field::enable) != 0;
    wanted.on_read = extract(data, field::on_read) != 0;
    wanted.on_write = extract(data, field::on_write) != 0;
    wanted.on_core_read = extract(data, field::on_core_read) != 0;
    wanted.on_core_write = extract(data, field::on_core_write) != 0;
    wanted.owner = static_cast<unsigned>(extract(data, field::owner));
    if (wanted.owner >= kProfile.clients || read(wanted, address, at) != data) return false;
    range = wanted;
    return true;
  }

  std::array<Range, kRanges> ranges_;
  Set hits_ = 0;
  PortBits causes_;
  std::optional<Response> answer_;
};

// A transfer that is compared with the ranges, one a cycle.
class TouchWalkModel {
 public:
  using Set = TouchRangesModel::Set;
  struct Transfer {
    std::uint64_t address, bytes;
  };

  bool busy() const { return transfer_.has_value(); }
  bool done() const { return busy() && rest_ == 0 && row_ == 0; }
  Set hit() const { return done() ? hit_ : 0; }

  void clock(const TouchRangesModel& ranges, const std::optional<Transfer>& next, Set enabled,
             bool taken) {
    if (!busy()) {
      transfer_ = next;
      rest_ = next && next->bytes != 0 ? enabled : 0;
      hit_ = 0;
    } else if (done()) {
      if (taken) transfer_.reset();
    } else {
      if (row_ != 0 && word_.overlaps(transfer_->address, transfer_->bytes)) hit_ |= row_;
      row_ = rest_ & (~rest_ + 1);
      rest_ &= ~row_;
      if (row_ != 0) word_ = ranges.range(static_cast<unsigned>(std::countr_zero(row_)));
    }
  }

 private:
  std::optional<Transfer> transfer_;
  Set rest_ = 0, row_ = 0, hit_ = 0;
  TouchRangesModel::Range word_;
};

// Accesses of cores as mu_core_touch has to tell of them.
class CoreTouchModel {
 public:
  using Ranges = TouchRangesModel;
  using Request = Ranges::Request;
  using Response = Ranges::Response;

  const std::optional<Response>& answer() const { return answer_; }
  bool busy() const { return answer_ || walk_.busy(); }
  Ranges::Set hit() const { return walk_.hit(); }

  void clock(const Ranges& ranges, const std::optional<Request>& request) {
    namespace r = layout::register_request;
    namespace field = registers::core_access::report_field;
    std::optional<Response> answer;
    std::optional<TouchWalkModel::Transfer> next;
    Ranges::Set enabled = 0;
    if (walk_.done()) answer = Response{};
    if (request && !busy()) {
      const std::uint64_t data = request->get<r::data>();
      const Status status = judge(*request);
      if (status == Status::kOk) {
        next = {extract(data, field::address), extract(data, field::bytes)};
        enabled = ranges.on_core(extract(data, field::write) != 0);
      } else {
        answer = Response().set<layout::register_response::status>(status);
      }
    }
    walk_.clock(ranges, next, enabled, true);
    answer_ = answer;
  }

 private:
  static Status judge(const Request& request) {
    namespace r = layout::register_request;
    namespace field = registers::core_access::report_field;
    // The upper half of a register is part of it.
    const auto named = static_cast<std::uint32_t>(request.get<r::address>()) & ~7U;
    if (request.get<r::page>() != 0 || request.get<r::write>() == 0 ||
        named != registers::core_access::report()) {
      return Status::kRegisterUnknown;
    }
    if (request.get<r::wide>() == 0) return Status::kRegisterPartial;
    const std::uint64_t data = request.get<r::data>();
    const std::uint64_t bytes = extract(data, field::bytes);
    const std::uint64_t known = insert(
        insert(insert(0, field::address, extract(data, field::address)), field::bytes, bytes),
        field::write, extract(data, field::write));
    return known == data && bytes >= 1 && bytes <= 512 ? Status::kOk : Status::kRegisterValue;
  }

  TouchWalkModel walk_;
  std::optional<Response> answer_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_TOUCH_RANGES_MODEL_H_
