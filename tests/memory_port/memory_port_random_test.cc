// SPDX-License-Identifier: Apache-2.0
// model: Vmu_memory_port mu_memory_port tb/formal/mu_axi4_manager_properties.sv
// flags: tb/formal/mu_axi4_bind.svh
// bgp:
// All ports of the memory port at once, compared in each cycle with what the contract says.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/memory_port_pins.h"
#include "tests/support/memory_read_model.h"
#include "tests/support/memory_write_model.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"
#include "tests/support/touch_ranges_model.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

namespace out = layout::axi_request;
namespace in = layout::axi_response;

using Reads = MemoryReadModel;
using Writes = MemoryWriteModel;
using Ranges = TouchRangesModel;
using ReadCommand = Record<layout::read_command::Layout>;

constexpr std::uint64_t kTop = 1ULL << 40U;

// The memory, of which only the order of its answers matters.
struct Memory {
  std::array<std::deque<bool>, Reads::kReaders> words;  // to be read; the last of a burst
  unsigned bursts = 0, bursts_full = 0;                 // to be written
  unsigned answers() const { return std::min(bursts, bursts_full); }
};

class MemoryPortAtRandom : public ::testing::Test {
 protected:
  // How often things happen for some hundred cycles, in percent.
  struct Mood {
    unsigned reads = 50, writes = 50, beats = 80, registers = 10, actions = 60;
    unsigned addresses = 60, words = 60, data = 60, responses = 60, errors = 10;
    unsigned last_parts = 80, small = 50;
    unsigned cycles = 300;
  };
  struct Writer {
    std::deque<Bytes> beats;  // for the commands that it has offered
    bool offers = false;      // the first of them
  };
  // About the ends of what is marked, of a page or of the memory, or anywhere.
  std::uint64_t draw_address(std::uint64_t bytes) {
    const Ranges::Range& range = ranges_.range(static_cast<unsigned>(random_.below(8)));
    std::uint64_t address = random_.bits64() % kTop;
    switch (random_.below(5)) {
      case 0:
        address = kTop - bytes - random_.below(64);
        break;
      case 1:
        address = (address / kMemoryPage + 1) * kMemoryPage - random_.below(600);
        break;
      case 2:
        address = range.base + 2 - random_.below(bytes + 4);
        break;
      case 3:
        address = range.base + range.length + 2 - random_.below(bytes + 4);
        break;
      default:
        break;
    }
    return std::min(address % kTop, kTop - bytes);
  }
  unsigned draw_bytes(unsigned least, unsigned most) {
    if (random_.chance(mood_.small)) return static_cast<unsigned>(least + random_.below(34));
    if (random_.chance(10)) return most;
    return static_cast<unsigned>(least + random_.below(most - least + 1));
  }
  void draw_reads() {
    for (auto& command : reading_.commands) {
      if (command || !random_.chance(mood_.reads)) continue;
      const unsigned bytes = draw_bytes(1, 512);
      command = {draw_address(bytes), bytes};
    }
    reading_.address_ready = random_.chance(mood_.addresses);
    reading_.data.reset();
    const auto id = static_cast<unsigned>(random_.below(Reads::kReaders));
    for (unsigned i = 0; i < Reads::kReaders && !reading_.data; ++i) {
      const unsigned at = (id + i) % Reads::kReaders;
      if (memory_.words[at].empty() || !random_.chance(mood_.data)) continue;
      reading_.data = {at, random_bytes(random_, 32), random_.chance(mood_.errors)};
    }
  }
  void draw_writes() {
    for (unsigned i = 0; i < Writes::kWriters; ++i) {
      auto& command = writing_.commands[i];
      if (!command && random_.chance(mood_.writes)) {
        namespace w = layout::write_command;
        const unsigned bytes = draw_bytes(0, 544);
        command = any<Writes::Command>();
        command->set<w::address>(draw_address(bytes))
            .set<w::bytes>(bytes)
            .set<w::final_part>(random_.chance(mood_.last_parts));
        for (unsigned at = 0; at == 0 || at < bytes; at += 32)
          writers_[i].beats.push_back(random_bytes(random_, 32));
      }
      Writer& writer = writers_[i];
      writer.offers = writer.offers || (!writer.beats.empty() && random_.chance(mood_.beats));
    }
    writing_.address_ready = random_.chance(mood_.addresses);
    writing_.action_ready = random_.chance(mood_.actions);
    words_taken_ = random_.chance(mood_.words);
    // A response stays until it is taken.
    if (!answer_ && memory_.answers() != 0 && random_.chance(mood_.responses))
      answer_ = draw_response(random_.chance(mood_.errors));
  }
  Ranges::Request draw_request() {
    namespace r = layout::register_request;
    namespace block = registers::touch_range;
    const auto at = static_cast<std::uint32_t>(random_.below(Ranges::kRanges));
    auto request = any<Ranges::Request>();
    request.set<r::page>(0).set<r::wide>(1);
    by_core_ = random_.chance(30);
    if (by_core_) return maybe_bad(draw_report(request));
    switch (random_.below(4)) {
      case 0:
        request.set<r::address>(block::base(at)).set<r::data>(random_.bits64() % kTop);
        break;
      case 1:
        request.set<r::address>(block::length(at))
            .set<r::data>(random_.bits64() % kTop >> random_.below(41));
        break;
      case 2:
        request.set<r::address>(block::config(at))
            .set<r::data>(random_.below(8) + 16 * random_.below(kProfile.clients) +
                          256 * random_.below(4));
        break;
      default:
        request.set<r::address>(registers::client_page::touch_hits.in_block())
            .set<r::page>(1)
            .set<r::client>(random_.below(std::min(kProfile.clients + 1, 16U)));
    }
    return maybe_bad(request);
  }
  Ranges::Request draw_report(Ranges::Request request) {
    namespace r = layout::register_request;
    namespace field = registers::core_access::report_field;
    const unsigned bytes = draw_bytes(1, 512);
    const std::uint64_t data =
        insert(insert(insert(0, field::address, draw_address(bytes)), field::bytes, bytes),
               field::write, random_.chance(50));
    return request.set<r::address>(registers::core_access::report())
        .set<r::write>(random_.chance(90))
        .set<r::data>(data);
  }
  Ranges::Request maybe_bad(const Ranges::Request& request) {
    if (!random_.chance(10)) return request;
    auto bytes = request.bytes();
    bytes[random_.below(bytes.size())] ^= static_cast<std::uint8_t>(1U << random_.below(8));
    return Ranges::Request::from_bytes(bytes);
  }
  template <typename RecordType>
  RecordType any() {
    return RecordType::from_bytes(random_bytes(random_, RecordType::kBytes));
  }
  // OKAY, or one of the two errors.
  std::uint8_t draw_response(bool error) {
    return static_cast<std::uint8_t>(error ? 2 + random_.below(2) : 0);
  }

