// SPDX-License-Identifier: Apache-2.0
#include "host/src/sends.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace torusmu {
namespace {

constexpr std::size_t kMostUndispatched = 1024;

// The error of a long message of ours of which its target has said so.
std::error_code confirmed_error(wire::Said said) {
  switch (said) {
    case wire::Said::kFetched:
      return {};
    case wire::Said::kNoDispatch:
      return Errc::kNoDispatch;
    case wire::Said::kDataLost:
      return Errc::kDataLost;
    default:
      return Errc::kRefused;
  }
}

}  // namespace

Sends::Sends(const Site& site, Agenda& agenda, Outbox& outbox, Requests& requests,
             const Regions& regions, Channels& channels, Segment& segment)
    : site_(site),
      agenda_(agenda),
      outbox_(outbox),
      requests_(requests),
      regions_(regions),
      channels_(channels),
      segment_(segment),
      puts_long_ones_(site.options.long_send_end == SendEnd::kReflected &&
                      site.plan.options().reflection_slots != 0) {}

Result<Request> Sends::send(Endpoint to, std::uint32_t tag, Address data, Bytes bytes) {
  if (!site_.plan.has(to) || bytes > kMostLength) return Errc::kBadArgument;
  return start(
      to,
      {.tag = tag, .data = data, .bytes = bytes, .by_request = bytes > site_.options.eager_limit});
}

Result<Request> Sends::send_active(Endpoint to, DispatchId id, std::span<const std::byte> header,
                                   Address data, Bytes bytes) {
  if (!site_.plan.has(to) || id.value >= kDispatches || header.size() > kMostActiveHeader ||
      bytes > kMostLength) {
    return Errc::kBadArgument;
  }
  const bool is_eager =
      bytes <= site_.options.eager_limit && header.size() + bytes <= wire::kMostEagerBytes;
  Send send{.tag = wire::active_tag(id.value, header.size()),
            .data = data,
            .bytes = bytes,
            .header = {header.begin(), header.end()},
            .by_request = !is_eager};
  if (!segment_.reaches(to)) return start(to, std::move(send));
  auto request = begin(to, send);
  if (!request) return request;
  if (for_segment_.contains(to) || !admit_to_segment(to, send)) {
    for_segment_[to].push_back({std::move(send), begun_to_wait_++});
  }
  outbox_.ring();
  return request;
}

Result<Request> Sends::start(Endpoint to, Send send) {
  auto request = begin(to, send);
  if (!request) return request;
  post(to, std::move(send));
  outbox_.ring();
  return request;
}

Result<Request> Sends::begin(Endpoint to, Send& send) {
  if (requests_.is_full()) return Requests::full();
  // The MU of the receiver fetches from regions alone; what goes along we copy.
  if (send.by_request) {
    if (const auto where = regions_.locate(send.data, send.bytes); !where) return where.error();
  } else if (!Range{0, site_.device.memory_size()}.holds(send.data, send.bytes)) {
    return Errc::kNotRegistered;
  }
  const std::uint32_t number = requests_.add(Use::kSend);
  requests_.completion(number).length = send.bytes;
  if (send.by_request) unfetched_[number] = {to, send.data, send.bytes};
  send.request = number;
  return requests_.name(number);
}

void Sends::post(Endpoint to, Send send) {
  ++(send.by_request ? site_.counts.sent_by_request : site_.counts.sent_eager);
  if (waiting_.contains(to) || !admit(channels_.to(to), send)) {
    waiting_[to].push_back(std::move(send));
    order_.push_back(to);
  }
}

// --- through the segment ---

bool Sends::admit_to_segment(Endpoint to, const Send& send) {
  const Bytes length = send.header.size() + send.bytes;
  const bool is_short = !send.by_request && length <= segment_.longest();
  if (!segment_.has_room(to, is_short ? length : 0)) return false;
  if (!is_short) {
    segment_.store_turn(to);
    post(to, send);
    return true;
  }
  std::vector<std::byte> message(length);
  std::copy(send.header.begin(), send.header.end(), message.begin());
  if (send.bytes != 0) {
    site_.device.load(send.data, std::span(message).subspan(send.header.size()));
  }
  segment_.store(to, send.tag, message);
  requests_.complete(send.request);
  ++site_.counts.sent_by_segment;
  return true;
}

bool Sends::use_segment_room() {
  bool any = false;
  for (auto& [to, waiting] : for_segment_) {
    while (!waiting.empty() && admit_to_segment(to, waiting.front().send)) {
      waiting.pop_front();
      any = true;
    }
  }
  std::erase_if(for_segment_, [](const auto& item) { return item.second.empty(); });
  return any;
}

bool Sends::has_segment_passed(std::optional<Task> task, std::uint64_t begun) const {
  return std::none_of(for_segment_.begin(), for_segment_.end(), [&](const auto& item) {
    return (!task || item.first.task == *task) && item.second.front().number < begun;
  });
}

bool Sends::admit(Channel& to, const Send& send) {
  if (to.is_full()) return false;
  if (send.by_request) return admit_request(to, send);
  Outgoing message;
  message.word = send.tag;
  message.type = wire::Type::kEager;
  message.length = send.header.size() + send.bytes;
  if (message.length <= message.data.size()) {
    message.immediate = true;
    const std::span bytes = std::as_writable_bytes(std::span(message.data));
    std::copy(send.header.begin(), send.header.end(), bytes.begin());
    site_.device.load(send.data, bytes.subspan(send.header.size(), send.bytes));
  } else {
    const auto buffer = outbox_.take_buffer(message.length);
    if (!buffer) return false;
    message.buffer = *buffer;
    std::vector<std::byte> copy(message.length);
    std::copy(send.header.begin(), send.header.end(), copy.begin());
    site_.device.load(send.data, std::span(copy).subspan(send.header.size()));
    copy_out(site_.device, *buffer, copy);
  }
  requests_.complete(send.request);
  to.keep(message);
  return true;
}

