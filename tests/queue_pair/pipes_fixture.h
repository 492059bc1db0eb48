// SPDX-License-Identifier: Apache-2.0
// What surrounds a mu_pipes, played for its tests: held descriptors, receive queues, send queues
// and packetiser, and for lists the memory port and the region table.

#ifndef TESTS_QUEUE_PAIR_PIPES_FIXTURE_H_
#define TESTS_QUEUE_PAIR_PIPES_FIXTURE_H_

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

namespace torusmu::testing::pipes {

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
  // --- lists: region, offset and bytes of a buffer say whose it is ---
  static std::uint64_t some_number(unsigned queue, unsigned number) {
    return (16 * queue + number + 1) * 0x9E37'79B9'7F4A'7C15;
  }
  static std::uint64_t region_in_list(unsigned queue) { return some_number(queue, 0) >> 56; }
  static std::uint64_t offset_in_list(unsigned queue, unsigned number) {
    return some_number(queue, number) >> 28;
  }
  static std::uint64_t bytes_in_list(unsigned queue, unsigned number) {
    return 1 + (some_number(queue, number) & 0x7FFF'FFFF);
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
                             .set<p::region>(region_in_list(queue))
                             .set<p::offset>(offset_in_list(queue, first + i))
                             .set<p::bytes>(bytes_in_list(queue, first + i))
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
      EXPECT_EQ(reads.get<r::region>(), region_in_list(queue));
      EXPECT_TRUE(dut_->busy_o);
      answers_.set<a::looks>(1);
      tick();
      const std::uint64_t owner = descriptors_[queue].get<f::owner>();
      answers_.set<a::looks>(0).set<a::entry>(Record<e::Layout>()
                                                  .set<e::base>(address_of(queue))
                                                  .set<e::length>(1ULL << 37)
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

}  // namespace torusmu::testing::pipes

#endif  // TESTS_QUEUE_PAIR_PIPES_FIXTURE_H_
