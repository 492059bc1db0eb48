// SPDX-License-Identifier: Apache-2.0
// bgp:
// The controller against a model of the standard's state diagram, and rule by rule.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "Vmu_tap.h"
#include "sim/machine/profile.h"
#include "tests/debug/jtag_probe.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kStates = 16;
const Bits kAccess = bits_of_value(static_cast<unsigned>(TapInstruction::kRegisterAccess), 4);
const Bits kBypass = bits_of_value(static_cast<unsigned>(TapInstruction::kBypass), 4);
const Bits kIdcode = bits_of_value(static_cast<unsigned>(TapInstruction::kIdcode), 4);

// Figure 6-1 of the standard: where TMS = 0 and TMS = 1 lead.
std::pair<TapState, TapState> next_of(TapState state) {
  using enum TapState;
  switch (state) {
    case kTestLogicReset:
      return {kRunTestIdle, kTestLogicReset};
    case kRunTestIdle:
      return {kRunTestIdle, kSelectDrScan};
    case kSelectDrScan:
      return {kCaptureDr, kSelectIrScan};
    case kCaptureDr:
      return {kShiftDr, kExit1Dr};
    case kShiftDr:
      return {kShiftDr, kExit1Dr};
    case kExit1Dr:
      return {kPauseDr, kUpdateDr};
    case kPauseDr:
      return {kPauseDr, kExit2Dr};
    case kExit2Dr:
      return {kShiftDr, kUpdateDr};
    case kUpdateDr:
      return {kRunTestIdle, kSelectDrScan};
    case kSelectIrScan:
      return {kCaptureIr, kTestLogicReset};
    case kCaptureIr:
      return {kShiftIr, kExit1Ir};
    case kShiftIr:
      return {kShiftIr, kExit1Ir};
    case kExit1Ir:
      return {kPauseIr, kUpdateIr};
    case kPauseIr:
      return {kPauseIr, kExit2Ir};
    case kExit2Ir:
      return {kShiftIr, kUpdateIr};
    case kUpdateIr:
      return {kRunTestIdle, kSelectDrScan};
  }
  return {};
}
TapState after(TapState state, bool tms) {
  return tms ? next_of(state).second : next_of(state).first;
}

// The TAP with a register of three bits outside, which captures 101.
class Tap {
 public:
  explicit Tap(std::uint64_t seed = 1) : model_(seed) {
    model_->trst_ni = 1;
    model_.reset(4);
  }
  Clocked<Vmu_tap>& model() { return model_; }
  void pins(bool tck, bool tms, bool tdi) {
    model_->tck_i = tck;
    model_->tms_i = tms;
    model_->tdi_i = tdi;
  }
  void tick() {
    model_->access_bit_i = outside_.front();
    model_.settle();
    if (model_->access_capture_o) {
      outside_ = {true, false, true};
      ++captures;
    }
    if (model_->access_shift_o) {
      outside_.pop_front();
      outside_.push_back(model_->access_bit_o);
      ++shifts;
    }
    if (model_->access_update_o) updated.push_back({outside_.begin(), outside_.end()});
    model_.tick();
  }
  bool tdo() { return model_->tdo_o; }
  JtagProbe probe() {
    return {[this](bool tck, bool tms, bool tdi) { pins(tck, tms, tdi); }, [this] { tick(); },
            [this] { return tdo(); }};
  }

  unsigned captures = 0;
  unsigned shifts = 0;
  std::vector<Bits> updated;

 private:
  Clocked<Vmu_tap> model_;
  std::deque<bool> outside_{false, false, false};
};

// What the pins show, by the standard, and how often the register outside was used.
class Standard {
 public:
  // TDO, and whether it is driven, before the rising edge at which TMS and TDI are these.
  std::pair<bool, bool> clock(bool tms, bool tdi) {
    fall();
    const bool drives = state == TapState::kShiftIr || state == TapState::kShiftDr;
    const bool tdo = state == TapState::kShiftIr   ? instruction_shift_.front()
                     : state == TapState::kShiftDr ? data_.front()
                                                   : false;
    if (state == TapState::kCaptureIr) instruction_shift_ = {true, false, false, false};
    if (state == TapState::kShiftIr) move(instruction_shift_, tdi);
    if (state == TapState::kCaptureDr) capture();
    if (state == TapState::kShiftDr) {
      move(data_, tdi);
      if (outside()) ++shifts;
    }
    ++taken[{state, tms}];
    state = after(state, tms);
    if (state == TapState::kTestLogicReset) instruction_ = 1;
    return {tdo, drives};
  }

