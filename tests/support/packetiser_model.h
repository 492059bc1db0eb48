// SPDX-License-Identifier: Apache-2.0
// What mu_packetiser must show in each cycle.

#ifndef TESTS_SUPPORT_PACKETISER_MODEL_H_
#define TESTS_SUPPORT_PACKETISER_MODEL_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "tests/support/injection_oracle.h"
#include "tests/support/packet_image_model.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing::packetiser {

namespace d = layout::descriptor;
namespace f = layout::fetched_descriptor;
namespace h = layout::packet_header;
using image::Fetched;
using Place = Record<layout::queue_place::Layout>;
using Command = Record<layout::read_command::Layout>;

// A descriptor, and what the tables say of it while it is judged.
struct Offered {
  Fetched fetched;
  RegionEntry region;
  CounterOwner second, third;
  bool waited = false;
  bool early = false;  // a SEND of a message that is not all in memory yet
};

// Everything else that comes in.
struct Inputs {
  bool valid = false, rewind_ready = false, held_ready = false, open_ready = false,
       command_ready = false, hold = false, spoil = false, abort = false, available = false,
       settles = false, configured = false, query = false, broken = false, doubtful = false,
       ahead_good = false;
  unsigned abort_tag = 0, direction = 0, number = 0, neighbour = 0;
  std::uint32_t send_number = 0;
  image::Peer peer;
  image::Received received;
};

struct Outputs {
  bool busy = false, active = false, ready = false, rewind_valid = false, held_valid = false,
       send_left = false, send_ahead = false, send_goes_ahead = false, ask = false, take = false,
       query_taken = false, open_valid = false, open_memory = false, open_hold = false,
       command_valid = false;
  image::Outputs image;
  std::array<std::uint8_t, 16> payload{};
  // Not to be seen, but what the edge does.
  bool rewind = false, open = false, last = false, aborted = false;
  unsigned bytes = 0;
};

class Model {
 public:
  enum class Phase { kIdle, kLook, kCheck, kAhead, kRun, kRewind };
  Coordinates node, last;

  Phase phase() const { return phase_; }
  bool knows() const { return known_; }  // a descriptor, if only the one that was here last
  unsigned tag() const { return tag_; }
  unsigned opened() const { return opened_; }  // slots of the descriptor that runs
  const Offered& runs() const { return own_; }
  const Fetched& fetched() const { return own_.fetched; }
  const Command& command() const { return command_; }
  std::uint64_t address() const { return address_; }

  Descriptor descriptor() const { return own_.fetched.get<f::descriptor>(); }
  Place place() const {
    namespace q = layout::queue_place;
    return Place()
        .set<q::queue>(fetched().get<f::queue>())
        .set<q::index>(fetched().get<f::index>())
        .set<q::lap>(fetched().get<f::lap>());
  }
  bool second_is_event() const {
    const Descriptor own = descriptor();
    return own.get<d::injection_counter_valid>() == 0 && own.get<d::event_valid>() != 0;
  }
  unsigned second() const {
    const Descriptor own = descriptor();
    return static_cast<unsigned>(own.get<d::injection_counter_valid>() != 0
                                     ? own.get<d::injection_counter>()
                                 : second_is_event() ? own.get<d::event_counter>()
                                                     : own.get<d::counter>());
  }
  unsigned third(const image::Peer& peer) const {
    const Descriptor own = descriptor();
    return static_cast<unsigned>(own.get<d::done_event_valid>() != 0
                                     ? own.get<d::done_event>()
                                     : peer.get<layout::queue_peer::event_counter>());
  }

  void reset() {
    phase_ = Phase::kIdle;
    tag_ = 0;
    has_command_ = left_ = known_ = false;
  }

