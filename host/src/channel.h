// SPDX-License-Identifier: Apache-2.0
// One peer of a context: the numbered messages to it and from it.
//
// Messages from one endpoint to another are numbered. The sender keeps each until the receiver's
// cumulative acknowledgement covers it. The receiver takes packets in order only: what comes early
// is dropped, what has come before is dropped and acknowledged again. A notice about a refused
// packet, or a probe's answer, makes the sender go back to that message and send from there.
#ifndef TORUSMU_HOST_SRC_CHANNEL_H_
#define TORUSMU_HOST_SRC_CHANNEL_H_

#include <deque>
#include <map>
#include <optional>

#include "host/src/agenda.h"
#include "host/src/outbox.h"
#include "host/src/served.h"
#include "host/src/site.h"
#include "host/src/wire.h"

namespace torusmu {

// A numbered message.
struct Outgoing {
  wire::Type type = wire::Type::kInvalid;
  std::uint32_t word = 0;
  Bytes length = 0;    // payload; 0 is sent as one byte that nobody reads
  Address buffer = 0;  // of the outbox, unless immediate
  bool immediate = false;
  wire::Immediate data{};
};

class Channel {
 public:
  Channel(const Site& site, Outbox& outbox, Agenda& agenda, Endpoint peer);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  [[nodiscard]] Endpoint peer() const { return peer_; }

  // --- sending ---
  // Takes a message, and sends it as soon as window and outbox allow; its buffer is given back once
  // it has been acknowledged. Not while the channel is full.
  void keep(const Outgoing& message);
  [[nodiscard]] bool is_full() const;
  void pump();
  // How many messages have been acknowledged, are kept, and of those are on their way.
  [[nodiscard]] std::uint64_t ended() const { return ended_; }
  [[nodiscard]] std::size_t kept() const { return kept_.size(); }
  [[nodiscard]] std::size_t sent() const { return sent_; }

  // The peer expects that message next. False: nothing new.
  bool take_ack(std::uint16_t expected);
  // Both return, if messages have to be sent again, which is the first: so many before it ended.
  std::optional<std::uint64_t> take_probe_answer(std::uint32_t probe);
  std::optional<std::uint64_t> take_notice(const PacketHeader& header,
                                           const PacketTrailer& trailer);
  // Asks the peer at once what it expects, if anything is kept.
  void ask_now();

  // --- receiving ---
  // True if the packet is the one that is expected; any other is counted and dropped.
  bool is_next(wire::Numbers numbers, wire::OffsetField field, Bytes bytes);
  // It has been handled. True if it was the last of its message.
  bool accept(wire::OffsetField field, Bytes bytes);
  void answer_probe(std::uint32_t probe);
  // Sends an acknowledgement at once, owed or not, unless the queue is full: then later.
  void acknowledge_now();
  // Sends the acknowledgement that is owed at once, if one is.
  void hurry_ack();
  [[nodiscard]] bool owes_ack() const { return owed_ != 0; }

  void run_timers();

 private:
  struct Kept {
    Outgoing message;
    std::uint32_t index = 0;  // descriptor that sent it last
    Bytes resume = 0;         // where sending again starts: all before it has been taken
    bool sent_before = false;
  };

  void transmit(Kept& kept);
  [[nodiscard]] PacketHeader header(std::uint32_t word, wire::OffsetField field) const;
  void send_bare(wire::Type type, std::uint32_t word);
  void send_ack();
  void send_probe();
  void owe_ack(bool at_once);
  std::uint64_t go_back(std::size_t position, Bytes resume);

  const Site& site_;
  Outbox& outbox_;
  Agenda& agenda_;
  const Endpoint peer_;
  const Place place_;

  std::deque<Kept> kept_;           // messages acknowledged_.. in order
  std::uint16_t acknowledged_ = 0;  // number of kept_.front()
  std::uint64_t ended_ = 0;
  std::size_t sent_ = 0;
  std::size_t window_;
  Cycles backoff_;
  Cycles retry_at_ = 0;
  Cycles probe_at_ = kNever;
  Cycles probe_wait_;
  std::uint32_t probe_ = 0;         // number of the last probe
  std::uint16_t probe_covers_ = 0;  // messages before this number were sent before it
  bool probe_is_out_ = false;

  std::uint16_t expected_ = 0;
  Bytes expected_offset_ = 0;
  std::uint32_t owed_ = 0;  // messages not yet acknowledged
  Cycles ack_at_ = kNever;
  std::uint32_t answer_ = 0;  // probe to be answered
};

// The channels of a context, by endpoint; made when first needed.
class Channels final : public Served {
 public:
  Channels(const Site& site, Outbox& outbox, Agenda& agenda)
      : site_(site), outbox_(outbox), agenda_(agenda) {}

  Channel& to(Endpoint peer) {
    return channels_.try_emplace(peer, site_, outbox_, agenda_, peer).first->second;
  }
  void use_room() override {
    for (auto& [peer, channel] : channels_) channel.pump();
  }
  void run_timers() override {
    for (auto& [peer, channel] : channels_) channel.run_timers();
  }
  [[nodiscard]] auto begin() { return channels_.begin(); }
  [[nodiscard]] auto end() { return channels_.end(); }
  [[nodiscard]] auto begin() const { return channels_.begin(); }
  [[nodiscard]] auto end() const { return channels_.end(); }

 private:
  const Site& site_;
  Outbox& outbox_;
  Agenda& agenda_;
  std::map<Endpoint, Channel> channels_;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_CHANNEL_H_
