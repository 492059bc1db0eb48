// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_packet_image.h"
#include "tests/support/opcodes.h"
#include "tests/support/packet_image_model.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

using image::Fetched;
using image::Injection;
using image::Inputs;
using image::Operation;
using image::Outputs;
using image::Peer;
using image::Received;
namespace d = layout::descriptor;
namespace f = layout::fetched_descriptor;
namespace h = layout::packet_header;
namespace o = layout::counter_operation;
namespace p = layout::queue_peer;
namespace r = layout::injection_record;
namespace t = layout::packet_trailer;

class PacketImage : public ::testing::Test {
 protected:
  Outputs image(const Inputs& in) {
    dut_.query_i = in.query;
    dut_.open_i = in.open;
    dut_.node_i = static_cast<SData>(in.node);
    drive(dut_.fetched_i, in.all());
    dut_.status_i = static_cast<CData>(in.status);
    dut_.kind_i = static_cast<CData>(in.kind);
    dut_.tell_i = in.tell;
    dut_.moves_i = in.moves;
    dut_.last_i = in.last;
    dut_.bytes_i = static_cast<SData>(in.bytes);
    dut_.offset_i = in.offset;
    dut_.tag_i = static_cast<CData>(in.tag);
    dut_.counter_i = static_cast<CData>(in.counter);
    dut_.reflects_i = in.reflects;
    dut_.direction_i = static_cast<CData>(in.direction);
    dut_.number_i = static_cast<SData>(in.number);
    dut_.neighbour_i = static_cast<SData>(in.neighbour);
    drive(dut_.peer_i, in.peer);
    dut_.send_number_i = in.send_number;
    dut_.send_doubtful_i = in.doubtful;
    drive(dut_.received_i, in.received);
    dut_.eval();
    return {sample_record<PacketHeader>(dut_.header_o),
            sample_record<PacketTrailer>(dut_.trailer_o), sample_record<Injection>(dut_.record_o)};
  }
  Inputs in_;

 private:
  Vmu_packet_image dut_;
};

TEST_F(PacketImage, IsNothingWithoutAPacket) {
  in_.open = false;
  const Outputs out = image(in_);
  EXPECT_EQ(out.header, PacketHeader{});
  EXPECT_EQ(out.trailer, PacketTrailer{});
  EXPECT_EQ(out.record, Injection{});
}

TEST_F(PacketImage, IsTheDescriptorStampedWithNodeClientBytesAndOffset) {
  const Outputs out = image(in_);
  EXPECT_EQ(out.destination(), 0x321U);
  EXPECT_EQ(out.header.get<h::src_x>(), 1U);
  EXPECT_EQ(out.header.get<h::src_z>(), 3U);
  EXPECT_EQ(out.header.get<h::client>(), 5U) << "not what software wrote";
  EXPECT_FALSE(out.header.get<h::on_behalf>());
  EXPECT_EQ(out.header.get<h::bytes>(), 100U);
  EXPECT_EQ(out.header.get<h::offset>(), 0x123456789U);
  EXPECT_EQ(out.header.get<h::target>(), 0x44U);
  EXPECT_EQ(out.header.get<h::word>(), 0xCAFEF00DU);
  EXPECT_EQ(out.trailer.get<t::queue>(), 9U);
  EXPECT_EQ(out.trailer.get<t::index>(), 0x12345678U);
  EXPECT_EQ(out.trailer.get<t::sequence_number>(), 77U);
  EXPECT_TRUE(out.trailer.get<t::last>());
}

TEST_F(PacketImage, OfAGetterCarriesTheClientOfTheGetter) {
  in_.fetched.set<f::mode>(QueueMode::kRemoteGet);
  const Outputs out = image(in_);
  EXPECT_TRUE(out.header.get<h::on_behalf>());
  EXPECT_EQ(out.header.get<h::client>(), 11U);
  EXPECT_EQ(out.record.get<r::owner>(), 5U);
  EXPECT_EQ(out.destination(), 0x321U);
}

