// SPDX-License-Identifier: Apache-2.0
// collectives: every collective of the host library, around each length at which it takes another
// algorithm, first by the cores, then by the MU. Both must give every member the same bytes, those
// that collective_calls.cc works out without either. What the MU can run it runs without any access
// of a core between the posting and the interrupt; what it cannot run the library gives back to the
// cores, and says so. At the end two members call with different lengths, and the one that would
// get more than it asked for is told.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "sim/machine/profile.h"
#include "sim/play/must.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/collective_calls.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/scenarios.h"
#include "torusmu/registers.h"
#include "torusmu/setup.h"

namespace torusmu {
namespace {

constexpr Cycles kBound = 100'000'000;
constexpr Cycles kQuiet = 25'000;  // until the messages of before have all been acknowledged
constexpr ClientId kClient{0};
constexpr Bytes kGuardBytes = 64;
constexpr std::byte kGuard{0x5a};

enum class Way { kCores, kMu };

// How one call went at one member.
struct Outcome {
  bool called = false;
  bool by_mu = false;          // says the library
  std::uint64_t accesses = 0;  // of the core, from the posting to the interrupt, if so
  std::string wrong;           // a byte of the result
  std::string outside;         // a byte around it
};

// Of one member; others run beside it.
struct Member {
  const Core* core = nullptr;
  Cycles begun = 0;
  std::vector<Outcome> by_cores, by_mu;  // as there are calls
  std::error_code differs;               // of the call with another length than the root's
};

class Calls {
 public:
  explicit Calls(Stage& stage)
      : stage_(stage),
        nodes_(stage.shape().nodes()),
        calls_(collective_calls(nodes_, stage.seed(), stage.is_brief())),
        plan_(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size(), options()).value()),
        members_(nodes_) {
    for (std::uint32_t m = 0; m < nodes_; ++m) tasks_.push_back({m});
  }

  void play() {
    for (std::uint32_t m = 0; m < nodes_; ++m) {
      members_[m].by_cores.resize(calls_.size());
      members_[m].by_mu.resize(calls_.size());
      members_[m].core = &stage_.add_core({m}, [this, m](Device& device) { be_member(m, device); });
    }
    if (!stage_.run(kBound)) return;
    const std::vector<std::string> groups{"register writes", "descriptors of requests",
                                          "requests received", "stores", "event counters"};
    show_opening(stage_, members_[0].begun, {"a member", groups}, {"another member", groups});
    check();
    tell();
  }

 private:
  // Buffers of a member, with guards around what comes out.
  struct Buffers {
    Address in = 0;
    Address out = 0;
  };

  [[nodiscard]] Bytes most_in() const {
    Bytes most = 0;
    for (const CollectiveCall& call : calls_) {
      for (const auto& in : call.in) most = std::max<Bytes>(most, in.size());
    }
    return most;
  }
  [[nodiscard]] Bytes most_out() const {
    Bytes most = 0;
    for (const CollectiveCall& call : calls_) {
      for (const auto& out : call.out) most = std::max<Bytes>(most, out.size());
    }
    return most + 2 * kGuardBytes;
  }
  // The heap holds both buffers and the scratch memory of software.
  [[nodiscard]] PlanOptions options() const {
    PlanOptions options;
    options.offload_window = collective_window(nodes_);
    options.heap_bytes = std::max(options.heap_bytes, 4 * (most_in() + most_out()));
    return options;
  }

