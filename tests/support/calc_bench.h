// SPDX-License-Identifier: Apache-2.0
// What surrounds a mu_calc_engine in its tests: region table, memory port, completions; and the
// reference node that judges what it did.
//
//   CalcBench bench(random);
//   bench.set_region(3, region_entry(0x1003, 0x2000, kOwner));
//   const CalcRun run = bench.run(descriptor);   // status, cycles; memory is compared already

#ifndef TESTS_SUPPORT_CALC_BENCH_H_
#define TESTS_SUPPORT_CALC_BENCH_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "Vmu_calc_engine.h"
#include "sim/machine/memory_origin.h"
#include "tb/reference_model/calc_put.h"
#include "tb/reference_model/node_model.h"
#include "tests/support/clocked_once.h"
#include "tests/support/port_fields.h"
#include "tests/support/region.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {

using ReadCommand = Record<layout::read_command::Layout>;
using WriteCommand = Record<layout::write_command::Layout>;
using FetchedDescriptor = Record<layout::fetched_descriptor::Layout>;

inline constexpr unsigned kCalcOwner = 2;
inline constexpr std::uint64_t kCalcMemory = 1 << 18;

inline constexpr std::uint64_t kLargestRegion = 1ULL << 37;

// A CalcOperation or a CalcShape.
template <typename Immediate>
void set_immediate(Descriptor& descriptor, const Immediate& immediate) {
  std::array<std::uint8_t, 16> bytes{};
  std::copy_n(immediate.bytes().begin(), 16, bytes.begin());
  descriptor.set<layout::descriptor::immediate>(bytes);
}
// A stride has 40 bits, signed.
inline std::uint64_t stride_bits(std::int64_t stride) {
  return static_cast<std::uint64_t>(stride) & ((1ULL << 40) - 1);
}
// How far two steps, taken or not, lead below and above where they begin.
inline std::pair<std::uint64_t, std::uint64_t> reach(std::int64_t one, std::int64_t other) {
  std::int64_t down = 0, up = 0;
  for (const std::int64_t way : {one, other}) (way < 0 ? down : up) += way;
  return {static_cast<std::uint64_t>(-down), static_cast<std::uint64_t>(up)};
}

struct Shape2d {
  std::uint64_t columns;
  std::uint64_t rows;
  std::int64_t stride;
  std::int64_t row_stride;
};

struct CalcRun {
  Status status = Status::kOk;
  std::uint64_t cycles = 0;       // from the descriptor to done
  std::uint64_t beats = 0;        // read, without the list
  std::uint64_t read_cycles = 0;  // from the first of them to the last
  unsigned reads = 0;             // commands
  unsigned writes = 0;
  std::vector<FetchedDescriptor> puts;  // of the result to its targets
};

// How the memory behaves.
struct CalcMemoryTiming {
  unsigned percent = 100;      // chance that a ready is high, a beat comes, a write is accepted
  unsigned read_latency = 12;  // cycles from command to first beat
  unsigned write_latency = 12;
  unsigned first_write = 0;    // cycles from the descriptor to the first write that is taken
  std::size_t reads = 4;       // commands under way, as in the memory port
  bool offered_first = false;  // no read is taken in the cycle in which it is offered
};

// By default the model has all owners, all regions.
template <typename Engine>
class CalcBenchOf {
 public:
  // The memory begins anywhere, as the pins see it.
  explicit CalcBenchOf(Random& random)
      : CalcBenchOf(random, random.below(Address{7} << 25) << 12) {}
  CalcBenchOf(Random& random, Address origin, std::uint64_t memory_bytes = kCalcMemory,
              const Sizes& sizes = kBgp)
      : random_(random),
        origin_(origin),
        engine_(random.seed()),
        model_(Shape{}, NodeId{0}, memory_bytes, sizes),
        memory_(memory_bytes) {}

  CalcMemoryTiming timing;
  unsigned owner = kCalcOwner;        // of the queue
  std::optional<Descriptor> offered;  // while the next one runs: it must wait

