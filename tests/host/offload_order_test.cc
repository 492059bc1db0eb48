// SPDX-License-Identifier: Apache-2.0
// The lists of collectives that the MU runs, in the worst order of events: members and their queues
// go on when chance says so, some of them hardly ever, and messages take as long as it says, though
// those of one member to one other stay in order. Several collectives follow one another in both
// windows. Each must be complete with the right bytes, whatever was late.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/src/translation.h"
#include "tests/host/collective_cases.h"
#include "tests/host/schedule_runner.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;

constexpr std::uint32_t kSends = 0;
constexpr std::uint32_t kSums = 1;
constexpr std::uint32_t kUnderWay = 4;  // most collectives of a member; each has buffers of its own

// A call, as all members make it.
struct Planned {
  Call call;
  Algorithm algorithm;
};

class Members {
 public:
  Members(const NodePlan& plan, std::vector<Task> tasks, std::uint32_t group,
          std::vector<Planned> calls, std::vector<std::size_t> order, Random* random)
      : plan_(plan),
        tasks_(std::move(tasks)),
        group_(group),
        calls_(std::move(calls)),
        order_(std::move(order)),
        random_(*random) {
    for (const Planned& planned : calls_) {
      for (std::uint32_t rank = 0; rank < count(); ++rank) {
        stride_ = std::max(stride_, kGap + bytes_at(planned.call, rank));
      }
    }
    for (std::uint32_t rank = 0; rank < count(); ++rank) {
      const Place place = plan_.place(tasks_[rank]);
      Member member;
      member.place = place;
      member.memory[plan_.heap_region(place.client).value] = Data(kUnderWay * stride_);
      member.memory[plan_.offload_region(place.client).value] =
          Data(plan_.offload_area(place.client).bytes);
      // Counts are about to wrap.
      for (std::uint32_t window = 0; window < 2; ++window) {
        for (std::uint32_t n = 0; n < plan_.offload_counters(); ++n) {
          const auto event = plan_.offload_event(place.client, group_, window, n);
          counts_[{place.node.value, event.value}] = member.counted.at(window).at(n) =
              static_cast<std::uint32_t>(~random_.below(20));
        }
      }
      for (Queue& queue : member.queues) {
        queue.done = queue.tail = static_cast<std::uint32_t>(~random_.below(100));
      }
      at_[{place.node.value, plan_.offload_region(place.client).value}] = rank;
      members_.push_back(std::move(member));
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Call& call = calls_[order_[i]].call;
      Call known = call;
      known.commutative = true;  // doubles
      inputs_.emplace_back();
      for (std::uint32_t rank = 0; rank < count(); ++rank) {
        inputs_.back().push_back(input_of(known, count(), rank, i));
      }
      outputs_.push_back(outputs_of(call, call.commutative ? kSum : sum_in_order(),
                                    calls_[order_[i]].algorithm, inputs_.back()));
    }
  }

  // Empty if all goes well.
  std::string run() {
    while (problem_.empty()) {
      if (random_.chance(1)) draw_the_slow();
      bool any = false;
      for (std::uint32_t tries = 0; tries < kTries && !any; ++tries) any = try_one();
      if (any) continue;
      if (!try_all()) break;
    }
    for (std::uint32_t rank = 0; rank < count() && problem_.empty(); ++rank) {
      if (members_[rank].completed == order_.size() && idle(members_[rank])) continue;
      problem_ = "member " + std::to_string(rank) + " waits for ever in collective " +
                 std::to_string(members_[rank].completed);
    }
    return problem_;
  }

 private:
  static inline const Operator kSum{ReduceOp::kSum, DataType::kF64};
  // The same, as an operation that does not commute, which has another order of operands.
  static Operator sum_in_order() {
    return UserReduction{.function = [](std::span<std::byte> a,
                                        std::span<const std::byte> b) { kSum.combine(a, b); },
                         .element = 8,
                         .commutative = false};
  }
  static constexpr Bytes kGap = 64;
  static constexpr std::uint32_t kTries = 64;

