// SPDX-License-Identifier: Apache-2.0
// model: Vmu_packetiser mu_packetiser
// Descriptors of every kind under everything at once, compared in each cycle with what the contract
// says.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "Vmu_packetiser.h"
#include "tests/support/clocked.h"
#include "tests/support/opcodes.h"
#include "tests/support/packetiser_model.h"
#include "tests/support/port_fields.h"
#include "tests/support/region.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace f = layout::fetched_descriptor;
namespace h = layout::packet_header;
namespace p = layout::queue_peer;
using packetiser::Fetched;
using packetiser::Inputs;
using packetiser::Model;
using packetiser::Offered;
using packetiser::Outputs;
using Phase = Model::Phase;

// Its clock ticks only while it needs it, or always.
class Resting : public Clocked<Vmu_packetiser> {
 public:
  using Clocked<Vmu_packetiser>::Clocked;
  void tick_if(bool needed) {
    if (needed) tick();
  }
};

class PacketiserAtRandom : public ::testing::Test {
 protected:
  bool chance(unsigned percent) { return random_.chance(percent); }
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }
  std::uint64_t bits(unsigned width) { return random_.bits64() >> (64 - width); }
  std::uint64_t some(unsigned width) { return bits(width) >> (chance(50) ? below(width) : 0); }
  template <typename RecordType>
  RecordType any() {
    return RecordType::from_bytes(random_bytes(random_, RecordType::kBytes));
  }

  Opcode draw_opcode() {
    if (chance(25)) return Opcode::kSend;
    if (chance(40)) return std::array{Opcode::kPut, Opcode::kFifo, Opcode::kGet}[below(3)];
    // None that there is, but one by all of its bits but one.
    if (chance(5)) return static_cast<Opcode>(below(kOpcodes) | 16U << below(4));
    return static_cast<Opcode>(below(chance(90) ? kOpcodes : kOpcodeNumbers));
  }
  // Mostly a few packets; some that no test would wait for are given up.
  std::uint64_t draw_length(Opcode opcode, bool immediate, bool reflect) {
    if (opcode == Opcode::kFence) return chance(95) ? 0 : 1;
    if (immediate) return below(17);
    if (opcode == Opcode::kGet) return 64 * (1 + below(reflect ? 1 : 8));
    const unsigned most = opcode == Opcode::kSend ? 32 : 37;
    if (chance(8)) return (1ULL << below(most)) + (chance(50) ? below(2) : below(1500));
    if (chance(10)) return some(most);
    return chance(40) ? 512 * (1 + below(5)) + below(3) - 1 : 1 + below(2500);
  }
  void draw_image(Descriptor& own, PacketHeader& image, bool network) {
    const Opcode opcode = own.get<d::opcode>();
    const auto axis = [this](unsigned most) { return below(chance(98) ? most + 1 : 16); };
    image.set<h::word>(bits(32));
    if (opcode == Opcode::kPipe || (opcode == Opcode::kSend && !dynamic())) return;
    image.set<h::dst_x>(axis(model_.last.x)).set<h::dst_y>(axis(model_.last.y));
    image.set<h::dst_z>(axis(model_.last.z)).set<h::target>(bits(8));
    if (own.get<d::reflect>() != 0) image.set<h::target>(below(chance(95) ? 8 : 256));
    if (opcode != Opcode::kSend) {
      const std::uint64_t room = (1ULL << 37) - own.get<d::length>();
      image.set<h::offset>(chance(10) ? std::min<std::uint64_t>(room, (1ULL << 37) - 1)
                                      : std::min(some(37), room));
    }
    if (!network) return;
    image.set<h::src_x>(image.get<h::dst_x>()).set<h::src_y>(image.get<h::dst_y>());
    image.set<h::src_z>(image.get<h::dst_z>()).set<h::client>(below(16));
    if (chance(5)) image.set<h::src_z>(below(16));
  }
  void draw_immediate(Descriptor& own) {
    const Opcode opcode = own.get<d::opcode>();
    auto immediate = own.get<d::immediate>();
    const bool enables = opcode == Opcode::kSendEn || opcode == Opcode::kRecvEn;
    const unsigned used = enables ? 4 : opcode == Opcode::kWait ? 8 : 16;
    for (unsigned i = 0; i < used; ++i) immediate[i] = static_cast<std::uint8_t>(bits(8));
    own.set<d::immediate>(immediate);
    if (opcode != Opcode::kPipe) return;
    namespace o = layout::pipe_operation;
    const auto most = std::min<std::uint64_t>(own.get<d::length>(), 0xFFFFFFFF);
    PipeOperation operation;
    const unsigned kind = below(4);
    operation.set<o::buffer_bytes>(most).set<o::origin>(kind == 0).set<o::target>(kind == 1);
    if (kind == 1) own.set<d::counter_valid>(0).set<d::event_valid>(0).set<d::interrupt_target>(0);
    if (kind != 0) operation.set<o::receive_queue>(below(256));
    if (kind > 1) operation.set<o::messages>(1 + below(9));
    if (kind == 3 && own.get<d::length>() % 16 == 0 && own.get<d::length>() <= 256)
      operation.set<o::listed>(1).set<o::buffer_bytes>(0);
    own.set<d::immediate>(operation.bytes());
  }
  Descriptor draw_descriptor(Opcode opcode, bool network) {
    const bool moves = opcode == Opcode::kPut || opcode == Opcode::kFifo || opcode == Opcode::kGet;
    const bool plain = opcode == Opcode::kReceive || opcode == Opcode::kFence;
    const bool waits = opcode == Opcode::kWait;
    const bool counts = opcode == Opcode::kCtrAdd || opcode == Opcode::kCtrSet;
    Descriptor own;
    own.set<d::opcode>(opcode).set<d::sequence_number>(bits(32));
    own.set<d::counter>(below(256)).set<d::event_counter>(below(256));
    own.set<d::injection_counter>(below(256)).set<d::done_event>(below(256));
    own.set<d::source_region>(below(256));
    if (!network) {
      own.set<d::done_event_valid>(chance(40)).set<d::interrupt_done>(chance(50));
      own.set<d::injection_counter_valid>(moves && chance(40)).set<d::signal>(chance(50));
    }
    if (!plain) {
      const bool event = chance(50);
      own.set<d::event_valid>(event).set<d::interrupt_target>(chance(50));
      own.set<d::counter_valid>(counts ? !event : !waits && chance(50));
      own.set<d::immediate_valid>(opcode != Opcode::kGet && opcode != Opcode::kPipe && chance(25));
      own.set<d::on_queue>(waits && !event).set<d::relative>(waits && chance(50));
    }
    own.set<d::reflect>(opcode == Opcode::kGet && chance(60));
    own.set<d::length>(
        draw_length(opcode, own.get<d::immediate_valid>() != 0, own.get<d::reflect>() != 0));
    const std::uint64_t room = (1ULL << 37) - 1 - own.get<d::length>();
    own.set<d::source_offset>(std::min(some(37), room));
    draw_immediate(own);
    if (opcode == Opcode::kCalc) {
      own.set<d::operands>(below(32)).set<d::targets>(below(16));
      own.set<d::reduction>(static_cast<Reduction>(below(16)));
      own.set<d::element>(static_cast<Element>(below(16)));
    }
    PacketHeader header;
    draw_image(own, header, network);
    return own.set<d::header>(header);
  }
  // What has become of it before: again, ahead, run.
  void draw_history(Fetched& fetched, Opcode opcode) {
    const bool sends = opcode == Opcode::kSend || opcode == Opcode::kFence;
    const bool receives = opcode == Opcode::kReceive;
    const bool held = sends || receives || opcode == Opcode::kWait || opcode == Opcode::kCalc ||
                      opcode == Opcode::kPipe;
    const unsigned what = below(100);
    if (what < (held ? 25U : 5U)) {
      const Status status = !held        ? Status::kFlushed
                            : chance(50) ? Status::kOk
                            : chance(30) ? Status::kFlushed
                                         : static_cast<Status>(1 + below(255));
      fetched.set<f::run>(1).set<f::run_status>(status).set<f::detached>(receives && chance(50));
      // It may have gone ahead before it was flushed.
      if (status == Status::kFlushed && (sends || receives)) fetched.set<f::ahead>(chance(50));
    } else if (sends || receives) {
      fetched.set<f::ahead>(what < 55);
      fetched.set<f::again>(what < 43 || (sends && what >= 55 && what < 80));
    }
  }
  RegionEntry draw_region(const Descriptor& own, unsigned owner, bool network) {
    const std::uint64_t end = own.get<d::source_offset>() + own.get<d::length>();
    const std::uint64_t length = chance(50) ? end : end + some(30);
    const std::uint64_t base = std::min<std::uint64_t>(some(40), (1ULL << 40) - end);
    return region_entry(base & ((1ULL << 40) - 1), length - (length != 0 && chance(2)),
                        !network && chance(98) ? owner : below(16), chance(50),
                        network ? chance(97) : chance(50), chance(98));
  }
  Offered draw() {
    Offered offered;
    const Opcode opcode = draw_opcode();
    const bool network = (opcode == Opcode::kPut || opcode == Opcode::kFifo) && chance(30);
    const unsigned owner = below(16);
    const bool receives = opcode == Opcode::kReceive;
    Descriptor own = draw_descriptor(opcode, network);
    offered.region = draw_region(own, owner, network);
    Fetched& fetched = offered.fetched;
    fetched.set<f::queue>(below(256)).set<f::index>(bits(32));
    fetched.set<f::owner>(owner).set<f::lap>(bits(32));
    fetched.set<f::mode>(network                  ? QueueMode::kRemoteGet
                         : receives == chance(99) ? QueueMode::kReceive
                         : chance(50)             ? QueueMode::kDoorbell
                                                  : QueueMode::kPush);
    draw_history(fetched, opcode);
    const auto has = [](std::uint64_t field) { return field != 0; };
    const bool fresh = !has(fetched.get<f::run>()) && !has(fetched.get<f::again>()) &&
                       !has(fetched.get<f::ahead>());
    // It is read anew each time.
    fetched.set<f::error>(chance(2));
    if (fresh) {
      auto bytes = own.bytes();
      const unsigned bit = below(512);
      if (chance(4)) bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1U << bit % 8);
      own = Descriptor::from_bytes(bytes);
    }
    // What went ahead is not looked at again.
    if (has(fetched.get<f::ahead>()) && !has(fetched.get<f::again>())) {
      own = any<Descriptor>().set<d::opcode>(opcode);
    }
    fetched.set<f::descriptor>(own);
    const auto counter = [&] {
      return CounterOwner{chance(97), static_cast<std::uint8_t>(chance(97) ? owner : below(16))};
    };
    offered.second = offered.third = counter();
    // One and the same counter has one owner.
    if (own.get<d::event_counter>() != own.get<d::done_event>()) offered.third = counter();
    offered.waited = chance(50);
    offered.early = opcode == Opcode::kSend && has(fetched.get<f::again>()) &&
                    !has(fetched.get<f::error>()) && !has(own.get<d::immediate_valid>()) &&
                    own.get<d::length>() > 512 && chance(40);
    return offered;
  }
  bool dynamic() const { return in_.peer.get<p::dynamic>() != 0; }

  // Who sends what is held: it is held as soon as it is offered, and let go or spoiled later.
  void draw_hold() {
    const bool offers = model_.phase() == Phase::kIdle && in_.valid && offered_.early;
    const bool runs = model_.phase() != Phase::kIdle && model_.runs().early;
    if (!offers && !runs) {
      in_.hold = in_.spoil = begun_ = false;
    } else if (!begun_) {
      begun_ = in_.hold = true;
    } else if (in_.hold && chance(15)) {
      in_.hold = false;
      in_.spoil = chance(50);
    }
  }
  void draw_abort() {
    in_.abort_tag = below(8);
    in_.abort = chance(10);
    const bool own = model_.phase() == Phase::kRun && model_.opened() != 0;
    if (own) {
      // Too long to wait for, or nothing else will end it.
      in_.abort_tag = model_.tag() ^ (chance(80) ? 0 : 1U << below(3));
      in_.abort = chance(in_.spoil || model_.opened() > 8 ? 30 : 5);
    } else if (in_.abort_tag == model_.tag()) {
      in_.abort = false;  // nothing of it is under way that may fail
    }
  }
  void draw_inputs() {
    if (!in_.valid || model_.phase() == Phase::kLook) {
      in_.valid = chance(busy_);
      if (in_.valid) offered_ = draw();
    }
    in_.rewind_ready = chance(ready_[0]);
    in_.held_ready = chance(ready_[1]);
    in_.open_ready = chance(ready_[2]);
    in_.command_ready = chance(ready_[3]);
    in_.query = in_.query ? chance(90) && !taken_ : chance(5);
    in_.available = chance(60);
    in_.configured = chance(50);
    in_.settles = chance(20);
    in_.ahead_good = chance(80);
    in_.broken = chance(3);
    in_.doubtful = chance(50);
    in_.direction = below(7);
    in_.number = below(1 << 16);
    in_.neighbour = below(1 << 12);
    in_.send_number = static_cast<std::uint32_t>(bits(32));
    in_.received = any<image::Received>();
    const bool was = dynamic();
    in_.peer = any<image::Peer>();
    in_.peer.set<p::connected>(chance(97)).set<p::dynamic>(chance(95) ? was : !was);
    draw_hold();
    draw_abort();
  }
  void drive_inputs() {
    dut_->descriptor_valid_i = in_.valid;
    drive(dut_->descriptor_data_i, offered_.fetched);
    dut_->rewind_ready_i = in_.rewind_ready;
    dut_->held_ready_i = in_.held_ready;
    dut_->open_ready_i = in_.open_ready;
    dut_->payload_command_ready_i = in_.command_ready;
    testing::put<layout::send_hold::hold>(dut_->hold_i, in_.hold);
    testing::put<layout::send_hold::spoil>(dut_->hold_i, in_.spoil);
    testing::put<layout::slot_abort::valid>(dut_->abort_i, in_.abort);
    testing::put<layout::slot_abort::tag>(dut_->abort_i, in_.abort_tag);
    testing::put<layout::credit_offer::available>(dut_->credit_i, in_.available);
    testing::put<layout::credit_offer::configured>(dut_->credit_i, in_.configured);
    dut_->query_valid_i = in_.query;
    dut_->credit_settles_i = in_.settles;
    testing::put<layout::credit_offer::direction>(dut_->credit_i, in_.direction);
    testing::put<layout::credit_offer::number>(dut_->credit_i, in_.number);
    testing::put<layout::credit_offer::neighbour>(dut_->credit_i, in_.neighbour);
    testing::put<layout::send_number::number>(dut_->number_i, in_.send_number);
    testing::put<layout::send_number::doubtful>(dut_->number_i, in_.doubtful);
    testing::put<layout::send_number::broken>(dut_->number_i, in_.broken);
    testing::put<layout::send_number::ahead_good>(dut_->number_i, in_.ahead_good);
    drive(dut_->peer_i, in_.peer);
    drive(dut_->received_i, in_.received);
    // What the tables say counts while a descriptor is judged.
    const bool judges = model_.phase() == Phase::kLook;
    const Offered& own = model_.runs();
    drive(dut_->source_entry_i, judges ? own.region : any<RegionEntry>());
    testing::put<layout::counter_owner::enable>(dut_->lookup_2_answer_i,
                                                judges ? own.second.enable : chance(50));
    testing::put<layout::counter_owner::owner>(dut_->lookup_2_answer_i,
                                               judges ? own.second.client : below(16));
    dut_->lookup_2_waited_i = judges ? own.waited : chance(50);
    // A counter of both is the same for both.
    const bool both = model_.second_is_event() && model_.second() == model_.third(in_.peer);
    const CounterOwner& third = both ? own.second : own.third;
    testing::put<layout::counter_owner::enable>(dut_->lookup_3_answer_i,
                                                judges ? third.enable : chance(50));
    testing::put<layout::counter_owner::owner>(dut_->lookup_3_answer_i,
                                               judges ? third.client : below(16));
  }
  void begin() {
    const auto coordinates = [this](Coordinates most) {
      return Coordinates{below(most.x + 1), below(most.y + 1), below(most.z + 1)};
    };
    model_.last = coordinates({15, 15, 15});
    model_.node = coordinates(model_.last);
    dut_->straps_i = Straps{.x = model_.node.x,
                            .y = model_.node.y,
                            .z = model_.node.z,
                            .last_x = model_.last.x,
                            .last_y = model_.last.y,
                            .last_z = model_.last.z,
                            .torus = static_cast<unsigned>(below(8))}
                         .word();
    in_ = {};
    begun_ = false;
    drive_inputs();
    model_.reset();
    dut_.reset(1);
  }
  void expect_open(const Outputs& out) {
    ASSERT_EQ(dut_->open_valid_o != 0, out.open_valid);
    ASSERT_EQ(get<layout::packet_open::header>(dut_->open_o), out.image.header);
    ASSERT_EQ(get<layout::packet_open::trailer>(dut_->open_o), out.image.trailer);
    ASSERT_EQ(get<layout::packet_open::record>(dut_->open_o), out.image.record);
    ASSERT_TRUE(
        std::ranges::equal(get_bytes<layout::packet_open::payload>(dut_->open_o), out.payload));
    if (!out.open_valid) return;
    ASSERT_EQ(get<layout::packet_open::memory>(dut_->open_o) != 0, out.open_memory);
    ASSERT_EQ(get<layout::packet_open::hold>(dut_->open_o) != 0, out.open_hold);
  }
  void expect_streams(const Outputs& out) {
    ASSERT_EQ(dut_->descriptor_ready_o != 0, out.ready);
    ASSERT_EQ(dut_->source_region_o, offered_.fetched.get<f::descriptor>().get<d::source_region>());
    ASSERT_EQ(get<layout::read_request::valid>(dut_->payload_read_o) != 0, out.command_valid);
    if (out.command_valid) {
      ASSERT_EQ(get<layout::read_request::command>(dut_->payload_read_o), model_.command());
    }
    ASSERT_EQ(get<layout::place_request::valid>(dut_->rewind_o) != 0, out.rewind_valid);
    if (out.rewind_valid) {
      ASSERT_EQ(get<layout::place_request::place>(dut_->rewind_o), model_.place());
    }
    ASSERT_EQ(get<layout::held_request::valid>(dut_->held_o) != 0, out.held_valid);
    if (!out.held_valid) return;
    ASSERT_EQ(sample_record<Fetched>(dut_->held_data_o), model_.fetched());
    // Of one that went ahead before it is of no account.
    const Fetched& held = model_.fetched();
    if (held.get<f::ahead>() != 0 && held.get<f::again>() == 0) return;
    ASSERT_EQ(get<layout::held_request::address>(dut_->held_o), model_.address());
  }
  void expect_signals(const Outputs& out) {
    ASSERT_EQ(dut_->busy_o != 0, out.busy);
    ASSERT_EQ(dut_->active_o != 0, out.active);
    ASSERT_EQ(get<layout::send_progress::left>(dut_->progress_o) != 0, out.send_left);
    ASSERT_EQ(get<layout::send_progress::goes_ahead>(dut_->progress_o) != 0, out.send_goes_ahead);
    ASSERT_EQ(get<layout::credit_ask::valid>(dut_->credit_ask_o) != 0, out.ask);
    ASSERT_EQ(get<layout::credit_take::credit>(dut_->credit_take_o) != 0, out.take);
    ASSERT_EQ(get<layout::credit_take::query>(dut_->credit_take_o) != 0, out.query_taken);
    if (!model_.knows()) return;
    ASSERT_EQ(dut_->send_ahead_o != 0, out.send_ahead);
    ASSERT_EQ(dut_->peer_queue_o, model_.fetched().get<f::queue>());
    ASSERT_EQ(get<layout::credit_ask::preferred>(dut_->credit_ask_o),
              model_.descriptor().get<d::header>().get<h::target>() % 8);
    ASSERT_EQ(get<layout::counter_lookup::is_event>(dut_->lookup_2_o) != 0,
              model_.second_is_event());
    ASSERT_EQ(get<layout::counter_lookup::index>(dut_->lookup_2_o), model_.second());
    ASSERT_TRUE(get<layout::counter_lookup::is_event>(dut_->lookup_3_o));
    ASSERT_EQ(get<layout::counter_lookup::index>(dut_->lookup_3_o), model_.third(in_.peer));
  }
  void tick(const Outputs& out, bool always) {
    taken_ = out.query_taken;
    const bool ran = model_.phase() != Phase::kIdle;
    model_.step(in_, out, offered_);
    if (ran && model_.phase() == Phase::kIdle) begun_ = in_.hold = in_.spoil = false;
    dut_.tick_if(always || dut_->active_o);
  }

  Random random_;
  Resting dut_{random_.seed()};
  Model model_;
  Inputs in_;
  Offered offered_;
  unsigned busy_ = 50;
  std::array<unsigned, 4> ready_{50, 50, 50, 50};

 private:
  bool begun_ = false, taken_ = false;
};

