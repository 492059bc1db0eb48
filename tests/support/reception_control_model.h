// SPDX-License-Identifier: Apache-2.0
// Which packet is picked when, and what becomes of it, as mu_reception_control has to decide.

#ifndef TESTS_SUPPORT_RECEPTION_CONTROL_MODEL_H_
#define TESTS_SUPPORT_RECEPTION_CONTROL_MODEL_H_

#include <cstdint>
#include <optional>

#include "tests/support/reception_check_model.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {

class ReceptionControlModel {
 public:
  using WriteAction = Record<layout::write_action::Layout>;
  using SendAnswer = Record<layout::send_answer::Layout>;
  struct Packet {
    PacketHeader header;
    PacketTrailer trailer;

    Kind kind() const { return header.get<layout::packet_header::kind>(); }
    bool reply() const { return header.get<layout::packet_header::reply>() != 0; }
    std::uint64_t target() const { return header.get<layout::packet_header::target>(); }
    std::uint64_t bytes() const { return header.get<layout::packet_header::bytes>(); }
    // One for header and trailer, then its payload.
    std::uint64_t slots() const { return 1 + (bytes() + 31) / 32; }
    bool last() const { return trailer.get<layout::packet_trailer::last>() != 0; }
    bool is_stored() const { return kind() == Kind::kPut || kind() == Kind::kFifo; }
    // What a notice says was refused.
    Kind refused_kind() const {
      return static_cast<Kind>(header.get<layout::packet_header::word>() >> 8U & 0xFU);
    }
    bool tells_of_send() const { return kind() == Kind::kNotice && refused_kind() == Kind::kSend; }
    bool tells_of_fence() const {
      return kind() == Kind::kNotice && refused_kind() == Kind::kFence;
    }
    bool tells_of_discard() const {
      return tells_of_send() && (header.get<layout::packet_header::word>() & 0xFFU) ==
                                    static_cast<std::uint64_t>(Status::kReceiveDisabled);
    }
    bool is_for_ring() const {
      return kind() == Kind::kNotice && !tells_of_send() && !tells_of_fence();
    }
  };
  // What the blocks around it show in one cycle. Answers are to what was picked two cycles before,
  // but for the region, all owners and whether a queue is empty, which are looked up one cycle
  // before.
  struct Cycle {
    std::uint64_t hold_cycles = 0;
    std::optional<Packet> request, reply;
    bool request_moved = false;  // it comes from a boot buffer
    std::uint64_t keeper_owner = 0;
    bool request_store_idle = true, reply_store_idle = true, notice_store_idle = true;
    bool request_fifo_pending = false, reply_fifo_pending = false;
    bool fifo_ready = true, notice_ready = true, sender_ready = true;
    bool fence_room = true, notices_settled = true;
    ReceptionCase known;  // all but the packet
    bool fifo_refusing = false, fifo_split = false, notice_room = true, queue_empty = true;
    bool notice_discards = false;  // those of discards are wanted
    bool fifo_redirect = false, fifo_kept = false;
    std::uint64_t fifo_number = 0, fifo_address = 0, fifo_bytes = 0;
    std::uint64_t fifo_second_address = 0, fifo_second_bytes = 0;
    bool send_again = false, send_take = false, send_acknowledge = false;
    std::uint64_t send_address = 0, send_reassembly = 0, send_epoch = 0, send_bytes = 0;
  };
  struct Start {
    bool fifo = false, split = false;
    std::uint64_t address = 0, bytes = 0;
    WriteAction action;
  };
  struct Decision {
    bool request_start = false, reply_start = false, get_start = false;
    bool request_done = false, reply_done = false, waits = false, stays = false;
    bool fifo_reserve = false, fifo_refuse = false, notice_reserve = false, notice_refuse = false;
    bool notice_discard = false;
    bool answer = false, acknowledge = false, fence_take = false;
    std::optional<Status> refusal;
    std::optional<Start> start;
  };
  struct Credit {
    std::uint64_t queue, number;
  };
  // What a reply said beside what is stored of it, in the cycle after its decision.
  struct Told {
    std::optional<Credit> credit;
    std::optional<SendAnswer> answer;
    bool dropped = false;
    bool anything() const { return credit || answer || dropped; }
  };

  const std::optional<Packet>& looked_up() const { return looked_up_; }
  const std::optional<Packet>& judged() const { return judged_; }
  const Told& told() const { return told_; }
  bool waiting() const { return waits_until_.has_value(); }