TEST_F(PacketImage, OfAFailureIsForTheNodeOfTheGetter) {
  in_.fetched.set<f::mode>(QueueMode::kRemoteGet);
  in_.status = Status::kRegionInvalid;
  in_.moves = false;
  in_.tell = true;
  const Outputs out = image(in_);
  EXPECT_EQ(out.destination(), 0x876U) << "not where its data was to go";
  EXPECT_EQ(out.header.get<h::bytes>(), 0U);
  EXPECT_TRUE(out.record.get<r::notice>());
  EXPECT_EQ(out.record.get<r::status>(), Status::kRegionInvalid);
}

TEST_F(PacketImage, OfAReflectingGetIsForTheQueueOfTheNeighbourThatLooksHere) {
  in_.descriptor.set<d::opcode>(Opcode::kGet);
  in_.reflects = true;
  // From there to here: -x if it is +x from here; a node is its own neighbour, too.
  constexpr std::array<unsigned, 7> kQueue{1, 0, 3, 2, 5, 4, 6};
  for (in_.direction = 0; in_.direction < kQueue.size(); ++in_.direction) {
    const Outputs out = image(in_);
    EXPECT_EQ(out.destination(), 0x0ABU);
    EXPECT_EQ(out.header.get<h::target>(), kQueue.at(in_.direction));
    EXPECT_TRUE(out.trailer.get<t::reflected>()) << "asks for a credit";
    EXPECT_EQ(out.trailer.get<t::sequence_number>(), 0x7654U);
  }
}

TEST_F(PacketImage, OfAQueryAsksTheNeighbourForItsNumber) {
  in_.query = true;
  in_.open = false;
  in_.direction = 4;
  const Outputs out = image(in_);
  EXPECT_EQ(out.header.get<h::kind>(), Kind::kCreditQuery);
  EXPECT_EQ(out.destination(), 0x0ABU);
  EXPECT_EQ(out.header.get<h::src_y>(), 2U);
  EXPECT_EQ(out.header.get<h::target>(), 5U);
  EXPECT_EQ(out.header.get<h::word>(), 0x7654U);
  EXPECT_TRUE(out.trailer.get<t::last>());
  EXPECT_TRUE(out.record.get<r::send>());
  EXPECT_FALSE(out.record.get<r::last>()) << "there is no descriptor to retire";
}

TEST_F(PacketImage, OfASendIsForThePeerWithNumberAndBytesOfItsMessage) {
  in_.descriptor.set<d::opcode>(Opcode::kSend).set<d::length>(70000);
  in_.doubtful = true;
  const Outputs out = image(in_);
  EXPECT_EQ(out.destination(), 0x654U);
  EXPECT_EQ(out.header.get<h::target>(), 0x33U);
  EXPECT_EQ(out.trailer.get<t::sequence_number>(), 0x88888888U);
  EXPECT_EQ(out.trailer.get<t::index>(), 70000U);
  EXPECT_FALSE(out.trailer.get<t::dynamic>());
  EXPECT_FALSE(out.trailer.get<t::doubtful>());
  EXPECT_TRUE(out.record.get<r::held>());
  EXPECT_FALSE(out.record.get<r::last>()) << "what becomes of it is not known yet";
}

TEST_F(PacketImage, OfADynamicSendIsForItsOwnTarget) {
  in_.descriptor.set<d::opcode>(Opcode::kSend);
  in_.peer.set<p::dynamic>(1);
  for (in_.doubtful = false;; in_.doubtful = true) {
    const Outputs out = image(in_);
    EXPECT_EQ(out.destination(), 0x321U);
    EXPECT_EQ(out.header.get<h::target>(), 0x44U);
    EXPECT_TRUE(out.trailer.get<t::dynamic>());
    EXPECT_EQ(out.trailer.get<t::doubtful>(), static_cast<unsigned>(in_.doubtful));
    if (in_.doubtful) break;
  }
}

