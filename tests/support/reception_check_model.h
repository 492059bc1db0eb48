// SPDX-License-Identifier: Apache-2.0
// May this packet do what it asks for, and to which memory? As mu_reception_check has to answer.

#ifndef TESTS_SUPPORT_RECEPTION_CHECK_MODEL_H_
#define TESTS_SUPPORT_RECEPTION_CHECK_MODEL_H_

#include <cstdint>

#include "tests/support/region.h"
#include "torusmu/layout.h"

namespace torusmu::testing {

// A packet, and what is known of all that it names.
struct ReceptionCase {
  PacketHeader header;
  PacketTrailer trailer;
  RegionEntry region;
  bool counter_enable = false;
  std::uint8_t counter_owner = 0;
  bool event_enable = false;
  std::uint8_t event_owner = 0;
  Status fifo_status = Status::kOk;
  std::uint8_t fifo_owner = 0;
  Status send_status = Status::kOk;
  std::uint8_t send_owner = 0;

  Kind kind() const { return header.get<layout::packet_header::kind>(); }
  bool reply() const { return header.get<layout::packet_header::reply>() != 0; }
  std::uint64_t bytes() const { return header.get<layout::packet_header::bytes>(); }
  bool counts_bytes() const { return trailer.get<layout::packet_trailer::counter_valid>() != 0; }
  bool counts_events() const { return trailer.get<layout::packet_trailer::event_valid>() != 0; }

  // The client that owns the region, the FIFO or the queue.
  std::uint64_t owner() const {
    if (kind() == Kind::kFifo) return fifo_owner;
    return kind() == Kind::kSend ? send_owner : region.get<layout::region_entry::owner>();
  }
  // Where it goes to, if it may go to its region.
  std::uint64_t address() const {
    return region.get<layout::region_entry::base>() + header.get<layout::packet_header::offset>();
  }
  bool counters_good() const {
    return (!counts_bytes() || (counter_enable && counter_owner == owner())) &&
           (!counts_events() || (event_enable && event_owner == owner()));
  }
  Status region_status() const {
    namespace h = layout::packet_header;
    namespace r = layout::region_entry;
    if (region.get<r::enable>() == 0) return Status::kRegionInvalid;
    const bool permitted = header.get<h::on_behalf>() != 0
                               ? region.get<r::owner>() == header.get<h::client>()
                               : region.get<r::remote_write>() != 0;
    if (!permitted) return Status::kPermission;
    const bool inside = header.get<h::offset>() + bytes() <= region.get<r::length>();
    return inside && address() + bytes() <= 1ULL << 40 ? Status::kOk : Status::kRegionBounds;
  }
  Status status() const {
    switch (kind()) {
      case Kind::kPut: {
        // Without payload it carries the increment of an event counter.
        if (bytes() == 0 && !counts_events()) return Status::kPacketKind;
        const Status of_region = region_status();
        return of_region == Status::kOk && !counters_good() ? Status::kCounterInvalid : of_region;
      }
      case Kind::kFifo: {
        const bool of_fifo = fifo_status != Status::kOk && fifo_status != Status::kFifoFull;
        return of_fifo || counters_good() ? fifo_status : Status::kCounterInvalid;
      }
      case Kind::kGet:
        if (bytes() == 0 || bytes() % Descriptor::kBytes != 0) return Status::kPacketKind;
        return header.get<layout::packet_header::on_behalf>() != 0 ? Status::kOpcodeForbidden
                                                                   : Status::kOk;
      case Kind::kSend:
        return send_status;
      case Kind::kFence:
        if (reply()) return Status::kOk;
        return bytes() != 0 || counts_bytes() || counts_events() ? Status::kPacketKind
                                                                 : region_status();
      default:
        return Status::kOk;
    }
  }
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_RECEPTION_CHECK_MODEL_H_
