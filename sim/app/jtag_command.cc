// SPDX-License-Identifier: Apache-2.0
#include "sim/app/jtag_command.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "sim/app/jtag_chain.h"
#include "sim/app/options.h"
#include "sim/machine/errors.h"
#include "sim/observe/note.h"

namespace torusmu {
namespace {

// A file descriptor that is closed with it.
class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

sockaddr_in local_address(unsigned port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Listens on this machine alone. Throws UsageError.
void listen_on(const Socket& socket, unsigned port) {
  const int yes = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const sockaddr_in address = local_address(port);
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(socket.get(), 1) != 0) {
    throw UsageError(fmt::format("--port {}: {}", port, std::strerror(errno)));
  }
}

unsigned port_of(const Socket& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

// The command that --run names. While it runs it holds the other end of a pipe.
class Command {
 public:
  Command(const std::string& text, unsigned port, unsigned nodes) : held_(-1) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw UsageError(std::strerror(errno));
    held_ = ends[0];
    const std::string with_port = fmt::format(
        "TORUSMU_JTAG_PORT={}; TORUSMU_JTAG_NODES={}; export TORUSMU_JTAG_PORT "
        "TORUSMU_JTAG_NODES\n{}",
        port, nodes, text);
    child_ = fork();
    if (child_ < 0) throw UsageError(std::strerror(errno));
    if (child_ == 0) {
      fcntl(ends[1], F_SETFD, 0);
      execl("/bin/sh", "sh", "-c", with_port.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    close(ends[1]);
  }
  ~Command() { close(held_); }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  // Readable once it has ended.
  [[nodiscard]] int ended() const { return held_; }
  // Waits for it; 1 if it failed.
  [[nodiscard]] int status() const {
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
  }

 private:
  int held_;
  pid_t child_ = -1;
};

// False if `ended` becomes readable before anybody comes; -1: there is none.
bool wait_for_client(const Socket& listener, int ended) {
  std::array<pollfd, 2> waits{pollfd{listener.get(), POLLIN, 0}, pollfd{ended, POLLIN, 0}};
  while (poll(waits.data(), waits.size(), -1) < 0) {
    if (errno != EINTR) throw UsageError(fmt::format("poll: {}", std::strerror(errno)));
  }
  return waits[0].revents != 0;
}

enum class Ended { kQuit, kGone, kRefused };

// One client: characters of remote_bitbang in, levels of TDO out.
class Client {
 public:
  Client(int descriptor, JtagChain& chain) : socket_(descriptor), chain_(chain) {}

  Ended serve() {
    std::array<char, 4096> buffer{};
    while (true) {
      const ssize_t got = recv(socket_.get(), buffer.data(), buffer.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return Ended::kGone;
      std::string answers;
      const std::optional<Ended> ended =
          obey_all({buffer.data(), static_cast<std::size_t>(got)}, answers);
      if (!send_all(answers)) return Ended::kGone;
      if (ended) return *ended;
    }
  }

 private:
  // How the client ends with one of these bytes, if it does.
  std::optional<Ended> obey_all(std::string_view bytes, std::string& answers) {
    for (const char c : bytes) {
      if (c == 'Q') return Ended::kQuit;
      if (!obey(c, answers)) {
        note(fmt::format("jtag: the client sent byte 0x{:02x}, which is no command\n",
                         static_cast<unsigned char>(c)));
        return Ended::kRefused;
      }
    }
    return std::nullopt;
  }
  // False for what is no command.
  bool obey(char c, std::string& answers) {
    if (c >= '0' && c <= '7') {
      const int pins = c - '0';
      chain_.set((pins & 4) != 0, (pins & 2) != 0, (pins & 1) != 0);
    } else if (c >= 'r' && c <= 'u') {
      // TRST and SRST; no node of this chain has a system reset.
      chain_.set_trst(c >= 't');
    } else if (c == 'R') {
      answers += chain_.tdo() ? '1' : '0';
    } else {
      return c == 'B' || c == 'b';  // the light of an adapter
    }
    return true;
  }
  bool send_all(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  Socket socket_;
  JtagChain& chain_;
};

}  // namespace

CLI::App* add_jtag(CLI::App& app, JtagOptions& options) {
  constexpr unsigned kMostPort = 65535;
  constexpr unsigned kLeastHalf = 3, kMostHalf = 1000;
  CLI::App* jtag = app.add_subcommand(
      "jtag", "serves the JTAG chain of a machine to OpenOCD, as a remote_bitbang adapter");
  jtag->add_option("--mesh", options.mesh, "machine size XxYxZ, each 1 to 16")
      ->capture_default_str();
  jtag->add_option("--port", options.port, "TCP port on 127.0.0.1; 0: any that is free")
      ->transform(whole_number(0, kMostPort))
      ->capture_default_str();
  jtag->add_option("--half-period", options.half_cycles,
                   "cycles of the machine for which TCK is high, and low")
      ->transform(whole_number(kLeastHalf, kMostHalf))
      ->capture_default_str();
  jtag->add_option("--run", options.run,
                   "starts this command, with TORUSMU_JTAG_PORT and TORUSMU_JTAG_NODES in its "
                   "environment, and ends with it");
  return jtag;
}

int run_jtag(const JtagOptions& options) {
  Options machine;
  machine.quiet = true;
  JtagChain chain(machine_config(machine, options.mesh), options.half_cycles);
  const Socket listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  listen_on(listener, options.port);
  const unsigned nodes = chain.machine().shape().nodes();
  fmt::print("{} TAPs, remote_bitbang on 127.0.0.1:{}\n", nodes, port_of(listener));
  std::fflush(stdout);
  std::optional<Command> command;
  if (!options.run.empty()) command.emplace(options.run, port_of(listener), nodes);
  bool quits = false;
  while (!quits && wait_for_client(listener, command ? command->ended() : -1)) {
    const int descriptor = accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (descriptor < 0) throw UsageError(fmt::format("accept: {}", std::strerror(errno)));
    const int no_delay = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay);
    const Ended ended = Client(descriptor, chain).serve();
    quits = ended == Ended::kQuit;
    if (ended == Ended::kGone) note("jtag: the client has gone without a word\n");
  }
  fmt::print("{} clocks of TCK in {} cycles\n", chain.clocks(), chain.machine().now());
  return command ? command->status() : 0;
}

}  // namespace torusmu
