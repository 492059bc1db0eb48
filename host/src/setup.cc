// SPDX-License-Identifier: Apache-2.0
#include "torusmu/setup.h"

#include <algorithm>
#include <array>

#include "host/src/segment_layout.h"
#include "host/src/send_queue.h"
#include "torusmu/registers.h"

namespace torusmu {
namespace {

namespace r = registers;

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
constexpr std::uint64_t kEveryCause = 0xFF;
constexpr std::uint64_t kClearRegisterErrors = std::uint64_t{1} << 63;
constexpr Bytes kMostRegion = Bytes{1} << 37;
constexpr Cycles kMostHold = 0xFFFF;
constexpr Cycles kMostTimeout = 0xFFFFFFFF;
constexpr Cycles kMostRetry = Cycles{1} << 24;
constexpr std::uint32_t kMostRetries = 255;

}  // namespace

std::error_code NodeSetup::run() {
  if (const auto error = begin()) return error;
  set_up_reflection();
  set_up_segment();
  open_boot_buffers();
  for (std::uint32_t c = 0; c < plan_.options().clients; ++c) {
    set_up_client({c});
    open_client({c});
  }
  return end();
}

std::error_code NodeSetup::boot() {
  if (const auto error = begin()) return error;
  set_up_reflection();
  set_up_segment();
  for (std::uint32_t c = 0; c < plan_.options().clients; ++c) close({c});
  open_boot_buffers();
  return end();
}

std::error_code NodeSetup::start(ClientId client) {
  if (client.value >= plan_.options().clients) return Errc::kBadArgument;
  const auto before = register_errors();
  if (!before) return before.error();
  set_up_client(client);
  const auto after = register_errors();
  if (!after) return after.error();
  if (after.value() != before.value()) return Errc::kDeviceError;
  open_client(client);
  return {};
}

std::error_code NodeSetup::begin() {
  const std::uint64_t identity = device_.read64(r::node::identity());
  if (static_cast<std::uint32_t>(identity) != r::kSignature) return Errc::kDeviceGone;
  device_.write64(r::node::error_clear(), kClearRegisterErrors);
  return {};
}

std::error_code NodeSetup::end() {
  const auto errors = register_errors();
  if (!errors) return errors.error();
  return errors.value() == 0 ? std::error_code() : make_error_code(Errc::kDeviceError);
}

Result<std::uint64_t> NodeSetup::register_errors() {
  const std::uint64_t errors = device_.read64(r::node::register_errors());
  if (errors == kAllOnes) return Errc::kDeviceGone;
  return extract(errors, r::node::register_errors_field::count);
}

void NodeSetup::open_boot_buffers() {
  namespace field = r::boot::expected_field;
  const std::uint32_t buffers = plan_.options().boot_buffers;
  if (buffers == 0) return;
  const std::uint64_t clients = (std::uint64_t{1} << buffers) - 1;
  device_.write64(r::boot::expected(), insert(insert(insert(0, field::clients, clients),
                                                     field::fifos, 2 * plan_.options().contexts),
                                              field::slots, plan_.boot_slots()));
  for (ClientId c{0}; c.value < buffers; ++c.value) {
    if (!plan_.has_boot_pairs(c)) continue;
    set_up_region(plan_.boot_sends_region(c), plan_.boot_sends_area(c), {}, c);
    set_up_completions(c);
    set_up_dynamic_pairs(c, 0, plan_.options().boot_pairs);
  }
}

// What others can send to is off; what only the client itself can use stays as it is.
void NodeSetup::close(ClientId client) {
  for (ContextId k{0}; k.value < plan_.options().contexts; ++k.value) {
    for (const FifoId fifo : {plan_.message_fifo(client, k), plan_.reply_fifo(client, k)}) {
      device_.write64(r::reception_fifo::config(fifo.value), 0);
    }
    device_.write64(r::injection_queue::config(plan_.get_queue(client, k).value), 0);
  }
  for (std::uint32_t n = 0; n < plan_.pairs(); ++n) close_pair(client, n);
  for (std::uint32_t n = 0; n < plan_.regions(); ++n) {
    device_.write64(r::region::config(plan_.library_region(client).value + n), 0);
  }
  device_.write64(r::reception_fifo::config(plan_.boot_buffer(client).value), 0);
}

void NodeSetup::close_pair(ClientId client, std::uint32_t n) {
  for (const auto end : {NodePlan::End::kReceive, NodePlan::End::kSend}) {
    device_.write64(r::injection_queue::config(plan_.pair_queue(client, n, end).value), 0);
  }
}

Result<BootBufferUse> NodeSetup::boot_buffer_use(ClientId client) {
  if (!plan_.has_boot_buffer(client)) return Errc::kBadArgument;
  const std::uint32_t buffer = plan_.boot_buffer(client).value;
  const std::uint64_t tail = device_.read64(r::reception_fifo::tail(buffer));
  const std::uint64_t head = device_.read64(r::reception_fifo::head(buffer));
  const std::uint64_t refused = device_.read64(r::reception_fifo::refused(buffer));
  if (tail == kAllOnes || head == kAllOnes || refused == kAllOnes) return Errc::kDeviceGone;
  return BootBufferUse{tail, static_cast<std::uint32_t>(tail - head), refused};
}

void NodeSetup::set_up_reflection() {
  const std::uint32_t slots = plan_.options().reflection_slots;
  if (slots == 0) return;
  for (std::uint32_t q = 0; q < plan_.sizes().reflection_queues; ++q) {
    set_up_queue({q}, plan_.reflection_ring(q), slots, QueueMode::kReflection, {0});
    device_.write64(r::reflection::credit(q), slots);
  }
}

// Once for all clients: one that starts later finds what the others have stored for it by then.
void NodeSetup::set_up_segment() {
  if (!plan_.has_segment()) return;
  const SegmentLayout layout(plan_);
  for (std::uint32_t n = 0; n < plan_.endpoints_of_a_node(); ++n) clear(layout.words(n));
}

void NodeSetup::set_up_client(ClientId client) {
  const PlanOptions& options = plan_.options();
  for (std::uint32_t k = 0; k < options.contexts; ++k) clear_context(client, {k});
  clear(plan_.notice_ring(client));
  // Once for all contexts of the client: which of them sleeps is theirs to say.
  device_.write64(r::client_page::interrupt_enable(client.value), kEveryCause);

  for (std::uint32_t k = 0; k < options.contexts; ++k) set_up_counters(client, {k});
  set_up_region(plan_.library_region(client), plan_.library(client), {}, client);
  set_up_region(plan_.heap_region(client), plan_.heap(client),
                {.remote_write = true, .remote_read = true}, client);
  set_up_region(plan_.offload_region(client), plan_.offload_area(client), {.remote_write = true},
                client);
  for (std::uint32_t g = 0; g < plan_.offload_groups(); ++g) set_up_offload(client, g);
  // Pairs that keep messages are open by now, and their completion queue is in use.
  const bool keeps = plan_.has_boot_pairs(client);
  if (plan_.pairs() != 0 && !keeps) set_up_completions(client);
  set_up_dynamic_pairs(client, keeps ? options.boot_pairs : 0, options.dynamic_pairs);
  if (plan_.has_pushed_queue()) {
    set_up_queue(plan_.pushed_queue(client), plan_.pushed_ring(client), options.push_slots,
                 QueueMode::kPush, client);
    device_.write64(r::client_page::push_queue(client.value), plan_.pushed_queue(client).value);
  }
  if (plan_.process_copies(client)) {
    set_up_region(plan_.boot_region(client), {plan_.boot_ring(client).address, 0}, {}, client);
  }
  if (plan_.has_stores()) {
    set_up_region(plan_.rings_region(client), plan_.rings(client), {}, client);
  }
  device_.write64(r::notice_ring::base(client.value), plan_.notice_ring(client).address);
  device_.write64(r::notice_ring::size(client.value), options.notice_slots);
  device_.write64(r::notice_ring::config(client.value),
                  insert(0, r::notice_ring::config_field::discards, options.tell_discards ? 1 : 0));
  for (std::uint32_t k = 0; k < options.contexts; ++k) set_up_context(client, {k});
}

void NodeSetup::clear_context(ClientId client, ContextId context) {
  clear(plan_.message_ring(client, context));
  clear(plan_.reply_ring(client, context));
  clear(plan_.mailboxes(client, context));
  if (plan_.process_copies(client))
    clear({plan_.kept(client, context).address, 2 * NodePlan::kKeptLine});
}

void NodeSetup::set_up_counters(ClientId client, ContextId context) {
  for (std::uint32_t n = 0; n < plan_.byte_counters(); ++n) {
    namespace field = r::byte_counter_config::config_field;
    device_.write64(r::byte_counter_config::config(plan_.byte_counter(client, n, context).value),
                    insert(insert(0, field::owner, client.value), field::enable, 1));
  }
  for (std::uint32_t n = 0; n < plan_.event_counters(); ++n) {
    set_up_event(plan_.event_counter(client, n, context), client);
  }
  set_up_event(plan_.fence_event(client, context), client);
}

void NodeSetup::set_up_context(ClientId client, ContextId context) {
  const PlanOptions& options = plan_.options();
  tell_nobody(plan_.send_queue(client, context));  // whatever an earlier plan has had
  if (plan_.has_stores()) {
    set_up_completion_queue(plan_.store_completions(client, context),
                            plan_.store_ring(client, context), options.store_entries, client);
    set_up_signals(plan_.send_queue(client, context), plan_.store_completions(client, context));
  }
  set_up_queue(plan_.send_queue(client, context), plan_.send_ring(client, context),
               options.queue_slots, QueueMode::kDoorbell, client);
  set_up_queue(plan_.get_queue(client, context), plan_.get_ring(client, context), options.get_slots,
               QueueMode::kRemoteGet, client);
  if (options.marked_mailboxes) {
    set_up_range(plan_.mailbox_range(client, context), plan_.mailboxes(client, context),
                 {.write = true}, client);
  }
  const FifoId replies = plan_.reply_fifo(client, context);
  const FifoId messages = plan_.message_fifo(client, context);
  device_.write64(r::reception_fifo::config(replies.value), 0);
  set_up_fifo(replies, plan_.reply_ring(client, context), options.reply_slots);
  open_fifo(replies, true, client);
  // A boot buffer goes on keeping what others send until the one write that switches it on.
  if (!plan_.has_boot_buffer(client)) {
    device_.write64(r::reception_fifo::config(messages.value), 0);
  }
  set_up_fifo(messages, plan_.message_ring(client, context), options.fifo_slots);
}

// The FIFOs that other tasks send to come last: they are what those wait for.
void NodeSetup::open_client(ClientId client) {
  const bool moves = plan_.has_boot_buffer(client) && !plan_.process_copies(client);
  for (std::uint32_t k = plan_.options().contexts; k-- > 0;) {
    open_fifo(plan_.message_fifo(client, {k}), false, client, moves);
  }
  if (plan_.process_copies(client)) show_boot_buffer(client);
}

// Nothing more is kept behind the switch, so the region is over all that there will be, and over
// nothing that an earlier process has left behind it.
void NodeSetup::show_boot_buffer(ClientId client) {
  const std::uint64_t slots =
      device_.read64(r::reception_fifo::tail(plan_.boot_buffer(client).value));
  device_.write64(r::region::length(plan_.boot_region(client).value),
                  slots * plan_.sizes().fifo_slot_bytes);
  for (std::uint32_t k = 0; k < plan_.options().contexts; ++k) {
    device_.store(plan_.kept(client, {k}).address, std::as_bytes(std::span(&slots, 1)));
  }
}

void NodeSetup::set_up_offload(ClientId client, std::uint32_t group) {
  const Range area = plan_.offload_area(client);
  clear({area.address + plan_.offload_completion(group), sizeof(std::uint64_t)});
  for (std::uint32_t n = 0; n < 2 * plan_.offload_counters(); ++n) {
    set_up_event(plan_.offload_event(client, group, 0, n), client);
  }
  if (plan_.pairs() != 0) {
    // Of a group that asks for it each collective ends in an entry.
    set_up_signals(plan_.offload_queue(client, group),
                   plan_.completion_queue(client, plan_.context_of_group(group)));
  }
  set_up_queue(plan_.offload_queue(client, group), plan_.offload_ring(client, group),
               plan_.options().offload_slots, QueueMode::kDoorbell, client);
  if (!plan_.offload_sums_beside()) return;
  set_up_queue(plan_.offload_sum_queue(client, group), plan_.offload_sum_ring(client, group),
               plan_.options().offload_slots, QueueMode::kDoorbell, client);
}

void NodeSetup::set_up_event(EventId event, ClientId owner) {
  namespace field = r::event_counter_config::config_field;
  device_.write64(r::event_counter_config::config(event.value),
                  insert(insert(0, field::owner, owner.value), field::enable, 1));
}

// The queue is off from now on.
void NodeSetup::tell_nobody(QueueId queue) {
  device_.write64(r::injection_queue::config(queue.value), 0);
  device_.write64(r::injection_queue::peer(queue.value), 0);
}

// Entries of what the queue does are written there. The queue is off from now on.
void NodeSetup::set_up_signals(QueueId of, CompletionQueueId to) {
  namespace field = r::injection_queue::peer_field;
  device_.write64(r::injection_queue::config(of.value), 0);
  device_.write64(r::injection_queue::peer(of.value),
                  insert(insert(0, field::completion_valid, 1), field::completion_queue, to.value));
}

void NodeSetup::set_up_completion_queue(CompletionQueueId queue, const Range& ring,
                                        std::uint32_t entries, ClientId owner) {
  namespace field = r::completion_queue::config_field;
  device_.write64(r::completion_queue::config(queue.value), 0);
  // Once it is answered, no entry is on its way into the ring.
  (void)device_.read64(r::completion_queue::config(queue.value));
  clear(ring);
  device_.write64(r::completion_queue::base(queue.value), ring.address);
  device_.write64(r::completion_queue::size(queue.value), entries);
  device_.write64(
      r::completion_queue::config(queue.value),
      insert(insert(insert(0, field::enable, 1), field::interrupt, 1), field::owner, owner.value));
}

// The queues of pairs stay off until they are connected: what comes earlier is refused. Dynamic
// ones need nobody else.
void NodeSetup::set_up_completions(ClientId client) {
  // What an earlier plan has left there is told of in its completion queue and not in the new one.
  for (std::uint32_t n = 0; n < plan_.pairs(); ++n) close_pair(client, n);
  for (std::uint32_t k = 0; k < plan_.options().contexts; ++k) {
    set_up_completion_queue(plan_.completion_queue(client, {k}), plan_.completion_ring(client, {k}),
                            plan_.options().completion_entries, client);
  }
  for (std::uint32_t n = 0; n < plan_.pairs(); ++n) {
    for (const auto end : {NodePlan::End::kSend, NodePlan::End::kReceive}) {
      set_up_event(plan_.pair_event(client, n, end), client);
    }
  }
}

void NodeSetup::set_up_dynamic_pairs(ClientId client, std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t number = first; number < end; ++number) set_up_dynamic(client, number);
}