  // Region `number`, for the engine and for the model.
  void set_region(unsigned number, const RegionEntry& entry) {
    namespace e = layout::region_entry;
    namespace f = registers::region::config_field;
    regions_[number] = entry;
    model_.write(registers::region::base(number), entry.get<e::base>(), true);
    model_.write(registers::region::length(number), entry.get<e::length>(), true);
    const std::uint64_t config =
        insert(insert(insert(insert(0, f::enable, entry.get<e::enable>()), f::remote_write,
                             entry.get<e::remote_write>()),
                      f::remote_read, entry.get<e::remote_read>()),
               f::owner, entry.get<e::owner>());
    model_.write(registers::region::config(number), config, true);
  }
  void write(std::uint64_t address, std::span<const std::uint8_t> data) {
    memory_.write(address, std::as_bytes(data));
    model_.memory().write(address, std::as_bytes(data));
  }
  Bytes read(std::uint64_t address, std::size_t bytes) const {
    Bytes data(bytes);
    memory_.read(address, std::as_writable_bytes(std::span(data)));
    return data;
  }

  // Runs the descriptor, and compares status and memory with those of the model. The result's bytes
  // are not compared if memory failed.
  CalcRun run(const Descriptor& descriptor) {
    model::Queue queue;
    queue.config = insert(0, registers::injection_queue::config_field::owner, owner);
    std::vector<PacketHeader> targets;
    const Status expected = model_.run_calc(descriptor, queue, &targets);
    CalcRun seen = play(descriptor);
    EXPECT_EQ(seen.status, expected) << name_of(seen.status) << " for " << name_of(expected);
    if (expected == Status::kMemoryError) take_over_result(descriptor);
    EXPECT_EQ(memory_.hash(), model_.memory().hash()) << "memory differs from the model's";
    if (expected != Status::kOk && expected != Status::kMemoryError) {
      EXPECT_EQ(seen.writes, 0U);
    }
    if (expected != Status::kOk) targets.clear();
    expect_puts(seen, targets, expected != Status::kMemoryError);
    return seen;
  }

 private:
  static constexpr std::uint64_t kCompletionCycles = 3;
  static constexpr std::size_t kMostWrites = 24;  // on their way
  struct Beat {
    std::uint64_t address;
    unsigned bytes;
    bool last;
    bool error;
    std::uint64_t due;
  };
  struct Write {
    std::uint64_t address;
    unsigned bytes;
    Bytes data;
    std::uint64_t due = 0;  // when memory accepts it
  };

  // As the queue hands it on; what the engine does not look at is any.
  FetchedDescriptor fetched(const Descriptor& descriptor) {
    namespace d = layout::descriptor;
    namespace h = layout::packet_header;
    const auto header = descriptor.get<d::header>();
    const auto any = Descriptor::from_bytes(random_bytes(random_, Descriptor::kBytes))
                         .set<d::opcode>(descriptor.get<d::opcode>())
                         .set<d::operands>(descriptor.get<d::operands>())
                         .set<d::targets>(descriptor.get<d::targets>())
                         .set<d::reduction>(descriptor.get<d::reduction>())
                         .set<d::element>(descriptor.get<d::element>())
                         .set<d::immediate_valid>(descriptor.get<d::immediate_valid>())
                         .set<d::immediate>(descriptor.get<d::immediate>())
                         .set<d::length>(descriptor.get<d::length>())
                         .set<d::source_region>(descriptor.get<d::source_region>())
                         .set<d::source_offset>(descriptor.get<d::source_offset>());
    return FetchedDescriptor::from_bytes(random_bytes(random_, FetchedDescriptor::kBytes))
        .set<layout::fetched_descriptor::descriptor>(
            Descriptor(any).set<d::header>(any.get<d::header>()
                                               .set<h::target>(header.get<h::target>())
                                               .set<h::offset>(header.get<h::offset>())))
        .set<layout::fetched_descriptor::owner>(owner);
  }
  CalcRun play(const Descriptor& descriptor) {
    CalcRun run;
    engine_.settle();
    EXPECT_FALSE(engine_->busy_o);
    engine_->calc_valid_i = 1;
    fetched_ = fetched(descriptor);
    drive(engine_->calc_descriptor_i, fetched_);
    engine_.settle();
    EXPECT_TRUE(engine_->calc_ready_o);
    const std::uint64_t start = begun_ = engine_.cycle();
    list_to_come_ = descriptor.get<layout::descriptor::immediate_valid>() == 0 ||
                    descriptor.get<layout::descriptor::targets>() != 0;
    first_beat_ = 0;
    for (bool finished = false; !finished;) {
      if (engine_.cycle() > start + kLongest) throw std::runtime_error("no end of a CALC");
      drive_inputs();
      engine_.settle();
      EXPECT_EQ(engine_->busy_o, engine_.cycle() != start);
      EXPECT_EQ(engine_->calc_ready_o, engine_.cycle() == start);
      finished = engine_->done_valid_o && engine_->done_ready_i;
      if (finished) run.status = static_cast<Status>(engine_->done_status_o);
      take_outputs(run);
      engine_.tick_settled();
      engine_->calc_valid_i = offered.has_value();
      if (offered) drive(engine_->calc_descriptor_i, fetched(*offered));
    }
    run.cycles = engine_.cycle() - start;
    EXPECT_TRUE(beats_.empty() && writes_.empty() && !writing_) << "done before memory was";
    engine_.settle();
    expect_idle();
    return run;
  }
  void expect_idle() {
    EXPECT_FALSE(engine_->busy_o);
    EXPECT_FALSE(engine_->done_valid_o);
    EXPECT_FALSE(engine_->put_valid_o);
    EXPECT_FALSE(get<layout::read_request::valid>(engine_->calc_read_o));
    EXPECT_FALSE(get<layout::write_request::command_valid>(engine_->calc_write_o));
    EXPECT_FALSE(get<layout::write_request::beat_valid>(engine_->calc_write_o));
  }

