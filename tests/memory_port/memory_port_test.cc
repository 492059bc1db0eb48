// SPDX-License-Identifier: Apache-2.0
// bgp:
// mu_memory_port (and in it mu_read_port and mu_write_port) against a byte memory behind a random
// AXI4 slave.
// verilator: tb/formal/mu_axi4_manager_properties.sv tb/formal/mu_axi4_bind.svh

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/memory_port_pins.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

namespace out = layout::axi_request;
namespace in = layout::axi_response;

using ReadCommand = Record<layout::read_command::Layout>;
using WriteCommand = Record<layout::write_command::Layout>;
using WriteAction = Record<layout::write_action::Layout>;
using Request = Record<layout::register_request::Layout>;
using Response = Record<layout::register_response::Layout>;

constexpr std::uint64_t kPage = 4096;
constexpr unsigned kReaders = 3;  // fetch, payload, calc
constexpr unsigned kWriters = 6;  // reply, request, push, notice, entry, calc
// Bursts that begin in this page are answered with an error.
constexpr std::uint64_t kBadPage = 5 * kPage;

// An AXI4 slave that answers in any legal order: data of different read IDs is interleaved, every
// channel pauses.
class Slave {
 public:
  // The memory begins at `origin`, as the pins see it.
  Slave(Random& random, unsigned percent, unsigned latency, std::uint64_t origin)
      : random_(random), percent_(percent), latency_(latency), origin_(origin) {}

  std::map<std::uint64_t, std::uint8_t> bytes;
  std::size_t responses = 0;  // write responses taken by the port

  std::uint8_t at(std::uint64_t address) const {
    const auto found = bytes.find(address);
    return found == bytes.end() ? static_cast<std::uint8_t>(address * 7 + (address >> 8))
                                : found->second;
  }
  bool idle() const {
    return writes_.empty() && answers_.empty() &&
           std::all_of(reads_.begin(), reads_.end(), [](const auto& r) { return r.empty(); });
  }

  // Inputs of the port for this cycle.
  void drive_port(Vmu_memory_port& port, std::uint64_t now) {
    put<in::arready>(port.axi_response_i, random_.chance(percent_));
    put<in::awready>(port.axi_response_i, random_.chance(percent_));
    put<in::wready>(port.axi_response_i, random_.chance(percent_));
    put<in::rvalid>(port.axi_response_i, false);
    const auto first = static_cast<unsigned>(random_.below(kReaders));
    for (unsigned i = 0; i < kReaders; ++i) {
      const unsigned id = (first + i) % kReaders;
      if (get<in::rvalid>(port.axi_response_i) || reads_[id].empty() ||
          reads_[id].front().due > now)
        continue;
      if (!random_.chance(percent_)) continue;
      const Beat& beat = reads_[id].front();
      put<in::rvalid>(port.axi_response_i, true);
      put<in::rid>(port.axi_response_i, id);
      put<in::rlast>(port.axi_response_i, beat.last);
      put<in::rresp>(port.axi_response_i, beat.error ? 2 : 0);
      Bytes word(32);
      for (unsigned b = 0; b < 32; ++b) word[b] = at(beat.address + b);
      put_bytes<in::rdata>(port.axi_response_i, word);
    }
    // A response stays until it is taken.
    if (!get<in::bvalid>(port.axi_response_i) && !answers_.empty() && answers_.front().due <= now &&
        random_.chance(percent_)) {
      put<in::bvalid>(port.axi_response_i, true);
      put<in::bresp>(port.axi_response_i, answers_.front().error ? 3 : 0);
    }
  }

