// SPDX-License-Identifier: Apache-2.0
#include "sim/play/replay/rank_play.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "sim/machine/mix.h"
#include "sim/play/replay/needs.h"
#include "sim/play/replay/results.h"
#include "torusmu/setup.h"

namespace torusmu::replay {
namespace {

constexpr std::byte kUntouched{0xA5};  // what a buffer holds before its message
constexpr Cycles kSetupLook = 100;     // between two looks whether the node is set up

[[noreturn]] void fail(const TraceEvent& event, const std::string& reason) {
  throw std::runtime_error(fmt::format("trace line {}: {}", event.line, reason));
}

void check(std::error_code error) {
  if (error) throw std::system_error(error);
}

}  // namespace

// --- what all know -----------------------------------------------------------------------------

Common::Common(Stage& its_stage, const Trace& its_trace, const PlayOptions& its_options,
               const NodePlan& its_plan)
    : stage(its_stage),
      trace(its_trace),
      options(its_options),
      plan(its_plan),
      matching(its_trace),
      nodes(its_stage.shape().nodes()),
      positions(its_trace.ranks.size()) {}

void Common::progress(Cycles at) {
  Cycles known = last_progress.load(std::memory_order_relaxed);
  while (known < at && !last_progress.compare_exchange_weak(known, at)) {
  }
}

void Common::require_progress(Cycles now) const {
  const Cycles last = last_progress.load();
  if (now < last + stall_after) return;
  throw std::runtime_error(
      fmt::format("no call of the trace has ended since cycle {}: {}", last, explain()));
}

std::string Common::explain() const {
  if (playing < positions.size()) {
    return fmt::format("{} of {} ranks are through the barrier behind set-up", playing.load(),
                       positions.size());
  }
  Matching::Positions at(positions.size());
  for (std::size_t r = 0; r < at.size(); ++r) at[r] = positions[r].load();
  return matching.explain(at, options.eager_limit);
}

// --- one rank ----------------------------------------------------------------------------------

void RankPlay::run() {
  start_node();
  ContextOptions options;
  options.eager_limit = common_.options.eager_limit;
  options.long_send_end = common_.options.send_end;
  options.store_by = common_.options.store_by;
  options.polling = common_.options.polling;
  Context context(device_, common_.plan, common_.plan.place({rank_}).client, options);
  std::vector<Task> members;
  for (std::uint32_t r = 0; r < ranks(); ++r) members.push_back({r});
  Group world(context, members, 0, common_.options.run_by);
  check(barrier(world));

  own_.begun = context.now();
  ++common_.playing;
  common_.progress(own_.begun);
  play_calls(context, world);
  own_.ended = context.now();
  own_.polling = context.poller().counts();
  leave(context, world);
  own_.counts = context.counts();
}

// The first rank of a node to start sets it up; packets that come before are refused and sent
// again.
void RankPlay::start_node() {
  const Cycles skew = common_.options.start_skew;
  if (skew != 0) device_.compute(mix(mix(common_.stage.seed()) + rank_) % (skew + 1));
  Common::Node& node = common_.nodes[common_.node_of(rank_).value];
  if (!std::exchange(node.has_begun, true)) {
    check(NodeSetup(device_, common_.plan).run());
    node.is_ready = true;
  }
  while (!node.is_ready) device_.compute(kSetupLook);
}

void RankPlay::play_calls(Context& context, Group& world) {
  const auto& events = trace().ranks[rank_];
  own_.started.resize(events.size());
  for (std::size_t place = 0; place < events.size(); ++place) {
    common_.positions[rank_].store(place, std::memory_order_relaxed);
    play_call(context, world, events[place]);
    common_.progress(context.now());
  }
  common_.positions[rank_].store(events.size(), std::memory_order_relaxed);
  for (const auto& [request, operation] : under_way_) finish(context, operation);
  common_.progress(context.now());
}

void RankPlay::play_call(Context& context, Group& world, const TraceEvent& event) {
  switch (event.call) {
    case Call::kCompute:
      common_.progress(context.now() + event.cycles);
      device_.compute(event.cycles);
      return;
    case Call::kIsend:
    case Call::kIrecv:
      under_way_[event.request] = start(context, event);
      return;
    case Call::kSend:
    case Call::kRecv:
      finish(context, start(context, event));
      return;
    case Call::kWait: {
      const auto found = under_way_.find(event.request);
      finish(context, found->second);
      under_way_.erase(found);
      return;
    }
    case Call::kProbe:
      probe(context, event);
      return;
    default:
      collective(context, world, event);
  }
}

// Nobody leaves before everybody is through, and everybody answers a while longer.
void RankPlay::leave(Context& context, Group& world) {
  const auto flush = [&] { return wait_for([&](Cycles until) { return context.flush(until); }); };
  check(flush());
  check(barrier(world));
  check(flush());
  check(context.linger(kLinger));
}

// Waits for as long as any rank's calls end now and then.
std::error_code RankPlay::wait_for(const std::function<std::error_code(Cycles)>& wait) {
  for (;;) {
    const Cycles until = std::min(common_.deadline, device_.now() + common_.stall_after);
    const std::error_code error = wait(until);
    if (error != Errc::kDeadline || until == common_.deadline) return error;
    common_.require_progress(device_.now());
  }
}

// --- messages ----------------------------------------------------------------------------------

Address RankPlay::take(Context& context, const TraceEvent& event, Bytes bytes) {
  const auto address = context.take_heap(bytes);
  if (!address) fail(event, address.message());
  return address.value();
}

RankPlay::Operation RankPlay::start(Context& context, const TraceEvent& event) {
  Operation operation{{}, &event, take(context, event, event.bytes), context.now(), 0};
  if (is_send(event.call)) {
    memory().write(
        operation.buffer,
        made_up(name_of_message(rank_, event.peer, event.tag, event.number), event.bytes));
    own_.started[static_cast<std::size_t>(&event - trace().ranks[rank_].data())] = operation.start;
  } else {
    memory().write(operation.buffer, std::vector<std::byte>(event.bytes, kUntouched));
    if (event.open) {
      OpenReceives& all = open_[event.tag];
      operation.turn = all.first + all.list.size();
      all.list.emplace_back();
    }
  }
  const auto request = is_send(event.call)
                           ? context.send({event.peer}, event.tag, operation.buffer, event.bytes)
                           : receive(context, event, operation.buffer);
  if (!request) fail(event, request.message());
  operation.request = request.value();
  return operation;
}

bool RankPlay::fits(const Message& message, const TraceEvent& event) {
  return message.tag() == event.tag &&
         (event.peer == kAnyRank || message.source().value == event.peer);
}

// What a probe has found is taken out of matching in the library, and is older than what is not.
Result<Request> RankPlay::receive(Context& context, const TraceEvent& event, Address buffer) {
  const auto found = std::find_if(probed_.begin(), probed_.end(),
                                  [&](const Message& message) { return fits(message, event); });
  if (found == probed_.end()) {
    const Task source = event.peer == kAnyRank ? kAnyTask : Task{event.peer};
    return context.receive(source, event.tag, buffer, event.bytes);
  }
  const Message message = *found;
  probed_.erase(found);
  return context.receive(message, buffer, event.bytes);
}

void RankPlay::probe(Context& context, const TraceEvent& event) {
  if (std::any_of(probed_.begin(), probed_.end(),
                  [&](const Message& message) { return fits(message, event); })) {
    return;
  }
  const Task source = event.peer == kAnyRank ? kAnyTask : Task{event.peer};
  std::optional<Message> message;
  const std::error_code error = wait_for([&](Cycles until) {
    return context.advance_until(
        [&] { return (message = context.probe(source, event.tag)).has_value(); }, until);
  });
  if (error) fail(event, error.message());
  probed_.push_back(*message);
}

void RankPlay::finish(Context& context, const Operation& operation) {
  const TraceEvent& event = *operation.event;
  Completion done;
  const std::error_code error = wait_for([&](Cycles until) {
    const auto ended = context.wait(operation.request, until);
    if (ended) done = ended.value();
    return ended ? ended.value().error : ended.error();
  });
  if (error) fail(event, error.message());
  if (is_receive(event.call)) judge_receive(operation, done);
  context.give_heap(operation.buffer, event.bytes);
}

std::vector<std::byte> RankPlay::read(Address address, Bytes bytes) {
  std::vector<std::byte> data(bytes);
  memory().read(address, data);
  return data;
}

void RankPlay::judge_receive(const Operation& operation, const Completion& done) {
  const TraceEvent& event = *operation.event;
  const Received received{done.source.value, event.tag, event.number, operation.start, done.at};
  std::vector<std::byte> data = read(operation.buffer, event.bytes);
  if (!event.open) {
    compare_message(event, received, done.length, data);
    own_.receives.push_back(received);
    return;
  }
  OpenReceives& all = open_[event.tag];
  all.list.at(operation.turn - all.first) = {&event, true, received, done.length, std::move(data)};
  judge_open(event.tag);
}

// Messages of one source are taken in order by the receives that take them.
void RankPlay::judge_open(Tag tag) {
  OpenReceives& all = open_[tag];
  for (; !all.list.empty() && all.list.front().complete; all.list.pop_front(), ++all.first) {
    Open& open = all.list.front();
    open.received.number = all.taken[open.received.from]++;
    compare_message(*open.event, open.received, open.length, open.data);
    own_.receives.push_back(open.received);
  }
}

void RankPlay::compare_message(const TraceEvent& event, const Received& received, Bytes length,
                               std::span<const std::byte> data) {
  const Bytes sent = common_.matching.send(received.from, rank_, event.tag, received.number).bytes;
  std::vector<std::byte> expected(std::max<Bytes>(sent, event.bytes), kUntouched);
  make_up(name_of_message(received.from, rank_, event.tag, received.number),
          std::span(expected).first(sent));
  compare(event, data, std::span(expected).first(event.bytes));
  if (length == sent) return;
  ++own_.wrong;
  if (own_.first_wrong.empty()) {
    own_.first_wrong = fmt::format("trace line {}, rank {}: a message of {} bytes, not {}",
                                   event.line, rank_, length, sent);
  }
}

void RankPlay::compare(const TraceEvent& event, std::span<const std::byte> got,
                       std::span<const std::byte> expected) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == expected[i]) continue;
    ++own_.wrong;
    if (own_.first_wrong.empty()) {
      own_.first_wrong =
          fmt::format("trace line {}, rank {}, byte {}: {:#04x}, not {:#04x}", event.line, rank_, i,
                      static_cast<unsigned>(got[i]), static_cast<unsigned>(expected[i]));
    }
  }
  own_.compared += got.size();
}

