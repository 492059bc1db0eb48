// SPDX-License-Identifier: Apache-2.0
// What a descriptor must lead to, worked out from the descriptor format alone: status, packets,
// counter operations, notice. A reflecting GET is judged as if its dst and target were chosen
// already, with number 0: the test patches what the credits decide.

#ifndef TESTS_SUPPORT_INJECTION_ORACLE_H_
#define TESTS_SUPPORT_INJECTION_ORACLE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "sim/machine/memory_origin.h"
#include "tb/reference_model/packet.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/types.h"

namespace torusmu::testing {

using RegionEntry = Record<layout::region_entry::Layout>;
using CounterOperation = Record<layout::counter_operation::Layout>;

struct CounterOwner {
  bool enable = false;
  std::uint8_t client = 0;
};

// What the judge looks at besides the descriptor.
struct Surroundings {
  Coordinates place;
  Coordinates last;  // largest coordinates
  std::array<RegionEntry, 256> regions;
  std::array<CounterOwner, 256> counters;
  std::array<CounterOwner, 256> events;
  std::set<unsigned> waited;  // event counters that a WAIT stands on
  struct {
    bool connected = false;
    bool dynamic = false;  // there is any
    bool broken = false;   // a SEND of the queue has ended with RETRY_EXCEEDED
    std::optional<unsigned> event;
  } peer;
  Bytes memory;
  MemoryOrigin origin;  // of the memory, for regions that begin before it

  // What the counters' block answers.
  [[nodiscard]] Record<layout::counter_owner::Layout> owner_of(
      const Record<layout::counter_lookup::Layout>& lookup) const {
    namespace l = layout::counter_lookup;
    namespace o = layout::counter_owner;
    const CounterOwner& owner =
        (lookup.get<l::is_event>() ? events : counters)[lookup.get<l::index>()];
    return Record<o::Layout>().set<o::enable>(owner.enable).set<o::owner>(owner.client);
  }
};

// Where the descriptor lay.
struct Origin {
  QueueMode mode = QueueMode::kDoorbell;
  std::uint64_t owner = 0;
  std::uint64_t queue = 0;
  std::uint64_t index = 0;
};

struct Outcome {
  Status status = Status::kOk;
  std::vector<model::Packet> packets;  // sealed
  std::vector<CounterOperation> operations;
  std::optional<model::Packet> notice;
  std::optional<CounterOperation> enable;  // of an enable, for the queue engine
  bool held = false;                       // goes to cross-channel control
};

// The kind of its packets; kNone of those that move nothing.
Kind kind_of(Opcode opcode);
Outcome expected_outcome(const Surroundings& around, const Descriptor& descriptor,
                         const Origin& origin);
// The status alone.
Status expected_status(const Surroundings& around, const Descriptor& descriptor,
                       const Origin& origin);
// The notice that a getter is owed for a descriptor that ended in `status`.
model::Packet expected_notice(const Surroundings& around, const Descriptor& descriptor,
                              const Origin& origin, Status status);

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_INJECTION_ORACLE_H_
