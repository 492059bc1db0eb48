// SPDX-License-Identifier: Apache-2.0
// One reception FIFO by its contract, for tests of what keeps its row: who may put how much into
// it, what registers say of it, and when it raises causes.

#ifndef TESTS_SUPPORT_RECEPTION_FIFO_MODEL_H_
#define TESTS_SUPPORT_RECEPTION_FIFO_MODEL_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "sim/machine/profile.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

namespace torusmu::testing {

// What asks for room.
struct FifoLookup {
  unsigned slots = 0;
  bool reply = false, counted = false, on_behalf = false;
  unsigned client = 0;
  bool moved = false;         // out of a boot buffer
  unsigned keeper_owner = 0;  // of that one
  bool kept = false;          // a FIFO with boot has sent it here
  unsigned kept_for = 0;      // owner of that one
  bool draining = false;      // the keeper of the FIFO is moved

  [[nodiscard]] Record<layout::fifo_lookup::Layout> record(unsigned fifo = 0) const {
    namespace l = layout::fifo_lookup;
    return Record<layout::fifo_lookup::Layout>()
        .set<l::fifo>(fifo)
        .set<l::slots>(slots)
        .set<l::client>(client)
        .set<l::on_behalf>(on_behalf)
        .set<l::reply>(reply)
        .set<l::counted>(counted)
        .set<l::moved>(moved)
        .set<l::keeper_owner>(keeper_owner);
  }
};
// Where slots lie.
struct FifoPlace {
  std::uint64_t address = 0;
  unsigned bytes = 0, second_bytes = 0;
};
struct FifoAccess {
  Status status = Status::kOk;
  std::uint64_t data = 0;
  bool waits = false;
  bool wrote_configuration = false, wrote_pointers = false, configures = false, moves_head = false;
};

struct ReceptionFifo {
  static constexpr std::uint64_t kSpace = 1ULL << 40;
  static constexpr std::uint64_t kMostSlots = 1ULL << 24;

  std::uint64_t base = 0;
  std::uint32_t size = 0, threshold = 0;
  bool enable = false, reply_only = false, interrupt = false, boot = false, keeps = false;
  unsigned owner = 0, keeper = 0;
  std::uint32_t head = 0, tail = 0, reserved = 0, refused = 0, mark = 0;
  bool refusing = false;

  bool is_keeper() const { return enable && keeps; }
  bool may_ask(const FifoLookup& lookup) const {
    if (lookup.kept) return is_keeper() && owner == lookup.kept_for;
    if (keeps || (reply_only && !lookup.reply)) return false;
    if (lookup.moved && owner != lookup.keeper_owner) return false;
    return enable || (boot && !lookup.reply && !lookup.counted);
  }
  // Its keeper is to be asked.
  bool redirects(const FifoLookup& lookup) const {
    return boot && !lookup.reply && !lookup.moved && !lookup.kept && (!enable || lookup.draining) &&
           may_ask(lookup) && !(lookup.on_behalf && lookup.client != owner);
  }
  Status answer(const FifoLookup& lookup) const {
    if (!may_ask(lookup)) return Status::kFifoInvalid;
    if (lookup.on_behalf && lookup.client != owner) return Status::kPermission;
    if (redirects(lookup)) return Status::kOk;
    const bool fits = std::uint64_t{reserved - head} + lookup.slots <= size;
    const bool stopped = lookup.moved ? !enable : refusing && !lookup.reply;
    return fits && !stopped ? Status::kOk : Status::kFifoFull;
  }
  FifoPlace place(unsigned slots) const {
    const std::uint32_t slot = reserved % size;
    const unsigned first = std::min(slots, size - slot);
    return {(base + slot * 32ULL) % kSpace, first * 32, (slots - first) * 32};
  }
  void reserve(unsigned slots) { reserved += slots; }
  void refuse(bool reply) {
    if (refused != ~0U) ++refused;
    if (reply || refusing) return;
    refusing = true;
    mark = head;
  }
  // True if the cause FIFO_THRESHOLD is raised.
  bool publish(unsigned slots) {
    tail += slots;
    return threshold != 0 && tail - head > threshold;
  }

