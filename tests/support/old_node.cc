// SPDX-License-Identifier: Apache-2.0
#include "tests/support/old_node.h"

namespace torusmu::testing {
namespace {

// `width` bits of a row from `lsb` on.
template <std::size_t Words>
void set_bits(VlWide<Words>& row, unsigned lsb, unsigned width, std::uint64_t value) {
  for (unsigned bit = 0; bit < width; ++bit) {
    const unsigned at = lsb + bit;
    const EData mask = EData{1} << at % 32;
    row[at / 32] = (value >> bit & 1) != 0 ? row[at / 32] | mask : row[at / 32] & ~mask;
  }
}

std::uint32_t low(std::uint64_t index) { return static_cast<std::uint32_t>(index); }

}  // namespace

#define TORUSMU_ENGINE(name) root().mu_gated_node__DOT__u_messaging_unit__DOT__##name
#define TORUSMU_SENDING(name) TORUSMU_ENGINE(u_send_engine__DOT__##name)
#define TORUSMU_RECEPTION(name) TORUSMU_ENGINE(u_reception_engine__DOT__##name)
#define TORUSMU_RECEIVES(name) \
  TORUSMU_RECEPTION(u_message_reception__DOT__u_receive_queues__DOT__##name)

void OldNode::age(QueueId id, std::uint64_t index, std::uint32_t number) {
  judge_.flush();
  const std::uint32_t n = id.value;
  model::Queue& queue = judge_.reference().queue(n);
  queue.head = queue.tail = index;
  queue.limit = low(index);
  queue.number = number;
#define TORUSMU_TABLE(name) \
  TORUSMU_SENDING(u_queue_engine__DOT__u_queue_table__DOT__##name##_mem)[n]
  TORUSMU_TABLE(head) = TORUSMU_TABLE(fetch_index) = low(index);
  TORUSMU_TABLE(published) = TORUSMU_TABLE(reserved) = TORUSMU_TABLE(limit) = low(index);
  TORUSMU_TABLE(fetch_lap) = low(index / queue.size);
#undef TORUSMU_TABLE
#define TORUSMU_SENDS(name) TORUSMU_SENDING(u_queue_pairs__DOT__u_outstanding_requests__DOT__##name)
  namespace row = layout::request_row;  // the number of the last SEND is used up
  TORUSMU_SENDS(row_mem)[n] = QData{1} << row::numbered.lsb | QData{1} << row::used.lsb;
  TORUSMU_SENDS(known_q) |= IData{1} << n;
  TORUSMU_SENDS(number_mem)[n] = number - 1;
#undef TORUSMU_SENDS
  TORUSMU_RECEIVES(expected_mem)[n] = number;
  TORUSMU_RECEIVES(numbered_q) |= IData{1} << n;
}

void OldNode::age_message(QueueId id, std::uint32_t bytes) {
  judge_.flush();
  const std::uint32_t n = id.value;
  model::Queue& queue = judge_.reference().queue(n);
  queue.receiving.arrived = bytes;
  TORUSMU_RECEIVES(begun_q) |= IData{1} << n;
  const std::uint32_t slot = 2 * n + queue.number % 2;
  TORUSMU_RECEIVES(received_mem)[slot] = bytes;
  TORUSMU_RECEIVES(failed_q) &= ~(QData{1} << slot);  // as its first packet would have
  queue.failed.at(queue.number % 2) = false;
}

void OldNode::age(FifoId id, std::uint64_t index, std::uint32_t refused) {
  judge_.flush();
  model::Fifo& fifo = judge_.reference().fifo(id.value);
  fifo.head = fifo.tail = index;
  fifo.refused = refused;
  auto& row = TORUSMU_RECEPTION(u_fifo_table__DOT__u_pointers__DOT__mem)[id.value];
  for (const unsigned lsb : {0U, 32U, 64U}) set_bits(row, lsb, 32, index);  // head, tail, reserved
  set_bits(row, 96, 32, refused);
}

void OldNode::age_notices(ClientId client, std::uint64_t index) {
  judge_.flush();
  model::NoticeRing& ring = judge_.reference().notices(client.value);
  ring.head = ring.tail = index;
  auto& row = TORUSMU_RECEPTION(u_notice_ring__DOT__u_rows__DOT__mem)[client.value];
  for (const unsigned lsb : {57U, 89U, 121U}) set_bits(row, lsb, 32, index);
}

void OldNode::age(CompletionQueueId id, std::uint64_t index, std::uint32_t lost) {
  judge_.flush();
  model::CompletionQueue& queue = judge_.reference().completion_queue(id.value);
  queue.head = queue.tail = index;
  queue.lost = lost;
  auto& row = TORUSMU_SENDING(u_completion_queues__DOT__u_rows__DOT__mem)[id.value];
  for (const unsigned lsb : {65U, 97U}) set_bits(row, lsb, 32, index);  // head, reserved
  set_bits(row, 129, 32, lost);
  QData& tail = TORUSMU_SENDING(u_completion_queues__DOT__u_tails__DOT__mem)[id.value];
  tail = (tail & ~QData{0xffffffff}) | low(index);
}

void OldNode::age_credits(unsigned direction, std::uint16_t number) {
  judge_.flush();
  model::Credit& credit = judge_.reference().credit(direction);
  credit.sent = credit.returned = number;
#define TORUSMU_CREDITS(name) \
  TORUSMU_SENDING(u_injection_engine__DOT__u_reflection_credits__DOT__##name)[direction]
  TORUSMU_CREDITS(sent_q) = TORUSMU_CREDITS(returned_q) = number;
#undef TORUSMU_CREDITS
}

#undef TORUSMU_RECEIVES
#undef TORUSMU_RECEPTION
#undef TORUSMU_SENDING
#undef TORUSMU_ENGINE

}  // namespace torusmu::testing