  void be_member(std::uint32_t member, Device& device) {
    must(NodeSetup(device, plan_).run(), "setup");
    Context context(device, plan_, kClient);
    Group by_mu(context, tasks_, 0, RunBy::kMu);
    Group by_cores(context, tasks_, 1, RunBy::kSoftware);
    const Buffers buffers{context.take_heap(most_in()).value(),
                          context.take_heap(most_out()).value()};
    members_[member].begun = device.now();
    for (std::size_t c = 0; c < calls_.size(); ++c) {
      make(by_cores, device, c, member, buffers, Way::kCores);
    }
    // What the library gives back to the cores goes by messages too.
    for (std::size_t c = 0; c < calls_.size(); ++c) {
      if (!calls_[c].fits_mu) make(by_mu, device, c, member, buffers, Way::kMu);
    }
    // Two, for the windows and counters of both. From then on nothing but the MU raises a line.
    must(by_mu.barrier(context.now() + kBound), "barrier");
    must(by_mu.barrier(context.now() + kBound), "barrier");
    must(context.flush(context.now() + kBound), "flush");
    must(context.linger(kQuiet), "linger");
    for (std::size_t c = 0; c < calls_.size(); ++c) {
      if (calls_[c].fits_mu) make(by_mu, device, c, member, buffers, Way::kMu);
    }
    differ(context, member, buffers);
    must(context.flush(context.now() + kBound), "flush");
    must(context.linger(kQuiet), "linger");
  }
  void differ(Context& context, std::uint32_t member, const Buffers& buffers) {
    if (member > 1) return;
    Group two(context, {tasks_.at(0), tasks_.at(1)}, 2, RunBy::kSoftware);
    const Bytes bytes = member == 0 ? 32 : 16;
    members_[member].differs = two.broadcast(0, buffers.in, bytes, context.now() + kBound);
  }

  void make(Group& group, Device& device, std::size_t number, std::uint32_t member,
            const Buffers& buffers, Way way) {
    const CollectiveCall& call = calls_[number];
    prepare(call, member, buffers);
    Outcome& outcome =
        (way == Way::kMu ? members_[member].by_mu : members_[member].by_cores)[number];
    outcome.called = true;
    if (way == Way::kMu) {
      device.write64(registers::client_page::interrupt_cause(kClient.value), ~std::uint64_t{0});
      (void)device.read64(registers::client_page::interrupt_cause(kClient.value));
    }
    const auto request = start(group, call, buffers);
    must(request.error(), call.name());
    outcome.by_mu = group.is_run_by_mu(request.value());
    if (outcome.by_mu) {
      const std::uint64_t before = members_[member].core->counts().accesses();
      if (!device.wait_interrupt(kClient, device.now() + kBound)) {
        throw std::runtime_error(call.name() + ": no end");
      }
      outcome.accesses = members_[member].core->counts().accesses() - before;
    }
    must(group.wait(request.value(), device.now() + kBound), call.name());
    look(call, member, buffers, outcome);
  }

  void prepare(const CollectiveCall& call, std::uint32_t member, const Buffers& buffers) {
    NodeMemory& memory = stage_.memory({member});
    const std::vector<std::byte> guarded(call.out[member].size() + 2 * kGuardBytes, kGuard);
    memory.write(buffers.out, guarded);
    const bool in_output = call.call.what == Collective::kBroadcast;
    memory.write(in_output ? buffers.out + kGuardBytes : buffers.in, call.in[member]);
  }

  static Result<CollectiveRequest> start(Group& group, const CollectiveCall& call,
                                         const Buffers& buffers) {
    const Operator op(call.op, call.type);
    const Address in = buffers.in;
    const Address out = buffers.out + kGuardBytes;
    const std::uint64_t count = call.call.count;
    switch (call.call.what) {
      case Collective::kBarrier:
        return group.ibarrier();
      case Collective::kBroadcast:
        return group.ibroadcast(call.call.root, out, count);
      case Collective::kReduce:
        return group.ireduce(call.call.root, op, count, in, out);
      case Collective::kAllreduce:
        return group.iallreduce(op, count, in, out);
      case Collective::kScatter:
        return group.iscatter(call.call.root, count, in, out);
      case Collective::kGather:
        return group.igather(call.call.root, count, in, out);
      case Collective::kAllgather:
        return group.iallgather(count, in, out);
      case Collective::kAlltoall:
        return group.ialltoall(count, in, out);
      default:
        return group.ireduce_scatter(op, count, in, out);
    }
  }

