// SPDX-License-Identifier: Apache-2.0
// bgp: -GQUEUES=128
// PIPEs that run at once: whose is what, and who waits for whom.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "Vmu_pipes.h"
#include "tests/support/clocked.h"
#include "tests/support/port_bits.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"
#include "torusmu/types.h"

namespace torusmu::testing {
namespace {

namespace a = layout::list_answers;
namespace b = layout::receive_buffer;
namespace d = layout::descriptor;
namespace f = layout::fetched_descriptor;
namespace o = layout::pipe_operation;

class Pipes : public ::testing::Test {
 protected:
  using Buffer = Record<layout::receive_buffer::Layout>;
  using End = Record<layout::queue_end::Layout>;
  using Fetched = Record<layout::fetched_descriptor::Layout>;
  static constexpr std::uint64_t kBytes = 100;  // of a buffer
  static constexpr Address kAddress = 0x10'0000;

  Pipes() {
    dut_->buffer_ready_i = dut_->begin_ready_i = dut_->out_ready_i = 1;
    dut_->stop_ready_i = dut_->end_ready_i = dut_->piped_i = 1;
    held_.set();
    tick();
  }
  static Address address_of(unsigned queue) { return kAddress * (1 + queue); }
  // A PIPE of four buffers in `queue`, that receives from `from`.
  void start(unsigned queue, unsigned from, std::uint32_t messages = 100, bool origin = false) {
    Fetched fetched = Fetched::from_bytes(random_bytes(random_, Fetched::kBytes));
    const auto operation = PipeOperation()
                               .set<o::messages>(messages)
                               .set<o::buffer_bytes>(kBytes)
                               .set<o::receive_queue>(from)
                               .set<o::origin>(origin);
    fetched.set<f::queue>(queue).set<f::descriptor>(fetched.get<f::descriptor>()
                                                        .set<d::length>(4 * kBytes)
                                                        .set<d::immediate>(operation.bytes()));
    post(queue, fetched);
  }
  void post(unsigned queue, const Fetched& fetched) {
    descriptors_[queue] = fetched;
    drive(dut_->command_i,
          Record<layout::pair_command::Layout>()
              .set<layout::pair_command::pipe_due>(1)
              .set<layout::pair_command::buffer>(
                  Buffer().set<b::queue>(queue).set<b::address>(address_of(queue))));
    tick();
    drive(dut_->command_i, Record<layout::pair_command::Layout>());
    run();
  }
  // --- lists: region and offset of a buffer say whose it is ---
  static std::uint64_t offset_in_list(unsigned queue, unsigned number) {
    return 0x1000 * (1 + (5 * number + queue) % 16);
  }
  void start_listed(unsigned queue, unsigned from, unsigned buffers) {
    Fetched fetched = Fetched::from_bytes(random_bytes(random_, Fetched::kBytes));
    const auto operation =
        PipeOperation().set<o::messages>(100).set<o::receive_queue>(from).set<o::listed>(1);
    fetched.set<f::queue>(queue).set<f::descriptor>(fetched.get<f::descriptor>()
                                                        .set<d::length>(16 * buffers)
                                                        .set<d::immediate>(operation.bytes()));
    post(queue, fetched);
  }
  void beat(unsigned first, unsigned queue, bool last) {
    namespace t = layout::read_beat;
    namespace p = layout::pipe_buffer;
    std::array<std::uint8_t, 32> data{};
    for (unsigned i = 0; i < 2; ++i) {
      const auto entry = PipeBuffer()
                             .set<p::region>(queue)
                             .set<p::offset>(offset_in_list(queue, first + i))
                             .set<p::bytes>(10 * queue + first + i)
                             .bytes();
      std::copy(entry.begin(), entry.end(), data.begin() + i * entry.size());
    }
    answers_.set<a::beat>(
        Record<t::Layout>().set<t::data>(data).set<t::valid>(1).set<t::last>(last));
    tick();
    answers_.set<a::beat>({});
  }
  // The list of the PIPE in `queue` is read; entry `bad` is in another client's region.
  void play_list(unsigned queue, unsigned buffers, std::optional<unsigned> bad = {}) {
    namespace e = layout::region_entry;
    namespace q = layout::read_request;
    namespace c = layout::read_command;
    namespace r = layout::list_reads;
    run(10);
    const auto request = get<layout::pipe_reads::list>(dut_->reads_o).get<r::list>();
    ASSERT_TRUE(request.get<q::valid>());
    EXPECT_EQ(request.get<q::command>().get<c::address>(), address_of(queue));
    EXPECT_EQ(request.get<q::command>().get<c::bytes>(), 16 * buffers);
    answers_.set<a::ready>(1);
    tick();
    answers_.set<a::ready>(0);
    for (unsigned i = 0; i < buffers; i += 2) beat(i, queue, i + 2 >= buffers);
    for (unsigned i = 0; i < buffers; ++i) {
      run(3);
      const auto reads = get<layout::pipe_reads::list>(dut_->reads_o);
      EXPECT_TRUE(reads.get<r::look>());
      EXPECT_EQ(reads.get<r::region>(), queue);
      EXPECT_TRUE(dut_->busy_o);
      answers_.set<a::looks>(1);
      tick();
      const std::uint64_t owner = descriptors_[queue].get<f::owner>();
      answers_.set<a::looks>(0).set<a::entry>(Record<e::Layout>()
                                                  .set<e::base>(address_of(queue))
                                                  .set<e::length>(0x100'0000)
                                                  .set<e::enable>(1)
                                                  .set<e::owner>(i == bad ? owner ^ 1 : owner));
      tick();
    }
    run();
  }
  std::vector<Buffer> of(unsigned from) const {
    std::vector<Buffer> own;
    for (const Buffer& buffer : given) {
      if (buffer.get<b::queue>() == from) own.push_back(buffer);
    }
    return own;
  }
  void configure(unsigned queue, bool pending, bool written) {
    drive(dut_->configure_i, Record<layout::queue_configure::Layout>()
                                 .set<layout::queue_configure::queue>(queue)
                                 .set<layout::queue_configure::pending>(pending)
                                 .set<layout::queue_configure::written>(written));
  }
  void flush(unsigned queue) {
    configure(queue, true, false);
    drive(dut_->command_i,
          Record<layout::pair_command::Layout>().set<layout::pair_command::flush>(1));
    tick();
    held_.reset(queue);
    drive(dut_->command_i, Record<layout::pair_command::Layout>());
    configure(0, false, false);
    run();
  }
  void tick() {
    drive(dut_->answers_i, Record<layout::pipe_answers::Layout>()
                               .set<layout::pipe_answers::held>(descriptors_[shown_])
                               .set<layout::pipe_answers::list>(answers_));
    drive_bits(dut_->held_i, held_);
    drive_bits(dut_->may_ahead_i, may_ahead);
    drive_bits(dut_->under_way_i, under_way);
    dut_.settle();
    if (dut_->buffer_valid_o && dut_->buffer_ready_i) {
      given.push_back(sample_record<Buffer>(dut_->buffer_o));
    }
    if (dut_->begin_valid_o && dut_->begin_ready_i) begins.push_back(dut_->begin_queue_o);
    if (dut_->out_valid_o && dut_->out_ready_i) {
      outs.push_back(sample_record<Fetched>(dut_->out_data_o));
    }
    if (dut_->stop_valid_o && dut_->stop_ready_i) stops.push_back(dut_->stop_queue_o);
    if (dut_->end_valid_o && dut_->end_ready_i) ends.push_back(sample_record<End>(dut_->end_o));
    std::optional<unsigned> read;
    const auto select = get<layout::pipe_reads::held>(dut_->reads_o);
    if (select.get<layout::queue_select::valid>() != 0) {
      read = static_cast<unsigned>(select.get<layout::queue_select::queue>());
    }
    dut_.tick();
    if (read) shown_ = *read;
    dut_.settle();
  }
  void run(unsigned cycles = 40) {
    for (unsigned i = 0; i < cycles; ++i) tick();
  }
  std::optional<unsigned> watched() {
    if (get<layout::queue_select::valid>(dut_->watch_o) == 0) return std::nullopt;
    return static_cast<unsigned>(get<layout::queue_select::queue>(dut_->watch_o));
  }
  // Whether it is a PIPE's.
  bool receive(unsigned from, std::uint32_t bytes, Status status = Status::kOk) {
    namespace e = layout::received_end;
    drive(dut_->receive_end_i,
          Record<e::Layout>()
              .set<e::valid>(1)
              .set<e::ending>(
                  End().set<layout::queue_end::queue>(from).set<layout::queue_end::status>(status))
              .set<e::result>(
                  Record<layout::receive_result::Layout>().set<layout::receive_result::bytes>(
                      bytes)));
    dut_.settle();
    const bool mine = dut_->receive_mine_o != 0;
    tick();
    drive(dut_->receive_end_i, Record<e::Layout>());
    return mine;
  }
  bool acknowledge(unsigned queue, Status status = Status::kOk) {
    drive(dut_->send_end_i,
          End().set<layout::queue_end::queue>(queue).set<layout::queue_end::status>(status));
    dut_->send_end_valid_i = 1;
    dut_.settle();
    const bool mine = dut_->send_mine_o != 0;
    tick();
    dut_->send_end_valid_i = 0;
    return mine;
  }
  std::size_t buffers_of(unsigned from) const {
    std::size_t count = 0;
    for (const Buffer& buffer : given) count += buffer.get<b::queue>() == from ? 1 : 0;
    return count;
  }
  // The PIPE of `queue`, but for what makes it a SEND.
  void expect_out(std::size_t number, unsigned queue, std::uint64_t offset, std::uint64_t length) {
    ASSERT_GT(outs.size(), number);
    const Fetched& pipe = descriptors_[queue];
    const Descriptor own = pipe.get<f::descriptor>();
    const std::uint64_t at = (own.get<d::source_offset>() + offset) % (1ULL << 37);
    EXPECT_EQ(outs[number],
              Fetched(pipe).set<f::again>(1).set<f::ahead>(0).set<f::run>(0).set<f::descriptor>(
                  Descriptor(own)
                      .set<d::opcode>(Opcode::kSend)
                      .set<d::immediate>({})
                      .set<d::source_offset>(at)
                      .set<d::length>(length)));
  }
  // Its only message comes, and goes on.
  void finish(unsigned queue, unsigned from) {
    EXPECT_TRUE(receive(from, 7));
    run();
    EXPECT_TRUE(acknowledge(queue));
    run();
    ASSERT_FALSE(ends.empty());
    EXPECT_EQ(ends.back(), End().set<layout::queue_end::queue>(queue));
  }

  Random random_;
  ::testing::ScopedTrace trace_{__FILE__, __LINE__, random_.replay()};
  Clocked<Vmu_pipes> dut_{random_.seed()};
  std::map<unsigned, Fetched> descriptors_;
  unsigned shown_ = 0;  // whose is looked at
  Record<a::Layout> answers_;
  PortBits held_, may_ahead, under_way;
  std::vector<Buffer> given;
  std::vector<Fetched> outs;
  std::vector<unsigned> begins, stops;
  std::vector<End> ends;
};

TEST_F(Pipes, RunFourAtOnceAndTheNextWhenOneHasEnded) {
  constexpr unsigned kSend[] = {3, 9, 31, 0, 20}, kFrom[] = {30, 8, 1, 17, 18};
  for (int i = 0; i < 5; ++i) start(kSend[i], kFrom[i], i == 2 ? 1 : 100);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(buffers_of(kFrom[i]), i == 4 ? 0U : i == 2 ? 1U : 2U) << i;
  EXPECT_FALSE(dut_->busy_o) << "the fifth waits for an end";
  for (const Buffer& buffer : given) {
    const auto from = buffer.get<b::queue>();
    const unsigned queue = from == 30 ? 3 : from == 8 ? 9 : from == 1 ? 31 : 0;
    EXPECT_EQ(buffer.get<b::address>() / kAddress, 1U + queue);
    EXPECT_EQ(buffer.get<b::owner>(), descriptors_[queue].get<f::owner>());
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(receive(kFrom[i], 10 + i));
    run();
    EXPECT_EQ(begins.back(), kSend[i]);
    expect_out(i, kSend[i], 0, 10 + i);
  }
  EXPECT_FALSE(receive(kFrom[4], 5));
  EXPECT_FALSE(acknowledge(kSend[4]));
  for (int i = 3; i >= 0; --i) EXPECT_TRUE(acknowledge(kSend[i]));
  run();
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0], End().set<layout::queue_end::queue>(kSend[2]));
  EXPECT_EQ(buffers_of(kFrom[4]), 2U);
  EXPECT_TRUE(receive(kFrom[4], 5));
  run();
  expect_out(4, kSend[4], 0, 5);
}

TEST_F(Pipes, WaitWhileAnotherReceivesFromTheirQueue) {
  start(3, 30, 1);
  start(9, 30, 1);
  start(12, 8, 1);
  EXPECT_EQ(buffers_of(30), 1U);
  EXPECT_EQ(buffers_of(8), 1U) << "nobody else waits for that";
  EXPECT_FALSE(dut_->busy_o);
  finish(12, 8);
  EXPECT_EQ(buffers_of(30), 1U);
  EXPECT_FALSE(dut_->busy_o);
  finish(3, 30);
  EXPECT_EQ(buffers_of(30), 2U);
  finish(9, 30);
  EXPECT_EQ(ends.size(), 3U);
  EXPECT_FALSE(dut_->busy_o);
}

TEST_F(Pipes, ThatReceiveNothingWaitForNoQueue) {
  start(3, 0, 1);
  start(9, 0, 0, true);
  start(12, 0, 0, true);
  EXPECT_EQ(begins, (std::vector<unsigned>{9, 12}));
  EXPECT_EQ(buffers_of(0), 1U);
}

TEST_F(Pipes, DoNotStartOnceTheyAreFlushed) {
  start(3, 30, 1);
  start(9, 30, 1);
  flush(9);
  finish(3, 30);
  EXPECT_EQ(buffers_of(30), 1U);
  EXPECT_EQ(ends.size(), 1U);
  // The queue holds another one later.
  held_.set(9);
  start(9, 30, 1);
  EXPECT_EQ(buffers_of(30), 2U);
}

TEST_F(Pipes, AreFlushedAlone) {
  start(3, 30);
  start(9, 8);
  flush(3);
  EXPECT_EQ(stops, (std::vector<unsigned>{30}));
  EXPECT_TRUE(ends.empty());
  EXPECT_FALSE(receive(30, 5));
  EXPECT_TRUE(receive(8, 5));
}

// Whoever is told has no time yet.
TEST_F(Pipes, EndThatWaitsIsTakenAwayByAFlushOfItsQueue) {
  for (const bool flushed : {false, true}) {
    dut_->end_ready_i = 0;
    held_.set();
    start(3, 30, 1);
    EXPECT_TRUE(receive(30, 7));
    run();
    EXPECT_TRUE(acknowledge(3));
    run();
    flush(9);
    EXPECT_TRUE(dut_->end_valid_o);
    EXPECT_TRUE(dut_->busy_o);
    if (flushed) flush(3);
    EXPECT_EQ(dut_->end_valid_o, !flushed);
    dut_->end_ready_i = 1;
    run();
    EXPECT_EQ(ends.size(), 1U) << "of the first round";
    EXPECT_FALSE(dut_->busy_o);
  }
}

TEST_F(Pipes, BufferThatIsGivenStandsUntilItIsTakenAndAnotherPipeIsNext) {
  constexpr unsigned kSend[] = {3, 9, 31, 0}, kFrom[] = {30, 8, 1, 17};
  dut_->buffer_ready_i = 0;
  for (int i = 0; i < 4; ++i) start(kSend[i], kFrom[i]);
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(dut_->buffer_valid_o) << i;
    const Buffer shown = sample_record<Buffer>(dut_->buffer_o);
    run(5);
    EXPECT_EQ(sample_record<Buffer>(dut_->buffer_o), shown);
    dut_->buffer_ready_i = 1;
    tick();
    dut_->buffer_ready_i = 0;
    if (i != 0) {
      EXPECT_NE(given[i].get<b::queue>(), given[i - 1].get<b::queue>()) << i;
    }
    run(2);
  }
  EXPECT_FALSE(dut_->buffer_valid_o);
  for (const unsigned from : kFrom) EXPECT_EQ(buffers_of(from), 2U);
}

