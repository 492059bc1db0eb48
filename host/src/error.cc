// SPDX-License-Identifier: Apache-2.0
#include "torusmu/error.h"

#include <string>

namespace torusmu {
namespace {

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "torusmu"; }
  std::string message(int value) const override {
    switch (static_cast<Errc>(value)) {
      case Errc::kAgain:
        return "no free slot, credit or buffer now: call advance() and try again";
      case Errc::kDeadline:
        return "the deadline came first: wait longer, or see whether the peer still calls "
               "advance()";
      case Errc::kBadArgument:
        return "an argument is out of range: check task, context, tag, length and options";
      case Errc::kNotRegistered:
        return "the memory belongs to no region of this client: use memory of the client's heap, "
               "or "
               "register it with NodeSetup::register_memory()";
      case Errc::kTruncated:
        return "the message is longer than its buffer: post a receive with more capacity, or probe "
               "for the length first";
      case Errc::kDataLost:
        return "data was lost on the way and could not be sent again: see the node's bad_packets "
               "and memory_errors";
      case Errc::kRefused:
        return "the target refused: check region, offset, length and permissions there";
      case Errc::kOutOfResources:
        return "not enough of a resource: fewer clients or contexts, smaller rings or more memory "
               "in the plan; fewer requests under way or buffers in use";
      case Errc::kDeviceGone:
        return "the device does not answer: see whether the simulator or the board still runs";
      case Errc::kNotAcknowledged:
        return "the peer took no SEND for too long: see whether it posts and enables RECEIVEs, "
               "then connect both ends anew; dynamic queue pairs go on without that";
      case Errc::kFlushed:
        return "the queue pair was connected anew before this was done: post it again";
      case Errc::kDeviceError:
        return "the messaging unit recorded an error for this client: read page_status and the "
               "queue's status register";
      case Errc::kNoComponent:
        return "the poller knows no such component: it was never added, or it has been removed";
      case Errc::kDeliveryUnknown:
        return "the message was perhaps received, perhaps not: packets were lost, and the target "
               "does not know the message any more; ask the target before it is sent again";
      case Errc::kNoDispatch:
        return "the target has no function for this dispatch id: call register_dispatch() there "
               "before anybody sends to it";
      case Errc::kNotOrdered:
        return "a fence cannot order what comes the other way: wait for the gets from that task, "
               "and for the messages to it that are longer than eager_limit, before the fence";
      case Errc::kResending:
        return "what was sent before the fence has been refused, or found no room, and is sent "
               "again: advance() until the receiver has taken it";
      case Errc::kNotLocal:
        return "the task is on another node: send to it by the context or by a queue pair";
      case Errc::kChannelOpen:
        return "there is a channel to that task already: use it, or close it first";
      case Errc::kNoticesLost:
        return "the notice ring was full, so that nobody knows whether puts before the fence were "
               "refused: put again, with more notice_slots in the plan";
    }
    return "no torusmu error";
  }
};

}  // namespace

const std::error_category& error_category() {
  static const Category kCategory;
  return kCategory;
}

}  // namespace torusmu