  TapState state = TapState::kTestLogicReset;
  std::map<std::pair<TapState, bool>, unsigned> taken;
  unsigned captures = 0;
  unsigned shifts = 0;
  std::vector<Bits> updated;

 private:
  bool outside() const { return instruction_ == 2; }
  static void move(std::deque<bool>& bits, bool in) {
    bits.pop_front();
    bits.push_back(in);
  }
  void capture() {
    if (outside()) {
      data_ = {true, false, true};
      ++captures;
    } else if (instruction_ == 1) {
      const auto idcode = bits_of_value(kProfile.tap_version << 28 | kProfile.tap_part << 12 |
                                            kProfile.tap_manufacturer << 1 | 1U,
                                        32);
      data_ = {idcode.begin(), idcode.end()};
    } else {
      data_ = {false};
    }
  }
  void fall() {
    if (state == TapState::kUpdateIr) {
      instruction_ = value_of({instruction_shift_.begin(), instruction_shift_.end()});
    }
    if (state == TapState::kUpdateDr && outside()) updated.push_back({data_.begin(), data_.end()});
  }

  std::uint64_t instruction_ = 1;
  std::deque<bool> instruction_shift_{true, false, false, false};
  std::deque<bool> data_{false};
};

void compare(Tap& tap, JtagProbe& probe, Standard& standard, bool tms, bool tdi) {
  const TapState before = standard.state;
  const auto [tdo, drives] = standard.clock(tms, tdi);
  ASSERT_EQ(probe.clock(tms, tdi), tdo) << name_of(before);
  ASSERT_EQ(tap.model()->tdo_enable_o, drives) << name_of(before);
  ASSERT_EQ(tap.captures, standard.captures) << name_of(before);
  ASSERT_EQ(tap.shifts, standard.shifts) << name_of(before);
  ASSERT_EQ(tap.updated, standard.updated) << name_of(before);
}

// TMS from TEST_LOGIC_RESET to each state by the shortest way.
std::map<TapState, Bits> ways() {
  std::map<TapState, Bits> found{{TapState::kTestLogicReset, {}}};
  std::deque<TapState> open{TapState::kTestLogicReset};
  while (!open.empty()) {
    const TapState state = open.front();
    open.pop_front();
    for (const bool tms : {false, true}) {
      Bits way = found[state];
      way.push_back(tms);
      if (found.emplace(after(state, tms), way).second) open.push_back(after(state, tms));
    }
  }
  return found;
}

TEST(Tap, TakesEachTransitionOfTheDiagram) {
  Tap tap;
  JtagProbe probe = tap.probe();
  ASSERT_EQ(ways().size(), kStates);
  for (const auto& [state, way] : ways()) {
    for (const bool tms : {false, true}) {
      // Where it led to is seen by all that can come within five edges.
      for (unsigned next = 0; next < 32; ++next) {
        probe.walk(Bits(5, true));
        Standard standard;
        standard.captures = tap.captures;
        standard.shifts = tap.shifts;
        standard.updated = tap.updated;
        for (const bool step : way) compare(tap, probe, standard, step, true);
        ASSERT_EQ(standard.state, state);
        compare(tap, probe, standard, tms, false);
        for (const bool step : bits_of_value(next, 5)) compare(tap, probe, standard, step, true);
        ASSERT_FALSE(HasFatalFailure()) << name_of(state) << " TMS " << tms << " then " << next;
      }
    }
  }
}

TEST(Tap, DoesAsTheStandardOnRandomWalks) {
  Random random;
  SCOPED_TRACE(random.replay());
  Tap tap(random.seed());
  JtagProbe probe = tap.probe();
  Standard standard;
  for (unsigned step = 0; step < 30'000; ++step) {
    probe.set_pace(3 + static_cast<unsigned>(random.below(3)),
                   3 + static_cast<unsigned>(random.below(3)));
    // Long ways with few ones find the scans, which instructions come through.
    const bool tms = random.chance(step / 500 % 2 == 0 ? 50 : 30);
    ASSERT_NO_FATAL_FAILURE(compare(tap, probe, standard, tms, random.chance(40)));
  }
  EXPECT_EQ(standard.taken.size(), 2 * kStates);
  EXPECT_GT(standard.updated.size(), 20U);
}

TEST(Tap, IsResetByFiveOnesFromAnyState) {
  for (const auto& [state, way] : ways()) {
    Tap tap;
    JtagProbe probe = tap.probe();
    probe.reset();
    probe.scan_instruction(kBypass);
    probe.walk({true, true, true});
    probe.walk(way);
    probe.walk(Bits(5, true));
    probe.clock(false, false);
    EXPECT_EQ(value_of(probe.scan_data(Bits(32))) >> 12 & 0xffff, kProfile.tap_part)
        << name_of(state);
  }
}