  // What the rising edge does; outputs of the port as they are before it.
  void clock(Vmu_memory_port& port, std::uint64_t now) {
    if (get<in::rvalid>(port.axi_response_i)) reads_[get<in::rid>(port.axi_response_i)].pop_front();
    if (get<in::bvalid>(port.axi_response_i) && get<out::bready>(port.axi_request_o)) {
      answers_.pop_front();
      ++responses;
      clear_answer_ = true;
    }
    if (get<out::arvalid>(port.axi_request_o) && get<in::arready>(port.axi_response_i)) {
      const std::uint64_t address = get<out::araddr>(port.axi_request_o) - origin_;
      check_burst(address, pin<out::arlen>(port.axi_request_o),
                  pin<out::arsize>(port.axi_request_o), pin<out::arburst>(port.axi_request_o));
      for (unsigned i = 0; i <= pin<out::arlen>(port.axi_request_o); ++i) {
        reads_[pin<out::arid>(port.axi_request_o)].push_back(
            {address + i * 32, i == pin<out::arlen>(port.axi_request_o), in_bad_page(address),
             now + latency_});
      }
    }
    if (get<out::awvalid>(port.axi_request_o) && get<in::awready>(port.axi_response_i)) {
      const std::uint64_t address = get<out::awaddr>(port.axi_request_o) - origin_;
      check_burst(address, pin<out::awlen>(port.axi_request_o),
                  pin<out::awsize>(port.axi_request_o), pin<out::awburst>(port.axi_request_o));
      writes_.push_back({address, pin<out::awlen>(port.axi_request_o) + 1U});
    }
    if (get<out::wvalid>(port.axi_request_o) && get<in::wready>(port.axi_response_i)) {
      words_.push_back({get_bytes<out::wdata>(port.axi_request_o),
                        pin<out::wstrb>(port.axi_request_o),
                        get<out::wlast>(port.axi_request_o) != 0});
    }
    while (!writes_.empty() && !words_.empty()) take_word(now);
  }
  void after_clock(Vmu_memory_port& port) {
    if (clear_answer_) put<in::bvalid>(port.axi_response_i, 0);
    clear_answer_ = false;
  }

 private:
  struct Beat {
    std::uint64_t address;
    bool last;
    bool error;
    std::uint64_t due;
  };
  struct Burst {
    std::uint64_t address;
    unsigned left;
  };
  struct Word {
    Bytes data;
    std::uint32_t strobe;
    bool last;
  };
  struct Answer {
    bool error;
    std::uint64_t due;
  };

  static bool in_bad_page(std::uint64_t address) { return address / kPage == kBadPage / kPage; }
  static void check_burst(std::uint64_t address, unsigned length, unsigned size, unsigned burst) {
    EXPECT_EQ(address % 32, 0U);
    EXPECT_EQ(address / kPage, (address + length * 32) / kPage) << "burst crosses 4 KiB";
    EXPECT_EQ(size, 5U);
    EXPECT_EQ(burst, 1U);
  }
  void take_word(std::uint64_t now) {
    Burst& burst = writes_.front();
    const Word& word = words_.front();
    for (unsigned i = 0; i < 32; ++i) {
      if ((word.strobe >> i & 1) != 0) bytes[burst.address + i] = word.data[i];
    }
    burst.address += 32;
    --burst.left;
    EXPECT_EQ(word.last, burst.left == 0);
    if (burst.left == 0) {
      answers_.push_back({in_bad_page(burst.address - 32), now + latency_});
      writes_.pop_front();
    }
    words_.pop_front();
  }

  Random& random_;
  unsigned percent_;
  unsigned latency_;
  std::uint64_t origin_;
  std::array<std::deque<Beat>, kReaders> reads_;
  std::deque<Burst> writes_;
  std::deque<Word> words_;
  std::deque<Answer> answers_;
  bool clear_answer_ = false;
};

class MemoryPort : public ::testing::Test {
 protected:
  struct Read {
    std::uint64_t address;
    unsigned bytes;
  };
  struct Part {
    WriteCommand command;
    Bytes data;
  };
  struct Done {
    WriteAction action;
    std::size_t responses;  // all that must have come
    bool error;
  };

  // The pins of a requester or writer by number, for loops.
  Slave& slave(unsigned percent, unsigned latency) {
    slave_ = std::make_unique<Slave>(random_, percent, latency, origin_);
    return *slave_;
  }

  template <typename RecordType>
  RecordType any() {
    return RecordType::from_bytes(random_bytes(random_, RecordType::kBytes));
  }
  WriteCommand on_the_pins(WriteCommand command) const {
    namespace w = layout::write_command;
    return command.set<w::address>(command.get<w::address>() + origin_);
  }

