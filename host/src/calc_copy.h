// SPDX-License-Identifier: Apache-2.0
// Copies that the MU makes inside the regions of one client: a CALC of one operand.
#ifndef TORUSMU_HOST_SRC_CALC_COPY_H_
#define TORUSMU_HOST_SRC_CALC_COPY_H_

#include "host/src/regions.h"
#include "torusmu/layout.h"

namespace torusmu {

// It is made without a packet, and nobody else needs to be allowed to write there. `bytes` is a
// multiple of the element.
inline Descriptor calc_copy(InRegion from, InRegion to, Bytes bytes,
                            Element element = Element::kU8) {
  namespace c = layout::calc_operation;
  namespace d = layout::descriptor;
  namespace h = layout::packet_header;
  return Descriptor()
      .set<d::opcode>(Opcode::kCalc)
      .set<d::element>(element)
      .set<d::operands>(1)
      .set<d::length>(bytes)
      .set<d::immediate_valid>(1)
      .set<d::immediate>(CalcOperation()
                             .set<c::left_region>(from.region.value)
                             .set<c::left_offset>(from.offset)
                             .bytes())
      .set<d::header>(PacketHeader().set<h::target>(to.region.value).set<h::offset>(to.offset));
}

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_CALC_COPY_H_