// One end of a pair, which is off meanwhile; `peer`: where its other end is.
void NodeSetup::set_up_end(ClientId client, std::uint32_t n, NodePlan::End end, std::uint64_t peer,
                           const EndRules& rules) {
  namespace config = r::injection_queue::config_field;
  namespace field = r::injection_queue::peer_field;
  const std::uint32_t queue = plan_.pair_queue(client, n, end).value;
  peer = insert(insert(peer, field::connected, 1), field::event_valid, 1);
  peer = insert(peer, field::event_counter, plan_.pair_event(client, n, end).value);
  peer = insert(insert(peer, field::completion_valid, 1), field::completion_queue,
                plan_.completion_queue(client, plan_.context_of_pair(n)).value);
  device_.write64(r::injection_queue::config(queue), 0);
  device_.write64(r::injection_queue::peer(queue), peer);
  device_.write64(r::injection_queue::base(queue), plan_.pair_ring(client, n, end).address);
  device_.write64(r::injection_queue::size(queue), plan_.options().queue_pair_slots);
  const std::uint64_t value =
      insert(insert(insert(0, config::mode, static_cast<std::uint64_t>(rules.mode)), config::owner,
                    client.value),
             config::halt_on_error, rules.halts);
  device_.write64(r::injection_queue::config(queue), insert(value, config::managed, rules.managed));
}

