// SPDX-License-Identifier: Apache-2.0
// The pins of mu_memory_port by who reads and who writes, in the order of their priority.

#ifndef TESTS_SUPPORT_MEMORY_PORT_PINS_H_
#define TESTS_SUPPORT_MEMORY_PORT_PINS_H_

#include <array>

#include "Vmu_memory_port.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"

namespace torusmu::testing {

// A pin of AXI4 of at most 32 bits.
template <auto F, typename Port>
unsigned pin(const Port& port) {
  return static_cast<unsigned>(get<F>(port));
}

// Of a reader: what it says (layout read_request), and what comes back (read_beat).
struct MemoryReadPins {
  QData* request;
  CData* ready;
  VlWide<9>* beat;

  void offer(bool valid) const { put<layout::read_request::valid>(*request, valid); }
  void command(const Record<layout::read_command::Layout>& command) const {
    put<layout::read_request::command>(*request, command);
  }
  [[nodiscard]] bool offers() const { return get<layout::read_request::valid>(*request) != 0; }
  [[nodiscard]] bool has_beat() const { return get<layout::read_beat::valid>(*beat) != 0; }
  [[nodiscard]] bool last() const { return get<layout::read_beat::last>(*beat) != 0; }
  [[nodiscard]] bool error() const { return get<layout::read_beat::error>(*beat) != 0; }
  [[nodiscard]] Bytes data() const { return get_bytes<layout::read_beat::data>(*beat); }
};
// Of a writer: what it says (layout write_request), and what is taken of it (write_response).
struct MemoryWritePins {
  VlWide<13>* request;
  CData* response;

  void offer(bool valid) const { put<layout::write_request::command_valid>(*request, valid); }
  void command(const Record<layout::write_command::Layout>& command) const {
    put<layout::write_request::command>(*request, command);
  }
  void offer_beat(bool valid) const { put<layout::write_request::beat_valid>(*request, valid); }
  void beat(const Bytes& bytes) const { put_bytes<layout::write_request::beat>(*request, bytes); }
  [[nodiscard]] bool offers() const {
    return get<layout::write_request::command_valid>(*request) != 0;
  }
  [[nodiscard]] bool offers_beat() const {
    return get<layout::write_request::beat_valid>(*request) != 0;
  }
  [[nodiscard]] bool ready() const {
    return get<layout::write_response::command_ready>(*response) != 0;
  }
  [[nodiscard]] bool beat_ready() const {
    return get<layout::write_response::beat_ready>(*response) != 0;
  }
};

#define READ_PINS(name) \
  MemoryReadPins { &port->name##_read_i, &port->name##_command_ready_o, &port->name##_beat_o }
#define WRITE_PINS(name) \
  MemoryWritePins { &port->name##_write_i, &port->name##_write_response_o }
inline std::array<MemoryReadPins, 3> read_pins(Clocked<Vmu_memory_port>& port) {
  return {READ_PINS(fetch), READ_PINS(payload), READ_PINS(calc)};
}
inline std::array<MemoryWritePins, 6> write_pins(Clocked<Vmu_memory_port>& port) {
  return {WRITE_PINS(reply),  WRITE_PINS(request), WRITE_PINS(push),
          WRITE_PINS(notice), WRITE_PINS(entry),   WRITE_PINS(calc)};
}
#undef READ_PINS
#undef WRITE_PINS

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_MEMORY_PORT_PINS_H_
