// SPDX-License-Identifier: Apache-2.0
// The pins of the six links of a verilated mu_router, by number: 0 x+, 1 x-, 2 y+, 3 y-, 4 z+, 5
// z-.
#ifndef TORUSMU_TESTS_SUPPORT_ROUTER_LINKS_H_
#define TORUSMU_TESTS_SUPPORT_ROUTER_LINKS_H_

#include <vector>

#include "Vmu_router.h"
#include "tests/support/port_fields.h"

namespace torusmu::testing {

class RouterLink {
 public:
  RouterLink(Vmu_router& router, unsigned direction) : router_(&router), direction_(direction) {}

  // A flit stands at the input in the cycles that come, or none.
  void put(bool head, bool tail, bool reply, const FlitWords& words) const {
    set_port_bit(router_->link_valid_i, direction_, true);
    set_port_bit(router_->link_head_i, direction_, head);
    set_port_bit(router_->link_tail_i, direction_, tail);
    set_port_bit(router_->link_reply_i, direction_, reply);
    put_flit(router_->link_data_i, direction_, words);
  }
  void release() const { set_port_bit(router_->link_valid_i, direction_, false); }
  // Of the places beyond the link, bit 0 of requests and bit 1 of replies.
  void put_credits(unsigned classes) const {
    set_port_bit(router_->link_credit_request_i, direction_, (classes & 1) != 0);
    set_port_bit(router_->link_credit_reply_i, direction_, (classes & 2) != 0);
  }

  // What stands at the inputs.
  [[nodiscard]] bool valid_in() const { return port_bit(router_->link_valid_i, direction_); }
  [[nodiscard]] bool reply_in() const { return port_bit(router_->link_reply_i, direction_); }
  [[nodiscard]] unsigned credits_in() const {
    return classes(router_->link_credit_request_i, router_->link_credit_reply_i);
  }

  // What the router shows.
  [[nodiscard]] bool valid() const { return port_bit(router_->link_valid_o, direction_); }
  [[nodiscard]] bool head() const { return port_bit(router_->link_head_o, direction_); }
  [[nodiscard]] bool tail() const { return port_bit(router_->link_tail_o, direction_); }
  [[nodiscard]] bool reply() const { return port_bit(router_->link_reply_o, direction_); }
  [[nodiscard]] FlitWords data() const { return get_flit(router_->link_data_o, direction_); }
  [[nodiscard]] unsigned credits() const {
    return classes(router_->link_credit_request_o, router_->link_credit_reply_o);
  }

 private:
  [[nodiscard]] unsigned classes(CData requests, CData replies) const {
    return (port_bit(requests, direction_) ? 1U : 0U) | (port_bit(replies, direction_) ? 2U : 0U);
  }

  Vmu_router* router_;
  unsigned direction_;
};

inline std::vector<RouterLink> links_of(Vmu_router& router) {
  std::vector<RouterLink> links;
  for (unsigned d = 0; d < 6; ++d) links.emplace_back(router, d);
  return links;
}

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_ROUTER_LINKS_H_
