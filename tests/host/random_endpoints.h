// SPDX-License-Identifier: Apache-2.0
// Random programs of sends, puts, gets and active messages between all endpoints of a job, and a
// reference that knows nothing of the library: for each endpoint lists of what it must receive, in
// order, and the bytes that its memory must hold in the end.
//
// Every endpoint has a window with an area for each other endpoint, which alone puts there; so what
// an area holds follows from the puts of one program, one after another. A get reads the own area
// of another window behind a fence.
#ifndef TESTS_HOST_RANDOM_ENDPOINTS_H_
#define TESTS_HOST_RANDOM_ENDPOINTS_H_

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tests/host/endpoints.h"

namespace torusmu::testing {

struct RandomOp {
  enum class Kind { kSend, kPut, kGet, kActive };
  Kind kind = Kind::kSend;
  std::uint32_t to = 0;  // endpoint
  Tag tag = 0;           // of a send
  DispatchId dispatch{};
  Bytes offset = 0;  // in the area, of a put or get
  Bytes bytes = 0;
  std::uint64_t key = 0;  // of the data
  Notify notify = Notify::kInjected;
};

// What all programs of a job do, and what must come of it.
class RandomScript {
 public:
  static constexpr Bytes kArea = 2048;
  static constexpr Bytes kMost = 1800;  // of one operation
  static constexpr std::uint32_t kTags = 3;
  static constexpr std::uint32_t kFunctions = 2;

  struct Message {
    std::uint32_t from = 0;
    Tag tag = 0;  // of an active message: its dispatch id
    Bytes bytes = 0;
    std::uint64_t key = 0;
  };

  RandomScript(std::uint64_t seed, std::uint32_t endpoints, std::uint32_t length)
      : ops_(endpoints), arrivals_(endpoints), active_(endpoints), windows_(endpoints) {
    for (auto& window : windows_) window.assign(endpoints * kArea, std::byte{0});
    Rng random(seed);
    for (std::uint32_t from = 0; from < endpoints; ++from) {
      for (std::uint32_t i = 0; i < length; ++i) add(from, random);
    }
  }

  [[nodiscard]] const std::vector<RandomOp>& ops(std::uint32_t n) const { return ops_[n]; }
  // What comes to the endpoint; those of one source are in the order in which they were sent.
  [[nodiscard]] const std::vector<Message>& arrivals(std::uint32_t n) const { return arrivals_[n]; }
  [[nodiscard]] const std::vector<Message>& active(std::uint32_t n) const { return active_[n]; }
  // What the window holds in the end.
  [[nodiscard]] const std::vector<std::byte>& window(std::uint32_t n) const { return windows_[n]; }
  // What the get that is op i of an endpoint must fetch.
  [[nodiscard]] const std::vector<std::byte>& fetched(std::uint32_t n, std::size_t i) const {
    return fetched_.at({n, i});
  }

 private:
  void add(std::uint32_t from, Rng& random) {
    RandomOp op;
    op.kind = static_cast<RandomOp::Kind>(random.below(4));
    op.to = static_cast<std::uint32_t>(random.below(ops_.size()));
    op.bytes = random.chance(600) ? random.below(200) : random.below(kMost);
    op.tag = static_cast<Tag>(random.below(kTags));
    op.dispatch = {static_cast<std::uint32_t>(random.below(kFunctions))};
    op.key = random.below(~std::uint64_t{0} >> 1);
    constexpr std::array kNotify{Notify::kInjected, Notify::kReflectedPut, Notify::kReflectedFifo,
                                 Notify::kDelivered};
    op.notify = kNotify.at(random.below(kNotify.size()));
    if (op.kind == RandomOp::Kind::kPut || op.kind == RandomOp::Kind::kGet) {
      op.bytes = std::max<Bytes>(op.bytes, 1);
      op.offset = random.below(kArea - op.bytes + 1);
      const auto at =
          windows_[op.to].begin() + static_cast<std::ptrdiff_t>(from * kArea + op.offset);
      if (op.kind == RandomOp::Kind::kPut) {
        const auto data = pattern(op.key, op.bytes);
        std::copy(data.begin(), data.end(), at);
      } else {
        fetched_[{from, ops_[from].size()}] = {at, at + static_cast<std::ptrdiff_t>(op.bytes)};
      }
    } else if (op.kind == RandomOp::Kind::kSend) {
      arrivals_[op.to].push_back({from, op.tag, op.bytes, op.key});
    } else {
      active_[op.to].push_back({from, static_cast<Tag>(op.dispatch.value), op.bytes, op.key});
    }
    ops_[from].push_back(op);
  }

