// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "Vmu_reception_store.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using WriteCommand = Record<layout::write_command::Layout>;
using WriteAction = Record<layout::write_action::Layout>;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace w = layout::write_command;
namespace d = layout::descriptor;

enum class What { kPut, kFifo, kGet };

struct Job {
  What what = What::kPut;
  PacketHeader header;
  PacketTrailer trailer;
  Bytes payload;  // whole beats
  std::uint64_t first_bytes = 0;
  std::uint64_t second_bytes = 0;
  WriteAction action;
};

Bytes expected_data(const Job& job) {
  Bytes data;
  if (job.what == What::kFifo) {
    const auto head = job.header.bytes();
    const auto tail = job.trailer.bytes();
    data.insert(data.end(), head.begin(), head.end());
    data.insert(data.end(), tail.begin(), tail.end());
  }
  Bytes payload = job.payload;
  for (std::size_t at = 0; job.what == What::kGet && at < payload.size(); at += 64) {
    auto descriptor = Descriptor::from_bytes(std::span(payload).subspan(at, 64));
    auto image = descriptor.get<d::header>();
    image.set<h::src_x>(job.header.get<h::src_x>())
        .set<h::src_y>(job.header.get<h::src_y>())
        .set<h::src_z>(job.header.get<h::src_z>())
        .set<h::client>(job.header.get<h::client>());
    descriptor.set<d::header>(image);
    if (job.trailer.get<t::reflected>() != 0) {
      descriptor.set<d::reflection_number>(job.trailer.get<t::sequence_number>() & 0xFFFFU);
    }
    const auto bytes = descriptor.bytes();
    std::copy(bytes.begin(), bytes.end(), payload.begin() + static_cast<std::ptrdiff_t>(at));
  }
  data.insert(data.end(), payload.begin(), payload.end());
  return data;
}

class ReceptionStore : public ::testing::Test {
 protected:
  ReceptionStore() : store(random.seed()) {}

  Job random_job() {
    Job job;
    job.what = static_cast<What>(random.below(3));
    job.header = PacketHeader::from_bytes(random_bytes(random, 16));
    job.trailer = PacketTrailer::from_bytes(random_bytes(random, 16));
    job.action = WriteAction::from_bytes(random_bytes(random, WriteAction::kBytes));
    std::uint64_t bytes = 1 + random.below(512);
    if (job.what == What::kGet) bytes = 64 * (1 + random.below(8));
    if (job.what == What::kFifo) bytes = 32 * random.below(17);
    job.payload = random_bytes(random, (bytes + 31) / 32 * 32);
    const std::uint64_t total = bytes + (job.what == What::kFifo ? 32 : 0);
    const std::uint64_t unit = job.what == What::kGet ? 64 : 32;
    job.first_bytes = total;
    if (total > unit && random.chance(50)) {
      job.first_bytes = unit * (1 + random.below((total - 1) / unit));
    }
    job.second_bytes = total - job.first_bytes;
    return job;
  }

