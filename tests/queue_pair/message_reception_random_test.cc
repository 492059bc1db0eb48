// SPDX-License-Identifier: Apache-2.0
// model: Vmu_message_reception mu_message_reception
// bgp:
// Packets of SENDs of any sender to any queue, compared in each cycle with what the contract says.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>

#include "Vmu_message_reception.h"
#include "Vmu_message_reception/Vmu_message_reception___024root.h"
#include "tests/support/clocked.h"
#include "tests/support/few_numbers.h"
#include "tests/support/message_reception_model.h"
#include "tests/support/nearly.h"
#include "tests/support/old_count.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "tests/support/written_inside.h"

TORUSMU_WRITTEN_INSIDE(Vmu_message_reception)

namespace torusmu::testing {
namespace {

using Model = MessageReceptionModel;
using Reset = Model::Reset;
using Offer = Record<layout::buffer_offer::Layout>;
using PairReset = Record<layout::pair_reset::Layout>;
namespace b = layout::receive_buffer;
namespace h = layout::packet_header;
namespace p = layout::queue_peer;
namespace s = layout::message_stored;
namespace t = layout::packet_trailer;

class MessageReceptionAtRandom : public ::testing::Test {
 protected:
  static constexpr unsigned kQueues = Model::kQueues;
  // Each queue has its packets stored in order, and each context.
  static constexpr unsigned kOrders = kQueues + Model::kContexts;
  static constexpr std::size_t kMostUnderWay = 14;

  template <typename RecordType>
  RecordType any() {
    return RecordType::from_bytes(random_bytes(random_, RecordType::kBytes));
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_.bits64()); }
  unsigned pick() {
    return random_.chance(20) ? static_cast<unsigned>(random_.below(kQueues)) : few_.any(random_);
  }
  void draw_buffer() {
    const unsigned at = pick();
    in_.buffer.reset();
    if (!model_.queue(at).room() || !random_.chance(40)) return;
    const std::uint64_t length = random_.bits64() >> (27 + random_.below(30));
    in_.buffer = any<Model::Buffer>().set<b::queue>(at).set<b::length>(length);
  }
  void draw_reset() {
    const bool exists = model_.queue(in_.reset_queue = pick()).exists;
    in_.reset = random_.chance(1) ? static_cast<Reset>(1 + random_.below(3)) : Reset::kNone;
    if (!exists && random_.chance(20)) in_.reset = Reset::kConfigure;
    in_.receives = random_.chance(85);
  }
  // A queue is watched from when nothing of it is under way to the memory.
  void draw_watch() {
    if (in_.watch) {
      in_.watch = !random_.chance(1);
      return;
    }
    in_.watch_queue = random_.chance(90) ? pick() : static_cast<unsigned>(random_.below(256));
    if (in_.watch_queue < kQueues && peers_[in_.watch_queue].get<p::dynamic>()) return;
    const auto counts = [this](const Model::Stored& stored) { return model_.counts(stored); };
    in_.watch =
        in_.watch_queue >= kQueues || std::ranges::none_of(under_way_[in_.watch_queue], counts);
  }
  void draw_stored() {
    in_.stored.reset();
    if (!random_.chance(stores_)) return;
    auto order = static_cast<unsigned>(random_.below(kOrders));
    if (random_.chance(10)) return draw_old_stored(order);
    for (unsigned i = 0; i < kOrders && under_way_.at(order).empty(); ++i)
      order = (order + 1) % kOrders;
    stored_order_ = order;
    if (!under_way_.at(order).empty()) in_.stored = under_way_.at(order).front();
  }
  // What a reset has taken away, or a copy before.
  void draw_old_stored(unsigned order) {
    const bool dynamic = order >= kQueues;
    const unsigned now =
        dynamic ? model_.context(order - kQueues).epoch : model_.queue(order).epoch;
    in_.stored = any<Model::Stored>()
                     .set<s::queue>(dynamic ? random_.below(kQueues) : order)
                     .set<s::dynamic>(dynamic)
                     .set<s::reassembly>(dynamic ? order - kQueues : random_.below(8))
                     .set<s::epoch>((now + 1 + random_.below(3)) % 4);
    stored_order_ = kOrders;
  }

