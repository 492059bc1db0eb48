// SPDX-License-Identifier: Apache-2.0
// What mu_queue_table knows of one queue, and what each operation leaves of it.

#ifndef TESTS_SUPPORT_QUEUE_STATE_MODEL_H_
#define TESTS_SUPPORT_QUEUE_STATE_MODEL_H_

#include <algorithm>
#include <cstdint>

#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {

struct QueueStateModel {
  std::uint64_t base = 0, errors = 0;
  std::uint32_t size = 0, setup = 0, limit = 0;
  std::uint32_t head = 0, fetch = 0, published = 0, reserved = 0;
  std::uint32_t fetch_lap = 0;
  bool halted = false;

  QueueMode mode() const { return static_cast<QueueMode>(setup & 7U); }
  unsigned owner() const { return setup >> 3U & 15U; }
  bool halts_on_error() const { return (setup >> 7U & 1U) != 0; }
  bool cyclic() const { return (setup >> 8U & 1U) != 0; }
  bool managed() const { return (setup >> 9U & 1U) != 0; }
  // Of the ring, once it has a size.
  std::uint32_t slot(std::uint32_t index) const { return index % size; }
  bool empty_reflection() const { return mode() == QueueMode::kReflection && head == reserved; }
  bool work() const {
    return mode() != QueueMode::kOff && !halted && published != fetch &&
           !(managed() && limit == fetch);
  }
  Record<layout::queue_row::Layout> row() const {
    namespace r = layout::queue_row;
    return Record<r::Layout>()
        .set<r::base>(base)
        .set<r::size>(size)
        .set<r::mode>(setup & 7U)
        .set<r::owner>(owner())
        .set<r::halt_on_error>(halts_on_error())
        .set<r::cyclic>(cyclic())
        .set<r::managed>(managed())
        .set<r::halted>(halted)
        .set<r::head>(head)
        .set<r::fetch_index>(fetch)
        .set<r::published>(published)
        .set<r::reserved>(reserved)
        .set<r::limit>(limit)
        .set<r::fetch_lap>(fetch_lap)
        .set<r::error_status>(errors & 0xffU)
        .set<r::error_count>(errors >> 8U & 0xffffU)
        .set<r::error_index>(errors >> 24U);
  }

  void configure(std::uint64_t value) {
    const auto config = static_cast<std::uint32_t>(value);
    *this = {.base = base, .size = size, .setup = (config & 7U) | (config >> 4U & 0x7fU) << 3U};
  }
  bool accepts_doorbell(std::uint32_t index) const {
    const std::uint32_t ahead = index - head, posted = published - head;
    return ahead >= posted && ahead <= size && (!cyclic() || ahead == posted || ahead == size);
  }
  void doorbell(std::uint32_t index) {
    if (accepts_doorbell(index)) published = reserved = index;
  }
  bool has_room(unsigned count) const { return std::uint64_t{reserved - head} + count <= size; }
  void reserve(unsigned count) {
    if (has_room(count)) reserved += count;
  }
  void publish(unsigned count) { published += count; }
  void fetch_one() { fetch_behind(fetch, fetch_lap); }
  // True if the queue halts.
  bool retire(std::uint32_t index, unsigned status) {
    const std::uint32_t done = index + 1 - head;
    head = index + 1;
    if (cyclic()) {
      published += done;
      reserved += done;
    }
    if (status == 0) return false;
    const std::uint64_t count = errors >> 8U & 0xffffU;
    if ((errors & 0xffU) == 0) errors = std::uint64_t{index} << 24U | status;
    errors = (errors & ~0xffff00ULL) | std::min<std::uint64_t>(count + 1, 0xffff) << 8U;
    if (!halts_on_error()) return false;
    fetch = index + 1;
    return halted = true;
  }
  void rewind(std::uint32_t index, std::uint32_t lap) {
    fetch = index;
    fetch_lap = lap;
  }
  void hold(std::uint32_t index, std::uint32_t lap) {
    if (halts_on_error()) fetch_behind(index, lap);
  }
  Status enable(std::uint32_t value, bool relative, unsigned client, bool receive) {
    if (!managed() || owner() != client || (mode() == QueueMode::kReceive) != receive)
      return Status::kQueueInvalid;
    const std::uint32_t beyond = relative ? value : value - limit;
    if (beyond < 1U << 31U) limit += beyond;
    return Status::kOk;
  }

 private:
  void fetch_behind(std::uint32_t index, std::uint32_t lap) {
    fetch = index + 1;
    fetch_lap = lap + (slot(index) + 1 == size ? 1 : 0);
  }
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_QUEUE_STATE_MODEL_H_