std::error_code NodeSetup::connect(ClientId client, std::uint32_t pair, Task peer,
                                   std::uint32_t peer_pair, const QueuePairOptions& options) {
  using End = NodePlan::End;
  namespace field = r::injection_queue::peer_field;
  const std::uint32_t pairs = plan_.options().queue_pairs;
  if (client.value >= plan_.options().clients || pair >= pairs || peer_pair >= pairs ||
      peer.value >= plan_.tasks() || (options.managed_receives && options.piped_receives)) {
    return Errc::kBadArgument;
  }
  const Place to = plan_.place(peer);
  const Coordinates place = plan_.shape().coordinates(to.node);
  for (const End end : {End::kReceive, End::kSend}) {
    const End other = end == End::kSend ? End::kReceive : End::kSend;
    const std::uint64_t where =
        insert(insert(insert(0, field::x, place.x), field::y, place.y), field::z, place.z);
    const auto mode = end == End::kSend        ? QueueMode::kDoorbell
                      : options.piped_receives ? QueueMode::kPiped
                                               : QueueMode::kReceive;
    // A failure stops the queue, so that what stands behind it is not taken out of its turn.
    set_up_end(client, pair, end,
               insert(where, field::queue, plan_.pair_queue(to.client, peer_pair, other).value),
               {.mode = mode,
                .halts = !options.passes_failures,
                .managed = end == End::kReceive && options.managed_receives});
  }
  return {};
}

