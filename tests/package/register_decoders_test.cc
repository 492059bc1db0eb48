// SPDX-License-Identifier: Apache-2.0
// The decoders that layout_gen makes of registers.def, against what registers.def says in C++.
// model: Vmu_injection_queue_decode mu_injection_queue_decode
// bgp:
// model: Vmu_reception_fifo_decode mu_reception_fifo_decode
// bgp:
// model: Vmu_completion_queue_decode mu_completion_queue_decode
// bgp:
// model: Vmu_byte_counter_config_decode mu_byte_counter_config_decode
// bgp:
// model: Vmu_event_counter_config_decode mu_event_counter_config_decode
// bgp:
// model: Vmu_region_decode mu_region_decode
// bgp:
// model: Vmu_touch_range_decode mu_touch_range_decode
// bgp:
// model: Vmu_notice_ring_decode mu_notice_ring_decode
// bgp:
// model: Vmu_reflection_decode mu_reflection_decode
// bgp:
// model: Vmu_boot_decode mu_boot_decode
// bgp:
// model: Vmu_core_access_decode mu_core_access_decode
// bgp:
// model: Vmu_tree_class_decode mu_tree_class_decode
// bgp:
// model: Vmu_node_decode mu_node_decode
// bgp:

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "Vmu_boot_decode.h"
#include "Vmu_byte_counter_config_decode.h"
#include "Vmu_completion_queue_decode.h"
#include "Vmu_core_access_decode.h"
#include "Vmu_event_counter_config_decode.h"
#include "Vmu_injection_queue_decode.h"
#include "Vmu_node_decode.h"
#include "Vmu_notice_ring_decode.h"
#include "Vmu_reception_fifo_decode.h"
#include "Vmu_reflection_decode.h"
#include "Vmu_region_decode.h"
#include "Vmu_touch_range_decode.h"
#include "Vmu_tree_class_decode.h"
#include "sim/machine/profile.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace r = layout::register_request;

struct FieldRule {
  unsigned lsb, width;
  std::uint64_t least = 0, most = ~std::uint64_t{0};
  bool is_ring = false;  // a power of two or, if it may be as little, 0

  [[nodiscard]] bool takes(std::uint64_t value) const {
    return value >= least && value <= most &&
           (!is_ring || value == 0 || std::has_single_bit(value));
  }
};
struct RegisterRule {
  std::string block, name, access;
  std::uint32_t offset;
  std::vector<FieldRule> fields;

  [[nodiscard]] bool is(std::string_view other_block, std::string_view other_name) const {
    return block == other_block && name == other_name;
  }
  [[nodiscard]] std::uint64_t meaningful() const {
    std::uint64_t bits = 0;
    for (const FieldRule& f : fields) bits |= ((std::uint64_t{1} << f.width) - 1) << f.lsb;
    return bits;
  }
  [[nodiscard]] bool numbers_are_legal(std::uint64_t data) const {
    for (const FieldRule& f : fields) {
      if (!f.takes(data >> f.lsb & ((std::uint64_t{1} << f.width) - 1))) return false;
    }
    return true;
  }
};
struct BlockRule {
  std::string name;
  std::uint32_t base, stride, copies;
};

// The sizes under the names that registers.def uses.
// NOLINTBEGIN(readability-identifier-naming)
constexpr std::uint32_t CLIENTS = kProfile.clients;
constexpr std::uint32_t INJECTION_QUEUES = kProfile.injection_queues;
constexpr std::uint32_t RECEPTION_FIFOS = kProfile.reception_fifos;
constexpr std::uint32_t BYTE_COUNTERS = kProfile.byte_counters;
constexpr std::uint32_t EVENT_COUNTERS = kProfile.event_counters;
constexpr std::uint32_t COMPLETION_QUEUES = kProfile.completion_queues;
constexpr std::uint32_t REGIONS = kProfile.regions;
constexpr std::uint32_t TOUCH_RANGES = kProfile.touch_ranges;
constexpr std::uint32_t TREE_CLASSES = kProfile.tree_classes;
constexpr std::uint32_t UNIT_MEMORY_WORDS = kProfile.unit_memory_words;
constexpr std::uint32_t REFLECTION_QUEUES = kProfile.reflection_queues;
// NOLINTEND(readability-identifier-naming)