  std::optional<Packet> picks(const Cycle& in) const {
    if (looked_up_ || judged_) return std::nullopt;
    if (in.reply && is_free_for_reply(in)) return in.reply;
    if (in.request && is_free_for_request(in)) return in.request;
    return std::nullopt;
  }
  bool busy(const Cycle& in) const {
    return looked_up_ || judged_ || waiting() || told_.anything() || picks(in).has_value();
  }
  bool counters_good(const Cycle& in) const { return judged_ && known(in).counters_good(); }
  // The FIFO's boot buffer is looked up, and answers instead.
  bool goes_on(const Cycle& in) const {
    return judged_ && judged_->kind() == Kind::kFifo && in.fifo_redirect;
  }
  Decision decides(const Cycle& in) const {
    if (!judged_ || goes_on(in)) return {};
    Decision decision = judged_->reply() ? decides_reply(in) : decides_request(in);
    if (judged_->kind() == Kind::kFifo) {
      decision.fifo_reserve = status(in) == Status::kOk;
      decision.fifo_refuse = status(in) == Status::kFifoFull && !decision.waits && !decision.stays;
    }
    if (decision.request_start || decision.reply_start) decision.start = start(in);
    return decision;
  }

  // What the coming edge does.
  void clock(const Cycle& in) {
    const Decision decision = decides(in);
    told_ = judged_ && judged_->reply() ? tells(in, decision) : Told{};
    if (decision.waits && !waiting()) waits_until_ = now_ + in.hold_cycles;
    const bool decided = judged_ && !judged_->reply() && !decision.waits && !goes_on(in);
    const bool judging = judged_ && !judged_->reply() && !goes_on(in);
    if (decided || (!in.request && !judging)) waits_until_.reset();
    const auto next = goes_on(in) ? judged_ : picks(in);
    judged_ = looked_up_;
    looked_up_ = next;
    ++now_;
  }
  void reset() {
    looked_up_.reset();
    judged_.reset();
    told_ = {};
    waits_until_.reset();
  }

 private:
  bool is_free_for_reply(const Cycle& in) const {
    switch (in.reply->kind()) {
      case Kind::kNotice:
        return in.notice_store_idle && in.notice_ready;
      case Kind::kFifo:
        return in.reply_store_idle && in.fifo_ready && !in.request_fifo_pending;
      case Kind::kFence:
        return in.reply_store_idle && in.notices_settled;
      default:
        return in.reply_store_idle;
    }
  }
  bool is_free_for_request(const Cycle& in) const {
    if (!in.request_store_idle || !in.sender_ready) return false;
    if (in.request->kind() == Kind::kFifo) return in.fifo_ready && !in.reply_fifo_pending;
    return in.request->kind() != Kind::kFence || in.fence_room;
  }
  ReceptionCase known(const Cycle& in) const {
    ReceptionCase known = in.known;
    known.header = judged_->header;
    known.trailer = judged_->trailer;
    return known;
  }
  Status status(const Cycle& in) const { return known(in).status(); }

  Decision decides_request(const Cycle& in) const {
    Decision decision;
    const bool good = status(in) == Status::kOk;
    const Kind kind = judged_->kind();
    decision.fence_take = kind == Kind::kFence && good;
    decision.request_start = (judged_->is_stored() && good) || decision.fence_take ||
                             (kind == Kind::kSend && in.send_take);
    decision.get_start = kind == Kind::kGet && good;
    decision.acknowledge = kind == Kind::kSend && in.send_acknowledge;
    decision.answer =
        kind == Kind::kCreditQuery && in.queue_empty && judged_->target() < kSim.reflection_queues;
    const bool full = kind == Kind::kFifo && status(in) == Status::kFifoFull;
    decision.stays = full && in.request_moved;
    decision.waits = full && !in.request_moved && !in.fifo_refusing &&
                     now_ < waits_until_.value_or(now_ + in.hold_cycles);
    if (!good && !decision.waits && !decision.stays) decision.refusal = status(in);
    const bool again = kind == Kind::kSend && in.send_again;
    decision.request_done = !decision.request_start && !decision.get_start && !decision.waits &&
                            !decision.stays && !again;
    return decision;
  }
  Decision decides_reply(const Cycle& in) const {
    Decision decision;
    decision.reply_start = judged_->is_stored() && status(in) == Status::kOk;
    decision.reply_done = !decision.reply_start;
    decision.notice_discard = judged_->tells_of_discard();
    decision.notice_reserve =
        (judged_->is_for_ring() || (decision.notice_discard && in.notice_discards)) &&
        in.notice_room;
    decision.notice_refuse = judged_->is_for_ring() && !in.notice_room;
    return decision;
  }

