// SPDX-License-Identifier: Apache-2.0
// The pins of mu_memory_port by who reads and who writes, in the order of their priority.

#ifndef TESTS_SUPPORT_MEMORY_PORT_PINS_H_
#define TESTS_SUPPORT_MEMORY_PORT_PINS_H_

#include <array>

#include "Vmu_memory_port.h"
#include "tests/support/clocked.h"

namespace torusmu::testing {

struct MemoryReadPins {
  CData *valid, *ready;
  QData* command;
  CData* beat_valid;
  VlWide<8>* beat;
  CData *last, *error;
};
struct MemoryWritePins {
  CData *valid, *ready;
  VlWide<5>* command;
  CData *beat_valid, *beat_ready;
  VlWide<8>* beat;
};

#define READ_PINS(name)                                                                         \
  MemoryReadPins {                                                                              \
    &port->name##_command_valid_i, &port->name##_command_ready_o, &port->name##_command_data_i, \
        &port->name##_beat_valid_o, &port->name##_beat_data_o, &port->name##_beat_last_o,       \
        &port->name##_beat_error_o                                                              \
  }
#define WRITE_PINS(name)                                                      \
  MemoryWritePins {                                                           \
    &port->name##_write_command_valid_i, &port->name##_write_command_ready_o, \
        &port->name##_write_command_data_i, &port->name##_write_beat_valid_i, \
        &port->name##_write_beat_ready_o, &port->name##_write_beat_data_i     \
  }
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
