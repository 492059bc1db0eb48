// SPDX-License-Identifier: Apache-2.0
#include "torusmu/context.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "host/src/engine.h"

namespace torusmu {
namespace {

// What the engine takes: nothing stands for any tag of the program's own.
using EngineTag = std::optional<std::uint32_t>;

// The tags that a program may name, for every call that takes one. All others are the library's.
Result<EngineTag> tag_to_send(Tag tag) {
  if (tag >= 0) return EngineTag(static_cast<std::uint32_t>(tag));
  return {Errc::kBadArgument,
          "tag " + std::to_string(tag) + " is not the program's: must be 0 to 2147483647"};
}
Result<EngineTag> tag_to_match(Tag tag) { return tag == kAnyTag ? EngineTag() : tag_to_send(tag); }

std::shared_ptr<ClientShare> share_of_one(Device& device, const NodePlan& plan, ClientId client) {
  auto share = std::make_shared<ClientShare>(device, plan, client);
  if (share->contexts() != 1 || !share->join({0})) {
    throw std::invalid_argument("the plan has several contexts a client: Client makes them");
  }
  return share;
}

}  // namespace

Context::Context(Device& device, const NodePlan& plan, ClientId client,
                 const ContextOptions& options)
    : Context(device, plan, share_of_one(device, plan, client), client, {0}, options) {}
Context::Context(Device& device, const NodePlan& plan, std::shared_ptr<ClientShare> share,
                 ClientId client, ContextId context, const ContextOptions& options)
    : engine_(std::make_unique<Engine>(device, plan, std::move(share), client, context, options)) {}
Context::~Context() = default;

Task Context::task() const { return engine_->site.task; }
ContextId Context::id() const { return engine_->site.context; }
std::uint32_t Context::tasks() const { return plan().tasks(); }
Cycles Context::now() const { return engine_->site.device.now(); }
const ContextOptions& Context::options() const { return engine_->site.options; }
const ContextCounts& Context::counts() const { return engine_->counts; }
Poller& Context::poller() { return engine_->polled.poller(); }
Device& Context::device() { return engine_->site.device; }
const NodePlan& Context::plan() const { return engine_->site.plan; }

Result<std::uint64_t> Context::take_touches() {
  const NodePlan& plan = engine_->site.plan;
  const ClientId client = engine_->site.client;
  const std::uint32_t hits = registers::client_page::touch_hits(client.value);
  const std::uint64_t all = engine_->site.device.read64(hits);
  if (all == ~std::uint64_t{0}) return Errc::kDeviceGone;
  // Those of mailboxes are the library's.
  const std::uint32_t first = plan.user_range(client, 0).value;
  const std::uint64_t own = ((std::uint64_t{1} << plan.user_ranges()) - 1) << first;
  if ((all & own) != 0) engine_->site.device.write64(hits, all & own);
  return (all & own) >> first;
}

Result<std::uint32_t> Context::discards() { return engine_->notices.discards(); }

Result<std::vector<Discard>> Context::take_discards() {
  if (!plan().options().tell_discards) {
    return {Errc::kBadArgument, "bad argument: the plan was made without tell_discards"};
  }
  return engine_->notices.take_discards();
}

Result<Address> Context::take_heap(Bytes bytes) {
  const auto address = engine_->heap.take(bytes == 0 ? 1 : bytes);
  if (address) return *address;
  return {Errc::kOutOfResources,
          "not enough of a resource: no piece of " + std::to_string(bytes) +
              " bytes is free in the heap of this context, the longest has " +
              std::to_string(engine_->heap.longest()) +
              ": more heap_bytes in the plan, which has " +
              std::to_string(plan().options().heap_bytes) +
              ", or give_heap() of what is no longer used"};
}

void Context::give_heap(Address address, Bytes bytes) {
  engine_->heap.give(address, bytes == 0 ? 1 : bytes);
}

void Context::know_region(RegionId region, Range memory) { engine_->regions.add(region, memory); }

Result<RemoteMemory> Context::name_memory(Address address, Bytes bytes) const {
  const auto where = engine_->regions.locate(address, bytes);
  if (!where) return where.error();
  return RemoteMemory{task(), where.value().region, where.value().offset};
}

Result<Request> Context::send(Task to, Tag tag, Address data, Bytes bytes) {
  return send(Endpoint(to, id()), tag, data, bytes);
}
Result<Request> Context::send(Endpoint to, Tag tag, Address data, Bytes bytes) {
  const auto named = tag_to_send(tag);
  if (!named) return {Errc::kBadArgument, named.message()};
  return engine_->sends.send(to, *named.value(), data, bytes);
}

Result<Request> Context::receive(Task source, Tag tag, Address buffer, Bytes capacity) {
  return receive(Endpoint(source, id()), tag, buffer, capacity);
}
Result<Request> Context::receive(Endpoint source, Tag tag, Address buffer, Bytes capacity) {
  const auto named = tag_to_match(tag);
  if (!named) return {Errc::kBadArgument, named.message()};
  return engine_->matcher.receive(source, named.value(), buffer, capacity);
}

std::optional<Message> Context::probe(Task source, Tag tag) {
  return probe(Endpoint(source, id()), tag);
}
std::optional<Message> Context::probe(Endpoint source, Tag tag) {
  const auto named = tag_to_match(tag);
  return named ? engine_->matcher.probe(source, named.value()) : std::nullopt;
}

Result<Request> Context::receive(const Message& message, Address buffer, Bytes capacity) {
  return engine_->matcher.receive(message, buffer, capacity);
}

Result<Request> Context::send_internal(Task to, std::uint32_t tag, Address data, Bytes bytes) {
  return engine_->sends.send({to, id()}, tag | kInternalTag, data, bytes);
}

Result<Request> Context::receive_internal(Task source, std::uint32_t tag, Address buffer,
                                          Bytes capacity) {
  return engine_->matcher.receive({source, id()}, tag | kInternalTag, buffer, capacity);
}

std::error_code Context::register_dispatch(DispatchId id, DispatchFunction function) {
  return engine_->active.register_dispatch(id, std::move(function));
}
Result<Request> Context::send_active(Endpoint to, DispatchId id, std::span<const std::byte> header,
                                     Address data, Bytes bytes) {
  return engine_->sends.send_active(to, id, header, data, bytes);
}
std::optional<Undispatched> Context::take_undispatched() {
  return engine_->sends.take_undispatched();
}

std::error_code Context::run_internal(const Descriptor& descriptor) {
  return engine_->outbox.run(descriptor);
}

std::uint32_t Context::add_progress(std::function<bool()> progress) {
  return engine_->progress.add(std::move(progress));
}
void Context::remove_progress(std::uint32_t name) { engine_->progress.remove(name); }

Result<Request> Context::put(const RemoteMemory& to, Address from, Bytes bytes,
                             const PutOptions& options) {
  return engine_->puts.put(to, from, bytes, options);
}
Result<Request> Context::get(Address to, const RemoteMemory& from, Bytes bytes) {
  return engine_->fetches.get(to, from, bytes);
}
Result<Request> Context::fence(Task task) { return engine_->fences.fence(task); }
Result<Request> Context::fence(Endpoint endpoint) { return engine_->fences.fence(endpoint); }
Result<std::uint32_t> Context::fences_of(Endpoint source) {
  if (!plan().has(source)) return Errc::kBadArgument;
  if (!engine_->segment.reaches(source)) return Errc::kNotLocal;
  return engine_->segment.fences_of(source);
}
Result<Request> Context::fence_all() { return engine_->fences.fence(std::nullopt); }

std::error_code Context::push(const Descriptor& descriptor) {
  return engine_->pushes.push(descriptor);
}
Result<Descriptor> Context::describe_put(const RemoteMemory& to, Address from, Bytes bytes,
                                         const PutOptions& options) const {
  return engine_->puts.describe(to, from, bytes, options);
}

Result<Descriptor> Context::increment(Task task, EventId event) const {
  return engine_->puts.increment(task, event);
}
std::error_code Context::post_increment(Task task, EventId event) {
  const auto message = increment(task, event);
  return message ? engine_->outbox.run(message.value()) : message.error();
}
Descriptor Context::wait_for_event(EventId event, std::uint32_t count) const {
  namespace d = layout::descriptor;
  return Descriptor()
      .set<d::opcode>(Opcode::kWait)
      .set<d::event_valid>(1)
      .set<d::event_counter>(event.value)
      .set<d::immediate>(WaitOperation().set<layout::wait_operation::value>(count).bytes());
}

std::error_code Context::advance() { return engine_->progress.advance(); }
bool Context::test(Request request, Completion* completion) {
  return engine_->requests.test(request, completion);
}

std::error_code Context::look(Request request) const {
  const Requests& requests = engine_->requests;
  const auto number = requests.find(request.value);
  if (!number) return Errc::kBadArgument;
  if (requests.is_complete(*number)) return requests.completion(*number).error;
  const bool waits = engine_->fences.is_resending(*number);
  return waits ? make_error_code(Errc::kResending) : std::error_code();
}

Result<Completion> Context::wait(Request request, Cycles deadline) {
  Completion completion;
  bool over = false;
  const std::error_code error = advance_until(
      [&] {
        over = over || test(request, &completion);
        return over;
      },
      deadline);
  if (over) return completion;
  return error;
}

bool Context::cancel(Request request) { return engine_->matcher.cancel(request); }
std::error_code Context::advance_until(const std::function<bool()>& done, Cycles deadline) {
  return engine_->waiting.until(done, deadline);
}
std::error_code Context::post(ContextId to, std::function<void()> work) {
  return engine_->neighbours.post(to, std::move(work));
}

std::error_code Context::flush(Cycles deadline) {
  engine_->sends.hurry();
  return advance_until([&] { return engine_->sends.is_settled(); }, deadline);
}

std::error_code Context::linger(Cycles cycles) { return engine_->waiting.linger(cycles); }

}  // namespace torusmu
