// SPDX-License-Identifier: Apache-2.0
// bgp:
// verilator: tb/formal/mu_axi4_lite_subordinate_properties.sv tb/formal/mu_axi4_lite_bind.svh

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include "Vmu_host_interface/Vmu_host_interface___024root.h"
#include "sim/machine/profile.h"
#include "tests/support/host_interface_bench.h"
#include "tests/support/old_count.h"
#include "tests/support/port_bits.h"
#include "tests/support/register_units.h"
#include "tests/support/wide.h"
#include "tests/support/written_inside.h"

TORUSMU_WRITTEN_INSIDE(Vmu_host_interface)

namespace torusmu::testing {
namespace {

using namespace registers;  // NOLINT(google-build-using-namespace)
using HostInterface = HostInterfaceBench;

constexpr unsigned kClients = kProfile.clients;

TEST_F(HostInterface, BringsADoorbellToTheQueueBlockTwoCyclesAfterItWasSampled) {
  bus_.post_write(client_page::queue_index(1, 3) & ~7U, 0x77ULL << 32, 0xf0);
  finish();
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].unit, RegisterUnit::kQueue);
  EXPECT_EQ(asked_[0].cycle - bus_.last_write_cycle(), 2U);
  const RegisterRequest& request = asked_[0].request;
  EXPECT_EQ(request.get<layout::register_request::address>(), 0xcU);
  EXPECT_EQ(request.get<layout::register_request::data>(), 0x77U);
  EXPECT_EQ(request.get<layout::register_request::client>(), 1U);
  EXPECT_EQ(request.get<layout::register_request::page>(), 1U);
  EXPECT_EQ(request.get<layout::register_request::wide>(), 0U);
  EXPECT_EQ(request.get<layout::register_request::write>(), 1U);
}

TEST_F(HostInterface, GivesBackWhatTheBlockReads) {
  EXPECT_EQ(read(region::base(5)).data, data_at(region::base(5)));
  EXPECT_FALSE(bus_.read_answers().back().error);
  EXPECT_EQ(read(client_page::byte_counter(2, 9)).data,
            data_at(client_page::byte_counter.in_block(9)));
}

TEST_F(HostInterface, WaitsForASlowBlockAndHoldsItsRequest) {
  answer_cycles_ = 300;
  bus_.post_write(injection_queue::config(4), 1);
  bus_.post_read(region::base(0));
  finish();
  EXPECT_EQ(asked_.size(), 2U);
  EXPECT_FALSE(bus_.write_answers().back().error);
}

TEST_F(HostInterface, RecordsTheFirstRefusalOfAPageAndRaisesItsClientsError) {
  block_status_ = Status::kDoorbellOwner;
  EXPECT_TRUE(write(client_page::queue_index(2, 0), 1, 0x0f).error);
  block_status_ = Status::kCounterInvalid;
  const AxilAnswer answer = read(client_page::byte_counter(2, 0));
  EXPECT_TRUE(answer.error);
  EXPECT_EQ(answer.data, 0U);
  EXPECT_EQ(causes_, bit(2 * 8 + 5));
  const std::uint64_t status = read(client_page::page_status(2)).data;
  EXPECT_EQ(extract(status, client_page::page_status_field::signature), kSignature);
  EXPECT_EQ(static_cast<Status>(extract(status, client_page::page_status_field::status)),
            Status::kDoorbellOwner);
  EXPECT_EQ(extract(status, client_page::page_status_field::errors), 2U);
  EXPECT_EQ(read(node::register_errors()).data, 0U);
  EXPECT_FALSE(write(node::error_clear(), 1U << 2).error);
  EXPECT_EQ(read(client_page::page_status(2)).data, kSignature);
}

TEST_F(HostInterface, RecordsABadPrivilegedAccessWithItsAddress) {
  EXPECT_TRUE(read(0x2fff8).error);
  EXPECT_TRUE(read(client_page::page_status(0) + 0x1000 * kClients).error) << "no such client";
  const std::uint64_t errors = read(node::register_errors()).data;
  EXPECT_EQ(static_cast<Status>(extract(errors, node::register_errors_field::status)),
            Status::kRegisterUnknown);
  EXPECT_EQ(extract(errors, node::register_errors_field::count), 2U);
  EXPECT_EQ(extract(errors, node::register_errors_field::address), 0x2fff8U);
  EXPECT_EQ(causes_, 0U);
  EXPECT_FALSE(write(node::error_clear(), 1ULL << 63).error);
  EXPECT_EQ(read(node::register_errors()).data, 0U);
}