TEST(Tap, IsResetByTrstWithoutTck) {
  Tap tap;
  JtagProbe probe = tap.probe();
  probe.reset();
  probe.scan_instruction(kBypass);
  probe.walk({true, false, false});  // in SHIFT_DR
  tap.model()->trst_ni = 0;
  for (unsigned i = 0; i < 3; ++i) tap.tick();
  EXPECT_EQ(tap.model()->tdo_enable_o, 0);
  tap.model()->trst_ni = 1;
  probe.clock(false, false);
  EXPECT_EQ(value_of(probe.scan_data(Bits(32))) >> 12 & 0xffff, kProfile.tap_part);
}

TEST(Tap, ShowsItsIdcodeFirst) {
  Tap tap;
  JtagProbe probe = tap.probe();
  probe.reset();
  const std::uint64_t idcode = value_of(probe.scan_data(Bits(32)));
  namespace code = layout::tap_idcode;
  const auto field = [&](const auto& f) { return idcode >> f.lsb & ((1U << f.width) - 1U); };
  EXPECT_EQ(field(code::marker), 1U);
  EXPECT_EQ(field(code::manufacturer), kProfile.tap_manufacturer);
  EXPECT_EQ(field(code::part), kProfile.tap_part);
  EXPECT_EQ(field(code::version), kProfile.tap_version);
  EXPECT_NE(kProfile.tap_manufacturer & 0x7f, 0x7f) << "the code that no manufacturer can have";
}

TEST(Tap, HasABypassOfOneBit) {
  Tap tap;
  JtagProbe probe = tap.probe();
  probe.reset();
  probe.scan_instruction(kBypass);
  const Bits in = bits_of_value(0xb6d, 12);
  Bits delayed{false};
  delayed.insert(delayed.end(), in.begin(), in.end() - 1);
  EXPECT_EQ(probe.scan_data(in), delayed);
}

TEST(Tap, TakesUnknownInstructionsForBypass) {
  for (unsigned code = 0; code < 16; ++code) {
    Tap tap;
    JtagProbe probe = tap.probe();
    probe.reset();
    EXPECT_EQ(value_of(probe.scan_instruction(bits_of_value(code, 4))), 1U) << "captures 0001";
    const std::uint64_t out = value_of(probe.scan_data(Bits(32, true)));
    const bool known = code == value_of(kIdcode) || code == value_of(kAccess);
    EXPECT_EQ(out == 0xffff'fffe, !known) << code;
    EXPECT_EQ(tap.captures, code == value_of(kAccess) ? 1U : 0U) << code;
  }
}

TEST(Tap, MovesNothingInAPause) {
  Tap tap;
  JtagProbe probe = tap.probe();
  probe.reset();
  probe.scan_instruction(kAccess);
  probe.walk({true, false, false});
  EXPECT_TRUE(probe.clock(false, true));
  EXPECT_FALSE(probe.clock(true, true));
  probe.walk({false, false, false, true, false});
  EXPECT_EQ(tap.shifts, 2U);
  EXPECT_TRUE(probe.clock(true, false));
  probe.walk({true, false, false});
  ASSERT_EQ(tap.updated.size(), 1U);
  EXPECT_EQ(tap.updated[0], (Bits{true, true, false}));
}

TEST(Tap, UpdatesWithTheFallingEdge) {
  Tap tap;
  JtagProbe probe = tap.probe();
  probe.reset();
  probe.scan_instruction(kAccess);
  probe.walk({true, false, true, true});  // in UPDATE_DR, with TCK high
  EXPECT_TRUE(tap.updated.empty());
  tap.pins(false, false, false);
  for (unsigned i = 0; i < 3; ++i) tap.tick();
  EXPECT_EQ(tap.updated.size(), 1U);
}

TEST(Tap, SeesATckThatIsTooFast) {
  Tap tap;
  JtagProbe probe = tap.probe();
  probe.reset();
  probe.set_pace(2, 3);
  EXPECT_THROW(probe.walk(Bits(4, false)), std::runtime_error);
  Tap other;
  JtagProbe short_high = other.probe();
  short_high.reset();
  short_high.set_pace(3, 2);
  EXPECT_THROW(short_high.walk(Bits(4, false)), std::runtime_error);
}

}  // namespace
}  // namespace torusmu::testing