  // In the cycle in which the member knows that the call is over.
  void look(const CollectiveCall& call, std::uint32_t member, const Buffers& buffers,
            Outcome& outcome) {
    const std::vector<std::byte>& wanted = call.out[member];
    std::vector<std::byte> found(wanted.size() + 2 * kGuardBytes);
    stage_.memory({member}).read(buffers.out, found);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool inside = i >= kGuardBytes && i < kGuardBytes + wanted.size();
      const std::byte right = inside ? wanted[i - kGuardBytes] : kGuard;
      std::string& text = inside ? outcome.wrong : outcome.outside;
      if (found[i] == right || !text.empty()) continue;
      text = fmt::format("{}: member {}, byte {} is 0x{:02x}, not 0x{:02x}", call.name(), member,
                         static_cast<std::int64_t>(i) - static_cast<std::int64_t>(kGuardBytes),
                         std::to_integer<int>(found[i]), std::to_integer<int>(right));
    }
  }

  void check() {
    Tally cores("results"), mu("results"), guards("results"), who("calls"), silent("calls");
    for (std::uint32_t m = 0; m < nodes_; ++m) {
      for (std::size_t c = 0; c < calls_.size(); ++c) {
        const Outcome& by_cores = members_[m].by_cores[c];
        const Outcome& by_mu = members_[m].by_mu[c];
        cores.expect(by_cores.called && by_cores.wrong.empty(), [&] { return by_cores.wrong; });
        mu.expect(by_mu.called && by_mu.wrong.empty(), [&] { return by_mu.wrong; });
        guards.expect(by_cores.outside.empty() && by_mu.outside.empty(),
                      [&] { return by_cores.outside + by_mu.outside; });
        who.expect(!by_cores.by_mu && by_mu.by_mu == calls_[c].fits_mu, [&] {
          return fmt::format("{}: member {} says that {} run it", calls_[c].name(), m,
                             by_mu.by_mu ? "the MU has" : "the cores have");
        });
        if (!calls_[c].fits_mu) continue;
        silent.expect(by_mu.by_mu && by_mu.accesses == 0, [&] {
          return fmt::format("{}: {} accesses of member {}", calls_[c].name(), by_mu.accesses, m);
        });
      }
    }
    cores.report(stage_, "collectives.right_by_the_cores");
    mu.report(stage_, "collectives.right_by_the_mu");
    guards.report(stage_, "collectives.nothing_written_outside");
    who.report(stage_, "collectives.run_by_whom_the_library_says");
    silent.report(stage_, "collectives.no_host");
    stage_.check("collectives.members_that_differ_are_told",
                 !members_.at(0).differs && members_.at(1).differs == Errc::kTruncated,
                 fmt::format("a broadcast of 32 bytes, 16 of them asked for: {}",
                             members_.at(1).differs.message()));
  }

  // A line for each collective.
  void tell() {
    for (const Collective what :
         {Collective::kBarrier, Collective::kBroadcast, Collective::kReduce, Collective::kAllreduce,
          Collective::kScatter, Collective::kGather, Collective::kAllgather, Collective::kAlltoall,
          Collective::kReduceScatter}) {
      std::uint32_t by_mu = 0;
      std::string given_back;
      for (const CollectiveCall& call : calls_) {
        if (call.call.what != what) continue;
        by_mu += call.fits_mu ? 1 : 0;
        if (!call.fits_mu) given_back += (given_back.empty() ? "" : "; ") + call.name();
      }
      stage_.say(fmt::format("{}: calls that the MU runs: {}{}", name_of(what), by_mu,
                             given_back.empty() ? "" : ", left to the cores: " + given_back));
    }
    stage_.say(
        fmt::format("{} members, {} calls by the cores and as many of a group of the MU, in "
                    "{} cycles",
                    nodes_, calls_.size(), stage_.now()));
  }

  Stage& stage_;
  std::uint32_t nodes_;
  std::vector<CollectiveCall> calls_;
  NodePlan plan_;
  std::vector<Member> members_;
  std::vector<Task> tasks_;
};

}  // namespace

void play_collectives(Stage& stage) { Calls(stage).play(); }

}  // namespace torusmu
