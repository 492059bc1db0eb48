// SPDX-License-Identifier: Apache-2.0
#include "host/src/client_share.h"

#include "torusmu/registers.h"

namespace torusmu {
namespace {

namespace page = registers::client_page;

}  // namespace

ClientShare::ClientShare(Device& device, const NodePlan& plan, ClientId client)
    : members_(plan.options().contexts),
      notices_(device, plan.notice_ring(client),
               {.tail = page::notice_tail(client.value),
                .head = page::notice_head(client.value),
                .wide = true}) {}

bool ClientShare::join(ContextId context) {
  return context.value < members_.size() && !std::exchange(members_[context.value].joined, true);
}

void ClientShare::give_notice(ContextId to, const PacketRing::Entry& notice) {
  members_[to.value].inbox.notices.entries.push_back(notice);
}

void ClientShare::give_work(ContextId to, std::function<void()> work) {
  members_[to.value].inbox.work.push_back(std::move(work));
}

PacketRing& ClientShare::notices(Device& device) {
  notices_.read_by(device);
  return notices_;
}

void ClientShare::tell_of_lost_notices(ContextId finder) {
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (k != finder.value) members_[k].inbox.notices.lost = true;
  }
}

bool ClientShare::others_sleep(ContextId context) const {
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (k != context.value && members_[k].asleep) return true;
  }
  return false;
}

bool ClientShare::fall_asleep(ContextId context) {
  Member& member = members_[context.value];
  if (!member.inbox.is_empty() || member.line_was_high || is_reading_notices()) return false;
  member.asleep = true;
  return true;
}

void ClientShare::tell_of_cleared_line(ContextId context) {
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (k != context.value) members_[k].line_was_high = true;
  }
}

}  // namespace torusmu