TEST_F(Pipes, EndAloneIfTheirReceiveQueueIsConfigured) {
  start(3, 30);
  start(9, 8);
  configure(8, true, true);
  tick();
  configure(0, false, false);
  run();
  EXPECT_EQ(stops, (std::vector<unsigned>{8}));
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0], End().set<layout::queue_end::queue>(9).set<layout::queue_end::status>(
                         Status::kFlushed));
}

TEST_F(Pipes, OnlyTheOneThatStartedFirstIsToldOfMessagesThatArrive) {
  start(3, 30, 1);
  start(9, 8, 1);
  EXPECT_EQ(watched(), 30U);
  drive(dut_->arriving_i, Record<layout::arriving_message::Layout>()
                              .set<layout::arriving_message::valid>(1)
                              .set<layout::arriving_message::bytes>(7));
  while (outs.empty()) tick();
  dut_->out_ready_i = 0;
  run();
  EXPECT_EQ(begins, (std::vector<unsigned>{3}));
  EXPECT_TRUE(get<layout::send_hold::hold>(dut_->hold_o));
  drive(dut_->arriving_i, Record<layout::arriving_message::Layout>());
  EXPECT_TRUE(receive(30, 7));
  run();
  EXPECT_FALSE(get<layout::send_hold::hold>(dut_->hold_o));
  dut_->out_ready_i = 1;
  EXPECT_TRUE(acknowledge(3));
  run();
  EXPECT_EQ(watched(), std::nullopt) << "packets may be under way to the other";
  start(12, 1);
  EXPECT_EQ(watched(), 1U);
}