std::error_code NodeSetup::set_up_dynamic(ClientId client, std::uint32_t pair,
                                          const DynamicPairOptions& options) {
  using End = NodePlan::End;
  if (client.value >= plan_.options().clients || pair >= plan_.options().dynamic_pairs) {
    return Errc::kBadArgument;
  }
  const std::uint32_t n = plan_.dynamic_pair(pair);
  close_pair(client, n);
  for (const End end : {End::kReceive, End::kSend}) {
    const bool sends = end == End::kSend;
    // Now that both queues are off: a counter that a WAIT stands on cannot be written.
    device_.write32(
        r::client_page::event_counter(client.value, plan_.pair_event(client, n, end).value), 0);
    // A RECEIVE that is no good stops nobody: the next one takes the message.
    set_up_end(client, n, end, insert(0, r::injection_queue::peer_field::dynamic, 1),
               {.mode = sends ? QueueMode::kDoorbell : QueueMode::kReceive,
                .halts = sends && options.stops_at_failures,
                .managed = !sends && options.managed_receives});
  }
  post_kept_receives(client, pair);
  return {};
}

// RECEIVEs into the unit's own memory, which stand before those of the process.
void NodeSetup::post_kept_receives(ClientId client, std::uint32_t number) {
  namespace d = layout::descriptor;
  const std::uint32_t count = plan_.boot_sends(client, number);
  if (count == 0) return;
  const std::uint32_t n = plan_.dynamic_pair(number);
  SendQueue queue(device_, client, plan_.pair_queue(client, n, NodePlan::End::kReceive),
                  plan_.pair_ring(client, n, NodePlan::End::kReceive).address,
                  plan_.options().queue_pair_slots);
  for (std::uint32_t k = 0; k < count; ++k) {
    queue.post(Descriptor()
                   .set<d::opcode>(Opcode::kReceive)
                   .set<d::signal>(1)
                   .set<d::source_region>(plan_.boot_sends_region(client).value)
                   .set<d::source_offset>(plan_.boot_send_offset(number, k))
                   .set<d::length>(plan_.options().boot_send_bytes));
  }
  queue.ring();
}

