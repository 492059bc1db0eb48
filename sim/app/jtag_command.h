// SPDX-License-Identifier: Apache-2.0
// torusmu jtag: a machine whose chain of TAPs a debugger reaches through OpenOCD's remote_bitbang.
#ifndef TORUSMU_SIM_APP_JTAG_COMMAND_H_
#define TORUSMU_SIM_APP_JTAG_COMMAND_H_

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace torusmu {

struct JtagOptions {
  std::string mesh = "2x2x2";
  unsigned port = 0;         // of TCP; 0: one that is free
  unsigned half_cycles = 4;  // for which each level of TCK stands
  std::string run;           // a command for the shell that is the client, if not empty
};

// Adds the subcommand.
CLI::App* add_jtag(CLI::App& app, JtagOptions& options);

// Serves until a client says Q, or the command has ended, whose status it returns. Throws
// UsageError for a port that cannot be had.
int run_jtag(const JtagOptions& options);

}  // namespace torusmu

#endif  // TORUSMU_SIM_APP_JTAG_COMMAND_H_