  std::uint8_t any_response() { return static_cast<std::uint8_t>(random_.below(4)); }

  void drive_readers() {
    namespace r = layout::read_command;
    for (unsigned i = 0; i < Reads::kReaders; ++i) {
      const auto& command = reading_.commands[i];
      readers_[i].offer(command.has_value());
      auto pins = any<ReadCommand>();
      if (command) pins.set<r::address>(command->address).set<r::bytes>(command->bytes);
      readers_[i].command(pins);
    }
    const auto& data = reading_.data;
    put<in::arready>(port_->axi_response_i, reading_.address_ready);
    put<in::rvalid>(port_->axi_response_i, data.has_value());
    put<in::rid>(port_->axi_response_i, data ? data->id : random_.below(4));
    put<in::rlast>(port_->axi_response_i,
                   data ? memory_.words[data->id].front() : random_.chance(50));
    put<in::rresp>(port_->axi_response_i, data ? draw_response(data->error) : any_response());
    put_bytes<in::rdata>(port_->axi_response_i, data ? data->word : random_bytes(random_, 32));
  }
  void drive_writers() {
    for (unsigned i = 0; i < Writes::kWriters; ++i) {
      const auto& command = writing_.commands[i];
      const Writer& writer = writers_[i];
      writer_pins_[i].offer(command.has_value());
      writer_pins_[i].command(command ? *command : any<Writes::Command>());
      writer_pins_[i].offer_beat(writer.offers);
      writer_pins_[i].beat(writer.offers ? writer.beats.front() : random_bytes(random_, 32));
    }
    port_->action_ready_i = writing_.action_ready;
    put<in::awready>(port_->axi_response_i, writing_.address_ready);
    put<in::wready>(port_->axi_response_i, words_taken_);
    put<in::bresp>(port_->axi_response_i, answer_ ? *answer_ : any_response());
    put<in::bvalid>(port_->axi_response_i, answer_.has_value());
  }
  void drive_registers() {
    if (!request_ && random_.chance(mood_.registers)) request_ = draw_request();
    port_->register_valid_i = request_ && !by_core_;
    port_->core_access_valid_i = request_ && by_core_;
    drive(port_->register_request_i, request_.value_or(any<Ranges::Request>()));
  }