// The packetiser has not begun to cut it, or waits for the rest of the message.
TEST_F(Pipes, SpoilWhatHasGoneOutEarlyUntilItIsCutThoughTheOnlyOneIsFlushed) {
  start(3, 30, 1);
  drive(dut_->arriving_i, Record<layout::arriving_message::Layout>()
                              .set<layout::arriving_message::valid>(1)
                              .set<layout::arriving_message::bytes>(7));
  while (outs.empty()) tick();
  dut_->out_ready_i = 0;
  run();
  ASSERT_TRUE(get<layout::send_hold::hold>(dut_->hold_o));
  flush(3);
  run(100);
  EXPECT_TRUE(get<layout::send_hold::spoil>(dut_->hold_o)) << "what it would send never came";
  EXPECT_TRUE(dut_->busy_o);
  dut_->out_ready_i = 1;
  tick();
  tick();
  EXPECT_EQ(get<layout::send_hold::spoil>(dut_->hold_o), 0U);
}

TEST_F(Pipes, SendInTurn) {
  constexpr unsigned kSend[] = {3, 9, 12}, kFrom[] = {30, 8, 1};
  for (int i = 0; i < 3; ++i) start(kSend[i], kFrom[i]);
  dut_->out_ready_i = 0;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(receive(kFrom[i], 1));
  run();
  EXPECT_TRUE(dut_->out_valid_o);
  for (std::size_t sent = 1; sent <= 6; ++sent) {
    while (outs.size() < sent) {
      dut_->out_ready_i = 1;
      tick();
    }
    dut_->out_ready_i = 0;
    run();
    const auto queue = static_cast<unsigned>(outs.back().get<f::queue>());
    dut_->out_ready_i = 0;
    // It has another one at once.
    EXPECT_TRUE(acknowledge(queue));
    EXPECT_TRUE(receive(queue == 3 ? 30 : queue == 9 ? 8 : 1, 1));
  }
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(outs[i].get<f::queue>(), kSend[i % 3]) << i;
  }
}

