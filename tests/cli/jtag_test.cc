// SPDX-License-Identifier: Apache-2.0
// `torusmu jtag`: a chain of TAPs as OpenOCD sees it, and what bad clients do to it.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "sim/machine/profile.h"
#include "tests/support/shell.h"
#include "torusmu/registers.h"

namespace torusmu {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Output;
using testing::shell;

Output jtag(const std::string& arguments) {
  return shell("timeout 60 " TORUSMU_BUILD "/torusmu jtag " + arguments + " < /dev/null");
}
// OpenOCD on a machine of 2x2x2 nodes; `commands` are those of its configuration file and of Tcl.
Output openocd(const std::string& commands) {
  return jtag("--mesh 2x2x2 --run \"openocd -f sim/openocd/torusmu.cfg -c '" + commands +
              "; shutdown'\"");
}
// A client that sends bytes, as printf writes them, and shows what comes back.
Output client(const std::string& bytes) {
  return jtag(
      "--mesh 2x1x1 --run \"bash -c 'exec 3<>/dev/tcp/127.0.0.1/\\$TORUSMU_JTAG_PORT; printf \\\"" +
      bytes + "\\\" >&3; echo [\\$(timeout 10 cat <&3)]'\"");
}

TEST(Jtag, OpenocdFindsTheIdcodesOfAChain) {
  const Output output = openocd("scan_chain");
  ASSERT_EQ(output.status, 0) << output.text;
  const std::uint32_t idcode =
      kProfile.tap_version << 28 | kProfile.tap_part << 12 | kProfile.tap_manufacturer << 1 | 1U;
  for (unsigned node = 0; node < 8; ++node) {
    EXPECT_THAT(output.text, HasSubstr(fmt::format(
                                 "JTAG tap: node{}.tap tap/device found: 0x{:08x}", node, idcode)));
  }
  EXPECT_THAT(output.text, Not(HasSubstr("Error"))) << "of a chain that is not as it was declared";
}

std::string hex(std::uint32_t address) { return fmt::format("0x{:x}", address); }
// A line of Tcl that shows what was read behind a word.
std::string show(const std::string& word, unsigned node, std::uint32_t address) {
  return fmt::format("echo \\\"{} [torusmu_read {} {}]\\\"; ", word, node, hex(address));
}

TEST(Jtag, OpenocdReadsTheSignatureOfEachNodeOfAChain) {
  std::string commands;
  for (unsigned node = 0; node < 8; ++node) {
    commands += show(fmt::format("identity {}", node), node, registers::node::identity());
    commands += show(fmt::format("straps {}", node), node, registers::node::straps());
  }
  const Output output = openocd(commands);
  ASSERT_EQ(output.status, 0) << output.text;
  for (unsigned node = 0; node < 8; ++node) {
    EXPECT_THAT(output.text,
                ::testing::ContainsRegex(fmt::format("identity {} 0x[0-9a-f]{{8}}554d5354", node)));
    const unsigned at = (node & 1U) | (node >> 1 & 1U) << 4 | (node >> 2 & 1U) << 8;
    EXPECT_THAT(output.text, HasSubstr(fmt::format("straps {} 0x{:016x}", node, 0x7111000U | at)));
  }
}

TEST(Jtag, OpenocdReadsAndWritesRegistersOfAChain) {
  const std::uint32_t timeout = registers::node::credit_timeout_cycles();
  const Output output = openocd(fmt::format("torusmu_write 5 {} 0x12345678; ", hex(timeout)) +
                                show("wrote", 5, timeout) + show("beside", 4, timeout));
  ASSERT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("wrote 0x0000000012345678"));
  EXPECT_THAT(output.text, HasSubstr("beside 0x0000000000010000"));
}

TEST(Jtag, OpenocdWritesRegistersOfFourBytes) {
  // Two event counters that lie in one word of the bus, for client 0.
  constexpr unsigned kNode = 2, kCounter = 4;
  std::string commands;
  for (const unsigned counter : {kCounter, kCounter + 1}) {
    commands += fmt::format("torusmu_write {} {} 0x10; ", kNode,
                            hex(registers::event_counter_config::config(counter)));
    commands += fmt::format("torusmu_write4 {} {} {}; ", kNode,
                            hex(registers::client_page::event_counter(0, counter)), counter + 90);
  }
  for (const unsigned counter : {kCounter, kCounter + 1}) {
    commands += show(fmt::format("counter {}", counter), kNode,
                     registers::client_page::event_counter(0, counter));
  }
  const Output output = openocd(commands);
  ASSERT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("counter 4 0x0000005e0000005e"));
  EXPECT_THAT(output.text, HasSubstr("counter 5 0x0000005f0000005f"));
}

