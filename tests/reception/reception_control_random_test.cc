// SPDX-License-Identifier: Apache-2.0
// model: Vmu_reception_control mu_reception_control
// Any packets among neighbours that answer anything, judged in each cycle by the contract.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "Vmu_reception_control.h"
#include "tests/support/clocked.h"
#include "tests/support/nearly.h"
#include "tests/support/old_count.h"
#include "tests/support/port_fields.h"
#include "tests/support/reception_control_model.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

using Model = ReceptionControlModel;
using Packet = Model::Packet;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

class ReceptionControlAtRandom : public ::testing::Test {
 protected:
  // How often things are so for some hundred cycles, in percent.
  struct Mood {
    unsigned requests = 60, replies = 40, fifos = 20;
    unsigned free = 80, goes_on = 30, pending = 10, settled = 80, withdrawn = 2, settings = 2;
    unsigned good = 90, full = 30, refusing = 10, redirected = 30, moved = 25;
    unsigned cycles = 400;
  };
  // A receiver, with the store behind it.
  struct Side {
    std::optional<Packet> shown;
    bool storing = false, done = false;
    bool moved = false;  // a request out of a boot buffer
  };

  Kind draw_kind(bool reply) {
    constexpr std::array kRequests{Kind::kPut,         Kind::kFifo, Kind::kGet,
                                   Kind::kCreditQuery, Kind::kSend, Kind::kFence};
    constexpr std::array kReplies{Kind::kPut,    Kind::kFifo, Kind::kNotice,
                                  Kind::kCredit, Kind::kAck,  Kind::kFence};
    if (random_.chance(mood_.fifos)) return Kind::kFifo;
    return reply ? kReplies.at(random_.below(kReplies.size()))
                 : kRequests.at(random_.below(kRequests.size()));
  }
  std::uint64_t draw_bytes(Kind kind) {
    if (kind == Kind::kFence && random_.chance(80)) return 0;
    if (kind == Kind::kGet) return nearly(random_, 64 * (1 + random_.below(8)), 10);
    return random_.chance(10) ? 0 : random_.below(random_.chance(90) ? 513 : 1024);
  }
  Packet draw_packet(bool reply) {
    const Kind kind = draw_kind(reply);
    Packet packet{PacketHeader::from_bytes(random_bytes(random_, PacketHeader::kBytes)),
                  PacketTrailer::from_bytes(random_bytes(random_, PacketTrailer::kBytes))};
    packet.header.set<h::kind>(kind).set<h::reply>(reply).set<h::bytes>(draw_bytes(kind));
    if (random_.chance(80))
      packet.header.set<h::offset>(random_.bits64() >> random_.below(27) >> 37);
    if (kind == Kind::kCreditQuery)
      packet.header.set<h::target>(nearly(random_, random_.below(8), 8));
    if (kind == Kind::kNotice) {
      const Kind refused = random_.chance(50) ? Kind::kSend : Kind::kFence;
      const std::uint64_t rest = packet.header.get<h::word>() & ~0xF00U;
      packet.header.set<h::word>(rest | nearly(random_, static_cast<unsigned>(refused), 4) << 8U);
      if (random_.chance(50)) {
        const auto status = nearly(random_, static_cast<unsigned>(Status::kReceiveDisabled), 8);
        packet.header.set<h::word>((packet.header.get<h::word>() & ~0xFFULL) | status);
      }
    }
    const bool counts = kind != Kind::kFence || random_.chance(10);
    packet.trailer.set<t::counter_valid>(counts && random_.chance(50))
        .set<t::event_valid>(counts && random_.chance(50));
    return packet;
  }