TEST_F(HostInterface, RefusesPartialWritesBeforeTheyReachABlock) {
  for (const unsigned strobe : {0x00U, 0x01U, 0x3cU, 0xf7U, 0xfeU}) {
    EXPECT_TRUE(write(region::base(0), 1, strobe).error) << strobe;
  }
  EXPECT_TRUE(asked_.empty());
  const std::uint64_t errors = read(node::register_errors()).data;
  EXPECT_EQ(static_cast<Status>(extract(errors, node::register_errors_field::status)),
            Status::kRegisterPartial);
  EXPECT_EQ(extract(errors, node::register_errors_field::count), 5U);
}

TEST_F(HostInterface, AnswersItsOwnRegisters) {
  host_->straps_i = Straps{.x = 3}.word();
  EXPECT_EQ(read(node::identity()).data & 0xffffffffU, kSignature);
  EXPECT_EQ(read(node::straps()).data, 3U);
  EXPECT_FALSE(write(node::fifo_hold_cycles(), 99).error);
  EXPECT_EQ(host_->fifo_hold_cycles_o, 99U);
  EXPECT_EQ(host_->credit_timeout_cycles_o, 65536U);
  host_->memory_error_i = 1;
  tick();
  host_->memory_error_i = 0;
  EXPECT_EQ(read(node::memory_errors()).data, 1U);
  EXPECT_TRUE(asked_.empty());
}

TEST_F(HostInterface, InsertsAPushAndAnswersItsLastWordWithTheOutcome) {
  for (unsigned word = 0; word < 8; ++word) {
    EXPECT_FALSE(write(client_page::push_data(1, word), word).error) << word;
  }
  for (int i = 0; i < 20; ++i) tick();
  EXPECT_EQ(beats_, 2U);
  EXPECT_EQ(read(client_page::push_status(1)).data, 1U);
  EXPECT_FALSE(host_->busy_o);
}

TEST_F(HostInterface, IsBusyUntilWhatIsPushedIsWritten) {
  written_late_ = true;
  for (unsigned word = 0; word < 8; ++word) write(client_page::push_data(1, word), word);
  for (int i = 0; i < 20; ++i) tick();
  EXPECT_EQ(beats_, 2U);
  EXPECT_TRUE(host_->busy_o);
  written_late_ = false;
  for (int i = 0; i < 5; ++i) tick();
  EXPECT_FALSE(host_->busy_o);
}

TEST_F(HostInterface, IsBusyFromAnAccessToItsAnswer) {
  bus_.post_read(region::base(5));
  for (unsigned cycle = 0; bus_.read_answers().empty(); ++cycle) {
    ASSERT_LT(cycle, 100U);
    tick();
    ASSERT_EQ(host_->busy_o, bus_.busy()) << cycle;
  }
  bus_.post_write(region::base(5), 1);
  for (unsigned cycle = 0; bus_.write_answers().empty(); ++cycle) {
    ASSERT_LT(cycle, 100U);
    tick();
    ASSERT_EQ(host_->busy_o, bus_.busy()) << cycle;
  }
}

TEST_F(HostInterface, DoesNotCountAFullQueueAsAMistake) {
  slots_status_ = Status::kQueueFull;
  for (unsigned word = 0; word < 7; ++word) write(client_page::push_data(1, word), word);
  EXPECT_TRUE(write(client_page::push_data(1, 7), 7).error);
  EXPECT_EQ(read(client_page::page_status(1)).data, kSignature);
  EXPECT_EQ(causes_, 0U);
  EXPECT_EQ(extract(read(client_page::push_status(1)).data, client_page::push_status_field::status),
            static_cast<std::uint64_t>(Status::kQueueFull));
  slots_status_ = Status::kQueueInvalid;
  EXPECT_TRUE(write(client_page::push_data(1, 7), 7).error);
  EXPECT_EQ(extract(read(client_page::page_status(1)).data, client_page::page_status_field::errors),
            1U);
  EXPECT_EQ(causes_, bit(1 * 8 + 5));
}

