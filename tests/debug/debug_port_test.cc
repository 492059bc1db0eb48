// SPDX-License-Identifier: Apache-2.0
// bgp:
// The whole port, alone and in a chain: what a service node sees, beside the traffic of cores.

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vmu_debug_port.h"
#include "sim/machine/profile.h"
#include "tests/debug/axil_registers.h"
#include "tests/debug/jtag_probe.h"
#include "tests/support/axil_driver.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kInstructionBits = 4;
constexpr std::uint64_t kIdcode = std::uint64_t{kProfile.tap_version} << 28 |
                                  kProfile.tap_part << 12 | kProfile.tap_manufacturer << 1 | 1;

// TAPs in a row: TDI enters the first, TDO of each is TDI of the next.
class Chain {
 public:
  Chain(unsigned count, Random& random, AxilPace pace = {}, unsigned node_percent = 100) {
    for (unsigned i = 0; i < count; ++i) {
      nodes_.push_back(std::make_unique<Node>(random, pace, node_percent));
    }
    for (unsigned i = 0; i < 3; ++i) tick();
    probe().reset();
  }
  JtagProbe& probe() { return probe_; }
  AxilDriver<Vmu_debug_port>& cores(unsigned i) { return nodes_[i]->cores; }
  AxilRegisters<Vmu_debug_port>& registers(unsigned i) { return nodes_[i]->registers; }
  unsigned count() const { return static_cast<unsigned>(nodes_.size()); }

  void choose(TapInstruction instruction) {
    Bits bits;
    for (unsigned i = 0; i < count(); ++i) {
      const Bits one = bits_of_value(static_cast<unsigned>(instruction), kInstructionBits);
      bits.insert(bits.end(), one.begin(), one.end());
    }
    for (const bool first : {true, false}) {
      const Bits out = probe_.scan_instruction(bits);
      for (unsigned i = 0; first && i < count(); ++i) {
        EXPECT_EQ(value_of(out, kInstructionBits * i, kInstructionBits), 1U);
      }
    }
  }
  // One access in all nodes at once; what came of the one before. The bits of the last node of the
  // chain go in and come out first.
  std::vector<AccessResult> scan(TapOperation operation, std::uint32_t address,
                                 const std::vector<std::uint64_t>& data) {
    Bits in;
    for (unsigned i = count(); i-- > 0;) {
      const Bits one = bits_of_access(operation, address, data[i]);
      in.insert(in.end(), one.begin(), one.end());
    }
    const Bits out = probe_.scan_data(in);
    std::vector<AccessResult> results(count());
    for (unsigned i = 0; i < count(); ++i) {
      results[i] = result_of(out, std::size_t{TapResult::kBits} * (count() - 1 - i));
    }
    return results;
  }
  std::vector<AccessResult> results() {
    return scan(TapOperation::kNone, 0, std::vector<std::uint64_t>(count()));
  }
  void tick() {
    std::vector<bool> tdo;
    for (auto& node : nodes_) tdo.push_back(node->block->tdo_o);
    for (unsigned i = 0; i < count(); ++i) {
      Node& node = *nodes_[i];
      node.block->tdi_i = i == 0 ? tdi_ : tdo[i - 1];
      node.registers.before_edge();
      node.cores.tick();
    }
  }

 private:
  struct Node {
    Node(Random& random, AxilPace pace, unsigned percent)
        : block(random.seed()), cores(block, random, pace), registers(block, random, percent) {
      block->trst_ni = 1;
    }
    Clocked<Vmu_debug_port> block;
    AxilDriver<Vmu_debug_port> cores;
    AxilRegisters<Vmu_debug_port> registers;
  };

  void set(bool tck, bool tms, bool tdi) {
    tdi_ = tdi;
    for (auto& node : nodes_) {
      node->block->tck_i = tck;
      node->block->tms_i = tms;
    }
  }

  std::vector<std::unique_ptr<Node>> nodes_;
  bool tdi_ = false;
  JtagProbe probe_{[this](bool tck, bool tms, bool tdi) { set(tck, tms, tdi); }, [this] { tick(); },
                   [this] { return nodes_.back()->block->tdo_o != 0; }};
};