  const std::optional<Packet>& at_work() const {
    return model_.judged() ? model_.judged() : model_.looked_up();
  }
  bool is_at_work(bool reply) const { return at_work() && at_work()->reply() == reply; }
  // A packet is shown until it is done, or stored; a request may be gone before that.
  void draw_side(Side& side, bool reply) {
    if (is_at_work(reply)) return;
    if (side.storing && !random_.chance(mood_.goes_on)) return;
    if (side.storing || side.done) side.shown.reset();
    side.storing = side.done = false;
    if (side.shown) {
      if (!reply && random_.chance(mood_.withdrawn)) side.shown.reset();
    } else if (random_.chance(reply ? mood_.replies : mood_.requests)) {
      side.shown = draw_packet(reply);
      side.moved = !reply && random_.chance(mood_.moved);
    }
  }
  // What is free when a packet is picked is free until it has been judged.
  void draw_room() {
    const auto free = [this] { return random_.chance(mood_.free); };
    in_.request_store_idle = is_at_work(false) || (!request_.storing && free());
    in_.sender_ready = is_at_work(false) || free();
    in_.reply_store_idle = is_at_work(true) || (!reply_.storing && free());
    in_.notice_store_idle = free();
    in_.fifo_ready = free();
    in_.notice_ready = free();
    in_.fence_room = free();
    in_.notices_settled = random_.chance(mood_.settled);
    in_.request_fifo_pending = random_.chance(mood_.pending);
    in_.reply_fifo_pending = random_.chance(mood_.pending);
  }
  // Asked or not, the tables show something. The packet ends near the end of its region, or of
  // memory.
  void draw_region(const Packet& packet) {
    const std::uint64_t end = packet.header.get<h::offset>() + packet.bytes();
    const std::uint64_t memory = 1ULL << 40, most = (1ULL << 38) - 1;
    const std::uint64_t spare = random_.below(most - end) >> random_.below(38);
    const std::uint64_t length = random_.chance(mood_.good) || end == 0 ? end + spare : end - 1;
    const std::uint64_t base =
        random_.chance(20) ? memory - end - random_.below(2) : random_.below(memory);
    const auto client = static_cast<unsigned>(packet.header.get<h::client>());
    const auto owner =
        random_.chance(mood_.good) ? client : static_cast<unsigned>(random_.below(16));
    in_.known.region =
        in_memory(region_entry(base % memory, length, owner, random_.chance(mood_.good),
                               random_.chance(50), random_.chance(mood_.good)));
  }
  void draw_tables() {
    if (model_.judged()) return;  // they have been looked up
    const Packet packet = at_work().value_or(Packet{});
    draw_region(packet);
    in_.known.header = packet.header;
    in_.known.fifo_owner = static_cast<std::uint8_t>(random_.below(16));
    in_.known.send_owner = static_cast<std::uint8_t>(random_.below(16));
    const auto owner = [this] {
      const std::uint64_t changed = random_.chance(mood_.good) ? 0 : 1ULL << random_.below(4);
      return static_cast<std::uint8_t>(in_.known.owner() ^ changed);
    };
    in_.known.counter_owner = owner();
    in_.known.event_owner = owner();
    in_.known.counter_enable = random_.chance(mood_.good);
    in_.known.event_enable = random_.chance(mood_.good);
    in_.queue_empty = random_.chance(50);
  }
  void draw_fifo() {
    const auto wanted =
        static_cast<std::uint64_t>(random_.chance(mood_.full) ? Status::kFifoFull : Status::kOk);
    const bool as_wanted = random_.chance(mood_.good);
    in_.known.fifo_status = static_cast<Status>(as_wanted ? wanted : nearly(random_, wanted, 8));
    in_.fifo_refusing = random_.chance(mood_.refusing);
    const auto& judged = model_.judged();
    in_.fifo_redirect = judged && !judged->reply() && judged->kind() == Kind::kFifo &&
                        in_.known.fifo_status == Status::kOk && random_.chance(mood_.redirected);
    in_.fifo_kept = random_.chance(30);
    in_.fifo_number = random_.below(256);
    in_.fifo_split = random_.chance(50);
    in_.fifo_address = random_.bits64() >> 24;
    in_.fifo_bytes = random_.below(1024);
    in_.fifo_second_address = random_.bits64() >> 24;
    in_.fifo_second_bytes = random_.below(1024);
  }
  // Taken, refused, acknowledged again, dropped, or to be looked up again.
  void draw_receive_queue() {
    const std::uint64_t fate = random_.below(5);
    in_.send_again = fate == 4;
    in_.send_take = fate == 0;
    in_.send_acknowledge = fate == 1;
    in_.known.send_status = Status::kOk;
    if (fate == 2) {
      const auto full = static_cast<std::uint64_t>(Status::kFifoFull);
      const std::uint64_t status = random_.chance(30) ? full : random_.below(256);
      in_.known.send_status = static_cast<Status>(status);
    }
    in_.send_address = random_.bits64() >> 24;
    in_.send_reassembly = random_.below(8);
    in_.send_epoch = random_.below(4);
    in_.send_bytes = random_.bits64() >> 32;
  }
  void draw() {
    draw_side(request_, false);
    draw_side(reply_, true);
    in_.request = request_.shown;
    in_.request_moved = request_.moved;
    in_.keeper_owner = random_.below(16);
    in_.reply = reply_.shown;
    if (random_.chance(mood_.settings)) in_.hold_cycles = draw_hold();
    draw_room();
    draw_tables();
    in_.notice_room = random_.chance(50);
    in_.notice_discards = random_.chance(50);
    draw_fifo();
    draw_receive_queue();
  }
  std::uint64_t draw_hold() {
    if (random_.chance(20)) return 1ULL << random_.below(16);
    return random_.chance(30) ? old_count(random_, 16) : random_.below(12);
  }