// --- collectives -------------------------------------------------------------------------------

std::error_code RankPlay::finish(Group& world, const Result<CollectiveRequest>& request) {
  if (!request) return request.error();
  return wait_for([&](Cycles until) { return world.wait(request.value(), until); });
}

std::error_code RankPlay::barrier(Group& world) { return finish(world, world.ibarrier()); }

void RankPlay::count(const Group& world, const Result<CollectiveRequest>& request) {
  if (!request) return;
  if (world.is_run_by_mu(request.value())) {
    ++own_.collectives_by_mu;
  } else {
    ++own_.collectives_by_cores[world.why_by_cores(request.value())];
  }
}

void RankPlay::collective(Context& context, Group& world, const TraceEvent& event) {
  if (event.call == Call::kBarrier) {
    const auto request = world.ibarrier();
    count(world, request);
    if (const auto error = finish(world, request)) fail(event, error.message());
    return;
  }
  const Buffers bytes = buffers_of(event, ranks(), rank_);
  const Address in = bytes.in == 0 ? 0 : take(context, event, bytes.in);
  const Address out = bytes.out == 0 ? 0 : take(context, event, bytes.out);
  if (bytes.in != 0) memory().write(in, input(event));
  const bool gives = event.call == Call::kBroadcast && rank_ == event.peer;
  if (bytes.out != 0 && !is_reduction(event.call)) {
    memory().write(out, gives ? output(event) : std::vector<std::byte>(bytes.out, kUntouched));
  }
  const auto request = start_collective(world, event, in, out);
  count(world, request);
  if (const auto error = finish(world, request)) fail(event, error.message());
  if (!is_reduction(event.call)) {
    compare(event, read(out, bytes.out), output(event));
  } else if (!event.out.empty()) {
    compare_result(event, read(out, bytes.out));
  }
  if (bytes.in != 0) context.give_heap(in, bytes.in);
  if (bytes.out != 0) context.give_heap(out, bytes.out);
}