  std::uint64_t draw_offset(std::uint32_t received) {
    if (random_.chance(25)) return 0;
    if (random_.chance(5)) return random_.bits64() >> 27;
    return random_.chance(90) ? received : nearly(random_, received, 37);
  }
  // Bytes of the packet and of its message, which mostly fit.
  void draw_size(Model::Packet& packet, std::uint64_t offset, std::uint64_t length) {
    const std::uint64_t most = std::min<std::uint64_t>(length, 0xFFFFFFFF);
    const std::uint64_t rest = most > offset ? most - offset : 1;
    const std::uint64_t room =
        random_.chance(90) ? std::min<std::uint64_t>(rest, Model::kPayload) : Model::kPayload;
    const std::uint64_t bytes = random_.chance(5) ? 0 : 1 + random_.below(room);
    std::uint64_t message = random_.bits64() >> (32 + random_.below(32));
    if (random_.chance(50)) message = offset + bytes;
    if (random_.chance(70)) message = most;
    packet.header.set<h::offset>(offset).set<h::bytes>(bytes);
    message = (message + (random_.chance(5) ? 1 : 0)) & 0xFFFFFFFF;
    packet.trailer.set<t::index>(random_.chance(80) ? message : nearly(random_, message, 32));
  }
  void address(Model::Packet& packet, const Model::Sender& sender) {
    const std::uint64_t node = random_.chance(95) ? sender.node : nearly(random_, sender.node, 12);
    packet.header.set<h::target>(sender.queue)
        .set<h::src_x>(node & 15U)
        .set<h::src_y>(node >> 4U & 15U)
        .set<h::src_z>(node >> 8U);
    packet.trailer.set<t::queue>(random_.chance(95) ? sender.peer_queue
                                                    : nearly(random_, sender.peer_queue, 8));
  }
  // Of the message that is expected, or of one around it.
  void draw_paired(Model::Packet& packet, unsigned at) {
    const Model::Queue& queue = model_.queue(at);
    const Model::Peer& peer = peers_[at];
    const auto node = peer.get<p::z>() << 8U | peer.get<p::y>() << 4U | peer.get<p::x>();
    address(packet, {at, static_cast<unsigned>(peer.get<p::queue>()), static_cast<unsigned>(node)});
    std::uint32_t number = queue.expected;
    if (random_.chance(25)) number += static_cast<std::uint32_t>(random_.below(5)) - 3;
    packet.trailer.set<t::sequence_number>(random_.chance(95) ? number
                                                              : nearly(random_, number, 32));
    const Model::Slot& slot = queue.slot();
    draw_size(packet, draw_offset(queue.begun ? slot.bytes : word()), slot.entry.get<b::length>());
  }
  // Of a sender that has a context, or of any.
  void draw_dynamic(Model::Packet& packet, unsigned at) {
    const auto& context = model_.context(static_cast<unsigned>(random_.below(Model::kContexts)));
    const bool known = context.known && random_.chance(75);
    const Model::Sender any_sender{at, word() & 0xFFU, word() & 0xFFFU};
    address(packet, known ? context.sender : any_sender);
    if (known && random_.chance(80)) packet.trailer.set<t::sequence_number>(context.number);
    if (random_.chance(5)) {
      packet.trailer.set<t::sequence_number>(
          nearly(random_, packet.trailer.get<t::sequence_number>(), 32));
    }
    const unsigned to = known ? context.sender.queue : at;
    const Model::Buffer& entry =
        known && context.open ? context.entry : model_.queue(to).slot().entry;
    draw_size(packet, draw_offset(context.received), entry.get<b::length>());
  }
  void draw_packet() {
    packet_ = {any<Model::Header>(), any<Model::Trailer>(), any<Model::Peer>(), random_.chance(90)};
    const unsigned at = pick();
    const bool any_peer = peers_[at].get<p::dynamic>() != 0;
    const bool dynamic = random_.chance(95) ? any_peer : !any_peer;
    packet_.trailer.set<t::dynamic>(dynamic).set<t::last>(random_.chance(40));
    if (dynamic)
      draw_dynamic(packet_, at);
    else
      draw_paired(packet_, at);
    if (random_.chance(5)) packet_.header.set<h::target>(nearly(random_, packet_.to(), 8));
    if (packet_.to() < kQueues) packet_.peer = peers_[packet_.to()];
    if (packet_.to() < kQueues && under_way_[packet_.to()].size() >= kMostUnderWay) return;
    looks_ = random_.chance(80);
    verdict_ = model_.judge(packet_);
    again_ = in_.reset != Reset::kNone && packet_.to() == in_.reset_queue;
  }
  // A packet is looked up, and in the next cycle judged by what was known then.
  void draw_job() {
    judges_ = looks_;
    looks_ = false;
    in_.job.reset();
    if (!judges_) return draw_packet();
    if (again_) return;
    in_.job = packet_;
    in_.verdict = model_.with_context(packet_, verdict_);
  }
  void draw() {
    draw_buffer();
    draw_reset();
    draw_watch();
    draw_stored();
    draw_job();
    in_.end_ready = random_.chance(told_);
    in_.message_ready = random_.chance(told_);
    in_.answer_ready = random_.chance(told_);
  }
  void drive_inputs() {
    drive(dut_->buffer_i,
          Offer()
              .set<layout::buffer_offer::buffer>(in_.buffer.value_or(any<Model::Buffer>()))
              .set<layout::buffer_offer::valid>(in_.buffer.has_value()));
    drive(dut_->reset_i, PairReset()
                             .set<layout::pair_reset::queue>(in_.reset_queue)
                             .set<layout::pair_reset::reset>(in_.reset == Reset::kReset)
                             .set<layout::pair_reset::stop>(in_.reset == Reset::kStop)
                             .set<layout::pair_reset::configured>(in_.reset == Reset::kConfigure)
                             .set<layout::pair_reset::receives>(in_.receives));
    dut_->end_ready_i = in_.end_ready;
    dut_->message_ready_i = in_.message_ready;
    dut_->answer_ready_i = in_.answer_ready;
    dut_->watch_i = in_.watch;
    dut_->watch_queue_i = static_cast<CData>(in_.watch_queue);
    dut_->result_queue_i = static_cast<CData>(pick());
    dut_->look_i = looks_;
    dut_->job_i = judges_;
    dut_->end_i = packet_.behind();
    drive(dut_->header_i, packet_.header);
    drive(dut_->trailer_i, packet_.trailer);
    drive(dut_->peer_i, packet_.peer);
    dut_->counters_good_i = packet_.counters_good;
    dut_->stored_valid_i = in_.stored.has_value();
    drive(dut_->stored_i, in_.stored.value_or(any<Model::Stored>()));
    answer_peer_ = any<Model::Peer>();  // is handed on as it is
    drive(dut_->answer_peer_i, answer_peer_);
  }
  void compare_packet() {
    const Model::Verdict verdict = in_.job ? in_.verdict : Model::Verdict{};
    ASSERT_EQ(dut_->again_o, judges_ && again_);
    ASSERT_EQ(dut_->take_o, verdict.take);
    ASSERT_EQ(dut_->acknowledge_o, verdict.acknowledge);
    ASSERT_EQ(dut_->status_o, static_cast<CData>(verdict.status));
    // Whose buffer it is for is told with the lookup.
    if (looks_ && verdict_.entry) {
      ASSERT_EQ(dut_->owner_o, verdict_.entry->get<b::owner>());
    }
    if (!in_.job) return;
    statuses_.insert(verdict.status);
    ASSERT_EQ(dut_->bytes_o, static_cast<IData>(packet_.behind()));
    if (verdict.entry) {
      ASSERT_EQ(dut_->address_o,
                (verdict.entry->get<b::address>() + packet_.offset()) % (1ULL << 40));
    }
    if (verdict.take) {
      ASSERT_EQ(dut_->context_o, verdict.context << 2U | verdict.epoch);
    }
  }
  void compare_told() {
    const auto end = model_.end();
    ASSERT_EQ(dut_->end_valid_o, end.has_value());
    if (end) {
      ASSERT_EQ(sample_record<Model::End>(dut_->end_o), *end);
    }
    if (const auto result = model_.end_result()) {
      ASSERT_EQ(dut_->end_result_o, *result);
    }
    if (const auto result = model_.queue(dut_->result_queue_i).result) {
      ASSERT_EQ(dut_->result_o, *result);
    }
    const auto message = model_.message();
    ASSERT_EQ(dut_->message_valid_o, message.has_value());
    if (message) {
      ASSERT_EQ(sample_record<Model::Message>(dut_->message_o), *message);
    }
    const auto answer = model_.answer();
    ASSERT_EQ(dut_->answer_valid_o, answer.has_value());
    if (answer) {
      ASSERT_EQ(sample_record<Model::Answer>(dut_->answer_o), *answer);
      ASSERT_EQ(sample_record<Model::Peer>(dut_->answer_to_o),
                model_.answer_sender().value_or(answer_peer_));
    }
    ASSERT_EQ(dut_->arriving_valid_o, model_.arriving().has_value());
    if (model_.arriving()) {
      ++arrivals_;
      ASSERT_EQ(dut_->arriving_bytes_o, *model_.arriving());
    }
    ASSERT_EQ(dut_->busy_o, model_.busy());
  }
  // Of what epochs ago was under way the memory has nothing any more when their number comes again.
  void forget(unsigned order, unsigned epoch) {
    std::erase_if(under_way_.at(order),
                  [epoch](const Model::Stored& stored) { return stored.get<s::epoch>() == epoch; });
  }
  void keep_taken(const Model::Verdict& verdict) {
    const bool dynamic = packet_.dynamic();
    const unsigned order = dynamic ? kQueues + verdict.context : packet_.to();
    if (dynamic && packet_.first()) forget(order, verdict.epoch);
    under_way_.at(order).push_back(Model::Stored{}
                                       .set<s::queue>(packet_.to())
                                       .set<s::epoch>(verdict.epoch)
                                       .set<s::failed>(random_.chance(10))
                                       .set<s::message_end>(packet_.last())
                                       .set<s::slot>(packet_.number() % 2)
                                       .set<s::dynamic>(dynamic)
                                       .set<s::reassembly>(verdict.context));
  }
  void configure() {
    peers_.at(in_.reset_queue) = any<Model::Peer>()
                                     .set<p::connected>(random_.chance(95))
                                     .set<p::dynamic>(random_.chance(50));
  }
  void step() {
    const Model::Verdict verdict = in_.job ? in_.verdict : Model::Verdict{};
    const Model::Queue& reset = model_.queue(in_.reset_queue);
    const unsigned epoch = reset.epoch;
    if (in_.stored && stored_order_ < kOrders) under_way_.at(stored_order_).pop_front();
    if (verdict.take) keep_taken(verdict);
    model_.clock(in_);
    if (reset.epoch != epoch) forget(in_.reset_queue, reset.epoch);
    if (in_.reset == Reset::kConfigure) configure();
  }
  // As if so many messages had come, or so many bytes of those under way: those of the packet stay.
  void make_old() {
    auto& root = *dut_->rootp;
    const unsigned at = pick();
    Model::Queue& queue = model_.queue(at);
    if (queue.expected != 0 && packet_.to() % kQueues != at) {
      const std::uint32_t number = (old_count(random_) & ~1U) | queue.now();
      queue.expected = number == 0 ? 2 : number;
      root.mu_message_reception__DOT__u_receive_queues__DOT__expected_mem[at] = queue.expected;
    }
    if (queue.begun && packet_.to() % kQueues != at) {
      Model::Slot& slot = queue.slots[queue.now()];
      slot.bytes = old_count(random_) | 1U;
      root.mu_message_reception__DOT__u_receive_queues__DOT__received_mem[2 * at + queue.now()] =
          slot.bytes;
    }
    const auto other = static_cast<unsigned>(random_.below(Model::kContexts));
    Model::Context& context = model_.context(other);
    if (context.open && context.sender.queue != packet_.to()) {
      context.received = old_count(random_) | 1U;
      root.mu_message_reception__DOT__u_reassembly_contexts__DOT__received_mem[other] =
          context.received;
    }
    settle_inside(&root);
  }
  void cycle() {
    draw();
    drive_inputs();
    dut_.settle();
    ASSERT_NO_FATAL_FAILURE(compare_packet());
    ASSERT_NO_FATAL_FAILURE(compare_told());
    step();
    if (random_.chance(20)) make_old();
    dut_.tick();
  }
  void start_anew() {
    dut_->look_i = dut_->job_i = dut_->stored_valid_i = dut_->watch_i = 0;
    drive(dut_->buffer_i, Offer());
    dut_->reset_i = 0;
    dut_->end_ready_i = dut_->message_ready_i = dut_->answer_ready_i = 0;
    dut_.reset(1);
    model_.reset();
    in_.watch = looks_ = judges_ = false;
    for (auto& order : under_way_) order.clear();
  }