  // What is not shown any more stays on its wires.
  void drive_packets() {
    namespace s = layout::shown_request;
    put<s::valid>(dut_->request_i, in_.request.has_value());
    put<s::moved>(dut_->request_i, in_.request_moved);
    put<s::keeper_owner>(dut_->request_i, in_.keeper_owner);
    dut_->reply_valid_i = in_.reply.has_value();
    if (in_.request) {
      put<s::header>(dut_->request_i, in_.request->header);
      put<s::trailer>(dut_->request_i, in_.request->trailer);
    }
    if (in_.reply) {
      drive(dut_->reply_header_i, in_.reply->header);
      drive(dut_->reply_trailer_i, in_.reply->trailer);
    }
  }
  void drive_room() {
    dut_->fifo_hold_cycles_i = static_cast<SData>(in_.hold_cycles);
    put<layout::store_states::request_idle>(dut_->stores_i, in_.request_store_idle);
    put<layout::store_states::request_fifo_pending>(dut_->stores_i, in_.request_fifo_pending);
    put<layout::store_states::reply_idle>(dut_->stores_i, in_.reply_store_idle);
    put<layout::store_states::reply_fifo_pending>(dut_->stores_i, in_.reply_fifo_pending);
    put<layout::store_states::notice_idle>(dut_->stores_i, in_.notice_store_idle);
    dut_->fifo_lookup_ready_i = in_.fifo_ready;
    dut_->notice_lookup_ready_i = in_.notice_ready;
    dut_->sender_ready_i = in_.sender_ready;
    put<layout::fence_state::room>(dut_->fence_state_i, in_.fence_room);
    put<layout::fence_state::settled>(dut_->fence_state_i, in_.notices_settled);
  }
  void drive_answers() {
    const auto owner = [](bool enable, std::uint8_t client) {
      namespace o = layout::counter_owner;
      return Record<o::Layout>{}.set<o::enable>(enable).set<o::owner>(client);
    };
    namespace a = layout::target_answer;
    put<a::region>(dut_->target_answer_i, in_.known.region);
    put<a::counter>(dut_->target_answer_i,
                    owner(in_.known.counter_enable, in_.known.counter_owner));
    put<a::event_counter>(dut_->target_answer_i,
                          owner(in_.known.event_enable, in_.known.event_owner));
    put<layout::fifo_answer::status>(dut_->fifo_answer_i, in_.known.fifo_status);
    put<layout::fifo_answer::refusing>(dut_->fifo_answer_i, in_.fifo_refusing);
    put<layout::fifo_answer::redirect>(dut_->fifo_answer_i, in_.fifo_redirect);
    put<layout::fifo_answer::kept>(dut_->fifo_answer_i, in_.fifo_kept);
    put<layout::fifo_answer::fifo>(dut_->fifo_answer_i, in_.fifo_number);
    put<layout::fifo_answer::owner>(dut_->fifo_answer_i, in_.known.fifo_owner);
    put<layout::fifo_answer::address>(dut_->fifo_answer_i, in_.fifo_address);
    put<layout::fifo_answer::bytes>(dut_->fifo_answer_i, in_.fifo_bytes);
    put<layout::fifo_answer::split>(dut_->fifo_answer_i, in_.fifo_split);
    put<layout::fifo_answer::second_address>(dut_->fifo_answer_i, in_.fifo_second_address);
    put<layout::fifo_answer::second_bytes>(dut_->fifo_answer_i, in_.fifo_second_bytes);
    dut_->notice_room_i = in_.notice_room;
    dut_->notice_discards_i = in_.notice_discards;
    dut_->queue_empty_i = in_.queue_empty;
    put<layout::send_judgement::again>(dut_->send_judgement_i, in_.send_again);
    put<layout::send_judgement::take>(dut_->send_judgement_i, in_.send_take);
    put<layout::send_judgement::acknowledge>(dut_->send_judgement_i, in_.send_acknowledge);
    put<layout::send_judgement::status>(dut_->send_judgement_i, in_.known.send_status);
    put<layout::send_judgement::owner>(dut_->send_judgement_i, in_.known.send_owner);
    put<layout::send_judgement::address>(dut_->send_judgement_i, in_.send_address);
    put<layout::send_judgement::reassembly>(dut_->send_judgement_i, in_.send_reassembly);
    put<layout::send_judgement::epoch>(dut_->send_judgement_i, in_.send_epoch);
    put<layout::send_judgement::bytes>(dut_->send_judgement_i, in_.send_bytes);
  }