  struct Queue {
    std::deque<Descriptor> list{};  // not done
    std::uint32_t done = 0;
    std::uint32_t tail = 0;
  };
  struct Member {
    Place place{};
    std::map<std::uint32_t, Data> memory{};  // by region
    std::array<Queue, 2> queues{};
    std::array<SourceCounts, 2> counted{};
    std::uint64_t posted = 0;
    std::uint64_t completed = 0;
    // By call, window and buffers.
    std::map<std::tuple<std::size_t, std::uint32_t, std::uint64_t>, Translation> known{};
  };
  struct Message {
    std::uint32_t region = 0;
    Bytes offset = 0;
    Data data{};
    bool is_counted = false;
    std::uint32_t event = 0;
    bool is_stored = false;
  };
  using Way = std::pair<std::uint32_t, std::uint32_t>;  // from, to

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(tasks_.size()); }
  [[nodiscard]] Bytes bytes_at(const Call& call, std::uint32_t rank) const {
    return input_bytes(call, count(), rank) + output_bytes(call, count(), rank);
  }
  static bool idle(const Member& member) {
    return member.queues[kSends].list.empty() && member.queues[kSums].list.empty();
  }

  // --- what happens next ---

  void draw_the_slow() {
    slow_.clear();
    slow_ways_.clear();
    for (std::uint32_t rank = 0; rank < count(); ++rank) {
      for (std::uint32_t what = 0; what < 3; ++what) {
        if (random_.chance(15)) slow_.insert({rank, what});
      }
      for (std::uint32_t to = 0; to < count(); ++to) {
        if (random_.chance(30)) slow_ways_.insert({rank, to});
      }
    }
  }
  bool try_one() {
    if (!ways_.empty() && random_.chance(50)) {
      const auto way = std::next(ways_.begin(), static_cast<long>(random_.below(ways_.size())));
      if (slow_ways_.contains(way->first)) return false;
      arrive(way->first);
      return true;
    }
    const auto rank = static_cast<std::uint32_t>(random_.below(count()));
    const auto what = static_cast<std::uint32_t>(random_.below(3));
    return !slow_.contains({rank, what}) && go_on(rank, what);
  }
  // The slow too, but in an order of chance.
  bool try_all() {
    const auto first = static_cast<std::uint32_t>(random_.below(count()));
    for (std::uint32_t i = 0; i < count(); ++i) {
      for (std::uint32_t what = 0; what < 3; ++what) {
        if (go_on((first + i) % count(), what)) return true;
      }
    }
    if (ways_.empty()) return false;
    arrive(std::next(ways_.begin(), static_cast<long>(random_.below(ways_.size())))->first);
    return true;
  }
  // The host, or one of the two queues.
  bool go_on(std::uint32_t rank, std::uint32_t what) {
    if (what == 2) return post(rank);
    Queue& queue = members_[rank].queues.at(what);
    if (queue.list.empty() || !step(rank, queue.list.front())) return false;
    queue.list.pop_front();
    ++queue.done;
    return true;
  }
  // Data are stored before they are counted, and others may see it.
  void arrive(Way way) {  // the last message takes that of ways_ with it
    std::deque<Message>& messages = ways_.at(way);
    Message& message = messages.front();
    Member& member = members_[way.second];
    if (!std::exchange(message.is_stored, true)) {
      std::copy(message.data.begin(), message.data.end(),
                at(member, message.region, message.offset, message.data.size()));
      if (message.is_counted) return;
    }
    if (message.is_counted) ++counts_[{member.place.node.value, message.event}];
    messages.pop_front();
    if (messages.empty()) ways_.erase(way);
    look_for_completion(way.second);
  }

  // --- the host ---

  [[nodiscard]] std::pair<Bytes, Bytes> buffers(const Call& call, std::uint32_t rank,
                                                std::uint64_t number) const {
    const Bytes base = number % kUnderWay * stride_;
    const Bytes in_bytes = input_bytes(call, count(), rank);
    if (!as_made_by(call, rank).in_place) return {base, base + in_bytes};
    const Bytes own = place_of_own(call, rank);
    if (call.what == Collective::kScatter) return {base, base + own};
    return {base + own, base};
  }
  bool post(std::uint32_t rank) {
    Member& member = members_[rank];
    const std::uint64_t number = member.posted;
    if (number == order_.size() || number >= member.completed + kUnderWay) return false;
    const std::size_t which = order_[number];
    const Call call = as_made_by(calls_[which].call, rank);
    const auto window = static_cast<std::uint32_t>(number % 2);
    const auto [in, out] = buffers(call, rank, number);
    const RegionId heap = plan_.heap_region(member.place.client);
    const TranslationTarget target{.plan = plan_,
                                   .members = tasks_,
                                   .group = group_,
                                   .window = window,
                                   .before = member.counted.at(window),
                                   .posted_before = member.queues[kSends].tail,
                                   .sums_before = member.queues[kSums].tail,
                                   .in = {heap, in},
                                   .out = {heap, out},
                                   .completion = number + 1};
    const auto [found, is_new] =
        member.known.try_emplace({which, window, number % kUnderWay}, Translation{});
    Translation& translation = found->second;
    if (is_new) {
      translation = translate(call, kSum, calls_[which].algorithm, rank, target);
    } else {
      renew(&translation, target);
    }
    // As Offload::may_post().
    if (!translation.lists.empty() && number > 1 && member.completed < number - 1) return false;
    for (const std::uint32_t queue : {kSends, kSums}) {
      const std::size_t more = list_of(translation, queue).size();
      if (member.queues.at(queue).list.size() + more > plan_.options().offload_slots) return false;
    }
    const Data& input = inputs_[number][rank];
    std::copy(input.begin(), input.end(),
              at(member, heap.value, call.what == Collective::kBroadcast ? out : in, input.size()));
    const RegionId area = plan_.offload_region(member.place.client);
    for (std::size_t i = 0; i < translation.lists.size(); ++i) {
      const auto bytes = translation.lists[i];
      const auto line = std::as_bytes(std::span(bytes));
      std::copy(line.begin(), line.end(),
                at(member, area.value, translation.lists_at + i * line.size(), line.size()));
    }
    for (const std::uint32_t queue : {kSends, kSums}) {
      const auto& list = list_of(translation, queue);
      Queue& to = member.queues.at(queue);
      to.list.insert(to.list.end(), list.begin(), list.end());
      to.tail += static_cast<std::uint32_t>(list.size());
    }
    for (std::size_t i = 0; i < translation.arrivals.size(); ++i) {
      member.counted.at(window).at(i) += translation.arrivals.at(i);
    }
    ++member.posted;
    return true;
  }
  static const std::vector<Descriptor>& list_of(const Translation& translation,
                                                std::uint32_t queue) {
    return queue == kSends ? translation.descriptors : translation.sums;
  }
  // The output is there by then, and both buffers may be used for something else.
  void look_for_completion(std::uint32_t rank) {
    Member& member = members_[rank];
    std::uint64_t word = 0;
    std::copy_n(at(member, plan_.offload_region(member.place.client).value,
                   plan_.offload_completion(group_), sizeof word),
                sizeof word, std::as_writable_bytes(std::span(&word, 1)).begin());
    if (word == member.completed) return;
    const std::uint64_t number = member.completed++;
    const Call& call = calls_[order_[number]].call;
    const auto [in, out] = buffers(call, rank, number);
    const std::uint32_t heap = plan_.heap_region(member.place.client).value;
    const Bytes bytes = output_bytes(call, count(), rank);
    const auto output = at(member, heap, out, bytes);
    if (word != number + 1 || (bytes != 0 && !std::equal(output, output + static_cast<long>(bytes),
                                                         outputs_[number][rank].begin()))) {
      problem_ =
          "output of collective " + std::to_string(number) + " at member " + std::to_string(rank);
    }
    const Data other = noise(random_.below(1000), stride_);
    std::copy(other.begin(), other.end(), at(member, heap, number % kUnderWay * stride_, stride_));
  }

  // --- the MU ---

  static Data::iterator at(Member& member, std::uint32_t region, Bytes offset, Bytes bytes) {
    Data& memory = member.memory.at(region);
    if (offset + bytes > memory.size()) throw std::out_of_range("bytes past their region");
    return memory.begin() + static_cast<long>(offset);
  }
  static Data read(Member& member, std::uint64_t region, Bytes offset, Bytes bytes) {
    const auto from = at(member, static_cast<std::uint32_t>(region), offset, bytes);
    return {from, from + static_cast<long>(bytes)};
  }
  // False if the queue has to wait.
  bool step(std::uint32_t rank, const Descriptor& descriptor) {
    switch (descriptor.get<d::opcode>()) {
      case Opcode::kWait:
        return may_go_on(members_[rank], descriptor);
      case Opcode::kCalc:
        calculate(members_[rank], descriptor);
        return true;
      case Opcode::kPut:
        put(rank, descriptor);
        return true;
      default:
        throw std::logic_error("a descriptor of another kind");
    }
  }
  bool may_go_on(const Member& member, const Descriptor& descriptor) {
    const auto value =
        static_cast<std::uint32_t>(WaitOperation::from_bytes(descriptor.get<d::immediate>())
                                       .get<layout::wait_operation::value>());
    std::uint32_t reached = 0;
    if (descriptor.get<d::on_queue>() == 0) {
      reached = counts_.at({member.place.node.value,
                            static_cast<std::uint32_t>(descriptor.get<d::event_counter>())});
    } else {
      const auto queue = descriptor.get<d::header>().get<h::target>();
      const bool sends = queue == plan_.offload_queue(member.place.client, group_).value;
      reached = member.queues.at(sends ? kSends : kSums).done;
    }
    return static_cast<std::int32_t>(reached - value) >= 0;
  }
  static void calculate(Member& member, const Descriptor& descriptor) {
    const Bytes bytes = descriptor.get<d::length>();
    const auto operands = descriptor.get<d::operands>();
    std::vector<Data> data;
    if (descriptor.get<d::immediate_valid>() != 0) {
      namespace c = layout::calc_operation;
      const auto two = CalcOperation::from_bytes(descriptor.get<d::immediate>());
      data.push_back(read(member, two.get<c::left_region>(), two.get<c::left_offset>(), bytes));
      if (operands == 2) {
        data.push_back(read(member, two.get<c::right_region>(), two.get<c::right_offset>(), bytes));
      }
    } else {
      namespace o = layout::operand;
      for (std::uint64_t i = 0; i < operands; ++i) {
        const Data line =
            read(member, descriptor.get<d::source_region>(),
                 descriptor.get<d::source_offset>() + i * Operand::kBytes, Operand::kBytes);
        decltype(Operand().bytes()) bits{};
        std::copy(line.begin(), line.end(), std::as_writable_bytes(std::span(bits)).begin());
        const auto operand = Operand::from_bytes(bits);
        data.push_back(read(member, operand.get<o::region>(), operand.get<o::offset>(), bytes));
      }
    }
    for (std::size_t i = 1; i < data.size(); ++i) kSum.combine(data[0], data[i]);
    const PacketHeader to = descriptor.get<d::header>();
    std::copy(
        data[0].begin(), data[0].end(),
        at(member, static_cast<std::uint32_t>(to.get<h::target>()), to.get<h::offset>(), bytes));
  }
  void put(std::uint32_t rank, const Descriptor& descriptor) {
    const PacketHeader image = descriptor.get<d::header>();
    const Coordinates to{static_cast<std::uint32_t>(image.get<h::dst_x>()),
                         static_cast<std::uint32_t>(image.get<h::dst_y>()),
                         static_cast<std::uint32_t>(image.get<h::dst_z>())};
    Message message{.region = static_cast<std::uint32_t>(image.get<h::target>()),
                    .offset = image.get<h::offset>(),
                    .is_counted = descriptor.get<d::event_valid>() != 0,
                    .event = static_cast<std::uint32_t>(descriptor.get<d::event_counter>())};
    const Bytes bytes = descriptor.get<d::length>();
    if (descriptor.get<d::immediate_valid>() != 0) {
      const auto immediate = descriptor.get<d::immediate>();
      const auto all = std::as_bytes(std::span(immediate));
      message.data.assign(all.begin(), all.begin() + static_cast<long>(bytes));
    } else {
      message.data = read(members_[rank], descriptor.get<d::source_region>(),
                          descriptor.get<d::source_offset>(), bytes);
    }
    ways_[{rank, at_.at({plan_.shape().node(to).value, message.region})}].push_back(
        std::move(message));
  }

  const NodePlan& plan_;
  std::vector<Task> tasks_;
  std::uint32_t group_;
  std::vector<Planned> calls_;
  std::vector<std::size_t> order_;  // of the collectives, which call each is
  Random& random_;
  Bytes stride_ = 0;
  std::vector<Member> members_;
  std::vector<std::vector<Data>> inputs_;                                    // of each collective
  std::vector<std::vector<Data>> outputs_;                                   // of each collective
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> at_;      // node, region
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> counts_;  // node, counter
  std::map<Way, std::deque<Message>> ways_;                                  // what is on its way
  std::set<std::pair<std::uint32_t, std::uint32_t>> slow_;
  std::set<Way> slow_ways_;
  std::string problem_;
};