  // The region that was asked for in the cycle before, what memory gives, and what it takes.
  void drive_inputs() {
    const std::uint64_t now = engine_.cycle();
    namespace e = layout::region_entry;
    RegionEntry entry = regions_[region_asked_];
    drive(engine_->entry_i, entry.set<e::base>(origin_.to_pins(entry.get<e::base>())));
    engine_->calc_command_ready_i = commands_ < timing.reads && now >= next_command_ &&
                                    (read_held_ || !timing.offered_first) &&
                                    random_.chance(timing.percent);
    put<layout::write_response::command_ready>(engine_->calc_write_response_i,
                                               !writing_ && writes_.size() < kMostWrites &&
                                                   now >= begun_ + timing.first_write &&
                                                   random_.chance(timing.percent));
    put<layout::write_response::beat_ready>(engine_->calc_write_response_i,
                                            writing_ && random_.chance(timing.percent));
    engine_->done_ready_i = random_.chance(timing.percent);
    engine_->put_ready_i = random_.chance(timing.percent);
    put<layout::read_beat::valid>(engine_->calc_beat_i, !beats_.empty() &&
                                                            beats_.front().due <= now &&
                                                            random_.chance(timing.percent));
    if (get<layout::read_beat::valid>(engine_->calc_beat_i)) {
      const Beat& beat = beats_.front();
      Bytes data(32);
      if (memory_.holds(beat.address, beat.bytes)) {
        const Bytes part = read(beat.address, beat.bytes);
        std::copy(part.begin(), part.end(), data.begin());
      }
      put_bytes<layout::read_beat::data>(engine_->calc_beat_i, data);
      put<layout::read_beat::last>(engine_->calc_beat_i, beat.last);
      put<layout::read_beat::error>(engine_->calc_beat_i,
                                    beat.last ? beat.error : random_.chance(50));
    }
    engine_->stored_valid_i = !writes_.empty() && writes_.front().due <= now &&
                              now >= next_stored_ && random_.chance(timing.percent);
    if (engine_->stored_valid_i) {
      engine_->stored_error_i = !store(writes_.front());
      next_stored_ = now + kCompletionCycles;
    }
  }
  bool store(const Write& write) {
    if (!memory_.holds(write.address, write.bytes)) return false;
    memory_.write(write.address, std::as_bytes(std::span(write.data)).first(write.bytes));
    return true;
  }