TEST_F(HostInterface, CountsEveryOtherPushThatIsRefused) {
  for (unsigned status = 1; status < 256; ++status) {
    const unsigned client = status % kClients;
    slots_status_ = static_cast<Status>(status);
    const bool counts = slots_status_ != Status::kQueueFull;
    write(node::error_clear(), (1U << kClients) - 1);
    causes_.reset();
    for (unsigned word = 0; word < 8; ++word) write(client_page::push_data(client, word), word);
    EXPECT_EQ(extract(read(client_page::push_status(client)).data,
                      client_page::push_status_field::status),
              status);
    const std::uint64_t page = read(client_page::page_status(client)).data;
    EXPECT_EQ(extract(page, client_page::page_status_field::status), counts ? status : 0);
    EXPECT_EQ(extract(page, client_page::page_status_field::errors), counts ? 1U : 0U);
    EXPECT_EQ(causes_, counts ? bit(client * 8 + 5) : PortBits());
  }
}

TEST_F(HostInterface, AnswersEverythingUnderRandomTraffic) {
  SCOPED_TRACE(random_.replay());
  std::size_t writes = 0;
  std::size_t reads = 0;
  for (int round = 0; round < 60; ++round) {
    const auto pace = [&] { return 10 + static_cast<unsigned>(random_.below(91)); };
    bus_.set_pace({pace(), pace(), pace()});
    answer_cycles_ = 1 + static_cast<unsigned>(random_.below(8));
    std::vector<std::uint32_t> counters;
    for (int i = 0; i < 50; ++i) {
      const auto address = static_cast<std::uint32_t>(random_.below(1U << 18));
      if (random_.chance(40)) {
        ++writes;
        bus_.post_write(address, random_.bits64(), random_.chance(70) ? 0xffU : 0x0fU);
      } else if (random_.chance(30)) {
        ++reads;
        bus_.post_read(address);
      } else {
        ++reads;
        const auto index = static_cast<unsigned>(random_.below(kProfile.byte_counters));
        bus_.post_read(client_page::byte_counter(3, index));
        counters.push_back(index);
      }
    }
    asked_.clear();
    finish();
    ASSERT_EQ(bus_.write_answers().size(), writes);
    ASSERT_EQ(bus_.read_answers().size(), reads);
    std::size_t found = 0;
    for (const Asked& asked : asked_) {
      const auto address = asked.request.get<layout::register_request::address>();
      if (asked.unit == RegisterUnit::kCounter && found < counters.size() &&
          asked.request.get<layout::register_request::write>() == 0 &&
          address == client_page::byte_counter.in_block(counters[found])) {
        ++found;
      }
    }
    ASSERT_EQ(found, counters.size()) << "reads reach their block in order";
  }
  for (int i = 0; i < 5; ++i) tick();
  EXPECT_FALSE(host_->busy_o);
}

// Accesses to any register, one at a time: each reaches the block that has it and no other, whole,
// and brings back what that block says.

class HostInterfaceAtRandom : public HostInterfaceBench {
 protected:
  // A register of the map, and where it lies.
  struct Place {
    RegisterUnit unit;
    bool page;
    unsigned client;
    std::uint32_t address, in_block;
    unsigned bytes;
  };
  // What is known of the bad accesses of a page, or of the privileged block.
  struct Refusals {
    unsigned count = 0;
    Status first = Status::kOk;
    std::uint32_t address = 0;
  };

