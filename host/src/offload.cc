// SPDX-License-Identifier: Apache-2.0
#include "host/src/offload.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "torusmu/registers.h"

namespace torusmu {
namespace {

constexpr std::size_t kMostPrepared = 32;     // lists
constexpr std::size_t kMostPadding = 16;      // NOPs beside a list
constexpr std::size_t kMostPaddingShare = 8;  // or an eighth of it

constexpr Cycles kRoomGap = 500;  // room raises no interrupt

constexpr Bytes kImmediateAt = layout::descriptor::immediate.lsb / 8;

}  // namespace

Offload::Offload(Context& context, std::span<const Task> members, std::uint32_t rank,
                 std::uint32_t group, bool is_told)
    : context_(context), members_(members), rank_(rank), group_(group), is_told_(is_told) {
  const NodePlan& plan = context.plan();
  const ClientId client = plan.place(context.task()).client;
  const auto queue = [&](QueueId id, const Range& ring) {
    return Queue{.index_register = registers::client_page::queue_index(client.value, id.value),
                 .ring = ring.address};
  };
  queue_ = queue(plan.offload_queue(client, group), plan.offload_ring(client, group));
  const auto poll_head = [this](Queue& of, const char* name) {
    of.component = context_.poller().add({.name = name,
                                          .kind = ComponentKind::kInjectionFifo,
                                          .poll = [this, &of] { return read_head(of); },
                                          .longest_gap = kRoomGap});
  };
  poll_head(queue_, "collectives");
  if (plan.offload_sums_beside()) {
    sum_queue_ = queue(plan.offload_sum_queue(client, group), plan.offload_sum_ring(client, group));
    poll_head(*sum_queue_, "sums");
  }
  completion_ =
      context_.poller().add({.name = "completion", .kind = ComponentKind::kMemory, .poll = [this] {
                               return read_completion();
                             }});
}

Offload::~Offload() {
  context_.poller().remove(queue_.component);
  if (sum_queue_) context_.poller().remove(sum_queue_->component);
  context_.poller().remove(completion_);
}

Offload::Key Offload::key_of(const Call& call, const Operator& op) {
  return {call.what,        call.root, call.count, call.element,
          call.commutative, op.op(),   op.type(),  op.steps()};
}

Offload::Choice Offload::choose_for(const Call& call, const Operator& op) {
  if (op.is_user()) return {.why = ByCores::kOperation};
  const Key key = key_of(call, op);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const auto members = static_cast<std::uint32_t>(members_.size());
  Choice& choice = known_[key];
  for (const Algorithm algorithm : mu_algorithms(call, members)) {
    const auto why = obstacle(call, op, algorithm, members, context_.plan());
    if (!why) {
      choice.algorithm = algorithm;
      break;
    }
    // Counters are the reason only if no algorithm does with those that there are.
    if (choice.why == ByCores::kGroup || *why != ByCores::kCounters) choice.why = *why;
  }
  return choice;
}

std::uint64_t Offload::start(const Call& call, const Operator& op, Algorithm algorithm,
                             RegionPlace in, RegionPlace out) {
  waiting_.push_back({call, op, algorithm, in, out});
  context_.poller().expect(completion_);
  return ++started_;
}

bool Offload::advance() {
  bool any = false;
  while (!waiting_.empty()) {
    if (next_ == nullptr) next_ = &prepare(waiting_.front());
    any = true;  // room raises no interrupt, so it is looked for again and again
    if (!may_post(next_->translation)) break;
    post(*next_);
    next_ = nullptr;
    waiting_.pop_front();
  }
  return any;
}

Offload::Prepared& Offload::prepare(const Waiting& call) {
  const auto window = static_cast<std::uint32_t>(posted_ % 2);
  const TranslationTarget target{.plan = context_.plan(),
                                 .members = members_,
                                 .group = group_,
                                 .window = window,
                                 .before = windows_.at(window).counted,
                                 .posted_before = queue_.tail,
                                 .sums_before = sum_queue_ ? sum_queue_->tail : 0,
                                 .in = call.in,
                                 .out = call.out,
                                 .completion = posted_ + 1,
                                 .is_told = is_told_};
  const ListKey key{key_of(call.call, call.op), window, call.in, call.out};
  if (const auto found = prepared_.find(key); found != prepared_.end()) {
    Prepared& known = found->second;
    if (!std::exchange(known.is_padded, true)) pad(&known);
    renew(&known.translation, target);
    return known;
  }
  if (prepared_.size() == kMostPrepared) prepared_.clear();
  lists_ += 2;
  return prepared_[key] = {
             .sends = lists_ - 1,
             .sums = lists_,
             .translation = translate(call.call, call.op, call.algorithm, rank_, target)};
}

// Both lists to a power of two, if that is near: a ring, whose size is one, then holds a whole
// number of such lists, and a call that is made again and again comes back to the slots where its
// list stands. A call that is made once is not held up by NOPs; else they run when the MU has
// nothing better to do: behind the completion in the queue that sends, and before anything has come
// in the queue that sums.
void Offload::pad(Prepared* prepared) {
  const auto padding_of = [this](const std::vector<Descriptor>& list) -> std::uint32_t {
    const std::size_t size = std::bit_ceil(list.size());
    const std::size_t most = std::max(kMostPadding, list.size() / kMostPaddingShare);
    const bool is_near = size - list.size() <= most;
    if (list.empty() || !is_near || size > context_.plan().options().offload_slots) return 0;
    return static_cast<std::uint32_t>(size - list.size());
  };
  const Descriptor nothing = Descriptor().set<layout::descriptor::opcode>(Opcode::kNop);
  auto& sends = prepared->translation.descriptors;
  auto& sums = prepared->translation.sums;
  const std::uint32_t behind_sends = padding_of(sends);
  const std::uint32_t before_sums = padding_of(sums);
  sends.insert(sends.end(), behind_sends, nothing);
  sums.insert(sums.begin(), before_sums, nothing);
  for (Patch& patch : prepared->translation.patches) {
    if (patch.in_sums) patch.index += before_sums;
    if (patch.what == Patch::What::kSums) patch.value += before_sums;
  }
  if (behind_sends != 0) prepared->sends = ++lists_;
  if (before_sums != 0) prepared->sums = ++lists_;
}

bool Offload::may_post(const Translation& translation) {
  // Lists of operands lie in the window, where the collective before it may still read its own.
  if (!translation.lists.empty() && posted_ > 1 && !is_complete(posted_ - 1)) return false;
  return has_room(queue_, translation.descriptors.size()) &&
         (!sum_queue_ || has_room(*sum_queue_, translation.sums.size()));
}

bool Offload::has_room(Queue& queue, std::size_t descriptors) const {
  const std::uint32_t slots = context_.plan().options().offload_slots;
  const auto fits = [&] { return queue.tail - queue.head + descriptors <= slots; };
  if (fits()) return true;
  // Of a collective known to be complete all lists before its own have been run to their end.
  for (const Queue::Posted& posted : queue.lap) {
    if (posted.collective > completed_) break;
    if (queue.tail - posted.index < queue.tail - queue.head) queue.head = posted.index;
  }
  if (fits()) return true;
  (void)context_.poller().request(queue.component);
  return fits();
}

PollResult Offload::read_head(Queue& queue) const {
  const std::uint32_t head = context_.device().read32(queue.index_register);
  // All ones: nobody answers.
  if (head - queue.head > queue.tail - queue.head) return PollResult::kGone;
  return std::exchange(queue.head, head) != head ? PollResult::kActivity : PollResult::kNothing;
}

// True if the slots from the tail on have the list, from its posting a lap ago; what was posted
// since lies in other slots.
bool Offload::stands_in_ring(Queue& queue, std::uint32_t list) const {
  const std::uint32_t slots = context_.plan().options().offload_slots;
  while (!queue.lap.empty() && queue.tail - queue.lap.front().index > slots) queue.lap.pop_front();
  return !queue.lap.empty() && queue.tail - queue.lap.front().index == slots &&
         queue.lap.front().list == list;
}

void Offload::store(Queue& queue, const Prepared& prepared, bool in_sums) {
  const Translation& translation = prepared.translation;
  const auto& list = in_sums ? translation.sums : translation.descriptors;
  if (list.empty()) return;
  std::size_t patches = 0;
  const std::uint32_t number = in_sums ? prepared.sums : prepared.sends;
  const bool stands = stands_in_ring(queue, number);
  for (const Patch& patch : translation.patches) {
    if (patch.in_sums != in_sums) continue;
    ++patches;
    if (stands) store_patch(queue, queue.tail + patch.index, list[patch.index]);
  }
  if (!stands) store_whole(queue, prepared, list, patches);
  queue.lap.push_back({queue.tail, number, posted_ + 1});
  queue.tail += static_cast<std::uint32_t>(list.size());
}

void Offload::store_whole(Queue& queue, const Prepared& prepared, std::span<const Descriptor> list,
                          std::size_t patches) {
  const std::uint32_t slots = context_.plan().options().offload_slots;
  Device& device = context_.device();
  const std::size_t built = prepared.is_new ? list.size() : patches;
  device.work(Work::kBuildDescriptor, built);
  device.work(Work::kCopyLine, list.size() - built);
  std::uint32_t index = queue.tail;
  for (const Descriptor& descriptor : list) {
    const auto bytes = descriptor.bytes();
    device.store(queue.ring + Address{index++ % slots} * Descriptor::kBytes,
                 std::as_bytes(std::span(bytes)));
  }
}

void Offload::store_patch(const Queue& queue, std::uint32_t index, const Descriptor& descriptor) {
  const std::uint32_t slot = index % context_.plan().options().offload_slots;
  const auto bytes = descriptor.get<layout::descriptor::immediate>();
  context_.device().work(Work::kCopyLine, 1);
  context_.device().store(queue.ring + Address{slot} * Descriptor::kBytes + kImmediateAt,
                          std::as_bytes(std::span(bytes)));
}

void Offload::store_operands(const Prepared& prepared) {
  const Translation& translation = prepared.translation;
  // The list that was in this window before may have had other things in the place of these.
  const std::uint32_t before = std::exchange(windows_.at(posted_ % 2).operands, prepared.sends);
  if (translation.lists.empty() || before == prepared.sends) return;
  const auto list = std::as_bytes(std::span(translation.lists));
  const ClientId client = context_.plan().place(context_.task()).client;
  Device& device = context_.device();
  const std::size_t lines = (list.size() + Descriptor::kBytes - 1) / Descriptor::kBytes;
  device.work(prepared.is_new ? Work::kBuildDescriptor : Work::kCopyLine, lines);
  device.store(context_.plan().offload_area(client).address + translation.lists_at, list);
}

void Offload::post(Prepared& prepared) {
  const Translation& translation = prepared.translation;
  store_operands(prepared);
  if (sum_queue_) store(*sum_queue_, prepared, true);
  store(queue_, prepared, false);
  prepared.is_new = false;
  SourceCounts& counted = windows_.at(posted_ % 2).counted;
  for (std::size_t i = 0; i < counted.size(); ++i) counted.at(i) += translation.arrivals.at(i);
  ++posted_;
  Device& device = context_.device();
  if (!translation.sums.empty()) device.write32(sum_queue_->index_register, sum_queue_->tail);
  device.write32(queue_.index_register, queue_.tail);
}

bool Offload::is_complete(std::uint64_t number) {
  if (completed_ < number) (void)context_.poller().request(completion_);
  return completed_ >= number;
}

PollResult Offload::read_completion() {
  const NodePlan& plan = context_.plan();
  const ClientId client = plan.place(context_.task()).client;
  std::array<std::byte, sizeof completed_> word{};
  context_.device().load(plan.offload_area(client).address + plan.offload_completion(group_), word);
  const std::uint64_t before = completed_;
  std::memcpy(&completed_, word.data(), sizeof completed_);
  return completed_ != before ? PollResult::kActivity : PollResult::kNothing;
}

}  // namespace torusmu
