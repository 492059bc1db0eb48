// SPDX-License-Identifier: Apache-2.0
// Where a run keeps what; docs/regressions.md shows the layout.
#ifndef TORUSMU_TB_LAB_RUN_FOLDER_H_
#define TORUSMU_TB_LAB_RUN_FOLDER_H_

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace torusmu::lab {

struct RunFolder {
  std::string path;

  [[nodiscard]] std::string file(const std::string& name) const { return path + "/" + name; }
  // Of the job of that number, with a slash behind it.
  [[nodiscard]] std::string of_job(std::size_t number) const {
    return fmt::format("{}/tests/{:04}/", path, number);
  }
};

inline RunFolder run_folder(const std::string& output, std::int64_t run) {
  return {fmt::format("{}/runs/{}", output, run)};
}

}  // namespace torusmu::lab

#endif  // TORUSMU_TB_LAB_RUN_FOLDER_H_