  // Runs until everything in reads_ and parts_ has been done.
  void run(unsigned percent) {
    const std::uint64_t limit = port_.cycle() + 200'000;
    for (;;) {
      ASSERT_LT(port_.cycle(), limit) << "still " << done_.size() << " actions to come";
      for (unsigned i = 0; i < kReaders; ++i) {
        const MemoryReadPins& pins = readers_[i];
        pins.offer(pins.offers() || (!reads_[i].empty() && random_.chance(percent)));
        if (!pins.offers()) {
          pins.command(any<ReadCommand>());  // 50 bits that mean nothing
          continue;
        }
        ReadCommand command;
        command.set<layout::read_command::address>(reads_[i].front().address + origin_)
            .set<layout::read_command::bytes>(reads_[i].front().bytes);
        pins.command(command);
      }
      for (unsigned i = 0; i < kWriters; ++i) {
        const MemoryWritePins& pins = writers_[i];
        pins.offer(pins.offers() || (!parts_[i].empty() && random_.chance(percent)));
        pins.command(pins.offers() ? on_the_pins(parts_[i].front().command) : any<WriteCommand>());
        pins.offer_beat(pins.offers_beat() || (!beats_[i].empty() && random_.chance(percent)));
        pins.beat(pins.offers_beat() ? beats_[i].front() : random_bytes(random_, 32));
      }
      port_->action_ready_i = random_.chance(percent);
      slave_->drive_port(*port_.operator->(), port_.cycle());
      port_.settle();
      sample_outputs();
      slave_->clock(*port_.operator->(), port_.cycle());
      if (HasFatalFailure()) return;
      const bool finished = nothing_left();
      tick_and_advance();
      slave_->after_clock(*port_.operator->());
      if (finished) break;
    }
    for (int i = 0; i < 3; ++i) port_.tick();
    EXPECT_FALSE(port_->busy_o);
    for (const auto& [address, byte] : memory_) ASSERT_EQ(slave_->at(address), byte) << address;
    EXPECT_EQ(slave_->bytes.size(), memory_.size()) << "bytes were written that nobody asked for";
  }

  void sample_outputs() {
    for (unsigned i = 0; i < kReaders; ++i) {
      if (!readers_[i].has_beat()) continue;
      const Bytes beat = readers_[i].data();
      got_[i].insert(got_[i].end(), beat.begin(), beat.end());
      if (!readers_[i].last()) continue;
      ASSERT_FALSE(asked_[i].empty());
      const Read read = asked_[i].front();
      asked_[i].pop_front();
      Bytes want((read.bytes + 31) / 32 * 32);
      for (unsigned b = 0; b < read.bytes; ++b) want[b] = slave_->at(read.address + b);
      const bool bad = touches_bad_page(read.address, read.bytes);
      ASSERT_EQ(readers_[i].error(), bad);
      errors_due_ += bad;
      ASSERT_EQ(got_[i], want) << "address " << read.address << " bytes " << read.bytes;
      got_[i].clear();
    }
    errors_seen_ += port_->memory_error_o;
    for (unsigned c = 0; c < kProfile.clients; ++c) {
      touches_seen_[c] += bits_of(port_->causes_o)[c * 8 + static_cast<unsigned>(Cause::kTouch)];
    }
    action_taken_ = port_->action_valid_o && port_->action_ready_i;
    if (port_->action_valid_o) {
      ASSERT_FALSE(done_.empty());
      // The ordering point: every response of this action and of those before has been taken.
      ASSERT_GE(slave_->responses, done_.front().responses);
      ASSERT_EQ(sample_record<WriteAction>(port_->action_data_o), done_.front().action);
      ASSERT_EQ(port_->action_error_o, done_.front().error);
    }
  }

  void tick_and_advance() {
    std::array<bool, kReaders> read_taken{};
    std::array<bool, kWriters> taken{};
    std::array<bool, kWriters> beat_taken{};
    for (unsigned i = 0; i < kReaders; ++i)
      read_taken[i] = readers_[i].offers() && *readers_[i].ready;
    for (unsigned i = 0; i < kWriters; ++i) {
      taken[i] = writers_[i].offers() && writers_[i].ready();
      beat_taken[i] = writers_[i].offers_beat() && writers_[i].beat_ready();
    }
    port_.tick();
    if (action_taken_) {
      errors_due_ += done_.front().error;
      done_.pop_front();
    }
    for (unsigned i = 0; i < kReaders; ++i) {
      if (!read_taken[i]) continue;
      asked_[i].push_back(reads_[i].front());
      reads_[i].pop_front();
      readers_[i].offer(false);
    }
    for (unsigned i = 0; i < kWriters; ++i) {
      if (beat_taken[i]) {
        beats_[i].pop_front();
        writers_[i].offer_beat(false);
      }
      if (!taken[i]) continue;
      accept(i, parts_[i].front());
      parts_[i].pop_front();
      writers_[i].offer(false);
    }
  }