TEST_F(PacketImage, CountsTheBytesOfAPacketThatIsToBeCounted) {
  EXPECT_FALSE(image(in_).record.get<r::operation_valid>());
  in_.descriptor.set<d::injection_counter_valid>(1);
  const Outputs out = image(in_);
  EXPECT_TRUE(out.record.get<r::operation_valid>());
  EXPECT_EQ(out.operation(),
            Operation{}.set<o::value>(100).set<o::counter>(0x21).set<o::client>(5));
}

TEST_F(PacketImage, OfCtrAddAndCtrSetChangesACounterIfAllIsWell) {
  in_.moves = false;
  in_.descriptor.set<d::immediate>({0x01, 0x02, 0x03, 0x04, 0xFF});
  for (const Opcode opcode : {Opcode::kCtrAdd, Opcode::kCtrSet}) {
    const bool set = opcode == Opcode::kCtrSet;
    in_.descriptor.set<d::opcode>(opcode).set<d::event_valid>(0);
    in_.status = Status::kOk;
    auto wanted =
        Operation{}.set<o::set>(set).set<o::add>(!set).set<o::counter>(0x21).set<o::client>(5);
    EXPECT_TRUE(image(in_).record.get<r::operation_valid>());
    EXPECT_EQ(image(in_).operation(), wanted.set<o::value>(0x3F04030201)) << "38 bits of bytes";
    in_.descriptor.set<d::event_valid>(1);
    EXPECT_EQ(image(in_).operation(), wanted.set<o::value>(0x04030201).set<o::is_event>(1));
    in_.status = Status::kCounterInvalid;
    EXPECT_FALSE(image(in_).record.get<r::operation_valid>());
  }
}

TEST_F(PacketImage, OfSendEnAndRecvEnMovesALimitOfItsTarget) {
  in_.moves = false;
  in_.descriptor.set<d::immediate>({9}).set<d::relative>(1);
  for (const Opcode opcode : {Opcode::kSendEn, Opcode::kRecvEn}) {
    in_.descriptor.set<d::opcode>(opcode);
    const Outputs out = image(in_);
    EXPECT_TRUE(out.record.get<r::enable>());
    EXPECT_TRUE(out.record.get<r::operation_valid>());
    EXPECT_EQ(out.operation(), Operation{}
                                   .set<o::value>(9)
                                   .set<o::counter>(0x44)
                                   .set<o::is_event>(opcode == Opcode::kRecvEn)
                                   .set<o::add>(1)
                                   .set<o::client>(5));
  }
}

// A RECEIVE that has run, well, of a queue with an event counter; its descriptor asks for
// everything.
class ReceiveImage : public PacketImage {
 protected:
  ReceiveImage() {
    in_.moves = false;
    in_.fetched.set<f::run>(1).set<f::run_status>(Status::kOk);
    in_.descriptor.set<d::opcode>(Opcode::kReceive).set<d::length>(4096).set<d::signal>(1);
    in_.descriptor.set<d::interrupt_done>(1);
    in_.peer.set<p::event_counter>(0x66).set<p::event_valid>(1);
  }
  static bool tells(const Outputs& out) {
    const auto [signal, interrupt, event] =
        std::array{out.record.get<r::signal>(), out.record.get<r::interrupt_done>(),
                   out.record.get<r::done_event_valid>()};
    EXPECT_TRUE(signal == interrupt && interrupt == event);
    return signal != 0;
  }
};

TEST_F(ReceiveImage, TellsBytesAndWordOfTheMessage) {
  const Outputs out = image(in_);
  EXPECT_TRUE(tells(out));
  EXPECT_EQ(out.record.get<r::bytes>(), 60U);
  EXPECT_EQ(out.header.get<h::word>(), 0xBEEFU);
  EXPECT_EQ(out.record.get<r::done_event>(), 0x66U);
}

TEST_F(ReceiveImage, BumpsItsOwnCounterRatherThanThatOfTheQueue) {
  in_.descriptor.set<d::done_event>(0x12).set<d::done_event_valid>(1);
  EXPECT_EQ(image(in_).record.get<r::done_event>(), 0x12U);
}