  void compare_pick() {
    const auto picked = model_.picks(in_);
    const bool fifo = picked && picked->kind() == Kind::kFifo;
    const bool notice = picked && picked->kind() == Kind::kNotice;
    ASSERT_EQ(dut_->busy_o, model_.busy(in_));
    ASSERT_EQ(get<layout::fifo_lookup::valid>(dut_->fifo_lookup_o), fifo);
    ASSERT_EQ(dut_->notice_lookup_valid_o, notice);
    if (picked) {
      ASSERT_EQ(get<layout::target_lookup::region>(dut_->target_lookup_o), picked->target());
    }
    ASSERT_EQ(get<layout::fifo_lookup::moved>(dut_->fifo_lookup_o),
              picked && !picked->reply() && in_.request_moved);
    ASSERT_EQ(get<layout::fifo_lookup::keeper_owner>(dut_->fifo_lookup_o), in_.keeper_owner);
    if (in_.request) {
      const PacketTrailer& trailer = in_.request->trailer;
      ASSERT_EQ(get<layout::fifo_lookup::counted>(dut_->fifo_lookup_o),
                trailer.get<t::counter_valid>() | trailer.get<t::event_valid>());
    }
    if (fifo) {
      ASSERT_EQ(get<layout::fifo_lookup::fifo>(dut_->fifo_lookup_o), picked->target());
      ASSERT_EQ(get<layout::fifo_lookup::slots>(dut_->fifo_lookup_o), picked->slots());
      ASSERT_EQ(get<layout::fifo_lookup::reply>(dut_->fifo_lookup_o), picked->reply());
      ASSERT_EQ(get<layout::fifo_lookup::on_behalf>(dut_->fifo_lookup_o),
                picked->header.get<h::on_behalf>());
      ASSERT_EQ(get<layout::fifo_lookup::client>(dut_->fifo_lookup_o),
                picked->header.get<h::client>());
    }
    if (notice) {
      ASSERT_EQ(dut_->notice_lookup_client_o, picked->header.get<h::client>());
    }
  }
  void compare_judged() {
    const auto& judged = model_.judged();
    ASSERT_EQ(get<layout::send_stage::look>(dut_->send_stage_o),
              model_.looked_up() && model_.looked_up()->kind() == Kind::kSend);
    ASSERT_EQ(get<layout::send_stage::job>(dut_->send_stage_o),
              judged && judged->kind() == Kind::kSend);
    if (at_work()) {
      ASSERT_EQ(get<layout::target_lookup::counter>(dut_->target_lookup_o),
                at_work()->trailer.get<t::counter>());
      ASSERT_EQ(get<layout::target_lookup::event_counter>(dut_->target_lookup_o),
                at_work()->trailer.get<t::event_counter>());
      ASSERT_EQ(dut_->job_end_o, at_work()->header.get<h::offset>() + at_work()->bytes());
      ASSERT_EQ(sample_record<PacketHeader>(dut_->job_header_o), at_work()->header);
      ASSERT_EQ(sample_record<PacketTrailer>(dut_->job_trailer_o), at_work()->trailer);
    }
    if (!judged) {
      const auto put_of_nothing =
          Model::WriteAction().set<layout::write_action::action>(Action::kPut);
      ASSERT_EQ(get<layout::store_job::action>(dut_->store_job_o), put_of_nothing);
      return;
    }
    ASSERT_EQ(dut_->counters_good_o, model_.counters_good(in_));
  }
  void compare_decision(const Model::Decision& decision) {
    ASSERT_EQ(get<layout::store_starts::request>(dut_->starts_o), decision.request_start);
    ASSERT_EQ(get<layout::store_starts::reply>(dut_->starts_o), decision.reply_start);
    ASSERT_EQ(get<layout::store_starts::get>(dut_->starts_o), decision.get_start);
    ASSERT_EQ(get<layout::packet_progress::request_done>(dut_->progress_o), decision.request_done);
    ASSERT_EQ(get<layout::packet_progress::request_stays>(dut_->progress_o), decision.stays);
    ASSERT_EQ(get<layout::packet_progress::reply_done>(dut_->progress_o), decision.reply_done);
    ASSERT_EQ(get<layout::ring_outcome::reserve>(dut_->fifo_outcome_o), decision.fifo_reserve);
    ASSERT_EQ(get<layout::ring_outcome::refuse>(dut_->fifo_outcome_o), decision.fifo_refuse);
    ASSERT_EQ(get<layout::store_starts::notice>(dut_->starts_o), decision.notice_reserve);
    ASSERT_EQ(get<layout::ring_outcome::reserve>(dut_->notice_outcome_o), decision.notice_reserve);
    ASSERT_EQ(get<layout::ring_outcome::refuse>(dut_->notice_outcome_o), decision.notice_refuse);
    ASSERT_EQ(dut_->notice_discard_o, decision.notice_discard);
    ASSERT_EQ(get<layout::reply_order::judged>(dut_->reply_order_o),
              model_.judged() && !model_.judged()->reply() && !model_.goes_on(in_));
    ASSERT_EQ(get<layout::reply_order::answer>(dut_->reply_order_o), decision.answer);
    ASSERT_EQ(get<layout::reply_order::acknowledge>(dut_->reply_order_o), decision.acknowledge);
    ASSERT_EQ(dut_->fence_take_o, decision.fence_take);
    ASSERT_EQ(get<layout::reply_order::refuse>(dut_->reply_order_o), decision.refusal.has_value());
    if (decision.refusal) {
      ASSERT_EQ(get<layout::reply_order::status>(dut_->reply_order_o), *decision.refusal);
    }
  }
  void compare_start(const Model::Start& start) {
    ASSERT_EQ(get<layout::store_job::fifo>(dut_->store_job_o), start.fifo);
    ASSERT_EQ(get<layout::store_job::address>(dut_->store_job_o), start.address);
    ASSERT_EQ(get<layout::store_job::bytes>(dut_->store_job_o), start.bytes);
    ASSERT_EQ(get<layout::store_job::split>(dut_->store_job_o), start.split);
    ASSERT_EQ(get<layout::store_job::second_address>(dut_->store_job_o), in_.fifo_second_address);
    ASSERT_EQ(get<layout::store_job::second_bytes>(dut_->store_job_o), in_.fifo_second_bytes);
    ASSERT_EQ(get<layout::store_job::action>(dut_->store_job_o), start.action);
  }
  void compare_told() {
    const Model::Told& told = model_.told();
    ASSERT_EQ(dut_->dropped_reply_o, told.dropped);
    ASSERT_EQ(get<layout::credit_return::valid>(dut_->credit_return_o), told.credit.has_value());
    ASSERT_EQ(get<layout::send_outcome::valid>(dut_->send_answer_o), told.answer.has_value());
    if (told.credit) {
      ASSERT_EQ(get<layout::credit_return::queue>(dut_->credit_return_o), told.credit->queue);
      ASSERT_EQ(get<layout::credit_return::number>(dut_->credit_return_o), told.credit->number);
    }
    if (told.answer) {
      ASSERT_EQ(get<layout::send_outcome::answer>(dut_->send_answer_o), *told.answer);
    }
  }