  // A command was taken: from now on its bytes are in memory before those of later ones.
  void accept(unsigned writer, const Part& part) {
    order_.push_back(writer);
    const auto address = part.command.get<layout::write_command::address>();
    const auto bytes = static_cast<unsigned>(part.command.get<layout::write_command::bytes>());
    if (held_by_ != kWriters) {
      EXPECT_EQ(writer, held_by_) << "another writer came between two parts of an action";
    }
    for (unsigned i = 0; i < bytes; ++i) memory_[address + i] = part.data[i];
    for (std::size_t at = 0; at < part.data.size(); at += 32) {
      beats_[writer].push_back(Bytes(part.data.begin() + static_cast<std::ptrdiff_t>(at),
                                     part.data.begin() + static_cast<std::ptrdiff_t>(at + 32)));
    }
    responses_due_ += 1 + (address / kPage != (address + bytes - 1) / kPage);
    part_error_ |= touches_bad_page(address, bytes);
    const bool last = part.command.get<layout::write_command::final_part>() != 0;
    held_by_ = last ? kWriters : writer;
    if (!last) return;
    done_.push_back(
        {part.command.get<layout::write_command::action>(), responses_due_, part_error_});
    part_error_ = false;
  }

  bool nothing_left() const {
    bool left = !done_.empty() || !slave_->idle();
    for (unsigned i = 0; i < kReaders; ++i) left |= !reads_[i].empty() || !asked_[i].empty();
    for (unsigned i = 0; i < kWriters; ++i) left |= !parts_[i].empty() || !beats_[i].empty();
    return !left;
  }

  static bool touches_bad_page(std::uint64_t address, unsigned bytes) {
    return address / kPage <= kBadPage / kPage && (address + bytes - 1) / kPage >= kBadPage / kPage;
  }

  void add_write(unsigned writer, std::uint64_t address, unsigned bytes, bool last) {
    Part part;
    part.data = random_bytes(random_, (bytes + 31) / 32 * 32);
    WriteAction action = any<WriteAction>();
    action.set<layout::write_action::action>(Action::kPut)
        .set<layout::write_action::target>(writer)
        .set<layout::write_action::counter>(random_.below(256));
    part.command.set<layout::write_command::address>(address)
        .set<layout::write_command::bytes>(bytes)
        .set<layout::write_command::final_part>(last)
        .set<layout::write_command::action>(action);
    parts_[writer].push_back(part);
  }

  Status set_register(std::uint32_t address, std::uint64_t data) {
    Request request;
    request.set<layout::register_request::address>(address)
        .set<layout::register_request::data>(data)
        .set<layout::register_request::wide>(1)
        .set<layout::register_request::write>(1);
    drive(port_->register_request_i, request);
    port_->register_valid_i = 1;
    port_.wait_for(
        "register_done_o", [&] { return port_->register_done_o != 0; }, 4);
    const auto answer = sample_record<Response>(port_->register_response_o);
    port_->register_valid_i = 0;
    port_.tick();
    return answer.get<layout::register_response::status>();
  }
  void mark(unsigned range, std::uint64_t base, std::uint64_t length, unsigned flags,
            unsigned owner) {
    namespace block = registers::touch_range;
    ASSERT_EQ(set_register(block::base(range), base + origin_), Status::kOk);
    ASSERT_EQ(set_register(block::length(range), length), Status::kOk);
    ASSERT_EQ(set_register(block::config(range), flags | owner << 4), Status::kOk);
  }

  Random random_;
  // No address wraps, and none comes near the end of a 40-bit space.
  const std::uint64_t origin_ = random_.below((1U << 28) - 0x1000) * kPage;
  Clocked<Vmu_memory_port> port_{random_.seed()};
  std::array<MemoryReadPins, 3> readers_ = read_pins(port_);
  std::array<MemoryWritePins, 6> writers_ = write_pins(port_);
  std::unique_ptr<Slave> slave_;
  std::array<std::deque<Read>, kReaders> reads_;
  std::array<std::deque<Read>, kReaders> asked_;
  std::array<Bytes, kReaders> got_;
  std::array<std::deque<Part>, kWriters> parts_;
  std::array<std::deque<Bytes>, kWriters> beats_;
  std::deque<Done> done_;
  std::map<std::uint64_t, std::uint8_t> memory_;
  std::size_t responses_due_ = 0;
  bool part_error_ = false;
  unsigned held_by_ = kWriters;
  std::vector<unsigned> order_;  // writers whose commands were taken
  bool action_taken_ = false;
  unsigned errors_due_ = 0;
  unsigned errors_seen_ = 0;
  std::array<unsigned, kProfile.clients> touches_seen_{};
};

