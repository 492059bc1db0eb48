// SPDX-License-Identifier: Apache-2.0
// What mu_packet_image must show: header, trailer and record of each packet, field by field.

#ifndef TESTS_SUPPORT_PACKET_IMAGE_MODEL_H_
#define TESTS_SUPPORT_PACKET_IMAGE_MODEL_H_

#include <cstdint>
#include <type_traits>

#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing::image {

using Fetched = Record<layout::fetched_descriptor::Layout>;
using Peer = Record<layout::queue_peer::Layout>;
using Received = Record<layout::receive_result::Layout>;
using Operation = Record<layout::counter_operation::Layout>;
using Injection = Record<layout::injection_record::Layout>;
namespace d = layout::descriptor;
namespace f = layout::fetched_descriptor;
namespace h = layout::packet_header;
namespace o = layout::counter_operation;
namespace p = layout::queue_peer;
namespace r = layout::injection_record;
namespace t = layout::packet_trailer;

// What the module is told. As it is: a packet of 100 bytes, the last of a PUT of client 5.
struct Inputs {
  Inputs() {
    fetched.set<f::queue>(9).set<f::index>(0x12345678).set<f::owner>(5);
    fetched.set<f::mode>(QueueMode::kDoorbell);
    descriptor.set<d::opcode>(Opcode::kPut).set<d::length>(100).set<d::sequence_number>(77);
    header.set<h::dst_x>(1).set<h::dst_y>(2).set<h::dst_z>(3).set<h::target>(0x44);
    header.set<h::src_x>(6).set<h::src_y>(7).set<h::src_z>(8).set<h::client>(11);
    header.set<h::word>(0xCAFEF00D);
    peer.set<p::x>(4).set<p::y>(5).set<p::z>(6).set<p::queue>(0x33).set<p::connected>(1);
    received.set<layout::receive_result::bytes>(60).set<layout::receive_result::word>(0xBEEF);
  }
  Opcode opcode() const { return descriptor.get<d::opcode>(); }
  bool is(Opcode one) const { return opcode() == one; }
  template <auto Field>
  bool has() const {
    if constexpr (std::is_same_v<typename decltype(Field)::OwnerType, d::Layout>) {
      return descriptor.get<Field>() != 0;
    } else if constexpr (std::is_same_v<typename decltype(Field)::OwnerType, f::Layout>) {
      return fetched.get<Field>() != 0;
    } else {
      return peer.get<Field>() != 0;
    }
  }
  // As it lies in its queue.
  Fetched all() const {
    Fetched whole = fetched;
    Descriptor image = descriptor;
    image.set<d::header>(header);
    whole.set<f::descriptor>(image);
    return whole;
  }

  bool query = false, open = true;
  unsigned node = 0x321;
  Fetched fetched;
  Descriptor descriptor;
  PacketHeader header;
  Status status = Status::kOk;
  Kind kind = Kind::kPut;
  bool tell = false, moves = true, last = true, reflects = false, doubtful = false;
  unsigned bytes = 100, tag = 3, counter = 0x21, direction = 0, number = 0x7654;
  std::uint64_t offset = 0x123456789;
  unsigned neighbour = 0x0AB;
  Peer peer;
  std::uint32_t send_number = 0x88888888;
  Received received;
};

struct Outputs {
  PacketHeader header;
  PacketTrailer trailer;
  Injection record;
  Operation operation() const { return record.get<r::operation>(); }
  unsigned destination() const {
    return static_cast<unsigned>(header.get<h::dst_z>() << 8 | header.get<h::dst_y>() << 4 |
                                 header.get<h::dst_x>());
  }
};

template <typename Layout>
void set_node(Record<Layout>& header, unsigned node, bool source) {
  if (source) {
    header.template set<h::src_x>(node & 15).template set<h::src_y>(node >> 4 & 15);
    header.template set<h::src_z>(node >> 8);
  } else {
    header.template set<h::dst_x>(node & 15).template set<h::dst_y>(node >> 4 & 15);
    header.template set<h::dst_z>(node >> 8);
  }
}

inline unsigned place(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return static_cast<unsigned>(z << 8 | y << 4 | x);
}

inline Outputs model_of_query(const Inputs& in) {
  Outputs out;
  out.header.set<h::kind>(Kind::kCreditQuery).set<h::word>(in.number);
  out.header.set<h::target>(in.direction == 6 ? 6 : in.direction ^ 1);
  set_node(out.header, in.node, true);
  set_node(out.header, in.neighbour, false);
  out.trailer.set<t::last>(1);
  out.record.set<r::send>(1).set<r::tag>(in.tag);
  return out;
}

inline PacketHeader model_of_header(const Inputs& in, bool received) {
  const PacketHeader& own = in.header;
  const bool from_network = in.fetched.get<f::mode>() == QueueMode::kRemoteGet;
  const bool to_peer = in.is(Opcode::kSend) && !in.has<p::dynamic>();
  PacketHeader header;
  header.set<h::kind>(in.kind).set<h::offset>(in.offset).set<h::on_behalf>(from_network);
  header.set<h::bytes>(in.moves ? in.bytes : 0);
  header.set<h::client>(from_network ? own.get<h::client>() : in.fetched.get<f::owner>());
  header.set<h::word>(received ? in.received.get<layout::receive_result::word>()
                               : own.get<h::word>());
  set_node(header, in.node, true);
  unsigned destination = place(own.get<h::dst_x>(), own.get<h::dst_y>(), own.get<h::dst_z>());
  header.set<h::target>(own.get<h::target>());
  if (to_peer) {
    destination = place(in.peer.get<p::x>(), in.peer.get<p::y>(), in.peer.get<p::z>());
    header.set<h::target>(in.peer.get<p::queue>());
  }
  if (from_network && in.status != Status::kOk) {
    destination = place(own.get<h::src_x>(), own.get<h::src_y>(), own.get<h::src_z>());
  }
  if (in.reflects) {
    destination = in.neighbour;
    header.set<h::target>(in.direction == 6 ? 6 : in.direction ^ 1);
  }
  set_node(header, destination, false);
  return header;
}

