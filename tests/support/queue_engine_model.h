// SPDX-License-Identifier: Apache-2.0
// What mu_queue_engine has to show in a cycle, and what it knows after it. Software may write
// anything; of the neighbours it believes that they name what is in flight (see Cycle).

#ifndef TESTS_SUPPORT_QUEUE_ENGINE_MODEL_H_
#define TESTS_SUPPORT_QUEUE_ENGINE_MODEL_H_

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>

#include "sim/machine/profile.h"
#include "tests/support/descriptor_fetch_model.h"
#include "tests/support/port_bits.h"
#include "tests/support/queue_access_model.h"
#include "tests/support/queue_scheduler_model.h"
#include "tests/support/queue_state_model.h"

namespace torusmu::testing {

class QueueEngineModel {
 public:
  static constexpr unsigned kQueues = QueueAccessModel::kQueues;
  using Fetched = DescriptorFetchModel::Fetched;
  using ReadCommand = DescriptorFetchModel::ReadCommand;
  using Place = Record<layout::queue_place::Layout>;
  using Slots = Record<layout::ring_slots::Layout>;
  using Operation = Record<layout::counter_operation::Layout>;

  struct GetReserve {
    unsigned queue, count;
    bool reflected;
  };
  struct PushReserve {
    unsigned queue, client;
  };
  struct Publish {
    unsigned queue, count;  // no more than is reserved
  };
  struct Retire {
    unsigned queue;
    std::uint32_t index;  // of a descriptor in flight
    unsigned status;
  };
  struct Cycle {
    std::optional<RegisterRequest> access;
    std::optional<Retire> retire;
    std::optional<Place> rewind, resume, hold;  // of descriptors in flight
    std::optional<Operation> enable;
    std::optional<Publish> publish;
    std::optional<GetReserve> get_reserve;
    std::optional<PushReserve> push_reserve;
    bool credit_returned = false;
    std::optional<unsigned> release;  // queue
    bool command_ready = false;
    std::optional<DescriptorFetchModel::Beat> beat;
    std::array<bool, 2> descriptor_ready{};  // for requests, replies
    unsigned last_node = 0;
  };
  // Who asks for the table, the most urgent first.
  enum class Turn {
    kNone,
    kAccess,
    kRetire,
    kRewind,
    kResume,
    kHold,
    kEnable,
    kPublish,
    kGetReserve,
    kPushReserve,
    kFetch,
    kConfig
  };
  struct Done {
    unsigned queue;
    std::uint32_t head;
    bool operator==(const Done&) const = default;
  };
  struct Outputs {
    Turn turn = Turn::kNone;  // who has the table
    bool busy = false, active = false;
    std::optional<Status> enable_status;
    std::optional<unsigned> configure;  // queue
    bool configured = false, configured_receive = false;
    std::optional<Done> done;
    std::array<std::optional<Fetched>, 2> descriptors;  // requests, replies
  };

  QueueEngineModel() : scheduler_(kQueues) {}

  // What the registers show from the last edge on.
  bool ready() const { return cleared_ == kQueues; }
  bool register_done() const { return answer_.has_value(); }
  RegisterResponse response() const { return answer_.value_or(RegisterResponse()); }
  const PortBits& causes() const { return causes_; }
  const std::optional<Slots>& get_slots() const { return get_slots_; }
  const std::optional<Slots>& push_slots() const { return push_slots_; }
  const DescriptorFetchModel& descriptors() const { return fetch_; }
  PortBits dynamic() const {
    PortBits set;
    for (unsigned i = 0; i < kQueues; ++i) set[i] = (peers_[i] >> 23U & 1U) != 0;
    return set;
  }
  // Whether the table would be given to who asks for that, in the cycle that look() was told of.
  bool takes(Turn turn) const { return ready() && (out_.turn == Turn::kNone || out_.turn >= turn); }
  // Of queues that exist and others.
  bool empty(unsigned queue) const { return queue < kQueues && queues_[queue].empty_reflection(); }
  unsigned setup(unsigned queue) const { return queue < kQueues ? queues_[queue].setup & 0x7f : 0; }
  std::uint32_t head(unsigned queue) const {
    return out_.configure == queue ? 0 : queues_[queue].head;
  }
  std::uint64_t peer(unsigned queue) const { return queue < kQueues ? peers_[queue] : 0; }