bool Sends::admit_request(Channel& to, const Send& send) {
  const InRegion where = regions_.locate(send.data, send.bytes).value();
  Outgoing message;
  message.word = send.tag;
  message.type = wire::Type::kRequest;
  message.data = wire::RequestPayload{.request = requests_.name(send.request).value,
                                      .region = static_cast<std::uint8_t>(where.region.value),
                                      .offset = where.offset,
                                      .length = send.bytes,
                                      .will_put = puts_long_ones_}
                     .pack();
  message.length = message.data.size() + send.header.size();
  message.immediate = send.header.empty();
  if (!message.immediate) {
    const auto buffer = outbox_.take_buffer(message.length);
    if (!buffer) return false;
    message.buffer = *buffer;
    std::vector<std::byte> copy(message.length);
    std::memcpy(copy.data(), message.data.data(), message.data.size());
    std::copy(send.header.begin(), send.header.end(),
              copy.begin() + static_cast<std::ptrdiff_t>(message.data.size()));
    copy_out(site_.device, *buffer, copy);
  }
  to.keep(message);
  return true;
}

void Sends::admit_waiting() {
  for (std::size_t left = order_.size(); left > 0; --left) {
    const auto waiting = waiting_.find(order_.front());
    if (!admit(channels_.to(waiting->first), waiting->second.front())) return;
    waiting->second.pop_front();
    if (waiting->second.empty()) waiting_.erase(waiting);
    order_.pop_front();
  }
}

// --- confirmations ---

void Sends::keep_done(Endpoint to, std::uint32_t word, const wire::Immediate& data, Bytes length) {
  channels_.to(to).keep(
      {.type = wire::Type::kDone, .word = word, .length = length, .immediate = true, .data = data});
}

void Sends::confirm(Endpoint to, std::uint32_t request, wire::Said said, DispatchId dispatch) {
  const wire::Immediate data{static_cast<std::uint8_t>(said),
                             static_cast<std::uint8_t>(dispatch.value)};
  keep_done(to, request, data, said == wire::Said::kNoDispatch ? 2 : 1);
}

void Sends::take_confirmation(Endpoint from, std::uint32_t request, const wire::Immediate& data) {
  const auto said = static_cast<wire::Said>(data[0]);
  if (const auto number = requests_.find(request); number && requests_.use(*number) == Use::kSend) {
    // The buffer of one that we put is not free before its reflection.
    if (const auto found = unfetched_.find(*number);
        found != unfetched_.end() && found->second.is_cleared) {
      requests_.completion(*number).error = confirmed_error(said);
      return;
    }
    requests_.complete(*number, confirmed_error(said));
    unfetched_.erase(*number);
  } else if (request == 0 && said == wire::Said::kNoDispatch) {
    ++site_.counts.refused_active;
    if (undispatched_.size() == kMostUndispatched) undispatched_.pop_front();
    undispatched_.push_back({from, {data[1]}, Errc::kNoDispatch});
    agenda_.note_progress();
  }
}

std::optional<Undispatched> Sends::take_undispatched() {
  if (undispatched_.empty()) return std::nullopt;
  const Undispatched oldest = undispatched_.front();
  undispatched_.pop_front();
  return oldest;
}

// --- long messages that their sender puts ---

void Sends::clear_to_send(Endpoint to, std::uint32_t request, const wire::ClearToSend& clear) {
  const wire::Immediate data = clear.pack();
  keep_done(to, request, data, data.size());
}

std::optional<Sends::Cleared> Sends::take_clear_to_send(Endpoint from, std::uint32_t request) {
  const auto number = requests_.find(request);
  if (!number) return std::nullopt;
  const auto found = unfetched_.find(*number);
  if (found == unfetched_.end() || found->second.is_cleared || found->second.to != from) {
    return std::nullopt;
  }
  found->second.is_cleared = true;
  const auto where = regions_.locate(found->second.data, found->second.bytes);
  return Cleared{*number, where.value(), found->second.bytes};
}

void Sends::tell_sent(Endpoint to, std::uint16_t fetch) {
  keep_done(to, fetch, {static_cast<std::uint8_t>(wire::Said::kSent)}, 1);
}

void Sends::end_put(std::uint32_t number) { unfetched_.erase(number); }

// --- what is under way ---

std::size_t Sends::under_way(const Channel& channel) const {
  const auto waiting = waiting_.find(channel.peer());
  return channel.kept() + (waiting == waiting_.end() ? 0 : waiting->second.size());
}

bool Sends::is_fetched_by(std::optional<Task> task) const {
  return std::any_of(unfetched_.begin(), unfetched_.end(),
                     [&](const auto& item) { return !task || item.second.to.task == *task; });
}

void Sends::hurry() {
  for (auto& [peer, channel] : channels_) {
    channel.hurry_ack();
    channel.ask_now();
  }
}

bool Sends::is_settled() {
  return for_segment_.empty() &&
         std::all_of(channels_.begin(), channels_.end(), [this](auto& item) {
           Channel& channel = item.second;
           channel.hurry_ack();
           return under_way(channel) == 0 && !channel.owes_ack();
         });
}

}  // namespace torusmu