std::error_code NodeSetup::set_send_retry(Cycles cycles, std::uint32_t times) {
  if (cycles == 0 || cycles > kMostRetry || times > kMostRetries) return Errc::kBadArgument;
  device_.write64(r::node::send_retry_cycles(), cycles);
  device_.write64(r::node::send_retries(), times);
  return {};
}

Result<std::uint64_t> NodeSetup::completions_lost(ClientId client) {
  if (client.value >= plan_.options().clients || plan_.pairs() == 0) {
    return Errc::kBadArgument;
  }
  std::uint64_t sum = 0;
  for (std::uint32_t k = 0; k < plan_.options().contexts; ++k) {
    const std::uint64_t lost =
        device_.read64(r::completion_queue::status(plan_.completion_queue(client, {k}).value));
    if (lost == kAllOnes) return Errc::kDeviceGone;
    sum += lost;
  }
  return sum;
}

void NodeSetup::set_up_queue(QueueId queue, Range ring, std::uint32_t slots, QueueMode mode,
                             ClientId owner) {
  namespace field = r::injection_queue::config_field;
  // The ring of a queue can be moved only while it is off: the node may have had another plan.
  device_.write64(r::injection_queue::config(queue.value), 0);
  device_.write64(r::injection_queue::base(queue.value), ring.address);
  device_.write64(r::injection_queue::size(queue.value), slots);
  device_.write64(
      r::injection_queue::config(queue.value),
      insert(insert(0, field::mode, static_cast<std::uint64_t>(mode)), field::owner, owner.value));
}