  void take_outputs(CalcRun& run) {
    region_asked_ = engine_->region_o;
    const std::uint64_t now = engine_.cycle();
    if (get<layout::read_beat::valid>(engine_->calc_beat_i)) {
      const bool last = beats_.front().last;
      beats_.pop_front();
      commands_ -= last;
      if (!list_to_come_) {
        if (first_beat_ == 0) first_beat_ = now;
        ++run.beats;
        run.read_cycles = now - first_beat_ + 1;
      }
      if (last) list_to_come_ = false;
    }
    if (engine_->stored_valid_i) writes_.pop_front();
    take_read(run, now);
    take_write(run, now);
    take_put(run);
  }
  void take_read(CalcRun& run, std::uint64_t now) {
    const bool valid = get<layout::read_request::valid>(engine_->calc_read_o);
    const ReadCommand command = get<layout::read_request::command>(engine_->calc_read_o);
    if (read_held_) {
      EXPECT_TRUE(valid && command == held_read_) << "a read was taken back";
    }
    read_held_ = valid && !engine_->calc_command_ready_i;
    held_read_ = command;
    if (!valid || read_held_) return;
    const Address address = origin_.from_pins(command.get<layout::read_command::address>());
    const auto bytes = static_cast<unsigned>(command.get<layout::read_command::bytes>());
    if (bytes == 0 || bytes > 512) throw std::runtime_error("a read of no legal size");
    for (unsigned at = 0; at < bytes; at += 32) {
      beats_.push_back({address + at, std::min(32U, bytes - at), at + 32 >= bytes,
                        !memory_.holds(address, bytes), now + timing.read_latency});
    }
    ++run.reads;
    ++commands_;
    next_command_ = now + 2;
  }
  void take_write(CalcRun& run, std::uint64_t now) {
    const auto& offered_write = engine_->calc_write_o;
    const auto& ready = engine_->calc_write_response_i;
    const bool valid = get<layout::write_request::command_valid>(offered_write);
    const WriteCommand command = get<layout::write_request::command>(offered_write);
    if (write_held_) {
      EXPECT_TRUE(valid && command == held_write_) << "a write was taken back";
    }
    write_held_ = valid && !get<layout::write_response::command_ready>(ready);
    held_write_ = command;
    if (get<layout::write_response::beat_ready>(ready)) {
      // The write channel is shared: whoever has it keeps nobody waiting.
      EXPECT_TRUE(get<layout::write_request::beat_valid>(offered_write))
          << "a write that lacks its data";
      Write& write = unfinished_;
      const Bytes beat = get_bytes<layout::write_request::beat>(offered_write);
      write.data.insert(write.data.end(), beat.begin(), beat.end());
      if (write.data.size() >= write.bytes) {
        write.due = now + timing.write_latency;
        writes_.push_back(write);
        writing_ = false;
      }
    }
    if (!valid || write_held_) return;
    namespace w = layout::write_command;
    namespace a = layout::write_action;
    const Record<a::Layout> action = command.get<w::action>();
    EXPECT_EQ(action.get<a::action>(), Action::kCalc);
    EXPECT_EQ(action.get<a::client>(), owner);
    EXPECT_TRUE(command.get<w::final_part>());
    EXPECT_FALSE(action.get<a::counter_valid>() || action.get<a::event_valid>() ||
                 action.get<a::interrupt>());
    unfinished_ = {origin_.from_pins(command.get<w::address>()),
                   static_cast<unsigned>(command.get<w::bytes>()),
                   {}};
    EXPECT_TRUE(unfinished_.bytes >= 1 && unfinished_.bytes <= 512);
    writing_ = true;
    ++run.writes;
  }

