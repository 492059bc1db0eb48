// SPDX-License-Identifier: Apache-2.0
// What mu_queue_engine has to show in a cycle, and what it knows after it. Software may write
// anything; of the neighbours it believes that they name what is in flight (see Cycle).

#ifndef TESTS_SUPPORT_QUEUE_ENGINE_MODEL_H_
#define TESTS_SUPPORT_QUEUE_ENGINE_MODEL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

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
  using Change = QueueSchedulerModel::Change;
  using Turn = QueueTurn;

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
  struct Done {
    unsigned queue;
    std::uint32_t head;
    bool operator==(const Done&) const = default;
  };
  struct Outputs {
    Turn turn = Turn::kNone;  // whose row is updated
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
  bool register_done() const { return now_.answer.has_value(); }
  RegisterResponse response() const { return now_.answer.value_or(RegisterResponse()); }
  const PortBits& causes() const { return now_.causes; }
  const std::optional<Slots>& get_slots() const { return now_.get_slots; }
  const std::optional<Slots>& push_slots() const { return now_.push_slots; }
  const DescriptorFetchModel& descriptors() const { return fetch_; }
  // Of queues that exist and others.
  bool empty(unsigned queue) const { return queue < kQueues && queues_[queue].empty_reflection(); }
  unsigned setup(unsigned queue) const { return queue < kQueues ? queues_[queue].setup & 0x7f : 0; }
  std::uint32_t head(unsigned queue) const {
    return now_.configuring == queue ? 0 : queues_[queue].head;
  }
  unsigned table_queue() const { return row(); }  // that the table is read of
  std::optional<unsigned> peer_written() const {
    return next_.peer ? std::optional(row()) : std::nullopt;
  }
  std::uint64_t peer(unsigned queue) const { return queue < kQueues ? peers_[queue] : 0; }

  const QueueStateModel& queue(unsigned at) const { return queues_[at]; }
  bool rests(unsigned at) const {
    return !scheduler_.works(at) && !fetch_.holds(at) && !has_row_of(at);
  }
  // Its row has been read, and is updated in the coming cycle.
  bool has_row_of(unsigned at) const {
    return (phase_ == Phase::kLook || phase_ == Phase::kUpdate) && row() == at;
  }
  // A test may begin with any state of a queue that rests.
  void set_queue(unsigned at, const QueueStateModel& state) { queues_[at] = state; }

  // What the cycle is, and what becomes of it at its end.
  const Outputs& look(const Cycle& in) {
    out_ = {};
    out_.configure = now_.configuring;
    out_.done = now_.done;
    next_ = {};
    look_at_descriptors(in);
    if (phase_ == Phase::kLook) judge();
    if (phase_ == Phase::kUpdate) work(in);
    const bool opens = in.access && ready() && !now_.answer;
    const bool config = opens && QueueAccessModel::writes_config(*in.access);
    if (config && !next_.answer) next_.configuring = QueueAccessModel::queue_of(*in.access);
    choose(in, opens && !config, opens && now_.configuring);
    const bool goes_on = steps() || scheduler_.active(scheduled_);
    out_.busy = goes_on || !fetch_.empty();
    out_.active = goes_on || fetch_.active(descriptors_);
    return out_;
  }
  // The coming edge, after look.
  void clock(const Cycle& in) {
    if (!ready()) ++cleared_;
    if (phase_ == Phase::kUpdate && known()) queues_[queue_] = after_;
    if (next_.peer) peers_[queue_] = *next_.peer;
    const bool waits = in.rewind && out_.turn != Turn::kRewind;
    credit_returned_ = waits && (credit_returned_ || in.credit_returned);
    scheduler_.clock(scheduled_);
    descriptors_.kill = next_.kill;
    descriptors_.fetch = next_.fetch;
    fetch_.clock(descriptors_);
    now_ = next_;
    phase_ = phase_ == Phase::kRead && is_judged() ? Phase::kLook
             : is_under_way()                      ? Phase::kUpdate
                                                   : Phase::kIdle;
    if (chosen_.first == Turn::kNone) return;
    phase_ = Phase::kRead;
    std::tie(turn_, queue_) = chosen_;
  }
  void reset() { *this = {}; }

 private:
  enum class Phase { kIdle, kRead, kLook, kUpdate };
  // What an edge leaves, for one cycle.
  struct Next {
    std::optional<RegisterResponse> answer;
    std::optional<Slots> get_slots, push_slots;
    PortBits causes;
    Change change;
    std::optional<Done> done;
    std::optional<unsigned> configuring;  // queue
    std::optional<std::uint64_t> peer;
    std::optional<unsigned> kill;
    std::optional<DescriptorFetchModel::Fetch> fetch;
  };

  // What may be refused is judged by its row in a cycle of its own.
  bool is_judged() const {
    return turn_ == Turn::kAccess || turn_ == Turn::kConfigure || turn_ == Turn::kGetReserve ||
           turn_ == Turn::kPushReserve;
  }
  bool is_under_way() const { return phase_ == Phase::kRead || phase_ == Phase::kLook; }
  bool known() const { return queue_ < kQueues; }
  unsigned row() const { return queue_ % kQueues; }
  bool begins_anew() const { return now_.configuring == queue_; }
  bool steps() const {
    return !ready() || phase_ != Phase::kIdle || now_.change != Change() || now_.answer ||
           now_.get_slots || now_.push_slots || now_.configuring || credit_returned_ ||
           now_.causes.any();
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
      if (const Fetched* shown = fetch_.shown(reply)) out_.descriptors[reply] = *shown;
    }
    const bool free = fetch_.free(descriptors_);
    scheduled_ = {.change = now_.change,
                  .hold = now_.configuring,
                  .release = in.release,
                  .room_request = free && fetch_.has_room(false),
                  .room_reply = free && fetch_.has_room(true),
                  .unpark = in.credit_returned};
    if (phase_ != Phase::kIdle) scheduled_.busy = row();
  }
  bool idle(unsigned at) const {
    const QueueStateModel& queue = queues_[at];
    return queue.fetch == queue.head && queue.reserved == queue.published && !fetch_.holds(at);
  }
  // The most urgent of those who ask, but for the one whose turn ends.
  void choose(const Cycle& in, bool accesses, bool configures) {
    chosen_ = {};
    if (!ready() || is_under_way()) return;
    const auto ask = [this](Turn turn, bool asks, const auto& queue) {
      const bool ends = turn == out_.turn && turn != Turn::kFetch;
      if (asks && !ends && chosen_.first == Turn::kNone) chosen_ = {turn, queue()};
    };
    const auto choice = scheduler_.offered(scheduled_);
    const auto accessed = [&] { return QueueAccessModel::queue_of(*in.access); };
    ask(Turn::kAccess, accesses, accessed);
    ask(Turn::kRetire, in.retire.has_value(), [&] { return in.retire->queue; });
    ask(Turn::kRewind, in.rewind.has_value(), [&] { return queue_of(*in.rewind); });
    ask(Turn::kResume, in.resume.has_value(), [&] { return queue_of(*in.resume); });
    ask(Turn::kHold, in.hold.has_value(), [&] { return queue_of(*in.hold); });
    ask(Turn::kEnable, in.enable.has_value(), [&] {
      return static_cast<unsigned>(in.enable->get<layout::counter_operation::counter>());
    });
    ask(Turn::kPublish, in.publish.has_value(), [&] { return in.publish->queue; });
    ask(Turn::kGetReserve, in.get_reserve.has_value(), [&] { return in.get_reserve->queue; });
    ask(Turn::kPushReserve, in.push_reserve.has_value(), [&] { return in.push_reserve->queue; });
    ask(Turn::kFetch, choice.has_value(), [&] { return choice->queue; });
    ask(Turn::kConfigure, configures, accessed);
  }
  // What would make it refuse.
  void judge() {
    is_free_ = idle(queue_);
    anew_ = begins_anew();
  }
  // What who has the table does to the queue.
  void work(const Cycle& in) {
    out_.turn = turn_;
    after_ = queues_[row()];
    switch (turn_) {
      case Turn::kConfigure:
        if (is_free_) access(*in.access, in.last_node);
        break;
      case Turn::kAccess:
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
  // What the scheduler hears of it.
  Change& update() {
    namespace c = layout::queue_change;
    return next_.change.set<c::valid>(1)
        .set<c::queue>(queue_)
        .set<c::work>(after_.work())
        .set<c::reflection>(after_.mode() == QueueMode::kReflection);
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
        update().set<layout::queue_change::restart>(1);
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
    if (!begins_anew()) next_.done = Done{queue_, after_.head};
    update();
  }
  void take_back(const Place& place, bool park) {
    namespace p = layout::queue_place;
    after_.rewind(static_cast<std::uint32_t>(place.get<p::index>()),
                  static_cast<std::uint32_t>(place.get<p::lap>()));
    next_.kill = queue_;
    update().set<layout::queue_change::park>(park);
  }
  void hold(const Place& place) {
    namespace p = layout::queue_place;
    const auto index = static_cast<std::uint32_t>(place.get<p::index>());
    const bool last = after_.fetch == index + 1;
    after_.hold(index, static_cast<std::uint32_t>(place.get<p::lap>()));
    if (after_.halts_on_error()) next_.kill = queue_;
    update().set<layout::queue_change::stop>(1).set<layout::queue_change::one_more>(
        last && !after_.halts_on_error());
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
    if (!known() || anew_ || after_.mode() != mode) {
      status = Status::kQueueInvalid;
    } else if (client && after_.owner() != *client) {
      status = Status::kDoorbellOwner;
    } else if (!after_.has_room(count)) {
      status = Status::kQueueFull;
    }
    auto slots = Slots().set<s::status>(status);
    if (status == Status::kOk) {
      slots.set<s::position>(after_.slot(after_.reserved))
          .set<s::size>(after_.size)
          .set<s::base>(after_.base);
    }
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
                                  .set<f::lap>(after_.fetch_lap)
                                  .set<f::owner>(after_.owner())
                                  .set<f::mode>(after_.mode()),
                   .serial = after_.halts_on_error(),
                   .reply = scheduler_.choice()->reply,
                   .address = after_.base + 64ULL * after_.slot(after_.fetch)};
    scheduled_.taken = true;
    after_.fetch_one();
    update();
  }

  std::array<QueueStateModel, kQueues> queues_{};
  std::array<std::uint64_t, kQueues> peers_{};
  QueueSchedulerModel scheduler_;
  DescriptorFetchModel fetch_;
  unsigned cleared_ = 0;  // queues that the walk after reset has cleared
  Phase phase_ = Phase::kIdle;
  Turn turn_ = Turn::kNone;  // who has the table, and
  unsigned queue_ = 0;       // for which queue
  bool is_free_ = false;     // nothing of that was left when it was judged
  bool anew_ = false;        // and its config was to be written
  Next now_;
  bool credit_returned_ = false;  // while the rewind waited for its turn

  // Of the cycle that look() was told of.
  std::pair<Turn, unsigned> chosen_;  // for the next turn
  QueueStateModel after_;             // the step
  Next next_;
  Outputs out_;
  QueueSchedulerModel::Cycle scheduled_;
  DescriptorFetchModel::Cycle descriptors_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_QUEUE_ENGINE_MODEL_H_
