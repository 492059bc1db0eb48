// SPDX-License-Identifier: Apache-2.0
// A program made from a seed for all cores of a machine of any shape: puts, memory-FIFO messages,
// gets, reflections and counter operations, good and bad, of random lengths and alignments. It can
// be played on any stage, and its outcome does not depend on how fast what goes: two stages that
// both obey the specification end with the same facts and the same memory.
#ifndef TORUSMU_TESTS_SUPPORT_RANDOM_PROGRAM_H_
#define TORUSMU_TESTS_SUPPORT_RANDOM_PROGRAM_H_

#include <bit>
#include <map>
#include <string>
#include <vector>

#include "sim/machine/mix.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/stage.h"
#include "tests/support/random_places.h"

namespace torusmu::testing {

struct RandomProgramOptions {
  Bytes bytes = 64 << 10;       // of all messages together, about
  Bytes longest = 64 << 10;     // of one message
  std::uint32_t messages = 24;  // of all nodes together, at most
};

class RandomProgram {
 public:
  static constexpr std::uint32_t kClients = 3;
  static constexpr Bytes kMemory = Bytes{8} << 20;

  // Facts by name; they must be the same on every stage.
  using Facts = std::map<std::string, std::string>;

  RandomProgram(std::uint64_t seed, const Shape& shape, const RandomProgramOptions& options = {});

  // Plays it to the end. What went wrong, empty if nothing did.
  std::string play(Stage& stage);
  // Reads what came of it, and clears in the memory what may differ: rings that several sources
  // share.
  Facts facts(Stage& stage);

  [[nodiscard]] std::size_t messages() const { return messages_; }

 private:
  struct Message {
    Descriptor descriptor;
    bool push = false;
    bool doorbell = true;  // false: with the next one's
  };
  // What belongs to one client of one node.
  struct Process {
    std::vector<Message> messages;
    std::vector<Descriptor> requests;       // in memory, to be fetched by gets
    std::array<Bytes, 6> counters{};        // expected bytes
    std::array<std::uint32_t, 6> events{};  // first values
    Bytes target_used = 0;
    std::uint32_t fifo_slots = 0;
    [[nodiscard]] std::uint32_t fifo_ring() const {
      return std::bit_ceil(std::max(fifo_slots, 32U));
    }
    std::uint32_t small_fifo_slots = 0;  // 0: stays closed
    std::uint32_t get_slots = 0;
    std::uint32_t ring_slots = 1;
    std::uint32_t push_slots = 1;
    std::uint32_t threshold = 0;
    Bytes shift = 0;          // of its rings and regions, so that nothing is aligned
    bool unit_rings = false;  // those that the MU fills lie in the unit's memory, if they fit
  };
  struct Place {
    std::uint32_t node = 0, client = 0;
  };

  Process& at(Place place) { return processes_[place.node * kClients + place.client]; }
  Place anybody() {
    return {static_cast<std::uint32_t>(random_.below(shape_.nodes())),
            static_cast<std::uint32_t>(random_.below(kClients))};
  }
  Bytes length(Bytes most);
  void make_message(Place from);
  Descriptor transfer(Place from, Place to, bool remote, bool immediate_only);
  Descriptor bad_one(Place from, Place to);
  Descriptor counter_operation(Place from);
  Descriptor get(Place from);
  // The one process that `from` alone sends to where order counts.
  Place buddy(Place from) const { return {(from.node + 1) % shape_.nodes(), from.client}; }
  Descriptor small_fifo_message(Place from);
  Descriptor get_that_may_halt(Place from);
  Descriptor reflection(Place from);
  void decorate(Place from, Descriptor& descriptor, Bytes bytes);
  void add_message(Place from, Descriptor descriptor, bool in_order = false);

  void fill(Stage& stage);
  void set_up(Device& device, std::uint32_t node);
  void post_all(Device& device, Place place);
  void read_registers(Device& device, std::uint32_t node, Facts& facts);
  void set_up_touches(Device& device, std::uint32_t node) const;
  static void read_fifo(NodeMemory& memory, Place place, FifoId fifo, Address base,
                        std::uint32_t slots, std::uint32_t tail, Facts& facts);
  void read_notices(NodeMemory& memory, Place place, std::uint32_t tail, Facts& facts);

  std::uint64_t seed_;
  Rng random_;
  random_places::Numbers numbers_;
  Shape shape_;
  RandomProgramOptions options_;
  Bytes bytes_left_;
  std::vector<Process> processes_;
  std::size_t messages_ = 0;
  std::uint32_t number_ = 0;
};

// What differs between two memories, in words; empty if nothing does.
std::string compare_memories(const NodeMemory& found, const NodeMemory& wanted);

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_RANDOM_PROGRAM_H_
