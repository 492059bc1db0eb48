// SPDX-License-Identifier: Apache-2.0
#include "host/src/active_order.h"

#include <utility>

namespace torusmu {

void ActiveOrder::add(MessagePointer message) {
  if (segment_.reaches(message->source)) {
    by_mu_[message->source].push_back(std::move(message));
  } else {
    active_.add(std::move(message));
  }
}

bool ActiveOrder::poll() {
  if (active_.has_arrived()) return false;
  (void)segment_.look();
  bool any = false;
  for (std::uint32_t n = 0; n < segment_.endpoints(); ++n) any = take_all(n) || any;
  segment_.give_room();
  return any;
}

bool ActiveOrder::take_all(std::uint32_t from) {
  bool any = false;
  for (auto entry = segment_.front(from); entry; entry = segment_.front(from)) {
    if (!take(segment_.endpoint(from), std::move(*entry))) break;
    segment_.pop(from);
    any = true;
  }
  return any;
}

bool ActiveOrder::take(Endpoint from, Segment::Entry entry) {
  if (entry.is_turn()) {
    std::deque<MessagePointer>& arrived = by_mu_[from];
    if (arrived.empty()) return false;
    active_.add(std::move(arrived.front()));
    arrived.pop_front();
    return true;
  }
  site_.device.work(Work::kHandlePacket, 1);
  site_.device.work(Work::kCopyLine, lines_of(entry.message.size()));
  const auto message = std::make_shared<Incoming>();
  message->source = from;
  message->tag = entry.tag;
  message->length = message->arrived = entry.message.size();
  message->data = std::move(entry.message);
  active_.add(message);
  return true;
}

}  // namespace torusmu