TEST(Jtag, OpenocdIsToldOfARefusedAccess) {
  const Output output = openocd("torusmu_read 3 0x2fff0");
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("node 3 refuses the access to 0x2fff0"));
}

TEST(Jtag, SpeaksTheProtocolByteByByte) {
  // From TEST_LOGIC_RESET to SHIFT_DR; then TRST, which leads back there, and the same once more.
  // The first bits of an IDCODE are 1 and the lowest of the manufacturer.
  const std::string to_shift =
      "04"
      "26"
      "04"
      "04";
  const Output output = client("Bb" + to_shift + "srtur" + to_shift + "0R40RQ");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr(fmt::format("[1{}]", kProfile.tap_manufacturer & 1U)));
}

TEST(Jtag, ServesUntilAClientSaysSo) {
  const Output output = shell(R"(timeout 30 bash -c '
    out=$(mktemp)
    )" TORUSMU_BUILD R"(/torusmu jtag --mesh 1x1x1 > $out < /dev/null &
    until grep -q bitbang $out; do sleep 0.05; done
    port=$(sed "s/.*://" $out)
    exec 3<>/dev/tcp/127.0.0.1/$port; exec 3>&-
    exec 3<>/dev/tcp/127.0.0.1/$port; printf 0404Q >&3
    wait $!; echo status $?; cat $out; rm $out')");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("the client has gone"));
  EXPECT_THAT(output.text, HasSubstr("status 0"));
  EXPECT_THAT(output.text, HasSubstr("2 clocks of TCK"));
}

TEST(Jtag, OutlivesAClientThatGoes) {
  const Output output = jtag(
      "--mesh 1x1x1 --run \"bash -c 'echo 0404 > /dev/tcp/127.0.0.1/\\$TORUSMU_JTAG_PORT; sleep "
      "0.2; "
      "echo -n Q > /dev/tcp/127.0.0.1/\\$TORUSMU_JTAG_PORT'\"");
  EXPECT_EQ(output.status, 0) << output.text;
  EXPECT_THAT(output.text, HasSubstr("clocks of TCK"));
}

TEST(Jtag, SaysWhichByteIsNoCommand) {
  const Output output = client("04x");
  EXPECT_THAT(output.text, HasSubstr("byte 0x78, which is no command"));
}

TEST(Jtag, ListensOnThisMachineAlone) {
  // Another address of this machine, where a listener to all of them would be.
  const Output output =
      jtag("--mesh 1x1x1 --run \"bash -c 'echo > /dev/tcp/127.0.0.2/\\$TORUSMU_JTAG_PORT'\"");
  EXPECT_EQ(output.status, 1);
  EXPECT_THAT(output.text, HasSubstr("Connection refused"));
}

TEST(Jtag, EndsWithACommandThatNeverComes) {
  EXPECT_EQ(jtag("--mesh 1x1x1 --run true").status, 0);
  EXPECT_EQ(jtag("--mesh 1x1x1 --run false").status, 1);
}

TEST(Jtag, RefusesAPortThatIsInUse) {
  const int taken = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(taken, reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(taken, 1), 0);
  ASSERT_EQ(getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const Output output = jtag("--mesh 1x1x1 --port " + port);
  close(taken);
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.text, HasSubstr("--port " + port + ": Address already in use"));
}

TEST(Jtag, RefusesBadOptions) {
  EXPECT_EQ(jtag("--port 65536").status, 2);
  EXPECT_EQ(jtag("--half-period 2").status, 2);
  EXPECT_EQ(jtag("--mesh 17x1x1").status, 2);
}

TEST(Jtag, HasHelp) {
  const Output output = jtag("--help");
  EXPECT_EQ(output.status, 0);
  for (const char* option : {"--mesh", "--port", "--half-period", "--run"}) {
    EXPECT_THAT(output.text, HasSubstr(option));
  }
}

}  // namespace
}  // namespace torusmu