TEST(DebugPort, ShowsTheIdcodesOfAChainOfThree) {
  Random random;
  Chain chain(3, random);
  const Bits out = chain.probe().scan_data(Bits(128, true));
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(value_of(out, 32 * std::size_t{i}, 32), kIdcode);
  EXPECT_EQ(value_of(out, 96, 32), 0xffff'ffffU) << "and then what went in";
}

TEST(DebugPort, IsOneBitEachInABypassedChain) {
  Random random;
  Chain chain(3, random);
  chain.choose(TapInstruction::kBypass);
  EXPECT_EQ(value_of(chain.probe().scan_data(bits_of_value(0x1d, 8))), 0x1dU << 3 & 0xff);
}

TEST(DebugPort, ReadsAndWritesRegistersOfThreeNodes) {
  Random random;
  Chain chain(3, random);
  chain.choose(TapInstruction::kRegisterAccess);
  chain.scan(TapOperation::kWrite8, 0x21000, {11, 22, 33});
  for (const AccessResult& result : chain.results()) EXPECT_EQ(result.answer, TapAnswer::kOk);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(chain.registers(i).at(0x21000), 11 * (i + 1));
    chain.registers(i).at(0x21008) = 100 + i;
  }
  chain.scan(TapOperation::kRead, 0x21008, {0, 0, 0});
  const auto results = chain.results();
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(results[i], (AccessResult{TapAnswer::kOk, 0x21008, 100 + i}));
  }
}

TEST(DebugPort, ReachesOneNodePastBypassedOnes) {
  Random random;
  Chain chain(3, random);
  // The middle one alone; the others are a bit each.
  Bits instruction = bits_of_value(0xf2f, 12);
  chain.probe().scan_instruction(instruction);
  Bits in{false};
  const Bits access = bits_of_access(TapOperation::kWrite4, 0x104, 7);
  in.insert(in.end(), access.begin(), access.end());
  in.push_back(false);
  chain.probe().scan_data(in);
  chain.results();
  EXPECT_EQ(chain.registers(1).at(0x104), std::uint64_t{7} << 32);
  EXPECT_TRUE(chain.registers(0).seen().empty());
  EXPECT_TRUE(chain.registers(2).seen().empty());
}

TEST(DebugPort, ReportsARefusedAccess) {
  Random random;
  Chain chain(1, random);
  chain.choose(TapInstruction::kRegisterAccess);
  chain.scan(TapOperation::kRead, 0x80010, {0});
  EXPECT_EQ(chain.results()[0], (AccessResult{TapAnswer::kRefused, 0x80010, 0}));
}

TEST(DebugPort, IsBusyWhileTheNodeDoesNotAnswer) {
  Random random;
  Chain chain(1, random);
  chain.choose(TapInstruction::kRegisterAccess);
  chain.registers(0).hold_back(true);
  chain.registers(0).at(0x18) = 44;
  chain.scan(TapOperation::kRead, 0x18, {0});
  EXPECT_EQ(chain.scan(TapOperation::kWrite8, 0x18, {1})[0].answer, TapAnswer::kBusy);
  chain.registers(0).hold_back(false);
  for (unsigned i = 0; i < 10; ++i) chain.tick();
  EXPECT_EQ(chain.results()[0], (AccessResult{TapAnswer::kOk, 0x18, 44}));
  EXPECT_EQ(chain.registers(0).seen().size(), 1U) << "the write of the busy scan never started";
}

TEST(DebugPort, KeepsAnAccessThroughAResetOfTheTap) {
  Random random;
  Chain chain(1, random);
  chain.choose(TapInstruction::kRegisterAccess);
  chain.registers(0).hold_back(true);
  chain.registers(0).at(0x18) = 44;
  chain.scan(TapOperation::kRead, 0x18, {0});
  chain.probe().reset();
  chain.registers(0).hold_back(false);
  chain.choose(TapInstruction::kRegisterAccess);
  EXPECT_EQ(chain.results()[0], (AccessResult{TapAnswer::kOk, 0x18, 44}));
}

// What the BSDL file of this profile says, without the words and quotes around it.
std::string bsdl_says(const std::string& attribute) {
  const std::string profile = &kProfile == &kBgp ? "bgp" : "sim";
  std::ifstream file("rtl/debug/mu_debug_port_" + profile + ".bsd");
  std::string text, line;
  while (std::getline(file, line)) text += line.substr(0, line.find("--"));
  const std::regex said("attribute " + attribute + " of \\w+ : entity is *([^;]*);");
  std::smatch match;
  if (!std::regex_search(text, match, said)) throw std::runtime_error("no " + attribute);
  return std::regex_replace(match.str(1), std::regex("[\" &]"), "");
}

