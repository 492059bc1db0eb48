// SPDX-License-Identifier: Apache-2.0
// The subcommands regress and, for the runner itself, regress-task.
#ifndef TORUSMU_SIM_APP_REGRESS_COMMAND_H_
#define TORUSMU_SIM_APP_REGRESS_COMMAND_H_

#include <cstddef>
#include <string>

#include "tb/lab/regress.h"

namespace CLI {
class App;
}  // namespace CLI

namespace torusmu::lab {

class RegressCommand {
 public:
  // Adds both to `app`, which must outlive this.
  explicit RegressCommand(CLI::App& app);

  // Was one of the two given?
  [[nodiscard]] bool parsed() const;
  // Does it; the exit status. Throws UsageError.
  [[nodiscard]] int run();

 private:
  CLI::App* regress_;
  CLI::App* task_;
  RegressOptions options_;
  std::string run_folder_;
  std::size_t number_ = 0;
};

}  // namespace torusmu::lab

#endif  // TORUSMU_SIM_APP_REGRESS_COMMAND_H_
