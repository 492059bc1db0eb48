// SPDX-License-Identifier: Apache-2.0
// What several parts of the reference node ask of opcodes and modes.
#ifndef TORUSMU_TB_REFERENCE_MODEL_OPCODES_H_
#define TORUSMU_TB_REFERENCE_MODEL_OPCODES_H_

#include "torusmu/layout.h"

namespace torusmu::model {

inline bool is_enable(Opcode opcode) {
  return opcode == Opcode::kSendEn || opcode == Opcode::kRecvEn;
}
inline bool is_counter_operation(Opcode opcode) {
  return opcode == Opcode::kCtrAdd || opcode == Opcode::kCtrSet;
}
inline bool filled_by_network(QueueMode mode) {
  return mode == QueueMode::kRemoteGet || mode == QueueMode::kReflection;
}

}  // namespace torusmu::model

#endif  // TORUSMU_TB_REFERENCE_MODEL_OPCODES_H_