// Of two with a list each gives its own buffers, in turn, and sends from them.
TEST_F(Pipes, GiveAndSendTheBuffersOfTheirLists) {
  constexpr unsigned kBuffers = 3;
  start_listed(3, 30, kBuffers);
  EXPECT_EQ(buffers_of(30), 0U) << "the list has not been read";
  start(9, 8);
  EXPECT_EQ(buffers_of(8), 2U) << "another does not wait for that";
  play_list(3, kBuffers);
  start_listed(12, 1, kBuffers);
  play_list(12, kBuffers);
  for (unsigned i = 0; i < 2 * kBuffers; ++i) {
    for (const unsigned queue : {3U, 12U}) {
      const unsigned from = queue == 3 ? 30 : 1;
      const Buffer buffer = of(from).at(i);
      const unsigned number = i % kBuffers;
      EXPECT_EQ(buffer.get<b::address>(), address_of(queue) + offset_in_list(queue, number));
      EXPECT_EQ(buffer.get<b::length>(), 10 * queue + number);
      EXPECT_EQ(buffer.get<b::owner>(), descriptors_[queue].get<f::owner>());
      EXPECT_TRUE(receive(from, 1 + i));
      run();
      const Fetched out = outs.back();
      EXPECT_EQ(out.get<f::queue>(), queue);
      EXPECT_EQ(out.get<f::descriptor>().get<d::source_region>(), queue);
      EXPECT_EQ(out.get<f::descriptor>().get<d::source_offset>(), offset_in_list(queue, number));
      EXPECT_EQ(out.get<f::descriptor>().get<d::length>(), 1U + i);
      EXPECT_TRUE(acknowledge(queue));
      run();
    }
  }
  EXPECT_EQ(buffers_of(8), 2U);
}