TEST(DebugPort, IsWhatItsBsdlSays) {
  Random random;
  Chain chain(1, random);
  JtagProbe& probe = chain.probe();
  const auto value = [](const std::string& digits) { return std::stoull(digits, nullptr, 2); };
  const Bits zeros(128);
  EXPECT_EQ(value_of(probe.scan_data(zeros), 0, 32), value(bsdl_says("IDCODE_REGISTER")));
  const auto length = static_cast<unsigned>(std::stoul(bsdl_says("INSTRUCTION_LENGTH")));
  // A one that goes in comes out after as many bits as the register has.
  const Bits out = probe.scan_instruction(bits_of_value(1, 16));
  EXPECT_EQ(value_of(out), 1U << length | value(bsdl_says("INSTRUCTION_CAPTURE")));
  const std::string opcodes = bsdl_says("INSTRUCTION_OPCODE");
  const std::regex opcode("(\\w+)\\((\\d+)\\)");
  std::map<std::string, std::size_t> lengths;
  for (std::sregex_iterator match(opcodes.begin(), opcodes.end(), opcode), end; match != end;
       ++match) {
    probe.scan_instruction(bits_of_value(value(match->str(2)), length));
    const Bits ones = probe.scan_data(Bits(128, true));
    probe.scan_data(zeros);
    const Bits none = probe.scan_data(zeros);
    // Behind what is captured comes what went in.
    std::size_t bits = 128;
    while (bits > 0 && ones[bits - 1] && !none[bits - 1]) --bits;
    lengths[match->str(1)] = bits;
  }
  EXPECT_EQ(lengths.at("BYPASS"), 1U);
  EXPECT_EQ(lengths.at("IDCODE"), 32U);
  EXPECT_EQ("TAP_ACCESS[" + std::to_string(lengths.at("REGISTER_ACCESS")) + "](REGISTER_ACCESS)",
            bsdl_says("REGISTER_ACCESS"));
}

TEST(DebugPort, WorksBesideTheTrafficOfCoresAtRandom) {
  Random random;
  SCOPED_TRACE(random.replay());
  Chain chain(3, random, {.address = 60, .data = 60, .response = 60}, 50);
  chain.choose(TapInstruction::kRegisterAccess);
  std::vector<std::uint64_t> words(3);
  for (unsigned round = 0; round < 12; ++round) {
    for (unsigned i = 0; i < 3; ++i) {
      chain.registers(i).at(0x400) = 0xc0de + i;
      for (unsigned k = 0; k < 40; ++k) {
        chain.cores(i).post_write(0x800 + 8 * k, 1000 * round + k);
        chain.cores(i).post_read(0x400);
      }
    }
    for (auto& word : words) word = random.bits64();
    chain.probe().set_pace(3 + static_cast<unsigned>(random.below(3)), 3);
    chain.scan(TapOperation::kWrite8, 0x8, words);
    const auto wrote = chain.scan(TapOperation::kRead, 0x8, words);
    const auto read = chain.results();
    for (unsigned i = 0; i < 3; ++i) {
      ASSERT_EQ(wrote[i], (AccessResult{TapAnswer::kOk, 0x8, words[i]})) << "node " << i;
      ASSERT_EQ(read[i], (AccessResult{TapAnswer::kOk, 0x8, words[i]})) << "node " << i;
    }
    for (unsigned i = 0; i < 3; ++i) {
      for (unsigned wait = 0; chain.cores(i).busy(); ++wait) {
        ASSERT_LT(wait, 5000U);
        chain.tick();
      }
      for (unsigned k = 0; k < 40; ++k) {
        ASSERT_EQ(chain.registers(i).at(0x800 + 8 * k), 1000 * round + k);
      }
    }
  }
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(chain.cores(i).read_answers().size(), 480U);
    for (const AxilAnswer& read : chain.cores(i).read_answers()) ASSERT_EQ(read.data, 0xc0de + i);
  }
}

}  // namespace
}  // namespace torusmu::testing
