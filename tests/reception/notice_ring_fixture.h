// SPDX-License-Identifier: Apache-2.0
// A mu_notice_ring whose registers, lookups and publishes a test makes one by one.

#ifndef TESTS_RECEPTION_NOTICE_RING_FIXTURE_H_
#define TESTS_RECEPTION_NOTICE_RING_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_notice_ring.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/registers.h"

namespace torusmu::testing::notice_ring {

using RegisterRequest = Record<layout::register_request::Layout>;
using RegisterResponse = Record<layout::register_response::Layout>;
namespace q = layout::register_request;
namespace ring_registers = registers::notice_ring;
namespace page = registers::client_page;
inline constexpr unsigned kClients = kProfile.clients;
class NoticeRing : public ::testing::Test {
 protected:
  RegisterResponse access(const RegisterRequest& request) {
    drive(ring->register_request_i, request);
    ring->register_valid_i = 1;
    ring.wait_for("a register answer", [&] { return ring->register_done_o != 0; });
    const auto response = sample_record<RegisterResponse>(ring->register_response_o);
    ring.tick();
    ring->register_valid_i = 0;
    ring.settle();
    return response;
  }
  static Status status_of(const RegisterResponse& response) {
    return response.get<layout::register_response::status>();
  }
  Status write(std::uint32_t address, std::uint64_t data) {
    return status_of(access(
        RegisterRequest{}.set<q::address>(address).set<q::data>(data).set<q::write>(1).set<q::wide>(
            1)));
  }
  Status write_page(std::uint8_t client, std::uint32_t offset, std::uint64_t data,
                    bool wide = true) {
    return status_of(access(RegisterRequest{}
                                .set<q::address>(offset)
                                .set<q::data>(data)
                                .set<q::write>(1)
                                .set<q::wide>(wide ? 1 : 0)
                                .set<q::page>(1)
                                .set<q::client>(client)));
  }
  std::uint64_t read_page(std::uint8_t client, std::uint32_t offset) {
    return access(RegisterRequest{}.set<q::address>(offset).set<q::page>(1).set<q::client>(client))
        .get<layout::register_response::data>();
  }
  std::uint64_t read(std::uint32_t address) {
    return access(RegisterRequest{}.set<q::address>(address))
        .get<layout::register_response::data>();
  }
  struct Place {
    bool room = false;
    std::uint64_t address = 0;
  };
  // The answer stands until the next tick.
  void ask(std::uint8_t client) {
    ring->lookup_valid_i = 1;
    ring->lookup_client_i = client;
    ring.wait_for("a lookup to be taken", [&] { return ring->lookup_ready_o != 0; });
    ring.tick();
    ring->lookup_valid_i = 0;
    ring.tick();
  }
  Place lookup(std::uint8_t client) {
    ask(client);
    const Place place{ring->answer_room_o != 0, ring->answer_address_o};
    ring->reserve_i = place.room;
    ring->refuse_i = !place.room;
    ring.tick();
    ring->reserve_i = 0;
    ring->refuse_i = 0;
    return place;
  }
  std::uint64_t discards(std::uint8_t client) {
    return extract(read_page(client, page::notice_tail.offset), page::notice_tail_field::discards);
  }
  // Counts one; true if its notice is wanted.
  bool discard(std::uint8_t client) {
    ask(client);
    const bool wanted = ring->answer_discards_o != 0;
    ring->discard_i = 1;
    ring.tick();
    ring->discard_i = 0;
    return wanted;
  }
  void publish(std::uint8_t client) {
    ring->publish_valid_i = 1;
    ring->publish_client_i = client;
    ring.wait_for("a publish to be taken", [&] { return ring->publish_ready_o != 0; });
    ring.tick();
    ring->publish_valid_i = 0;
    ring.tick();
    ring.tick();
  }

  Clocked<Vmu_notice_ring> ring;
};

}  // namespace torusmu::testing::notice_ring

#endif  // TESTS_RECEPTION_NOTICE_RING_FIXTURE_H_