  Random random_;
  Clocked<Vmu_message_reception> dut_{random_.seed()};
  Model model_;
  Model::Cycle in_;
  Model::Packet packet_;    // that is shown, judged or not
  Model::Verdict verdict_;  // of it, by what is known when it is looked up
  bool looks_ = false, again_ = false, judges_ = false;
  Model::Peer answer_peer_;
  std::array<Model::Peer, kQueues> peers_;
  std::array<std::deque<Model::Stored>, kOrders> under_way_;
  unsigned stored_order_ = kOrders;  // of what is stored; none: it was not under way
  FewNumbers few_{kQueues};          // most is of three queues
  unsigned stores_ = 50;             // how often the memory has stored something, in percent
  unsigned told_ = 50;               // how often something is told, in percent
  std::set<Status> statuses_;
  unsigned arrivals_ = 0;
};

TEST_F(MessageReceptionAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 240000; ++i) {
    if (random_.below(4000) == 0) start_anew();
    if (i % 400 == 0) {
      few_.choose(random_, 3);
      stores_ = random_.chance(50) ? 60 : 15;
      told_ = random_.chance(70) ? 70 : 8;
    }
    ASSERT_NO_FATAL_FAILURE(cycle()) << "cycle " << i;
  }
  EXPECT_EQ(statuses_.size(), 8U);
  EXPECT_GT(arrivals_, 60U);
}

}  // namespace
}  // namespace torusmu::testing