// The FIFO is not enabled: its ring can be moved only then.
void NodeSetup::set_up_fifo(FifoId fifo, Range ring, std::uint32_t slots) {
  device_.write64(r::reception_fifo::base(fifo.value), ring.address);
  device_.write64(r::reception_fifo::size(fifo.value), slots);
}

void NodeSetup::open_fifo(FifoId fifo, bool reply_only, ClientId owner, bool moves) {
  namespace field = r::reception_fifo::config_field;
  std::uint64_t config =
      insert(insert(insert(insert(0, field::enable, 1), field::reply_only, reply_only),
                    field::interrupt, 1),
             field::owner, owner.value);
  if (moves) {
    config = insert(insert(config, field::boot, 1), field::keeper, plan_.boot_buffer(owner).value);
  }
  device_.write64(r::reception_fifo::config(fifo.value), config);
}

void NodeSetup::set_up_region(RegionId region, Range memory, Permissions permissions,
                              ClientId owner) {
  namespace field = r::region::config_field;
  device_.write64(r::region::base(region.value), memory.address);
  device_.write64(r::region::length(region.value), memory.bytes);
  device_.write64(r::region::config(region.value),
                  insert(insert(insert(insert(0, field::enable, 1), field::remote_write,
                                       permissions.remote_write),
                                field::remote_read, permissions.remote_read),
                         field::owner, owner.value));
}

void NodeSetup::clear(Range range) {
  constexpr Bytes kPiece = 4096;
  const std::array<std::byte, kPiece> zeros{};
  for (Bytes done = 0; done < range.bytes; done += kPiece) {
    const Bytes count = std::min(kPiece, range.bytes - done);
    device_.store(range.address + done, std::span(zeros).first(count));
  }
}

Result<RegionId> NodeSetup::register_memory(ClientId client, std::uint32_t number, Range memory,
                                            Permissions permissions) {
  const Range whole{0, device_.memory_size()};
  if (client.value >= plan_.options().clients || number >= plan_.user_regions() ||
      memory.bytes == 0 || memory.bytes > kMostRegion ||
      !whole.holds(memory.address, memory.bytes)) {
    return Errc::kBadArgument;
  }
  const RegionId region = plan_.user_region(client, number);
  set_up_region(region, memory, permissions, client);
  return region;
}

Result<TouchId> NodeSetup::mark(ClientId client, std::uint32_t number, Range memory, TouchOn on) {
  const Range whole{0, device_.memory_size()};
  const bool names_some = on.read || on.write || on.core_read || on.core_write;
  const bool tells = names_some || memory.bytes == 0;
  if (client.value >= plan_.options().clients || number >= plan_.user_ranges() || !tells ||
      !whole.holds(memory.address, memory.bytes)) {
    return Errc::kBadArgument;
  }
  const TouchId range = plan_.user_range(client, number);
  set_up_range(range, memory, on, client);
  return range;
}

void NodeSetup::set_up_range(TouchId range, Range memory, TouchOn on, ClientId client) {
  namespace field = r::touch_range::config_field;
  device_.write64(r::touch_range::config(range.value), 0);
  if (memory.bytes == 0) return;
  device_.write64(r::touch_range::base(range.value), memory.address);
  device_.write64(r::touch_range::length(range.value), memory.bytes);
  const std::uint64_t config =
      insert(insert(insert(0, field::enable, 1), field::owner, client.value), field::on_core_read,
             on.core_read);
  device_.write64(r::touch_range::config(range.value),
                  insert(insert(insert(config, field::on_read, on.read), field::on_write, on.write),
                         field::on_core_write, on.core_write));
}

std::error_code NodeSetup::set_fifo_hold(Cycles cycles) {
  if (cycles > kMostHold) return Errc::kBadArgument;
  device_.write64(r::node::fifo_hold_cycles(), cycles);
  return {};
}

std::error_code NodeSetup::set_credit_timeout(Cycles cycles) {
  if (cycles > kMostTimeout) return Errc::kBadArgument;
  device_.write64(r::node::credit_timeout_cycles(), cycles);
  return {};
}

}  // namespace torusmu