  // Runs one job to its end; returns the cycles from start to packet_done.
  unsigned run(const Job& job, unsigned source_chance, unsigned memory_chance) {
    EXPECT_TRUE(store->idle_o);
    drive(store->packet_header_i, job.header);
    drive(store->packet_trailer_i, job.trailer);
    drive(store->start_action_i, job.action);
    store->start_valid_i = 1;
    store->start_fifo_i = job.what == What::kFifo;
    store->start_get_i = job.what == What::kGet;
    const std::uint64_t first_at = random.bits64() >> 24, second_at = random.bits64() >> 24;
    store->start_address_i = first_at;
    store->start_bytes_i = static_cast<std::uint16_t>(job.first_bytes);
    store->start_split_i = job.second_bytes != 0;
    store->start_second_address_i = second_at;
    store->start_second_bytes_i = static_cast<std::uint16_t>(job.second_bytes);
    store.tick();
    store->start_valid_i = 0;
    Bytes data;
    std::size_t given = 0;
    unsigned commands = 0;
    const unsigned parts = job.second_bytes != 0 ? 2 : 1;
    bool offered = false;
    for (unsigned cycle = 1; cycle < 5000; ++cycle) {
      offered = given < job.payload.size() && (offered || random.chance(source_chance));
      store->beat_valid_i = offered;
      if (offered) drive(store->beat_data_i, std::span(job.payload).subspan(given, 32));
      store->write_command_ready_i = random.chance(memory_chance);
      store->write_beat_ready_i = random.chance(memory_chance);
      store.settle();
      EXPECT_FALSE(store->idle_o);
      EXPECT_EQ(store->fifo_pending_o, job.what == What::kFifo && commands < parts);
      if (store->write_command_valid_o && store->write_command_ready_i) {
        WriteCommand due;
        due.set<w::address>(commands == 0 ? first_at : second_at)
            .set<w::bytes>(commands == 0 ? job.first_bytes : job.second_bytes)
            .set<w::final_part>(commands + 1 == parts ? 1 : 0)
            .set<w::action>(job.action);
        EXPECT_EQ(sample_record<WriteCommand>(store->write_command_data_o), due);
        EXPECT_EQ(data.size(), commands == 0 ? 0U : job.first_bytes);
        ++commands;
      }
      if (store->write_beat_valid_o && store->write_beat_ready_i) {
        const Bytes beat = sample(store->write_beat_data_o, 32);
        data.insert(data.end(), beat.begin(), beat.end());
      }
      if (offered && store->beat_ready_o) {
        given += 32;
        offered = false;
      }
      const bool done = store->packet_done_o != 0;
      store.tick();
      if (!done) continue;
      store->beat_valid_i = 0;
      store->write_command_ready_i = 0;
      store.settle();
      EXPECT_EQ(commands, parts);
      if (job.first_bytes == 0) {
        EXPECT_EQ(data.size(), 32U);
      } else {
        EXPECT_EQ(data, expected_data(job));
      }
      return cycle;
    }
    ADD_FAILURE() << "the job did not end";
    return 0;
  }

  Random random;
  Clocked<Vmu_reception_store> store;
};

TEST_F(ReceptionStore, WritesEveryKindOfPacketInOneOrTwoParts) {
  SCOPED_TRACE(random.replay());
  for (int i = 0; i < 2000 && !HasFailure(); ++i) run(random_job(), 60, 60);
}

TEST_F(ReceptionStore, WritesABeatACycle) {
  Job job;
  job.payload = random_bytes(random, 512);
  job.first_bytes = 512;
  EXPECT_LE(run(job, 100, 100), 1U + 16U);
  job.what = What::kFifo;
  job.first_bytes = 544;
  EXPECT_LE(run(job, 100, 100), 1U + 17U);
}

TEST_F(ReceptionStore, WritesNothingInItsPlaceForAPacketWithoutPayload) {
  Job none;
  none.header = PacketHeader::from_bytes(random_bytes(random, 16));
  none.trailer = PacketTrailer::from_bytes(random_bytes(random, 16));
  none.action = WriteAction::from_bytes(random_bytes(random, WriteAction::kBytes));
  for (const unsigned chance : {100U, 30U}) {
    run(none, chance, chance);
    run(random_job(), chance, chance);
  }
}

TEST_F(ReceptionStore, WritesAPutOfEveryLength) {
  for (unsigned bytes = 1; bytes <= 512 && !HasFailure(); ++bytes) {
    SCOPED_TRACE(bytes);
    Job job;
    job.payload = random_bytes(random, (bytes + 31) / 32 * 32);
    job.first_bytes = bytes;
    run(job, 100, 100);
  }
}

TEST_F(ReceptionStore, IsSilentWithoutAPacketAndAfterAReset) {
  SCOPED_TRACE(random.replay());
  for (int i = 0; i < 20; ++i) {
    store->beat_valid_i = store->write_beat_ready_i = store->write_command_ready_i = 1;
    for (int cycle = 0; cycle < 3; ++cycle) {
      store.settle();
      ASSERT_TRUE(store->idle_o);
      ASSERT_FALSE(store->beat_ready_o || store->write_command_valid_o ||
                   store->write_beat_valid_o || store->packet_done_o || store->fifo_pending_o);
      store.tick();
    }
    store->start_valid_i = store->start_fifo_i = 1;
    store->start_bytes_i = 96;
    store->start_split_i = random.chance(50);
    store.tick();
    store->start_valid_i = store->start_fifo_i = 0;
    const auto cycles = random.below(4);
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) store.tick();
    store.settle();
    ASSERT_FALSE(store->idle_o);
    store.reset(1);
    store->beat_valid_i = store->write_beat_ready_i = store->write_command_ready_i = 0;
    run(random_job(), 70, 70);
  }
}

}  // namespace
}  // namespace torusmu::testing
