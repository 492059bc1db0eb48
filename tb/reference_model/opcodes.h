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

// A PIPE that sends nothing: of what it stores its queue's peer hears nothing.
inline bool only_receives(const Descriptor& descriptor) {
  namespace p = layout::pipe_operation;
  return descriptor.get<layout::descriptor::opcode>() == Opcode::kPipe &&
         PipeOperation::from_bytes(descriptor.get<layout::descriptor::immediate>())
                 .get<p::target>() != 0;
}

}  // namespace torusmu::model

#endif  // TORUSMU_TB_REFERENCE_MODEL_OPCODES_H_