TEST_F(MemoryPort, MovesEveryByteUnderRandomTraffic) {
  SCOPED_TRACE(random_.replay());
  for (const unsigned percent : {25U, 60U, 100U}) {
    for (const unsigned latency : {0U, 8U, 40U}) {
      slave(percent, latency).bytes = {};
      memory_.clear();
      responses_due_ = 0;
      // Reads stay away from what is being written.
      for (int i = 0; i < 100; ++i) {
        for (auto& reads : reads_) {
          reads.push_back({random_.below(4 * kPage) + (random_.chance(10) ? kBadPage : 0),
                           static_cast<unsigned>(1 + random_.below(512))});
        }
        for (unsigned writer = 0; writer < kWriters; ++writer) {
          const std::uint64_t base = (16 + writer) * kPage;
          if (random_.chance(30)) {
            add_write(writer, base + random_.below(kPage),
                      static_cast<unsigned>(1 + random_.below(544)), false);
          }
          const std::uint64_t where = random_.chance(5) ? kBadPage : base + random_.below(kPage);
          add_write(writer, where, static_cast<unsigned>(1 + random_.below(544)), true);
        }
      }
      // A read of the page that is written with errors would not know what to expect.
      for (auto& reads : reads_) {
        for (auto& read : reads) {
          if (touches_bad_page(read.address, read.bytes))
            read.address = kBadPage + 2048 + read.address % 1024;
        }
      }
      run(percent);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(errors_due_, 20U);
  EXPECT_EQ(errors_seen_, errors_due_);
}

TEST_F(MemoryPort, SendsPayloadAtABeatACycle) {
  slave(100, 8);
  for (int i = 0; i < 20; ++i) reads_[1].push_back({0x1000, 512});
  const std::uint64_t start = port_.cycle();
  run(100);
  EXPECT_LE(port_.cycle() - start, 20 * 16 + 25);
}

TEST_F(MemoryPort, StoresAFullPacketInHalfTheTimeItTakesToArrive) {
  slave(100, 8);
  for (int i = 0; i < 20; ++i) add_write(1, 0x10000 + 13, 512, true);
  const std::uint64_t start = port_.cycle();
  run(100);
  EXPECT_LE(port_.cycle() - start, 20 * 18 + 25);
}

TEST_F(MemoryPort, ServesWritersInTheirOrderOfPriority) {
  slave(100, 8);
  for (int i = 0; i < 3; ++i) add_write(1, 0x10000, 512, true);
  add_write(4, 0x13000, 32, true);
  add_write(3, 0x12000, 32, true);
  add_write(0, 0x11000, 32, true);
  run(100);
  EXPECT_EQ(order_, (std::vector<unsigned>{0, 1, 1, 1, 3, 4}));
}

TEST_F(MemoryPort, LetsNoWriterStarveTheResultsOfCalc) {
  slave(100, 8);
  for (int i = 0; i < 40; ++i) add_write(1, 0x10000, 512, true);
  for (int i = 0; i < 2; ++i) add_write(5, 0x13000, 512, true);
  run(100);
  ASSERT_EQ(order_.size(), 42U);
  EXPECT_LE(std::find(order_.begin(), order_.end(), 5U) - order_.begin(), 16);
  EXPECT_EQ(std::count(order_.begin(), order_.begin() + 34, 5U), 2);
}

TEST_F(MemoryPort, FetchGoesFirstThenPayloadAndCalcInTurn) {
  slave(0, 0);
  const auto offer = [&](unsigned reader, std::uint64_t address) {
    reads_[reader].push_back({address, 32});
    ReadCommand command;
    command.set<layout::read_command::address>(address).set<layout::read_command::bytes>(32);
    readers_[reader].command(command);
    readers_[reader].offer(true);
  };
  // The ID and address on the AR pins, which are then taken.
  const auto next = [&] {
    put<in::arready>(port_->axi_response_i, 0);
    port_.wait_for(
        "m_axi_arvalid", [&] { return get<out::arvalid>(port_->axi_request_o) != 0; }, 4);
    const std::pair<unsigned, std::uint64_t> seen{pin<out::arid>(port_->axi_request_o),
                                                  get<out::araddr>(port_->axi_request_o)};
    put<in::arready>(port_->axi_response_i, 1);
    port_.tick();
    return seen;
  };
  using Ar = std::pair<unsigned, std::uint64_t>;
  offer(1, 0x1000);
  offer(2, 0x3000);
  offer(0, 0x2000);
  port_.tick();
  readers_[0].offer(false);
  EXPECT_EQ(next(), (Ar{0, 0x2000}));
  // Both go on asking.
  EXPECT_EQ(next(), (Ar{1, 0x1000}));
  EXPECT_EQ(next(), (Ar{2, 0x3000}));
  EXPECT_EQ(next(), (Ar{1, 0x1000}));
  EXPECT_EQ(next(), (Ar{2, 0x3000}));
  readers_[1].offer(false);
  EXPECT_EQ(next(), (Ar{2, 0x3000}));
}

TEST_F(MemoryPort, FiresAMarkedRangeOnceForEachTransfer) {
  slave(60, 8);
  mark(0, 0x10000, 16, 0b101, 1);       // on write
  mark(1, 0x1000, 0x100, 0b011, 2);     // on read
  mark(2, 0x10000, 16, 0b011, 3);       // on read: the writes must not fire it
  add_write(1, 0x10000 - 8, 8, true);   // ends before it
  add_write(1, 0x10000 + 16, 8, true);  // begins after it
  add_write(1, 0x10000 + 15, 1, true);
  add_write(0, 0x10000 - 64, 65, true);
  reads_[1].push_back({0x1000 - 32, 32});
  reads_[1].push_back({0x1000 - 32, 33});
  reads_[0].push_back({0x10FF, 64});
  reads_[0].push_back({0x1100, 64});
  run(60);
  EXPECT_EQ(touches_seen_, (std::array<unsigned, kProfile.clients>{0, 2, 2, 0}));
}

TEST_F(MemoryPort, FiresOnlyTheRangeThatIsTouched) {
  slave(60, 8);
  for (unsigned touched = 0; touched < 8; ++touched) {
    for (unsigned i = 0; i < 8; ++i)
      mark(i, 0x10000 + i * 0x100, 0x100, 0b111, i == touched ? 1 : 2);
    const std::uint64_t address = 0x10000 + touched * 0x100 + 0x20;
    touches_seen_ = {};
    for (unsigned reader = 0; reader < kReaders; ++reader) {
      reads_[reader].push_back({address, 32});
      run(60);
    }
    add_write(1, address, 32, true);
    run(60);
    EXPECT_EQ(touches_seen_, (std::array<unsigned, kProfile.clients>{0, 4, 0, 0}))
        << "range " << touched;
  }
}

TEST_F(MemoryPort, FiresAWriteOnlyWhenItsActionLeaves) {
  slave(100, 8);
  mark(0, 0x10000, 32, 0b101, 1);
  add_write(1, 0x10000, 32, true);
  port_->action_ready_i = 0;
  writers_[1].command(on_the_pins(parts_[1].front().command));
  writers_[1].offer(true);
  for (int i = 0; i < 40; ++i) {
    if (!beats_[1].empty()) writers_[1].beat(beats_[1].front());
    writers_[1].offer_beat(!beats_[1].empty());
    slave_->drive_port(*port_.operator->(), port_.cycle());
    port_.settle();
    EXPECT_EQ(bits_of(port_->causes_o), 0U);
    slave_->clock(*port_.operator->(), port_.cycle());
    tick_and_advance();
    slave_->after_clock(*port_.operator->());
  }
  EXPECT_TRUE(port_->action_valid_o);
  EXPECT_TRUE(port_->busy_o);
  port_->action_ready_i = 1;
  port_.tick();
  EXPECT_EQ(bits_of(port_->causes_o), bit(8 + static_cast<unsigned>(Cause::kTouch)));
}

}  // namespace
}  // namespace torusmu::testing