TEST_F(ReceiveImage, TellsWhatTheDescriptorSaysIfItWasFlushed) {
  in_.fetched.set<f::run_status>(Status::kFlushed);
  in_.status = Status::kFlushed;
  const Outputs out = image(in_);
  EXPECT_TRUE(tells(out));
  EXPECT_EQ(out.record.get<r::bytes>(), 4096U);
  EXPECT_EQ(out.header.get<h::word>(), 0xCAFEF00DU);
}

TEST_F(ReceiveImage, TellsNothingThatHasLeftADynamicQueueForItsMessage) {
  in_.peer.set<p::dynamic>(1);
  EXPECT_FALSE(tells(image(in_)));
  EXPECT_TRUE(image(in_).record.get<r::last>()) << "it is retired";
}

TEST_F(ReceiveImage, TellsOfAMessageOfADynamicQueueOnceMoreDetached) {
  in_.peer.set<p::dynamic>(1);
  in_.fetched.set<f::detached>(1);
  in_.descriptor.set<d::done_event>(0x12).set<d::done_event_valid>(1);
  const Outputs out = image(in_);
  EXPECT_TRUE(tells(out));
  EXPECT_TRUE(out.record.get<r::detached>());
  EXPECT_EQ(out.record.get<r::bytes>(), 4096U) << "the message has written its own";
}

// --- the same again, field by field, whatever comes ---

template <typename RecordType>
RecordType any(Random& random) {
  return RecordType::from_bytes(random_bytes(random, RecordType::kBytes));
}

Inputs draw(Random& random) {
  const auto status = [&random](Status often) {
    if (random.chance(60)) return often;
    // Another by one bit, or any.
    return random.chance(50)
               ? static_cast<Status>(static_cast<unsigned>(often) ^ 1U << random.below(8))
               : static_cast<Status>(random.below(256));
  };
  Inputs in;
  in.fetched = any<Fetched>(random);
  in.descriptor = any<Descriptor>(random);
  in.header = any<PacketHeader>(random);
  in.peer = any<Peer>(random);
  in.received = any<Received>(random);
  if (random.chance(90)) in.descriptor.set<d::opcode>(static_cast<Opcode>(random.below(kOpcodes)));
  if (random.chance(30)) in.descriptor.set<d::opcode>(Opcode::kReceive);
  in.descriptor.set<d::opcode>(nearly(random, in.opcode()));
  if (random.chance(30)) in.fetched.set<f::mode>(QueueMode::kRemoteGet);
  in.fetched.set<f::run_status>(status(random.chance(50) ? Status::kOk : Status::kFlushed));
  in.query = random.chance(10);
  in.open = random.chance(90);
  in.node = static_cast<unsigned>(random.below(1 << 12));
  in.status = status(Status::kOk);
  in.kind = static_cast<Kind>(random.below(16));
  in.tell = random.chance(50);
  in.moves = random.chance(50);
  in.last = random.chance(50);
  in.reflects = random.chance(20);
  in.doubtful = random.chance(50);
  in.bytes = static_cast<unsigned>(random.below(1 << 10));
  in.tag = static_cast<unsigned>(random.below(8));
  in.counter = static_cast<unsigned>(random.below(256));
  in.direction = static_cast<unsigned>(random.below(7));
  in.number = static_cast<unsigned>(random.below(1 << 16));
  in.offset = random.bits64() >> (64 - 37);
  in.neighbour = static_cast<unsigned>(random.below(1 << 12));
  in.send_number = static_cast<std::uint32_t>(random.bits64());
  return in;
}

TEST_F(PacketImage, IsRightInEveryFieldWhateverComes) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (int i = 0; i < 80000; ++i) {
    const Inputs in = draw(random);
    const Outputs wanted = model_of(in), got = image(in);
    ASSERT_EQ(got.header.words(), wanted.header.words()) << "header " << i;
    ASSERT_EQ(got.trailer.words(), wanted.trailer.words()) << "trailer " << i;
    ASSERT_EQ(got.record.words(), wanted.record.words()) << "record " << i;
  }
}

}  // namespace
}  // namespace torusmu::testing