  void compare_burst(const std::optional<MemoryBurst>& want, bool valid, MemoryBurst seen) {
    ASSERT_EQ(valid, want.has_value());
    if (!want) return;
    ASSERT_EQ(seen.id, want->id);
    ASSERT_EQ(seen.address, want->address);
    ASSERT_EQ(seen.beats, want->beats);
  }
  void compare_reads() {
    for (unsigned i = 0; i < Reads::kReaders; ++i) {
      const MemoryReadPins& pins = readers_[i];
      if (pins.offers()) {
        ASSERT_EQ(*pins.ready, reads_.takes(i, reading_)) << "reader " << i;
      }
      const auto want = reads_.beat(i);
      ASSERT_EQ(pins.has_beat(), want.has_value()) << "reader " << i;
      if (!want) continue;
      ASSERT_EQ(pins.data(), want->data) << "reader " << i;
      ASSERT_EQ(pins.last(), want->last) << "reader " << i;
      if (want->last) {
        ASSERT_EQ(pins.error(), want->error) << "reader " << i;
      }
    }
    ASSERT_TRUE(get<out::rready>(port_->axi_request_o));
    compare_burst(reads_.address(), get<out::arvalid>(port_->axi_request_o),
                  {pin<out::arid>(port_->axi_request_o), get<out::araddr>(port_->axi_request_o),
                   pin<out::arlen>(port_->axi_request_o) + 1U});
  }
  void compare_writes() {
    const auto chosen = writes_.chosen(writing_.commands);
    for (unsigned i = 0; i < Writes::kWriters; ++i) {
      const MemoryWritePins& pins = writer_pins_[i];
      if (pins.offers() && pins.ready()) {
        ASSERT_TRUE(chosen == i && writes_.may_take()) << "writer " << i;
      }
      if (pins.beat_ready()) {
        ASSERT_TRUE(writes_.served() == i && writes_.wants_beats()) << "writer " << i;
      }
    }
    if (chosen && writes_.must_take()) {
      ASSERT_TRUE(writer_pins_[*chosen].ready()) << "writer " << *chosen;
    }
    compare_burst(writes_.address(), get<out::awvalid>(port_->axi_request_o),
                  {pin<out::awid>(port_->axi_request_o), get<out::awaddr>(port_->axi_request_o),
                   pin<out::awlen>(port_->axi_request_o) + 1U});
    if (get<out::wvalid>(port_->axi_request_o)) compare_word();
    ASSERT_EQ(get<out::bready>(port_->axi_request_o), writes_.response_ready());
    const auto leaving = writes_.leaving();
    ASSERT_EQ(port_->action_valid_o, leaving.has_value());
    if (!leaving) return;
    ASSERT_EQ(sample_record<Writes::Action>(port_->action_data_o), leaving->action);
    ASSERT_EQ(port_->action_error_o, leaving->error);
  }
  void compare_word() {
    const auto want = writes_.word();
    ASSERT_TRUE(want.has_value());
    ASSERT_EQ(pin<out::wstrb>(port_->axi_request_o), want->strobe);
    ASSERT_EQ(get<out::wlast>(port_->axi_request_o), want->last);
    Bytes seen = get_bytes<out::wdata>(port_->axi_request_o);
    for (unsigned i = 0; i < 32; ++i)
      if ((want->strobe >> i & 1U) == 0) seen[i] = 0;
    ASSERT_EQ(seen, want->data);
  }
  void compare_events() {
    ASSERT_EQ(port_->register_done_o, ranges_.answer().has_value());
    ASSERT_EQ(port_->core_access_done_o, cores_.answer().has_value());
    const auto& answer = ranges_.answer() ? ranges_.answer() : cores_.answer();
    ASSERT_EQ(sample_record<Ranges::Response>(port_->register_response_o),
              answer.value_or(Ranges::Response{}));
    ASSERT_EQ(bits_of(port_->causes_o), ranges_.causes());
    ASSERT_EQ(port_->memory_error_o, failures_ != 0);
    const bool here = failures_ != 0 || ranges_.busy() || cores_.busy();
    ASSERT_EQ(port_->active_o, here || read_walk_.busy() || reads_.active() || writes_.active());
    ASSERT_EQ(port_->busy_o, here || read_walk_.busy() || reads_.busy() || writes_.busy());
  }