  void cycle() {
    draw();
    drive_packets();
    drive_room();
    drive_answers();
    dut_.settle();
    const Model::Decision decision = model_.decides(in_);
    ASSERT_NO_FATAL_FAILURE(compare_pick());
    ASSERT_NO_FATAL_FAILURE(compare_judged());
    ASSERT_NO_FATAL_FAILURE(compare_decision(decision));
    if (decision.start) {
      ASSERT_NO_FATAL_FAILURE(compare_start(*decision.start));
    }
    ASSERT_NO_FATAL_FAILURE(compare_told());
    request_.storing = request_.storing || decision.request_start || decision.get_start;
    request_.done = request_.done || decision.request_done;
    reply_.storing = reply_.storing || decision.reply_start;
    reply_.done = reply_.done || decision.reply_done;
    model_.clock(in_);
    dut_.tick();
  }
  void run(const Mood& mood) {
    mood_ = mood;
    for (unsigned i = 0; i < mood.cycles; ++i) ASSERT_NO_FATAL_FAILURE(cycle()) << "cycle " << i;
  }
  Mood draw_mood() {
    const auto often = [this] { return random_.chance(50) ? 90U : 30U; };
    return {
        .requests = often(),
        .replies = random_.chance(30) ? 0U : often(),
        .fifos = random_.chance(30) ? 90U : 10U,
        .free = often(),
        .goes_on = often(),
        .pending = random_.chance(50) ? 0U : 40U,
        .settled = often(),
        .good = random_.chance(50) ? 97U : 80U,
        .full = often(),
        .refusing = random_.chance(70) ? 1U : 50U,
        .redirected = random_.chance(50) ? 0U : 40U,
    };
  }
  // What is shown in the cycle of the reset is forgotten, too.
  void forget() {
    dut_.reset(1);
    model_.reset();
    request_ = reply_ = {};
  }

