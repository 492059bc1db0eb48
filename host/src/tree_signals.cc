// SPDX-License-Identifier: Apache-2.0
// Barriers and global interrupts over the combining tree: set-up of a class, and its members.
#include <limits>

#include "torusmu/registers.h"
#include "torusmu/tree.h"

namespace torusmu {
namespace {

namespace r = registers;
namespace c = registers::tree_class::config_field;
namespace d = layout::descriptor;

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
constexpr std::uint32_t kMostMembers = 1U << c::members.width;

std::uint64_t config_of(const TreeCables& cables, const TreeSignalOptions& options) {
  std::uint64_t config = insert(insert(insert(0, c::parent, cables.parent), c::left, cables.left),
                                c::right, cables.right);
  config = insert(config, c::any, options.kind == TreeSignalKind::kInterrupt);
  if (options.members == 0) return config;
  // Of a global interrupt each arrival counts by itself.
  const bool waits_for_all = options.kind == TreeSignalKind::kBarrier;
  config =
      insert(insert(config, c::arrives, 1), c::members, waits_for_all ? options.members - 1 : 0);
  config = insert(config, c::arrive_counter, options.arrivals.value);
  config = insert(insert(config, c::released, 1), c::release_counter, options.releases.value);
  return insert(insert(config, c::owner, options.owner.value), c::interrupt,
                options.raises_interrupt);
}

std::uint32_t releases_register(const TreeSignal& signal) {
  return r::client_page::event_counter(signal.options.owner.value, signal.options.releases.value);
}

// The count of releases. A device that is gone answers with all ones, which is a count as well: the
// page says which.
Result<std::uint32_t> read_releases(Device& device, const TreeSignal& signal) {
  const std::uint32_t count = device.read32(releases_register(signal));
  if (count == std::numeric_limits<std::uint32_t>::max() &&
      device.read64(r::client_page::page_status(signal.options.owner.value)) == kAllOnes) {
    return Errc::kDeviceGone;
  }
  return count;
}

Descriptor arrival_of(const TreeSignal& signal) {
  return Descriptor()
      .set<d::opcode>(Opcode::kCtrAdd)
      .set<d::event_valid>(1)
      .set<d::event_counter>(signal.options.arrivals.value)
      .set<d::immediate>(WaitOperation().set<layout::wait_operation::value>(1).bytes());
}

Descriptor wait_for_release(const TreeSignal& signal, std::uint32_t count, std::uint32_t step) {
  namespace w = layout::wait_operation;
  return Descriptor()
      .set<d::opcode>(Opcode::kWait)
      .set<d::event_valid>(1)
      .set<d::event_counter>(signal.options.releases.value)
      .set<d::immediate>(WaitOperation().set<w::value>(count).set<w::step>(step).bytes());
}

// Returns once `done` says so. With `sleeps` the cause is cleared before `done` looks, so that what
// comes after the look raises the line again.
template <typename Done>
std::error_code wait_until(Device& device, ClientId client, bool sleeps, Cycles deadline,
                           const Done& done) {
  constexpr std::uint64_t kArrived = std::uint64_t{1} << static_cast<unsigned>(Cause::kArrived);
  for (;;) {
    if (sleeps) device.write64(r::client_page::interrupt_cause(client.value), kArrived);
    const Result<bool> is_done = done();
    if (!is_done) return is_done.error();
    if (is_done.value()) return {};
    if (device.now() >= deadline) return Errc::kDeadline;
    if (sleeps) device.wait_interrupt(client, deadline);
  }
}

}  // namespace

// --- set-up -------------------------------------------------------------------------------------

std::string TreeSetup::wrong_with_counter(EventId counter, ClientId owner) const {
  namespace f = r::event_counter_config::config_field;
  const std::string name = "event counter " + std::to_string(counter.value);
  if (counter.value >= sizes_.event_counters) {
    return name + ": the node has " + std::to_string(sizes_.event_counters);
  }
  const std::uint64_t config = device_.read64(r::event_counter_config::config(counter.value));
  if (extract(config, f::enable) == 0) return name + " is not enabled";
  const std::uint64_t found = extract(config, f::owner);
  if (found == owner.value) return "";
  return name + " belongs to client " + std::to_string(found) + ", not to client " +
         std::to_string(owner.value);
}

std::string TreeSetup::wrong_with(const TreeGroup& group, const TreeSignalOptions& options) const {
  if (!group.has(device_.node())) {
    return "node " + std::to_string(device_.node().value) + " is not in the group";
  }
  if (options.number.value >= sizes_.tree_classes) {
    return "class " + std::to_string(options.number.value) + ": the node has classes 0 to " +
           std::to_string(sizes_.tree_classes - 1);
  }
  if (options.members > kMostMembers) {
    return std::to_string(options.members) + " members at a node: at most " +
           std::to_string(kMostMembers);
  }
  if (options.members == 0) {
    return options.raises_interrupt ? "an interrupt without a member at the node" : "";
  }
  if (options.owner.value >= sizes_.clients) {
    return "client " + std::to_string(options.owner.value) + ": the node has " +
           std::to_string(sizes_.clients);
  }
  if (options.arrivals == options.releases) {
    return "event counter " + std::to_string(options.arrivals.value) +
           " cannot count both arrivals and releases";
  }
  const std::string arrivals = wrong_with_counter(options.arrivals, options.owner);
  return arrivals.empty() ? wrong_with_counter(options.releases, options.owner) : arrivals;
}

Result<TreeSignal> TreeSetup::set_up(const TreeGroup& group, const TreeSignalOptions& options) {
  const std::uint64_t identity = device_.read64(r::node::identity());
  if (static_cast<std::uint32_t>(identity) != r::kSignature) return Errc::kDeviceGone;
  const std::string wrong = wrong_with(group, options);
  if (!wrong.empty()) return {Errc::kBadArgument, wrong};
  const std::uint32_t address = r::tree_class::config(options.number.value);
  if (device_.read64(address) != 0) {
    return {Errc::kOutOfResources, "class " + std::to_string(options.number.value) +
                                       " is in use at node " +
                                       std::to_string(device_.node().value) +
                                       ": close it on all nodes of its group, or take another"};
  }
  TreeSignal signal{.options = options};
  if (options.members != 0) {
    // Before the class watches it: this is nobody's arrival.
    device_.write32(r::client_page::event_counter(options.owner.value, options.arrivals.value), 0);
    signal.released = device_.read32(releases_register(signal));
  }
  const std::uint64_t config = config_of(group.cables(device_.node()), options);
  device_.write64(address, config);
  if (device_.read64(address) != config) return Errc::kDeviceError;
  return signal;
}

std::error_code TreeSetup::close(TreeClassId number) {
  if (number.value >= sizes_.tree_classes) return Errc::kBadArgument;
  device_.write64(r::tree_class::config(number.value), insert(0, c::forget, 1));
  return {};
}

// --- members ------------------------------------------------------------------------------------

std::error_code TreeBarrier::arrive() {
  if (released_ != barriers_) {
    const auto released = is_released();
    if (!released) return released.error();
    if (!released.value()) return Errc::kAgain;
  }
  ++barriers_;
  device_.write32(
      r::client_page::event_counter(signal_.options.owner.value, signal_.options.arrivals.value),
      barriers_);
  return {};
}

Result<bool> TreeBarrier::is_released() {
  if (released_ == barriers_) return true;
  const auto count = read_releases(device_, signal_);
  if (!count) return count.error();
  released_ = count.value() - signal_.released;
  // Counts wrap: it is ahead if by less than half the circle. In later laps of a ring it may be.
  if (static_cast<std::int32_t>(released_ - barriers_) >= 0) released_ = barriers_;
  return released_ == barriers_;
}

std::error_code TreeBarrier::wait(Cycles deadline) {
  const bool sleeps = signal_.options.raises_interrupt && signal_.options.members == 1;
  return wait_until(device_, signal_.options.owner, sleeps, deadline,
                    [this] { return is_released(); });
}

void TreeBarrier::append_to(std::vector<Descriptor>& list, std::uint32_t barriers_in_lap) {
  ++barriers_;
  list.push_back(arrival_of(signal_));
  list.push_back(wait_for_release(signal_, signal_.released + barriers_, barriers_in_lap));
}

void GlobalInterrupt::raise() {
  device_.write32(
      r::client_page::event_counter(signal_.options.owner.value, signal_.options.arrivals.value),
      seen_ + 1);
}

void GlobalInterrupt::append_to(std::vector<Descriptor>& list) const {
  list.push_back(arrival_of(signal_));
}

Result<std::uint32_t> GlobalInterrupt::take() {
  const auto count = read_releases(device_, signal_);
  if (!count) return count.error();
  const std::uint32_t before = seen_;
  seen_ = count.value();
  return seen_ - before;
}

Result<std::uint32_t> GlobalInterrupt::wait(Cycles deadline) {
  std::uint32_t taken = 0;
  const std::error_code error =
      wait_until(device_, signal_.options.owner, signal_.options.raises_interrupt, deadline,
                 [this, &taken]() -> Result<bool> {
                   const auto came = take();
                   if (!came) return came.error();
                   taken = came.value();
                   return taken != 0;
                 });
  if (error) return error;
  return taken;
}

}  // namespace torusmu