// By counters of a window: some plans that give so many.
std::map<std::uint32_t, std::vector<NodePlan>> plans_by_counters() {
  std::map<std::uint32_t, std::vector<NodePlan>> plans;
  for (const std::uint32_t clients : {1U, 2U, 4U}) {
    for (std::uint32_t groups = 1; groups <= 22; ++groups) {
      const auto plan = NodePlan::make(Shape{4, 3, 3}, kSim, Bytes{64} << 20,
                                       {.clients = clients,
                                        .heap_bytes = 0,
                                        .offload_groups = groups,
                                        .offload_window = Bytes{64} << 10});
      if (plan) plans[plan.value().offload_counters()].push_back(plan.value());
    }
  }
  return plans;
}

// A call of any collective and length that the MU can run, by any algorithm that it can run it by.
Planned any_call(const NodePlan& plan, std::uint32_t members, Random* random) {
  const Operator sum(ReduceOp::kSum, DataType::kF64);
  while (true) {
    Call call{.what = kCollectives[random->below(std::size(kCollectives))]};
    const std::array<std::uint64_t, 8> counts{1, 2, 3, members - 1, members, members + 1, 40, 90};
    call.root = has_root(call.what) ? static_cast<std::uint32_t>(random->below(members)) : 0;
    call.element = reduces(call.what) ? 8 : 4;
    call.count = counts.at(random->below(counts.size()));
    call.commutative = !reduces(call.what) || random->chance(60);
    call.in_place = random->chance(30);
    const bool whole = call.what < Collective::kScatter;
    if (whole && random->chance(30)) call.count = 128 * members + random->below(9);
    if (call.what == Collective::kBroadcast && random->chance(30)) call.count = 2500;
    auto algorithms = algorithms_of(call);
    std::erase_if(algorithms, [&](Algorithm algorithm) {
      return obstacle(call, sum, algorithm, members, plan).has_value();
    });
    if (algorithms.empty()) continue;
    return {call, algorithms[random->below(algorithms.size())]};
  }
}