  // What the edge does to the requesters and to the memory.
  void note_reads() {
    if (reading_.data) memory_.words[reading_.data->id].pop_front();
    const auto& burst = reads_.address();
    if (!burst || !reading_.address_ready) return;
    for (unsigned i = 1; i <= burst->beats; ++i)
      memory_.words[burst->id].push_back(i == burst->beats);
  }
  void note_writes() {
    writing_.taken.reset();
    writing_.beat.reset();
    for (unsigned i = 0; i < Writes::kWriters; ++i) {
      if (writer_pins_[i].offers() && writer_pins_[i].ready()) writing_.taken = i;
      if (writers_[i].offers && writer_pins_[i].beat_ready()) writing_.beat = next_beat(i);
    }
    writing_.touch =
        write_walk_.done() ? std::optional<std::uint32_t>(write_walk_.hit()) : std::nullopt;
    writing_.word_taken = get<out::wvalid>(port_->axi_request_o) && words_taken_;
    if (writing_.word_taken && get<out::wlast>(port_->axi_request_o)) ++memory_.bursts_full;
    if (writes_.address() && writing_.address_ready) ++memory_.bursts;
    writing_.response.reset();
    if (!answer_ || !writes_.response_ready()) return;
    writing_.response = *answer_ != 0;
    answer_.reset();
    --memory_.bursts;
    --memory_.bursts_full;
  }
  Bytes next_beat(unsigned writer) {
    const Bytes beat = writers_[writer].beats.front();
    writers_[writer].beats.pop_front();
    writers_[writer].offers = false;
    return beat;
  }
  // What the readers may have; a command is compared with the ranges before.
  void pass_reads() {
    for (unsigned i = 0; i < Reads::kReaders; ++i)
      reading_.pass[i] =
          read_walk_.busy() ? read_walk_.done() && compared_ == i : ranges_.on_read() == 0;
    reading_.touch = read_walk_.hit();
  }
  void clock_walks() {
    using Transfer = TouchWalkModel::Transfer;
    namespace w = layout::write_command;
    std::optional<Transfer> read, written;
    const auto next = reads_.to_compare(reading_);
    if (next && ranges_.on_read() != 0)
      read = Transfer{reading_.commands[*next]->address, reading_.commands[*next]->bytes};
    const bool read_taken = read_walk_.busy() && reads_.takes(compared_, reading_);
    if (!read_walk_.busy() && next) compared_ = *next;
    read_walk_.clock(ranges_, read, ranges_.on_read(), read_taken);
    if (writing_.taken) {
      const Writes::Command& command = *writing_.commands[*writing_.taken];
      written = Transfer{command.get<w::address>(), command.get<w::bytes>()};
    }
    write_walk_.clock(ranges_, written, ranges_.on_write(), writes_.has_room());
  }
  void clock_models() {
    const auto leaving = writing_.action_ready ? writes_.leaving() : std::nullopt;
    const unsigned failed = reads_.failed() + (leaving && leaving->error ? 1 : 0);
    failures_ = failures_ + failed - (failures_ != 0 ? 1 : 0);
    most_failures_ = std::max(most_failures_, failures_);
    clock_walks();
    const bool answered = ranges_.answer() || cores_.answer();
    const auto touched = reads_.touched(reading_) | (leaving ? leaving->touch : 0) | cores_.hit();
    touched_by_cores_ |= cores_.hit();
    cores_.clock(ranges_, by_core_ ? request_ : std::nullopt);
    ranges_.clock(by_core_ ? std::nullopt : request_, touched);
    if (answered) request_.reset();
    std::array<bool, Reads::kReaders> taken{};
    for (unsigned i = 0; i < Reads::kReaders; ++i) taken[i] = reads_.takes(i, reading_);
    reads_.clock(reading_);
    writes_.clock(writing_);
    for (unsigned i = 0; i < Reads::kReaders; ++i)
      if (taken[i]) reading_.commands[i].reset();
    if (writing_.taken) writing_.commands[*writing_.taken].reset();
  }
  void cycle() {
    draw_reads();
    draw_writes();
    drive_readers();
    drive_writers();
    drive_registers();
    pass_reads();
    port_.settle();
    ASSERT_NO_FATAL_FAILURE(compare_reads());
    ASSERT_NO_FATAL_FAILURE(compare_writes());
    ASSERT_NO_FATAL_FAILURE(compare_events());
    note_reads();
    note_writes();
    clock_models();
    port_.tick();
  }
  void run(const Mood& mood) {
    mood_ = mood;
    for (unsigned i = 0; i < mood.cycles; ++i) ASSERT_NO_FATAL_FAILURE(cycle()) << "cycle " << i;
  }
  // Nothing new is asked for: all that was comes to its end.
  void drain() {
    mood_ = {.reads = 0, .writes = 0, .beats = 100, .registers = 0, .actions = 100};
    mood_.addresses = mood_.words = mood_.data = mood_.responses = mood_.last_parts = 100;
    for (unsigned i = 0; i < 2000 && anything_left(); ++i) {
      ASSERT_NO_FATAL_FAILURE(cycle()) << "cycle " << i << " of the end";
      if (writes_.between())
        mood_.writes = 100;
      else
        mood_.writes = 0;
    }
    ASSERT_FALSE(anything_left());
  }
  bool anything_left() const {
    const auto is = [](const auto& command) { return command.has_value(); };
    return reads_.busy() || writes_.busy() || ranges_.busy() || cores_.busy() || request_ ||
           failures_ != 0 || std::any_of(reading_.commands.begin(), reading_.commands.end(), is) ||
           std::any_of(writing_.commands.begin(), writing_.commands.end(), is);
  }
  unsigned draw_percent() {
    return random_.chance(30) ? 100U : static_cast<unsigned>(5 + random_.below(95));
  }
  Mood draw_mood() {
    return {
        .reads = random_.chance(20) ? 3U : draw_percent(),
        .writes = random_.chance(20) ? 1U : draw_percent(),
        .beats = draw_percent(),
        .registers = random_.chance(50) ? 50U : 5U,
        .actions = draw_percent(),
        .addresses = draw_percent(),
        .words = draw_percent(),
        .data = draw_percent(),
        .responses = draw_percent(),
        .errors = static_cast<unsigned>(random_.below(30)),
        .last_parts = random_.chance(20) ? 20U : 80U,
        .small = random_.chance(50) ? 95U : 20U,
    };
  }
  void forget() {
    for (const auto& pins : readers_) pins.offer(false);
    for (const auto& pins : writer_pins_) {
      pins.offer(false);
      pins.offer_beat(false);
    }
    put<in::rvalid>(port_->axi_response_i, 0);
    put<in::bvalid>(port_->axi_response_i, 0);
    port_->register_valid_i = 0;
    port_->core_access_valid_i = 0;
    port_.reset(1);
    reads_.reset();
    writes_.reset();
    ranges_.reset();
    read_walk_ = write_walk_ = {};
    cores_ = {};
    memory_ = {};
    reading_ = {};
    writing_ = {};
    writers_ = {};
    answer_.reset();
    request_.reset();
    failures_ = 0;
  }

