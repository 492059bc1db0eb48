// SPDX-License-Identifier: Apache-2.0
// What the contexts of a client share: the notice ring, the interrupt line, and work that one posts
// to another. Each context runs in a thread (or core) of its own, which may be suspended in every
// call of its Device, and never elsewhere; so what follows is consistent at each of these calls.
// With threads that run at the same time, one mutex around each member function would be enough:
// none of them calls a Device.
//
// Notices. Whoever finds one takes all, and hands each to the context whose queue it names. While
// one context reads the ring no other does, and none goes to sleep: a notice that has left the ring
// is in the inbox of its context before the turn is given back.
//
// Sleep. The causes of the interrupt line are sticky and belong to the client. Cleared by one
// context while another is about to sleep, or asleep and not yet woken by them, they would wake
// nobody. So
//  1. a context goes to sleep in its turn: it takes the turn, makes sure that the line is low, then
//     looks at everything, is marked as asleep and gives the turn back; what comes after it has
//     looked raises the line, which stays high until somebody clears the causes;
//  2. causes are cleared in a turn only, and only while no other context is marked as asleep. If
//     one is, the line is high and wakes it: whoever wants to sleep goes on looking meanwhile;
//  3. whoever relies on the line to say that something has come (PollingPolicy::kInterrupt) is told
//     when another context has cleared it;
//  4. work for a context that is marked as asleep comes with an interrupt, made by a NOP.
//
// Pushes. The eight words of the push window go in one after another, so one context pushes at a
// time: it holds the turn from the first word to the outcome.
#ifndef TORUSMU_HOST_SRC_CLIENT_SHARE_H_
#define TORUSMU_HOST_SRC_CLIENT_SHARE_H_

#include <deque>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "host/src/packet_ring.h"
#include "torusmu/device.h"
#include "torusmu/plan.h"

namespace torusmu {

class ClientShare {
 public:
  // What others have found or posted for a context.
  struct Notices {
    std::deque<PacketRing::Entry> entries;
    bool lost = false;
  };
  struct Inbox {
    Notices notices;
    std::deque<std::function<void()>> work;
    [[nodiscard]] bool is_empty() const {
      return notices.entries.empty() && !notices.lost && work.empty();
    }
  };
  // Held by one context at a time; who does not get it does something else.
  class Turn {
   public:
    bool try_lock() { return !std::exchange(taken_, true); }
    void unlock() { taken_ = false; }
    [[nodiscard]] bool is_taken() const { return taken_; }

   private:
    bool taken_ = false;
  };
  using Hold = std::unique_lock<Turn>;

  ClientShare(Device& device, const NodePlan& plan, ClientId client);

  [[nodiscard]] std::size_t contexts() const { return members_.size(); }
  // False if there is no such context, or it has been taken already.
  bool join(ContextId context);

  void give_notice(ContextId to, const PacketRing::Entry& notice);
  void give_work(ContextId to, std::function<void()> work);
  [[nodiscard]] bool is_inbox_empty(ContextId context) const {
    return members_[context.value].inbox.is_empty();
  }
  // What others have given, which is then gone from here.
  Notices take_notices(ContextId context) {
    return std::exchange(members_[context.value].inbox.notices, Notices{});
  }
  std::deque<std::function<void()>> take_work(ContextId context) {
    return std::exchange(members_[context.value].inbox.work, {});
  }

  // The ring is read in this turn only.
  [[nodiscard]] Hold turn_of_notices() { return Hold(notices_turn_, std::try_to_lock); }
  [[nodiscard]] bool is_reading_notices() const { return notices_turn_.is_taken(); }
  PacketRing& notices(Device& device);
  // Notices were lost, perhaps some of every other context.
  void tell_of_lost_notices(ContextId finder);

  [[nodiscard]] Hold turn_to_push() { return Hold(push_turn_, std::try_to_lock); }

  [[nodiscard]] Hold turn_to_sleep() { return Hold(sleep_turn_, std::try_to_lock); }
  [[nodiscard]] bool is_asleep(ContextId context) const { return members_[context.value].asleep; }
  [[nodiscard]] bool others_sleep(ContextId context) const;
  // Marks the context as asleep, unless something waits for it. In its turn.
  bool fall_asleep(ContextId context);
  void wake_up(ContextId context) { members_[context.value].asleep = false; }
  // `context` has cleared the causes.
  void tell_of_cleared_line(ContextId context);
  // True if another context has cleared the causes since the last call.
  bool take_cleared_line(ContextId context) {
    return std::exchange(members_[context.value].line_was_high, false);
  }

 private:
  struct Member {
    Inbox inbox;
    bool joined = false;
    bool asleep = false;
    bool line_was_high = false;
  };
  std::vector<Member> members_;  // by context
  PacketRing notices_;
  Turn notices_turn_;
  Turn sleep_turn_;
  Turn push_turn_;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_CLIENT_SHARE_H_