TEST(Offload, GivesTheRightBytesWhateverIsLate) {
  Random random;
  SCOPED_TRACE(random.replay());
  const auto plans = plans_by_counters();
  ASSERT_EQ(plans.begin()->first, 1U);
  ASSERT_EQ(plans.rbegin()->first, NodePlan::kMostOffloadCounters);
  for (std::uint32_t time = 0; time < 25; ++time) {
    for (const auto& [counters, some] : plans) {
      const NodePlan& plan = some[random.below(some.size())];
      const auto members =
          static_cast<std::uint32_t>(2 + random.below(random.chance(10) ? 33 : 11));
      std::vector<Task> tasks = first_tasks(plan.tasks());
      for (std::uint32_t i = 0; i < members; ++i) {
        std::swap(tasks[i], tasks[i + random.below(tasks.size() - i)]);
      }
      tasks.resize(members);
      std::vector<Planned> calls(1 + random.below(4));
      for (Planned& planned : calls) planned = any_call(plan, members, &random);
      std::vector<std::size_t> order(4 + random.below(8));
      for (std::size_t& which : order) which = random.below(calls.size());
      std::string what = std::to_string(counters) + " counters;";
      for (const std::size_t which : order) {
        const auto& [call, algorithm] = calls[which];
        what += " " + describe(call, algorithm, members) + ";";
      }
      const auto group = static_cast<std::uint32_t>(random.below(plan.offload_groups()));
      ASSERT_EQ(Members(plan, tasks, group, calls, order, &random).run(), "") << what;
    }
  }
}

}  // namespace
}  // namespace torusmu::testing