  Random random_;
  Clocked<Vmu_reception_control> dut_{random_.seed()};
  Model model_;
  Model::Cycle in_;
  Mood mood_;
  Side request_, reply_;
};

TEST_F(ReceptionControlAtRandom, KeepsItsContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 400; ++i) {
    if (random_.chance(5)) forget();
    ASSERT_NO_FATAL_FAILURE(run(draw_mood())) << "mood " << i;
  }
}

// For the longest time that there is, for times about which it carries, and another.
TEST_F(ReceptionControlAtRandom, HoldsWhatFindsItsFifoFullAsLongAsItMay) {
  SCOPED_TRACE(random_.replay());
  Mood full{.requests = 100, .replies = 0, .fifos = 100, .withdrawn = 0, .settings = 0};
  full.good = full.full = 100;
  full.refusing = full.redirected = full.moved = 0;
  std::vector<std::uint32_t> holds{0xFFFFU, old_count(random_, 16)};
  for (unsigned bit = 0; bit < 16; ++bit) holds.push_back((1U << bit) + 2);
  for (const std::uint32_t hold : holds) {
    forget();  // of what is held since the time before
    in_.hold_cycles = hold;
    full.cycles = hold + 100;
    ASSERT_NO_FATAL_FAILURE(run(full)) << "hold " << hold;
  }
}

}  // namespace
}  // namespace torusmu::testing