  // The oldest slots of a boot buffer are free again, or all that are in memory.
  void free(unsigned slots, bool discard) {
    if (is_keeper()) move_head(discard ? tail : head + slots);
  }
  FifoAccess access(const Record<layout::register_request::Layout>& request, bool draining,
                    bool pending) {
    namespace q = layout::register_request;
    return request.get<q::page>() != 0 ? access_page(request, draining)
                                       : access_block(request, pending);
  }
  // The rows in which the RTL keeps a FIFO.
  Bytes configuration() const {
    Bytes row(16);
    put_bits(row, 0, 40, base);
    put_bits(row, 40, 25, size);
    put_bits(row, 65, 1, enable);
    put_bits(row, 66, 1, reply_only);
    put_bits(row, 67, 1, interrupt);
    put_bits(row, 68, 4, owner);
    put_bits(row, 72, 25, threshold);
    put_bits(row, 97, 1, boot);
    put_bits(row, 98, 1, keeps);
    put_bits(row, 99, 8, keeper);
    return row;
  }
  Bytes pointers() const {
    Bytes row(24);
    put_bits(row, 0, 32, head);
    put_bits(row, 32, 32, tail);
    put_bits(row, 64, 32, reserved);
    put_bits(row, 96, 32, refused);
    put_bits(row, 128, 32, mark);
    put_bits(row, 160, 1, refusing);
    return row;
  }

  // Any FIFO that was in use for long, its indices anywhere.
  static ReceptionFifo any(Random& random) {
    ReceptionFifo fifo;
    fifo.size = 1U << (random.chance(60) ? 5 + random.below(3) : 5 + random.below(20));
    fifo.base = random.chance(20) ? kSpace - 32ULL * fifo.size
                                  : random.bits64() % (kSpace - 32ULL * fifo.size + 1);
    fifo.enable = random.chance(80);
    fifo.boot = random.chance(25);
    fifo.keeps = !fifo.boot && fifo.enable && random.chance(30);
    fifo.reply_only = !fifo.boot && !fifo.keeps && random.chance(15);
    fifo.keeper = static_cast<unsigned>(random.below(kProfile.reception_fifos));
    fifo.interrupt = random.chance(50);
    fifo.owner = static_cast<unsigned>(random.below(kProfile.clients));
    const std::uint32_t held = random.chance(60)
                                   ? fifo.size - static_cast<std::uint32_t>(random.below(18))
                                   : static_cast<std::uint32_t>(random.below(fifo.size + 1ULL));
    fifo.head = static_cast<std::uint32_t>(random.bits64());
    if (random.chance(50))
      fifo.head = (1U << random.below(32)) - static_cast<std::uint32_t>(random.below(40));
    // Often the next packet wraps.
    if (random.chance(50))
      fifo.head =
          (fifo.head & ~(fifo.size - 1)) - held - static_cast<std::uint32_t>(random.below(18));
    fifo.reserved = fifo.head + held;
    fifo.tail = fifo.head +
                (random.chance(30) ? held : static_cast<std::uint32_t>(random.below(held + 1ULL)));
    fifo.refused = random.chance(50) ? static_cast<std::uint32_t>(random.bits64())
                                     : ~(random.chance(15) ? 0U : 1U << random.below(32));
    fifo.refusing = random.chance(40);
    fifo.mark = fifo.head - static_cast<std::uint32_t>(random.below(1 + fifo.size / 4));
    fifo.threshold =
        random.chance(20) ? 0 : static_cast<std::uint32_t>(random.below(kMostSlots + 1));
    if (random.chance(50)) fifo.threshold = std::min<std::uint32_t>(held, 1U << 24U);
    if (random.chance(25)) fifo.fill_to_a_power_of_two(random);
    if (random.chance(10)) fifo.mark = fifo.head - (1U << random.below(32));
    return fifo;
  }
  // A write, or a read, of one of its registers `at` this index, with data near what decides.
  Record<layout::register_request::Layout> draw(Random& random, std::uint32_t at) const {
    namespace f = registers::reception_fifo;
    namespace q = layout::register_request;
    const bool through_page = random.chance(40);
    const auto near = [&](std::uint64_t value) {
      return random.chance(70) ? value + random.below(3) - 1 : value ^ 1ULL << random.below(64);
    };
    const std::uint64_t which = random.below(8);
    std::uint64_t data = random.bits64() >> random.below(64);
    if (random.chance(80)) {
      if (which == 0) data = near(kSpace - 32ULL * size);
      if (which == 1)
        data = random.chance(50) ? 1ULL << random.below(26) : near(1ULL << random.below(26));
      if (which == 1 && random.chance(50)) data = near((kSpace - base) >> 5U);
      if (which == 2) {
        data = random.below(random.chance(80) ? 16 * kProfile.clients : 512);
        if (random.chance(70)) data |= random.below(kProfile.reception_fifos + 1) << 16U;
      }
      if (which == 3) data = near(random.chance(50) ? kMostSlots : tail - head);
    }
    std::uint32_t address = f::base(at) + 8 * static_cast<std::uint32_t>(which);
    if (through_page) {
      address = registers::client_page::fifo_index.in_block(at);
      const std::uint32_t places[] = {head, tail, tail, mark + size / 4, mark + (size + 3) / 4};
      data = static_cast<std::uint32_t>(near(places[random.below(5)]));
      if (random.chance(30))
        data = head + static_cast<std::uint32_t>(random.below(tail - head + 1ULL));
    }
    return Record<layout::register_request::Layout>()
        .set<q::address>(address)
        .set<q::data>(data)
        .set<q::write>(random.chance(70))
        .set<q::wide>(random.chance(90) != through_page)
        .set<q::page>(through_page)
        .set<q::client>(random.chance(90) ? owner : random.below(16));
  }