  void take_put(CalcRun& run) {
    const FetchedDescriptor put =
        FetchedDescriptor::from_bytes(sample(engine_->put_o, FetchedDescriptor::kBytes));
    if (put_held_) {
      EXPECT_TRUE(engine_->put_valid_o && put == held_put_) << "a PUT was taken back";
    }
    put_held_ = engine_->put_valid_o && !engine_->put_ready_i;
    held_put_ = put;
    if (!engine_->put_valid_o || put_held_) return;
    namespace f = layout::fetched_descriptor;
    namespace d = layout::descriptor;
    const Descriptor what = put.get<f::descriptor>();
    const RegionEntry& region = regions_[what.get<d::source_region>()];
    const Address address = region.get<layout::region_entry::base>() + what.get<d::source_offset>();
    for (const Write& write : writes_) {
      EXPECT_TRUE(write.address >= address + what.get<d::length>() ||
                  address >= write.address + write.bytes)
          << "what it puts is not in memory yet";
    }
    run.puts.push_back(put);
  }
  // By chunk, and of each by target; all of them, or as many as there were before memory failed.
  void expect_puts(const CalcRun& seen, const std::vector<PacketHeader>& targets, bool all) {
    namespace f = layout::fetched_descriptor;
    namespace d = layout::descriptor;
    namespace h = layout::packet_header;
    constexpr std::uint64_t kEnd = std::uint64_t{1} << h::offset.width;
    if (!all) return;
    const Descriptor calc = fetched_.get<f::descriptor>();
    std::size_t n = 0;
    for (std::uint64_t at = 0; at < calc.get<d::length>() && !targets.empty(); at += 512) {
      const std::uint64_t bytes = std::min<std::uint64_t>(calc.get<d::length>() - at, 512);
      for (const PacketHeader& target : targets) {
        ASSERT_LT(n, seen.puts.size());
        Descriptor put = model::put_of_result(calc, target, at, bytes);
        if (target.get<h::offset>() + at >= kEnd) {
          put.set<d::header>(PacketHeader(target).set<h::offset>(kEnd - 1)).set<d::length>(512);
        }
        const FetchedDescriptor expected = FetchedDescriptor()
                                               .set<f::descriptor>(put)
                                               .set<f::queue>(fetched_.get<f::queue>())
                                               .set<f::index>(fetched_.get<f::index>())
                                               .set<f::owner>(fetched_.get<f::owner>())
                                               .set<f::mode>(fetched_.get<f::mode>())
                                               .set<f::lap>(fetched_.get<f::lap>())
                                               .set<f::detached>(1);
        EXPECT_EQ(seen.puts[n], expected) << "PUT " << n;
        ++n;
      }
    }
    EXPECT_EQ(n, seen.puts.size());
  }

  // What was written of a result that failed is not defined.
  // Strides lead anywhere.
  void take_over_result(const Descriptor& descriptor) {
    namespace h = layout::packet_header;
    namespace s = layout::calc_shape;
    const auto header = descriptor.get<layout::descriptor::header>();
    const auto shape = CalcShape::from_bytes(descriptor.get<layout::descriptor::immediate>());
    const bool is_piece =
        descriptor.get<layout::descriptor::immediate_valid>() != 0 ||
        (shape.get<s::result_stride>() == 0 && shape.get<s::result_row_stride>() == 0);
    const RegionEntry& region = regions_[header.get<h::target>()];
    const std::uint64_t address =
        is_piece ? region.get<layout::region_entry::base>() + header.get<h::offset>() : 0;
    if (address >= memory_.size()) return;
    const std::uint64_t rest = memory_.size() - address;
    const auto bytes =
        is_piece ? std::min(descriptor.get<layout::descriptor::length>(), rest) : rest;
    const Bytes data = read(address, bytes);
    model_.memory().write(address, std::as_bytes(std::span(data)));
  }

  static constexpr std::uint64_t kLongest = 1'000'000;  // cycles

  Random& random_;
  MemoryOrigin origin_;
  ClockedOnce<Engine> engine_;
  model::ReferenceNode model_;
  NodeMemory memory_;
  std::array<RegionEntry, 256> regions_{};
  unsigned region_asked_ = 0;
  std::deque<Beat> beats_;
  std::size_t commands_ = 0;  // whose last beat has not come
  std::uint64_t next_command_ = 0;
  std::uint64_t begun_ = 0;  // the descriptor that runs
  std::uint64_t first_beat_ = 0;
  bool list_to_come_ = false;
  bool read_held_ = false;
  ReadCommand held_read_;
  bool write_held_ = false;
  WriteCommand held_write_;
  bool writing_ = false;  // the beats of unfinished_ are being taken
  Write unfinished_{};
  bool put_held_ = false;
  FetchedDescriptor held_put_;
  FetchedDescriptor fetched_;  // the descriptor that runs
  std::deque<Write> writes_;
  std::uint64_t next_stored_ = 0;
};
using CalcBench = CalcBenchOf<Vmu_calc_engine>;

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_CALC_BENCH_H_
