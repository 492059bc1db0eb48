// SPDX-License-Identifier: Apache-2.0
// model: Vmu_router_output_65 mu_router_output -GSOURCES=65
// model: Vmu_router_output_66 mu_router_output -GSOURCES=66
// model: Vmu_router_output_71 mu_router_output -GSOURCES=71
// model: Vmu_router_output_75 mu_router_output -GSOURCES=75
// model: Vmu_router_output_95 mu_router_output -GSOURCES=95
// model: Vmu_router_output_111 mu_router_output -GSOURCES=111

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_router_output.h"
#include "Vmu_router_output_111.h"
#include "Vmu_router_output_65.h"
#include "Vmu_router_output_66.h"
#include "Vmu_router_output_71.h"
#include "Vmu_router_output_75.h"
#include "Vmu_router_output_95.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

unsigned any_of(Random& random, unsigned inputs) {
  unsigned input = 0;
  do {
    input = static_cast<unsigned>(random.below(7));
  } while ((inputs >> input & 1) == 0);
  return input;
}

// SOURCES has a bit for each input that may have the output.
template <typename Model>
void show_the_selected_flit(unsigned sources) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Model> output(random.seed());
  auto& m = *output.operator->();
  const std::array flits{
      std::array{&m.request_xp_i, &m.request_xm_i, &m.request_yp_i, &m.request_ym_i,
                 &m.request_zp_i, &m.request_zm_i, &m.request_local_i},
      std::array{&m.reply_xp_i, &m.reply_xm_i, &m.reply_yp_i, &m.reply_ym_i, &m.reply_zp_i,
                 &m.reply_zm_i, &m.reply_local_i}};
  std::uint32_t shown = 0;
  for (int cycle = 0; cycle < 3000; ++cycle) {
    for (const auto& inputs : flits) {
      for (auto* flit : inputs)
        put_flit(*flit, 0, flit_from(static_cast<std::uint32_t>(random.bits64())));
    }
    const unsigned source = any_of(random, sources), other = any_of(random, sources);
    const unsigned c = random.chance(50);
    const bool send = random.chance(60);
    const bool first = random.chance(30);
    const bool last = random.chance(30);
    m.request_owner_i = static_cast<CData>(1U << (c == 0 ? source : other));
    m.reply_owner_i = static_cast<CData>(1U << (c == 1 ? source : other));
    m.request_send_i = send && c == 0;
    m.reply_send_i = send && c == 1;
    m.request_first_i = c == 0 ? first : !first;
    m.reply_first_i = c == 1 ? first : !first;
    m.request_last_i = c == 0 ? last : !last;
    m.reply_last_i = c == 1 ? last : !last;
    output.tick();
    ASSERT_EQ(m.link_valid_o, send);
    if (send) {
      shown = get_flit(*flits[c][source])[0];
      ASSERT_EQ(m.link_reply_o, c);
      ASSERT_EQ(m.link_head_o, first);
      ASSERT_EQ(m.link_tail_o, last);
    }
    if (shown != 0) {
      for (unsigned i = 0; i < 4; ++i) ASSERT_EQ(m.link_data_o[i], shown + i);
    }
  }
}

TEST(RouterOutput, ShowsTheSelectedFlitOfTheSendingClassOneCycleLater) {
  show_the_selected_flit<Vmu_router_output>(127);
  show_the_selected_flit<Vmu_router_output_65>(65);
  show_the_selected_flit<Vmu_router_output_66>(66);
  show_the_selected_flit<Vmu_router_output_71>(71);
  show_the_selected_flit<Vmu_router_output_75>(75);
  show_the_selected_flit<Vmu_router_output_95>(95);
  show_the_selected_flit<Vmu_router_output_111>(111);
}

TEST(RouterOutput, SendsNothingFromAReset) {
  for (const bool reply : {false, true}) {
    Clocked<Vmu_router_output> output;
    output->request_owner_i = output->reply_owner_i = 1;
    (reply ? output->reply_send_i : output->request_send_i) = 1;
    output.reset(1);
    EXPECT_FALSE(output->link_valid_o);
    output.tick();
    EXPECT_TRUE(output->link_valid_o);
  }
}

}  // namespace
}  // namespace torusmu::testing
