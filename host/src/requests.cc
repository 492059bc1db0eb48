// SPDX-License-Identifier: Apache-2.0
#include "host/src/requests.h"

#include <algorithm>
#include <string>

namespace torusmu {
namespace {

constexpr std::uint32_t kMostRequests = 0xFFFF;  // a name has 16 bits of number, 16 of generation

}  // namespace

bool Requests::is_full() const { return free_.empty() && states_.size() == kMostRequests; }

Result<Request> Requests::full() {
  return {Errc::kOutOfResources,
          "not enough of a resource: " + std::to_string(kMostRequests) +
              " requests of this context are under way: wait() for some first"};
}

std::uint32_t Requests::add(Use use) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(states_.size()));
    states_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  State fresh;
  fresh.generation = states_[number].generation;
  fresh.use = use;
  states_[number] = fresh;
  polled_.expect(Source::kMessages);
  return number;
}

Request Requests::name(std::uint32_t number) const {
  return {number | std::uint32_t{states_[number].generation} << 16};
}

std::optional<std::uint32_t> Requests::find(std::uint32_t name) const {
  const std::uint32_t number = name & 0xFFFF;
  if (number >= states_.size() || states_[number].use == Use::kFree ||
      states_[number].generation != name >> 16) {
    return std::nullopt;
  }
  return number;
}

void Requests::complete(std::uint32_t number, std::error_code error) {
  State& state = states_[number];
  state.complete = true;
  state.completion.at = site_.device.now();
  if (error) state.completion.error = error;
  if (state.use == Use::kActive) ended_active_.push_back(number);
  agenda_.note_progress();
}

void Requests::retire(std::uint32_t number) {
  State& state = states_[number];
  state.use = Use::kFree;
  // 0 is no generation, so that the name of no request is 0.
  state.generation = static_cast<std::uint16_t>(std::max(1, (state.generation + 1) & 0xFFFF));
  free_.push_back(number);
}

bool Requests::test(Request request, Completion* completion) {
  const auto number = find(request.value);
  // A request that is over: whoever asks again must not wait for ever.
  if (!number) {
    if (completion != nullptr) *completion = {.error = Errc::kBadArgument};
    return true;
  }
  if (!states_[*number].complete) return false;
  if (completion != nullptr) *completion = states_[*number].completion;
  retire(*number);
  return true;
}

std::optional<std::uint32_t> Requests::take_ended_active() {
  if (ended_active_.empty()) return std::nullopt;
  const std::uint32_t oldest = ended_active_.front();
  ended_active_.pop_front();
  return oldest;
}

}  // namespace torusmu
