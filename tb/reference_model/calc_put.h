// SPDX-License-Identifier: Apache-2.0
// The PUTs by which a CALC's result goes to the targets of its list.
#ifndef TORUSMU_TB_REFERENCE_MODEL_CALC_PUT_H_
#define TORUSMU_TB_REFERENCE_MODEL_CALC_PUT_H_

#include "torusmu/layout.h"
#include "torusmu/names.h"
#include "torusmu/types.h"

namespace torusmu::model {

/// Of `bytes` bytes from byte `at` of the result on. An offset that passes the largest region is
/// taken modulo its size: such a PUT is refused, and who builds it knows.
inline Descriptor put_of_result(const Descriptor& calc, const PacketHeader& target, Bytes at,
                                Bytes bytes) {
  namespace d = layout::descriptor;
  namespace h = layout::packet_header;
  const bool last = at + bytes == calc.get<d::length>();
  const PacketHeader result = calc.get<d::header>();
  PacketHeader header = target;
  header.set<h::offset>((target.get<h::offset>() + at) % (Bytes{1} << h::offset.width));
  return Descriptor()
      .set<d::opcode>(Opcode::kPut)
      .set<d::counter_valid>(calc.get<d::counter_valid>())
      .set<d::counter>(calc.get<d::counter>())
      .set<d::event_valid>(last ? calc.get<d::event_valid>() : 0)
      .set<d::event_counter>(calc.get<d::event_counter>())
      .set<d::interrupt_target>(last ? calc.get<d::interrupt_target>() : 0)
      .set<d::sequence_number>(calc.get<d::sequence_number>())
      .set<d::source_region>(result.get<h::target>())
      .set<d::source_offset>(result.get<h::offset>() + at)
      .set<d::length>(bytes)
      .set<d::header>(header);
}

}  // namespace torusmu::model

#endif  // TORUSMU_TB_REFERENCE_MODEL_CALC_PUT_H_