  Place draw_place() {
    const auto& lines = registers::detail::kRegisters;
    const auto& line = lines[random_.below(std::size(lines))];
    const auto* block = std::begin(registers::detail::kBlocks);
    while (block->name != line.block) ++block;
    const bool page = line.block == "client_page";
    const auto number = static_cast<unsigned>(random_.below(page ? kClients : block->copies));
    const auto copy = static_cast<std::uint32_t>(random_.below(line.copies));
    const std::uint32_t offset = line.offset + copy * line.bytes;
    const std::uint32_t address = block->base + number * block->stride + offset;
    return {unit_of(line.block, line.name), page,      page ? number : 0, address,
            page ? offset : address,        line.bytes};
  }
  Place draw_place_outside() {
    for (;;) {
      const Place place = draw_place();
      if (!is_in_host_interface(place.unit)) return place;
    }
  }
  Status draw_status() {
    if (random_.chance(70)) return Status::kOk;
    if (random_.chance(20)) return Status::kQueueFull;
    if (random_.chance(40)) return static_cast<Status>(1U << random_.below(8));
    return static_cast<Status>(1 + random_.below(255));
  }
  void note(const Place& place, Status status) {
    if (status == Status::kOk) return;
    Refusals& refusals = place.page ? pages_[place.client] : privileged_;
    if (refusals.count++ == 0) refusals = {1, status, place.in_block};
  }
  // The access, and what its block is asked.
  void access(const Place& place, bool write) {
    asked_.clear();
    const std::uint64_t data =
        place.bytes == 8 ? random_.bits64() : static_cast<std::uint32_t>(random_.bits64());
    RegisterRequest wanted =
        write ? register_write(place.in_block, data, place.bytes) : register_read(place.in_block);
    wanted.set<layout::register_request::page>(place.page)
        .set<layout::register_request::client>(place.client);
    AxilAnswer answer{};
    if (write) {
      const bool upper = (place.address & 4U) != 0;
      answer = this->write(place.address & ~7U, data << (upper ? 32U : 0U),
                           place.bytes == 8 ? 0xFFU
                           : upper          ? 0xF0U
                                            : 0x0FU);
    } else {
      answer = read(place.address);
    }
    ASSERT_EQ(asked_.size(), 1U);
    ASSERT_EQ(asked_[0].unit, place.unit);
    ASSERT_EQ(asked_[0].request, wanted);
    ASSERT_EQ(answer.error, block_status_ != Status::kOk);
    if (!write) {
      ASSERT_EQ(answer.data, answer.error ? 0 : data_at(place.in_block));
    }
    note(place, block_status_);
  }
  // One that the decoder refuses.
  void access_refused() {
    asked_.clear();
    const Place place = draw_place_outside();
    if (random_.chance(50)) {
      ASSERT_TRUE(write(place.address & ~7U, random_.bits64(), 0x7E).error);
      Place word = place;
      word.in_block &= ~7U;
      note(word, Status::kRegisterPartial);
    } else {
      // Between boot buffers and the unit's memory.
      constexpr std::uint32_t kHole = 0x43000, kWords = (registers::unit_memory::kBase - kHole) / 8;
      const auto nowhere = static_cast<std::uint32_t>(kHole + random_.below(kWords) * 8);
      if (random_.chance(50)) {
        ASSERT_TRUE(write(nowhere, random_.bits64()).error);
      } else {
        const AxilAnswer answer = read(nowhere);
        ASSERT_TRUE(answer.error);
        ASSERT_EQ(answer.data, 0U);
      }
      note({.unit = RegisterUnit::kErrors,
            .page = false,
            .client = 0,
            .address = nowhere,
            .in_block = nowhere,
            .bytes = 8},
           Status::kRegisterUnknown);
    }
    ASSERT_TRUE(asked_.empty());
  }
  void access_any() {
    if (random_.chance(10)) return access_refused();
    access(draw_place_outside(), random_.chance(50));
  }
  // They may be cleared then.
  void compare_refusals() {
    for (unsigned client = 0; client < kClients; ++client) {
      const std::uint64_t status = read(client_page::page_status(client)).data;
      ASSERT_EQ(status, kSignature | to_underlying(pages_[client].first) << 32U |
                            std::uint64_t{pages_[client].count} << 40U);
    }
    const std::uint64_t errors = read(node::register_errors()).data;
    ASSERT_EQ(errors, to_underlying(privileged_.first) | std::uint64_t{privileged_.count} << 8U |
                          std::uint64_t{privileged_.address} << 24U);
    for (unsigned client = 0; client < kClients; ++client)
      ASSERT_EQ(causes_ & causes_of_client(client, 0xFF),
                causes_of_client(client, pages_[client].count != 0 ? 1U << 5U : 0U));
    if (random_.chance(50)) clear_refusals();
  }
  void clear_refusals() {
    ASSERT_FALSE(write(node::error_clear(), 1ULL << 63U | ((1U << kClients) - 1)).error);
    pages_ = {};
    privileged_ = {};
    causes_.reset();
  }
  static std::uint64_t to_underlying(Status status) { return static_cast<std::uint64_t>(status); }

  std::array<Refusals, kClients> pages_;
  Refusals privileged_;
};