  std::vector<std::vector<RandomOp>> ops_;
  std::vector<std::vector<Message>> arrivals_;
  std::vector<std::vector<Message>> active_;
  std::vector<std::vector<std::byte>> windows_;
  std::map<std::pair<std::uint32_t, std::size_t>, std::vector<std::byte>> fetched_;
};

// One endpoint at work.
class RandomEndpoint {
 public:
  RandomEndpoint(Context& context, const RandomScript& script, std::uint64_t seed)
      : context_(context),
        script_(script),
        own_(number_of(context)),
        all_(endpoints_of(context.plan())),
        random_(mix(seed) + own_) {}

  void run() {
    // The first piece of each heap, so that the others know where it lies.
    window_ = require(context_.take_heap(all_ * RandomScript::kArea), "window");
    context_.device().store(window_, std::vector<std::byte>(all_ * RandomScript::kArea));
    expect_active_messages();
    meet(kBegin);
    std::vector<RandomScript::Message> to_receive = shuffled(script_.arrivals(own_));
    for (std::size_t i = 0; i < script_.ops(own_).size(); ++i) {
      while (!to_receive.empty() && random_.chance(400)) post_receive(&to_receive);
      start(i);
      if (random_.chance(300)) context_.device().compute(random_.below(3000));
      if (random_.chance(500)) require(context_.advance(), "advance");
    }
    while (!to_receive.empty()) post_receive(&to_receive);
    for (const auto& [request, buffer, message] : receives_) {
      const Completion done = finish(context_, Result<Request>(request));
      check(done.length == message.bytes && done.tag == message.tag, "envelope");
      check(
          endpoint_of(context_.plan(), message.from) == Endpoint(done.source, done.source_context),
          "source");
      check(get_from(context_, buffer, message.bytes) == pattern(message.key, message.bytes),
            "message from endpoint " + std::to_string(message.from));
    }
    for (const Request request : requests_) finish(context_, Result<Request>(request));
    for (std::uint32_t t = 0; t < context_.tasks(); ++t) finish(context_, context_.fence({t}));
    require(context_.advance_until([&] { return active_left_ == 0; }, context_.now() + 100'000'000),
            "active messages");
    meet(kEnd);
    check(get_from(context_, window_, all_ * RandomScript::kArea) == script_.window(own_),
          "window");
    check(!context_.take_undispatched(), "all found their function");
  }

 private:
  static constexpr Tag kBegin = 1000;
  static constexpr Tag kEnd = 1001;
  struct Receive {
    Request request;
    Address buffer;
    RandomScript::Message message;
  };

  // Everybody hears from everybody.
  void meet(Tag tag) {
    for (std::uint32_t n = 0; n < all_; ++n) {
      require(context_.send(endpoint_of(context_.plan(), n), tag, 0, 0).error(), "send");
    }
    for (std::uint32_t n = 0; n < all_; ++n) {
      finish(context_, context_.receive(endpoint_of(context_.plan(), n), tag, 0, 0));
    }
  }

  // Messages of one source and tag stay in order; else any order will do.
  std::vector<RandomScript::Message> shuffled(std::vector<RandomScript::Message> list) {
    std::map<std::pair<std::uint32_t, Tag>, std::deque<RandomScript::Message>> streams;
    for (const auto& message : list) streams[{message.from, message.tag}].push_back(message);
    list.clear();
    while (!streams.empty()) {
      const auto it =
          std::next(streams.begin(), static_cast<std::ptrdiff_t>(random_.below(streams.size())));
      list.push_back(it->second.front());
      it->second.pop_front();
      if (it->second.empty()) streams.erase(it);
    }
    std::reverse(list.begin(), list.end());  // taken from the back
    return list;
  }

  void post_receive(std::vector<RandomScript::Message>* list) {
    const RandomScript::Message message = list->back();
    list->pop_back();
    const Address buffer = require(context_.take_heap(RandomScript::kMost), "heap");
    receives_.push_back({require(context_.receive(endpoint_of(context_.plan(), message.from),
                                                  message.tag, buffer, RandomScript::kMost),
                                 "receive"),
                         buffer, message});
  }