inline PacketTrailer model_of_trailer(const Inputs& in, bool message) {
  const Descriptor& own = in.descriptor;
  PacketTrailer trailer;
  trailer.set<t::counter>(own.get<d::counter>()).set<t::counter_valid>(own.get<d::counter_valid>());
  trailer.set<t::event_counter>(own.get<d::event_counter>());
  trailer.set<t::event_valid>(own.get<d::event_valid>()).set<t::last>(in.last);
  trailer.set<t::interrupt>(own.get<d::interrupt_target>()).set<t::reflected>(in.reflects);
  trailer.set<t::queue>(in.fetched.get<f::queue>()).set<t::index>(in.fetched.get<f::index>());
  trailer.set<t::sequence_number>(own.get<d::sequence_number>());
  if (message) {
    trailer.set<t::index>(own.get<d::length>() & 0xFFFFFFFF)
        .set<t::sequence_number>(in.send_number);
    trailer.set<t::dynamic>(in.has<p::dynamic>());
    trailer.set<t::doubtful>(in.has<p::dynamic>() && in.doubtful);
  }
  if (in.reflects) trailer.set<t::sequence_number>(in.number);
  return trailer;
}

inline Operation model_of_operation(const Inputs& in) {
  const auto immediate = in.descriptor.get<d::immediate>();
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 5; ++i) value |= static_cast<std::uint64_t>(immediate.at(i)) << (8 * i);
  // Event counters and limits have 32 bits, byte counters 38.
  value &= in.has<d::event_valid>() ? 0xFFFFFFFF : 0x3FFFFFFFFF;
  Operation operation;
  operation.set<o::client>(in.fetched.get<f::owner>()).set<o::counter>(in.counter);
  operation.set<o::value>(in.moves ? in.bytes : value);
  if (in.is(Opcode::kSendEn) || in.is(Opcode::kRecvEn)) {
    operation.set<o::counter>(in.header.get<h::target>());
    operation.set<o::is_event>(in.is(Opcode::kRecvEn)).set<o::add>(in.has<d::relative>());
  } else if (!in.moves) {
    operation.set<o::is_event>(in.has<d::event_valid>());
    operation.set<o::set>(in.is(Opcode::kCtrSet)).set<o::add>(!in.is(Opcode::kCtrSet));
  }
  return operation;
}

inline Outputs model_of(const Inputs& in) {
  if (in.query) return model_of_query(in);
  if (!in.open) return {};
  const Descriptor& own = in.descriptor;
  const bool detached = in.has<f::detached>();
  const bool ran = in.is(Opcode::kReceive) && in.has<f::run>() && !detached;
  const Status how = in.fetched.get<f::run_status>();
  const bool received = ran && !in.has<p::dynamic>() && how != Status::kFlushed;
  const bool left = ran && in.has<p::dynamic>() && how == Status::kOk;
  const bool goes = in.moves || in.has<f::again>();
  const bool held = goes && (in.is(Opcode::kSend) || in.is(Opcode::kFence));
  const bool enables = in.is(Opcode::kSendEn) || in.is(Opcode::kRecvEn);
  const bool changes = enables || in.is(Opcode::kCtrAdd) || in.is(Opcode::kCtrSet);
  const bool of_pair = in.is(Opcode::kSend) || in.is(Opcode::kReceive) || in.is(Opcode::kPipe);
  Outputs out;
  out.header = model_of_header(in, received);
  out.trailer = model_of_trailer(in, held && in.is(Opcode::kSend));
  Injection& record = out.record;
  record.set<r::operation>(model_of_operation(in));
  record.set<r::operation_valid>(in.moves ? in.has<d::injection_counter_valid>()
                                          : changes && in.status == Status::kOk);
  record.set<r::done_event>(own.get<d::done_event_valid>() ? own.get<d::done_event>()
                                                           : in.peer.get<p::event_counter>());
  record.set<r::done_event_valid>(!left && (in.has<d::done_event_valid>() ||
                                            (of_pair && !detached && in.has<p::event_valid>())));
  record.set<r::interrupt_done>(in.has<d::interrupt_done>() && !left);
  record.set<r::signal>(in.has<d::signal>() && !left);
  record.set<r::owner>(in.fetched.get<f::owner>()).set<r::queue>(in.fetched.get<f::queue>());
  record.set<r::index>(in.fetched.get<f::index>()).set<r::status>(in.status);
  record.set<r::last>(in.last && !held).set<r::send>(in.moves).set<r::notice>(in.tell);
  record.set<r::tag>(in.tag).set<r::enable>(enables).set<r::held>(held);
  record.set<r::opcode>(in.opcode()).set<r::detached>(detached);
  record.set<r::sequence_number>(own.get<d::sequence_number>());
  record.set<r::bytes>(received ? in.received.get<layout::receive_result::bytes>()
                                : own.get<d::length>() & 0xFFFFFFFF);
  return out;
}

}  // namespace torusmu::testing::image

#endif  // TESTS_SUPPORT_PACKET_IMAGE_MODEL_H_