  Random random_;
  Clocked<Vmu_memory_port> port_{random_.seed()};
  std::array<MemoryReadPins, 3> readers_ = read_pins(port_);
  std::array<MemoryWritePins, 6> writer_pins_ = write_pins(port_);
  Reads reads_;
  Writes writes_;
  Ranges ranges_;
  CoreTouchModel cores_;
  Ranges::Set touched_by_cores_ = 0;
  TouchWalkModel read_walk_, write_walk_;
  unsigned compared_ = 0;  // whose command the walk of the reads compares
  Memory memory_;
  Mood mood_;
  Reads::Cycle reading_;
  Writes::Cycle writing_;
  std::array<Writer, Writes::kWriters> writers_;
  std::optional<std::uint8_t> answer_;  // the response that is offered
  std::optional<Ranges::Request> request_;
  bool by_core_ = false;  // it tells of an access of a core
  bool words_taken_ = false;
  unsigned failures_ = 0;  // that memory_error_o has still to tell
  unsigned most_failures_ = 0;
};

TEST_F(MemoryPortAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 80; ++i) {
    ASSERT_NO_FATAL_FAILURE(run(draw_mood())) << "mood " << i;
    if (random_.chance(20)) {
      forget();
    } else if (random_.chance(50)) {
      ASSERT_NO_FATAL_FAILURE(drain()) << "mood " << i;
    }
  }
  EXPECT_EQ(touched_by_cores_, (Ranges::Set{1} << Ranges::kRanges) - 1) << "by accesses of cores";
}

// The memory stays silent, and then refuses all that can be outstanding as fast as it can.
TEST_F(MemoryPortAtRandom, TellsOfEveryFailureThoughManyComeAtOnce) {
  SCOPED_TRACE(random_.replay());
  Mood silent{.reads = 100, .writes = 100, .beats = 100, .actions = 100, .addresses = 100};
  silent.words = silent.last_parts = silent.small = 100;
  silent.data = silent.responses = 0;
  Mood refusing = silent;
  refusing.data = refusing.responses = refusing.errors = 100;
  refusing.cycles = 60;
  for (int i = 0; i < 30; ++i) {
    ASSERT_NO_FATAL_FAILURE(run(silent));
    ASSERT_NO_FATAL_FAILURE(run(refusing));
  }
  EXPECT_GT(most_failures_, 7U);
}

}  // namespace
}  // namespace torusmu::testing