TEST_F(HostInterfaceAtRandom, BringsEachAccessToTheBlockThatHasIt) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 3000; ++i) {
    data_salt_ = random_.bits64();
    answer_cycles_ = static_cast<unsigned>(random_.below(4));
    block_status_ = draw_status();
    ASSERT_NO_FATAL_FAILURE(access_any()) << "access " << i;
    if (i % 5 == 0) {
      ASSERT_NO_FATAL_FAILURE(compare_refusals()) << "access " << i;
    }
  }
}

TEST_F(HostInterfaceAtRandom, KeepsWhatItsOwnRegistersAreWritten) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 200; ++i) {
    const auto hold = static_cast<std::uint16_t>(random_.bits64());
    const auto timeout = static_cast<std::uint32_t>(random_.bits64());
    const auto cycles = static_cast<std::uint32_t>(1 + random_.below(1U << 24));
    const auto retries = static_cast<std::uint8_t>(random_.bits64());
    ASSERT_FALSE(write(node::fifo_hold_cycles(), hold).error);
    ASSERT_FALSE(write(node::credit_timeout_cycles(), timeout).error);
    ASSERT_FALSE(write(node::send_retry_cycles(), cycles).error);
    ASSERT_FALSE(write(node::send_retries(), retries).error);
    ASSERT_EQ(host_->fifo_hold_cycles_o, hold);
    ASSERT_EQ(host_->send_retry_cycles_o, cycles);
    ASSERT_EQ(host_->send_retries_o, retries);
    ASSERT_EQ(host_->credit_timeout_cycles_o, timeout);
    ASSERT_EQ(read(node::fifo_hold_cycles()).data, hold);
    ASSERT_EQ(read(node::credit_timeout_cycles()).data, timeout);
    ASSERT_EQ(read(node::send_retry_cycles()).data, cycles);
    ASSERT_EQ(read(node::send_retries()).data, retries);
  }
  ASSERT_TRUE(asked_.empty());
}

TEST_F(HostInterfaceAtRandom, TellsCountsOfThingsThatHaveGoneOnForLong) {
  SCOPED_TRACE(random_.replay());
  auto& root = *host_->rootp;
  auto& counts = root.mu_host_interface__DOT__u_node__DOT__u_counts__DOT__count_q;
  auto& accepted =
      root.mu_host_interface__DOT__u_push__DOT__u_registers__DOT__u_accepted__DOT__count_q;
  for (int i = 0; i < 100; ++i) {
    std::array<std::uint32_t, kClients> pushes, mistakes;
    Bytes all(2 * kClients);
    for (unsigned client = 0; client < kClients; ++client) {
      pushes[client] = old_count(random_);
      mistakes[client] = old_count(random_, 16);
      accepted[client] = pushes[client];
      put_bits(all, 16 * client, 16, mistakes[client]);
    }
    drive(root.mu_host_interface__DOT__u_errors__DOT__page_count_q, all);
    const std::uint32_t bad = counts[0] = old_count(random_);
    const std::uint32_t dropped = counts[1] = old_count(random_);
    const std::uint32_t failed = counts[2] = old_count(random_);
    const std::uint32_t refused = root.mu_host_interface__DOT__u_errors__DOT__count_q =
        static_cast<std::uint16_t>(old_count(random_, 16));
    settle_inside(host_->rootp);
    for (unsigned client = 0; client < kClients; ++client) {
      ASSERT_EQ(read(client_page::push_status(client)).data, pushes[client]);
      ASSERT_EQ(read(client_page::page_status(client)).data,
                kSignature | std::uint64_t{mistakes[client]} << 40U);
    }
    ASSERT_EQ(read(node::bad_packets()).data, bad);
    ASSERT_EQ(read(node::dropped_replies()).data, dropped);
    ASSERT_EQ(read(node::memory_errors()).data, failed);
    ASSERT_EQ(read(node::register_errors()).data, refused << 8U);
  }
}

TEST_F(HostInterfaceAtRandom, TellsWhereTheNodeSits) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 50; ++i) {
    const auto straps = static_cast<std::uint32_t>(random_.below(1U << 27));
    host_->straps_i = straps;
    ASSERT_EQ(read(node::straps()).data, straps);
  }
}

}  // namespace
}  // namespace torusmu::testing