  void expect_active_messages() {
    for (const auto& message : script_.active(own_)) {
      expected_[message.from].push_back(message);
      ++active_left_;
    }
    for (std::uint32_t id = 0; id < RandomScript::kFunctions; ++id) {
      require(context_.register_dispatch(
                  {id}, [this, id](const ActiveMessage& message) { return take(id, message); }),
              "register");
    }
  }

  ActiveReceive take(std::uint32_t id, const ActiveMessage& message) {
    const std::uint32_t from = message.source.task.value * context_.plan().options().contexts +
                               message.source.context.value;
    auto& stream = expected_[from];
    check(!stream.empty(), "an active message too many");
    const RandomScript::Message wanted = stream.front();
    stream.pop_front();
    std::uint64_t key = 0;
    check(message.header.size() == sizeof key, "header");
    std::memcpy(&key, message.header.data(), sizeof key);
    check(key == wanted.key && static_cast<Tag>(id) == wanted.tag, "which active message");
    check(message.length == wanted.bytes, "length");
    if (!message.at_sender) {
      const std::vector<std::byte> data(message.data.begin(), message.data.end());
      check(data == pattern(wanted.key, wanted.bytes), "data at hand");
    }
    const Address buffer = require(context_.take_heap(RandomScript::kMost), "heap");
    return {buffer, RandomScript::kMost, [this, buffer, wanted](const Completion& done) {
              require(done.error, "active message");
              check(get_from(context_, buffer, wanted.bytes) == pattern(wanted.key, wanted.bytes),
                    "data of an active message");
              context_.give_heap(buffer, RandomScript::kMost);
              --active_left_;
            }};
  }

  void start(std::size_t i) {
    const RandomOp& op = script_.ops(own_)[i];
    const Endpoint to = endpoint_of(context_.plan(), op.to);
    switch (op.kind) {
      case RandomOp::Kind::kSend:
        requests_.push_back(require(context_.send(to, op.tag, data_of(op), op.bytes), "send"));
        break;
      case RandomOp::Kind::kActive: {
        std::array<std::byte, sizeof op.key> header{};
        std::memcpy(header.data(), &op.key, sizeof op.key);
        requests_.push_back(require(
            context_.send_active(to, op.dispatch, header, data_of(op), op.bytes), "active"));
        break;
      }
      case RandomOp::Kind::kPut:
        put(op);
        break;
      case RandomOp::Kind::kGet: {
        // A long message to it that is under way orders nothing: the get could be too early.
        const auto fence = context_.fence(to.task);
        if (!fence && fence.error() == Errc::kNotOrdered) break;
        finish(context_, fence);
        const Address buffer = require(context_.take_heap(op.bytes), "heap");
        finish(context_, context_.get(buffer, area(op), op.bytes));
        check(get_from(context_, buffer, op.bytes) == script_.fetched(own_, i), "get");
        break;
      }
    }
  }

  void put(const RandomOp& op) {
    const Address data = data_of(op);
    PutOptions options;
    options.notify = op.notify;
    Result<Request> put = Errc::kAgain;
    while (!put && put.error() == Errc::kAgain) {
      put = context_.put(area(op), data, op.bytes, options);
      require(context_.advance(), "advance");
    }
    requests_.push_back(require(put, "put"));
  }

  Address data_of(const RandomOp& op) { return put_into_heap(context_, pattern(op.key, op.bytes)); }

  [[nodiscard]] RemoteMemory area(const RandomOp& op) const {
    const NodePlan& plan = context_.plan();
    const Endpoint to = endpoint_of(plan, op.to);
    const ClientId client = plan.place(to.task).client;
    const Bytes window = plan.heap(client, to.context).address - plan.heap(client).address;
    return {to.task, plan.heap_region(client), window + own_ * RandomScript::kArea + op.offset};
  }

  Context& context_;
  const RandomScript& script_;
  std::uint32_t own_;
  std::uint32_t all_;
  Rng random_;
  Address window_ = 0;
  std::vector<Request> requests_;
  std::vector<Receive> receives_;
  std::map<std::uint32_t, std::deque<RandomScript::Message>> expected_;  // active, by source
  std::uint64_t active_left_ = 0;
};

inline Job::Program random_endpoints_program(std::uint64_t seed, const NodePlan& plan,
                                             std::uint32_t length) {
  const auto script = std::make_shared<RandomScript>(seed, endpoints_of(plan), length);
  return [=](Context& context) { RandomEndpoint(context, *script, seed).run(); };
}

}  // namespace torusmu::testing

#endif  // TESTS_HOST_RANDOM_ENDPOINTS_H_
