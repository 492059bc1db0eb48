// SPDX-License-Identifier: Apache-2.0
// FENCE of the reference node, as its origin and as its target (US 9,052,974). docs/fences.md has
// the rules.
#include <algorithm>
#include <limits>

#include "tb/reference_model/node_model.h"

namespace torusmu::model {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

constexpr Cycles kTimeoutFactor = 8;  // of a FENCE without an answer

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

}  // namespace

// --- origin -------------------------------------------------------------------------------------

ReferenceNode::Step ReferenceNode::begin_fence(std::uint32_t queue, const Descriptor& descriptor,
                                               Cycles now) {
  Fencing& fencing = queues_[queue].fencing;
  const bool is_out = fencing.phase == Fencing::Phase::kAhead;
  const std::optional<Status> said = fencing.said;
  const std::uint64_t retries =
      fencing.phase == Fencing::Phase::kDue ? fencing.retries : std::uint64_t{0};
  fencing = {};
  fencing.phase = Fencing::Phase::kAwaiting;
  fencing.descriptor = descriptor;
  fencing.due = now + kTimeoutFactor * send_retry_cycles_;
  fencing.retries = retries;
  if (is_out) {
    if (said) end_fence(queue, *said);
    return {true, std::nullopt};
  }
  Packet packet = build_packet({queue, descriptor}, 0, false);
  packet.seal();
  return {true, std::move(packet)};
}

// Its answer counts from now on, but ends it only when it stands first: the SEND before it is
// acknowledged by then, and what stood before that was out already, whichever copy is answered.
ReferenceNode::Step ReferenceNode::fence_ahead(std::uint32_t queue, const Descriptor& descriptor) {
  Fencing& fencing = queues_[queue].fencing;
  fencing.phase = Fencing::Phase::kAhead;
  fencing.follows = false;
  fencing.descriptor = descriptor;
  Packet packet = build_packet({.queue = queue, .descriptor = descriptor, .ahead = true}, 0, false);
  packet.seal();
  return {true, std::move(packet)};
}

void ReferenceNode::end_fence(std::uint32_t queue, Status status) {
  const Descriptor descriptor = queues_[queue].fencing.descriptor;
  queues_[queue].fencing = {};
  if (status == Status::kOk) {
    finish(queue, descriptor);
  } else {
    fail(queue, descriptor, status);
  }
}

// Of the FENCE that holds the queue or is ahead, or of one before it.
void ReferenceNode::take_fence_answer(const Packet& packet, std::uint32_t queue,
                                      std::uint32_t index, Status status) {
  if (queue >= queues_.size()) return;
  Fencing& fencing = queues_[queue].fencing;
  const bool is_ahead = fencing.phase == Fencing::Phase::kAhead;
  if (fencing.phase == Fencing::Phase::kNone) return;
  if (index != low(queues_[queue].head + (is_ahead ? 1 : 0))) return;
  const PacketHeader image = fencing.descriptor.get<d::header>();
  const Coordinates target{low(image.get<h::dst_x>()), low(image.get<h::dst_y>()),
                           low(image.get<h::dst_z>())};
  if (sender_of(packet).node != target) return;
  if (!is_ahead) {
    end_fence(queue, status);
  } else if (!fencing.said) {
    fencing.said = status;
  }
}

Cycles ReferenceNode::next_fence_timer() const {
  Cycles next = std::numeric_limits<Cycles>::max();
  for (const Queue& queue : queues_) {
    if (queue.fencing.phase == Fencing::Phase::kAwaiting) next = std::min(next, queue.fencing.due);
  }
  return next;
}

void ReferenceNode::run_fence_timers(Cycles now) {
  for (std::uint32_t n = 0; n < queues_.size(); ++n) {
    Fencing& fencing = queues_[n].fencing;
    if (fencing.phase != Fencing::Phase::kAwaiting || fencing.due > now) continue;
    if (fencing.retries < send_retries_) {
      ++fencing.retries;
      fencing.phase = Fencing::Phase::kDue;
    } else {
      end_fence(n, Status::kRetryExceeded);
    }
  }
}

// --- target -------------------------------------------------------------------------------------

// All before it is in memory here, for every packet is stored as it arrives.
Status ReferenceNode::receive_fence(const Packet& packet) {
  if (!packet.payload.empty() || packet.trailer.get<t::counter_valid>() != 0 ||
      packet.trailer.get<t::event_valid>() != 0) {
    return Status::kPacketKind;
  }
  const auto region = low(packet.header.get<h::target>());
  const Address offset = packet.header.get<h::offset>();
  const bool on_behalf = packet.header.get<h::on_behalf>() != 0;
  const Status status =
      check_region(region, offset, 0, on_behalf ? Access::kOnBehalf : Access::kRemoteWrite,
                   low(packet.header.get<h::client>()));
  if (status != Status::kOk) return status;
  complete(packet, regions_[region].owner());
  answer_fence(packet);
  return Status::kOk;
}

void ReferenceNode::answer_fence(const Packet& packet) {
  Packet answer;
  answer.header.set<h::dst_x>(packet.header.get<h::src_x>())
      .set<h::dst_y>(packet.header.get<h::src_y>())
      .set<h::dst_z>(packet.header.get<h::src_z>())
      .set<h::src_x>(place_.x)
      .set<h::src_y>(place_.y)
      .set<h::src_z>(place_.z)
      .set<h::reply>(1)
      .set<h::kind>(Kind::kFence)
      .set<h::target>(packet.trailer.get<t::queue>())
      .set<h::word>(packet.trailer.get<t::index>());
  answer.seal();
  replies_.push_back(std::move(answer));
}

}  // namespace torusmu::model