  Outputs show(const Inputs& in) const {
    const bool at_work = phase_ == Phase::kRun;
    const bool early = in.hold || in.spoil;
    const Descriptor own = descriptor();
    Outputs out;
    out.held_valid = at_work && !ran() && status_ == Status::kOk && !held_ && can_be_held();
    const bool reflects = own.get<d::reflect>() != 0 && status_ == Status::kOk;
    const bool runs = at_work && !in.query && !out.held_valid && !(reflects && in.settles) &&
                      !(early && opened_ != 0);
    out.ask = runs && reflects;
    const bool refused = out.ask && !in.available;
    const Status status = refused ? Status::kNoReflector : status_;
    out.rewind = refused && in.configured;
    const bool moves = kind_ != Kind::kNone && status == Status::kOk && !ran();
    out.bytes = static_cast<unsigned>(std::min<std::uint64_t>(512, length() - sent_));
    out.last = !moves || length() - sent_ <= 512;
    const bool reads = moves && own.get<d::immediate_valid>() == 0 && opcode() != Opcode::kFence;
    const bool room = !reads || !has_command_;
    out.open_valid = in.query || (runs && !out.rewind && room);
    out.open = out.open_valid && in.open_ready && !in.query;
    out.open_memory = reads && !in.query;
    out.open_hold = early && !in.query;
    out.take = out.open && reflects && in.available;
    out.query_taken = in.query && in.open_ready;
    out.aborted = at_work && in.abort && in.abort_tag == tag_;
    out.image = model_of(image_of(in, out, status, moves, reflects));
    if (out.open && own.get<d::immediate_valid>() != 0) {
      const auto immediate = own.get<d::immediate>();
      std::copy_n(immediate.begin(), std::min<std::uint64_t>(16, length() % 32),
                  out.payload.begin());
    }
    out.send_left = left_;
    out.send_ahead = goes_ahead();
    out.ready = phase_ == Phase::kIdle;
    out.rewind_valid = phase_ == Phase::kRewind;
    out.command_valid = has_command_;
    out.busy = !out.ready || has_command_ || left_;
    out.active = has_command_ || left_ || out.query_taken ||
                 (out.ready ? in.valid
                            : !at_work || in.open_ready || out.held_valid || reflects || in.abort);
    out.send_goes_ahead = phase_ == Phase::kAhead && sends() && !gives_up(in);
    return out;
  }

  // The edge.
  void step(const Inputs& in, const Outputs& out, const Offered& offered) {
    if (in.command_ready) has_command_ = false;
    left_ = phase_ == Phase::kRun && sends() && !ran() && (out.aborted || (out.open && out.last));
    switch (phase_) {
      case Phase::kIdle:
        if (!in.valid) break;
        own_ = offered;
        if (fetched().get<f::error>() != 0) {
          own_.fetched.set<f::descriptor>(Descriptor().set<d::signal>(1));
        }
        known_ = true;
        phase_ = Phase::kLook;
        if ((ran() || went_ahead()) && fetched().get<f::detached>() == 0 && !network()) know();
        break;
      case Phase::kLook:
        peer_ = in.peer;
        phase_ = Phase::kCheck;
        break;
      case Phase::kCheck:
        check(in);
        break;
      case Phase::kAhead:
        phase_ = gives_up(in) ? Phase::kIdle : Phase::kRun;
        break;
      case Phase::kRun:
        run(in, out);
        break;
      case Phase::kRewind:
        if (in.rewind_ready) phase_ = Phase::kIdle;
        break;
    }
  }