TEST_F(PacketiserAtRandom, DoesWhatEachDescriptorAsksForAndNothingElse) {
  SCOPED_TRACE(random_.replay());
  unsigned opened = 0, held = 0, rewound = 0, aborted = 0, rested = 0;
  bool always = true;
  for (int cycle = 0; cycle < 600000; ++cycle) {
    if (cycle == 0 || random_.below(700) == 0) {
      always = chance(50);
      begin();
    }
    if (chance(1)) {  // each in turn is what the others wait for
      busy_ = below(chance(70) ? 101 : 10);
      for (unsigned& percent : ready_) percent = below(chance(80) ? 101 : 10);
    }
    draw_inputs();
    drive_inputs();
    dut_.settle();
    const Outputs out = model_.show(in_);
    ASSERT_NO_FATAL_FAILURE(expect_signals(out)) << "cycle " << cycle;
    ASSERT_NO_FATAL_FAILURE(expect_streams(out)) << "cycle " << cycle;
    ASSERT_NO_FATAL_FAILURE(expect_open(out)) << "cycle " << cycle;
    opened += out.open;
    held += out.held_valid && in_.held_ready;
    rewound += out.rewind;
    aborted += out.aborted;
    rested += !out.active;
    tick(out, always);
  }
  for (const unsigned often : {opened, held, rewound, aborted, rested}) EXPECT_GT(often, 80U);
}

}  // namespace
}  // namespace torusmu::testing
