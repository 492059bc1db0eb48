// SPDX-License-Identifier: Apache-2.0
// The pins of the six links of a verilated mu_router, by number: 0 x+, 1 x-, 2 y+, 3 y-, 4 z+, 5
// z-.
#ifndef TORUSMU_TESTS_SUPPORT_ROUTER_LINKS_H_
#define TORUSMU_TESTS_SUPPORT_ROUTER_LINKS_H_

#include <type_traits>
#include <vector>

#include "Vmu_router.h"

namespace torusmu::testing {

struct RouterLink {
  using Data = std::remove_reference_t<decltype(Vmu_router::link_xp_data_i)>;

  CData *valid_in, *head_in, *tail_in, *reply_in, *credit_in;
  Data* data_in;
  CData *valid, *head, *tail, *reply, *credit;
  Data* data;
};

inline std::vector<RouterLink> links_of(Vmu_router& m) {
  std::vector<RouterLink> links;
#define TORUSMU_LINK(d)                                                                 \
  links.push_back({&m.link_##d##_valid_i, &m.link_##d##_head_i, &m.link_##d##_tail_i,   \
                   &m.link_##d##_reply_i, &m.link_##d##_credit_i, &m.link_##d##_data_i, \
                   &m.link_##d##_valid_o, &m.link_##d##_head_o, &m.link_##d##_tail_o,   \
                   &m.link_##d##_reply_o, &m.link_##d##_credit_o, &m.link_##d##_data_o})
  TORUSMU_LINK(xp);
  TORUSMU_LINK(xm);
  TORUSMU_LINK(yp);
  TORUSMU_LINK(ym);
  TORUSMU_LINK(zp);
  TORUSMU_LINK(zm);
#undef TORUSMU_LINK
  return links;
}

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_ROUTER_LINKS_H_