  const QueueStateModel& queue(unsigned at) const { return queues_[at]; }
  bool rests(unsigned at) const { return !scheduler_.works(at) && !fetch_.holds(at); }
  // A test may begin with any state of a queue that rests.
  void set_queue(unsigned at, const QueueStateModel& state) { queues_[at] = state; }

  // What the cycle is, and what becomes of it at its end.
  const Outputs& look(const Cycle& in) {
    out_ = {};
    next_ = {};
    accessed_ = in.access && ready() && !answer_;
    const bool config = accessed_ && QueueAccessModel::writes_config(*in.access);
    if (config) out_.configure = QueueAccessModel::queue_of(*in.access);
    look_at_descriptors(in);
    take_turn(in);
    work(in);
    out_.busy = steps() || !fetch_.empty() || choice_;
    out_.active = steps() || fetch_.active(descriptors_) || choice_;
    return out_;
  }
  // The coming edge, after look.
  void clock(const Cycle& in) {
    if (!ready()) ++cleared_;
    if (out_.turn != Turn::kNone && known()) queues_[queue_] = after_;
    if (next_.peer) peers_[queue_] = *next_.peer;
    answer_ = next_.answer;
    get_slots_ = next_.get_slots;
    push_slots_ = next_.push_slots;
    causes_ = next_.causes;
    const bool waits = in.rewind && out_.turn != Turn::kRewind;
    credit_returned_ = waits && (credit_returned_ || in.credit_returned);
    scheduled_.update = next_.update ? &*next_.update : nullptr;
    scheduler_.clock(scheduled_);
    descriptors_.kill = next_.kill;
    descriptors_.fetch = next_.fetch;
    fetch_.clock(descriptors_);
  }
  void reset() { *this = {}; }

 private:
  // What the edge leaves.
  struct Next {
    std::optional<RegisterResponse> answer;
    std::optional<Slots> get_slots, push_slots;
    PortBits causes;
    std::optional<std::uint64_t> peer;
    std::optional<QueueSchedulerModel::Update> update;
    std::optional<unsigned> kill;
    std::optional<DescriptorFetchModel::Fetch> fetch;
  };

  bool known() const { return queue_ < kQueues; }
  bool begins_anew() const { return out_.configure == queue_; }
  bool steps() const {
    return !ready() || answer_ || get_slots_ || push_slots_ || credit_returned_ || causes_.any();
  }
  static unsigned queue_of(const Place& place) {
    return static_cast<unsigned>(place.get<layout::queue_place::queue>());
  }

