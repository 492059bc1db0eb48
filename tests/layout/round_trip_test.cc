// SPDX-License-Identifier: Apache-2.0
// C++ and the RTL agree on every field of every layout: random records are taken apart, and random
// values put in, by both.
// model: Vlayout_probe tb/layout_probe.sv

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "Vlayout_probe.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

template <typename Value>
Bytes bytes_of(const Value& value, std::size_t count) {
  if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) {
    Bytes bytes;
    for (std::size_t i = 0; i < count; ++i) {
      bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (i * 8)));
    }
    return bytes;
  } else if constexpr (requires { value.bytes(); }) {
    const auto array = value.bytes();
    return {array.begin(), array.end()};
  } else {
    return {value.begin(), value.end()};
  }
}

template <typename Layout>
Bytes record_bytes(const Record<Layout>& record) {
  return bytes_of(record, Record<Layout>::kBytes);
}

class LayoutRoundTrip : public ::testing::Test {
 protected:
  template <auto F>
  void compare(const char* name, unsigned layout, unsigned field) {
    using Layout = typename decltype(F)::OwnerType;
    using Value = typename decltype(F)::ValueType;
    constexpr std::size_t kBytes = (F.width + 7) / 8;
    for (int round = 0; round < 20; ++round) {
      auto record = Record<Layout>::from_bytes(random_bytes(random_, Record<Layout>::kBytes));
      // A value that the field can hold: what the field of another random record holds.
      Value value = Record<Layout>::from_bytes(random_bytes(random_, Record<Layout>::kBytes))
                        .template get<F>();
      if constexpr (std::is_enum_v<Value>) {
        if (name_of(value) == "unknown") value = static_cast<Value>(0);
      }
      probe_.layout_i = static_cast<std::uint8_t>(layout);
      probe_.field_i = static_cast<std::uint8_t>(field);
      drive(probe_.record_i, record_bytes(record));
      drive(probe_.value_i, bytes_of(value, kBytes));
      probe_.eval();
      ASSERT_EQ(sample(probe_.split_o, kBytes), bytes_of(record.template get<F>(), kBytes)) << name;
      record.template set<F>(value);
      ASSERT_EQ(sample(probe_.joined_o, Record<Layout>::kBytes), record_bytes(record)) << name;
      ASSERT_TRUE(record.template get<F>() == value) << name;
    }
    ++compared_;
  }

  Random random_;
  Vlayout_probe probe_;
  unsigned compared_ = 0;
};

TEST_F(LayoutRoundTrip, EveryFieldIsTheSameInCppAndInRtl) {
  SCOPED_TRACE(random_.replay());
  // Numbers as in the probe: layouts and fields counted in the order of the .def files.
  int layout_number = -1;
  unsigned field_number = 0;
  unsigned fields = 0;
#define ENUM(name, width, meaning)
#define VALUE(type, name, value, meaning)
#define LAYOUT(name, width, meaning) ++layout_number, field_number = 0;
#define FIELD(owner, name, lsb, width, meaning)                                        \
  compare<layout::owner::name>(#owner "." #name, static_cast<unsigned>(layout_number), \
                               field_number++);                                        \
  ++fields;
#define ENUM_FIELD(owner, name, lsb, width, type, meaning) FIELD(owner, name, lsb, width, meaning)
#define STRUCT_FIELD(owner, name, lsb, width, type, meaning) FIELD(owner, name, lsb, width, meaning)
#define RESERVED(owner, lsb, width) ++field_number;
#include "rtl/package/packet.def"
// the order of print_probe
#include "rtl/package/descriptor.def"
#include "rtl/package/internal.def"
#undef LAYOUT
#undef FIELD
#undef ENUM_FIELD
#undef STRUCT_FIELD
#undef RESERVED
  EXPECT_EQ(compared_, fields);
  EXPECT_GT(compared_, 80U);
}

}  // namespace
}  // namespace torusmu::testing