 private:
  // The threshold has one bit, and about as much is used.
  void fill_to_a_power_of_two(Random& random) {
    threshold = 1U << random.below(25);
    size = static_cast<std::uint32_t>(kMostSlots);
    base %= kSpace - 32ULL * size + 1;
    const std::uint32_t used = threshold + static_cast<std::uint32_t>(random.below(20)) - 18;
    tail = head + std::min(used, size);
    reserved = head + size;
  }
  void move_head(std::uint32_t to) {
    head = to;
    if ((to - mark) * 4ULL >= size) refusing = false;
  }
  FifoAccess access_page(const Record<layout::register_request::Layout>& request, bool draining) {
    namespace q = layout::register_request;
    const bool write = request.get<q::write>() != 0;
    const auto to = static_cast<std::uint32_t>(request.get<q::data>());
    if (write && request.get<q::wide>() != 0) return {Status::kRegisterPartial};
    if (!enable || owner != request.get<q::client>()) return {Status::kFifoInvalid};
    if (!write) return {Status::kOk, std::uint64_t{tail} << 32U | tail};
    if (to - head > tail - head || draining) return {Status::kDoorbellRange};
    move_head(to);
    return {.wrote_pointers = true, .moves_head = true};
  }
  std::uint64_t value_of(std::uint32_t offset) const {
    namespace f = registers::reception_fifo;
    if (offset == f::base.offset) return base;
    if (offset == f::size.offset) return size;
    if (offset == f::threshold.offset) return threshold;
    if (offset == f::head.offset) return head;
    if (offset == f::tail.offset) return tail;
    if (offset == f::refused.offset) return refused;
    return (enable ? 1U : 0U) | (reply_only ? 2U : 0U) | (interrupt ? 4U : 0U) | (boot ? 8U : 0U) |
           owner << 4U | (keeps ? 256U : 0U) | keeper << 16U;
  }
  bool takes(std::uint32_t offset, std::uint64_t data) const {
    namespace f = registers::reception_fifo;
    if (offset == f::base.offset) return !enable && data < kSpace;
    if (offset == f::size.offset) {
      return !enable && data >= 32 && data <= kMostSlots && std::has_single_bit(data);
    }
    if (offset == f::threshold.offset) return data <= kMostSlots;
    const bool ring = size >= 32 && base + size * 32ULL <= kSpace;
    const std::uint64_t roles = data & 0x10a;  // reply_only, boot, keeps
    return data >> 24U == 0 && (data & 0xfe00) == 0 && (data >> 4U & 15U) < kProfile.clients &&
           (data >> 16U) < kProfile.reception_fifos && ((data & 1) == 0 || ring) &&
           (roles & (roles - 1)) == 0 && ((data & 0x100) == 0 || (data & 1) != 0);
  }
  FifoAccess access_block(const Record<layout::register_request::Layout>& request, bool pending) {
    namespace f = registers::reception_fifo;
    namespace q = layout::register_request;
    const std::uint64_t data = request.get<q::data>();
    const auto offset = static_cast<std::uint32_t>(request.get<q::address>() & 0x38U);
    if (offset > f::refused.offset) return {Status::kRegisterUnknown};
    if (request.get<q::write>() == 0) return {Status::kOk, value_of(offset)};
    if (offset >= f::head.offset) return {Status::kRegisterUnknown};
    if (request.get<q::wide>() == 0) return {Status::kRegisterPartial};
    if (!takes(offset, data)) return {Status::kRegisterValue};
    if (offset == f::base.offset) base = data;
    if (offset == f::size.offset) size = static_cast<std::uint32_t>(data);
    if (offset == f::threshold.offset) threshold = static_cast<std::uint32_t>(data);
    if (offset != f::config.offset) return {.wrote_configuration = true};
    if (reserved != tail || (boot && pending)) return {.waits = true};
    *this = ReceptionFifo{.base = base,
                          .size = size,
                          .threshold = threshold,
                          .enable = (data & 1) != 0,
                          .reply_only = (data & 2) != 0,
                          .interrupt = (data & 4) != 0,
                          .boot = (data & 8) != 0,
                          .keeps = (data & 256) != 0,
                          .owner = static_cast<unsigned>(data >> 4U & 15U),
                          .keeper = static_cast<unsigned>(data >> 16U)};
    return {.wrote_configuration = true, .wrote_pointers = true, .configures = true};
  }
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_RECEPTION_FIFO_MODEL_H_
