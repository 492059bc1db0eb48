// SPDX-License-Identifier: Apache-2.0
// Reflection, played step by step: a put to a target, and behind it in the same queue a GET that a
// neighbour turns into a completion for the origin.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_REFLECTION_PLAY_H_
#define TORUSMU_SIM_PLAY_SCENARIO_REFLECTION_PLAY_H_

#include <optional>
#include <vector>

#include "sim/play/scenario/raw_node.h"
#include "sim/play/stage.h"

namespace torusmu {

class ReflectionPlay {
 public:
  static constexpr NodeId kOrigin{0};
  static constexpr Bytes kMessageBytes = 4096;

  // Who sends the completion back.
  enum class Reflector {
    kNeighbour,  // the MU chooses; says that the message has left
    kTarget,     // a GET behind the data, to the target itself; proves delivery
  };

  // How the completion is told to the origin (US 7,890,597 has the last two).
  enum class Told {
    kFlag,   // a put whose own flag raises an interrupt
    kFifo,   // a memory-FIFO packet, as each packet that is stored in that FIFO
    kTouch,  // a put into interrupt-on-touch memory
  };

  // When things happened at the pins; cycles in which the pins had changed.
  struct Journey {
    std::optional<Cycles> doorbell, first_data_out, last_data_out, get_out, completion_out,
        completion_last, interrupt;
    std::optional<NodeId> reflector;
    unsigned data_direction = 0, get_direction = 0, completion_direction = 0;
    std::uint64_t data_flits = 0;
    // Figure of the issue: last data flit out to interrupt; 0 if either was not seen.
    [[nodiscard]] Cycles completion_cycles() const {
      return last_data_out && interrupt ? *interrupt - *last_data_out : 0;
    }
  };

  explicit ReflectionPlay(Stage& stage);

  // Opens regions and queues on every node. False if that failed.
  bool set_up();
  // One message to `target`; false if its interrupt did not come. Checks are the caller's.
  bool send(NodeId target, Reflector reflector, Told told = Told::kFlag);

  // Behind send() with Told::kFifo: the origin has its MU store the bytes of the completion from
  // where they lie in the FIFO, and frees the slots once they are stored. False if the MU did not.
  bool store_from_fifo();
  // The eight bytes where it has stored them, and how many slots the FIFO holds then.
  [[nodiscard]] std::uint64_t stored_token() const;
  [[nodiscard]] std::uint32_t slots_left() const { return slots_left_; }

  // One core of the origin sleeps until another core there has written into memory that it has
  // marked; behind a write beside that, and a read. The cycles from the write to the interrupt;
  // nothing if that did not come, or came for something else.
  std::optional<Cycles> wake_by_core();

  [[nodiscard]] const Journey& journey() const { return journey_; }
  [[nodiscard]] std::uint32_t sent() const { return sent_; }
  [[nodiscard]] std::uint32_t completions() const { return completions_; }
  [[nodiscard]] bool target_has_bytes(NodeId target) const;
  // Reflections sent and known to be done, over all directions.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> credits() const { return credits_; }
  // The last completion's eight bytes, as the origin's memory, or its FIFO, holds them.
  [[nodiscard]] std::uint64_t token() const;
  // The causes that were set when the interrupt had come.
  [[nodiscard]] std::uint64_t causes() const { return causes_; }
  // Register and memory accesses of cores that were not the origin's, since set_up().
  [[nodiscard]] std::uint64_t other_core_accesses() const;

 private:
  void read_journey();

  Stage& stage_;
  Journey journey_;
  std::uint32_t sent_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t completions_ = 0;
  std::uint64_t causes_ = 0;
  Address token_at_;
  std::uint32_t slots_left_ = 0;
  std::pair<std::uint64_t, std::uint64_t> credits_{};
  std::vector<const Core*> other_cores_;
  std::vector<std::uint64_t> accesses_before_;
};

// Links from `from` to `to` on the way that packets take.
std::uint32_t hops(const Shape& shape, NodeId from, NodeId to);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_REFLECTION_PLAY_H_