std::vector<BlockRule> block_rules() {
  return {
#define BLOCK(name, base, stride, copies, meaning) {#name, base, stride, copies},
#define REGISTER(block, name, offset, bytes, copies, access, meaning)
#define REGISTER_FIELD(block, name, field, lsb, width, meaning)
#include "rtl/package/registers.def"
#undef BLOCK
#undef REGISTER
#undef REGISTER_FIELD
  };
}

std::vector<RegisterRule> register_rules() {
  std::vector<RegisterRule> rules;
#define BLOCK(name, base, stride, copies, meaning)
#define REGISTER(block, name, offset, bytes, copies, access, meaning) \
  rules.push_back({#block, #name, #access, offset, {}});
#define REGISTER_FIELD(block, name, field, lsb, width, meaning) \
  rules.back().fields.push_back({lsb, width});
#define REGISTER_NUMBER(block, name, field, lsb, width, below, meaning) \
  rules.back().fields.push_back({lsb, width, 0, (below)-1});
#define REGISTER_RANGE(block, name, field, lsb, width, least, most, meaning) \
  rules.back().fields.push_back({lsb, width, least, most});
#define REGISTER_RING(block, name, field, lsb, width, least, meaning) \
  rules.back().fields.push_back({lsb, width, least, ~std::uint64_t{0}, true});
#define REGISTER_BITS(block, name, field, lsb, width, of, meaning) \
  rules.back().fields.push_back({lsb, width, 0, (std::uint64_t{1} << (of)) - 1});
#include "rtl/package/registers.def"
#undef BLOCK
#undef REGISTER
#undef REGISTER_FIELD
  return rules;
}

// A register as the decoder has it: its fields side by side.
std::uint64_t packed(const RegisterRule& rule, std::uint64_t value) {
  std::uint64_t bits = 0;
  unsigned at = 0;
  for (const FieldRule& f : rule.fields) {
    bits |= (value >> f.lsb & ((std::uint64_t{1} << f.width) - 1)) << at;
    at += f.width;
  }
  return bits;
}

// What the decoder of block `wanted` does with one register: shows `value` to it; or tells what is
// written.
template <typename Model>
void show(Model& model, const RegisterRule& rule, std::uint64_t value) {
#define BLOCK(name, base, stride, copies, meaning)
#define REGISTER(block, name, offset, bytes, copies, access, meaning)                      \
  if (rule.is(#block, #name)) {                                                            \
    if constexpr (requires { model.name##_i; })                                            \
      model.name##_i =                                                                     \
          static_cast<std::remove_cvref_t<decltype(model.name##_i)>>(packed(rule, value)); \
  }
#define REGISTER_FIELD(block, name, field, lsb, width, meaning)
#include "rtl/package/registers.def"
#undef REGISTER
}
struct Written {
  bool high = false;
  std::uint64_t value = 0;
};
template <typename Model>
Written written(const Model& model, const RegisterRule& rule) {
  Written result;
#define REGISTER(block, name, offset, bytes, copies, access, meaning) \
  if (rule.is(#block, #name)) {                                       \
    if constexpr (requires { model.write_##name##_o; })               \
      result = {model.write_##name##_o != 0, model.name##_o};         \
  }
#include "rtl/package/registers.def"
#undef BLOCK
#undef REGISTER
#undef REGISTER_FIELD
  return result;
}

template <typename Model>
void expect_the_rules_of(const std::string& name) {
  Random random;
  SCOPED_TRACE(name + " " + random.replay());
  BlockRule block;
  for (const BlockRule& rule : block_rules())
    if (rule.name == name) block = rule;
  std::vector<RegisterRule> rules;
  for (const RegisterRule& rule : register_rules())
    if (rule.block == name) rules.push_back(rule);
  Model model;
  for (int i = 0; i < 20000; ++i) {
    const bool near = random.chance(80);
    const std::uint32_t span = block.stride * (block.copies + 1);
    const std::uint32_t address = static_cast<std::uint32_t>(near ? block.base + random.below(span)
                                                                  : random.below(1U << 20)) &
                                  ~7U;
    const RegisterRule* rule = nullptr;
    const bool inside =
        address >= block.base && (address - block.base) / block.stride < block.copies;
    for (const RegisterRule& each : rules)
      if (inside && (address - block.base) % block.stride == each.offset) rule = &each;
    std::uint64_t data = random.bits64();
    if (rule != nullptr && random.chance(80)) data &= rule->meaningful();
    if (random.chance(30)) data &= std::uint64_t{1} << random.below(64);
    // Near the limits of a field.
    if (rule != nullptr && !rule->fields.empty() && random.chance(30)) {
      const FieldRule& field = rule->fields[random.below(rule->fields.size())];
      const std::uint64_t limit = random.chance(50) ? field.least : field.most;
      data = (limit + random.below(3) - 1) << field.lsb & rule->meaningful();
    }
    const bool write = random.chance(50), wide = write && random.chance(80),
               page = random.chance(10);
    drive(model.request_i, RegisterRequest()
                               .set<r::address>(address)
                               .set<r::data>(write ? data : 0)
                               .set<r::write>(write)
                               .set<r::wide>(wide)
                               .set<r::page>(page));
    std::vector<std::uint64_t> values;
    for (const RegisterRule& each : rules) {
      values.push_back(random.bits64() & each.meaningful());
      show(model, each, values.back());
    }
    model.valid_i = random.chance(90);
    model.eval();

    Status status = Status::kOk;
    if (rule == nullptr || page || rule->access == (write ? "RO" : "WO")) {
      status = Status::kRegisterUnknown;
    } else if (write && !wide) {
      status = Status::kRegisterPartial;
    } else if (write && ((data & ~rule->meaningful()) != 0 || !rule->numbers_are_legal(data))) {
      status = Status::kRegisterValue;
    }
    if (!model.valid_i) status = Status::kOk;
    ASSERT_EQ(static_cast<Status>(model.status_o), status) << std::hex << address << " " << data;
    if constexpr (requires { model.index_o; }) {
      if (inside) {
        ASSERT_EQ(model.index_o, (address - block.base) / block.stride);
      }
    }
    std::uint64_t shown = 0;
    for (std::size_t n = 0; n < rules.size(); ++n) {
      const bool named = model.valid_i && status == Status::kOk && rule == &rules[n];
      if (named && !write) shown = values[n];
      const Written w = written(model, rules[n]);
      ASSERT_EQ(w.high, named && write) << rules[n].name;
      if (w.high) {
        ASSERT_EQ(w.value, packed(rules[n], data)) << rules[n].name;
      }
    }
    ASSERT_EQ(model.data_o, shown) << std::hex << address;
  }
}

TEST(RegisterDecoders, TakeWhatRegistersDefAllowsAndNothingElse) {
  expect_the_rules_of<Vmu_injection_queue_decode>("injection_queue");
  expect_the_rules_of<Vmu_reception_fifo_decode>("reception_fifo");
  expect_the_rules_of<Vmu_completion_queue_decode>("completion_queue");
  expect_the_rules_of<Vmu_byte_counter_config_decode>("byte_counter_config");
  expect_the_rules_of<Vmu_event_counter_config_decode>("event_counter_config");
  expect_the_rules_of<Vmu_region_decode>("region");
  expect_the_rules_of<Vmu_touch_range_decode>("touch_range");
  expect_the_rules_of<Vmu_notice_ring_decode>("notice_ring");
  expect_the_rules_of<Vmu_reflection_decode>("reflection");
  expect_the_rules_of<Vmu_boot_decode>("boot");
  expect_the_rules_of<Vmu_core_access_decode>("core_access");
  expect_the_rules_of<Vmu_tree_class_decode>("tree_class");
  expect_the_rules_of<Vmu_node_decode>("node");
}

}  // namespace
}  // namespace torusmu::testing