 private:
  Opcode opcode() const { return descriptor().get<d::opcode>(); }
  std::uint64_t length() const { return descriptor().get<d::length>(); }
  bool sends() const { return opcode() == Opcode::kSend || opcode() == Opcode::kFence; }
  bool can_be_held() const {
    return sends() || opcode() == Opcode::kWait || opcode() == Opcode::kCalc ||
           opcode() == Opcode::kReceive || opcode() == Opcode::kPipe;
  }
  bool network() const {
    const QueueMode mode = fetched().get<f::mode>();
    return mode == QueueMode::kRemoteGet || mode == QueueMode::kReflection;
  }
  bool ran() const { return fetched().get<f::run>() != 0; }
  bool goes_ahead() const {
    return fetched().get<f::ahead>() != 0 && fetched().get<f::again>() != 0 && !ran();
  }
  bool went_ahead() const {
    return fetched().get<f::ahead>() != 0 && fetched().get<f::again>() == 0 && !ran();
  }
  Kind kind() const { return kind_of(opcode()); }
  Status judge(const Inputs& in) const {
    namespace p = layout::queue_peer;
    if (fetched().get<f::error>() != 0) return Status::kMemoryError;
    static thread_local Surroundings around;  // large
    around.place = node;
    around.last = last;
    around.regions[descriptor().get<d::source_region>()] = own_.region;
    around.events[third(peer_)] = own_.third;
    (second_is_event() ? around.events : around.counters)[second()] = own_.second;
    around.waited.clear();
    if (own_.waited && second_is_event()) around.waited.insert(second());
    around.peer.connected = peer_.get<p::connected>() != 0;
    around.peer.dynamic = peer_.get<p::dynamic>() != 0;
    around.peer.broken = in.broken;
    around.peer.event.reset();
    if (peer_.get<p::event_valid>() != 0) {
      around.peer.event = static_cast<unsigned>(peer_.get<p::event_counter>());
    }
    return expected_status(around, descriptor(),
                           {fetched().get<f::mode>(), fetched().get<f::owner>(), 0, 0});
  }
  // It has passed before: nothing is looked up.
  void know() {
    status_ = ran() ? fetched().get<f::run_status>() : Status::kOk;
    kind_ = Kind::kNone;
    tell_ = held_ = false;
    sent_ = opened_ = 0;
    phase_ = Phase::kRun;
  }
  void check(const Inputs& in) {
    const Status status = judge(in);
    Descriptor own = descriptor();
    const PacketHeader header = own.get<d::header>();
    status_ = ran() ? fetched().get<f::run_status>() : status;
    kind_ = kind();
    tell_ = fetched().get<f::mode>() == QueueMode::kRemoteGet && fetched().get<f::error>() == 0 &&
            header.get<h::src_x>() <= last.x && header.get<h::src_y>() <= last.y &&
            header.get<h::src_z>() <= last.z;
    namespace r = layout::region_entry;
    address_ = (own_.region.get<r::base>() + own.get<d::source_offset>()) & kAddresses;
    sent_ = opened_ = 0;
    held_ = fetched().get<f::again>() != 0 && sends();
    if (fetched().get<f::detached>() != 0 && fetched().get<f::run>() != 0 &&
        own.get<d::done_event_valid>() == 0) {
      // Its event counter is that of the queue now, whatever the queue gets later.
      own.set<d::done_event_valid>(peer_.get<layout::queue_peer::event_valid>());
      own.set<d::done_event>(peer_.get<layout::queue_peer::event_counter>());
      own_.fetched.set<f::descriptor>(own);
    }
    phase_ = goes_ahead() ? Phase::kAhead : Phase::kRun;
  }
  bool gives_up(const Inputs& in) const {
    return status_ != Status::kOk || (sends() && !in.ahead_good);
  }
  void run(const Inputs& in, const Outputs& out) {
    if (out.rewind) phase_ = Phase::kRewind;
    if (out.held_valid && in.held_ready) {
      held_ = true;
      if (!sends() || went_ahead()) phase_ = Phase::kIdle;
    }
    if (out.open && out.open_memory) {
      namespace c = layout::read_command;
      command_ = Command().set<c::bytes>(out.bytes).set<c::address>(address_);
      has_command_ = true;
    }
    if (out.open) {
      ++opened_;
      address_ = (address_ + out.bytes) & kAddresses;
      sent_ += out.bytes;
    }
    if (out.aborted || (out.open && out.last)) {
      phase_ = Phase::kIdle;
      tag_ = (tag_ + 1) % 8;
    }
  }
  image::Inputs image_of(const Inputs& in, const Outputs& out, Status status, bool moves,
                         bool reflects) const {
    image::Inputs packet;
    packet.query = out.query_taken;
    packet.open = out.open;
    packet.node = image::place(node.x, node.y, node.z);
    packet.fetched = fetched();
    packet.descriptor = descriptor();
    packet.header = packet.descriptor.get<d::header>();
    packet.status = status;
    packet.kind = kind_;
    packet.tell = tell_;
    packet.moves = moves;
    packet.last = out.last;
    packet.reflects = reflects;
    packet.doubtful = in.doubtful;
    packet.bytes = out.bytes;
    packet.tag = tag_;
    packet.counter = second();
    packet.direction = in.direction;
    packet.number = in.number;
    packet.offset = packet.header.get<h::offset>() + sent_;
    packet.neighbour = in.neighbour;
    packet.peer = in.peer;
    packet.send_number = in.send_number;
    packet.received = in.received;
    return packet;
  }

  static constexpr std::uint64_t kAddresses = (1ULL << 40) - 1;
  Phase phase_ = Phase::kIdle;
  Offered own_;
  image::Peer peer_;  // as it was looked up
  Status status_ = Status::kOk;
  Kind kind_ = Kind::kNone;
  bool known_ = false, tell_ = false, held_ = false, has_command_ = false;
  bool left_ = false;  // what was cut in the last cycle was the last of a SEND or a FENCE
  unsigned tag_ = 0, opened_ = 0;
  std::uint64_t address_ = 0, sent_ = 0;
  Command command_;
};

}  // namespace torusmu::testing::packetiser

#endif  // TESTS_SUPPORT_PACKETISER_MODEL_H_