  // A FENCE is stored as a PUT of no bytes. Behind the last byte of memory its first one follows.
  Start start(const Cycle& in) const {
    const ReceptionCase known = this->known(in);
    Start start{.address = known.address() % (1ULL << 40U),
                .bytes = judged_->bytes(),
                .action = action(in)};
    if (judged_->kind() == Kind::kFifo) {
      start.fifo = true;
      start.split = in.fifo_split;
      start.address = in.fifo_address;
      start.bytes = in.fifo_bytes;
    } else if (judged_->kind() == Kind::kSend) {
      start.address = in.send_address;
    }
    return start;
  }
  WriteAction action(const Cycle& in) const {
    namespace a = layout::write_action;
    namespace t = layout::packet_trailer;
    const ReceptionCase known = this->known(in);
    const PacketTrailer& trailer = judged_->trailer;
    const bool last = judged_->last();
    WriteAction action;
    action.set<a::action>(meaning())
        .set<a::client>(known.owner())
        .set<a::target>(judged_->target())
        .set<a::bytes>(judged_->bytes())
        .set<a::counter>(trailer.get<t::counter>())
        .set<a::counter_valid>(known.counts_bytes())
        .set<a::event_counter>(trailer.get<t::event_counter>())
        .set<a::event_valid>(last && known.counts_events())
        .set<a::interrupt>(last && trailer.get<t::interrupt>() != 0);
    if (judged_->kind() == Kind::kFifo) {
      action.set<a::amount>(judged_->slots()).set<a::target>(in.fifo_number);
      if (in.fifo_kept) action.set<a::counter_valid>(0).set<a::event_valid>(0).set<a::interrupt>(0);
    }
    if (judged_->kind() == Kind::kSend) add_message(in, action);
    return action;
  }
  Action meaning() const {
    switch (judged_->kind()) {
      case Kind::kFifo:
        return Action::kFifo;
      case Kind::kSend:
        return Action::kSend;
      case Kind::kFence:
        return Action::kFence;
      default:
        return Action::kPut;
    }
  }
  // The bytes of a message count once it is whole.
  void add_message(const Cycle& in, WriteAction& action) const {
    namespace a = layout::write_action;
    namespace t = layout::packet_trailer;
    const bool dynamic = judged_->trailer.get<t::dynamic>() != 0;
    const bool last = judged_->last();
    action.set<a::bytes>(in.send_bytes)
        .set<a::counter_valid>(last && judged_->trailer.get<t::counter_valid>() != 0)
        .set<a::message_end>(last)
        .set<a::epoch>(in.send_epoch)
        .set<a::slot>(judged_->trailer.get<t::sequence_number>() & 1U)
        .set<a::dynamic>(dynamic)
        .set<a::reassembly>(dynamic ? in.send_reassembly : 0);
  }

  Told tells(const Cycle& in, const Decision& decision) const {
    namespace h = layout::packet_header;
    namespace t = layout::packet_trailer;
    const PacketTrailer& trailer = judged_->trailer;
    Told told;
    told.dropped = decision.notice_refuse || (judged_->is_stored() && status(in) != Status::kOk);
    if (judged_->kind() == Kind::kCredit) {
      told.credit = Credit{judged_->target(), judged_->header.get<h::word>() & 0xFFFFU};
    } else if (judged_->is_stored() && trailer.get<t::reflected>() != 0) {
      told.credit = Credit{trailer.get<t::queue>(), trailer.get<t::index>() & 0xFFFFU};
    }
    told.answer = tells_of_ours();
    return told;
  }
  // What became of a SEND or a FENCE of ours.
  std::optional<SendAnswer> tells_of_ours() const {
    namespace a = layout::send_answer;
    namespace h = layout::packet_header;
    namespace t = layout::packet_trailer;
    const PacketHeader& header = judged_->header;
    const PacketTrailer& trailer = judged_->trailer;
    const bool of_fence = judged_->kind() == Kind::kFence || judged_->tells_of_fence();
    SendAnswer answer;
    answer.set<a::fence>(of_fence).set<a::node>(
        header.get<h::src_x>() | header.get<h::src_y>() << 4U | header.get<h::src_z>() << 8U);
    if (judged_->kind() == Kind::kAck || judged_->kind() == Kind::kFence) {
      return answer.set<a::queue>(judged_->target()).set<a::number>(header.get<h::word>());
    }
    if (!judged_->tells_of_send() && !of_fence) return std::nullopt;
    return answer.set<a::status>(static_cast<Status>(header.get<h::word>() & 0xFFU))
        .set<a::queue>(trailer.get<t::queue>())
        .set<a::number>(of_fence ? trailer.get<t::index>() : trailer.get<t::sequence_number>());
  }

  std::optional<Packet> looked_up_, judged_;
  Told told_;
  std::uint64_t now_ = 0;
  std::optional<std::uint64_t> waits_until_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_RECEPTION_CONTROL_MODEL_H_