TEST_F(Pipes, EndWithWhatIsWrongWithTheirList) {
  start_listed(3, 30, 2);
  play_list(3, 2, 1);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0], End().set<layout::queue_end::queue>(3).set<layout::queue_end::status>(
                         Status::kPermission));
  EXPECT_TRUE(given.empty());
  EXPECT_FALSE(dut_->busy_o);
}

// Another takes its queue, and its place, while the memory still reads the list.
TEST_F(Pipes, AreFlushedWhileTheirListIsRead) {
  start_listed(3, 30, 4);
  answers_.set<a::ready>(1);
  tick();
  answers_.set<a::ready>(0);
  flush(3);
  EXPECT_TRUE(dut_->busy_o);
  held_.set(3);
  start_listed(3, 30, 2);
  beat(0, 3, false);
  beat(0, 3, true);
  play_list(3, 2);
  EXPECT_EQ(buffers_of(30), 2U);
  EXPECT_TRUE(ends.empty());
}

TEST_F(Pipes, GoOutAgainByThemselves) {
  start(3, 30);
  start(9, 8);
  EXPECT_TRUE(receive(8, 5));
  run();
  dut_->again_valid_i = 1;
  dut_->again_queue_i = 20;
  dut_.settle();
  EXPECT_FALSE(dut_->again_mine_o);
  dut_->again_queue_i = 9;
  dut_.settle();
  EXPECT_TRUE(dut_->again_mine_o && dut_->again_ready_o);
  tick();
  dut_->again_valid_i = 0;
  run();
  ASSERT_EQ(outs.size(), 2U);
  expect_out(1, 9, 0, 5);
}

}  // namespace
}  // namespace torusmu::testing