Result<CollectiveRequest> RankPlay::start_collective(Group& world, const TraceEvent& event,
                                                     Address in, Address out) {
  switch (event.call) {
    case Call::kAllreduce:
      return world.iallreduce(Operator(event.op, event.type), event.count, in, out);
    case Call::kReduce:
      return world.ireduce(event.peer, Operator(event.op, event.type), event.count, in, out);
    case Call::kBroadcast:
      return world.ibroadcast(event.peer, out, event.bytes);
    case Call::kScatter:
      return world.iscatter(event.peer, event.bytes, in, out);
    case Call::kGather:
      return world.igather(event.peer, event.bytes, in, out);
    case Call::kAllgather:
      return world.iallgather(event.bytes, in, out);
    default:
      return world.ialltoall(event.bytes, in, out);
  }
}

std::vector<std::byte> RankPlay::piece(std::uint32_t from, std::uint32_t to,
                                       const TraceEvent& event) const {
  return made_up(name_of_piece(from, to, event.number), event.bytes);
}

// What a collective is given at this rank: for the root of scatter and for alltoall a piece for
// each rank, for all others one.
std::vector<std::byte> RankPlay::input(const TraceEvent& event) const {
  if (is_reduction(event.call)) return event.in;
  if (event.call == Call::kGather) return piece(rank_, event.peer, event);
  if (event.call == Call::kAllgather) return piece(rank_, kAnyRank, event);
  std::vector<std::byte> all;
  for (std::uint32_t to = 0; to < ranks(); ++to) {
    const auto one = piece(rank_, to, event);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

// What it gives.
std::vector<std::byte> RankPlay::output(const TraceEvent& event) const {
  if (event.call == Call::kBroadcast) {
    return event.in.empty() ? piece(event.peer, kAnyRank, event) : event.in;
  }
  if (event.call == Call::kScatter) return piece(event.peer, rank_, event);
  std::vector<std::byte> all;
  if (event.call == Call::kGather && rank_ != event.peer) return all;
  const std::uint32_t to = event.call == Call::kAllgather ? kAnyRank : rank_;
  for (std::uint32_t from = 0; from < ranks(); ++from) {
    const auto one = piece(from, to, event);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

void RankPlay::compare_result(const TraceEvent& event, std::span<const std::byte> got) {
  ++own_.reductions;
  const auto& expected = common_.reductions[event.number];
  if (!std::equal(got.begin(), got.end(), expected.begin(), expected.end())) {
    ++own_.reductions_out_of_order;
  }
  if (std::equal(got.begin(), got.end(), event.out.begin(), event.out.end())) return;
  if (allows(event, got) && allows(event, event.out)) {
    ++own_.results_rounded;
    return;
  }
  ++own_.results_wrong;
  if (own_.first_result_wrong.empty()) {
    own_.first_result_wrong = fmt::format("trace line {}, rank {}", event.line, rank_);
  }
}

bool RankPlay::allows(const TraceEvent& event, std::span<const std::byte> result) const {
  if (event.type != DataType::kF64 && event.type != DataType::kF32) return false;
  const auto value = [&](std::span<const std::byte> data, std::size_t i) {
    const auto at = data.subspan(i * size_of(event.type), size_of(event.type));
    float narrow = 0;
    double wide = 0;
    if (event.type == DataType::kF64) {
      std::memcpy(&wide, at.data(), sizeof wide);
      return wide;
    }
    std::memcpy(&narrow, at.data(), sizeof narrow);
    return static_cast<double>(narrow);
  };
  for (std::size_t i = 0; i < event.count; ++i) {
    std::vector<double> operands;
    for (std::size_t r = 0; r < ranks(); ++r) {
      const std::size_t place = common_.matching.collectives()[r][event.number];
      operands.push_back(value(trace().ranks[r][place].in, i));
    }
    if (!is_allowed(event.op, event.type, operands, value(result, i))) return false;
  }
  return true;
}

}  // namespace torusmu::replay