  void look_at_descriptors(const Cycle& in) {
    descriptors_ = {
        .command_ready = in.command_ready, .beat = in.beat, .ready = in.descriptor_ready};
    for (const bool reply : {false, true}) {
      if (const auto queue = fetch_.front_queue(reply))
        descriptors_.heads[reply] = queues_[*queue].head;
      if (const Fetched* shown = fetch_.shown(reply, descriptors_))
        out_.descriptors[reply] = *shown;
    }
    const bool free = fetch_.free(descriptors_);
    const auto one = [](std::optional<unsigned> queue) {
      return queue ? std::bitset<128>(1) << *queue : std::bitset<128>();
    };
    scheduled_ = {.hold = one(out_.configure),
                  .release = one(in.release),
                  .room_request = free && fetch_.has_room(false),
                  .room_reply = free && fetch_.has_room(true),
                  .unpark = in.credit_returned};
    choice_ = scheduler_.choice(scheduled_);
  }
  bool idle(unsigned at) const {
    const QueueStateModel& queue = queues_[at];
    return queue.fetch == queue.head && queue.reserved == queue.published && !fetch_.holds(at);
  }
  // The most urgent of those who ask for the table.
  void take_turn(const Cycle& in) {
    const auto grant = [this](Turn turn, unsigned queue) {
      out_.turn = turn;
      queue_ = queue;
    };
    if (!ready()) return;
    if (accessed_ && !out_.configure) {
      grant(Turn::kAccess, QueueAccessModel::queue_of(*in.access));
    } else if (in.retire) {
      grant(Turn::kRetire, in.retire->queue);
    } else if (in.rewind) {
      grant(Turn::kRewind, queue_of(*in.rewind));
    } else if (in.resume) {
      grant(Turn::kResume, queue_of(*in.resume));
    } else if (in.hold) {
      grant(Turn::kHold, queue_of(*in.hold));
    } else if (in.enable) {
      grant(Turn::kEnable,
            static_cast<unsigned>(in.enable->get<layout::counter_operation::counter>()));
    } else if (in.publish) {
      grant(Turn::kPublish, in.publish->queue);
    } else if (in.get_reserve) {
      grant(Turn::kGetReserve, in.get_reserve->queue);
    } else if (in.push_reserve) {
      grant(Turn::kPushReserve, in.push_reserve->queue);
    } else if (choice_) {
      grant(Turn::kFetch, choice_->queue);
    } else if (out_.configure && idle(*out_.configure)) {
      grant(Turn::kConfig, *out_.configure);
    }
  }
  // What who has the table does to the queue.
  void work(const Cycle& in) {
    if (out_.turn == Turn::kNone) return;
    after_ = queues_[queue_ % kQueues];
    switch (out_.turn) {
      case Turn::kAccess:
      case Turn::kConfig:
        access(*in.access, in.last_node);
        break;
      case Turn::kRetire:
        retire(*in.retire);
        break;
      case Turn::kRewind:
        take_back(*in.rewind, !in.credit_returned && !credit_returned_);
        break;
      case Turn::kResume:
        take_back(*in.resume, false);
        break;
      case Turn::kHold:
        hold(*in.hold);
        break;
      case Turn::kEnable:
        enable(*in.enable);
        break;
      case Turn::kPublish:
        after_.publish(in.publish->count);
        update();
        break;
      case Turn::kGetReserve:
        next_.get_slots =
            reserve(in.get_reserve->reflected ? QueueMode::kReflection : QueueMode::kRemoteGet,
                    in.get_reserve->count, std::nullopt);
        break;
      case Turn::kPushReserve:
        next_.push_slots = reserve(QueueMode::kPush, 1, in.push_reserve->client);
        break;
      default:
        fetch();
    }
  }
  QueueSchedulerModel::Update& update() {
    return next_.update.emplace(
        QueueSchedulerModel::Update{.queue = queue_,
                                    .work = after_.work(),
                                    .reflection = after_.mode() == QueueMode::kReflection});
  }
  void access(const RegisterRequest& request, unsigned last_node) {
    const std::uint64_t data = request.get<layout::register_request::data>();
    const auto index = static_cast<std::uint32_t>(data);
    const QueueAccessModel registers{after_, peer(queue_), last_node,
                                     after_.accepts_doorbell(index)};
    const auto meaning = registers.meaning(request);
    next_.answer = RegisterResponse()
                       .set<layout::register_response::status>(meaning.status)
                       .set<layout::register_response::data>(meaning.data);
    switch (meaning.operations) {
      case QueueAccessModel::kDoorbell:
        after_.doorbell(index);
        update();
        break;
      case QueueAccessModel::kBase:
        after_.base = data;
        break;
      case QueueAccessModel::kSize:
        after_.size = index;
        break;
      case QueueAccessModel::kPeer:
        next_.peer = data;
        break;
      case QueueAccessModel::kConfig:
        after_.configure(data);
        update().afresh = true;
        configured(after_.mode());
        break;
      default:
        break;
    }
  }
  void configured(QueueMode mode) {
    out_.configured = true;
    out_.configured_receive = mode == QueueMode::kReceive || mode == QueueMode::kPiped;
  }
  void retire(const Retire& retire) {
    const unsigned owner = after_.owner();
    if (retire.status != 0 && owner < kProfile.clients)
      next_.causes = causes_of_client(owner, 1U << static_cast<unsigned>(Cause::kError));
    if (after_.retire(retire.index, retire.status)) next_.kill = queue_;
    if (!begins_anew()) out_.done = Done{queue_, after_.head};
    update();
  }
  void take_back(const Place& place, bool park) {
    namespace p = layout::queue_place;
    after_.rewind(static_cast<std::uint32_t>(place.get<p::index>()),
                  static_cast<std::uint32_t>(place.get<p::position>()),
                  static_cast<std::uint32_t>(place.get<p::lap>()));
    next_.kill = queue_;
    update().park = park;
  }
  void hold(const Place& place) {
    namespace p = layout::queue_place;
    const auto index = static_cast<std::uint32_t>(place.get<p::index>());
    const bool last = after_.fetch == index + 1;
    after_.hold(index, static_cast<std::uint32_t>(place.get<p::position>()),
                static_cast<std::uint32_t>(place.get<p::lap>()));
    if (after_.halts_on_error()) next_.kill = queue_;
    update().stop = true;
    next_.update->one_more = last && !after_.halts_on_error();
  }
  void enable(const Operation& operation) {
    namespace o = layout::counter_operation;
    out_.enable_status = Status::kQueueInvalid;
    if (!known()) return;
    out_.enable_status = after_.enable(
        static_cast<std::uint32_t>(operation.get<o::value>()), operation.get<o::add>() != 0,
        static_cast<unsigned>(operation.get<o::client>()), operation.get<o::is_event>() != 0);
    update();
  }
  // In a queue of that mode, of that client if one is named.
  Slots reserve(QueueMode mode, unsigned count, std::optional<unsigned> client) {
    namespace s = layout::ring_slots;
    Status status = Status::kOk;
    if (!known() || begins_anew() || after_.mode() != mode) {
      status = Status::kQueueInvalid;
    } else if (client && after_.owner() != *client) {
      status = Status::kDoorbellOwner;
    } else if (!after_.has_room(count)) {
      status = Status::kQueueFull;
    }
    const auto slots = Slots()
                           .set<s::status>(status)
                           .set<s::position>(after_.reserve_position)
                           .set<s::size>(after_.size)
                           .set<s::base>(after_.base);
    if (status != Status::kOk && status != Status::kQueueFull) return slots;
    after_.reserve(count);
    update();
    return slots;
  }
  void fetch() {
    namespace f = layout::fetched_descriptor;
    next_.fetch = {.fetched = Fetched()
                                  .set<f::queue>(queue_)
                                  .set<f::index>(after_.fetch)
                                  .set<f::position>(after_.fetch_position)
                                  .set<f::lap>(after_.fetch_lap)
                                  .set<f::owner>(after_.owner())
                                  .set<f::mode>(after_.mode()),
                   .serial = after_.halts_on_error(),
                   .reply = choice_->reply,
                   .address = after_.base + 64ULL * after_.fetch_position};
    scheduled_.taken = true;
    after_.fetch_one();
    update();
  }

  std::array<QueueStateModel, kQueues> queues_{};
  std::array<std::uint64_t, kQueues> peers_{};
  QueueSchedulerModel scheduler_;
  DescriptorFetchModel fetch_;
  unsigned cleared_ = 0;  // queues that the walk after reset has cleared
  std::optional<RegisterResponse> answer_;
  std::optional<Slots> get_slots_, push_slots_;
  PortBits causes_;
  bool credit_returned_ = false;  // while the rewind waited for its turn

  // Of the cycle that look() was told of.
  bool accessed_ = false;
  unsigned queue_ = 0;     // that has the table
  QueueStateModel after_;  // the operation
  Next next_;
  Outputs out_;
  std::optional<QueueSchedulerModel::Choice> choice_;
  QueueSchedulerModel::Cycle scheduled_;
  DescriptorFetchModel::Cycle descriptors_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_QUEUE_ENGINE_MODEL_H_
