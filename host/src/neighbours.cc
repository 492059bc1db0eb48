// SPDX-License-Identifier: Apache-2.0
#include "host/src/neighbours.h"

#include <utility>

namespace torusmu {

std::error_code Neighbours::post(ContextId to, std::function<void()> work) {
  if (to.value >= share_.contexts()) return Errc::kBadArgument;
  share_.give_work(to, std::move(work));
  if (share_.is_asleep(to)) wake();
  return {};
}

// By an interrupt.
void Neighbours::wake() {
  owes_wake_up_ = !outbox_.claim_room();
  if (owes_wake_up_) return;
  namespace d = layout::descriptor;
  outbox_.post(Descriptor().set<d::opcode>(Opcode::kNop).set<d::interrupt_done>(1));
  outbox_.ring();
}

void Neighbours::use_room() {
  if (owes_wake_up_) wake();
}

void Neighbours::take_what_is_given() {
  if (share_.is_inbox_empty(site_.context)) return;
  notices_.take_from_others();
  agenda_.note_progress();
  const Agenda::Call call(agenda_);
  for (const auto& work : share_.take_work(site_.context)) work();
}

}  // namespace torusmu
